"""The protocol of slumbot.com's programs, so that bots written for it play Errai.

A hand is no-limit hold'em with blinds 50 and 100 and stacks of 200 big blinds, which are full again in every hand.
Actions are ``k`` (check), ``c`` (call), ``f`` (fold) and ``bN`` (a bet or raise to N chips on this street, blinds among
them); streets are separated by ``/``, as in ``b200c/kk/``.  ``client_pos`` is 0 in the big blind and 1 on the button.
A session is a table (:mod:`errai.web.tables`) whose name is the token, so it can be shown and reviewed like any other.
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from errai.errors import ErraiError, IllegalActionError, StaleError
from errai.games.betting import ActionKind, BettingState
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.web.table import Table, TableRequest
from errai.web.tables import Tables

GAME, BOT = "holdem.nolimit.2p", "blueprint-nl"
ANSWER_SECONDS = 60.0
"""How long a request waits for the bot."""

_BET = re.compile(r"b(\d{1,6})")


def action_text(state: PublicState) -> str:
    """Return the actions of a hand so far.

    Streets that have begun have their slash, and after a call of an all-in bet so have all others.
    """
    betting = PublicState.start(state.subject).betting
    streets = []
    for done in state.actions:
        parts = []
        for action in done:
            parts.append(_text(betting, action))
            betting = betting.apply(action.kind, action.total)
        streets.append("".join(parts))
    missing = state.betting.game.num_rounds - len(streets) if betting.showdown else 0
    return "/".join(streets) + "/" * missing


def read_action(text: str, state: PublicState) -> Action:
    """Return the one action that a text names.  Raises :class:`IllegalActionError` for any other text."""
    betting, legal = state.betting, state.betting.legal()
    if text == "k" and not betting.to_call_chips:
        return CALL
    if text == "c" and betting.to_call_chips:
        return CALL
    if text == "f" and legal.fold:
        return FOLD
    bet = _BET.fullmatch(text)
    if bet and legal.raise_range is not None:
        total = int(bet[1]) + _before_street(betting)
        least, most = legal.raise_range
        if least <= total <= most:
            return raise_to(total)
        raise IllegalActionError(
            f"Illegal bet size: {text}; possible is b{least - _before_street(betting)} to "
            f"b{most - _before_street(betting)}."
        )
    names = [name for name, able in (("k", not betting.to_call_chips), ("c", betting.to_call_chips)) if able]
    names += ["f"] * legal.fold + ["bN"] * (legal.raise_range is not None)
    raise IllegalActionError(f"Illegal action: {text[:20]!a}; send one of {', '.join(names)}.")


def _text(betting: BettingState, action: Action) -> str:
    if action.kind == ActionKind.FOLD:
        return "f"
    if action.kind == ActionKind.CALL:
        return "c" if betting.to_call_chips else "k"
    return f"b{action.total - _before_street(betting)}"


def _before_street(betting: BettingState) -> int:
    """Return the chips that the player to act had put in before this street; blinds belong to the first one."""
    return 0 if betting.round == 0 else betting.round_start[betting.actor]


class Slumbot:
    """Answers the two requests."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def new_hand(self, token: str | None) -> dict[str, Any]:
        """Deal a hand, at a new table if there is no token.

        Raises :class:`StaleError` while a hand is in progress, and like :meth:`Tables.get`.
        """
        if token is None:
            table = self.tables.create(TableRequest(BOT, game=GAME, slumbot=True))
        else:
            table = self._table(token)
            if table.session.hand is not None:
                raise StaleError("The hand is not over; act before you ask for a new one.")
            table = self.tables.deal(token, len(table.session.hands) + 1)
        self._wait(table)
        return self._answer(table, "")

    def act(self, token: str, text: str) -> dict[str, Any]:
        """Take an action of the client, and answer with that of the bot.

        Raises :class:`StaleError` if no hand is in progress; :class:`IllegalActionError` if the text is not one action
        that the rules allow; nothing has changed then.
        """
        table = self._table(token)
        self._wait(table)
        hand = table.session.hand
        if hand is None or not table.session.players_turn:
            raise StaleError("No hand is in progress; ask for a new one.")
        state = hand.state
        before = action_text(state)
        table = self.tables.take(token, read_action(text, state), hand.number + 1, len(state.line))
        self._wait(table)
        return self._answer(table, before)

    def _table(self, token: str) -> Table:
        table = self.tables.get(token)
        if not table.request.slumbot:
            raise IllegalActionError("This token belongs to a table of the page; begin without a token.")
        return table

    def _wait(self, table: Table) -> None:
        self.tables.wait(table, ANSWER_SECONDS)
        if table.error is not None:
            raise ErraiError(f"The bot failed: {table.error}")

    def _answer(self, table: Table, before: str) -> dict[str, Any]:
        with table.lock:
            session = table.session
            hand = session.hand
            if hand is not None:
                number, state, own = hand.number, hand.state, hand.deal.hole[session.seat]
            else:
                played = session.hands[-1]
                number, state = played.number, played.final_state()
                found = played.hole[session.seat_in(number)]
                assert found is not None
                own = found
            seat = session.seat_in(number)
            deck = state.betting.game.deck
            answer: dict[str, Any] = {
                "token": table.id,
                "old_action": before,
                "action": action_text(state),
                "client_pos": seat,
                "hole_cards": [deck.card_text(card) for card in sorted(own, reverse=True)],
                "board": [deck.card_text(card) for card in state.board],
            }
            if hand is None:
                other = played.hole[1 - seat]
                assert other is not None
                won = played.net_chips[seat]
                answer |= {
                    "bot_hole_cards": [deck.card_text(card) for card in sorted(other, reverse=True)],
                    "winnings": round(won),
                    "won_pot": round(2 * session.hands[-1].final_state().betting.stake_chips) if won > 0 else 0,
                    "session_num_hands": len(session.hands),
                    "session_total": round(session.score(measure=False).chips.total_chips),
                }
            return answer


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
    """``k``, ``c``, ``f`` or ``bN``, where N is the total on this street."""


class HandAnswer(BaseModel):
    """The hand after the bot has acted; what concerns its end is left out while it goes on."""

    token: str
    old_action: str
    """The actions before the request."""
    action: str
    client_pos: int
    """0: big blind; 1: small blind and button."""
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
def new_hand(request: Request, wanted: NewHand) -> Answer:
    """Deal a hand.  If the bot acts first, the answer has its action."""
    try:
        return HandAnswer(**Slumbot(request.app.state.services.tables).new_hand(wanted.token or None))
    except (ErraiError, OSError) as error:
        return ErrorAnswer(error_msg=str(error))


@router.post("/act", response_model_exclude_none=True)
def act(request: Request, wanted: Act) -> Answer:
    """Take an action, and answer with the bot's."""
    try:
        return HandAnswer(**Slumbot(request.app.state.services.tables).act(wanted.token, wanted.incr))
    except (ErraiError, OSError) as error:
        return ErrorAnswer(error_msg=str(error))
