"""A server in a folder of its own, and how to open it in a browser."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import httpx
from axe_playwright_python.sync_playwright import Axe
from forked import Forked, ForkServer
from playwright.sync_api import Page

SERVERS = ForkServer("errai.cli.serve", "errai.web.server")
"""To import these takes most of the time that a server takes to start, and the tests start a hundred."""

SERVE = """
import os, sys
os.setsid()
from errai.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


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

    def end(self) -> None:
        """End the server if it still runs, and leave nothing open."""
        if self.process.poll() is None:
            self.kill()
        assert self.process.stdout is not None
        self.process.stdout.close()


ENDED = ("done", "stopped", "failed")


def wait(served: Served, name: str, states: tuple[str, ...] = ENDED, seconds: float = 30.0) -> dict:
    """The job, once it is in one of these states."""
    until = time.monotonic() + seconds
    while (job := served.get(f"/jobs/{name}"))["state"] not in states:
        assert time.monotonic() < until, job
        time.sleep(0.02)
    return job


@contextmanager
def serving(folder: Path) -> Iterator[Served]:
    """A server in a folder, which is ended at the end."""
    served = start(folder)
    try:
        yield served
    finally:
        served.end()


def start(
    folder: Path,
    *,
    port: int = 0,
    token: str | None = None,
    errors: IO[bytes] | None = None,
    variables: Mapping[str, str] | None = None,
    more: Sequence[str] = (),
) -> Served:
    """Start a server, as a user would, and wait until it can be reached; what it says of errors goes to a file.

    ``variables`` are set in its environment, and it is then a process that nothing was forked from.  ``more`` are
    further words of the command.
    """
    arguments = ["serve", "--no-browser", "--port", str(port), "--folder", str(folder), *more]
    environment = dict(os.environ) if token is None else os.environ | {"ERRAI_TOKEN": token}
    process: subprocess.Popen[str] | Forked
    if variables is None:
        said = sys.__stderr__ if errors is None else errors
        process = SERVERS.start(SERVE, arguments, environment=environment, stderr=said.fileno())
        process.stderr.close()
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
    found = re.fullmatch(r"Serving on (http://127\.[\d.]+:\d+)/\?token=(\S+)\n", line)
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
    # Colours that are still on their way from light to dark are not those that people read.
    page.emulate_media(reduced_motion="reduce")
    found = Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
