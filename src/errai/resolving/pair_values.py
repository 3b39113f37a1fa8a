"""Values of every pair of hands below a public state if both players follow given strategies to the end.

If both strategies are given, the values of the rest of the game are linear in the players' reach: a matrix over pairs
of hands.  It is computed once; the values for any ranges are then a product with it.

On a board a strategy over buckets has only a few different rows, so hands with the same rows on all streets so far are
grouped.  A pair of groups has chips for all folds, and a stake for all showdowns, each a sum over the lines below,
weighted by how often both sides take them.  A pair of hands gets its value from its groups and the hands' strengths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations, pairwise
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards, share_a_card
from errai.cards.strength import strengths_on_board
from errai.errors import InputError, StoppedError
from errai.games.game import Game
from errai.kernels.layout import CHANCE, DECISION, FOLD, LOSE, SHOWDOWN, WIN
from errai.resolving.rest import RestStreet, starts_of
from errai.running.stopping import StopToken, stops
from errai.strategies.strategy import BatchedStrategy, Deals, Decision
from errai.tree.public_tree import PublicTree

RunOut = tuple[tuple[int, ...], ...]
"""The new cards of each street to come, ascending within a street; () if none are dealt."""


def drawn_boards(
    num_cards: int, board: tuple[int, ...], new: tuple[int, ...], most: int | None, seed: int
) -> list[RunOut]:
    """Return run-outs (the cards to come), sorted so that those with equal first cards are next to each other.

    If there are at most ``most``, all are returned.  Otherwise the rest of the deck is shuffled and laid in a circle;
    one run-out begins at each place, with offsets between its cards that are drawn again for each time around.  Thus
    every card is equally frequent at every position of the board, and a run-out may occur twice.  The value of a pair
    of hands is the mean over the run-outs that it does not block.  By symmetry these are a fair sample of the boards
    that can come for that pair, so the mean is unbiased for every pair of hands and any ranges.

    ``board`` has the cards on the table, and ``new`` says how many cards each street to come deals.  For a ``most`` of
    None all run-outs are returned; the sample depends on ``seed`` and the board.
    """
    left = [card for card in range(num_cards) if card not in board]
    if most is None or run_out_count(len(left), new) <= most:
        every: list[RunOut] = [()]
        for count in new:
            every = [
                (*dealt, cards)
                for dealt in every
                for cards in combinations([card for card in left if not any(card in street for street in dealt)], count)
            ]
        return every
    rng = np.random.default_rng([seed, *sorted(board)])
    total = sum(new)
    ends = np.cumsum((0, *new))
    found: list[RunOut] = []
    while len(found) < most:
        deck, distances = rng.permutation(left), np.append(0, 1 + rng.permutation(len(left) - 1)[: total - 1])
        for place in range(min(len(left), most - len(found))):
            cards = deck[(place + distances) % len(left)]
            found.append(tuple(tuple(sorted(cards[a:b].tolist())) for a, b in pairwise(ends)))
    return sorted(found)


def run_out_count(left: int, new: tuple[int, ...]) -> int:
    """Return how many run-outs there are, with so many cards left in the deck."""
    return prod(comb(left - sum(new[:s]), count) for s, count in enumerate(new))


Floats = NDArray[np.floating]
Bend = Callable[[Floats, NDArray[np.int8], NDArray[np.int64]], Floats]
"""Changes a strategy: takes probabilities float[R, B], an ActionKind for each row and the first row of each decision,
and returns float[R, B] whose columns sum to 1 at every decision."""

ROWS_AT_ONCE = 64
"""Hands of player 0 whose pairs are summed together: so many that the sums stay in a core's cache."""

RUN_OUTS_AT_ONCE = 8


@dataclass(frozen=True, eq=False)
class _Reached:
    """Both players' reach through a street of one board, in groups of hands with equal strategies so far."""

    group: tuple[NDArray[np.int64], NDArray[np.int64]]
    """int64[H_p]: the group of each hand; -1 for those that the board blocks."""
    exits: tuple[Floats, Floats]
    """float[K_p, exits, B_p]: how often a group takes the player's part of a line to the next street."""
    folds: Floats
    """float[K_0, K_1, B_0, B_1]: chips that player 0 has won at all folds so far."""
    shown: Floats
    """The same for the stakes at all showdowns."""


@dataclass(frozen=True, eq=False)
class _End:
    """A complete run-out, with player 1's groups expanded into hands."""

    number: int
    group: NDArray[np.int64]
    """int64[H_0]: the groups of player 0's hands; -1, the last, for those that are blocked."""
    folds: Floats
    """float[K_0, K_1, B_0 + 1, H_1]"""
    shown: Floats


@dataclass(eq=False)
class PairValues:
    """Computes matrices for one board.

    Raises :class:`InputError` if there are so few run-outs that a pair of hands blocks all of them.
    """

    game: Game
    strategy: BatchedStrategy
    """The strategy that is queried."""
    first_round: int
    """The round of the game that is the strategy's street 0."""
    board: tuple[int, ...]
    """Cards on the table, ascending within each round."""
    hands: tuple[NDArray[np.integer], NDArray[np.integer]]
    """int[H_p]: both players' hands; none holds a card of the board."""
    bends: tuple[Sequence[Bend], Sequence[Bend]]
    """For each player the strategies to evaluate, as changes of the strategy that is queried: K_p of them."""
    run_outs: list[RunOut]
    """Those of :func:`drawn_boards`."""
    dtype: type[np.floating]
    """float32 or float64."""
    threads: int = 1
    """The result does not depend on it."""
    stop: StopToken | None = None
    """Checked before every run-out."""

    def __post_init__(self) -> None:
        game = self.game
        cards = hand_cards(game.deck.num_cards, game.num_hole_cards)
        self._cards = [cards[h] for h in self.hands]
        self._fits = ~share_a_card(*self._cards)
        self._ranks: list[list[NDArray[Any]]] = []
        lives: list[list[NDArray[np.bool_]]] = [[], []]
        for run_out in self.run_outs:
            new = [card for street in run_out for card in street]
            for live, held in zip(lives, self._cards, strict=True):
                live.append(np.asarray(~np.isin(held, new).any(axis=1)))
            strength = strengths_on_board((*self.board, *new), cards, game.deck, game.ranking)
            self._ranks.append([strength[h] for h in self.hands])
        first, second = (np.stack(live).astype(np.float32) for live in lives)
        counts = first.T @ second
        if (self._fits & (counts < 0.5)).any():
            raise InputError(
                f"{len(self.run_outs)} run-outs are too few, because a pair of hands blocks all of them; draw more."
            )
        self._share = (self._fits / np.maximum(counts, 1.0).astype(np.float64)).astype(self.dtype)
        self._dealt: dict[tuple[int, ...], list[tuple[Deals, NDArray[np.bool_]]]] = {}

    @cached_property
    def margins(self) -> Floats:
        """Return float[H_0, H_1]: player 0's chance to win less that to lose, over the run-outs.

        Raises :class:`~errai.errors.StoppedError` if it is stopped, as :meth:`matrices` does.
        """
        found = np.zeros(self._share.shape, self.dtype)
        for number in range(len(self.run_outs)):
            self._raise_if_stopped(number)
            found += self._sign(number, slice(None))
        return np.asarray(found * self._share)

    def matrices(self, rest: tuple[RestStreet, ...]) -> Floats:
        """Return float[K_0, K_1, H_0, H_1]: chips that player 0 wins, as the mean over the run-outs.

        Pairs of hands that share a card have 0.
        Raises :class:`~errai.errors.StoppedError` if it is stopped, because a part of the run-outs gives no estimate.
        """
        sizes = [len(h) for h in self.hands]
        found = np.zeros((len(self.bends[0]), len(self.bends[1]), *sizes), self.dtype)
        counts, ones = found.shape[:2], [np.ones((len(b), rest[0].num_entries, 1), self.dtype) for b in self.bends]
        alike, nothing = [np.zeros(size, np.int64) for size in sizes], np.zeros((*counts, 1, 1), self.dtype)
        entering = _Reached((alike[0], alike[1]), (ones[0], ones[1]), nothing, nothing)
        reached: list[tuple[RunOut, _Reached]] = []
        together: list[_End] = []
        adding: list[Future[None]] = []
        with ThreadPoolExecutor(self.threads) as pool:
            for number, run_out in enumerate(self.run_outs):
                self._raise_if_stopped(number)
                while reached and reached[-1][0] != run_out[: len(reached)]:
                    reached.pop()
                for s in range(len(reached), len(rest)):
                    above = reached[-1][1] if reached else entering
                    reached.append((run_out[: s + 1], self._street(rest[s], run_out[: s + 1], above)))
                # Blocked hands form one more group, whose lines have the value 0.
                here, margin = reached[-1][1], ((0, 0), (0, 0), (0, 1), (0, 1))
                folds, shown = (np.pad(chips, margin)[..., here.group[1]] for chips in (here.folds, here.shown))
                together.append(_End(number, here.group[0], folds, shown))
                if len(together) == RUN_OUTS_AT_ONCE or number + 1 == len(self.run_outs):
                    # The next run-outs are evaluated while these are added; the order of the sums stays the same.
                    for part in adding:
                        part.result()
                    first = range(0, len(self.hands[0]), ROWS_AT_ONCE)
                    adding = [pool.submit(self._add_rows, found, together, row) for row in first]
                    together = []
            for part in adding:
                part.result()
        found *= self._share
        return found

    def _raise_if_stopped(self, evaluated: int) -> None:
        if stops(self.stop):
            raise StoppedError(f"The evaluation was stopped after {evaluated} of {len(self.run_outs)} run-outs.")

    def _add_rows(self, found: Floats, together: list[_End], first: int) -> None:
        rows = slice(first, first + ROWS_AT_ONCE)
        block = found[:, :, rows]
        # Memory that is reused stays in the cache; new memory would cost more than all the sums.
        part = np.empty(block.shape, self.dtype)
        for end in together:
            group = end.group[rows]
            np.take(end.shown, group, axis=2, out=part, mode="wrap")
            part *= self._sign(end.number, rows)
            block += part
            np.take(end.folds, group, axis=2, out=part, mode="wrap")
            block += part

    def _sign(self, number: int, rows: slice) -> Floats:
        """Return float[rows, H_1]: 1 if player 0 has the better hand, -1 the worse, 0 if equal or blocked."""
        first, second = self._ranks[number]
        mine, theirs = first[rows, None], second[None, :]
        better = (mine > theirs).view(np.int8) - (mine < theirs).view(np.int8)
        better *= (mine >= 0) & (theirs >= 0)
        return np.asarray(better.astype(self.dtype))

    # --- one street of a board ---------------------------------------------------------------------------------------

    def _street(self, rest: RestStreet, dealt: RunOut, above: _Reached) -> _Reached:
        groups, reaches, before = [], [], []
        for p in (0, 1):
            deals, live = self._deals(rest.round, dealt, p)
            rows = self._rows(rest.decisions[p], deals)
            acting, alike = _alike(rows)
            code = above.group[p][live] * (int(alike.max(initial=0)) + 1) + alike
            _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
            group = np.full(len(live), -1, np.int64)
            group[live] = inverse
            groups.append(group)
            before.append(above.group[p][live][first])
            reaches.append(self._reach(rest, p, rows[:, acting[alike[first]]], above.exits[p][:, :, before[p]]))
        folds, shown = (
            a[:, :, before[0][:, None], before[1]] + self._ends(rest, kind, reaches)
            for a, kind in ((above.folds, FOLD), (above.shown, SHOWDOWN))
        )
        out = rest.kind == CHANCE
        return _Reached((groups[0], groups[1]), (reaches[0][:, out], reaches[1][:, out]), folds, shown)

    def _deals(self, round_: int, dealt: RunOut, player: int) -> tuple[Deals, NDArray[np.bool_]]:
        """Return the board with a player's hands that it leaves, and bool[H_p]: which hands these are."""
        new = tuple(card for street in dealt for card in street)
        if new not in self._dealt:
            board = np.array([(*self.board, *new)], np.int8).reshape(1, -1)
            found = []
            for cards, hands in zip(self._cards, self.hands, strict=True):
                live = np.asarray(~np.isin(cards, new).any(axis=1))
                held = hands[live].astype(np.int32)
                start = np.array([0, len(held)], np.int64)
                deals = Deals(round_ - self.first_round, board, start, held, cards[live].astype(np.uint8))
                found.append((deals, live))
            self._dealt[new] = found
        return self._dealt[new][player]

    def _rows(self, decisions: tuple[Decision, ...], deals: Deals) -> Floats:
        """Return float[R, S]: probabilities; equal ones for a hand without a strategy."""
        if not decisions:
            return np.zeros((0, len(deals.hand)), self.dtype)
        rows = np.asarray(self.strategy.rows(decisions, deals)).astype(self.dtype)
        if rows.shape[1] != len(deals.hand):
            rows = np.repeat(rows, len(deals.hand), axis=1)
        starts = starts_of(decisions)
        counts = np.array([len(d.actions) for d in decisions])
        total = np.add.reduceat(rows, starts, axis=0)
        rows /= np.repeat(np.where(total > 0.0, total, 1.0), counts, axis=0)
        even = np.repeat((1.0 / counts).astype(self.dtype), counts)[:, None]
        return np.where(np.repeat(total > 0.0, counts, axis=0), rows, even)

    def _reach(self, rest: RestStreet, player: int, rows: Floats, entering: Floats) -> Floats:
        """Return float[K_p, n, B_p]: how often a group takes the player's actions to each node."""
        decisions = rest.decisions[player]
        reach = np.empty((len(entering), len(rest.kind), entering.shape[2]), self.dtype)
        reach[:, : rest.num_entries] = entering
        if decisions:
            kinds = np.array([kind for d in decisions for kind in d.kinds], dtype=np.int8)
            starts = starts_of(decisions)
            bent = np.stack([bend(rows, kinds, starts) for bend in self.bends[player]])
        for node in np.flatnonzero(rest.kind == DECISION).tolist():
            first, count, row = int(rest.first_child[node]), int(rest.num_children[node]), int(rest.row[node])
            below = reach[:, first : first + count]
            below[...] = reach[:, node : node + 1]
            if rest.actor[node] == player and row >= 0:
                below *= bent[:, row : row + count]
        return reach

    def _ends(self, rest: RestStreet, kind: int, reaches: list[Floats]) -> Floats:
        """Return float[K_0, K_1, B_0, B_1]: chips at all ends of a kind, weighted by how often they are reached."""
        nodes = np.flatnonzero(rest.kind == kind)
        won = rest.ends[nodes, 0]
        chips = (won[:, WIN] + won[:, LOSE] if kind == FOLD else won[:, WIN]).astype(self.dtype)
        shapes = [(r.shape[0], r.shape[2]) for r in reaches]
        first, second = (
            r[:, nodes].transpose(1, 0, 2).reshape(len(nodes), prod(shape))
            for r, shape in zip(reaches, shapes, strict=True)
        )
        found = (first * chips[:, None]).T @ second
        return np.asarray(found.reshape(*shapes[0], *shapes[1]).transpose(0, 2, 1, 3))


def _alike(rows: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return int64[B], one of each group of equal columns, and int64[S], the group of each column."""
    size = rows.shape[1]
    if not len(rows):
        return np.zeros(min(size, 1), np.int64), np.zeros(size, np.int64)
    # Equal columns have equal sums with any weights; the converse is checked.
    weights = np.random.default_rng(len(rows)).uniform(1.0, 2.0, len(rows))
    sums = (rows * weights[:, None]).sum(axis=0)
    _, first, inverse = np.unique(sums, return_index=True, return_inverse=True)
    if not np.array_equal(rows[:, first][:, inverse], rows):
        return np.arange(size), np.arange(size)
    return first, inverse


@dataclass(frozen=True, eq=False)
class Hands:
    """The hands of both players on a board."""

    held: tuple[NDArray[np.integer], NDArray[np.integer]]
    """Indices of hands, class by class; or of one hand of each class, if the others differ from it by suits alone."""
    classes: tuple[NDArray[np.int64], NDArray[np.int64]]
    """int64[C_p + 1]: where each class begins in ``held``, and how many there are."""
    sizes: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[C_p]: hands of each class."""

    def digest(self) -> bytes:
        """Return a digest that identifies the hands and classes."""
        arrays = *self.held, *self.classes
        return sha256(b"|".join(np.ascontiguousarray(a, dtype=np.int64).tobytes() for a in arrays)).digest()

    @classmethod
    def alone(cls, held: NDArray[np.integer]) -> Hands:
        """Make every hand a class of its own; both players have the same hands."""
        starts, sizes = np.arange(len(held) + 1), np.ones(len(held))
        return cls((held, held), (starts, starts), (sizes, sizes))

    @classmethod
    def on(cls, trunk: PublicTree, board: int, *, one_of_each: bool) -> Hands:
        """Take the hands on a board of a trunk's last street.

        ``one_of_each`` takes only one hand of each class of player 0, against all hands of player 1: if the strategies
        below are symmetric in the suits, that is the mean of the class.
        """
        held, classes, sizes = [], [], []
        for p, hands in enumerate(trunk.deal.streets[-1].hands):
            first, end = hands.start[board : board + 2].tolist()
            starts = hands.member_start[first : end + 1]
            sizes.append(np.diff(starts).astype(np.float64))
            if one_of_each and p == 0:
                held.append(hands.hand[first:end])
                classes.append(np.arange(end - first + 1))
            else:
                held.append(hands.member[starts[0] : starts[-1]])
                classes.append(starts - starts[0])
        return cls((held[0], held[1]), (classes[0], classes[1]), (sizes[0], sizes[1]))

    def means(self, matrix: Floats) -> Floats:
        """Return float[K_0, K_1, C_0, C_1]: the means over each class's hands of float[K_0, K_1, H_0, H_1]."""
        for axis, starts in zip((2, 3), self.classes, strict=True):
            if len(starts) - 1 < matrix.shape[axis]:
                sizes = np.diff(starts).astype(matrix.dtype)
                matrix = np.add.reduceat(matrix, starts[:-1], axis=axis)
                matrix /= sizes[:, None] if axis == 2 else sizes
        return matrix


@dataclass(frozen=True, eq=False)
class LeafMatrices:
    """L leaves, at which player p has K_p continuations and hands in C_p classes; player 1 loses what player 0 wins."""

    counts: tuple[int, int]
    """K_0 and K_1."""
    sizes: tuple[NDArray[np.float64], NDArray[np.float64]]
    """float64[C_p]: hands of each class."""
    leaves: Sequence[Floats | None]
    """float[K_0 * C_0, K_1 * C_1] each: chips that player 0 wins, the mean over the pairs of hands of two classes; None
    where both players are all-in."""
    shown: Floats
    """float[C_0, C_1]: player 0's chance to win a showdown less that to lose it, as a mean in the same way."""
    stakes: NDArray[np.float64]
    """float64[L]: chips that the winner wins where both players are all-in."""

    def worth(self, player: int, reach: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a player's values, float64[K_p, L * C_p].

        They follow from the other player's reach, float64[L, C], and choices, float64[K, L * C].
        """
        other = 1 - player
        entering = shares.reshape(self.counts[other], *reach.shape) * (reach * self.sizes[other])
        found = np.empty((self.counts[player], len(self.leaves), len(self.sizes[player])))
        for leaf, matrix in enumerate(self.leaves):
            if matrix is not None:
                brought = entering[:, leaf].ravel().astype(matrix.dtype)
                worth = matrix @ brought if player == 0 else -(brought @ matrix)
                found[:, leaf] = worth.reshape(self.counts[player], -1)
        ended = np.array([matrix is None for matrix in self.leaves])
        if ended.any():
            brought = (entering[:, ended].sum(axis=0) * self.stakes[ended, None]).astype(self.shown.dtype)
            found[:, ended] = brought @ self.shown.T if player == 0 else -(brought @ self.shown)
        return found.reshape(self.counts[player], -1)
