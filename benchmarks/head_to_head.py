"""What solving turn and river gains over a blueprint, range against range: `python benchmarks/head_to_head.py [AGENT]`.

Before the turn a resolver plays its blueprint, so all that it wins against that blueprint it wins from the turn on.
Public states at the start of the turn are drawn from self-play of the blueprint.  From each of them both ranges are
played out at once, every action of both players with its probability, on a few river cards: once with the resolver in a
seat, and once with the blueprint there.  The difference does not contain the luck of private cards; multiplied by how
often the turn is reached it is the resolver's win rate.  Of rare lines only some are drawn, with larger weights.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import errai
from errai.agents.agent import MatchStart, StrategicAgent, number_of_hand
from errai.agents.reader import read_agent
from errai.cards.hands import fitting_weights, hand_cards
from errai.cards.strength import strengths_on_board
from errai.games.hand import Hand, PublicState, Shuffle
from errai.resolving.values import ranges_at

GAME = "holdem.nolimit.2p"
TURN = 2
RARE = 0.02
"""Share of the pairs of hands below which a line is played as often as it is, and then counts for more."""

Vector = NDArray[np.float64]


@dataclass
class Table:
    """Two players, and the river cards that may come."""

    seats: tuple[StrategicAgent, StrategicAgent]
    rivers: tuple[int, ...]
    draws: np.random.Generator

    def __post_init__(self) -> None:
        self.hands = hand_cards(52, 2).astype(np.int64)
        self._margins: dict[tuple[int, ...], NDArray[np.float32]] = {}

    def worth(self, state: PublicState, reach: tuple[Vector, Vector], whole: float) -> float:
        """Net chips of seat 0, summed over pairs of hands with their weights."""
        if state.is_over and state.betting.folded >= 0:
            won = state.betting.stake_chips * (1.0 if state.betting.folded == 1 else -1.0)
            return won * float(reach[0] @ fitting_weights(self.hands, reach[1]))
        if state.is_over:
            return state.betting.stake_chips * float(
                reach[0] @ (self.margins(state.board) @ reach[1].astype(np.float32))
            )
        if state.cards_due:
            # Of 48 cards each pair of hands leaves 44.
            found = 0.0
            for card in self.rivers:
                free = ~(self.hands == card).any(axis=1)
                found += self.worth(state.with_cards((card,)), (reach[0] * free, reach[1] * free), whole)
            return found * 48.0 / 44.0 / len(self.rivers)
        choices, actor, found = self.seats[state.actor].strategy(state), state.actor, 0.0
        for a, action in enumerate(choices.actions):
            row = reach[actor] * choices.probabilities[:, a]
            share = float(row @ fitting_weights(self.hands, reach[1 - actor])) / whole
            if share < RARE:
                if self.draws.random() >= share / RARE:
                    continue
                row *= RARE / share
            found += self.worth(state.after(action), (row, reach[1]) if actor == 0 else (reach[0], row), whole)
        return found

    def margins(self, board: tuple[int, ...]) -> NDArray[np.float32]:
        """float32[H, H]: 1 where the first hand wins, -1 where the second does; 0 where they do not fit."""
        if board not in self._margins:
            strength = strengths_on_board(tuple(sorted(board)), self.hands.astype(np.int16), errai.load_game(GAME).deck)
            fits = ~(self.hands[:, None, :, None] == self.hands[None, :, None, :]).any(axis=(2, 3))
            sign = np.sign(strength[:, None].astype(np.int64) - strength[None, :].astype(np.int64))
            self._margins[board] = (sign * fits).astype(np.float32)
        return self._margins[board]


def turns(blueprint: StrategicAgent, seed: int, count: int) -> tuple[list[PublicState], int]:
    """Public states at which the turn began, and in how many hands."""
    draws, shuffle, found, hands = np.random.default_rng(seed), Shuffle(blueprint_game()), [], 0
    while len(found) < count:
        hands += 1
        hand = Hand(blueprint_game(), shuffle.deal(draws), hands)
        while not hand.is_over and hand.state.betting.round < TURN:
            row = blueprint.strategy(hand.state).probabilities[number_of_hand(hand.deal.hole[hand.actor])]
            chosen = draws.choice(len(row), p=row / row.sum())
            hand.act(blueprint.strategy(hand.state).actions[chosen])
        if not hand.is_over and hand.state.actor >= 0:
            found.append(hand.state)
    return found, hands


def blueprint_game() -> errai.Game:
    """The game that is played."""
    return errai.load_game(GAME)


def main() -> None:
    """Print a row for every state, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("resolver", nargs="?", default="resolver", help="an agent that is its blueprint to the turn")
    parser.add_argument("--blueprint", default="blueprint-nl")
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--rivers", type=int, default=1, help="river cards for each turn (1)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    game = blueprint_game()
    blueprint = read_agent(options.blueprint, game)
    assert isinstance(blueprint, StrategicAgent)
    blueprint.start_match(MatchStart(game, 0))
    states, hands = turns(blueprint, options.seed, options.turns)
    print(
        f"{len(states)} of {hands} hands came to the turn\n| pot | gain in seat 0 | in seat 1 | s |\n|---|---|---|---|"
    )
    gains = []
    for number, state in enumerate(states):
        started = time.perf_counter()
        resolver = read_agent(options.resolver, game)
        assert isinstance(resolver, StrategicAgent)
        resolver.start_match(MatchStart(game, 0))
        draws = np.random.default_rng([options.seed, number])
        free = [card for card in range(52) if card not in state.board]
        rivers = tuple(draws.choice(free, options.rivers, replace=False).tolist())
        first, second = ranges_at(blueprint, state)
        whole = float(first @ fitting_weights(hand_cards(52, 2).astype(np.int64), second))
        found = []
        for seats in ((blueprint, blueprint), (resolver, blueprint), (blueprint, resolver)):
            table = Table(seats, rivers, np.random.default_rng([options.seed, number, 1]))
            found.append(table.worth(state, (first, second), whole) / whole)
        gains.append((found[1] - found[0], found[0] - found[2]))
        seconds = time.perf_counter() - started
        print(f"| {state.pot_chips:.0f} | {gains[-1][0]:+.1f} | {gains[-1][1]:+.1f} | {seconds:.1f} |", flush=True)
        if (number + 1) % 10 == 0 or number + 1 == len(states):
            mean = np.array(gains).mean(axis=1)
            share, big_blind = len(states) / hands, float(game.big_blind or 1)
            rate = 1000.0 * share / big_blind
            error = 1.96 * mean.std(ddof=1) / len(mean) ** 0.5
            print(f"gain a turn {mean.mean():+.1f} +- {error:.1f} chips", end=": ")
            print(f"{rate * mean.mean():+.0f} +- {rate * error:.0f} mbb/g", flush=True)


if __name__ == "__main__":
    main()
