"""What follows each card that can come next: who does what how often, and what both ranges are worth."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import LineError
from errai.solutions.convergence import pair_weight
from errai.tree.lines import BetShare, matching_actions

if TYPE_CHECKING:
    from errai.solutions.node import SolutionNode

MOST_EVALUATED = 200
"""The most deals whose EVs and equities are computed; there are more of them only before a flop of several cards."""

NUMBERS = ("probability", "ev_0_chips", "ev_1_chips", "equity_0", "equity_1")


@dataclass(frozen=True, eq=False)
class RunOut:
    """Deals that are strategically equivalent.

    A renaming of suits takes one to the other, or they leave the same hands in the same order of strength.

    Axes: A actions of the next player to act; 2 players.
    """

    deals: tuple[str, ...]
    """The deals, such as ``Ah``, or ``Ks9d4h`` where a street has several cards; ascending."""
    probability: float
    """Probability, from 0 to 1, that one of these deals comes if both players take the line; NaN if none does."""
    frequencies: NDArray[np.float64]
    """float64[A]: how often each action is taken after the deal."""
    ev_chips: NDArray[np.float64]
    """float64[2]: EV of both ranges after the deal, as :attr:`errai.solutions.node.SolutionNode.range_ev`."""
    equity: NDArray[np.float64]
    """float64[2]: equity of both ranges after the deal."""

    @property
    def numbers(self) -> tuple[float, ...]:
        """Probability, EVs, equities and frequencies: the columns of :attr:`RunOuts.columns` after the first."""
        return (self.probability, *self.ev_chips.tolist(), *self.equity.tolist(), *self.frequencies.tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain values that JSON can hold; null is what is not known."""
        probability, *values = (None if math.isnan(number) else number for number in self.numbers)
        named = {"frequencies": values[4:], "ev_chips": values[:2], "equity": values[2:4]}
        return {"deals": list(self.deals), "probability": probability, **named}


@dataclass(frozen=True, eq=False)
class RunOuts:
    """All deals that can come after a line; made by :meth:`errai.solutions.node.SolutionNode.run_outs`.

    Examples
    --------
    >>> import errai
    >>> leduc = errai.solve(errai.load_game("leduc"), "10mbb")
    >>> found = leduc.at("check check").run_outs()
    >>> found.player, found.actions
    (0, ('check', 'bet 4'))
    >>> [row.deals for row in found.rows]
    [('Qh', 'Qs'), ('Kh', 'Ks'), ('Ah', 'As')]
    """

    line: str
    """The line after which the deals come."""
    board_text: str
    """The cards on the table before the deal."""
    pot_chips: float
    player_names: tuple[str, str]
    player: int | None
    """The player who acts after a deal; None if nobody has a choice."""
    actions: tuple[str, ...]
    """The actions of that player."""
    all_in: tuple[bool, ...]
    """Whether an action puts the last chip of that player in."""
    shares: tuple[BetShare | None, ...]
    """Each action in per cent of the pot, as :attr:`errai.solutions.node.SolutionNode.shares`."""
    rows: tuple[RunOut, ...]
    """The deals by their cards, the lowest first."""
    why_no_ev: str
    """A sentence that says why EVs are not known; '' if they are."""
    why_no_equity: str
    """The same for equities."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of a table: ``cards``, the numbers of a row, and a column for each action."""
        return ("cards", *NUMBERS, *self.actions)

    def sorted_by(self, column: str) -> tuple[RunOut, ...]:
        """Return the rows by a column, the highest number first; by ``cards`` the lowest first.

        An action may be written as in a line: ``bet 60%``, ``b120``, ``all-in``.  Raises :class:`LineError` if there is
        no such column.
        """
        if column not in self.columns:
            meant = matching_actions(column, self.actions, self.all_in, self.shares)
            if len(meant) == 1:
                return self.sorted_by(self.actions[meant[0]])
            raise LineError(f"There is no column {column!r} here; there are {', '.join(self.columns)}.")
        if column == "cards":
            return self.rows
        numbers = np.array([row.numbers[self.columns.index(column) - 1] for row in self.rows])
        return tuple(self.rows[i] for i in np.argsort(-numbers, kind="stable"))

    def mean(self) -> RunOut:
        """Return the mean over all deals, weighted by their probabilities, as a row without deals.

        Frequencies are those of all pairs of hands that get past the deal.  NaN where a value is not known.
        """
        weights = np.array([row.probability for row in self.rows])
        numbers = np.array([row.numbers[1:] for row in self.rows])
        met = weights > 0
        found = numbers[0] * np.nan
        if met.any():
            found = (weights[met, None] * numbers[met]).sum(axis=0) / weights[met].sum()
        return RunOut((), float(weights.sum()), found[4:], found[:2], found[2:4])

    def to_dict(self, column: str = "cards") -> dict[str, Any]:
        """Return the table as plain values that JSON can hold, sorted by a column; null is what is not known."""
        return {
            "line": self.line,
            "board": self.board_text,
            "pot_chips": self.pot_chips,
            "player": self.player,
            "player_names": list(self.player_names),
            "actions": list(self.actions),
            "rows": [row.to_dict() for row in self.sorted_by(column)],
            "mean": self.mean().to_dict(),
        }

    def to_csv(self, column: str = "cards") -> str:
        """Return the table as CSV text with a header, sorted by a column; deals of one row are separated by spaces."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.sorted_by(column):
            writer.writerow([" ".join(row.deals), *("" if math.isnan(v) else repr(v) for v in row.numbers)])
        return buffer.getvalue()


def run_outs(node: SolutionNode, before: Callable[[RunOuts], object] | None = None) -> RunOuts:
    """Return a table of the deals after a node; see :meth:`errai.solutions.node.SolutionNode.run_outs`.

    ``before`` is called with the table before its rows are computed, to find out what is wrong with a question.
    """
    if node.kind != "chance":
        where = f"after '{node.line}'" if node.line else "at the first decision"
        raise LineError(f"No card is dealt {where}; give a line that closes a street, such as a bet and a call.")
    groups = _equivalent_deals(node)
    first = node[groups[0][0]]
    many, root = "", node.solution.tree.root
    if len(groups) > MOST_EVALUATED:
        many = f"There are {len(groups):,} different deals, and at most {MOST_EVALUATED} are evaluated."
    found = RunOuts(
        node.line,
        node.board_text,
        node.pot_chips,
        node.player_names,
        first.player,
        first.actions,
        first.all_in,
        first.shares,
        (),
        many or first.why_no_ev,
        many or first.why_no_equity,
    )
    if before is not None:
        before(found)
    pairs = pair_weight(root.hands, node.ranges)
    cards = node.solution.deck.num_cards - 2 * root.hands.shape[1] - len(node.board)
    count = math.comb(cards, root.new_cards[node.street])
    rows = []
    for deals in groups:
        after = node[deals[0]]
        chance = pair_weight(root.hands, after.ranges) / (pairs * count) if pairs > 0 else math.nan
        worth = (np.full(2, np.nan), np.full(2, np.nan)) if many else (after.range_ev, after.range_equity)
        rows.append(RunOut(deals, len(deals) * chance, after.frequencies, *worth))
    return replace(found, rows=tuple(rows))


def _equivalent_deals(node: SolutionNode) -> list[tuple[str, ...]]:
    """Return all deals after a node; those that lead to the same representative board are together."""
    deck = node.solution.deck
    found: dict[Hashable, list[str]] = {}
    left = [card for card in range(deck.num_cards) if card not in node.board]
    for cards in combinations(left, node.solution.tree.root.new_cards[node.street]):
        board, _ = node.where.child(tuple(sorted(node.to_representative[list(cards)].tolist())))
        found.setdefault(board.key, []).append("".join(deck.card_text(card) for card in cards))
    return [tuple(deals) for deals in found.values()]
