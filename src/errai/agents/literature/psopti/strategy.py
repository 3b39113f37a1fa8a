"""PsOpti as a strategy that agents and best responses can query.

The game allows a fourth bet in a round and the models do not.  PsOpti never makes one; it answers an opponent's fourth
bet with a call, which counts in the model as a call of the third bet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.psopti.file import ONE, PsOpti, load_psopti, shipped
from errai.agents.literature.psopti.models import after_flop, before_flop
from errai.agents.strategies import StrategyAgent
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.subject import Subject
from errai.strategies.names import Name
from errai.strategies.strategy import Deals, Decision
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree


@dataclass(frozen=True)
class Place:
    """The position of a node of the game's betting tree in the models.

    Attributes
    ----------
    model:
        Number of the three-round model, or -1 before the flop.
    node:
        Node of the model's betting tree.
    unmodelled:
        Whether a fourth bet has to be answered, which the model lacks.
    """

    model: int
    node: int
    unmodelled: bool = False


class PsOptiStrategy:
    """One of the programs as a :class:`~errai.strategies.strategy.Strategy`.

    Parameters
    ----------
    made:
        The programs.
    name:
        The name of one of them.

    Raises :class:`StrategyError` if there is no program of that name.
    """

    suits_alike = True

    def __init__(self, made: PsOpti, name: str) -> None:
        if name not in made.bots:
            raise StrategyError(f"There is no program {name!r}; choose one of {', '.join(made.bots)}.")
        self.made = made
        self.name = name
        self.bot = made.bots[name]
        self.betting = build_betting_tree(made.game)
        self._preflop = before_flop(made.game)
        self._trees: dict[int, BettingTree] = {}
        self._places: dict[int, Place] = {0: Place(-1, 0)}
        self._buckets = made.buckets
        self._class = self._buckets.deals.index(np.zeros((1, 0), dtype=np.int16), 0)[0]
        digest = hashlib.sha256(name.encode())
        for table in self.bot.preflop:
            digest.update(table.tobytes())
        for model in sorted(set(self.bot.model_of_line.values())):
            for pair in made.models[model].steps:
                for table in pair:
                    digest.update(table.tobytes())
        self.description = f"{name}, {digest.hexdigest()[:16]}"

    def require(self, subject: Subject) -> None:
        """Raise :class:`StrategyError` unless a game is the one of the models."""
        if subject.whole_game is None or subject.digest() != self.made.game.digest():
            what = subject.label or "a spot"
            raise StrategyError(f"{self.name} plays the whole game '{self.made.game.name}', not '{what}'.")

    def rows(self, decisions: Sequence[Decision], deals: Deals) -> NDArray[np.float64]:
        """As :meth:`errai.strategies.strategy.Strategy.rows`: float64[R, S]."""
        seen = self._seen(deals)
        parts = []
        for decision in decisions:
            place = self.place(decision.node)
            table = self.table(place)
            kinds = [kind for kind, _ in table]
            part = np.zeros((len(decision.actions), len(deals.hand)))
            for i, kind in enumerate(decision.kinds):
                if kind in kinds:
                    part[i] = table[kinds.index(kind)][1][seen]
            parts.append(part)
        return np.concatenate(parts)

    def place(self, node: int) -> Place:
        """Return the position of a node of the game's betting tree in the models."""
        known = self._places.get(node)
        if known is not None:
            return known
        parent = int(self.betting.parent[node])
        found = self._follow(self.place(parent), parent, node)
        self._places[node] = found
        return found

    def _follow(self, place: Place, parent: int, node: int) -> Place:
        if self.betting.kind[parent] == NodeKind.CHANCE:
            if place.model < 0:
                return Place(self.bot.model_of_line[place.node], 0)
            return Place(place.model, self.tree(place.model).after_chance(place.node))
        kind = int(self.betting.action_kind[node])
        if place.unmodelled:
            # In the model the call was already made when the fourth bet came, so this action changes nothing there.
            return Place(place.model, place.node)
        tree = self.tree(place.model)
        children = {int(tree.action_kind[child]): child for child in tree.children(place.node)}
        if kind == ActionKind.RAISE and kind not in children:
            return Place(place.model, children[ActionKind.CALL], unmodelled=True)
        return Place(place.model, children[kind])

    def tree(self, model: int) -> BettingTree:
        """Return the betting tree of a model, or that of the round before the flop for -1."""
        if model < 0:
            return self._preflop
        if model not in self._trees:
            self._trees[model] = after_flop(self.made.game, self.made.models[model].chips)
        return self._trees[model]

    def table(self, place: Place) -> list[tuple[ActionKind, NDArray[np.float64]]]:
        """Return a decision's actions, each with its probability by history, float64[U], or float64[1] for a call."""
        if place.unmodelled:
            return [(ActionKind.CALL, np.ones(self._histories(place.model)))]
        tree = self.tree(place.model)
        street, actor = int(tree.street[place.node]), int(tree.actor[place.node])
        steps = self.bot.preflop[actor] if place.model < 0 else self.made.models[place.model].steps[street][actor]
        first = int(tree.row_start[place.node])
        return [
            (ActionKind(int(tree.action_kind[child])), steps[first + i] / float(ONE))
            for i, child in enumerate(tree.children(place.node))
        ]

    def _histories(self, model: int) -> int:
        return int(self.made.models[model].steps[-1][0].shape[1])

    def _seen(self, deals: Deals) -> NDArray[np.integer]:
        """Return int[S]: the class of every hand before the flop, or its history of buckets after it."""
        if deals.boards.shape[1] == 0:
            return np.asarray(self._class[deals.hand])
        found = np.empty(len(deals.hand), dtype=np.int32)
        for b, board in enumerate(deals.boards.tolist()):
            part = slice(int(deals.start[b]), int(deals.start[b + 1]))
            if part.stop - part.start == 1:
                found[part] = self._buckets.history(tuple(board), int(deals.hand[part.start]))
                continue
            found[part] = self._buckets.histories(tuple(board))[deals.hand[part]]
        return found


def read_psopti(name: Name, subject: Subject) -> StrategyAgent:
    """Make the agent ``psopti0``, ``psopti1`` or ``psopti2``, of the package or of a ``:FILE``.

    Raises
    ------
    StrategyError
        If there is no such file, or another game is played.
    ArtefactError
        If the file cannot be used.
    """
    name.read(source="[FILE]")
    if name.source and not Path(name.source).is_file():
        raise StrategyError(f"There is no file {name.source!r}; write {name.kind} alone for what comes with Errai.")
    strategy = PsOptiStrategy(load_psopti(name.source) if name.source else shipped(), name.kind)
    strategy.require(subject)
    agent = StrategyAgent(strategy, strategy.made.game, strategy.betting)
    agent.name = strategy.name
    return agent
