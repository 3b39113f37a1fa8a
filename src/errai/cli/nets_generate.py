"""Generate solved positions to train on.

Draw positions of no-limit hold'em at the beginning of a street, solve each, and write them with the values of all
hands. On the turn and the river positions are solved to the end of the game, on the flop over a network for the turn.
Before the flop they stand at the end of the betting, and their values are the mean of a network's over all flops.

Ctrl-C ends early and keeps what has been solved; the same command, given again, solves what is missing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options
from errai.cli.output import answer, ended, fields, note
from errai.console import decimal_bytes_text, seconds_text
from errai.errors import InputError, StoppedError
from errai.games.streets import STREETS
from errai.options import NetDataOptions

if TYPE_CHECKING:
    from errai.nets.examples.generate import Tally
    from errai.nets.examples.recipe import Recipe


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("street", "the street at whose start the positions are; preflop for its end", choices=STREETS)
    add("-o --out FOLDER", "folder to write the positions to", required=True)
    limits = add.group("limits, at least one")
    limits.declared(NetDataOptions, "positions", "hours")
    add.declared(NetDataOptions, "seed")
    met = add.one_of()
    met("--play", "take positions from self-play of the package's blueprint instead of drawing ranges at random")
    met(
        "--met-in-play",
        "take positions about which a network of the street is asked while the street before it is solved again, with "
        "several bet menus, after self-play of the blueprint",
    )
    add(
        "--net NET",
        "solve the street alone, over a network for the next one: a file, a network of the package, or check-down "
        "(on the flop turn, before it flop, else none)",
    )
    add(
        "--shares LIST",
        "shares of the positions with 0.1 to 1, 1 to 5, 5 to 25 and 25 to 50 pots left to bet, and in limped pots, "
        "such as 30,35,28,6,1; or deepstack for the pots of the paper",
    )
    add(
        "--menu SIZES",
        'bets and raises of the solves, with a bar between them where they differ, such as "50%, a | 100%, a"',
    )
    add(
        "--accuracies LIST",
        "exploitability at which a solve ends, in per cent of the pot, with up to 1, up to 5, up to 25 and more pots "
        "left to bet, such as 0.2,0.3,0.8,1.5",
    )
    add.declared(NetDataOptions, "processes")
    add.progress()


def run(options: Options) -> int:
    """Generate positions, and print how many there are and what they cost."""
    from errai.cli.signals import watched
    from errai.nets.examples.generate import estimated_bytes, generate
    from errai.nets.examples.over_cards import OverCards
    from errai.nets.examples.recipe import Recipe
    from errai.nets.examples.targets import MOST_OVER_A_NET, OVER_A_NET, leaves_over
    from errai.nets.predictors import find_predictor
    from errai.running.stopping import stops

    if options.positions is None and options.hours is None:
        raise InputError("Give a limit: --positions N, --hours H, or both.")
    source = "asked" if options.met_in_play else "play" if options.play else "generated"
    street = STREETS.index(options.street)
    recipe = Recipe("holdem.nolimit.2p", street, options.seed, source, _strata(options.shares))
    if options.menu is not None:
        recipe = replace(recipe, menu=options.menu)
    if options.met_in_play:
        # Before the flop lookaheads end over the auxiliary network, whose leaves are what the flop's is asked about.
        asked = find_predictor(
            *(("preflop", recipe.rules, 0) if street == 1 else (options.street, recipe.rules, street))
        )
        recipe = replace(recipe, asked=asked.name, asked_digest=asked.digest)
    if recipe.source != "generated" and not recipe.cards:
        raise InputError("Positions before the flop are drawn at random; leave out --play and --met-in-play.")
    below: Any = None
    name = options.net or {"preflop": "flop", "flop": "turn"}.get(options.street)
    if name is not None:
        net = find_predictor(name, recipe.rules, recipe.round + 1)
        recipe = replace(recipe, net=net.name, net_digest=net.digest)
    if name is not None and recipe.cards:
        recipe = replace(recipe, accuracies=OVER_A_NET, max_iterations=MOST_OVER_A_NET)
        below = partial(leaves_over, net)
    if options.accuracies is not None:
        recipe = replace(recipe, accuracies=_accuracies(options.accuracies, recipe.accuracies))
    if not options.quiet:
        many = options.positions or 1_000
        what = f"{many:,} positions take" if options.positions else "A thousand positions take"
        note(f"{what} about {decimal_bytes_text(estimated_bytes(recipe, many))} in {options.out}.")

    def progress(tally: Tally) -> None:
        each = seconds_text(tally.core_seconds / tally.positions)
        spread = " ".join(str(number) for number in tally.counts)
        state = f"{tally.positions:,} positions ({tally.new:,} new), {each} of a core each; by stratum {spread}"
        view.show(tally.positions / (options.positions or max(tally.positions, 1)), state)

    def preparing(done: int, total: int) -> None:
        view.show(done / total, f"{done:,} of {total:,} flops prepared")
        if stops(stop):
            raise StoppedError("Stopped while the flops were prepared; nothing was written.")

    with watched(options, f"positions on the {options.street}") as (stop, view):
        if not recipe.cards:
            below = OverCards(net, recipe.rules, threads=options.processes, preparing=preparing)
        tally = generate(
            recipe,
            options.out,
            positions=options.positions,
            seconds=None if options.hours is None else 3600.0 * options.hours,
            processes=options.processes,
            below=below,
            stop=stop,
            progress=progress,
        )
    _write(options, recipe, tally)
    return ended(options, tally.interrupted, "Interrupted; run the same command again to resume.")


def _strata(text: str | None) -> tuple[Any, ...]:
    from errai.nets.examples.situations import DEEPSTACK, STRATA

    if text is None:
        return STRATA
    if text == "deepstack":
        return DEEPSTACK
    shares = _numbers(text)
    if len(shares) != len(STRATA) or not all(share >= 0.0 for share in shares) or not sum(shares) > 0.0:
        raise InputError(
            f"--shares takes {len(STRATA)} numbers separated by commas, such as 30,35,28,6,1, or deepstack."
        )
    return tuple(replace(one, share=share / sum(shares)) for one, share in zip(STRATA, shares, strict=True))


def _accuracies(text: str, usual: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    given = _numbers(text)
    if len(given) != len(usual) or not all(0.0 < accuracy < 100.0 for accuracy in given):
        raise InputError(
            f"--accuracies takes {len(usual)} per cents of the pot separated by commas, each above 0 and below 100, "
            "such as 0.2,0.3,0.8,1.5."
        )
    return tuple((most, accuracy / 100.0) for (most, _), accuracy in zip(usual, given, strict=True))


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return []


def _write(options: Options, recipe: Recipe, tally: Tally) -> None:
    made = tally.to_dict()
    document = {
        "folder": options.out,
        "street": options.street,
        "recipe": recipe.to_dict(),
        "status": "interrupted" if tally.interrupted else "done",
        **fields(tally, "new bytes"),
        **made,
    }
    facts = [
        ("positions", f"{tally.positions:,}, of which {tally.new:,} are new"),
        ("time", f"{seconds_text(tally.core_seconds)} of a core, {_each(tally.core_seconds, tally.positions)}"),
        ("disk", decimal_bytes_text(tally.bytes)),
        *(
            (f"{name} pots", f"{row['positions']:,}, {_each(row['core_seconds'], row['positions'])}")
            for name, row in made["strata"].items()
        ),
    ]
    answer(options, document, f"Positions on the {options.street} in {options.out}", facts)


def _each(seconds: float, number: int) -> str:
    return f"{seconds_text(seconds / max(number, 1))} each"
