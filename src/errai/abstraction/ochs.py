"""Clusters of opponents' hands before the flop, against which OCHS measures a hand.

Johanson et al.  (2013) cluster the 169 classes of hands by their histograms of hand strength and the earth mover's
distance into 8 clusters, and so does this module.  Their published clusters come from another run of k-means, so the
clusters here need not be the same.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.abstraction.deals import Deals
from errai.abstraction.features import MAX_CLUSTERS, Features, Wanted, canonical_features
from errai.abstraction.kmeans import Distance, Points, assign, fit
from errai.errors import InputError

BINS = 50


def opponent_clusters(
    deals: Deals,
    count: int = MAX_CLUSTERS,
    *,
    seed: int = 0,
    restarts: int = 20,
    threads: int = 1,
    features: Features | None = None,
) -> NDArray[np.int8]:
    """Return the cluster of every hand, numbered from the weakest by mean E[HS].

    Parameters
    ----------
    features:
        The features of all hands before the flop, with histograms; None computes them with BINS bins.

    Returns
    -------
    int8[H]

    Raises
    ------
    InputError
        If the number of clusters is below 1 or more than OCHS can have.
    """
    if not 1 <= count <= MAX_CLUSTERS:
        raise InputError(f"Opponents can be put into 1 to {MAX_CLUSTERS} clusters, not {count}.")
    if deals.board_cards[0]:
        raise InputError(f"{deals.game.name} deals board cards before the first bet; OCHS has no hands alone there.")
    if features is None:
        features = canonical_features(deals, 0, Wanted(bins=BINS), threads=threads)
    assert features.cumulative is not None
    assert features.mean is not None
    shares = (features.cumulative / np.float32(features.runouts)).astype(np.float32)
    points = Points(shares, features.weights.astype(np.float32))
    clusters = fit(points, min(count, len(features)), Distance.EMD, seed=seed, restarts=restarts, threads=threads)
    labels, _ = assign(shares, clusters, threads=threads)
    ranked = ascending(labels, features.mean, features.weights, len(clusters))
    board = np.zeros((1, 0), dtype=np.int16)
    return ranked[labels][deals.index(board, 0)[0]].astype(np.int8)


def ascending(labels: NDArray, values: NDArray, weights: NDArray, count: int) -> NDArray[np.int32]:
    """Return new numbers for clusters, by the mean of a value in each; empty clusters get the highest numbers.

    Returns
    -------
    int32[count]: entry i is the new number of cluster i.
    """
    mass = np.bincount(labels, weights, minlength=count)
    sums = np.bincount(labels, values.astype(np.float64) * weights, minlength=count)
    mean = np.where(mass > 0, sums / np.maximum(mass, 1e-300), np.inf)
    new = np.empty(count, dtype=np.int32)
    new[np.argsort(mean, kind="stable")] = np.arange(count, dtype=np.int32)
    return new
