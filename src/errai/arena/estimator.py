"""The interface between matches and the estimators that measure them with less luck."""

from __future__ import annotations

from typing import Protocol

from errai.games.hand import PlayedHand


class Estimator(Protocol):
    """An unbiased estimate of what an agent wins, hand by hand, with less variance than the chips that it did win.

    An estimator knows the strategy of one or both agents, which change seats from hand to hand.  If it has an attribute
    ``fit`` (:class:`errai.arena.luck.fit.Fit`), a match warns where the agents' actions do not fit these strategies.
    """

    @property
    def name(self) -> str:
        """Such as 'chips', 'AIVAT' or 'importance sampling'."""

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """Estimate the chips of the first agent, which sat at ``seat``; all private cards of the hand are known."""


class Chips:
    """The chips that were won."""

    name = "chips"

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """See :class:`Estimator`."""
        return hand.net_chips[seat]
