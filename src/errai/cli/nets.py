"""``errai nets``: value networks made, trained and looked at; one module for each thing to do."""

from __future__ import annotations

import argparse
from importlib import import_module
from typing import Any

WHAT: tuple[str, ...] = ("generate", "train", "show")
"""Names of the things to do; ``generate`` is in the module ``nets_generate`` of this package."""

DESCRIPTION = """\
Counterfactual value networks: what every hand is worth where a street begins, learnt from exact solves.
"""


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "nets",
        help="make data for value networks, train them, look at them",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    what = parser.add_subparsers(title="what to do", metavar="WHAT", required=True)
    for name in WHAT:
        import_module(f"errai.cli.nets_{name}").add_parser(what)
