"""One function to solve anything, in memory or in a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, get_args, overload

from errai.engine.loop import Progress, ProgressCallback
from errai.engine.request import Request, asked_schedule, check_subject, checked
from errai.engine.schedules import HEAD_START, Schedule
from errai.errors import SolverOptionError
from errai.games.game import GameRules, Subject
from errai.options import (
    DEFAULT,
    DEFAULT_IN_STORE,
    IN_MEMORY,
    IN_STORE,
    ExtensiveAlgorithm,
    MemoryOptions,
    StoreOptions,
    takes,
)
from errai.own_code import described, faults_named
from errai.solutions.solution import Solution
from errai.solving.memory import solve_in_memory

if TYPE_CHECKING:
    from errai.cluster.run import StoredRun
    from errai.extensive.solve import ExtensiveSolution


@overload
def solve(subject: Subject, target: str | None = None, **options: Unpack[MemoryOptions]) -> Solution: ...
@overload
def solve(subject: Subject, target: str | None = None, **options: Unpack[StoreOptions]) -> StoredRun: ...
@overload
def solve(subject: Any, target: str | None = None, **options: Any) -> ExtensiveSolution: ...
@takes(MemoryOptions, StoreOptions)
def solve(subject: Any, target: str | None = None, **options: Any) -> Solution | StoredRun | ExtensiveSolution:
    """Solve a game or a spot until its exploitability is at most the target, and certify the result.

    A run is held in memory and returns a :class:`~errai.Solution`; or it is kept in a folder (``store``), computed by
    processes of this machine or of a cluster, and returns a :class:`~errai.cluster.run.StoredRun`, which names the
    folder.  If the folder holds a run of the same game and settings, it is resumed.

    The method is counterfactual regret minimisation over the public tree with vectors of hands, in the variant that
    ``algorithm`` names; see docs/maths.md.  The certificate is computed in float64 from the strategy that is returned.

    Parameters
    ----------
    subject:
        A game or a spot, from :func:`errai.load_game` or :func:`errai.load_spot`.
    target:
        Stop at this exploitability: 0.3%pot, 1mbb or 0.5chips.  Without a target and a limit it is 1 mbb for
        games and 0.5 % of the pot for spots.
    {options}

    A game in extensive form, from :func:`errai.extensive_game` or what that takes, is solved by
    :func:`errai.extensive.solve_extensive`, which has the methods and the options that such games take; so are poker
    games and spots if ``algorithm`` is one of its methods, such as ``lp``.

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
    if options.get("rule") is not None:
        options = _by_rule(options, isinstance(subject, Subject))
    algorithm = options.get("algorithm")
    asks = isinstance(algorithm, str) and algorithm in get_args(ExtensiveAlgorithm)
    if asks if isinstance(subject, Subject) else is_extensive(subject):
        from errai.extensive.solve import solve_requested

        return solve_requested(subject, target, options)
    check_subject(subject)
    asked = checked(options, MemoryOptions, StoreOptions)
    store, algorithm, start_from = asked["store"], asked["algorithm"], asked["start_from"]
    for name in options:
        if asked[name] is not None and name in (IN_STORE if store is None else IN_MEMORY):
            belongs = "needs a run in a folder: give store" if store is None else "cannot be used for a run in a folder"
            raise SolverOptionError(f"{name} {belongs}.")
    if algorithm is None:
        algorithm = DEFAULT if store is None else DEFAULT_IN_STORE
    schedule = asked_schedule(algorithm, asked["updates"], asked["average_from"])
    common = ("menu", "strategy", "precision", "memory", "max_iterations", "seconds", "stop")
    request = Request(
        subject=subject,
        schedule=schedule if start_from is None else replace(schedule, head_start=schedule.head_start or HEAD_START),
        target=target,
        **{name: asked[name] for name in common},
    )
    if store is not None:
        from errai.cluster.run import StoreEvents, solve_in_store

        events = StoreEvents() if asked["events"] is None else asked["events"]
        if not isinstance(events, StoreEvents):
            raise SolverOptionError(f"events must be a StoreEvents, not {described(events)}.")
        where = asked["processes"], asked["cluster"], asked["cut"]
        with _callback(asked["progress"], request) as callback:
            return solve_in_store(request, Path(store), *where, callback, events)
    with _callback(asked["progress"], request) as callback:
        return solve_in_memory(request, asked, callback)


def _by_rule(options: dict[str, Any], is_poker: bool) -> dict[str, Any]:
    """Return options with an algorithm of a local rule in the place of the rule."""
    from errai.engine.rules import rule_name

    if options.get("algorithm") is not None:
        raise SolverOptionError(
            "Give an algorithm or a rule; errai.Schedule.of(name, coefficients, rule=...) has both."
        )
    rule = options["rule"]
    given = {name: value for name, value in options.items() if name != "rule"}
    backend = {"backend": options.get("backend") or "reference"} if is_poker else {}
    return given | {"algorithm": Schedule.of(rule_name(rule), rule=rule)} | backend


def is_extensive(what: Any) -> bool:
    """Whether something is a game in extensive form, or rules of one; nothing is imported to find out."""
    kind = type(what)
    spiel = kind.__module__.split(".")[0] == "pyspiel"
    rules = all(hasattr(kind, name) for name in ("start", "information", "payoffs"))
    return spiel or rules or hasattr(what, "decisions") or isinstance(what, GameRules)


class Told:
    """A progress callback whose errors name it; what is measured stays as it is."""

    def __init__(self, callback: ProgressCallback) -> None:
        self._callback = callback
        part = getattr(callback, "part", None)
        self.part: Callable[[int, int], Any] | None = part if callable(part) else None
        """Called with (blocks done, blocks) by runs in a folder, if the callback can be."""

    def __call__(self, progress: Progress) -> None:
        """Call the callback.  Raises :class:`SolverOptionError` with the file and the line if it fails."""
        at = f"at iteration {progress.iteration:,}"
        with faults_named("The progress callback", SolverOptionError, lambda: at):
            self._callback(progress)


@contextmanager
def _callback(progress: ProgressCallback | bool, request: Request) -> Iterator[ProgressCallback | None]:
    """Yield the caller's own callback, a bar on standard error for True, or None for False."""
    if progress is None or progress is False:
        yield None
    elif not isinstance(progress, bool):
        yield Told(progress)
    else:
        from errai.engine.progress_view import ProgressView, unit_of

        with ProgressView(request.subject.label, unit_of(request.target, request.subject)) as view:
            yield view
