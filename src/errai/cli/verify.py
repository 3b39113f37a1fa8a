"""``errai verify``: recompute the exploitability of a solution from its file alone."""

from __future__ import annotations

import argparse
from typing import Any

from errai.cli.inputs import load_solution
from errai.cli.output import ERROR, OK, add_json_option, write_facts, write_json
from errai.cli.solve import exploitability_document, solution_document, subject_name


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "verify",
        help="recompute the exploitability of a solution and compare it with its certificate",
        description="Check every byte of a solution, recompute its exploitability, and compare it with the "
        "certificate in the file. The exit code is 0 if they agree, 1 if not.",
        allow_abbrev=False,
    )
    parser.add_argument("solution", metavar="FILE", help="a solution (.errai)")
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Recompute, compare and say so."""
    from errai.pictures.notebook import exploitability_text

    solution = load_solution(options.solution)
    result = solution.verify()
    if options.json:
        write_json(
            {
                **solution_document(solution, options.solution),
                "certified": bool(result.certified),
                "recomputed": exploitability_document(result.recomputed),
            }
        )
    else:
        write_facts(
            f"{subject_name(solution.subject, options.solution)}: "
            + ("certified" if result.certified else "NOT certified"),
            [
                ("certificate", exploitability_text(result.certificate)),
                ("recomputed", exploitability_text(result.recomputed)),
            ],
        )
    return OK if result.certified else ERROR
