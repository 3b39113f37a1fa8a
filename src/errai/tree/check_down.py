"""The public tree in which nobody bets any more: its values are chances to win, so equities are a walk like any other.

It is the deal tree with one betting node a street, a deal or the showdown.  At the showdown one chip changes hands, so
a counterfactual value is the weight of the opponent's hands that are beaten less that of the hands that win, averaged
over all boards that may still come to both hands.
"""

from __future__ import annotations

import numpy as np

from errai.kernels.layout import TreeArrays
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.deal_tree import DealTree
from errai.tree.public_tree import street_arrays


def check_down_arrays(deal: DealTree) -> TreeArrays:
    """A deal tree that ends with the last street of its game, with nothing but checks, as the kernels take it."""
    streets = len(deal.streets)
    betting = _checks_only(streets)
    cards = deal.root.hands.astype(np.uint8)
    levels = tuple(street_arrays(betting, np.array([s]), level, cards) for s, level in enumerate(deal.streets))
    reach = tuple(np.ones(int(h.start[-1])) for h in deal.streets[0].hands)
    return TreeArrays(levels, deal.root.deck.num_cards, 0.0, (reach[0], reach[1]))


def _checks_only(streets: int) -> BettingTree:
    """One node a street: cards come, and at the last one the hands are shown for one chip each."""
    nodes = np.arange(streets, dtype=np.int32)
    last = nodes == streets - 1
    return BettingTree(
        num_streets=streets,
        first_round=0,
        street_start=np.arange(streets + 1, dtype=np.int32),
        street=nodes.astype(np.int8),
        kind=np.where(last, NodeKind.SHOWDOWN, NodeKind.CHANCE).astype(np.int8),
        actor=np.full(streets, -1, dtype=np.int8),
        parent=nodes - 1,
        first_child=np.where(last, -1, nodes + 1).astype(np.int32),
        num_children=np.where(last, 0, 1).astype(np.int32),
        contributions=np.ones((streets, 2)),
        action=("",) * streets,
        action_kind=np.full(streets, -1, dtype=np.int8),
        action_total=np.zeros(streets, dtype=np.int64),
        row_start=np.full(streets, -1, dtype=np.int32),
        rows=np.zeros((streets, 2), dtype=np.int32),
        all_in_total=0,
    )
