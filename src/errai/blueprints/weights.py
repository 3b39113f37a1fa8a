"""How much the iterations of sampled methods count: data, as the schedules of full-width solving are.

A full-width iteration scales whole tables (:mod:`errai.engine.schedules`).  An iteration on a few drawn boards
touches a small part of them, so what it adds grows with its number instead, which comes to the same for weights that
are powers.
"""

from __future__ import annotations

from dataclasses import dataclass

from errai.errors import SolverOptionError


@dataclass(frozen=True)
class Weights:
    """Iteration t adds its regrets t^regret times and its strategy t^average times."""

    name: str
    regret: float
    average: float
    floor: bool = False
    """Whether regrets below 0 are forgotten."""


WEIGHTS = {
    w.name: w
    for w in (
        # Zinkevich et al. 2007; Lanctot et al. 2009.
        Weights("cfr", 0.0, 0.0),
        # Brown & Sandholm 2019, linear CFR, which they found to suit sampling as well.
        Weights("linear", 1.0, 1.0),
        # Tammelin 2014; in sampled form as by Burch, Moravcik & Schmid 2019.
        Weights("cfr+", 0.0, 1.0, floor=True),
    )
}


def find_weights(name: str | Weights) -> Weights:
    """The weights of a name.  Raises :class:`SolverOptionError` where there are none."""
    if isinstance(name, Weights):
        return name
    if name not in WEIGHTS:
        raise SolverOptionError(
            f"There are no weights {name!r} for sampled methods; choose one of {', '.join(WEIGHTS)}."
        )
    return WEIGHTS[name]
