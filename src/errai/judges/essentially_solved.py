"""When a game is essentially solved: a lifetime of play cannot distinguish the strategy from a perfect one."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from statistics import NormalDist

from errai.errors import SolverOptionError

DAYS_PER_YEAR = 365


@dataclass(frozen=True)
class Lifetime:
    """A lifetime of play, and a level of confidence.

    Method: Bowling, Burch, Johanson and Tammelin, "Heads-up limit hold'em poker is solved", Science 347 (2015).  A
    player who plays the perfect counter-strategy for a lifetime wins so little that, at the given one-sided confidence,
    it is not certain to have won at all.  The paper rounds the quantile of the normal distribution to 1.64; here it is
    exact.

    Raises
    ------
    SolverOptionError
        A number is not above 0, or the confidence not between 0.5 and 1.

    Examples
    --------
    >>> round(Lifetime().threshold_mbb, 2)
    1.05
    """

    hands_per_hour: float = 200.0
    hours_per_day: float = 12.0
    years: float = 70.0
    deviation_bb: float = 5.0
    """Standard deviation of the winnings of one hand, in big blinds; about 5 in heads-up limit hold'em."""
    confidence: float = 0.95
    """One-sided confidence level."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (value > 0 and math.isfinite(value)):
                raise SolverOptionError(f"{field.name.replace('_', ' ')} must be above 0, not {value}.")
        if self.hours_per_day > 24:
            raise SolverOptionError(f"A day has 24 hours, not {self.hours_per_day:g}.")
        if not 0.5 < self.confidence < 1:
            raise SolverOptionError(f"The confidence must lie between 0.5 and 1, not at {self.confidence}.")

    @property
    def hands_per_year(self) -> float:
        """Number of hands played in a year."""
        return self.hands_per_hour * self.hours_per_day * DAYS_PER_YEAR

    @property
    def hands(self) -> float:
        """Number of hands played in the whole lifetime."""
        return self.hands_per_year * self.years

    @property
    def deviations(self) -> float:
        """Number of standard deviations for the confidence: 1.645 for 95 %."""
        return NormalDist().inv_cdf(self.confidence)

    @property
    def threshold_mbb(self) -> float:
        """Thousandths of a big blind per hand below which a lifetime does not suffice."""
        return 1000.0 * self.deviations * self.deviation_bb / math.sqrt(self.hands)

    def hands_to_tell(self, exploitability_mbb: float) -> float:
        """Return the number of hands after which this exploitability is noticed at the confidence; infinite for 0."""
        if exploitability_mbb == 0:
            return math.inf
        return (1000.0 * self.deviations * self.deviation_bb / exploitability_mbb) ** 2


@dataclass(frozen=True)
class Verdict:
    """An exploitability compared with a lifetime of play."""

    exploitability_mbb: float
    lifetime: Lifetime

    @property
    def essentially_solved(self) -> bool:
        """Whether a lifetime is too short to distinguish the strategy from a perfect one."""
        return self.exploitability_mbb < self.lifetime.threshold_mbb

    @property
    def hands_to_tell(self) -> float:
        """Number of hands that distinguish the strategy from a perfect one; infinite for an exploitability of 0."""
        return self.lifetime.hands_to_tell(self.exploitability_mbb)

    @property
    def years_to_tell(self) -> float:
        """Years of play that this takes."""
        return self.hands_to_tell / self.lifetime.hands_per_year


def essentially_solved(exploitability_mbb: float, lifetime: Lifetime | None = None) -> Verdict:
    """Compare an exploitability, in thousandths of a big blind per hand, with a lifetime of play.

    Raises
    ------
    SolverOptionError
        The exploitability is below 0 or not a number.

    Examples
    --------
    >>> essentially_solved(0.986).essentially_solved
    True
    """
    if not (exploitability_mbb >= 0 and math.isfinite(exploitability_mbb)):
        raise SolverOptionError(f"An exploitability is a number of at least 0, not {exploitability_mbb}.")
    return Verdict(float(exploitability_mbb), lifetime or Lifetime())
