"""Writing PokerStars text; see :mod:`errai.arena.histories.pokerstars` for the format."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import time
from decimal import Decimal
from typing import Any

from errai.arena.histories.amounts import Amounts
from errai.arena.histories.holdem import is_holdem, is_unlimited
from errai.arena.histories.pokerstars import CURRENCY_SIGN
from errai.arena.histories.record import amounts_of, blinds_of, comments_of, dealt_of, part_of, rake_of, shown_of
from errai.arena.histories.settlement import shares
from errai.cards.deck import FULL_DECK
from errai.cards.strength import category, strength
from errai.errors import HistoryError
from errai.games.betting import ActionKind
from errai.games.hand import Action, PlayedHand, PublicState
from errai.games.subject import UNLIMITED_CHIPS

DEFAULT_TABLE = "Errai"
DEFAULT_SEATS = (2, 1)
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "CAD": "C$", "INR": "₹"}
_STREETS = {3: "FLOP", 4: "TURN", 5: "RIVER"}


def pokerstars_texts(hands: Iterable[PlayedHand]) -> str:
    """Write many hands as one file; errors as :func:`pokerstars_text`."""
    return "\n\n".join(pokerstars_text(hand) for hand in hands)


def pokerstars_text(hand: PlayedHand) -> str:
    """Write one hand.

    Raises :class:`HistoryError` if the format cannot hold it: the game is not hold'em, the hand is not over, or the
    players have the same name.
    """
    return _Writer(hand).text()


class _Writer:
    def __init__(self, hand: PlayedHand) -> None:
        game, details = hand.subject.whole_game, hand.details
        if game is None or not is_holdem(game, blinds_of(hand)):
            raise HistoryError("PokerStars text can hold hold'em for two and no other game or spot.")
        self.hand, self.game, self.details = hand, game, details
        self.final = hand.final_state()
        if not self.final.is_over:
            raise HistoryError(f"Hand {hand.number} is not over; a history has whole hands only.")
        first, second = hand.players
        if first == second or any(not name.strip() or not name.isprintable() for name in hand.players):
            raise HistoryError(
                f"PokerStars text needs two different, printable names; {first!r} and {second!r} are not."
            )
        self.amounts = amounts_of(hand)
        # Amounts without a currency sign are whole chips; amounts with one are read as cents.
        self.sign = self._detail("currency_symbol") or _SIGNS.get(self._detail("currency"), "")
        if self.amounts.chips_per_unit != 100 or not re.fullmatch(CURRENCY_SIGN, self.sign):
            self.amounts, self.sign = Amounts(), ""
        self.rake = rake_of(hand)
        if self.rake != int(self.rake):
            what = "cents" if self.sign else "whole chips where it names no currency"
            raise HistoryError(f"PokerStars text counts in {what}; a rake of {self.rake:f} chips cannot be written.")
        self.seats = _seats(details.get("seats"))
        self.blinds = blinds_of(hand)
        self.comments = comments_of(hand)
        self.lines: list[str] = []

    def text(self) -> str:
        """The hand's text."""
        self._table()
        self._streets()
        self._result()
        return "\n".join(self.lines) + "\n"

    def _money(self, chips: float) -> str:
        if is_unlimited(int(chips)):
            return f"{self.sign}{UNLIMITED_CHIPS}"
        value = self.amounts.value(chips)
        return self.sign + (format(value, ".2f") if isinstance(value, Decimal) else str(value))

    # --- the parts of a hand -----------------------------------------------------------------------------------------

    def _table(self) -> None:
        hand, game, details, money = self.hand, self.game, self.details, self._money
        stakes = (game.raise_sizes[0], game.raise_sizes[-1]) if game.limit else (self.blinds[1], self.blinds[0])
        code = self._detail("currency")
        currency = f" {code}" if self.sign and len(code) == 3 and code.isalpha() else ""
        room = f" {self._detail('_room')}" if self._detail("_room").replace(" ", "").isalpha() else ""
        club = f"{{{self._detail('_club')}}} " if self._detail("_club") and "}" not in self._detail("_club") else ""
        event = f"{self._detail('event')} " if self._detail("event").startswith("Tournament #") else ""
        level = f" - {self._detail('_level')}" if event and "(" not in self._detail("_level") else ""
        kind = "Hold'em Limit" if game.limit else "Hold'em No Limit"
        game_and_stakes = f"{kind}{level} ({money(stakes[0])}/{money(stakes[1])}{currency})"
        mix = self._detail("_mix")
        if mix and not event and "(" not in mix:
            game_and_stakes = f"{mix} ({kind}, {money(stakes[0])}/{money(stakes[1])}{currency})"
        self.lines.append(f"PokerStars{room} Hand #{hand.number}: {club}{event or ' '}{game_and_stakes}{self._date()}")
        seats, count = self.seats, details.get("seat_count")
        count = count if isinstance(count, int) and count > 0 else 2
        table = self._detail("table") or DEFAULT_TABLE
        self.lines.append(f"Table '{table}' {count}-max Seat #{seats[1]} is the button")
        for seat in sorted((0, 1), key=lambda seat: seats[seat]):
            self.lines.append(f"Seat {seats[seat]}: {hand.players[seat]} ({money(game.stacks[seat])} in chips) ")
        for seat, blind in ((1, "small blind"), (0, "big blind")):
            posted = game.blinds[seat]
            all_in = " and is all-in" if posted == game.stacks[seat] else ""
            self.lines.append(f"{hand.players[seat]}: posts {blind} {money(posted)}{all_in}")
        self._say("")

    def _detail(self, key: str) -> str:
        """A detail as one line, or '' if it is not."""
        value = self.details.get(key, "")
        return str(value) if isinstance(value, (str, int)) and str(value).isprintable() else ""

    def _date(self) -> str:
        year, month, day, at = (self.details.get(key) for key in ("year", "month", "day", "time"))
        numbers = isinstance(year, int) and isinstance(month, int) and isinstance(day, int)
        if not numbers or not isinstance(at, time):
            return ""
        zone = self._detail("time_zone_abbreviation")
        clock = f"{at.hour}:{at.minute:02}:{at.second:02}"
        return f" - {year:04}/{month:02}/{day:02} {clock}{f' {zone}' if zone.isalpha() else ''}"

    def _streets(self) -> None:
        hand = self.hand
        self.lines.append("*** HOLE CARDS ***")
        for seat in dealt_of(hand):
            self.lines.append(f"Dealt to {hand.players[seat]} {_cards(hand.hole[seat])}")
            self._say(f"deal {seat}")
        on_table = 0
        for number, (state, action) in enumerate(hand.moments()):
            on_table = self._board(on_table, len(state.board))
            self.lines.append(f"{hand.players[state.actor]}: {self._action(state, action)}")
            self._say(f"action {number}")
        self._uncalled()
        self._board(on_table, len(self.final.board))

    def _board(self, on_table: int, count: int) -> int:
        board = self.hand.board
        for end in (3, 4, 5):
            if on_table < end <= count:
                before = f" {_cards(board[:on_table])}" if on_table else ""
                self.lines.append(f"*** {_STREETS[end]} ***{before} {_cards(board[on_table:end])}")
                self._say(f"board {end}")
                on_table = end
        return on_table

    def _action(self, state: PublicState, action: Action) -> str:
        betting, seat = state.betting, state.actor
        if action.kind == ActionKind.FOLD:
            return "folds "
        after = state.after(action).betting.spent[seat]
        all_in = " and is all-in" if after == self.game.stacks[seat] else ""
        if action.kind == ActionKind.CALL:
            due = betting.to_call_chips
            return f"calls {self._money(due)}{all_in}" if due else "checks "
        before = betting.round_start[seat] if betting.round else 0
        # The blinds are a bet already.
        if betting.spent[0] == betting.spent[1] and betting.round:
            return f"bets {self._money(after - before)}{all_in}"
        return f"raises {self._money(after - max(betting.spent))} to {self._money(after - before)}{all_in}"

    def _uncalled(self) -> None:
        spent = self.final.betting.spent
        if spent[0] != spent[1]:
            seat = 0 if spent[0] > spent[1] else 1
            self.lines.append(
                f"Uncalled bet ({self._money(abs(spent[0] - spent[1]))}) returned to {self.hand.players[seat]}"
            )

    def _result(self) -> None:
        hand, final = self.hand, self.final
        shown = shown_of(hand, final)
        if final.betting.showdown:
            self.lines.append("*** SHOW DOWN ***")
        showing = set()
        for seat, cards_shown in shown:
            if cards_shown is True and hand.hole[seat] is not None:
                self.lines.append(f"{hand.players[seat]}: shows {_cards(hand.hole[seat])} ({self._rank(seat)})")
                showing.add(seat)
            elif isinstance(cards_shown, tuple):
                # The format has no word for a player of whom nothing is known.
                self.lines.extend([f"{hand.players[seat]}: shows {_cards(cards_shown)}"] if cards_shown else [])
            else:
                self.lines.append(f"{hand.players[seat]}: mucks hand ")
            self._say(f"show {seat}")
        pot = 2 * final.betting.stake_chips
        collected = shares(hand.net_chips, pot, self.rake)
        parts = [(seat, int(chips)) for seat, chips in enumerate(collected) if chips]
        for seat, chips in parts:
            self.lines.append(f"{hand.players[seat]} collected {self._money(chips)} from pot")
        self.lines.append("*** SUMMARY ***")
        self.lines.append(f"Total pot {self._money(pot)} | Rake {self._money(int(self.rake))} ")
        if final.board:
            self.lines.append(f"Board {_cards(final.board)}")
        seats = self.seats
        for seat in sorted((0, 1), key=lambda seat: seats[seat]):
            place = " (button) (small blind)" if seat == 1 else " (big blind)"
            unseen = seat not in showing and seat not in dealt_of(hand)
            held = hand.hole[seat] or part_of(hand).get(seat)
            cards = f" mucked {_cards(held)}" if unseen and held is not None else ""
            won = "".join(f" collected ({self._money(chips)})" for winner, chips in parts if winner == seat)
            self.lines.append(f"Seat {seats[seat]}: {hand.players[seat]}{place}{cards}{won}")

    def _rank(self, seat: int) -> str:
        """The category of a hand in words."""
        return category(int(strength([*(self.hand.hole[seat] or ()), *self.final.board])))

    def _say(self, place: str) -> None:
        """Write what players said; the format has no place for other comments."""
        self.lines.extend(text for text in self.comments.get(place, ()) if self._is_speech(text))

    def _is_speech(self, text: str) -> bool:
        return text.isprintable() and any(text.startswith(f"{name} said, ") for name in self.hand.players)


def _seats(value: Any) -> tuple[int, int]:
    """The numbers of the seats, or the default if they are not valid."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(n, int) and n > 0 for n in value):
        return (value[0], value[1]) if value[0] != value[1] else DEFAULT_SEATS
    return DEFAULT_SEATS


def _cards(cards: tuple[int, ...] | None) -> str:
    return "[" + " ".join(FULL_DECK.card_text(card) for card in cards or ()) + "]"
