"""Environments: PettingZoo's own tests on every game, and the hands that they play."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import api_test, seed_test

import errai
from errai.environment import NO_LIMIT_ACTIONS, PokerEnv, env
from errai.errors import IllegalActionError, InputError, UnknownGameError
from errai.games.catalogue import catalogue, ring_catalogue
from errai.games.hand import Action
from errai.games.ring import numbered_hand

GAMES = (*catalogue(), *ring_catalogue())


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_pettingzoo_accepts_every_game(name: str) -> None:
    api_test(env(name), num_cycles=100, verbose_progress=False)


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_gives_the_same_hands(name: str) -> None:
    seed_test(lambda: env(name), num_cycles=40)


@pytest.mark.parametrize("name", GAMES)
def test_hands_are_those_of_the_rules_and_nobody_sees_too_much(name: str) -> None:
    """The same cards and actions win the same without the environment; no card of others is in what one sees."""
    table, rng = PokerEnv(name), np.random.default_rng(4)
    deck = table.game.deck.num_cards
    for number in range(60):
        table.reset(seed=11 if number == 0 else None)
        taken: list[Action] = []
        assert table.hand is not None
        rewards = dict.fromkeys(table.possible_agents, 0.0)
        while table.agents:
            seen, reward, over, _, _ = table.last()
            agent = table.agent_selection
            rewards[agent] += reward
            seat = table.possible_agents.index(agent)
            own, board = seen["observation"][:deck], seen["observation"][deck : 2 * deck]
            assert np.flatnonzero(own).tolist() == sorted(table.hand.deal.hole[seat])
            assert np.flatnonzero(board).tolist() == sorted(table.hand.state.board)
            if over:
                table.step(None)
                continue
            choice = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            found = table._options()[choice]
            assert found is not None
            taken.append(found)
            table.step(choice)
        plain = numbered_hand(table.game, 11, number)
        for action in taken:
            plain.act(action)
        assert plain.is_over
        assert list(rewards.values()) == list(plain.net_chips())


def test_sizes_of_raises_in_no_limit() -> None:
    table = PokerEnv("holdem.nolimit.2p")
    table.reset(seed=1)
    totals = [None if option is None else option.total for option in table._options()]
    # Blinds of 50 and 100: to 200 at least; half the pot after the call is 100 more, which is the same; a pot is 200.
    assert totals == [0, 0, 200, None, 300, 20000]
    assert len(NO_LIMIT_ACTIONS) == len(totals)


def test_what_is_wrong_is_said(capsys: Any) -> None:
    with pytest.raises(UnknownGameError):
        env("bridge")
    with pytest.raises(InputError, match="render mode"):
        env("kuhn", render_mode="3d")
    with pytest.raises(InputError, match="no game"):
        PokerEnv(7)  # type: ignore[arg-type]
    table = PokerEnv("kuhn", render_mode="ansi")
    with pytest.raises(InputError, match="reset"):
        table.render()
    table.reset(seed=0)
    with pytest.raises(IllegalActionError, match="cannot take action 0"):
        table.step(0)  # Nobody has bet, so there is nothing to fold to.
    assert "Kuhn poker, hand 0: board -, pot 2" in str(table.render())
    shown = PokerEnv(errai.load_game("kuhn"), render_mode="human")
    shown.reset(seed=0)
    shown.step(1)
    assert "player_1" in capsys.readouterr().out
