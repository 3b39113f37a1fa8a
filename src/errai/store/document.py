"""A JSON file that says what it is, of which version, and by a checksum whether its content is whole."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from errai.errors import DamagedFileError, ForeignFileError
from errai.store.atomic import refusals, write_file

MAX_FILE_BYTES = 256 << 20
_PIECE_BYTES = 1 << 20


def write_document(path: str | os.PathLike[str], noun: str, version: int, body: dict[str, Any]) -> None:
    """Write what a file of one kind holds, such as a ``session``; the file is replaced as a whole.

    Raises :class:`FileAccessError` or :class:`DiskSpaceError` if it cannot be written.
    """
    content = {"format": f"errai {noun}", "version": version, "sha256": checksum(body), noun: body}
    write_file(path, json.dumps(content, indent=1, allow_nan=False) + "\n")


def read_document(path: str | os.PathLike[str], noun: str, version: int) -> dict[str, Any]:
    """Return the table that a file of one kind holds.

    Raises
    ------
    FileAccessError
        The file cannot be read.
    ForeignFileError
        It is of another kind or version.
    DamagedFileError
        It is truncated or altered.
    """
    kind = f"errai {noun}"
    with refusals(path, "be read"), Path(path).open("rb") as file:
        data = read_bounded(file, MAX_FILE_BYTES)
    try:
        if len(data) > MAX_FILE_BYTES:
            raise ValueError
        content = json.loads(data, parse_constant=_no_number)
    except (ValueError, RecursionError):
        error = DamagedFileError if kind.encode() in data[:100] else ForeignFileError
        raise error(f"{path} is not a whole {noun} file; choose another name to begin a new {noun}.") from None
    if not isinstance(content, dict) or content.get("format") != kind:
        raise ForeignFileError(f"{path} is not a {noun}; choose another name to begin a new one.")
    if content.get("version") != version:
        raise ForeignFileError(f"{path} is a {noun} of version {content.get('version')!r}; this Errai reads {version}.")
    body = content.get(noun)
    if not isinstance(body, dict) or content.get("sha256") != checksum(body):
        raise DamagedFileError(f"{path} has been altered or damaged: its checksum does not fit its content.")
    return body


def read_bounded(file: BinaryIO, most: int) -> bytes:
    """Return the content of a file, of a longer one the first ``most`` bytes and one more.

    Memory is taken for what the file has; ``file.read(most + 1)`` takes it for what the file might have.
    """
    pieces, left = [], most + 1
    while left and (piece := file.read(min(left, _PIECE_BYTES))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def has_fields(record: Any, kinds: dict[str, Any]) -> bool:
    """Return whether a record is a table with a value of the right type for each name."""
    return isinstance(record, dict) and all(
        name in record and isinstance(record[name], kind) for name, kind in kinds.items()
    )


def checksum(body: dict[str, Any]) -> str:
    """Return the checksum of what a file holds."""
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number.")
