"""Reports over flops as jobs: each is a folder ``reports/ID``, as ``errai report`` makes it."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from errai.cards.flops import Flop, all_flops, read_flops
from errai.errors import InputError
from errai.games.lock_file import LockTables, parse_locks
from errai.games.spot import Spot
from errai.options import option_words
from errai.reports.flops import write_flop_report
from errai.solving.flop_report import TARGET, FlopPlan, plan_report, report
from errai.web import files
from errai.web.files import Workspace
from errai.web.job_files import Asked, Ended, Work
from errai.web.jobs import BaseRequest, NewJob
from errai.web.kinds.solve import SolveSettings
from errai.web.models import Body, GivenSubject

FLOPS = len(all_flops())
LIST, LOCKS = "flops.txt", "locks.toml"
"""The files of the job with flops of one's own, and with locks."""


Line = Annotated[str, Field(max_length=4000)]


class ReportSettings(Body):
    """What is solved on each flop, and what is read there."""

    flops: int = Field(default=25, ge=1, le=FLOPS)
    """A set of the package: 25, 49, 95 or 184 flops, or 1755 for all."""
    flop_list: str | None = Field(default=None, max_length=1 << 16)
    """In place of a set: a flop a line, such as `Ks7h2d`, or `Ks7h2d: 24` with a weight."""
    lines: list[Line] | None = Field(default=None, min_length=1, max_length=50)
    """The nodes to read, lines of the flop; by default the first decision and the answers to each of its actions."""
    target: str = Field(default=TARGET, max_length=40)
    """The exploitability to which each flop is solved."""
    locks: str | None = Field(default=None, max_length=1 << 20)
    """The text of a file of locks (docs/spots.md)."""
    processes: int | None = Field(default=None, ge=1, le=256)
    """Number of processes, each with one thread; by default one for each core."""

    def asked(self) -> int | tuple[Flop, ...]:
        """Return the flops.  Raises :class:`InputError` for a faulty list."""
        return self.flops if self.flop_list is None else read_flops(self.flop_list.splitlines(), "The list of flops")

    def tables(self) -> LockTables | None:
        """Return the locks.  Raises :class:`LockError`."""
        return None if self.locks is None or not self.locks.strip() else parse_locks(self.locks)

    def plan(self, subject: GivenSubject) -> tuple[Spot, FlopPlan]:
        """Return the spot, and what its report will take; raises as :func:`errai.report`."""
        spot = subject.read()
        if not isinstance(spot, Spot):
            raise InputError("A report is about a spot that begins on the flop, not about a whole game.")
        # A tree that is too large for this server is refused before it is laid out for each line.
        SolveSettings(target=self.target).plan(spot)
        chosen = {"lines": self.lines, "target": self.target, "processes": self.processes}
        return spot, plan_report(spot, self.asked(), locks=self.tables(), **chosen)  # type: ignore[arg-type]


class ReportRequest(BaseRequest):
    """A report over flops."""

    kind: Literal["report"]
    settings: ReportSettings = ReportSettings()

    def prepare(self, workspace: Workspace) -> NewJob:
        """Check the request, and return the job.  Raises as :meth:`ReportSettings.plan`."""
        settings = self.settings
        spot, plan = settings.plan(self.subject)
        texts = {LIST: settings.flop_list, LOCKS: settings.locks if settings.tables() else None}
        options = option_words({"target": settings.target, "processes": settings.processes})
        lines = [word for line in settings.lines or () for word in ("--line", line)]

        def command(folder: Path) -> str:
            flops = str(settings.flops) if texts[LIST] is None else str(folder / LIST)
            locked = [] if texts[LOCKS] is None else ["--lock", str(folder / LOCKS)]
            place = ["--flops", flops, "-o", str(workspace.path("reports", folder.name))]
            return shlex.join(["errai", "report", self.subject.word(folder), *place, *lines, *options, *locked])

        return NewJob(
            kind="report",
            title=self.title or spot.title or "report",
            command=command,
            request={"settings": settings.model_dump(exclude={"flop_list", "locks"})},
            subject=self.subject,
            files={name: text for name, text in texts.items() if text is not None},
            memory_bytes=plan.memory_bytes,
        )


class AskedReport(Asked):
    """What ``request.json`` of a report says; flops and locks are in the files ``flops.txt`` and ``locks.toml``."""

    settings: ReportSettings


# --- in the worker ---------------------------------------------------------------------------------------------------


def run(work: Work) -> Ended:
    """Solve the flops that are left, and write the page and the pictures of the report."""
    asked = work.request(AskedReport)
    texts = {"flop_list": files.read_text(work.folder / LIST), "locks": files.read_text(work.folder / LOCKS)}
    settings = asked.settings.model_copy(update=texts)
    spot = work.subject(asked)
    assert isinstance(spot, Spot)
    folder = work.workspace.path("reports", work.folder.name)
    began, first = time.monotonic(), -1

    def planned(plan: FlopPlan) -> None:
        nonlocal first
        asked_for = settings.asked()
        wanted = asked_for if isinstance(asked_for, int) else len(asked_for)
        first = wanted - plan.left
        work.point({"flops": first, "flops_wanted": wanted, "seconds": 0.0, "seconds_left": plan.seconds}, always=True)

    def progress(done: int, total: int) -> None:
        seconds = time.monotonic() - began
        left = (total - done) * seconds / max(done - first, 1)
        point = {"flops": done, "flops_wanted": total, "seconds": round(seconds, 3), "seconds_left": round(left, 3)}
        work.point(point, always=done == total)

    found = report(
        spot,
        settings.asked(),
        folder=folder,
        lines=settings.lines,
        target=settings.target,
        locks=settings.tables(),
        processes=settings.processes,
        stop=work.stop,
        planned=planned,
        progress=progress,
    )
    result: dict[str, Any] = {"report": folder.name, "flops": len(found.flops), "flops_wanted": found.wanted}
    if found.flops:
        write_flop_report(found, folder, title=asked.title, command=asked.command)
        result["exploitability_pot_percent"] = max(one.pot_percent for one in found.flops)
    return Ended("done" if len(found.flops) == found.wanted else "stopped", result)
