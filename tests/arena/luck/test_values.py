"""Properties of value functions, and chances against independent counts."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from small_subjects import subject
from whole_games import RandomMixture

from errai.agents.reader import read_agent
from errai.arena.luck.estimators import read_values
from errai.arena.luck.values import Equity, ExactValues, OwnValues, PrivateDeals
from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_index
from errai.errors import MatchError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, PublicState, raise_to
from errai.strategies.given import read_strategy


def hands(*texts: str) -> np.ndarray:
    return np.array([int(hand_index(FULL_DECK.parse_cards(text))) for text in texts], dtype=np.int64)


def mean_over_cards(values, state: PublicState, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    deals = PrivateDeals(state.subject)
    total, count = np.zeros((len(first), len(second))), np.zeros((len(first), len(second)))
    for cards in combinations(sorted({*range(state.subject.rules.deck.num_cards)} - {*state.board}), state.cards_due):
        free = deals.free_of(first, cards)[:, None] & deals.free_of(second, cards)
        total += np.where(free, values.pairs(state.with_cards(cards), first, second), 0.0)
        count += free
    return total / count


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("leduc", "exact"),
        ("two-cards-short", "exact"),
        ("leduc", "own"),
        ("leduc", "equity"),
        ("two-cards-short", "equity"),
        ("turn", "own"),
        ("turn", "equity"),
    ],
)
def test_before_cards_are_dealt_values_are_the_mean_of_those_after(name: str, kind: str) -> None:
    played = subject(name)
    if kind == "exact":
        values = ExactValues(played, (RandomMixture(1), RandomMixture(2)))
    elif kind == "own":
        values = OwnValues(lambda state, f, s: np.sin(sum(state.board) + f[:, None] + 2.0 * s), played)
    else:
        values = Equity(played)
    state = PublicState.start(played)
    while not state.cards_due:
        state = state.after(CALL)
    deals = PrivateDeals(played)
    first, second = deals.possible(0)[:12], deals.possible(1)[:12]
    apart = deals.disjoint(first, second)
    assert apart.any()
    found, mean = values.pairs(state, first, second), mean_over_cards(values, state, first, second)
    np.testing.assert_allclose(found[apart], mean[apart], atol=1e-12)


def test_the_values_of_a_solution_are_the_value_of_the_game() -> None:
    # Kuhn's value is -1/18 whatever equilibrium is played; this is the one that never bluffs.
    game = load_game("kuhn")
    table = {
        (): [[1, 0], [1, 0], [1, 0]],
        ("call",): [[2 / 3, 1 / 3], [1, 0], [0, 1]],
        ("raise",): [[1, 0], [2 / 3, 1 / 3], [0, 1]],
        ("call", "raise"): [[1, 0], [2 / 3, 1 / 3], [0, 1]],
    }

    class Equilibrium(RandomMixture):
        def strategy(self, state):
            line = tuple(action.kind.name.lower() for action in state.line)
            choices = super().strategy(state)
            return replace(choices, probabilities=np.array(table[line], dtype=float))

    values = ExactValues(game, (Equilibrium(0), Equilibrium(0)))
    all_hands = np.arange(3)
    pairs = values.pairs(PublicState.start(game), all_hands, all_hands)
    assert pairs[~np.eye(3, dtype=bool)].mean() == pytest.approx(-1 / 18, abs=1e-12)


def test_equity_counts_the_pot_and_the_bets_to_come() -> None:
    game = load_game("leduc")
    state = PublicState.start(game).after(raise_to(0))
    first, second = np.array([4]), np.array([0])  # king against jack: it loses only when a jack comes, one of four
    assert Equity(game).pairs(state, first, second)[0, 0] == pytest.approx((0.5 * (3 + 1) + 0.5 * 4) * (3 - 1) / 4)


def test_values_that_cannot_be_had_are_refused_before_work_starts() -> None:
    limit = load_game("holdem.limit.2p")
    with pytest.raises(MatchError, match="22100 deals of round 2"):
        OwnValues(lambda state, first, second: np.zeros((len(first), len(second))), limit)
    agent = read_agent("uniform", limit)
    with pytest.raises(MatchError, match="use equity"):
        read_values("agents", limit, (agent, agent))
    with pytest.raises(MatchError, match="name a solution"):
        read_values("agents", limit)
    assert read_strategy("uniform", limit) is not None
    assert read_values("equity", limit).name == "equity"
