"""The runner that walks blocks with Ray: on this machine, or on a running cluster.

A block stays with the machine that has its files.  If all machines share a disk, that is any of them.  If every machine
has a disk of its own, the folder lies under the same path on each; when a run is resumed, the machines are asked which
of them has the newest file of each block.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import socket
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from errai.cluster.folder import RunFolder
from errai.cluster.worker import BlockWorker, Result, Setup, Task
from errai.errors import BackendError, FileAccessError, SolverOptionError, WorkerLostError
from errai.running.pool import AHEAD, LOST, MOST_LOSSES, Workers
from errai.store.atomic import remove_all_leftovers
from errai.store.checkpoint import newest_container

OBJECT_STORE_BYTES = 80 << 20
"""Shared memory of a Ray that is started here: close to Ray's minimum, because the messages are small."""

PATIENCE_SECONDS = 120.0
"""Seconds before a worker that is lost repeatedly is given up; Ray notices after some 30 that a machine is gone."""

PAUSE_SECONDS = 0.5
"""Seconds before a task is repeated."""

_LOCAL = re.compile(r"local:([1-9]\d{0,3})")
_CLIENT = re.compile(r"ray://(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}")


def local_workers(cluster: str) -> int | None:
    """Return how many workers ``local:2`` asks for; None for ``auto`` and ``ray://host:port``, else an error."""
    if match := _LOCAL.fullmatch(cluster):
        return int(match[1])
    if cluster != "auto" and not _CLIENT.fullmatch(cluster):
        raise SolverOptionError(
            f"{cluster!r:.80} is no cluster; write local:2 for two workers of this machine, auto to join the Ray that "
            "`ray start --head` started, or ray://host:port."
        )
    return None


@dataclass
class _Machine:
    """A node of the cluster."""

    node: str
    workers: int
    disk: str = ""
    blocks: dict[int, int] = field(default_factory=dict)
    """The newest iteration of every block that has files here."""


@dataclass
class _Worker:
    """An actor, and how often it was lost."""

    actor: Any
    machine: _Machine
    losses: int = 0
    """How many times in a row the worker was lost."""
    lost_at: float = 0.0
    """Time of the first of these losses."""


class RayRunner(Workers[Task, Result]):
    """Runs tasks in actors, one for each processor; Ray restarts actors that are lost.

    The tasks of a lost actor are repeated.  That is safe, because a task reads the files of the last iteration and
    writes those of the next one under new names.

    The memory limit of a run does not include Ray's own processes (some hundred MiB) and its object store.

    For ``cluster`` see :func:`local_workers`: ``local:2`` starts Ray on this machine and ends it in ``close``; ``auto``
    joins the Ray that runs here; ``ray://host:port`` joins one through its client port.  Raises :class:`BackendError`
    if Ray is not installed, or there is none to join, and :class:`FileAccessError` if the run's folder cannot be
    created on a machine, or no machine has the files of a block.
    """

    def __init__(self, setup: Setup, cluster: str) -> None:
        super().__init__()
        workers = local_workers(cluster)
        self.setup = setup
        self._refs: dict[Any, tuple[int, int]] = {}
        """What each open reference answers: worker and number of the task."""
        try:
            import ray
        except ImportError as error:
            raise BackendError("Ray is not installed; `pip install 'errai[cluster]'` installs it.") from error
        self._ray = ray
        self._own = _connect(self._ray, cluster, workers)
        self._workers: list[_Worker] = []
        try:
            self._machines = self._find_machines()
            self._homes = self._find_homes()
            self._workers = [self._start(machine) for machine in self._machines for _ in range(machine.workers)]
            self._open = [deque() for _ in self._workers]
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the actors, and Ray if this object started it; files that are being written are discarded."""
        for worker in self._workers:
            with contextlib.suppress(Exception):
                self._ray.kill(worker.actor)
        self._workers = []
        if self._own:
            self._ray.shutdown()
        remove_all_leftovers(RunFolder(self.setup.folder).path / "blocks")

    @property
    def pids(self) -> list[int]:
        """Return the process numbers of the actors, each on its machine."""
        return list(self._ray.get([worker.actor.pid.remote() for worker in self._workers]))

    # --- machines ----------------------------------------------------------------------------------------------------

    def _find_machines(self) -> list[_Machine]:
        """Return all machines that may run workers, with the blocks on their disks."""
        ray = self._ray
        machines = [
            _Machine(node["NodeID"], int(node["Resources"]["CPU"]))
            for node in ray.nodes()
            if node["Alive"] and node["Resources"].get("CPU", 0) >= 1
        ]
        if not machines:
            raise BackendError("The machines of the Ray cluster have no processors for workers (num_cpus is 0).")
        look = ray.remote(_look)
        found = ray.get([look.options(**self._on(m, num_cpus=0)).remote(self.setup.folder) for m in machines])
        for machine, (disk, blocks) in zip(machines, found, strict=True):
            if not disk:
                raise FileAccessError(blocks)
            machine.disk, machine.blocks = disk, blocks
        return machines

    def _find_homes(self) -> list[list[_Machine]]:
        """Return for every block the machines that have it or, if none has it yet, those that may create it."""
        machines = self._machines
        disks = {machine.disk: [m for m in machines if m.disk == machine.disk] for machine in machines}
        shares = [machine for machine in machines for _ in range(machine.workers)]
        place = RunFolder(self.setup.folder)
        begun = place.exists() and newest_container(place.checkpoint).metadata.get("iteration", 0) > 0
        homes, nowhere = [], []
        for block in range(len(self.setup.partition["blocks"])):
            newest = max(m.blocks.get(block, 0) for m in machines)
            if newest == 0:
                nowhere.append(block)
                homes.append(disks[shares[block % len(shares)].disk])
            else:
                homes.append([m for m in machines if m.blocks.get(block, 0) == newest])
        if begun and nowhere:
            raise FileAccessError(
                f"No machine of the cluster has files of {len(nowhere)} blocks of the run, block {nowhere[0]} among "
                f"them. Add the machines that computed them; the folder is {self.setup.folder} on each."
            )
        return homes

    def _start(self, machine: _Machine) -> _Worker:
        # Tasks are repeated here, not by Ray: Ray would retry a task that kills every process forever, and would count
        # tasks that a restarting actor refuses.
        options = self._on(machine, num_cpus=1) | {"max_restarts": -1, "max_task_retries": 0}
        actor = self._ray.remote(_Actor).options(max_concurrency=AHEAD, **options)
        elsewhere = machine.disk != _disk_name(RunFolder(self.setup.folder))
        return _Worker(actor.remote(self.setup, elsewhere), machine)

    def _on(self, machine: _Machine, *, num_cpus: int) -> dict[str, Any]:
        """Return options that tie a worker to a machine; if lost, it may move to another that shares the disk."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        soft = bool(machine.disk) and sum(m.disk == machine.disk for m in self._machines) > 1
        return {
            "num_cpus": num_cpus,
            "scheduling_strategy": NodeAffinitySchedulingStrategy(machine.node, soft=soft),
        }

    # --- tasks -------------------------------------------------------------------------------------------------------

    def _worker_of(self, place: int, task: Task) -> int:
        """Return the worker of a block: always the same one, which still has its tree."""
        homes = self._homes[task.block]
        mine = [i for i, worker in enumerate(self._workers) if worker.machine in homes]
        return mine[task.block % len(mine)]

    def _may_run(self, worker: int, task: Task) -> bool:
        return self._workers[worker].machine in self._homes[task.block]

    def _submit(self, worker: int, number: int, task: Task) -> None:
        self._refs[self._workers[worker].actor.run.remote(task)] = worker, number

    def _collect(self, seconds: float | None) -> Iterator[tuple[int, int, bool, Any]]:
        ready, _ = self._ray.wait(list(self._refs), num_returns=1, timeout=seconds)
        errors = self._ray.exceptions
        for ref in ready:
            i, number = self._refs.pop(ref)
            worker = self._workers[i]
            try:
                result = self._ray.get(ref)
            except errors.RayTaskError as error:
                yield i, number, False, error.cause  # Neither a file nor a machine is at fault.
            except errors.RayError as error:
                # An actor that is being restarted, maybe on another machine, refuses tasks for some time.
                if worker.losses == 0:
                    worker.lost_at = time.monotonic()
                worker.losses += 1
                if worker.losses > MOST_LOSSES and time.monotonic() - worker.lost_at > PATIENCE_SECONDS:
                    raise WorkerLostError(
                        f"A worker of the Ray cluster was lost {worker.losses} times in a row ({_reason(error)}). "
                        "Check that there is enough memory and that its machine is still there; then resume the run."
                    ) from error
                time.sleep(PAUSE_SECONDS)
                yield i, number, True, LOST
            else:
                worker.losses = 0
                yield i, number, True, result


# --- what runs on the machines ---------------------------------------------------------------------------------------


class _Actor:
    """A worker that reads or writes blocks while it walks another one."""

    def __init__(self, setup: Setup, elsewhere: bool) -> None:
        self._setup = setup
        self._folder = RunFolder(setup.folder) if elsewhere else None
        self._worker: BlockWorker | None = None
        remove_all_leftovers(RunFolder(setup.folder).path / "blocks")
        self._loading, self._walking, self._saving = threading.Lock(), threading.Lock(), threading.Lock()

    def run(self, task: Task) -> Result:
        """Load, walk and save; each of these for at most one task at a time."""
        # Arrays from Ray are read-only, which kernels do not accept.
        task = replace(task, reach=(task.reach[0].copy(), task.reach[1].copy()))
        with self._loading:
            if self._worker is None:
                # This is a part of the first task, so that Ray counts how often it fails.
                self._worker = BlockWorker(self._setup)
            loaded = self._worker.load(task)
        with self._walking:
            walked = self._worker.walk(loaded)
        with self._saving:
            result = self._worker.save(walked)
            if self._folder is not None and result.stored_bytes:
                self._folder.flush()  # The solving process flushes its own disk only.
            return result

    def pid(self) -> int:
        """Return the process number."""
        return os.getpid()


def _look(folder: str) -> tuple[str, Any]:
    """Return a name of this machine's disk and the newest iteration of every block on it; or no name and the error."""
    place = RunFolder(folder)
    try:
        (place.path / "blocks").mkdir(parents=True, exist_ok=True)
        disk = _disk_name(place)
        return disk, place.newest_blocks()
    except OSError as error:
        return "", f"{folder} cannot be used on the machine {socket.gethostname()}: {error.strerror or error}."


def _disk_name(place: RunFolder) -> str:
    """Return a name that machines share if they share the disk under the folder; the first machine creates it."""
    named = place.disk
    if not named.exists():
        own = named.with_name(f"{named.name}.{secrets.token_hex(8)}")
        own.write_text(secrets.token_hex(16) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(own, named)
        own.unlink()
    return named.read_text().strip()


# --- getting hold of Ray ---------------------------------------------------------------------------------------------


def _connect(ray: Any, cluster: str, workers: int | None) -> bool:
    """Start Ray or join one; return whether this process must end it."""
    if ray.is_initialized():
        if workers is not None:
            raise BackendError(f"This process is already connected to a Ray cluster; write auto instead of {cluster}.")
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    settings: dict[str, Any] = {"address": cluster, "log_to_driver": False, "logging_level": "ERROR"}
    if workers is not None:
        settings |= {"address": "local", "num_cpus": workers, "num_gpus": 0, "include_dashboard": False}
        settings["object_store_memory"] = OBJECT_STORE_BYTES
    try:
        ray.init(**settings)
    except Exception as error:
        raise BackendError(
            f"No connection to the Ray cluster {cluster} ({_reason(error)}). Start one with `ray start --head`, "
            "or write local:2 for two workers of this machine; a cluster with a token needs RAY_AUTH_MODE=token."
        ) from error
    return True


def _reason(error: Exception) -> str:
    return str(error).strip().split("\n")[0][:200]
