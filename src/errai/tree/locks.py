"""Node locking: the given strategy of some hands at some decisions, which is not learnt.

Locks apply to real hands on real cards.  Since a deal tree merges hands and boards that symmetries make equivalent,
:meth:`NodeLocks.kept` tells which symmetries leave the whole set of locks unchanged, and only these are used.  Then the
board that represents an orbit has the same locks as all boards of the orbit, and all hands of a class are locked in the
same way.
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
"""The key for all hands that a table of locks does not name otherwise."""

Deals = tuple[tuple[int, ...] | None, ...]
"""The cards of each street after the root's, ascending; None for any cards."""


@dataclass(frozen=True, eq=False)
class Lock:
    """The given behaviour of hands at one decision node, on one board or on every board of a street."""

    node: int
    """The node's number in the betting tree."""
    dealt: Deals
    role: NDArray[np.uint8]
    """uint8[H] over all hands of the deck: LEARNS, FIXED or BEST."""
    strategy: NDArray[np.float64]
    """float64[A, H]: the strategy of FIXED hands; 0 for all others."""

    def covers(self, dealt: Deals) -> bool:
        """Return whether the lock applies to a deal."""
        return all(mine is None or mine == other for mine, other in zip(self.dealt, dealt, strict=True))

    def meets(self, other: Lock) -> bool:
        """Return whether there is a deal to which two locks of one node both apply."""
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
        """Whether some hand has the role BEST."""
        return any((lock.role == BEST).any() for lock in self.locks)

    @property
    def columns(self) -> tuple[NDArray[np.float64], ...]:
        """float64[H] each: the values by which locks distinguish hands on the root's street."""
        first = [lock for lock in self.locks if not lock.dealt]
        return tuple(column for lock in first for column in (lock.role.astype(np.float64), *lock.strategy))

    def kept(self, card_map: NDArray[np.int64], hand_map: NDArray[np.int64]) -> bool:
        """Return whether a symmetry of the deck leaves the set of locks unchanged."""
        for lock in self.locks:
            dealt = tuple(None if new is None else tuple(sorted(card_map[list(new)].tolist())) for new in lock.dealt)
            image = self._by_place.get((lock.node, dealt))
            if image is None or not np.array_equal(image.role[hand_map], lock.role):
                return False
            if not np.array_equal(image.strategy[:, hand_map], lock.strategy):
                return False
        return True

    def at(self, node: int, dealt: Deals) -> Lock | None:
        """Return the locks at a decision on one board, combined into one, or None."""
        found = [lock for lock in self._at_node.get(node, ()) if lock.covers(dealt)]
        if len(found) < 2:
            return found[0] if found else None
        # No hand is locked twice, and entries that are not locked are 0, so roles and strategies can be combined.
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
        """Return the locks of some nodes of a street on its boards, for each player, as the kernels take them.

        ``new_cards`` has the number of cards dealt at each street, from the one after the root's to this one.
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
        """Return a bound of the memory that :meth:`street_locks` takes; both arguments are by street."""
        places = [(int(self.betting.street[lock.node]), int(self.betting.actor[lock.node])) for lock in self.locks]
        total = sum(4 * num_boards[s] * len(self.betting.decision_nodes(s, p)) for s, p in set(places))
        for lock, (s, p) in zip(self.locks, places, strict=True):
            classes = num_classes[s][p] if None in lock.dealt else len(lock.role)
            total += classes * (1 + 8 * len(lock.strategy))
        return total

    # --- as text -----------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the locks as tables, which :func:`errai.tree.lock_reader.read_locks` parses back to the same locks."""
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
        """Return a lock as a table: hands, as text, with the frequency of each action or ``best``.

        With ``live`` (bool[H]) the table is limited to these hands, and if all of them do the same, their key is ``*``.
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
    """Return the cards of each street after the root's, board by board."""
    ends = boards.shape[1] - np.concatenate([[0], np.cumsum(new_cards[::-1])])[::-1].astype(int)
    return [tuple(tuple(board[first:last]) for first, last in pairwise(ends)) for board in boards.tolist()]


def _end_to_end(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    start = np.concatenate([[0], np.cumsum([len(array) for array in arrays])]).astype(np.int64)
    return start, np.ascontiguousarray(np.concatenate(arrays))
