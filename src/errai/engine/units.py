"""Units of exploitabilities and targets: chips, thousandths of a big blind, and per cent of the pot."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from errai.errors import CertificateError, TargetError
from errai.games.game import Subject
from errai.own_code import described


@dataclass(frozen=True)
class Units:
    """Conversion of chips of one game or spot."""

    initial_pot_chips: float
    big_blind_chips: float | None
    """The big blind; None if a spot does not state it, in which case there is no mbb."""

    @classmethod
    def of(cls, subject: Subject, initial_pot_chips: float) -> Units:
        """Return the units of a game, whose largest blind or ante is the big blind, or of a spot."""
        blind = subject.big_blind
        return cls(float(initial_pot_chips), None if blind is None else float(blind))

    def mbb(self, chips: float) -> float | None:
        """Return thousandths of a big blind, or None without one."""
        return None if self.big_blind_chips is None else 1000.0 * chips / self.big_blind_chips

    def pot_percent(self, chips: float) -> float:
        """Return per cent of the pot at the root."""
        return 100.0 * chips / self.initial_pot_chips


@dataclass(frozen=True)
class Measurement:
    """The exploitability of a strategy profile: half of what both players could gain by best responses."""

    chips: float
    """nash_conv / 2, in chips per hand."""
    units: Units

    @property
    def mbb(self) -> float | None:
        """The exploitability in thousandths of a big blind per hand; None if there is no big blind."""
        return self.units.mbb(self.chips)

    @property
    def pot_percent(self) -> float:
        """The exploitability in per cent of the pot at the root."""
        return self.units.pot_percent(self.chips)

    @property
    def nash_conv(self) -> float:
        """The sum of both gains, in chips."""
        return 2.0 * self.chips

    def to_dict(self) -> dict[str, Any]:
        """Return the exploitability in all units, as values that JSON can hold; ``mbb`` is None without a big blind."""
        mbb = None if self.mbb is None else float(self.mbb)
        return {"chips": float(self.chips), "mbb": mbb, "pot_percent": float(self.pot_percent)}

    def __str__(self) -> str:
        mbb = "" if self.mbb is None else f", {self.mbb:.4g} mbb"
        return f"{self.chips:.6g} chips ({self.pot_percent:.4g}% of the pot{mbb})"


@dataclass(frozen=True)
class Exploitability(Measurement):
    """An exploitability computed in float64, with the gain of each player."""

    by_player: tuple[float, float]
    """Chips per hand that each player would gain by switching to a best response."""

    def bracket(self, value: float) -> tuple[float, float]:
        """Return the numbers between which the value of a zero-sum game for player 0 is, in chips.

        ``value`` is what player 0 wins under the strategies.  Player 0's own strategy wins at least the first against
        anybody, and player 1's allows nobody more than the second.
        """
        return value - self.by_player[1], value + self.by_player[0]

    def __post_init__(self) -> None:
        for chips in (self.chips, *self.by_player):
            checked_chips(chips)

    def to_dict(self) -> dict[str, Any]:
        """As :meth:`Measurement.to_dict`, with the gains before it."""
        return {"gain_chips": [float(gain) for gain in self.by_player], **super().to_dict()}


def checked_chips(chips: float) -> float:
    """Return an exploitability or a gain.  Raises :class:`CertificateError` if it is not finite."""
    if not math.isfinite(chips):
        raise CertificateError(
            f"The exploitability is {chips:g}, so nothing is certified: numbers that the run computed are not finite."
        )
    return chips


_TARGET = re.compile(r"\s*([0-9.]+(?:e[+-]?[0-9]+)?)\s*(%\s*pot|%|mbb(?:/g)?|chips?)?\s*", re.IGNORECASE)


FINEST = 1e-16
"""The finest target, as a part of the pot: sums in float64 are not more exact."""


@dataclass(frozen=True)
class Target:
    """An exploitability at which solving stops."""

    text: str
    chips: float

    @classmethod
    def parse(cls, text: str, units: Units) -> Target:
        """Parse ``0.3%pot``, ``1mbb`` or ``0.5chips``.

        Raises
        ------
        TargetError
            The text is not a target, names no unit, is 0 or finer than sums are exact, or asks for mbb although there
            is no big blind.
        """
        hint = "write 0.3%pot, 1mbb or 0.5chips"
        match = _TARGET.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise TargetError(f"{described(text)} is not a target; {hint}.")
        try:
            number = float(match[1])
        except ValueError:
            raise TargetError(f"{match[1]!r} in the target {text!r} is not a number; {hint}.") from None
        unit = re.sub(r"\s|/g", "", (match[2] or "").lower())
        if not unit:
            raise TargetError(f"The target {text!r} names no unit; {hint}.")
        if not number > 0 or not math.isfinite(number):
            raise TargetError(f"The target {text!r} must be a finite number above 0.")
        if unit.startswith("%"):
            chips = number / 100.0 * units.initial_pot_chips
        elif unit == "mbb":
            if units.big_blind_chips is None:
                raise TargetError(
                    f"The target {text!r} is in big blinds, but the spot names none; "
                    "add big_blind to the spot, or give the target in %pot or chips."
                )
            chips = number / 1000.0 * units.big_blind_chips
        else:
            chips = number
        if chips < FINEST * units.initial_pot_chips:
            finest = f"at least {100 * FINEST:g}%pot"
            raise TargetError(f"The target {text!r} is finer than sums of numbers are exact; ask for {finest}.")
        return cls(text, chips)
