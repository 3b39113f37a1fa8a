"""Which bet sizes a lookahead needs: DeepStack's study over random river spots; see docs/nets.md.

Every menu is solved with the paper's CFR (regret matching+, simultaneous updates, the first half of the iterations left
out of a uniform average), and so is a reference of eleven actions with four times the iterations.  The counterfactual
values at the root are compared: by the sums over hands of absolute and of squared differences, and by the greatest one.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from common.machine import machine_line
from common.tables import table
from numpy.typing import NDArray

import errai
from errai.engine.schedules import NO_MEMORY
from errai.games.betting import BettingState
from errai.games.game import Game
from errai.games.hand import PublicState
from errai.games.sizing import BetMenu, StreetMenu
from errai.nets.examples.situations import DEEPSTACK, situations, stratum_of
from errai.store.atomic import atomic_file

ELEVEN = "1c, 25%, 50%, 75%, 100%, 200%, 300%, 1000%, a"
"""With fold and call; a bet of one chip is made the least that is legal."""

MENUS = {
    "eleven, 1,000 iterations": (ELEVEN, 555, 18.06, 0.891, 0.2724),
    "F, C, 2P, A": ("200%, a", 48, 64.79, 2.672, 0.3445),
    "F, C, ½P, A": ("50%, a", 100, 58.24, 3.426, 0.7376),
    "F, C, P, A": ("100%, a", 61, 25.51, 1.272, 0.3372),
    "F, C, ½P, P, A": ("50%, 100%, a", 126, 41.42, 1.541, 0.2955),
    "F, C, P, 2P, A": ("100%, 200%, a", 204, 27.69, 1.390, 0.2543),
    "F, C, ½P, P, 2P, A": ("50%, 100%, 200%, a", 360, 20.96, 1.059, 0.2653),
}
"""Bets of the paper's table 5, its thousands of decision points, and its errors: L1, L2 and greatest."""

RAISES = "100%, a"
"""In every tree; the menu is of first bets.  Eleven actions at every decision would be 300,000 decisions a hand."""

SMALL_POT = 100
"""What each player has put in at least; DeepStack's pots are 100 to 18,000 of 20,000 chips each."""

HYBRID = errai.Schedule("hybrid", alpha=float("inf"), beta=NO_MEMORY, gamma=0.0, simultaneous=True)
"""The paper's CFR: regret matching+ as in CFR+, uniform averages and simultaneous updates as in the original."""


def spot(game: Game, seed: int, number: int) -> tuple[PublicState, NDArray[np.float64]]:
    """A river before any bet, and both ranges, float64[2, H]."""
    drawn = situations(game, 3, seed, [number], DEEPSTACK)
    stack = min(game.stacks)
    put_in = max(round(stack / (1.0 + 2.0 * float(drawn.stacks[0]))), SMALL_POT)
    betting = BettingState.start_at(game, 3, (put_in, put_in))
    board = tuple(int(card) for card in drawn.boards[0])
    return PublicState(game, betting, ((),) * 4, board), drawn.ranges[0].astype(np.float64)


def values(
    state: PublicState, ranges: NDArray[np.float64], bets: str, iterations: int
) -> tuple[NDArray[np.float64], int]:
    """Return both players' counterfactual values in pots, float64[2, H], NaN for dead hands; and the entries."""
    menu = StreetMenu.parse(bets, RAISES)
    rest = errai.lookahead(state.subject, state, list(ranges), depth=None, menu=BetMenu({3: (menu, menu)}))
    solution = errai.solve(
        rest,
        algorithm=HYBRID,
        updates="simultaneous",
        average_from=iterations // 2 + 1,
        max_iterations=iterations,
        precision="float32",
        threads=1,
    )
    return solution.root_values.counterfactual / state.pot_chips, solution.tree.entries


def measured(game: Game, seed: int, number: int) -> dict[str, object]:
    """One spot: what each menu is off by, by player, and how large its tree is."""
    started = time.process_time()
    state, ranges = spot(game, seed, number)
    reference, _ = values(state, ranges, ELEVEN, 4_000)
    rows = {}
    for name, (bets, *_) in MENUS.items():
        found, entries = values(state, ranges, bets, 1_000)
        off = np.abs(np.nan_to_num(found - reference))
        errors = np.stack([off.sum(axis=1), np.sqrt((off**2).sum(axis=1)), off.max(axis=1)], axis=1)
        rows[name] = {"errors": errors.tolist(), "entries": int(entries)}
    return {"pot": state.pot_chips, "seconds": time.process_time() - started, "menus": rows}


def over_strata(errors: NDArray[np.float64], strata: NDArray[np.int64]) -> tuple[NDArray[np.float64], ...]:
    """Means of float64[N, 3] in which every interval of pots counts the same, as in the paper, and standard errors."""
    kinds = [errors[strata == kind] for kind in np.unique(strata)]
    variances = [kind.var(axis=0, ddof=1) / len(kind) if len(kind) > 1 else kind[0] * np.nan for kind in kinds]
    return np.mean([kind.mean(axis=0) for kind in kinds], axis=0), np.sqrt(np.mean(variances, axis=0) / len(kinds))


def main() -> None:
    """Measure the spots that the file lacks, and print the paper's table beside ours."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spots", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="where spots are kept, and found again")
    options = parser.parse_args()
    game = errai.load_game("holdem.nolimit.2p")
    known = json.loads(options.json.read_text()) if options.json and options.json.exists() else {}
    spots = []
    for number in range(options.spots):
        key = f"seed {options.seed} spot {number}"
        if key not in known:
            known[key] = measured(game, options.seed, number)
            if options.json:
                text = json.dumps(known).encode()
                with atomic_file(options.json, len(text)) as file:
                    file.write(text)
        spots.append(known[key])
    print(f"{machine_line()}; {sum(s['seconds'] for s in spots):,.0f} s of one processor\n")
    pots = np.array([s["pot"] for s in spots])
    strata = stratum_of((min(game.stacks) - pots / 2.0) / pots, DEEPSTACK)
    rows = []
    for name, (_, size, *published) in MENUS.items():
        errors = np.array([s["menus"][name]["errors"] for s in spots]).mean(axis=1)
        ours, scatter = over_strata(errors, strata)
        entries = over_strata(np.array([[s["menus"][name]["entries"] / 1_000] for s in spots]), strata)[0].item()
        ours_text = f"{ours[0]:.2f} ± {scatter[0]:.2f} / {ours[1]:.3f} / {ours[2]:.4f}"
        theirs = f"{published[0]:.2f} / {published[1]:.3f} / {published[2]:.4f}"
        rows.append([name, f"{entries:.0f}k", f"{size}k", ours_text, theirs, f"{ours[0] / published[0]:.2f}"])
    print(table(["actions", "size", "published", "L1 / L2 / L∞, pots", "published, mbb", "L1 : L1"], rows))


if __name__ == "__main__":
    main()
