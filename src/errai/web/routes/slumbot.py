"""The two addresses that programs written for slumbot.com use."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from errai.errors import ErraiError
from errai.web.slumbot import Slumbot

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
