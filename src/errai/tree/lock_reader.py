"""Parsing locks: from tables of lines, hands and frequencies to arrays over hands, with precise error messages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards, hand_index, hand_texts
from errai.cards.range_reader import read_range
from errai.errors import CardParseError, CardsError, LineError, LockError, RangeParseError
from errai.games.game import Game
from errai.games.lock_file import LockTables
from errai.kernels.layout import BEST, FIXED, LEARNS
from errai.own_code import described
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.lines import is_deal, steps
from errai.tree.locks import EVERY_HAND, Deals, Lock, NodeLocks

TOLERANCE = 1e-6
"""Largest deviation from 1 of a sum of frequencies; they are divided by a sum that is this close."""

Place = tuple[int, Deals]


def read_locks(
    given: Mapping[str, Any] | LockTables,
    game: Game,
    betting: BettingTree,
    board: tuple[int, ...],
    weights: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
) -> NodeLocks | None:
    """Parse locks; the result is None if nothing is locked.

    Parameters
    ----------
    given:
        A table for each betting line.  Its keys are hands, written as in a range, and its values are what these hands
        do: the frequency of each action, or ``"best"``.  The key ``"*"`` stands for all other hands.  If a table has
        frequencies in place of hands, they apply to all hands.  A line names the cards that are dealt in it, or ``*``
        for any.
    game, betting:
        The rules, and the betting tree.
    board, weights:
        The cards at the root, and both ranges as float64[H]; None means any hand.

    Raises
    ------
    LockError
        A line, hand or action does not exist; a hand is not in the range, or is locked twice; frequencies are invalid.
    """
    tables = given if isinstance(given, LockTables) else LockTables(given)
    reader = _Reader(tables, game, betting, board, weights)
    if not isinstance(tables.tables, Mapping):
        raise tables.error(f"Locks are a table for each line of play, not {described(given)}.", ())
    for line, table in tables.tables.items():
        reader.read(line, table)
    return reader.finish() if reader.found else None


class _Reader:
    def __init__(
        self,
        tables: LockTables,
        game: Game,
        betting: BettingTree,
        board: tuple[int, ...],
        weights: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    ) -> None:
        self.tables, self.betting, self.board = tables, betting, board
        self.deck, self.hole_cards = game.deck, game.num_hole_cards
        self.cards = hand_cards(self.deck.num_cards, self.hole_cards).astype(np.int64)
        self.hands = hand_texts(self.deck, self.hole_cards)
        self.weights = (np.ones(len(self.cards)),) * 2 if weights is None else weights
        first = betting.first_round + 1
        self.new_cards = game.num_board_cards[first : first + betting.num_streets - 1]
        self.found: dict[Place, Lock] = {}

    def read(self, line: str, table: Any) -> None:
        """Parse the locks at the end of a line."""
        if not isinstance(line, str):
            raise LockError(f"A line of locks must be a text such as 'check bet 120', not {line!r:.40}.")
        place = self.place(line)
        if isinstance(table, str) or (
            isinstance(table, Mapping) and table and not any(isinstance(v, Mapping | str) for v in table.values())
        ):
            table = {EVERY_HAND: table}
        if not isinstance(table, Mapping) or not table:
            raise self.error(line, (), f"a table of hands was expected, not {table!s:.40}")
        for hands in table:
            if not isinstance(hands, str):
                raise self.error(line, (), f"hands must be a text such as 'AhKd', not {hands!r:.40}")
        size = int(self.betting.num_children[place[0]]), len(self.cards)
        if place not in self.found:
            self.found[place] = Lock(*place, np.full(size[1], LEARNS, np.uint8), np.zeros(size))
        lock = self.found[place]
        named = {hands: self.named(line, hands, place) for hands in table if hands.strip() != EVERY_HAND}
        for hands, chosen in named.items():
            self.put(line, hands, lock, chosen, table[hands])
        for hands in table:
            if hands not in named:
                free = self.live(place) & (self.weights[self.actor(place)] > 0.0) & (lock.role == LEARNS)
                if not free.any():
                    raise self.error(line, (hands,), "'*' stands for all other hands, and there are none")
                self.put(line, hands, lock, np.flatnonzero(free), table[hands])

    def finish(self) -> NodeLocks:
        """Return all locks.  Raises LockError if two of them lock the same hand on the same board."""
        locks = list(self.found.values())
        for i, lock in enumerate(locks):
            for other in locks[:i]:
                if lock.node == other.node and lock.meets(other):
                    twice = (lock.role != LEARNS) & (other.role != LEARNS)
                    if twice.any():
                        hand = self.hands[int(np.flatnonzero(twice)[0])]
                        raise LockError(
                            f"{hand} is locked twice at a decision: by a line for any card, and by one that names it. "
                            "Leave the hand out of one of the two.",
                            source=self.tables.source,
                        )
        texts = tuple(self.deck.card_text(c) for c in range(self.deck.num_cards))
        return NodeLocks(self.betting, self.hands, texts, tuple(locks))

    def error(self, line: str, path: tuple[str, ...], message: str) -> LockError:
        where = f"the line '{line}'" if line.strip() else "the first decision"
        inner = f", {path[0]}" if path else ""
        return self.tables.error(f"Locks of {where}{inner}: {message}.", (line, *path))

    # --- lines -------------------------------------------------------------------------------------------------------

    def place(self, line: str) -> Place:
        """Return the decision that a line leads to, and the cards that it names."""
        node, betting = 0, self.betting
        dealt: list[tuple[int, ...] | None] = []
        for step in steps(line):
            if betting.kind[node] == NodeKind.CHANCE:
                dealt.append(self.deal(line, step, len(dealt), dealt))
                node = int(betting.first_child[node])
            elif is_deal(step):
                raise self.error(line, (), f"no card is dealt at '{step}'")
            else:
                try:
                    node = betting.child(node, step)
                except LineError as error:
                    raise self.error(line, (), str(error).rstrip(".")) from None
        if betting.kind[node] == NodeKind.CHANCE:
            raise self.error(
                line, (), "the street is closed there; name the cards that come, or * for any, as in '/ * /'"
            )
        if betting.kind[node] != NodeKind.DECISION:
            raise self.error(line, (), "no player acts there: the hand is over")
        return node, tuple(dealt)

    def deal(self, line: str, step: str, street: int, dealt: list[tuple[int, ...] | None]) -> tuple[int, ...] | None:
        """Return the cards of a deal, ascending; None for any cards."""
        count = self.new_cards[street]
        if step == "*":
            return None
        wanted = f"{count} card{'s' if count > 1 else ''} must be dealt at '{step}', or * for any"
        try:
            new = self.deck.parse_cards(step)
        except (CardParseError, CardsError) as error:
            raise self.error(line, (), f"{wanted}: {str(error).rstrip('.')}") from None
        if len(new) != count:
            raise self.error(line, (), wanted)
        known = {*self.board, *(card for cards in dealt for card in cards or ())}
        if known & set(new):
            raise self.error(line, (), f"{step} is on the table already")
        return tuple(sorted(new))

    # --- hands -------------------------------------------------------------------------------------------------------

    def actor(self, place: Place) -> int:
        return int(self.betting.actor[place[0]])

    def live(self, place: Place) -> NDArray[np.bool_]:
        """Return bool[H]: the hands that share no card with the board, as far as its cards are named."""
        known = [*self.board, *(card for cards in place[1] for card in cards or ())]
        free: NDArray[np.bool_] = ~np.any(np.isin(self.cards, known), axis=1)
        return free

    def named(self, line: str, hands: str, place: Place) -> NDArray[np.int64]:
        """Return the hands that a text names, without those that the board blocks."""
        chosen = self.parsed(line, hands) & self.live(place)
        if not chosen.any():
            raise self.error(line, (hands,), "the board leaves none of these hands")
        strange = np.flatnonzero(chosen & ~(self.weights[self.actor(place)] > 0.0))
        if len(strange):
            raise self.error(
                line, (hands,), f"{self.hands[int(strange[0])]} is not in the range of the player who acts"
            )
        return np.flatnonzero(chosen)

    def parsed(self, line: str, text: str) -> NDArray[np.bool_]:
        """Return bool[H]: the hands of a text, which may name more hands than are live."""
        if (self.deck, self.hole_cards) == (FULL_DECK, 2):
            try:
                weights = read_range(text)
            except RangeParseError as error:
                raise self.error(line, (text,), error.message.rstrip(".")) from None
            if ((weights > 0.0) & (weights < 1.0)).any():
                raise self.error(line, (text,), "hands have no weights here; say how often they take each action")
            return weights > 0.0
        found = np.zeros(len(self.cards), dtype=bool)
        for item in text.replace(",", " ").split():
            found |= self.item(line, text, item)
        return found

    def item(self, line: str, text: str, item: str) -> NDArray[np.bool_]:
        """Return bool[H]: the hands of one item in a game with another deck: cards such as Ks, or ranks such as K."""
        ranks = [self.deck.ranks.find(letter) for letter in item.upper()]
        if len(ranks) == self.hole_cards and min(ranks) >= 0:
            return np.asarray((np.sort(self.cards // self.deck.num_suits, axis=1) == np.sort(ranks)).all(axis=1))
        try:
            cards = self.deck.parse_cards(item)
        except (CardParseError, CardsError) as error:
            raise self.error(line, (text,), f"'{item}' is not a hand: {str(error).rstrip('.')}") from None
        if len(cards) != self.hole_cards:
            raise self.error(line, (text,), f"'{item}' is not a hand of {self.hole_cards} cards")
        return np.asarray(np.arange(len(self.cards)) == int(hand_index(np.asarray(cards, dtype=np.int64))))

    # --- what they do ------------------------------------------------------------------------------------------------

    def put(self, line: str, hands: str, lock: Lock, chosen: NDArray[np.int64], plays: Any) -> None:
        """Lock hands to frequencies or to best responses."""
        twice = chosen[lock.role[chosen] != LEARNS]
        if len(twice):
            raise self.error(line, (hands,), f"{self.hands[int(twice[0])]} is locked twice at this decision")
        if plays == "best":
            lock.role[chosen] = BEST
            return
        if not isinstance(plays, Mapping):
            raise self.error(
                line, (hands,), f'how often each action is taken was expected, or "best", not {plays!s:.40}'
            )
        frequencies = np.zeros(len(lock.strategy))
        named = set()
        for label, value in plays.items():
            try:
                action = self.betting.child(lock.node, str(label)) - int(self.betting.first_child[lock.node])
            except LineError as error:
                raise self.error(line, (hands,), str(error).rstrip(".")) from None
            if action in named:
                raise self.error(line, (hands,), f"the action '{label}' occurs twice")
            named.add(action)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
                raise self.error(line, (hands,), f"'{label}' has the frequency {value!s:.40}; use numbers from 0 to 1")
            frequencies[action] = value
        total = math.fsum(frequencies)
        if abs(total - 1.0) > TOLERANCE:
            raise self.error(line, (hands,), f"the frequencies sum to {total:.10g}, not to 1")
        # A sum that is 1 up to rounding is left as it is, so that locks that are written and read again are the same
        # bits.
        if abs(total - 1.0) > 1e-12:
            frequencies /= total
        lock.role[chosen] = FIXED
        lock.strategy[:, chosen] = frequencies[:, None]
