"""The file of a session: written as a whole after every action, and checked by replaying it.

It is JSON: the game or spot, the players, the seed, and for every hand the line of bets with the cards and the chips
won, which must follow from the seed and the bets.  The file begins with a checksum.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NoReturn

from errai.agents.agent import Agent
from errai.arena.acpc.text import actions_text, board_text, read_action
from errai.arena.estimator import Estimator
from errai.arena.session import Seating, Session
from errai.errors import DamagedFileError, IllegalActionError, MismatchError, ProtocolError
from errai.games.game import Subject
from errai.games.hand import Hand, PlayedHand
from errai.store.atomic import locked_file, write_file
from errai.store.document import has_fields, read_document, write_document

NOUN, VERSION = "session", 1

_FIELDS = {
    **dict.fromkeys(("game", "digest", "opponent", "player", "seating"), str),
    "seed": int,
    "hands": list,
    "in_progress": str | None,
}
_HAND_FIELDS = {"cards": str, "actions": str, "won": int | float, "without_luck": int | float | None}
"""The types of what a session and its finished hands consist of."""

_FOLDER = re.compile(r"[^:=,+]*[/\\]")

Place = str | os.PathLike[str]


def locked_session(path: Place) -> AbstractContextManager[None]:
    """Keep other processes from playing the session of this file, whether the file exists yet or not.

    Entering raises :class:`RunInUseError` if one does, and :class:`FileAccessError` if the lock cannot be created.
    """
    file = Path(os.path.realpath(path))
    in_use = f"The session in {path} is being played by another process; end it there, or name another file."
    return locked_file(file.with_name(f".{file.name}.lock"), in_use)


def save_session(session: Session, path: Place) -> None:
    """Write a session with the hand in progress; the file is replaced as a whole.

    Raises :class:`FileAccessError` or :class:`DiskSpaceError` if it cannot be written.
    """
    limit = session.subject.rules.limit
    finished = [
        {
            "cards": _cards_text(played),
            "actions": actions_text(played.actions, limit=limit),
            "won": played.net_chips[session.seat_in(played.number)],
            "without_luck": estimate,
            "seconds": [None if math.isnan(number) else number for number in took],
        }
        for played, estimate, took in zip(session.hands, session.estimates, session.seconds, strict=True)
    ]
    body = {
        "game": session.subject.title or session.subject.rules.name,
        "digest": session.subject.digest(),
        "opponent": session.opponent.name,
        "player": session.player,
        "seed": session.seed,
        "seating": session.seating.value,
        "hands": finished,
        "in_progress": None if session.hand is None else actions_text(session.hand.state.actions, limit=limit),
    }
    write_document(path, NOUN, VERSION, body)


def load_session(path: Place, subject: Subject, opponent: Agent, *, estimator: Estimator | None = None) -> Session:
    """Read a session and replay it up to where it stopped.

    Finished hands are replayed without querying the opponent, which is told how each ended.  In the hand in progress
    the opponent is queried again before it next acts, so that its random draws are those that it would have made; the
    recorded actions are kept.  Of a file in the opponent's name only the file's own name counts, not its folder.

    Raises
    ------
    FileAccessError
        The file cannot be read.
    ForeignFileError
        It is not a session, or one of another version.
    DamagedFileError
        It is truncated or altered, or its hands are not possible.
    MismatchError
        It is of another game or opponent.
    """
    body = _read_body(path)
    if body["digest"] != subject.digest():
        raise MismatchError(f"{path} is a session of {body['game']!r}; name that game.")
    if _FOLDER.sub("", body["opponent"]) != _FOLDER.sub("", opponent.name):
        raise MismatchError(
            f"{path} is a session against {body['opponent']!r}, not {opponent.name!r}; name that opponent, or begin a "
            "session in another file."
        )
    seed, player, seating = body["seed"], body["player"], Seating(body["seating"])
    session = Session(subject, opponent, seed=seed, player=player, seating=seating, estimator=estimator)
    for record in body["hands"]:
        hand = _replay(session, record["actions"], path)
        if not hand.state.is_over:
            _damaged(path, hand, "its bets stop before the hand is over.")
        # Sessions of before Errai measured decisions have no seconds.
        took = [math.nan if number is None else number for number in record.get("seconds", ())]
        played = session.finish(estimate=record["without_luck"], measure=False, seconds=took)
        if _cards_text(played) != record["cards"]:
            _damaged(path, hand, "its cards are not those that the seed deals.")
        if played.net_chips[session.seat_in(hand.number)] != record["won"]:
            _damaged(path, hand, "its result is not the one that the rules give.")
    if body["in_progress"] is not None:
        _replay(session, body["in_progress"], path)
    return session


def save_history(hands: Sequence[PlayedHand], path: Place) -> None:
    """Write hands as PHH, several to a file.

    Raises :class:`ErraiError` if the format cannot hold the game, or the file cannot be written.
    """
    from errai.arena.histories.phh import phhs_text

    write_file(path, phhs_text(hands))


def _replay(session: Session, text: str, path: Place) -> Hand:
    """Deal the next hand and replay a recorded line."""
    hand, at = session.deal(), 0
    limit = session.subject.rules.limit
    try:
        while at < len(text):
            if text[at] == "/":
                at += 1
                continue
            action, at = read_action(text, at, limit=limit)
            session.replay(action)
    except (ProtocolError, IllegalActionError) as error:
        _damaged(path, hand, str(error))
    if actions_text(hand.state.actions, limit=limit) != text:
        _damaged(path, hand, f"the bets {text!r} are not divided into rounds by the rules.")
    return hand


def _damaged(path: Place, hand: Hand, what: str) -> NoReturn:
    raise DamagedFileError(f"{path}, hand {hand.number + 1}: {what}")


def _cards_text(played: PlayedHand) -> str:
    """Private cards by seat, and the board that was dealt: 9s8h|8c7d/5h5d5c/Ad."""
    game = played.subject.rules
    hole = "|".join(game.deck.cards_text(cards or ()) for cards in played.hole)
    board = board_text(played.board, game)
    return hole + (board if board.startswith("/") or not board else f"/{board}")


def _read_body(path: Place) -> dict[str, Any]:
    """Read a session's file and check the types of its content."""
    body = read_document(path, NOUN, VERSION)
    # Values are checked by replaying the session.
    if (
        not has_fields(body, _FIELDS)
        or body["seating"] not in list(Seating)
        or isinstance(body["seed"], bool)
        or body["seed"] < 0
        or not all(has_fields(record, _HAND_FIELDS) for record in body["hands"])
        or not all(map(_are_seconds, body["hands"]))
    ):
        raise DamagedFileError(f"{path} lacks a field of a session, or has one of the wrong type.")
    return body


def _are_seconds(record: dict[str, Any]) -> bool:
    """Return whether the seconds of a hand are numbers that are possible, one a decision, or null."""
    seconds = record.get("seconds", [])
    return isinstance(seconds, list) and all(
        number is None or (isinstance(number, int | float) and not isinstance(number, bool) and 0.0 <= number < 1e9)
        for number in seconds
    )
