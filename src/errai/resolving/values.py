"""What a re-solver needs at a public state, computed from any strategy: ranges, values to keep, and gifts.

*Ranges* follow along the line by Bayes' rule.  *Values* are the opponent's counterfactual values of a best response to
the strategy from the state on (CBV), which the opponent may not exceed after re-solving; also computed are the values
if the opponent follows the strategy.

*Gifts* are for Reach-Maxmargin (Brown and Sandholm, "Safe and nested subgame solving for imperfect-information games",
NeurIPS 2017).  At an earlier decision I, the opponent may have taken an action a whose value with a hand is below that
of the best action: CBV(I) - CBV(I, a) was given up, and the value of the subgame for that hand may rise by so much
before it becomes attractive to come here.  Gifts are counted in chips per hand of the opponent and added up along the
line; in a subgame they are multiplied by W, the weight of the player's hands there that share no card with the hand.

Every public state of a street may get the whole gift, even if several states below one decision I are re-solved,
because W divides itself among them: the player's own actions divide it by their probabilities, and cards by chance; the
opponent's actions leave it unchanged, but the opponent takes only one of them.  So whatever the opponent does after a,
all subgames together give at most W(I) times the gift, which is CBV(I) - CBV(I, a) in the units of I.  Then (I, a) is
worth at most CBV(I) again, and I keeps its value; what earlier gifts add passes through I unchanged, by the same sum,
up to the root.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.blueprint import Blueprint
from errai.cards.hands import fitting_weights, hand_cards
from errai.engine.certificate import StrategyProfile
from errai.engine.resources import check_memory
from errai.engine.root import Entering, in_classes
from errai.engine.strategy import board_block
from errai.engine.units import Exploitability, Units
from errai.errors import InputError, StrategyError
from errai.games.game import Subject
from errai.games.hand import Action, PublicState
from errai.games.lookahead import follows, lookahead
from errai.games.sizing import BetMenu
from errai.kernels.protocol import Arrays
from errai.resolving.subgame import FITS, Ranges, Subgame
from errai.responses.pieces import Boards
from errai.responses.whole_tree import asked_everywhere
from errai.solutions.node import SolutionNode
from errai.solutions.solution import MemoryProfile, Solution
from errai.solutions.subjects import menu_of
from errai.strategies.by_state import ByState
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.solution import AnySolution, BlueprintStrategy, SolutionStrategy
from errai.strategies.strategy import Decision, Strategy, asked, live_hands, says
from errai.strategies.tree_walk import probability_of
from errai.tree.betting_tree import DEFAULT_SIZES
from errai.tree.public_tree import PublicTree, plan_public_tree

Vector = NDArray[np.float64]

Known = Strategy | AnySolution | Blueprint
"""What a subgame can be computed from."""


def strategy_of(known: Known) -> Strategy:
    """Return a strategy, solution or blueprint as a strategy that is queried at public states, including unknown bets.

    Raises :class:`StrategyError` for anything else.
    """
    if isinstance(known, AnySolution):
        solved = SolutionStrategy(known)
        return TreeStrategy(solved, known.subject, solved.betting)
    if isinstance(known, Blueprint):
        return TreeStrategy(BlueprintStrategy(known), known.game, known.betting)
    if isinstance(known, Strategy):
        return known
    raise StrategyError(
        f"{known!r} is no solution, no blueprint, and no strategy that can be queried at a public state."
    )


def menu_of_known(known: Known) -> BetMenu | None:
    """Return the bet sizes with which a solution or blueprint was made; None in limit games, and if not known."""
    if not isinstance(known, AnySolution | Blueprint):
        return None
    subject: Subject = known.game if isinstance(known, Blueprint) else known.subject
    if subject.whole_game is None:
        return subject.menu
    if subject.rules.limit:
        return None
    return menu_of(subject, known.menu or DEFAULT_SIZES)


def ranges_at(strategy: Strategy, state: PublicState) -> Ranges:
    """Return both players' ranges at a state, by Bayes' rule along the line from the ranges at the beginning.

    Those are a spot's or a lookahead's, and 1 for each hand in a game.  For a bet that the strategy lacks, the
    probabilities of the nearest bet are used.

    Raises :class:`StrategyError` if the strategy is for the rest of a hand, and the state does not come after its
    beginning.
    """
    start, ranges = beginning_of(strategy, state)
    if not follows(state, start):
        raise StrategyError(
            f"The strategy is for the rest of the hand, {getattr(strategy, 'subject', start.subject).title}, and the "
            "state does not come after its beginning."
        )
    found = list(ranges)
    for before, action in moments(start, state):
        chosen = probability_of(asked(strategy, before), before, action)
        found[before.actor] = found[before.actor] * chosen
    live = live_hands(state)
    return np.where(live, found[0], 0.0), np.where(live, found[1], 0.0)


def subgame_at(
    known: Known,
    state: PublicState,
    player: int,
    *,
    menu: BetMenu | None = None,
    gifts: bool = False,
    threads: int = 1,
) -> Subgame:
    """Return what a re-solver needs to solve a public state again for a player, computed from the old strategy.

    After a bet of the opponent that the strategy lacks, the opponent's values are those before the bet: it may be worth
    at most as much as the best action there.  The values if both follow the strategy are not known then, and left out.

    Parameters
    ----------
    known:
        Any strategy that answers at public states, a solution or a blueprint.
    state:
        A state at which a player acts.
    player:
        The player who is re-solved.
    menu:
        Bet sizes of the tree in which values are computed: from the state on or, with gifts, from the opponent's first
        decision on.  By default those that a solution or blueprint was made with, or as for :func:`errai.lookahead`.
    gifts:
        Whether to compute what the opponent gave up on the way here.

    Raises
    ------
    InputError
        If no player acts at the state.
    TreeTooLargeError
        If the tree does not fit in memory.
    StrategyError
        If the strategy is none, or is for another game.
    """
    if state.actor < 0:
        raise InputError("No player acts at this state; deal the cards that come next, or give a state before the end.")
    strategy = strategy_of(known)
    start = beginning_of(strategy, state)[0]
    line = list(moments(start, state))
    if line and line[-1][0].actor != player and line[-1][1] not in asked(strategy, line[-1][0]).actions:
        held = subgame_at(known, line[-1][0], player, menu=menu, gifts=gifts, threads=threads)
        return replace(held, state=state, ranges=ranges_at(strategy, state), estimated=None)
    if isinstance(known, Solution) and menu is None:
        node = node_at(known.root, state)
        if node is None:
            raise InputError("A bet on the way to the state is not in the tree of the solution.")
        return subgame_of(node, state, player, Gifts(known.root, player).at(state) if gifts else None)
    menu = menu_of_known(known) if menu is None else menu
    per_hand = None
    if gifts:
        first = next((s for s, _ in line if s.actor != player), None)
        if first is None:
            per_hand = np.zeros(len(live_hands(state)))
        else:
            begun = lay_out(strategy, first, menu=menu, threads=threads)
            per_hand = Gifts(begun.root, player).at(state)
    laid = lay_out(strategy, state, menu=menu, threads=threads)
    return subgame_of(laid.root, state, player, per_hand)


def subgame_of(node: SolutionNode, state: PublicState, player: int, per_hand: Vector | None = None) -> Subgame:
    """Return the subgame at a node of a strategy, which belongs to a public state.

    ``per_hand``, float64[H], are gifts that :class:`Gifts` computed.
    """
    opponent = 1 - player
    return Subgame(
        state=state,
        player=player,
        ranges=(node.ranges[0], node.ranges[1]),
        values=node.counterfactual(opponent, best=True),
        estimated=node.counterfactual(opponent),
        gifts=None if per_hand is None else np.where(live_hands(state), per_hand * _met(node, player), 0.0),
        held=np.asarray(node.solution.tree.root.weights[opponent]) > 0.0,
    )


class Gifts:
    """What the opponent of ``player`` gave up on the way from the root of a tree to its states; see the module."""

    def __init__(self, root: SolutionNode, player: int) -> None:
        self.root = root
        self.player = player
        self._given: dict[tuple[object, ...], Vector] = {}

    def at(self, state: PublicState, rise: Vector | None = None) -> Vector:
        """Return float64[H]: gifts on the way from the root to a state, in chips per hand of the opponent.

        After a bet that the tree lacks nothing more is counted.  ``rise``, float64[H], is by how many chips per hand
        the state is worth more to the opponent than in the tree, because the subgame is finer.  Every decision that
        leads there then gave up less, by as much of it as comes from there.
        """
        found, node = np.zeros(len(self.root.ranges[0])), self.root
        passed: list[tuple[Vector, Vector, PublicState]] = []
        for before, action in moments(PublicState.start(self.root.solution.subject), state):
            after = node.after(action)
            if after is None:
                break
            if before.actor != self.player:
                met, key = _met(node, self.player), (before.actions, before.board, action)
                if key not in self._given:
                    best, taken = (n.counterfactual(1 - self.player, best=True) for n in (node, after))
                    given = np.nan_to_num(np.maximum(best - taken, 0.0))
                    self._given[key] = np.divide(given, met, out=np.zeros_like(given), where=met > 0.0)
                passed.append((self._given[key], met, before))
            node = _dealt(after, before.after(action), state)
        here = _met(node, self.player)
        for given, met, before in passed:
            if rise is not None:
                share = np.divide(here, met, out=np.ones_like(here), where=met > 0.0)
                # How many sets of cards could have come in between, given two known hands.
                game, boards = state.subject.rules, 1
                unseen = game.deck.num_cards - 2 * game.num_hole_cards - len(before.board)
                for dealt in game.num_board_cards[before.betting.round + 1 : state.betting.round + 1]:
                    boards *= comb(unseen, dealt)
                    unseen -= dealt
                given = np.maximum(given - rise * share / boards, 0.0)
            found += given
        return found


def gifts_at(known: Known, subgame: Subgame, menu: BetMenu | None, threads: int) -> Vector:
    """Return float64[H]: what the opponent gave up on the way to a subgame, as in ``Subgame.gifts``.

    For a solution in memory, gifts are computed in its own tree; what the subgame's finer tree adds to the opponent's
    value is subtracted, so that they hold if only the node is finer.  Otherwise the finer tree is laid out from the
    opponent's first decision on.
    """
    state, player, met = subgame.state, subgame.player, subgame.against
    node = node_at(known.root, state) if isinstance(known, Solution) else None
    if node is None:
        found = subgame_at(known, state, player, menu=menu, gifts=True, threads=threads).gifts
        assert found is not None
        return found
    assert isinstance(known, Solution)
    rise = np.maximum(subgame.values - node.counterfactual(subgame.opponent, best=True), 0.0)
    rise = np.divide(rise, met, out=np.zeros_like(met), where=met > 0)
    return np.asarray(Gifts(known.root, player).at(state, rise) * met)


def _met(node: SolutionNode, player: int) -> Vector:
    """Return float64[H]: for each hand of the opponent, the weight of the player's hands that share no card with it."""
    own = node.ranges[player]
    met = fitting_weights(node.solution.tree.root.hands, own)
    # Anything smaller is the rounding of a sum.
    return np.where(met > FITS * own.sum(), met, 0.0)


def node_at(root: SolutionNode, state: PublicState) -> SolutionNode | None:
    """Return the node of a public state, followed from a solution's root; None if its tree lacks a bet on the way."""
    node = root
    for before, action in moments(PublicState.start(root.solution.subject), state):
        after = node.after(action)
        if after is None:
            return None
        node = _dealt(after, before.after(action), state)
    return node


def _dealt(node: SolutionNode, here: PublicState, state: PublicState) -> SolutionNode:
    """Return the node after the cards that come next, which are taken from the board of a later state."""
    done = len(here.board)
    while node.kind == "chance" and done < len(state.board):
        count = node.solution.tree.root.new_cards[node.street]
        node = node["".join(node.solution.deck.card_text(c) for c in state.board[done : done + count])]
        done += count
    return node


def moments(start: PublicState, state: PublicState) -> Iterator[tuple[PublicState, Action]]:
    """Yield every decision from one state to a later one, with the action that was taken."""
    here = start
    for action in state.line[len(start.line) :]:
        yield here, action
        here = here.after(action).dealt(state.board)


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
    menu: None = None
    """The bet sizes are those of the lookahead."""
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
        asked = SolutionStrategy(solution, whole=self.tree.depth is None)
        cards = self.tree.root.hands.astype(np.uint8)
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
    ranges: Ranges | None = None,
    menu: BetMenu | None = None,
    *,
    threads: int = 1,
) -> LaidOut:
    """Query a strategy everywhere from a public state, at which a player acts, to the end of the game.

    ``ranges`` are both players' there, by default those of :func:`ranges_at`; ``menu`` has the bet sizes of the tree,
    None in limit games.  Bets of the strategy that the tree lacks are replaced by the neighbouring ones (``rounded`` of
    :class:`~errai.strategies.by_state.ByState`).

    Raises :class:`TreeTooLargeError` if the tree does not fit in memory, and :class:`StrategyError` or
    :class:`InputError` if the strategy is for another game or returns no probabilities, or if no player acts.
    """
    ranges = ranges_at(strategy, state) if ranges is None else ranges
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
    """Return where a strategy can be asked from, and the ranges there: its lookahead's, or the state's own."""
    subject = getattr(strategy, "subject", None)
    if subject is None or subject.state is None:
        subject = state.subject
    return PublicState.start(subject), subject.weights
