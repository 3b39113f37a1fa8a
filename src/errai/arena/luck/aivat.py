"""AIVAT: the result of a hand less the luck that can be computed.

Burch, Schmid, Moravcik, Morrill & Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in Imperfect
Information Games" (AAAI 2018).  ``docs/measuring.md`` has the derivation.
"""

from __future__ import annotations

from errai.agents.agent import Agent
from errai.arena.luck.deals import Hands, Pairs, PrivateDeals, ending
from errai.arena.luck.knowledge import Event, Knowledge, Thought, events, opening
from errai.arena.luck.values import Equity, ValueFunction
from errai.games.hand import PlayedHand, PublicState, run_outs_of
from errai.games.subject import Subject


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

    Raises
    ------
    MatchError
        An agent that has to be known does not give its strategy.
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
        if values is None:
            values = Equity(subject)
        self._values = values if isinstance(values, tuple) else (values, values)
        self._over_cards = tuple(getattr(one, "over_cards", one) for one in self._values)
        turns = ("first", "second") if imagined == "each" else (imagined,)
        self._knowledge = [Knowledge.of(agents, self._deals, known, one) for one in turns]
        self.fit = self._knowledge[0].fit
        self._before: dict[int, float] = {}
        self.name = f"AIVAT ({self._knowledge[0].text}, {self._values[0].name})"
        if imagined == "each":
            self.name += ", all hands of each agent in turn"

    def estimate(self, hand: PlayedHand, seat: int) -> float:
        """Return the chips of the first agent, which sat at ``seat``; cards are needed of agents that are not imagined.

        Raises
        ------
        MatchError
            Cards are missing, the record ends in the middle of the hand, or a known agent did what its strategy never
            does; the message names the hand and the decision.
        """
        return sum(self._estimate(hand, seat, one) for one in self._knowledge) / len(self._knowledge)

    def _estimate(self, hand: PlayedHand, seat: int, knowledge: Knowledge) -> float:
        thought = Thought(hand, knowledge, seat, self._deals)
        state, dealt = opening(hand)
        over_cards = self._over_cards[seat]
        luck = thought.mean(self._worth(over_cards, state, thought.first, thought.second)) - self._worth_before(seat)
        if dealt is not None:
            luck += self._luck_of_cards(thought, seat, state, dealt)
        for event in events(hand):
            if thought.is_known(event.state.actor):
                luck += self._luck_of_choice(thought, seat, event)
            if event.dealt is not None:
                luck += self._luck_of_cards(thought, seat, event.after, event.dealt)
            state = event.after
        chips = thought.mean(ending(state, thought.first, thought.second, self._run_outs)) - luck
        return chips if seat == 0 else -chips

    def _worth(self, values: ValueFunction, state: PublicState, first: Hands, second: Hands) -> Pairs:
        if state.betting.is_over:
            return ending(state, first, second, self._run_outs)
        return values.pairs(state, first, second)

    def _worth_before(self, seat: int) -> float:
        """Return the mean of the values over all deals of private cards."""
        if seat not in self._before:
            first, second = self._deals.possible(0), self._deals.possible(1)
            weight = self._deals.weights(first, second)
            worth = self._worth(self._over_cards[seat], PublicState.start(self.subject), first, second)
            self._before[seat] = float((weight * worth).sum() / weight.sum())
        return self._before[seat]

    def _luck_of_cards(self, thought: Thought, seat: int, before: PublicState, after: PublicState) -> float:
        # For every pair, the value before the cards is the mean of those after them, so that only the actual cards have
        # to be evaluated.
        values = self._over_cards[seat]
        mean = thought.mean(self._worth(values, before, thought.first, thought.second))
        thought.deal(after.board[len(before.board) :])
        return thought.mean(self._worth(values, after, thought.first, thought.second)) - mean

    def _luck_of_choice(self, thought: Thought, seat: int, event: Event) -> float:
        options = thought.options(event.state, event.action, event.number)
        values, mean = self._values[seat], 0.0
        for child, weight in zip(options.children, options.weights, strict=True):
            if weight.any():
                mean += float((weight * self._worth(values, child, thought.first, thought.second)).sum())
        thought.act(options)
        return thought.mean(self._worth(values, event.after, thought.first, thought.second)) - mean
