"""Showdown values without further betting: a board and all boards that may follow, as a tree without decisions.

Its first street is the board with every hand that it does not block.  If cards are due, its second street has every
final board; all cards that are due come at once.  At the showdown one chip changes hands.  A counterfactual value is
therefore the weight of the opponent's hands that are beaten minus that of the hands that win, averaged over all boards
that are possible for both hands.  Any kernel can walk this tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import hand_cards
from errai.cards.strength import HandRanking, strengths_on_boards
from errai.games.catalogue import load_game
from errai.kernels.backends import make_kernel
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Kernel
from errai.tree.betting_tree import BettingTree, build_betting_tree
from errai.tree.deal_tree import DealHands, DealStreet
from errai.tree.public_tree import street_arrays

MOST_STRENGTHS = 4_000_000
"""Number of hands times boards up to which all boards are evaluated: 1.4 million on hold'em's flop, 2.8e9 before it."""


@dataclass(frozen=True, eq=False)
class RunOut:
    """All boards that may follow a board; made by :func:`run_out`."""

    live: NDArray[np.int64]
    """int64[L]: the hand indices of the hands that the board does not block, in the order of the tree."""
    num_hands: int
    kernel: Kernel

    def margins(self, player: int, opponent: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[H]: the weight of the opponent's hands that each hand beats minus that of those it loses to.

        ``opponent`` is float64[H], the weights of the other player's hands.  Hands that share a card do not meet.  The
        result is NaN for hands that the board blocks.
        """
        found = np.full(self.num_hands, np.nan)
        found[self.live] = self._recent(player, opponent[self.live].tobytes())
        return found

    @cached_property
    def _recent(self) -> Callable[[int, bytes], NDArray[np.float64]]:
        """An action changes one of two ranges, so one margin of the next node is that of the node before."""
        return lru_cache(maxsize=4)(self._walked)

    def _walked(self, player: int, opponent: bytes) -> NDArray[np.float64]:
        strategy = self.kernel.tree.zeros(np.float64)  # There are no decisions.
        return np.asarray(self.kernel.board_values(strategy, player, 0, 0, np.frombuffer(opponent).copy()[None])[0])


def count_strengths(deck: Deck, hole_cards: int, board_cards: int, last: int) -> int:
    """Return the number of hands times boards that :func:`run_out` evaluates for a board of ``board_cards`` cards."""
    left = deck.num_cards - board_cards
    return comb(left, last - board_cards) * comb(left, hole_cards)


def run_out(deck: Deck, hole_cards: int, board: tuple[int, ...], last: int, ranking: HandRanking) -> RunOut:
    """Return the tree of all boards of ``last`` cards that may follow a board; recent ones are kept."""
    return _of_street(last - len(board))(deck, hole_cards, board, last, ranking)


@cache
def _of_street(due: int) -> Callable[[Deck, int, tuple[int, ...], int, HandRanking], RunOut]:
    """Keep two for each number of cards to come: rivers that a user leafs through do not push out a flop."""
    return lru_cache(maxsize=2)(_built)


def _built(deck: Deck, hole_cards: int, board: tuple[int, ...], last: int, ranking: HandRanking) -> RunOut:
    hands = hand_cards(deck.num_cards, hole_cards)
    live = np.flatnonzero(~np.isin(hands, board).any(axis=1))
    left = [card for card in range(deck.num_cards) if card not in board]
    due = last - len(board)
    new = np.array(list(combinations(left, due)), dtype=np.int64).reshape(comb(len(left), due), due)
    boards = np.concatenate([np.tile(np.array(board, dtype=np.int64), (len(new), 1)), new], axis=1)
    strengths = strengths_on_boards(boards, hands[live], deck, ranking)
    # Every board blocks the same number of hands, and they come first.
    order = np.argsort(strengths, axis=1, kind="stable")[:, len(live) - comb(len(left) - due, hole_cards) :]
    ordered = np.take_along_axis(strengths, order, axis=1)
    rank = np.zeros(order.shape, dtype=np.int32)
    np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=rank[:, 1:])
    chance = 1.0 / comb(len(left) - 2 * hole_cards, due)
    table = _street(live[order], order, rank, chance)
    levels = [table]
    if due:
        none = np.zeros((1, len(live)), dtype=np.int32)
        levels.insert(0, _street(live[None, :], none, none, 1.0, len(boards)))
    else:
        live = live[order[0]]
    cards = hands.astype(np.uint8)
    betting = _checks_only(len(levels))
    streets = tuple(street_arrays(betting, np.array([s]), level, cards) for s, level in enumerate(levels))
    arrays = TreeArrays(streets, deck.num_cards, 0.0, (np.ones(len(live)), np.ones(len(live))))
    return RunOut(live, len(hands), make_kernel("cpu", arrays))


def _street(
    hand: NDArray[np.int64], parent: NDArray[np.integer], rank: NDArray[np.int32], up_weight: float, children: int = 0
) -> DealStreet:
    """Return a street of boards with the hands [B, n] of both players, each hand a class of its own."""
    boards, count = hand.shape
    flat = hand.ravel().astype(np.int32)
    hands = DealHands(
        start=np.arange(boards + 1, dtype=np.int64) * count,
        hand=flat,
        parent=parent.ravel().astype(np.int32),
        up_weight=np.full(flat.size, up_weight),
        rank=np.ascontiguousarray(rank.ravel()),
        twin=np.tile(np.arange(count, dtype=np.int32), boards),
        member_start=np.arange(flat.size + 1, dtype=np.int64),
        member=flat,
    )
    ones = np.ones(boards, dtype=np.int32)
    above = np.full(boards, -1 if children or boards == 1 else 0, dtype=np.int32)
    child_start = np.array([0, children], dtype=np.int32) if children else np.zeros(boards + 1, dtype=np.int32)
    nobody = np.zeros((boards, 0), dtype=np.int8)
    return DealStreet(nobody, above, ones, ones.astype(np.int64), child_start, ((),) * boards, (hands, hands))


def _checks_only(streets: int) -> BettingTree:
    """Return a betting tree with one node per street, and a showdown for 1 chip on the last."""
    none, one = (0,) * streets, (1,) * streets
    rounds: dict[str, Any] = {"first_player": none, "max_raises": none, "num_board_cards": none, "raise_sizes": one}
    # Both players are all-in with their antes.
    return build_betting_tree(replace(load_game("kuhn"), num_rounds=streets, stacks=(1, 1), **rounds))
