"""The agent that re-solves at every decision, and its loss against a best response."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from small_subjects import SHORT_TURN

import errai
from errai.agents.continual import ContinualAgent, ContinualOptions
from errai.agents.reader import read_agent
from errai.agents.solved import SolvedAgent
from errai.arena.match import play_match
from errai.errors import ErraiError, StrategyError
from errai.games.hand import PublicState
from errai.games.spot import parse_spot
from errai.responses.response import best_response
from errai.strategies.strategy import Choices

LEDUC = errai.load_game("leduc")


@pytest.mark.parametrize(
    ("name", "text", "pot_share"),
    [
        ("kuhn", "continual:iterations=200", 1e-3),
        ("leduc", "continual:iterations=100", 0.02),
        ("leduc", "continual:iterations=100,depth=end,again=street", 0.01),
        ("leduc", "continual:iterations=60,leaves=ranges,again=street", 0.06),
        ("leduc.nolimit", "continual:iterations=200,again=street", 0.01),
        ("leduc", "continual:iterations=100,gadget=maxmargin,again=street", 0.05),
        ("leduc", "continual:iterations=100,mixing=0.9,again=street", 0.05),
    ],
)
def test_it_loses_about_as_little_as_one_solve(name: str, text: str, pot_share: float) -> None:
    game = errai.load_game(name)
    found = errai.exploitability(game, text)
    assert 0.0 < found.chips < pot_share * found.units.initial_pot_chips


def test_more_iterations_lose_less() -> None:
    found = [errai.exploitability(LEDUC, f"continual:iterations={n},again=street").chips for n in (5, 20, 80)]
    assert found[2] < 0.6 * found[1] < 0.36 * found[0]


def test_board_by_board_it_loses_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """In processes of their own, which make agents of their own, from units in any order."""
    text = "continual:iterations=5,again=street"
    whole = errai.exploitability(LEDUC, text)
    agent = read_agent(text, LEDUC)
    alone = best_response(LEDUC, agent, processes=1)  # type: ignore[arg-type]
    shared = best_response(LEDUC, read_agent(text, LEDUC), processes=2)  # type: ignore[arg-type]
    assert alone.exploitability is not None
    assert shared.by_seat_chips == alone.by_seat_chips
    assert alone.exploitability.chips == pytest.approx(whole.chips, rel=1e-9)
    # Suits merged, three boards of 30 decisions each stand below the six of the first round.
    assert alone.states == shared.states == whole.states == 96
    assert isinstance(agent, ContinualAgent)
    assert agent.player.states == 96


def test_it_goes_on_from_a_checkpoint(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path, stop = tmp_path / "run.checkpoint", errai.StopToken()
    text = "continual:iterations=5"
    first = best_response(
        LEDUC,
        read_agent(text, LEDUC),
        checkpoint=path,
        stop=stop,
        progress=lambda now: stop.set(),  # type: ignore[arg-type]
    )
    assert first.status == "interrupted"
    assert first.boards_done == 1
    second = best_response(LEDUC, read_agent(text, LEDUC), checkpoint=path, resume=True)  # type: ignore[arg-type]
    once = best_response(LEDUC, read_agent(text, LEDUC))  # type: ignore[arg-type]
    assert second.by_seat_chips == once.by_seat_chips
    assert second.states == once.states


def test_from_a_later_round_it_starts_from_another_agent_and_loses_no_more() -> None:
    coarse = errai.solve(LEDUC, max_iterations=6)
    source = SolvedAgent(coarse)
    before = errai.exploitability(LEDUC, source).chips
    options = ContinualOptions(iterations=100, first=1, again="street")
    again = ContinualAgent(LEDUC, options, source)
    after = errai.exploitability(LEDUC, again).chips
    assert again.player.solves == 45
    assert coarse.exploitability.chips == pytest.approx(before)
    assert after < before + 1e-3
    # Maxmargin is to make it better where that is free.
    best = ContinualAgent(LEDUC, replace(options, gadget="maxmargin"), source)
    assert errai.exploitability(LEDUC, best).chips < 0.98 * before
    # Who takes nothing from a solution but what it answers comes to the same.
    told = ContinualAgent(LEDUC, options, errai_agent(source))
    assert errai.exploitability(LEDUC, told).chips == pytest.approx(after, abs=2e-3)


def errai_agent(source: SolvedAgent):  # type: ignore[no-untyped-def]
    """The same agent, which only answers queries."""
    from errai.agents.given import OwnStrategicAgent

    class Asked:
        suits_alike = True

        def strategy(self, state: PublicState) -> Choices:
            return source.strategy(state)

    return OwnStrategicAgent(Asked(), "asked")


def test_it_plays_in_a_match_and_in_a_spot() -> None:
    contestants = (
        partial(read_agent, "continual:iterations=20,again=street", LEDUC),
        partial(read_agent, "uniform", LEDUC),
    )
    first, second = (play_match(LEDUC, contestants, hands=16, seed=3) for _ in range(2))
    assert first.measures[0].mean_chips == second.measures[0].mean_chips
    spot = parse_spot(SHORT_TURN.replace("stack = 200", "stack = 100"))
    assert errai.exploitability(spot, "continual:iterations=15,again=street").pot_percent < 1.0


def test_a_process_makes_its_own() -> None:
    agent = read_agent("continual:iterations=10", LEDUC)
    state = PublicState.start(LEDUC)
    asked = agent.strategy(state)  # type: ignore[attr-defined]
    copied = pickle.loads(pickle.dumps(agent))
    assert copied.player.solves == 0
    assert np.array_equal(copied.strategy(state).probabilities, asked.probabilities)
    plain = pickle.loads(pickle.dumps(ContinualAgent(LEDUC, ContinualOptions(iterations=10))))
    assert np.array_equal(plain.strategy(state).probabilities, asked.probabilities)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("holdem.nolimit.2p", "continual", "resolver"),
        ("rhode-island", "continual", "9,842,820 strategy entries.*continual:from=ROUND:AGENT"),
        ("leduc", "continual:from=1", "agent for the rounds before"),
        ("leduc", "continual:always-call", "agent for the rounds before"),
        ("leduc", "continual:from=2:always-call", "'2' is not a round after the first.*choose round 1, or its number"),
        ("leduc", "continual:menu=50%", "limit game"),
        ("leduc", "continual:gadget=none", "gadget=unsafe"),
        ("leduc", "continual:gadget=reach", "gadget=unsafe"),
        ("leduc", "continual:gadget=unsafe,mixing=0.5", "Only the gadget resolve"),
        ("leduc", "continual:from=1:vexbot", "no strategy for every hand"),
        ("leduc", "continual:iterations=0", "iterations=1"),
    ],
)
def test_what_is_refused_before_any_work(name: str, text: str, message: str) -> None:
    with pytest.raises((StrategyError, ErraiError), match=message):
        read_agent(text, errai.load_game(name))
