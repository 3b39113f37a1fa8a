"""Writing PHH; see :mod:`errai.arena.histories.phh` for the format."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from errai.arena.histories.amounts import Amounts
from errai.arena.histories.holdem import LIMIT_CAPS, is_holdem, is_unlimited
from errai.arena.histories.phh import DEFAULT_PLAYERS, IMPLIED_KEYS, OWN_KEYS, OWN_VARIANT, READ_KEYS, winnings_of
from errai.arena.histories.record import (
    amounts_of,
    blinds_of,
    comments_of,
    dealt_of,
    part_of,
    part_text,
    rake_of,
    result_of,
    shown_of,
)
from errai.errors import HistoryError
from errai.games.betting import ActionKind
from errai.games.game import UNCAPPED_RAISES, Game
from errai.games.hand import Action, PlayedHand, PublicState
from errai.games.spot import Spot

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def phh_text(hand: PlayedHand) -> str:
    """Write one hand as a PHH file.

    Raises :class:`HistoryError` if the hand is not over, or a detail has a type that TOML lacks.
    """
    return "".join(f"{_key(key)} = {toml_value(value)}\n" for key, value in phh_fields(hand).items())


def phhs_text(hands: Iterable[PlayedHand]) -> str:
    """Write many hands as one file, in numbered tables; errors as :func:`phh_text`."""
    return "\n".join(f"[{number}]\n{phh_text(hand)}" for number, hand in enumerate(hands, 1))


def phh_fields(hand: PlayedHand) -> dict[str, Any]:
    """The keys of a hand and their values, in the order of the format."""
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
    """The rules: the variant, blinds, bets and stacks."""
    subject, value = hand.subject, amounts.value
    if isinstance(subject, Spot):
        return {"variant": OWN_VARIANT, "_spot": subject.to_toml()}
    blinds = blinds_of(hand)
    game = subject.rules
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
    """Whether the number of raises has to be written, because it is not the one that a reader assumes."""
    return game.max_raises != (LIMIT_CAPS[0] if game.limit else (UNCAPPED_RAISES,) * game.num_rounds)


def _amounts_in(fields: dict[str, Any]) -> list[Any]:
    """The amounts by which a reader determines the unit."""
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
    """All actions in order, with the comments behind them."""
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
