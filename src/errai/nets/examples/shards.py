"""One shard of a data set: arrays in the safetensors format, whose metadata describe them and hold their digest."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors import numpy as safetensors

from errai.errors import DamagedFileError, ForeignFileError, file_error
from errai.nets.positions import Floats, Positions
from errai.store.atomic import write_file

FORMAT = 1

_LEVELS = 65_535
_WORD = "errai examples"

Arrays = Mapping[str, NDArray[Any]]


def write_shard(path: Path, arrays: Arrays, facts: Mapping[str, Any]) -> int:
    """Write a shard, atomically; return the length of the file.

    Raises
    ------
    FileAccessError, DiskSpaceError
        The file cannot be written.
    """
    stored = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    said = {**facts, "format": FORMAT}
    card = {**said, "digest": _digest(said, stored)}
    data = safetensors.save(stored, metadata={_WORD: json.dumps(card, sort_keys=True)})
    write_file(path, data)
    return len(data)


def read_shard(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the facts of a shard.

    Raises
    ------
    FileAccessError
        The file cannot be read.
    ForeignFileError
        The file is not a shard, or has an unknown version.
    DamagedFileError
        The shard is truncated or altered.
    """
    try:
        with path.open("rb") as file:
            begins = file.read(10)
        if len(begins) < 10 or begins[8:] != b'{"':
            raise ForeignFileError(f"{path} holds no examples of Errai's.")
        with safe_open(os.fspath(path), framework="numpy") as opened:
            metadata = opened.metadata() or {}
            if _WORD not in metadata:
                raise ForeignFileError(f"{path} holds no examples of Errai's.")
            card = json.loads(metadata[_WORD])
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    except OSError as error:
        raise file_error(error, path, "be read") from error
    except (SafetensorError, ValueError) as error:
        raise DamagedFileError(f"{path} is damaged ({error}); remove it, and make its positions again.") from error
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise ForeignFileError(f"{path} holds examples of another version; version {FORMAT} is read here.")
    digest = card.pop("digest", None)
    if digest != _digest(card, arrays):
        raise DamagedFileError(
            f"{path} is damaged: it is not what its digest was made from; remove it, and make its positions again."
        )
    return arrays, card


def _digest(card: Mapping[str, Any], arrays: Arrays) -> str:
    said = hashlib.sha256(json.dumps(card, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        said.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        said.update(np.ascontiguousarray(array).tobytes())
    return said.hexdigest()


def as_stored(positions: Positions) -> Positions:
    """Positions whose ranges are those that a shard gives back after rounding."""
    return replace(positions, ranges=from_levels(in_levels(positions.ranges)))


def in_levels(ranges: Floats) -> NDArray[np.uint16]:
    """Return uint16[..., H]: ranges as whole multiples of a fraction of their greatest weight."""
    greatest = ranges.max(axis=-1, keepdims=True)
    return np.asarray(np.rint(_LEVELS * (ranges / greatest)).astype(np.uint16))


def from_levels(levels: NDArray[np.uint16]) -> Floats:
    """Return float32[..., H]: the ranges of such multiples, each summing to 1."""
    return np.asarray((levels / levels.sum(axis=-1, keepdims=True, dtype=np.float64)).astype(np.float32))
