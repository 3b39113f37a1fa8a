"""The quality of a no-limit blueprint: `python benchmarks/no_limit.py [AGENT] [--lbr-seconds S] [--match-hands N]`.

Local best response in the settings of DeepStack's table 3 and with some bets that usual trees lack, with the randomised
and with the hard pseudo-harmonic translation; then matches against simple agents, one of which bets any amount.  Every
line is printed as soon as it is known, as a row of a Markdown table.
"""

from __future__ import annotations

import argparse
from functools import partial

import errai
from errai.agents.reader import read_agent
from errai.arena.lbr import lbr
from errai.arena.match import play_match

GAME = "holdem.nolimit.2p"

SETTINGS = ("fc4", "fcpa", "56bets", "2r56bets", "c/c/fc+33%+66%/fc+33%+66%")
OPPONENTS = ("always-call", "uniform", "by-strength:20", "random-bets")
TRANSLATIONS = ("pseudo-harmonic", "nearest-pseudo-harmonic")
RATES = {"fc4": 61, "fcpa": 170, "56bets": 60, "2r56bets": 60}
"""Hands for each second, about: how many make up the time asked for."""


def main() -> None:
    """Print a row for every measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", nargs="?", default="blueprint-nl", help="a blueprint by name, or its file")
    parser.add_argument("--lbr-seconds", type=float, default=300.0, help="of a quiet processor for each setting (300)")
    parser.add_argument("--match-hands", type=int, default=20_000, help="hands of each match (20,000)")
    parser.add_argument("--settings", nargs="*", default=SETTINGS, help="of local best response (all of the table)")
    parser.add_argument("--opponents", nargs="*", default=OPPONENTS, help="of matches (all of the table)")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    kind, file = ("blueprint", f":{options.agent}") if options.agent.endswith(".errai") else (options.agent, "")
    game = errai.load_game(GAME)
    print("| translation | setting | hands | LBR wins, mbb/g | 95 % interval |\n|---|---|---|---|---|", flush=True)
    for setting in options.settings:
        # In the others nothing is bet, or nothing but the pot and all-in, which the tree has.
        drawn = setting not in ("fc4", "fcpa")
        hands = 2 * int(options.lbr_seconds * RATES.get(setting, 60) / 2)
        for translation in TRANSLATIONS if drawn else TRANSLATIONS[:1]:
            agent = f"{kind}:translation={translation}{file}"
            found = lbr(game, agent, setting, hands=hands, processes=options.processes)
            low, high = (end.mbb for end in found.interval)
            row = (translation, f"`{setting}`", f"{found.hands:,}", f"{found.won.mbb:.0f}", f"{low:.0f} to {high:.0f}")
            print(f"| {' | '.join(row)} |", flush=True)
    print("\n| translation | opponent | hands | wins, mbb/g | 95 % interval |\n|---|---|---|---|---|", flush=True)
    for opponent in options.opponents:
        for translation in TRANSLATIONS:
            texts = (f"{kind}:translation={translation}{file}", opponent)
            made = tuple(partial(read_agent, text, game) for text in texts)
            match = play_match(
                game, (made[0], made[1]), hands=options.match_hands, duplicate=True, seed=1, processes=options.processes
            )
            won = match.measures[0]
            assert won.interval is not None
            mbb = 1000.0 / game.big_blind
            mean, low, high = (f"{mbb * chips:.0f}" for chips in (won.mean_chips, won.interval.low, won.interval.high))
            row = (translation, f"`{opponent}`", f"{match.hands:,}", mean, f"{low} to {high}")
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
