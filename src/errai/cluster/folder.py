"""The folder of a run: its files, what identifies it and its certificate, and a lock for the process that works in it.

``run.errai`` is the checkpoint of the trunk, with the partition and the settings; ``blocks/`` holds for every block and
player the state after the last complete iteration and after the one before; ``lock`` is held by the process that
solves.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.console import bytes_text
from errai.engine.request import Certified
from errai.engine.status import Status
from errai.errors import ArtefactError, DamagedFileError, DiskSpaceError, FileAccessError, MismatchError
from errai.store.atomic import RUN, is_temporary, locked_folder, make_folder, refusals, sync_folder
from errai.store.checkpoint import KIND as CHECKPOINT_KIND
from errai.store.checkpoint import previous_path
from errai.store.container import Container, MappedArrays, open_container, write_container
from errai.store.packing import BlockFile

SPARE = 1
"""Complete iterations that are kept besides the last one, to recompute damaged blocks from."""

_NAME = re.compile(r"(\d{6,})-([01])-(\d{8,})\.errai")

KIND = "run certificate"

FACTS = {"run": str, "game": dict, "partition": dict, "block_precision": str, "averages": bool}


class RunFolder:
    """The paths of a run; no file is created before :meth:`create`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.checkpoint = self.path / RUN
        """The trunk's checkpoint, which makes the folder a run."""
        self.certificate = self.path / "certificate.errai"
        """The certificate of the run's strategy, from when the run last stopped."""
        self.disk = self.path / "blocks" / "disk"
        """A file that names the disk under ``blocks``, by which the machines of a cluster notice that they share it."""

    def block(self, number: int, player: int, iteration: int) -> Path:
        """Return the file of one player's part of a block after an iteration."""
        return self.path / "blocks" / f"{number:06d}-{player}-{iteration:08d}.errai"

    def open_block(self, run: str, number: int, player: int, iteration: int) -> BlockFile:
        """Open the file of one player's part of a block of a run after an iteration."""
        return BlockFile(self.block(number, player, iteration), block_identity(run, number, player, iteration))

    def exists(self) -> bool:
        """Return whether a run has been started here."""
        return self.checkpoint.exists() or self.checkpoint.with_name(f"{RUN}.previous").exists()

    def check_room(self, needed: int) -> None:
        """Raise :class:`DiskSpaceError` if the disk has fewer bytes left than are needed."""
        there = next(p for p in (self.path, *self.path.absolute().parents) if p.exists())
        free = shutil.disk_usage(there).free
        if free < needed:
            raise DiskSpaceError(
                f"The run needs about {bytes_text(needed)} of disk, but {there} has {bytes_text(free)} left. "
                "Choose another folder, or keep no averages (--current), which takes half."
            )

    def create(self) -> None:
        """Create the folder.  Raises :class:`FileAccessError` if it cannot be created or holds something else."""
        with refusals(self.path, "be used"):
            if self.path.exists() and not self.exists():
                # A run that was killed before its first checkpoint leaves only these, and files it was writing.
                others = {e.name for e in self.path.iterdir() if not is_temporary(e.name)} - {"blocks", "lock"}
                if others:
                    raise FileAccessError(
                        f"{self.path} holds other files, such as {min(others)}; choose an empty folder, or a new one."
                    )
        make_folder(self.path / "blocks")

    def locked(self) -> contextlib.AbstractContextManager[None]:
        """Keep other processes from solving here.  Raises :class:`RunInUseError` if one does."""
        return locked_folder(
            self.path, f"Another process is solving in {self.path}; wait until it ends, or choose another folder."
        )

    def flush(self) -> None:
        """Make sure that the names of the block files survive a power failure."""
        sync_folder(self.path / "blocks")

    def _files(self) -> Iterator[tuple[os.DirEntry[str], int, int]]:
        """Yield every block file with the numbers of its block and iteration."""
        for entry in os.scandir(self.path / "blocks"):
            if match := _NAME.fullmatch(entry.name):
                yield entry, int(match[1]), int(match[3])

    def stored_bytes(self, iteration: int) -> int:
        """Return the total length of the block files of an iteration."""
        return sum(entry.stat().st_size for entry, _, done in self._files() if done == iteration)

    def newest_blocks(self) -> dict[int, int]:
        """Return the newest iteration of every block that has files here."""
        found: dict[int, int] = {}
        for _, block, done in self._files():
            found[block] = max(done, found.get(block, 0))
        return found

    def check(self, iteration: int) -> None:
        """Check every byte of a run's files but those of its blocks after an iteration, which workers check.

        Raises :class:`ArtefactError`, whose message says which file it is and what it is for.
        """
        again = " `errai solve` certifies the run again."
        backup = (
            " It is kept from the iteration before in case that newer files are damaged; "
            "the next iteration replaces it."
        )
        remedies = {self.checkpoint: ""} | ({self.certificate: again} if self.certificate.exists() else {})
        before = [Path(entry.path) for entry, _, done in self._files() if done != iteration]
        spare = dict.fromkeys((previous_path(self.checkpoint), *sorted(before)), backup)
        for path, remedy in (remedies | spare).items():
            try:
                open_container(path, checked=False).verify()
            except DamagedFileError as error:
                raise DamagedFileError(f"{error}{remedy}") from error
            except FileAccessError:
                if path not in spare:  # A run that is resumed meanwhile removes files of iterations before.
                    raise

    def tidy(self, iteration: int) -> None:
        """Remove blocks of iterations that were never completed, and of those older than the spare ones."""
        kept = range(iteration - SPARE, iteration + 1)
        for entry in os.scandir(self.path / "blocks"):
            match = _NAME.fullmatch(entry.name)
            if (match and int(match[3]) not in kept) or is_temporary(entry.name):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)


def block_identity(run: str, number: int, player: int, iteration: int) -> dict[str, Any]:
    """Return what the file of one player's part of a block says of itself."""
    return {"run": run, "block": number, "player": player, "iteration": iteration}


def run_facts(checkpoint: Container) -> dict[str, Any]:
    """Return what never changes in a run: its name, game, partition, precision, and whether averages are kept.

    Raises :class:`DamagedFileError` if the checkpoint of the run's trunk does not say it.
    """
    for name, kind in FACTS.items():
        if not isinstance(checkpoint.metadata.get(name), kind):
            raise DamagedFileError(f"{checkpoint.path} does not identify its run: {name} is missing or wrong.")
    return {name: checkpoint.metadata[name] for name in FACTS}


def run_container(place: RunFolder) -> Container:
    """Open the newest checkpoint of a run's trunk as a mapped file.

    The one before is not used in its place, because what it answers is not what the run has computed last.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        If there is no run in the folder, or its checkpoint is not valid.
    """
    if not place.exists():
        raise FileAccessError(f"{place.path} holds no run; start one with `errai solve GAME --store {place.path}`.")
    try:
        return open_container(place.checkpoint, CHECKPOINT_KIND, checked=False)
    except ArtefactError as error:
        if not previous_path(place.checkpoint).exists():
            raise
        raise type(error)(
            f"{error} The checkpoint before it is there: run the command that solves in {place.path} again, which "
            "continues from it."
        ) from error


def save_certificate(
    place: RunFolder, run: str, iteration: int, found: Certified, value_chips: tuple[float, float]
) -> None:
    """Write the float64 measurement made when a run stopped, with the values at the trunk's leaves."""
    assert found.leaves is not None
    metadata = {
        "run": run,
        "iteration": iteration,
        "status": found.status,
        "exploitability_chips": found.certificate.chips,
        "gain_chips": list(found.certificate.by_player),
        "value_chips": list(value_chips),
    }
    kinds = (("values", found.leaves.values), ("best", found.leaves.best))
    arrays = {f"{name}/{p}": pair[p][-1] for name, pair in kinds for p in (0, 1)}
    write_container(place.certificate, KIND, metadata, arrays)


@dataclass(frozen=True)
class StoredCertificate:
    """The certificate of a run's strategy, written when the run stopped."""

    iteration: int
    status: Status
    exploitability_chips: float
    gain_chips: tuple[float, float]
    value_chips: tuple[float, float]
    arrays: MappedArrays

    def leaves(self, what: str, player: int, size: int) -> NDArray[np.float64]:
        """Return ``values`` or ``best`` at the trunk's leaves.  Raises :class:`DamagedFileError`."""
        name = f"{what}/{player}"
        if name not in self.arrays or self.arrays[name].shape != (size,) or self.arrays[name].dtype != np.float64:
            raise DamagedFileError(f"The certificate's array {name} is missing or does not fit its game.")
        return self.arrays[name]


def load_certificate(place: RunFolder, run: str) -> StoredCertificate | None:
    """Read the certificate in the folder of a run, of any iteration; None if there is none yet.

    Raises :class:`ArtefactError` if it cannot be read, or is of another run.
    """
    if not place.certificate.exists():
        return None
    container = open_container(place.certificate, KIND)
    metadata = container.metadata
    if metadata.get("run") != run:
        raise MismatchError(f"{place.certificate} is of another run; `errai solve` writes a new one.")
    iteration, status = metadata.get("iteration"), metadata.get("status")
    numbers: list[Any] = [
        [metadata.get("exploitability_chips")],
        metadata.get("gain_chips"),
        metadata.get("value_chips"),
    ]
    sizes = [len(group) if isinstance(group, list) else 0 for group in numbers]
    if (
        type(iteration) is not int
        or status not in tuple(Status)
        or sizes != [1, 2, 2]
        or any(type(number) not in (int, float) for group in numbers for number in group)
    ):
        raise DamagedFileError(f"{place.certificate} is a certificate, but its numbers are not valid.")
    [total], gains, values = ([float(number) for number in group] for group in numbers)
    return StoredCertificate(
        iteration, Status(status), total, (gains[0], gains[1]), (values[0], values[1]), container.arrays
    )
