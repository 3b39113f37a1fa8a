"""Workers, and how many information sets they update per second: measured here, given, or scaled and marked so."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from errai.engine.resources import DTYPES, available_memory, default_threads
from errai.engine.schedules import DEFAULT, find_schedule
from errai.errors import SolverOptionError
from errai.games.spot import parse_spot
from errai.kernels.backends import make_kernel
from errai.kernels.protocol import State
from errai.tree.public_tree import build_public_tree

PRECISION = "fixed16"
"""The precision in which games of this size are solved."""

STATE_BYTES_PER_ENTRY = 4
"""Bytes of an entry while its subgame is in memory: 16 bits of regret and 16 of the average."""


@dataclass(frozen=True)
class Accelerator:
    """A GPU with its published data."""

    title: str
    bytes_per_second: float
    memory_bytes: int


ACCELERATORS = {
    "a100": Accelerator("A100 80 GB", 2.0e12, 80 * 10**9),
    "h100": Accelerator("H100 SXM", 3.35e12, 80 * 10**9),
    "h200": Accelerator("H200", 4.8e12, 141 * 10**9),
}
"""Published memory bandwidths and sizes."""

_WORKERS = re.compile(r"(?:(\d+)\s*x\s*)?(?:(\d+)\s*cores?|([a-z]\w*))", re.IGNORECASE)


@dataclass(frozen=True)
class Workers:
    """Machines that work together; a worker is a machine with cores, or a GPU."""

    count: int
    kind: str
    """``cores`` (of unknown machines), ``local`` (machines like this one), or a key of ``ACCELERATORS``."""
    cores: int
    """Cores of each worker; 0 for a GPU."""

    @classmethod
    def parse(cls, text: str) -> Workers:
        """Read ``local``, ``200x24cores`` or ``48xh200``.  Raises :class:`SolverOptionError` for anything else."""
        known = ", ".join(("24cores", "local", *ACCELERATORS))
        hint = f"write 48xh200, 200x24cores or local; kinds are {known}"
        match = _WORKERS.fullmatch(text.strip())
        if match is None:
            raise SolverOptionError(f"{text!r} does not name workers; {hint}.")
        count, cores, kind = match[1], match[2], (match[3] or "cores").lower()
        if kind not in ("cores", "local", *ACCELERATORS) or (kind == "cores" and cores is None):
            raise SolverOptionError(f"There is no kind of worker {match[3]!r}; {hint}.")
        number = 1 if count is None else int(count)
        each = int(cores) if cores is not None else default_threads() if kind == "local" else 0
        if number < 1 or (each < 1 and kind not in ACCELERATORS):
            raise SolverOptionError(f"The numbers of workers and cores in {text!r} must be at least 1; {hint}.")
        return cls(number, kind, each)

    @property
    def accelerator(self) -> Accelerator | None:
        """The GPU that each worker is, or None."""
        return ACCELERATORS.get(self.kind)

    @property
    def unit(self) -> str:
        """The unit of a rate: ``core`` or ``GPU``."""
        return "core" if self.accelerator is None else "GPU"

    @property
    def units(self) -> int:
        """Cores or GPUs of all workers together."""
        return self.count * max(self.cores, 1)

    @property
    def memory_bytes(self) -> int | None:
        """Memory of one worker; None if it is not known."""
        if self.accelerator is not None:
            return self.accelerator.memory_bytes
        return available_memory() if self.kind == "local" else None

    def __str__(self) -> str:
        if self.accelerator is not None:
            return f"{self.count:,} x {self.accelerator.title}"
        machine = "this machine's " if self.kind == "local" else ""
        return f"{self.count:,} x {machine}{self.cores} core{'' if self.cores == 1 else 's'}"


@dataclass(frozen=True)
class Measured:
    """The speed of this machine per core, with all its threads at work."""

    entries_per_second: float
    """Entries of a limit subgame, both players updated, in memory and in 16 bits."""
    bytes_per_second: float
    """Bytes read and written per second while two long arrays are added into a third."""


@dataclass(frozen=True)
class Rate:
    """How many information sets, up to suits, one core or GPU updates per second for both players."""

    per_second: float
    origin: str
    """``given``, ``measured``, ``measured elsewhere`` or ``scaled``."""
    note: str
    """A text that says where the number comes from, and what it leaves out."""


_SUBGAME = """
board = "Ks 7h 4d 2c"
pot = 40
stack = 1000
[ranges]
oop = "random"
ip = "random"
[limit]
turn = 20
river = 20
"""
"""A turn of limit hold'em with every hand and four bets a street: 4,681,200 information sets up to suits."""

_ITERATIONS = 4
_REPEATS = 3
_BANDWIDTH_NUMBERS = 4_000_000


def measure(threads: int | None = None) -> Measured:
    """Measure, in about a second, how fast this machine iterates on a limit subgame and moves memory.

    Each number is the best of several repeats with all threads at work, divided by their number.
    """
    threads = default_threads() if threads is None else threads
    tree = build_public_tree(parse_spot(_SUBGAME))
    kernel = make_kernel("cpu", tree.arrays, threads)
    schedule = find_schedule(DEFAULT)
    state = State.zeros(tree.arrays, DTYPES[PRECISION], predictive=False, simultaneous=False)
    table = schedule.coefficients(1, _ITERATIONS)
    best = float("inf")
    for _ in range(_REPEATS + 1):  # The first repeat only touches the pages.
        started = time.perf_counter()
        kernel.iterate(state, table, weighted=schedule.weighted)
        best = min(best, time.perf_counter() - started)
    return Measured(_ITERATIONS * tree.entries / best / threads, _bandwidth(threads) / threads)


def rate_of(
    workers: Workers, entries_per_information_set: float, given: float | None, measured: Measured | None
) -> Rate:
    """Return the rate of one core or GPU of the workers; ``measured`` is needed if no rate is given."""
    if given is not None:
        return Rate(given, "given", f"given: {rounded_text(given)} information sets per second of one {workers.unit}")
    assert measured is not None
    here = measured.entries_per_second / entries_per_information_set
    speed = f"{rounded_text(here)} information sets per second of one core"
    text = f"{speed}, measured just now on this machine with a limit subgame"
    if workers.accelerator is None:
        if workers.kind == "local":
            return Rate(here, "measured", text)
        return Rate(here, "measured elsewhere", text + "; cores of other machines were not measured")
    ratio = workers.accelerator.bytes_per_second / measured.bytes_per_second
    bandwidths = f"{workers.accelerator.bytes_per_second / 1e12:g} TB/s / {measured.bytes_per_second / 1e9:.1f} GB/s"
    return Rate(
        here * ratio,
        "scaled",
        f"{rounded_text(here * ratio)} information sets per second of one GPU, UNMEASURED: scaled from the CPU "
        f"rate by memory bandwidth: {rounded_text(here)} per core x {ratio:.0f} ({bandwidths})",
    )


def _bandwidth(threads: int) -> float:
    """Return the bytes per second that all threads together read and write."""
    arrays = [[np.ones(_BANDWIDTH_NUMBERS) for _ in range(3)] for _ in range(threads)]
    moved = 3 * arrays[0][0].nbytes * threads
    best = float("inf")
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(_REPEATS):
            started = time.perf_counter()
            list(pool.map(lambda three: np.add(three[0], three[1], out=three[2]), arrays))
            best = min(best, time.perf_counter() - started)
    return moved / best


def rounded_text(number: float) -> str:
    """Write a large number with three digits: 0.79 million, 258 million, 61.7 billion."""
    if number >= 1e9:
        return f"{number / 1e9:.3g} billion"
    return f"{number / 1e6:.3g} million" if number >= 1e5 else f"{number:,.3g}"
