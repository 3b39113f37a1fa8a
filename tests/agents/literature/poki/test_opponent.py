"""The opponent model: calibrated thresholds, weights, frequencies, and how much actions depend on the cards."""

from __future__ import annotations

import numpy as np
import pytest

from errai.agents.literature.poki.betting import bet_lines
from errai.agents.literature.poki.evaluation import income_rates
from errai.agents.literature.poki.opponent import (
    GENERIC_FOLDS,
    GENERIC_RAISES,
    LOWEST_WEIGHT,
    ActionCounts,
    Modelling,
    OpponentModel,
    ordered_triples,
    places,
)
from errai.games.catalogue import load_game
from errai.tree.betting_tree import NodeKind

LINES = bet_lines(load_game("holdem.limit.2p"))
INCOME = income_rates(1)[0]
ALL = np.ones(1326, dtype=np.bool_)
ROOT = 0
BIG_BLIND_RAISED = int(LINES.child[0, 2])


def model(modelling: Modelling = Modelling.SPECIFIC) -> OpponentModel:
    made = OpponentModel(LINES, modelling)
    made.new_hand(ALL)
    return made


@pytest.mark.parametrize("folds", [0.0, 0.05, 0.3, 0.9, 1.0])
@pytest.mark.parametrize("raises", [0.0, 0.02, 0.25, 0.6, 1.0])
def test_thresholds_give_back_the_frequencies(folds: float, raises: float) -> None:
    """Over all hands each action has the given frequency: the thresholds are calibrated."""
    raises *= 1.0 - folds
    place = (np.arange(20_000) + 0.5) / 20_000
    found = ordered_triples(place, np.full(len(place), folds), np.full(len(place), raises))
    assert (found >= 0).all()
    assert found.sum(axis=1) == pytest.approx(np.ones(len(place)))
    assert found.mean(axis=0) == pytest.approx([folds, 1 - folds - raises, raises], abs=0.01)
    # Better hands fold less and raise more.
    assert (np.diff(found[:, 0]) <= 1e-12).all()
    assert (np.diff(found[:, 2]) >= -1e-12).all()


def test_a_threshold_by_hand() -> None:
    """Fold three in ten, spread .2: certain below .1 and above .5, and even at the mean (Papp 1998, figure 7.2)."""
    place = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.9])
    found = ordered_triples(place, np.full(7, 0.3), np.zeros(7))
    assert found[:, 0] == pytest.approx([1, 1, 0.75, 0.5, 0.25, 0, 0])


def test_places_in_the_order_of_the_hands_held() -> None:
    rng = np.random.default_rng(0)
    values, weights = np.round(rng.random(200), 1), rng.random(200) * (rng.random(200) < 0.7)
    found = places(values, weights)
    for hand in range(200):
        less, same = weights[values < values[hand]].sum(), weights[values == values[hand]].sum()
        assert found[hand] == pytest.approx((less + same / 2) / weights.sum())
    assert weights @ found / weights.sum() == pytest.approx(0.5)


def test_weights_stay_weights() -> None:
    made = model(Modelling.GENERIC)
    blocked = np.arange(1326) % 5 == 0
    made.new_hand(~blocked)
    for _ in range(6):
        made.observe(BIG_BLIND_RAISED, 2, INCOME)
        assert made.weights.max() == 1.0
        assert (made.weights[blocked] == 0).all()
        assert (made.weights[~blocked] >= LOWEST_WEIGHT).all()
    made.block(np.arange(1326) % 7 != 0)
    assert (made.weights[np.arange(1326) % 7 == 0] == 0).all()
    assert made.weights[1] > 0


def test_a_raise_speaks_for_strong_hands_and_a_call_against_the_strongest() -> None:
    made = model(Modelling.GENERIC)
    made.observe(BIG_BLIND_RAISED, 2, INCOME)
    assert made.weights @ INCOME / made.weights.sum() > INCOME.mean() + 0.1
    assert (np.diff(made.weights[np.argsort(INCOME)]) >= -1e-12).all()
    made = model(Modelling.GENERIC)
    made.observe(BIG_BLIND_RAISED, 1, INCOME)
    best, middle, worst = (np.argsort(INCOME)[k] for k in (-1, 663, 0))
    assert made.weights[middle] > made.weights[best]
    assert made.weights[middle] > made.weights[worst]


def test_a_model_that_is_off_sees_nothing() -> None:
    made = model(Modelling.OFF)
    for _ in range(100):
        made.observe(BIG_BLIND_RAISED, 2, INCOME)
        made.end_hand(5)
    assert (made.weights == 1).all()
    assert made.frequencies[1].tolist() == np.tile(GENERIC_RAISES, (4, 1)).tolist()
    generic = model(Modelling.GENERIC)
    for _ in range(100):
        generic.observe(BIG_BLIND_RAISED, 2, INCOME)
        generic.end_hand(5)
    assert generic.frequencies[1].tolist() == np.tile(GENERIC_RAISES, (4, 1)).tolist()
    assert generic.blind_odds.tolist() == OpponentModel(LINES, Modelling.GENERIC).blind_odds.tolist()


def test_frequencies_are_mixed_until_there_are_twenty() -> None:
    """Papp 1998, equations 7.3 and 7.4."""
    counts = ActionCounts(4)
    for _ in range(10):
        counts.add(LINES, BIG_BLIND_RAISED, 0)
    folds, raises = counts.frequencies()
    # A raise before the flop is the second bet: facing a raise.
    assert folds[0, 2] == pytest.approx(0.5 * 1.0 + 0.5 * GENERIC_FOLDS[2])
    assert folds[3, 2] == folds[0, 2], "later rounds lean on the earlier ones"
    assert folds[0, 1] == GENERIC_FOLDS[1]
    assert raises[0].tolist() == list(GENERIC_RAISES), "who folds has not chosen between a call and a raise"
    for _ in range(30):
        counts.add(LINES, BIG_BLIND_RAISED, 2)
    assert counts.frequencies()[0, 0, 2] == 10 / 40
    assert counts.frequencies()[1, 0, 2] == 1.0


def test_who_always_raises_tells_nothing() -> None:
    made = model()
    for _ in range(30):
        made.new_hand(ALL)
        made.observe(BIG_BLIND_RAISED, 2, INCOME)
        made.end_hand(None)
    made.new_hand(ALL)
    made.observe(BIG_BLIND_RAISED, 2, INCOME)
    assert (made.weights == 1.0).all()


@pytest.mark.parametrize("by_cards", [True, False])
def test_shown_hands_say_whether_actions_go_by_cards(by_cards: bool) -> None:
    made = model()
    order = np.argsort(np.argsort(INCOME, kind="stable")) / 1326
    rng = np.random.default_rng(1)
    for _ in range(300):
        hand = int(rng.integers(1326))
        made.new_hand(ALL)
        # Calls and raises half the time each, by the cards or by a coin.
        raises = order[hand] > 0.5 if by_cards else rng.random() < 0.5
        made.observe(BIG_BLIND_RAISED, 2 if raises else 1, INCOME)
        made.end_hand(hand)
    assert (made.blind_share < 0.1) is by_cards
    assert (made.blind_share > 0.8) is not by_cards
    made.new_hand(ALL)
    made.observe(BIG_BLIND_RAISED, 2, INCOME)
    ratio = made.weights[np.argmax(INCOME)] / made.weights[np.argmin(INCOME)]
    assert bool(ratio > 20) is by_cards
    assert bool(ratio < 2) is not by_cards


def test_what_the_rules_do_not_allow_has_no_chance() -> None:
    made = model()
    nodes = np.flatnonzero(LINES.tree.kind == NodeKind.DECISION)
    found = made.triples(np.random.default_rng(0).random(len(nodes)), nodes)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(nodes)))
    assert (found[LINES.to_call[nodes] == 0, 0] == 0).all()
    assert (found[~LINES.can_raise[nodes], 2] == 0).all()
