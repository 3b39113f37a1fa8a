"""Income rates against exact chances to win, published roll-outs, and their own sums."""

from __future__ import annotations

import numpy as np
import pytest

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import Wanted, canonical_features
from errai.agents.agent import number_of_hand
from errai.agents.literature.poki.evaluation import BLINDS, PRICE, income_rates
from errai.cards.deck import FULL_DECK
from errai.cards.hands import class_of_hand
from errai.games.catalogue import load_game


def rate(hand: str, rates: np.ndarray) -> float:
    return float(rates[number_of_hand(FULL_DECK.parse_cards(hand))])


@pytest.fixture(scope="module")
def always_call() -> np.ndarray:
    return income_rates(1)


def test_roll_outs_of_papp(always_call: np.ndarray) -> None:
    """Papp 1998, appendix A, IR2: 32 suited brings -.279 and offsuit -.351."""
    assert rate("3c2c", always_call[0]) == pytest.approx(-0.279, abs=0.01)
    assert rate("3c2d", always_call[0]) == pytest.approx(-0.351, abs=0.01)


@pytest.mark.parametrize(("hand", "chance"), [("AsAh", 0.8520), ("AsKs", 0.6704), ("7s2h", 0.3458), ("2s2h", 0.5033)])
def test_first_rates_are_twice_the_chance_to_win_less_one(hand: str, chance: float, always_call: np.ndarray) -> None:
    assert rate(hand, always_call[0]) == pytest.approx(2 * chance - 1, abs=0.015)


@pytest.mark.slow
def test_first_rates_are_near_the_exact_ones(always_call: np.ndarray) -> None:
    deals = DealIndexer(load_game("holdem.limit.2p"))
    mean = canonical_features(deals, 0, Wanted()).mean
    assert mean is not None
    exact = 2.0 * mean[deals.index(np.zeros((1, 0), dtype=np.int16), 0)[0]] - 1.0
    assert np.abs(always_call[0] - exact).max() < 0.03
    assert np.abs(always_call[0] - exact).mean() < 0.008
    assert np.corrcoef(always_call[0], exact)[0, 1] > 0.998


def test_what_one_wins_the_other_loses(always_call: np.ndarray) -> None:
    # Not to the last digit: some hands are blocked by more of the boards drawn than others.
    assert abs(always_call.mean()) < 5e-4
    # The small blind folds hands that lose more than it, in the roll-outs that follow.
    big, small = income_rates()
    plays = always_call[1] >= -BLINDS[1] / PRICE
    share = plays.mean()
    assert 0.8 < share < 1.0
    assert big.mean() == pytest.approx(-share * small[plays].mean() + (1 - share) * BLINDS[1] / PRICE, abs=1e-3)


def test_rates_have_an_order_and_suits_have_none() -> None:
    big, small = income_rates()
    for rates in (big, small):
        pairs = [rate(f"{r}s{r}h", rates) for r in "AKQJT987"]
        assert pairs == sorted(pairs, reverse=True)
        assert rate("AsKs", rates) > rate("AsKh", rates) > rate("7s2h", rates)
        assert rate("AsKs", rates) == rate("AdKd", rates)
    assert (big <= small + 0.06).all()
    assert np.bincount(class_of_hand(), minlength=169).tolist().count(6) == 13


def test_the_table_is_the_same_every_time() -> None:
    first = income_rates(2, 256, 5).copy()
    income_rates.cache_clear()
    assert (income_rates(2, 256, 5) == first).all()
    assert not (income_rates(2, 256, 6) == first).all()
