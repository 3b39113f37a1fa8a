"""Ways to cut a game into a trunk and subgames, with the exact sizes of the parts; no board is built."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cluster.partition import rows_below
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_root import deal_root
from errai.tree.deal_size import DealSize, deal_size
from errai.tree.public_tree import TreePlan


@dataclass(frozen=True)
class Cut:
    """One way to cut a game.  Sizes count information sets up to suits, and entries: their actions."""

    street: int
    """The street whose boards distinguish subgames."""
    by: str
    """What distinguishes subgames: ``board``; ``line and board``, at the start of the street; or ``line, board and
    line``, at the end of the street before the next card, so that the street's betting belongs to the trunk."""
    factors: tuple[int, ...]
    """The numbers of lines into the street, of its boards and of lines on it, as far as they are distinguished.  Their
    product is the number of subgames.  If lines continue in different numbers of ways, all lines through the street
    are one factor."""
    trunk_information_sets: int
    trunk_entries: int
    below_information_sets: int
    """Information sets of all subgames together."""
    below_entries: int
    largest_information_sets: int
    """Information sets of the largest subgame."""
    largest_entries: int

    @property
    def subgames(self) -> int:
        """Number of subgames."""
        return int(np.prod(self.factors, dtype=object))

    @property
    def average_information_sets(self) -> float:
        """Average information sets of a subgame."""
        return self.below_information_sets / self.subgames

    @property
    def average_entries(self) -> float:
        """Average entries of a subgame."""
        return self.below_entries / self.subgames


def cuts(plan: TreePlan) -> tuple[Cut, ...]:
    """Return every cut of a game after its first street, the coarsest first.

    The largest subgame is exact too: it lies on a board of different ranks and as many suits as possible, which has the
    fewest symmetries and therefore the most hands that differ up to suits.
    """
    betting = plan.betting
    found: list[Cut] = []
    for street in range(1, betting.num_streets):
        boards = plan.deal_size.boards[street]
        on_board = _largest_board(plan, street)
        lines = LineSizes.of(betting, street)
        entering = len(lines.decisions)
        if not entering:
            continue
        found.append(_cut(plan, street, street, "board", (boards,), on_board, lines.merged()))
        found.append(_cut(plan, street, street, "line and board", (entering, boards), on_board, lines))
        after = LineSizes.of(betting, street + 1) if street + 1 < betting.num_streets else None
        if after is None or not len(after.decisions):
            continue
        going_on = len(after.decisions)
        split = (
            (entering, boards, going_on // entering) if _goes_on_evenly(betting, lines, after) else (going_on, boards)
        )
        found.append(_cut(plan, street, street + 1, "line, board and line", split, on_board, after))
    return tuple(found)


@dataclass(frozen=True)
class LineSizes:
    """The betting below each line that enters a street and has a decision below; L lines, S streets, 2 players."""

    first: NDArray[np.int64]
    """int64[L]: the first node of the line on the street."""
    decisions: NDArray[np.int64]
    """int64[L, S, 2]: decision nodes."""
    rows: NDArray[np.int64]
    """int64[L, S, 2]: (decision node, action) pairs."""

    @classmethod
    def of(cls, betting: BettingTree, street: int) -> LineSizes:
        """Count below every line that enters ``street``."""
        below = rows_below(betting, street)
        decisions, rows = (
            np.zeros((len(a), betting.num_streets, 2), np.int64) for a in (below.decisions, below.actions)
        )
        decisions[:, street:], rows[:, street:] = below.decisions, below.actions
        alive = decisions.any(axis=(1, 2))
        return cls(np.flatnonzero(alive) + int(betting.street_start[street]), decisions[alive], rows[alive])

    def merged(self) -> LineSizes:
        """Merge all lines into one."""
        return LineSizes(self.first[:1], self.decisions.sum(axis=0)[None], self.rows.sum(axis=0)[None])


def _cut(
    plan: TreePlan,
    street: int,
    first: int,
    by: str,
    factors: tuple[int, ...],
    on_board: DealSize,
    lines: LineSizes,
) -> Cut:
    """Compute a cut at the boards of ``street``, whose subgames begin with the betting of street ``first``."""
    trunk = [0, 0]
    below = [0, 0]
    for s, classes in enumerate(plan.deal_size.classes):
        for p in (0, 1):
            part = trunk if s < first else below
            part[0] += len(plan.betting.decision_nodes(s, p)) * classes[p]
            part[1] += plan.betting.num_rows(s, p) * classes[p]
    hands = np.zeros((plan.betting.num_streets, 2), dtype=np.int64)
    hands[street:] = on_board.classes
    largest = [int((counts * hands).sum(axis=(1, 2)).max()) for counts in (lines.decisions, lines.rows)]
    return Cut(street, by, factors, trunk[0], trunk[1], below[0], below[1], largest[0], largest[1])


def _goes_on_evenly(betting: BettingTree, lines: LineSizes, after: LineSizes) -> bool:
    """Return whether every line into a street continues to the next street in equally many ways."""
    node = after.first
    while not np.isin(node, lines.first).all():
        node = np.where(np.isin(node, lines.first), node, betting.parent[node])
    times = np.unique(node, return_counts=True)[1]
    return len(times) == len(lines.first) and len(set(times.tolist())) == 1


def _largest_board(plan: TreePlan, street: int) -> DealSize:
    """Return the hands on and below the board of a street that has the fewest symmetries."""
    root, deck = plan.root, plan.root.deck
    board = _uneven_board(deck, sum(root.new_cards[:street]))
    return deal_size(deal_root(deck, root.hands.shape[1], root.new_cards[street:], board=board, ranking=root.ranking))


def _uneven_board(deck: Deck, cards: int) -> tuple[int, ...]:
    """Return cards of as many ranks and suits as there are, which few symmetries leave in place."""
    ranks, suits = deck.num_ranks, deck.num_suits
    return tuple(sorted((i % ranks) * suits + (i + i // ranks) % suits for i in range(cards)))
