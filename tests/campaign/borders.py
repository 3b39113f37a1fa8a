"""Inputs for every border, made from valid ones: what is read is right, or refused by a typed error.

They are the files of ``tests/promises``, half of them with right checksums, so that the change comes to the readers
behind; spots, games, ranges, sizes and locks; histories; lines of protocols; command lines; requests of the HTTP API.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mutation import PIECES, mutated_bytes, mutated_text, mutated_value

import errai
from errai.abstraction.file import load_abstraction
from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer
from errai.arena.acpc.log import read_log
from errai.arena.acpc.referee import rule_on
from errai.arena.acpc.text import matchstate_line, read_matchstate
from errai.arena.drill import read_mistakes
from errai.arena.histories.formats import read_text
from errai.arena.histories.phh import phhs_text
from errai.arena.results import read_result
from errai.arena.session_file import load_session
from errai.cards.flops import read_flops
from errai.cards.range_reader import read_range
from errai.cli.main import main
from errai.cli.upi import Session
from errai.errors import ErraiError
from errai.games.catalogue import load_game, parse_game
from errai.games.charts import parse_charts
from errai.games.hand import Hand, Shuffle
from errai.games.lock_file import parse_locks
from errai.games.sizing import parse_bet_sizes
from errai.games.spot import parse_spot
from errai.solutions.notes import load_notes
from errai.store.container import open_container, write_container
from errai.store.document import checksum

HOME = Path(__file__).resolve().parents[2]
FILES = HOME / "tests" / "promises" / "files"
Make = Callable[[random.Random, Path], Callable[[], object]]


@functools.cache
def content(name: str) -> bytes:
    """A file of the promises, or an example."""
    return (HOME / name if "/" in name and not (FILES / name).exists() else FILES / name).read_bytes()


# --- files -----------------------------------------------------------------------------------------------------------


def solution(path: Path) -> None:
    """Load a solution, open it without loading, and look at its root and behind."""
    loaded = errai.load_solution(path, threads=1)
    opened = errai.open_solution(path)
    for one in (loaded, opened):
        node = one.at("")
        _ = node.strategies, node.ev
        for action in node.actions[:2]:
            _ = one.at(str(action)).ranges


def checkpoint(path: Path) -> None:
    """Go on from a checkpoint."""
    errai.solve(load_game("leduc"), checkpoint=path, max_iterations=6, threads=1)


CONTAINERS: dict[str, Callable[[Path], object]] = {
    "kuhn.errai": solution,
    "leduc.errai": solution,
    "river.errai": solution,
    "locked.errai": solution,
    "turn.errai": solution,
    "blueprint.errai": errai.load_blueprint,
    "leduc.state": checkpoint,
    "cards/abstraction.cards": load_abstraction,
    "leduc-run/run.errai": lambda path: errai.open_run(path.parent).at("").strategies,
    "leduc-run/certificate.errai": lambda path: errai.open_run(path.parent).at("").strategies,
}
KINDS = ("uint8", "int16", "uint16", "int32", "int64", "float32", "float64")


def rewritten(name: str, path: Path, dice: random.Random) -> None:
    """Write a container with right checksums, whose header or arrays are others."""
    container = open_container(FILES / name)
    metadata = mutated_value(container.metadata, dice) if dice.random() < 0.7 else container.metadata
    arrays = {key: array.copy() for key, array in container.arrays.items()}
    if arrays and (dice.random() < 0.4 or metadata is container.metadata):
        key = dice.choice(list(arrays))
        array = arrays[key]
        match dice.randrange(5):
            case 0:
                del arrays[key]
            case 1:
                arrays[key] = array.astype(dice.choice(KINDS), casting="unsafe")
            case 2:
                arrays[key] = array.reshape(-1)[: dice.randint(0, array.size)]
            case 3 if array.size:
                array.reshape(-1).view("uint8")[dice.randrange(array.nbytes)] ^= 1 << dice.randrange(8)
            case _ if array.size:
                array.reshape(-1)[dice.randrange(array.size)] = dice.choice((0, 1, 127))
    write_container(path, container.kind, metadata if isinstance(metadata, dict) else {}, arrays)


def container_file(dice: random.Random, place: Path) -> Callable[[], object]:
    name = dice.choice(list(CONTAINERS))
    path = place / name
    if "/" in name and not path.parent.exists():
        shutil.copytree(FILES / name.split("/")[0], path.parent)
    if dice.random() < 0.5:
        path.write_bytes(mutated_bytes(content(name), dice))
    else:
        with contextlib.suppress(ErraiError, ValueError, OverflowError, RecursionError):
            rewritten(name, path, dice)

    def read() -> None:
        try:
            CONTAINERS[name](path)
        finally:
            path.write_bytes(content(name))
            for left in place.glob("leduc.state.*"):
                left.unlink()

    return read


def document_file(dice: random.Random, place: Path) -> Callable[[], object]:
    leduc = load_game("leduc")
    readers: dict[str, Callable[[Path], object]] = {
        "session.json": lambda path: load_session(path, leduc, read_agent("uniform", leduc)),
        "matches/by-strength-8-vs-uniform-335c75a1-0.match.json": read_result,
        "kept.json": read_mistakes,
        "river.errai.notes.toml": lambda path: load_notes(path.with_name("river.errai")),
        "leduc.net": errai.load_net,
    }
    name = dice.choice(list(readers))
    path = place / Path(name).name
    if name.endswith(".json") and dice.random() < 0.7:
        found = json.loads(content(name))
        noun = str(found.get("format", "")).removeprefix("errai ") if isinstance(found, dict) else ""
        if noun in found and "sha256" in found:
            body = mutated_value(found[noun], dice)
            with contextlib.suppress(ValueError):
                found |= {noun: body, "sha256": checksum(body)}
        else:
            found = mutated_value(found, dice)
        path.write_text(json.dumps(found))
    else:
        path.write_bytes(mutated_bytes(content(name), dice))
    return lambda: readers[name](path)


# --- texts -----------------------------------------------------------------------------------------------------------

RANGES = ("AA, KQs, T9s:0.5, 77", "22+, A2s+, KTo-K8o, 76s-54s:0.25", "random", "AsKs, AhKh:0.3", "top 20%", "QQ-99,AK")
SIZES = ("50%, 100%, a", "33%, 2.5x, 3e, a", "60% 2x", "c, 120", "1bb, 50%p", "a")
FLOPS = "Ks7h2d: 3\nTh9h2h: 2\n7c7d4s\n"


def spot(dice: random.Random, place: Path) -> Callable[[], object]:
    name = dice.choice(("river.toml", "turn.toml", "flop.toml", *(f"examples/{n}.toml" for n in EXAMPLES)))
    text, plans = mutated_text(content(name).decode(), dice), dice.random() < 0.05

    def read() -> None:
        found = parse_spot(text)
        if plans:
            errai.estimate(found)

    return read


EXAMPLES = ("river", "turn", "turn-donk", "push-or-fold", "raised-pot", "flop")


def small_text(dice: random.Random, place: Path) -> Callable[[], object]:
    from charted_hands import CHARTS

    kind = dice.randrange(8)
    source = (
        dice.choice(RANGES), dice.choice(RANGES), dice.choice(RANGES), dice.choice(SIZES),
        content("lock.toml").decode(), CHARTS, content("examples/ten-cards.game").decode(), FLOPS,
    )[kind]  # fmt: skip
    text = mutated_text(source, dice)
    read: Callable[[str], object] = (
        read_range, read_range, read_range, parse_bet_sizes, parse_locks, parse_charts, parse_game,
        lambda text: read_flops(text.splitlines(), "here"),
    )[kind]  # fmt: skip
    return lambda: read(text)


def history(dice: random.Random, place: Path) -> Callable[[], object]:
    name = dice.choice(("session.phhs", "kuhn.log", "examples/hands.phh", "examples/session.txt"))
    text = content(name).decode()
    if len(text) > 6000:
        begin = dice.randrange(len(text) - 5000)
        text = text[begin : begin + 5000]
    text = mutated_text(text, dice)

    def read() -> None:
        for hand in read_text(text, game=load_game("kuhn") if name == "kuhn.log" else None).read:
            hand.final_state()
            with contextlib.suppress(ErraiError):
                phhs_text([hand])

    return read


# --- protocols -------------------------------------------------------------------------------------------------------

UPI = (
    "show_node r:0", "show_children r:0:c", "show_strategy r:0", "show_range OOP r:0:c", "calc_ev IP r:0:b50",
    "calc_eq_node OOP r:0", "calc_line_freq r:0:c:c", "show_effective_stack", "show_tree_info", "set_pot 0 0 100",
    "set_board Qs Jh 2c 8d", "set_eff_stack 200", "set_accuracy 0.5 chips", "set_end_string END", "lock_node r:0",
    "unlock_node r:0", "set_strategy r:0 0.5 0.5", "show_hand_order", "help", "set_range OOP 1 0.5 0",
)  # fmt: skip


@functools.cache
def upi() -> Session:
    """A session with a solution of a turn."""
    session = Session(lambda text: None)
    session.answer(f"load_tree {FILES / 'turn.errai'}")
    return session


@functools.cache
def lines(name: str) -> tuple[list[str], ProtocolPlayer]:
    """Lines of a dealer, and a player who answers them."""
    import numpy as np

    game, found = load_game(name), []
    shuffle, numbers, dice = Shuffle(game), np.random.default_rng(5), random.Random(5)
    for number in range(10):
        hand = Hand(game, shuffle.deal(numbers), number)
        while not hand.state.is_over:
            found.append(matchstate_line(hand.observation(hand.state.actor)))
            hand.act(dice.choice(hand.state.legal_actions))
    return found, ProtocolPlayer(read_agent("uniform", game), game, 1)


def protocol(dice: random.Random, place: Path) -> Callable[[], object]:
    if dice.random() < 0.4:
        line = mutated_text(dice.choice(UPI), dice)
        if line.split() and line.split()[0] in ("go", "dump_tree", "load_tree", "wait_for_solver"):
            line = "stop"
        return lambda: upi().answer(line.replace("\n", " "))
    known, player = lines(dice.choice(("kuhn", "leduc", "holdem.limit.2p", "holdem.nolimit.2p")))
    asked = dice.choice(known)
    line = mutated_text(asked, dice)

    def read() -> None:
        player.answer(line)
        read_log([line.replace("MATCHSTATE", "STATE")], player.game)
        rule_on(line, asked, read_matchstate(asked, player.game))

    return read


WORDS = (
    "size kuhn", "size leduc --json", "show river.errai", "show leduc.errai --json", "show river.errai check --sort ev",
    "query river.errai check --json", "query leduc.errai", "verify kuhn.errai", "compare river.errai locked.errai",
    "note river.errai", "histories show session.phhs", "histories convert session.phhs --to csv -o made.csv",
    "estimate river.toml --json", "estimate turn.toml --threads 1", "review session.phhs --against leduc.errai --json",
    "standings matches --json", "runouts turn.errai check check", "tree river.toml", "tree kuhn",
    "lock river.errai --line check --never bet -o made.toml", "solved kuhn", "games", "export kuhn.errai --to made.csv",
    "abstract --show cards", "nets show leduc.net", "solve river.toml --max-iterations 3 --threads 1 --quiet",
    "solve kuhn --target 5mbb --threads 1 --json", "exploit river.errai --json", "library",
    "exploitability leduc --strategy uniform --processes 1", "match uniform always-call --game kuhn --hands 3 --json",
    "chart river.errai -o made.svg", "plan leduc", "drill river.errai --plain", "solve river.toml --lock lock.toml",
)  # fmt: skip


def command_line(dice: random.Random, place: Path) -> Callable[[], object]:
    text = mutated_text(dice.choice(WORDS), dice, tuple(piece for piece in PIECES if "/" not in piece))
    words = [word for word in text.split(" ") if word]
    # Nothing that is large by right, serves, or waits for somebody.
    large = ("holdem", "royal", "rhode", "serve", "dealer", "agent", "analyse", "upi", "train", "preflop", "lbr")
    if any(one in word for word in words for one in large) or "--hands" in words or "--max-iterations" in words[-1:]:
        words = ["games"]

    def run() -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = main(words)
        assert code in (0, 1, 2, 3), f"exit code {code}"
        assert "Traceback" not in said.getvalue(), said.getvalue()[-2000:]

    return run


# --- requests --------------------------------------------------------------------------------------------------------


def requests_of() -> list[tuple[str, str, Any]]:
    """Valid requests: the method, the path and the body."""
    from charted_hands import CHARTS
    from small_report import BODY
    from small_subjects import RIVER

    solve = {"kind": "solve", "subject": {"spot": RIVER}, "settings": {"target": "1%pot", "max_iterations": 5}}
    match = {"kind": "match", "subject": {"game": "kuhn"}, "agents": ["uniform", "always-call"]}
    hands = content("session.phhs")
    posts: list[tuple[str, Any]] = [
        ("jobs", solve), ("jobs", {**match, "settings": {"hands": 20, "seed": 1}}), ("jobs", BODY),
        ("jobs", {"kind": "lbr", "subject": {"game": "leduc"}, "agent": "uniform", "settings": {"hands": 40}}),
        ("estimate", {"subject": {"spot": RIVER}, "settings": {}}), ("spots/read", {"text": RIVER}),
        ("ranges", {"text": "AA, KQs:0.5", "cells": [{"row": 0, "column": 1, "weight": 1}]}),
        ("charts", {"name": "mine", "text": CHARTS}), ("tables", {"game": "kuhn", "opponent": "uniform", "seed": 3}),
        ("tables", {"spot": RIVER, "opponent": "uniform", "seating": "first"}), ("drills", {"solution": "river"}),
        ("reviews?against=river", hands), ("reviews?charts=mine&target=1%25pot", hands),
        ("solutions?name=sent", content("kuhn.errai")), ("solutions/river/verify", None),
    ]  # fmt: skip
    found: list[tuple[str, str, Any]] = [("POST", path, body) for path, body in posts]
    found.append(("PUT", "solutions/river/notes", {"line": "check", "text": "a note"}))
    gets = (
        "solutions", "solutions/river", "solutions/river/node?line=check", "solutions/river/hand?line=&hand=KsKh",
        "solutions/river/reading?line=check", "solutions/river/blockers?line=&player=0", "solutions/river/notes",
        "solutions/turn/runouts?line=check%20check", "solutions/river/compare?with=locked&line=",
        "solutions/river/export?line=&format=csv", "solutions/river/spot", "solutions/river/lock?line=check", "jobs",
        "options", "agents", "tables", "matches", "charts", "charts/mine", "reports", "library", "games", "drills",
        "jobs/none", "tables/none", "reports/none/table", "reviews/none/decisions?player=a&count=5",
    )  # fmt: skip
    return found + [("GET", path, None) for path in gets] + [("DELETE", "charts/mine", None)]


@functools.cache
def client(place: Path) -> Any:
    """A client in a folder with solutions, in which no job begins."""
    from web_client import Client

    work = place / "work"
    made = Client(work)
    made.services.jobs._start = lambda name: None
    # What a route raises that is no error of Errai's comes here with its place.
    made.http._transport.raise_app_exceptions = True
    for name in ("river", "turn", "locked", "kuhn"):
        shutil.copy(FILES / f"{name}.errai", work / "solutions")
    return made


def request(dice: random.Random, place: Path) -> Callable[[], object]:
    method, path, body = dice.choice(requests_of())
    if dice.random() < 0.3 or body is None:
        path = mutated_text(path, dice).replace("\n", "").replace("\0", "%00")
    if isinstance(body, bytes):
        body = mutated_bytes(body, dice)
    elif body is not None:
        body = mutated_value(body, dice)
        if dice.random() < 0.2:
            body = mutated_bytes(json.dumps(body).encode(), dice)
    if dice.random() < 0.05:
        method = dice.choice(("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"))

    def ask() -> None:
        import httpx

        try:
            answer = client(place).ask(method, path.lstrip("/"), body)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError, ValueError):
            return  # no client sends it
        assert answer.status_code < 500 or answer.status_code == 507, f"{answer.status_code} {answer.text[:1000]}"
        assert "error in Errai" not in answer.text, answer.text[:1000]

    return ask


BORDERS: dict[str, tuple[Make, int]] = {
    "files of arrays": (container_file, 400),
    "documents": (document_file, 800),
    "spots": (spot, 1000),
    "ranges, sizes, locks, charts, games": (small_text, 3000),
    "histories": (history, 400),
    "lines of protocols": (protocol, 1200),
    "command lines": (command_line, 150),
    "requests": (request, 250),
}
"""What makes an input of each, and how many one trial has."""
