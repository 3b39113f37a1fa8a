"""PsOpti as agents and as strategies: its file, its legality, and its answer to a fourth bet."""

from __future__ import annotations

import numpy as np
import pytest

from errai.agents.agent import MatchStart
from errai.agents.literature.psopti.build import Settings, build, main
from errai.agents.literature.psopti.models import after_flop, before_flop, lines_to_flop
from errai.agents.literature.psopti.strategy import PsOptiStrategy, load_psopti, shipped
from errai.agents.reader import read_agent
from errai.errors import DamagedFileError, ForeignFileError, InputError, StrategyError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Hand, Lines, PublicState, Shuffle, raise_to
from errai.strategies.given import given_strategy
from errai.strategies.strategy import Deals, Decision
from errai.tree.betting_tree import NodeKind

GAME = load_game("holdem.limit.2p")
NAMES = ("psopti0", "psopti1", "psopti2")


@pytest.fixture(scope="module")
def made():
    return shipped()


@pytest.mark.parametrize("name", NAMES)
def test_agents_and_strategies_are_found_by_name(name):
    assert read_agent(name, GAME).name == name
    strategy, _ = given_strategy(read_agent(name, GAME), GAME)
    assert isinstance(strategy, PsOptiStrategy)
    assert strategy.description.startswith(name)


def test_another_game_is_refused():
    with pytest.raises(StrategyError, match="plays the whole game"):
        read_agent("psopti2", load_game("leduc"))
    with pytest.raises(StrategyError, match="no file"):
        read_agent("psopti2:nowhere.errai", GAME)


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_sum_to_one_at_every_decision_of_the_game(made, name):
    strategy = PsOptiStrategy(made, name)
    betting = strategy.betting
    decisions = np.flatnonzero(betting.kind == NodeKind.DECISION).tolist()
    fourth = 0
    for node in decisions:
        place = strategy.place(node)
        table = strategy.table(place)
        allowed = {int(betting.action_kind[child]) for child in betting.children(node)}
        total = 0.0
        for kind, probability in table.items():
            assert int(kind) in allowed or not probability.any()
            total = total + probability
        assert total == pytest.approx(1.0, abs=1e-9)
        tree = strategy.tree(place.model)
        if place.unmodelled:
            fourth += 1
            assert list(table) == [ActionKind.CALL]
        else:
            assert tree.actor[place.node] == betting.actor[node]
    assert fourth > 0


@pytest.mark.parametrize("name", NAMES)
def test_rows_sum_to_one_for_all_hands(made, name):
    strategy = PsOptiStrategy(made, name)
    betting = strategy.betting
    rng = np.random.default_rng(2)
    for street, cards in enumerate((0, 3, 4, 5)):
        board = rng.permutation(52)[:cards]
        hands = strategy.made.buckets.deals.hands
        live = np.flatnonzero(~np.isin(hands, board).any(axis=1))
        deals = Deals(
            street, board.astype(np.int8)[None], np.array([0, len(live)]), live.astype(np.int32),
            hands[live].astype(np.uint8),
        )  # fmt: skip
        for player in (0, 1):
            nodes = betting.decision_nodes(street, player)
            decisions = [Decision.at(betting, int(node)) for node in rng.choice(nodes, min(8, len(nodes)), False)]
            rows = strategy.rows(decisions, deals)
            starts = np.cumsum([0, *(len(d.actions) for d in decisions)])[:-1]
            assert np.add.reduceat(rows, starts, axis=0) == pytest.approx(1.0, abs=1e-9)
            one = Deals(street, deals.boards, np.array([0, 1]), deals.hand[:1], deals.cards[:1])
            assert (strategy.rows(decisions, one)[:, 0] == rows[:, 0]).all()


def play(names: tuple[str, str], hands: int, seed: int = 0):
    """Play hands between two agents, and return them; whatever is illegal raises."""
    agents = [read_agent(name, GAME) for name in names]
    for agent in agents:
        agent.start_match(MatchStart(GAME, seed))
    shuffle, lines = Shuffle(GAME), Lines(GAME)
    for number in range(hands):
        hand = Hand(GAME, shuffle.numbered(seed, number), number, lines)
        seats = (number % 2, 1 - number % 2)
        while not hand.is_over:
            agent = agents[seats[hand.actor]]
            observation = hand.observation(hand.actor)
            action = agent.act(observation)
            assert action in observation.state.legal_actions
            yield_action = (seats[hand.actor], observation.state, action)
            hand.act(action)
            yield yield_action


@pytest.mark.parametrize("name", NAMES)
def test_it_makes_no_fourth_bet_after_the_flop_and_calls_one(name):
    met = 0
    for player, state, action in play((name, "always-raise"), 80):
        if player == 0 and state.betting.round > 0:
            assert not (action.kind == ActionKind.RAISE and state.betting.raises >= 3)
            if state.betting.raises == 4:
                met += 1
                assert action == CALL
    assert met > 0


def test_hundreds_of_hands_are_legal():
    assert sum(1 for _ in play(("psopti2", "uniform"), 200)) > 400


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_thousands_of_hands_are_legal(name):
    for opponent in ("uniform", "psopti1", "always-raise"):
        assert sum(1 for _ in play((name, opponent), 1_500)) > 1_500


def test_psopti0_only_calls_before_the_flop():
    for player, state, action in play(("psopti0", "uniform"), 60):
        if player == 0 and state.betting.round == 0:
            assert action == CALL


def test_good_hands_are_raised_and_bad_ones_not(made):
    state = PublicState.start(GAME)
    for name in ("psopti1", "psopti2"):
        choices = read_agent(name, GAME).strategy(state)
        raises = choices.probabilities[:, choices.actions.index(raise_to(20))]
        folds = choices.probabilities[:, choices.actions.index(FOLD)]
        deck = GAME.deck
        hands = made.buckets.deals.hands
        aces = np.flatnonzero((hands // deck.num_suits == 12).all(axis=1))
        assert folds[aces].max() < 0.02
        assert raises.sum() > 0


def test_models_have_three_bets_and_the_pots_of_the_lines(made):
    tree = before_flop(made.game)
    assert len(lines_to_flop(tree)) == 7
    for bot in made.bots.values():
        for line, model in bot.model_of_line.items():
            assert made.models[model].chips == tree.contributions[line][0]
    assert len(set(made.bots["psopti1"].model_of_line.values())) == 4
    assert len(set(made.bots["psopti2"].model_of_line.values())) == 7
    assert after_flop(made.game, 10).rows[2].tolist() == [490, 490]


def test_the_shipped_file_says_how_good_its_programs_are(made):
    programs = made.facts["programs"]
    assert len(programs) == 13
    assert all(0 <= each["gap_chips"] <= 2 * made.facts["settings"]["gap"] for each in programs)


def test_a_tiny_build_is_repeated_to_the_byte_and_read_again(tmp_path):
    options = ["--buckets", "3,3,2", "--flops", "2", "--turns", "1", "--run-outs", "3", "--gap", "100000"]
    paths = [tmp_path / name for name in ("a.errai", "b.errai")]
    for path in paths:
        assert main(["-o", str(path), *options]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    made = load_psopti(paths[0])
    assert read_agent(f"psopti2:{paths[0]}", GAME).name == "psopti2"
    assert set(made.bots) == set(NAMES)
    assert made.facts["settings"]["buckets"] == [3, 3, 2]
    raw = bytearray(paths[0].read_bytes())
    raw[len(raw) // 2] ^= 1
    paths[1].write_bytes(raw)
    with pytest.raises(DamagedFileError):
        load_psopti(paths[1])
    paths[1].write_bytes(b"no container")
    with pytest.raises(ForeignFileError):
        load_psopti(paths[1])


def test_settings_out_of_bounds_are_refused():
    with pytest.raises(InputError, match="solver"):
        Settings(solver="simplex")
    with pytest.raises(InputError, match="gap"):
        Settings(gap=0.0)
    with pytest.raises(InputError, match="at least two"):
        Settings(buckets=(2, 3, 3)).cuts  # noqa: B018


@pytest.mark.slow
def test_a_full_build_gives_the_shipped_file(made):
    settings = {
        key: tuple(value) if isinstance(value, list) else value for key, value in made.facts["settings"].items()
    }
    # The file was made by an interior-point method.
    settings.pop("solver")
    again = build(Settings(**settings))
    assert again.cuts == made.cuts
    for old, new in zip(made.facts["programs"], again.facts["programs"], strict=True):
        assert old["sequences"] == list(new["sequences"])
        assert new["gap_chips"] <= settings["gap"]
        # Both lie within their gaps of the value of the same game. What follows a line of bets before the flop is
        # played with the ranges of one of many equilibria there, and CFR+ finds another one.
        if "after the flop, '" not in new["name"]:
            assert new["value_chips"] == pytest.approx(old["value_chips"], abs=2 * settings["gap"] + 1e-3)
