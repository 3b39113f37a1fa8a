"""Linear programs over games that are written out: the sequence form and the normal form, solved by HiGHS."""

from __future__ import annotations

from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np

from errai.errors import TreeTooLargeError
from errai.extensive.game import Decisions, ExtensiveGame, Floats
from errai.extensive.method import Method, check_two_players
from errai.judges.matrix import solve_matrix_game
from errai.judges.sequence_form import optimal_plans, sparse_matrices

MAX_PURE = 5_000
"""The most pure strategies of a player whose normal form is written out."""


def pure_strategies(decisions: Decisions, *, reduced: bool = False) -> int:
    """Return the exact number of a player's pure strategies.

    ``reduced`` ones say nothing of information sets that the player's own actions rule out.
    """
    if not reduced:
        return prod(block.num_actions**block.num_sets for block in decisions.blocks)
    ways = [1] * decisions.num_sequences
    for block in reversed(decisions.blocks):
        numbers = np.arange(block.first, block.end).reshape(block.num_actions, block.num_sets)
        for at, leading in enumerate(block.leading.tolist()):
            ways[leading] *= sum(ways[sequence] for sequence in numbers[:, at].tolist())
    return ways[0]


def pure_plans(decisions: Decisions) -> Floats:
    """Return float64[pure strategies, sequences]: the plans of all reduced pure strategies.

    Raises :class:`TreeTooLargeError` if there are more than :data:`MAX_PURE`.
    """
    if (count := pure_strategies(decisions, reduced=True)) > MAX_PURE:
        raise TreeTooLargeError(
            f"The normal form has {_large(count)} reduced pure strategies of one player, more than the {MAX_PURE:,} "
            "that are written out; solve the sequence form instead."
        )
    below: list[list[tuple[int, ...]]] = [[()] for _ in range(decisions.num_sequences)]
    for block in reversed(decisions.blocks):
        numbers = np.arange(block.first, block.end).reshape(block.num_actions, block.num_sets)
        for at, leading in enumerate(block.leading.tolist()):
            chosen = [(sequence, *rest) for sequence in numbers[:, at].tolist() for rest in below[sequence]]
            below[leading] = [one + other for one, other in product(below[leading], chosen)]
    plans = np.zeros((len(below[0]), decisions.num_sequences))
    plans[:, 0] = 1.0
    for row, sequences in zip(plans, below[0], strict=True):
        row[list(sequences)] = 1.0
    return plans


def _large(count: int) -> str:
    """Return a whole number, however large, in a few characters."""
    text = str(count)
    return f"{count:,}" if len(text) < 10 else f"{text[0]}.{text[1:3]}e{len(text) - 1}"


class NormalForm(Method):
    """The linear program over pure strategies (von Neumann 1928; Dantzig 1951), for games of a few thousand of them."""

    def __init__(self, game: ExtensiveGame) -> None:
        check_two_players(game, "a linear program")
        super().__init__(game)
        self.pure = tuple(pure_plans(d) for d in game.decisions)

    @property
    def is_exact(self) -> bool:
        return self.iteration > 0

    @property
    def average(self) -> list[Floats]:
        return self._now

    def step(self) -> None:
        self.gradients += len(self.pure[1])
        payoffs = self.pure[0] @ (self.game.matrices[0] @ self.pure[1].T)
        found = solve_matrix_game(payoffs)
        plans = found.row_strategy @ self.pure[0], found.column_strategy @ self.pure[1]
        self._now = [d.behaviour_of(plan) for d, plan in zip(self.game.decisions, plans, strict=True)]
        self.iteration += 1


class SequenceFormProgram(Method):
    """The linear program over sequences (Koller, Megiddo and von Stengel 1994; von Stengel 1996)."""

    def __init__(self, game: ExtensiveGame, *, max_entries: int = 5_000_000) -> None:
        check_two_players(game, "a linear program")
        size = max(game.num_ends, *(d.num_sequences for d in game.decisions))
        if size > max_entries:
            raise TreeTooLargeError(
                f"The linear program of {game.title} has {size:,} entries, more than {max_entries:,}; take another "
                "method, or raise max_entries."
            )
        super().__init__(game)

    @property
    def is_exact(self) -> bool:
        return self.iteration > 0

    @property
    def average(self) -> list[Floats]:
        return self._now

    @cached_property
    def constraints(self) -> tuple[Any, Any]:
        """Per player sparse float64[1 + information sets, sequences], by which a plan gives the first unit vector."""
        return _constraints(self.game.decisions[0]), _constraints(self.game.decisions[1])

    def step(self) -> None:
        plans = optimal_plans(self.game.matrices[0], *self.constraints)
        self._now = [d.behaviour_of(np.maximum(p, 0.0)) for d, p in zip(self.game.decisions, plans, strict=True)]
        self.iteration += 1


def _constraints(decisions: Decisions) -> Any:
    rows, columns, values = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], [np.ones(1)]
    for block in decisions.blocks:
        sets = 1 + block.first_set + np.arange(block.num_sets)
        rows += [sets, np.tile(sets, block.num_actions)]
        columns += [block.leading, np.arange(block.first, block.end)]
        values += [np.full(block.num_sets, -1.0), np.ones(block.end - block.first)]
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    return sparse_matrices().coo_array(entries, shape=(1 + decisions.num_sets, decisions.num_sequences)).tocsr()
