"""Examples as the inputs of a network's module: computed once, kept in files, read in batches.

A position on the turn takes some 30 ms and a quarter of a megabyte, so prepared positions are kept in a folder.  Each
file holds some positions, and its name is a checksum of everything that it was made from.  When a data set grows, the
files of its earlier positions are found and reused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import ArtefactError, InputError, StoppedError
from errai.games.game import Game
from errai.nets.examples.dataset import Examples
from errai.nets.networks.architecture import Architecture, Arrays
from errai.nets.networks.classes import class_matchups
from errai.nets.positions import Floats
from errai.nets.tensor_file import digest_of
from errai.running.stopping import StopToken, stops
from errai.store.atomic import make_folder
from errai.store.container import MappedArrays, open_container, write_container

KIND = "prepared positions"
VERSION = 3
"""Raised by every change of what is prepared, so that old files are not found."""

POSITIONS = 100
"""Positions per file."""

IN_MEMORY = 1 << 28
"""Up to this many bytes, prepared positions are read at once and not from their files batch by batch."""

_BOARD, _INPUT = "board/", "input/"


@dataclass(frozen=True, eq=False)
class Batch:
    """Some positions, one per row."""

    board: Arrays
    inputs: Arrays
    values: Floats
    """float32[B, P, L], in pots."""
    ranges: Floats
    """float16[B, P, L]: the weights of the hands, summing to 1 for each player."""


class Rows:
    """Prepared positions, in the order of the examples."""

    def __init__(self, files: Sequence[Arrays]) -> None:
        self._files = files
        sizes = [len(arrays["stacks"]) for arrays in files]
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.stacks: Floats = np.concatenate([arrays["stacks"] for arrays in files])
        """float32[N], in pots."""

    def __len__(self) -> int:
        return int(self._starts[-1])

    def batch(self, numbers: Iterable[int] | NDArray[np.integer]) -> Batch:
        """Return some of the positions by their numbers."""
        at = np.asarray(numbers, dtype=np.int64)
        files = np.searchsorted(self._starts, at, side="right") - 1
        rows = at - self._starts[files]
        found: dict[str, NDArray[Any]] = {}
        for file in np.unique(files):
            here = np.flatnonzero(files == file)
            arrays = self._files[file]
            for name in arrays:
                which = arrays["which"][rows[here]] if name.startswith(_BOARD) else rows[here]
                part = arrays[name][which]
                room = found.setdefault(name, np.empty((len(at), *part.shape[1:]), dtype=part.dtype))
                room[here] = part
        return Batch(
            {name.removeprefix(_BOARD): array for name, array in found.items() if name.startswith(_BOARD)},
            {name.removeprefix(_INPUT): array for name, array in found.items() if name.startswith(_INPUT)},
            found["values"],
            found["ranges"],
        )


def prepared_rows(
    kind: Architecture,
    game: Game,
    fixed: Arrays,
    examples: Sequence[Examples],
    folder: Path,
    *,
    threads: int = 1,
    stop: StopToken | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Rows:
    """Prepare examples, or find those that have been prepared.

    Parameters
    ----------
    fixed:
        The result of `Architecture.fixed`.
    examples:
        Sets of examples; each may have grown at its end since it was prepared.
    folder:
        Folder of the files; it is made if it does not exist, and may be deleted at any time.
    threads:
        Number of files that are made at once.
    stop:
        Stops early with :class:`StoppedError`; what has been prepared is kept.
    progress:
        Called with the number of positions that are ready, and the number of all.

    Raises :class:`InputError` if there are no examples, and :class:`FileAccessError` or :class:`DiskSpaceError` if the
    folder cannot be used.
    """
    total = sum(len(some) for some in examples)
    if not total:
        raise InputError("There are no positions to prepare.")
    make_folder(folder)
    made_from = digest_of(json.dumps([VERSION, kind.name, kind.preparation(), game.digest()]), fixed)
    files: list[MappedArrays] = []
    done = 0

    def made(part: Examples) -> MappedArrays:
        if stops(stop):
            raise StoppedError(f"Stopped with {done:,} of {total:,} positions prepared.")
        return _file(kind, game, fixed, part, folder, made_from)

    parts = [some.rows(slice(at, at + POSITIONS)) for some in examples for at in range(0, len(some), POSITIONS)]
    with ThreadPoolExecutor(threads) as pool:
        try:
            for part, file in zip(parts, pool.map(made, parts), strict=True):
                files.append(file)
                done += len(part)
                if progress is not None:
                    progress(done, total)
        finally:
            pool.shutdown(cancel_futures=True)
    small = sum(array.nbytes for file in files for array in file.values()) <= IN_MEMORY
    if not small:
        return Rows(files)
    boards = np.cumsum([0, *(int(file["which"].max()) + 1 for file in files)])
    together = {name: np.concatenate([file[name] for file in files]) for name in files[0]}
    together["which"] = np.concatenate([file["which"] + first for file, first in zip(files, boards, strict=False)])
    return Rows([together])


def _file(kind: Architecture, game: Game, fixed: Arrays, part: Examples, folder: Path, made_from: str) -> MappedArrays:
    """Return the arrays of one file, which is written if it is missing or incomplete."""
    checksum = hashlib.sha256(made_from.encode())
    for array in (part.positions.boards, part.positions.ranges, part.positions.stacks, part.values):
        checksum.update(np.ascontiguousarray(array).tobytes())
    path = folder / f"{checksum.hexdigest()[:32]}.rows"
    for attempt in range(2):
        try:
            container = open_container(path, KIND)
            container.verify()
            return container.arrays
        except ArtefactError:
            if attempt:
                raise
            write_container(path, KIND, {}, _arrays(kind, game, fixed, part))
    raise AssertionError


def _arrays(kind: Architecture, game: Game, fixed: Arrays, part: Examples) -> dict[str, np.ndarray]:
    boards, which = np.unique(part.positions.boards, axis=0, return_inverse=True)
    which = which.reshape(-1)
    found: dict[str, Any] = {}
    values: Any = None
    weights: Any = None
    for number, board in enumerate(boards):
        rows = np.flatnonzero(which == number)
        if len(board):
            prepared = kind.prepare(game, tuple(int(card) for card in board), fixed)
            ranges = np.ascontiguousarray(part.positions.ranges[rows][:, :, prepared.hands])
        else:
            # An auxiliary network learns the values of classes of hands, each counted once.
            prepared = kind.prepare_classes(game)
            ranges = class_matchups(game).sums(part.positions.ranges[rows])
        asked = prepared.inputs(ranges, part.positions.stacks[rows])
        if values is None:
            values = np.empty((len(part), 2, len(prepared.hands)), dtype=np.float32)
            weights = np.empty(values.shape, dtype=np.float16)
        values[rows] = part.values[rows][:, :, prepared.hands]
        weights[rows] = ranges / ranges.sum(axis=2, keepdims=True)
        for start, length, arrays, at in (
            (_BOARD, len(boards), prepared.arrays, number),
            (_INPUT, len(part), asked, rows),
        ):
            for name, array in arrays.items():
                shape = array.shape if start == _BOARD else array.shape[1:]
                room = found.setdefault(start + name, np.empty((length, *shape), dtype=array.dtype))
                room[at] = array
    return {
        **found,
        "which": which.astype(np.int32),
        "stacks": part.positions.stacks,
        "values": values,
        "ranges": weights,
    }
