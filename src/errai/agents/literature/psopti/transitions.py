"""Count how pairs of buckets change from round to round, over boards.

Both players' hands are dealt from one deck and share the board, so their buckets are dependent; what is counted is
pairs of hands without a common card.  With a one-hot table of hands and labels, the pairs of all hands minus those that
share a card give the pairs of every two labels at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import Deals
from errai.agents.literature.psopti.buckets import HandBuckets
from errai.cards.strength import strengths_on_boards

Floats = NDArray[np.float64]
Report = Callable[[str, int, int], None]
"""Called with what is counted, how many boards are done, and how many there are."""


def pair_counts(deals: Deals, label: NDArray[np.integer], count: int) -> Floats:
    """Return float64[count, count]: ordered pairs of hands without a common card, by both labels; -1 is no label."""
    live = np.flatnonzero(label >= 0)
    held = label[live]
    total = np.bincount(held, minlength=count).astype(np.float64)
    pairs = np.outer(total, total)
    cards = np.zeros((deals.deck.num_cards, count))
    for column in deals.hands[live].T:
        np.add.at(cards, (column, held), 1.0)
    pairs -= cards.T @ cards
    # A hand paired with itself is subtracted once for each of its cards, but is only one pair.
    pairs[np.diag_indices(count)] += (deals.hands.shape[1] - 1) * total
    return pairs


def margins(deals: Deals, label: NDArray[np.integer], count: int, strength: NDArray[np.integer]) -> Floats:
    """Return float64[count, count]: :func:`pair_counts` that the first hand wins, minus those that it loses.

    Parameters
    ----------
    strength:
        integers[H]; greater is better.
    """
    live = np.flatnonzero(label >= 0)
    held, won = label[live], strength[live]
    _, level = np.unique(won, return_inverse=True)
    table = np.zeros((int(level.max()) + 1, count))
    np.add.at(table, (level, held), 1.0)
    below = np.cumsum(table, axis=0) - table
    wins = table.T @ below
    for card in range(deals.deck.num_cards):
        meet = np.flatnonzero((deals.hands[live] == card).any(axis=1))
        better = won[meet][:, None] > won[meet][None, :]
        cell = held[meet][:, None] * count + held[meet][None, :]
        wins -= np.bincount(cell[better], minlength=count * count).reshape(count, count)
    return wins - wins.T


@dataclass(frozen=True, eq=False)
class Counts:
    """The counts from which the models are made.

    Attributes
    ----------
    start:
        float64[C, C, K, K]: pairs of hand classes before the flop, with the buckets on the flop.
    moves:
        Counts, float64[K, K, K', K'], from the flop to the turn, and from the turn to the river.
    showdown:
        float64[K, K] on the river: the probability of winning minus that of losing, by both buckets.
    """

    start: Floats
    moves: tuple[Floats, Floats]
    showdown: Floats


def count_moves(
    buckets: HandBuckets,
    hand_class: NDArray[np.integer],
    *,
    flops: int | None = None,
    turns: int = 4,
    seed: int = 0,
    report: Report | None = None,
) -> Counts:
    """Count pairs of buckets over all flops up to suits, and over turns and rivers that are drawn for each.

    Parameters
    ----------
    hand_class:
        integers[H]: the class before the flop, 0 to C - 1.
    flops:
        How many of the flops are used, drawn without replacement; None for all.
    turns:
        Turns drawn for each flop, with one river each.
    """
    deals = buckets.deals
    boards, multiplicity = deals.boards(1)
    rng = np.random.default_rng(seed)
    chosen = np.arange(len(boards))
    if flops is not None and flops < len(boards):
        chosen = np.sort(rng.choice(len(boards), size=flops, replace=False))
    classes = int(hand_class.max()) + 1
    flop, turn, river = (cuts.num_buckets for cuts in buckets.cuts)
    start = np.zeros((classes * flop, classes * flop))
    first = np.zeros((flop * turn, flop * turn))
    second = np.zeros((turn * river, turn * river))
    won, met = np.zeros((river, river)), np.zeros((river, river))
    for number, which in enumerate(chosen.tolist()):
        if report is not None:
            report("flops", number, len(chosen))
        weight = float(multiplicity[which])
        board = tuple(boards[which].tolist())
        flop_bucket = buckets.on(board).astype(np.int64)
        start += weight * pair_counts(
            deals, np.where(flop_bucket >= 0, hand_class * flop + flop_bucket, -1), len(start)
        )
        rest = np.setdiff1d(np.arange(deals.deck.num_cards), board)
        for _ in range(turns):
            fourth, fifth = rng.choice(rest, size=2, replace=False).tolist()
            turn_bucket = buckets.on((*board, fourth)).astype(np.int64)
            river_bucket = buckets.on((*board, fourth, fifth)).astype(np.int64)
            first += weight * pair_counts(
                deals, np.where(turn_bucket >= 0, flop_bucket * turn + turn_bucket, -1), len(first)
            )
            second += weight * pair_counts(
                deals, np.where(river_bucket >= 0, turn_bucket * river + river_bucket, -1), len(second)
            )
            final = np.array([[*board, fourth, fifth]], dtype=np.int16)
            strength = strengths_on_boards(final, deals.hands, deals.deck, deals.game.ranking)[0]
            won += weight * margins(deals, river_bucket, river, strength)
            met += weight * pair_counts(deals, river_bucket, river)
    return Counts(
        start.reshape(classes, flop, classes, flop).transpose(0, 2, 1, 3),
        (
            first.reshape(flop, turn, flop, turn).transpose(0, 2, 1, 3),
            second.reshape(turn, river, turn, river).transpose(0, 2, 1, 3),
        ),
        np.divide(won, met, out=np.zeros_like(won), where=met > 0),
    )


def as_probabilities(counts: Floats) -> Floats:
    """Turn counts float64[K, L, K', L'] into probabilities of the next pair; they are uniform for a pair never seen."""
    total = counts.sum(axis=(2, 3), keepdims=True)
    even = 1.0 / (counts.shape[2] * counts.shape[3])
    found = np.where(total > 0, counts / np.where(total > 0, total, 1.0), even)
    return np.asarray(found / found.sum(axis=(2, 3), keepdims=True))


def all_in_margins(
    deals: Deals,
    hand_class: NDArray[np.integer],
    *,
    boards: int,
    seed: int = 0,
    report: Report | None = None,
) -> Floats:
    """Return float64[C, C]: wins minus losses without bets after the flop, as a share of the drawn boards."""
    classes = int(hand_class.max()) + 1
    rng = np.random.default_rng(seed)
    won, met = np.zeros((classes, classes)), np.zeros((classes, classes))
    for number in range(boards):
        if report is not None and number % 50 == 0:
            report("run-outs", number, boards)
        drawn = rng.permutation(deals.deck.num_cards)[: deals.final].astype(np.int16)
        strength = strengths_on_boards(drawn[None], deals.hands, deals.deck, deals.game.ranking)[0]
        label = np.where(strength >= 0, hand_class, -1)
        won += margins(deals, label, classes, strength)
        met += pair_counts(deals, label, classes)
    return np.divide(won, met, out=np.zeros_like(won), where=met > 0)
