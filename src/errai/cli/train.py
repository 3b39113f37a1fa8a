"""Solve a game over buckets of hands.

Solve a game whose hands are sorted into buckets, and write the strategy as a blueprint.

abstractions:
  identity                    every hand up to suits is a bucket of its own
  one-bucket                  all hands are in one bucket: the players do not see their cards
  by-strength:20              buckets of equal size by the hands' current strength
  FILE or FOLDER              an abstraction that `errai abstract` wrote

ways to solve it (--method):
  pcs       public chance sampling: each iteration draws a few boards and updates all hands on them (the default)
  pcs-br    pcs against an opponent who plays a best response on the last street: the result is less exploitable
  es        external sampling: each iteration draws one deal, and one action wherever the other player acts
  full      every iteration visits all boards: for small games
  cfr-br    full against an opponent who is not abstracted and plays a best response: the least exploitable strategy

Ctrl-C ends early with a valid result. With --checkpoint, the run can be resumed with --resume.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import GAME, Arguments, Options
from errai.cli.inputs import asked, load_whole_game, output_path
from errai.cli.output import answer, ended, say
from errai.console import bytes_text, seconds_text
from errai.engine.status import Status
from errai.options import TrainOptions

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
    time = limits.one_of()
    time("--hours H", "train for H hours")
    time.declared(TrainOptions, "seconds")
    limits.declared(TrainOptions, "max_iterations")
    add("-o --output FILE", "the blueprint's file (.errai)", required=True)
    add.declared(TrainOptions, "menu", "weights", "threads", "memory", "seed")
    add("--prune CHIPS", "es: skip, in most walks, actions that lose more than this per iteration")
    add.declared(TrainOptions, "average_every", "average_from", "opponents")
    add("--current", "write the current strategy, not the average")
    add("--bits", "bits of a probability in the file", int, choices=(6, 8, 16), default=8)
    add("--threshold P", "store probabilities below P as 0")
    add("--whole", "store the abstraction in the blueprint's file too, so that its own file is not needed")
    add(
        "--flops N",
        "during training, estimate the exploitability from N flops drawn at random, at least 4, after about 1, 2, 4, "
        "8 ... minutes; the estimates do not count as training time",
    )
    add("--processes N", "number of processes for --flops (default: one for each core)", needs="flops")
    add.declared(TrainOptions, "checkpoint", "resume")
    add.progress()


def run(options: Options) -> int:
    """Train, save the blueprint, and write a summary."""
    from errai.blueprints.abstractions import read_abstraction
    from errai.blueprints.blueprint import held_abstraction
    from errai.blueprints.train import train
    from errai.cli.signals import watched
    from errai.engine.resources import default_threads

    game = load_whole_game(options.subject, "solve a spot with `errai solve`")
    output = output_path(options.output)
    assert output is not None
    if options.whole:
        held_abstraction(read_abstraction(options.abstraction, game))
    if options.hours is not None:
        options.seconds = options.hours * 3600.0
    settings: dict[str, Any] = asked(options, TrainOptions) | {
        "bits": options.bits,
        "prune_below_chips": None if options.prune is None else -options.prune,
        "strategy": "current" if options.current else "average",
        "threshold": options.threshold or 0.0,
    }
    with watched(options, game.name, "mbb") as (stop, view):
        if options.flops is not None:
            processes = options.processes or default_threads()
            settings["measure"] = _by_flops(game, options.flops, options.seed, processes, stop)
        blueprint = train(game, options.abstraction, options.method, progress=view, stop=stop, **settings)
    _write(blueprint, blueprint.save(output, whole=options.whole), options)
    say(options, f"Saved to {output}; measure it: errai exploitability {options.subject} --strategy blueprint:{output}")
    return ended(options, blueprint.facts["status"] == Status.INTERRUPTED, Status.INTERRUPTED.advice)


def _write(blueprint: Blueprint, size: int, options: Options) -> None:
    """Write a summary; ``docs/cli.md`` lists the fields of the document."""
    facts, game = blueprint.facts, blueprint.game
    buckets = [blueprint.abstraction.num_buckets(street) for street in range(blueprint.betting.num_streets)]
    iteration, _, chips = facts["curve"][-1] if facts["curve"] else (None, None, None)
    document = {
        "game": game.name,
        "abstraction": blueprint.abstraction_text,
        "buckets": buckets,
        **{name: facts[name] for name in ("method", "status", "iterations", "seconds", "memory_bytes")},
        "exploitability_chips": chips,
        "measured_at": iteration,
        "bytes": size,
    }
    measured = "" if chips is None else f"{1000.0 * chips / max(game.blinds):.4g} mbb at iteration {iteration:,}"
    told = [
        ("exploitability", measured),
        ("method", f"{facts['method']}, {facts['iterations']:,} iterations in {seconds_text(facts['seconds'])}"),
        ("buckets", ", ".join(f"{count:,}" for count in buckets)),
        ("memory", bytes_text(facts["memory_bytes"])),
        ("file", bytes_text(size)),
    ]
    answer(options, document, f"{game.name}: {facts['status']}", told)


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
