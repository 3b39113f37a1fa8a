"""What a report over flops holds: the numbers of some nodes on each flop, and their means over all deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errai.cards.deck import RANKS
from errai.cards.flops import TEXTURES, Flop, Texture
from errai.cards.hands import class_of_hand
from errai.errors import InputError, LineError
from errai.games.spot import Spot
from errai.own_code import described
from errai.solutions.convergence import pair_weight
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Below
from errai.tree.betting_tree import build_betting_tree
from errai.tree.lines import percents_of

CLASSES = 169


@dataclass(frozen=True, eq=False)
class FlopNode:
    """A node of the spot on one flop; EVs are in chips, as at a node of a solution, and NaN if nothing gets there."""

    line: str
    player: int | None
    """The player who acts, 0 or 1; None if cards are dealt."""
    actions: tuple[str, ...]
    pot_chips: float
    pairs: float
    """Weight of the pairs of hands that get here: those of the ranges on the flop, by how often the line is taken."""
    frequencies: NDArray[np.float64]
    """float64[A]."""
    ev: NDArray[np.float64]
    """float64[2]: of both ranges."""
    equity: NDArray[np.float64]
    """float64[2]."""
    class_weights: NDArray[np.float64]
    """float64[2, 169]: weight of each class of hands that gets here, in the order of the 13 x 13 grid."""
    class_ev: NDArray[np.float64]
    """float64[2, 169]: mean EV of the hands of each class."""
    class_equity: NDArray[np.float64]
    """float64[2, 169]."""
    class_frequencies: NDArray[np.float64]
    """float64[A, 169]: how often the acting player's hands of each class take each action."""

    @property
    def equity_realised(self) -> NDArray[np.float64]:
        """float64[2]: EQR, EV over equity times pot."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.ev / (self.equity * self.pot_chips))


@dataclass(frozen=True, eq=False)
class FlopResult:
    """The spot solved on one flop."""

    flop: Flop
    exploitability_chips: float
    pot_percent: float
    iterations: int
    seconds: float
    status: str
    nodes: tuple[FlopNode, ...]


@dataclass(frozen=True, eq=False)
class FlopReport:
    """A spot on a weighted set of flops; made by :func:`report`.

    Means are over all deals: a flop counts by its weight times the pairs of hands that get to the node on it.
    """

    spot: Spot
    lines: tuple[str, ...]
    flops: tuple[FlopResult, ...]
    """In the order in which they were asked for."""
    wanted: int
    """Number of flops that were asked for; fewer have been solved if the run was stopped."""
    below: Below | None = None
    """What gave the values after the flop; then the exploitabilities are those of the game that is cut there.  None if
    every flop was solved to the end of the game."""

    def nodes(self, line: str) -> list[FlopNode]:
        """Return the node after a line on every flop.  Raises :class:`LineError` if the report has no such line."""
        if line not in self.lines:
            raise LineError(f"The report has no line {line!r}; it has {', '.join(map(repr, self.lines))}.")
        place = self.lines.index(line)
        return [result.nodes[place] for result in self.flops]

    def sizes(self, line: str) -> tuple[list[bool], list[float | None]]:
        """Return whether each action of a node is all-in, and bets and raises in per cent of the pot.

        Raises :class:`LineError` if the report has no such line.
        """
        if not self.nodes(line)[0].actions:
            return [], []
        betting = build_betting_tree(self.spot)
        children = betting.children(betting.find(line))
        return [betting.is_all_in(child) for child in children], percents_of(map(betting.share, children))

    def weights(self, line: str) -> NDArray[np.float64]:
        """Return float64[F]: how much each flop counts at a node."""
        pairs = np.array([node.pairs for node in self.nodes(line)])
        return np.array([result.flop.weight for result in self.flops]) * pairs

    def mean(self, line: str, chosen: NDArray[np.bool_] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return the means at a node over all flops, or over those that are chosen: bool[F].

        Keys: ``frequencies`` float64[A], ``ev``, ``equity`` and ``equity_realised`` float64[2].
        """
        nodes, weights = self.nodes(line), self.weights(line)
        if chosen is not None:
            if np.shape(chosen) != weights.shape:
                raise InputError(f"chosen has a truth value for each of {len(weights)} flops, not {described(chosen)}.")
            weights = np.where(chosen, weights, 0.0)
        found = {
            name: _mean(weights, [getattr(node, name) for node in nodes]) for name in ("frequencies", "ev", "equity")
        }
        pot = nodes[0].pot_chips
        return {**found, "equity_realised": found["ev"] / np.maximum(found["equity"] * pot, 1e-12)}

    def class_mean(self, line: str) -> dict[str, NDArray[np.float64]]:
        """Return the means of every class of hands at a node over all flops.

        Keys: ``weights``, ``ev`` and ``equity`` float64[2, 169], ``frequencies`` float64[A, 169]; NaN for a class that
        never gets there.
        """
        nodes = self.nodes(line)
        counts = np.array([result.flop.weight for result in self.flops])
        weights = counts[:, None, None] * np.stack([node.class_weights for node in nodes])
        own = weights[:, nodes[0].player] if nodes[0].player is not None else weights[:, 0]
        total = counts.sum()
        return {
            "weights": weights.sum(axis=0) / total,
            "ev": _mean(weights, [node.class_ev for node in nodes]),
            "equity": _mean(weights, [node.class_equity for node in nodes]),
            "frequencies": _mean(own[:, None, :], [node.class_frequencies for node in nodes]),
        }

    def only(self, words: Sequence[str]) -> FlopReport:
        """Return the report of the flops that have all of some properties: kinds of textures, or cards.

        Raises :class:`InputError` if no flop has them.
        """
        kept = tuple(result for result in self.flops if result.flop.has(words))
        if not kept:
            raise InputError(f"No flop of the report has {' and '.join(words)}.")
        return replace(self, flops=kept)

    def groups(self, by: Texture) -> dict[str, NDArray[np.bool_]]:
        """Return the flops of each kind of a texture, bool[F], the most frequent kind first; high cards from the ace.

        Raises :class:`InputError` if ``by`` is none of :data:`errai.cards.flops.TEXTURES`.
        """
        if by not in TEXTURES:
            raise InputError(f"Flops are grouped by {', '.join(TEXTURES)}, not by {by!r}.")
        kinds = np.array([getattr(result.flop, by) for result in self.flops])
        counts = {kind: sum(r.flop.weight for r in self.flops if getattr(r.flop, by) == kind) for kind in set(kinds)}
        order = (lambda k: -RANKS.index(k)) if by == "high" else (lambda k: -counts[k])
        return {str(kind): kinds == kind for kind in sorted(counts, key=order)}


def _mean(weights: NDArray[np.float64], values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return weighted means along the first axis, of what is known; NaN where nothing is."""
    stacked = np.stack(values)
    wide = weights.reshape(weights.shape + (1,) * (stacked.ndim - weights.ndim))
    wide = np.where(np.isnan(stacked), 0.0, wide)
    total = wide.sum(axis=0)
    return np.asarray((wide * np.nan_to_num(stacked)).sum(axis=0) / np.where(total > 0, total, np.nan))


def read_node(node: SolutionNode) -> FlopNode:
    """Return the numbers of a node of a solution on the flop."""
    of = class_of_hand().astype(np.int64)
    ranges = np.asarray(node.ranges)

    def by_class(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        known = np.isfinite(values) & (weights > 0)
        total = np.bincount(of[known], weights[known], CLASSES)
        sums = np.bincount(of[known], weights[known] * values[known], CLASSES)
        return np.asarray(sums / np.where(total > 0, total, np.nan))

    weights = node.pair_weights
    acts = node.player if node.player is not None else 0
    return FlopNode(
        line=node.line,
        player=node.player,
        actions=node.actions,
        pot_chips=node.pot_chips,
        pairs=pair_weight(node.solution.tree.root.hands, ranges),
        frequencies=np.asarray(node.frequencies),
        ev=np.asarray(node.range_ev),
        equity=np.asarray(node.range_equity),
        class_weights=np.stack([np.bincount(of, weights[p], CLASSES) for p in (0, 1)]),
        class_ev=np.stack([by_class(node.ev[p], weights[p]) for p in (0, 1)]),
        class_equity=np.stack([by_class(node.equity[p], weights[p]) for p in (0, 1)]),
        class_frequencies=np.array([by_class(row, weights[acts]) for row in node.strategies.T]).reshape(-1, CLASSES),
    )
