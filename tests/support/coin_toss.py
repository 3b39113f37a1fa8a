"""The subgame of Coin Toss (Brown and Sandholm 2017) in a public tree, for any gadget above the root.

Player 0 has seen a coin and plays on; player 1 guesses heads, or tails, or forfeits.  A right guess costs player 0 a
chip, and a wrong one, or none, wins player 0 one.  Before, player 0 could have sold the coin.

Cards and ranges are those of Kuhn poker: a jack is heads, a queen is tails, and the king is player 1's blank.  The
street's betting is replaced, with ends that take the winnings from matrices.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import errai
from errai.engine.loop import Solver
from errai.engine.schedules import find_schedule
from errai.engine.strategy import node_strategy
from errai.games.hand import PublicState
from errai.kernels.layout import DECISION, SHOWDOWN, PairPayoffs
from errai.resolving.gadgets.method import Method
from errai.resolving.subgame import Subgame
from errai.tree.public_tree import PublicTree, build_public_tree

SALE = (0.5, -0.5)
"""What heads and tails are sold for."""

WINS = ((-1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0))
"""What heads, tails and the blank win from a guess of heads, one of tails, and none."""


def coin_toss_subgame(blueprint: tuple[float, float, float], plays: tuple[float, float] = (0.75, 0.5)) -> Subgame:
    """The subgame after player 0 has played on, which heads and tails do equally often.

    ``blueprint`` are the probabilities with which player 1 guesses heads, guesses tails and forfeits in the old
    strategy.  A side's gift is what it would have got more by selling.
    """
    values = np.array(blueprint) @ np.array(WINS)
    gifts = np.maximum(np.array([*SALE, 0.0]) - values, 0.0) * np.array([1.0, 1.0, 0.0])
    ranges = np.array([0.5 * plays[0], 0.5 * plays[1], 0.0]), np.array([0.0, 0.0, 1.0])
    return Subgame(PublicState.start(errai.load_game("kuhn")), 1, ranges, values, values, gifts)


def guesses(subgame: Subgame, method: Method, iterations: int = 3000) -> NDArray[np.float64]:
    """float64[3]: how often player 1 guesses heads and tails, and forfeits, when it is solved again by a method."""
    rest = errai.lookahead(errai.load_game("kuhn"), subgame.state, method.ranges(subgame), None)
    tree, gadget = _with_guesses(build_public_tree(rest)), method.gadget(subgame)
    schedule = find_schedule("dcfr")
    root = None if gadget is None else gadget.root(tree, schedule)
    solver = Solver(tree, schedule, precision="float64", root=root)
    solver.iterate(iterations)
    assert solver.measure().chips < 1e-3
    return node_strategy(tree, solver.state.sums, 0, 0, 0)[:, 0]


def whole_game(guessing: NDArray[np.float64]) -> float:
    """What player 0 wins at best in the whole game from these guesses."""
    playing = guessing @ np.array(WINS)
    return 0.5 * max(SALE[0], float(playing[0])) + 0.5 * max(SALE[1], float(playing[1]))


def _with_guesses(tree: PublicTree) -> PublicTree:
    street = tree.arrays.streets[0]
    cards = tree.deal.streets[0].hands[0].hand
    assert [len(h.start) for h in street.hands] == [2, 2]
    assert tree.deal.streets[0].hands[1].hand.tolist() == [2]
    kind = np.array([DECISION, SHOWDOWN, SHOWDOWN, SHOWDOWN], np.int8)
    none = np.full(4, -1, np.int32)
    guessing = replace(
        street,
        kind=kind,
        actor=np.array([1, -1, -1, -1], np.int8),
        parent=np.array([-1, 0, 0, 0], np.int32),
        first_child=np.array([1, -1, -1, -1], np.int32),
        num_children=np.array([3, 0, 0, 0], np.int32),
        row=np.array([0, -1, -1, -1], np.int32),
        ends=np.where(kind[:, None, None] == SHOWDOWN, np.array([1.0, 0.0, -1.0]), 0.0) * np.ones((4, 2, 3)),
        num_entries=1,
        num_exits=0,
        num_leaves=0,
        num_rows=(0, 3),
        matrix=none + np.array([0, 1, 2, 3], np.int32),
        matrices=tuple(PairPayoffs((np.array(won)[cards], -np.array(won)[cards])) for won in WINS),
    )
    arrays = replace(tree.arrays, streets=(guessing,))
    tree = replace(tree)
    vars(tree)["arrays"] = arrays  # in the place of what is made of Kuhn's own betting when it is first asked for
    return tree
