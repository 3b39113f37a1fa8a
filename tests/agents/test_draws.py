"""The random draws of agents: equal for the same seed and hand, and uniform."""

from __future__ import annotations

import itertools
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from errai.agents.agent import MatchStart, StrategicAgent, number_of_hand, random_key, random_number
from errai.agents.reader import read_agent
from errai.cards.hands import hand_index
from errai.errors import StrategyError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Observation, PublicState, raise_to
from errai.strategies.strategy import Choices

LEDUC = load_game("leduc")


class Fixed(StrategicAgent):
    name = "fixed"

    def __init__(self, row: list[float]) -> None:
        self.row = row

    def strategy(self, state: PublicState) -> Choices:
        return Choices((FOLD, CALL, raise_to(0)), np.tile(np.array(self.row), (6, 1)))


def seen(hand: int) -> Observation:
    return Observation(PublicState.start(LEDUC), 0, (3,), hand)


@pytest.mark.parametrize("cards", [1, 2, 3])
def test_numbers_of_single_hands_are_those_of_the_list(cards: int) -> None:
    for hand in combinations(range(9), cards):
        for order in itertools.permutations(hand):
            assert number_of_hand(order) == int(hand_index(order))


def test_the_same_seed_and_hand_draw_the_same_whatever_came_before() -> None:
    a, b = Fixed([0.3, 0.3, 0.4]), Fixed([0.3, 0.3, 0.4])
    a.start_match(MatchStart(LEDUC, 5))
    b.start_match(MatchStart(LEDUC, 5))
    in_order = [[a.act(seen(hand)) for _ in range(4)] for hand in range(50)]
    backwards = [[b.act(seen(hand)) for _ in range(4)] for hand in reversed(range(50))]
    assert in_order == backwards[::-1]
    assert len({tuple(drawn) for drawn in in_order}) > 20
    b.start_match(MatchStart(LEDUC, 6))
    assert in_order != [[b.act(seen(hand)) for _ in range(4)] for hand in range(50)]


def test_actions_come_as_often_as_the_strategy_says() -> None:
    row = [0.2, 0.5, 0.3]
    agent = Fixed(row)
    agent.start_match(MatchStart(LEDUC, 1))
    drawn = [agent.act(seen(hand)).kind for hand in range(20_000)]
    counts = np.bincount(drawn, minlength=3)
    assert stats.chisquare(counts, np.array(row) * len(drawn)).pvalue > 1e-4


def test_numbers_are_even_and_independent_across_hands_places_and_seeds() -> None:
    grid = np.array(
        [[[random_number(random_key(s, h), p) for p in range(1, 5)] for h in range(100)] for s in (0, 1, 2**64, -1)]
    )
    flat = grid.ravel()
    assert len(np.unique(flat)) == flat.size
    assert stats.kstest(flat, "uniform").pvalue > 1e-4
    for axis in range(3):
        moved = np.moveaxis(grid, axis, 0)
        r, p = stats.pearsonr(moved[:-1].ravel(), moved[1:].ravel())
        assert p > 1e-4, (axis, r)


def test_a_sure_action_takes_a_number_too() -> None:
    # So that the numbers later in the hand do not depend on how the row was written.
    mixed, sure = Fixed([0.5, 0.5, 0.0]), Fixed([0.5, 0.5, 0.0])
    mixed.start_match(MatchStart(LEDUC, 9))
    sure.start_match(MatchStart(LEDUC, 9))
    later = []
    for hand in range(40):
        mixed.act(seen(hand))
        sure.row = [0.0, 1.0, 0.0]
        assert sure.act(seen(hand)) == CALL
        sure.row = [0.5, 0.5, 0.0]
        later.append((mixed.act(seen(hand)), sure.act(seen(hand))))
    assert all(a == b for a, b in later)


@pytest.mark.parametrize("row", [[0.0, 0.0, 0.0], [0.5, 0.2, 0.2], [float("nan"), 0.5, 0.5]])
def test_rows_that_are_no_probabilities_are_refused(row: list[float]) -> None:
    agent = Fixed(row)
    agent.start_match(MatchStart(LEDUC, 0))
    with pytest.raises(StrategyError, match="fixed"):
        agent.act(seen(0))


@pytest.mark.parametrize("text", ["uniform", "fold=0.2,call=0.5,raise=0.3", "by-strength", "always-raise"])
@pytest.mark.parametrize("game", ["leduc", "holdem.limit.2p", "leduc.nolimit"])
def test_quick_acts_are_those_of_the_whole_strategy(text: str, game: str) -> None:
    from errai.arena.play import deals_of_block
    from errai.games.hand import Hand

    subject = load_game(game)
    quick, slow = read_agent(text, subject), read_agent(text, subject)
    assert isinstance(slow, StrategicAgent)
    for agent in (quick, slow):
        agent.start_match(MatchStart(subject, 3))
    for number, deal in enumerate(deals_of_block(subject, 0, 0)[:12]):
        hand = Hand(subject, deal, number)
        while not hand.is_over:
            observation = hand.observation(hand.actor)
            action = quick.act(observation)
            assert action == StrategicAgent.act(slow, observation)
            choices = slow.strategy(observation.state)
            assert choices.probabilities[number_of_hand(observation.cards)][choices.actions.index(action)] > 0
            hand.act(action)
