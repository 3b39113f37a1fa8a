"""Charts of the first street as in Bowling et al. 2015, figure 4: red fold, blue check or call, green bet or raise.

All sizes of bets and raises are summed.  The grid is that of :mod:`errai.pictures.grid` with the ranks of the deck;
this module reduces a node's actions to three, and greys hands that are hardly ever there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from errai.errors import InputError, LineError
from errai.pictures.canvas import Drawing
from errai.pictures.grid import state_text, summary_drawing
from errai.pictures.nodes import chips_text
from errai.pictures.palette import CHART_CALL, CHART_FOLD, CHART_RAISE, ActionStyle
from errai.pictures.summary import HandSummary, summarise
from errai.solutions.node import SolutionNode

KINDS = ("fold", "call", "raise")
COLOURS = (CHART_FOLD, CHART_CALL, CHART_RAISE)
LETTERS = "FCR"

NEGLIGIBLE = 0.005
"""Hands whose weight at a node is below this part of the greatest weight are greyed."""


def three_actions(node: SolutionNode) -> HandSummary:
    """Gather a node's hands into the classes of the grid, and its actions into fold, call and raise.

    Raises :class:`LineError` if no player acts at the node, and :class:`InputError` if hands are not of two cards.
    """
    if node.player is None:
        where = f"after '{node.line}'" if node.line else "at the root"
        raise LineError(f"No player acts {where}: {state_text(node)} A chart shows a decision.")
    summary = summarise(node)
    if not summary.is_grid:
        raise InputError("A chart is a grid of hands of two cards; `errai show` draws hands of one card.")
    kinds = [_kind(action) for action in node.actions]

    def together(shares: Sequence[float]) -> tuple[float, ...]:
        return tuple(sum(s for s, k in zip(shares, kinds, strict=True) if k == kind) for kind in range(len(KINDS)))

    classes = tuple(
        replace(c, shares=together(c.shares), action_ev_chips=()) if c.shares else c for c in summary.classes
    )
    return replace(
        summary,
        styles=chart_styles(node),
        actions=KINDS,
        frequencies=together(summary.frequencies),
        classes=classes,
        action_ev_chips=(),
    )


def chart_summary(node: SolutionNode) -> HandSummary:
    """Return :func:`three_actions` without those of hands that hardly ever get here, which greys these hands."""
    summary = three_actions(node)
    least = NEGLIGIBLE * summary.full_weight
    return replace(summary, classes=tuple(c if c.weight > least else replace(c, shares=()) for c in summary.classes))


def chart_drawing(node: SolutionNode, *, title: str = "", mixed: bool = False, notes: Sequence[str] = ()) -> Drawing:
    """Draw the chart of a node; errors as :func:`three_actions`.

    ``mixed`` gives each cell one mixed colour, as the paper does, instead of stripes; ``notes`` are in the panel.
    """
    summary = chart_summary(node)
    if any(not c.shares and c.combos for c in summary.classes):
        notes = [f"Grey: at most {NEGLIGIBLE:.1%} of the full weight.", *notes]
    return summary_drawing(summary, title=title, line=line_text(node), mixed=mixed, notes=notes)


def chart_dict(node: SolutionNode, chips_per_big_blind: float | None) -> dict[str, Any]:
    """Return the chart of a node as plain values that JSON can hold.

    Keys: ``line``, ``player``, ``pot_chips``, ``to_call_chips``, ``actions``, ``frequencies`` (fold, call and raise
    over all pairs of hands that get here; null if none does), and ``hands``, one entry a class: ``hand``,
    ``combos``, ``weight`` (mean reach), ``fold``, ``call``, ``raise`` (null if it never gets here), ``ev_mbb`` (null
    also without a big blind).  Errors as :func:`three_actions`.
    """
    summary = three_actions(node)
    return {
        "line": node.line,
        "player": node.player,
        "pot_chips": float(node.pot_chips),
        "to_call_chips": float(node.to_call_chips),
        "actions": list(node.actions),
        "frequencies": {k: f if f == f else None for k, f in zip(KINDS, summary.frequencies, strict=True)},
        "hands": [
            {
                "hand": item.label,
                "combos": item.combos,
                "weight": item.weight,
                **dict(zip(KINDS, item.shares or (None,) * len(KINDS), strict=True)),
                "ev_mbb": None
                if item.ev_chips is None or chips_per_big_blind is None
                else 1000.0 * item.ev_chips / chips_per_big_blind,
            }
            for item in summary.classes
        ],
    }


def chart_styles(node: SolutionNode) -> tuple[ActionStyle, ...]:
    """Return the styles of the kinds of actions that a node has, most aggressive first."""
    styles = []
    for kind in reversed(range(len(KINDS))):
        labels = [action for action in node.actions if _kind(action) == kind]
        if labels:
            label = labels[0] if len(labels) == 1 else f"{labels[0].split()[0]}, {len(labels)} sizes"
            styles.append(ActionStyle(label, COLOURS[kind], LETTERS[kind], kind))
    return tuple(styles)


def line_text(node: SolutionNode) -> str:
    """Return the line, the pot and the chips to call as a sentence."""
    call = f", {chips_text(node.to_call_chips)} to call" if node.to_call_chips > 0 else ""
    return f"{'After: ' + node.line if node.line else 'First action'}  (pot {chips_text(node.pot_chips)}{call})"


def _kind(action: str) -> int:
    if action == "fold":
        return 0
    return 1 if action in ("check", "call") else 2
