"""Potential-aware clusters: counts by brute force, the approximate distance against the exact one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from errai.abstraction.deals import DealIndexer
from errai.abstraction.kmeans import Clusters, Distance, Ground, assign_piles, fit_piles, ground_of, next_groups
from errai.games.catalogue import load_game


def line_ground(groups: int, seed: int) -> Ground:
    """Groups at random places of a plane, apart by the Euclidean distance, and high by the first coordinate."""
    places = np.random.default_rng(seed).random((groups, 2))
    distance = np.sqrt(((places[:, None] - places[None]) ** 2).sum(-1)).astype(np.float32)
    return Ground(np.arange(groups, dtype=np.int32), distance, places[:, 0].astype(np.float32))


def exact_distance(first: np.ndarray, second: np.ndarray, ground: np.ndarray) -> float:
    """The earth mover's distance as a transport problem."""
    n = len(first)
    rows = np.kron(np.eye(n), np.ones((1, n)))
    columns = np.kron(np.ones((1, n)), np.eye(n))
    found = linprog(ground.reshape(-1), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([first, second]))
    return float(found.fun)


def greedy_distance(first: np.ndarray, second: np.ndarray, ground: np.ndarray) -> float:
    """The documented procedure, in plain Python."""
    left, room, cost = first.astype(float).copy(), second.astype(float).copy(), 0.0
    order = np.argsort(ground, axis=1, kind="stable")
    for rank in range(len(left)):
        for pile in range(len(left)):
            hole = order[pile, rank]
            moved = min(left[pile], room[hole])
            left[pile] -= moved
            room[hole] -= moved
            cost += moved * ground[pile, hole]
    return cost


def test_the_distance_is_the_documented_one_and_never_below_the_exact_one() -> None:
    rng = np.random.default_rng(0)
    ground = line_ground(7, 1)
    table = rng.multinomial(20, np.full(7, 1 / 7), size=25).astype(np.uint8)
    means = rng.dirichlet(np.ones(7), size=6).astype(np.float32)
    clusters = Clusters(means, Distance.EMD, np.ones(7, np.float32))
    labels, distances = assign_piles(table, ground, clusters, 1 / 20, threads=2)
    for i, counts in enumerate(table):
        plain = [greedy_distance(counts / 20, mean, ground.distance) for mean in means]
        assert distances[i] == pytest.approx(min(plain), abs=1e-5)
        assert plain[labels[i]] == pytest.approx(min(plain), abs=1e-5)
        exact = exact_distance(counts / 20, means[labels[i]] / means[labels[i]].sum(), ground.distance)
        assert distances[i] >= exact - 1e-5
    # A single pile has one way to go.
    alone = np.zeros((1, 7), np.uint8)
    alone[0, 3] = 20
    label, distance = assign_piles(alone, ground, clusters, 1 / 20)
    assert distance[0] == pytest.approx((means @ ground.distance[3]).min(), abs=1e-5)
    assert label[0] == (means @ ground.distance[3]).argmin()


def test_next_groups_by_brute_force() -> None:
    deals = DealIndexer(load_game("royal.limit"))
    rng = np.random.default_rng(5)
    after = rng.integers(0, 30, deals.num_classes(2)).astype(np.uint16)
    ground = Ground((np.arange(30) % 4).astype(np.int32), np.zeros((4, 4), np.float32), np.zeros(4, np.float32))
    table = next_groups(deals, 1, after, ground, threads=2)
    assert (table.sum(axis=1) == 15).all()
    for _ in range(20):
        cards = rng.permutation(20)[:5]
        number = int(deals.indexer(1).index(cards))
        expected = np.zeros(4, dtype=int)
        for (card,) in combinations([c for c in range(20) if c not in cards], 1):
            expected[after[deals.indexer(2).index([*cards, card])] % 4] += 1
        assert table[number].tolist() == expected.tolist()


@pytest.mark.parametrize("metric", list(Distance))
def test_heights_bound_distances(metric: Distance) -> None:
    centroids = np.cumsum(np.random.default_rng(3).dirichlet(np.ones(9), 40), axis=1).astype(np.float32)
    ground = ground_of(centroids, np.ones(40), metric, groups=12)
    assert len(ground.distance) <= 12
    assert set(ground.group.tolist()) == set(range(len(ground.distance)))
    apart = np.abs(ground.height[:, None] - ground.height[None])
    assert (apart <= ground.distance + 1e-5).all()
    assert (ground.order[:, 0] == np.arange(len(ground.distance))).all()


def test_clusters_of_hands_that_lead_elsewhere() -> None:
    rng = np.random.default_rng(7)
    ground = line_ground(6, 2)
    kinds = np.array([[1, 0, 0, 0, 0, 0], [0, 0.5, 0.5, 0, 0, 0], [0, 0, 0, 0.2, 0.4, 0.4]])
    table = np.concatenate([rng.multinomial(40, kind, size=60) for kind in kinds]).astype(np.uint8)
    one, two = (fit_piles(table, np.ones(180), ground, 3, seed=1, restarts=3, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.centroids, two.centroids)
    labels, _ = assign_piles(table, ground, one, 1 / 40)
    assert [len(np.unique(labels[i : i + 60])) for i in (0, 60, 120)] == [1, 1, 1]
    assert len(np.unique(labels)) == 3
