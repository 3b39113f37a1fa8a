"""Charts of the first street as in Bowling et al. 2015, figure 4: red fold, blue check or call, green bet or raise.

Where there are several sizes to raise, each has a shade of green of its own, darker for larger ones.  The grid is that
of :mod:`errai.pictures.grid` with the ranks of the deck; this module puts a node's actions in the chart's order and
colours, and greys hands that are hardly ever there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from errai.errors import InputError, LineError
from errai.pictures.canvas import Drawing
from errai.pictures.grid import state_text, summary_drawing
from errai.pictures.nodes import chips_text
from errai.pictures.palette import (
    CHART_CALL,
    CHART_FOLD,
    CHART_LARGEST,
    CHART_RAISE,
    CHART_SMALLEST,
    ActionStyle,
    blend,
)
from errai.pictures.summary import HandSummary, summarise
from errai.solutions.node import SolutionNode

KINDS = ("fold", "call", "raise")
RAISE = 2
COLOURS = (CHART_FOLD, CHART_CALL, CHART_RAISE)
LETTERS = "FCR"

NEGLIGIBLE = 0.005
"""Hands whose weight at a node is below this part of the greatest weight are greyed."""


def chart_hands(node: SolutionNode) -> HandSummary:
    """Gather a node's hands into the classes of the grid, with the colours of charts.

    Raises :class:`LineError` if no player acts at the node, and :class:`InputError` if hands are not of two cards.
    """
    if node.player is None:
        where = f"after '{node.line}'" if node.line else "at the root"
        raise LineError(f"No player acts {where}: {state_text(node)} A chart shows a decision.")
    summary = summarise(node)
    if not summary.is_grid:
        raise InputError("A chart is a grid of hands of two cards; `errai show` draws hands of one card.")
    classes = tuple(replace(c, action_ev_chips=()) if c.shares else c for c in summary.classes)
    return replace(summary, styles=chart_styles(node), classes=classes, action_ev_chips=())


def by_kind(node: SolutionNode, shares: Sequence[float]) -> tuple[float, ...]:
    """Return the shares of the three ``KINDS`` from those of a node's actions: all sizes to raise are summed."""
    kinds = [_kind(action) for action in node.actions]
    return tuple(sum(s for s, k in zip(shares, kinds, strict=True) if k == kind) for kind in range(len(KINDS)))


def chart_summary(node: SolutionNode) -> HandSummary:
    """Return :func:`chart_hands` without those of hands that hardly ever get here, which greys these hands."""
    summary = chart_hands(node)
    least = NEGLIGIBLE * summary.full_weight
    return replace(summary, classes=tuple(c if c.weight > least else replace(c, shares=()) for c in summary.classes))


def chart_drawing(node: SolutionNode, *, title: str = "", mixed: bool = False, notes: Sequence[str] = ()) -> Drawing:
    """Draw the chart of a node; errors as :func:`chart_hands`.

    ``mixed`` gives each cell one mixed colour, as the paper does, instead of stripes; ``notes`` are in the panel.
    """
    summary = chart_summary(node)
    if any(not c.shares and c.combos for c in summary.classes):
        notes = [f"Grey: at most {NEGLIGIBLE:.1%} of the full weight.", *notes]
    return summary_drawing(summary, title=title, line=line_text(node), mixed=mixed, notes=notes)


def chart_dict(node: SolutionNode, chips_per_big_blind: float | None) -> dict[str, Any]:
    """Return the chart of a node as plain values that JSON can hold.

    Keys: ``line``, ``player``, ``pot_chips``, ``to_call_chips``, ``actions``, ``frequencies`` (fold, call and raise
    over all pairs of hands that get here; null if none does), ``action_frequencies`` (by action, so that sizes to raise
    are apart), and ``hands``, one entry a class: ``hand``, ``combos``, ``weight`` (mean reach), ``fold``, ``call``,
    ``raise`` (null if it never gets here), ``strategy`` (by action, null likewise), ``ev_mbb`` (null also without a big
    blind).  Errors as :func:`chart_hands`.
    """
    summary = chart_hands(node)
    kinds = by_kind(node, summary.frequencies)
    return {
        "line": node.line,
        "player": node.player,
        "pot_chips": float(node.pot_chips),
        "to_call_chips": float(node.to_call_chips),
        "actions": list(node.actions),
        "frequencies": {k: f if f == f else None for k, f in zip(KINDS, kinds, strict=True)},
        "action_frequencies": {
            a: f if f == f else None for a, f in zip(node.actions, summary.frequencies, strict=True)
        },
        "hands": [
            {
                "hand": item.label,
                "combos": item.combos,
                "weight": item.weight,
                **dict(zip(KINDS, by_kind(node, item.shares) if item.shares else (None,) * len(KINDS), strict=True)),
                "strategy": dict(zip(node.actions, item.shares, strict=True)) if item.shares else None,
                "ev_mbb": None
                if item.ev_chips is None or chips_per_big_blind is None
                else 1000.0 * item.ev_chips / chips_per_big_blind,
            }
            for item in summary.classes
        ],
    }


def chart_styles(node: SolutionNode) -> tuple[ActionStyle, ...]:
    """Return the styles of a node's actions, most aggressive first."""
    sizes = [i for i, action in enumerate(node.actions) if _kind(action) == RAISE]
    styles = []
    for i, action in enumerate(node.actions):
        kind, colour, letter = _kind(action), COLOURS[_kind(action)], LETTERS[_kind(action)]
        if kind == RAISE and len(sizes) > 1:
            place = sizes.index(i)
            colour = blend(CHART_SMALLEST, CHART_LARGEST, place / (len(sizes) - 1))
            letter = "A" if node.all_in[i] else str(place + 1)[-1]
        styles.append(
            ActionStyle(f"{action}, all-in" if kind == RAISE and node.all_in[i] else action, colour, letter, i)
        )
    return tuple(sorted(styles, key=lambda style: (-_kind(node.actions[style.index]), -style.index)))


def line_text(node: SolutionNode) -> str:
    """Return the line, the pot and the chips to call as a sentence."""
    call = f", {chips_text(node.to_call_chips)} to call" if node.to_call_chips > 0 else ""
    return f"{'After: ' + node.line if node.line else 'First action'}  (pot {chips_text(node.pot_chips)}{call})"


def _kind(action: str) -> int:
    if action == "fold":
        return 0
    return 1 if action in ("check", "call") else RAISE
