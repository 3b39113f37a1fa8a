"""One function to solve anything, in memory or in a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from numpy.typing import ArrayLike

from errai.engine.leaf_values import LeafValues
from errai.engine.loop import ProgressCallback
from errai.engine.precision import Precision
from errai.engine.request import Checkpointing, Request, asked_schedule, check_subject
from errai.engine.schedules import DEFAULT, DEFAULT_IN_STORE, HEAD_START, Algorithm, Schedule, Updates
from errai.engine.strategy import ENCODINGS, Encoding, Returned
from errai.errors import SolverOptionError
from errai.games.lookahead import Lookahead, Solvable, last_street
from errai.kernels.backends import Backend, backend_names
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution, subject_title
from errai.solving.memory import InMemory, gadget_of, solve_in_memory
from errai.solving.options import MemoryOptions, StoreOptions, Told, check_options
from errai.store.checkpoint import CHECKPOINT_SECONDS

if TYPE_CHECKING:
    from errai.cluster.run import StoredRun, StoreEvents
    from errai.engine.leaf_function import Function, HasLeafValues
    from errai.engine.root import Gadget
    from errai.games.lock_file import LockTables


@overload
def solve(
    subject: Solvable, target: str | None = None, *, store: None = None, **settings: Unpack[MemoryOptions]
) -> Solution: ...
@overload
def solve(
    subject: Solvable, target: str | None = None, *, store: str | Path, **settings: Unpack[StoreOptions]
) -> StoredRun: ...
def solve(  # the settings of the signatures above stand here by name
    subject: Solvable,
    target: str | None = None,
    *,
    algorithm: Algorithm | Schedule | None = None,
    max_iterations: int | None = None,
    seconds: float | None = None,
    backend: Backend | None = None,
    threads: int | None = None,
    memory: int | None = None,
    seed: int | None = None,
    menu: str | None = None,
    depth: str | int | None = None,
    leaf_values: LeafValues | HasLeafValues | Function | None = None,
    opponent_values: ArrayLike | None = None,
    opponent: int | None = None,
    gadget: Gadget | None = None,
    strategy: Returned = "average",
    updates: Updates = "alternating",
    average_from: int = 1,
    precision: Precision = "auto",
    encoding: Encoding | None = None,
    locks: Mapping[str, Any] | LockTables | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    resume: bool | None = None,
    start_from: str | Path | None = None,
    store: str | Path | None = None,
    processes: int | None = None,
    cluster: str | None = None,
    cut: int | None = None,
    events: StoreEvents | None = None,
    stop: StopToken | None = None,
    progress: ProgressCallback | bool = False,
) -> Solution | StoredRun:
    """Solve a game or a spot until its exploitability is at most the target, and certify the result.

    A run is held in memory and returns a :class:`~errai.Solution`; or it is kept in a folder, computed by processes of
    this machine or of a cluster, and returns a :class:`~errai.cluster.run.StoredRun`, which names the folder.

    The method is counterfactual regret minimisation over the public tree with vectors of hands, in the variant that
    ``algorithm`` names; see docs/maths.md.  The certificate is computed in float64 from the strategy that is returned.

    Parameters
    ----------
    subject:
        A game or a spot, from :func:`errai.load_game` or :func:`errai.load_spot`.
    target:
        Exploitability to reach: ``0.3%pot``, ``1mbb`` or ``0.5chips``.  Without a target and a limit it is 1 mbb for
        games and 0.5 % of the pot for spots.
    algorithm:
        ``cfr``, ``cfr+``, ``linear``, ``dcfr``, ``dcfr4``, ``dcfr-foresight`` (the default), ``dcfr4+`` (the default in
        a folder), ``pcfr+``, ``hs-dcfr-30``, ``hs-dcfr-15``, ``hs-pcfr+-30``, ``hs-pcfr+-15`` (the exponents of these
        four change over 1,000 iterations, those of ``hs-dcfr-30:2000`` over 2,000), or a
        :class:`~errai.engine.schedules.Schedule`, which :meth:`errai.Schedule.of` makes of own code.  In a folder only
        those without prediction and without a local rule, with alternating updates, can be used.
    max_iterations, seconds:
        Limits.  A run that reaches one before the target is no error; its status says so.  Seconds include building the
        tree.
    backend, threads:
        ``cpu``, ``reference``, or ``cuda`` if there is a GPU and PyTorch; and the number of threads, by default all
        processors that the process may use.  Results do not depend on the threads.
    memory:
        Bytes that the arrays may use; by default nine tenths of what is free.
    seed:
        Only recorded in the solution: full-width solving draws nothing at random.
    menu:
        Bet sizes of a no-limit game, such as ``"50%, 100%, a"``; spots have their own.
    depth, leaf_values:
        Cut the tree after the street ``depth`` (``flop``, or the number of a round of the game from 0; cards must be
        dealt after it), and take the values at its leaves from ``leaf_values``: a function of :class:`errai.Leaves`, an
        object of :class:`errai.LeafValues`, or a value network (:func:`errai.load_net`), which determines ``depth``
        itself.  The certificate is for the cut game with these values.  See docs/extending.md.
    opponent_values, opponent:
        Re-solve with the gadget of Burch et al. (:mod:`errai.engine.root`): at the root each of the opponent's hands
        may end the game for the value given here instead of playing.  Values are counterfactual values, float64[H], as
        ``solution.root_values.counterfactual`` has them; those of hands outside the opponent's range are not read.
        ``opponent`` is 0 or 1, by default the player who does not act first.  The exploitability is that of the game
        with this choice, which must be zero-sum.
    gadget:
        Another gadget above the root, such as those of :mod:`errai.resolving.gadgets`.
    strategy:
        Whether the ``average`` or the ``current`` strategy is returned and certified.
    updates:
        ``alternating`` or ``simultaneous``; a schedule that says ``simultaneous`` itself is run so.
    average_from:
        The first iteration whose strategy enters the average.  The weights of iterations still count from iteration 1.
        Any algorithm takes it, in memory and in a folder, and a run must be resumed with the same one.  Measurements
        and the certificate are those of this average; before that iteration, those of the current strategy.
    precision:
        Number format of the solver's own arrays: ``float64``; ``float32``; ``fixed16``, which takes half the memory of
        float32 and less time and reaches about 0.06 % of the pot (only with alternating updates and without prediction;
        averages are then never weighted by the player's own reach); ``average8``, the same with averages in 8 bits,
        which takes three quarters of its memory and is meant for targets of 0.3 % of the pot and more; or ``auto``.
        ``auto`` is float64 for the reference backend, and for small trees unless the target is at least 0.1 % of the
        pot; otherwise fixed16 for large trees with a target of at least 0.05 % of the pot, or if nothing wider fits
        into the memory, and average8 if that does not fit either and the target is at least 0.3 % of the pot; otherwise
        float32.  See :func:`errai.engine.precision.chosen_precision`.  A run that is resumed keeps the precision of its
        checkpoint.
    encoding:
        Number format of the returned strategy: ``float64``, ``float32``, ``uint16`` or ``uint8``.  By default small
        trees keep the format in which they were computed, and large ones are stored in 16 bits, or in 8 after
        ``average8``.
    locks:
        Parts of the strategy that are fixed instead of solved: for each line of play a table of hands with the
        frequency of each action, such as ``{"check / 7s / check": {"AA, KK": {"bet 80": 1}, "QQ": "best"}}``, or what
        :func:`errai.load_locks` reads from a file; see docs/spots.md.  The rest of the strategy is solved against them.
    checkpoint, checkpoint_seconds, resume:
        A file to which the run is saved, at intervals of so many seconds and at its end.  ``resume=True`` resumes from
        it, ``False`` raises an error if it exists, and None, the default, resumes if it exists.
    start_from:
        The checkpoint of a run of a similar spot, whose regrets this run starts from.  Board, hands and lines must be
        the same; weights, pot, stacks, bet sizes, rake and locks may differ.  The average leaves the other run out.  To
        0.5 and 0.3 % of the pot it takes about half as many iterations as a run from the beginning.  The strategy of
        that checkpoint is measured here too; if it is better than that of this run when it ends, it is what is returned
        and certified, and ``solution.settings["strategy"]`` is ``start``.
    store:
        A folder that holds the run: the streets above a cut are kept in memory, and the subgames below it in blocks
        that are streamed from the disk (:mod:`errai.cluster.run`).  If the folder holds a run of the same game and
        settings, it is resumed.  The updates and their order are the same as in memory, so the strategy is the same up
        to rounding. Without averages (``strategy="current"``, as Cepheus did) it takes half the disk.  Such a run takes
        no backend, threads, encoding, checkpoint, start_from, locks, depth, values or seed.
    processes, cluster:
        What computes the blocks of a store: a number of processes, by default one for each processor; or Ray, where
        ``local:2`` starts it here with two workers, and ``auto`` and ``ray://host:port`` join a cluster that runs.
        Results do not depend on it.
    cut:
        The first street on disk, counted from the root; by default it is chosen by the memory.
    events:
        Callbacks that are told how a store is divided, and which blocks are finished or recomputed.
    stop:
        A token that any thread may set.  The run then ends after the current batch of iterations with a valid result
        whose status is ``interrupted``; while the tree is still being built, :class:`StoppedError` is raised.  This
        function handles no signals: Ctrl-C raises KeyboardInterrupt, and the last checkpoint remains.
    progress:
        A function called with a :class:`~errai.engine.loop.Progress` after every batch, and a few times a second while
        a large tree is built; True draws a bar on standard error.  If it fails, the run ends with an error that says
        where, and the last checkpoint remains.

    Raises
    ------
    TargetError, SolverOptionError, BackendError, TreeTooLargeError, UnsupportedGameError, LockError, InputError
        If something about the request is wrong; nothing has been computed.
    MismatchError, DamagedFileError
        If the checkpoint belongs to another run, or is not complete.
    LeafValuesError, SubgameError
        If leaf values, a gadget or a root of the caller's own fail or answer with something that cannot be used; the
        message names the place.  They are asked throughout the run, whose checkpoint remains.
    CertificateError
        If the exploitability is not a finite number, or a gain is below 0.
    RunInUseError, DiskSpaceError, FileAccessError, WorkerLostError
        If another process works in the folder, the disk is full (or too small for a new run), or workers are lost
        repeatedly.  The run can be resumed.
    StoppedError
        If the token was set or the time was over before the tree was built, so that there is no strategy yet.

    Examples
    --------
    >>> import errai
    >>> leduc = errai.load_game("leduc")
    >>> solution = errai.solve(leduc, "1mbb")
    >>> print(solution.status)
    target met
    >>> solution.exploitability.mbb < 1
    True
    >>> round(solution.values.chips[0], 2)
    -0.09
    >>> solution["check"].actions
    ('check', 'bet 2')
    """
    check_subject(subject)
    check_options(
        max_iterations=max_iterations,
        seconds=seconds,
        backend=backend,
        threads=threads,
        memory=memory,
        seed=seed,
        menu=menu,
        strategy=strategy,
        updates=updates,
        precision=precision,
        encoding=encoding,
        checkpoint=checkpoint,
        start_from=start_from,
        store=store,
        processes=processes,
        cluster=cluster,
        cut=cut,
        events=events,
        stop=stop,
        progress=progress,
    )
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
        "start_from": start_from,
    }
    in_store = {"processes": processes, "cluster": cluster, "cut": cut, "events": events}
    wrong = [name for name, given in (in_store if store is None else in_memory).items() if given is not None]
    if wrong:
        belongs = "needs a run in a folder: give store" if store is None else "cannot be used for a run in a folder"
        raise SolverOptionError(f"{wrong[0]} {belongs}.")
    if algorithm is None:
        algorithm = DEFAULT if store is None else DEFAULT_IN_STORE
    schedule = asked_schedule(algorithm, updates, average_from)
    request = Request(
        subject=subject,
        schedule=schedule if start_from is None else replace(schedule, head_start=schedule.head_start or HEAD_START),
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
        raise SolverOptionError("A cut tree needs both: depth, the street after which it is cut, and leaf_values.")
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
        start_from=start_from,
    )
    with _callback(progress, request) as callback:
        return solve_in_memory(request, how, callback)


@contextmanager
def _callback(progress: ProgressCallback | bool, request: Request) -> Iterator[ProgressCallback | None]:
    """Yield the caller's own callback, a bar on standard error for True, or None for False."""
    if progress is None or progress is False:
        yield None
    elif not isinstance(progress, bool):
        yield Told(progress)
    else:
        from errai.engine.progress_view import ProgressView, unit_of

        with ProgressView(
            subject_title(request.subject), unit_of(request.target, request.subject), sys.stderr.isatty()
        ) as view:
            yield view
