"""Multi-valued states: at the depth limit a player chooses how the rest of the game is played.

A lookahead that is cut needs values at its leaves.  Those of one fixed strategy are not enough: the solution would
exploit that strategy, and be exploited by an opponent who plays another one.  Brown, Sandholm and Amos, "Depth-limited
solving for imperfect-information games" (NeurIPS 2018), let the opponent choose: at each leaf, for each hand, one of a
few *continuations* of the game - a blueprint, and versions of it that are biased towards folding, calling and raising -
while the other player follows the blueprint.  A strategy that does well against all of them does not depend on what a
single one does below.  Only a blueprint is needed, no network.

Nobody sees which continuation was chosen, so the choice is made at an information set like any other, and the game that
is solved is the trunk with one more decision at its end.  The choice is updated as the trunk is, with the same
coefficients, and is part of the certificate.  The certificate is for this cut game; it says nothing about how good the
continuations are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import factorial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.translation import Translation
from errai.console import bytes_text
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, LeafValues, Pair
from errai.engine.resources import default_threads
from errai.engine.root import Choice
from errai.engine.schedules import find_schedule
from errai.errors import InputError, SolverOptionError, StrategyError, TreeTooLargeError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import PublicState, run_outs_of
from errai.games.lookahead import Lookahead
from errai.kernels.layout import LEAF
from errai.kernels.protocol import LeafArrays
from errai.resolving.oracle import at_last_leaves
from errai.resolving.pair_values import Floats, Hands, LeafMatrices, PairValues, drawn_boards, run_out_count
from errai.resolving.rest import rest_of
from errai.resolving.subgame import Ranges
from errai.running.recent import Recent
from errai.running.stopping import StopToken
from errai.solutions.solution import Profile
from errai.solutions.subjects import menu_of
from errai.strategies.by_state import ByState, StateFunction
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.strategy import BatchedStrategy, Strategy, live_hands, require, require_same, says
from errai.strategies.tree_walk import TreeWalk, action_in
from errai.tree.betting_tree import BettingTree, build_betting_tree
from errai.tree.public_tree import PublicTree

FACTOR = 10.0
"""The factor by which the paper's continuations multiply the probabilities that they favour."""

RUN_OUTS = 49
"""Run-outs that are drawn by default if there are more: on the flop of hold'em each card comes once as the turn and
once as the river."""

UNBLOCKED = 16
"""At least so many run-outs are drawn that a pair of hands is expected not to block this many of them."""

SMALL_BYTES, MOST_BYTES = 1 << 27, 1 << 33
"""Matrices larger than the first are stored in float32; above the second an error is raised."""

REMEMBERED_BYTES = 1 << 30
"""Memory for matrices that later lookaheads can use; the most recently used are kept."""

ITERATIONS = 500
"""Iterations of regret matching that find the values of a new street if both players choose."""


@dataclass(frozen=True)
class Continuation:
    """A version of a strategy that takes one kind of action more often."""

    name: str
    favours: ActionKind | None = None
    """The kind of action whose probability is multiplied by ``factor`` before all are normalised; None for the strategy
    itself.  An action with probability 0 keeps it."""
    factor: float = FACTOR

    def __call__(self, rows: Floats, kinds: NDArray[np.int8], starts: NDArray[np.int64]) -> Floats:
        """Apply the bias; see :data:`errai.resolving.pair_values.Bend`."""
        if self.favours is None:
            return rows
        weights = np.where((kinds == self.favours)[:, None], rows.dtype.type(self.factor) * rows, rows)
        counts = np.diff(np.append(starts, len(kinds)))
        return np.asarray(weights / np.repeat(np.add.reduceat(weights, starts, axis=0), counts, axis=0))


BLUEPRINT = Continuation("blueprint")

CONTINUATIONS = (
    BLUEPRINT,
    Continuation("towards folding", ActionKind.FOLD),
    Continuation("towards calling", ActionKind.CALL),
    Continuation("towards raising", ActionKind.RAISE),
)
"""The four continuations of the paper."""


class Continuations:
    """Leaf values of a lookahead from a blueprint and versions of it, among which a player chooses.

    It is a :class:`errai.resolving.below.ValuesBelow`.

    Parameters
    ----------
    strategy:
        The blueprint: anything that has a strategy for every hand.  The rest of the game is played in its betting tree,
        with its bets as shares of the real pot (:mod:`errai.resolving.rest`).  A strategy without a tree of its own,
        such as an agent or a function, is queried in the tree of ``menu``.
    subject:
        The game or spot that is played.
    menu:
        Bet sizes of a no-limit game in which a strategy without a tree is queried; by default the pot and all-in.
    continuations:
        The continuations.  If there is only one, there is nothing to choose, and both players follow it.
    chooser:
        Who chooses: ``opponent``, as in the paper the player who is not re-solved (see :meth:`leaf_values`); a seat; or
        ``both``.  A player who does not choose follows the first continuation.  That makes the re-solved player
        cautious, because below the leaves this player can only count on the blueprint.  With ``both`` the player plays
        for what could be chosen there, which in no-limit Leduc loses more, and the work is multiplied by the number of
        continuations (docs/resolving.md).
    run_outs:
        How many sequences of boards represent all that may come; None for all.  The sample is fixed by ``seed`` and the
        board, and every pair of hands is scaled to the run-outs that it does not block, which is unbiased
        (:func:`errai.resolving.pair_values.drawn_boards`).
    seed:
        Seed of that sample.
    threads:
        Threads that compute the matrices; by default one for each processor.
    stop:
        Checked while matrices are computed.  When it is set, :class:`~errai.errors.StoppedError` is raised, also out of
        a solve above; matrices that are complete are kept for the next time.

    Raises
    ------
    SolverOptionError
        If there is no continuation, the chooser is unknown, or the pot is raked.
    StrategyError
        If the strategy is for another game, or is no strategy.
    """

    def __init__(
        self,
        strategy: Strategy | BatchedStrategy | StateFunction,
        subject: Subject,
        *,
        menu: str | None = None,
        continuations: Sequence[Continuation] = CONTINUATIONS,
        chooser: str | int = "opponent",
        run_outs: int | None = RUN_OUTS,
        seed: int = 0,
        threads: int | None = None,
        stop: StopToken | None = None,
    ) -> None:
        self.threads = threads
        self.stop = stop
        if not continuations:
            raise SolverOptionError("Give at least one continuation, such as errai.resolving.continuations.BLUEPRINT.")
        if chooser not in ("opponent", "both", 0, 1):
            raise SolverOptionError(f"chooser must be 'opponent', 'both', 0 or 1, not {chooser!r}.")
        if run_outs is not None and run_outs < 1:
            raise SolverOptionError(f"run_outs must be at least 1, not {run_outs}.")
        if not subject.zero_sum:
            raise SolverOptionError("Continuations need a pot without rake; remove the rake from the spot.")
        require(strategy, subject)
        if isinstance(strategy, TreeStrategy):
            self.strategy, betting = strategy.asked, strategy.walk.betting
        elif isinstance(strategy, BatchedStrategy):
            own = getattr(strategy, "betting", None)
            self.strategy = strategy
            betting = build_betting_tree(subject, menu_of(subject, menu)) if own is None else own
        elif isinstance(strategy, Strategy) or callable(strategy):
            self.strategy = by_state = ByState(strategy, subject, menu)
            betting = by_state.betting
        else:
            raise StrategyError(f"{strategy!r:.80} is no strategy.")
        self.subject = subject
        self.walk = TreeWalk(betting, Translation.NEAREST_PSEUDO_HARMONIC, small_bets=True)
        self.continuations = tuple(continuations)
        self.chooser = chooser
        self.run_outs = run_outs
        self.seed = seed
        self._matrices: Recent[tuple[object, ...], Floats] = Recent(REMEMBERED_BYTES, attrgetter("nbytes"))
        """Later decisions of a street have the same lines below them."""
        self.name = f"continuations of {self.strategy.description}"

    def leaf_values(self, lookahead: Lookahead, player: int | None = None) -> ContinuationLeafValues:
        """See :class:`errai.resolving.below.ValuesBelow`; the opponent is the player who is not re-solved."""
        return ContinuationLeafValues(self, player)

    def values(
        self, state: PublicState, ranges: Ranges, player: int, above: Profile | None = None
    ) -> NDArray[np.float64]:
        """See :class:`errai.resolving.below.ValuesBelow`; the solution above is not used.

        The chooser chooses here, on this board; ``opponent`` means the player whose values are asked for.  If one
        player chooses, the best continuation is taken for each hand, because nothing that the other player does depends
        on it.  If both choose, they play the game of their choices by regret matching.
        """
        live = np.flatnonzero(live_hands(state))
        who = self.choosers(player)
        found = self.matrices([state], state.betting.round, state.board, Hands.alone(live), who)
        reach = [np.asarray(ranges[p], dtype=np.float64)[live][None, :] for p in (0, 1)]
        choices = [Choice((count, reach[p].size)) for p, count in enumerate(found.counts)]
        schedule = find_schedule("cfr+")
        for row in schedule.coefficients(1, ITERATIONS if len(who) == 2 else 1):
            for p in who:
                worth = found.worth(p, reach[1 - p], choices[1 - p].probabilities("played"))
                choices[p].learn(worth, row, reach[p].ravel())
        # The regrets of a single chooser are against fixed values; the best choice has the greatest regret.
        if len(who) == 1:
            regrets = choices[who[0]].regrets
            choices[who[0]].sums[...] = regrets == regrets.max(axis=0)
        worth = found.worth(player, reach[1 - player], choices[1 - player].probabilities("average"))
        values = np.zeros(len(ranges[player]))
        values[live] = worth.max(axis=0)
        return values

    def choosers(self, opponent: int) -> tuple[int, ...]:
        """Return the seats that choose, given the opponent's seat; none if there is nothing to choose."""
        if len(self.continuations) == 1:
            return ()
        if self.chooser == "both":
            return 0, 1
        return (opponent if self.chooser == "opponent" else int(self.chooser),)

    def matrices(
        self,
        states: Sequence[PublicState],
        round_: int,
        board: tuple[int, ...],
        hands: Hands,
        choosers: tuple[int, ...],
    ) -> LeafMatrices:
        """Return the values of pairs of hands below some states.

        ``states`` are betting lines to the same street, whose cards are not read; ``round_`` is the street of the game
        that comes next, or begins; ``board`` has the cards on the table in the order in which they were dealt, and none
        of the ``hands`` holds one of them.
        """
        game = self.subject.rules
        require_same(self.subject, states[0].subject, self.name)
        counts = [len(self.continuations) if p in choosers else 1 for p in (0, 1)]
        ended = [state.betting.actor < 0 for state in states]
        size = (len(states) - sum(ended)) * counts[0] * counts[1] * len(hands.held[0]) * len(hands.held[1])
        if 4 * size > MOST_BYTES:
            raise TreeTooLargeError(
                f"The continuations below {len(states)} lines take {bytes_text(4 * size)}; use fewer bet sizes "
                "or continuations, or let one player choose."
            )
        ends = [game.board_cards_in(r) for r in range(game.num_rounds)]
        new = (ends[round_] - len(board), *(b - a for a, b in pairwise(ends[round_:])))
        # As batched strategies take a board: the cards of each street ascending.
        ordered = tuple(card for a, b in pairwise([0, *ends]) for card in sorted(board[a:b]))
        left = game.deck.num_cards - len(board)
        all_of_them = run_out_count(left, new)
        drawn = self.run_outs
        if drawn is not None:
            drawn = max(drawn, UNBLOCKED * all_of_them // run_out_count(left - 2 * game.num_hole_cards, new))
        run_outs = drawn_boards(game.deck.num_cards, board, new, drawn, self.seed)
        pairs = PairValues(
            game,
            self.strategy,
            self.walk.betting.first_round,
            ordered,
            hands.held,
            (self.continuations[: counts[0]], self.continuations[: counts[1]]),
            run_outs,
            np.float64 if 8 * size <= SMALL_BYTES else np.float32,
            default_threads() if self.threads is None else self.threads,
            self.stop,
        )
        # The chances to win if there are no more bets, over all boards, also where only some boards are drawn.
        sampled = len(run_outs) < all_of_them
        here = round_, ordered, tuple(counts), hands.digest(), pairs.dtype
        margins = self._matrices.get_or_make(here, lambda: self._margins(board, hands) if sampled else pairs.margins)
        stakes = np.array([state.stake_chips for state in states])

        def counted(state: PublicState, stake: float) -> Floats:
            matrix = pairs.matrices(rest_of(self.walk, state, round_))
            if sampled:
                # A control variate: how far the sample's showdowns are from all boards' is known, and is corrected for
                # the pot.
                matrix += pairs.dtype(stake) * (margins - pairs.margins)
            means = hands.means(matrix)
            first, second, rows, columns = means.shape
            return np.ascontiguousarray(means.transpose(0, 2, 1, 3)).reshape(first * rows, second * columns)

        leaves = [
            None if over else self._matrices.get_or_make((*here, state.actions), partial(counted, state, stake))
            for state, stake, over in zip(states, stakes.tolist(), ended, strict=True)
        ]
        shown = hands.means(margins[None, None])[0, 0]
        return LeafMatrices((counts[0], counts[1]), hands.sizes, leaves, shown, stakes)

    def _margins(self, board: tuple[int, ...], hands: Hands) -> Floats:
        """Return float[H_0, H_1]: player 0's chance to win less that to lose; 0 for pairs that share a card."""
        run_outs = run_outs_of(self.subject)
        both = np.union1d(*hands.held)
        ahead = run_outs.ahead(board, both)[np.ix_(*(np.searchsorted(both, h) for h in hands.held))]
        return ahead / run_outs.boards_left(board)


class ContinuationLeafValues(LeafValues):
    """The leaf values of :class:`Continuations` for one trunk.

    The choice is part of the run's checkpoint.  The matrices of pairs of hands are computed when the trunk is first
    seen, which takes longer than an iteration.
    """

    def __init__(self, continuations: Continuations, player: int | None = None) -> None:
        self.continuations = continuations
        self.player = player
        """The player who is re-solved; None for the one who acts at the root of the trunk."""
        self.name = continuations.name
        self._trunk: PublicTree | None = None
        self._boards: list[LeafMatrices] = []
        self._choices: tuple[Choice, ...] = ()
        self.choosers: tuple[int, ...] = ()
        """The seats that choose."""

    def values(self, trunk: PublicTree, reach: Pair, player: int) -> LeafArrays:
        """Return the values under the average choices so far."""
        return self._measured(trunk, reach, player)[0]

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """Update the player's choice as the trunk is updated."""
        self._see(trunk)
        player = half.player
        worth = self._worth(trunk, half.reach, player, self._choices[1 - player].probabilities("played"))
        own = half.reach[player][-1] if half.weighted else 1.0
        return at_last_leaves(self._choices[player].learn(worth, half.coefficients, own), half.reach[player])

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Return the values under the average choices, and under the best choice of each hand."""
        first, second = (self._measured(trunk, reach, p) for p in (0, 1))
        return LeafMeasurement((first[0], second[0]), (first[1], second[1]))

    def _measured(self, trunk: PublicTree, reach: Pair, player: int) -> tuple[LeafArrays, LeafArrays]:
        self._see(trunk)
        own, other = (self._choices[p].probabilities("average") for p in (player, 1 - player))
        worth = self._worth(trunk, reach, player, other)
        both = (own * worth).sum(axis=0), worth.max(axis=0)
        return at_last_leaves(both[0], reach[player]), at_last_leaves(both[1], reach[player])

    def choices(self, trunk: PublicTree, player: int) -> NDArray[np.float64]:
        """Return float64[K, n]: how often each continuation is chosen, on average, at each of the player's leaves."""
        self._see(trunk)
        return self._choices[player].probabilities("average")

    def arrays(self, trunk: PublicTree) -> dict[str, NDArray[Any]]:
        self._see(trunk)
        return {name: a for p in self.choosers for name, a in self._choices[p].arrays(f"leaves/{p}").items()}

    def adopt(self, trunk: PublicTree, arrays: Mapping[str, NDArray[Any]]) -> None:
        for name, own in self.arrays(trunk).items():
            own[...] = arrays[name]

    def _see(self, trunk: PublicTree) -> None:
        """Compute the matrices below a trunk, once."""
        if trunk is self._trunk:
            return
        if trunk.depth is None:
            raise InputError("The tree has no leaves; continuations are for a tree that is cut.")
        below, state = self.continuations, PublicState.start(trunk.subject)
        street = np.asarray(trunk.betting.street_nodes(len(trunk.deal.streets) - 1))
        states = [_state_of(trunk.betting, int(node), state) for node in street[trunk.betting.kind[street] == LEAF]]
        level, self._boards = trunk.deal.streets[-1], []
        self.choosers = below.choosers(1 - (int(trunk.betting.actor[0]) if self.player is None else self.player))
        root = len(state.board)
        # A tree may merge more than isomorphic suits; the strategy may then distinguish hands that the tree merges.
        by_suits = len(trunk.root.symmetries) <= factorial(trunk.root.deck.num_suits)
        one_of_each = by_suits and says(below.strategy, "suits_alike")
        for b, board in enumerate(level.boards.tolist()):
            hands = Hands.on(trunk, b, one_of_each=one_of_each)
            dealt = (*state.board, *board[root:])
            self._boards.append(below.matrices(states, trunk.depth + 1, dealt, hands, self.choosers))
        self._choices = tuple(
            Choice((self._boards[0].counts[p], len(states) * int(level.hands[p].start[-1])), trunk.arrays.tie)
            for p in (0, 1)
        )
        self._trunk = trunk

    def _worth(self, trunk: PublicTree, reach: Pair, player: int, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return float64[K_p, n]: the values of a player's continuations, against the other player's ``shares``."""
        street = trunk.arrays.streets[-1]
        mine, theirs = street.hands[player].start, street.hands[1 - player].start
        found = np.empty((self._boards[0].counts[player], street.num_leaves * int(mine[-1])))
        for b, matrices in enumerate(self._boards):
            own, other = (
                slice(street.num_leaves * int(s[b]), street.num_leaves * int(s[b + 1])) for s in (mine, theirs)
            )
            entering = reach[1 - player][-1][other].reshape(street.num_leaves, -1)
            found[:, own] = matrices.worth(player, entering, shares[:, other])
        return found


def _state_of(betting: BettingTree, node: int, state: PublicState) -> PublicState:
    """Return the state at a node of a tree that begins at ``state``; its cards may still have to be dealt."""
    children = []
    while node >= 0:
        if betting.action_kind[node] >= 0:
            children.append(node)
        node = int(betting.parent[node])
    for child in reversed(children):
        state = state.ahead(action_in(betting, child, state))
    return state
