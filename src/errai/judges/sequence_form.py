"""Exact solution of small games by the sequence-form linear program.

The method is that of Koller, Megiddo & von Stengel (1994) and von Stengel (1996).  It is based on the explicit game,
and so shares no suit isomorphism, deal tree or kernel with the solver that it checks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from errai.cards.strength import strengths_on_board
from errai.errors import LinearProgramError, TreeTooLargeError, UnsupportedGameError
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

Integers = NDArray[np.int64]


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
    lists: dict[str, list[Any]] = {name: [] for name in ("first", "second", "probability", "sign")}
    of_player: list[dict[str, list[Any]]] = [{"board": [], "hand": [], "up": []} for _ in range(2)]
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
            lists["first"].append(counts[0] + i)
            lists["second"].append(counts[1] + j)
            lists["probability"].append(root.weights[0][live[0][i]] * root.weights[1][live[1][j]] * chance)
            if last:
                ranks = strengths_on_board((*old, *new), root.hands, deck, ranking).astype(np.int64)
                lists["sign"].append(np.sign(ranks[live[0][i]] - ranks[live[1][j]]).astype(np.float64))
            for p in range(2):
                of_player[p]["board"].append(np.full(len(live[p]), len(boards)))
                of_player[p]["hand"].append(live[p])
                of_player[p]["up"].append(places[p][parent, live[p]])
                counts[p] += len(live[p])
            boards.append((*old, *new))

    def joined(parts: list[Any], dtype: type) -> NDArray[Any]:
        return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype=dtype)

    def both(name: str) -> tuple[Integers, Integers]:
        return joined(of_player[0][name], np.int64), joined(of_player[1][name], np.int64)

    return _Street(
        boards, both("board"), both("hand"), both("up"),
        joined(lists["first"], np.int64), joined(lists["second"], np.int64),
        joined(lists["probability"], np.float64), joined(lists["sign"], np.float64),
    )  # fmt: skip


def _refuse_large(betting: BettingTree, root: Root, max_entries: int) -> None:
    """Raise TreeTooLargeError if sequences or payoff entries, whose counts are exact or
    slightly high, exceed the limit.
    """
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


class SequenceForm:
    """The sequence form of a game: payoffs by pairs of sequences, and the constraints of both realization plans.

    A sequence of a player is the empty one (number 0) or (action, board, own hand).  Its weight in a realization plan
    is the product of the player's own action probabilities up to it (von Stengel 1996).

    Attributes
    ----------
    payoffs:
        Sparse float64[S0, S1]: player 0's net chips times the probability of the hands and the board.
    constraints:
        Per player sparse float64[1 + information sets + locked actions, S].  The empty sequence has weight 1.  At each
        information set the actions' weights sum to the weight of the sequence that leads there.  A locked action's
        weight is its probability times that weight.
    num_information_sets, num_sequences:
        Per player.
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
        """Write out the matrices of the game; parameters and errors as for :func:`sequence_form_lp`."""
        if betting.rake_chips is not None:
            raise UnsupportedGameError("A linear program solves zero-sum games only, and this one is raked.")
        self.betting = betting
        self._locked = locked or {}
        root = read_root(betting, game, board, ranges)
        _refuse_large(betting, root, max_entries)
        self._streets: list[_Street] = []
        for s in range(betting.num_streets):
            previous = self._streets[-1] if self._streets else None
            self._streets.append(_deal_street(root, s, previous, s == betting.num_streets - 1))
        self._number_sequences()
        self.payoffs = self._build_payoffs()
        self.constraints = (self._build_constraints(0), self._build_constraints(1))

    def _number_sequences(self) -> None:
        """Number the sequences; ``_leading[p][n]`` lists, per position, player p's last sequence before node n."""
        tree = self.betting
        self._start = np.full(len(tree.kind), -1, dtype=np.int64)  # first sequence of the action leading to a node
        self._leading: tuple[list[Integers], list[Integers]] = ([], [])
        sequences, sets = [1, 1], [0, 0]
        for node in range(len(tree.kind)):
            street, parent = self._streets[int(tree.street[node])], int(tree.parent[node])
            for p in range(2):
                if parent < 0:
                    leading = np.zeros(len(street.hand[p]), dtype=np.int64)
                elif tree.kind[parent] == NodeKind.CHANCE:
                    leading = self._leading[p][parent][street.up[p]]
                elif tree.actor[parent] == p:
                    leading = np.arange(sequences[p], sequences[p] + len(street.hand[p]))
                    self._start[node] = sequences[p]
                    sequences[p] += len(street.hand[p])
                else:
                    leading = self._leading[p][parent]
                self._leading[p].append(leading)
            if tree.kind[node] == NodeKind.DECISION:
                sets[int(tree.actor[node])] += len(street.hand[int(tree.actor[node])])
        self.num_sequences = (sequences[0], sequences[1])
        self.num_information_sets = (sets[0], sets[1])

    def _decisions(self, player: int) -> list[int]:
        tree = self.betting
        return [n for n in range(len(tree.kind)) if tree.kind[n] == NodeKind.DECISION and tree.actor[n] == player]

    def _children(self, node: int) -> range:
        first = int(self.betting.first_child[node])
        return range(first, first + int(self.betting.num_children[node]))

    def _sequences(self, node: int) -> Integers:
        """Return [actions, M]: the sequences of a decision node's actions."""
        size = len(self._leading[int(self.betting.actor[node])][node])
        return np.stack([np.arange(self._start[c], self._start[c] + size) for c in self._children(node)])

    def _build_payoffs(self) -> sparse.csr_matrix:
        tree = self.betting
        rows, columns, values = [], [], []
        for node in range(len(tree.kind)):
            street = self._streets[int(tree.street[node])]
            in_pot = tree.contributions[node]
            if tree.kind[node] == NodeKind.FOLD:
                net = np.full(len(street.first), -in_pot[0] if tree.actor[node] == 0 else in_pot[1])
            elif tree.kind[node] == NodeKind.SHOWDOWN:
                net = street.sign * np.where(street.sign > 0, in_pot[1], in_pot[0])
            else:
                continue
            rows.append(self._leading[0][node][street.first])
            columns.append(self._leading[1][node][street.second])
            values.append(net * street.probability)
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sparse.coo_matrix(entries, shape=self.num_sequences).tocsr()

    def _build_constraints(self, player: int) -> sparse.csr_matrix:
        rows, columns, values = [np.zeros(1, dtype=np.int64)], [np.zeros(1, dtype=np.int64)], [np.ones(1)]
        count = 1
        for node in self._decisions(player):
            leading, sequences = self._leading[player][node], self._sequences(node)
            sets = np.arange(count, count + len(leading))
            count += len(leading)
            rows += [sets, np.tile(sets, len(sequences))]
            columns += [leading, sequences.ravel()]
            values += [np.full(len(leading), -1.0), np.ones(sequences.size)]
        for node in self._decisions(player):
            leading, sequences = self._leading[player][node], self._sequences(node)
            kept, chosen = self._kept(node)
            # The probability of the last action follows from the sum, so it needs no constraint.
            for at, plays in zip(sequences[:-1, kept], chosen[:-1, kept], strict=True):
                sets = np.arange(count, count + len(at))
                count += len(at)
                rows += [sets, sets]
                columns += [at, leading[kept]]
                values += [np.ones(len(at)), -plays]
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return sparse.coo_matrix(entries, shape=(count, self.num_sequences[player])).tocsr()

    def _information_sets(self, player: int) -> Iterable[tuple[int, Integers, list[tuple[int, Board, int]]]]:
        """Yield for each decision node its sequences [actions, M] and the keys (node,
        board, hand) of its M positions.
        """
        for node in self._decisions(player):
            street = self._streets[int(self.betting.street[node])]
            places = zip(street.board[player], street.hand[player], strict=True)
            yield node, self._sequences(node), [(node, street.boards[b], int(h)) for b, h in places]

    def _kept(self, node: int) -> tuple[NDArray[np.bool_], Floats]:
        """Return bool[M] and float64[actions, M]: where the strategy at a decision node
        is locked, and the locked strategy.
        """
        street, player = self._streets[int(self.betting.street[node])], int(self.betting.actor[node])
        places = zip(street.board[player], street.hand[player], strict=True)
        keys = [(node, street.boards[b], int(h)) for b, h in places]
        kept = np.array([key in self._locked for key in keys], dtype=bool)
        chosen = np.zeros((len(self._children(node)), len(keys)))
        for i in np.flatnonzero(kept):
            chosen[:, i] = action_probabilities(self._locked, keys[i], len(chosen))
        return kept, chosen

    def plan(self, player: int, strategy: Strategy) -> Floats:
        """Return the player's realization plan, float64[sequences], of a behaviour strategy.

        Raises
        ------
        StrategyError
            The strategy lacks an information set, or is not a distribution there.
        """
        weights = np.zeros(self.num_sequences[player])
        weights[0] = 1.0
        for node, sequences, keys in self._information_sets(player):
            chosen = np.array([action_probabilities(strategy, key, len(sequences)) for key in keys]).reshape(
                len(keys), -1
            )
            weights[sequences] = chosen.T * weights[self._leading[player][node]]
        return weights

    def behaviour(self, player: int, plan: Floats) -> dict[tuple[int, Board, int], Floats]:
        """Return the action probabilities of a realization plan by (betting node, board, hand index).

        The actions are equally likely where the plan has weight 0.
        """
        result: dict[tuple[int, Board, int], Floats] = {}
        for _, sequences, keys in self._information_sets(player):
            weights = np.maximum(plan[sequences], 0.0)
            total = weights.sum(axis=0)
            chosen = np.where(total > 1e-12, weights / np.where(total > 1e-12, total, 1.0), 1.0 / len(sequences))
            result.update(zip(keys, chosen.T, strict=True))
        return result

    def value(self, first: Floats, second: Floats) -> float:
        """Return player 0's net chips on average if the players follow these realization plans."""
        return float(first @ (self.payoffs @ second))

    def best_response_value(self, player: int, opponent_plan: Floats) -> float:
        """Return the net chips of ``player`` on average with a best response to the
        opponent's plan, with locks kept.
        """
        values = self.payoffs @ opponent_plan if player == 0 else -(self.payoffs.T @ opponent_plan)
        # In this order, everything after a node's actions has been added to their values already.
        for node in reversed(self._decisions(player)):
            actions = values[self._sequences(node)]
            kept, chosen = self._kept(node)
            best = np.where(kept, (chosen * actions).sum(axis=0), actions.max(axis=0))
            np.add.at(values, self._leading[player][node], best)
        return float(values[0])

    def exploitability(self, first: Floats, second: Floats) -> float:
        """Return half the sum of both players' gains by a best response (nash_conv / 2), in chips."""
        return (self.best_response_value(0, second) + self.best_response_value(1, first)) / 2


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

    Player 0's plan x maximises the first entry of q subject to ``F' q <= A' x``, ``E x = e``, ``x >= 0``, where A are
    the payoffs and E, F the constraints.  Player 1's plan is the dual solution.  The gap of the two plans is recomputed
    by best responses and does not depend on the solver's own report.

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
    (s0, _), (own, other) = form.num_sequences, form.constraints
    rows0, rows1 = own.shape[0], other.shape[0]
    # Payoffs include the probability of the cards and can be tiny, but HiGHS's tolerances are absolute, so scale up.
    scale = float(np.abs(form.payoffs.data).mean()) if form.payoffs.nnz else 1.0
    result = linprog(
        c=np.concatenate([np.zeros(s0), [-1.0], np.zeros(rows1 - 1)]),
        A_ub=sparse.hstack([-form.payoffs.T / (scale or 1.0), other.T], format="csc"),
        b_ub=np.zeros(form.num_sequences[1]),
        A_eq=sparse.hstack([own, sparse.csr_matrix((rows0, rows1))], format="csc"),
        b_eq=np.concatenate([[1.0], np.zeros(rows0 - 1)]),
        bounds=[(0, None)] * s0 + [(None, None)] * rows1,
        method=method,
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status != 0:
        raise LinearProgramError(f"HiGHS found no optimum of the sequence form: {result.message}")
    # Conversion to behaviour strategies and back makes the plans satisfy their constraints to the last digit.
    raw = (result.x[:s0], -result.ineqlin.marginals)
    strategies = (form.behaviour(0, raw[0]), form.behaviour(1, raw[1]))
    plans = (form.plan(0, strategies[0]), form.plan(1, strategies[1]))
    return SequenceFormSolution(form.value(*plans), plans, strategies, 2 * form.exploitability(*plans), form)
