"""The betting tree: every betting line of a game or a spot, without any card.

Nodes are numbered street by street and breadth first inside a street, so that a street is one contiguous block, the
children of a node are contiguous, and parents come before children.  A street's first nodes are its entries, in the
order of the chance nodes of the street before.  Solver arrays have one *row* for each (decision node, action) pair of a
player on a street, in the order of the nodes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from errai.errors import LineError, TreeTooLargeError, UnsupportedGameError
from errai.games.betting import ActionKind, BettingState
from errai.games.game import Game, Rake, Subject, amount_text
from errai.games.hand import Action, raise_to
from errai.games.sizing import BetKind, BetMenu, Betting
from errai.kernels import layout
from errai.tree.lines import BetShare, matching_actions, split_line

MAX_NODES = 5_000_000
"""Default of the largest number of betting nodes."""

DEFAULT_SIZES = "100%, a"
"""Bets and raises of a no-limit game without a menu: the pot and all-in (as in DeepStack-Leduc)."""


class NodeKind(IntEnum):
    """The kinds of nodes, with the numbers that kernels use."""

    DECISION = layout.DECISION
    FOLD = layout.FOLD
    SHOWDOWN = layout.SHOWDOWN
    CHANCE = layout.CHANCE
    LEAF = layout.LEAF


@dataclass(frozen=True, eq=False)
class BettingTree:
    """All betting lines of a game or spot; N nodes, sorted by street, breadth first inside a street.

    Parameters
    ----------
    num_streets:
        Number of streets in the tree.
    first_round:
        The round of the game that is street 0.
    street_start:
        int32[num_streets + 1]; street s holds the nodes street_start[s] to street_start[s + 1] - 1.
    street:
        int8[N], counted from 0 at the root.
    kind:
        int8[N], a :class:`NodeKind`.  At a LEAF the street is closed at the edge of the tree, with cards still to come.
    actor:
        int8[N]: the player who acts at a DECISION or who folded at a FOLD, else -1.
    parent:
        int32[N], -1 at the root.
    first_child, num_children:
        int32[N]; a CHANCE node has one child, the entry of the next street (again CHANCE when all-in).
    contributions:
        float64[N, 2], the chips that each player has put in when the node is reached, including half of a spot's pot.
        Both are equal at a SHOWDOWN.  At a FOLD they are as put in (the winner gains what the loser has put in).
    action:
        N labels of the actions that lead to the nodes: 'fold', 'check', 'call', 'bet 120', 'raise 300' with
        the player's total on this street in chips; '' at the root and after CHANCE.
    action_kind:
        int8[N], an ActionKind, or -1.
    action_total:
        int64[N], the player's total over the whole hand or spot after the action (without the spot's pot).
    row_start:
        int32[N]: at a DECISION, the row of the node's first action among the rows of (street, actor); else -1.
    rows:
        int32[num_streets, 2], number of (decision node, action) pairs.
    all_in_total:
        The action_total of a player who has put in the shorter stack.
    rake_chips:
        float64[N], what the house takes of the pot at FOLD and SHOWDOWN, else 0; None without rake.
    unit:
        Into how many parts a chip is divided.  Totals are in parts, contributions, rake and labels in chips.
    big_blind:
        In chips; None if there is none, or a spot does not name it.
    """

    num_streets: int
    first_round: int
    street_start: NDArray[np.int32]
    street: NDArray[np.int8]
    kind: NDArray[np.int8]
    actor: NDArray[np.int8]
    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    num_children: NDArray[np.int32]
    contributions: NDArray[np.float64]
    action: tuple[str, ...]
    action_kind: NDArray[np.int8]
    action_total: NDArray[np.int64]
    row_start: NDArray[np.int32]
    rows: NDArray[np.int32]
    all_in_total: int
    rake_chips: NDArray[np.float64] | None = None
    unit: int = 1
    big_blind: float | None = None

    @property
    def num_nodes(self) -> int:
        """Number of nodes N."""
        return len(self.kind)

    def __len__(self) -> int:
        return self.num_nodes

    def __repr__(self) -> str:
        return f"<BettingTree: {self.num_nodes:,} nodes on {self.num_streets} streets>"

    @property
    def initial_pot(self) -> float:
        """Chips in the pot at the root: a spot's pot, or a game's blinds and antes."""
        return self.pot(0)

    def pot(self, node: int) -> float:
        """Return the chips in the pot when ``node`` is reached."""
        return self.in_parts(float(self.contributions[node].sum()))

    def in_parts(self, chips: float) -> float:
        """Return chips as a whole number of parts, without what floating point adds: 12.78, not 12.780000000000001."""
        return chips if self.unit == 1 else round(chips * self.unit) / self.unit

    def left_to_bet(self, nodes: NDArray[np.integer], dead_chips: float) -> NDArray[np.float64]:
        """Return float64[n]: the chips that the shorter stack has left where both players have put in the same.

        ``dead_chips`` is half of a spot's pot.
        """
        spent = np.rint((self.contributions[nodes, 0] - dead_chips) * self.unit)
        return np.asarray((self.all_in_total - spent) / self.unit)

    def num_rows(self, street: int, player: int) -> int:
        """Return the number of (decision node, action) pairs of ``player`` on ``street``."""
        return int(self.rows[street, player])

    def street_nodes(self, street: int) -> range:
        """Return the nodes of a street."""
        return range(int(self.street_start[street]), int(self.street_start[street + 1]))

    def decision_nodes(self, street: int, player: int) -> NDArray[np.int32]:
        """Return int32[...], the decision nodes of ``player`` on ``street``, ascending."""
        nodes = np.array(self.street_nodes(street), dtype=np.int32)
        return np.asarray(nodes[(self.kind[nodes] == NodeKind.DECISION) & (self.actor[nodes] == player)])

    @property
    def last_decision(self) -> int:
        """The last street on which a player has a choice; -1 if there is none."""
        return int(self.street[self.num_children > 1].max(initial=-1))

    def shown_down_after(self, street: int) -> BettingTree:
        """Return the tree up to a street, with a showdown wherever a line of this tree continues to the next street."""
        count = int(self.street_start[street + 1])
        closed = (self.kind == NodeKind.CHANCE) & (self.street == street)
        rake = self.rake_chips
        if rake is not None:
            end = np.arange(self.num_nodes)
            while (on := closed & (self.kind[end] != NodeKind.SHOWDOWN)).any():
                end[on] = self.first_child[end[on]]
            rake = rake[end][:count]
        kept = "street", "actor", "parent", "contributions", "action", "action_kind", "action_total", "row_start"
        return replace(
            self,
            **{name: getattr(self, name)[:count] for name in kept},
            num_streets=street + 1,
            street_start=self.street_start[: street + 2],
            kind=np.where(closed, np.int8(NodeKind.SHOWDOWN), self.kind)[:count],
            first_child=np.where(closed, np.int32(-1), self.first_child)[:count],
            num_children=np.where(closed, np.int32(0), self.num_children)[:count],
            rows=self.rows[: street + 1],
            rake_chips=rake,
        )

    def children(self, node: int) -> range:
        """Return the children of ``node``, in order."""
        first = int(self.first_child[node])
        return range(first, first + int(self.num_children[node])) if first >= 0 else range(0)

    def children_by_kind(self) -> NDArray[np.int64]:
        """Return int64[N, 3]: the children after fold, call and raise, or -1.

        If there are several raises, as in no-limit, the entry is the largest one.
        """
        found = np.full((self.num_nodes, len(ActionKind)), -1, dtype=np.int64)
        acted = np.flatnonzero(self.action_kind >= 0)
        found[self.parent[acted], self.action_kind[acted]] = acted
        return found

    def next_by_kind(self) -> NDArray[np.int64]:
        """Return the same as :meth:`children_by_kind`, but the node after all cards that are due have been dealt."""
        found = self.children_by_kind()
        legal = found >= 0
        found[legal] = [self.after_chance(node) for node in found[legal].tolist()]
        return found

    def actions(self, node: int) -> tuple[str, ...]:
        """Return the labels of the actions at a decision node, in the order of its children."""
        if self.kind[node] != NodeKind.DECISION:
            return ()
        return tuple(self.action[child] for child in self.children(node))

    def after_chance(self, node: int) -> int:
        """Return ``node``, or the node that follows once all cards due have been dealt."""
        while self.kind[node] == NodeKind.CHANCE:
            node = int(self.first_child[node])
        return node

    def path(self, node: int) -> tuple[str, ...]:
        """Return the actions from the root to ``node``."""
        labels = []
        while node >= 0:
            if self.action[node]:
                labels.append(self.action[node])
            node = int(self.parent[node])
        return tuple(reversed(labels))

    def child(self, node: int, label: str) -> int:
        """Return the child of ``node`` to which an action leads.

        Cards due at ``node`` are dealt first.  ``label`` is an exact label ('bet 120'), a unique beginning
        of one ('bet', 'f'), 'all-in', or a short form ('b120', 'r300', 'k' for check, 'c' for call or
        check); case does not matter.

        Raises
        ------
        LineError
            No action fits or more than one does, or the hand is over; the message lists the possible actions.
        """
        node = self.after_chance(node)
        where = f"after '{' '.join(self.path(node))}'" if self.path(node) else "at the root"
        if self.kind[node] != NodeKind.DECISION:
            end = "the tree ends" if self.kind[node] == NodeKind.LEAF else "the hand is over"
            raise LineError(f"{label!r} is not possible {where}: {end} there.")
        labels, children = self.actions(node), self.children(node)
        found = self.matching(node, label)
        if len(found) == 1:
            return children[found[0]]
        offered = ", ".join(
            text if share is None else f"{text} ({share})"
            for text, share in zip(labels, map(self.share, children), strict=True)
        )
        if found:
            raise LineError(f"{label!r} is ambiguous {where}; choose one of: {offered}.")
        raise LineError(f"{label!r} is not possible {where}; the actions there are: {offered}.")

    def matching(self, node: int, text: str) -> list[int]:
        """Return the positions, among the actions of a decision node, of those that ``text`` may mean.

        ``text`` is as in :meth:`child`; ``bet`` alone means all bets.  None or several may be meant.
        """
        children = self.children(node)
        all_in, shares = [self.is_all_in(child) for child in children], [self.share(child) for child in children]
        return matching_actions(text, self.actions(node), all_in, shares, self.big_blind)

    def action_to(self, node: int) -> Action:
        """Return the action that leads to ``node``, with the chips of the tree."""
        kind = ActionKind(int(self.action_kind[node]))
        return raise_to(int(self.action_total[node])) if kind == ActionKind.RAISE else Action(kind)

    def is_all_in(self, node: int) -> bool:
        """Return whether the action that leads to ``node`` is a bet or raise of the whole (shorter) stack."""
        return bool(self.action_kind[node] == ActionKind.RAISE and self.action_total[node] == self.all_in_total)

    def share(self, node: int) -> BetShare | None:
        """Return the bet or raise that leads to ``node`` in per cent of the pot, None for another action.

        Of a raise it is what goes beyond the bet faced, and the pot is as it would be once that had been called, as in
        a menu of sizes.
        """
        if self.action_kind[node] != ActionKind.RAISE:
            return None
        before, after = self.contributions[self.parent[node]], self.contributions[node]
        pot = 2.0 * float(before.max())
        return BetShare(100.0 * float(after.max() - before.max()) / pot, 50.0 / pot / self.unit) if pot > 0.0 else None

    def find(self, line: str) -> int:
        """Return the node at the end of a line from the root, such as 'check bet 120 call'; '' is the root.

        Street breaks may be marked by '/' or '|'; commas and hyphens between actions are ignored.  Cards
        are not part of a betting line.  The node returned may be a CHANCE node.

        Raises
        ------
        LineError
            As :meth:`child`.
        """
        node = 0
        for label in split_line(line):
            node = self.child(node, label)
        return node

    def describe(self, max_nodes: int = 2_000) -> str:
        """Return the tree as indented text, one node with its pot per line, at most ``max_nodes`` lines."""
        lines: list[str] = []
        stack = [(0, 0)]
        while stack and len(lines) < max_nodes:
            node, depth = stack.pop()
            kind = NodeKind(int(self.kind[node]))
            arrival = self.action[node] or ("root" if node == 0 else f"street {int(self.street[node]) + 1}")
            what = f"player {self.actor[node]} to act" if kind is NodeKind.DECISION else kind.name.lower()
            lines.append(f"{'  ' * depth}{arrival}: {what}, pot {self.pot(node):g}")
            stack.extend((child, depth + 1) for child in reversed(self.children(node)))
        if stack:
            lines.append(f"... and more: {self.num_nodes:,} nodes in all")
        return "\n".join(lines)


def build_betting_tree(
    subject: Subject, menu: BetMenu | None = None, *, last_street: int | None = None, max_nodes: int = MAX_NODES
) -> BettingTree:
    """Build the betting tree of a game from its first round, of a spot from its board, or of a lookahead.

    Parameters
    ----------
    subject:
        The game, spot or lookahead.
    menu:
        The bet sizes of a no-limit game; without a menu, the pot and all-in.  Limit games take no menu, and spots and
        lookaheads have their own.
    last_street:
        The last street in the tree (0 is the first), unless a lookahead has its own.  Lines that close it with cards to
        come end in LEAF nodes.
    max_nodes:
        Largest number of nodes.

    Raises
    ------
    TreeTooLargeError
        The tree has more than ``max_nodes`` nodes.
    UnsupportedGameError
        A menu was given for a limit game.
    """
    rules, unit, first = subject.rules, subject.unit, subject.first_round
    if subject.whole_game is None:
        menu = subject.menu
    if rules.limit and menu is not None:
        raise UnsupportedGameError(f"'{rules.name}' is a limit game: its bet sizes are fixed, so it takes no menu.")
    if not rules.limit and menu is None:
        menu = BetMenu.parse(rules.num_rounds, DEFAULT_SIZES)
    if subject.depth is not None:
        last_street = subject.depth - first
    # Chips beyond the shorter stack can be neither won nor lost, and neither can those that have been bet already.
    effective = min(rules.stacks)
    blinds = min(rules.blinds[0], effective), min(rules.blinds[1], effective)
    rules = replace(rules, stacks=(effective, effective), blinds=blinds)
    if subject.state is None:
        state = BettingState.start_at(rules, first, (0, 0) if first else blinds)
    else:
        state = subject.state.betting
        spent = min(state.spent[0], effective), min(state.spent[1], effective)
        state = state._replace(game=rules, spent=spent)
    blinds_are_bets = first == 0 and blinds[0] != blinds[1]
    base = -1 if first else 0 if blinds_are_bets else blinds[0]
    big_blind = None if subject.big_blind is None else round(subject.big_blind * unit)
    builder = _Builder(rules, menu, 2.0 * subject.dead_chips * unit, max_nodes, big_blind, unit, base, blinds_are_bets)
    tree = builder.build(state, last_street, subject.caller_is_out_of_position)
    if unit > 1:
        tree = replace(tree, contributions=tree.contributions / unit, unit=unit)
    rake = None if subject.rake is None else _rake_chips(tree, subject.rake)
    return replace(tree, rake_chips=rake, big_blind=subject.big_blind)


def _rake_chips(tree: BettingTree, rake: Rake) -> NDArray[np.float64]:
    """Return float64[N]: the rake where the hand ends.  Bets that were not called are not raked."""
    won = 2.0 * tree.contributions.min(axis=1)
    folds = tree.kind == NodeKind.FOLD
    # A player who is all-in before the flop and called sees the flop, so only folds end a hand before it.
    before_the_flop = folds & (tree.street + tree.first_round == 0)
    return np.where(folds | (tree.kind == NodeKind.SHOWDOWN), rake.chips(won, before_the_flop), 0.0)


Open = tuple[BettingState, int, bool]
"""A line of play: its state, its node, and whether the player out of position closed the street before by calling."""


@dataclass
class _Builder:
    """Builds one tree, street by street."""

    game: Game
    menu: BetMenu | None
    dead: float
    max_nodes: int
    big_blind: int | None
    unit: int
    base: int
    """What the totals of the first street are counted from; -1 for what the players had put in before it."""
    blinds_are_bets: bool
    kind: list[int] = field(default_factory=list)
    actor: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    spent: list[tuple[int, int]] = field(default_factory=list)
    action: list[str] = field(default_factory=list)
    action_kind: list[int] = field(default_factory=list)
    action_total: list[int] = field(default_factory=list)
    place: list[int] = field(default_factory=list)
    """Number of actions before a node.  Dealing cards is not an action, so the node after it has the same."""
    on_line: list[bool] = field(default_factory=list)
    """Whether a node is on the line that was really played (``menu.also``)."""

    def build(self, root: BettingState, last_street: int | None, donk: bool) -> BettingTree:
        last = self.game.num_rounds - 1 - root.round
        edge = last if last_street is None else min(max(last_street, 0), last)
        if self.menu is None and self._fewest_nodes(root, root.round + edge) > self.max_nodes:
            raise self._too_large("give the game maxRaises or a stack, end at an earlier street")
        entries: list[Open] = [(root, -1, donk)]
        starts = [0]
        for street in range(edge + 1):
            entries = self._grow_street(root.round + street, entries)
            starts.append(len(self.kind))
            kind = NodeKind.CHANCE if street < edge else NodeKind.SHOWDOWN if edge == last else NodeKind.LEAF
            for _, node, _ in entries:
                self.kind[node] = kind
            self.base, self.blinds_are_bets = -1, False
        return self._finish(root.round, starts)

    def _fewest_nodes(self, root: BettingState, last: int) -> int:
        """Return how many nodes a limit game's tree has at least, up to the round ``last``, without building it.

        Counted are the lines that end a round: if the players raise n times, the first may have come from either one.
        """
        lines, total = {max(root.spent): 1}, 0
        for round_ in range(root.round, last + 1):
            begun = round_ == root.round
            size, cap = self.game.raise_sizes[round_], self.game.max_raises[round_] - (root.raises if begun else 0)
            ended: dict[int, int] = {}
            for spent, count in lines.items():
                for n in range(1 + max(0, min(cap, (self.game.stacks[0] - spent) // size))):
                    ways = 1 if begun or not n else 2
                    ended[spent + n * size] = ended.get(spent + n * size, 0) + ways * count
            lines = ended
            total += sum(lines.values())
            if total > self.max_nodes:
                break
        return total

    def _too_large(self, remedy: str) -> TreeTooLargeError:
        return TreeTooLargeError(
            f"The betting tree has more than {self.max_nodes:,} nodes; {remedy}, or allow more with max_nodes."
        )

    def _grow_street(self, round_index: int, entries: list[Open]) -> list[Open]:
        """Append the nodes of a street.  Return the lines that close it, in the order of their nodes."""
        queue: deque[Open] = deque()
        closed: list[Open] = []
        for state, previous, donk in entries:
            node = self._add(previous, state.spent)
            (closed if state.actor < 0 else queue).append((state, node, donk and state.actor >= 0))
        first_player = self.game.first_player
        caller_leads = first_player[round_index + 1] if round_index + 1 < self.game.num_rounds else None
        while queue:
            state, node, donk = queue.popleft()
            actor = state.actor
            self.kind[node], self.actor[node] = NodeKind.DECISION, actor
            for kind, total, label in self._options(state, node, donk and actor == first_player[round_index]):
                after = state.apply(kind, total)
                total = total if kind == ActionKind.RAISE else after.spent[actor]
                child = self._add(node, after.spent, label, kind, total)
                if after.folded >= 0:
                    self.kind[child], self.actor[child] = NodeKind.FOLD, actor
                elif after.actor < 0 or after.round != round_index:
                    closed.append((after, child, label == "call" and actor == caller_leads))
                else:
                    queue.append((after, child, donk))
        return sorted(closed, key=lambda line: line[1])

    def _options(self, state: BettingState, node: int, donk: bool) -> Iterator[tuple[ActionKind, int, str]]:
        """Yield (kind, total over the hand, label) of each action: fold, check or call, bets ascending."""
        legal = state.legal()
        faced_total = max(state.spent)
        facing = state.spent[state.actor] < faced_total
        if legal.fold and facing:
            yield ActionKind.FOLD, 0, "fold"
        barred = False
        if self.menu is not None and facing and self.blinds_are_bets:
            flat = state.raises > 0 and faced_total < self.game.stacks[0]
            barred = (not self.menu.limp and not state.raises) or (not self.menu.flat and flat)
        played = self._played(node)
        if legal.call and (not barred or played == (None,)):
            yield ActionKind.CALL, 0, "call" if facing else "check"
        if legal.raise_range is None:
            return
        lowest, highest = legal.raise_range
        start = max(state.round_start) if self.base < 0 else self.base
        verb = "raise" if self.blinds_are_bets or state.raises else "bet"
        if self.menu is None:
            yield ActionKind.RAISE, lowest, f"{verb} {amount_text(lowest - start, self.unit)}"
            return
        bet_kind = BetKind.RAISE if verb == "raise" else BetKind.DONK if donk else BetKind.BET
        at = Betting(
            pot=round(self.dead) + 2 * faced_total,
            faced=faced_total - start,
            lowest=lowest - start,
            highest=highest - start,
            raises=state.raises + self.blinds_are_bets,
            streets_left=self.game.num_rounds - state.round,
            big_blind=self.big_blind,
            unit=self.unit,
            place=self.place[node],
            made=played[0] - start if played and played[0] is not None else None,
        )
        for amount in self.menu.amounts(state.round, state.actor, bet_kind, at):
            yield ActionKind.RAISE, amount + start, f"{verb} {amount_text(amount, self.unit)}"

    def _add(self, parent: int, spent: tuple[int, int], label: str = "", kind: int = -1, total: int = 0) -> int:
        node = len(self.kind)
        if node >= self.max_nodes:
            raise self._too_large(
                "offer fewer bet sizes, set raise caps or force_all_in, merge near sizes, end at an earlier street"
            )
        place, on_line = (self.place[parent] + (kind >= 0), self.on_line[parent]) if parent >= 0 else (0, True)
        if on_line and kind >= 0:
            on_line = (self._played(parent) or (None,)) == (total if kind == ActionKind.RAISE else None,)
        self.kind.append(-1)
        self.actor.append(-1)
        self.parent.append(parent)
        self.spent.append(spent)
        self.action.append(label)
        self.action_kind.append(int(kind))
        self.action_total.append(total)
        self.place.append(place)
        self.on_line.append(on_line)
        return node

    def _played(self, node: int) -> tuple[int | None, ...]:
        """Return the total of the bet that was really made at a node, or None for another action; () elsewhere."""
        if self.menu is None or not self.menu.also or not self.on_line[node]:
            return ()
        line = self.menu.also[self.place[node] : self.place[node] + 1]
        return tuple(None if total is None else min(total, self.game.stacks[0]) for total in line)

    def _finish(self, first_round: int, starts: list[int]) -> BettingTree:
        num_streets = len(starts) - 1
        street = np.repeat(np.arange(num_streets, dtype=np.int8), np.diff(starts))
        kind, actor = np.array(self.kind, np.int8), np.array(self.actor, np.int8)
        parent = np.array(self.parent, np.int32)
        num_children = np.bincount(parent[1:], minlength=len(parent)).astype(np.int32)
        # The children of a node are contiguous, in order.
        first_child = np.full(len(parent), -1, np.int32)
        first_child[parent[:0:-1]] = np.arange(len(parent) - 1, 0, -1)
        row_start = np.full(len(kind), -1, np.int32)
        rows = np.zeros((num_streets, 2), np.int32)
        for s in range(num_streets):
            for player in range(2):
                mine = np.flatnonzero((street == s) & (kind == NodeKind.DECISION) & (actor == player))
                ends = np.cumsum(num_children[mine])
                row_start[mine] = ends - num_children[mine]
                rows[s, player] = ends[-1] if len(ends) else 0
        return BettingTree(
            num_streets=num_streets,
            first_round=first_round,
            street_start=np.array(starts, np.int32),
            street=street,
            kind=kind,
            actor=actor,
            parent=parent,
            first_child=first_child,
            num_children=num_children,
            contributions=np.array(self.spent, np.float64).reshape(-1, 2) + self.dead / 2.0,
            action=tuple(self.action),
            action_kind=np.array(self.action_kind, np.int8),
            action_total=np.array(self.action_total, np.int64),
            row_start=row_start,
            rows=rows,
            all_in_total=self.game.stacks[0],
        )
