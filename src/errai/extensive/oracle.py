"""Range of Skill (Zinkevich, Bowling and Burch 2007), which is also called double oracle (McMahan et al. 2003)."""

from __future__ import annotations

import numpy as np

from errai.extensive.game import ExtensiveGame, Floats
from errai.extensive.method import Method, check_two_players
from errai.judges.matrix import solve_matrix_game


class RangeOfSkill(Method):
    """Each player mixes over a growing set of pure strategies.

    Each step solves the matrix game between the two sets, and adds a best response of each player to the other's mix.
    It ends when neither is better than what the sets have; the size of the sets is at most the game's *range of skill*.
    """

    def __init__(self, game: ExtensiveGame) -> None:
        check_two_players(game, "Range of Skill")
        super().__init__(game)
        self.sets = [np.stack([d.plan_of(first_actions(game, p))]) for p, d in enumerate(game.decisions)]
        """By player float64[strategies, sequences]: the plans of the pure strategies so far."""
        self._payoffs = np.empty((0, 0))
        self._done = False
        self._tie = 1e-12 * game.scale

    @property
    def is_exact(self) -> bool:
        return self._done

    @property
    def average(self) -> list[Floats]:
        return self._now

    def step(self) -> None:
        rows, columns = self.sets
        before = self._payoffs.shape
        payoffs = np.empty((len(rows), len(columns)))
        payoffs[: before[0], : before[1]] = self._payoffs
        # Only what is new is evaluated: the new columns against all rows, the new rows against the old columns.
        for j in range(before[1], len(columns)):
            payoffs[:, j] = rows @ self.gradient(0, [rows[0], columns[j]])
        for i in range(before[0], len(rows)):
            payoffs[i, : before[1]] = -(columns[: before[1]] @ self.gradient(1, [rows[i], columns[0]]))
        self._payoffs = payoffs
        found = solve_matrix_game(payoffs)
        plans = [found.row_strategy @ rows, found.column_strategy @ columns]
        self._now = [d.behaviour_of(plan) for d, plan in zip(self.game.decisions, plans, strict=True)]
        value, self._done = (found.value, -found.value), True
        for player, decisions in enumerate(self.game.decisions):
            best, chosen = decisions.best_response(self.gradient(player, plans))
            plan = decisions.plan_of(chosen)
            # A best response that is in the set already, or no better than what rounding makes, adds nothing.
            known = (self.sets[player] == plan).all(axis=1).any()
            if not known and best - value[player] > self._tie:
                self.sets[player] = np.concatenate([self.sets[player], plan[None, :]])
                self._done = False
        self.iteration += 1


def first_actions(game: ExtensiveGame, player: int) -> Floats:
    """Return the action probabilities of the strategy that always takes the first action."""
    return game.decisions[player].best_response(np.zeros(game.decisions[player].num_sequences))[1]
