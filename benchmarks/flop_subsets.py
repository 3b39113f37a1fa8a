"""Weighted subsets of flops: makes the table of the package, `src/errai/data/flops.txt`, and says how even it is.

Every flop has, for each of the 169 classes of hands, the mean equity against a hand dealt at random, and its spread
over the class's hands, which is where flushes and their draws show.  Flops are the closer the less these numbers
differ, in squares, each class weighted by its hands, and by steps for other suits, pairs, straights and highest cards.
(Without squares, flops on which all hands have similar chances stood for all others.)  Groups are found by weighted
k-medoids: first each medoid is the one that helps most (greedy), then medoids are exchanged as long as that lowers the
sum of distances, each flop counting as often as it is dealt.  A medoid has the weight of its group; then the weights
are raked, which is what surveys do with a sample: they are scaled in turn, by at most a factor of 2, so that high
cards, straights, pairs and suits come to the shares of all flops.  Nothing is drawn at random, so the table is the same
every time.  It takes two minutes of one core.

    scripts/bench flop_subsets --write
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import FULL_DECK
from errai.cards.flops import TEXTURES, Flop, all_flops
from errai.cards.hands import class_of_hand, fitting_weights, hand_cards
from errai.games.catalogue import load_game
from errai.tree.check_down import run_out

SIZES = (25, 49, 95, 184)
STEPS = {"suits": 0.05, "pairing": 0.05, "straights": 0.03}
"""How far flops of another texture are apart besides; two flops drawn at random have a distance of .067."""
STEP_OF_A_RANK = 0.01
"""The same for each rank of the highest card, up to three."""

ROUNDS = 200
MOST_CHANGE = 2.0
"""Raking changes no weight by more than this factor, so that no flop stands for hardly anything."""

HEAD = "# Subsets of flops, each with the number of flops that it stands for; `scripts/bench flop_subsets --write`\n"


def features(flops: tuple[Flop, ...]) -> NDArray[np.float64]:
    """Return float64[F, 338]: per class the mean equity against a random hand, and its standard deviation."""
    rules = load_game("holdem.nolimit.2p").rules
    classes, hands = class_of_hand().astype(np.int64), hand_cards(52, 2).astype(np.int64)
    uniform = np.ones(len(hands))
    found = np.zeros((len(flops), 2 * 169))
    for i, flop in enumerate(flops):
        margins = run_out(FULL_DECK, 2, tuple(sorted(flop.cards)), 5, rules.ranking).margins(0, uniform)
        live = ~np.isnan(margins)
        met = fitting_weights(hands, live.astype(np.float64))
        equity = np.where(live, (1.0 + np.nan_to_num(margins) / np.maximum(met, 1.0)) / 2.0, 0.0)
        count = np.maximum(np.bincount(classes, live, 169), 1.0)
        mean = np.bincount(classes, equity, 169) / count
        square = np.bincount(classes, equity * equity, 169) / count
        found[i] = np.concatenate([mean, np.sqrt(np.maximum(square - mean * mean, 0.0))])
    weights = np.bincount(classes, minlength=169) / len(hands)
    return found * np.sqrt(np.concatenate([weights, weights]))


def distances(flops: tuple[Flop, ...]) -> NDArray[np.float64]:
    """Return float64[F, F]: how different flops are, the squared distance of their features and the steps."""
    points = features(flops)
    squares = (points**2).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares[None, :] - 2.0 * points @ points.T, 0.0)
    for name, step in STEPS.items():
        kinds = np.array([getattr(flop, name) for flop in flops])
        apart += step * (kinds[:, None] != kinds[None, :])
    ranks = np.array([flop.cards[0] // 4 for flop in flops])
    apart += STEP_OF_A_RANK * np.minimum(np.abs(ranks[:, None] - ranks[None, :]), 3)
    return np.asarray(apart)


def medoids(apart: NDArray[np.float64], weights: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return int64[count]: weighted k-medoids, greedy and then by exchanges."""
    chosen: list[int] = []
    nearest = np.full(len(apart), np.inf)
    for _ in range(count):
        gains = weights @ np.minimum(apart, np.where(np.isinf(nearest), apart.max() * 2, nearest)[:, None])
        gains[chosen] = np.inf
        chosen.append(int(gains.argmin()))
        nearest = np.minimum(nearest, apart[:, chosen[-1]])
    cost, improved = float(weights @ nearest), True
    while improved:
        improved = False
        for place in range(count):
            others = apart[:, [m for i, m in enumerate(chosen) if i != place]].min(axis=1)
            costs = weights @ np.minimum(apart, others[:, None])
            best = int(costs.argmin())
            if costs[best] < cost - 1e-12 * cost:
                chosen[place], cost, improved = best, float(costs[best]), True
    return np.array(sorted(chosen))


def raked(flops: list[Flop], everything: tuple[Flop, ...]) -> list[Flop]:
    """Return flops with weights so that each kind of each texture has its share, as far as the subset has the kind."""
    weights = np.array([flop.weight for flop in flops])
    least, most = weights / MOST_CHANGE, weights * MOST_CHANGE
    for _ in range(ROUNDS):
        for name in ("high", "straights", "pairing", "suits"):
            own = np.array([getattr(flop, name) for flop in flops])
            all_kinds = np.array([getattr(flop, name) for flop in everything])
            counts = np.array([flop.weight for flop in everything])
            wanted = {kind: counts[all_kinds == kind].sum() for kind in set(own)}
            total = sum(wanted.values())
            for kind, share in wanted.items():
                weights[own == kind] *= share / total * weights.sum() / weights[own == kind].sum()
        weights = np.clip(weights, least, most)
    return [Flop(flop.cards, float(w)) for flop, w in zip(flops, weights * 22_100 / weights.sum(), strict=True)]


def main() -> None:
    """Make the subsets, and write them or say how they spread over textures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    flops = all_flops()
    weights = np.array([flop.weight for flop in flops])
    apart, lines = distances(flops), []
    for size in SIZES:
        chosen = medoids(apart, weights, size)
        of = apart[:, chosen].argmin(axis=1)
        counts = np.bincount(of, weights, size)
        picked = raked([Flop(flops[m].cards, float(w)) for m, w in zip(chosen, counts, strict=True)], flops)
        lines.append(" ".join(f"{flop.text.replace(' ', '')}:{flop.weight:.6g}" for flop in picked))
        print(f"{size} flops: mean distance {weights @ apart[:, chosen].min(axis=1) / weights.sum():.4f}")
        for name in TEXTURES:
            kinds = sorted({getattr(flop, name) for flop in flops})
            shares = [
                [sum(f.weight for f in group if getattr(f, name) == kind) / 221 for group in (flops, picked)]
                for kind in kinds
            ]
            told = (f"{kind} {a:.1f} / {b:.1f} %" for kind, (a, b) in zip(kinds, shares, strict=True))
            print(f"  {name}: " + ", ".join(told))
    if options.write:
        path = Path(__file__).parents[1] / "src/errai/data/flops.txt"
        path.write_text(HEAD + "\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
