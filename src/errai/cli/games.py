"""List the games of the catalogue."""

from __future__ import annotations

from errai.cli.arguments import Arguments, Options
from errai.cli.output import OK, columns, write_json
from errai.console import console


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add.json()


def run(options: Options) -> int:
    """List the names and titles of the games."""
    from errai.games.catalogue import catalogue, load_game

    games = [(name, load_game(name)) for name in catalogue()]
    if options.json:
        write_json({"games": [{"name": name, "title": game.title} for name, game in games]})
        return OK
    table = columns("name", "betting", "deck", "rounds", no_wrap=True)
    table.add_column("title", overflow="fold")
    for name, game in games:
        betting = "limit" if game.limit else "no-limit"
        table.add_row(name, betting, f"{game.num_ranks} x {game.num_suits}", str(game.num_rounds), game.title)
    console().print(table)
    return OK
