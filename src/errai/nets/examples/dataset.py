"""Training positions with their values, in folders of shards.

A folder holds a manifest, which records how its positions are made, and shards of :data:`SHARD` positions each, which
are written atomically one by one.  The same manifest gives the same positions, so one command reproduces a set.  Ranges
that follow from a seed are not stored but redrawn on reading, and checked against a checksum; ranges met in play are
stored.  Values take 8 bits: they are whole multiples of a fraction of the player's greatest value in that position, for
the hands that the board leaves.  The rounding error is at most a sixth of the labels' own noise (docs/nets.md).  Before
the board the values have no such noise and take 16 bits, for one hand of each class of hands.

One board in ten is held out.  The choice does not depend on the naming of suits or on the source of the board, so no
board is in both the training and the test set.  Before the board it is one position in ten.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import hand_cards
from errai.cards.isomorphism import HandIndexer
from errai.errors import DamagedFileError, FileAccessError, ForeignFileError, InputError, MismatchError
from errai.games.game import Game
from errai.nets.examples.play import from_levels, in_levels
from errai.nets.examples.recipe import FIELDS, SOURCES, Recipe
from errai.nets.examples.targets import Target
from errai.nets.networks.classes import class_matchups
from errai.nets.positions import Floats, Positions
from errai.nets.tensor_file import read_tensors, write_tensors
from errai.solutions.starts import StreetStarts
from errai.store.atomic import make_folder, write_file

SHARD = 100
"""Positions per shard."""

HELD_OUT = 10
"""One board in so many is held out."""

STEPS, FINE_STEPS = 127, 32_767
"""Number of steps of a value, up to the greatest one: on a board, and before the board."""

MANIFEST = "manifest.json"
FORMAT = 1
"""Version of manifests and of shards."""

WORD = "errai examples"
"""Key of a shard's card (:mod:`errai.nets.tensor_file`)."""

Part = Literal["train", "held out", "all"]


@dataclass(frozen=True, eq=False)
class Examples:
    """Positions and their values.  Axes: N positions, P = 2 players, H hands of the deck."""

    positions: Positions
    values: Floats
    """float32[N, P, H]: counterfactual values in pots, as defined in :mod:`errai.nets.positions`."""
    errors: Floats
    """float32[N]: exploitability, in pots, of the solution that gave the values."""
    sources: NDArray[np.int8]
    """int8[N]: indices into :data:`SOURCES`."""

    def __len__(self) -> int:
        return len(self.positions)

    def rows(self, which: NDArray[Any] | slice) -> Examples:
        """Select examples by numbers, truth values or a slice."""
        at = self.positions
        taken = Positions(at.boards[which], at.ranges[which], at.stacks[which])
        return Examples(taken, self.values[which], self.errors[which], self.sources[which])


def joined(parts: Sequence[Examples]) -> Examples:
    """Join several sets of examples of one round, in their order."""
    return Examples(
        Positions(*(np.concatenate([getattr(part.positions, name) for part in parts]) for name in FIELDS)),
        *(np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "errors", "sources")),
    )


@dataclass(frozen=True, eq=False)
class Solved:
    """A position of a recipe and its values, as they are written."""

    index: int
    positions: Positions
    """A single position."""
    target: Target


class Folder:
    """A data set on disk, in a folder that :meth:`begin` makes."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def shard(self, number: int) -> Path:
        """Where a shard is."""
        return self.path / f"examples-{number:06d}.safetensors"

    def shards(self) -> list[int]:
        """Numbers of the shards that are there, ascending."""
        found = (path.stem.partition("-")[2] for path in self.path.glob("examples-*.safetensors"))
        return sorted(int(number) for number in found if number.isdecimal())

    def begin(self, recipe: Recipe, facts: dict[str, Any]) -> None:
        """Make the folder with its manifest, or resume one that exists.

        Raises :class:`MismatchError` if it holds positions of another recipe, and :class:`FileAccessError` if it cannot
        be made.
        """
        if (self.path / MANIFEST).exists():
            if self.recipe() != recipe:
                raise MismatchError(f"{self.path} holds positions of another recipe; choose another folder.")
            return
        make_folder(self.path)
        self.note(recipe, facts)

    def note(self, recipe: Recipe, facts: dict[str, Any]) -> None:
        """Write the manifest: the recipe, and what has been made so far."""
        text = json.dumps({"format": FORMAT, "recipe": recipe.to_dict(), **facts}, indent=1, allow_nan=False) + "\n"
        write_file(self.path / MANIFEST, text)

    def manifest(self) -> dict[str, Any]:
        """Return the content of the manifest.

        Raises :class:`FileAccessError` if it is not there or cannot be read, :class:`ForeignFileError` if it is not
        Errai's, and :class:`DamagedFileError` if it is incomplete.
        """
        path = self.path / MANIFEST
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise FileAccessError(f"{self.path} holds no examples: {path} cannot be read.") from error
        except (ValueError, RecursionError) as error:
            raise DamagedFileError(f"{path} is damaged: {error}.") from error
        if not isinstance(said, dict) or said.get("format") != FORMAT:
            raise ForeignFileError(f"{path} is not a manifest of examples of version {FORMAT}.")
        return said

    def recipe(self) -> Recipe:
        """How the positions are made; errors as :meth:`manifest`."""
        said = self.manifest()
        try:
            return Recipe.from_dict(dict(said["recipe"]))
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFileError(f"{self.path / MANIFEST} is damaged: {error}.") from error

    def write(self, recipe: Recipe, number: int, solved: Sequence[Solved]) -> int:
        """Write some or all positions of a shard, in the order of their numbers; return the bytes."""
        ordered = sorted(solved, key=lambda one: one.index)
        hands = hand_cards(recipe.rules.deck.num_cards, recipe.rules.num_hole_cards)
        live = [stored_hands(recipe, hands, one.positions.boards[0]) for one in ordered]
        values = np.stack([one.target.values[:, alive] for one, alive in zip(ordered, live, strict=True)])
        scales = np.abs(values).max(axis=2)
        parts = np.divide(values, scales[..., None], out=np.zeros_like(values), where=scales[..., None] > 0.0)
        arrays = {
            "index": np.array([one.index for one in ordered], dtype=np.int64),
            "boards": np.concatenate([one.positions.boards for one in ordered]),
            "stacks": np.concatenate([one.positions.stacks for one in ordered]),
            "checks": np.array([crc32(one.positions.ranges.tobytes()) for one in ordered], dtype=np.uint32),
            "values": np.rint(STEPS * parts).astype(np.int8)
            if recipe.cards
            else np.rint(FINE_STEPS * parts).astype(np.int16),
            "scales": scales.astype(np.float32),
            "errors": np.array([one.target.error for one in ordered], dtype=np.float32),
            "gains": np.array([one.target.gain for one in ordered], dtype=np.float32),
            "iterations": np.array([one.target.iterations for one in ordered], dtype=np.int32),
            "seconds": np.array([one.target.seconds for one in ordered], dtype=np.float32),
        }
        if recipe.source != SOURCES[0]:
            weights = [one.positions.ranges[0][:, alive] for one, alive in zip(ordered, live, strict=True)]
            arrays["ranges"] = np.stack([in_levels(weight) for weight in weights])
        card = {"recipe": recipe.to_dict(), "shard": number, "format": FORMAT}
        return write_tensors(self.shard(number), WORD, card, arrays)

    def arrays(self, recipe: Recipe, number: int) -> dict[str, NDArray[Any]]:
        """Return a shard as it is stored; errors as :func:`read_shard`, and `MismatchError` for that of another set."""
        path = self.shard(number)
        arrays, facts = read_shard(path)
        try:
            fits = Recipe.from_dict(dict(facts["recipe"])) == recipe and facts["shard"] == number
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFileError(f"{path} is damaged: {error}.") from error
        if not fits:
            raise MismatchError(f"{path} is of another data set, or of another place in this one.")
        return arrays

    def read(self, recipe: Recipe, number: int) -> Examples:
        """Return the examples of a shard.

        Errors are those of :meth:`arrays`, and :class:`DamagedFileError` if redrawn ranges do not match their
        checksums.
        """
        arrays = self.arrays(recipe, number)
        hands = hand_cards(recipe.rules.deck.num_cards, recipe.rules.num_hole_cards)
        live = np.stack([stored_hands(recipe, hands, board) for board in arrays["boards"]])
        steps = np.float32(np.iinfo(arrays["values"].dtype).max)  # earlier shards have 16 bits
        values = _spread(arrays["values"].astype(np.float32) / steps * arrays["scales"][..., None], live)
        if not recipe.cards:
            values = values[..., _first_of_class(recipe.rules)]
        if "ranges" in arrays:
            positions = Positions(arrays["boards"], _spread(from_levels(arrays["ranges"]), live), arrays["stacks"])
        else:
            positions = recipe.positions(arrays["index"].tolist())
        checks = [crc32(ranges.tobytes()) for ranges in positions.ranges]
        if checks != arrays["checks"].tolist() or not np.array_equal(positions.stacks, arrays["stacks"]):
            raise DamagedFileError(
                f"The ranges of {self.shard(number)} do not come out as they were; another version of Errai or NumPy "
                "drew them."
            )
        sources = np.full(len(values), SOURCES.index(recipe.source), dtype=np.int8)
        return Examples(positions, values, arrays["errors"], sources)

    def solved(self, recipe: Recipe, number: int) -> list[Solved]:
        """Return the positions of a shard as :meth:`write` takes them; errors as :meth:`read`."""
        arrays, examples = self.arrays(recipe, number), self.read(recipe, number)
        found = []
        for i, index in enumerate(arrays["index"].tolist()):
            one = examples.rows(slice(i, i + 1))
            measured = (arrays[name][i].item() for name in ("errors", "gains", "iterations", "seconds"))
            found.append(Solved(index, one.positions, Target(one.values[0], *measured)))
        return found


def read_shard(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the card of a shard; errors are those of :func:`errai.nets.tensor_file.read_tensors`."""
    return read_tensors(path, WORD, "a shard of examples", FORMAT, "; remove it, and make its positions again")


def read_examples(folder: str | Path, part: Part = "all", limit: int | None = None) -> Examples:
    """Read a data set that ``errai nets generate`` made, or a part of it; it may still be growing.

    The part is ``train``, ``held out`` or ``all``; the board decides, see :func:`held_out`.  At most ``limit``
    positions of it are read, those with the smallest numbers.  Errors are those of :meth:`Folder.read`,
    :class:`FileAccessError` if there is no position, and :class:`InputError` if there is no such part or the limit is
    below 1.
    """
    if part not in ("train", "held out", "all"):
        raise InputError(f"part must be 'train', 'held out' or 'all', not {part!r}.")
    if limit is not None and limit < 1:
        raise InputError(f"limit must be at least 1 position, not {limit}.")
    place = Folder(folder)
    recipe = place.recipe()
    found: list[Examples] = []
    left = limit
    for number in place.shards():
        examples = place.read(recipe, number)
        if part != "all":
            at = examples.positions
            out = held_out(recipe.rules.deck, at.boards) if recipe.cards else _one_in_ten(map(bytes, at.ranges))
            examples = examples.rows(out if part == "held out" else ~out)
        if left is not None:
            examples = examples.rows(slice(left))
            left -= len(examples)
        found.append(examples)
        if left == 0:
            break
    if not any(len(examples) for examples in found):
        raise FileAccessError(f"{folder} holds no positions yet{'' if part == 'all' else f' to {part}'}.")
    return joined(found)


def held_out(deck: Deck, boards: NDArray[np.integer]) -> NDArray[np.bool_]:
    """bool[N]: which boards, integers[N, n], are held out, by a hash of the board up to a renaming of suits."""
    numbers = _board_indexer(deck, boards.shape[1]).index(boards.astype(np.int64)).tolist()
    return _one_in_ten(number.to_bytes(8, "little") for number in numbers)


def _one_in_ten(texts: Iterable[bytes]) -> NDArray[np.bool_]:
    return np.array([crc32(text) % HELD_OUT == 0 for text in texts], dtype=np.bool_)


def stored_hands(recipe: Recipe, hands: NDArray[np.integer], board: NDArray[np.integer]) -> NDArray[np.bool_]:
    """bool[H]: the hands whose values are stored: those that share no card with a board, or one of each class."""
    if recipe.cards:
        return np.asarray(~np.isin(hands, board).any(axis=1))
    return np.asarray(_first_of_class(recipe.rules) == np.arange(len(hands)))


def _first_of_class(game: Game) -> NDArray[np.int64]:
    """int64[H]: the first hand of each hand's class before the board."""
    classes = class_matchups(game)
    return classes.by_class().hands[classes.class_of]


def _spread(of_live: Floats, live: NDArray[np.bool_]) -> Floats:
    """float32[N, P, H] of float32[N, P, L]: 0 for hands that the board blocks."""
    found = np.zeros((len(live), 2, live.shape[1]), dtype=np.float32)
    rows, hands = np.nonzero(live)
    for p in (0, 1):
        found[rows, p, hands] = of_live[:, p].ravel()
    return found


@lru_cache(maxsize=8)
def _board_indexer(deck: Deck, cards: int) -> HandIndexer:
    return HandIndexer((cards,), deck)


def examples_of(starts: StreetStarts) -> Examples:
    """Return the beginnings of a street as examples, in the units of :mod:`errai.nets.positions`.

    :func:`errai.nets.training.learn.learn` trains a network on them, together with those of a folder.  They are in the
    order of the boards, and on each board in that of the lines, without lines that a player never takes and those after
    which nothing is left to bet.  ``errors`` is the exploitability of the whole solution in pots of the position, and
    ``sources`` marks the examples as met in play.  ``starts`` is the result of
    :func:`errai.solutions.starts.street_starts` or a batch of it.
    """
    lines = len(starts.lines)
    order = [starts.first_player, 1 - starts.first_player]
    ranges = starts.ranges.reshape(-1, 2, starts.ranges.shape[-1]).astype(np.float64)[:, order]
    values = starts.values.reshape(ranges.shape).astype(np.float64)[:, order]
    pots = np.tile(starts.pot_chips, len(starts))
    stacks = np.tile(starts.stacks_chips.min(axis=1), len(starts)) / pots
    sums = ranges.sum(axis=2)
    kept = (sums > 0.0).all(axis=1) & (stacks > 0.0)
    boards = np.repeat(np.sort(starts.boards, axis=1).astype(np.uint8), lines, axis=0)
    sums, pots = sums[kept], pots[kept]
    return Examples(
        Positions(boards[kept], (ranges[kept] / sums[..., None]).astype(np.float32), stacks[kept].astype(np.float32)),
        (values[kept] / (sums[:, ::-1, None] * pots[:, None, None])).astype(np.float32),
        (starts.exploitability_chips / pots).astype(np.float32),
        np.full(len(pots), SOURCES.index("play"), dtype=np.int8),
    )
