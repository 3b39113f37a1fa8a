"""The log that a match leaves while it is played: lines of :mod:`errai.arena.acpc.log`, and a file that grows."""

from __future__ import annotations

import os
from pathlib import Path

from errai.errors import FileAccessError, MatchError
from errai.games.game import Game
from errai.games.hand import Subject


def log_name(name: str) -> str:
    """A name as a log can hold it: the signs that part its fields become other ones."""
    return "".join("_" if sign in ":|" or not sign.isprintable() or sign.isspace() else sign for sign in name) or "_"


class LogFile:
    """A log that grows; after a stop it is cut back to what a checkpoint says, and grows on.

    Raises
    ------
    MatchError
        The subject is a spot: the competition's logs hold whole games; or the log to go on with is not there.
    FileAccessError
        The file cannot be written.
    """

    def __init__(self, path: Path, subject: Subject, keep_bytes: int = 0) -> None:
        if not isinstance(subject, Game):
            raise MatchError("The competition's logs hold hands of whole games; leave the log out for a spot.")
        try:
            if keep_bytes and (not path.is_file() or path.stat().st_size < keep_bytes):
                raise MatchError(f"{path} does not hold the hands that were played before; begin the match anew.")
            self._file = path.open("r+b" if keep_bytes else "wb")
            self._file.truncate(keep_bytes)
            self._file.seek(keep_bytes)
        except OSError as error:
            raise FileAccessError(f"{path} cannot be written: {error.strerror or error}.") from error

    def write(self, lines: list[str]) -> None:
        """Add lines."""
        self._file.write("".join(f"{line}\n" for line in lines).encode())

    def settle(self) -> int:
        """Bring everything to the disk; returns the bytes that are there."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
