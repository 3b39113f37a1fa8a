"""An agent that plays a blueprint."""

from __future__ import annotations

from pathlib import Path

from errai.agents.strategies import StrategyAgent
from errai.errors import StrategyError
from errai.games.game import Game
from errai.games.hand import Subject
from errai.responses.blueprint import BlueprintStrategy
from errai.solvers.bucketed.blueprint import Blueprint, load_blueprint


class BlueprintAgent(StrategyAgent):
    """Plays a strategy over buckets; bets that it does not have are taken for the nearest it has."""

    def __init__(self, blueprint: Blueprint, name: str = "") -> None:
        super().__init__(BlueprintStrategy(blueprint), blueprint.game, blueprint.betting)
        self.name = name or f"blueprint of {blueprint.game.name}"


def read_blueprint_agent(source: str, subject: Subject) -> BlueprintAgent:
    """The agent ``blueprint:FILE``.

    Raises
    ------
    StrategyError
        There is no such file, or it is of another game.
    ArtefactError
        It cannot be used.
    """
    if not Path(source).is_file():
        raise StrategyError(f"There is no file {source!r}; check the path of the blueprint.")
    agent = BlueprintAgent(load_blueprint(source), f"blueprint:{source}")
    if not isinstance(subject, Game):
        raise StrategyError("A blueprint plays a whole game, not a spot.")
    agent.asked.require(subject)  # type: ignore[attr-defined]
    return agent
