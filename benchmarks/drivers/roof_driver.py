"""Measure how fast this machine moves data and computes, and print it as JSON; started by benchmarks/scaling.py.

It runs in a process of its own, because the threads of NumPy's matrix product are fixed when NumPy is loaded.

``memory``: bytes per second of ``a *= c``, one read and one write an element, over arrays larger than the caches;
``cache``: the same over arrays that fit the second level; ``flops``: float32 operations per second of NumPy's matrix
product, which is taken as the arithmetic peak.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def update_rate(bytes_each: int, threads: int, seconds: float) -> float:
    """Bytes a second of an update in place by all threads together, each on its own array: the best of 5 rounds."""
    arrays = [np.ones(bytes_each // 4, np.float32) for _ in range(threads)]
    # Small arrays are gone over many times in a round, so that starting the threads does not count.
    times = max(1, int(seconds * 1e10 / bytes_each / 2))
    factor = np.float32(1.0)

    def work(array: np.ndarray) -> None:
        for _ in range(times):
            np.multiply(array, factor, out=array)

    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, arrays))
        for _ in range(5):
            started = time.perf_counter()
            list(pool.map(work, arrays))
            best = min(best, time.perf_counter() - started)
    return 2.0 * bytes_each * threads * times / best


def flop_rate(size: int) -> float:
    """Float32 operations a second of a matrix product: the best of 5."""
    left, right = np.ones((2, size, size), np.float32)
    best = float("inf")
    for _ in range(6):
        started = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - started)
    return 2.0 * size**3 / best


def main() -> None:
    """Answer the request."""
    request = json.loads(sys.argv[1])
    threads = request["threads"]
    answer = {
        "memory": update_rate(request["memory_bytes"] // threads, threads, 0.1),
        "cache": update_rate(request["cache_bytes"], threads, 0.1),
        "flops": flop_rate(request["matrix"]),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
