"""Values of positions against other ways to compute them: plain solves, exact leaf values, showdowns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import errai
from errai.cards.deck import FULL_DECK
from errai.cards.ranges import Range
from errai.errors import InputError, SolverOptionError, SpotError
from errai.games.catalogue import load_game
from errai.games.hand import PublicState
from errai.games.spot import Spot
from errai.nets.examples.situations import PARTS, situations
from errai.nets.examples.targets import MENU, leaves_over, solve_position
from errai.nets.networks.matchups import matchups
from errai.nets.predictors import find_predictor
from errai.resolving.below import ExactBelow
from errai.running.stopping import StopToken

HOLDEM = load_game("holdem.nolimit.2p")
FLOP, TURN, RIVER = 1, 2, 3


def position(street, number):
    """Board, stack and ranges of a situation."""
    found = situations(HOLDEM, street, 11, [number])
    return tuple(found.boards[0].tolist()), float(found.stacks[0]), found.ranges[0]


def spot(board, stack, ranges):
    """The same as people write it, with a pot of PARTS chips."""
    written = {
        "board": FULL_DECK.cards_text(board),
        "pot": PARTS,
        "stack": round(stack * PARTS),
        "ranges": {"oop": "22+", "ip": "22+"},
        "bets": {"bet": "50%, a", "raise": "100%, a"},
    }
    held = [Range.from_weights(weights / weights.max()) for weights in ranges]
    return replace(Spot.from_dict(written), ranges=(held[0], held[1]))


def values_of_spot(subject, ranges, target):
    """float64[2, H] in pots from `errai.solve`."""
    solution = errai.solve(subject, target, precision="float64", threads=1)
    scales = [ranges[1 - p].max() / ranges[1 - p].sum() / PARTS for p in (0, 1)]
    return np.stack([np.nan_to_num(solution.root.counterfactual(p)) * scales[p] for p in (0, 1)])


def assert_agree(found, expected, ranges):
    """To .02 % of the pot in all; solutions need not give every hand the same, least of all those hardly held."""
    assert (ranges * found).sum(axis=1) == pytest.approx((ranges * expected).sum(axis=1), abs=2e-4)
    assert (ranges * np.abs(found - expected)).sum(axis=1).max() < 5e-4
    assert np.abs(found - expected)[ranges > 1e-5].mean() < 5e-4


@pytest.mark.parametrize("number", range(4))
def test_values_on_the_river_are_those_of_a_plain_solve(number):
    board, stack, ranges = position(RIVER, number)
    stack = min(stack, 10.0)
    found = solve_position(board, stack, ranges, accuracy=2e-5, max_iterations=20_000)
    expected = values_of_spot(spot(board, stack, ranges), ranges, "0.002%pot")
    assert_agree(found.values, expected, ranges)


def test_values_on_the_turn_are_those_of_a_plain_solve():
    board, _, ranges = position(TURN, 0)
    found = solve_position(board, 1.3, ranges, accuracy=1e-4)
    expected = values_of_spot(spot(board, 1.3, ranges), ranges, "0.01%pot")
    assert found.error <= 1e-4
    assert_agree(found.values, expected, ranges)


@pytest.mark.parametrize(("street", "number"), [(RIVER, 0), (RIVER, 1), (TURN, 2)])
def test_what_one_player_wins_the_other_loses(street, number):
    board, stack, ranges = position(street, number)
    found = solve_position(board, min(stack, 3.0), ranges)
    assert float((ranges * found.values).sum()) == pytest.approx(0.0, abs=2e-6)


@pytest.mark.parametrize("street", [TURN, RIVER])
def test_with_nothing_to_bet_hands_are_shown_down(street):
    """Independent of the solver: the check-down values, counted from the cards alone."""
    board, _, ranges = position(street, 5)
    cards = matchups(HOLDEM, board)
    found = solve_position(board, 1.0 / PARTS, ranges, accuracy=1e-5)
    for p in (0, 1):
        shown_down = cards.check_down(ranges[1 - p][cards.hands])
        assert found.values[p][cards.hands] == pytest.approx(shown_down, abs=2e-4)
    dead = np.setdiff1d(np.arange(1326), cards.hands)
    assert (found.values[:, dead] == 0.0).all()


def test_hands_that_are_not_held_answer_the_other_player():
    """Against exact leaf values, which give such hands the value of a best response to their own solution."""
    board, _, ranges = position(RIVER, 3)
    live = np.flatnonzero(ranges[0] > 0.0)
    ranges = ranges.copy()
    ranges[0][live[::3]] = 0.0
    ranges /= ranges.sum(axis=1, keepdims=True)
    found = solve_position(board, 1.5, ranges, accuracy=1e-4, max_iterations=5_000)
    everyone = np.where(ranges.sum(axis=0) > 0.0, 1.0, 0.0)
    whole = spot(board, 1.5, np.stack([everyone, everyone]))
    oracle = ExactBelow(MENU, accuracy=2e-4, max_iterations=5_000)
    weights = ranges[0].astype(np.float64), ranges[1].astype(np.float64)
    expected = oracle.values(PublicState.start(whole), weights, 0) / PARTS
    assert np.abs(found.values[0] - expected)[live[::3]].mean() < 1e-3
    assert np.abs(found.values[0][live[::3]]).mean() > 0.05


def test_a_hand_never_gains_more_than_it_says():
    board, stack, ranges = position(RIVER, 2)
    rough = solve_position(board, stack, ranges, accuracy=0.02)
    fine = solve_position(board, stack, ranges, accuracy=0.001)
    assert rough.error <= 0.02
    assert rough.gain <= 0.02
    assert fine.gain <= 0.001
    assert rough.iterations < fine.iterations


@pytest.mark.parametrize("number", range(4, 8))
@pytest.mark.parametrize("scale", [2.0**-20, 8.0])
def test_the_scale_of_the_ranges_does_not_matter(number, scale):
    """A power of 2 rounds nothing.  Other factors change the last bits of the ranges, and some solves part by that."""
    board, _, ranges = position(RIVER, number)
    one, other = solve_position(board, 1.0, ranges), solve_position(board, 1.0, scale * ranges)
    assert one.iterations == other.iterations
    assert (one.values == other.values).all()


def test_a_token_ends_a_solve_without_values():
    stop = StopToken()
    stop.set()
    assert solve_position(*position(TURN, 1), stop=stop) is None


def test_what_cannot_be_solved_is_refused():
    board, stack, ranges = position(RIVER, 0)
    with pytest.raises(InputError, match="shape"):
        solve_position(board, stack, ranges[:, :100])
    with pytest.raises(InputError, match="no hand that is possible"):
        solve_position(board, stack, np.zeros_like(ranges))
    with pytest.raises(SolverOptionError, match="above 0"):
        solve_position(board, stack, ranges, accuracy=0.0)
    with pytest.raises(SpotError):
        solve_position((0, 0, 1, 2), stack, ranges)
    with pytest.raises(SpotError):
        solve_position(board, 0.0, ranges)


def test_over_checked_down_turns_the_flop_is_the_game_without_bets_after_it():
    """Leaf values averaged over iterations, against values over all run-outs that are known before the solve begins."""
    board, _, ranges = position(FLOP, 0)
    known = matchups(HOLDEM, board)

    def won(leaves):
        found = np.zeros(leaves.reach.shape[1:])
        brought = leaves.reach[1 - leaves.player][:, :, known.hands].astype(np.float32)
        found[:, :, known.hands] = leaves.pot_chips[:, None] * known.check_down(brought)
        return found

    subject = spot(board, 1.3, ranges)
    exact = errai.solve(subject, "0.01%pot", depth="flop", leaf_values=won, precision="float64", threads=1)
    scales = [ranges[1 - p].max() / ranges[1 - p].sum() / PARTS for p in (0, 1)]
    expected = np.stack([np.nan_to_num(exact.root.counterfactual(p)) * scales[p] for p in (0, 1)])
    below = leaves_over(find_predictor("check-down", HOLDEM, TURN))
    found = solve_position(board, 1.3, ranges, accuracy=3e-4, leaf_values=below)
    assert found.error <= 3e-4
    assert (ranges * found.values).sum(axis=1) == pytest.approx((ranges * expected).sum(axis=1), abs=5e-4)
    assert (ranges * np.abs(found.values - expected)).sum(axis=1).max() < 1.5e-3
    # The network answers about some boards an iteration later than about others.
    assert float((ranges * found.values).sum()) == pytest.approx(0.0, abs=1e-4)
    bets = expected - np.stack([_of_hands(known, known.check_down(ranges[1 - p][known.hands])) for p in (0, 1)])
    assert (ranges * np.abs(bets)).sum(axis=1).min() > 0.01


def _of_hands(known, values):
    found = np.zeros(1326)
    found[known.hands] = values
    return found
