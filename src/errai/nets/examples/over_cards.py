"""The mean of a network's values over the cards that may come: what an auxiliary network learns.

Method: Moravčík et al., "DeepStack" (Science 356, 2017).  Before the flop a lookahead has hundreds of lines and 22,100
flops below each.  Their network for the flop is therefore asked once about all flops, for situations drawn at random,
and an auxiliary network learns the mean of its values.  Here boards that are equal up to a renaming of suits are asked
about once, because ranges before the first card do not depend on suits: 1,755 flops in hold'em.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from errai.games.game import Game
from errai.games.lookahead import lookahead
from errai.nets.below.leaf_boards import Members
from errai.nets.below.leaves import NetLeafValues
from errai.nets.networks.classes import class_matchups
from errai.nets.positions import Floats, Positions, Predictor
from errai.tree.public_tree import plan_public_tree

TOGETHER = 25
"""Positions that are asked about together: 400 MB of values on all flops."""


class OverCards:
    """The mean of a network's values over all cards that may come at the beginning of its round.

    Preparing all flops takes some four minutes of one processor, 1.6 GB of memory and 5 GB of temporary files.

    Parameters
    ----------
    net:
        A network of round 1.
    threads:
        How many boards are evaluated at once; by default one for each processor.
    preparing:
        Called with the number of boards that have been prepared, and of all.
    """

    def __init__(
        self,
        net: Predictor,
        game: Game,
        *,
        threads: int | None = None,
        preparing: Callable[[int, int], None] | None = None,
    ) -> None:
        self.digest = net.digest
        trunk = plan_public_tree(lookahead(game, depth=net.round - 1, menu="100%"), last_street=net.round - 1).build()
        leaves = NetLeafValues(net, threads=threads)
        leaves.preparing = preparing
        (self._board,) = leaves.boards_after(trunk)
        self._threads = threads
        classes = class_matchups(game)
        order = np.argsort(classes.class_of, kind="stable")
        sizes = classes.sizes
        self._members = Members(slice(0, len(sizes)), order, np.cumsum(sizes) - sizes, sizes)
        self._class_of = classes.class_of

    def values(self, positions: Positions) -> Floats:
        """Return the values of positions before the cards, float32[N, P, H]; see :mod:`errai.nets.positions`."""
        found = np.empty_like(positions.ranges)
        for first in range(0, len(positions), TOGETHER):
            some = slice(first, first + TOGETHER)
            ranges, stacks = positions.ranges[some].astype(np.float64), positions.stacks[some].astype(np.float64)
            members = self._members
            of_classes = np.add.reduceat(ranges[..., members.hands], members.starts, axis=-1) / members.sizes
            board = replace(
                self._board,
                seats=(0, 1),
                hands=ranges.shape[-1],
                classes=(members.classes, members.classes),
                members=(members, members),
                pots=np.ones(len(ranges)),
                stacks=stacks,
                shown=None,
                lines=("",) * len(ranges),
            )
            values = board.values([of_classes[:, 0], of_classes[:, 1]], [], [], self._threads)
            found[some] = np.stack(values, axis=1)[..., self._class_of]
        return found
