"""The reference backend: NumPy in float64, slow and obvious.  It is the definition that other backends must reproduce.

Every terminal node is a matrix product.  For each board a matrix over (own class, opponent's class) counts the
opponent's hands that share no card with the own hand, with the sign of the showdown.  The walk is a plain recursion
over boards and, inside a board, over the nodes of the street.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from errai.kernels.layout import BEST, CHANCE, DECISION, FIXED, FOLD, LEAF, LEARNS, SHOWDOWN, TreeArrays
from errai.kernels.protocol import REGRET_STEPS, Arrays, Kernel, LeafArrays, Setting, State, Values, matched, one_in

At = tuple[int, int, int]
"""A decision: street, board, and node inside the street."""

AtOwnNode = Callable[[At, Values, Values, Values], Values]
"""(decision, strategy [A, H], values of the actions [A, H], own reach [H]) -> value of the node [H]."""


class Walk(NamedTuple):
    """What stays the same in one walk for a player's values."""

    source: Arrays
    """The arrays that both players' strategies follow from by regret matching."""
    player: int
    own: AtOwnNode
    """Gives the values of the player's own decisions."""
    tie: float
    """The largest number in ``source`` that counts as 0."""
    leaves: Sequence[Values] = ()
    """The player's values at the leaves by street, if any are given."""


class Rule(Protocol):
    """What takes the place of regret matching."""

    def first(self, at: At, shape: tuple[int, int]) -> Values:
        """Return the strategy [A, H] of the first iteration at a decision."""

    def learn(self, at: At, state: NDArray[Any], values: Values, played: Values) -> tuple[Values, Values]:
        """Return a decision's state [A, H] after an iteration, and the strategy [A, H] of the next one."""


def first_best(values: Values, tie: float = 0.0) -> NDArray[np.bool_]:
    """Return bool[A, H]: the first action of each hand that is as good as its best, up to ``tie``."""
    return np.asarray(np.arange(len(values))[:, None] == (values >= values.max(axis=0) - tie).argmax(axis=0))


class ReferenceKernel(Kernel):
    """The reference backend for any tree.  It uses one thread and spares neither memory nor time.

    With a ``rule`` in place of regret matching, ``State.regrets`` holds what the rule knows, and ``State.predicted``
    the strategy that it plays next, so that whatever reads a state by regret matching reads this strategy.
    """

    def __init__(self, tree: TreeArrays, rule: Rule | None = None) -> None:
        super().__init__(tree)
        self.rule = rule
        self._matrices: dict[tuple[int, int, int], tuple[Values, Values]] = {}

    def claim(self, state: State) -> None:
        """Allocate the state, and let a rule, if there is one, choose the strategies of the first iteration."""
        super().claim(state)
        if self.rule is None:
            return
        for s, street in enumerate(self.tree.streets):
            for b in range(street.num_boards):
                for node in np.flatnonzero(street.kind == DECISION):
                    rows = self._rows(state.source, s, b, int(node))
                    rows[...] = self.rule.first((s, b, int(node)), rows.shape)

    def _iterate(self, state: State, table: Values, weighted: bool) -> None:
        for row in table:
            state.freeze()
            for player in (0, 1):
                self.update(state, player, row, weighted=weighted)

    def _update(self, state: State, table: Values, weighted: bool, setting: Setting) -> Values:
        positive, negative, average, weight, prediction, share, foresight, dither = table[0].tolist()
        source, player, roles = state.played, setting.player, setting.roles
        tie = self._tie(source)

        def own(at: At, strategy: Values, values: Values, reach: Values) -> Values:
            s, b, node = at
            value = (strategy * values).sum(axis=0)
            does = self._roles(s, b, node, int(roles[s]))
            answered = np.asarray(np.where(does == BEST, values.max(axis=0), value))
            if roles[s] == FIXED:
                return answered
            regrets = self._rows(state.regrets, s, b, node)
            sums = self._rows(state.sums, s, b, node)
            if self.rule is not None:
                new, following = self.rule.learn(at, regrets, values, strategy)
                best = first_best(values, self.tree.tie)
                regrets[...] = np.where(does == LEARNS, new, regrets)
                self._rows(state.source, s, b, node)[...] = np.where(does == BEST, best, following)
                sums[...] = average * sums + weight * strategy * (reach if weighted else 1.0)
                return answered
            gain = np.where(does == LEARNS, values - value, 0.0)
            step = np.ones(1)
            if state.scales is not None:
                number = self._decision(s, b, node)
                step = state.scales[s][player][number : number + 1]
            summed = step.astype(np.float64) * regrets + gain
            new = np.where(summed > 0.0, positive, negative) * summed
            if state.scales is None:
                # The regrets of a hand that responds best match to its best action alone.
                new = np.where(does == BEST, (1.0 + 2.0 * self.tree.tie) * first_best(values, self.tree.tie), new)
                regrets[...] = new
                sums[...] = average * sums + weight * strategy * (reach if weighted else 1.0)
            else:
                # The greatest regret of the node uses the full range of steps; nodes whose regrets are all ties forget
                # them.
                greatest = np.abs(new).max(initial=0.0)
                step[...] = greatest / REGRET_STEPS if greatest > self.tree.tie else 0.0
                regrets[...] = np.rint(new * (REGRET_STEPS / greatest)) if greatest > self.tree.tie else 0
                one = one_in(sums.dtype)
                sums[...] = np.clip(np.rint(sums + share * (one * strategy - sums) + dither), 0, one)
            if state.predicted is not None:
                new = regrets + prediction * gain
                self._rows(state.predicted, s, b, node)[...] = new
            # The parent learns the value that the node will have against the same opponent.  A node without a regret
            # above the tie has nothing to foresee, so its value stays.
            ahead = np.where((new > tie).any(axis=0), (matched(new, tie) * values).sum(axis=0), value)
            return np.asarray(np.where(does == LEARNS, value + foresight * (ahead - value), answered))

        return self._walk_root(Walk(source, player, own, tie, setting.leaves), setting.reach)

    def _leaf_reach(self, source: Arrays, tied: bool, reach: LeafArrays) -> tuple[LeafArrays, LeafArrays]:
        streets = range(len(self.tree.streets))
        found = tuple([self.tree.leaf_zeros(s, p, np.float64) for s in streets] for p in (0, 1))
        tie = self._tie(source) if tied else 0.0

        def visit(s: int, b: int, entries: list[Values]) -> None:
            street = self.tree.streets[s]
            strategies = self._strategies(source, s, b, tie)
            both = [self._down(strategies, s, b, p, entries[p]) for p in (0, 1)]
            for p in (0, 1):
                self._leaf_block(found[p], s, b, p)[...] = both[p][street.kind == LEAF]
            exits = street.kind == CHANCE
            for child in range(*street.child_start[b : b + 2]):
                below = self.tree.streets[s + 1].hands
                visit(s + 1, child, [both[p][exits][:, _block(below[p].parent, below[p].start, child)] for p in (0, 1)])

        for b in range(self.tree.streets[0].num_boards):
            visit(0, b, self._entries(reach, b))
        return found[0], found[1]

    def _root_values(self, strategy: Arrays, exact: bool, setting: Setting) -> Values:
        return self._walk_root(self._reading(strategy, setting), setting.reach)

    def _board_values(self, strategy: Arrays, street: int, board: int, entering: Values, setting: Setting) -> Values:
        own = np.ones((len(entering), self._num_hands(street, board, setting.player)))
        both = [own, entering] if setting.player == 0 else [entering, own]
        return self._walk(self._reading(strategy, setting), street, board, both)

    # --- the walk ----------------------------------------------------------------------------------------------

    def _reading(self, strategy: Arrays, setting: Setting) -> Walk:
        """Return a walk in which hands follow a strategy or respond best."""

        def own(at: At, played: Values, values: Values, reach: Values) -> Values:
            best = self._roles(*at, int(setting.roles[at[0]])) == BEST
            return np.asarray(np.where(best, values.max(axis=0), (played * values).sum(axis=0)))

        return Walk(strategy, setting.player, own, 0.0, setting.leaves)

    def _walk_root(self, walk: Walk, reach: list[Values]) -> Values:
        """Return the values at the entries of the root's boards, block after block."""
        root = self.tree.streets[0]
        found = [self._walk(walk, 0, b, self._entries(reach, b)) for b in range(root.num_boards)]
        return np.concatenate([values[: root.num_entries].ravel() for values in found])

    def _walk(self, walk: Walk, s: int, b: int, entries: list[Values]) -> Values:
        """Return values [n, H] of all nodes of a board; ``entries`` is both players' reach at its entry nodes."""
        player = walk.player
        street = self.tree.streets[s]
        strategies = self._strategies(walk.source, s, b, walk.tie)
        both = [self._down(strategies, s, b, p, entries[p]) for p in (0, 1)]
        own_reach, opponent_reach = both[player], both[1 - player]
        values = np.zeros((len(street.kind), self._num_hands(s, b, player)))
        fits, wins = self.terminal_matrices(s, b, player)
        win, tied, lose = street.ends[:, player].T
        folds = street.kind == FOLD
        chips = np.where(street.actor == player, lose, win)
        values[folds] = chips[folds, None] * (opponent_reach[folds] @ fits.T)
        shown = street.kind == SHOWDOWN
        plain = shown & (win == -lose) & (tied == 0.0)
        if street.matrix is not None:
            plain &= street.matrix < 0
        values[plain] = win[plain, None] * (opponent_reach[plain] @ wins.T)
        for node in np.flatnonzero(shown & ~plain).tolist():
            values[node] = self._showdown(s, b, player, node, opponent_reach[node])
        if walk.leaves:
            values[street.kind == LEAF] = self._leaf_block(walk.leaves, s, b, player)
        exits = street.kind == CHANCE
        up = np.zeros((street.num_exits, values.shape[1]))
        for child in range(*street.child_start[b : b + 2]):
            below = self.tree.streets[s + 1]
            parents = [_block(h.parent, h.start, child) for h in below.hands]
            entering = self._walk(walk, s + 1, child, [both[p][exits][:, parents[p]] for p in (0, 1)])
            weight = _block(below.hands[player].up_weight, below.hands[player].start, child)
            for exit_, value in enumerate(entering[: below.num_entries]):
                np.add.at(up[exit_], parents[player], weight * value)
        values[exits] = up
        for node, strategy in reversed(strategies.items()):
            first = street.first_child[node]
            children = values[first : first + street.num_children[node]]
            if street.actor[node] == player:
                values[node] = walk.own((s, b, node), strategy, children, own_reach[node])
            else:
                values[node] = children.sum(axis=0)
        return values

    def _down(self, strategies: dict[int, Values], s: int, b: int, player: int, entries: Values) -> Values:
        """Return a player's reach [n, H] at all nodes of a board: the entries' times the player's own actions."""
        street = self.tree.streets[s]
        reach = np.zeros((len(street.kind), entries.shape[1]))
        reach[: street.num_entries] = entries
        for node, strategy in strategies.items():
            first = street.first_child[node]
            children = slice(first, first + street.num_children[node])
            reach[children] = reach[node]
            if street.actor[node] == player:
                reach[children] *= strategy
        return reach

    def _showdown(self, s: int, b: int, player: int, node: int, reach: Values) -> Values:
        """Return the values [H] of a showdown of any kind against the opponent's reach there."""
        street = self.tree.streets[s]
        win, tied, lose = street.ends[node, player]
        fits, margin = self.terminal_matrices(s, b, player)
        ties = fits * (margin == 0.0)
        if street.matrix is not None and street.matrix[node] >= 0:
            payoffs, starts = street.matrices[street.matrix[node]], street.pair_starts
            margin = _block(payoffs.margin[player], starts, b).reshape(fits.shape)
            ties = np.zeros(fits.shape)
            if payoffs.tie is not None:
                ties = _block(payoffs.tie[player], starts, b).reshape(fits.shape)
        # Compatible hands that do not tie win with probability one half plus or minus half the margin.
        middle = (win + lose) / 2.0
        value = middle * (fits @ reach) + (win - lose) / 2.0 * (margin @ reach)
        return np.asarray(value + (tied - middle) * (ties @ reach))

    def _tie(self, source: Arrays) -> float:
        """Return the largest regret that counts as 0.

        16-bit regrets that small have been rounded to 0 steps, and what a rule plays is no regret.
        """
        return 0.0 if source[0][0].dtype == np.int16 or self.rule is not None else self.tree.tie

    # --- reading the arrays ------------------------------------------------------------------------------------

    def terminal_matrices(self, s: int, b: int, player: int) -> tuple[Values, Values]:
        """Return two matrices [own class, opponent's class]: compatible hands, and these signed by who wins."""
        key = (s, b, player)
        if key not in self._matrices:
            mine, other = (self.tree.streets[s].hands[p] for p in (player, 1 - player))
            cards = _block(mine.cards, mine.start, b)
            first, last = other.start[b : b + 2]
            member_class = np.repeat(np.arange(last - first), np.diff(other.member_start[first : last + 1]))
            members = other.member_cards[other.member_start[first] : other.member_start[last]]
            free = ~(cards[:, None, :, None] == members[None, :, None, :]).any(axis=(2, 3))
            fits = np.zeros((len(cards), last - first))
            for m, column in enumerate(member_class):
                fits[:, column] += free[:, m]
            own_rank = _block(mine.rank, mine.start, b)
            other_rank = _block(other.rank, other.start, b)
            self._matrices[key] = fits, fits * np.sign(own_rank[:, None] - other_rank[None, :])
        return self._matrices[key]

    def _lock(self, s: int, b: int, node: int) -> tuple[NDArray[np.uint8], Values] | None:
        """Return roles uint8[H] and a strategy float64[A, H], as in ``Locks``, at a decision on a board, or None."""
        street = self.tree.streets[s]
        locks = street.locks[int(street.actor[node])]
        number = -1 if locks is None else int(locks.at[self._decision(s, b, node)])
        if locks is None or number < 0:
            return None
        role = _block(locks.role, locks.role_start, number)
        strategy = _block(locks.strategy, locks.strategy_start, number)
        return role, strategy.reshape(street.num_children[node], len(role))

    def _roles(self, s: int, b: int, node: int, others: int) -> NDArray[np.uint8]:
        """Return uint8[H]: the roles of the hands at a decision, ``others`` for hands that are not locked."""
        street, lock = self.tree.streets[s], self._lock(s, b, node)
        if lock is None:
            return np.full(self._num_hands(s, b, int(street.actor[node])), others, dtype=np.uint8)
        return np.where(lock[0] == LEARNS, np.uint8(others), lock[0])

    def _strategies(self, source: Arrays, s: int, b: int, tie: float) -> dict[int, Values]:
        """Return the strategy [A, H] at each decision of a board: a fixed hand's own, else that of regret matching."""
        found = {}
        for node in np.flatnonzero(self.tree.streets[s].kind == DECISION).tolist():
            strategy, lock = matched(self._rows(source, s, b, node), tie), self._lock(s, b, node)
            found[node] = strategy if lock is None else np.where(lock[0] == FIXED, lock[1], strategy)
        return found

    def _decision(self, s: int, b: int, node: int) -> int:
        """Return the number of a decision node among its actor's decisions on all boards of the street."""
        street = self.tree.streets[s]
        player = int(street.actor[node])
        before = (street.kind[:node] == DECISION) & (street.actor[:node] == player)
        return b * street.num_decisions(player) + int(before.sum())

    def _num_hands(self, s: int, b: int, player: int) -> int:
        start = self.tree.streets[s].hands[player].start
        return int(start[b + 1] - start[b])

    def _entries(self, reach: list[Values], b: int) -> list[Values]:
        """Return both players' reach [num_entries, H] on a board of the root street."""
        root = self.tree.streets[0]
        entries = root.num_entries
        return [root.block(reach[p], entries, p, b).reshape(entries, -1) for p in (0, 1)]

    def _rows(self, arrays: Arrays, s: int, b: int, node: int) -> NDArray[Any]:
        """Return the rows [A, H] of a decision node on a board, as a view."""
        street = self.tree.streets[s]
        player, first = int(street.actor[node]), int(street.row[node])
        rows = street.num_rows[player]
        block = street.block(arrays[s][player], rows, player, b).reshape(rows, -1)
        return block[first : first + int(street.num_children[node])]

    def _leaf_block(self, arrays: Sequence[NDArray[Any]], s: int, b: int, player: int) -> NDArray[Any]:
        count = self.tree.streets[s].num_leaves
        block = self.tree.streets[s].block(arrays[s], count, player, b)
        return block.reshape(count, self._num_hands(s, b, player))


def _block(array: NDArray[Any], start: NDArray[np.int64], number: int) -> NDArray[Any]:
    """Return part ``number`` of an array whose parts begin at ``start``."""
    return array[start[number] : start[number + 1]]
