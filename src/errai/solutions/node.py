"""A node of a solution as a user sees it: real cards, real hands, probabilities, ranges and values.

In the solver a board or hand represents its whole orbit under the symmetries of the deck.  A node has the map from real
cards to those of the representative, and all its arrays are in real hands: axis H is all hands of the deck in
hand-index order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import Deck
from errai.cards.hands import fitting_weights, hand_index, hand_texts
from errai.cards.strength import HandRanking
from errai.console import counted
from errai.errors import CardParseError, CardsError, InputError, LineError
from errai.games.betting import ActionKind
from errai.games.hand import Action
from errai.kernels.layout import LEARNS
from errai.solutions import convergence
from errai.solutions.node_board import NodeBoard, NodeReach, classes_of
from errai.tree.betting_tree import BettingTree, NodeKind
from errai.tree.lines import BetShare

if TYPE_CHECKING:
    from errai.solutions.run_outs import RunOuts
    from errai.solutions.solution import Profile
    from errai.tree.locks import Lock

NOTEBOOK = "errai.pictures.notebook"
"""The module that draws nodes and solutions in a notebook.  It stands above this room, which only knows its name."""

Floats = NDArray[np.float64]

NO_EQUITY = 1e-9
"""Equities up to this count as 0: they are rounding, or come from hands that almost never get here."""

UNCONVERGED = 0.02
"""A node is marked if best responses could gain more than this fraction of its pot from there on."""


@dataclass(frozen=True, eq=False)
class SolutionNode:
    """A public state: a line of actions and the cards on the table.

    Axes: A actions, H all hands of the deck in hand-index order, 2 players.

    Examples
    --------
    >>> import errai
    >>> kuhn = errai.solve(errai.load_game("kuhn"), "0.01mbb")
    >>> node = kuhn["check"]["bet"]
    >>> node.player, node.pot_chips, node.actions
    (0, 3.0, ('fold', 'call'))
    >>> node.strategies.shape
    (3, 2)
    >>> {action: round(p, 2) for action, p in node.strategy("As").items()}
    {'fold': 0.0, 'call': 1.0}
    """

    solution: Profile
    node: int
    """Number in the betting tree."""
    street: int
    where: NodeBoard
    """The representative board on this street."""
    board: tuple[int, ...]
    """The real cards on the table."""
    to_representative: NDArray[np.int64]
    """int64[cards]: real cards to cards of the representative board."""
    line: str
    """The actions and cards from the root."""
    ranges: NDArray[np.float64]
    """float64[2, H]: weight in the root's range times the probability of the player's own actions; 0 for dead hands."""
    entry_ranges: NDArray[np.float64]
    """float64[2, H]: the same at the start of the street."""
    entry: int
    """The first node of the line on this street."""

    @classmethod
    def at_root(cls, solution: Profile) -> SolutionNode:
        """Return the node at which the game or spot begins."""
        ranges = solution.root_ranges
        identity = np.arange(solution.deck.num_cards)
        return cls(solution, 0, 0, solution.root_board, solution.board, identity, "", ranges, ranges, 0)

    # --- what stands here --------------------------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        """``decision``, ``chance``, ``fold``, ``showdown`` or ``leaf``."""
        return NodeKind(int(self._betting.kind[self.node])).name.lower()

    @property
    def player(self) -> int | None:
        """The player who acts, or None."""
        return int(self._betting.actor[self.node]) if self.kind == "decision" else None

    @property
    def player_names(self) -> tuple[str, str]:
        """Names of both players."""
        return self.solution.subject.seats

    @property
    def player_name(self) -> str:
        """Name of the player who acts; '' if no player acts."""
        return "" if self.player is None else self.player_names[self.player]

    @property
    def board_text(self) -> str:
        """The cards on the table."""
        return " ".join(self.solution.deck.card_text(c) for c in self.board)

    @property
    def pot_chips(self) -> float:
        """Chips in the middle."""
        return float(self._betting.pot(self.node))

    @property
    def pot_big_blinds(self) -> float | None:
        """The pot in big blinds; None without a big blind, and in limit games, where all bets are of one size."""
        blind, limit = self.solution.units.big_blind_chips, self.solution.subject.rules.limit
        return None if limit or not blind else self.pot_chips / blind

    @property
    def to_call_chips(self) -> float:
        """Chips that the acting player must add to call; 0 if no player acts."""
        if self.player is None:
            return 0.0
        own = self._betting.contributions[self.node]
        return self._betting.in_parts(float(own[1 - self.player] - own[self.player]))

    @property
    def stacks_chips(self) -> tuple[float, float]:
        """Chips that each player has left; infinite in games without a limit on stacks."""
        return self._left(self.node, 0), self._left(self.node, 1)

    def _left(self, node: int, player: int) -> float:
        """Return the chips that a player has left at a node of the betting tree."""
        subject = self.solution.subject
        spent = float(self._betting.contributions[node, player]) - subject.dead_chips
        return self._betting.in_parts(float(subject.stacks_chips[player]) - spent)

    @property
    def actions(self) -> tuple[str, ...]:
        """Labels of the actions; axis A of all arrays."""
        return self._betting.actions(self.node)

    @property
    def all_in(self) -> tuple[bool, ...]:
        """Whether each action is a bet or raise that puts the last chip of the player who acts in; axis A."""
        if self.player is None:
            return ()
        kinds, after = self._betting.action_kind, self._betting.children(self.node)
        return tuple(int(kinds[c]) == ActionKind.RAISE and self._left(c, self.player) <= 1e-6 for c in after)

    @property
    def shares(self) -> tuple[BetShare | None, ...]:
        """Each action in per cent of the pot; axis A.  None for all but bets and raises, and in limit games."""
        if self.player is None or self.solution.subject.rules.limit:
            return (None,) * len(self.actions)
        return tuple(self._betting.share(child) for child in self._betting.children(self.node))

    @property
    def children(self) -> tuple[str, ...]:
        """The steps that can follow: actions, or the cards that can be dealt (single cards on a one-card street)."""
        if self.kind != "chance":
            return self.actions
        deck = self.solution.deck
        return tuple(deck.card_text(c) for c in range(deck.num_cards) if c not in self.board)

    @property
    def hands(self) -> tuple[str, ...]:
        """Texts of all hands of the deck; axis H of all arrays."""
        root = self.solution.tree.root
        return hand_texts(root.deck, root.hands.shape[1])

    @cached_property
    def locked(self) -> dict[str, Any]:
        """What is locked here: hands, with the frequency of each action or ``best``; empty if nothing is locked."""
        locks, lock = self.solution.tree.locks, self._lock
        if locks is None or lock is None or self.player is None:
            return {}
        return locks.table(lock, self._class_of_hand(self.player) >= 0)

    @property
    def locked_hands(self) -> NDArray[np.bool_]:
        """bool[H]: the hands whose strategy is locked here."""
        lock = self._lock
        if lock is None or self.player is None:
            return np.zeros(len(self.hands), dtype=np.bool_)
        return np.asarray((lock.role != LEARNS) & (self._class_of_hand(self.player) >= 0))

    @cached_property
    def _lock(self) -> Lock | None:
        locks, new_cards = self.solution.tree.locks, self.solution.tree.root.new_cards
        if locks is None:
            return None
        dealt, place = [], len(self.solution.board)
        for count in new_cards[: self.street]:
            dealt.append(tuple(sorted(self.board[place : place + count])))
            place += count
        return locks.at(self.node, tuple(dealt))

    # --- strategy and values -----------------------------------------------------------------------------------------

    @cached_property
    def strategies(self) -> NDArray[np.float64]:
        """float64[H, A]: probability of every action; NaN for hands that the acting player cannot hold."""
        if self.player is None:
            return np.empty((len(self.hands), 0))
        return self._spread(self.where.strategy(self.node), self.player).T

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """float64[A]: how often each action is taken, over all pairs of hands that get here."""
        if self.player is None:
            return np.empty(0)
        weight = self.pair_weights[self.player]
        total = weight.sum()
        return (weight @ np.nan_to_num(self.strategies)) / total if total > 0 else np.full(len(self.actions), np.nan)

    @property
    def sunk_chips(self) -> tuple[float, float]:
        """Chips already put in that :attr:`ev` subtracts for each player: none in spots, all chips in games."""
        if not self.solution.subject.values_are_net:
            return 0.0, 0.0
        first, second = self._betting.contributions[self.node]
        return float(first), float(second)

    @property
    def ev(self) -> NDArray[np.float64]:
        """float64[2, H]: expected chips of every hand of both players; NaN for hands that cannot be held.

        In spots it is what is won of the pot from this node on; chips already put in are not counted, so that a fold is
        worth 0 and the values of both players sum to the node's pot less the rake.  In games it is net chips over the
        whole hand, which is the same less :attr:`sunk_chips`.  It is also NaN if the opponent never gets here with a
        hand that shares no card with it, and everywhere if :attr:`why_no_ev` gives a reason.
        """
        return self._values[0]

    @property
    def action_ev(self) -> NDArray[np.float64]:
        """float64[H, A]: the EV of each action with every hand of the player to act, whether or not the hand takes it.

        It is counted from this node, as :attr:`ev` is: in spots the chips that the action puts in are subtracted, so
        that a fold is worth 0 and the mean over a hand's strategy is its ``ev``.  NaN where ``ev`` is.
        """
        return self._values[1]

    @cached_property
    def _values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``ev`` and ``action_ev``."""
        ev, action_ev = np.full(self.ranges.shape, np.nan), np.full((len(self.hands), len(self.actions)), np.nan)
        if self.why_no_ev:
            return ev, action_ev
        for p in (0, 1):
            found = self._chips(self._sums(p), p)
            ev[p] = found[0]
            if p == self.player:
                action_ev = found[1:].T
        return ev, action_ev

    def best_response_ev(self, player: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a player's EVs with a best response to the other's strategy from here on, in chips as :attr:`ev`.

        The first array, float64[H], has the EV of every hand; the second, float64[H, A], that of each action here, with
        A = 0 if the player does not act.  Raises :class:`InputError` if the values are not known.
        """
        if self.why_no_ev:
            raise InputError(self.why_no_ev)
        sums = self._spread(self.where.values(player, self.node, self.reach(1 - player), best=True), player)
        found = self._chips(sums, player)
        return found[0], found[1:].T

    def _chips(self, sums: NDArray[np.float64], player: int) -> NDArray[np.float64]:
        """Return a player's values in chips, as :attr:`ev` counts them, from counterfactual ones; both [.., H]."""
        # The kernel counts net chips over the whole hand.
        gone = float(self._betting.contributions[self.node, player]) - self.sunk_chips[player]
        return self._per_pair(sums, player) + gone

    @cached_property
    def _known_sums(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def _sums(self, player: int) -> NDArray[np.float64]:
        """Return float64[.., H]: a player's counterfactual values here and, if that player acts, after each action."""
        known = self._known_sums
        if player not in known:
            known[player] = self._spread(self.where.values(player, self.node, self.reach(1 - player)), player)
        return known[player]

    @cached_property
    def why_no_ev(self) -> str:
        """A sentence that says why ``ev`` is not known at this node; '' if it is known."""
        return self.where.why_no_values(self.node)

    @cached_property
    def equity(self) -> NDArray[np.float64]:
        """float64[2, H]: chance to win, plus half of that to tie, against the other range if there are no more bets.

        It is the exact mean over all boards that may still come.  NaN if a hand cannot be held or the opponent has no
        hand without a common card, and everywhere if :attr:`why_no_equity` gives a reason.
        """
        if self.why_no_equity:
            return np.full(self.ranges.shape, np.nan)
        margins = [self._per_pair(self._margins(p), p) for p in (0, 1)]
        return np.clip((1.0 + np.stack(margins)) / 2.0, 0.0, 1.0)

    @property
    def why_no_equity(self) -> str:
        """A sentence that says why ``equity`` is not known at this node; '' if it is known."""
        from errai.tree.check_down import MOST_STRENGTHS, count_strengths

        deck, hole_cards, last, _ = self._showdown_cards
        count = count_strengths(deck, hole_cards, len(self.board), last)
        if self._before_the_flop or count <= MOST_STRENGTHS:
            return ""
        return (
            f"Equities are not computed here: there are {count:,} hands on the boards that may come, and at most "
            f"{MOST_STRENGTHS:,} are evaluated."
        )

    @property
    def _showdown_cards(self) -> tuple[Deck, int, int, HandRanking]:
        """Deck, private cards, board cards and ranking at the showdown."""
        game = self.solution.subject.rules
        return game.deck, game.num_hole_cards, game.board_cards_in(game.num_rounds - 1), game.ranking

    @property
    def _before_the_flop(self) -> bool:
        """Whether the table of pairs that comes with the package covers all boards to come."""
        from errai.cards.pair_table import SHIPPED_CARDS

        return not self.board and self._showdown_cards == SHIPPED_CARDS

    def _margins(self, player: int) -> NDArray[np.float64]:
        """Return float64[H]: the weight of the opponent's hands that a hand beats, less that of those that beat it."""
        if self._before_the_flop:
            found = _margins_before_the_flop() @ self.ranges[1 - player]
        else:
            from errai.tree.check_down import run_out

            deck, hole_cards, last, ranking = self._showdown_cards
            after = run_out(deck, hole_cards, tuple(sorted(self.board)), last, ranking)
            found = after.margins(player, self.ranges[1 - player])
        return np.where(self._class_of_hand(player) >= 0, found, np.nan)

    @property
    def equity_realised(self) -> NDArray[np.float64]:
        """float64[2, H]: EQR, what is won of the pot from here on, divided by equity times pot; NaN without equity."""
        return self._realised(self.ev, self.equity)

    @property
    def range_ev(self) -> NDArray[np.float64]:
        """float64[2]: mean of :attr:`ev` over all pairs of hands that get; NaN without any, or if ``ev`` is NaN."""
        return self._over_range(self.ev)

    @property
    def range_equity(self) -> NDArray[np.float64]:
        """float64[2]: mean of :attr:`equity` over all pairs of hands that get here."""
        return self._over_range(self.equity)

    @property
    def range_equity_realised(self) -> NDArray[np.float64]:
        """float64[2]: EQR of the ranges, from :attr:`range_ev` and :attr:`range_equity`; not a mean over hands."""
        return self._realised(self.range_ev[:, None], self.range_equity[:, None])[:, 0]

    @property
    def range_action_ev(self) -> NDArray[np.float64]:
        """float64[A]: mean of :attr:`action_ev` over the hands that take each action, weighted by how often they do.

        The mean of these, weighted by :attr:`frequencies`, is the ``range_ev`` of the player to act.  NaN for an action
        that is never taken.
        """
        if self.player is None:
            return np.empty(0)
        weight = self.pair_weights[self.player][:, None] * np.nan_to_num(self.strategies)
        return _means(weight.T, self.action_ev.T)

    def counterfactual(self, player: int, *, best: bool = False) -> NDArray[np.float64]:
        """Return float64[H]: a player's counterfactual values here, in net chips over the whole hand.

        Half of a spot's pot counts as put in; hands that the player cannot hold are NaN.  The values are summed over
        the other player's hands that share no card with the hand, weighted by that player's reach: the weight in the
        root's range times the probability of the player's own actions.  With ``best`` the player plays a best response
        from here on.  Raises :class:`InputError` if the values are not known, with the reason :attr:`why_no_ev`.
        """
        if self.why_no_ev:
            raise InputError(self.why_no_ev)
        if not best:
            return np.asarray(self._sums(player)[0].copy())
        found = self.where.values(player, self.node, self.reach(1 - player), best=True)
        return np.asarray(self._spread(found[:1], player)[0])

    @cached_property
    def reached(self) -> float:
        """Probability, from 0 to 1, that both players take this line and exactly these cards are dealt."""
        return convergence.reached(self)

    @cached_property
    def unconverged(self) -> float:
        """How far the solution is from an equilibrium from here on, as a fraction of the pot here.

        It is half of what both players together could gain by best responses from this node on, with their ranges here;
        at the root it is the certified exploitability.  It may be large on a line that is hardly ever :attr:`reached`,
        even if the whole exploitability is small.  NaN if no pair of hands gets here, or if the values are not known,
        as :attr:`why_no_ev` says.  It takes two walks of the tree that follows, besides those of :attr:`ev`.
        """
        return convergence.unconverged(self)

    def strategy(self, hand: str) -> dict[str, float]:
        """Return the probability of each action with a hand such as ``AhKd``.

        Raises :class:`LineError` if no player acts or the hand cannot be held here.
        """
        if self.player is None:
            raise LineError(f"No player acts after '{self.line}' ({self.kind}).")
        index = self.hand_index(hand)
        if why := self.why_not_held(index, self.player):
            raise LineError(why)
        row = self.strategies[index]
        return {label: float(p) for label, p in zip(self.actions, row, strict=True)}

    def why_not_held(self, hand: int, player: int) -> str:
        """Return a sentence that says why a player cannot hold a hand here, by its index; '' if the player can."""
        dead = [self.solution.deck.card_text(c) for c in self.solution.tree.root.hands[hand] if c in self.board]
        if dead:
            verb = "is" if len(dead) == 1 else "are"
            return (
                f"{self.hands[hand]} cannot be held here: {' and '.join(dead)} {verb} on the board, {self.board_text}."
            )
        if self._class_of_hand(player)[hand] < 0:
            where = self.board_text or "this board"
            return f"{self.hands[hand]} is not in the range of {self.player_names[player]} on {where}."
        return ""

    def hand_index(self, hand: str) -> int:
        """Return the row of a hand.  Raises :class:`LineError` for a text that is no hand of this game."""
        size = self.solution.tree.root.hands.shape[1]
        try:
            cards = self.solution.deck.parse_cards(hand)
        except (CardParseError, CardsError) as error:
            raise LineError(f"{hand!r} is not a hand: {error}") from error
        if len(cards) != size:
            raise LineError(f"{hand!r} is not a hand of {counted(size, 'card')} of this game.")
        return int(hand_index(np.asarray(cards, dtype=np.int64)))

    def run_outs(self) -> RunOuts:
        """Return what follows each card that can come next, where a card is dealt: frequencies, EVs and equities.

        Deals that are strategically equivalent have one row.  Deals are evaluated one after another, so that no more is
        in memory than for one node; EVs and equities are not computed where there are more than 200 different deals.
        Raises :class:`LineError` if no card is dealt here.
        """
        from errai.solutions.run_outs import run_outs

        return run_outs(self)

    # --- going on ----------------------------------------------------------------------------------------------------

    def __getitem__(self, step: str) -> SolutionNode:
        """Return the node after an action (``bet 120``) or, where a street is dealt, after cards (``Ah``, ``QsJh2c``).

        Raises :class:`LineError`, which says what is possible.
        """
        if self.kind == "chance":
            return self._deal(step)
        return self._take(self._betting.child(self.node, step))

    def _take(self, child: int) -> SolutionNode:
        """Return the node after the action that leads to a child."""
        action = child - int(self._betting.first_child[self.node])
        assert self.player is not None
        ranges = self.ranges.copy()
        ranges[self.player] *= np.nan_to_num(self.strategies[:, action])
        line = f"{self.line} {self._betting.action[child]}".strip()
        return replace(self, node=child, line=line, ranges=ranges)

    def after(self, action: Action) -> SolutionNode | None:
        """Return the node after an action of a real hand; None if the tree lacks the action."""
        for child in self._betting.children(self.node) if self.player is not None else ():
            if self._betting.action_to(child) == action:
                return self._take(child)
        return None

    def _deal(self, text: str) -> SolutionNode:
        tree, deck = self.solution.tree, self.solution.deck
        count = tree.root.new_cards[self.street]
        wanted = f"After '{self.line}' {counted(count, 'card')} must be dealt"
        try:
            cards = deck.parse_cards(text)
        except (CardParseError, CardsError) as error:
            raise LineError(f"{wanted}, not {text!r}: {error}") from error
        if len(cards) != count:
            raise LineError(f"{wanted}, not {text!r}.")
        if set(cards) & set(self.board):
            raise LineError(f"{text} is on the table already: {self.board_text}.")
        image = tuple(sorted(self.to_representative[list(cards)].tolist()))
        try:
            board, card_map = self.where.child(image)
        except CardsError as error:
            raise LineError(str(error)) from error
        dead = np.isin(tree.root.hands, cards).any(axis=1)
        ranges = np.where(dead, 0.0, self.ranges)
        entry = int(self._betting.first_child[self.node])
        shown = "".join(deck.card_text(c) for c in cards)
        return replace(
            self,
            node=entry,
            street=self.street + 1,
            where=board,
            board=(*self.board, *cards),
            to_representative=card_map[self.to_representative],
            line=f"{self.line} / {shown} /".strip(),
            ranges=ranges,
            entry_ranges=ranges,
            entry=entry,
        )

    # --- between real hands and classes ------------------------------------------------------------------------------

    @property
    def _betting(self) -> BettingTree:
        return self.solution.tree.betting

    def _class_of_hand(self, player: int) -> NDArray[np.int64]:
        """Return int64[H]: the class on the representative board of every real hand, -1 if it is dead."""
        return classes_of(self.where, player, self.to_representative, self.solution.tree.root.hands)

    def _spread(self, rows: NDArray[np.float64], player: int) -> NDArray[np.float64]:
        """Expand rows [.., classes] to rows [.., H] of real hands, NaN for dead ones."""
        class_of = self._class_of_hand(player)
        live = class_of >= 0
        spread = np.full((len(rows), len(class_of)), np.nan)
        spread[:, live] = rows[:, class_of[live]]
        return spread

    def reach(self, player: int) -> NodeReach:
        """Return a player's reach here, in the classes of the representative board."""
        class_of = self._class_of_hand(player)
        live = class_of >= 0
        both = np.zeros((2, int(class_of.max(initial=-1)) + 1))
        for row, ranges in zip(both, (self.entry_ranges, self.ranges), strict=True):
            row[class_of[live]] = ranges[player][live]
        return NodeReach(self.entry, both[0], both[1])

    # --- sums over pairs of hands ------------------------------------------------------------------------------------

    @cached_property
    def _against(self) -> NDArray[np.float64]:
        """float64[2, H]: for each hand of a player the weight of the other's hands that share no card with it."""
        hands = self.solution.tree.root.hands
        return np.stack([np.maximum(fitting_weights(hands, self.ranges[1 - p]), 0.0) for p in (0, 1)])

    @property
    def pair_weights(self) -> NDArray[np.float64]:
        """float64[2, H]: the weight of all pairs of hands that get here with each hand of a player."""
        return self.ranges * self._against

    def _per_pair(self, sums: NDArray[np.float64], player: int) -> NDArray[np.float64]:
        """Return float64[.., H]: means from sums over the opponent's hands; NaN if no hand is without a common card."""
        against = self._against[player]
        met = against > 1e-15 * max(1.0, self.ranges[1 - player].sum())
        return sums / np.where(met, against, np.nan)

    def _over_range(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[2]: means over all pairs of hands that get here."""
        return _means(self.pair_weights, values)

    def _realised(self, ev: NDArray[np.float64], equity: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is won of the pot, divided by the equity's share of it; both [2, ..]."""
        return np.asarray(
            (ev + np.array(self.sunk_chips)[:, None]) / np.where(equity > NO_EQUITY, equity * self.pot_chips, np.nan)
        )

    def __repr__(self) -> str:
        return f"<{self.kind} after '{self.line}' on {self.board_text or 'no board'}, pot {self.pot_chips:g}>"

    def _repr_html_(self) -> str:
        html: str = import_module(NOTEBOOK).node_html(self)
        return html


@lru_cache(maxsize=1)
def _margins_before_the_flop() -> NDArray[np.float64]:
    """Return float64[H, H], 14 MB: each hand's margin against each other over all boards, 0 if they share a card."""
    from errai.cards.pair_table import SHIPPED_CARDS
    from errai.cards.run_outs import RunOuts

    run_outs = RunOuts.of(*SHIPPED_CARDS)
    ahead = run_outs.ahead((), np.arange(len(run_outs.hands)))
    return np.asarray(ahead / run_outs.boards_left(()))


def _means(weights: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weighted means along the last axis; NaN without weight, or if a value with weight is not known."""
    weights = np.where(weights > 0, weights, 0.0)
    total = weights.sum(axis=-1)
    sums = (weights * np.where(weights > 0, values, 0.0)).sum(axis=-1)
    return np.asarray(sums / np.where(total > 0, total, np.nan))
