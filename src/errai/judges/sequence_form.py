"""Exact solution of small games by the sequence-form linear program.

The method is that of Koller, Megiddo & von Stengel (1994) and von Stengel (1996).  It is based on the explicit game,
and so shares no suit isomorphism, deal tree or kernel with the solver that it checks.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.strength import strengths_on_board
from errai.errors import LinearProgramError, TreeTooLargeError, UnsupportedGameError, needs_extra
from errai.games.game import Game
from errai.judges.explicit_game import (
    Behaviour,
    Board,
    Floats,
    Root,
    Strategy,
    action_probabilities,
    compatible,
    read_root,
)
from errai.tree.betting_tree import BettingTree, NodeKind

if TYPE_CHECKING:
    import scipy.sparse

Integers = NDArray[np.int64]

TOLERANCES = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
"""The smallest that HiGHS takes."""


@dataclass(frozen=True)
class _Street:
    """All real boards of a street with the hands that can be held on them, board after board."""

    boards: list[Board]
    board: tuple[Integers, Integers]  # per player [M]: index into boards
    hand: tuple[Integers, Integers]  # per player [M]: hand index
    up: tuple[Integers, Integers]  # per player [M]: position of the same hand on the previous street
    first: Integers  # [K] pairs that can be dealt together: position of player 0's hand
    second: Integers  # [K] position of player 1's hand
    probability: Floats  # [K] chance of the two hands and the board
    sign: Floats  # [K] +1 if player 0 has the better hand, -1 the worse, 0 equal; last street only


def _deal_street(root: Root, street: int, previous: _Street | None, last: bool) -> _Street:
    deck, ranking = root.game.deck, root.game.ranking
    chance = 1.0 / (root.mass * root.deal_count(street, 2))
    old_boards = [root.board] if previous is None else previous.boards
    num_hands = len(root.hands)
    # places[p][b, h] is the position at which the previous street lists hand h on its board b.
    places = [np.full((len(old_boards), num_hands), -1, dtype=np.int64) for _ in range(2)]
    if previous is not None:
        for p in range(2):
            places[p][previous.board[p], previous.hand[p]] = np.arange(len(previous.hand[p]))
    boards: list[Board] = []
    parts: list[list[NDArray[Any]]] = []  # of every board: the fields of a street after its boards, one after another
    counts = [0, 0]
    for parent, old in enumerate(old_boards):
        for new in combinations(sorted(set(range(deck.num_cards)) - set(old)), root.dealt[street]):
            free = ~np.isin(root.hands, new).any(axis=1)
            live = [np.flatnonzero(free & (root.weights[p] > 0)) for p in range(2)]
            if previous is not None:
                live = [h[places[p][parent, h] >= 0] for p, h in enumerate(live)]
            pairs = compatible(root.hands[live[0]], root.hands[live[1]])
            keep = [pairs.any(axis=1), pairs.any(axis=0)]
            live = [h[k] for h, k in zip(live, keep, strict=True)]
            if not len(live[0]):
                continue
            i, j = np.nonzero(pairs[np.ix_(*keep)])
            sign = np.zeros(0)
            if last:
                ranks = strengths_on_board((*old, *new), root.hands, deck, ranking).astype(np.int64)
                sign = np.sign(ranks[live[0][i]] - ranks[live[1][j]]).astype(np.float64)
            on_board = [np.full(len(hands), len(boards)) for hands in live]
            up = [places[p][parent, live[p]] for p in range(2)]
            probability = root.weights[0][live[0][i]] * root.weights[1][live[1][j]] * chance
            parts.append([*on_board, *live, *up, counts[0] + i, counts[1] + j, probability, sign])
            counts = [count + len(hands) for count, hands in zip(counts, live, strict=True)]
            boards.append((*old, *new))
    board0, board1, hand0, hand1, up0, up1, *of_pairs = (np.concatenate(part) for part in zip(*parts, strict=True))
    return _Street(boards, (board0, board1), (hand0, hand1), (up0, up1), *of_pairs)


def refuse_large(betting: BettingTree, root: Root, max_entries: int) -> None:
    """Raise TreeTooLargeError if there are too many sequences or payoff entries; the counts may be a little high."""
    live = [np.flatnonzero(w) for w in root.weights]
    pairs = int(compatible(root.hands[live[0]], root.hands[live[1]]).sum())
    kind, street = np.asarray(betting.kind), np.asarray(betting.street)
    entries = sequences = 0
    for s in range(betting.num_streets):
        ends = int(((street == s) & ((kind == NodeKind.FOLD) | (kind == NodeKind.SHOWDOWN))).sum())
        entries += ends * pairs * root.deal_count(s, 2)
        for player in range(2):
            deciding = (street == s) & (kind == NodeKind.DECISION) & (np.asarray(betting.actor) == player)
            rows = int(np.asarray(betting.num_children)[deciding].sum())
            sequences += rows * len(live[player]) * root.deal_count(s, 1)
    if max(entries, sequences) > max_entries:
        raise TreeTooLargeError(
            f"The sequence form needs {entries:,} payoff entries and {sequences:,} sequences; max_entries is"
            f" {max_entries:,}. Use fewer hands or bet sizes, or solve it with errai.solve."
        )


@dataclass(frozen=True, eq=False)
class Decision:
    """The information sets of one player at a node of the betting tree: A actions, M places.

    A *place* is what the player may know of the cards there.

    Attributes
    ----------
    node:
        The node.
    leading:
        int64[M]: the player's last sequence before the node, by place.
    sequences:
        int64[A, M]: the sequences that end with the node's actions.
    kept:
        bool[M]: where the player's strategy is locked.
    chosen:
        float64[A, M]: the locked strategy; 0 elsewhere.
    """

    node: int
    leading: Integers
    sequences: Integers
    kept: NDArray[np.bool_]
    chosen: Floats


def sparse_matrices() -> Any:
    """Return SciPy's sparse matrices.  Raises :class:`MissingExtraError` where SciPy is not installed."""
    with needs_extra("scipy", "The sequence form"):
        from scipy import sparse
    return sparse


def optimal_plans(
    payoffs: Any, own: Any, other: Any, method: str = "highs-ipm", options: Mapping[str, Any] | None = None
) -> tuple[Floats, Floats]:
    """Return optimal plans of both players by the linear program of :meth:`Sequences.solve`.

    ``payoffs``, ``own`` and ``other`` are sparse matrices: player 0's net chips, and the constraints of both players.
    Raises :class:`LinearProgramError` if HiGHS stopped without an optimum.
    """
    with needs_extra("scipy", "A linear program"):
        from scipy.optimize import OptimizeWarning, linprog
    sparse = sparse_matrices()
    (s0, s1), rows0, rows1 = payoffs.shape, own.shape[0], other.shape[0]
    # Payoffs include the probability of the cards and can be tiny, but tolerances are absolute, so scale them up.
    scale = float(np.abs(payoffs.data).mean()) if payoffs.nnz else 1.0
    with warnings.catch_warnings():
        # SciPy warns about options that it passes on to HiGHS.
        warnings.simplefilter("ignore", OptimizeWarning)
        result = linprog(
            c=np.concatenate([np.zeros(s0), [-1.0], np.zeros(rows1 - 1)]),
            A_ub=sparse.hstack([-payoffs.T / (scale or 1.0), other.T], format="csc"),
            b_ub=np.zeros(s1),
            A_eq=sparse.hstack([own, sparse.csr_matrix((rows0, rows1))], format="csc"),
            b_eq=np.concatenate([[1.0], np.zeros(rows0 - 1)]),
            bounds=[(0, None)] * s0 + [(None, None)] * rows1,
            method=method,
            options=dict(TOLERANCES if options is None else options),
        )
    if result.status != 0:
        raise LinearProgramError(f"HiGHS found no optimum of the sequence form: {result.message}")
    return result.x[:s0], -result.ineqlin.marginals


class Sequences:
    """The sequence form of a game on a betting tree, whatever the players know of the cards.

    A sequence of a player is the empty one (number 0), or an action together with what the player knew.  Its weight in
    a *realization plan* is the product of the player's own action probabilities up to it (von Stengel 1996).

    ``before`` has for each street and player int64[M], the place on the street before that leads to each of the M
    places; any numbers for the first street.  ``ends`` gives for a node where the hand ends its pairs of places of both
    players, and player 0's net chips times the probability of each pair.  ``locks`` gives for a node with a decision
    ``kept`` and ``chosen``, see :class:`Decision`.

    ``num_sequences``, ``num_information_sets`` and ``decisions``, parents before their children, are by player.
    ``payoffs``, sparse float64[S0, S1], are player 0's net chips times the probability of the cards.
    """

    NEVER = 1e-12
    """Below this weight a plan counts as not reaching an information set."""

    def __init__(
        self,
        betting: BettingTree,
        before: Sequence[tuple[Integers, Integers]],
        ends: Callable[[int], tuple[Integers, Integers, Floats]],
        locks: Callable[[int], tuple[NDArray[np.bool_], Floats]] | None = None,
    ) -> None:
        self.betting = betting
        self.leading: tuple[list[Integers], list[Integers]] = ([], [])
        """By player and node int64[M]: the player's last sequence before the node, by place."""
        first = np.zeros(len(betting), dtype=np.int64)
        count = [1, 1]
        for node, (street, parent) in enumerate(zip(betting.street.tolist(), betting.parent.tolist(), strict=True)):
            for p, leading in enumerate(self.leading):
                size = len(before[street][p])
                if parent < 0:
                    leading.append(np.zeros(size, dtype=np.int64))
                elif betting.kind[parent] == NodeKind.CHANCE:
                    leading.append(leading[parent][before[street][p]])
                elif betting.actor[parent] == p:
                    first[node] = count[p]
                    leading.append(np.arange(count[p], count[p] + size))
                    count[p] += size
                else:
                    leading.append(leading[parent])
        self.num_sequences = (count[0], count[1])
        self.decisions: tuple[list[Decision], list[Decision]] = ([], [])
        for node in np.flatnonzero(betting.kind == NodeKind.DECISION).tolist():
            player = int(betting.actor[node])
            before_it = self.leading[player][node]
            sequences = first[betting.children(node), None] + np.arange(len(before_it))
            free = np.zeros(len(before_it), dtype=bool), np.zeros(sequences.shape)
            self.decisions[player].append(Decision(node, before_it, sequences, *(locks(node) if locks else free)))
        sets = [sum(len(decision.leading) for decision in own) for own in self.decisions]
        self.num_information_sets = (sets[0], sets[1])
        self.payoffs = self._payoffs(ends)

    def _payoffs(self, ends: Callable[[int], tuple[Integers, Integers, Floats]]) -> scipy.sparse.csr_matrix:
        kind = self.betting.kind
        rows, columns, values = [], [], []
        for node in np.flatnonzero((kind != NodeKind.DECISION) & (kind != NodeKind.CHANCE)).tolist():
            first, second, worth = ends(node)
            rows.append(self.leading[0][node][first])
            columns.append(self.leading[1][node][second])
            values.append(worth)
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sparse_matrices().coo_matrix(entries, shape=self.num_sequences).tocsr()

    @cached_property
    def constraints(self) -> tuple[scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
        """Per player sparse float64[1 + information sets + locked actions, S], which a plan satisfies.

        The empty sequence has weight 1.  At each information set the actions' weights sum to the weight of the sequence
        that leads there.  A locked action's weight is its probability times that weight.
        """
        return self._constraints(0), self._constraints(1)

    def _constraints(self, player: int) -> scipy.sparse.csr_matrix:
        rows, columns, values = [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)], [np.ones(1)]
        count = 1
        for decision in self.decisions[player]:
            sets = np.arange(count, count + len(decision.leading))
            count += len(sets)
            rows += [sets, np.tile(sets, len(decision.sequences))]
            columns += [decision.leading, decision.sequences.ravel()]
            values += [np.full(len(sets), -1.0), np.ones(decision.sequences.size)]
        for decision in self.decisions[player]:
            # The probability of the last action follows from the sum, so it needs no constraint.
            kept = decision.kept
            for at, plays in zip(decision.sequences[:-1, kept], decision.chosen[:-1, kept], strict=True):
                sets = np.arange(count, count + len(at))
                count += len(at)
                rows += [sets, sets]
                columns += [at, decision.leading[kept]]
                values += [np.ones(len(at)), -plays]
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sparse_matrices().coo_matrix(entries, shape=(count, self.num_sequences[player])).tocsr()

    def plan_of(self, player: int, shares: Iterable[Floats]) -> Floats:
        """Return a realization plan, float64[sequences], from float64[A, M] for each of the player's decisions."""
        weights = np.zeros(self.num_sequences[player])
        weights[0] = 1.0
        for decision, share in zip(self.decisions[player], shares, strict=True):
            weights[decision.sequences] = share * weights[decision.leading]
        return weights

    def shares_of(self, player: int, plan: Floats) -> Iterator[Floats]:
        """Yield for each decision of a player the action probabilities of a realization plan, float64[A, M]."""
        for decision in self.decisions[player]:
            weights = np.maximum(plan[decision.sequences], 0.0)
            total = weights.sum(axis=0)
            led = total > self.NEVER
            yield np.where(led, weights / np.where(led, total, 1.0), self.unreached(decision)[:, None])

    def unreached(self, decision: Decision) -> Floats:
        """Return float64[A]: what is played where a plan does not lead; every action equally often."""
        return np.full(len(decision.sequences), 1.0 / len(decision.sequences))

    def value(self, first: Floats, second: Floats) -> float:
        """Return player 0's net chips on average if the players follow these realization plans."""
        return float(first @ (self.payoffs @ second))

    def best_response_value(self, player: int, opponent_plan: Floats) -> float:
        """Return a player's net chips on average with a best response to the opponent's plan, with locks kept."""
        values = self.payoffs @ opponent_plan if player == 0 else -(self.payoffs.T @ opponent_plan)
        # In this order, everything after a node's actions has been added to their values already.
        for decision in reversed(self.decisions[player]):
            actions = values[decision.sequences]
            best = np.where(decision.kept, (decision.chosen * actions).sum(axis=0), actions.max(axis=0))
            np.add.at(values, decision.leading, best)
        return float(values[0])

    def exploitability(self, first: Floats, second: Floats) -> float:
        """Return half the sum of both players' gains by a best response (nash_conv / 2), in chips."""
        return (self.best_response_value(0, second) + self.best_response_value(1, first)) / 2

    def solve(self, method: str, options: Mapping[str, Any]) -> tuple[Floats, Floats]:
        """Return optimal plans of both players by linear programming, up to the tolerances of HiGHS.

        Player 0's plan x maximises the first entry of q subject to ``F' q <= A' x``, ``E x = e``, ``x >= 0``, where A
        are the payoffs and E, F the constraints.  Player 1's plan is the dual solution.

        Parameters
        ----------
        method, options:
            Those of ``scipy.optimize.linprog``.

        Raises
        ------
        LinearProgramError
            HiGHS stopped without an optimum.
        """
        return optimal_plans(self.payoffs, *self.constraints, method, options)


class SequenceForm(Sequences):
    """The sequence form of a game with real boards and hands; a place is a board with a hand of the player.

    Parameters and errors are those of :func:`sequence_form_lp`, which has no ``method`` here.
    """

    def __init__(
        self,
        betting: BettingTree,
        game: Game,
        *,
        board: Iterable[int] = (),
        ranges: tuple[Any, Any] | None = None,
        locked: Behaviour | None = None,
        max_entries: int = 5_000_000,
    ) -> None:
        if betting.rake_chips is not None:
            raise UnsupportedGameError(
                "A linear program solves zero-sum games only, and here the house takes a rake; remove it."
            )
        root = read_root(betting, game, board, ranges)
        refuse_large(betting, root, max_entries)
        self._streets: list[_Street] = []
        for s in range(betting.num_streets):
            previous = self._streets[-1] if self._streets else None
            self._streets.append(_deal_street(root, s, previous, s == betting.num_streets - 1))
        self._locked = locked or {}
        super().__init__(betting, [street.up for street in self._streets], self._end, self._lock)

    def _end(self, node: int) -> tuple[Integers, Integers, Floats]:
        street, in_pot = self._streets[int(self.betting.street[node])], self.betting.contributions[node]
        if self.betting.kind[node] == NodeKind.FOLD:
            net = np.full(len(street.first), -in_pot[0] if self.betting.actor[node] == 0 else in_pot[1])
        else:
            net = street.sign * np.where(street.sign > 0, in_pot[1], in_pot[0])
        return street.first, street.second, net * street.probability

    def _keys(self, node: int) -> list[tuple[int, Board, int]]:
        """Return the key (node, board, hand) of every place at a decision."""
        street, player = self._streets[int(self.betting.street[node])], int(self.betting.actor[node])
        places = zip(street.board[player], street.hand[player], strict=True)
        return [(node, street.boards[b], int(h)) for b, h in places]

    def _lock(self, node: int) -> tuple[NDArray[np.bool_], Floats]:
        keys = self._keys(node) if self._locked else []
        street, player = self._streets[int(self.betting.street[node])], int(self.betting.actor[node])
        kept = np.zeros(len(street.hand[player]), dtype=bool)
        chosen = np.zeros((int(self.betting.num_children[node]), len(kept)))
        for i, key in enumerate(keys):
            if key in self._locked:
                kept[i], chosen[:, i] = True, action_probabilities(self._locked, key, len(chosen))
        return kept, chosen

    def plan(self, player: int, strategy: Strategy) -> Floats:
        """Return the player's realization plan, float64[sequences], of a behaviour strategy.

        Raises
        ------
        StrategyError
            The strategy lacks an information set, or is not a distribution there.
        """
        shares = (
            np.array([action_probabilities(strategy, key, len(d.sequences)) for key in self._keys(d.node)])
            .reshape(-1, len(d.sequences))
            .T
            for d in self.decisions[player]
        )
        return self.plan_of(player, shares)

    def behaviour(self, player: int, plan: Floats) -> dict[tuple[int, Board, int], Floats]:
        """Return the action probabilities of a realization plan by (betting node, board, hand index).

        The actions are equally likely where the plan has weight 0.
        """
        result: dict[tuple[int, Board, int], Floats] = {}
        for decision, shares in zip(self.decisions[player], self.shares_of(player, plan), strict=True):
            result.update(zip(self._keys(decision.node), shares.T, strict=True))
        return result


@dataclass(frozen=True)
class SequenceFormSolution:
    """An equilibrium from the sequence-form linear program, with its proof.

    Attributes
    ----------
    value:
        Player 0's net chips on average; in a spot, add half the initial pot for the share of the pot.
    plans:
        Both realization plans, float64[sequences].
    strategies:
        Both behaviour strategies, by (betting node, board, hand index); float64[actions] each.
    duality_gap:
        The nash_conv of the two plans in chips: 0 up to rounding.  The game's value lies within it of ``value``.
    form:
        The matrices.
    """

    value: float
    plans: tuple[Floats, Floats]
    strategies: tuple[dict[tuple[int, Board, int], Floats], dict[tuple[int, Board, int], Floats]]
    duality_gap: float
    form: SequenceForm


def sequence_form_lp(
    betting: BettingTree,
    game: Game,
    *,
    board: Iterable[int] = (),
    ranges: tuple[Any, Any] | None = None,
    locked: Behaviour | None = None,
    max_entries: int = 5_000_000,
    method: str = "highs-ipm",
) -> SequenceFormSolution:
    """Solve a small game exactly by the sequence-form linear program (Koller, Megiddo & von Stengel 1994) with HiGHS.

    The gap of the two plans is recomputed by best responses and does not depend on the solver's own report.

    Parameters
    ----------
    betting:
        The whole betting tree; its contributions are chips, and the winner gains the loser's.
    game:
        Deck, number of cards and ranking.
    board:
        The cards known at the root, in dealt order; empty to deal them by chance.
    ranges:
        Weights per hand index, one vector (or Range) for each player; None if every hand is equally likely.
    locked:
        Probabilities of the actions by (betting node, board, hand index) that a player must keep; a board has the cards
        of each street ascending.  The solution is an equilibrium of the rest.
    max_entries:
        Games with more payoff entries or sequences than this are refused.
    method:
        The method of ``scipy.optimize.linprog``: ``highs-ipm`` (interior point and then a vertex, fastest on most
        spots), ``highs-ds`` (simplex) or ``highs`` (its own choice).

    Raises
    ------
    CardsError
        The board repeats a card, has one that is not in the deck, or has the wrong number of cards.
    StrategyError
        A range has the wrong length or a negative weight, or the ranges exclude each other.
    UnsupportedGameError
        The betting tree does not reach the end of the game, or the pot is raked.
    TreeTooLargeError
        The game needs more than ``max_entries``.
    LinearProgramError
        HiGHS stopped without an optimum.
    """
    form = SequenceForm(betting, game, board=board, ranges=ranges, locked=locked, max_entries=max_entries)
    raw = form.solve(method, TOLERANCES)
    # Conversion to behaviour strategies and back makes the plans satisfy their constraints to the last digit.
    strategies = (form.behaviour(0, raw[0]), form.behaviour(1, raw[1]))
    plans = (form.plan(0, strategies[0]), form.plan(1, strategies[1]))
    return SequenceFormSolution(form.value(*plans), plans, strategies, 2 * form.exploitability(*plans), form)
