"""Games of the catalogue, spots and lookaheads as games in extensive form: every real hand and board is dealt.

The betting is that of :mod:`errai.tree.betting_tree`.  Payoffs are net chips: in a spot half of the pot counts as put
in by each player.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from errai.cards.strength import strength
from errai.extensive.histories import CHANCE
from errai.extensive.walk import Rules
from errai.games.game import Subject
from errai.games.sizing import BetMenu
from errai.judges.explicit_game import Board, compatible, read_root
from errai.tree.betting_tree import NodeKind, build_betting_tree


class Dealt(NamedTuple):
    """A state: a node of the betting tree with the cards that were dealt; hands are -1 before they are."""

    node: int
    board: Board
    due: int
    """How many cards of the board are dealt next."""
    hands: tuple[int, int]


class Hands(NamedTuple):
    """The first move of chance: the hands of both players, by their numbers."""

    first: int
    second: int


class PokerRules(Rules):
    """Rules of a game, a spot or a lookahead of two players.

    Raises what :func:`build_betting_tree` raises, and :class:`UnsupportedGameError` for a tree that ends before the
    last street.
    """

    num_players = 2

    def __init__(self, subject: Subject, menu: str | None = None) -> None:
        rules = subject.rules
        self.betting = build_betting_tree(subject, None if menu is None else BetMenu.parse(rules.num_rounds, menu))
        self.root = read_root(self.betting, rules, subject.board, subject.given_weights)
        self.title = subject.label
        self._deck, self._ranking = rules.deck, rules.ranking
        self._cards = [tuple(hand) for hand in self.root.hands.tolist()]
        self._texts = [self._deck.cards_text(cards) for cards in self._cards]
        self._kind = self.betting.kind.tolist()
        self._strengths: dict[tuple[Board, int], int] = {}

    def start(self) -> Dealt:
        return Dealt(0, self.root.board, self.root.dealt[0], (-1, -1))

    def player(self, state: Dealt) -> int | None:
        kind = self._kind[state.node]
        if state.hands[0] < 0 or state.due or kind == NodeKind.CHANCE:
            return CHANCE
        return int(self.betting.actor[state.node]) if kind == NodeKind.DECISION else None

    def actions(self, state: Dealt) -> Iterable[Any]:
        if state.hands[0] < 0:
            return self._deals()
        if self.player(state) == CHANCE:
            taken = {*state.board, *self._cards[state.hands[0]], *self._cards[state.hands[1]]}
            free = [card for card in range(self._deck.num_cards) if card not in taken]
            due = state.due or self.root.dealt[int(self.betting.street[state.node]) + 1]
            return [(cards, 1.0 / comb(len(free), due)) for cards in combinations(free, due)]
        return self.betting.actions(state.node)

    def _deals(self) -> list[tuple[Hands, float]]:
        """Return all pairs of hands that can be dealt with their probabilities."""
        first, second = (np.flatnonzero(weights) for weights in self.root.weights)
        fit = compatible(self.root.hands[first], self.root.hands[second])
        weight = self.root.weights[0][first][:, None] * self.root.weights[1][second][None, :] / self.root.mass
        pairs = zip(*np.nonzero(fit), strict=True)
        return [(Hands(int(first[i]), int(second[j])), float(weight[i, j])) for i, j in pairs]

    def chance_text(self, action: Any) -> str:
        """Return a move of chance in words: both hands, or cards of the board."""
        if isinstance(action, Hands):
            return f"{self._texts[action.first]} {self._texts[action.second]}"
        return self._deck.cards_text(action)

    def after(self, state: Dealt, action: Any) -> Dealt:
        if state.hands[0] < 0:
            return state._replace(hands=action)
        if self.player(state) == CHANCE:
            node = state.node if state.due else int(self.betting.first_child[state.node])
            return state._replace(node=node, board=(*state.board, *action), due=0)
        return state._replace(node=self.betting.child(state.node, action))

    def information(self, state: Dealt) -> Hashable:
        hand = self._texts[state.hands[int(self.betting.actor[state.node])]]
        board = self._deck.cards_text(state.board)
        line = " ".join(self.betting.path(state.node))
        return f"{hand}{f' on {board}' if board else ''}{f': {line}' if line else ''}"

    def payoffs(self, state: Dealt) -> Sequence[float]:
        betting, node = self.betting, state.node
        rake = 0.0 if betting.rake_chips is None else float(betting.rake_chips[node])
        if self._kind[node] == NodeKind.FOLD:
            loser = int(betting.actor[node])
            lost = float(betting.contributions[node][loser])
            return (-lost, lost - rake) if loser == 0 else (lost - rake, -lost)
        ranks = [self._strength(state.board, hand) for hand in state.hands]
        if ranks[0] == ranks[1]:
            return (-rake / 2.0, -rake / 2.0)
        loser = int(ranks[0] > ranks[1])
        lost = float(betting.contributions[node][loser])
        return (-lost, lost - rake) if loser == 0 else (lost - rake, -lost)

    def _strength(self, board: Board, hand: int) -> int:
        if (board, hand) not in self._strengths:
            cards = np.array([*self._cards[hand], *board])
            self._strengths[board, hand] = int(strength(cards, self._deck, self._ranking))
        return self._strengths[board, hand]
