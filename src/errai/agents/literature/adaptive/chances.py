"""Cards still to come, as the search needs them: with what hand ranks one's own hand may come to a showdown.

- **No card to come**: the hand rank itself.
- **One more street**: every board that may come; where those are more than ``MAX_BOARDS``, a sample.
- **Two more streets of a card each** (hold'em's flop): a lane for every next card, and for each the distribution of the
  hand rank over the last card, from ``rivers`` of them.  Pairs of cards serve in both orders, so that half as many
  boards have to be compared.
- **Before the flop** of three or four streets: hands of later streets in *buckets* by E[HR²], as percentiles, with the
  frequencies of going from one bucket to another; a sample of boards fixes them once for a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import Deals
from errai.abstraction.features import strength_now
from errai.agents.literature.adaptive.histograms import CELLS, KNOTS, hand_ranks, knot_weights
from errai.cards.isomorphism import HandIndexer
from errai.errors import UnsupportedGameError
from errai.games.game import Game

MAX_BOARDS = 1_326
"""Most boards that are gone through for one decision."""

SAMPLED_BOARDS = 400
"""How many are drawn where there are more."""

FIRST_BOARDS = 160
"""Boards of the second street that buckets are made from."""

NEXT_BOARDS = 3
"""Continuations of each of them on the third street of four."""

LAST_BOARDS = 12
"""Final boards for each of those (of three streets: for each first one)."""

BUCKETS = (40, 60)
"""Buckets of the second street and of the third; a game of three streets has those of the second only."""

_SEED = 2004


def check_game(game: Game) -> None:
    """Raise :class:`UnsupportedGameError` where the cards of a game cannot be looked ahead."""
    if not game.limit:
        raise UnsupportedGameError(
            f"{game.name} is a no-limit game; Vexbot and BRPlayer play limit games, such as holdem.limit.2p."
        )
    if game.num_hole_cards > 2:
        raise UnsupportedGameError(
            f"{game.name} has hands of {game.num_hole_cards} cards; Vexbot and BRPlayer play games with one or two."
        )
    if game.num_rounds > 4 or (game.num_rounds == 4 and game.num_board_cards[2:] != (1, 1)):
        raise UnsupportedGameError(
            f"{game.name} deals too many cards after its second round; Vexbot and BRPlayer play games of up to three "
            "rounds, or of four whose last two deal one card each."
        )


@dataclass(frozen=True, eq=False)
class BucketChances:
    """Buckets of the streets between the first and the last.

    Attributes
    ----------
    first: float64[H, B1]
        How likely each hand comes into each bucket of the second street.
    links: tuple of float64[B, B']
        From each bucket to those of the next street, the last to the knots of the hand rank; rows add up to 1.
    """

    first: NDArray[np.float64]
    links: tuple[NDArray[np.float64], ...]


def next_boards(game: Game, hole: tuple[int, ...], board: tuple[int, ...], cards: int) -> NDArray[np.int16]:
    """int16[n, m]: the boards after so many more cards, all or a sample that depends on hand and board alone."""
    left = _left(game, hole, board)
    if comb(len(left), cards) <= MAX_BOARDS:
        new = np.array(list(combinations(left, cards)), dtype=np.int16)
    else:
        rng = np.random.default_rng([_SEED, *hole, *board])
        new = np.array([rng.permutation(left)[:cards] for _ in range(SAMPLED_BOARDS)], dtype=np.int16)
    return np.column_stack([np.tile(np.array(board, dtype=np.int16), (len(new), 1)), new])


def two_cards_ahead(game: Game, hole: tuple[int, ...], board: tuple[int, ...], rivers: int) -> NDArray[np.float64]:
    """Distribution of the hand rank after each next card: float64[next cards, KNOTS], rows adding up to 1.

    Each next card is put together with ``rivers`` last cards or one more (all of them where there are no more); which
    ones is drawn, and depends on hand and board alone.
    """
    left = _left(game, hole, board)
    n = len(left)
    order = np.random.default_rng([_SEED, *hole, *board]).permutation(left)
    # Cards on a circle: each meets those up to ``reach`` places away on both sides.
    reach = min((rivers + 1) // 2, n // 2)
    pairs = np.array(
        [(i, (i + step) % n) for step in range(1, reach + 1) for i in range(n if 2 * step != n else n // 2)]
    )
    boards = np.column_stack([np.tile(np.array(board, dtype=np.int16), (len(pairs), 1)), order[pairs].astype(np.int16)])
    weights = knot_weights(hand_ranks(game, hole, boards)).T
    found = np.zeros((n, KNOTS))
    np.add.at(found, pairs[:, 0], weights)
    np.add.at(found, pairs[:, 1], weights)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _left(game: Game, hole: Sequence[int], board: Sequence[int]) -> list[int]:
    taken = {*hole, *board}
    return [card for card in range(game.deck.num_cards) if card not in taken]


@lru_cache(maxsize=4)
def bucket_chances(game: Game) -> BucketChances:
    """Sample boards of a game of three or four streets and make its buckets; a second or less, done once."""
    rng = np.random.default_rng(_SEED)
    deals = Deals(game)
    middle = NEXT_BOARDS if game.num_rounds == 4 else 1
    ranks = _sampled_ranks(deals, rng, middle)
    scores = [_mean(ranks**2, axis=2)]
    if game.num_rounds == 4:
        scores.insert(0, _mean(scores[0], axis=1)[:, None, :])
    buckets = [_percentiles(score, count) for score, count in zip(scores, BUCKETS, strict=False)]
    links = [
        _shares(np.broadcast_to(here, there.shape), there, BUCKETS[i], BUCKETS[i + 1])
        for i, (here, there) in enumerate(pairwise(buckets))
    ]
    links.append(_to_knots(buckets[-1], ranks, BUCKETS[len(buckets) - 1]))
    hands = deals.hands
    kinds = HandIndexer([game.num_hole_cards], game.deck).index(hands)
    entered = buckets[0][:, 0, :]
    by_kind = _shares(np.broadcast_to(kinds, entered.shape), entered, int(kinds.max()) + 1, BUCKETS[0])
    return BucketChances(by_kind[kinds], tuple(links))


def _sampled_ranks(deals: Deals, rng: np.random.Generator, middle: int) -> NDArray[np.float32]:
    """float32[FIRST_BOARDS, middle, LAST_BOARDS, H], hand ranks on final boards, NaN where a card is blocked."""
    game = deals.game
    second = game.board_cards_in(1)
    boards = np.empty((FIRST_BOARDS, middle, LAST_BOARDS, deals.final), dtype=np.int16)
    third = game.board_cards_in(2) if game.num_rounds == 4 else second
    for first in boards:
        drawn = rng.permutation(deals.deck.num_cards)
        first[..., :second] = drawn[:second]
        rest = drawn[second:]
        for branch in first:
            rest = rng.permutation(rest)
            branch[:, second:third] = rest[: third - second]
            ending = rest[third - second :]
            for last in branch:
                last[third:] = rng.permutation(ending)[: deals.final - third]
    found = strength_now(deals, boards.reshape(-1, deals.final))
    return found.reshape(FIRST_BOARDS, middle, LAST_BOARDS, deals.num_hands)


def _mean(values: NDArray[np.floating], axis: int) -> NDArray[np.float64]:
    """Mean of what is a number; NaN where nothing is."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis, dtype=np.float64)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _percentiles(score: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Bucket of each score by percentile, -1 for NaN."""
    known = ~np.isnan(score)
    edges = np.quantile(score[known], np.arange(1, count) / count)
    return np.where(known, np.searchsorted(edges, score, side="right"), -1)


def _shares(here: NDArray[np.int64], there: NDArray[np.int64], rows: int, columns: int) -> NDArray[np.float64]:
    """How often what is ``here`` comes ``there``, rows adding up to 1."""
    known = (here >= 0) & (there >= 0)
    counts = np.bincount(here[known] * columns + there[known], minlength=rows * columns)
    return _normalised(np.asarray(counts, dtype=np.float64).reshape(rows, columns))


def _to_knots(bucket: NDArray[np.int64], ranks: NDArray[np.float32], rows: int) -> NDArray[np.float64]:
    """Distribution over the knots of the hand ranks in each bucket."""
    of = np.broadcast_to(bucket[:, :, None, :], ranks.shape)
    known = (of >= 0) & ~np.isnan(ranks)
    place = ranks[known].astype(np.float64) * CELLS
    low = np.minimum(place.astype(np.int64), CELLS - 1)
    at = of[known] * KNOTS + low
    counts = np.bincount(at, 1.0 - (place - low), rows * KNOTS) + np.bincount(at + 1, place - low, rows * KNOTS)
    return _normalised(np.asarray(counts, dtype=np.float64).reshape(rows, KNOTS))


def _normalised(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows that add up to 1; those that were never met (small decks have few scores) count as uniform."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), 1.0 / counts.shape[1]))
