"""What the verbs share when they write: exit codes, JSON documents, and lines of text."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from errai.cli.arguments import Options

if TYPE_CHECKING:
    from rich.table import Table

    from errai.engine.status import Status

OK, ERROR, USAGE, SHORT = 0, 1, 2, 3

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


STANDARD_OUTPUT = "standard output"
"""The name of the file in errors of writing results."""


class _Output(io.FileIO):
    """Standard output: an error says that it is the output that cannot be written."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError as error:
            error.filename = STANDARD_OUTPUT
            raise


class _Notes(io.FileIO):
    """Standard error: notes and progress that nobody can read any more must not end the work that they are about."""

    def write(self, data: Any) -> int:
        with contextlib.suppress(OSError):
            super().write(data)
        return len(data)


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Make the standard streams of this process usable in the block, whatever they are connected to.

    One that was closed when the process began is opened: then input is empty, output cannot be written, and notes go
    nowhere.  Otherwise the next file that is opened would get its number.  A character that a terminal cannot show
    becomes a question mark.  A stream that a caller has put in the place of the process's own, as a test does, stays.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    if sys.stdin is None:
        sys.stdin = open(_opened(os.O_RDONLY))  # noqa: SIM115 - for as long as the process runs
    if sys.stdout is sys.__stdout__:
        sys.stdout = _stream(_Output, sys.__stdout__, os.O_RDONLY)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _stream(_Notes, sys.__stderr__, os.O_WRONLY)
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def _stream(kind: type[io.FileIO], own: TextIO | None, flags: int) -> TextIO:
    """Return a text stream in the place of the process's own one, or of one that is closed."""
    if own is not None:
        own.flush()
    raw = kind(_opened(flags) if own is None else own.fileno(), "w", closefd=False)
    encoding = "utf-8" if own is None else own.encoding
    lines = kind is _Notes or raw.isatty()
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding, errors="replace", line_buffering=lines)


def _opened(flags: int) -> int:
    descriptor = os.open(os.devnull, flags)
    os.set_inheritable(descriptor, True)
    return descriptor


def drop_output() -> None:
    """Let everything that is still to be written to standard output go nowhere, also what is buffered."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_json(document: dict[str, Any]) -> None:
    """Write one JSON document to standard output; a NaN or an infinity in it is a bug and raises an error."""
    import json

    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def error_document(error: Exception | str, message: str) -> dict[str, Any]:
    """Return what ``--json`` writes instead of a result when a verb fails."""
    kind = type(error).__name__ if isinstance(error, Exception) else "Error"
    place = {name: getattr(error, name, None) for name in ("source", "line", "column")}
    known = {name: value for name, value in place.items() if value is not None}
    return {"error": {"type": kind, "message": message, **known}}


def write_facts(title: str, facts: Iterable[tuple[str, str]]) -> None:
    """Write a title and named facts, with the values in one column; empty ones are left out."""
    rows = [(name, value) for name, value in facts if value]
    width = max((len(name) for name, _ in rows), default=0)
    lines = [title, *(f"  {name.ljust(width)}  {value}" for name, value in rows)]
    sys.stdout.writelines(f"{harmless(line)}\n" for line in lines)


def answer(options: Options, document: dict[str, Any], title: str, facts: Iterable[tuple[str, str]]) -> None:
    """Write what a verb found: one JSON document with ``--json``, else named facts, unless it is to be quiet."""
    if options.json:
        write_json(document)
    elif not getattr(options, "quiet", False):
        write_facts(title, facts)


def say(options: Options, text: str) -> None:
    """Write a line to standard output, unless it is to have one JSON document or the verb is to be quiet."""
    if not options.json and not options.quiet:
        sys.stdout.write(f"{text}\n")


def ended(options: Options, interrupted: bool, advice: str) -> int:
    """Return the exit code of work that may have been interrupted, and then say what can be done about it."""
    if interrupted and not options.quiet:
        note(advice)
    return SHORT if interrupted else OK


def exit_code(status: Status, options: Options) -> int:
    """Write what can be done about a solve that stopped before its target, and return the exit code."""
    only_limits = options.target is None and (options.max_iterations or options.seconds) is not None
    return ended(options, not status.is_success(only_limits=only_limits), status.advice)


def fields(thing: object, names: str, **more: Any) -> dict[str, Any]:
    """Return attributes of a result for JSON, by the names that stand in a text with spaces between them."""
    return {name: plain(getattr(thing, name)) for name in names.split()} | more


def plain(value: Any) -> Any:
    """Return a value as JSON has it: what is of NumPy as numbers and lists, a measurement as an object."""
    for turn in ("tolist", "to_dict"):
        if hasattr(value, turn):
            return getattr(value, turn)()
    return value


def columns(*left: str, right: Sequence[str] = (), **look: Any) -> Table:
    """Return a table for the terminal without lines, whose columns are aligned to the left and then to the right."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in left:
        table.add_column(heading, **look)
    for heading in right:
        table.add_column(heading, justify="right", **look)
    return table


def harmless(text: str) -> str:
    """Return a text without control characters but ends of lines: names in files may be orders to a terminal."""
    return _CONTROL.sub("?", text)


def note(message: str) -> None:
    """Write one sentence to standard error."""
    sys.stderr.write(f"{harmless(message)}\n")


def version() -> str:
    """Return the version of Errai."""
    from errai import __version__

    return __version__
