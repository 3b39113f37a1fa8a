"""Time management: how finely and for how long a lookahead is solved within a number of seconds.

The menu and the number of iterations follow from the size of the tree and a fixed cost per entry, not from the clock,
so that play is reproducible.  The clock has the last word: on a slower machine menus are coarser, and a solve ends
early, with enough time left to compute its certificate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, count

from errai.engine.leaf_values import LeafValues
from errai.engine.loop import Progress
from errai.engine.request import check_limits
from errai.engine.root import Gadget
from errai.engine.seams import apart_of
from errai.engine.status import Status
from errai.errors import AbandonedError, StoppedError
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead, last_street, lookahead
from errai.games.sizing import BetMenu, StreetMenu
from errai.kernels.layout import LEAF
from errai.options import Precision
from errai.resolving.continuations import CONTINUATIONS
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.solving.solve import solve
from errai.tree.public_tree import plan_public_tree

DEFAULT_SECONDS = 3.0
DEEPSTACK_SECONDS = 5.0
"""The time of a decision of `deepstack` in hold'em, whose lookaheads on the flop are set up first."""
DEFAULT_ITERATIONS = 2_000

TARGETS = ("0.05%pot", "0.1%pot", "1%pot", "0.3%pot")
"""Target exploitabilities when one, two, three or more rounds are left.  Before the flop the blinds are the pot.

The errors of successive solves add up: on two small turn spots a player who solves at every decision, to 0.3 % of the
pot on the river and 0.5 % on the turn, has an exploitability of 1 %; with these targets it is 0.2 %, for a quarter more
time."""

PRECISION: Precision = "float32"
"""16 bits are too coarse for stacks of a hundred pots: a turn with an all-in of 19,900 into 200 stopped at 7 % of the
pot."""

# --- the cost of a solve, in seconds of one processor (docs/performance.md, re-solving) ------------------------------

ITERATION_SECONDS = 2.0e-9
"""Seconds of an iteration for each entry of the tree."""

END_SECONDS = 2.0e-8
"""Seconds before and after the iterations for each entry: memory, certificate, values."""

FIXED_SECONDS = 0.01
"""Seconds of a solve of any size."""

PROCESSORS = 2
"""Processors for which the time is planned."""

USEFUL_ITERATIONS = 120
"""A menu is used if there is time for so many iterations of its tree, which reach about 1 % of the pot."""

# --- and of what stands below a lookahead that is cut, over continuations of a blueprint (docs/resolving.md) ----------

COUNTING_SECONDS = 4.0e-9
"""Seconds for each pair of hands, continuation, leaf and run-out, once for a lookahead."""

PRODUCT_SECONDS = 3.0e-10
"""Seconds of an iteration for each pair of hand classes, continuation and leaf."""

RUN_OUT_SHARE = 0.5
"""Share of the time of a solve in which the run-outs of a flop with ``PLANNED_LEAVES`` leaves are evaluated; the actual
menu may have more leaves or fewer."""

PLANNED_LEAVES = 10

FLOP_HANDS = 1_176
"""Hands of one player on a flop of three suits, where no two hands are equivalent."""

LEAST_RUN_OUTS, MOST_RUN_OUTS = 20, 98
"""With fewer than the first, pairs of hands would have less than sixteen run-outs that they do not block; beyond the
second, finer menus improve play more than more run-outs."""

COUNTING_LEFT = 0.25
"""Share of the time of a solve or a decision that must be left for iterations when the leaf values are computed."""

FEWEST_ITERATIONS = 10
"""After fewer iterations than this, the strategy of a lookahead is not used."""

PLANNED_SHARE = 0.45
"""Share of a decision's time for one solve: an answer to a first bet on a street takes two solves."""

LEAST_ITERATIONS = 40.0
"""Iterations that are always planned after leaf values were computed, which takes longer than these iterations."""

MOST_EXPLOITABLE = 50.0
"""A strategy that the clock ended is not used if best responses to it win more than this share of the pot, in per cent:
two players who give the pot up at once lose half of it each, in the mean."""

POOR_ITERATIONS = 40
"""A tree for which there is no time for so many iterations is made smaller."""

ALLOWED_SHARE = 0.6
"""Share of a decision's remaining time after which the clock stops a solve that is not the last."""

END_ITERATIONS = 12.0
"""The end of a solve that is stopped takes at least about as long as so many iterations."""


def processor_seconds(entries: int, iterations: int) -> float:
    """Return the seconds that a solve takes on one processor, by the size of its tree."""
    return FIXED_SECONDS + entries * (END_SECONDS + iterations * ITERATION_SECONDS)


def seconds_below(subject: Lookahead, run_outs: int) -> tuple[float, float]:
    """Return the seconds that continuations below a lookahead take on one processor, once and in each iteration.

    Both are 0 if the lookahead is not cut.  They follow from the size of the matrices over pairs of hands
    (:mod:`errai.resolving.continuations`), in which one hand of each class of player 0 meets every hand of player 1.
    """
    if subject.depth is None:
        return 0.0, 0.0
    plan = plan_public_tree(subject, last_street=last_street(subject, None))
    # A leaf where both players are all-in needs no matrix of its own.
    at_leaves = plan.betting.contributions[plan.betting.kind == LEAF]
    leaves = int((at_leaves < plan.betting.all_in_total).any(axis=1).sum())
    classes = plan.deal_size.classes[-1]
    matrices = len(CONTINUATIONS) * leaves * classes[0]
    hands = int((subject.ranges[1] > 0.0).sum())
    return COUNTING_SECONDS * matrices * hands * run_outs, PRODUCT_SECONDS * matrices * classes[1]


def run_outs_for(seconds: float) -> int:
    """Return how many run-outs of a flop fit into the time of a decision, at most ``MOST_RUN_OUTS``."""
    planned = RUN_OUT_SHARE * PLANNED_SHARE * PROCESSORS * seconds
    each = COUNTING_SECONDS * len(CONTINUATIONS) * PLANNED_LEAVES * FLOP_HANDS**2
    return min(int(planned / each), MOST_RUN_OUTS)


def least_seconds() -> int:
    """Return the whole seconds of a decision that are enough for ``LEAST_RUN_OUTS``."""
    return next(seconds for seconds in count(1) if run_outs_for(seconds) >= LEAST_RUN_OUTS)


@dataclass(frozen=True)
class CostBelow:
    """What the leaf values of a lookahead that is cut cost."""

    seconds: Callable[[Lookahead], tuple[float, float]]
    """Returns the seconds of one processor that they take, once and in each iteration."""
    useful_iterations: Callable[[Lookahead], int] = lambda subject: USEFUL_ITERATIONS
    """Returns for how many iterations of a lookahead there must be time if its menu is to be used; as many are always
    planned."""
    end_iterations: float = END_ITERATIONS
    """The end of a solve that is stopped takes at least about as long as so many iterations."""
    target: str | None = None
    """Exploitability at which a solve ends; by default one of ``TARGETS``."""
    is_ready: Callable[[Lookahead, LeafValues | None], bool] = lambda subject, leaf_values: False
    """Returns whether what takes time once has been computed for an earlier lookahead."""


class Budget:
    """The time that a player has for a decision, and how finely the player solves in it.

    ``menu`` and ``solve`` are what :class:`errai.resolving.player.Settings` needs.

    Parameters
    ----------
    seconds:
        Time for everything inside :meth:`decision`, or for one solve outside of it.
    iterations:
        The most iterations of a solve; by default as many as fit into the time, up to ``DEFAULT_ITERATIONS``.
    target:
        Exploitability at which a solve ends, such as ``0.5%pot``; by default one of ``TARGETS``.
    menu:
        Bet sizes, which are then never made coarser; by default the finest of
        :func:`errai.resolving.budget.coarser_and_coarser` for which there is time.
    finest:
        A menu that is tried before these, such as a spot's own.
    first_bets:
        Sizes of the first action of each lookahead, such as ``100%, 200%``, in place of DeepStack's in these menus.
    threads:
        Threads of a solve; by default one for each processor.
    below:
        What the leaf values of a lookahead cost; by default what continuations cost.

    Raises
    ------
    SolverOptionError
        If a limit is not above 0.
    """

    def __init__(
        self,
        seconds: float = DEFAULT_SECONDS,
        *,
        iterations: int | None = None,
        target: str | None = None,
        menu: BetMenu | None = None,
        finest: BetMenu | None = None,
        first_bets: str | None = None,
        threads: int | None = None,
        below: CostBelow | None = None,
    ) -> None:
        check_limits(seconds=seconds, iterations=iterations, threads=threads)
        self.seconds = seconds
        self.iterations = iterations
        self.target = target
        self.threads = threads
        self.below = below
        self.cut_short = 0
        """How many solves the clock has stopped or made smaller; after one, results may differ from run to run."""
        self._menu = menu
        self._finest = finest
        self._first_bets = first_bets
        self.abandoned = StopToken()
        """Ends with an :class:`AbandonedError` whatever is being computed."""
        self.waited = 0.0
        """Seconds of the next decision that have passed before it."""
        self._until: float | None = None
        self._last: PublicState | None = None
        self._slowness = 1.0
        self.run_outs = max(run_outs_for(seconds), LEAST_RUN_OUTS)
        """How many run-outs represent all boards to come below a lookahead that is cut."""
        self.counting = _CountingEnds(self)
        """Stop token for computing leaf values: set while too little time is left."""

    @contextmanager
    def decision(self, state: PublicState | None = None) -> Iterator[None]:
        """Let everything in this context together take the time of the budget; a solve of ``state`` comes last."""
        outer = self._until, self._last
        seconds, self.waited = max(self.seconds - self.waited, 0.0), 0.0
        self._until, self._last = time.perf_counter() + seconds, state
        try:
            with self._counts_for(seconds):
                yield
        finally:
            self._until, self._last = outer

    @contextmanager
    def _counts_for(self, seconds: float) -> Iterator[None]:
        """Let leaf values be computed in this context for a share of so many seconds."""
        outer = self.counting.until
        self.counting.until = time.perf_counter() + (1.0 - COUNTING_LEFT) * seconds
        try:
            yield
        finally:
            self.counting.until = outer

    def raise_if_abandoned(self) -> None:
        """Raise :class:`AbandonedError` if what is being computed is needed no longer."""
        if self.abandoned.is_set():
            raise AbandonedError("The solve was abandoned.")

    @property
    def left(self) -> float:
        """Seconds that are left of the decision; outside of a decision all of them."""
        return self.seconds if self._until is None else self._until - time.perf_counter()

    def _raise_if_over(self) -> None:
        if self.left <= 0.0:
            raise StoppedError(f"The {self.seconds:g} seconds of the decision are over; there is no strategy yet.")

    # --- what follows from the size of the tree alone ----------------------------------------------------------------

    def menu(self, state: PublicState, depth: str | int | None = None) -> BetMenu | None:
        """Return the finest menu of a lookahead from a state for which there is time; None in limit games.

        ``depth`` is where the lookahead is cut, as :func:`errai.lookahead` takes it.
        Raises :class:`StoppedError` if the time of the decision is over.
        """
        if state.betting.game.limit or self._menu is not None:
            return self._menu
        planned = PLANNED_SHARE * PROCESSORS * self.seconds
        menu = None
        menus = coarser_and_coarser(state, self._first_bets)
        for menu in chain([] if self._finest is None else [self._finest], menus):
            self._raise_if_over()  # planning a tree takes milliseconds, too
            subject = lookahead(state.subject, state, None, depth, menu=menu)
            over = self.below if subject.depth is not None else None
            useful = USEFUL_ITERATIONS if over is None else over.useful_iterations(subject)
            iterations = self.iterations or useful
            once, each = self._seconds_below(subject)
            if processor_seconds(_entries(subject), iterations) + once + iterations * each <= planned:
                break
        return menu

    def iterations_for(
        self, entries: int, below: tuple[float, float] = (0.0, 0.0), least: float = LEAST_ITERATIONS
    ) -> int:
        """Return the most iterations for a tree of a size.

        ``below`` is what :func:`seconds_below` returns; if leaf values are computed first, there are ``least`` or more.
        """
        if self.iterations is not None:
            return self.iterations
        planned = PLANNED_SHARE * PROCESSORS * self.seconds
        affordable = (planned - processor_seconds(entries, 0) - below[0]) / (ITERATION_SECONDS * entries + below[1])
        return int(min(max(affordable, least if below[0] else 1.0), DEFAULT_ITERATIONS))

    # --- what the clock decides --------------------------------------------------------------------------------------

    def solve(
        self, subject: Lookahead, gadget: Gadget | None = None, leaf_values: LeafValues | None = None
    ) -> Solution:
        """Solve a lookahead in the time that is left.

        Raises
        ------
        StoppedError
            If there is no time for a few iterations with the coarsest menu, if the leaf values stop, or if the clock
            ends the solve so early that its strategy is worse than none.
        """
        self._raise_if_over()
        started = time.perf_counter()
        last = self._until is None or subject.state == self._last
        allowed = self.left if last else ALLOWED_SHARE * self.left
        entries = _entries(subject, gadget)
        given = subject
        if self._menu is None and given.menu is not None:
            for menu in coarser_and_coarser(given.state, self._first_bets):
                if self._takes(entries, POOR_ITERATIONS) <= allowed:
                    break
                subject = replace(subject, menu=menu.with_line(given.menu.also))
                entries = _entries(subject, gadget)
        below = self._seconds_below(subject)
        over = self.below if leaf_values is not None else None
        least = self._takes(entries, FEWEST_ITERATIONS)
        if over is not None:  # continuations watch the time themselves
            once = 0.0 if over.is_ready(subject, leaf_values) else below[0]
            least += (once + FEWEST_ITERATIONS * below[1]) / PROCESSORS
        if allowed <= least:
            raise StoppedError(
                f"Only {max(self.left, 0.0):.3g} seconds are left, and the smallest solve of {subject.title} takes "
                f"about {least:.3g}; there is no strategy yet."
            )
        end = self._takes(entries, 0) / PROCESSORS
        end_iterations = END_ITERATIONS if over is None else over.end_iterations
        clock = _Clock(self, started + allowed, end, leaf_values is not None, end_iterations)
        rounds = min(subject.game.num_rounds - subject.first_round, len(TARGETS))
        with self._counts_for(allowed):
            found = solve(
                subject,
                self.target or (over.target if over is not None else None) or TARGETS[rounds - 1],
                max_iterations=self.iterations_for(
                    entries, below, LEAST_ITERATIONS if over is None else over.useful_iterations(subject)
                ),
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
        if leaf_values is None:
            took = (time.perf_counter() - started) * PROCESSORS / processor_seconds(entries, found.iterations)
            # Only the clock uses this measurement, because a machine that is busy now may not be so later.
            self._slowness = max(1.0, 0.5 * (self._slowness + took))
        few = leaf_values is not None and found.iterations < FEWEST_ITERATIONS
        if stopped and (few or found.exploitability.pot_percent > MOST_EXPLOITABLE):
            raise StoppedError(
                f"The time was over after {found.iterations} iterations of {subject.title}, at an exploitability of "
                f"{found.exploitability.pot_percent:.3g} % of the pot; there is no strategy yet."
            )
        return found

    def _seconds_below(self, subject: Lookahead) -> tuple[float, float]:
        return seconds_below(subject, self.run_outs) if self.below is None else self.below.seconds(subject)

    def _takes(self, entries: int, iterations: int) -> float:
        """Return about how many seconds a solve would take now; memory is allocated by one processor at a time."""
        iterating = iterations * ITERATION_SECONDS * entries / PROCESSORS
        return self._slowness * (processor_seconds(entries, 0) + iterating)


class _Clock:
    """Stops a solve so early that its end is in time; called after every batch of iterations."""

    def __init__(self, budget: Budget, until: float, end: float, counts: bool, end_iterations: float) -> None:
        self.token = StopToken()
        self._budget = budget
        self._until = until
        self._end = end
        self._counts = counts
        self._end_iterations = end_iterations
        self._before = 0, 0.0

    def __call__(self, now: Progress) -> None:
        self._budget.raise_if_abandoned()
        if now.iteration and self._counts and not self._before[0]:
            # The first iteration includes computing the leaf values, which happens once.
            self._before = now.iteration, now.seconds
        if now.iteration:
            iterations = max(now.iteration - self._before[0], 1)
            end = max(self._end_iterations * (now.seconds - self._before[1]) / iterations, self._end)
            if time.perf_counter() + end >= self._until:
                self.token.set()


class _CountingEnds(StopToken):
    """A token that is also set when too little time is left to compute leaf values."""

    until: float | None = None

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget

    def is_set(self) -> bool:
        self._budget.raise_if_abandoned()
        return super().is_set() or (self.until is not None and time.perf_counter() >= self.until)


def _entries(subject: Lookahead, gadget: Gadget | None = None) -> int:
    """Return the entries of a lookahead's tree: pairs of information set and action, with isomorphic suits merged."""
    apart = apart_of(gadget, len(subject.ranges[0]))
    return plan_public_tree(subject, last_street=last_street(subject, None), apart=apart).entries


# --- bet sizes: many at the first actions of a lookahead, few at later ones ------------------------------------------

DEEPSTACK = (
    ("50%, 100%", "50%, 100%, 200%", "100%"),
    ("50%, 100%", "100%", "100%"),
    ("50%, 100%", "100%", "100%"),
    ("50%, 100%, 200%", "50%, 100%, 200%", "100%"),
)
"""By round of hold'em: sizes of the first, the second and all later actions of a lookahead; all-in is added to each.

Source: Moravčík et al., "DeepStack" (Science 2017), supplement, table 4."""


def deepstack_menu(
    state: PublicState, all_in_pots: float | None = None, first_bets: str | None = None
) -> BetMenu | None:
    """Return DeepStack's sizes for a lookahead from a state, by its round; None in limit games.

    All-in is offered if it is at most ``all_in_pots`` pots, counted after the bet faced has been called; for None
    everywhere, as DeepStack does.  ``first_bets`` replaces the sizes of the first action.
    """
    game = state.betting.game
    sizes = _deepstack_sizes(state, first_bets)
    return None if game.limit else sparse_menu(game.num_rounds, *sizes, all_in_pots=all_in_pots)


def _deepstack_sizes(state: PublicState, first_bets: str | None) -> tuple[str, ...]:
    """Return the row of ``DEEPSTACK`` for a state; games with fewer rounds take those of hold'em's last rounds."""
    first, *later = DEEPSTACK[-min(state.betting.game.num_rounds - state.betting.round, len(DEEPSTACK))]
    return first_bets or first, *later


ALL_IN_POTS = 15.0
"""Larger all-ins are offered only after one was made: with an all-in of a hundred pots, a limped turn takes three times
as many iterations."""


def coarser_and_coarser(state: PublicState, first_bets: str | None = None) -> Iterator[BetMenu]:
    """Yield menus for a lookahead from a state of a no-limit game, finer ones first.

    First DeepStack's sizes, or ``first_bets`` at the first action, with all-ins of at most ``ALL_IN_POTS``; then the
    same without half the pot; the pot at every action with all-ins of at most three pots; at most two bets and raises a
    street; at most one.  A tree without bets is not offered, because a player who uses it loses to the blueprint that
    would be played instead (docs/log.md).
    """
    rounds, finest = state.betting.game.num_rounds, _deepstack_sizes(state, first_bets)
    yield sparse_menu(rounds, *finest, all_in_pots=ALL_IN_POTS)
    yield sparse_menu(rounds, *(text.removeprefix("50%, ") for text in finest), all_in_pots=ALL_IN_POTS)
    pot = sparse_menu(rounds, "100%", all_in_pots=3.0)
    yield pot
    for cap in (2, 1):
        yield replace(pot, raise_caps=dict.fromkeys(range(rounds), cap))


def sparse_menu(num_rounds: int, *sizes: str, all_in_pots: float | None = None) -> BetMenu:
    """Return a menu with these sizes at the first, second, ... action of a tree, the last ones at all later actions.

    ``all_in_pots`` is as for :func:`deepstack_menu`.  Raises :class:`SizingError` if a size cannot be read.
    """
    end = "" if all_in_pots is not None else ", a"
    *early, later = (StreetMenu.parse(text + end) for text in sizes)
    streets = dict.fromkeys(range(num_rounds), (later, later))
    return BetMenu(streets, add_all_in=all_in_pots or 0.0, early=tuple(early))
