"""Kuhn and Leduc as games over buckets, and a game of random buckets over two rounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from errai.agents.literature.psopti.bucket_game import BucketGame
from errai.games.catalogue import load_game
from errai.tree.betting_tree import build_betting_tree


def kuhn() -> BucketGame:
    """Three cards, each a bucket."""
    rank = np.arange(3)
    return BucketGame(
        build_betting_tree(load_game("kuhn")),
        (1.0 - np.eye(3)) / 6.0,
        (),
        np.sign(rank[:, None] - rank[None, :]).astype(np.float64),
    )


def leduc() -> BucketGame:
    """Buckets are the player's rank, and after the board card that and the board's: nothing is lost."""
    start, move = np.zeros((3, 3)), np.zeros((3, 3, 9, 9))
    showdown = np.zeros((9, 9))
    for i in range(3):
        for j in range(3):
            start[i, j] = 2 * (1 if i == j else 2) / 30
            for board in range(3):
                left = 2 - (board == i) - (board == j)
                move[i, j, 3 * i + board, 3 * j + board] = left / 4
                first, second = i + 3 * (i == board), j + 3 * (j == board)
                showdown[3 * i + board, 3 * j + board] = np.sign(first - second)
    return BucketGame(build_betting_tree(load_game("leduc")), start, (move,), showdown)


def random_game(seed: int, first: tuple[int, int] = (3, 2), second: tuple[int, int] = (2, 3)) -> BucketGame:
    """Two rounds of limit betting over buckets that move anyhow, and more of them for one player than the other."""
    rng = np.random.default_rng(seed)
    start = rng.random(first)
    move = rng.random((*first, *second)) * (rng.random((*first, *second)) < 0.8) + 1e-3
    game = replace(load_game("leduc"), max_raises=(2, 1))
    return BucketGame(
        build_betting_tree(game),
        start / start.sum(),
        (move / move.sum(axis=(2, 3), keepdims=True),),
        rng.uniform(-1, 1, second),
    )
