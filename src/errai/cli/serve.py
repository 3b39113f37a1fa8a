"""``errai serve``: the application in the browser."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from errai.cli.inputs import natural_number
from errai.cli.output import OK

DESCRIPTION = """\
Play, solve, study solutions and run matches in the browser, on this machine alone.

The server listens on 127.0.0.1 and prints one address, which contains a token that every request needs. Solutions,
jobs, tables and matches are files in the folder, in the formats of the other verbs. Solves and matches run in
processes of their own: they go on when the server ends, and it finds them again when it starts. Ctrl-C ends it.

The token is new at every start. Set ERRAI_TOKEN, to 16 letters or digits or more, to choose one that stays the same.
"""


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "serve",
        help="play, solve and study in the browser",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=natural_number, default=8000, metavar="N", help="port; 0 for a free one (8000)")
    parser.add_argument(
        "--folder", type=Path, default=Path("errai-work"), metavar="FOLDER",
        help="folder for solutions, jobs, tables and matches (errai-work)",
    )  # fmt: skip
    parser.add_argument("--no-browser", action="store_true", help="do not open the browser")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from errai.web.server import serve

    serve(options.folder, options.port, browser=not options.no_browser, token=os.environ.get("ERRAI_TOKEN"))
    return OK
