"""Poker hand histories (PHH): TOML files of one hand (``.phh``) or of many in numbered tables (``.phhs``).

Source: J. Kim, "Recording and Describing Poker Hands" (IEEE CoG 2024), and the specification of the format.  Read and
written are limit and no-limit hold'em (variants ``FT`` and ``NT``) for two to ten players.  Games that the format has
no variant for, such as Leduc, and hands of a spot, are written with the variant ``errai`` and the rules in ``_game`` or
``_spot``; the file format is the same, but other programs will refuse them.

Players are in the order of their positions.  Of two, p1 is the big blind and p2 the dealer, which are seats 0 and 1
here; antes and blinds are in the reverse order, the smaller first.  Of more, p1 is left of the dealer, who is the last,
and so are the blinds; a bet that a player posts to come back is negative.  ``cbr`` is a bet or raise *to* an amount
within the round.  ``antes`` hold all that is posted and is no bet; ``ante_trimming_status`` is true where all post the
same, so that a stack too short for it wins only as much from the others.  Boards after the first are in ``_boards``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from errai.arena.histories import NUMBERED, Piece
from errai.arena.histories.holdem import LIMIT_CAPS, holdem, is_holdem
from errai.arena.histories.record import Replay, Told, Written, first_that_fits, texts_of, unknown_text
from errai.arena.histories.settlement import Amounts, Collected, StatementError, pot_of, shares
from errai.arena.histories.table_hand import (
    BIG_BLIND,
    POST,
    SMALL_BLIND,
    STRADDLE,
    TableHand,
    TableRules,
)
from errai.arena.histories.table_replay import TableReplay
from errai.errors import ErraiError, HistoryError
from errai.games.betting import ActionKind
from errai.games.catalogue import parse_game
from errai.games.game import UNCAPPED_RAISES, UNLIMITED_CHIPS, Game, Subject
from errai.games.hand import CALL, FOLD, Action, PlayedHand, raise_to
from errai.games.ring import MOST
from errai.games.spot import Spot, parse_spot
from errai.games.text_files import read_toml, toml_key, toml_of_json

OWN_VARIANT = "errai"
"""The variant of games and spots for which PHH has none."""

_RULES = ("variant", "antes", "blinds_or_straddles", "small_bet", "big_bet", "min_bet", "starting_stacks")
READ_KEYS = frozenset((*_RULES, "actions", "hand", "players"))
"""Keys that describe the hand itself; all others are kept as details."""

OWN_KEYS = frozenset(("_chips_per_unit", "_game", "_game_name", "_spot", "_max_raises", "_net", "_rake"))

TABLE_KEYS = frozenset(("ante_trimming_status", "_boards"))
"""Keys that describe a hand at a table."""

IMPLIED_KEYS = frozenset(("_blinds", "_shown", "_partly_known", "_comments"))
"""Details that follow from the rules and actions."""

_HEADER = re.compile(rf"\A(?:{NUMBERED})", re.MULTILINE)
_KEY = re.compile(r"\s*[\w\"'.-]+\s*=")


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
        return read_toml(text, "The hand", HistoryError, parse_float=Decimal)
    except HistoryError as error:
        return HistoryError(error.message, line=line + (error.line or 1) - 1, column=error.column)


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
        self.count = 2

    def read(self) -> PlayedHand:
        """Return the hand.  Raises :class:`HistoryError`."""
        variant = self.data.get("variant")
        stacks = self._numbers("starting_stacks") if variant != OWN_VARIANT else []
        if variant != OWN_VARIANT and not 2 <= len(stacks) <= MOST:
            raise HistoryError(f"{len(stacks)} players sat at the table; hands of 2 to {MOST} can be read.")
        self.count = len(stacks) or 2
        return first_that_fits(self._subjects(variant, stacks), self._played)

    # --- the rules ---------------------------------------------------------------------------------------------------

    def _subjects(self, variant: Any, stacks: list[Any]) -> Sequence[Subject | TableRules]:
        """Return the possible games of the hand, the likeliest first; sets the unit of amounts."""
        money = any(isinstance(self.data.get(key), str) for key in ("currency", "currency_symbol"))
        if variant == OWN_VARIANT:
            self.amounts = self._amounts([], money=money)
            return [self._own_subject()]
        if variant not in ("FT", "NT"):
            raise HistoryError(f"The variant {variant!r} is not hold'em; only FT and NT can be read.")
        antes, blinds = self._numbers("antes"), self._numbers("blinds_or_straddles")
        if len(antes) != self.count or len(blinds) != self.count:
            raise HistoryError(f"antes and blinds_or_straddles need one value for each of the {self.count} players.")
        names = ("small_bet", "big_bet") if variant == "FT" else ("min_bet",)
        for key in names:
            if key not in self.data:
                raise HistoryError(f"{key} is missing.")
        bets = [self.data[key] for key in names]
        amounts = [*antes, *map(_size, blinds), *stacks, *bets, *_raise_texts(self._actions())]
        self.amounts = self._amounts(amounts, money=money)
        chips = self.amounts.chips
        given = self.data.get("_max_raises")
        if given is not None and (not isinstance(given, list) or not all(isinstance(cap, int) for cap in given)):
            raise HistoryError("_max_raises must be a list of whole numbers.")
        with_antes = any(map(chips, antes))
        if self.count > 2 or "_boards" in self.data or (with_antes and any(_size(blind) for blind in blinds)):
            return self._tables(stacks, antes, blinds, [chips(bet) for bet in bets], given)
        stack = (chips(stacks[0]), chips(stacks[1]))
        posted = (chips(blinds[1]), chips(blinds[0]))
        if with_antes:
            posted = (chips(antes[1]), chips(antes[0]))
        if not any(posted):
            raise HistoryError("No blind or ante is posted.")
        self.blinds = posted
        if variant == "FT":
            sizes = (chips(bets[0]), chips(bets[1]))
            return [holdem(posted, stack, sizes, caps) for caps in ((tuple(given),) if given else LIMIT_CAPS)]
        if chips(bets[0]) != max(posted):
            raise HistoryError(f"min_bet is {bets[0]}; it must be the big blind, {self.amounts.value(max(posted))}.")
        return [holdem(posted, stack, max_raises=tuple(given or ()))]

    def _tables(
        self, stacks: list[Any], antes: list[Any], blinds: list[Any], bets: list[int], given: list[int] | None
    ) -> list[TableRules]:
        """Return the possible tables of the hand, the likeliest first."""
        chips, big = self.amounts.chips, bets[0]
        order = _in_order(blinds)
        due, roles = [chips(_size(blind)) for blind in order], [""] * self.count
        for seat, blind in enumerate(order):
            if due[seat]:
                if _size(blind) != blind:
                    roles[seat] = POST
                elif BIG_BLIND not in roles and due[seat] == big and not (seat == 0 < self.count - 2 and due[1] == big):
                    roles[seat] = BIG_BLIND
                else:
                    roles[seat] = SMALL_BLIND if due[seat] <= big and SMALL_BLIND not in roles else STRADDLE
        if BIG_BLIND not in roles:
            raise HistoryError(f"No blind is the big blind of {self.amounts.value(big)}.")
        sizes = (bets[0], bets[1]) if len(bets) == 2 else None
        caps = [tuple(given)] if given else LIMIT_CAPS if sizes else [()]
        return [
            TableRules.of(list(map(chips, stacks)), list(map(chips, _in_order(antes))), due, roles, sizes, cap)
            for cap in caps
        ]

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

    def _actions(self) -> list[str]:
        actions = self.data.get("actions")
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise HistoryError("actions is missing or not a list of texts.")
        return actions

    # --- the hand ----------------------------------------------------------------------------------------------------

    def _played(self, subject: Subject | TableRules) -> PlayedHand:
        is_table = isinstance(subject, TableRules)
        replay = (
            TableReplay(subject, self.amounts)
            if isinstance(subject, TableRules)
            else Replay(subject, self.amounts, self.blinds)
        )
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
        if isinstance(replay, TableReplay) and "_boards" in self.data:
            self._run(replay)
        known = READ_KEYS | OWN_KEYS | IMPLIED_KEYS | (TABLE_KEYS if is_table else frozenset())
        details = {key: value for key, value in self.data.items() if key not in known}
        number, players = self._names(details)
        if "_dealt" in details:
            dealt = details["_dealt"]
            seats = [*range(self.count)]
            if not isinstance(dealt, list) or not all(type(n) is int and n in seats for n in dealt):
                raise HistoryError(f"_dealt must be a list of seats from 0 to {self.count - 1}.")
            details["_dealt"] = tuple(details["_dealt"])
        hand = replay.finish(
            number,
            players,
            details,
            stated=self._stated_net(),
            collected=self._collected(replay),
            rake=self._field_amounts("_rake", [self.data["_rake"]])[0] if "_rake" in self.data else None,
        )
        if "winnings" in hand.details and hand.details["winnings"] == winnings_of(Told(hand)):
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
                replay.act(seat, raise_to(replay.state.betting.before_street(seat) + replay.bets.chips(amount)))
            case _:
                raise HistoryError(f"{' '.join(words)!r} is not an action of hold'em.")
        return f"action {len(replay.state.line) - 1}"

    def _run(self, replay: TableReplay) -> None:
        """Deal the boards of ``_boards``, street by street."""
        texts = self.data["_boards"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise HistoryError("_boards must be a list of boards after the first, each as text.")
        if not replay.state.betting.is_over:
            return
        shared = replay.shared
        for number, text in enumerate(texts, 1):
            board = replay.read_cards(text)
            if board[:shared] != replay.state.board[:shared] or len(board) < max(shared, 3):
                raise HistoryError(f"The board {text} of _boards does not begin with the cards that all boards share.")
            for begin, end in ((0, 3), (3, 4), (4, 5)):
                if shared < end <= len(board):
                    replay.run(number, begin, board[begin:end])

    def _seat(self, player: str) -> int:
        for seat in range(self.count):
            if player == f"p{seat + 1}":
                return seat
        raise HistoryError(f"There is no player {player!r}; the players are p1 to p{self.count}.")

    @staticmethod
    def _known_cards(text: str, replay: Replay) -> tuple[int, ...]:
        """Return the known cards of a hand such as ``Qh??``."""
        cards = [text[i : i + 2] for i in range(0, len(text), 2)]
        count = replay.subject.rules.num_hole_cards
        if len(cards) > count:
            raise HistoryError(f"{text!r} has {len(cards)} cards; a hand of this game has {count}.")
        known = "".join(card for card in cards if card != "??")
        return replay.read_cards(known) if known else ()

    def _names(self, details: dict[str, Any]) -> tuple[int, tuple[str, ...]]:
        """Return the number of the hand and the players' names."""
        number = self.data.get("hand", self.ordinal)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            details["hand"] = number
            number = self.ordinal
        players = self.data.get("players", [f"p{seat + 1}" for seat in range(self.count)])
        if not (isinstance(players, list) and len(players) == self.count and all(isinstance(n, str) for n in players)):
            raise HistoryError(f"players must be the names of {self.count} players.")
        return number, tuple(players)

    def _stated_net(self) -> tuple[float, ...] | None:
        """Return what ``_net`` says that the seats won, before rake; None where it is missing."""
        if "_net" not in self.data:
            return None
        net = self._numbers("_net")
        amounts = [
            value for value in net if isinstance(value, (int, Decimal)) and Decimal(value).copy_abs() < UNLIMITED_CHIPS
        ]
        if not len(net) == len(amounts) == self.count:
            raise HistoryError(f"_net must be a list of {self.count} amounts, what each player won.")
        # Not whole chips where a spot's odd pot is shared.
        won = tuple(float(value * self.amounts.chips_per_unit) for value in amounts)
        if not abs(sum(won)) < (1e-6 if self.count > 2 else 1e-300):
            raise HistoryError(f"The amounts in _net must sum to 0, not {sum(won):g}.")
        return won

    def _collected(self, replay: Replay) -> list[Collected]:
        """Return what ``finishing_stacks`` and ``winnings`` say that the seats took from the pot.

        By the format's specification ``winnings`` are the collected pots after rake.  It leaves open whether the part
        of a bet that was not called is in them, and programs differ.  Zeros for both, which programs write where they
        do not know the amounts, say nothing.
        """
        found, state = [], replay.state
        stacks, spent = state.subject.rules.stacks, state.betting.spent
        # Stacks leave nothing open, so they come first and decide how the winnings are to be read.
        for key in ("finishing_stacks", "winnings"):
            if key not in self.data or (key == "finishing_stacks" and max(stacks) == UNLIMITED_CHIPS):
                continue
            values = self.data[key]
            if not isinstance(values, list) or len(values) != self.count:
                raise StatementError(f"{key} must be a list of {self.count} amounts, one for each player.", key)
            stated = tuple(self._field_amounts(key, values))
            if key == "finishing_stacks":
                left = tuple(stack - put for stack, put in zip(stacks, spent, strict=True))
                found.append(Collected(key, stated, includes_uncalled=True, before=left))
            elif any(stated):
                found.append(Collected(key, stated, includes_uncalled=None, before=(0,) * self.count))
        return found

    def _field_amounts(self, key: str, values: list[Any]) -> list[Decimal]:
        try:
            return [self.amounts.exact(value) for value in values]
        except HistoryError as error:
            raise StatementError(f"{key}: {error.message}", key) from error


def winnings_of(told: Told) -> list[Decimal | int] | None:
    """``winnings`` as they are written for a hand of two: what both collected after rake; None without rake."""
    if not told.rake or isinstance(told.hand, TableHand):
        return None
    return [told.amounts.value(chips) for chips in shares(told.hand.net_chips, pot_of(told.final), told.rake)]


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
    return "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in phh_fields(hand).items())


def phhs_text(hands: Iterable[PlayedHand]) -> str:
    """Write many hands as one file; errors as :func:`phh_text`."""
    return _in_tables(map(phh_text, hands))


def _in_tables(texts: Iterable[str]) -> str:
    return "\n".join(f"[{number}]\n{text}" for number, text in enumerate(texts, 1))


def phh_fields(hand: PlayedHand) -> dict[str, Any]:
    """Return the keys of a hand and their values, in the order of the format."""
    told = Told(hand)
    final, amounts = told.final, told.amounts
    if not final.is_over:
        raise HistoryError(f"Hand {hand.number} is not over; a history has whole hands only.")
    fields = _rules(told)
    fields["actions"] = _actions(told)
    fields["hand"] = hand.details.get("hand", hand.number)
    if not told.is_decided:
        fields["_net"] = [amounts.value(chips) for chips in hand.net_chips]
    if hand.players != tuple(f"p{seat + 1}" for seat in told.seats):
        fields["players"] = list(hand.players)
    not_kept = (
        READ_KEYS | OWN_KEYS | IMPLIED_KEYS | {"_dealt"} | (TABLE_KEYS if isinstance(hand, TableHand) else frozenset())
    )
    for key, detail in hand.details.items():
        if key not in not_kept:
            fields[key] = detail
    if "_boards" in hand.details:
        fields["_boards"] = [hand.subject.deck.cards_text(board) for board in hand.details["_boards"]]
    if told.rake:
        if (winnings := winnings_of(told)) is not None:
            fields.setdefault("winnings", winnings)
        fields["_rake"] = amounts.value(told.rake)
    money = any(isinstance(fields.get(key), str) for key in ("currency", "currency_symbol"))
    stated: list[Any] = []
    if fields["variant"] != OWN_VARIANT:
        bets = [fields[key] for key in ("small_bet", "big_bet", "min_bet") if key in fields]
        posted = [*fields["antes"], *map(_size, fields["blinds_or_straddles"])]
        stated = [*posted, *fields["starting_stacks"], *bets, *_raise_texts(fields["actions"])]
    if Amounts.fitting(stated, money=money) != amounts:
        fields["_chips_per_unit"] = amounts.chips_per_unit
    if _in_deal(told) != told.dealt and any(hand.hole):
        fields["_dealt"] = told.dealt
    return fields


def _rules(told: Told) -> dict[str, Any]:
    """Return the fields of the rules: the variant, blinds, bets and stacks."""
    subject, value, blinds = told.hand.subject, told.amounts.value, told.blinds
    if isinstance(subject, Spot):
        return {"variant": OWN_VARIANT, "_spot": subject.to_toml()}
    game: Any = subject.rules
    if isinstance(game, TableRules):
        stacks, antes = list(map(game.whole_stack, told.seats)), list(game.antes)
        posts = [-due if role == POST else due for due, role in zip(game.due, game.roles, strict=True)]
    elif is_holdem(game, blinds):
        stacks, antes, posts = list(game.stacks), [0, 0], list(blinds)
    else:
        return {"variant": OWN_VARIANT, "_game": game.to_text(), "_game_name": game.name}
    fields: dict[str, Any] = {
        "variant": "FT" if game.limit else "NT",
        "antes": list(map(value, _in_order(antes))),
        "blinds_or_straddles": list(map(value, _in_order(posts))),
    }
    if any(antes):
        # Whoever has nothing left may have posted less.
        whole = {ante for ante, left in zip(antes, game.stacks, strict=True) if left}
        fields["ante_trimming_status"] = all(antes) and len(whole) <= 1
    if game.limit:
        fields |= {"small_bet": value(game.raise_sizes[0]), "big_bet": value(game.raise_sizes[-1])}
    else:
        fields["min_bet"] = value(game.big_blind if isinstance(game, TableRules) else max(blinds))
    fields["starting_stacks"] = [Decimal("inf") if stack >= UNLIMITED_CHIPS else value(stack) for stack in stacks]
    # The number of raises is written where it is not the one that a reader assumes.
    if game.max_raises != (LIMIT_CAPS[0] if game.limit else (UNCAPPED_RAISES,) * game.num_rounds):
        fields["_max_raises"] = list(game.max_raises)
    return fields


def _in_order(posts: list[Any]) -> list[Any]:
    """Return antes or blinds by seat, or as the format has them: of two players in the reverse order."""
    return posts if len(posts) > 2 else posts[::-1]


def _size(blind: Any) -> Any:
    """Return a blind without the sign, which says that it is a post."""
    # `abs` of a Decimal is rounded, and can overflow.
    return Decimal(blind).copy_abs() if isinstance(blind, (int, Decimal)) and not isinstance(blind, bool) else blind


def _raise_texts(actions: Iterable[str]) -> list[str]:
    """Return the amounts of all bets and raises; they determine the unit."""
    words = (action.partition("#")[0].split() for action in actions)
    return [word[2] for word in words if len(word) == 3 and word[1] == "cbr"]


def _in_deal(told: Told) -> list[int]:
    """Seats whose cards are written at the deal: those seen at the deal, and those never shown."""
    hole = told.hand.hole
    return [s for s in told.seats if hole[s] is not None and (s in told.dealt or (s, True) not in told.shown)]


def _actions(told: Told) -> list[str]:
    """Return all actions in order, with the comments behind them."""
    hand, subject = told.hand, told.hand.subject
    lines = [f"# {comment}" for comment in told.comments.pop("", ())]

    def add(place: str, text: str) -> None:
        first, *more = told.comments.pop(place, [""])
        lines.append(f"{text} # {first}" if first else text)
        lines.extend(f"# {comment}" for comment in more)

    in_deal = _in_deal(told)
    for seat in told.seats:
        cards = hand.hole[seat] if seat in in_deal else told.parts.get(seat)
        add(f"deal {seat}", f"d dh p{seat + 1} {told.part_text(cards or ())}")
    for place, state, move in told.course():
        player = f"p{state.betting.actor + 1}"
        if isinstance(move, Action):
            if move.kind == ActionKind.RAISE:
                actor = state.betting.actor
                to = state.after(move).betting.spent[actor] - state.betting.before_street(actor)
                add(place, f"{player} cbr {told.bets.value(to)}")
            else:
                add(place, f"{player} {'f' if move.kind == ActionKind.FOLD else 'cc'}")
        elif move is not None:
            add(place, f"d db {subject.deck.cards_text(move)}")
        else:
            # After an all-in the cards are shown before the rest of the board comes.
            for seat, shown in told.shown:
                held = hand.hole[seat] if shown is True else shown
                text = f" {told.part_text(held)}" if isinstance(held, tuple) else ""
                add(f"show {seat}", f"p{seat + 1} sm{text}")
    return lines


def toml_value(value: Any) -> str:
    """Write a value in TOML.  Raises :class:`HistoryError` for a type that TOML lacks."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return toml_of_json(value)
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
        return "{" + ", ".join(f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items()) + "}"
    raise HistoryError(f"{value!r} cannot be written to a PHH file.")
