"""Choose the boards that represent all boards to come: all of them if there are few, else a fixed balanced sample."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb, prod

import numpy as np

RunOut = tuple[tuple[int, ...], ...]
"""The new cards of each street to come, ascending within a street; () if none are dealt."""


def drawn_boards(
    num_cards: int, board: tuple[int, ...], new: tuple[int, ...], most: int | None, seed: int
) -> list[RunOut]:
    """Return run-outs (the cards to come), sorted so that those with equal first cards are next to each other.

    If there are at most ``most``, all are returned.  Otherwise the rest of the deck is shuffled and laid in a circle;
    one run-out begins at each place, with offsets between its cards that are drawn again for each time around.  Thus
    every card is equally frequent at every position of the board, and a run-out may occur twice.  The value of a pair
    of hands is the mean over the run-outs that it does not block.  By symmetry these are a fair sample of the boards
    that can come for that pair, so the mean is unbiased for every pair of hands and any ranges;
    :class:`errai.resolving.pair_values.PairValues` computes it so.

    Parameters
    ----------
    num_cards:
        Cards of the deck.
    board:
        Cards on the table.
    new:
        How many cards each street to come deals.
    most:
        The most run-outs; None for all.
    seed:
        The sample depends on this and the board.
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
    """Return how many run-outs there are, with so many cards left in the deck."""
    return prod(comb(left - sum(new[:s]), count) for s, count in enumerate(new))


def _all(left: list[int], new: tuple[int, ...]) -> list[RunOut]:
    if not new:
        return [()]
    return [
        (cards, *rest)
        for cards in combinations(left, new[0])
        for rest in _all([card for card in left if card not in cards], new[1:])
    ]
