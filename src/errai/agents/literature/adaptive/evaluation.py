"""The value of every action of a decision against a model: the search combined with the cards that may come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import number_of_hand
from errai.agents.literature.adaptive.chances import bucket_chances, check_game, next_boards, two_cards_ahead
from errai.agents.literature.adaptive.histograms import KNOTS, hand_ranks, knot_weights
from errai.agents.literature.adaptive.search import Rule, SearchStreet, SearchTree
from errai.games.game import Game
from errai.tree.betting_tree import BettingTree


@dataclass(frozen=True, eq=False)
class Beliefs:
    """The model's beliefs about the opponent.

    Attributes
    ----------
    shares: float64[N]
        How often the opponent takes the action that leads to each node.
    wins: float64[showdowns, KNOTS]
        The probability to win each showdown (in the order of their nodes) with hand ranks 0, 1/20, ... 1.
    """

    shares: NDArray[np.float64]
    wins: NDArray[np.float64]


class Evaluator:
    """Values of actions for one seat of a limit game.

    Parameters
    ----------
    game:
        A limit game; :class:`UnsupportedGameError` for others.
    tree:
        Its betting tree.
    seat:
        The seat that searches.
    rule:
        How values of the player's own later decisions are computed.
    rivers:
        How many last cards represent all if two cards are to come.
    """

    def __init__(self, game: Game, tree: BettingTree, seat: int, rule: Rule, rivers: int = 8) -> None:
        check_game(game)
        self.game, self.rule, self.rivers = game, rule, rivers
        self.search = SearchTree(tree, seat)
        self._last = game.num_rounds - 1
        self.believe(Beliefs(np.zeros(tree.num_nodes), np.zeros((0, KNOTS))))

    def believe(self, beliefs: Beliefs) -> None:
        """Use another model from now on."""
        self.beliefs = beliefs
        self._final: NDArray[np.float64] | None = None
        self._second: NDArray[np.float64] | None = None

    def values(self, node: int, hole: tuple[int, ...], board: tuple[int, ...]) -> NDArray[np.float64]:
        """Return float64[A]: the value of each action at a decision with a hand, in chips over the whole hand."""
        streets = self.search.below(node)
        round = self._last - len(streets) + 1
        if round == self._last:
            final = np.array([board], dtype=np.int16)
            found = self._ending(streets[0], knot_weights(hand_ranks(self.game, hole, final)))
        elif round == self._last - 1:
            boards = next_boards(self.game, hole, board, self.game.num_board_cards[-1])
            last = self._ending(streets[1], knot_weights(hand_ranks(self.game, hole, boards)))
            found = self._street(streets[0], last[: streets[0].lines.num_exits].mean(axis=1, keepdims=True))
        elif round > 0:
            to_knots = two_cards_ahead(self.game, hole, board, self.rivers)
            middle = self._street(streets[1], self._below(streets[1], self._final_entries()) @ to_knots.T)
            found = self._street(streets[0], middle[: streets[0].lines.num_exits].mean(axis=1, keepdims=True))
        else:
            first = bucket_chances(self.game).first[number_of_hand(hole)]
            found = self._street(streets[0], (self._below(streets[0], self._second_entries()) @ first)[:, None])
        return np.asarray(found[1 : 1 + int(streets[0].lines.num_children[0]), 0])

    def _below(self, street: SearchStreet, entries: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, of values at all entries of the next street, those to which the lines of a street lead."""
        after = street.lines.next_entries
        tree = self.search.tree
        return np.asarray(entries[after - tree.street_start[tree.street[after]]])

    def _street(self, street: SearchStreet, entering: NDArray[np.float64]) -> NDArray[np.float64]:
        return street.values(entering.shape[1], self.beliefs.shares, self.rule, entering=entering)

    def _ending(self, street: SearchStreet, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Evaluate the last street with hand ranks given by the weights of the knots, or at every knot."""
        wins = self.beliefs.wins[street.showdowns]
        if weights is not None:
            wins = wins @ weights
        return street.values(wins.shape[1], self.beliefs.shares, self.rule, wins=wins)

    def _final_entries(self) -> NDArray[np.float64]:
        """Return float64[entries, KNOTS]: values at the last street's entries, for a hand rank at each knot."""
        if self._final is None:
            above, last = self.search.below(0)[-2:]
            self._final = self._ending(last, None)[: above.lines.num_exits]
        return self._final

    def _second_entries(self) -> NDArray[np.float64]:
        """Return float64[entries, B]: values at the second street's entries, for each of its buckets."""
        if self._second is None:
            streets = self.search.below(0)
            values = self._final_entries()
            for i, link in reversed(list(enumerate(bucket_chances(self.game).links, start=1))):
                values = self._street(streets[i], values @ link.T)[: streets[i - 1].lines.num_exits]
            self._second = values
        return self._second
