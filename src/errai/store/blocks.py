"""Block files: a part of a solver's state, packed, in a container of its own.

A block file is written at every iteration, under a name that includes the iteration, and never changed.  A complete
state consists of the block files whose names a checkpoint lists.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import DamagedFileError, MismatchError
from errai.store.container import Container, open_container, write_container
from errai.store.packing import pack, pack_bound, unpack, unpack_range

KIND = "block"
_STARTS = " starts"

CHECKED_BYTES = 1 << 20
"""Largest number of packed bytes that are checked when part of an array is read; it takes
a fraction of a millisecond.
"""

_own = threading.local()


def _room(size: int) -> NDArray[np.uint8]:
    """Return this thread's buffer for packed data.  It is reused, because touching new memory is slow."""
    room: NDArray[np.uint8] | None = getattr(_own, "room", None)
    if room is None or len(room) < size:
        _own.room = None  # This frees the old buffer before the new one is allocated.
        _own.room = room = np.empty(size, np.uint8)
    return room


def write_block(path: str | os.PathLike[str], metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Pack arrays of numbers into a file, atomically.  The caller flushes the folder.

    Raises
    ------
    DiskSpaceError, FileAccessError
        The disk is too full, or the system refuses.  Nothing has changed.
    """
    packed: dict[str, NDArray[Any]] = {}
    # Only the part that is written to is ever touched, so the bounds cost no memory.
    room = _room(sum(pack_bound(array) for array in arrays.values()))
    for name, array in arrays.items():
        packed[name], packed[name + _STARTS] = pack(array, room=room)
        room = room[packed[name].size :]
    write_container(path, KIND, metadata, packed, alone=False)


class BlockFile:
    """An open block file.

    Parameters
    ----------
    path:
        The file.
    metadata:
        Values that the file's metadata must have.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        There is no such file, it is of another kind, or it is incomplete.
    MismatchError
        The file is a block, but not the expected one.
    """

    def __init__(self, path: str | os.PathLike[str], metadata: Mapping[str, Any]) -> None:
        self.container: Container = open_container(path, KIND, checked=False)
        self._sound: set[str] = set()
        for key, value in metadata.items():
            if self.container.metadata.get(key) != value:
                found = self.container.metadata.get(key)
                raise MismatchError(f"{path} is another block: its {key} is {found!s:.60}, not {value!s:.60}.")

    def check_all_but(self, groups: tuple[str, ...]) -> None:
        """Compute the checksums of all arrays but those of some groups, which are going to be read into memory.

        Raises :class:`DamagedFileError`.
        """
        for name in self.container.arrays:
            if name.split("/")[0] not in groups:
                self.container.arrays.check(name)

    def read_into(self, name: str, out: NDArray[Any]) -> None:
        """Unpack an array into ``out``, which has its type and size.  Raises :class:`DamagedFileError`."""
        packed, starts = self._packed(name, self._read)
        unpack(packed, starts, out)

    def read_range(self, name: str, dtype: Any, size: int, first: int, last: int) -> NDArray[Any]:
        """Return some elements of an array of ``size`` elements; only what contains them is unpacked.

        The checksum covers the whole array, so it is verified only for arrays of up to ``CHECKED_BYTES``, when they are
        first read.  Raises :class:`DamagedFileError`.
        """
        packed, starts = self._packed(name, self._checked)
        return unpack_range(packed, starts, dtype, size, first, last)

    def _read(self, name: str) -> NDArray[Any]:
        """Return a copy of an array; larger ones are read into the thread's buffer, which the next call overwrites."""
        size = self.container.arrays.entry(name).length
        return self.container.read(name, None if name.endswith(_STARTS) else _room(size))

    def _checked(self, name: str) -> NDArray[Any]:
        """Return an array as a memory map, after its checksum was verified if it is small."""
        arrays = self.container.arrays
        if name not in self._sound and arrays[name].nbytes <= CHECKED_BYTES:
            arrays.check(name)
        self._sound.add(name)
        return arrays[name]

    def _packed(self, name: str, read: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        if not {name, name + _STARTS} <= set(self.container.arrays):
            raise DamagedFileError(f"{self.container.path} lacks the array {name!a}.")
        return read(name), read(name + _STARTS)
