"""A stored solution of any size: its nodes, without loading it.

Opening a run builds its betting tree and reads a header.  A node then reads, for every decision on its line, only the
chunks of the trunk or of a block that hold that decision.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cluster.folder import RunFolder, StoredCertificate, load_certificate, run_container, run_facts
from errai.cluster.partition import Partition
from errai.engine.resources import DTYPES
from errai.engine.units import Exploitability
from errai.errors import DamagedFileError, FileAccessError, InputError
from errai.kernels.layout import BEST, FIXED
from errai.running.recent import Recent
from errai.solutions.checkpoints import run_progress, schedule_facts
from errai.solutions.solution import ProfileValues
from errai.solutions.stored import ArrayShare, LeafVectors, Share, StoredProfile
from errai.solutions.subjects import menu_of, read_subject
from errai.store.container import Container
from errai.store.packing import BlockFile
from errai.tree.deal_path import PathBoard
from errai.tree.public_tree import plan_public_tree
from errai.tree.subgame import entry_count, nodes_below

KEPT_BLOCKS = 16

CHECKED_BYTES = 16 << 20
"""For arrays of the trunk up to this size the checksum is verified when they are first read."""


class TrunkShare(ArrayShare):
    """The streets of a run before the cut, in its checkpoint; the nodes have the numbers of the whole betting tree."""

    def __init__(self, run: StoredSolution) -> None:
        last, menu = run.partition.street - 1, menu_of(run.subject, run.menu)
        super().__init__(run.paths, plan_public_tree(run.subject, menu=menu, last_street=last).betting)
        self.container = run.checkpoint
        self.group = run.group
        self._checked: set[str] = set()

    def elements(self, street: int, player: int, first: int, last: int) -> NDArray[Any]:
        """See :class:`Share`; a view of the file."""
        return self.array(street, player)[first:last]

    def array(self, street: int, player: int) -> NDArray[Any]:
        """Return a whole array, mapped to the file."""
        name = f"{self.group}/{street}/{player}"
        size = self.betting.num_rows(street, player) * self.paths.size.classes[street][player]
        arrays = self.container.arrays
        if name not in arrays:
            raise DamagedFileError(f"{self.container.path} lacks the array {name!a}.")
        array = arrays[name]
        if array.shape != (size,) or array.dtype not in (np.float32, np.float64):
            raise DamagedFileError(f"The array {name} of {self.container.path} does not fit the game.")
        if array.nbytes <= CHECKED_BYTES and name not in self._checked:
            arrays.check(name)
            self._checked.add(name)
        return array


class BlockShare(ArrayShare):
    """A block of a run below the cut, in a file for each player."""

    def __init__(self, run: StoredSolution, number: int) -> None:
        super().__init__(run.paths, run.plan.betting)
        self.run = run
        self.number = number
        self.street = run.partition.street
        self.dtype = np.dtype(DTYPES[run.precision])
        if run.averages and self.dtype == np.int16:
            self.dtype = np.dtype(np.uint16)
        self._files: dict[int, BlockFile] = {}
        block = run.partition.blocks[number]
        self._nodes = nodes_below(self.betting, self.street, block.entries)
        ends, streets = (block.boards.start, block.boards.stop), range(self.street, self.betting.num_streets)
        self._bounds = np.array([[run.paths.classes_before_number(self.street, b, s) for b in ends] for s in streets])
        """int64[streets from the cut on, 2, 2]: classes of the whole game before the block's boards and after them."""

    def nodes(self, street: int) -> NDArray[np.int64]:
        return self._nodes[1 + street - self.street]

    def before(self, board: PathBoard, street: int) -> NDArray[np.int64]:
        return np.asarray(self.paths.classes_before(board, street) - self._bounds[street - self.street][0])

    def elements(self, street: int, player: int, first: int, last: int) -> NDArray[Any]:
        """See :class:`Share`; only the chunks that hold the elements are unpacked."""
        run = self.run
        if run.iterations == 0:
            return np.zeros(last - first, self.dtype)
        before, after = self._bounds[street - self.street]
        size = self.rows(street, player).count * int(after[player] - before[player])
        if player not in self._files:
            self._files[player] = run.place.open_block(run.facts["run"], self.number, player, run.iterations)
        name = f"{run.group}/{street - self.street + 1}"
        return self._files[player].read_range(name, self.dtype, size, first, last)


class StoredSolution(StoredProfile):
    """A strategy profile in the folder of a run, examined node by node.

    ``stored.at("r r / Ks9d4h b")`` returns a :class:`~errai.solutions.node.SolutionNode` in milliseconds, however large
    the run is.  Values of hands are known at the trunk's nodes, if the certificate is that of the stored strategy, and
    below the trunk where the tree that follows is small; elsewhere ``ev`` is NaN and ``why_no_ev`` gives the reason.
    The folder is not locked: a run that is resumed meanwhile removes the files that were opened here some iterations
    later.

    Made by :func:`open_run`.
    """

    def __init__(
        self, place: RunFolder, facts: dict[str, Any], checkpoint: Container, certificate: StoredCertificate | None
    ) -> None:
        self.place = place
        self.facts = facts
        self.checkpoint = checkpoint
        subject, self.menu = read_subject(facts["game"])
        super().__init__(plan_public_tree(subject, menu=menu_of(subject, self.menu)))
        self.partition = Partition.from_dict(facts["partition"], self.plan)
        self.precision: str = facts["block_precision"]
        self.averages: bool = facts["averages"]
        self.iterations, self.seconds, curve = run_progress(checkpoint.path, checkpoint.metadata)
        self.curve = np.array(curve, dtype=np.float64).reshape(-1, 3)
        self.schedule = schedule_facts(checkpoint.path, checkpoint.metadata)
        self.latest = certificate
        """The certificate in the folder, of this iteration or an earlier one."""
        self.certificate = certificate if certificate is not None and certificate.iteration == self.iterations else None
        """The certificate of the stored strategy; None if there is none."""
        self.status: str = "running" if self.certificate is None else self.certificate.status
        """As for :class:`errai.solutions.solution.Solution`; ``running`` if there is no certificate."""
        self.group = "sums" if self.averages else "regrets"
        """Name of the arrays from which the strategy is computed."""
        shown = "average" if self.averages else "current"
        self.settings: dict[str, Any] = {"precision": self.precision, "strategy": shown, "target": None}
        """Precision of the blocks, and which strategy is shown."""
        self._starts = [(b.boards.start, b.entries.start) for b in self.partition.blocks]
        self._blocks: Recent[int, BlockShare] = Recent(KEPT_BLOCKS)

    # --- as a solution in memory -----------------------------------------------------------------------------------

    @property
    def why_no_certificate(self) -> str:
        """A sentence that says why there is no certificate."""
        made = "none yet" if self.latest is None else f"only one of iteration {self.latest.iteration:,}"
        return (
            f"The run in {self.place.path} is at iteration {self.iterations:,}; its certificate is written when it "
            f"stops, and there is {made}."
        )

    @property
    def exploitability(self) -> Exploitability:
        """The certified exploitability.  Raises :class:`FileAccessError` if the stored strategy has no certificate."""
        found = self.certified()
        return Exploitability(found.exploitability_chips, self.units, found.gain_chips)

    @property
    def values(self) -> ProfileValues:
        """What the profile earns; raises like :attr:`exploitability`."""
        return ProfileValues(self.certified().value_chips)

    @property
    def root_gains(self) -> tuple[float, float] | None:
        return None if self.certificate is None else self.certificate.gain_chips

    # --- where things lie ------------------------------------------------------------------------------------------

    @cached_property
    def trunk(self) -> TrunkShare:
        """The arrays of the trunk."""
        return TrunkShare(self)

    def share(self, board: PathBoard, node: int) -> Share:
        """Return the trunk or the block that holds a node on a board."""
        cut = self.partition.street
        if board.street < cut:
            return self.trunk
        while board.above is not None and board.street > cut:
            board = board.above
        betting = self.plan.betting
        first = int(betting.street_start[cut])
        while betting.parent[node] >= first:
            node = int(betting.parent[node])
        place = self.paths.number(board), node - first
        number = max(bisect_right(self._starts, place) - 1, 0)
        block = self.partition.blocks[number]
        if place[0] not in block.boards or place[1] not in block.entries:
            raise DamagedFileError(f"{self.place.checkpoint}: the blocks of the partition are out of order.")
        return self._blocks.get_or_make(number, lambda: BlockShare(self, number))

    def leaf_vectors(self, share: Share) -> LeafVectors:
        """Return the values of the trunk's leaves from the certificate; raises an error if there is none."""
        if not isinstance(share, TrunkShare):
            return {}
        certificate, last = self.certified(), share.last_street
        lines = entry_count(self.plan.betting, last + 1)
        first, second = (lines * self.paths.size.classes[last][p] for p in (0, 1))
        return {
            role: (certificate.leaves(name, 0, first), certificate.leaves(name, 1, second))
            for role, name in ((FIXED, "values"), (BEST, "best"))
        }

    def why_no_values(self, board: PathBoard, node: int) -> str:
        """See :meth:`StoredProfile.why_no_values`; for the trunk the certificate has the values of the leaves."""
        if board.street < self.partition.street:
            return "" if self.certificate is not None else self.why_no_certificate
        return super().why_no_values(board, node)

    def certified(self) -> StoredCertificate:
        """Return the certificate of the stored strategy.  Raises :class:`FileAccessError` if there is none."""
        if self.certificate is None:
            raise FileAccessError(self.why_no_certificate)
        return self.certificate

    def __repr__(self) -> str:
        good = f"exploitability {self.exploitability}, " if self.certificate is not None else ""
        return f"<Stored solution of {self.title} in {self.place.path}: {good}{self.iterations:,} iterations>"


def open_run(path: str | Path) -> StoredSolution:
    """Open the folder of a run; its strategy stays on disk.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError, MismatchError
        If there is no run in the folder, or the data that identify it cannot be used.

    Examples
    --------
    >>> import errai
    >>> run = errai.solve(errai.load_game("leduc"), "5mbb", store="run", processes=1)
    >>> errai.open_run(run.folder).root.actions
    ('check', 'bet 2')
    """
    place = RunFolder(path)
    container = run_container(place)
    facts = run_facts(container)
    if facts["block_precision"] not in DTYPES:
        raise DamagedFileError(f"{place.checkpoint}: there is no precision {facts['block_precision']!s:.40}.")
    certificate = load_certificate(place, facts["run"])
    try:
        return StoredSolution(place, facts, container, certificate)
    except (InputError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise DamagedFileError(f"{place.checkpoint} does not identify its run: {error!s:.200}") from error
