"""Reach re-solving: what the opponent gave up on the way to the subgame may be given back."""

from __future__ import annotations

from dataclasses import dataclass, field

from errai.engine.root import Gadget
from errai.resolving.gadgets.maxmargin import Maxmargin
from errai.resolving.gadgets.method import Method, Ranges
from errai.resolving.subgame import Subgame


@dataclass(frozen=True)
class Reach(Method):
    """Another method, with the opponent's values raised by the opponent's gifts.

    At an earlier decision of the opponent, a hand gives up the difference between the value of its best action and that
    of the action that led here: its value in the subgame may rise by so much before its value at that decision exceeds
    the old one.  A hand that gave up much therefore need not be held down, and those that gave up nothing are held down
    further.

    **Guarantee**: that of the method over which it is used, for the strategy as a whole: a best response from the start
    of the game gets no more than before.  What a hand gets *in the subgame* may be more.  If several subgames are
    re-solved, the gifts of one decision must be divided among them (Brown and Sandholm's theorem 1 takes a lower bound
    that does not depend on the play in the other subgames); whoever computes ``gifts`` must do so.

    **Source**: Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games" (NeurIPS 2017);
    with Maxmargin it is their Reach-Maxmargin.

    It reads ``gifts``, and what the other method reads.
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
