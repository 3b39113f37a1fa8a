"""The first street at any stack: all 1,326 hands of both players, from the blinds to the flop.

A line that ends before the flop with a fold, or with an all-in and a call, needs no estimate: the chances of an all-in
come from the table of all pairs of hands over all boards (:mod:`errai.cards.pair_table`).  If every line ends like
that, as in push or fold, or if no call may leave chips behind, the solution is exact and the certificate is for the
whole game with that menu.  If a line reaches a flop with chips behind, values of that flop must be given, and the
certificate is for the first street with these values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np

from errai.engine.leaf_values import LeafValues, as_leaf_values
from errai.errors import InputError, LeafValuesError
from errai.games.spot import Spot
from errai.games.spot_tables import MAX_CHIPS
from errai.kernels.layout import LEAF
from errai.options import HeldOptions
from errai.own_code import described, number_of
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.tree.public_tree import plan_public_tree

if TYPE_CHECKING:
    from errai.engine.leaf_values import Function, HasLeafValues

PUSH = "push"
"""The menu of push or fold: the small blind goes all-in or folds, the big blind calls or folds."""

BLINDS = (50, 100)
"""Chips of the small and the big blind; stacks are counted to a hundredth of a big blind."""

EXACT_TARGET = "0.001mbb"
"""Target exploitability where the solution is exact: a millionth of a big blind."""


def preflop_spot(stack: float, menu: str = PUSH, *, limp: bool = True, flat: bool = True) -> Spot:
    """Return the first street as a spot, with every hand in both ranges.

    Parameters
    ----------
    stack:
        Stack of each player in big blinds, the blinds included; rounded to a hundredth.
    menu:
        ``push``, or the sizes of raises before the flop, such as ``"2.5x, a"``.
    limp:
        Whether the small blind may call the big blind; in push or fold it never may.
    flat:
        Whether a raise that leaves chips behind may be called.  If ``limp`` and ``flat`` are both False, players see a
        flop only after an all-in.

    Raises
    ------
    InputError
        If the stack is not more than a big blind, or too large.
    SizingError, SpotValueError
        If a size cannot be read, or if the small blind may not limp and has no raise.
    """
    big_blind = max(BLINDS)
    chips = round(number_of(stack, "The stack in big blinds") * big_blind)
    if not isinstance(menu, str):
        raise InputError(f"A menu is push, or a text with sizes of raises, not {described(menu)}.")
    if not big_blind < chips <= MAX_CHIPS:
        most = f"{MAX_CHIPS // big_blind:,}"
        raise InputError(f"A stack must be more than 1 and at most {most} big blinds, not {stack:g}.")
    push = menu.strip().lower() == PUSH
    return Spot.from_dict(
        {
            "title": f"{'Push or fold' if push else 'Before the flop'}, {chips / big_blind:g} big blinds",
            "board": "",
            "blinds": list(BLINDS),
            "stack": chips,
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
    leaf_values: LeafValues | HasLeafValues | Function | None = None,
    threads: int | None = None,
    **settings: Unpack[HeldOptions],
) -> Solution:
    """Solve the first street, exactly if no line reaches the flop with chips behind, else with given values of flops.

    Parameters
    ----------
    stack, menu, limp, flat:
        See :func:`preflop_spot`.
    target:
        As for :func:`errai.solve`; by default a thousandth of an mbb where the solution is exact.
    leaf_values:
        The values of flops, as for :func:`errai.solve`, including those after an all-in and a call.  They are not used
        if no line reaches the flop with chips behind.
    threads, settings:
        Passed to :func:`errai.solve`.

    Raises
    ------
    LeafValuesError
        If a line reaches the flop with chips behind and there are no leaf values.
    InputError
        As for :func:`preflop_spot` and :func:`errai.solve`.

    Examples
    --------
    >>> import errai
    >>> push_or_fold = errai.preflop(10)
    >>> push_or_fold.root.actions, push_or_fold.root.frequencies.round(3)
    (('fold', 'raise 1000'), array([0.418, 0.582]))
    """
    spot = preflop_spot(stack, menu, limp=limp, flat=flat)
    line = line_to_a_flop(spot)
    if line is None:
        limited = any(settings.get(limit) is not None for limit in ("max_iterations", "seconds"))
        return solve(spot, EXACT_TARGET if target is None and not limited else target, threads=threads, **settings)
    if leaf_values is None:
        raise LeafValuesError(
            f"After '{line}' a flop comes with chips behind, and there are no values for it: give the network "
            f"errai.load_net('flop'), forbid such lines, or use the menu '{PUSH}'."
        )
    below = as_leaf_values(leaf_values)
    below.keeps_history = True
    return solve(spot, target, depth="preflop", leaf_values=below, threads=threads, **settings)


def line_to_a_flop(spot: Spot) -> str | None:
    """Return the first line that reaches the flop while a player can still bet; None if there is none."""
    betting = plan_public_tree(spot, last_street=0).betting
    leaves = np.flatnonzero(betting.kind == LEAF)
    seen = leaves[betting.left_to_bet(leaves, spot.dead_chips) > 0.0]
    return " ".join(betting.path(int(seen[0]))) if len(seen) else None
