"""An agent that plays a solution: of a game or a spot, in memory or in the folder of a run."""

from __future__ import annotations

from errai.abstraction.translation import Translation
from errai.agents.agent import StrategicAgent
from errai.agents.strategies import StrategyAgent
from errai.games.hand import Action, Observation
from errai.strategies.solution import AnySolution, SolutionStrategy


class SolvedAgent(StrategyAgent):
    """Plays the strategy profile of a solution, each seat its own strategy.

    Bets that the solution lacks are translated into bets that it has (:mod:`errai.strategies.tree_walk`); if that leads
    out of its tree, the agent checks and calls.  Raises :class:`StrategyError` for an unknown translation.
    """

    def __init__(
        self, solution: AnySolution, name: str = "", translation: Translation | str = Translation.PSEUDO_HARMONIC
    ) -> None:
        super().__init__(SolutionStrategy(solution), solution.subject, solution.tree.betting, translation)
        self.solution = solution
        self.name = name or f"solution of {solution.title}"

    def act(self, observation: Observation) -> Action:
        """As :meth:`StrategicAgent.act`: a solution gives the strategy of all hands as quickly as that of one."""
        return StrategicAgent.act(self, observation)
