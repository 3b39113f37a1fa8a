"""Solves spots with Errai and with other solvers, in turns, and prints tables in Markdown; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from common.comparison import STREETS, Answer, Record, before, pairs, spot_text, summary_text
from common.machine import commit, machine_line

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards
from errai.cards.ranges import Range
from errai.games.spot import Spot, load_spot
from errai.kernels.cpu import instruction_sets, use_instruction_set

ROOT = Path(__file__).resolve().parent.parent
DRIVERS = ROOT / "benchmarks" / "drivers"
SPOTS = ROOT / "benchmarks" / "spots"
EXAMPLES = ("river", "turn", "turn-donk", "flop")
REFUSED = 3
"""Exit status of a driver whose program cannot build the tree."""


class Untranslatable(Exception):
    """The spot has something that a program has no words for."""


# --- what the programs are asked ---


def combinations_text(held: Range) -> str:
    """Every hand with its weight: the one spelling of a range that all programs read in the same way."""
    hands = hand_cards(52, 2)
    return ",".join(
        f"{FULL_DECK.card_text(int(high))}{FULL_DECK.card_text(int(low))}:{weight:g}"
        for (low, high), weight in zip(hands, np.asarray(held.weights), strict=True)
        if weight > 0
    )


def peer_request(spot: Spot) -> dict[str, Any]:
    """The spot in the words of the peers' drivers."""
    tables = spot.to_dict()
    if "bets" not in tables:
        raise Untranslatable("the peers know spots with bet sizes only")
    sizes: dict[str, Any] = {}
    donk: dict[str, str] = {}
    for street in STREETS:
        bets = tables["bets"].get(street, {})
        if "raise_cap" in bets:
            raise Untranslatable("the peers know no caps on raises")
        players = [bets.get(player, bets) for player in ("oop", "ip")]
        sizes[street] = [[player.get("bet", ""), player.get("raise", "")] for player in players]
        if "donk" in players[0]:
            donk[street] = players[0]["donk"]
    thresholds = tables.get("thresholds", {})
    return {
        "board": "".join(FULL_DECK.card_text(card) for card in spot.board),
        "ranges": [combinations_text(held) for held in spot.ranges],
        "pot": spot.pot,
        "stack": spot.effective_stack,
        "sizes": sizes,
        "donk": donk,
        "add_allin_threshold": thresholds.get("add_all_in", 0.0),
        "force_allin_threshold": thresholds.get("force_all_in", 0.0),
        "merging_threshold": thresholds.get("merging", 0.0),
    }


@dataclass(frozen=True)
class Program:
    """A solver that is compared: how it is started, and what it is given besides the spot."""

    name: str
    command: Sequence[str]
    settings: dict[str, Any] = field(default_factory=dict)
    is_ours: bool = False
    same_game: bool = True
    """Whether the program's game is exactly ours; else only a river spot can be held against ours."""

    def answer(self, path: Path, common: dict[str, Any], targets: Sequence[float]) -> Answer:
        """Solve a spot down to all targets.

        A program that measures every so often passes them all on its way to the least.  One that measures where it
        expects the target starts anew for each; the answer to the least stands for the rest.
        """
        if self.settings.get("check_every", common["check_every"]):
            return self.ask(path, common | {"target_pot_percent": min(targets)})
        reached = []
        for target in sorted(targets, reverse=True):
            answer = self.ask(path, common | {"target_pot_percent": target})
            last = answer["curve"][-1]
            if last[3] <= target:
                reached.append([target, *last])
        return answer | {"reached": reached}

    def ask(self, path: Path, common: dict[str, Any]) -> Answer:
        """Solve a spot in a process of its own and return the answer."""
        spot = {"spot": str(path)} if self.is_ours else peer_request(load_spot(path))
        request = json.dumps({**spot, **common, **self.settings})
        # As `errai solve` does for itself; other programs do not know the word.
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run([*self.command, request], capture_output=True, text=True, env=environment)
        if done.returncode == REFUSED:
            raise Untranslatable(done.stderr.strip())
        if done.returncode:
            raise SystemExit(f"{self.name} failed on {path}:\n{done.stderr}")
        return json.loads(done.stdout)


PRECISIONS = {
    "auto": "errai",
    "float32": "errai, 32 bit",
    "float64": "errai, 64 bit",
    "fixed16": "errai, 16 bit",
    "average8": "errai, averages in 8 bits",
}
PEERS = ("postflop-solver", "postflop-solver-16", "texassolver")


def our_programs(options: argparse.Namespace) -> list[Program]:
    """Return Errai in every chosen precision."""
    command = [sys.executable, str(DRIVERS / "errai_driver.py")]
    programs = []
    for precision in options.precision:
        settings: dict[str, Any] = {"precision": precision}
        if options.algorithm:
            settings["algorithm"] = options.algorithm
        if options.instructions:
            settings["instructions"] = options.instructions
        if not options.fixed:
            settings["check_every"] = None
        programs.append(Program(PRECISIONS[precision], command, settings, is_ours=True))
    return programs


def peer_programs(names: Sequence[str]) -> list[Program]:
    """The peers of these names that are installed; a note is printed for those that are not."""
    postflop = [os.environ.get("ERRAI_POSTFLOP_BENCH", "")]
    known = {
        "postflop-solver": ("ERRAI_POSTFLOP_BENCH", Program("postflop-solver", postflop)),
        "postflop-solver-16": (
            "ERRAI_POSTFLOP_BENCH",
            Program("postflop-solver, 16 bit", postflop, {"compressed": True}),
        ),
        "texassolver": (
            "ERRAI_TEXASSOLVER",
            Program("TexasSolver", [sys.executable, str(DRIVERS / "texas_driver.py")], same_game=False),
        ),
    }
    found = []
    for name in names:
        variable, program = known[name]
        if file := os.environ.get(variable):
            if not os.access(file, os.X_OK):
                raise SystemExit(f"{variable} is {file}, which is not a program.")
            found.append(program)
        else:
            print(f"{name} is left out: {variable} is not set; benchmarks/README.md says which program it names.\n")
    return found


# --- running ---


def run_spot(path: Path, programs: Sequence[Program], options: argparse.Namespace) -> Record:
    """The answers of every program to one spot; no program runs twice in a row."""
    common = {
        "threads": options.threads,
        "max_iterations": options.max_iterations,
        "check_every": options.check_every,
        "rehearsals": options.rehearsals,
    }
    answers: dict[str, list[Answer]] = {program.name: [] for program in programs}
    refused: dict[str, str] = {}
    for _ in range(options.runs):
        for program in programs:
            if program.name not in refused:
                try:
                    answers[program.name].append(program.answer(path, common, options.targets))
                except Untranslatable as error:
                    refused[program.name] = str(error)
    for program in programs:
        if program.name not in refused and (difference := another_tree(path, program, answers, programs[0])):
            if program.same_game:
                raise SystemExit(f"{path}: {program.name} {difference}")
            refused[program.name] = difference
    for name in refused:
        del answers[name]
    return {
        "file": path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name,
        "title": load_spot(path).title or path.stem,
        "street": STREETS[len(load_spot(path).board) - 3],
        "ours": [program.name for program in programs if program.is_ours],
        "refused": refused,
        "answers": answers,
    }


def another_tree(path: Path, program: Program, answers: dict[str, list[Answer]], first: Program) -> str:
    """How a program's tree differs from the first one's, or nothing.

    The exploitability of playing every action equally often depends on every part of the tree.
    """
    ours, theirs = before(answers[first.name]), before(answers[program.name])
    exact = program.same_game or len(load_spot(path).board) == 5
    if abs(ours - theirs) <= (1e-5 if exact else 0.1) * max(theirs, ours):
        return ""
    return f"builds another tree: {theirs:.5f} % before the first iteration, not {ours:.5f} %"


# --- the command ---


def conditions_text(document: Record) -> str:
    """What was run, so that a table can be read without its command."""
    conditions = document["conditions"]
    ours = (
        "Errai does so too"
        if conditions["fixed"]
        else "Errai where its own loop expects to have met the target, a process of its own for each target"
    )
    algorithm = f" Errai runs {conditions['algorithm']}." if conditions["algorithm"] else ""
    rehearsals = f", which has solved the spot {times} times before" if (times := conditions["rehearsals"]) else ""
    return (
        f"{document['machine']}.\n\n"
        f"{conditions['runs']} runs of each program in turns, each in a process of its own{rehearsals}, "
        f"{conditions['threads']} threads.{algorithm} Medians (least–greatest); "
        "rows with a colon divide the peer's figure by Errai's (above 1 is in Errai's favour; the median over "
        "neighbouring runs). "
        "Seconds go from the first iteration to the first measurement at or below the target and include all "
        f"measurements: the peers measure after every {conditions['check_every']} iterations, {ours}. "
        "State: the arrays a program solves in, as it counts them. Growth: peak resident memory of the process less "
        "what it had before it read the spot; peak: all of it, for Errai with the interpreter.\n"
    )


CONDITIONS = (
    "runs",
    "threads",
    "targets",
    "max_iterations",
    "check_every",
    "rehearsals",
    "fixed",
    "algorithm",
    "instructions",
)


def new_document(options: argparse.Namespace, programs: Sequence[Program]) -> Record:
    """What the JSON file holds; one that is there already is gone on with if it was made in the same way."""
    conditions: Record = {name: getattr(options, name) for name in CONDITIONS}
    conditions["programs"] = [program.name for program in programs]
    conditions["commit"] = commit()
    if options.json and options.json.exists():
        document = json.loads(options.json.read_text())
        if document["conditions"] != conditions:
            raise SystemExit(f"{options.json} was made with other options or at another commit; give another name.")
        return document
    return {"machine": machine_line(), "conditions": conditions, "spots": []}


def chosen_spots(options: argparse.Namespace) -> list[Path]:
    """The spots that are named, by file or by the name of an example, and those of the sets."""
    paths = [Path(name) if Path(name).suffix else ROOT / "examples" / f"{name}.toml" for name in options.spots]
    for wanted, folder in ((options.set, "set"), (options.held_out, "held-out")):
        if wanted:
            paths += sorted((SPOTS / folder).glob("*.toml"))
    return [path.resolve() for path in paths or (ROOT / "examples" / f"{name}.toml" for name in EXAMPLES)]


def parser() -> argparse.ArgumentParser:
    """The options."""
    result = argparse.ArgumentParser(description=__doc__)
    result.add_argument("spots", nargs="*", help=f"examples by name, or files (default: {' '.join(EXAMPLES)})")
    result.add_argument("--set", action="store_true", help="the spots of benchmarks/spots/set, and a summary")
    result.add_argument("--held-out", action="store_true", help="the spots of benchmarks/spots/held-out, and a summary")
    result.add_argument("--runs", type=int, default=5, help="runs of each program (default: %(default)s)")
    result.add_argument("--threads", type=int, default=2, help="of each program (default: %(default)s)")
    result.add_argument("--targets", type=float, nargs="+", default=[0.5, 0.3, 0.1], help="per cent of the pot")
    result.add_argument(
        "--precision",
        nargs="+",
        choices=PRECISIONS,
        default=["auto", "fixed16"],
        help="of Errai, one after the other (default: auto fixed16)",
    )
    result.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS[:2]), help="what to compare with")
    result.add_argument("--max-iterations", type=int, default=3000)
    result.add_argument("--check-every", type=int, default=10, help="iterations between a peer's measurements")
    result.add_argument(
        "--rehearsals", type=int, default=0, metavar="N", help="solve a spot N times in each process before it counts"
    )
    result.add_argument("--fixed", action="store_true", help="Errai measures after every --check-every iterations too")
    result.add_argument("--algorithm", help="of Errai; its default if not given")
    result.add_argument(
        "--instructions", choices=instruction_sets(), help="of Errai's kernels; the fastest here if not given"
    )
    result.add_argument("--json", type=Path, metavar="FILE", help="keep every answer here; go on with it if it exists")
    result.add_argument("--render", type=Path, metavar="FILE", help="run nothing, print the tables of a --json file")
    result.add_argument("--markdown", type=Path, metavar="FILE", help="write what is printed to this file too")
    return result


def main() -> None:
    """Run what is missing, print a table for every spot, and a summary if there are many."""
    options = parser().parse_args()
    if options.instructions:
        use_instruction_set(options.instructions)  # so that the line that names the machine says it
    texts = []

    def say(text: str) -> None:
        texts.append(text)
        print(text, flush=True)
        if options.markdown:
            options.markdown.write_text("\n".join(texts))

    if options.render:
        document, paths, programs = json.loads(options.render.read_text()), [], []
    else:
        programs = [*our_programs(options), *peer_programs(options.peers)]
        document, paths = new_document(options, programs), chosen_spots(options)
    targets = sorted(document["conditions"]["targets"], reverse=True)
    say(conditions_text(document))
    records = document["spots"]
    for record in records:
        say(spot_text(record, targets))
    for path in paths:
        record = next((r for r in records if (ROOT / r["file"]).resolve() == path), None)
        if record is None:
            record = run_spot(path, programs, options)
            records.append(record)
            if options.json:
                options.json.write_text(json.dumps(document) + "\n")
            say(spot_text(record, targets))
    for folder in dict.fromkeys(Path(record["file"]).parent for record in records):
        together = [record for record in records if Path(record["file"]).parent == folder]
        if len(together) > len(EXAMPLES) and any(pairs(together)):
            say(f"## {len(together)} spots of {folder}\n")
            say(summary_text(together, targets))


if __name__ == "__main__":
    main()
