"""Perfect recall: buckets that divide those of the round before, for hands as they were dealt."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.buckets import RoundBuckets, TableBuckets
from errai.abstraction.features import Features
from errai.abstraction.file import table_type
from errai.abstraction.labels import Work


def divided_buckets(work: Work, number: int, features: Features, before: RoundBuckets) -> TableBuckets:
    """Return buckets that divide those of the round before, as a table over hands as dealt."""
    parent, cards, weights = dealt_hands(work, number, before)
    table = np.zeros(len(parent), dtype=np.int32)
    order = np.argsort(parent, kind="stable")
    ends = np.cumsum(np.bincount(parent, minlength=before.num_buckets))
    first = begin = 0
    for bucket, end in enumerate(ends):
        rows = order[begin:end]
        begin = end
        work.tell(number, "buckets", bucket, len(ends))
        if len(rows) == 0:
            first += 1  # A bucket that no hand can be in still gets a number.
            continue
        part = features.select(cards[rows], weights[rows])
        found = work.labels(number, part, quiet=True)
        table[rows] = first + found.buckets
        first += found.count
    return TableBuckets(number, table.astype(table_type(first)), first, dealt=True)


def dealt_hands(work: Work, number: int, before: RoundBuckets) -> tuple[NDArray, NDArray[np.int32], NDArray]:
    """Return for every hand as dealt: the bucket before, the number by cards, and the number of real hands."""
    deals = work.deals
    size = deals.num_classes(number, dealt=True)
    # Narrow numbers are sorted by radix, which matters because there may be 55 million.
    parent = np.zeros(size, dtype=table_type(before.num_buckets))
    cards = np.zeros(size, dtype=np.int32)
    weights = np.zeros(size, dtype=np.int32)
    boards, multiplicity = deals.boards(number, dealt=True)
    for begin in range(0, len(boards), 256):
        work.tell(number, "hands as dealt", begin, len(boards))
        part = boards[begin : begin + 256]
        index = deals.index(part, number, dealt=True, threads=work.threads)
        live = index >= 0
        at = index[live]
        parent[at] = before.on(deals, part[:, : deals.board_cards[number - 1]], work.threads)[live]
        cards[at] = deals.index(part, number, threads=work.threads)[live]
        spread = np.broadcast_to(multiplicity[begin : begin + 256, None], index.shape)
        np.add.at(weights, at, spread[live].astype(np.int32))
    return parent, cards, weights
