"""Decisions that are asked again on later days, by FSRS, a maintained algorithm of spaced repetition.

The extra ``drill`` has the package ``fsrs``.  Its scheduler is used without steps within a day and without chance: what
is answered wrongly comes again on the next day at the earliest, and later and later as long as it is answered rightly.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.errors import DamagedFileError, MismatchError
from errai.games.game import Subject
from errai.store.atomic import locked_file
from errai.store.document import has_fields, read_document, write_document

if TYPE_CHECKING:
    import fsrs

NOUN, VERSION = "drill", 1

RATINGS = {"right": "Good", "inaccurate": "Hard", "mistake": "Again"}
"""What FSRS is told of an answer, by its grade."""

_FIELDS = {"game": str, "digest": str, "decisions": list}
_DECISION_FIELDS = {"line": str, "hand": str, "asked": int, "wrong": int, "memory": dict}
_MOST_NUMBER = 1e9

Place = str | os.PathLike[str]


def _now() -> datetime:
    return datetime.now().astimezone()


def locked_repetition(path: Place) -> AbstractContextManager[None]:
    """Keep other processes from using the file of a drill, whether it exists yet or not.

    Entering raises :class:`RunInUseError` if one does, and :class:`FileAccessError` if the lock cannot be created.
    """
    file = Path(os.path.realpath(path))
    return locked_file(
        file.with_name(f".{file.name}.lock"), f"{path} is in use by another drill; end it, or name another file."
    )


class Repetition:
    """The decisions of one game or spot that were answered wrongly, in a file.

    Parameters
    ----------
    path:
        The file; it need not exist.  It is replaced as a whole after every answer that changes it.
    subject:
        The game or spot.
    now:
        Returns the present time with its time zone; days begin at midnight there.

    Raises
    ------
    FileAccessError
        The file cannot be read.
    ForeignFileError
        It is another file, or one of another version.
    DamagedFileError
        It is truncated or altered.
    MismatchError
        It is of another game or spot.
    ModuleNotFoundError
        The extra ``drill`` is not installed.
    """

    def __init__(self, path: Place, subject: Subject, now: Callable[[], datetime] = _now) -> None:
        import fsrs

        self.path = Path(path)
        self.subject = subject
        self.now = now
        self._scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
        self._decisions: dict[tuple[str, str], dict[str, Any]] = {}
        self._cards: dict[tuple[str, str], fsrs.Card] = {}
        if self.path.exists():
            self._read()

    def __len__(self) -> int:
        return len(self._decisions)

    def due(self) -> list[tuple[str, str]]:
        """Return the lines and hands that are due today or were before, those that have waited longest first."""
        tomorrow = self.now().replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        today = [key for key, card in self._cards.items() if card.due < tomorrow]
        return sorted(today, key=lambda key: (self._cards[key].due, key))

    def coming(self) -> list[tuple[datetime, str, str]]:
        """Return when each decision is due, with its line and its hand, the first ones first."""
        return sorted((card.due, *key) for key, card in self._cards.items())

    def next_day(self) -> datetime | None:
        """Return when the next decision is due; None if nothing is kept."""
        return min((card.due for card in self._cards.values()), default=None)

    def record(self, line: str, hand: str, grade: str) -> None:
        """Record an answer with its grade, a key of :data:`RATINGS`, and write the file.

        A decision that is not kept yet is kept from its first answer on that is not right.  Raises
        :class:`FileAccessError` or :class:`DiskSpaceError` if the file cannot be written.
        """
        import fsrs

        key, now = (line, hand), self.now().astimezone(UTC)
        if key not in self._decisions and grade == "right":
            return
        card = self._cards.get(key) or fsrs.Card(card_id=0, due=now)
        card, _ = self._scheduler.review_card(card, fsrs.Rating[RATINGS[grade]], now)
        before = self._decisions.get(key, {"asked": 0, "wrong": 0})
        counts = {"asked": before["asked"] + 1, "wrong": before["wrong"] + (grade != "right")}
        self._cards[key] = card
        self._decisions[key] = {"line": line, "hand": hand, **counts, "memory": _memory(card)}
        self._write()

    def _write(self) -> None:
        name = self.subject.title or self.subject.rules.name
        body = {"game": name, "digest": self.subject.digest(), "decisions": list(self._decisions.values())}
        write_document(self.path, NOUN, VERSION, body)

    def _read(self) -> None:
        body = read_document(self.path, NOUN, VERSION)
        if not has_fields(body, _FIELDS) or not all(has_fields(each, _DECISION_FIELDS) for each in body["decisions"]):
            raise DamagedFileError(f"{self.path} lacks a field of a drill, or has one of the wrong type.")
        if body["digest"] != self.subject.digest():
            raise MismatchError(
                f"{self.path} is a drill of {body['game']!r}; name a solution of that, or another file."
            )
        for each in body["decisions"]:
            key = each["line"], each["hand"]
            try:
                self._cards[key] = _card(each["memory"])
            except (KeyError, TypeError, ValueError):
                where = f"the decision with {each['hand']} after {each['line']!r}"
                raise DamagedFileError(f"{self.path} has a wrong number or time at {where}.") from None
            self._decisions[key] = each


def _memory(card: fsrs.Card) -> dict[str, Any]:
    """Return what FSRS knows of a decision as JSON has it."""
    found = card.to_dict()
    return {name: found[name] for name in ("stability", "difficulty", "due", "last_review")}


def _card(memory: dict[str, Any]) -> fsrs.Card:
    """Return the decision of FSRS; raises :class:`ValueError` and the like for what cannot be one."""
    import fsrs

    numbers = [float(memory[name]) for name in ("stability", "difficulty")]
    times = [datetime.fromisoformat(memory[name]) for name in ("due", "last_review")]
    if not all(0.0 < number < _MOST_NUMBER for number in numbers) or any(time.tzinfo is None for time in times):
        raise ValueError
    # Without steps within a day every decision is in the state of being reviewed.
    return fsrs.Card(0, fsrs.State.Review, None, numbers[0], numbers[1], times[0], times[1])
