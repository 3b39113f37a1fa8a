"""The result of a match, and its file; ``docs/arena.md`` describes the file.

Nothing in the file depends on the machine, the time or the number of processes: the same match makes the same bytes,
whether it was resumed or not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai import __version__
from errai.arena.intervals import Histogram, Interval, bootstrap_interval
from errai.arena.luck.fit import Misfit
from errai.engine.status import Outcome
from errai.errors import DamagedFileError, ForeignFileError
from errai.games.game import Subject
from errai.store.atomic import refusals, write_file
from errai.store.document import read_bounded
from errai.strategies.names import full_name

SUFFIX = ".match.json"
FORMAT, VERSION = "errai match", 1
RUNNING_POINTS = 200
"""Number of points of the running result that are kept."""

_MAX_FILE_BYTES = 64 << 20

CHIPS = "chips"
"""The measure that every match has: the chips that were won."""

METHODS = {
    CHIPS: "mean of what was won",
    "aivat": "AIVAT (Burch et al. 2018): what was won less the luck of cards and of both agents' draws",
    "importance": "importance sampling over all hands the agent could have held (Bowling et al. 2008)",
}
"""Descriptions of the measures, all of which are unbiased estimates."""


@dataclass(frozen=True, eq=False)
class SeatResult:
    """The winnings of the first agent in one seat."""

    hands: Histogram
    """Of single hands, in chips."""
    interval: Interval | None


@dataclass(frozen=True, eq=False)
class Running:
    """The result after some hands."""

    hands: NDArray[np.int64]
    mean_chips: NDArray[np.float64]
    standard_error_chips: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Measure:
    """The winnings of the first agent by one measure, in chips per hand."""

    name: str
    method: str
    """A description of the method."""
    pairs: tuple[Histogram, Histogram]
    """Of pairs of hands with the same cards (of single hands without duplicate play), in chips a hand: those with even
    and those with odd numbers, so that one half can be used to choose and the other to test.  Single hands are numbered
    in each seat, since where seats alternate all hands with even numbers are played in one seat."""
    std_chips: float
    """Standard deviation of single hands."""
    interval: Interval | None
    by_seat: tuple[SeatResult, SeatResult]
    running: Running

    @property
    def all_pairs(self) -> Histogram:
        """Both halves."""
        return Histogram.union(*self.pairs)

    @property
    def mean_chips(self) -> float:
        """Chips a hand."""
        return self.all_pairs.mean

    @property
    def standard_error_chips(self) -> float:
        """Of the mean."""
        return self.all_pairs.standard_error

    @classmethod
    def of(cls, name: str, method: str, values: NDArray[np.float64], seats: NDArray[np.int8], seed: int) -> Measure:
        """Summarise the results of all hands.

        Parameters
        ----------
        values:
            float64[T, n]: chips of the first agent at T = 1 or 2 tables in n deals.
        seats:
            int8[T, n]: the seats of the first agent.
        """
        pairs = values.mean(axis=0)
        odd = np.zeros(len(pairs), dtype=np.bool_)
        # A pair of duplicate play has both seats; single hands are halved in each seat by itself.
        alike = [np.arange(len(pairs))] if len(values) > 1 else [np.flatnonzero(seats[0] == seat) for seat in (0, 1)]
        for numbers in alike:
            odd[numbers[1::2]] = True
        halves = Histogram.of(pairs[~odd]), Histogram.of(pairs[odd])
        zero, one = (Histogram.of(values[seats == seat]) for seat in (0, 1))
        return cls(
            name,
            method,
            halves,
            float(values.std(ddof=1)) if values.size > 1 else math.nan,
            bootstrap_interval(Histogram.union(*halves), seed),
            (SeatResult(zero, bootstrap_interval(zero, seed)), SeatResult(one, bootstrap_interval(one, seed))),
            _running(pairs, len(values)),
        )


def _running(pairs: NDArray[np.float64], tables: int) -> Running:
    n = len(pairs)
    ends = np.unique(np.linspace(min(2, n), n, RUNNING_POINTS).astype(np.int64)) if n else np.zeros(0, np.int64)
    first = float(pairs[0]) if n else 0.0
    shifted = pairs - first  # against cancellation
    total, squares = np.cumsum(shifted)[ends - 1], np.cumsum(shifted**2)[ends - 1]
    mean = total / np.maximum(ends, 1)
    variance = np.maximum(squares - ends * mean**2, 0.0) / np.maximum(ends - 1, 1)
    return Running(ends * tables, first + mean, np.sqrt(variance / np.maximum(ends, 1)))


@dataclass(frozen=True)
class Ending:
    """Hands that ended on one street in one way."""

    street: str
    showdown: bool
    """Whether the hands ended in a showdown, rather than by a fold."""
    hands: int
    total_chips: float
    """Winnings of the first agent in them."""


@dataclass(frozen=True, eq=False)
class MatchResult:
    """The result of a match, complete or not."""

    game: str
    title: str
    digest: str
    """Of the rules, or of the spot."""
    big_blind_chips: float | None
    """None if there is no big blind, and so no mbb."""
    players: tuple[str, str]
    hands: int
    """Hands that count: whole pairs."""
    hands_wanted: int
    status: Outcome
    """``DONE``, ``INTERRUPTED``, or ``FAILED`` if an agent failed."""
    error: str
    """The message of an agent that failed; '' otherwise."""
    duplicate: bool
    seed: int
    measures: tuple[Measure, ...]
    endings: tuple[Ending, ...]
    command: str = ""
    """The command that repeats the match."""
    version: str = __version__
    common_random_numbers: bool = False
    """Whether the agent in a seat drew the same random numbers at both tables of a deal."""
    boards: bool = False
    """Whether the results are expected winnings on drawn boards, and no hands were played; ``hands`` then counts a
    board once for each seat."""
    decided: Interval | None = None
    """The interval by which a match with ``until`` was decided, after which no hand was played; see
    :func:`errai.arena.intervals.sequential_interval`."""
    misfits: tuple[Misfit, ...] = ()
    """Agents whose actions do not fit the strategy that they give: what is measured with it is wrong."""
    unsolved: tuple[int, int] = (0, 0)
    """How many states each agent had no time to solve, so that something else, such as its blueprint, decided there."""

    def measure(self, name: str) -> Measure | None:
        """Return the measure of a name, or None if the match does not have it."""
        return next((m for m in self.measures if m.name == name), None)

    def mbb(self, chips: float) -> float | None:
        """Return chips in thousandths of the big blind."""
        return None if self.big_blind_chips is None else 1000.0 * chips / self.big_blind_chips

    @property
    def unit(self) -> tuple[str, float]:
        """The unit for reports, and how many of it a chip is."""
        return ("chips/hand", 1.0) if self.big_blind_chips is None else ("mbb/g", 1000.0 / self.big_blind_chips)

    def document(self) -> dict[str, Any]:
        """Return the result as JSON holds it."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "errai": self.version,
            "game": {"name": self.game, "title": self.title, "digest": self.digest},
            "big_blind_chips": self.big_blind_chips,
            "players": list(self.players),
            "status": self.status,
            "error": self.error,
            "hands": self.hands,
            "hands_wanted": self.hands_wanted,
            "duplicate": self.duplicate,
            "seed": self.seed,
            "common_random_numbers": self.common_random_numbers,
            "boards": self.boards,
            "command": self.command,
            **({} if self.decided is None else {"decided": self._interval(self.decided)}),
            **({"unsolved": list(self.unsolved)} if any(self.unsolved) else {}),
            "misfits": [{**asdict(misfit), "text": str(misfit)} for misfit in self.misfits],
            "measures": [self._measure_document(measure) for measure in self.measures],
            "endings": [asdict(ending) for ending in self.endings],
        }

    def _measure_document(self, measure: Measure) -> dict[str, Any]:
        return {
            "name": measure.name,
            "method": measure.method,
            "kind": "estimate",
            "mean": self._amount(measure.mean_chips),
            "standard_deviation": self._amount(measure.std_chips),
            "standard_error": self._amount(measure.standard_error_chips),
            "interval": self._interval(measure.interval),
            "by_seat": [
                {
                    "seat": seat,
                    "mean": self._amount(result.hands.mean),
                    "standard_error": self._amount(result.hands.standard_error),
                    "interval": self._interval(result.interval),
                    "histogram": result.hands.document(),
                }
                for seat, result in enumerate(measure.by_seat)
            ],
            "pairs": [half.document() for half in measure.pairs],
            "running": {name: numbers.tolist() for name, numbers in vars(measure.running).items()},
        }

    def _amount(self, chips: float) -> dict[str, float | None]:
        if not math.isfinite(chips):
            return {"chips": None, "mbb": None, "bb_per_100": None}
        mbb = self.mbb(chips)
        return {"chips": chips, "mbb": mbb, "bb_per_100": None if mbb is None else mbb / 10.0}

    def _interval(self, interval: Interval | None) -> dict[str, Any] | None:
        if interval is None:
            return None
        low, high = self._amount(interval.low), self._amount(interval.high)
        return {"confidence": interval.confidence, "low": low, "high": high, "method": interval.method}

    def save(self, path: Path) -> Path:
        """Write the file, whole or not at all; in a folder, its name is made of the players' names and the seed.

        Raises
        ------
        DiskSpaceError, FileAccessError
            It cannot be written.
        """
        if path.is_dir():
            names = "-vs-".join("".join(c if c.isalnum() or c in "-=." else "-" for c in p)[:60] for p in self.players)
            path = path / f"{names}-{self.digest[:8]}-{self.seed}{SUFFIX}"
        write_file(path, json.dumps(self.document(), indent=1, allow_nan=False) + "\n")
        return path


def describe(subject: Subject) -> dict[str, Any]:
    """Return the fields of a result that describe the game or spot."""
    game, blind, title = subject.rules, subject.big_blind, subject.title or subject.rules.name
    return {
        "game": title if subject.whole_game is None else game.name,
        "title": title,
        "digest": subject.digest(),
        "big_blind_chips": float(blind) if blind else None,
    }


# --- reading -------------------------------------------------------------------------------------------------


def read_result(path: str | Path) -> MatchResult:
    """Read the file of a match.

    Raises
    ------
    FileAccessError
        It cannot be opened, or is too large.
    ForeignFileError
        It is not the file of a match, or has an unknown version.
    DamagedFileError
        Something in it is missing or impossible.
    """
    path = Path(path)
    with refusals(path, "be read"), path.open("rb") as file:
        data = read_bounded(file, _MAX_FILE_BYTES)
    if len(data) > _MAX_FILE_BYTES:
        raise ForeignFileError(f"{path} is larger than the result of any match.")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ForeignFileError(f"{path} is not the result of a match: it is not JSON ({error}).") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ForeignFileError(f"{path} is not the result of a match; `errai match` leaves files *{SUFFIX}.")
    if document.get("version") != VERSION:
        raise ForeignFileError(f"{path} has version {document.get('version')!r}; this Errai reads {VERSION}.")
    try:
        return _result(document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise DamagedFileError(f"{path} is damaged: {what}.") from error


def _result(document: Mapping[str, Any]) -> MatchResult:
    game, blind = document["game"], document["big_blind_chips"]
    names = {"game": game["name"], "title": game["title"], "digest": game["digest"], "version": document["errai"]}
    said = {"common_random_numbers": False, "boards": False, "misfits": (), "unsolved": (0, 0), **document, **names}
    one, other = (_whole(count) for count in said["unsolved"])
    first, second = (full_name(str(player)) for player in document["players"])
    result = MatchResult(
        **_plain(MatchResult, said, "seed"),
        seed=int(document["seed"]),
        big_blind_chips=None if blind is None else _number(blind),
        players=(first, second),
        status=Outcome(document["status"]),
        measures=tuple(_measure(measure) for measure in document["measures"]),
        endings=tuple(Ending(**_plain(Ending, ending)) for ending in document["endings"]),
        misfits=tuple(_misfit(found) for found in said["misfits"]),
        decided=_read_interval(said.get("decided")),
        unsolved=(one, other),
    )
    if result.big_blind_chips is not None and not result.big_blind_chips > 0:
        raise ValueError("the big blind is not above 0")
    tables = 2 if result.duplicate else 1
    for measure in result.measures:
        if sum(half.n for half in measure.pairs) * tables != result.hands:
            raise ValueError(f"the hands of {measure.name!r} are not {result.hands}")
    return result


def _plain(kind: type, document: Mapping[str, Any], *others: str) -> dict[str, Any]:
    """Return the fields of a dataclass that are texts, numbers or truth values, without ``others``."""
    plain = [field for field in fields(kind) if field.type in _READERS and field.name not in others]
    return {field.name: _READERS[field.type](document[field.name]) for field in plain}


def _misfit(document: Mapping[str, Any]) -> Misfit:
    low, high = (_number(p) for p in document["probability"])
    return Misfit(**_plain(Misfit, document), probability=(low, high))


def _measure(document: Mapping[str, Any]) -> Measure:
    even, odd = (_histogram(half) for half in document["pairs"])
    low, high = (SeatResult(_histogram(s["histogram"]), _read_interval(s["interval"])) for s in document["by_seat"])
    running = document["running"]
    std = document["standard_deviation"]["chips"]
    return Measure(
        name=str(document["name"]),
        method=str(document["method"]),
        pairs=(even, odd),
        std_chips=math.nan if std is None else _number(std),
        interval=_read_interval(document["interval"]),
        by_seat=(low, high),
        running=Running(
            np.array([_whole(n) for n in running["hands"]], dtype=np.int64),
            _numbers(running["mean_chips"]),
            _numbers(running["standard_error_chips"]),
        ),
    )


def _histogram(document: Mapping[str, Any]) -> Histogram:
    values, counts = _numbers(document["values"]), [_whole(n) for n in document["counts"]]
    if len(values) != len(counts) or any(n < 1 for n in counts) or any(np.diff(values) <= 0):
        raise ValueError("a histogram is not valid")
    return Histogram(values, np.array(counts, dtype=np.int64))


def _numbers(items: Sequence[Any]) -> NDArray[np.float64]:
    return np.array([_number(item) for item in items], dtype=np.float64)


def _number(item: Any) -> float:
    if isinstance(item, bool) or not isinstance(item, int | float) or not math.isfinite(item):
        raise ValueError(f"{item!r} is not a number")
    return float(item)


def _whole(item: Any) -> int:
    if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item < 2**53:
        raise ValueError(f"{item!r} is not a whole number of at least 0")
    return item


def _read_interval(document: Mapping[str, Any] | None) -> Interval | None:
    if document is None:
        return None
    low, high = (_number(document[end]["chips"]) for end in ("low", "high"))
    return Interval(low, high, str(document["method"]), _number(document["confidence"]))


_READERS: dict[Any, Callable[[Any], Any]] = {"str": str, "int": _whole, "float": _number, "bool": bool}
"""How the plain fields of a dataclass are read, by their annotations."""
