"""Write a note at a line of a solution, list the notes, or remove one.

Keep short texts at lines of a solution, in a file beside it (flop.errai.notes.toml):

    errai note flop.errai                                             # list all
    errai note flop.errai "check bet 50"                              # print one
    errai note flop.errai "check bet 50" "Fold without a spade."      # write it
    errai note flop.errai "check bet 50" --remove

`errai show` prints the note below the node. The root is the empty line, "".
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from errai.cli.arguments import SOLVED, Arguments, Options
from errai.cli.inputs import open_solved
from errai.cli.output import OK, columns, say, write_json
from errai.console import console
from errai.errors import InputError, LineError, NoteError

if TYPE_CHECKING:
    from errai.solutions.solution import Profile


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", SOLVED)
    add("line LINE", 'the line of the note; "" is the root (default: list all notes)', nargs="?")
    add("text TEXT", "the note to write; without it the note is printed", nargs="?")
    add("--remove", "remove the note")
    add("--quiet", "say nothing of what was written")
    add.json()


def run(options: Options) -> int:
    """Change, print or list notes."""
    from errai.solutions.notes import load_notes, notes_path, remove_note, write_note

    if options.remove and (options.line is None or options.text is not None):
        raise InputError("--remove takes the line of the note, and no text.")
    path = notes_path(options.solution)
    solution = open_solved(options.solution)
    if options.line is None:
        return _list(load_notes(options.solution), solution, options)
    # A line that the solution has not any more may still have a note, which is removed as it is written there.
    line = options.line if options.remove and not _has(solution, options.line) else solution.at(options.line).line
    if options.remove:
        notes = remove_note(options.solution, line)
        say(options, f"Removed from {path.name}.")
    elif options.text is not None:
        notes = write_note(options.solution, line, options.text)
        say(options, f"Written to {path.name}; errai show {options.solution} {line!r} shows it.")
    else:
        notes = load_notes(options.solution)
        if line not in notes:
            raise NoteError(f"There is no note {f'after {line!r}' if line else 'at the root'}.")
        if not options.json:
            sys.stdout.write(f"{notes[line]}\n")
    if options.json:
        write_json({"line": line, "note": notes.get(line), "file": str(path)})
    return OK


def _has(solution: Profile, line: str) -> bool:
    """Return whether a solution has a line."""
    try:
        solution.at(line)
    except LineError:
        return False
    return True


def _list(notes: dict[str, str], solution: Profile, options: Options) -> int:
    """Print all notes, and say which lines the solution does not have."""
    rows = [(line, text, _has(solution, line)) for line, text in sorted(notes.items())]
    if options.json:
        names = "line", "note", "in_solution"
        write_json({"notes": [dict(zip(names, row, strict=True)) for row in rows]})
        return OK
    if not rows:
        sys.stdout.write("There are no notes.\n")
        return OK
    from rich.text import Text

    table = columns("line", "note")
    for line, text, is_there in rows:
        table.add_row(Text(f"{line or '(root)'}{'' if is_there else ' (not in this solution)'}"), Text(text))
    console().print(table)
    return OK
