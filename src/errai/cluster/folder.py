"""The folder of a run: the paths of its files, and a lock so that only one process works in it.

``run.errai`` is the checkpoint of the trunk, with the partition and the settings; ``blocks/`` holds for every block and
player the state after the last complete iteration and after the one before; ``lock`` is held by the process that
solves.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path

from errai.errors import DiskSpaceError, FileAccessError
from errai.store.atomic import is_temporary, locked_folder, make_folder, refusals, sync_folder

SPARE = 1
"""Complete iterations that are kept besides the last one, to recompute damaged blocks from."""

_NAME = re.compile(r"(\d{6,})-([01])-(\d{8,})\.errai")


class RunFolder:
    """The paths of a run; no file is created before :meth:`create`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def checkpoint(self) -> Path:
        """The trunk's checkpoint, which makes the folder a run."""
        return self.path / "run.errai"

    @property
    def certificate(self) -> Path:
        """The certificate of the run's strategy, from when the run last stopped."""
        return self.path / "certificate.errai"

    def block(self, number: int, player: int, iteration: int) -> Path:
        """Return the file of one player's part of a block after an iteration."""
        return self.path / "blocks" / f"{number:06d}-{player}-{iteration:08d}.errai"

    @property
    def disk(self) -> Path:
        """A file that names the disk under ``blocks``, by which the machines of a cluster notice that they share it."""
        return self.path / "blocks" / "disk"

    def exists(self) -> bool:
        """Return whether a run has been started here."""
        return self.checkpoint.exists() or self.checkpoint.with_name("run.errai.previous").exists()

    def check_room(self, needed: int) -> None:
        """Raise :class:`DiskSpaceError` if the disk has fewer bytes left than are needed."""
        there = next(p for p in (self.path, *self.path.absolute().parents) if p.exists())
        free = shutil.disk_usage(there).free
        if free < needed:
            raise DiskSpaceError(
                f"The run needs about {needed / 2**30:,.1f} GiB of disk, but {there} has {free / 2**30:,.1f} GiB left. "
                "Choose another folder, or keep no averages (--current), which takes half."
            )

    def create(self) -> None:
        """Create the folder.  Raises :class:`FileAccessError` if it cannot be created or holds something else."""
        with refusals(self.path, "be used"):
            if self.path.exists() and not self.exists():
                # A run that was killed before its first checkpoint leaves only these, and files it was writing.
                others = {e.name for e in self.path.iterdir() if not is_temporary(e.name)} - {"blocks", "lock"}
                if others:
                    raise FileAccessError(f"{self.path} holds other files; choose an empty folder, or a new one.")
        make_folder(self.path / "blocks")

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep other processes from solving here.  Raises :class:`RunInUseError` if one does."""
        return locked_folder(
            self.path, f"Another process is solving in {self.path}; wait until it ends, or choose another folder."
        )

    def flush(self) -> None:
        """Make sure that the names of the block files survive a power failure."""
        sync_folder(self.path / "blocks")

    def stored_bytes(self, iteration: int) -> int:
        """Return the total length of the block files of an iteration."""
        return sum(
            entry.stat().st_size
            for entry in os.scandir(self.path / "blocks")
            if (match := _NAME.fullmatch(entry.name)) and int(match[3]) == iteration
        )

    def blocks_but(self, iteration: int) -> list[Path]:
        """All block files but those of an iteration."""
        return sorted(
            Path(entry.path)
            for entry in os.scandir(self.path / "blocks")
            if (match := _NAME.fullmatch(entry.name)) and int(match[3]) != iteration
        )

    def newest_blocks(self) -> dict[int, int]:
        """Return the newest iteration of every block that has files here."""
        found: dict[int, int] = {}
        for entry in os.scandir(self.path / "blocks"):
            if match := _NAME.fullmatch(entry.name):
                found[int(match[1])] = max(int(match[3]), found.get(int(match[1]), 0))
        return found

    def tidy(self, iteration: int) -> None:
        """Remove blocks of iterations that were never completed, and of those older than the spare ones."""
        kept = range(iteration - SPARE, iteration + 1)
        for entry in os.scandir(self.path / "blocks"):
            match = _NAME.fullmatch(entry.name)
            if (match and int(match[3]) not in kept) or is_temporary(entry.name):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)
