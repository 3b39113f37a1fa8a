"""The log that is written while a match is played, in lines of :mod:`errai.arena.acpc.log`."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from errai.errors import MatchError
from errai.store.atomic import lock, refusals


def log_name(name: str) -> str:
    """Return a name as a log can hold it: the characters that separate fields are replaced."""
    return "".join("_" if sign in ":|" or not sign.isprintable() or sign.isspace() else sign for sign in name) or "_"


class LogFile:
    """A log to which whole lines are appended, and to which no other process writes meanwhile.

    What a method has written is in the file, and what it could not write is not, not even a part of it: the caller may
    count a hand once its line is written.

    Parameters
    ----------
    path:
        The file.  What it holds is removed, apart from ``keep_bytes``.
    keep_bytes, keep_lines:
        What a match that is resumed has written before; the log is cut back to it.

    Raises
    ------
    MatchError
        The log of the resumed match is missing, or does not hold what the match has written.
    RunInUseError
        Another process writes to the file.
    FileAccessError, DiskSpaceError
        The file cannot be written.  All methods raise these.
    """

    def __init__(self, path: Path, keep_bytes: int = 0, keep_lines: int = 0) -> None:
        self.path = path
        self.size = keep_bytes
        with refusals(path):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                self._plain = stat.S_ISREG(os.fstat(self._file).st_mode)
                if self._plain:
                    lock(self._file, f"Another process writes to {path}; wait until it ends, or choose another file.")
                if (keep_bytes or keep_lines) and not self._holds(keep_bytes, keep_lines):
                    raise MatchError(f"{path} does not hold the hands that were played before; start the match again.")
                self._cut()
            except BaseException:
                self.close()
                raise

    def write(self, text: str) -> None:
        """Add lines, each with its end."""
        data = memoryview(text.encode())
        with refusals(self.path):
            try:
                left = data
                while left:
                    left = left[os.write(self._file, left) :]
            except BaseException:
                # What was written of it goes again; if that fails too, a resumed match cuts it off.
                with contextlib.suppress(OSError):
                    self._cut()
                raise
        self.size += len(data)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def settle(self) -> int:
        """Make sure that everything survives a power failure; returns the size in bytes."""
        if self._plain:
            with refusals(self.path):
                os.fsync(self._file)
        return self.size

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _cut(self) -> None:
        if self._plain:
            os.ftruncate(self._file, self.size)
            os.lseek(self._file, self.size, os.SEEK_SET)

    def _holds(self, count: int, lines: int) -> bool:
        """Return whether the file begins with so many bytes that are so many lines."""
        with self.path.open("rb") as file:
            left, found, last = count, 0, b""
            while left and (block := file.read(min(left, 1 << 20))):
                left, found, last = left - len(block), found + block.count(b"\n"), block
        return not left and found == lines and last.endswith(b"\n")
