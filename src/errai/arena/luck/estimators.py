"""The estimators that measure with less luck: AIVAT and importance sampling.

AIVAT is the result of a hand less the luck that can be computed: Burch, Schmid, Moravcik, Morrill & Bowling, "AIVAT: A
New Variance Reduction Technique for Agent Evaluation in Imperfect Information Games" (AAAI 2018).  Importance sampling
is the mean result of an agent of known strategy over all hands that it might have held: Bowling, Johanson, Burch &
Szafron, "Strategy Evaluation in Extensive Games with Importance Sampling" (ICML 2008), with all private cards as
imaginary observations, with and without early folds.  ``docs/measuring.md`` has the derivations.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from errai.agents.agent import Agent, StrategicAgent
from errai.agents.reader import read_agent
from errai.arena.estimator import Chips, Estimator
from errai.arena.luck.knowledge import Event, Knowledge, Thought, events, opening
from errai.arena.luck.values import (
    Equity,
    ExactValues,
    Hands,
    Pairs,
    PairValues,
    PrivateDeals,
    StreetValues,
    ValueFunction,
    ending,
)
from errai.errors import MatchError
from errai.games.betting import ActionKind
from errai.games.game import Subject
from errai.games.hand import PlayedHand, PublicState, run_outs_of

KINDS = ("chips", "aivat", "importance", "importance-early-folds")
"""The estimators that :func:`make_estimator` makes."""

VALUES = "equity, agents, an agent such as solution:FILE that plays both seats, or street:AGENT in large games"
"""The texts that :func:`read_values` reads, for messages and help."""

STREET = "street:"
"""How values of :class:`StreetValues` are named."""


class Aivat:
    """The mean result over all hands that might have been held, less the luck of cards and of known agents' choices.

    Luck is computed event by event: for the deal, for each street of the board, and for each decision of an agent whose
    strategy is known, it is the value after the actual event less the mean of the values after all possible events.
    Its expectation is 0 for any value function, so the estimate is unbiased.

    Parameters
    ----------
    subject:
        The game or spot.
    agents:
        The two agents of the match, in the order of the match.  Their strategies must not change during the match.
    values:
        The value function; equity by default.  A pair is for the first agent in seat 0 and in seat 1.
    known:
        The agents whose strategy is used: 'all' that give it, 'first', 'second' or 'none'.
    imagined:
        The agents whose possible hands are all counted: 'auto', as ``known``, or 'each': the mean of the estimates
        that count all hands of the first agent and all hands of the second, both of which must be known.  Exchanging
        the seats of two agents with the same strategy then changes only the sign of an estimate, as duplicate play
        needs it.

    Raises :class:`MatchError` if an agent that has to be known does not give its strategy.
    """

    def __init__(
        self,
        subject: Subject,
        agents: tuple[Agent, Agent],
        values: ValueFunction | tuple[ValueFunction, ValueFunction] | None = None,
        *,
        known: str = "all",
        imagined: str = "auto",
    ) -> None:
        self.subject = subject
        self._deals = PrivateDeals(subject)
        self._run_outs = run_outs_of(subject)
        values = Equity(subject) if values is None else values
        self._values = values if isinstance(values, tuple) else (values, values)
        self._over_cards = tuple(getattr(one, "over_cards", one.pairs) for one in self._values)
        turns = ("first", "second") if imagined == "each" else (imagined,)
        self._knowledge = [Knowledge.of(agents, self._deals, known, one) for one in turns]
        self.fit = self._knowledge[0].fit
        self._worth_before = cache(self._mean_before)
        self.name = f"AIVAT ({self._knowledge[0].text}, {self._values[0].name})"
        if imagined == "each":
            self.name += ", all hands of each agent in turn"

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """Return the chips of the first agent, which sat at ``seat``; cards are needed of agents that are not imagined.

        Raises :class:`MatchError` if cards are missing, the record ends in the middle of the hand, or a known agent did
        what its strategy never does; the message names the hand and the decision.
        """
        return sum(self._estimate(hand, seat, one) for one in self._knowledge) / len(self._knowledge)

    def _estimate(self, hand: PlayedHand, seat: int, knowledge: Knowledge) -> float:
        thought = Thought(hand, knowledge, seat)
        state, dealt = opening(hand)
        over_cards = self._over_cards[seat]
        luck = thought.mean(self._worth(over_cards, state, thought.first, thought.second)) - self._worth_before(seat)
        if dealt is not None:
            luck += self._luck_of_cards(thought, seat, state, dealt)
        for event in events(hand):
            if thought.known[event.state.actor] is not None:
                luck += self._luck_of_choice(thought, seat, event)
            if event.dealt is not None:
                luck += self._luck_of_cards(thought, seat, event.after, event.dealt)
            state = event.after
        chips = thought.mean(ending(state, thought.first, thought.second, self._run_outs)) - luck
        return chips if seat == 0 else -chips

    def _worth(self, values: PairValues, state: PublicState, first: Hands, second: Hands) -> Pairs:
        if state.betting.is_over:
            return ending(state, first, second, self._run_outs)
        return values(state, first, second)

    def _mean_before(self, seat: int) -> float:
        """Return the mean of the values over all deals of private cards."""
        first, second = self._deals.possible(0), self._deals.possible(1)
        weight = self._deals.weights(first, second)
        worth = self._worth(self._over_cards[seat], PublicState.start(self.subject), first, second)
        return float((weight * worth).sum() / weight.sum())

    def _luck_of_cards(self, thought: Thought, seat: int, before: PublicState, after: PublicState) -> float:
        # For every pair, the value before the cards is the mean of those after them, so that only the actual cards have
        # to be evaluated.
        values = self._over_cards[seat]
        mean = thought.mean(self._worth(values, before, thought.first, thought.second))
        thought.deal(after.board[len(before.board) :])
        return thought.mean(self._worth(values, after, thought.first, thought.second)) - mean

    def _luck_of_choice(self, thought: Thought, seat: int, event: Event) -> float:
        options = thought.options(event.state, event.action, event.number)
        values, mean = self._values[seat].pairs, 0.0
        for child, weight in zip(options.children, options.weights, strict=True):
            if weight.any():
                mean += float((weight * self._worth(values, child, thought.first, thought.second)).sum())
        thought.act(options)
        return thought.mean(self._worth(values, event.after, thought.first, thought.second)) - mean


class ImportanceSampling:
    """The mean result over all hands that agents of known strategy might have held, given what was seen.

    Another strategy than the one that played can be measured from the same hands: each hand that might have been held
    then counts by how likely the other strategy, holding it, had come to the same end.

    Parameters
    ----------
    subject:
        The game or spot.
    agents:
        The two agents of the match.  Their strategies must not change during the match.
    known:
        The agents whose strategy is used: 'all' that give it, 'first' or 'second'.
    imagined:
        The agents whose possible hands are all counted: 'auto', or as ``known``.
    early_folds:
        Count a fold at each decision of an imagined agent with its probability, and what followed only where it did not
        fold.

    instead:
        Another agent to be measured from the hands that the first played.  The first then has to be known, and it must
        sometimes take every action that ``instead`` may take, with some hand.

    Raises :class:`MatchError` if no agent gives its strategy, or one that has to be known does not.
    """

    def __init__(
        self,
        subject: Subject,
        agents: tuple[Agent, Agent],
        *,
        known: str = "all",
        imagined: str = "auto",
        early_folds: bool = False,
        instead: StrategicAgent | None = None,
    ) -> None:
        self._run_outs = run_outs_of(subject)
        self._knowledge = replace(Knowledge.of(agents, PrivateDeals(subject), known, imagined), instead=instead)
        self.fit = self._knowledge.fit
        if not any(self._knowledge.imagined):
            raise MatchError(
                f"Neither {agents[0].name} nor {agents[1].name} gives its strategy for every hand; importance sampling "
                "needs the strategy of one of them."
            )
        if instead is not None and not self._knowledge.imagined[0]:
            raise MatchError(
                f"{instead.name} can be measured from the hands of {agents[0].name} only if the strategy of the "
                "latter is known and all of its hands count; name it in known and imagined."
            )
        self._early_folds = early_folds
        folds = ", early folds" if early_folds else ""
        of = f" of {instead.name}" if instead is not None else ""
        self.name = f"importance sampling{of} ({self._knowledge.text}{folds})"

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """Return the chips of the first agent, which sat at ``seat``; cards are needed of agents that are not imagined.

        Raises :class:`MatchError` as :meth:`Aivat.estimate` does.
        """
        thought = Thought(hand, self._knowledge, seat)
        state, dealt = opening(hand)
        if dealt is not None:
            thought.deal(dealt.board)
        chips, folded = 0.0, False
        for event in events(hand):
            actor = event.state.actor
            if thought.known[actor] is not None:
                options = thought.options(event.state, event.action, event.number)
                if self._early_folds and thought.imagined[actor]:
                    for child, weight in zip(options.children, options.asked, strict=True):
                        if child.betting.folded >= 0:
                            folded_now = ending(child, thought.first, thought.second, self._run_outs)
                            chips += float((weight * folded_now).sum())
                    folded = event.action.kind == ActionKind.FOLD
                thought.act(options)
            if event.dealt is not None:
                thought.deal(event.dealt.board[len(event.after.board) :])
            state = event.after
        if not folded:
            chips += float(np.vdot(thought.asked, ending(state, thought.first, thought.second, self._run_outs)))
        return chips if seat == 0 else -chips


def make_estimator(
    kind: str,
    subject: Subject,
    agents: tuple[Agent, Agent],
    values: ValueFunction | tuple[ValueFunction, ValueFunction] | None = None,
    *,
    known: str = "all",
    imagined: str = "auto",
) -> Estimator:
    """Make an estimator for a match.

    Parameters
    ----------
    kind:
        One of ``KINDS``.
    subject:
        The game or spot.
    agents:
        The two agents of the match.  The strategy of a :class:`~errai.agents.agent.StrategicAgent` is known.
    values:
        The value function of AIVAT, equity by default; a pair is for the first agent in seat 0 and in seat 1.
    known:
        'all', or 'first', 'second' or 'none' to use fewer strategies than are known.
    imagined:
        For AIVAT, the agents whose possible hands are all counted: see :class:`Aivat`.

    Raises :class:`MatchError` if there is no such estimator, or an agent whose strategy has to be known does not give
    it.
    """
    if kind == "chips":
        return Chips()
    if kind == "aivat":
        return Aivat(subject, agents, values, known=known, imagined=imagined)
    if kind in ("importance", "importance-early-folds"):
        if values is not None:
            raise MatchError("Importance sampling does not use values; leave them out, or measure with aivat.")
        return ImportanceSampling(subject, agents, known=known, early_folds=kind != "importance")
    raise MatchError(f"There is no estimator {kind!r}; choose one of {', '.join(KINDS)}.")


def read_values(
    text: str, subject: Subject, agents: tuple[Agent, Agent] | None = None
) -> ValueFunction | tuple[ValueFunction, ValueFunction]:
    """Read a value function.

    ``equity``; ``agents``: the exact values of the match's own agents against each other; an agent, such as
    ``solution:leduc.errai``: the exact values of that agent in both seats; or ``street:AGENT``, in games of any size:
    what that agent bets in both seats until the street ends, and equity from there on (:class:`StreetValues`).

    Raises :class:`MatchError` if the game is too large for exact values, or an agent does not give its strategy, and
    :class:`StrategyError` or :class:`ArtefactError` if the text does not name an agent, or the agent cannot be made.
    """
    if text == "equity":
        return Equity(subject)
    if text == "agents":
        if agents is None:
            raise MatchError("There are no agents here whose values could be used; name a solution.")
        first, second = (_strategic(agent) for agent in agents)
        return ExactValues(subject, (first, second)), ExactValues(subject, (second, first))
    agent = _strategic(read_agent(text.removeprefix(STREET), subject))
    kind = StreetValues if text.startswith(STREET) else ExactValues
    return kind(subject, (agent, agent), f"values of {text}")


def _strategic(agent: Agent) -> StrategicAgent:
    if not isinstance(agent, StrategicAgent):
        raise MatchError(
            f"{agent.name} does not give its strategy for every hand, so it has no exact values; use equity."
        )
    return agent
