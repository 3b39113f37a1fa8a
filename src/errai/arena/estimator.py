"""The seam between matches and what measures them with less luck."""

from __future__ import annotations

from typing import Protocol

from errai.games.hand import PlayedHand


class Estimator(Protocol):
    """Says what an agent should have won in a hand: unbiased, with less luck than what it did win.

    An estimator knows the strategy of one or both agents; who sat where changes from hand to hand.
    """

    @property
    def name(self) -> str:
        """Such as 'chips', 'AIVAT' or 'importance sampling'."""

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """Chips for the first agent, which sat at ``seat`` in a hand of which all private cards are known."""


class Chips:
    """What was won, luck and all."""

    name = "chips"

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """See :class:`Estimator`."""
        return hand.net_chips[seat]
