"""Estimated alternatives: what the opponent is thought to be worth, in place of what a best response would win."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errai.resolving.gadgets.maxmargin import Maxmargin
from errai.resolving.gadgets.method import Method, Ranges

if TYPE_CHECKING:
    from errai.engine.root import Gadget
    from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Estimated(Method):
    """Another method, with estimates of the opponent's values in place of his best responses' values.

    A best response to a strategy from a coarse abstraction wins much that no opponent wins from a good one; held
    against such values all hands have large margins, and nothing is asked of the subgame's strategy.  What the hands
    get when *both* follow the strategy is nearer to what they would get from an equilibrium.

    **Guarantee**: as good as the estimates.  If none is off by more than d chips per hand from what an equilibrium
    would give, what is lost against an equilibrium is at most 2d (Brown and Sandholm's theorem 2); against the
    strategy that is replaced nothing is promised.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017),
    estimates for alternative payoffs.

    Over Maxmargin, as in Libratus, one hand whose estimate is far too low (it is played badly) has the smallest margin
    whatever is done, and takes all of the attention; over re-solving it just follows.

    It reads ``estimated`` where the method below reads ``values``.
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
