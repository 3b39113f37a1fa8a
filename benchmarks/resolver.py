"""The resolver's seconds per decision, and how well it solves by the depth of the stacks, at its default settings.

    python benchmarks/resolver.py --hands 300
    python benchmarks/resolver.py --agent resolver:seconds=1 --game holdem.limit.2p

There are two tables.  The first has seconds per decision by round, over whole hands against an agent that bets any
amount and one that plays the blueprint.  The second has the exploitability that the first solve of a turn and of a
river reaches in its own tree, by the ratio of stack to pot, with the blueprint's ranges after a raise that makes this
ratio and checks until the street.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np
from common.machine import machine_line
from common.tables import table

from errai.agents.agent import MatchStart
from errai.agents.reader import read_agent
from errai.agents.resolver import ResolverAgent
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import CALL, Hand, PublicState, Shuffle, raise_to
from errai.games.streets import STREETS
from errai.strategies.names import read_name

RATIOS = (0.5, 1.0, 3.0, 6.0, 13.0, 27.0, 49.5, 99.5)
"""Stack to pot."""

OPPONENTS = ("random-bets", "blueprint-nl")


def made(name: str, game: Game) -> ResolverAgent:
    agent = read_agent(name, game)
    assert isinstance(agent, ResolverAgent)
    agent.start_match(MatchStart(game, 1))
    return agent


def decisions(name: str, game: Game, opponent: str, hands: int, seed: int, wait: float) -> None:
    """Seconds of the decisions of whole hands, seats by turns; the opponent thinks for ``wait`` seconds."""
    agent, other = made(name, game), read_agent(opponent, game)
    other.start_match(MatchStart(game, seed))
    shuffle = Shuffle(game)
    seconds, solves = defaultdict(list), defaultdict(list)
    for number in range(hands):
        hand = Hand(game, shuffle.numbered(seed, number), number)
        seats = (agent, other) if number % 2 == 0 else (other, agent)
        while not hand.state.is_over:
            who, round_ = seats[hand.actor], hand.state.betting.round
            if wait and who is other:
                agent.watch(hand.observation(1 - hand.actor))
                time.sleep(wait)
            before, started = agent.player.solves, time.perf_counter()
            action = who.act(hand.observation(hand.actor))
            if who is agent:
                seconds[round_].append(time.perf_counter() - started)
                solves[round_].append(agent.player.solves - before)
            hand.act(action)
    rows = []
    for round_ in sorted(seconds):
        found = np.array(seconds[round_])
        middle, high = np.quantile(found, [0.5, 0.95])
        mean = f"{np.mean(solves[round_]):.2f}"
        rows.append([STREETS[round_], f"{len(found)}", f"{middle:.3f}", f"{high:.3f}", f"{found.max():.3f}", mean])
    print(f"\n{agent.name} against {opponent}, {hands} hands, seed {seed}:")
    print(table(("round", "decisions", "median s", "95 % s", "most s", "solves a decision"), rows))
    print(
        f"{agent.player.solves} solves, {agent.budget.cut_short} of them ended by the clock; "
        f"{agent.player.out_of_time} decisions without any"
    )


def depths(name: str, game: Game, boards: int, seed: int) -> None:
    """The first solve of a street by the ratio of stack to pot."""
    rows = []
    rng = np.random.default_rng(seed)
    drawn = [tuple(rng.permutation(52)[:5].tolist()) for _ in range(boards)]
    stack = min(game.stacks)
    for street in ("turn", "river"):
        agent = made(from_street(name, street), game)
        for ratio in RATIOS:
            reached, took, nodes, iterations = [], [], [], []
            cut = agent.budget.cut_short
            for board in drawn:
                state = opened(game, round(stack / (2.0 * ratio + 1.0)), board, STREETS.index(street))
                started = time.perf_counter()
                agent.strategy(state)
                took.append(time.perf_counter() - started)
                found = agent.solution(state)
                reached.append(found.exploitability.pot_percent)
                nodes.append(found.tree.betting.num_nodes)
                iterations.append(found.iterations)
            pot_ratio = (stack - state.betting.spent[0]) / state.pot_chips
            rows.append(
                [
                    street,
                    f"{pot_ratio:.1f}",
                    f"{np.median(nodes):.0f}",
                    f"{np.median(iterations):.0f}",
                    f"{np.median(reached):.2f}",
                    f"{max(reached):.2f}",
                    f"{np.median(took):.2f}",
                    f"{max(took):.2f}",
                    f"{agent.budget.cut_short - cut} of {boards}",
                ]
            )
    head = (
        "street",
        "stack / pot",
        "betting nodes",
        "iterations",
        "% of the pot",
        "most",
        "median s",
        "most s",
        "ended by the clock",
    )
    print(f"\nFirst solves of {name}, {boards} boards, seed {seed}: exploitability in its own tree")
    print(table(head, rows))


def from_street(name: str, street: str) -> str:
    """The name of the same resolver that begins on a street."""
    read = read_name(name)
    options = ",".join(filter(None, (f"from={street}", read.options)))
    return f"resolver:{options}" + (f":{read.source}" if read.source else "")


def opened(game: Game, total: int, board: tuple[int, ...], round_: int) -> PublicState:
    """A street after a raise to a total and a call before the flop, or a limp where that is no raise, and checks."""
    state = PublicState.start(game)
    least, most = state.betting.legal().raise_range or (0, 0)
    first = CALL if total < least else raise_to(min(total, most))
    state = state.after(first).after(CALL)
    while state.cards_due or state.betting.round < round_:
        state = state.dealt(board) if state.cards_due else state.after(CALL)
    return state


def main() -> None:
    """Read the options, and run the chosen measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="holdem.nolimit.2p")
    parser.add_argument("--agent", default="resolver")
    parser.add_argument("--opponents", nargs="*", default=None)
    parser.add_argument("--hands", type=int, default=200)
    parser.add_argument("--boards", type=int, default=5)
    parser.add_argument("--wait", type=float, default=0.0, help="seconds that the opponent thinks, for ahead=yes")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = load_game(options.game)
    print(machine_line())
    opponents = options.opponents
    if opponents is None:
        opponents = ("uniform", "blueprint") if game.limit else OPPONENTS
    for opponent in opponents:
        if options.hands:
            decisions(options.agent, game, opponent, options.hands, options.seed, options.wait)
    if options.boards and not game.limit:
        depths(options.agent, game, options.boards, options.seed)


if __name__ == "__main__":
    main()
