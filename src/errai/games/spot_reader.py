"""Read a spot: from the tables of its TOML file to checked values, with the line of every fault."""

from __future__ import annotations

import difflib
import re
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
from errai.games.game import Game, Rake
from errai.games.library import read_hands
from errai.games.spot_tables import MAX_CHIPS, PLAYERS, BetsReader, parts_of_a_chip, sizes_in_chips
from errai.games.streets import HOLDEM_CARDS, STREETS
from errai.games.text_files import is_one_line, shown

Chips = int | float
"""Chips as a spot has them: an integer where they are whole."""

BOARD_CARDS = (0, 3, 4, 5)
"""Board cards on each street."""

_TOP = (
    "title", "positions", "board", "pot", "stack", "stacks", "big_blind", "blinds", "game",
    "ranges", "bets", "limit", "thresholds", "rake",
)  # fmt: skip

_POSITION = re.compile(r"\w[\w+ -]{0,19}")

RAKE = ("percent", "cap", "no_flop_no_drop")


class SpotReader(BetsReader):
    """Reads and checks the tables of one spot."""

    def read(self) -> tuple[Any, ...]:
        """Return the fields of the spot, in their order.  Raises :class:`SpotError`."""
        self.table((), _TOP)
        title = self.text(("title",), "") if "title" in self.data else ""
        if not is_one_line(title):
            raise self.error(SpotValueError, "'title' must be one line without control characters", ("title",))
        board = self._board()
        first_round = BOARD_CARDS.index(len(board))
        base = self._base_game()
        self.unit = parts_of_a_chip(self._amounts())
        blinds = self._blinds(base)
        big_blind = self._big_blind(blinds)
        pot = self._pot(first_round, blinds)
        stacks = self._stacks(base if first_round == 0 else None)
        if blinds is not None and first_round == 0 and min(stacks) <= max(blinds):
            raise self.error(
                SpotStackError,
                f"the shorter stack of {min(stacks)} cannot bet after a big blind of {max(blinds)}; "
                "give both players more",
                ("stacks",) if "stacks" in self.data else ("stack",),
            )
        ranges = self._ranges(board)
        menu, sizes, caps = self._read_bets(first_round, base)
        if menu is not None and big_blind is None and menu.in_big_blinds:
            raise self.error(
                SizingError,
                f"'{menu.in_big_blinds}' is in big blinds, and the spot names none; add a line such as big_blind = 10",
                ("bets",),
            )
        stack = round(min(stacks) * self.unit)
        # Later than before the flop there are no blinds; the big blind stays as the smallest bet, or else one chip.
        smallest = 0 if self.unit == 1 and big_blind is None else min(round((big_blind or 1) * self.unit), stack)
        posted = (0, smallest)
        if blinds and first_round == 0:
            posted = round(blinds[1] * self.unit), round(blinds[0] * self.unit)
        game = _rules(stack, posted, sizes, caps, self.unit)
        return title, board, pot, stacks, ranges, big_blind, menu, game, self._rake(), self._positions()

    def _positions(self) -> tuple[str, str] | None:
        path = ("positions",)
        if "positions" not in self.data:
            return None
        found = self.data["positions"]
        if not isinstance(found, list) or len(found) != 2 or not all(isinstance(name, str) for name in found):
            raise self.wrong(path, found, 'two names such as ["BB", "BTN"], out of position first')
        first, second = (name.strip() for name in found)
        for name in (first, second):
            if not _POSITION.fullmatch(name):
                raise self.error(SpotValueError, f"a position has 1 to 20 letters and digits, not {shown(name)}", path)
        if first == second:
            raise self.error(SpotValueError, f"both positions are {first}; give each player another", path)
        return first, second

    def _pot(self, first_round: int, blinds: tuple[Chips, Chips] | None) -> Chips:
        path = ("pot",)
        if first_round:
            pot: Chips = self.chips(path, self.at(path), 0, above=True)
            return pot
        if "pot" in self.data:
            raise self.error(SpotKeyError, "before the flop the pot is the blinds; remove pot and give blinds", path)
        if blinds is None:
            raise self.error(
                SpotKeyError,
                "a spot without board starts before the flop and needs blinds = [small, big] or a game "
                'such as game = "holdem.nolimit.2p"',
                ("board",),
            )
        return 0

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

    def _rake(self) -> Rake | None:
        """Return the rake; None if there is none."""
        table = self.table(("rake",), RAKE)
        if "rake" not in self.data:
            return None
        if "percent" not in table:
            raise self.missing(("rake", "percent"), "write rake = { percent = 5, cap = 3 }, the cap in chips")
        percent = self.number(("rake", "percent"), table["percent"], 0.0, 100.0, "per cent of the pot")
        cap = self.number(("rake", "cap"), table["cap"], 0.0, MAX_CHIPS, "chips") if "cap" in table else None
        no_drop = self.flag(("rake", "no_flop_no_drop"), False)
        return Rake(percent, cap, no_drop) if percent > 0.0 and cap != 0.0 else None

    def _board(self) -> tuple[int, ...]:
        path = ("board",)
        text = self.text(path, 'add a line such as board = "Qs Jh 2c 8d"')
        try:
            board = FULL_DECK.parse_cards(text)
        except (CardParseError, CardsError) as error:
            message = error.within("board") if isinstance(error, CardParseError) else str(error)
            raise self.error(SpotBoardError, message, path) from None
        if len(board) not in BOARD_CARDS:
            message = f"a board has 3, 4 or 5 cards, or none before the flop; found {len(board)}"
            raise self.error(SpotBoardError, message, path)
        return board

    def _base_game(self) -> Game | None:
        path = ("game",)
        if "game" not in self.data:
            return None
        name = self.text(path, "")
        if name not in catalogue():
            near = difflib.get_close_matches(name[:40], catalogue(), n=1)
            hint = f"did you mean '{near[0]}'?" if near else "such as holdem.limit.2p or holdem.nolimit.2p"
            raise self.error(SpotValueError, f"the catalogue has no game {shown(name)}; {hint}", path)
        game = load_game(name)
        if (game.num_hole_cards, game.num_board_cards, game.deck) != (2, HOLDEM_CARDS, FULL_DECK):
            message = f"spots are of hold'em with four rounds; solve '{name}' as a game instead"
            raise self.error(SpotValueError, message, path)
        return game

    def _blinds(self, base: Game | None) -> tuple[Chips, Chips] | None:
        """Return (small, big) or None."""
        path = ("blinds",)
        if "blinds" not in self.data:
            return (min(base.blinds), max(base.blinds)) if base else None
        if base is not None:
            raise self.error(SpotKeyError, "the game has its own blinds; give blinds or game, not both", path)
        small, big = self.two_chips(path, 1 / self.unit, "[small, big]")
        if small > big:
            raise self.error(SpotValueError, f"the small blind {small} is above the big blind {big}", path)
        return small, big

    def _big_blind(self, blinds: tuple[Chips, Chips] | None) -> Chips | None:
        if "big_blind" not in self.data:
            return max(blinds) if blinds else None
        path = ("big_blind",)
        big = self.chips(path, self.data["big_blind"], 1 / self.unit)
        if blinds and big != max(blinds):
            message = f"big_blind is {big}, but the blinds say {max(blinds)}; remove big_blind"
            raise self.error(SpotValueError, message, path)
        return big

    def _stacks(self, base: Game | None) -> tuple[Chips, Chips]:
        if "stack" in self.data and "stacks" in self.data:
            raise self.error(SpotKeyError, "give stack (the same for both players) or stacks, not both", ("stacks",))
        path = ("stacks",) if "stacks" in self.data else ("stack",)
        if "stacks" in self.data:
            chips = self.two_chips(path, 0, "[out of position, in position]")
        elif "stack" in self.data:
            chips = (self.chips(path, self.data["stack"], 0),) * 2
        elif base is not None and max(base.stacks) <= MAX_CHIPS:
            return base.stacks
        else:
            raise self.missing(path, "add a line such as stack = 900, the chips behind")
        if min(chips) == 0:
            message = "a player has 0 chips behind, so no player can bet; give both at least 1"
            raise self.error(SpotStackError, message, path)
        return chips

    def _ranges(self, board: tuple[int, ...]) -> tuple[Range, Range]:
        if "ranges" not in self.data:
            raise self.missing(("ranges",), 'add a table [ranges] with oop = "..." and ip = "..."')
        self.table(("ranges",), PLAYERS)
        cards = hand_cards(FULL_DECK.num_cards, 2)
        dead = np.isin(cards, np.array(board, dtype=cards.dtype)).any(axis=1)
        ranges, live = [], []
        for player in PLAYERS:
            path = ("ranges", player)
            text = self.text(path, f'add a line such as {player} = "66+, A8s+, KQo"; all hands are "random"')
            try:
                parsed = read_hands(text)
            except RangeParseError as error:
                raise self.error(SpotRangeError, error.within("range"), path) from None
            alive = (parsed.weights > 0.0) & ~dead
            if not alive.any():
                why = "holds no hand that the board leaves" if parsed.weights.any() else "is empty"
                raise self.error(SpotRangeError, f"the range of {player} {why}; add hands", path)
            ranges.append(_scaled_up(parsed, alive))
            live.append(alive)
        first, second = live
        per_card = np.bincount(cards[second].ravel(), minlength=FULL_DECK.num_cards)
        # A hand is blocked by all hands with its one card or its other; the hand itself is counted twice.
        if not (second.sum() - per_card[cards].sum(axis=1) + second)[first].any():
            message = "every hand of oop shares a card with every hand of ip: no deal is possible; widen a range"
            raise self.error(SpotRangeError, message, ("ranges",))
        return ranges[0], ranges[1]


def _rules(
    stack: int, posted: tuple[int, int], raise_sizes: tuple[int, ...], max_raises: tuple[int, ...], unit: int
) -> Game:
    """Return the rules that hold from the spot on, in parts of a chip; the stack is what is behind.

    Before the flop the dealer posts the small blind and acts first, later the dealer always acts last: player 1.
    """
    return Game(
        name="spot",
        limit=bool(raise_sizes),
        num_rounds=len(STREETS),
        blinds=posted,
        stacks=(stack, stack),
        raise_sizes=raise_sizes,
        first_player=(1, 0, 0, 0),
        max_raises=max_raises,
        num_suits=FULL_DECK.num_suits,
        num_ranks=FULL_DECK.num_ranks,
        num_hole_cards=2,
        num_board_cards=HOLDEM_CARDS,
        unit=unit,
    )


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
