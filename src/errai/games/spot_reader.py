"""Reading a spot: from the tables of its TOML file to checked values, with the line of every fault."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards
from errai.cards.ranges import Range
from errai.errors import (
    CardParseError,
    CardsError,
    RangeParseError,
    SizingError,
    SpotBoardError,
    SpotError,
    SpotKeyError,
    SpotRangeError,
    SpotStackError,
    SpotValueError,
)
from errai.games.catalogue import catalogue, load_game
from errai.games.game import UNCAPPED_RAISES, Game
from errai.games.sizing import BetMenu, BetSize, Situation, StreetMenu, parse_bet_sizes
from errai.games.toml_lines import Path

STREETS = ("preflop", "flop", "turn", "river")
"""Names of the rounds of hold'em, in order."""

BOARD_CARDS = (0, 3, 4, 5)
"""Board cards on each street."""

MAX_CHIPS = 10**9
"""Greatest number of chips in a pot, a stack, a blind or a bet of a spot."""

MAX_THRESHOLD = 1_000.0

_TOP = (
    "title", "board", "pot", "stack", "stacks", "big_blind", "blinds", "game",
    "ranges", "bets", "limit", "thresholds",
)  # fmt: skip
_PLAYERS = ("oop", "ip")
_SITUATIONS = {"bet": Situation.BET, "raise": Situation.RAISE, "donk": Situation.DONK}
_THRESHOLDS = ("add_all_in", "force_all_in", "merging")
_STREET_NUMBERS = tuple(str(number) for number in range(1, len(STREETS) + 1))
_TYPE_NAMES = {
    bool: "true or false", int: "a whole number", float: "a number with decimals", str: "a text",
    list: "a list", dict: "a table",
}  # fmt: skip
_LIMIT_RAISE_CAP = 4


class SpotReader:
    """Checks the tables of one spot.

    Parameters
    ----------
    data:
        The tables as the TOML reader returns them.
    line_of:
        Gives the line of a key.
    source:
        Name of the file for messages.
    """

    def __init__(
        self, data: Mapping[str, Any], line_of: Callable[[Path], int | None], source: str | None
    ) -> None:
        self._data = data
        self._line_of = line_of
        self._source = source

    def read(self) -> dict[str, Any]:
        """Return the fields of the spot.

        Raises
        ------
        SpotError
            Something is wrong; the subclass says what, the message where and what to do.
        """
        self._known_keys((), self._data, _TOP)
        title = self._text(("title",), default="")
        board = self._board()
        first_round = BOARD_CARDS.index(len(board))
        base = self._base_game()
        blinds = self._blinds(base)
        big_blind = self._big_blind(blinds)
        if first_round == 0:
            pot = 0
            if "pot" in self._data:
                raise self._error(
                    SpotKeyError,
                    "before the flop the pot is the blinds; remove pot and give blinds",
                    ("pot",),
                )
            if blinds is None:
                raise self._error(
                    SpotKeyError,
                    "a spot without board starts before the flop and needs blinds = [small, big] or a game "
                    'such as game = "holdem.nolimit.2p"',
                    ("board",),
                )
        else:
            pot = self._integer(("pot",), low=0)
            if pot == 0:
                raise self._error(SpotStackError, "pot is 0, so there is nothing to play for", ("pot",))
        stacks = self._stacks(base if first_round == 0 else None)
        if blinds is not None and first_round == 0 and min(stacks) <= max(blinds):
            raise self._error(
                SpotStackError,
                f"the shorter stack of {min(stacks)} cannot bet after a big blind of {max(blinds)}; "
                "give both players more",
                ("stacks",) if "stacks" in self._data else ("stack",),
            )
        ranges = self._ranges(board)
        menu, limits = self._betting(first_round, base)
        return {
            "title": title,
            "board": board,
            "pot": pot,
            "stacks": stacks,
            "ranges": ranges,
            "big_blind": big_blind,
            "menu": menu,
            "game": _spot_game(first_round, min(stacks), blinds, big_blind, limits),
        }

    # --- tables and values -----------------------------------------------------------------------------

    def _error(self, kind: type[SpotError], message: str, path: Path = ()) -> SpotError:
        return kind(message[0].upper() + message[1:] + ".", line=self._line_of(path), source=self._source)

    def _known_keys(self, path: Path, table: Mapping[str, Any], known: Iterable[str]) -> None:
        known = tuple(known)
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(str(key)[:40], known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"known keys are {', '.join(known)}"
                where = f"in [{'.'.join(path)}] " if path else ""
                raise self._error(
                    SpotKeyError, f"the key {_shown(key)} {where}is unknown; {hint}", (*path, key)
                )

    def _missing(self, path: Path, remedy: str) -> SpotError:
        return self._error(SpotKeyError, f"the key '{'.'.join(path)}' is missing; {remedy}", path[:-1])

    def _wrong(self, path: Path, value: Any, wanted: str) -> SpotError:
        found = _TYPE_NAMES.get(type(value), type(value).__name__)
        return self._error(
            SpotValueError,
            f"'{'.'.join(path)}' must be {wanted}; found {_shown(value)}, which is {found}",
            path,
        )

    def _table(self, path: Path, table: Mapping[str, Any]) -> Mapping[str, Any]:
        value = table.get(path[-1], {})
        if not isinstance(value, dict):
            raise self._wrong(path, value, "a table")
        return value

    def _text(self, path: Path, default: str | None = None, remedy: str = "") -> str:
        table = self._data
        for key in path[:-1]:
            table = table[key]
        if path[-1] not in table:
            if default is None:
                raise self._missing(path, remedy)
            return default
        value = table[path[-1]]
        if not isinstance(value, str):
            raise self._wrong(path, value, "a text in quotes")
        return value

    def _integer(self, path: Path, low: int, high: int = MAX_CHIPS) -> int:
        if path[-1] not in self._data:
            raise self._missing(path, f"add a line such as {path[-1]} = 200")
        return self._checked_integer(path, self._data[path[-1]], low, high)

    def _checked_integer(self, path: Path, value: Any, low: int, high: int) -> int:
        if type(value) is not int:
            raise self._wrong(path, value, "a whole number without quotes")
        if not low <= value <= high:
            raise self._error(
                SpotValueError, f"'{'.'.join(path)}' is {_shown(value)}; use {low} to {high}", path
            )
        return value

    # --- cards, chips, ranges --------------------------------------------------------------------------

    def _board(self) -> tuple[int, ...]:
        path = ("board",)
        text = self._text(path, remedy='add a line such as board = "Qs Jh 2c 8d"')
        try:
            board = FULL_DECK.parse_cards(text)
        except CardParseError as error:
            place = f" (character {error.column} of the board)" if error.column else ""
            raise self._error(SpotBoardError, error.message.rstrip(".") + place, path) from None
        except CardsError as error:
            raise self._error(SpotBoardError, str(error).rstrip("."), path) from None
        if len(board) not in BOARD_CARDS:
            raise self._error(
                SpotBoardError,
                f"a board has 3, 4 or 5 cards, or none before the flop; found {len(board)}",
                path,
            )
        return board

    def _base_game(self) -> Game | None:
        path = ("game",)
        if "game" not in self._data:
            return None
        name = self._text(path)
        if name not in catalogue():
            near = difflib.get_close_matches(name[:40], catalogue(), n=1)
            hint = f"did you mean '{near[0]}'?" if near else "such as holdem.limit.2p or holdem.nolimit.2p"
            raise self._error(SpotValueError, f"the catalogue has no game {_shown(name)}; {hint}", path)
        game = load_game(name)
        holdem = (game.num_rounds, game.num_hole_cards, game.num_board_cards, game.deck) == (
            4, 2, (0, 3, 1, 1), FULL_DECK,
        )  # fmt: skip
        if not holdem:
            raise self._error(
                SpotValueError,
                f"spots are of hold'em with four rounds; solve '{name}' as a game instead",
                path,
            )
        return game

    def _blinds(self, base: Game | None) -> tuple[int, int] | None:
        """Return (small, big) or None."""
        path = ("blinds",)
        if "blinds" not in self._data:
            return (min(base.blinds), max(base.blinds)) if base else None
        if base is not None:
            raise self._error(
                SpotKeyError, "the game has its own blinds; give blinds or game, not both", path
            )
        value = self._data["blinds"]
        if not isinstance(value, list) or len(value) != 2:
            raise self._wrong(path, value, "a list of two whole numbers, [small, big]")
        small = self._checked_integer(path, value[0], 0, MAX_CHIPS)
        big = self._checked_integer(path, value[1], 1, MAX_CHIPS)
        if small > big:
            raise self._error(SpotValueError, f"the small blind {small} is above the big blind {big}", path)
        return small, big

    def _big_blind(self, blinds: tuple[int, int] | None) -> int | None:
        if "big_blind" not in self._data:
            return max(blinds) if blinds else None
        big = self._integer(("big_blind",), low=1)
        if blinds and big != max(blinds):
            raise self._error(
                SpotValueError,
                f"big_blind is {big}, but the blinds say {max(blinds)}; remove big_blind",
                ("big_blind",),
            )
        return big

    def _stacks(self, base: Game | None) -> tuple[int, int]:
        if "stack" in self._data and "stacks" in self._data:
            raise self._error(
                SpotKeyError, "give stack (both players the same) or stacks, not both", ("stacks",)
            )
        if "stacks" in self._data:
            path: Path = ("stacks",)
            value = self._data["stacks"]
            if not isinstance(value, list) or len(value) != 2:
                raise self._wrong(path, value, "a list of two whole numbers, [out of position, in position]")
            chips = [self._checked_integer(path, item, 0, MAX_CHIPS) for item in value]
        elif "stack" in self._data:
            path = ("stack",)
            chips = [self._integer(path, low=0)] * 2
        elif base is not None and max(base.stacks) <= MAX_CHIPS:
            return base.stacks
        else:
            raise self._missing(("stack",), "add a line such as stack = 900, the chips behind")
        if min(chips) == 0:
            raise self._error(
                SpotStackError, "a player has 0 chips behind, so nobody can bet; give both at least 1", path
            )
        return chips[0], chips[1]

    def _ranges(self, board: tuple[int, ...]) -> tuple[Range, Range]:
        if "ranges" not in self._data:
            raise self._missing(("ranges",), 'add a table [ranges] with oop = "..." and ip = "..."')
        table = self._table(("ranges",), self._data)
        self._known_keys(("ranges",), table, _PLAYERS)
        cards = hand_cards(FULL_DECK.num_cards, 2)
        dead = np.isin(cards, np.array(board, dtype=cards.dtype)).any(axis=1)
        ranges = []
        live = []
        for player in _PLAYERS:
            path = ("ranges", player)
            text = self._text(
                path, remedy=f'add a line such as {player} = "66+, A8s+, KQo"; any two is "random"'
            )
            try:
                parsed = Range.parse(text)
            except RangeParseError as error:
                line = f"line {error.line}, " if error.line else ""
                place = f" ({line}character {error.column} of the range)" if error.column else ""
                raise self._error(SpotRangeError, f"{error.message.rstrip('.')}{place}", path) from None
            alive = (parsed.weights > 0.0) & ~dead
            if not alive.any():
                why = (
                    "is empty" if not (parsed.weights > 0.0).any() else "holds no hand that the board leaves"
                )
                raise self._error(SpotRangeError, f"the range of {player} {why}; add hands", path)
            ranges.append(parsed)
            live.append(alive)
        if not _can_meet(cards, live[0], live[1]):
            raise self._error(
                SpotRangeError,
                "every hand of oop shares a card with every hand of ip: no deal is possible; widen a range",
                ("ranges",),
            )
        return ranges[0], ranges[1]

    # --- bets ------------------------------------------------------------------------------------------

    def _betting(
        self, first_round: int, base: Game | None
    ) -> tuple[BetMenu | None, tuple[tuple[int, ...], tuple[int, ...]] | None]:
        """Return the menu of a no-limit spot, or (raise sizes, raise caps) of a limit spot."""
        given = [key for key in ("bets", "limit", "thresholds") if key in self._data]
        if base is not None and base.limit:
            if given:
                raise self._error(
                    SpotKeyError, f"the bets of '{base.name}' are fixed; remove [{given[0]}]", (given[0],)
                )
            return None, (base.raise_sizes, base.max_raises)
        if "limit" in self._data:
            others = [key for key in given if key != "limit"]
            if others:
                raise self._error(
                    SpotKeyError, f"[limit] fixes the bets; remove [{others[0]}] or [limit]", (others[0],)
                )
            return None, self._limits(first_round)
        if "bets" not in self._data:
            raise self._missing(("bets",), 'add a table [bets] with bet = "60%, a" and raise = "2.5x"')
        return self._menu(first_round), None

    def _limits(self, first_round: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        table = self._table(("limit",), self._data)
        self._known_keys(("limit",), table, (*STREETS, "raise_cap"))
        sizes = []
        for index, street in enumerate(STREETS):
            path = ("limit", street)
            if street in table:
                sizes.append(self._checked_integer(path, table[street], 1, MAX_CHIPS))
            elif index >= first_round:
                raise self._missing(path, f"add the chips of a bet, such as {street} = 20")
            else:
                sizes.append(0)
        path = ("limit", "raise_cap")
        caps = table.get("raise_cap", _LIMIT_RAISE_CAP)
        left = len(STREETS) - first_round
        if not isinstance(caps, list):
            caps = [caps] * left
        if len(caps) != left:
            raise self._wrong(path, caps, f"one number, or a list of {left}, one for each street")
        checked = [self._checked_integer(path, cap, 1, UNCAPPED_RAISES) for cap in caps]
        # Streets that are over need values for the rules to be whole; nobody bets on them.
        return tuple(size or sizes[first_round] for size in sizes), (checked[0],) * first_round + tuple(
            checked
        )

    def _menu(self, first_round: int) -> BetMenu:
        bets = self._table(("bets",), self._data)
        inner = (*_SITUATIONS, "raise_cap", *_PLAYERS)
        self._known_keys(("bets",), bets, (*inner, *STREETS, *_STREET_NUMBERS))
        menus: dict[int, tuple[StreetMenu, StreetMenu]] = {}
        caps: dict[int, int] = {}
        tables: list[tuple[Path, Mapping[str, Any]]] = [(("bets",), bets)]
        for index, name in enumerate(STREETS):
            number = str(index + 1)
            if name in bets and number in bets:
                raise self._error(
                    SpotKeyError, f"'{name}' and '{number}' are the same street; keep one", ("bets", number)
                )
            path = ("bets", number if number in bets else name)
            street = self._table(path, bets)
            self._known_keys(path, street, inner)
            tables.append((path, street))
        checked = {path: self._sizes_of(path, table) for path, table in tables}
        for index in range(first_round, len(STREETS)):
            path, street = tables[index + 1]
            menus[index] = (
                self._street_menu(checked, path, STREETS[index], "oop"),
                self._street_menu(checked, path, STREETS[index], "ip"),
            )
            for cap_path, table in ((path, street), (("bets",), bets)):
                if "raise_cap" in table:
                    cap_key = (*cap_path, "raise_cap")
                    caps[index] = self._checked_integer(cap_key, table["raise_cap"], 1, UNCAPPED_RAISES - 1)
                    break
        return BetMenu(menus, caps, **self._thresholds())

    def _sizes_of(self, path: Path, table: Mapping[str, Any]) -> dict[str, tuple[BetSize, ...]]:
        """Return all sizes of one table by 'situation' and 'player.situation'."""
        found: dict[str, tuple[BetSize, ...]] = {}
        for player in ("", *_PLAYERS):
            inner = self._table((*path, player), table) if player else table
            inner_path = (*path, player) if player else path
            if player:
                self._known_keys(inner_path, inner, _SITUATIONS)
            if player == "ip" and "donk" in inner:
                raise self._error(
                    SpotKeyError,
                    "donk bets are made out of position; move donk to oop",
                    (*inner_path, "donk"),
                )
            for key, situation in _SITUATIONS.items():
                if key in inner:
                    name = f"{player}.{key}" if player else key
                    found[name] = self._sizes((*inner_path, key), inner[key], situation)
        return found

    def _sizes(self, path: Path, value: Any, situation: Situation) -> tuple[BetSize, ...]:
        items = value if isinstance(value, list) else [value]
        sizes: list[BetSize] = []
        for item in items:
            if type(item) in (int, float):
                raise self._error(
                    SizingError,
                    f'the bet size {_shown(item)} has no unit: write "{_shown(item)}%" for per cent of the '
                    f'pot or "{_shown(item)}c" for chips (programs differ on what a bare number means)',
                    path,
                )
            if not isinstance(item, str):
                raise self._wrong(path, item, 'a text such as "60%, a"')
            try:
                parsed = parse_bet_sizes(item, situation)
            except SizingError as error:
                raise self._error(SizingError, f"in '{'.'.join(path)}': {error.message}", path) from None
            sizes.extend(size for size in parsed if size not in sizes)
        return tuple(sizes)

    def _street_menu(
        self, checked: Mapping[Path, Mapping[str, tuple[BetSize, ...]]], path: Path, street: str, player: str
    ) -> StreetMenu:
        """Return the menu of a player on a street: the most special entry wins."""

        def choose(key: str) -> tuple[BetSize, ...] | None:
            for table in (checked[path], checked[("bets",)]):
                for name in (f"{player}.{key}", key):
                    if name in table:
                        return table[name]
            return None

        bet, raise_ = choose("bet"), choose("raise")
        for key, sizes in (("bet", bet), ("raise", raise_)):
            # Before the flop the blinds are bets, so that only raises are made there.
            if sizes is None and not (street == STREETS[0] and key == "bet"):
                raise self._missing(
                    ("bets", street, key),
                    f'give {key} in [bets] or in [bets.{street}] ({key} = "" for none)',
                )
        return StreetMenu(bet or (), raise_ or (), choose("donk") if player == "oop" else None)

    def _thresholds(self) -> dict[str, float]:
        table = self._table(("thresholds",), self._data)
        self._known_keys(("thresholds",), table, _THRESHOLDS)
        found = {}
        for key in _THRESHOLDS:
            value = table.get(key, 0.0)
            path = ("thresholds", key)
            if type(value) not in (int, float):
                raise self._wrong(path, value, "a number")
            if not 0.0 <= value <= MAX_THRESHOLD or not math.isfinite(value):
                raise self._error(
                    SpotValueError,
                    f"'{'.'.join(path)}' is {_shown(value)}; use 0 to {MAX_THRESHOLD:g} (pots)",
                    path,
                )
            found[key] = float(value)
        return found


def _spot_game(
    first_round: int,
    effective: int,
    blinds: tuple[int, int] | None,
    big_blind: int | None,
    limits: tuple[tuple[int, ...], tuple[int, ...]] | None,
) -> Game:
    """Return the rules that hold from the spot on; stacks are what is behind (before the flop: all chips)."""
    if first_round == 0 and blinds is not None:
        # The dealer posts the small blind and acts first before the flop, then always last: player 1.
        posted = (blinds[1], blinds[0])
    else:
        posted = (0, min(big_blind or 0, effective))
    sizes, caps = limits or ((), (UNCAPPED_RAISES,) * len(STREETS))
    return Game(
        name="spot",
        limit=limits is not None,
        num_rounds=len(STREETS),
        blinds=posted,
        stacks=(effective, effective),
        raise_sizes=sizes,
        first_player=(1, 0, 0, 0),
        max_raises=caps,
        num_suits=FULL_DECK.num_suits,
        num_ranks=FULL_DECK.num_ranks,
        num_hole_cards=2,
        num_board_cards=(0, 3, 1, 1),
    )


def _can_meet(cards: NDArray[np.int16], first: NDArray[np.bool_], second: NDArray[np.bool_]) -> bool:
    """Return whether some hand of the first range has no card in common with some hand of the second."""
    per_card = np.bincount(cards[second].ravel(), minlength=FULL_DECK.num_cards)
    # A hand is blocked by all hands with its one card or its other; the hand itself is counted twice.
    free = second.sum() - per_card[cards].sum(axis=1) + second
    return bool((free[first] > 0).any())


def _shown(value: Any) -> str:
    """Return a value for a message, shortened."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:
        # Python refuses to write integers of thousands of digits.
        return "a number of thousands of digits"
    return text if len(text) <= 40 else text[:37] + "..."
