"""Weights of the iterations of sampled methods, as data, like the schedules of full-width solving.

A full-width iteration discounts whole tables (:mod:`errai.engine.schedules`).  An iteration on a few sampled boards
changes a small part of them, so what it adds is multiplied by a power of its number instead, which is equivalent for
weights that are powers.
"""

from __future__ import annotations

from dataclasses import dataclass

from errai.errors import SolverOptionError


@dataclass(frozen=True)
class Weights:
    """Iteration t adds its regrets with weight t^regret and its strategy with weight t^average."""

    name: str
    regret: float
    average: float
    floor: bool = False
    """Whether regrets below 0 are set to 0."""


WEIGHTS = {
    w.name: w
    for w in (
        # The weights of Zinkevich et al. 2007 and Lanctot et al. 2009.
        Weights("cfr", 0.0, 0.0),
        # Linear CFR of Brown & Sandholm 2019, which they found to suit sampling as well.
        Weights("linear", 1.0, 1.0),
        # CFR+ of Tammelin 2014, in sampled form as by Burch, Moravcik & Schmid 2019.
        Weights("cfr+", 0.0, 1.0, floor=True),
    )
}


def find_weights(name: str | Weights) -> Weights:
    """Return the weights with a name.  Raises :class:`SolverOptionError` if there are none."""
    if isinstance(name, Weights):
        return name
    if name not in WEIGHTS:
        raise SolverOptionError(
            f"There are no weights {name!r} for sampled methods; choose one of {', '.join(WEIGHTS)}."
        )
    return WEIGHTS[name]
