"""The protocol of slumbot.com's programs: its texts, and a connection to a program that speaks it.

A hand is no-limit hold'em with blinds 50 and 100 and stacks of 200 big blinds, which are full again in every hand.
Actions are ``k`` (check), ``c`` (call), ``f`` (fold) and ``bN`` (a bet or raise to N chips on this street, blinds among
them); streets are separated by ``/``, as in ``b200c/kk/``.  ``client_pos`` is 0 in the big blind and 1 on the button.
The two requests are ``new_hand`` and ``act``, both answered with the whole hand; the token may change with any answer.
``act`` must not be repeated if its answer was lost, since the server may have acted; a new session then begins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from errai.arena.acpc.text import read_cards
from errai.arena.online.match import GAME, Seen
from errai.arena.online.requests import Connection
from errai.errors import IllegalActionError, ProtocolError
from errai.games.betting import ActionKind, BettingState
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Action, PublicState, opening_state, raise_to

ADDRESS = "https://slumbot.com"

_BET = re.compile(r"b(\d{1,6})")
_PIECE = re.compile(r"[kcf/]|b\d{1,6}")

# --- the texts ---


def action_text(state: PublicState) -> str:
    """Return the actions so far; streets that have begun have a slash, and all have one after a call of an all-in."""
    betting = PublicState.start(state.subject).betting
    streets = []
    for done in state.actions:
        parts = []
        for action in done:
            parts.append(own_action_text(action, betting))
            betting = betting.apply(action.kind, action.total)
        streets.append("".join(parts))
    missing = state.betting.game.num_rounds - len(streets) if betting.showdown else 0
    return "/".join(streets) + "/" * missing


def read_action(text: str, state: PublicState) -> Action:
    """Return the one action that a text names.  Raises :class:`IllegalActionError` for any other text."""
    betting, legal = state.betting, state.betting.legal()
    call = "c" if betting.to_call_chips else "k"
    if text == call:
        return CALL
    if text == "f" and legal.fold:
        return FOLD
    bet = _BET.fullmatch(text)
    if bet and legal.raise_range is not None:
        before = betting.before_street(betting.actor)
        least, most = (total - before for total in legal.raise_range)
        if least <= int(bet[1]) <= most:
            return raise_to(int(bet[1]) + before)
        raise IllegalActionError(f"Illegal bet size: {text}; possible is b{least} to b{most}.")
    names = [call, *["f"] * legal.fold, *["bN"] * (legal.raise_range is not None)]
    raise IllegalActionError(f"Illegal action: {text[:20]!a}; send one of {', '.join(names)}.")


def own_action_text(action: Action, betting: BettingState) -> str:
    """Return the text of the next action of the betting, which the rules allow."""
    if action.kind == ActionKind.RAISE:
        return f"b{action.total - betting.before_street(betting.actor)}"
    return "f" if action.kind == ActionKind.FOLD else "c" if betting.to_call_chips else "k"


def read_actions(text: str, board: tuple[int, ...]) -> PublicState:
    """Return the state after the actions of a text, with the cards of the board that are due there.

    Raises :class:`ProtocolError` if the rules do not allow an action, a slash stands where no street ends or is missing
    where one begins, or the board is not that of the street.
    """
    pieces = _PIECE.findall(text)
    if "".join(pieces) != text:
        raise ProtocolError(f"The actions {text[:80]!a} cannot be read.")
    return follow_actions(pieces, board, "/")


def follow_actions(pieces: Sequence[str], board: tuple[int, ...], street_end: str) -> PublicState:
    """Return the state after actions and ends of streets, as :func:`read_actions` does."""
    state = opening_state(load_game(GAME))
    text, ended = "".join(pieces), 0
    for number, piece in enumerate(pieces):
        if piece == street_end:
            ended += 1
            if state.is_over or ended == len(state.actions) - 1:
                continue
            raise ProtocolError(f"The actions {text!a} have a {street_end} where no street ends.")
        if state.is_over or ended != len(state.actions) - 1:
            why = "go on after the end of the hand" if state.is_over else f"lack a {street_end} where a street ends"
            raise ProtocolError(f"The actions {text!a} {why}.")
        try:
            state = state.after(read_action(piece, state))
            due = state.betting.game.board_cards_in(len(state.actions) - 1) if not state.is_over else len(board)
            if len(board) < due:
                raise ProtocolError(f"The board has {len(board)} cards after {text!a}, and {due} are due.")
            state = state.dealt(board)
        except IllegalActionError as error:
            raise ProtocolError(f"The rules do not allow action {number + 1} of {text!a}: {error}") from error
    if state.board != board:
        raise ProtocolError(f"The board has {len(board)} cards after {text!a}, and {len(state.board)} are due.")
    return state


# --- the connection ---


class Slumbot:
    """A program that speaks slumbot.com's protocol.

    Parameters
    ----------
    address:
        The beginning of the addresses of both requests.
    timeout_seconds:
        How long an answer may take.

    Raises :class:`InputError` if one of them makes no sense.
    """

    name = "slumbot"

    def __init__(self, address: str = ADDRESS, timeout_seconds: float = 60.0) -> None:
        self._connection = Connection(address, timeout_seconds)
        self.address = self._connection.address
        self._token: str | None = None

    def begin(self) -> Seen:
        """Begin a hand."""
        return self._ask("new_hand")

    def act(self, seen: Seen, action: Action) -> Seen:
        """Take the agent's action."""
        return self._ask("act", incr=own_action_text(action, seen.state.betting))

    def find(self, key: str) -> None:
        """Return None: a hand that was left open cannot be asked for."""

    def start_again(self) -> None:
        """Begin a new session."""
        self._token = None

    def _ask(self, request: str, **body: str) -> Seen:
        if self._token is not None:
            body["token"] = self._token
        answer = self._connection.ask(f"/api/{request}", body)
        said = f"{self.address} answers /api/{request}"
        if not isinstance(answer, dict):
            raise ProtocolError(f"{said} with {answer!r:.80}, which is no JSON object.")
        if "error_msg" in answer:
            raise ProtocolError(f"{said} with the error {answer['error_msg']!r:.200}.")
        if isinstance(answer.get("token"), str):
            self._token = answer["token"]
        if self._token is None:
            raise ProtocolError(f"{said} without a token.")
        return _seen(answer)


def _seen(answer: dict[str, Any]) -> Seen:
    """Read an answer; raises :class:`ProtocolError`."""
    text, seat = answer.get("action"), answer.get("client_pos")
    if not isinstance(text, str) or seat not in (0, 1) or isinstance(seat, bool):
        raise ProtocolError(f"An answer without `action` or with the position {seat!r:.20} cannot be read.")
    board, own = _cards(answer, "board"), _cards(answer, "hole_cards")
    bot = _cards(answer, "bot_hole_cards") if answer.get("bot_hole_cards") else None
    baseline = answer.get("baseline_winnings")
    remarks = () if baseline is None else (f"baseline_winnings {baseline!s:.20}",)
    won = winnings(answer.get("winnings"))
    return Seen(read_actions(text, board), cast(int, seat), own, bot, won, remarks=remarks)


def winnings(won: Any) -> float | None:
    """Return what was won, or None while the hand goes on.  Raises :class:`ProtocolError` if it is no number."""
    if won is not None and (isinstance(won, bool) or not isinstance(won, (int, float))):
        raise ProtocolError(f"The winnings {won!r:.40} are no number.")
    return won


def _cards(answer: dict[str, Any], name: str) -> tuple[int, ...]:
    given = answer.get(name)
    if not isinstance(given, list) or not all(isinstance(card, str) and len(card) == 2 for card in given):
        raise ProtocolError(f"`{name}` of an answer is no list of cards.")
    return read_cards("".join(given), load_game(GAME).deck)
