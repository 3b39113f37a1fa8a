"""A server whose disk fails, or that is killed, at any one of its calls to the file system.

The same user goes on each time: what was not answered is asked again, a job that was stopped or has failed is resumed,
and a server that died is started again.  In the end everything is as if nothing had been.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from failing_calls import FailingCalls
from web_server import Served, start

JOB: dict[str, Any] = {
    "kind": "match",
    "subject": {"game": "kuhn"},
    "agents": ["uniform", "always-call"],
    "settings": {"hands": 40, "seed": 7},
}
SOLVE: dict[str, Any] = {"kind": "solve", "subject": {"game": "kuhn"}, "settings": {"max_iterations": 50, "threads": 1}}
TABLE = {"game": "kuhn", "opponent": "uniform", "seating": "first", "seed": 11}
HANDS = 3
LONGEST_SECONDS = 90.0
PATIENCE = 20
"""After so many refusals somebody makes room on the disk."""
PROBLEMS = {"DiskSpaceError", "FileAccessError", "WorkerLostError"}


class User:
    """Somebody who wants two jobs done and some hands played, and starts the server again when it has died."""

    def __init__(self, folder: Path, faults: FailingCalls | None) -> None:
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

    def end(self) -> None:
        assert self.served is not None
        self.served.end()

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any] | None:
        """The answer; None if what was asked has to be looked at and asked again."""
        assert time.monotonic() < self.until
        assert self.served is not None
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


def everything(folder: Path, faults: FailingCalls | None = None) -> dict[str, Any]:
    """What the user has in the end, without names and times."""
    user = User(folder, faults)
    try:
        match, solve, hands = user.job(JOB), user.job(SOLVE), user.hands()
    finally:
        user.end()
    saved = json.loads((folder / "matches" / f"{match['id']}.match.json").read_text())
    result = {key: match["result"][key] for key in ("hands", "status", "measures", "seed")}
    exploitability = solve["result"]["exploitability"]
    return {"match": result, "file": saved.get("hands"), "solve": exploitability, "hands": hands}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    """What the user has where nothing fails, and how many calls can fail."""
    folder = tmp_path_factory.mktemp("faultless") / "work"
    counted = FailingCalls(folder, nth=0)
    return everything(folder, counted), counted.calls


def fails_at(folder: Path, nth: int, error: str, expected: dict[str, Any], *, lasting: bool = False) -> None:
    """Have everything done while the Nth call fails."""
    faults = FailingCalls(folder, nth=nth, error=error, lasting=lasting)
    assert everything(folder, faults) == expected, (nth, error)
    # Nothing is left of what was interrupted that the server would not remove.
    assert not [path for path in folder.rglob("*") if path.name.startswith(".gone-")]


@pytest.mark.parametrize("part", range(6))
def test_nothing_is_lost_at_some_calls(part: int, expected: tuple[dict[str, Any], int], tmp_path: Path) -> None:
    nth = 1 + part * (expected[1] - 1) // 6 + part
    fails_at(tmp_path / "work", nth, ("ENOSPC", "KILL", "EIO")[part % 3], expected[0])


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
def test_a_server_goes_on_when_a_full_disk_has_room_again(
    share: float, expected: tuple[dict[str, Any], int], tmp_path: Path
) -> None:
    fails_at(tmp_path / "work", int(share * expected[1]), "ENOSPC", expected[0], lasting=True)


@pytest.mark.slow
@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "KILL"])
def test_nothing_is_lost_at_any_call(error: str, expected: tuple[dict[str, Any], int], tmp_path: Path) -> None:
    """Every call fails with one of the errors; each run takes seconds, so not every call fails with every error."""
    first = 1 + ["ENOSPC", "EIO", "KILL"].index(error)
    for nth in range(first, expected[1] + 1, 3):
        fails_at(tmp_path / f"work-{nth}", nth, error, expected[0])
