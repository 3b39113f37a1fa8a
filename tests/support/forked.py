"""Processes that are forked from one that has imported what they need: they begin at once, and are processes otherwise.

All processes of one server give strings the same hashes.  What must not depend on these is compared with the result of
a process that was started as usual.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

COMMANDS = ["numpy.random", "scipy.special"] + [f"errai.{name}" for name in (
    "agents.given", "agents.reader", "arena.acpc.client", "arena.histories.formats", "arena.histories.logs",
    "arena.histories.tables", "arena.match", "arena.results", "arena.session_file", "arena.standings",
    "blueprints.train", "cli.doctor", "cli.estimate", "cli.exploitability", "cli.export", "cli.games",
    "cli.histories", "cli.lbr", "cli.main", "cli.match", "cli.nets", "cli.nets_generate", "cli.plan",
    "cli.play_loop", "cli.query", "cli.show", "cli.signals", "cli.size", "cli.solve", "cli.solved", "cli.train",
    "cli.tree", "cli.verify", "cluster.run", "kernels.bucket_cpu", "kernels.cpu", "nets.below.leaves",
    "nets.examples.generate", "nets.network", "nets.networks.native", "pictures.arena_results", "pictures.play",
    "reports", "solutions.artefact", "solutions.export", "solving.solve", "store.tables", "strategies.names",
)]  # fmt: skip
"""Modules with which most commands are complete."""

SERVER = """
import gc, importlib, json, os, socket, sys

asked = socket.socket(fileno=int(sys.argv[1]))
exec(sys.argv[2])
for name in sys.argv[3:]:
    importlib.import_module(name)
gc.collect()
gc.freeze()
while True:
    order, files, *_ = socket.recv_fds(asked, 1 << 20, 4)
    if not order:
        os._exit(0)
    if os.fork() == 0:
        process = os.fork()
        if process == 0:
            break
        os.write(files[3], b"%d\\n" % process)
        os.write(files[3], b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
        os._exit(0)
    for file in files:
        os.close(file)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
asked.detach()
program, sys.argv, folder, environment, closed = json.loads(order)
for number, (file, name) in enumerate(zip(files, ("stdin", "stdout", "stderr"))):
    os.dup2(file, number)
    if number in closed:
        # As in a Python that is started without this stream.
        os.close(number)
        setattr(sys, name, None)
        setattr(sys, f"__{name}__", None)
os.closerange(3, 1000)
os.chdir(folder)
os.environ.clear()
os.environ.update(environment)
exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})
"""


class ForkServer:
    """Forks processes from one that has run the program ``first`` and imported modules, when it is first needed.

    ``environment`` gives what is added to its own environment.
    """

    def __init__(self, *modules: str, first: str = "", environment: Callable[[], dict[str, str]] = dict) -> None:
        self._modules, self._first, self._environment = modules, first, environment
        self._begun: tuple[socket.socket, subprocess.Popen] | None = None

    def _begin(self, modules: Sequence[str]) -> tuple[socket.socket, subprocess.Popen]:
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            command = [sys.executable, "-c", SERVER, str(other.fileno()), self._first, *modules]
            variables = os.environ | self._environment()
            given = [other.fileno()]
            return own, subprocess.Popen(command, env=variables, pass_fds=given, stdin=subprocess.DEVNULL)

    @contextlib.contextmanager
    def anew(self) -> Iterator[None]:
        """Let processes in the block import all by themselves, and give strings other hashes."""
        before, self._begun = self._begun, self._begin(())
        yield
        self.close()
        self._begun = before

    def close(self) -> None:
        """Begin anew with the next process; those that were forked go on."""
        if self._begun is not None:
            self._begun[0].close()
            self._begun[1].wait(60)
            self._begun = None

    def start(
        self,
        program: str,
        words: Sequence[str] = (),
        *,
        folder: Path | None = None,
        typed: str = "",
        environment: Mapping[str, str] | None = None,
        stdout: IO | None = None,
        stderr: int | None = None,
        closed: Sequence[int] = (),
    ) -> Forked:
        """Begin a process that runs a program as ``python -c`` would; its output goes to pipes, or to files."""
        pipes = [os.pipe() for _ in range(4)]
        os.write(pipes[0][1], typed.encode())
        os.close(pipes[0][1])
        told, theirs = [pipe[0] for pipe in pipes[1:]], [pipes[0][0], *(pipe[1] for pipe in pipes[1:])]
        files = [None, None if stdout is None else stdout.fileno(), stderr, None]
        given = [own if file is None else file for own, file in zip(theirs, files, strict=True)]
        order = [program, ["-c", *words], str(folder or Path.cwd()), dict(environment or os.environ), list(closed)]
        self._begun = self._begun or self._begin(self._modules)
        socket.send_fds(self._begun[0], [json.dumps(order).encode()], given)
        for file in theirs:
            os.close(file)
        return Forked(*told)


class Forked:
    """A process of a :class:`ForkServer`, with the parts of :class:`subprocess.Popen` that tests use.

    It may print as much as a pipe holds.
    """

    def __init__(self, stdout: int, stderr: int, told: int) -> None:
        self.stdout, self.stderr, self._told = open(stdout), open(stderr), open(told)  # noqa: SIM115
        self.pid = int(self._told.readline())
        self.returncode: int | None = None

    def poll(self, timeout: float | None = 0.0) -> int | None:
        """Return the exit code, or None if it still runs after so many seconds."""
        if self.returncode is None and select.select([self._told], [], [], timeout)[0]:
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Let it end, and return its exit code."""
        code = self.poll(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
        return code

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Let it end, and return what it printed."""
        self.wait(timeout)
        with self.stdout, self.stderr:
            return self.stdout.read(), self.stderr.read()

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # It may end between the two.
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self.send_signal(9)
