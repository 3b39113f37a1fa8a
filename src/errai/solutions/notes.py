r"""Notes: short texts at lines of a solution, in a small file beside it.

The notes on ``flop.errai`` are in ``flop.errai.notes.toml``, those on a run in the folder ``run`` in
``run.notes.toml``: a key for each line, as :attr:`~errai.solutions.node.SolutionNode.line` writes it, and the text::

    "" = "Bet small with everything."
    "check bet 50" = "Fold bluff-catchers without a spade."

They belong to lines and not to a strategy, so a solution that is solved again keeps them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from errai.errors import InputError, NoteError
from errai.games.text_files import decoded, key_lines, read_content, read_toml, toml_of_json
from errai.store.atomic import locked_file, refusals, write_file

MOST_LETTERS = 2_000
"""The longest note."""

MAX_FILE_BYTES = 1 << 20

Place = str | os.PathLike[str]


def notes_path(place: Place) -> Path:
    """Return the file of the notes on a solution, which is a file or the folder of a run.

    Raises :class:`InputError` if there is no such file or folder.
    """
    path = Path(place)
    if not path.exists():
        raise InputError(f"Notes are kept beside a solution, and there is no file or folder {os.fspath(place)!r}.")
    path = path.absolute()
    return path.with_name(f"{path.name}.notes.toml")


def load_notes(place: Place) -> dict[str, str]:
    """Return the notes on a solution by line; none if there is no file of them.

    Raises
    ------
    NoteError
        The file of the notes cannot be read, is too large, or holds something else than texts by line.
    InputError
        There is no solution.
    """
    path = notes_path(place)
    if not path.exists():
        return {}
    source = str(path)
    text = decoded(read_content(path, MAX_FILE_BYTES, NoteError, NoteError), "The file of notes", NoteError, source)
    found, line_of = read_toml(text, "The file of notes", NoteError, source=source), key_lines(text)
    for line, note in found.items():
        try:
            checked_text(note)
        except NoteError as error:
            where = f"The note after '{line}'" if line else "The note at the root"
            raise NoteError(f"{where}: {error.message}", line=line_of((line,)), source=source) from None
    return found


def checked_text(text: object) -> str:
    """Return the text of a note.  Raises :class:`NoteError` if it is none, empty, or too long."""
    if not isinstance(text, str):
        raise NoteError(f"A note is a text, not {text!r:.40}.")
    if not text.strip():
        raise NoteError("A note has some letters at least.")
    if len(text) > MOST_LETTERS:
        raise NoteError(f"A note has at most {MOST_LETTERS:,} letters, not {len(text):,}.")
    if any(not letter.isprintable() and letter not in "\n\t" for letter in text):
        raise NoteError("A note has letters that cannot be printed; write plain text.")
    return text


def write_note(place: Place, line: str, text: str) -> dict[str, str]:
    """Write a note at a line of a solution, in place of one that is there, and return all notes.

    Parameters
    ----------
    place:
        The file of the solution, or the folder of a run.
    line:
        The line as :attr:`~errai.solutions.node.SolutionNode.line` writes it.
    text:
        At most 2,000 letters; it may have several lines.

    Raises
    ------
    NoteError
        The text is no note, or the file of the notes is faulty, which is then not changed.
    InputError
        There is no solution.
    RunInUseError
        Another process is changing the notes.
    FileAccessError, DiskSpaceError
        The file cannot be written.

    Examples
    --------
    >>> import errai
    >>> solution = errai.solve(errai.load_game("kuhn"), "1mbb")
    >>> solution.save("kuhn.errai")
    >>> write_note("kuhn.errai", solution.at("check bet").line, "Call with the king a third of the time.")
    {'check bet 1': 'Call with the king a third of the time.'}
    >>> remove_note("kuhn.errai", "check bet 1")
    {}
    """
    return _changed(place, line, checked_text(text.strip()))


def remove_note(place: Place, line: str) -> dict[str, str]:
    """Remove the note at a line of a solution, and return the others; errors are those of :func:`write_note`.

    Raises :class:`NoteError` if there is none at this line.
    """
    return _changed(place, line, None)


def _changed(place: Place, line: str, text: str | None) -> dict[str, str]:
    path = notes_path(place)
    in_use = f"The notes in {path.name} are being changed by another process; try again."
    with locked_file(path.with_name(f".{path.name}.lock"), in_use):
        notes = load_notes(place)
        if text is None and line not in notes:
            raise NoteError(f"There is no note {f'after {line!r}' if line else 'at the root'}.")
        notes = {key: note for key, note in notes.items() if key != line} | ({} if text is None else {line: text})
        content = _text_of(notes).encode()
        if len(content) > MAX_FILE_BYTES:
            raise NoteError(f"The notes would take more than {MAX_FILE_BYTES:,} bytes; make them shorter.")
        if notes:
            write_file(path, content)
        else:
            with refusals(path):
                path.unlink()
    return dict(sorted(notes.items()))


def _text_of(notes: Mapping[str, str]) -> str:
    """Return the text of a file of notes, in the order of the lines."""
    return "".join(f"{toml_of_json(line)} = {toml_of_json(text)}\n" for line, text in sorted(notes.items()))
