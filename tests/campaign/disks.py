"""Disks that are full, read-only or slow, memory that is limited, a clock that jumps, two processes on one folder.

Small file systems in memory are mounted, and groups of control (cgroup) made, where this process may do that.
"""

from __future__ import annotations

import functools
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from campaign import Part, PassedError
from failing_calls import FailingCalls
from opened import open_all, require_same
from scenarios import LONGER, SERVER
from sweeps import Sweep

COMMANDS = {name: LONGER[name] for name in ("solve -o", "solve --store", "train", "nets generate", "match", "review")}
DISKS = ("full disk", "read-only disk")
TWICE = ("solve -o", "solve --store", "train", "match")
NO_ROOM = r"cannot be \w+: .*[a-z]\. [A-Z].*\.$|needs .* MB, but .* MB are free\..*\.$"
IN_USE = r"[Aa]nother process|There is a checkpoint .* already; add --resume"


@functools.cache
def sweep(home: Path, command: str) -> Sweep:
    """A command with its undisturbed run."""
    return Sweep(COMMANDS[command], home / command.replace(" ", "-"))


@contextmanager
def mounted(place: Path, kilobytes: int) -> Iterator[None]:
    """Mount a small file system in memory.  Raises :class:`PassedError` if this process may not."""
    place.mkdir(parents=True, exist_ok=True)
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", place], capture_output=True
    ).returncode:
        raise PassedError("not run: this process may not mount a file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def remounted(place: Path, how: str) -> None:
    """Change a file system that is mounted."""
    subprocess.run(["mount", "-o", f"remount,{how}", place], check=True)


@contextmanager
def limited_group(kilobytes: int) -> Iterator[str]:
    """Make a group of control with so much memory.  Raises :class:`PassedError` if this process may not."""
    for top, name in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = Path(top) / f"errai-campaign-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / name).exists():
                (group / name).write_text(str(kilobytes << 10))
                yield str(group)
                return
        finally:
            # Processes that were killed leave the group a moment later.
            for _ in range(100):
                try:
                    group.rmdir()
                    break
                except OSError:
                    time.sleep(0.05)
    raise PassedError("not run: this process may not make a group of control")


def on_a_disk(one: Sweep, row: str, dice: random.Random) -> None:
    """Run a command on a small disk until it is full, or on one that is read-only, and then with room again."""
    place = one.home / "disk"
    with mounted(place, dice.choice((16, 32, 64, 128, 256, 512))):
        folder = place / "work"
        if row == "full disk":
            try:
                shutil.copytree(one.prepared, folder)
            except (OSError, shutil.Error):
                return  # not even what is there before has room
        else:
            remounted(place, "size=64m")
            shutil.copytree(one.prepared, folder)
            if dice.random() < 0.5:
                # It became read-only in the middle of a run.
                process = one.start(folder, SAVES="often")
                time.sleep(dice.uniform(0.0, one.seconds))
                process.kill()
                process.communicate()
            remounted(place, "ro")
        code, err = one.run(folder, SAVES="often")
        told = f"{row}, {one.scenario.words}: {err}"
        if code:
            one.is_clear(code, err, told, NO_ROOM)
        open_all(folder, told)
        remounted(place, "rw,size=64m")
        one.passes(folder, told, SAVES="often")


def with_little_memory(one: Sweep, row: str, dice: random.Random) -> None:
    """Run a command with less memory than it needs, perhaps, and then with enough."""
    folder = one.fresh()
    if row == "limited addresses":
        code, err = one.run(folder, MORE_MEMORY=str(int(2 ** dice.uniform(14, 27))))
    else:
        with limited_group(int(2 ** dice.uniform(12, 17))) as group:
            code, err = one.run(folder, MEMORY_GROUP=group)
    told = f"{row}, {one.scenario.words}: exit code {code}, {err}"
    # The system kills what needs more than its group has.
    if code and not (row == "limited group" and (code == -signal.SIGKILL or "WorkerLost" in err or "worker" in err)):
        one.is_clear(code, err, told, "memory")
    open_all(folder, told)
    one.passes(folder, told, SAVES="often")
    shutil.rmtree(folder)


def twice(one: Sweep, dice: random.Random) -> None:
    """Run a command twice in one folder at the same time: one run does the work, and the other one may be refused."""
    folder = one.fresh()
    processes = [one.start(folder, SAVES="often")]
    time.sleep(dice.uniform(0.0, one.seconds))
    processes.append(one.start(folder, SAVES="often"))
    ends = [(process.communicate(timeout=120)[1], process.wait()) for process in processes]
    told = f"two at once, {one.scenario.words}: {ends}"
    assert any(code == 0 for _, code in ends), told
    for said, code in ends:
        if code:
            one.is_clear(code, said, told, IN_USE)
    open_all(folder, told)
    require_same(one.scenario.results(folder), one.expected, told)
    shutil.rmtree(folder)


def trial(home: Path, row: str, seed: int) -> int:
    """Disturb one of the commands."""
    dice = random.Random(f"disks {seed}")
    # What a review says is written by the shell, which says itself that a disk is full.
    alone = tuple(name for name, one in COMMANDS.items() if not one.said)
    one = sweep(home, dice.choice(TWICE if row == "two processes" else alone if row in DISKS else tuple(COMMANDS)))
    if row in DISKS:
        on_a_disk(one, row, dice)
    elif row in ("limited addresses", "limited group"):
        with_little_memory(one, row, dice)
    elif row == "two processes":
        twice(one, dice)
    else:
        folder = one.fresh()
        disk, clock = ("slow", False) if row == "slow disk" else ("kept", True)
        code, err = one.run(folder, faults=FailingCalls(folder, 0, disk=disk, clock=clock, seed=seed), SAVES="often")
        assert code == 0, err
        require_same(one.scenario.results(folder), one.expected, row)
        shutil.rmtree(folder)
    return 1


ROWS = (*DISKS, "slow disk", "limited addresses", "limited group", "clock jumps", "two processes")
PARTS = {"disks": Part("runs", ROWS, trial, few=7, many=700, close=SERVER.close)}
