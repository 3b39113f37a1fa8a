"""Training of networks: PyTorch, on processors, with the same bits from the same seed on the same machine.

Adam with decoupled weight decay (Loshchilov & Hutter 2019) minimises the Huber loss in DeepStack's unit, with a rate
that rises for a few steps and then falls along half a cosine.  Deep positions have by far the greatest losses and would
dominate the training, so a position counts less the more is left to bet.  The network that is evaluated and kept has
the moving average of the weights over the last steps (Polyak & Juditsky 1992), from the epoch with the least loss on
held-out positions.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from errai.errors import InputError, MismatchError
from errai.games.game import Game
from errai.nets.networks.architecture import Architecture, Arrays
from errai.nets.positions import Floats
from errai.nets.quality.losses import UNIT, position_losses
from errai.nets.training.rows import Batch, Rows
from errai.options import NetTrainOptions, defaults
from errai.running.stopping import StopToken, stops
from errai.store.checkpoint import load_checkpoint, save_checkpoint

WARM_UP = 100, 0.05
"""The rate rises to its greatest value over this many steps, or over this part of the training if that is shorter."""

LEAST_RATE = 0.01
"""The last rate, as a part of the greatest."""

GREATEST_GRADIENT = 1.0
"""Norm to which longer gradients are clipped."""

NO_MEMORY = ("bad_alloc", "allocate memory", "out of memory")
"""What PyTorch's errors say where there is no memory."""

_LOOKED_AT_ONCE = 64


_DEFAULTS = defaults(NetTrainOptions)


@dataclass(frozen=True)
class TrainingOptions:
    """How a network is trained; a number that training does not accept raises :class:`InputError`."""

    epochs: int = _DEFAULTS["epochs"]
    """The greatest number of passes over all positions."""
    minutes: float | None = _DEFAULTS["minutes"]
    """Time limit; the rate then falls with the time where that is faster, so such runs cannot be reproduced."""
    seed: int = _DEFAULTS["seed"]
    rate: float = 2e-3
    """The greatest of Adam's rates."""
    batch: int = 8
    """Positions per step."""
    weight_decay: float = 1e-2
    averaged: float = 0.995
    """The share of the averaged weights that is kept in each step."""
    emphasis: float = 0.5
    """Positions with s pots to bet have the weight (s + 1/2) to the power of minus this; 0 weights all alike."""
    held: float = 0.0
    """The share of the loss that weights hands by their player's range; the rest weights all hands alike."""
    threads: int = _DEFAULTS["threads"]

    def __post_init__(self) -> None:
        whole = self.epochs, self.batch, self.threads
        if any(type(number) is not int for number in whole):
            raise InputError(f"epochs, batch and threads must be whole numbers, not {whole}.")
        if min(whole) < 1 or self.seed < 0 or not self.rate > 0.0:
            raise InputError("epochs, batch and threads must be at least 1, seed at least 0, and rate above 0.")
        if self.minutes is not None and not self.minutes > 0.0:
            raise InputError(f"The time limit of training must be above 0 minutes, not {self.minutes:g}.")
        if not 0.0 <= self.averaged < 1.0 or self.weight_decay < 0.0:
            raise InputError("averaged must be at least 0 and less than 1, and weight_decay at least 0.")
        if not 0.0 <= self.held <= 1.0:
            raise InputError(f"held must be from 0 to 1, not {self.held:g}.")


@dataclass(frozen=True, eq=False)
class Epoch:
    """The state after some epochs."""

    number: int
    """Number from 1; 0 is the state before the first."""
    seconds: float
    """Seconds since training began, summed over all processes if it was resumed."""
    trained: float
    """The mean weighted loss of the positions during training; NaN before the first epoch."""
    held_out: NDArray[np.float64]
    """float64[N]: the loss of each held-out position."""
    weighted: float
    """Their mean, weighted as in training; the best epoch has the least."""


@dataclass(eq=False)
class Outcome:
    """A trained network, from its best epoch."""

    weights: dict[str, np.ndarray]
    """The weights, including the arrays of `Architecture.fixed`."""
    best: Epoch
    curve: list[Epoch]
    interrupted: bool
    """Whether training was told to stop."""
    seconds: float


def train(
    kind: Architecture,
    game: Game,
    round_index: int,
    rows: Rows,
    held_out: Rows,
    options: TrainingOptions,
    *,
    fixed: Arrays | None = None,
    start: Arrays | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    stop: StopToken | None = None,
    progress: Callable[[Epoch], None] | None = None,
) -> Outcome:
    """Train a network.

    Parameters
    ----------
    rows, held_out:
        Positions to train on, and others on which the epochs are compared.
    fixed:
        The result of `Architecture.fixed` with which the rows were prepared.
    start:
        Weights to start from; by default they are drawn.
    checkpoint:
        A file that is written after every epoch.
    resume:
        Resume from the checkpoint.
    stop:
        Stops training after the current step; the best epoch is returned.
    progress:
        Called before the first epoch and after each.

    Raises
    ------
    MismatchError
        The checkpoint belongs to another training; or ``start`` has other shapes.
    ArtefactError
        The checkpoint cannot be read or written.
    MemoryError
        PyTorch got no memory.
    """
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(options.threads)
    torch.use_deterministic_algorithms(True)
    try:
        run = _Run(kind, game, round_index, rows, held_out, options, start)
        if resume:
            assert checkpoint is not None
            run.adopt(checkpoint)
        else:
            run.look(0, math.nan, progress)
        curve = run.curve
        while len(curve) <= options.epochs and not stops(stop) and run.part() < 1.0:
            trained = run.epoch(len(curve), stop)
            if stops(stop):
                break
            run.look(len(curve), trained, progress)
            if checkpoint is not None:
                run.save(checkpoint)
        best = min(curve, key=lambda epoch: epoch.weighted)
        return Outcome({**run.best, **(fixed or {})}, best, curve, stops(stop), time.monotonic() - run.since)
    except RuntimeError as error:
        # PyTorch has no other type for this.
        if any(words in str(error) for words in NO_MEMORY):
            raise MemoryError(str(error)) from error
        raise
    finally:
        torch.set_num_threads(before[0])
        torch.use_deterministic_algorithms(before[1])


@dataclass(eq=False)
class _Run:
    kind: Architecture
    game: Game
    round_index: int
    rows: Rows
    held_out: Rows
    options: TrainingOptions
    start: Arrays | None
    curve: list[Epoch] = field(default_factory=list)
    best: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        torch.manual_seed(self.options.seed)
        self.module = self.kind.module(self.game, self.round_index)
        if self.start is not None:
            shapes = {name: tensor.shape for name, tensor in self.module.state_dict().items()}
            if any(name not in self.start or self.start[name].shape != shape for name, shape in shapes.items()):
                raise MismatchError("The network to start from has other shapes than the one to be trained.")
            _load(self.module, {name: self.start[name] for name in shapes})
        # Biases are not decayed: only matrices are.
        parameters = list(self.module.parameters())
        groups = [
            {"params": [p for p in parameters if p.dim() > 1], "weight_decay": self.options.weight_decay},
            {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0.0},
        ]
        self.adam = torch.optim.AdamW(groups, lr=self.options.rate)
        self.average = {name: tensor.detach().clone() for name, tensor in self.module.state_dict().items()}
        self.counts = self._counts(self.rows)
        self.counts /= self.counts.mean()
        self.since = time.monotonic()
        """When training began; where it is resumed, as if it had gone on without a break."""
        self.steps = 0

    def epoch(self, number: int, stop: StopToken | None) -> float:
        """Return the mean loss of an epoch's steps; ends early when told to stop or out of time."""
        torch.manual_seed(self.options.seed * 1_000_003 + number)
        order = np.random.default_rng([self.options.seed, number]).permutation(len(self.rows))
        self.module.train()
        losses = []
        for first in range(0, len(order), self.options.batch):
            if stops(stop) or self.part() >= 1.0:
                break
            numbers = np.sort(order[first : first + self.options.batch])
            batch = self.rows.batch(numbers)
            found = self.module(_tensors(batch.board), _tensors(batch.inputs))
            errors = UNIT * (found - torch.from_numpy(batch.values))
            each = torch.nn.functional.huber_loss(errors, torch.zeros_like(errors), reduction="none")
            each = (each * torch.from_numpy(self._of_hands(batch))).mean(dim=(1, 2))
            loss = (each * torch.from_numpy(self.counts[numbers])).mean()
            self.adam.zero_grad()
            torch.autograd.backward(loss)
            torch.nn.utils.clip_grad_norm_(self.module.parameters(), GREATEST_GRADIENT)
            for group in self.adam.param_groups:
                group["lr"] = self._rate()
            self.adam.step()
            self.steps += 1
            # Early on the average covers all steps, so that it forgets the initial weights.
            kept = min(self.options.averaged, self.steps / (self.steps + 9.0))
            for name, tensor in self.module.state_dict().items():
                self.average[name].lerp_(tensor, 1.0 - kept)
            losses.append(float(loss.detach()))
        return float(np.mean(losses)) if losses else math.nan

    def part(self) -> float:
        """Return the share of the training that is done, from 0 to 1."""
        whole = self.options.epochs * math.ceil(len(self.rows) / self.options.batch)
        part = self.steps / whole
        if self.options.minutes is not None:
            part = max(part, (time.monotonic() - self.since) / (60.0 * self.options.minutes))
        return part

    def _rate(self) -> float:
        part = self.part()
        falling = LEAST_RATE + (1.0 - LEAST_RATE) * 0.5 * (1.0 + math.cos(math.pi * min(part, 1.0)))
        return self.options.rate * falling * min(1.0, max((self.steps + 1) / WARM_UP[0], part / WARM_UP[1]))

    def look(self, number: int, trained: float, progress: Callable[[Epoch], None] | None) -> None:
        """Evaluate the averaged weights on the held-out positions."""
        weights = {name: tensor.clone() for name, tensor in self.module.state_dict().items()}
        self.module.load_state_dict(self.average)
        each, as_trained = self._losses()
        self.module.load_state_dict(weights)
        weighted = float(np.average(as_trained, weights=self._counts(self.held_out)))
        epoch = Epoch(number, time.monotonic() - self.since, trained, each, weighted)
        if not self.curve or weighted < min(past.weighted for past in self.curve):
            self.best = {name: tensor.numpy().copy() for name, tensor in self.average.items()}
        self.curve.append(epoch)
        if progress is not None:
            progress(epoch)

    def _of_hands(self, batch: Batch) -> Floats:
        """float32[B, P, L]: how much each hand counts, 1 in the mean of a player's hands."""
        ranges = batch.ranges.astype(np.float32)
        return (1.0 - self.options.held) + self.options.held * ranges.shape[2] * ranges

    def _losses(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the held-out positions' losses with all hands alike, and with the weights of the training."""
        self.module.eval()
        alike, as_trained = [], []
        with torch.no_grad():
            for first in range(0, len(self.held_out), _LOOKED_AT_ONCE):
                batch = self.held_out.batch(range(first, min(first + _LOOKED_AT_ONCE, len(self.held_out))))
                found = self.module(_tensors(batch.board), _tensors(batch.inputs)).numpy()
                weights = self._of_hands(batch) / batch.ranges.shape[2]
                alike.append(position_losses(found, batch.values))
                as_trained.append(position_losses(found, batch.values, weights))
        return np.concatenate(alike), np.concatenate(as_trained)

    def _counts(self, rows: Rows) -> NDArray[np.float32]:
        return np.asarray((rows.stacks + 0.5) ** -self.options.emphasis, dtype=np.float32)

    # --- checkpoints -------------------------------------------------------------------------------------------------

    def _identity(self) -> dict[str, Any]:
        told = {
            name: getattr(self.options, name) for name in ("seed", "rate", "batch", "weight_decay", "emphasis", "held")
        }
        return {
            "architecture": self.kind.name,
            "configuration": self.kind.configuration(),
            "game": self.game.digest(),
            "round": self.round_index,
            "positions": [len(self.rows), len(self.held_out)],
            **told,
        }

    def save(self, path: Path) -> None:
        """Write a checkpoint."""
        arrays: dict[str, np.ndarray] = {}
        for name, tensor in self.module.state_dict().items():
            arrays[f"weights/{name}"] = tensor.numpy()
            arrays[f"average/{name}"] = self.average[name].numpy()
            arrays[f"best/{name}"] = self.best[name]
        for number, moments in self.adam.state_dict()["state"].items():
            for name, tensor in moments.items():
                arrays[f"adam/{number}/{name}"] = np.atleast_1d(tensor.numpy())
        arrays["held out"] = np.stack([epoch.held_out for epoch in self.curve])
        curve = [
            [epoch.seconds, None if math.isnan(epoch.trained) else epoch.trained, epoch.weighted]
            for epoch in self.curve
        ]
        seconds = time.monotonic() - self.since
        metadata = {**self._identity(), "curve": curve, "steps": self.steps, "seconds": seconds}
        save_checkpoint(path, metadata, arrays, keep_previous=False)

    def adopt(self, path: Path) -> None:
        """Resume from a checkpoint."""
        found = load_checkpoint(path)
        found.require(self._identity())
        parts: dict[str, dict[str, np.ndarray]] = {"weights": {}, "average": {}, "best": {}, "adam": {}}
        for name, array in found.arrays.items():
            part, _, rest = name.partition("/")
            parts.setdefault(part, {})[rest] = array
        _load(self.module, parts["weights"])
        self.average = {name: torch.from_numpy(array) for name, array in parts["average"].items()}
        self.best = parts["best"]
        state = self.adam.state_dict()
        moments: dict[int, dict[str, Tensor]] = {}
        for name, array in parts["adam"].items():
            number, _, what = name.partition("/")
            moments.setdefault(int(number), {})[what] = torch.from_numpy(array)
        for each in moments.values():
            each["step"] = each["step"].reshape(())
        state["state"] = moments
        self.adam.load_state_dict(state)
        self.steps = int(found.metadata["steps"])
        self.since = time.monotonic() - float(found.metadata["seconds"])
        past = zip(found.metadata["curve"], found.arrays["held out"], strict=True)
        for epoch, ((seconds, trained, weighted), losses) in enumerate(past):
            self.curve.append(Epoch(epoch, seconds, math.nan if trained is None else trained, losses, weighted))


def _load(module: torch.nn.Module, weights: Arrays) -> None:
    module.load_state_dict({name: torch.from_numpy(np.array(array)) for name, array in weights.items()})


def _tensors(arrays: Arrays) -> dict[str, Tensor]:
    """Tensors of arrays; float16 is converted to float32."""
    found: dict[str, Tensor] = {}
    for name, array in arrays.items():
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        found[name] = tensor.float() if tensor.dtype == torch.float16 else tensor
    return found
