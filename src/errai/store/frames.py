"""Tables as zstandard frames inside a container; a frame is unpacked only if it yields exactly the expected size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import zstandard
from numpy.typing import NDArray

from errai.errors import DamagedFileError

LEVEL = 19


def packed_frame(raw: bytes) -> NDArray[np.uint8]:
    """Compress bytes into a frame, as an array for a container.  The same bytes always give the same frame."""
    return np.frombuffer(zstandard.ZstdCompressor(level=LEVEL).compress(raw), dtype=np.uint8)


def unpacked_frame(packed: NDArray[np.uint8], wanted: int, path: str | Path) -> bytes:
    """Return the ``wanted`` bytes of a frame.

    Raises :class:`DamagedFileError` for ``path`` if it has fewer or more.
    """
    try:
        raw = zstandard.ZstdDecompressor().decompress(packed.tobytes(), max_output_size=wanted + 1)
    except zstandard.ZstdError as error:
        raise DamagedFileError(f"{path} holds a table that cannot be unpacked: {error}.") from error
    if len(raw) != wanted:
        raise DamagedFileError(f"{path} holds a table of {len(raw):,} bytes where {wanted:,} belong.")
    return raw
