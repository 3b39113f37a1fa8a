"""The decisions of a local best response.

Lisy & Bowling, "Equilibrium approximation quality of current no-limit poker bots" (AAAI-17 workshop): at each of its
decisions the responder looks one action ahead and assumes that both players check and call to the end afterwards.  It
knows the agent's strategy for every hand, and therefore the agent's range and the probability that it folds to a bet.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import StrategicAgent
from errai.arena.lbr.settings import Setting
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.hand import CALL, FOLD, Action, PublicState, run_outs_of
from errai.games.subject import Subject
from errai.strategies.strategy import Choices, asked


class Responder:
    """Chooses the actions of a local best response to an agent in a game or spot."""

    def __init__(self, agent: StrategicAgent, subject: Subject, setting: Setting) -> None:
        self.agent = agent
        self.subject = subject
        self.setting = setting
        self.run_outs = run_outs_of(subject)
        self._fits: dict[int, NDArray[np.bool_]] = {}

    def start_range(self, seat: int) -> NDArray[np.float64]:
        """Return float64[H]: weights of the hands that a seat may be dealt."""
        return self.without(self.subject.weights[seat], self.subject.board)

    def without(self, weights: NDArray[np.float64], cards: tuple[int, ...]) -> NDArray[np.float64]:
        """Weights of hands that hold none of some cards."""
        return np.where(np.isin(self.run_outs.hands, cards).any(axis=1), 0.0, weights)

    def fits(self, hand: int) -> NDArray[np.bool_]:
        """Return bool[H]: the hands that share no card with a hand."""
        if hand not in self._fits:
            self._fits[hand] = self.run_outs.fits(hand)
        return self._fits[hand]

    def choose(self, state: PublicState, hand: int, against: NDArray[np.float64]) -> Action:
        """Return the responder's action against the agent's range, float64[H], hands that share cards included."""
        menu = self.setting.menu(state)
        if menu.calls_only:
            return CALL
        actions = menu.actions(state)
        if len(actions) == 1:
            return actions[0]
        values = self.values(state, actions, hand, against)
        # Of actions of equal value the first is taken: fold before call, call before bet.
        return actions[int(values.argmax())]

    def values(
        self, state: PublicState, actions: tuple[Action, ...], hand: int, against: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return float64[A]: the responder's estimate of each action: net chips if both check and call afterwards."""
        weights = against * self.fits(hand)
        total = weights.sum()
        if not total > 0.0:
            raise StrategyError(f"{self.agent.name} took an action that its strategy never takes, whatever it holds.")
        margin = self.run_outs.margin(state.board, hand)
        dead = state.dead_chips
        found = np.empty(len(actions))
        for i, action in enumerate(actions):
            if action == FOLD:
                found[i] = -(state.betting.stake_chips + dead)
                continue
            after = state.after(action)
            if action.kind == ActionKind.CALL:
                found[i] = (after.betting.stake_chips + dead) * float(weights @ margin) / total
                continue
            stays = weights * (1.0 - fold_probability(asked(self.agent, after)))
            folds = total - stays.sum()
            called = after.betting.apply(ActionKind.CALL).stake_chips + dead
            won = folds * (after.betting.stake_chips + dead) + called * float(stays @ margin)
            found[i] = won / total
        return found


def fold_probability(choices: Choices) -> NDArray[np.float64] | float:
    """Return float64[H]: the probability with which each hand folds, 0 if it cannot fold."""
    return choices.probabilities[:, choices.actions.index(FOLD)] if FOLD in choices.actions else 0.0
