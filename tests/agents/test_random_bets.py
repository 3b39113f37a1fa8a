"""Bets of any size: legal, repeatable, spread over all sizes."""

from __future__ import annotations

import numpy as np
import pytest

from errai.agents.agent import MatchStart
from errai.agents.reader import read_agent
from errai.arena.play import play_hand
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.catalogue import load_game
from errai.games.hand import Shuffle


def played(name: str, seed: int, hands: int) -> list:
    game = load_game(name)
    agents = tuple(read_agent(text, game) for text in ("random-bets", "random-bets"))
    for i, agent in enumerate(agents):
        agent.start_match(MatchStart(game, seed + i))
    shuffle = Shuffle(game)
    return [play_hand(game, agents, shuffle.numbered(1, number), number) for number in range(hands)]


@pytest.mark.parametrize("name", ["holdem.nolimit.2p", "leduc.nolimit", "leduc"])
def test_it_plays_by_the_rules_and_the_same_again(name: str) -> None:
    hands = played(name, 5, 60)
    assert [hand.actions for hand in hands] == [hand.actions for hand in played(name, 5, 60)]
    assert [hand.actions for hand in hands] != [hand.actions for hand in played(name, 6, 60)]
    assert {action.kind for hand in hands for done in hand.actions for action in done} == set(ActionKind)


def test_small_and_large_bets_come_equally_often() -> None:
    opened = [hand.actions[0][0].total for hand in played("holdem.nolimit.2p", 1, 1_500)]
    raises = np.array([total for total in opened if total > 100]) - 100
    assert len(raises) / len(opened) == pytest.approx(0.4, abs=0.04)
    # Log-uniform from 100 to 19,900 above the bet faced.
    assert np.median(np.log(raises)) == pytest.approx(np.log([100, 19_900]).mean(), abs=0.3)


def test_it_has_no_options() -> None:
    with pytest.raises(StrategyError, match="takes no"):
        read_agent("random-bets:3", load_game("leduc"))
