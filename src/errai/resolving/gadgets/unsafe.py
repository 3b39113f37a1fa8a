"""Unsafe re-solving: nothing stands above, and the opponent's range is taken for the truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from errai.resolving.gadgets.method import Method, Ranges, entering

if TYPE_CHECKING:
    from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Unsafe(Method):
    """Both players enter with the ranges of the subgame, and nothing may be refused.

    **Guarantee**: none.  The strategy is right against an opponent who brings the estimated range, and may be far more
    exploitable than the one that it replaces where he brings another.

    **Source**: Ganzfried and Sandholm, "Endgame solving in large imperfect-information games" (AAMAS 2015); called
    unsafe by Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017).

    It reads the ranges alone.
    """

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        return "unsafe"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`; the opponent's as estimated, in the scale of the own range."""
        return entering(subgame, subgame.ranges[subgame.opponent])

    def gadget(self, subgame: Subgame) -> None:
        """See :class:`Method`."""
        return None
