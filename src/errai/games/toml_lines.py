"""The lines of the keys in a TOML text, so that messages about values can name a line.

Python's TOML reader gives places for syntax errors only.  This scanner runs over text which that reader has accepted,
so it does not check anything itself.
"""

from __future__ import annotations

import re
import tomllib

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

Path = tuple[str, ...]


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
