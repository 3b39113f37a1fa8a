"""What a user with other cores sends back of `scripts/bench scaling`: a block of text with the same as JSON."""

from __future__ import annotations

import json
import statistics
from typing import Any

from common.tables import number_text, table, threads_text

LEAST_ENTRIES = 1_000_000
"""Smaller trees have too little work for many threads; they are in the full table only."""


def report(document: dict[str, Any]) -> dict[str, Any]:
    """Machine, bandwidth and milliseconds of an iteration by spot, number format and number of threads."""
    spots = []
    for one in document["spots"]:
        if one["entries"] >= LEAST_ENTRIES:
            milliseconds: dict[str, dict[str, float]] = {}
            for precision, threads in document["ways"]:
                median = statistics.median(one["seconds"][f"{precision}, {threads_text(threads)}"])
                milliseconds.setdefault(precision, {})[str(threads)] = round(1e3 * median, 4)
            spots.append({"spot": one["spot"], "entries": one["entries"], "ms": milliseconds})
    bandwidth = {str(threads): round(roof["memory"] / 1e9, 1) for threads, roof in document["roofs"]}
    return {
        "benchmark": "scaling",
        "machine": document["machine"],
        "cores": document.get("cores"),
        "runs": document["runs"],
        "memory_gb_per_second": bandwidth,
        "spots": spots,
    }


def report_text(document: dict[str, Any]) -> str:
    """The block to paste, in Markdown: a table of milliseconds with the speed-up over one thread, and JSON."""
    made = report(document)
    counts = list(made["memory_gb_per_second"])
    rows = [["memory, GB/s", "", "", *(f"{made['memory_gb_per_second'][count]:g}" for count in counts)]]
    for one in made["spots"]:
        for precision, by_threads in one["ms"].items():
            alone = by_threads["1"]
            cells = [
                f"{number_text(by_threads[count])} ({alone / by_threads[count]:.2f} x)" if count in by_threads else ""
                for count in counts
            ]
            rows.append([one["spot"], f"{one['entries']:,}", precision, *cells])
    known = "" if made["cores"] is None else f" {made['cores']} cores."
    head = ["ms an iteration (speed-up)", "entries", "numbers", *(threads_text(int(count)) for count in counts)]
    return (
        "--- Please send the rest back as an issue titled `scaling: PROCESSOR` (docs/performance.md says why). ---\n\n"
        f"{made['machine']}.{known}\n\n{table(head, rows)}\n```json\n{json.dumps(made)}\n```\n"
    )
