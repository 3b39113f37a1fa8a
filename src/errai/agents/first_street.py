"""An agent that plays a saved solution of the first street over a network, and another agent afterwards.

`errai preflop` solves the first street of hold'em once, over a network for the flop.  An agent that re-solves from the
flop on then begins with the ranges of that solution, and holds the opponent to the means of the network's outputs over
its iterations, as DeepStack does.
"""

from __future__ import annotations

import numpy as np

from errai.agents.agent import MatchStart, StrategicAgent
from errai.errors import StrategyError
from errai.games.hand import PublicState
from errai.games.subject import Subject
from errai.solutions.solution import Solution
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import Choices


class FirstStreetAgent(StrategicAgent):
    """Plays a solution on the first street.

    Bets that the solution lacks are translated into bets that it has, as for any solution.

    Parameters
    ----------
    solution:
        A solution of the game, or of a spot with the same rules and all hands, that is cut after the first street and
        has the history of its leaf values (:func:`errai.preflop`).
    subject:
        The game that is played.
    after:
        The agent that plays the streets after the first.

    Raises
    ------
    StrategyError
        The solution is none of these, or of another game.
    """

    def __init__(self, solution: Solution, subject: Subject, after: StrategicAgent) -> None:
        _check(solution, subject)
        self.solution = solution
        self.after = after
        self.name = f"{solution.title}, then {after.name}"
        self._first = TreeStrategy(SolutionStrategy(solution, whole=False), subject, solution.tree.betting)

    def start_match(self, start: MatchStart) -> None:
        """See :meth:`Agent.start_match`."""
        self.after.start_match(start)
        super().start_match(start)

    def close(self) -> None:
        """See :meth:`Agent.close`."""
        self.after.close()

    def strategy(self, state: PublicState) -> Choices:
        """See :meth:`StrategicAgent.strategy`."""
        return self.after.strategy(state) if state.betting.round else self._first.strategy(state)


def _check(solution: Solution, subject: Subject) -> None:
    made_for, played = solution.subject.rules, subject.rules
    if made_for.digest() != played.digest() or subject.whole_game is None:
        raise StrategyError(
            f"The solution '{solution.title}' is of another game than '{played.title or played.name}'; its stacks and "
            "blinds must be those of the game."
        )
    if solution.depth != 0 or solution.history is None:
        raise StrategyError(
            f"'{solution.title}' is not a solution of the first street over a network, with the ranges of its "
            "iterations; `errai preflop --stack N --menu SIZES -o FILE.errai` makes one."
        )
    if any(np.any(weights != 1.0) for weights in solution.subject.weights):
        raise StrategyError(
            f"'{solution.title}' was solved for ranges that leave hands out; the game begins with all of them."
        )
