"""A strategy on the tree of the rest of a game: it is queried everywhere once, and then examined node by node."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights, hand_cards
from errai.engine.certificate import StrategyProfile
from errai.engine.resources import check_memory
from errai.engine.root import Entering, in_classes
from errai.engine.strategy import board_block
from errai.engine.units import Exploitability, Units
from errai.games.hand import PublicState
from errai.games.lookahead import lookahead
from errai.games.sizing import BetMenu
from errai.kernels.protocol import Arrays
from errai.responses.pieces import Boards
from errai.responses.whole_tree import asked_everywhere
from errai.solutions.solution import MemoryProfile, Solution
from errai.strategies.by_state import ByState
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import Decision, Strategy, live_hands, says
from errai.tree.public_tree import PublicTree, plan_public_tree

Ranges = tuple[NDArray[np.float64], NDArray[np.float64]]
"""float64[H] by seat, over all hands of the deck in hand-index order; 0 for hands that cannot be held."""


@dataclass(frozen=True, eq=False)
class LaidOut(MemoryProfile):
    """A strategy of both players on a tree in memory, from any source; made by :func:`lay_out`.

    Its nodes are those of a solution: ``laid.root.counterfactual(player, best=True)`` are the values of a best
    response. All hands that a player may hold are in the tree with weight 1, also those that never come here; the
    players' real weights are ``ranges``.
    """

    tree: PublicTree
    strategy: Arrays
    """float64, as the kernels take it."""
    ranges: Ranges
    threads: int = 1
    below: None = None
    leaves: None = None

    @property
    def root_ranges(self) -> NDArray[np.float64]:
        """float64[2, H]: both players' ranges at the root."""
        return np.stack(self.ranges)

    @cached_property
    def entering(self) -> Entering:
        """The reach with which the players enter at the root."""
        reach = in_classes(self.ranges[0], self.tree, 0), in_classes(self.ranges[1], self.tree, 1)
        weight = float(self.ranges[0] @ fitting_weights(self.tree.root.hands, self.ranges[1]))
        return Entering(self.tree, reach, weight)

    @property
    def units(self) -> Units:
        """Conversions of chips; the pot is that at the root."""
        return Units.of(self.subject, self.initial_pot_chips)

    def exploitability(self) -> Exploitability:
        """Return the exact gains of both players' best responses from the root on, with their ranges there."""
        return StrategyProfile(self.tree, self.kernel, self.strategy, entering=self.entering).certificate(self.units)[0]

    def best_chips(self, player: int) -> float:
        """Return the net chips per hand of a player's best response from the root on."""
        values = np.nan_to_num(self.root.counterfactual(player, best=True))
        return float(self.ranges[player] @ values) / self.entering.pair_weight

    def replaced(self, player: int, solution: Solution) -> LaidOut:
        """Return the same profile with one player's strategy taken from a solution of the same lookahead.

        Hands that are not in the solution's range keep their strategy.
        """
        arrays = [list(pair) for pair in self.strategy]
        asked, cards = SolutionStrategy(solution), self.tree.root.hands.astype(np.uint8)
        for s, level in enumerate(self.tree.deal.streets):
            arrays[s][player] = arrays[s][player].copy()
            boards, betting = Boards.of(s, level, cards), self.tree.betting
            nodes = betting.decision_nodes(s, player)
            # A solution may end where no player has a choice any more.
            chosen = [Decision.at(betting, int(node)) for node in nodes if betting.num_children[node] > 1]
            counts = [len(d.actions) for d in chosen]
            for b in range(boards.num_boards if chosen else 0):
                rows = asked.rows(chosen, boards.deals(player, b))
                known = np.repeat(np.add.reduceat(rows, np.cumsum([0, *counts[:-1]]), axis=0) > 0.0, counts, axis=0)
                block = board_block(self.tree, arrays, s, player, b)
                places = np.concatenate([np.arange(d.row, d.row + len(d.actions)) for d in chosen])
                block[places] = np.where(known, rows, block[places])
        return replace(self, strategy=arrays)


def lay_out(
    strategy: Strategy,
    state: PublicState,
    ranges: Ranges,
    menu: BetMenu | None = None,
    *,
    threads: int = 1,
) -> LaidOut:
    """Query a strategy everywhere from a public state to the end of the game.

    Parameters
    ----------
    strategy:
        The strategy.  Its bets that the tree lacks are replaced by the neighbouring ones (``rounded`` of
        :class:`~errai.strategies.by_state.ByState`).
    state:
        A state at which a player acts.
    ranges:
        Both players' ranges there.
    menu:
        Bet sizes of the tree; None in limit games.

    Raises
    ------
    TreeTooLargeError
        If the tree does not fit in memory.
    StrategyError, InputError
        If the strategy is for another game or returns no probabilities, or if no player acts at the state.
    """
    # Everything that a player may hold, by the range at the beginning and the board.
    live, game = live_hands(state).astype(np.float64), state.subject.rules
    first, second = beginning_of(strategy, state)[1]
    subject = lookahead(state.subject, state, (live * (first > 0.0), live * (second > 0.0)), None, menu=menu)
    # Hands and boards may be merged only if neither the strategy nor the ranges distinguish them. Boards with the same
    # cards dealt on other streets are distinct: columns tell how many cards of each street a hand holds.
    hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
    ends = [0, *(game.board_cards_in(round_) for round_ in range(state.betting.round + 1))]
    streets = [np.isin(hands, state.board[a:b]).sum(axis=1).astype(np.float64) for a, b in pairwise(ends) if b > a]
    columns = (*ranges, *streets)
    plan = plan_public_tree(subject, isomorphism=says(strategy, "suits_alike"), apart=columns)
    check_memory(plan, 8 * plan.entries + plan.deal_bytes, None)
    tree = plan.build()
    arrays = asked_everywhere(ByState(strategy, subject, rounded=True), tree, None)
    return LaidOut(tree, arrays, ranges, threads)


def beginning_of(strategy: Strategy, state: PublicState) -> tuple[PublicState, Ranges]:
    """Return the public state from which a strategy can be asked, and both players' ranges there.

    They are those of the lookahead of a strategy that has one, and those of the state's game or spot otherwise.
    """
    subject = getattr(strategy, "subject", None)
    if subject is None or subject.state is None:
        subject = state.subject
    return PublicState.start(subject), subject.weights
