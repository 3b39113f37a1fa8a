"""Write a solution as a table, in CSV or Parquet.

Write a solution as a table with a row for each decision, board, hand and action: the probability, the reach of both
players, and the EV of the hand and of the action. The name of the file ends in .csv or .parquet. Rows are written as
they are computed, so that memory does not grow with the table. Parquet needs pyarrow (pip install 'errai[parquet]').
With --board only that board and those before it are written. A blueprint, or the folder of a run, is too large for
anything else but its first street.
"""

from __future__ import annotations

import sys

from errai.cli.arguments import Arguments, Options
from errai.cli.output import OK, SHORT, note, write_json
from errai.errors import InputError


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", "a solution (.errai), the folder of a run, or a blueprint by file or name")
    add("--to TABLE", "the file to write: .csv or .parquet", required=True)
    add("--streets N", "write the first N streets of the tree only (default: all)")
    add("--board CARDS", "write this board and those before it only: a flop, or a flop and the turn, such as 7h9hQh2s")
    add.progress()


def run(options: Options) -> int:
    """Read the solution, and write the table."""
    from errai.cli.inputs import open_solved, output_path
    from errai.cli.signals import watched
    from errai.console import bytes_text
    from errai.solutions.solution import Solution
    from errai.solutions.table import BoardTable, count_rows, export_solution
    from errai.store.tables import check_table

    path = output_path(options.to)
    assert path is not None
    check_table(path)
    solution = open_solved(options.solution, whole=options.board is None)
    board = None if options.board is None else solution.deck.parse_cards(options.board)
    if board is None and not isinstance(solution, Solution):
        if options.streets != 1:
            raise InputError(
                f"The table of {solution.title} is too large to be written whole; give --board, or --streets 1."
            )
        board = ()
    if board is None:
        assert isinstance(solution, Solution)
        total = count_rows(solution, options.streets)
    else:
        total = len(BoardTable(solution, board, options.streets))

    def progress(done: int, rows: int) -> None:
        view.show(done / max(rows, 1), f"{done:,} of {rows:,} rows")

    with watched(options, f"{total:,} rows") as (stop, view):
        rows = export_solution(solution, path, streets=options.streets, board=board, stop=stop, progress=progress)
    if rows < total:
        note(f"The export was interrupted; {options.to} was not written.")
        return SHORT
    size = path.stat().st_size
    if options.json:
        write_json({"file": str(path), "rows": rows, "file_bytes": size})
    elif not options.quiet:
        sys.stdout.write(f"{options.to}: {rows:,} rows, {bytes_text(size)}\n")
    return OK
