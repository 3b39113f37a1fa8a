"""The linear equations of an interior-point step on a bucket game, solved line by line from the last round up.

A step needs changes of both realization plans, dx = Tx a and dy = Ty b in the directions that keep all constraints:

    Tx' Ox Tx a - Tx' A Ty b = Tx' gx
    Ty' A' Tx a + Ty' Oy Ty b = Ty' gy

with diagonal Ox, Oy > 0 and the payoffs A.  What happens after a line of bets in one round is connected with the rest
of the game only by the weights u, v with which both players get there, so each such *block* is eliminated separately:
it leaves a dense matrix of the same form over u and v, which the round before adds to its own.  Within a block one
action of each information set is the remainder of the others, and the blocks of the last round are dense in payoffs but
not in Ox and Oy, which is used.  This replaces the general sparse factorisation of a solver such as HiGHS, whose time
grows much faster with the number of buckets.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from errai.agents.literature.psopti.bucket_game import Floats
from errai.agents.literature.psopti.linear_program import BucketForm
from errai.tree.betting_tree import NodeKind

Integers = NDArray[np.int64]


STALE = 1e3
"""The remainder may become so many times heavier than the lightest action before another action replaces it."""


@dataclass(eq=False)
class _Side:
    """One player's part of a block.

    Column 0 stands for the weight with which the block is reached, the others for the player's actions in it.
    """

    sequences: Integers  # [n, U]: sequences of the columns from 1 on
    sets: list[tuple[int, range]]  # information sets: column before it, columns of its actions
    histories: int
    left_over: Integers = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))
    """int64[sets, U]: which action is the remainder of the others, for each history."""
    T: Floats = field(default_factory=lambda: np.zeros((0, 0, 0)))
    """float64[U, 1 + n, free + 1]: the columns by free actions and, last, the weight of column 0."""

    @property
    def free(self) -> int:
        return len(self.sequences) - len(self.sets)

    def choose(self, diagonal: Floats) -> bool:
        """Make the lightest action the remainder, since differences of heavy ones lose digits; return whether that
        changed.
        """
        weights = diagonal[self.sequences]
        lightest = np.array([weights[a.start - 1 : a.stop - 1].argmin(axis=0) for _, a in self.sets])
        lightest = lightest.reshape(len(self.sets), self.histories)
        if self.left_over.shape == lightest.shape:
            worst = max(
                (
                    float((np.take_along_axis(part, old[None], 0) / part.min(axis=0)).max())
                    for (_, a), old in zip(self.sets, self.left_over, strict=True)
                    for part in (weights[a.start - 1 : a.stop - 1],)
                ),
                default=1.0,
            )
            if worst <= STALE:
                return False
        if self.T.size and np.array_equal(self.left_over, lightest):
            return False
        self.left_over = lightest
        self.T = np.zeros((self.histories, 1 + len(self.sequences), self.free + 1))
        self.T[:, 0, self.free] = 1.0
        every, used = np.arange(self.histories), 0
        for number, (before, actions) in enumerate(self.sets):
            over = lightest[number]
            rest = self.T[:, before].copy()
            for i, column in enumerate(actions):
                free = np.flatnonzero(over != i)
                place = used + i - (over[free] < i)
                self.T[free, column, place] = 1.0
                rest[free, place] -= 1.0
            self.T[every, actions.start + over] = rest
            used += len(actions) - 1
        return True


@dataclass(eq=False)
class _Block:
    """One line of bets within one round; blocks of later rounds are attached to pairs of columns."""

    sides: tuple[_Side, _Side]
    ends: list[tuple[int, int, Floats]]  # columns, and chips times chance [U, V]
    above: int  # block of the round before, -1 at the root
    hung: tuple[int, int]  # columns of that block
    children: list[int] = field(default_factory=list)
    payoffs: Floats = field(default_factory=lambda: np.zeros((0, 0, 0, 0)))
    """[f0 + 1, U, f1 + 1, V]: Tx' A Ty of the ends in the block."""

    def choose(self, first: Floats, second: Floats) -> None:
        """Choose the remainders, and write the payoffs in terms of the other actions."""
        s0, s1 = self.sides
        new = [s0.choose(first), s1.choose(second)]
        if any(new):
            self.payoffs = np.zeros((s0.free + 1, s0.histories, s1.free + 1, s1.histories))
            for c0, c1, worth in self.ends:
                _add(self.payoffs, s0.T[:, c0], s1.T[:, c1], worth)


@dataclass(eq=False)
class _Factors:
    """The factors of an eliminated block, which are applied to right-hand sides."""

    cross: Floats  # C over all of a and the free part of b: [(f0 + 1) U, f1 V]
    inverse: Floats  # of the free part of Hy: [V, f1, f1] or dense [f1 V, f1 V]
    tail: Floats  # Hy between free part and v: [f1 V, V]
    cholesky: tuple[NDArray, bool] | None
    upper: Floats  # M between free part and u: [f0 U, U]
    other: Floats  # C between the free part of a and v, with b eliminated: [f0 U, V]
    solved: Floats  # [f0 U, U + V]: M^-1 of the two


class Elimination:
    """The equations of one sequence form, for any diagonals and right-hand sides."""

    def __init__(self, form: BucketForm) -> None:
        self.form = form
        self.blocks: list[_Block] = []
        self._factors: list[_Factors] = []
        self._build()

    def _build(self) -> None:
        form, betting = self.form, self.form.game.betting
        block_of = np.full(len(betting), -1)
        column = np.zeros((2, len(betting)), dtype=np.int64)
        members: list[list[int]] = []
        for node in range(len(betting)):
            parent = int(betting.parent[node])
            if parent < 0 or betting.kind[parent] == NodeKind.CHANCE:
                block_of[node] = len(members)
                members.append([node])
            else:
                block_of[node] = block_of[parent]
                members[block_of[node]].append(node)
        for nodes in members:
            self.blocks.append(self._block(nodes, column))
        for nodes, block in zip(members, self.blocks, strict=True):
            parent = int(betting.parent[nodes[0]])
            if parent >= 0:
                block.above = int(block_of[parent])
                block.hung = (int(column[0, parent]), int(column[1, parent]))
                self.blocks[block.above].children.append(int(block_of[nodes[0]]))
        assert form.num_sequences[0] - 1 == sum(block.sides[0].sequences.size for block in self.blocks)

    def _block(self, nodes: list[int], column: NDArray[np.int64]) -> _Block:
        """Build one block; ``column[p, node]`` is set to the column of player p's last action before each node."""
        form, game = self.form, self.form.game
        betting = game.betting
        street = int(betting.street[nodes[0]])
        sides = []
        for p in (0, 1):
            sets: list[tuple[int, range]] = []
            sequences: list[Integers] = []
            for node in nodes:
                parent = int(betting.parent[node])
                if node != nodes[0] and betting.actor[parent] != p:
                    column[p, node] = column[p, parent]
                if betting.kind[node] == NodeKind.DECISION and betting.actor[node] == p:
                    first = 1 + len(sequences)
                    actions = range(first, first + int(betting.num_children[node]))
                    sets.append((int(column[p, node]), actions))
                    column[p, list(betting.children(node))] = actions
                    sequences.extend(form.sequences(p, node))
            size = game.histories(street, p)
            sides.append(_Side(np.array(sequences, dtype=np.int64).reshape(len(sequences), size), sets, size))
        ends = [
            (int(column[0, node]), int(column[1, node]), game.joint[street] * game.worth(node))
            for node in nodes
            if betting.kind[node] not in (NodeKind.DECISION, NodeKind.CHANCE)
        ]
        return _Block((sides[0], sides[1]), ends, -1, (0, 0))

    def factor(self, first: Floats, second: Floats) -> None:
        """Eliminate all blocks for diagonals float64[S0] and float64[S1]."""
        self._factors = [None] * len(self.blocks)  # type: ignore[list-item]
        left: list[tuple[Floats, Floats, Floats] | None] = [None] * len(self.blocks)
        for number in range(len(self.blocks) - 1, -1, -1):
            block = self.blocks[number]
            block.choose(first, second)
            sides = block.sides
            small = []
            for side, diagonal in zip(sides, (first, second), strict=True):
                actions = side.T[:, 1:]
                small.append((actions * diagonal[side.sequences].T[:, :, None]).transpose(0, 2, 1) @ actions)
            # Where no block is attached, player 1's part stays separate by history.
            hx: Floats = _spread(small[0])
            hy: Floats | None = _spread(small[1]) if block.children else None
            payoffs = block.payoffs.copy() if block.children else block.payoffs
            for child in block.children:
                own, other, cross = left[child]  # type: ignore[misc]
                left[child] = None
                t0, t1 = (side.T[:, c] for side, c in zip(sides, self.blocks[child].hung, strict=True))
                _add(hx, t0, t0, own)
                _add(hy, t1, t1, other)
                _add(payoffs, t0, t1, cross)
            left[number] = self._eliminate(number, hx, hy, small[1], payoffs)

    def _eliminate(
        self, number: int, hx: Floats, hy: Floats | None, hy_small: Floats, payoffs: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Eliminate a block, and return its remainder (u, v), by the histories of the round before."""
        s0, s1 = self.blocks[number].sides
        f0, f1, u, v = s0.free, s1.free, s0.histories, s1.histories
        cross = payoffs.reshape((f0 + 1) * u, (f1 + 1) * v)
        free, last = cross[:, : f1 * v], cross[:, f1 * v :]
        inverse: Floats
        tail: Floats
        corner: Floats
        if hy is None:
            inverse = np.asarray(np.linalg.inv(hy_small[:, :f1, :f1]), dtype=np.float64)
            tail = np.zeros((f1, v, v))
            tail[:, np.arange(v), np.arange(v)] = hy_small[:, :f1, f1].T
            corner = np.diag(hy_small[:, f1, f1])
        else:
            inverse = np.asarray(np.linalg.inv(hy[:f1, :, :f1, :].reshape(f1 * v, f1 * v)), dtype=np.float64)
            tail = hy[:f1, :, f1, :]
            corner = hy[f1, :, f1, :]
        tail = tail.reshape(f1 * v, v)
        reduced = _times(free, inverse)
        m = hx.reshape((f0 + 1) * u, (f0 + 1) * u) + reduced @ free.T
        c = last - reduced @ tail
        h = corner - tail.T @ _times(tail.T, inverse).T
        n = f0 * u
        upper, other = m[:n, n:], c[:n]
        if n:
            factor = cho_factor(m[:n, :n], lower=True, check_finite=False)
            solved = cho_solve(factor, np.concatenate([upper, other], axis=1), check_finite=False)
        else:
            factor, solved = None, np.zeros((0, u + v))
        self._factors[number] = _Factors(free, inverse, tail, factor, upper, other, solved)
        left = (
            m[n:, n:] - upper.T @ solved[:, :u],
            h + other.T @ solved[:, u:],
            c[n:] - upper.T @ solved[:, u:],
        )
        above = self.blocks[number].above
        if above < 0:
            return left
        before = [side.histories for side in self.blocks[above].sides]
        return (
            _gather(left[0], before[0], before[0]),
            _gather(left[1], before[1], before[1]),
            _gather(left[2], before[0], before[1]),
        )

    def solve(self, first: Floats, second: Floats) -> tuple[Floats, Floats]:
        """Return dx, dy for right-hand sides gx float64[S0] and gy float64[S1], after :meth:`factor`."""
        blocks, both = self.blocks, (first, second)
        gathered = [
            [np.einsum("uri,ru->iu", side.T[:, 1:], g[side.sequences]) for side, g in zip(b.sides, both, strict=True)]
            for b in blocks
        ]
        kept: list[tuple[Floats, Floats]] = [None] * len(blocks)  # type: ignore[list-item]
        for number in range(len(blocks) - 1, -1, -1):
            block, f = blocks[number], self._factors[number]
            n = block.sides[0].free * block.sides[0].histories
            g1, g2 = gathered[number][0].reshape(-1), gathered[number][1]
            g2_free, g2_last = g2[:-1].reshape(-1), g2[-1]
            worked = _times(g2_free[None], f.inverse)[0]
            g1 = g1 + f.cross @ worked
            free = cho_solve(f.cholesky, g1[:n], check_finite=False) if f.cholesky is not None else g1[:0]
            kept[number] = free, worked
            if block.above >= 0:
                up = (g1[n:] - f.upper.T @ free, g2_last - f.tail.T @ worked - f.other.T @ free)
                for p in (0, 1):
                    above = blocks[block.above].sides[p]
                    t = above.T[:, block.hung[p]]
                    gathered[block.above][p] += t.T * up[p].reshape(above.histories, -1).sum(axis=1)
        result = (np.zeros(len(first)), np.zeros(len(second)))
        columns: list[list[Floats]] = []
        for number, block in enumerate(blocks):
            f = self._factors[number]
            free, worked = kept[number]
            come = [np.zeros(side.histories) for side in block.sides]
            if block.above >= 0:
                for p in (0, 1):
                    weights = columns[block.above][p][block.hung[p]]
                    come[p] = np.repeat(weights, block.sides[p].histories // len(weights))
            u = block.sides[0].histories
            a = np.concatenate([free - f.solved[:, :u] @ come[0] + f.solved[:, u:] @ come[1], come[0]])
            b = worked - _times((f.cross.T @ a + f.tail @ come[1])[None], f.inverse)[0]
            columns.append([])
            for p, vector in ((0, a), (1, np.concatenate([b, come[1]]))):
                side = block.sides[p]
                found = np.einsum("uri,iu->ru", side.T, vector.reshape(side.free + 1, side.histories))
                columns[-1].append(found)
                result[p][side.sequences] = found[1:]
        return result


def _spread(small: Floats) -> Floats:
    """Expand [U, n, n] to [n, U, n, U], with zeros between different histories."""
    u, n, _ = small.shape
    found = np.zeros((n, u, n, u))
    found[:, np.arange(u), :, np.arange(u)] = small
    return found


def _add(target: Floats | None, first: Floats, second: Floats, block: Floats) -> None:
    """Add a block [U, V] to the entries of its two columns, which are written as [U, f0 + 1] and [V, f1 + 1]."""
    assert target is not None
    for i in np.flatnonzero(first.any(axis=0)):
        rows = first[:, i, None] * block
        for j in np.flatnonzero(second.any(axis=0)):
            target[i, :, j, :] += rows * second[:, j]


def _times(rows: Floats, inverse: Floats) -> Floats:
    """Return ``rows @ inverse``, float64[n, f V]; the inverse may be one small matrix for each history."""
    if inverse.ndim == 2:
        return np.asarray(rows @ inverse)
    v, f, _ = inverse.shape
    by_history = rows.reshape(len(rows), f, v).transpose(2, 0, 1)
    return np.ascontiguousarray((by_history @ inverse).transpose(1, 2, 0)).reshape(len(rows), f * v)


def _gather(matrix: Floats, rows: int, columns: int) -> Floats:
    """Sum over the histories that continue one of the round before."""
    r, c = matrix.shape
    return np.asarray(matrix.reshape(rows, r // rows, columns, c // columns).sum(axis=(1, 3)))
