"""``errai verify``: recompute the exploitability of a solution from its file or folder alone."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from errai.cli.inputs import load_solved, memory_bytes, positive_integer
from errai.cli.output import ERROR, OK, add_json_option, write_facts, write_json
from errai.cli.solutions import (
    solution_document,
    subject_name,
)
from errai.errors import InputError
from errai.pictures.solution_facts import exploitability_facts, precision_of

if TYPE_CHECKING:
    from errai.cluster.reading import StoredSolution
    from errai.solutions.solution import Verification


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "verify",
        help="recompute the exploitability of a solution and compare it with its certificate",
        description="Check every byte of a solution, recompute its exploitability, and compare it with the "
        "certificate in the file. For the folder of a run all blocks are walked, which takes about as long as half an "
        "iteration. The exit code is 0 if they agree, 1 if not.",
        allow_abbrev=False,
    )
    parser.add_argument("solution", metavar="FILE", help="a solution (.errai), or the folder of a run")
    parser.add_argument(
        "--threads", type=positive_integer, metavar="N", help="number of threads, for a solution (default: all)"
    )
    parser.add_argument(
        "--processes",
        type=positive_integer,
        metavar="N",
        help="number of processes, for a run (default: one for each core)",
    )
    parser.add_argument(
        "--net",
        metavar="NAME|FILE",
        help="for a solution over a network: the network (default: the one of its name in the package)",
    )
    parser.add_argument("--memory", type=memory_bytes, metavar="SIZE", help="memory for a run, for instance 4GiB")
    parser.add_argument(
        "--cluster", metavar="WHERE", help="compute with Ray, for a run: local:2, auto, or ray://host:port"
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Recompute, compare, and write the result."""
    from errai.nets.predictors import leaf_values_of_solution
    from errai.solutions.solution import Solution

    solution = load_solved(options.solution)
    if isinstance(solution, Solution):
        if options.processes is not None:
            raise InputError("--processes is for the folder of a run; use --threads for a solution.")
        if options.threads is not None:
            solution.threads = options.threads
        result = solution.verify(leaf_values_of_solution(solution, options.net))
    else:
        if options.net is not None:
            raise InputError("--net is for a solution over a network; leave it out for the folder of a run.")
        if options.threads is not None:
            raise InputError("--threads is for a solution; use --processes for the folder of a run.")
        result = _verify_run(solution, options)
    if options.json:
        known = (
            solution_document(solution, options.solution)
            if isinstance(solution, Solution)
            else run_document(solution, options.solution)
        )
        write_json(
            {
                **known,
                "certified": bool(result.certified),
                "differences": [asdict(difference) for difference in result.differences],
                "tolerance_chips": result.tolerance_chips,
                "recomputed": result.recomputed.to_dict(),
            }
        )
    else:
        write_facts(
            f"{subject_name(solution.subject, options.solution)}: "
            + ("certified" if result.certified else "NOT certified"),
            [
                *exploitability_facts(solution.zero_sum, result.certificate, "certificate"),
                *exploitability_facts(solution.zero_sum, result.recomputed, "recomputed"),
                *(("differs", str(difference)) for difference in result.differences),
                *([] if result.certified else [("tolerance", f"{result.tolerance_chips:.3g} chips")]),
            ],
        )
    return OK if result.certified else ERROR


def run_document(stored: StoredSolution, name: str) -> dict[str, Any]:
    """Return what ``--json`` says about a stored run; ``docs/cli.md`` lists the fields."""
    return {
        "game": subject_name(stored.subject, name),
        "status": stored.status,
        "iterations": stored.iterations,
        "seconds": stored.seconds,
        "precision": precision_of(stored),
        "exploitability": stored.exploitability.to_dict(),
        "values": list(stored.values.chips),
        "information_sets": stored.information_sets,
        "canonical_information_sets": stored.canonical_information_sets,
        "blocks": len(stored.partition.blocks),
    }


def _verify_run(stored: StoredSolution, options: argparse.Namespace) -> Verification:
    from errai.cluster.verifying import verify_run

    def told(done: int, blocks: int) -> None:
        end = "\n" if done == blocks else ""
        sys.stderr.write(f"\r{done:,} of {blocks:,} blocks{end}")
        sys.stderr.flush()

    on_block = told if sys.stderr.isatty() else None
    return verify_run(
        stored, processes=options.processes, memory=options.memory, cluster=options.cluster, on_block=on_block
    )
