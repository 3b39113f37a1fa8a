"""GTO Wizard's research API: a connection to the program of their benchmark (Provost et al. 2026, arXiv 2603.23660).

The game is that of slumbot.com.  ``POST /hands`` begins a hand, ``POST /hands/ID/act`` takes an action (``f``, ``k``,
``c``, or ``b`` with the amount of chips that the bet or raise is on this street), and both are answered with the whole
hand.  The key that GTO Wizard gives is sent in the header ``X-API-Key``.  A program that is busy answers 502, 503 or
504, and one that has enough open hands of this key 409; such requests are repeated.  An action whose answer was lost is
not simply repeated: ``GET /hands/in-progress`` says first whether it was taken.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from errai.arena.acpc.text import read_cards
from errai.arena.online.match import GAME, Seen
from errai.arena.online.requests import Connection, LostError, StatusError
from errai.arena.online.slumbot import follow_actions, own_action_text, winnings
from errai.errors import InputError, ProtocolError
from errai.games.catalogue import load_game
from errai.games.hand import Action

ADDRESS = "https://researcher.gtowizard.com"
KEY_VARIABLE = "GTOWIZARD_API_KEY"
TIMEOUT_SECONDS = 180.0
ATTEMPTS = 20
"""So often a request is sent to a busy program."""
WAIT_SECONDS, LONGEST_WAIT_SECONDS = 2.0, 15.0
"""The wait before the second attempt, which doubles, and the longest."""

_GAME_NAME = "HUNL 200BB"
_OPPONENT = "GTO Wizard"
_SEATS = {"BB": 0, "SB": 1, "BTN": 1}
"""Seats by the name of the position.  With two players the small blind has the button."""
_TOKEN = re.compile(r"([fkc_])|b(\d{1,6})(?:\.0+)?")


class GtoWizard:
    """The program of GTO Wizard's benchmark.

    Parameters
    ----------
    key:
        The key that GTO Wizard gives for research.
    address:
        The beginning of the addresses of all requests.
    timeout_seconds:
        How long an answer may take.

    Raises :class:`InputError` if one of them makes no sense.
    """

    name = "gtowizard"

    def __init__(self, key: str, address: str = ADDRESS, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        if not key or not key.isascii() or not key.isprintable() or key != key.strip():
            raise InputError(f"A key of GTO Wizard's research API is needed, in the variable {KEY_VARIABLE}.")
        self._connection = Connection(address, timeout_seconds, {"X-API-Key": key})
        self.address = self._connection.address

    def begin(self) -> Seen:
        """Begin a hand."""
        return _seen(self._until_answered("/hands", {"game_name": _GAME_NAME}, busy=(409, 429)))

    def act(self, seen: Seen, action: Action) -> Seen:
        """Take the agent's action.  An answer that was lost is looked for among the hands in progress."""
        text = own_action_text(action, seen.state.betting)
        body: dict[str, Any] = {"action": text[0]}
        if text[1:]:
            body["amount"] = int(text[1:])
        path = f"/hands/{quote(seen.key, safe='')}/act"
        for attempt in range(ATTEMPTS):
            try:
                return _seen(self._connection.ask(path, body))
            except LostError as error:
                lost = error
            _wait(attempt)
            found = self.find(seen.key)
            if found is None:
                raise LostError(f"{lost}, and the hand is no longer in progress")
            if found.state.line != seen.state.line:
                return found
        raise lost

    def find(self, key: str) -> Seen | None:
        """Return a hand in progress, or None."""
        answer = self._until_answered(f"/hands/in-progress?game_name={quote(_GAME_NAME)}", None, busy=(429,))
        if not isinstance(answer, list):
            raise ProtocolError(f"{self.address} answers /hands/in-progress with {answer!r:.80}, which is no list.")
        for hand in answer:
            if isinstance(hand, dict) and str(hand.get("hand_id")) == key:
                return _seen(hand)
        return None

    def start_again(self) -> None:
        """Do nothing: hands do not depend on each other."""

    def _until_answered(self, path: str, body: Mapping[str, Any] | None, busy: tuple[int, ...]) -> Any:
        """Return the answer to a request that may be repeated."""
        for attempt in range(ATTEMPTS):
            if attempt:
                _wait(attempt - 1)
            try:
                return self._connection.ask(path, body)
            except LostError as error:
                lost = error
            except StatusError as error:
                if error.status in (401, 403):
                    raise InputError(f"{self.address} refuses the key: {error}") from error
                if error.status not in busy:
                    raise
                lost = LostError(str(error))
        raise lost


def _wait(attempt: int) -> None:
    time.sleep(min(WAIT_SECONDS * 2**attempt, LONGEST_WAIT_SECONDS))


def _seen(answer: Any) -> Seen:
    """Read an answer; raises :class:`ProtocolError`."""
    try:
        table, hand, key = answer["game"], answer["game_state"], str(answer["hand_id"])
        stakes = sorted(map(float, table["blinds"])), float(table["starting_stack"])
        players, history = list(hand["players"]), list(hand["action_history"])
        own = _agents_place(players)
        seat = _SEATS[players[own]["position"]]
        board = _cards(hand.get("board_cards"))
        cards, other = _cards(players[own]["hole_cards"]), players[1 - own].get("hole_cards")
        over, score = bool(hand["is_hand_over"]), hand.get("aivat_score")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ProtocolError(f"An answer cannot be read: {type(error).__name__} ({error!s:.80}).") from error
    if stakes != ([50.0, 100.0], 20000.0):
        raise ProtocolError(f"The blinds are {stakes[0]} and the stack {stakes[1]:g}; 50, 100 and 20000 are played.")
    state = follow_actions([_piece(piece) for piece in history], board, "_")
    won = winnings(hand.get("winnings"))
    if over and won is None:
        raise ProtocolError("A hand is over, and its winnings are missing.")
    known = isinstance(score, (int, float)) and math.isfinite(score)
    remarks = (f"id {key}", *([f"aivat_score {score:.6f}"] if known and over else []))
    return Seen(state, seat, cards, _cards(other) if other else None, won if over else None, key, remarks)


def _agents_place(players: list[Any]) -> int:
    """Return which of the two players the agent is: not the one of the program's name, or the one with cards."""
    for found in (
        [place for place, player in enumerate(players) if player["name"] != _OPPONENT],
        [place for place, player in enumerate(players) if player.get("hole_cards")],
    ):
        if len(players) == 2 and len(found) == 1:
            return found[0]
    raise ValueError("which player is the agent's is not clear")


def _piece(token: Any) -> str:
    """Return an action of the history as slumbot.com's protocol writes it, or the mark of a street's end."""
    found = _TOKEN.fullmatch(token) if isinstance(token, str) else None
    if found is None:
        raise ProtocolError(f"The action {token!r:.20} cannot be read.")
    return found[1] or f"b{found[2]}"


def _cards(text: Any) -> tuple[int, ...]:
    """Return cards as indices; raises :class:`ProtocolError` for a text that is none."""
    if not isinstance(text, str) and text is not None:
        raise ProtocolError(f"The cards {text!r:.40} cannot be read.")
    return read_cards(text or "", load_game(GAME).deck)
