"""Poker hand histories (PHH): TOML files of one hand (``.phh``) or of many in numbered tables (``.phhs``).

Source: J. Kim, "Recording and Describing Poker Hands" (IEEE CoG 2024), and the specification of the format.  Read and
written are limit and no-limit hold'em (variants ``FT`` and ``NT``) for two.  Games that the format has no variant for,
such as Leduc, and hands of a spot, are written with the variant ``errai`` and the rules in ``_game`` or ``_spot``; the
file format is the same, but other programs will refuse them.

Players are in the order of their positions, p1 being the big blind and p2 the dealer, which are seats 0 and 1 here;
blinds are in the reverse order, the smaller first.  ``cbr`` is a bet or raise *to* an amount within the round.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from errai.arena.histories import NUMBERED, Piece
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
    part_text,
    rake_of,
    result_of,
    shown_of,
    texts_of,
    unknown_text,
)
from errai.arena.histories.settlement import Amounts, Collected, StatementError, from_stacks, shares
from errai.errors import ErraiError, HistoryError
from errai.games.betting import ActionKind
from errai.games.game import UNCAPPED_RAISES, Game
from errai.games.gamedef import parse_game
from errai.games.hand import CALL, FOLD, Action, PlayedHand, PublicState, raise_to
from errai.games.spot import Spot, parse_spot
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

_HEADER = re.compile(rf"\A(?:{NUMBERED})", re.MULTILINE)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_KEY = re.compile(r"\s*[\w\"'.-]+\s*=")
_ERROR_LINE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def reader(text: str, game: Game | None) -> Callable[[Piece], Iterator[PlayedHand | HistoryError]]:
    """See :meth:`errai.arena.histories.Format.read`."""
    return _read_piece


def _read_piece(piece: Piece) -> Iterator[PlayedHand | HistoryError]:
    """Yield one hand, or several in tables with names; an error with its line for a hand that cannot be read."""
    text, line = piece.text, piece.line
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
        reader = _HandReader(table, piece.ordinal)
        try:
            yield reader.read()
        except ErraiError as error:
            field = error.field if isinstance(error, StatementError) else ""
            yield HistoryError(getattr(error, "message", str(error)), line=_line_of(reader, text, line, field))
    if rest is not None:
        yield rest


def toml_table(text: str, line: int) -> dict[str, Any] | HistoryError:
    """Return the keys of a hand, or the error that says why its text is not TOML."""
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
    """Return the line of the field that is at fault, else of the action that was read last, else of the hand."""
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
        self.blinds: tuple[int, int] | None = None

    def read(self) -> PlayedHand:
        """Return the hand.  Raises :class:`HistoryError`."""
        variant = self.data.get("variant")
        stacks = self._numbers("starting_stacks") if variant != OWN_VARIANT else []
        if variant != OWN_VARIANT and len(stacks) != 2:
            raise HistoryError(f"{len(stacks)} players sat at the table; only hands of two players can be read.")
        return first_that_fits(self._subjects(variant, stacks), self._played)

    # --- the rules ---------------------------------------------------------------------------------------------------

    def _subjects(self, variant: Any, stacks: list[Any]) -> list[Subject]:
        """Return the possible games of the hand, the likeliest first; sets the unit of amounts."""
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
                raise HistoryError("The hand has antes and blinds; only hands with one of the two can be read.")
            posted = (chips(antes[0]), chips(antes[1]))
        if not any(posted):
            raise HistoryError("No blind or ante is posted.")
        self.blinds = posted
        if variant == "FT":
            sizes = (chips(bets[0]), chips(bets[1]))
            return [limit(posted, stack, sizes, caps) for caps in self._caps(LIMIT_CAPS)]
        if chips(bets[0]) != max(posted):
            raise HistoryError(f"min_bet is {bets[0]}; it must be the big blind, {self.amounts.value(max(posted))}.")
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
            raise HistoryError(f"_chips_per_unit must be 1, 100, 1000, ... or 1000000, not {stated!r}.")
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
        """Return the amounts of all bets, which determine the unit."""
        words = (action.partition("#")[0].split() for action in self._actions())
        return [word[2] for word in words if len(word) == 3 and word[1] == "cbr"]

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _played(self, subject: Subject) -> PlayedHand:
        replay = Replay(subject)
        seen: dict[str, int] = {}
        place = ""
        for text in self._actions():
            seen[text] = seen.get(text, 0) + 1
            self.action = text, seen[text]
            words, sign, comment = text.partition("#")
            place = self._apply(words.split(), replay) or place
            if sign:
                replay.comments.append((place, comment.strip()))
        self.action = None
        known = READ_KEYS | OWN_KEYS | IMPLIED_KEYS
        details = {key: value for key, value in self.data.items() if key not in known}
        number, players = self._names(details)
        if "_dealt" in details:
            details["_dealt"] = self._seats(details["_dealt"])
        hand = replay.finish(
            number,
            players,
            details,
            stated=self._stated_net(),
            amounts=self.amounts,
            blinds=self.blinds,
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
                replay.deal(replay.read_cards(cards))
                return f"board {len(replay.state.board)}"
            case ["d", "dh", player, cards]:
                seat = self._seat(player)
                replay.hold_at_deal(seat, self._known_cards(cards, replay))
                return f"deal {seat}"
            case [player, "sm"]:
                replay.shown.append((self._seat(player), False))
                return f"show {self._seat(player)}"
            case [player, "sm", cards]:
                # A dash is the hand that is known already; unknown cards were neither shown nor mucked.
                seat = self._seat(player)
                held = replay.hole[seat] if cards == "-" else self._known_cards(cards, replay)
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
                raise HistoryError(f"{' '.join(words)!r} is not an action of hold'em.")
        return f"action {len(replay.state.line) - 1}"

    @staticmethod
    def _seat(player: str) -> int:
        if player not in ("p1", "p2"):
            raise HistoryError(f"There is no player {player!r}; the players are p1 and p2.")
        return 0 if player == "p1" else 1

    @staticmethod
    def _known_cards(text: str, replay: Replay) -> tuple[int, ...]:
        """Return the known cards of a hand such as ``Qh??``."""
        cards = [text[i : i + 2] for i in range(0, len(text), 2)]
        count = replay.subject.rules.num_hole_cards
        if len(cards) > count:
            raise HistoryError(f"{text!r} has {len(cards)} cards; a hand of this game has {count}.")
        known = "".join(card for card in cards if card != "??")
        return replay.read_cards(known) if known else ()

    @staticmethod
    def _seats(value: Any) -> tuple[int, ...]:
        if value not in ([], [0], [1], [0, 1], [1, 0]):
            raise HistoryError("_dealt must be a list of the seats 0 and 1.")
        return tuple(value)

    def _names(self, details: dict[str, Any]) -> tuple[int, tuple[str, str]]:
        """Return the number of the hand and the players' names."""
        number = self.data.get("hand", self.ordinal)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            details["hand"] = number
            number = self.ordinal
        players = self.data.get("players", list(DEFAULT_PLAYERS))
        if not isinstance(players, list) or len(players) != 2 or not all(isinstance(name, str) for name in players):
            raise HistoryError("players must be the names of two players.")
        return number, (players[0], players[1])

    def _stated_net(self) -> tuple[float, float] | None:
        """Return what ``_net`` says that the seats won, before rake; None where it is missing."""
        if "_net" not in self.data:
            return None
        net = self._numbers("_net")
        if len(net) != 2 or not all(isinstance(value, (int, Decimal)) for value in net):
            raise HistoryError("_net must be a list of two amounts, what each player won.")
        # Not whole chips where a spot's odd pot is shared.
        first, second = (float(value * self.amounts.chips_per_unit) for value in net)
        if not first + second == 0.0:
            raise HistoryError(f"The amounts in _net must sum to 0, not {first + second:g}.")
        return first, second

    def _collected(self, state: PublicState) -> list[Collected]:
        """Return what ``winnings`` and ``finishing_stacks`` say that the seats took from the pot.

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
        """Return a field with an amount for each player, in chips."""
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


# --- writing -------------------------------------------------------------------------------------------------------


def write(hands: Sequence[PlayedHand], stem: str) -> Written:
    """See :meth:`errai.arena.histories.Format.write`; a single hand has a file of its own kind."""
    texts, faults = texts_of(hands, phh_text)
    documents = {f"{stem}.phhs": _in_tables(texts)} if len(texts) > 1 else {f"{stem}.phh": text for text in texts}
    return Written({**documents}, len(texts), tuple(faults))


def phh_text(hand: PlayedHand) -> str:
    """Write one hand as a PHH file.

    Raises :class:`HistoryError` if the hand is not over, or a detail has a type that TOML lacks.
    """
    return "".join(f"{_key(key)} = {toml_value(value)}\n" for key, value in phh_fields(hand).items())


def phhs_text(hands: Iterable[PlayedHand]) -> str:
    """Write many hands as one file; errors as :func:`phh_text`."""
    return _in_tables(map(phh_text, hands))


def _in_tables(texts: Iterable[str]) -> str:
    return "\n".join(f"[{number}]\n{text}" for number, text in enumerate(texts, 1))


def phh_fields(hand: PlayedHand) -> dict[str, Any]:
    """Return the keys of a hand and their values, in the order of the format."""
    final = hand.final_state()
    if not final.is_over:
        raise HistoryError(f"Hand {hand.number} is not over; a history has whole hands only.")
    amounts, rake = amounts_of(hand), rake_of(hand)
    fields = _rules(hand, amounts)
    fields["actions"] = _actions(hand, final, amounts)
    fields["hand"] = hand.details.get("hand", hand.number)
    if result_of(final, hand.hole, shown_of(hand, final)) is None:
        fields["_net"] = [amounts.value(chips) for chips in hand.net_chips]
    if hand.players != DEFAULT_PLAYERS:
        fields["players"] = list(hand.players)
    for key, detail in hand.details.items():
        if key not in READ_KEYS | OWN_KEYS | IMPLIED_KEYS | {"_dealt"}:
            fields[key] = detail
    if rake:
        fields.setdefault("winnings", winnings_of(hand))
        fields["_rake"] = amounts.value(rake)
    money = any(isinstance(fields.get(key), str) for key in ("currency", "currency_symbol"))
    if Amounts.fitting(_amounts_in(fields), money=money) != amounts:
        fields["_chips_per_unit"] = amounts.chips_per_unit
    held = [seat for seat in (0, 1) if hand.hole[seat] is not None]
    if _in_deal(hand, final) != list(dealt_of(hand)) and held:
        fields["_dealt"] = list(dealt_of(hand))
    return fields


def _rules(hand: PlayedHand, amounts: Amounts) -> dict[str, Any]:
    """Return the fields of the rules: the variant, blinds, bets and stacks."""
    subject, value = hand.subject, amounts.value
    if isinstance(subject, Spot):
        return {"variant": OWN_VARIANT, "_spot": subject.to_toml()}
    blinds, game = blinds_of(hand), subject.rules
    if not is_holdem(game, blinds):
        return {"variant": OWN_VARIANT, "_game": game.to_text(), "_game_name": game.name}
    fields: dict[str, Any] = {
        "variant": "FT" if game.limit else "NT",
        "antes": [0, 0],
        "blinds_or_straddles": [value(blinds[1]), value(blinds[0])],
    }
    if game.limit:
        fields |= {"small_bet": value(game.raise_sizes[0]), "big_bet": value(game.raise_sizes[-1])}
    else:
        fields["min_bet"] = value(max(blinds))
    stacks = [Decimal("inf") if is_unlimited(stack) else value(stack) for stack in game.stacks]
    fields["starting_stacks"] = stacks
    if _needs_caps(game):
        fields["_max_raises"] = list(game.max_raises)
    return fields


def _needs_caps(game: Game) -> bool:
    """Return whether the number of raises has to be written, because it is not the one that a reader assumes."""
    return game.max_raises != (LIMIT_CAPS[0] if game.limit else (UNCAPPED_RAISES,) * game.num_rounds)


def _amounts_in(fields: dict[str, Any]) -> list[Any]:
    """Return the amounts by which a reader determines the unit."""
    found: list[Any] = []
    if fields["variant"] == OWN_VARIANT:
        return found
    for key in ("blinds_or_straddles", "starting_stacks"):
        found.extend(fields.get(key, ()))
    found.extend(fields[key] for key in ("small_bet", "big_bet", "min_bet") if key in fields)
    words = (action.partition("#")[0].split() for action in fields["actions"])
    found.extend(word[2] for word in words if len(word) == 3 and word[1] == "cbr")
    return found


def _in_deal(hand: PlayedHand, final: PublicState) -> list[int]:
    """Seats whose cards are written at the deal: those seen at the deal, and those never shown."""
    dealt, showing = dealt_of(hand), {seat for seat, cards_shown in shown_of(hand, final) if cards_shown is True}
    return [seat for seat in (0, 1) if hand.hole[seat] is not None and (seat in dealt or seat not in showing)]


def _actions(hand: PlayedHand, final: PublicState, amounts: Amounts) -> list[str]:
    """Return all actions in order, with the comments behind them."""
    deck, comments = hand.subject.deck, comments_of(hand)
    lines: list[str] = []

    def add(place: str, text: str) -> None:
        first, *more = comments.pop(place, [""])
        lines.append(f"{text} # {first}" if first else text)
        lines.extend(f"# {comment}" for comment in more)

    lines.extend(f"# {comment}" for comment in comments.pop("", ()))
    in_deal = _in_deal(hand, final)
    parts = part_of(hand)
    for seat in (0, 1):
        cards = hand.hole[seat] if seat in in_deal else parts.get(seat)
        add(f"deal {seat}", f"d dh p{seat + 1} {part_text(hand.subject, cards or ())}")

    on_table = len(PublicState.start(hand.subject).board)

    def deal_until(count: int, round_ends: list[int]) -> None:
        nonlocal on_table
        for end in round_ends:
            if on_table < end <= count:
                add(f"board {end}", f"d db {deck.cards_text(hand.board[on_table:end])}")
                on_table = end

    game = hand.subject.rules
    ends = [game.board_cards_in(round) for round in range(game.num_rounds)]
    for number, (state, action) in enumerate(hand.moments()):
        deal_until(len(state.board), ends)
        add(f"action {number}", _action_text(state, action, amounts))
    closed = on_table == len(final.board)
    shows = shown_of(hand, final)
    # After an all-in the cards are shown before the rest of the board comes.
    for seat, cards_shown in shows:
        held = hand.hole[seat] if cards_shown is True else cards_shown
        text = f" {part_text(hand.subject, held)}" if isinstance(held, tuple) else ""
        add(f"show {seat}", f"p{seat + 1} sm{text}")
    if not closed:
        deal_until(len(final.board), ends)
    return lines


def _action_text(state: PublicState, action: Action, amounts: Amounts) -> str:
    player = f"p{state.betting.actor + 1}"
    if action.kind == ActionKind.FOLD:
        return f"{player} f"
    if action.kind == ActionKind.CALL:
        return f"{player} cc"
    before = state.betting.round_start[state.betting.actor] if state.betting.round else 0
    total = state.after(action).actions[len(state.actions) - 1][-1].total
    return f"{player} cbr {amounts.value(total - before)}"


def toml_value(value: Any) -> str:
    """Write a value in TOML.  Raises :class:`HistoryError` for a type that TOML lacks."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # A JSON string is a TOML string, except that TOML needs the delete character escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, (Decimal, float)):
        number = Decimal(value) if isinstance(value, Decimal) else Decimal(repr(value))
        if not number.is_finite():
            return str(number).lower().replace("infinity", "inf")
        text = format(number, "f")
        return text if "." in text else f"{text}.0"
    if isinstance(value, (int, date, time, datetime)):
        return str(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {toml_value(item)}" for key, item in value.items()) + "}"
    raise HistoryError(f"{value!r} cannot be written to a PHH file.")


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else toml_value(key)
