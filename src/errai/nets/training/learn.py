"""From examples to a network with its card: prepared, trained, rounded, and compared with untrained predictors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import InputError, MismatchError
from errai.games.game import Game
from errai.nets.examples.dataset import Examples
from errai.nets.examples.situations import STRATA, Stratum
from errai.nets.network import Network, make_net
from errai.nets.networks.architecture import Architecture
from errai.nets.positions import Floats, Predictor
from errai.nets.predictors import CheckDown, Zero
from errai.nets.quality.losses import losses_by_stratum, position_losses
from errai.nets.training.loop import Epoch, Outcome, TrainingOptions, train
from errai.nets.training.rows import prepared_rows
from errai.running.stopping import StopToken

SUMMARIES = (Stratum("up to 20", 0.0001, 20.0, 0.0), Stratum("all", 0.0001, 1e9, 0.0))
"""Further groups of positions for which losses are stated."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """A trained network and how it came about."""

    net: Network
    outcome: Outcome
    table: list[dict[str, Any]]
    """For each stratum and summary: its name, positions, and the held-out losses ``net``, ``check_down`` and ``zero``
    with all hands weighted alike; ``net_held`` is the network's loss with hands weighted by their range."""


def learn(
    name: str,
    kind: Architecture,
    game: Game,
    round_index: int,
    examples: Sequence[Examples],
    held_out: Sequence[Examples],
    options: TrainingOptions,
    folder: Path,
    *,
    strata: Sequence[Stratum] = STRATA,
    data: dict[str, Any] | None = None,
    half: bool = True,
    start: Network | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    stop: StopToken | None = None,
    preparing: Callable[[int, int], None] | None = None,
    begun: Callable[[list[dict[str, Any]], Floats], None] | None = None,
    progress: Callable[[Epoch], None] | None = None,
) -> Learnt:
    """Train a network on examples.

    Parameters
    ----------
    name:
        Name of the network.
    examples, held_out:
        Sets to train on, and others of boards that are not in those.
    folder:
        Folder for prepared positions, see `errai.nets.training.rows.prepared_rows`.
    strata:
        The groups for which losses are stated.
    data:
        The card's statements about the examples.
    half:
        Round weights to float16; the losses are those of the rounded network.
    start:
        A network whose weights training starts from, of the same architecture and configuration; it may be of another
        round if its weights have the same shapes.
    preparing:
        As for `errai.nets.training.rows.prepared_rows`.
    begun:
        Called once before training with the table, in which the network's losses are still missing, and the held-out
        stacks.
    checkpoint, resume, stop, progress:
        As for `errai.nets.training.loop.train`.

    Errors are those of the functions above, and :class:`InputError` if no position is held out.
    """
    if start is not None and start.architecture != kind:
        raise MismatchError(f"The network {start.name} is of another architecture or configuration.")
    if not any(len(some) for some in held_out):
        raise InputError(
            "The data set holds out no position to measure the network with; make a few dozen positions more."
        )
    fixed = dict(kind.fixed(game, round_index, options.seed))
    if start is not None:
        fixed = {key: start.weights[key] for key in fixed}
    total = sum(len(some) for some in (*examples, *held_out))
    ready = 0

    def counted(done: int, _: int) -> None:
        if preparing is not None:
            preparing(ready + done, total)

    threads = options.threads
    aside = prepared_rows(kind, game, fixed, held_out, folder, threads=threads, stop=stop, progress=counted)
    ready = len(aside)
    rows = prepared_rows(kind, game, fixed, examples, folder, threads=threads, stop=stop, progress=counted)
    each = {"zero": _asked(Zero(game, round_index), held_out)[0]}
    each["check_down"] = _asked(CheckDown(game, round_index), held_out)[0]
    table = _table(each, aside.stacks, strata)
    if begun is not None:
        begun(table, aside.stacks)
    outcome = train(
        kind, game, round_index, rows, aside, options, fixed=fixed, start=None if start is None else start.weights,
        checkpoint=checkpoint, resume=resume, stop=stop, progress=progress,
    )  # fmt: skip
    net = make_net(name, game, round_index, kind, outcome.weights, {}, half=half)
    each["net"], each["net_held"] = _asked(net, held_out)
    table = _table(each, aside.stacks, strata)
    facts = {
        "data": {"positions": len(rows), "held_out": len(aside), **(data or {})},
        "training": {
            **asdict(options),
            "from": None if start is None else start.digest,
            "epoch": outcome.best.number,
            "epochs_done": outcome.curve[-1].number,
            "seconds": round(outcome.seconds, 1),
        },
        "losses": {
            "unit": "Huber, delta 1, of values in what one player has put in; mean over hands and players, held out",
            "held": "net_held weighs hands by their player's range",
            "strata": table,
        },
    }
    return Learnt(make_net(name, game, round_index, kind, outcome.weights, facts, half=half), outcome, table)


def _asked(net: Predictor, examples: Sequence[Examples]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """float64[N] twice: a network's loss at each position, with equal weights of hands, and with their range's."""
    losses, held = [], []
    for some in examples:
        at = some.positions
        for i in range(len(some)):
            on = net.on(tuple(int(card) for card in at.boards[i]))
            ranges = at.ranges[i : i + 1][:, :, on.hands]
            found, values = on.values(ranges, at.stacks[i : i + 1]), some.values[i : i + 1][:, :, on.hands]
            losses.append(position_losses(found, values))
            held.append(position_losses(found, values, ranges))
    return np.concatenate(losses), np.concatenate(held)


def _table(each: dict[str, Any], stacks: Floats, strata: Sequence[Stratum]) -> list[dict[str, Any]]:
    columns = {
        key: [
            row for some in (strata, *([one] for one in SUMMARIES)) for row in losses_by_stratum(losses, stacks, some)
        ]
        for key, losses in each.items()
    }
    first = next(iter(columns.values()))
    return [
        {"name": row.name, "positions": row.positions}
        | {key: float(f"{of[i].loss:.4g}") for key, of in columns.items()}
        for i, row in enumerate(first)
    ]
