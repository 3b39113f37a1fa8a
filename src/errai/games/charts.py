"""Files of charts: the ranges with which two positions come to the flop, by situation, and ranges by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from errai.cards.ranges import Range
from errai.errors import ChartError, ErraiError, HistoryError, InputError
from errai.games.text_files import decoded, read_content, read_toml, toml_of_json

MAX_FILE_BYTES = 1 << 20

POSITIONS = ("BTN", "SB", "BB", "UTG", "UTG+1", "UTG+2", "LJ", "HJ", "CO")
"""In the order of the seats; before the flop UTG acts first."""

_POTS = ("limped", "srp")
_RANGE_NAME = re.compile(r"[^/@\x00-\x1f\x7f]{1,80}")


@dataclass(frozen=True)
class Chart:
    """The ranges with which two positions come to the flop."""

    positions: tuple[str, str]
    raises: int
    """Raises before the flop: 0 in a limped pot, 1 in a single-raised one."""
    raiser: str
    """The position that made the last raise; '' without one."""
    ranges: Mapping[str, str]
    """The range of each of the two positions."""

    def is_for(self, positions: Sequence[str], raises: int, raiser: str) -> bool:
        """Return whether the chart is of a situation; the order of the positions does not matter."""
        return {*self.positions} == {*positions} and (self.raises, self.raiser) == (raises, raiser)

    @property
    def name(self) -> str:
        """The situation in a word, the raiser first: ``btn-vs-bb-srp``, ``bb-vs-btn-3bp``, ``sb-vs-bb-limped``.

        ``srp`` is a single-raised pot, ``3bp`` one with two raises before the flop (a three-bet), and so on.
        """
        # Without a raise the one who acted first, which is not the order in which a file has them.
        first = self.raiser or min(self.positions, key=lambda who: (POSITIONS.index(who) - 3) % len(POSITIONS))
        second = next(who for who in self.positions if who != first)
        pot = _POTS[self.raises] if self.raises < len(_POTS) else f"{self.raises + 1}bp"
        return f"{first}-vs-{second}-{pot}".lower()


@dataclass(frozen=True)
class Charts:
    """The charts of a file, the bets of the spots that are built with them, and ranges by name."""

    charts: tuple[Chart, ...]
    bets: Mapping[str, Any] | None
    """None if they are to be chosen for each spot by memory and time."""
    ranges: Mapping[str, str] = field(default_factory=dict)
    """Ranges that the file has by name."""

    def find(self, positions: Sequence[str], raises: int, raiser: str) -> Chart:
        """Return the chart of a situation.  Raises :class:`HistoryError` if there is none."""
        for chart in self.charts:
            if chart.is_for(positions, raises, raiser):
                return chart
        pot = (
            f"{raises} raises, the last by {raiser}" if raises > 1 else f"a raise by {raiser}" if raises else "no raise"
        )
        raise HistoryError(f"There is no chart for {' and '.join(sorted(positions))} with {pot} before the flop.")


def charts_text(charts: Sequence[Chart], notes: Sequence[str] = ()) -> str:
    """Return the text of a file of charts that :func:`parse_charts` reads, below lines of comment."""
    lines = [f"# {note}" for note in notes]
    for chart in charts:
        raiser = [f"raiser = {toml_of_json(chart.raiser)}"] if chart.raiser else []
        ranges = [f"{position} = {toml_of_json(hands)}" for position, hands in chart.ranges.items()]
        lines += ["", "[[chart]]", f"raises = {chart.raises}", *raiser, "[chart.ranges]", *ranges]
    return "\n".join(lines) + "\n"


def read_charts(path: str | Path) -> Charts:
    """Read a file of charts.  Raises :class:`ChartError` if it cannot be read, or a chart in it is faulty."""
    content = read_content(path, MAX_FILE_BYTES, ChartError, ChartError)
    return parse_charts(decoded(content, "The file of charts", ChartError, str(path)), source=str(path))


@lru_cache(16)
def parse_charts(text: str, *, source: str | None = None) -> Charts:
    """Read the text of charts (TOML): tables ``[[chart]]``, ``[ranges]`` by name, and ``[bets]`` as in a spot.

    The bets are not checked here, since they are those of a spot.  Raises :class:`ChartError` if a chart is faulty.
    """
    # Texts are remembered: a spot names two ranges of the same charts, and reading all of them takes milliseconds.
    data = read_toml(text, "The file of charts", ChartError, source=source)
    unknown = set(data) - {"chart", "ranges", "bets"}
    rows, named = data.get("chart", []), data.get("ranges", {})
    tables = named, data.get("bets", {})
    if unknown or not isinstance(rows, list) or not all(isinstance(t, dict) for t in tables) or not (rows or named):
        raise ChartError(
            "A file of charts has tables [[chart]], a table [ranges] or both, and [bets] or nothing else.",
            source=source,
        )
    found: list[Chart] = []
    for number, row in enumerate(rows, 1):
        chart = _chart(row, f"Chart {number}", source)
        if any(before.is_for(chart.positions, chart.raises, chart.raiser) for before in found):
            raise ChartError(f"Chart {number} is of the same situation as one before it.", source=source)
        found.append(chart)
    for name, hands in named.items():
        if not _RANGE_NAME.fullmatch(name) or name != name.strip():
            raise ChartError(
                f"A range cannot be named {name!r}; leave out / and @, and spaces around it.", source=source
            )
        _check(hands, f"The range {name!r}", source)
    if len({name.lower() for name in named}) < len(named):
        raise ChartError("Two names of ranges differ in capital letters only.", source=source)
    return Charts(tuple(found), data.get("bets"), named)


def _chart(row: Any, what: str, source: str | None) -> Chart:
    ranges = row.get("ranges") if isinstance(row, dict) else None
    if not isinstance(ranges, dict) or set(row) - {"raises", "raiser", "ranges", "note"}:
        raise ChartError(f"{what} has raises, raiser, note, and a table ranges.", source=source)
    raises, raiser = row.get("raises"), row.get("raiser", "")
    if len(ranges) != 2 or not {*ranges} <= {*POSITIONS}:
        raise ChartError(f"{what} gives the ranges of two of {', '.join(POSITIONS)}.", source=source)
    if type(raises) is not int or not 0 <= raises <= 10:
        raise ChartError(f"{what}: raises is a number of raises, 0 or more.", source=source)
    if (raiser not in [*ranges]) if raises else raiser != "":
        raise ChartError(f"{what}: raiser is the position of the last raise, one of the two.", source=source)
    for position, hands in ranges.items():
        _check(hands, f"{what}, the range of {position}", source)
    first, second = ranges
    return Chart((first, second), raises, raiser, ranges)


def _check(hands: Any, what: str, source: str | None) -> None:
    try:
        if not isinstance(hands, str):
            raise InputError(f"a text in quotes was expected, not {hands!r:.60}.")
        if not Range.parse(hands).weights.any():
            raise InputError("it has no hand; add hands.")
    except ErraiError as error:
        raise ChartError(f"{what}: {error}", source=source) from error
