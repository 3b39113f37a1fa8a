"""The log that is written while a match is played, in lines of :mod:`errai.arena.acpc.log`."""

from __future__ import annotations

import os
from pathlib import Path

from errai.errors import FileAccessError, MatchError
from errai.games.game import Game
from errai.games.hand import Subject


def log_name(name: str) -> str:
    """A name as a log can hold it: the characters that separate fields are replaced."""
    return "".join("_" if sign in ":|" or not sign.isprintable() or sign.isspace() else sign for sign in name) or "_"


class LogFile:
    """A log to which hands are appended; when a match is resumed, it is first cut back to the checkpoint.

    Raises
    ------
    MatchError
        The subject is a spot, while ACPC logs hold whole games; or the log of the resumed match is missing.
    FileAccessError
        The file cannot be written.
    """

    def __init__(self, path: Path, subject: Subject, keep_bytes: int = 0) -> None:
        if not isinstance(subject, Game):
            raise MatchError("ACPC logs hold hands of whole games; leave the log out for a spot.")
        try:
            if keep_bytes and (not path.is_file() or path.stat().st_size < keep_bytes):
                raise MatchError(f"{path} does not hold the hands that were played before; start the match again.")
            self._file = path.open("r+b" if keep_bytes else "wb")
            self._file.truncate(keep_bytes)
            self._file.seek(keep_bytes)
        except OSError as error:
            raise FileAccessError(f"{path} cannot be written: {error.strerror or error}.") from error

    def write(self, lines: list[str]) -> None:
        """Add lines."""
        self._file.write("".join(f"{line}\n" for line in lines).encode())

    def settle(self) -> int:
        """Write everything to the disk; returns the size in bytes."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
