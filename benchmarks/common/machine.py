"""A line that names the machine and the commit of a benchmark."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

from errai.kernels.cpu import instruction_set

ROOT = Path(__file__).resolve().parents[2]


def commit() -> str:
    """The commit of this checkout, with a note where tracked files have been changed since."""
    try:
        name = _git("rev-parse", "--short", "HEAD")
        return f"{name} with changes" if _git("status", "--porcelain", "--untracked-files=no") else name
    except (OSError, subprocess.CalledProcessError):
        return "unknown commit"


def processor() -> str:
    """The processor's name as the system gives it."""
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine()


def processors() -> int:
    """Processors that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def cores() -> int | None:
    """Cores of the machine, each of which may be several processors; None where the system does not say."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return None
    both = zip(re.findall(r"physical id\s*:\s*(\d+)", text), re.findall(r"core id\s*:\s*(\d+)", text), strict=False)
    return len(set(both)) or None


def machine_line() -> str:
    """Processor, instruction set of the kernels, Python, commit, date, and how busy the machine was at the start."""
    today = datetime.date.today().isoformat()
    load = os.getloadavg()[0]
    return (
        f"{processor()}, {processors()} CPUs, kernels for {instruction_set()}, Python {platform.python_version()}, "
        f"commit {commit()}, {today}, load {load:.1f} at the start"
    )


def _git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()
