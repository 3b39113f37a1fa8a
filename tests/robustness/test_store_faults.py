"""Runs in folders with every kind of fault: nothing is lost or silently wrong, and the numbers at the end are the same.

One fault at a time: processes that are killed, disks that are full, files that are damaged, two runs in one folder.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked import ForkServer
from processes import gone

from errai.store.checkpoint import load_checkpoint
from errai.store.container import open_container

PROGRAM = """
import resource
import signal
import sys
from dataclasses import replace

from errai.cli.signals import stopped_by_signals
from errai.cluster import partition
from errai.cluster.run import StoreEvents
from errai.errors import ErraiError
from errai.games.catalogue import load_game
from errai.solving.solve import solve

partition.SMALLEST_BLOCK, partition.USUAL_BLOCKS = 1, 5


def main():
    folder, iterations, workers, largest = sys.argv[1], *map(int, sys.argv[2:])
    if largest:
        # Files that grow past this are refused as on a full disk; workers inherit it.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))
    said = []

    def on_block(done, blocks):
        if not said:
            print("running", flush=True)
            said.append(True)

    game = replace(load_game("rhode-island"), name="short", num_ranks=4, num_suits=3, max_raises=(1, 1, 1))
    try:
        with stopped_by_signals() as stop:
            events = StoreEvents(on_block=on_block)
            run = solve(
                game, store=folder, max_iterations=iterations, processes=workers, stop=stop, events=events
            )
    except ErraiError as error:
        print(f"{type(error).__name__}: {error}", flush=True)
        raise SystemExit(3)
    for text in run.repairs:
        print("repaired:", text, flush=True)
    print(run.status, flush=True)


if __name__ == "__main__":
    main()
"""

ITERATIONS = 10
HALFWAY = 5
LONGEST = 60.0


SERVER = ForkServer("errai.cli.signals", "errai.cluster.run", "errai.kernels.cpu", "errai.solving.solve")
teardown_module = SERVER.close


class Run:
    """A process that solves in a folder, with the workers that it has started."""

    def __init__(self, folder: Path, iterations: int = ITERATIONS, *, workers: int = 2, largest: int = 0) -> None:
        words = [str(folder), str(iterations), str(workers), str(largest)]
        self.process = SERVER.start(PROGRAM, words)

    def wait_until_it_runs(self) -> None:
        """Until the first block is done."""
        assert self.process.stdout.readline() == "running\n", self.process.communicate()

    def workers(self) -> list[int]:
        """Process numbers of the workers."""
        try:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        except OSError:
            return []
        return [int(pid) for pid in children if b"spawn_main" in _command(int(pid))]

    def finish(self) -> tuple[int, str]:
        """Exit status, and all that was said."""
        out, err = self.process.communicate(timeout=LONGEST)
        assert "Traceback" not in err, err
        return self.process.returncode, out.removeprefix("running\n")

    def kill(self) -> None:
        """Kill the process that solves, not its workers."""
        self.process.kill()
        self.process.wait()
        # Its workers may hold the other ends still.
        self.process.stdout.close()
        self.process.stderr.close()


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def numbers(folder: Path) -> dict[str, Any]:
    """All that a run has computed."""
    checkpoint = load_checkpoint(folder / "run.errai")
    assert checkpoint.fallback_reason is None
    found: dict[str, Any] = {name: array.tobytes() for name, array in checkpoint.arrays.items()}
    found["iteration"] = checkpoint.metadata["iteration"]
    assert {p.name for p in folder.iterdir()} - {"run.errai.previous"} == {
        "run.errai",
        "certificate.errai",
        "blocks",
        "lock",
    }
    for path in sorted((folder / "blocks").iterdir()):
        if f"-{checkpoint.metadata['iteration']:08d}" in path.name:
            found |= {f"{path.name} {n}": a.tobytes() for n, a in open_container(path, "block").arrays.items()}
        assert path.suffix == ".errai"  # nothing half written is left
    certificate = open_container(folder / "certificate.errai")
    return found | {"certificate": [certificate.metadata[k] for k in ("exploitability_chips", "value_chips")]}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The numbers of a run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with SERVER.anew():
        assert Run(folder, workers=1).finish() == (0, "iteration limit\n")
    return numbers(folder)


def goes_on(folder: Path, whole: dict[str, Any]) -> str:
    """Resume a run to its end; return the output about repairs."""
    status, said = Run(folder).finish()
    assert status == 0, said
    assert said.endswith("iteration limit\n"), said
    assert numbers(folder) == whole
    return said.removesuffix("iteration limit\n")


# --- processes -----------------------------------------------------------------------------------------------------


def begun(folder: Path, dice: random.Random) -> Run:
    """A run that is somewhere in the middle."""
    run = Run(folder)
    run.wait_until_it_runs()
    time.sleep(dice.uniform(0.0, 1.0))
    return run


def parent_killed(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    run = begun(folder, dice)
    workers = run.workers()
    run.kill()
    if dice.random() < 0.5:
        assert gone(workers, 10.0)
    assert goes_on(folder, whole) == ""  # at once as well: the lock is free, and late workers do no harm
    assert gone(workers, 10.0)


def killed_before_it_began(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    run = Run(folder)
    time.sleep(dice.uniform(0.3, 1.5))
    workers = run.workers()
    run.kill()
    assert goes_on(folder, whole) == ""
    assert gone(workers, 10.0)


def worker_killed(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    run = begun(folder, dice)
    kill_workers(run, dice.randint(1, 2))
    assert run.finish() == (0, "iteration limit\n")
    assert numbers(folder) == whole


def both_killed(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    run = begun(folder, dice)
    workers = run.workers()
    kill_workers(run, 2)
    run.kill()
    assert gone(workers, 10.0)
    assert goes_on(folder, whole) == ""


def kill_workers(run: Run, count: int) -> None:
    for pid in run.workers()[:count]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def stopped(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    run = begun(folder, dice)
    run.process.send_signal(dice.choice([signal.SIGINT, signal.SIGTERM]))
    out, err = run.process.communicate(timeout=LONGEST)
    # A signal after the last iteration ends the process as any other.
    assert "Traceback" not in err or err.endswith("KeyboardInterrupt\n")
    assert out.removeprefix("running\n") in ("interrupted\n", "iteration limit\n", "")
    assert goes_on(folder, whole) == ""


def two_at_once(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    answers = sorted(run.finish() for run in [Run(folder), Run(folder)])
    assert answers[0] == (0, "iteration limit\n")
    assert answers[1][0] == 3
    assert answers[1][1].startswith("RunInUseError: Another process "), answers
    assert numbers(folder) == whole


def two_runs(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    first = begun(folder, dice)
    if first.process.poll() is None:
        first.process.send_signal(signal.SIGSTOP)
        status, said = Run(folder).finish()
        assert status == 3
        assert said.startswith("RunInUseError: Another process is solving in ")
        first.process.send_signal(signal.SIGCONT)
    assert first.finish() == (0, "iteration limit\n")
    assert numbers(folder) == whole


# --- disks ---------------------------------------------------------------------------------------------------------


def full_disk(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    done = dice.randint(0, HALFWAY)
    if done:
        assert Run(folder, done, workers=1).finish()[0] == 0
    largest = dice.choice([0, 1]) * dice.randint(1, 2000) or dice.randint(2000, 6000)
    status, said = Run(folder, largest=largest).finish()
    assert status == 3, (largest, said)
    assert said.startswith("DiskSpaceError: "), said
    assert "the file would be larger than the system allows" in said
    assert goes_on(folder, whole) == ""


# --- files ---------------------------------------------------------------------------------------------------------


def flip(path: Path, dice: random.Random) -> None:
    data = bytearray(path.read_bytes())
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    path.write_bytes(data)


def cut_short(path: Path, dice: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: dice.randrange(path.stat().st_size)])


def delete(path: Path, dice: random.Random) -> None:
    path.unlink()


HURTS = (flip, cut_short, delete)


def halfway(folder: Path, dice: random.Random) -> Path:
    """A run that has reached an iteration, and a block file of it."""
    assert Run(folder, HALFWAY, workers=1).finish()[0] == 0
    return dice.choice(sorted((folder / "blocks").glob(f"*-{HALFWAY:08d}.errai")))


def damaged(hurt: Callable[[Path, random.Random], None], what: str) -> Callable[..., None]:
    def fault(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
        block = halfway(folder, dice)
        path = block if what == "block" else folder / "run.errai"
        hurt(path, dice)
        said = goes_on(folder, whole)
        assert said.startswith("repaired: "), said
        assert path.name in said
        if what == "block":
            assert "Recomputing it from the iteration before." in said
        else:
            assert said.endswith("Resuming from the previous checkpoint.\n")

    return fault


def refused(folder: Path, name: str) -> None:
    """Going on fails, and the error names the damaged file."""
    status, said = Run(folder).finish()
    assert status == 3
    assert said.split(":")[0] in ("DamagedFileError", "ForeignFileError"), said
    assert name in said


def damaged_twice(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    path = halfway(folder, dice)
    hurt = dice.choice(HURTS[:2])
    number, player, _ = path.name.split("-")
    for iteration in (HALFWAY - 1, HALFWAY):
        hurt(path.with_name(f"{number}-{player}-{iteration:08d}.errai"), dice)
    refused(folder, path.name[:8])


def both_checkpoints(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    halfway(folder, dice)
    for name in ("run.errai", "run.errai.previous"):
        dice.choice(HURTS[:2])(folder / name, dice)
    refused(folder, "run.errai")


def killed_and_damaged(folder: Path, whole: dict[str, Any], dice: random.Random) -> None:
    """Two faults at once: either the same numbers, or an error that reports the fault."""
    run = begun(folder, dice)
    workers = run.workers()
    run.kill()
    assert gone(workers, 10.0)
    hurt = dice.choice(HURTS)
    hurt(dice.choice([*sorted((folder / "blocks").glob("*.errai")), folder / "run.errai"]), dice)
    status, said = Run(folder).finish()
    if status == 0:
        assert numbers(folder) == whole
    else:
        assert said.split(":")[0] in ("DamagedFileError", "FileAccessError", "ForeignFileError"), said


FAULTS: dict[str, Callable[[Path, dict[str, Any], random.Random], None]] = {
    "parent killed": parent_killed,
    "killed before it began": killed_before_it_began,
    "worker killed": worker_killed,
    "both killed": both_killed,
    "stopped": stopped,
    "two runs": two_runs,
    "two runs at once": two_at_once,
    "full disk": full_disk,
    "flipped byte in a block": damaged(flip, "block"),
    "truncated block": damaged(cut_short, "block"),
    "deleted block": damaged(delete, "block"),
    "flipped byte in the checkpoint": damaged(flip, "checkpoint"),
    "truncated checkpoint": damaged(cut_short, "checkpoint"),
    "deleted checkpoint": damaged(delete, "checkpoint"),
    "block damaged twice": damaged_twice,
    "both checkpoints damaged": both_checkpoints,
    "killed and damaged": killed_and_damaged,
}
QUICK = (
    "parent killed",
    "worker killed",
    "two runs",
    "full disk",
    "flipped byte in a block",
    "truncated block",
    "truncated checkpoint",
    "block damaged twice",
)


@pytest.mark.parametrize("name", QUICK)
def test_fault(name, whole, tmp_path):
    FAULTS[name](tmp_path / "run", whole, random.Random(1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
def test_100_faults(seed, whole, tmp_path):
    FAULTS[list(FAULTS)[seed % len(FAULTS)]](tmp_path / "run", whole, random.Random(seed))
