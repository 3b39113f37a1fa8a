"""Playing the deals of a match: its cards, its tables with agents and estimators, in this process or in others.

The cards depend on the match's seed and the number of the deal alone, so any process can play any deals.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart
from errai.agents.given import Contestant, as_agent
from errai.arena.acpc.log import hand_line, log_name
from errai.arena.estimator import Estimator
from errai.arena.results import CHIPS, METHODS
from errai.cards.strength import strength
from errai.errors import AgentError, ErraiError, MatchError
from errai.games.game import Subject
from errai.games.hand import Action, Deal, Hand, Lines, PlayedHand, Shuffle
from errai.own_code import fault_text
from errai.running.pool import ProcessPool, Steps
from errai.running.stopping import StopToken, stops

BLOCK = 1_000
"""Deals that are drawn together.  It is part of the meaning of a seed: another number gives other cards."""

MOMENT_SECONDS = 0.25
"""In this process fewer deals are played at a time if they take longer."""

Played = TypeVar("Played", covariant=True)

EstimatorFactory = Callable[[Subject, tuple[Agent, Agent]], Estimator]
"""A function that makes an estimator for a match between two agents."""


def deals_of_block(subject: Subject, seed: int, block: int) -> list[Deal]:
    """Return the deals ``block * BLOCK`` to ``(block + 1) * BLOCK - 1``, with the winners of their showdowns.

    In a game all orders of the deck are equally likely; in a spot the ranges weigh the hands
    (:class:`errai.games.hand.Shuffle`).
    """
    rng, game = np.random.default_rng([seed, block]), subject.rules
    if subject.given_weights is not None:
        shuffle = Shuffle(subject)
        drawn = [shuffle.deal(rng) for _ in range(BLOCK)]
        hole = np.array([deal.hole for deal in drawn], dtype=np.int64)
        board = np.array([deal.board for deal in drawn], dtype=np.int64).reshape(BLOCK, -1)
    else:
        k, shown = game.num_hole_cards, game.board_cards_in(game.num_rounds - 1)
        decks = np.tile(np.arange(game.deck.num_cards), (BLOCK, 1))
        decks = rng.permuted(decks, axis=1)[:, : 2 * k + shown]
        hole, board = decks[:, : 2 * k].reshape(BLOCK, 2, k), decks[:, 2 * k :]
    whole = np.concatenate([hole, np.repeat(board[:, None, :], 2, axis=1)], axis=2)
    strengths = strength(whole, game.deck, game.ranking)
    better = np.sign(strengths[:, 0].astype(np.int64) - strengths[:, 1]).tolist()
    return [
        Deal((tuple(first), tuple(second)), tuple(cards), ahead)
        for (first, second), cards, ahead in zip(hole.tolist(), board.tolist(), better, strict=True)
    ]


def play_hand(subject: Subject, agents: tuple[Agent, Agent], deal: Deal, number: int = 0) -> PlayedHand:
    """Play one hand; ``agents`` are those in seats 0 and 1, whose matches have been started.

    Raises :class:`AgentError`, with the agent's name and the hand's number, if an agent fails or breaks the rules.
    """
    hand = Hand(subject, deal, number)
    play(hand, agents)
    return hand.played((agents[0].name, agents[1].name))


def play(hand: Hand, agents: tuple[Agent, Agent]) -> None:
    """Play a hand to its end; as :func:`play_hand`."""
    seat = hand.actor
    while seat >= 0:
        try:
            action = agents[seat].act(hand.observation(seat))
            if not isinstance(action, Action):
                raise AgentError(f"act returned {action!r:.80}, which is not an Action.")
            hand.act(action)
        # Agents may be code of users: whatever goes wrong in one is a result of the match, not an error of the arena.
        except Exception as error:
            raise _failure(agents[seat], hand, error) from error
        seat = hand.actor
    for seat, agent in enumerate(agents):
        # Most agents have no end_hand of their own; the observation is not made for them.
        if type(agent).end_hand is not Agent.end_hand:
            try:
                agent.end_hand(hand.observation(seat), hand.net_chips()[seat])
            except Exception as error:
                raise _failure(agent, hand, error) from error


def _failure(agent: Agent, hand: Hand, error: Exception) -> AgentError:
    what = str(error) if isinstance(error, ErraiError) else fault_text(error)
    return AgentError(f"{agent.name}, hand {hand.number}: {what}")


class Dealt(Protocol[Played]):
    """Agents at tables, at which any deals can be played."""

    def play(self, begin: int, end: int, stop: StopToken | None = None) -> Played:
        """Play the deals from ``begin`` to before ``end``; fewer if a token is set."""


def play_deals(
    here: Dealt[Played],
    make: Callable[[], Dealt[Played]],
    begin: int,
    end: int,
    *,
    most: int,
    processes: int = 1,
    stop: StopToken | None = None,
    advice: str = "Use fewer processes.",
) -> Generator[Played, None, None]:
    """Yield what is played in consecutive chunks of deals, in their order, so that those of a broken-off run are first.

    Parameters
    ----------
    here:
        What plays in this process.  Its chunks take about a moment each, so that a slow run is seen to move.
    make:
        Makes the same in another process; it can be pickled.
    begin, end:
        The first deal, and the one after the last.
    most:
        The largest number of deals of a chunk.
    processes:
        The number of processes, which end as soon as the generator is closed.
    advice:
        What to do if processes are lost again and again.
    """
    if min(processes, math.ceil((end - begin) / most)) > 1:
        ends = [*range(begin + most - begin % most, end, most), end]
        with ProcessPool[tuple[int, int], Played](partial(_steps, make), processes, advice=advice) as pool:
            yield from pool.run(pairwise([begin, *ends]), stop=stop)
        return
    count = 1
    while begin < end and not stops(stop):
        # Every multiple of ``most`` ends a chunk, as it does with several processes.
        last, began = min(begin + count, begin + most - begin % most, end), time.monotonic()
        played = here.play(begin, last, stop)
        took = time.monotonic() - began
        count = min(2 * count, most) if 2 * took < MOMENT_SECONDS else max(count // 2, 1)
        begin = last
        yield played


def _steps(make: Callable[[], Dealt[Played]]) -> Steps:
    made = make()
    return Steps(lambda deals: made.play(*deals))


# --- the tables of a match ---


@dataclass(frozen=True)
class MatchSetup:
    """The game, the agents and the measures of a match."""

    subject: Subject
    contestants: tuple[Contestant, Contestant]
    deals: int
    duplicate: bool
    seed: int
    estimators: tuple[tuple[str, EstimatorFactory], ...] = ()
    log: bool = False
    """Whether to make the lines of a log."""
    common_random_numbers: bool = False
    """Whether the agent in a seat draws the same random numbers at both tables of a deal, whichever agent it is."""
    boards: bool = False
    """Whether no hands are played: the expected winnings over all hands are computed on the boards of the deals."""

    @property
    def tables(self) -> int:
        """Number of tables at which each deal is played."""
        return 2 if self.duplicate else 1

    @property
    def measures(self) -> list[str]:
        """The names of all measures, the chips that were won first."""
        return [CHIPS, *(name for name, _ in self.estimators)]

    def seats(self, deals: int) -> NDArray[np.int8]:
        """Return int8[T, deals]: the seat of the first agent, alternating; at the second table it is the other seat."""
        table, deal = np.indices((self.tables, deals))
        return ((deal + table) % 2).astype(np.int8)


@dataclass(eq=False)
class Chunk:
    """The results of some consecutive deals."""

    values: NDArray[np.float64]
    """float64[E, T, n]: chips of the first agent by measure; the chips that were won are the first one."""
    endings: NDArray[np.uint8]
    """uint8[T, n]: twice the round in which the hand ended, plus one for a showdown."""
    lines: list[str]
    """Lines of the log if one is made: T for each deal."""
    failure: str = ""
    """The message of an agent or estimator that failed; the deals from there on are missing."""
    tally: NDArray[np.int64] | None = None
    """int64, of :func:`errai.arena.luck.fit.tally_shape`: the decisions of agents whose strategy is known."""
    unsolved: NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, np.int64))
    """int64[2]: how many states each agent had no time to solve."""


class Tables:
    """The one or two tables of a match, with the agents and the estimators.

    Agents that do not learn sit at both tables.  Agents that learn are made twice, and the two share nothing, as in the
    competition, whose second match has fresh agents.

    Raises :class:`MatchError` if an agent learns and cannot be made a second time, and :class:`StrategyError` if an
    agent cannot play the subject.
    """

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self._lines = Lines(setup.subject)
        self._deals = lru_cache(maxsize=1)(partial(deals_of_block, setup.subject, setup.seed))
        first, second = (as_agent(contestant, setup.subject) for contestant in setup.contestants)
        self.agents = [(first, second)]
        self.learning = [agent.name for agent in (first, second) if agent.learns]
        if setup.duplicate:
            self.agents.append((self._second(0, first), self._second(1, second)))
        self.estimators: list[list[Estimator]] = []
        for table, pair in enumerate(self.agents):
            for place, agent in enumerate(pair):
                if table == 0 or agent is not self.agents[0][place]:
                    same = setup.common_random_numbers
                    seed = agent_seed(setup.seed, 0, 0) if same else agent_seed(setup.seed, table, place)
                    agent.start_match(MatchStart(setup.subject, seed, setup.deals, same))
        for table, pair in enumerate(self.agents):
            same = table == 1 and pair == self.agents[0]
            made = self.estimators[0] if same else [make(setup.subject, pair) for _, make in setup.estimators]
            self.estimators.append(made)

    @property
    def names(self) -> tuple[str, str]:
        """The agents' names; if both have the same name, that of the second is marked."""
        return names_apart(*(agent.name for agent in self.agents[0]))

    @property
    def methods(self) -> list[str]:
        """The description of each measure."""
        made = zip(self.setup.measures[1:], self.estimators[0], strict=True)
        return [METHODS[CHIPS], *(f"{METHODS.get(name, name)}: {estimator.name}" for name, estimator in made)]

    def play(self, begin: int, end: int, stop: StopToken | None = None) -> Chunk:
        """Play the deals from ``begin`` to before ``end``; ends early if a token is set or an agent fails."""
        setup = self.setup
        tables = setup.tables
        values = np.zeros((len(setup.measures), tables, end - begin))
        endings = np.zeros((tables, end - begin), dtype=np.uint8)
        names, lines, done, failure = self.names, list[str](), 0, ""
        before, unsolved = self._tally(), self._unsolved()
        try:
            for number in range(begin, end):
                if stops(stop):
                    break
                deal = self._deals(number // BLOCK)[number % BLOCK]
                for table in range(tables):
                    # The numbers continue at the second table, so that every hand of a match has its own.
                    hand = Hand(setup.subject, deal, number + table * setup.deals, self._lines)
                    seat = (number + table) % 2
                    first, second = self.agents[table]
                    play(hand, (first, second) if seat == 0 else (second, first))
                    values[0, table, done] = hand.net_chips()[seat]
                    betting = hand.state.betting
                    endings[table, done] = 2 * betting.round + betting.showdown
                    seated = names if seat == 0 else (names[1], names[0])
                    if setup.estimators:
                        played = hand.played(seated)
                        for e, estimator in enumerate(self.estimators[table], start=1):
                            values[e, table, done] = estimator.estimate(played, seat)
                    if setup.log:
                        logged = log_name(seated[0]), log_name(seated[1])
                        lines.append(hand_line(hand.played(logged), hand.state))
                done += 1
        except AgentError as error:
            failure = str(error)
        except ErraiError as error:
            # An agent did what its strategy never does; the hands before are valid.
            failure = f"Deal {begin + done} could not be measured: {error}"
        after = self._tally()
        tally = None if after is None or before is None else after - before
        unsolved = self._unsolved() - unsolved
        return Chunk(values[:, :, :done], endings[:, :done], lines[: tables * done], failure, tally, unsolved)

    def _unsolved(self) -> NDArray[np.int64]:
        """Return how many states each of the two agents, at all tables, has had no time to solve."""
        agents = zip(*self.agents, strict=True)
        return np.array([sum(one.unsolved for one in {id(one): one for one in same}.values()) for same in agents])

    def _tally(self) -> NDArray[np.int64] | None:
        """Return a copy of the tally of the first measure that has one; all measures see the same decisions."""
        fits = [[fit for e in made if (fit := getattr(e, "fit", None)) is not None][:1] for made in self.estimators]
        found = {id(fit): fit.tally for some in fits for fit in some}
        return np.sum(list(found.values()), axis=0) if found else None

    def close(self) -> None:
        """Close all agents."""
        for agent in {id(agent): agent for pair in self.agents for agent in pair}.values():
            agent.close()

    def _second(self, place: int, agent: Agent) -> Agent:
        contestant = self.setup.contestants[place]
        if not agent.learns:
            return agent
        if isinstance(contestant, Agent):
            raise MatchError(
                f"{agent.name} learns, so duplicate play needs it twice: give a function that makes it, or leave "
                "duplicate play out."
            )
        return as_agent(contestant, self.setup.subject)


def names_apart(first: str, second: str) -> tuple[str, str]:
    """Return the names of two agents; if they are the same, that of the second is marked."""
    return first, second if second != first else f"{second} (2)"


def agent_seed(seed: int, table: int, place: int) -> int:
    """Return the seed of an agent: 63 bits that differ from agent to agent and from table to table."""
    text = f"errai match {seed} table {table} agent {place}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
