"""Estimated alternative payoffs: estimates of the opponent's values instead of best-response values."""

from __future__ import annotations

from dataclasses import dataclass, field

from errai.engine.root import Gadget
from errai.resolving.gadgets.maxmargin import Maxmargin
from errai.resolving.gadgets.method import Method, Ranges
from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Estimated(Method):
    """Another method, with estimates of the opponent's values instead of the values of a best response.

    A best response to a strategy from a coarse abstraction wins much that no opponent wins from a good strategy.
    Compared with such values all hands have large margins, so they put no constraint on the subgame's strategy.  The
    values of the hands if *both* players follow the strategy are closer to those of an equilibrium.

    **Guarantee**: it is as good as the estimates.  If none differs by more than d chips per hand from what an
    equilibrium would give, at most 2d is lost compared with an equilibrium (Brown and Sandholm's theorem 2); compared
    with the old strategy nothing is guaranteed.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017),
    estimates for alternative payoffs.

    With Maxmargin, as in Libratus, a hand whose estimate is far too low (because it is played badly) has the smallest
    margin in any case, and the solution cares for this hand alone; with re-solving it merely always enters.

    It reads ``estimated`` where the other method reads ``values``.
    """

    over: Method = field(default_factory=Maxmargin)

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        return "estimated" if self.over == Maxmargin() else f"estimated-{self.over.name}"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`."""
        return self.over.ranges(subgame)

    def gadget(self, subgame: Subgame) -> Gadget | None:
        """See :class:`Method`."""
        return self.over.gadget(subgame.with_values(values=subgame.required("estimated")))
