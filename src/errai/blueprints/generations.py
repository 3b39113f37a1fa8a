"""A chain of blueprints for limit hold'em, each with a larger or better abstraction than the one before.

The field came to exploitability below 1 mbb/g by larger and larger abstract games.  Zinkevich, Johanson, Bowling &
Piccione, "Regret minimization in games with incomplete information" (NIPS 2007), solved a chain of them, in which a
round divides every bucket of the round before by percentiles of E[HS²]: 5, 6, 8 and 10 buckets a round.  The first four
generations here are made so, with 5, 8, 10 and 12.  The fifth forgets earlier rounds and clusters hands by OCHS
(Johanson, Burch, Valenzano & Bowling 2013), and the last one trains the same buckets against an opponent who responds
best on the river; it is the ``blueprint`` of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errai.abstraction.building import StageCallback, build_abstraction
from errai.abstraction.file import FILE_NAME
from errai.abstraction.plan import AbstractionPlan, FeatureKind, RoundPlan
from errai.blueprints.abstractions import StoredAbstraction
from errai.blueprints.blueprint import Blueprint
from errai.blueprints.train import TrainingMethod, train
from errai.errors import SolverOptionError
from errai.games.game import Game
from errai.running.stopping import StopToken

CARDS, OPPONENTS = "cards", "opponents"
"""The folders of the buckets of a generation, and of its opponent in training."""


@dataclass(frozen=True)
class Generation:
    """One blueprint of the chain: its buckets, and how it is trained."""

    plan: AbstractionPlan
    words: str
    """What is new in it."""
    method: TrainingMethod = "pcs"
    iterations: int = 12_000
    opponents: AbstractionPlan | None = None
    """The buckets of the opponent in training; None if they are the same."""
    training: dict[str, Any] = field(default_factory=lambda: {"average_every": 4})
    """Further options of :func:`errai.blueprints.train.train`."""


def _percentiles(count: int) -> Generation:
    plan = AbstractionPlan((RoundPlan(count),) * 4, perfect=True)
    return Generation(plan, f"{count} percentiles of E[HS²] a round, within those of the round before")


def _clusters(flop: int, turn: int, river: int) -> AbstractionPlan:
    after = tuple(RoundPlan(count, FeatureKind.OCHS) for count in (flop, turn, river))
    return AbstractionPlan((RoundPlan(None), *after))


_CLUSTERS = _clusters(3000, 2000, 2000)

GENERATIONS = {
    1: _percentiles(5),
    2: _percentiles(8),
    3: _percentiles(10),
    4: _percentiles(12),
    5: Generation(_CLUSTERS, "169 hands, then 3,000, 2,000 and 2,000 clusters of OCHS; earlier rounds are forgotten"),
    6: Generation(
        _CLUSTERS,
        "the same, against an opponent who responds best on the river: the `blueprint` of the package",
        "pcs-br",
        28_208,
        _clusters(500, 300, 1),
        {"average_from": 12_982},
    ),
}


def train_generation(
    game: Game,
    number: int,
    folder: Path,
    *,
    threads: int,
    stop: StopToken | None = None,
    stage: StageCallback | None = None,
    progress: Callable[..., Any] | None = None,
    **options: Any,
) -> Blueprint:
    """Make the buckets of a generation and train it; the same call with the same folder resumes an interrupted run.

    Parameters
    ----------
    game:
        Limit hold'em, or another limit game of four rounds with the same cards.
    number:
        A key of :data:`GENERATIONS`.
    folder:
        The folder of the buckets and of the training's checkpoint.
    stage, progress:
        Told how far the buckets and the training are.
    options:
        Options of :func:`~errai.blueprints.train.train` that replace those of the generation.

    Raises
    ------
    SolverOptionError
        There is no such generation, or the game is not limit hold'em.
    StoppedError
        ``stop`` was set while the buckets were made.  A training that is stopped returns what it has.
    """
    chosen = chain(game, number)

    def buckets(plan: AbstractionPlan, name: str) -> StoredAbstraction:
        made = build_abstraction(game, plan, folder / name, threads=threads, stop=stop, progress=stage)
        return StoredAbstraction(made, folder / name / FILE_NAME, game)

    cards = buckets(chosen.plan, CARDS)
    settings: dict[str, Any] = {"bits": 6, "threshold": 0.01, "max_iterations": chosen.iterations, **chosen.training}
    if chosen.opponents is not None:
        settings["opponents"] = buckets(chosen.opponents, OPPONENTS)
    settings |= {"checkpoint": folder / "training.errai", **options}
    return train(game, cards, chosen.method, threads=threads, stop=stop, progress=progress, **settings)


def chain(game: Game, number: int) -> Generation:
    """Return a generation of the chain.  Raises :class:`SolverOptionError` if there is none, or none for the game."""
    if number not in GENERATIONS:
        raise SolverOptionError(f"There is no generation {number}; the chain has {', '.join(map(str, GENERATIONS))}.")
    cards = (game.deck.num_cards, game.num_hole_cards, tuple(game.num_board_cards))
    if not game.limit or cards != (52, 2, (0, 3, 1, 1)):
        raise SolverOptionError(f"The generations are blueprints of limit hold'em, and '{game.name}' is another game.")
    return GENERATIONS[number]
