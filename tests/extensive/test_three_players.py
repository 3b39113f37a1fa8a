"""Best responses among three players, against a plain recursion over histories that shares nothing with the arrays."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import Any

import numpy as np
import pyspiel
import pytest

import errai
from errai.extensive.histories import CHANCE
from errai.extensive.ring import RingRules


def probabilities(information: Any, count: int) -> np.ndarray:
    """Some strategy of everybody, drawn from the name of the information set."""
    seed = int.from_bytes(hashlib.sha256(str(information).encode()).digest()[:8], "little")
    drawn = np.random.default_rng(seed).random(count) + 0.05
    return np.asarray(drawn / drawn.sum())


def responding(rules: RingRules, responder: int) -> tuple[float, float]:
    """What a player wins by the drawn strategy, and by a best response to those of the others."""
    known: dict[Any, np.ndarray] = {}

    def chosen(state: Any, actions: list[Any]) -> np.ndarray:
        information = rules.information(state)
        if information not in known:
            known[information] = probabilities(information, len(actions))
        return known[information]

    def best(states: list[tuple[Any, float]]) -> float:
        """The value of histories that the responder comes to by the same own actions, weighted by all others' moves."""
        total, sets = 0.0, defaultdict(list)
        while states:
            state, weight = states.pop()
            player = rules.player(state)
            if player is None:
                total += weight * rules.payoffs(state)[responder]
            elif player == responder:
                sets[rules.information(state)].append((state, weight))
            elif player == CHANCE:
                states += [(rules.after(state, action), weight * p) for action, p in rules.actions(state)]
            else:
                actions = list(rules.actions(state))
                mix = chosen(state, actions)
                states += [(rules.after(state, a), weight * float(p)) for a, p in zip(actions, mix, strict=True)]
        for found in sets.values():
            actions = list(rules.actions(found[0][0]))
            total += max(best([(rules.after(state, action), weight) for state, weight in found]) for action in actions)
        return total

    def value(state: Any) -> float:
        player = rules.player(state)
        if player is None:
            return rules.payoffs(state)[responder]
        if player == CHANCE:
            return sum(p * value(rules.after(state, action)) for action, p in rules.actions(state))
        actions = list(rules.actions(state))
        mix = chosen(state, actions)
        return sum(float(p) * value(rules.after(state, a)) for a, p in zip(actions, mix, strict=True))

    return value(rules.start()), best([(rules.start(), 1.0)])


@pytest.mark.parametrize("name", ["kuhn3", pytest.param("leduc3", marks=pytest.mark.slow)])
def test_gains_are_those_of_a_plain_recursion(name: str) -> None:
    rules = RingRules(errai.load_ring_game(name), 10**9)
    game = errai.extensive_game(errai.load_ring_game(name))
    plans = []
    for p, decisions in enumerate(game.decisions):
        behaviour = np.ones(decisions.num_sequences)
        for number, information in enumerate(game.names[p]):
            sequences = game.sequences_of(p, number)
            behaviour[sequences] = probabilities(information, len(sequences))
        plans.append(decisions.plan_of(behaviour))
    values, gains = game.values(plans), game.gains(plans)
    for responder in range(3):
        worth, most = responding(rules, responder)
        assert worth == pytest.approx(values[responder], abs=1e-9)
        assert most - worth == pytest.approx(gains[responder], abs=1e-9)
        assert gains[responder] > 0.01


@pytest.mark.parametrize(
    ("name", "spiel"),
    [("kuhn3", "kuhn_poker(players=3)"), pytest.param("leduc3", "leduc_poker(players=3)", marks=pytest.mark.slow)],
)
def test_uniform_play_is_worth_what_it_is_in_openspiel(name: str, spiel: str) -> None:
    ours, theirs = errai.extensive_game(errai.load_ring_game(name)), errai.extensive_game(pyspiel.load_game(spiel))
    found = []
    for game in (ours, theirs):
        plans = [d.plan_of(d.uniform()) for d in game.decisions]
        found.append([*game.values(plans), *game.gains(plans)])
    np.testing.assert_allclose(*found, rtol=0, atol=1e-9)
    assert [d.num_sets for d in ours.decisions] == [d.num_sets for d in theirs.decisions]
