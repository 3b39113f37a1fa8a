"""Solve a game over buckets of hands.

Solve a game whose hands are sorted into buckets, and write the strategy as a blueprint.

abstractions:
  identity                    every hand up to suits is a bucket of its own
  one-bucket                  all hands are in one bucket: the players do not see their cards
  by-strength:20              buckets of equal size by the hands' current strength
  FILE or FOLDER              an abstraction that `errai abstract` wrote

methods:
  pcs       public chance sampling: each iteration draws a few boards and updates all hands on them (the default)
  pcs-br    pcs against an opponent who plays a best response on the last street: the result is less exploitable
  es        external sampling: each iteration draws one deal, and one action wherever the other player acts
  full      every iteration visits all boards: for small games
  cfr-br    full against an opponent who is not abstracted and plays a best response: the least exploitable strategy

Ctrl-C ends early with a valid result. With --checkpoint, the run can be resumed with --resume.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import GAME, Arguments, memory_bytes
from errai.cli.inputs import checkpoint_options, load_subject, output_path
from errai.cli.output import OK, SHORT, note, write_facts, write_json
from errai.console import bytes_text, seconds_text
from errai.engine.status import Status
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.blueprints.blueprint import Blueprint
    from errai.engine.units import Measurement
    from errai.games.game import Game
    from errai.running.stopping import StopToken

FIRST_FLOPS_SECONDS = 60.0
"""Seconds of training before the first estimate of the exploitability; the time doubles before each later one."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", GAME)
    add("--abstraction WHAT", "the buckets, as listed above", required=True)
    add("--method", "method, as listed above", choices=("pcs", "pcs-br", "es", "full", "cfr-br"), default="pcs")
    limits = add.group("limits, at least one")
    limits("--hours H", "train for H hours")
    limits("--seconds S", "train for S seconds; also 90s, 10min, 2h")
    limits("--iterations N", "train for N iterations")
    add("-o --output FILE", "the blueprint's file (.errai)", required=True)
    add.solve("menu")
    add(
        "--weights NAME",
        "how iterations are weighted: cfr, linear or cfr+ (linear); full and cfr-br take the algorithms of solve",
    )
    add.solve("threads")
    add.seed()
    add("--memory BYTES", "memory that the solver may use, such as 4GiB", memory_bytes)
    add("--prune CHIPS", "es: skip, in most walks, actions that lose more than this per iteration")
    add("--average-every N", "pcs: average only every N-th iteration, which saves up to a fifth of the time", default=1)
    add(
        "--average-from N",
        "leave the iterations before N out of the average; with pcs-br they fold too much",
        default=1,
    )
    add(
        "--opponents WHAT",
        "pcs-br: the opponent's abstraction before the last street (default: the same), split by texture too",
    )
    add("--current", "write the current strategy, not the average")
    add("--bits", "bits of a probability in the file", int, choices=(6, 8, 16), default=8)
    add("--threshold P", "store probabilities below P as 0")
    add("--whole", "store the abstraction in the blueprint's file too, so that its own file is not needed")
    add(
        "--flops N",
        "during training, estimate the exploitability from N flops drawn at random, at least 4, after about 1, 2, 4, "
        "8 ... minutes; the estimates do not count as training time",
    )
    add("--processes N", "number of processes for --flops (one for each core)")
    add.checkpoint("the state of the training")
    add.progress()


def run(options: argparse.Namespace) -> int:
    """Train, save the blueprint, and write a summary."""
    from errai.blueprints.abstractions import read_abstraction
    from errai.blueprints.blueprint import held_abstraction
    from errai.blueprints.train import train
    from errai.cli.signals import stopped_by_signals
    from errai.engine.progress_view import ProgressView
    from errai.engine.resources import default_threads

    subject = load_subject(options.subject).whole_game
    if subject is None:
        raise InputError("Only whole games are trained; solve a spot with `errai solve`.")
    if options.processes is not None and options.flops is None:
        raise InputError("--processes applies to the estimates; add --flops.")
    if options.hours is not None and options.seconds is not None:
        raise InputError("Give --hours or --seconds, not both.")
    output = output_path(options.output)
    assert output is not None
    if options.whole:
        held_abstraction(read_abstraction(options.abstraction, subject))
    settings: dict[str, Any] = {
        "max_iterations": options.iterations,
        "seconds": options.hours * 3600.0 if options.hours is not None else options.seconds,
        "menu": options.menu,
        "weights": options.weights,
        "threads": options.threads,
        "seed": options.seed,
        "memory": options.memory,
        "prune_below_chips": None if options.prune is None else -options.prune,
        "average_every": options.average_every,
        "average_from": options.average_from,
        "opponents": options.opponents,
        "strategy": "current" if options.current else "average",
        "bits": options.bits,
        "threshold": options.threshold or 0.0,
        **checkpoint_options(options),
    }
    view = ProgressView(subject.name, "mbb", sys.stderr.isatty())
    with stopped_by_signals() as stop:
        settings["stop"] = stop
        if options.flops is not None:
            processes = options.processes or default_threads()
            settings["measure"] = _by_flops(subject, options.flops, options.seed, processes, stop)
        if options.progress or (view.is_terminal and not options.quiet):
            with view:
                blueprint = train(subject, options.abstraction, options.method, progress=view, **settings)
        else:
            blueprint = train(subject, options.abstraction, options.method, **settings)
    size = blueprint.save(output, whole=options.whole)
    if options.json:
        write_json(training_document(blueprint, size))
    elif not options.quiet:
        _write(blueprint, size)
        sys.stdout.write(
            f"Saved to {output}; measure it: errai exploitability {options.subject} --strategy blueprint:{output}\n"
        )
    if blueprint.facts["status"] == Status.INTERRUPTED:
        if not options.quiet:
            note(Status.INTERRUPTED.advice)
        return SHORT
    return OK


def training_document(blueprint: Blueprint, size: int) -> dict[str, Any]:
    """Return the JSON document; ``docs/cli.md`` lists its fields."""
    facts = blueprint.facts
    return {
        "game": blueprint.game.name,
        "abstraction": blueprint.abstraction_text,
        "buckets": [blueprint.abstraction.num_buckets(s) for s in range(blueprint.betting.num_streets)],
        "method": facts["method"],
        "status": facts["status"],
        "iterations": facts["iterations"],
        "seconds": facts["seconds"],
        "exploitability_chips": facts["curve"][-1][2] if facts["curve"] else None,
        "measured_at": facts["curve"][-1][0] if facts["curve"] else None,
        "bytes": size,
        "memory_bytes": facts["memory_bytes"],
    }


def _write(blueprint: Blueprint, size: int) -> None:
    facts = blueprint.facts
    big_blind = max(blueprint.game.blinds)
    measured = ""
    if facts["curve"]:
        iteration, _, chips = facts["curve"][-1]
        measured = f"{1000.0 * chips / big_blind:.4g} mbb at iteration {iteration:,}"
    write_facts(
        f"{blueprint.game.name}: {facts['status']}",
        [
            ("exploitability", measured),
            ("method", f"{facts['method']}, {facts['iterations']:,} iterations in {seconds_text(facts['seconds'])}"),
            (
                "buckets",
                ", ".join(f"{blueprint.abstraction.num_buckets(s):,}" for s in range(blueprint.betting.num_streets)),
            ),
            ("memory", bytes_text(facts["memory_bytes"])),
            ("file", bytes_text(size)),
        ],
    )


def _by_flops(
    game: Game, flops: int, seed: int, processes: int, stop: StopToken
) -> Callable[[Blueprint], Measurement | None]:
    """Return a function that measures a blueprint by best responses on drawn flops whenever a measurement is due."""
    from errai.responses.response import best_response, check_flops

    check_flops(game, flops)
    due = FIRST_FLOPS_SECONDS

    def measure(blueprint: Blueprint) -> Measurement | None:
        nonlocal due
        if blueprint.facts["seconds"] < due:
            return None
        due = 2.0 * blueprint.facts["seconds"]
        return best_response(game, blueprint, flops=flops, seed=seed, processes=processes, stop=stop).exploitability

    return measure
