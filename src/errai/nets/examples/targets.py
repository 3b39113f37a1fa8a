"""Values of positions: solves of the rest of the game, with the values of all hands that the board leaves.

A position is solved with bets of half the pot and all-in, and raises of the pot and all-in.  The bets of DeepStack's
networks, the pot and all-in, cost flops with other bets more, even if the values are exact (docs/nets.md).  On the turn
no network replaces the river: both streets are one tree.  On the flop only the street itself is solved, over a network
for the turn, and the leaf values are averaged over the iterations like the strategies.  DeepStack made its network for
the flop from its network for the turn in the same way.

The values are those of both players' average strategies, so weighted by the ranges they sum to 0.  Hands without weight
are updated too: they get almost no weight, so that their values are those of a best response to the other player's
strategy.  A solve ends when the exploitability *and* the mean gain of a best response over all hands, with or without
weight, are small; the exploitability weights hands by the ranges and hardly depends on hands with almost no weight.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards
from errai.cards.ranges import Range
from errai.engine.leaf_values import LeafValues
from errai.engine.loop import Solver
from errai.engine.schedules import DEFAULT, find_schedule
from errai.errors import InputError, SolverOptionError
from errai.games.spot import Spot
from errai.kernels.layout import BEST, FIXED
from errai.nets.below.averages import AveragedLeafValues
from errai.nets.examples.situations import PARTS
from errai.nets.positions import Floats, Predictor
from errai.running.stopping import StopToken, stops
from errai.tree.public_tree import PublicTree, plan_public_tree

MENU = "50%, a | 100%, a"
"""Bets and raises, with a bar between them; folds and calls are always included."""

ACCURACIES = ((1.0, 0.002), (5.0, 0.003), (25.0, 0.008), (float("inf"), 0.015))
"""Pairs of the most pots to bet and the gain in pots at which a solve ends.  Deep positions take longest, and their
values are more accurate than their exploitability suggests (docs/nets.md)."""

MOST_ITERATIONS = 1_000
"""Iterations after which a solve ends in any case."""

OVER_A_NET = ((1.0, 0.003), (5.0, 0.005), (25.0, 0.01), (float("inf"), 0.015))
"""The same for solves of one street over a network, whose error is larger."""

MOST_OVER_A_NET = 240
"""Most iterations over a network: its output has kinks, so some solves converge slowly."""

NOT_HELD = 1e-10
"""Weight of a hand that is not in a range, relative to the greatest weight of the range."""


@dataclass(frozen=True, eq=False)
class Target:
    """The values of a position."""

    values: Floats
    """float32[P, H]: counterfactual values in pots, as defined in :mod:`errai.nets.positions`."""
    error: float
    """Exploitability of the solution in pots: half of both players' gains by best responses."""
    gain: float
    """The mean gain of a best response over all hands of both players, in pots."""
    iterations: int
    seconds: float
    """Seconds of one processor."""


def accuracy_for(stack: float, accuracies: Sequence[tuple[float, float]] = ACCURACIES) -> float:
    """Return the gain in pots at which a solve ends, for this number of pots to bet."""
    return next((accuracy for most, accuracy in accuracies if stack <= most), accuracies[-1][1])


def solve_position(
    board: tuple[int, ...],
    stack: float,
    ranges: Floats,
    *,
    menu: str = MENU,
    accuracy: float | None = None,
    max_iterations: int = MOST_ITERATIONS,
    leaf_values: LeafValues | None = None,
    stop: StopToken | None = None,
) -> Target | None:
    """Solve the rest of heads-up no-limit hold'em from a position.

    Parameters
    ----------
    board:
        Three to five cards.
    stack:
        What each player can still bet, in pots; rounded to a whole number of 1/10,000.
    ranges:
        float[P, H]: weights of any scale; dead hands are not read.
    menu:
        Bets and raises, as :func:`errai.solve` takes them.
    accuracy:
        The gain in pots at which the solve ends; by default :func:`accuracy_for`.
    max_iterations:
        Iterations after which the solve ends in any case.
    leaf_values:
        The leaf values at the end of the first street; by default the later streets are solved as well.
    stop:
        Stops the solve; None is returned then.

    Raises :class:`InputError` if the ranges have another shape or no compatible hands or the stack is not above 0,
    :class:`SpotError` for an invalid board or menu, and :class:`SolverOptionError` for accuracy or iterations that are
    not above 0.
    """
    accuracy = accuracy_for(stack) if accuracy is None else accuracy
    if not accuracy > 0.0 or max_iterations < 1:
        raise SolverOptionError(
            f"accuracy must be above 0, and max_iterations at least 1; they are {accuracy} and {max_iterations}."
        )
    before = time.process_time()
    tree = tree_of(board, stack, ranges, menu, None if leaf_values is None else 0)
    solver = Solver(tree, find_schedule(DEFAULT), precision="float32", leaf_values=leaf_values)
    sums = [float(weights.sum()) for weights in tree.root.weights]
    solver.run(target_chips=accuracy * PARTS, max_iterations=max_iterations, stop=stop)
    while True:
        if stops(stop):
            return None
        kernel, plans = solver.kernel, solver.state.sums
        leaves = solver.leaves(plans)
        below = (None, None) if leaves is None else leaves.values
        # For both players float64[classes]: the hands' values, and the gains of best responses; in chips by weight.
        values, best = (
            [kernel.root_values(plans, p, role=role, exact=False, leaf_values=below[p]) for p in (0, 1)]
            for role in (FIXED, BEST)
        )
        gains = [best[p] - values[p] for p in (0, 1)]
        gain = sum(float(of_hands.mean()) / sums[1 - p] for p, of_hands in enumerate(gains)) / 2.0 / PARTS
        if gain <= accuracy or solver.iteration >= max_iterations:
            break
        solver.run(max_iterations=min(max_iterations, solver.iteration + max(solver.iteration // 5, 1)), stop=stop)
    over_hands = np.zeros((2, len(tree.root.hands)), dtype=np.float32)
    for p, hands in enumerate(tree.deal.streets[0].hands):
        over_hands[p, hands.member] = np.repeat(values[p] / (sums[1 - p] * PARTS), np.diff(hands.member_start))
    return Target(
        values=over_hands,
        error=sum(tree.chips(of_hands, p) for p, of_hands in enumerate(gains)) / 2.0 / PARTS,
        gain=gain,
        iterations=solver.iteration,
        seconds=time.process_time() - before,
    )


def leaves_over(net: Predictor) -> AveragedLeafValues:
    """Return a network's values for solves of the street before it, averaged over the iterations."""
    return AveragedLeafValues(net, on_boards=False, threads=1)


def bets_of(menu: str) -> dict[str, str]:
    """Return the bets and raises of a menu, which a bar separates, as a spot has them."""
    bets, _, raises = menu.partition("|")
    return {"bet": bets, "raise": raises or bets}


def tree_of(board: tuple[int, ...], stack: float, ranges: Floats, menu: str, last_street: int | None) -> PublicTree:
    """Return the rest of the game, or its first street, with a pot of PARTS chips and all live hands in both ranges.

    Errors are those of :func:`solve_position`.
    """
    hands = hand_cards(FULL_DECK.num_cards, 2)
    given = np.asarray(ranges, dtype=np.float64)
    if given.shape != (2, len(hands)):
        raise InputError(f"The ranges have the shape {given.shape}; they need 2 players by {len(hands):,} hands.")
    live = ~np.isin(hands, board).any(axis=1)
    greatest = np.where(live, given, 0.0).max(axis=1)
    if not (greatest > 0.0).all():
        raise InputError("A range holds no hand that is possible on this board.")
    spot = Spot.from_dict(
        {
            "board": FULL_DECK.cards_text(board),
            "pot": PARTS,
            "stack": round(stack * PARTS),
            "ranges": {"oop": "22+", "ip": "22+"},
            "bets": bets_of(menu),
        }
    )
    held = [Range.from_weights(np.where(live, np.maximum(given[p] / greatest[p], NOT_HELD), 0.0)) for p in (0, 1)]
    return plan_public_tree(replace(spot, ranges=(held[0], held[1])), last_street=last_street).build()
