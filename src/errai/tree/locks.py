"""Node locking: the given strategy of some hands at some decisions, which is not learnt.

:func:`read_locks` parses tables of lines, hands and frequencies to arrays over hands, with precise error messages.
Locks apply to real hands on real cards.  Since a deal tree merges hands and boards that symmetries make equivalent,
:meth:`NodeLocks.kept` tells which symmetries leave the whole set of locks unchanged, and only these are used.  Then the
board that represents an orbit has the same locks as all boards of the orbit, and all hands of a class are locked in the
same way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import hand_cards, hand_index, hand_texts
from errai.cards.range_reader import read_range
from errai.cards.range_writer import write_range
from errai.console import counted
from errai.errors import CardParseError, CardsError, LineError, LockError, RangeParseError
from errai.games.game import Subject
from errai.games.lock_file import EVERY_HAND, LockTables, by_hands
from errai.kernels.layout import BEST, DECISION, FIXED, LEARNS, Locks
from errai.own_code import described
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.deal_tree import DealStreet
from errai.tree.lines import is_deal, steps

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
    """All locks of a tree; made by :func:`read_locks`.  No two lock a hand on the same board."""

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
    def has_best(self) -> bool:
        """Whether some hand has the role BEST."""
        return any((lock.role == BEST).any() for lock in self.locks)

    @property
    def columns(self) -> tuple[NDArray[np.float64], ...]:
        """float64[H] each: the values by which locks distinguish hands on the root's street."""
        first = [lock for lock in self.locks if not lock.dealt]
        return tuple(column for lock in first for column in (lock.role.astype(np.float64), *lock.strategy))

    def next_colours(self, board: Sequence[int]) -> NDArray[np.int64] | None:
        """Return int64[cards left, H]: numbers by which locks distinguish hands on the boards with one card more.

        Two hands on the same board or on two boards have the same number if they have the same locks there.  The result
        is None if nothing is locked after the root's street.
        """
        left = [card for card in range(len(self.cards)) if card not in board]
        found: NDArray[np.int64] | None = None
        for node in dict.fromkeys(lock.node for lock in self.locks if lock.dealt):
            names: dict[bytes, int] = {}
            rows = np.zeros((len(left), len(self.hands)), dtype=np.int64)
            of_lock: dict[int, NDArray[np.int64]] = {}
            for row, card in zip(rows, left, strict=True):
                lock = self.at(node, ((card,),))
                if lock is not None and id(lock) in of_lock:
                    row[:] = of_lock[id(lock)]
                    continue
                # Hands that are not locked have a row of zeros, LEARNS among them.
                columns = np.zeros((len(row), 1)) if lock is None else np.vstack([lock.role, lock.strategy]).T
                row[:] = [names.setdefault(one.tobytes().rstrip(b"\0"), len(names)) for one in columns]
                if lock is not None and None in lock.dealt:
                    of_lock[id(lock)] = row
            found = rows if found is None else _paired(found, rows)
        return found

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
        found = [lock for lock in self._any_card.get(node, ()) if lock.covers(dealt)]
        found += [self._by_place[node, dealt]] if (node, dealt) in self._by_place else []
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

    @cached_property
    def _any_card(self) -> dict[int, list[Lock]]:
        """The locks that apply to several boards, by node."""
        return {node: [lock for lock in here if None in lock.dealt] for node, here in self._at_node.items()}

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

    def with_others(self, others: NodeLocks) -> NodeLocks:
        """Return these locks and others of the same tree.

        Raises :class:`LockError` if both lock the same hand at a decision, on the same board.
        """
        found = dict(self._by_place)
        for place, lock in others._by_place.items():
            mine = found.get(place)
            if mine is None:
                found[place] = lock
                continue
            twice = (mine.role != LEARNS) & (lock.role != LEARNS)
            if twice.any():
                where = f"'{self.line(lock)}'" if self.line(lock) else "the first decision"
                raise LockError(f"{self.hands[int(twice.argmax())]} is locked twice after {where}.")
            role = np.maximum(mine.role, lock.role)
            found[place] = Lock(lock.node, lock.dealt, role, mine.strategy + lock.strategy)
        both = replace(self, locks=tuple(found.values()))
        both.check_once()
        return both

    def check_once(self, source: str | None = None) -> None:
        """Raise :class:`LockError` if two locks lock the same hand on the same board."""
        for here in self._at_node.values():
            # Locks on cards that are all named apply to one board each.
            pairs = ((lock, other) for lock in here if None in lock.dealt for other in here if other is not lock)
            for lock, other in pairs:
                twice = (lock.role != LEARNS) & (other.role != LEARNS)
                if twice.any() and lock.meets(other):
                    raise LockError(
                        f"{self.hands[int(twice.argmax())]} is locked twice at a decision: by a line for any card, and "
                        "by one that names it. Leave the hand out of one of the two.",
                        source=source,
                    )

    # --- as text -----------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the locks as tables, which :func:`read_locks` parses back to the same locks."""
        return {self.line(lock): self.table(lock) for lock in self.locks}

    def line(self, lock: Lock) -> str:
        """Return the line that leads to a lock, with ``*`` for any cards."""
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
        # Fewer hands than a suited class has are written one by one, which is quick: a file of locks may have a hundred
        # thousand entries.
        if len(self.hands) == 1326 and len(chosen) < 4:
            return ",".join(self.hands[i] for i in chosen[::-1].tolist())
        if len(self.hands) == 1326:
            return write_range(np.isin(np.arange(1326), chosen).astype(np.float64))
        return ",".join(self.hands[i] for i in chosen.tolist())


def _paired(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return numbers from 0 that are equal where both arrays are."""
    pairs = first * (int(second.max()) + 1) + second
    return np.asarray(np.unique(pairs, return_inverse=True)[1].reshape(first.shape))


def _deals(boards: NDArray[np.int8], new_cards: Sequence[int]) -> list[tuple[tuple[int, ...], ...]]:
    """Return the cards of each street after the root's, board by board."""
    ends = boards.shape[1] - np.concatenate([[0], np.cumsum(new_cards[::-1])])[::-1].astype(int)
    return [tuple(tuple(board[first:last]) for first, last in pairwise(ends)) for board in boards.tolist()]


def _end_to_end(arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    start = np.concatenate([[0], np.cumsum([len(array) for array in arrays])]).astype(np.int64)
    return start, np.ascontiguousarray(np.concatenate(arrays))


def named_hands(text: str, deck: Deck, cards: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return bool[H]: the hands of a text that names them without weights, which may be more than can be held.

    The text is that of a range, or, in games with another deck, cards such as ``Ks`` or ranks such as ``K``; ``cards``
    are those of every hand, int64[H, k].  Raises :class:`LockError`, whose message is a clause.
    """
    hole_cards = cards.shape[1]
    if (deck, hole_cards) == (FULL_DECK, 2):
        try:
            weights = read_range(text)
        except RangeParseError as error:
            raise LockError(error.message) from None
        if ((weights > 0.0) & (weights < 1.0)).any():
            raise LockError("hands have no weights here; say how often they take each action")
        return weights > 0.0
    found = np.zeros(len(cards), dtype=bool)
    for item in text.replace(",", " ").split():
        ranks = [deck.ranks.find(letter) for letter in item.upper()]
        if len(ranks) == hole_cards and min(ranks) >= 0:
            found |= (np.sort(cards // deck.num_suits, axis=1) == np.sort(ranks)).all(axis=1)
            continue
        try:
            of_item = deck.parse_cards(item)
        except (CardParseError, CardsError) as error:
            raise LockError(f"'{item}' is not a hand: {str(error).rstrip('.')}") from None
        if len(of_item) != hole_cards:
            raise LockError(f"'{item}' is not a hand of {counted(hole_cards, 'card')}")
        found[int(hand_index(np.asarray(of_item, dtype=np.int64)))] = True
    return found


# --- reading ---

TOLERANCE = 1e-6
"""Largest deviation from 1 of a sum of frequencies; they are divided by a sum that is this close."""

Place = tuple[int, Deals]


def read_locks(given: Mapping[str, Any] | LockTables, subject: Subject, betting: BettingTree) -> NodeLocks | None:
    """Parse locks; the result is None if nothing is locked.

    Parameters
    ----------
    given:
        A table for each betting line.  Its keys are hands, written as in a range, and its values are what these hands
        do: the frequency of each action, or ``"best"``.  The key ``"*"`` stands for all other hands.  If a table has
        frequencies in place of hands, they apply to all hands.  A line names the cards that are dealt in it, or ``*``
        for any.
    subject, betting:
        The game, spot or lookahead, and its betting tree.

    Raises
    ------
    LockError
        A line, hand or action does not exist; a hand is not in the range, or is locked twice; frequencies are invalid.
    """
    tables = given if isinstance(given, LockTables) else LockTables(given)
    if not isinstance(tables.tables, Mapping):
        raise tables.error(f"Locks are a table for each line of play, not {described(given)}.", ())
    reader = _Reader(tables, subject, betting)
    for reader.line, table in tables.tables.items():
        reader.read(table)
    return reader.finish() if reader.found else None


class _Reader:
    def __init__(self, tables: LockTables, subject: Subject, betting: BettingTree) -> None:
        game = subject.rules
        self.tables, self.betting, self.board, self.weights = tables, betting, subject.board, subject.weights
        self.deck, self.hole_cards = game.deck, game.num_hole_cards
        self.cards = hand_cards(self.deck.num_cards, self.hole_cards).astype(np.int64)
        self.hands = hand_texts(self.deck, self.hole_cards)
        first = betting.first_round + 1
        self.new_cards = game.num_board_cards[first : first + betting.num_streets - 1]
        self.found: dict[Place, Lock] = {}
        self.actions: dict[tuple[int, str], int] = {}
        """The position of each action that was named at a node; files of locks name a few ones thousands of times."""
        self.line = ""
        """The line whose table is being read."""

    def read(self, table: Any) -> None:
        """Parse the locks at the end of the line."""
        if not isinstance(self.line, str):
            raise LockError(f"A line of locks must be a text such as 'check bet 120', not {self.line!r:.40}.")
        node, dealt = place = self.place()
        table = by_hands(table)
        if not isinstance(table, Mapping) or not table:
            raise self.error(f"a table of hands was expected, not {table!s:.40}")
        for hands in table:
            if not isinstance(hands, str):
                raise self.error(f"hands must be a text such as 'AhKd', not {hands!r:.40}")
        size = int(self.betting.num_children[node]), len(self.cards)
        if place not in self.found:
            self.found[place] = Lock(node, dealt, np.full(size[1], LEARNS, np.uint8), np.zeros(size))
        lock = self.found[place]
        known = [*self.board, *(card for cards in dealt for card in cards or ())]
        # The hands that share no card with the board, as far as its cards are named.
        live = np.asarray(~np.isin(self.cards, known).any(axis=1))
        held = live & (self.weights[int(self.betting.actor[node])] > 0.0)
        named = {hands: self.named(hands, live, held) for hands in table if hands.strip() != EVERY_HAND}
        for hands, chosen in named.items():
            self.put(hands, lock, chosen, table[hands])
        for hands in table:
            if hands not in named:
                free = np.flatnonzero(held & (lock.role == LEARNS))
                if not len(free):
                    raise self.error("'*' stands for all other hands, and there are none", hands)
                self.put(hands, lock, free, table[hands])

    def finish(self) -> NodeLocks:
        """Return all locks.  Raises LockError if two of them lock the same hand on the same board."""
        texts = tuple(self.deck.card_text(c) for c in range(self.deck.num_cards))
        found = NodeLocks(self.betting, self.hands, texts, tuple(self.found.values()))
        found.check_once(self.tables.source)
        return found

    def error(self, message: str, *hands: str) -> LockError:
        """Return an error about the line's table, or about the entry of some hands."""
        where = f"the line '{self.line}'" if self.line.strip() else "the first decision"
        inner = f", {hands[0]}" if hands else ""
        return self.tables.error(f"Locks of {where}{inner}: {message}.", (self.line, *hands))

    # --- lines -------------------------------------------------------------------------------------------------------

    def place(self) -> Place:
        """Return the decision that the line leads to, and the cards that it names."""
        node, betting = 0, self.betting
        dealt: list[tuple[int, ...] | None] = []
        for step in steps(self.line):
            if betting.kind[node] == NodeKind.CHANCE:
                dealt.append(self.deal(step, dealt))
                node = int(betting.first_child[node])
            elif is_deal(step):
                raise self.error(f"no card is dealt at '{step}'")
            else:
                try:
                    node = betting.child(node, step)
                except LineError as error:
                    raise self.error(str(error).rstrip(".")) from None
        if betting.kind[node] == NodeKind.CHANCE:
            raise self.error("the street is closed there; name the cards that come, or * for any, as in '/ * /'")
        if betting.kind[node] != NodeKind.DECISION:
            raise self.error("no player acts there: the hand is over")
        return node, tuple(dealt)

    def deal(self, step: str, dealt: list[tuple[int, ...] | None]) -> tuple[int, ...] | None:
        """Return the cards of a deal that comes after others, ascending; None for any cards."""
        count = self.new_cards[len(dealt)]
        if step == "*":
            return None
        wanted = f"{count} card{'s' if count > 1 else ''} must be dealt at '{step}', or * for any"
        try:
            new = self.deck.parse_cards(step)
        except (CardParseError, CardsError) as error:
            raise self.error(f"{wanted}: {str(error).rstrip('.')}") from None
        if len(new) != count:
            raise self.error(wanted)
        known = {*self.board, *(card for cards in dealt for card in cards or ())}
        if known & set(new):
            raise self.error(f"{step} is on the table already")
        return tuple(sorted(new))

    # --- hands -------------------------------------------------------------------------------------------------------

    def named(self, hands: str, live: NDArray[np.bool_], held: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the hands that a text names, without those that the board blocks."""
        chosen = self.parsed(hands) & live
        if not chosen.any():
            raise self.error("the board leaves none of these hands", hands)
        strange = np.flatnonzero(chosen & ~held)
        if len(strange):
            raise self.error(f"{self.hands[int(strange[0])]} is not in the range of the player who acts", hands)
        return np.flatnonzero(chosen)

    def parsed(self, text: str) -> NDArray[np.bool_]:
        """Return bool[H]: the hands of a text, which may name more hands than are live."""
        try:
            return named_hands(text, self.deck, self.cards)
        except LockError as error:
            raise self.error(error.message.rstrip("."), text) from None

    # --- what they do ------------------------------------------------------------------------------------------------

    def put(self, hands: str, lock: Lock, chosen: NDArray[np.int64], plays: Any) -> None:
        """Lock hands to frequencies or to best responses."""
        twice = chosen[lock.role[chosen] != LEARNS]
        if len(twice):
            raise self.error(f"{self.hands[int(twice[0])]} is locked twice at this decision", hands)
        if plays == "best":
            lock.role[chosen] = BEST
            return
        if not isinstance(plays, Mapping):
            raise self.error(f'how often each action is taken was expected, or "best", not {plays!s:.40}', hands)
        frequencies = np.zeros(len(lock.strategy))
        named = set()
        for label, value in plays.items():
            key = lock.node, str(label)
            if key not in self.actions:
                try:
                    self.actions[key] = self.betting.child(*key) - int(self.betting.first_child[lock.node])
                except LineError as error:
                    raise self.error(str(error).rstrip("."), hands) from None
            action = self.actions[key]
            if action in named:
                raise self.error(f"the action '{label}' occurs twice", hands)
            named.add(action)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                raise self.error(f"'{label}' has the frequency {value!s:.40}; use numbers from 0 to 1", hands)
            frequencies[action] = value
        total = math.fsum(frequencies)
        if abs(total - 1.0) > TOLERANCE:
            raise self.error(f"the frequencies sum to {total:.10g}, not to 1", hands)
        # A sum that is 1 up to rounding is left as it is, so that locks that are written and read again are the same
        # bits.
        if abs(total - 1.0) > 1e-12:
            frequencies /= total
        lock.role[chosen] = FIXED
        lock.strategy[:, chosen] = frequencies[:, None]
