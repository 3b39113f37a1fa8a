"""``errai solve --net``: solve a first street with a value network at its end, and measure what the network costs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.output import OK, SHORT, note, write_facts, write_json
from errai.cli.signals import stopped_by_signals
from errai.cli.solutions import subject_name
from errai.console import bytes_text, exploitability_text, seconds_text
from errai.engine.progress_view import ProgressView, unit_of
from errai.engine.status import Status
from errai.errors import InputError, StoppedError, TreeTooLargeError
from errai.pictures.solution_facts import precision_of

if TYPE_CHECKING:
    from errai.engine.loop import Progress
    from errai.games.subject import Subject
    from errai.nets.quality.cost import Cost
    from errai.running.stopping import StopToken
    from errai.solutions.solution import Solution

TARGET = "0.3%pot"
"""Default target for the cut game: below it the network's own error dominates the exploitability."""

ITERATIONS = 100
"""About how many iterations an exact solve takes; used to announce how long it will take."""


def run_over_net(subject: Subject, options: argparse.Namespace, settings: dict[str, Any], output: Path | None) -> int:
    """Solve the first street, measure the exploitability if the whole tree can be solved, print both, and save."""
    import errai
    from errai.nets.predictors import predictor_after_first_street

    net = predictor_after_first_street(options.net, subject)
    if not {"target", "max_iterations", "seconds"} & set(settings):
        settings["target"] = TARGET
    name = subject_name(subject, options.subject)
    view = ProgressView(name, unit_of(settings.get("target"), subject), sys.stderr.isatty())
    shown = options.progress or (view.is_terminal and not options.quiet)
    with stopped_by_signals() as stop, view:
        solution = errai.solve(subject, leaf_values=net, stop=stop, progress=view if shown else False, **settings)
        if output is not None:
            solution.save(output)
        found = None
        if solution.status is not Status.INTERRUPTED:
            found = _cost(solution, options, stop, view if shown else None)
    if options.json:
        write_json(_document(solution, found, name))
    elif not options.quiet:
        _write(solution, found, name)
        if output is not None:
            sys.stdout.write(f"Saved to {output}; show it with: errai show {output}\n")
    return SHORT if solution.status is Status.INTERRUPTED or not solution.status.is_success(only_limits=True) else OK


def _cost(solution: Solution, options: argparse.Namespace, stop: StopToken, view: ProgressView | None) -> Cost | None:
    """Measure the exploitability of the first street; where that is impossible return None and print a note that says
    why.
    """
    from errai.nets.quality.cost import cost, cost_estimate

    def progress(what: str, now: Progress) -> None:
        if view is not None:
            view.show(view.fraction(now), f"measuring the exploitability, {what}: {view.state_text(now)}")

    limits = {"threads": options.threads, "memory": options.memory}
    try:
        size = cost_estimate(solution, **limits)
        if not options.quiet:
            seconds = 3.0 * ITERATIONS * size.seconds_per_iteration
            note(
                f"Measuring the exploitability takes three exact solves of {size.entries:,} entries: about "
                f"{seconds_text(seconds)} and {bytes_text(size.memory_bytes)}. Ctrl-C skips it."
            )
        return cost(solution, stop=stop, progress=progress, **limits)
    except (InputError, StoppedError, TreeTooLargeError) as error:
        if not options.quiet:
            note(f"The exploitability was not measured. {error}")
        return None


def _document(solution: Solution, found: Cost | None, name: str) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields."""
    below = solution.below
    assert below is not None
    costs = None
    if found is not None:
        costs = {
            **found.loss.to_dict(),
            "least_pot_percent": found.bounds[0].pot_percent,
            "most_pot_percent": found.bounds[1].pot_percent,
            "loss_chips": [list(bounds) for bounds in found.losses],
        }
    return {
        "game": name,
        "net": {"name": below.name, "digest": below.digest},
        "status": solution.status,
        "iterations": int(solution.iterations),
        "seconds": float(solution.seconds),
        "precision": precision_of(solution),
        "exploitability": costs,
        "exploitability_of_the_cut_game": solution.exploitability.to_dict(),
        "exact_value_chips": None if found is None else list(found.value),
        "exact_seconds": None if found is None else found.seconds,
        "values": [float(value) for value in solution.values.chips],
        "information_sets": int(solution.information_sets),
        "memory_bytes": int(solution.memory_bytes),
    }


def _write(solution: Solution, found: Cost | None, name: str) -> None:
    assert solution.below is not None
    costs = "not known"
    if found is not None:
        least, most = (bound.pot_percent for bound in found.bounds)
        costs = f"{exploitability_text(found.loss)}, from {least:.3g}% to {most:.3g}%"
    write_facts(
        f"{name} over {solution.below.name}: {solution.status}",
        [
            ("exploitability", costs),
            ("of the cut game", exploitability_text(solution.exploitability)),
            ("values, chips", ", ".join(f"player {p}: {v:+.6g}" for p, v in enumerate(solution.values.chips))),
            ("iterations", f"{solution.iterations:,} in {seconds_text(solution.seconds)}"),
            ("exact solves", "" if found is None else seconds_text(found.seconds)),
        ],
    )
