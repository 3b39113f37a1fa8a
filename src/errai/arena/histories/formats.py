"""Hand histories in any format: recognised, read, and written."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from errai.arena.histories import FORMATS, READ_FORMATS, Piece
from errai.arena.histories.pieces import cut
from errai.arena.histories.record import HandFile, Written, is_idle, unknown_text
from errai.errors import FileAccessError, HistoryError, InputError
from errai.games.game import Game
from errai.games.hand import PlayedHand
from errai.games.text_files import read_content

MAX_FILE_BYTES = 1 << 30


def read_hands(path: str | Path, format: str | None = None, *, game: Game | None = None) -> HandFile:
    """Read a file of hand histories.

    Parameters
    ----------
    path:
        The file.
    format:
        One of ``READ_FORMATS``, if hands in others are to be refused; by default each hand is read in its own format,
        which is recognised by the content.
    game:
        The rules, for ACPC logs, which do not contain them.

    Raises
    ------
    FileAccessError
        The file cannot be read.
    HistoryError
        There is no hand in it.  Hands that cannot be read, and text that belongs to no hand, are no error: they are in
        ``faults``, by their lines, so that nothing of a file is left out unseen.
    """
    data = read_content(path, MAX_FILE_BYTES, FileAccessError, HistoryError)
    return read_text(_decoded(data), format, source=str(path), game=game)


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    # Old histories are in other code pages; a name with a wrong letter is better than a file that cannot be read.
    return data.decode("utf-8", errors="replace")


def _plain_lines(text: str) -> str:
    """Return a text with line feeds as line ends, and without the marks of the byte order that joined files have."""
    return re.sub("\r+\n|\r", "\n", text.replace("\ufeff", ""))


def read_text(text: str, format: str | None = None, *, source: str | None = None, game: Game | None = None) -> HandFile:
    """Read a text of hand histories; see :func:`read_hands`."""
    if format is not None and format not in READ_FORMATS:
        raise HistoryError(f"{format!r} is not a format that can be read; choose {', '.join(READ_FORMATS)}.")
    text = _plain_lines(text)
    pieces = list(cut(text))
    if pieces and format is None and not any(piece.kind for piece in pieces):
        raise HistoryError(
            "This is neither PHH, nor PokerStars text, nor an ACPC log; if it is one of them, name it with --from.",
            source=source,
        )
    readers: dict[str, Callable[[Piece], Iterator[PlayedHand | HistoryError]]] = {}
    hands: list[PlayedHand] = []
    faults: list[HistoryError] = []
    for piece in pieces:
        is_read = piece.kind in READ_FORMATS and format in (None, piece.kind)
        if is_read and piece.kind not in readers:
            readers[piece.kind] = FORMATS[piece.kind].read(text, game)
        for found in readers[piece.kind](piece) if is_read else _refused(piece, format):
            if isinstance(found, PlayedHand):
                hands.append(found)
            else:
                faults.append(HistoryError(found.message, line=found.line, column=found.column, source=source))
    if not hands and not faults:
        raise HistoryError("There is no hand in this file.", source=source)
    return HandFile(tuple(hands), tuple(faults), format or ", ".join(readers))


def _refused(piece: Piece, format: str | None) -> Iterator[HistoryError]:
    """Yield one error for each hand of a piece that is not to be read."""
    lines = piece.text.split("\n")
    if not piece.kind:
        fault = unknown_text(lines, piece.line)
        if fault is not None:
            yield fault
    elif piece.kind not in READ_FORMATS:
        yield HistoryError(
            f"This is a hand in the format of {piece.kind}; only {', '.join(READ_FORMATS)} can be read.",
            line=piece.line,
        )
    else:
        message = f"This is in the format {piece.kind}, and only {format} was to be read; name no format to read both."
        if not FORMATS[piece.kind].in_lines:
            yield HistoryError(message, line=piece.line)
            return
        for number, line in enumerate(lines, piece.line):
            if not is_idle(line) and not line.strip().startswith("SCORE"):
                yield HistoryError(message, line=number)


def write_hands(hands: Sequence[PlayedHand], format: str, *, stem: str = "hands") -> Written:
    """Write hands in another format.

    An ACPC log is of one game, so hands of several games make several documents; ``csv`` and ``parquet`` make a table
    of hands and one of decisions; without a hand there is no document in the other formats.

    Raises :class:`HistoryError` for an unknown format, and :class:`InputError` where a library is missing.
    """
    if format not in FORMATS:
        raise HistoryError(f"{format!r} is not a format that can be written; choose {', '.join(FORMATS)}.")
    return FORMATS[format].write(hands, stem)


def suffix_format(path: Path) -> str:
    """Return the format that a file's suffix stands for.  Raises :class:`InputError` if it stands for none."""
    for name, found in FORMATS.items():
        if path.suffix.lower() in found.suffixes:
            return name
    raise InputError(f"The name {path.name!r} does not say a format; add --to, one of {', '.join(FORMATS)}.")
