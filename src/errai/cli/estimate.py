"""``errai estimate``: show what a solve will need before it runs."""

from __future__ import annotations

import argparse
from typing import Any

from errai.cli.inputs import SUBJECT_HELP, add_lock_option, add_menu_option, add_precision_options, load_subject
from errai.cli.output import OK, add_json_option, write_facts, write_json
from errai.console import bytes_text, seconds_text

PASSED_ON = ("target", "algorithm", "menu", "threads", "memory", "precision")


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "estimate",
        help="show how much memory, disk and time a solve needs, without running it",
        allow_abbrev=False,
    )
    parser.add_argument("subject", metavar="GAME", help=SUBJECT_HELP)
    parser.add_argument("--target", metavar="T", help="the target, as for solve; the precision depends on it")
    parser.add_argument("--algorithm", metavar="NAME", help="the variant of CFR, as for solve")
    add_menu_option(parser)
    add_lock_option(parser)
    add_precision_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Estimate and write."""
    import errai
    from errai.cli.solutions import subject_name

    subject = load_subject(options.subject)
    settings = {name: value for name in PASSED_ON if (value := getattr(options, name)) is not None}
    if options.lock is not None:
        settings["locks"] = errai.load_locks(options.lock)
    estimate = errai.estimate(subject, **settings)
    name = subject_name(subject, options.subject)
    if options.json:
        write_json(
            {
                "game": name,
                "nodes": int(estimate.nodes),
                "boards": [int(count) for count in estimate.boards],
                "information_sets": int(estimate.information_sets),
                "entries": int(estimate.entries),
                "precision": estimate.precision,
                "memory_bytes": int(estimate.memory_bytes),
                "disk_bytes": int(estimate.disk_bytes),
                "checkpoint_bytes": int(estimate.checkpoint_bytes),
                "seconds_per_iteration": float(estimate.seconds_per_iteration),
            }
        )
        return OK
    write_facts(
        name,
        [
            ("betting nodes", f"{estimate.nodes:,}"),
            ("boards", ", ".join(f"{count:,}" for count in estimate.boards)),
            ("information sets told apart", f"{estimate.information_sets:,}"),
            ("strategy entries", f"{estimate.entries:,}"),
            ("precision", estimate.precision),
            ("memory", bytes_text(estimate.memory_bytes)),
            ("solution on disk", bytes_text(estimate.disk_bytes)),
            ("checkpoint on disk", bytes_text(estimate.checkpoint_bytes)),
            ("time per iteration", "about " + seconds_text(estimate.seconds_per_iteration)),
        ],
    )
    return OK
