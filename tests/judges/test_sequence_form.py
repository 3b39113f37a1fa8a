"""The sequence form: matrices against the plain walk, solutions, symmetries, sizes and wrong input."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import spot_text

from errai.cards.hands import hand_permutation
from errai.errors import CardsError, StrategyError, TreeTooLargeError, UnsupportedGameError
from errai.games.catalogue import load_game, parse_game
from errai.games.game import Game
from errai.games.spot import Spot, parse_spot
from errai.judges.explicit_game import evaluate_profile, uniform_strategy
from errai.judges.sequence_form import SequenceForm, sequence_form_lp
from errai.tree.betting_tree import BettingTree, build_betting_tree

RIVER = spot_text(
    "Qs Jh 2c 8d 3s",
    "AA, KK, QQ, AQs:0.5, KQs, 98s, 76s, 54s",
    "JJ, TT, AJs, KJs:0.25, QJs, T9s, 65s, A5s",
    bet="50%, 100%, a",
    raises="100%, a",
    stack=300,
)

RIVER_VALUE = -14.483503872156

TURN = spot_text("Qs Jh 2c 8d", "AsQh:0.5, Ad4d, Td9d", "Kc9c, QdTd, 2h2d")

# One round, two private cards and one on the board from the start: chance deals it before the first action.
OPEN_CARD = """GAMEDEF
limit
numPlayers = 2
numRounds = 1
blind = 1 1
raiseSize = 2
maxRaises = 2
numSuits = 2
numRanks = 4
numHoleCards = 2
numBoardCards = 1
END GAMEDEF
"""


def built(text: str) -> tuple[Spot, BettingTree]:
    spot = parse_spot(text)
    return spot, build_betting_tree(spot)


def random_strategy(form: SequenceForm, player: int, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=form.num_sequences[player])
    return form.behaviour(player, weights)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "river", "turn"])
def test_matrices_agree_with_the_plain_walk_for_any_strategy(name: str) -> None:
    settings: dict = {}
    game: Game
    if name in ("river", "turn"):
        spot, betting = built(RIVER if name == "river" else TURN)
        game, settings = spot.game, {"board": spot.board, "ranges": spot.ranges}
    else:
        game = load_game(name)
        betting = build_betting_tree(game)
    form = SequenceForm(betting, game, **settings)
    strategies = random_strategy(form, 0, 1), random_strategy(form, 1, 2)
    plans = form.plan(0, strategies[0]), form.plan(1, strategies[1])
    plain = evaluate_profile(betting, game, strategies, **settings)
    assert form.value(*plans) == pytest.approx(plain.value, abs=1e-9)
    assert form.best_response_value(0, plans[1]) == pytest.approx(plain.best_responses[0], abs=1e-9)
    assert form.best_response_value(1, plans[0]) == pytest.approx(plain.best_responses[1], abs=1e-9)
    assert form.exploitability(*plans) == pytest.approx(plain.exploitability, abs=1e-9)
    assert plain.exploitability > 0.01


@pytest.mark.parametrize("text", [RIVER, TURN])
def test_solutions_of_spots_cannot_be_exploited(text: str) -> None:
    spot, betting = built(text)
    solution = sequence_form_lp(betting, spot.game, board=spot.board, ranges=spot.ranges)
    assert solution.duality_gap == pytest.approx(0, abs=1e-9)
    plain = evaluate_profile(betting, spot.game, solution.strategies, board=spot.board, ranges=spot.ranges)
    assert plain.value == pytest.approx(solution.value, abs=1e-9)
    assert plain.nash_conv == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("method", ["highs-ds", "highs-ipm", "highs"])
def test_every_method_finds_the_same_value(method: str) -> None:
    spot, betting = built(RIVER)
    solution = sequence_form_lp(betting, spot.game, board=spot.board, ranges=spot.ranges, method=method)
    # The value of this spot is not published; the three methods and the plain walk agree on it.
    assert solution.value == pytest.approx(RIVER_VALUE, abs=1e-9)
    assert solution.duality_gap == pytest.approx(0, abs=1e-9)


def test_plans_keep_their_constraints_and_come_back() -> None:
    game = load_game("leduc")
    form = SequenceForm(build_betting_tree(game), game)
    for player in (0, 1):
        plan = form.plan(player, random_strategy(form, player, 3))
        assert plan.min() >= 0
        constraints = form.constraints[player]
        assert constraints.shape == (1 + form.num_information_sets[player], form.num_sequences[player])
        expected = np.eye(constraints.shape[0])[0]
        assert constraints @ plan == pytest.approx(expected, abs=1e-12)
        assert form.plan(player, form.behaviour(player, plan)) == pytest.approx(plan, abs=1e-12)


def test_chance_sums_to_one() -> None:
    """Check the turn, bet every river, and always see a fold: the pot is won with all of chance."""
    spot, betting = built(TURN)
    form = SequenceForm(betting, spot.game, board=spot.board, ranges=spot.ranges)

    def first(node: int, board: tuple[int, ...], hand: int) -> np.ndarray:
        actions = betting.actions(node)
        bet = [action.startswith("bet") and len(board) == 5 for action in actions]
        return np.eye(len(actions))[bet.index(True) if any(bet) else 0]

    def second(node: int, board: tuple[int, ...], hand: int) -> np.ndarray:
        return np.eye(len(betting.actions(node)))[0]

    assert form.value(form.plan(0, first), form.plan(1, second)) == pytest.approx(50, abs=1e-9)


def test_a_board_dealt_at_the_root_is_the_average_of_the_boards() -> None:
    game = parse_game(OPEN_CARD, name="open card")
    betting = build_betting_tree(game)
    dealt = sequence_form_lp(betting, game)
    given = [sequence_form_lp(betting, game, board=(card,)).value for card in range(8)]
    assert dealt.value == pytest.approx(np.mean(given), abs=1e-9)
    assert dealt.duality_gap == pytest.approx(0, abs=1e-9)


def test_renaming_suits_changes_nothing() -> None:
    spot, betting = built(RIVER)
    deck, perm = spot.game.deck, (2, 0, 3, 1)
    board = tuple(card // 4 * 4 + perm[card % 4] for card in spot.board)
    renamed = []
    for given in spot.ranges:
        weights = np.zeros(1326)
        weights[hand_permutation(deck, 2, perm)] = given.weights
        renamed.append(weights)
    one = sequence_form_lp(betting, spot.game, board=spot.board, ranges=spot.ranges)
    two = sequence_form_lp(betting, spot.game, board=board, ranges=tuple(renamed))
    assert one.value == pytest.approx(two.value, abs=1e-9)


def test_only_possible_hands_are_listed() -> None:
    spot, betting = built(TURN)
    form = SequenceForm(betting, spot.game, board=spot.board, ranges=spot.ranges)
    strategy = form.behaviour(0, form.plan(0, uniform_strategy(betting)))
    on_turn = [key for key in strategy if key[0] == 0]
    assert len(on_turn) == 3
    assert {board for _, board, _ in on_turn} == {spot.board}
    rivers = {board for _, board, _ in strategy if len(board) == 5}
    assert all(board[:4] == spot.board for board in rivers)
    # Every river that some pair of hands leaves in the deck.
    assert len(rivers) == 48


def test_solutions_are_refused_when_too_large() -> None:
    spot, betting = built(RIVER)
    with pytest.raises(TreeTooLargeError, match="max_entries is 1,000") as caught:
        sequence_form_lp(betting, spot.game, board=spot.board, ranges=spot.ranges, max_entries=1000)
    assert "payoff entries" in str(caught.value)
    rhode_island = load_game("rhode-island")
    with pytest.raises(TreeTooLargeError):
        sequence_form_lp(build_betting_tree(rhode_island), rhode_island)


def test_the_guard_counts_what_is_built() -> None:
    game = load_game("leduc")
    betting = build_betting_tree(game)
    form = SequenceForm(betting, game)
    assert SequenceForm(betting, game, max_entries=form.payoffs.nnz).num_sequences == form.num_sequences
    with pytest.raises(TreeTooLargeError, match=f"needs {form.payoffs.nnz:,} payoff entries and 2,184 sequences"):
        SequenceForm(betting, game, max_entries=form.payoffs.nnz - 1)


def test_wrong_input_is_refused() -> None:
    spot, betting = built(RIVER)
    with pytest.raises(CardsError):
        sequence_form_lp(betting, spot.game, board=spot.board[:4], ranges=spot.ranges)
    with pytest.raises(StrategyError):
        sequence_form_lp(betting, spot.game, board=spot.board, ranges=(np.ones(3), np.ones(3)))
    game = load_game("leduc")
    with pytest.raises(UnsupportedGameError):
        sequence_form_lp(build_betting_tree(game, last_street=0), game)
    form = SequenceForm(build_betting_tree(game), game)
    with pytest.raises(StrategyError, match="nothing for hand"):
        form.plan(0, {})
