"""DeepStack's two mixtures with an estimated range, at a player's first action on a street."""

from __future__ import annotations

from errai.resolving.gadgets.method import Method
from errai.resolving.gadgets.resolve import Resolve


def openings(method: Method, mixing: float) -> tuple[Method, Method] | None:
    """Return the methods for the player's first action on a street, as the first to act there and as the second.

    ``mixing`` is the weight of the opponent's estimated range.  An opponent who has not acted on the street must enter
    with that part (the aggressive mixture); one who has may refuse all of it (the conservative mixture).  None is
    returned if nothing is mixed in: without a weight, and for methods other than ``resolve``.

    Source: Moravčík et al., "DeepStack" (Science 2017), supplement.
    """
    if not mixing or method != Resolve():
        return None
    return Resolve(mixing, forced=True), Resolve(mixing)
