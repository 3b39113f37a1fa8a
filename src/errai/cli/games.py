"""List the games of the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errai.cli.arguments import Arguments, Options
from errai.cli.output import OK, columns, write_json
from errai.console import console

if TYPE_CHECKING:
    from errai.games.game import GameRules


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add.json()


def run(options: Options) -> int:
    """List the names and titles of the games."""
    from errai.games.catalogue import catalogue, load_game, ring_catalogue
    from errai.games.ring import load_ring_game

    games: list[tuple[str, GameRules]] = [(name, load_game(name)) for name in catalogue()]
    games += [(name, load_ring_game(name)) for name in ring_catalogue()]
    if options.json:
        found = [{"name": name, "title": game.title, "players": game.num_players} for name, game in games]
        write_json({"games": found})
        return OK
    table = columns("name", "players", "betting", "deck", "rounds", no_wrap=True)
    table.add_column("title", overflow="fold")
    for name, game in games:
        betting = "limit" if game.limit else "no-limit"
        table.add_row(
            name,
            str(game.num_players),
            betting,
            f"{game.num_ranks} x {game.num_suits}",
            str(game.num_rounds),
            game.title,
        )
    console().print(table)
    return OK
