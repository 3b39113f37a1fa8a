"""Block files: a share of a solver's state, packed, in a container of its own.

Such a file is written anew at every iteration, under a name that says which, and never changed; what makes files of
many blocks one whole is whoever names them.
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
"""Packed bytes whose checksum takes a small part of a millisecond."""

_own = threading.local()


def _room(size: int) -> NDArray[np.uint8]:
    """Memory of this thread, used again and again: what is packed passes through it, and new memory is slow."""
    room: NDArray[np.uint8] | None = getattr(_own, "room", None)
    if room is None or len(room) < size:
        _own.room = None  # so that there are never two
        _own.room = room = np.empty(size, np.uint8)
    return room


def write_block(path: str | os.PathLike[str], metadata: Mapping[str, Any], arrays: Mapping[str, NDArray]) -> None:
    """Pack arrays of numbers into a file, atomically; its folder is for the caller to flush.

    Raises
    ------
    DiskSpaceError, FileAccessError
        The disk is too full, or the system refuses; nothing has changed.
    """
    packed: dict[str, NDArray] = {}
    # Only what is packed of it is ever touched, so the bounds cost no memory.
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
        What the file must say about itself.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        There is no such file, it is of another kind, or it is not whole.
    MismatchError
        It is a block, but another one.
    """

    def __init__(self, path: str | os.PathLike[str], metadata: Mapping[str, Any]) -> None:
        self.container: Container = open_container(path, KIND, checked=False)
        self._sound: set[str] = set()
        for key, value in metadata.items():
            if self.container.metadata.get(key) != value:
                found = self.container.metadata.get(key)
                raise MismatchError(f"{path} is another block: its {key} is {found!s:.60}, not {value!s:.60}.")

    def read_into(self, name: str, out: NDArray) -> None:
        """Unpack an array whose type and size are those of ``out``.  Raises :class:`DamagedFileError`."""
        packed, starts = self._packed(name, self._read)
        unpack(packed, starts, out)

    def read_range(self, name: str, dtype: Any, size: int, first: int, last: int) -> NDArray[Any]:
        """Some elements of an array of ``size`` elements; only the parts of the file that hold them are unpacked.

        The checksum is of the whole array, so it is computed where that takes no time: of arrays of up to
        ``CHECKED_BYTES``, when they are first read from.  Raises :class:`DamagedFileError`.
        """
        packed, starts = self._packed(name, self._checked)
        return unpack_range(packed, starts, dtype, size, first, last)

    def _read(self, name: str) -> NDArray:
        """An array, copied; the larger ones into memory that the next one will take."""
        size = self.container.arrays.nbytes(name)
        return self.container.read(name, None if name.endswith(_STARTS) else _room(size))

    def _checked(self, name: str) -> NDArray:
        """An array, mapped."""
        arrays = self.container.arrays
        if name not in self._sound and arrays[name].nbytes <= CHECKED_BYTES:
            arrays.check(name)
        self._sound.add(name)
        return arrays[name]

    def _packed(self, name: str, read: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        if not {name, name + _STARTS} <= set(self.container.arrays):
            raise DamagedFileError(f"{self.container.path} lacks the array {name!a}.")
        return read(name), read(name + _STARTS)
