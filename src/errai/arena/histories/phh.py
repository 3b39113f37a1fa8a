"""Poker hand histories (PHH): TOML files of one hand (``.phh``) or of many in numbered tables (``.phhs``).

Source: J. Kim, "Recording and Describing Poker Hands" (IEEE CoG 2024), and the specification of the format.  Read and
written are limit and no-limit hold'em (variants ``FT`` and ``NT``) for two.  Games that the format has no variant for,
such as Leduc, and hands of a spot, are written with the variant ``errai`` and the rules in ``_game`` or ``_spot``; the
file format is the same, but other programs will refuse them.

Players are in the order of their positions, p1 being the big blind and p2 the dealer, which are seats 0 and 1 here;
blinds are in the reverse order, the smaller first.  ``cbr`` is a bet or raise *to* an amount within the round.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

from errai.arena.histories.amounts import Amounts
from errai.arena.histories.holdem import LIMIT_CAPS, limit, no_limit
from errai.arena.histories.record import Replay, amounts_of, rake_of, unknown_text
from errai.arena.histories.settlement import Collected, StatementError, from_stacks, shares
from errai.errors import CardParseError, CardsError, ErraiError, HistoryError
from errai.games.game import Game
from errai.games.gamedef import parse_game
from errai.games.hand import CALL, FOLD, PlayedHand, PublicState, raise_to
from errai.games.spot import parse_spot
from errai.games.subject import UNLIMITED_CHIPS, Subject
from errai.games.toml_lines import read_toml

OWN_VARIANT = "errai"
"""The variant of games and spots for which PHH has none."""

DEFAULT_PLAYERS = ("p1", "p2")

_RULES = ("variant", "antes", "blinds_or_straddles", "small_bet", "big_bet", "min_bet", "starting_stacks")
READ_KEYS = frozenset((*_RULES, "actions", "hand", "players"))
"""Keys that describe the hand itself; all others are kept as details."""

OWN_KEYS = frozenset(("_chips_per_unit", "_game", "_game_name", "_spot", "_max_raises", "_net", "_rake"))

IMPLIED_KEYS = frozenset(("_blinds", "_shown", "_partly_known", "_comments"))
"""Details that follow from the rules and actions."""

NUMBERED = r"^[ \t]*\[[ \t]*[\"']?\d+[\"']?[ \t]*\][ \t]*(?:#[^\n]*)?$"
"""The header of a table in a file of many hands, as ``[12]``."""

_HEADER = re.compile(rf"\A(?:{NUMBERED})", re.MULTILINE)
_KEY = re.compile(r"\s*[\w\"'.-]+\s*=")
_ERROR_LINE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_tables(text: str, line: int, ordinal: int) -> Iterator[PlayedHand | HistoryError]:
    """Read one hand of a PHH file, or several in tables with names.

    Parameters
    ----------
    text:
        The hand's TOML, with or without the header of its table.
    line:
        The number of its first line in the file.
    ordinal:
        The hand's number where it states none.

    Yields
    ------
    The hand, or an error with its line for a hand that cannot be read.
    """
    header = _HEADER.search(text)
    if header is not None:
        line += text.count("\n", 0, header.end())
        text = text[header.end() :]
    whole = toml_table(text, line)
    rest: HistoryError | None = None
    if isinstance(whole, HistoryError):
        # What stands behind a whole hand and has none of its keys is not a part of it.
        lines, end = text.split("\n"), (whole.line or line) - line
        table = None if any(map(_KEY.match, lines[end:])) else toml_table("\n".join(lines[:end]), line)
        rest = unknown_text(lines[end:], line + end)
        if not isinstance(table, dict) or "variant" not in table or rest is None:
            yield whole
            return
        whole = table
    several = whole and all(isinstance(value, dict) for value in whole.values())
    for table in whole.values() if several else (whole,):
        reader = _HandReader(table, ordinal)
        try:
            yield reader.read()
        except ErraiError as error:
            field = error.field if isinstance(error, StatementError) else ""
            yield HistoryError(getattr(error, "message", str(error)), line=_line_of(reader, text, line, field))
    if rest is not None:
        yield rest


def toml_table(text: str, line: int) -> dict[str, Any] | HistoryError:
    """The keys of a hand, or the error that says why its text is not TOML."""
    try:
        return read_toml(text, parse_float=Decimal)
    except RecursionError:
        return HistoryError("The hand nests lists or tables too deeply.", line=line)
    except (ValueError, ArithmeticError) as error:
        place = _ERROR_LINE.search(str(error))
        message = str(error)[: place.start()] if place else str(error)
        if place is None or place[1] is None:
            at = line if place is None else line + text.rstrip().count("\n")
            return HistoryError(f"The hand is not valid TOML: {message}.", line=at)
        at = line + int(place[1]) - 1
        return HistoryError(f"The hand is not valid TOML: {message}.", line=at, column=int(place[2]))


def _line_of(reader: _HandReader, text: str, line: int, field: str) -> int:
    """The line of the field that is at fault, else of the action that was read last, else of the hand."""
    if field and (found := re.search(rf"^[ \t]*[\"']?{field}[\"']?[ \t]*=", text, re.MULTILINE)) is not None:
        return line + text.count("\n", 0, found.start())
    if reader.action is None:
        return line
    wanted, occurrence = reader.action
    at = -1
    for _ in range(occurrence):
        at = min((i for quote in "'\"" if (i := text.find(quote + wanted, at + 1)) >= 0), default=-1)
        if at < 0:
            return line
    return line + text.count("\n", 0, at)


class _HandReader:
    """Reads one table."""

    def __init__(self, data: dict[str, Any], ordinal: int) -> None:
        self.data = data
        self.ordinal = ordinal
        self.action: tuple[str, int] | None = None
        """The action being read, and the count of its text so far."""

    def read(self) -> PlayedHand:
        """The hand.  Raises :class:`HistoryError`."""
        variant = self.data.get("variant")
        stacks = self._numbers("starting_stacks") if variant != OWN_VARIANT else []
        if variant != OWN_VARIANT and len(stacks) != 2:
            raise HistoryError(f"{len(stacks)} players sat at the table; only hands of two players can be read.")
        subjects = self._subjects(variant, stacks)
        for i, subject in enumerate(subjects):
            try:
                return self._played(subject)
            except HistoryError:
                if i == len(subjects) - 1:
                    raise
        raise AssertionError("there is always a game to try")

    # --- the rules ---------------------------------------------------------------------------------------------------

    def _subjects(self, variant: Any, stacks: list[Any]) -> list[Subject]:
        """The possible games of the hand, the likeliest first; sets the unit of amounts."""
        money = any(isinstance(self.data.get(key), str) for key in ("currency", "currency_symbol"))
        if variant == OWN_VARIANT:
            self.amounts = self._amounts([], money=money)
            return [self._own_subject()]
        if variant not in ("FT", "NT"):
            raise HistoryError(f"The variant {variant!r} is not hold'em; only FT and NT can be read.")
        antes, blinds = self._numbers("antes"), self._numbers("blinds_or_straddles")
        if len(antes) != 2 or len(blinds) != 2:
            raise HistoryError("antes and blinds_or_straddles need one value for each of the two players.")
        names = ("small_bet", "big_bet") if variant == "FT" else ("min_bet",)
        bets = [self._number(key) for key in names]
        self.amounts = self._amounts([*antes, *blinds, *stacks, *bets, *self._raises()], money=money)
        chips = self.amounts.chips
        stack = (chips(stacks[0]), chips(stacks[1]))
        posted = (chips(blinds[1]), chips(blinds[0]))
        if chips(antes[0]) or chips(antes[1]):
            if any(posted):
                raise HistoryError("Antes beside blinds are rules that games for two do not have here.")
            posted = (chips(antes[0]), chips(antes[1]))
        if not any(posted):
            raise HistoryError("No blind or ante is posted.")
        self.blinds = posted
        if variant == "FT":
            sizes = (chips(bets[0]), chips(bets[1]))
            return [limit(posted, stack, sizes, caps) for caps in self._caps(LIMIT_CAPS)]
        if chips(bets[0]) != max(posted):
            raise HistoryError(f"The smallest bet is {bets[0]}, which is not the big blind.")
        return [no_limit(posted, stack, caps) for caps in self._caps(((),))]

    def _caps(self, default: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        caps = self.data.get("_max_raises")
        if caps is None:
            return default
        if not isinstance(caps, list) or not all(isinstance(cap, int) for cap in caps):
            raise HistoryError("_max_raises must be a list of whole numbers.")
        return (tuple(caps),)

    def _own_subject(self) -> Subject:
        game, spot = self.data.get("_game"), self.data.get("_spot")
        if isinstance(spot, str):
            return parse_spot(spot)
        if not isinstance(game, str):
            raise HistoryError(f"A hand of the variant {OWN_VARIANT!r} needs its rules in _game or _spot.")
        name = self.data.get("_game_name", "game")
        found: Game = parse_game(game, name if isinstance(name, str) else "game")
        self.blinds = found.blinds
        return found

    def _amounts(self, values: list[Any], *, money: bool) -> Amounts:
        stated = self.data.get("_chips_per_unit")
        if stated is None:
            return Amounts.fitting(values, money=money)
        if isinstance(stated, bool) or not isinstance(stated, int) or stated not in (1, *(10**i for i in range(2, 7))):
            raise HistoryError(f"_chips_per_unit is {stated!r}; it is 1, 100, 1000, ... or 1000000.")
        return Amounts(stated)

    def _numbers(self, key: str) -> list[Any]:
        values = self.data.get(key)
        if not isinstance(values, list):
            raise HistoryError(f"{key} is missing or not a list.")
        return values

    def _number(self, key: str) -> Any:
        if key not in self.data:
            raise HistoryError(f"{key} is missing.")
        return self.data[key]

    def _actions(self) -> list[str]:
        actions = self.data.get("actions")
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise HistoryError("actions is missing or not a list of texts.")
        return actions

    def _raises(self) -> list[str]:
        """The amounts of all bets, which determine the unit."""
        words = (action.partition("#")[0].split() for action in self._actions())
        return [word[2] for word in words if len(word) == 3 and word[1] == "cbr"]

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _played(self, subject: Subject) -> PlayedHand:
        replay = Replay(subject)
        comments: list[tuple[str, str]] = []
        seen: dict[str, int] = {}
        place = ""
        for text in self._actions():
            seen[text] = seen.get(text, 0) + 1
            self.action = text, seen[text]
            words, sign, comment = text.partition("#")
            place = self._apply(words.split(), replay) or place
            if sign:
                comments.append((place, comment.strip()))
        self.action = None
        known = READ_KEYS | OWN_KEYS | IMPLIED_KEYS
        details = {key: value for key, value in self.data.items() if key not in known}
        number, players = self._names(details)
        if self.amounts.chips_per_unit != 1:
            details["_chips_per_unit"] = self.amounts.chips_per_unit
        if subject.whole_game is not None and subject.rules.blinds != self.blinds:
            details["_blinds"] = self.blinds
        if comments:
            details["_comments"] = tuple(comments)
        if "_dealt" in details:
            details["_dealt"] = self._seats(details["_dealt"])
        hand = replay.finish(
            number,
            players,
            details,
            stated=self._stated_net(),
            amounts=self.amounts,
            collected=self._collected(replay.state),
            rake=self._field_amounts("_rake", [self.data["_rake"]])[0] if "_rake" in self.data else None,
        )
        if "winnings" in hand.details and hand.details["winnings"] == winnings_of(hand):
            return replace(hand, details={key: value for key, value in hand.details.items() if key != "winnings"})
        return hand

    def _apply(self, words: list[str], replay: Replay) -> str:
        """Apply one action; returns the place of a comment behind it, or '' if there is only a comment."""
        match words:
            case []:
                return ""
            case ["d", "db", cards]:
                replay.deal(self._cards(cards, replay.subject))
                return f"board {len(replay.state.board)}"
            case ["d", "dh", player, cards]:
                seat = self._seat(player)
                replay.hold_at_deal(seat, self._known_cards(cards, replay.subject))
                return f"deal {seat}"
            case [player, "sm"]:
                replay.shown.append((self._seat(player), False))
                return f"show {self._seat(player)}"
            case [player, "sm", cards]:
                # A dash is the hand that is known already; unknown cards were neither shown nor mucked.
                seat = self._seat(player)
                held = replay.hole[seat] if cards == "-" else self._known_cards(cards, replay.subject)
                if held is None:
                    raise HistoryError(f"p{seat + 1} shows cards that are not known.")
                replay.show(seat, held)
                return f"show {seat}"
            case [player, "f"]:
                replay.act(self._seat(player), FOLD)
            case [player, "cc"]:
                replay.act(self._seat(player), CALL)
            case [player, "cbr", amount]:
                seat = self._seat(player)
                before = replay.state.betting.round_start[seat] if replay.state.betting.round else 0
                replay.act(seat, raise_to(before + self.amounts.chips(amount)))
            case _:
                raise HistoryError(f"{' '.join(words)!r} is no action of hold'em.")
        return f"action {len(replay.state.line) - 1}"

    @staticmethod
    def _seat(player: str) -> int:
        if player not in ("p1", "p2"):
            raise HistoryError(f"{player!r} is none of the players p1 and p2.")
        return 0 if player == "p1" else 1

    @staticmethod
    def _cards(text: str, subject: Subject) -> tuple[int, ...]:
        try:
            return subject.deck.parse_cards(text)
        except (CardParseError, CardsError) as error:
            raise HistoryError(str(error)) from error

    def _known_cards(self, text: str, subject: Subject) -> tuple[int, ...]:
        """The known cards of a hand such as ``Qh??``."""
        cards = [text[i : i + 2] for i in range(0, len(text), 2)]
        count = subject.rules.num_hole_cards
        if len(cards) > count:
            raise HistoryError(f"{text!r} is {len(cards)} cards, and a hand here is {count}.")
        known = "".join(card for card in cards if card != "??")
        return self._cards(known, subject) if known else ()

    @staticmethod
    def _seats(value: Any) -> tuple[int, ...]:
        if value not in ([], [0], [1], [0, 1], [1, 0]):
            raise HistoryError("_dealt must be a list of the seats 0 and 1.")
        return tuple(value)

    def _names(self, details: dict[str, Any]) -> tuple[int, tuple[str, str]]:
        """The number of the hand and the players' names."""
        number = self.data.get("hand", self.ordinal)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            details["hand"] = number
            number = self.ordinal
        players = self.data.get("players", list(DEFAULT_PLAYERS))
        if not isinstance(players, list) or len(players) != 2 or not all(isinstance(name, str) for name in players):
            raise HistoryError("players must be the names of two players.")
        return number, (players[0], players[1])

    def _stated_net(self) -> tuple[float, float] | None:
        """What ``_net`` says that the seats won, before rake; None where it is missing."""
        if "_net" not in self.data:
            return None
        net = self._numbers("_net")
        if len(net) != 2 or not all(isinstance(value, (int, Decimal)) for value in net):
            raise HistoryError("_net must be what the two players won.")
        # Not whole chips where a spot's odd pot is shared.
        first, second = (float(value * self.amounts.chips_per_unit) for value in net)
        if not first + second == 0.0:
            raise HistoryError("What the players won does not sum to 0 in _net.")
        return first, second

    def _collected(self, state: PublicState) -> list[Collected]:
        """What ``winnings`` and ``finishing_stacks`` say that the seats took from the pot.

        By the format's specification ``winnings`` are the collected pots after rake.  It leaves open whether the part
        of a bet that was not called is in them, and programs differ.  Zeros for both, which programs write where they
        do not know the amounts, say nothing.
        """
        found = []
        stacks = state.subject.rules.stacks
        if "winnings" in self.data:
            chips = self._pair("winnings")
            if any(chips):
                found.append(Collected("winnings", chips, includes_uncalled=None))
        if "finishing_stacks" in self.data and max(stacks) < UNLIMITED_CHIPS:
            found.append(from_stacks(state, stacks, self._pair("finishing_stacks")))
        # Stacks leave nothing open, so they decide how the winnings are to be read.
        return found[::-1]

    def _pair(self, key: str) -> tuple[Decimal, Decimal]:
        """A field with an amount for each player, in chips."""
        values = self.data[key]
        if not isinstance(values, list) or len(values) != 2:
            raise StatementError(f"{key} must be a list of two amounts, one for each player.", key)
        first, second = self._field_amounts(key, values)
        return first, second

    def _field_amounts(self, key: str, values: list[Any]) -> list[Decimal]:
        try:
            return [self.amounts.exact(value) for value in values]
        except HistoryError as error:
            raise StatementError(f"{key}: {error.message}", key) from error


def winnings_of(hand: PlayedHand) -> list[Decimal | int] | None:
    """``winnings`` as they are written for a hand: what both collected after rake; None without rake."""
    rake = rake_of(hand)
    if not rake:
        return None
    state = hand.final_state()
    pot = 2 * (state.betting.stake_chips + Decimal(state.dead_chips))
    return [amounts_of(hand).value(chips) for chips in shares(hand.net_chips, pot, rake)]
