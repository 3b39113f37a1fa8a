"""The strategies of PsOpti, in memory and as one file of the kind ``psopti``; ``docs/bots/psopti.md`` has the layout.

A bot has a table for the round before the flop and one model for each line to the flop; models may be shared.
Probabilities are stored in steps of 1/255, packed by zstandard.
"""

from __future__ import annotations

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
from errai.blueprints.blueprint import StepTables
from errai.data import shipped_file
from errai.errors import DamagedFileError
from errai.games.game import Game
from errai.games.gamedef import parse_game
from errai.store.container import open_container, write_container
from errai.store.packing import packed_frame, unpacked_frame
from errai.tree.betting_tree import BettingTree

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
    """All programs that were built together.

    Attributes
    ----------
    cuts:
        Buckets of flop, turn and river.
    bots:
        The programs, by name.
    facts:
        How it was built: settings, sizes and gaps of the linear programs, seconds.
    """

    game: Game
    cuts: tuple[RoundCuts, ...]
    models: list[Model]
    bots: dict[str, Bot]
    facts: Mapping[str, Any] = field(default_factory=dict)

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
    """Read a file.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        If there is no such file, it is of another kind, or it is not complete.
    """
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
            for node in betting.decision_nodes(s, p).tolist():
                first = int(betting.row_start[node])
                total = table[first : first + int(betting.num_children[node])].sum(axis=0, dtype=np.int64)
                if (total != ONE).any():
                    raise DamagedFileError(f"{path} is damaged: the probabilities of a decision do not sum to 1.")


@lru_cache(maxsize=1)
def shipped() -> PsOpti:
    """Load the programs that come with the package."""
    with shipped_file(SHIPPED) as path:
        return load_psopti(path)
