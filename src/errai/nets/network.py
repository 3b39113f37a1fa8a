"""Networks as files: weights in the safetensors format, and a model card as JSON in its metadata.

The metadata have one entry, ``errai``, with the card: what the network is (format version, name, game, round,
architecture, configuration), and its makers' statements (data, training, losses, licence).  Its ``digest`` covers every
bit (:mod:`errai.nets.tensor_file`).
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.data import shipped_file
from errai.engine.leaf_values import LeafValues
from errai.errors import DamagedFileError, ErraiError, FileAccessError, ForeignFileError, InputError
from errai.games.catalogue import parse_game
from errai.games.game import Game
from errai.games.streets import street_name
from errai.nets.below.leaves import NetLeafValues
from errai.nets.networks.architecture import Architecture, Arrays, architecture, hands_left
from errai.nets.positions import BoardValues
from errai.nets.tensor_file import card_digest, read_tensors, write_tensors

FORMAT = 1
LICENCE = "MIT"
SUFFIX = ".net"

SHIPPED: Mapping[str, str] = {
    "preflop": "the end of the betting before the flop in no-limit hold'em, from the network for the flop",
    "turn": "the turn of no-limit hold'em, from exact solves of turn and river",
    "flop": "the flop of no-limit hold'em, from lookaheads over the network for the turn",
    "leduc": "the second round of no-limit Leduc, from exact solves",
}
"""Names of the networks that come with the package, and the purpose of each."""

MOST_BYTES = 256 << 20
"""Longer files are refused before they are read."""

_WORD = "errai"
_OWN = ("format", "name", "game", "rules", "round", "architecture", "configuration", "licence", "digest")


class LeafPredictor(ABC):
    """Base class of predictors that :func:`errai.solve` takes as they are."""

    name: str
    digest: str
    round: int

    @abstractmethod
    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """Return the values on a board; see :class:`~errai.nets.positions.Predictor`."""

    def as_leaf_values(self, *, threads: int | None = None) -> LeafValues:
        """Return the leaf values of a tree that is cut before the predictor's round; see :func:`errai.solve`."""
        return NetLeafValues(self, threads=threads)


@dataclass(frozen=True, eq=False)
class Network(LeafPredictor):
    """A trained network: weights, and the architecture that evaluates them."""

    name: str
    game: Game
    round: int
    architecture: Architecture
    weights: Arrays
    """float32, those of `Architecture.fixed` in their own dtypes."""
    facts: Mapping[str, Any]
    """The card's statements about data, training and losses, as JSON values."""
    digest: str
    """SHA-256 in hexadecimal of the whole content of the file."""

    def __repr__(self) -> str:
        where = f"{street_name(self.game, self.round)} of {self.game.name}"
        return f"<Network {self.name!r}: {self.architecture.name}, for the {where}, digest {self.digest:.12}>"

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """Return the network on a board, which is to be kept for all evaluations on that board.

        ``among`` is as for `errai.nets.positions.Predictor.on`.

        Raises
        ------
        InputError
            The board is not one at the beginning of the network's round.
        """
        cards = tuple(int(card) for card in board)
        if len(cards) != self.game.board_cards_in(self.round):
            raise InputError(
                f"The network {self.name} is for boards of {self.game.board_cards_in(self.round)} cards, not "
                f"of {len(cards)}."
            )
        return self.architecture.on(self.architecture.prepare(self.game, cards, self.weights, among), self.weights)

    def on_classes(self) -> BoardValues:
        """Return an auxiliary network on the classes of hands before the board, in place of hands."""
        return self.architecture.on(self.architecture.prepare_classes(self.game), self.weights)


def make_net(
    name: str,
    game: Game,
    round_index: int,
    kind: Architecture,
    weights: Arrays,
    facts: Mapping[str, Any],
    *,
    half: bool = False,
) -> Network:
    """Make a network from weights, as it would be after writing and reading.

    Parameters
    ----------
    weights:
        All arrays that `Architecture.shapes` names, including those of `Architecture.fixed`.
    facts:
        The card's further statements; JSON, without the names that the card itself has.
    half:
        Round weights to float16, which halves the file.
    """
    stored = _stored(weights, half)
    card = _card(name, game, round_index, kind, facts)
    return Network(name, game, round_index, kind, _widened(stored), dict(facts), card_digest(card, stored))


def save_net(net: Network, path: str | os.PathLike[str]) -> int:
    """Write a network, atomically; return the length of the file.

    Weights that are all exact in float16 are stored as float16.  The same network gives the same bytes.

    Raises
    ------
    FileAccessError, DiskSpaceError
        The file cannot be written.
    """
    floats = [array for array in net.weights.values() if array.dtype.kind == "f"]
    with np.errstate(over="ignore"):
        half = all(np.array_equal(array, array.astype(np.float16).astype(np.float32)) for array in floats)
    card = _card(net.name, net.game, net.round, net.architecture, net.facts)
    return write_tensors(path, _WORD, card, _stored(net.weights, half))


def load_net(name_or_path: str | os.PathLike[str]) -> Network:
    """Load a network of the package by its name, such as ``turn``, or one from a file.

    Raises
    ------
    FileAccessError
        There is no network and no file of that name, or the file cannot be read.
    ForeignFileError
        The file is not a network, or has an unknown version.
    DamagedFileError
        The network is truncated, altered or inconsistent.

    Examples
    --------
    >>> import errai
    >>> net = errai.load_net("leduc")
    >>> net.name, net.round
    ('leduc', 1)
    """
    if str(name_or_path) in SHIPPED:
        return _read(shipped_file(f"{name_or_path}{SUFFIX}"))
    return _read(Path(name_or_path))


def _read(path: Path) -> Network:
    try:
        if not path.is_file():
            names = f"; the package has {', '.join(SHIPPED)}" if SHIPPED else ""
            raise FileAccessError(f"There is no network and no file {str(path)!r}{names}.")
        if path.stat().st_size > MOST_BYTES:
            raise ForeignFileError(f"{path} has more than {MOST_BYTES:,} bytes, which no network of Errai's has.")
    except (OSError, ValueError) as error:
        raise FileAccessError(f"{path} cannot be read: {error}.") from error
    stored, card = read_tensors(path, _WORD, "a network", FORMAT)
    try:
        game = parse_game(card["rules"], card["game"], source=str(path))
        kind = architecture(card["architecture"], card["configuration"])
        hands_left(game, card["round"])
        shapes = dict(kind.shapes(game, card["round"]))
    except (ErraiError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    if {name: array.shape for name, array in stored.items()} != shapes:
        raise DamagedFileError(f"{path} is damaged: it does not hold the weights of its architecture.")
    if not all(np.isfinite(array).all() for array in stored.values()):
        raise DamagedFileError(f"{path} is damaged: some weights are not numbers.")
    facts = {key: value for key, value in card.items() if key not in _OWN}
    return Network(card["name"], game, card["round"], kind, _widened(stored), facts, card["digest"])


def _card(name: str, game: Game, round_index: int, kind: Architecture, facts: Mapping[str, Any]) -> dict[str, Any]:
    if clash := set(facts) & set(_OWN):
        raise InputError(f"The facts contain {', '.join(sorted(clash))}, which the card itself states; leave them out.")
    return {
        **facts,
        "format": FORMAT,
        "name": name,
        "game": game.name,
        "rules": game.to_text(),
        "round": round_index,
        "architecture": kind.name,
        "configuration": kind.configuration(),
        "licence": LICENCE,
    }


def _stored(weights: Arrays, half: bool) -> dict[str, np.ndarray]:
    """Return the arrays of a file by name: floats as float32 or float16."""
    kind = np.float16 if half else np.float32
    with np.errstate(over="ignore"):
        return {
            name: np.ascontiguousarray(array, dtype=kind if array.dtype.kind == "f" else array.dtype)
            for name, array in sorted(weights.items())
        }


def _widened(stored: Arrays) -> dict[str, np.ndarray]:
    return {name: array.astype(np.float32) if array.dtype.kind == "f" else array for name, array in stored.items()}
