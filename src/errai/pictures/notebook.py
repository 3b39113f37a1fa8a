"""A solution in a notebook: facts, the picture of the root, and the convergence curve."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from errai.console import exploitability_text
from errai.pictures.curves import curves_drawing
from errai.pictures.grid import node_html

if TYPE_CHECKING:
    from errai.solutions.solution import Solution

__all__ = ["node_html", "solution_html"]


def solution_html(solution: Solution) -> str:
    """Return a solution as an HTML fragment: facts, root strategy, curve; no scripts."""
    facts = [
        ("status", solution.status),
        ("exploitability", exploitability_text(solution.exploitability)),
        ("values, chips", ", ".join(f"{value:+.4f}" for value in solution.values.chips)),
        ("iterations", f"{solution.iterations:,} in {solution.seconds:.2f} s"),
        ("information sets", f"{solution.information_sets:,}"),
    ]
    left = 'style="text-align:left"'
    rows = "".join(f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(value)}</td></tr>" for name, value in facts)
    table = f"<table>{rows}</table>"
    picture = node_html(solution.root, title=solution.title)
    curve = ""
    if len(solution.curve) > 1:
        drawing = curves_drawing({"": solution.curve}, width=560.0, height=320.0).svg()
        curve = f"<details><summary>Convergence</summary>{drawing}</details>"
    return f"<div><p><b>{escape(solution.title)}</b></p>{table}{picture}{curve}</div>"
