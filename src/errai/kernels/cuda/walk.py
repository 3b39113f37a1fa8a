"""The walk: both players' reach down their sequences and one player's values up, street by street for all boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from errai.kernels.cuda.device_tree import Block, DeviceTree, Ends, Round
from errai.kernels.cuda.sequences import Group
from errai.kernels.cuda.steps import Steps
from errai.kernels.layout import BEST, FIXED, LEARNS

Sources = Sequence[Sequence[Tensor]]
"""[R, S] by street and player, rows in the device's order, of any type: strategies follow
from it by regret matching.
"""

Foresee = Callable[[int, Block, Group, Tensor, Tensor], Tensor]
"""(street, block, decisions, their actions' values [D, A, S], their own [D, S]) -> the values passed up [D, S]."""

Learn = Callable[[int, Block, Tensor, Tensor, Tensor, Tensor], None]
"""(street, block, values of own sequences [E + R, S], of own decisions [D, S], strategy [R, S], reach [E + R, S])."""


class Walk:
    """A tree in one precision, and the methods that walk it.  It holds no state of a solve.

    Parameters
    ----------
    tree:
        The tree on its device.
    dtype:
        The type of all computations: ``torch.float32`` or ``torch.float64``.
    steps:
        The arithmetic, plain or compiled.
    """

    def __init__(self, tree: DeviceTree, dtype: torch.dtype, steps: Steps) -> None:
        self.tree = tree
        self.dtype = dtype
        self.steps = steps
        self.blocks = [tuple(block.to(dtype) for block in street.blocks) for street in tree.streets]
        self.root_reach = [reach.to(dtype) for reach in tree.root_reach]
        self.ends = [[self._in_chips(e) for e in street.ends] for street in tree.streets]
        self.locks = [[None if own is None else own.to(dtype) for own in street.locks] for street in tree.streets]
        self.products = [
            [[([m.to(dtype) for m in margin], [t.to(dtype) for t in tie]) for margin, tie in own] for own in both]
            for both in (street.products for street in tree.streets)
        ]

    def _in_chips(self, ends: Ends) -> Ends:
        def chips(rounds: list[Round]) -> list[Round]:
            return [r._replace(chips=r.chips.to(self.dtype)) for r in rounds]

        return replace(
            ends,
            folds=chips(ends.folds),
            showdowns=chips(ends.showdowns),
            fits=chips(ends.fits),
            ties=chips(ends.ties),
            pairs=tuple((chips(margins), chips(ties)) for margins, ties in ends.pairs),
        )

    def does(self, s: int, block: Block, player: int, others: int) -> Tensor | None:
        """Return uint8[D, S]: roles of a player's hands on a block, ``others`` for hands without a lock.

        The result is None if all hands learn.
        """
        locks, columns = self.locks[s][player], block.classes[player]
        if locks is not None:
            return locks.does(others, columns)
        if others == LEARNS:
            return None
        shape = self.tree.streets[s].sequences[player].num_decisions, columns.stop - columns.start
        return torch.full(shape, others, dtype=torch.uint8, device=self.tree.device)

    def kept(self, s: int) -> bool:
        """Whether strategies and reach of a street are kept for a walk, which is so if it is walked in one block."""
        return len(self.blocks[s]) == 1

    def tie(self, s: int, player: int) -> Tensor:
        """Return [1], or [S] in a batch: the threshold up to which regrets count as 0."""
        tie = self.tree.tie
        if self.tree.batch is None or bool((tie == tie[0]).all()):
            return tie[:1]
        boards = self.tree.to_device(self.tree.batch.game_of_board(s))
        return tie[boards[self.tree.streets[s].hands[player].board].long()]

    # --- down --------------------------------------------------------------------------------------------------

    def match(self, s: int, player: int, source: Tensor, tie: Tensor, out: Tensor) -> None:
        """Compute a strategy [R, S] from regrets [R, S] by regret matching."""
        for actions, rows, _ in self.tree.streets[s].sequences[player].kinds:
            shape = (-1, actions)
            self.steps.match(source[rows].unflatten(0, shape), tie, out[rows].unflatten(0, shape))

    def reach(self, s: int, player: int, strategy: Tensor, out: Tensor) -> None:
        """Compute reach [E + R, S] down a street; its first E rows are given."""
        own = self.tree.streets[s].sequences[player]
        below = out[own.num_entries :]
        for group in own.groups:
            torch.mul(out.index_select(0, group.row_sequences), strategy[group.rows], out=below[group.rows])

    def enter(self, s: int, player: int, columns: slice, above: Tensor | None) -> Tensor:
        """Return reach [E, S] at a street's entries from that ``above`` [E + R, S], which is None at the root."""
        if s == 0:
            return self.root_reach[player][:, columns]
        exits = self.tree.streets[s - 1].ends[player].exit_sequences
        assert above is not None
        return above.index_select(0, exits).index_select(1, self.tree.streets[s].hands[player].parent[columns])

    # --- up ----------------------------------------------------------------------------------------------------

    def values(
        self,
        s: int,
        block: Block,
        player: int,
        opponent_reach: Tensor,
        strategy: Tensor | None,
        exits: Tensor | None,
        leaves: Tensor | None,
        foresee: Foresee | None = None,
        role: int = FIXED,
    ) -> tuple[Tensor, Tensor]:
        """Return the values of one player's sequences [E + R, S] and decisions [D, S] on a block of boards.

        ``strategy`` is the player's own, [R, S], or None if all hands respond best.  ``exits`` are the values [X, S] at
        the exits of the street, ``leaves`` those at its leaves.  ``role`` is the role of hands that are not locked.
        """
        street = self.tree.streets[s]
        own, ends = street.sequences[player], self.ends[s][player]
        columns = block.classes[player]
        width = columns.stop - columns.start
        total = opponent_reach.new_zeros(own.num_sequences, width)
        for rounds, ending in self.terminals(s, block, player, opponent_reach):
            for part in rounds:
                total.index_add_(0, part.at, self.paid(block, player, part, ending))
        does = None if self.locks[s][player] is None else self.does(s, block, player, role)
        for given, plain in ((exits, ends.exits), (leaves, ends.leaves)):
            if given is not None:
                for which, at in plain:
                    total.index_add_(0, at, given.index_select(0, which))
        value = total.new_empty(own.num_decisions, width)
        below = total[own.num_entries :]
        for group in reversed(own.groups):
            of_actions = below[group.rows].unflatten(0, (-1, group.actions))
            if strategy is None or (does is None and role == BEST):
                found = of_actions.amax(1)
            else:
                found = self.steps.mix(strategy[group.rows].unflatten(0, (-1, group.actions)), of_actions)
                if does is not None:
                    found = torch.where(does[group.decisions] == BEST, of_actions.amax(1), found)
            value[group.decisions] = found
            if foresee is not None and role == LEARNS:
                ahead = foresee(s, block, group, of_actions, found)
                found = ahead if does is None else torch.where(does[group.decisions] == LEARNS, ahead, found)
            for which, at in group.rounds:
                total.index_add_(0, at, found.index_select(0, which))
        return total, value

    def paid(self, block: Block, player: int, part: Round, ending: Tensor) -> Tensor:
        """Return the values [n, S] in chips of some ends, from the values [U, S] per chip."""
        chips = part.chips if block.games is None else part.chips.index_select(1, block.games[player])
        return self.steps.pay(ending, part.which, chips)

    def terminals(self, s: int, block: Block, player: int, opponent_reach: Tensor) -> list[tuple[list[Round], Tensor]]:
        """Return the groups of ends of a street, each with the values [U, S] per chip that it multiplies."""
        ends, lists = self.ends[s][player], block.lists[player]
        if lists is None:
            return []
        width = block.classes[player].stop - block.classes[player].start
        if not opponent_reach.shape[1] or not width:  # One player has no live hand on any board of the block.
            return []
        reached = opponent_reach.index_select(0, ends.reached)
        sums = self.steps.prefix_sums(reached, lists.place, lists.length)
        first, last = sums.index_select(1, lists.first), sums.index_select(1, lists.last)
        shown = slice(len(reached) - ends.num_showdowns, None)
        found = []

        def fitting(rows: slice) -> Tensor:
            return self.steps.fold_values((last - first)[rows], lists.pile, reached[rows], lists.twin, lists.has_twin)

        if ends.folds:
            found.append((ends.folds, fitting(slice(0, ends.num_folds))))
        if ends.showdowns:
            signed = self.steps.showdown_values(
                sums[shown], (first + last)[shown], lists.pile, lists.weaker, lists.stronger
            )
            found.append((ends.showdowns, signed))
        if ends.fits:
            found.append((ends.fits, fitting(shown)))
        if ends.ties:
            place = lists.weaker, lists.stronger
            tied = self.steps.tie_values(sums[shown], *place, reached[shown], lists.twin, lists.has_twin)
            found.append((ends.ties, tied))
        for (margins, ties), (of_pairs, of_ties) in zip(ends.pairs, self.products[s][player], strict=True):
            for rounds, matrix in ((margins, of_pairs), (ties, of_ties)):
                if rounds:
                    found.append((rounds, self._products(s, block, player, reached[shown], matrix)))
        return found

    def _products(self, s: int, block: Block, player: int, reached: Tensor, matrix: list[Tensor]) -> Tensor:
        """Return [U, S]: the opponent's reach [U, S], multiplied board by board with a matrix of pairs of hands."""
        hands, (first, last) = self.tree.streets[s].arrays.hands, block.boards
        sizes = np.diff(hands[1 - player].start[first : last + 1]).tolist()
        parts = zip(reached.split(sizes, 1), matrix[first:last], strict=True)
        return torch.cat([reach @ payoffs.T for reach, payoffs in parts], 1)


class Flows:
    """Both players' strategies and reach on all streets, computed from regrets or from a strategy.

    Parameters
    ----------
    walk:
        The tree in the precision wanted.
    sources:
        The arrays that strategies follow from by regret matching.  They are read at every :meth:`refresh`, and, for a
        street that is walked in several blocks, whenever a block is used.
    tied:
        Whether regrets up to the tree's tie count as 0.
    entries:
        Reach [E, S] at the root by player, in place of the tree's own.
    """

    def __init__(self, walk: Walk, sources: Sources, *, tied: bool, entries: Sequence[Tensor] | None = None) -> None:
        self.walk = walk
        self.sources = sources
        self.entries = entries
        streets = range(len(sources))
        none = torch.zeros(1, dtype=torch.float64, device=walk.tree.device)
        self.ties = [[walk.tie(s, p) if tied else none for p in (0, 1)] for s in streets]
        # Floating sources are compared in their own precision.
        self.ties = [
            [tie.to(a.dtype) if a.is_floating_point() else tie for tie, a in zip(pair, arrays, strict=True)]
            for pair, arrays in zip(self.ties, sources, strict=True)
        ]
        self.strategy: list[list[Tensor]] = [[], []]
        self.reach: list[list[Tensor]] = [[], []]

    def refresh(self, player: int) -> None:
        """Read the player's source again on every street that is kept, always into the same tensors."""
        for s in range(len(self.walk.tree.streets)):
            if self.walk.kept(s):
                if len(self.strategy[player]) == s:
                    strategy, reach = self._empty(s, player, self.walk.tree.streets[s].hands[player].size)
                    self.strategy[player].append(strategy)
                    self.reach[player].append(reach)
                self._fill(s, player, slice(None), self.strategy[player][s], self.reach[player][s])

    def of(self, s: int, block: Block, player: int) -> tuple[Tensor, Tensor]:
        """Return the strategy [R, S] and reach [E + R, S] of a player on a block of a street."""
        if self.walk.kept(s):
            return self.strategy[player][s], self.reach[player][s]
        columns = block.classes[player]
        strategy, reach = self._empty(s, player, columns.stop - columns.start)
        self._fill(s, player, columns, strategy, reach)
        return strategy, reach

    def _empty(self, s: int, player: int, width: int) -> tuple[Tensor, Tensor]:
        own, like = self.walk.tree.streets[s].sequences[player], self.walk.root_reach[player]
        return like.new_empty(own.num_rows, width), like.new_empty(own.num_sequences, width)

    def _fill(self, s: int, player: int, columns: slice, strategy: Tensor, reach: Tensor) -> None:
        tie = self.ties[s][player]
        self.walk.match(
            s, player, self.sources[s][player][:, columns], tie if len(tie) == 1 else tie[columns], strategy
        )
        locks = self.walk.locks[s][player]
        if locks is not None:
            torch.where(locks.fixed[:, columns], locks.given[:, columns], strategy, out=strategy)
        entries = self.walk.tree.streets[s].sequences[player].num_entries
        if s == 0 and self.entries is not None:
            reach[:entries] = self.entries[player][:, columns]
        else:
            reach[:entries] = self.walk.enter(s, player, columns, self.reach[player][s - 1] if s else None)
        self.walk.reach(s, player, strategy, reach)


def walk_up(
    flows: Flows,
    player: int,
    *,
    roles: Sequence[int],
    leaves: Sequence[Tensor] = (),
    learn: Learn | None = None,
    foresee: Foresee | None = None,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Compute a player's values from the last street to the first.

    Parameters
    ----------
    flows:
        Both players' strategies and reach.
    player:
        The player whose values are computed.
    roles:
        The player's role on each street.
    leaves:
        The player's values [leaves, S] by street.
    learn:
        Called for every block of a street whose role is not FIXED, to update the state.
    foresee:
        Returns the values that decisions pass up in place of their own.

    Returns
    -------
    The values of the root street's sequences and decisions, and those at its exits if it has any.
    """
    walk = flows.walk
    exits: Tensor | None = None
    totals, decided = [], []
    for s in reversed(range(len(walk.tree.streets))):
        above = None
        if s:
            upper = walk.tree.streets[s - 1]
            above = torch.zeros(
                upper.arrays.num_exits, upper.hands[player].size, dtype=walk.dtype, device=walk.tree.device
            )
        for block in walk.blocks[s]:
            _, opponent_reach = flows.of(s, block, 1 - player)
            follows = roles[s] != BEST or walk.locks[s][player] is not None or learn is not None
            strategy, reach = flows.of(s, block, player) if follows else (None, None)
            given = leaves[s][:, block.classes[player]] if leaves else None
            total, value = walk.values(s, block, player, opponent_reach, strategy, exits, given, foresee, roles[s])
            if learn is not None and roles[s] != FIXED and strategy is not None and reach is not None:
                learn(s, block, total, value, strategy, reach)
            if above is not None and block.rises is not None:
                rise = block.rises[player]
                above[:, rise.above] += rise(total[: walk.tree.streets[s].arrays.num_entries])
            if not s:
                totals.append(total)
                decided.append(value)
        if s:
            exits = above
    if len(totals) == 1:
        return totals[0], decided[0], exits
    return torch.cat(totals, 1), torch.cat(decided, 1), exits
