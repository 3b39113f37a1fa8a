"""What the verbs share when they write: exit codes, JSON, and lines for people."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

OK, ERROR, USAGE, SHORT = 0, 1, 2, 3

_BYTE_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB")


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` to a verb."""
    parser.add_argument(
        "--json", action="store_true", help="write one JSON document to standard output and nothing else"
    )


def write_json(document: dict[str, Any]) -> None:
    """Write one JSON document to standard output; a number that JSON cannot hold is a mistake of ours."""
    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def error_document(error: Exception | str, message: str) -> dict[str, Any]:
    """Return what ``--json`` writes instead of a result when a verb fails."""
    body: dict[str, Any] = {
        "type": type(error).__name__ if isinstance(error, Exception) else "Error",
        "message": message,
    }
    for name in ("source", "line", "column"):
        if getattr(error, name, None) is not None:
            body[name] = getattr(error, name)
    return {"error": body}


def write_facts(title: str, facts: Iterable[tuple[str, str]]) -> None:
    """Write a title and a list of named facts, values in one column, to standard output."""
    rows = [(name, value) for name, value in facts if value]
    width = max((len(name) for name, _ in rows), default=0)
    lines = [title, *(f"  {name.ljust(width)}  {value}" for name, value in rows)]
    sys.stdout.write("\n".join(lines) + "\n")


def note(message: str) -> None:
    """Write one sentence to standard error."""
    sys.stderr.write(f"{message}\n")


def console(*, stderr: bool = False) -> Console:
    """Return a rich console; colours and width follow the terminal, NO_COLOR, FORCE_COLOR and COLUMNS."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None
    if not stream.isatty() and not os.environ.get("COLUMNS", "").isdigit():
        width = 100
    return Console(file=stream, width=width, highlight=False)


def bytes_text(count: float) -> str:
    """Write a number of bytes with a unit: 0 bytes, 12.4 MiB."""
    value = float(count)
    for unit in _BYTE_UNITS[:-1]:
        if value < 1024:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} {_BYTE_UNITS[-1]}"


def seconds_text(seconds: float) -> str:
    """Write a duration: 12 ms, 3.4 s, 5 min 20 s, 3 h 05 min."""
    if seconds < 0.9995:
        return f"{1000 * seconds:.3g} ms"
    if seconds < 99.5:
        return f"{seconds:.3g} s"
    if seconds < 5970:
        return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02d} min" if hours < 48 else f"{hours / 24:.1f} days"


def version() -> str:
    """Return the version of Errai."""
    from errai import __version__

    return __version__
