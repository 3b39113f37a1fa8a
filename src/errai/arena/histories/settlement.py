"""Money and chips, and the end of a hand.

A history may count in dollars and cents, while Errai counts whole chips.  It may state the end of a hand in several
ways: what the players collected from the pot (``winnings`` in PHH, "collected" in PokerStars text), the stacks they
were left with (``finishing_stacks``), and the rake.  All of them are brought into one form, :class:`Collected`, and
compared with the pot that the actions give.  What is missing from the pot is the rake.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from errai.errors import HistoryError
from errai.games.game import UNLIMITED_CHIPS
from errai.games.hand import PublicState

ROOM = "collected"
"""The field of what a room's text says that players collected, to the chip."""

MOST_DIGITS = 6
"""Digits after the point that an amount may have."""

MOST_RAKE_SHARE = Decimal("0.1")
"""A larger part of the pot is not taken for rake unless the history states the rake itself, ..."""

MOST_RAKE_BLINDS = 3
"""... or it is at most this many big blinds, as fixed fees in small pots are."""

Net = tuple[float, float]


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

    def divided(self, unit: int) -> Amounts:
        """Return the conversion to parts of a chip, ``unit`` of which are one chip."""
        return self if unit == 1 else Amounts(self.chips_per_unit * unit)

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


class StatementError(HistoryError):
    """A field of a history that states something else than the actions give; ``field`` is its name."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Collected:
    """What the seats took from the pot according to one field of a history."""

    field: str
    """The field, for messages."""
    stated: tuple[Decimal, ...]
    """The amounts that the field states, in chips."""
    includes_uncalled: bool | None
    """Whether the part of a bet that nobody called is included; None where the field leaves this open."""
    before: tuple[int, ...] = (0, 0)
    """Chips in the stated amounts that were not collected: what was left of the stacks."""


def uncalled(state: PublicState) -> tuple[int, int]:
    """Return the part of a bet that nobody called, by the seat that got it back."""
    first, second = state.betting.spent
    return max(first - second, 0), max(second - first, 0)


def pot_of(state: PublicState) -> Decimal:
    """Return the chips of the pot that was contested, without the part of a bet that nobody called."""
    return Decimal(str(2 * state.stake_chips))


def settle(
    state: PublicState, net: Net | None, found: Sequence[Collected], rake: Decimal | None, amounts: Amounts
) -> tuple[Net | None, Decimal]:
    """Compare what a history states of the end of a hand with its actions.

    Parameters
    ----------
    state:
        The state at the end of the hand.
    net:
        What the seats won by the rules, before rake, in chips; None where the cards do not decide it.
    found:
        What the history states.
    rake:
        The rake that the history states, in chips; None where it states none.
    amounts:
        How chips convert to the history's money, in which messages count.

    Returns
    -------
    What the seats won, which stays None where neither the rules nor the history say it; and the rake in chips.

    Raises
    ------
    HistoryError
        A statement does not fit the actions, the rules or another statement.
    """
    pot = pot_of(state)
    check_rake(rake, pot, amounts)
    for collected in found:
        fits = [
            (won, taken)
            for won, taken in _readings(state, collected)
            if (net is None or abs(won[0] - net[0]) < 1e-9) and (rake is None or taken == rake)
        ]
        if not fits:
            raise StatementError(_disagreement(state, net, collected, rake, amounts), collected.field)
        net, taken = fits[0]
        if rake is None:
            check_usual(taken, pot, state.subject.big_blind or 0, collected.field, amounts)
        rake = taken
    return net, rake or Decimal(0)


def check_rake(rake: Decimal | None, pot: Decimal, amounts: Amounts) -> None:
    """Raise :class:`StatementError` for a rake that cannot have been taken of a pot."""
    if rake is not None and not 0 <= rake <= pot:
        raise StatementError(
            f"The rake is {amounts.value(rake)}; it must be at least 0 and at most the pot, {amounts.value(pot)}.",
            "_rake",
        )


def check_usual(taken: Decimal, pot: Decimal, big_blind: float, field: str, amounts: Amounts) -> None:
    """Raise :class:`StatementError` where more than a usual rake is missing from what a field says was collected."""
    if taken > max(MOST_RAKE_SHARE * pot, Decimal(MOST_RAKE_BLINDS * big_blind)):
        raise StatementError(
            f"{field}: {amounts.value(taken)} of the pot of {amounts.value(pot)} went to no player, which is more than "
            "a usual rake. If it is the rake, state it in _rake.",
            field,
        )


def shares(net: Net, pot: Decimal, rake: Decimal) -> tuple[Decimal, Decimal]:
    """Return what each seat collects, in chips; the odd chip of a split pot goes to seat 0, out of position."""
    left = pot - rake
    second = left // 2 if not net[0] else left if net[0] < 0 else Decimal(0)
    return left - second, second


def _readings(state: PublicState, collected: Collected) -> list[tuple[Net, Decimal]]:
    """Ways to read a statement: what the seats then won and the rake, the smallest rake first."""
    pot, stake = pot_of(state), state.stake_chips
    # Live tables split the pot in chips; the odd one is at most a small blind.
    odd = max(1, min(state.betting.game.blinds))
    readings: list[tuple[Net, Decimal]] = []
    for with_uncalled in (False, True):
        if collected.includes_uncalled not in (None, with_uncalled):
            continue
        back = uncalled(state) if with_uncalled else (0, 0)
        first, second = (collected.stated[seat] - collected.before[seat] - back[seat] for seat in (0, 1))
        rake = pot - first - second
        if min(first, second, rake) < 0 or not (first or second):
            continue
        if not second:
            readings.append(((stake, -stake), rake))
        elif not first:
            readings.append(((-stake, stake), rake))
        elif abs(first - second) <= odd:
            readings.append(((0.0, 0.0), rake))
    return sorted(readings, key=lambda reading: reading[1])


def _disagreement(
    state: PublicState, net: Net | None, collected: Collected, rake: Decimal | None, amounts: Amounts
) -> str:
    """Return the message for a statement that nothing fits."""
    pot = pot_of(state)
    stated = " and ".join(str(amounts.value(chips)) for chips in collected.stated)
    house = f", less a rake of {amounts.value(rake)}" if rake else "" if rake == 0 else ", less the rake"
    if net is None:
        return (
            f"{collected.field}: {stated} cannot be; the players can only have shared the pot of "
            f"{amounts.value(pot)}{house}."
        )
    back = uncalled(state) if collected.includes_uncalled else (0, 0)
    chips = zip(shares(net, pot, rake or Decimal(0)), back, collected.before, strict=True)
    wanted = " and ".join(str(amounts.value(sum(parts))) for parts in chips)
    return f"{collected.field}: {stated} does not fit the actions and the rules, which give {wanted}{house}."
