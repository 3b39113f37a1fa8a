"""Recompute a stored run's certificate; every block is read and walked once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from errai.cluster.folder import RunFolder
from errai.cluster.layout import cache_bytes
from errai.cluster.reading import StoredSolution
from errai.cluster.run import open_runner
from errai.cluster.streamed import StreamedSubgames
from errai.cluster.tasks import Setup
from errai.engine.certificate import StrategyProfile
from errai.engine.resources import default_threads
from errai.engine.units import Exploitability
from errai.errors import DamagedFileError, FileAccessError
from errai.kernels.backends import make_kernel
from errai.solutions.solution import VERIFY_TOLERANCE, ProfileValues, Verification, profile_values, value_pairs
from errai.solutions.subjects import menu_of
from errai.store.checkpoint import previous_path
from errai.store.container import open_container
from errai.tree.public_tree import plan_public_tree


def verify_run(
    stored: StoredSolution,
    *,
    processes: int | None = None,
    memory: int | None = None,
    cluster: str | None = None,
    on_block: Callable[[int, int], None] | None = None,
) -> Verification:
    """Recompute exploitability and values of a stored run from its strategy, and compare them with its certificate.

    Every byte of the run's files is checked: the arrays that the strategy is made of, what only a run that is resumed
    needs, and the files of the iteration before, from which damaged ones are rebuilt.  On a cluster whose machines keep
    blocks on disks of their own, the files of the iteration before are checked only where this process sees them.

    Parameters
    ----------
    stored:
        The run; nothing in its folder is changed.
    processes:
        How many processes walk the blocks; by default one for each processor.  The result does not depend on it.
    memory, cluster:
        As for :func:`errai.solve`.
    on_block:
        Called with (blocks done, blocks) after every block.

    Raises
    ------
    FileAccessError
        If the stored strategy has no certificate, or a file is missing.
    DamagedFileError, MismatchError
        If a file is damaged or belongs to another run.
    WorkerLostError
        If processes are lost repeatedly.
    """
    check_files(stored.place, stored.iterations)
    certificate = stored.certificate
    if certificate is None:
        raise FileAccessError(stored.why_no_certificate)
    workers = default_threads() if processes is None else processes
    partition, plan = stored.partition, stored.plan
    cache = cache_bytes(plan, partition, stored.precision, workers, memory, stored.averages)
    setup = Setup.of(stored.place.path, stored.facts, cache)
    menu = menu_of(stored.subject, stored.menu)
    trunk = plan_public_tree(stored.subject, menu=menu, last_street=partition.street - 1).build()
    strategy = [[stored.trunk.array(s, p) for p in (0, 1)] for s in range(partition.street)]
    kernel = make_kernel("cpu", trunk.arrays, stored.threads)
    with open_runner(setup, workers, cluster) as runner:
        streamed = StreamedSubgames(
            plan,
            partition,
            runner,
            averages=stored.averages,
            iteration=stored.iterations,
            on_block=on_block,
            whole=True,
        )
        leaves = streamed.measure(trunk, kernel.leaf_reach(strategy, tied=False))
    recomputed, net = StrategyProfile(trunk, kernel, strategy, leaves).certificate(stored.units)
    pairs = value_pairs(ProfileValues(certificate.value_chips), profile_values(trunk, net))
    for name, what, pair in (("values", "value", leaves.values), ("best", "best response", leaves.best)):
        for p in (0, 1):
            kept, found = certificate.leaves(name, p, pair[p][-1].size), pair[p][-1]
            if kept.size:
                most = int(np.abs(kept - found).argmax())
                # Counterfactual values are weighted by the reach of all of the opponent's hands.
                two = float(kept[most]) / trunk.pair_weight, float(found[most]) / trunk.pair_weight
                pairs[f"{what} of player {p} at a leaf of the trunk"] = two
    claim = Exploitability(certificate.exploitability_chips, stored.units, certificate.gain_chips)
    return Verification.of(recomputed, claim, VERIFY_TOLERANCE * stored.initial_pot_chips, pairs)


def check_files(place: RunFolder, iteration: int) -> None:
    """Check every byte of a run's files but those of its blocks after an iteration, which workers check.

    Raises
    ------
    DamagedFileError, ForeignFileError, FileAccessError
        A file is damaged or cannot be read; the message says which, and what it is for.
    """
    _check(place.checkpoint, "")
    if place.certificate.exists():
        _check(place.certificate, " `errai solve` certifies the run again.")
    backup = (
        " It is kept from the iteration before in case that newer files are damaged; the next iteration replaces it."
    )
    spare = [previous_path(place.checkpoint), *place.blocks_but(iteration)]
    for path in spare:
        # A run that is resumed meanwhile removes files of iterations before.
        with suppress(FileAccessError):
            _check(path, backup)


def _check(path: Path, remedy: str) -> None:
    try:
        open_container(path, checked=False).verify()
    except DamagedFileError as error:
        raise DamagedFileError(f"{error}{remedy}") from error
