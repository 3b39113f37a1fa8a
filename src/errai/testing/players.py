"""Strategies and agents."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, islice
from typing import cast

from errai.agents.agent import Agent, MatchStart
from errai.agents.exploitability import exploitability
from errai.agents.given import Contestant, as_agent
from errai.agents.reader import read_agent
from errai.errors import ContractError
from errai.games.game import Subject
from errai.games.hand import Hand, PublicState, Shuffle
from errai.own_code import described
from errai.strategies.given import Given
from errai.strategies.strategy import Strategy, called, check_choices, require_equal
from errai.testing.blame import blamed


def check_strategy(strategy: Given, subject: Subject, boards: int = 6) -> None:
    """Check a strategy of any form at the public states of a small game or spot, such as Kuhn poker or Leduc.

    Parameters
    ----------
    strategy:
        An object with ``strategy(state)``, or whatever else :func:`errai.exploitability` takes, such as a function.
    subject:
        The game, or a spot.
    boards:
        At most so many of the boards that may come next are looked at, wherever cards are dealt; Leduc deals 6.

    Raises
    ------
    ContractError
        It fails, names an action that is not allowed, gives no probabilities, or answers differently when it is asked
        again.
    """
    with blamed(f"The strategy {described(strategy)}"):
        if not callable(getattr(strategy, "strategy", None)):
            exploitability(subject, strategy)
            return
        own, name = cast(Strategy, strategy), type(strategy).__name__
        stack = [PublicState.start(subject)]
        while stack:
            state = stack.pop()
            if due := state.cards_due:
                left = [card for card in range(subject.deck.num_cards) if card not in state.board]
                stack += [state.with_cards(cards) for cards in islice(combinations(left, due), boards)]
            elif state.actor >= 0:
                first, second = (called(own.strategy, state, name) for _ in range(2))
                for answer in (first, second):
                    check_choices(answer, state, name)
                require_equal(first, second, state, name)
                stack += [state.after(action) for action in state.legal_actions]


def check_agent(make: Callable[[], Agent] | Contestant, game: Subject, hands: int = 200) -> None:
    """Check an agent in some hands against uniform play, in both seats, twice.

    Parameters
    ----------
    make:
        An agent, a class or a function that makes one, or a name or a strategy from which one is made.
    game:
        The game or spot that is played.
    hands:
        The number of hands.

    Raises
    ------
    ContractError
        It fails, takes an action that is not legal, or, unless it learns, plays the same deals differently with the
        same seed.
    """
    with blamed(f"The agent {described(make)}"):
        lines = []
        for _ in range(2):
            agents = [as_agent(make, game), read_agent("uniform", game)]
            for number, agent in enumerate(agents):
                agent.start_match(MatchStart(game, number, hands))
            played = []
            for number in range(hands):
                hand = Hand(game, Shuffle(game).numbered(5, number), number)
                seat = number % 2
                while not hand.is_over:
                    acting = agents[0] if hand.actor == seat else agents[1]
                    hand.act(acting.act(hand.observation(hand.actor)))
                won = hand.net_chips()
                agents[0].end_hand(hand.observation(seat), won[seat])
                agents[1].end_hand(hand.observation(1 - seat), won[1 - seat])
                played.append(hand.state.actions)
            for agent in agents:
                agent.close()
            lines.append(played)
        if not agents[0].learns and lines[0] != lines[1]:
            at = next(number for number, (a, b) in enumerate(zip(*lines, strict=True)) if a != b)
            raise ContractError(
                f"The agent plays hand {at} differently with the same seed and the same cards; draw by the seed of "
                "start_match and the number of the hand, or say learns = True."
            )
