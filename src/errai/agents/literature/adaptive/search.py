"""Miximax and miximix: the value of every action, by a search of the rest of the hand (Billings et al. 2004).

At the player's own decision the value is that of the best action (miximax), or the mean over a mixture in which better
actions are more likely (miximix); at the opponent's decision it is the mean over the modelled frequencies; where cards
are dealt, the mean over them.  A fold is worth the pot, and a showdown follows from the probability to win there.

The opponent's frequencies depend on the bets alone, so the cards matter only by the hand rank with which the player
would reach a showdown.  The betting tree is walked once from below, all nodes of the same depth at a time, with a
*lane* for each way in which the cards of a street may fall (:mod:`errai.agents.literature.adaptive.chances`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import number_of_hand
from errai.agents.literature.adaptive.chances import (
    KNOTS,
    bucket_chances,
    hand_ranks,
    knot_weights,
    next_boards,
    two_cards_ahead,
)
from errai.errors import UnsupportedGameError
from errai.games.game import Game
from errai.kernels.layout import WIN
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.street_lines import TreeLines, street_lines

Rule = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Computes the values of the player's own decisions, float64[n, L], from those of their actions, float64[n, A, L]."""


def miximax(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the value of the best action."""
    return np.asarray(values.max(axis=1))


def mixture(values: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities of actions proportional to exp(value / temperature); float64[n, A, L] like the values."""
    weights = np.exp((values - values.max(axis=1, keepdims=True)) / temperature)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def miximix(temperature: float) -> Rule:
    """Return the rule of the mean over :func:`mixture`; ``temperature`` is in chips."""

    def rule(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((mixture(values, temperature) * values).sum(axis=1))

    return rule


class SearchStreet:
    """The lines of a street below the root of a search; values have a row for each of their nodes.

    ``seat`` is the player who searches; ``showdowns``, int64[N], numbers the showdowns of the betting tree.
    """

    def __init__(self, lines: TreeLines, seat: int, showdowns: NDArray[np.int64]) -> None:
        self.lines, self.seat = lines, seat
        shown = lines.kind == NodeKind.SHOWDOWN
        self.showdowns = showdowns[lines.nodes[shown]]
        self._stakes = lines.ends[shown, seat, WIN]
        folds = np.flatnonzero(lines.kind == NodeKind.FOLD)
        self._folds, self._fold_chips = folds, lines.ends[folds, seat].sum(axis=1)
        depth = np.zeros(len(lines.nodes), dtype=np.int64)
        for row in range(lines.num_entries, len(depth)):
            depth[row] = depth[lines.parent[row]] + 1
        decisions = np.flatnonzero(lines.kind == NodeKind.DECISION)
        kinds = np.stack([-depth, lines.actor, lines.num_children], axis=1)[decisions]
        self._groups: list[tuple[NDArray[np.int64], NDArray[np.int64], bool]] = []
        """Decisions of one player at the same depth with equally many actions, the deepest first: their rows int64[n],
        those of their children int64[n, A], and whether they are the searcher's own."""
        for key in np.unique(kinds, axis=0).tolist():
            here = decisions[(kinds == key).all(axis=1)]
            children = lines.first_child[here, None].astype(np.int64) + np.arange(key[2])
            self._groups.append((here, children, key[1] == seat))

    def values(self, ends: NDArray[np.float64], shares: NDArray[np.float64], rule: Rule) -> NDArray[np.float64]:
        """Return float64[n, L]: the value of every node of the street to the searcher, in chips over the whole hand.

        Parameters
        ----------
        ends:
            float64[exits, L]: values of the next street's entries, L being in how many ways the cards may have fallen;
            on the last street float64[showdowns, L], the probability to win each showdown.
        shares:
            float64[N]: how often the opponent takes the action to each node.
        rule:
            How values of own decisions are computed.
        """
        found = np.empty((len(self.lines.nodes), ends.shape[1]))
        found[self._folds] = self._fold_chips[:, None]
        if self.lines.num_exits:
            found[self.lines.kind == NodeKind.CHANCE] = ends
        else:
            found[self.lines.kind == NodeKind.SHOWDOWN] = self._stakes[:, None] * (2.0 * ends - 1.0)
        for rows, children, own in self._groups:
            values = found[children]
            found[rows] = rule(values) if own else np.einsum("na,nal->nl", shares[self.lines.nodes[children]], values)
        return found


class Evaluator:
    """Values of actions for one seat of a limit game.

    Parameters
    ----------
    game:
        A game that :func:`~errai.agents.literature.adaptive.chances.check_game` lets pass.
    tree:
        Its betting tree; :class:`UnsupportedGameError` if it is cut, or hands can end by a showdown before its last
        street.
    seat:
        The seat that searches.
    rule:
        How values of the player's own later decisions are computed.
    rivers:
        How many last cards represent all if two cards are to come.
    """

    def __init__(self, game: Game, tree: BettingTree, seat: int, rule: Rule, rivers: int = 8) -> None:
        last = tree.num_streets - 1
        if np.any((tree.kind == NodeKind.LEAF) | ((tree.kind == NodeKind.SHOWDOWN) & (tree.street != last))):
            raise UnsupportedGameError("The search needs a whole betting tree with all showdowns on the last street.")
        self.game, self.tree, self.seat, self.rule, self.rivers = game, tree, seat, rule, rivers
        self._showdowns = np.cumsum(tree.kind == NodeKind.SHOWDOWN) - 1
        self._streets: dict[int, list[SearchStreet]] = {}
        self.believe(np.zeros(tree.num_nodes), np.zeros((0, KNOTS)))

    def believe(self, shares: NDArray[np.float64], wins: NDArray[np.float64]) -> None:
        """Use another model of the opponent from now on.

        ``shares``, float64[N], is how often the opponent takes the action that leads to each node, and ``wins``,
        float64[showdowns, KNOTS], the probability to win each showdown with hand ranks 0, 1/20, ... 1.
        """
        self.shares, self.wins = shares, wins
        self._final: NDArray[np.float64] | None = None
        self._second: NDArray[np.float64] | None = None

    def values(self, node: int, hole: tuple[int, ...], board: tuple[int, ...]) -> NDArray[np.float64]:
        """Return float64[A]: the value of each action at a decision with a hand, in chips over the whole hand."""
        street, *later = self._below(node)
        if not later:
            ends = self._won(street, hole, np.array([board], dtype=np.int16))
        elif len(later) == 1:
            boards = next_boards(self.game, hole, board, self.game.num_board_cards[-1])
            last = self._street(later[0], self._won(later[0], hole, boards))
            ends = last[: street.lines.num_exits].mean(axis=1, keepdims=True)
        elif self.tree.street[node] > 0:
            to_knots = two_cards_ahead(self.game, hole, board, self.rivers)
            middle = self._street(later[0], self._entered(later[0], self._final_entries()) @ to_knots.T)
            ends = middle[: street.lines.num_exits].mean(axis=1, keepdims=True)
        else:
            first = bucket_chances(self.game).first[number_of_hand(hole)]
            ends = (self._entered(street, self._second_entries()) @ first)[:, None]
        found = self._street(street, ends)
        return np.asarray(found[1 : 1 + int(street.lines.num_children[0]), 0])

    def _below(self, root: int) -> list[SearchStreet]:
        """Return the streets from a node on, its own street first; the node has row 0 there."""
        if root not in self._streets:
            streets, entries = [], np.array([root])
            for _ in range(int(self.tree.street[root]), self.tree.num_streets):
                lines = street_lines(self.tree, entries)
                streets.append(SearchStreet(lines, self.seat, self._showdowns))
                entries = lines.next_entries
            self._streets[root] = streets
        return self._streets[root]

    def _street(self, street: SearchStreet, ends: NDArray[np.float64]) -> NDArray[np.float64]:
        return street.values(ends, self.shares, self.rule)

    def _won(self, street: SearchStreet, hole: tuple[int, ...], boards: NDArray[np.int16]) -> NDArray[np.float64]:
        """Return float64[showdowns, B]: the probability to win those of the last street on each final board."""
        return np.asarray(self.wins[street.showdowns] @ knot_weights(hand_ranks(self.game, hole, boards)))

    def _entered(self, street: SearchStreet, entries: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, of values at all entries of the next street, those to which the lines of a street lead."""
        after = street.lines.next_entries
        return np.asarray(entries[after - self.tree.street_start[self.tree.street[after]]])

    def _final_entries(self) -> NDArray[np.float64]:
        """Return float64[entries, KNOTS]: values at the last street's entries, for a hand rank at each knot."""
        if self._final is None:
            above, last = self._below(0)[-2:]
            self._final = self._street(last, self.wins[last.showdowns])[: above.lines.num_exits]
        return self._final

    def _second_entries(self) -> NDArray[np.float64]:
        """Return float64[entries, B]: values at the second street's entries, for each of its buckets."""
        if self._second is None:
            streets, values = self._below(0), self._final_entries()
            for i, link in reversed(list(enumerate(bucket_chances(self.game).links, start=1))):
                values = self._street(streets[i], values @ link.T)[: streets[i - 1].lines.num_exits]
            self._second = values
        return self._second
