"""Count the states, information sets and actions of a game, exactly.

Count states, terminal states, information sets and their actions exactly, without building the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from errai.cli.arguments import GAME, Arguments, Options
from errai.cli.output import OK, write_json
from errai.console import console

if TYPE_CHECKING:
    from rich.console import Console

    from errai.games.ring import RingGame

_SHORT_DIGITS = 24

_COLUMNS = (
    ("betting_nodes", "betting nodes"),
    ("hand_boards", "hands and boards"),
    ("canonical_hand_boards", "hands and boards up to suits"),
    ("information_sets", "information sets"),
    ("canonical_information_sets", "information sets up to suits"),
)


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("game", GAME)
    add.json()


def run(options: Options) -> int:
    """Count and write."""
    from errai.cli.inputs import load_whole_game, ring_game
    from errai.games.size import game_size

    ring = ring_game(options.game)
    if ring is not None:
        return _run_ring(ring, options)
    game = load_whole_game(options.game, "`errai estimate` says what a spot needs")
    size = game_size(game)
    if options.json:
        write_json({"game": game.name, **size.to_json()})
        return OK
    out = console()
    out.print(f"[bold]{game.title or game.name}[/bold]")
    rounds = [(f"round {row['round'] + 1}", [count_text(row[key]) for key, _ in _COLUMNS]) for row in size.rounds]
    labels = [label for _, label in _COLUMNS]
    # In a table what stands up to suits follows the column of what it is.
    headings = ("round", *("up to suits" if label.endswith("up to suits") else label for label in labels))
    table = _aligned([headings, *((name.removeprefix("round "), *numbers) for name, numbers in rounds)])
    if max(map(len, table)) <= out.width or not out.is_terminal:
        _write_lines(out, table)
    else:
        # A table that is too wide for the terminal would lose digits; one number a line loses none.
        for name, numbers in rounds:
            _write_lines(out, [name, *_aligned(list(zip(labels, numbers, strict=True)), indent="  ")])
    totals = [
        ("states", size.states),
        ("terminal states", size.terminal_states),
        ("information sets", size.information_sets),
        ("information sets up to suits", size.canonical_information_sets),
        ("actions at information sets", size.information_set_actions),
        ("actions at information sets up to suits", size.canonical_information_set_actions),
    ]
    _write_lines(out, ["", *_aligned([(heading, count_text(number)) for heading, number in totals])])
    if any(len(str(number)) > _SHORT_DIGITS for number in (size.states, size.information_sets)):
        out.print("Numbers are rounded here; --json writes every digit.", style="dim")
    return OK


def _run_ring(game: RingGame, options: Options) -> int:
    """Count the information sets of a game of three players or more."""
    from errai.games.size import ring_size

    size = ring_size(game)
    if options.json:
        found = {name: [str(number) for number in numbers] for name, numbers in vars(size).items()}
        write_json({"game": game.name, "players": game.num_players, **found})
        return OK
    out = console()
    out.print(f"[bold]{game.title or game.name}[/bold]")
    rows = [("", *(f"player {player}" for player in range(game.num_players)), "all")]
    for label, numbers in (
        ("information sets", size.information_sets),
        ("information sets up to suits", size.canonical_information_sets),
        ("actions at information sets", size.information_set_actions),
    ):
        rows.append((label, *map(count_text, (*numbers, sum(numbers)))))
    _write_lines(out, _aligned(rows))
    return OK


def _aligned(rows: Sequence[Sequence[str]], indent: str = "") -> list[str]:
    """Return rows as lines, the first column to the left and numbers to the right, none of them ever shortened."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])] for first, *rest in rows)
    return [indent + "  ".join(line) for line in lines]


def _write_lines(out: Console, lines: Sequence[str]) -> None:
    for line in lines:
        out.print(line, soft_wrap=True, markup=False)


def count_text(count: int) -> str:
    """Write a count with separators, or rounded to six digits where it would not fit: 6.31144e164."""
    if len(str(count)) <= _SHORT_DIGITS:
        return f"{count:,}"
    return f"{Decimal(count):.5e}".replace("e+", "e")
