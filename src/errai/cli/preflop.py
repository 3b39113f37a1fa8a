"""Solve the first street at any stack, push or fold exactly, and draw charts.

Solve the first street heads-up, every hand against every hand, and draw the strategy of each starting hand. The menu
push means push or fold, whose solution is exact: the small blind goes all-in or folds, the big blind calls or folds.
Where a line reaches a flop with chips behind, the values of that flop are estimated by a network.
"""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options, positive_number
from errai.cli.chart import Charts, add_look_options, is_file_of_charts, is_one_picture
from errai.cli.inputs import given, output_path
from errai.cli.output import answer, exit_code, note
from errai.console import exploitability_text, seconds_text
from errai.errors import ChartError, LineError, StoppedError

if TYPE_CHECKING:
    from errai.solutions.solution import Solution


NET = "flop"

COST = "what the network's errors cost; over two networks trained apart the values were 27 mbb apart (100 big blinds)"
"""What an exploitability over a network leaves out; docs/nets.md has the measurement."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("--stack N", "stack of each player in big blinds, such as 10bb", _big_blinds, required=True)
    add("--menu SIZES", 'push, or sizes of raises, such as "2.5x, a"', default="push")
    add(
        "--net NET",
        "network for the flop, a file or a name; used if a line reaches the flop with chips behind (default: flop)",
    )
    add("--no-limp", "the small blind may not limp")
    add("--no-flop", "no call, and no limp, may leave chips behind, so that the solution is exact with any menu")
    add("--line LINE", "draw the decision after this line; may be repeated", action="append")
    add_look_options(add)
    add("--target T", "target exploitability (default: 0.001mbb where the solution is exact)")
    add.solve("max_iterations", "seconds", "threads")
    add(
        "-o --output PLACE",
        "save the solution (a name ending in .errai), or write pictures: a folder, or one .png or .svg file; or, to a "
        ".toml file, the ranges with which both players come to the flop",
    )
    add.progress()


def run(options: Options) -> int:
    """Solve the first street, draw the charts, and write the exploitability."""
    from errai.cli.signals import watched
    from errai.cli.solutions import solution_document
    from errai.engine.progress_view import unit_of
    from errai.engine.resources import default_threads
    from errai.engine.units import Target, Units
    from errai.nets.below.leaves import ALL_FLOPS, NetLeafValues
    from errai.nets.predictors import predictor_after_first_street
    from errai.solving.preflop import BLINDS, line_to_a_flop, preflop, preflop_spot
    from errai.tree.betting_tree import NodeKind, build_betting_tree

    keeps = options.output is not None and Path(options.output).suffix.lower() == ".errai"
    for_charts = options.output is not None and is_file_of_charts(options.output)
    if keeps:
        output_path(options.output, container=True)
    elif options.output is not None and not for_charts:
        is_one_picture(options.output)
    calls: dict[str, Any] = {"limp": not (options.no_limp or options.no_flop), "flat": not options.no_flop}
    spot = preflop_spot(options.stack, options.menu, **calls)
    betting = build_betting_tree(spot, last_street=0)
    for text in options.line or []:
        if betting.kind[betting.find(text)] != NodeKind.DECISION:
            raise LineError(f"No player acts after {text!r}. A chart shows a decision.")
    Target.parse(options.target or "1%pot", Units.of(spot, betting.initial_pot))
    settings = given(options, "target", "max_iterations", "seconds", "threads")
    line, over = line_to_a_flop(spot), None
    if for_charts and line is None:
        raise ChartError("With these bets no flop is seen with chips behind, so there are no ranges for a chart.")
    if line is not None and options.net is None:
        note(f"After '{line}' a flop comes with chips behind; the network {NET} estimates its values. {ALL_FLOPS}")
    if line is not None or options.net is not None:
        threads = default_threads() if options.threads is None else options.threads
        settings["leaf_values"] = over = NetLeafValues(
            predictor_after_first_street(options.net or NET, spot), threads=threads
        )
    with watched(options, spot.title, unit_of(options.target, spot)) as (stop, view):

        def preparing(done: int, total: int) -> None:
            if stop.is_set():
                raise StoppedError("Stopped while flops were prepared; there is no strategy yet.")
            view.show(0.0, f"{done:,} of {total:,} flops prepared")

        if over is not None:
            over.preparing = preparing
        solution = preflop(options.stack, options.menu, progress=view or False, stop=stop, **calls, **settings)
    charts = Charts(solution, _shown(solution, options.line), options.values, options.mix)
    if keeps:
        solution.save(options.output)
        note(f"Saved to {options.output}; show it with: errai chart {options.output}")
    elif options.output is not None:
        charts.save(options.output, f"preflop-{options.stack:g}bb")
    big, small = won = [chips / max(BLINDS) for chips in solution.values.chips]
    if not options.json and not options.quiet:
        if options.output is None:
            charts.write()
        charts.write_frequencies()
        sys.stdout.write("\n")
    document = {}
    if options.json:
        shown = charts.document()["charts"]
        document = solution_document(solution, solution.title) | {"values_big_blinds": won, "charts": shown}
    facts = [
        ("the small blind wins", f"{small:+.6f} bb a hand ({1000 * small:+.3f} mbb)"),
        ("the big blind wins", f"{big:+.6f} bb a hand ({1000 * big:+.3f} mbb)"),
        (
            "exploitability",
            exploitability_text(solution.exploitability) + ("" if line is None else ", of the cut game"),
        ),
        ("besides", "" if line is None else COST),
        ("iterations", f"{solution.iterations:,} in {seconds_text(solution.seconds)}"),
    ]
    answer(options, document, f"{solution.title}: {solution.status}", facts)
    return exit_code(solution.status, options)


def _shown(solution: Solution, lines: list[str] | None) -> list[Any]:
    """Return the decisions after the given lines; by default the first decision and the answers to it."""
    from errai.solutions.situations import line_situation, named_situations

    if lines:
        nodes = [solution.at(line) for line in lines]
        return [(line_situation(node, solution), node) for node in nodes]
    names = ("first", *(("limp",) if "call" in solution.root.actions else ()), "facing-raise")
    return [(s, solution.at(s.line)) for name in names for s in named_situations(solution, name)]


def _big_blinds(text: str) -> float:
    """Read a stack in big blinds, as 10bb or 12.5, for argparse."""
    try:
        return positive_number(text.strip().lower().removesuffix("bb").strip())
    except ArgumentTypeError:
        message = f"{text!r} is not a stack; write it in big blinds, as 10bb or 12.5bb"
        raise ArgumentTypeError(message) from None
