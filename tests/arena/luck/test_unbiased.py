"""The expectation of every estimator over all of a game is the exact value: no sampling, so nothing can hide."""

from __future__ import annotations

import zlib
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from small_subjects import spot_text
from whole_games import RandomMixture, every_hand

from errai.agents.reader import read_agent
from errai.arena.luck.estimators import Aivat, ImportanceSampling, read_values
from errai.arena.luck.values import Equity, ExactValues, OwnValues
from errai.games.catalogue import load_game, parse_game
from errai.games.spot import parse_spot

FACE_UP = """
GAMEDEF
nolimit
numPlayers = 2
numRounds = 2
blind = 1 2
stack = 4 5
firstPlayer = 2 1
maxRaises = 1 1
numSuits = 2
numRanks = 3
numHoleCards = 1
numBoardCards = 1 1
END GAMEDEF
"""
"""A board card before anybody acts, bets of several sizes, all-in before the last card, stacks that differ."""

TURN = spot_text("Qs Jh 2s 8h", "QQ:0.25, T9s:0.5", "AKs, JJ", stack=60)


SHORT = replace(load_game("leduc"), name="short leduc", num_ranks=2)


def subject_of(name: str):
    if name == "face up":
        return parse_game(FACE_UP, "face up")
    return parse_spot(TURN.replace("Qs Jh 2s 8h", "Qs Jh 2s 8h 2d")) if name == "river" else load_game(name)


def any_values(subject) -> OwnValues:
    def drawn(state, first, second):
        seed = zlib.crc32(repr((state.actions, state.board)).encode()) % 1_000
        return 5.0 * np.sin(seed + 1.7 * first[:, None] + 2.9 * second)

    return OwnValues(drawn, subject)


def check(subject, agents, seats=(0, 1), knowns=("none", "first", "second", "all"), values=("equity", "own")) -> None:
    made = {
        "equity": Equity(subject),
        "own": any_values(subject),
        "agents": read_values("agents", subject, agents) if "agents" in values else None,
    }
    for seat in seats:
        hands = list(every_hand(subject, agents if seat == 0 else agents[::-1]))
        assert sum(p for p, _ in hands) == pytest.approx(1.0, abs=1e-12)
        exact = sum(p * hand.net_chips[seat] for p, hand in hands)
        estimators = [Aivat(subject, agents, made[v], known=known) for known, v in product(knowns, values)]
        estimators += [
            ImportanceSampling(subject, agents, known=known, early_folds=early)
            for known, early in product(knowns, (False, True))
            if known != "none"
        ]
        for estimator in estimators:
            mean = sum(p * estimator.estimate(hand, seat) for p, hand in hands)
            assert mean == pytest.approx(exact, abs=1e-12), (estimator.name, seat)


@pytest.mark.parametrize("pair", [(1, 2), (3, 3)])
def test_every_estimator_is_unbiased_in_kuhn_poker_between_any_strategies(pair) -> None:
    first, second = pair
    agents = RandomMixture(first), RandomMixture(second, never=0.3)
    check(load_game("kuhn"), agents, values=("equity", "own", "agents"))


@pytest.mark.parametrize("seat", [0, 1])
def test_every_estimator_is_unbiased_in_leduc_between_any_strategies(seat: int) -> None:
    # Four cards, and strategies that never do some of what they might, keep the game small enough to go through again
    # and again.
    check(SHORT, (RandomMixture(1, never=0.45), RandomMixture(2, never=0.55)), seats=(seat,))


@pytest.mark.parametrize(("name", "never"), [("kuhn", 0.0), ("short leduc", 0.4)])
@pytest.mark.parametrize("early_folds", [False, True])
def test_another_strategy_is_measured_from_hands_that_it_did_not_play(name: str, never: float, early_folds) -> None:
    game = SHORT if name == "short leduc" else load_game(name)
    # What was played may always do what the other might: here because both never do the same things.
    first, second = RandomMixture(1, never), RandomMixture(2, never + 0.1)
    instead = Softened(first)
    for known in ("first", "all"):
        estimator = ImportanceSampling(game, (first, second), known=known, early_folds=early_folds, instead=instead)
        for seat in (0, 1):
            order = (first, second) if seat == 0 else (second, first)
            other = (instead, second) if seat == 0 else (second, instead)
            exact = sum(p * hand.net_chips[seat] for p, hand in every_hand(game, other))
            played = sum(p * hand.net_chips[seat] for p, hand in every_hand(game, order))
            mean = sum(p * estimator.estimate(hand, seat) for p, hand in every_hand(game, order))
            assert mean == pytest.approx(exact, abs=1e-12)
            assert abs(played - exact) > 1e-3


class Softened(RandomMixture):
    """Does what another does, at other rates."""

    def __init__(self, other: RandomMixture) -> None:
        super().__init__(other.seed, other.never)
        self.name = "softened"

    def strategy(self, state):
        choices = super().strategy(state)
        softer = np.sqrt(choices.probabilities)
        return replace(choices, probabilities=softer / softer.sum(axis=1, keepdims=True))


@pytest.mark.slow
@pytest.mark.parametrize("names", [("by-strength:3", "uniform"), ("always-call", "fold=0.1,call=0.4,raise=0.5")])
def test_every_estimator_is_unbiased_in_all_of_leduc(names) -> None:
    game = load_game("leduc")
    first, second = (read_agent(name, game) for name in names)
    check(game, (first, second), knowns=("none", "all"), values=("equity",))


@pytest.mark.parametrize(("knowns", "seat"), [(("first",), 0), (("none", "all"), 1)])
def test_unbiased_with_a_board_from_the_start_several_bets_and_all_ins(knowns: tuple[str, ...], seat: int) -> None:
    check(subject_of("face up"), (RandomMixture(4, 0.6), RandomMixture(5, 0.7)), seats=(seat,), knowns=knowns)


def test_unbiased_in_a_spot_whose_ranges_weigh_hands() -> None:
    agents = RandomMixture(6, 0.5), RandomMixture(7, 0.5)
    check(subject_of("river"), agents, seats=(1,), knowns=("none", "first", "all"), values=("equity",))


def test_unbiased_in_a_spot_when_one_hand_of_several_is_imagined() -> None:
    subject = subject_of("river")
    agents = RandomMixture(8, 0.5), RandomMixture(9, 0.5)
    hands = list(every_hand(subject, agents))
    exact = sum(p * hand.net_chips[0] for p, hand in hands)
    for imagined in ("first", "second", "none", "all"):
        estimator = Aivat(subject, agents, imagined=imagined)
        assert sum(p * estimator.estimate(hand, 0) for p, hand in hands) == pytest.approx(exact, abs=1e-12)


def test_with_the_exact_values_of_both_no_luck_is_left() -> None:
    game = load_game("leduc")
    agents = RandomMixture(1, never=0.45), RandomMixture(2, never=0.55)
    estimator = Aivat(game, agents, ExactValues(game, agents))
    hands = list(every_hand(game, agents))
    exact = sum(p * hand.net_chips[0] for p, hand in hands)
    for _, hand in hands[::7]:
        assert estimator.estimate(hand, 0) == pytest.approx(exact, abs=1e-12)


def test_the_less_is_known_the_more_luck_is_left() -> None:
    game = load_game("leduc")
    agents = RandomMixture(1, never=0.5), RandomMixture(2, never=0.5)
    values = ExactValues(game, agents)
    hands = list(every_hand(game, agents))

    def second_moment(estimate) -> float:
        return sum(p * estimate(hand) ** 2 for p, hand in hands)

    chips = second_moment(lambda hand: hand.net_chips[0])
    estimators = [Aivat(game, agents, values, known=known) for known in ("none", "first", "all")]
    left = [second_moment(lambda hand, e=e: e.estimate(hand, 0)) for e in estimators]
    assert chips > left[0] > left[1] > left[2]
    imagined = ImportanceSampling(game, agents, known="first")
    assert second_moment(lambda hand: imagined.estimate(hand, 0)) < chips
