"""Spots: one hand from some board on, written in a TOML file.

::

    title = "Turn, ten-high"
    board = "Td 9d 6h Qc"
    pot = 200                    # chips in the middle
    stack = 900                  # chips behind; or stacks = [900, 700] for oop and ip

    [ranges]
    oop = "66+, A8s+, KQo"       # out of position, acts first: player 0
    ip = "QQ-22, AQs-A2s"        # in position: player 1

    [bets]                       # sizes for all streets and both players; [bets.river.oop] has those of one
    bet = "60%, e, a"
    raise = "2.5x"

``docs/spots.md`` lists every key.  Errors name the line of the fault.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK
from errai.cards.ranges import Range
from errai.errors import SpotFileError, SpotSyntaxError, SpotValueError
from errai.games.game import Game, Rake, Subject
from errai.games.library import named_file
from errai.games.sizing import BetMenu
from errai.games.spot_reader import BOARD_CARDS, RAKE, Chips, SpotReader
from errai.games.spot_tables import PLAYERS, THRESHOLDS
from errai.games.streets import STREETS
from errai.games.text_files import decoded, key_lines, read_content, read_toml, toml_of_json

MAX_FILE_BYTES = 1 << 20
"""Greatest size of a spot file; a spot takes a few hundred bytes."""


@dataclass(frozen=True, eq=False)
class Spot(Subject):
    """A hand of hold'em from some board on.

    Made by :func:`load_spot`, :func:`parse_spot` or :meth:`from_dict`, which check everything.

    Parameters
    ----------
    title:
        A title of one line; may be empty.
    board:
        Cards on the board, in the order written; none before the flop.
    pot:
        Chips in the middle; 0 before the flop, where the blinds are still to be posted.
    stacks:
        Chips behind of player 0 (out of position) and 1.  The part of the longer stack above the shorter cannot be
        lost.
    ranges:
        Weights of the hands of both players.
    big_blind:
        Chips, or None if the spot does not name it; then there is no mbb, and the smallest bet is one chip.
    menu:
        Bet sizes with their thresholds; None in limit spots.
    game:
        The rules from here on.  Its stacks are the effective stack; its blinds are posted before the flop
        only, and are the smallest bet later.
    rake:
        The rake, or None.
    positions:
        What the players are called, such as ``("BB", "BTN")``, out of position first; None where nothing is said.

    Examples
    --------
    >>> from errai.games.spot import parse_spot
    >>> spot = parse_spot('''
    ... board = "Qs Jh 2c 8d 3s"
    ... pot = 100
    ... stack = 300
    ... ranges = { oop = "22+, AJs+", ip = "TT-33, AQo" }
    ... bets = { bet = "75%, a", raise = "a" }
    ... ''')
    >>> spot.board_text, spot.effective_stack
    ('Qs Jh 2c 8d 3s', 300)
    """

    title: str
    board: tuple[int, ...]
    pot: Chips
    stacks: tuple[Chips, Chips]
    ranges: tuple[Range, Range]
    big_blind: Chips | None
    menu: BetMenu | None
    game: Game
    rake: Rake | None = None
    positions: tuple[str, str] | None = None

    state = None
    depth = None

    @property
    def rules(self) -> Game:
        return self.game

    @property
    def seats(self) -> tuple[str, str]:
        if self.positions:
            return self.positions
        # Before the flop the small blind acts first and is in position on all later streets, so neither name fits.
        return ("out of position", "in position") if self.board else ("big blind", "small blind")

    @property
    def label(self) -> str:
        return self.title or self.board_text

    @property
    def values_are_net(self) -> bool:
        return False

    @cached_property
    def given_weights(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        first, second = (np.asarray(held.weights, dtype=np.float64) for held in self.ranges)
        return first, second

    @property
    def first_round(self) -> int:
        """Round of the game where the spot begins: 0 before the flop, 1 flop, 2 turn, 3 river."""
        return BOARD_CARDS.index(len(self.board))

    @property
    def effective_stack(self) -> Chips:
        """Chips that each player can win or lose from here on: the shorter stack."""
        return min(self.stacks)

    @property
    def dead_chips(self) -> float:
        return self.pot / 2

    @property
    def board_text(self) -> str:
        """The board as text, such as 'Qs Jh 2c 8d'."""
        return " ".join(map(FULL_DECK.card_text, self.board))

    def __repr__(self) -> str:
        board = self.board_text or "before the flop"
        return f"<Spot {self.title!r}: {board}, pot {self.pot}, stacks {self.stacks[0]} and {self.stacks[1]}>"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Spot:
        """Return the spot of tables with the keys of a spot file; errors as :func:`parse_spot`, without lines."""
        return cls(*SpotReader(data, lambda path: None, None).read())

    def to_dict(self) -> dict[str, Any]:
        """Return the spot as tables with the keys of a spot file, fit for JSON and :meth:`from_dict`.

        Raises
        ------
        SpotValueError
            If the menu depends on the way from the root, for which a spot file has no keys.
        """
        if self.menu is not None and not self.menu.is_by_street:
            raise SpotValueError(
                "A spot file has one menu for each street; a menu with 'early' sizes or a line is for lookaheads only."
            )
        data: dict[str, Any] = {"title": self.title} if self.title else {}
        if self.positions is not None:
            data["positions"] = list(self.positions)
        data["board"] = self.board_text
        if self.first_round == 0:
            data["blinds"] = [self._chips(min(self.game.blinds)), self._chips(max(self.game.blinds))]
        else:
            data["pot"] = self.pot
            if self.big_blind is not None:
                data["big_blind"] = self.big_blind
        if self.stacks[0] == self.stacks[1]:
            data["stack"] = self.stacks[0]
        else:
            data["stacks"] = list(self.stacks)
        data["ranges"] = {key: held.text() for key, held in zip(PLAYERS, self.ranges, strict=True)}
        if self.menu is None:
            first, caps = self.first_round, list(self.game.max_raises[self.first_round :])
            sizes = zip(STREETS[first:], self.game.raise_sizes[first:], strict=True)
            data["limit"] = {street: self._chips(size) for street, size in sizes}
            data["limit"]["raise_cap"] = caps if len(set(caps)) > 1 else caps[0]
        else:
            data["bets"] = self._bets_table(self.menu)
            if thresholds := {key: value for key in THRESHOLDS if (value := getattr(self.menu, key))}:
                data["thresholds"] = thresholds
        if self.rake is not None:
            values = ((key, getattr(self.rake, key)) for key in RAKE)
            data["rake"] = {key: value for key, value in values if value is not None and value is not False}
        return data

    def on(self, board: str) -> Spot:
        """Return the spot on another board, such as ``"Ks 7h 2d"``, without its title, which may name the board.

        Bets of streets that are over on it are dropped.  Raises :class:`SpotError` if the cards cannot be a board, a
        range has no hand there, or the spot has no bets for a street that is left.
        """
        return Spot.from_dict({**self.to_dict(), "board": board, "title": ""})

    def to_toml(self) -> str:
        """Return the text of a spot file that reads as this spot."""
        return "\n".join(_table_lines((), self.to_dict())).lstrip("\n") + "\n"

    def digest(self) -> str:
        """Return the SHA-256 of everything but the title and the positions, in hexadecimal."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        data = self.to_dict()
        for name in ("title", "positions"):
            data.pop(name, None)
        # The order in which a flop is written does not matter; the turn and the river have their places.
        board = (*sorted(self.board[:3]), *self.board[3:])
        data["board"] = FULL_DECK.cards_text(board)
        text = json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def divided(self, times: int) -> Spot:
        """Return the same spot with every part of a chip divided once more, for amounts that are no whole parts.

        Raises :class:`GameDefinitionError` if the stacks are too many parts then.
        """
        game = self.game
        # Without a big blind, the smallest bet on later streets is a part; it stays as large as it is.
        small, big = game.blinds if any(game.blinds) else (0, game.min_bet)
        first, second = game.stacks
        rules = replace(
            game,
            blinds=(small * times, big * times),
            stacks=(first * times, second * times),
            raise_sizes=tuple(size * times for size in game.raise_sizes),
            unit=self.unit * times,
        )
        return replace(self, game=rules)

    def _chips(self, parts: int) -> Chips:
        """Parts of a chip in chips."""
        return parts // self.unit if parts % self.unit == 0 else parts / self.unit

    def _bets_table(self, menu: BetMenu) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for index in range(self.first_round, len(STREETS)):
            oop, ip = menu.streets[index]
            street: dict[str, Any] = oop.to_dict()
            if (oop.bet, oop.raise_) != (ip.bet, ip.raise_):
                street = {"oop": street, "ip": ip.to_dict()}
            cap = {"raise_cap": menu.raise_caps[index]} if index in menu.raise_caps else {}
            calls = {} if index else {key: False for key in ("flat", "limp") if not getattr(menu, key)}
            table[STREETS[index]] = {**calls, **cap, **street}
        return table


def parse_spot(text: str | bytes, *, source: str | None = None) -> Spot:
    """Read the text of a spot file.

    Parameters
    ----------
    text:
        TOML; bytes are UTF-8.
    source:
        Name of the file for messages.

    Raises
    ------
    SpotSyntaxError
        It is not TOML.
    SpotKeyError
        A key is unknown, missing, or contradicts another.
    SpotValueError
        A value is of the wrong type or out of bounds.
    SpotBoardError
        The board cannot be.
    SpotRangeError
        A range cannot be read or holds no hand, or the ranges never meet.
    SpotStackError
        Pot or stacks with which nothing can be bet.
    SizingError
        A bet size cannot be read.
    """
    text = decoded(text, "The spot", SpotSyntaxError, source)
    data = read_toml(text, "The spot", SpotSyntaxError, source=source)
    return Spot(*SpotReader(data, key_lines(text), source).read())


def load_spot(path: str | Path) -> Spot:
    """Read a spot file, by its path or by its name in the library (:mod:`errai.games.library`).

    Raises
    ------
    SpotFileError
        The file cannot be opened or is too large.
    SpotError
        As :func:`parse_spot`.

    Examples
    --------
    >>> import errai
    >>> errai.load_spot("examples/turn.toml").pot
    200
    >>> errai.load_spot("btn-vs-bb-srp").on("Qs Jh 2c").board_text
    'Qs Jh 2c'
    """
    path = named_file("spots", path) or path
    return parse_spot(read_content(path, MAX_FILE_BYTES, SpotFileError, SpotFileError), source=str(path))


def _table_lines(path: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key} = {toml_of_json(value)}" for key, value in table.items() if not isinstance(value, dict))
    for key, value in table.items():
        if isinstance(value, dict):
            if any(not isinstance(item, dict) for item in value.values()):
                yield from ("", f"[{'.'.join((*path, key))}]")
            yield from _table_lines((*path, key), value)
