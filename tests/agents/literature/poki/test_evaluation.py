"""Strength and potential of hands against the papers' example and against counting with another evaluator."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from phevaluator import evaluate_cards

from errai.abstraction.deals import DealIndexer
from errai.agents.agent import number_of_hand
from errai.agents.literature.poki.evaluation import Board, Evaluation
from errai.cards.deck import FULL_DECK
from errai.cards.hands import boards_after, hand_cards
from errai.games.catalogue import load_game

DEALS = DealIndexer(load_game("holdem.limit.2p"))
UNIFORM = np.ones(1326)


def cards(text: str) -> tuple[int, ...]:
    return FULL_DECK.parse_cards(text)


def counted(hand: str, board: str, weights: np.ndarray) -> Evaluation:
    """HS, PPot and NPot by going through opponents and next cards one by one, as the papers' pseudo code does."""
    held, open_ = cards(hand), cards(board)
    rest = [card for card in range(52) if card not in held + open_]

    tables = [open_, *((*open_, card) for card in rest)]
    mine = {table: evaluate_cards(*held, *table) for table in tables}

    def order(other: tuple[int, ...], table: tuple[int, ...]) -> int:
        # The other library counts downwards: the best hand is 1.
        a, b = mine[table], evaluate_cards(*other, *table)
        return 2 if a < b else 1 if a == b else 0

    table = np.zeros((3, 3))
    now = np.zeros(3)
    for other in combinations(rest, 2):
        weight = weights[number_of_hand(other)]
        before = order(other, open_)
        now[before] += weight
        for card in rest:
            if card not in other:
                table[before, order(other, (*open_, card))] += weight
    behind, tied, ahead = table
    strength = (now[2] + now[1] / 2) / now.sum()
    positive = (behind[2] + behind[1] / 2 + tied[2] / 2) / (behind.sum() + tied.sum() / 2)
    negative = (ahead[0] + ahead[1] / 2 + tied[0] / 2) / (ahead.sum() + tied.sum() / 2)
    return Evaluation(strength, positive, negative)


def test_the_example_of_the_papers() -> None:
    """Billings et al. 2002, section 5.2: AdQc on 3h4cJh against a random hand, .585, .208 and .274."""
    found = Board(DEALS, cards("3h4cJh")).evaluate(number_of_hand(cards("AdQc")), UNIFORM, 2)
    assert found.strength == (628 + 9 / 2) / 1081
    assert [round(number, 3) for number in found] == [0.585, 0.208, 0.274]
    assert found.effective == pytest.approx(0.585106 + (1 - 0.585106) * 0.208324, abs=1e-6)
    assert found.winning == pytest.approx(found.effective - 0.585106 * 0.273693, abs=1e-6)


def test_a_hand_that_has_to_improve() -> None:
    """Papp 1998, section 5.3: 8d7d on 9d6c2d is ahead of 11.5 % of random hands, and gains more than it has."""
    found = Board(DEALS, cards("9d6c2d")).evaluate(number_of_hand(cards("8d7d")), UNIFORM, 2)
    assert found.strength == pytest.approx(0.115, abs=5e-4)
    assert found.positive > 0.5


@pytest.mark.parametrize(("hand", "board", "seed"), [("AdQc", "3h4cJh", None), ("KsTh", "Tc9c9dQd", 2)])
def test_one_card_ahead_is_what_counting_says(hand: str, board: str, seed: int | None) -> None:
    weights = UNIFORM if seed is None else np.random.default_rng(seed).random(1326) ** 3
    found = Board(DEALS, cards(board)).evaluate(number_of_hand(cards(hand)), weights)
    assert tuple(found) == pytest.approx(tuple(counted(hand, board, weights)), abs=1e-12)


def test_a_board_that_plays_ties_with_everybody() -> None:
    found = Board(DEALS, cards("AsKsQsJsTs")).evaluate(number_of_hand(cards("2c2d")), UNIFORM)
    assert found == Evaluation(0.5, 0.0, 0.0)


def test_hands_that_cannot_be_held_count_for_nothing() -> None:
    board, hand = cards("9d6c2dKs"), number_of_hand(cards("8d7d"))
    blocked = np.isin(hand_cards(52, 2), (*board, *cards("8d7d"))).any(axis=1)
    weights = np.random.default_rng(3).random(1326)
    other = np.where(blocked, 1e9, weights)
    assert Board(DEALS, board).evaluate(hand, weights) == Board(DEALS, board).evaluate(hand, other)


def test_without_an_opponent_there_is_nothing_to_say() -> None:
    assert Board(DEALS, cards("9d6c2dKs")).evaluate(5, np.zeros(1326)) == Evaluation(0.5, 0.0, 0.0)


@pytest.mark.parametrize("board", ["3h4cJh", "9d6c2dKs"])
def test_values_of_all_hands_are_near_what_is_enumerated(board: str) -> None:
    """EHS' of all hands at once assumes that one card changes the order one way; the result is nearly the same."""
    table = Board(DEALS, cards(board))
    drawn = np.random.default_rng(0).permutation(np.flatnonzero(table.now >= 0))[:60]
    exact = np.array([table.evaluate(int(hand), UNIFORM).effective for hand in drawn])
    found = table.values[drawn]
    assert np.abs(found - exact).max() < 0.02
    assert np.abs(found - exact).mean() < 0.004
    assert np.corrcoef(found, exact)[0, 1] > 0.999
    assert (table.values[table.now < 0] == 0).all()


def test_values_on_the_last_board_are_the_strengths() -> None:
    table = Board(DEALS, cards("9d6c2dKsAh"))
    for hand in (5, 700, 1200):
        if table.now[hand] >= 0:
            assert table.values[hand] == pytest.approx(table.evaluate(hand, UNIFORM).strength, abs=1e-6)


def test_boards_to_come() -> None:
    assert boards_after(cards("9d6c2d"), 1, 52).shape == (49, 4)
    two = boards_after(cards("9d6c2d"), 2, 52)
    assert two.shape == (49 * 48 // 2, 5)
    assert all(len(set(row)) == 5 for row in two.tolist())
