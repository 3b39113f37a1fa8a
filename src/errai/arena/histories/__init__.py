"""Hand histories: files of played hands in several formats.

A format is a module with a reader, a writer or both, and its record in ``FORMATS``; nothing else names it.
:mod:`errai.arena.histories.formats` recognises, reads and writes them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from errai.arena.histories.record import Written
    from errai.errors import HistoryError
    from errai.games.game import Game
    from errai.games.hand import PlayedHand

    Read = Callable[["Piece"], Iterator[PlayedHand | HistoryError]]

NUMBERED = r"^[ \t]*\[[ \t]*[\"']?\d+[\"']?[ \t]*\][ \t]*(?:#[^\n]*)?$"
"""The header of a table in a TOML file of many hands, as ``[12]``."""


@dataclass(frozen=True)
class Piece:
    """A part of a file: a hand, lines of a dealer's log, or text that is neither."""

    kind: str
    """A format that can be read, the name of another room, or '' for text that belongs to no hand."""
    line: int
    """The number of its first line."""
    text: str
    ordinal: int
    """Number of the pieces of the same kind before it."""


@dataclass(frozen=True)
class Format:
    """A file format of hand histories."""

    name: str
    suffixes: tuple[str, ...]
    """What the names of its files end in."""
    writer: str
    """``module:function``, see :meth:`write`; '' for a format that is only read."""
    reader: str = ""
    """``module:function``, see :meth:`read`; '' for a format that is only written."""
    begins: Mapping[str, str] = field(default_factory=dict)
    """Regular expressions of what a hand begins with, by names that :mod:`errai.arena.histories.formats` knows."""
    in_lines: bool = False
    """Whether each line is a hand."""
    of_any_table: bool = False
    """Whether its writer takes hands of any number of players, with antes, straddles and boards run twice."""
    in_tables: bool = False
    """Whether it is written as several files, which are bytes and no texts."""

    def read(self, text: str, game: Game | None) -> Read:
        """Return a function that reads a piece of a text and yields its hands, or errors with their lines.

        ``game`` has the rules, for a format that does not contain them.
        """
        made: Read = resolve_name(self.reader)(text, game)
        return made

    def write(self, hands: Sequence[PlayedHand], stem: str) -> Written:
        """Write hands to documents whose names begin with ``stem``."""
        written: Written = resolve_name(self.writer)(hands, stem)
        return written


_HERE = "errai.arena.histories"
FORMATS = {
    found.name: found
    for found in (
        # Poker hand histories, TOML.
        Format(
            "phh", (".phhs", ".phh"), f"{_HERE}.phh:write", f"{_HERE}.phh:reader",
            {
                "number": NUMBERED.replace("#", "[#]"),
                "key": r"^[ \t]*[\"']?variant[\"']?[ \t]*=",
                "late_key": r"variant[ \t]*=[ \t]*[\"']\w{1,8}[\"']",
            },
            of_any_table=True,
        ),
        # PokerStars text, hold'em.
        Format(
            "pokerstars", (".txt",), f"{_HERE}.pokerstars:write", f"{_HERE}.pokerstars:reader",
            {"pokerstars": r"PokerStars\b(?:(?!PokerStars)[^\n]){0,60}?\b(?:Hand|Game)[ \t]*\#"},
        ),
        # GGPoker's text, a dialect of PokerStars'.
        Format("ggpoker", (), "", f"{_HERE}.pokerstars:reader", {"ggpoker": r"Poker[ ]Hand[ ]?\#\w+(?=:)"}),
        # The log of the competition's dealer.
        Format(
            "acpc", (".log",), f"{_HERE}.logs:write", f"{_HERE}.logs:reader",
            {
                "line": r"(?:STATE|SCORE):(?=-?\d)",
                "rules": r"^[ \t]*\#[ \t]*(?:errai:|GAMEDEF\b|name/game/hands/seed\b)",
            },
            in_lines=True,
        ),
        # A table of hands and one of decisions.
        Format("csv", (".csv",), f"{_HERE}.tables:write_csv"),
        Format("parquet", (".parquet",), f"{_HERE}.tables:write_parquet", in_tables=True),
    )
}  # fmt: skip
"""All formats by name."""

READ_FORMATS = tuple(name for name, found in FORMATS.items() if found.reader)
WRITTEN_FORMATS = tuple(name for name, found in FORMATS.items() if found.writer)
