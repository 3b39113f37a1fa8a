"""Card abstraction: a bucket for every hand on any board.

Before the last round, buckets are stored in a table that is indexed by the hand on the board up to suits.  Hold'em's
river has 123 million such pairs, and 2.4 billion as dealt, so there the bucket follows from a *rule*: the strengths of
all hands on the board are computed at once, and cuts or nearest centroids give the buckets, in less than a
millisecond.  If the buckets of an earlier round are clusters of OCHS, a rule can give them too, by evaluating all final
boards, and a file need not contain the table.

With *imperfect recall* a bucket depends only on the hand and the open cards.  With *perfect recall* the buckets of a
round divide those of the round before, so that the last bucket determines the sequence of buckets.

*Percentile buckets* have equal weights along a number, or along one number within another.  The University of Alberta's
programs have used them on E[HS²], and nested ones on E[HS] within those of E[HS²], since 2006 (Johanson, "Robust
strategies and counter-strategies", 2007).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.abstraction.deals import DealIndexer, round_name
from errai.abstraction.features import Wanted, board_sums, ochs_of
from errai.abstraction.kmeans import Clusters, assign
from errai.errors import InputError, UnsupportedGameError
from errai.games.game import Game

Boards = NDArray[np.int16]


class RoundBuckets(Protocol):
    """The buckets of one round."""

    @property
    def num_buckets(self) -> int:
        """The number of buckets, K."""

    def on(self, deals: DealIndexer, boards: Boards, threads: int) -> NDArray[np.int32]:
        """Return the buckets of all hands on boards int16[B, m] as dealt: int32[B, H], -1 if they share a card."""


@dataclass(eq=False)
class TableBuckets:
    """Buckets from a table that is indexed by the hand on the board."""

    round_index: int
    table: NDArray[Any]
    """uint16 or uint32 [n]: the bucket of each hand by its index."""
    num_buckets: int
    _: KW_ONLY
    dealt: bool
    """Whether hands are indexed as dealt, as perfect recall needs, or by cards."""
    rule: RuleBuckets | None = None
    """A rule that gives the same buckets without the table, if there is one."""

    def on(self, deals: DealIndexer, boards: Boards, threads: int) -> NDArray[np.int32]:
        """Do what `RoundBuckets.on` says, with one look-up per hand."""
        index = deals.index(boards, self.round_index, dealt=self.dealt, threads=threads)
        return np.where(index >= 0, self.table[index].astype(np.int32), np.int32(-1))


class IdentityBuckets:
    """Buckets of one hand each: every hand as dealt, up to suits."""

    def __init__(self, deals: DealIndexer, round_index: int) -> None:
        size = deals.num_classes(round_index, dealt=True)
        if size > np.iinfo(np.int32).max:
            raise UnsupportedGameError(
                f"The {round_name(round_index)} has {size:,} hands up to suits, more than a bucket's number can hold."
            )
        self.round_index, self.num_buckets = round_index, size

    def on(self, deals: DealIndexer, boards: Boards, threads: int) -> NDArray[np.int32]:
        """Do what `RoundBuckets.on` says."""
        return deals.index(boards, self.round_index, dealt=True, threads=threads).astype(np.int32)


class OneBucket:
    """A single bucket, number 0, with all hands."""

    num_buckets = 1

    def on(self, deals: DealIndexer, boards: Boards, threads: int) -> NDArray[np.int32]:
        """Do what `RoundBuckets.on` says."""
        index = deals.index(boards, deals.board_cards.index(boards.shape[1]), threads=threads)
        return np.where(index >= 0, np.int32(0), np.int32(-1))


@dataclass(eq=False, kw_only=True)
class RuleBuckets:
    """Buckets that follow from hand strength on the board, or on all final boards that may come."""

    cuts: Sequence[NDArray[np.float32]] = ()
    """Cuts of HS: one float32[K' - 1] for each bucket of the round before, or a single one with imperfect recall."""
    clusters: Sequence[Clusters] = ()
    """Centroids for each of these instead, of OCHS against the clusters of ``opponents``, int8[H]."""
    opponents: NDArray[np.int8] | None = None
    before: RoundBuckets | None = None
    """The buckets of the round before with perfect recall; None with imperfect recall."""
    board_cards_before: int = 0

    def __post_init__(self) -> None:
        if bool(self.cuts) == bool(self.clusters) or bool(self.clusters) != (self.opponents is not None):
            raise InputError("A rule needs either cuts of hand strength, or clusters and the opponents they are about.")
        sizes = [len(each) + 1 for each in self.cuts] or [len(each) for each in self.clusters]
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)

    @property
    def num_buckets(self) -> int:
        """The number of buckets, K."""
        return int(self.first[-1])

    def on(self, deals: DealIndexer, boards: Boards, threads: int) -> NDArray[np.int32]:
        """Do what `RoundBuckets.on` says, with one sort per board and one search per hand."""
        parents = None
        if self.before is not None:
            parents = self.before.on(deals, boards[:, : self.board_cards_before], threads)
        live, points = rule_points(deals, boards, self.opponents, threads)
        out = np.full(live.shape, -1, dtype=np.int32)
        if parents is None:
            out[live] = self._within(0, points, threads)
            return out
        held = parents[live]
        buckets = np.empty(len(held), dtype=np.int32)
        order = np.argsort(held, kind="stable")
        starts = np.flatnonzero(np.diff(held[order], prepend=-1))
        for rows in np.split(order, starts[1:]):
            parent = int(held[rows[0]])
            buckets[rows] = self.first[parent] + self._within(parent, points[rows], threads)
        out[live] = buckets
        return out

    def _within(self, which: int, points: NDArray[np.float32], threads: int) -> NDArray[np.int32]:
        if self.cuts:
            return bucket_of(points, self.cuts[which])
        return assign(points, self.clusters[which], threads=threads)[0]


def rule_points(
    deals: DealIndexer, boards: Boards, opponents: NDArray[np.int8] | None, threads: int = 1
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Return the input of a rule: live hands bool[B, H], and their HS float32[n] or OCHS float32[n, C]."""
    sums = board_sums(deals, boards, Wanted(cluster=opponents), threads=threads)
    live = sums.moments[..., 0] > 0
    if opponents is not None:
        return live, ochs_of(sums.select(live), int(opponents.max()) + 1)
    return live, strength_of(sums.moments[..., 1][live], deals)


def strength_of(doubled: NDArray[np.int64], deals: DealIndexer) -> NDArray[np.float32]:
    """Return HS from the integer that is its numerator, always rounded in the same way."""
    return (doubled / (2.0 * deals.opponents)).astype(np.float32)


def percentile_cuts(values: ArrayLike, weights: ArrayLike, count: int) -> NDArray[np.float32]:
    """Return cuts that divide values into at most ``count`` buckets whose weights are as equal as possible.

    A value that covers the shares from a to b of the total weight goes to bucket ``floor(count * (a + b) / 2)``, so
    that equal values stay together.  Buckets that would be empty are left out.  The cuts are float32[K - 1], ascending,
    for `bucket_of`.  Raises :class:`InputError` if ``count`` is below 1, there are no values, one is not finite, or the
    total weight is 0.
    """
    numbers = np.asarray(values, dtype=np.float32).reshape(-1)
    if count < 1:
        raise InputError(f"The number of buckets must be at least 1, not {count}.")
    if numbers.size == 0 or not np.isfinite(numbers).all():
        raise InputError("Percentile buckets need at least one value, and only finite ones.")
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    mass = np.asarray(weights).reshape(-1)[order].astype(np.float64)
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    each = np.add.reduceat(mass, first)
    ends = np.cumsum(each)
    if not ends[-1] > 0:
        raise InputError("All weights are 0; percentile buckets need a value with a weight above 0.")
    middle = (ends - each / 2) / ends[-1]
    bucket = np.minimum((count * middle).astype(np.int64), count - 1)
    return np.asarray(ordered[first[1:][bucket[1:] != bucket[:-1]]])


def bucket_of(values: ArrayLike, cuts: NDArray[np.float32]) -> NDArray[np.int32]:
    """Return the bucket of each value, int32[...], which is the number of cuts at or below it."""
    return np.searchsorted(cuts, np.asarray(values, dtype=np.float32), side="right").astype(np.int32)


def table_type(num_buckets: int) -> type[np.uint16] | type[np.uint32]:
    """Return the narrowest type that can hold the bucket numbers of a table."""
    return np.uint16 if num_buckets <= 1 << 16 else np.uint32


class CardAbstraction:
    """Buckets of hands in every round of a game, whose betting does not matter.

    Recall is ``perfect`` or ``imperfect``; ``description`` says how it was made, as values that JSON can hold.  Raises
    :class:`InputError` if there is no such recall, or the number of rounds is not the game's.
    """

    def __init__(
        self, game: Game, rounds: Sequence[RoundBuckets], recall: str = "imperfect", description: Any = None
    ) -> None:
        if len(rounds) != game.num_rounds:
            raise InputError(f"{game.name} has {game.num_rounds} rounds, not {len(rounds)}.")
        if recall not in ("perfect", "imperfect"):
            raise InputError(f"Recall is perfect or imperfect, not {recall!r}.")
        self.game, self.rounds, self.recall = game, tuple(rounds), recall
        self.description = {} if description is None else description

    @classmethod
    def identity(cls, game: Game) -> CardAbstraction:
        """Return the abstraction in which every hand up to suits is its own bucket, so that nothing is lost.

        Raises :class:`UnsupportedGameError` if a round has more than 2,147,483,647 such hands, as the river of hold'em
        has.
        """
        deals = DealIndexer(game)
        rounds = [IdentityBuckets(deals, round_index) for round_index in range(game.num_rounds)]
        return cls(game, rounds, "perfect", {"method": "identity"})

    @classmethod
    def one_bucket(cls, game: Game) -> CardAbstraction:
        """Return the abstraction in which all hands share one bucket, so that cards do not matter."""
        return cls(game, [OneBucket() for _ in range(game.num_rounds)], "perfect", {"method": "one bucket"})

    @cached_property
    def deals(self) -> DealIndexer:
        """Hands and boards of the game."""
        return DealIndexer(self.game)

    def num_buckets(self, round_index: int) -> int:
        """Return the number of buckets of a round.  Raises :class:`InputError` if there is no such round."""
        self.deals.check_round(round_index)
        return self.rounds[round_index].num_buckets

    def buckets(self, board: Sequence[int], round_index: int) -> NDArray[np.int32]:
        """Return the bucket of every hand on a board, whose cards are given in the order dealt.

        The result is int32[H], -1 if the hand and the board share a card.  Raises :class:`InputError` if there is no
        such round, and :class:`CardsError` if the cards are not a board of the round.
        """
        cards = self.deals.checked_board(tuple(board), round_index)
        return np.asarray(self.rounds[round_index].on(self.deals, cards[None], 1)[0])

    def buckets_on(self, boards: NDArray[Any], round_index: int, *, threads: int = 1) -> NDArray[np.int32]:
        """Return the bucket of every hand, int32[B, H], on boards integers[B, m], each as for `buckets`.

        They are not checked for repeated cards.  Raises :class:`InputError` if there is no such round, or the shape is
        not that of its boards.
        """
        self.deals.check_round(round_index)
        rows = np.asarray(boards)
        if rows.ndim != 2 or rows.shape[1] != self.deals.board_cards[round_index]:
            raise InputError(
                f"Boards of the {round_name(round_index)} must be an array of shape [B, "
                f"{self.deals.board_cards[round_index]}], not {rows.shape}."
            )
        if rows.size and not 0 <= rows.min() <= rows.max() < self.deals.deck.num_cards:
            card = rows.min() if rows.min() < 0 else rows.max()
            raise InputError(f"Card number {card} of a board is not in a deck of {self.deals.deck.num_cards}.")
        out = np.empty((len(rows), self.deals.num_hands), dtype=np.int32)
        for first in range(0, len(rows), 256):
            part = np.ascontiguousarray(rows[first : first + 256], dtype=np.int16)
            out[first : first + 256] = self.rounds[round_index].on(self.deals, part, threads)
        return out

    def compact(self) -> CardAbstraction:
        """Return the same buckets without the largest table that a rule can replace, if no rule has replaced one yet.

        The buckets of hold'em's turn then need no table and 2 ms per board; those of the flop would take 36 ms.
        """
        rounds = list(self.rounds)
        last = len(rounds) - 1
        ruled = [i for i, each in enumerate(rounds) if isinstance(each, TableBuckets) and each.rule is not None]
        if not ruled or any(isinstance(each, RuleBuckets) for each in rounds[:last]):
            return self
        largest = max(ruled, key=lambda i: self.deals.num_classes(i))
        rounds[largest] = rounds[largest].rule  # type: ignore[attr-defined]
        return CardAbstraction(self.game, rounds, self.recall, self.description)

    def describe(self) -> dict[str, Any]:
        """Return the game, recall, number of buckets of each round and origin, as values that JSON can hold."""
        return {
            "game": self.game.name,
            "recall": self.recall,
            "buckets": {round_name(i): each.num_buckets for i, each in enumerate(self.rounds)},
            **self.description,
        }
