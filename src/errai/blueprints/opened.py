"""A blueprint examined node by node, like a solution: hands, ranges and, where little follows, values.

Nothing is built beforehand.  A node's strategy is that of the buckets in which the hands of its board are.  Where the
tree that follows a node is small, its values are computed from the blueprint's strategy on all boards that may come.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.blueprints.blueprint import Blueprint
from errai.engine.units import Exploitability
from errai.errors import FileAccessError
from errai.running.recent import Recent
from errai.solutions.stored import Rows, Share, StoredProfile
from errai.solutions.subjects import menu_of
from errai.tree.deal_path import PathBoard
from errai.tree.deal_tree import DealStreet
from errai.tree.public_tree import plan_public_tree

MOST_EVALUATED = 20_000_000
"""The most numbers of the strategy below a node for which its hands' values are computed: 160 MB."""

KEPT_BOARDS = 64
"""How many boards' buckets are kept."""


class BlueprintShare(Share):
    """The strategy of a blueprint on every board."""

    def __init__(self, profile: BlueprintProfile) -> None:
        super().__init__(profile.paths, profile.blueprint.betting)
        self.blueprint = profile.blueprint
        self._buckets: Recent[tuple[int, ...], NDArray[np.int32]] = Recent(KEPT_BOARDS)

    def stored(self, board: PathBoard, node: int) -> NDArray[np.float64]:
        """Return float64[A, H_b]: the probabilities of a decision."""
        held = board.alone.hands[int(self.betting.actor[node])].hand
        return self.blueprint.node(node)[:, self._on(board.cards, board.street)[held]]

    def of_boards(
        self, deals: DealStreet, board: PathBoard, street: int, player: int, rows: Rows
    ) -> NDArray[np.float64]:
        """See :meth:`Share.of_boards`."""
        hands = deals.hands[player]
        strategies = [self.blueprint.node(int(node)) for node in rows.nodes]
        pieces = []
        for number, cards in enumerate(deals.boards.tolist()) if strategies else ():
            held = hands.hand[int(hands.start[number]) : int(hands.start[number + 1])]
            buckets = self._on(tuple(cards), street)[held]
            pieces += [strategy[:, buckets].ravel() for strategy in strategies]
        return np.concatenate(pieces) if pieces else np.zeros(0)

    def _on(self, cards: tuple[int, ...], street: int) -> NDArray[np.int32]:
        return self._buckets.get_or_make(cards, lambda: self.blueprint.abstraction.buckets(cards, street))


class BlueprintProfile(StoredProfile):
    """A blueprint whose nodes are looked at one by one; see :class:`errai.solutions.solution.Profile`."""

    status = "trained"
    """A blueprint has no certificate: its exploitability in the whole game is measured by other means."""
    taken = "computed"

    def __init__(self, blueprint: Blueprint) -> None:
        self.blueprint = blueprint
        self.menu = blueprint.menu
        super().__init__(plan_public_tree(blueprint.game, menu=menu_of(blueprint.game, blueprint.menu)))
        facts = blueprint.facts
        self.iterations = int(facts.get("iterations", 0))
        self.seconds = float(facts.get("seconds", 0.0))
        self.schedule: dict[str, Any] = {"name": str(facts.get("method", "training"))}
        self.settings: dict[str, Any] = {"precision": f"{blueprint.bits} bits", "strategy": "average", "target": None}
        self.curve = np.zeros((0, 3))
        self._share = BlueprintShare(self)

    @property
    def most_evaluated(self) -> int:
        """See :meth:`StoredProfile.most_evaluated`; here nothing is read from a file for it."""
        return MOST_EVALUATED

    @property
    def exploitability(self) -> Exploitability:
        """Raise :class:`FileAccessError`: a blueprint has no certificate."""
        raise FileAccessError(
            "A blueprint has no certificate; `errai exploitability GAME --strategy blueprint:FILE` measures what it "
            "loses in the whole game."
        )

    def share(self, board: PathBoard, node: int) -> BlueprintShare:
        """See :meth:`StoredProfile.share`."""
        return self._share

    def __repr__(self) -> str:
        return f"<Blueprint of {self.title}: {self.iterations:,} iterations>"
