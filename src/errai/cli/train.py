"""``errai train``: solve a whole game over buckets of hands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from errai.cli.inputs import (
    add_checkpoint_options,
    add_menu_option,
    checkpoint_options,
    load_subject,
    memory_bytes,
    natural_number,
    output_path,
    positive_integer,
    positive_number,
    positive_seconds,
)
from errai.cli.output import OK, SHORT, add_json_option, add_progress_options, note, write_facts, write_json
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

DESCRIPTION = """\
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


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "train",
        help="solve a game over buckets of hands",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("subject", metavar="GAME", help="a game of the catalogue (see `errai games`) or a .game file")
    parser.add_argument("--abstraction", metavar="WHAT", required=True, help="the buckets, as listed above")
    parser.add_argument(
        "--method",
        choices=("pcs", "pcs-br", "es", "full", "cfr-br"),
        default="pcs",
        help="method, as listed above (pcs)",
    )
    limits = parser.add_argument_group("limits, at least one")
    limits.add_argument("--hours", type=positive_number, metavar="H", help="train for H hours")
    limits.add_argument(
        "--seconds", type=positive_seconds, metavar="S", help="train for S seconds; also 90s, 10min, 2h"
    )
    limits.add_argument("--iterations", type=positive_integer, metavar="N", help="train for N iterations")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the blueprint's file (.errai)")
    add_menu_option(parser)
    parser.add_argument(
        "--weights",
        metavar="NAME",
        help="how iterations are weighted: cfr, linear or cfr+ (linear); full and cfr-br take the algorithms of solve",
    )
    parser.add_argument("--threads", type=positive_integer, metavar="N", help="number of threads (default: all cores)")
    parser.add_argument("--seed", type=natural_number, default=0, metavar="N", help="random seed (0)")
    parser.add_argument(
        "--memory", type=memory_bytes, metavar="BYTES", help="memory that the solver may use, such as 4GiB"
    )
    parser.add_argument(
        "--prune", type=positive_number, metavar="CHIPS",
        help="es: skip, in most walks, actions that lose more than this per iteration",
    )  # fmt: skip
    parser.add_argument(
        "--average-every", type=positive_integer, default=1, metavar="N",
        help="pcs: average only every N-th iteration, which saves up to a fifth of the time (1)",
    )  # fmt: skip
    parser.add_argument(
        "--average-from", type=positive_integer, default=1, metavar="N",
        help="leave the iterations before N out of the average; with pcs-br they fold too much (1)",
    )  # fmt: skip
    parser.add_argument(
        "--opponents", metavar="WHAT",
        help="pcs-br: the opponent's abstraction before the last street (default: the same), split by texture too",
    )  # fmt: skip
    parser.add_argument("--current", action="store_true", help="write the current strategy, not the average")
    parser.add_argument("--bits", type=int, choices=(6, 8, 16), default=8, help="bits of a probability in the file (8)")
    parser.add_argument("--threshold", type=positive_number, metavar="P", help="store probabilities below P as 0")
    parser.add_argument(
        "--whole",
        action="store_true",
        help="store the abstraction in the blueprint's file too, so that its own file is not needed",
    )
    parser.add_argument(
        "--flops", type=positive_integer, metavar="N",
        help="during training, estimate the exploitability from N flops drawn at random, at least 4, after about 1, 2, "
        "4, 8 ... minutes; the estimates do not count as training time",
    )  # fmt: skip
    parser.add_argument(
        "--processes", type=positive_integer, metavar="N", help="number of processes for --flops (one for each core)"
    )
    add_checkpoint_options(parser, "the state of the training")
    add_progress_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


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
