"""Hold'em for two as hand histories describe it: by blinds, bets and stacks."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from errai.errors import GameDefinitionError, HistoryError
from errai.games.catalogue import catalogue, load_game
from errai.games.game import UNCAPPED_RAISES, Game

LIMIT_CAPS = ((3, 4, 4, 4), (4, 4, 4, 4), (UNCAPPED_RAISES,) * 4)
"""Raises allowed a round in limit games: histories do not say it, so the first that allows the hand is taken.  First
four bets with the big blind as one, as in the competition and in casinos, then PokerKit's four raises."""


def no_limit(blinds: tuple[int, int], stacks: tuple[int, int], max_raises: tuple[int, ...] = ()) -> Game:
    """No-limit hold'em; blinds and stacks by seat, and a stack shorter than its blind posts all its chips."""
    return _game("holdem.nolimit.2p", blinds, stacks, (), max_raises)


def limit(
    blinds: tuple[int, int], stacks: tuple[int, int], bets: tuple[int, int], max_raises: tuple[int, ...] = LIMIT_CAPS[0]
) -> Game:
    """Limit hold'em with a small bet before and on the flop and a big one later."""
    return _game("holdem.limit.2p", blinds, stacks, (bets[0], bets[0], bets[1], bets[1]), max_raises)


def _game(
    like: str,
    blinds: tuple[int, int],
    stacks: tuple[int, int],
    raise_sizes: tuple[int, ...],
    max_raises: tuple[int, ...],
) -> Game:
    # The player after the bigger blind acts first; afterwards it is seat 0, the big blind.
    first = 0 if blinds[1] >= blinds[0] else 1
    if first == 0 and blinds[1] > blinds[0]:
        raise HistoryError("The dealer posted the bigger blind; between two players the dealer posts the smaller one.")
    template = load_template(like)
    try:
        game = replace(
            template,
            name="",
            title="",
            blinds=(min(blinds[0], stacks[0]), min(blinds[1], stacks[1])),
            stacks=stacks,
            raise_sizes=raise_sizes,
            max_raises=max_raises or template.max_raises,
            first_player=(first, 0, 0, 0),
        )
    except GameDefinitionError as error:
        raise HistoryError(f"The game of the hand is not possible: {error.message}") from error
    return named(game, blinds)


def named(game: Game, blinds: tuple[int, int] | None = None) -> Game:
    """Return the game with its name in the catalogue, or with a name made of its rules if it is not there.

    ``blinds`` are those that were due, if a stack was too short to post them.
    """
    known = _by_digest().get(game.digest())
    if known is not None:
        return known
    kind = "limit" if game.limit else "no-limit"
    stakes = game.raise_sizes if game.limit else blinds or game.blinds
    return replace(game, name=f"{kind} hold'em {min(stakes)}/{max(stakes)}", title="")


@cache
def load_template(name: str) -> Game:
    """Return a game of the catalogue, cached."""
    return load_game(name)


@cache
def _by_digest() -> dict[str, Game]:
    games = [load_game(name) for name in catalogue()]
    return {game.digest(): game for game in games}


def is_holdem(game: Game, blinds: tuple[int, int]) -> bool:
    """Return whether a game is hold'em with its whole deck whose dealer posts the smaller blind, as histories have it.

    ``blinds`` are what should have been posted.
    """
    template = load_template("holdem.limit.2p" if game.limit else "holdem.nolimit.2p")
    same = ("num_rounds", "num_suits", "num_ranks", "num_hole_cards", "num_board_cards", "ranking")
    first = 0 if blinds[1] >= blinds[0] else 1
    sizes = game.raise_sizes
    return bool(
        all(getattr(game, key) == getattr(template, key) for key in same)
        and blinds[0] >= blinds[1]
        and game.first_player == (first, 0, 0, 0)
        and (not game.limit or (sizes[0] == sizes[1] and sizes[2] == sizes[3]))
    )
