"""Money and chips: a hand history may count in dollars and cents, while Errai counts whole chips."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from errai.errors import HistoryError
from errai.games.subject import UNLIMITED_CHIPS

MOST_DIGITS = 6
"""Digits after the point that an amount may have."""


@dataclass(frozen=True)
class Amounts:
    """The conversion between the money of one hand and chips."""

    chips_per_unit: int = 1

    @classmethod
    def fitting(cls, values: Iterable[Any], *, money: bool) -> Amounts:
        """Return the unit in which all values are whole chips: cents if one has a fraction, or if they are ``money``.

        Raises :class:`HistoryError` if a value is not an amount.
        """
        digits = 2 if money else 0
        for number in map(_decimal, values):
            exponent = number.normalize().as_tuple().exponent if number.is_finite() else 0
            if isinstance(exponent, int) and exponent < 0:
                digits = max(digits, -exponent, 2)
        if digits > MOST_DIGITS:
            raise HistoryError(f"An amount has {digits} digits after the point; at most {MOST_DIGITS} can be read.")
        return cls(int(10**digits))

    def chips(self, value: Any) -> int:
        """Return an amount in chips; infinity, and the number that stands for it, is an unlimited stack.

        Raises :class:`HistoryError` for anything that is not a whole number of chips.
        """
        number = _decimal(value)
        if (number.is_infinite() and number > 0) or number == UNLIMITED_CHIPS:
            return UNLIMITED_CHIPS
        if not number.is_finite() or number < 0 or number >= UNLIMITED_CHIPS:
            raise HistoryError(f"{value} is not an amount of chips.")
        chips = number * self.chips_per_unit
        if chips != int(chips) or chips >= UNLIMITED_CHIPS:
            raise HistoryError(
                f"{value} is not a whole number of chips, of which {self.chips_per_unit} are one in this hand."
            )
        return int(chips)

    def exact(self, value: Any) -> Decimal:
        """Return an amount in chips, with its fraction if it has one, as what is paid out after rake may have.

        Raises :class:`HistoryError` for anything that is not a finite amount of at least 0.
        """
        number = _decimal(value)
        if not number.is_finite() or number < 0:
            raise HistoryError(f"{value} is not an amount of chips.")
        return number * self.chips_per_unit

    def value(self, chips: float | Decimal) -> Decimal | int:
        """Return chips in the history's money: whole, or with the digits that it needs."""
        number = Decimal(str(chips)) / self.chips_per_unit
        if number == number.to_integral_value():
            return int(number)
        # 12.5 dollars are 12.50.
        least = Decimal("0.01") if self.chips_per_unit % 100 == 0 else Decimal(1)
        return number.quantize(least) if number == number.quantize(least) else number.normalize()


def _decimal(value: Any) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise HistoryError(f"{value!r} is not an amount of chips.")
    try:
        if isinstance(value, str):
            if not value.isascii() or "_" in value:
                raise InvalidOperation
            value = value.replace(",", "")
        number = Decimal(value if isinstance(value, (int, str, Decimal)) else repr(value))
    except InvalidOperation:
        raise HistoryError(f"{value!r} is not an amount of chips.") from None
    if number.is_nan() or number.adjusted() > 40 or number.adjusted() < -40:
        raise HistoryError(f"{value} is not an amount of chips.")
    return number
