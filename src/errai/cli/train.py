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

With --improve a strategy is not trained but improved: the bets in played hands that it lacks become branches, the most
valuable first, each solved again so that the bet wins no more than before. The answers are kept in a file beside the
old strategy; run it again with the new file and newer hands for another night.

With --generation one of a chain of blueprints for limit hold'em is trained, each finer or better than the one before;
`docs/bots/generations.md` compares them. Buckets and checkpoint are kept in a folder beside the blueprint, and the same
command resumes an interrupted run.

Ctrl-C ends early with a valid result. With --checkpoint, the run can be resumed with --resume.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import GAME, Arguments, Options
from errai.cli.inputs import asked, load_whole_game, output_path
from errai.cli.output import SHORT, answer, ended, fields, note, say
from errai.console import bytes_text, seconds_text
from errai.engine.status import Status
from errai.errors import InputError
from errai.options import TrainOptions

if TYPE_CHECKING:
    from pathlib import Path

    from errai.blueprints.blueprint import Blueprint
    from errai.engine.units import Measurement
    from errai.games.game import Game
    from errai.resolving.improve import Missed
    from errai.running.stopping import StopToken

FIRST_FLOPS_SECONDS = 60.0
"""Seconds of training before the first estimate of the exploitability; the time doubles before each later one."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", GAME)
    what = add.one_of(required=True)
    what("--abstraction WHAT", "the buckets, as listed above")
    what("--improve STRATEGY", "improve a solution, a blueprint or an improved strategy: a file, or one of the package")
    what("--generation N", "train blueprint N of the chain, 1 to 6, with its own buckets, method and iterations", int)
    hands: dict[str, Any] = {"dest": "hands", "action": "append", "needs": "improve"}
    add("--from PATH", "the hands, a file or a folder of them; may be repeated", **hands)
    add("--branches N", "add at most N branches (default: 3)", needs="improve")
    add("--method", "method, as listed above", choices=("pcs", "pcs-br", "es", "full", "cfr-br"), default="pcs")
    limits = add.group("limits, at least one")
    time = limits.one_of()
    time("--hours H", "train for H hours")
    time.declared(TrainOptions, "seconds")
    limits.declared(TrainOptions, "max_iterations")
    add("-o --output FILE", "the blueprint's file (.errai)", required=True)
    add.declared(TrainOptions, "menu", "weights", "threads", "memory", "seed")
    add("--prune CHIPS", "es: skip, in most walks, actions that lose more than this per iteration")
    add.declared(TrainOptions, "average_every", "average_from", "opponents", "graft")
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
    from errai.blueprints.abstractions import StoredAbstraction, read_abstraction
    from errai.blueprints.blueprint import held_abstraction
    from errai.blueprints.train import train
    from errai.cli.signals import watched
    from errai.engine.resources import default_threads

    game = load_whole_game(options.subject, "solve a spot with `errai solve`")
    output = output_path(options.output, container=True)
    assert output is not None
    if options.hours is not None:
        options.seconds = options.hours * 3600.0
    if options.improve is not None:
        return _improve(options, game, output)
    if options.generation is not None:
        return _generation(options, game, output)
    if options.whole:
        held_abstraction(read_abstraction(options.abstraction, game))
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
    # Mixed buckets are in no file of their own.
    whole = options.whole or (options.graft is not None and isinstance(blueprint.abstraction, StoredAbstraction))
    return _saved(options, blueprint, output, whole, Status.INTERRUPTED.advice)


def _generation(options: Options, game: Game, output: Path) -> int:
    """Train a blueprint of the chain, save it with its buckets, and write a summary."""
    from errai.abstraction.deals import DealIndexer
    from errai.blueprints.generations import chain, train_generation
    from errai.cli.signals import watched
    from errai.engine.resources import default_threads
    from errai.errors import StoppedError
    from errai.store.atomic import make_folder

    chosen = chain(game, options.generation)
    folder = output.with_suffix(".parts")
    own = ("menu", "weights", "opponents", "checkpoint", "resume", "flops", "threshold", "prune", "current", "graft")
    for name in own:
        if getattr(options, name):
            raise InputError(f"A generation has settings of its own; leave --{name} out.")
    limits = fields(options, "seconds", max_iterations=options.iterations)
    limits = {name: limit for name, limit in limits.items() if limit is not None}
    disk = sum(4.0 * DealIndexer(game).num_classes(number, dealt=chosen.plan.perfect) for number in (1, 2))
    note(f"Generation {options.generation}: {chosen.words}. {chosen.method}, {chosen.iterations:,} iterations.")
    note(
        f"Buckets and checkpoint are kept in {folder}, about {bytes_text(disk)} and more; delete it when you are done."
    )
    make_folder(folder)
    stopped = "Interrupted; run the same command again to resume."
    try:
        with watched(options, f"generation {options.generation}", "mbb") as (stop, view):
            blueprint = train_generation(
                game,
                options.generation,
                folder,
                threads=options.threads or default_threads(),
                memory=options.memory,
                stop=stop,
                stage=lambda stage, done, total: view.show(done / max(total, 1), stage),
                progress=view,
                **limits,
            )
    except StoppedError:
        note(stopped)
        return SHORT
    return _saved(options, blueprint, output, True, stopped)


def _saved(options: Options, blueprint: Blueprint, output: Path, whole: bool, advice: str) -> int:
    """Save a blueprint, write a summary, and say how to measure it."""
    _write(blueprint, blueprint.save(output, whole=whole), options)
    say(options, f"Saved to {output}; measure it: errai exploitability {options.subject} --strategy blueprint:{output}")
    return ended(options, blueprint.facts["status"] == Status.INTERRUPTED, advice)


def _improve(options: Options, game: Game, output: Path) -> int:
    """Add branches to a strategy for the bets in some hands, save it, and write a summary."""
    from errai.agents.deepstack import is_holdem
    from errai.cli.histories import files_in, read_files
    from errai.cli.signals import watched
    from errai.engine.resources import default_threads
    from errai.nets.below.values_below import NetsBelow
    from errai.nets.network import load_net
    from errai.resolving.improve import NIGHT, improve, missed_bets
    from errai.resolving.improved import read_improved

    if options.hands is None:
        raise InputError("Say which hands to learn from: --from PATH.")
    if options.menu is not None and game.limit:
        raise InputError("The bets of a limit game are fixed; leave out the menu.")
    before = read_improved(options.improve, game)
    options.files, options.game, options.from_format = files_in(options.hands), options.subject, None
    read = read_files(options).for_two("the improvement of a strategy")
    read.note_faults()
    below = None
    if is_holdem(game):
        below = NetsBelow(load_net("preflop"), averaged=True)
        note("Hold'em is improved before the flop, over the network preflop; values before a bet are estimates.")
    with watched(options, f"improving {options.improve}") as (stop, view):

        def progress(bet: Missed, done: int, total: int) -> None:
            view.show(done / total, f"{bet.text}, {done:,} of {total:,} boards")

        settings: dict[str, Any] = {"menu": options.menu, "threads": options.threads or default_threads()}
        settings |= {"most": options.branches or NIGHT, "seconds": options.seconds, "stop": stop}
        after, added = improve(before, read.read, below=below, progress=progress, **settings)
    after.save(output)
    left = missed_bets(after, read.read)
    document = {
        "game": game.name,
        "hands": len(read.read),
        **read.fault_fields(),
        "branches": len(after.branches),
        "added": [bet.to_dict() for bet in added],
        "left": [bet.to_dict() for bet in left],
        "bytes": output.stat().st_size,
    }
    facts = [
        ("hands", f"{len(read.read):,}"),
        *(("added", f"{bet.text}, made {bet.count:,} times") for bet in added),
        ("branches", f"{len(after.branches):,} in all, {len(after.branches) - len(before.branches):,} of them new"),
        ("still lacking", f"{len(left):,} bets" if left else "none of the bets in these hands"),
        ("file", bytes_text(document["bytes"])),
    ]
    answer(options, document, f"{game.name}: improved", facts)
    say(options, f"Saved to {output}; play it: errai match improved:{output} OTHER --game {options.subject}")
    return ended(options, stop.is_set(), "Stopped; what was added until then is in the file.")


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
