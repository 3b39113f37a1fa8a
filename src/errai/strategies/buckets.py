"""Strategies over buckets of hands, such as buckets by strength."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import hand_cards
from errai.cards.strength import HandRanking, strengths_on_boards
from errai.errors import StrategyError
from errai.games.game import Game
from errai.running.recent import Recent
from errai.strategies.blind import ROUNDING, Mixture
from errai.strategies.strategy import Deals, Decision, says

REMEMBERED_BOARDS = 256
"""How many boards' buckets are kept: the pieces of a street are queried for the same boards one after the other."""


@dataclass(eq=False)
class BucketStrategy:
    """A strategy by buckets of hands, with a table of probabilities for each decision.

    When queried, it raises :class:`StrategyError` if a table does not hold probabilities, or lacks a bucket.
    """

    bucket_of: Callable[[Deals], NDArray[np.integer]]
    """Maps ``Deals`` to int[S], the bucket of every hand."""
    table: Callable[[Decision], NDArray[np.floating]]
    """Maps a decision to float[A, K]: the probability of each action in each bucket; kept and used in float32."""
    description: str
    _tables: dict[tuple[int, ...], NDArray[np.float32]] = field(default_factory=dict, repr=False)
    _buckets: Recent[bytes, NDArray[np.integer]] = field(default_factory=lambda: Recent(REMEMBERED_BOARDS), repr=False)

    @property
    def suits_alike(self) -> bool:
        """Whether the buckets are known to be symmetric in the suits."""
        return says(self.bucket_of, "suits_alike")

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.floating]:
        """See :meth:`~errai.strategies.strategy.BatchedStrategy.rows`."""
        key = tuple(d.node for d in decisions)
        if key not in self._tables:
            self._tables[key] = np.concatenate([self._checked(d) for d in decisions])
        table, place = self._tables[key], deals.boards.tobytes() + deals.hand.tobytes()
        buckets = self._buckets.get_or_make(place, lambda: np.asarray(self.bucket_of(deals)))
        if len(buckets) and (int(buckets.min()) < 0 or int(buckets.max()) >= table.shape[1]):
            raise StrategyError(f"'{self.description}' sorts hands into buckets that its table lacks.")
        return np.take(table, buckets, axis=1)

    def _checked(self, decision: Decision) -> NDArray[np.float32]:
        table = np.asarray(self.table(decision), dtype=np.float64)
        if table.ndim != 2 or len(table) != len(decision.actions):
            raise StrategyError(
                f"The table of '{self.description}' has shape {table.shape} for {len(decision.actions)} actions."
            )
        if not ((table >= 0).all() and (np.abs(table.sum(axis=0) - 1.0) <= ROUNDING).all()):
            raise StrategyError(f"A column of the table of '{self.description}' is not a probability distribution.")
        return table.astype(np.float32)


@dataclass(frozen=True)
class StrengthBuckets:
    """Buckets of equal size by the hands' strength on the current board; 0 is the weakest.

    Strength is the share of all hands possible on the board that are weaker, ties counting half.
    """

    deck: Deck
    hole_cards: int
    ranking: HandRanking
    count: int
    suits_alike: ClassVar[bool] = True

    def __call__(self, deals: Deals) -> NDArray[np.integer]:
        """Return int64[S]: the bucket of every hand."""
        hands = hand_cards(self.deck.num_cards, self.hole_cards)
        # Hands of three cards have a ranking of their own only when all three cards are there.
        whole = deals.boards.shape[1] + self.hole_cards == 3
        ranking = self.ranking if whole else HandRanking.STANDARD
        result = np.empty(len(deals.hand), dtype=np.int64)
        strengths = strengths_on_boards(deals.boards.astype(np.int16), hands, self.deck, ranking)
        for b, strength in enumerate(strengths):
            ordered = np.sort(strength[strength >= 0])
            mine = strength[deals.hand[deals.start[b] : deals.start[b + 1]]]
            # Twice the number of weaker hands, plus the equal ones: a whole number, so that rounding cannot change a
            # bucket.
            below = np.searchsorted(ordered, mine, "left") + np.searchsorted(ordered, mine, "right")
            bucket = below * self.count // (2 * len(ordered))
            result[deals.start[b] : deals.start[b + 1]] = np.minimum(bucket, self.count - 1)
        return result


def strength_table(count: int, decision: Decision) -> NDArray[np.floating]:
    """Return float64[A, K]: the probabilities of a decision; the weakest bucket folds most, the best raises most."""
    strength = (np.arange(count) + 0.5) / count
    return np.stack([Mixture((1 - s) ** 2, 1 - (1 - s) ** 2 - s**2, s**2).mix(decision) for s in strength], axis=1)


def by_strength(game: Game, count: int) -> BucketStrategy:
    """Return a strategy with ``count`` buckets of equal size by current strength.

    In the bucket whose middle is the share s of weaker hands, a hand folds with probability (1-s)^2, raises with s^2
    and else calls.
    """
    if count < 1:
        raise StrategyError(f"'by-strength' needs at least one bucket, not {count}.")
    buckets = StrengthBuckets(game.deck, game.num_hole_cards, game.ranking, count)
    return BucketStrategy(buckets, partial(strength_table, count), f"by-strength:{count}")
