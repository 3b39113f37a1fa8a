"""Solving from beginning to end: estimate, build, iterate, certify."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards.hands import hand_count
from errai.engine.leaf_function import Function, as_leaf_values
from errai.engine.leaf_values import LeafMeasurement, LeafValues
from errai.engine.loop import Progress, ProgressCallback, Solver, from_time_to_time
from errai.engine.precision import DTYPES
from errai.engine.resources import RunPlan, default_threads, plan_run
from errai.engine.root import Alternatives
from errai.engine.schedules import DEFAULT, Schedule, find_schedule
from errai.engine.status import Status
from errai.engine.strategy import ENCODINGS, encode, exploitability
from errai.engine.units import Exploitability, Target, Units
from errai.errors import InputError, MismatchError, SolverOptionError, StoppedError
from errai.games.game import Game
from errai.games.hand import rules_of
from errai.games.lock_file import LockTables
from errai.games.lookahead import Solvable, last_street
from errai.games.spot import parse_spot
from errai.kernels.backends import backend_names, make_kernel
from errai.kernels.protocol import Arrays, State
from errai.running.stopping import StopToken, stops
from errai.solutions.artefact import checkpoint_settings, menu_of, resume_run, save_run
from errai.solutions.solution import Below, Solution, profile_values, subject_title
from errai.tree.public_tree import TreePlan, build_public_tree, plan_public_tree

LOOK_EVERY_SECONDS = 0.25
"""How often the limits are looked at while a tree is made; small trees are made before the first time."""

CHECKPOINT_SECONDS = 60.0
"""How often a run is saved unless told otherwise."""

PRECISION_FLOOR = {"average": 0.1, "current": 0.01}
"""How far below the target the average is driven when what is returned, this strategy, stays above it.

The current strategy is often 50 times worse than the average, and follows it."""

DEFAULT_GAME_TARGET = "1mbb"
DEFAULT_SPOT_TARGET = "0.5%pot"


HEADER_BYTES = 4096
"""What a file takes beside its arrays, about."""


@dataclass(frozen=True)
class Estimate:
    """What a solve needs, before anything of size is made."""

    title: str
    nodes: int
    """Betting nodes, without cards."""
    boards: tuple[int, ...]
    """Boards per street, merged as :func:`solve` merges them."""
    information_sets: int
    """Information sets that the solver tells apart."""
    entries: int
    """(information set, action) pairs: what is stored and iterated over."""
    precision: str
    """What ``auto`` stands for."""
    memory_bytes: int
    """Peak memory of the arrays of a solve."""
    disk_bytes: int
    """Size of the solution file."""
    checkpoint_bytes: int
    """Size of one checkpoint."""
    seconds_per_iteration: float
    """From a rate measured on this machine just now."""


def estimate(
    subject: Solvable,
    target: str | None = None,
    *,
    menu: str | None = None,
    depth: str | int | None = None,
    algorithm: str | Schedule = DEFAULT,
    updates: str = "alternating",
    threads: int | None = None,
    memory: int | None = None,
    precision: str = "auto",
    locks: Mapping[str, Any] | LockTables | None = None,
) -> Estimate:
    """Say exactly how large the tree is, and about how much memory, disk and time a solve takes.

    Only the betting tree is built; boards and hands are counted.  The rate is measured on a small turn spot.  The
    parameters are those of :func:`solve`, and have a say where they decide on the precision.

    Raises
    ------
    InputError, TreeTooLargeError
        As :func:`solve`; but memory that does not suffice is no error.
    """
    _check_subject(subject)
    _check_updates(updates)
    last = last_street(subject, depth)
    tree = plan_public_tree(subject, menu=menu_of(subject, menu), last_street=last, alike=None, locks=locks)
    goal = _goal(tree, _default_target(subject) if target is None else target)
    threads = default_threads() if threads is None else threads
    run = plan_run(
        tree,
        find_schedule(algorithm, simultaneous=updates == "simultaneous"),
        precision,
        target_chips=goal.chips,
        threads=threads,
        memory=memory,
    )
    return Estimate(
        title=subject_title(subject),
        nodes=tree.betting.num_nodes,
        boards=tree.deal_size.boards,
        information_sets=tree.canonical_information_sets,
        entries=tree.entries,
        precision=run.precision,
        memory_bytes=run.memory_bytes,
        disk_bytes=run.finished_bytes + HEADER_BYTES,
        checkpoint_bytes=run.state_bytes + HEADER_BYTES,
        seconds_per_iteration=_seconds_per_entry(run) * tree.entries,
    )


_RATE_SPOT = """
board = "Ks 7h 4d 2c"
pot = 100
stack = 250
[ranges]
oop = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
ip = "22+,A2s+,K9s+,QTs+,JTs,ATo+,KJo+"
[bets.turn]
bet = "50%"
raise = "100%"
[bets.river]
bet = "50%"
raise = "100%"
"""


def _seconds_per_entry(run: RunPlan) -> float:
    """Seconds of one iteration per strategy entry, measured for a few hundredths of a second."""
    tree = build_public_tree(parse_spot(_RATE_SPOT))
    kernel = make_kernel("cpu", tree.arrays, run.threads)
    schedule = run.schedule
    state = State.zeros(
        tree.arrays, DTYPES[run.precision], predictive=schedule.predictive, simultaneous=schedule.simultaneous
    )
    table = schedule.coefficients(1, 10)
    kernel.iterate(state, table, weighted=schedule.weighted)
    started = time.perf_counter()
    kernel.iterate(state, table, weighted=schedule.weighted)
    return (time.perf_counter() - started) / 10.0 / tree.entries


def solve(
    subject: Solvable,
    target: str | None = None,
    *,
    algorithm: str | Schedule = DEFAULT,
    max_iterations: int | None = None,
    seconds: float | None = None,
    backend: str = "cpu",
    threads: int | None = None,
    memory: int | None = None,
    seed: int = 0,
    menu: str | None = None,
    depth: str | int | None = None,
    leaf_values: LeafValues | Function | None = None,
    opponent_values: ArrayLike | None = None,
    opponent: int | None = None,
    strategy: str = "average",
    updates: str = "alternating",
    precision: str = "auto",
    encoding: str | None = None,
    locks: Mapping[str, Any] | LockTables | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool | None = None,
    stop: StopToken | None = None,
    progress: ProgressCallback | bool = False,
) -> Solution:
    """Solve a game or a spot until its exploitability is at most the target, and certify the result.

    Method: counterfactual regret minimisation over the public tree with vectors of hands, in the variant of
    ``algorithm``; see docs/maths.md.  The certificate is computed in float64 from the strategy as it is returned.

    Parameters
    ----------
    subject:
        From :func:`errai.load_game` or :func:`errai.load_spot`.
    target:
        ``0.3%pot``, ``1mbb`` or ``0.5chips``.  With no target and no limit: 1 mbb for games, 0.5 % of the pot for
        spots.
    algorithm:
        ``cfr``, ``cfr+``, ``linear``, ``dcfr``, ``dcfr4``, ``dcfr-foresight`` (the default), ``pcfr+``, or a
        :class:`~errai.engine.schedules.Schedule`.
    max_iterations, seconds:
        Limits; reaching one first is a status, not an error.  Seconds count from where the tree begins to be made.
    backend, threads:
        ``cpu``, ``reference``, or ``cuda`` where there are a GPU and PyTorch; all processors of this process by
        default.  Results do not depend on threads.
    memory:
        Bytes that the arrays may take; by default nine tenths of what is free.
    seed:
        Recorded in the solution.  Full-width solving draws nothing at random.
    menu:
        Bet sizes of a no-limit game, such as ``"50%, 100%, a"``; spots carry their own.
    depth, leaf_values:
        Cut the tree after this street (``flop``, or the number of a round of the game from 0; cards must come after
        it), and let these values stand below it: a function of :class:`errai.Leaves`, or an object of
        :class:`errai.LeafValues`.  The certificate is of the cut game with these values.  See docs/extending.md.
    opponent_values, opponent:
        Re-solve with the gadget of Burch et al. (:mod:`errai.engine.root`): the opponent may refuse to enter at the
        root, hand by hand, for these counterfactual values (float64[H], as ``solution.root_values.counterfactual``
        has them; not read for hands that are not in his range).  The opponent is 0 or 1, by default the player who
        does not act first.  Exploitability is that of the game with this choice; it must be zero-sum.
    strategy:
        ``average`` or ``current``: which one is returned and certified.
    updates:
        ``alternating`` or ``simultaneous``.
    precision:
        The solver's own arrays: ``float64``, ``float32``, ``fixed16`` (half the memory of float32 and less time, down
        to about 0.06 % of the pot; alternating updates without prediction only, and averages that are not weighted by
        the player's own reach), or ``auto``: float64 for the reference backend and for small trees, these unless the
        target is at least 0.1 % of the pot; of the others fixed16 for large trees whose target is at least 0.05 % of
        the pot, and where nothing wider fits into the memory;
        else float32.  See :func:`errai.engine.precision.chosen_precision`.  A run that goes on from a checkpoint
        has the checkpoint's.
    encoding:
        ``float64``, ``float32`` or ``uint16`` for the returned strategy; by default as small trees are computed, and
        16 bits for large ones.
    locks:
        What some hands do at some decisions, given and not learnt: for each line of play a table of hands and how often
        they take each action, as ``{"check / 7s / check": {"AA, KK": {"bet 80": 1}, "QQ": "best"}}``, or what
        :func:`errai.load_locks` reads from a file; docs/spots.md says more.  All others learn to answer.
    checkpoint, checkpoint_seconds, resume:
        A file that the run is saved to from time to time and at its end.  ``resume=True`` goes on from it,
        ``False`` refuses if it exists; None, the default, goes on from it if it is there.
    stop:
        A token that any thread may set.  The run then ends after the batch it is in, with a valid result whose status
        is ``interrupted``; while the tree is still being made, :class:`StoppedError` is raised.  No signal is handled
        here: Ctrl-C raises KeyboardInterrupt, and what the last checkpoint holds remains.
    progress:
        Called with a :class:`~errai.engine.loop.Progress` after every batch, and a few times a second while a large
        tree is made; True draws a bar on standard error.

    Raises
    ------
    TargetError, SolverOptionError, BackendError, TreeTooLargeError, UnsupportedGameError, LockError, InputError
        Something about the request is wrong; nothing has been computed.
    MismatchError, DamagedFileError
        The checkpoint is of another run, or not whole.
    StoppedError
        The token was set, or the seconds were over, before the tree was made: there is no strategy yet.
    """
    _check_subject(subject)
    if strategy not in ("average", "current"):
        raise SolverOptionError(f"The strategy is 'average' or 'current', not {strategy!r}.")
    _check_updates(updates)
    if backend not in backend_names():
        raise SolverOptionError(f"There is no backend {backend!r}; choose one of {', '.join(backend_names())}.")
    for name, limit in (("max_iterations", max_iterations), ("seconds", seconds), ("threads", threads)):
        if limit is not None and not limit > 0:
            raise SolverOptionError(f"{name} must be above 0, not {limit}.")
    if encoding is not None and encoding not in ENCODINGS:
        raise SolverOptionError(f"There is no encoding {encoding!r}; choose one of {', '.join(ENCODINGS)}.")
    if not isinstance(subject, Game) and menu is not None:
        raise InputError("A spot or a lookahead carries its own bet sizes; change them there, not by a menu.")
    last = last_street(subject, depth)
    if (last is None) != (leaf_values is None):
        raise SolverOptionError("A tree that is cut needs both: depth, where it is cut, and leaf_values below that.")
    alternatives = _alternatives(subject, opponent_values, opponent)
    below = None if leaf_values is None else as_leaf_values(leaf_values)
    schedule = find_schedule(algorithm, simultaneous=updates == "simultaneous")
    if checkpoint is not None and Path(checkpoint).exists() and resume is False:
        raise MismatchError(f"There is a checkpoint {checkpoint} already; resume it, or choose another file.")
    goes_on = checkpoint is not None and (resume or (resume is None and Path(checkpoint).exists()))
    smaller: Mapping[str, Any] = {"alike": None, "run_out": False}
    if checkpoint is not None and goes_on:
        smaller, precision = checkpoint_settings(checkpoint, schedule, precision)
    apart = () if alternatives is None else (alternatives,)
    tree = plan_public_tree(subject, menu=menu_of(subject, menu), last_street=last, apart=apart, locks=locks, **smaller)
    if target is None and max_iterations is None and seconds is None:
        target = _default_target(subject)
    goal = None if target is None else _goal(tree, target)
    run = plan_run(
        tree,
        schedule,
        precision,
        target_chips=None if goal is None else goal.chips,
        strategy=strategy,
        encoding=encoding,
        backend=backend,
        threads=default_threads() if threads is None else threads,
        memory=memory,
    )
    run.check_memory()

    def save() -> None:
        if checkpoint is not None:
            save_run(solver, checkpoint, menu)

    with _callback(progress, subject, target) as callback:
        watch = _BuildingWatch(seconds, stop, callback)
        made = tree.build(watch)
        root = None
        if alternatives is not None:
            seat = 1 - int(made.betting.actor[0]) if opponent is None else opponent
            root = Alternatives(made, run.schedule, seat, alternatives)
        solver = Solver(
            made,
            run.schedule,
            backend=backend,
            threads=run.threads,
            precision=run.precision,
            leaf_values=below,
            root=root,
            fresh=not goes_on,
        )
        if checkpoint is not None and goes_on:
            resume_run(solver, checkpoint, menu)
        status, finished, certificate, leaves = _run(
            solver,
            run,
            goal,
            strategy,
            save,
            max_iterations=max_iterations,
            max_seconds=watch.seconds_left(),
            stop=stop,
            progress=callback,
            between=None if checkpoint is None else from_time_to_time(save, checkpoint_seconds),
        )
    if not run.in_place:
        save()
    return Solution(
        tree=solver.tree,
        strategy=finished,
        exploitability=certificate,
        values=profile_values(solver.tree, solver.kernel, finished, leaves, solver.entering(strategy)),
        status=status,
        iterations=solver.iteration,
        seconds=solver.seconds,
        schedule=solver.schedule.to_dict(),
        curve=np.array(solver.curve, dtype=np.float64).reshape(-1, 3),
        encoding=run.encoding,
        menu=menu,
        settings={
            "backend": backend,
            "threads": run.threads,
            "precision": solver.precision,
            "strategy": strategy,
            "seed": seed,
            "target": target,
            **versions(),
        },
        threads=run.threads,
        memory_bytes=run.memory_bytes,
        below=None if below is None else Below.of(below),
        entering=solver.entering(strategy),
        leaves=leaves,
    )


class _BuildingWatch:
    """Looks at the limits of a run while its tree is made, and says now and then how far it is."""

    def __init__(self, seconds: float | None, stop: StopToken | None, progress: ProgressCallback | None) -> None:
        self._seconds = seconds
        self._stop = stop
        self._progress = progress
        self._started = self._looked = time.perf_counter()

    def __call__(self, done: int, count: int) -> None:
        """Look if it is time; raises :class:`StoppedError`."""
        now = time.perf_counter()
        if now - self._looked < LOOK_EVERY_SECONDS:
            return
        self._looked = now
        spent = now - self._started
        if stops(self._stop) or (self._seconds is not None and spent >= self._seconds):
            why = "The run was interrupted" if stops(self._stop) else f"The {self._seconds:g} seconds were over"
            raise StoppedError(
                f"{why} while the tree was being made ({done:,} of {count:,} boards); there is no strategy yet. "
                "`errai estimate` says how large the tree is."
            )
        if self._progress is not None:
            self._progress(Progress(0, spent, None, 0, None, None, self._seconds, built=done / count))

    def seconds_left(self) -> float | None:
        """What is left of the seconds once the tree is made: at least enough for one iteration."""
        return None if self._seconds is None else max(self._seconds - (time.perf_counter() - self._started), 1e-9)


@contextmanager
def _callback(
    progress: ProgressCallback | bool, subject: Solvable, target: str | None
) -> Iterator[ProgressCallback | None]:
    """The caller's own callback, a bar on standard error for True, or none."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress:
        yield None
    else:
        from errai.engine.progress_view import ProgressView, unit_of

        with ProgressView(subject_title(subject), unit_of(target, subject), sys.stderr.isatty()) as view:
            yield view


def _run(
    solver: Solver, run: RunPlan, goal: Target | None, strategy: str, save: Callable[[], None], **limits: Any
) -> tuple[Status, Arrays, Exploitability, LeafMeasurement | None]:
    """Iterate until the strategy *as it is returned* meets the goal, or a limit stops it.

    Returns the status, the strategy, its certificate, and what the leaves are worth under it.
    """
    aim = None if goal is None else goal.chips
    status = None
    if aim is not None and (solver.has_met(aim) or solver.has_stalled()):
        # A run that was killed when it had just ended is resumed to that end, not past it.
        status = Status.TARGET_MET if solver.has_met(aim) else Status.PRECISION_LIMIT
    while True:
        if status is None:
            status = solver.run(target_chips=aim, **limits)
        if run.in_place:
            save()  # The averages are about to become the strategy.
        source = solver.state.sums if strategy == "average" else solver.state.source
        finished = encode(solver.tree, source, run.encoding, in_place=run.in_place)
        leaves, entering = solver.leaves(finished, strategy), solver.entering(strategy)
        certificate = exploitability(solver.tree, solver.kernel, finished, solver.units, leaves, entering)
        if goal is None or aim is None:
            return status, finished, certificate, leaves
        if certificate.chips <= goal.chips:
            return Status.TARGET_MET, finished, certificate, leaves
        if status is not Status.TARGET_MET:
            return status, finished, certificate, leaves
        average = solver.curve[-1][2]
        lost_by_rounding = certificate.chips - average if strategy == "average" else 0.0
        too_coarse = lost_by_rounding >= goal.chips or average <= PRECISION_FLOOR[strategy] * goal.chips
        if too_coarse or solver.has_stalled():
            return Status.PRECISION_LIMIT, finished, certificate, leaves
        # The average met the goal, but rounding to the encoding, or asking for the current strategy, lost it again:
        # go on to the next measurement.  The aim stays, so that a resumed run measures where the whole run would have.
        status = None


def versions() -> dict[str, str]:
    """Versions of what computed a solution."""
    from errai import __version__
    from errai.kernels.cpu import instruction_set

    return {
        "errai": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "instruction_set": instruction_set(),
    }


def _check_subject(subject: Any) -> None:
    if not isinstance(subject, Solvable):
        raise InputError(
            f"What is solved is a game, a spot or a lookahead, not {subject!r:.80}; "
            "load one with errai.load_game('leduc') or errai.load_spot('spot.toml')."
        )


def _alternatives(subject: Solvable, values: ArrayLike | None, opponent: int | None) -> NDArray[np.float64] | None:
    """The opponent's values, one for each hand of the deck; what is not a number is 0 until his range is known."""
    if values is None:
        if opponent is not None:
            raise SolverOptionError("An opponent is named only with opponent_values.")
        return None
    if opponent not in (None, 0, 1):
        raise SolverOptionError(f"The opponent is player 0 or 1, not {opponent!r}.")
    game = rules_of(subject)
    found = np.asarray(values, dtype=np.float64)
    count = hand_count(game.deck.num_cards, game.num_hole_cards)
    if found.shape != (count,):
        raise InputError(f"opponent_values have the shape {found.shape}; it takes one for each of {count:,} hands.")
    return np.where(np.isnan(found), 0.0, found)


def _check_updates(updates: str) -> None:
    if updates not in ("alternating", "simultaneous"):
        raise SolverOptionError(f"Updates are 'alternating' or 'simultaneous', not {updates!r}.")


def _default_target(subject: Solvable) -> str:
    return DEFAULT_GAME_TARGET if isinstance(subject, Game) else DEFAULT_SPOT_TARGET


def _goal(tree: TreePlan, target: str) -> Target:
    return Target.parse(target, Units.of(tree.subject, tree.betting.initial_pot))
