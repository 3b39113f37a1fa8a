"""The public tree: the product of a betting tree and a deal tree, which is never multiplied out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights
from errai.cards.run_outs import RunOuts
from errai.errors import InputError, UnsupportedGameError
from errai.games.game import Subject
from errai.games.sizing import BetMenu
from errai.kernels.layout import LEAF, SHOWDOWN, HandArrays, PairPayoffs, StreetArrays, TreeArrays
from errai.tree.betting_tree import MAX_NODES, BettingTree, build_betting_tree
from errai.tree.deal_root import DealRoot, DealSize, deal_root, deal_size, merge_equivalent
from errai.tree.deal_tree import DealHands, DealStreet, DealTree, build_deal_tree
from errai.tree.street_lines import TreeLines

if TYPE_CHECKING:
    from errai.games.lock_file import LockTables
    from errai.tree.locks import NodeLocks

TIE_FRACTION = 3e-8
"""The largest regret, as a fraction of what is at stake, that counts as 0: about the rounding of float32, far below
play.

Without it the order of a sum decides between actions that are equally good, and backends give different results."""

WORLDS_APART = 1e4
"""If the reaches of the two ranges differ by more than this factor, they are considered to be on different scales."""

CLASS_BYTES = 65
"""Measured bytes per hand class and board while the deal tree is built, which is when it takes most."""

PAIR_BYTES = 16
"""Bytes per pair of hand classes and board if run-outs are matrices: a margin and a tie."""

Wins = Callable[[NDArray[np.integer], NDArray[np.integer]], NDArray[np.integer]]
"""A function of F and S hand indices that returns integers[F, S]: on how many boards the first hand wins."""

Building = Callable[[int, int], Any]
"""Called repeatedly while a tree is built, with the boards done and their number; an exception ends the work."""


class _Counted(ABC):
    """What a tree and its plan both tell by their betting lines and their numbers of hand classes."""

    betting: BettingTree

    @property
    @abstractmethod
    def class_counts(self) -> Sequence[tuple[int, int]]:
        """Number of hand classes of each player on each street, summed over the boards."""

    @property
    def depth(self) -> int | None:
        """The round of the game after which the tree is cut; None if it reaches the end of the game."""
        cut = (self.betting.kind == LEAF).any()
        return self.betting.first_round + self.betting.num_streets - 1 if cut else None

    @property
    def canonical_information_sets(self) -> int:
        """Number of information sets that the solver distinguishes: up to suit symmetry or strategic equivalence."""
        nodes = self.betting.decision_nodes
        return sum(len(nodes(s, p)) * classes[p] for s, classes in enumerate(self.class_counts) for p in (0, 1))

    @cached_property
    def entries(self) -> int:
        """Number of (distinguished information set, action) pairs: the total length of one kind of state arrays."""
        rows = self.betting.num_rows
        return sum(rows(s, p) * classes[p] for s, classes in enumerate(self.class_counts) for p in (0, 1))


@dataclass(frozen=True)
class PublicTree(_Counted):
    """All public states of a game or spot, as the product of its lines of bets and its boards."""

    subject: Subject
    betting: BettingTree
    deal: DealTree
    run_outs: PairPayoffs | None = None
    """The payoffs of pairs of hands at showdowns with board cards still to come; None if there are none."""
    locks: NodeLocks | None = None

    @property
    def root(self) -> DealRoot:
        """Cards, ranges and board at the root."""
        return self.deal.root

    @cached_property
    def arrays(self) -> TreeArrays:
        """The tree as the kernels take it."""
        cards = self.root.hands.astype(np.uint8)
        streets = []
        for s, level in enumerate(self.deal.streets):
            nodes = np.asarray(self.betting.street_nodes(s))
            street = street_arrays(self.betting, nodes, level, cards)
            if self.locks is not None:
                street = replace(street, locks=self.locks.street_locks(nodes, level, self.root.new_cards[:s]))
            streets.append(street)
        if self.run_outs is not None:
            # The showdowns take their probabilities from matrices, and ties only where they pay other than the mean.
            last, pairs = streets[-1], self.run_outs
            shown = last.kind == SHOWDOWN
            win, tied, lose = last.ends[shown].reshape(-1, 3).T
            if (tied == (win + lose) / 2.0).all():
                pairs = replace(pairs, tie=None)
            streets[-1] = replace(last, matrix=np.where(shown, np.int32(0), np.int32(-1)), matrices=(pairs,))
        root = self.deal.streets[0].hands
        reach = tuple(np.ascontiguousarray(self.root.weights[p][root[p].hand]) for p in (0, 1))
        return TreeArrays(tuple(streets), self.root.deck.num_cards, tie(self.betting, self.root), (reach[0], reach[1]))

    @cached_property
    def values_cancel(self) -> bool:
        """Whether one player's gain is the other player's loss everywhere, also at the leaves of a cut tree.

        It is not if the pot is raked, or if locked hands respond best: their values exceed those of the strategy that
        the opponent faces.
        """
        if not self.subject.zero_sum or (self.locks is not None and self.locks.has_best):
            return False
        return all(street.zero_sum for street in self.arrays.streets)

    @cached_property
    def pair_weight(self) -> float:
        """Sum of the weights of all compatible pairs of hands.  Dividing by it turns values into chips per hand."""
        first, second = self.root.weights
        return float(first @ fitting_weights(self.root.hands, second))

    @cached_property
    def class_sizes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """float64[H_p] each: the number of real hands in every class of the root board."""
        sizes = tuple(np.diff(h.member_start).astype(np.float64) for h in self.deal.streets[0].hands)
        return sizes[0], sizes[1]

    @cached_property
    def class_weights(self) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        """By player and street float64[S]: the factor of a class's counterfactual value in the value of the root.

        It is the weight of the class's real hands and boards, divided by that of all pairs of hands.
        """
        found: tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]] = ([], [])
        for p, streets in enumerate(found):
            streets.append(self.arrays.root_reach[p] * self.class_sizes[p] / self.pair_weight)
            for above, street in pairwise(self.arrays.streets):
                hands = street.hands[p]
                parent = np.repeat(above.hands[p].start[street.parent_board], np.diff(hands.start)) + hands.parent
                streets.append(streets[-1][parent] * hands.up_weight)
        return found

    @property
    def span_chips(self) -> float:
        """The most that a player can win, less the least."""
        ends = np.concatenate([street.ends.reshape(-1, 2, 3) for street in self.arrays.streets])
        return float((ends.max(axis=(0, 2)) - ends.min(axis=(0, 2))).max())

    @property
    def options(self) -> dict[str, Any]:
        """The options of :func:`plan_public_tree` that made this tree smaller, and the locks."""
        locks = {} if self.locks is None else {"locks": self.locks.to_dict()}
        return {"alike": self.root.equivalence is not None, "run_out": self.run_outs is not None, **locks}

    @property
    def initial_pot(self) -> float:
        """Chips in the pot at the root."""
        return self.betting.initial_pot

    @property
    def class_counts(self) -> Sequence[tuple[int, int]]:
        return [(int(first.start[-1]), int(second.start[-1])) for first, second in (s.hands for s in self.deal.streets)]

    @property
    def information_sets(self) -> int:
        """Exact number of information sets of the tree: (decision node, real board, real live hand)."""
        return sum(
            len(self.betting.decision_nodes(s, p)) * int(np.diff(h.member_start[h.start]) @ level.multiplicity)
            for s, level in enumerate(self.deal.streets)
            for p, h in enumerate(level.hands)
        )

    def chips(self, root_values: NDArray[np.float64], player: int) -> float:
        """Return net chips per hand from counterfactual values at the root (float64[H])."""
        return float((self.arrays.root_reach[player] * self.class_sizes[player]) @ root_values) / self.pair_weight


@dataclass(frozen=True)
class TreePlan(_Counted):
    """A public tree before its boards are built: its exact size is known, but its memory is not yet used."""

    subject: Subject
    betting: BettingTree
    root: DealRoot
    showdown: bool
    """Whether the last street ends in showdowns on its boards."""
    run_out: int = 0
    """Number of board cards that are dealt after the last street, without further choices, before the showdown."""
    locks: NodeLocks | None = None

    @cached_property
    def deal_size(self) -> DealSize:
        """Numbers of boards and hand classes per street."""
        return deal_size(self.root)

    @property
    def class_counts(self) -> Sequence[tuple[int, int]]:
        return self.deal_size.classes

    @property
    def information_sets(self) -> int:
        """Number of real information sets, before any merging, in the tree that :meth:`build` builds."""
        unseen = self.root.deck.num_cards - len(self.root.board) - self.root.hands.shape[1]
        total, boards = 0, 1
        for s, new in enumerate((0, *self.root.new_cards)):
            boards, unseen = boards * comb(unseen, new), unseen - new
            total += sum(
                len(self.betting.decision_nodes(s, p)) * boards * int((self.root.weights[p] > 0).sum()) for p in (0, 1)
            )
        return total

    @property
    def responds_best(self) -> bool:
        """Whether a lock makes some hands respond best."""
        return self.locks is not None and self.locks.has_best

    @property
    def deal_bytes(self) -> int:
        """Approximate memory of the boards and hands in the form that the kernels take."""
        size = self.deal_size
        pairs = _pair_bytes(self.root, size) if self.run_out else 0
        locked = 0 if self.locks is None else self.locks.bytes(size.boards, size.classes)
        return pairs + locked + sum(CLASS_BYTES * (classes[0] + classes[1]) for classes in size.classes)

    def build(self, building: Building | None = None, threads: int = 1) -> PublicTree:
        """Build the boards.  Raises :class:`InputError` if every pair of hands of the two ranges shares a card."""
        # Counted are the boards that children have been dealt to, and those that are done.
        boards, done = self.deal_size.boards, 0
        number = sum(boards) + sum(boards[:-1])

        def step(more: int) -> None:
            nonlocal done
            done = min(done + more, number)
            if building is not None:
                building(done, number)

        deal = build_deal_tree(self.root, showdown=self.showdown, step=step, threads=threads)
        pairs = None
        if self.run_out:
            pairs = run_out_payoffs(self.root, deal.streets[-1], self.run_out, lambda: step(1))
        tree = PublicTree(self.subject, self.betting, deal, pairs, self.locks)
        if not tree.pair_weight > 0:
            raise InputError("Every hand of one range shares a card with every hand of the other; widen a range.")
        return tree


def plan_public_tree(
    subject: Subject,
    *,
    menu: BetMenu | None = None,
    last_street: int | None = None,
    isomorphism: bool = True,
    alike: bool | None = False,
    apart: Sequence[NDArray[np.float64]] = (),
    run_out: bool | None = False,
    locks: Mapping[str, Any] | LockTables | None = None,
    max_nodes: int = MAX_NODES,
) -> TreePlan:
    """Plan the public tree of a game from its first round, of a spot from its board, or of a lookahead.

    Parameters
    ----------
    subject:
        The game, spot or lookahead to be solved.
    menu:
        Bet sizes of a no-limit game; spots have their own.
    last_street:
        The last street in the tree, counted from its root.  Lines that close it with cards to come end in leaves, whose
        values the caller gives.
    isomorphism:
        Whether boards and hands that are equal up to suits are merged.
    alike:
        Whether strategically equivalent hands and boards are merged too, in spots with at most one card to come (see
        :mod:`errai.tree.equivalence`).  None merges them if that saves more work than it takes.
    apart:
        float64[H] each: further values that distinguish hands at the root; see :func:`errai.tree.deal_root.deal_root`.
    run_out:
        Whether the tree ends after the last street on which a player has a choice.  The payoffs of pairs of hands over
        the boards that are then dealt are a matrix (see :func:`run_out_payoffs`).  None ends the tree there if that
        takes less memory.
    locks:
        Given strategies of some hands, as :func:`errai.tree.locks.read_locks` takes them.
    max_nodes:
        Largest number of betting nodes.

    Raises
    ------
    TreeTooLargeError, UnsupportedGameError, LockError, InputError
        The betting tree is too large, the deal tree does not support the way in which the game deals cards, or a range
        has no possible hand.
    """
    game, first, board = subject.rules, subject.first_round, subject.board
    betting = build_betting_tree(subject, menu, last_street=last_street, max_nodes=max_nodes)
    if subject.whole_game is not None and game.num_board_cards[0]:
        raise UnsupportedGameError(
            f"'{game.name}' deals board cards before the first bet; games that are solved deal them later."
        )
    locked = None
    if locks is not None:
        from errai.tree.locks import read_locks

        locked = read_locks(locks, subject, betting)

    def root_of(streets: int) -> DealRoot:
        return deal_root(
            game.deck,
            game.num_hole_cards,
            tuple(game.num_board_cards[first + 1 : first + streets]),
            board=board,
            weights=subject.given_weights,
            ranking=game.ranking,
            later_cards=sum(game.num_board_cards[first + streets :]),
            isomorphism=isomorphism,
            apart=apart if locked is None else (*apart, *locked.columns),
            kept=None if locked is None else locked.kept,
        )

    showdown = first + betting.num_streets == game.num_rounds
    last = max(betting.last_decision, 0)
    if showdown and run_out is not False and last < betting.num_streets - 1:
        root = root_of(last + 1)
        dealt = game.num_board_cards[first + last + 1 :]
        plan = TreePlan(subject, betting.shown_down_after(last), root, False, sum(dealt), locked)
        if run_out or _pair_bytes(root, plan.deal_size) < _least_deal_bytes(root, dealt):
            return plan
    root = root_of(betting.num_streets)
    if showdown and subject.whole_game is None and alike is not False:
        last = betting.num_streets - 1
        rows = betting.num_rows(last, 0) + betting.num_rows(last, 1)
        # Hands that are equivalent on the root's street may have different locks on the next one.
        below = locked.next_colours(board) if locked is not None and root.new_cards == (1,) else None
        root = merge_equivalent(root, rows if alike is None else None, below)
    return TreePlan(subject, betting, root, showdown, locks=locked)


def build_public_tree(subject: Subject, **options: Any) -> PublicTree:
    """Plan a tree and build it; parameters and errors as :func:`plan_public_tree` and :meth:`TreePlan.build`."""
    return plan_public_tree(subject, **options).build()


def _pair_bytes(root: DealRoot, size: DealSize) -> int:
    """Return the approximate bytes of the matrices of all boards of the last street; equal ranges share them."""
    first, second = size.classes[-1]
    shared = np.array_equal(root.weights[0] > 0, root.weights[1] > 0)
    return (1 if shared else 2) * PAIR_BYTES * first * second // size.boards[-1]


def _least_deal_bytes(root: DealRoot, dealt: Sequence[int]) -> int:
    """Return a lower bound of the bytes of hands on the boards of the streets on which further cards are dealt."""
    live = sum(int((weights > 0).sum()) for weights in root.weights)
    unseen = root.deck.num_cards - len(root.board) - root.hands.shape[1]
    boards, hands = 1, 0
    for street, number in enumerate((*root.new_cards, *dealt)):
        boards *= comb(unseen, number)
        unseen -= number
        hands += boards * live * (street >= len(root.new_cards))
    return CLASS_BYTES * hands // len(root.symmetries)


def hand_arrays(hands: DealHands, cards: NDArray[np.uint8]) -> HandArrays:
    """Return one player's classes as the kernels take them; ``cards`` are those of every hand."""
    own = cards.take(hands.hand, axis=0)
    return HandArrays(
        start=hands.start,
        cards=own,
        parent=hands.parent,
        up_weight=hands.up_weight,
        rank=hands.rank,
        twin=hands.twin,
        member_start=hands.member_start,
        member_cards=own if hands.member is hands.hand else cards.take(hands.member, axis=0),
    )


def tie(betting: BettingTree, root: DealRoot) -> float:
    """Return the largest regret that counts as 0: a share of the counterfactual value that is at stake.

    This value is the pot at the root times the total reach of the opponent's hands.  The larger total of the two
    players is used.  If they are on different scales, as in a lookahead after an unlikely line, it is the smaller one,
    since otherwise all regrets of one player would count as 0.
    """
    smaller, larger = sorted(float(w.sum()) for w in root.weights)
    return TIE_FRACTION * betting.initial_pot * (larger if larger < WORLDS_APART * smaller else smaller)


def street_arrays(
    betting: BettingTree, nodes: NDArray[np.int64], level: DealStreet, cards: NDArray[np.uint8]
) -> StreetArrays:
    """Return some betting nodes of a street on some boards, as the kernels take them.

    ``nodes`` ascend and include, with each node, all nodes that follow it on the street.  Nodes whose parent is not
    among them are entries.  ``cards`` are those of every hand.
    """
    number = np.full(betting.num_nodes + 1, -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    lines = TreeLines.at(betting, nodes, number[betting.parent[nodes]])
    first = hand_arrays(level.hands[0], cards)
    hands = first, first if level.hands[1] is level.hands[0] else hand_arrays(level.hands[1], cards)
    return lines.with_boards(parent_board=level.parent, child_start=level.child_start, hands=hands)


def run_out_payoffs(root: DealRoot, level: DealStreet, cards: int, step: Callable[[], Any]) -> PairPayoffs:
    """Count the wins and ties of pairs of hands on each board of a street that ends in showdowns without more choices.

    Such an end needs no boards in the tree.  The probabilities that each pair of hands wins and ties, over all boards
    that may come, are a matrix that is computed once.  Before the flop they come from the table of all pairs
    (:mod:`errai.cards.pair_table`), later from evaluating all boards.

    Parameters
    ----------
    root:
        The cards, ranges and board at the root.
    level:
        The street after whose betting there is a showdown.
    cards:
        The number of board cards that are dealt before the showdown.
    step:
        Called once per board of the street, and in between if there is much to count.
    """
    margins: tuple[list[NDArray[np.float64]], ...] = ([], [])
    ties: tuple[list[NDArray[np.float64]], ...] = ([], [])
    each = comb(root.deck.num_cards - level.boards.shape[1] - 2 * root.hands.shape[1], cards)
    same = level.hands[0] is level.hands[1]
    bits = (1 << root.hands).sum(axis=1)
    for b, board in enumerate(level.boards):
        wins = _wins(root, tuple(board.tolist()), [h.member[_members(h, b)] for h in level.hands], cards, step)
        for p in (0,) if same else (0, 1):
            mine, theirs = level.hands[p], level.hands[1 - p]
            own = mine.hand[mine.start[b] : mine.start[b + 1]]
            members = theirs.member[_members(theirs, b)]
            won, lost = wins(own, members), wins(members, own).T
            fits = (bits[own][:, None] & bits[members]) == 0
            starts = theirs.member_start[theirs.start[b] : theirs.start[b + 1]]
            for found, counts in ((margins, won - lost), (ties, each - won - lost)):
                summed = np.add.reduceat(fits * counts.astype(np.int64), starts - starts[0], axis=1)
                found[p].append((summed / each).ravel())
        step()
    margin, tie = ([np.concatenate(blocks) for blocks in found if blocks] for found in (margins, ties))
    # Players with the same live hands share their matrices.
    return PairPayoffs((margin[0], margin[-1]), (tie[0], tie[-1]))


def _members(hands: DealHands, b: int) -> slice:
    """Return the range of the hands of a board."""
    first, last = hands.start[b : b + 2]
    return slice(int(hands.member_start[first]), int(hands.member_start[last]))


def _wins(
    root: DealRoot, board: tuple[int, ...], live: list[NDArray[np.int32]], cards: int, step: Callable[[], Any]
) -> Wins:
    hole_cards = root.hands.shape[1]
    if not board:
        from errai.cards.pair_table import pair_table

        return pair_table(root.deck, hole_cards, cards, root.ranking).wins
    hands = np.union1d(*live)
    place = np.full(len(root.hands), -1)
    place[hands] = np.arange(len(hands))
    run_outs = RunOuts.of(root.deck, hole_cards, len(board) + cards, root.ranking)
    counted = run_outs.wins(board, hands, step)
    return lambda first, second: counted[np.ix_(place[first], place[second])]
