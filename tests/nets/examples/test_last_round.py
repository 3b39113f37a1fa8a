"""Positions of no-limit Leduc's second round, solved many at once, against single solves."""

from __future__ import annotations

import numpy as np
import pytest

import errai
from errai.cards.hands import fitting_weights, hand_cards
from errai.errors import InputError, StoppedError, UnsupportedGameError
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.sizing import BetMenu
from errai.nets.examples.last_round import TOGETHER, last_round_examples, pots
from errai.running.stopping import StopToken

LEDUC = errai.load_game("leduc.nolimit")


@pytest.fixture(scope="module")
def examples():
    """Of three pots."""
    return last_round_examples(LEDUC, 2 * TOGETHER + 50, seed=3)


def test_the_games_own_pots() -> None:
    """Checks, a bet of the pot, and a raise of the pot: 100, 300 and 900 chips of each; all-in leaves nothing."""
    assert pots(LEDUC, BetMenu.parse(2, "100%, a")) == [100, 300, 900]


def test_values_are_those_of_a_solve_of_its_own(examples) -> None:
    """The rest of the game solved by itself: the same value of the game, and of hands that are held."""
    at, off = examples.positions, []
    for i in (0, 1, TOGETHER, TOGETHER + 1, 2 * TOGETHER):
        put_in = round(1_200 / (1 + 2 * float(at.stacks[i])))
        state = PublicState.start(LEDUC)
        state = state.after(CALL) if put_in == 100 else state.after(raise_to(put_in))
        state = state.after(CALL).dealt(tuple(at.boards[i].tolist()))
        ranges = at.ranges[i].astype(np.float64)
        solved = errai.solve(errai.lookahead(LEDUC, state, (ranges[0], ranges[1]), None), max_iterations=3_000).root
        for p in (0, 1):
            alone = np.nan_to_num(solved.counterfactual(p)) / (2.0 * put_in)
            assert examples.values[i, p] @ ranges[p] == pytest.approx(alone @ ranges[p], abs=1e-3)
            off.append(np.abs(examples.values[i, p] - alone)[ranges[p] > 0.1].max())
    # A hand's value may turn on which of several nearly equal strategies the opponent takes; it seldom does.
    assert np.median(off) < 2e-3
    assert max(off) < 0.2


def test_they_are_positions(examples) -> None:
    at, cards = examples.positions, hand_cards(6, 1)
    blocked = (cards[None] == at.boards[:, None, :]).any(axis=2)
    assert not at.ranges.swapaxes(1, 2)[blocked].any()
    assert not examples.values.swapaxes(1, 2)[blocked].any()
    assert np.allclose(at.ranges.sum(axis=2), 1.0)
    assert np.abs((at.ranges * examples.values).sum(axis=(1, 2))).max() < 1e-6
    assert examples.errors.max() < 0.01
    # The two cards of a rank are held alike, unless one of them lies on the board.
    both = ~blocked.reshape(-1, 3, 2).any(axis=2)
    of_ranks = at.ranges.reshape(-1, 2, 3, 2)
    assert np.array_equal(of_ranks[..., 0].swapaxes(1, 2)[both], of_ranks[..., 1].swapaxes(1, 2)[both])
    # No value can be more than all that the opponent has, of what he can hold against the hand.
    for i in range(0, len(examples), 97):
        for p in (0, 1):
            fits = fitting_weights(cards, at.ranges[i, 1 - p].astype(np.float64))
            assert (np.abs(examples.values[i, p]) <= (0.5 + at.stacks[i]) * fits + 1e-5).all()


def test_the_same_seed_gives_the_same(examples) -> None:
    again = last_round_examples(LEDUC, TOGETHER, seed=3)
    assert np.array_equal(again.values, examples.values[:TOGETHER])
    other = last_round_examples(LEDUC, 10, seed=4, iterations=10)
    assert not np.array_equal(other.positions.ranges, examples.positions.ranges[:10])


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="at least 1"):
        last_round_examples(LEDUC, 0, seed=1)
    with pytest.raises(UnsupportedGameError, match="no-limit"):
        last_round_examples(errai.load_game("leduc"), 10, seed=1)
    stop = StopToken()
    stop.set()
    with pytest.raises(StoppedError, match="0 of 10"):
        last_round_examples(LEDUC, 10, seed=1, stop=stop)
