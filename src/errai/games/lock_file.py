"""Locks in a TOML file: the strategy of some hands at some decisions is fixed, and the rest is solved.

``docs/spots.md`` describes the file.  The meaning of lines, hands and actions depends on the game, so this module only
reads the tables and their places in the file; :mod:`errai.tree.locks` interprets them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errai.errors import LockError
from errai.games.text_files import Path as KeyPath
from errai.games.text_files import decoded, key_lines, read_content, read_toml, toml_key, toml_of_json
from errai.own_code import described, number_of
from errai.store.atomic import write_file

EVERY_HAND = "*"
"""The key for all hands that a table of locks does not name otherwise."""

MAX_FILE_BYTES = 1 << 24
"""Greatest size of a file of locks; a strategy for all hands at a thousand decisions fits."""


@dataclass(frozen=True, eq=False)
class LockTables:
    """Tables of locks, one for each line of play, with their places in a file."""

    tables: Mapping[str, Any]
    line_of: Callable[[KeyPath], int | None] = lambda path: None
    source: str | None = None

    def error(self, message: str, path: KeyPath) -> LockError:
        """Return an error about the value at a path, with its line in the file."""
        return LockError(message, line=self.line_of(path), source=self.source)


def load_locks(path: str | Path) -> LockTables:
    r"""Read a file of locks for :func:`errai.solve`.

    Raises
    ------
    LockError
        If the file cannot be opened, is too large or empty, or is not TOML.

    Examples
    --------
    >>> import errai
    >>> from pathlib import Path
    >>> _ = Path("locks.toml").write_text('[check]\nA = { bet = 1 }\n')
    >>> locked = errai.solve(errai.load_game("kuhn"), "1mbb", locks=errai.load_locks("locks.toml"))
    >>> locked.at("check").strategy("As")
    {'check': 0.0, 'bet 1': 1.0}
    """
    return parse_locks(read_content(path, MAX_FILE_BYTES, LockError, LockError), source=str(path))


def load_counts(path: str | Path) -> LockTables:
    """Read a file of counts for :func:`errai.solutions.relative_locks.observed_locks`; errors as :func:`load_locks`."""
    content = read_content(path, MAX_FILE_BYTES, LockError, LockError)
    return parse_locks(content, source=str(path), what="The file of counts")


def parse_locks(content: str | bytes, *, source: str | None = None, what: str = "The file of locks") -> LockTables:
    """Read the text of a file of locks; bytes are UTF-8.  Raises :class:`LockError` as :func:`load_locks`."""
    if len(content) > MAX_FILE_BYTES:
        raise LockError(f"The file is larger than {MAX_FILE_BYTES:,} bytes.", source=source)
    text = decoded(content, what, LockError, source)
    tables = read_toml(text, what, LockError, source=source)
    if not tables:
        raise LockError(f'{what} is empty; it has a table for each line of play, such as ["check"].', source=source)
    return LockTables(tables, key_lines(text), source)


def by_hands(table: Any) -> Any:
    """Return the table of a line by hands: what has no hands is what all of them do."""
    is_one = isinstance(table, Mapping) and table and not any(isinstance(v, Mapping | str) for v in table.values())
    return {EVERY_HAND: table} if is_one or isinstance(table, str) else table


def save_locks(locks: Mapping[str, Any] | LockTables, path: str | Path) -> None:
    r"""Write locks to a file that :func:`load_locks` reads: completely, or not at all.

    Parameters
    ----------
    locks:
        A table for each line of play, as :func:`errai.solve` takes them.
    path:
        The file; one that is there is replaced.

    Raises
    ------
    LockError
        There are no locks, or the file would be larger than can be read.
    FileAccessError
        The file cannot be written.

    Examples
    --------
    >>> import errai
    >>> errai.save_locks({"check": {"A": {"bet 1": 1.0}}}, "locks.toml")
    >>> errai.load_locks("locks.toml").tables
    {'check': {'A': {'bet 1': 1.0}}}
    """
    tables = locks.tables if isinstance(locks, LockTables) else locks
    content = locks_text(tables).encode()
    if not tables:
        raise LockError("There are no locks to write.")
    if len(content) > MAX_FILE_BYTES:
        raise LockError(
            f"These locks take {len(content):,} bytes, and a file of locks has at most {MAX_FILE_BYTES:,}; lock fewer "
            "decisions, for example by naming cards."
        )
    write_file(path, content)


def locks_text(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the text of a file of locks: a table for each line of play, which :func:`load_locks` reads.

    ``tables`` map a line to a table of hands, and each of these to frequencies by action or to ``best``.
    """
    lines = []
    for line, table in tables.items():
        if not isinstance(line, str):
            raise LockError(f"A line of locks must be a text such as 'check bet 120', not {described(line)}.")
        lines += ["", f"[{toml_of_json(line)}]"]
        for hands, plays in by_hands(table).items():
            text = toml_of_json(plays)
            if not isinstance(plays, str):
                shares = {a: number_of(p, f"The frequency of {a!r}", error=LockError) for a, p in plays.items()}
                text = f"{{ {', '.join(f'{toml_key(action)} = {share!r}' for action, share in shares.items())} }}"
            lines.append(f"{toml_of_json(hands)} = {text}")
    return "\n".join(lines).lstrip("\n") + "\n"
