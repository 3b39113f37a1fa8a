"""Recompute a stored run's certificate; every block is read and walked once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from errai.cluster.layout import cache_bytes
from errai.cluster.reading import StoredSolution
from errai.cluster.run import open_runner
from errai.cluster.streamed import StreamedSubgames
from errai.cluster.tasks import Setup
from errai.engine.resources import default_threads
from errai.engine.strategy import exploitability
from errai.engine.units import Exploitability
from errai.errors import FileAccessError
from errai.kernels.backends import make_kernel
from errai.solutions.solution import VERIFY_TOLERANCE, Verification, profile_values
from errai.solutions.subjects import menu_of
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

    The checksums of all arrays that make up the strategy are verified.  Regrets that are stored beside averages, which
    are only needed to resume the run, are not read.

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
    certificate = stored.certificate
    if certificate is None:
        raise FileAccessError(stored.why_no_certificate)
    workers = default_threads() if processes is None else processes
    partition, plan = stored.partition, stored.plan
    setup = Setup(
        folder=str(stored.place.path.resolve()),
        run=stored.facts["run"],
        subject=stored.facts["game"],
        partition=stored.facts["partition"],
        precision=stored.precision,
        backend="cpu",
        averages=stored.averages,
        cache_bytes=cache_bytes(plan, partition, stored.precision, workers, memory, stored.averages),
    )
    menu = menu_of(stored.subject, stored.menu)
    trunk = plan_public_tree(stored.subject, menu=menu, last_street=partition.street - 1).build()
    arrays = stored.checkpoint.arrays
    strategy = [[stored.trunk.array(s, p) for p in (0, 1)] for s in range(partition.street)]
    for s in range(partition.street):
        for p in (0, 1):
            arrays.check(f"{stored.group}/{s}/{p}")
    kernel = make_kernel("cpu", trunk.arrays, stored.threads)
    with open_runner(setup, workers, cluster) as runner:
        streamed = StreamedSubgames(
            plan, partition, runner, averages=stored.averages, iteration=stored.iterations, on_block=on_block
        )
        leaves = streamed.measure(trunk, kernel.leaf_reach(strategy, tied=False))
    recomputed = exploitability(trunk, kernel, strategy, stored.units, leaves)
    values = profile_values(trunk, kernel, strategy, leaves)
    tolerance = VERIFY_TOLERANCE * stored.initial_pot_chips
    claimed = [certificate.exploitability_chips, *certificate.gain_chips, *certificate.value_chips]
    found = [recomputed.chips, *recomputed.by_player, *values.chips]
    certified = bool(np.all(np.abs(np.subtract(claimed, found)) <= tolerance))
    for name, pair in (("values", leaves.values), ("best", leaves.best)):
        for p in (0, 1):
            kept = certificate.leaves(name, p, pair[p][-1].size)
            # Counterfactual values are weighted by the reach of all of the opponent's hands.
            certified &= bool(np.all(np.abs(kept - pair[p][-1]) <= tolerance * trunk.pair_weight))
    claim = Exploitability(certificate.exploitability_chips, stored.units, certificate.gain_chips)
    return Verification(certified, recomputed, claim, tolerance)
