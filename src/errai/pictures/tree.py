"""Pictures of a betting tree: a drawing from left to right, and a tree of text for the terminal.

By default only the first street is drawn, with a stub for the subtree after a deal, because later streets are repeated
many times; ``streets`` draws more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from errai.errors import InputError
from errai.pictures.canvas import Drawing, text_width
from errai.pictures.nodes import chips_text, percent_text
from errai.pictures.palette import (
    CALL,
    FOLD,
    INK,
    PAPER,
    RGB,
    RULE,
    SOFT_INK,
    ActionStyle,
    action_amount,
    action_styles,
    blend,
    ink_on,
)
from errai.solutions.node import Floats

if TYPE_CHECKING:
    from errai.tree.betting_tree import BettingTree

DECISION, FOLDED, SHOWDOWN, CHANCE, LEAF = range(5)

PLAYER_COLOURS: tuple[RGB, RGB] = ((52, 62, 78), (176, 116, 20))
SLOT = 30.0
RADIUS = 11.0
MOST_NODES = 400


@dataclass(frozen=True, slots=True)
class _Shown:
    """The nodes drawn, depth first, their depth, and those whose children are left out."""

    nodes: tuple[int, ...]
    depth: dict[int, int]
    cut: frozenset[int]


def tree_drawing(
    tree: BettingTree,
    *,
    frequencies: Floats | None = None,
    streets: int = 1,
    max_nodes: int = MOST_NODES,
    title: str = "",
    names: tuple[str, str] = ("player 0", "player 1"),
    locked: Collection[int] = (),
) -> Drawing:
    """Draw a betting tree from left to right.

    Parameters
    ----------
    frequencies:
        float64[N], for each node how often the action that leads to it is chosen at its parent; NaN where
        unknown.
    streets:
        How many streets to draw; the rest is a stub with its number of nodes.
    max_nodes:
        Larger pictures are refused.
    locked:
        Nodes at which hands are locked, to be marked.

    Raises
    ------
    InputError
        If the drawing would have more than ``max_nodes`` nodes, or ``frequencies`` has the wrong length.
    """
    shown = _select(tree, streets, max_nodes)
    _check(tree, frequencies)
    styles = _styles(tree)
    sizes = _sizes(tree)
    slots: dict[int, float] = {}
    free = 0
    for node in reversed(shown.nodes):
        kids = [] if node in shown.cut else _children(tree, node)
        if kids:
            slots[node] = (slots[kids[0]] + slots[kids[-1]]) / 2
        else:
            slots[node] = -float(free)
            free += 1
    top = min(slots.values())
    half = _half_width(tree, shown)
    edge = _edge_width(tree, shown, frequencies) + 2 * half
    deepest = max(shown.depth.values())
    header = 78.0
    tail = max((text_width(_end_text(tree, n, sizes), 12) for n in shown.nodes if _ends(tree, n, shown)), default=0.0)
    width = max(30 + half + deepest * edge + 24 + tail + 20, 420.0)
    drawing = Drawing(width, header + (free - 1) * SLOT + 50, description=title or "Betting tree")
    drawing.text(24, 30, title or "Betting tree", size=16, bold=True)
    _key(drawing, names, bool(set(shown.nodes) & set(locked)))

    def place(node: int) -> tuple[float, float]:
        return 24 + half + shown.depth[node] * edge, header + 14 + (slots[node] - top) * SLOT

    for node in shown.nodes:
        if node not in shown.cut:
            for child in _children(tree, node):
                share = _share(frequencies, child)
                _edge(drawing, half, place(node), place(child), tree.action[child], styles.get(child), share)
    for node in shown.nodes:
        _node(drawing, half, tree, node, place(node), sizes, _ends(tree, node, shown), node in locked)
    return drawing


def tree_text(
    tree: BettingTree,
    *,
    frequencies: Floats | None = None,
    streets: int = 1,
    max_nodes: int = MOST_NODES,
    ascii_only: bool = False,
    locked: Collection[int] = (),
) -> str:
    """Return a betting tree as lines of text; options and errors as for :func:`tree_drawing`."""
    shown = _select(tree, streets, max_nodes)
    _check(tree, frequencies)
    sizes = _sizes(tree)
    fork, last, through = ("|-- ", "`-- ", "|   ") if ascii_only else ("├── ", "└── ", "│   ")
    lines: list[str] = []
    stack: list[tuple[int, str, str]] = [(0, "", "")]
    while stack:
        node, lead, below = stack.pop()
        words = [tree.action[node]] if tree.action[node] else []
        share = _share(frequencies, node)
        if share is not None:
            words.append(percent_text(share))
        kids = [] if node in shown.cut else _children(tree, node)
        if kids and tree.kind[node] == DECISION:
            mark = ", locked" if node in locked else ""
            words.append(f"(player {int(tree.actor[node])}, pot {chips_text(_pot(tree, node))}{mark})")
        elif kids:
            words.append(f"(deal, pot {chips_text(_pot(tree, node))})")
        else:
            words.append(("-> " if ascii_only else "→ ") + _end_text(tree, node, sizes))
        lines.append(lead + " ".join(words))
        for child in reversed(kids):
            final = child == kids[-1]
            stack.append((child, below + (last if final else fork), below + ("    " if final else through)))
    return "\n".join(lines) + "\n"


# --- selection ---


def _select(tree: BettingTree, streets: int, max_nodes: int) -> _Shown:
    if streets < 1:
        raise InputError(f"At least one street must be drawn, not {streets}.")
    nodes: list[int] = []
    depth = {0: 0}
    cut: set[int] = set()
    stack = [0]
    while stack:
        node = stack.pop()
        nodes.append(node)
        if len(nodes) > max_nodes:
            raise InputError(
                f"The picture would show more than {max_nodes} nodes; draw fewer streets (now {streets}) "
                "or allow more nodes."
            )
        kids = _children(tree, node)
        if tree.kind[node] == CHANCE and int(tree.street[node]) + 1 >= streets:
            cut.add(node)
            continue
        for child in reversed(kids):
            depth[child] = depth[node] + 1
            stack.append(child)
    return _Shown(tuple(nodes), depth, frozenset(cut))


def _check(tree: BettingTree, frequencies: Floats | None) -> None:
    if frequencies is not None and np.shape(frequencies) != (len(tree.kind),):
        raise InputError(
            f"frequencies must have a number for each of the {len(tree.kind)} nodes, not the shape "
            f"{np.shape(frequencies)}."
        )


def _children(tree: BettingTree, node: int) -> list[int]:
    first = int(tree.first_child[node])
    return list(range(first, first + int(tree.num_children[node])))


def _sizes(tree: BettingTree) -> list[int]:
    """Return how many nodes each subtree has, itself included."""
    sizes = [1] * len(tree.kind)
    for node in range(len(sizes) - 1, -1, -1):
        sizes[node] += sum(sizes[child] for child in _children(tree, node))
    return sizes


def _styles(tree: BettingTree) -> dict[int, ActionStyle]:
    """Return the style of the action that leads to each node."""
    styles = {}
    for node in range(len(tree.kind)):
        if tree.kind[node] == DECISION:
            kids = _children(tree, node)
            labels = [tree.action[child] for child in kids]
            all_in = [
                action_amount(label) is not None and int(tree.action_total[child]) >= tree.all_in_total
                for label, child in zip(labels, kids, strict=True)
            ]
            for style in action_styles(labels, all_in):
                styles[kids[style.index]] = style
    return styles


def _share(frequencies: Floats | None, node: int) -> float | None:
    if frequencies is None or not np.isfinite(frequencies[node]):
        return None
    return float(frequencies[node])


def _pot(tree: BettingTree, node: int) -> float:
    return float(tree.contributions[node].sum())


def _ends(tree: BettingTree, node: int, shown: _Shown) -> bool:
    return node in shown.cut or int(tree.num_children[node]) == 0


def _end_text(tree: BettingTree, node: int, sizes: Sequence[int]) -> str:
    pot = chips_text(_pot(tree, node))
    if tree.kind[node] == FOLDED:
        return f"player {1 - int(tree.actor[node])} takes {pot}"
    if tree.kind[node] == SHOWDOWN:
        return f"showdown, pot {pot}"
    if tree.kind[node] == CHANCE:
        count = sizes[node] - 1
        return f"deal, pot {pot}, {count:,} node{'' if count == 1 else 's'} follow{'s' if count == 1 else ''}"
    return f"street over, pot {pot}"


# --- drawing ---


def _half_width(tree: BettingTree, shown: _Shown) -> float:
    """Return half the width that the widest pot needs inside a decision node."""
    pots = [chips_text(_pot(tree, n)) for n in shown.nodes if tree.kind[n] == DECISION]
    return max([RADIUS, *(text_width(pot, 11) / 2 + 5 for pot in pots)])


def _edge_width(tree: BettingTree, shown: _Shown, frequencies: Floats | None) -> float:
    longest = 0.0
    for node in shown.nodes:
        share = _share(frequencies, node)
        label = tree.action[node] + ("" if share is None else "  " + percent_text(share))
        longest = max(longest, text_width(label, 11.5))
    return longest + 34


def _edge(
    drawing: Drawing,
    half: float,
    start: tuple[float, float],
    end: tuple[float, float],
    label: str,
    style: ActionStyle | None,
    share: float | None,
) -> None:
    colour = blend(style.colour, INK, 0.12) if style is not None else SOFT_INK
    thickness = 1.6 if share is None else 0.8 + 5.0 * share
    bend = start[0] + half + 14
    drawing.path([start, (start[0] + half, start[1]), (bend, end[1]), end], stroke=colour, width=thickness)
    text = label + ("" if share is None else f"  {percent_text(share)}")
    if text:
        drawing.text(bend + 4, end[1] - 4 - thickness / 2, text, size=11.5, halo=PAPER)


def _node(
    drawing: Drawing,
    half: float,
    tree: BettingTree,
    node: int,
    place: tuple[float, float],
    sizes: Sequence[int],
    ends: bool,
    locked: bool,
) -> None:
    x, y = place
    kind = int(tree.kind[node])
    if kind == DECISION:
        colour = PLAYER_COLOURS[int(tree.actor[node])]
        pot = chips_text(_pot(tree, node))
        if locked:
            wide, high = 2 * half + 6, 2 * RADIUS + 6
            drawing.rect(
                x - wide / 2, y - high / 2, wide, high, PAPER, stroke=INK, radius=RADIUS + 2.9, stroke_width=1.6
            )
        drawing.rect(x - half, y - RADIUS, 2 * half, 2 * RADIUS, colour, radius=RADIUS - 0.1)
        drawing.text(x, y + 4, pot, size=11, anchor="middle", fill=ink_on(colour))
        drawing.hint(
            x - half,
            y - RADIUS,
            2 * half,
            2 * RADIUS,
            f"player {int(tree.actor[node])}, pot {pot}" + (", locked" if locked else ""),
        )
        return
    small = 6.0
    if kind == FOLDED:
        drawing.rect(x - small, y - small, 2 * small, 2 * small, FOLD)
    elif kind == SHOWDOWN:
        corners = [(x - small - 1, y), (x, y - small - 1), (x + small + 1, y), (x, y + small + 1)]
        drawing.path(corners, fill=CALL, stroke=SOFT_INK, width=0.8)
    else:
        drawing.rect(x - small, y - small, 2 * small, 2 * small, PAPER, stroke=SOFT_INK, radius=3, stroke_width=1.4)
    if ends:
        drawing.text(x + small + 8, y + 4, _end_text(tree, node, sizes), size=12, fill=SOFT_INK)


def _key(drawing: Drawing, names: tuple[str, str], locked: bool) -> None:
    x = 24.0
    for player, name in enumerate(names):
        drawing.rect(x, 45, 12, 12, PLAYER_COLOURS[player], radius=5.9)
        drawing.text(x + 18, 55, name, size=11.5, fill=SOFT_INK)
        x += 18 + text_width(name, 11.5) + 16
    drawing.text(
        x, 55, "number in a node: the pot" + ("; with a ring: locked" if locked else ""), size=11.5, fill=SOFT_INK
    )
    drawing.path([(24, 66), (drawing.width - 20, 66)], stroke=RULE)
