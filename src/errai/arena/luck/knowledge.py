"""Known strategies, and what a played hand tells about the private cards of agents whose strategy is known.

An agent is *known* if it gives its strategy for every hand.  An agent is *imagined* if it is known and counts with all
hands that it might have held instead of the one that it held: given the public events and the opponent's cards, the
probabilities of its hands follow from the deal and its own strategy, so the mean over them has the same expectation as
the observed result (imaginary observations).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errai.agents.agent import Agent, StrategicAgent
from errai.arena.acpc.text import betting_text
from errai.arena.luck.fit import Fit
from errai.arena.luck.values import Hands, Pairs, PrivateDeals
from errai.cards.hands import hand_index
from errai.errors import MatchError
from errai.games.hand import Action, PlayedHand, PublicState
from errai.strategies.strategy import SLACK, asked, says

WHO = ("all", "first", "second", "none")
"""Choices of the strategies that are used: all known ones, or fewer."""

MOST_PAIRS = 40_000
"""With more pairs of hands than this only one agent is imagined, because pairs would cost more than they save."""


@dataclass(frozen=True)
class Knowledge:
    """The strategies that an estimator uses.

    ``known`` has an agent for the first and the second agent of a match, or None; ``imagined`` says of each whether all
    of its hands count.
    """

    known: tuple[StrategicAgent | None, StrategicAgent | None]
    imagined: tuple[bool, bool]
    deals: PrivateDeals
    fit: Fit
    """The tally of their decisions."""
    instead: StrategicAgent | None = None
    """Another agent that is measured from the hands of the first."""

    @classmethod
    def of(
        cls, agents: tuple[Agent, Agent], deals: PrivateDeals, known: str = "all", imagined: str = "auto"
    ) -> Knowledge:
        """Choose the strategies to be used.

        ``known`` is one of ``WHO``, and so is ``imagined`` if it is not 'auto': all that are known in small games, else
        the first of them.

        Raises :class:`MatchError` if an agent that has to be known does not give its strategy, or an agent that is not
        known is to be imagined.
        """
        if known not in WHO or imagined not in (*WHO, "auto"):
            raise MatchError(
                f"known and imagined must each be one of {', '.join(WHO)}, not {known!r} and {imagined!r}."
            )
        if len(agents) != 2:
            raise MatchError(f"An estimator measures a match between two agents, not {len(agents)}.")
        asked = {"first": (0,), "second": (1,), "none": ()}.get(known)
        if asked is None:
            asked = tuple(i for i in (0, 1) if isinstance(agents[i], StrategicAgent))
        for i in asked:
            if not isinstance(agents[i], StrategicAgent):
                raise MatchError(
                    f"{agents[i].name} does not give its strategy for every hand; measure with the other agent's, or "
                    "in chips."
                )
        wanted = {"all": asked, "first": (0,), "second": (1,), "none": ()}.get(imagined)
        if wanted is None:
            pairs = len(deals.possible(0)) * len(deals.possible(1))
            wanted = asked if pairs <= MOST_PAIRS else asked[:1]
        if not set(wanted) <= set(asked):
            raise MatchError(
                f"imagined is {imagined!r}, but only an agent whose strategy is known can count with all its hands."
            )
        first, second = (
            agent if i in asked and isinstance(agent, StrategicAgent) else None for i, agent in enumerate(agents)
        )
        return cls((first, second), (0 in wanted, 1 in wanted), deals, Fit(deals.game.num_rounds))

    @property
    def text(self) -> str:
        """The known strategies, in words."""
        names = [name for name, agent in zip(("the first", "the second"), self.known, strict=True) if agent is not None]
        return "both strategies known" if len(names) == 2 else f"{names[0]} strategy known" if names else "none known"


class Thought:
    """The possible pairs of hands during the walk over a played hand, with their weights.

    ``weight[f, s]`` is proportional to the probability of seat 0's hand ``first[f]`` and seat 1's ``second[s]``, given
    the events so far and the cards of an agent that is not imagined.  It sums to 1.  ``asked`` is the same with
    another agent in the place of the first of the match, on the same scale; without such an agent it is ``weight``
    itself.  ``known`` has the agent in each seat whose strategy is known, or None, and ``imagined`` says whether all
    hands of a seat count.
    """

    def __init__(self, hand: PlayedHand, knowledge: Knowledge, seat: int) -> None:
        by_seat = (seat, 1 - seat)
        self.deals, instead = knowledge.deals, knowledge.instead
        self._played = hand
        self.known = tuple(knowledge.known[i] for i in by_seat)
        self.imagined = tuple(knowledge.imagined[i] for i in by_seat)
        self._agents, self._fit = by_seat, knowledge.fit
        self.first, self.second = (self._hands_of(s) for s in (0, 1))
        self._instead = (instead, None) if seat == 0 else (None, instead)
        self.weight = self.deals.weights(self.first, self.second)
        self.asked = self.weight if instead is None else self.weight.copy()
        self._set(self.weight, self.asked)

    def _hands_of(self, seat: int) -> Hands:
        cards = self._played.hole[seat]
        if self.imagined[seat]:
            return self.deals.possible(seat)
        if cards is None:
            raise MatchError(
                f"Hand {self._played.number}: the cards of {self._played.players[seat]} were not shown, and all of its "
                "hands can be counted only where its strategy is known; measure in chips."
            )
        return np.array([int(hand_index(cards))], dtype=np.int64)

    def _set(self, weight: Pairs, asked: Pairs) -> None:
        total = weight.sum()
        if not total > 0.0:
            raise MatchError(f"Hand {self._played.number}: these cards and actions are not possible.")
        self.weight = np.asarray(weight / total)
        self.asked = self.weight if asked is weight else np.asarray(asked / total)

    def mean(self, values: Pairs) -> float:
        """Return the mean of values over the pairs."""
        return float(np.vdot(self.weight, values))

    def deal(self, cards: tuple[int, ...]) -> None:
        """Remove the hands that hold cards of the board; changes the hands and the weights."""
        # Hands that are no longer possible are dropped for the next street.
        some = (self.weight > 0.0) | (self.asked > 0.0)
        rows = np.flatnonzero(self.deals.free_of(self.first, cards) & some.any(axis=1))
        columns = np.flatnonzero(self.deals.free_of(self.second, cards) & some.any(axis=0))
        self.first, self.second = self.first[rows], self.second[columns]
        weight = self.weight[rows][:, columns]
        self._set(weight, weight if self.asked is self.weight else self.asked[rows][:, columns])

    def act(self, options: Options) -> None:
        """Condition the weights on the action of a known agent."""
        weight = np.sum([options.weights[i] for i in options.done], axis=0)
        same = options.asked is options.weights
        self._set(weight, weight if same else np.sum([options.asked[i] for i in options.done], axis=0))

    def options(self, state: PublicState, taken: Action, number: int) -> Options:
        """Return the possible actions of the known agent to act, and the weights after each of them.

        Raises :class:`MatchError` if its strategy never takes the action that it took.
        """
        seat = state.actor
        agent = self.known[seat]
        assert agent is not None
        choices = asked(agent, state, self._fit.asks_again and not says(agent, "thinks"))
        rows = choices.probabilities[self.first if seat == 0 else self.second]
        sums = rows.sum(axis=1)
        across = self.weight.sum(axis=1 - seat) > 0.0
        if (np.abs(sums[across] - 1.0) > SLACK).any():
            raise self._error(state, number, agent, "its strategy has no entry for hands that it may hold")
        rows = rows / np.where(sums > 0.0, sums, 1.0)[:, None]
        children = tuple(state.after(action) for action in choices.actions)
        made = state.after(taken).line[-1]
        done = [i for i, child in enumerate(children) if child.line[-1] == made]
        cards = self._played.hole[seat]
        chance = rows[:, done].sum(axis=1)
        if cards is not None:
            held = (self.first if seat == 0 else self.second) == int(hand_index(cards))
            if not chance[held].sum() > 0.0:
                shown = state.subject.deck.cards_text(cards)
                raise self._error(state, number, agent, f"it did with {shown} what its strategy never does there")
            said: dict[Action, float] = {}
            for child, probability in zip(children, rows[int(held.argmax())].tolist(), strict=True):
                action = child.line[-1]
                said[action] = said.get(action, 0.0) + probability
            self._fit.count(self._agents[seat], seat, state.betting.round, said, made)
        elif not (chance * self.weight.sum(axis=1 - seat)).any():
            raise self._error(state, number, agent, "it did what its strategy never does there")
        weights = self._split(self.weight, rows, seat)
        if self.asked is self.weight:
            return Options(children, weights, weights, tuple(done))
        other = self._instead[seat]
        if other is not None:
            rows = self._as_if(other, state, children)
        return Options(children, weights, self._split(self.asked, rows, seat), tuple(done))

    @staticmethod
    def _split(weight: Pairs, rows: Pairs, seat: int) -> tuple[Pairs, ...]:
        return tuple(weight * (column[:, None] if seat == 0 else column[None, :]) for column in rows.T)

    def _as_if(self, agent: StrategicAgent, state: PublicState, children: tuple[PublicState, ...]) -> Pairs:
        """Return float64[n, A]: how often another agent would do what leads to each of some different states."""
        choices = agent.strategy(state)
        given = choices.probabilities[self.first if state.actor == 0 else self.second]
        sums = given.sum(axis=1)
        given = given / np.where(sums > 0.0, sums, 1.0)[:, None]
        rows = np.zeros((len(given), len(children)))
        reached = [child.line[-1] for child in children]
        for action, column in zip(choices.actions, given.T, strict=True):
            # Actions that the agent that played never takes are never observed, so they are in no hand.
            leads_to = state.after(action).line[-1]
            if leads_to in reached:
                rows[:, reached.index(leads_to)] += column
        return rows

    def _error(self, state: PublicState, number: int, agent: StrategicAgent, what: str) -> MatchError:
        line = betting_text(state) or "the first"
        return MatchError(
            f"Hand {self._played.number}, decision {number} ({line}): {agent.name}, {what}. It can be measured only "
            "with the strategy that it played; measure in chips, or without its strategy."
        )


@dataclass(frozen=True)
class Options:
    """The actions of a known agent: the state after each, and the weights of pairs there, not normalised."""

    children: tuple[PublicState, ...]
    weights: tuple[Pairs, ...]
    """float64[F, S] each; over all actions they sum to the weights before."""
    asked: tuple[Pairs, ...]
    """The same for the other agent that is measured, or ``weights`` itself."""
    done: tuple[int, ...]
    """The actions that lead to the same state as the actual one."""


@dataclass(frozen=True)
class Event:
    """A decision of a played hand, and the states after it."""

    number: int
    """Decisions counted from 1."""
    state: PublicState
    action: Action
    after: PublicState
    """The state after the action, before cards are dealt."""
    dealt: PublicState | None
    """The state after the cards of the next street; None if the street continues or betting is over."""


def opening(hand: PlayedHand) -> tuple[PublicState, PublicState | None]:
    """Return the first state, and the one after the first round's board cards if it has some."""
    start = PublicState.start(hand.subject)
    return start, _dealt(hand, start)


def events(hand: PlayedHand) -> Iterator[Event]:
    """Yield the decisions of a hand.

    Raises :class:`MatchError` if the record ends before betting is over.
    """
    start, dealt = opening(hand)
    state = start if dealt is None else dealt
    for number, action in enumerate((a for done in hand.actions for a in done), start=1):
        after = state.after(action)
        dealt = _dealt(hand, after)
        yield Event(number, state, action, after, dealt)
        state = after if dealt is None else dealt
    if not state.betting.is_over:
        raise MatchError(f"Hand {hand.number} ends in the middle; only whole hands can be measured.")


def _dealt(hand: PlayedHand, state: PublicState) -> PublicState | None:
    """Return the state after the cards that a hand deals at a state; None if none are due or betting is over."""
    if state.betting.is_over or not state.cards_due:
        return None
    if len(hand.board) < len(state.board) + state.cards_due:
        raise MatchError(f"Hand {hand.number} ends in the middle; only whole hands can be measured.")
    return state.dealt(hand.board)
