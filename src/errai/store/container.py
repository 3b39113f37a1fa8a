"""One file with named arrays and metadata; the layout is in ``docs/file-formats.md``.

A container has a fixed preamble, a JSON header and raw little-endian arrays.  Every bit of it is checked: the preamble
and the header have one CRC-32, each array has its own, and the gaps between them must be zero.  CRC-32 is the checksum
because every language can compute it, zlib-ng at the speed of memory.  It protects against damage, but not against
deliberate changes.
"""

from __future__ import annotations

import math
import mmap
import os
import stat
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from zlib_ng.zlib_ng import crc32 as crc32_of

from errai.errors import DamagedFileError, FileAccessError, ForeignFileError, InputError, file_error
from errai.running.recent import Recent
from errai.running.system import read_at
from errai.store.atomic import atomic_file
from errai.store.header import ANEW, PREAMBLE_BYTES, Entry, Pieces, check_json, describe, encode, place, read_header

_BLOCK_BYTES = 4 << 20

WHOLE_BYTES = 16 << 20
"""Arrays up to this size are checked completely when a part is read for which the file has no checksum."""

KEPT_PIECES = 16


@dataclass(frozen=True)
class ArrayStream:
    """An array that is produced block by block while it is written, so that it never has to be in memory as a whole."""

    dtype: str
    """One of `errai.store.header.DTYPES`."""
    shape: tuple[int, ...]
    """The shape that a reader gets."""
    blocks: Iterable[np.ndarray]
    """Arrays of that type and of any shape whose elements, one after another in C order, are those of the array."""


def write_container(
    path: str | os.PathLike[str],
    kind: str,
    metadata: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray | ArrayStream],
    *,
    backup: Path | None = None,
    alone: bool = True,
    pieces: bool = False,
) -> None:
    """Write a container so that at every moment the file is the old one or the complete new one.

    The data go to a temporary file in the same folder, are flushed to the disk and renamed to `path`.  Contiguous
    arrays are written directly; others are copied a few megabytes at a time.

    The kind is a word such as ``solution``, which `open_container` requires.  Metadata are values that JSON can hold:
    dict with str keys, list, tuple (which is read back as a list), str, int, finite float, bool and None.  Arrays have
    any shape and one of the types in `errai.store.header.DTYPES`.  With ``pieces`` the metadata get a member of this
    name with a checksum for every piece of long arrays, so that `MappedArrays.part` can check what it reads without
    reading the rest.  The path, ``backup`` and ``alone`` are those of `errai.store.atomic.atomic_file`.

    Raises :class:`InputError` if the metadata or an array cannot be stored, and :class:`DiskSpaceError` or
    :class:`FileAccessError` if the disk is too full, or the system refuses; `path` is unchanged then.
    """
    if not isinstance(kind, str) or not kind:
        raise InputError(f"The kind of a container must be a text of at least one character, not {kind!r:.60}.")
    check_json(dict(metadata), "metadata")
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray | ArrayStream):
            raise InputError(f"Array {name!r} is a {type(array).__name__}; a NumPy array or an ArrayStream is needed.")
    entries = [describe(name, array.dtype, array.shape) for name, array in arrays.items()]
    sums = Pieces.blank(entries) if pieces else None
    if sums is not None:
        metadata = {**metadata, **sums.metadata}
    entries, header_bytes, total = place(kind, metadata, entries)
    with atomic_file(path, total, backup, alone=alone) as file:
        file.write(bytes(PREAMBLE_BYTES + header_bytes))
        for index, array in enumerate(arrays.values()):
            entry = entries[index]
            file.write(bytes(entry.offset - file.tell()))
            of_pieces = [] if sums is None else sums.of.get(entry.name, [])
            entries[index] = replace(entry, crc32=_write_array(file, entry, array, of_pieces))
        if sums is not None:
            metadata = {**metadata, **sums.metadata}
        file.seek(0)
        file.write(encode(kind, metadata, entries, header_bytes, total))


def _write_array(file: BinaryIO, entry: Entry, array: np.ndarray | ArrayStream, of_pieces: list[int]) -> int:
    """Write one array and return its CRC-32; fill in ``of_pieces`` with those of its pieces if it is not empty."""
    crc32 = written = passed = 0
    for block in [array] if isinstance(array, np.ndarray) else array.blocks:
        if block.dtype.newbyteorder("<") != entry.dtype:
            raise InputError(f"A block of array {entry.name!r} is of type {block.dtype}, not {entry.dtype}.")
        written += block.nbytes
        if written > entry.length:
            break
        for piece in _pieces(block, entry.dtype):
            crc32 = crc32_of(piece, crc32)
            file.write(piece)
            for number, part in _by_piece(piece, passed) if of_pieces else ():
                of_pieces[number] = crc32_of(part, of_pieces[number])
            passed += len(piece)
    if written != entry.length:
        raise InputError(f"The blocks of array {entry.name!r} do not add up to its {entry.length:,} bytes.")
    return crc32


def _by_piece(view: memoryview, start: int) -> Iterator[tuple[int, memoryview]]:
    """Yield the bytes of an array from ``start`` on, cut at the ends of its pieces, with the number of each piece."""
    while view:
        number, within = divmod(start, Pieces.BYTES)
        part = view[: Pieces.BYTES - within]
        yield number, part
        view, start = view[len(part) :], start + len(part)


def _pieces(array: np.ndarray, dtype: np.dtype[Any]) -> Iterator[memoryview]:
    """Yield the array's bytes in C order, a few megabytes at a time, copied only if they are not in this order."""
    if array.size == 0:
        return
    if array.dtype == dtype and array.flags.c_contiguous:
        whole = array.reshape(-1).view(np.uint8).data
        for start in range(0, len(whole), _BLOCK_BYTES):
            yield whole[start : start + _BLOCK_BYTES]
        return
    chunks = np.nditer(
        array,
        flags=("external_loop", "buffered"),
        op_dtypes=[dtype],
        order="C",
        casting="equiv",
        buffersize=_BLOCK_BYTES // dtype.itemsize,
    )
    for chunk in chunks:
        yield np.ascontiguousarray(chunk).reshape(-1).view(np.uint8).data


class MappedArrays(Mapping[str, np.ndarray]):
    """The arrays of a container by name, in its order: memory-mapped, read-only, and checked when first used."""

    def __init__(
        self, path: Path, descriptor: int, mapped: mmap.mmap, entries: list[Entry], checked: bool, pieces: Pieces
    ) -> None:
        self._pieces = pieces
        self._kept: Recent[tuple[str, int], NDArray[np.uint8]] = Recent(KEPT_PIECES)
        self._path = path
        self._descriptor = descriptor
        self._mapped = mapped
        self._entries = {entry.name: entry for entry in entries}
        self._sound: set[str] = set() if checked else set(self._entries)
        # The file stays open as long as this object lives, so that it is the one that was checked even if `path` is
        # replaced.
        weakref.finalize(self, os.close, descriptor)

    def __getitem__(self, name: str) -> np.ndarray:
        entry = self._entries[name]
        if name not in self._sound:
            self.check(name)
        return np.frombuffer(self._mapped, entry.dtype, math.prod(entry.shape), entry.offset).reshape(entry.shape)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def entry(self, name: str) -> Entry:
        """Return an array's row in the table of arrays, without reading the array."""
        return self._entries[name]

    def check(self, name: str) -> None:
        """Compute an array's checksum; DamagedFileError if it is wrong."""
        entry = self._entries[name]
        block = memoryview(bytearray(min(_BLOCK_BYTES, entry.length)))
        self._read(entry, (block[: entry.length - start] for start in range(0, entry.length, _BLOCK_BYTES)))

    def read(self, name: str, room: np.ndarray | None = None) -> np.ndarray:
        """Return a writable copy of an array in memory; DamagedFileError if the checksum of the copy is wrong.

        The copy is at the beginning of `room`, uint8[at least the array's bytes], if that is given.
        A file that lacks the array is damaged as well.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise DamagedFileError(f"{self._path} is damaged: its array {name!r} is missing.")
        if room is None:
            array = np.empty(entry.shape, entry.dtype)
        else:
            array = room[: entry.length].view(entry.dtype).reshape(entry.shape)
        if entry.length == 0:
            return array
        view = array.reshape(-1).view(np.uint8).data
        self._read(entry, (view[start : start + _BLOCK_BYTES] for start in range(0, entry.length, _BLOCK_BYTES)))
        return array

    def checks_parts(self, name: str) -> bool:
        """Return whether :meth:`part` checks what it reads of an array."""
        return name in self._pieces.of or self._entries[name].length <= WHOLE_BYTES

    def part(self, name: str, first: int, last: int) -> np.ndarray:
        """Return a copy of some elements of an array, counted in C order; of a large array nothing else is read.

        The checksums of the pieces that contain the elements are verified.  If the file has none for the array, the
        whole array is checked if it has at most `WHOLE_BYTES`, and not at all if it has more.
        """
        entry = self._entries[name]
        size = entry.dtype.itemsize
        if not 0 <= first <= last <= math.prod(entry.shape):
            raise InputError(f"Array {name!r} has no elements {first:,} to {last:,}.")
        bytes_of = np.empty((last - first) * size, np.uint8)
        if name not in self._pieces.of:
            if self.checks_parts(name) and name not in self._sound:
                self.check(name)
            self._fill(entry, first * size, bytes_of.data)
            return bytes_of.view(entry.dtype)
        begin, end = first * size, last * size
        for number in range(begin // Pieces.BYTES, -(-end // Pieces.BYTES)):
            start = number * Pieces.BYTES
            piece = self._kept.get_or_make((entry.name, number), partial(self._piece, entry, number))
            lower, upper = max(begin, start), min(end, start + len(piece))
            bytes_of[lower - begin : upper - begin] = piece[lower - start : upper - start]
        return bytes_of.view(entry.dtype)

    def _piece(self, entry: Entry, number: int) -> NDArray[np.uint8]:
        """Return a piece of an array after checking it."""
        start = number * Pieces.BYTES
        found = np.empty(min(Pieces.BYTES, entry.length - start), np.uint8)
        self._fill(entry, start, found.data)
        if crc32_of(found.data) != self._pieces.of[entry.name][number]:
            raise DamagedFileError(
                f"{self._path} is damaged: the checksum of piece {number} of its array {entry.name!a} is wrong. {ANEW}"
            )
        return found

    def _fill(self, entry: Entry, start: int, part: memoryview) -> None:
        """Read a part of an array.  Unlike the mapping, this survives if the file is truncated meanwhile."""
        filled = 0
        try:
            while filled < len(part):
                count = read_at(self._descriptor, part[filled:], entry.offset + start + filled)
                if count == 0:
                    raise DamagedFileError(f"{self._path} has become shorter while it was read.")
                filled += count
        except OSError as error:
            raise file_error(error, self._path, "be read") from error

    def _read(self, entry: Entry, parts: Iterable[memoryview]) -> None:
        """Read an array part by part, and compare its checksum."""
        start = crc32 = 0
        for part in parts:
            self._fill(entry, start, part)
            start, crc32 = start + len(part), crc32_of(part, crc32)
        if crc32 != entry.crc32:
            raise DamagedFileError(
                f"{self._path} is damaged: the checksum of its array {entry.name!a} is wrong. {ANEW}"
            )
        self._sound.add(entry.name)


@dataclass(frozen=True, eq=False)
class Container:
    """An open container.

    The checksum of an array is computed when the array is first used, so that a damaged one is never returned.  The
    file must not be truncated while it is mapped, because the operating system kills a process that reads a mapped page
    that no longer exists.  `write_container` never truncates files, it replaces them.  `verify` and `read` are safe in
    any case.
    """

    path: Path
    kind: str
    metadata: dict[str, Any]
    arrays: MappedArrays
    file_bytes: int

    def verify(self) -> None:
        """Compute every array's checksum; DamagedFileError if one is wrong."""
        for name in self.arrays:
            self.arrays.check(name)

    def read(self, name: str, room: np.ndarray | None = None) -> np.ndarray:
        """Return a writable copy of an array in memory; see :meth:`MappedArrays.read`."""
        return self.arrays.read(name, room)


def open_container(path: str | os.PathLike[str], kind: str | None = None, *, checked: bool = True) -> Container:
    """Open a container of a kind, or of any, after checking its lengths, its header and the gaps between arrays.

    Unless it is ``checked``, which computes an array's checksum when the array is first used, only `Container.verify`
    and `Container.read` compute checksums.

    Raises :class:`FileAccessError` if there is no such file or it cannot be read, :class:`ForeignFileError` if it is
    not a container, or has another kind or another version of the format, and :class:`DamagedFileError` if it is
    truncated, altered or inconsistent.
    """
    where = Path(path)
    try:
        # Opening a pipe would wait for a writer, so the type of the file is checked first.
        if not stat.S_ISREG(os.stat(where).st_mode):
            raise ForeignFileError(f"{where} is not a plain file.")
        with open(where, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            found, metadata, entries, end = read_header(where, file, size)
            if kind is not None and found != kind:
                raise ForeignFileError(f"{where} is of the kind {found!a}; a file of the kind {kind!a} is needed here.")
            for entry in entries:
                file.seek(end)
                if any(file.read(entry.offset - end)):
                    raise DamagedFileError(f"{where} is damaged: the gap before array {entry.name!a} is not empty.")
                end = entry.offset + entry.length
            mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
            pieces = Pieces.parse(where, metadata, entries)
            arrays = MappedArrays(where, os.dup(file.fileno()), mapped, entries, checked, pieces)
    except FileNotFoundError as error:
        raise FileAccessError(f"{where} does not exist.") from error
    except OSError as error:
        raise file_error(error, where, "be read") from error
    except ValueError as error:
        # The path has a null character, or the file was truncated before it could be mapped.
        raise FileAccessError(f"{str(where)!a} cannot be read: {error}.") from error
    return Container(where, found, metadata, arrays, size)
