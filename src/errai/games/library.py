"""Spots, charts and ranges by name: those of the package, and those in a folder of the user's.

A *library* is a folder with files of spots in ``spots/`` and files of charts in ``charts/``, each named by its file
without ``.toml``.  The package has one, and the environment variable ``ERRAI_LIBRARY`` names the user's own, whose
files come before those of the package that have the same name.

Where a text of hands is read, ``@CHARTS/SITUATION/POSITION`` is the range of a chart, such as
``@six-handed/btn-vs-bb-srp/BTN``, and ``@CHARTS/NAME`` a range that a file of charts has by name.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NoReturn

from errai.cards.ranges import Range
from errai.data import shipped_file
from errai.errors import ChartError, InputError, RangeParseError
from errai.games.charts import Charts, parse_charts, read_charts
from errai.games.text_files import toml_key, toml_of_json
from errai.store.atomic import write_file

VARIABLE = "ERRAI_LIBRARY"
"""The environment variable that names the user's library."""

Kind = Literal["spots", "charts"]

RANGES = "ranges"
"""The file of charts in which the ranges are kept that the user gives names."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def library_files(kind: Kind) -> dict[str, Path]:
    """Return the files of a kind by name, in the order of the names; the user's own come before the package's."""
    own = os.environ.get(VARIABLE)
    folders = [shipped_file(kind), *([Path(own) / kind] if own else [])]
    found = {path.stem: path for folder in folders for path in folder.glob("*.toml") if _NAME.fullmatch(path.stem)}
    return dict(sorted(found.items()))


def named_file(kind: Kind, given: str | Path) -> Path | None:
    """Return the file of the library that a text names; None if a file is there, or the library has none."""
    text = str(given)
    # A name has no dot and no separator, so that nothing outside the library can be named.
    return None if not _NAME.fullmatch(text) or Path(text).exists() else library_files(kind).get(text)


def _own_place(kind: Kind, name: str) -> Path:
    """Return where a file of the user's library is.  Raises :class:`InputError` for what is no name, or without one."""
    own = os.environ.get(VARIABLE)
    if not own:
        raise InputError(f"The environment variable {VARIABLE} names no folder, so there is no library of your own.")
    if not _NAME.fullmatch(name):
        raise InputError(f"A name in the library has letters, digits, - and _, and not {name!r}.")
    return Path(own) / kind / f"{name}.toml"


def keep_spot(name: str, text: str) -> None:
    """Put the text of a spot, which the caller has read, into the user's library.

    Raises :class:`InputError` if the library has a spot of this name, the name is none, or there is no library.
    """
    place = _own_place("spots", name)
    if name in library_files("spots"):
        raise InputError(f"The library has a spot {name!r} already; choose another name.")
    place.parent.mkdir(parents=True, exist_ok=True)
    write_file(place, text)


def keep_range(name: str, hands: str) -> str:
    """Put a range, which is checked before, into the file ``charts/ranges.toml`` of the user's library.

    Returns the name by which it is read, such as ``@ranges/tight``.  Raises :class:`InputError` if there is a range of
    this name or no library, and :class:`ChartError` or :class:`RangeParseError` if the name or the range is faulty.
    """
    place = _own_place("charts", RANGES)
    kept = dict(_own_ranges(place))
    if name.lower() in {one.lower() for one in kept}:
        raise InputError(f"The library has a range {name!r} already; choose another name.")
    _write_ranges(place, kept | {name: hands})
    return f"@{RANGES}/{name}"


def forget(kind: Literal["spots", "ranges"], name: str) -> None:
    """Remove a spot or a range from the user's library.

    Raises :class:`InputError` if it has none of this name; what the package has stays.
    """
    if kind == "spots":
        place, kept = _own_place("spots", name), dict[str, str]()
        there = place.is_file()
    else:
        place = _own_place("charts", RANGES)
        kept = dict(_own_ranges(place))
        there = kept.pop(name, None) is not None
    if not there:
        raise InputError(f"Your library has no {kind.removesuffix('s')} {name!r}.")
    if kept:
        _write_ranges(place, kept)
    else:
        place.unlink()


def _own_ranges(place: Path) -> Mapping[str, str]:
    if not place.exists():
        return {}
    charts = read_charts(place)
    if charts.charts or charts.bets is not None:
        raise InputError(f"{place} has charts, which Errai does not write; give that file another name.")
    return charts.ranges


def _write_ranges(place: Path, ranges: Mapping[str, str]) -> None:
    text = "".join(["[ranges]\n", *(f"{toml_key(name)} = {toml_of_json(hands)}\n" for name, hands in ranges.items())])
    parse_charts(text)
    place.parent.mkdir(parents=True, exist_ok=True)
    write_file(place, text)


def read_hands(text: str, *, source: str | None = None) -> Range:
    """Parse a range as :meth:`Range.parse`; a text that begins with ``@`` names one of the library.

    Raises :class:`RangeParseError` if the text is wrong, or names no range that can be read.

    Examples
    --------
    >>> from errai.games.library import read_hands
    >>> read_hands("@six-handed/btn-vs-bb-srp/BTN").num_hands
    526.0
    """
    name = text.strip()
    if not name.startswith("@"):
        return Range.parse(text, source=source)
    column = text.index("@") + 1

    def fail(message: str) -> NoReturn:
        raise RangeParseError(message, column=column, source=source)

    file, _, rest = name[1:].partition("/")

    def did_you_mean(given: str, names: Iterable[str]) -> str:
        near = difflib.get_close_matches(given, [*names], n=1)
        return (f"did you mean {near[0]!r}? " if near else "") + "`errai library` lists what there is"

    files = library_files("charts")
    if file not in files:
        fail(f"The library has no charts {file!r}; {did_you_mean(file, files)}.")
    try:
        charts = read_charts(files[file])
    except ChartError as error:
        fail(f"The charts of {name} cannot be read. {error}")
    ranges = {range_name.lower(): hands for range_name, hands in named_ranges(charts).items()}
    if rest.lower() not in ranges:
        fail(f"The charts {file!r} have no range {rest!r}; {did_you_mean(rest.lower(), ranges)}.")
    return Range.parse(ranges[rest.lower()], source=str(files[file]))


def named_ranges(charts: Charts) -> dict[str, str]:
    """Return the texts of all ranges of a file of charts by name: ``SITUATION/POSITION``, and those it names itself."""
    by_situation = {f"{chart.name}/{who}": hands for chart in charts.charts for who, hands in chart.ranges.items()}
    return by_situation | dict(charts.ranges)
