"""The tables of a spot file: values with their types checked, faults with their lines."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from errai.errors import SpotError, SpotKeyError, SpotValueError
from errai.games.text_files import Path

PLAYERS = ("oop", "ip")
"""Keys of player 0 (out of position) and player 1 (in position)."""

MAX_CHIPS = 10**9
"""Greatest number of chips in a pot, a stack, a blind or a bet of a spot."""

PARTS, MOST_PARTS = 100, 10_000
"""Into how many parts a chip of a spot is divided where one of its amounts has decimals, and at most."""

_TYPE_NAMES = {
    bool: "true or false", int: "a whole number", float: "a number with decimals", str: "a text",
    list: "a list", dict: "a table",
}  # fmt: skip


class SpotTables:
    """The tables of one spot.

    Parameters
    ----------
    data:
        The tables as the TOML reader returns them.
    line_of:
        Gives the line of a key.
    source:
        Name of the file for messages.
    """

    def __init__(self, data: Mapping[str, Any], line_of: Callable[[Path], int | None], source: str | None) -> None:
        self.data = data
        self.unit = 1
        """Into how many parts a chip is divided."""
        self._line_of = line_of
        self._source = source

    def error(self, kind: type[SpotError], message: str, path: Path = (), **more: Any) -> SpotError:
        """Return an error of a kind, with a key and its line; see :class:`TextError` for ``more``."""
        end = "" if message.endswith((".", "?")) else "."
        whole = message[0].upper() + message[1:] + end
        return kind(whole, line=self._line_of(path), source=self._source, field=".".join(path), **more)

    def known_keys(self, path: Path, table: Mapping[str, Any], known: Iterable[str]) -> None:
        """Raise an error for keys that a table does not have; the message suggests the nearest key."""
        known = tuple(known)
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(str(key)[:40], known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"known keys are {', '.join(known)}"
                where = f"in [{'.'.join(path)}] " if path else ""
                raise self.error(SpotKeyError, f"the key {shown(key)} {where}is unknown; {hint}", (*path, key))

    def missing(self, path: Path, remedy: str) -> SpotError:
        """Return the error for a key that must be there."""
        return self.error(SpotKeyError, f"the key '{'.'.join(path)}' is missing; {remedy}", path[:-1])

    def wrong(self, path: Path, value: Any, wanted: str) -> SpotError:
        """Return the error for a value of the wrong type."""
        found = _TYPE_NAMES.get(type(value), type(value).__name__)
        allowed = wanted.partition(" without ")[0].partition(" in quotes")[0]
        return self.error(
            SpotValueError,
            f"'{'.'.join(path)}' must be {wanted}; found {shown(value)}, which is {found}",
            path,
            value=str(value)[:40],
            allowed=allowed,
            plain=f"{shown(value).strip(chr(39))} is not {allowed}." if value != "" else f"Write {allowed} here.",
        )

    def outside(self, path: Path, value: Any, remedy: str) -> SpotError:
        """Return the error for a value that is out of bounds; ``remedy`` says what to use."""
        is_ = f"is {shown(value)}; {remedy}"
        return self.error(SpotValueError, f"'{'.'.join(path)}' {is_}", path, value=shown(value), plain=f"This {is_}.")

    def table(self, path: Path, table: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the table at the end of a path inside ``table``; empty where it is missing."""
        value = table.get(path[-1], {})
        if not isinstance(value, dict):
            raise self.wrong(path, value, "a table")
        return value

    def text(self, path: Path, default: str | None = None, remedy: str = "") -> str:
        """Return the text at a path; a default of None means that it must be there."""
        table = self.data
        for key in path[:-1]:
            table = table[key]
        if path[-1] not in table:
            if default is None:
                raise self.missing(path, remedy)
            return default
        value = table[path[-1]]
        if not isinstance(value, str):
            raise self.wrong(path, value, "a text in quotes")
        return value

    def checked_integer(self, path: Path, value: Any, low: int, high: int) -> int:
        """Return a value that must be a whole number from ``low`` to ``high``."""
        if type(value) is not int:
            raise self.wrong(path, value, "a whole number without quotes")
        if not low <= value <= high:
            raise self.outside(path, value, f"use {low} to {high}")
        return value

    def chips(self, path: Path, low: float) -> int | float:
        """Return the chips at a path of the top table, at least ``low``; see :meth:`checked_chips`."""
        if path[-1] not in self.data:
            raise self.missing(path, f"add a line such as {path[-1]} = 200")
        return self.checked_chips(path, self.data[path[-1]], low)

    def checked_chips(self, path: Path, value: Any, low: float) -> int | float:
        """Return a number of chips from ``low`` to the most there may be, a whole one as an integer.

        The value must be a whole number of parts of a chip.
        """
        if type(value) not in (int, float):
            raise self.wrong(path, value, "a number without quotes")
        if not low <= value <= MAX_CHIPS / self.unit:
            raise self.outside(path, value, f"use {low:g} to {MAX_CHIPS // self.unit}")
        if value == int(value):
            return int(value)
        if value != round(value * self.unit) / self.unit:
            raise self.outside(path, value, f"chips have at most {len(str(MOST_PARTS)) - 1} decimals")
        return float(value)

    def checked_number(self, path: Path, value: Any, low: float, high: float, unit: str) -> float:
        """Return a value that must be a number from ``low`` to ``high``; ``unit`` says of what, for messages."""
        if type(value) not in (int, float):
            raise self.wrong(path, value, "a number")
        if not low <= value <= high:
            raise self.outside(path, value, f"use {low:g} to {high:g} ({unit})")
        return float(value)


def shown(value: Any) -> str:
    """Return a value for a message, shortened."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:
        # Python refuses to write integers of thousands of digits.
        return "a number of thousands of digits"
    return text if len(text) <= 40 else text[:37] + "..."


def parts_of_a_chip(values: Iterable[Any]) -> int:
    """Return into how many parts a chip is divided, so that all amounts are whole numbers of them.

    1 where all are whole; else 100, or as many as the decimals ask for, up to ``MOST_PARTS``.
    """
    fractions = [value for value in values if type(value) is float and math.isfinite(value) and value != int(value)]
    parts = PARTS if fractions else 1
    while parts < MOST_PARTS and any(value != round(value * parts) / parts for value in fractions):
        parts *= 10
    return parts
