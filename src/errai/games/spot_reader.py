"""Read a spot: from the tables of its TOML file to checked values, with the line of every fault."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
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
    SpotKeyError,
    SpotRangeError,
    SpotStackError,
    SpotValueError,
)
from errai.games.catalogue import catalogue, load_game
from errai.games.game import UNCAPPED_RAISES, Game
from errai.games.rake import Rake
from errai.games.spot_bets import BetsReader, Limits, sizes_in_chips
from errai.games.spot_tables import MAX_CHIPS, PLAYERS, parts_of_a_chip, shown
from errai.games.streets import HOLDEM_CARDS, STREETS
from errai.games.text_files import Path

Chips = int | float
"""Chips as a spot has them: an integer where they are whole."""

BOARD_CARDS = (0, 3, 4, 5)
"""Board cards on each street."""

_TOP = (
    "title", "board", "pot", "stack", "stacks", "big_blind", "blinds", "game",
    "ranges", "bets", "limit", "thresholds", "rake",
)  # fmt: skip

_RAKE = ("percent", "cap", "no_flop_no_drop")


class SpotReader(BetsReader):
    """Reads and checks the tables of one spot."""

    def read(self) -> dict[str, Any]:
        """Return the fields of the spot.

        Raises
        ------
        SpotError
            Something is wrong; the subclass says what, the message where and what to do.
        """
        self.known_keys((), self.data, _TOP)
        title = self.text(("title",), default="")
        board = self._board()
        first_round = BOARD_CARDS.index(len(board))
        base = self._base_game()
        self.unit = parts_of_a_chip(self._amounts())
        blinds = self._blinds(base)
        big_blind = self._big_blind(blinds)
        if first_round == 0:
            pot: Chips = 0
            if "pot" in self.data:
                raise self.error(
                    SpotKeyError,
                    "before the flop the pot is the blinds; remove pot and give blinds",
                    ("pot",),
                )
            if blinds is None:
                raise self.error(
                    SpotKeyError,
                    "a spot without board starts before the flop and needs blinds = [small, big] or a game "
                    'such as game = "holdem.nolimit.2p"',
                    ("board",),
                )
        else:
            pot = self.chips(("pot",), 0)
            if pot == 0:
                raise self.error(SpotStackError, "pot is 0, so there is nothing to play for", ("pot",))
        stacks = self._stacks(base if first_round == 0 else None)
        if blinds is not None and first_round == 0 and min(stacks) <= max(blinds):
            raise self.error(
                SpotStackError,
                f"the shorter stack of {min(stacks)} cannot bet after a big blind of {max(blinds)}; "
                "give both players more",
                ("stacks",) if "stacks" in self.data else ("stack",),
            )
        ranges = self._ranges(board)
        menu, limits = self._read_bets(first_round, base)
        if menu is not None and big_blind is None and menu.in_big_blinds:
            raise self.error(
                SizingError,
                f"'{menu.in_big_blinds}' is in big blinds, and the spot names none; add a line such as big_blind = 10",
                ("bets",),
            )
        return {
            "title": title,
            "board": board,
            "pot": pot,
            "stacks": stacks,
            "ranges": ranges,
            "big_blind": big_blind,
            "menu": menu,
            "rake": self._rake(),
            "game": self._rules(first_round, min(stacks), blinds, big_blind, limits),
            "unit": self.unit,
        }

    def _amounts(self) -> Iterator[Any]:
        """All numbers of chips that may have decimals and so decide into how many parts a chip is divided."""
        data = self.data
        for key in ("pot", "stack", "big_blind"):
            yield data.get(key)
        for key in ("stacks", "blinds"):
            yield from data[key] if isinstance(data.get(key), list) else ()
        limit = data.get("limit")
        yield from (limit.get(street) for street in STREETS) if isinstance(limit, dict) else ()
        yield from sizes_in_chips(data.get("bets"))

    def _rules(
        self,
        first_round: int,
        effective: Chips,
        blinds: tuple[Chips, Chips] | None,
        big_blind: Chips | None,
        limits: Limits | None,
    ) -> Game:
        """Return the rules that hold from the spot on, in parts of a chip; stacks are what is behind.

        Before the flop the dealer posts the small blind and acts first, later the dealer always acts last: player 1.
        On later streets there are no blinds; the big blind stays as the smallest bet, or else one chip.
        """
        stack = round(effective * self.unit)
        if blinds and first_round == 0:
            posted = round(blinds[1] * self.unit), round(blinds[0] * self.unit)
        elif big_blind is not None:
            posted = 0, min(round(big_blind * self.unit), stack)
        else:
            posted = 0, min(self.unit, stack) if self.unit > 1 else 0
        sizes, caps = limits or ((), (UNCAPPED_RAISES,) * len(STREETS))
        return Game(
            name="spot",
            limit=limits is not None,
            num_rounds=len(STREETS),
            blinds=posted,
            stacks=(stack, stack),
            raise_sizes=sizes,
            first_player=(1, 0, 0, 0),
            max_raises=caps,
            num_suits=FULL_DECK.num_suits,
            num_ranks=FULL_DECK.num_ranks,
            num_hole_cards=2,
            num_board_cards=HOLDEM_CARDS,
        )

    def _rake(self) -> Rake | None:
        """Return the rake; None if there is none."""
        if "rake" not in self.data:
            return None
        table = self.table(("rake",), self.data)
        self.known_keys(("rake",), table, _RAKE)
        if "percent" not in table:
            raise self.missing(("rake", "percent"), "write rake = { percent = 5, cap = 3 }, the cap in chips")
        percent = self.checked_number(("rake", "percent"), table["percent"], 0.0, 100.0, "per cent of the pot")
        cap = None
        if "cap" in table:
            cap = self.checked_number(("rake", "cap"), table["cap"], 0.0, MAX_CHIPS, "chips")
        no_drop = table.get("no_flop_no_drop", False)
        if not isinstance(no_drop, bool):
            raise self.wrong(("rake", "no_flop_no_drop"), no_drop, "true or false")
        return Rake(percent, cap, no_drop) if percent > 0.0 and cap != 0.0 else None

    def _board(self) -> tuple[int, ...]:
        path = ("board",)
        text = self.text(path, remedy='add a line such as board = "Qs Jh 2c 8d"')
        try:
            board = FULL_DECK.parse_cards(text)
        except CardParseError as error:
            raise self.error(SpotBoardError, error.within("board"), path) from None
        except CardsError as error:
            raise self.error(SpotBoardError, str(error).rstrip("."), path) from None
        if len(board) not in BOARD_CARDS:
            raise self.error(
                SpotBoardError,
                f"a board has 3, 4 or 5 cards, or none before the flop; found {len(board)}",
                path,
            )
        return board

    def _base_game(self) -> Game | None:
        path = ("game",)
        if "game" not in self.data:
            return None
        name = self.text(path)
        if name not in catalogue():
            near = difflib.get_close_matches(name[:40], catalogue(), n=1)
            hint = f"did you mean '{near[0]}'?" if near else "such as holdem.limit.2p or holdem.nolimit.2p"
            raise self.error(SpotValueError, f"the catalogue has no game {shown(name)}; {hint}", path)
        game = load_game(name)
        if (game.num_hole_cards, game.num_board_cards, game.deck) != (2, HOLDEM_CARDS, FULL_DECK):
            raise self.error(
                SpotValueError,
                f"spots are of hold'em with four rounds; solve '{name}' as a game instead",
                path,
            )
        return game

    def _blinds(self, base: Game | None) -> tuple[Chips, Chips] | None:
        """Return (small, big) or None."""
        path = ("blinds",)
        if "blinds" not in self.data:
            return (min(base.blinds), max(base.blinds)) if base else None
        if base is not None:
            raise self.error(SpotKeyError, "the game has its own blinds; give blinds or game, not both", path)
        value = self.data["blinds"]
        if not isinstance(value, list) or len(value) != 2:
            raise self.wrong(path, value, "a list of two numbers, [small, big]")
        small = self.checked_chips(path, value[0], 0)
        big = self.checked_chips(path, value[1], 1 / self.unit)
        if small > big:
            raise self.error(SpotValueError, f"the small blind {small} is above the big blind {big}", path)
        return small, big

    def _big_blind(self, blinds: tuple[Chips, Chips] | None) -> Chips | None:
        if "big_blind" not in self.data:
            return max(blinds) if blinds else None
        big = self.chips(("big_blind",), 1 / self.unit)
        if blinds and big != max(blinds):
            raise self.error(
                SpotValueError,
                f"big_blind is {big}, but the blinds say {max(blinds)}; remove big_blind",
                ("big_blind",),
            )
        return big

    def _stacks(self, base: Game | None) -> tuple[Chips, Chips]:
        if "stack" in self.data and "stacks" in self.data:
            raise self.error(SpotKeyError, "give stack (the same for both players) or stacks, not both", ("stacks",))
        if "stacks" in self.data:
            path: Path = ("stacks",)
            value = self.data["stacks"]
            if not isinstance(value, list) or len(value) != 2:
                raise self.wrong(path, value, "a list of two numbers, [out of position, in position]")
            chips = [self.checked_chips(path, item, 0) for item in value]
        elif "stack" in self.data:
            path = ("stack",)
            chips = [self.chips(path, 0)] * 2
        elif base is not None and max(base.stacks) <= MAX_CHIPS:
            return base.stacks
        else:
            raise self.missing(("stack",), "add a line such as stack = 900, the chips behind")
        if min(chips) == 0:
            raise self.error(
                SpotStackError, "a player has 0 chips behind, so no player can bet; give both at least 1", path
            )
        return chips[0], chips[1]

    def _ranges(self, board: tuple[int, ...]) -> tuple[Range, Range]:
        if "ranges" not in self.data:
            raise self.missing(("ranges",), 'add a table [ranges] with oop = "..." and ip = "..."')
        table = self.table(("ranges",), self.data)
        self.known_keys(("ranges",), table, PLAYERS)
        cards = hand_cards(FULL_DECK.num_cards, 2)
        dead = np.isin(cards, np.array(board, dtype=cards.dtype)).any(axis=1)
        ranges = []
        live = []
        for player in PLAYERS:
            path = ("ranges", player)
            text = self.text(path, remedy=f'add a line such as {player} = "66+, A8s+, KQo"; all hands are "random"')
            try:
                parsed = Range.parse(text)
            except RangeParseError as error:
                raise self.error(SpotRangeError, error.within("range"), path) from None
            alive = (parsed.weights > 0.0) & ~dead
            if not alive.any():
                why = "is empty" if not (parsed.weights > 0.0).any() else "holds no hand that the board leaves"
                raise self.error(SpotRangeError, f"the range of {player} {why}; add hands", path)
            ranges.append(_scaled_up(parsed, alive))
            live.append(alive)
        if not _can_meet(cards, live[0], live[1]):
            raise self.error(
                SpotRangeError,
                "every hand of oop shares a card with every hand of ip: no deal is possible; widen a range",
                ("ranges",),
            )
        return ranges[0], ranges[1]


SMALLEST_WEIGHT = 2.0**-10
"""A range whose greatest weight is below this is scaled up."""


def _scaled_up(held: Range, alive: NDArray[np.bool_]) -> Range:
    """Return a range with a weight that single precision can compute with for some hand that can be held.

    Only the proportions of the weights matter.  They stay exactly as they are, because the factor is a power of two;
    hands that cannot be held keep a weight of at most 1.
    """
    greatest = float(held.weights[alive].max())
    if greatest >= SMALLEST_WEIGHT:
        return held
    _, power = np.frexp(greatest)
    return Range.from_weights(np.minimum(np.ldexp(held.weights, -power), 1.0))


def _can_meet(cards: NDArray[np.int16], first: NDArray[np.bool_], second: NDArray[np.bool_]) -> bool:
    """Return whether some hand of the first range has no card in common with some hand of the second."""
    per_card = np.bincount(cards[second].ravel(), minlength=FULL_DECK.num_cards)
    # A hand is blocked by all hands with its one card or its other; the hand itself is counted twice.
    free = second.sum() - per_card[cards].sum(axis=1) + second
    return bool((free[first] > 0).any())
