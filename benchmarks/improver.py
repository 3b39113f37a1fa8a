"""What a strategy loses to an opponent with bets that it lacks, night by night, as the self-improver adds branches.

    scripts/bench improver                              # no-limit Leduc, exactly
    scripts/bench improver flop --ranks 5               # a hold'em game of two rounds with 20 cards, exactly

The base is solved with some bets; the opponent is a coarse solution of the game with more of them.  Each night a match
is played, and branches are added for the most valuable bets of all hands so far (:mod:`errai.resolving.improve`).  The
loss is that to a best response with all bets, in chips.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from common.machine import machine_line
from common.tables import number_text, table
from resolving import flop_game

import errai
from errai.agents.improved import ImprovedAgent
from errai.agents.solved import SolvedAgent
from errai.arena.histories.formats import read_hands
from errai.arena.match import play_match
from errai.games.hand import PlayedHand
from errai.resolving.improve import NIGHT, improve, missed_bets
from errai.resolving.improved import Improved


def main() -> None:
    """Play some nights and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", choices=("leduc", "flop"), default="leduc")
    parser.add_argument("--menu", default="100%, a", help="bets of the strategy")
    parser.add_argument("--more", default="50%, 100%, a", help="bets of the opponent")
    parser.add_argument("--nights", type=int, default=4)
    parser.add_argument("--hands", type=int, default=2_000, help="of each night")
    parser.add_argument("--branches", type=int, default=NIGHT, help="added each night")
    parser.add_argument("--target", default="1mbb", help="of the base")
    parser.add_argument("--ranks", type=int, default=5, help="flop: of the deck")
    parser.add_argument("--stack", type=int, default=1_000, help="flop: chips, blinds 50 and 100")
    options = parser.parse_args()
    game = errai.load_game("leduc.nolimit") if options.game == "leduc" else flop_game(options)
    base = errai.solve(game, options.target, menu=options.menu)
    opponent = SolvedAgent(errai.solve(game, max_iterations=3, menu=options.more), "opponent")
    improved, hands, rows = Improved(base, game), tuple[PlayedHand, ...](), []
    for night in range(options.nights + 1):
        began = time.monotonic()
        agent = ImprovedAgent(improved)
        lost = errai.exploitability(game, agent, menu=options.more).chips
        measured = time.monotonic() - began
        rows.append([str(night), str(len(improved.branches)), number_text(lost), f"{measured:.1f}"])
        if night == options.nights:
            break
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "night.log"
            play_match(game, (agent, opponent), hands=options.hands, seed=night + 1, log=log)
            hands += read_hands(log, game=game).hands
        began = time.monotonic()
        improved, added = improve(improved, hands, most=options.branches)
        left = len(missed_bets(improved, hands))
        rows[-1] += [f"{time.monotonic() - began:.1f}", "; ".join(bet.text for bet in added), str(left)]
    rows[-1] += ["", "", ""]
    print(machine_line())
    print(f"\n{game.name}, {options.menu}, against {options.more}\n")
    head = ["night", "branches", "lost, chips", "measured in, s", "improved in, s", "added", "still lacking"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
