"""An agent that plays a blueprint."""

from __future__ import annotations

from pathlib import Path

from errai.abstraction.translation import Translation
from errai.agents.strategies import StrategyAgent
from errai.blueprints.blueprint import Blueprint, load_blueprint
from errai.blueprints.shipped import shipped_blueprint
from errai.errors import StrategyError
from errai.games.game import Game
from errai.games.hand import Subject
from errai.strategies.blueprint import BlueprintStrategy
from errai.strategies.tree_walk import split_translation


class BlueprintAgent(StrategyAgent):
    """Plays a strategy over buckets; bets that it does not have are translated (:mod:`errai.strategies.tree_walk`)."""

    def __init__(
        self, blueprint: Blueprint, name: str = "", translation: Translation | str = Translation.PSEUDO_HARMONIC
    ) -> None:
        super().__init__(BlueprintStrategy(blueprint), blueprint.game, blueprint.betting, translation)
        self.name = name or f"blueprint of {blueprint.game.name}"


def read_blueprint_agent(text: str, subject: Subject) -> BlueprintAgent:
    """The agent that a text names: ``blueprint`` or ``blueprint-nl`` of the package, or ``blueprint:FILE``.

    ``,translation=NAME`` behind it asks for another translation than the pseudo-harmonic one.

    Raises
    ------
    StrategyError
        There is no such file or translation, or the file is of another game.
    ArtefactError
        It cannot be used.
    """
    named, translation = split_translation(text.strip())
    kind, colon, path = named.partition(":")
    if colon and not Path(path).is_file():
        raise StrategyError(f"There is no file {path!r}; check the path of the blueprint.")
    agent = BlueprintAgent(load_blueprint(path) if colon else shipped_blueprint(kind), text.strip(), translation)
    if not isinstance(subject, Game):
        raise StrategyError("A blueprint plays a whole game, not a spot.")
    agent.asked.require(subject)  # type: ignore[attr-defined]
    return agent
