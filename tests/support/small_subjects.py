"""Games and a spot that are small in every direction, for tests that walk all of a tree."""

from __future__ import annotations

from dataclasses import replace

from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.spot import Spot, parse_spot

RIVER = """
title = "A small river"
board = "Qs Jh 2c 8d 3s"
pot = 100
stack = 300
[ranges]
oop = "AA, 99, KTs"
ip = "KK, QQ, T9s"
[bets]
bet = "50%, a"
raise = "a"
"""

TURN = """
board = "Qs Jh 2s 8h"
pot = 100
stack = 200
[ranges]
oop = "QQ, T9s, AKo:0.5"
ip = "22, AKs"
[bets]
bet = "100%"
raise = "a"
"""

WEIGHTED_RIVER = """
board = "Qs Jh 2c 8d 3s"
pot = 100
stack = 300
[ranges]
oop = "AA, KK, QQ, AQs:0.5, KQs, 98s, 76s, 54s"
ip = "JJ, TT, AJs, KJs:0.25, QJs, T9s, 65s, A5s"
[bets]
bet = "50%, a"
raise = "a"
"""

SHORT_TURN = """
board = "Qs Jh 2s 8h"
pot = 100
stack = 200
[ranges]
oop = "QQ, T9s"
ip = "22, AKs"
[bets]
bet = "100%"
raise = "a"
"""

# Hands of other suits, and of other ranks, play alike here, and so do rivers.
RIVER_ALIKE = """
board = "Jh Tc 4s 4d 2c"
pot = 100
stack = 150
[ranges]
oop = "QQ+, AKs, AKo, A5s:0.5"
ip = "JJ-99, AQs, AKs, KQs, AKo"
[bets]
bet = "50%, a"
raise = "a"
"""
TURN_ALIKE = RIVER_ALIKE.replace("Jh Tc 4s 4d 2c", "9s 9c 4d 4h").replace("50%, a", "70%")


def subject(name: str) -> Game | Spot:
    """The spot ``turn``, a game of the catalogue, or one with fewer cards and bets."""
    if name == "turn":
        return parse_spot(TURN)
    if name == "rhode-island-short":
        return replace(load_game("rhode-island"), name=name, num_ranks=4, num_suits=3, max_raises=(1, 1, 1))
    if name == "two-cards-short":
        return replace(load_game("holdem-2-1"), name=name, num_ranks=4, num_suits=2)
    if name == "two-cards-four-bets":
        return replace(load_game("holdem-2-4"), name=name, num_ranks=4, num_suits=2)
    return load_game(name)
