"""Arrays of a tree by street and player: drawn at random, and compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from errai.engine.leaf_values import Pair
from errai.kernels.backends import make_kernel
from errai.kernels.layout import TreeArrays
from errai.kernels.protocol import Arrays
from errai.tree.public_tree import PublicTree


def filled(arrays: Arrays, draw: Callable[..., Any]) -> Arrays:
    """The same arrays, each filled with what is drawn for its shape."""
    for pair in arrays:
        for array in pair:
            array[...] = draw(array.shape)
    return arrays


def random_arrays(arrays: TreeArrays, seed: int, low: float = 0.0, dtype: type = np.float64) -> Arrays:
    generator = np.random.default_rng(seed)
    return [[generator.uniform(low, 100.0, a.size).astype(dtype) for a in pair] for pair in arrays.zeros(np.int8)]


def random_strategy(whole: PublicTree, generator: np.random.Generator) -> Arrays:
    """A strategy, as weights, in which every hand does everything."""
    return filled(whole.arrays.zeros(np.float64), partial(generator.uniform, 0.1, 1.0))


def random_reach(trunk: PublicTree, seed: int = 7) -> Pair:
    """The reach of such a strategy at the leaves."""
    strategy = random_strategy(trunk, np.random.default_rng(seed))
    return make_kernel("cpu", trunk.arrays).leaf_reach(strategy, tied=False)


def same_arrays(one: Sequence[Sequence[np.ndarray]], other: Sequence[Sequence[np.ndarray]]) -> bool:
    return all(
        np.array_equal(a, b) for mine, theirs in zip(one, other, strict=True) for a, b in zip(mine, theirs, strict=True)
    )
