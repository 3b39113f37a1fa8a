"""Hold'em for two as hand histories describe it: by blinds, bets and stacks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from errai.errors import GameDefinitionError, HistoryError
from errai.games.catalogue import catalogue, load_game
from errai.games.game import UNCAPPED_RAISES, Game

LIMIT_CAPS = ((3, 4, 4, 4), (4, 4, 4, 4), (UNCAPPED_RAISES,) * 4)
"""Raises allowed a round in limit games: histories do not say it, so the first that allows the hand is taken.  First
four bets with the big blind as one, as in the competition and in casinos, then PokerKit's four raises."""


_template = cache(load_game)
_SAME = ("limit", "num_rounds", "num_suits", "num_ranks", "num_hole_cards", "num_board_cards", "ranking")
"""What all games of hold'em have in common."""


def holdem(
    blinds: tuple[int, int],
    stacks: tuple[int, int],
    bets: tuple[int, int] | None = None,
    max_raises: tuple[int, ...] = (),
) -> Game:
    """Return hold'em by its blinds and stacks by seat; a stack shorter than its blind posts all its chips.

    ``bets`` are the small bet, before and on the flop, and the big one of limit hold'em; None is no-limit.
    """
    # The player after the bigger blind acts first; afterwards it is seat 0, the big blind.
    first = 0 if blinds[1] >= blinds[0] else 1
    if first == 0 and blinds[1] > blinds[0]:
        raise HistoryError("The dealer posted the bigger blind; between two players the dealer posts the smaller one.")
    try:
        game = Game(
            **rules_of_holdem(bets, max_raises),
            name="",
            blinds=(min(blinds[0], stacks[0]), min(blinds[1], stacks[1])),
            stacks=stacks,
            first_player=(first, 0, 0, 0),
        )
    except GameDefinitionError as error:
        raise HistoryError(f"The game of the hand is not possible: {error.message}") from error
    return named(game, blinds)


def rules_of_holdem(bets: tuple[int, int] | None, max_raises: tuple[int, ...]) -> dict[str, Any]:
    """Return the rules that do not depend on who posts and who acts first, as fields of a game."""
    template = _template("holdem.limit.2p" if bets else "holdem.nolimit.2p")
    fields = {key: getattr(template, key) for key in _SAME}
    sizes = (bets[0], bets[0], bets[1], bets[1]) if bets else ()
    return {**fields, "raise_sizes": sizes, "max_raises": max_raises or template.max_raises}


def named(game: Game, blinds: tuple[int, int] | None = None) -> Game:
    """Return the game with its name in the catalogue, or with a name made of its rules if it is not there.

    ``blinds`` are those that were due, if a stack was too short to post them.
    """
    if (known := _by_digest().get(game.digest())) is not None:
        return known
    kind = "limit" if game.limit else "no-limit"
    stakes = game.raise_sizes if game.limit else blinds or game.blinds
    return replace(game, name=f"{kind} hold'em {min(stakes)}/{max(stakes)}", title="")


@cache
def _by_digest() -> dict[str, Game]:
    return {game.digest(): game for game in map(_template, catalogue())}


def is_holdem(game: Game, blinds: tuple[int, int]) -> bool:
    """Return whether a game is hold'em with its whole deck whose dealer posts the smaller blind, as histories have it.

    ``blinds`` are what should have been posted.
    """
    template = _template("holdem.limit.2p" if game.limit else "holdem.nolimit.2p")
    first = 0 if blinds[1] >= blinds[0] else 1
    sizes = game.raise_sizes
    return bool(
        all(getattr(game, key) == getattr(template, key) for key in _SAME)
        and blinds[0] >= blinds[1]
        and game.first_player == (first, 0, 0, 0)
        and (not game.limit or (sizes[0] == sizes[1] and sizes[2] == sizes[3]))
    )
