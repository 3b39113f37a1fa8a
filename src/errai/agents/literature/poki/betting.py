"""Betting by formula: probabilities to fold, call and raise, computed from an evaluation of the hand.

Before the flop an expert's rules on income rates choose how far a hand goes (Papp 1998, section 6.1 and appendix B:
Make0, Call1, Call2, Make2, Make4, with thresholds base + increment x position).  After it (sections 6.2 to 6.6):

- a hand whose EHS' is at least ``MAKE1`` bets if there is no bet yet, and calls one bet;
- at least ``MAKE2``: it raises a bet; at least ``MAKE4``: it raises again, as the strongest hands do before the flop;
- a *semi-bluff* bets if there is no bet yet and PPot would pay for the bet and the call of a raise;
- *pot odds*: it calls if PPot (HS on the last round) is above the call's share of the pot;
- *showdown odds*: it calls if EHS is above the share of the pot at the showdown that the calls until then cost.

As in Pena (MSc thesis, Alberta 1999), section 4.2, each rule is a ramp around its threshold instead of a step, so that
play near a threshold is mixed.

What a betting line means to Poki is kept in arrays (:class:`BetLines`), so that many hands are played on at once.  Axis
N runs over the nodes of the game's betting tree, and axis n over those that are asked about; cards between streets
count as dealt.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from errai.agents.literature.poki.evaluation import Evaluation
from errai.cards.deck import FULL_DECK
from errai.cards.strength import HandRanking
from errai.errors import StrategyError
from errai.games.betting import ActionKind
from errai.games.game import Game, Subject
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree

FACING = 3
"""Situations with frequencies of their own: nothing to call, a first bet to call, a raise to call."""

MAKE1, MAKE2, MAKE4 = 0.50, 0.85, 0.95
"""EHS' from which a hand bets, raises, and raises again; the first two are the papers'."""

WIDTH1, WIDTH2, WIDTH4 = 0.08, 0.06, 0.03
"""Half the width of the ramps at these thresholds."""

ODDS_WIDTH = 0.04
"""Half the width of the ramps at odds."""

BETS_PER_ROUND = 0.5
"""Bets that a call is expected to cost in each later round: an opponent bets about half of the time."""

PREFLOP_MAKE4, PREFLOP_MAKE2, PREFLOP_CALL2, PREFLOP_CALL1, PREFLOP_CALL_HALF = 0.24, 0.04, -0.16, -0.20, -0.24
"""Least income rates for raising to the cap, raising once, calling two raises, calling a raise, and calling half a bet.
"""

PREFLOP_POSITION = 0.04
"""How much lower the thresholds are for the player who acts last after the flop."""

PREFLOP_WIDTH = 0.03


@dataclass(frozen=True, eq=False)
class BetLines:
    """The betting tree of a limit game, and what Poki wants to know of each of its N nodes."""

    tree: BettingTree
    child: NDArray[np.int64]
    """int64[N, 3]: the nodes to which fold, call and raise lead; -1 if the rules do not allow them."""
    to_call: NDArray[np.float64]
    """float64[N]: what a call costs the actor."""
    pot: NDArray[np.float64]
    """float64[N]: all chips in the middle."""
    bets: NDArray[np.int8]
    """int8[N]: bets and raises of the round so far; before the flop the big blind counts as one."""
    facing: NDArray[np.int8]
    """int8[N]: the situation of the actor, below ``FACING``."""
    can_raise: NDArray[np.bool_]
    bet: NDArray[np.float64]
    """float64[N]: the size of a bet in the round."""
    bets_to_come: NDArray[np.float64]
    """float64[N]: one bet for each of the later rounds."""
    is_last: NDArray[np.bool_]
    """bool[N]: whether no more card comes."""

    def net_chips(self, nodes: NDArray[np.integer], player: int, better: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return float64[n]: what a player has won at nodes where the hand is over.

        ``better``, integers[n], is 1 if the player has the better hand, -1 if the opponent has it, and 0 for a tie.
        """
        stake = self.tree.contributions[nodes].min(axis=1)
        folded = self.tree.kind[nodes] == NodeKind.FOLD
        sign = np.where(folded, np.where(self.tree.actor[nodes] == player, -1, 1), better)
        return np.asarray(stake * sign)


def require_playable(subject: Subject) -> Game:
    """Return the game if Poki can play it: limit hold'em with the full deck, possibly with fewer rounds.

    Raises :class:`StrategyError`, which says why, for all others.
    """
    game = subject.whole_game
    if game is None:
        raise StrategyError("Poki plays whole games, not spots; name a limit hold'em game such as holdem.limit.2p.")
    cards = game.num_board_cards
    ways = {
        "it is a no-limit game": not game.limit,
        f"its deck has {game.deck.num_cards} cards in {game.num_suits} suits": game.deck != FULL_DECK,
        f"its hands have {game.num_hole_cards} cards": game.num_hole_cards != 2,
        "its hands are ranked by other rules": game.ranking is not HandRanking.STANDARD,
        "its board cards are dealt otherwise than in hold'em": cards[:2] != (0, 3) or not set(cards[2:]) <= {1},
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


def ramp(x: NDArray[np.float64], middle: NDArray[np.float64] | float, width: float) -> NDArray[np.float64]:
    """Rise linearly from 0 at ``middle - width`` to 1 at ``middle + width``."""
    return np.asarray(np.clip((x - middle + width) / (2.0 * width), 0.0, 1.0))


def triples(
    lines: BetLines,
    nodes: NDArray[np.integer],
    known: Evaluation,
    income: NDArray[np.float64],
    *,
    last_to_act: bool,
) -> NDArray[np.float64]:
    """Return float64[n, 3], the probabilities to fold, call and raise; actions that the rules do not allow have 0.

    Parameters
    ----------
    nodes:
        integers[n]: nodes at which the player acts.
    known:
        Evaluation of the player's hand at each node, float64[n] each; used after the flop.
    income:
        float64[n]: income rates, used before the flop.
    last_to_act:
        Whether the player acts last after the flop.
    """
    early = lines.tree.street[nodes] == 0
    continues, raises = np.empty((2, len(nodes)))
    if early.any():
        rate = income[early] + (PREFLOP_POSITION if last_to_act else 0.0)
        continues[early], raises[early] = _before_flop(lines, nodes[early], rate)
    if not early.all():
        late = Evaluation(*(part[~early] for part in known))
        continues[~early], raises[~early] = _after_flop(lines, nodes[~early], late)
    raises = np.where(lines.can_raise[nodes], raises, 0.0)
    continues = np.where(lines.to_call[nodes] > 0, np.maximum(continues, raises), 1.0)
    return np.stack([1.0 - continues, continues - raises, raises], axis=1)


def _before_flop(
    lines: BetLines, nodes: NDArray[np.integer], rate: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bets, half = lines.bets[nodes], lines.to_call[nodes] < lines.bet[nodes]
    raises = ramp(rate, np.where(bets <= 1, PREFLOP_MAKE2, PREFLOP_MAKE4), PREFLOP_WIDTH)
    least = np.where(half, PREFLOP_CALL_HALF, np.where(bets <= 2, PREFLOP_CALL1, PREFLOP_CALL2))
    return ramp(rate, least, PREFLOP_WIDTH), raises


def _after_flop(
    lines: BetLines, nodes: NDArray[np.integer], known: Evaluation
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    bets, pot, cost = lines.bets[nodes], lines.pot[nodes], lines.to_call[nodes]
    make1 = ramp(known.effective, MAKE1, WIDTH1)
    again = np.where(bets == 1, ramp(known.effective, MAKE2, WIDTH2), ramp(known.effective, MAKE4, WIDTH4))
    semi_bluff = ramp(known.positive, semi_bluff_odds(pot, lines.bet[nodes]), ODDS_WIDTH) * ~lines.is_last[nodes]
    raises = np.where(bets == 0, np.maximum(make1, semi_bluff), again)
    pot_odds = cost / (pot + cost)
    # Both players pay the bets to come.
    to_come = BETS_PER_ROUND * lines.bets_to_come[nodes]
    showdown_odds = (cost + to_come) / (pot + cost + 2.0 * to_come)
    chance = np.where(lines.is_last[nodes], known.strength, known.positive)
    calls = np.maximum(ramp(chance, pot_odds, ODDS_WIDTH), ramp(known.winning, showdown_odds, ODDS_WIDTH))
    return np.where(bets <= 1, np.maximum(calls, make1), calls), raises


def semi_bluff_odds(pot: NDArray[np.float64], bet: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the pot that a bet and the call of a raise cost."""
    return np.asarray(2.0 * bet / (pot + 4.0 * bet))
