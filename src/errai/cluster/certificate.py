"""What a run says about itself, and what has been proved about its strategy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errai.cluster.folder import RunFolder
from errai.errors import DamagedFileError, FileAccessError
from errai.solvers.leaf_values import LeafMeasurement
from errai.solvers.solution import Values
from errai.solvers.units import Exploitability
from errai.store.checkpoint import checkpoint_metadata
from errai.store.container import write_container

KIND = "run certificate"

FACTS = {"run": str, "game": dict, "partition": dict, "block_precision": str, "averages": bool}


def run_facts(place: RunFolder) -> dict[str, Any]:
    """What stays the same in a run: its name, game, partition, precision, and whether averages are kept.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        There is no run in the folder, or its checkpoint makes no sense.
    """
    if not place.exists():
        raise FileAccessError(f"{place.path} holds no run; `errai solve GAME --store {place.path}` begins one.")
    metadata = checkpoint_metadata(place.checkpoint)
    for name, kind in FACTS.items():
        if not isinstance(metadata.get(name), kind):
            raise DamagedFileError(f"{place.checkpoint} does not say what run it is of: {name} is missing or wrong.")
    return {name: metadata[name] for name in FACTS}


def save_certificate(
    place: RunFolder,
    iteration: int,
    run: str,
    certificate: Exploitability,
    values: Values,
    leaves: LeafMeasurement,
    status: str,
) -> None:
    """Write what was measured in float64 when a run stopped, with the values at the trunk's leaves."""
    metadata: Mapping[str, Any] = {
        "run": run,
        "iteration": iteration,
        "status": status,
        "exploitability_chips": certificate.chips,
        "gain_chips": list(certificate.by_player),
        "value_chips": list(values.chips),
    }
    arrays = {
        f"{name}/{p}": pair[p][-1] for name, pair in (("values", leaves.values), ("best", leaves.best)) for p in (0, 1)
    }
    write_container(place.certificate, KIND, metadata, arrays)
