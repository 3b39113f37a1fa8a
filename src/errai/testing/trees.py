"""What may stand below a tree that is cut, and above a root."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.engine.leaf_values import HalfIteration, LeafValues, Pair, as_leaf_values, checked_leaf_arrays
from errai.engine.loop import Solver
from errai.engine.root import Gadget, Root
from errai.engine.schedules import Schedule, find_schedule
from errai.engine.seams import apart_of, root_of
from errai.errors import ContractError
from errai.games.game import Subject
from errai.games.lookahead import last_street
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, FIXED
from errai.own_code import described, numbers_of
from errai.solutions.subjects import menu_of
from errai.solving.solve import solve
from errai.testing.blame import blamed
from errai.testing.kernels import drawn
from errai.tree.public_tree import PublicTree, build_public_tree

CLOSE = 1e-9
FLOAT32 = 1e-5
"""What float32 may change in values that are computed for another scale of reach, as a share of the greatest."""
ALTERNATING, SIMULTANEOUS = 0.05, 0.15
"""The exploitability after 100 iterations is at most this share of that after the first one, or very small.

Errai's own roots leave at most .027 and .091 in the trees of tests/contracts/test_root.py; the re-solving gadget leaves
.07 or more if its choice is never learnt."""


def check_leaf_values(values: Any, subject: Subject, depth: Any = None, *, menu: str | None = None) -> None:
    """Check values at the leaves of a tree that is cut, by :func:`check_leaves` and by a short solve that is verified.

    Parameters
    ----------
    values:
        A function of :class:`errai.Leaves`, an object of :class:`errai.LeafValues`, or an object that makes one for
        each solve (``as_leaf_values``).  It is asked about three trees.
    subject, depth, menu:
        The game or spot, the street after which it is cut, and bet sizes, as for :func:`errai.solve`.

    Raises
    ------
    ContractError
        The values fail, have another shape, are not finite, do not repeat, are not weighted by the opponent's reach,
        are not zero-sum although they say so, or a solution with them does not verify.
    """
    with blamed(f"The leaf values {described(values)}"):
        own_depth = as_leaf_values(values).depth if subject.state is None else None
        last = last_street(subject, own_depth if depth is None else depth)
        if last is None:
            raise ContractError("Leaf values are for a tree that is cut; give the depth, the street after which it is.")
        for first in (0, 1):
            trunk = build_public_tree(subject, menu=menu_of(subject, menu), last_street=last)
            check_leaves(as_leaf_values(values), trunk, first)
        found = solve(subject, max_iterations=10, depth=depth, leaf_values=values, menu=menu)
        if not found.verify(leaf_values=values):
            raise ContractError("A solution with these leaf values does not verify: they do not repeat.")


def check_leaves(values: LeafValues, trunk: PublicTree, first: int = 0) -> None:
    """Check what an object of leaf values answers about one tree, as the solve loop asks it.

    Parameters
    ----------
    values:
        Leaf values that have learnt nothing yet.
    trunk:
        A tree that is cut.
    first:
        The player who learns first.

    Raises
    ------
    ContractError
        An answer is no list of finite numbers of the right sizes; the reach that is given is changed; a player's values
        do not grow with the opponent's reach; the players' values are not zero-sum although :attr:`LeafValues.zero_sum`
        says so; or a measurement has other values, or a best response that is worth less.
    """
    rng = np.random.default_rng(7)
    strategy = drawn(trunk.arrays, partial(rng.uniform, 0.1, 1.0))
    reach = make_kernel("cpu", trunk.arrays).leaf_reach(strategy, tied=False)
    what = f"The leaf values {values.name or type(values).__name__!r}"
    weight = max(1.0, *(float(w.sum()) for w in trunk.root.weights))
    slack = values.rounding * trunk.initial_pot * weight

    def asked(given: Pair, p: int) -> list[NDArray[np.float64]]:
        before = [[a.copy() for a in arrays] for arrays in given]
        found = [a.copy() for a in checked_leaf_arrays(values, trunk, values.values(trunk, given, p), p)]
        if not all(map(np.array_equal, chain(*before), chain(*given))):
            raise ContractError(f"{what} change the reach that they are given.")
        if [a.shape for a in found] != [a.shape for a in given[p]] or not all(np.isfinite(a).all() for a in found):
            raise ContractError(f"{what} for player {p} are not finite numbers, one for each number of the reach.")
        return found

    def same(one: Any, other: Any, said: str, within: float = slack) -> None:
        off = max(float(np.abs(a - b).max(initial=0.0)) for a, b in zip(one, other, strict=True))
        if off > within + 1e-12 * max(float(np.abs(b).max(initial=0.0)) for b in other):
            raise ContractError(f"{what}: {said}; they differ by {off:.3g}, and their `rounding` allows {within:.3g}.")

    with blamed(what):
        own = asked(reach, 0), asked(reach, 1)
        for p in (0, 1):
            more = tuple([a * (3.0 if q != p else 0.5) for a in arrays] for q, arrays in enumerate(reach))
            tripled = asked((more[0], more[1]), p)
            largest = max(float(np.abs(a).max(initial=0.0)) for a in tripled)
            said = f"the values of player {p} are not weighted by the other's reach"
            same([3.0 * a for a in own[p]], tripled, said, slack + FLOAT32 * largest)
        measured, quick = values.measure(trunk, reach), values.measure(trunk, reach, exact=False)
        if measured.zero_sum != values.zero_sum:
            raise ContractError(f"{what}: a measurement says of `zero_sum` something else than they do.")
        for p in (0, 1):
            same(measured.values[p], own[p], f"a measurement has other values of player {p}")
            pairs = zip(measured.values[p], measured.best[p], strict=True)
            lost = max(float((value - best).max(initial=0.0)) for value, best in pairs)
            if lost > max(slack, CLOSE * trunk.initial_pot):
                raise ContractError(f"{what}: a best response of player {p} is worth {lost:.3g} less than they are.")
            largest = max(1.0, *(float(np.abs(a).max(initial=0.0)) for a in measured.best[p]))
            within = slack + 1e-4 * largest
            same(quick.best[p], measured.best[p], "a quick measurement has other best responses", within)
        if values.zero_sum and len(trunk.deal.streets) == 1:
            lines = trunk.arrays.streets[0].num_leaves
            chips = sum(
                float((np.tile(trunk.class_sizes[p], lines) * reach[p][0]) @ measured.values[p][0]) for p in (0, 1)
            )
            if abs(chips) > max(slack, CLOSE * trunk.initial_pot * trunk.pair_weight):
                raise ContractError(f"{what} say that they are zero-sum, but the players win {chips:.3g} together.")
        schedule, learnt = find_schedule("dcfr"), [0, 0]
        for p in (first, 1 - first, first, 1 - first):
            before = asked(reach, p)
            row = schedule.coefficients(learnt[p] + 1, 1)[0]
            half = HalfIteration(p, (learnt[0], learnt[1]), reach, row, schedule.weighted)
            learning = checked_leaf_arrays(values, trunk, values.learn(trunk, half), p)
            if not any(learnt):
                same(learning, before, "before anything is learnt, an iteration has other values than were asked for")
            learnt[p] += 1


def check_gadget(gadget: Gadget, subject: Subject, *, menu: str | None = None) -> None:
    """Check a gadget above a tree, by :func:`check_root` on the tree of a game, a spot or a lookahead.

    Parameters
    ----------
    gadget:
        An object with ``apart`` and ``root(tree, schedule)``.
    subject, menu:
        What it stands above, and bet sizes of a no-limit game, as for :func:`errai.solve`.

    Raises
    ------
    ContractError
        The gadget fails, does not fit the tree, or its root breaks its contract.
    """
    with blamed(f"The gadget {type(gadget).__name__}"):
        cards = len(hand_cards(subject.deck.num_cards, subject.rules.num_hole_cards))
        tree = build_public_tree(subject, menu=menu_of(subject, menu), apart=apart_of(gadget, cards))
        check_root(partial(root_of, gadget), tree)


def check_root(make: Callable[[PublicTree, Schedule], Root], tree: PublicTree) -> None:
    """Check what stands above a tree: what enters, who wins what, and that the choice at the root is learnt.

    Parameters
    ----------
    make:
        Makes a root for a tree and the schedule of a run.  It is called several times with the same tree.
    tree:
        A whole tree, small enough for some hundred iterations.

    Raises
    ------
    ContractError
        What enters is no reach of the tree's hands; one player wins something else than the other loses; a best
        response is worth less than the strategy; the exploitability does not fall with DCFR, CFR+ or predictive CFR+,
        alternating or simultaneous; or a run does not go on from its arrays to the same bits.
    """
    pot = tree.initial_pot
    with blamed("The root"):
        solver = _rooted(make, tree, "dcfr")
        solver.iterate(5)
        for strategy in ("average", "current", "played"):
            _check_entering(solver, strategy)
        for name in ("dcfr", "cfr+", "pcfr+"):
            for simultaneous in (False, True):
                solver = _rooted(make, tree, name, simultaneous)
                measured = []
                for count in (1, 9, 90):
                    solver.iterate(count)
                    measured.append(solver.measure())
                if min(min(m.by_player) for m in measured) < -CLOSE * pot:
                    raise ContractError("A best response is worth less than the strategy with what stands at the root.")
                begun, ended = measured[0].chips, measured[-1].chips
                if ended > max((SIMULTANEOUS if simultaneous else ALTERNATING) * begun, 1e-4 * pot):
                    raise ContractError(
                        f"The exploitability with this root does not fall as it must: with {name} it is {begun:.3g} "
                        f"chips after one iteration and {ended:.3g} after 100."
                    )
        first, second = (_rooted(make, tree, "pcfr+") for _ in range(2))
        first.iterate(6)
        second.adopt({name: array.copy() for name, array in first.arrays().items()})
        second.iteration = 6
        for solver in (first, second):
            solver.iterate(4)
        there = second.arrays()
        if not all(np.array_equal(array, there[name]) for name, array in first.arrays().items()):
            raise ContractError("A run that goes on from the arrays of another one comes to other numbers.")
        if cast(Root, first.root).identity != cast(Root, second.root).identity:
            raise ContractError("Two roots for the same tree say that they are different (`identity`).")


def _rooted(
    make: Callable[[PublicTree, Schedule], Root], tree: PublicTree, name: str, simultaneous: bool = False
) -> Solver:
    schedule = find_schedule(name, simultaneous=simultaneous)
    return Solver(tree, schedule, precision="float64", root=make(tree, schedule))


def _check_entering(solver: Solver, strategy: str) -> None:
    """Check what enters under a strategy, and what both players win by it."""
    tree, entering = solver.tree, solver.entering(strategy)
    if entering is None:
        raise ContractError("Nothing stands at the root.")
    for p, (reach, whole) in enumerate(zip(entering.reach, tree.arrays.root_reach, strict=True)):
        numbers_of(reach, f"The weights with which player {p} enters", whole.shape, low=0.0, error=ContractError)
        if (reach[whole == 0] != 0).any():
            raise ContractError(f"Player {p} enters with a hand that the tree gives no weight, {strategy} strategy.")
    source = solver.state.sums if strategy == "average" else solver.state.source
    won: list[list[float]] = [[], []]
    for best in (False, True):
        for p in (0, 1):
            values = solver.kernel.root_values(source, p, role=BEST if best else FIXED, reach=entering.reach)
            chips = entering.chips(values, p, best=best)
            won[best].append(float(numbers_of(chips, f"The chips of player {p}", (), error=ContractError)))
    if abs(sum(won[0])) > CLOSE * tree.initial_pot:
        raise ContractError(f"By the {strategy} strategy the players win {sum(won[0]):.3g} chips together, not 0.")
    if any(best < own - CLOSE * tree.initial_pot for own, best in zip(*won, strict=True)):
        raise ContractError(f"A best response to the {strategy} strategy is worth less than the strategy.")
