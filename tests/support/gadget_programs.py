"""Subgames with a gadget as linear programs, which share nothing with the solver but the betting tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from errai.games.lookahead import Lookahead
from errai.judges.sequence_form import SequenceForm
from errai.tree.public_tree import build_public_tree


class HandByHand:
    """One plan of the re-solved player against every hand of the opponent separately.

    The value of a hand's best response against the plan is the dual of the hand's own sequence form; a gadget adds a
    few variables and rows.
    """

    def __init__(self, subject: Lookahead, opponent: int) -> None:
        tree = build_public_tree(subject)
        hands = tree.root.hands
        own, self.weights = subject.ranges[1 - opponent], subject.ranges[opponent]
        self.pair_weight = tree.pair_weight
        self.hands = np.flatnonzero(self.weights > 0)
        self.masses, self.payoffs, self.constraints = [], [], []
        for h in self.hands:
            # Other hands weigh nothing to speak of; without any, the sequence form would number the plans otherwise.
            only = np.full(len(hands), 1e-13)
            only[h] = 1.0
            ranges = (only, own) if opponent == 0 else (own, only)
            form = SequenceForm(tree.betting, subject.game, board=subject.board, ranges=ranges)
            # What the player who is re-solved wins.
            self.payoffs.append(form.payoffs if opponent == 1 else -form.payoffs.T.tocsr())
            self.constraints.append(form.constraints[opponent])
            self.plans = form.constraints[1 - opponent]
            fits = ~(hands[:, :, None] == hands[h][None, None, :]).any(axis=(1, 2))
            self.masses.append(float(own[fits].sum()))

    def refusing(self, alternatives: NDArray[np.float64], forced: NDArray[np.float64] | None = None) -> float:
        """Chips per hand that the opponent gets at best who may refuse, float64[K, H]; a share float64[H] may not."""
        drawn = np.atleast_2d(alternatives)[:, self.hands]
        share = np.zeros(len(self.hands)) if forced is None else forced[self.hands]
        weights = self.weights[self.hands]
        rows = [(h, 1.0, k * len(self.hands) + h, 0.0) for k in range(len(drawn)) for h in range(len(self.hands))]
        cost = np.tile(weights * (1.0 - share) / len(drawn), len(drawn))
        return self._least(weights * share, cost, [(float(a), None) for a in drawn.ravel()], rows) / self.pair_weight

    def entering_with_one(self, values: NDArray[np.float64]) -> float:
        """Chips that the best hand gains over its value: the smallest margin, negated."""
        owed = [float(values[h]) / mass for h, mass in zip(self.hands, self.masses, strict=True)]
        rows = [(i, 1.0 / mass, 0, owed[i]) for i, mass in enumerate(self.masses)]
        return self._least(np.zeros(len(self.hands)), np.ones(1), [(None, None)], rows)

    def _least(
        self,
        hand_cost: NDArray[np.float64],
        cost: NDArray[np.float64],
        bounds: list[tuple[float | None, None]],
        rows: list[tuple[int, float, int, float]],
    ) -> float:
        """The least cost of hands' values and of more variables; a row (h, c, u, limit) says c v_h - u <= limit."""
        # Unknown: the plan x, for each hand its dual q, and the other variables.
        sizes = [self.plans.shape[1], *(f.shape[0] for f in self.constraints), len(cost)]
        start = np.concatenate([[0], np.cumsum(sizes)])
        first = start[1:-2]  # the dual of a hand's empty sequence: its value over the weight of the hands that fit
        total = np.zeros(start[-1])
        total[first] = hand_cost * np.array(self.masses)
        total[start[-2] :] = cost
        blocks, limits = [], []
        for i, (payoffs, constraints) in enumerate(zip(self.payoffs, self.constraints, strict=True)):
            # Against x the hand's best response is the least q0 with F' q >= -A' x.
            row = [sparse.csr_matrix((payoffs.shape[1], n)) for n in sizes]
            row[0], row[1 + i] = -payoffs.T, -constraints.T
            blocks.append(sparse.hstack(row))
            limits.append(np.zeros(payoffs.shape[1]))
        more = sparse.lil_matrix((len(rows), int(start[-1])))
        for r, (h, factor, variable, _) in enumerate(rows):
            more[r, first[h]] = factor * self.masses[h]
            more[r, start[-2] + variable] = -1.0
        blocks.append(more.tocsr())
        limits.append(np.array([limit for *_, limit in rows]))
        ones = np.zeros(self.plans.shape[0])
        ones[0] = 1.0
        equal = sparse.hstack([self.plans, sparse.csr_matrix((len(ones), int(start[-1]) - self.plans.shape[1]))])
        within = [(0, None)] * self.plans.shape[1] + [(None, None)] * int(start[-2] - start[1]) + bounds
        found = linprog(total, sparse.vstack(blocks), np.concatenate(limits), equal, ones, within, method="highs")
        assert found.status == 0
        return float(found.fun)
