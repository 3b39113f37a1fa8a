"""The formats by name: recognise one, read any, write any.

=============  ================================================  =======  ==================
name           what it is                                        is read  a file name ends in
=============  ================================================  =======  ==================
phh            poker hand histories, TOML                        yes      .phh, .phhs
pokerstars     PokerStars text, hold'em                          yes      .txt
acpc           the log of the competition's dealer               yes      .log
csv            a table of hands and one of decisions             no       .csv
parquet        the same two tables                               no       .parquet
=============  ================================================  =======  ==================
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from errai.arena.histories.logs import LogReader, log_text
from errai.arena.histories.phh import read_tables
from errai.arena.histories.phh_writer import phh_text
from errai.arena.histories.pieces import Piece, cut
from errai.arena.histories.pokerstars import read_pokerstars
from errai.arena.histories.pokerstars_writer import pokerstars_text
from errai.arena.histories.record import HandFile, is_idle, unknown_text
from errai.arena.histories.tables import (
    DECISION_COLUMNS,
    HAND_COLUMNS,
    csv_text,
    decision_rows,
    hand_rows,
    write_parquet,
)
from errai.errors import ErraiError, FileAccessError, HistoryError, InputError
from errai.games.game import Game
from errai.games.hand import PlayedHand
from errai.store.tables import load_pyarrow

READ_FORMATS = ("phh", "pokerstars", "acpc")
WRITTEN_FORMATS = (*READ_FORMATS, "csv", "parquet")
SUFFIXES = {"phh": ".phhs", "pokerstars": ".txt", "acpc": ".log", "csv": ".csv", "parquet": ".parquet"}

MAX_FILE_BYTES = 1 << 30


def detect_format(text: str) -> str | None:
    """Recognise the format of a text by its content: that of the first hand; None if it is none of ``READ_FORMATS``."""
    return next((piece.kind for piece in cut(_plain_lines(text)) if piece.kind in READ_FORMATS), None)


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
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileAccessError(f"The file {str(path)!r} cannot be read ({reason}); check the path.") from error
    if len(data) > MAX_FILE_BYTES:
        raise HistoryError(f"The file is larger than {MAX_FILE_BYTES >> 30} GiB; split it.", source=str(path))
    return read_text(_decoded(data), format, source=str(path), game=game)


def _decoded(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    # Old histories are in other code pages; a name with a wrong letter is better than a file that cannot be read.
    return data.decode("utf-8", errors="replace")


def _plain_lines(text: str) -> str:
    """The text with line feeds as line ends, and without the marks of the byte order that joined files have inside."""
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
    log = LogReader(text, game)
    readers: dict[str, Callable[[Piece], Iterable[PlayedHand | HistoryError]]] = {
        "phh": lambda piece: read_tables(piece.text, piece.line, piece.ordinal),
        "pokerstars": lambda piece: read_pokerstars(piece.text, piece.line),
        "acpc": lambda piece: log.read(piece.text, piece.line),
    }
    hands: list[PlayedHand] = []
    faults: list[HistoryError] = []
    for piece in pieces:
        read = readers.get(piece.kind) if format in (None, piece.kind) else None
        for found in _refused(piece, format) if read is None else read(piece):
            if isinstance(found, PlayedHand):
                hands.append(found)
            else:
                faults.append(HistoryError(found.message, line=found.line, column=found.column, source=source))
    if not hands and not faults:
        raise HistoryError("There is no hand in this file.", source=source)
    kinds = dict.fromkeys(piece.kind for piece in pieces if piece.kind in READ_FORMATS and format in (None, piece.kind))
    return HandFile(tuple(hands), tuple(faults), format or ", ".join(kinds))


def _refused(piece: Piece, format: str | None) -> Iterator[HistoryError]:
    """One error for each hand of a piece that is not to be read."""
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
        if piece.kind != "acpc":
            yield HistoryError(message, line=piece.line)
            return
        for number, line in enumerate(lines, piece.line):
            if not is_idle(line) and not line.strip().startswith("SCORE"):
                yield HistoryError(message, line=number)


@dataclass(frozen=True)
class Written:
    """The texts of written hands."""

    documents: dict[str, str]
    """Texts by the proposed names of their files."""
    written: int
    """Number of hands in them."""
    faults: tuple[HistoryError, ...]
    """Errors for hands that the format cannot hold."""


def write_hands(hands: Sequence[PlayedHand], format: str, *, stem: str = "hands") -> Written:
    """Write hands in another format.

    An ACPC log is of one game, so hands of several games make several documents; ``csv`` makes a table of hands and one
    of decisions; without a hand there is no document in the other formats.  ``parquet`` is not a text format: see
    :func:`write_tables`.

    Raises :class:`HistoryError` for an unknown format.
    """
    if format == "csv":
        return Written(
            {
                f"{stem}.csv": csv_text(hand_rows(hands), HAND_COLUMNS),
                f"{stem}-decisions.csv": csv_text(decision_rows(hands), DECISION_COLUMNS),
            },
            len(hands),
            (),
        )
    if format == "acpc":
        return _logs(hands, stem)
    if format not in ("phh", "pokerstars"):
        raise HistoryError(f"{format!r} is not a format that can be written; choose {', '.join(WRITTEN_FORMATS)}.")
    texts, faults = _each(hands, phh_text if format == "phh" else pokerstars_text)
    if not texts:
        return Written({}, 0, faults)
    if format == "pokerstars":
        return Written({f"{stem}.txt": "\n\n".join(texts)}, len(texts), faults)
    if len(texts) == 1:
        return Written({f"{stem}.phh": texts[0]}, 1, faults)
    tables = "\n".join(f"[{number}]\n{text}" for number, text in enumerate(texts, 1))
    return Written({f"{stem}.phhs": tables}, len(texts), faults)


def write_tables(hands: Sequence[PlayedHand], folder: Path, *, stem: str = "hands") -> list[Path]:
    """Write both tables as parquet files into a folder and return their paths.

    Raises :class:`InputError` where pyarrow is not installed.
    """
    load_pyarrow()
    paths = [folder / f"{stem}.parquet", folder / f"{stem}-decisions.parquet"]
    write_parquet(hand_rows(hands), HAND_COLUMNS, paths[0])
    write_parquet(decision_rows(hands), DECISION_COLUMNS, paths[1])
    return paths


def _each(
    hands: Sequence[PlayedHand], write: Callable[[PlayedHand], str]
) -> tuple[list[str], tuple[HistoryError, ...]]:
    """The texts of all hands that can be written, and errors for the others."""
    texts: list[str] = []
    faults: list[HistoryError] = []
    for hand in hands:
        try:
            texts.append(write(hand))
        except ErraiError as error:
            message = getattr(error, "message", str(error))
            faults.append(error if isinstance(error, HistoryError) else HistoryError(f"Hand {hand.number}: {message}"))
    return texts, tuple(faults)


def _logs(hands: Sequence[PlayedHand], stem: str) -> Written:
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
    documents = {}
    for number, group in enumerate(games.values(), 1):
        name = f"{stem}.log" if len(games) == 1 else f"{stem}-{number}.log"
        documents[name] = log_text(group, group[0].subject.rules)
    return Written(documents, sum(len(group) for group in games.values()), tuple(faults))


def suffix_format(path: Path) -> str:
    """The format that a file's suffix stands for.  Raises :class:`InputError` if it stands for none."""
    for name, suffix in (*SUFFIXES.items(), ("phh", ".phh")):
        if path.suffix.lower() == suffix:
            return name
    raise InputError(f"The name {path.name!r} does not say a format; add --to, one of {', '.join(WRITTEN_FORMATS)}.")
