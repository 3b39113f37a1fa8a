"""Build PsOpti: ``python -m errai.agents.literature.psopti.build -o FILE``.

First the buckets are counted.  Then the models from the flop on are solved for hands as they are dealt (PsOpti1,
PsOpti0), then the round before the flop with the values of these models, and then the models again for the hands with
which each line is played (PsOpti2).  The same settings give the same file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from errai.abstraction.deals import DealIndexer
from errai.agents.literature.psopti.bucket_game import (
    BucketGame,
    BucketSolution,
    Tables,
    by_cfr,
    by_linear_program,
    values_by_start,
)
from errai.agents.literature.psopti.buckets import HandBuckets, RoundCuts, cuts_of
from errai.agents.literature.psopti.models import (
    all_in_margins,
    always_call,
    before_flop,
    class_values,
    count_moves,
    flop_game,
    lines_to_flop,
    preflop_game,
    reach_of_lines,
    require_hold_em,
    smallest_reach,
)
from errai.agents.literature.psopti.strategy import Bot, Model, PsOpti
from errai.blueprints.blueprint import steps_of
from errai.errors import ErraiError, InputError
from errai.games.catalogue import load_game

GAME = "holdem.limit.2p"
SOLVERS = ("cfr+", "highs")

Report = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """The settings that determine the file."""

    buckets: tuple[int, int, int] = (4, 4, 4)
    """Numbers of buckets on flop, turn and river; on flop and turn one of them is for weak hands with high potential.
    """
    promising: tuple[float, float] = (0.15, 0.18)
    """The least potential of such a hand on the flop and on the turn."""
    flops: int | None = None
    """How many flops up to suits are counted; None for all 1,755."""
    turns: int = 2
    """Turns and rivers drawn for each flop."""
    run_outs: int = 2_000
    """Boards drawn to estimate what hands win without bets after the flop."""
    gap: float = 0.01
    """Gap of each model, in chips."""
    least: float = 0.02
    """Every hand plays a line with at least this share when PsOpti2's models are made."""
    seed: int = 0
    solver: str = "cfr+"
    """``cfr+``, or ``highs`` for the linear program of small models."""

    def __post_init__(self) -> None:
        if self.solver not in SOLVERS:
            raise InputError(f"There is no solver {self.solver!r}; use {' or '.join(SOLVERS)}.")
        if min(self.turns, self.run_outs, 1 if self.flops is None else self.flops) < 1 or self.seed < 0:
            raise InputError("At least one flop, turn and run-out is needed, and a seed of at least 0.")
        if not self.gap > 0 or not 0 <= self.least <= 1:
            raise InputError("The gap must be above 0, and the least share of a hand from 0 to 1.")

    @property
    def cuts(self) -> tuple[RoundCuts, ...]:
        """Cuts of flop, turn and river."""
        flop, turn, river = self.buckets
        return (
            cuts_of(flop, potential=True, promising=self.promising[0]),
            cuts_of(turn, potential=True, promising=self.promising[1]),
            cuts_of(river, potential=False, promising=0.0),
        )


def _solve(
    settings: Settings, report: Report, programs: list[dict[str, Any]], name: str, game: BucketGame
) -> BucketSolution:
    """Solve one model, and record its size, gap and time."""
    started = time.process_time()
    solution = by_linear_program(game) if settings.solver == "highs" else by_cfr(game, gap=settings.gap)
    form = solution.form
    programs.append(
        {
            "name": name,
            "sequences": list(form.num_sequences),
            "information_sets": list(form.num_information_sets),
            "payoffs": int(form.payoffs.nnz),
            "value_chips": solution.value,
            "gap_chips": solution.gap,
        }
    )
    report(
        f"{name}: {form.num_sequences[0]:,} x {form.num_sequences[1]:,} sequences, {form.payoffs.nnz:,} payoffs, "
        f"value {solution.value:.4f}, gap {solution.gap:.1e} chips, {time.process_time() - started:.1f} s"
    )
    return solution


def build(settings: Settings, report: Report = lambda text: None) -> PsOpti:
    """Make all three programs.

    Raises :class:`LinearProgramError` or :class:`TreeTooLargeError` if one cannot be solved; use fewer buckets or a
    larger gap.
    """
    game = load_game(GAME)
    require_hold_em(game)
    deals = DealIndexer(game)
    hand_class = deals.index(np.zeros((1, 0), dtype=np.int16), 0)[0]

    def counted(what: str, done: int, total: int) -> None:
        if done % 250 == 0:
            report(f"{what}: {done:,} of {total:,}")

    buckets, seed = HandBuckets(deals, settings.cuts), settings.seed
    counts = count_moves(buckets, hand_class, flops=settings.flops, turns=settings.turns, seed=seed, report=counted)
    showdowns = all_in_margins(deals, hand_class, boards=settings.run_outs, seed=seed, report=counted)
    tree = before_flop(game)
    lines = lines_to_flop(tree)
    chips = {line: int(tree.contributions[line][0]) for line in lines}
    models: list[Model] = []
    programs: list[dict[str, Any]] = []
    solve = partial(_solve, settings, report, programs)

    def keep(solution: BucketSolution, put_in: int) -> int:
        models.append(Model(put_in, steps_of(solution.tables, solution.form.game.betting)))
        return len(models) - 1

    uniform = {c: solve(f"after the flop, {c} chips each", flop_game(game, c, counts))
               for c in sorted(set(chips.values()))}  # fmt: skip
    of_pot = {c: keep(solution, c) for c, solution in uniform.items()}
    shared = {line: of_pot[chips[line]] for line in lines}
    # The game as Selby solved it: all bets are made before the flop.
    selby = solve(
        "before the flop, nothing bet after it",
        preflop_game(game, counts, {line: showdowns * chips[line] for line in lines}),
    )
    worth = {c: class_values(counts, values_by_start(solution)) for c, solution in uniform.items()}
    joined = solve(
        "before the flop, with the models' values", preflop_game(game, counts, {n: worth[chips[n]] for n in lines})
    )
    own: dict[int, int] = {}
    for line, reach in reach_of_lines(joined).items():
        name = f"after the flop, '{' '.join(tree.path(line))}'"
        conditional = flop_game(game, chips[line], counts, smallest_reach(reach, settings.least))
        own[line] = keep(solve(name, conditional), chips[line])

    def bot(tables: Tables, model_of_line: dict[int, int]) -> Bot:
        return Bot(steps_of(tables, tree)[0], model_of_line)

    bots = {
        "psopti0": bot(always_call(tree, len(showdowns)), shared),
        "psopti1": bot(selby.tables, shared),
        "psopti2": bot(joined.tables, own),
    }
    facts = {"settings": asdict(settings), "programs": programs}
    return PsOpti(game, settings.cuts, models, bots, facts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit status."""
    defaults = Settings()
    parser = argparse.ArgumentParser(prog="python -m errai.agents.literature.psopti.build", description=__doc__)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="the file to write")
    for name, kind, metavar, text in (
        ("buckets", _numbers, "F,T,R", "numbers of buckets on flop, turn and river"),
        ("flops", int, "N", "how many flops are counted (default: all 1,755)"),
        ("turns", int, "N", "turns drawn for each flop"),
        ("run-outs", int, "N", "boards for pre-flop odds"),
        ("gap", float, "CHIPS", "gap of each model"),
        ("least", float, "P", "least share of every hand in a line"),
        ("seed", int, "N", "seed of what is drawn"),
    ):
        default = getattr(defaults, name.replace("-", "_"))
        parser.add_argument(f"--{name}", type=kind, default=default, metavar=metavar, help=text)
    parser.add_argument("--solver", choices=SOLVERS, default=defaults.solver)
    options = parser.parse_args(arguments)
    try:
        settings = Settings(**{key: value for key, value in vars(options).items() if key != "output"})
        size = build(settings, lambda text: print(text, file=sys.stderr, flush=True)).save(options.output)
    except ErraiError as error:
        print(f"psopti: {error}", file=sys.stderr)
        return 2
    print(f"{options.output}: {size:,} bytes", file=sys.stderr)
    return 0


def _numbers(text: str) -> tuple[int, int, int]:
    parts = text.split(",")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not three numbers such as 4,4,4")
    flop, turn, river = (int(part) for part in parts)
    return flop, turn, river


if __name__ == "__main__":
    sys.exit(main())
