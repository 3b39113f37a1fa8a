"""The cards of a match: they depend on the match's seed and the number of the deal alone."""

from __future__ import annotations

import numpy as np

from errai.cards.strength import strength
from errai.games.hand import Deal, Shuffle
from errai.games.subject import Subject

BLOCK = 1_000
"""Deals that are drawn together.  It is part of the meaning of a seed: another number gives other cards."""


def deals_of_block(subject: Subject, seed: int, block: int) -> list[Deal]:
    """The deals ``block * BLOCK`` to ``(block + 1) * BLOCK - 1`` of a match, with the winners of their showdowns.

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
