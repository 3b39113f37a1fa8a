"""Features computed hand by hand and board by board: slow, and the definition of `errai.abstraction.features`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.cards.strength import strength
from errai.games.game import Game


@dataclass(frozen=True, eq=False)
class ReferenceFeatures:
    """E[HS], E[HS²], the histogram of HS (float64[bins], with sum 1), and OCHS (float64[clusters])."""

    mean: float
    square: float
    histogram: NDArray[np.float64]
    ochs: NDArray[np.float64]


def hand_strength(game: Game, hand: Sequence[int], board: Sequence[int]) -> float:
    """Return the hand strength on a board: the share of an opponent's hands that the hand beats, ties counting half."""
    scores = _scores(game, hand, board)[1]
    return float(scores.mean())


def reference_features(
    game: Game, hand: Sequence[int], board: Sequence[int], bins: int = 1, cluster: NDArray[np.int8] | None = None
) -> ReferenceFeatures:
    """Return all features of a hand on a board, averaged over all ways in which the board may be completed.

    Parameters
    ----------
    cluster:
        int8[H], the cluster of each hand of an opponent; None for a single cluster.
    """
    clusters = np.zeros(1 << 11, dtype=np.int8) if cluster is None else cluster
    missing = game.board_cards_in(game.num_rounds - 1) - len(board)
    left = [card for card in range(game.deck.num_cards) if card not in (*hand, *board)]
    strengths = []
    won, met = np.zeros(int(clusters.max()) + 1), np.zeros(int(clusters.max()) + 1)
    for more in combinations(left, missing):
        opponents, scores = _scores(game, hand, [*board, *more])
        strengths.append(scores.mean())
        group = clusters[hand_index(opponents)]
        won += np.bincount(group[group >= 0], scores[group >= 0], minlength=len(won))
        met += np.bincount(group[group >= 0], minlength=len(won))
    every = np.array(strengths)
    # A strength on the border of two bins belongs to the upper one.  Different strengths differ by far more than 1e-9.
    places = np.minimum((every * bins + 1e-9).astype(int), bins - 1)
    histogram = np.bincount(places, minlength=bins) / len(every)
    ochs = np.where(met > 0, won / np.maximum(met, 1), 0.5)
    return ReferenceFeatures(float(every.mean()), float((every**2).mean()), histogram, ochs)


def _scores(game: Game, hand: Sequence[int], board: Sequence[int]) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Return all hands of an opponent, int16[n, k], and 1, one half or 0 if the hand beats, ties or loses to each."""
    left = [card for card in range(game.deck.num_cards) if card not in (*hand, *board)]
    opponents = np.array(list(combinations(left, game.num_hole_cards)), dtype=np.int16)
    table = np.broadcast_to(np.array(board, dtype=np.int16), (len(opponents), len(board)))
    theirs = strength(np.concatenate([opponents, table], axis=1), game.deck, game.ranking)
    own = strength([*hand, *board], game.deck, game.ranking)
    return opponents, (np.sign(int(own) - theirs.astype(np.int64)) + 1) / 2
