"""A node as data: a dictionary for JSON, and a CSV table."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from errai.solutions.node import Floats, SolutionNode

if TYPE_CHECKING:
    from errai.solutions.node import SolutionNode

CSV_COLUMNS = (
    "hand",
    *(f"weight_{p}" for p in (0, 1)),
    *(f"ev_{p}_chips" for p in (0, 1)),
    *(f"equity_{p}" for p in (0, 1)),
    *(f"equity_realised_{p}" for p in (0, 1)),
)


def node_dict(node: SolutionNode) -> dict[str, Any]:
    """Return a node as plain Python values that JSON can hold.

    Keys: ``line``, ``board``, ``kind``, ``player`` (null where no player acts), ``player_name``,
    ``pot_chips``, ``to_call_chips``, ``stacks_chips`` (two, null without a limit), ``actions``, ``frequencies`` and
    ``action_ev_chips`` (one an action), ``ev_chips``, ``equity`` and ``equity_realised`` of the ranges (player 0 and
    1), ``reached`` (a probability) and ``unconverged`` (a fraction of the pot, null where it is not known), and
    ``hands``, one entry for every hand that a player may hold here, as :func:`hand_dict` makes it.
    """
    return {
        "line": node.line,
        "board": node.board_text,
        "kind": node.kind,
        "player": node.player,
        "player_name": node.player_name,
        "pot_chips": float(node.pot_chips),
        "to_call_chips": float(node.to_call_chips),
        "stacks_chips": numbers_for_json(np.array(node.stacks_chips)),
        "actions": list(node.actions),
        "frequencies": numbers_for_json(node.frequencies) if node.actions else [],
        **range_dict(node),
        "reached": float(node.reached),
        "unconverged": numbers_for_json(np.array([node.unconverged]))[0],
        "hands": [hand_dict(node, i) for i in live_hands(node)],
    }


def node_document(node: SolutionNode, precision: str) -> dict[str, Any]:
    """Return :func:`node_dict` with what a file says besides.

    That is the ``precision`` of the solution, ``deals`` where a card is dealt, and ``locked`` if something is locked.
    """
    document = {**node_dict(node), "precision": precision}
    if node.kind == "chance":
        document["deals"] = list(node.children)
    if node.locked:
        document["locked"] = node.locked
    return document


def range_dict(node: SolutionNode) -> dict[str, Any]:
    """Return the EVs and equities of the ranges and actions of a node: keys of :func:`node_dict`, null if not known."""
    return {
        "action_ev_chips": numbers_for_json(node.range_action_ev) if node.actions else [],
        "ev_chips": numbers_for_json(node.range_ev),
        "equity": numbers_for_json(node.range_equity),
        "equity_realised": numbers_for_json(node.range_equity_realised),
    }


def hand_dict(node: SolutionNode, index: int) -> dict[str, Any]:
    """Return one hand of a node, by its index, as an entry of ``hands`` of :func:`node_dict`.

    Keys: ``hand``; ``weights`` (reach), ``ev_chips``, ``equity`` and ``equity_realised`` of player 0 and 1, null for a
    player who cannot hold it; ``strategy`` (frequency by action) and ``action_ev_chips`` (by action), null where the
    acting player cannot hold it.
    """
    return {
        "hand": node.hands[index],
        "weights": [float(node.ranges[0, index]), float(node.ranges[1, index])],
        "ev_chips": numbers_for_json(node.ev[:, index]),
        "equity": numbers_for_json(node.equity[:, index]),
        "equity_realised": numbers_for_json(node.equity_realised[:, index]),
        "strategy": _by_action(node, node.strategies[index]),
        "action_ev_chips": _by_action(node, node.action_ev[index]),
    }


def node_csv(node: SolutionNode) -> str:
    """Return a node as CSV text, one row for every hand that a player may hold here, and a last one for the ranges.

    Columns: ``hand``; of each player ``weight_0``, ``ev_0_chips``, ``equity_0`` and ``equity_realised_0``, empty for a
    player who cannot hold the hand; one column for each action, headed by its label, with its frequency, and one headed
    by the label and ``ev_chips`` with its EV, empty where the acting player cannot hold the hand.  The row ``range``
    has the sums of the weights, and means over all pairs of hands.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*CSV_COLUMNS, *node.actions, *(f"{action} ev_chips" for action in node.actions)])
    shown = live_hands(node)
    of_players = np.concatenate([node.ranges, node.ev, node.equity, node.equity_realised]).T
    of_ranges = [node.ranges.sum(axis=1), node.range_ev, node.range_equity, node.range_equity_realised]
    of_actions, in_all = [np.empty((len(node.hands), 0))], [np.empty(0)]
    if node.actions:
        of_actions, in_all = [node.strategies, node.action_ev], [node.frequencies, node.range_action_ev]
    rows = np.concatenate([of_players, *of_actions], axis=1)[shown].tolist()
    rows.append(np.concatenate([*of_ranges, *in_all]).tolist())
    for name, row in zip((*(node.hands[i] for i in shown), "range"), rows, strict=True):
        writer.writerow([name, *("" if not math.isfinite(v) else repr(v) for v in row)])
    return buffer.getvalue()


def live_hands(node: SolutionNode) -> list[int]:
    """Return the indices of hands that a player may hold at a node: some reach, or a known ev."""
    known = (np.asarray(node.ranges) > 0) | np.isfinite(np.asarray(node.ev))
    return [int(i) for i in np.flatnonzero(known.any(axis=0))]


def _by_action(node: SolutionNode, values: Floats) -> dict[str, float] | None:
    if not node.actions or not np.isfinite(values).all():
        return None
    return {action: float(value) for action, value in zip(node.actions, values, strict=True)}


def number_for_json(value: float) -> float | None:
    """Return a number for JSON, which has no NaN: None stands for what is not finite."""
    return float(value) if math.isfinite(value) else None


def numbers_for_json(values: Iterable[float]) -> list[float | None]:
    """Return numbers as :func:`number_for_json` does."""
    return [number_for_json(value) for value in values]
