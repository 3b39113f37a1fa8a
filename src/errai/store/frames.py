"""Tables as zstandard frames inside of a container: small, and unpacked to the size that belongs or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from errai.errors import DamagedFileError

LEVEL = 19


def packed_frame(raw: bytes) -> NDArray[np.uint8]:
    """A frame that holds some bytes, as an array for a container; the same bytes make the same frame."""
    return np.frombuffer(zstandard.ZstdCompressor(level=LEVEL).compress(raw), dtype=np.uint8)


def unpacked_frame(packed: NDArray[np.uint8], wanted: int, path: str | Path) -> bytes:
    """The ``wanted`` bytes of a frame.  Raises :class:`DamagedFileError`, naming the file if it holds fewer or more."""
    try:
        raw = zstandard.ZstdDecompressor().decompress(packed.tobytes(), max_output_size=wanted + 1)
    except zstandard.ZstdError as error:
        raise DamagedFileError(f"{path} holds a table that cannot be unpacked: {error}.") from error
    if len(raw) != wanted:
        raise DamagedFileError(f"{path} holds a table of {len(raw):,} bytes where {wanted:,} belong.")
    return raw
