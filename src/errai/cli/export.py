"""``errai export``: write a solution as a table."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from errai.cli.inputs import positive_integer
from errai.cli.output import OK, SHORT, add_json_option, add_progress_options, note, write_json

DESCRIPTION = """\
Write a solution as a table with a row for each decision, board, hand and action: the probability, the reach of both
players, and the EV of the hand and of the action. The name of the file ends in .csv or .parquet. Rows are written as
they are computed, so that memory does not grow with the table. Parquet needs pyarrow (pip install 'errai[parquet]').
"""


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "export", help="write a solution as a table, in CSV or Parquet", description=DESCRIPTION, allow_abbrev=False
    )
    parser.add_argument("solution", metavar="FILE", help="a solution (.errai)")
    parser.add_argument("--to", metavar="TABLE", required=True, help="the file to write: .csv or .parquet")
    parser.add_argument(
        "--streets", type=positive_integer, metavar="N", help="write the first N streets of the tree only (all)"
    )
    add_progress_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read the solution, and write the table."""
    import errai
    from errai.cli.inputs import output_path
    from errai.cli.signals import stopped_by_signals
    from errai.console import bytes_text
    from errai.engine.progress_view import BarView
    from errai.solutions.table import count_rows, export_solution
    from errai.store.tables import check_table

    path = output_path(options.to)
    assert path is not None
    check_table(path)
    solution = errai.load_solution(options.solution)
    total = count_rows(solution, options.streets)
    view = BarView(f"{total:,} rows", sys.stderr.isatty())
    shown = options.progress or (view.is_terminal and not options.quiet)

    def progress(done: int, rows: int) -> None:
        if shown:
            view.show(done / max(rows, 1), f"{done:,} of {rows:,} rows")

    with stopped_by_signals() as stop, view:
        rows = export_solution(solution, path, streets=options.streets, stop=stop, progress=progress)
    if rows < total:
        note(f"The export was interrupted; {options.to} was not written.")
        return SHORT
    size = path.stat().st_size
    if options.json:
        write_json({"file": str(path), "rows": rows, "file_bytes": size})
    elif not options.quiet:
        sys.stdout.write(f"{options.to}: {rows:,} rows, {bytes_text(size)}\n")
    return OK
