"""A solution in a notebook: facts, the picture of the root, and the convergence curve."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Protocol

from errai.console import ExploitabilityView, exploitability_text
from errai.pictures.curves import curves_svg
from errai.pictures.grid import node_html
from errai.solutions.node_view import Floats, NodeView

__all__ = ["node_html", "solution_html"]


class ValuesView(Protocol):
    """The value of the game for both players."""

    @property
    def chips(self) -> Sequence[float]: ...


class SolutionView(Protocol):
    """The attributes of a solution that its notebook picture reads."""

    @property
    def title(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    @property
    def exploitability(self) -> ExploitabilityView: ...
    @property
    def values(self) -> ValuesView: ...
    @property
    def information_sets(self) -> int: ...
    @property
    def curve(self) -> Floats: ...
    @property
    def root(self) -> NodeView: ...


def solution_html(solution: SolutionView) -> str:
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
        drawing = curves_svg({"": solution.curve}, title="Convergence", width=560.0, height=320.0)
        curve = f"<details><summary>Convergence</summary>{drawing}</details>"
    return f"<div><p><b>{escape(solution.title)}</b></p>{table}{picture}{curve}</div>"
