"""What was solved as plain values for JSON, so that a file contains the whole description of its game."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from errai.errors import DamagedFileError, ErraiError, InputError
from errai.games.catalogue import parse_game
from errai.games.game import Subject
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.games.lookahead import Lookahead, lookahead
from errai.games.sizing import BetMenu
from errai.games.spot import Spot

_WORDS = {"fold": FOLD, "call": CALL}


def subject_document(subject: Subject, menu: str | None) -> dict[str, Any]:
    """Return the whole description of a game, spot or lookahead as plain values for JSON.

    Raises :class:`InputError` for a lookahead whose bet sizes have more digits than their text.
    """
    if isinstance(subject, Spot):
        return {"spot": subject.to_dict(), "digest": subject.digest()}
    if isinstance(subject, Lookahead):
        table = _lookahead_table(subject)
        if _read_lookahead(table).digest() != subject.digest():
            raise InputError("The bet sizes of the lookahead have more than 12 decimals; round them to save it.")
        return {"lookahead": table, "digest": _digest(table)}
    document = {"game": subject.rules.to_text(), "name": subject.rules.name, "digest": subject.digest()}
    return document if menu is None else {**document, "menu": menu}


def read_subject(document: Any) -> tuple[Subject, str | None]:
    """Return what :func:`subject_document` describes, and the menu; raise :class:`ErraiError` if it is not valid."""
    if not isinstance(document, Mapping):
        raise DamagedFileError("The file does not say which game it is of.")
    kind = next((kind for kind in ("spot", "lookahead") if kind in document), "game")
    table, name, menu = document.get(kind), document.get("name"), document.get("menu")
    if kind == "game":
        if not isinstance(table, str) or not isinstance(name, str) or not (menu is None or isinstance(menu, str)):
            raise DamagedFileError("The file does not say which game it is of.")
        subject: Subject = parse_game(table, name)
    elif not isinstance(table, Mapping):
        raise DamagedFileError(f"The {kind} of the file is not a table.")
    else:
        subject, menu = Spot.from_dict(table) if kind == "spot" else _read_lookahead(table), None
    if (_digest(table) if kind == "lookahead" else subject.digest()) != document.get("digest"):
        raise DamagedFileError("The game in the file does not match its digest; the file was changed.")
    return subject, menu


def menu_of(subject: Subject, menu: str | None) -> BetMenu | None:
    """Return the menu of a no-limit game from its text.  Raises :class:`SizingError`."""
    return None if menu is None or subject.whole_game is None else BetMenu.parse(subject.rules.num_rounds, menu)


def _lookahead_table(part: Lookahead) -> dict[str, Any]:
    words = {action: word for word, action in _WORDS.items()}
    return {
        "of": subject_document(part.state.subject, None),
        "line": [words.get(action, action.total) for action in part.state.line],
        "board": part.deck.cards_text(part.board),
        "weights": [weights.tolist() for weights in part.ranges],
        "menu": None if part.menu is None else part.menu.to_dict(),
        "depth": part.depth,
    }


def _read_lookahead(table: Mapping[str, Any]) -> Lookahead:
    """Return a lookahead from its table; raises :class:`DamagedFileError` if it describes none."""
    try:
        whole, _ = read_subject(table["of"])
        board = tuple(whole.deck.parse_cards(table["board"]))
        state = PublicState.start(whole).dealt(board)
        for word in table["line"]:
            action: Action = _WORDS[word] if isinstance(word, str) else raise_to(int(word))
            state = state.after(action).dealt(board)
        menu = None if table["menu"] is None else BetMenu.from_dict(table["menu"])
        return lookahead(whole, state, table["weights"], table["depth"], menu=menu)
    except (ErraiError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedFileError(f"The lookahead of the file makes no sense: {error!s:.200}") from error


def _digest(table: Any) -> str:
    return hashlib.sha256(json.dumps(table, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()
