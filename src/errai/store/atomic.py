"""Writing files such that they are replaced completely or not at all, even if the process is killed or power fails."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from errai.errors import DiskSpaceError, FileAccessError, InputError, RunInUseError, file_error
from errai.running import system

_SUFFIX = ".partial"


@contextlib.contextmanager
def atomic_file(
    path: str | os.PathLike[str], expected_bytes: int, backup: Path | None = None, *, alone: bool = True
) -> Iterator[BinaryIO]:
    """Open a temporary file beside `path` that replaces `path` in one step when the block ends without an error.

    If the block raises, the temporary file is removed and `path` stays as it was.  Temporary files for the same `path`
    that a killed process left are removed first.  A link is followed.  Nothing is written unless the disk has room for
    the expected bytes.

    ``backup`` is a name in the same folder under which the replaced file is kept, if the file system has links.
    Unless the file is ``alone``, it is one of many that belong together, and the caller flushes their folder once and
    removes what killed processes left.

    Raises :class:`DiskSpaceError` if the disk has no room, and :class:`FileAccessError` if the folder does not exist,
    `path` is not a plain file or is protected from writing, or the system refuses.
    """
    target = check_writable(path)
    with refusals(path):
        if alone:
            remove_leftovers(target)
        free = shutil.disk_usage(target.parent).free
        if free < expected_bytes:
            raise DiskSpaceError(
                f"{path} needs {expected_bytes / 1e6:,.1f} MB, but {free / 1e6:,.1f} MB are free. Free some space or "
                "choose another folder."
            )
        descriptor, temporary = _create(target)
        try:
            with os.fdopen(descriptor, "wb") as file:
                yield file
                file.flush()
                system.flush_to_disk(file.fileno())
                if backup is not None:
                    _link(target, backup)
                # Rename while the lock is held: otherwise another process could remove the file as a leftover.
                system.replace_by_open(file, temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
        if alone:
            sync_folder(target.parent)


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Return the file that a path stands for, links followed, if it can be written as far as that can be known before.

    Raises :class:`FileAccessError` as :func:`atomic_file` does.
    """
    if "\0" in os.fspath(path):
        raise FileAccessError("A path must not contain a null character.")
    with refusals(path):
        target = Path(os.path.realpath(path))
        if not target.parent.is_dir():
            raise FileAccessError(f"The folder {target.parent} does not exist; create it first.")
        if target.exists() and not target.is_file():
            raise FileAccessError(f"{path} is not a plain file; choose another name.")
        # Replacing a file needs no right to write to the file itself, but who has protected it wants to keep it.
        if not os.access(target.parent, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
            number = errno.EROFS if system.is_read_only(target.parent) else errno.EACCES
            raise OSError(number, os.strerror(number))
        return target


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
    remove_all_leftovers(target.parent, target.name)


def remove_all_leftovers(folder: str | os.PathLike[str], of: str | None = None) -> None:
    """Remove the temporary files of all files in a folder, or of the file named ``of``, whose writers are gone."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            name = entry.name
            if is_temporary(name) and (
                of is None or (name.startswith(f".{of}.") and name.count(".") == of.count(".") + 3)
            ):
                _remove_unlocked(entry.path)


def is_temporary(name: str) -> bool:
    """Return whether a file of this name is a temporary file of :func:`atomic_file`, which is never a result."""
    return name.startswith(".") and name.endswith(_SUFFIX)


def _remove_unlocked(temporary: str) -> None:
    # If the file belongs to another user, is gone already or is in use, it is left alone.
    with contextlib.suppress(OSError):
        descriptor = os.open(temporary, os.O_RDONLY | system.PLAIN)
        try:
            if system.try_lock(descriptor):
                os.unlink(temporary)
        finally:
            os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder survive a power failure, if the file system can."""
    # Some network file systems cannot flush folders; the rename itself has happened.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _create(target: Path) -> tuple[int, Path]:
    """Create and lock a new temporary file beside the target."""
    while True:
        temporary = target.with_name(f".{target.name}.{os.urandom(8).hex()}{_SUFFIX}")
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | system.KEPT_TO_ITSELF, 0o666)
        # Some network file systems cannot lock files.  Leftovers then stay, which does no harm.
        with contextlib.suppress(OSError):
            system.wait_for_lock(descriptor)
        # Another process may have removed the file between its creation and the lock.
        if os.path.exists(temporary):
            return descriptor, temporary
        os.close(descriptor)


def write_file(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Replace a file by bytes, or by a text in UTF-8: completely, or not at all.

    Raises the errors of :func:`atomic_file`; the file that was there is unchanged then.
    """
    data = content.encode() if isinstance(content, str) else content
    with atomic_file(path, len(data)) as file:
        file.write(data)


RUN = "run.errai"
"""The file that makes a folder that of a run, in which nothing else is written."""


def make_folder(path: str | os.PathLike[str]) -> None:
    """Create a folder, and those that it is in, if it does not exist.

    Raises :class:`InputError` if it holds a run, whose files other things would be among, and as :func:`refusals` does.
    """
    if (Path(path) / RUN).exists():
        raise InputError(f"{path} holds a run of `errai solve --store`; choose another folder.")
    with refusals(path, "be created"):
        Path(path).mkdir(parents=True, exist_ok=True)


def check_folder(path: str | os.PathLike[str]) -> None:
    """Raise as :func:`make_folder` does if a folder cannot be created or written to, as far as that can be known."""
    with refusals(path, "be created"):
        there = next(place for place in (Path(path), *Path(os.path.abspath(path)).parents) if place.exists())
        if not there.is_dir():
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(there, os.W_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))


@contextlib.contextmanager
def refusals(path: str | os.PathLike[str], cannot: str = "be written") -> Iterator[None]:
    """Turn what the operating system refuses in the block into :func:`errai.errors.file_error` about a file."""
    try:
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, ValueError) and "\0" not in os.fspath(path):
            raise
        raise file_error(error, path, cannot) from error


def lock(descriptor: int, in_use: str) -> None:
    """Lock an open file for this process; the lock ends when the file is closed.

    Raises :class:`RunInUseError` with the message ``in_use`` if another process holds the lock, and OSError if the file
    system cannot lock files.
    """
    if not system.try_lock(descriptor):
        raise RunInUseError(in_use)


def locked_folder(path: Path, in_use: str) -> contextlib.AbstractContextManager[None]:
    """Lock the file ``lock`` of a folder, so that only one process writes there; the file stays."""
    return locked_file(path / "lock", in_use, stays=True)


@contextlib.contextmanager
def locked_file(path: Path, in_use: str, *, stays: bool = False) -> Iterator[None]:
    """Hold the lock that is the file ``path``.

    Unless the file ``stays``, it exists as long as the lock is held or its holder was killed.  Raises
    :class:`RunInUseError` with the message ``in_use`` if another process holds the lock, and :class:`FileAccessError`
    or :class:`DiskSpaceError` if the file cannot be created or locked.
    """
    with refusals(path, "be locked"):
        descriptor = _locked(path, in_use)
    try:
        yield
    finally:
        # Removed while it is locked: who opens it from now on makes a new one.
        with contextlib.suppress(OSError):
            if not stays:
                path.unlink()
        os.close(descriptor)


def _locked(path: Path, in_use: str) -> int:
    """Return the descriptor of a lock that is held."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | system.KEPT_TO_ITSELF, 0o666)
        try:
            lock(descriptor, in_use)
            # The holder before may have removed the file between its opening and the lock.
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
