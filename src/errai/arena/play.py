"""Playing one hand between two agents in this process."""

from __future__ import annotations

from errai.agents.agent import Agent
from errai.errors import AgentError, ErraiError
from errai.games.hand import Action, Deal, Hand, PlayedHand
from errai.games.subject import Subject
from errai.own_code import fault_text


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
                raise AgentError(f"{action!r:.80} is no Action.")
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
