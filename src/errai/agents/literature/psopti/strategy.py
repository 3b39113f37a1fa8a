"""PsOpti as a strategy that agents and best responses can query, and as one file of the kind ``psopti``.

A bot has a table for the round before the flop and one model for each line to the flop; models may be shared.
Probabilities are stored in steps of 1/255, packed by zstandard; ``docs/bots/psopti.md`` has the layout of the file.

The game allows a fourth bet in a round and the models do not.  PsOpti never makes one; it answers an opponent's fourth
bet with a call, which counts in the model as a call of the third bet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import DealIndexer
from errai.agents.literature.psopti.buckets import HandBuckets, RoundCuts
from errai.agents.literature.psopti.models import after_flop, before_flop, lines_to_flop, require_hold_em
from errai.agents.strategies import StrategyAgent
from errai.blueprints.blueprint import StepTables
from errai.data import shipped_file
from errai.errors import DamagedFileError, StrategyError
from errai.games.betting import ActionKind
from errai.games.catalogue import parse_game
from errai.games.game import Game, Subject
from errai.store.container import open_container, write_container
from errai.store.packing import packed_frame, unpacked_frame
from errai.strategies.names import Name
from errai.strategies.strategy import Deals, Decision
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree

KIND = "psopti"
SHIPPED = "psopti.models"
ONE = 255


@dataclass(frozen=True, eq=False)
class Model:
    """A three-round model: the chips that each player put in before the flop, and the strategy."""

    chips: int
    steps: StepTables
    """uint8[rows, histories] by ``[street][player]``."""


@dataclass(frozen=True, eq=False)
class Bot:
    """One of the programs."""

    preflop: list[NDArray[np.unsignedinteger]]
    """The strategy before the flop, by class of hands."""
    model_of_line: dict[int, int]
    """The number of the model for each line to the flop."""


@dataclass(frozen=True, eq=False)
class PsOpti:
    """All programs that were built together."""

    game: Game
    cuts: tuple[RoundCuts, ...]
    """Buckets of flop, turn and river."""
    models: list[Model]
    bots: dict[str, Bot]
    """The programs, by name."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """How it was built: settings, sizes and gaps of the linear programs, seconds."""

    @property
    def buckets(self) -> HandBuckets:
        """The buckets after the flop."""
        return HandBuckets(DealIndexer(self.game), self.cuts)

    def save(self, path: str | Path) -> int:
        """Write the file, and return its size in bytes; errors are those of :func:`write_container`."""

        def packed(tables: Sequence[NDArray[np.unsignedinteger]]) -> NDArray[np.uint8]:
            return packed_frame(b"".join(table.tobytes() for table in tables))

        arrays = {f"model/{i}": packed([t for pair in m.steps for t in pair]) for i, m in enumerate(self.models)}
        arrays.update({f"preflop/{name}": packed(bot.preflop) for name, bot in self.bots.items()})
        metadata = {
            "game": {"text": self.game.to_text(), "name": self.game.name, "digest": self.game.digest()},
            "cuts": [asdict(each) for each in self.cuts],
            "models": [model.chips for model in self.models],
            "bots": {name: [[n, m] for n, m in bot.model_of_line.items()] for name, bot in self.bots.items()},
            "facts": dict(self.facts),
        }
        write_container(path, KIND, metadata, arrays)
        return Path(path).stat().st_size


def load_psopti(path: str | Path) -> PsOpti:
    """Read a file; errors are those of :func:`open_container`, and :class:`DamagedFileError` for a wrong content."""
    container = open_container(path, KIND)
    metadata = container.metadata
    try:
        game = parse_game(metadata["game"]["text"], str(metadata["game"]["name"]))
        require_hold_em(game)
        cuts = tuple(
            RoundCuts(tuple(float(cut) for cut in each["strengths"]), each["weak"], float(each["promising"]))
            for each in metadata["cuts"]
        )
        counts = np.cumprod([each.num_buckets for each in cuts]).tolist()
        models = []
        for i, chips in enumerate(metadata["models"]):
            betting = after_flop(game, int(chips))
            shapes = [[(betting.num_rows(s, p), counts[s]) for p in (0, 1)] for s in range(betting.num_streets)]
            flat = _unpacked(container.read(f"model/{i}"), [shape for pair in shapes for shape in pair], path)
            steps = [[flat[2 * s], flat[2 * s + 1]] for s in range(betting.num_streets)]
            _check(betting, steps, path)
            models.append(Model(int(chips), steps))
        preflop = before_flop(game)
        classes = DealIndexer(game).num_classes(0)
        bots = {}
        for name, lines in metadata["bots"].items():
            tables = _unpacked(
                container.read(f"preflop/{name}"), [(preflop.num_rows(0, p), classes) for p in (0, 1)], path
            )
            _check(preflop, [tables], path)
            bots[name] = Bot(tables, {int(node): int(model) for node, model in lines})
            if sorted(bots[name].model_of_line) != lines_to_flop(preflop) or not all(
                0 <= model < len(models) for model in bots[name].model_of_line.values()
            ):
                raise ValueError(f"{name} lacks a model for a line to the flop")
        return PsOpti(game, cuts, models, bots, dict(metadata["facts"]))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise DamagedFileError(f"{path} is a file of PsOpti, but its content is not valid: {error!s:.200}") from error


def _unpacked(
    packed: NDArray[Any], shapes: list[tuple[int, int]], path: str | Path
) -> list[NDArray[np.unsignedinteger]]:
    sizes = [rows * columns for rows, columns in shapes]
    raw = unpacked_frame(packed, sum(sizes), path)
    parts = np.split(np.frombuffer(raw, dtype=np.uint8), np.cumsum(sizes)[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _check(betting: BettingTree, steps: StepTables, path: str | Path) -> None:
    """Raise unless the steps of every decision sum to 255."""
    for s, pair in enumerate(steps):
        for p, table in enumerate(pair):
            first_rows = betting.row_start[betting.decision_nodes(s, p)]
            if (np.add.reduceat(table, first_rows, axis=0, dtype=np.int64) != ONE).any():
                raise DamagedFileError(f"{path} is damaged: the probabilities of a decision do not sum to 1.")


@lru_cache(maxsize=1)
def shipped() -> PsOpti:
    """Load the programs that come with the package."""
    return load_psopti(shipped_file(SHIPPED))


@dataclass(frozen=True)
class Place:
    """The position of a node of the game's betting tree in the models."""

    model: int
    """Number of the three-round model, or -1 before the flop."""
    node: int
    """Node of the model's betting tree."""
    unmodelled: bool = False
    """Whether a fourth bet has to be answered, which the model lacks."""


class PsOptiStrategy:
    """One of the programs as a :class:`~errai.strategies.strategy.Strategy`, by its name.

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
        self._trees = {-1: before_flop(made.game)}
        self._places: dict[int, Place] = {0: Place(-1, 0)}
        self._buckets = made.buckets
        self._class = self._buckets.deals.index(np.zeros((1, 0), dtype=np.int16), 0)[0]
        digest = hashlib.sha256(name.encode())
        used = [made.models[model].steps for model in sorted(set(self.bot.model_of_line.values()))]
        for table in (*self.bot.preflop, *(table for steps in used for pair in steps for table in pair)):
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
        never = np.zeros(len(seen))
        tables = [(decision, self.table(self.place(decision.node))) for decision in decisions]
        return np.stack(
            [table[kind][seen] if kind in table else never for decision, table in tables for kind in decision.kinds]
        )

    def place(self, node: int) -> Place:
        """Return the position of a node of the game's betting tree in the models."""
        if node not in self._places:
            parent = int(self.betting.parent[node])
            self._places[node] = self._follow(self.place(parent), parent, node)
        return self._places[node]

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
        if model not in self._trees:
            self._trees[model] = after_flop(self.made.game, self.made.models[model].chips)
        return self._trees[model]

    def table(self, place: Place) -> dict[int, NDArray[np.float64]]:
        """Return by the kinds of a decision's actions the probability of each for every history, float64[U]."""
        if place.unmodelled:
            return {ActionKind.CALL: np.ones(self.made.models[place.model].steps[-1][0].shape[1])}
        tree = self.tree(place.model)
        street, actor = int(tree.street[place.node]), int(tree.actor[place.node])
        steps = self.bot.preflop[actor] if place.model < 0 else self.made.models[place.model].steps[street][actor]
        first = int(tree.row_start[place.node])
        return {
            int(tree.action_kind[child]): steps[first + i] / float(ONE)
            for i, child in enumerate(tree.children(place.node))
        }

    def _seen(self, deals: Deals) -> NDArray[np.integer]:
        """Return int[S]: the class of every hand before the flop, or its history of buckets after it."""
        if deals.boards.shape[1] == 0:
            return np.asarray(self._class[deals.hand])
        found = np.empty(len(deals.hand), dtype=np.int32)
        for b, board in enumerate(deals.boards.tolist()):
            part = slice(int(deals.start[b]), int(deals.start[b + 1]))
            if part.stop - part.start == 1:
                found[part] = self._buckets.history(tuple(board), int(deals.hand[part.start]))
            else:
                found[part] = self._buckets.histories(tuple(board))[deals.hand[part]]
        return found


def read_psopti(name: Name, subject: Subject) -> StrategyAgent:
    """Make the agent ``psopti0``, ``psopti1`` or ``psopti2``, of the package or of a ``:FILE``.

    Raises :class:`StrategyError` if there is no such file or another game is played, and :class:`ArtefactError` if the
    file cannot be used.
    """
    name.read(source="[FILE]")
    if name.source and not Path(name.source).is_file():
        raise StrategyError(f"There is no file {name.source!r}; write {name.kind} alone for what comes with Errai.")
    strategy = PsOptiStrategy(load_psopti(name.source) if name.source else shipped(), name.kind)
    strategy.require(subject)
    agent = StrategyAgent(strategy, strategy.made.game, strategy.betting)
    agent.name = strategy.name
    return agent
