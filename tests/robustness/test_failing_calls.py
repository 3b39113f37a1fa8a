"""Every command that writes, with every call to the file system failing once: nothing is lost, and nothing is silent.

A scenario is a command with the results that it leaves.  Its Nth call that opens, writes, flushes or renames a file
fails, or kills the process; N is raised until a run passes.  Whatever happened, the same command without the fault ends
with the results of an undisturbed run; a command that failed has said one sentence that names the place and what to do.
By default a few N are tried, drawn by chance but always the same; ``pytest -m slow`` tries all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from failing_calls import FailingCalls, preloaded
from forked import COMMANDS, ForkServer

from errai.store.container import open_container

FAULTS: dict[str, dict[str, Any]] = {
    "no space": {"error": "ENOSPC"},
    "disk error": {"error": "EIO"},
    "killed": {"error": "KILL"},
    # All later calls fail as well, and the first write is cut in half.
    "full disk": {"error": "ENOSPC", "lasting": True, "kinds": ("open", "write")},
}
SAMPLED = 1
"""Calls of each scenario and fault that the quick test lets fail."""

SAVING = """
# Save whenever that is possible, and not every minute.
from errai.running import stopping
stopping.from_time_to_time = lambda save, every, share=1.0: save
"""
PROGRAM = """
import ctypes
import sys
from errai.cli.main import main

# A process that was forked has its settings only now.
ctypes.CDLL(None).begin_to_fail()
sys.exit(main(sys.argv[1:]))
"""


SERVER = ForkServer(*COMMANDS, environment=preloaded, first=SAVING)
teardown_module = SERVER.close


@dataclass(frozen=True)
class Scenario:
    """A command and its results."""

    words: str
    results: Callable[[Path], Any]
    """What the folder holds in the end, without times and drawn names."""
    resumed: str = ""
    """What the command needs in addition to go on; it is given whenever there is something to go on from."""
    begun: str = ""
    """A file that shows that there is."""
    typed: str = ""
    prepared: str = ""
    """A command that is run before, once."""
    kept: str = ""
    """A file that is there before, and that is whole at any time: the old one or the new one."""

    def command(self, folder: Path) -> list[str]:
        again = self.begun and any((folder / name).exists() for name in (self.begun, f"{self.begun}.previous"))
        return [*self.words.split(), *(self.resumed.split() if again else [])]


# --- what is compared ------------------------------------------------------------------------------------------------


def session(folder: Path) -> object:
    """The session without how long the decisions took, and so without its checksum."""
    found = json.loads((folder / "s.json").read_text())["session"]
    return {**found, "hands": [{**hand, "seconds": len(hand["seconds"])} for hand in found["hands"]]}


def contents(*names: str) -> Callable[[Path], Any]:
    """The bytes of files."""
    return lambda folder: {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def arrays(*names: str) -> Callable[[Path], Any]:
    """The arrays of containers, whose metadata hold times."""

    def look(folder: Path) -> Any:
        found = {}
        for name in names:
            container = open_container(folder / name)
            container.verify()
            found[name] = {key: array.tobytes() for key, array in container.arrays.items()}
            found[name]["certificate"] = container.metadata.get("certificate")
        return found

    return look


def run_folder(folder: Path) -> Any:
    """The state and the certificate of a run in a folder."""
    place = folder / "run"
    blocks = sorted(path.name for path in (place / "blocks").glob("*.errai"))
    newest = max(name.split("-")[2] for name in blocks)
    names = ["run.errai", "certificate.errai", *(f"blocks/{name}" for name in blocks if newest in name)]
    certificate = open_container(place / "certificate.errai").metadata
    return arrays(*names)(place), certificate["iteration"], certificate["exploitability_chips"]


def positions(folder: Path) -> Any:
    """The arrays of a data set, but for the times that they took, and how many there are by the manifest."""
    from errai.nets.examples.dataset import read_shard

    shards = {path.name: read_shard(path)[0] for path in sorted((folder / "set").glob("*.safetensors"))}
    made = json.loads((folder / "set" / "manifest.json").read_text())["made"]["positions"]
    return made, {
        name: {key: array.tobytes() for key, array in found.items() if key != "seconds"}
        for name, found in shards.items()
    }


def network(folder: Path) -> Any:
    """The weights of a network."""
    from errai.nets.network import load_net

    return {name: array.tobytes() for name, array in load_net(folder / "made.net").weights.items()}


def match_result(folder: Path) -> Any:
    """The log, and the result that `errai standings` reads, without the command."""
    saved = json.loads((folder / "played.match.json").read_text())
    return contents("log")(folder), saved["measures"], saved["hands"]


SCENARIOS = {
    "match": Scenario(
        "match uniform always-call --game leduc --hands 400 --duplicate --log log --checkpoint saved "
        "--results played.match.json --quiet",
        match_result, resumed="--resume", begun="saved",
    ),
    "solve": Scenario(
        "solve kuhn --max-iterations 20 --threads 1 --checkpoint saved -o made.errai --quiet",
        arrays("made.errai"), resumed="--resume", begun="saved",
    ),
    "store": Scenario("solve leduc --max-iterations 3 --store run --processes 1 --quiet", run_folder),
    "train": Scenario(
        "train kuhn --abstraction identity --method full --iterations 20 --threads 1 --checkpoint saved "
        "-o made.errai --quiet",
        arrays("made.errai"), resumed="--resume", begun="saved",
    ),
    "generate": Scenario("nets generate river --positions 2 -o set --quiet", positions),
    "play": Scenario(
        "play leduc --against uniform --session s.json --seed 5 --hands 3 --plain",
        session, typed="c\n\n" * 40,
    ),
    "picture": Scenario(
        "show made.errai --svg made.svg", contents("made.svg"),
        prepared="solve leduc --max-iterations 5 --threads 1 -o made.errai --quiet", kept="made.svg",
    ),
    "lbr": Scenario(
        "lbr uniform --game leduc --hands 200 --checkpoint saved --quiet",
        lambda folder: arrays("saved")(folder)["saved"]["won"], resumed="--resume", begun="saved",
    ),
    "response": Scenario(
        "exploitability leduc --strategy uniform --checkpoint saved --processes 1 --quiet",
        lambda folder: arrays("saved")(folder)["saved"]["values/0"], resumed="--resume", begun="saved",
    ),
    "abstract": Scenario("abstract leduc --flop 3 -o cards --quiet", arrays("cards/abstraction.cards")),
    "export": Scenario(
        "export made.errai --to made.csv --quiet", contents("made.csv"),
        prepared="solve kuhn --max-iterations 5 --threads 1 -o made.errai --quiet", kept="made.csv",
    ),
    "note": Scenario(
        "note made.errai bet Never. --quiet", contents("made.errai.notes.toml"),
        prepared="solve kuhn --max-iterations 5 --threads 1 -o made.errai --quiet", kept="made.errai.notes.toml",
    ),
    "histories": Scenario(
        "histories convert log --game leduc --to csv -o made.csv", contents("made.csv"),
        prepared="match uniform always-call --game leduc --hands 20 --log log --quiet", kept="made.csv",
    ),
    "report": Scenario(
        "match uniform always-call --game kuhn --hands 20 --report shown --quiet",
        lambda folder: sorted(path.name for path in (folder / "shown").iterdir() if path.stat().st_size),
    ),
    "chart": Scenario(
        "chart made.errai --first -o made.svg", contents("made.svg"),
        prepared="preflop --stack 3bb --target 5mbb -o made.errai --quiet", kept="made.svg",
    ),
    "network": Scenario(
        "nets train river --data set --epochs 2 --set width=4 -o made.net --quiet", network,
        prepared="nets generate river --positions 16 -o set --quiet", resumed="--resume",
        begun="made.net.training/checkpoint.errai",
    ),
}  # fmt: skip
QUICK = ("match", "solve", "store", "train", "generate", "play", "picture", "histories", "report")


class Sweep:
    """A scenario with its undisturbed run."""

    def __init__(self, scenario: Scenario, home: Path) -> None:
        self.scenario = scenario
        self.home = home
        self.tried = 0
        self.prepared = home / "prepared"
        self.prepared.mkdir()
        if scenario.prepared:
            code, err = self.run(scenario.prepared.split(), self.prepared)
            assert code == 0, err
        whole = self.fresh()
        counted = FailingCalls(whole, 0)
        with SERVER.anew():
            code, err = self.run(scenario.command(whole), whole, counted)
        assert code == 0, err
        self.expected = scenario.results(whole)
        self.calls = counted.calls
        assert self.calls > 3

    def run(self, words: list[str], folder: Path, faults: FailingCalls | None = None) -> tuple[int, str]:
        """Run a command in a folder; return its exit code and what it said."""
        environment = os.environ | ({} if faults is None else faults.environment)
        typed = self.scenario.typed
        process = SERVER.start(PROGRAM, words, folder=folder, typed=typed, environment=environment)
        said = process.communicate(timeout=120)[1]
        return process.wait(), said

    def fresh(self) -> Path:
        """A folder in which the command has not run yet."""
        self.tried += 1
        folder = self.home / str(self.tried)
        shutil.copytree(self.prepared, folder)
        if self.scenario.kept:
            (folder / self.scenario.kept).write_text("the old one")
        return folder

    def fault(self, nth: int, **settings: Any) -> bool:
        """Let one call fail; returns whether there was such a call."""
        scenario, folder = self.scenario, self.fresh()
        faults = FailingCalls(folder, nth, **settings)
        code, err = self.run(scenario.command(folder), folder, faults)
        place = f"call {nth} of {scenario.words}: {err}"
        if scenario.kept and (folder / scenario.kept).read_bytes() != b"the old one":
            assert scenario.results(folder) == self.expected, place
        if settings["error"] == "KILL" and faults.failed:
            assert code == -signal.SIGKILL, place
        elif code:
            said = [line for line in err.splitlines() if line.startswith("errai: ")]
            assert code == 1, place
            assert faults.failed, place
            assert len(said) == 1, place
            assert "Traceback" not in err, place
            # What is wrong, where, and what to do.
            assert re.search(r"cannot be \w+: .*[a-z]\. [A-Z].*\.$", said[0]), place
        else:
            # The call was one that may fail, such as the link to the checkpoint before.
            assert scenario.results(folder) == self.expected, place
        code, err = self.run(scenario.command(folder), folder)
        assert code == 0, f"{place}\nand then: {err}"
        assert scenario.results(folder) == self.expected, place
        assert not list(folder.rglob("*.partial")), place
        return bool(faults.failed)


@pytest.mark.parametrize("name", QUICK)
def test_some_calls_fail(name: str, tmp_path: Path) -> None:
    sweep, dice = Sweep(SCENARIOS[name], tmp_path), random.Random(name)
    failed = [
        sweep.fault(dice.randint(1, sweep.calls), **settings) for settings in FAULTS.values() for _ in range(SAMPLED)
    ]
    # A disk that is full from the last writes on may have no call that fails.
    assert all(failed[: 3 * SAMPLED])


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_each_call_fails(name: str, fault: str, tmp_path: Path) -> None:
    sweep = Sweep(SCENARIOS[name], tmp_path)
    nth = 1
    while sweep.fault(nth, **FAULTS[fault]):
        nth += 1
    assert nth > 2
