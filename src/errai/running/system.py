"""What operating systems do differently, behind functions that are the same everywhere.

All other modules call these instead of asking which system they run on; ``mypy --platform win32`` holds them to it.
The branches for Windows and macOS have been checked by types and have never been run.

Locks are those of ``flock`` where there are any, and of ``LockFileEx`` on Windows: they belong to an open file, and end
when it is closed or its process dies.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from os import PathLike

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes
else:
    import fcntl

# --- processors and memory -------------------------------------------------------------------------------------------


def processors() -> int:
    """Return the number of processors that this process may run on."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def machine_memory() -> tuple[int | None, int | None]:
    """Return the machine's memory and how much of it is free, in bytes; None for what the system does not report."""
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        if sys.platform == "linux":
            with open("/proc/meminfo", encoding="ascii") as file:
                found = dict(re.findall(r"^(Mem\w+):\s+(\d+) kB$", file.read(), re.MULTILINE))
            total, free = (found.get(name) for name in ("MemTotal", "MemAvailable"))
            return total and 1024 * int(total), free and 1024 * int(free)
        if sys.platform == "darwin":
            said = subprocess.run(["/usr/bin/vm_stat"], capture_output=True, text=True, timeout=10, check=True).stdout
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), free_of_vm_stat(said)
        if sys.platform == "win32":
            status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
            if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
                return status.total, status.free
    return None, None


def group_memory(membership: Path = Path("/proc/self/cgroup"), top: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return how many bytes the control groups of this process have left, or None if they have no limit.

    Both versions of the interface are read; a group has at most what those above it have.  Files that the system holds
    in memory and can drop count as free, as in ``MemAvailable``.
    """
    left = None
    with suppress(OSError):
        for line in membership.read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            if kinds == "":
                root, names, dropped = top, ("memory.max", "memory.current"), "inactive_file"
            elif "memory" in kinds.split(","):
                root = top / "memory"
                names, dropped = ("memory.limit_in_bytes", "memory.usage_in_bytes"), "total_inactive_file"
            else:
                continue
            # In a container the path may be that of the machine outside, and only the root is there.
            place = root / path.strip("/")
            for group in (place, *place.parents):
                if not group.is_relative_to(root):
                    break
                with suppress(OSError, ValueError):
                    limit, used = (int((group / name).read_text()) for name in names)
                    stat = dict(row.split() for row in (group / "memory.stat").read_text().splitlines())
                    free = max(limit - used + int(stat.get(dropped, 0)), 0)
                    left = free if left is None else min(left, free)
    return left


def free_of_vm_stat(text: str) -> int | None:
    """Return the free bytes in what ``vm_stat`` of macOS prints: pages that are free, or that can be taken at once."""
    size = re.search(r"page size of (\d+) bytes", text)
    pages = re.findall(r"^Pages (?:free|inactive|speculative|purgeable):\s+(\d+)\.$", text, re.MULTILINE)
    return int(size[1]) * sum(map(int, pages)) if size and pages else None


def give_back_memory() -> None:
    """Return freed memory to the system, if the C library is glibc.

    It keeps freed blocks of up to 32 MiB for reuse, and more and more of them if blocks have changing sizes.
    """
    if sys.platform == "linux":
        import ctypes

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


# --- files -----------------------------------------------------------------------------------------------------------

if sys.platform == "win32":
    KEPT_TO_ITSELF = os.O_NOINHERIT | os.O_BINARY
    PLAIN = KEPT_TO_ITSELF
else:
    KEPT_TO_ITSELF = os.O_CLOEXEC
    PLAIN = KEPT_TO_ITSELF | os.O_NOFOLLOW | os.O_NONBLOCK
"""Flags of ``os.open`` for files of bytes that no new process inherits.

Those of ``PLAIN`` also follow no link and wait for nothing.  On Windows making links needs rights that few have.
"""


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Lock an open file unless another process has locked it, and return whether that was done.

    Raises :class:`OSError` if the file system cannot lock files.
    """
    if sys.platform == "win32":
        return _lock_file(descriptor, shared=shared, wait=False)
    else:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def wait_for_lock(descriptor: int) -> None:
    """Lock an open file, as soon as no other process has it.  Raises as :func:`try_lock`."""
    if sys.platform == "win32":
        _lock_file(descriptor, shared=False, wait=True)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


def flush_to_disk(descriptor: int) -> None:
    """Flush an open file so that it survives a power failure; macOS leaves it in the disk's cache after ``fsync``."""
    if sys.platform == "darwin":
        # Some network file systems know fsync only.
        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def replace_by_open(file: BinaryIO, temporary: str | PathLike[str], target: str | PathLike[str]) -> None:
    """Rename an open file over another one; Windows renames closed ones only, so it is closed there before."""
    if sys.platform == "win32":
        file.close()
    os.replace(temporary, target)


def is_read_only(folder: str | PathLike[str]) -> bool:
    """Return whether a folder is on a file system that cannot be written to at all, as far as the system says it."""
    return sys.platform != "win32" and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def read_at(descriptor: int, part: memoryview, offset: int) -> int:
    """Fill a part of memory from a place in an open file, for any thread; returns the bytes that were read."""
    if sys.platform == "win32":
        with _READING:
            os.lseek(descriptor, offset, os.SEEK_SET)
            found = os.read(descriptor, len(part))
        part[: len(found)] = found
        return len(found)
    return os.preadv(descriptor, [part], offset)


# --- signals and processes -------------------------------------------------------------------------------------------

if sys.platform == "win32":
    TERMINAL_GONE = signal.SIGBREAK
else:
    TERMINAL_GONE = signal.SIGHUP
"""The signal of a terminal or a connection that is closed."""

ENDING = (signal.SIGINT, signal.SIGTERM, TERMINAL_GONE)
"""Signals that ask a process to end: Ctrl-C, `kill`, and a terminal or a connection that is closed."""

_OF_TERMINALS = (signal.SIGINT, TERMINAL_GONE)
"""Those of them that a terminal sends to all processes in it."""


@contextmanager
def terminals_unheard() -> Iterator[None]:
    """Let processes that are started in the block begin without hearing the signals of terminals.

    A new process inherits the signal mask of the thread that starts it.  No handler of this process is changed.
    Windows has no masks, and a process hears such signals there until :func:`ignore_terminals`.
    """
    if sys.platform == "win32":
        yield
        return
    resource_tracker.ensure_running()  # Starting it later would reset the mask.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _OF_TERMINALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_terminals() -> None:
    """Ignore the signals of terminals in this process, which began in :func:`terminals_unheard`."""
    for number in _OF_TERMINALS:
        signal.signal(number, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _OF_TERMINALS)


def own_session(umask: int | None = None) -> dict[str, Any]:
    """Return the arguments of ``subprocess.Popen`` for a process that Ctrl-C at this terminal does not reach.

    ``umask`` is what others may not do with the files that it makes, where the system has such permissions.
    """
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True} | ({} if umask is None else {"umask": umask})


def end_session(process: subprocess.Popen[Any], *, at_once: bool) -> None:
    """End a process of :func:`own_session` and all that it has started: at once, or asked before if the system can."""
    if sys.platform == "win32":
        # Processes of Windows without a window cannot be asked.
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
        return
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL if at_once else signal.SIGTERM)


def take_port(listener: socket.socket) -> None:
    """Let a socket listen on a port whose last server has ended a moment ago, and never beside another server."""
    if sys.platform == "win32":
        # Windows forgets ports at once, and there SO_REUSEADDR would share one that is in use.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


# --- Windows ---------------------------------------------------------------------------------------------------------

if sys.platform == "win32":
    _READING = threading.Lock()
    """A descriptor has one position for all threads."""
    _EXCLUSIVE, _AT_ONCE = 2, 1
    """``LOCKFILE_EXCLUSIVE_LOCK`` and ``LOCKFILE_FAIL_IMMEDIATELY``."""
    _IN_USE = (33, 997)
    """``ERROR_LOCK_VIOLATION`` and ``ERROR_IO_PENDING``: another process has the lock."""
    _FAR = 0x7FFFFFFF
    """The locked byte is beyond the end of every file, because nobody else can read or write a locked one."""

    class _Overlapped(ctypes.Structure):
        _fields_ = (
            ("internal", ctypes.c_void_p),
            ("internal_high", ctypes.c_void_p),
            ("offset", wintypes.DWORD),
            ("offset_high", wintypes.DWORD),
            ("event", wintypes.HANDLE),
        )

    class _MemoryStatus(ctypes.Structure):
        _fields_ = (
            ("length", wintypes.DWORD),
            ("load", wintypes.DWORD),
            ("total", ctypes.c_ulonglong),
            ("free", ctypes.c_ulonglong),
            ("others", ctypes.c_ulonglong * 5),
        )

    def _lock_file(descriptor: int, *, shared: bool, wait: bool) -> bool:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.LockFileEx.argtypes = (wintypes.HANDLE, *[wintypes.DWORD] * 4, ctypes.POINTER(_Overlapped))
        flags = (0 if shared else _EXCLUSIVE) | (0 if wait else _AT_ONCE)
        place = _Overlapped(offset=0xFFFFFFFE, offset_high=_FAR)
        if kernel.LockFileEx(msvcrt.get_osfhandle(descriptor), flags, 0, 1, 0, ctypes.byref(place)):
            return True
        code = ctypes.get_last_error()
        if code in _IN_USE:
            return False
        raise OSError(errno.ENOLCK, f"the file cannot be locked (error {code} of Windows)")
