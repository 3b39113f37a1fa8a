"""The first street at any stack: with known leaf values, and exactly where none are needed."""

from __future__ import annotations

import numpy as np
import pytest

import errai
from errai.cards.deck import FULL_DECK
from errai.cards.pair_table import pair_table
from errai.cards.strength import HandRanking
from errai.engine.leaf_values import Leaves
from errai.errors import InputError, LeafValuesError, SizingError
from errai.solving.preflop import preflop, preflop_spot

TABLE = pair_table(FULL_DECK, 2, 5, HandRanking.STANDARD)
MARGINS = TABLE.margins(np.arange(1326), np.arange(1326)) / TABLE.boards


def checked_down(leaves: Leaves) -> np.ndarray:
    """Values of flops without further bets: the winner takes what the other player put in."""
    others = leaves.reach[1 - leaves.player]
    return (others @ MARGINS.T) * leaves.contribution_chips[None, :, None]


def test_flops_without_bets_are_what_the_values_say_they_are() -> None:
    """The same game solved twice: over the values of checking down, and with no bets after the flop, exactly."""
    menu, target = "2x, 3x, a", "0.02%pot"
    cut = preflop(8, menu, target, leaf_values=checked_down)
    whole = errai.solve(preflop_spot(8, menu), target)
    assert cut.status == whole.status == "target met"
    within = cut.exploitability.chips + whole.exploitability.chips
    assert cut.values.chips[0] == pytest.approx(whole.values.chips[0], abs=2 * within)
    np.testing.assert_allclose(cut.root.range_ev, whole.root.range_ev, atol=2 * within)
    assert cut.at("raise 200 call").kind == "leaf"
    assert whole.at("raise 200 call").kind == "showdown"
    assert cut.verify(checked_down)


def test_push_or_fold_asks_nobody_about_flops() -> None:
    def asked(leaves: Leaves) -> np.ndarray:
        raise AssertionError(f"asked about {leaves.lines}")

    solution = preflop(10, leaf_values=asked)
    assert solution.status == "target met"
    assert solution.exploitability.mbb is not None
    assert solution.exploitability.mbb <= 0.001
    # The only raise is to the whole stack here, whatever it is called.
    again = preflop(2, "2x", limp=False)
    assert again.values.chips == pytest.approx(preflop(2).values.chips, abs=1e-3)
    assert again.root.actions == ("fold", "raise 200")


def test_menus_without_calls_that_leave_chips_behind_are_exact() -> None:
    solution = preflop(12, "2x, 3x, a", limp=False, flat=False)
    assert solution.status == "target met"
    assert solution.at("raise 300").actions == ("fold", "raise 600", "raise 900", "raise 1200")
    assert solution.at("raise 1200").actions == ("fold", "call")
    # More to choose from than push or fold is worth something to who chooses first.
    assert solution.values.chips[1] > preflop(12).values.chips[1] + 1.0


def test_stacks_are_counted_to_a_hundredth_of_a_big_blind() -> None:
    assert preflop_spot(12.345).effective_stack == 1234
    assert preflop_spot(10).title == "Push or fold, 10 big blinds"
    short, less = preflop(10.25), preflop(10.26)
    assert 0 < abs(short.values.chips[0] - less.values.chips[0]) < 0.1


@pytest.mark.parametrize("stack", [1, 0.5, -3, 0, float("nan"), 1e8])
def test_stacks_that_cannot_be_played(stack: float) -> None:
    with pytest.raises(InputError, match=r"must be (more than 1|a finite number)"):
        preflop(stack)


def test_flops_of_unknown_worth_are_refused_before_any_work() -> None:
    with pytest.raises(LeafValuesError, match="After 'raise 200 call' a flop comes"):
        preflop(10, "2x, a", limp=False)
    with pytest.raises(LeafValuesError, match="After 'call check' a flop comes"):
        preflop(10, "a")
    with pytest.raises(SizingError):
        preflop(10, "shove")
