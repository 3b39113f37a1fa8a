"""Reading the bets of a spot: the menus of a no-limit spot, or the fixed sizes of a limit spot."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from errai.errors import SizingError, SpotKeyError, SpotValueError
from errai.games.game import UNCAPPED_RAISES, Game
from errai.games.sizing import BetKind, BetMenu, BetSize, StreetMenu, parse_bet_sizes
from errai.games.spot_tables import PLAYERS, SpotTables, shown
from errai.games.streets import STREETS
from errai.games.text_files import Path

MAX_THRESHOLD = 1_000.0
"""Greatest value of a threshold, in pots."""

Limits = tuple[tuple[int, ...], tuple[int, ...]]
"""Raise sizes and raise caps of a limit spot, a value per round."""

_BET_KINDS = {"bet": BetKind.BET, "raise": BetKind.RAISE, "donk": BetKind.DONK}
_THRESHOLDS = ("add_all_in", "force_all_in", "merging")
_STREET_NUMBERS = tuple(str(number) for number in range(1, len(STREETS) + 1))
_LIMIT_RAISE_CAP = 4


_CHIPS = re.compile(r"([0-9]{0,12}\.[0-9]{1,12})c", re.IGNORECASE)


def sizes_in_chips(value: Any) -> Iterator[float]:
    """Yield the sizes with decimals that are counted in chips, of all menus in a table."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from sizes_in_chips(item)
    elif isinstance(value, str):
        yield from (float(match[1]) for match in _CHIPS.finditer(value))


class BetsReader(SpotTables):
    """Reads the tables [bets], [thresholds] and [limit]."""

    def _read_bets(self, first_round: int, base: Game | None) -> tuple[BetMenu | None, Limits | None]:
        """Return the menu of a no-limit spot, or (raise sizes, raise caps) of a limit spot."""
        given = [key for key in ("bets", "limit", "thresholds") if key in self.data]
        if base is not None and base.limit:
            if given:
                raise self.error(SpotKeyError, f"the bets of '{base.name}' are fixed; remove [{given[0]}]", (given[0],))
            return None, (tuple(self.unit * size for size in base.raise_sizes), base.max_raises)
        if "limit" in self.data:
            others = [key for key in given if key != "limit"]
            if others:
                raise self.error(SpotKeyError, f"[limit] fixes the bets; remove [{others[0]}] or [limit]", (others[0],))
            return None, self._limits(first_round)
        if "bets" not in self.data:
            raise self.missing(("bets",), 'add a table [bets] with bet = "60%, a" and raise = "2.5x"')
        return self._menu(first_round), None

    def _limits(self, first_round: int) -> Limits:
        table = self.table(("limit",), self.data)
        self.known_keys(("limit",), table, (*STREETS, "raise_cap"))
        sizes = []
        for index, street in enumerate(STREETS):
            path = ("limit", street)
            if street in table:
                sizes.append(round(self.unit * self.checked_chips(path, table[street], 1 / self.unit)))
            elif index >= first_round:
                raise self.missing(path, f"add the chips of a bet, such as {street} = 20")
            else:
                sizes.append(0)
        cap_path = ("limit", "raise_cap")
        caps = table.get("raise_cap", _LIMIT_RAISE_CAP)
        left = len(STREETS) - first_round
        if not isinstance(caps, list):
            caps = [caps] * left
        if len(caps) != left:
            raise self.wrong(cap_path, caps, f"one number, or a list of {left}, one for each street")
        checked = [self.checked_integer(cap_path, cap, 1, UNCAPPED_RAISES) for cap in caps]
        # The rules need values also for streets that are over; no player bets there.
        whole = tuple(size or sizes[first_round] for size in sizes)
        return whole, (checked[0],) * first_round + tuple(checked)

    def _menu(self, first_round: int) -> BetMenu:
        bets = self.table(("bets",), self.data)
        inner = (*_BET_KINDS, "raise_cap", *PLAYERS)
        self.known_keys(("bets",), bets, (*inner, *STREETS, *_STREET_NUMBERS))
        menus: dict[int, tuple[StreetMenu, StreetMenu]] = {}
        caps: dict[int, int] = {}
        tables: list[tuple[Path, Mapping[str, Any]]] = [(("bets",), bets)]
        for index, name in enumerate(STREETS):
            number = str(index + 1)
            if name in bets and number in bets:
                raise self.error(
                    SpotKeyError, f"'{name}' and '{number}' are the same street; keep one", ("bets", number)
                )
            path: Path = ("bets", number if number in bets else name)
            street = self.table(path, bets)
            self.known_keys(path, street, inner if index else (*inner, "limp", "flat"))
            tables.append((path, street))
        checked = {path: self._sizes_of(path, table) for path, table in tables}
        caps_of = {path: self._cap_of(path, table) for path, table in tables}
        for index in range(first_round, len(STREETS)):
            path = tables[index + 1][0]
            menus[index] = (
                self._street_menu(checked, path, STREETS[index], "oop"),
                self._street_menu(checked, path, STREETS[index], "ip"),
            )
            cap = caps_of[path] if caps_of[path] is not None else caps_of[("bets",)]
            if cap is not None:
                caps[index] = cap
        limp, flat = self._calls("limp", *tables[1]), self._calls("flat", *tables[1])
        if first_round == 0 and not limp and (caps.get(0) == 1 or not menus[0][1].raise_):
            raise self.error(
                SpotValueError,
                "without limp the small blind must be able to raise; give raise in [bets.preflop], and a raise_cap "
                "above 1",
                (*tables[1][0], "limp"),
            )
        return BetMenu(menus, caps, **self._thresholds(), limp=limp or first_round > 0, flat=flat or first_round > 0)

    def _calls(self, key: str, path: Path, table: Mapping[str, Any]) -> bool:
        value = table.get(key, True)
        if not isinstance(value, bool):
            raise self.wrong((*path, key), value, "true or false")
        return value

    def _cap_of(self, path: Path, table: Mapping[str, Any]) -> int | None:
        if "raise_cap" not in table:
            return None
        return self.checked_integer((*path, "raise_cap"), table["raise_cap"], 1, UNCAPPED_RAISES - 1)

    def _sizes_of(self, path: Path, table: Mapping[str, Any]) -> dict[str, tuple[BetSize, ...]]:
        """Return all sizes of one table by 'kind' and 'player.kind'."""
        found: dict[str, tuple[BetSize, ...]] = {}
        for player in ("", *PLAYERS):
            inner = self.table((*path, player), table) if player else table
            inner_path = (*path, player) if player else path
            if player:
                self.known_keys(inner_path, inner, _BET_KINDS)
            if player == "ip" and "donk" in inner:
                raise self.error(
                    SpotKeyError,
                    "donk bets are made out of position; move donk to oop",
                    (*inner_path, "donk"),
                )
            for key, bet_kind in _BET_KINDS.items():
                if key in inner:
                    name = f"{player}.{key}" if player else key
                    found[name] = self._sizes((*inner_path, key), inner[key], bet_kind)
        return found

    def _sizes(self, path: Path, value: Any, bet_kind: BetKind) -> tuple[BetSize, ...]:
        items = value if isinstance(value, list) else [value]
        sizes: list[BetSize] = []
        for item in items:
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

    def _street_menu(
        self, checked: Mapping[Path, Mapping[str, tuple[BetSize, ...]]], path: Path, street: str, player: str
    ) -> StreetMenu:
        """Return the menu of a player on a street: the most specific entry wins."""

        def choose(key: str) -> tuple[BetSize, ...] | None:
            for table in (checked[path], checked[("bets",)]):
                for name in (f"{player}.{key}", key):
                    if name in table:
                        return table[name]
            return None

        bet, raise_ = choose("bet"), choose("raise")
        for key, sizes in (("bet", bet), ("raise", raise_)):
            # Before the flop the blinds are bets, so that only raises can be made.
            if sizes is None and not (street == STREETS[0] and key == "bet"):
                raise self.missing(
                    ("bets", street, key),
                    f'give {key} in [bets] or in [bets.{street}] ({key} = "" for none)',
                )
        return StreetMenu(bet or (), raise_ or (), choose("donk") if player == "oop" else None)

    def _thresholds(self) -> dict[str, Any]:
        table = self.table(("thresholds",), self.data)
        self.known_keys(("thresholds",), table, _THRESHOLDS)
        found = {}
        for key in _THRESHOLDS:
            value = table.get(key, 0.0)
            found[key] = self.checked_number(("thresholds", key), value, 0.0, MAX_THRESHOLD, "pots")
        return found
