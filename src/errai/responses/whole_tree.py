"""The exploitability of a strategy in a game or spot whose public tree fits in memory."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from errai.engine.certificate import StrategyProfile
from errai.engine.resources import check_memory
from errai.engine.strategy import board_block
from errai.engine.units import Exploitability, Units
from errai.errors import SolverOptionError
from errai.games.game import Subject
from errai.kernels.backends import make_kernel
from errai.kernels.protocol import Arrays
from errai.own_code import whole_number
from errai.responses.general import SuitCheck, merges_suits
from errai.responses.pieces import Boards
from errai.solutions.solution import ProfileValues, profile_values
from errai.solutions.subjects import menu_of
from errai.strategies.given import Given, given_strategy
from errai.strategies.strategy import BatchedStrategy, Decision, checked_rows, require_same_rows, says
from errai.tree.public_tree import PublicTree, plan_public_tree

BOARDS_TO_A_LOOK = 16
"""Where the symmetry in the suits is checked, one board of so many is queried again with the suits renamed."""


@dataclass(frozen=True)
class StrategyExploitability(Exploitability):
    """What a strategy loses in either seat, and what it earns against itself.

    ``chips``, ``mbb``, ``pot_percent`` and ``nash_conv`` are those of every measurement; ``by_player`` is what each
    player would gain by a best response.
    """

    strategy: str
    """Description of the strategy that was measured."""
    values: ProfileValues
    """What each player earns if both follow the strategy."""
    suits_alike: bool
    """Whether only one of the boards and hands that differ by suits alone was queried."""
    states: int
    """Public states at which the strategy was queried: all at which a player acts."""
    seconds: float


def whole_tree_exploitability(
    subject: Subject, strategy: Given, menu: str | None, suits_alike: bool | None, threads: int
) -> StrategyExploitability:
    """Like :func:`errai.exploitability`, but without agents' names."""
    started = time.perf_counter()
    threads = whole_number(threads, "The number of threads", 1, error=SolverOptionError)
    asked, menu = given_strategy(strategy, subject, menu)
    bets = menu_of(subject, menu)
    merged, look = merges_suits(asked, subject, bets, suits_alike)
    plan = plan_public_tree(subject, menu=bets, isomorphism=merged)
    check_memory(
        plan,
        8 * plan.entries + plan.deal_bytes,
        None,
        "errai.best_response measures strategies in games of any size, board by board. ",
    )
    tree = plan.build()
    arrays = asked_everywhere(asked, tree, SuitCheck(tree.root) if look else None)
    kernel = make_kernel("cpu", tree.arrays, threads)
    found, net = StrategyProfile(tree, kernel, arrays).certificate(Units.of(subject, tree.initial_pot))
    return StrategyExploitability(
        found.chips,
        found.units,
        found.by_player,
        asked.description,
        profile_values(tree, net),
        suits_alike=merged,
        states=sum(street.num_boards * street.num_decisions(p) for street in tree.arrays.streets for p in (0, 1)),
        seconds=time.perf_counter() - started,
    )


def asked_everywhere(strategy: BatchedStrategy, tree: PublicTree, suits: SuitCheck | None) -> Arrays:
    """Query a strategy on a whole tree, and return it as the kernels take it."""
    arrays, cards, asked = tree.arrays.zeros(np.float64), tree.root.hands.astype(np.uint8), 0
    for s, level in enumerate(tree.deal.streets):
        boards = Boards.of(s, level, cards)
        for p in (0, 1):
            decisions = [Decision.at(tree.betting, int(node)) for node in tree.betting.decision_nodes(s, p)]
            for b in range(boards.num_boards if decisions else 0):
                deals = boards.deals(p, b)
                rows = checked_rows(strategy, decisions, deals)
                asked += 1
                # The first, second, fourth, eighth ... question is asked twice, unless an answer takes long.
                if asked & (asked - 1) == 0 and not says(strategy, "thinks"):
                    require_same_rows(rows, checked_rows(strategy, decisions, deals), strategy, decisions, deals)
                if suits is not None and b % BOARDS_TO_A_LOOK == 0:
                    suits.look(strategy, decisions, deals, rows)
                board_block(tree, arrays, s, p, b)[...] = rows
    return arrays
