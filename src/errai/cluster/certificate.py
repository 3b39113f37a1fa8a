"""What identifies a run, and the certificate of its strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.cluster.folder import RunFolder
from errai.engine.leaf_values import LeafMeasurement
from errai.engine.status import Status
from errai.engine.units import Exploitability
from errai.errors import ArtefactError, DamagedFileError, FileAccessError, MismatchError
from errai.solutions.solution import ProfileValues
from errai.store.checkpoint import KIND as CHECKPOINT_KIND
from errai.store.checkpoint import previous_path
from errai.store.container import Container, MappedArrays, open_container, write_container

KIND = "run certificate"

FACTS = {"run": str, "game": dict, "partition": dict, "block_precision": str, "averages": bool}


def run_facts(checkpoint: Container) -> dict[str, Any]:
    """Return what never changes in a run: its name, game, partition, precision, and whether averages are kept.

    Raises :class:`DamagedFileError` if the checkpoint of the run's trunk does not say it.
    """
    for name, kind in FACTS.items():
        if not isinstance(checkpoint.metadata.get(name), kind):
            raise DamagedFileError(f"{checkpoint.path} does not identify its run: {name} is missing or wrong.")
    return {name: checkpoint.metadata[name] for name in FACTS}


def run_container(place: RunFolder) -> Container:
    """Open the newest checkpoint of a run's trunk as a mapped file.

    The one before is not used in its place, because what it answers is not what the run has computed last.

    Raises
    ------
    FileAccessError, ForeignFileError, DamagedFileError
        If there is no run in the folder, or its checkpoint is not valid.
    """
    if not place.exists():
        raise FileAccessError(f"{place.path} holds no run; start one with `errai solve GAME --store {place.path}`.")
    try:
        return open_container(place.checkpoint, CHECKPOINT_KIND, checked=False)
    except ArtefactError as error:
        if not previous_path(place.checkpoint).exists():
            raise
        raise type(error)(
            f"{error} The checkpoint before it is there: run the command that solves in {place.path} again, which "
            "continues from it."
        ) from error


def save_certificate(
    place: RunFolder,
    iteration: int,
    run: str,
    certificate: Exploitability,
    values: ProfileValues,
    leaves: LeafMeasurement,
    status: Status,
) -> None:
    """Write the float64 measurement made when a run stopped, with the values at the trunk's leaves."""
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


@dataclass(frozen=True)
class StoredCertificate:
    """The certificate of a run's strategy, written when the run stopped."""

    iteration: int
    status: Status
    exploitability_chips: float
    gain_chips: tuple[float, float]
    value_chips: tuple[float, float]
    arrays: MappedArrays

    def leaves(self, what: str, player: int, size: int) -> NDArray[np.float64]:
        """Return ``values`` or ``best`` at the trunk's leaves.  Raises :class:`DamagedFileError`."""
        name = f"{what}/{player}"
        if name not in self.arrays or self.arrays[name].shape != (size,) or self.arrays[name].dtype != np.float64:
            raise DamagedFileError(f"The certificate's array {name} is missing or does not fit its game.")
        return self.arrays[name]


def load_certificate(place: RunFolder, run: str) -> StoredCertificate | None:
    """Read the certificate in the folder of a run, of any iteration; None if there is none yet.

    Raises
    ------
    ForeignFileError, DamagedFileError, FileAccessError
        If it cannot be read.
    MismatchError
        If it is of another run.
    """
    if not place.certificate.exists():
        return None
    container = open_container(place.certificate, KIND)
    metadata = container.metadata
    if metadata.get("run") != run:
        raise MismatchError(f"{place.certificate} is of another run; `errai solve` writes a new one.")
    iteration, status, chips = (metadata.get(key) for key in ("iteration", "status", "exploitability_chips"))
    pairs = [metadata.get(key) for key in ("gain_chips", "value_chips")]
    if not (
        type(iteration) is int
        and status in tuple(Status)
        and _is_number(chips)
        and all(isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)) for pair in pairs)
    ):
        raise DamagedFileError(f"{place.certificate} is a certificate, but its numbers are not valid.")
    assert type(iteration) is int
    assert chips is not None
    gains, values = [(float(pair[0]), float(pair[1])) for pair in pairs if pair is not None]
    return StoredCertificate(iteration, Status(status), float(chips), gains, values, container.arrays)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)
