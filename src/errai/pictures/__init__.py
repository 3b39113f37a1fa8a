"""Pictures: strategies as grids and tables, convergence curves, betting trees, and nodes as data.

Everything here reads plain attributes and arrays, so that it draws a solution's nodes as well as anything
that looks like them.  matplotlib is imported only when a PNG is made, rich only for the terminal.
"""

from errai.pictures.curves import curves_drawing, curves_png, curves_svg, curves_terminal, sparkline
from errai.pictures.export import node_csv, node_dict
from errai.pictures.grid import node_drawing, node_html, node_png, node_svg
from errai.pictures.notebook import solution_html
from errai.pictures.terminal import node_terminal, print_node
from errai.pictures.tree import tree_drawing, tree_png, tree_svg, tree_text

__all__ = [
    "curves_drawing",
    "curves_png",
    "curves_svg",
    "curves_terminal",
    "node_csv",
    "node_dict",
    "node_drawing",
    "node_html",
    "node_png",
    "node_svg",
    "node_terminal",
    "print_node",
    "solution_html",
    "sparkline",
    "tree_drawing",
    "tree_png",
    "tree_svg",
    "tree_text",
]
