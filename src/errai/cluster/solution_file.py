"""A solution file examined node by node: even of gigabytes, only what is shown is read and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cluster.stored import Share, StoredProfile
from errai.engine.units import Exploitability
from errai.errors import DamagedFileError
from errai.kernels.protocol import matched, one_in
from errai.solutions.artefact import damage_in, load_solution, read_plan
from errai.solutions.solution import KIND, ProfileValues, Solution
from errai.store.container import Container, open_container
from errai.tree.betting_tree import BettingTree
from errai.tree.deal_path import DealPaths, PathBoard
from errai.tree.public_tree import TreePlan


class FileShare(Share):
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

    Values of hands are known where at most :data:`~errai.cluster.stored.MOST_EVALUATED` numbers of the strategy follow;
    elsewhere ``ev`` is NaN and ``why_no_ev`` gives the reason.  Only the checksums of what is read are verified;
    :func:`errai.load_solution` and ``errai verify`` check every byte.

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
