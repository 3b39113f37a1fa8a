"""``errai solve --net``: solve a first street with a value network at its end, and measure what the network costs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Options
from errai.cli.output import OK, SHORT, answer, fields, note, say
from errai.cli.signals import watched
from errai.cli.solutions import subject_name, values_text
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


def run_over_net(subject: Subject, options: Options, settings: dict[str, Any], output: Path | None) -> int:
    """Solve the first street, measure the exploitability if the whole tree can be solved, print both, and save."""
    import errai
    from errai.nets.predictors import predictor_after_first_street

    net = predictor_after_first_street(options.net, subject)
    if not {"target", "max_iterations", "seconds"} & set(settings):
        settings["target"] = TARGET
    name = subject_name(subject, options.subject)
    with watched(options, name, unit_of(settings.get("target"), subject)) as (stop, view):
        solution = errai.solve(subject, leaf_values=net, stop=stop, progress=view or False, **settings)
        if output is not None:
            solution.save(output)
        found = None
        if solution.status is not Status.INTERRUPTED:
            found = _cost(solution, options, stop, view)
    _write(solution, found, name, options)
    if output is not None:
        say(options, f"Saved to {output}; show it with: errai show {output}")
    return SHORT if solution.status is Status.INTERRUPTED or not solution.status.is_success(only_limits=True) else OK


def _cost(solution: Solution, options: Options, stop: StopToken, view: ProgressView) -> Cost | None:
    """Return the measured exploitability of the first street; where that is impossible, None after a note says why."""
    from errai.nets.quality.cost import cost, cost_estimate

    def progress(what: str, now: Progress) -> None:
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


def _write(solution: Solution, found: Cost | None, name: str, options: Options) -> None:
    """Write a summary; ``docs/cli.md`` lists the fields of the document."""
    below = solution.below
    assert below is not None
    document = fields(
        solution,
        "status iterations seconds information_sets memory_bytes",
        game=name,
        net=fields(below, "name digest"),
        precision=precision_of(solution),
        exploitability=None,
        exploitability_of_the_cut_game=solution.exploitability.to_dict(),
        exact_value_chips=None,
        exact_seconds=None,
        values=[float(value) for value in solution.values.chips],
    )
    costs = "not known"
    if found is not None:
        least, most = (bound.pot_percent for bound in found.bounds)
        costs = f"{exploitability_text(found.loss)}, from {least:.3g}% to {most:.3g}%"
        bounds = {"least_pot_percent": least, "most_pot_percent": most}
        document["exploitability"] = (
            found.loss.to_dict() | bounds | {"loss_chips": [list(pair) for pair in found.losses]}
        )
        document |= {"exact_value_chips": list(found.value), "exact_seconds": found.seconds}
    facts = [
        ("exploitability", costs),
        ("of the cut game", exploitability_text(solution.exploitability)),
        ("values, chips", values_text(solution.values.chips)),
        ("iterations", f"{solution.iterations:,} in {seconds_text(solution.seconds)}"),
        ("exact solves", "" if found is None else seconds_text(found.seconds)),
    ]
    answer(options, document, f"{name} over {below.name}: {solution.status}", facts)
