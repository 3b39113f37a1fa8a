"""Show a strategy in the terminal, as a picture, or as data.

Show how each hand plays at the root of a solution or after a line, such as "check bet 120 / Ah / check".

Write actions as the picture names them; when a street is closed, name the card that is dealt. In the
picture the width of a stripe is the frequency of an action, and faint cells are rare in the range.

From the flop on, --categories shows the range by what its hands have made and what they draw to, and --only and
--equity leave the other hands out:
  errai show flop.errai "check" --categories --svg curves.svg
  errai show flop.errai "check bet 50" --only "flush draw" --only gutshot
  errai show flop.errai --equity 0:50%
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import SOLVED, Arguments, Options, equity_interval
from errai.cli.inputs import held_hands, note_unknown, open_solved, picture_paths, refuse_given, save_pictures, stem_of
from errai.cli.output import OK, columns, note, write_json
from errai.cli.written_out import show_written_out, solution_in
from errai.console import console
from errai.errors import InputError, NoteError
from errai.pictures.solution_facts import certificate_text, precision_of

if TYPE_CHECKING:
    from errai.pictures.solution_facts import Solved
    from errai.solutions.node import SolutionNode


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", SOLVED)
    add.line("the line to the node (default: root)")
    add("--hand HAND", "only this hand: AhKd, or a class: AKs, AA", action="append")
    add(
        "--by",
        "what the grid of hands shows: strategy, EV in chips, equity, or equity realised",
        choices=("strategy", "ev", "equity", "eqr"),
        default="strategy",
    )
    add("--player N", "show the range of this player, 0 or 1; of a game in extensive form, its strategy", int)
    add("--only CATEGORY", 'only hands of this category, such as "flush draw" or set', action="append")
    add("--equity LOW:HIGH", "only hands with an equity between two bounds: 0:50%", equity_interval)
    instead = add.one_of()
    instead("--categories", "show the range by category of hand: its part, its actions, its EV and equity")
    instead("--lines", "show how often each line of the first street is taken")
    instead("--curve", "draw the convergence of the solve instead")
    add.pictures()
    add("--csv", "write a table with a row for each hand to standard output")
    add.whole()
    add.json()


def run(options: Options) -> int:
    """Find the node, and show it in the chosen ways."""
    from errai.pictures.nodes import convergence_text, is_unconverged
    from errai.pictures.terminal import hands_table
    from errai.pictures.values import shown_drawing
    from errai.solutions.export import node_csv, node_document

    written = solution_in(options.solution)
    if written is not None:
        return show_written_out(written, options)
    if options.player not in (None, 0, 1):
        raise InputError(f"--player is 0 or 1, not {options.player}.")
    if options.lines or options.curve:
        refuse_given(options, "hand only equity player", "--lines and --curve are of the whole solution")
        if options.line:
            raise InputError(f"--lines and --curve are of the whole solution; leave the line {options.line!r} out.")
    if options.lines:
        refuse_given(options, "png svg", "--lines is a table and no picture")
    if options.categories:
        refuse_given(options, "hand", "--categories is of the whole range")
    solution = open_solved(options.solution, whole=options.whole)
    kind = "curve" if options.curve else f"{options.line} categories" if options.categories else options.line
    paths = picture_paths(options, stem_of(options.solution, kind))
    if options.curve:
        return _show_curve(solution, options, paths)
    if options.lines:
        return _show_lines(solution, options)
    node = solution.at(options.line)
    title = solution.title or Path(options.solution).stem
    note_unknown(node)
    # Those of the chosen player or of the one to act; of both players if no player acts.
    who = node.player if options.player is None else options.player
    players = (0, 1) if who is None else (who,)
    chosen = None if options.hand is None else held_hands(node, options.hand, players)
    if options.only or options.equity:
        node, inside = _narrowed(node, options)
        title = f"{title}, {_only_text(options)}"
        chosen = [hand for hand in (inside if chosen is None else chosen) if hand in inside]
        if not chosen:
            raise InputError("None of the hands of --hand is one of those that --only and --equity leave.")
    if options.categories:
        return _show_categories(node, title, options, paths)
    save_pictures(paths, lambda: shown_drawing(node, title, options.by, options.player))
    if (options.csv or chosen is not None) and not options.json and is_unconverged(node):
        note(convergence_text(node))
    if options.json:
        document = node_document(node, precision_of(solution))
        if chosen is not None:
            document["hands"] = [entry for entry in document["hands"] if entry["hand"] in chosen]
        write_json({**document, "note": _note_at(options.solution, node.line)})
    elif options.csv:
        rows = node_csv(node).splitlines(keepends=True)
        sys.stdout.writelines(
            row for i, row in enumerate(rows) if i == 0 or chosen is None or row.split(",", 1)[0] in {*chosen, "range"}
        )
    elif options.hand is not None:
        held = [node.hands.index(hand) for hand in chosen or ()]
        console().print(hands_table(node, held, players, all_hands=True))
    elif not paths:
        _print_node(node, title, options)
        console().print(certificate_text(solution), style="dim", highlight=False, markup=False, soft_wrap=True)
    return OK


def _print_node(node: SolutionNode, title: str, options: Options) -> None:
    from errai.games.lock_file import EVERY_HAND
    from errai.pictures.nodes import percent_text
    from errai.pictures.summary import summarise
    from errai.pictures.terminal import summary_terminal, values_terminal
    from errai.pictures.values import node_measure

    out, summary = console(), summarise(node, options.player)
    if options.by == "strategy":
        picture = summary_terminal(summary, out, title=title)
    else:
        picture = values_terminal(summary, node_measure(options.by, node, summary.player), out, title=title)
    out.print(picture, highlight=False, soft_wrap=True)
    if text := _note_at(options.solution, node.line):
        out.print(f"note: {text}", soft_wrap=True, markup=False, highlight=False)
    for hands, plays in node.locked.items():
        told = "the best answer" if plays == "best" else ", ".join(f"{a} {percent_text(p)}" for a, p in plays.items())
        whose = "every hand" if hands == EVERY_HAND else hands
        out.print(f"locked: {whose}: {told}", soft_wrap=True, markup=False, highlight=False)
    if node.kind == "chance":
        out.print(f"Next card: {' '.join(node.children)}", soft_wrap=True)


def _note_at(place: str, line: str) -> str | None:
    """Return the note at a line.  A faulty file of notes is named, and keeps nobody from looking."""
    from errai.solutions.notes import load_notes

    try:
        return load_notes(place).get(line) if Path(place).exists() else None
    except NoteError as error:
        note(str(error))
        return None


def _narrowed(node: SolutionNode, options: Options) -> tuple[SolutionNode, list[str]]:
    """Return the node with the hands of --only and --equity alone, and these hands."""
    from errai.solutions import categories

    inside = categories.chosen_hands(node, options.player, options.only or (), options.equity)
    node = categories.narrowed(node, inside, options.player)
    return node, [hand for hand, stays in zip(node.hands, inside.tolist(), strict=True) if stays]


def _only_text(options: Options) -> str:
    """Return what --only and --equity leave, in words."""
    kinds = " or ".join(options.only or ())
    bounds = "" if options.equity is None else "equity {:g} to {:g}%".format(*(100 * each for each in options.equity))
    return f"only {', '.join(filter(None, (kinds, bounds)))}"


def _show_categories(node: SolutionNode, title: str, options: Options, paths: list[Path]) -> int:
    from errai.pictures.categories import categories_drawing, categories_terminal, reading_lines
    from errai.solutions.categories import blockers, opponents_ranges, read_range, reading_csv, reading_dict

    reading = read_range(node, options.player)
    save_pictures(paths, lambda: categories_drawing(reading, title=title))
    if options.json:
        write_json({"line": node.line, "board": node.board_text, **reading_dict(reading)})
    elif options.csv:
        sys.stdout.write(reading_csv(reading))
    elif not paths:
        out = console()
        heading, table = categories_terminal(reading, out, title=title)
        out.print(heading, highlight=False, soft_wrap=True)
        out.print(table)
        ranges = {name: blockers(node, range_) for name, range_ in opponents_ranges(node, reading.player).items()}
        for line in reading_lines(reading, ranges):
            out.print(line, highlight=False, markup=False, soft_wrap=True)
    return OK


def _show_curve(solution: Solved, options: Options, paths: list[Path]) -> int:
    from errai.engine.progress_view import UNIT_SIGNS, in_unit, unit_of
    from errai.pictures.curves import curves_drawing
    from errai.pictures.dots import curves_terminal
    from errai.solutions.solution import Solution

    units = solution.units
    unit = unit_of(solution.settings.get("target"), solution.subject)
    look: dict[str, Any] = {"unit": UNIT_SIGNS[unit].strip(), "chips_per_unit": 1 / in_unit(units, 1.0, unit)}
    title = solution.title or Path(options.solution).stem
    runs = {str(solution.schedule.get("name", "")): solution.curve}
    if isinstance(solution, Solution) and solution.other_curve is not None:
        runs = dict(solution.curves)
    save_pictures(paths, lambda: curves_drawing(runs, title=title, **look))
    if options.json:
        rows = [{"iteration": int(i), "seconds": float(s), "chips": float(e)} for i, s, e in solution.curve]
        write_json({"curve": rows})
    elif options.csv:
        sys.stdout.write("iteration,seconds,exploitability_chips\n")
        sys.stdout.writelines(f"{int(i)},{s!r},{e!r}\n" for i, s, e in solution.curve.tolist())
    elif not paths:
        out = console()
        width, plain = min(out.width, 100), out.options.ascii_only
        out.print(curves_terminal(runs, width=width, ascii_only=plain, **look), soft_wrap=True)
    return OK


def _show_lines(solution: Solved, options: Options) -> int:
    from errai.pictures.nodes import chips_text, percent_text
    from errai.solutions.situations import line_frequencies

    lines = line_frequencies(solution)
    if options.json:
        write_json({"lines": [asdict(line) for line in lines]})
    elif options.csv:
        sys.stdout.write("line,kind,pot_chips,reached\n")
        sys.stdout.writelines(f"{line.line},{line.kind},{line.pot_chips!r},{line.reached!r}\n" for line in lines)
    else:
        table = columns("line", "then", right=("pot", "reached"))
        for line in lines:
            table.add_row(line.line or "(root)", line.kind, chips_text(line.pot_chips), percent_text(line.reached))
        console().print(table)
    return OK
