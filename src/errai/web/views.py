"""A node of a solution as the page needs it: arrays by hand, the way that led to it, and the certificate.

Every number is one of the public interface, rounded to six significant digits; null stands for NaN.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errai.cluster.reading import StoredSolution
from errai.games.hand import rules_of
from errai.games.spot import Spot
from errai.games.streets import street_name
from errai.pictures.certificate import certificate_text, is_read_in_parts
from errai.pictures.export import live_hands
from errai.pictures.nodes import split_cards
from errai.pictures.palette import hex_colour, is_all_in, node_styles
from errai.solutions.node import SolutionNode
from errai.web.library import Opened

DIGITS = 6


def rounded(values: ArrayLike) -> Any:
    """Round numbers to six significant digits, and return them as lists of floats, with None for NaN."""
    given = np.asarray(values, dtype=np.float64)
    known = np.isfinite(given) & (given != 0.0)
    exponent = np.zeros(given.shape)
    exponent[known] = np.floor(np.log10(np.abs(given[known])))
    places = np.clip(DIGITS - 1 - exponent, -300.0, 300.0)
    scale = 10.0 ** np.abs(places)
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.where(places >= 0, np.round(given * scale) / scale, np.round(given / scale) * scale)
    boxed = np.where(np.isfinite(given), found, 0.0).astype(object)
    boxed[~np.isfinite(given)] = None
    return boxed.tolist()


def certificate_view(solution: Any) -> dict[str, Any]:
    """Return the certificate of a solution; chips, mbb and per cent are None where there is none."""
    known = not (isinstance(solution, StoredSolution) and solution.certificate is None)
    found = solution.exploitability if known else None
    return {
        "text": certificate_text(solution),
        "pot_percent": rounded(found.pot_percent) if found else None,
        "mbb": rounded(found.mbb) if found and found.mbb is not None else None,
        "chips": rounded(found.chips) if found else None,
        "status": str(solution.status),
        "checked": "part" if is_read_in_parts(solution) else "file",
    }


def node_view(opened: Opened, line: str) -> dict[str, Any]:
    """Return the node after a line; the keys are the fields of ``NodeView`` in the API.

    Raises :class:`LineError` if there is no such line, and :class:`ArtefactError` if what is read is damaged.
    """
    path = opened.along(line)
    node = path[-1]
    live = np.array(live_hands(node), dtype=np.int64)
    return {
        "title": opened.solution.title,
        "line": node.line,
        "columns": _columns(path),
        "street": _street(node),
        "board": list(split_cards(node.board_text)),
        "cards": [node.solution.deck.card_text(card) for card in range(node.solution.deck.num_cards)],
        "kind": node.kind,
        "player": node.player,
        "player_name": node.player_name,
        "player_names": list(node.player_names),
        "pot_chips": rounded(node.pot_chips),
        "to_call_chips": rounded(node.to_call_chips),
        "stacks_chips": rounded(node.stacks_chips),
        "sunk_chips": rounded(node.sunk_chips),
        "actions": _actions(node),
        "deals": list(node.children) if node.kind == "chance" else [],
        "deal_count": node.solution.tree.root.new_cards[node.street] if node.kind == "chance" else 0,
        "ranges": {
            "ev_chips": rounded(node.range_ev),
            "equity": rounded(node.range_equity),
            "equity_realised": rounded(node.range_equity_realised),
        },
        "hands": [node.hands[i] for i in live],
        "weights": rounded(node.ranges[:, live]),
        "strategy": rounded(node.strategies[live]) if node.player is not None else None,
        "ev_chips": rounded(node.ev[:, live]),
        "equity": rounded(node.equity[:, live]),
        "equity_realised": rounded(node.equity_realised[:, live]),
        "action_ev_chips": rounded(node.action_ev[live]) if node.player is not None else None,
        "locked": node.locked,
        "reached": rounded(node.reached),
        "unconverged": rounded(node.unconverged),
        "why_no_ev": node.why_no_ev,
        "why_no_equity": node.why_no_equity,
        "certificate": certificate_view(opened.solution),
    }


def _street(node: SolutionNode) -> str:
    subject = node.solution.subject
    first = subject.first_round if isinstance(subject, Spot) else 0
    return street_name(rules_of(subject), first + node.street)


def _actions(node: SolutionNode) -> list[dict[str, Any]]:
    colours = {style.index: hex_colour(style.colour) for style in node_styles(node)}
    frequencies, evs = rounded(node.frequencies), rounded(node.range_action_ev)
    return [
        {
            "step": label,
            "label": label,
            "colour": colours[i],
            "all_in": is_all_in(node, label),
            "frequency": frequencies[i],
            "ev_chips": evs[i],
        }
        for i, label in enumerate(node.actions)
    ]


def _columns(path: list[SolutionNode]) -> list[dict[str, Any]]:
    """Return a column for each step of a line: a decision with its options, or cards that were dealt."""
    columns = []
    for before, after in pairwise(path):
        column = {"line": before.line, "pot_chips": rounded(before.pot_chips), "player": before.player}
        column |= {"player_name": before.player_name, "street": _street(before), "options": [], "card": None}
        if before.player is None:
            new = split_cards(after.board_text)[len(before.board) :]
            columns.append(column | {"kind": "card", "street": _street(after), "card": "".join(new)})
            continue
        taken = after.node - int(before.solution.tree.betting.first_child[before.node])
        colours = {style.index: hex_colour(style.colour) for style in node_styles(before)}
        options = [
            {"step": label, "label": label, "colour": colours[i], "frequency": frequency, "taken": i == taken}
            for i, (label, frequency) in enumerate(zip(before.actions, rounded(before.frequencies), strict=True))
        ]
        columns.append(column | {"kind": "action", "options": options})
    return columns
