"""Training situations: boards, ranges and stacks drawn at random.

Ranges are those of Moravčík et al., "DeepStack: expert-level artificial intelligence in heads-up no-limit poker"
(Science 356, 2017): R(S, p) orders the hands S by their current strength against a uniform opponent, splits them in the
middle, gives a uniform share of the weight p to one half and the rest to the other, and recurses into both halves.
Hands of equal strength keep the order of their indices; an odd hand in the middle goes to either half at random.
Before the board, S are the classes of hands up to a renaming of suits, and the hands of a class share its weight.

Boards are uniform.  The stack in pots is drawn from strata and has a uniform logarithm inside each, so that the network
sees as many large pots as small ones.  DeepStack's own pots are available too (:data:`DEEPSTACK`).

Situation ``i`` of a seed does not depend on the situations drawn before it, so a data set need not store ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import strength_now
from errai.errors import InputError
from errai.games.game import Game
from errai.nets.networks.classes import ClassMatchups, class_matchups
from errai.nets.positions import Positions

PARTS = 10_000
"""Stacks are whole multiples of one part in this many of the pot, so that a solve in chips represents them exactly."""

AT_ONCE = 100
"""Situations whose ranges are drawn together: 60 MB."""


@dataclass(frozen=True)
class Stratum:
    """A stratum: how much is left to bet in some of the situations, in pots."""

    name: str
    least: float
    most: float
    share: float
    """Share of the situations."""
    by_pot: bool = False
    """Whether the pot is uniform for a fixed starting stack, instead of the logarithm of the stack in pots."""

    def stack(self, place: float) -> float:
        """Return the stack in pots for a position in the stratum from 0 to 1."""
        if self.by_pot:
            # With stacks of 1 at the beginning of the hand and c put in by each, (1 - c) / 2c pots are left.
            small, large = 1.0 / (1.0 + 2.0 * self.most), 1.0 / (1.0 + 2.0 * self.least)
            put_in = small + place * (large - small)
            return (1.0 - put_in) / (2.0 * put_in)
        return float(self.least * np.exp(place * log(self.most / self.least)))


STRATA = (
    Stratum("0.1-1", 0.1, 1.0, 0.30),
    Stratum("1-5", 1.0, 5.0, 0.35),
    Stratum("5-25", 5.0, 25.0, 0.28),
    Stratum("25-50", 25.0, 50.0, 0.06),
    Stratum("limped", 99.5, 99.5, 0.01),
)
"""The default strata.  Deep positions have the values that are hardest to learn, and cost most to solve."""

_DEEPSTACKS_POTS = ((100, 100), (200, 400), (400, 2_000), (2_000, 6_000), (6_000, 18_000))

DEEPSTACK = tuple(
    Stratum(f"pot {least}-{most}", (20_000 - most) / (2 * most), (20_000 - least) / (2 * least), 0.2, by_pot=True)
    for least, most in _DEEPSTACKS_POTS
)
"""DeepStack's distribution, by what each player has put in of 20,000 chips with blinds of 50 and 100."""


def situations(
    game: Game, round_index: int, seed: int, indices: Sequence[int], strata: Sequence[Stratum] = STRATA
) -> Positions:
    """Draw some of the situations of a seed, by their numbers, at the beginning of a round, counted from 0.

    Those of round 0 stand at its end, before cards are dealt: they are an auxiliary network's.

    Of the game only deck, hole cards and ranking matter, not its betting.  Raises :class:`InputError` if there is no
    such round, the shares of the strata do not sum to 1, or a stratum is invalid.
    """
    check_strata(strata)
    if not 0 <= round_index < game.num_rounds:
        raise InputError(f"There is no round {round_index} of {game.name}; it has 0 to {game.num_rounds - 1}.")
    deals = DealIndexer(game)
    cards, hands = game.board_cards_in(round_index), deals.num_hands
    classes = None if cards else class_matchups(game)
    live = int((~np.isin(deals.hands, np.arange(cards)).any(axis=1)).sum()) if classes is None else len(classes.fits)
    boards = np.empty((len(indices), cards), dtype=np.uint8)
    stacks = np.empty(len(indices), dtype=np.float32)
    ranges = np.zeros((len(indices), 2, hands), dtype=np.float32)
    bounds = np.cumsum([stratum.share for stratum in strata])
    for first in range(0, len(indices), AT_ONCE):
        some = range(first, min(first + AT_ONCE, len(indices)))
        draws = np.empty((len(some), 2, 2, draws_needed(live)))
        for row, i in zip(draws, some, strict=True):
            stream = np.random.Generator(np.random.Philox(np.random.SeedSequence(seed, spawn_key=(indices[i],))))
            boards[i] = np.sort(np.argsort(stream.random(game.deck.num_cards), kind="stable")[:cards])
            which, place = stream.random(2)
            stratum = strata[min(int(np.searchsorted(bounds, which, side="right")), len(strata) - 1)]
            stacks[i] = max(round(stratum.stack(place) * PARTS), 1) / PARTS
            stream.random(out=row)
        weights = split_in_halves(live, draws.reshape(-1, 2, draws.shape[-1])).reshape(len(some), 2, live)
        if classes is not None:
            ranges[some.start : some.stop] = _of_classes(classes, weights)
            continue
        strengths = strength_now(deals, boards[first : first + len(some)].astype(np.int16))
        # Hands that the board blocks have no strength, and come last.
        order = np.argsort(strengths, axis=1, kind="stable")[:, :live]
        for i, sorted_hands, weight in zip(some, order, weights, strict=True):
            ranges[i][:, sorted_hands] = weight
    return Positions(boards, ranges, stacks)


def _of_classes(classes: ClassMatchups, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[..., H]: ranges over all hands, from weights of the classes in order of strength, float64[..., K]."""
    order = np.argsort(classes.margins.sum(axis=1), kind="stable")
    by_class = np.empty_like(weights)
    by_class[..., order] = weights
    by_class *= classes.sizes
    by_class /= by_class.sum(axis=-1, keepdims=True) * classes.sizes
    return np.asarray(by_class[..., classes.class_of])


def check_strata(strata: Sequence[Stratum]) -> None:
    """Raise :class:`InputError` unless the strata can be drawn from."""
    for stratum in strata:
        if not (0.0 < stratum.least <= stratum.most and stratum.share >= 0.0):
            raise InputError(
                f"The stratum {stratum.name} needs stacks above 0 in ascending order and a share of at least 0."
            )
    if abs(sum(stratum.share for stratum in strata) - 1.0) > 1e-9:
        raise InputError(f"The shares of the strata must sum to 1, not {sum(stratum.share for stratum in strata):g}.")


def stratum_of(stacks: NDArray[np.floating], strata: Sequence[Stratum] = STRATA) -> NDArray[np.int64]:
    """int64[N]: for each stack in pots the first stratum that contains it; -1 for none."""
    found = np.full(len(stacks), -1)
    for number, stratum in reversed(list(enumerate(strata))):
        found[(stacks >= stratum.least - 1.0 / PARTS) & (stacks <= stratum.most + 1.0 / PARTS)] = number
    return found


def draws_needed(count: int) -> int:
    """Uniform numbers of each kind that :func:`split_in_halves` needs for this many hands."""
    return (1 << max(count - 1, 0).bit_length()) - 1


def split_in_halves(count: int, draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[R, count]: weights of hands in order of strength, by recursive halving: DeepStack's R(S, 1).

    ``draws``, float64[R, 2, D], are uniform from 0 to 1, with D from :func:`draws_needed`: shares of the weight, and
    coin flips for hands in the middle, level by level, with the halves in order.  Each row sums to 1.
    """
    rows = len(draws)
    start = np.zeros((rows, 1), dtype=np.int64)
    size = np.full((rows, 1), count)
    weight = np.ones((rows, 1))
    used = 0
    while size.max(initial=0) > 1:
        here = slice(used, used + size.shape[1])
        used = here.stop
        splits = size > 1
        odd_one = (size % 2) * (draws[:, 1, here] < 0.5)
        first = np.where(splits, size // 2 + odd_one, size)
        given = np.where(splits, weight * draws[:, 0, here], weight)
        start = _interleaved(start, start + first)
        size = _interleaved(first, size - first)
        weight = _interleaved(given, weight - given)
    found = np.zeros((rows, count))
    row, piece = np.nonzero(size == 1)
    found[row, start[row, piece]] = weight[row, piece]
    return found


def _interleaved(first: NDArray[Any], second: NDArray[Any]) -> NDArray[Any]:
    """Return [R, 2n] of two [R, n]: each entry of the first before that of the second."""
    return np.stack([first, second], axis=2).reshape(len(first), -1)
