"""The cost of labels for networks, and their difference from labels of solves that are ten times as accurate.

    scripts/bench labels                   # the turn, a few positions of each stratum; some minutes
    scripts/bench labels --singles         # also what single calls of `errai.solve` take to the same exploitability

The Huber loss is DeepStack's: of values in units of what one player has put in, half a pot, over all hands equally.
Times are processor times.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from common.machine import machine_line
from numpy.typing import NDArray

import errai
from errai.cards.deck import FULL_DECK
from errai.cards.ranges import Range
from errai.games.spot import Spot
from errai.nets.examples.recipe import Recipe
from errai.nets.examples.situations import PARTS, STRATA, stratum_of
from errai.nets.examples.targets import MENU, Target, accuracy_for, bets_of, solve_position

POSITIONS = (10, 8, 5, 3, 2)
"""Of each stratum."""

TIGHTER = 10.0


def huber(off: NDArray[np.floating]) -> float:
    """The mean loss of values that are off by so many pots."""
    size = np.abs(2.0 * off)
    return float(np.where(size < 1.0, size * size / 2.0, size - 0.5).mean())


def single(board: tuple[int, ...], stack: float, ranges: NDArray[np.float32], target: Target) -> float:
    """Seconds of a plain solve of the same position to the same exploitability."""
    begun = time.process_time()
    written = {
        "board": FULL_DECK.cards_text(board),
        "pot": PARTS,
        "stack": round(stack * PARTS),
        "ranges": {"oop": "22+", "ip": "22+"},
        "bets": bets_of(MENU),
    }
    held = [Range.from_weights(weights / weights.max()) for weights in ranges]
    spot = replace(Spot.from_dict(written), ranges=(held[0], held[1]))
    solution = errai.solve(spot, f"{100.0 * target.error!r}%pot", threads=1, precision="float32")
    solution.root.counterfactual(0)
    return time.process_time() - begun


def main() -> None:
    """Print a row for each stratum."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--singles", action="store_true", help="time single solves too")
    parser.add_argument("--seed", type=int, default=77)
    options = parser.parse_args()
    print(machine_line())
    print("| pots | positions | seconds | iterations | exploitability | Huber: mean | median | greatest | single |")
    print("|---|---|---|---|---|---|---|---|---|")
    positions = Recipe("holdem.nolimit.2p", 2, options.seed).positions(range(400))
    which = stratum_of(positions.stacks)
    for stratum, count in enumerate(POSITIONS):
        labels, losses, singles = [], [], 0.0
        for i in np.flatnonzero(which == stratum)[:count]:
            at = tuple(positions.boards[i].tolist()), float(positions.stacks[i]), positions.ranges[i]
            label = solve_position(*at)
            tight = solve_position(*at, accuracy=accuracy_for(at[1]) / TIGHTER, max_iterations=3_000)
            assert label is not None
            assert tight is not None
            labels.append(label)
            losses.append(huber((label.values - tight.values)[label.values != 0.0]))
            singles += single(*at, label) if options.singles else 0.0
        spent = sum(label.seconds for label in labels)
        row = [
            STRATA[stratum].name,
            str(len(labels)),
            f"{spent / len(labels):.3f}",
            f"{np.mean([label.iterations for label in labels]):.0f}",
            f"{100.0 * np.mean([label.error for label in labels]):.2f} %",
            *(f"{of(losses):.5f}" for of in (np.mean, np.median, np.max)),
            f"x{singles / spent:.2f}" if options.singles else "",
        ]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
