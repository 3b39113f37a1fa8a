"""A strategy of public states on a tree that lacks some of its bets, and on the rest of a game."""

from __future__ import annotations

import numpy as np
import pytest

import errai
from errai.abstraction.translation import pseudo_harmonic
from errai.errors import StrategyError
from errai.games.hand import CALL, PublicState, raise_to
from errai.strategies.by_state import ByState
from errai.strategies.strategy import Choices, Deals, Decision, live_hands

GAME = errai.load_game("leduc.nolimit")
MENU = "50%, 200%"


class Bets:
    """Always makes the same bet, with any hand and for either player."""

    def __init__(self, total: int) -> None:
        self.total = total

    def strategy(self, state: PublicState) -> Choices:
        live = live_hands(state)[:, None]
        return Choices((CALL, raise_to(self.total)), np.where(live, (0.25, 0.75), 0.0))


def at_the_root(asked: ByState) -> np.ndarray:
    """float[A]: the probabilities of the first decision."""
    hands = np.arange(6, dtype=np.int32)
    deals = Deals(0, np.zeros((1, 0), np.int8), np.array([0, 6]), hands, hands[:, None].astype(np.uint8))
    decision = Decision.at(asked.betting, 0)
    assert decision.actions == ("check", "bet 100", "bet 400")
    rows = asked.rows([decision], deals)
    assert (rows == rows[:, :1]).all()
    return rows[:, 0]


def test_a_bet_between_two_of_the_tree_is_made_as_both() -> None:
    share = pseudo_harmonic(1.0, 0.5, 2.0)  # 200 chips into a pot of 200
    found = at_the_root(ByState(Bets(300), GAME, MENU, rounded=True))
    np.testing.assert_allclose(found, [0.25, 0.75 * share, 0.75 * (1.0 - share)])
    np.testing.assert_allclose(at_the_root(ByState(Bets(500), GAME, MENU, rounded=True)), [0.25, 0.0, 0.75])
    np.testing.assert_allclose(at_the_root(ByState(Bets(1200), GAME, MENU, rounded=True)), [0.25, 0.0, 0.75])


def test_without_rounding_it_is_refused() -> None:
    with pytest.raises(StrategyError, match="raises to 300"):
        at_the_root(ByState(Bets(300), GAME, MENU))


def test_a_lookahead_is_asked_about_the_states_of_the_whole_hand() -> None:
    seen: list[PublicState] = []

    class Listens:
        def strategy(self, state: PublicState) -> Choices:
            seen.append(state)
            return Choices((CALL,), np.where(live_hands(state)[:, None], 1.0, 0.0))

    state = PublicState.start(GAME).after(raise_to(300)).after(CALL).with_cards((4,)).after(CALL)
    rest = errai.lookahead(GAME, state, None, None, menu=MENU)
    asked = ByState(Listens(), rest)
    hands = np.array([0, 1, 2, 3, 5], dtype=np.int32)
    deals = Deals(0, np.array([[4]], np.int8), np.array([0, 5]), hands, hands[:, None].astype(np.uint8))
    for node in asked.betting.decision_nodes(0, state.actor):
        asked.rows([Decision.at(asked.betting, int(node))], deals)
    assert seen[0] == state
    assert all(s.line[:3] == state.line and s.board == (4,) and s.actor == state.actor for s in seen)
    # Some questions are asked twice.
    assert len({s.actions for s in seen}) == len(asked.betting.decision_nodes(0, state.actor))
