"""``errai size``: count the states, information sets and actions of a game exactly."""

from __future__ import annotations

import argparse
from typing import Any

from errai.cli.output import OK, add_json_option, write_json
from errai.console import console

_SHORT_DIGITS = 24


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "size",
        help="count the states, information sets and actions of a game, exactly",
        description="Count states, terminal states, information sets and their actions exactly, without building the "
        "tree.",
        allow_abbrev=False,
    )
    parser.add_argument("game", help="a game of the catalogue (see `errai games`) or a .game file")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Count and write."""
    from errai.cli.inputs import load_subject
    from errai.errors import InputError
    from errai.games.game import Game
    from errai.games.size import game_size

    game = load_subject(options.game)
    if not isinstance(game, Game):
        raise InputError(f"{options.game} is a spot; sizes are counted for whole games. Try `errai estimate`.")
    size = game_size(game)
    if options.json:
        write_json({"game": game.name, **size.to_json()})
        return OK
    from rich.table import Table

    out = console()
    out.print(f"[bold]{game.title or game.name}[/bold]")
    table = Table(box=None, pad_edge=False)
    table.add_column("round")
    for heading in ("betting nodes", "hands and boards", "up to suits", "information sets", "up to suits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in size.rounds:
        table.add_row(
            str(row["round"] + 1),
            *(
                count_text(row[key])
                for key in (
                    "betting_nodes",
                    "hand_boards",
                    "canonical_hand_boards",
                    "information_sets",
                    "canonical_information_sets",
                )
            ),
        )
    out.print(table)
    totals = Table(box=None, pad_edge=False, show_header=False)
    totals.add_column()
    totals.add_column(justify="right", overflow="fold")
    for heading, number in (
        ("states", size.states),
        ("terminal states", size.terminal_states),
        ("information sets", size.information_sets),
        ("information sets up to suits", size.canonical_information_sets),
        ("actions at information sets", size.information_set_actions),
        ("actions at information sets up to suits", size.canonical_information_set_actions),
    ):
        totals.add_row(heading, count_text(number))
    out.print()
    out.print(totals)
    if any(len(str(number)) > _SHORT_DIGITS for number in (size.states, size.information_sets)):
        out.print("Numbers are rounded here; --json writes every digit.", style="dim")
    return OK


def count_text(count: int) -> str:
    """Write a count with separators, or rounded to six digits where it would not fit: 6.31144e164."""
    digits = str(count)
    if len(digits) <= _SHORT_DIGITS:
        return f"{count:,}"
    power = len(digits) - 1
    rounded = round(count, 5 - power)
    if len(str(rounded)) > len(digits):
        power += 1
    lead = str(rounded)[:6]
    return f"{lead[0]}.{lead[1:]}e{power}"
