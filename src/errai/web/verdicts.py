"""What verifications of solutions have found, kept in a file, so that a server that is started again knows it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from errai.store.atomic import write_file
from errai.web.files import Stamp

MOST_BYTES = 1 << 20


class Verdicts:
    """By the name of a solution: the contents that were verified, and whether their certificate holds.

    A file that cannot be read counts as empty: what it says can be found again.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self, name: str, stamps: tuple[Stamp, ...]) -> bool | None:
        """Return what was found for these contents, None if they have not been verified."""
        found = self._read().get(name)
        matches = isinstance(found, dict) and found.get("stamps") == [list(one) for one in stamps]
        certified = found.get("certified") if isinstance(found, dict) and matches else None
        return certified if isinstance(certified, bool) else None

    def put(self, name: str, stamps: tuple[Stamp, ...], certified: bool) -> None:
        """Keep what was found; one thread at a time may do that."""
        found = self._read() | {name: {"stamps": stamps, "certified": certified}}
        write_file(self._path, json.dumps(dict(list(found.items())[-1000:])))

    def _read(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            if self._path.stat().st_size <= MOST_BYTES:
                found = json.loads(self._path.read_bytes())
                return found if isinstance(found, dict) else {}
        return {}
