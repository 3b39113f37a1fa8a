"""The first street at any stack: all 1,326 hands of both players, from the blinds to the flop.

Lines that end before the flop need nothing else: a fold, or an all-in that is called, whose chances come from the table
of all pairs of hands over all boards (:mod:`errai.cards.pair_table`).  Where every line is of that kind, as in push or
fold, or where nobody may call with chips behind, the solution is exact and its certificate is of the whole game with
that menu.  Where a line sees a flop with chips behind, somebody must say what that is worth, and the certificate is of
the first street over those values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from errai.engine.leaf_values import LeafValues
from errai.errors import InputError, LeafValuesError
from errai.games.spot import Spot
from errai.games.spot_tables import MAX_CHIPS
from errai.kernels.layout import LEAF
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.tree.public_tree import plan_public_tree

if TYPE_CHECKING:
    from errai.engine.leaf_function import Function

PUSH = "push"
"""The menu of push or fold: the small blind goes all-in or folds, the big blind calls or folds."""

BLINDS = (50, 100)
"""Chips of the small and the big blind; stacks are counted to a hundredth of a big blind."""

EXACT_TARGET = "0.001mbb"
"""What is aimed at where nothing is estimated: a millionth of a big blind."""


def preflop_spot(stack: float, menu: str = PUSH, *, limp: bool = True, flat: bool = True) -> Spot:
    """The first street as a spot, with every hand in both ranges.

    Parameters
    ----------
    stack:
        Of each player in big blinds, the blinds included; counted to a hundredth.
    menu:
        ``push``, or the sizes of raises before the flop, such as ``"2.5x, a"``.
    limp:
        Whether the small blind may call the big blind.  In push or fold he may not.
    flat:
        Whether a raise that leaves chips behind may be called.  With neither no line sees a flop before all are in.

    Raises
    ------
    InputError
        The stack is not more than a big blind, or too large.
    SizingError, SpotValueError
        A size cannot be read; without limps the small blind could not raise.
    """
    big_blind = max(BLINDS)
    if not big_blind < stack * big_blind <= MAX_CHIPS:
        most = f"{MAX_CHIPS // big_blind:,}"
        raise InputError(f"A stack of {stack:g} big blinds cannot be played; it takes more than 1, and at most {most}.")
    push = menu.strip().lower() == PUSH
    return Spot.from_dict(
        {
            "title": f"{'Push or fold' if push else 'Before the flop'}, {stack:g} big blinds",
            "board": "",
            "blinds": list(BLINDS),
            "stack": round(stack * big_blind),
            "ranges": {"oop": "random", "ip": "random"},
            "bets": {"bet": "", "raise": "a" if push else menu, "preflop": {"limp": limp and not push, "flat": flat}},
        }
    )


def preflop(
    stack: float,
    menu: str = PUSH,
    target: str | None = None,
    *,
    limp: bool = True,
    flat: bool = True,
    leaf_values: LeafValues | Function | None = None,
    **settings: Any,
) -> Solution:
    """Solve the first street, exactly where no line sees a flop with chips behind, else over given values.

    Parameters
    ----------
    stack, menu, limp, flat:
        See :func:`preflop_spot`.
    target:
        As for :func:`errai.solve`; by default a thousandth of an mbb where the solution is exact.
    leaf_values:
        What flops are worth, all-ins that are called among them, as for :func:`errai.solve`; not asked where no line
        sees a flop with chips behind.
    settings:
        Passed to :func:`errai.solve`.

    Raises
    ------
    LeafValuesError
        A line sees a flop with chips behind, and nobody says what that is worth.
    InputError
        As :func:`preflop_spot` and :func:`errai.solve`.
    """
    spot = preflop_spot(stack, menu, limp=limp, flat=flat)
    line = _line_to_a_flop(spot)
    if line is None:
        return solve(spot, EXACT_TARGET if target is None and not _limited(settings) else target, **settings)
    if leaf_values is None:
        raise LeafValuesError(
            f"After '{line}' a flop comes with chips behind, and what it is worth is not known: give the values of a "
            f"network for the flop, allow no such lines, or take the menu '{PUSH}'."
        )
    return solve(spot, target, depth="preflop", leaf_values=leaf_values, **settings)


def _line_to_a_flop(spot: Spot) -> str | None:
    """The first line on which cards come while something can still be bet; None where there is none."""
    betting = plan_public_tree(spot, last_street=0).betting
    seen = (betting.kind == LEAF) & (betting.contributions[:, 0] < betting.all_in_total)
    return " ".join(betting.path(int(np.argmax(seen)))) if seen.any() else None


def _limited(settings: dict[str, Any]) -> bool:
    return any(settings.get(limit) is not None for limit in ("max_iterations", "seconds"))
