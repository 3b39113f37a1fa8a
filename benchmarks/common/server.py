"""A server of `errai serve` that benchmarks start and ask."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
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

    def connection(self) -> http.client.HTTPConnection:
        """A new connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)

    def ask(self, connection: http.client.HTTPConnection, asked: Ask) -> tuple[int, bytes]:
        """Send a request, and return the status and the body of its answer."""
        method, path, body = asked
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self.token}", "content-type": "application/json"}
        connection.request(method, path, data, headers)
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
        """Seconds of processor time that the server has used."""
        parts = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


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
