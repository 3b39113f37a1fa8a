"""Continual re-solving over networks: what it loses on no-limit Leduc, and that it plays hold'em."""

from __future__ import annotations

import pickle
import runpy
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import errai
from errai.agents.continual import ContinualAgent
from errai.agents.deepstack import SETTINGS, deepstack
from errai.agents.reader import read_agent
from errai.agents.resolver import ResolverAgent
from errai.arena.match import play_match
from errai.errors import ErraiError, StrategyError
from errai.games.hand import CALL, FOLD, PublicState, raise_to
from errai.nets.below.values_below import NetsBelow
from errai.nets.examples import last_round
from errai.nets.network import Network
from errai.nets.positions import BoardValues
from errai.nets.predictors import find_predictor
from errai.strategies.strategy import live_hands

LEDUC = errai.load_game("leduc.nolimit")
HOLDEM = errai.load_game("holdem.nolimit.2p")
BY_CHECK_DOWN = "deepstack:net=check-down,iterations=10"

PUBLISHED_CHIPS = 1.37 * 6 / 5
"""DeepStack-Leduc on our scale: the authors do not renormalise for the card that both players cannot hold."""


def test_it_loses_less_than_the_authors_with_a_third_of_their_iterations() -> None:
    found = errai.exploitability(LEDUC, "deepstack:iterations=350")
    assert 0.5 < found.chips < PUBLISHED_CHIPS


def test_a_better_network_loses_less() -> None:
    """Values that know nothing of bets cost more than ten times as much."""
    found = errai.exploitability(LEDUC, "deepstack:net=check-down,iterations=25")
    assert found.chips > 10 * PUBLISHED_CHIPS


def test_the_example_does_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a script does, but with fewer positions held out."""
    pytest.importorskip("torch")
    solved = last_round.last_round_examples
    monkeypatch.setattr(last_round, "last_round_examples", lambda game, n, *a, **k: solved(game, min(n, 300), *a, **k))
    example = Path(__file__).parents[2] / "examples" / "deepstack_leduc.py"
    made = tmp_path / "small.net"
    arguments = ["--positions", "300", "--epochs", "2", "--iterations", "5", "--out", str(made)]
    monkeypatch.setattr(sys, "argv", [str(example), *arguments])
    runpy.run_path(str(example), run_name="__main__")
    said = capsys.readouterr().out
    assert "300 positions solved" in said
    lost = float(said.split(" on their scale")[0].rsplit(" ", 1)[1])
    found = errai.exploitability(LEDUC, f"deepstack:net={made},iterations=5")
    assert found.chips * 5 / 6 == pytest.approx(lost, abs=1e-3)


def test_the_papers_settings() -> None:
    options = SETTINGS["paper"]
    assert (options.iterations, options.left_out, options.again, options.mixing) == (1_000, 0.5, "decision", 0.9)
    agent = read_agent("deepstack:settings=paper,iterations=100,net=check-down", LEDUC)
    assert isinstance(agent, ContinualAgent)
    schedule = agent.options.schedule
    assert (schedule.average_from, schedule.gamma, schedule.simultaneous) == (51, 0.0, True)
    assert agent.strategy(PublicState.start(LEDUC)).probabilities.sum(axis=1) == pytest.approx(1.0)


def test_the_same_in_every_run_and_process() -> None:
    state = PublicState.start(LEDUC).after(raise_to(300)).after(CALL).dealt((3,)).after(CALL)
    first, second = read_agent(BY_CHECK_DOWN, LEDUC), read_agent(BY_CHECK_DOWN, LEDUC)
    asked = first.strategy(state)  # type: ignore[attr-defined]
    copied = pickle.loads(pickle.dumps(first))
    for agent in (
        second,
        copied,
        pickle.loads(pickle.dumps(deepstack(LEDUC, [find_predictor("check-down", LEDUC, 1)]))),
    ):
        if agent.name == "deepstack":
            assert agent.options.iterations == 1_000
            assert isinstance(agent.player.settings.below, NetsBelow)
        else:
            assert np.array_equal(agent.strategy(state).probabilities, asked.probabilities)


def test_it_plays_on_after_any_bet() -> None:
    contestants = (partial(read_agent, BY_CHECK_DOWN, LEDUC), partial(read_agent, "random-bets", LEDUC))
    first, second = (play_match(LEDUC, contestants, hands=12, seed=3) for _ in range(2))
    assert first.measures[0].mean_chips == second.measures[0].mean_chips


@pytest.mark.parametrize("options", ["settings=paper,iterations=2", "iterations=2,seconds=1000"])
def test_it_plays_holdem(options: str) -> None:
    """Before the flop as the agent that is named; from there on it solves."""
    agent = read_agent(f"deepstack:net=check-down,from=flop,{options},threads=1:always-call", HOLDEM)
    assert isinstance(agent, ResolverAgent)
    state = PublicState.start(HOLDEM)
    before = agent.strategy(state)
    assert before.probabilities[:, before.actions.index(CALL)].min() == 1.0
    state = state.after(raise_to(9_000)).after(CALL).dealt((3, 17, 30))
    for board in ((3, 17, 30), (3, 17, 30, 40), (3, 17, 30, 40, 44)):
        state = state.dealt(board) if state.cards_due else state
        choices = agent.strategy(state)
        for action in choices.actions:
            state.after(action)
        assert choices.probabilities[live_hands(state)].sum(axis=1) == pytest.approx(1.0)
        state = state.after(CALL).after(CALL)
    assert agent.player.solves >= 3
    assert agent.player.out_of_time == 0


def test_it_solves_from_the_first_action_on_at_any_bet() -> None:
    """No solve but the first of a hand is without a gadget, and the first has the ranges of the game."""
    agent = read_agent("deepstack:iterations=12,seconds=1000,threads=1", HOLDEM)
    assert isinstance(agent, ResolverAgent)
    gadgets = []
    solve = agent.player.settings.solve

    def watched(subject, gadget, leaf_values):  # type: ignore[no-untyped-def]
        gadgets.append((subject.state.line, gadget is None))
        return solve(subject, gadget, leaf_values)

    object.__setattr__(agent.player.settings, "solve", watched)
    start = PublicState.start(HOLDEM)
    opened = start.after(raise_to(271))  # no menu has this bet
    choices = agent.strategy(opened)
    assert choices.probabilities[live_hands(opened)].sum(axis=1) == pytest.approx(1.0)
    aces, worst = (choices.probabilities[hand] for hand in (1325, 20))
    assert aces[choices.actions.index(FOLD)] < 0.01 < 0.5 < 1.0 + worst[choices.actions.index(FOLD)]
    flop = opened.after(CALL).dealt((3, 17, 30))
    for state in (flop, flop.after(CALL).after(raise_to(271 + 300))):
        assert agent.strategy(state).probabilities[live_hands(state)].sum(axis=1) == pytest.approx(1.0)
        assert agent.player.situation(state, state.actor).values is not None
    assert agent.unsafe == agent.player.out_of_time == 0
    assert [line for line, free in gadgets if free] == [start.line]
    assert len(gadgets) >= 2
    solved = agent.player.solves
    agent.strategy(opened)
    other = opened.after(CALL).dealt((1, 2, 50))
    agent.strategy(other)
    assert agent.player.solves == solved + 1  # lines before the flop are solved once in a match


def test_a_flop_is_prepared_once_for_all_bets_that_are_made_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = []
    on = Network.on

    def watched(net: Network, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        prepared.append(tuple(sorted(board)))
        return on(net, board, among)

    monkeypatch.setattr(Network, "on", watched)
    agent = read_agent("deepstack:from=flop,iterations=10,seconds=1000,threads=1:always-call", HOLDEM)
    assert isinstance(agent, ResolverAgent)
    before = PublicState.start(HOLDEM).after(raise_to(5_000)).after(CALL)
    for number, flop in enumerate(((3, 17, 30), (4, 18, 31)), start=1):
        for bet in (5_300, 8_000, 20_000):
            agent.strategy(before.dealt(flop).after(raise_to(bet)))
        turns = [board for board in prepared if len(board) == 4]
        assert len(turns) == len(set(turns)) > 30 * number
    assert agent.player.solves == 6
    assert agent.player.out_of_time == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("leduc", "deepstack", "no-limit games"),
        ("leduc.nolimit", "deepstack:net=nowhere.net", "no network and no file"),
        ("leduc.nolimit", "deepstack:net=turn", "dealt otherwise than"),
        ("leduc.nolimit", "deepstack:iterations=0", "iterations=1"),
        ("leduc.nolimit", "deepstack:settings=mine", "settings=best|paper"),
        ("leduc.nolimit", "deepstack:gadget=unsafe,mixing=0.5", "Only the gadget resolve can mix"),
        ("leduc.nolimit", "deepstack:always-call", "takes no"),
        ("holdem.nolimit.2p", "deepstack:net=check-down:vexbot", "has no strategy for every hand|limit"),
    ],
)
def test_what_is_refused_before_any_work(name: str, text: str, message: str) -> None:
    with pytest.raises((StrategyError, ErraiError), match=message):
        read_agent(text, errai.load_game(name))


def test_a_network_of_other_cards_is_refused() -> None:
    with pytest.raises(StrategyError, match="no time to solve"):
        deepstack(HOLDEM, [find_predictor("check-down", LEDUC, 1)])
    with pytest.raises(StrategyError, match="before the flop"):
        deepstack(LEDUC, [find_predictor("check-down", LEDUC, 1)], blueprint=read_agent("uniform", LEDUC))  # type: ignore[arg-type]
