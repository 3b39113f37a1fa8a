"""Writing files such that they are replaced completely or not at all, even if the process is killed or power fails."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from errai.errors import DiskSpaceError, FileAccessError, RunInUseError

_SUFFIX = ".partial"


@contextlib.contextmanager
def atomic_file(
    path: str | os.PathLike[str], expected_bytes: int, backup: Path | None = None, *, alone: bool = True
) -> Iterator[BinaryIO]:
    """Open a temporary file beside `path` that replaces `path` in one step when the block ends without an error.

    If the block raises, the temporary file is removed and `path` stays as it was.  Temporary files for the same `path`
    that a killed process left are removed first.

    Parameters
    ----------
    path:
        The file to write.  A link is followed.
    expected_bytes:
        The length of the file.  Nothing is written unless the disk has that much room.
    backup:
        A name in the same folder under which the replaced file is kept, if the file system has links.
    alone:
        Whether this file is complete in itself.  If it is one of many that belong together, the caller flushes their
        folder once and removes what killed processes left.

    Raises
    ------
    DiskSpaceError
        If the disk has no room.
    FileAccessError
        If the folder does not exist, `path` is not a plain file, or the system refuses.
    """
    if "\0" in os.fspath(path):
        raise FileAccessError("A path must not contain a null character.")
    with _translated(path, expected_bytes):
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise FileAccessError(f"The folder {target.parent} does not exist; create it first.")
        if target.exists() and not target.is_file():
            raise FileAccessError(f"{path} is not a plain file; choose another name.")
        if alone:
            remove_leftovers(target)
        free = shutil.disk_usage(target.parent).free
        if free < expected_bytes:
            raise DiskSpaceError(_no_space(path, expected_bytes, free))
        descriptor, temporary = _create(target)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
                if backup is not None:
                    _link(target, backup)
                # Rename while the lock is held: otherwise another process could remove the file as a leftover.
                os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        if alone:
            sync_folder(target.parent)


def _link(target: Path, backup: Path) -> None:
    """Give a file a second name.  At every moment each of the two names refers to a complete file, if it ever did."""
    step = backup.with_name(backup.name + ".step")
    # At the first write there is no file to keep, and some file systems have no links and keep nothing.
    with contextlib.suppress(OSError):
        step.unlink(missing_ok=True)
        os.link(target, step)
        os.replace(step, backup)
        # Renaming between two names of one file leaves both names.
        step.unlink(missing_ok=True)


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove the temporary files of `path` whose writers are gone; the others are locked and stay."""
    target = Path(os.path.realpath(path))
    try:
        found = [entry.path for entry in os.scandir(target.parent) if _is_temporary(entry.name, target.name)]
    except OSError:
        return
    for temporary in found:
        _remove_unlocked(temporary)


def remove_all_leftovers(folder: str | os.PathLike[str]) -> None:
    """Remove the temporary files of all files in a folder whose writers are gone."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.name.startswith(".") and entry.name.endswith(_SUFFIX):
                _remove_unlocked(entry.path)


def _remove_unlocked(temporary: str) -> None:
    # If the file belongs to another user, is gone already or is in use, it is left alone.
    with contextlib.suppress(OSError):
        descriptor = os.open(temporary, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(temporary)
        finally:
            os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power failure, if the file system can."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        # Some network file systems cannot flush folders; the rename itself has happened.
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_temporary(name: str, target: str) -> bool:
    return name.startswith(f".{target}.") and name.endswith(_SUFFIX) and name.count(".") == target.count(".") + 3


def _create(target: Path) -> tuple[int, Path]:
    """Create and lock a new temporary file beside the target."""
    while True:
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}{_SUFFIX}")
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        # Some network file systems cannot lock files.  Leftovers then stay, which does no harm.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Another process may have removed the file between its creation and the lock.
        if os.path.exists(temporary):
            return descriptor, temporary
        os.close(descriptor)


@contextlib.contextmanager
def _translated(path: str | os.PathLike[str], expected_bytes: int) -> Iterator[None]:
    """Turn errors of the operating system into errors of Errai."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise DiskSpaceError(_no_space(path, expected_bytes, None)) from error
        raise FileAccessError(f"{path} cannot be written: {error.strerror or error}.") from error


def _no_space(path: str | os.PathLike[str], expected_bytes: int, free: int | None) -> str:
    room = f"{free / 1e6:,.1f} MB are free" if free is not None else "the disk or its quota is full"
    return f"{path} needs {expected_bytes / 1e6:,.1f} MB, but {room}. Free some space or choose another folder."


@contextlib.contextmanager
def locked_folder(path: Path, in_use: str) -> Iterator[None]:
    """Lock the file ``lock`` of a folder, so that only one process writes there.

    Raises
    ------
    RunInUseError
        Another process holds the lock; ``in_use`` is the message.
    FileAccessError
        The folder cannot be written to.
    """
    try:
        descriptor = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise FileAccessError(f"{path} cannot be written to: {error.strerror or error}.") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunInUseError(in_use) from error
        yield
    finally:
        os.close(descriptor)
