"""Solve a game or a spot.

Solve a game or a spot until the exploitability of the average strategy is at most the target.

Without --target, --max-iterations and --seconds the target is 1mbb for games and 0.5%pot for
spots. Ctrl-C ends a solve early with a valid result, which is saved like any other; a second Ctrl-C aborts.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from errai.cli.arguments import BOARD, SUBJECT, Arguments, Options
from errai.cli.inputs import checkpoint_options, given, load_subject, output_path, refuse_given, ring_game
from errai.cli.output import OK, SHORT, answer, exit_code, fields, note, say
from errai.cli.solutions import say_layout, subject_name, values_text, write_run, write_solution
from errai.cli.written_out import solve_written_out
from errai.console import bytes_text, exploitability_text, seconds_text
from errai.engine.status import Status
from errai.errors import InputError, StoppedError, TreeTooLargeError
from errai.options import IN_STORE, NET_TARGET, OPTIONS, ExtensiveAlgorithm
from errai.pictures.solution_facts import precision_of

if TYPE_CHECKING:
    from errai.engine.loop import Progress
    from errai.engine.progress_view import ProgressView
    from errai.games.game import Subject
    from errai.games.ring import RingGame
    from errai.nets.quality.cost import Cost
    from errai.running.stopping import StopToken
    from errai.solutions.solution import Solution

OF_A_STORE = [name for name in OPTIONS if name in IN_STORE and OPTIONS[name].is_argument]
SETTINGS = [n for n, option in OPTIONS.items() if option.is_argument and n not in ("target", *OF_A_STORE)]
"""Options of :func:`errai.solve` that the verb takes as they are declared."""
ITERATIONS = 100
"""About how many iterations an exact solve takes; used to announce how long it will take."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", SUBJECT)
    add("--board CARDS", BOARD)
    add.solve("target")
    add("-o --output FILE", "save the solution (.errai)")
    add(
        "--net NET",
        "solve the first street with a value network at its end, and measure the exploitability: a network by name "
        "or .net file, or the baselines check-down and zero",
    )
    add.solve(*SETTINGS)
    add(
        "--current",
        "the current strategy is the result and not the average; with --store no averages are kept, in memory the "
        "exploitability of both is measured",
    )
    store = add.group("games larger than memory, with --store")
    store.solve(*OF_A_STORE, needs="store")
    add.progress()


def run(options: Options) -> int:
    """Solve, save, and write a summary."""
    import errai
    from errai.cli.signals import watched
    from errai.engine.progress_view import unit_of

    ring = ring_game(options.subject)
    if ring is not None:
        return _run_ring(ring, options)
    subject = load_subject(options.subject, options.board)
    name, in_store = subject_name(subject, options.subject), options.store is not None
    if in_store:
        _check_store(options)
    if options.net is not None:
        refuse_given(options, "store lock checkpoint resume start_from", "These options cannot be used with --net")
    output = output_path(options.output, container=True)
    settings = given(options, "target", *SETTINGS, *OF_A_STORE) | checkpoint_options(options)
    if options.current:
        settings |= {"strategy": "current"} if in_store else {"strategy": "current", "both_curves": True}
    if options.net is not None:
        return _run_over_net(subject, options, settings, output)
    if settings.get("algorithm") in get_args(ExtensiveAlgorithm):
        return solve_written_out(subject, name, options, settings, output)
    if in_store:
        from errai.cluster.run import StoreEvents

        settings["events"] = StoreEvents(on_layout=None if options.quiet else say_layout, on_repair=note)
    with watched(options, name, unit_of(options.target, subject)) as (stop, view):
        found = errai.solve(subject, stop=stop, progress=view or False, **settings)
    if isinstance(found, errai.Solution):
        if output is not None:
            found.save(output)
        write_solution(found, options)
        saved = f"Saved to {output}; show it with: errai show {output}"
        say(options, saved if output is not None else "Not saved; give -o FILE.errai to keep it.")
    else:
        write_run(found, name, subject.rake is None, options)
    return exit_code(found.status, options)


def _run_ring(game: RingGame, options: Options) -> int:
    """Solve a game of three players or more, which is written out."""
    refuse_given(
        options,
        "store net current checkpoint lock start_from menu board",
        f"{game.label} is not a game of two players",
    )
    settings = given(options, "target", *SETTINGS)
    return solve_written_out(game, options.subject, options, settings, output_path(options.output, container=True))


def _check_store(options: Options) -> None:
    """Raise :class:`InputError` for an option that is given and not taken by a run in a folder."""
    wrong = {"output": OPTIONS["checkpoint"].not_in_store}
    wrong |= {option.flag or name: why for name, option in OPTIONS.items() if (why := option.not_in_store)}
    for name, why in wrong.items():
        if getattr(options, name):
            raise InputError(f"--{name.replace('_', '-')} cannot be used with --store: {why}.")


# --- over a network ---


def _run_over_net(subject: Subject, options: Options, settings: dict[str, Any], output: Path | None) -> int:
    """Solve the first street, measure the exploitability if the whole tree can be solved, print both, and save."""
    import errai
    from errai.cli.signals import watched
    from errai.engine.progress_view import unit_of
    from errai.nets.predictors import predictor_after_first_street

    net = predictor_after_first_street(options.net, subject)
    if not {"target", "max_iterations", "seconds"} & set(settings):
        settings["target"] = NET_TARGET
    name = subject_name(subject, options.subject)
    with watched(options, name, unit_of(settings.get("target"), subject)) as (stop, view):
        solution = errai.solve(subject, leaf_values=net, stop=stop, progress=view or False, **settings)
        if output is not None:
            solution.save(output)
        found = None
        if solution.status is not Status.INTERRUPTED:
            found = _cost(solution, options, stop, view)
    _write_over_net(solution, found, name, options)
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


def _write_over_net(solution: Solution, found: Cost | None, name: str, options: Options) -> None:
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
