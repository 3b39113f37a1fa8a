"""DeepStack's two mixtures with an estimated range, where a player first acts on a street."""

from __future__ import annotations

from errai.resolving.gadgets.method import Method
from errai.resolving.gadgets.resolve import Resolve


def openings(method: Method, mixing: float) -> tuple[Method, Method] | None:
    """What holds the opponent at the player's first action on a street: where nobody has acted, and where he has.

    ``mixing`` is the weight of his estimated range; who has not acted on it must follow with it (the aggressive
    mixture), who has may refuse all of it (the conservative one).  None where nothing is mixed in: without a weight,
    and for other methods than ``resolve``.

    Source: Moravčík et al., "DeepStack" (Science 2017), supplement.
    """
    if not mixing or method != Resolve():
        return None
    return Resolve(mixing, forced=True), Resolve(mixing)
