"""Counterfactual regret minimisation over one of OpenSpiel's trees, history by history in NumPy: nothing of Errai's.

The exponents of discounted and of predictive CFR are functions of the iteration, as the papers write them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability

Exponent = Callable[[int], float]


class PlainCfr:
    """Alternating updates, averages weighted by the player's own reach.

    Parameters
    ----------
    name:
        A game of OpenSpiel.
    alpha, beta, gamma:
        Exponents at iteration t, from 1 on.  The regrets of iterations before t are multiplied by ``u^a / (u^a + 1)``
        with ``u = t - 1`` and ``a`` the exponent there, alpha for those above 0 and beta for the others; the strategies
        of iterations before t by ``((t - 1) / t)^gamma(t)``.
    plus:
        Predictive CFR+ instead: regrets below 0 are forgotten, none is discounted, and a strategy is matched to them
        with the newest regrets added once more.
    """

    def __init__(self, name: str, alpha: Exponent, beta: Exponent, gamma: Exponent, *, plus: bool) -> None:
        self.game = pyspiel.load_game(name)
        self.alpha, self.beta, self.gamma, self.plus = alpha, beta, gamma, plus
        self.sets: dict[str, int] = {}
        self.player: list[int] = []
        self.legal: list[list[int]] = []
        # By depth, for each history: its number, its parent's, the information set there, the action, chance's share.
        self._levels: list[list[tuple[int, int, int, int, float]]] = []
        self._ends: list[tuple[int, float]] = []
        self.histories = 0
        self._visit(self.game.new_initial_state(), -1, -1, -1, 1.0, 0)
        self.levels = [tuple(np.array(column) for column in zip(*level, strict=True)) for level in self._levels]
        shape = len(self.sets), self.game.num_distinct_actions()
        self.can = np.zeros(shape, dtype=bool)
        for number, actions in enumerate(self.legal):
            self.can[number, actions] = True
        self.actor = np.array(self.player)
        self.regrets, self.newest, self.sums = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self.iteration = 0

    def _visit(self, state: Any, parent: int, above: int, action: int, chance: float, depth: int) -> None:
        own = self.histories
        self.histories += 1
        while len(self._levels) <= depth:
            self._levels.append([])
        self._levels[depth].append((own, parent, above, action, chance))
        if state.is_terminal():
            self._ends.append((own, state.returns()[0]))
        elif state.is_chance_node():
            for outcome, probability in state.chance_outcomes():
                self._visit(state.child(outcome), own, -1, -1, probability, depth + 1)
        else:
            text = state.information_state_string()
            if text not in self.sets:
                self.sets[text] = len(self.sets)
                self.player.append(state.current_player())
                self.legal.append(state.legal_actions())
            for taken in state.legal_actions():
                self._visit(state.child(taken), own, self.sets[text], taken, 1.0, depth + 1)

    def strategy(self) -> np.ndarray:
        seen = self.regrets + self.newest if self.plus else self.regrets
        return self._matched(np.where(self.can, np.maximum(seen, 0.0), 0.0))

    def _matched(self, weights: np.ndarray) -> np.ndarray:
        total = weights.sum(axis=1, keepdims=True)
        uniform = self.can / self.can.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), uniform)

    def iterate(self, count: int) -> None:
        for _ in range(count):
            self.iteration += 1
            for player in (0, 1):
                self._update(player)

    def _update(self, player: int) -> None:
        t, strategy = self.iteration, self.strategy()
        reach, value = np.ones((3, self.histories)), np.zeros(self.histories)  # players 0 and 1, and chance
        for own, parent, above, action, chance in self.levels[1:]:
            reach[:, own] = reach[:, parent]
            reach[2, own] *= chance
            acted = above >= 0
            reach[self.actor[above[acted]], own[acted]] *= strategy[above[acted], action[acted]]
        for end, paid in self._ends:
            value[end] = paid if player == 0 else -paid
        regret, played = np.zeros_like(self.regrets), np.zeros(len(self.actor))
        for own, parent, above, action, chance in reversed(self.levels[1:]):
            acted = above >= 0
            share = np.where(acted, strategy[above, action], chance)
            np.add.at(value, parent, share * value[own])
        for own, parent, above, action, _ in self.levels[1:]:
            mine = (above >= 0) & (self.actor[above] == player)
            others = reach[1 - player, parent] * reach[2, parent]
            gained = others * (value[own] - value[parent])
            np.add.at(regret, (above[mine], action[mine]), gained[mine])
            played[above[mine]] = reach[player, parent[mine]]
        mine = self.actor == player
        if self.plus:
            self.regrets[mine] = np.maximum(self.regrets[mine] + regret[mine], 0.0)
            self.newest[mine] = regret[mine]
        else:
            if t > 1:
                up, down = ((t - 1.0) ** exponent(t - 1) for exponent in (self.alpha, self.beta))
                kept = np.where(self.regrets > 0.0, up / (up + 1.0), down / (down + 1.0))
                self.regrets[mine] *= kept[mine]
            self.regrets[mine] += regret[mine]
        self.sums[mine] *= ((t - 1.0) / t) ** self.gamma(t)
        self.sums[mine] += (played[:, None] * strategy)[mine]

    def exploitability(self) -> float:
        """That of the average strategy, as OpenSpiel computes it."""
        found = policy.TabularPolicy(self.game)
        average = self._matched(self.sums)
        for text, number in self.sets.items():
            found.policy_for_key(text)[:] = average[number]
        return exploitability.exploitability(self.game, found)
