"""A user of `errai serve` who goes on whatever happens, so that in the end everything is as if nothing had been.

What was not answered is asked again, a job that was stopped or has failed is resumed, and a server that died is started
again.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
from failing_calls import FailingCalls
from scenarios import SAVING
from small_subjects import WIDE_TURN
from web_server import Served, start

JOB: dict[str, Any] = {
    "kind": "match",
    "subject": {"game": "kuhn"},
    "agents": ["uniform", "always-call"],
    "settings": {"hands": 40, "seed": 7},
}
SOLVE: dict[str, Any] = {"kind": "solve", "subject": {"game": "kuhn"}, "settings": {"max_iterations": 50, "threads": 1}}
LONG_JOB = {**JOB, "subject": {"game": "leduc"}, "settings": {"hands": 2000, "seed": 7}}
LONG_SOLVE = {**SOLVE, "subject": {"spot": WIDE_TURN}, "settings": {"max_iterations": 200, "threads": 1}}
TABLE = {"game": "kuhn", "opponent": "uniform", "seating": "first", "seed": 11}
HANDS = 3
LONGEST_SECONDS = 90.0
PATIENCE = 20
"""After so many refusals somebody makes room on the disk."""
MOST_KILLS = 6
PROBLEMS = {"DiskSpaceError", "FileAccessError", "WorkerLostError"}


@contextlib.contextmanager
def saving_often(place: Path) -> Iterator[None]:
    """Processes that are started in the block, and their own, save their state every .02 s."""
    place.mkdir(parents=True, exist_ok=True)
    (place / "sitecustomize.py").write_text(SAVING)
    with patch.dict(os.environ, {"PYTHONPATH": str(place), "SAVES": "often"}):
        yield


class User:
    """Somebody who wants two jobs done and some hands played, and starts the server again when it has died.

    With ``dice`` the server and the workers of its jobs are killed now and then, and ``kills`` has their numbers.
    """

    def __init__(
        self,
        folder: Path,
        faults: FailingCalls | None,
        dice: random.Random | None = None,
        kills: list[int] | None = None,
    ) -> None:
        self.dice, self.kills = dice, [] if kills is None else kills
        self.folder, self.until = folder, time.monotonic() + LONGEST_SECONDS
        self.served: Served | None = None
        self.refused = 0
        self.begin(faults)

    def begin(self, faults: FailingCalls | None = None) -> None:
        """Start the server; one that cannot even begin is started again without faults."""
        try:
            self.served = start(self.folder, variables=None if faults is None else faults.environment)
        except AssertionError:
            assert faults is not None
            self.served = start(self.folder)

    def may_kill(self) -> None:
        """Perhaps kill the server, or the workers of all jobs."""
        if self.dice is None or len(self.kills) >= MOST_KILLS or self.dice.random() > 0.08:
            return
        assert self.served is not None
        found = [self.served.process.pid]
        if self.dice.random() < 0.6:
            found = []
            for path in self.folder.glob("jobs/*/run.json"):
                with contextlib.suppress(ValueError, OSError):
                    if not (path.parent / "result.json").exists():
                        found.append(json.loads(path.read_text())["process"])
        for process in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
                self.kills.append(process)

    def end(self) -> None:
        assert self.served is not None
        self.served.end()

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any] | None:
        """The answer; None if what was asked has to be looked at and asked again."""
        assert time.monotonic() < self.until
        assert self.served is not None
        self.may_kill()
        try:
            answer = self.served.http.request(method, path, json=body)
        except httpx.TransportError:
            self.served.process.wait(10)
            self.end()
            self.begin()
            return None
        if answer.is_success:
            return answer.json()
        # A fault is answered by a sentence, and what came too late by another; neither is an error in Errai.
        assert answer.status_code in (409, 507), answer.text
        assert answer.json()["error"]["message"].endswith("."), answer.text
        self.refuse()
        return None

    def refuse(self) -> None:
        """Note that something was refused or waits; after some times the disk gets room, and the server a new start."""
        self.refused += 1
        if self.refused == PATIENCE:
            assert self.served is not None
            assert self.served.process.poll() is None
            self.end()
            self.begin()

    def job(self, body: dict[str, Any]) -> dict[str, Any]:
        """Have a job done; one that has stopped is resumed, as the page offers it."""
        while True:
            jobs = self.ask("GET", "/jobs")
            mine = [job for job in (jobs or {}).get("jobs", []) if job["kind"] == body["kind"]]
            if jobs is not None and not mine:
                self.ask("POST", "/jobs", body)
            elif mine and mine[0]["state"] == "done":
                return mine[0]
            elif mine and mine[0]["state"] in ("stopped", "failed"):
                assert mine[0]["error"]["type"] in PROBLEMS, mine[0]
                self.ask("POST", f"/jobs/{mine[0]['id']}/resume")
            else:
                if mine and mine[0]["waits"]:
                    assert "begin" in mine[0]["waits"]
                    self.refuse()
                time.sleep(0.05)

    def hands(self) -> list[Any]:
        """Play some hands, always checking or calling, and return what they were."""
        while True:
            tables = self.ask("GET", "/tables")
            if tables is None:
                continue
            if not tables["tables"]:
                self.ask("POST", "/tables", TABLE)
                continue
            name = tables["tables"][0]["id"]
            assert not tables["tables"][0]["damaged"]
            table = self.ask("GET", f"/tables/{name}")
            if table is None:
                continue
            if table["state"] == "failed":
                self.ask("POST", f"/tables/{name}/again")
            elif table["state"] == "turn":
                action = {"action": "c", "hand": table["shown"]["hand"], "ply": table["shown"]["ply"]}
                self.ask("POST", f"/tables/{name}/actions", action)
            elif table["hands"] >= HANDS:
                found = self.ask("GET", f"/tables/{name}/hands")
                if found is not None:
                    return [{**hand, "without_luck_chips": None} for hand in found["hands"][-HANDS:]]
            else:
                self.ask("POST", f"/tables/{name}/deal", {"hand": table["hands"] + 1})


def everything(
    folder: Path,
    faults: FailingCalls | None = None,
    dice: random.Random | None = None,
    kills: list[int] | None = None,
    *,
    jobs: tuple[dict[str, Any], dict[str, Any]] = (JOB, SOLVE),
) -> dict[str, Any]:
    """What the user has in the end, without names and times."""
    user = User(folder, faults, dice, kills)
    try:
        match, solve, hands = user.job(jobs[0]), user.job(jobs[1]), user.hands()
    finally:
        user.end()
    saved = json.loads((folder / "matches" / f"{match['id']}.match.json").read_text())
    result = {key: match["result"][key] for key in ("hands", "status", "measures", "seed")}
    exploitability = solve["result"]["exploitability"]
    return {"match": result, "file": saved.get("hands"), "solve": exploitability, "hands": hands}
