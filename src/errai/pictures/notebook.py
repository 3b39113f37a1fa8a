"""Nodes and solutions in a notebook: HTML fragments with inline SVG and no scripts."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from errai.console import exploitability_text
from errai.pictures.curves import curves_drawing
from errai.pictures.grid import node_drawing, state_text

if TYPE_CHECKING:
    from errai.solutions.node import SolutionNode
    from errai.solutions.solution import Solution


def node_html(node: SolutionNode, *, title: str = "", player: int | None = None) -> str:
    """Return the picture of a node as an HTML fragment.

    If a card is dealt at the node, or the hand ends there, the fragment says so above the range of player 0.
    """
    note = "" if node.kind == "decision" else f"<p>{escape(state_text(node))}</p>"
    return f'<div style="overflow-x:auto">{note}{node_drawing(node, title=title, player=player).svg()}</div>'


def solution_html(solution: Solution) -> str:
    """Return a solution as an HTML fragment: facts, the picture of the root, and the convergence curve."""
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
