"""A strategy profile on disk, examined node by node: in a solution file, and what runs in folders share with it.

No board is built beforehand.  A node's board is found among the children of the boards on its line, and its strategy is
a range of one array of a *share*: a whole file, the trunk of a run, or a block.  All shares are laid out as the kernels
take them: per street and player, board after board ``[rows, H_b]``; they differ in the boards and betting nodes that
they have.  The values of hands are computed on the tree that follows the node, if that is small.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.engine.resources import default_threads
from errai.engine.units import Exploitability
from errai.errors import DamagedFileError
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, DECISION, FIXED, LEAF, TreeArrays
from errai.kernels.protocol import Arrays, Kernel, LeafArrays, matched, one_in
from errai.running.recent import Recent
from errai.solutions.artefact import damage_in, load_solution, read_first_street, read_plan
from errai.solutions.node_board import NodeBoard, NodeReach
from errai.solutions.solution import KIND, MOST_EVALUATED, FirstStreetValues, Profile, ProfileValues, Solution
from errai.store.container import Container, open_container
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_path import DealPaths, PathBoard
from errai.tree.deal_tree import DealStreet
from errai.tree.public_tree import TreePlan, street_arrays, tie
from errai.tree.subgame import nodes_from

KEPT_PARTS = 2

LeafVectors = Mapping[int, tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Values of the leaves of a share's last street for each player, by the role of that player; may be empty."""


@dataclass(frozen=True)
class Rows:
    """The rows of one player on one street of a share."""

    nodes: NDArray[np.int64]
    """Decision nodes, ascending, by their numbers in the whole betting tree."""
    first: NDArray[np.int64]
    """The first row of each node, and the number of all rows."""

    @property
    def count(self) -> int:
        """Number of rows in all."""
        return int(self.first[-1])


def rows_of(betting: BettingTree, nodes: NDArray[np.int64], player: int) -> Rows:
    """Return the rows of a player's decisions among some nodes of a street."""
    own = nodes[(betting.kind[nodes] == DECISION) & (betting.actor[nodes] == player)]
    return Rows(own, np.concatenate([[0], np.cumsum(betting.num_children[own])]))


class Share(ABC):
    """A whole file, a blueprint, the trunk or a block; streets, boards and nodes are counted as in the whole game."""

    def __init__(self, paths: DealPaths, betting: BettingTree) -> None:
        self.paths = paths
        self.betting = betting
        self._rows: dict[tuple[int, int], Rows] = {}

    @property
    def last_street(self) -> int:
        """The last street of the share."""
        return self.betting.num_streets - 1

    def nodes(self, street: int) -> NDArray[np.int64]:
        """Return the betting nodes of a street in the share, ascending; by default all."""
        return np.asarray(self.betting.street_nodes(street), dtype=np.int64)

    def before(self, board: PathBoard, street: int) -> NDArray[np.int64]:
        """Return int64[2]: each player's classes on a street, on the share's boards before those below ``board``.

        By default the share has all boards.
        """
        return self.paths.classes_before(board, street)

    def rows(self, street: int, player: int) -> Rows:
        """Return a player's rows on a street."""
        if (street, player) not in self._rows:
            self._rows[street, player] = rows_of(self.betting, self.nodes(street), player)
        return self._rows[street, player]

    def strategy(self, board: PathBoard, node: int) -> NDArray[np.float64]:
        """Return float64[A, H_b]: probabilities of the actions at a decision on a board of its street."""
        return matched(self.stored(board, node))

    @abstractmethod
    def stored(self, board: PathBoard, node: int) -> NDArray[Any]:
        """Return [A, H_b]: the stored numbers from which the strategy of a decision is computed."""

    @abstractmethod
    def of_boards(self, deals: DealStreet, board: PathBoard, street: int, player: int, rows: Rows) -> NDArray[Any]:
        """Return some rows of all boards of a street below a board, board after board.

        ``deals`` has these boards and their hands.
        """


class ArrayShare(Share):
    """A share whose numbers are in arrays, laid out as the kernels take them."""

    @abstractmethod
    def elements(self, street: int, player: int, first: int, last: int) -> NDArray[Any]:
        """Return some elements of the array from which the strategy is computed.  Raises :class:`DamagedFileError`."""

    def stored(self, board: PathBoard, node: int) -> NDArray[Any]:
        player, street = int(self.betting.actor[node]), board.street
        rows, hands = self.rows(street, player), int(self.paths.classes_below(board, street)[player])
        place = int(np.searchsorted(rows.nodes, node))
        first, last = (
            rows.count * int(self.before(board, street)[player]) + rows.first[place : place + 2] * hands
        ).tolist()
        return self.elements(street, player, first, last).reshape(-1, hands)

    def of_boards(self, deals: DealStreet, board: PathBoard, street: int, player: int, rows: Rows) -> NDArray[Any]:
        start = deals.hands[player].start
        whole, before = self.rows(street, player), int(self.before(board, street)[player])
        if rows.count == whole.count:
            return np.ascontiguousarray(
                self.elements(street, player, whole.count * before, whole.count * (before + int(start[-1])))
            )
        places = np.searchsorted(whole.nodes, rows.nodes)
        neighbours = np.split(places, np.flatnonzero(np.diff(places) != 1) + 1) if len(places) else []
        runs = [(int(whole.first[run[0]]), int(whole.first[run[-1] + 1])) for run in neighbours]
        pieces = [
            self.elements(street, player, begin + first * hands, begin + last * hands)
            for a, b in pairwise(start.tolist())
            for begin, hands in ((whole.count * (before + a), b - a),)
            for first, last in runs
        ]
        return np.concatenate(pieces) if pieces else self.elements(street, player, 0, 0)


@dataclass(frozen=True)
class Part:
    """The tree below a node in its share: it begins with a decision's children, else with the node itself."""

    tree: TreeArrays
    kernel: Kernel
    strategy: Arrays
    leaves: Mapping[int, tuple[LeafArrays, LeafArrays]]
    """The values of a trunk's leaves for each player, by the role of that player, FIXED or BEST; else empty."""

    def values(self, player: int, reach: NDArray[np.float64], *, best: bool = False) -> NDArray[np.float64]:
        """Return float64[E, H_b]: the player's counterfactual values at the E nodes with which the part begins.

        ``reach``, float64[E, H_b], is the opponent's reach at each of them.  With ``best`` the player responds best.
        """
        street = self.tree.streets[0]
        own = np.ones(street.num_entries * int(street.hands[player].start[-1]))
        both = (own, reach.ravel()) if player == 0 else (reach.ravel(), own)
        role = BEST if best else FIXED
        leaves = self.leaves[role][player] if self.leaves else None
        found = self.kernel.root_values(self.strategy, player, role=role, leaf_values=leaves, reach=both)
        return found.reshape(street.num_entries, -1)


def make_part(share: Share, board: PathBoard, node: int, leaf_values: LeafVectors, threads: int) -> Part:
    """Build the tree below a node on a board, and read its strategy.

    ``leaf_values`` are those of the whole trunk for a node of the trunk, else empty.
    """
    betting, root = share.betting, share.paths.root
    deal = share.paths.below(board, share.last_street)
    nodes = nodes_from(betting, betting.children(node) if betting.actions(node) else [node], share.last_street)
    cards = root.hands.astype(np.uint8)
    streets = tuple(street_arrays(betting, n, level, cards) for n, level in zip(nodes, deal.streets, strict=True))
    reach = tuple(np.ones(streets[0].num_entries * int(h.start[-1])) for h in streets[0].hands)
    tree = TreeArrays(streets, root.deck.num_cards, tie(betting, root), (reach[0], reach[1]))
    strategy: Arrays = [
        [share.of_boards(deal.streets[i], board, board.street + i, p, rows_of(betting, nodes[i], p)) for p in (0, 1)]
        for i in range(len(streets))
    ]
    leaves = {}
    for role, values in leaf_values.items():
        first, second = (_leaf_part(share, board, nodes[-1], tree, values[p], p) for p in (0, 1))
        leaves[role] = first, second
    return Part(tree, make_kernel("cpu", tree, threads), strategy, leaves)


def _leaf_part(
    share: Share,
    board: PathBoard,
    nodes: NDArray[np.int64],
    tree: TreeArrays,
    values: NDArray[np.float64],
    player: int,
) -> LeafArrays:
    """Return the values of the leaves below a node, taken from those of the whole trunk."""
    street = share.last_street
    every, mine = (n[share.betting.kind[n] == LEAF] for n in (share.nodes(street), nodes))
    taken = np.searchsorted(every, mine)
    before = int(share.before(board, street)[player])
    pieces = [
        values[len(every) * (before + first) : len(every) * (before + last)].reshape(len(every), -1)[taken].reshape(-1)
        for first, last in pairwise(tree.streets[-1].hands[player].start.tolist())
    ]
    zeros = [np.zeros(0) for _ in tree.streets[:-1]]
    return [*zeros, np.concatenate(pieces)]


@dataclass(frozen=True)
class StoredBoard(NodeBoard):
    """A board of a profile on disk; see :class:`errai.solutions.node_board.NodeBoard`."""

    solution: StoredProfile
    board: PathBoard

    @property
    def key(self) -> Hashable:
        return self.board.cards

    def child(self, cards: tuple[int, ...]) -> tuple[StoredBoard, NDArray[np.int64]]:
        found, card_map = self.board.find(cards)
        return StoredBoard(self.solution, found), card_map

    def members(self, player: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        hands = self.board.alone.hands[player]
        return hands.member, np.repeat(np.arange(len(hands.hand)), np.diff(hands.member_start))

    def strategy(self, node: int) -> NDArray[np.float64]:
        return self.solution.share(self.board, node).strategy(self.board, node)

    def why_no_values(self, node: int) -> str:
        return self.solution.why_no_values(self.board, node)

    def values(self, player: int, node: int, opponent: NodeReach, *, best: bool = False) -> NDArray[np.float64]:
        betting, kept = self.solution.plan.betting, self.solution.first_street
        if self.board.street == 0 and kept is not None:
            return kept.at(betting, player, node, best=best)
        part = self.solution.part(self.board, node)
        if not betting.actions(node):
            return part.values(player, opponent.here[None, :], best=best)
        strategy = self.strategy(node)
        if betting.actor[node] != player:
            return np.asarray(part.values(player, strategy * opponent.here, best=best).sum(axis=0, keepdims=True))
        after = part.values(player, np.tile(opponent.here, (len(strategy), 1)), best=best)
        here = after.max(axis=0, keepdims=True) if best else (strategy * after).sum(axis=0, keepdims=True)
        return np.concatenate([here, after])


class StoredProfile(Profile):
    """A profile on disk whose nodes are read one by one."""

    taken = "read"
    """What happens to the numbers from which values are computed."""
    remedy = ""
    """A sentence, after a space, that says how to get the values of hands everywhere."""

    def __init__(self, plan: TreePlan) -> None:
        self.plan = plan
        self.tree = plan  # its boards are not built
        self.threads = default_threads()
        self.paths = DealPaths(plan.root, showdown=plan.showdown)
        self._parts: Recent[tuple[tuple[int, ...], int], Part] = Recent(KEPT_PARTS)

    @property
    def most_evaluated(self) -> int:
        """The most pairs of information set and action below a node for which its hands' values are computed."""
        return MOST_EVALUATED

    @property
    def root_board(self) -> StoredBoard:
        """The board at the root, as nodes see it."""
        return StoredBoard(self, self.paths.first)

    @abstractmethod
    def share(self, board: PathBoard, node: int) -> Share:
        """Return the arrays that hold a node on a board."""

    def leaf_vectors(self, share: Share) -> LeafVectors:
        """Return the values of the leaves of a share; empty if it has none."""
        return {}

    def why_no_values(self, board: PathBoard, node: int) -> str:
        """Return a sentence that says why a node's values are not known; '' if they are."""
        if board.street == 0 and self.first_street is not None:
            return ""
        share, entries = self.share(board, node), 0
        for i, nodes in enumerate(nodes_from(share.betting, [node], share.last_street)):
            classes = share.paths.classes_below(board, board.street + i)
            if len(nodes):  # after an all-in no decision follows, and yet hands on all boards do
                entries += sum(max(rows_of(share.betting, nodes, p).count, 1) * int(classes[p]) for p in (0, 1))
        if entries <= self.most_evaluated:
            return ""
        return (
            f"EVs are not known here: the tree that follows has {entries:,} entries, and at most "
            f"{self.most_evaluated:,} are {self.taken}.{self.remedy}"
        )

    def part(self, board: PathBoard, node: int) -> Part:
        """Return the tree below a node, in memory; the most recent ones are kept."""

        def made() -> Part:
            share = self.share(board, node)
            return make_part(share, board, node, self.leaf_vectors(share), self.threads)

        return self._parts.get_or_make((board.cards, node), made)


class FileShare(ArrayShare):
    """All streets of a solution file, which is open in ``container``."""

    def __init__(self, paths: DealPaths, betting: BettingTree, container: Container) -> None:
        super().__init__(paths, betting)
        self.container = container

    def elements(self, street: int, player: int, first: int, last: int) -> NDArray[Any]:
        """See :class:`Share`; the checksums of the chunks that hold the elements are verified."""
        return self.container.arrays.part(f"strategy/{street}/{player}", first, last)

    def strategy(self, board: PathBoard, node: int) -> NDArray[np.float64]:
        """See :meth:`Share.strategy`.  Raises :class:`DamagedFileError` also if the numbers are no probabilities."""
        own = self.stored(board, node)
        one = one_in(own.dtype)
        off = 1e-6 if one == 1.0 else len(own) / 2.0
        if not ((own >= 0).all() and (np.abs(own.sum(axis=0, dtype=np.float64) - one) <= off).all()):
            raise DamagedFileError(f"{self.container.path}: the strategy has numbers that are not probabilities.")
        return matched(own)


class SolutionFile(StoredProfile):
    """A solution file whose nodes are read one by one, in milliseconds however large it is.

    Values of hands are known on the first street, and where at most :data:`~errai.solutions.solution.MOST_EVALUATED`
    numbers of the strategy follow; elsewhere ``ev`` is NaN and ``why_no_ev`` gives the reason.  Only the checksums of
    what is read are verified; :func:`errai.load_solution` and ``errai verify`` check every byte.

    Made by :func:`open_solution`.
    """

    remedy = " Load the whole file to get them: --whole, or errai.load_solution."

    def __init__(self, container: Container, facts: dict[str, Any], plan: TreePlan) -> None:
        super().__init__(plan)
        self.container = container
        self.exploitability: Exploitability = facts["exploitability"]
        self.values: ProfileValues = facts["values"]
        self.status: str = facts["status"]
        self.iterations: int = facts["iterations"]
        self.seconds: float = facts["seconds"]
        self.schedule: dict[str, Any] = facts["schedule"]
        self.curve: NDArray[np.float64] = facts["curve"]
        self.settings: dict[str, Any] = facts["settings"]
        self.menu: str | None = facts["menu"]
        self.memory_bytes: int = facts["memory_bytes"]
        self.whole = FileShare(self.paths, plan.betting, container)

    @cached_property
    def first_street(self) -> FirstStreetValues | None:
        """See :attr:`Profile.first_street`; read when it is first needed.  Raises :class:`DamagedFileError`."""
        return read_first_street(self.container, self.plan)

    @property
    def root_gains(self) -> tuple[float, float]:
        return self.exploitability.by_player

    @property
    def checks_what_is_read(self) -> bool:
        """Whether the file has checksums of parts; files of older versions have them only for whole arrays."""
        return all(map(self.container.arrays.checks_parts, self.container.arrays))

    def share(self, board: PathBoard, node: int) -> FileShare:
        return self.whole

    def __repr__(self) -> str:
        return (
            f"<Solution of {self.title} in {self.container.path}: exploitability {self.exploitability}, "
            f"{self.iterations:,} iterations>"
        )


def open_solution(path: str | Path) -> SolutionFile | Solution:
    """Open a solution file of any size to look at its nodes, each of which is read when it is needed.

    Solutions that cannot be read in parts are loaded as by :func:`errai.load_solution`: spots whose strategically
    equivalent hands are merged or whose run-outs are a matrix, which are small; solutions with locks; and trees that
    are cut.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        If there is no such file, it is of another kind, or what is read of it is damaged.
    TreeTooLargeError
        If the file is loaded, and its tree does not fit into this machine's memory.
    """
    container = open_container(path, KIND, checked=False)
    with damage_in(path):
        facts, plan = read_plan(container)
        if plan.root.equivalence is not None or plan.run_out or plan.locks is not None or facts["below"] is not None:
            return load_solution(path)
        return SolutionFile(container, facts, plan)
