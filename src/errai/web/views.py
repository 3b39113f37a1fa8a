"""A node of a solution as the page needs it: arrays by hand, the way that led to it, and the certificate.

Classes of hands and their means are those of :func:`errai.pictures.summary.summarise`, for both players in one step.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errai.blueprints.opened import BlueprintProfile
from errai.cards.categories import DRAWS, MADE_HANDS
from errai.cards.deck import RANKS, SUITS
from errai.cards.range_numbers import nuts_advantage
from errai.cards.strength import strengths_on_board
from errai.cluster.reading import StoredSolution
from errai.errors import InputError
from errai.games.catalogue import catalogue, load_game
from errai.games.lock_file import locks_text
from errai.games.spot import Spot
from errai.games.streets import street_name
from errai.pictures.nodes import split_cards
from errai.pictures.palette import action_colours
from errai.pictures.run_outs import run_outs_drawing
from errai.pictures.solution_facts import certificate_text, is_cut, is_read_in_parts, precision_of
from errai.pictures.values import shown_drawing
from errai.solutions.categories import NUTS, categories_of
from errai.solutions.comparison import compare_nodes
from errai.solutions.export import live_hands, node_csv, node_document
from errai.solutions.node import NO_EQUITY, SolutionNode
from errai.solutions.removal import removed_shares, responses
from errai.solutions.run_outs import RunOuts
from errai.solutions.solution import Solution
from errai.solutions.stored import SolutionFile
from errai.tree.lines import BetShare, percents_of
from errai.web.library import Opened, Solved

Floats = NDArray[np.float64]

AS_THEY_ARE = (
    *("line", "kind", "player", "player_name", "player_names", "pot_chips", "to_call_chips", "stacks_chips"),
    *("sunk_chips", "locked", "reached", "unconverged", "why_no_ev", "why_no_equity"),
)
"""What the page needs of a node as the node has it."""


def certificate_view(solution: Any) -> dict[str, Any]:
    """Return the certificate of a solution; chips, mbb and per cent are None where there is none."""
    uncertified = isinstance(solution, StoredSolution) and solution.certificate is None
    known = not uncertified and not isinstance(solution, BlueprintProfile)
    numbers = solution.exploitability.to_dict() if known else dict.fromkeys(("chips", "mbb", "pot_percent"))
    return {
        **numbers,
        "text": certificate_text(solution),
        "cut": is_cut(solution),
        "status": str(solution.status),
        "checked": "part" if is_read_in_parts(solution) else "file",
    }


def node_view(opened: Opened, line: str) -> dict[str, Any]:
    """Return the node after a line, as fields of ``NodeView``.  Raises :class:`LineError`, :class:`ArtefactError`."""
    path = opened.along(line)
    node, solution = path[-1], opened.solution
    live, acts, deals = np.array(live_hands(node), dtype=np.int64), node.player is not None, node.kind == "chance"
    return {
        **{name: getattr(node, name) for name in AS_THEY_ARE},
        "title": solution.title,
        "columns": _columns(path),
        "street": _street(node),
        "board": split_cards(node.board_text),
        "cards": _cards(node),
        "actions": [
            {**one, "ev_chips": ev, "pot_percent": None if share is None else share.percent}
            for one, ev, share in zip(_actions(node), node.range_action_ev, node.shares, strict=True)
        ],
        "deals": list(node.children) if deals else [],
        "deal_count": node.solution.tree.root.new_cards[node.street] if deals else 0,
        "ranges": {
            "ev_chips": node.range_ev,
            "equity": node.range_equity,
            "equity_realised": node.range_equity_realised,
        },
        "classes": _classes(node, live, *((node.strategies, node.action_ev) if acts else (None, None))),
        "hands": [node.hands[i] for i in live],
        "weights": node.ranges[:, live],
        "strategy": node.strategies[live] if acts else None,
        "ev_chips": node.ev[:, live],
        "equity": node.equity[:, live],
        "equity_realised": node.equity_realised[:, live],
        "action_ev_chips": node.action_ev[live] if acts else None,
        "locked_hands": np.flatnonzero(node.locked_hands[live]) if node.locked else np.array([], dtype=np.int64),
        "big_blind_chips": None if solution.subject.rules.limit else solution.units.big_blind_chips,
        "reads_more": isinstance(solution, SolutionFile) and node.why_no_ev != "",
        "certificate": certificate_view(solution),
    }


def reading_view(node: SolutionNode) -> dict[str, Any]:
    """Return what both ranges are read by: the category and the weight of each hand, as fields of ``ReadingView``."""
    live = np.array(live_hands(node), dtype=np.int64)
    view: dict[str, Any] = {"line": node.line, "pair_weights": node.pair_weights[:, live]}
    try:
        made, drawing = categories_of(node)
    except InputError as error:
        return view | {"why_no_categories": str(error), "made": [], "draws": [], "made_of_hands": [], "nuts": None}
    strengths = strengths_on_board(node.board, node.solution.tree.root.hands)
    nuts = nuts_advantage(strengths, node.ranges, NUTS)
    return view | {
        "made": MADE_HANDS,
        "draws": DRAWS,
        "made_of_hands": made[live].tolist(),
        "draws_of_hands": ((1 << np.arange(len(DRAWS))) @ drawing[:, live]).tolist(),
        "nuts": {"top": nuts.top, "fractions": nuts.fractions, "shares": nuts.shares},
    }


def blockers_view(node: SolutionNode, player: int, names: Sequence[str]) -> dict[str, Any]:
    """Return what hands of a player take away from the opponent, as fields of ``BlockersView``."""
    hands = [node.hands.index(name) for name in names]
    return {
        "line": node.line,
        "player": player,
        "player_names": node.player_names,
        "hands": names,
        "removed": removed_shares(node, player, hands),
        "responses": [
            {
                "step": found.step,
                "actions": _labels(found.node.actions, found.node.all_in, found.node.shares),
                "frequencies": found.node.frequencies,
                "with_hand": found.with_hand,
                "removed": found.removed,
            }
            for found in responses(node, player, hands)
        ],
    }


def first_decision_view(node: SolutionNode) -> dict[str, Any]:
    """Return what the player who acts first does with each class of hands, as fields of ``FirstDecisionView``."""
    assert node.player is not None
    columns, labels, of = _layout(tuple(node.hands), _cards(node))
    possible = np.bincount(of, _free(tuple(node.hands), node.board_text), len(labels))
    weights = np.asarray(node.ranges[node.player], dtype=np.float64)
    return {
        **{name: getattr(node, name) for name in ("player", "player_name", "player_names")},
        **{name: getattr(node, name) for name in ("pot_chips", "stacks_chips")},
        "board": split_cards(node.board_text),
        "actions": _actions(node),
        "columns": columns,
        "labels": labels,
        "weights": np.bincount(of, weights, len(labels)) / np.maximum(possible, 1.0),
        "shares": _means(of, len(labels), weights, node.strategies),
    }


def run_outs_view(node: SolutionNode) -> dict[str, Any]:
    """Return the run-outs after a node.  Raises :class:`LineError` if no card is dealt there."""
    found = node.run_outs()
    return {
        **found.to_dict(),
        "player_name": "" if found.player is None else found.player_names[found.player],
        "actions": _labels(found.actions, found.all_in, found.shares),
        "why_no_ev": found.why_no_ev,
        "why_no_equity": found.why_no_equity,
    }


def comparison_view(first: SolutionNode, second: SolutionNode) -> dict[str, Any]:
    """Return two nodes side by side.  Raises :class:`MismatchError` if they cannot be compared."""
    found = compare_nodes(first, second)
    nodes = (first, second)
    live = sorted({i for node in nodes for i in live_hands(node)})
    offered = [one for node in nodes for one in zip(node.actions, node.all_in, node.shares, strict=True)]
    # What is all-in in one of them is shown as all-in.
    by_label = {one[0]: one for one in sorted(offered, key=lambda one: one[1])}
    labels = _labels(*zip(*(by_label[label] for label in found.actions), strict=True))
    frequencies, evs = found.frequencies, found.range_action_ev
    return {
        "lines": [node.line for node in nodes],
        "board": split_cards(first.board_text),
        "player": first.player,
        "player_name": first.player_name,
        "player_names": first.player_names,
        "pot_chips": [node.pot_chips for node in nodes],
        "sunk_chips": [node.sunk_chips for node in nodes],
        "actions": [
            {
                **shown,
                "offered": [shown["label"] in node.actions for node in nodes],
                "frequency": frequencies[:, i],
                "frequency_difference": frequencies[1, i] - frequencies[0, i],
                "ev_chips": evs[:, i],
                "ev_difference_chips": evs[1, i] - evs[0, i],
            }
            for i, shown in enumerate(labels)
        ],
        "ranges": {
            "ev_chips": found.range_ev,
            "ev_difference_chips": found.range_ev[1] - found.range_ev[0],
            "equity": found.range_equity,
            "equity_difference": found.range_equity[1] - found.range_equity[0],
        },
        "classes": [_classes(node, live, found.strategies[k], found.action_ev[k]) for k, node in enumerate(nodes)],
        "hands": [first.hands[i] for i in live],
        "weights": np.stack([node.ranges[:, live] for node in nodes]),
        "strategies": found.strategies[:, live],
        "strategy_difference": found.strategies[1, live] - found.strategies[0, live],
        "ev_chips": found.ev[:, :, live],
        "ev_difference_chips": found.ev[1][:, live] - found.ev[0][:, live],
        "equity": np.stack([node.equity[:, live] for node in nodes]),
        "action_ev_chips": found.action_ev[:, live],
        "action_ev_difference_chips": found.action_ev[1, live] - found.action_ev[0, live],
    }


def exported(solution: Solved, found: SolutionNode | RunOuts, format: str, by: str, player: int | None) -> bytes:
    """Return a node or run-outs as ``errai show`` and ``errai runouts`` write them.  Raises :class:`InputError`."""
    if format == "csv":
        return (found.to_csv() if isinstance(found, RunOuts) else node_csv(found)).encode()
    if format == "json":
        document = found.to_dict() if isinstance(found, RunOuts) else node_document(found, precision_of(solution))
        return json.dumps(document, indent=2, allow_nan=False).encode()
    if isinstance(found, SolutionNode):
        drawing = shown_drawing(found, solution.title, by, player)
    else:
        drawing = run_outs_drawing(found, title=solution.title, by=by, player=player)
    return drawing.png() if format == "png" else drawing.svg().encode()


def spot_view(solution: Solved) -> dict[str, Any]:
    """Return what a solution is of and its settings, as a job takes them.  Raises :class:`InputError` if none can."""
    if isinstance(solution, BlueprintProfile):
        raise InputError(
            "This is a blueprint, which is trained over buckets at the terminal; solve a spot of its game."
        )
    subject, locks = solution.subject, solution.tree.locks
    if subject.state is not None:
        raise InputError(
            f"This is a solution of a lookahead ({subject.label}), and the browser solves whole games and spots; "
            "solve it again in Python with errai.lookahead."
        )
    game = subject.rules
    if isinstance(subject, Spot):
        what = {"spot": subject.to_toml()}
    elif game.name in catalogue() and load_game(game.name).digest() == game.digest():
        what = {"game": game.name}
    else:
        raise InputError(f"The game {game.name} is not in the catalogue; solve it again with `errai solve GAME_FILE`.")
    settings = {
        "target": solution.settings.get("target"),
        "menu": solution.menu,
        "net": solution.below.name if isinstance(solution, Solution) and solution.below is not None else None,
        "locks": None if locks is None else locks_text(locks.to_dict()),
    }
    return {"subject": what, "settings": settings}


# --- the parts of a node ---


def _labels(actions: Sequence[str], all_in: Sequence[bool], shares: Sequence[BetShare | None]) -> list[dict[str, Any]]:
    """Return actions with the colours that the pictures give them."""
    colours = action_colours(actions, all_in, percents_of(shares))
    return [
        {"label": label, "colour": colour, "all_in": ends}
        for label, colour, ends in zip(actions, colours, all_in, strict=True)
    ]


def _street(node: SolutionNode) -> str:
    subject = node.solution.subject
    return street_name(subject.rules, subject.first_round + node.street)


def _cards(node: SolutionNode) -> tuple[str, ...]:
    deck = node.solution.deck
    return tuple(deck.card_text(card) for card in range(deck.num_cards))


def _actions(node: SolutionNode) -> list[dict[str, Any]]:
    labels = _labels(node.actions, node.all_in, node.shares)
    frequencies = node.frequencies
    return [{**one, "step": one["label"], "frequency": frequencies[i]} for i, one in enumerate(labels)]


def _columns(path: list[SolutionNode]) -> list[dict[str, Any]]:
    """Return a column for each step of a line: a decision with its options, or cards that were dealt."""
    columns = []
    for before, after in pairwise(path):
        column: dict[str, Any] = {
            name: getattr(before, name) for name in ("line", "pot_chips", "player", "player_name")
        }
        if before.player is None:
            cards = "".join(split_cards(after.board_text)[len(before.board) :])
            column |= {"kind": "card", "street": _street(after), "card": cards, "options": [], "locked": False}
        else:
            taken = after.node - int(before.solution.tree.betting.first_child[before.node])
            options = [{**one, "taken": i == taken} for i, one in enumerate(_actions(before))]
            locked = bool(before.locked_hands.any())
            column |= {"kind": "action", "street": _street(before), "card": None, "options": options, "locked": locked}
        columns.append(column)
    return columns


@lru_cache(maxsize=32)
def _layout(hands: tuple[str, ...], deck: tuple[str, ...]) -> tuple[int, list[str], NDArray[np.int64]]:
    """Return the length of a row, the labels of all classes row by row, and the class of each hand."""
    ranks = sorted({card[0] for card in deck}, key=RANKS.index, reverse=True)
    suits = sorted({card[1] for card in deck}, key=SUITS.index, reverse=True)
    size = len(hands[0]) // 2 if hands else 2
    if size == 2:
        labels = [
            row + column + ("" if i == j else "s") if i <= j else column + row + "o"
            for i, row in enumerate(ranks)
            for j, column in enumerate(ranks)
        ]
        names = []
        for hand in hands:
            high, low = sorted(split_cards(hand), key=lambda card: ranks.index(card[0]))
            names.append(high[0] + low[0] + ("" if high[0] == low[0] else "s" if high[1] == low[1] else "o"))
    else:
        names = list(hands)
        labels = [rank + suit for rank in ranks for suit in suits] if size == 1 else names
    place = {label: i for i, label in enumerate(labels)}
    columns = len(ranks) if size == 2 else len(suits) if size == 1 else 13
    return columns, labels, np.array([place[name] for name in names], dtype=np.int64)


@lru_cache(maxsize=32)
def _free(hands: tuple[str, ...], board: str) -> Floats:
    """Return 1 for each hand that a board leaves, and 0 for the others."""
    cards = set(split_cards(board))
    return np.array([cards.isdisjoint(split_cards(hand)) for hand in hands], dtype=np.float64)


def _mean(of: NDArray[np.int64], count: int, weights: Floats, values: Floats) -> Floats:
    """Return the mean of what is known of some values over the hands of each class."""
    known = np.isfinite(values) & (weights > 0)
    sums = (np.bincount(of, np.where(known, one, 0.0), count) for one in (weights * values, weights))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.divide(*sums)


def _means(of: NDArray[np.int64], count: int, weights: Floats, rows: ArrayLike | None) -> Floats | None:
    if rows is None:
        return None
    return np.stack([_mean(of, count, weights, one) for one in np.asarray(rows, dtype=np.float64).T], axis=1)


def _classes(node: SolutionNode, live: Any, strategy: ArrayLike | None, action_ev: ArrayLike | None) -> dict[str, Any]:
    """Return the classes of hands at a node, and the means of both players over them, as fields of ``ClassesView``.

    ``live`` are the hands that are shown; ``strategy`` and ``action_ev`` those of the player who acts, if one does.
    """
    columns, labels, of = _layout(tuple(node.hands), _cards(node))
    possible, count = np.bincount(of, _free(tuple(node.hands), node.board_text), len(labels)), len(labels)

    players = []
    for player in (0, 1):
        weights = np.asarray(node.ranges[player], dtype=np.float64)
        ev, equity = (_mean(of, count, weights, values[player]) for values in (node.ev, node.equity))
        with np.errstate(invalid="ignore", divide="ignore"):
            realised = (ev + node.sunk_chips[player]) / (np.where(equity > NO_EQUITY, equity, np.nan) * node.pot_chips)
        acts = node.player == player
        players.append(
            {
                "weight": np.bincount(of, weights, count) / np.maximum(possible, 1.0),
                "ev_chips": ev,
                "equity": equity,
                "equity_realised": realised,
                "shares": _means(of, count, weights, strategy) if acts else None,
                "action_ev_chips": _means(of, count, weights, action_ev) if acts else None,
            }
        )
    counts = {"possible": possible.astype(np.int64), "of_hands": of[live]}
    return {"columns": columns, "labels": labels, **counts, "players": players}
