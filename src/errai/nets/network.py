"""Networks as files: weights in the safetensors format, and a model card as JSON in its metadata.

The metadata have one entry, ``errai``, with the card: what the network is (format version, name, game, round,
architecture, configuration), and its makers' statements (data, training, losses, licence).  ``digest`` is the SHA-256
of the card without the digest and of all arrays, so that it covers every bit.  Reading a file never executes any of its
content.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors import numpy as safetensors

from errai.data import shipped_file
from errai.engine.leaf_values import LeafValues
from errai.errors import DamagedFileError, ErraiError, FileAccessError, ForeignFileError, InputError
from errai.games.game import Game
from errai.games.gamedef import parse_game
from errai.games.streets import street_name
from errai.nets.below.averages import AveragedLeafValues
from errai.nets.below.leaves import NetLeafValues
from errai.nets.networks.architecture import Architecture, Arrays, architecture, hands_left
from errai.nets.positions import BoardValues
from errai.store.atomic import write_file

FORMAT = 1
LICENCE = "MIT"
SUFFIX = ".net"

SHIPPED: Mapping[str, str] = {
    "turn": "the turn of no-limit hold'em, from exact solves of turn and river",
    "flop": "the flop of no-limit hold'em, from lookaheads over the network for the turn",
    "leduc": "the second round of no-limit Leduc, from exact solves",
}
"""Names of the networks that come with the package, and the purpose of each."""

MOST_BYTES = 256 << 20
"""Longer files are refused before they are read."""

_WORD = "errai"
_LENGTH = struct.Struct("<Q")
_OWN = ("format", "name", "game", "rules", "round", "architecture", "configuration", "licence", "digest")


class LeafPredictor(ABC):
    """Base class of predictors that :func:`errai.solve` takes as they are."""

    name: str
    digest: str
    round: int

    @abstractmethod
    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        """Return the values on a board; see :class:`~errai.nets.positions.Predictor`."""

    def as_leaf_values(self, *, averaged: bool = False, threads: int | None = None) -> LeafValues:
        """Return the leaf values of a tree that is cut before the predictor's round; see :func:`errai.solve`.

        ``averaged``: measurements use the mean of the outputs over the iterations (:mod:`errai.nets.below.averages`).
        """
        if averaged:
            return AveragedLeafValues(self, threads=threads, on_boards=False)
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
    return Network(name, game, round_index, kind, _widened(stored), dict(facts), _digest(card, stored))


def save_net(net: Network, path: str | os.PathLike[str]) -> int:
    """Write a network, atomically; return the length of the file.

    Weights that are all exact in float16 are stored as float16.  The same network gives the same bytes.

    Raises
    ------
    FileAccessError, DiskSpaceError
        The file cannot be written.
    """
    stored = _stored(net.weights, _is_half(net.weights))
    card = _card(net.name, net.game, net.round, net.architecture, net.facts)
    card["digest"] = _digest(card, stored)
    data = safetensors.save(dict(stored), metadata={_WORD: json.dumps(card, sort_keys=True)})
    write_file(path, data)
    return len(data)


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
        with shipped_file(f"{name_or_path}{SUFFIX}") as path:
            return _read(path)
    return _read(Path(name_or_path))


def _read(path: Path) -> Network:
    try:
        if not path.is_file():
            names = f"; the package has {', '.join(SHIPPED)}" if SHIPPED else ""
            raise FileAccessError(f"There is no network and no file {str(path)!r}{names}.")
        if path.stat().st_size > MOST_BYTES:
            raise ForeignFileError(f"{path} has more than {MOST_BYTES:,} bytes, which no network of Errai's has.")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        raise FileAccessError(f"{path} cannot be read: {error}.") from error
    card = _card_of(data, path)
    if card.get("format") != FORMAT:
        raise ForeignFileError(f"{path} is a network of version {card.get('format')!r}; version {FORMAT} is read here.")
    try:
        stored = safetensors.load(data)
        if card.pop("digest") != _digest(card, stored):
            raise DamagedFileError(f"{path} is damaged: it is not what its digest was made from.")
        game = parse_game(card["rules"], card["game"], source=str(path))
        kind = architecture(card["architecture"], card["configuration"])
        hands_left(game, card["round"])
        shapes = dict(kind.shapes(game, card["round"]))
    except DamagedFileError:
        raise
    except (SafetensorError, ErraiError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    if {name: array.shape for name, array in stored.items()} != shapes:
        raise DamagedFileError(f"{path} is damaged: it does not hold the weights of its architecture.")
    if not all(np.isfinite(array).all() for array in stored.values()):
        raise DamagedFileError(f"{path} is damaged: some weights are not numbers.")
    facts = {key: value for key, value in card.items() if key not in _OWN}
    return Network(card["name"], game, card["round"], kind, _widened(stored), facts, _digest(card, stored))


def _card_of(data: bytes, path: Path) -> dict[str, Any]:
    """Read the card of a file before any other content of the file is read."""
    foreign = ForeignFileError(f"{path} is not a network of Errai's.")
    if len(data) < _LENGTH.size:
        raise foreign
    (length,) = _LENGTH.unpack_from(data)
    if not 2 <= length <= len(data) - _LENGTH.size:
        raise DamagedFileError(f"{path} is damaged: it ends early.") if data[8:10] == b'{"' else foreign
    try:
        header = json.loads(data[_LENGTH.size : _LENGTH.size + length])
        card = json.loads(header["__metadata__"][_WORD])
        if not isinstance(card, dict):
            raise foreign
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise foreign from error
    return card


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
    return {
        name: np.ascontiguousarray(array, dtype=kind if array.dtype.kind == "f" else array.dtype)
        for name, array in sorted(weights.items())
    }


def _widened(stored: Arrays) -> dict[str, np.ndarray]:
    return {name: array.astype(np.float32) if array.dtype.kind == "f" else array for name, array in stored.items()}


def _is_half(weights: Arrays) -> bool:
    floats = [array for array in weights.values() if array.dtype.kind == "f"]
    with np.errstate(over="ignore"):
        return all(np.array_equal(array, array.astype(np.float16).astype(np.float32)) for array in floats)


def _digest(card: Mapping[str, Any], stored: Arrays) -> str:
    said = hashlib.sha256(json.dumps(card, sort_keys=True).encode())
    for name, array in sorted(stored.items()):
        said.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        said.update(array.tobytes())
    return said.hexdigest()
