"""Classes of hands as the page shows them: the square of two-card hands, a grid of cards, or each hand by itself.

The classes and their means are those of :func:`errai.pictures.summary.summarise`, for both players in one step.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.pictures.nodes import RANK_ORDER, SUIT_ORDER
from errai.pictures.nodes import split_cards as cards_of
from errai.solutions.node import NO_EQUITY, SolutionNode

Floats = NDArray[np.float64]


@lru_cache(maxsize=32)
def _layout(hands: tuple[str, ...], deck: tuple[str, ...]) -> tuple[int, list[str], NDArray[np.int64]]:
    """Return the length of a row, the labels of all classes row by row, and the class of each hand."""
    ranks = sorted({card[0] for card in deck}, key=RANK_ORDER.index, reverse=True)
    suits = sorted({card[1] for card in deck}, key=SUIT_ORDER.index, reverse=True)
    size = len(hands[0]) // 2 if hands else 2
    if size == 2:
        labels = [
            row + column + ("" if i == j else "s") if i <= j else column + row + "o"
            for i, row in enumerate(ranks)
            for j, column in enumerate(ranks)
        ]
        names = []
        for hand in hands:
            high, low = sorted(cards_of(hand), key=lambda card: ranks.index(card[0]))
            names.append(high[0] + low[0] + ("" if high[0] == low[0] else "s" if high[1] == low[1] else "o"))
    else:
        names = list(hands)
        labels = [rank + suit for rank in ranks for suit in suits] if size == 1 else names
    place = {label: i for i, label in enumerate(labels)}
    columns = len(ranks) if size == 2 else len(suits) if size == 1 else 13
    return columns, labels, np.array([place[name] for name in names], dtype=np.int64)


@lru_cache(maxsize=32)
def _free(hands: tuple[str, ...], board: str) -> Floats:
    """Return 1 for each hand that a board leaves, and 0 for the others."""
    cards = set(cards_of(board))
    return np.array([cards.isdisjoint(cards_of(hand)) for hand in hands], dtype=np.float64)


def class_arrays(node: SolutionNode, strategy: ArrayLike | None, action_ev: ArrayLike | None) -> dict[str, Any]:
    """Return the classes of all hands at a node, and the means of both players over each of them.

    ``strategy`` and ``action_ev`` are by hand and action, of the player who acts; None if nobody does.  The keys are
    the fields of ``ClassesView`` in the API.
    """
    deck = node.solution.deck
    columns, labels, of = _layout(tuple(node.hands), tuple(deck.card_text(card) for card in range(deck.num_cards)))
    possible = np.bincount(of, _free(tuple(node.hands), node.board_text), len(labels))

    def total(values: Floats) -> Floats:
        return np.bincount(of, values, len(labels)).astype(np.float64)

    def mean(weights: Floats, values: Floats) -> Floats:
        known = np.isfinite(values) & (weights > 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return total(np.where(known, weights * values, 0.0)) / total(np.where(known, weights, 0.0))

    def means(weights: Floats, rows: ArrayLike | None) -> Floats | None:
        if rows is None:
            return None
        return np.stack([mean(weights, one) for one in np.asarray(rows, dtype=np.float64).T], axis=1)

    players = []
    for player in (0, 1):
        weights = np.asarray(node.ranges[player], dtype=np.float64)
        ev, equity = mean(weights, node.ev[player]), mean(weights, node.equity[player])
        with np.errstate(invalid="ignore", divide="ignore"):
            realised = (ev + node.sunk_chips[player]) / (np.where(equity > NO_EQUITY, equity, np.nan) * node.pot_chips)
        acts = node.player == player
        players.append(
            {
                "weight": total(weights) / np.maximum(possible, 1.0),
                "ev_chips": ev,
                "equity": equity,
                "equity_realised": realised,
                "shares": means(weights, strategy) if acts else None,
                "action_ev_chips": means(weights, action_ev) if acts else None,
            }
        )
    possible = possible.astype(np.int64)
    return {"columns": columns, "labels": labels, "of_hands": of, "possible": possible, "players": players}
