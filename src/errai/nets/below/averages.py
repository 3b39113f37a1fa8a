"""A network's outputs, averaged over a lookahead's iterations: the opponent's counterfactual values for re-solving.

A network is evaluated on ranges, and while a lookahead is solved it is never evaluated on the ranges of the lookahead's
average strategy.  DeepStack (Moravčík et al. 2017) therefore averages the leaf values of all iterations, with the
weights of the average strategy.  The mean over iterations of the opponent's best-response values against each strategy
is never less than the value of one best response to all of them, so the player who averages can hold the opponent to
these values; and the lookahead's strategy was learnt from them.

The averages serve in two places: a best response inside the lookahead uses them as leaf values, and where cards are
dealt after a leaf, the opponent's values on the new board are the averages of that board.
:class:`errai.nets.below.values_below.NetsBelow` uses both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, Pair
from errai.games.hand import PublicState
from errai.kernels.protocol import LeafArrays
from errai.nets.below.leaf_boards import Answer, LastBoard
from errai.nets.below.leaves import PARTS as FEWEST_PARTS
from errai.nets.below.leaves import NetLeafValues
from errai.nets.positions import Predictor
from errai.resolving.below import leaf_at
from errai.strategies.strategy import live_hands
from errai.tree.public_tree import PublicTree

PARTS = 8
"""Number of parts into which boards are divided, by default.  An iteration over few boards takes little time, and the
averages hold many of them: on flops with all hands, 2.5 core-seconds leave a fifth of the exploitability that they
leave with 2 parts (docs/nets.md)."""

LINES_A_PART = 2
"""Boards are divided into no more parts than this allows: a tree of a few lines is solved in so few iterations that the
averages of values from earlier ones would say little of it."""


class AveragedLeafValues(NetLeafValues):
    """A network's values at the leaves of a tree, and their averages over the iterations that used them.

    Measurements use these averages, which belong to the average strategy of a run whose average is weighted by reach.
    The averages are not part of a run's checkpoints.

    Parameters
    ----------
    on_boards:
        Whether to keep averages for each board that may come next, for :meth:`on_new_street`.
    parts:
        The most parts into which boards are divided; trees of a few lines have fewer.
    net, settings:
        As for :class:`NetLeafValues`.
    """

    def __init__(self, net: Predictor, *, on_boards: bool = True, parts: int = PARTS, **settings: Any) -> None:
        super().__init__(net, parts=parts, **settings)
        self._on_boards = on_boards
        self._averages: _Averages | None = None

    def _parts_for(self, lines: int) -> int:
        return min(self.parts, max(lines // LINES_A_PART, FEWEST_PARTS))

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        found = super().learn(trunk, half)
        if self._averages is None or self._averages.trunk is not trunk:
            self._averages = _Averages(trunk, self._on_boards)
        assert self._learnt is not None
        self._averages.take_in(half, found[-1], self.boards, self._learnt.answers)
        return found

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """Return the mean leaf values; for a trunk without iterations, the network's values."""
        known = self._averages
        if known is None or known.trunk is not trunk or any(one is None for one in known.leaves):
            return super().measure(trunk, reach, exact=exact)
        leaves = [sums / weight for sums, weight in zip(known.leaves, known.weights, strict=True) if sums is not None]
        means = [[*(np.zeros_like(a) for a in reach[p][:-1]), leaves[p]] for p in (0, 1)]
        return LeafMeasurement((means[0], means[1]), (means[0], means[1]), self.zero_sum)

    @property
    def averaged(self) -> PublicTree | None:
        """The tree whose averages are known."""
        return None if self._averages is None else self._averages.trunk

    @property
    def bytes(self) -> int:
        """Memory of the averages."""
        known = self._averages
        return 0 if known is None else sum(mean.bytes for below in known.below for mean in below)

    def finish(self) -> None:
        """Let go of what was prepared, which takes far more memory than the averages; no iteration follows."""
        self.trunk, self.boards, self._latest, self._learnt = None, [], None, None
        for below in () if self._averages is None else self._averages.below:
            for mean in below:
                mean.settle()

    def on_new_street(self, state: PublicState, own: NDArray[np.float64], player: int) -> NDArray[np.float64] | None:
        """float64[H]: a player's values where cards have been dealt below the trunk, weighted by ``own``.

        ``own``, float64[H] of any scale, is the other player's reach there; it should be that of the trunk's average
        strategy.  The result is None where the cards do not lead there from a leaf of the trunk, or where no hand
        reached it.
        """
        known = self._averages
        if known is None or known.trunk.subject.state is None:
            return None
        trunk = known.trunk
        leaf = leaf_at(trunk, known.trunk.subject.state, state)
        if leaf is None or not known.below[player] or not known.not_all_in[leaf]:
            return None
        found = known.which(state.board)
        if found is None:
            return None
        number, onto = found
        line = int(known.not_all_in[:leaf].sum())
        chips, brought = (sums[line] for sums in known.below[player][number].settle())
        if not brought > 0.0:
            return None
        cards = trunk.root.hands
        values = np.zeros(len(cards))
        values[known.hands[number]] = chips * (float(own.sum()) / brought)
        return np.where(live_hands(state), values[hand_index(np.sort(onto[cards], axis=1)).astype(np.int64)], 0.0)


class _Averages:
    """Sums over iterations, by player, with the coefficients of the run's own average strategy."""

    def __init__(self, trunk: PublicTree, on_boards: bool) -> None:
        self.trunk = trunk
        self._on_boards = on_boards
        self.leaves: list[NDArray[np.float64] | None] = [None, None]
        """Values at the trunk's leaves."""
        self.below: list[list[_OnBoard]] = [[], []]
        """Sums on each board that may come next."""
        self.hands: list[NDArray[np.int64]] = []
        """int64[K]: the hands that each of these boards leaves."""
        self.not_all_in = np.zeros(0, dtype=np.bool_)
        """bool: marks the Q leaves that are not all-in."""
        self._numbers: dict[tuple[int, ...], int] = {}
        self.weights = [0.0, 0.0]

    def which(self, board: tuple[int, ...]) -> tuple[int, NDArray[np.int64]] | None:
        """Find which evaluated board equals a board up to a renaming of suits, and that renaming."""
        for g in self.trunk.deal.streets[0].stabiliser[0]:
            onto = self.trunk.root.symmetries[g]
            number = self._numbers.get(tuple(sorted(onto[list(board)].tolist())))
            if number is not None:
                return number, onto
        return None

    def take_in(
        self,
        half: HalfIteration,
        values: NDArray[np.float64],
        boards: list[LastBoard],
        answers: list[list[Answer]],
    ) -> None:
        """Add the values of a player's half of an iteration, weighted as in the average strategy."""
        player, kept, weight = half.player, half.kept, half.weight
        before = self.leaves[player]
        self.weights[player] = kept * self.weights[player] + weight
        self.leaves[player] = weight * values if before is None else kept * before + weight * values
        if not self._on_boards or len(boards) > 1 or not boards[0].not_all_in.any():
            return  # only lookaheads of one street are played from, and only lines that are not all-in
        first = boards[0]
        if not self._numbers:
            self._numbers = {after.cards: number for number, after in enumerate(first.next)}
            self.hands = [after.said.hands for after in first.next]
            self.not_all_in = first.not_all_in
        if not self.below[player]:
            seat = first.seats.index(player)
            self.below[player] = [_OnBoard(seat, first.pots[first.not_all_in]) for _ in first.next]
        for mean, answer in zip(self.below[player], answers[0], strict=True):
            mean.take_in(answer, kept, weight)


class _OnBoard:
    """Sums of one player's values on one board; an answer that is reused is added when a new one replaces it."""

    def __init__(self, seat: int, pots: NDArray[np.float64]) -> None:
        self._seat = seat
        self._pots = pots
        self._sums: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._kept = 1.0
        """The factor for the sums so far."""
        self._answer: Answer | None = None
        self._weight = 0.0
        """Weight of the answer that is to be added."""

    @property
    def bytes(self) -> int:
        """Memory of the sums."""
        return 0 if self._sums is None else sum(array.nbytes for array in self._sums)

    def take_in(self, answer: Answer, kept: float, weight: float) -> None:
        """Add the values of an iteration; the sums so far are multiplied by ``kept``."""
        if answer is not self._answer:
            if self._answer is not None:
                self.settle()
            self._answer = answer
        self._kept *= kept
        self._weight = kept * self._weight + weight

    def settle(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Add the answer; return values in chips, float64[Q, K], and the other player's reach, float64[Q]."""
        answer = self._answer
        if answer is not None:
            before = answer.before[:, 1 - self._seat]
            chips = answer.values[:, self._seat] * (self._weight * before * self._pots)[:, None]
            brought = answer.brought[:, 1 - self._seat] * (self._weight * before)
            if self._sums is not None:
                chips += self._kept * self._sums[0]
                brought += self._kept * self._sums[1]
            self._sums = chips, brought
            self._answer, self._kept, self._weight = None, 1.0, 0.0
        assert self._sums is not None
        return self._sums
