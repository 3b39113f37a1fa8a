"""List the spots, charts and ranges that have names, or show one.

List the spots, charts and ranges that have names: those of the package, and your own in the folder that the environment
variable ERRAI_LIBRARY names, with spots in spots/NAME.toml and charts in charts/NAME.toml.

    errai library
    errai library btn-vs-bb-srp > mine.toml               # a spot to begin with
    errai library @six-handed/btn-vs-bb-srp/BTN           # a range
    errai solve btn-vs-bb-srp --board "Qs 9h 4d" -o solved.errai
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from errai.cli.arguments import Arguments, Options
from errai.cli.output import OK, columns, note, write_json
from errai.console import console
from errai.errors import ErraiError, InputError


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("name NAME", "a spot, charts, or @CHARTS/RANGE, whose text is written", nargs="?", default="")
    add.json()


def run(options: Options) -> int:
    """List the names, or write what one of them stands for."""
    if options.name:
        return _write(options.name, options)
    return _list(options)


def _write(name: str, options: Options) -> int:
    from errai.games.library import library_files, read_hands

    if name.lstrip().startswith("@"):
        held = read_hands(name)
        if options.json:
            write_json({"name": name, "range": held.text(), "hands": held.num_hands})
        else:
            sys.stdout.write(held.text() + "\n")
        return OK
    found = {kind: files[name] for kind in ("spots", "charts") if name in (files := library_files(kind))}
    if not found:
        raise InputError(f"The library has no {name!r}; `errai library` lists what it has.")
    kind, path = next(iter(found.items()))
    text = path.read_text(encoding="utf-8")
    if options.json:
        write_json({"name": name, "kind": kind, "file": str(path), "text": text})
    else:
        sys.stdout.write(text)
    return OK


def _list(options: Options) -> int:
    from errai.data import shipped_file
    from errai.games.charts import read_charts
    from errai.games.library import VARIABLE, library_files, named_ranges
    from errai.games.spot import load_spot

    own_folder = os.environ.get(VARIABLE)
    if own_folder and not Path(own_folder).is_dir():
        note(f"There is no folder {own_folder!r}, which {VARIABLE} names.")
    spots, ranges = list[dict[str, Any]](), list[dict[str, Any]]()
    for kind in ("spots", "charts"):
        for name, path in library_files(kind).items():
            own = not path.is_relative_to(shipped_file(kind))
            try:
                if kind == "spots":
                    spots.append({"name": name, "title": load_spot(path).title, "own": own})
                else:
                    ranges += [{"name": f"@{name}/{of}", "own": own} for of in named_ranges(read_charts(path))]
            except ErraiError as error:
                note(f"{name} cannot be read. {error}")
    if options.json:
        write_json({"spots": spots, "charts": list(library_files("charts")), "ranges": ranges})
        return OK
    table = columns("spot", "title", "whose", no_wrap=True)
    for spot in spots:
        table.add_row(spot["name"], spot["title"], "yours" if spot["own"] else "the package's")
    console().print(table)
    sys.stdout.write("\n")
    table = columns("range", "whose", no_wrap=True)
    for held in ranges:
        table.add_row(held["name"], "yours" if held["own"] else "the package's")
    console().print(table)
    return OK
