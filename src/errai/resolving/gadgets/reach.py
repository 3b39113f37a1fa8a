"""Reach re-solving: what the opponent gave up on the way here may be given back to him."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from errai.resolving.gadgets.maxmargin import Maxmargin
from errai.resolving.gadgets.method import Method, Ranges

if TYPE_CHECKING:
    from errai.engine.root import Gadget
    from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Reach(Method):
    """Another method, with the opponent's values raised by his gifts.

    At a decision of his on the way here a hand gives up what its best action is worth more than the one that led
    here: so much more it may be worth in the subgame before it is worth more than before at that decision.  A hand
    that gave much need not be held down, and those that gave nothing are held down further.

    **Guarantee**: of the method that it is laid over, for the strategy as a whole: a best response from the start of
    the game gets no more than before.  What a hand gets *in the subgame* may be more.  Where several subgames are
    solved again, the gifts of one decision must be divided among them (Brown and Sandholm's theorem 1 takes a lower
    bound that does not depend on what is played in others); who makes the ``gifts`` sees to that.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017);
    over Maxmargin it is their Reach-Maxmargin.

    It reads ``gifts``, and what the method below reads.
    """

    over: Method = field(default_factory=Maxmargin)

    @property
    def name(self) -> str:
        """See :class:`Method`."""
        return "reach" if self.over == Maxmargin() else f"reach-{self.over.name}"

    def ranges(self, subgame: Subgame) -> Ranges:
        """See :class:`Method`."""
        return self.over.ranges(subgame)

    def gadget(self, subgame: Subgame) -> Gadget | None:
        """See :class:`Method`."""
        gifts = subgame.required("gifts")
        estimated = None if subgame.estimated is None else subgame.estimated + gifts
        return self.over.gadget(subgame.with_values(values=subgame.values + gifts, estimated=estimated))
