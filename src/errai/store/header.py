"""A container's preamble, JSON header and table of arrays; the layout is in ``docs/file-formats.md``."""

from __future__ import annotations

import json
import math
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np

from errai.errors import DamagedFileError, ForeignFileError, InputError

MAGIC = b"\x89ERRAI\r\n"
FORMAT_VERSION = 1
ALIGNMENT = 64
MAX_HEADER_BYTES = 64 << 20
MAX_NAME_LENGTH = 255
MAX_DIMENSIONS = 32
ANEW = "Copy the file again, or compute it anew."
"""What can be done about a damaged file."""
_INTEGERS = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
DTYPES = (*_INTEGERS, "float16", "float32", "float64")

# The fields are magic, format version, CRC-32, header bytes and file bytes.
_PREAMBLE = struct.Struct("<8sIIQQ")
PREAMBLE_BYTES = _PREAMBLE.size
PIECES = "pieces"
"""The member of the metadata with checksums of pieces."""

_HEADER_TYPES = {"kind": str, "metadata": dict, "arrays": list}
_ROW_TYPES = {"name": str, "dtype": str, "shape": list, "offset": int, "length": int, "crc32": str}
_CRC32S = re.compile(r"(?:[0-9a-f]{8})*")


@dataclass(frozen=True)
class Entry:
    """One row of the table of arrays: an array's name, type and shape, and the position of its bytes."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int = 0
    length: int = 0
    crc32: int = 0


@dataclass(frozen=True)
class Pieces:
    """Checksums of the pieces of long arrays, so that a part of one can be read and checked without the rest."""

    BYTES: ClassVar[int] = 1 << 20

    of: dict[str, list[int]]
    """The CRC-32 of each piece, by name, for arrays with more than one piece."""

    @classmethod
    def blank(cls, entries: list[Entry]) -> Pieces:
        """Return zeros in place of the checksums of arrays that are going to be written."""
        return cls({e.name: [0] * _piece_count(e) for e in entries if _piece_count(e) > 1})

    @property
    def metadata(self) -> dict[str, Any]:
        """The member of the metadata with the checksums, always of the same length; empty if there are none."""
        if not self.of:
            return {}
        sums = {name: "".join(f"{crc32:08x}" for crc32 in crcs) for name, crcs in self.of.items()}
        return {PIECES: {"bytes": self.BYTES, "crc32": sums}}

    @classmethod
    def parse(cls, where: Path, metadata: Mapping[str, Any], entries: list[Entry]) -> Pieces:
        """Return the checksums of a header; DamagedFileError if they do not fit its arrays."""
        table = metadata.get(PIECES)
        if table is None:
            return cls({})
        sums = table.get("crc32") if isinstance(table, dict) else None
        counts = {entry.name: _piece_count(entry) for entry in entries}
        if not (
            isinstance(sums, dict)
            and table.get("bytes") == cls.BYTES
            and all(
                isinstance(text, str) and _CRC32S.fullmatch(text) and len(text) == 8 * counts.get(name, -1)
                for name, text in sums.items()
            )
        ):
            raise DamagedFileError(f"{where} is damaged: the checksums of its pieces are not those of its arrays.")
        return cls({n: [int(text[i : i + 8], 16) for i in range(0, len(text), 8)] for n, text in sums.items()})


def _piece_count(entry: Entry) -> int:
    return -(-entry.length // Pieces.BYTES)


# --- writing ------------------------------------------------------------------------------------------------


def describe(name: str, dtype: Any, shape: tuple[int, ...]) -> Entry:
    """Return the row of an array that is to be written, without a place.  InputError if a container cannot hold it."""
    if not isinstance(name, str) or not 0 < len(name) <= MAX_NAME_LENGTH:
        raise InputError(f"An array's name must be a text of 1 to {MAX_NAME_LENGTH} characters, not {name!r}.")
    numpy_dtype = np.dtype(dtype)
    if numpy_dtype.name not in DTYPES:
        raise InputError(f"Array {name!r} is of type {numpy_dtype}; a container holds {', '.join(DTYPES)}.")
    sizes = tuple(int(size) for size in shape)
    if not _is_shape(sizes, numpy_dtype.itemsize):
        raise InputError(f"Array {name!r} has a shape that a container cannot hold: {shape}.")
    length = math.prod(sizes) * numpy_dtype.itemsize
    return Entry(name, numpy_dtype.newbyteorder("<"), sizes, length=length)


def place(kind: str, metadata: Mapping[str, Any], entries: list[Entry]) -> tuple[list[Entry], int, int]:
    """Place the arrays at multiples of 64 bytes; return the rows and the lengths of the header and the file."""
    header_bytes = 0
    while True:
        end = PREAMBLE_BYTES + header_bytes
        placed = []
        for entry in entries:
            placed.append(replace(entry, offset=aligned(end)))
            end = placed[-1].offset + entry.length
        needed = len(_encode(kind, metadata, placed))
        # Longer offsets lengthen the header, which moves the arrays; this settles after a few steps.
        if needed <= header_bytes:
            break
        header_bytes = needed
    if header_bytes > MAX_HEADER_BYTES:
        raise InputError(
            f"The metadata and the table of arrays take {header_bytes:,} bytes; at most "
            f"{MAX_HEADER_BYTES:,} are allowed. Store what is long as an array."
        )
    return placed, header_bytes, end


def encode(kind: str, metadata: Mapping[str, Any], entries: list[Entry], header_bytes: int, total: int) -> bytes:
    """Return preamble and header, the header padded with spaces to the length that `place` found."""
    header = _encode(kind, metadata, entries).ljust(header_bytes, b" ")
    blank = _PREAMBLE.pack(MAGIC, FORMAT_VERSION, 0, header_bytes, total)
    crc32 = zlib.crc32(header, zlib.crc32(blank))
    return _PREAMBLE.pack(MAGIC, FORMAT_VERSION, crc32, header_bytes, total) + header


def _encode(kind: str, metadata: Mapping[str, Any], entries: list[Entry]) -> bytes:
    rows = [
        # The width of a checksum is fixed, so that the header keeps its size when they are filled in after the data.
        vars(entry) | {"dtype": entry.dtype.name, "shape": list(entry.shape), "crc32": f"{entry.crc32:08x}"}
        for entry in entries
    ]
    content = {"kind": kind, "metadata": dict(metadata), "arrays": rows}
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def aligned(offset: int) -> int:
    """Return the next boundary at or after `offset` at which an array may begin."""
    return -(-offset // ALIGNMENT) * ALIGNMENT


def check_json(value: Any, place: str, depth: int = 0) -> None:
    """Raise InputError, which names the place, for values that JSON cannot hold or would read back differently."""
    if depth > 100:
        raise InputError(f"{place} is nested more than 100 levels deep.")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InputError(f"{place} has the key {key!r}; keys must be texts.")
            check_json(item, f"{place}[{key!r}]", depth + 1)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            check_json(item, f"{place}[{index}]", depth + 1)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"{place} is {value}, which JSON cannot hold; store None instead.")
    elif isinstance(value, int):
        if value.bit_length() > 10_000:
            raise InputError(f"{place} is an integer of more than 10,000 bits; store it as a text.")
    elif not (value is None or isinstance(value, str)):
        raise InputError(f"{place} is a {type(value).__name__}, which JSON cannot hold.")


# --- reading ------------------------------------------------------------------------------------------------


def read_header(where: Path, file: BinaryIO, size: int) -> tuple[str, dict[str, Any], list[Entry], int]:
    """Return kind, metadata and table of arrays, checked against the length of the file, and where the header ends."""
    preamble = file.read(PREAMBLE_BYTES)
    if not preamble:
        raise DamagedFileError(f"{where} is empty. {ANEW}")
    if preamble[: len(MAGIC)] != MAGIC[: len(preamble)]:
        raise ForeignFileError(f"{where} is not a file of Errai's; give one that Errai has written.")
    if len(preamble) < PREAMBLE_BYTES:
        raise DamagedFileError(f"{where} is truncated: it has only {size} bytes. {ANEW}")
    _, version, crc32, header_bytes, total = _PREAMBLE.unpack(preamble)
    if version != FORMAT_VERSION:
        raise ForeignFileError(
            f"{where} has version {version} of the file format; this Errai reads version {FORMAT_VERSION}."
        )
    if size < total:
        raise DamagedFileError(f"{where} is truncated: it has {size:,} of {total:,} bytes. {ANEW}")
    if size > total or header_bytes > min(total - PREAMBLE_BYTES, MAX_HEADER_BYTES):
        raise DamagedFileError(f"{where} is damaged: its lengths contradict one another.")
    header = file.read(header_bytes)
    blank = _PREAMBLE.pack(MAGIC, FORMAT_VERSION, 0, header_bytes, total)
    if zlib.crc32(header, zlib.crc32(blank)) != crc32:
        raise DamagedFileError(f"{where} is damaged: the checksum of its header is wrong.")
    try:
        text = header.decode("utf-8")
        content = json.loads(text, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"{where} is damaged: its header cannot be read.") from error
    if not _has(content, _HEADER_TYPES):
        raise DamagedFileError(f"{where} is damaged: its header lacks the kind, the metadata or the arrays.")
    end = PREAMBLE_BYTES + len(header)
    return content["kind"], content["metadata"], _parse_table(where, content["arrays"], end, size), end


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key occurs twice")
    return content


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is out of bounds")
    return value


def _parse_table(where: Path, table: list[Any], end: int, size: int) -> list[Entry]:
    """Return the rows of the table.  They must be consistent with each other and fill the file exactly."""
    entries: list[Entry] = []
    for number, row in enumerate(table):
        entry = _parse_row(row)
        if entry is None or entry.offset != aligned(end) or entry.offset + entry.length > size:
            raise DamagedFileError(f"{where} is damaged: row {number} of its table of arrays is inconsistent.")
        end = entry.offset + entry.length
        entries.append(entry)
    if end != size:
        raise DamagedFileError(f"{where} is damaged: its arrays end at byte {end:,} of {size:,}.")
    if len({entry.name for entry in entries}) != len(entries):
        raise DamagedFileError(f"{where} is damaged: two of its arrays have the same name.")
    return entries


def _parse_row(row: Any) -> Entry | None:
    """Return one row of the table, or None if no writer would have written it."""
    if not _has(row, _ROW_TYPES):
        return None
    name, dtype, shape, offset, length, crc32 = (row[key] for key in _ROW_TYPES)
    if (
        not 0 < len(name) <= MAX_NAME_LENGTH
        or dtype not in DTYPES
        or not (_CRC32S.fullmatch(crc32) and len(crc32) == 8)
    ):
        return None
    numpy_dtype = np.dtype(dtype).newbyteorder("<")
    if not _is_shape(shape, numpy_dtype.itemsize) or not _is_size(offset):
        return None
    if length != math.prod(shape) * numpy_dtype.itemsize:
        return None
    return Entry(name, numpy_dtype, tuple(shape), offset, length, int(crc32, 16))


def _has(found: Any, types: Mapping[str, type]) -> bool:
    """Return whether JSON holds a table of exactly these members; a bool is an int in Python, but not in JSON."""
    return isinstance(found, dict) and {key: type(value) for key, value in found.items()} == types


def _is_shape(shape: list[Any] | tuple[Any, ...], item_bytes: int) -> bool:
    """Return whether NumPy can have an array of this shape; it multiplies the sizes even if one of them is 0."""
    if len(shape) > MAX_DIMENSIONS or not all(_is_size(size) for size in shape):
        return False
    # Python's integers do not overflow, so a product of huge sizes cannot look like a small one.
    return bool(math.prod(size for size in shape if size) * item_bytes < 2**63)


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63
