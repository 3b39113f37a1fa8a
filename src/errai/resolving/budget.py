"""Thinking time that is kept: how finely and how long a lookahead is solved within so many seconds.

How fine a menu is and how many iterations are run follows from the size of the tree and a fixed cost per entry, and not
from the clock, so that what is played can be repeated.  The clock has the last word: where the machine is slower, menus
are coarser, and a solve ends early with what it has and with time for its own end, which proves how good that is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

from errai.engine.leaf_values import LeafValues
from errai.engine.loop import Progress
from errai.engine.request import check_limits
from errai.engine.root import Gadget
from errai.engine.status import Status
from errai.errors import StoppedError
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead, last_street, lookahead
from errai.games.sizing import BetMenu
from errai.kernels.layout import LEAF
from errai.resolving.continuations import CONTINUATIONS
from errai.resolving.menus import coarser_and_coarser
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.tree.public_tree import plan_public_tree

DEFAULT_SECONDS = 3.0
DEFAULT_ITERATIONS = 2_000

TARGETS = ("0.05%pot", "0.1%pot", "1%pot")
"""What is aimed at when one, two or more rounds are left.

The errors of solves that follow each other add up: on two small turn spots a player who solves at every decision, to
0.3 % of the pot on the river and 0.5 % on the turn, is exploitable for 1 %; with these for 0.2 %, in a quarter more
time."""

PRECISION = "float32"
"""16 bits are too coarse where the stacks are a hundred pots: all-in for 19,900 into 200 on the turn stopped at 7 % of
the pot."""

# --- the cost of a solve, in seconds of one processor (docs/performance.md, re-solving) ------------------------------

ITERATION_SECONDS = 2.0e-9
"""Of an iteration, for each entry of the tree."""

END_SECONDS = 2.0e-8
"""Of what comes before and after the iterations, for each entry: memory, certificate, values."""

FIXED_SECONDS = 0.01
"""Of a solve, whatever its size."""

PROCESSORS = 2
"""For which thinking time is planned."""

USEFUL_ITERATIONS = 120
"""A menu is fine enough for a tree that can be iterated so often: that reaches about 1 % of the pot."""

# --- and of what stands below a lookahead that is cut, over continuations of a blueprint (docs/resolving.md) ----------

COUNTING_SECONDS = 4.0e-9
"""For each pair of hands, continuation, leaf and run-out, once."""

PRODUCT_SECONDS = 3.0e-10
"""Of an iteration, for each pair of hand classes, continuation and leaf."""

RUN_OUT_SHARE = 0.5
"""Of the time planned for a solve, for counting the run-outs of a flop with ``PLANNED_LEAVES``; its menu may have more
leaves or fewer."""

PLANNED_LEAVES = 10

FLOP_HANDS = 1_176
"""Of one player, on a flop of three suits, where no two are alike."""

LEAST_RUN_OUTS, MOST_RUN_OUTS = 20, 98
"""With fewer, pairs of hands would be left with less than sixteen run-outs that they do not block; more than the second
make less of a difference than finer menus."""

COUNTING_LEFT = 0.25
"""Of the time of a solve or of a decision: where counting ends, so that there is time for iterations."""

FEWEST_ITERATIONS = 10
"""A lookahead that is not even iterated so often before the time is over says nothing."""

PLANNED_SHARE = 0.45
"""Of the time of a decision, for one solve: an answer to a first bet on a street takes two."""

LEAST_ITERATIONS = 40.0
"""Planned where values below were counted, which costs more than these."""

POOR_ITERATIONS = 40
"""A tree that cannot even be iterated so often in the time that is left is made smaller."""

ALLOWED_SHARE = 0.6
"""Of what is left of the time of a decision: where the clock stops a solve that is not the last."""

END_ITERATIONS = 12.0
"""How many iterations the end of a solve that is stopped takes about as long as, at least."""


def processor_seconds(entries: int, iterations: int) -> float:
    """What a solve costs on one processor, by the size of its tree."""
    return FIXED_SECONDS + entries * (END_SECONDS + iterations * ITERATION_SECONDS)


def seconds_below(subject: Lookahead, run_outs: int) -> tuple[float, float]:
    """What continuations below a lookahead cost on one processor, once and in each iteration; nothing if it is not cut.

    Method: the size of the matrices over pairs of hands (:mod:`errai.resolving.continuations`), where one hand of each
    class of player 0 meets every hand of player 1.
    """
    if subject.depth is None:
        return 0.0, 0.0
    plan = plan_public_tree(subject, last_street=last_street(subject, None))
    # Where both are all-in there is nothing to count.
    at_leaves = plan.betting.contributions[plan.betting.kind == LEAF]
    leaves = int((at_leaves < plan.betting.all_in_total).any(axis=1).sum())
    classes = plan.deal_size.classes[-1]
    matrices = len(CONTINUATIONS) * leaves * classes[0]
    hands = int((subject.ranges[1] > 0.0).sum())
    return COUNTING_SECONDS * matrices * hands * run_outs, PRODUCT_SECONDS * matrices * classes[1]


def run_outs_for(seconds: float) -> int:
    """How many run-outs a flop is worth within the time of a decision, ``MOST_RUN_OUTS`` at most."""
    planned = RUN_OUT_SHARE * PLANNED_SHARE * PROCESSORS * seconds
    each = COUNTING_SECONDS * len(CONTINUATIONS) * PLANNED_LEAVES * FLOP_HANDS**2
    return min(int(planned / each), MOST_RUN_OUTS)


def least_seconds() -> int:
    """Whole seconds of a decision that are enough for ``LEAST_RUN_OUTS``."""
    return next(seconds for seconds in count(1) if run_outs_for(seconds) >= LEAST_RUN_OUTS)


class Budget:
    """The time that a player has, and what he solves in it.

    ``menu`` and ``solve`` are what :class:`errai.resolving.player.Settings` asks for.

    Parameters
    ----------
    seconds:
        For everything that happens inside :meth:`decision`, or for one solve outside of it.
    iterations:
        At most so many in a solve; by default as many as the time is planned for, and no more than
        ``DEFAULT_ITERATIONS``.
    target:
        When a solve is good enough, as ``0.5%pot``; by default one of ``TARGETS``.
    menu:
        Bet sizes, which are then never made coarser; by default the finest of
        :func:`errai.resolving.menus.coarser_and_coarser` that the time is enough for.
    finest:
        A menu that is tried before these, such as a spot's own.
    threads:
        Of a solve; all processors by default.
    below:
        What stands below lookaheads that are cut costs so many seconds of one processor, once and in each iteration; by
        default what continuations do.

    Raises
    ------
    SolverOptionError
        A limit is not above 0.
    """

    def __init__(
        self,
        seconds: float = DEFAULT_SECONDS,
        *,
        iterations: int | None = None,
        target: str | None = None,
        menu: BetMenu | None = None,
        finest: BetMenu | None = None,
        threads: int | None = None,
        below: Callable[[Lookahead], tuple[float, float]] | None = None,
    ) -> None:
        check_limits(seconds=seconds, iterations=iterations, threads=threads)
        self.seconds = seconds
        self.iterations = iterations
        self.target = target
        self.threads = threads
        self.below = below
        self.cut_short = 0
        """How many solves the clock has stopped or made smaller: what follows need not come out the same again."""
        self._menu = menu
        self._finest = finest
        self._until: float | None = None
        self._last: PublicState | None = None
        self._slowness = 1.0
        self._counting_until: float | None = None
        self.run_outs = max(run_outs_for(seconds), LEAST_RUN_OUTS)
        """Boards that stand for all that may come, below a lookahead that is cut."""
        self.counting: StopToken = _CountingEnds(self)
        """What to count the values below a lookahead with: set while too little of the time is left."""

    @contextmanager
    def decision(self, state: PublicState | None = None) -> Iterator[None]:
        """Everything in here together takes the time of the budget; the solve of ``state``, if given, comes last."""
        outer = self._until, self._last
        self._until, self._last = time.perf_counter() + self.seconds, state
        try:
            with self._counts_for(self.seconds):
                yield
        finally:
            self._until, self._last = outer

    @contextmanager
    def _counts_for(self, seconds: float) -> Iterator[None]:
        """Values below a lookahead may be counted in a share of so many seconds."""
        outer = self._counting_until
        self._counting_until = time.perf_counter() + (1.0 - COUNTING_LEFT) * seconds
        try:
            yield
        finally:
            self._counting_until = outer

    @property
    def counting_is_over(self) -> bool:
        """Whether too little time is left to count what stands below a lookahead."""
        return self._counting_until is not None and time.perf_counter() >= self._counting_until

    @property
    def left(self) -> float:
        """Seconds of the decision that are left; all of them outside of one."""
        return self.seconds if self._until is None else self._until - time.perf_counter()

    # --- what follows from the size of the tree alone ----------------------------------------------------------------

    def menu(self, state: PublicState, depth: str | int | None = None) -> BetMenu | None:
        """The finest menu for a lookahead from a state that the time is enough for; None in limit games.

        ``depth`` is where the lookahead is cut, as :func:`errai.lookahead` takes it.
        """
        if state.betting.game.limit or self._menu is not None:
            return self._menu
        planned = PLANNED_SHARE * PROCESSORS * self.seconds
        menu = None
        for menu in self._menus(state):
            subject = lookahead(state.subject, state, None, depth, menu=menu)
            iterations = self.iterations or USEFUL_ITERATIONS
            once, each = self._seconds_below(subject)
            if processor_seconds(_entries(subject), iterations) + once + iterations * each <= planned:
                break
        return menu

    def _menus(self, state: PublicState) -> Iterator[BetMenu]:
        if self._finest is not None:
            yield self._finest
        yield from coarser_and_coarser(state)

    def iterations_for(self, entries: int, below: tuple[float, float] = (0.0, 0.0)) -> int:
        """How often a tree of a size is iterated at most; ``below`` as :func:`seconds_below` gives it."""
        if self.iterations is not None:
            return self.iterations
        planned = PLANNED_SHARE * PROCESSORS * self.seconds
        affordable = (planned - processor_seconds(entries, 0) - below[0]) / (ITERATION_SECONDS * entries + below[1])
        least = LEAST_ITERATIONS if below[0] else 1.0
        return int(min(max(affordable, least), DEFAULT_ITERATIONS))

    # --- what the clock decides --------------------------------------------------------------------------------------

    def solve(
        self, subject: Lookahead, gadget: Gadget | None = None, leaf_values: LeafValues | None = None
    ) -> Solution:
        """Solve a lookahead in the time that there is.

        Raises
        ------
        StoppedError
            The time is not enough for a few iterations of the coarsest menu, or what stands below the leaves says so.
        """
        started = time.perf_counter()
        last = self._until is None or subject.state == self._last
        allowed = self.left if last else ALLOWED_SHARE * self.left
        entries = _entries(subject, gadget)
        given = subject
        for menu in self._menus_in_need(subject):
            if self._takes(entries, POOR_ITERATIONS) <= allowed:
                break
            subject = replace(subject, menu=menu)
            entries = _entries(subject, gadget)
        below = self._seconds_below(subject)
        least = self._takes(entries, FEWEST_ITERATIONS)
        if self.below is not None:  # continuations see themselves to it that they are counted in time
            least += (below[0] + FEWEST_ITERATIONS * below[1]) / PROCESSORS
        if allowed <= least:
            raise StoppedError(
                f"{max(self.left, 0.0):.3g} seconds are left, and the smallest solve of {subject.title} takes about "
                f"{least:.3g}; there is no strategy yet."
            )
        end = self._takes(entries, 0) / PROCESSORS
        clock = _Clock(started + allowed, end, leaf_values is not None)
        with self._counts_for(allowed):
            found = solve(
                subject,
                self.target or TARGETS[min(subject.game.num_rounds - subject.first_round, len(TARGETS)) - 1],
                max_iterations=self.iterations_for(entries, below),
                gadget=gadget,
                leaf_values=leaf_values,
                threads=self.threads,
                precision=PRECISION,
                stop=clock.token,
                seconds=max(allowed - end, 0.5 * allowed),
                progress=clock,
            )
        stopped = found.status in (Status.INTERRUPTED, Status.TIME_LIMIT)
        self.cut_short += subject is not given or stopped
        if leaf_values is not None and stopped and found.iterations < FEWEST_ITERATIONS:
            raise StoppedError(
                f"The time was over after {found.iterations} iterations of {subject.title}; there is no strategy yet."
            )
        if leaf_values is None:
            took = (time.perf_counter() - started) * PROCESSORS / processor_seconds(entries, found.iterations)
            # Only the clock looks at this: a machine that is busy now may not be so later.
            self._slowness = max(1.0, 0.5 * (self._slowness + took))
        return found

    def _seconds_below(self, subject: Lookahead) -> tuple[float, float]:
        return seconds_below(subject, self.run_outs) if self.below is None else self.below(subject)

    def _takes(self, entries: int, iterations: int) -> float:
        """Seconds that a solve would take now, about; memory comes from the system to one processor at a time."""
        iterating = iterations * ITERATION_SECONDS * entries / PROCESSORS
        return self._slowness * (processor_seconds(entries, 0) + iterating)

    def _menus_in_need(self, subject: Lookahead) -> Iterator[BetMenu]:
        """Menus that may take the place of a lookahead's where the time has become short, with its line."""
        if self._menu is None and subject.menu is not None:
            for menu in coarser_and_coarser(subject.state):
                yield menu.with_line(subject.menu.also)


class _Clock:
    """Stops a solve early enough for its end to be in time; called after every batch of iterations."""

    def __init__(self, until: float, end: float, counts: bool) -> None:
        self.token = StopToken()
        self._until = until
        self._end = end
        self._counts = counts
        self._before = 0, 0.0

    def __call__(self, now: Progress) -> None:
        if now.iteration and self._counts and not self._before[0]:
            # What is below the leaves was counted in the first iteration, and is not counted again.
            self._before = now.iteration, now.seconds
        if now.iteration:
            iterations = max(now.iteration - self._before[0], 1)
            end = max(END_ITERATIONS * (now.seconds - self._before[1]) / iterations, self._end)
            if time.perf_counter() + end >= self._until:
                self.token.set()


class _CountingEnds(StopToken):
    """Set by the clock."""

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget

    def is_set(self) -> bool:
        """See :meth:`StopToken.is_set`."""
        return super().is_set() or self._budget.counting_is_over


def _entries(subject: Lookahead, gadget: Gadget | None = None) -> int:
    """Entries of the tree of a lookahead: (information set, action) pairs after what suits make equal is merged."""
    apart = () if gadget is None else gadget.apart
    return plan_public_tree(subject, last_street=last_street(subject, None), apart=apart).entries
