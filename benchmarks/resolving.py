"""How re-solving subgames changes the exploitability of a strategy, method by method.

    scripts/bench resolving games                       # coarse solutions of small games, and turns with their rivers
    scripts/bench resolving games holdem-2-1 --iterations 10 --methods unsafe maxmargin
    scripts/bench resolving buckets --buckets 3 10 40   # a flop game of our own with a blueprint over buckets
    scripts/bench resolving sampled holdem-2-1 --draws 40   # subgames drawn at random, each on its own
    scripts/bench resolving off-tree                    # bets that the blueprint lacks
    scripts/bench resolving --render results.jsonl      # tables of stored results

A strategy is kept before a street, and each public state at the start of the street is re-solved, separately for each
player (Brown and Sandholm 2017).  Exploitability is exact, in the whole game; `seat` is what a best response wins in
either seat.  With `--keep FILE` each result is one line of JSON, and results that are in the file are not recomputed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from common.machine import ROOT, machine_line
from common.tables import number_text, table

import errai
from errai.abstraction.building import build_abstraction
from errai.abstraction.plan import AbstractionPlan, FeatureKind, RoundPlan
from errai.blueprints.abstractions import StoredAbstraction
from errai.games.betting import ActionKind
from errai.games.catalogue import parse_game
from errai.games.game import Game, Subject
from errai.games.hand import PublicState
from errai.games.sizing import BetMenu, StreetMenu
from errai.resolving.gadgets import find_method
from errai.resolving.gadgets.adjusted import Reach
from errai.resolving.player import choices_at
from errai.resolving.resolve import solve_subgame
from errai.resolving.spliced import Spliced
from errai.resolving.values import (
    Gifts,
    Known,
    lay_out,
    menu_of_known,
    moments,
    node_at,
    ranges_at,
    strategy_of,
    subgame_of,
)
from errai.solutions.solution import Solution
from errai.strategies.strategy import Choices, Strategy, live_hands
from errai.strategies.tree_walk import probability_of

METHODS = ("unsafe", "resolve", "maxmargin", "reach", "estimated", "estimated-resolve", "reach-distributional")
GAMES = {
    "leduc": (10, 100),
    "leduc.nolimit": (10, 100),
    "rhode-island": (20,),
    "turn": (10, 50),
    "turn-donk": (10,),
}
"""Iterations of the first solutions, by game or spot of the examples."""

FLOP = """
GAMEDEF
nolimit
numPlayers = 2
numRounds = 2
stack = {stack} {stack}
blind = 100 50
firstPlayer = 2 1
numSuits = 4
numRanks = {ranks}
numHoleCards = 2
numBoardCards = 0 3
END GAMEDEF
"""


@dataclass(frozen=True)
class Case:
    """A strategy whose subgames are solved again."""

    name: str
    subject: Subject
    known: Known
    street: int


def measured(strategy: Strategy, case: Case, menu: BetMenu | None) -> dict[str, Any]:
    """Exact exploitability of a strategy in a case's whole game, with the bets of a menu."""
    start = PublicState.start(case.subject)
    laid = lay_out(strategy, start, ranges_at(strategy_of(case.known), start), menu)
    found = laid.exploitability()
    return {
        "chips": found.chips, "mbb": found.mbb, "pot_percent": found.pot_percent,
        "seat": [laid.best_chips(0), laid.best_chips(1)],
    }  # fmt: skip


def results(case: Case, options: argparse.Namespace, kept: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The strategy itself, and with its subgames solved again by each method."""
    menu = menu_of_known(case.known)
    for method in ("before", *options.methods):
        if any(r["case"] == case.name and r["method"] == method for r in kept):
            continue
        begun = time.process_time()
        facts: dict[str, Any] = {"case": case.name, "method": method, "target": options.target}
        if method == "before":
            facts |= measured(strategy_of(case.known), case, menu)
        else:
            spliced = Spliced(
                case.known, case.subject, case.street, method, target=options.target, max_iterations=options.most
            )
            facts |= measured(spliced, case, menu)
            facts |= {"subgames": spliced.solves, "tolerance_chips": spliced.tolerance_chips}
        yield facts | {"core_seconds": round(time.process_time() - begun, 1)}


# --- games ------------------------------------------------------------------------------------------------------------


def games(options: argparse.Namespace) -> Iterator[Case]:
    """Coarse solutions of games of the catalogue and of spots of the examples."""
    for name in options.names or GAMES:
        path = ROOT / "examples" / f"{name}.toml"
        subject: Subject = errai.load_spot(path) if path.exists() else errai.load_game(name)
        for iterations in options.iterations or GAMES.get(name, (10,)):
            first = errai.solve(subject, max_iterations=iterations, threads=1, encoding="float32")
            street = subject.first_round + 1 if not isinstance(subject, Game) else 1
            yield Case(f"{name}, {iterations} iterations", subject, first, street)


# --- a blueprint over buckets -----------------------------------------------------------------------------------------


def flop_game(options: argparse.Namespace) -> Game:
    """A no-limit hold'em game of two rounds with a short deck."""
    text = FLOP.format(stack=options.stack, ranks=options.ranks)
    return parse_game(text, f"no-limit flop hold'em, {4 * options.ranks} cards, stacks {options.stack}")


def blueprint(game: Game, count: int, options: argparse.Namespace) -> errai.Blueprint:
    """Return a strategy over so many buckets of the flop; before the flop hands are not merged."""
    rounds = RoundPlan(None, FeatureKind.EHS2), RoundPlan(count, FeatureKind.EHS2)
    inner = build_abstraction(game, AbstractionPlan(rounds, restarts=3), threads=1)
    abstraction = StoredAbstraction(inner, Path(f"{count} buckets"), game, f"{count} buckets")
    return errai.train(game, abstraction, "full", max_iterations=options.train, menu=options.menu, threads=1, bits=16)


def buckets(options: argparse.Namespace) -> Iterator[Case]:
    """Blueprints over more and more buckets."""
    game = flop_game(options)
    for count in options.buckets:
        name = f"{game.name}, {options.menu}: {count} buckets"
        yield Case(name, game, blueprint(game, count, options), 1)


# --- bets that the blueprint lacks ------------------------------------------------------------------------------------


class AfterUnknownBets:
    """Plays a strategy, and solves again what follows a bet of the opponent on the last street that it lacks."""

    def __init__(self, case: Case, menu: BetMenu, method: str, **settings: Any) -> None:
        self.before, self.menu, self.method = strategy_of(case.known), menu, find_method(method)
        self.suits_alike = getattr(self.before, "suits_alike", False)
        start = PublicState.start(case.subject)
        self.start = start
        if isinstance(case.known, Solution):
            self.root = case.known.root
        else:
            self.root = lay_out(self.before, start, ranges_at(self.before, start), menu_of_known(case.known)).root
        self.gifts = Gifts(self.root, 0), Gifts(self.root, 1)
        self.settings = {"threads": 1, **settings}
        self.solved: dict[tuple[object, ...], Solution | None] = {}

    def strategy(self, state: PublicState) -> Choices:
        """As it is before such a bet, and what was solved after it."""
        for before, action in moments(self.start, state):
            if action.kind != ActionKind.RAISE or action in self.before.strategy(before).actions:
                continue
            if before.actor == state.actor:
                break  # A bet of the player's own, which he never makes.
            solution = self.solution(before, before.after(action), state.actor)
            node = None if solution is None else node_at(solution.root, state)
            if node is None:
                break
            choices, live = choices_at(node, state), live_hands(state)
            rows = choices.probabilities
            unknown = live & ~(rows.sum(axis=1) > 0.0)
            return Choices(choices.actions, np.where(unknown[:, None], 1.0 / rows.shape[1], rows))
        return self.before.strategy(state)

    def solution(self, before: PublicState, after: PublicState, player: int) -> Solution | None:
        """What follows a bet, solved for the player who faces it."""
        key = (after.actions, after.board, player)
        if key not in self.solved:
            node = node_at(self.root, before)
            if node is None or not node.ranges[player].any():
                self.solved[key] = None
                return None
            gifts = self.gifts[player].at(before) if isinstance(self.method, Reach) else None
            held = subgame_of(node, before, player, gifts)
            choices = self.before.strategy(before)
            theirs = held.ranges[1 - player] * probability_of(choices, before, after.line[-1])
            if not theirs.any():
                theirs = held.possible.astype(np.float64)
            ranges = (held.ranges[0], theirs) if player == 0 else (theirs, held.ranges[1])
            subgame = replace(held, state=after, ranges=ranges)
            self.solved[key] = solve_subgame(subgame, self.method, menu=self.menu, **self.settings)
        return self.solved[key]


def off_tree(options: argparse.Namespace, kept: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What a best response wins that also bets sizes which the blueprint lacks, on the last street."""
    game = flop_game(options)
    # Nothing but the bets is coarse, so that what is lost is lost to them.
    first = errai.solve(game, "1mbb", menu=options.menu, threads=1)
    case = Case(f"{game.name}, solved with {options.menu}", game, first, 1)
    own = menu_of_known(case.known)
    assert own is not None
    extra = StreetMenu.parse(f"{options.menu.partition('|')[0]}, {options.extra}")
    finer = replace(own, streets={**own.streets, 1: (extra, extra)})
    name = f"{case.name}; bets of {options.extra}"
    for method in ("in the tree", "translation", *options.methods):
        if any(r["case"] == name and r["method"] == method for r in kept):
            continue
        begun = time.process_time()
        facts: dict[str, Any] = {"case": name, "method": method, "target": options.target}
        if method in ("in the tree", "translation"):
            facts |= measured(strategy_of(case.known), case, own if method == "in the tree" else finer)
        else:
            nested = AfterUnknownBets(case, finer, method, target=options.target, max_iterations=options.most)
            facts |= measured(nested, case, finer) | {"subgames": len(nested.solved)}
        yield facts | {"core_seconds": round(time.process_time() - begun, 1)}


# --- subgames drawn at random -----------------------------------------------------------------------------------------


def drawn(case: Case, count: int, seed: int = 0) -> list[PublicState]:
    """States with which the street begins: lines by chance of the players, boards of a random deal."""
    rng, strategy, found = np.random.default_rng(seed), strategy_of(case.known), []
    deck = case.subject.game.deck if not isinstance(case.subject, Game) else case.subject.deck
    while len(found) < count:
        state = PublicState.start(case.subject)
        left = [card for card in rng.permutation(deck.num_cards).tolist() if card not in state.board]
        board = (*state.board, *left)
        while not state.betting.is_over and state.betting.round < case.street:
            actions = strategy.strategy(state).actions
            state = state.after(actions[rng.integers(len(actions))]).dealt(board)
        if state.actor >= 0:
            found.append(state)
    return found


def sampled(case: Case, options: argparse.Namespace, kept: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each of some subgames alone: its exploitability before and after, and the most that a best response gains."""
    states = drawn(case, options.draws)
    name = f"{case.name}, {len(states)} subgames drawn"
    for method in options.methods:
        if any(r["case"] == name and r["method"] == method for r in kept):
            continue
        begun, pots, before, after, gains, stated = time.process_time(), [], [], [], [], []
        for state in states:
            found = errai.resolve(
                case.known, state, gadget=method, target=options.target, max_iterations=options.most, threads=1
            )
            pots.append(found.units.initial_pot_chips)
            before.append(found.before.pot_percent)
            after.append(found.after.pot_percent)
            for p in (0, 1):
                gains.append(found.units.pot_percent(found.lost_after[p] - found.lost_before[p]))
                stated.append(2.0 * found.solutions[p].exploitability.pot_percent)
        yield {
            "case": name, "method": method, "target": options.target, "mbb": None,
            "pot_percent": float(np.mean(after)), "before": float(np.mean(before)),
            "most_gained": float(max(gains)), "stated": float(max(stated)),
            "worse": int(sum(a > b + 1e-9 for a, b in zip(after, before, strict=True))),
            "subgames": 2 * len(states), "core_seconds": round(time.process_time() - begun, 1),
        }  # fmt: skip


# --- the command ------------------------------------------------------------------------------------------------------


def render(kept: list[dict[str, Any]]) -> str:
    """A row for each case, a column for each method: exploitability in mbb, or in per cent of a spot's pot."""
    cases, methods = (list(dict.fromkeys(r[key] for r in kept)) for key in ("case", "method"))
    rows = []
    for case in cases:
        found = {r["method"]: r for r in kept if r["case"] == case}
        unit = "mbb" if all(r["mbb"] is not None for r in found.values()) else "pot_percent"
        most = max((r.get("subgames", 0) for r in found.values()), default=0)
        cells = [number_text(found[m][unit]) if m in found else "" for m in methods]
        rows.append([case, "mbb" if unit == "mbb" else "% of the pot", f"{most:,}", *cells])
    return table(["strategy", "unit", "subgames", *methods], rows)


def above(kept: list[dict[str, Any]]) -> list[str]:
    """What a best response gains in a seat by a safe method, where that is more than the solver states."""
    found = []
    for r in kept:
        if r["method"] not in ("resolve", "maxmargin", "reach", "reach-resolve"):
            continue
        old = next((b for b in kept if b["case"] == r["case"] and b["method"] == "before"), None)
        if old is not None and "tolerance_chips" in r:
            gain = max(new - before for new, before in zip(r["seat"], old["seat"], strict=True))
            if gain > r["tolerance_chips"]:
                found.append(f"{r['case']}, {r['method']}: {gain:.3g} chips, stated {r['tolerance_chips']:.3g}")
    return found


def main() -> None:
    """Run the chosen measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("games", "buckets", "sampled", "off-tree"), default="games")
    parser.add_argument("names", nargs="*", help="games and sampled: which ones")
    parser.add_argument("--iterations", type=int, nargs="*", help="games: of the first solution")
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--target", default="0.05%pot", help="of subgames (default: %(default)s)")
    parser.add_argument("--most", type=int, default=4_000, help="iterations of a subgame at most (%(default)s)")
    parser.add_argument("--buckets", type=int, nargs="*", default=[3, 10, 40], help="of the flop")
    parser.add_argument("--ranks", type=int, default=6, help="buckets and off-tree: of the deck")
    parser.add_argument("--stack", type=int, default=1_000)
    parser.add_argument("--menu", default="100%, a")
    parser.add_argument("--draws", type=int, default=40, help="sampled: subgames (default: %(default)s)")
    parser.add_argument("--extra", default="50%", help="off-tree: sizes of the last street that the blueprint lacks")
    parser.add_argument("--train", type=int, default=1_000, help="iterations of a blueprint (default: %(default)s)")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--render", type=Path, metavar="FILE")
    options = parser.parse_intermixed_args()
    if options.render:
        kept = [json.loads(line) for line in options.render.read_text().splitlines()]
        print(render(kept), *above(kept), sep="\n")
        return
    kept = []
    if options.keep and options.keep.exists():
        kept = [json.loads(line) for line in options.keep.read_text().splitlines()]
    print(machine_line() + "\n", flush=True)
    if options.what == "off-tree":
        stream = off_tree(options, kept)
    else:
        made = buckets(options) if options.what == "buckets" else games(options)
        look = sampled if options.what == "sampled" else results
        stream = (facts for case in made for facts in look(case, options, kept))
    for facts in stream:
        kept.append(facts)
        print(json.dumps(facts), flush=True)
        if options.keep:
            with options.keep.open("a") as file:
                file.write(json.dumps(facts) + "\n")
    print("\n" + render(kept), *above(kept), sep="\n")


if __name__ == "__main__":
    main()
