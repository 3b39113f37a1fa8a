"""The game as it is really dealt, and a plain check of any strategy profile on it.

This file exists to be different from the solver.  It shares the betting tree and the cards with it and nothing else:
every real board and every real hand is dealt, without suit isomorphism, without the deal tree and without the kernels.
A mistake in those cannot occur here too.

An information set is (betting node, board so far, own hand); the cards of one round are a set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.cards.hands import hand_cards
from errai.cards.strength import strength
from errai.errors import CardsError, StrategyError, UnsupportedGameError
from errai.games.game import Game
from errai.own_code import numbers_of
from errai.tree.betting_tree import BettingTree, NodeKind

Board = tuple[int, ...]
Floats = NDArray[np.float64]
#: Probabilities of the actions at (betting node, board, hand index), in the order of the node's children.
Behaviour = Mapping[tuple[int, Board, int], ArrayLike]
Strategy = Behaviour | Callable[[int, Board, int], ArrayLike]

_STRATEGY_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Root:
    """The game before the first action: both players' possible hands, and how many cards each street deals."""

    game: Game
    hands: NDArray[np.int16]
    """int16[H, k]: the cards of every hand of the deck, in hand-index order."""
    weights: tuple[Floats, Floats]
    """Per player float64[H], 0 for hands that share a card with the board."""
    board: Board
    """The cards known at the root."""
    dealt: tuple[int, ...]
    """The number of cards dealt on entering each street; those of street 0 come before the first action."""
    mass: float
    """The sum of the products of the weights of all pairs of hands that share no card."""

    def deal_count(self, street: int, hands_out: int) -> int:
        """Return in how many ways the boards of a street can be dealt, if so many private hands are known."""
        left = self.game.deck.num_cards - len(self.board) - hands_out * self.hands.shape[1]
        before = [sum(self.dealt[:s]) for s in range(street + 1)]
        return prod(comb(left - out, cards) for out, cards in zip(before, self.dealt, strict=False))


def compatible(first: NDArray[np.int16], second: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return bool[len(first), len(second)]: which hands share no card."""
    return np.asarray(~(first[:, None, :, None] == second[None, :, None, :]).any(axis=(2, 3)))


def read_root(betting: BettingTree, game: Game, board: Iterable[int], ranges: tuple[Any, Any] | None) -> Root:
    """Return the game before the first action; parameters and errors as for :func:`evaluate_profile`."""
    deck = game.deck
    cards = tuple(int(card) for card in board)
    if len(set(cards)) != len(cards) or any(not 0 <= card < deck.num_cards for card in cards):
        raise CardsError(
            f"The board {cards} repeats a card or leaves the deck of {deck.num_cards}; give distinct cards."
        )
    if (np.asarray(betting.kind) == NodeKind.LEAF).any():
        raise UnsupportedGameError(
            "The betting tree stops before the last street; build it to the end for an exact solution."
        )
    last = betting.first_round + betting.num_streets
    expected = sum(game.num_board_cards[: betting.first_round + 1])
    if len(cards) not in (0, expected):
        raise CardsError(
            f"The board has {len(cards)} cards, but round {betting.first_round + 1} of {game.name} is played"
            f" with {expected}; give those, or none to deal them."
        )
    dealt = (expected - len(cards), *game.num_board_cards[betting.first_round + 1 : last])
    hands = hand_cards(deck.num_cards, game.num_hole_cards)
    free = ~np.isin(hands, cards).any(axis=1)
    weights = []
    for player in (0, 1):
        given = None if ranges is None else ranges[player]
        what = f"The weights of the range of player {player}"
        vector = np.ones(len(hands)) if given is None else getattr(given, "weights", given)
        vector = numbers_of(vector, what, (len(hands),), low=0.0, error=StrategyError)
        weights.append(np.where(free, vector, 0.0))
    live = [np.flatnonzero(w) for w in weights]
    pairs = compatible(hands[live[0]], hands[live[1]])
    mass = float(weights[0][live[0]] @ pairs @ weights[1][live[1]])
    if not mass > 0:
        raise StrategyError("The ranges leave no pair of hands that can be dealt together; widen one of them.")
    return Root(game, hands, (weights[0], weights[1]), cards, dealt, mass)


def action_probabilities(strategy: Strategy, key: tuple[int, Board, int], num_actions: int) -> Floats:
    """Return the checked action probabilities at one information set, float64[actions] with sum 1."""
    node, board, hand = key
    try:
        given = strategy(node, board, hand) if callable(strategy) else strategy[key]
    except KeyError as error:
        raise StrategyError(
            f"The strategy has nothing for hand {hand} on board {board} at betting node {node}; give every"
            " hand that can be held."
        ) from error
    chosen = np.array(given, dtype=np.float64)
    if chosen.shape == (num_actions,):
        total = float(chosen.sum())
        if chosen.min() >= 0 and abs(total - 1) <= _STRATEGY_TOLERANCE:
            return chosen / total
    raise StrategyError(
        f"The strategy for hand {hand} on board {board} at betting node {node} is {chosen}; {num_actions}"
        " probabilities with sum 1 are needed."
    )


@dataclass(frozen=True)
class ProfileEvaluation:
    """The value and exploitability of a pair of strategies, all in net chips on average over the deal.

    Attributes
    ----------
    values:
        The winnings of each player if both play as given.
    best_responses:
        The winnings of each player with a best response to the other player.
    """

    values: tuple[float, float]
    best_responses: tuple[float, float]

    @property
    def value(self) -> float:
        """Player 0's winnings."""
        return self.values[0]

    @property
    def gains(self) -> tuple[float, float]:
        """The gain of each player by a best response."""
        return self.best_responses[0] - self.values[0], self.best_responses[1] - self.values[1]

    @property
    def nash_conv(self) -> float:
        """The sum of both gains."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float:
        """Half the sum of both gains."""
        return self.nash_conv / 2


def uniform_strategy(betting: BettingTree) -> Callable[[int, Board, int], Floats]:
    """Return the strategy that plays every action of a node equally often, for both players."""
    return lambda node, board, hand: np.full(int(betting.num_children[node]), 1.0 / betting.num_children[node])


def evaluate_profile(
    betting: BettingTree,
    game: Game,
    strategies: Sequence[Strategy],
    *,
    board: Iterable[int] = (),
    ranges: tuple[Any, Any] | None = None,
    rake: Callable[[int], float] | None = None,
    locked: Callable[[int, Board, int], bool] | None = None,
) -> ProfileEvaluation:
    """Evaluate two behaviour strategies by plain recursion over the real game tree, hand against hand.

    This is slow on purpose: it takes one own hand at a time, keeps the opponent's reach in a dictionary, and deals
    every board in turn.  It checks both the solver's walk and the sequence form, and shares no array code with either.

    Parameters
    ----------
    betting, game, board, ranges:
        As for :func:`sequence_form_lp`.
    strategies:
        For each player a mapping from (betting node, board, hand index) to probabilities in the order of the node's
        children, or a function of the same three.  Sums may be off by 1e-5 (a strategy stored in float32).
    rake:
        Chips that the house takes of the pot at a betting node where the hand ends: the winner pays them, and players
        who tie pay half each.
    locked:
        Whether a best response must also keep the strategies' probabilities at (betting node, board, hand index).

    Raises
    ------
    StrategyError
        A strategy lacks an information set, or is not a distribution there.
    CardsError, UnsupportedGameError
        As for :func:`sequence_form_lp`.
    """
    root = read_root(betting, game, board, ranges)
    walk = _PlainWalk(betting, root, rake or (lambda node: 0.0))
    free = lambda node, board, hand: False  # noqa: E731
    every = lambda node, board, hand: True  # noqa: E731
    values, best = (
        tuple(walk.value(p, strategies[p], strategies[1 - p], kept) for p in (0, 1)) for kept in (every, locked or free)
    )
    return ProfileEvaluation((values[0], values[1]), (best[0], best[1]))


class _PlainWalk:
    """One player's expected winnings against a fixed opponent, with best responses where nothing is kept."""

    def __init__(self, betting: BettingTree, root: Root, rake: Callable[[int], float]) -> None:
        self.betting = betting
        self.rake = rake
        self.root = root
        self.cards = [frozenset(int(card) for card in hand) for hand in root.hands]
        self.strengths: dict[tuple[Board, int], int] = {}
        self.chosen: dict[tuple[int, Board, int], Floats] = {}

    def value(self, player: int, own: Strategy, other: Strategy, kept: Callable[[int, Board, int], bool]) -> float:
        self.player, self.own, self.other, self.kept = player, own, other, kept
        mine, theirs = self.root.weights[player], self.root.weights[1 - player]
        total = 0.0
        for hand in np.flatnonzero(mine):
            reach = {
                int(h): float(mine[hand] * theirs[h] / self.root.mass)
                for h in np.flatnonzero(theirs)
                if not self.cards[h] & self.cards[hand]
            }
            total += self._deal(0, 0, self.root.board, int(hand), reach)
        return total

    def _deal(self, node: int, street: int, board: Board, hand: int, reach: dict[int, float]) -> float:
        """Return the value of entering a street, where all possible sets of cards are equally likely."""
        count = self.root.dealt[street]
        free = sorted(set(range(self.root.game.deck.num_cards)) - set(board) - self.cards[hand])
        ways = comb(len(free) - self.root.hands.shape[1], count)
        total = 0.0
        for new in combinations(free, count):
            left = {h: weight / ways for h, weight in reach.items() if not self.cards[h] & set(new)}
            if left:
                total += self._node(node, (*board, *new), hand, left)
        return total

    def _node(self, node: int, board: Board, hand: int, reach: dict[int, float]) -> float:
        tree = self.betting
        kind, first = NodeKind(int(tree.kind[node])), int(tree.first_child[node])
        children = range(first, first + int(tree.num_children[node]))
        if kind == NodeKind.CHANCE:
            return self._deal(first, int(tree.street[first]), board, hand, reach)
        if kind == NodeKind.FOLD:
            loser = int(tree.actor[node])
            net = float(tree.contributions[node][loser])
            return sum(reach.values()) * (-net if loser == self.player else net - self.rake(node))
        if kind == NodeKind.SHOWDOWN:
            own = self._strength(board, hand)
            lose, win = (float(tree.contributions[node][p]) for p in (self.player, 1 - self.player))
            total, rake = 0.0, self.rake(node)
            for h, weight in reach.items():
                rank = self._strength(board, h)
                total += weight * (win - rake if own > rank else -lose if own < rank else -rake / 2)
            return total
        if tree.actor[node] == self.player:
            values = [self._node(child, board, hand, reach) for child in children]
            if not self.kept(node, board, hand):
                return max(values)
            return float(self._plays(self.own, (node, board, hand), len(children)) @ values)
        chosen = {h: self._plays(self.other, (node, board, h), len(children)) for h in reach}
        return sum(
            self._node(child, board, hand, {h: weight * float(chosen[h][a]) for h, weight in reach.items()})
            for a, child in enumerate(children)
        )

    def _plays(self, strategy: Strategy, key: tuple[int, Board, int], num_actions: int) -> Floats:
        if key not in self.chosen:
            self.chosen[key] = action_probabilities(strategy, key, num_actions)
        return self.chosen[key]

    def _strength(self, board: Board, hand: int) -> int:
        if (board, hand) not in self.strengths:
            cards = np.array([*sorted(self.cards[hand]), *board])
            self.strengths[board, hand] = int(strength(cards, self.root.game.deck, self.root.game.ranking))
        return self.strengths[board, hand]
