"""A solution as a table: a row for each decision, board, hand and action, in CSV or Parquet.

Boards that are equal up to suits occur once; ``boards`` is the number of boards that a row represents.  Every hand on
the board has its own rows.  The rows are written board by board, each board before the later ones that extend it, and
only the rows of one decision are held in memory.  Of what is too large for that, such as a blueprint, one board and
those before it are written, node by node (:class:`BoardTable`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import fitting_weights, hand_texts
from errai.errors import InputError
from errai.games.streets import street_name
from errai.running.stopping import StopToken, stops
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Profile, Solution
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


class BoardTable:
    """The table of one board and of the boards before it, of anything that is opened node by node.

    Only what is written is read or computed.  ``boards`` is 1 in every row: suits are as they are.

    Parameters
    ----------
    solved:
        A solution, a run, or a blueprint.
    board:
        Cards that are dealt, those of each street together, with or without those that a spot begins with: none to
        have the first street only.
    streets:
        The number of streets of the tree that are in the table; by default as many as the board has.

    Raises
    ------
    InputError
        If the cards are not those of one to all streets, or the board has fewer than ``streets``.
    """

    def __init__(self, solved: Profile, board: Sequence[int] = (), streets: int | None = None) -> None:
        start = tuple(solved.board)
        if start and {*board[: len(start)]} == {*start}:
            board = board[len(start) :]
        counts, left = solved.tree.root.new_cards, len(board)
        self.solved, self._dealt = solved, list[str]()
        for count in counts:
            if left < count:
                break
            first = len(board) - left
            self._dealt.append("".join(solved.deck.card_text(card) for card in board[first : first + count]))
            left -= count
        most = len(self._dealt) + 1
        if left:
            comes = f"the streets after it have {' and '.join(map(str, counts))} more" if counts else "no card comes"
            raise InputError(
                f"{solved.deck.cards_text(board)} is no board of {solved.title}: it begins with "
                f"{solved.deck.cards_text(start) or 'no card'}, and {comes}."
            )
        if streets is not None and not 1 <= streets <= most:
            raise InputError(f"The board has {most} streets with that before it, not {streets}; give more cards.")
        self.streets, self._dead = streets or most, tuple(board)

    def __len__(self) -> int:
        """Return the number of rows."""
        tree, cards = self.solved.tree, self.solved.tree.root.hands
        rows, gone = 0, 0
        for s in range(self.streets):
            gone += tree.root.new_cards[s - 1] if s else 0
            free = ~np.isin(cards, self._dead[:gone]).any(axis=1)
            held = [int((free & (weights > 0)).sum()) for weights in self.solved.root_ranges]
            rows += sum(tree.betting.num_rows(s, p) * held[p] for p in (0, 1))
        return rows

    def __iter__(self) -> Iterator[Batch]:
        """Yield a batch per decision, as :func:`solution_batches` does."""
        waiting = [self.solved.root]
        while waiting:
            node = waiting.pop()
            if node.kind == "decision":
                yield self._batch(node)
                waiting += [node[action] for action in reversed(node.actions)]
            elif node.kind == "chance" and node.street + 1 < self.streets:
                waiting.append(node[self._dealt[node.street]])

    def _batch(self, node: SolutionNode) -> Batch:
        solution, player = self.solved, node.player
        assert player is not None
        hands = solution.tree.root.hands
        free = ~np.isin(hands, node.board).any(axis=1)
        members = np.flatnonzero(free & (solution.root_ranges[player] > 0))
        theirs = node.ranges[1 - player]
        against = fitting_weights(hands, theirs)[members]
        met = against > 1e-15 * max(1.0, theirs.sum())
        same = {
            "street": street_name(solution.subject.rules, solution.subject.first_round + node.street),
            "line": node.line,
            "board": solution.deck.cards_text(node.board),
            "boards": 1,
            "player": player,
        }
        return _rows(
            same,
            np.array(node.hands)[members],
            node.actions,
            node.strategies[members],
            node.ranges[player, members],
            np.where(met, against, 0.0),
            np.where(met, node.ev[player, members], np.nan),
            np.where(met[:, None], node.action_ev[members], np.nan),
        )


def export_solution(
    solution: Profile,
    path: str | Path,
    *,
    streets: int | None = None,
    board: Sequence[int] | None = None,
    stop: StopToken | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> int:
    """Write a solution as a table with :data:`COLUMNS`.

    The memory needed does not grow with the table.  The file appears when it is complete.

    Parameters
    ----------
    solution:
        A solution in memory; with ``board`` also a run, a large file that is read in parts, or an opened blueprint.
    path:
        A name that ends in ``.csv``, or in ``.parquet`` if pyarrow is installed.
    streets:
        The number of streets of the tree that are in the table; by default all.
    board:
        Cards: only this board and the boards before it are written, see :class:`BoardTable`.
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
        If ``solution`` is not a solution in memory and there is no board, its tree does not have that many streets, the
        name has another ending, or pyarrow is needed and not installed.
    FileAccessError, DiskSpaceError
        If the file cannot be written.
    """
    batches: Iterable[Batch]
    if board is None:
        whole = cast("Solution", solution)  # What it is else is refused there.
        batches = solution_batches(whole, streets)
        total = count_rows(whole, streets)
    else:
        batches = BoardTable(solution, board, streets)
        total = len(batches)
    rows = 0
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
            same = {
                "street": street,
                "line": _line(board, node),
                "board": shown,
                "boards": board.count,
                "player": player,
            }
            yield _rows(
                same,
                texts[members],
                betting.actions(node),
                strategy[:, class_of].T,
                board.reach[player][node - first][class_of],
                np.where(met, against, 0.0),
                ev,
                action_ev.T,
            )


def _rows(
    same: dict[str, Any],
    hands: NDArray[np.str_],
    actions: Sequence[str],
    probability: NDArray[np.float64],
    reach: NDArray[np.float64],
    opponent_reach: NDArray[np.float64],
    ev: NDArray[np.float64],
    action_ev: NDArray[np.float64],
) -> Batch:
    """Return the rows of a decision: by hand [n], by hand and action [n, A], and what is the ``same`` in all rows."""
    n, count = len(hands), len(actions)
    return {
        **{column: [value] * (count * n) for column, value in same.items()},
        "hand": np.repeat(hands, count).tolist(),
        "action": list(actions) * n,
        "probability": probability.ravel(),
        "reach": np.repeat(reach, count),
        "opponent_reach": np.repeat(opponent_reach, count),
        "ev": np.repeat(ev, count),
        "action_ev": action_ev.ravel(),
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
