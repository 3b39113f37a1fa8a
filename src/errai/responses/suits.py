"""Whether a strategy is symmetric in the suits, and a cheap check of it.

A walk up to suits queries one of all boards and hands that a renaming of the suits turns into each other, and uses the
answer for all of them.  That is right only if the strategy is symmetric in the suits.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.errors import SuitsError
from errai.games.sizing import BetMenu
from errai.games.subject import Subject
from errai.strategies.strategy import BatchedStrategy, Deals, Decision, says
from errai.tree.deal_root import DealRoot
from errai.tree.public_tree import plan_public_tree

FEW_ENTRIES = 10_000_000
"""Up to this number of strategy entries, suits not merged, an unknown strategy is queried for all of them."""

SAME = 1e-6
"""Probabilities that differ by at most this count as equal."""


def merges_suits(
    strategy: BatchedStrategy, subject: Subject, menu: BetMenu | None = None, told: bool | None = None
) -> tuple[bool, bool]:
    """Return whether to query a strategy up to suits, and whether to check now and then that this is right.

    A strategy is queried up to suits if it is known to be symmetric or if the caller says so; also in games that are
    too large for anything else, where :class:`SuitCheck` has to check it.
    """
    if told is not None:
        return told, False
    if says(strategy, "suits_alike"):
        return True, False
    large = plan_public_tree(subject, menu=menu, isomorphism=False).entries > FEW_ENTRIES
    return large, large


class SuitCheck:
    """Repeats a query now and then with the suits renamed, and compares the answers.

    Every call uses the next of the renamings that the rules allow.  A strategy that is asymmetric almost everywhere is
    detected at once; one that is asymmetric on a few boards may be missed.

    Parameters
    ----------
    root:
        The root of the deal tree; its symmetries are the renamings.
    """

    def __init__(self, root: DealRoot) -> None:
        self.root = root
        self._next = 0

    def look(
        self, strategy: BatchedStrategy, decisions: Sequence[Decision], deals: Deals, answer: NDArray[np.floating]
    ) -> None:
        """Compare the answer for a board with the answer for its image under a renaming.

        Raises :class:`SuitsError` if they differ.
        """
        if len(self.root.symmetries) < 2:
            return
        self._next = self._next % (len(self.root.symmetries) - 1) + 1
        renamed = self.root.symmetries[self._next]
        cards = np.sort(renamed[deals.cards.astype(np.int64)], axis=1)
        board, dealt = renamed[deals.boards[0].astype(np.int64)], len(self.root.board)
        board[:dealt].sort()
        for count in self.root.new_cards[: deals.street]:
            board[dealt : dealt + count].sort()
            dealt += count
        image = Deals(
            deals.street,
            board[None, :].astype(np.int8),
            deals.start,
            hand_index(cards).astype(np.int32),
            cards.astype(np.uint8),
        )
        again = np.asarray(strategy.rows(decisions, image))
        if not np.abs(again - answer).max(initial=0.0) <= SAME:
            text = self.root.deck.cards_text
            on = f" on {text(deals.boards[0])} and on {text(board)}" if len(board) else ""
            raise SuitsError(
                f"'{strategy.description}' is not symmetric in the suits: it plays the same hands differently"
                f"{on} after the suits were renamed. Use suits_alike=False (--suits apart), which queries every board "
                "and hand and takes up to 24 times as long with four suits."
            )
