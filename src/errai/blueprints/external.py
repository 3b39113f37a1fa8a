"""External sampling: a walk has one deal of cards, all actions of one player and one sampled action of the other.

Lanctot, Waugh, Zinkevich & Bowling, "Monte Carlo sampling for regret minimization in extensive games" (NIPS 2009).
Walks of a batch read the tables as they were before the batch, and their updates are added in the order of the deals,
so results do not depend on threads.

Regret-based pruning is as Brown & Sandholm used it in Pluribus (2019): in 19 of 20 walks, own actions with very
negative regret are skipped unless they end the hand.  The other walks take all actions, so no action is lost for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import comb, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.solver import SampledSolver, Weights
from errai.cards.hands import hand_index
from errai.cards.strength import HandRanking, strength
from errai.errors import SolverOptionError
from errai.kernels import _cpu
from errai.kernels.layout import FOLD, SHOWDOWN
from errai.running.recent import Recent
from errai.tree.public_tree import TreePlan

BATCH = 64
"""Number of deals between two updates of the tables, for each player."""

DEALS_PER_BOARD = 8
"""Number of deals per board in large games, because finding the buckets of a board costs more than a walk."""

PRUNED_SHARE = 0.95
"""Default share of the walks that skip own actions with very negative regret."""

KNOWN_BOARDS = 30_000
"""Largest number of boards whose buckets are cached."""


@dataclass(frozen=True)
class Pruning:
    """The rule by which own actions are skipped."""

    below_chips: float
    """The mean regret per iteration, negative, below which an action is skipped."""
    share: float = PRUNED_SHARE
    """The share of walks that skip such actions."""

    def __post_init__(self) -> None:
        if not (self.below_chips < 0 and 0 < self.share < 1):
            raise SolverOptionError(
                f"Pruning needs a regret below 0, not {self.below_chips}, and a share from 0 to 1, not {self.share}."
            )


def _real_boards(plan: TreePlan) -> int:
    """Return the number of boards of the last street, without merging suits."""
    left, count = plan.root.deck.num_cards, 1
    for new in plan.root.new_cards:
        count *= comb(left, new)
        left -= new
    return count


class ExternalSampling(SampledSolver):
    """A solver with external sampling, see the module; an iteration is a batch of deals for each player.

    Parameters
    ----------
    plan, abstraction, weights, seed, average_from, dtype:
        As for :class:`~errai.blueprints.solver.SampledSolver`.
    batch:
        Number of deals for each player in an iteration.
    deals_per_board:
        Number of deals that share a board; the batch is a multiple of it.  The default is 1 if the buckets of all
        boards can be cached, and otherwise 8.
    pruning:
        The rule for skipping actions; None, the default, skips none.
    threads:
        Number of threads.

    Raises :class:`SolverOptionError` for unknown weights, or a batch that ``deals_per_board`` does not divide.
    """

    method = "es"

    def __init__(
        self,
        plan: TreePlan,
        abstraction: Abstraction,
        weights: Weights | str = "linear",
        *,
        seed: int = 0,
        batch: int = BATCH,
        deals_per_board: int | None = None,
        pruning: Pruning | None = None,
        average_from: int = 1,
        dtype: type[np.floating] = np.float32,
        threads: int = 1,
    ) -> None:
        if deals_per_board is None:
            deals_per_board = 1 if _real_boards(plan) <= KNOWN_BOARDS else gcd(DEALS_PER_BOARD, batch)
        if batch < 1 or deals_per_board < 1 or batch % deals_per_board:
            raise SolverOptionError(
                f"batch must be a multiple of deals_per_board, both at least 1; they are {batch} and {deals_per_board}."
            )
        super().__init__(plan, abstraction, weights, seed, dtype, average_from)
        self.batch, self.deals_per_board, self.pruning = batch, deals_per_board, pruning
        self.visited = 0
        """Number of nodes visited so far."""
        betting = plan.betting
        loser = np.where(betting.kind == FOLD, betting.actor, 0)
        ends = np.isin(betting.kind, (FOLD, SHOWDOWN))
        payoff = np.where(ends, betting.contributions[np.arange(betting.num_nodes), loser], 0.0)
        self._sampler = _cpu.Sampler(
            betting.num_streets,
            *(np.ascontiguousarray(a, dtype=np.int8) for a in (betting.kind, betting.actor, betting.street)),
            *(
                np.ascontiguousarray(a, dtype=np.int32)
                for a in (betting.first_child, betting.num_children, betting.row_start)
            ),
            np.ascontiguousarray(payoff, dtype=np.float64),
            max(1, threads),
        )
        self._known: Recent[tuple[int, ...], NDArray[np.int32]] = Recent(KNOWN_BOARDS)

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`BucketSolver.identity`."""
        pruning = None if self.pruning is None else [self.pruning.below_chips, self.pruning.share]
        return {**super().identity, "batch": [self.batch, self.deals_per_board], "pruning": pruning}

    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        """See :meth:`SampledSolver.sample`."""
        below, share = self._threshold(t)
        for player in (0, 1):
            buckets, sign = self._deals(t * 2 + player)
            self.visited += self._sampler.sample(
                [table for pair in self.regrets for table in pair],
                [table for pair in self.sums for table in pair],
                buckets,
                sign,
                self.seed & 0xFFFFFFFFFFFFFFFF,
                t * self.batch,
                player,
                regret_weight,
                sum_weight,
                self.weights.floor,
                below,
                share,
            )

    def _threshold(self, t: int) -> tuple[float, float]:
        if self.pruning is None:
            return 0.0, 0.0
        # Regrets are sums over iterations, with their weights, and over the deals of a batch.
        return self.pruning.below_chips * self.batch * float(t) ** (self.weights.regret + 1.0), self.pruning.share

    @cached_property
    def _rounds(self) -> list[int]:
        """Number of board cards on each street."""
        return [0, *np.cumsum(self.plan.root.new_cards).tolist()]

    def _deals(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Return the buckets of both hands, int32[n, streets, 2], and int8[n]: 1 where player 0 wins, 0 for a tie."""
        root, game = self.plan.root, self.game
        hole, dealt = root.hands.shape[1], self._rounds[-1]
        random = np.random.Generator(np.random.Philox(key=[self.seed & 0xFFFFFFFFFFFFFFFF, number]))
        boards = self.batch // self.deals_per_board
        board = random.random((boards, root.deck.num_cards)).argsort(axis=1)[:, :dealt]
        for first, last in zip(self._rounds, self._rounds[1:], strict=False):
            board[:, first:last].sort(axis=1)
        # Hands are dealt from the cards that are not on the board: board cards sort to the end.
        keys = random.random((boards, self.deals_per_board, root.deck.num_cards))
        np.put_along_axis(keys, np.repeat(board[:, None], self.deals_per_board, axis=1), 2.0, axis=2)
        cards = keys.reshape(self.batch, -1).argsort(axis=1)
        held = [np.sort(cards[:, p * hole : (p + 1) * hole], axis=1) for p in (0, 1)]
        hands = np.stack([hand_index(h) for h in held], axis=1).reshape(boards, self.deals_per_board, 2)
        found = np.empty((boards, self.deals_per_board, len(self._rounds), 2), dtype=np.int32)
        for s, out in enumerate(self._rounds):
            for b, table in enumerate(board[:, :out].tolist()):
                found[b, :, s] = self._buckets(tuple(table), s)[hands[b]]
        buckets = found.reshape(self.batch, len(self._rounds), 2)
        board = np.repeat(board, self.deals_per_board, axis=0)
        ranking = game.ranking if hole + dealt == 3 else HandRanking.STANDARD
        strengths = [strength(np.concatenate([h, board], axis=1), game.deck, ranking).astype(np.int64) for h in held]
        return buckets, np.sign(strengths[0] - strengths[1]).astype(np.int8)

    def _buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        return self._known.get_or_make(board, lambda: self.abstraction.buckets(board, round))
