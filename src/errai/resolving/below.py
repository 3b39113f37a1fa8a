"""The values below a lookahead that is cut: what a re-solving player asks of them, and exact solves as one kind.

Continual re-solving (Moravčík et al., "DeepStack", Science 356, 2017) solves the current street and takes the values of
the rest of the game from elsewhere: exact solves, continuations of a blueprint, or networks.  While the lookahead is
solved, it needs the values of its leaves for both players' ranges there; and when the next cards have been dealt, the
values of the opponent's hands on this board, to which the next gadget holds him.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index, hand_text
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget, GivenReach
from errai.engine.schedules import Schedule
from errai.errors import LeafValuesError
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead, lookahead
from errai.games.sizing import BetMenu
from errai.kernels.layout import BEST, LEAF
from errai.own_code import faults_named, numbers_of
from errai.resolving.oracle import ACCURACY, ALONGSIDE, MOST_ITERATIONS, ExactLeafValues
from errai.resolving.subgame import Ranges
from errai.running.recent import Recent
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Profile
from errai.solving.solve import solve
from errai.strategies.strategy import live_hands
from errai.tree.deal_tree import DealHands
from errai.tree.public_tree import PublicTree

REMEMBERED_BYTES = 1 << 30
"""Memory for strategies below lookaheads; the newest are kept."""

REMEMBERED_SOLUTIONS = 100
"""How many solutions are kept that were computed only for the values on a board."""

SAME_RANGE = 1e-6
"""A range counts as that of a lookahead's strategy if it differs by at most this share of the greatest weight."""


class ValuesBelow(Protocol):
    """Gives the values of the rest of the game below a lookahead that is cut at the end of a street."""

    name: str
    """Name of the values, for messages and files."""

    def leaf_values(self, lookahead: Lookahead, player: int | None = None) -> LeafValues:
        """Return the leaf values of a lookahead: a new object for each, so that it may iterate together with its trunk.

        ``player`` is the player who is re-solved, by default the one who acts at the root; the values may treat this
        player and the opponent differently.
        """

    def values(
        self, state: PublicState, ranges: Ranges, player: int, above: Profile | None = None
    ) -> NDArray[np.float64]:
        """Return float64[H]: a player's counterfactual values at the start of a street, after the cards are dealt.

        ``above`` holds the solution of the lookahead that ends where the cards were dealt, if there is one.

        Values are net chips over the whole hand (half of a spot's pot counts as put in), summed over the other player's
        hands that share no card with the player's own hand, and weighted by the other player's range as it is given: it
        is not normalised, so scaling that range by c scales the values by c.  Hands that hold a card of the board have
        0.
        """


def values_of(
    below: ValuesBelow, state: PublicState, ranges: Ranges, player: int, above: Profile | None = None
) -> NDArray[np.float64]:
    """Return what :meth:`ValuesBelow.values` answers.  Raises :class:`LeafValuesError` unless it is finite numbers."""
    what = f"The values by {type(below).__name__} for player {player}"
    with faults_named(what, LeafValuesError):
        given = below.values(state, ranges, player, above)
    rules = state.subject.rules

    def place(hand: int) -> str:
        board = f"on the board {rules.deck.cards_text(state.board)}" if state.board else "before the board"
        return f"{board} for {hand_text(rules.deck, hand, rules.num_hole_cards)}"

    return numbers_of(given, what, ranges[player].shape, place=place, error=LeafValuesError)


@dataclass(eq=False)
class ExactBelow:
    """Exact solves of the rest of the game below a lookahead that is cut.

    :meth:`leaf_values` returns :class:`~errai.resolving.oracle.ExactLeafValues`.  The strategies that were found below
    a lookahead are kept, and :meth:`values` uses them first: on a board that follows a leaf of the lookahead above, if
    that lookahead has one street and the other player's range is that of its strategy, the values are those of a best
    response to the strategy that was found below the leaf.  These are the values for which the lookahead was solved, so
    holding the opponent to them is safe (CFR-D).

    Otherwise the rest of the game is solved for the given ranges, without a gadget.  These are the values of an
    equilibrium for these ranges; there may be several, and they need not be those on which the strategy above rests.

    Parameters
    ----------
    menu:
        Bet sizes of a no-limit game where the rest is solved for other ranges than a lookahead's; by default those of
        :func:`errai.lookahead`.
    accuracy, max_iterations, alongside, threads:
        As for :class:`~errai.resolving.oracle.ExactLeafValues`.
    """

    menu: BetMenu | None = None
    accuracy: float = ACCURACY
    max_iterations: int = MOST_ITERATIONS
    alongside: int = ALONGSIDE
    threads: int = 1
    name = "exact"

    def __post_init__(self) -> None:
        self._made: list[ExactLeafValues] = []
        self._solved: Recent[tuple[object, ...], SolutionNode] = Recent(REMEMBERED_SOLUTIONS)

    def leaf_values(self, lookahead: Lookahead, player: int | None = None) -> ExactLeafValues:
        """Return the leaf values of a lookahead; see :class:`ValuesBelow`.  Both players are treated equally."""
        made = ExactLeafValues(None, self.accuracy, self.max_iterations, self.alongside, self.threads)
        self._made.append(made)
        while len(self._made) > 1 and sum(leaves.bytes for leaves in self._made) > REMEMBERED_BYTES:
            del self._made[0]
        return made

    def values(
        self, state: PublicState, ranges: Ranges, player: int, above: Profile | None = None
    ) -> NDArray[np.float64]:
        """Return a player's values at the start of a street; raises what :func:`errai.solve` raises."""
        for leaves in self._made:
            if above is not None and leaves.trunk is above.tree:
                found = values_below(leaves, state, ranges[1 - player], player)
                if found is not None:
                    return found
        digest = sha256(b"".join(np.ascontiguousarray(r, dtype=np.float64).tobytes() for r in ranges)).digest()
        key = (state.actions, state.board, digest)
        node = self._solved.get_or_make(key, lambda: self._solve(state, ranges))
        return np.nan_to_num(node.counterfactual(player, best=True))

    def _solve(self, state: PublicState, ranges: Ranges) -> SolutionNode:
        """Solve the rest of the game for these ranges; every live hand gets a value, also those outside the range."""
        live = live_hands(state).astype(np.float64)
        rest = lookahead(state.subject, state, (live, live), None, menu=self.menu)
        target = f"{100.0 * self.accuracy / 2.0!r}%pot"  # exploitability is the mean of both players' gains
        return solve(
            rest,
            target,
            gadget=_Given((live * ranges[0], live * ranges[1])),
            max_iterations=self.max_iterations,
            precision="float64",
            threads=self.threads,
        ).root


@dataclass(frozen=True, eq=False)
class _Given(Gadget):
    """A gadget by which given ranges enter a tree that has every live hand."""

    ranges: Ranges

    @property
    def apart(self) -> Ranges:
        return self.ranges

    def root(self, tree: PublicTree, schedule: Schedule) -> GivenReach:
        return GivenReach(tree, self.ranges)


def values_below(
    leaves: ExactLeafValues, state: PublicState, own: NDArray[np.float64], player: int
) -> NDArray[np.float64] | None:
    """Return float64[H]: a player's values on a new street for a best response to the strategy found below a lookahead.

    The values are weighted by ``own``, float64[H] of any scale, the other player's range.  None is returned if the
    state does not follow a leaf of the lookahead, or if the lookahead's strategy leads there with another range.
    """
    trunk, strategy = leaves.trunk, leaves.continuation
    if trunk is None or strategy is None or leaves.arrived is None or trunk.subject.state is None:
        return None
    leaf = leaf_at(trunk, trunk.subject.state, state)
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


def leaf_at(trunk: PublicTree, start: PublicState, state: PublicState) -> int | None:
    """Return the leaf of a one-street trunk, which begins at ``start``, after which a state begins; None for none."""
    betting, node, before = trunk.betting, 0, len(start.line)
    if (
        betting.num_streets != 1
        or state.line[:before] != start.line
        or state.board[: len(start.board)] != start.board
        or state.betting.round != start.betting.round + 1
        or state.actions[-1]
    ):
        return None
    for action in state.line[before:]:
        made = action._replace(total=min(action.total, betting.all_in_total))
        node = next((child for child in betting.children(node) if betting.action_to(child) == made), -1)
        if node < 0:
            return None
    return int((betting.kind[:node] == LEAF).sum()) if betting.kind[node] == LEAF else None


def _in_hands(
    hands: DealHands, board: int, values: NDArray[np.float64], images: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return float64[H]: the numbers of a board's hand classes for every hand, by its image; 0 without a class."""
    first, last = int(hands.start[board]), int(hands.start[board + 1])
    starts = hands.member_start[first : last + 1]
    found = np.zeros(len(images))
    found[hands.member[starts[0] : starts[-1]]] = np.repeat(values, np.diff(starts))
    return found[images]
