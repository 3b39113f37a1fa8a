"""The folder that a server works in, and its files: every one is opened, checked and written here.

What the folder holds may be anything: the power failed while a file was written, or somebody edited it.  Two rules
follow.  Only plain files are opened, and no link is followed, because it may lead anywhere.  And what is read has the
shape that its reader says, or a :class:`DamagedFileError` names the file; whoever lists many things catches that for
the one thing that it belongs to, so that a bad file never hides the good ones.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from errai.errors import DamagedFileError, FileAccessError, InputError, UnknownNameError, file_error
from errai.running.system import PLAIN
from errai.store.atomic import refusals, write_file

KINDS = ("solutions", "jobs", "tables", "matches", "charts", "spots", "drills", "reports")

DELETED = ".deleted-"
"""With this begins the name of a folder that is being removed."""

PRIVATE = 0o077
"""All that other users may do; it is taken from the permissions of every file (the umask of servers and workers)."""

START = ".checkpoint"
"""Ending of the file beside a solution with its run's regrets, from which a similar spot may start."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*\.?$"
"""What :func:`is_name` allows besides the length, for the contract of the API."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def is_name(text: str) -> bool:
    """Whether a text can be the name of something in the folder: letters, digits, and single ``.``, ``_``, ``-``."""
    return _NAME.fullmatch(text) is not None and ".." not in text


def checked_name(text: str) -> str:
    """Return a name that no request can use to leave the folder.  Raises :class:`InputError` for any other text."""
    if not is_name(text):
        raise InputError(
            f"{text[:40]!a} is not a name: use up to 100 letters, digits, dots, hyphens and underscores, "
            "beginning with a letter or a digit."
        )
    return text


def unknown(kind: str, name: str) -> UnknownNameError:
    """Return the error for a name that nothing of a kind has."""
    one = "match" if kind == "matches" else kind.removesuffix("s")
    return UnknownNameError(f"There is no {one} called {name!r}.")


@dataclass(frozen=True)
class Workspace:
    """A folder with one subfolder for each of :data:`KINDS`."""

    folder: Path

    @classmethod
    def at(cls, folder: Path) -> Workspace:
        """Open a folder, and make what is missing.

        What is in it is for its owner alone, because the seeds of sessions tell all cards.  So the subfolders are
        closed to other users, and so is the folder itself unless it holds other things as well.  Raises
        :class:`FileAccessError` if that is not possible.
        """
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for kind in KINDS:
                (folder / kind).mkdir(mode=0o700, exist_ok=True)
                if not os.access(folder / kind, os.R_OK | os.W_OK | os.X_OK):
                    raise PermissionError(errno.EACCES, "it may not be written to")
            alone = set(os.listdir(folder)) <= set(KINDS)
            for closed in (*(folder / kind for kind in KINDS), *([folder] if alone else [])):
                if closed.stat().st_mode & PRIVATE:
                    closed.chmod(0o700)
                if closed.stat().st_mode & PRIVATE:
                    raise PermissionError(errno.EACCES, "other users can read it, and the system keeps it so")
        except OSError as error:
            raise FileAccessError(
                f"The folder {folder} cannot be used: {error.strerror}. Choose another with --folder."
            ) from error
        return cls(folder.resolve())

    def path(self, kind: str, name: str, suffix: str = "") -> Path:
        """Return the path of a name, which need not exist.

        Raises :class:`InputError` if the text is not a name, if a link has this name, because it may lead anywhere, or
        if something has the name of a file that is none: to open a pipe would be to wait for ever.
        """
        path = self.folder / kind / f"{checked_name(name)}{suffix}"
        with suppress(OSError):
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                raise InputError(f"{name!r} among the {kind} is a symbolic link, which the server does not follow.")
            if suffix and not stat.S_ISREG(mode):
                raise InputError(f"{path.name} among the {kind} is not a plain file; remove it, or put the file back.")
        return path

    def existing(self, kind: str, name: str, suffix: str = "") -> Path:
        """Return the path of what has a name.  Raises as :meth:`path`, and :class:`UnknownNameError` if nothing has."""
        path = self.path(kind, name, suffix)
        if not path.exists():
            raise unknown(kind, name)
        return path

    def remove(self, kind: str, name: str, suffix: str) -> None:
        """Remove the file that has a name, whatever it is; a link goes, and what it leads to stays.

        Raises :class:`InputError` if the text is not a name, :class:`UnknownNameError` if nothing has it, and
        :class:`FileAccessError`.
        """
        path = self.folder / kind / f"{checked_name(name)}{suffix}"
        if not os.path.lexists(path):
            raise unknown(kind, name)
        remove(path)

    def names(self, kind: str, suffix: str = "") -> list[str]:
        """Return all names of a kind, sorted."""
        return sorted(name for name, _ in self.entries(kind, suffix))

    def entries(self, kind: str, suffix: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield all names of a kind in any order, with what the folder has under them."""
        with os.scandir(self.folder / kind) as inside:
            for entry in inside:
                name = entry.name.removesuffix(suffix)
                if entry.name.endswith(suffix) and is_name(name) and not entry.is_symlink():
                    yield name, entry


Stamp = tuple[int, int, int]
"""Identifies the present contents of a file: its number, length, and time of the last change in nanoseconds."""


def stamp(status: os.stat_result) -> Stamp:
    """Return what identifies the contents of the file that has this status."""
    return status.st_ino, status.st_size, status.st_mtime_ns


def new_name(prefix: str) -> str:
    """Return a name that nothing has yet, such as ``turn-k3x9p2vd``."""
    stem = re.sub(r"[^A-Za-z0-9]+", "-", prefix).strip("-")[:60] or "new"
    return f"{stem}-{''.join(secrets.choice(_LETTERS) for _ in range(8))}"


# --- reading and writing ---

Found = TypeVar("Found")
Shape = TypeVar("Shape", bound=BaseModel)

MOST_BYTES = 16 << 20
"""The longest file of JSON that is read."""


def open_plain(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a plain file as :func:`os.open` does, follow no link, and wait for nothing.

    Raises :class:`FileNotFoundError`; :class:`DamagedFileError` for a link, a folder and whatever else is no plain
    file; :class:`FileAccessError` if the system refuses.
    """
    try:
        descriptor = os.open(path, flags | PLAIN, 0o600)
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise _not_plain(path) from error
        raise file_error(error, path, "be opened") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_plain(path)
    return descriptor


def require_plain(folder: Path) -> None:
    """Raise :class:`DamagedFileError` unless a folder holds nothing but plain files, and so no link to follow.

    Other parts of Errai open some of them by their paths.  :class:`FileAccessError` if the folder cannot be read.
    """
    with refusals(folder, "be read"), os.scandir(folder) as inside:
        found = next((entry.path for entry in inside if not entry.is_file(follow_symlinks=False)), None)
    if found is not None:
        raise _not_plain(Path(found))


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes | None:
    """Return what a plain file holds; None if there is none.  Raises as :func:`open_plain`, and for too many bytes."""
    try:
        descriptor = open_plain(path)
    except FileNotFoundError:
        return None
    with refusals(path, "be read"), os.fdopen(descriptor, "rb") as file:
        if os.fstat(descriptor).st_size > most:
            raise DamagedFileError(f"{_called(path)} is damaged: it has more than {most:,} bytes.")
        return file.read()


def read_text(path: Path) -> str | None:
    """Return the text that a plain file holds; None if there is no such file.  Raises as :func:`read_bytes`."""
    data = read_bytes(path)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"{_called(path)} is damaged: it is not UTF-8 from byte {error.start} on.") from error


def read_as(shape: type[Shape], path: Path, most: int = MOST_BYTES) -> Shape | None:
    """Return what a file of JSON says; None if there is none.  Raises :class:`DamagedFileError` for another shape."""
    data = read_bytes(path, most)
    if data is None:
        return None
    try:
        return shape.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "".join(f"{part}: " for part in first["loc"])
        raise DamagedFileError(f"{_called(path)} is damaged ({where}{first['msg']}).") from error


def required(found: Found | None, path: Path) -> Found:
    """Return what a file was read as.  Raises :class:`DamagedFileError` if there was no such file."""
    if found is None:
        raise DamagedFileError(f"{_called(path)} is missing.")
    return found


def write_json(path: Path, document: Mapping[str, Any]) -> None:
    """Write a JSON file in one step.  Raises :class:`FileAccessError` or :class:`DiskSpaceError`."""
    write_file(path, json.dumps(document, indent=1))


def remove(path: Path) -> None:
    """Remove whatever has a name; a link goes, and what it leads to stays.  Raises :class:`FileAccessError`."""
    with refusals(path, "be removed"), suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def remove_held(folder: Path, held: AbstractContextManager[object]) -> None:
    """Remove a folder that has a lock.  Raises what taking the lock raises."""
    away = folder.with_name(f"{DELETED}{new_name(folder.name)}")
    with held:
        folder.rename(away)
    shutil.rmtree(away, ignore_errors=True)


def remove_deleted(folder: Path) -> None:
    """Remove what a server left in a folder that was killed during :func:`remove_held`."""
    for path in folder.glob(f"{DELETED}*"):
        shutil.rmtree(path, ignore_errors=True)


def _called(path: Path) -> str:
    return f"The file {path.parent.name}/{path.name}"


def _not_plain(path: Path) -> DamagedFileError:
    what = "a symbolic link, which the server does not follow" if path.is_symlink() else "not a plain file"
    return DamagedFileError(f"{path.parent.name}/{path.name} is {what}.")
