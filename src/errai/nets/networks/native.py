"""The factorised network's native core, which evaluates many boards at once.

:mod:`errai.nets.networks.factorised` defines what it computes.

Hands are sorted by their results without bets.  Every hand of a range is in at most two groups, which are next to each
other, so the products with the matrix of all pairs take two fifths of the work that they take in NumPy, and they are
computed tile by tile for all ranges at once.  Margins are stored as whole numbers of boards in 16 bits.  One thread
evaluates each board from beginning to end, so the numbers do not depend on the number of threads.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.console import bytes_text
from errai.errors import DiskSpaceError
from errai.kernels.cpu import instruction_set
from errai.nets.networks import _native
from errai.nets.networks.architecture import Arrays
from errai.nets.networks.factorised_values import (
    DEPTHS,
    EQUITY_BINS,
    STACK_KNOTS,
    FactorisedValues,
    PreparedBoard,
    stack_places,
)
from errai.nets.positions import Floats
from errai.running.recent import Recent

TILE: int = _native.TILE
"""Hands and outputs of layers are padded to whole tiles of this size."""

MOST_GROUPS: int = _native.MOST_CARDS
"""Most groups of a range."""

REMEMBERED = 4
"""Number of networks whose weights are kept in the core's layout; the least recently used is dropped."""

IN_MEMORY = 1 << 30
"""Bytes of boards that are kept in memory; further boards are kept in files."""

FILE_BYTES = 1 << 28
"""Bytes of such a file, which holds many boards."""

ALIGNED = 64
"""Alignment of arrays in files, in bytes."""

_open: list[NDArray[np.uint8]] = []
"""The unused rest of the newest file."""

_used = [0]
_counting = threading.Lock()
_nets: Recent[int, tuple[Arrays, _native.Net]] = Recent(REMEMBERED)
"""By the id of the weights, which are kept too, so that no others can get it."""

# Beside PyTorch modules are still there when nanobind looks for what was not freed, and says so on standard error.
atexit.register(_nets.drop, lambda _: True)


def is_native(prepared: PreparedBoard) -> bool:
    """Whether the core can evaluate a board: margins must fit into 16 bits, and cards and groups into its tables."""
    met = prepared.matchups
    cards = met.holds.shape[1]
    return bool(
        len(met.hands) > 0
        and met.boards_left <= np.iinfo(np.int16).max
        and cards <= _native.MOST_CARDS
        and prepared.groups <= MOST_GROUPS
    )


class NativeValues:
    """A network on one board; a `errai.nets.positions.BoardValues`.

    ``defined`` is the NumPy version, which has computed what depends on the cards alone; no part of it is kept.
    """

    def __init__(self, prepared: PreparedBoard, weights: Arrays, defined: FactorisedValues) -> None:
        self.hands = prepared.hands
        self._net = _nets.get_or_make(id(weights), lambda: (weights, _net_of(weights, prepared.groups)))[1]
        met, order = prepared.matchups, prepared.order.astype(np.int32)
        count, padded = len(order), _padded(len(order))
        margins = _room((count, padded), np.int16)
        margins[:, :count] = met.ahead(order)
        held = hand_cards(met.holds.shape[1], int(met.holds[0].sum()))[met.hands[order]]
        cards = np.zeros((2, padded), dtype=np.int32)
        cards[0, :count], cards[1, :count] = held[:, 0], held[:, -1]
        size = len(defined.everybody)
        everybody = weights["join1.weight"][:, 2 * size : 3 * size] @ defined.everybody
        self._board = _native.Board(
            held.shape[1],
            -0.5 / met.boards_left,
            order,
            np.append(prepared.starts, count).astype(np.int32),
            cards,
            margins,
            _wide(defined.embedded[order], _room),
            _wide(defined.terms[order].T, _room),
            _wide((weights["join1.bias"] + everybody)[None])[0],
        )

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        """See :meth:`BoardValues.values`."""
        return ask([self], [], ranges, stacks, 1)[0][0]


def ask(
    boards: Sequence[NativeValues], places: Sequence[NDArray[np.int32]], ranges: Floats, stacks: Floats, threads: int
) -> tuple[list[Floats], list[Floats]]:
    """Evaluate boards of one network that may come next.

    Parameters
    ----------
    places:
        int32[K] for each board: its hands among those of the ranges; none if the ranges are those of the one board.
    ranges:
        float32[Q, P, U]: the reach of both players before the cards are dealt; it is scaled here to sum to 1 on each
        board.
    stacks:
        float32[Q], in pots.

    Returns
    -------
    For each board the values weighted by the other player's reach there, float32[Q, P, K], and the sum of the range
    there, float32[Q, P].
    """
    values = [np.empty((*ranges.shape[:2], len(board.hands)), dtype=np.float32) for board in boards]
    brought = [np.empty(ranges.shape[:2], dtype=np.float32) for _ in places]
    at = stack_places(stacks)
    _native.ask(
        boards[0]._net,
        [board._board for board in boards],
        list(places),
        np.ascontiguousarray(ranges, dtype=np.float32),
        at,
        at @ DEPTHS,
        values,
        brought,
        threads,
        instruction_set(),
    )
    return values, brought


def add_up(
    values: Sequence[Floats], places: Sequence[NDArray[np.int32]], weights: Sequence[NDArray[np.float64]], hands: int
) -> Floats:
    """float32[Q, P, U]: values of boards for the hands before the cards are dealt; ``weights`` are float64[Q, P]."""
    found = np.zeros((*values[0].shape[:2], hands), dtype=np.float32)
    given = [np.ascontiguousarray(one, dtype=np.float32) for one in values]
    _native.add_up(given, list(places), np.array(weights, dtype=np.float32), found)
    return found


def _net_of(weights: Arrays, groups: int) -> _native.Net:
    """Return the weights in the core's layout."""
    readout, size = weights["terms.weight"].shape
    join1 = weights["join1.weight"].T
    layers = {name: weights[f"{name}.weight"].T for name in ("join2", "slopes", "readout")}
    return _native.Net(
        groups,
        size,
        len(STACK_KNOTS),
        EQUITY_BINS,
        readout,
        [_wide(np.concatenate([join1[: 2 * size], join1[3 * size :]])), *(_wide(layer) for layer in layers.values())],
        [_wide(weights[f"{name}.bias"][None])[0] for name in ("join1", *layers)],
    )


def _padded(count: int) -> int:
    return -(-count // TILE) * TILE


Room = Callable[[tuple[int, int], type], NDArray[Any]]


def _wide(rows: Floats, room: Room = np.zeros) -> Floats:
    """float32[I, O], the rows padded with 0 to whole tiles."""
    found = room((len(rows), _padded(rows.shape[1])), np.float32)
    found[:, : rows.shape[1]] = rows
    return found


def _room(shape: tuple[int, int], kind: type) -> NDArray[Any]:
    """Zeros, in an unnamed file where boards already take :data:`IN_MEMORY`.

    The system keeps such a file in memory as long as no other program needs the space.
    """
    size = -(-shape[0] * shape[1] * np.dtype(kind).itemsize // ALIGNED) * ALIGNED
    with _counting:
        if _used[0] + size > IN_MEMORY:
            if not _open or len(_open[0]) < size:
                _open[:] = [_file(max(size, FILE_BYTES))]
            made, _open[0] = _open[0][:size], _open[0][size:]
            return made.view(kind)[: shape[0] * shape[1]].reshape(shape)
        _used[0] += size
    found: NDArray[Any] = np.zeros(shape, dtype=kind)
    weakref.finalize(found, _let_go, size)
    return found


def _file(size: int) -> NDArray[np.uint8]:
    """Bytes of a new file, which is deleted when its last mapping is closed."""
    try:
        with tempfile.TemporaryFile() as file:
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            return np.asarray(np.memmap(file, dtype=np.uint8, shape=(size,)))
    except OSError as error:
        raise DiskSpaceError(
            f"What a network prepares of its boards takes more than {bytes_text(IN_MEMORY)}; files in "
            f"{tempfile.gettempdir()} for the rest cannot be written: {error.strerror or error}."
        ) from error


def _let_go(size: int) -> None:
    with _counting:
        _used[0] -= size
