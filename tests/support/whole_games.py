"""Small games enumerated completely: every deal, every line, with its true probability."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from errai.agents.agent import StrategicAgent
from errai.cards.hands import hand_cards, hand_index
from errai.games.game import Subject
from errai.games.hand import Hole, PlayedHand, PublicState
from errai.games.spot import Spot
from errai.strategies.strategy import Choices


class RandomMixture(StrategicAgent):
    """Any strategy at all: a mixture drawn for every hand at every public state, some actions never."""

    def __init__(self, seed: int, never: float = 0.0) -> None:
        self.name = f"random mixture {seed}"
        self.seed = seed
        self.never = never
        self._known: dict[object, Choices] = {}

    def strategy(self, state: PublicState) -> Choices:
        key = (state.actions, state.board)
        if key not in self._known:
            self._known[key] = self._drawn(state)
        return self._known[key]

    def _drawn(self, state: PublicState) -> Choices:
        game = state.subject.rules
        count = len(hand_cards(game.deck.num_cards, game.num_hole_cards))
        rng = np.random.default_rng([self.seed, zlib.crc32(repr((state.actions, state.board)).encode())])
        drawn = rng.random((count, len(state.legal_actions))) + 0.02
        drawn[rng.random(drawn.shape) < self.never] = 0.0
        drawn[:, 0] += drawn.sum(axis=1) == 0.0
        return Choices(state.legal_actions, drawn / drawn.sum(axis=1, keepdims=True))


def every_hand(subject: Subject, agents: tuple[StrategicAgent, StrategicAgent]) -> Iterator[tuple[float, PlayedHand]]:
    """Every way in which a hand can go between the agents in seat 0 and 1, with its probability."""
    deals = dict(_deals(subject))
    total = sum(deals.values())
    start = PublicState.start(subject)
    for hole, weight in deals.items():
        for probability, state in _below(start, hole, agents):
            yield (
                probability * weight / total,
                PlayedHand(subject, 0, hole, state.board, state.actions, ("a", "b"), state.net_chips(hole)),
            )


def _deals(subject: Subject) -> Iterator[tuple[Hole, float]]:
    game = subject.rules
    hands = [tuple(cards) for cards in hand_cards(game.deck.num_cards, game.num_hole_cards).tolist()]
    ranges, board = ([1.0] * len(hands),) * 2, set()
    if isinstance(subject, Spot):
        ranges, board = tuple(held.weights.tolist() for held in subject.ranges), set(subject.board)
    for first, weight in zip(hands, ranges[0], strict=True):
        for second, other in zip(hands, ranges[1], strict=True):
            if weight * other > 0.0 and len({*first, *second} - board) == 2 * game.num_hole_cards:
                yield (first, second), weight * other


def _below(
    state: PublicState, hole: Hole, agents: tuple[StrategicAgent, StrategicAgent]
) -> Iterator[tuple[float, PublicState]]:
    if state.is_over:
        yield 1.0, state
        return
    if state.cards_due:
        held = {*hole[0], *hole[1], *state.board}
        left = [card for card in range(state.subject.rules.deck.num_cards) if card not in held]
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
