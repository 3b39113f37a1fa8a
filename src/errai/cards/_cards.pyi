"""The native part of this package.  Callers guarantee the shapes of arrays; card numbers are checked inside."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

CATEGORY_SHIFT: int
CATEGORIES: int

def evaluate(
    cards: NDArray[np.integer], num_ranks: int, num_suits: int, three_card: bool, out: NDArray[np.int32]
) -> int: ...
def evaluate_boards(
    boards: NDArray[np.int16],
    hands: NDArray[np.int16],
    num_ranks: int,
    num_suits: int,
    three_card: bool,
    out: NDArray[np.int32],
) -> tuple[int, int]: ...
def count_categories(
    num_ranks: int, num_suits: int, num_drawn: int, three_card: bool, counts: NDArray[np.int64]
) -> None: ...

class Indexer:
    def __init__(self, num_ranks: int, num_suits: int, cards_per_round: list[int]) -> None: ...
    def size(self, round: int) -> int: ...
    def index(self, round: int, cards: NDArray[np.integer], out: NDArray[np.int64]) -> int: ...
    def unindex(self, round: int, indices: NDArray[np.int64], out: NDArray[np.int16]) -> None: ...
    def index_hands(
        self, round: int, boards: NDArray[np.int16], hands: NDArray[np.int16], threads: int, out: NDArray[np.int64]
    ) -> None: ...

class HandLists:
    def __init__(
        self,
        keys: NDArray[np.int32],
        live: NDArray[np.bool_],
        hands: NDArray[np.int16],
        order: NDArray[np.int64],
        num_ranks: int,
        num_suits: int,
    ) -> None: ...
    def count(
        self,
        first_board: int,
        last_board: int,
        boards: NDArray[np.int64],
        grouping: NDArray[np.int32],
        threads: int,
        counts: NDArray[np.int64],
    ) -> None: ...
    def list(
        self,
        first_board: int,
        last_board: int,
        boards: NDArray[np.int64],
        grouping: NDArray[np.int32],
        parents: NDArray[np.int64],
        orbits: NDArray[np.int64],
        chance: float,
        by_strength: bool,
        three_card: bool,
        members: NDArray[np.int64],
        above: Sequence[Any],
        out: Sequence[Any],
        threads: int,
    ) -> None: ...

LANES: int

def showdown_sums(
    boards: NDArray[np.int16],
    weights: NDArray[np.int32],
    start: NDArray[np.int64],
    hand_cards: NDArray[np.int16],
    num_ranks: int,
    num_suits: int,
    three_card: bool,
    bin_of: NDArray[np.int32],
    cluster: NDArray[np.int8],
    threads: int,
    moments: NDArray[np.int64],
    histograms: NDArray[np.uint32],
    clusters: NDArray[np.uint32],
) -> None: ...

_Points = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.float32]

def nearest(
    points: _Points,
    scale: float,
    axis: NDArray[np.float32],
    rows: NDArray[np.float32],
    places: NDArray[np.float32],
    numbers: NDArray[np.int32],
    absolute: bool,
    threads: int,
    labels: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> None: ...
def count_ahead(
    strengths: NDArray[np.int32], hands: NDArray[np.int16], ahead: NDArray[np.int16] | NDArray[np.int32]
) -> None: ...
def count_wins(strengths: NDArray[np.int32], times: int, wins: NDArray[np.int32]) -> None: ...
def label_sums(
    points: _Points,
    scale: float,
    weights: NDArray[np.float32],
    labels: NDArray[np.int32],
    threads: int,
    sums: NDArray[np.float64],
) -> None: ...
def closer(
    points: _Points,
    scale: float,
    centroid: NDArray[np.float32],
    absolute: bool,
    threads: int,
    distances: NDArray[np.float32],
) -> None: ...
def nearest_piles(
    points: _Points,
    scale: float,
    height: NDArray[np.float32],
    centroids: NDArray[np.float32],
    places: NDArray[np.float32],
    numbers: NDArray[np.int32],
    order: NDArray[np.int16],
    ground: NDArray[np.float32],
    threads: int,
    labels: NDArray[np.int32],
    distances: NDArray[np.float32],
) -> None: ...
