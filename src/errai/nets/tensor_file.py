"""Files of named arrays in the safetensors format, with a card as JSON in their metadata.

The card's ``digest`` is the SHA-256 of the rest of the card and of all arrays, so that it covers every bit.  Reading a
file never executes any of its content.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from errai.errors import DamagedFileError, ForeignFileError, file_error
from errai.store.atomic import write_file

_LENGTH = struct.Struct("<Q")


def digest_of(said: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256, in hexadecimal, of a text and of arrays with their names, dtypes and shapes."""
    found = hashlib.sha256(said.encode())
    for name, array in sorted(arrays.items()):
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()


def card_digest(card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return the digest of a file's content, whether or not the card has it already."""
    rest = {key: value for key, value in card.items() if key != "digest"}
    return digest_of(json.dumps(rest, sort_keys=True), arrays)


def write_tensors(
    path: str | os.PathLike[str], word: str, card: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> int:
    """Write a file, atomically, with the card and its digest under ``word``; return the length.

    Raises :class:`FileAccessError` or :class:`DiskSpaceError` if it cannot be written.
    """
    stored = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    said = {**card, "digest": card_digest(card, stored)}
    data = safetensors.save(stored, metadata={word: json.dumps(said, sort_keys=True)})
    write_file(path, data)
    return len(data)


def read_tensors(
    path: Path, word: str, what: str, version: int, remedy: str = ""
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the card of a file; the card is read before any other content.

    The card is under ``word``, with ``version`` as its ``format``.  Messages call the file ``what``, such as ``a
    network``, and end with ``remedy`` where it is damaged.  Raises :class:`FileAccessError` if it cannot be read,
    :class:`ForeignFileError` if it is something else or has an unknown version, and :class:`DamagedFileError` if it is
    truncated or altered.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise file_error(error, path, "be read") from error
    foreign = ForeignFileError(f"{path} is not {what} of Errai's.")
    if len(data) < _LENGTH.size:
        raise foreign
    (length,) = _LENGTH.unpack_from(data)
    if not 2 <= length <= len(data) - _LENGTH.size:
        raise DamagedFileError(f"{path} is damaged: it ends early{remedy}.") if data[8:10] == b'{"' else foreign
    try:
        header = json.loads(data[_LENGTH.size : _LENGTH.size + length])
        card = json.loads(header["__metadata__"][word])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise foreign from error
    if not isinstance(card, dict):
        raise foreign
    if card.get("format") != version:
        raise ForeignFileError(f"{path} is {what} of version {card.get('format')!r}; version {version} is read here.")
    try:
        arrays = safetensors.load(data)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}{remedy}.") from error
    if card.get("digest") != card_digest(card, arrays):
        raise DamagedFileError(f"{path} is damaged: it is not what its digest was made from{remedy}.")
    return arrays, card
