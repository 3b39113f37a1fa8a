"""Recompute the exploitability of a solution and compare it with its certificate.

Check every byte of a solution, recompute its exploitability, and compare it with the certificate in the file. For the
folder of a run all blocks are walked, which takes about as long as half an iteration. The exit code is 0 if they agree,
1 if not.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Any, cast

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import load_solved, refuse_given
from errai.cli.output import ERROR, OK, answer, fields
from errai.cli.solutions import bracket_facts, solution_document, subject_name
from errai.cli.written_out import solution_in, verify_written_out
from errai.pictures.solution_facts import exploitability_facts, precision_of


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", "a solution (.errai), or the folder of a run")
    add.solve("threads")
    add("--processes N", "number of processes, for a run (default: one for each core)")
    add("--net NAME|FILE", "for a solution over a network: the network (default: the one of its name in the package)")
    add.solve("memory")
    add("--cluster WHERE", "compute with Ray, for a run: local:2, auto, or ray://host:port")
    add.json()


def run(options: Options) -> int:
    """Recompute, compare, and write the result."""
    from errai.cluster.run import verify_run
    from errai.nets.predictors import leaf_values_of_solution
    from errai.solutions.solution import Solution

    written = solution_in(options.solution)
    if written is not None:
        return verify_written_out(written, options)
    solution = load_solved(options.solution)
    if isinstance(solution, Solution):
        refuse_given(options, "processes memory cluster", "A file is verified in this process, with --threads")
        if options.threads is not None:
            solution.threads = options.threads
        result = solution.verify(leaf_values_of_solution(solution, options.net))
    else:
        refuse_given(options, "net threads", "A run is verified to its end, with --processes")
        on_block = _told if sys.stderr.isatty() else None
        result = verify_run(solution, on_block=on_block, **fields(options, "processes memory cluster"))
    described = solution_document if isinstance(solution, Solution) else run_document
    document = described(cast(Any, solution), options.solution) | {
        "certified": bool(result.certified),
        "differences": [asdict(difference) for difference in result.differences],
        "tolerance_chips": result.tolerance_chips,
        "recomputed": result.recomputed.to_dict(),
    }
    facts = [
        *exploitability_facts(solution.zero_sum, result.certificate, "certificate"),
        *exploitability_facts(solution.zero_sum, result.recomputed, "recomputed"),
        *(bracket_facts(solution) if isinstance(solution, Solution) else []),
        *(("differs", str(difference)) for difference in result.differences),
        *([] if result.certified else [("tolerance", f"{result.tolerance_chips:.3g} chips")]),
    ]
    verdict = "certified" if result.certified else "NOT certified"
    answer(options, document, f"{subject_name(solution.subject, options.solution)}: {verdict}", facts)
    return OK if result.certified else ERROR


def run_document(stored: Any, name: str) -> dict[str, Any]:
    """Return what ``--json`` says about a stored run; ``docs/cli.md`` lists the fields."""
    return fields(
        stored,
        "status iterations seconds exploitability information_sets canonical_information_sets",
        game=subject_name(stored.subject, name),
        precision=precision_of(stored),
        values=list(stored.values.chips),
        blocks=len(stored.partition.blocks),
    )


def _told(done: int, blocks: int) -> None:
    end = "\n" if done == blocks else ""
    sys.stderr.write(f"\r{done:,} of {blocks:,} blocks{end}")
    sys.stderr.flush()
