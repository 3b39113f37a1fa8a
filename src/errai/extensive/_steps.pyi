from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

def iterate(
    ends: NDArray[np.int64],
    payoffs: NDArray[np.float64],
    blocks: Sequence[NDArray[np.int64]],
    leading: Sequence[NDArray[np.int64]],
    regrets: Sequence[NDArray[np.float64]],
    sums: Sequence[NDArray[np.float64]],
    predicted: Sequence[NDArray[np.float64]],
    now: Sequence[NDArray[np.float64]],
    plans: Sequence[NDArray[np.float64]],
    table: NDArray[Any],
    weighted: bool,
    simultaneous: bool,
) -> None: ...
