"""Node locking: what some hands do at some decisions, given and not learnt.

Locks are of real hands on real cards.  A deal tree merges what suits make equal, so :meth:`NodeLocks.kept` says which
symmetries leave the whole set of locks in place; those are used and no others.  Then the board that stands for an orbit
has the same locks as all boards of the orbit, and the hands of a class are locked alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.range_writer import write_range
from errai.kernels.layout import BEST, DECISION, FIXED, LEARNS, Locks
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.deal_tree import DealStreet

EVERY_HAND = "*"
"""In a table of locks it stands for all hands that are not named otherwise."""

Deals = tuple[tuple[int, ...] | None, ...]
"""The cards of each street after the root's, ascending; None where any may come."""


@dataclass(frozen=True, eq=False)
class Lock:
    """What hands do at one decision node, on one board or on every board that a street may bring."""

    node: int
    """Number in the betting tree."""
    dealt: Deals
    role: NDArray[np.uint8]
    """uint8[H] over all hands of the deck: LEARNS, FIXED or BEST."""
    strategy: NDArray[np.float64]
    """float64[A, H]: what FIXED hands do; 0 for all others."""

    def covers(self, dealt: Deals) -> bool:
        """Whether the lock is for a deal."""
        return all(mine is None or mine == other for mine, other in zip(self.dealt, dealt, strict=True))

    def meets(self, other: Lock) -> bool:
        """Whether two locks of one node are both for some deal."""
        both = list(zip(self.dealt, other.dealt, strict=True))
        cards = [card for mine, theirs in both for card in mine or theirs or ()]
        fit = all(mine is None or theirs is None or mine == theirs for mine, theirs in both)
        return fit and len(set(cards)) == len(cards)


@dataclass(frozen=True, eq=False)
class NodeLocks:
    """All locks of a tree; made by :func:`errai.tree.lock_reader.read_locks`.  No two lock a hand on the same board."""

    betting: BettingTree
    hands: tuple[str, ...]
    """The text of every hand of the deck."""
    cards: tuple[str, ...]
    """The text of every card."""
    locks: tuple[Lock, ...]

    @cached_property
    def _by_place(self) -> dict[tuple[int, Deals], Lock]:
        return {(lock.node, lock.dealt): lock for lock in self.locks}

    @property
    def after_the_root(self) -> bool:
        """Whether something is locked on a street after the root's."""
        return any(lock.dealt for lock in self.locks)

    @property
    def has_best(self) -> bool:
        """Whether some hand responds best by its role."""
        return any((lock.role == BEST).any() for lock in self.locks)

    @property
    def columns(self) -> tuple[NDArray[np.float64], ...]:
        """float64[H] each: what tells hands apart on the root's street."""
        first = [lock for lock in self.locks if not lock.dealt]
        return tuple(column for lock in first for column in (lock.role.astype(np.float64), *lock.strategy))

    def kept(self, card_map: NDArray[np.int64], hand_map: NDArray[np.int64]) -> bool:
        """Whether a symmetry of the deck leaves the set of locks in place."""
        for lock in self.locks:
            dealt = tuple(None if new is None else tuple(sorted(card_map[list(new)].tolist())) for new in lock.dealt)
            image = self._by_place.get((lock.node, dealt))
            if image is None or not np.array_equal(image.role[hand_map], lock.role):
                return False
            if not np.array_equal(image.strategy[:, hand_map], lock.strategy):
                return False
        return True

    def at(self, node: int, dealt: Deals) -> Lock | None:
        """What is locked at a decision on one board: all its locks as one, or None."""
        found = [lock for lock in self._at_node.get(node, ()) if lock.covers(dealt)]
        if len(found) < 2:
            return found[0] if found else None
        # No hand is locked twice, and what is not locked is 0.
        role = np.maximum.reduce([lock.role for lock in found])
        return Lock(node, dealt, role, np.add.reduce([lock.strategy for lock in found]))

    @cached_property
    def _at_node(self) -> dict[int, list[Lock]]:
        found: dict[int, list[Lock]] = {}
        for lock in self.locks:
            found.setdefault(lock.node, []).append(lock)
        return found

    def street_locks(
        self, nodes: NDArray[np.int64], level: DealStreet, new_cards: Sequence[int]
    ) -> tuple[Locks | None, Locks | None]:
        """The locks of some nodes of a street on its boards, for each player, as the kernels take them.

        ``new_cards`` are how many cards each street brought, from the one after the root's to this one.
        """
        kind, actor = self.betting.kind[nodes], self.betting.actor[nodes]
        deals = _deals(level.boards, new_cards)
        found: list[Locks | None] = []
        for p in (0, 1):
            own = nodes[(kind == DECISION) & (actor == p)]
            start, hand = level.hands[p].start, level.hands[p].hand
            at = np.full((len(deals), len(own)), -1, dtype=np.int32)
            roles: list[NDArray[np.uint8]] = []
            strategies: list[NDArray[np.float64]] = []
            for column in np.flatnonzero(np.isin(own, list(self._at_node))):
                for b, dealt in enumerate(deals):
                    lock = self.at(int(own[column]), dealt)
                    held = hand[start[b] : start[b + 1]]
                    if lock is not None and lock.role[held].any():
                        at[b, column] = len(roles)
                        roles.append(lock.role[held])
                        strategies.append(lock.strategy[:, held].ravel())
            found.append(None if not roles else Locks(at.ravel(), *_end_to_end(roles), *_end_to_end(strategies)))
        return found[0], found[1]

    def bytes(self, num_boards: Sequence[int], num_classes: Sequence[tuple[int, int]]) -> int:
        """Memory that :meth:`street_locks` takes on all streets, at most; both arguments are by street."""
        places = [(int(self.betting.street[lock.node]), int(self.betting.actor[lock.node])) for lock in self.locks]
        total = sum(4 * num_boards[s] * len(self.betting.decision_nodes(s, p)) for s, p in set(places))
        for lock, (s, p) in zip(self.locks, places, strict=True):
            classes = num_classes[s][p] if None in lock.dealt else len(lock.role)
            total += classes * (1 + 8 * len(lock.strategy))
        return total

    # --- as text -----------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The locks as tables, from which :func:`errai.tree.lock_reader.read_locks` makes the same ones again."""
        return {self._line(lock): self.table(lock) for lock in self.locks}

    def _line(self, lock: Lock) -> str:
        words: list[str] = []
        node, deals = lock.node, list(lock.dealt)
        while (parent := int(self.betting.parent[node])) >= 0:
            if self.betting.kind[parent] == NodeKind.CHANCE:
                new = deals.pop()
                words.append(f"/ {'*' if new is None else ''.join(self.cards[c] for c in new)} /")
            else:
                words.append(self.betting.action[node])
            node = parent
        return " ".join(reversed(words))

    def table(self, lock: Lock, live: NDArray[np.bool_] | None = None) -> dict[str, Any]:
        """What a lock says: hands, as a text, and how often they take each action, or ``best``.

        With ``live`` (bool[H]) it is told of these hands alone, and where all of them do the same, as ``*``.
        """
        if live is not None and live.any():
            first = int(live.argmax())
            same = (lock.role == lock.role[first]) & (lock.strategy == lock.strategy[:, first, None]).all(axis=0)
            one = same[live].all()
            lock = replace(lock, role=np.where(live, lock.role, np.uint8(LEARNS)))
            found = self.table(lock)
            return dict.fromkeys([EVERY_HAND], next(iter(found.values()))) if one and found else found
        labels = self.betting.actions(lock.node)
        best = np.flatnonzero(lock.role == BEST)
        table: dict[str, Any] = {self._hands(best): "best"} if len(best) else {}
        fixed = np.flatnonzero(lock.role == FIXED)
        columns, of_hand = np.unique(lock.strategy[:, fixed], axis=1, return_inverse=True)
        for i, column in enumerate(columns.T):
            plays = {label: float(p) for label, p in zip(labels, column, strict=True) if p > 0.0}
            table[self._hands(fixed[of_hand.reshape(-1) == i])] = plays
        return table

    def _hands(self, chosen: NDArray[np.int64]) -> str:
        if len(self.hands) == 1326:
            return write_range(np.isin(np.arange(1326), chosen).astype(np.float64))
        return ",".join(self.hands[i] for i in chosen.tolist())


def _deals(boards: NDArray[np.int8], new_cards: Sequence[int]) -> list[tuple[tuple[int, ...], ...]]:
    """The cards of each street after the root's, board by board."""
    ends = boards.shape[1] - np.concatenate([[0], np.cumsum(new_cards[::-1])])[::-1].astype(int)
    return [tuple(tuple(board[first:last]) for first, last in pairwise(ends)) for board in boards.tolist()]


def _end_to_end(arrays: Sequence[NDArray]) -> tuple[NDArray[np.int64], NDArray]:
    start = np.concatenate([[0], np.cumsum([len(array) for array in arrays])]).astype(np.int64)
    return start, np.ascontiguousarray(np.concatenate(arrays))
