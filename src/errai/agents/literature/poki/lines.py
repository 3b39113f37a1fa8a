"""What a betting line means to Poki in a limit game, as arrays, so that many hands are played on at once.

Axis N runs over the nodes of the game's betting tree; cards between streets count as dealt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.cards.strength import HandRanking
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.game import Game
from errai.games.subject import Subject
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree

FACING = 3
"""Situations with frequencies of their own: nothing to call, a first bet to call, a raise to call."""


@dataclass(frozen=True, eq=False)
class BetLines:
    """The betting tree of a limit game, and what Poki wants to know of each node.

    Parameters
    ----------
    tree:
        The betting tree.
    child:
        int64[N, 3]: the nodes to which fold, call and raise lead; -1 if the rules do not allow them.
    to_call, pot:
        float64[N]: what a call costs the actor, and all chips in the middle.
    bets:
        int8[N]: bets and raises of the round so far; before the flop the big blind counts as one.
    facing:
        int8[N]: the situation of the actor, below ``FACING``.
    can_raise:
        bool[N]
    bet:
        float64[N]: the size of a bet in the round.
    bets_to_come:
        float64[N]: one bet for each of the later rounds.
    is_last:
        bool[N]: whether no more card comes.
    """

    tree: BettingTree
    child: NDArray[np.int64]
    to_call: NDArray[np.float64]
    pot: NDArray[np.float64]
    bets: NDArray[np.int8]
    facing: NDArray[np.int8]
    can_raise: NDArray[np.bool_]
    bet: NDArray[np.float64]
    bets_to_come: NDArray[np.float64]
    is_last: NDArray[np.bool_]

    def net_chips(self, nodes: NDArray[np.integer], player: int, better: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return float64[n]: what a player has won at nodes where the hand is over.

        Parameters
        ----------
        better:
            integers[n]: 1 if the player has the better hand, -1 if the opponent has it, 0 for a tie.
        """
        stake = self.tree.contributions[nodes].min(axis=1)
        folded = self.tree.kind[nodes] == NodeKind.FOLD
        sign = np.where(folded, np.where(self.tree.actor[nodes] == player, -1, 1), better)
        return np.asarray(stake * sign)


def require_playable(subject: Subject) -> Game:
    """Return the game if Poki can play it: limit hold'em with the full deck, possibly with fewer rounds.

    Raises
    ------
    StrategyError
        For all others; the message says why.
    """
    game = subject.whole_game
    if game is None:
        raise StrategyError("Poki plays whole games, not spots; name a limit hold'em game such as holdem.limit.2p.")
    cards = game.num_board_cards
    ways = {
        "it is a no-limit game": not game.limit,
        f"its deck has {game.deck.num_cards} cards in {game.num_suits} suits": game.deck.num_cards != 52
        or game.num_suits != 4,
        f"its hands have {game.num_hole_cards} cards": game.num_hole_cards != 2,
        "its hands are ranked by other rules": game.ranking is not HandRanking.STANDARD,
        "its board cards are dealt otherwise than in hold'em": len(cards) < 2
        or cards[0] != 0
        or cards[1] != 3
        or any(new != 1 for new in cards[2:]),
    }
    for why, is_so in ways.items():
        if is_so:
            raise StrategyError(f"Poki does not play {game.name}: {why}; use a limit hold'em game.")
    return game


@lru_cache(maxsize=8)
def bet_lines(game: Game) -> BetLines:
    """Return the lines of a game; raises :class:`TreeTooLargeError` if there are too many."""
    tree = build_betting_tree(game)
    count = tree.num_nodes
    child = tree.next_by_kind()
    bets = np.zeros(count, dtype=np.int8)
    blind = int(game.big_blind > 0)
    for node in range(count):
        parent = int(tree.parent[node])
        if parent < 0:
            bets[node] = blind
        elif tree.street[parent] == tree.street[node]:
            bets[node] = bets[parent] + (tree.action_kind[node] == ActionKind.RAISE)
    decides = tree.kind == NodeKind.DECISION
    chips = tree.contributions
    own = np.take_along_axis(chips, np.maximum(tree.actor, 0)[:, None].astype(np.intp), axis=1)[:, 0]
    to_call = np.where(decides, chips.max(axis=1) - own, 0.0)
    sizes = np.array(game.raise_sizes, dtype=np.float64)
    to_come = np.concatenate([np.cumsum(sizes[::-1])[::-1][1:], [0.0]])
    facing = np.where(to_call == 0, 0, np.where(bets <= 1, 1, 2)).astype(np.int8)
    return BetLines(
        tree=tree,
        child=child,
        to_call=to_call,
        pot=chips.sum(axis=1),
        bets=bets,
        facing=facing,
        can_raise=child[:, int(ActionKind.RAISE)] >= 0,
        bet=sizes[tree.street],
        bets_to_come=to_come[tree.street],
        is_last=tree.street == tree.num_streets - 1,
    )
