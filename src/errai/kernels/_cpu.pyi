from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

def instruction_set() -> str: ...
def instruction_sets() -> list[str]: ...
def use_instruction_set(name: str) -> None: ...
def next_measurement(curve: Sequence[tuple[int, float, float]], target: float, /) -> int: ...
def has_stalled(curve: Sequence[tuple[int, float, float]], /) -> bool: ...

MAX_ACTIONS: int

class State:
    def __init__(
        self,
        regrets: Sequence[NDArray[Any]],
        sums: Sequence[NDArray[Any]],
        predicted: Sequence[NDArray[Any]],
        frozen: Sequence[NDArray[Any]],
        scales: Sequence[NDArray[Any]],
    ) -> None: ...

class Engine:
    def __init__(
        self,
        streets: list[Any],
        hole_cards: int,
        num_cards: int,
        tie: float,
        reach0: NDArray[Any],
        reach1: NDArray[Any],
        threads: int,
    ) -> None: ...
    def reserve(self, wide: bool) -> None: ...
    def iterate(self, state: State, coefficients: NDArray[Any], weighted: bool, /) -> None: ...
    def run_to_target(
        self,
        state: State,
        coefficients: NDArray[Any],
        weighted: bool,
        current: bool,
        target: float,
        exact: float,
        pair_weight: float,
        zero_sum: bool,
        curve: Sequence[tuple[int, float, float]],
        iteration: int,
        /,
    ) -> tuple[int, float, list[tuple[int, float, float]]]: ...
    def update(
        self,
        state: State,
        player: int,
        roles: NDArray[Any],
        coefficients: NDArray[Any],
        weighted: bool,
        leaf_values: Sequence[NDArray[Any]],
        reach: Sequence[NDArray[Any]],
        out: NDArray[Any],
        /,
    ) -> None: ...
    def leaf_reach(
        self,
        source: Sequence[NDArray[Any]],
        tied: bool,
        entering: Sequence[NDArray[Any]],
        *reach: Sequence[NDArray[Any]],
    ) -> None: ...
    def root_values(
        self,
        strategy: Sequence[NDArray[Any]],
        player: int,
        roles: NDArray[Any],
        exact: bool,
        leaf_values: Sequence[NDArray[Any]],
        reach: Sequence[NDArray[Any]],
        out: NDArray[Any],
        /,
    ) -> None: ...
    def board_values(
        self,
        strategy: Sequence[NDArray[Any]],
        player: int,
        roles: NDArray[Any],
        street: int,
        board: int,
        leaf_values: Sequence[NDArray[Any]],
        entering: NDArray[Any],
        out: NDArray[Any],
        /,
    ) -> None: ...

class PartedEngine:
    def __init__(
        self, trunk: list[Any], parts: list[list[Any]], cut: int, hole_cards: int, num_cards: int, threads: int
    ) -> None: ...
    def deal(self, streets: list[Any], /) -> None: ...
    def walk(
        self,
        what: Any,
        roles: NDArray[Any],
        player: int,
        tie: float,
        prune: bool,
        reach0: NDArray[Any],
        reach1: NDArray[Any],
        out: NDArray[Any],
        /,
    ) -> None: ...
    @property
    def pruned(self) -> int: ...

class Sampler:
    def __init__(self, streets: int, /, *arguments: Any) -> None: ...
    def sample(self, regrets: Sequence[NDArray[Any]], sums: Sequence[NDArray[Any]], /, *arguments: Any) -> int: ...
