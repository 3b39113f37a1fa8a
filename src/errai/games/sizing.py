"""Bet sizes and menus: which bets and raises a tree offers.

A size is written with its unit; a bare number is refused, because some tools mean per cent and some mean
chips:

==========  ==================================================================================================
``33%``     33 % of the pot; as a raise, of the pot as it will be once the bet faced has been called
``2.5x``    raises only: 2.5 times the bet faced, counted as the raiser's total on the street ("raise to")
``100c``    100 chips; as a raise, on top of the bet faced
``1/3``     a third of the pot, exactly; otherwise as ``33%``
``3bb``     3 big blinds, counted as the player's total on the street; as a raise, "raise to"
``min``     the smallest bet or raise that the rules allow
``e``       geometric: the same share of the pot on every street that is left, the last bet being all-in
``2e``      geometric as if two streets were left
``3e200%``  geometric over three streets, but at most 200 % of the pot
``a``       all-in
==========  ==================================================================================================

Sizes in one menu are separated by commas; in the menu of a whole game those of raises may stand behind a bar, such as
``50%, 100%, a | 100%, a``.  As a raise, a geometric size spends one street for every bet
after the first.  Amounts are rounded to whole chips (halves up), then raised to the smallest and lowered to
the greatest legal one.  Arithmetic and order of the thresholds are those of the usual post-flop solvers, so
that trees can be compared node by node.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from errai.errors import SizingError

_NUMBER = r"(?:[0-9]{1,12}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})"
_MEASURED = re.compile(rf"({_NUMBER})(%|x|c| ?bb)")
_FRACTION = re.compile(r"([0-9]{1,6}) ?/ ?([0-9]{1,6})")
_GEOMETRIC = re.compile(rf"({_NUMBER})?e(?:({_NUMBER})%)?")
_BARE = re.compile(_NUMBER)

MAX_STREETS = 100
"""The most streets that a geometric size may name."""

_GRAMMAR = "expected a size such as 33%, 1/3, 2.5x (raises), 100c, 3bb, min, e, 2e, 3e200% or a"


class BetKind(StrEnum):
    """The kind of a bet: bet, raise, or donk (see :meth:`BetMenu.sizes`)."""

    BET = "bet"
    RAISE = "raise"
    DONK = "donk"


class SizeKind(StrEnum):
    """The unit of a bet size."""

    PERCENT = "%"
    MULTIPLE = "x"
    CHIPS = "c"
    GEOMETRIC = "e"
    ALL_IN = "a"
    FRACTION = "/"
    BIG_BLINDS = "bb"
    MIN = "min"


class Betting(NamedTuple):
    """What the amount of a bet depends on where it is made; all amounts are in parts of a chip.

    Parameters
    ----------
    pot:
        All chips in the middle once the bet faced has been called.
    faced:
        The opponent's total on this street.
    lowest, highest:
        Smallest legal total and the total that is all-in (for the shorter stack).
    raises:
        Bets and raises so far on this street, the big blind among them.
    streets_left:
        Streets to come, this one included.
    big_blind:
        The big blind, for sizes that are counted in it; None where none is named.
    unit:
        Into how many parts a chip is divided.
    place:
        Actions before this one, from the root of the tree; None where the sizes are the street's.
    made:
        A total on this street that was really bet here and is offered besides, if it is legal.
    """

    pot: int
    faced: int
    lowest: int
    highest: int
    raises: int
    streets_left: int
    big_blind: int | None = None
    unit: int = 1
    place: int | None = None
    made: int | None = None


@dataclass(frozen=True, slots=True)
class BetSize:
    """One bet size.

    Parameters
    ----------
    kind:
        The unit.
    value:
        Per cent of the pot, multiple of the bet faced, chips, big blinds, or the numerator of a fraction of the pot; 0
        for the other kinds.
    streets:
        Geometric only: streets that are left, 0 for as many as there are.
    cap:
        Geometric only: greatest per cent of the pot, or None.
    divisor:
        Of a fraction of the pot.
    """

    kind: SizeKind
    value: float = 0.0
    streets: int = 0
    cap: float | None = None
    divisor: int = 1

    def text(self) -> str:
        """Return the size as it is written in a menu."""
        if self.kind is SizeKind.GEOMETRIC:
            cap = "" if self.cap is None else f"{_number_text(self.cap)}%"
            return f"{self.streets or ''}e{cap}"
        if self.kind in (SizeKind.ALL_IN, SizeKind.MIN):
            return self.kind.value
        if self.kind is SizeKind.FRACTION:
            return f"{_number_text(self.value)}/{self.divisor}"
        return f"{_number_text(self.value)}{self.kind.value}"

    def amount(self, at: Betting) -> int:
        """Return the player's total on this street, in parts of a chip, before it is made legal.

        Raises
        ------
        SizingError
            The size is in big blinds, and there is no big blind.
        """
        pot, faced = at.pot, at.faced
        if self.kind is SizeKind.MIN:
            return 0
        if self.kind is SizeKind.FRACTION:
            return faced + _round(pot * self.value / self.divisor)
        if self.kind is SizeKind.BIG_BLINDS:
            if not at.big_blind:
                raise SizingError(f"'{self.text()}' is in big blinds, and no big blind is named; add big_blind")
            return _round(self.value * at.big_blind)
        if self.kind is SizeKind.PERCENT:
            return faced + _round(pot * (self.value / 100.0))
        if self.kind is SizeKind.MULTIPLE:
            return _round(faced * self.value)
        if self.kind is SizeKind.CHIPS:
            return faced + _round(self.value * at.unit)
        if self.kind is SizeKind.ALL_IN:
            return at.highest
        streets = self.streets or at.streets_left
        if at.raises:
            streets = max(streets - at.raises + 1, 1)
        behind = (at.highest - faced) / pot
        share = ((2.0 * behind + 1.0) ** (1.0 / streets) - 1.0) / 2.0
        if self.cap is not None:
            share = min(share, self.cap / 100.0)
        return faced + _round(pot * share)


def parse_bet_size(text: str, bet_kind: BetKind = BetKind.RAISE, *, parts: int = 1) -> BetSize:
    """Read one bet size; chips must be whole numbers of as many parts of a chip.

    Raises
    ------
    SizingError
        The text is no size, is a bare number, or is a multiple (``x``) where no bet is faced.
    """
    word = text.strip().lower()
    shown = repr(text.strip()[:40])
    if word in (SizeKind.ALL_IN, SizeKind.MIN):
        return BetSize(SizeKind(word))
    if match := _FRACTION.fullmatch(word):
        over, under = int(match[1]), int(match[2])
        if not over or not under:
            raise SizingError(f"{shown} is not a fraction above 0; write one such as 1/3")
        return BetSize(SizeKind.FRACTION, float(over), divisor=under)
    if match := _MEASURED.fullmatch(word):
        kind, value = SizeKind(match[2].strip()), _positive(match[1], shown)
        if kind is SizeKind.MULTIPLE and bet_kind is not BetKind.RAISE:
            raise SizingError(
                f"{shown} is a multiple of the bet faced, and a {bet_kind.value} faces none; "
                "write it as per cent of the pot, such as 75%"
            )
        if kind is SizeKind.MULTIPLE and value <= 1.0:
            raise SizingError(f"{shown} does not raise: a multiple of the bet faced must be above 1x")
        if kind is SizeKind.CHIPS and value != round(value * parts) / parts:
            raise SizingError(f"{shown} is not a whole number of chips; bets are counted in whole chips")
        return BetSize(kind, value)
    if match := _GEOMETRIC.fullmatch(word):
        streets = _positive(match[1], shown) if match[1] else 0.0
        if streets != int(streets) or streets > MAX_STREETS:
            raise SizingError(f"{shown} must name a whole number of streets, 1 to {MAX_STREETS}, such as 2e")
        return BetSize(SizeKind.GEOMETRIC, streets=int(streets), cap=_positive(match[2], shown) if match[2] else None)
    if _BARE.fullmatch(word):
        raise SizingError(
            f"{shown} has no unit: write {word}% for per cent of the pot or {word}c for chips "
            "(programs differ on what a bare number means, so it is refused)"
        )
    if not word:
        raise SizingError(f"a bet size is missing; {_GRAMMAR}")
    raise SizingError(f"{shown} is not a bet size; {_GRAMMAR}")


def parse_bet_sizes(text: str, bet_kind: BetKind = BetKind.RAISE, *, parts: int = 1) -> tuple[BetSize, ...]:
    """Read a menu of sizes separated by commas; an empty text is an empty menu.

    Raises
    ------
    SizingError
        As :func:`parse_bet_size`; ``column`` says where in the text.
    """
    if not text.strip():
        return ()
    items = text.split(",")
    if len(items) > 1 and not items[-1].strip():
        items.pop()
    sizes: list[BetSize] = []
    column = 1
    for part in items:
        try:
            size = parse_bet_size(part, bet_kind, parts=parts)
        except SizingError as error:
            start = column + len(part) - len(part.lstrip())
            message = error.message if error.message.endswith(".") else f"{error.message}."
            raise SizingError(message, column=start, source=f"{text!r:.60}") from None
        if size not in sizes:
            sizes.append(size)
        column += len(part) + 1
    return tuple(sizes)


def sizes_text(sizes: tuple[BetSize, ...]) -> str:
    """Return a menu as text that :func:`parse_bet_sizes` reads."""
    return ", ".join(size.text() for size in sizes)


@dataclass(frozen=True, slots=True)
class StreetMenu:
    """The sizes of one player on one street; if ``donk`` is None, donk bets use the bet sizes."""

    bet: tuple[BetSize, ...] = ()
    raise_: tuple[BetSize, ...] = ()
    donk: tuple[BetSize, ...] | None = None

    @classmethod
    def parse(cls, bet: str, raise_: str | None = None) -> StreetMenu:
        """Read the sizes of bets and raises.

        Sizes of raises are given by themselves, or behind a bar: ``50%, 100%, a | 100%, a``; otherwise they are those
        of bets.

        Raises
        ------
        SizingError
            As :func:`parse_bet_sizes`.
        """
        if raise_ is None:
            bet, bar, behind = bet.partition("|")
            # With spaces in the place of the bets, the column of a fault is that in the whole text.
            raise_ = " " * (len(bet) + 1) + behind if bar else bet
        return cls(parse_bet_sizes(bet, BetKind.BET), parse_bet_sizes(raise_, BetKind.RAISE))

    def to_dict(self) -> dict[str, str]:
        """Return the sizes as texts, with the keys of a spot file."""
        table = {"bet": sizes_text(self.bet), "raise": sizes_text(self.raise_)}
        return table if self.donk is None else {**table, "donk": sizes_text(self.donk)}

    @classmethod
    def from_dict(cls, data: Mapping[str, str]) -> StreetMenu:
        """Return the menu of :meth:`to_dict`; raises :class:`SizingError` for a text that is no size."""
        donk = data.get("donk")
        bet, raise_ = parse_bet_sizes(data["bet"], BetKind.BET), parse_bet_sizes(data["raise"])
        return cls(bet, raise_, None if donk is None else parse_bet_sizes(donk, BetKind.DONK))


_CAP = re.compile(r"(?:^|,)\s*cap\s+(\d{1,3})\s*$")

_PLAIN: dict[str, type] = {"add_all_in": float, "force_all_in": float, "merging": float, "limp": bool, "flat": bool}
"""The fields of a :class:`BetMenu` that are plain values."""


@dataclass(frozen=True)
class BetMenu:
    """The bet sizes of a whole tree, with its thresholds.

    Parameters
    ----------
    streets:
        Round of the game -> menus of the player who acts first after the flop (0, out of position) and of
        player 1. A round that is missing has no bets.
    raise_caps:
        Round of the game -> most bets and raises on that street together.
    add_all_in:
        Offer all-in as well when it is at most this many pots (0: never).
    force_all_in:
        Turn a bet into all-in when what is behind after a call would be at most this many pots (0: never).
    merging:
        From the greatest size down, drop every smaller size y with (1 + x) / (1 + y) <= 1 + merging, where
        x and y are shares of the pot and x is the last size kept (0: keep all).
    limp:
        Whether the player who acts first before the flop may limp; otherwise this player must raise or fold.
    flat:
        Whether a raise before the flop that leaves chips behind may be called; otherwise the answer must be a fold or
        another raise.  Without limps and flat calls a flop is seen only after an all-in.
    early:
        Sizes of the first, second, ... action of the tree, for either player, instead of the street's; later actions
        use those of their street.  A lookahead can thus have many sizes at its first actions and few at later ones.
    also:
        A line that was really played from the root of the tree: for each action the total over the whole hand (in a
        spot: since it began) of a bet or raise, None for anything else.  Its bets are offered on exactly this line,
        regardless of sizes, caps and thresholds, and nowhere else: a bet that was really made is then in the tree, and
        the rest of the tree does not grow.  A total that is not legal is left out; more than the shorter stack is
        all-in.

    Both ``early`` and ``also`` count actions from the root of the tree, across streets.
    """

    streets: Mapping[int, tuple[StreetMenu, StreetMenu]]
    raise_caps: Mapping[int, int] = field(default_factory=dict)
    add_all_in: float = 0.0
    force_all_in: float = 0.0
    merging: float = 0.0
    limp: bool = True
    flat: bool = True
    early: tuple[StreetMenu, ...] = ()
    also: tuple[int | None, ...] = ()

    @classmethod
    def parse(cls, num_rounds: int, bet: str, raise_: str | None = None, **options: Any) -> BetMenu:
        """Return the menu of a text, with the same sizes for both players.

        Streets are separated by semicolons, from the first street of the game on; the last text holds for all further
        ones.  ``cap N`` as the last item of a street is the most bets and raises there, the big blind among them::

            | 2x, 3x, a, cap 4; 50%, 100%, a | 100%, a

        Sizes of raises stand behind a bar, as in :meth:`StreetMenu.parse`, or are given by themselves.

        Raises
        ------
        SizingError
            As :func:`parse_bet_sizes`, or there are texts for more streets than the game has.
        """
        streets: dict[int, tuple[StreetMenu, StreetMenu]] = {}
        caps: dict[int, int] = {}
        texts = bet.split(";")
        if len(texts) > num_rounds:
            raise SizingError(f"The menu has sizes for {len(texts)} streets, and the game has {num_rounds}.")
        start = 0
        for number in range(num_rounds):
            if number < len(texts):
                text, cap = texts[number], _CAP.search(texts[number])
                # With spaces in the place of what is before, the column of a fault is that in the whole text.
                menu = StreetMenu.parse(" " * start + (text if cap is None else text[: cap.start()]), raise_)
                start += len(text) + 1
            streets[number] = (menu, menu)
            if cap is not None:
                caps[number] = int(cap[1])
        return cls(streets, **{"raise_caps": caps, **options})

    def with_line(self, line: Iterable[int | None]) -> BetMenu:
        """Return the menu with the bets of a line that was really played; see ``also``."""
        return replace(self, also=tuple(line))

    def to_dict(self) -> dict[str, Any]:
        """Return the menu as plain values for JSON and :meth:`from_dict`."""
        return {
            **{key: getattr(self, key) for key in _PLAIN},
            "streets": {str(number): [menu.to_dict() for menu in pair] for number, pair in self.streets.items()},
            "raise_caps": {str(number): cap for number, cap in self.raise_caps.items()},
            "early": [menu.to_dict() for menu in self.early],
            "also": list(self.also),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> BetMenu:
        """Return the menu of :meth:`to_dict`; raises :class:`SizingError` or what Python raises for other values."""
        read, streets = StreetMenu.from_dict, data["streets"].items()
        return cls(
            {int(number): (read(first), read(second)) for number, (first, second) in streets},
            {int(number): int(cap) for number, cap in data["raise_caps"].items()},
            early=tuple(map(read, data["early"])),
            also=tuple(None if total is None else int(total) for total in data["also"]),
            **{key: kind(data[key]) for key, kind in _PLAIN.items()},
        )

    @property
    def is_by_street(self) -> bool:
        """Whether the sizes depend on the street alone, and not on the way from the root."""
        return not self.early and all(total is None for total in self.also)

    @property
    def in_big_blinds(self) -> str:
        """A size that is counted in big blinds, as text; '' where none is."""
        menus = [*self.early, *(menu for pair in self.streets.values() for menu in pair)]
        sizes = [size for menu in menus for size in (*menu.bet, *menu.raise_, *(menu.donk or ()))]
        return next((size.text() for size in sizes if size.kind is SizeKind.BIG_BLINDS), "")

    def sizes(self, round_index: int, player: int, bet_kind: BetKind, place: int | None = None) -> tuple[BetSize, ...]:
        """Return the sizes offered at an action, ``place`` actions from the root, or anywhere on a street.

        A donk bet is the first bet of a street by the player out of position, if that player closed the previous street
        by calling.  If no donk sizes are given, the bet sizes are used; if they are given but empty, there are none.
        """
        if place is not None and place < len(self.early):
            menu = self.early[place]
        elif round_index in self.streets:
            menu = self.streets[round_index][player]
        else:
            return ()
        if bet_kind is BetKind.RAISE:
            return menu.raise_
        if bet_kind is BetKind.DONK and menu.donk is not None:
            return menu.donk
        return menu.bet

    def amounts(self, round_index: int, player: int, bet_kind: BetKind, at: Betting) -> list[int]:
        """Return the bets or raises to offer, ascending: each the player's total on this street.

        Raises :class:`SizingError` if a size is in big blinds, and there is no big blind.
        """
        kept = set() if at.made is None or at.made < at.lowest else {min(at.made, at.highest)}
        if at.raises < self.raise_caps.get(round_index, at.raises + 1):
            kept |= set(self._offered(self.sizes(round_index, player, bet_kind, at.place), at))
        return sorted(kept)

    def _offered(self, sizes: tuple[BetSize, ...], at: Betting) -> list[int]:
        """Return the totals of sizes, made legal, with all-in as the thresholds say, and with near ones merged."""
        totals = set()
        for size in sizes:
            total = min(max(size.amount(at), at.lowest), at.highest)
            behind = _round((at.pot + 2 * (total - at.faced)) * self.force_all_in)
            totals.add(at.highest if at.highest <= total + behind else total)
        if at.highest <= at.faced + _round(at.pot * self.add_all_in):
            totals.add(at.highest)
        kept: list[int] = []
        for total in sorted(totals, reverse=True):
            share = (kept[-1] - at.faced) / at.pot if kept else math.inf
            limit = (share - self.merging) / (1.0 + self.merging)
            if (total - at.faced) / at.pot < limit * (1.0 - 1e-12):
                kept.append(total)
        return kept


def _positive(text: str, shown: str) -> float:
    value = float(text)
    if value <= 0.0:
        raise SizingError(f"{shown} must be above zero")
    return value


def _number_text(value: float) -> str:
    """Return the shortest decimal text, without an exponent."""
    return f"{value:.12f}".rstrip("0").rstrip(".")


def _round(value: float) -> int:
    """Round a non-negative number to the nearest integer, halves up."""
    whole = int(value)
    return whole + (value - whole >= 0.5)
