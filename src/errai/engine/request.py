"""The request for a run, wherever it is executed: what is solved and how, to which target, and with which limits."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import Any

from errai.engine.certificate import StrategyProfile
from errai.engine.leaf_values import LeafMeasurement
from errai.engine.loop import ProgressCallback, Solver
from errai.engine.root import Entering
from errai.engine.schedules import Schedule, checked_average_from, find_schedule
from errai.engine.status import Status
from errai.engine.units import Exploitability, Target, Units
from errai.errors import ErraiError, FileAccessError, InputError, MismatchError, SolverOptionError
from errai.games.game import Subject
from errai.kernels.protocol import Arrays
from errai.options import MOST_AT_ONCE, Option, declared
from errai.own_code import described, number_of
from errai.running.stopping import StopToken, from_time_to_time
from errai.tree.public_tree import TreePlan

DEFAULT_GAME_TARGET = "1mbb"
DEFAULT_SPOT_TARGET = "0.5%pot"

KINDS: dict[str, tuple[Any, str]] = {
    "text": (str, "a text"),
    "file": (str | os.PathLike, "the path of a file or folder"),
    "switch": (bool, "True or False"),
}
"""What the value of an option is an instance of, by its kind, and in words."""

PRECISION_FLOOR = {"average": 0.1, "current": 0.01}
"""The fraction of the target down to which the average is driven while the returned strategy does not meet the target.

The keys are the names of the returned strategy.  The current strategy is often 50 times worse than the average, and
improves with it."""


@dataclass(frozen=True)
class Request:
    """One run, with the parameters of :func:`errai.solve`.

    Raises :class:`InputError` or :class:`SolverOptionError` if the subject is not a game, spot or lookahead, a limit is
    not above 0, the strategy does not exist, or a menu is given although the subject has its own bet sizes.
    """

    subject: Subject
    schedule: Schedule
    target: str | None = None
    """The target as text; None if only limits were given."""
    menu: str | None = None
    strategy: str = "average"
    precision: str = "auto"
    memory: int | None = None
    max_iterations: int | None = None
    seconds: float | None = None
    stop: StopToken | None = None

    def __post_init__(self) -> None:
        check_subject(self.subject)
        if self.strategy not in PRECISION_FLOOR:
            raise SolverOptionError(f"The strategy is 'average' or 'current', not {self.strategy!r}.")
        check_limits(max_iterations=self.max_iterations, seconds=self.seconds, memory=self.memory)
        checked_average_from(self.schedule.average_from, self.max_iterations)
        if self.subject.whole_game is None and self.menu is not None:
            raise InputError("A spot or a lookahead carries its own bet sizes; change them there, not by a menu.")
        if self.target is None and self.max_iterations is None and self.seconds is None:
            object.__setattr__(self, "target", default_target(self.subject))

    def goal(self, plan: TreePlan) -> Target | None:
        """Return the target in chips.  Raises :class:`TargetError` if it cannot be parsed."""
        return (
            None if self.target is None else Target.parse(self.target, Units.of(plan.subject, plan.betting.initial_pot))
        )


def check_subject(subject: Any, what: str = "What is solved") -> None:
    """Raise :class:`InputError` unless the subject can be solved; ``what`` is the subject of the message."""
    if not isinstance(subject, Subject):
        raise InputError(
            f"{what} is a game, a spot or a lookahead, not {subject!r:.80}; "
            "load one with errai.load_game('leduc') or errai.load_spot('spot.toml')."
        )


def asked_schedule(algorithm: str | Schedule, updates: str, average_from: int = 1) -> Schedule:
    """Return the variant of an algorithm.

    Raises :class:`SolverOptionError` for an unknown algorithm, unknown updates, or an invalid first averaged iteration.
    """
    if updates not in ("alternating", "simultaneous"):
        raise SolverOptionError(f"Updates are 'alternating' or 'simultaneous', not {updates!r}.")
    changes: dict[str, Any] = {"simultaneous": True} if updates == "simultaneous" else {}
    if (first := checked_average_from(average_from)) != 1:
        changes["average_from"] = first
    return find_schedule(algorithm, **changes)


def checked(options: Mapping[str, Any], *groups: type, error: type[ErraiError] = SolverOptionError) -> Any:
    """Return the options of a call with the defaults of those that are not given, as these groups declare them.

    Raises an ``error`` for one of the wrong kind.  What names and files may be said is checked where they are used,
    before anything is computed.
    """
    known = {name: option for name, (_, option) in declared(*groups).items()}
    for name, value in options.items():
        if name not in known:
            raise TypeError(f"There is no option {name!r}; the options are {', '.join(known)}.")
        if value is not None or known[name].default is not None:
            _check(name, value, known[name], error)
    return {name: option.default for name, option in known.items()} | dict(options)


def _check(name: str, value: Any, option: Option, error: type[ErraiError]) -> None:
    kind, what = KINDS.get(option.kind, (None, ""))
    if kind is not None and not isinstance(value, kind):
        raise error(f"{name} must be {what}, not {described(value)}.")
    if option.kind in ("count", "seconds", "bytes"):
        check_limits(error, **{name: value})
    if option.kind == "seed":
        number_of(value, name, low=0, whole=True, error=error)
    if name == "stop" and (isinstance(value, type) or not callable(getattr(value, "is_set", None))):
        raise error(f"stop must be an errai.StopToken, not {described(value)}.")
    if name == "progress" and not isinstance(value, bool) and (isinstance(value, type) or not callable(value)):
        raise error(f"progress must be a function, True or False, not {described(value)}.")


def check_limits(error: type[ErraiError] = SolverOptionError, **limits: float | None) -> None:
    """Raise an ``error`` if one of these limits is given and is no finite number above 0.

    All but ``seconds`` and ``memory`` must be whole, and ``threads`` and ``processes`` are at most
    :data:`MOST_AT_ONCE`.
    """
    for name, limit in limits.items():
        if isinstance(limit, Real) and not limit > 0:
            raise error(f"{name} must be above 0, not {limit}.")
        if limit is not None:
            most = MOST_AT_ONCE if name in ("threads", "processes") else math.inf
            number_of(limit, name, high=most, whole=name not in ("seconds", "memory"), error=error)


def default_target(subject: Subject) -> str:
    """Return the default target of a subject."""
    return DEFAULT_SPOT_TARGET if subject.whole_game is None else DEFAULT_GAME_TARGET


@dataclass(frozen=True)
class Checkpointing:
    """Where and how often a run is saved, if at all, and whether an existing checkpoint is resumed."""

    path: Path | None
    every_seconds: float
    resume: bool | None

    @classmethod
    def of(cls, path: str | Path | None, every_seconds: float, resume: bool | None) -> Checkpointing:
        """Check a caller's settings.

        Raises :class:`SolverOptionError`, :class:`FileAccessError` if there is no folder for the file, and
        :class:`MismatchError` if there is a file that must not be resumed.
        """
        number_of(every_seconds, "checkpoint_seconds", low=0.0, finite=False, error=SolverOptionError)
        if not (resume is None or isinstance(resume, bool)):
            raise SolverOptionError(f"resume is True, False or None, not {described(resume)}.")
        made = cls(None if path is None else Path(path), every_seconds, resume)
        if made.path is not None and not made.path.parent.is_dir():
            raise FileAccessError(f"There is no folder {made.path.parent} for the checkpoint {path}; make it first.")
        if made.path is not None and made.path.exists() and resume is False:
            raise MismatchError(f"There is a checkpoint {path} already; resume it, or choose another file.")
        return made

    @property
    def resumed_from(self) -> Path | None:
        """The checkpoint that the run resumes, or None."""
        if self.path is None or self.resume is False or (self.resume is None and not self.path.exists()):
            return None
        return self.path

    def between(self, save: Callable[[], None]) -> Callable[[], None] | None:
        """Return the function that is called after every batch, or None."""
        return None if self.path is None else from_time_to_time(save, self.every_seconds)


@dataclass(frozen=True)
class Certified:
    """The result of a run with its certificate."""

    status: Status
    strategy: Arrays
    certificate: Exploitability
    values: tuple[float, float]
    """Net chips per hand of each player under the strategy."""
    leaves: LeafMeasurement | None
    """The values of the leaves under the strategy."""
    entering: Entering | None
    """What enters at the root under the strategy, if it is not the ranges."""


def certified(solver: Solver, request: Request, strategy: Arrays, status: Status) -> Certified:
    """Certify a strategy in its final encoding, in float64."""
    leaves = solver.leaves(strategy, request.strategy, twice=True)
    entering = solver.entering(request.strategy)
    profile = StrategyProfile(solver.tree, solver.kernel, strategy, leaves, entering)
    certificate, values = profile.certificate(solver.units)
    return Certified(status, strategy, certificate, values, leaves, entering)


def run_certified(
    solver: Solver,
    request: Request,
    aim_chips: float | None,
    finish: Callable[[], Arrays],
    *,
    max_seconds: float | None,
    progress: ProgressCallback | None,
    between: Callable[[], Any] | None,
) -> Certified:
    """Iterate until the strategy, *in its final encoding*, meets the target in float64, or a limit is reached.

    ``finish`` is called whenever the loop has stopped, and returns the strategy that is certified.  Raises
    :class:`CertificateError` if numbers of the run are not finite, and :class:`LeafValuesError` and
    :class:`SubgameError` if users' code below or above the tree does not keep to its contract.
    """
    status = None
    if aim_chips is not None and (solver.has_met(aim_chips) or solver.has_stalled()):
        # A run that was killed just after it ended is resumed to the same end, not past it.
        status = Status.TARGET_MET if solver.has_met(aim_chips) else Status.PRECISION_LIMIT
    while True:
        if status is None:
            status = solver.run(
                target_chips=aim_chips,
                max_iterations=request.max_iterations,
                max_seconds=max_seconds,
                stop=request.stop,
                progress=progress,
                between=between,
            )
        found = certified(solver, request, finish(), status)
        if aim_chips is not None and found.certificate.chips <= aim_chips:
            return replace(found, status=Status.TARGET_MET)
        if aim_chips is None or status is not Status.TARGET_MET:
            return found
        measured = solver.curve[-1][2]
        lost_by_rounding = found.certificate.chips - measured if request.strategy == solver.strategy else 0.0
        too_coarse = lost_by_rounding >= aim_chips or measured <= PRECISION_FLOOR[request.strategy] * aim_chips
        if too_coarse or solver.has_stalled():
            return replace(found, status=Status.PRECISION_LIMIT)
        # The measurement met the target, but a quick measurement was too low, rounding to the encoding increased the
        # exploitability, or the current strategy was asked for.  Continue to the next measurement.  The target stays,
        # so that a resumed run measures at the same iterations as the whole run.
        status = None
