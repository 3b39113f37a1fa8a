"""Exact solves of the rest of the game as leaf values of a trunk that is cut.

Everything below the cut, all boards and all lines, is one tree (:mod:`errai.tree.subgame`) whose first street consists
of the trunk's leaves.  Given both players' reach at the leaves, it is solved by CFR until no player could gain more
than a given fraction of the pot at any leaf.  Each leaf is a game of its own, so its ranges are first scaled to a
greatest weight of 1: how accurately a leaf is solved does not depend on how often it is reached.

While the trunk above is solved, there are two ways.  In CFR-D (Burch, Johanson and Bowling, "Solving imperfect
information games using decomposition", AAAI 2014) the rest is solved for the ranges of every iteration of the trunk;
the strategy of the whole game is the average over the iterations, below the cut as above it.  The trunk's leaf values
are then a function of the ranges, as those of a network are.  That function has kinks, because a subgame may have many
solutions and a small change of the ranges may lead from one to another; the trunk's exploitability therefore falls
about with the square root of its iterations.  If instead the rest keeps its state and runs a few iterations for each of
the trunk's, it changes as smoothly as the trunk does, and the whole converges like one solve of the game.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues, Pair
from errai.engine.schedules import DEFAULT, find_schedule
from errai.engine.strategy import FULL_PRECISION_ENTRIES
from errai.errors import InputError, SolverOptionError
from errai.games.sizing import BetMenu
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, CHANCE, FIXED, LEAF
from errai.kernels.protocol import COEFFICIENTS, Arrays, LeafArrays, State
from errai.tree.public_tree import PublicTree, TreePlan, plan_public_tree
from errai.tree.subgame import build_subgame, entry_count

ACCURACY = 5e-3
"""The most that a player could gain at a leaf, as a fraction of the pot there."""

MOST_ITERATIONS = 2_000
"""The most iterations of one solve."""

FIRST_LOOK = 8
"""Iterations before the first measurement of a solve; each later one comes after a third more iterations."""

ALONGSIDE = 8
"""Iterations of the rest for each half of an iteration of the trunk.  Measured on no-limit Leduc, Leduc and a turn
after 100 to 1,000 iterations: with 1, the exploitability of the whole is two to seven times as high; 4 are about as
good, but worse in no-limit Leduc after 1,000."""

WARM_ITERATIONS = 20
"""A solve that starts from the regrets of a solve for other ranges counts them as so many iterations.  Measured on
no-limit Leduc and a turn: fewer forget too much, and more adapt too slowly; it saves up to half of the time."""

STATE_ARRAYS = 4
"""Arrays of a state: regrets and sums of the current solve, and those of the average over all halves."""

LOUD = 1e12
"""Factor of an average strategy where it is used as regrets, so that none of them counts as a tie."""


Arriving = tuple[NDArray[np.float64], NDArray[np.float64]]
"""float64[N_p] each: both players' reach at the leaves of the trunk's last street."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """One player's hands at the leaves of a street: for each board in order a block ``[leaves, H_b]``."""

    number: NDArray[np.int64]
    """int64[N]: the (board, leaf) of each hand."""
    sizes: NDArray[np.float64]
    """float64[N]: real hands of each class."""
    count: int
    """(board, leaf) pairs, R."""

    @classmethod
    def of(cls, trunk: PublicTree, player: int) -> _Rows:
        """Return the rows of a player at the leaves of a trunk."""
        leaves, hands = trunk.arrays.streets[-1].num_leaves, trunk.deal.streets[-1].hands[player]
        lengths = np.repeat(np.diff(hands.start), leaves)
        members = np.diff(hands.member_start).astype(np.float64)
        sizes = [np.tile(members[a:b], leaves) for a, b in zip(hands.start[:-1], hands.start[1:], strict=True)]
        return cls(np.repeat(np.arange(len(lengths)), lengths), np.concatenate(sizes), len(lengths))

    def summed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[R]: sums over the real hands of each (board, leaf)."""
        return np.bincount(self.number, self.sizes * values, self.count).astype(np.float64, copy=False)

    def scaled(self, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[N]: reach with a greatest weight of 1 at each (board, leaf); all 1 where the reach is 0."""
        greatest = np.zeros(self.count)
        np.maximum.at(greatest, self.number, reach)
        by = greatest[self.number]
        return np.divide(reach, by, out=np.ones_like(reach), where=by > 0.0)


class Rest:
    """Everything below the leaves of a trunk, as one tree to be solved.

    ``menu`` has the bet sizes of a no-limit game, the same as the trunk's; lookaheads and spots have their own.  Raises
    :class:`InputError` if the trunk is not the upper part of the tree of its subject and the menu, and
    :class:`TreeTooLargeError` if the tree below does not fit in memory.
    """

    def __init__(self, trunk: PublicTree, menu: BetMenu | None, threads: int) -> None:
        self.edge = len(trunk.deal.streets) - 1
        plan = whole_plan(trunk, menu)
        self.tree = build_subgame(
            plan,
            self.edge + 1,
            range(plan.deal_size.boards[self.edge + 1]),
            range(entry_count(plan.betting, self.edge + 1)),
        )
        arrays = self.tree.arrays
        self.entries = sum(street.state_size(p) for street in arrays.streets for p in (0, 1))
        self.kernel = make_kernel("cpu", arrays, threads)
        self.schedule = find_schedule(DEFAULT)
        self.dtype = np.float64 if self.entries <= FULL_PRECISION_ENTRIES else np.float32
        self.ones = tuple(np.ones_like(reach) for reach in arrays.root_reach)
        leaves, exits = trunk.arrays.streets[-1], plan.betting.contributions[self.tree.nodes[0], 0]
        self.rows = _Rows.of(trunk, 0), _Rows.of(trunk, 1)
        self.pots = np.tile(2.0 * exits, leaves.num_boards)
        """float64[boards * leaves]: chips in the middle."""

    def fresh(self) -> State:
        """Return a state before any iteration."""
        return State.zeros(self.tree.arrays, self.dtype, predictive=self.schedule.predictive, simultaneous=False)

    def learn(self, state: State, reach: Arriving, first: int, count: int) -> None:
        """Run iterations ``first`` to ``first + count - 1`` for the reach at the leaves, float64[N_p] each."""
        for row in self.schedule.coefficients(first, count):
            for p in (0, 1):
                # A hand's own reach only weighs its own average. With 1 for all hands, those that never get here have
                # an average too.
                entering = (self.ones[0], reach[1]) if p == 0 else (reach[0], self.ones[1])
                self.kernel.update(state, p, row[None], weighted=self.schedule.weighted, reach=entering)

    def solve(self, state: State, reach: Arriving, accuracy: float, most: int, *, warm: bool) -> int:
        """Solve for the reach at the leaves, and return the number of iterations; the averages are the solution.

        ``warm`` means that the state holds the regrets of a solve for other ranges, from which this one starts.
        """
        both = self.rows[0].scaled(reach[0]), self.rows[1].scaled(reach[1])
        forget_averages(state)
        first, done, look = 1 + (WARM_ITERATIONS if warm else 0), 0, FIRST_LOOK
        while done < most:
            count = min(look, most) - done
            self.learn(state, both, first + done, count)
            done += count
            if self.gap(state.sums, both) <= accuracy:
                break
            look = done + max(done // 3, 1)
        return done

    def gap(self, strategy: Arrays, reach: Arriving) -> float:
        """Return the greatest gain of both players' best responses at a leaf, in pots per pair of hands."""
        best = [self.kernel.root_values(strategy, p, role=BEST, reach=reach) for p in (0, 1)]
        won = sum(self.rows[p].summed(reach[p] * best[p]) for p in (0, 1))
        weights = self.rows[0].summed(reach[0]) * self.rows[1].summed(reach[1])
        return float(np.divide(won, weights * self.pots, out=np.zeros_like(won), where=weights > 0.0).max())


def forget_averages(state: State) -> None:
    """Start a new average; the regrets stay."""
    for pair in state.sums:
        for array in pair:
            array.fill(0)


@dataclass(eq=False)
class ExactLeafValues(LeafValues):
    """Leaf values of a trunk from exact solves of the rest of the game.

    ``values`` is a function of both players' reach: the rest of the game is solved for it from scratch, and both
    players follow the average strategy that was found.  While a trunk is solved, the rest continues from the state
    after the last half of an iteration: for ``alongside`` iterations or, in the first half and if ``alongside`` is 0,
    until the ranges of this half are solved to the accuracy.  The trunk receives the values of the average strategy of
    these iterations.  That strategy is averaged over all halves, with the trunk's own coefficients and the players' own
    reach, so that trunk and rest form one strategy of the whole game.

    ``measure`` measures that strategy: its values, and those of best responses that continue below the leaves.  Thus
    the exploitability of a trunk that was solved with these values is that of a strategy of the whole game, which is
    :meth:`continuation`, and not the difference to values that change with the ranges: a responder with another range
    faces the same strategy below, which is not solved again.  Before any iteration, ``measure`` measures the solution
    for the given reach.

    Parameters
    ----------
    menu:
        Bet sizes of a no-limit game, if the trunk is one of a game; lookaheads and spots have their own.
    accuracy:
        A solve ends when no player could gain more than this at a leaf, as a fraction of the pot there.
    max_iterations:
        A solve ends after so many iterations at the latest.
    alongside:
        Iterations in each half of an iteration of the trunk; 0 to solve in each half.
    threads:
        Threads of the kernel.

    Raises
    ------
    SolverOptionError
        If the accuracy or the number of iterations is not positive.
    """

    menu: BetMenu | None = None
    accuracy: float = ACCURACY
    max_iterations: int = MOST_ITERATIONS
    alongside: int = ALONGSIDE
    threads: int = 1
    iterations: int = field(default=0, init=False)
    """Iterations that the rest has run in all."""
    arrived: Arriving | None = field(default=None, init=False)
    """The reach of the last measurement: for a trunk that has been solved, that of its strategy."""
    trunk: PublicTree | None = field(default=None, init=False)
    """The trunk, once values have been asked for."""
    _states: tuple[State, State] | None = field(default=None, init=False)

    name = "exact"

    def __post_init__(self) -> None:
        if not self.accuracy > 0.0 or self.max_iterations < 1 or self.alongside < 0:
            raise SolverOptionError(
                "accuracy must be above 0, max_iterations at least 1 and alongside at least 0; they are "
                f"{self.accuracy}, {self.max_iterations} and {self.alongside}."
            )

    def below(self, trunk: PublicTree) -> Rest:
        """Return the rest below a trunk, afresh for another trunk than before; errors are those of :class:`Rest`."""
        if self.trunk is not trunk:
            self.rest, self.trunk = Rest(trunk, self.menu, self.threads), trunk
            self._states = self.arrived = None
        return self.rest

    @property
    def bytes(self) -> int:
        """About how much memory the state takes."""
        return 0 if self.trunk is None else 8 * STATE_ARRAYS * self.rest.entries

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Values of the solution for this reach; see :class:`errai.engine.leaf_values.LeafValues`."""
        rest, arriving = self.below(trunk), (reach[0][-1], reach[1][-1])
        strategy = self._solved(rest, rest.fresh(), arriving, warm=False)
        return at_last_leaves(rest.kernel.root_values(strategy, player, reach=arriving), reach[player])

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """Continue for the reach of this half, and add what was found to the player's average."""
        rest, arriving = self.below(trunk), (half.reach[0][-1], half.reach[1][-1])
        warm = self._states is not None
        if self._states is None:
            self._states = rest.fresh(), rest.fresh()
        state, learnt = self._states
        if self.alongside and warm:
            forget_averages(state)
            # For each of the trunk's iterations, as many iterations of the rest's own schedule.
            rest.learn(state, arriving, 1 + self.alongside * half.learnt[half.player], self.alongside)
            self.iterations += self.alongside
            strategy = state.sums
        else:
            strategy = self._solved(rest, state, arriving, warm=warm)
        # One more walk uses the strategy that was found as if it were regrets: it gives the values, and adds the
        # strategy to the average, weighted by the player's own reach.
        for found, pair in zip(strategy, learnt.regrets, strict=True):
            for average, regrets in zip(found, pair, strict=True):
                np.multiply(average, LOUD, out=regrets)
        row = np.array(half.coefficients, dtype=np.float64).reshape(1, -1)
        row[0, [COEFFICIENTS.index("foresight"), COEFFICIENTS.index("prediction")]] = 0.0
        values = rest.kernel.update(learnt, half.player, row, weighted=half.weighted, reach=arriving)
        return at_last_leaves(values, half.reach[half.player])

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Values of the average strategy, and of best responses to it; see the class."""
        rest, arriving = self.below(trunk), (reach[0][-1], reach[1][-1])
        strategy = self.continuation
        if strategy is None:
            strategy = self._solved(rest, rest.fresh(), arriving, warm=False)
        self.arrived = arriving
        values, best = (
            [at_last_leaves(rest.kernel.root_values(strategy, p, role=role, reach=arriving), reach[p]) for p in (0, 1)]
            for role in (FIXED, BEST)
        )
        return LeafMeasurement((values[0], values[1]), (best[0], best[1]), self.zero_sum)

    @property
    def continuation(self) -> Arrays | None:
        """The average strategy below the leaves, as arrays of :class:`Rest`'s tree; None before any iteration."""
        return None if self._states is None else self._states[1].sums

    def _solved(self, rest: Rest, state: State, arriving: Arriving, *, warm: bool) -> Arrays:
        self.iterations += rest.solve(state, arriving, self.accuracy, self.max_iterations, warm=warm)
        return state.sums


def at_last_leaves(values: NDArray[np.float64], like: LeafArrays) -> LeafArrays:
    """Return leaf arrays with these values on the last street; there are no leaves on earlier streets."""
    return [*(np.zeros_like(a) for a in like[:-1]), values]


def whole_plan(trunk: PublicTree, menu: BetMenu | None = None) -> TreePlan:
    """Return the plan of the tree of which a trunk is the upper part, with the trunk's hands.

    Raises :class:`InputError` if the trunk's leaves do not fit the tree of its subject and the menu.
    """
    subject = trunk.subject.without_cut()
    plan = plan_public_tree(subject, menu=menu)
    edge = len(trunk.deal.streets) - 1
    nodes, leaves = np.asarray(trunk.betting.street_nodes(edge)), trunk.betting.kind == LEAF
    above = np.asarray(plan.betting.street_nodes(edge)) if edge < plan.betting.num_streets - 1 else np.empty(0, int)
    if len(above) != len(nodes) or not np.array_equal(above[plan.betting.kind[above] == CHANCE], nodes[leaves[nodes]]):
        raise InputError("The trunk is not the upper part of the tree of its subject with this menu.")
    # Keep the trunk's own symmetries, because a gadget above it may distinguish more hands than the game does.
    return replace(plan, root=replace(trunk.root, new_cards=plan.root.new_cards))
