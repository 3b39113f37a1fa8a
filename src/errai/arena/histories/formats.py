"""Hand histories in any format: recognised, read, and written.

A text is cut into pieces, whatever formats they are in, so that nothing of it is lost.  Where a hand begins is
recognised generously: after spaces or decorations, in any case, and in the middle of a line, where a program was
stopped while it wrote.  A piece reaches to the beginning of the next, so every line of a file is in one piece, and is
read or refused with it.  Only the TOML of a hand in PHH may hold what looks like the beginning of another hand; where
it is whole, it is not cut.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errai.arena.histories import FORMATS, NUMBERED, READ_FORMATS, WRITTEN_FORMATS, Piece
from errai.arena.histories.phh import toml_table
from errai.arena.histories.record import HandFile, Written, is_idle, unknown_text
from errai.arena.histories.table_hand import TableHand
from errai.errors import FileAccessError, HistoryError, InputError
from errai.games.game import Game
from errai.games.hand import PlayedHand
from errai.games.text_files import line_end, read_content

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
    # Old histories are in other code pages; a name with a wrong letter is better than a file that cannot be read.
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    return read_text(data.decode(encoding, errors="replace"), format, source=str(path), game=game)


def read_text(text: str, format: str | None = None, *, source: str | None = None, game: Game | None = None) -> HandFile:
    """Read a text of hand histories; see :func:`read_hands`."""
    if format is not None and format not in READ_FORMATS:
        raise HistoryError(f"{format!r} is not a format that can be read; choose {', '.join(READ_FORMATS)}.")
    # Joined files have marks of the byte order within.
    text = re.sub("\r+\n|\r", "\n", text.replace("\ufeff", ""))
    pieces = list(cut(text))
    if pieces and format is None and not any(piece.kind for piece in pieces):
        raise HistoryError(
            "This is neither PHH, nor PokerStars or GGPoker text, nor an ACPC log; if it is one of them, name its "
            "format (--from).",
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
    if format not in WRITTEN_FORMATS:
        raise HistoryError(f"{format!r} is not a format that can be written; choose {', '.join(WRITTEN_FORMATS)}.")
    found, able, faults = FORMATS[format], list(hands), list[HistoryError]()
    if not found.of_any_table:
        able = [hand for hand in hands if not isinstance(hand, TableHand)]
        faults = [
            HistoryError(f"Hand {hand.number}: it has {hand.beyond_two}, which {format} cannot hold.")
            for hand in hands
            if isinstance(hand, TableHand)
        ]
    written = found.write(able, stem) if able or not faults else Written({}, 0)
    return replace(written, faults=(*written.faults, *faults))


def suffix_format(path: Path) -> str:
    """Return the format that a file's suffix stands for.  Raises :class:`InputError` if it stands for none."""
    for name, found in FORMATS.items():
        if path.suffix.lower() in found.suffixes:
            return name
    raise InputError(f"The name {path.name!r} does not say a format; add --to, one of {', '.join(WRITTEN_FORMATS)}.")


# --- the pieces of a text ---

ROOMS = {
    "fulltilt": ("Full Tilt Poker", r"Full[ ]?Tilt[ ]Poker[^\n]{0,40}?Game[ ]?\#\d+"),
    "winamax": ("Winamax", r"Winamax[ ]Poker[^\n]{0,80}?HandId:"),
    "party": ("PartyPoker or 888poker", r"\b(?:[\w.]+[ ]){0,2}Hand[ ]History[ ]for[ ](?:Game|Tournament)\b"),
    "ongame": ("Ongame", r"History[ ]for[ ]hand[ ]\w"),
    "ipoker": ("iPoker", r"<game\b[^\n>]{0,80}?gamecode="),
}
"""Formats that are recognised so that their hands can be refused by name: the room, and where a hand begins."""

OTHER_ROOM = "another room"

_SPOKEN = (
    "posts|said|folds|checks|calls|bets|raises|shows|mucks|collected|doesn't|is|has|was|will|sits|joins|leaves|wins"
)
_KINDS = {key: name for name, found in FORMATS.items() for key in found.begins}
_BEGINS = {key: pattern for found in FORMATS.values() for key, pattern in found.begins.items()}
_START = re.compile(
    rf"""
    {"|".join(f"(?P<{key}>{pattern})" for key, pattern in _BEGINS.items())}
    |{"|".join(f"(?P<{key}>{pattern})" for key, (_, pattern) in ROOMS.items())}
    |(?P<other>^[^\w\n]*(?![^\n\#]*(?:PokerStars|Poker[ ]Hand|Tilt))
        (?:[a-z][\w.]*[ ]){{0,3}}(?:Hand|Game|Stage)[ ]?\#[\w-]+\b(?!:?[ ](?:{_SPOKEN}|\[|\()))
    """,
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)
_HINT = re.compile(r"#|\n[ \t]*\[|[vV]ariant|VARIANT|[eE]:-?\d|[hH]istory for|HISTORY FOR|HandId|gamecode")
"""What every beginning has in its line; a quick search for it spares the search for the beginnings themselves."""

_LOG_LINES = re.compile(r"(?:STATE:[^:\n#=]*+(?::[^:\n#=]*+){4}(?:\n|\Z))++")
"""Whole lines of a log, of which there may be millions; they hold no other beginning."""

_ROW = re.compile(r"(?:\n[ \t]*+(?:[*=~-]{3,}[ \t]*+(?:\#?[ \t]*+\d*+[ \t]*+[*=~-]*+)[ \t]*+)?)+\Z")
"""Rows of signs, which some programs write between hands."""

_TOML_LINE = re.compile(r"\s*(?:[#\[].*|[\w\"'.-]+[ \t]*=.*)?")


@dataclass(frozen=True)
class _Start:
    """The beginning of a piece."""

    at: int
    end: int
    """Where the text that was recognised ends."""
    kind: str
    what: str
    """The group of the pattern that was found."""
    is_late: bool
    """Whether other text stands before it in its line."""


def cut(text: str) -> Iterator[Piece]:
    """Cut a text, with line feeds as its line ends, into pieces that together hold all of it."""
    starts = _starts(text)
    line, at, counts = 1, 0, dict[str, int]()

    def piece(kind: str, begin: int, end: int) -> Piece:
        nonlocal line, at
        line, at = line + text.count("\n", at, begin), begin
        counts[kind] = counts.get(kind, -1) + 1
        return Piece(kind, line, _ROW.sub("", text[begin:end].rstrip()), counts[kind])

    places = [*(start.at for start in starts), len(text)]
    if text[: places[0]].strip():
        yield piece("", 0, places[0])
    i = 0
    while i < len(starts):
        end = i + 1
        if starts[i].kind == "phh":
            following = next((k for k in range(end, len(starts)) if starts[k].what in ("number", "key")), len(starts))
            # The header that numbers a table is no part of it.
            table = re.sub(rf"\A(?:{NUMBERED})", "", text[places[i] : places[following]], count=1, flags=re.MULTILINE)
            if following > end and isinstance(toml_table(table, 1), dict):
                end = following
        elif starts[i].kind == "acpc":
            # A log goes on to the lines that name another game.
            has_hand = starts[i].what == "line"
            while end < len(starts) and starts[end].kind == "acpc" and not starts[end].is_late:
                if starts[end].what == "rules" and has_hand:
                    break
                has_hand = has_hand or starts[end].what == "line"
                end += 1
        yield piece(starts[i].kind, places[i], places[end])
        i = end


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield what looks like the beginning of a piece, line by line."""
    begin, end = 0, line_end(text, 0)
    while True:
        if (block := _LOG_LINES.match(text, begin)) is not None:
            yield from filter(None, (_START.match(text, begin, end),))
            end = max(end, block.end() - 1)
        else:
            yield from _START.finditer(text, begin, end)
        hint = _HINT.search(text, end)
        if hint is None:
            return
        begin = text.rfind("\n", 0, hint.end()) + 1
        end = line_end(text, begin)


def _starts(text: str) -> list[_Start]:
    found: list[_Start] = []
    for match in _matches(text):
        what = str(match.lastgroup)
        begin = text.rfind("\n", 0, match.start()) + 1
        before = text[begin : match.start()]
        is_late = re.search(r"\w", before) is not None
        if is_late and ' said, "' in before and text[begin : line_end(text, begin)].rstrip().endswith('"'):
            continue  # A player quotes it.
        if what == "pokerstars" and is_late and re.match(r"\d+:", text[match.end() :][:30].lstrip()) is None:
            continue  # It is named, but does not begin here.
        if what == "late_key" and re.fullmatch(r"\s*\w*[^\W_]", before):
            what = "key"  # The rest of a line that was cut; in a text it would be a word of its own.
        kind = _KINDS.get(what, OTHER_ROOM)
        if what == "key" and not is_late:
            if found and found[-1].what == "number":
                # The number of a table, and its first key.
                found[-1] = _Start(found[-1].at, match.end(), "phh", "key", False)
                continue
            begin = _above(text, begin, found[-1].end if found else 0, keys=not found)
        if what in ROOMS:
            kind = ROOMS[what][0]
        # Signs before a line of a log, or before a key, belong to neither.
        found.append(
            _Start(
                match.start() if is_late or what in ("line", "late_key") else begin, match.end(), kind, what, is_late
            )
        )
    return found


def _above(text: str, begin: int, floor: int, *, keys: bool) -> int:
    """Return where the comments and headers begin that stand above the first key of a hand, or its other ``keys``."""
    while begin > floor:
        before = text.rfind("\n", 0, begin - 1) + 1
        line = text[before : begin - 1]
        if (
            before < floor
            or _TOML_LINE.fullmatch(line) is None
            or (not keys and line.strip()[:1] not in ("", "#", "["))
        ):
            break
        begin = before
    return begin
