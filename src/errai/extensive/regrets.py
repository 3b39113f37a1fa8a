"""Counterfactual regret minimisation over games that are written out, in vectors over the blocks of a player.

The updates are those of :mod:`errai.kernels.reference`, with the coefficients of :mod:`errai.engine.schedules`: with
perfect recall the counterfactual values of an information set are the entries of the gradient at its sequences, once
the values of the sets below have been added (Zinkevich et al. 2007; Farina, Kroer and Sandholm 2019).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from errai.engine.bounds import weights_of
from errai.engine.own_schedules import ROW_SUM_TOLERANCE
from errai.engine.schedules import Schedule
from errai.errors import SolverOptionError
from errai.extensive import _steps
from errai.extensive.game import Block, ExtensiveGame, Floats, Integers
from errai.extensive.method import Method
from errai.kernels.protocol import matched
from errai.own_code import faults_named, numbers_of


class RegretMinimisation(Method):
    """A variant of CFR, or a local rule of one's own, as the schedule says.

    :meth:`step` is the definition, in NumPy.  :meth:`advance` makes the same iterations in native code where it can.
    """

    def __init__(self, game: ExtensiveGame, schedule: Schedule) -> None:
        super().__init__(game)
        self.schedule = schedule
        sizes = [d.num_sequences for d in game.decisions]
        self.regrets = [np.zeros(size) for size in sizes]
        """What has been learnt: regrets, or the state of a local rule."""
        self.sums = [np.zeros(size) for size in sizes]
        """The weighted sum of the plans, or of strategies if reach does not weight them."""
        self.predicted = [np.zeros(size) for size in sizes] if schedule.predictive and schedule.rule is None else None
        if schedule.rule is not None:
            self._now = [self._asked_strategies(p, 1) for p in range(game.num_players)]
        self._plans = [d.plan_of(b) for d, b in zip(game.decisions, self._now, strict=True)]

    @property
    def current(self) -> list[Floats]:
        return self._now

    @property
    def average(self) -> list[Floats]:
        return [d.behaviour_of(sums) for d, sums in zip(self.game.decisions, self.sums, strict=True)]

    def step(self) -> None:
        row = self.schedule.coefficients(self.iteration + 1, 1)[0].tolist()
        plans = list(self._plans) if self.schedule.simultaneous else self._plans
        for player in range(self.game.num_players):
            self._learn(player, self.gradient(player, plans), row)
        self.iteration += 1

    def advance(self, steps: int) -> None:
        if self._listed is None:
            super().advance(steps)
            return
        _steps.iterate(
            *self._listed,
            self.regrets,
            self.sums,
            self.predicted or [],
            self._now,
            self._plans,
            np.ascontiguousarray(self.schedule.coefficients(self.iteration + 1, steps)),
            self.schedule.weighted,
            self.schedule.simultaneous,
        )
        self.iteration += steps
        self.gradients += steps * self.game.num_players

    def regret_bound(self) -> float | None:
        """Return a bound on the exploitability of ``average`` that follows from the regrets (docs/maths.md, section 4).

        None if they promise nothing: with more than two players or payoffs that do not sum to 0, and for schedules of
        which :func:`errai.engine.bounds.weights_of` says so.
        """
        weights = weights_of(self.schedule, self.iteration)
        if weights is None or self.game.num_players != 2 or not self.game.is_zero_sum:
            return None
        blocks = (
            (block, regrets) for d, regrets in zip(self.game.decisions, self.regrets, strict=True) for block in d.blocks
        )
        total = sum(float(np.maximum(block.of(regrets).max(axis=0), 0.0).sum()) for block, regrets in blocks)
        late = 0.0 if self.schedule.simultaneous else self.game.span * weights.last
        return (weights.factor * total + late) / 2.0

    @cached_property
    def _listed(self) -> tuple[Integers, Floats, list[Integers], list[Integers]] | None:
        """The game as the native code takes it; None if it cannot, because of a rule of one's own or merged hands."""
        if self.schedule.rule is not None or self.game.num_ends != len(self.game.ends):
            return None
        blocks = [
            np.array([(b.first, b.num_actions, b.num_sets) for b in d.blocks], np.int64).reshape(-1, 3)
            for d in self.game.decisions
        ]
        leading = [np.concatenate([np.zeros(0, np.int64), *(b.leading for b in d.blocks)]) for d in self.game.decisions]
        return np.ascontiguousarray(self.game.ends.T), np.ascontiguousarray(self.game.payoffs.T), blocks, leading

    def _learn(self, player: int, values: Floats, row: list[float]) -> None:
        positive, negative, average, weight, prediction, _, foresight, _ = row
        decisions, rule = self.game.decisions[player], self.schedule.rule
        now, plan = self._now[player], self._plans[player]
        regrets, sums = self.regrets[player], self.sums[player]
        following = np.ones_like(now)
        for block in reversed(decisions.blocks):
            here, played = block.of(values), block.of(now)
            value = (played * here).sum(axis=0)
            reach: Any = plan[block.leading] if self.schedule.weighted else 1.0
            kept = block.of(regrets)
            if rule is not None:
                kept[...], block.of(following)[...] = self._ruled(player, block, kept, here, played)
                learnt = value
            else:
                gain = here - value
                kept += gain
                kept *= np.where(kept > 0.0, positive, negative)
                source = kept
                if self.predicted is not None:
                    source = block.of(self.predicted[player])
                    np.add(kept, prediction * gain, out=source)
                block.of(following)[...] = matched(source)
                ahead = (block.of(following) * here).sum(axis=0)
                foreseen = np.where((source > 0.0).any(axis=0), ahead, value)
                learnt = value + foresight * (foreseen - value) if foresight else value
            total = block.of(sums)
            total *= average
            total += weight * played * reach
            np.add.at(values, block.leading, learnt)
        self._now[player] = following
        self._plans[player] = decisions.plan_of(following)

    # --- local rules -------------------------------------------------------------------------------------------------

    def _ruled(self, player: int, block: Block, state: Floats, values: Floats, played: Floats) -> tuple[Floats, Floats]:
        """Return the state of a block by the local rule, and the strategy that follows."""
        number = self.iteration + 1
        new = self._asked(player, block, "update", "states", state.copy(), values.copy(), played.copy(), number)
        return new, self._strategy(player, block, new, number + 1)

    def _asked_strategies(self, player: int, iteration: int) -> Floats:
        decisions = self.game.decisions[player]
        found = np.ones(decisions.num_sequences)
        for block in decisions.blocks:
            block.of(found)[...] = self._strategy(player, block, block.of(self.regrets[player]), iteration)
        return found

    def _strategy(self, player: int, block: Block, state: Floats, iteration: int) -> Floats:
        found = self._asked(player, block, "strategy", "strategies", state.copy(), iteration, low=0.0)
        total = found.sum(axis=0)
        if (off := np.abs(total - 1.0)).max() > ROW_SUM_TOLERANCE:
            at = int(off.argmax())
            raise SolverOptionError(
                f"The strategies of the rule {self.schedule.name!r} sum to {total[at]:g} "
                f"{self._place(player, block, iteration)(0, at)}; the probabilities of each set must sum to 1."
            )
        return np.asarray(found / total)

    def _asked(self, player: int, block: Block, verb: str, what: str, *arguments: Any, low: float = -np.inf) -> Floats:
        place = self._place(player, block, arguments[-1])
        subject = f"The {what} of the rule {self.schedule.name!r}"
        with faults_named(subject, SolverOptionError, place):
            given = getattr(self.schedule.rule, verb)(*arguments)
        return numbers_of(given, subject, arguments[0].shape, low=low, place=place, error=SolverOptionError)

    def _place(self, player: int, block: Block, iteration: int) -> Any:
        def place(action: int | None = None, at: int | None = None) -> str:
            where = f"at iteration {iteration:,}, player {player}"
            if at is not None and self.game.names:
                where += f", information set {self.game.names[player][block.first_set + at]!r:.80}"
            return where if action is None else f"{where}, action {action}"

        return place
