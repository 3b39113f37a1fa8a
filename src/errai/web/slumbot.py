"""A server of slumbot.com's protocol (:mod:`errai.arena.online.slumbot`), so that bots written for it play Errai.

A session is a table (:mod:`errai.web.tables`) whose name is the token, so it can be shown and reviewed like any other.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from errai.arena.online.match import GAME
from errai.arena.online.slumbot import action_text, read_action
from errai.errors import ErraiError, IllegalActionError, StaleError
from errai.web.routes import TheServices
from errai.web.table import Table
from errai.web.table_files import TableRequest
from errai.web.tables import Tables

BOT = "blueprint-nl"
ANSWER_SECONDS = 60.0
"""How long a request waits for the bot."""

# --- the two addresses ---

router = APIRouter(prefix="/slumbot/api", tags=["slumbot"])
Token = Annotated[str, Field(max_length=100)]


class NewHand(BaseModel):
    """A request for the next hand; without a token a new session begins."""

    token: Token | None = None


class Act(BaseModel):
    """One action of the client."""

    token: Token
    incr: Annotated[str, Field(max_length=40)]


class HandAnswer(BaseModel):
    """The hand after the bot has acted (``old_action``: before the request); what concerns its end comes at the end."""

    token: str
    old_action: str
    action: str
    client_pos: int
    hole_cards: list[str]
    board: list[str]
    bot_hole_cards: list[str] | None = None
    winnings: int | None = None
    won_pot: int | None = None
    session_num_hands: int | None = None
    session_total: int | None = None


class ErrorAnswer(BaseModel):
    """What is wrong with the request; nothing has changed."""

    error_msg: str


Answer = HandAnswer | ErrorAnswer


@router.post("/new_hand", response_model_exclude_none=True)
def new_hand(services: TheServices, wanted: NewHand) -> Answer:
    """Deal a hand.  If the bot acts first, the answer has its action."""
    tables = services.tables
    try:
        if not wanted.token:
            return _answer(tables, tables.create(TableRequest(opponent=BOT, game=GAME, slumbot=True)), "")
        table = _table(tables, wanted.token)
        if table.session.hand is not None:
            raise StaleError("The hand is not over; act before you ask for a new one.")
        return _answer(tables, tables.deal(table.id, len(table.session.hands) + 1), "")
    except (ErraiError, OSError) as error:
        return ErrorAnswer(error_msg=str(error))


@router.post("/act", response_model_exclude_none=True)
def act(services: TheServices, wanted: Act) -> Answer:
    """Take an action, and answer with the bot's."""
    tables = services.tables
    try:
        table = _table(tables, wanted.token)
        _wait(tables, table)
        hand = table.session.hand
        if hand is None or not table.session.players_turn:
            raise StaleError("No hand is in progress; ask for a new one.")
        before, ply = action_text(hand.state), len(hand.state.line)
        table = tables.act(table.id, partial(read_action, wanted.incr), hand.number + 1, ply)
        return _answer(tables, table, before)
    except (ErraiError, OSError) as error:
        return ErrorAnswer(error_msg=str(error))


def _table(tables: Tables, token: str) -> Table:
    table = tables.get(token)
    if not table.request.slumbot:
        raise IllegalActionError("This token belongs to a table of the page; begin without a token.")
    return table


def _wait(tables: Tables, table: Table) -> None:
    tables.wait(table, ANSWER_SECONDS)
    if table.error is not None:
        raise ErraiError(f"The bot failed: {table.error}")


def _answer(tables: Tables, table: Table, before: str) -> HandAnswer:
    """Return the hand when the bot has acted."""
    _wait(tables, table)
    with table.lock:
        session, hand = table.session, table.session.hand
        seat = session.seat_in(len(session.hands) - (hand is None))
        state = hand.state if hand is not None else session.hands[-1].final_state()
        hole = hand.deal.hole if hand is not None else session.hands[-1].hole
        own, other = hole[seat], hole[1 - seat]
        assert own is not None
        assert other is not None
        deck = state.betting.game.deck
        answer = HandAnswer(
            token=table.id,
            old_action=before,
            action=action_text(state),
            client_pos=seat,
            hole_cards=[deck.card_text(card) for card in sorted(own, reverse=True)],
            board=[deck.card_text(card) for card in state.board],
        )
        if hand is None:
            won = session.hands[-1].net_chips[seat]
            answer.bot_hole_cards = [deck.card_text(card) for card in sorted(other, reverse=True)]
            answer.winnings = round(won)
            answer.won_pot = round(2 * state.betting.stake_chips) if won > 0 else 0
            answer.session_num_hands = len(session.hands)
            answer.session_total = round(session.score(measure=False).chips.total_chips)
        return answer
