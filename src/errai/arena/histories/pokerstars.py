"""PokerStars hand histories: the text that the poker room writes, limit and no-limit hold'em, hands of two players.

Money is counted in cents, play money and tournament chips in whole chips.  ``raises $4 to $6`` names the total of the
round.  The dealer posts the small blind and is seat 1 here.  Lines that do not describe the hand (players who join,
leave or are disconnected) are skipped; what players say is kept as comments.  Any other line that the room does not
write refuses the hand, because it may be the rest of a line that says more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import time
from decimal import Decimal
from typing import Any

from errai.arena.histories.amounts import Amounts
from errai.arena.histories.holdem import LIMIT_CAPS, limit, no_limit
from errai.arena.histories.record import Replay, unknown_text
from errai.arena.histories.settlement import Collected, StatementError
from errai.cards.deck import FULL_DECK
from errai.errors import CardParseError, CardsError, ErraiError, HistoryError
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, PlayedHand, raise_to

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


def read_pokerstars(text: str, line: int) -> Iterator[PlayedHand | HistoryError]:
    """Read one hand.

    Parameters
    ----------
    text:
        The hand, from its first line on.
    line:
        The number of its first line in the file.

    Yields
    ------
    The hand or an error with its line, and an error for text that follows its summary and does not belong to it.
    """
    reader = _HandReader([line.strip() for line in text.split("\n")])
    try:
        yield reader.read()
    except ErraiError as error:
        message = getattr(error, "message", str(error))
        if isinstance(error, StatementError) and reader.collected_at is not None:
            reader.at = reader.collected_at
        yield HistoryError(message, line=line + reader.at)
        return
    rest = unknown_text(reader.lines[reader.end :], line + reader.end)
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
        games = self._games()
        for i, game in enumerate(games):
            try:
                return self._play(game)
            except HistoryError:
                if i == len(games) - 1:
                    raise
        raise AssertionError("there is always a game to try")

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
            raise HistoryError("Antes and second blinds are rules that games for two do not have here.")
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
        return HistoryError(f"{line[:60]!r} is no line that PokerStars writes before the {before}.")

    def _games(self) -> list[Game]:
        """The possible games of the hand, the likeliest first."""
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
        self.comments: list[tuple[str, str]] = []
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
        return self._finish(game)

    def _hand_line(self, line: str) -> None:
        if _CALLED_OFF.search(line):
            raise HistoryError("The hand was cancelled or its board run twice.")
        if (dealt := _DEALT.match(line)) is not None and dealt[1] in self.players:
            seat = self.players.index(dealt[1])
            self.replay.hold_at_deal(seat, self._cards(dealt[2]))
            self.place = f"deal {seat}"
        elif (street := _STREET.match(line)) is not None:
            if len(self.replay.state.board) != _STREETS[street[1]]:
                raise HistoryError(f"The {street[1].lower()} cannot be dealt here.")
            if street[2] is not None and self._cards(street[2]) != self.replay.state.board:
                raise HistoryError("The board is not the one that was dealt.")
            self.replay.deal(self._cards(street[3]))
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
                    self.comments.append((self.place, line))
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
        self.replay.show(seat, self._cards(cards))
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
            raise HistoryError(f"The raise by {by} to {to} is inconsistent.")
        self.replay.act(seat, raise_to(total))

    def _is_summary_line(self, line: str) -> bool:
        """Whether a line belongs to the summary, even if it is not whole."""
        return line.startswith(("Total pot", "Board", "Hand was run")) or self._result_of(line) is not None

    def _result_of(self, line: str) -> tuple[int, re.Match[str]] | None:
        """The number of a seat, and what the summary says of its player."""
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
            if self._cards(board[1]) != self.replay.state.board:
                raise HistoryError("The board of the summary is not the one that was dealt.")
        elif (found := self._result_of(line)) is not None:
            number, result = found
            if result[1] and number in self.details["seats"]:
                self.replay.hold(self.details["seats"].index(number), self._cards(result[1]))
        else:
            raise HistoryError(f"{line[:60]!r} is no whole line of the summary.")

    def _finish(self, game: Game) -> PlayedHand:
        state, details = self.replay.state, dict(self.details)
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
        if self.amounts.chips_per_unit != 1:
            details["_chips_per_unit"] = self.amounts.chips_per_unit
        if game.blinds != self.blinds:
            details["_blinds"] = self.blinds
        if self.comments:
            details["_comments"] = tuple(self.comments)
        first, second = self.collected
        collected = Collected("collected", (Decimal(first), Decimal(second)), includes_uncalled=False)
        return self.replay.finish(
            int(self.header["number"]),
            self.players,
            details,
            amounts=self.amounts,
            collected=[collected] if first or second else [],
            rake=None if self.rake is None else Decimal(self.rake),
        )

    @staticmethod
    def _cards(text: str) -> tuple[int, ...]:
        try:
            return FULL_DECK.parse_cards(text)
        except (CardParseError, CardsError) as error:
            raise HistoryError(str(error)) from error
