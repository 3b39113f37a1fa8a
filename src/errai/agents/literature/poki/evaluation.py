"""How good a hand is on a board: strength, potential, and the two together.

Billings, Davidson, Schaeffer & Szafron, "The challenge of poker" (Artificial Intelligence 134, 2002); Papp, "Dealing
with imperfect information in poker" (MSc thesis, Alberta 1998), chapters 5 and 6:

- HS, *hand strength*: the probability to be ahead of an opponent's hand drawn from his weights, ties counting half;
- PPot and NPot, *positive and negative potential*: the probability to come to be ahead after one more card (or two) of
  those hands that are behind now, and to fall behind of those that are ahead, ties on either side counting half;
- EHS' = HS + (1 - HS) PPot, and with what may be lost EHS = HS + (1 - HS) PPot - HS NPot.

For the hand that is held all of it is enumerated.  For all 1,326 hands at once, which ranking an opponent's hands
takes, EHS' is enumerated up to one assumption: that of one next card all changes of order go the same way, so that
what a hand gains by the cards that help it is what its HS rises by.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import Deals
from errai.abstraction.features import strength_now
from errai.cards.hands import hand_cards
from errai.cards.strength import strengths_on_boards


class Evaluation(NamedTuple):
    """What one hand is worth against weighted hands of an opponent; all numbers are probabilities."""

    strength: float
    positive: float
    """PPot; 0 where no card comes any more."""
    negative: float
    """NPot; 0 where no card comes any more."""

    @property
    def effective(self) -> float:
        """EHS' = HS + (1 - HS) PPot: to be ahead or come to be; for bets."""
        return self.strength + (1.0 - self.strength) * self.positive

    @property
    def winning(self) -> float:
        """EHS = HS + (1 - HS) PPot - HS NPot: to be ahead after the next card; for calls."""
        return self.effective - self.strength * self.negative


class Board:
    """The strengths of all hands on one board, now and after each card that may come next.

    Parameters
    ----------
    deals:
        The hands of the game.
    board:
        The cards that lie open, at least one.
    """

    def __init__(self, deals: Deals, board: tuple[int, ...]) -> None:
        self.deals = deals
        self.cards = board
        self.is_final = len(board) == deals.final
        self._board = np.array([board], dtype=np.int16)

    @cached_property
    def now(self) -> NDArray[np.int32]:
        """int32[H]: strengths on the cards that lie open, -1 where the board blocks the hand."""
        return strengths_on_boards(self._board, self.deals.hands, self.deals.deck)[0]

    @cached_property
    def next_boards(self) -> NDArray[np.int16]:
        """int16[C, m + 1]: the board with each of the cards that may come next."""
        return look_ahead_boards(self.cards, 1, self.deals.deck.num_cards)

    @cached_property
    def later(self) -> NDArray[np.int32]:
        """int32[C, H]: strengths on each of the next boards."""
        return strengths_on_boards(self.next_boards, self.deals.hands, self.deals.deck)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """float64[H]: EHS' of every hand against one drawn uniformly, 0 where the board blocks it; HS when final."""
        strength = strength_now(self.deals, self._board)[0].astype(np.float64)
        if self.is_final:
            return np.nan_to_num(strength)
        after = strength_now(self.deals, self.next_boards)
        return np.nan_to_num(strength + mean_gain(strength[None], after[None])[0])

    def evaluate(self, hand: int, weights: NDArray[np.float64]) -> Evaluation:
        """Enumerate HS, PPot and NPot of a hand, looking one card ahead.

        Parameters
        ----------
        weights:
            float64[H], how likely each hand of the opponent is up to a factor; hands that share a card with the board
            or the hand count for nothing whatever their weight.
        """
        free = unblocked(self.deals, hand, self.now, weights)
        strength = hand_strength(self.now, hand, free)
        if self.is_final:
            return Evaluation(strength, 0.0, 0.0)
        return Evaluation(strength, *potentials(self.now, self.later, hand, free))


def look_ahead_boards(board: tuple[int, ...], cards: int, num_cards: int = 52) -> NDArray[np.int16]:
    """A board with every set of so many more cards of the deck, int16[C, m + cards]."""
    rest = [card for card in range(num_cards) if card not in board]
    return np.array([[*board, *more] for more in combinations(rest, cards)], dtype=np.int16)


def look_ahead(deals: Deals, board: tuple[int, ...], hand: int, weights: NDArray[np.float64], cards: int) -> Evaluation:
    """HS, PPot and NPot of a hand, looking one or (on the flop) two cards ahead.

    Parameters
    ----------
    weights:
        As in :meth:`Board.evaluate`.
    """
    now = strengths_on_boards(np.array([board], dtype=np.int16), deals.hands, deals.deck)[0]
    later = strengths_on_boards(look_ahead_boards(board, cards, deals.deck.num_cards), deals.hands, deals.deck)
    free = unblocked(deals, hand, now, weights)
    return Evaluation(hand_strength(now, hand, free), *potentials(now, later, hand, free))


def unblocked(
    deals: Deals, hand: int, strengths: NDArray[np.int32], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights of the hands that neither a hand nor the board blocks, float64[H]; 0 for the others."""
    return np.where((strengths >= 0) & ~sharing(deals, hand), weights, 0.0)


def sharing(deals: Deals, hand: int) -> NDArray[np.bool_]:
    """bool[H]: the hands that share a card with one, itself among them."""
    cards = hand_cards(deals.deck.num_cards, 2)
    first, second = cards[hand]
    return np.asarray(((cards == first) | (cards == second)).any(axis=1))


def hand_strength(now: NDArray[np.int32], hand: int, weights: NDArray[np.float64]) -> float:
    """HS of a hand against weighted hands, none of which it blocks; 1/2 if there are none.

    Parameters
    ----------
    now:
        int32[H], strengths of all hands.
    weights:
        float64[H]
    """
    total = weights.sum()
    ahead = weights[now < now[hand]].sum() + 0.5 * weights[now == now[hand]].sum()
    return float(ahead / total) if total > 0.0 else 0.5


def potentials(
    now: NDArray[np.int32], later: NDArray[np.int32], hand: int, weights: NDArray[np.float64]
) -> tuple[float, float]:
    """PPot and NPot of a hand against weighted hands, none of which it blocks.

    Parameters
    ----------
    now:
        int32[H], strengths of all hands.
    later:
        int32[C, H], strengths after each set of cards that may come, -1 where these block the hand.
    weights:
        float64[H]
    """
    come = later[later[:, hand] >= 0]
    mine = come[:, hand, None]
    ways = (come >= 0).sum(axis=0)
    won, tied = ((come < mine) & (come >= 0)).sum(axis=0), (come == mine).sum(axis=0)
    lost = ways - won - tied
    behind, level, ahead = (weights * order for order in (now > now[hand], now == now[hand], now < now[hand]))
    # A tie is half a hand ahead and half one behind.
    rise = behind @ (won + 0.5 * tied) + 0.5 * level @ won
    fall = ahead @ (lost + 0.5 * tied) + 0.5 * level @ lost
    return _ratio(rise, (behind + 0.5 * level) @ ways), _ratio(fall, (ahead + 0.5 * level) @ ways)


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0.0 else 0.0


def mean_gain(strength: NDArray[np.floating], after: NDArray[np.floating]) -> NDArray[np.float64]:
    """What cards that help a hand add to its HS, over all that may come: (1 - HS) PPot nearly.

    Parameters
    ----------
    strength:
        float[B, H], HS on each board; NaN where it blocks the hand.
    after:
        float[B, C, H], HS after each card; NaN where that card blocks the hand.

    Returns
    -------
    float64[B, H], NaN where nothing may come.
    """
    gain = np.maximum(after - strength[:, None, :], 0.0)
    open_ = ~np.isnan(gain)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(open_, gain, 0.0).sum(axis=1, dtype=np.float64) / open_.sum(axis=1))
