"""A predictor without a network: a hand gets the mean value of the hands in its bucket.

Buckets are found by k-means, as those of card abstractions are, for each seat.  The features of a hand in a position
are what it and its range win against the opponent's range if there are no more bets, and the stack.  The mean is taken
of what betting adds to the showdown, per possible opponent hand: a network has to be better than this.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.kmeans import Clusters, Distance, Points, assign, fit
from errai.nets.positions import Floats
from errai.nets.training.rows import Rows

BUCKETS = 1_000
HANDS = 100
"""Of each range that are drawn to find buckets and to be averaged."""

LEAST_FIT = 1e-6
"""A hand that fewer opponents fit is worth nothing."""

_AT_ONCE = 50


@dataclass(frozen=True, eq=False)
class Shown:
    """Positions, with their values if there are no more bets.

    Axes: N positions, P = 2 players, L hands that a board leaves.
    """

    stacks: Floats
    """float32[N], in pots."""
    ranges: Floats
    """float32[N, P, L]."""
    checked: Floats
    """float32[N, P, L]: `errai.nets.networks.matchups.Matchups.check_down` against the other's range."""
    fitting: Floats
    """float32[N, P, L]: likewise the other's weight that fits."""
    values: Floats
    """float32[N, P, L]: counterfactual values in pots."""

    @classmethod
    def of(cls, rows: Rows) -> Shown:
        """From what was prepared for Errai's network."""
        parts: list[list[Floats]] = [[], [], [], []]
        for first in range(0, len(rows), _AT_ONCE):
            batch = rows.batch(range(first, min(first + _AT_ONCE, len(rows))))
            found = (*(batch.inputs[name] for name in ("ranges", "checked", "fitting")), batch.values)
            for part, array in zip(parts, found, strict=True):
                part.append(array)
        return cls(rows.stacks, *(np.concatenate(part) for part in parts))

    def rows(self, which: NDArray | slice) -> Shown:
        """Some of the positions."""
        arrays = (self.stacks, self.ranges, self.checked, self.fitting, self.values)
        return Shown(*(array[which] for array in arrays))


@dataclass(frozen=True, eq=False)
class NearestBucket:
    """Buckets of each seat, and what betting adds in them."""

    clusters: tuple[Clusters, Clusters]
    added: tuple[Floats, Floats]
    """float32[K] for each seat: in pots, for each opponent who fits."""
    scales: Floats
    """float32[3]: features are divided by their standard deviations."""

    @classmethod
    def fitted(cls, shown: Shown, *, buckets: int = BUCKETS, seed: int = 0) -> NearestBucket:
        """Find buckets and what betting adds in them."""
        rng = np.random.default_rng(seed)
        features = _features(shown)
        scales = np.empty(3, dtype=np.float32)
        found = []
        for seat in (0, 1):
            fits = shown.fitting[:, seat] > LEAST_FIT
            # The same number of hands of each position: those with the largest of random numbers.
            ranks = np.where(fits, rng.random(fits.shape), -1.0)
            hands = np.argpartition(-ranks, HANDS, axis=1)[:, :HANDS]
            rows = np.repeat(np.arange(len(hands)), HANDS), hands.ravel()
            rows = tuple(part[fits[rows]] for part in rows)
            points = features[:, seat][rows]
            if seat == 0:
                scales = points.std(axis=0) + np.float32(1e-6)
            weights = shown.fitting[:, seat][rows]
            gained = (shown.values[:, seat] - shown.checked[:, seat])[rows]
            points = np.ascontiguousarray(points / scales, dtype=np.float32)
            clusters = fit(Points(points, weights), buckets, Distance.L2, seed=seed)
            labels, _ = assign(points, clusters)
            mass = np.bincount(labels, weights, minlength=len(clusters))
            sums = np.bincount(labels, gained, minlength=len(clusters))
            found.append((clusters, (sums / np.maximum(mass, LEAST_FIT)).astype(np.float32)))
        (first, added), (second, also) = found
        return cls((first, second), (added, also), scales)

    def values(self, shown: Shown) -> Floats:
        """Counterfactual values in pots, float32[N, P, L]."""
        features = np.ascontiguousarray(_features(shown) / self.scales, dtype=np.float32)
        values = shown.checked.copy()
        for seat in (0, 1):
            labels, _ = assign(features[:, seat].reshape(-1, 3), self.clusters[seat])
            values[:, seat] += shown.fitting[:, seat] * self.added[seat][labels].reshape(values[:, seat].shape)
        return values


def _features(shown: Shown) -> Floats:
    """float32[N, P, L, 3]: what a hand wins at the showdown, what its range does, and the stack's logarithm."""
    equity = shown.checked / np.maximum(shown.fitting, LEAST_FIT)
    meeting = (shown.ranges * shown.fitting).sum(axis=2)
    of_range = (shown.ranges * shown.checked).sum(axis=2) / np.maximum(meeting, LEAST_FIT)
    others = np.stack([of_range, np.broadcast_to(np.log(shown.stacks)[:, None], of_range.shape)], axis=-1)
    return np.concatenate(
        [equity[..., None], np.broadcast_to(others[:, :, None], (*equity.shape, 2))], axis=-1, dtype=np.float32
    )
