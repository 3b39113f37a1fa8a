"""ACPC logs as files of hand histories: the lines of :mod:`errai.arena.acpc.log` and their game.

A log does not contain its rules.  They are taken, in this order, from the caller; from a GAMEDEF in the log's comments,
which :func:`log_text` writes; from the game file that the dealer names in its first comment; and from the betting:
raises with amounts belong to the competition's no-limit game, raises without to its limit game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from errai.arena.acpc.log import Score, iterate_log, score_line, state_line
from errai.arena.histories import Piece
from errai.arena.histories.record import Told, Written, is_idle
from errai.errors import ErraiError, HistoryError, UnknownGameError
from errai.games.catalogue import load_game, parse_game
from errai.games.game import Game
from errai.games.hand import PlayedHand

_DEALER_COMMENT = re.compile(r"^#\s*name/game/hands/seed\s+\S+\s+(\S+)", re.MULTILINE)
_GAMEDEF = re.compile(r"^#\s*GAMEDEF[ \t]*\n(?:#.*\n)*?#\s*END GAMEDEF[ \t]*$", re.MULTILINE | re.IGNORECASE)
_GAMEDEF_BEGIN = re.compile(r"^#\s*GAMEDEF\b", re.MULTILINE | re.IGNORECASE)
_OWN_LINE = re.compile(r"^#\s*errai:\s*(name|title|ranking)\s*=\s*(.*)$", re.MULTILINE)
_STATE = re.compile(r"STATE:\d+:([^:\n]*):")


def reader(text: str, game: Game | None) -> Callable[[Piece], Iterator[PlayedHand | HistoryError]]:
    """See :meth:`errai.arena.histories.Format.read`; the pieces of one file may be of several games."""
    rules: Game | HistoryError | None = game

    def read(piece: Piece) -> Iterator[PlayedHand | HistoryError]:
        nonlocal rules
        names_game = _GAMEDEF_BEGIN.search(piece.text) or _DEALER_COMMENT.search(piece.text)
        # Lines after the first piece without a game of their own belong to the game before.
        if rules is None or (game is None and names_game):
            try:
                rules = game_of_log(piece.text if names_game else text)
            except HistoryError as error:
                rules = error
        lines = ("" if not line.startswith("STATE:") and is_idle(line) else line for line in piece.text.split("\n"))
        for item in iterate_log(lines, rules, first_line=piece.line):
            if isinstance(item, PlayedHand | HistoryError):
                yield item

    return read


def game_of_log(text: str, source: str | None = None) -> Game:
    """Determine the game of a log as far as possible.

    Raises :class:`HistoryError` if the GAMEDEF in its comments cannot be read, or is not whole.
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
    if (begun := _GAMEDEF_BEGIN.search(text)) is not None:
        line = text.count("\n", 0, begun.start()) + 1
        raise HistoryError("The game in the log's comments has no END GAMEDEF.", line=line, source=source)
    named = _DEALER_COMMENT.search(text)
    if named is not None:
        try:
            # The dealer writes a path; only the name of the file can be known here.
            return load_game(re.split(r"[/\\]", named[1])[-1].removesuffix(".game"))
        except UnknownGameError:
            pass
    with_raises = next((betting[1] for betting in _STATE.finditer(text) if "r" in betting[1]), "r1")
    return load_game("holdem.nolimit.2p" if re.search(r"r\d", with_raises) else "holdem.limit.2p")


def write(hands: Sequence[PlayedHand], stem: str) -> Written:
    """See :meth:`errai.arena.histories.Format.write`; a log is of one game, so several games make several documents."""
    games: dict[str, list[PlayedHand]] = {}
    faults: list[HistoryError] = []
    for hand in hands:
        rules = hand.subject.rules
        try:
            if "_blinds" in hand.details:
                raise HistoryError("an ACPC log cannot say that a blind was larger than the stack that posted it.")
            log_text([hand], rules)
        except ErraiError as error:
            faults.append(HistoryError(f"Hand {hand.number}: {error}"))
            continue
        games.setdefault(rules.digest(), []).append(hand)
    documents: dict[str, str | bytes] = {}
    for number, group in enumerate(games.values(), 1):
        name = f"{stem}.log" if len(games) == 1 else f"{stem}-{number}.log"
        documents[name] = log_text(group, group[0].subject.rules)
    return Written(documents, sum(map(len, games.values())), tuple(faults))


def log_text(hands: Sequence[PlayedHand], game: Game) -> str:
    """Write hands of one game as a log, with the game in its comments and the score at the end.

    Raises :class:`ErraiError` if a log cannot hold a hand.
    """
    rules = (line if line.startswith("#") else f"# {line}" for line in game.to_text().splitlines())
    lines = [f"# errai: name = {game.name}", *rules]
    totals: dict[str, float] = {}
    for hand in hands:
        # A comment before the first action is one to the whole hand.
        comments = (" ".join(comment.split()) for comment in Told(hand).comments.get("", ()))
        lines.append(" # ".join([state_line(hand), *comments]))
        for player, chips in zip(hand.players, hand.net_chips, strict=True):
            totals[player] = totals.get(player, 0.0) + chips
    if len(totals) == 2:
        (first, won), (second, lost) = totals.items()
        lines.append(score_line(Score((won, lost), (first, second))))
    return "\n".join(lines) + "\n"
