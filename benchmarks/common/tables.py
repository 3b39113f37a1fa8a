"""Numbers and tables in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Sequence


def number_text(value: float) -> str:
    """About three digits, never in powers of ten."""
    if value >= 1:
        return f"{value:,.{max(0, 3 - len(str(int(value))))}f}"
    return f"{value:.3f}" if value >= 0.01 else f"{value:.2g}" if value >= 1e-4 else f"{value:.6f}"


def spread(values: Sequence[float]) -> str:
    """Median, and in brackets the least and the greatest, all with the digits of the median."""
    middle = number_text(statistics.median(values))
    if len(values) == 1:
        return middle
    digits = len(middle.partition(".")[2])
    return f"{middle} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"


def threads_text(threads: int) -> str:
    """A number of threads in words."""
    return "1 thread" if threads == 1 else f"{threads} threads"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; an empty line follows it."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines) + "\n"
