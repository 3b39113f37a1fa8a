"""Whether a strategy plays alike what suits make equal: what may be asked once, and a look that costs little.

A walk up to suits asks about one board and one hand of all that renamings of the suits make equal, and counts its
answer for all of them.  That is right only for a strategy that plays them alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.errors import SuitsError
from errai.games.hand import Subject
from errai.games.sizing import BetMenu
from errai.strategies.strategy import BatchedStrategy, Deals, Decision
from errai.tree.deal_root import DealRoot
from errai.tree.public_tree import plan_public_tree

FEW_ENTRIES = 10_000_000
"""Strategy entries, suits counted apart, up to which a strategy that nobody knows is simply asked about all of them."""

SAME = 1e-6
"""Probabilities that are so near to one another are the same."""


def merges_suits(
    strategy: BatchedStrategy, subject: Subject, menu: BetMenu | None = None, told: bool | None = None
) -> tuple[bool, bool]:
    """Whether a strategy is asked once about what suits make equal, and whether to look now and then if that is right.

    The former is so where the strategy is known to play alike, or where somebody says so; and in games too large for
    anything else, where :class:`SuitCheck` has to look.
    """
    if told is not None:
        return told, False
    if getattr(strategy, "suits_alike", False):
        return True, False
    large = plan_public_tree(subject, menu=menu, isomorphism=False).entries > FEW_ENTRIES
    return large, large


class SuitCheck:
    """Asks a strategy now and then about the same board and hands with the suits renamed.

    Every call takes the next of the renamings that the rules allow.  A strategy that tells suits apart almost
    everywhere is found out at once; one that does so on few boards may be missed.

    Parameters
    ----------
    root:
        Where the deal tree starts; its symmetries are the renamings.
    """

    def __init__(self, root: DealRoot) -> None:
        self.root = root
        self._next = 0

    def look(
        self, strategy: BatchedStrategy, decisions: Sequence[Decision], deals: Deals, answer: NDArray[np.floating]
    ) -> None:
        """Compare an answer about one board with that about its image.

        Raises :class:`SuitsError` where they differ.
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
                f"'{strategy.description}' does not play alike what suits make equal: it was asked for the same hands"
                f"{on}, suits renamed. With suits_alike=False (--suits-apart) every board and hand is asked for, which "
                "takes up to 24 times as long with four suits."
            )
