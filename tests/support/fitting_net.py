"""A network for the flop whose values are known in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_cards
from errai.games.catalogue import load_game
from errai.nets.networks.matchups import hands_on
from errai.nets.positions import BoardValues, Floats

HOLDEM = load_game("holdem.nolimit.2p")
HOLDS = (hand_cards(52, 2)[:, :, None] == np.arange(52)).sum(axis=1)
"""1 for every hand and each of its two cards."""


class Fitting:
    """A network for the flop whose values follow from which hands can meet, so that few numbers describe a board."""

    name = "fitting"
    digest = "fitting"
    round = 1

    def on(self, board: tuple[int, ...], among: NDArray[np.int64] | None = None) -> BoardValues:
        return _Fits(hands_on(HOLDEM, board, among))


class _Fits:
    def __init__(self, hands: NDArray[np.int64]) -> None:
        self.hands = hands

    def values(self, ranges: Floats, stacks: Floats) -> Floats:
        signed = meeting(self.hands, ranges[:, ::-1]) * np.array([[[1.0], [-1.0]]])
        return np.asarray((stacks + 0.25)[:, None, None] * signed, dtype=np.float32)


def meeting(hands: NDArray[np.int64], weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """For each hand the weight of those that share no card with it, along the last axis."""
    holds = HOLDS[hands].astype(weights.dtype)
    return np.asarray(weights.sum(axis=-1, keepdims=True) - (weights @ holds) @ holds.T + weights)
