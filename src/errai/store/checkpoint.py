"""Checkpoints of a run: the newest one and the one before it, at least one of them whole at every moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from errai.errors import DamagedFileError, FileAccessError, ForeignFileError, MismatchError
from errai.store.atomic import remove_leftovers
from errai.store.container import ArrayStream, Container, open_container, write_container

KIND = "checkpoint"

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A checkpoint in memory.

    Attributes
    ----------
    metadata: dict
        What the run said about itself.
    arrays: dict[str, np.ndarray]
        Name to array, writable, so that a run can go on in them without a second copy.
    path: Path
        The file they came from: the one asked for, or the one before it.
    fallback_reason: str or None
        Why the newest checkpoint could not be used, if the one before it was taken.
    """

    metadata: dict[str, Any]
    arrays: dict[str, np.ndarray]
    path: Path
    fallback_reason: str | None

    def require(self, identity: Mapping[str, Any]) -> None:
        """Raise :class:`MismatchError` unless the run says all of this about itself."""
        for key, value in identity.items():
            found = self.metadata.get(key)
            if found != value:
                raise MismatchError(
                    f"{self.path} is a checkpoint of another run: its {key} is {found!s:.120}, not {value!s:.120}. "
                    "Resume with the same settings, or choose another checkpoint file."
                )

    def require_arrays(self, own: Mapping[str, np.ndarray]) -> None:
        """Raise :class:`DamagedFileError` unless the arrays are those of a run with these, and all finite."""
        if {k: (a.shape, a.dtype) for k, a in own.items()} != {k: (a.shape, a.dtype) for k, a in self.arrays.items()}:
            raise DamagedFileError(f"The arrays in {self.path} are not those of its game.")
        if not all(np.isfinite(array).all() for array in self.arrays.values() if array.dtype.kind == "f"):
            raise DamagedFileError(f"The arrays in {self.path} hold numbers that are not finite.")


def previous_path(path: str | os.PathLike[str]) -> Path:
    """Where the checkpoint before the newest one lies."""
    target = Path(os.path.realpath(path))
    return target.with_name(target.name + ".previous")


def save_checkpoint(
    path: str | os.PathLike[str],
    metadata: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray | ArrayStream],
    *,
    keep_previous: bool = True,
) -> None:
    """Write a checkpoint in one step; the one that was there becomes the previous one.

    `path` names a whole checkpoint at every moment from the first save on, whenever the process is killed.
    What killed runs left half written is removed.

    Parameters
    ----------
    path:
        The newest checkpoint; the one before it lies beside it, with ``.previous`` at the end of its name.
    metadata, arrays:
        As for `errai.store.container.write_container`.
    keep_previous:
        Whether to keep the one before, which costs its size on the disk.

    Raises
    ------
    InputError, DiskSpaceError, FileAccessError
        As `errai.store.container.write_container`; both checkpoints are as they were then.
    """
    write_container(path, KIND, metadata, arrays, backup=previous_path(path) if keep_previous else None)


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read the newest checkpoint that is whole: `path`, or the one before it if `path` is damaged or missing.

    Every checksum is computed.  What a killed run left half written is ignored and removed.

    Raises
    ------
    FileAccessError
        If there is no checkpoint.
    ForeignFileError
        If `path` is something else.
    DamagedFileError
        If neither is whole.
    """
    remove_leftovers(path)
    return _newest(path, _load)


def restore_previous(path: str | os.PathLike[str]) -> None:
    """Let the checkpoint before take the place of one that cannot be used.

    Otherwise the next save would keep the damaged one as the one before, and for a moment no other.
    """
    os.replace(previous_path(path), os.path.realpath(path))


def checkpoint_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What the newest checkpoint whose header is whole says about its run; its arrays are not read.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        As :func:`load_checkpoint`.
    """
    return newest_container(path).metadata


def newest_container(path: str | os.PathLike[str]) -> Container:
    """Open the newest checkpoint whose header is whole, for those who read little of it; checksums are for them.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        As :func:`load_checkpoint`.
    """
    return _newest(path, lambda file, reason: open_container(file, KIND, checked=False))


def _newest(path: str | os.PathLike[str], read: Callable[[Path, str | None], Found]) -> Found:
    """What is read from the newest checkpoint, or from the one before it and why, where the newest is damaged."""
    try:
        return read(Path(path), None)
    except (DamagedFileError, ForeignFileError, FileAccessError) as error:
        previous = previous_path(path)
        if not previous.exists() or (isinstance(error, FileAccessError) and os.path.exists(path)):
            raise
        return read(previous, str(error))


def _load(path: Path, fallback_reason: str | None) -> Checkpoint:
    container = open_container(path, KIND, checked=False)
    arrays = {name: container.read(name) for name in container.arrays}
    return Checkpoint(container.metadata, arrays, path, fallback_reason)
