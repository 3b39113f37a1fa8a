"""CFR-BR on sampled boards: each player learns in buckets against an opponent who responds best on the last street.

Johanson, Bard, Burch & Bowling, "Finding optimal abstract strategies in extensive-form games" (AAAI 2012), let the
opponent minimise regret in a trunk and respond best below it, so that a response need not cover the whole game.  Here
boards are sampled as in public chance sampling.  On the last street no card is left to be dealt, so there the best
response of an opponent who sees the own cards is exact on each sampled board by itself.  Before the last street the
opponent minimises regret in separate tables, over buckets that may be finer than the player's.  (The paper's opponent
does so without buckets, which takes tables as large as the game.) The resulting strategy is less exploitable in the
whole game than an equilibrium of the abstract game.

There are two games, one for the player in each seat; an iteration walks each of them twice.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.blueprints.abstractions import Abstraction, OneBucket
from errai.blueprints.boards import BoardSampler
from errai.blueprints.full import make_bucket_kernel
from errai.blueprints.solver import SampledSolver, Weights, new_tables
from errai.kernels.buckets import BucketKernel, BucketTree, Learning, Tables
from errai.kernels.layout import BEST, LEARNS
from errai.tree.public_tree import TreePlan


class SampledCfrBr(SampledSolver):
    """A solver with CFR-BR on sampled boards; see the module.

    Parameters
    ----------
    plan, abstraction, weights, seed, dtype:
        As for :class:`~errai.blueprints.solver.SampledSolver`.
    opponents:
        The buckets in which the opponent minimises regret before the last street; by default the same.
    average_from:
        The first iteration that enters the average.  At the start the player loses much to an opponent who responds
        best, and folds too often; an average over all iterations needs thousands of them to forget this.
    backend, threads:
        As for :func:`~errai.blueprints.full.make_bucket_kernel`.

    Raises :class:`SolverOptionError` for a game without boards and for unknown weights.
    """

    method = "pcs-br"

    def __init__(
        self,
        plan: TreePlan,
        abstraction: Abstraction,
        weights: Weights | str = "linear",
        *,
        opponents: Abstraction | None = None,
        average_from: int = 1,
        seed: int = 0,
        dtype: type[np.floating] = np.float32,
        backend: str = "cpu",
        threads: int = 1,
    ) -> None:
        self.opponents = abstraction if opponents is None else opponents
        self.sampler = BoardSampler(plan, abstraction, seed, opponents=BeforeTheLast(self.opponents))
        super().__init__(plan, abstraction, weights, seed, dtype, average_from)
        first = self.sampler.draw(0)
        self.kernel: BucketKernel = make_bucket_kernel(backend, first, threads)
        self.theirs = new_tables(plan, BeforeTheLast(self.opponents), dtype)
        """The regrets of the opponent in each seat."""
        last = first.tree.streets[-1]
        hands = int(last.hands[0].start[-1])
        self._choices = [np.zeros(last.num_rows[p] * hands, np.uint16) for p in (0, 1)]

    @property
    def identity(self) -> dict[str, Any]:
        """See :attr:`BucketSolver.identity`."""
        return {**super().identity, "opponents": self.opponents.digest()}

    def sample(self, t: int, regret_weight: float, sum_weight: float) -> None:
        """See :meth:`SampledSolver.sample`."""
        drawn = self.sampler.draw(t)
        swapped = BucketTree(drawn.tree, [[theirs, mine] for mine, theirs in drawn.buckets], drawn.tie)
        for player, boards in ((0, drawn), (1, swapped)):
            self.kernel.deal(boards)
            self._both(player, regret_weight, sum_weight)

    def _both(self, player: int, regret_weight: float, sum_weight: float) -> None:
        """Run the opponent's half of an iteration, and the player's against what the opponent does at the end."""
        other, last = 1 - player, len(self.regrets) - 1
        tables: Tables = [[pair[0], pair[1]] for pair in self.regrets]
        for pair, theirs in zip(tables, self.theirs, strict=True):
            pair[other] = theirs[other]
        choices: list[NDArray[np.uint16] | None] = [None] * last
        # Lines that the player does not reach are skipped, and their entries keep the value 0.
        self._choices[other].fill(0)
        choices.append(self._choices[other])
        responding = Learning(
            [pair[other] for pair in self.theirs],
            [pair[player] for pair in self.sums] if sum_weight else None,
            others_average=True,
            regret_weight=regret_weight,
            sum_weight=sum_weight,
            floor=self.weights.floor,
            choices=choices,
        )
        self.kernel.learn(tables, other, responding, role=[*[LEARNS] * last, BEST])
        learning = Learning(
            [pair[player] for pair in self.regrets], None, regret_weight=regret_weight, floor=self.weights.floor
        )
        self.kernel.learn(tables, player, learning, given=choices)

    def kept(self) -> dict[str, Tables]:
        """See :meth:`BucketSolver.kept`.  On the last street the opponent has no table."""
        return {**super().kept(), "theirs": self.theirs[:-1]}


class BeforeTheLast:
    """An abstraction with one bucket on the last street, where an opponent who responds best needs no table."""

    def __init__(self, inner: Abstraction) -> None:
        self.inner = inner
        self.game = inner.game
        self._last = OneBucket(inner.game)

    def num_buckets(self, round: int) -> int:
        """See :meth:`Abstraction.num_buckets`."""
        return self._of(round).num_buckets(round)

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """See :meth:`Abstraction.buckets`."""
        return self._of(round).buckets(board, round)

    def digest(self) -> str:
        """See :meth:`Abstraction.digest`."""
        return self.inner.digest()

    def _of(self, round: int) -> Abstraction:
        return self._last if round == self.game.num_rounds - 1 else self.inner


Texture = tuple[tuple[int, ...], tuple[int, ...], int, int]

_STRAIGHT = 5


def texture(board: tuple[int, ...], num_suits: int, num_ranks: int) -> Texture:
    """Return what tells boards apart in play.

    These are the numbers of cards of each suit and of each rank, descending; the distance of the highest rank from the
    top, on a scale of powers of two; and the most ranks within five in a row, with the highest of the deck also low.
    """
    suits = [card % num_suits for card in board]
    ranks = [card // num_suits for card in board]
    held = {*ranks, *(-1 for rank in ranks if rank == num_ranks - 1)}
    together = max((sum(low <= rank < low + _STRAIGHT for rank in held) for low in held), default=0)
    return (_counts(suits), _counts(ranks), (num_ranks - 1 - max(ranks, default=0)).bit_length(), together)


def _counts(values: list[int]) -> tuple[int, ...]:
    return tuple(sorted((values.count(value) for value in set(values)), reverse=True))


class ByTexture:
    """An abstraction that divides each bucket of another one by the texture of the board.

    Imperfect-recall buckets that depend on the strength of hands forget the board.  An opponent who remembers it can
    exploit the mixture of hands that a bucket happens to have there.
    """

    def __init__(self, inner: Abstraction) -> None:
        self.inner = inner
        self.game = inner.game
        self._textures: dict[int, dict[Texture, int]] = {}

    def _of_round(self, round: int) -> dict[Texture, int]:
        """Return all textures of the boards of a round, numbered."""
        if round not in self._textures:
            boards = DealIndexer(self.game).boards(round)[0].tolist() if self.game.board_cards_in(round) else [[]]
            every = sorted({self._texture(tuple(board)) for board in boards})
            self._textures[round] = {one: i for i, one in enumerate(every)}
        return self._textures[round]

    def num_textures(self, round: int) -> int:
        """Return the number of textures of the boards of a round."""
        return len(self._of_round(round))

    def num_buckets(self, round: int) -> int:
        """See :meth:`Abstraction.num_buckets`."""
        return self.num_textures(round) * self.inner.num_buckets(round)

    def buckets(self, board: tuple[int, ...], round: int) -> NDArray[np.int32]:
        """See :meth:`Abstraction.buckets`."""
        found = self.inner.buckets(board, round)
        first = self._of_round(round)[self._texture(board)] * self.inner.num_buckets(round)
        return np.where(found < 0, found, found + np.int32(first))

    def digest(self) -> str:
        """See :meth:`Abstraction.digest`."""
        return hashlib.sha256(f"{self.inner.digest()}|by texture".encode()).hexdigest()

    def _texture(self, board: tuple[int, ...]) -> Texture:
        return texture(board, self.game.deck.num_suits, self.game.deck.num_ranks)
