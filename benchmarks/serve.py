"""The server under load: how much requests slow a solve, and how long they take; see benchmarks/README.md."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import queue
import random
import shutil
import statistics
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.machine import machine_line
from common.server import API, Ask, Server, Wire, serving
from common.tables import spread, table

ROOT = Path(__file__).resolve().parent.parent
CLIENTS = 16
IDLE_SECONDS = 5.0
IDLE_JOBS, IDLE_TABLES = 300, 20
COPIES = 20
"""Where single requests are measured, the folder has so many copies of each job and of each solution."""

RIVER, TURN, FLOP = ((ROOT / "examples" / f"{street}.toml").read_text() for street in ("river", "turn", "flop"))
SOLVED = {"flop": (FLOP, 300), "turn": (TURN, 4000)}
"""The spots that are solved under requests, with the iterations of a solve."""


def solved(server: Server, subject: dict[str, str], *, nice: int | None = None, **settings: Any) -> dict[str, Any]:
    """The job of a solve, when it is done; its process gets a nice value as soon as it iterates."""
    name = server.get("POST", "/jobs", {"kind": "solve", "subject": subject, "settings": settings})["id"]
    while (job := server.get("GET", f"/jobs/{name}"))["state"] in ("queued", "running", "stopping"):
        if nice is not None and job["points"]:
            set_nice(json.loads((server.folder / "jobs" / name / "run.json").read_bytes())["process"], nice)
            nice = None
        time.sleep(0.25)
    if job["state"] != "done":
        raise SystemExit(f"the solve has {job['state']}: {job['error']}")
    return job


def set_nice(process: int, nice: int) -> None:
    """Give all threads of a process a nice value; Linux has one for each of them."""
    with suppress(FileNotFoundError, ProcessLookupError):  # It has ended.
        for thread in Path(f"/proc/{process}/task").iterdir():
            os.setpriority(os.PRIO_PROCESS, int(thread.name), nice)


# --- random requests while a solve runs ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """A kind of request: what pages ask for, what programs ask for, or a wrong one."""

    name: str
    share: int
    """How many of a hundred random requests are of this kind."""
    ask: Callable[[], Ask]
    """Returns a random request of this kind."""


def kinds(server: Server, chance: random.Random) -> list[Kind]:
    """Returns the kinds of requests, about two solutions that are made first."""
    river = solved(server, {"spot": RIVER}, target="0.5%pot")["solution"]
    leduc = solved(server, {"game": "leduc"}, target="1mbb")["solution"]
    lines = {
        river: ["", "check", "bet 50", "check bet 100", "bet 50 raise 250"],
        leduc: ["", "check", "bet 2", "bet 2 call / Ks"],
    }
    hands = ["AA, KK", "22+, A2s+", "random", "AKs:0.5, QQ"]
    jobs = [view["id"] for view in server.get("GET", "/jobs")["jobs"]]

    def node() -> Ask:
        name = chance.choice([river, leduc])
        line = chance.choice(lines[name]).replace(" ", "%20").replace("/", "%2F")
        return "GET", f"{API}/solutions/{name}/node?line={line}", None

    def asked(method: str, path: Callable[[], str] | str, body: Callable[[], Any] | None = None) -> Callable[[], Ask]:
        return lambda: (method, path() if callable(path) else path, None if body is None else body())

    def job() -> str:
        return f"{API}/jobs/{chance.choice(jobs)}"

    return [
        Kind("node", 30, node),
        Kind("job", 15, asked("GET", job)),
        Kind("progress", 10, asked("GET", lambda: f"{job()}/progress?after={chance.randrange(200)}")),
        Kind("jobs", 5, asked("GET", f"{API}/jobs")),
        Kind("solutions", 10, asked("GET", f"{API}/solutions")),
        Kind("games", 5, asked("GET", f"{API}/games")),
        Kind("range", 10, asked("POST", f"{API}/ranges", lambda: {"text": chance.choice(hands), "cells": []})),
        Kind(
            "estimate", 2, asked("POST", f"{API}/estimate", lambda: {"subject": {"spot": chance.choice([RIVER, TURN])}})
        ),
        Kind("script", 5, asked("GET", "/static/app.js")),
        Kind("unknown job", 3, asked("GET", lambda: f"{API}/jobs/{chance.randbytes(4).hex()}")),
        Kind(
            "wrong solve",
            3,
            asked("POST", f"{API}/jobs", lambda: {"kind": "solve", "subject": {"game": chance.randbytes(3).hex()}}),
        ),
        Kind("wrong spot", 2, asked("POST", f"{API}/spots/read", lambda: {"spot": chance.randbytes(20).hex()})),
    ]


def load(
    server: Server,
    one: Callable[[], Kind],
    rate: float,
    over: threading.Event,
    most: int,
    found: list[tuple[str, int, float]],
) -> None:
    """Send so many requests a second until the event is set or enough are sent; append kind, status and seconds."""
    waiting: queue.Queue[tuple[float, Kind] | None] = queue.Queue()

    def client() -> None:
        connection = Wire(server)
        while (due := waiting.get()) is not None:
            began, kind = due
            try:
                status = connection.ask(kind.ask())
            except OSError:
                connection.close()
                connection = Wire(server)
                status = 0
            # The wait for a free client counts too, so that a slow server cannot hide.
            found.append((kind.name, status, time.perf_counter() - began))
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
    spot, iterations = SOLVED[options.spot]
    alone: list[float] = []
    loaded: list[float] = []
    answers: list[tuple[str, int, float]] = []
    used = asking = spent = 0.0
    with serving() as server:
        found = kinds(server, chance)
        shares = [kind.share for kind in found]
        if options.nice < 0:
            set_nice(server.process.pid, -options.nice)

        def solve() -> float:
            """The seconds of the solve that is timed."""
            # A solve begins with the value of its server, and only root can lower it again.
            nice = max(options.nice, 0) if options.nice else None
            job = solved(server, {"spot": spot}, nice=nice, max_iterations=options.iterations or iterations)
            return float(job["result"]["seconds"])

        while len(answers) < options.requests:
            alone.append(solve())
            over = threading.Event()
            before, began = (server.cpu_seconds(), time.process_time()), time.perf_counter()
            left = options.requests - len(answers)
            sender = threading.Thread(
                target=load,
                args=(server, lambda: chance.choices(found, shares)[0], options.rate, over, left, answers),
            )
            sender.start()
            loaded.append(solve())
            over.set()
            sender.join()
            used += server.cpu_seconds() - before[0]
            asking += time.process_time() - before[1]
            spent += time.perf_counter() - began
    ratio = statistics.median(loaded) / statistics.median(alone)
    ratios = sorted(after / before for before, after in zip(alone, loaded, strict=True))
    times = sorted(1000 * took for _, _, took in answers)
    wrong = sum(status == 0 or status in (500, 503) for _, status, _ in answers)
    rows = [
        ["solves in turns, alone and under requests", f"{len(alone)} and {len(loaded)}"],
        ["seconds of a solve alone", spread(alone)],
        ["seconds under requests", spread(loaded)],
        ["ratio of the medians", f"{ratio:.3f}"],
        ["ratio of a solve under requests and the one before it", spread(ratios)],
        ["requests", f"{len(answers):,}, {len(answers) / spent:.0f} a second"],
        ["processor time of the server", f"{1000 * used / len(answers):.2f} ms a request"],
        ["of those who ask", f"{1000 * asking / len(answers):.2f} ms a request"],
        ["milliseconds to an answer, median", f"{times[len(times) // 2]:.1f}"],
        ["milliseconds to an answer, 99 %", f"{times[len(times) * 99 // 100]:.1f}"],
        ["answers that are errors of the server", f"{wrong}"],
    ]
    print(table(["", ""], rows))
    rows = []
    for kind in found:
        took = [seconds for name, _, seconds in answers if name == kind.name]
        rows.append([kind.name, f"{len(took)}", f"{1000 * statistics.median(took):.1f}" if took else "-"])
    print(table(["request", "number", "milliseconds, median"], rows))


# --- what a request costs --------------------------------------------------------------------------------------------


def copied(server: Server, kind: str, copies: int) -> None:
    """Put so many copies of each job or solution beside it, as a folder has them that is used every day."""
    for path in [path for path in (server.folder / kind).iterdir() if not path.name.startswith(".")]:
        for number in range(copies):
            to = path.with_name(f"{number}-{path.name}")
            shutil.copytree(path, to) if path.is_dir() else shutil.copy(path, to)


def share(server: Server, seconds: float) -> float:
    """The processor time that the server takes for a second, over so many seconds."""
    used, began = server.cpu_seconds(), time.perf_counter()
    time.sleep(seconds)
    return (server.cpu_seconds() - used) / (time.perf_counter() - began)


def costs(options: argparse.Namespace) -> None:
    """Print the processor time of each kind of request, asked for alone, one after another over one connection."""
    with serving() as server:
        found = kinds(server, random.Random(options.seed))
        for kind in ("jobs", "solutions"):
            copied(server, kind, COPIES)
        connection = server.connection()
        # The queue of jobs is looked at whether or not there are requests.
        beside = share(server, IDLE_SECONDS)
        rows = [["none, for a second", "", f"{1000 * beside:.2f}"]]
        mean = 0.0
        for kind in found:
            for _ in range(20):
                server.ask(connection, kind.ask())
            used, began = server.cpu_seconds(), time.perf_counter()
            for _ in range(options.each):
                server.ask(connection, kind.ask())
            used = server.cpu_seconds() - used - beside * (time.perf_counter() - began)
            cost = 1000 * used / options.each
            mean += cost * kind.share / sum(one.share for one in found)
            rows.append([kind.name, f"{kind.share} %", f"{cost:.2f}"])
        connection.close()
    rows.append(["in the mean", "", f"{mean:.2f}"])
    print(table(["request", "share", "milliseconds of processor time"], rows))


def read_events(stream: http.client.HTTPResponse) -> None:
    """Read a stream until the server ends."""
    with suppress(OSError, http.client.HTTPException):
        stream.read()


def idle(options: argparse.Namespace) -> None:
    """Print the processor time of a server with many jobs and tables while nobody asks anything."""
    with serving() as server:
        solved(server, {"game": "leduc"}, target="100mbb")
        copied(server, "jobs", IDLE_JOBS - 1)
        for _ in range(IDLE_TABLES):
            server.get("POST", "/tables", {"game": "leduc", "opponent": "uniform"})
        rows = [["no page", f"{1000 * share(server, options.idle):.1f}"]]
        connection = server.connection()
        connection.request("GET", f"{API}/events", headers={"authorization": f"Bearer {server.token}"})
        reader = threading.Thread(target=read_events, args=(connection.getresponse(),))
        reader.start()
        time.sleep(1.0)  # It begins with everything.
        rows.append(["one page with its stream of events", f"{1000 * share(server, options.idle):.1f}"])
    reader.join()
    print(f"{IDLE_JOBS} jobs that have ended and {IDLE_TABLES} tables:\n")
    print(table(["open", "milliseconds of processor time a second"], rows))


def main() -> None:
    """Read the options, and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=2000, metavar="N", help="random requests (2000)")
    parser.add_argument("--rate", type=float, default=50.0, metavar="R", help="requests a second (50)")
    parser.add_argument("--iterations", type=int, metavar="N", help="iterations of each solve (300, on the turn 4000)")
    parser.add_argument(
        "--nice", type=int, default=0, metavar="N", help="nice value of the solves, or -N for that of the server (0)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random requests (1)")
    parser.add_argument(
        "--each", type=int, metavar="N", help="only the processor time of each kind of request, from so many of each"
    )
    parser.add_argument("--spot", choices=SOLVED, default="flop", help="the spot of the examples that is solved (flop)")
    parser.add_argument(
        "--idle", type=float, metavar="S", help="only the processor time while nothing is asked for S s"
    )
    options = parser.parse_args()
    print(machine_line() + "\n")
    if options.idle is not None:
        idle(options)
    elif options.each is not None:
        costs(options)
    else:
        slowdown(options)


if __name__ == "__main__":
    main()
