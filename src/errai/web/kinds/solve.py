"""Solves as jobs: what may be asked for, how large it is, and the solve itself."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from errai.console import bytes_text
from errai.engine.resources import RunPlan, default_threads
from errai.errors import DamagedFileError, InputError, MismatchError, SolverOptionError, StoppedError, TreeTooLargeError
from errai.games.game import Subject
from errai.games.lock_file import parse_locks
from errai.games.spot import Spot
from errai.options import NET_TARGET, OPTIONS, Precision, option_words
from errai.solving.estimate import planned_run
from errai.web import files
from errai.web.files import NAME_PATTERN, START, Workspace
from errai.web.job_files import Asked, Ended, Work
from errai.web.jobs import BaseRequest, NewJob
from errai.web.models import Body, GameSubject, SpotSubject

if TYPE_CHECKING:
    from errai.engine.leaf_values import LeafValues
    from errai.engine.loop import Progress
    from errai.nets.network import LeafPredictor
    from errai.solutions.solution import Solution

LEAST_CHECKPOINT_SECONDS = 5.0
CHECKPOINT_BYTES_A_SECOND = 2e7
"""A run is saved so often that writing its checkpoints takes a few per cent of the time."""

STARTS_BYTES = 4 << 30
"""What the regrets that are kept beside solutions may take together; the oldest go first."""

MAX_NODES = 500_000
"""The largest number of betting nodes: to lay out larger trees must not keep the server from answering."""

ADVICE_SECONDS = 2.0
"""How long smaller trees are tried to find out which size to leave out."""


def declared(name: str, help: str = "", **limits: Any) -> Any:
    """Return a field of a request that is an option of a solve, with its bounds; ``help`` is what differs here."""
    option = OPTIONS[name]
    least: dict[str, Any] = {"count": {"ge": 1}, "seconds": {"gt": 0}}.get(option.kind, {})
    return Field(default=None, description=help or option.help, **least, **limits)


class SolveSettings(Body):
    """The settings of a solve; those that are left out are chosen as `errai solve` chooses them."""

    target: str | None = declared("target", max_length=40)
    max_iterations: int | None = declared("max_iterations", le=10**12)
    seconds: float | None = declared("seconds", le=1e9)
    algorithm: str | None = declared("algorithm", max_length=40)
    menu: str | None = declared("menu", max_length=1000)
    threads: int | None = declared("threads", le=1024)
    precision: Precision | None = declared("precision")
    locks: str | None = declared("locks", "the text of a file of locks (docs/spots.md)", max_length=1 << 20)
    net: str | None = Field(default=None, max_length=40, description="a network of the package, or check-down or zero")
    start_from: str | None = declared(
        "start_from",
        "a solution that was made here: the run starts from its regrets if they are kept and its lines are the same",
        max_length=100,
        pattern=NAME_PATTERN,
    )

    def checked(self, subject: Subject) -> dict[str, Any]:
        """Return the settings as :func:`errai.solve` takes them, but for the network and the start."""
        found = self.model_dump(exclude_none=True, exclude={"locks", "net", "start_from"})
        if self.menu is not None and subject.whole_game is None:
            raise InputError("A spot has its own bet sizes; change them there, and leave out the menu.")
        if self.locks is not None and self.locks.strip():
            if self.net is not None:
                raise InputError("Locks cannot be used with a network.")
            found["locks"] = parse_locks(self.locks)
        if self.net is not None:
            shipped_predictor(self.net, subject)
            if self.start_from is not None:
                raise InputError("A solve over a network starts from nothing; leave out what it starts from.")
            if not {"target", "max_iterations", "seconds"} & found.keys():
                found["target"] = NET_TARGET
        return found

    def needs(self, subject: Subject, plan: RunPlan) -> tuple[int, str]:
        """Return the bytes of memory that a planned solve needs, and what is to be known of a network's needs."""
        if self.net is None or subject.first_round or subject.rules.num_board_cards[:2] != (0, 3):
            return plan.memory_bytes, ""
        from errai.nets.below.leaves import ALL_FLOPS, ALL_FLOPS_BYTES

        if not shipped_predictor(self.net, subject).round:
            return plan.memory_bytes, ""  # an auxiliary network has the mean over all flops in it
        return plan.memory_bytes + ALL_FLOPS_BYTES, f"The network looks at all flops. {ALL_FLOPS}"

    def plan(self, subject: Subject) -> RunPlan:
        """Return what the solve needs.  Raises :class:`InputError` or :class:`TreeTooLargeError`."""
        asked = {key: one for key, one in self.checked(subject).items() if key not in ("max_iterations", "seconds")}
        depth = None if self.net is None else subject.first_round
        try:
            return planned_run(subject, depth=depth, max_nodes=MAX_NODES, **asked)
        except TreeTooLargeError as error:
            raise TreeTooLargeError(
                f"The betting tree has more than {MAX_NODES:,} nodes: offer fewer sizes, limit the bets and raises "
                "on a street, or force all-in earlier."
            ) from error


class SolveRequest(BaseRequest):
    """A solve."""

    kind: Literal["solve"]
    settings: SolveSettings = SolveSettings()

    def prepare(self, workspace: Workspace) -> NewJob:
        """Check the request, and return the job.  Raises as :meth:`SolveSettings.plan`."""
        subject = self.subject.read()
        plan = self.settings.plan(subject)
        name = subject.rules.name if subject.whole_game is not None else subject.label or "preflop"
        locks = self.settings.locks
        texts = {"locks.toml": locks} if locks is not None and locks.strip() else {}
        settings = self.settings.model_dump(exclude_none=True, exclude={"locks"})
        said = dict(settings)
        if "start_from" in settings:
            start = workspace.path("solutions", settings["start_from"], START)
            if start.exists():
                said["start_from"] = str(start)
            else:
                del settings["start_from"], said["start_from"]

        def command(folder: Path) -> str:
            words = ["errai", "solve", self.subject.word(folder), *option_words(said)]
            locked = ["--lock", str(folder / "locks.toml")] if texts else []
            return shlex.join([*words, *locked, "-o", f"{folder.name}.errai"])

        return NewJob(
            kind="solve",
            title=self.title or name,
            command=command,
            request={
                "settings": settings,
                "checkpoint_seconds": max(LEAST_CHECKPOINT_SECONDS, plan.state_bytes / CHECKPOINT_BYTES_A_SECOND),
            },
            subject=self.subject,
            files=texts,
            memory_bytes=self.settings.needs(subject, plan)[0],
        )


class AskedSolve(Asked):
    """What ``request.json`` of a solve says; a spot and locks are in the files ``spot.toml`` and ``locks.toml``."""

    kind: Literal["solve"]
    settings: SolveSettings
    checkpoint_seconds: float


def request_of(folder: Path) -> SolveRequest:
    """Return what a solve was asked for.  Raises :class:`InputError` for other jobs; :class:`DamagedFileError`."""
    files.require_plain(folder)
    about = files.read_as(Asked, folder / "request.json")
    if about is not None and about.kind != "solve":
        raise InputError(f"This job is a {about.kind}, not a solve.")
    asked, spot = files.read_as(AskedSolve, folder / "request.json"), files.read_text(folder / "spot.toml")
    if asked is None or (asked.game is None and not spot):
        missing = "request.json" if asked is None else "spot.toml"
        raise DamagedFileError(f"The file {folder.name}/{missing} is missing or empty; delete the job.")
    settings = asked.settings.model_copy(update={"locks": files.read_text(folder / "locks.toml")})
    subject = SpotSubject(spot=spot or "") if asked.game is None else GameSubject(game=asked.game)
    return SolveRequest(kind="solve", subject=subject, settings=settings, title=asked.title)


def shipped_predictor(name: str, subject: Subject) -> LeafPredictor:
    """Return a network of the package, or a predictor; no request can name a file.  Raises :class:`InputError`."""
    from errai.nets.network import SHIPPED
    from errai.nets.predictors import UNTRAINED, predictor_after_first_street

    names = (*UNTRAINED, *SHIPPED)
    if name not in names:
        raise InputError(f"There is no network {name!r}; choose one of {', '.join(names)}.")
    return predictor_after_first_street(name, subject)


# --- advice ----------------------------------------------------------------------------------------------------------


def advice(subject: Subject, settings: SolveSettings, plan: RunPlan, allowed: int) -> str:
    """Return what makes a solve fit into so many bytes, in a few sentences."""
    from errai.nets.network import SHIPPED

    smaller = _smaller(subject, settings, plan, allowed)
    for name in SHIPPED if settings.net is None else ():
        over = settings.model_copy(update={"net": name})
        with suppress(InputError, TreeTooLargeError):
            needed, _ = over.needs(subject, over.plan(subject))
            if needed <= allowed:
                size = bytes_text(needed)
                return f"{smaller} With the network {name} after the first street it needs {size} and fits."
    return smaller


def _smaller(subject: Subject, settings: SolveSettings, plan: RunPlan, allowed: int) -> str:
    """Return which bet size makes a solve fit, or helps most, or else what else helps."""
    found: list[tuple[int, str]] = []
    until = time.monotonic() + ADVICE_SECONDS
    for what, smaller in _with_a_size_less(subject):
        if time.monotonic() > until:
            break
        try:
            found.append((settings.plan(smaller).memory_bytes, what))
        except (InputError, TreeTooLargeError):
            continue  # A lock may need the size, or the tree is too large even so.
    fitting = [one for one in found if one[0] <= allowed]
    if fitting:
        needed, what = max(fitting)
        return f"Without {what} it needs {bytes_text(needed)} and fits."
    if found and min(found)[0] < plan.memory_bytes:
        needed, what = min(found)
        return f"Leaving out {what} helps most: it needs {bytes_text(needed)} then, which is still too much."
    try:
        plan.check_memory()
    except TreeTooLargeError as error:
        return str(error)
    return "Close other programs, or wait until the running job has ended."


def _with_a_size_less(subject: Subject) -> Iterator[tuple[str, Spot]]:
    """Yield the spot without one of its bet sizes, for each of them, from the last street on, and what is left out."""
    if not isinstance(subject, Spot) or subject.menu is None:
        return
    spot = subject.to_dict()
    for street, table in reversed(spot["bets"].items()):
        # Both players have one menu, or each has their own.
        own = {f" of {player}": menu for player, menu in table.items() if isinstance(menu, dict)}
        for whose, menu in own.items() or {"": table}.items():
            for action, text in menu.items():
                sizes = [size.strip() for size in text.split(",")] if isinstance(text, str) else []
                for size in filter(None, sizes):
                    menu[action] = ", ".join(one for one in sizes if one != size)
                    yield f"the {action} {size}{whose} on the {street}", Spot.from_dict(spot)
                menu[action] = text


# --- in the worker ---------------------------------------------------------------------------------------------------


def run(work: Work) -> Ended:
    """Solve, and put the solution among the solutions under the name of the job."""
    import errai
    from errai.engine.loop import Progress
    from errai.engine.status import Status
    from errai.web.first_decision import FirstDecision

    request, about = request_of(work.folder), work.request(AskedSolve)
    subject, settings = request.subject.read(), request.settings
    asked = settings.checked(subject)
    # A run that was stopped or killed goes on from there.
    asked["checkpoint"] = work.folder / "checkpoint"
    asked["checkpoint_seconds"] = about.checkpoint_seconds
    if settings.net is not None:
        asked["leaf_values"] = _leaf_values(settings, subject, work)
    measured_at, first = -1, FirstDecision(work.folder)

    def progress(now: Progress) -> None:
        nonlocal measured_at
        first.watch(now)
        work.point(_point(now), always=now.measured_at > measured_at)
        measured_at = now.measured_at

    solve = partial(errai.solve, subject, stop=work.stop, progress=progress, **asked)
    start = _start(work, settings)
    try:
        try:
            solution = solve() if start is None else solve(start_from=start)
        except MismatchError:
            if start is None or work.checkpoints:
                raise
            # Its lines or hands are others.
            start.unlink()
            solution = solve()
    except StoppedError:
        return Ended("stopped")
    count = solution.iterations
    last = Progress(count, solution.seconds, solution.exploitability, count, None, None, None)
    work.point(_point(last), always=True)
    first.write(solution, count, solution.seconds)
    solution.save(work.workspace.path("solutions", work.folder.name, ".errai"))
    result = _result(solution) | {"net": settings.net}
    if solution.status is Status.INTERRUPTED:
        return Ended("stopped", result, work.folder.name)
    if settings.net is not None:
        result["cost"] = _cost(solution, settings, work)
    # The solution is there already, so what cannot be moved or removed now is left.
    with suppress(OSError):
        _keep_start(work, settings)
    return Ended("done", result, work.folder.name)


def _start(work: Work, settings: SolveSettings) -> Path | None:
    """Return the job's own link to the regrets that its run starts or has started from, or None."""
    start = work.folder / "start"
    if settings.start_from is not None and not work.checkpoints:
        with suppress(FileExistsError, FileNotFoundError):
            os.link(work.workspace.path("solutions", settings.start_from, START), start)
    return start if start.exists() else None


def _keep_start(work: Work, settings: SolveSettings) -> None:
    """Put the regrets of a run that has ended beside its solution; the oldest such files go if they take too much."""
    if settings.net is None and (checkpoint := work.folder / "checkpoint").exists():
        checkpoint.replace(work.workspace.path("solutions", work.folder.name, START))
    work.clear()
    (work.folder / "start").unlink(missing_ok=True)
    kept = [entry for _, entry in work.workspace.entries("solutions", START)]
    total = 0
    for entry in sorted(kept, key=lambda entry: entry.stat().st_mtime_ns, reverse=True):
        total += entry.stat().st_size
        if total > STARTS_BYTES:
            Path(entry.path).unlink(missing_ok=True)


def _leaf_values(settings: SolveSettings, subject: Subject, work: Work) -> LeafValues:
    """Return a network's values, which say how many boards they have prepared."""
    from errai.nets.below.leaves import NetLeafValues

    assert settings.net is not None
    found = NetLeafValues(shipped_predictor(settings.net, subject), threads=settings.threads or default_threads())

    def preparing(done: int, total: int) -> None:
        if work.stop.is_set():
            raise StoppedError("Stopped while boards were prepared; there is no strategy yet.")
        work.point({"prepared": done, "to_prepare": total})

    found.preparing = preparing
    return found


def _point(now: Progress) -> dict[str, Any]:
    """Return a point of progress; exploitabilities are null before the first measurement."""
    found, target = now.exploitability, now.target_chips
    known = {} if found is None else found.to_dict()
    return {
        "iteration": now.iteration,
        "seconds": round(now.seconds, 6),
        "built": round(now.built, 4),
        "measured_at": now.measured_at,
        **{f"exploitability_{unit}": known.get(unit) for unit in ("chips", "pot_percent", "mbb")},
        "target_pot_percent": None if found is None or target is None else found.units.pot_percent(target),
    }


def _result(solution: Solution) -> dict[str, Any]:
    return {
        "status": str(solution.status),
        "advice": solution.status.advice,
        "iterations": int(solution.iterations),
        "seconds": float(solution.seconds),
        "exploitability": solution.exploitability.to_dict(),
        "values_chips": _values(solution),
        "precision": str(solution.settings.get("precision")),
        "information_sets": int(solution.information_sets),
        "memory_bytes": int(solution.memory_bytes),
    }


def _values(solution: Solution) -> list[float]:
    """Return what both players have at the root, as a node says it: before the flop with their blinds."""
    subject, posted = solution.subject, (0.0, 0.0)
    if isinstance(subject, Spot) and subject.first_round == 0:
        posted = solution.tree.betting.contributions[0]
    return [float(value + chips) for value, chips in zip(solution.values.chips, posted, strict=True)]


def _cost(solution: Solution, settings: SolveSettings, work: Work) -> dict[str, Any]:
    """Measure what the network costs, by exact solves; where that is impossible, say why."""
    from errai.nets.quality.cost import cost

    def progress(what: str, now: Progress) -> None:
        work.point({**_point(now), "measuring": what})

    try:
        found = cost(solution, stop=work.stop, progress=progress, threads=settings.threads)
    except TreeTooLargeError:
        return {"error": "It was not measured: the exact solves that it takes do not fit into the memory."}
    except StoppedError:
        return {"error": "It was not measured, because the solve was stopped before."}
    except (InputError, SolverOptionError) as error:
        return {"error": f"It was not measured. {error}"}
    return {
        "pot_percent": found.loss.pot_percent,
        "least_pot_percent": found.bounds[0].pot_percent,
        "most_pot_percent": found.bounds[1].pot_percent,
        "exact_value_chips": list(found.value),
        "exact_seconds": found.seconds,
    }
