"""Games of the catalogue with fewer rounds, cards and raises, small enough to be measured exactly."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from errai.games.catalogue import load_game
from errai.games.game import Game


def add_cuts(parser: argparse.ArgumentParser) -> None:
    """Add ``--rounds``, ``--ranks``, ``--suits`` and ``--raises``."""
    parser.add_argument("--rounds", type=int, help="leave out the rounds after so many")
    parser.add_argument("--ranks", type=int, help="leave out ranks (limit games)")
    parser.add_argument("--suits", type=int, help="leave out suits")
    parser.add_argument("--raises", type=int, help="bets and raises allowed in each round")


def cut_game(options: argparse.Namespace) -> Game:
    """The game that ``options.game`` names, cut as the options say."""
    game = load_game(options.game)
    rounds, ranks = options.rounds or game.num_rounds, options.ranks or game.num_ranks
    suits = options.suits or game.num_suits
    raises = (options.raises,) * rounds if options.raises else game.max_raises[:rounds]
    if (rounds, ranks, suits, raises) == (game.num_rounds, game.num_ranks, game.num_suits, game.max_raises):
        return game
    cut: dict[str, Any] = {
        name: getattr(game, name)[:rounds] for name in ("raise_sizes", "first_player", "num_board_cards")
    }
    name = f"{game.name} of {rounds} rounds, {ranks * suits} cards, {raises[0]} raises"
    return dataclasses.replace(
        game, name=name, num_rounds=rounds, num_ranks=ranks, num_suits=suits, max_raises=raises, **cut
    )
