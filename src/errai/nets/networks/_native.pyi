import numpy as np
from numpy.typing import NDArray

TILE: int
MOST_CARDS: int

class Net:
    def __init__(
        self,
        groups: int,
        embedding: int,
        knots: int,
        bins: int,
        readout: int,
        weights: list[NDArray[np.float32]],
        biases: list[NDArray[np.float32]],
    ) -> None: ...

class Board:
    def __init__(
        self,
        cards_each: int,
        unit: float,
        sorted: NDArray[np.int32],
        class_start: NDArray[np.int32],
        cards: NDArray[np.int32],
        margins: NDArray[np.int16],
        embedded: NDArray[np.float32],
        terms: NDArray[np.float32],
        join1_bias: NDArray[np.float32],
    ) -> None: ...

def ask(
    net: Net,
    boards: list[Board],
    places: list[NDArray[np.int32]],
    ranges: NDArray[np.float32],
    stacks: NDArray[np.float32],
    depths: NDArray[np.float32],
    values: list[NDArray[np.float32]],
    brought: list[NDArray[np.float32]],
    threads: int,
    instruction_set: str,
) -> None: ...
def add_up(
    values: list[NDArray[np.float32]],
    places: list[NDArray[np.int32]],
    weights: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None: ...
