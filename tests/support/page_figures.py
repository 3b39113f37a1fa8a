"""Figures of the documentation that a command makes: found on the pages, made again, and compared.

A comment before a paragraph or a table says how its figures are made; the rendered page does not show it::

    <!-- figures, 2 s
    cfr, response = bench("bucketed cfr-br leduc by-strength:2")
    says("| Leduc, by-strength:2 | 1,000 | # (#) |", cfr["exploitability_mbb"], cfr["current_mbb"])
    -->

The first line has the time that it takes one core, in ``s`` or ``min``, and behind it ``, avx512`` where the last bits
of the kernels decide the figures, which are then checked on processors with these instructions alone.  The rest is
Python, which knows four functions besides:

- ``says(pattern, *values)`` looks for the pattern between the comment and the next heading, each ``#`` standing for a
  number, and compares these numbers with the values.  A number agrees with a value that rounds to it as it is printed;
  ``within=0.1`` allows a tenth more or less, for what depends on the processor, and ``None`` agrees with everything;
- ``errai(line)`` and ``bench(line)`` run a command of Errai or a benchmark and return what it printed: the JSON
  document of ``--json``, a list of documents where each line is one, or the text;
- ``rows(text)`` has the numbers of each row of the tables in a text, by the row's first cell.

``scripts/figures`` checks what takes at most ten seconds, as the tests do, and ``scripts/figures --all`` everything.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from errai.cli.main import main as errai_main
from errai.kernels.cpu import instruction_set

ROOT = Path(__file__).parents[2]
CHEAP_SECONDS = 10.0
"""What is checked in every run of the tests."""
MARK = re.compile(r"^<!-- figures\b(.*?)-->$", re.DOTALL | re.MULTILINE)
HEAD = re.compile(r", (\d+(?:\.\d+)?) (s|min)(?:, (avx512))?\n")
NUMBER = r"\**([-+]?(?:\d(?:\d|,|\{,\})*(?:\.\d+)?|\.\d+)(?:e[-+]?\d+)?)\**"
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


class FigureError(Exception):
    """A comment on a page that cannot be read."""


@dataclass(frozen=True)
class Marked:
    """A comment that says how figures are made, and the text that they stand in."""

    page: str
    line: int
    """Of the comment."""
    seconds: float
    code: str
    text: str
    """From the end of the comment to the next heading."""
    text_line: int
    instructions: str = ""
    """What the processor must have for the figures to be those of the page; '' if any will do."""

    @property
    def may_be_checked(self) -> bool:
        """Whether this processor has the instructions."""
        return instruction_set().startswith(self.instructions)

    @property
    def place(self) -> str:
        """Page and line, as editors and compilers write it."""
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def marked(page: Path) -> Iterator[Marked]:
    """Find the comments of a page."""
    text = page.read_text(encoding="utf-8")
    name = str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name
    # Lines of code may begin like headings and comments; what stands in for them has the same length.
    blank = FENCE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    for found in MARK.finditer(blank):
        line = text.count("\n", 0, found.start()) + 1
        body = text[found.start(1) : found.end(1)]
        head = HEAD.match(body)
        if head is None:
            raise FigureError(f"{name}:{line}: write the time, as in `<!-- figures, 2 s`, and the Python below it.")
        heading = re.compile(r"^#", re.MULTILINE).search(blank, found.end())
        end = heading.start() if heading else len(text)
        yield Marked(
            page=name,
            line=line,
            seconds=float(head[1]) * (60 if head[2] == "min" else 1),
            code="\n" * line + body[head.end() :],
            text=text[found.end() : end],
            text_line=text.count("\n", 0, found.end()) + 1,
            instructions=head[3] or "",
        )


def check(mark: Marked) -> list[str]:
    """Make the figures again.

    Returns
    -------
    list of str
        A line for each figure that is not what the page says: page, line, the number there and the value found.

    """
    wrong: list[str] = []

    def says(pattern: str, *values: float | None, within: float = 0.0) -> None:
        numbers = pattern.count("#")
        if numbers != len(values):
            wrong.append(f"{mark.place}: `{pattern}` has {numbers} numbers for {len(values)} values")
            return
        words = r"\s+".join(NUMBER.join(re.escape(part) for part in word.split("#")) for word in pattern.split())
        found = re.search(words, mark.text)
        if found is None:
            wrong.append(f"{mark.place}: `{pattern}` does not stand between the comment and the next heading")
            return
        for place, value in enumerate(values, start=1):
            line = mark.text_line + mark.text.count("\n", 0, found.start(place))
            number = Decimal(found[place].replace("{,}", "").replace(",", ""))
            step = Decimal(1).scaleb(int(number.as_tuple().exponent))
            tolerance = step * Decimal("0.500001") + abs(number) * Decimal(within)
            # Counts may be longer than a float is precise.
            exact = None if value is None else Decimal(value if isinstance(value, int) else float(value))
            if exact is not None and not abs(exact - number) <= tolerance:
                wrong.append(f"{mark.page}:{line}: `{pattern}`: the page says {found[place]}, found {value:.10g}")

    names: dict[str, Any] = {"__name__": mark.page, "says": says, "errai": errai, "bench": bench, "rows": rows}
    exec(compile(mark.code, mark.place, "exec"), names)
    return wrong


@functools.cache
def errai(line: str) -> Any:
    """Run the command ``errai`` in a folder of its own, in which the examples are, and in this process."""
    with place() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as printed:
        code = errai_main(shlex.split(line))
    if code not in (0, 3):
        raise FigureError(f"errai {line}: exit code {code}")
    return read(printed.getvalue())


@functools.cache
def bench(line: str) -> Any:
    """Run a benchmark, as ``scripts/bench`` does."""
    name, *options = shlex.split(line)
    command = (sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *options)
    with place() as folder:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise FigureError(f"{shlex.join(command)}: exit code {ran.returncode}: {ran.stderr[-500:]}")
    return read(ran.stdout)


def rows(text: str) -> dict[str, list[float]]:
    """Read the rows of Markdown tables: the first cell, and all numbers in the others."""
    found = {}
    for line in text.splitlines():
        if line.startswith("|"):
            label, rest = line.strip("| ").split("|", 1)
            found[label.strip()] = [float(number.replace(",", "")) for number in re.findall(NUMBER, rest)]
    return found


@contextlib.contextmanager
def place() -> Iterator[str]:
    """Make a folder in which the examples are."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "benchmarks"):
            (Path(folder) / name).symlink_to(ROOT / name)
        yield folder


def read(printed: str) -> Any:
    """Return a JSON document, a list of documents where each line is one, or the text."""
    try:
        return json.loads(printed)
    except json.JSONDecodeError:
        lines = printed.splitlines()
    try:
        return [json.loads(line) for line in lines]
    except json.JSONDecodeError:
        return printed


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the selected figures; the exit code is 1 if one is wrong."""
    parser = argparse.ArgumentParser(description="Check the figures of the documentation that a command makes.")
    parser.add_argument("pages", nargs="*", help="docs/buckets.md, or docs/buckets.md:92 for one comment; default: all")
    parser.add_argument("--all", action="store_true", help="also what takes more than ten seconds")
    parser.add_argument("--list", action="store_true", help="say only what there is, and how long it takes")
    options = parser.parse_args(arguments)
    chosen = [
        mark for page in pages() for mark in marked(page)
        if not options.pages or mark.page in options.pages or mark.place in options.pages
    ]  # fmt: skip
    bad = 0
    for mark in chosen:
        if options.list:
            print(f"{mark.place}: {mark.seconds:g} s")
        elif not mark.may_be_checked:
            print(f"{mark.place}: left out, its figures are those of {mark.instructions}")
        elif options.all or mark.seconds <= CHEAP_SECONDS or mark.place in options.pages:
            begun = time.process_time() + children()
            wrong = check(mark)
            bad += len(wrong)
            took = time.process_time() + children() - begun
            print(f"{mark.place}: {len(wrong) or 'nothing'} wrong, {took:.1f} s of {mark.seconds:g}", flush=True)
            print("".join(f"  {line}\n" for line in wrong), end="", flush=True)
    return 1 if bad else 0


def children() -> float:
    """Processor seconds of the processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


if __name__ == "__main__":
    sys.exit(main())
