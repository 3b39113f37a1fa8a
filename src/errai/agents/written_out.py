"""Agents of solutions in extensive form: what was solved for two players or more, played at a table."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from errai.agents.agent import StrategicAgent
from errai.errors import StrategyError
from errai.extensive.ring import Line
from errai.games.hand import Action, Observation, PublicState
from errai.games.ring import RingBetting, RingGame
from errai.strategies.strategy import Choices

if TYPE_CHECKING:
    from errai.extensive.solve import ExtensiveSolution


class WrittenOutAgent(StrategicAgent):
    """Plays a solution of a ring game (:func:`errai.solve`), in every seat.

    Raises :class:`StrategyError` if the solution is of another game.
    """

    def __init__(self, solution: ExtensiveSolution, game: RingGame, name: str = "") -> None:
        if solution.game.source.get("digest") != game.digest():
            raise StrategyError(f"The solution is of {solution.game.title}, and the game is {game.label}.")
        self.solution = solution
        self.game = game
        self.name = name or f"{solution.game.title} by {solution.method}"
        self._line = lru_cache(maxsize=None)(self._found)

    def _found(self, actions: tuple[tuple[Action, ...], ...]) -> Line:
        """Return the line of bets with its words."""
        line = Line(RingBetting.start(self.game))
        for action in (action for done in actions for action in done):
            line = line.after(next(name for name, known in line.actions.items() if known == action))
        return line

    def strategy(self, state: PublicState) -> Choices:
        """There is no strategy for all hands at once: the private cards of two opponents are not counted here."""
        raise StrategyError(f"{self.name} has no strategy for every hand at once; measure it in matches.")

    def act(self, observation: Observation) -> Action:
        line = self._line(observation.state.actions)
        # Cards that are dealt together are a set, which the solution has in ascending order.
        ends = sorted({self.game.board_cards_in(r) for r in range(self.game.num_rounds)})
        board, dealt = observation.state.board, list[int]()
        for first, last in pairwise([0, *ends]):
            dealt += sorted(board[first:last])
        information = line.information(tuple(sorted(observation.cards)), tuple(dealt))
        chosen = self.solution.strategy_at(observation.seat, information)
        return self.draw([line.actions[name] for name in chosen], chosen.values(), observation)
