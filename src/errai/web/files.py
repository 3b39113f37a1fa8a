"""The files of the folder: every one is opened, checked and written here.

What the folder holds may be anything: the power failed while a file was written, a backup was put back by half, or
somebody edited a file.  Two rules follow.  Only plain files are opened, and no link is followed, because it may lead
anywhere.  And what is read has the shape that its reader says, or a :class:`DamagedFileError` names the file; whoever
lists many things catches that for the one thing that it belongs to, so that a bad file never hides the good ones.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from errai.errors import DamagedFileError, file_error
from errai.store.atomic import refusals, write_file

Found = TypeVar("Found")
Shape = TypeVar("Shape", bound=BaseModel)

MOST_BYTES = 16 << 20
"""The longest file of JSON that is read."""


def open_plain(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a plain file as :func:`os.open` does, follow no link, and wait for nothing.

    Raises :class:`FileNotFoundError` if there is nothing of this name, and ``flags`` do not ask for a new file;
    :class:`DamagedFileError` if a link, a folder or something else that is no plain file has the name;
    :class:`FileAccessError` if the system refuses.
    """
    try:
        descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
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
    """Require that a folder holds nothing but plain files.

    This covers the files that other parts of Errai open by their paths, such as checkpoints.  Raises
    :class:`DamagedFileError` for anything else, and :class:`FileAccessError` if the folder cannot be read.
    """
    with refusals(folder, "be read"), os.scandir(folder) as inside:
        found = next((entry.path for entry in inside if not entry.is_file(follow_symlinks=False)), None)
    if found is not None:
        raise _not_plain(Path(found))


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes | None:
    """Return what a plain file holds; None if there is no such file.

    Raises :class:`DamagedFileError` if it is no plain file or has more than ``most`` bytes, and
    :class:`FileAccessError` if it cannot be read.
    """
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
    """Return what a file of JSON says, in the shape that it must have; None if there is no such file.

    Raises as :func:`read_bytes`, and :class:`DamagedFileError` if the file is no JSON or has another shape.
    """
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
    """Remove whatever has a name; a link goes, and what it leads to stays.

    Raises :class:`FileAccessError` if the system refuses.
    """
    with refusals(path, "be removed"), suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _called(path: Path) -> str:
    return f"The file {path.parent.name}/{path.name}"


def _not_plain(path: Path) -> DamagedFileError:
    what = "a symbolic link, which the server does not follow" if path.is_symlink() else "not a plain file"
    return DamagedFileError(f"{path.parent.name}/{path.name} is {what}.")
