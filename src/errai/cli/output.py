"""What the verbs share when they write: exit codes, JSON documents, and lines of text."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from typing import Any

OK, ERROR, USAGE, SHORT = 0, 1, 2, 3


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` to a verb."""
    parser.add_argument(
        "--json", action="store_true", help="write one JSON document to standard output and nothing else"
    )


def add_progress_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--quiet`` and ``--progress`` to a verb; at most one of them may be given."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--quiet", action="store_true", help="show no progress and no summary")
    group.add_argument("--progress", action="store_true", help="show progress even if standard error is not a terminal")


def write_json(document: dict[str, Any]) -> None:
    """Write one JSON document to standard output; a NaN or an infinity in it is a bug and raises an error."""
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
    """Write a title and a list of named facts to standard output, with the values in one column; empty ones are left
    out.
    """
    rows = [(name, value) for name, value in facts if value]
    width = max((len(name) for name, _ in rows), default=0)
    lines = [title, *(f"  {name.ljust(width)}  {value}" for name, value in rows)]
    sys.stdout.write("\n".join(lines) + "\n")


def note(message: str) -> None:
    """Write one sentence to standard error."""
    sys.stderr.write(f"{message}\n")


def version() -> str:
    """Return the version of Errai."""
    from errai import __version__

    return __version__
