"""Every command that writes, with the results that it leaves, and what happens to one whose run is disturbed.

The campaign and ``tests/robustness`` disturb them: a call fails, the process is killed, the disk loses what was not
flushed.  Whatever happened, the same command without a fault ends with the results of an undisturbed run, and a command
that failed has said one sentence that names the place and what to do.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from charted_hands import CHARTS, played
from failing_calls import preloaded
from forked import COMMANDS, ForkServer
from small_subjects import WIDE_TURN

from errai.arena.histories.phh import phhs_text
from errai.store.container import open_container

SAVING = """
import os
from errai.running import stopping

_really = stopping.from_time_to_time

def _often(save, every, share=1.0):
    # Save whenever that is possible, or so often that kills fall inside of saves, and not every minute.
    return _really(save, 0.02) if os.environ.get("SAVES") == "often" else save

stopping.from_time_to_time = _often
"""
PROGRAM = """
import ctypes
import os
import resource
import sys
from errai.cli.main import main
from errai.nets.examples import generate

if os.environ.get("SAVES") == "often":
    generate.SAVE_SECONDS = 0.02
if more := int(os.environ.get("MORE_MEMORY", "0")):
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))
if group := os.environ.get("MEMORY_GROUP"):
    with open(f"{group}/cgroup.procs", "w") as file:
        file.write(str(os.getpid()))
# A process that was forked has its settings only now.
ctypes.CDLL(None).begin_to_fail()
sys.exit(main(sys.argv[1:]))
"""


IMPORTED = (*COMMANDS, "errai.nets.examples.generate")
TRAINING = [] if find_spec("torch") is None else ["errai.nets.training.learn", "torch._dynamo"]
"""PyTorch, and what its optimizers import when they are first used: most of the time of a small training."""
SERVER = ForkServer(*IMPORTED, environment=preloaded, first=SAVING)
TRAINER = ForkServer(*IMPORTED, *TRAINING, environment=preloaded, first=SAVING)
"""For trainings alone: PyTorch asks for memory when any process ends, and does not bear that there is none."""


def close_servers() -> None:
    """Let what is begun next import anew."""
    SERVER.close()
    TRAINER.close()


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
    files: tuple[tuple[str, str], ...] = ()
    """Texts that are written before, by the names of their files."""
    said: str = ""
    """The file that the command's standard output goes to."""
    server: ForkServer = SERVER

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
        prepared="solve kuhn --max-iterations 5 --threads 1 -o made.errai --quiet",
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
        begun="made.net.training/checkpoint.errai", server=TRAINER,
    ),
}  # fmt: skip
HANDS = [played(n, flop=flop) for n, flop in enumerate(("7c6d2h", "9c8d3h", "Tc5d4h"), 1)]


def reviewed(folder: Path) -> Any:
    """What a review says, and the solutions that it has made."""
    document = json.loads((folder / "said").read_text())
    return document, arrays(*sorted(str(path.relative_to(folder)) for path in (folder / "lib").glob("*.errai")))(folder)


LONGER = {
    "solve -o": Scenario(
        "solve turn.toml --max-iterations 400 --threads 1 --checkpoint saved -o made.errai --quiet",
        arrays("made.errai"), resumed="--resume", begun="saved", files=(("turn.toml", WIDE_TURN),),
    ),
    "solve --store": Scenario("solve leduc --max-iterations 40 --store run --processes 2 --quiet", run_folder),
    "train": Scenario(
        "train leduc --abstraction identity --method pcs --iterations 3000 --threads 1 --checkpoint saved "
        "-o made.errai --quiet",
        arrays("made.errai"), resumed="--resume", begun="saved",
    ),
    "nets generate": Scenario("nets generate river --positions 10 -o set --quiet", positions),
    "nets train": Scenario(
        "nets train river --data set --epochs 5 --set width=4 -o made.net --quiet", network,
        prepared="nets generate river --positions 16 -o set --quiet", resumed="--resume",
        begun="made.net.training/checkpoint.errai", server=TRAINER,
    ),
    "match": Scenario(
        "match uniform always-call --game leduc --hands 4000 --duplicate --log log --checkpoint saved "
        "--results played.match.json --quiet",
        match_result, resumed="--resume", begun="saved",
    ),
    "review": Scenario(
        "review hands.phhs --charts charts.toml --library lib --target 1%pot --threads 1 --json", reviewed,
        files=(("hands.phhs", phhs_text(HANDS)), ("charts.toml", CHARTS)), said="said",
    ),
}  # fmt: skip
"""Commands that run long enough to be killed in the middle."""
