"""Games and spots as plain values for JSON, so that a file contains the whole description of its game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errai.errors import DamagedFileError
from errai.games.gamedef import parse_game
from errai.games.sizing import BetMenu
from errai.games.spot import Spot
from errai.games.subject import Subject


def subject_document(subject: Subject, menu: str | None) -> dict[str, Any]:
    """Return the whole description of a game or spot as plain values for JSON."""
    if isinstance(subject, Spot):
        return {"spot": subject.to_dict(), "digest": subject.digest()}
    document = {"game": subject.rules.to_text(), "name": subject.rules.name, "digest": subject.digest()}
    return document if menu is None else {**document, "menu": menu}


def read_subject(document: Any) -> tuple[Subject, str | None]:
    """Return the game or spot of :func:`subject_document`, and the menu.  Raises :class:`ErraiError` if it is not
    valid.
    """
    if not isinstance(document, Mapping):
        raise DamagedFileError("The file does not say which game it is of.")
    subject: Subject
    if "spot" in document:
        if not isinstance(document["spot"], Mapping):
            raise DamagedFileError("The spot of the file is not a table.")
        subject = Spot.from_dict(document["spot"])
        menu = None
    else:
        text, name, menu = document.get("game"), document.get("name"), document.get("menu")
        if not isinstance(text, str) or not isinstance(name, str) or not (menu is None or isinstance(menu, str)):
            raise DamagedFileError("The file does not say which game it is of.")
        subject = parse_game(text, name)
    if subject.digest() != document.get("digest"):
        raise DamagedFileError("The game in the file is not the one that its digest was made of.")
    return subject, menu


def menu_of(subject: Subject, menu: str | None) -> BetMenu | None:
    """Return the menu of a no-limit game from its text.  Raises :class:`SizingError`."""
    return None if menu is None or subject.whole_game is None else BetMenu.uniform(subject.rules.num_rounds, menu)
