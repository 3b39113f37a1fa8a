"""The tables of a spot file: values with their types checked, faults with their lines; and the tables of its bets."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from errai.errors import SizingError, SpotError, SpotKeyError, SpotValueError
from errai.games.game import UNCAPPED_RAISES, Game
from errai.games.sizing import BetKind, BetMenu, BetSize, StreetMenu, parse_bet_sizes
from errai.games.streets import STREETS
from errai.games.text_files import Path, shown

PLAYERS = ("oop", "ip")
"""Keys of player 0 (out of position) and player 1 (in position)."""

MAX_CHIPS = 10**9
"""Greatest number of chips in a pot, a stack, a blind or a bet of a spot."""

PARTS, MOST_PARTS = 100, 10_000
"""Into how many parts a chip of a spot is divided where one of its amounts has decimals, and at most."""

MISSING: Any = object()
"""What stands where a file has nothing."""

_TYPE_NAMES = {
    bool: "true or false", int: "a whole number", float: "a number with decimals", str: "a text",
    list: "a list", dict: "a table",
}  # fmt: skip


MAX_THRESHOLD = 1_000.0
"""Greatest value of a threshold, in pots."""

Sizes = dict[Path, tuple[BetSize, ...]]
"""The sizes of one table: by (kind,), and by (player, kind) where they are for one player."""

_BET_KINDS = tuple(kind.value for kind in BetKind)
THRESHOLDS = ("add_all_in", "force_all_in", "merging")
_STREET_NUMBERS = tuple(str(number) for number in range(1, len(STREETS) + 1))
_LIMIT_RAISE_CAP = 4
_SIZE_IN_CHIPS = re.compile(r"([0-9]{0,12}\.[0-9]{1,12})c", re.IGNORECASE)


class SpotTables:
    """The tables of one spot as the TOML reader returns them; ``line_of`` and ``source`` place faults in the file."""

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

    def at(self, path: Path) -> Any:
        """Return what stands at a path, below tables that have been checked; ``MISSING`` if there is nothing."""
        found: Any = self.data
        for key in path:
            found = MISSING if found is MISSING else found.get(key, MISSING)
        return found

    def table(self, path: Path, known: Iterable[str]) -> Mapping[str, Any]:
        """Return the table at a path, empty where it is missing, after a check that all its keys are known."""
        found, known = self.at(path), tuple(known)
        if found is MISSING:
            return {}
        if not isinstance(found, Mapping):
            raise self.wrong(path, found, "a table")
        for key in found:
            if key not in known:
                near = difflib.get_close_matches(str(key)[:40], known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"known keys are {', '.join(known)}"
                where = f"in [{'.'.join(path)}] " if path else ""
                raise self.error(SpotKeyError, f"the key {shown(key)} {where}is unknown; {hint}", (*path, key))
        return found

    def text(self, path: Path, remedy: str) -> str:
        """Return the text at a path; where it is missing, the error has the remedy."""
        value = self.at(path)
        if value is MISSING:
            raise self.missing(path, remedy)
        if not isinstance(value, str):
            raise self.wrong(path, value, "a text in quotes")
        return value

    def flag(self, path: Path, default: bool) -> bool:
        """Return the truth value at a path."""
        value = self.at(path)
        if value is not MISSING and not isinstance(value, bool):
            raise self.wrong(path, value, "true or false")
        return default if value is MISSING else bool(value)

    def integer(self, path: Path, value: Any, low: int, high: int) -> int:
        """Return a value that must be a whole number from ``low`` to ``high``."""
        if type(value) is not int:
            raise self.wrong(path, value, "a whole number without quotes")
        if not low <= value <= high:
            raise self.outside(path, value, f"use {low} to {high}")
        return value

    def chips(self, path: Path, value: Any, low: float, *, above: bool = False) -> int | float:
        """Return a number of chips from ``low`` (or ``above`` it) to the most there may be, a whole one as an integer.

        The value must be a whole number of parts of a chip.
        """
        if value is MISSING:
            raise self.missing(path, f"add a line such as {path[-1]} = 200")
        if type(value) not in (int, float):
            raise self.wrong(path, value, "a number without quotes")
        if not low <= value <= MAX_CHIPS / self.unit or (above and value == low):
            least = f"more than {low:g}, and at most" if above else f"{low:g} to"
            raise self.outside(path, value, f"use {least} {MAX_CHIPS // self.unit}")
        if value == int(value):
            return int(value)
        if value != round(value * self.unit) / self.unit:
            raise self.outside(path, value, f"chips have at most {len(str(MOST_PARTS)) - 1} decimals")
        return float(value)

    def two_chips(self, path: Path, low: float, names: str) -> tuple[int | float, int | float]:
        """Return the two numbers of chips at a path, of which the names are given as ``[first, second]``."""
        value = self.at(path)
        if not isinstance(value, list) or len(value) != 2:
            raise self.wrong(path, value, f"a list of two numbers, {names}")
        return self.chips(path, value[0], 0), self.chips(path, value[1], low)

    def number(self, path: Path, value: Any, low: float, high: float, unit: str) -> float:
        """Return a value that must be a number from ``low`` to ``high``; ``unit`` says of what, for messages."""
        if type(value) not in (int, float):
            raise self.wrong(path, value, "a number")
        if not low <= value <= high:
            raise self.outside(path, value, f"use {low:g} to {high:g} ({unit})")
        return float(value)


class BetsReader(SpotTables):
    """Reads the tables [bets], [thresholds] and [limit]."""

    def _read_bets(
        self, first_round: int, base: Game | None
    ) -> tuple[BetMenu | None, tuple[int, ...], tuple[int, ...]]:
        """Return the menu of a no-limit spot or None, and the raise sizes of a limit spot and the caps by round."""
        given = [key for key in ("bets", "limit", "thresholds") if key in self.data]
        if base is not None and base.limit:
            if given:
                raise self.error(SpotKeyError, f"the bets of '{base.name}' are fixed; remove [{given[0]}]", (given[0],))
            return None, tuple(self.unit * size for size in base.raise_sizes), base.max_raises
        if "limit" in self.data:
            others = [key for key in given if key != "limit"]
            if others:
                raise self.error(SpotKeyError, f"[limit] fixes the bets; remove [{others[0]}] or [limit]", (others[0],))
            return None, *self._limits(first_round)
        if "bets" not in self.data:
            raise self.missing(("bets",), 'add a table [bets] with bet = "60%, a" and raise = "2.5x"')
        return self._menu(first_round), (), (UNCAPPED_RAISES,) * len(STREETS)

    def _limits(self, first_round: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        table = self.table(("limit",), (*STREETS, "raise_cap"))
        sizes = {}
        for street in STREETS:
            if street in table:
                sizes[street] = round(self.unit * self.chips(("limit", street), table[street], 1 / self.unit))
            elif street in STREETS[first_round:]:
                raise self.missing(("limit", street), f"add the chips of a bet, such as {street} = 20")
        path = ("limit", "raise_cap")
        caps = table.get("raise_cap", _LIMIT_RAISE_CAP)
        left = len(STREETS) - first_round
        if not isinstance(caps, list):
            caps = [caps] * left
        if len(caps) != left:
            raise self.wrong(path, caps, f"one number, or a list of {left}, one for each street")
        checked = [self.integer(path, cap, 1, UNCAPPED_RAISES) for cap in caps]
        # The rules need values also for streets that are over; no player bets there.
        whole = tuple(sizes.get(street, sizes[STREETS[first_round]]) for street in STREETS)
        return whole, (checked[0],) * first_round + tuple(checked)

    def _menu(self, first_round: int) -> BetMenu:
        inner = (*_BET_KINDS, "raise_cap", *PLAYERS)
        bets = self.table(("bets",), (*inner, *STREETS, *_STREET_NUMBERS))
        paths: list[Path] = [("bets",)]
        for name, number in zip(STREETS, _STREET_NUMBERS, strict=True):
            path: Path = ("bets", number if number in bets else name)
            if name in bets and number in bets:
                raise self.error(SpotKeyError, f"'{name}' and '{number}' are the same street; keep one", path)
            self.table(path, inner if len(paths) > 1 else (*inner, "limp", "flat"))
            paths.append(path)
        every, preflop = paths[:2]
        sizes, caps = {path: self._sizes_of(path) for path in paths}, {path: self._cap_of(path) for path in paths}
        menus, raise_caps = {}, {}
        for index, path in list(enumerate(paths[1:]))[first_round:]:
            oop, ip = (self._street_menu(sizes[path], sizes[every], index, player) for player in PLAYERS)
            menus[index] = oop, ip
            cap = caps[path] if caps[path] is not None else caps[every]
            if cap is not None:
                raise_caps[index] = cap
        limp, flat = (self.flag((*preflop, key), True) for key in ("limp", "flat"))
        if first_round == 0 and not limp and (raise_caps.get(0) == 1 or not menus[0][1].raise_):
            raise self.error(
                SpotValueError,
                "without limp the small blind must be able to raise; give raise in [bets.preflop], and a raise_cap "
                "above 1",
                (*preflop, "limp"),
            )
        given = self.table(("thresholds",), THRESHOLDS)
        options: dict[str, Any] = {"limp": limp or first_round > 0, "flat": flat or first_round > 0}
        for key in THRESHOLDS:
            options[key] = self.number(("thresholds", key), given.get(key, 0.0), 0.0, MAX_THRESHOLD, "pots")
        return BetMenu(menus, raise_caps, **options)

    def _cap_of(self, path: Path) -> int | None:
        cap = self.at((*path, "raise_cap"))
        return None if cap is MISSING else self.integer((*path, "raise_cap"), cap, 1, UNCAPPED_RAISES - 1)

    def _sizes_of(self, path: Path) -> Sizes:
        """Return all sizes of one table by (kind,) and (player, kind)."""
        found: Sizes = {}
        for player in ((), *((key,) for key in PLAYERS)):
            table = self.table((*path, *player), _BET_KINDS) if player else self.at(path)
            for kind in BetKind if table is not MISSING else ():
                if kind in table:
                    where = (*path, *player, kind.value)
                    if player == ("ip",) and kind is BetKind.DONK:
                        raise self.error(SpotKeyError, "donk bets are made out of position; move donk to oop", where)
                    found[*player, kind.value] = self._sizes(where, table[kind], kind)
        return found

    def _sizes(self, path: Path, value: Any, bet_kind: BetKind) -> tuple[BetSize, ...]:
        sizes: list[BetSize] = []
        for item in value if isinstance(value, list) else [value]:
            if type(item) in (int, float):
                raise self.error(
                    SizingError,
                    f'the bet size {shown(item)} has no unit: write "{shown(item)}%" for per cent of the '
                    f'pot or "{shown(item)}c" for chips (programs differ on what a bare number means)',
                    path,
                )
            if not isinstance(item, str):
                raise self.wrong(path, item, 'a text such as "60%, a"')
            try:
                parsed = parse_bet_sizes(item, bet_kind, parts=self.unit)
            except SizingError as error:
                message = f"in '{'.'.join(path)}': {error.message}"
                raise self.error(SizingError, message, path, plain=error.message) from None
            sizes.extend(size for size in parsed if size not in sizes)
        return tuple(sizes)

    def _street_menu(self, own: Sizes, every: Sizes, index: int, player: str) -> StreetMenu:
        """Return the menu of a player on a street: the most specific entry wins."""

        def choose(kind: str) -> tuple[BetSize, ...] | None:
            places = ((table, key) for table in (own, every) for key in ((player, kind), (kind,)))
            return next((table[key] for table, key in places if key in table), None)

        bet, raise_, donk = (choose(kind) for kind in _BET_KINDS)
        # Before the flop the blinds are bets, so that only raises can be made.
        if raise_ is None or (bet is None and index):
            key, street = "raise" if bet is not None or not index else "bet", STREETS[index]
            remedy = f'give {key} in [bets] or in [bets.{street}] ({key} = "" for none)'
            raise self.missing(("bets", street, key), remedy)
        return StreetMenu(bet or (), raise_, donk if player == "oop" else None)


def parts_of_a_chip(values: Iterable[Any]) -> int:
    """Return into how many parts a chip is divided, so that all amounts are whole numbers of them.

    1 where all are whole; else 100, or as many as the decimals ask for, up to ``MOST_PARTS``.
    """
    fractions = [value for value in values if type(value) is float and math.isfinite(value) and value != int(value)]
    parts = PARTS if fractions else 1
    while parts < MOST_PARTS and any(value != round(value * parts) / parts for value in fractions):
        parts *= 10
    return parts


def sizes_in_chips(value: Any) -> Iterator[float]:
    """Yield the sizes with decimals that are counted in chips, of all menus in a table."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from sizes_in_chips(item)
    elif isinstance(value, str):
        yield from (float(match[1]) for match in _SIZE_IN_CHIPS.finditer(value))
