"""Rules of games of one's own."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import numpy as np

from errai.errors import ContractError
from errai.extensive.histories import CHANCE
from errai.extensive.solve import extensive_game
from errai.extensive.walk import MAX_HISTORIES, Rules, SpielRules, is_spiel_game
from errai.own_code import described
from errai.testing.blame import blamed

CLOSE = 1e-9


def check_game(rules: Any, max_histories: int = MAX_HISTORIES) -> None:
    """Check the rules of a game of one's own: that it can be written out, and that asking changes nothing.

    Parameters
    ----------
    rules:
        An object with the methods of :class:`errai.extensive.Rules`, or a game of OpenSpiel; what uniform play wins in
        the latter is compared with OpenSpiel's own recursion.
    max_histories:
        The most histories that are walked.

    Raises
    ------
    ContractError
        With what :func:`errai.extensive_game` says: imperfect recall, probabilities of chance that do not sum to 1, or
        payoffs that are not finite, for instance; a state changes when an action is made from it; the rules answer
        differently when they are asked again; or OpenSpiel has other values.
    """
    with blamed(f"The game {described(rules)}"):
        own = cast(Rules, SpielRules(rules) if is_spiel_game(rules) else rules)
        # A state that changes is found first, since a walk over such rules finds any other fault.
        stack, walked = [own.start()] if isinstance(own, Rules) and not isinstance(own, type) else [], 0
        while stack and walked < max_histories:
            state, walked = stack.pop(), walked + 1
            player = own.player(state)
            if player is None:
                continue
            told = None if player == CHANCE else own.information(state)
            actions = list(own.actions(state))
            stack += [own.after(state, a[0] if player == CHANCE else a) for a in actions]
            if own.player(state) != player or list(own.actions(state)) != actions:
                raise ContractError(
                    f"The state {state!r:.80} changes when an action is made from it; return a new one."
                )
            if player != CHANCE and own.information(state) != told:
                raise ContractError(f"The player knows something else at {state!r:.80} once an action has been made.")
        first, again = (extensive_game(own, max_histories=max_histories) for _ in range(2))
        if first.digest() != again.digest():
            raise ContractError("The rules describe another game when they are walked again.")
        if isinstance(own, SpielRules):
            score = import_module("open_spiel.python.algorithms.expected_game_score")
            uniform = [import_module("open_spiel.python.policy").UniformRandomPolicy(own.game)] * own.num_players
            plans = [d.plan_of(d.uniform()) for d in first.decisions]
            there = score.policy_value(own.start(), uniform)
            if not np.allclose(first.values(plans), there, rtol=CLOSE, atol=CLOSE):
                raise ContractError(f"Uniform play wins {first.values(plans)} here, and {there} by OpenSpiel.")
