"""A node as data: a dictionary for JSON, and a CSV table."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np

from errai.solutions.node_view import NodeView

CSV_COLUMNS = ("hand", "weight_0", "weight_1", "ev_0_chips", "ev_1_chips")


def node_dict(node: NodeView) -> dict[str, Any]:
    """Return a node as plain Python values that JSON can hold.

    Keys: ``line``, ``board``, ``kind``, ``player`` (null where nobody acts), ``player_name``,
    ``pot_chips``, ``to_call_chips``, ``stacks_chips`` (two), ``actions``, ``frequencies`` (one an action),
    and ``hands``, one entry for every hand that a player may hold here: ``hand``, ``weights`` (reach of
    player 0 and 1), ``ev_chips`` (player 0 and 1, null for a player who cannot hold it), ``strategy``
    (frequency by action; null where the acting player cannot hold it).
    """
    return {
        "line": node.line,
        "board": node.board_text,
        "kind": node.kind,
        "player": node.player,
        "player_name": node.player_name,
        "pot_chips": float(node.pot_chips),
        "to_call_chips": float(node.to_call_chips),
        "stacks_chips": [float(s) for s in node.stacks_chips],
        "actions": list(node.actions),
        "frequencies": [_number(f) for f in node.frequencies] if node.actions else [],
        "hands": [hand_dict(node, i) for i in live_hands(node)],
    }


def hand_dict(node: NodeView, index: int) -> dict[str, Any]:
    """Return one hand of a node, by its index, as an entry of ``hands`` of :func:`node_dict`."""
    strategy = None
    if node.actions and np.isfinite(node.strategies[index]).all():
        strategy = {action: float(p) for action, p in zip(node.actions, node.strategies[index], strict=True)}
    return {
        "hand": node.hands[index],
        "weights": [float(node.ranges[0, index]), float(node.ranges[1, index])],
        "ev_chips": [_number(node.ev[0, index]), _number(node.ev[1, index])],
        "strategy": strategy,
    }


def node_csv(node: NodeView) -> str:
    """Return a node as CSV text, one row for every hand that a player may hold here.

    Columns: ``hand``; ``weight_0`` and ``weight_1``, reach of each player; ``ev_0_chips`` and
    ``ev_1_chips``, empty for a player who cannot hold the hand; then one column for each action, headed by
    its label, with its frequency, empty where the acting player cannot hold the hand.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*CSV_COLUMNS, *node.actions])
    for i in live_hands(node):
        values = [node.ranges[0, i], node.ranges[1, i], node.ev[0, i], node.ev[1, i]]
        if node.actions:
            values.extend(node.strategies[i])
        writer.writerow([node.hands[i], *("" if not math.isfinite(v) else repr(float(v)) for v in values)])
    return buffer.getvalue()


def live_hands(node: NodeView) -> list[int]:
    """Return the indices of hands that a player may hold at a node: some reach, or a known ev."""
    known = (np.asarray(node.ranges) > 0) | np.isfinite(np.asarray(node.ev))
    return [int(i) for i in np.flatnonzero(known.any(axis=0))]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
