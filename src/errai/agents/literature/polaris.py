"""Polaris: a team of strategies, one of which is chosen for each hand by what all of them would have won so far.

The Polaris programs of the University of Alberta (man-machine matches of 2007 and 2008) went into a match with several
strategies.  What each would have won is estimated from the hands that any of them played, by importance sampling over
the private cards (Bowling, Johanson, Burch & Szafron, "Strategy evaluation in extensive games with importance
sampling", ICML 2008), and the next hand goes to one of them by UCB1 (Auer, Cesa-Bianchi & Fischer 2002), as in the
teams of Johanson, Zinkevich & Bowling (2007).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from errai.agents.agent import Agent, MatchStart, StrategicAgent, number_of_hand
from errai.agents.reader import read_strategic_agent
from errai.cards.hands import hand_cards
from errai.cards.strength import strengths_on_boards
from errai.errors import StrategyError, UnsupportedGameError
from errai.games.game import Subject
from errai.games.hand import Action, Observation, PublicState
from errai.resolving.values import moments
from errai.strategies.names import Name
from errai.strategies.strategy import asked, require_same, says

TEAM = "psopti1+psopti2+blueprint"
"""The members by default."""

EXPLORE = 1.0
"""By default, the weight of UCB1's bound in big blinds."""


class Polaris(Agent):
    """Plays each hand with the member of a team that has won most by estimate, and looks at the others now and then.

    Parameters
    ----------
    subject:
        A whole game.
    members:
        Agents that say their strategy; none that learns.
    explore:
        What is added to a member's mean, in big blinds: ``explore * sqrt(ln t / n)`` after t hands of which it played
        n.

    Raises :class:`StrategyError` for fewer than two members, and :class:`UnsupportedGameError` for a spot.
    """

    learns = True

    def __init__(self, subject: Subject, members: tuple[StrategicAgent, ...], *, explore: float = EXPLORE) -> None:
        game = subject.whole_game
        if game is None:
            raise UnsupportedGameError("polaris plays whole games, not spots; name one such as holdem.limit.2p.")
        if len(members) < 2:
            raise StrategyError("A team has at least two members, as in polaris:psopti1+psopti2+blueprint.")
        self.name, self.subject, self.members, self.explore = "polaris", game, members, explore
        self._hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
        self.start_match(MatchStart(subject, 0))

    def start_match(self, start: MatchStart) -> None:
        """Forget what was estimated; see :meth:`Agent.start_match`."""
        require_same(self.subject, start.subject, self.name)
        for member in self.members:
            member.start_match(start)
        size = len(self.members)
        self.hands, self._hand, self._chosen = 0, -1, 0
        self.won_chips: NDArray[np.float64] = np.zeros(size)
        """float64[members]: the estimates of what each member would have won, summed over all hands."""
        self.played: NDArray[np.int64] = np.zeros(size, dtype=np.int64)
        """int64[members]: the hands that each member played."""

    def act(self, observation: Observation) -> Action:
        """Choose the member of a new hand, and act as it does."""
        if observation.hand_number != self._hand:
            self._hand, self._chosen = observation.hand_number, self.best()
        return self.members[self._chosen].act(observation)

    def best(self) -> int:
        """Return the member of the next hand, by UCB1: each once, then the one with the highest bound."""
        if (self.played == 0).any():
            return int(np.argmin(self.played))
        scale = 1.0 / (self.subject.big_blind or 1.0)
        bound = self.explore * np.sqrt(math.log(max(self.hands, 1)) / self.played)
        return int(np.argmax(self.won_chips * scale / max(self.hands, 1) + bound))

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        """Estimate what every member would have won in the hand."""
        if observation.hand_number != self._hand:
            return  # It ended before the agent had to act: every member would have won the same.
        self.won_chips += self.estimates(observation, net_chips, self._chosen)
        self.played[self._chosen] += 1
        self.hands += 1

    def estimates(self, observation: Observation, net_chips: float, chosen: int) -> NDArray[np.float64]:
        """Return float64[members]: unbiased estimates of what the members would have won in chips.

        After a showdown, all hands count that the agent might have held with the same line.  After a fold the
        opponent's cards are not known, and only the hand that was held counts, since which others were possible
        depends on them.  The member that played must sometimes take every action that another one takes with a hand.
        """
        ways = np.ones((len(self.members), len(self._hands)))
        for state, action in moments(PublicState.start(self.subject), observation.state):
            if state.actor == observation.seat:
                after = state.after(action).line
                for reach, member in zip(ways, self.members, strict=True):
                    choices = asked(member, state)
                    same = [i for i, one in enumerate(choices.actions) if state.after(one).line == after]
                    reach *= choices.probabilities[:, same].sum(axis=1)
        held, shown = number_of_hand(observation.cards), observation.opponent_cards
        if shown is None or not observation.state.betting.showdown:
            return np.asarray(net_chips * ways[:, held] / ways[chosen, held])
        board = observation.state.board
        free = ~np.isin(self._hands, (*board, *shown)).any(axis=1)
        cards, deck = np.array([board], dtype=np.int16), self.subject.deck
        strength = strengths_on_boards(cards, self._hands.astype(np.int16), deck, self.subject.ranking)[0]
        margin = np.sign(strength.astype(np.int64) - int(strength[number_of_hand(shown)]))
        won = np.where(free, margin * float(observation.state.stake_chips), 0.0)
        return np.asarray((ways * won).sum(axis=1) / ways[chosen][free].sum())

    def close(self) -> None:
        """Close all members."""
        for member in self.members:
            member.close()


def read_polaris(name: Name, subject: Subject) -> Polaris:
    """Make the agent that a name describes: ``polaris``, ``polaris:A+B`` or ``polaris:explore=2:A+B``."""
    options = name.read({"explore": (0.0, 1e6)}, source="[AGENT+AGENT]")
    members = []
    for text in (name.source or TEAM).split("+"):
        member = read_strategic_agent(text.strip(), subject)
        if says(member, "thinks") or member.learns:
            raise StrategyError(f"{text!r} solves or learns while it plays; a team has fixed strategies.")
        members.append(member)
    made = Polaris(subject, tuple(members), **options)
    made.name = name.text
    return made
