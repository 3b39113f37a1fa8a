"""A server in a folder of its own, and how to open it in a browser."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.reduction import DupFd
from pathlib import Path
from typing import IO, Any

import httpx
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


class Forked:
    """A process of the command line like ``subprocess.Popen``, forked from one that has imported the server.

    To import it takes most of the time that a server takes to start, and the tests start a hundred.
    """

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], errors: IO[bytes] | None) -> None:
        reader, writer = os.pipe()
        FORKS.set_forkserver_preload(["errai.cli.serve", "errai.web.server"])
        given = list(arguments), dict(environment), _Given(writer), errors and _Given(errors.fileno())
        self._process = FORKS.Process(target=_run, args=given)
        self._process.start()
        os.close(writer)
        self.stdout = os.fdopen(reader, encoding="utf-8")
        self.pid = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("errai", timeout or 0.0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        # It may end between the two.
        with suppress(ProcessLookupError):
            if self.poll() is None:
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@dataclass
class Served:
    """A server that runs, and a client that knows its token."""

    process: subprocess.Popen[str] | Forked
    folder: Path
    address: str
    token: str
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        headers = {"authorization": f"Bearer {self.token}"}
        self.http = httpx.Client(base_url=f"{self.address}/api/v1", headers=headers, timeout=60.0)

    def get(self, path: str, **query: object) -> dict:
        """The JSON of an address of the API, which must answer well."""
        answer = self.http.get(path, params=query)
        assert answer.is_success, answer.text
        return answer.json()

    def post(self, path: str, body: object | None = None) -> dict:
        """The JSON of a request with a body, which must be answered well."""
        answer = self.http.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else {}

    def kill(self) -> None:
        """End the server without warning."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.http.close()


FORKS = multiprocessing.get_context("forkserver")


class _Given:
    """A file descriptor that is pickled for a process that is being started, and is a number there."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __reduce__(self) -> tuple[Any, ...]:
        return _detached, (DupFd(self.number),)


def _detached(given: Any) -> int:
    return given.detach()


def _run(arguments: list[str], environment: dict[str, str], output: int, errors: int | None) -> None:
    """Become a process of the command line; ``errors`` is where its standard error goes, if anywhere else."""
    os.setsid()
    for number, given in ((1, output), (2, errors)):
        if given is not None:
            os.dup2(given, number)
            os.close(given)
    os.environ.clear()
    os.environ.update(environment)
    from errai.cli.main import main

    sys.exit(main(arguments))


def start(
    folder: Path,
    *,
    port: int = 0,
    token: str | None = None,
    errors: IO[bytes] | None = None,
    variables: Mapping[str, str] | None = None,
) -> Served:
    """Start a server, as a user would, and wait until it can be reached; what it says of errors goes to a file.

    ``variables`` are set in its environment, and it is then a process that nothing was forked from.
    """
    arguments = ["serve", "--no-browser", "--port", str(port), "--folder", str(folder)]
    environment = dict(os.environ) if token is None else os.environ | {"ERRAI_TOKEN": token}
    process: subprocess.Popen[str] | Forked
    if variables is None:
        process = Forked(arguments, environment, errors)
    else:
        process = subprocess.Popen(
            [sys.executable, "-m", "errai.cli.main", *arguments],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**environment, **variables},
            start_new_session=True,
        )
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.fullmatch(r"Serving on (http://127\.0\.0\.1:\d+)/\?token=(\S+)\n", line)
    if not found:
        process.kill()
        process.wait()
        process.stdout.close()
        raise AssertionError(f"the server said {line!r}")
    return Served(process, folder, found[1], found[2])


def opened(page: Page, served: Served, path: str = "/") -> Page:
    """Open an address of the server in the page, with its token."""
    join = "&" if "?" in path else "?"
    page.goto(f"{served.address}{path}{join}token={served.token}")
    return page


def barriers(page: Page, scheme: str = "light") -> list[tuple[str, list[str]]]:
    """What axe finds on a page, in the dark color scheme of colors alone: the elements are the same in both."""
    only = {"runOnly": ["color-contrast"]} if scheme == "dark" else {}
    found = Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
