"""What the tests of clients share: a server on this machine, and an agent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import errai
from errai.agents.agent import Agent
from errai.games.hand import CALL, Observation, raise_to

GAME = errai.load_game("holdem.nolimit.2p")


class Caller(Agent):
    """Checks, calls, and bets twice the big blind on the first street."""

    name = "caller"

    def act(self, observation: Observation) -> Any:
        start = not any(observation.state.actions)
        return raise_to(200) if start else CALL


@contextmanager
def served(stub: Any) -> Iterator[str]:
    """Serve ``stub.answer(path, body, headers)``, which returns a document or a status; yields the address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.reply(None)

        def do_POST(self) -> None:
            self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def reply(self, body: Any) -> None:
            answer = stub.answer(self.path, body, self.headers)
            self.send_response(answer if isinstance(answer, int) else 200)
            self.end_headers()
            self.wfile.write(b"" if isinstance(answer, int) else json.dumps(answer).encode())

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
