"""How often an action is taken, also one that is not among the choices."""

from __future__ import annotations

import numpy as np

import errai
from errai.games.hand import CALL, PublicState, raise_to
from errai.strategies.strategy import Choices
from errai.strategies.tree_walk import probability_of


def test_actions_that_are_not_among_the_choices() -> None:
    game = errai.load_game("holdem.nolimit.2p")
    # 200 chips in the middle on the flop.
    state = PublicState.start(game).after(CALL).after(CALL).dealt(game.deck.parse_cards("Kd7h2c"))
    probabilities = np.arange(3.0) * np.ones((1326, 1))
    choices = Choices((CALL, raise_to(200), raise_to(300)), probabilities)
    assert probability_of(choices, state, raise_to(200))[0] == 1.0  # type: ignore[index]
    # Half a pot and a pot: 0.7143 pots are in the middle by the pseudo-harmonic rule.
    assert probability_of(choices, state, raise_to(241))[0] == 1.0  # type: ignore[index]
    assert probability_of(choices, state, raise_to(244))[0] == 2.0  # type: ignore[index]
    assert probability_of(choices, state, raise_to(9_000))[0] == 2.0  # type: ignore[index]
    assert probability_of(choices, state, raise_to(110))[0] == 1.0  # type: ignore[index]
    assert probability_of(Choices((CALL,), probabilities[:, :1]), state, raise_to(200)) == 1.0
