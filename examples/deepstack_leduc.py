"""DeepStack on no-limit Leduc from scratch: positions, their values, a network, the player, its exploitability.

    python examples/deepstack_leduc.py --out leduc.net

The game has six cards (two jacks, two queens, two kings), antes of 100 and stacks of 1,200 chips, and two rounds: one
private card, then one card on the board.  The paper's authors teach their method on it; the exploitability of their
player is 1.37 chips a hand on their scale, which is 5/6 of ours (docs/nets.md).

Training needs PyTorch: pip install 'errai[nets]'.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import errai
from errai.agents.deepstack import SETTINGS, deepstack
from errai.nets.examples.last_round import last_round_examples
from errai.nets.examples.situations import Stratum
from errai.nets.network import save_net
from errai.nets.networks.ordered import Ordered
from errai.nets.training.learn import learn
from errai.nets.training.loop import TrainingOptions

AUTHORS_SCALE = 5 / 6

options = argparse.ArgumentParser(description="DeepStack on no-limit Leduc from nothing.")
options.add_argument("--positions", type=int, default=100_000, help="to learn from (100,000)")
options.add_argument("--epochs", type=int, default=40, help="times that each is seen (40)")
options.add_argument("--iterations", type=int, nargs="*", default=[1_000], help="of the player's solves (1,000)")
options.add_argument("--plain", action="store_true", help="values from ranges alone, in five layers of 50, as theirs")
options.add_argument("--seed", type=int, default=1)
options.add_argument("--threads", type=int, default=1)
options.add_argument("--out", type=Path, help="where the network goes")


def main() -> None:
    """Do all of it."""
    given = options.parse_args()
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:7.1f} s  {text}", flush=True)

    game = errai.load_game("leduc.nolimit")

    # 1. Positions at the beginning of the second round: a board, both ranges drawn at random, the chips in the pot; and
    # what each is worth to every hand, by solving the rest of the game.  Others are held out, to see what was learnt.
    examples = last_round_examples(game, given.positions, given.seed, threads=given.threads)
    held_out = last_round_examples(game, 4_000, given.seed + 1, threads=given.threads)
    say(f"{len(examples):,} positions solved to {100 * examples.errors.mean():.4f} % of the pot on average")

    # 2. A network that says the same of ranges which it has not seen.  Huber's loss, in units of half the pot.
    kind = Ordered(layers=5, width=50, residual=False) if given.plain else Ordered()
    strata = [Stratum("0-0.5", 1e-4, 0.5, 0.0), Stratum("0.5-2", 0.5, 2.0, 0.0), Stratum("2-5.5", 2.0, 5.5, 0.0)]
    settings = TrainingOptions(
        epochs=given.epochs, batch=500, rate=3e-3, weight_decay=0.0, emphasis=0.0, seed=given.seed,
        threads=given.threads,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        learnt = learn(
            "leduc", kind, game, 1, [examples], [held_out], settings, Path(folder), strata=strata,
            data={"positions": len(examples), "seed": given.seed, "command": "python examples/deepstack_leduc.py"},
        )  # fmt: skip
    say("a network of " + f"{sum(array.size for array in learnt.net.weights.values()):,} weights; loss held out:")
    for row in learnt.table:
        print(f"{'':11}{row['name']:>9} pots  {row['net']:.4f}  (check-down {row['check_down']:.4f})")
    if given.out is not None:
        say(f"{given.out}: {save_net(learnt.net, given.out):,} bytes")

    # 3. The player: before he acts on a new street he solves it with his own range and a gadget that holds the opponent
    # to what he had; the network stands below the first round.  Asked at every public state, he has a strategy of the
    # whole game, to which a best response is exact.
    for iterations in given.iterations:
        player = deepstack(game, [learnt.net], replace(SETTINGS["best"], iterations=iterations))
        lost = errai.exploitability(game, player).chips
        say(f"{iterations:,} iterations: exploitable for {lost:.3f} chips, {AUTHORS_SCALE * lost:.3f} on their scale")


if __name__ == "__main__":
    main()
