"""Two nodes side by side: how often each hand takes each action in both, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import class_of_text
from errai.errors import MismatchError
from errai.solutions.node import SolutionNode


@dataclass(frozen=True)
class HandChange:
    """Hands that play alike in both nodes: how each of the two has them play."""

    hands: tuple[str, ...]
    """Hands of one class (AKs, 77) whose strategies are the same to a thousandth."""
    weights: tuple[float, float]
    """How many of them are in the range, in the first node and in the second."""
    strategies: tuple[tuple[float, ...], tuple[float, ...]]
    """Probabilities of the comparison's actions in both nodes."""
    ev_chips: tuple[float, float]
    """EV of each hand in both nodes; NaN if it is not known."""

    @property
    def moved(self) -> float:
        """The probability that is on another action in the second node: half the sum of all differences."""
        return float(np.abs(np.subtract(*self.strategies)).sum()) / 2.0


@dataclass(frozen=True)
class LineChange:
    """A decision that both solutions have: how the range plays there in each of the two."""

    line: str
    player_name: str
    reached: tuple[float, float]
    """How often the line is taken, and these cards are dealt, in the first solution and in the second."""
    actions: tuple[str, ...]
    frequencies: tuple[tuple[float, ...], tuple[float, ...]]
    """How often each action is taken in both; NaN where nothing gets to the node."""

    @property
    def moved(self) -> float:
        """The share of the range that is on another action in the second solution; 0 where one never gets there."""
        return float(np.nan_to_num(np.abs(np.subtract(*self.frequencies))).sum()) / 2.0

    @property
    def weight(self) -> float:
        """By which the most important change is found: how much has moved, by how often the line is taken."""
        return self.moved * sum(self.reached) / 2.0


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two nodes on one board, with the same player to act; made by :func:`compare_nodes`.

    Axes: 2 nodes, the first and the second; A actions of either of them; H hands; 2 players.
    """

    first: SolutionNode
    second: SolutionNode
    actions: tuple[str, ...]
    """The actions of either node: a fold, a check or call, then bets from the smallest."""
    strategies: NDArray[np.float64]
    """float64[2, H, A]: probability of every action; 0 for an action that a node does not have, NaN as in a node."""
    frequencies: NDArray[np.float64]
    """float64[2, A]: how often each action is taken, over all pairs of hands; 0 for one that a node does not have."""
    action_ev: NDArray[np.float64]
    """float64[2, H, A]: EV of each action with every hand; NaN for an action that a node does not have."""
    range_action_ev: NDArray[np.float64]
    """float64[2, A]: EV of each action over the hands that take it; NaN for an action that a node does not have."""

    @property
    def ev(self) -> NDArray[np.float64]:
        """float64[2, 2, H]: EV of every hand by node and player."""
        return np.stack([self.first.ev, self.second.ev])

    @property
    def range_ev(self) -> NDArray[np.float64]:
        """float64[2, 2]: EV of both ranges by node and player."""
        return np.stack([self.first.range_ev, self.second.range_ev])

    @property
    def range_equity(self) -> NDArray[np.float64]:
        """float64[2, 2]: equity of both ranges by node and player."""
        return np.stack([self.first.range_equity, self.second.range_equity])

    def hand_changes(self) -> list[HandChange]:
        """Return the hands of the player to act in the order of how much has changed: moved probability by weight.

        Hands that cannot be held in one of the nodes are left out.  The list is empty if no player acts.
        """
        player = self.first.player
        if player is None:
            return []
        ranges = np.stack([self.first.ranges[player], self.second.ranges[player]])
        held = (ranges > 0.0).all(axis=0) & ~np.isnan(self.strategies).any(axis=(0, 2))
        groups: dict[tuple[str, bytes], list[int]] = {}
        for i in np.flatnonzero(held).tolist():
            alike = np.rint(1000.0 * self.strategies[:, i]).astype(np.int16).tobytes()
            groups.setdefault((class_of_text(self.first.hands[i]), alike), []).append(i)
        evs = self.ev[:, player]
        found = [
            HandChange(
                tuple(self.first.hands[i] for i in members),
                _pair(ranges[:, members].sum(axis=1)),
                _rows(self.strategies[:, members].mean(axis=1)),
                _pair(evs[:, members].mean(axis=1)),
            )
            for members in groups.values()
        ]
        return sorted(found, key=lambda change: -change.moved * sum(change.weights))


def line_changes(first: SolutionNode, second: SolutionNode) -> list[LineChange]:
    """Return the decisions of a street that two solutions share, the most important change first.

    The lines go on from two nodes on one board with the same player to act, by the actions that both have, until cards
    are dealt.  Lines that neither solution takes are left out.

    Examples
    --------
    >>> import errai
    >>> game = errai.load_game("kuhn")
    >>> plain, locked = errai.solve(game, "1mbb"), errai.solve(game, "1mbb", locks={"": {"bet 1": 1}})
    >>> [change.line for change in line_changes(plain.root, locked.root)][0]
    ''
    """
    found: list[LineChange] = []

    def visit(nodes: tuple[SolutionNode, SolutionNode]) -> None:
        one, other = nodes
        if one.player is None or one.player != other.player or max(one.reached, other.reached) <= 0.0:
            return
        actions = _of_either(one, other)
        frequencies = np.stack([_columns(node.frequencies, node, actions, 0.0) for node in nodes])
        reached = (one.reached, other.reached)
        found.append(LineChange(one.line, one.player_name, reached, actions, _rows(frequencies)))
        for action in one.actions:
            if action in other.actions:
                visit((one[action], other[action]))

    visit((first, second))
    return sorted(found, key=lambda change: -change.weight)


def compare_nodes(first: SolutionNode, second: SolutionNode) -> Comparison:
    """Put two nodes side by side; they may be of different solutions, with different bets, ranges and stacks.

    Raises
    ------
    MismatchError
        The nodes have different decks, hands or boards, or another player acts.

    Examples
    --------
    >>> import errai
    >>> game = errai.load_game("kuhn")
    >>> locked = errai.solve(game, "1mbb", locks={"": {"bet 1": 1}})
    >>> found = compare_nodes(errai.solve(game, "1mbb").root, locked.root)
    >>> found.actions, found.frequencies[1].tolist()
    (('check', 'bet 1'), [0.0, 1.0])
    """
    if first.hands != second.hands:
        raise MismatchError("These solutions are of games with different cards, so their hands cannot be compared.")
    if sorted(first.board) != sorted(second.board):
        boards = [node.board_text or "no card" for node in (first, second)]
        raise MismatchError(
            f"The boards differ: {boards[0]} in the first, {boards[1]} in the second. Choose lines that lead to the "
            "same cards."
        )
    if first.player != second.player:
        acting = [node.player_name or "nobody" for node in (first, second)]
        raise MismatchError(
            f"Different players act: {acting[0]} in the first, {acting[1]} in the second. Choose lines on which the "
            "same one does."
        )
    actions = _of_either(first, second)
    nodes = (first, second)
    # What a hand that cannot be held does is not known.
    missing = [np.where(np.isnan(node.strategies).any(axis=1), np.nan, 0.0) for node in nodes]
    strategies = [_columns(n.strategies.T, n, actions, m).T for n, m in zip(nodes, missing, strict=True)]
    return Comparison(
        first,
        second,
        actions,
        np.stack(strategies),
        np.stack([_columns(node.frequencies, node, actions, 0.0) for node in nodes]),
        np.stack([_columns(node.action_ev.T, node, actions, np.nan).T for node in nodes]),
        np.stack([_columns(node.range_action_ev, node, actions, np.nan) for node in nodes]),
    )


def _pair(values: NDArray[np.float64]) -> tuple[float, float]:
    first, second = values.tolist()
    return first, second


def _rows(values: NDArray[np.float64]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    first, second = (tuple(row) for row in values.tolist())
    return first, second


def _of_either(*nodes: SolutionNode) -> tuple[str, ...]:
    """Return the actions of nodes, ordered by the chips that are in the pot after them, as at each node."""
    chips: dict[str, float] = {}
    for node in nodes:
        betting = node.solution.tree.betting
        children = betting.children(node.node) if node.actions else ()
        chips |= {a: float(betting.contributions[c].sum()) for a, c in zip(node.actions, children, strict=True)}
    return tuple(sorted(chips, key=lambda action: chips[action]))


def _columns(
    values: NDArray[np.float64], node: SolutionNode, actions: tuple[str, ...], missing: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the values [A, ..] of a node's actions in the order of ``actions``, with ``missing`` for others."""
    found = np.empty((len(actions), *values.shape[1:]))
    found[:] = missing
    for label, row in zip(node.actions, values, strict=True):
        found[actions.index(label)] = row
    return found
