"""The cards of a match, and playing its deals, in this process or in others.

The cards depend on the match's seed and the number of the deal alone, so any process can play any deals.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from functools import partial
from itertools import pairwise
from typing import Protocol, TypeVar

import numpy as np

from errai.agents.agent import Agent
from errai.cards.strength import strength
from errai.errors import AgentError, ErraiError
from errai.games.hand import Action, Deal, Hand, PlayedHand, Shuffle
from errai.games.subject import Subject
from errai.own_code import fault_text
from errai.running.pool import ProcessPool, Steps
from errai.running.stopping import StopToken, stops

BLOCK = 1_000
"""Deals that are drawn together.  It is part of the meaning of a seed: another number gives other cards."""

MOMENT_SECONDS = 0.25
"""In this process fewer deals are played at a time if they take longer."""

Played = TypeVar("Played", covariant=True)


def deals_of_block(subject: Subject, seed: int, block: int) -> list[Deal]:
    """Return the deals ``block * BLOCK`` to ``(block + 1) * BLOCK - 1``, with the winners of their showdowns.

    In a game all orders of the deck are equally likely; in a spot the ranges weigh the hands
    (:class:`errai.games.hand.Shuffle`).
    """
    rng = np.random.default_rng([seed, block])
    if subject.given_weights is not None:
        shuffle = Shuffle(subject)
        drawn = [shuffle.deal(rng) for _ in range(BLOCK)]
        hole = np.array([deal.hole for deal in drawn], dtype=np.int64)
        board = np.array([deal.board for deal in drawn], dtype=np.int64).reshape(BLOCK, -1)
    else:
        game = subject.rules
        k, shown = game.num_hole_cards, game.board_cards_in(game.num_rounds - 1)
        decks = np.tile(np.arange(game.deck.num_cards), (BLOCK, 1))
        decks = rng.permuted(decks, axis=1)[:, : 2 * k + shown]
        hole, board = decks[:, : 2 * k].reshape(BLOCK, 2, k), decks[:, 2 * k :]
    game = subject.rules
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
        last, began = min(begin + count, end), time.monotonic()
        played = here.play(begin, last, stop)
        took = time.monotonic() - began
        count = min(2 * count, most) if 2 * took < MOMENT_SECONDS else max(count // 2, 1)
        begin = last
        yield played


def _steps(make: Callable[[], Dealt[Played]]) -> Steps:
    made = make()
    return Steps(lambda deals: made.play(*deals))
