"""Hand ranks, and the chances of the cards to come: the ranks with which the player may reach a showdown.

The *hand rank* (HR) of a hand on a final board is the share of the opponent's possible hands that it beats, ties
counting half: 0 is the worst, 1 the best.  A histogram of the opponent's hand ranks at a showdown, in ``CELLS`` cells
of equal width, gives the probability with which any hand wins there.  Inside a cell the hand ranks are taken as
uniformly distributed, so that this probability is linear between the cells' edges, the *knots*.

The chances are found in one of four ways:

- **No card to come**: the hand rank itself.
- **One more street**: every board that may come, or a sample if there are more than ``MAX_BOARDS``.
- **Two more streets of a card each** (hold'em's flop): a lane for every next card, and for each the distribution of the
  hand rank over ``rivers`` last cards.  Pairs of cards are used in both orders, so that only half as many boards have
  to be evaluated.
- **Before the flop** of three or four streets: hands of later streets in *buckets* by percentiles of E[HR²], with the
  frequencies of transitions between buckets; a sample of boards fixes them once for a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import strength_now
from errai.cards.hands import boards_after, hand_cards
from errai.cards.isomorphism import HandIndexer
from errai.cards.strength import strengths_on_boards
from errai.errors import UnsupportedGameError
from errai.games.game import Game

CELLS = 20
"""Cells of a histogram, as in the paper."""

KNOTS = CELLS + 1

MAX_BOARDS = 1_326
"""The most boards that are enumerated for one decision."""

SAMPLED_BOARDS = 400
"""How many boards are drawn if there are more."""

FIRST_BOARDS = 160
"""Boards of the second street that buckets are made from."""

NEXT_BOARDS = 3
"""Boards of the third street of four that follow each of them."""

LAST_BOARDS = 12
"""Final boards for each of those (of three streets: for each first one)."""

BUCKETS = (40, 60)
"""Number of buckets on the second and on the third street; a game of three streets has only the former."""

_SEED = 2004


def check_game(game: Game) -> None:
    """Raise :class:`UnsupportedGameError` if the search cannot handle the cards of a game."""
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


def cell(rank: float) -> int:
    """Return the cell of a hand rank; the last cell includes 1."""
    return min(int(rank * CELLS), CELLS - 1)


def win_probability(histograms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability to beat the opponent at the knots, float64[..., KNOTS], from float64[..., CELLS]."""
    won = np.zeros((*histograms.shape[:-1], KNOTS))
    np.cumsum(histograms, axis=-1, out=won[..., 1:])
    return won


def knot_weights(ranks: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return float64[KNOTS, n]: the weights of the knots in the value at each hand rank; columns sum to 1."""
    place = np.clip(np.asarray(ranks, dtype=np.float64), 0.0, 1.0) * CELLS
    low = np.minimum(place.astype(np.int64), CELLS - 1)
    weights = np.zeros((KNOTS, len(place)))
    columns = np.arange(len(place))
    weights[low, columns] = 1.0 - (place - low)
    weights[low + 1, columns] = place - low
    return weights


def hand_ranks(game: Game, hole: tuple[int, ...], boards: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return float64[B]: the rank of a hand on final boards, integers[B, m], none of which has a card of the hand.

    It is the rank against all hands that share no card with the hand and the board.
    """
    strengths = strengths_on_boards(boards, _own_hand_first(game, tuple(sorted(hole))), game.deck, game.ranking)
    own, others = strengths[:, :1], strengths[:, 1:]
    possible = np.count_nonzero(others >= 0, axis=1)
    # Blocked hands have the strength -1, below any other, and are subtracted again.
    beaten = np.count_nonzero(others < own, axis=1) - (others.shape[1] - possible)
    tied = np.count_nonzero(others == own, axis=1)
    return np.asarray((beaten + 0.5 * tied) / np.maximum(possible, 1))


@lru_cache(maxsize=4_096)
def _own_hand_first(game: Game, hole: tuple[int, ...]) -> NDArray[np.int16]:
    """Return the hand, followed by all hands that share no card with it."""
    hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
    apart = ~np.isin(hands, hole).any(axis=1)
    found = np.concatenate([np.array([hole], dtype=np.int16), hands[apart]])
    found.setflags(write=False)
    return found


@dataclass(frozen=True, eq=False)
class BucketChances:
    """Buckets of the streets between the first and the last."""

    first: NDArray[np.float64]
    """float64[H, B1]: the probability with which each hand gets into each bucket of the second street."""
    links: tuple[NDArray[np.float64], ...]
    """float64[B, B'] each: transition probabilities from each bucket to those of the next street, and at last to the
    knots of the hand rank; rows sum to 1."""


def next_boards(game: Game, hole: tuple[int, ...], board: tuple[int, ...], cards: int) -> NDArray[np.int16]:
    """Return int16[n, m]: the boards after so many more cards: all, or a sample that depends only on hand and board."""
    left = _left(game, hole, board)
    if comb(len(left), cards) <= MAX_BOARDS:
        return boards_after(board, cards, game.deck.num_cards, hole)
    rng = np.random.default_rng([_SEED, *hole, *board])
    new = np.array([rng.permutation(left)[:cards] for _ in range(SAMPLED_BOARDS)], dtype=np.int16)
    return np.column_stack([np.tile(np.array(board, dtype=np.int16), (len(new), 1)), new])


def two_cards_ahead(game: Game, hole: tuple[int, ...], board: tuple[int, ...], rivers: int) -> NDArray[np.float64]:
    """Return float64[next cards, KNOTS]: the distribution of the hand rank after each next card; rows sum to 1.

    Each next card is combined with ``rivers`` last cards, or one more (with all if there are no more).  The choice is
    drawn at random, and depends only on hand and board.
    """
    left = _left(game, hole, board)
    n = len(left)
    order = np.random.default_rng([_SEED, *hole, *board]).permutation(left)
    # Put the cards on a circle: each is combined with those up to ``reach`` places away on both sides.
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
    """Sample boards of a game of three or four streets and make its buckets, in a second or less."""
    rng = np.random.default_rng(_SEED)
    deals = DealIndexer(game)
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


def _sampled_ranks(deals: DealIndexer, rng: np.random.Generator, middle: int) -> NDArray[np.float32]:
    """Return float32[FIRST_BOARDS, middle, LAST_BOARDS, H]: hand ranks on final boards, NaN where a card is blocked."""
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
    """Return the mean of the numbers that are not NaN; NaN if there is none."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis, dtype=np.float64)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _percentiles(score: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the bucket of each score by percentile, -1 for NaN."""
    known = ~np.isnan(score)
    edges = np.quantile(score[known], np.arange(1, count) / count)
    return np.where(known, np.searchsorted(edges, score, side="right"), -1)


def _shares(here: NDArray[np.int64], there: NDArray[np.int64], rows: int, columns: int) -> NDArray[np.float64]:
    """Return how often items in bucket ``here`` get into bucket ``there``; rows sum to 1."""
    known = (here >= 0) & (there >= 0)
    counts = np.bincount(here[known] * columns + there[known], minlength=rows * columns)
    return _normalised(np.asarray(counts, dtype=np.float64).reshape(rows, columns))


def _to_knots(bucket: NDArray[np.int64], ranks: NDArray[np.float32], rows: int) -> NDArray[np.float64]:
    """Return the distribution of the hand ranks in each bucket over the knots."""
    of = np.broadcast_to(bucket[:, :, None, :], ranks.shape)
    known = (of >= 0) & ~np.isnan(ranks)
    place = ranks[known].astype(np.float64) * CELLS
    low = np.minimum(place.astype(np.int64), CELLS - 1)
    at = of[known] * KNOTS + low
    counts = np.bincount(at, 1.0 - (place - low), rows * KNOTS) + np.bincount(at + 1, place - low, rows * KNOTS)
    return _normalised(np.asarray(counts, dtype=np.float64).reshape(rows, KNOTS))


def _normalised(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale rows to sum to 1; rows without observations (small decks have few scores) become uniform."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0.0, counts / np.where(total > 0.0, total, 1.0), 1.0 / counts.shape[1]))
