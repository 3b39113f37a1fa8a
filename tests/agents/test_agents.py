"""Agents from text, agents of one's own, and agents that play solutions."""

from __future__ import annotations

import subprocess
import sys
import types
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from small_subjects import subject

from errai.agents.agent import Agent, MatchStart, StrategicAgent, number_of_hand
from errai.agents.given import OwnAgent
from errai.agents.reader import AGENTS, read_agent
from errai.agents.solved import SolvedAgent
from errai.agents.strategies import BlindAgent, StrategyAgent
from errai.arena.luck.values import seat_value
from errai.cards.hands import hand_cards, hand_text
from errai.errors import AgentError, StrategyError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Action, Deal, Hand, Observation, PublicState, raise_to
from errai.games.sizing import BetMenu
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.strategies.strategy import live_hands
from errai.strategies.tree_walk import OFF_TREE, TreeWalk
from errai.tree.betting_tree import NodeKind, build_betting_tree


def test_every_kind_names_a_function_and_no_agent_is_imported_before_it_is_named() -> None:
    places = [place.split(":") for place in AGENTS.values()]
    assert all(callable(getattr(import_module(module), function)) for module, function in places)
    code = f"import sys, errai.agents.reader; print([m for m, _ in {places} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "[]"


@pytest.fixture(scope="module")
def leduc() -> Solution:
    return solve(load_game("leduc"), "0.5mbb", threads=1)


@pytest.fixture(scope="module")
def turn() -> Solution:
    return solve(subject("turn"), max_iterations=40, threads=1)


@pytest.mark.parametrize("text", ["always-fold", "always-call", "always-raise", "uniform", "call=0.5,raise=0.5"])
def test_names_of_blind_agents_lead_back_to_them(text: str) -> None:
    agent = read_agent(text, load_game("leduc"))
    assert isinstance(agent, BlindAgent)
    assert agent.name == text
    assert not agent.learns


def test_by_strength_is_an_agent_of_its_tree() -> None:
    agent = read_agent("by-strength:4", load_game("leduc"))
    assert isinstance(agent, StrategyAgent)
    assert agent.name == "by-strength:4"


@pytest.mark.parametrize("text", ["nobody", "solution:none.errai", "python:errai", "python:errai:nothing", "fold=2"])
def test_what_is_no_agent_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(StrategyError, match=r"\.$"):
        read_agent(text, load_game("leduc"))


def test_own_classes_play(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("own_agents_of_a_test")

    class Caller:
        learns = True

        def __init__(self, played: object) -> None:
            self.played = played

        def act(self, observation: Observation) -> Action:
            return CALL

    class Plain:
        def act(self, observation: Observation) -> str:
            return "call"

    module.Caller, module.Plain, module.number = Caller, Plain, 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    game = load_game("leduc")
    caller = read_agent(f"python:{module.__name__}:Caller", game)
    assert isinstance(caller, OwnAgent)
    assert caller.actor.played is game
    assert caller.learns
    observation = Hand(game, Deal(((0,), (1,)), (2,))).observation(0)
    assert caller.act(observation) == CALL
    plain = read_agent(f"python:{module.__name__}:Plain", game)
    assert not plain.learns
    with pytest.raises(AgentError, match="no Action"):
        plain.act(observation)
    with pytest.raises(StrategyError, match="act"):
        read_agent(f"python:{module.__name__}:number", game)


def test_live_hands_are_those_without_the_board() -> None:
    game = load_game("holdem.limit.2p")
    state = PublicState(game, PublicState.start(game).betting, ((),), (0, 17, 51))
    hands = hand_cards(52, 2)
    assert live_hands(state).tolist() == [not {0, 17, 51} & set(hand) for hand in hands.tolist()]


def test_blind_agents_in_no_limit_raise_the_pot_or_all_in() -> None:
    game = load_game("holdem.nolimit.2p")
    agent = read_agent("uniform", game)
    assert isinstance(agent, BlindAgent)
    start = PublicState.start(game)
    # Small blind 50 faces 100: a pot-sized raise is to 100 + 2 * 100 = 300.
    assert agent.strategy(start).actions == (FOLD, CALL, raise_to(300), raise_to(20_000))
    after = start.after(raise_to(15_000))
    assert agent.strategy(after).actions == (FOLD, CALL, raise_to(20_000))


def test_the_mixture_of_a_place_is_asked_for_once_and_holds() -> None:
    game = load_game("leduc")
    agent = read_agent("fold=0.2,call=0.3,raise=0.5", game)
    assert isinstance(agent, BlindAgent)
    first = PublicState.start(game)
    rows = agent.strategy(first).probabilities
    assert np.allclose(rows, [[0.5, 0.5]] * 6)
    assert np.array_equal(agent.strategy(first).probabilities, rows)
    # Another state object of the same bets, and one of other bets.
    assert np.array_equal(agent.strategy(PublicState.start(game)).probabilities, rows)
    assert agent.strategy(first.after(raise_to(0))).probabilities.shape == (6, 3)


# --- tree walk ---


def walk_all(walk: TreeWalk, state: PublicState, cards: list[int]) -> int:
    """Follow every line of a limit game whose tree has all actions; returns the decisions met."""
    due = state.cards_due
    if due:
        return walk_all(walk, state.with_cards(tuple(cards[:due])), cards[due:])
    if state.is_over:
        return 0
    node = walk.node(state)
    assert node != OFF_TREE
    betting = walk.betting
    assert int(betting.actor[node]) == state.actor
    assert betting.contributions[node].tolist() == list(state.betting.spent)
    actions = walk.actions(node, state)
    assert set(actions) == set(state.legal_actions)
    return 1 + sum(walk_all(walk, state.after(action), cards) for action in actions)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rhode-island-short"])
def test_every_line_of_a_limit_game_has_its_node(name: str) -> None:
    game = subject(name)
    walk = TreeWalk(build_betting_tree(game))
    decisions = walk_all(walk, PublicState.start(game), list(range(game.rules.deck.num_cards)))
    assert decisions == int((walk.betting.kind == NodeKind.DECISION).sum())


def test_bets_between_two_of_the_tree_are_taken_for_the_nearer_by_the_pseudo_harmonic_rule() -> None:
    game = load_game("leduc.nolimit")
    walk = TreeWalk(build_betting_tree(game, BetMenu.parse(game.num_rounds, "50%, 200%, a")))
    start = PublicState.start(game)
    root = walk.node(start)
    betting = walk.betting
    raises = [c for c in betting.children(root) if betting.action_kind[c] == ActionKind.RAISE]
    small, large = (int(betting.action_total[c]) for c in raises[:2])
    faced, pot = max(start.betting.spent), 2.0 * max(start.betting.spent)
    a, b = (small - faced) / pot, (large - faced) / pot
    found = {}
    for total in range(small, large + 1):
        x = (total - faced) / pot
        share = (b - x) * (1 + a) / ((b - a) * (1 + x))
        child = walk.child(root, start, raise_to(total))
        assert child == (raises[0] if share >= 0.5 else raises[1]), total
        found[child] = True
    assert len(found) == 2


def test_bets_off_the_tree_still_lead_to_legal_answers() -> None:
    game = load_game("leduc.nolimit")
    solution = solve(game, max_iterations=5, threads=1, menu="100%, a")
    agent = SolvedAgent(solution)
    agent.start_match(MatchStart(game, 1))
    other = np.random.default_rng(3)
    for number in range(300):
        cards = other.permutation(6).tolist()
        hand = Hand(game, Deal(((cards[0],), (cards[1],)), (cards[2],)), number)
        while not hand.is_over:
            if hand.actor == number % 2:
                hand.act(agent.act(hand.observation(hand.actor)))
                continue
            legal = hand.state.betting.legal()
            if legal.raise_range is not None and other.random() < 0.6:
                hand.act(raise_to(int(other.integers(legal.raise_range[0], legal.raise_range[1] + 1))))
            else:
                hand.act(CALL)


# --- solutions ---


def lines_of(state: PublicState, cards: list[int], prefix: str = "") -> list[tuple[PublicState, str]]:
    """Every decision on one sequence of cards, with its line in a solution's notation."""
    due = state.cards_due
    if due:
        dealt, game = tuple(cards[:due]), state.subject.rules
        text = game.deck.cards_text(dealt)
        return lines_of(state.with_cards(dealt), cards[due:], f"{prefix} / {text} /")
    if state.is_over:
        return []
    found = [(state, prefix)]
    for action in state.legal_actions:
        spent = state.betting.spent[state.actor]
        if action.kind == ActionKind.FOLD:
            word = "fold"
        elif action.kind == ActionKind.CALL:
            word = "call" if state.betting.to_call_chips else "check"
        else:
            blinds = state.betting.round == 0 and len(set(state.betting.game.blinds)) == 2
            word = "raise" if state.betting.to_call_chips or blinds else "bet"
            assert action.total > spent
        found += lines_of(state.after(action), cards, f"{prefix} {word}")
    return found


def test_a_solved_agent_plays_exactly_the_solution_of_leduc(leduc: Solution) -> None:
    game = load_game("leduc")
    agent = SolvedAgent(leduc)
    checked = 0
    for board in range(6):
        for state, line in lines_of(PublicState.start(game), [board]):
            node = leduc.at(line.strip().replace("/  ", "/ "))
            rows = agent.strategy(state).probabilities
            words = [action.kind for action in agent.strategy(state).actions]
            for row, hand in enumerate(node.hands):
                card = game.deck.parse_card(hand)
                if card in state.board or node.strategies[row, 0] != node.strategies[row, 0]:
                    continue
                assert np.allclose(rows[card], node.strategies[row], atol=1e-6), (line, hand)
                checked += 1
            assert len(words) == len(node.actions)
            assert all(rows[card].sum() == 0 for card in state.board)
    assert checked > 500


def test_solutions_of_leduc_against_each_other_win_the_value_of_the_game(leduc: Solution) -> None:
    agent = SolvedAgent(leduc)
    # Southey et al. 2005; the sequence-form program in tests/known_values agrees: -0.085606 chips for the first seat.
    assert seat_value(load_game("leduc"), (agent, agent)) == pytest.approx(-0.085606, abs=2e-3)


def test_a_solved_agent_plays_exactly_the_solution_of_a_spot(turn: Solution) -> None:
    spot = subject("turn")
    agent = SolvedAgent(turn)
    deck = spot.rules.deck
    for river in ("4c", "Ah", "2d"):
        card = deck.parse_card(river)
        checked = 0
        for line in ("", "check", "check check / ? /", "check check / ? / check"):
            state = PublicState.start(spot)
            for _ in range(line.count("check") if "/" not in line else 2):
                state = state.after(CALL)
            if "/" in line:
                state = state.with_cards((card,))
                for _ in range(line.count("check") - 2):
                    state = state.after(CALL)
            node = turn.at(line.replace("?", river).rstrip(" /"))
            choices = agent.strategy(state)
            for row, hand in enumerate(node.hands):
                if node.strategies[row, 0] != node.strategies[row, 0]:
                    continue
                index = next(i for i in range(1326) if hand_text(deck, i) == hand)
                assert np.allclose(choices.probabilities[index], node.strategies[row], atol=1e-6), (line, hand)
                checked += 1
        assert checked > 5


def test_an_agent_of_another_game_is_refused(leduc: Solution, tmp_path: Path) -> None:
    leduc.save(tmp_path / "leduc.errai")
    text = f"solution:{tmp_path / 'leduc.errai'}"
    agent = read_agent(text, load_game("leduc"))
    assert isinstance(agent, StrategicAgent)
    assert agent.name == text
    with pytest.raises(StrategyError, match="other rules"):
        read_agent(text, load_game("kuhn"))
    with pytest.raises(StrategyError, match="other rules"):
        agent.start_match(MatchStart(load_game("kuhn"), 0))


def test_stored_runs_play_exactly_what_they_hold(tmp_path: Path) -> None:
    from errai.cluster.reading import open_run

    game = subject("two-cards-short")
    run = solve(game, store=tmp_path / "run", max_iterations=8, processes=1)
    agent = read_agent(f"store:{tmp_path / 'run'}", game)
    assert isinstance(agent, SolvedAgent)
    deck, compared = game.rules.deck, 0
    for board in ([0, 3, 6], [7, 2, 5]):
        for state, line in lines_of(PublicState.start(game), board)[::3]:
            node = open_run(tmp_path / "run").at(line.strip())
            rows = agent.strategy(state).probabilities
            for row, hand in enumerate(node.hands):
                if node.strategies[row, 0] == node.strategies[row, 0]:
                    index = number_of_hand(tuple(deck.parse_cards(hand)))
                    assert np.allclose(rows[index], node.strategies[row], atol=1e-6), (line, hand)
                    compared += 1
    assert run.iterations == 8
    assert compared > 150


def test_an_agent_needs_nothing_but_act() -> None:
    class Least(Agent):
        def act(self, observation: Observation) -> Action:
            return CALL

    agent = Least()
    game = load_game("kuhn")
    agent.start_match(MatchStart(game, 0))
    hand = Hand(game, Deal(((0,), (1,)), ()))
    hand.act(agent.act(hand.observation(hand.actor)))
    hand.act(agent.act(hand.observation(hand.actor)))
    agent.end_hand(hand.observation(0), hand.net_chips()[0])
    agent.close()
    assert hand.net_chips() == (-1, 1)
