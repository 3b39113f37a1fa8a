"""ACPC logs as files of hand histories: the lines of :mod:`errai.arena.acpc.log` and their game.

A log does not contain its rules.  They are taken, in this order, from the caller; from a GAMEDEF in the log's comments,
which :func:`log_text` writes; from the game file that the dealer names in its first comment; and from the betting:
raises with amounts belong to the competition's no-limit game, raises without to its limit game.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from errai.arena.acpc.log import Score, iterate_log, score_line, state_line
from errai.arena.histories.record import HandFile
from errai.errors import ErraiError, HistoryError, UnknownGameError
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.gamedef import parse_game
from errai.games.hand import PlayedHand

_DEALER_COMMENT = re.compile(r"^#\s*name/game/hands/seed\s+\S+\s+(\S+)", re.MULTILINE)
_GAMEDEF = re.compile(r"^#\s*GAMEDEF[ \t]*\n(?:#.*\n)*?#\s*END GAMEDEF[ \t]*$", re.MULTILINE | re.IGNORECASE)
_OWN_LINE = re.compile(r"^#\s*errai:\s*(name|title|ranking)\s*=\s*(.*)$", re.MULTILINE)
_STATE = re.compile(r"^STATE:\d+:([^:\n]*):", re.MULTILINE)


def read_acpc(text: str, source: str | None = None, game: Game | None = None) -> HandFile:
    """Read a log; lines that cannot be read are in ``faults``.

    Raises :class:`HistoryError` if a GAMEDEF in its comments cannot be read.
    """
    text = text.lstrip("\ufeff").replace("\r\n", "\n")
    rules = game if game is not None else game_of_log(text, source)
    hands: list[PlayedHand] = []
    faults: list[HistoryError] = []
    for item in iterate_log(text.split("\n"), rules, source):
        if isinstance(item, PlayedHand):
            hands.append(item)
        elif isinstance(item, HistoryError):
            faults.append(item)
    return HandFile(tuple(hands), tuple(faults), "acpc")


def game_of_log(text: str, source: str | None = None) -> Game:
    """Determine the game of a log as far as possible.

    Raises :class:`HistoryError` if the GAMEDEF in its comments cannot be read.
    """
    written = _GAMEDEF.search(text)
    if written is not None:
        own = dict(_OWN_LINE.findall(text[: written.start()]))
        lines = [f"# errai: {key} = {own[key]}" for key in ("title", "ranking") if key in own]
        lines += [line[1:].strip() for line in written[0].splitlines()]
        try:
            return parse_game("\n".join(lines), own.get("name", "game").strip() or "game")
        except ErraiError as error:
            line = text.count("\n", 0, written.start()) + 1
            message = f"The game in the log's comments cannot be read: {error}"
            raise HistoryError(message, line=line, source=source) from error
    named = _DEALER_COMMENT.search(text)
    if named is not None:
        try:
            # The dealer writes a path; only the name of the file can be known here.
            return load_game(re.split(r"[/\\]", named[1])[-1].removesuffix(".game"))
        except UnknownGameError:
            pass
    with_raises = next((betting[1] for betting in _STATE.finditer(text) if "r" in betting[1]), "r1")
    return load_game("holdem.nolimit.2p" if re.search(r"r\d", with_raises) else "holdem.limit.2p")


def log_text(hands: Sequence[PlayedHand], game: Game) -> str:
    """Write hands of one game as a log, with the game in its comments and the score at the end.

    Raises :class:`ErraiError` if a log cannot hold a hand.
    """
    lines = [f"# errai: name = {game.name}", *(_comment(line) for line in game.to_text().splitlines())]
    totals: dict[str, float] = {}
    for hand in hands:
        lines.append(state_line(hand))
        for player, chips in zip(hand.players, hand.net_chips, strict=True):
            totals[player] = totals.get(player, 0.0) + chips
    if len(totals) == 2:
        (first, won), (second, lost) = totals.items()
        lines.append(score_line(Score((won, lost), (first, second))))
    return "\n".join(lines) + "\n"


def _comment(line: str) -> str:
    return line if line.startswith("#") else f"# {line}"
