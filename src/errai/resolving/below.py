"""What stands below a lookahead that is cut: the seam between a player who re-solves and whatever values the rest.

Continual re-solving (Moravčík et al., "DeepStack: expert-level artificial intelligence in heads-up no-limit poker",
Science 356, 2017) solves the street that is being played and takes the rest from elsewhere: in DeepStack from value
networks, here from exact solves, continuations of a blueprint, or networks.  Two questions are asked.  While the
lookahead is solved: what are its leaves worth, given what both players bring there?  And when the cards have been
dealt: what are the opponent's hands worth on this very board, so that he can be held to it?
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.engine.leaf_values import LeafValues
from errai.engine.root import GivenReach
from errai.engine.schedules import Schedule
from errai.games.betting import ActionKind
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead, lookahead
from errai.games.sizing import BetMenu
from errai.kernels.layout import BEST, LEAF
from errai.resolving.oracle import ACCURACY, ALONGSIDE, MOST_ITERATIONS, ExactLeafValues
from errai.solutions.node import SolutionNode
from errai.solutions.node_board import NodeSource
from errai.solving.solve import solve
from errai.strategies.strategy import live_hands
from errai.tree.deal_tree import DealHands
from errai.tree.public_tree import PublicTree

REMEMBERED_BYTES = 1 << 30
"""Strategies below lookaheads that are kept; those made last stay."""

REMEMBERED_SOLUTIONS = 100
"""Solutions that are kept where something was solved for a board's values alone."""

SAME_RANGE = 1e-6
"""How far a range may be from that of a lookahead's strategy, as a share of its greatest weight, to be the same."""

Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""float64[H] by seat, over all hands of the deck in hand-index order: weights of any scale, 0 for dead hands."""


class Below(Protocol):
    """Whoever says what the rest of the game is worth below a lookahead that is cut at the end of a street."""

    name: str
    """Whose values they are, for people and files."""

    def leaf_values(self, lookahead: Lookahead, player: int | None = None) -> LeafValues:
        """What stands below the leaves of a lookahead; made anew for each, so that it may learn with its trunk.

        ``player`` is who is solved again, by default who acts at the root: what stands below may treat him and his
        opponent differently.
        """

    def values(
        self, state: PublicState, ranges: Ranges, player: int, above: NodeSource | None = None
    ) -> NDArray[np.float64]:
        """float64[H]: a player's counterfactual values on a new street, where the cards are dealt and nobody has acted.

        ``above`` holds the solution of the lookahead that ends where the cards were dealt, if one led here.

        Net chips over the whole hand (half of a spot's pot counts as put in), summed over the other player's hands
        that share no card with the own one and weighted by the other one's range as it is given, never normalised:
        scaling that range by c scales the values by c.  0 for hands that hold a card of the board.
        """


class ExactLeaves:
    """Oracle leaves: below a lookahead that is cut stand exact solves of the rest of the game.

    :meth:`leaf_values` are :class:`~errai.resolving.oracle.ExactLeafValues`.  What was learnt below a lookahead is
    kept, and :meth:`values` looks there first: on a board that follows a leaf of the lookahead above, if it has one
    street and the other player brings what its strategy brings, the values are those of a best response to the strategy
    that was learnt below it.  With these the opponent is held to what the lookahead was solved for (CFR-D).

    Anywhere else the rest of the game is solved for the ranges that are given, with nothing above.  These values are
    a solution's for these ranges; there may be many, and they need not be those that a strategy above rests on.

    Parameters
    ----------
    menu:
        Bet sizes of a no-limit game where the rest is solved for ranges that no lookahead has; by default those of
        :func:`errai.lookahead`.
    accuracy:
        What a player could gain at a leaf at most, as a fraction of the pot there, when a solve ends.
    max_iterations:
        Where a solve ends otherwise.
    alongside:
        As for :class:`~errai.resolving.oracle.ExactLeafValues`.
    threads:
        Of the kernels.
    """

    name = "exact"

    def __init__(
        self,
        menu: BetMenu | None = None,
        accuracy: float = ACCURACY,
        max_iterations: int = MOST_ITERATIONS,
        alongside: int = ALONGSIDE,
        threads: int = 1,
    ) -> None:
        self.menu = menu
        self.accuracy = accuracy
        self.max_iterations = max_iterations
        self.alongside = alongside
        self.threads = threads
        self._made: list[ExactLeafValues] = []
        self._solved: OrderedDict[tuple[object, ...], SolutionNode] = OrderedDict()

    def leaf_values(self, lookahead: Lookahead, player: int | None = None) -> ExactLeafValues:
        """What stands below a lookahead; see :class:`Below`.  Both players are treated alike."""
        made = ExactLeafValues(None, self.accuracy, self.max_iterations, self.alongside, self.threads)
        self._made.append(made)
        while len(self._made) > 1 and sum(leaves.bytes for leaves in self._made) > REMEMBERED_BYTES:
            del self._made[0]
        return made

    def values(
        self, state: PublicState, ranges: Ranges, player: int, above: NodeSource | None = None
    ) -> NDArray[np.float64]:
        """See :class:`Below` and :class:`ExactLeaves`; errors as :func:`errai.lookahead` and :func:`errai.solve`."""
        for leaves in self._made:
            if above is None or leaves.trunk is not above.tree:
                continue
            found = values_below(leaves, state, ranges[1 - player], player)
            if found is not None:
                return found
        digest = sha256(b"".join(np.ascontiguousarray(r, dtype=np.float64).tobytes() for r in ranges)).digest()
        key = (state.actions, state.board, digest)
        node = self._solved.get(key)
        if node is None:
            node = self._solved[key] = self._solve(state, ranges)
            if len(self._solved) > REMEMBERED_SOLUTIONS:
                self._solved.popitem(last=False)
        return np.nan_to_num(node.counterfactual(player, best=True))

    def _solve(self, state: PublicState, ranges: Ranges) -> SolutionNode:
        """The rest of the game for these ranges; every hand that is live has a value, whether it is held or not."""
        live = live_hands(state).astype(np.float64)
        rest = lookahead(state.subject, state, (live, live), None, menu=self.menu)
        target = f"{100.0 * self.accuracy / 2.0!r}%pot"  # exploitability is the mean of what both gain
        return solve(
            rest,
            target,
            gadget=_Given((live * ranges[0], live * ranges[1])),
            max_iterations=self.max_iterations,
            precision="float64",
            threads=self.threads,
        ).root


@dataclass(frozen=True, eq=False)
class _Given:
    """Ranges that enter a tree which has every hand that is live."""

    ranges: Ranges

    @property
    def apart(self) -> Ranges:
        """See :class:`errai.engine.root.Gadget`."""
        return self.ranges

    def root(self, tree: PublicTree, schedule: Schedule) -> GivenReach:
        """See :class:`errai.engine.root.Gadget`."""
        return GivenReach(tree, self.ranges)


def values_below(
    leaves: ExactLeafValues, state: PublicState, own: NDArray[np.float64], player: int
) -> NDArray[np.float64] | None:
    """float64[H]: what a player is worth on a new street if he responds best to what was learnt below a lookahead.

    The values are weighted by ``own``, float64[H] of any scale, which the other player brings.  None where the cards
    do not lead to the state from a leaf of the lookahead, or its strategy brings another range there.
    """
    trunk, strategy = leaves.trunk, leaves.continuation
    if trunk is None or strategy is None or leaves.arrived is None or not isinstance(trunk.subject, Lookahead):
        return None
    leaf = leaf_at(trunk, trunk.subject, state)
    if leaf is None:
        return None
    below, cards = leaves.rest.tree.deal, trunk.root.hands
    dealt = tuple(sorted(state.board[len(trunk.subject.board) :]))
    board, onto = below.find(1, 0, dealt)
    edge = trunk.deal.streets[0].hands[1 - player]
    brought = leaves.arrived[1 - player].reshape(-1, int(edge.start[-1]))[leaf]
    live = live_hands(state)
    here = np.where(live, _in_hands(edge, 0, brought, np.arange(len(cards))), 0.0)
    if not own.any() or not here.any():
        return None
    scale = float(own.sum() / here.sum())
    if not np.allclose(scale * here, own, rtol=SAME_RANGE, atol=SAME_RANGE * float(own.max())):
        return None
    theirs = below.streets[1].hands[1 - player]
    parents = theirs.parent[int(theirs.start[board]) : int(theirs.start[board + 1])]
    entering = np.zeros((trunk.arrays.streets[0].num_leaves, len(parents)))
    entering[leaf] = scale * brought[parents]
    values = leaves.rest.kernel.board_values(strategy, player, 1, board, entering, role=BEST)[leaf]
    images = hand_index(np.sort(onto[cards], axis=1)).astype(np.int64)
    return np.where(live, _in_hands(below.streets[1].hands[player], board, values, images), 0.0)


def leaf_at(trunk: PublicTree, subject: Lookahead, state: PublicState) -> int | None:
    """Which leaf of a trunk of one street is where the actions before the state's street end; None for none."""
    betting, node, before = trunk.betting, 0, len(subject.state.line)
    if (
        betting.num_streets != 1
        or state.line[:before] != subject.state.line
        or state.board[: len(subject.board)] != subject.board
        or state.betting.round != subject.first_round + 1
        or state.actions[-1]
    ):
        return None
    for action in state.line[before:]:
        total = min(action.total, betting.all_in_total) if action.kind == ActionKind.RAISE else 0
        for child in betting.children(node):
            if betting.action_kind[child] == action.kind and (
                action.kind != ActionKind.RAISE or betting.action_total[child] == total
            ):
                node = child
                break
        else:
            return None
    leaves = np.flatnonzero(betting.kind == LEAF)
    found = np.flatnonzero(leaves == node)
    return int(found[0]) if len(found) else None


def _in_hands(
    hands: DealHands, board: int, values: NDArray[np.float64], images: NDArray[np.int64]
) -> NDArray[np.float64]:
    """float64[H]: numbers of the classes of a board for every hand, by its image there; 0 for hands without a class."""
    first, last = int(hands.start[board]), int(hands.start[board + 1])
    starts = hands.member_start[first : last + 1]
    found = np.zeros(len(images))
    found[hands.member[starts[0] : starts[-1]]] = np.repeat(values, np.diff(starts))
    return found[images]
