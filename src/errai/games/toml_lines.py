"""Read TOML, within bounds, and find the lines of its keys, so that messages about values can name a line.

Python's TOML reader takes memory that grows with the square of the number of parts of a dotted key, and gives places
for syntax errors only.  So :func:`read_toml` looks for keys of many parts and for deep nesting first, and
:class:`KeyLines` runs over text which the reader has accepted, and does not check anything itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
_KEY = re.compile(rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*")
_HEADER = re.compile(rf"\[\[?[ \t]*({_KEY.pattern})")
_PART = re.compile(_KEY_PART)
_BLANK = re.compile(r"[ \t\r]+|#[^\n]*")
_VALUE_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[\[{]|[\]}]|\n"
    r"|[^\"'#\[\]{}\n]+",
    re.DOTALL,
)

MOST_PARTS = 32
"""The most parts of a dotted key, and the most lists and inline tables inside each other; Errai's files have four."""

# Where a key may stand, one of too many parts comes before everything else.
_BOUND_TOKEN = re.compile(
    rf"""(?P<key>(?:(?:[A-Za-z0-9_-]++|"(?:\\.|[^"\\\n])*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MOST_PARTS}}})"""
    r"|\"\"\"(?:\\.|[^\\])*?\"{3,5}"
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*+"'
    r"|'[^'\n]*+'"
    r"|#[^\n]*+"
    r"|[A-Za-z0-9_-]++"
    r"|(?P<open>[\[{])|(?P<close>[\]}])",
    re.DOTALL,
)

Path = tuple[str, ...]


def read_toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Read a TOML text like :func:`tomllib.loads`.

    Raises
    ------
    ValueError
        As :func:`tomllib.loads`; also if a key has more than ``MOST_PARTS`` parts, or so many lists and inline tables
        stand inside each other.
    """
    if text.count(".") >= MOST_PARTS or text.count("[") + text.count("{") > MOST_PARTS:
        _check_bounds(text)
    return tomllib.loads(text, parse_float=parse_float)


def _check_bounds(text: str) -> None:
    depth = 0
    for token in _BOUND_TOKEN.finditer(text):
        depth += (token["open"] is not None) - (token["close"] is not None)
        what = f"a key has more than {MOST_PARTS} parts" if token["key"] else "lists and tables are nested too deeply"
        if token["key"] or depth > MOST_PARTS:
            line, column = text.count("\n", 0, token.start()) + 1, token.start() - text.rfind("\n", 0, token.start())
            raise tomllib.TOMLDecodeError(f"{what} (at line {line}, column {column})")


class KeyLines:
    """The lines of the keys of a TOML text, counted from 1."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Path, int] = {}
        self._scan(text)

    def find(self, path: Path) -> int | None:
        """Return the line of a key, or of the nearest table around it; None if there is neither."""
        for length in range(len(path), 0, -1):
            if (line := self._lines.get(path[:length])) is not None:
                return line
        return None

    def _scan(self, text: str) -> None:
        position, line = 0, 1
        table: Path = ()
        while position < len(text):
            if text[position] == "\n":
                line += 1
                position += 1
            elif match := _BLANK.match(text, position):
                position = match.end()
            elif match := _HEADER.match(text, position):
                table = _parts(match[1])
                self._record(table, line)
                position = _line_end(text, position)
            elif match := _KEY.match(text, position):
                self._record(table + _parts(match[0]), line)
                position, line = _skip_value(text, match.end(), line)
            else:
                # Not reached for valid TOML; a line without a key has nothing to record.
                position = _line_end(text, position)

    def _record(self, path: Path, line: int) -> None:
        for length in range(1, len(path) + 1):
            self._lines.setdefault(path[:length], line)


def _line_end(text: str, position: int) -> int:
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
            return _line_end(text, position), line
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
