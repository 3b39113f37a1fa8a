"""A node of a solution as the page needs it: arrays by hand, the way that led to it, and the certificate.

Every number is one of the public interface, rounded to six significant digits; null stands for NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from errai.cluster.reading import StoredSolution
from errai.cluster.solution_file import SolutionFile
from errai.errors import InputError
from errai.games.catalogue import catalogue, load_game
from errai.games.game import Game
from errai.games.lock_file import locks_text
from errai.games.spot import Spot
from errai.games.streets import street_name
from errai.pictures.nodes import split_cards
from errai.pictures.palette import action_styles, hex_colour, is_all_in
from errai.pictures.run_outs import run_outs_drawing
from errai.pictures.solution_facts import certificate_text, is_cut, is_read_in_parts, precision_of
from errai.pictures.summary import chosen_hands
from errai.pictures.values import shown_drawing
from errai.solutions.comparison import compare_nodes
from errai.solutions.export import hand_dict, live_hands, node_csv, node_document
from errai.solutions.node import SolutionNode
from errai.solutions.run_outs import RunOuts
from errai.solutions.solution import Solution
from errai.web.class_views import class_arrays
from errai.web.library import Opened, Solved

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
        "cut": is_cut(solution),
        "status": str(solution.status),
        "checked": "part" if is_read_in_parts(solution) else "file",
    }


def _classes(node: SolutionNode, live: Any, strategy: ArrayLike | None, action_ev: ArrayLike | None) -> dict[str, Any]:
    """Return the classes of hands at a node; ``live`` are the hands that are shown."""
    found = class_arrays(node, strategy, action_ev)
    players = [{key: None if one is None else rounded(one) for key, one in each.items()} for each in found["players"]]
    of_hands, possible = found["of_hands"][live].tolist(), found["possible"].tolist()
    return {**found, "of_hands": of_hands, "possible": possible, "players": players}


def node_view(opened: Opened, line: str) -> dict[str, Any]:
    """Return the node after a line; the keys are the fields of ``NodeView`` in the API.

    Raises :class:`LineError` if there is no such line, and :class:`ArtefactError` if what is read is damaged.
    """
    path = opened.along(line)
    node = path[-1]
    live, hands = np.array(live_hands(node), dtype=np.int64), node.hands
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
        "classes": _classes(
            node, live, *((node.strategies, node.action_ev) if node.player is not None else (None, None))
        ),
        "hands": [hands[i] for i in live],
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
        "reads_more": isinstance(opened.solution, SolutionFile) and node.why_no_ev != "",
        "why_no_equity": node.why_no_equity,
        "certificate": certificate_view(opened.solution),
    }


def hands_view(node: SolutionNode, hand: str) -> list[dict[str, Any]]:
    """Return the hands that a text names, as :func:`errai.solutions.export.hand_dict` has them.

    Raises :class:`LineError` if there is no such hand at the node.
    """
    names = chosen_hands(node, [hand])
    return [_rounded_tree(hand_dict(node, node.hands.index(name))) for name in names]


def run_outs_view(node: SolutionNode) -> dict[str, Any]:
    """Return the run-outs after a node.  Raises :class:`LineError` if no card is dealt there."""
    found = node.run_outs()
    colours = _colours(found.actions, found.all_in)
    return {
        **_rounded_tree(found.to_dict()),
        "player_name": "" if found.player is None else found.player_names[found.player],
        "actions": [
            {"label": label, "colour": colours[label], "all_in": all_in}
            for label, all_in in zip(found.actions, found.all_in, strict=True)
        ],
        "why_no_ev": found.why_no_ev,
        "why_no_equity": found.why_no_equity,
    }


def comparison_view(first: SolutionNode, second: SolutionNode) -> dict[str, Any]:
    """Return two nodes side by side; what is called a difference is the second less the first.

    Raises :class:`MismatchError` if they cannot be compared.
    """
    found = compare_nodes(first, second)
    nodes = (first, second)
    live = sorted({i for node in nodes for i in live_hands(node)})
    all_in = [any(label in node.actions and is_all_in(node, label) for node in nodes) for label in found.actions]
    colours = _colours(found.actions, all_in)
    frequencies, evs = found.frequencies, found.range_action_ev
    return {
        "lines": [node.line for node in nodes],
        "board": list(split_cards(first.board_text)),
        "player": first.player,
        "player_name": first.player_name,
        "player_names": list(first.player_names),
        "pot_chips": rounded([node.pot_chips for node in nodes]),
        "sunk_chips": rounded([node.sunk_chips for node in nodes]),
        "actions": [
            {
                "label": label,
                "colour": colours[label],
                "all_in": all_in[i],
                "offered": [label in node.actions for node in nodes],
                "frequency": rounded(frequencies[:, i]),
                "frequency_difference": rounded(frequencies[1, i] - frequencies[0, i]),
                "ev_chips": rounded(evs[:, i]),
                "ev_difference_chips": rounded(evs[1, i] - evs[0, i]),
            }
            for i, label in enumerate(found.actions)
        ],
        "ranges": {
            "ev_chips": rounded(found.range_ev),
            "ev_difference_chips": rounded(found.range_ev[1] - found.range_ev[0]),
            "equity": rounded(found.range_equity),
            "equity_difference": rounded(found.range_equity[1] - found.range_equity[0]),
        },
        "classes": [_classes(node, live, found.strategies[k], found.action_ev[k]) for k, node in enumerate(nodes)],
        "hands": [first.hands[i] for i in live],
        "weights": rounded(np.stack([node.ranges[:, live] for node in nodes])),
        "strategies": rounded(found.strategies[:, live]),
        "strategy_difference": rounded(found.strategies[1, live] - found.strategies[0, live]),
        "ev_chips": rounded(found.ev[:, :, live]),
        "ev_difference_chips": rounded(found.ev[1][:, live] - found.ev[0][:, live]),
        "equity": rounded(np.stack([node.equity[:, live] for node in nodes])),
        "action_ev_chips": rounded(found.action_ev[:, live]),
        "action_ev_difference_chips": rounded(found.action_ev[1, live] - found.action_ev[0, live]),
    }


def exported(solution: Solved, node: SolutionNode, format: str, by: str, player: int | None) -> bytes:
    """Return a node as the contents of a file: ``csv``, ``json``, ``png`` or ``svg``, as ``errai show`` writes it.

    Raises :class:`InputError` if there is no such picture.
    """
    if format == "csv":
        return node_csv(node).encode()
    if format == "json":
        return json.dumps(node_document(node, precision_of(solution)), indent=2, allow_nan=False).encode()
    drawing = shown_drawing(node, solution.title, by, player)
    return drawing.png() if format == "png" else drawing.svg().encode()


def exported_run_outs(solution: Solved, found: RunOuts, format: str, by: str, player: int | None) -> bytes:
    """Return run-outs as the contents of a file: ``csv``, ``json``, ``png`` or ``svg``, as ``errai runouts`` does.

    Raises :class:`InputError` if there is no such picture.
    """
    if format == "csv":
        return found.to_csv().encode()
    if format == "json":
        return json.dumps(found.to_dict(), indent=2, allow_nan=False).encode()
    drawing = run_outs_drawing(found, title=solution.title, by=by, player=player)
    return drawing.png() if format == "png" else drawing.svg().encode()


def spot_view(solution: Solved) -> dict[str, Any]:
    """Return the game or spot of a solution and its settings, as a job takes them.

    Raises :class:`InputError` if the game is not in the catalogue, or the solution is of a lookahead.
    """
    subject, locks = solution.subject, solution.tree.locks
    if subject.state is not None:
        raise InputError(
            f"This is a solution of a lookahead ({subject.label}), and the browser solves whole games and spots; "
            "solve it again in Python with errai.lookahead."
        )
    what = {"spot": subject.to_toml()} if isinstance(subject, Spot) else {"game": _catalogue_name(subject.rules)}
    settings = {
        "target": solution.settings.get("target"),
        "menu": solution.menu,
        "net": solution.below.name if isinstance(solution, Solution) and solution.below is not None else None,
        "locks": None if locks is None else locks_text(locks.to_dict()),
    }
    return {"subject": what, "settings": settings}


def _catalogue_name(game: Game) -> str:
    if game.name in catalogue() and load_game(game.name).digest() == game.digest():
        return game.name
    raise InputError(f"The game {game.name} is not in the catalogue; solve it again with `errai solve GAME_FILE`.")


def known(value: float) -> float | None:
    """Return a number, or None if it is not finite."""
    return value if math.isfinite(value) else None


def _rounded_tree(value: Any) -> Any:
    """Round all floats in lists and tables."""
    if isinstance(value, dict):
        return {key: _rounded_tree(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_rounded_tree(one) for one in value]
    return rounded(value) if isinstance(value, float) else value


def _colours(actions: Sequence[str], all_in: Sequence[bool]) -> dict[str, str]:
    return {style.label: hex_colour(style.colour) for style in action_styles(actions, all_in)}


def _street(node: SolutionNode) -> str:
    subject = node.solution.subject
    first = subject.first_round
    return street_name(subject.rules, first + node.street)


def _actions(node: SolutionNode) -> list[dict[str, Any]]:
    all_in = [is_all_in(node, label) for label in node.actions]
    colours = _colours(node.actions, all_in)
    frequencies, evs = rounded(node.frequencies), rounded(node.range_action_ev)
    return [
        {
            "step": label,
            "label": label,
            "colour": colours[label],
            "all_in": all_in[i],
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
        colours = _colours(before.actions, [is_all_in(before, label) for label in before.actions])
        options = [
            {"step": label, "label": label, "colour": colours[label], "frequency": frequency, "taken": i == taken}
            for i, (label, frequency) in enumerate(zip(before.actions, rounded(before.frequencies), strict=True))
        ]
        columns.append(column | {"kind": "action", "options": options})
    return columns
