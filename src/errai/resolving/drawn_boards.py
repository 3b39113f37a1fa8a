"""Which boards stand for all that may come: all of them where they are few, else a fixed and balanced sample."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb, prod

import numpy as np

RunOut = tuple[tuple[int, ...], ...]
"""New cards of each street to come, those of a street ascending; () where none are dealt."""


def drawn_boards(
    num_cards: int, board: tuple[int, ...], new: tuple[int, ...], most: int | None, seed: int
) -> list[RunOut]:
    """Cards to come, sorted, so that those that begin alike stand together.

    All of them where they are at most ``most``.  Otherwise the deck that is left is shuffled and dealt from one place
    after the other, a run-out at each, at distances that are drawn anew once around; so every card comes equally
    often at every place of the board, and now and then a run-out comes twice.  What a pair of hands is worth is the
    mean over the run-outs that it does not block.  By symmetry these are a fair sample of the boards that can come
    for that pair, so the mean is unbiased for every pair of hands and any ranges;
    :class:`errai.resolving.pair_values.PairValues` takes it so.

    Parameters
    ----------
    num_cards:
        Cards of the deck.
    board:
        Cards on the table.
    new:
        How many cards each street to come deals.
    most:
        How many run-outs there may be; None for all.
    seed:
        Together with the board, what the sample depends on.
    """
    left = [card for card in range(num_cards) if card not in board]
    if most is None or run_out_count(len(left), new) <= most:
        return _all(left, new)
    rng = np.random.default_rng([seed, *sorted(board)])
    total = sum(new)
    ends = np.cumsum((0, *new))
    found: list[RunOut] = []
    while len(found) < most:
        deck, distances = rng.permutation(left), np.append(0, 1 + rng.permutation(len(left) - 1)[: total - 1])
        for place in range(min(len(left), most - len(found))):
            cards = deck[(place + distances) % len(left)]
            found.append(tuple(tuple(sorted(cards[a:b].tolist())) for a, b in pairwise(ends)))
    return sorted(found)


def run_out_count(left: int, new: tuple[int, ...]) -> int:
    """How many run-outs there are, with so many cards left in the deck."""
    return prod(comb(left - sum(new[:s]), count) for s, count in enumerate(new))


def _all(left: list[int], new: tuple[int, ...]) -> list[RunOut]:
    if not new:
        return [()]
    return [
        (cards, *rest)
        for cards in combinations(left, new[0])
        for rest in _all([card for card in left if card not in cards], new[1:])
    ]
