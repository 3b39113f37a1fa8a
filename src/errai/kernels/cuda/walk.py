"""The walk: both players' reach down their sequences and one player's values up, street by street for all boards.

Its arithmetic is in functions of a handful of elementwise operations on whole tensors.  Without compilation each
operation reads and writes memory once; PyTorch's compiler merges each function into one or two kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from errai.kernels.cuda.device_tree import Block, DeviceTree, Round, in_type
from errai.kernels.cuda.indices import Group
from errai.kernels.layout import BEST, FIXED, LEARNS

Sources = Sequence[Sequence[Tensor]]
"""[R, S] by street and player, rows in the device's order, of any type; strategies follow by regret matching."""

Foresee = Callable[[int, Block, Group, Tensor, Tensor], Tensor]
"""(street, block, decisions, their actions' values [D, A, S], their own [D, S]) -> the values passed up [D, S]."""

Learn = Callable[[int, Block, Tensor, Tensor, Tensor, Tensor], None]
"""(street, block, values of own sequences [E + R, S], of own decisions [D, S], strategy [R, S], reach [E + R, S])."""


class Up(NamedTuple):
    """What is wanted of a walk up."""

    player: int
    """The player whose values are computed."""
    roles: Sequence[int]
    """The role of the player's hands that are not locked, on each street."""
    leaves: Sequence[Tensor] = ()
    """The player's values [leaves, S] by street."""
    learn: Learn | None = None
    """Called for every block of a street whose role is not FIXED, to update the state."""
    foresee: Foresee | None = None
    """Returns the values that decisions pass up in place of their own."""


class Walk:
    """A tree in one precision, and the methods that walk it.  It holds no state of a solve.

    All computations are in ``dtype``, ``torch.float32`` or ``torch.float64``, by the functions of :func:`steps_of`.
    """

    def __init__(self, tree: DeviceTree, dtype: torch.dtype, steps: SimpleNamespace) -> None:
        self.tree = tree
        self.dtype = dtype
        self.steps = steps
        self.streets = in_type(tree.streets, dtype)
        self.root_reach = in_type(tree.root_reach, dtype)

    def does(self, s: int, block: Block, player: int, others: int) -> Tensor | None:
        """Return uint8[D, S]: roles of a player's hands on a block, ``others`` for hands without a lock.

        The result is None if all hands learn.
        """
        locks, columns = self.streets[s].locks[player], block.classes[player]
        if locks is not None:
            role = locks.role[:, columns]
            return role.masked_fill(role == LEARNS, others)
        if others == LEARNS:
            return None
        shape = self.streets[s].sequences[player].num_decisions, columns.stop - columns.start
        return torch.full(shape, others, dtype=torch.uint8, device=self.tree.device)

    def tie(self, s: int, player: int) -> Tensor:
        """Return [1], or [S] in a batch: the threshold up to which regrets count as 0."""
        tie = self.tree.tie
        if self.tree.batch is None or bool((tie == tie[0]).all()):
            return tie[:1]
        boards = self.tree.to_device(self.tree.batch.game_of_board(s))
        return tie[boards[self.tree.streets[s].hands[player].board].long()]

    def values(self, s: int, block: Block, flows: Flows, up: Up, exits: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the values of the player's sequences [E + R, S] and decisions [D, S] on a block of boards.

        ``exits`` are the values [X, S] at the exits of the street.
        """
        player, role, columns = up.player, up.roles[s], block.classes[up.player]
        street = self.streets[s]
        own, ends, locked = street.sequences[player], street.ends[player], street.locks[player] is not None
        opponent_reach = flows.of(s, block, 1 - player)[1]
        strategy, reach = None, None
        if role != BEST or locked or up.learn is not None:
            strategy, reach = flows.of(s, block, player)
        width = columns.stop - columns.start
        total = opponent_reach.new_zeros(own.num_sequences, width)
        for rounds, ending in self.terminals(s, block, player, opponent_reach):
            for part in rounds:
                total.index_add_(0, part.at, self.paid(block, player, part, ending))
        does = self.does(s, block, player, role) if locked else None
        leaves = up.leaves[s][:, columns] if up.leaves else None
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
            if up.foresee is not None and role == LEARNS:
                ahead = up.foresee(s, block, group, of_actions, found)
                found = ahead if does is None else torch.where(does[group.decisions] == LEARNS, ahead, found)
            for which, at in group.rounds:
                total.index_add_(0, at, found.index_select(0, which))
        if up.learn is not None and role != FIXED and strategy is not None and reach is not None:
            up.learn(s, block, total, value, strategy, reach)
        return total, value

    def paid(self, block: Block, player: int, part: Round, ending: Tensor) -> Tensor:
        """Return the values [n, S] in chips of some ends, from the values [U, S] per chip."""
        chips = part.chips if block.games is None else part.chips.index_select(1, block.games[player])
        return self.steps.pay(ending, part.which, chips)

    def terminals(self, s: int, block: Block, player: int, opponent_reach: Tensor) -> list[tuple[list[Round], Tensor]]:
        """Return the groups of ends of a street, each with the values [U, S] per chip that it multiplies."""
        ends, lists = self.streets[s].ends[player], block.lists[player]
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
        hands, (first, last) = self.streets[s].arrays.hands, block.boards
        sizes = np.diff(hands[1 - player].start[first : last + 1]).tolist()
        for (margins, ties), (of_pairs, of_ties) in zip(ends.pairs, self.streets[s].products[player], strict=True):
            for rounds, matrix in ((margins, of_pairs), (ties, of_ties)):
                if rounds:  # Reach is multiplied board by board with a matrix of pairs of hands.
                    parts = zip(reached[shown].split(sizes, 1), matrix[first:last], strict=True)
                    found.append((rounds, torch.cat([reach @ payoffs.T for reach, payoffs in parts], 1)))
        return found


class Flows:
    """Both players' strategies and reach on all streets, computed from regrets or from a strategy.

    The ``sources`` are read at every :meth:`refresh`, and, for a street that is walked in several blocks, whenever a
    block is used.  With ``tied``, regrets up to the tree's tie count as 0.  ``entries`` is the reach [E, S] at the root
    by player, in place of the tree's own.
    """

    def __init__(self, walk: Walk, sources: Sources, *, tied: bool, entries: Sequence[Tensor] | None = None) -> None:
        self.walk = walk
        self.sources = sources
        self.entries = entries
        none = torch.zeros(1, dtype=torch.float64, device=walk.tree.device)
        self.ties: list[list[Tensor]] = []
        for s, pair in enumerate(sources):
            ties = [walk.tie(s, p) if tied else none for p in (0, 1)]
            # Floating sources are compared in their own precision.
            self.ties.append([t.to(a.dtype) if a.is_floating_point() else t for t, a in zip(ties, pair, strict=True)])
        self.strategy: list[list[Tensor]] = [[], []]
        self.reach: list[list[Tensor]] = [[], []]

    def refresh(self, player: int) -> None:
        """Read the player's source again on every street that is kept, always into the same tensors."""
        for s, street in enumerate(self.walk.streets):
            if len(street.blocks) == 1:  # Streets that are walked in several blocks are not kept.
                if len(self.strategy[player]) == s:
                    strategy, reach = self._empty(s, player, street.hands[player].size)
                    self.strategy[player].append(strategy)
                    self.reach[player].append(reach)
                self._fill(s, player, slice(None), self.strategy[player][s], self.reach[player][s])

    def of(self, s: int, block: Block, player: int) -> tuple[Tensor, Tensor]:
        """Return the strategy [R, S] and reach [E + R, S] of a player on a block of a street."""
        if len(self.walk.streets[s].blocks) == 1:
            return self.strategy[player][s], self.reach[player][s]
        columns = block.classes[player]
        strategy, reach = self._empty(s, player, columns.stop - columns.start)
        self._fill(s, player, columns, strategy, reach)
        return strategy, reach

    def _empty(self, s: int, player: int, width: int) -> tuple[Tensor, Tensor]:
        own, like = self.walk.streets[s].sequences[player], self.walk.root_reach[player]
        return like.new_empty(own.num_rows, width), like.new_empty(own.num_sequences, width)

    def tie(self, s: int, player: int, columns: slice) -> Tensor:
        """Return [1], or [S] in a batch: the largest regrets that count as 0, for some columns."""
        tie = self.ties[s][player]
        return tie if len(tie) == 1 else tie[columns]

    def _fill(self, s: int, player: int, columns: slice, strategy: Tensor, reach: Tensor) -> None:
        """Compute a strategy [R, S] by regret matching, and from it and the street above the reach [E + R, S]."""
        street, source, tie = self.walk.streets[s], self.sources[s][player][:, columns], self.tie(s, player, columns)
        own, locks = street.sequences[player], street.locks[player]
        for actions, rows, _ in own.kinds:
            shape = (-1, actions)
            self.walk.steps.match(source[rows].unflatten(0, shape), tie, strategy[rows].unflatten(0, shape))
        if locks is not None:
            torch.where(locks.fixed[:, columns], locks.given[:, columns], strategy, out=strategy)
        if s == 0:
            entering = (self.walk.root_reach if self.entries is None else self.entries)[player][:, columns]
        else:
            above = self.reach[player][s - 1].index_select(0, self.walk.streets[s - 1].ends[player].exit_sequences)
            entering = above.index_select(1, street.hands[player].parent[columns])
        reach[: own.num_entries] = entering
        below = reach[own.num_entries :]
        for group in own.groups:
            torch.mul(reach.index_select(0, group.row_sequences), strategy[group.rows], out=below[group.rows])


def walk_up(flows: Flows, up: Up) -> tuple[Tensor, Tensor, Tensor | None]:
    """Compute a player's values from the last street to the first.

    Returns the values at the root street's entries [E, S] and decisions [D, S], and those at its exits if it has any.
    """
    player = up.player
    walk = flows.walk
    exits: Tensor | None = None
    entered, decided = [], []
    for s, street in reversed(list(enumerate(walk.streets))):
        above = None
        if s:
            upper = walk.streets[s - 1]
            above = walk.root_reach[0].new_zeros(upper.arrays.num_exits, upper.hands[player].size)
        for block in street.blocks:
            total, value = walk.values(s, block, flows, up, exits)
            entries = total[: street.arrays.num_entries]
            if above is not None and block.rises is not None:
                rise = block.rises[player]
                above[:, rise.above] += rise(entries)
            if not s:
                entered.append(entries)
                decided.append(value)
        if s:
            exits = above
    if len(entered) == 1:
        return entered[0], decided[0], exits
    return torch.cat(entered, 1), torch.cat(decided, 1), exits


# --- the arithmetic of an iteration ----------------------------------------------------------------------------------


def match(source: Tensor, tie: Tensor, out: Tensor) -> None:
    """Regret matching: ``source`` and ``out`` are [D, A, S], ``tie`` [S] or [1]; in the precision of ``out``."""
    # torch.where with constants would copy them from the host, which a CUDA graph cannot record.
    torch.mul(source, source > tie, out=out)
    total = out.sum(1, keepdim=True)
    out.div_(total).masked_fill_(total <= 0, 1.0 / source.shape[1])


def mix(strategy: Tensor, values: Tensor) -> Tensor:
    """Return the value [D, S] of a strategy [D, A, S], given the values [D, A, S] of its actions."""
    return (strategy * values).sum(1)


def pay(ending: Tensor, which: Tensor, chips: Tensor) -> Tensor:
    """Return chips [n, S]: the rows ``which`` [n] of ``ending`` [U, S] times ``chips`` [n, 1] or [n, S]."""
    return ending.index_select(0, which) * chips


def learn(values: Tensor, value: Tensor, played: Tensor, regrets: Tensor, sums: Tensor, coefficients: Tensor) -> None:
    """Add one iteration's gains to ``regrets`` and its strategy to ``sums``, both [D, A, S], in place.

    ``values`` [D, A, S] are those of the actions and become the gains, ``value`` [D, S] are those of the nodes.
    ``played`` is added to the average's sum; ``coefficients`` [7] are as in
    :data:`errai.kernels.protocol.COEFFICIENTS`.
    """
    regrets.add_(values.sub_(value.unsqueeze(1)))
    regrets.mul_(torch.where(regrets > 0, coefficients[0], coefficients[1]))
    sums.mul_(coefficients[2]).addcmul_(played, coefficients[3])


def predict(gains: Tensor, regrets: Tensor, predicted: Tensor, coefficients: Tensor) -> None:
    """Set ``predicted`` [D, A, S] to the regrets plus the newest gains, which predict the next ones."""
    torch.addcmul(regrets, gains, coefficients[4], out=predicted)


def foresee(values: Tensor, value: Tensor, regrets: Tensor, tie: Tensor, coefficients: Tensor) -> Tensor:
    """Return the values [D, S] that nodes pass up with foresight: partly those of what they are about to learn.

    ``values`` and ``regrets`` [D, A, S] are those of the actions before :func:`learn`, and ``value`` [D, S] is that of
    the strategy just played.
    """
    gains = values - value.unsqueeze(1)
    new = regrets + gains
    new.mul_(torch.where(new > 0, coefficients[0], coefficients[1])).addcmul_(gains, coefficients[4])
    new.mul_(new > tie)
    total = new.sum(1)
    ahead = torch.where(total > 0, new.mul_(values).sum(1).div_(total), value)
    return value + coefficients[6] * (ahead - value)


def prefix_sums(reach: Tensor, place: Tensor, length: int) -> Tensor:
    """Return the prefix sums of reach along each board's list: [U, B * length] from ``reach`` [U, S].

    ``place`` [B * length] is the class at each position of the list.
    """
    listed = reach.index_select(1, place).view(-1, length)
    if len(listed) == 1:
        # PyTorch scans one long row in an order of summation that varies from run to run, but not two rows.
        return listed.expand(2, -1).contiguous().cumsum(1)[:1]
    return listed.cumsum(1).view(reach.shape[0], -1)


def fold_values(totals: Tensor, pile: Tensor, reach: Tensor, twin: Tensor, has_twin: Tensor) -> Tensor:
    """Return the reach [U, S] of the opponent's hands that share no card with each own hand.

    ``totals`` [U, piles] holds the sum of every pile; ``pile`` [1 + k, S] is the pile of all hands and of each own
    card.  With two cards, the same hand of the opponent has been subtracted twice and is added back once.
    """
    value = totals.index_select(1, pile[0])
    for card in pile[1:]:
        value.sub_(totals.index_select(1, card))
    if len(pile) == 3:
        value.addcmul_(reach.index_select(1, twin), has_twin)
    return value


def showdown_values(sums: Tensor, bounds: Tensor, pile: Tensor, weaker: Tensor, stronger: Tensor) -> Tensor:
    """Return the reach [U, S] of the weaker compatible hands minus that of the stronger ones, for each own hand.

    For each pile with prefix sums ``W``, this is W(before the hands of equal strength) + W(after them) - W(start) -
    W(end).  The piles of the own cards are subtracted from the pile of all hands.  ``weaker`` and ``stronger`` [1 + k,
    S] are the positions of the first two terms in ``sums``; ``bounds`` [U, piles] holds the sum of the last two.
    """
    parts = []
    for number in range(len(pile)):
        part = sums.index_select(1, weaker[number]).add_(sums.index_select(1, stronger[number]))
        parts.append(part.sub_(bounds.index_select(1, pile[number])))
    value = parts[0]
    for part in parts[1:]:
        value.sub_(part)
    return value


def tie_values(sums: Tensor, weaker: Tensor, stronger: Tensor, reach: Tensor, twin: Tensor, has_twin: Tensor) -> Tensor:
    """Return the reach [U, S] of the equally strong compatible hands; arguments as for the two functions above."""
    value = sums.index_select(1, stronger[0]).sub_(sums.index_select(1, weaker[0]))
    for number in range(1, len(weaker)):
        value.sub_(sums.index_select(1, stronger[number])).add_(sums.index_select(1, weaker[number]))
    if len(weaker) == 3:
        value.addcmul_(reach.index_select(1, twin), has_twin)
    return value


def respond(values: Tensor, does: Tensor, tie: Tensor, regrets: Tensor) -> None:
    """Set regrets [D, A, S] of hands that respond best so that they match to the first of their best actions.

    ``values`` [D, A, S] are those of the actions, and ``does`` uint8[D, S] are the roles.
    """
    good = (values >= values.amax(1, keepdim=True) - tie).to(torch.uint8)
    chosen = torch.zeros_like(regrets).scatter_(1, good.argmax(1, keepdim=True), 1.0) * (1.0 + 2.0 * tie)
    torch.where((does == BEST).unsqueeze(1), chosen, regrets, out=regrets)


def steps_of(compiled: bool) -> SimpleNamespace:
    """Return the functions of the arithmetic by name.

    Those that are ``compiled`` go through ``torch.compile``: first calls take seconds, later ones run fewer kernels.
    """
    steps = match, mix, pay, learn, predict, foresee, prefix_sums, fold_values, showdown_values, tie_values, respond
    return SimpleNamespace(**{f.__name__: torch.compile(f, dynamic=True) if compiled else f for f in steps})
