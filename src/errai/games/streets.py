"""The names of streets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errai.games.game import Game

STREETS = ("preflop", "flop", "turn", "river")
"""Names of the rounds of hold'em, in order."""

HOLDEM_CARDS = (0, 3, 1, 1)
"""Board cards that each round of hold'em deals."""


def street_name(game: Game, number: int) -> str:
    """Return the name by which a round is asked for: ``flop`` in games of four rounds, else ``round 1``, from 0."""
    return STREETS[number] if game.num_rounds == len(STREETS) else f"round {number}"


def street_names(game: Game) -> tuple[str, ...]:
    """Return the names of all rounds for tables: those of hold'em if the game deals as many cards, else from 1."""
    if game.num_board_cards == HOLDEM_CARDS:
        return STREETS
    return tuple(f"round {number + 1}" for number in range(game.num_rounds))


def street_title(game: Game, number: int) -> str:
    """Return the name of a round for people: ``pre-flop`` where cards come as in hold'em, else ``round 1``, from 1."""
    cards = game.num_board_cards
    if game.num_hole_cards == 2 and cards == HOLDEM_CARDS[: len(cards)]:
        return STREETS[number].replace("pre", "pre-")
    return f"round {number + 1}"
