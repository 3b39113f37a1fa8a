"""Matches of three agents and more, on the same cards in every order of seats.

The competition played its three-player matches in each of the six orders in which three players can sit, with the same
cards in all of them.  So does a duplicate match here: every deal is played in each order, and the mean of its hands,
which is free of much of the luck of the cards, is one sample of what an agent wins.  Otherwise a deal is one hand, and
the players move on by one seat from hand to hand.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart
from errai.arena.acpc.log import LogFile, Score, hand_line, log_name, score_line
from errai.arena.intervals import Histogram, Interval, bootstrap_interval
from errai.engine.status import Outcome
from errai.errors import AgentError, ErraiError, IllegalActionError, MatchError
from errai.games.hand import Hand, Lines
from errai.games.ring import RingGame, RingHand, ring_deal
from errai.own_code import whole_number
from errai.running.stopping import StopToken, stops
from errai.store.atomic import write_file

MAX_DEALS = 100_000_000
SHOWN_SECONDS = 0.2
"""Seconds between two calls of the progress callback."""


@dataclass(frozen=True, eq=False)
class RingResult:
    """What each agent won; values are in chips a hand."""

    game: RingGame
    players: tuple[str, ...]
    deals: NDArray[np.float64]
    """float64[deals, players]: what each player won on average over the orders of seats of a deal."""
    orders: int
    """The hands of a deal: in how many orders of seats it was played."""
    hands_wanted: int
    seed: int
    status: Outcome
    seconds: float

    @property
    def hands(self) -> int:
        """The number of hands."""
        return len(self.deals) * self.orders

    @property
    def mean_chips(self) -> tuple[float, ...]:
        """What each player won a hand; the sum is 0."""
        return tuple(self.deals.mean(axis=0).tolist()) if len(self.deals) else (0.0,) * len(self.players)

    @property
    def intervals(self) -> tuple[Interval | None, ...]:
        """By player the 95 % interval of the mean, by the bootstrap over deals."""
        return tuple(bootstrap_interval(Histogram.of(column), self.seed) for column in self.deals.T)

    def document(self) -> dict[str, Any]:
        """Return the result as JSON has it; ``docs/arena.md`` lists the fields."""
        scale = 1000.0 / self.game.big_blind if self.game.big_blind else None
        players = []
        for name, mean, interval in zip(self.players, self.mean_chips, self.intervals, strict=True):
            found = None if interval is None else [interval.low, interval.high]
            players.append(
                {
                    "name": name,
                    "chips_per_hand": mean,
                    "interval_chips": found,
                    "mbb_per_hand": None if scale is None else mean * scale,
                    "bb_per_100": None if scale is None else mean * scale / 10.0,
                    "interval_mbb": None if scale is None or found is None else [end * scale for end in found],
                }
            )
        return {
            "game": self.game.name,
            "title": self.game.label,
            "deals": len(self.deals),
            "orders": self.orders,
            "hands": self.hands,
            "seed": self.seed,
            "status": self.status.value,
            "seconds": self.seconds,
            "players": players,
        }

    def save(self, path: str | Path) -> None:
        """Write the document to a file of JSON."""
        write_file(Path(path), json.dumps(self.document(), indent=2).encode() + b"\n")


def play_ring_match(
    game: RingGame,
    agents: Sequence[Callable[[], Agent]],
    deals: int,
    *,
    seed: int = 0,
    duplicate: bool = True,
    log: str | Path | None = None,
    stop: StopToken | None = None,
    progress: Callable[[int, tuple[float, ...]], None] | None = None,
) -> RingResult:
    """Play a match of as many agents as the game has players.

    Parameters
    ----------
    game:
        The game.
    agents:
        Functions without arguments that make the agents; an agent is made for each order of seats, so that one that
        learns sees the cards of a deal once.
    deals:
        How many deals are played.
    seed:
        The cards and the agents' draws depend on it and on the number of the deal.
    duplicate:
        Whether every deal is played in all orders of seats; otherwise the players move on by one seat for each deal.
    log:
        A file for the log in the competition's format: the deals one after another, each in all orders.
    stop:
        A token that any thread may set; the match then ends after the current deal.
    progress:
        Called from time to time with the number of deals and what each agent has won, in chips a hand.

    Raises
    ------
    MatchError, InputError
        The match cannot be played as specified; no hand was played.
    AgentError
        An agent failed or broke the rules; the message names the agent and the deal.
    ArtefactError
        The log cannot be written.
    """
    players = game.num_players
    whole_number(deals, "The number of deals of a match", 1, MAX_DEALS, error=MatchError)
    if len(agents) != players:
        raise MatchError(f"{game.label} is for {players} players, not {len(agents)}; give so many agents.")
    orders = list(permutations(range(players))) if duplicate else [tuple(range(players))]
    found = np.zeros((0, players))
    began = shown = time.monotonic()
    with ExitStack() as held:
        tables = []
        for order in orders:
            made = [agents[player]() for player in range(players)]
            for agent in made:
                held.callback(agent.close)
            for player, agent in enumerate(made):
                agent.start_match(MatchStart(cast(Any, game), seed * players + player, deals))
            tables.append((order, made))
        names = _different([agent.name for agent in tables[0][1]])
        file = None if log is None else held.enter_context(closing(LogFile(Path(log))))
        lines, rows = Lines(cast(Any, game)), []
        status = Outcome.DONE
        for number in range(deals):
            if stops(stop):
                status = Outcome.INTERRUPTED
                break
            deal, won = ring_deal(game, seed, number), np.zeros(players)
            for table, (sitting, made) in enumerate(tables):
                moved = 0 if duplicate else number % players
                order = (*sitting[moved:], *sitting[:moved])
                hand = _play(RingHand(game, deal, number, lines), order, made, number * len(orders) + table)
                won[list(order)] += hand.net_chips()
                if file is not None:
                    seated = tuple(log_name(names[player]) for player in order)
                    file.write(f"{hand_line(hand.played(cast(Any, seated)), hand.state)}\n")
            rows.append(won / len(orders))
            if progress is not None and time.monotonic() - shown > SHOWN_SECONDS:
                shown = time.monotonic()
                progress(number + 1, tuple(np.mean(rows, axis=0).tolist()))
        found = np.array(rows).reshape(-1, players)
        if file is not None and status is Outcome.DONE:
            totals = tuple((found.sum(axis=0) * len(orders)).tolist())
            file.write(f"{score_line(Score(totals, tuple(map(log_name, names))))}\n")
    wanted = deals * len(orders)
    return RingResult(game, names, found, len(orders), wanted, seed, status, time.monotonic() - began)


def _play(hand: Hand, order: tuple[int, ...], made: list[Agent], number: int) -> Hand:
    """Play a hand with a player in each seat."""
    hand.number = number
    while not hand.is_over:
        agent = made[order[hand.actor]]
        try:
            hand.act(agent.act(hand.observation(hand.actor)))
        except (AgentError, IllegalActionError) as error:
            raise AgentError(f"{agent.name}, hand {number}: {error}") from error
    won = hand.net_chips()
    for seat, player in enumerate(order):
        try:
            made[player].end_hand(hand.observation(seat), won[seat])
        except ErraiError as error:
            raise AgentError(f"{made[player].name}, hand {number}: {error}") from error
    return hand


def _different(names: list[str]) -> tuple[str, ...]:
    """Return names that are different: a number is added to those that come again."""
    found: list[str] = []
    for name in names:
        again = sum(other == name or other.startswith(f"{name} (") for other in found)
        found.append(f"{name} ({again + 1})" if again else name)
    return tuple(found)
