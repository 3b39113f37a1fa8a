"""Statistics of the buckets of an abstraction: their sizes, their mean strength, and examples of their hands."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import CardAbstraction, RuleBuckets, TableBuckets
from errai.abstraction.deals import round_name
from errai.abstraction.features import Wanted, hand_features
from errai.errors import InputError

_SAMPLE = 400


@dataclass(frozen=True, eq=False)
class RoundContents:
    """The buckets of one round."""

    round_index: int
    share: NDArray[np.float64]
    """float64[K]: the share of all hands on all boards in each bucket; sums to 1."""
    mean: NDArray[np.float64]
    """float64[K]: mean E[HS] of the hands of each bucket on the sampled boards; NaN if there is none."""
    by_hand: NDArray[np.float64]
    """float64[H]: mean of ``mean`` over the sampled boards, for each hand of the deck."""
    exact: bool
    """Whether ``share`` covers all boards, or boards drawn at random."""


@dataclass(frozen=True)
class Example:
    """A hand on a board that is in a bucket."""

    hand: str
    board: str
    mean: float
    square: float


def round_contents(abstraction: CardAbstraction, round_index: int, *, seed: int = 0, threads: int = 1) -> RoundContents:
    """Return the sizes of a round's buckets, and their mean E[HS] on boards drawn at random.

    Raises :class:`InputError` if there is no such round.
    """
    deals = abstraction.deals
    count = abstraction.num_buckets(round_index)
    table = abstraction.rounds[round_index]
    dealt = abstraction.recall == "perfect" and not (isinstance(table, TableBuckets) and not table.dealt)
    exact = not isinstance(table, RuleBuckets) or deals.num_classes(round_index) < 1_000_000
    exact = exact and comb(deals.deck.num_cards, deals.board_cards[round_index]) < 1_000_000
    if exact:
        boards, multiplicity = deals.boards(round_index, dealt=dealt)
    else:
        boards = drawn_boards(abstraction, round_index, 5 * _SAMPLE, seed)
        multiplicity = np.ones(len(boards), dtype=np.int64)
    share = np.zeros(count)
    for first in range(0, len(boards), 256):
        buckets = abstraction.buckets_on(boards[first : first + 256], round_index, threads=threads)
        live = buckets >= 0
        weight = np.broadcast_to(multiplicity[first : first + 256, None], live.shape)[live]
        share += np.bincount(buckets[live], weight, minlength=count)
    mean, by_hand = _strengths(abstraction, round_index, seed, threads)
    return RoundContents(round_index, share / share.sum(), mean, by_hand, exact)


def _strengths(
    abstraction: CardAbstraction, round_index: int, seed: int, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean E[HS] of each bucket on some boards, and the mean of the buckets that each hand is in."""
    deals = abstraction.deals
    # A board of the flop has a thousand runouts, so fewer boards are needed than for the turn.
    wanted = max(60, min(_SAMPLE, 200_000 // deals.runouts(round_index)))
    boards = drawn_boards(abstraction, round_index, wanted, seed)
    buckets = abstraction.buckets_on(boards, round_index, threads=threads)
    board, hand = np.nonzero(buckets >= 0)
    cards = np.concatenate([deals.hands[hand], boards[board]], axis=1)
    strengths = hand_features(deals, cards, Wanted(), threads=threads).mean
    held, count = buckets[board, hand], abstraction.num_buckets(round_index)
    seen = np.bincount(held, minlength=count)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(held, strengths.astype(np.float64), minlength=count) / seen
        times = np.bincount(hand, minlength=deals.num_hands)
        by_hand = np.bincount(hand, mean[held], minlength=deals.num_hands) / times
    return mean, by_hand


def bucket_examples(
    abstraction: CardAbstraction, round_index: int, bucket: int, *, limit: int = 20, seed: int = 0, threads: int = 1
) -> tuple[list[Example], NDArray[np.float64]]:
    """Return at most ``limit`` hands of a bucket on boards drawn at random, by descending E[HS].

    The second result is the bucket's distribution over all hands of the deck, float64[H] with sum 1, or 0 if no hand
    was found.  Raises :class:`InputError` if there is no such round or bucket.
    """
    deals = abstraction.deals
    if not 0 <= bucket < abstraction.num_buckets(round_index):
        raise InputError(
            f"There is no bucket {bucket} on the {round_name(round_index)}; it has the buckets 0 to "
            f"{abstraction.num_buckets(round_index) - 1}."
        )
    boards = drawn_boards(abstraction, round_index, 3_000, seed)
    buckets = abstraction.buckets_on(boards, round_index, threads=threads)
    board, hand = np.nonzero(buckets == bucket)
    by_hand = np.bincount(hand, minlength=deals.num_hands).astype(np.float64)
    by_hand /= max(by_hand.sum(), 1.0)
    rng = np.random.default_rng(seed)
    if len(board) > limit:
        some = np.sort(rng.choice(len(board), size=limit, replace=False))
        board, hand = board[some], hand[some]
    if len(board) == 0:
        return [], by_hand
    cards = np.concatenate([deals.hands[hand], boards[board]], axis=1)
    features = hand_features(deals, cards, Wanted(), threads=threads)
    order = np.argsort(-features.mean, kind="stable")
    text = deals.deck.cards_text
    highest_first = zip(deals.hands[hand][:, ::-1][order], boards[board][order], strict=True)
    texts = [(text(cards), text(table)) for cards, table in highest_first]
    numbers = zip(features.mean[order].tolist(), features.square[order].tolist(), strict=True)
    return [Example(*both, *means) for both, means in zip(texts, numbers, strict=True)], by_hand


def drawn_boards(abstraction: CardAbstraction, round_index: int, count: int, seed: int) -> NDArray[np.int16]:
    """Return boards of a round, drawn uniformly, int16[count, m]; a single one before the first cards."""
    deals = abstraction.deals
    count = count if deals.board_cards[round_index] else 1
    rng = np.random.default_rng([seed, round_index])
    order = rng.random((count, deals.deck.num_cards)).argsort(axis=1)
    return order[:, : deals.board_cards[round_index]].astype(np.int16)
