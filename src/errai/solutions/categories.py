"""A range at a node as players read it: by category of hand, by equity, and by what the opponent's cards remove.

The numbers of a category are means over all pairs of hands that get to the node, as those of the whole range are: the
shares of all that hands have made sum to 1, and weighted by them the frequencies and EVs give those of the range.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.categories import DRAWS, MADE_HANDS, draws, made_hands
from errai.cards.deck import FULL_DECK
from errai.cards.range_numbers import NutsAdvantage, nuts_advantage, quantiles, removed_by_card, sorted_curve
from errai.cards.strength import strengths_on_board
from errai.errors import InputError
from errai.own_code import described
from errai.solutions.export import number_for_json, numbers_for_json
from errai.solutions.node import Floats, SolutionNode

NUTS = 0.05
"""The part of all hands of a board whose owners a reading tells."""

VALUE = 0.5
"""A hand with at least this equity counts as one of value."""


@dataclass(frozen=True)
class CategoryRow:
    """One category of a player's hands at a node."""

    name: str
    is_draw: bool
    """Whether it is one of :data:`errai.cards.categories.DRAWS`, of which a hand may have several."""
    combos: float
    """The weight of its hands in the range."""
    share: float
    """The part of all pairs of hands that get here; NaN if none does."""
    frequencies: tuple[float, ...]
    """How often each action is taken; empty where the player does not act, NaN without hands."""
    ev_chips: float
    """Mean EV, NaN if it is not known."""
    equity: float
    """Mean equity, NaN if it is not known."""


@dataclass(frozen=True, eq=False)
class RangeReading:
    """A player's range at a node by category, with both ranges' equities; made by :func:`read_range`."""

    node: SolutionNode
    player: int
    made: tuple[CategoryRow, ...]
    """One for each of :data:`errai.cards.categories.MADE_HANDS`, the strongest first; every hand is in one."""
    draws: tuple[CategoryRow, ...]
    """One for each of :data:`errai.cards.categories.DRAWS`; a hand may be in several or in none."""
    nuts: NutsAdvantage
    """Both players' parts of the strongest hands with the cards that lie."""
    quartiles: Floats
    """float64[2, 3]: of the equities of both ranges; NaN if they are not known."""
    curves: tuple[Floats, Floats]
    """float64[n, 2] for each player: equities from the least to the greatest beside the cumulated share of the range,
    see :func:`errai.cards.range_numbers.sorted_curve`."""

    @property
    def rows(self) -> tuple[CategoryRow, ...]:
        """The categories that the range has, first what is made."""
        return tuple(row for row in (*self.made, *self.draws) if row.combos > 0)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the player; none where the other one acts."""
        return self.node.actions if self.node.player == self.player else ()


def read_range(node: SolutionNode, player: int | None = None) -> RangeReading:
    """Read the range of a player, by default the one who acts, else player 0, by category.

    Raises :class:`InputError` where hands have no categories: outside of hold'em, and before the flop.

    Examples
    --------
    >>> import errai
    >>> spot = '''
    ... board = "Kh 8h 3c 5d"
    ... pot = 10
    ... stack = 20
    ... [ranges]
    ... oop = "AA, K8s, AhQh, 76s"
    ... ip = "KQ, 99, Th9h"
    ... [bets]
    ... bet = "100%"
    ... raise = ""
    ... '''
    >>> from errai.games.spot import parse_spot
    >>> reading = read_range(errai.solve(parse_spot(spot), "1%pot").root)
    >>> [row.name for row in reading.rows]
    ['two pair', 'overpair', 'ace high', 'nothing', 'combo draw', 'nut flush draw', 'flush draw', 'open-ended']
    """
    who = _player(node, player)
    made, drawing = categories_of(node)
    masks = {name: made == place for place, name in enumerate(MADE_HANDS)} | dict(zip(DRAWS, drawing, strict=True))
    weights = node.pair_weights
    rows = {name: _row(node, who, name, mask, weights[who]) for name, mask in masks.items()}
    strengths = strengths_on_board(node.board, node.solution.tree.root.hands)
    quartiles = np.stack([quantiles(node.equity[p], weights[p]) for p in (0, 1)])
    first, second = (sorted_curve(node.equity[p], weights[p]) for p in (0, 1))
    return RangeReading(
        node,
        who,
        tuple(rows[name] for name in MADE_HANDS),
        tuple(rows[name] for name in DRAWS),
        nuts_advantage(strengths, node.ranges, NUTS),
        quartiles,
        (first, second),
    )


def chosen_hands(
    node: SolutionNode,
    player: int | None = None,
    only: Sequence[str] = (),
    equity: tuple[float, float] | None = None,
) -> NDArray[np.bool_]:
    """Return which hands of a player belong to some categories and have an equity within bounds.

    Parameters
    ----------
    node:
        A node of a solution.
    player:
        0 or 1; by default the player who acts, else player 0.
    only:
        Names of categories, in any letter case; a hand in one of them is enough.  Without any, all hands.
    equity:
        The least equity, and the one below which hands are; from 0 to 1, which is inside.

    Returns
    -------
    bool[H]

    Raises
    ------
    InputError
        If there is no such category or no category here, equities are not known, or the bounds are not in order.
    """
    who = _player(node, player)
    chosen = node.ranges[who] > 0
    names = [" ".join(name.lower().split()) for name in only]
    for name in names:
        if name not in (*MADE_HANDS, *DRAWS):
            raise InputError(f"{name!r} is no category; there are {', '.join((*MADE_HANDS, *DRAWS))}.")
    if names:
        made, drawing = categories_of(node)
        of = [made == MADE_HANDS.index(n) if n in MADE_HANDS else drawing[DRAWS.index(n)] for n in names]
        chosen &= np.any(of, axis=0)
    if equity is not None:
        low, high = equity
        if not 0.0 <= low < high <= 1.0:
            raise InputError(f"Equities lie between two bounds from 0 to 1, not between {low:g} and {high:g}.")
        if node.why_no_equity:
            raise InputError(node.why_no_equity)
        values = node.equity[who]
        chosen &= (values >= low) & ((values < high) | (high >= 1.0))
    return chosen


def narrowed(node: SolutionNode, hands: NDArray[np.bool_], player: int | None = None) -> SolutionNode:
    """Return a node for looking at some hands of a player alone.

    The player's range has only the ``hands`` (bool[H]), and frequencies and means over the range are over these.  What
    single hands are worth, and the numbers of the other player, are those against the whole ranges.

    Raises :class:`InputError` if ``hands`` has another length, or if none of them is in the range.
    """
    who = _player(node, player)
    ranges = node.ranges.copy()
    if np.shape(hands) != ranges[who].shape:
        raise InputError(f"hands has a truth value for each of {len(ranges[who])} hands, not {described(hands)}.")
    ranges[who] = np.where(hands, ranges[who], 0.0)
    if not ranges[who].any():
        raise InputError(f"No hand in the range of {node.player_names[who]} is one of those that are asked for.")
    made = replace(node, ranges=ranges)
    # These depend on whole ranges; a node computes each once, so it is given what the whole node has.
    for name in ("_values", "_against", "equity", "reached", "unconverged"):
        vars(made)[name] = getattr(node, name)
    return made


def continuing_range(node: SolutionNode, action: str) -> Floats:
    """Return float64[H]: the opponent's hands that do not fold to an action, weighted by how often they do not.

    Raises :class:`InputError` if no player acts here, and :class:`LineError` if there is no such action.
    """
    if node.player is None:
        raise InputError(f"No player acts after '{node.line}'; name a line after which one does.")
    after, other = node[action], 1 - node.player
    weights = np.array(after.ranges[other])
    if after.player == other and "fold" in after.actions:
        weights *= 1.0 - np.nan_to_num(after.strategies[:, after.actions.index("fold")])
    return weights


def value_range(node: SolutionNode, player: int, at_least: float = VALUE) -> Floats:
    """Return float64[H]: the hands of a player that have an equity of ``at_least``, by their weight in the range.

    Raises :class:`InputError` if equities are not known here.
    """
    if node.why_no_equity:
        raise InputError(node.why_no_equity)
    return np.where(np.nan_to_num(node.equity[player], nan=-1.0) >= at_least, node.ranges[player], 0.0)


def blockers(node: SolutionNode, weights: Floats) -> dict[str, float]:
    """Return by card which share of a range is gone if the other player holds it, the greatest first.

    ``weights`` is float64[H], such as from :func:`continuing_range` or :func:`value_range`; cards on the table are left
    out.  The shares are NaN if the range is empty.
    """
    shares = removed_by_card(node.solution.tree.root.hands, weights)
    cards = [card for card in range(node.solution.deck.num_cards) if card not in node.board]
    order = sorted(cards, key=lambda card: (-np.nan_to_num(shares[card]), -card))
    return {node.solution.deck.card_text(card): float(shares[card]) for card in order}


def opponents_ranges(node: SolutionNode, player: int) -> dict[str, Floats]:
    """Return the ranges of the opponent that a player may want to block, by name.

    They are the hands of ``value``, if equities are known, and those that continue after each bet or raise.
    """
    found = {} if node.why_no_equity else {"value": value_range(node, 1 - player)}
    for action in node.actions if node.player == player else ():
        if action.startswith(("bet", "raise")):
            found[f"continuing after {action}"] = continuing_range(node, action)
    return found


def reading_dict(reading: RangeReading) -> dict[str, Any]:
    """Return a reading as plain Python values that JSON can hold; null is what is not known.

    Keys: ``player``, ``player_name``, ``actions``; ``made`` and ``draws``, each a list with ``name``, ``combos``,
    ``share``, ``frequencies``, ``ev_chips`` and ``equity`` of the categories that the range has; ``nuts`` (``top``,
    ``fractions`` and ``shares`` of player 0 and 1), ``quartiles`` (three equities a player), ``equity_curves`` (share
    and equity, a list a player), and ``blockers`` (shares by card, by the name of the opponent's range).
    """
    node = reading.node

    def rows(kind: Sequence[CategoryRow]) -> list[dict[str, Any]]:
        return [
            {
                "name": row.name,
                "combos": row.combos,
                "share": number_for_json(row.share),
                "frequencies": numbers_for_json(row.frequencies),
                "ev_chips": number_for_json(row.ev_chips),
                "equity": number_for_json(row.equity),
            }
            for row in kind
            if row.combos > 0
        ]

    return {
        "player": reading.player,
        "player_name": node.player_names[reading.player],
        "actions": list(reading.actions),
        "made": rows(reading.made),
        "draws": rows(reading.draws),
        "nuts": {
            "top": reading.nuts.top,
            "fractions": numbers_for_json(reading.nuts.fractions),
            "shares": numbers_for_json(reading.nuts.shares),
        },
        "quartiles": [numbers_for_json(row) for row in reading.quartiles],
        "equity_curves": [curve.tolist() for curve in reading.curves],
        "blockers": {
            name: {card: number_for_json(share) for card, share in blockers(node, weights).items()}
            for name, weights in opponents_ranges(node, reading.player).items()
        },
    }


def reading_csv(reading: RangeReading) -> str:
    """Return the categories that a range has as CSV text.

    Columns: ``category``, ``draw`` (1 for a draw, else 0), ``combos``, ``share``, ``ev_chips``, ``equity``, and one for
    each action, headed by its label, with its frequency; empty is what is not known.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["category", "draw", "combos", "share", "ev_chips", "equity", *reading.actions])
    for row in reading.rows:
        numbers = (row.combos, row.share, row.ev_chips, row.equity, *row.frequencies)
        writer.writerow([row.name, int(row.is_draw), *("" if not np.isfinite(v) else repr(v) for v in numbers)])
    return buffer.getvalue()


def _row(node: SolutionNode, player: int, name: str, mask: NDArray[np.bool_], weights: Floats) -> CategoryRow:
    weight = np.where(mask, weights, 0.0)
    total, all_pairs = float(weight.sum()), float(weights.sum())
    frequencies: tuple[float, ...] = ()
    if node.player == player:
        taken = weight @ np.nan_to_num(node.strategies)
        frequencies = tuple((taken / total).tolist() if total > 0 else [float("nan")] * len(taken))
    combos = float(node.ranges[player][mask].sum())
    share = total / all_pairs if all_pairs > 0 else float("nan")
    return CategoryRow(
        name,
        name in DRAWS,
        combos,
        share,
        frequencies,
        _mean(weight, node.ev[player]),
        _mean(weight, node.equity[player]),
    )


def _mean(weights: Floats, values: Floats) -> float:
    """Return a weighted mean; NaN without weight, or if a value with weight is not known."""
    inside = weights > 0
    return float(np.average(values[inside], weights=weights[inside])) if inside.any() else float("nan")


def categories_of(node: SolutionNode) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
    """Return by hand what is made, a place in MADE_HANDS or -1, and bool[DRAWS, H], what it draws to.

    Raises :class:`InputError` where hands have no categories: outside of hold'em, and before the flop.
    """
    if node.solution.deck != FULL_DECK or node.solution.tree.root.hands.shape[1] != 2:
        raise InputError("Hands have categories in games with two private cards from a full deck only.")
    if len(node.board) < 3:
        raise InputError("Hands have categories from the flop on; name a line after which the flop lies.")
    return made_hands(node.board), draws(node.board)


def _player(node: SolutionNode, player: int | None) -> int:
    if player not in (0, 1, None):
        raise InputError(f"The player must be 0 or 1, not {player!r}.")
    return player if player is not None else node.player if node.player is not None else 0
