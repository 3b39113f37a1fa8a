"""Payoffs of pairs of hands at showdowns where the rest of the board is dealt without further action.

Such an end needs no boards in the tree.  The probabilities that each pair of hands wins and ties, over all boards that
may come, are a matrix that is computed once.  Before the flop they come from the table of all pairs
(:mod:`errai.cards.pair_table`), later from evaluating all boards.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.pair_table import pair_table
from errai.cards.run_outs import RunOuts
from errai.kernels.layout import PairPayoffs
from errai.tree.deal_root import DealRoot
from errai.tree.deal_tree import DealHands, DealStreet

Wins = Callable[[NDArray[np.integer], NDArray[np.integer]], NDArray[np.integer]]
"""A function of F and S hand indices that returns integers[F, S]: on how many boards the first hand wins."""


def run_out_payoffs(root: DealRoot, level: DealStreet, cards: int, step: Callable[[], Any]) -> PairPayoffs:
    """Count the wins and ties of pairs of hands on every board of a street.

    Parameters
    ----------
    root:
        The cards, ranges and board at the root.
    level:
        The street after whose betting there is a showdown.
    cards:
        The number of board cards that are dealt before the showdown.
    step:
        Called once per board of the street, and in between if there is much to count.
    """
    margins: tuple[list[NDArray[np.float64]], ...] = ([], [])
    ties: tuple[list[NDArray[np.float64]], ...] = ([], [])
    each = comb(root.deck.num_cards - level.boards.shape[1] - 2 * root.hands.shape[1], cards)
    same = level.hands[0] is level.hands[1]
    bits = (1 << root.hands).sum(axis=1)
    for b, board in enumerate(level.boards):
        wins = _wins(root, tuple(board.tolist()), [h.member[_members(h, b)] for h in level.hands], cards, step)
        for p in (0,) if same else (0, 1):
            mine, theirs = level.hands[p], level.hands[1 - p]
            own = mine.hand[mine.start[b] : mine.start[b + 1]]
            members = theirs.member[_members(theirs, b)]
            won, lost = wins(own, members), wins(members, own).T
            fits = (bits[own][:, None] & bits[members]) == 0
            starts = theirs.member_start[theirs.start[b] : theirs.start[b + 1]]
            for found, counts in ((margins, won - lost), (ties, each - won - lost)):
                summed = np.add.reduceat(fits * counts.astype(np.int64), starts - starts[0], axis=1)
                found[p].append((summed / each).ravel())
        step()
    margin, tie = ([np.concatenate(blocks) for blocks in found if blocks] for found in (margins, ties))
    # Players with the same live hands share their matrices.
    return PairPayoffs((margin[0], margin[-1]), (tie[0], tie[-1]))


def _members(hands: DealHands, b: int) -> slice:
    """Return the range of the hands of a board."""
    first, last = hands.start[b : b + 2]
    return slice(int(hands.member_start[first]), int(hands.member_start[last]))


def _wins(
    root: DealRoot, board: tuple[int, ...], live: list[NDArray[np.int32]], cards: int, step: Callable[[], Any]
) -> Wins:
    hole_cards = root.hands.shape[1]
    if not board:
        return pair_table(root.deck, hole_cards, cards, root.ranking).wins
    hands = np.union1d(*live)
    place = np.full(len(root.hands), -1)
    place[hands] = np.arange(len(hands))
    run_outs = RunOuts.of(root.deck, hole_cards, len(board) + cards, root.ranking)
    counted = run_outs.wins(board, hands, step)
    return lambda first, second: counted[np.ix_(place[first], place[second])]
