"""Thinking time that is kept: how finely and how long a lookahead is solved within so many seconds.

How fine a menu is and how many iterations are run follows from the size of the tree and a fixed cost per entry, and not
from the clock, so that what is played can be repeated.  The clock has the last word: where the machine is slower, menus
are coarser, and a solve ends early with what it has and with time for its own end, which proves how good that is.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from errai.engine.leaf_values import LeafValues
from errai.engine.loop import Progress
from errai.engine.request import check_limits
from errai.engine.root import Gadget
from errai.engine.status import Status
from errai.errors import StoppedError
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead, last_street, lookahead
from errai.games.sizing import BetMenu
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

PLANNED_SHARE = 0.45
"""Of the time of a decision, for one solve: an answer to a first bet on a street takes two."""

POOR_ITERATIONS = 40
"""A tree that cannot even be iterated so often in the time that is left is made smaller."""

ALLOWED_SHARE = 0.6
"""Of what is left of the time of a decision: where the clock stops a solve that is not the last."""

END_ITERATIONS = 12.0
"""How many iterations the end of a solve that is stopped takes about as long as, at least."""


def processor_seconds(entries: int, iterations: int) -> float:
    """What a solve costs on one processor, by the size of its tree."""
    return FIXED_SECONDS + entries * (END_SECONDS + iterations * ITERATION_SECONDS)


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
    ) -> None:
        check_limits(seconds=seconds, iterations=iterations, threads=threads)
        self.seconds = seconds
        self.iterations = iterations
        self.target = target
        self.threads = threads
        self.cut_short = 0
        """How many solves the clock has stopped or made smaller: what follows need not come out the same again."""
        self._menu = menu
        self._finest = finest
        self._until: float | None = None
        self._last: PublicState | None = None
        self._slowness = 1.0

    @contextmanager
    def decision(self, state: PublicState | None = None) -> Iterator[None]:
        """Everything in here together takes the time of the budget; the solve of ``state``, if given, comes last."""
        outer = self._until, self._last
        self._until, self._last = time.perf_counter() + self.seconds, state
        try:
            yield
        finally:
            self._until, self._last = outer

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
            entries = _entries(lookahead(state.subject, state, None, depth, menu=menu))
            if processor_seconds(entries, self.iterations or USEFUL_ITERATIONS) <= planned:
                break
        return menu

    def _menus(self, state: PublicState) -> Iterator[BetMenu]:
        if self._finest is not None:
            yield self._finest
        yield from coarser_and_coarser(state)

    def iterations_for(self, entries: int) -> int:
        """How often a tree of a size is iterated at most."""
        if self.iterations is not None:
            return self.iterations
        planned = PLANNED_SHARE * PROCESSORS * self.seconds
        affordable = (planned - processor_seconds(entries, 0)) / (ITERATION_SECONDS * entries)
        return int(min(max(affordable, 1.0), DEFAULT_ITERATIONS))

    # --- what the clock decides --------------------------------------------------------------------------------------

    def solve(
        self, subject: Lookahead, gadget: Gadget | None = None, leaf_values: LeafValues | None = None
    ) -> Solution:
        """Solve a lookahead in the time that there is.

        Raises
        ------
        StoppedError
            The time is not even enough for one iteration.
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
        least = self._takes(entries, 1)
        if allowed <= least:
            raise StoppedError(
                f"{max(self.left, 0.0):.3g} seconds are left, and the smallest solve of {subject.title} takes about "
                f"{least:.3g}; there is no strategy yet."
            )
        end = self._takes(entries, 0) / PROCESSORS
        clock = _Clock(started + allowed, end)
        found = solve(
            subject,
            self.target or TARGETS[min(subject.game.num_rounds - subject.first_round, len(TARGETS)) - 1],
            max_iterations=self.iterations_for(entries),
            gadget=gadget,
            leaf_values=leaf_values,
            threads=self.threads,
            precision=PRECISION,
            stop=clock.token,
            seconds=max(allowed - end, 0.5 * allowed),
            progress=clock,
        )
        self.cut_short += subject is not given or found.status in (Status.INTERRUPTED, Status.TIME_LIMIT)
        if leaf_values is None:
            took = (time.perf_counter() - started) * PROCESSORS / processor_seconds(entries, found.iterations)
            # Only the clock looks at this: a machine that is busy now may not be so later.
            self._slowness = max(1.0, 0.5 * (self._slowness + took))
        return found

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

    def __init__(self, until: float, end: float) -> None:
        self.token = StopToken()
        self._until = until
        self._end = end

    def __call__(self, now: Progress) -> None:
        if now.iteration:
            end = max(END_ITERATIONS * now.seconds / now.iteration, self._end)
            if time.perf_counter() + end >= self._until:
                self.token.set()


def _entries(subject: Lookahead, gadget: Gadget | None = None) -> int:
    """Entries of the tree of a lookahead: (information set, action) pairs after what suits make equal is merged."""
    apart = () if gadget is None else gadget.apart
    return plan_public_tree(subject, last_street=last_street(subject, None), apart=apart).entries
