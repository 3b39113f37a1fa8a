"""The reliability campaign: faults of every sort, put into the Errai of the environment that runs it.

Each part has rows, and a row is tried again and again, each time from a number, its seed, from which all that happens
follows as far as it can (the moment at which the system kills a process is the system's).  A trial that finds a fault
says so, and `scripts/campaign --again PART:SEED` tries it again.  docs/reliability.md says what is tried and found.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from opened import LostError

STRIDE = 37
"""Seeds of a few trials are so far apart."""


class PassedError(Exception):
    """There is nothing more to try in a row: the last run passed untouched, or what it needs is not here."""


class OutsideError(Exception):
    """A fault was found that is not Errai's but Python's or a library's; it says whose."""


@dataclass(frozen=True)
class Part:
    """What is tried, in rows.

    ``trial(home, row, seed)`` puts faults in, in a folder that it may use, and returns how many.  It raises
    :class:`PassedError` if there is no such fault any more, :class:`LostError` if something that was saved is gone or
    wrong, and whatever else happens for any other fault that it finds.
    """

    what: str
    rows: tuple[str, ...]
    trial: Callable[[Path, str, int], int]
    few: int
    """Trials of all rows together in continuous integration, and by hand; trials may hold many faults."""
    many: int
    needs: tuple[str, ...] = ()
    close: Callable[[], None] = lambda: None


PARTS = {
    "kills": "kills",
    "calls": "calls",
    "memory": "calls",
    "simulation": "simulation",
    "queue": "job_queue",
    "folders": "machines",
    "server": "machines",
    "inputs": "inputs",
    "disks": "disks",
    "page": "hostile",
}
"""The parts by name, and the module that has each in its ``PARTS``."""


def part_of(name: str) -> Part:
    """Return a part."""
    found: Part = importlib.import_module(PARTS[name]).PARTS[name]
    return found


@dataclass
class Row:
    """What was tried in a row of a part, and found."""

    part: str
    row: str
    what: str
    trials: int = 0
    faults: int = 0
    found: int = 0
    lost: int = 0
    outside: int = 0
    passed: str = ""
    """Why no more was tried."""
    failures: list[dict[str, Any]] = field(default_factory=list)


COUNTED = ("trials", "faults", "found", "lost", "outside")
"""What is summed of rows."""


def run_part(
    name: str, seeds: Iterable[int], home: Path, until: float, save: Callable[[list[Row]], None], text: str = ""
) -> None:
    """Try the rows of a part whose names have a text, from each seed, and save them from time to time.

    A row that has passed is tried no more.
    """
    part = part_of(name)
    rows = {row: Row(name, row, part.what) for row in part.rows if text in row}
    missing = [need for need in part.needs if find_spec(need) is None]
    if missing:
        for row in rows.values():
            row.passed = f"not run: {', '.join(missing)} is not installed"
        return save(list(rows.values()))
    home.mkdir(parents=True, exist_ok=True)
    saved = time.monotonic()
    for seed in seeds:
        row = rows.get(part.rows[seed % len(part.rows)])
        if time.monotonic() >= until or all(one.passed for one in rows.values()):
            break
        if row is None or row.passed:
            continue
        try:
            row.faults += part.trial(home, row.row, seed)
            row.trials += 1
        except PassedError as passed:
            row.passed = str(passed)
        except Exception as error:
            row.trials += 1
            row.faults += getattr(error, "tried", 1)
            row.outside += isinstance(error, OutsideError)
            row.found += not isinstance(error, OutsideError)
            row.lost += isinstance(error, LostError)
            told = "".join(traceback.format_exception(error))
            row.failures.append({"again": f"{name}:{seed}", "said": str(error)[:2000], "trace": told[-4000:]})
            print(f"{name}:{seed} ({row.row}): {error!s:.1500}", file=sys.stderr)
        if time.monotonic() > saved + 10.0:
            saved = time.monotonic()
            save(list(rows.values()))
    part.close()
    save(list(rows.values()))


def environment() -> dict[str, Any]:
    """Return which Errai was tried, and on what."""
    import errai

    place = Path(errai.__file__).parent
    installed = "site-packages" in place.parts
    return {
        "errai": errai.__version__,
        "installed": "a wheel" if installed else "editable",
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} cores",
    }


def table(documents: Iterable[dict[str, Any]]) -> str:
    """Return the rows of campaigns as a table for a page."""
    sums: dict[tuple[str, str], list[Any]] = {}
    for document in documents:
        for row in document["rows"]:
            # The same fault in many commands is one row here.
            name = row["row"].partition(": ")[2] or row["row"]
            held = sums.setdefault((row["part"], name), [row["what"], 0, 0, 0, 0, 0, ""])
            for at, key in enumerate(COUNTED, 1):
                held[at] += row[key]
            held[6] = row["passed"] if row["passed"].startswith("not run") else held[6]
    lines = ["| part | row | trials | faults tried | found | lost | not ours | |", "|---|---|--:|--:|--:|--:|--:|---|"]
    for (part, name), (what, trials, faults, found, lost, outside, passed) in sums.items():
        lines.append(f"| {part} | {name} | {trials:,} | {faults:,} {what} | {found} | {lost} | {outside} | {passed} |")
    total = [sum(held[at] for held in sums.values()) for at in range(1, 6)]
    lines.append(f"| all | | {total[0]:,} | {total[1]:,} | {total[2]} | {total[3]} | {total[4]} | |")
    return "\n".join(lines)


def temporary() -> str | None:
    """Return a folder in memory, if there is one: most faults do not depend on the disk, and flushing takes long."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main(words: list[str] | None = None) -> int:
    """Run the campaign; the exit code is 1 if a fault was found."""
    parser = argparse.ArgumentParser(prog="scripts/campaign", description=__doc__)
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part, or these (default: all)")
    parser.add_argument("--row", default="", help="only rows whose name has this text, such as 'lying disk'")
    parser.add_argument("--size", default="few", help="few, many, or the trials of each part (default: few)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop each part after so many seconds")
    parser.add_argument("--again", action="append", default=[], metavar="PART:SEED", help="one trial, as it was")
    parser.add_argument("--json", type=Path, help="write the results here")
    parser.add_argument("--show", nargs="+", type=Path, help="run nothing; the table of results that were written")
    options = parser.parse_args(words)
    if options.show:
        print(table(json.loads(path.read_text()) for path in options.show))
        return 0
    parts = options.part or list(PARTS)
    if not any(options.row in row for name in parts for row in part_of(name).rows):
        parser.error(f"no row of {', '.join(parts)} has {options.row!r} in its name")
    work: list[tuple[str, Iterable[int]]] = []
    for one in options.again:
        name, _, seed = one.partition(":")
        work.append((name, [int(seed)]))
    for name in () if options.again else parts:
        part = part_of(name)
        count = getattr(part, options.size) if options.size in ("few", "many") else int(options.size)
        # A few trials are spread over all rows, and many try one row after the other.
        step = STRIDE if options.size == "few" else 1
        work.append((name, range(options.seed, options.seed + step * count, step)))
    # The modules of the campaign are for this process alone.
    os.environ.pop("PYTHONPATH", None)
    home = Path(tempfile.mkdtemp(prefix="campaign-", dir=temporary()))
    rows: dict[int, list[Row]] = {}
    about, began = environment(), time.monotonic()
    print(" ".join(f"{key} {value};" for key, value in about.items()), file=sys.stderr)

    def document() -> dict[str, Any]:
        told = [asdict(row) for part in rows.values() for row in part]
        return {**about, "seconds": time.monotonic() - began, "rows": told}

    def save(number: int, part: list[Row]) -> None:
        rows[number] = part
        if options.json is not None:
            options.json.write_text(json.dumps(document(), indent=1))

    try:
        for number, (name, seeds) in enumerate(work):
            since = time.monotonic()
            until = since + options.seconds
            run_part(name, seeds, home / str(number), until, partial(save, number), options.row)
            print(f"{name}: {time.monotonic() - since:.0f} s", file=sys.stderr)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    print(table([document()]))
    return int(any(row.found for part in rows.values() for row in part))


if __name__ == "__main__":
    # Parts raise the same PassedError as this module catches.
    sys.modules["campaign"] = sys.modules["__main__"]
    sys.exit(main())
