"""A solution as a table: a row for each decision, board, hand and action, in CSV or Parquet.

Boards that are equal up to suits occur once; ``boards`` is the number of boards that a row represents.  Every hand on
the board has its own rows.  The rows are written board by board, each board before the later ones that extend it, and
only the rows of one decision are held in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from errai.cards.hands import fitting_weights, hand_texts
from errai.games.streets import street_name
from errai.running.stopping import StopToken, stops
from errai.solutions.solution import Solution
from errai.solutions.starts import SolvedBoard, solved_boards
from errai.store.tables import open_table
from errai.tree.betting_tree import NodeKind

COLUMNS = {
    "street": "text",
    "line": "text",
    "board": "text",
    "boards": "integer",
    "player": "integer",
    "hand": "text",
    "action": "text",
    "probability": "number",
    "reach": "number",
    "opponent_reach": "number",
    "ev": "number",
    "action_ev": "number",
}
"""The columns in their order, each with its kind (:data:`errai.store.tables.KINDS`).

- ``street``: its name, or ``round 2`` and so on in games without names.
- ``line``: the line to the decision, as ``solution.at(line)`` takes it, with the cards that were dealt on it.
- ``board``: the cards of the board.
- ``boards``: the number of boards that this one represents; weight rows by it in sums over boards.
- ``player``: the player who acts, 0 or 1.
- ``hand``, ``action``: a hand of the player, and one of the actions.
- ``probability``: the probability of the action with the hand.
- ``reach``: the hand's weight in the root's range times the probability of the player's own actions so far.
- ``opponent_reach``: the sum of the opponent's reach over all hands that share no card with the hand.
- ``ev``: the EV of the hand here, in chips, as :attr:`SolutionNode.ev <errai.solutions.node.SolutionNode.ev>`.  The
  counterfactual value is ``ev`` times ``opponent_reach``, in the same unit.
- ``action_ev``: the EV of the action with the hand, as ``SolutionNode.action_ev``.

The last two are NaN if ``opponent_reach`` is 0, and in solutions from files whose tree is cut.
"""

Batch = dict[str, Any]


def count_rows(solution: Solution, streets: int | None = None) -> int:
    """Count the rows of the table exactly; parameters and errors are those of :func:`solution_batches`."""
    solved_boards(solution, streets)  # Checks the arguments.
    levels = zip(solution.tree.arrays.streets[:streets], solution.tree.deal.streets[:streets], strict=True)
    return sum(level.num_rows[p] * len(deal.hands[p].member) for level, deal in levels for p in (0, 1))


def solution_batches(solution: Solution, streets: int | None = None) -> Iterator[Batch]:
    """Return an iterator over the table of a solution, a batch per decision that maps :data:`COLUMNS` to values.

    Parameters
    ----------
    solution:
        A solution in memory.
    streets:
        The number of streets of the tree that are in the table; by default all.

    Raises
    ------
    InputError
        If ``solution`` is not a solution in memory, or its tree does not have that many streets.
    """
    boards = solved_boards(solution, streets)  # Checks the arguments before the first batch.
    root = solution.tree.root
    texts = np.array(hand_texts(root.deck, root.hands.shape[1]))
    return (batch for board in boards for batch in _board_batches(board, texts))


def export_solution(
    solution: Solution,
    path: str | Path,
    *,
    streets: int | None = None,
    stop: StopToken | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> int:
    """Write a solution as a table with :data:`COLUMNS`.

    The memory needed does not grow with the table.  The file appears when it is complete.

    Parameters
    ----------
    solution:
        A solution in memory.
    path:
        A name that ends in ``.csv``, or in ``.parquet`` if pyarrow is installed.
    streets:
        The number of streets of the tree that are in the table; by default all.
    stop:
        A token that any thread may set; if it is set before the end, no file is written.
    progress:
        Called with the number of rows written so far, and the number of all rows.

    Returns
    -------
    int
        The number of rows; 0 if the token was set.

    Raises
    ------
    InputError
        If ``solution`` is not a solution in memory, its tree does not have that many streets, the name has another
        ending, or pyarrow is needed and not installed.
    FileAccessError, DiskSpaceError
        If the file cannot be written.
    """
    batches, total, rows = solution_batches(solution, streets), count_rows(solution, streets), 0
    try:
        with open_table(path, COLUMNS) as write:
            for batch in batches:
                if stops(stop):
                    raise _Stopped
                write(batch)
                rows += len(next(iter(batch.values())))
                if progress is not None:
                    progress(rows, total)
    except _Stopped:
        return 0
    return rows


class _Stopped(Exception):
    """Raised when the token is set, so that no file is written."""


def _board_batches(board: SolvedBoard, texts: np.ndarray) -> Iterator[Batch]:
    solution, betting = board.solution, board.solution.tree.betting
    deck, hands = solution.deck, solution.tree.root.hands
    values, first = board.values, board.nodes.start
    street = street_name(solution.subject.rules, solution.subject.first_round + board.street)
    shown = deck.cards_text(board.cards)
    in_game = solution.subject.values_are_net
    held = [board.hands(player) for player in (0, 1)]
    for node in board.nodes:
        player = int(betting.actor[node])
        if betting.kind[node] == NodeKind.DECISION:
            members, class_of = held[player]
            children = np.array(betting.children(node))
            strategy = board.strategy(node)
            theirs = board.spread(board.reach[1 - player][node - first], 1 - player)
            against = fitting_weights(hands, theirs)[members]
            met = against > 1e-15 * max(1.0, theirs.sum())
            per_pair = np.where(met, against, np.nan)
            # The kernel's values are net chips over the whole hand; those of spots are counted from the node on.
            gone = 0.0 if in_game else float(betting.contributions[node, player])
            ev = values[player][node - first][class_of] / per_pair + gone
            action_ev = values[player][children - first][:, class_of] / per_pair + gone
            count = len(children)
            same = {
                "street": street,
                "line": _line(board, node),
                "board": shown,
                "boards": board.count,
                "player": player,
            }
            yield {
                **{column: [value] * (count * len(members)) for column, value in same.items()},
                "hand": np.repeat(texts[members], count).tolist(),
                "action": list(betting.actions(node)) * len(members),
                "probability": strategy[:, class_of].T.ravel(),
                "reach": np.repeat(board.reach[player][node - first][class_of], count),
                "opponent_reach": np.repeat(np.where(met, against, 0.0), count),
                "ev": np.repeat(ev, count),
                "action_ev": action_ev.T.ravel(),
            }


def _line(board: SolvedBoard, node: int) -> str:
    """Return the line to a node with the cards that were dealt on it, as ``at`` of a solution takes it."""
    tree = board.solution.tree
    betting, words, street = tree.betting, list[str](), board.street
    cards = list(board.cards[len(board.solution.board) :]) if street else []
    while node >= 0:
        if betting.action[node]:
            words.append(betting.action[node])
        above = int(betting.parent[node])
        if above >= 0 and betting.street[above] != betting.street[node]:
            street -= 1
            count = tree.root.new_cards[street]
            words.append(f"/ {board.solution.deck.cards_text(tuple(cards[-count:]))} /")
            del cards[-count:]
        node = above
    return " ".join(reversed(words))
