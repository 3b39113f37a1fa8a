"""A command with its undisturbed run, and all that can be done to it: a call fails, it is killed, the disk lies.

Whatever happened, the same command without a fault ends with the results of an undisturbed run, and a command that
failed has said one sentence that says what is wrong, where, and what to do.
"""

from __future__ import annotations

import os
import random
import re
import select
import shutil
import signal
import time
from pathlib import Path
from typing import Any

from campaign import OutsideError
from failing_calls import FailingCalls
from forked import Forked
from opened import OLD, open_all, require_same
from scenarios import PROGRAM, Scenario

from errai.store.atomic import is_temporary

LOOK, LONGEST = 20, 300
"""Seconds between two looks at a command that runs, and until it is given up."""


NUMPY = "NumPy uses memory that it did not get"
OUTSIDE = {
    r"IndexError: index \d{12,} is out of bounds": NUMPY,
    r"(?s)safetensors.*panicked at": "safetensors ends with a panic",
    r"(?s)memory allocation of \d+ bytes failed.*safetensors": "safetensors ends the process",
    r"cannot allocate memory for thread-local data": "the C library ends the process",
}
"""What is said where a library does not bear that there is no memory, and whose fault that is."""


def fault_outside(code: int, err: str) -> str:
    """Return whose fault it is, by what was said and where a process crashed; '' if Errai's, or there was none."""
    for said, whose in OUTSIDE.items():
        if re.search(said, err):
            return whose
    where = err.partition("crashed in:\n")[2].splitlines()
    module = next((line for line in where if "site-packages" in line), "")
    if code == -signal.SIGSEGV and "/numpy/" in module:
        return NUMPY
    # In a thread of Errai's own there is no Python, and it would be Errai's fault that nothing catches it.
    if code == -signal.SIGABRT and "std::bad_alloc" in err and any("_PyEval_" in line for line in where):
        return "nanobind asks for memory for the items of a list where nothing may be thrown"
    return ""


class Sweep:
    """A scenario with its undisturbed run, and all that can be done to it."""

    def __init__(self, scenario: Scenario, home: Path) -> None:
        self.scenario, self.home, self.tried = scenario, home, 0
        self.prepared = home / "prepared"
        shutil.rmtree(home, ignore_errors=True)
        self.prepared.mkdir(parents=True)
        for name, text in scenario.files:
            (self.prepared / name).write_text(text)
        if scenario.prepared:
            code, err = self.run(self.prepared, scenario.prepared.split())
            assert code == 0, err
        whole = self.fresh()
        counted, began = FailingCalls(whole, 0), time.monotonic()
        with scenario.server.anew():
            code, err = self.run(whole, faults=counted)
        assert code == 0, err
        self.expected = scenario.results(whole)
        self.calls = counted.calls
        assert self.calls > 3 or scenario.said
        # Again, from a process that has imported everything.
        began = time.monotonic()
        self.passes(self.fresh(), SAVES="often")
        self.seconds = time.monotonic() - began

    def start(self, folder: Path, words: list[str] | None = None, **variables: str) -> Forked:
        """Start the command, or another one, in a folder."""
        environment, typed = os.environ | variables, self.scenario.typed
        words = self.scenario.command(folder) if words is None else words
        if not self.scenario.said:
            return self.scenario.server.start(PROGRAM, words, folder=folder, typed=typed, environment=environment)
        with (folder / self.scenario.said).open("w") as said:
            return self.scenario.server.start(
                PROGRAM, words, folder=folder, typed=typed, environment=environment, stdout=said
            )

    def run(
        self, folder: Path, words: list[str] | None = None, *, faults: FailingCalls | None = None, **variables: str
    ) -> tuple[int, str]:
        """Run it to its end; return its exit code and what it said of errors."""
        process, early = self.start(folder, words, **({} if faults is None else faults.environment), **variables), ""
        for _ in range(LONGEST // LOOK):
            if process.poll(LOOK) is not None:
                return process.wait(), early + process.communicate()[1]
            if select.select([process.stderr], [], [], 0)[0]:
                early += os.read(process.stderr.fileno(), 1 << 16).decode(errors="replace")
            if "Exception ignored in thread started by" in early and "MemoryError" in early:
                process.kill()
                raise OutsideError("Thread.start of Python waits for a thread that had no memory to begin")
        process.kill()
        raise AssertionError(f"It does not end within {LONGEST} s: {self.scenario.words}: {early}")

    def fresh(self) -> Path:
        """A folder in which the command has not run yet."""
        self.tried += 1
        folder = self.home / str(self.tried)
        shutil.copytree(self.prepared, folder)
        if self.scenario.kept:
            (folder / self.scenario.kept).write_bytes(OLD)
        return folder

    def passes(self, folder: Path, told: str = "", **variables: str) -> None:
        """Run the command without a fault, which ends with the results of an undisturbed run."""
        code, err = self.run(folder, **variables)
        assert code == 0, f"{told}\nand then: {err}"
        require_same(self.scenario.results(folder), self.expected, told)
        assert not list(folder.rglob("*.partial")), told

    def is_clear(self, code: int, err: str, told: str, remedies: str = r"cannot be \w+: .*[a-z]\. [A-Z].*\.$") -> None:
        """Require one sentence that says what is wrong, where, and what to do."""
        said = [line for line in err.splitlines() if line.startswith("errai: ")]
        assert code == 1, f"exit code {code}: {told}"
        # A second one is of the standard output, where that is a file on the same disk.
        assert 1 <= len(said) <= 1 + bool(self.scenario.said), told
        assert "Traceback" not in err, told
        assert re.search(remedies, said[0]), told

    def fault(self, nth: int, *, error: str = "ENOSPC", disk: str = "kept", **settings: Any) -> bool:
        """Let one call fail; returns whether there was such a call."""
        scenario, folder = self.scenario, self.fresh()
        faults = FailingCalls(folder, nth, error, disk=disk, **settings)
        code, err = self.run(folder, faults=faults)
        told = f"call {nth} of {scenario.words} ({error}, {disk}, {settings}): {err}"
        if scenario.kept and disk != "lies" and (folder / scenario.kept).read_bytes() != OLD:
            require_same(scenario.results(folder), self.expected, told)
        if error == "ENOMEM" and (whose := fault_outside(code, err)):
            raise OutsideError(whose)
        if error == "KILL" and faults.failed:
            assert code == -signal.SIGKILL, told
        elif code:
            assert faults.failed, told
            assert error not in ("EINTR", "SHORT"), told
            memory = "memory" if error == "ENOMEM" else r"cannot be \w+: .*[a-z]\. [A-Z].*\.$"
            self.is_clear(code, err, told, memory)
        else:
            # The call was one that may fail, such as the link to the checkpoint before.
            require_same(scenario.results(folder), self.expected, told)
        if disk == "lies":
            self.removes_damaged(folder, told)
        else:
            if not scenario.said:
                open_all(folder, told)
            self.passes(folder, told)
        shutil.rmtree(folder)
        return bool(faults.failed)

    def removes_damaged(self, folder: Path, told: str) -> None:
        """Run the command until it ends, and remove what it says is damaged: nothing wrong is taken for right."""
        for _ in range(6):
            code, err = self.run(folder)
            if code == 0:
                require_same(self.scenario.results(folder), self.expected, told)
                return
            said = [line for line in err.splitlines() if line.startswith("errai: ")]
            assert len(said) == 1, f"{told}\nand then: {err}"
            assert "Traceback" not in err, f"{told}\nand then: {err}"
            named = [path for path in folder.rglob("*") if path.is_file() and path.name in said[0]]
            assert named, f"{told}\nand then: {err}"
            for path in named:
                path.unlink()
        raise AssertionError(f"{told}\nand then again and again: {err}")

    def killed(self, dice: random.Random) -> tuple[int, int]:
        """Kill the command at random moments, each time going on; return the kills, and those inside of a save."""
        folder, kills, saves, told = self.fresh(), 0, 0, self.scenario.words
        for _ in range(dice.randint(1, 6)):
            process = self.start(folder, SAVES="often")
            until, aims = time.monotonic() + dice.uniform(0.0, self.seconds), dice.random() < 0.5
            while time.monotonic() < until and process.poll() is None:
                time.sleep(0.002)
            until = time.monotonic() + self.seconds
            while aims and time.monotonic() < until and process.poll() is None and not self.saves(folder):
                time.sleep(0.0002)
            inside = self.saves(folder)
            process.kill()
            code = process.wait()
            process.stdout.close()
            process.stderr.close()
            if code == -signal.SIGKILL:
                kills, saves = kills + 1, saves + inside
            open_all(folder, f"{told}, killed {kills} times")
        self.passes(folder, f"{told}, killed {kills} times", SAVES="often")
        open_all(folder, told)
        shutil.rmtree(folder)
        return kills, saves

    @staticmethod
    def saves(folder: Path) -> bool:
        """Whether a file is being written at this moment."""
        return any(is_temporary(name) for _, _, names in os.walk(folder) for name in names)
