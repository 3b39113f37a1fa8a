"""The server under load: how much requests slow a solve, and how long they take; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import http.client
import queue
import random
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common.machine import machine_line
from common.server import API, Ask, Server, serving
from common.tables import spread, table

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = 16
TURN = (ROOT / "examples" / "turn.toml").read_text()
RIVER = (ROOT / "examples" / "river.toml").read_text()


def solved(server: Server, subject: dict[str, str], **settings: Any) -> dict[str, Any]:
    """The job of a solve, when it is done."""
    name = server.get("POST", "/jobs", {"kind": "solve", "subject": subject, "settings": settings})["id"]
    while (job := server.get("GET", f"/jobs/{name}"))["state"] in ("queued", "running", "stopping"):
        time.sleep(0.1)
    if job["state"] != "done":
        raise SystemExit(f"the solve has {job['state']}: {job['error']}")
    return job


# --- random requests while a solve runs ------------------------------------------------------------------------------


def requests(server: Server, chance: random.Random) -> Callable[[], Ask]:
    """Returns random requests: what pages ask for, what programs ask for, and wrong ones."""
    river = solved(server, {"spot": RIVER}, target="0.5%pot")["solution"]
    leduc = solved(server, {"game": "leduc"}, target="1mbb")["solution"]
    lines = {
        river: ["", "check", "bet 50", "check bet 100", "bet 50 raise 250"],
        leduc: ["", "check", "bet 2", "bet 2 call / Ks"],
    }
    hands = ["AA, KK", "22+, A2s+", "random", "AKs:0.5, QQ"]

    def one() -> Ask:
        job = chance.choice([view["id"] for view in server_jobs])
        name = chance.choice([river, leduc])
        line = chance.choice(lines[name]).replace(" ", "%20").replace("/", "%2F")
        kinds: list[tuple[int, Ask]] = [
            (30, ("GET", f"{API}/solutions/{name}/node?line={line}", None)),
            (15, ("GET", f"{API}/jobs/{job}", None)),
            (10, ("GET", f"{API}/jobs/{job}/progress?after={chance.randrange(200)}", None)),
            (5, ("GET", f"{API}/jobs", None)),
            (10, ("GET", f"{API}/solutions", None)),
            (5, ("GET", f"{API}/games", None)),
            (10, ("POST", f"{API}/ranges", {"text": chance.choice(hands), "cells": []})),
            (2, ("POST", f"{API}/estimate", {"subject": {"spot": chance.choice([RIVER, TURN])}})),
            (5, ("GET", "/static/app.js", None)),
            (3, ("GET", f"{API}/jobs/{chance.randbytes(4).hex()}", None)),
            (3, ("POST", f"{API}/jobs", {"kind": "solve", "subject": {"game": chance.randbytes(3).hex()}})),
            (2, ("POST", f"{API}/spots/read", {"spot": chance.randbytes(20).hex()})),
        ]
        return chance.choices([ask for _, ask in kinds], [weight for weight, _ in kinds])[0]

    server_jobs = server.get("GET", "/jobs")["jobs"]
    return one


def load(
    server: Server,
    one: Callable[[], Ask],
    rate: float,
    over: threading.Event,
    most: int,
    found: list[tuple[str, int, float]],
) -> None:
    """Send so many requests a second until the event is set or enough are sent; append path, status and seconds."""
    waiting: queue.Queue[tuple[float, Ask] | None] = queue.Queue()

    def client() -> None:
        connection = server.connection()
        while (due := waiting.get()) is not None:
            began, asked = due
            try:
                status, _ = server.ask(connection, asked)
            except (OSError, http.client.HTTPException):
                connection.close()
                status = 0
            # The wait for a free client counts too, so that a slow server cannot hide.
            found.append((asked[1].partition("?")[0], status, time.perf_counter() - began))
        connection.close()

    clients = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    began = time.perf_counter()
    sent = 0
    while sent < most and not over.is_set():
        late = time.perf_counter() - began - sent / rate
        if late < 0:
            time.sleep(-late)
        waiting.put((time.perf_counter(), one()))
        sent += 1
    for _ in clients:
        waiting.put(None)
    for thread in clients:
        thread.join()


def slowdown(options: argparse.Namespace) -> None:
    """Time the same solve alone and under requests, in turns."""
    chance = random.Random(options.seed)
    alone: list[float] = []
    loaded: list[float] = []
    answers: list[tuple[str, int, float]] = []
    used = spent = 0.0
    with serving() as server:
        one = requests(server, chance)
        long = {"spot": TURN}
        while len(answers) < options.requests:
            alone.append(solved(server, long, max_iterations=options.iterations)["result"]["seconds"])
            over = threading.Event()
            before, began = server.cpu_seconds(), time.perf_counter()
            left = options.requests - len(answers)
            sender = threading.Thread(target=load, args=(server, one, options.rate, over, left, answers))
            sender.start()
            loaded.append(solved(server, long, max_iterations=options.iterations)["result"]["seconds"])
            over.set()
            sender.join()
            used += server.cpu_seconds() - before
            spent += time.perf_counter() - began
    ratio = statistics.median(loaded) / statistics.median(alone)
    times = sorted(1000 * took for _, _, took in answers)
    wrong = sum(status == 0 or status in (500, 503) for _, status, _ in answers)
    rows = [
        ["solves in turns, alone and under requests", f"{len(alone)} and {len(loaded)}"],
        ["seconds of a solve alone", spread(alone)],
        ["seconds under requests", spread(loaded)],
        ["ratio of the medians", f"{ratio:.3f}"],
        ["requests", f"{len(answers):,}, {len(answers) / spent:.0f} a second"],
        ["processor time of the server", f"{1000 * used / len(answers):.2f} ms a request"],
        ["milliseconds to an answer, median", f"{times[len(times) // 2]:.1f}"],
        ["milliseconds to an answer, 99 %", f"{times[len(times) * 99 // 100]:.1f}"],
        ["answers that are errors of the server", f"{wrong}"],
    ]
    print(table(["", ""], rows))
    kinds: dict[str, list[float]] = {}
    for path, _, took in answers:
        # Names are left out: jobs/ID/progress and solutions/NAME/node.
        parts = path.removeprefix(f"{API}/").strip("/").split("/")
        kinds.setdefault("/".join(["NAME" if place == 1 else part for place, part in enumerate(parts)]), []).append(
            took
        )
    rows = [[kind, f"{len(took)}", f"{1000 * statistics.median(took):.1f}"] for kind, took in sorted(kinds.items())]
    print(table(["request", "number", "milliseconds, median"], rows))


def main() -> None:
    """Read the options, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000, metavar="N", help="random requests (2000)")
    parser.add_argument("--rate", type=float, default=50.0, metavar="R", help="requests a second (50)")
    parser.add_argument("--iterations", type=int, default=500, metavar="N", help="iterations of each solve (500)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random requests (1)")
    options = parser.parse_args()
    print(machine_line() + "\n")
    slowdown(options)


if __name__ == "__main__":
    main()
