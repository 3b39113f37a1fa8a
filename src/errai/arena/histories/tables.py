"""Hands as tables with a row for each hand or for each decision: CSV, and parquet if pyarrow is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from errai.arena.acpc.text import action_text, actions_text
from errai.arena.histories.record import Told, Written
from errai.arena.histories.table_hand import TableHand
from errai.games.game import GameRules
from errai.games.hand import PlayedHand
from errai.store.tables import load_pyarrow

HAND_COLUMNS = (
    "hand", "game", "player_0", "player_1", "blind_0", "blind_1", "stack_0", "stack_1", "cards_0", "cards_1", "board",
    "betting", "pot", "rake", "showdown", "net_0", "net_1", "net_0_mbb", "net_1_mbb",
)  # fmt: skip
"""Seat 0 is the big blind, seat 1 the dealer.  Amounts are in chips, the rake with its fraction.  The blinds are those
that were due, the pot is the one that was contested, without the part of a bet that nobody called, and what the seats
won is before rake; the betting is written as in the lines of the ACPC protocol.  A card that is not known is ``??``."""

DECISION_COLUMNS = (
    "hand", "number", "street", "seat", "player", "cards", "board", "line", "pot", "to_call", "stack", "action",
    "total", "net",
)  # fmt: skip
"""The state before the action; ``total`` is that of a raise over the whole hand, ``net`` what the player won."""

Row = dict[str, Any]


def hand_rows(hands: Iterable[PlayedHand]) -> Iterator[Row]:
    """Yield one row for each hand, with ``HAND_COLUMNS``; None where a value is not known."""
    for hand in hands:
        told = Told(hand)
        game, deck, state, blind = hand.subject.rules, hand.subject.deck, told.final, told.big_blind
        spot = hand.subject.whole_game is None
        row: Row = {
            "hand": hand.number,
            "game": hand.subject.title or "spot" if spot else game.name,
            "board": deck.cards_text(hand.board),
            "betting": actions_text(hand.actions, limit=game.limit),
            "pot": 2 * state.stake_chips,
            "rake": float(told.rake),
            "showdown": state.betting.showdown,
        }
        for seat in (0, 1):
            row |= {
                f"player_{seat}": hand.players[seat],
                f"blind_{seat}": 0 if spot and state.first_round else _chips(told.blinds[seat], game),
                f"stack_{seat}": _chips(game.stacks[seat], game),
                f"cards_{seat}": told.cards_text(seat),
                f"net_{seat}": hand.net_chips[seat],
                f"net_{seat}_mbb": 1000.0 * hand.net_chips[seat] / blind if blind else None,
            }
        yield {column: row[column] for column in HAND_COLUMNS}


def table_row(hand: TableHand) -> Row:
    """Return a hand at a table of any size as plain values for JSON; None where a value is not known."""
    told, rules, deck, pots, left = Told(hand), hand.rules, hand.subject.deck, hand.pots(), hand.two_left
    players = [
        {
            "name": name,
            "position": hand.positions[seat],
            "stack": rules.whole_stack(seat),
            "ante": rules.antes[seat],
            "posted": rules.blinds[seat],
            "posts": rules.roles[seat] or None,
            "cards": told.cards_text(seat),
            "net": hand.net_chips[seat],
            "net_mbb": 1000.0 * hand.net_chips[seat] / rules.big_blind,
        }
        for seat, name in enumerate(hand.players)
    ]
    two_left = left and {
        "street": left.state.betting.round,
        "board": deck.cards_text(left.state.board),
        "pot": left.pot_chips,
        "players": [hand.players[seat] for seat in left.seats],
        "stacks": left.stacks_chips,
        "effective_stack": left.effective_chips,
    }
    return {
        "hand": hand.number,
        "game": rules.name,
        "players": players,
        "boards": [deck.cards_text(board) for board in hand.boards],
        "betting": actions_text(hand.actions, limit=rules.limit),
        "pots": [{"chips": chips, "players": [hand.players[seat] for seat in able]} for chips, able in pots.pots],
        "rake": float(told.rake),
        "showdown": told.final.betting.showdown,
        "two_left": two_left,
    }


def decision_rows(hands: Iterable[PlayedHand]) -> Iterator[Row]:
    """Yield one row for each decision, with ``DECISION_COLUMNS``."""
    for hand in hands:
        game, deck, told = hand.subject.rules, hand.subject.deck, Told(hand)
        for number, (state, action) in enumerate(hand.moments()):
            seat, betting = state.actor, state.betting
            after = state.after(action)
            done = after.line[-1]
            yield {
                "hand": hand.number,
                "number": number,
                "street": betting.round,
                "seat": seat,
                "player": hand.players[seat],
                "cards": told.cards_text(seat),
                "board": deck.cards_text(state.board),
                "line": actions_text(state.actions, limit=game.limit),
                "pot": state.pot_chips,
                "to_call": _chips(betting.to_call_chips, game),
                "stack": _chips(game.stacks[seat] - betting.spent[seat], game),
                "action": action_text(done, limit=game.limit)[0],
                "total": _chips(done.total, game) or None,
                "net": hand.net_chips[seat],
            }


def _chips(parts: int, rules: GameRules) -> float:
    """Return parts of a chip in chips; whole ones stay whole numbers."""
    return parts if rules.unit == 1 else parts / rules.unit


def csv_text(rows: Iterable[Row], columns: tuple[str, ...]) -> str:
    """Write a table as CSV; unknown values are empty, and whole numbers have no decimal point."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        whole = {key: int(value) for key, value in row.items() if isinstance(value, float) and value.is_integer()}
        writer.writerow({**row, **whole})
    return stream.getvalue()


def _tables(hands: Sequence[PlayedHand], stem: str) -> tuple[tuple[str, Iterator[Row], tuple[str, ...]], ...]:
    """Return both tables: the name, the rows and the columns."""
    return (stem, hand_rows(hands), HAND_COLUMNS), (f"{stem}-decisions", decision_rows(hands), DECISION_COLUMNS)


def write_csv(hands: Sequence[PlayedHand], stem: str) -> Written:
    """See :meth:`errai.arena.histories.Format.write`."""
    return Written({f"{name}.csv": csv_text(rows, columns) for name, rows, columns in _tables(hands, stem)}, len(hands))


def write_parquet(hands: Sequence[PlayedHand], stem: str) -> Written:
    """See :meth:`errai.arena.histories.Format.write`.  Raises :class:`InputError` where pyarrow is not installed."""
    pyarrow, parquet = load_pyarrow()
    documents: dict[str, str | bytes] = {}
    for name, rows, columns in _tables(hands, stem):
        found, stream = list(rows), io.BytesIO()
        parquet.write_table(pyarrow.table({column: [row[column] for row in found] for column in columns}), stream)
        documents[f"{name}.parquet"] = stream.getvalue()
    return Written(documents, len(hands))
