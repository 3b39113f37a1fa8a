"""An agent that plays a blueprint."""

from __future__ import annotations

from errai.abstraction.translation import Translation
from errai.agents.strategies import StrategyAgent
from errai.blueprints.blueprint import Blueprint, load_blueprint
from errai.blueprints.shipped import shipped_blueprint
from errai.errors import StrategyError
from errai.games.game import Game
from errai.games.hand import Subject
from errai.strategies.blueprint import BlueprintStrategy
from errai.strategies.names import Name
from errai.strategies.reader import file_of


class BlueprintAgent(StrategyAgent):
    """Plays a blueprint; bets that its tree lacks are translated (:mod:`errai.strategies.tree_walk`)."""

    def __init__(
        self, blueprint: Blueprint, name: str = "", translation: Translation | str = Translation.PSEUDO_HARMONIC
    ) -> None:
        super().__init__(BlueprintStrategy(blueprint), blueprint.game, blueprint.betting, translation)
        self.name = name or f"blueprint of {blueprint.game.name}"


def read_blueprint_agent(name: Name, subject: Subject, translation: Translation) -> BlueprintAgent:
    """Make the agent for a name: ``blueprint`` or ``blueprint-nl`` of the package, or ``blueprint:FILE``.

    Raises
    ------
    StrategyError
        If there is no such file, or it is of another game.
    ArtefactError
        If the file cannot be used.
    """
    blueprint = load_blueprint(file_of(name)) if name.source else shipped_blueprint(name.kind)
    agent = BlueprintAgent(blueprint, name.text, translation)
    if not isinstance(subject, Game):
        raise StrategyError("A blueprint plays a whole game, not a spot.")
    agent.asked.require(subject)  # type: ignore[attr-defined]
    return agent
