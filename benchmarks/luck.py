"""How much AIVAT and importance sampling reduce the variance, whether they are biased, and how fast they are."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from common.machine import machine_line
from common.tables import table

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.agents.reader import read_agent
from errai.agents.solved import SolvedAgent
from errai.arena.estimator import Chips, Estimator
from errai.arena.luck import make_estimator, read_values
from errai.arena.luck.values import ExactValues
from errai.arena.match import play_match
from errai.arena.people import measure_people
from errai.arena.play import deals_of_block, play_hand
from errai.arena.standings import equal_tiers, make_pool
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import PlayedHand, Shuffle, run_outs_of
from errai.solving.solve import solve

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))
from whole_games import every_hand

PAIRS = {
    "limit": (
        "holdem.limit.2p",
        [("by-strength:20", "call=0.5,raise=0.5"), ("by-strength:20", "uniform"), ("by-strength:20", "by-strength:5")],
    ),
    "no-limit": (
        "holdem.nolimit.2p",
        [("by-strength:20", "call=0.6,raise=0.4"), ("by-strength:20", "fold=0.1,call=0.6,raise=0.3")],
    ),
}
TIMED = 500
"""Hands on which the speed of an estimator is measured."""
Way = tuple[float, PlayedHand, int]
"""A probability, a hand, and the seat of the first agent."""
HEAD = ("agents", "estimator", "mean", "standard deviation", "cut", "hands for the same interval", "hands a CPU second")


def leduc(hands: int, seed: int) -> None:
    """Leduc, every distinct hand weighed by its true probability and drawn as often as chance would have it."""
    game = load_game("leduc")
    solution = solve(game, target="0.1mbb")
    solved = SolvedAgent(solution, "solution")
    rng = np.random.default_rng(seed)
    opponents: list[StrategicAgent] = [solved]
    for name in ("uniform",):
        agent = read_agent(name, game)
        assert isinstance(agent, StrategicAgent)
        opponents.append(agent)
    rows = []
    for other in opponents:
        agents = (solved, other)
        ways = [way for seat in (0, 1) for way in up_to_suits(game, agents, seat)]
        chance = np.array([p for p, _, _ in ways])
        drawn = rng.multinomial(hands, chance / chance.sum())
        seats = np.array([seat for _, _, seat in ways])
        exact = sum(p * hand.net_chips[seat] for p, hand, seat in ways)
        values = ExactValues(game, (solved, solved), "solved values")
        estimators: list[Estimator] = [Chips()]
        for known in ("none", "first", "second", "all"):
            estimators.append(make_estimator("aivat", game, agents, values, known=known))
        estimators.append(make_estimator("aivat", game, agents))
        if other is not solved:
            estimators.append(make_estimator("aivat", game, agents, read_values("agents", game, agents)))
        for kind in ("importance", "importance-early-folds"):
            estimators += [make_estimator(kind, game, agents, known=known) for known in ("first", "all")]
        plain = 0.0
        for estimator in estimators:
            found = np.array([estimator.estimate(hand, seat) for _, hand, seat in ways])
            # Seats change by turns in a match, so the difference between them is no luck.
            means = [float(np.average(found[seats == s], weights=drawn[seats == s])) for s in (0, 1)]
            mean = sum(means) / 2
            deviation = float(np.sqrt(drawn @ (found - np.array(means)[seats]) ** 2 / (hands - 2)))
            plain = plain or deviation
            # An estimator without luck is exact but for rounding.
            error = max(deviation / hands**0.5, 1e-12)
            rows.append(
                (
                    f"solution, {other.name}", estimator.name, f"{mean:.5f}", f"{exact:.5f}",
                    f"{abs(mean - exact) / error:.1f}", f"{abs(float(chance @ found) - exact):.0e}",
                    f"{deviation:.4f}", f"{100 * (1 - deviation / plain):.1f} %",
                )
            )  # fmt: skip
    head = ("agents", "estimator", "mean", "exact", "standard errors apart", "bias", "standard deviation", "cut")
    print(f"Leduc, {hands:,} hands, chips of the first agent; the bias is over all of the game:\n")
    print(table(head, rows))


def up_to_suits(game: Game, agents: tuple[StrategicAgent, StrategicAgent], seat: int) -> list[Way]:
    """Every way a hand can go with the first agent at a seat, once for all that differ in suits only."""
    found: dict[tuple[object, ...], Way] = {}
    for chance, hand in every_hand(game, agents if seat == 0 else agents[::-1]):
        cards = [card for held in hand.hole if held is not None for card in held] + list(hand.board)
        # Nobody here looks at suits, and in Leduc no showdown does.
        key = (tuple(card // game.num_suits for card in cards), hand.actions)
        before = found[key][0] if key in found else 0.0
        found[key] = (before + chance / 2, hand, seat)
    return list(found.values())


def played(game: Game, agents: tuple[Agent, Agent], hands: int, seed: int) -> Iterator[tuple[PlayedHand, int]]:
    """Play hands, the seats changing from one to the next."""
    shuffle, rng = Shuffle(game), np.random.default_rng(seed)
    for i, agent in enumerate(agents):
        agent.start_match(MatchStart(game, seed + 1 + i))
    for number in range(hands):
        seat = number % 2
        yield play_hand(game, agents if seat == 0 else agents[::-1], shuffle.deal(rng), number), seat


def holdem(kind: str, hands: int, seed: int, most: int | None) -> None:
    """Hold'em with equity as the values."""
    name, pairs = PAIRS[kind]
    game, rows = load_game(name), []
    for names in pairs[:most]:
        first, second = (read_agent(text, game) for text in names)
        agents = (first, second)
        estimators = [make_estimator("aivat", game, agents, known=known) for known in ("none", "first", "all")]
        estimators.append(make_estimator("importance", game, agents, known="first"))
        record = list(played(game, agents, hands, seed))
        for estimator in estimators:
            estimator.estimate(*record[0])  # tables that are made once
        chips = np.array([hand.net_chips[seat] for hand, seat in record])
        rows.append(row(names, "chips", chips, chips, 0.0))
        speeds = [speed(game, estimator, record[:TIMED]) for estimator in estimators]
        # Hand by hand, so that what several estimators count of a board is counted once.
        found = np.array([[estimator.estimate(*hand) for estimator in estimators] for hand in record])
        for i, estimator in enumerate(estimators):
            rows.append(row(names, estimator.name, found[:, i], chips, speeds[i]))
    print(f"{name}, {hands:,} hands, chips of the first agent (big blind {game.big_blind}):\n")
    print(table(HEAD, rows))


def speed(game: Game, estimator: Estimator, record: list[tuple[PlayedHand, int]]) -> float:
    """Hands per second of processor time, agents included, nothing counted before."""
    run_outs_of(game).forget()
    started = time.process_time()
    for hand, seat in record:
        estimator.estimate(hand, seat)
    return len(record) / (time.process_time() - started)


def row(names: tuple[str, str], name: str, found: np.ndarray, chips: np.ndarray, rate: float) -> tuple[str, ...]:
    """One line of the table."""
    error, cut = found.std(ddof=1) / len(found) ** 0.5, 1 - found.std() / chips.std()
    return (
        " against ".join(names), name, f"{found.mean():.2f} ± {1.96 * error:.2f}", f"{found.std():.1f}",
        f"{100 * cut:.1f} %", f"1/{(chips.std() / found.std()) ** 2:.1f}", f"{rate:,.0f}" if rate else "",
    )  # fmt: skip


def people(hands: int, seed: int) -> None:
    """Simulated people against the blueprint: half as good as it, half worse by a known amount."""
    game, bot = load_game("holdem.limit.2p"), "blueprint"
    weaker = [f"fold={share:.2f},call={0.9 - share:.2f},raise=0.10" for share in np.linspace(0.0, 0.6, 8)]
    skills = {bot: 0.0}
    for text in weaker:
        skills[text] = play_match(game, (text, bot), boards=40, seed=seed).measures[0].mean_chips * 100.0
    known, played, skill = read_agent(bot, game), list[PlayedHand](), dict[str, float]()
    for number, text in enumerate([*weaker, *[bot] * 8]):
        name, agents = f"person {number}", [read_agent(text, game), known]
        skill[name] = skills[text]
        for place, agent in enumerate(agents):
            agent.start_match(MatchStart(game, 2 * (seed + number) + place))
        deals = deals_of_block(game, seed + number, 0)
        for number_of_hand, deal in enumerate(deals[:hands]):
            pair, names = (agents, (name, "bot")) if number_of_hand % 2 == 0 else (agents[::-1], ("bot", name))
            played.append(replace(play_hand(game, (pair[0], pair[1]), deal, number_of_hand), players=names))
    study = measure_people(played, known, game, agent="bot")
    rows, held = [], 0
    for player in study.players:
        true, mean, interval = skill[player.name], player.best.mean * 100.0, player.best.interval
        assert interval is not None
        half = (interval.high - interval.low) * 50.0
        held += abs(true - mean) <= half
        row = player.name, f"{true:+.0f}", f"{mean:+.0f} ± {half:.0f}", f"{player.chips.mean * 100:+.0f}"
        rows.append((*row, f"{player.corrected_p_value:.2g}"))
    print(table(("player", "skill, mbb/g", "AIVAT", "chips", "p, corrected"), rows) + "\n")
    ranks = [np.argsort(np.argsort(x)) for x in ([skill[p.name] for p in study.players], range(len(rows), 0, -1))]
    equals = [p.corrected_p_value or 1.0 for p in study.players if skill[p.name] == 0.0]
    print(f"{held} of {len(rows)} skills are in their intervals; rank correlation {np.corrcoef(*ranks)[0, 1]:.3f}.")
    print(f"{sum(p < 0.05 for p in equals)} of {len(equals)} equals are called better or worse.")
    spread = [
        np.mean([one.std for one in found]) * 100
        for found in zip(*((p.chips, p.best) for p in study.players), strict=True)
    ]
    print(f"The standard deviation of a hand is {spread[0]:,.0f} by chips and {spread[1]:,.0f} by AIVAT.")
    pool = make_pool([(result.players[0], result) for result in study.results()], "aivat")
    for number, tier in enumerate(equal_tiers(pool, "bot", 5)[0], start=1):
        assert tier.interval is not None
        low, high, true = tier.interval.low, tier.interval.high, np.mean([skill[name] for name in tier.players])
        print(f"Fifth {number}: {tier.mean:+.0f} ({low:+.0f} to {high:+.0f}); its true mean is {true:+.0f}.")


def main() -> None:
    """Run the chosen measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "what", nargs="*", default=["leduc", "limit", "no-limit"], help="leduc, limit, no-limit, people"
    )
    parser.add_argument("--hands", type=int, help="a million of Leduc, 20,000 of hold'em")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, help="only the first pairs of agents")
    options = parser.parse_args()
    print(machine_line() + "\n")
    for what in options.what:
        if what == "leduc":
            leduc(options.hands or 1_000_000, options.seed)
        elif what == "people":
            people(options.hands or 1_000, options.seed)
        else:
            holdem(what, options.hands or 20_000, options.seed, options.pairs)


if __name__ == "__main__":
    main()
