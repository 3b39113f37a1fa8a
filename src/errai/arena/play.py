"""Playing one hand between two agents in this process."""

from __future__ import annotations

from errai.agents.agent import Agent
from errai.errors import IllegalActionError
from errai.games.hand import Deal, Hand, PlayedHand, Subject


def play_hand(subject: Subject, agents: tuple[Agent, Agent], deal: Deal, number: int = 0) -> PlayedHand:
    """Play one hand; ``agents`` are those in seat 0 and 1, in matches that have been started.

    Raises :class:`IllegalActionError`, with the agent's name, where an agent answers what the rules do not allow.
    """
    hand = Hand(subject, deal, number)
    while not hand.state.is_over:
        seat = hand.state.actor
        action = agents[seat].act(hand.observation(seat))
        try:
            hand.act(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"{agents[seat].name}, hand {number}: {error}") from error
    played = hand.played((agents[0].name, agents[1].name))
    for seat, agent in enumerate(agents):
        agent.end_hand(hand.observation(seat), played.net_chips[seat])
    return played
