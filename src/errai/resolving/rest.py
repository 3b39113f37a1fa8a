"""The rest of a game below a public state, with the betting lines of a strategy's tree and in real chips.

A strategy was made with some bet sizes.  The line that led to the state is translated to one of its own, as in
:mod:`errai.strategies.tree_walk`; from there on both players stay in its tree, and its bets are made as shares of the
real pot.  If the chips agree, these are exactly the strategy's own lines.  Where its tree has ended, or the other
player acts there, both check and call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errai.games.hand import PublicState
from errai.kernels.layout import CHANCE, DECISION, FOLD, SHOWDOWN, StreetLines
from errai.strategies.strategy import Decision
from errai.strategies.tree_walk import OFF_TREE, TreeWalk
from errai.tree.street_lines import end_payoffs


@dataclass(frozen=True, eq=False)
class RestStreet(StreetLines):
    """The betting lines of one street; ``row`` counts among the rows of ``decisions``, -1 where both only call."""

    round: int
    """Round of the game."""
    decisions: tuple[tuple[Decision, ...], tuple[Decision, ...]]
    """By player: the decisions of the strategy that are queried, each once."""


def rest_of(walk: TreeWalk, state: PublicState, first_round: int) -> tuple[RestStreet, ...]:
    """Return the lines below a state, street by street to the showdown.

    At the state a street has ended or begins, and no player has folded; its cards are not read.  The lines begin with
    ``first_round`` of the game; a state that is all-in may have ended in an earlier one.
    """
    entries = [(state, OFF_TREE if state.betting.actor < 0 else walk.node(state))]
    streets = []
    for round_ in range(first_round, state.subject.rules.num_rounds):
        street, entries = _grown(walk, round_, entries)
        streets.append(street)
    return tuple(streets)


def _grown(
    walk: TreeWalk, round_: int, entries: list[tuple[PublicState, int]]
) -> tuple[RestStreet, list[tuple[PublicState, int]]]:
    """Build one street, and return it with the lines that continue after it.

    ``entries`` are states, each with the node of the strategy's tree to which it is translated.
    """
    last = round_ == entries[0][0].subject.rules.num_rounds - 1
    kinds: list[int] = []
    actors: list[int] = []
    stakes: list[float] = []
    lines = [(state, node, -1) for state, node in entries]
    exits = []
    for number, (state, node, _) in enumerate(lines):  # which grows meanwhile
        betting = state.betting
        folded, closed = betting.folded >= 0, betting.actor < 0 or betting.round > round_
        kinds.append(FOLD if folded else DECISION if not closed else SHOWDOWN if last else CHANCE)
        actors.append(betting.folded if folded else -1 if closed else betting.actor)
        stakes.append(state.stake_chips)
        if kinds[-1] == CHANCE:
            exits.append((state, node))
        elif kinds[-1] == DECISION:
            actions = walk.actions(node, state)
            children = range(len(actions)) if node == OFF_TREE else walk.betting.children(node)
            for action, child in zip(actions, children, strict=True):
                after = state.ahead(action)
                lines.append((after, OFF_TREE if node == OFF_TREE else walk.arrived(child, after), number))
    kind, actor = np.array(kinds, np.int8), np.array(actors, np.int8)
    ends = end_payoffs(kind, actor, np.repeat(stakes, 2).reshape(-1, 2))
    street = RestStreet.of(kind, actor, np.array([p for *_, p in lines]), ends, round=round_, decisions=((), ()))
    asked = np.array([node for _, node, _ in lines])
    decisions, row, rows = _decisions(walk, asked, np.where((kind == DECISION) & (asked != OFF_TREE), actor, -1))
    return replace(street, decisions=decisions, row=row, num_rows=rows), exits


def _decisions(
    walk: TreeWalk, asked: NDArray[np.int64], actor: NDArray[np.int8]
) -> tuple[tuple[tuple[Decision, ...], tuple[Decision, ...]], NDArray[np.int32], tuple[int, int]]:
    """Return both players' decisions in the strategy, the row of each node among those of its actor, and their number.

    ``asked`` (int64[n]) are nodes of the strategy's tree; ``actor`` is -1 where nobody is asked.
    """
    decisions: tuple[list[Decision], list[Decision]] = ([], [])
    first: dict[int, int] = {}
    rows = [0, 0]
    row = np.full(len(asked), -1, np.int32)
    for number in np.flatnonzero(actor >= 0).tolist():
        node, player = int(asked[number]), int(actor[number])
        if node not in first:
            decision = Decision.at(walk.betting, node)
            decisions[player].append(decision)
            first[node] = rows[player]
            rows[player] += len(decision.actions)
        row[number] = first[node]
    return (tuple(decisions[0]), tuple(decisions[1])), row, (rows[0], rows[1])


def starts_of(decisions: tuple[Decision, ...]) -> NDArray[np.int64]:
    """Return int64[decisions]: the first row of each decision."""
    return np.cumsum([0, *(len(decision.actions) for decision in decisions[:-1])])[: len(decisions)]
