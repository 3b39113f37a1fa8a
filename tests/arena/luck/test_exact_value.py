"""Exact values of small games, against OpenSpiel's own tree walk."""

from __future__ import annotations

import numpy as np
import pytest

from errai.agents.agent import StrategicAgent
from errai.agents.reader import read_agent
from errai.arena.luck.values import exact_value, is_small, seat_value
from errai.errors import UnsupportedGameError
from errai.games.catalogue import load_game

pyspiel = pytest.importorskip("pyspiel")
SPIEL = {"kuhn": "kuhn_poker", "leduc": "leduc_poker"}


def spiel_value(name: str, seats: tuple[str, str]) -> float:
    """What the first player of OpenSpiel's game wins on average; both play a simple strategy by name."""

    def row(state: object, kind: str) -> dict[int, float]:
        legal = state.legal_actions()  # type: ignore[attr-defined]
        if kind == "uniform":
            return {a: 1 / len(legal) for a in legal}
        if kind == "always-raise":
            return {max(legal): 1.0}
        # Leduc has fold 0, call 1, raise 2; Kuhn pass 0 and bet 1, where a bet calls one.
        if name == "leduc":
            return {1: 1.0}
        line = list(state.history()[2:])  # type: ignore[attr-defined]
        return {1 if line and line[-1] == 1 else 0: 1.0}

    def below(state: object) -> float:
        if state.is_terminal():  # type: ignore[attr-defined]
            return float(state.returns()[0])  # type: ignore[attr-defined]
        if state.is_chance_node():  # type: ignore[attr-defined]
            options = state.chance_outcomes()  # type: ignore[attr-defined]
        else:
            options = row(state, seats[state.current_player()]).items()  # type: ignore[attr-defined]
        return float(np.sum([p * below(state.child(a)) for a, p in options]))  # type: ignore[attr-defined]

    return below(pyspiel.load_game(SPIEL[name]).new_initial_state())


def agent(text: str, name: str) -> StrategicAgent:
    found = read_agent(text, load_game(name))
    assert isinstance(found, StrategicAgent)
    return found


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
@pytest.mark.parametrize(
    "seats",
    [("uniform", "always-call"), ("always-raise", "uniform"), ("uniform", "uniform"), ("always-call", "always-raise")],
)
def test_seat_values_are_those_of_openspiel(name: str, seats: tuple[str, str]) -> None:
    ours = seat_value(load_game(name), (agent(seats[0], name), agent(seats[1], name)))
    assert ours == pytest.approx(spiel_value(name, seats), abs=1e-9)


def test_the_value_is_the_mean_of_both_seats() -> None:
    game, a, b = load_game("kuhn"), agent("uniform", "kuhn"), agent("always-raise", "kuhn")
    assert exact_value(game, (a, b)) == pytest.approx((seat_value(game, (a, b)) - seat_value(game, (b, a))) / 2)
    assert exact_value(game, (a, b)) == pytest.approx(-exact_value(game, (b, a)))
    assert exact_value(game, (a, b)) == pytest.approx(-0.375)


def test_large_games_are_refused() -> None:
    game = load_game("holdem.limit.2p")
    assert not is_small(game)
    assert not is_small(load_game("rhode-island"))
    a = agent("uniform", "holdem.limit.2p")
    with pytest.raises(UnsupportedGameError):
        exact_value(game, (a, a))
