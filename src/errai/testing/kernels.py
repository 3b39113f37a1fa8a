"""Kernels, which are held against the reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.schedules import find_schedule
from errai.errors import ContractError
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot
from errai.kernels.layout import BEST, FIXED, TreeArrays
from errai.kernels.protocol import Arrays, Kernel, State
from errai.kernels.reference import ReferenceKernel
from errai.own_code import described
from errai.testing.blame import blamed
from errai.tree.public_tree import build_public_tree

CLOSE = 1e-9
RAKED = """
board = "Qs Jh 2c 8d 3s"
pot = 100
stack = 300
rake = { percent = 5, cap = 3 }
ranges = { oop = "AA, 99, KTs", ip = "KK, QQ, T9s" }
bets = { bet = "50%, a", raise = "a" }
"""
"""A spot whose values are not zero-sum, for kernels."""


def check_kernel(make: Callable[[TreeArrays], Kernel]) -> None:
    """Check a kernel backend on small trees against the reference, which is the definition.

    The trees are those of Kuhn poker, also with a hand whose strategy is given, of Leduc, and of a river with rake.
    The regrets, sums and values must agree to 1e-9 of the largest, in float64.

    Parameters
    ----------
    make:
        Makes a kernel for the arrays of a tree.

    Raises
    ------
    ContractError
        Values of a strategy, best responses, or the state after some iterations differ.
    """
    kuhn = load_game("kuhn")
    locks = {"check": {"K": {"bet": 0.25, "check": 0.75}}}
    trees = {
        "kuhn": build_public_tree(kuhn),
        "kuhn with locks": build_public_tree(kuhn, locks=locks),
        "leduc": build_public_tree(load_game("leduc")),
        "a river with rake": build_public_tree(parse_spot(RAKED)),
    }
    for name, whole in trees.items():
        tree = whole.arrays
        with blamed(f"The kernel of {described(make)}"):
            kernel, reference, rng = make(tree), ReferenceKernel(tree), np.random.default_rng(2)
            strategy = drawn(tree, rng.random)
            for player in (0, 1):
                for role in (FIXED, BEST):
                    here, there = (k.root_values(strategy, player, role=role) for k in (kernel, reference))
                    _same(here, there, f"values of player {player} in {name}")
            for algorithm in ("cfr", "cfr+", "dcfr-foresight", "pcfr+"):
                for simultaneous in (False, True):
                    schedule = find_schedule(algorithm, simultaneous=simultaneous)
                    predictive = schedule.predictive
                    states = [
                        State.zeros(tree, np.float64, predictive=predictive, simultaneous=simultaneous)
                        for _ in range(2)
                    ]
                    for one, state in zip((kernel, reference), states, strict=True):
                        one.iterate(state, schedule.coefficients(1, 5))
                    for key, array in states[0].arrays().items():
                        _same(array, states[1].arrays()[key], f"{key} of {algorithm} in {name}")


def _same(here: NDArray[Any], there: NDArray[Any], what: str) -> None:
    if not np.allclose(here, there, rtol=0.0, atol=CLOSE * max(1.0, float(np.abs(there).max(initial=0.0)))):
        raise ContractError(f"The {what} differ from the reference by up to {np.abs(here - there).max():.3g}.")


def drawn(tree: TreeArrays, draw: Callable[..., Any]) -> Arrays:
    """Return a strategy, as weights, that is drawn at random."""
    return [[np.asarray(draw(size=a.shape)) for a in pair] for pair in tree.zeros(np.float64)]
