"""Games and a spot that are small in every direction, for tests that walk all of a tree."""

from __future__ import annotations

from dataclasses import replace

from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.spot import Spot, parse_spot


def spot_text(
    board: str,
    oop: str,
    ip: str,
    *,
    bet: str = "100%",
    raises: str = "a",
    pot: int = 100,
    stack: int | list[int] = 200,
    title: str = "",
) -> str:
    """A spot with one menu for all streets, as people write it."""
    heading = f'\ntitle = "{title}"' if title else ""
    return f"""{heading}
board = "{board}"
pot = {pot}
{"stack" if isinstance(stack, int) else "stacks"} = {stack}
[ranges]
oop = "{oop}"
ip = "{ip}"
[bets]
bet = "{bet}"
raise = "{raises}"
"""


RIVER = spot_text("Qs Jh 2c 8d 3s", "AA, 99, KTs", "KK, QQ, T9s", bet="50%, a", stack=300, title="A small river")

TURN = spot_text("Qs Jh 2s 8h", "QQ, T9s, AKo:0.5", "22, AKs")

WEIGHTED_RIVER = spot_text(
    "Qs Jh 2c 8d 3s",
    "AA, KK, QQ, AQs:0.5, KQs, 98s, 76s, 54s",
    "JJ, TT, AJs, KJs:0.25, QJs, T9s, 65s, A5s",
    bet="50%, a",
    stack=300,
)

SHORT_TURN = spot_text("Qs Jh 2s 8h", "QQ, T9s", "22, AKs")

# Large enough to be killed or stopped while it is solved.
WIDE_TURN = """
board = "Qs Jh 2c 8d"
pot = 100
stack = 250
[ranges]
oop = "22+,A2s+,KTs+,QTs+,JTs,ATo+"
ip = "33+,A5s+,K9s+,JTs,AJo+,KJo+"
[bets]
bet = "50%, a"
raise = "a"
"""

# Hands of other suits, and of other ranks, play alike here, and so do rivers.
RIVER_ALIKE = spot_text(
    "Jh Tc 4s 4d 2c", "QQ+, AKs, AKo, A5s:0.5", "JJ-99, AQs, AKs, KQs, AKo", bet="50%, a", stack=150
)
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
