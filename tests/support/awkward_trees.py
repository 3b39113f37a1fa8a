"""Trees with shapes that a backend easily gets wrong, and the comparison on their boards."""

from __future__ import annotations

from functools import cache

import numpy as np
from drawn_arrays import random_arrays
from small_subjects import spot_text

from errai.engine.schedules import SCHEDULES, find_schedule
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.spot import Spot, parse_spot
from errai.kernels.protocol import Arrays, Kernel, State
from errai.kernels.reference import ReferenceKernel
from errai.tree.public_tree import PublicTree, build_public_tree


def spot(board: str, oop: str, ip: str, stack: int = 60, bet: str = "a", raises: str = "", pot: int = 40) -> Spot:
    return parse_spot(spot_text(board, oop, ip, stack=stack, bet=bet, raises=raises, pot=pot))


@cache
def tree(name: str) -> PublicTree:
    subjects: dict[str, Game | Spot] = {
        # A river card may leave a player no hand at all, and a board no hand to either.
        "ranges that die": spot("Qs Jh 2s 8h", "AcAd", "AhAd, KcKd", bet="50%, a", raises="a"),
        # One hand against one that it never meets on most rivers.
        "one hand each": spot("Td 9d 6d 2c", "AcAd", "KcKd"),
        "the same hands": spot("Qs Jh 2s 8h", "AcAd, AcAh, KcKd", "AcAd, AcAh, KcKd"),
        # More lanes than a vector holds, and not a multiple of it.
        "many lanes": spot("Qs Jh 2c 8d 3s", "AA, KTs, 65s", "QJs, TT", 400, "20%, 33%, 50%, 75%, 100%", "2.5x, 3x, a"),
        "seventeen hands": spot("Qs Jh 2c 8d 3s", "AA, KK, AcKc, AdKd, AhKh, AcKd, 7c6c", "AA, TT, 9c8c, 5c4c, 6c5c"),
        "everybody ties": spot("Ah Kc Qd Js Th", "99, 8d7d, 6c5c", "KQs, T9o", bet="50%", raises="a"),
        # Nodes with two to seven actions at several depths.
        "many actions": spot("Qs Jh 2c 8d 3s", "AA, KTs, 65s", "QJs, TT", 400, "20%, 33%, 50%, 75%, 100%", "2.5x, a"),
        "unlike ranges": spot("Qs Jh 2c 8d", "AA, KTs, 65s, 54s", "QJs:0.5, TT", 60, "50%, a", "a"),
        "leduc": load_game("leduc"),
    }
    return build_public_tree(subjects[name])


@cache
def exact(name: str) -> ReferenceKernel:
    """The reference kernel of a tree, with its terminal matrices kept."""
    return ReferenceKernel(tree(name).arrays)


FEW = ("cfr", "dcfr-foresight", "pcfr+")
"""One schedule that adds up, one that foresees, one that predicts."""
QUICK = ("seventeen hands", "everybody ties", "leduc")


def schedules_on(name: str) -> tuple[str, ...]:
    """All schedules on trees that the reference walks at once, few on others: coefficients know no tree."""
    return tuple(SCHEDULES) if name in QUICK else FEW


def settings_on(name: str, simultaneous: bool) -> list[tuple[str, bool]]:
    """Schedules, and whether reach weights the average: both ways on quick trees, on others in turn, so that every pair
    of a schedule, an order of updates and a weighting comes up.
    """
    numbered = enumerate(schedules_on(name), start=simultaneous)
    return [(s, w) for n, s in numbered for w in ((False, True) if name in QUICK else (n % 2 == 1,))]


def iterated(kernel: Kernel, name: str, algorithm: str, simultaneous: bool, weighted: bool) -> dict[str, np.ndarray]:
    """The state after two iterations from random regrets, from which no two actions are equally good, so that nothing
    hangs on a rounding.
    """
    arrays, schedule = tree(name).arrays, find_schedule(algorithm, simultaneous=simultaneous)
    state = State(
        random_arrays(arrays, 3, low=-100.0),
        random_arrays(arrays, 4),
        random_arrays(arrays, 5, low=-100.0) if schedule.predictive else None,
        arrays.zeros(np.float64) if simultaneous else None,
    )
    kernel.iterate(state, schedule.coefficients(7, 2), weighted=weighted)
    return state.arrays()


@cache
def by_reference(name: str, algorithm: str, simultaneous: bool, weighted: bool) -> dict[str, np.ndarray]:
    """What the reference computes, once for all backends."""
    return iterated(exact(name), name, algorithm, simultaneous, weighted)


def assert_close(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray], tolerance: float, case: str = "") -> None:
    """Arrays of a state are the same up to a share of their largest number."""
    for key, array in found.items():
        scale = max(1.0, np.abs(wanted[key]).max(initial=0.0))
        np.testing.assert_allclose(array, wanted[key], rtol=0, atol=tolerance * scale, err_msg=f"{case} {key}")


def compare_on_boards(kernel: Kernel, public: PublicTree, strategy: Arrays, boards: int) -> None:
    """The values of both players on about so many boards of each street are the reference's."""
    reference, generator = ReferenceKernel(public.arrays), np.random.default_rng(2)
    for s, street in enumerate(public.arrays.streets):
        for p in (0, 1):
            start = street.hands[1 - p].start
            for b in range(0, street.num_boards, 1 + street.num_boards // boards):
                reach = generator.random((street.num_entries, int(start[b + 1] - start[b])))
                here, there = (k.board_values(strategy, p, s, b, reach) for k in (kernel, reference))
                np.testing.assert_allclose(here, there, rtol=0, atol=1e-11 * max(1.0, np.abs(there).max(initial=0)))
