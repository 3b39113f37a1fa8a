"""Small games gone through completely: every deal, every line, with its true probability."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from errai.agents.agent import Choices, StrategicAgent
from errai.cards.hands import hand_cards, hand_index
from errai.games.hand import PlayedHand, PublicState, Subject, rules_of


class RandomMixture(StrategicAgent):
    """Any strategy at all: a mixture drawn for every hand at every public state, some actions never."""

    def __init__(self, seed: int, never: float = 0.0) -> None:
        self.name = f"random mixture {seed}"
        self.seed = seed
        self.never = never

    def strategy(self, state: PublicState) -> Choices:
        game = rules_of(state.subject)
        count = len(hand_cards(game.deck.num_cards, game.num_hole_cards))
        rng = np.random.default_rng([self.seed, zlib.crc32(repr((state.actions, state.board)).encode())])
        drawn = rng.random((count, len(state.legal_actions))) + 0.02
        drawn[rng.random(drawn.shape) < self.never] = 0.0
        drawn[:, 0] += drawn.sum(axis=1) == 0.0
        return Choices(state.legal_actions, drawn / drawn.sum(axis=1, keepdims=True))


def every_hand(subject: Subject, agents: tuple[StrategicAgent, StrategicAgent]) -> Iterator[tuple[float, PlayedHand]]:
    """Every way in which a hand of a game can go between the agents in seat 0 and 1, with its probability."""
    game = rules_of(subject)
    k = game.num_hole_cards
    assert k == 1
    deals = list(permutations(range(game.deck.num_cards), 2))
    start = PublicState.start(subject)
    for first, second in deals:
        for probability, state in _below(start, ((first,), (second,)), agents):
            hole = ((first,), (second,))
            yield (
                probability / len(deals),
                PlayedHand(subject, 0, hole, state.board, state.actions, ("a", "b"), state.net_chips(hole)),
            )


def _below(state: PublicState, hole, agents) -> Iterator[tuple[float, PublicState]]:
    if state.is_over:
        yield 1.0, state
        return
    if state.cards_due:
        held = {*hole[0], *hole[1], *state.board}
        left = [card for card in range(rules_of(state.subject).deck.num_cards) if card not in held]
        boards = list(permutations(left, state.cards_due))
        for cards in boards:
            for probability, end in _below(state.with_cards(cards), hole, agents):
                yield probability / len(boards), end
        return
    choices = agents[state.actor].strategy(state)
    row = choices.probabilities[int(hand_index(hole[state.actor]))]
    for action, share in zip(choices.actions, row.tolist(), strict=True):
        if share > 0.0:
            for probability, end in _below(state.after(action), hole, agents):
                yield share * probability, end
