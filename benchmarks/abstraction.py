"""Seconds to compute, cluster and look up features of hands, and the size of the tables.

    scripts/bench abstraction                          # parts of hold'em's rounds, scaled up; half a minute
    scripts/bench abstraction cards/ other-cards/      # also look-ups in abstractions that `errai abstract` made

Times are processor times, since the machine may be shared; divide them by the number of threads that were used.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from common.machine import machine_line

from errai.abstraction.contents import drawn_boards
from errai.abstraction.deals import DealIndexer, round_name
from errai.abstraction.features import Wanted, hand_features
from errai.abstraction.file import FILE_NAME, load_abstraction
from errai.abstraction.kmeans import Clusters, Distance, Points, assign, fit
from errai.games.catalogue import load_game


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The least processor time of some repetitions."""
    times = []
    for _ in range(repeat):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)


def features(deals: DealIndexer, count: int) -> None:
    """Time features on final boards; every round is made of these."""
    # A hand of each of some turns: all hands on the rivers that follow are computed for it.
    rows = np.random.default_rng(0).random((max(1, count // 48), 52)).argsort(axis=1)[:, :6]
    cluster = (np.arange(deals.num_hands) % 8).astype(np.int8)
    print("| features on one final board, all hands | microseconds | all flops, s | all turns, s |\n|---|---|---|---|")
    wanted = {
        "E[HS], E[HS²]": Wanted(),
        "and histograms": Wanted(bins=50),
        "OCHS, 8 clusters": Wanted(moments=False, cluster=cluster),
    }
    for name, each in wanted.items():
        spent = seconds(lambda each=each: hand_features(deals, rows, each)) / (48 * len(rows))
        print(f"| {name} | {1e6 * spent:.1f} | {1_755 * 1_176 * spent:.0f} | {16_432 * 48 * spent:.0f} |")


def clustering(deals: DealIndexer) -> None:
    """Time the search for the nearest of 1,000 centroids."""
    print("\n| nearest of 1,000 centroids | microseconds a hand | compared with every centroid |\n|---|---|---|")
    cluster = deals.index(np.zeros((1, 0), np.int16), 0)[0] % 8
    rows = np.random.default_rng(0).random((8_000, 52)).argsort(axis=1)[:, :6]
    found = hand_features(deals, rows, Wanted(bins=50, cluster=cluster.astype(np.int8)))
    kinds = {
        "OCHS, L2": (found.ochs, 1.0, Distance.L2),
        "histograms, earth mover's": (found.cumulative, 1 / found.runouts, Distance.EMD),
    }
    for name, (array, scale, distance) in kinds.items():
        first, points = array[:4_000], np.ascontiguousarray(np.tile(array[4_000:], (10, 1)))
        clusters = fit(Points(first, np.ones(len(first)), scale), 1_000, distance)
        spent = seconds(lambda p=points, c=clusters, s=scale: assign(p, c, s)) / len(points)
        # With an axis of zeros nothing can be left out.
        blind = Clusters(clusters.centroids, distance, np.zeros_like(clusters.axis))
        plain = seconds(lambda p=points, c=blind, s=scale: assign(p, c, s), 1) / len(points)
        print(f"| {name} | {1e6 * spent:.2f} | {1e6 * plain:.2f} |")


def lookups(place: Path) -> None:
    """Time `CardAbstraction.buckets` and its batch form on boards drawn at random."""
    begun = time.process_time()
    abstraction = load_abstraction(place)
    loaded = time.process_time() - begun
    size = (place / FILE_NAME if place.is_dir() else place).stat().st_size
    print(f"\n{place}: {size / 1e6:.1f} MB, loaded in {loaded:.2f} s\n")
    print("| round | buckets | ms a board, one by one | in batches |\n|---|---|---|---|")
    for number in range(abstraction.game.num_rounds):
        boards = drawn_boards(abstraction, number, 512, 0)
        listed = boards.tolist()

        def singly(number: int = number, listed: list[list[int]] = listed) -> None:
            for board in listed:
                abstraction.buckets(board, number)

        one = seconds(singly) / len(boards)
        many = seconds(lambda n=number, b=boards: abstraction.buckets_on(b, n)) / len(boards)
        name, count = round_name(number), abstraction.num_buckets(number)
        print(f"| {name} | {count:,} | {1e3 * one:.3f} | {1e3 * many:.3f} |")


def main() -> None:
    """Print everything as tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstractions", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--boards", type=int, default=3_000, help="final boards to time (default: %(default)s)")
    options = parser.parse_args()
    print(machine_line() + "\n")
    deals = DealIndexer(load_game("holdem.limit.2p"))
    features(deals, options.boards)
    clustering(deals)
    for place in options.abstractions:
        lookups(place)


if __name__ == "__main__":
    main()
