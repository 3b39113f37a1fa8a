"""PokerStars hand histories: the text that the poker room writes, limit and no-limit hold'em, hands of two players.

Money is counted in cents, play money and tournament chips in whole chips.  ``raises $4 to $6`` names the total of the
round.  The dealer posts the small blind and is seat 1 here.  Lines that do not describe the hand (players who join,
leave or are disconnected) are skipped; what players say is kept as comments.  Any other line that the room does not
write refuses the hand, because it may be the rest of a line that says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import time
from decimal import Decimal
from typing import Any

from errai.arena.histories import Piece
from errai.arena.histories.holdem import LIMIT_CAPS, holdem, is_holdem
from errai.arena.histories.record import Replay, Told, Written, first_that_fits, texts_of, unknown_text
from errai.arena.histories.settlement import Amounts, Collected, StatementError, pot_of, shares, uncalled
from errai.cards.deck import FULL_DECK
from errai.cards.strength import category, strength
from errai.errors import ErraiError, HistoryError
from errai.games.betting import ActionKind
from errai.games.game import UNLIMITED_CHIPS, Game
from errai.games.hand import CALL, FOLD, Action, PlayedHand, PublicState, raise_to

CURRENCY_SIGN = r"[A-Z]{0,3}[$€£¥₹₽₩₺₴]"
_SIGN = rf"(?:{CURRENCY_SIGN})?"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_AMOUNT = rf"{_SIGN}({_NUMBER}){_SIGN}(?: [A-Z]{{3}})?"


def _amount(name: str) -> str:
    return rf"{_SIGN}(?P<{name}>{_NUMBER}){_SIGN}(?: [A-Z]{{3}})?"


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
_ACTION = re.compile(
    r"(?:checks|(?P<fold>folds)(?: \[(?P<cards>[^\]]*)\])?"
    rf"|(?:calls {_amount('called')}|(?:bets|raises {_amount('by')} to) {_amount('to')})(?: and is all-in)?)\s*$"
)
_SHOW = re.compile(r"shows \[(?P<cards>[^\]]*)\].*")
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


def _speaker(line: str, names: Iterable[str]) -> str | None:
    """Return the player who acts or speaks in a line; the longer name where two begin alike."""
    return max((name for name in names if line.startswith((f"{name}: ", f"{name} said, "))), key=len, default=None)


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
        stated = {
            "venue": "PokerStars",
            "_room": header["room"],
            "event": header["event"],
            "_level": header["event"] and header["level"].strip(" -(),"),
            "currency": header["currency"],
            "currency_symbol": sign,
            "_club": header["club"],
            "_mix": header["mix"],
        }
        self.details: dict[str, Any] = {key: text for key, value in stated.items() if (text := (value or "").strip())}
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
            elif (name := _speaker(line, seats)) is not None and (
                post := _BLIND.match(line, len(name) + 2)
            ) is not None:
                if len(seats) == 2 and (post[1] not in ("small blind", "big blind") or name in self.posts):
                    raise HistoryError(
                        "A player posts more than a blind; only hands with one small and one big blind can be read."
                    )
                self.posts[name] = post[1], self.amounts.chips(post[2])
            elif line and not _NOTE.fullmatch(line):
                raise self._unknown(line, "hole cards")
        else:
            raise HistoryError("The hand ends before the hole cards are dealt.")
        self.begin = self.at + 1
        if len(seats) != 2:
            raise HistoryError(f"{len(seats)} players sat at the table; only hands of two players can be read.")
        if {kind for kind, _ in self.posts.values()} != {"small blind", "big blind"}:
            raise HistoryError("Exactly a small and a big blind have to be posted.")
        by_blind = {kind: name for name, (kind, _) in self.posts.items()}
        self.players = by_blind["big blind"], by_blind["small blind"]
        self.details["seats"] = [seats[name][0] for name in self.players]
        self.stacks = seats[self.players[0]][1], seats[self.players[1]][1]
        if button is not None and button != seats[self.players[1]][0]:
            raise HistoryError("The small blind was not posted by the dealer.")

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
            return [holdem(due, self.stacks, (small, big), caps) for caps in LIMIT_CAPS]
        return [holdem(due, self.stacks)]

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _play(self, game: Game) -> PlayedHand:
        self.replay = Replay(game, self.amounts, self.blinds)
        self.collected = [0, 0]
        self.uncalled: tuple[int, int] | None = None
        self.rake: int | None = None
        self.total_pot: int | None = None
        self.place = ""
        summary = False
        for at, line in enumerate(self.lines[self.begin :], self.begin):
            if not line and not (summary and self.total_pot is not None):
                continue
            begun = line.startswith(("Total pot", "Board", "Hand was run"))  # even if the line is not whole
            if summary and not begun and self._result_of(line) is None:
                self.end = at
                break
            self.at = at
            if _CALLED_OFF.search(line):
                raise HistoryError("The hand was cancelled or its board run twice.")
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
        if (dealt := _DEALT.match(line)) is not None and dealt[1] in self.players:
            seat = self.players.index(dealt[1])
            self.replay.hold_at_deal(seat, self.replay.read_cards(dealt[2]))
            self.place = f"deal {seat}"
        elif (street := _STREET.match(line)) is not None:
            board = self.replay.state.board
            if len(board) != _STREETS[street[1]]:
                raise HistoryError(f"The {street[1].lower()} cannot be dealt on a board of {len(board)} cards.")
            if street[2] is not None and self.replay.read_cards(street[2]) != board:
                raise HistoryError("The board is not the one that was dealt.")
            self.replay.deal(self.replay.read_cards(street[3]))
            self.place = f"board {len(self.replay.state.board)}"
        elif (collected := _COLLECTED.match(line)) is not None and collected[1] in self.players:
            self.collected[self.players.index(collected[1])] += self.amounts.chips(collected[2])
            self.collected_at = self.at
        elif (uncalled := _UNCALLED.match(line)) is not None and uncalled[2] in self.players:
            self.uncalled = self.players.index(uncalled[2]), self.amounts.chips(uncalled[1])
        elif (name := _speaker(line, self.players)) is not None:
            if line.startswith(" said, ", len(name)):
                self.replay.comments.append((self.place, line))
            else:
                self._act(self.players.index(name), line, len(name) + 2)
        elif not _NOTE.fullmatch(line):
            raise self._unknown(line, "summary")

    def _act(self, seat: int, line: str, at: int) -> None:
        replay, betting, shows = self.replay, self.replay.state.betting, _SHOW.match(line, at)
        if (action := _ACTION.match(line, at)) is not None:
            shows = action if action["cards"] else None
            if action["fold"]:
                replay.act(seat, FOLD)
            elif action["to"]:
                total = self.amounts.chips(action["to"]) + betting.before_street(seat)
                if not action["by"] and (betting.spent[0] != betting.spent[1] or not betting.round):
                    raise HistoryError("A bet is not possible here; it must be a raise.")
                if action["by"] and total - max(betting.spent) != self.amounts.chips(action["by"]):
                    raise HistoryError(f"A raise to {action['to']} is not a raise by {action['by']} here.")
                replay.act(seat, raise_to(total))
            else:
                chips, due = self.amounts.chips(action["called"] or 0), betting.to_call_chips
                if betting.actor == seat and due != chips:
                    raise HistoryError(f"The call is of {chips} chips, but {due} are due.")
                replay.act(seat, CALL)
            self.place = f"action {len(replay.state.line) - 1}"
        elif _MUCK.match(line, at):
            if betting.showdown:
                replay.shown.append((seat, False))
                self.place = f"show {seat}"
        elif not shows and not re.match(r"(?:sits out|is |has |said|will )", line[at:]):
            raise HistoryError(f"{line[at:].strip()!r} is not an action of hold'em.")
        if shows:
            replay.show(seat, replay.read_cards(shows["cards"]))
            self.place = f"show {seat}"

    def _result_of(self, line: str) -> tuple[int, re.Match[str]] | None:
        """Return the number of a seat, and what the summary says of its player."""
        seat = re.match(r"Seat (\d+): ", line)
        name = self.names.get(int(seat[1])) if seat is not None else None
        if seat is None or name is None or not line.startswith(name, seat.end()):
            return None
        result = _RESULT.match(line, seat.end() + len(name))
        return None if result is None else (int(seat[1]), result)

    def _summary_line(self, line: str) -> None:
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
        betting, back = self.replay.state.betting, uncalled(self.replay.state)
        other = 0 if back[0] else 1
        if betting.is_over and self.total_pot is not None and self.total_pot != 2 * betting.stake_chips:
            raise HistoryError(
                f"The pot is {self.total_pot} chips in the summary and {2 * betting.stake_chips} by the actions."
            )
        if betting.is_over and self.uncalled not in (None, (other, max(back))):
            seat, chips = self.uncalled
            raise HistoryError(
                f"{self.players[seat]} got back {self.amounts.value(chips)} of a bet; by the actions "
                f"{self.players[other]} got back {self.amounts.value(back[other])}."
            )
        first, second = self.collected
        collected = Collected("collected", (Decimal(first), Decimal(second)), includes_uncalled=False)
        return self.replay.finish(
            int(self.header["number"]),
            self.players,
            self.details,
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
    writer = _Writer(hand)
    writer.write_table()
    writer.write_streets()
    writer.write_result()
    return "\n".join(writer.lines) + "\n"


class _Writer:
    def __init__(self, hand: PlayedHand) -> None:
        self.hand, self.game, self.told, self.details = hand, hand.subject.rules, Told(hand), hand.details
        if hand.subject.whole_game is None or not is_holdem(self.game, self.told.blinds):
            raise HistoryError("PokerStars text can hold hold'em for two and no other game or spot.")
        if not self.told.final.is_over:
            raise HistoryError(f"Hand {hand.number} is not over; a history has whole hands only.")
        first, second = hand.players
        if first == second or any(not name.strip() or not name.isprintable() for name in hand.players):
            raise HistoryError(
                f"PokerStars text needs two different, printable names; {first!r} and {second!r} are not."
            )
        self.amounts = self.told.amounts
        # Amounts without a currency sign are whole chips; amounts with one are read as cents.
        self.sign = self._detail("currency_symbol") or _SIGNS.get(self._detail("currency"), "")
        if self.amounts.chips_per_unit != 100 or not re.fullmatch(CURRENCY_SIGN, self.sign):
            self.amounts, self.sign = Amounts(), ""
        if self.told.rake != int(self.told.rake):
            what = "cents" if self.sign else "whole chips where it names no currency"
            raise HistoryError(
                f"PokerStars text counts in {what}; a rake of {self.told.rake:f} chips cannot be written."
            )
        numbers = self.details.get("seats")
        if not (isinstance(numbers, (list, tuple)) and all(isinstance(n, int) and n > 0 for n in numbers)):
            numbers = DEFAULT_SEATS
        self.seats = DEFAULT_SEATS if len({*numbers}) != 2 or len(numbers) != 2 else numbers
        self.in_order = sorted((0, 1), key=lambda seat: self.seats[seat])
        self.lines: list[str] = []

    def _money(self, chips: float | Decimal) -> str:
        if chips >= UNLIMITED_CHIPS:
            return f"{self.sign}{UNLIMITED_CHIPS}"
        value = self.amounts.value(chips)
        return self.sign + (format(value, ".2f") if isinstance(value, Decimal) else str(value))

    def _detail(self, key: str) -> str:
        """Return a detail as one line, or '' if it is not."""
        value = self.details.get(key, "")
        return str(value) if isinstance(value, (str, int)) and str(value).isprintable() else ""

    def _add(self, line: str, place: str) -> None:
        """Write a line and what players said after it; the format has no place for other comments."""
        spoken = tuple(f"{name} said, " for name in self.hand.players)
        said = self.told.comments.get(place, ())
        self.lines += [line, *(text for text in said if text.isprintable() and text.startswith(spoken))]

    # --- the parts of a hand -----------------------------------------------------------------------------------------

    def write_table(self) -> None:
        """Write the game with its stakes and the date, the seats, and the blinds."""
        hand, game, money = self.hand, self.game, self._money
        small, big = (game.raise_sizes[0], game.raise_sizes[-1]) if game.limit else self.told.blinds[::-1]
        code, club, level, mix = (self._detail(key) for key in ("currency", "_club", "_level", "_mix"))
        currency = f" {code}" if self.sign and len(code) == 3 and code.isalpha() else ""
        room = f" {self._detail('_room')}" if self._detail("_room").replace(" ", "").isalpha() else ""
        club = f"{{{club}}} " if club and "}" not in club else ""
        event = f"{self._detail('event')} " if self._detail("event").startswith("Tournament #") else ""
        kind, stakes = "Hold'em Limit" if game.limit else "Hold'em No Limit", f"{money(small)}/{money(big)}{currency}"
        level = f" - {level}" if event and "(" not in level else ""
        played = f"{mix} ({kind}, {stakes})" if mix and not event and "(" not in mix else f"{kind}{level} ({stakes})"
        self.lines.append(f"PokerStars{room} Hand #{hand.number}: {club}{event or ' '}{played}{self._date()}")
        count = self.details.get("seat_count")
        count = count if isinstance(count, int) and count > 0 else 2
        table = self._detail("table") or DEFAULT_TABLE
        self.lines.append(f"Table '{table}' {count}-max Seat #{self.seats[1]} is the button")
        for seat in self.in_order:
            self.lines.append(f"Seat {self.seats[seat]}: {hand.players[seat]} ({money(game.stacks[seat])} in chips) ")
        for seat, blind in ((1, "small blind"), (0, "big blind")):
            posted = game.blinds[seat]
            all_in = " and is all-in" if posted == game.stacks[seat] else ""
            self._add(f"{hand.players[seat]}: posts {blind} {money(posted)}{all_in}", "" if seat == 0 else "none")

    def _date(self) -> str:
        year, month, day, at = (self.details.get(key) for key in ("year", "month", "day", "time"))
        if not all(isinstance(number, int) for number in (year, month, day)) or not isinstance(at, time):
            return ""
        zone = self._detail("time_zone_abbreviation")
        zone = f" {zone}" if zone.isalpha() else ""
        return f" - {year:04}/{month:02}/{day:02} {at.hour}:{at.minute:02}:{at.second:02}{zone}"

    def write_streets(self) -> None:
        """Write the cards and the actions."""
        hand, board = self.hand, self.hand.board
        self.lines.append("*** HOLE CARDS ***")
        for seat in self.told.dealt:
            self._add(f"Dealt to {hand.players[seat]} {_cards_text(hand.hole[seat])}", f"deal {seat}")
        on_table = 0
        for place, state, move in self.told.course():
            if isinstance(move, Action):
                self._add(f"{hand.players[state.actor]}: {self._action_text(state, move)}", place)
            elif move is not None:
                before = f" {_cards_text(board[:on_table])}" if on_table else ""
                on_table += len(move)
                self._add(f"*** {_NAMED[on_table]} ***{before} {_cards_text(move)}", place)
            elif any(back := uncalled(state)):
                seat = 0 if back[0] else 1
                self.lines.append(f"Uncalled bet ({self._money(max(back))}) returned to {hand.players[seat]}")

    def _action_text(self, state: PublicState, action: Action) -> str:
        betting, seat = state.betting, state.actor
        if action.kind == ActionKind.FOLD:
            return "folds "
        after = state.after(action).betting.spent[seat]
        all_in = " and is all-in" if after == self.game.stacks[seat] else ""
        if action.kind == ActionKind.CALL:
            due = betting.to_call_chips
            return f"calls {self._money(due)}{all_in}" if due else "checks "
        to = self._money(after - betting.before_street(seat))
        # The blinds are a bet already.
        if betting.spent[0] == betting.spent[1] and betting.round:
            return f"bets {to}{all_in}"
        return f"raises {self._money(after - max(betting.spent))} to {to}{all_in}"

    def write_result(self) -> None:
        """Write what was shown, what was collected, and the summary."""
        hand, final, names = self.hand, self.told.final, self.hand.players
        if final.betting.showdown:
            self.lines.append("*** SHOW DOWN ***")
        showing = set()
        for seat, shown in self.told.shown:
            line = f"{names[seat]}: mucks hand "
            if shown is True and hand.hole[seat] is not None:
                rank = category(int(strength([*(hand.hole[seat] or ()), *final.board])))
                line = f"{names[seat]}: shows {_cards_text(hand.hole[seat])} ({rank})"
                showing.add(seat)
            elif isinstance(shown, tuple):
                line = f"{names[seat]}: shows {_cards_text(shown)}"
            self._add(line, f"show {seat}")
            if shown == ():
                # The format has no word for a player of whom nothing is known.
                self.lines.remove(line)
        pot = pot_of(final)
        collected = [self._money(chips) if chips else "" for chips in shares(hand.net_chips, pot, self.told.rake)]
        self.lines += [
            f"{name} collected {chips} from pot" for name, chips in zip(names, collected, strict=True) if chips
        ]
        self.lines.append("*** SUMMARY ***")
        self.lines.append(f"Total pot {self._money(pot)} | Rake {self._money(self.told.rake)} ")
        if final.board:
            self.lines.append(f"Board {_cards_text(final.board)}")
        for seat in self.in_order:
            place = " (button) (small blind)" if seat == 1 else " (big blind)"
            unseen = seat not in showing and seat not in self.told.dealt
            held = hand.hole[seat] or self.told.parts.get(seat)
            cards = f" mucked {_cards_text(held)}" if unseen and held is not None else ""
            won = f" collected ({collected[seat]})" if collected[seat] else ""
            self.lines.append(f"Seat {self.seats[seat]}: {names[seat]}{place}{cards}{won}")


def _cards_text(cards: tuple[int, ...] | None) -> str:
    return "[" + " ".join(FULL_DECK.card_text(card) for card in cards or ()) + "]"
