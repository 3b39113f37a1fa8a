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
from math import prod

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.cards.strength import strengths_on_board
from errai.errors import InputError, StoppedError
from errai.games.game import Game
from errai.kernels.layout import CHANCE, DECISION, FOLD, LOSE, SHOWDOWN, WIN
from errai.resolving.drawn_boards import RunOut
from errai.resolving.rest import RestStreet, kinds_of, starts_of
from errai.running.stopping import StopToken, stops
from errai.strategies.strategy import BatchedStrategy, Deals, Decision

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


class PairValues:
    """Computes matrices for one board.

    Parameters
    ----------
    game:
        The rules.
    strategy:
        The strategy that is queried.
    first_round:
        The round of the game that is the strategy's street 0.
    board:
        Cards on the table, ascending within each round.
    hands:
        Hand indices of both players, int[H_p]; none holds a card of the board.
    bends:
        For each player the strategies to evaluate, as changes of the strategy that is queried: K_p of them.
    run_outs:
        Run-outs from :func:`errai.resolving.drawn_boards.drawn_boards`.
    dtype:
        float32 or float64.
    threads:
        Number of threads; the result does not depend on it.
    stop:
        Checked before every run-out.

    Raises
    ------
    InputError
        If there are too few run-outs, so that a pair of hands blocks all of them.
    """

    def __init__(
        self,
        game: Game,
        strategy: BatchedStrategy,
        first_round: int,
        board: tuple[int, ...],
        hands: tuple[NDArray[np.integer], NDArray[np.integer]],
        bends: tuple[Sequence[Bend], Sequence[Bend]],
        run_outs: list[RunOut],
        dtype: type[np.floating],
        threads: int = 1,
        stop: StopToken | None = None,
    ) -> None:
        self.threads = threads
        self.stop = stop
        self.strategy = strategy
        self.first_round = first_round
        self.board = board
        self.hands = hands
        self.bends = bends
        self.run_outs = run_outs
        self.dtype = np.dtype(dtype)
        cards = hand_cards(game.deck.num_cards, game.num_hole_cards)
        self._cards = [cards[h] for h in hands]
        self._fits = ~(self._cards[0][:, None, :, None] == self._cards[1][None, :, None, :]).any(axis=(2, 3))
        lives: list[list[NDArray[np.bool_]]] = [[], []]
        ranks = []
        for run_out in run_outs:
            new = [card for street in run_out for card in street]
            for live, held in zip(lives, self._cards, strict=True):
                live.append(np.asarray(~np.isin(held, new).any(axis=1)))
            strength = strengths_on_board((*board, *new), cards, game.deck, game.ranking)
            ranks.append([strength[h] for h in hands])
        self._ranks = ranks
        first, second = (np.stack(live).astype(np.float32) for live in lives)
        counts = first.T @ second
        if (self._fits & (counts < 0.5)).any():
            raise InputError(
                f"{len(run_outs)} run-outs are too few, because a pair of hands blocks all of them; draw more."
            )
        self._share = (self._fits / np.maximum(counts, 1.0).astype(np.float64)).astype(self.dtype)
        self._dealt: dict[tuple[int, ...], list[tuple[Deals, NDArray[np.bool_]]]] = {}

    @cached_property
    def margins(self) -> Floats:
        """Return float[H_0, H_1]: player 0's chance to win less that to lose, over the run-outs."""
        found = np.zeros(self._share.shape, self.dtype)
        for number in range(len(self.run_outs)):
            found += self._sign(number, slice(None))
        return np.asarray(found * self._share)

    def matrices(self, rest: tuple[RestStreet, ...]) -> Floats:
        """Return float[K_0, K_1, H_0, H_1]: chips that player 0 wins, as the mean over the run-outs.

        Pairs of hands that share a card have 0.
        Raises :class:`~errai.errors.StoppedError` if it is stopped, because a part of the run-outs gives no estimate.
        """
        sizes = [len(h) for h in self.hands]
        found = np.zeros((len(self.bends[0]), len(self.bends[1]), *sizes), self.dtype)
        reached: list[tuple[RunOut, _Reached]] = []
        together: list[_End] = []
        adding: list[Future[None]] = []
        with ThreadPoolExecutor(self.threads) as pool:
            for number, run_out in enumerate(self.run_outs):
                if stops(self.stop):
                    raise StoppedError(f"The evaluation was stopped after {number} of {len(self.run_outs)} run-outs.")
                while reached and reached[-1][0] != run_out[: len(reached)]:
                    reached.pop()
                for s in range(len(reached), len(rest)):
                    above = reached[-1][1] if reached else self._entering(rest[0].num_entries)
                    reached.append((run_out[: s + 1], self._street(rest[s], run_out[: s + 1], above)))
                together.append(self._end(number, reached[-1][1]))
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

    def _end(self, number: int, reached: _Reached) -> _End:
        # Blocked hands form one more group, whose lines have the value 0.
        folds, shown = (
            np.pad(a, ((0, 0), (0, 0), (0, 1), (0, 1)))[..., reached.group[1]] for a in (reached.folds, reached.shown)
        )
        return _End(number, reached.group[0], folds, shown)

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

    def _entering(self, entries: int) -> _Reached:
        count = [len(b) for b in self.bends]
        nothing = np.zeros((*count, 1, 1), self.dtype)
        ones = [np.ones((k, entries, 1), self.dtype) for k in count]
        group = [np.zeros(len(h), np.int64) for h in self.hands]
        return _Reached((group[0], group[1]), (ones[0], ones[1]), nothing, nothing)

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
            kinds, starts = kinds_of(decisions), starts_of(decisions)
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
