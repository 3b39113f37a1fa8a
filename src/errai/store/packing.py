"""Lossless packing of solver state, at the speed of memory rather than of a compressor.

An array is cut into chunks of ``CHUNK_BYTES``.  The 16-bit numbers of a chunk are *sifted* (``csrc/store/sift.cpp``):
they are replaced by differences of neighbours, zeros are left out, and small differences take one byte.  At levels
other than 0 the result is also compressed with zstd.  Wider numbers are first cut into planes of 16 bits, so that
similar parts are next to each other.  A chunk's first byte says how it is stored: 0 for unchanged, 1 for sifted, 2 for
a zstd frame of one of these.

A *block file* is a part of a solver's state, packed, in a container of its own, which has a checksum for every array.
It is written at every iteration, under a name that includes the iteration, and never changed.  A complete state
consists of the block files whose names a checkpoint lists.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

from errai.errors import DamagedFileError, InputError, MismatchError
from errai.store import _sift
from errai.store.container import Container, open_container, write_container

CHUNK_BYTES = 2 * _sift.MAX_CHUNK
"""Bytes of a chunk before it is packed; the last chunk of an array may be shorter."""

LEVEL = 0
"""0 for sifting only.  Other levels are those of zstd, from -7 (fast) to 22 (small)."""

FRAME_LEVEL = 19
"""The zstd level of single frames, such as tables in a container."""

KIND = "block"
_STARTS = " starts"

CHECKED_BYTES = 1 << 20
"""Largest number of packed bytes that are checked when part of an array is read, in a fraction of a millisecond."""

_ZSTD = 2
_DAMAGED = "A packed array is damaged: a chunk cannot be unpacked. Copy the file again."
_LEVELS = range(-7, 23)
_local = threading.local()


def pack_bound(array: NDArray[Any]) -> int:
    """Return the greatest number of bytes that an array can take at level 0."""
    return int(_sift.bound(array.nbytes // 2))


def pack(
    array: NDArray[Any], *, level: int = LEVEL, room: NDArray[np.uint8] | None = None
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Pack an array of 2, 4 or 8 bytes per number; return uint8[bytes], and the chunks' starts and the end, int64.

    Type and size are not stored, so they must be known when the array is unpacked.  It is copied unless it is in C
    order.  Level 0 uses no zstd and packs about 7 GB/s instead of 1; numbers of 4 and 8 bytes are cut into planes by
    NumPy, at about 1 to 3 GB/s.  ``room``, uint8[at least :func:`pack_bound`], is the memory to pack into; touching new
    memory for the first time takes as long as the packing.  At level 0 the result is a view of ``room`` or of a larger
    array, so copy it to keep it for long.

    Raises :class:`InputError` if the array cannot be packed, or the level does not exist.
    """
    _check_dtype(array.dtype)
    if level not in _LEVELS:
        raise InputError(f"There is no level {level}; choose 0, or one of zstd's from {_LEVELS[0]} to {_LEVELS[-1]}.")
    words = _planes(np.ascontiguousarray(array).reshape(-1))
    packed = np.empty(pack_bound(array), np.uint8) if room is None else room
    starts = np.zeros(-(-words.nbytes // CHUNK_BYTES) + 1, np.int64)
    _sift.sift(words, packed, starts)
    packed = packed[: starts[-1]]
    return _compress(packed, starts, level) if level else (packed, starts)


def unpack(packed: NDArray[np.uint8], starts: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Unpack a whole array into ``out``, which is contiguous and of the type and size that were packed.

    Raises :class:`DamagedFileError` if the bytes are not such an array (``out`` may have been partly written then), and
    :class:`InputError` if ``out`` is not contiguous and writable, or its type cannot be packed.
    """
    _check_dtype(out.dtype)
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise InputError("An array can be unpacked only into one that is in C order and writable.")
    _check_starts(packed, starts, out.nbytes)
    flat = out.reshape(-1)
    if out.itemsize == 2:
        _unsift(packed, starts, flat.view(np.uint16))
    else:
        _unpack_planes(packed, starts, flat)


def unpack_range(
    packed: NDArray[np.uint8], starts: NDArray[np.int64], dtype: Any, size: int, first: int, last: int
) -> NDArray[Any]:
    """Return elements ``first`` to ``last - 1`` of a packed array of ``size`` elements.

    Only the chunks that contain them are unpacked, which takes a few hundredths of a millisecond each at level 0.

    Raises :class:`DamagedFileError` if the bytes are not such an array, and :class:`InputError` if the array has no
    such elements, or its type cannot be packed.
    """
    kind = np.dtype(dtype)
    _check_dtype(kind)
    if not 0 <= first <= last <= size:
        raise InputError(f"An array of {size:,} elements has no elements {first:,} to {last:,}.")
    _check_starts(packed, starts, size * kind.itemsize)
    if first == last:
        return np.empty(0, kind)
    per_chunk = CHUNK_BYTES // kind.itemsize
    low, high = first // per_chunk, -(-last // per_chunk)
    begin = low * per_chunk
    out = np.empty(min(high * per_chunk, size) - begin, kind)
    unpack(packed, starts[low : high + 1], out)
    return out[first - begin : last - begin]


# --- checks ---------------------------------------------------------------------------------------------------------


def _check_dtype(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "iuf" or dtype.itemsize not in (2, 4, 8) or not (dtype.isnative and sys.byteorder == "little"):
        raise InputError(f"Numbers of type {dtype} cannot be packed; take little-endian ones of 2, 4 or 8 bytes.")


def _check_starts(packed: NDArray[np.uint8], starts: NDArray[np.int64], nbytes: int) -> None:
    """Check what the native code relies on: the array's number of chunks, in order and inside ``packed``."""
    sound = (
        packed.dtype == np.uint8
        and starts.dtype == np.int64
        and packed.ndim == starts.ndim == 1
        and starts.size == -(-nbytes // CHUNK_BYTES) + 1
        and starts[0] >= 0
        and starts[-1] <= packed.size
        and bool((starts[1:] >= starts[:-1]).all())
    )
    if not sound:
        raise DamagedFileError("A packed array is damaged: its chunks do not fit together. Copy the file again.")


# --- planes of 16 bits ----------------------------------------------------------------------------------------------


def _planes(flat: NDArray[Any]) -> NDArray[np.uint16]:
    """Return the array as 16-bit numbers, those of a chunk plane by plane."""
    words = flat.view(np.uint16)
    if flat.itemsize == 2:
        return words
    parts = flat.itemsize // 2
    out = np.empty_like(words)
    for begin in range(0, words.size, _sift.MAX_CHUNK):
        chunk = words[begin : begin + _sift.MAX_CHUNK]
        out[begin : begin + chunk.size].reshape(parts, -1)[...] = chunk.reshape(-1, parts).T
    return out


def _unpack_planes(packed: NDArray[np.uint8], starts: NDArray[np.int64], flat: NDArray[Any]) -> None:
    """Unpack numbers of more than 16 bits, chunk by chunk."""
    words = flat.view(np.uint16)
    parts = flat.itemsize // 2
    buffer = np.empty(min(words.size, _sift.MAX_CHUNK), np.uint16)
    for number, begin in enumerate(range(0, words.size, _sift.MAX_CHUNK)):
        chunk = words[begin : begin + _sift.MAX_CHUNK]
        _unsift(packed, starts[number : number + 2], buffer[: chunk.size])
        chunk.reshape(-1, parts)[...] = buffer[: chunk.size].reshape(parts, -1).T


# --- chunks ---------------------------------------------------------------------------------------------------------


def _unsift(packed: NDArray[np.uint8], starts: NDArray[np.int64], words: NDArray[np.uint16]) -> None:
    """Unpack chunks whose starts have been checked into 16-bit numbers."""
    packed, starts = np.ascontiguousarray(packed), np.ascontiguousarray(starts)
    if words.size == 0:
        return
    if starts[-2] >= packed.size:
        raise DamagedFileError(_DAMAGED)
    if not (packed[starts[:-1]] == _ZSTD).any():
        if not _sift.unsift(packed, starts, words):
            raise DamagedFileError(_DAMAGED)
        return
    for number in range(len(starts) - 1):
        chunk = packed[starts[number] : starts[number + 1]]
        out = words[number * _sift.MAX_CHUNK : (number + 1) * _sift.MAX_CHUNK]
        if chunk.size and chunk[0] == _ZSTD:
            chunk = _decompress(chunk[1:], out.nbytes + 1)
        if not _sift.unsift(chunk, np.array([0, chunk.size]), out):
            raise DamagedFileError(_DAMAGED)


def _compress(
    packed: NDArray[np.uint8], starts: NDArray[np.int64], level: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the chunks with each one replaced by a zstd frame if that is shorter."""
    compressor = _own(f"compressor {level}", lambda: zstandard.ZstdCompressor(level=level))
    pieces: list[bytes] = []
    for start, end in pairwise(starts):
        chunk = packed[start:end].data
        with _memory():
            frame = compressor.compress(chunk)
        pieces.append(bytes((_ZSTD,)) + frame if len(frame) + 1 < len(chunk) else bytes(chunk))
    ends = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
    return np.frombuffer(b"".join(pieces), np.uint8), ends


def _decompress(frame: NDArray[np.uint8], most: int) -> NDArray[np.uint8]:
    """Return the content of a zstd frame, which must state its size, at most ``most`` bytes."""
    decompressor = _own("decompressor", zstandard.ZstdDecompressor)
    try:
        # -1 means that the frame does not state its size.
        if not 0 < zstandard.frame_content_size(frame.data) <= most:
            raise DamagedFileError(_DAMAGED)
        with _memory():
            return np.frombuffer(decompressor.decompress(frame.data, allow_extra_data=False), np.uint8)
    except zstandard.ZstdError as error:
        raise DamagedFileError(_DAMAGED) from error


def _own(name: str, make: Any) -> Any:
    """Return this thread's compressor or decompressor, which threads cannot share."""
    found = _local.__dict__.get(name)
    if found is None:
        found = _local.__dict__[name] = make()
    return found


@contextlib.contextmanager
def _memory() -> Iterator[None]:
    """Raise :class:`MemoryError` where zstandard has none, which it says by an error of its own: no file is damaged."""
    try:
        yield
    except zstandard.ZstdError as error:
        if "llocation error" in str(error) or "not enough memory" in str(error):
            raise MemoryError(str(error)) from error
        raise


# --- single frames ----------------------------------------------------------------------------------------------------


def packed_frame(raw: bytes) -> NDArray[np.uint8]:
    """Compress bytes into a frame, as an array for a container.  The same bytes always give the same frame."""
    with _memory():
        return np.frombuffer(zstandard.ZstdCompressor(level=FRAME_LEVEL).compress(raw), dtype=np.uint8)


def unpacked_frame(packed: NDArray[np.uint8], wanted: int, path: str | Path) -> bytes:
    """Return the ``wanted`` bytes of a frame.

    Raises :class:`DamagedFileError` for ``path`` if it has fewer or more.
    """
    try:
        with _memory():
            raw = zstandard.ZstdDecompressor().decompress(packed.tobytes(), max_output_size=wanted + 1)
    except zstandard.ZstdError as error:
        raise DamagedFileError(f"{path} holds a table that cannot be unpacked: {error}.") from error
    if len(raw) != wanted:
        raise DamagedFileError(f"{path} holds a table of {len(raw):,} bytes where {wanted:,} belong.")
    return raw


# --- block files ------------------------------------------------------------------------------------------------------


def _room(size: int) -> NDArray[np.uint8]:
    """Return this thread's buffer for packed data.  It is reused, because touching new memory is slow."""
    room: NDArray[np.uint8] | None = getattr(_local, "room", None)
    if room is None or len(room) < size:
        _local.room = None  # This frees the old buffer before the new one is allocated.
        _local.room = room = np.empty(size, np.uint8)
    return room


def write_block(path: str | os.PathLike[str], metadata: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Pack arrays of numbers into a file, atomically.  The caller flushes the folder.

    Raises :class:`DiskSpaceError` or :class:`FileAccessError` if the disk is too full, or the system refuses.
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

    Raises the errors of :func:`errai.store.container.open_container`, and :class:`MismatchError` if the file is a
    block, but does not have the expected metadata.
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
