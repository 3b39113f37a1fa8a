"""Show what follows each card that can come next.

Show, for each card that can come after a line that closes a street, how often the next player takes each action, and
the EV and equity of both ranges. Strategically equivalent cards share a row; the last row is the mean over all cards.
"""

from __future__ import annotations

import sys
from pathlib import Path

from errai.cli.arguments import SOLVED, Arguments, Options
from errai.cli.inputs import note_unknown, open_solved, picture_paths, save_pictures, stem_of
from errai.cli.output import OK, write_json
from errai.console import console


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", SOLVED)
    add.line('a line that closes a street, such as "check check"')
    add(
        "--sort COLUMN",
        "sort by a column of --csv, the highest first: probability, ev_0_chips, ev_1_chips, equity_0, equity_1, or "
        "an action",
        default="cards",
    )
    add("--by", "what the picture shows of each card", choices=("strategy", "ev", "equity"), default="strategy")
    add("--player", "whose EV or equity the picture shows", int, choices=(0, 1))
    add.pictures()
    add("--csv", "write a table with a row for each card to standard output")
    add.whole()
    add.json()


def run(options: Options) -> int:
    """Evaluate the node after each card, and show the result in the chosen ways."""
    from errai.pictures.nodes import chips_text
    from errai.pictures.run_outs import run_outs_drawing
    from errai.pictures.terminal import run_outs_table
    from errai.solutions.run_outs import run_outs

    paths = picture_paths(options, f"{stem_of(options.solution, options.line)}-runouts")
    solution = open_solved(options.solution, whole=options.whole)
    found = run_outs(solution.at(options.line), lambda empty: empty.sorted_by(options.sort))
    rows = found.sorted_by(options.sort)
    note_unknown(found)
    title = solution.title or Path(options.solution).stem
    save_pictures(paths, lambda: run_outs_drawing(found, title=title, by=options.by, player=options.player))
    if options.json:
        write_json(found.to_dict(options.sort))
    elif options.csv:
        sys.stdout.write(found.to_csv(options.sort))
    elif not paths:
        out = console()
        who = "nobody acts" if found.player is None else f"{found.player_names[found.player]} acts"
        out.print(
            f"{title}: after {found.line}, pot {chips_text(found.pot_chips)}; {who}", markup=False, soft_wrap=True
        )
        out.print(run_outs_table(found, rows))
    return OK
