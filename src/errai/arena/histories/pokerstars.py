"""PokerStars hand histories: the text that the poker room writes, limit and no-limit hold'em, and GGPoker's dialect.

Money is counted in cents, play money and tournament chips in whole chips.  ``raises $4 to $6`` names the total of the
round.  A hand of two players with a small and a big blind is one of the two-player engine: the dealer posts the small
blind and is seat 1.  Every other hand is a :class:`~errai.arena.histories.table_hand.TableHand`.

Lines that do not describe the hand (players who join, leave or are disconnected) are skipped; what players say is kept
as comments.  Any other line that the room does not write refuses the hand, because it may be the rest of a line that
says more.  GGPoker writes the same lines; it takes more fees than the rake, and lists who was dealt in.
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
from errai.arena.histories.settlement import ROOM, Amounts, Collected, StatementError, pot_of, shares, uncalled
from errai.arena.histories.table_hand import BIG_BLIND, POST, SMALL_BLIND, STRADDLE, Pots, TableRules
from errai.arena.histories.table_replay import TableReplay
from errai.cards.deck import FULL_DECK
from errai.cards.strength import category, strength
from errai.errors import ErraiError, HistoryError
from errai.games.betting import ActionKind
from errai.games.game import UNLIMITED_CHIPS, Game
from errai.games.hand import CALL, FOLD, Action, PlayedHand, PublicState, raise_to, still_in
from errai.games.ring import MOST

CURRENCY_SIGN = r"[A-Z]{0,3}[$€£¥₹₽₩₺₴]"
_SIGN = rf"(?:{CURRENCY_SIGN})?"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_AMOUNT = rf"{_SIGN}({_NUMBER}){_SIGN}(?: [A-Z]{{3}})?"


def _amount(name: str) -> str:
    return rf"{_SIGN}(?P<{name}>{_NUMBER}){_SIGN}(?: [A-Z]{{3}})?"


_LIMIT = r"(?:(?:No|Pot|Fixed)[ -]?Limit|Limit|[NPF]L)"
_GAME = rf"(?:{_LIMIT} )?(?:Texas )?Hold['’]em\b(?: {_LIMIT}\b)?"
_HEADER = re.compile(
    r"(?:PokerStars(?P<room>[\w \-]*?) (?:Hand|Game)\s*#|Poker Hand\s*#(?P<prefix>[A-Z]*))(?P<number>\d+):\s*"
    r"(?:\{(?P<club>[^}]*)\}\s*)?"
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
_RUNS = ("FIRST", "SECOND", "THIRD", "FOURTH")
_RUN = rf"(?:({'|'.join(_RUNS)}) )?"
_STREET = re.compile(rf"\*\*\* {_RUN}(FLOP|TURN|RIVER) \*\*\*(?: \[([^\]]*)\])? \[([^\]]*)\]\s*$")
_COLLECTED = re.compile(rf"(.*) collected {_AMOUNT} from (?:the )?(?:main |side )?pot.*")
_UNCALLED = re.compile(rf"Uncalled bet \({_AMOUNT}\) returned to (.*)")
_TOTAL = re.compile(rf"Total pot {_AMOUNT}(?P<parts>.*?)\| Rake {_AMOUNT}(?P<fees>(?: \| \w+ {_AMOUNT})*)\s*$")
_PART = re.compile(rf"(?:Main|Side) pot(?:-\d+)? {_AMOUNT}")
_FEE = re.compile(rf"(\w+) {_AMOUNT}")
_BOARD = re.compile(rf"{_RUN}Board {_CARDS}\s*$")
_WON = re.compile(rf"(?:won|collected) \({_AMOUNT}\)")
_TIMES = re.compile(r"Hand was run (twice|two times|three times|four times)\s*$")
_COUNTS = {"twice": 2, "two times": 2, "three times": 3, "four times": 4}
_PLACE = r"(?: \((?:button|small blind|big blind|straddle)\))*"
_RESULT = re.compile(
    rf"{_PLACE}(?: (?:showed|mucked) {_CARDS}.*"
    r"| (?:folded|collected|mucked|won|lost|didn't bet|sitting out|is sitting out|out of hand)\b[^\[]*)?$"
)
_NOTE = re.compile(
    r".+? (?:joins|leaves) the table.*|.+?:? (?:sits out|is (?:connected|disconnected|sitting out|feeling)"
    r"|has (?:timed out|returned|been)|was (?:removed|moved)|will be allowed|finished the tournament|wins |re-buys"
    r"|takes the add-on|adds |cashed out|said, |Chooses to EV Cashout|Pays Cashout Risk|Receives Cashout).*"
    rf"|Betting is capped|\*\*\* {_RUN}SHOW ?DOWN \*\*\*|Dealt to .+"
)
"""Lines that say nothing of the cards, the bets and the result."""
_BLIND = re.compile(
    r"(?:posts )?(?:the )?(small blind|big blind|ante|small & big blinds|straddle|missed blind|dead blind) "
    rf"{_AMOUNT}(?: and is all-in)?\s*$"
)
_AWAY = re.compile(r":? (?:sits out|is sitting out|will be allowed)")
_DOES = r"(?:posts|straddle|folds|checks|calls|bets|raises|shows|mucks)\b"
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
        self.venue = "PokerStars" if re.search("pokerstars", self.lines[0], re.IGNORECASE) else "GGPoker"
        if header is None:
            raise HistoryError(
                "This line does not name limit or no-limit hold'em with its stakes; no other game can be read here."
            )
        self.header = header
        if re.search(r"(?:6\+|short ?deck) ?$", header["event"] or "", re.IGNORECASE):
            raise HistoryError("The game is hold'em with a short deck; only hold'em with 52 cards can be read.")
        kind = header["game"].lower()
        if any(other in kind for other in ("pot", "pl ", " pl")):
            raise HistoryError(f"The game is {header['game']}; only limit and no-limit hold'em can be read.")
        self.is_limit = not re.search(r"\bno[ -]?limit|\bnl\b", kind)
        sign = header["sign"] or header["sign_after"]
        money = bool(sign or header["currency"])
        self.amounts = Amounts(100) if money else Amounts()
        stated = {
            "venue": self.venue,
            "_prefix": header["prefix"],
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
        self.posts: list[tuple[str, str, int]] = []
        self.posts_at: dict[str, int] = {}
        """The line of each player's last post."""
        away: set[str] = set()
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
                if int(seat[1]) in self.names:
                    raise HistoryError(f"Two players have seat {seat[1]}.")
                self.names[int(seat[1])] = seat[2]
                if "out of hand" in seat[4]:
                    continue
                if seat[2] in seats:
                    raise HistoryError(f"Two players are called {seat[2]!r}.")
                seats[seat[2]] = int(seat[1]), self.amounts.chips(seat[3])
                if "sitting out" in seat[4]:
                    away.add(seat[2])
            elif (name := _speaker(line, seats)) is not None and (
                post := _BLIND.match(line, len(name) + 2)
            ) is not None:
                self.posts.append((name, post[1], self.amounts.chips(post[2])))
                self.posts_at[name] = at
            elif line and not _NOTE.fullmatch(line):
                raise self._unknown(line, "hole cards")
            else:
                away.update(n for n in seats if line.startswith(n) and _AWAY.match(line, len(n)))
        else:
            raise HistoryError("The hand ends before the hole cards are dealt.")
        self.begin = self.at + 1
        # What follows the summary may be of another hand.
        ends = (at for at, line in enumerate(self.lines[self.begin :], self.begin) if line == "*** SUMMARY ***")
        self.body = self.lines[self.begin : next(ends, None)]
        seats = {name: seats[name] for name in self._dealt_in(seats, away)}
        if not 2 <= len(seats) <= MOST:
            raise HistoryError(f"{len(seats)} players are in the hand; hands of 2 to {MOST} can be read.")
        # Later blinds are those of players who come back.
        blinds = {kind: name for name, kind, _ in reversed(self.posts)}
        if len(seats) == 2 and len({blinds.get(SMALL_BLIND), blinds.get(BIG_BLIND), None}) != 3:
            raise HistoryError("Exactly a small and a big blind have to be posted.")
        if BIG_BLIND not in blinds:
            raise HistoryError("No player posts the big blind.")
        self._take_seats(seats, blinds, button)
        small, big = self.amounts.chips(self.header["small"]), self.amounts.chips(self.header["big"])
        self.small, self.big = small, big
        self.is_plain = len(seats) == len(self.posts) == 2 and not any(
            (street := _STREET.match(line)) is not None and street[1] for line in self.body
        )

    def _dealt_in(self, seats: Iterable[str], away: set[str]) -> list[str]:
        """Return the players who are in the hand: those who do something in it, or are not said to sit out.

        GGPoker lists all who were dealt cards.
        """
        listed = {line[len("Dealt to ") :] for line in self.body if line.startswith("Dealt to ")}
        if listed.intersection(seats):
            away = {name for name in seats if not any(line == name or line.startswith(f"{name} [") for line in listed)}
        does = {name for name, *_ in self.posts}
        does |= {name for name in away for line in self.body if re.match(re.escape(name) + ": " + _DOES, line)}
        return [name for name in seats if name not in away or name in does]

    def _take_seats(self, seats: dict[str, tuple[int, int]], blinds: dict[str, str], button: int | None) -> None:
        """Put the players in their order: left of the dealer first; between two the big blind."""
        order = sorted(seats, key=lambda name: seats[name])
        if len(seats) == 2:
            order.sort(key=lambda name: name == blinds[SMALL_BLIND])
            if button is not None and button != seats[order[1]][0]:
                raise HistoryError("The small blind was not posted by the dealer.")
        elif button is not None:
            order.sort(key=lambda name: seats[name][0] <= button)
        elif SMALL_BLIND in blinds:
            order = order[order.index(blinds[SMALL_BLIND]) :] + order[: order.index(blinds[SMALL_BLIND])]
        else:
            raise HistoryError("Neither the line of the table nor a small blind says who is the dealer.")
        self.players = tuple(order)
        self.stacks = tuple(seats[name][1] for name in order)
        self.details["seats"] = [seats[name][0] for name in order]
        if len(order) > 2 and button is not None and button != self.details["seats"][-1]:
            self.details["_button"] = button

    def _unknown(self, line: str, before: str) -> HistoryError:
        return HistoryError(f"{self.venue} does not write the line {line[:60]!r} before the {before}.")

    def _games(self) -> Sequence[Game | TableRules]:
        """Return the possible games of the hand, the likeliest first."""
        bets = (self.small, self.big) if self.is_limit else None
        if not self.is_plain:
            antes, due, roles = self._posted()
            return [
                TableRules.of(self.stacks, antes, due, roles, bets, caps) for caps in (LIMIT_CAPS if bets else ((),))
            ]
        posted = {name: chips for name, _, chips in self.posts}
        # A limit game names its bets, and its big blind is the small bet.
        self.blinds = (self.small, posted[self.players[1]]) if self.is_limit else (self.big, self.small)
        for name, blind, stack in zip(self.players, self.blinds, self.stacks, strict=True):
            self._check_post(name, posted[name], blind, stack)
        stacks = self.stacks[0], self.stacks[1]
        return [holdem(self.blinds, stacks, bets, caps) for caps in (LIMIT_CAPS if bets else ((),))]

    def _check_post(self, name: str, posted: int, due: int, stack: int) -> None:
        if posted != min(due, stack):
            raise HistoryError(
                f"{name} posted {self.amounts.value(posted)}, but by the stakes in the first line the blind is "
                f"{self.amounts.value(due)}."
            )

    def _posted(self) -> tuple[list[int], list[int], list[str]]:
        """Return what each seat posted that is no bet, the bets that were due, and what they are called."""
        count = len(self.players)
        antes, dead, bets, due = ([0] * count for _ in range(4))
        roles = [""] * count
        big = self.small if self.is_limit else self.big
        for name, kind, chips in self.posts:
            self.at = self.posts_at[name]
            seat, role, bet = self.players.index(name), POST, min(chips, big)
            if kind == "ante":
                antes[seat] += chips
                continue
            if kind in (SMALL_BLIND, BIG_BLIND) and kind not in roles:
                role, bet = kind, chips
            elif kind == STRADDLE:
                role, bet = kind, chips
                if chips <= big:
                    raise HistoryError(f"{name} straddles {self.amounts.value(chips)}, which is not above the blind.")
            elif kind in (SMALL_BLIND, "dead blind") or (kind == "missed blind" and chips < big):
                # Whoever missed only the small blind posts it for the pot.
                role, bet = "", 0
            dead[seat] += chips - bet
            if role and roles[seat]:
                raise HistoryError(f"{name} posts more than one bet.")
            if role:
                small = chips if self.is_limit else self.small
                roles[seat], bets[seat] = role, bet
                due[seat] = {SMALL_BLIND: small, STRADDLE: chips}.get(role, big)
        self._check_antes(antes, bets, dead)
        for seat, name in enumerate(self.players):
            if roles[seat]:
                self.at = self.posts_at[name]
                self._check_post(name, bets[seat], due[seat], self.stacks[seat] - antes[seat] - dead[seat])
        self.at = self.begin - 1
        if count > 2 and SMALL_BLIND in roles[1:]:
            raise HistoryError("The small blind was not posted by the player left of the dealer.")
        if SMALL_BLIND in roles and roles.index(BIG_BLIND) != (roles.index(SMALL_BLIND) + 1) % count:
            raise HistoryError("The big blind was not posted by the player after the one with the small blind.")
        return [ante + extra for ante, extra in zip(antes, dead, strict=True)], due, roles

    def _check_antes(self, antes: list[int], bets: list[int], dead: list[int]) -> None:
        """Raise :class:`HistoryError` unless one player posts the ante, or all post the same or their last chips."""
        self.at = self.begin - 1
        paid = [seat for seat, ante in enumerate(antes) if ante]
        if len(paid) not in (0, 1, len(antes)):
            missing = next(name for seat, name in enumerate(self.players) if seat not in paid)
            raise HistoryError(f"{missing} posts no ante, but {len(paid)} others do.")
        for seat in paid:
            if antes[seat] != max(antes) and antes[seat] + bets[seat] + dead[seat] != self.stacks[seat]:
                raise HistoryError(f"The ante of {self.players[seat]} is not that of the others.")

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _play(self, game: Game | TableRules) -> PlayedHand:
        self.replay = (
            TableReplay(game, self.amounts) if isinstance(game, TableRules) else Replay(game, self.amounts, self.blinds)
        )
        self.replay.names = self.players
        self.collected = [0 for _ in self.players]
        self.uncalled: tuple[int, int] | None = None
        self.rake: int | None = None
        self.total_pot: int | None = None
        self.said_won: dict[int, tuple[int, int]] = {}
        """What the summary says that the seats won, with the line."""
        self.total_at = self.at
        self.parts: list[int] = []
        """What the summary says of the main pot and the side pots."""
        self.place = ""
        summary = False
        for at, line in enumerate(self.lines[self.begin :], self.begin):
            if not line and not (summary and self.total_pot is not None):
                continue
            # Even if the line is not whole.
            begun = line.startswith(("Total pot", "Board", "Hand was run", *(f"{run} Board" for run in _RUNS)))
            if summary and not begun and self._result_of(line) is None:
                self.end = at
                break
            self.at = at
            if "Hand cancelled" in line:
                raise HistoryError("The hand was cancelled.")
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
            self._deal(*street.groups())
        elif (collected := _COLLECTED.match(line)) is not None and collected[1] in self.players:
            self.collected[self.players.index(collected[1])] += self.amounts.chips(collected[2])
            self.collected_at = self.at
        elif (uncalled := _UNCALLED.match(line)) is not None and uncalled[2] in self.players:
            self.uncalled_at = self.at
            self.uncalled = self.players.index(uncalled[2]), self.amounts.chips(uncalled[1])
        elif (name := _speaker(line, self.players)) is not None:
            if line.startswith(" said, ", len(name)):
                self.replay.comments.append((self.place, line))
            else:
                self._act(self.players.index(name), line, len(name) + 2)
        elif not _NOTE.fullmatch(line):
            raise self._unknown(line, "summary")

    def _deal(self, run: str | None, street: str, before: str | None, cards: str) -> None:
        """Deal a street: of the board, or of one of those that are run."""
        replay, number = self.replay, _RUNS.index(run) if run else 0
        if number and isinstance(replay, TableReplay):
            replay.run(number, _STREETS[street], replay.read_cards(cards))
            board = replay.boards[number][: _STREETS[street]]
        else:
            board = replay.state.board
            if len(board) != _STREETS[street]:
                raise HistoryError(f"The {street.lower()} cannot be dealt on a board of {len(board)} cards.")
            replay.deal(replay.read_cards(cards))
            self.place = f"board {len(replay.state.board)}"
        if before is not None and replay.read_cards(before) != board:
            raise HistoryError("The board is not the one that was dealt.")

    def _act(self, seat: int, line: str, at: int) -> None:
        replay, betting, shows = self.replay, self.replay.state.betting, _SHOW.match(line, at)
        if (action := _ACTION.match(line, at)) is not None:
            shows = action if action["cards"] else None
            if action["fold"]:
                replay.act(seat, FOLD)
            elif action["to"]:
                total = self.amounts.chips(action["to"]) + betting.before_street(seat)
                due, is_turn = betting.spent[seat] + betting.to_call_chips, betting.actor == seat
                if is_turn and not action["by"] and (betting.to_call_chips or not betting.round):
                    raise HistoryError("A bet is not possible here; it must be a raise.")
                if is_turn and action["by"] and total - due != self.amounts.chips(action["by"]):
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
        elif not shows and not re.match(
            r"(?:sits out|is |has |said|will |Chooses to EV|Pays Cashout|Receives Cashout)", line[at:]
        ):
            raise HistoryError(f"{line[at:].strip()!r} is not an action of hold'em.")
        # A hand is shown again for each board that is run.
        if shows and (len(replay.boards) == 1 or not any(other == seat for other, _ in replay.shown)):
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
            chips, self.total_at = self.amounts.chips, self.at
            fees = {name: chips(fee) for name, fee in _FEE.findall(total["fees"])}
            self.total_pot, self.rake = chips(total[1]), chips(total[3]) + sum(fees.values())
            self.parts = [chips(part) for part in _PART.findall(total["parts"])]
            if self.parts and sum(self.parts) not in (self.total_pot, self.total_pot - self.rake):
                said = self.amounts.value(sum(self.parts))
                raise HistoryError(f"The pots of the summary sum to {said}, which is not the pot.")
            if any(fees.values()):
                self.details["_fees"] = {name.lower(): self.amounts.value(fee) for name, fee in fees.items() if fee}
        elif (times := _TIMES.match(line)) is not None:
            if _COUNTS[times[1]] != len(self.replay.boards):
                raise HistoryError(f"The hand was run {times[1]}, but the boards dealt are {len(self.replay.boards)}.")
        elif (board := _BOARD.match(line)) is not None:
            number, dealt = _RUNS.index(board[1]) if board[1] else 0, self.replay.boards
            if number >= len(dealt) or self.replay.read_cards(board[2]) != dealt[number]:
                raise HistoryError("The board of the summary is not the one that was dealt.")
        elif (found := self._result_of(line)) is not None:
            self._result_line(*found)
        else:
            raise HistoryError(f"{line[:60]!r} is not a whole line of the summary.")

    def _result_line(self, number: int, result: re.Match[str]) -> None:
        """Take what the summary says of a player."""
        says, name = re.sub(rf"^{_PLACE} ?", "", result[0]), self.names[number]
        if number not in self.details["seats"]:
            if re.match(r"folded|showed|collected|mucked|won|lost", says):
                raise HistoryError(f"{name} does nothing in this hand, but the summary says {says[:40]!r}.")
            return
        seat = self.details["seats"].index(number)
        if says.startswith("folded") and seat in still_in(self.replay.state):
            raise HistoryError(f"{name} folded by the summary, but not by the actions.")
        if result[1]:
            self.replay.hold(seat, self.replay.read_cards(result[1]))
        if won := sum(map(self.amounts.chips, _WON.findall(says))):
            self.said_won[seat] = won, self.at

    def _finish(self) -> PlayedHand:
        pot, back = self.replay.pots() if self.replay.state.betting.is_over else (self.total_pot, ())
        if self.total_pot not in (None, pot):
            self.at = self.total_at
            raise HistoryError(f"The pot is {self.total_pot} chips in the summary and {pot} by the actions.")
        if isinstance(self.replay, TableReplay) and self.parts and back:
            self.at, pots = self.total_at, Pots.of(self.replay.at_table).pots
            rake = self.rake or 0
            for part, (own, _) in zip(self.parts, pots, strict=False):
                if len(pots) == len(self.parts) and not own - rake <= part <= own:
                    said, by_actions = self.amounts.value(part), self.amounts.value(own)
                    raise HistoryError(f"A pot is {said} in the summary and {by_actions} by the actions.")
        if back and self.uncalled is not None and back[self.uncalled[0]] != self.uncalled[1]:
            seat, chips = self.uncalled
            self.at = self.uncalled_at
            other = back.index(max(back))
            raise HistoryError(
                f"{self.players[seat]} got back {self.amounts.value(chips)} of a bet; by the actions "
                f"{self.players[other]} got back {self.amounts.value(back[other])}."
            )
        collected = Collected(
            ROOM, tuple(map(Decimal, self.collected)), includes_uncalled=False, before=(0,) * len(self.players)
        )
        hand = self.replay.finish(
            int(self.header["number"]),
            self.players,
            self.details,
            collected=[collected] if any(self.collected) else [],
            rake=None if self.rake is None else Decimal(self.rake),
        )
        for seat, (chips, at) in self.said_won.items():
            self.at = at
            if any(self.collected) and chips != self.collected[seat]:
                raise HistoryError(
                    f"{self.players[seat]} won {self.amounts.value(chips)} by the summary, but collected "
                    f"{self.amounts.value(self.collected[seat])}."
                )
        return hand


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
