"""Stateful property tests: the folder of a run, and the HTTP API, asked for anything in any order.

Hypothesis draws the steps from the seed.  It does not look for shorter stories that fail as well: each takes long, and
what a server has done by the time of a step is never the same twice.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import httpx
from campaign import Part
from charted_hands import CHARTS
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from opened import LostError, open_all, require_same
from scenarios import LONGER, SERVER
from small_subjects import RIVER
from sweeps import Sweep
from web_server import Served, start

SETTINGS = settings(
    max_examples=2,
    stateful_step_count=12,
    phases=(Phase.generate,),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
ENDED = ("done", "stopped", "failed")


@functools.cache
def sweep(home: Path) -> Sweep:
    """A solve in a folder, with its undisturbed run."""
    return Sweep(LONGER["solve --store"], home / "store")


class RunFolder(RuleBasedStateMachine):
    """A solve in a folder that is begun, stopped, killed, locked, moved, deleted, and gone on with."""

    one: Sweep

    def __init__(self) -> None:
        super().__init__()
        self.folder, self.process, self.held = self.one.fresh(), None, None

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @precondition(lambda self: self.process is None)
    @rule()
    def begin(self) -> None:
        self.process = self.one.start(self.folder, SAVES="often")
        if self.held is not None:
            said = self.end()
            assert "nother process" in said, said

    @precondition(lambda self: self.process is not None)
    @rule(share=st.floats(0.0, 0.4), number=st.sampled_from([signal.SIGINT, signal.SIGTERM, signal.SIGKILL]))
    def stop(self, share: float, number: signal.Signals) -> None:
        time.sleep(share * self.one.seconds)
        self.process.send_signal(number)
        self.end()

    @precondition(lambda self: self.process is not None)
    @rule()
    def second(self) -> None:
        """Another process begins in the same folder: it is refused, or does what is left."""
        code, err = self.one.run(self.folder)
        assert code == 0 or "nother process" in err, err

    @precondition(lambda self: self.process is None and self.held is None and self.run.exists())
    @rule()
    def lock(self) -> None:
        self.held = os.open(self.run / "lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(self.held, fcntl.LOCK_EX | fcntl.LOCK_NB)

    @precondition(lambda self: self.held is not None)
    @rule()
    def unlock(self) -> None:
        os.close(self.held)
        self.held = None

    @precondition(lambda self: self.process is None and self.held is None and self.run.exists())
    @rule()
    def delete(self) -> None:
        shutil.rmtree(self.run)

    @precondition(lambda self: self.process is None and self.held is None and self.run.exists())
    @rule()
    def move(self) -> None:
        self.run.rename(self.folder / "elsewhere")
        shutil.copytree(self.folder / "elsewhere", self.run)
        shutil.rmtree(self.folder / "elsewhere")

    def end(self) -> str:
        """Wait for the process; returns what it said."""
        said: str = self.process.communicate(timeout=240)[1]
        self.process = None
        assert "Traceback" not in said, said
        return said

    @invariant()
    def every_file_opens(self) -> None:
        if self.process is None:
            open_all(self.folder)

    def teardown(self) -> None:
        if self.held is not None:
            os.close(self.held)
        if self.process is not None:
            self.end()
        self.one.passes(self.folder, SAVES="often")
        shutil.rmtree(self.folder)


class Api(RuleBasedStateMachine):
    """A server with jobs, tables, notes and charts that are made, changed and deleted, and that is killed."""

    home: Path
    number = 0

    @initialize()
    def begin(self) -> None:
        Api.number += 1
        self.folder = self.home / f"api-{Api.number}"
        self.served: Served = start(self.folder)
        self.jobs: dict[str, str] = {}
        """What each job may be at most: "any" but lost, or "deleted"."""
        self.tables: set[str] = set()
        self.charts: dict[str, str] = {}

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        answer = self.served.http.request(method, path, json=body)
        assert answer.status_code < 500, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer

    @rule(kind=st.sampled_from(["match", "solve", "lbr"]), size=st.sampled_from([4, 400, 40_000]))
    def add(self, kind: str, size: int) -> None:
        bodies: dict[str, Any] = {
            "match": {"subject": {"game": "kuhn"}, "agents": ["uniform", "always-call"], "settings": {"hands": size}},
            "solve": {"subject": {"spot": RIVER}, "settings": {"max_iterations": size, "threads": 1}},
            "lbr": {"subject": {"game": "leduc"}, "agent": "uniform", "settings": {"hands": size}},
        }
        answer = self.ask("POST", "/jobs", {"kind": kind, **bodies[kind]})
        assert answer.status_code == 201, answer.text
        self.jobs[answer.json()["id"]] = "any"

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), what=st.sampled_from(["stop", "resume", "delete", "kill"]))
    def change(self, data: st.DataObject, what: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.jobs)))
        if what == "kill":
            with contextlib.suppress(OSError, ValueError, KeyError):
                if not (self.folder / "jobs" / name / "result.json").exists():
                    run = json.loads((self.folder / "jobs" / name / "run.json").read_text())
                    os.kill(run["process"], signal.SIGKILL)
        elif what == "delete":
            if self.ask("DELETE", f"/jobs/{name}").status_code == 204:
                del self.jobs[name]
                assert self.ask("GET", f"/jobs/{name}").status_code == 404
        else:
            assert self.ask("POST", f"/jobs/{name}/{what}").status_code in (200, 409)

    @rule(game=st.sampled_from(["kuhn", "leduc"]))
    def sit(self, game: str) -> None:
        answer = self.ask("POST", "/tables", {"game": game, "opponent": "uniform"})
        assert answer.status_code == 201, answer.text
        self.tables.add(answer.json()["id"])

    @precondition(lambda self: self.tables)
    @rule(data=st.data(), action=st.sampled_from(["c", "f", "r", "deal", "delete", "x"]))
    def play(self, data: st.DataObject, action: str) -> None:
        name = data.draw(st.sampled_from(sorted(self.tables)))
        if action == "delete":
            assert self.ask("DELETE", f"/tables/{name}").status_code == 204
            self.tables.remove(name)
            return
        table = self.ask("GET", f"/tables/{name}").json()
        if action == "deal":
            self.ask("POST", f"/tables/{name}/deal", {"hand": table["hands"] + 1})
        elif table.get("shown"):
            shown = table["shown"]
            self.ask("POST", f"/tables/{name}/actions", {"action": action, "hand": shown["hand"], "ply": shown["ply"]})

    @rule(name=st.sampled_from(["a", "b"]), gone=st.booleans())
    def chart(self, name: str, gone: bool) -> None:
        if gone:
            assert self.ask("DELETE", f"/charts/{name}").status_code == (204 if name in self.charts else 404)
            self.charts.pop(name, None)
        else:
            answer = self.ask("POST", "/charts", {"name": name, "text": CHARTS})
            if answer.is_success:
                self.charts[name] = CHARTS

    @rule()
    def restart(self) -> None:
        self.served.end()
        self.served = start(self.folder)

    @rule(seconds=st.floats(0.0, 0.5))
    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    @invariant()
    def nothing_is_lost(self) -> None:
        listed = {job["id"]: job["state"] for job in self.ask("GET", "/jobs").json()["jobs"]}
        if set(listed) != set(self.jobs):
            raise LostError(f"jobs {listed}, and there should be {self.jobs}")
        require_same({one["id"] for one in self.ask("GET", "/tables").json()["tables"]}, self.tables, "tables")
        charts = {one["name"] for one in self.ask("GET", "/charts").json()["charts"] if not one.get("shipped")}
        require_same(charts & {"a", "b"}, set(self.charts), "charts")

    def teardown(self) -> None:
        if not hasattr(self, "served"):
            return
        try:
            for name in list(self.jobs):
                self.ask("POST", f"/jobs/{name}/stop")
            until = time.monotonic() + 120
            while any(job["state"] not in ENDED for job in self.ask("GET", "/jobs").json()["jobs"]):
                assert time.monotonic() < until, self.ask("GET", "/jobs").text
                time.sleep(0.05)
            self.nothing_is_lost()
            for job in self.ask("GET", "/jobs").json()["jobs"]:
                assert job["state"] != "failed", job
        finally:
            self.served.end()
        open_all(self.folder)
        shutil.rmtree(self.folder)


def trial_of(machine: type[RuleBasedStateMachine]) -> Any:
    """Return the trial that lets Hypothesis tell stories about one of the two."""

    def trial(home: Path, row: str, number: int) -> int:
        told = type(machine.__name__, (machine,), {"home": home})
        if machine is RunFolder:
            told.one = sweep(home)  # type: ignore[attr-defined]
        run_state_machine_as_test(seed(number)(told), settings=SETTINGS)
        return SETTINGS.max_examples * SETTINGS.stateful_step_count

    return trial


PARTS = {
    "folders": Part("steps at most", ("a run's folder",), trial_of(RunFolder), 1, 60, ("hypothesis",), SERVER.close),
    "server": Part("steps at most", ("the HTTP API",), trial_of(Api), 1, 60, ("hypothesis", "httpx"), SERVER.close),
}
