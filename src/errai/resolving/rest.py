"""The rest of a game below a public state, with the betting lines of a strategy's tree and in real chips.

A strategy was made with some bet sizes.  The line that led to the state is translated to one of its own, as in
:mod:`errai.strategies.tree_walk`; from there on both players stay in its tree, and its bets are made as shares of the
real pot.  If the chips agree, these are exactly the strategy's own lines.  Where its tree has ended, or the other
player acts there, both check and call.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from errai.games.hand import PublicState, rules_of
from errai.kernels.layout import CHANCE, DECISION, FOLD, SHOWDOWN
from errai.strategies.strategy import Decision
from errai.strategies.tree_walk import OFF_TREE, TreeWalk


@dataclass(frozen=True, eq=False)
class RestStreet:
    """The ``n`` betting nodes of one street: parents before children, siblings next to each other."""

    round: int
    """Round of the game."""
    kind: NDArray[np.int8]
    """int8[n]: DECISION, FOLD, SHOWDOWN, or CHANCE where cards are dealt next."""
    actor: NDArray[np.int8]
    """int8[n]: the player who acts at a DECISION, else -1."""
    parent: NDArray[np.int32]
    """int32[n]; -1 for entries, which come first, in the order of the CHANCE nodes of the street before."""
    first_child: NDArray[np.int32]
    num_children: NDArray[np.int32]
    chips: NDArray[np.float64]
    """float64[n]: chips that player 0 has won at a FOLD, chips that the winner wins at a SHOWDOWN, else 0."""
    num_entries: int
    decisions: tuple[tuple[Decision, ...], tuple[Decision, ...]]
    """By player: the decisions of the strategy that are queried, each once."""
    row: NDArray[np.int32]
    """int32[n]: the first row of a DECISION among those of its actor's ``decisions``; -1 where both only call."""

    def rows(self, player: int) -> int:
        """Return the number of rows of a player's decisions."""
        return sum(len(decision.actions) for decision in self.decisions[player])


@dataclass
class _Street:
    kind: list[int] = field(default_factory=list)
    actor: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    num_children: list[int] = field(default_factory=list)
    chips: list[float] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)


Entry = tuple[PublicState, int]
"""A state, and the node of the strategy's tree to which it is translated."""


def rest_of(walk: TreeWalk, state: PublicState, first_round: int) -> tuple[RestStreet, ...]:
    """Return the lines below a state, street by street to the showdown.

    Parameters
    ----------
    walk:
        The betting tree of the strategy, with the translation of bets.
    state:
        A state after the last action of a street, or at the start of one; no player has folded.  Its cards are not
        read.
    first_round:
        The round of the game with which the lines begin; a state that is all-in may have ended in an earlier one.
    """
    over = state.betting.actor < 0
    entries: list[Entry] = [(state, OFF_TREE if over else walk.node(state))]
    streets = []
    for round_ in range(first_round, rules_of(state.subject).num_rounds):
        street, entries = _grown(walk, round_, entries)
        streets.append(street)
    return tuple(streets)


def _grown(walk: TreeWalk, round_: int, entries: list[Entry]) -> tuple[RestStreet, list[Entry]]:
    """Build one street, and return it with the lines that continue after it."""
    found, queue, exits = _Street(), [], []
    last = round_ == rules_of(entries[0][0].subject).num_rounds - 1

    def add(state: PublicState, asked: int, parent: int) -> None:
        betting = state.betting
        kind, chips = DECISION, 0.0
        if betting.folded >= 0:
            chips = betting.stake_chips + state.dead_chips
            kind, chips = FOLD, -chips if betting.folded == 0 else chips
        elif betting.actor < 0 or betting.round > round_:
            kind = SHOWDOWN if last else CHANCE
            chips = betting.stake_chips + state.dead_chips if last else 0.0
            if not last:
                exits.append((state, asked))
        number = len(found.kind)
        found.kind.append(kind)
        found.actor.append(betting.actor if kind == DECISION else -1)
        found.parent.append(parent)
        found.first_child.append(-1)
        found.num_children.append(0)
        found.chips.append(chips)
        found.asked.append(asked)
        if kind == DECISION:
            queue.append((number, state))

    for state, asked in entries:
        add(state, asked, -1)
    for number, state in queue:
        asked = found.asked[number]
        actions = walk.actions(asked, state)
        children = range(len(actions)) if asked == OFF_TREE else walk.betting.children(asked)
        found.first_child[number], found.num_children[number] = len(found.kind), len(actions)
        for action, child in zip(actions, children, strict=True):
            after = state.ahead(action)
            add(after, OFF_TREE if asked == OFF_TREE else walk.arrived(child, after), number)
    decisions, row = _asked(walk, found)
    return (
        RestStreet(
            round=round_,
            kind=np.array(found.kind, np.int8),
            actor=np.array(found.actor, np.int8),
            parent=np.array(found.parent, np.int32),
            first_child=np.array(found.first_child, np.int32),
            num_children=np.array(found.num_children, np.int32),
            chips=np.array(found.chips),
            num_entries=len(entries),
            decisions=decisions,
            row=row,
        ),
        exits,
    )


def _asked(
    walk: TreeWalk, found: _Street
) -> tuple[tuple[tuple[Decision, ...], tuple[Decision, ...]], NDArray[np.int32]]:
    """Return both players' decisions in the strategy, and the row of each node among those of its actor."""
    decisions: tuple[list[Decision], list[Decision]] = ([], [])
    first: dict[int, int] = {}
    rows = [0, 0]
    row = np.full(len(found.kind), -1, np.int32)
    for number, (kind, actor, asked) in enumerate(zip(found.kind, found.actor, found.asked, strict=True)):
        if kind != DECISION or asked == OFF_TREE:
            continue
        if asked not in first:
            decision = Decision.at(walk.betting, asked)
            decisions[actor].append(decision)
            first[asked] = rows[actor]
            rows[actor] += len(decision.actions)
        row[number] = first[asked]
    return (tuple(decisions[0]), tuple(decisions[1])), row


def kinds_of(decisions: tuple[Decision, ...]) -> NDArray[np.int8]:
    """Return int8[rows]: the :class:`ActionKind` of each row of some decisions."""
    return np.array([kind for decision in decisions for kind in decision.kinds], dtype=np.int8)


def starts_of(decisions: tuple[Decision, ...]) -> NDArray[np.int64]:
    """Return int64[decisions]: the first row of each decision."""
    return np.cumsum([0, *(len(decision.actions) for decision in decisions[:-1])])[: len(decisions)]
