"""The native part of the room; shapes are promised by the callers, card numbers are checked inside."""

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
