"""Agents that play what was computed before: solutions, in memory or in the folder of a run, and blueprints."""

from __future__ import annotations

from errai.abstraction.translation import Translation
from errai.agents.agent import StrategicAgent
from errai.agents.strategies import StrategyAgent
from errai.blueprints.blueprint import Blueprint, load_blueprint, shipped_blueprint
from errai.errors import StrategyError
from errai.games.game import Subject
from errai.games.hand import Action, Observation
from errai.solutions.artefact import load_solution
from errai.strategies.given import file_of
from errai.strategies.names import Name
from errai.strategies.solution import AnySolution, BlueprintStrategy, SolutionStrategy


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
        """Act as :meth:`StrategicAgent.act`: a solution gives the strategy of all hands as quickly as that of one."""
        return StrategicAgent.act(self, observation)


class BlueprintAgent(StrategyAgent):
    """Plays a blueprint; bets that its tree lacks are translated (:mod:`errai.strategies.tree_walk`)."""

    def __init__(
        self, blueprint: Blueprint, name: str = "", translation: Translation | str = Translation.PSEUDO_HARMONIC
    ) -> None:
        super().__init__(BlueprintStrategy(blueprint), blueprint.game, blueprint.betting, translation)
        self.name = name or f"blueprint of {blueprint.game.name}"


def read_solution(name: Name, subject: Subject) -> SolvedAgent:
    """Make the agent ``solution:FILE``, or ``store:FOLDER``, which plays the solution of a run.

    Raises :class:`StrategyError` if there is no such file or it is of another game, and :class:`ArtefactError` if it
    cannot be used.
    """
    translation = _translation(name, "FOLDER" if name.kind == "store" else "FILE")
    if name.kind == "store":
        from errai.cluster.reading import open_run

        solution: AnySolution = open_run(name.source)
    else:
        solution = load_solution(file_of(name))
    agent = SolvedAgent(solution, name.text, translation)
    agent.require(subject)
    return agent


def read_blueprint(name: Name, subject: Subject) -> BlueprintAgent:
    """Make the agent ``blueprint`` or ``blueprint-nl`` of the package, or ``blueprint:FILE``.

    Raises :class:`StrategyError` if there is no such file or it is of another game, and :class:`ArtefactError` if it
    cannot be used.
    """
    translation = _translation(name, "[FILE]" if name.kind == "blueprint" else "")
    blueprint = load_blueprint(file_of(name)) if name.source else shipped_blueprint(name.kind)
    if subject.whole_game is None:
        raise StrategyError("A blueprint plays a whole game, not a spot.")
    agent = BlueprintAgent(blueprint, name.text, translation)
    agent.require(subject)
    return agent


def _translation(name: Name, source: str) -> Translation:
    chosen = name.read(words={"translation": tuple(Translation)}, source=source)
    return Translation(chosen.get("translation", Translation.PSEUDO_HARMONIC))
