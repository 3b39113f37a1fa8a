"""Solving the rest of the game: ranges, values, bets that the tree lacks, and what cannot be solved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_subjects import subject

import errai
from errai.agents.agent import MatchStart, StrategicAgent
from errai.agents.reader import read_agent
from errai.agents.resolving import FLOOR, ResolvingAgent, ResolvingOptions, probability_of
from errai.agents.solved import SolvedAgent
from errai.cards.hands import hand_cards
from errai.errors import StrategyError
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Observation, PublicState, Shuffle, raise_to
from errai.games.rake import Rake
from errai.games.spot import Spot, parse_spot
from errai.solutions.solution import Solution
from errai.strategies.strategy import Choices, live_hands

CARDS = "Kd7h2c9sJc"


@pytest.fixture(scope="module")
def turn() -> Solution:
    return errai.solve(subject("turn"), "0.02%pot")


def _calls_to(game: Game, street: int) -> PublicState:
    state, cards = PublicState.start(game), game.deck.parse_cards(CARDS)
    while state.betting.round < street or state.cards_due:
        if state.cards_due:
            state = state.with_cards(cards[len(state.board) : len(state.board) + state.cards_due])
        else:
            state = state.after(CALL)
    return state


def _made(text: str, played: Game | Spot) -> ResolvingAgent:
    made = read_agent(text, played)
    assert isinstance(made, ResolvingAgent)
    return made


# --- the same game ---------------------------------------------------------------------------------------------------


def test_what_is_left_of_a_raked_spot_is_raked(turn: Solution) -> None:
    raked = replace(turn.subject, rake=Rake(5.0, 3.0))
    agent = ResolvingAgent(SolvedAgent(errai.solve(raked, max_iterations=2, backend="reference")), raked, "river")
    state = PublicState.start(raked).after(raise_to(100)).after(CALL).with_cards(turn.deck.parse_cards("3d"))
    assert agent.spot(agent.root(state)).rake == Rake(5.0, 3.0)
    assert ResolvingAgent(SolvedAgent(turn), turn.subject, "river").spot(agent.root(state)).rake is None


def test_ranges_are_those_of_the_solution(turn: Solution) -> None:
    """Bayes' rule along the line gives what a node of the solution says."""
    agent = ResolvingAgent(SolvedAgent(turn), turn.subject, "river")
    state = PublicState.start(turn.subject).after(raise_to(100)).after(CALL)
    state = state.with_cards(turn.deck.parse_cards("3d"))
    found = agent.root(state).ranges
    expected = turn.at("bet 100 call / 3d").ranges
    for p in (0, 1):
        scaled = np.where(live_hands(state), expected[p] / expected[p].max(), 0.0)
        assert found[p] == pytest.approx(np.where(live_hands(state), np.maximum(scaled, FLOOR), 0.0), abs=1e-6)


def test_a_river_solved_again_is_worth_what_it_is_in_the_solution(turn: Solution) -> None:
    agent = ResolvingAgent(SolvedAgent(turn), turn.subject, "river", ResolvingOptions(target="0.02%pot"))
    state = PublicState.start(turn.subject).after(raise_to(100)).after(CALL)
    state = state.with_cards(turn.deck.parse_cards("3d"))
    node = turn.at("bet 100 call / 3d")
    hands = hand_cards(52, 2)
    fits = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    pairs = node.ranges[0] * (fits @ node.ranges[1])
    expected = float(pairs @ np.nan_to_num(node.ev[0])) / float(pairs.sum())
    assert node.pot_chips == 300
    assert agent.solution(state).values.chips[0] == pytest.approx(expected, abs=0.003 * 300)


def test_rivers_solved_again_lose_little(turn: Solution) -> None:
    """Solving without a gadget guarantees nothing against one who plays otherwise before the river; it is measured."""
    options = ResolvingOptions(target="0.02%pot")
    agent = ResolvingAgent(SolvedAgent(turn), turn.subject, "river", options)
    found = errai.exploitability(turn.subject, agent, suits_alike=True)
    assert agent.solves > 40
    assert found.pot_percent < turn.exploitability.pot_percent + 0.4


def test_a_spot_that_begins_on_the_street_is_solved_as_a_whole() -> None:
    spot = subject("turn")
    options = ResolvingOptions(target="0.1%pot")
    agent = ResolvingAgent(SolvedAgent(errai.solve(spot, max_iterations=1)), spot, "turn", options)
    found = errai.exploitability(spot, agent, suits_alike=True)
    assert agent.solves == 1
    assert found.pot_percent <= 0.11


# --- whole games -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["holdem.limit.2p", "holdem.nolimit.2p"])
def test_the_river_of_a_game(name: str) -> None:
    game = errai.load_game(name)
    agent = _made("resolve:target=0.5%pot:river:by-strength:5", game)
    agent.start_match(MatchStart(game, 1))
    state = _calls_to(game, 3)
    choices = agent.strategy(state)
    live = live_hands(state)
    assert choices.probabilities[live].sum(axis=1) == pytest.approx(np.ones(live.sum()), abs=1e-6)
    assert not choices.probabilities[~live].any()
    assert agent.solution(state).exploitability.pot_percent <= 0.5
    for action in choices.actions:
        state.after(action)
    # Asked again it answers from memory; another line of the same river is the same solution.
    agent.strategy(state.after(CALL))
    assert agent.strategy(state) is choices
    assert agent.solves == 1
    # Before the street the blueprint plays.
    before = _calls_to(game, 2)
    assert (agent.strategy(before).probabilities == agent.blueprint.strategy(before).probabilities).all()
    assert agent.root(state).ranges[0].max() == 1.0


def test_the_nuts_are_never_folded_and_play_is_repeatable() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    agent = _made("resolve:target=2%pot:river:always-call", game)
    state = _calls_to(game, 3).after(raise_to(300))
    nuts = game.deck.parse_cards("QdTd")
    observation = Observation(state, state.actor, nuts, 3)
    agent.start_match(MatchStart(game, 7))
    first = agent.act(observation)
    assert first != FOLD
    again = _made("resolve:target=2%pot:river:always-call", game)
    again.start_match(MatchStart(game, 7))
    assert again.act(observation) == first


def test_a_bet_that_the_tree_lacks_is_solved_with() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    state = _calls_to(game, 3)
    odd = state.after(raise_to(271))
    agent = _made("resolve:target=2%pot:river:always-call", game)
    agent.strategy(state)
    agent.strategy(odd)
    assert agent.solves == 2
    assert "bet 171" in agent.solution(odd).root.actions
    assert "bet 171" not in agent.solution(state).root.actions
    raised = odd.after(raise_to(271 + 613))
    agent.strategy(raised)
    assert agent.solves == 3
    assert "raise 784" in agent.solution(raised).root["bet 171"].actions
    # A shove of a hundred pots is no part of the default menu either.
    shove = state.after(raise_to(20_000))
    assert set(agent.strategy(shove).actions) == {FOLD, CALL}
    assert agent.solves == 4
    translating = _made("resolve:target=2%pot,off-tree=translate:river:always-call", game)
    translating.strategy(odd)
    assert translating.solves == 1


def test_unequal_stacks_and_longer_ones_stay_legal() -> None:
    spot = parse_spot(
        'board = "Kd 7h 2c 9s Jc"\npot = 100\nstacks = [300, 80]\n[ranges]\noop = "QQ+,76s"\nip = "KQs,22"\n'
        '[bets]\nbet = "50%, a"\nraise = "a"\n'
    )
    agent = ResolvingAgent(SolvedAgent(errai.solve(spot, max_iterations=5)), spot, "river")
    state = PublicState.start(spot)
    for action in agent.strategy(state).actions:
        after = state.after(action)
        if after.actor >= 0:
            for answer in agent.strategy(after).actions:
                after.after(answer)
    assert errai.exploitability(spot, agent, suits_alike=True).pot_percent <= 0.31


def test_it_plays_whole_hands() -> None:
    from errai.arena.play import play_hand

    game = errai.load_game("holdem.limit.2p")
    agents = (_made("resolve:target=5%pot:river:by-strength:5", game), read_agent("uniform", game))
    rng = np.random.default_rng(4)
    for agent in agents:
        agent.start_match(MatchStart(game, 4))
    for number in range(12):
        played = play_hand(game, agents, Shuffle(game).deal(rng), number)
        assert sum(played.net_chips) == 0
    assert agents[0].solves > 0


# --- pieces ----------------------------------------------------------------------------------------------------------


def test_actions_that_are_not_among_the_choices() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    state = _calls_to(game, 3)
    probabilities = np.arange(3.0) * np.ones((1326, 1))
    choices = Choices((CALL, raise_to(200), raise_to(300)), probabilities)
    assert probability_of(choices, state, raise_to(200))[0] == 1.0  # type: ignore[index]
    # Half a pot and a pot: 0.7143 pots are in the middle by the pseudo-harmonic rule.
    assert probability_of(choices, state, raise_to(241))[0] == 1.0  # type: ignore[index]
    assert probability_of(choices, state, raise_to(244))[0] == 2.0  # type: ignore[index]
    assert probability_of(choices, state, raise_to(9_000))[0] == 2.0  # type: ignore[index]
    assert probability_of(choices, state, raise_to(110))[0] == 1.0  # type: ignore[index]
    assert probability_of(Choices((CALL,), probabilities[:, :1]), state, raise_to(200)) == 1.0


def test_a_blueprint_that_never_gets_there_leaves_every_hand() -> None:
    game = errai.load_game("holdem.limit.2p")
    agent = _made("resolve:target=5%pot:river:always-raise", game)
    state = _calls_to(game, 3)
    assert agent.root(state).ranges[0] == pytest.approx(live_hands(state).astype(float))
    assert agent.strategy(state).probabilities[live_hands(state)].sum(axis=1) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("resolve:river", "blueprint"),
        ("resolve:preflop:always-call", "no street"),
        ("resolve:speed=9:river:always-call", "no option"),
        ("resolve:iterations=x:river:always-call", "no option"),
        ("resolve:seconds=-1:river:always-call", "no option"),
        ("resolve:off-tree=guess:river:always-call", "off-tree"),
        ("resolve:menu=50%:river:always-call", "fixed"),
        ("resolve:river:nobody", "names no agent"),
    ],
)
def test_what_cannot_be_made_says_so(text: str, what: str) -> None:
    with pytest.raises(StrategyError, match=what):
        read_agent(text, errai.load_game("holdem.limit.2p"))


def test_other_games_are_refused() -> None:
    for name in ("leduc", "holdem-2-1", "royal.limit"):
        with pytest.raises(StrategyError, match="52 cards"):
            read_agent("resolve:river:uniform", errai.load_game(name))


def test_options_reach_the_solver() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    agent = _made("resolve:iterations=3,menu=33%+a,target=0.001%pot:river:always-call", game)
    found = agent.solution(_calls_to(game, 3))
    assert found.iterations == 3
    assert found.root.actions == ("check", "bet 100", "bet 19900")
    assert isinstance(agent, StrategicAgent)
