"""The folder of a run: what is where, and that only one process works in it.

``run.errai`` is the checkpoint of the trunk, with the partition and the settings; ``blocks/`` holds for every block and
player the state after the last complete iteration and after the one before; ``lock`` is held by whoever solves.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path

from errai.errors import DiskSpaceError, FileAccessError
from errai.store.atomic import locked_folder, sync_folder

SPARE = 1
"""Complete iterations kept besides the last one: what a damaged block is made again from."""

_NAME = re.compile(r"(\d{6,})-([01])-(\d{8,})\.errai")


class RunFolder:
    """Paths of a run; nothing is made before :meth:`create`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def checkpoint(self) -> Path:
        """The trunk's checkpoint, which makes the folder a run."""
        return self.path / "run.errai"

    @property
    def certificate(self) -> Path:
        """What was proved about the run's strategy when it last stopped."""
        return self.path / "certificate.errai"

    def block(self, number: int, player: int, iteration: int) -> Path:
        """One player's share of a block after an iteration."""
        return self.path / "blocks" / f"{number:06d}-{player}-{iteration:08d}.errai"

    @property
    def disk(self) -> Path:
        """A name for the disk under ``blocks``, by which machines of a cluster notice that they share it."""
        return self.path / "blocks" / "disk"

    def exists(self) -> bool:
        """Whether a run has been begun here."""
        return self.checkpoint.exists() or self.checkpoint.with_name("run.errai.previous").exists()

    def check_room(self, needed: int) -> None:
        """Raise :class:`DiskSpaceError` unless the disk has so many bytes left."""
        there = next(p for p in (self.path, *self.path.absolute().parents) if p.exists())
        free = shutil.disk_usage(there).free
        if free < needed:
            raise DiskSpaceError(
                f"The run needs about {needed / 2**30:,.1f} GiB of disk, but {there} has {free / 2**30:,.1f} GiB left. "
                "Choose another folder, or keep no averages (--current), which takes half."
            )

    def create(self) -> None:
        """Make the folder.  Raises :class:`FileAccessError` if it cannot be made or holds something else."""
        try:
            # A run that was killed before its first checkpoint leaves these two.
            if self.path.exists() and not self.exists() and {e.name for e in self.path.iterdir()} - {"blocks", "lock"}:
                raise FileAccessError(f"{self.path} holds other files; choose an empty folder, or a new one.")
            (self.path / "blocks").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileAccessError(f"The folder {self.path} cannot be made: {error.strerror or error}.") from error

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep other processes from solving here.  Raises :class:`RunInUseError` if one does."""
        return locked_folder(
            self.path, f"Another process is solving in {self.path}; wait until it ends, or choose another folder."
        )

    def flush(self) -> None:
        """Make the names of the block files last through a power failure."""
        sync_folder(self.path / "blocks")

    def stored_bytes(self, iteration: int) -> int:
        """Length of all block files of an iteration."""
        return sum(
            entry.stat().st_size
            for entry in os.scandir(self.path / "blocks")
            if (match := _NAME.fullmatch(entry.name)) and int(match[3]) == iteration
        )

    def newest_blocks(self) -> dict[int, int]:
        """The newest iteration of every block that has files here."""
        found: dict[int, int] = {}
        for entry in os.scandir(self.path / "blocks"):
            if match := _NAME.fullmatch(entry.name):
                found[int(match[1])] = max(int(match[3]), found.get(int(match[1]), 0))
        return found

    def tidy(self, iteration: int) -> None:
        """Remove blocks of iterations that were never completed, and those older than the spare ones."""
        kept = range(iteration - SPARE, iteration + 1)
        for entry in os.scandir(self.path / "blocks"):
            match = _NAME.fullmatch(entry.name)
            if (match and int(match[3]) not in kept) or entry.name.endswith(".partial"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)
