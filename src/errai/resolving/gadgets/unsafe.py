"""Unsafe re-solving: there is no gadget, and the opponent is assumed to have the estimated range."""

from __future__ import annotations

from dataclasses import dataclass

from errai.resolving.gadgets.method import Method, Ranges, scaled_ranges
from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Unsafe(Method):
    """Both players enter with the ranges of the subgame, and no hand may refuse.

    **Guarantee**: none.  The strategy is right against an opponent with the estimated range; against one with another
    range it may be far more exploitable than the old strategy.

    **Source**: Ganzfried and Sandholm, "Endgame solving in large imperfect-information games" (AAMAS 2015); called
    unsafe by Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017).

    It reads only the ranges.
    """

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        return "unsafe"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`; the opponent's estimated range is scaled to the total of the player's own."""
        return scaled_ranges(subgame, subgame.ranges[subgame.opponent])

    def gadget(self, subgame: Subgame) -> None:
        """See :class:`Method`."""
        return None
