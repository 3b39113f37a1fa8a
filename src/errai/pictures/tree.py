"""Pictures of a betting tree: a drawing from left to right, and a tree of text for the terminal.

By default only the first street is drawn, with a stub for the subtree after a deal, because later streets are repeated
many times; ``streets`` draws more.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from errai.console import counted
from errai.errors import InputError
from errai.pictures.canvas import Drawing, text_width
from errai.pictures.nodes import action_text, chips_text, percent_text
from errai.pictures.palette import (
    CALL,
    FOLD,
    INK,
    PAPER,
    RGB,
    RULE,
    SOFT_INK,
    ActionStyle,
    action_styles,
    blend,
    ink_on,
)
from errai.solutions.node import Floats
from errai.tree.lines import percents_of

if TYPE_CHECKING:
    from errai.tree.betting_tree import BettingTree

DECISION, FOLDED, SHOWDOWN, CHANCE, LEAF = range(5)

PLAYER_COLOURS: tuple[RGB, RGB] = ((52, 62, 78), (176, 116, 20))
SLOT = 30.0
HEADER = 78.0
RADIUS = 11.0
SMALL = 6.0
"""Half the side of a node at which nobody acts."""
MOST_NODES = 400

PLAYERS = ("player 0", "player 1")
"""What the players are called if nothing else is said."""

Point = tuple[float, float]


def tree_drawing(
    tree: BettingTree,
    *,
    frequencies: Floats | None = None,
    streets: int = 1,
    max_nodes: int = MOST_NODES,
    title: str = "",
    names: tuple[str, str] = PLAYERS,
    locked: Collection[int] = (),
    pot_shares: bool = False,
) -> Drawing:
    """Draw a betting tree from left to right.

    ``frequencies``, float64[N], is for each node how often the action that leads to it is chosen at its parent; NaN
    where unknown.  What follows the first ``streets`` is a stub with its number of nodes.  ``locked`` are nodes at
    which hands are locked, to be marked; with ``pot_shares`` a bet says what it is in per cent of the pot.  Raises
    :class:`InputError` if there would be more than ``max_nodes`` nodes, or ``frequencies`` has the wrong length.
    """
    shown = _Shown(tree, frequencies, streets, max_nodes, names, locked, pot_shares)
    slots: dict[int, float] = {}
    free = 0
    for node in reversed(shown.nodes):
        kids = shown.children(node)
        if kids:
            slots[node] = (slots[kids[0]] + slots[kids[-1]]) / 2
        else:
            slots[node] = -float(free)
            free += 1
    top = min(slots.values())
    # Half of what the widest pot needs inside a decision.
    pots = [chips_text(shown.pot(n)) for n in shown.nodes if tree.kind[n] == DECISION]
    half = max([RADIUS, *(text_width(pot, 11) / 2 + 5 for pot in pots)])
    edge = max(text_width(shown.action_text(n), 11.5) for n in shown.nodes) + 34 + 2 * half
    tail = max((text_width(shown.end_text(n), 12) for n in shown.nodes if not shown.children(n)), default=0.0)
    width = max(30 + half + max(shown.depth.values()) * edge + 24 + tail + 20, 420.0)
    drawing = Drawing(width, HEADER + (free - 1) * SLOT + 50, description=title or "Betting tree")
    drawing.text(24, 30, title or "Betting tree", size=16, bold=True)
    _key(drawing, names, bool(set(shown.nodes) & set(locked)))
    places = {n: (24 + half + shown.depth[n] * edge, HEADER + 14 + (slots[n] - top) * SLOT) for n in shown.nodes}
    for node in shown.nodes:
        for child, style in zip(shown.children(node), shown.styles(node), strict=True):
            _edge(drawing, half, places[node], places[child], shown, child, style)
    for node in shown.nodes:
        if tree.kind[node] == DECISION:
            _decision(drawing, half, places[node], shown, node)
        else:
            _event(drawing, places[node], shown, node)
    return drawing


def tree_text(
    tree: BettingTree,
    *,
    frequencies: Floats | None = None,
    streets: int = 1,
    max_nodes: int = MOST_NODES,
    ascii_only: bool = False,
    names: tuple[str, str] = PLAYERS,
    locked: Collection[int] = (),
    pot_shares: bool = False,
) -> str:
    """Return a betting tree as lines of text; options and errors as for :func:`tree_drawing`."""
    shown = _Shown(tree, frequencies, streets, max_nodes, names, locked, pot_shares)
    fork, last, through = ("|-- ", "`-- ", "|   ") if ascii_only else ("├── ", "└── ", "│   ")
    lines: list[str] = []
    stack: list[tuple[int, str, str]] = [(0, "", "")]
    while stack:
        node, lead, below = stack.pop()
        kids = shown.children(node)
        share = shown.share(node)
        words = [word for word in (shown.name(node), "" if share is None else percent_text(share)) if word]
        if kids and tree.kind[node] == DECISION:
            mark = ", locked" if node in locked else ""
            words.append(f"({names[int(tree.actor[node])]}, pot {chips_text(shown.pot(node))}{mark})")
        elif kids:
            words.append(f"(deal, pot {chips_text(shown.pot(node))})")
        else:
            words.append(("-> " if ascii_only else "→ ") + shown.end_text(node))
        lines.append(lead + " ".join(words))
        for child in reversed(kids):
            final = child == kids[-1]
            stack.append((child, below + (last if final else fork), below + ("    " if final else through)))
    return "\n".join(lines) + "\n"


class _Shown:
    """The nodes of a tree that are drawn, depth first, with their depths; parameters are those of the pictures."""

    def __init__(
        self,
        tree: BettingTree,
        frequencies: Floats | None,
        streets: int,
        max_nodes: int,
        names: tuple[str, str],
        locked: Collection[int],
        pot_shares: bool,
    ) -> None:
        if streets < 1:
            raise InputError(f"At least one street must be drawn, not {streets}.")
        if streets > tree.num_streets:
            raise InputError(f"The tree has {counted(tree.num_streets, 'street')}, so {streets} cannot be drawn.")
        if frequencies is not None and np.shape(frequencies) != (len(tree.kind),):
            raise InputError(
                f"frequencies must have a number for each of the {len(tree.kind)} nodes, not the shape "
                f"{np.shape(frequencies)}."
            )
        self.tree, self.frequencies, self.streets, self.names, self.locked = tree, frequencies, streets, names, locked
        self.pot_shares = pot_shares
        self.nodes: list[int] = []
        self.depth = {0: 0}
        stack = [0]
        while stack:
            node = stack.pop()
            self.nodes.append(node)
            if len(self.nodes) > max_nodes:
                raise InputError(
                    f"The picture would show more than {max_nodes} nodes; draw fewer streets (now {streets}) "
                    "or allow more nodes."
                )
            for child in reversed(self.children(node)):
                self.depth[child] = self.depth[node] + 1
                stack.append(child)

    def children(self, node: int) -> range:
        """Return the children that are drawn: none after the last street."""
        if self.tree.kind[node] == CHANCE and int(self.tree.street[node]) + 1 >= self.streets:
            return range(0)
        return self._all_children(node)

    def _all_children(self, node: int) -> range:
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.num_children[node]))

    @cached_property
    def _sizes(self) -> list[int]:
        """How many nodes each subtree has, itself included."""
        sizes = [1] * len(self.tree.kind)
        for node in reversed(range(len(sizes))):
            sizes[node] += sum(sizes[child] for child in self._all_children(node))
        return sizes

    def styles(self, node: int) -> list[ActionStyle | None]:
        """Return the styles of the actions that lead to the children of a node; None where a card is dealt."""
        kids = self.children(node)
        if self.tree.kind[node] != DECISION:
            return [None] * len(kids)
        labels, all_in = [self.tree.action[child] for child in kids], [self.tree.is_all_in(child) for child in kids]
        shares = [self.tree.share(child) if self.pot_shares else None for child in kids]
        return [*sorted(action_styles(labels, all_in, percents_of(shares)), key=attrgetter("index"))]

    def share(self, node: int) -> float | None:
        """Return how often the action that leads to a node is chosen, None if that is unknown."""
        if self.frequencies is None or not np.isfinite(self.frequencies[node]):
            return None
        return float(self.frequencies[node])

    def action_text(self, node: int) -> str:
        """Return the action that leads to a node, and how often it is chosen."""
        share = self.share(node)
        return self.name(node) + ("" if share is None else f"  {percent_text(share)}")

    def name(self, node: int) -> str:
        """Return the action that leads to a node, a bet or raise with its share of the pot."""
        of_pot = self.tree.share(node) if self.pot_shares and node else None
        return action_text(self.tree.action[node], of_pot)

    def pot(self, node: int) -> float:
        """Return the chips in the pot at a node."""
        return float(self.tree.contributions[node].sum())

    def end_text(self, node: int) -> str:
        """Return what happens at a node of which no children are drawn."""
        pot, kind = chips_text(self.pot(node)), self.tree.kind[node]
        if kind == FOLDED:
            first, second = self.tree.contributions[node]
            back = abs(float(first) - float(second))
            returned = f", and {chips_text(back)} is returned" if back else ""
            return f"{self.names[1 - int(self.tree.actor[node])]} takes {chips_text(self.pot(node) - back)}{returned}"
        if kind == SHOWDOWN:
            return f"showdown, pot {pot}"
        if kind == CHANCE:
            count = self._sizes[node] - 1
            return f"deal, pot {pot}, {count:,} node{'' if count == 1 else 's'} follow{'s' if count == 1 else ''}"
        return f"street over, pot {pot}"


def _edge(
    drawing: Drawing, half: float, start: Point, end: Point, shown: _Shown, child: int, style: ActionStyle | None
) -> None:
    share, text = shown.share(child), shown.action_text(child)
    colour = blend(style.colour, INK, 0.12) if style is not None else SOFT_INK
    thickness = 1.6 if share is None else 0.8 + 5.0 * share
    bend = start[0] + half + 14
    drawing.path([start, (start[0] + half, start[1]), (bend, end[1]), end], stroke=colour, width=thickness)
    if text:
        drawing.text(bend + 4, end[1] - 4 - thickness / 2, text, size=11.5, halo=PAPER)


def _decision(drawing: Drawing, half: float, place: Point, shown: _Shown, node: int) -> None:
    (x, y), player, locked = place, int(shown.tree.actor[node]), node in shown.locked
    pot = chips_text(shown.pot(node))
    if locked:
        wide, high = 2 * half + 6, 2 * RADIUS + 6
        ring = RADIUS + 2.9
        drawing.rect(x - wide / 2, y - high / 2, wide, high, PAPER, stroke=INK, radius=ring, stroke_width=1.6)
    colour = PLAYER_COLOURS[player]
    drawing.rect(x - half, y - RADIUS, 2 * half, 2 * RADIUS, colour, radius=RADIUS - 0.1)
    drawing.text(x, y + 4, pot, size=11, anchor="middle", fill=ink_on(colour))
    hint = f"{shown.names[player]}, pot {pot}" + (", locked" if locked else "")
    drawing.hint(x - half, y - RADIUS, 2 * half, 2 * RADIUS, hint)


def _event(drawing: Drawing, place: Point, shown: _Shown, node: int) -> None:
    """Draw a node at which nobody acts."""
    (x, y), kind = place, shown.tree.kind[node]
    if kind == SHOWDOWN:
        corners = [(x - SMALL - 1, y), (x, y - SMALL - 1), (x + SMALL + 1, y), (x, y + SMALL + 1)]
        drawing.path(corners, fill=CALL, stroke=SOFT_INK, width=0.8)
    elif kind == FOLDED:
        drawing.rect(x - SMALL, y - SMALL, 2 * SMALL, 2 * SMALL, FOLD)
    else:
        drawing.rect(x - SMALL, y - SMALL, 2 * SMALL, 2 * SMALL, PAPER, stroke=SOFT_INK, radius=3, stroke_width=1.4)
    if not shown.children(node):
        drawing.text(x + SMALL + 8, y + 4, shown.end_text(node), size=12, fill=SOFT_INK)


def _key(drawing: Drawing, names: tuple[str, str], locked: bool) -> None:
    x = 24.0
    for player, name in enumerate(names):
        drawing.rect(x, 45, 12, 12, PLAYER_COLOURS[player], radius=5.9)
        drawing.text(x + 18, 55, name, size=11.5, fill=SOFT_INK)
        x += 18 + text_width(name, 11.5) + 16
    meaning = "number in a node: the pot" + ("; with a ring: locked" if locked else "")
    drawing.text(x, 55, meaning, size=11.5, fill=SOFT_INK)
    drawing.path([(24, 66), (drawing.width - 20, 66)], stroke=RULE)
