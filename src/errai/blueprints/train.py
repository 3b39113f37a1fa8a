"""Training a blueprint: one function for all methods, with limits, checkpoints and measurements."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Unpack, get_args

import numpy as np

from errai.blueprints.abstractions import Abstraction, BeforeTheLast, ByTexture, grafted, read_abstraction
from errai.blueprints.blueprint import Blueprint, check_form, find_blueprint
from errai.blueprints.sampled import ChanceSampling, ExternalSampling, Grafting, SampledCfrBr
from errai.blueprints.solver import BucketSolver, CfrBr, FullWidth, SampledSolver, WholeGame, table_entries, whole_game
from errai.console import bytes_text
from errai.engine.loop import ProgressCallback
from errai.engine.request import Checkpointing, check_subject, checked
from errai.engine.resources import allowed_memory, default_threads
from errai.engine.schedules import checked_average_from
from errai.errors import InputError, SolverOptionError, TreeTooLargeError
from errai.games.game import Game
from errai.kernels.buckets import BucketTree
from errai.options import Returned, TrainOptions, takes
from errai.running.stopping import StopToken
from errai.solutions.checkpoints import run_progress
from errai.solutions.subjects import menu_of
from errai.store.checkpoint import load_checkpoint, restore_previous, save_checkpoint
from errai.tree.public_tree import PublicTree, TreePlan, plan_public_tree

TrainingMethod = Literal["pcs", "pcs-br", "es", "full", "cfr-br"]
"""The methods of :func:`train`."""

Weighting = Literal["cfr", "cfr+", "linear", "dcfr", "dcfr4", "dcfr4+"]
"""How iterations of :func:`train` may count; methods that draw take the first three."""

METHODS: tuple[TrainingMethod, ...] = get_args(TrainingMethod)
SAMPLED: dict[str, Callable[..., SampledSolver]]
SAMPLED = {"pcs": ChanceSampling, "pcs-br": SampledCfrBr, "es": ExternalSampling}
"""The methods that draw cards; the others walk all boards."""
MEASURABLE_CLASSES = 3_000_000
"""By default, games with up to this many hand classes on all boards are measured exactly."""

BOARD_BYTES = 110
"""Measured memory of one hand class on one board with its bucket, approximately."""


@dataclass(frozen=True)
class TrainingPlan:
    """What a training run takes, computed before anything large is allocated."""

    plan: TreePlan
    abstraction: Abstraction
    method: str
    entries: int
    """Number of (decision, action, bucket) triples of both players."""
    memory_bytes: int
    opponents: Abstraction | None = None
    """The opponent's buckets, if they are different."""

    def check_memory(self, memory: int | None) -> None:
        """Raise :class:`TreeTooLargeError` if it is more than allowed, by default nine tenths of the free memory."""
        allowed = allowed_memory(memory)
        if allowed is not None and self.memory_bytes > allowed:
            raise TreeTooLargeError(
                f"The tables have {self.entries:,} entries and need about {bytes_text(self.memory_bytes)}; "
                f"{bytes_text(allowed)} are there. Fewer buckets on the last street help most; the methods pcs and "
                "es keep no boards in memory."
            )


def plan_training(
    game: Game,
    abstraction: Abstraction,
    method: str = "pcs",
    *,
    opponents: Abstraction | None = None,
    menu: str | None = None,
    dtype: type[np.floating] = np.float32,
) -> TrainingPlan:
    """Return what a training run takes.  Raises :class:`SolverOptionError` for an unknown method."""
    if method not in METHODS:
        raise SolverOptionError(f"There is no method {method!r}; choose one of {', '.join(METHODS)}.")
    plan = plan_public_tree(game, menu=menu_of(game, menu))
    entries = table_entries(plan, abstraction)
    held = entries * (3 if method in ("full", "cfr-br") else 2)
    theirs = ByTexture(opponents or abstraction) if method == "pcs-br" else None
    if theirs is not None:
        held += table_entries(plan, BeforeTheLast(theirs))
    needed = held * np.dtype(dtype).itemsize
    if method in ("full", "cfr-br"):
        needed += sum(BOARD_BYTES * classes[0] for classes in plan.deal_size.classes)
        # This is for the values passed up where the lines are divided, and for the opponent's responses.
        needed += plan.entries * 2 if method == "cfr-br" else 0
    return TrainingPlan(plan, abstraction, method, entries, needed, theirs)


@takes(TrainOptions)
def train(
    game: Game,
    abstraction: Abstraction | str,
    method: TrainingMethod = "pcs",
    *,
    prune_below_chips: float | None = None,
    precision: Literal["float32", "float64"] = "float32",
    strategy: Returned = "average",
    bits: int = 8,
    threshold: float = 0.0,
    measure: Callable[[Blueprint], Any] | bool | None = None,
    stop: StopToken | None = None,
    progress: ProgressCallback | None = None,
    **options: Unpack[TrainOptions],
) -> Blueprint:
    """Solve a game over buckets until a limit is reached, and return the strategy.

    Parameters
    ----------
    game:
        The rules.
    abstraction:
        The buckets, or a text for :func:`~errai.blueprints.abstractions.read_abstraction`.
    method:
        ``pcs`` is public chance sampling.  ``pcs-br`` is the same against an opponent who responds best on the last
        street and whose buckets are divided by board texture before it.  ``es`` is external sampling.  ``full`` walks
        all boards at every iteration.  ``cfr-br`` does so against an opponent who responds best without abstraction.
        The last two hold all boards in memory.
    prune_below_chips:
        For es only: most walks skip own actions whose mean regret is below this negative number.
    precision:
        ``float32`` or ``float64``.
    strategy:
        The strategy that is returned, ``average`` or ``current``.
    bits, threshold:
        As for :meth:`~errai.blueprints.blueprint.Blueprint.of`.
    measure:
        True measures exact exploitability during the run, in games that are small enough; the default None does so too;
        False never measures.  A function is called with the blueprint so far and returns a
        :class:`~errai.engine.units.Measurement`.
    stop:
        As for :func:`errai.solve`.
    progress:
        Called with a :class:`~errai.engine.loop.Progress` after every batch.
    {options}

    One of ``max_iterations`` and ``seconds`` must be given.  A resumed run ends with the same bytes as one that was not
    interrupted.

    Raises
    ------
    SolverOptionError, InputError, TreeTooLargeError
        The request is invalid; nothing has been computed.
    MismatchError, DamagedFileError
        The checkpoint belongs to another run, or is not intact.

    Examples
    --------
    >>> import errai
    >>> blueprint = errai.train(errai.load_game("leduc"), "identity", "full", max_iterations=1000)
    >>> errai.exploitability(errai.load_game("leduc"), blueprint).mbb < 20
    True
    """
    check_subject(game, "What is trained")
    if game.whole_game is None:
        raise InputError(f"Only a whole game can be trained, not {game!r:.60}; solve a spot with errai.solve.")
    asked: TrainOptions = checked(options, TrainOptions)
    max_iterations, menu, seed = asked["max_iterations"], asked["menu"], asked["seed"]
    if max_iterations is None and asked["seconds"] is None:
        raise SolverOptionError("Say how long to train: give seconds or max_iterations.")
    if precision not in ("float32", "float64"):
        raise SolverOptionError(f"The precision must be float32 or float64, not {precision!r}.")
    if strategy not in ("average", "current"):
        raise SolverOptionError(f"The strategy must be 'average' or 'current', not {strategy!r}.")
    if prune_below_chips is not None and method != "es":
        raise SolverOptionError(f"prune_below_chips is for the method es alone, not for {method}.")
    if asked["average_every"] != 1 and method != "pcs":
        raise SolverOptionError(f"average_every is for the method pcs alone, not for {method}.")
    if asked["opponents"] is not None and method != "pcs-br":
        raise SolverOptionError(f"opponents is for the method pcs-br alone, not for {method}.")
    checked_average_from(asked["average_from"], max_iterations)
    text = abstraction if isinstance(abstraction, str) else ""
    buckets = read_abstraction(abstraction, game) if isinstance(abstraction, str) else abstraction
    theirs = asked["opponents"]
    if isinstance(theirs, str):
        theirs = read_abstraction(theirs, game)
    base = asked["graft"]
    if base is not None:
        if method != "pcs" or theirs is not None or asked["average_every"] != 1:
            raise SolverOptionError("graft is for the method pcs, with every iteration in the average.")
        base = grafted_base(base, game, menu)
        buckets = grafted(base.abstraction, buckets)
    threads = asked["threads"] or default_threads()
    dtype = np.float32 if precision == "float32" else np.float64
    training = plan_training(game, buckets, method, opponents=theirs, menu=menu, dtype=dtype)
    if base is not None:
        training = replace(training, memory_bytes=training.memory_bytes * 3 // 2)  # the opponent's regrets, too
    training.check_memory(asked["memory"])
    saving = Checkpointing.of(asked["checkpoint"], asked["checkpoint_seconds"], asked["resume"])
    check_form(bits, threshold)

    own: dict[str, dict[str, Any]] = {
        "pcs": {"average_every": asked["average_every"]},
        "pcs-br": {"opponents": training.opponents},
        "es": {"prune_below_chips": prune_below_chips},
    }
    shared: dict[str, Any] = {"dtype": dtype, "threads": threads, "average_from": asked["average_from"]}
    weights: str | None = asked["weights"]
    solver: BucketSolver
    boards: tuple[PublicTree, BucketTree] | None = None
    if method in SAMPLED:
        drawn = {"weights": weights or "linear", "seed": seed, **own[method]}
        if base is None:
            solver = SAMPLED[method](training.plan, buckets, **drawn, **shared)
        else:
            kept: dict[str, Any] = {"base": base.weights(dtype), "based_on": blueprint_digest(base)}
            solver = Grafting(training.plan, buckets, weights=weights or "linear", seed=seed, **kept, **shared)
    else:
        boards = whole_game(training.plan, buckets)
        kind, default = (FullWidth, "dcfr4") if method == "full" else (CfrBr, "linear")
        solver = kind(boards[0], buckets, weights or default, boards=boards[1], **shared)
    identity = {**solver.identity, "menu": menu, "precision": precision}
    if saving.resumed_from is not None:
        _resume(solver, saving.resumed_from, identity)

    def save() -> None:
        if saving.path is not None:
            facts = {"iteration": solver.iteration, "seconds": solver.seconds, "curve": [list(c) for c in solver.curve]}
            save_checkpoint(saving.path, {**identity, **facts}, solver.arrays())

    def made() -> Blueprint:
        kind = strategy if solver.averaged else "current"
        facts = {
            "method": solver.method,
            "iterations": solver.iteration,
            "seconds": solver.seconds,
            "seed": seed,
            "strategy": kind,
            "curve": [list(point) for point in solver.curve],
            "memory_bytes": training.memory_bytes,
            "identity": {key: value for key, value in identity.items() if isinstance(value, str | int | float)},
        }
        source = solver.sums if kind == "average" else solver.regrets
        return Blueprint.of(
            game, menu, training.plan.betting, buckets, text, source, bits=bits, threshold=threshold, facts=facts
        )

    classes = sum(c[0] for c in training.plan.deal_size.classes)
    exact = measure if isinstance(measure, bool) else measure is None and classes <= MEASURABLE_CLASSES
    whole = WholeGame(*(boards or whole_game(training.plan, buckets)), threads) if exact else None

    def measured(_: BucketSolver) -> Any:
        if callable(measure):
            return measure(made())
        return None if whole is None else whole.exploitability(solver.sums if strategy == "average" else solver.regrets)

    status = solver.run(
        max_iterations=max_iterations,
        max_seconds=asked["seconds"],
        measure=measured if exact or callable(measure) else None,
        stop=stop,
        progress=progress,
        between=saving.between(save),
    )
    save()
    result = made()
    result.facts["status"] = status
    return result


def grafted_base(given: Any, game: Game, menu: str | None) -> Blueprint:
    """Return the blueprint onto which something is grafted: it, or that in a file, or of the package.

    Raises :class:`SolverOptionError` if there is none, or it is of another game or other bets.
    """
    found = find_blueprint(given) if isinstance(given, str | Path) else given
    if not isinstance(found, Blueprint):
        raise SolverOptionError(f"{given!r:.80} is no blueprint to graft onto; give a file of one, or its name.")
    if found.game.digest() != game.digest() or found.menu != menu:
        raise SolverOptionError(
            f"The blueprint to graft onto is one of '{found.game.name}' with the menu {found.menu!r}; train that game "
            "with the same menu."
        )
    return found


def blueprint_digest(blueprint: Blueprint) -> str:
    """Return a digest of a blueprint's probabilities on the first street and of its buckets."""
    total = hashlib.sha256(blueprint.abstraction.digest().encode())
    for table in blueprint.steps[0]:
        total.update(np.ascontiguousarray(table).tobytes())
    return total.hexdigest()


def _resume(solver: BucketSolver, path: Path, identity: dict[str, Any]) -> None:
    held = load_checkpoint(path)
    held.metadata.setdefault("average_from", 1)  # Earlier versions had no such option in most methods.
    held.require(identity)
    held.require_arrays(solver.arrays())
    solver.adopt(held.arrays, *run_progress(held.path, held.metadata))
    if held.fallback_reason is not None:
        restore_previous(path)
