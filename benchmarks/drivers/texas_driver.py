"""Solve one spot with TexasSolver's console program and print the result; see benchmarks/README.md.

The unmodified program is started with a file of commands, and its log is read line by line.  Exit status 3: it cannot
build this tree.  ``ERRAI_TEXASSOLVER`` is the program, ``ERRAI_TEXASSOLVER_RESOURCES`` its folder of tables (by default
``resources`` beside the program or one folder above it).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

REFUSED = 3
RANKS = "23456789TJQKA"
STREETS = {6: ("flop", "turn", "river"), 8: ("turn", "river"), 10: ("river",)}
"""Streets that are still to be bet on, by the length of the board's text."""


def refuse(reason: str) -> NoReturn:
    """End with the status that means that the program cannot build this tree."""
    print(reason, file=sys.stderr)
    raise SystemExit(REFUSED)


def hand_class(hand: str) -> str:
    """The class of a hand such as ``AhKd``: AKo."""
    (high, first), (low, second) = sorted((hand[:2], hand[2:]), key=lambda card: -RANKS.index(card[0]))
    return high + low + ("" if high == low else "s" if first == second else "o")


def class_range(text: str, board: set[str]) -> str:
    """A range in classes of hands, the only words the program has, from single hands with weights."""
    weights: dict[str, list[str]] = defaultdict(list)
    for part in text.split(","):
        hand, weight = part.split(":")
        if not board & {hand[:2], hand[2:]}:
            weights[hand_class(hand)].append(weight)
    words = []
    for name, found in weights.items():
        if len(set(found)) > 1 or len(found) != possible_hands(name, board):
            refuse("TexasSolver gives all hands of a class the same weight")
        if float(found[0]) <= 0.005:
            refuse("TexasSolver drops weights up to 0.005")
        words.append(name if float(found[0]) == 1.0 else f"{name}:{found[0]}")
    return ",".join(words)


def possible_hands(name: str, board: set[str]) -> int:
    """Hands of a class that the board leaves."""
    high, low = ([s for s in "cdhs" if rank + s not in board] for rank in name[:2])
    if name[0] == name[1]:
        return len(high) * (len(high) - 1) // 2
    suited = len(set(high) & set(low))
    return suited if name[2] == "s" else len(high) * len(low) - suited


def sizes(text: str, thing: str) -> tuple[list[str], bool]:
    """Per cents of the pot, and whether all-in is among the sizes."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    per_cent = [word[:-1] for word in words if re.fullmatch(r"[\d.]+%", word)]
    if len(per_cent) + words.count("a") != len(words):
        refuse(f"TexasSolver knows {thing} in per cent of the pot and all-in only, not {text!r}")
    return per_cent, "a" in words


def commands(request: dict[str, Any]) -> Iterable[str]:
    """The program's file of commands."""
    if any(request[f"{name}_threshold"] for name in ("add_allin", "force_allin", "merging")):
        refuse("TexasSolver has none of the thresholds that this tree is built with")
    cards = re.findall("..", request["board"])
    yield f"set_pot {request['pot']:g}"
    yield f"set_effective_stack {request['stack']:g}"
    yield f"set_board {','.join(cards)}"
    for name, text in zip(("oop", "ip"), request["ranges"], strict=True):
        yield f"set_range_{name} {class_range(text, set(cards))}"
    for street in STREETS[len(request["board"])]:
        for player, (bet, lift) in zip(("oop", "ip"), request["sizes"][street], strict=True):
            # A lead against the last street's aggressor is a size of its own there; where a spot has none it is a bet.
            kinds = {"bet": bet, "raise": lift} | (
                {"donk": request["donk"].get(street, bet)} if player == "oop" else {}
            )
            read = {kind: sizes(text, f"a {kind}") for kind, text in kinds.items()}
            if len({all_in for _, all_in in read.values()}) > 1:
                refuse("TexasSolver allows all-in for every bet and raise of a street or for none")
            for kind, (per_cent, _) in read.items():
                if per_cent:
                    yield f"set_bet_sizes {player},{street},{kind},{','.join(per_cent)}"
            if read["bet"][1]:
                yield f"set_bet_sizes {player},{street},allin"
    yield "set_allin_threshold 1"
    yield "build_tree"
    yield f"set_thread_num {request['threads']}"
    yield f"set_accuracy {request['target_pot_percent']:g}"
    yield f"set_max_iteration {request['max_iterations'] + 1}"
    yield f"set_print_interval {request['check_every']}"
    yield "set_use_isomorphism 1"
    yield "start_solve"


def resources(program: Path) -> Path:
    """The program's folder of tables."""
    named = os.environ.get("ERRAI_TEXASSOLVER_RESOURCES")
    places = [Path(named)] if named else [program.parent / "resources", program.parent.parent / "resources"]
    for place in places:
        if (place / "compairer" / "card5_dic_sorted.txt").is_file():
            return place
    raise SystemExit(f"TexasSolver's table compairer/card5_dic_sorted.txt is not in {' or '.join(map(str, places))}.")


def memory_now(pid: int, field: str) -> int:
    """Bytes of a field of the program's status: VmRSS what it has, VmHWM the most it ever had."""
    try:
        match = re.search(rf"{field}:\s*(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        match = None
    return 1024 * int(match[1]) if match else 0


def follow(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Read the log as it comes; the time of a line is when it was written, since the program does not hold it back.

    As in the program's own clock, the measurement before the first iteration does not count.
    """
    assert process.stdout is not None
    answer: dict[str, Any] = {"program": "TexasSolver", "memory_bytes": None, "curve": []}
    started = iterating = mark = 0.0
    iteration, last_lines = 0, []
    for line in process.stdout:
        now = time.perf_counter()
        last_lines = [*last_lines[-5:], line[-200:]]
        if line.startswith("<<<START SOLVING>>>"):
            answer["baseline_bytes"] = memory_now(process.pid, "VmRSS")
            mark = now
        elif line.startswith("Iter: 0"):
            answer["setup_seconds"] = now - mark
        elif line.startswith("-----"):
            iterating += now - mark
        elif match := re.match(r"Iter: (\d+)", line):
            iteration = int(match[1])
        elif match := re.match(r"Total exploitability (\S+) pre", line):
            if not answer["curve"]:
                started = now
            answer["curve"].append([iteration, iterating, now - started, float(match[1])])
            answer["resident_bytes"] = memory_now(process.pid, "VmHWM")
            mark = now
    if process.wait() or not answer["curve"]:
        raise SystemExit("TexasSolver ended early:\n" + "".join(last_lines))
    return answer


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Write the commands, start the program in a folder of its own, and read its log."""
    if request["rehearsals"]:
        refuse("The program solves once and ends.")
    program = Path(os.environ["ERRAI_TEXASSOLVER"]).resolve()
    lines = "\n".join(commands(request)) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "commands.txt")
        file.write_text(lines)
        words = [str(program), "-i", str(file), "-r", str(resources(program)), "-m", "holdem"]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        with subprocess.Popen(words, cwd=folder, text=True, bufsize=1, **streams) as process:
            return follow(process)


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
