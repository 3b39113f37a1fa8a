"""PokerStars hand histories: the text that the poker room writes, limit and no-limit hold'em, hands of two players.

Money is counted in cents, play money and tournament chips in whole chips.  ``raises $4 to $6`` names the total of the
round.  The dealer posts the small blind and is seat 1 here.  Lines that do not describe the hand (players who join,
leave or are disconnected) are skipped; what players say is kept as comments.  Any other line that the room does not
write refuses the hand, because it may be the rest of a line that says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import time
from decimal import Decimal
from typing import Any

from errai.arena.histories import Piece
from errai.arena.histories.holdem import LIMIT_CAPS, is_holdem, is_unlimited, limit, no_limit
from errai.arena.histories.record import (
    Replay,
    Written,
    amounts_of,
    blinds_of,
    comments_of,
    dealt_of,
    first_that_fits,
    part_of,
    rake_of,
    shown_of,
    texts_of,
    unknown_text,
)
from errai.arena.histories.settlement import Amounts, Collected, StatementError, shares
from errai.cards.deck import FULL_DECK
from errai.cards.strength import category, strength
from errai.errors import ErraiError, HistoryError
from errai.games.betting import ActionKind
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, Action, PlayedHand, PublicState, raise_to
from errai.games.subject import UNLIMITED_CHIPS

CURRENCY_SIGN = r"[A-Z]{0,3}[$€£¥₹₽₩₺₴]"
_SIGN = rf"(?:{CURRENCY_SIGN})?"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_AMOUNT = rf"{_SIGN}({_NUMBER}){_SIGN}(?: [A-Z]{{3}})?"
_LIMIT = r"(?:(?:No|Pot|Fixed)[ -]?Limit|Limit|[NPF]L)"
_GAME = rf"(?:{_LIMIT} )?(?:Texas )?Hold['’]em\b(?: {_LIMIT}\b)?"
_HEADER = re.compile(
    r"PokerStars(?P<room>[\w \-]*?) (?:Hand|Game)\s*#(?P<number>\d+):\s*(?:\{(?P<club>[^}]*)\}\s*)?"
    # Games that take turns are named first, and then the one of this hand in brackets.
    rf"(?P<event>Tournament #\d+,.*? )?(?:(?P<mix>[^(]*?) ?\()?(?P<game>{_GAME})"
    rf"(?P<level>[^(\d]*?\(|,|[^(]*\()\s*(?P<sign>{_SIGN})(?P<small>{_NUMBER})(?P<sign_after>{_SIGN})(?: [A-Z]{{3}})?"
    rf"/{_SIGN}(?P<big>{_NUMBER}){_SIGN}"
    r"(?: (?P<currency>[A-Z]{3}))?[^)]*\)"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2}) (?:- )?(\d{1,2}):(\d{2}):(\d{2})(?: \(?([A-Z]{2,5})\)?)?")
_TABLE = re.compile(
    r"Table '(?P<table>.*)'(?: (?P<seats>\d+)-max)?(?: \([^)]*\))*(?: Seat #(?P<button>\d+) is the button)?$"
)
_SEAT = re.compile(rf"Seat (\d+): (.*) \({_AMOUNT} in chips.*?\)(.*)", re.IGNORECASE)
_CARDS = r"\[([^\]]*)\]"
_DEALT = re.compile(rf"Dealt to (.*) {_CARDS}\s*$")
_STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\*(?: \[([^\]]*)\])? \[([^\]]*)\]\s*$")
_COLLECTED = re.compile(rf"(.*) collected {_AMOUNT} from (?:the )?(?:main |side )?pot.*")
_UNCALLED = re.compile(rf"Uncalled bet \({_AMOUNT}\) returned to (.*)")
_TOTAL = re.compile(rf"Total pot {_AMOUNT}.*?\| Rake {_AMOUNT}\s*$")
_BOARD = re.compile(rf"Board {_CARDS}\s*$")
_RESULT = re.compile(
    rf"(?: \((?:button|small blind|big blind)\))*(?: (?:showed|mucked) {_CARDS}.*"
    r"| (?:folded|collected|mucked|won|lost|didn't bet|sitting out|is sitting out|out of hand)\b[^\[]*)?$"
)
_NOTE = re.compile(
    r".+? (?:joins|leaves) the table.*|.+?:? (?:sits out|is (?:connected|disconnected|sitting out|feeling)"
    r"|has (?:timed out|returned|been)|was (?:removed|moved)|will be allowed|finished the tournament|wins |re-buys"
    r"|takes the add-on|adds |cashed out|said, ).*|Betting is capped|\*\*\* SHOW DOWN \*\*\*"
)
"""Lines that say nothing of the cards, the bets and the result."""
_CALLED_OFF = re.compile(r"Hand cancelled|Hand was run twice|\*\*\* (?:FIRST|SECOND) (?:FLOP|TURN|RIVER) \*\*\*")
_BLIND = re.compile(rf"posts (small blind|big blind|the ante|small & big blinds) {_AMOUNT}(?: and is all-in)?\s*$")
_CHECK = re.compile(r"checks\s*$")
_FOLD = re.compile(rf"folds(?: {_CARDS})?\s*$")
_CALL = re.compile(rf"calls {_AMOUNT}(?: and is all-in)?\s*$")
_BET = re.compile(rf"bets {_AMOUNT}(?: and is all-in)?\s*$")
_RAISE = re.compile(rf"raises {_AMOUNT} to {_AMOUNT}(?: and is all-in)?\s*$")
_SHOW = re.compile(rf"shows {_CARDS}.*")
_MUCK = re.compile(r"(?:mucks hand|doesn't show hand)\s*$")
_STREETS = {"FLOP": 0, "TURN": 3, "RIVER": 4}

DEFAULT_TABLE = "Errai"
DEFAULT_SEATS = (2, 1)
_SIGNS = {"USD": "$", "EUR": "€", "GBP": "£", "CAD": "C$", "INR": "₹"}
_NAMED = {3: "FLOP", 4: "TURN", 5: "RIVER"}


def reader(text: str, game: Game | None) -> Callable[[Piece], Iterator[PlayedHand | HistoryError]]:
    """See :meth:`errai.arena.histories.Format.read`."""
    return _read_piece


def _read_piece(piece: Piece) -> Iterator[PlayedHand | HistoryError]:
    """Yield the hand or an error, and an error for text that follows its summary and does not belong to it."""
    reader = _HandReader([line.strip() for line in piece.text.split("\n")])
    try:
        yield reader.read()
    except ErraiError as error:
        message = getattr(error, "message", str(error))
        if isinstance(error, StatementError) and reader.collected_at is not None:
            reader.at = reader.collected_at
        yield HistoryError(message, line=piece.line + reader.at)
        return
    rest = unknown_text(reader.lines[reader.end :], piece.line + reader.end)
    if rest is not None:
        yield rest


class _HandReader:
    """Reads one hand."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        """The line being read, from 0."""
        self.end = len(lines)
        """The line after the hand's summary."""
        self.collected_at: int | None = None
        """The line that says last what a player collected."""

    def read(self) -> PlayedHand:
        """Read the hand.  Raises :class:`HistoryError`; ``at`` is then the line."""
        self._read_header()
        self._read_table()
        self.at = 0
        return first_that_fits(self._games(), self._play)

    # --- before the cards --------------------------------------------------------------------------------------------

    def _read_header(self) -> None:
        self.at = 0
        header = _HEADER.search(self.lines[0])
        if header is None:
            raise HistoryError(
                "This line does not name limit or no-limit hold'em with its stakes; no other game can be read here."
            )
        self.header = header
        kind = header["game"].lower()
        if any(other in kind for other in ("pot", "pl ", " pl")):
            raise HistoryError(f"The game is {header['game']}; only limit and no-limit hold'em can be read.")
        self.is_limit = not re.search(r"\bno[ -]?limit|\bnl\b", kind)
        sign = header["sign"] or header["sign_after"]
        money = bool(sign or header["currency"])
        self.amounts = Amounts(100) if money else Amounts()
        self.details: dict[str, Any] = {"venue": "PokerStars"}
        if header["room"].strip():
            self.details["_room"] = header["room"].strip()
        if header["event"]:
            self.details["event"] = header["event"].strip()
            level = header["level"].strip(" -(),")
            if level:
                self.details["_level"] = level
        if header["currency"]:
            self.details["currency"] = header["currency"]
        if sign:
            self.details["currency_symbol"] = sign
        for key in ("club", "mix"):
            if header[key]:
                self.details[f"_{key}"] = header[key].strip()
        date = _DATE.search(header["rest"])
        if date is not None:
            year, month, day, hour, minute, second = (int(group) for group in date.groups()[:6])
            if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60 and second < 60):
                raise HistoryError(f"{date[0]!r} is not a date.")
            self.details |= {"year": year, "month": month, "day": day, "time": time(hour, minute, second)}
            if date[7]:
                self.details["time_zone_abbreviation"] = date[7]

    def _read_table(self) -> None:
        """Seats, stacks and blinds, up to the line of the hole cards."""
        seats: dict[str, tuple[int, int]] = {}
        self.names: dict[int, str] = {}
        self.posts: dict[str, tuple[str, int]] = {}
        self.other_post: int | None = None
        button = None
        for at, line in enumerate(self.lines[1:], 1):
            self.at = at
            if line == "*** HOLE CARDS ***":
                break
            if (table := _TABLE.match(line)) is not None:
                self.details["table"] = table["table"]
                if table["seats"]:
                    self.details["seat_count"] = int(table["seats"])
                button = int(table["button"]) if table["button"] else None
            elif (seat := _SEAT.match(line)) is not None:
                self.names[int(seat[1])] = seat[2]
                if "sitting out" not in seat[4] and "out of hand" not in seat[4]:
                    if seat[2] in seats:
                        raise HistoryError(f"Two players are called {seat[2]!r}.")
                    seats[seat[2]] = int(seat[1]), self.amounts.chips(seat[3])
            elif line and not self._read_post(line, seats) and not _NOTE.fullmatch(line):
                raise self._unknown(line, "hole cards")
        else:
            raise HistoryError("The hand ends before the hole cards are dealt.")
        self.begin = self.at + 1
        if len(seats) != 2:
            raise HistoryError(f"{len(seats)} players sat at the table; only hands of two players can be read.")
        if self.other_post is not None:
            self.at = self.other_post
            raise HistoryError(
                "A player posts more than a blind; only hands with one small and one big blind can be read."
            )
        if {kind for kind, _ in self.posts.values()} != {"small blind", "big blind"}:
            raise HistoryError("Exactly a small and a big blind have to be posted.")
        by_blind = {kind: name for name, (kind, _) in self.posts.items()}
        self.players = by_blind["big blind"], by_blind["small blind"]
        self.details["seats"] = [seats[name][0] for name in self.players]
        self.stacks = seats[self.players[0]][1], seats[self.players[1]][1]
        if button is not None and button != seats[self.players[1]][0]:
            raise HistoryError("The small blind was not posted by the dealer.")

    def _read_post(self, line: str, seats: dict[str, tuple[int, int]]) -> bool:
        """Read what a player posts; whether the line says it."""
        for name in sorted(seats, key=len, reverse=True):
            if line.startswith(f"{name}: ") and (post := _BLIND.match(line, len(name) + 2)) is not None:
                if post[1] not in ("small blind", "big blind") or name in self.posts:
                    self.other_post = self.other_post or self.at
                self.posts[name] = post[1], self.amounts.chips(post[2])
                return True
        return False

    @staticmethod
    def _unknown(line: str, before: str) -> HistoryError:
        return HistoryError(f"PokerStars does not write the line {line[:60]!r} before the {before}.")

    def _games(self) -> list[Game]:
        """Return the possible games of the hand, the likeliest first."""
        posts = self.posts[self.players[0]][1], self.posts[self.players[1]][1]
        small, big = self.amounts.chips(self.header["small"]), self.amounts.chips(self.header["big"])
        # A limit game names its bets, and its big blind is the small bet.
        due = (small, posts[1]) if self.is_limit else (big, small)
        for name, blind, post, stack in zip(self.players, due, posts, self.stacks, strict=True):
            if post != min(blind, stack):
                raise HistoryError(
                    f"{name} posted {self.amounts.value(post)}, but by the stakes in the first line the blind is "
                    f"{self.amounts.value(blind)}."
                )
        self.blinds = due
        if self.is_limit:
            return [limit(due, self.stacks, (small, big), caps) for caps in LIMIT_CAPS]
        return [no_limit(due, self.stacks)]

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _play(self, game: Game) -> PlayedHand:
        self.replay = Replay(game)
        self.collected = [0, 0]
        self.uncalled: tuple[int, int] | None = None
        self.rake: int | None = None
        self.total_pot: int | None = None
        self.place = ""
        summary = False
        for at, line in enumerate(self.lines[self.begin :], self.begin):
            if not line and not (summary and self.total_pot is not None):
                continue
            if summary and not self._is_summary_line(line):
                self.end = at
                break
            self.at = at
            if line == "*** SUMMARY ***":
                summary = True
            elif summary:
                self._summary_line(line)
            else:
                self._hand_line(line)
        if not summary:
            raise HistoryError("The hand ends before its summary.")
        return self._finish()

    def _hand_line(self, line: str) -> None:
        if _CALLED_OFF.search(line):
            raise HistoryError("The hand was cancelled or its board run twice.")
        if (dealt := _DEALT.match(line)) is not None and dealt[1] in self.players:
            seat = self.players.index(dealt[1])
            self.replay.hold_at_deal(seat, self.replay.read_cards(dealt[2]))
            self.place = f"deal {seat}"
        elif (street := _STREET.match(line)) is not None:
            if len(self.replay.state.board) != _STREETS[street[1]]:
                raise HistoryError(
                    f"The {street[1].lower()} cannot be dealt on a board of {len(self.replay.state.board)} cards."
                )
            if street[2] is not None and self.replay.read_cards(street[2]) != self.replay.state.board:
                raise HistoryError("The board is not the one that was dealt.")
            self.replay.deal(self.replay.read_cards(street[3]))
            self.place = f"board {len(self.replay.state.board)}"
        elif (collected := _COLLECTED.match(line)) is not None and collected[1] in self.players:
            self.collected[self.players.index(collected[1])] += self.amounts.chips(collected[2])
            self.collected_at = self.at
        elif (uncalled := _UNCALLED.match(line)) is not None and uncalled[2] in self.players:
            self.uncalled = self.players.index(uncalled[2]), self.amounts.chips(uncalled[1])
        else:
            # Longer names first: one may be the beginning of the other.
            for name in sorted(self.players, key=len, reverse=True):
                if line.startswith(f"{name}: "):
                    self._act(self.players.index(name), line, len(name) + 2)
                    return
                if line.startswith(f"{name} said, "):
                    self.replay.comments.append((self.place, line))
                    return
            if not _NOTE.fullmatch(line):
                raise self._unknown(line, "summary")

    def _act(self, seat: int, line: str, at: int) -> None:
        replay = self.replay
        tries: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], None]], ...] = (
            (_CHECK, lambda match: self._call(seat, 0)),
            (_CALL, lambda match: self._call(seat, self.amounts.chips(match[1]))),
            (_BET, lambda match: self._raise(seat, None, match[1])),
            (_RAISE, lambda match: self._raise(seat, match[1], match[2])),
            (_FOLD, lambda match: replay.act(seat, FOLD)),
        )
        for pattern, act in tries:
            if (match := pattern.match(line, at)) is not None:
                act(match)
                self.place = f"action {len(replay.state.line) - 1}"
                if pattern is _FOLD and match[1]:
                    self._show(seat, match[1])
                return
        if (match := _SHOW.match(line, at)) is not None:
            self._show(seat, match[1])
        elif _MUCK.match(line, at):
            if replay.state.betting.showdown:
                replay.shown.append((seat, False))
                self.place = f"show {seat}"
        elif not re.match(r"(?:sits out|is |has |said|will )", line[at:]):
            raise HistoryError(f"{line[at:].strip()!r} is not an action of hold'em.")

    def _show(self, seat: int, cards: str) -> None:
        self.replay.show(seat, self.replay.read_cards(cards))
        self.place = f"show {seat}"

    def _call(self, seat: int, chips: int) -> None:
        due = self.replay.state.betting.to_call_chips
        if self.replay.state.actor == seat and due != chips:
            raise HistoryError(f"The call is of {chips} chips, but {due} are due.")
        self.replay.act(seat, CALL)

    def _raise(self, seat: int, by: str | None, to: str) -> None:
        betting = self.replay.state.betting
        total = self.amounts.chips(to) + (betting.round_start[seat] if betting.round else 0)
        before = max(betting.spent)
        if by is None and (betting.spent[0] != betting.spent[1] or not betting.round):
            raise HistoryError("A bet is not possible here; it must be a raise.")
        if by is not None and total - before != self.amounts.chips(by):
            raise HistoryError(f"A raise to {to} is not a raise by {by} here.")
        self.replay.act(seat, raise_to(total))

    def _is_summary_line(self, line: str) -> bool:
        """Return whether a line belongs to the summary, even if it is not whole."""
        return line.startswith(("Total pot", "Board", "Hand was run")) or self._result_of(line) is not None

    def _result_of(self, line: str) -> tuple[int, re.Match[str]] | None:
        """Return the number of a seat, and what the summary says of its player."""
        seat = re.match(r"Seat (\d+): ", line)
        name = self.names.get(int(seat[1])) if seat is not None else None
        if seat is None or name is None or not line.startswith(name, seat.end()):
            return None
        result = _RESULT.match(line, seat.end() + len(name))
        return None if result is None else (int(seat[1]), result)

    def _summary_line(self, line: str) -> None:
        if _CALLED_OFF.search(line):
            raise HistoryError("The hand was cancelled or its board run twice.")
        if (total := _TOTAL.match(line)) is not None:
            self.total_pot, self.rake = self.amounts.chips(total[1]), self.amounts.chips(total[2])
        elif (board := _BOARD.match(line)) is not None:
            if self.replay.read_cards(board[1]) != self.replay.state.board:
                raise HistoryError("The board of the summary is not the one that was dealt.")
        elif (found := self._result_of(line)) is not None:
            number, result = found
            if result[1] and number in self.details["seats"]:
                self.replay.hold(self.details["seats"].index(number), self.replay.read_cards(result[1]))
        else:
            raise HistoryError(f"{line[:60]!r} is not a whole line of the summary.")

    def _finish(self) -> PlayedHand:
        state = self.replay.state
        if state.betting.is_over and self.total_pot is not None and self.total_pot != 2 * state.betting.stake_chips:
            raise HistoryError(
                f"The pot is {self.total_pot} chips in the summary and {2 * state.betting.stake_chips} by the actions."
            )
        spent = state.betting.spent
        returned = (0 if spent[0] > spent[1] else 1, abs(spent[0] - spent[1]))
        if state.betting.is_over and self.uncalled is not None and self.uncalled != returned:
            seat, chips = self.uncalled
            raise HistoryError(
                f"{self.players[seat]} got back {self.amounts.value(chips)} of a bet; by the actions "
                f"{self.players[returned[0]]} got back {self.amounts.value(returned[1])}."
            )
        first, second = self.collected
        collected = Collected("collected", (Decimal(first), Decimal(second)), includes_uncalled=False)
        return self.replay.finish(
            int(self.header["number"]),
            self.players,
            self.details,
            amounts=self.amounts,
            blinds=self.blinds,
            collected=[collected] if first or second else [],
            rake=None if self.rake is None else Decimal(self.rake),
        )


# --- writing -------------------------------------------------------------------------------------------------------


def write(hands: Sequence[PlayedHand], stem: str) -> Written:
    """See :meth:`errai.arena.histories.Format.write`."""
    texts, faults = texts_of(hands, pokerstars_text)
    return Written({f"{stem}.txt": "\n\n".join(texts)} if texts else {}, len(texts), tuple(faults))


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
        """Return the hand's text."""
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
        """Return a detail as one line, or '' if it is not."""
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
            self.lines.append(f"Dealt to {hand.players[seat]} {_cards_text(hand.hole[seat])}")
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
                before = f" {_cards_text(board[:on_table])}" if on_table else ""
                self.lines.append(f"*** {_NAMED[end]} ***{before} {_cards_text(board[on_table:end])}")
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
                self.lines.append(f"{hand.players[seat]}: shows {_cards_text(hand.hole[seat])} ({self._rank(seat)})")
                showing.add(seat)
            elif isinstance(cards_shown, tuple):
                # The format has no word for a player of whom nothing is known.
                self.lines.extend([f"{hand.players[seat]}: shows {_cards_text(cards_shown)}"] if cards_shown else [])
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
            self.lines.append(f"Board {_cards_text(final.board)}")
        seats = self.seats
        for seat in sorted((0, 1), key=lambda seat: seats[seat]):
            place = " (button) (small blind)" if seat == 1 else " (big blind)"
            unseen = seat not in showing and seat not in dealt_of(hand)
            held = hand.hole[seat] or part_of(hand).get(seat)
            cards = f" mucked {_cards_text(held)}" if unseen and held is not None else ""
            won = "".join(f" collected ({self._money(chips)})" for winner, chips in parts if winner == seat)
            self.lines.append(f"Seat {seats[seat]}: {hand.players[seat]}{place}{cards}{won}")

    def _rank(self, seat: int) -> str:
        """Return the category of a hand in words."""
        return category(int(strength([*(self.hand.hole[seat] or ()), *self.final.board])))

    def _say(self, place: str) -> None:
        """Write what players said; the format has no place for other comments."""
        self.lines.extend(text for text in self.comments.get(place, ()) if self._is_speech(text))

    def _is_speech(self, text: str) -> bool:
        return text.isprintable() and any(text.startswith(f"{name} said, ") for name in self.hand.players)


def _seats(value: Any) -> tuple[int, int]:
    """Return the numbers of the seats, or the default if they are not valid."""
    if isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(n, int) and n > 0 for n in value):
        return (value[0], value[1]) if value[0] != value[1] else DEFAULT_SEATS
    return DEFAULT_SEATS


def _cards_text(cards: tuple[int, ...] | None) -> str:
    return "[" + " ".join(FULL_DECK.card_text(card) for card in cards or ()) + "]"
