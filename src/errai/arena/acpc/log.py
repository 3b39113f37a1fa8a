"""The log of the competition's dealer: one line for each hand, comments before, the score at the end.

``STATE:0:cr13024c/r16916f:5d5c|9hQd/8dAs8s:13024|-13024:Alice|Bob`` is a hand: its number, the betting, all cards by
position, what each position won, and the players by position.  ``SCORE:195857|-195857:Alice|Bob`` is what each player
won over the match.  Lines that begin with ``#`` are comments, and so is the rest of a line after `` #``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from errai.arena.acpc.text import Cards, betting_text, cards_field, protocol_game, read_hand_number, read_state
from errai.errors import HistoryError, MatchError, ProtocolError
from errai.games.game import Game
from errai.games.hand import PlayedHand, PublicState

CHIPS_SLACK = 1e-5
"""The log has six digits after the point."""

_CHIPS = re.compile(r"(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)\|(-?[0-9]{1,15}(?:\.[0-9]{1,9})?)")


@dataclass(frozen=True)
class Score:
    """The last line of a log."""

    net_chips: tuple[float, float]
    """What each player won over the match, in the order of the names."""
    players: tuple[str, str]


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


def state_line(hand: PlayedHand) -> str:
    """Return the log's line of a hand, without the line break.

    Raises :class:`HistoryError` if the hand is not over, and :class:`UnsupportedGameError` if it is of a spot.
    """
    protocol_game(hand.subject)
    state = hand.final_state()
    if not state.is_over:
        raise HistoryError(f"Hand {hand.number} is not over; the competition's log has whole hands only.")
    return hand_line(hand.number, state, hand.hole, hand.net_chips, hand.players)


def hand_line(
    number: int,
    state: PublicState,
    hole: tuple[Cards | None, Cards | None],
    net_chips: tuple[float, float],
    players: tuple[str, str],
) -> str:
    """Return the log's line of a hand that is over, from its last state; nothing is checked."""
    values = "|".join(chips_text(chips) for chips in net_chips)
    return f"STATE:{number}:{betting_text(state)}:{cards_field(state, hole)}:{values}:{_names(players)}"


def score_line(score: Score) -> str:
    """Return the log's last line, without the line break."""
    return f"SCORE:{'|'.join(chips_text(chips) for chips in score.net_chips)}:{_names(score.players)}"


def chips_text(chips: float) -> str:
    """Write an amount as the dealer does: six digits after the point, without the zeros at the end."""
    text = f"{chips:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def read_state_line(text: str, game: Game) -> PlayedHand:
    """Read a hand from a log, with or without the line break.

    Raises
    ------
    HistoryError
        The line is not a STATE line, the hand is not over, the rules do not allow it, or the chips do not follow from
        the rules; the error has the column.
    """
    line, sign, comment = text.strip().partition(" #")
    fields = line.split(":")
    if fields[0] != "STATE" or len(fields) != 6:
        raise HistoryError("A line STATE:hand:betting:cards:chips:names was expected.", column=1)
    _, number_text, betting, cards, values, names = fields
    column = 7
    if (players := names.count("|") + 1) > 2 and values.count("|") + 1 == players:
        raise HistoryError(f"{players} players sat at the table; only hands of two players can be read.", column=column)
    try:
        number = read_hand_number(number_text, column)
        column += len(number_text) + 1
        state, hole = read_state(betting, cards, game, column)
    except ProtocolError as error:
        raise HistoryError(error.message, column=error.column) from error
    if not state.is_over:
        raise HistoryError("The hand is not over at the end of the betting.", column=column + len(betting))
    column += len(betting) + len(cards) + 2
    net = _read_chips(values, column)
    known: tuple[float, float] | None = None
    if not state.betting.showdown:
        known = state.net_chips(((), ()))
    elif hole[0] is not None and hole[1] is not None:
        known = state.net_chips((hole[0], hole[1]))
    if known is not None and abs(known[0] - net[0]) > CHIPS_SLACK:
        raise HistoryError(
            f"The log says that the players won {values}; by the rules they won "
            f"{'|'.join(chips_text(chips) for chips in known)}.",
            column=column,
        )
    details = {"_comments": (("", comment.strip()),)} if sign else {}
    return PlayedHand(
        game, number, hole, state.board, state.actions, _read_names(names, column + len(values) + 1), net, details
    )


def read_score_line(text: str) -> Score:
    """Read the last line of a log.  Raises :class:`HistoryError` with the column."""
    fields = text.strip().partition(" #")[0].split(":")
    if fields[0] != "SCORE" or len(fields) != 3:
        raise HistoryError("A line SCORE:chips:names was expected.", column=1)
    return Score(_read_chips(fields[1], 7), _read_names(fields[2], 8 + len(fields[1])))


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


class LogStream(Protocol):
    """Where a log is written to: a text file, or a :class:`errai.arena.match_log.LogFile`."""

    def write(self, text: str, /) -> object:
        """Add lines."""

    def flush(self) -> object:
        """Hand everything to the system."""


class LogWriter:
    """Writes a log line by line, so that there is a readable log on the disk at any moment."""

    def __init__(self, stream: LogStream) -> None:
        self._stream = stream

    def comment(self, text: str) -> None:
        """Write a comment of one line."""
        # The dealer's own settings follow the sign without a space, as the competition's programs write them.
        self._line(("#" if text.startswith("--") else "# ") + " ".join(text.split()))

    def hand(self, hand: PlayedHand) -> None:
        """Write a hand; errors as :func:`state_line`."""
        self._line(state_line(hand))

    def score(self, score: Score) -> None:
        """Write the end of the match."""
        self._line(score_line(score))

    def _line(self, text: str) -> None:
        self._stream.write(text + "\n")
        self._stream.flush()


def _names(players: tuple[str, str]) -> str:
    return "|".join(require_name(name) for name in players)


def _read_names(text: str, column: int) -> tuple[str, str]:
    names = text.split("|")
    if len(names) != 2:
        raise HistoryError("The names of two players with a | between them were expected.", column=column)
    try:
        return require_name(names[0]), require_name(names[1])
    except MatchError as error:
        raise HistoryError(str(error), column=column) from error


def _read_chips(text: str, column: int) -> tuple[float, float]:
    match = _CHIPS.fullmatch(text)
    if match is None:
        raise HistoryError("What two players won was expected, as in 100|-100.", column=column)
    first, second = float(match[1]), float(match[2])
    if abs(first + second) > CHIPS_SLACK:
        raise HistoryError(f"What the players won, {text}, does not sum to 0.", column=column)
    return first, second
