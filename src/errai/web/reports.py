"""The reports over flops of the workspace: folders ``reports/NAME``, made by jobs here or by ``errai report``."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from errai.cards.flops import Flop
from errai.errors import DamagedFileError, ErraiError, UnknownNameError
from errai.games.lock_file import locks_text
from errai.running.recent import Recent
from errai.solutions.solution import KIND
from errai.solving.estimate import planned_run
from errai.solving.flop_report import ASKED, ReportFolder, open_report, spot_on
from errai.solving.flop_results import FlopReport, FlopResult
from errai.store.atomic import locked_folder
from errai.store.container import open_container
from errai.web import files
from errai.web.files import Stamp, Workspace, stamp, unknown
from errai.web.kinds.solve import SolveRequest, SolveSettings
from errai.web.library import Library
from errai.web.models import SpotSubject

MOST_OPEN = 200
"""So many reports are opened once while they do not change."""
MOST_KEPT = 2
"""So many reports are kept in memory, up to a few hundred megabytes each."""
IN_USE = "This report is being made; stop its job first."


@dataclass(frozen=True)
class Reports:
    """The reports of a folder.

    What takes a name raises :class:`InputError` or :class:`UnknownNameError` if there is none, and
    :class:`ArtefactError` if a file of it is damaged.
    """

    workspace: Workspace
    library: Library
    _opened: Recent[tuple[Path, tuple[Stamp, Stamp]], ReportFolder] = field(default_factory=lambda: Recent(MOST_OPEN))
    _results: Recent[tuple[Path, Stamp], dict[Flop, FlopResult]] = field(default_factory=lambda: Recent(MOST_KEPT))

    def names(self) -> list[str]:
        """Return the names of all reports, the newest first."""
        entries = [(entry.stat().st_mtime, name) for name, entry in self.workspace.entries("reports") if entry.is_dir()]
        return [name for _, name in sorted(entries, reverse=True)]

    def folder(self, name: str) -> Path:
        """Return the folder of a report, in which no link leads elsewhere."""
        path = self.workspace.existing("reports", name)
        if not path.is_dir():
            raise unknown("reports", name)
        for inside in ("run.json", ASKED):
            with suppress(FileNotFoundError):
                os.close(files.open_plain(path / inside))
        if (path / "flops").is_symlink():
            raise DamagedFileError(f"{name}/flops is a symbolic link, which the server does not follow.")
        if (path / "flops").exists():
            files.require_plain(path / "flops")
        return path

    def opened(self, name: str) -> ReportFolder:
        """Open a report without reading its flops."""
        path = self.folder(name)
        if not (path / "run.json").exists():
            raise UnknownNameError(f"The report {name!r} has not begun yet.")
        # Without a list of what was asked for, the flops that are there are the report.
        listed = next((one for one in (path / ASKED, path / "flops") if one.exists()), path)
        key = path, (stamp((path / "run.json").stat()), stamp(listed.stat()))
        return self._opened.get_or_make(key, lambda: open_report(path))

    def read(self, name: str) -> FlopReport:
        """Read what has been solved; flops that were read before stay in memory."""
        opened = self.opened(name)
        key = opened.path, stamp((opened.path / "run.json").stat())
        results = self._results.get_or_make(key, dict)
        return opened.read(results)

    def delete(self, name: str) -> None:
        """Remove a report.  Raises :class:`RunInUseError` if it is being made."""
        path = self.workspace.existing("reports", name)
        if not path.is_dir():
            raise unknown("reports", name)
        files.remove_held(path, locked_folder(path, IN_USE))

    def clean(self) -> None:
        """Remove what a server left that was killed while it removed a report."""
        files.remove_deleted(self.workspace.folder / "reports")

    # --- one flop ----------------------------------------------------------------------------------------------------

    def solve_request(self, opened: ReportFolder, flop: Flop, title: str) -> SolveRequest:
        """Return the job that solves one flop of a report, as it was solved there."""
        spot = spot_on(opened.spot, flop)
        locks = locks_text(opened.locks) if opened.locks else None
        settings = SolveSettings(target=opened.target, locks=locks)
        return SolveRequest(kind="solve", title=title, subject=SpotSubject(spot=spot.to_toml()), settings=settings)

    def solution_of(self, opened: ReportFolder, flop: Flop) -> str | None:
        """Return the name of a solution of one flop of a report that is in the library; None if there is none."""
        spot = spot_on(opened.spot, flop)
        digest, locks = spot.digest(), None
        if opened.locks:
            # A solution has them hand by hand.
            locks = planned_run(spot, opened.target, locks=opened.locks).tree.locks
        wanted = {} if locks is None else locks.to_dict()
        listed = (view.name for view in self.library.views() if view.kind == "solution" and not view.error)
        for name in (*listed, digest[:16]):
            with suppress(ErraiError, OSError):
                described = self.library.described(name)
                if described.subject is None or described.subject.digest() != digest:
                    continue
                metadata = open_container(described.path, KIND, checked=False).metadata
                if (metadata.get("locks") or {}) == wanted and metadata.get("leaf_values") is None:
                    return name
        return None
