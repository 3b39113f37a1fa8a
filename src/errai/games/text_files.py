"""Read text files within bounds, and find the lines of the keys of TOML, so that messages about values can name a line.

Python's TOML reader takes memory that grows with the square of the number of parts of a dotted key, and gives places
for syntax errors only.  So :func:`read_toml` looks for keys of many parts and for deep nesting first, and
:func:`key_lines` runs over text which the reader has accepted, and does not check anything itself.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path as FilePath
from typing import Any

from errai.errors import ErraiError, TextError, file_error
from errai.store.document import read_bounded

_STRINGS = r'''"""(?:\\.|[^\\])*?"{3,5}|\'{3}.*?\'{3,5}|"(?:\\.|[^"\\\n])*+"|\'[^\'\n]*+\'|#[^\n]*+'''
"""Strings of all kinds, and comments."""

_KEY_PART = r"""(?:[A-Za-z0-9_-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')"""
_KEY = re.compile(rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*")
_HEADER = re.compile(rf"\[\[?[ \t]*({_KEY.pattern})")
_PART = re.compile(_KEY_PART)
_BLANK = re.compile(r"[ \t\r]+|#[^\n]*")
_VALUE_TOKEN = re.compile(rf"{_STRINGS}|[\[{{]|[\]}}]|\n|[^\"'#\[\]{{}}\n]+", re.DOTALL)

MOST_PARTS = 32
"""The most parts of a dotted key, and the most lists and inline tables inside each other; Errai's files have four."""

# Where a key may stand, one of too many parts comes before everything else.
_BOUND_TOKEN = re.compile(
    rf"(?P<key>(?:{_KEY_PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}})|{_STRINGS}"
    r"|[A-Za-z0-9_-]++|(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x80-\x9f]")

Path = tuple[str, ...]


def is_one_line(text: str) -> bool:
    """Return whether a text has neither ends of lines nor other control characters, which no XML can hold."""
    return _CONTROL.search(text) is None


def read_content(
    path: str | FilePath, most_bytes: int, unreadable: type[ErraiError], too_large: type[ErraiError]
) -> bytes:
    """Return the content of a file.  Raises one of the errors if it cannot be opened, or has more bytes."""
    try:
        with FilePath(path).open("rb") as file:
            content = read_bounded(file, most_bytes)
    except (OSError, ValueError) as error:
        raise unreadable(str(file_error(error, path, "be read"))) from error
    if len(content) > most_bytes:
        raise too_large(
            f"{path} is larger than {most_bytes:,} bytes, which is too much for a file of this kind; split it."
        )
    return content


def decoded(content: str | bytes, what: str, error: type[TextError], source: str | None = None) -> str:
    """Return UTF-8 as text.  Raises ``error`` with the line where ``what`` is none."""
    if isinstance(content, str):
        return content
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise error(f"{what} is not UTF-8 text; save it as plain text.", line=line, source=source) from fault


def read_toml(
    text: str,
    what: str,
    error: type[TextError],
    *,
    source: str | None = None,
    parse_float: Callable[[str], Any] = float,
) -> dict[str, Any]:
    """Read a TOML text like :func:`tomllib.loads`.

    Raises
    ------
    TextError
        Of the type ``error``, with the place: ``what`` is not valid TOML; or a key has more than ``MOST_PARTS`` parts,
        or so many lists and inline tables stand inside each other.
    """
    try:
        if text.count(".") >= MOST_PARTS or text.count("[") + text.count("{") > MOST_PARTS:
            _check_bounds(text)
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError:
        raise error(f"{what} nests lists or tables too deeply.", source=source) from None
    except (ValueError, ArithmeticError) as fault:
        message, _, place = str(fault).partition(" (at ")
        numbers = [int(number) for number in re.findall(r"\d+", place)]
        line, column = numbers if len(numbers) == 2 else (text.rstrip().count("\n") + 1 if place else None, None)
        message = f"{what} is not valid TOML: {message}."
        raise error(message, line=line, column=column, source=source) from None


def _check_bounds(text: str) -> None:
    depth = 0
    for token in _BOUND_TOKEN.finditer(text):
        depth += (token["open"] is not None) - (token["close"] is not None)
        what = f"a key has more than {MOST_PARTS} parts" if token["key"] else "lists and tables are nested too deeply"
        if token["key"] or depth > MOST_PARTS:
            line, column = text.count("\n", 0, token.start()) + 1, token.start() - text.rfind("\n", 0, token.start())
            raise tomllib.TOMLDecodeError(f"{what} (at line {line}, column {column})")


def key_lines(text: str) -> Callable[[Path], int | None]:
    """Return a function that gives the line, from 1, of a key of a TOML text, or of the nearest table around it."""
    lines: dict[Path, int] = {}
    text = text.replace("\r\n", "\n")
    position, line = 0, 1
    table: Path = ()

    def record(path: Path) -> Path:
        for length in range(1, len(path) + 1):
            lines.setdefault(path[:length], line)
        return path

    while position < len(text):
        if text[position] == "\n":
            line += 1
            position += 1
        elif match := _BLANK.match(text, position):
            position = match.end()
        elif match := _HEADER.match(text, position):
            table = record(_parts(match[1]))
            position = line_end(text, position)
        elif match := _KEY.match(text, position):
            record(table + _parts(match[0]))
            position, line = _skip_value(text, match.end(), line)
        else:
            # Not reached for valid TOML; a line without a key has nothing to record.
            position = line_end(text, position)
    return lambda path: next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), None)


def line_end(text: str, position: int) -> int:
    """Return where the line ends that holds a position."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end


def _parts(key: str) -> Path:
    """Return the parts of a dotted key, quotes and escapes resolved."""
    return tuple(next(iter(tomllib.loads(f"{part} = 0"))) if part[0] in "\"'" else part for part in _PART.findall(key))


def _skip_value(text: str, position: int, line: int) -> tuple[int, int]:
    """Return the position of the line break that ends the value (or the end of the text), and its line."""
    depth = 0
    while position < len(text):
        match = _VALUE_TOKEN.match(text, position)
        if match is None:
            return line_end(text, position), line
        token = match[0]
        if token == "\n" and depth == 0:
            return position, line
        if token in "[{":
            depth += 1
        elif token in "]}":
            depth -= 1
        line += token.count("\n")
        position = match.end()
    return position, line


def toml_of_json(value: Any) -> str:
    """Return a text, a number or a list in TOML: as in JSON but for the delete character, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def toml_key(key: str) -> str:
    """Return a key in TOML, in quotes where it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_of_json(key)


def shown(value: Any) -> str:
    """Return a value for a message, shortened."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:
        # Python refuses to write integers of thousands of digits.
        return "a number of thousands of digits"
    return text if len(text) <= 40 else text[:37] + "..."
