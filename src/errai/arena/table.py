"""The tables of a match, at which two agents play its deals in this process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart
from errai.agents.given import Contestant, as_agent
from errai.arena.acpc.log import hand_line
from errai.arena.estimator import Estimator
from errai.arena.match_log import log_name
from errai.arena.play import BLOCK, deals_of_block, play
from errai.arena.results import CHIPS, METHODS
from errai.errors import AgentError, ErraiError, MatchError
from errai.games.hand import Deal, Hand, Lines
from errai.games.subject import Subject
from errai.running.stopping import StopToken, stops

EstimatorFactory = Callable[[Subject, tuple[Agent, Agent]], Estimator]
"""A function that makes an estimator for a match between two agents."""


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

    @property
    def tables(self) -> int:
        """Number of tables at which each deal is played."""
        return 2 if self.duplicate else 1

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


class Tables:
    """The one or two tables of a match, with the agents and the estimators.

    Agents that do not learn sit at both tables.  Agents that learn are made twice, and the two share nothing, as in the
    competition, whose second match has fresh agents.

    Raises
    ------
    MatchError
        An agent learns and cannot be made a second time.
    StrategyError
        An agent cannot play the subject.
    """

    def __init__(self, setup: MatchSetup) -> None:
        self.setup = setup
        self._lines = Lines(setup.subject)
        self._block: tuple[int, list[Deal]] = (-1, [])
        first = (as_agent(setup.contestants[0], setup.subject), as_agent(setup.contestants[1], setup.subject))
        self.agents = [first]
        self.learning = [agent.name for agent in first if agent.learns]
        if setup.duplicate:
            self.agents.append((self._second(0, first[0]), self._second(1, first[1])))
        for table, pair in enumerate(self.agents):
            for place, agent in enumerate(pair):
                if table == 0 or agent is not first[place]:
                    same = setup.common_random_numbers
                    seed = agent_seed(setup.seed, 0, 0) if same else agent_seed(setup.seed, table, place)
                    agent.start_match(MatchStart(setup.subject, seed, setup.deals, same))
        self.estimators: list[list[Estimator]] = []
        for table, pair in enumerate(self.agents):
            same = table == 1 and pair == first
            made = self.estimators[0] if same else [make(setup.subject, pair) for _, make in setup.estimators]
            self.estimators.append(made)

    @property
    def names(self) -> tuple[str, str]:
        """The agents' names; if both have the same name, that of the second is marked."""
        first, second = (agent.name for agent in self.agents[0])
        return first, second if second != first else f"{second} (2)"

    @property
    def measures(self) -> list[tuple[str, str]]:
        """The name and the description of each measure."""
        made = [
            (name, estimator.name)
            for (name, _), estimator in zip(self.setup.estimators, self.estimators[0], strict=True)
        ]
        return [(CHIPS, METHODS[CHIPS]), *((name, f"{METHODS.get(name, name)}: {how}") for name, how in made)]

    def play(self, begin: int, end: int, stop: StopToken | None = None) -> Chunk:
        """Play the deals from ``begin`` to before ``end``; ends early if a token is set or an agent fails."""
        setup = self.setup
        tables, count, measures = setup.tables, end - begin, 1 + len(setup.estimators)
        values = np.zeros((measures, tables, count))
        endings = np.zeros((tables, count), dtype=np.uint8)
        names, lines, done, failure = self.names, list[str](), 0, ""
        before = self._tally()
        try:
            for number in range(begin, end):
                if stops(stop):
                    break
                deal = self._deal(number)
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
                    if measures > 1:
                        played = hand.played(seated)
                        for e, estimator in enumerate(self.estimators[table], start=1):
                            values[e, table, done] = estimator.estimate(played, seat)
                    if setup.log:
                        logged = log_name(seated[0]), log_name(seated[1])
                        lines.append(hand_line(hand.number, hand.state, deal.hole, hand.net_chips(), logged))
                done += 1
        except AgentError as error:
            failure = str(error)
        except ErraiError as error:
            # An agent did what its strategy never does; the hands before are valid.
            failure = f"Deal {begin + done} could not be measured: {error}"
        after = self._tally()
        tally = None if after is None or before is None else after - before
        return Chunk(values[:, :, :done], endings[:, :done], lines[: tables * done], failure, tally)

    def _tally(self) -> NDArray[np.int64] | None:
        """Return a copy of the tally of the first measure that has one; all measures see the same decisions."""
        fits = [[fit for e in made if (fit := getattr(e, "fit", None)) is not None][:1] for made in self.estimators]
        found = {id(fit): fit.tally for some in fits for fit in some}
        return np.sum(list(found.values()), axis=0) if found else None

    def close(self) -> None:
        """Close all agents."""
        for agent in {id(agent): agent for pair in self.agents for agent in pair}.values():
            agent.close()

    def _deal(self, number: int) -> Deal:
        block, place = divmod(number, BLOCK)
        if self._block[0] != block:
            self._block = block, deals_of_block(self.setup.subject, self.setup.seed, block)
        return self._block[1][place]

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


def agent_seed(seed: int, table: int, place: int) -> int:
    """Return the seed of an agent: 63 bits that differ from agent to agent and from table to table."""
    text = f"errai match {seed} table {table} agent {place}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1
