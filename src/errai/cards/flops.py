"""The 1,755 flops that differ by more than suits, their textures, and weighted subsets that stand for all of them.

A subset has the flops at the middle of groups of similar ones, and each counts as many of the 22,100 flops as its group
has.  ``benchmarks/flop_subsets.py`` says how the groups were found, and writes the table of the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args

import numpy as np

from errai.cards.deck import FULL_DECK, RANKS
from errai.cards.isomorphism import HandIndexer, orbit_sizes
from errai.errors import InputError

FLOPS = 22_100
"""Number of flops."""

MOST_WEIGHT = 1_000_000_000
"""The greatest weight of a flop."""

SUITS_OF = {1: "monotone", 2: "two-tone", 3: "rainbow"}
PAIRING_OF = {1: "trips", 2: "paired", 3: "unpaired"}

Texture = Literal["suits", "pairing", "straights", "high"]
"""A property by which flops are told apart and grouped; each is a property of :class:`Flop`."""

TEXTURES: tuple[Texture, ...] = get_args(Texture)
"""All of them."""


@dataclass(frozen=True)
class Flop:
    """A flop, and how many of the 22,100 it stands for."""

    cards: tuple[int, int, int]
    """The highest first."""
    weight: float

    def has(self, words: Iterable[str]) -> bool:
        """Return whether the flop has all of some properties: kinds of textures, the highest rank, and cards."""
        own = {self.suits, self.pairing, self.high.lower(), *self.text.lower().split()}
        return own.issuperset(word.lower() for word in words)

    @property
    def text(self) -> str:
        """The cards, for example ``Ks 7h 2d``."""
        return " ".join(FULL_DECK.card_text(card) for card in self.cards)

    @property
    def suits(self) -> str:
        """``monotone``, ``two-tone`` or ``rainbow``."""
        return SUITS_OF[len({card % 4 for card in self.cards})]

    @property
    def pairing(self) -> str:
        """``trips``, ``paired`` or ``unpaired``."""
        return PAIRING_OF[len({card // 4 for card in self.cards})]

    @property
    def straights(self) -> str:
        """The number of straights that two cards can make with it, ``0`` to ``3``; an ace counts high and low."""
        ranks = {card // 4 for card in self.cards}
        low = {-1 if rank == 12 else rank for rank in ranks}
        windows = [set(range(first, first + 5)) for first in range(-1, 9)]
        return str(sum(len(ranks) == 3 and (ranks <= window or low <= window) for window in windows))

    @property
    def high(self) -> str:
        """The rank of the highest card, ``A`` to ``2``."""
        return RANKS[self.cards[0] // 4]


def _flop(cards: Sequence[int], weight: float) -> Flop:
    first, second, third = sorted(map(int, cards), reverse=True)
    return Flop((first, second, third), weight)


@cache
def all_flops() -> tuple[Flop, ...]:
    """Return all 1,755 flops up to suits; the weights are numbers of flops and sum to 22,100."""
    indexer = HandIndexer((3,))
    deals = indexer.unindex(np.arange(indexer.size(0)), 0)
    sizes = orbit_sizes(FULL_DECK, deals, (3,))
    return tuple(_flop(deal, float(size)) for deal, size in zip(deals.tolist(), sizes.tolist(), strict=True))


@cache
def subset_sizes() -> tuple[int, ...]:
    """Return the sizes of the subsets of the package, ascending."""
    return tuple(sorted(_subsets()))


def flops_of(count: int) -> tuple[Flop, ...]:
    """Return a weighted subset of some size, or all flops; the weights sum to 22,100.

    Raises :class:`InputError` if the package has no subset of the size.
    """
    if count == len(all_flops()):
        return all_flops()
    if count not in _subsets():
        sizes = ", ".join(map(str, subset_sizes()))
        raise InputError(f"There is no subset of {count} flops; there are {sizes}, and all 1,755.")
    return _subsets()[count]


def read_flops(lines: Sequence[str], source: str, *, scaled: bool = True) -> tuple[Flop, ...]:
    """Read flops, one a line, such as ``Ks7h2d`` or ``Ks 7h 2d : 24`` with a weight.

    The weights are ``scaled`` to 22,100, unless they have been written as they are.

    Empty lines and comments, which begin with ``#``, are left out.  Raises :class:`InputError` with the line.
    """
    found: list[tuple[tuple[int, ...], float]] = []
    for number, line in enumerate(lines, 1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        text, colon, weight = content.partition(":")
        where = f"{source}, line {number}"
        try:
            cards = FULL_DECK.parse_cards(text)
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        if len(set(cards)) != 3 or len(cards) != 3:
            raise InputError(f"{where}: a flop has three different cards, not {text.strip()!r}.")
        try:
            counts = float(weight) if colon else 1.0
        except ValueError:
            counts = 0.0
        if not 0.0 < counts <= MOST_WEIGHT:
            raise InputError(
                f"{where}: the weight of a flop is a number above 0 and up to {MOST_WEIGHT:,}, such as 24 or 0.5, "
                f"not {weight.strip()!r}."
            )
        found.append((cards, counts))
    if not found:
        raise InputError(f"{source} has no flop in it.")
    if len({tuple(sorted(cards)) for cards, _ in found}) < len(found):
        raise InputError(f"{source} has a flop twice.")
    scale = FLOPS / sum(weight for _, weight in found) if scaled else 1.0
    return tuple(_flop(cards, weight * scale) for cards, weight in found)


@cache
def _subsets() -> dict[int, tuple[Flop, ...]]:
    """Return the subsets of the package by their sizes."""
    found: dict[int, tuple[Flop, ...]] = {}
    for line in files("errai.data").joinpath("flops.txt").read_text(encoding="ascii").splitlines():
        entries = [entry.split(":") for entry in line.split() if not line.startswith("#")]
        if entries:
            flops = tuple(_flop(FULL_DECK.parse_cards(cards), float(weight)) for cards, weight in entries)
            found[len(flops)] = flops
    return found
