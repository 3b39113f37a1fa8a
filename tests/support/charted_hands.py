"""Charts with few hands, and hands for two that come to their spots."""

from __future__ import annotations

from dataclasses import replace

from errai.games.catalogue import load_game
from errai.games.hand import CALL, Deal, Hand, PlayedHand, raise_to

CHARTS = """
[bets]
bet = "100%"
raise = ""
[[chart]]
raises = 1
raiser = "BTN"
[chart.ranges]
BTN = "AA, KQs, T9s, 77, 65s"
BB = "KK:0.5, AQs, J9s, 22, 65s"
"""


def played(
    number: int = 1, opening: tuple = (raise_to(250), CALL), later: tuple = (CALL, CALL) * 3, flop: str = "7c6d2h"
) -> PlayedHand:
    """A hand for two with 10 big blinds: the button opens, the big blind calls."""
    game = load_game("holdem.nolimit.2p")
    game = replace(game, name="", stacks=(1000, 1000))
    deck = game.deck
    hand = Hand(
        game, Deal((deck.parse_cards("KsKh"), deck.parse_cards("AsAh")), deck.parse_cards(f"{flop}QsJd")), number
    )
    for action in (*opening, *later):
        hand.act(action)
    return hand.played(("Bea", "Ben"))
