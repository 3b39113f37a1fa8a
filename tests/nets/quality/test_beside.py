"""A network's estimates compared with an exact solve, and the verb that shows them."""

from __future__ import annotations

import numpy as np
import pytest

from errai.cards.hands import hand_cards
from errai.errors import InputError
from errai.games.catalogue import load_game
from errai.nets.networks.matchups import matchups
from errai.nets.positions import BoardValues, Floats
from errai.nets.predictors import find_predictor
from errai.nets.quality.losses import Beside, beside, ranges_on

GAME = load_game("holdem.nolimit.2p")
RIVER = tuple(GAME.deck.parse_cards("Ks9d4h7c2s"))


class Told:
    """A network that returns given values, for the hands of one board."""

    name, digest, round = "told", "told", 3

    def __init__(self, values: Floats, hands: np.ndarray) -> None:
        self.said, self.hands = values, hands

    def on(self, board: tuple[int, ...], among: np.ndarray | None = None) -> BoardValues:
        return self

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        return self.said[None]


def test_ranges_are_drawn_over_the_hands_that_the_board_leaves() -> None:
    found = ranges_on(GAME, RIVER, 3)
    dead = np.isin(hand_cards(52, 2), RIVER).any(axis=1)
    assert found.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    assert not found[:, dead].any()
    assert (found[:, ~dead] > 0.0).mean() > 0.99
    assert np.array_equal(found, ranges_on(GAME, RIVER, 3))
    assert not np.array_equal(found, ranges_on(GAME, RIVER, 4))


def test_who_says_what_is_exact_loses_nothing() -> None:
    ranges = ranges_on(GAME, RIVER, 1)
    first = beside(find_predictor("zero", GAME, 3), GAME, RIVER, 1.0, ranges)
    again = beside(Told(first.exact, first.hands), GAME, RIVER, 1.0, ranges)
    assert (again.huber, again.correlation) == (0.0, pytest.approx(1.0))
    assert first.huber == pytest.approx(_huber(first.exact))
    assert np.isnan(first.correlation)
    # What one player wins the other one loses.
    assert (first.ranges * first.exact).sum() == pytest.approx(0.0, abs=1e-5)
    assert first.error < 0.01


def _huber(values: Floats) -> float:
    """By its definition, in half pots."""
    off = np.abs(2.0 * values.astype(np.float64)).ravel()
    return float(np.mean([0.5 * x * x if x < 1.0 else x - 0.5 for x in off]))


def test_check_down_is_told_as_equity_against_the_range() -> None:
    ranges = np.zeros((2, 1326), dtype=np.float32)
    on = matchups(GAME, RIVER)
    ranges[0, on.hands[5]] = ranges[1, on.hands[700]] = 2.0
    found = beside(find_predictor("check-down", GAME, 3), GAME, RIVER, 0.5, ranges)
    evs = found.evs(found.said)
    assert evs[0, 5] == 0.5 * np.sign(on.margins[5, 700])
    assert found.ranges.sum(axis=1).tolist() == [1.0, 1.0]
    assert isinstance(found, Beside)


def test_what_cannot_be_shown_is_refused() -> None:
    ranges = ranges_on(GAME, RIVER, 1)
    net = find_predictor("zero", GAME, 3)
    for board, stack, what in (
        (RIVER[:4], 1.0, "boards of 5"),
        (RIVER[:3], 1.0, "four or five"),
        (RIVER, 0.0, "above 0"),
    ):
        with pytest.raises(InputError, match=what):
            beside(net, GAME, board, stack, ranges)
    with pytest.raises(InputError, match="no hand"):
        beside(net, GAME, RIVER, 1.0, np.zeros((2, 1326), dtype=np.float32))
