"""Solving: one call, wherever a run lives."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from numpy.typing import ArrayLike

from errai.engine.leaf_values import LeafValues
from errai.engine.loop import ProgressCallback
from errai.engine.request import Checkpointing, Request, asked_schedule, check_limits, check_subject
from errai.engine.schedules import DEFAULT, DEFAULT_IN_STORE, Schedule
from errai.engine.strategy import ENCODINGS
from errai.errors import SolverOptionError
from errai.games.lookahead import Lookahead, Solvable, last_street
from errai.kernels.backends import backend_names
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution, subject_title
from errai.solving.memory import InMemory, gadget_of, solve_in_memory

if TYPE_CHECKING:
    from errai.cluster.run import StoredRun, StoreEvents
    from errai.engine.leaf_function import Function, HasLeafValues
    from errai.engine.root import Gadget
    from errai.games.lock_file import LockTables

CHECKPOINT_SECONDS = 60.0
"""How often a run is saved unless told otherwise."""


@overload
def solve(subject: Solvable, target: str | None = None, *, store: None = None, **settings: Any) -> Solution: ...
@overload
def solve(subject: Solvable, target: str | None = None, *, store: str | Path, **settings: Any) -> StoredRun: ...
def solve(  # type: ignore[misc]  # the settings of the signatures above stand here by name
    subject: Solvable,
    target: str | None = None,
    *,
    algorithm: str | Schedule | None = None,
    max_iterations: int | None = None,
    seconds: float | None = None,
    backend: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    seed: int | None = None,
    menu: str | None = None,
    depth: str | int | None = None,
    leaf_values: LeafValues | HasLeafValues | Function | None = None,
    opponent_values: ArrayLike | None = None,
    opponent: int | None = None,
    gadget: Gadget | None = None,
    strategy: str = "average",
    updates: str = "alternating",
    average_from: int = 1,
    precision: str = "auto",
    encoding: str | None = None,
    locks: Mapping[str, Any] | LockTables | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool | None = None,
    store: str | Path | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    cut: int | None = None,
    events: StoreEvents | None = None,
    stop: StopToken | None = None,
    progress: ProgressCallback | bool = False,
) -> Solution | StoredRun:
    """Solve a game or a spot until its exploitability is at most the target, and certify the result.

    A run lives in memory, and a :class:`~errai.Solution` is returned; or in a folder, in the processes of this machine
    or on a cluster, and a :class:`~errai.cluster.run.StoredRun` is returned, which names the folder.

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
        ``cfr``, ``cfr+``, ``linear``, ``dcfr``, ``dcfr4``, ``dcfr-foresight`` (the default), ``dcfr4+`` (the default
        in a folder), ``pcfr+``, ``hs-dcfr-30``, ``hs-dcfr-15``, ``hs-pcfr+-30``, ``hs-pcfr+-15`` (the exponents of
        these four change over 1,000 iterations, those of ``hs-dcfr-30:2000`` over 2,000), or a
        :class:`~errai.engine.schedules.Schedule`.  In a folder there are those without prediction, with alternating
        updates.
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
        it), and let these values stand below it: a function of :class:`errai.Leaves`, an object of
        :class:`errai.LeafValues`, or a value network (:func:`errai.load_net`), which says itself where the tree is cut.
        The certificate is of the cut game with these values.  See docs/extending.md.
    opponent_values, opponent:
        Re-solve with the gadget of Burch et al. (:mod:`errai.engine.root`): the opponent may refuse to enter at the
        root, hand by hand, for these counterfactual values (float64[H], as ``solution.root_values.counterfactual``
        has them; not read for hands that are not in his range).  The opponent is 0 or 1, by default the player who
        does not act first.  Exploitability is that of the game with this choice; it must be zero-sum.
    gadget:
        Another gadget to stand above the root, such as those of :mod:`errai.resolving.gadgets`.
    strategy:
        ``average`` or ``current``: which one is returned and certified.
    updates:
        ``alternating`` or ``simultaneous``.
    average_from:
        The first iteration whose strategy enters the average; the weights of the algorithm count from 1 all the same.
        Any algorithm takes it, in memory and in a folder, and a run is resumed with the same one.  The measurements and
        the certificate are those of this average; before that iteration, those of the newest strategy.
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
    store:
        A folder in which the run lives: the streets above a cut in memory, and below it blocks that are streamed from
        the disk (:mod:`errai.cluster.run`).  A folder that holds a run of the same game and settings is gone on with.
        The same updates in the same order give the same strategy, up to rounding.  Without averages
        (``strategy="current"``) it takes half the room: what Cepheus did.  A run there has no backend, threads,
        encoding, checkpoint, locks, depth, values or seed to choose.
    processes, cluster:
        Who walks the blocks of a store: so many processes, by default one for each processor; or Ray: ``local:2``
        starts it here with two workers, ``auto`` and ``ray://host:port`` join one that runs.  Results do not depend on
        it.
    cut:
        The first street on disk, counted from the root, for those who know.
    events:
        Who is told how a store is divided, and of blocks that are done or made again.
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
    RunInUseError, DiskSpaceError, FileAccessError, WorkerLostError
        Another process works in the folder; the disk is full or, for a new run, too small; or workers are lost again
        and again.  The run can be gone on with.
    StoppedError
        The token was set, or the seconds were over, before the tree was made: there is no strategy yet.
    """
    check_subject(subject)
    in_memory = {
        "backend": backend,
        "threads": threads,
        "seed": seed,
        "encoding": encoding,
        "depth": depth,
        "leaf_values": leaf_values,
        "opponent_values": opponent_values,
        "opponent": opponent,
        "gadget": gadget,
        "locks": locks,
        "checkpoint": checkpoint,
        "resume": resume,
    }
    in_store = {"processes": processes, "cluster": cluster, "cut": cut, "events": events}
    wrong = [name for name, given in (in_store if store is None else in_memory).items() if given is not None]
    if wrong:
        belongs = "belongs to a run in a folder: give store" if store is None else "does not go with a run in a folder"
        raise SolverOptionError(f"{wrong[0]} {belongs}.")
    check_limits(threads=threads, processes=processes)
    if algorithm is None:
        algorithm = DEFAULT if store is None else DEFAULT_IN_STORE
    request = Request(
        subject=subject,
        schedule=asked_schedule(algorithm, updates, average_from),
        target=target,
        menu=menu,
        strategy=strategy,
        precision=precision,
        memory=memory,
        max_iterations=max_iterations,
        seconds=seconds,
        stop=stop,
    )
    if store is not None:
        from errai.cluster.run import StoreEvents, solve_in_store

        with _callback(progress, request) as callback:
            return solve_in_store(request, Path(store), processes, cluster, cut, callback, events or StoreEvents())
    backend = "cpu" if backend is None else backend
    if backend not in backend_names():
        raise SolverOptionError(f"There is no backend {backend!r}; choose one of {', '.join(backend_names())}.")
    if encoding is not None and encoding not in ENCODINGS:
        raise SolverOptionError(f"There is no encoding {encoding!r}; choose one of {', '.join(ENCODINGS)}.")
    if leaf_values is not None:
        from errai.engine.leaf_function import as_leaf_values

        leaf_values = as_leaf_values(leaf_values)
        if depth is None and not isinstance(subject, Lookahead):
            depth = leaf_values.depth
    last = last_street(subject, depth)
    if (last is None) != (leaf_values is None):
        raise SolverOptionError("A tree that is cut needs both: depth, where it is cut, and leaf_values below that.")
    how = InMemory(
        Checkpointing.of(checkpoint, checkpoint_seconds, resume),
        backend=backend,
        threads=threads,
        seed=seed or 0,
        encoding=encoding,
        last_street=last,
        leaf_values=leaf_values,
        gadget=gadget_of(subject, gadget, opponent_values, opponent),
        locks=locks,
    )
    with _callback(progress, request) as callback:
        return solve_in_memory(request, how, callback)


@contextmanager
def _callback(progress: ProgressCallback | bool, request: Request) -> Iterator[ProgressCallback | None]:
    """The caller's own callback, a bar on standard error for True, or none."""
    if not isinstance(progress, bool):
        yield progress
    elif not progress:
        yield None
    else:
        from errai.engine.progress_view import ProgressView, unit_of

        with ProgressView(
            subject_title(request.subject), unit_of(request.target, request.subject), sys.stderr.isatty()
        ) as view:
            yield view
