"""Checkpoints of a run: the newest one and the one before it, at least one of which is complete at every moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from errai.errors import DamagedFileError, FileAccessError, ForeignFileError, MismatchError
from errai.options import CHECKPOINT_SECONDS as CHECKPOINT_SECONDS
from errai.store.atomic import remove_leftovers
from errai.store.container import ArrayStream, Container, open_container, write_container

KIND = "checkpoint"

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A checkpoint in memory."""

    metadata: dict[str, Any]
    arrays: dict[str, np.ndarray]
    """The arrays by name.  They are writable, so that a resumed run can use them without a second copy."""
    path: Path
    """The file that was read: the requested one or the previous one."""
    fallback_reason: str | None
    """Why the newest checkpoint could not be used, if the previous one was read."""

    def require(self, identity: Mapping[str, Any]) -> None:
        """Raise :class:`MismatchError` unless the checkpoint's metadata has all of these values."""
        for key, value in identity.items():
            found = self.metadata.get(key)
            if found != value:
                raise MismatchError(
                    f"{self.path} is a checkpoint of another run: its {key} is {found!s:.120}, not {value!s:.120}. "
                    "Resume with the same settings, or choose another checkpoint file."
                )

    def require_arrays(self, own: Mapping[str, np.ndarray]) -> None:
        """Raise :class:`DamagedFileError` unless the arrays are named and shaped like ``own``, and are finite."""
        if {k: (a.shape, a.dtype) for k, a in own.items()} != {k: (a.shape, a.dtype) for k, a in self.arrays.items()}:
            raise DamagedFileError(f"The arrays in {self.path} are not those of its game.")
        if not all(np.isfinite(array).all() for array in self.arrays.values() if array.dtype.kind == "f"):
            raise DamagedFileError(f"The arrays in {self.path} hold numbers that are not finite.")


def previous_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of the previous checkpoint."""
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

    From the first save on, `path` is a complete checkpoint at every moment, whenever the process is killed.  Incomplete
    files of killed runs are removed.  The previous checkpoint is beside it, with ``.previous`` appended to its name,
    unless ``keep_previous`` is False.

    Raises the errors of `errai.store.container.write_container`; both checkpoints are unchanged then.
    """
    write_container(path, KIND, metadata, arrays, backup=previous_path(path) if keep_previous else None)


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read the newest complete checkpoint: `path`, or the previous one if `path` is damaged or missing.

    Every checksum is verified.  Incomplete files of killed runs are ignored and removed.

    Raises :class:`FileAccessError` if there is no checkpoint, :class:`ForeignFileError` if `path` is another kind of
    file, and :class:`DamagedFileError` if neither checkpoint is complete.
    """
    remove_leftovers(path)
    return _newest(path, _load)


def restore_previous(path: str | os.PathLike[str]) -> None:
    """Replace a checkpoint that cannot be used by the previous one.

    Otherwise the next save would keep the damaged checkpoint as the previous one, and for a moment there would be no
    other.
    """
    os.replace(previous_path(path), os.path.realpath(path))


def newest_container(path: str | os.PathLike[str]) -> Container:
    """Open the newest checkpoint whose header is intact, to read parts of it; the caller verifies the checksums.

    Raises the errors of :func:`load_checkpoint`.
    """
    return _newest(path, lambda file, reason: open_container(file, KIND, checked=False))


def _newest(path: str | os.PathLike[str], read: Callable[[Path, str | None], Found]) -> Found:
    """Call ``read`` on the newest checkpoint, or, if it is damaged, on the previous one with the reason why."""
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
