"""A server of `errai serve` that benchmarks start and ask."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

API = "/api/v1"
TIMEOUT_SECONDS = 120.0

Ask = tuple[str, str, Any]
"""Method, path, and body or None."""


@dataclass
class Server:
    """A server that runs, with its token."""

    process: subprocess.Popen[str]
    port: int
    token: str
    folder: Path
    """The folder that it works in."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a request."""
        return {"authorization": f"Bearer {self.token}", "content-type": "application/json"}

    def connection(self) -> http.client.HTTPConnection:
        """A new connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)

    def ask(self, connection: http.client.HTTPConnection, asked: Ask) -> tuple[int, bytes]:
        """Send a request, and return the status and the body of its answer."""
        method, path, body = asked
        connection.request(method, path, None if body is None else json.dumps(body), self.headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def get(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer, which must be a good one."""
        connection = self.connection()
        try:
            return self.answer(connection, method, path, body)
        finally:
            connection.close()

    def answer(self, connection: http.client.HTTPConnection, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer over a connection that stays open; it must be a good one."""
        status, found = self.ask(connection, (method, API + path, body))
        if status >= 300:
            raise SystemExit(f"{method} {path}: {status} {found[:300]!r}")
        return json.loads(found) if found else None

    def cpu_seconds(self) -> float:
        """Seconds of processor time that the server's threads have used."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


class Wire:
    """A connection for requests whose answers nobody reads.

    It takes a third of the processor time that ``http.client`` does, which would slow a solve as much as the server.
    """

    def __init__(self, server: Server) -> None:
        self._socket = socket.create_connection(("127.0.0.1", server.port), TIMEOUT_SECONDS)
        headers = {"host": f"127.0.0.1:{server.port}"} | server.headers
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())

    def ask(self, asked: Ask) -> int:
        """Send a request, wait for the whole answer, and return its status."""
        method, path, body = asked
        data = "" if body is None else json.dumps(body)
        head = f"{method} {path} HTTP/1.1\r\n{self._headers}content-length: {len(data)}\r\n\r\n"
        self._socket.sendall((head + data).encode())
        found = b""
        while b"\r\n\r\n" not in found:
            found += self._more()
        answered, _, start = found.partition(b"\r\n\r\n")
        length = re.search(rb"\r\ncontent-length: *(\d+)", answered, re.IGNORECASE)
        left = int(length[1]) - len(start) if length else 0
        while left > 0:
            left -= len(self._more())
        return int(answered.split(None, 2)[1])

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def _more(self) -> bytes:
        if found := self._socket.recv(1 << 18):
            return found
        raise ConnectionError("the server has closed the connection")


@contextmanager
def serving(folder: Path | None = None) -> Iterator[Server]:
    """A server in a folder; without one in a new folder, which is removed at the end."""
    place = tempfile.mkdtemp() if folder is None else str(folder)
    words = [sys.executable, "-m", "errai.cli.main", "serve", "--no-browser", "--port", "0", "--folder", place]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.match(r"Serving on http://127\.0\.0\.1:(\d+)/\?token=(\S+)", process.stdout.readline())
        assert found is not None
        yield Server(process, int(found[1]), found[2], Path(place))
    finally:
        process.kill()
        process.wait()
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)
