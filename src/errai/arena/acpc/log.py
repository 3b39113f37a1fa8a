"""The log of the competition's dealer: one line for each hand, comments before, the score at the end.

``STATE:0:cr13024c/r16916f:5d5c|9hQd/8dAs8s:13024|-13024:Alice|Bob`` is a hand: its number, the betting, all cards by
position, what each position won, and the players by position.  ``SCORE:195857|-195857:Alice|Bob`` is what each player
won over the match.  Lines that begin with ``#`` are comments, and so is the rest of a line after `` #``.

:class:`LogFile` is the file that such lines are written to while a match is played.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from errai.arena.acpc.text import betting_text, cards_field, protocol_game, read_hand_number, read_state
from errai.errors import HistoryError, MatchError, ProtocolError
from errai.games.game import Game
from errai.games.hand import PlayedHand, PublicState, still_in
from errai.running.system import KEPT_TO_ITSELF, flush_to_disk
from errai.store.atomic import lock, refusals

CHIPS_SLACK = 1e-5
"""The log has six digits after the point."""

_CHIPS = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,9})?")


@dataclass(frozen=True)
class Score:
    """The last line of a log."""

    net_chips: tuple[float, ...]
    """What each player won over the match, in the order of the names."""
    players: tuple[str, ...]


@dataclass
class MatchLog:
    """A log that was read."""

    hands: list[PlayedHand] = field(default_factory=list)
    score: Score | None = None
    """None if the match did not come to its end."""
    comments: list[str] = field(default_factory=list)
    """The lines that begin with #, without it."""
    problems: list[HistoryError] = field(default_factory=list)
    """Lines that could not be read and were left out."""

    def net_chips(self) -> dict[str, float]:
        """Return what each player won in the hands that were read."""
        won: dict[str, float] = {}
        for hand in self.hands:
            for player, chips in zip(hand.players, hand.net_chips, strict=True):
                won[player] = won.get(player, 0.0) + chips
        return won


def require_name(name: str) -> str:
    """Return the name of a player.  Raises :class:`MatchError` if a log cannot hold it."""
    if not name.strip() or any(sign in ":|" or not sign.isprintable() for sign in name) or len(name) > 200:
        raise MatchError(f"{name!r} cannot be a player's name in a log: it must be one line without ':' and '|'.")
    if " #" in name:
        raise MatchError(f"{name!r} cannot be a player's name in a log, in which ' #' begins a comment.")
    return name


def log_name(name: str) -> str:
    """Return a name as a log can hold it: the characters that separate fields are replaced."""
    return "".join("_" if sign in ":|" or not sign.isprintable() or sign.isspace() else sign for sign in name) or "_"


def state_line(hand: PlayedHand) -> str:
    """Return the log's line of a hand, without the line break.

    Raises :class:`HistoryError` if the hand is not over, and :class:`UnsupportedGameError` if it is of a spot.
    """
    protocol_game(hand.subject)
    state = hand.final_state()
    if not state.is_over:
        raise HistoryError(f"Hand {hand.number} is not over; the competition's log has whole hands only.")
    return hand_line(hand, state)


def hand_line(hand: PlayedHand, state: PublicState) -> str:
    """Return the log's line of a hand that is over, from its last state; nothing is checked."""
    values = "|".join(chips_text(chips) for chips in hand.net_chips)
    return f"STATE:{hand.number}:{betting_text(state)}:{cards_field(state, hand.hole)}:{values}:{_names(hand.players)}"


def score_line(score: Score) -> str:
    """Return the log's last line, without the line break."""
    return f"SCORE:{'|'.join(chips_text(chips) for chips in score.net_chips)}:{_names(score.players)}"


def chips_text(chips: float) -> str:
    """Write an amount as the dealer does: six digits after the point, without the zeros at the end."""
    text = f"{chips:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def read_state_line(text: str, game: Game) -> PlayedHand:
    """Read a hand from a log, with or without the line break.

    Raises :class:`HistoryError` if the line is not a STATE line, the hand is not over, the rules do not allow it, or
    the chips do not follow from the rules; the error has the column.
    """
    line, sign, comment = text.strip().partition(" #")
    fields = line.split(":")
    if fields[0] != "STATE" or len(fields) != 6:
        raise HistoryError("A line STATE:hand:betting:cards:chips:names was expected.", column=1)
    _, number_text, betting, cards, values, names = fields
    column = 7
    if (players := names.count("|") + 1) != game.num_players and values.count("|") + 1 == players and players > 1:
        here = (
            "only hands of two players can be read" if game.num_players == 2 else f"the game is for {game.num_players}"
        )
        raise HistoryError(f"{players} players sat at the table; {here}.", column=column)
    try:
        number, column = read_hand_number(number_text, column), column + len(number_text) + 1
        state, hole = read_state(betting, cards, game, column)
    except ProtocolError as error:
        raise HistoryError(error.message, column=error.column) from error
    if not state.is_over:
        raise HistoryError("The hand is not over at the end of the betting.", column=column + len(betting))
    column += len(betting) + len(cards) + 2
    net = _read_chips(values, column, game.num_players)
    known: tuple[float, ...] | None = None
    if not state.betting.showdown or all(hole[p] is not None for p in still_in(state)):
        known = state.net_chips(cast(Any, hole))
    if known is not None and any(abs(a - b) > CHIPS_SLACK for a, b in zip(known, net, strict=True)):
        raise HistoryError(
            f"The log says that the players won {values}; by the rules they won "
            f"{'|'.join(chips_text(chips) for chips in known)}.",
            column=column,
        )
    details = {"_comments": (("", comment.strip()),)} if sign else {}
    players_text = _read_names(names, column + len(values) + 1, game.num_players)
    record: Any = (game, number, hole, state.board, state.actions, players_text, net, details)
    return PlayedHand(*record)


def read_score_line(text: str) -> Score:
    """Read the last line of a log.  Raises :class:`HistoryError` with the column."""
    fields = text.strip().partition(" #")[0].split(":")
    if fields[0] != "SCORE" or len(fields) != 3:
        raise HistoryError("A line SCORE:chips:names was expected.", column=1)
    players = fields[2].count("|") + 1
    return Score(_read_chips(fields[1], 7, players), _read_names(fields[2], 8 + len(fields[1]), players))


def read_log(lines: Iterable[str], game: Game, source: str | None = None) -> MatchLog:
    """Read a log; a line that cannot be read is left out, and is in ``problems`` with its number.

    Parameters
    ----------
    lines:
        The lines, such as an open text file.
    game:
        The rules of the game, which are not in the log.
    source:
        The file's name, for messages.
    """
    log = MatchLog()
    for item in iterate_log(lines, game, source):
        if isinstance(item, PlayedHand):
            log.hands.append(item)
        elif isinstance(item, Score):
            log.score = item
        elif isinstance(item, HistoryError):
            log.problems.append(item)
        else:
            log.comments.append(item)
    return log


def iterate_log(
    lines: Iterable[str], game: Game | HistoryError, source: str | None = None, first_line: int = 1
) -> Iterator[PlayedHand | Score | HistoryError | str]:
    """Read a log piece by piece: hands, the score, comments as text, and an error for each broken line.

    Parameters are those of :func:`read_log`, the number of the first line, and in place of a game the error that says
    why it is not known.
    """
    for number, line in enumerate(lines, first_line):
        text = line.strip()
        if not text:
            continue
        if text.startswith("#"):
            yield text[1:].strip()
            continue
        try:
            if text.startswith("SCORE"):
                yield read_score_line(text)
                continue
            if isinstance(game, HistoryError):
                raise game
            yield read_state_line(text, game)
        except HistoryError as error:
            yield HistoryError(error.message, line=number, column=error.column, source=source)


def comment_line(text: str) -> str:
    """Return a comment of one line, without the line break."""
    # The dealer's own settings follow the sign without a space, as the competition's programs write them.
    return ("#" if text.startswith("--") else "# ") + " ".join(text.split())


class LogFile:
    """A log to which whole lines are appended, and to which no other process writes meanwhile.

    What a method has written is in the file, and what it could not write is not, not even a part of it: the caller may
    count a hand once its line is written.

    Parameters
    ----------
    path:
        The file.  What it holds is removed, apart from ``keep_bytes``.
    keep_bytes, keep_lines:
        What a match that is resumed has written before; the log is cut back to it.

    Raises
    ------
    MatchError
        The log of the resumed match is missing, or does not hold what the match has written.
    RunInUseError
        Another process writes to the file.
    FileAccessError, DiskSpaceError
        The file cannot be written.  All methods raise these.
    """

    def __init__(self, path: Path, keep_bytes: int = 0, keep_lines: int = 0) -> None:
        self.path = path
        self.size = keep_bytes
        with refusals(path):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | KEPT_TO_ITSELF, 0o666)
            try:
                self._plain = stat.S_ISREG(os.fstat(self._file).st_mode)
                if self._plain:
                    lock(self._file, f"Another process writes to {path}; wait until it ends, or choose another file.")
                if (keep_bytes or keep_lines) and not self._holds(keep_bytes, keep_lines):
                    raise MatchError(f"{path} does not hold the hands that were played before; start the match again.")
                self._cut()
            except BaseException:
                self.close()
                raise

    def write(self, text: str) -> None:
        """Add lines, each with its end."""
        data = memoryview(text.encode())
        with refusals(self.path):
            try:
                left = data
                while left:
                    left = left[os.write(self._file, left) :]
            except BaseException:
                # What was written of it goes again; if that fails too, a resumed match cuts it off.
                with contextlib.suppress(OSError):
                    self._cut()
                raise
        self.size += len(data)

    def flush(self) -> None:
        """Do nothing: nothing is held back."""

    def settle(self) -> int:
        """Make sure that everything survives a power failure; returns the size in bytes."""
        if self._plain:
            with refusals(self.path):
                flush_to_disk(self._file)
        return self.size

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _cut(self) -> None:
        if self._plain:
            os.ftruncate(self._file, self.size)
            os.lseek(self._file, self.size, os.SEEK_SET)

    def _holds(self, count: int, lines: int) -> bool:
        """Return whether the file begins with so many bytes that are so many lines."""
        with self.path.open("rb") as file:
            left, found, last = count, 0, b""
            while left and (block := file.read(min(left, 1 << 20))):
                left, found, last = left - len(block), found + block.count(b"\n"), block
        return not left and found == lines and last.endswith(b"\n")


def _names(players: tuple[str, ...]) -> str:
    return "|".join(require_name(name) for name in players)


def _read_names(text: str, column: int, players: int) -> tuple[str, ...]:
    names = text.split("|")
    if len(names) != max(players, 2):
        number = "two" if players <= 2 else str(players)
        raise HistoryError(f"The names of {number} players with a | between them were expected.", column=column)
    try:
        return tuple(require_name(name) for name in names)
    except MatchError as error:
        raise HistoryError(str(error), column=column) from error


def _read_chips(text: str, column: int, players: int) -> tuple[float, ...]:
    parts = text.split("|")
    if len(parts) != max(players, 2) or not all(_CHIPS.fullmatch(part) for part in parts):
        number = "two" if players <= 2 else str(players)
        raise HistoryError(f"What {number} players won was expected, as in 100|-100.", column=column)
    found = tuple(map(float, parts))
    if abs(sum(found)) > CHIPS_SLACK * len(found):
        raise HistoryError(f"What the players won, {text}, does not sum to 0.", column=column)
    return found
