"""Agents as strategies: the exact best response to an agent is that to the strategy it plays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_subjects import subject

import errai
from errai.agents.agent import Choices, StrategicAgent
from errai.agents.answering import AgentStrategy, exploitability_of
from errai.agents.reader import read_agent
from errai.agents.solved import SolvedAgent
from errai.agents.strategies import live_hands
from errai.errors import StrategyError
from errai.games.game import Game
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.spot import Spot
from errai.responses.strategy import Strategy


def _agent(text: str, played: Game | Spot) -> StrategicAgent:
    made = read_agent(text, played)
    assert isinstance(made, StrategicAgent)
    return made


@pytest.mark.parametrize("text", ["uniform", "always-raise", "fold=0.1,call=0.4,raise=0.5", "by-strength:4"])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "two-cards-short"])
def test_an_agent_is_as_exploitable_as_its_strategy(text: str, name: str) -> None:
    game = subject(name)
    assert isinstance(game, Game)
    asked = AgentStrategy(_agent(text, game), game)
    assert isinstance(asked, Strategy)
    expected = errai.best_response(game, text).by_seat_chips
    assert errai.best_response(game, asked).by_seat_chips == pytest.approx(expected, abs=1e-12)


def test_an_agent_is_as_exploitable_as_its_strategy_in_no_limit() -> None:
    game = errai.load_game("leduc.nolimit")
    for text in ("uniform", "by-strength:3"):
        expected = errai.best_response(game, text, menu="100%, a").by_seat_chips
        asked = AgentStrategy(_agent(text, game), game, "100%, a")
        assert errai.best_response(game, asked, menu="100%, a").by_seat_chips == pytest.approx(expected, abs=1e-9)


def test_an_agent_that_plays_a_solution_has_its_certificate() -> None:
    game = errai.load_game("leduc")
    solution = errai.solve(game, "1mbb")
    agent = SolvedAgent(solution)
    found = errai.best_response(game, AgentStrategy(agent, game))
    assert found.exploitability is not None
    assert found.exploitability.chips == pytest.approx(solution.exploitability.chips, abs=1e-12)
    assert exploitability_of(agent, game).chips == pytest.approx(solution.exploitability.chips, abs=1e-12)


@pytest.mark.parametrize("suits_alike", [True, False])
def test_a_solved_spot_has_its_certificate(suits_alike: bool) -> None:
    spot = subject("turn")
    solution = errai.solve(spot, "1%pot")
    found = exploitability_of(SolvedAgent(solution), spot, suits_alike=suits_alike)
    assert found.chips == pytest.approx(solution.exploitability.chips, abs=1e-9)
    assert found.by_player == pytest.approx(solution.exploitability.by_player, abs=1e-9)


class FavouriteSuit(StrategicAgent):
    """Raises with the first suit and calls with the other one: suits are not alike to it."""

    name = "favourite suit"

    def strategy(self, state: PublicState) -> Choices:
        live = live_hands(state)
        raises = state.betting.legal().raise_range
        if raises is None:
            return Choices((CALL,), live[:, None].astype(float))
        first = np.arange(len(live)) % 2 == 0
        return Choices((CALL, raise_to(raises[0])), np.stack([live & ~first, live & first], axis=1).astype(float))


def _best(agent: StrategicAgent, state: PublicState, seat: int, hand: int, against: np.ndarray) -> float:
    """What a best responder with one hand wins in Leduc, summed over the agent's hands: one line at a time."""
    if state.cards_due:
        boards = [c for c in range(6) if c != hand]
        return sum(
            _best(agent, state.with_cards((c,)), seat, hand, np.where(np.arange(6) == c, 0.0, against)) / 4
            for c in boards
        )
    if state.is_over:
        holes = [((hand,), (o,)) if seat == 0 else ((o,), (hand,)) for o in range(6)]
        return sum(against[o] * state.net_chips(holes[o])[seat] for o in range(6) if against[o] > 0)
    if state.actor == seat:
        return max(_best(agent, state.after(action), seat, hand, against) for action in state.legal_actions)
    choices = agent.strategy(state)
    return sum(
        _best(agent, state.after(action), seat, hand, against * choices.probabilities[:, i])
        for i, action in enumerate(choices.actions)
    )


def test_an_agent_that_tells_suits_apart() -> None:
    """Held against one hand and one line at a time; asked once for suits alike, the agent is another one."""
    game = errai.load_game("leduc")
    agent = FavouriteSuit()
    others = [np.where(np.arange(6) == hand, 0.0, 1.0) for hand in range(6)]
    start = PublicState.start(game)
    expected = [sum(_best(agent, start, seat, h, others[h]) for h in range(6)) / 30.0 for seat in (0, 1)]
    apart = exploitability_of(agent, game, suits_alike=False)
    assert apart.chips == pytest.approx(sum(expected) / 2.0, abs=1e-12)
    assert exploitability_of(agent, game).chips != pytest.approx(apart.chips, abs=1e-3)


def test_bets_that_the_tree_lacks_are_named() -> None:
    game = errai.load_game("leduc.nolimit")
    asked = AgentStrategy(_agent("always-raise", game), game, "50%")
    with pytest.raises(StrategyError, match=r"raises to 300.*menu"):
        errai.best_response(game, asked, menu="50%")


def test_a_solution_of_another_game_is_refused() -> None:
    game = errai.load_game("leduc")
    agent = SolvedAgent(errai.solve(game, max_iterations=2))
    with pytest.raises(StrategyError, match="other rules"):
        AgentStrategy(agent, replace(game, name="other", raise_sizes=(2, 2)))
