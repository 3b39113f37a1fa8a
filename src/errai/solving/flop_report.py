"""One spot on many flops: each is solved in a process of its own and read at some nodes, and nothing is done twice.

A folder holds a run: ``run.json`` says what is solved, ``asked.txt`` which flops were asked for last, and every flop
that has been solved is one file with its certificate and the numbers of its nodes.  A run that was stopped or killed is
resumed by asking for it again; flops that are there are read.  More flops may be asked for later.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from errai.cards.deck import FULL_DECK
from errai.cards.flops import MOST_WEIGHT, Flop, all_flops, flops_of, read_flops
from errai.engine.leaf_values import HasLeafValues, as_leaf_values
from errai.errors import DamagedFileError, ForeignFileError, InputError, LineError, MismatchError, TextError
from errai.games.lock_file import LockTables
from errai.games.spot import Spot
from errai.own_code import described, number_of, whole_number
from errai.running.pool import ProcessPool, Steps
from errai.running.stopping import StopToken, stops
from errai.running.system import processors
from errai.solutions.solution import Below, Solution
from errai.solving.estimate import Estimate, estimate, planned_run
from errai.solving.flop_results import CLASSES, FlopNode, FlopReport, FlopResult, read_node
from errai.solving.solve import solve
from errai.store.atomic import locked_folder, make_folder, write_file
from errai.store.container import open_container, write_container
from errai.tree.betting_tree import NodeKind, build_betting_tree
from errai.tree.locks import read_locks

KIND = "flop of a report"
ASKED = "asked.txt"
"""The file with the flops that were asked for last, as :func:`errai.cards.flops.read_flops` reads them."""
FORMAT = 1
TARGET = "0.5%pot"

PROCESS_BYTES = 500 << 20
"""About what a process takes besides the arrays of a solve: the interpreter, and equities over all run-outs."""

IN_CLASSES = ("class_weights", "class_ev", "class_equity")
"""Arrays of a node that have a row for each player and a column for each class of hands."""

ARRAYS = ("frequencies", "ev", "equity", *IN_CLASSES, "class_frequencies")
"""All arrays of a node, as they are named in the file of a flop."""


@dataclass(frozen=True)
class FlopPlan:
    """What a report will take; the speed is that of one processor, measured now."""

    estimate: Estimate
    """Of one flop, on which no suits can be renamed."""
    left: int
    """Flops that are not in the folder yet."""
    processes: int

    @property
    def memory_bytes(self) -> int:
        """Memory of all processes together."""
        return self.processes * (self.estimate.memory_bytes + PROCESS_BYTES)

    @property
    def seconds(self) -> float | None:
        """Seconds that it takes; None where it cannot be told how many iterations a flop takes."""
        one = self.estimate.seconds
        return None if one is None else self.left * one / self.processes


def plan_report(
    spot: Spot,
    flops: int | Sequence[Flop] = 25,
    *,
    lines: Sequence[str] | None = None,
    target: str = TARGET,
    locks: Mapping[str, Mapping[str, Any]] | LockTables | None = None,
    processes: int | None = None,
) -> FlopPlan:
    """Return what a new report will take, without solving; parameters and errors are those of :func:`report`."""
    chosen, _, tables = _checked(spot, flops, lines, target, locks, processes)
    return _plan(spot, chosen, len(chosen), target, tables, None, processes)


def _checked(
    spot: Spot,
    flops: int | Sequence[Flop],
    lines: Sequence[str] | None,
    target: str,
    locks: Mapping[str, Mapping[str, Any]] | LockTables | None,
    processes: int | None,
) -> tuple[tuple[Flop, ...], tuple[str, ...], dict[str, Any]]:
    """Return the flops, the lines and the locks that are asked for; raises as :func:`report`."""
    if not isinstance(spot, Spot) or len(spot.board) != 3:
        raise InputError("A report is about a spot that begins on the flop, with three cards as its board.")
    chosen = flops_of(flops) if isinstance(flops, int) else tuple(flops) if isinstance(flops, Sequence) else ()
    if not chosen or not all(isinstance(flop, Flop) for flop in chosen):
        raise InputError(f"A report needs at least one flop, each of the class Flop, and not {described(flops)}.")
    if processes is not None:
        whole_number(processes, "The number of processes", 1)
    first = spot_on(spot, chosen[0])
    wanted = _lines(first, lines)
    planned_run(first, target, locks=locks or None)
    return chosen, wanted, dict((locks.tables if isinstance(locks, LockTables) else locks) or {})


def _plan(
    spot: Spot,
    chosen: Sequence[Flop],
    left: int,
    target: str,
    tables: dict[str, Any],
    leaf_values: HasLeafValues | None,
    processes: int | None,
) -> FlopPlan:
    needs = _needs(spot_on(spot, _large(chosen)), target, tables, leaf_values)
    return FlopPlan(needs, left, _count(left, processes))


def _count(left: int, processes: int | None) -> int:
    """Return the number of processes for the flops that are left."""
    return min(processes or processors(), max(left, 1))


def report(
    spot: Spot,
    flops: int | Sequence[Flop] = 25,
    *,
    folder: str | Path,
    lines: Sequence[str] | None = None,
    target: str = TARGET,
    locks: Mapping[str, Mapping[str, Any]] | LockTables | None = None,
    leaf_values: HasLeafValues | None = None,
    processes: int | None = None,
    stop: StopToken | None = None,
    planned: Callable[[FlopPlan], object] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> FlopReport:
    """Solve a spot on a weighted set of flops, in parallel processes, and gather what happens at some nodes.

    Parameters
    ----------
    spot:
        A spot that begins on the flop; its three cards are replaced by those of each flop.
    flops:
        A number of flops: the size of a subset of the package (:func:`errai.cards.flops.subset_sizes`), or 1755 for
        all; or flops with weights.
    folder:
        Where the run is kept; it is resumed if it is there.
    lines:
        The nodes to read, lines of the flop; by default the first decision and the answers to each of its actions.
    target:
        The exploitability to which each flop is solved, as for :func:`errai.solve`.
    locks:
        As for :func:`errai.solve`; lines of the flop alone, or with ``*`` for any card.
    leaf_values:
        A value network for the turn (:func:`errai.load_net`), or another object that can make leaf values and can be
        sent to processes: only the flop is solved, over its values, which takes a small part of the time and memory.
        What is certified is then the game that is cut after the flop, with these values, and not the whole game.
    processes:
        Number of processes, each with one thread; by default one for each processor that may be used.
    stop:
        Ends the run early; what has been solved is kept, and is in the report.
    planned:
        A function that is called before work begins.
    progress:
        A function that is called with the number of flops that are there and of all.

    Raises
    ------
    InputError
        The spot does not begin on the flop, flops are missing or twice, one leaves a player no hand, or
        ``leaf_values`` cannot be sent to a process.
    LineError
        There is no such line on the flop.
    MismatchError
        The folder holds the report of another spot, or of other lines, locks, leaf values or another target.
    DamagedFileError, ForeignFileError
        A file in the folder is damaged, or none of a report.
    """
    chosen, wanted, tables = _checked(spot, flops, lines, target, locks, processes)
    place = Path(folder)
    description = {
        "format": KIND,
        "version": FORMAT,
        "spot": {key: value for key, value in spot.to_dict().items() if key not in ("board", "title")},
        "lines": list(wanted),
        "target": target,
        "locks": tables,
    }
    below = None if leaf_values is None else Below.of(as_leaf_values(leaf_values))
    if below is not None:
        _check_sent(leaf_values)
        description["leaf_values"] = asdict(below)
    # Before the folder says that the run has them, and before hours of work: a fault on one flop would end it.
    _check_flops(spot, chosen, locks)
    _check_folder(place)
    make_folder(place)
    with locked_folder(place, f"{place} is in use by another report."):
        run = _opened(place, description)
        write_file(place / ASKED, "".join(f"{flop.text}: {flop.weight!r}\n" for flop in chosen))
        done: dict[Flop, FlopResult] = {}
        for flop in chosen:
            path = _path(place, flop)
            if path.exists():
                done[flop] = _read(path, run, flop, wanted)
        left = [flop for flop in chosen if flop not in done]
        if planned is not None:
            planned(_plan(spot, chosen, len(left), target, tables, leaf_values, processes))
        if left and not stops(stop):
            work = partial(_steps, spot, target, tables, leaf_values, wanted, place, run)
            with ProcessPool[Flop, Flop](work, _count(len(left), processes)) as pool:
                for flop in pool.run(left, in_order=False, stop=stop):
                    done[flop] = _read(_path(place, flop), run, flop, wanted)
                    if progress is not None:
                        progress(len(done), len(chosen))
    results = tuple(done[flop] for flop in chosen if flop in done)
    return FlopReport(spot, wanted, results, len(chosen), below)


def _check_sent(leaf_values: HasLeafValues | None) -> None:
    """Raise :class:`InputError` if an object cannot be sent to another process."""
    try:
        pickle.dumps(leaf_values)
    except (AttributeError, TypeError, pickle.PicklingError) as error:
        raise InputError(f"The leaf values cannot be sent to other processes: {error}") from error


def _needs(spot: Spot, target: str, locks: dict[str, Any], leaf_values: HasLeafValues | None) -> Estimate:
    """Return what a flop takes; over leaf values, whose time nothing else tells, it is solved."""
    if leaf_values is None:
        return estimate(spot, target, locks=locks or None, threads=1)
    needs = estimate(spot, target, depth="flop", locks=locks or None, threads=1)
    tried = solve(spot, target, leaf_values=leaf_values, locks=locks or None, threads=1)
    assert isinstance(tried, Solution)
    count = max(tried.iterations, 1)
    return replace(needs, seconds_per_iteration=tried.seconds / count, iterations=count)


@dataclass(frozen=True)
class ReportFolder:
    """What the folder of a report says of it, before any flop is read; made by :func:`open_report`."""

    path: Path
    run: str
    """What its files are marked with."""
    spot: Spot
    lines: tuple[str, ...]
    target: str
    locks: Mapping[str, Any]
    below: Below | None
    """What stood below the flop; None if it was solved to the end of the game."""
    flops: tuple[Flop, ...]
    """Those that were asked for last, by a run before this was written all that are there, by their own weights."""

    @property
    def modified(self) -> float:
        """When a flop was solved last, in seconds since 1970."""
        flops = self.path / "flops"
        return (flops if flops.exists() else self.path).stat().st_mtime

    @property
    def done(self) -> tuple[Flop, ...]:
        """The flops that have been solved."""
        folder = self.path / "flops"
        there = set(os.listdir(folder)) if folder.is_dir() else set()
        return tuple(flop for flop in self.flops if _path(self.path, flop).name in there)

    def read(self, kept: MutableMapping[Flop, FlopResult] | None = None) -> FlopReport:
        """Read the flops that have been solved.

        Parameters
        ----------
        kept:
            Results of this folder that need not be read again; those that are read are added.

        Raises :class:`DamagedFileError` or :class:`MismatchError` if a file is damaged or of another report.
        """
        kept = {} if kept is None else kept
        done = self.done
        for flop in done:
            if flop not in kept:
                kept[flop] = _read(_path(self.path, flop), self.run, flop, self.lines)
        return FlopReport(self.spot, self.lines, tuple(kept[flop] for flop in done), len(self.flops), self.below)


def open_report(folder: str | Path) -> ReportFolder:
    """Open the folder of a report, whoever made it, also while it is being made.

    Raises :class:`ForeignFileError` if it is none, and :class:`DamagedFileError` if what it says of itself is damaged.
    """
    place = Path(folder)
    path = place / "run.json"
    there, text = _description(path)
    try:
        if there["version"] != FORMAT:
            raise ForeignFileError(f"{path} is of version {there['version']!r}; this Errai reads {FORMAT}.")
        if (place / ASKED).exists():
            asked = read_flops((place / ASKED).read_text(encoding="utf-8").splitlines(), ASKED, scaled=False)
        else:
            asked = tuple(flop for flop in all_flops() if _path(place, flop).exists())
        board = (asked or all_flops())[0]
        spot = Spot.from_dict({**there["spot"], "board": FULL_DECK.cards_text(board.cards)})
        lines, target = tuple(map(str, there["lines"])), there["target"]
        if not lines or lines != _lines(spot, lines) or not isinstance(target, str):
            raise ValueError("its lines or its target are none")
        mark = sha256(text.encode()).hexdigest()
        below = Below(**there["leaf_values"]) if there.get("leaf_values") else None
        return ReportFolder(place, mark, spot, lines, target, dict(there["locks"]), below, asked)
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"The report in {place} is damaged: {error}") from error


def _large(flops: Sequence[Flop]) -> Flop:
    """Return a flop of three ranks and three suits, which takes most, if there is one."""
    return next((f for f in flops if f.suits == "rainbow" and f.pairing == "unpaired"), flops[0])


def spot_on(spot: Spot, flop: Flop) -> Spot:
    """Return the spot of a report on another flop, without a title."""
    return spot.on(FULL_DECK.cards_text(flop.cards))


def _lines(spot: Spot, lines: Sequence[str] | None) -> tuple[str, ...]:
    """Return the lines to read, as the tree writes them.  Raises :class:`LineError` if one is not on the flop."""
    betting = build_betting_tree(spot)
    if lines is None:
        first = ["", *betting.actions(0)]
        return tuple(line for line in first if betting.kind[betting.find(line)] == NodeKind.DECISION)
    found = []
    for line in lines:
        node = betting.find(line)
        if betting.street[node] > 0 or betting.kind[node] not in (NodeKind.DECISION, NodeKind.CHANCE):
            raise LineError(f"{line!r} is no line of the flop that goes on; a report reads nodes of the flop.")
        found.append(" ".join(betting.path(node)))
    if len(set(found)) < len(found):
        raise LineError("A line is asked for twice.")
    return tuple(found)


def _check_flops(spot: Spot, flops: Sequence[Flop], locks: Mapping[str, Any] | LockTables | None) -> None:
    """Raise :class:`InputError` if a flop cannot count, occurs twice, leaves a player no hand, or if locks miss it."""
    for flop in flops:
        if number_of(flop.weight, f"The weight of {flop.text}", low=0.0, high=MOST_WEIGHT) == 0.0:
            raise InputError(f"The weight of {flop.text} is 0; leave it out.")
    if len({flop.cards for flop in flops}) < len(flops):
        raise InputError("A flop is asked for twice.")
    betting = build_betting_tree(spot)
    for flop in flops:
        try:
            there = spot_on(spot, flop)
            if locks:
                read_locks(locks, there, betting)
        except TextError as error:
            raise type(error)(f"On {flop.text}: {error.message}", line=error.line, source=error.source) from error


def _check_folder(place: Path) -> None:
    """Raise :class:`ForeignFileError` if a folder holds something else, of which not even a lock is made there."""
    there = {child.name for child in place.iterdir()} if place.is_dir() else set()
    if "run.json" not in there and there - {"lock", "flops"}:
        raise ForeignFileError(f"{place} has files in it that are not of a report; choose another folder.")


def _opened(place: Path, description: dict[str, Any]) -> str:
    """Write what a run is about, or compare it with what the folder says; return what its files are marked with."""
    path = place / "run.json"
    text = json.dumps(description, indent=1, sort_keys=True, allow_nan=False) + "\n"
    if path.exists():
        there, _ = _description(path)
        same = json.loads(text)
        for name in ("version", "spot", "lines", "target", "locks", "leaf_values"):
            if there.get(name) != same.get(name):
                what = name.replace("_", " ")
                raise MismatchError(f"{place} holds a report with other {what}; choose another folder.")
    else:
        write_file(path, text)
    make_folder(place / "flops")
    return sha256(text.encode()).hexdigest()


def _description(path: Path) -> tuple[dict[str, Any], str]:
    """Return what ``run.json`` says, and its text.  Raises :class:`DamagedFileError` or :class:`ForeignFileError`."""
    try:
        text = path.read_text(encoding="utf-8")
        there = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    if not isinstance(there, dict) or there.get("format") != KIND:
        raise ForeignFileError(f"{path} is not of a report over flops; choose another folder.")
    return there, text


def _path(place: Path, flop: Flop) -> Path:
    return place / "flops" / f"{flop.text.replace(' ', '')}.errai"


def _steps(
    spot: Spot,
    target: str,
    locks: dict[str, Any],
    leaf_values: HasLeafValues | None,
    lines: tuple[str, ...],
    place: Path,
    run: str,
) -> Steps:
    """Return what a process does with a flop: solve it, and write what is read at the nodes."""

    def work(flop: Flop) -> Flop:
        solution = solve(spot_on(spot, flop), target, locks=locks or None, leaf_values=leaf_values, threads=1)
        assert isinstance(solution, Solution)
        _write(_path(place, flop), run, solution, [read_node(solution.at(line)) for line in lines])
        return flop

    return Steps(work)


def _write(path: Path, run: str, solution: Solution, nodes: Sequence[FlopNode]) -> None:
    metadata = {
        "run": run,
        "exploitability_chips": solution.exploitability.chips,
        "pot_percent": solution.exploitability.pot_percent,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "status": str(solution.status),
        "nodes": [
            {"line": n.line, "player": n.player, "actions": list(n.actions), "pot": n.pot_chips, "pairs": n.pairs}
            for n in nodes
        ],
    }
    arrays = {}
    for i, node in enumerate(nodes):
        for name in ARRAYS:
            arrays[f"{i}/{name}"] = np.ascontiguousarray(getattr(node, name), dtype=np.float64)
    write_container(path, KIND, metadata, arrays)


def _read(path: Path, run: str, flop: Flop, lines: tuple[str, ...]) -> FlopResult:
    """Read the file of a flop; every checksum is verified.  Raises :class:`DamagedFileError`."""
    container = open_container(path, KIND)
    facts = container.metadata
    try:
        if facts["run"] != run:
            raise MismatchError(f"{path} is of another report; delete it, or choose another folder.")
        nodes = []
        for i, (row, line) in enumerate(zip(facts["nodes"], lines, strict=True)):
            arrays = {name: np.array(container.arrays[f"{i}/{name}"]) for name in ARRAYS}
            actions = tuple(map(str, row["actions"]))
            shapes = dict.fromkeys(IN_CLASSES, (2, CLASSES))
            shapes |= {"frequencies": (len(actions),), "ev": (2,), "equity": (2,)}  # type: ignore[dict-item]
            shapes["class_frequencies"] = (len(actions), CLASSES)
            if row["line"] != line or any(arrays[name].shape != shape for name, shape in shapes.items()):
                raise ValueError("its nodes are not those of the report")
            player = None if row["player"] is None else int(row["player"])
            nodes.append(FlopNode(line, player, actions, float(row["pot"]), float(row["pairs"]), **arrays))
        return FlopResult(
            flop,
            float(facts["exploitability_chips"]),
            float(facts["pot_percent"]),
            int(facts["iterations"]),
            float(facts["seconds"]),
            str(facts["status"]),
            tuple(nodes),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
