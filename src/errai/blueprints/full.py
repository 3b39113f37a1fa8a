"""Full-width solving over buckets: all boards up to suits, all hands, any schedule without prediction and foresight."""

from __future__ import annotations

import itertools
from dataclasses import replace
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.abstractions import Abstraction
from errai.blueprints.solver import BucketSolver
from errai.engine.schedules import Schedule, find_schedule
from errai.engine.units import Exploitability, Units
from errai.errors import InputError, SolverOptionError
from errai.kernels.bucket_cpu import BucketCpu
from errai.kernels.buckets import BucketKernel, BucketReference, BucketTree, Learning, Tables, bucket_arrays
from errai.kernels.layout import BEST
from errai.tree.deal_root import deal_root
from errai.tree.public_tree import PublicTree, TreePlan

CHECKED_BOARDS = 60
"""Number of boards of each street on which an abstraction is checked for invariance under suits."""


def all_boards(tree: PublicTree, abstraction: Abstraction) -> BucketTree:
    """Return all boards of a tree with the buckets of their hands.

    The weight of a class in its bucket is the number of hands that it represents, on all the boards that its board
    represents, as a share of all hands in the bucket.  A bucket therefore learns the mean over its hands, and a bucket
    with a single hand learns exactly what that hand would learn.

    Raises :class:`InputError` if suit-equivalent hands are in different buckets.
    """
    buckets = []
    for s, level in enumerate(tree.deal.streets):
        pair: list[Any] = []
        for p in (0, 1):
            hands = level.hands[p]
            if p and hands is level.hands[0]:
                pair.append(pair[0])
                continue
            found = np.empty(len(hands.hand), dtype=np.int32)
            checked = set(np.linspace(0, len(level.boards) - 1, CHECKED_BOARDS).astype(int).tolist())
            for b, board in enumerate(level.boards.tolist()):
                of_hand = in_bounds(abstraction.buckets(tuple(board), s), abstraction, s)
                if b in checked:
                    _check_suits(tree, abstraction, s, tuple(board), of_hand)
                found[hands.start[b] : hands.start[b + 1]] = of_hand[hands.hand[hands.start[b] : hands.start[b + 1]]]
            sizes = np.diff(hands.member_start).astype(np.float64)
            counts = sizes * np.repeat(level.multiplicity, np.diff(hands.start))
            total = np.bincount(found, counts, abstraction.num_buckets(s))
            pair.append(bucket_arrays(hands.start, found, abstraction.num_buckets(s), counts / total[found]))
        buckets.append(pair)
    return BucketTree(tree.arrays, buckets, tree.arrays.tie)


def whole_game(plan: TreePlan, abstraction: Abstraction) -> tuple[PublicTree, BucketTree]:
    """Return a game's tree, and its boards with buckets.

    If no suit can matter at the showdown (Leduc), a tree merges more hands than renamings of suits do.  An abstraction
    that distinguishes merged hands gets a tree that merges none.  Raises :class:`InputError` if the abstraction is not
    invariant under suits.
    """
    tree = plan.build()
    try:
        return tree, all_boards(tree, abstraction)
    except InputError:
        if len(plan.root.symmetries) <= factorial(plan.root.deck.num_suits):
            raise
    root = deal_root(
        plan.root.deck, plan.root.hands.shape[1], plan.root.new_cards, ranking=plan.root.ranking, isomorphism=False
    )
    tree = replace(plan, root=root).build()
    return tree, all_boards(tree, abstraction)


def in_bounds(buckets: NDArray[np.int32], abstraction: Abstraction, round: int) -> NDArray[np.int32]:
    """Return the buckets of hands.  Raises :class:`InputError` for one that the abstraction does not have."""
    if buckets.max(initial=-1) >= abstraction.num_buckets(round):
        raise InputError(f"The abstraction puts hands of round {round} into buckets that it does not have.")
    return buckets


def _check_suits(
    tree: PublicTree, abstraction: Abstraction, s: int, board: tuple[int, ...], of_hand: NDArray[np.int32]
) -> None:
    """Raise InputError unless every symmetry of the deck leads to the same buckets."""
    new = (0, *tree.root.new_cards[:s])
    ends = np.cumsum(new)
    which = range(len(tree.root.symmetries))
    for g in which if len(which) <= 24 else np.random.default_rng(len(board)).choice(len(which), 24):
        card_map, hand_map = tree.root.symmetries[g], tree.root.hand_maps[g]
        image = tuple(
            card
            for first, last in itertools.pairwise(ends)
            for card in sorted(card_map[list(board[first:last])].tolist())
        )
        if not np.array_equal(abstraction.buckets(image, s)[hand_map], of_hand):
            raise InputError(
                "The abstraction puts hands that suits make equal into different buckets on "
                f"{tree.root.deck.cards_text(board) or 'the first round'}."
            )


def make_bucket_kernel(name: str, boards: BucketTree, threads: int) -> BucketKernel:
    """Return a backend by name: ``cpu`` or ``reference``.  Raises :class:`SolverOptionError` for any other."""
    if name == "cpu":
        return BucketCpu(boards, threads)
    if name == "reference":
        return BucketReference(boards)
    raise SolverOptionError(f"The backend {name!r} does not support buckets; choose cpu or reference.")


class FullWidth(BucketSolver):
    """Counterfactual regret minimisation in which the hands of a bucket share regrets and strategies.

    ``tree`` is the whole tree of the game; ``boards`` are its boards in these buckets, if the caller has them.  The
    schedule says how whole tables are discounted at each iteration; updates are alternating.  ``settings`` are those of
    :class:`~errai.blueprints.solver.BucketSolver`.  Raises :class:`SolverOptionError` for a schedule that predicts or
    has foresight.
    """

    method = "full"

    def __init__(
        self,
        tree: PublicTree,
        abstraction: Abstraction,
        schedule: Schedule | str = "dcfr4",
        *,
        boards: BucketTree | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(TreePlan(tree.subject, tree.betting, tree.root, True), abstraction, **settings)
        self.tree = tree
        self.schedule = find_schedule(schedule, average_from=self.average_from)
        own = self.schedule.own_code is not None
        if own or self.schedule.prediction or self.schedule.foresight or self.schedule.simultaneous:
            raise SolverOptionError(
                f"The schedule {self.schedule.name!r} cannot be run over buckets; take dcfr4 or cfr+."
            )
        self.boards = all_boards(tree, abstraction) if boards is None else boards
        self.kernel = make_bucket_kernel(self.backend, self.boards, self.threads)
        self._learnt: Tables = [[np.zeros_like(table) for table in pair] for pair in self.regrets]

    @property
    def identity(self) -> dict[str, Any]:
        return {**super().identity, "schedule": self.schedule.to_dict()}

    def iterate(self, count: int) -> None:
        for row in self.schedule.coefficients(self.iteration + 1, count):
            for player in (0, 1):
                self._update(player, row, self._given(player))

    def _given(self, player: int) -> list[NDArray[np.uint16]] | None:
        """Return what the opponent of a player does in this iteration; None for what the tables say."""
        return None

    def _update(self, player: int, row: NDArray[np.float64], given: list[NDArray[np.uint16]] | None) -> None:
        """Run a player's half of an iteration by one row of coefficients."""
        positive, negative, average, weight = (float(c) for c in row[:4])
        regrets, learnt, sums = (
            [pair[player] for pair in tables] for tables in (self.regrets, self._learnt, self.sums)
        )
        if average != 1.0:
            for table in sums:
                table *= average
        self.kernel.learn(self.regrets, player, Learning(learnt, sums, sum_weight=weight), given=given)
        for table, new in zip(regrets, learnt, strict=True):
            table += new
            new[...] = 0.0
            if positive != 1.0 or negative != 1.0:
                table *= np.where(table > 0, table.dtype.type(positive), table.dtype.type(negative))


class CfrBr(FullWidth):
    """A solver with CFR-BR; parameters and errors are those of :class:`~errai.blueprints.full.FullWidth`."""

    method = "cfr-br"

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        # There is one response at a time, so both seats can share one set of arrays if the sizes are the same.
        streets = self.tree.arrays.streets
        self._choices = [[np.zeros(street.state_size(p), np.uint16) for street in streets] for p in (0, 1)]

    def _given(self, player: int) -> list[NDArray[np.uint16]]:
        choices = self._choices[1 - player]
        self.kernel.root_values(self.regrets, 1 - player, role=BEST, choices=choices)
        return choices


class WholeGame:
    """Exact values and best responses of players who see their own cards, over all boards, in float64.

    ``boards`` are those of the whole tree with their buckets, from :func:`all_boards`.
    """

    def __init__(self, tree: PublicTree, boards: BucketTree, threads: int = 1) -> None:
        self.tree = tree
        # The weights are probabilities here, and even the smallest count.
        self.boards = BucketTree(boards.tree, boards.buckets, 0.0)
        self.kernel = BucketCpu(self.boards, threads)
        self.units = Units.of(tree.subject, tree.initial_pot)

    def exploitability(self, strategy: Tables) -> Exploitability:
        """Return the exploitability of a strategy over buckets: the mean of both players' gains by best responses."""
        tables: list[list[NDArray[Any]]] = [[np.asarray(t, dtype=np.float64) for t in pair] for pair in strategy]
        best = [self.tree.chips(self.kernel.root_values(tables, p, role=BEST), p) for p in (0, 1)]
        value = self.value(tables)
        gains = best[0] - value, best[1] + value
        return Exploitability((gains[0] + gains[1]) / 2.0, self.units, gains)

    def value(self, strategy: Tables) -> float:
        """Return player 0's net chips per hand if both players follow the strategy."""
        if any(t.dtype not in (np.float32, np.float64) for pair in strategy for t in pair):
            raise SolverOptionError("A strategy must be given in float32 or float64, not in whole numbers.")
        return self.tree.chips(self.kernel.root_values(strategy, 0), 0)
