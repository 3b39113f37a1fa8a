"""PokerStars hand histories: the text that the poker room writes, limit and no-limit hold'em, hands of two players.

Money is counted in cents, play money and tournament chips in whole chips.  ``raises $4 to $6`` names the total of the
round.  The dealer posts the small blind and is seat 1 here.  Lines that do not describe the hand (players who join,
leave or are disconnected) are skipped; what players say is kept as comments.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import time
from decimal import Decimal
from typing import Any

from errai.arena.histories.amounts import Amounts
from errai.arena.histories.holdem import LIMIT_CAPS, limit, no_limit
from errai.arena.histories.record import HandFile, Replay, default_shown
from errai.arena.histories.settlement import Collected, StatementError
from errai.cards.deck import FULL_DECK
from errai.errors import CardParseError, CardsError, ErraiError, HistoryError
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, PlayedHand, raise_to

BEGINNING = re.compile(r"^\ufeff?PokerStars\b[^\n]*?(?:Hand|Game) #", re.MULTILINE)
"""Where a hand begins."""

_SIGN = r"[$€£¥]?"
_AMOUNT = rf"{_SIGN}([0-9][0-9,]*(?:\.[0-9]+)?)"
_HEADER = re.compile(
    r"PokerStars(?P<room>[\w \-]*?) (?:Hand|Game) #(?P<number>\d+):\s*(?P<event>Tournament #\d+,.*? )?"
    r"(?P<game>Hold'em No Limit|Hold'em Limit)\b"
    r"(?P<level>[^(]*)\((?P<sign>[$€£¥]?)(?P<small>[0-9.,]+)/[$€£¥]?(?P<big>[0-9.,]+)"
    r"(?: (?P<currency>[A-Z]{3}))?[^)]*\)"
    r"(?P<rest>.*)"
)
_DATE = re.compile(r"(\d{4})/(\d{1,2})/(\d{1,2}) (?:- )?(\d{1,2}):(\d{2}):(\d{2})(?: \(?([A-Z]{2,5})\)?)?")
_TABLE = re.compile(r"Table '(?P<table>.*)'(?: (?P<seats>\d+)-max)?.*?(?:Seat #(?P<button>\d+) is the button)?\s*$")
_SEAT = re.compile(rf"Seat (\d+): (.*) \({_AMOUNT} in chips.*?\)(.*)")
_CARDS = r"\[([^\]]*)\]"
_DEALT = re.compile(rf"Dealt to (.*) {_CARDS}\s*$")
_STREET = re.compile(r"\*\*\* (FLOP|TURN|RIVER) \*\*\*(?: \[([^\]]*)\])? \[([^\]]*)\]\s*$")
_COLLECTED = re.compile(rf"(.*) collected {_AMOUNT} from (?:the )?(?:main |side )?pot.*")
_TOTAL = re.compile(rf"Total pot {_AMOUNT}.*?\| Rake {_AMOUNT}")
_MUCKED = re.compile(rf"Seat (\d+): .* (?:mucked|showed) {_CARDS}.*")
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


def read_pokerstars(text: str, source: str | None = None) -> HandFile:
    """Read the text of a file; hands that cannot be read are in ``faults``."""
    text = text.replace("\r\n", "\n")
    starts = [match.start() for match in BEGINNING.finditer(text)]
    hands: list[PlayedHand] = []
    faults: list[HistoryError] = []
    for start, end in zip(starts, [*starts, len(text)][1:], strict=True):
        first_line = text.count("\n", 0, start) + 1
        reader = _HandReader(text[start:end].lstrip("\ufeff").splitlines())
        try:
            hands.append(reader.read())
        except ErraiError as error:
            message = getattr(error, "message", str(error))
            if isinstance(error, StatementError) and reader.collected_at is not None:
                reader.at = reader.collected_at
            faults.append(HistoryError(message, line=first_line + reader.at, source=source))
    return HandFile(tuple(hands), tuple(faults), "pokerstars")


class _HandReader:
    """Reads one hand."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        """The line being read, from 0."""
        self.collected_at: int | None = None
        """The line that says last what a player collected."""

    def read(self) -> PlayedHand:
        """Read the hand.  Raises :class:`HistoryError`; ``at`` is then the line."""
        self._read_header()
        self._read_table()
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
        header = _HEADER.match(self.lines[0])
        if header is None:
            raise HistoryError("Only limit and no-limit hold'em can be read; this line names another game or none.")
        self.header = header
        money = bool(header["sign"])
        self.amounts = Amounts(100) if money else Amounts()
        self.details: dict[str, Any] = {"venue": "PokerStars"}
        if header["room"].strip():
            self.details["_room"] = header["room"].strip()
        if header["event"]:
            self.details["event"] = header["event"].strip()
            level = header["level"].strip(" -")
            if level:
                self.details["_level"] = level
        if header["currency"]:
            self.details["currency"] = header["currency"]
        if header["sign"]:
            self.details["currency_symbol"] = header["sign"]
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
        self.posts: dict[str, tuple[str, int]] = {}
        self.other_post: int | None = None
        button = None
        for at, line in enumerate(self.lines):
            self.at = at
            if line.startswith("*** HOLE CARDS ***"):
                break
            if (table := _TABLE.match(line)) is not None:
                self.details["table"] = table["table"]
                if table["seats"]:
                    self.details["seat_count"] = int(table["seats"])
                button = int(table["button"]) if table["button"] else None
            elif (seat := _SEAT.match(line)) is not None:
                if "sitting out" not in seat[4] and "out of hand" not in seat[4]:
                    if seat[2] in seats:
                        raise HistoryError(f"Two players are called {seat[2]!r}.")
                    seats[seat[2]] = int(seat[1]), self.amounts.chips(seat[3])
            else:
                self._read_post(line, seats)
        else:
            raise HistoryError("The hand ends before the hole cards are dealt.")
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

    def _read_post(self, line: str, seats: dict[str, tuple[int, int]]) -> None:
        for name in seats:
            if line.startswith(f"{name}: ") and (post := _BLIND.match(line, len(name) + 2)) is not None:
                if post[1] not in ("small blind", "big blind") or name in self.posts:
                    self.other_post = self.other_post or self.at
                self.posts[name] = post[1], self.amounts.chips(post[2])

    def _games(self) -> list[Game]:
        """The possible games of the hand, the likeliest first."""
        posts = self.posts[self.players[0]][1], self.posts[self.players[1]][1]
        small, big = self.amounts.chips(self.header["small"]), self.amounts.chips(self.header["big"])
        is_limit = "No Limit" not in self.header["game"]
        # A limit game names its bets, and its big blind is the small bet.
        due = (small, posts[1]) if is_limit else (big, small)
        blinds = tuple(
            full if post == stack < full else post
            for full, post, stack in zip(due, posts, self.stacks, strict=True)
        )  # fmt: skip
        self.blinds = blinds[0], blinds[1]
        if is_limit:
            return [limit(self.blinds, self.stacks, (small, big), caps) for caps in LIMIT_CAPS]
        return [no_limit(self.blinds, self.stacks)]

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _play(self, game: Game) -> PlayedHand:
        self.replay = Replay(game)
        self.shown: list[tuple[int, bool]] = []
        self.dealt: list[int] = []
        self.comments: list[tuple[str, str]] = []
        self.collected = [0, 0]
        self.rake: int | None = None
        self.total_pot: int | None = None
        self.place = ""
        summary = False
        begin = next(i for i, line in enumerate(self.lines) if line.startswith("*** HOLE CARDS ***"))
        for at, line in enumerate(self.lines[begin + 1 :], begin + 1):
            self.at = at
            if line.startswith("*** SUMMARY ***"):
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
            self.replay.hold(seat, self._cards(dealt[2]))
            self.dealt.extend([seat] if seat not in self.dealt else [])
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
        else:
            # Longer names first: one may be the beginning of the other.
            for name in sorted(self.players, key=len, reverse=True):
                if line.startswith(f"{name}: "):
                    self._act(self.players.index(name), line, len(name) + 2)
                    return
                if line.startswith(f"{name} said, "):
                    self.comments.append((self.place, line.strip()))
                    return

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
                self.shown.append((seat, False))
                self.place = f"show {seat}"
        elif not re.match(r"(?:sits out|is |has |said|will )", line[at:]):
            raise HistoryError(f"{line[at:].strip()!r} is not an action of hold'em.")

    def _show(self, seat: int, cards: str) -> None:
        self.replay.hold(seat, self._cards(cards))
        self.shown.append((seat, True))
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

    def _summary_line(self, line: str) -> None:
        if (total := _TOTAL.match(line)) is not None:
            self.total_pot, self.rake = self.amounts.chips(total[1]), self.amounts.chips(total[2])
        elif (mucked := _MUCKED.match(line)) is not None and int(mucked[1]) in self.details["seats"]:
            self.replay.hold(self.details["seats"].index(int(mucked[1])), self._cards(mucked[2]))
        elif line.startswith("Board [") and self._cards(line[7:].partition("]")[0]) != self.replay.state.board:
            raise HistoryError("The board of the summary is not the one that was dealt.")

    def _finish(self, game: Game) -> PlayedHand:
        state, details = self.replay.state, dict(self.details)
        if state.betting.is_over and self.total_pot is not None and self.total_pot != 2 * state.betting.stake_chips:
            raise HistoryError(
                f"The pot is {self.total_pot} chips in the summary and {2 * state.betting.stake_chips} by the actions."
            )
        if self.amounts.chips_per_unit != 1:
            details["_chips_per_unit"] = self.amounts.chips_per_unit
        if game.blinds != self.blinds:
            details["_blinds"] = self.blinds
        if self.comments:
            details["_comments"] = tuple(self.comments)
        first, second = self.collected
        collected = Collected("collected", (Decimal(first), Decimal(second)), includes_uncalled=False)
        hand = self.replay.finish(
            int(self.header["number"]),
            self.players,
            details,
            shown=tuple(self.shown),
            amounts=self.amounts,
            collected=[collected] if first or second else [],
            rake=None if self.rake is None else Decimal(self.rake),
        )
        details = dict(hand.details)
        if sorted(self.dealt) != [seat for seat in (0, 1) if hand.hole[seat] is not None]:
            details["_dealt"] = tuple(sorted(self.dealt))
        if tuple(self.shown) != default_shown(hand, state):
            details["_shown"] = tuple(self.shown)
        return PlayedHand(game, hand.number, hand.hole, hand.board, hand.actions, hand.players, hand.net_chips, details)

    @staticmethod
    def _cards(text: str) -> tuple[int, ...]:
        try:
            return FULL_DECK.parse_cards(text)
        except (CardParseError, CardsError) as error:
            raise HistoryError(str(error)) from error
