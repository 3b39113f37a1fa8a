"""Evaluation of a hand on a board: strength, potential, and the two combined.

Billings, Davidson, Schaeffer & Szafron, "The challenge of poker" (Artificial Intelligence 134, 2002); Papp, "Dealing
with imperfect information in poker" (MSc thesis, Alberta 1998), chapters 5 and 6:

- HS, *hand strength*: the probability to be ahead of an opponent's hand drawn by weight, ties counting half;
- PPot and NPot, *positive and negative potential*: the probability to get ahead, after one more card (or two), of hands
  that are ahead now, and to fall behind hands that are behind now, ties on either side counting half;
- EHS' = HS + (1 - HS) PPot, and with the risk of falling behind EHS = HS + (1 - HS) PPot - HS NPot.

For the player's hand everything is enumerated.  For all 1,326 hands at once, as needed to rank an opponent's hands,
EHS' is enumerated up to one assumption: that all changes of order by one next card go the same way, so that what a hand
gains by the cards that help it is the rise of its HS.

Before the flop a hand has an *income rate*, its value from roll-outs (Papp 1998, section 5.1 and appendix A; Billings
et al. 2002, section 5.1).  A roll-out deals both hands and the whole board and has no bets after the first.  In the
first round of roll-outs no hand folds; in each later one, hands fold that won less in the round before than folding
costs.  With two players and only the blinds to win, the price of playing decides which hands play: here it is ``PRICE``
bets of the first round, a raise and its call, and folding costs the blind.  Rates are returns: net winnings for each
chip put in, so that a rate of the first round is twice the probability to win, minus one.  Boards are drawn once with a
fixed seed, and all pairs of hands are rolled out on each: the table is the same everywhere.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import Wanted, board_sums, strength_now
from errai.cards.hands import boards_after, class_of_hand, hand_cards
from errai.cards.strength import strengths_on_boards
from errai.games.catalogue import load_game

PRICE = 2.0
"""Price of playing a hand, in bets of the first round."""

BLINDS = (1.0, 0.5)
"""The big and the small blind, in bets of the first round."""

BOARDS = 4_096
"""Number of boards of the roll-outs."""

ROUNDS = 4
"""Rounds of roll-outs; the hands that play no longer change after fewer."""

CLASSES = 169

_AT_ONCE = 256


class Evaluation(NamedTuple):
    """Evaluation of a hand against weighted hands of an opponent: probabilities, each a float or float64[n] for n."""

    strength: Any
    positive: Any
    """PPot; 0 if no more card comes."""
    negative: Any
    """NPot; 0 if no more card comes."""

    @property
    def effective(self) -> Any:
        """EHS' = HS + (1 - HS) PPot: the probability to be ahead or to get ahead; used for bets."""
        return self.strength + (1.0 - self.strength) * self.positive

    @property
    def winning(self) -> Any:
        """EHS = HS + (1 - HS) PPot - HS NPot: the probability to be ahead after the next card; used for calls."""
        return self.effective - self.strength * self.negative


class Board:
    """The strengths of all hands on one board of at least one card, now and after each card that may come next."""

    def __init__(self, deals: DealIndexer, board: tuple[int, ...]) -> None:
        self.deals = deals
        self.cards = board
        self.is_final = len(board) == deals.final
        self._board = np.array([board], dtype=np.int16)

    @cached_property
    def now(self) -> NDArray[np.int32]:
        """int32[H]: strengths on the current board, -1 where the board blocks the hand."""
        return np.asarray(strengths_on_boards(self._board, self.deals.hands, self.deals.deck)[0])

    @cached_property
    def next_boards(self) -> NDArray[np.int16]:
        """int16[C, m + 1]: the board with each of the cards that may come next."""
        return boards_after(self.cards, 1, self.deals.deck.num_cards)

    @cached_property
    def later(self) -> NDArray[np.int32]:
        """int32[C, H]: strengths on each of the next boards."""
        return strengths_on_boards(self.next_boards, self.deals.hands, self.deals.deck)

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """float64[H]: EHS' of every hand against a uniform range, 0 where the board blocks it; HS on a final board."""
        strength = strength_now(self.deals, self._board)[0].astype(np.float64)
        if self.is_final:
            return np.asarray(np.nan_to_num(strength))
        after = strength_now(self.deals, self.next_boards)
        return np.asarray(np.nan_to_num(strength + mean_gain(strength[None], after[None])[0]))

    def evaluate(self, hand: int, weights: NDArray[np.float64], ahead: int = 1) -> Evaluation:
        """Enumerate HS, PPot and NPot of a hand, looking one card ahead or, on the flop, two.

        ``weights``, float64[H], are those of the opponent's hands, up to a factor; hands that share a card with the
        board or the hand are ignored.
        """
        now = self.now
        free = np.where((now >= 0) & ~sharing(self.deals, hand), weights, 0.0)
        total = free.sum()
        beaten = free[now < now[hand]].sum() + 0.5 * free[now == now[hand]].sum()
        strength = float(beaten / total) if total > 0.0 else 0.5
        if self.is_final:
            return Evaluation(strength, 0.0, 0.0)
        later = self.later
        if ahead > 1:
            boards = boards_after(self.cards, ahead, self.deals.deck.num_cards)
            later = strengths_on_boards(boards, self.deals.hands, self.deals.deck)
        come = later[later[:, hand] >= 0]
        mine = come[:, hand, None]
        ways = (come >= 0).sum(axis=0)
        won, tied = ((come < mine) & (come >= 0)).sum(axis=0), (come == mine).sum(axis=0)
        lost = ways - won - tied
        behind, level, leading = (free * order for order in (now > now[hand], now == now[hand], now < now[hand]))
        # A tie counts as half a hand ahead and half a hand behind.
        rise = behind @ (won + 0.5 * tied) + 0.5 * level @ won
        fall = leading @ (lost + 0.5 * tied) + 0.5 * level @ lost
        positive, negative = _ratio(rise, (behind + 0.5 * level) @ ways), _ratio(fall, (leading + 0.5 * level) @ ways)
        return Evaluation(strength, positive, negative)


def sharing(deals: DealIndexer, hand: int) -> NDArray[np.bool_]:
    """Return bool[H]: the hands that share a card with a hand, including itself."""
    cards = hand_cards(deals.deck.num_cards, 2)
    first, second = cards[hand]
    return np.asarray(((cards == first) | (cards == second)).any(axis=1))


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0.0 else 0.0


def mean_gain(strength: NDArray[np.floating], after: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the mean rise of each hand's HS over the next cards, falls counting 0: approximately (1 - HS) PPot.

    ``strength``, float[B, H], is HS on each board, and ``after``, float[B, C, H], HS after each card; NaN where the
    hand is blocked.  The result is float64[B, H], NaN where no card may come.
    """
    gain = np.maximum(after - strength[:, None, :], 0.0)
    open_ = ~np.isnan(gain)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(open_, gain, 0.0).sum(axis=1, dtype=np.float64) / open_.sum(axis=1))


@lru_cache(maxsize=8)
def income_rates(rounds: int = ROUNDS, boards: int = BOARDS, seed: int = 0) -> NDArray[np.float64]:
    """Return what every hand wins when it is played, for each chip that it puts in.

    The result is float64[2, 1326], read-only: rates as the big and as the small blind, in hand-index order.  With one
    round of roll-outs all hands always call.
    """
    plays = np.ones((2, 1326), dtype=np.bool_)
    rates = np.empty((2, 1326))
    for _ in range(rounds):
        won, possible = _showdowns((plays[0] + 2 * plays[1]).astype(np.int8), boards, seed)
        for seat in (0, 1):
            # Bit 1 - seat of the cluster says whether the other seat plays.
            faced = np.array([(cluster >> (1 - seat)) & 1 for cluster in range(4)], dtype=np.float64)
            called, all_ = possible @ faced, possible.sum(axis=1)
            # A hand that meets a fold wins the blind, for the price that it would have paid.
            rates[seat] = (2.0 * won @ faced - called + (all_ - called) * BLINDS[1 - seat] / PRICE) / all_
        played = rates >= -np.array(BLINDS)[:, None] / PRICE
        if (played == plays).all():
            break
        plays = played
    rates.setflags(write=False)
    return rates


def _showdowns(cluster: NDArray[np.int8], boards: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return showdowns won and showdowns played against each of four clusters of hands: two float64[1326, 4].

    Hands of a class get equal numbers.
    """
    deals = DealIndexer(load_game("holdem.limit.2p"))
    rng = np.random.default_rng([seed, boards])
    drawn = np.sort(rng.random((boards, 52)).argpartition(5, axis=1)[:, :5], axis=1).astype(np.int16)
    total = np.zeros((1326, 2, 4))
    for first in range(0, boards, _AT_ONCE):
        sums = board_sums(deals, drawn[first : first + _AT_ONCE], Wanted(moments=False, cluster=cluster))
        total += sums.clusters[..., :4].sum(axis=0, dtype=np.float64)
    classes = class_of_hand()
    grouped = np.zeros((CLASSES, 2, 4))
    np.add.at(grouped, classes, total)
    # Both are counted twice, so that a tie is a whole number.
    return grouped[classes, 0] / 2.0, grouped[classes, 1] / 2.0
