"""``errai nets``: make training data for value networks, train them and inspect them; each of these has a module."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

WHAT: tuple[str, ...] = ("generate", "train", "show")
"""Names of the sub-verbs; ``generate`` is in the module ``nets_generate`` of this package, and so on."""

DESCRIPTION = """\
Counterfactual value networks estimate the value of every hand at the start of a street. They are trained on exact
solutions.
"""


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "nets",
        help="make training data for value networks, train them, inspect them",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    what = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    for name in WHAT:
        import_module(f"errai.cli.nets_{name}").add_parser(what)
