"""What a network said below a lookahead, averaged over its iterations: what the opponent is held to from there on.

A network answers a question about ranges, and the ranges of a lookahead's average strategy are ones about which it was
never asked while that was found.  DeepStack (Moravčík et al. 2017) averages what the leaves were worth in each
iteration instead, with the weights of the strategy's own average.  The mean over iterations of what an opponent gets by
responding best to each is never less than what he gets by responding best to all of them at once, so these are values
that the player who averages can keep him to; and they are what the lookahead learnt from.

They serve in two places: a best response inside the lookahead takes them at its leaves, and where cards are dealt
below one, the opponent's values on the new board are those of that board.
:class:`errai.nets.below.leaves.NetLeaves` asks for both.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errai.cards.hands import hand_index
from errai.engine.leaf_values import HalfIteration, LeafMeasurement, Pair
from errai.games.hand import PublicState
from errai.games.lookahead import Lookahead
from errai.kernels.protocol import COEFFICIENTS, LeafArrays
from errai.nets.below.leaf_boards import LastBoard, NextBoard
from errai.nets.below.leaves import NetLeafValues
from errai.resolving.below import leaf_at
from errai.strategies.strategy import live_hands
from errai.tree.public_tree import PublicTree

_KEPT, _WEIGHT = COEFFICIENTS.index("average"), COEFFICIENTS.index("weight")


class AveragedLeafValues(NetLeafValues):
    """What a network says of the leaves of a tree, and its averages over the iterations that learnt from it.

    It measures with these averages: they belong to the average strategy of a run whose average is weighted by reach.
    What it has learnt is not part of a run's checkpoints.
    """

    _averages: _Averages | None = None

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        """See :meth:`NetLeafValues.learn`."""
        found = super().learn(trunk, half)
        if self._averages is None or self._averages.trunk is not trunk:
            self._averages = _Averages(trunk)
        kept, weight = float(half.coefficients.flat[_KEPT]), float(half.coefficients.flat[_WEIGHT])
        self._averages.take_in(half.player, found[-1], self.boards, kept, weight)
        return found

    def measure(self, trunk: PublicTree, reach: Pair, *, exact: bool = True) -> LeafMeasurement:
        """What the leaves were worth in the mean; of a trunk that has learnt nothing, what the network says."""
        known = self._averages
        if known is None or known.trunk is not trunk or any(one is None for one in known.leaves):
            return super().measure(trunk, reach, exact=exact)
        means = [[*(np.zeros_like(a) for a in reach[p][:-1]), known.mean(p)] for p in (0, 1)]
        return LeafMeasurement((means[0], means[1]), (means[0], means[1]), self.zero_sum)

    @property
    def averaged(self) -> PublicTree | None:
        """The tree whose averages are known."""
        return None if self._averages is None else self._averages.trunk

    @property
    def bytes(self) -> int:
        """Memory of the averages."""
        known = self._averages
        if known is None:
            return 0
        return sum(chips.nbytes + brought.nbytes for below in known.below for chips, brought in below)

    def finish(self) -> None:
        """Nothing more is learnt: let go of what the network prepared, which takes far more memory than averages."""
        self.trunk, self.boards = None, []

    def on_new_street(self, state: PublicState, own: NDArray[np.float64], player: int) -> NDArray[np.float64] | None:
        """float64[H]: a player's values where cards have been dealt below the trunk, weighted by ``own``.

        ``own``, float64[H] of any scale, is what the other player brings there; it should be what the trunk's average
        strategy brings.  None where the cards do not lead there from a leaf of the trunk, or where nobody got to it.
        """
        known = self._averages
        if known is None or not isinstance(known.trunk.subject, Lookahead):
            return None
        trunk = known.trunk
        leaf = leaf_at(trunk, known.trunk.subject, state)
        if leaf is None or not known.below[player] or not known.goes_on[leaf]:
            return None
        found = known.which(state.board)
        if found is None:
            return None
        number, onto = found
        line = int(known.goes_on[:leaf].sum())
        chips, brought = (known.below[player][number][k][line] for k in (0, 1))
        if not brought > 0.0:
            return None
        cards = trunk.root.hands
        values = np.zeros(len(cards))
        values[known.hands[number]] = chips * (float(own.sum()) / brought)
        return np.where(live_hands(state), values[hand_index(np.sort(onto[cards], axis=1)).astype(np.int64)], 0.0)


class _Averages:
    """Sums over iterations, by player, with the coefficients of the run's own average."""

    def __init__(self, trunk: PublicTree) -> None:
        self.trunk = trunk
        self.leaves: list[NDArray[np.float64] | None] = [None, None]
        """Values at the trunk's leaves."""
        self.below: list[list[tuple[NDArray[np.float64], NDArray[np.float64]]]] = [[], []]
        """On each board that may follow the first: values in chips, float64[Q, K], and the weight that the other player
        brought, float64[Q]."""
        self.hands: list[NDArray[np.int64]] = []
        """int64[K]: those that each of these boards leaves."""
        self.goes_on = np.zeros(0, dtype=np.bool_)
        """bool: the leaves that are not all-in; Q of them."""
        self._numbers: dict[tuple[int, ...], int] = {}
        self._weights = [0.0, 0.0]

    def mean(self, player: int) -> NDArray[np.float64]:
        """Values at the trunk's leaves."""
        leaves = self.leaves[player]
        assert leaves is not None
        return leaves / self._weights[player]

    def which(self, board: tuple[int, ...]) -> tuple[int, NDArray[np.int64]] | None:
        """Which of the boards that were asked about is a board with suits renamed, and how they are renamed."""
        for g in self.trunk.deal.streets[0].stabiliser[0]:
            onto = self.trunk.root.symmetries[g]
            number = self._numbers.get(tuple(sorted(onto[list(board)].tolist())))
            if number is not None:
                return number, onto
        return None

    def take_in(
        self, player: int, values: NDArray[np.float64], boards: list[LastBoard], kept: float, weight: float
    ) -> None:
        """What an iteration said; ``kept`` of the sums so far stays."""
        before = self.leaves[player]
        self._weights[player] = kept * self._weights[player] + weight
        self.leaves[player] = weight * values if before is None else kept * before + weight * values
        if len(boards) > 1 or not boards[0].goes_on.any():
            return  # only lookaheads of one street are played from, and only lines that are not all-in
        new = [_in_chips(boards[0], after, player) for after in boards[0].next]
        if not self._numbers:
            self._numbers = {after.cards: number for number, after in enumerate(boards[0].next)}
            self.hands = [after.said.hands for after in boards[0].next]
            self.goes_on = boards[0].goes_on
        if before is None:
            self.below[player] = [(weight * chips, weight * brought) for chips, brought in new]
            return
        for (chips, brought), (more_chips, more_brought) in zip(self.below[player], new, strict=True):
            chips *= kept
            chips += weight * more_chips
            brought *= kept
            brought += weight * more_brought


def _in_chips(board: LastBoard, after: NextBoard, player: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What was said of a player last: float64[Q, K] in chips, and float64[Q] of what the other one brought there."""
    i = board.seats.index(player)
    assert board.brought is not None
    assert after.latest is not None
    assert after.brought is not None
    brought = board.brought[board.goes_on, 1 - i]
    chips = after.latest[:, i] * (brought * board.pots[board.goes_on])[:, None]
    return chips, after.brought[:, 1 - i] * brought
