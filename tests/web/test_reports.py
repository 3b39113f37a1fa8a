"""Reports over flops: their jobs, what they take, their tables, and one flop of them opened in Study."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from small_report import BODY, FLOPS, LINES, SPOT
from web_server import Served, serving, wait

import errai
from errai.cards.flops import read_flops
from errai.games.lock_file import parse_locks
from errai.games.spot import parse_spot
from errai.nets.predictors import predictor_after_first_street
from errai.reports.flops import flop_report_document
from errai.solving.flop_report import report
from errai.solving.flop_results import FlopReport


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> FlopReport:
    """The same report in Python."""
    flops = read_flops(FLOPS.splitlines(), "three flops")
    return report(parse_spot(SPOT), flops, folder=tmp_path_factory.mktemp("python") / "it", lines=LINES, processes=1)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("reports") / "work") as served:
        yield served


@pytest.fixture(scope="module")
def name(running: Served) -> str:
    """A report that has been made."""
    job = wait(running, running.post("/jobs", BODY)["id"], seconds=120.0)
    assert (job["state"], job["kind"], job["title"], job["error"]) == ("done", "report", "Tiny", None)
    assert job["result"]["report"] == job["id"]
    assert (job["result"]["flops"], job["progress"]["flops"], job["progress"]["flops_wanted"]) == (3, 3, 3)
    return str(job["id"])


def same(found: dict, wanted: dict) -> None:
    """A table has all that Python says of a node, to the bit."""
    rows = [{key: row[key] for key in other} for row, other in zip(found["flops"], wanted["flops"], strict=True)]
    assert {**{key: found[key] for key in wanted}, "flops": rows} == wanted


def test_the_tables_are_those_of_python(running: Served, name: str, expected: FlopReport) -> None:
    (listed,) = running.get("/reports")["reports"]
    assert {key: listed[key] for key in ("name", "title", "flops", "flops_wanted", "lines", "target", "running")} == {
        "name": name,
        "title": "Tiny",
        "flops": 3,
        "flops_wanted": 3,
        "lines": LINES,
        "target": "0.5%pot",
        "running": False,
    }
    detail = running.get(f"/reports/{name}")
    assert {key: detail[key] for key in listed} == listed
    assert detail["kinds"]["suits"] == ["rainbow", "monotone"]
    assert (detail["spot"]["pot"], detail["player_names"]) == (60, ["out of position", "in position"])
    for only in ("", "rainbow"):
        chosen = expected.only(only.split()) if only else expected
        for document in flop_report_document(chosen)["nodes"]:
            found = running.get(f"/reports/{name}/table", line=document["line"], only=only)
            same(found, document)
            assert [row["exploitability_pot_percent"] for row in found["flops"]] == [
                one.pot_percent for one in chosen.flops
            ]
            players = {None: "", 0: "out of position", 1: "in position"}
            assert found["player_name"] == players[document["player"]]
        means = chosen.class_mean("check")
        found = running.get(f"/reports/{name}/classes", line="check", only=only)
        for key, wanted in (("weights", "weights"), ("ev_chips", "ev"), ("frequencies", "frequencies")):
            got = np.array(found[key], dtype=np.float64)
            np.testing.assert_allclose(got, means[wanted], rtol=1e-12)
    assert (found["labels"][0], found["labels"][1], found["actions"]) == ("AA", "AKs", ["check", "bet 60"])
    first = running.get(f"/reports/{name}/table")
    assert (first["line"], len(set(first["colours"]))) == ("", 2)


def test_a_report_over_a_network_says_that_the_cut_game_is_certified(running: Served) -> None:
    """As `errai report --net` makes it."""
    spot = parse_spot(SPOT)
    net = predictor_after_first_street("check-down", spot)
    flops = read_flops(FLOPS.splitlines(), "three flops")
    report(spot, flops, folder=running.folder / "reports" / "cut", lines=LINES, processes=1, leaf_values=net)
    listed = {one["name"]: one["net"] for one in running.get("/reports")["reports"]}
    assert listed["cut"] == running.get("/reports/cut")["net"] == "check-down"
    assert running.get("/reports/cut/table")["net"] == "check-down"
    assert running.http.delete("/reports/cut").status_code == 204


def test_a_flop_is_opened_by_a_solution_or_solved(running: Served, name: str, expected: FlopReport) -> None:
    found = running.get(f"/reports/{name}/flops/2d7hKs")
    assert (found["flop"], found["solution"]) == ("Ks 7h 2d", None)
    job = wait(running, running.post("/jobs", found["request"])["id"])
    assert (job["state"], job["title"]) == ("done", "Tiny, Ks 7h 2d")
    assert running.get(f"/reports/{name}/flops/Ks7h2d")["solution"] == job["solution"]
    node = running.get(f"/solutions/{job['solution']}/node", line="check")
    row = running.get(f"/reports/{name}/table", line="check")["flops"][0]
    assert [one["frequency"] for one in node["actions"]] == pytest.approx(row["frequencies"], rel=1e-5)
    # A solution with locks is of another game.
    locks = '["check"]\n"*" = { check = 1 }\n'
    locked = {**found["request"], "settings": {**found["request"]["settings"], "locks": locks}}
    locked["subject"] = {"spot": locked["subject"]["spot"].replace('"2d"', '"2d"')}
    solved = wait(running, running.post("/jobs", locked)["id"])["solution"]
    assert running.get(f"/reports/{name}/flops/Ks7h2d")["solution"] == job["solution"]
    assert running.http.delete(f"/solutions/{job['solution']}").status_code == 204
    assert running.get(f"/reports/{name}/flops/Ks7h2d")["solution"] is None
    assert running.http.delete(f"/solutions/{solved}").status_code == 204
    for flop, status in (("AsAhAd", 404), ("Ks7h7h", 422), ("KsKsKs", 422), ("badcards", 422), ("Ks", 422)):
        assert running.http.get(f"/reports/{name}/flops/{flop}").status_code == status


def test_a_report_of_the_terminal_is_found(running: Served, expected: FlopReport, tmp_path: Path) -> None:
    locks = '["check"]\n"*" = { check = 1 }\n'
    flops = read_flops(["Ks7h2d"], "a flop")
    folder = running.folder / "reports" / "mine"
    report(parse_spot(SPOT), flops, folder=folder, lines=["check"], locks=parse_locks(locks), processes=1)
    found = running.get("/reports/mine")
    assert (found["title"], found["locked"], found["lines"], found["running"]) == ("mine", True, ["check"], False)
    assert running.get("/reports/mine/table")["mean"]["frequencies"] == [1.0, 0.0]
    one = running.get("/reports/mine/flops/Ks7h2d")
    assert parse_locks(one["request"]["settings"]["locks"]).tables == parse_locks(locks).tables
    solved = wait(running, running.post("/jobs", one["request"])["id"])["solution"]
    assert running.get("/reports/mine/flops/Ks7h2d")["solution"] == solved
    # What is damaged is named in the list, and nothing of it leads elsewhere.
    whole = (folder / "run.json").read_bytes()
    for damage in ("text", "pipe", "link"):
        (folder / "run.json").unlink()
        if damage == "text":
            (folder / "run.json").write_bytes(whole[:50])
        elif damage == "pipe":
            os.mkfifo(folder / "run.json")
        else:
            (folder / "run.json").symlink_to(tmp_path / "run.json")
            (tmp_path / "run.json").write_bytes(whole)
        listed = {one["name"]: one["error"] for one in running.get("/reports")["reports"]}
        assert listed["mine"] != ""
        assert running.http.get("/reports/mine/table").status_code == 422
    assert running.http.delete("/reports/mine").status_code == 204
    assert running.http.get("/reports/mine").status_code == 404
    assert not folder.exists()


def test_a_report_that_was_killed_goes_on_with_the_flops_that_are_left(serve: Callable[..., Served]) -> None:
    served = serve()
    flops = "Ks7h2d\nTh9h2h\n7c7d4s\nAs8s3d\n6c5d2h\nQsQd4h"
    name = served.post("/jobs", {**BODY, "settings": {"flop_list": flops, "target": "1%pot", "processes": 1}})["id"]
    until = time.monotonic() + 60.0
    while ((served.get(f"/jobs/{name}")["progress"] or {}).get("flops") or 0) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    folder = served.folder
    served.kill()
    os.kill(json.loads((folder / "jobs" / name / "run.json").read_text())["process"], signal.SIGKILL)
    again = serve(folder)
    assert again.get(f"/jobs/{name}")["state"] == "stopped"
    # What has been solved is shown meanwhile.
    shown = again.get(f"/reports/{name}/table")["flops"]
    kept = {path: path.stat().st_mtime_ns for path in (folder / "reports" / name / "flops").glob("*.errai")}
    assert 2 <= len(shown) <= len(kept) < 6
    again.post(f"/jobs/{name}/resume")
    assert wait(again, name, seconds=120.0)["state"] == "done"
    assert all(path.stat().st_mtime_ns == before for path, before in kept.items())
    asked = read_flops(flops.splitlines(), "six flops")
    found = report(parse_spot(SPOT), asked, folder=folder / "reports" / name, target="1%pot")
    document = flop_report_document(found)
    assert document["flops"] == 6
    same(again.get(f"/reports/{name}/table"), document["nodes"][0])
    assert (folder / "reports" / name / "report.html").exists()


def test_a_report_is_stopped_and_resumed(served: Served) -> None:
    name = served.post("/jobs", {**BODY, "settings": {"flops": 25, "processes": 1}})["id"]
    until = time.monotonic() + 60.0
    while ((served.get(f"/jobs/{name}")["progress"] or {}).get("flops") or 0) < 1:
        assert time.monotonic() < until
        time.sleep(0.02)
    assert served.get(f"/reports/{name}")["running"]
    assert served.http.delete(f"/reports/{name}").status_code == 409
    served.post(f"/jobs/{name}/stop")
    job = wait(served, name)
    assert job["state"] == "stopped"
    assert 1 <= job["result"]["flops"] < 25
    assert served.get(f"/reports/{name}")["flops_wanted"] == 25


def test_an_estimate_is_said_before(running: Served) -> None:
    settings = {"flops": 1755, "processes": 2}
    found = running.post("/estimate/report", {"subject": {"spot": SPOT}, "settings": settings})
    alone = errai.estimate(
        errai.Spot.from_dict({**parse_spot(SPOT).to_dict(), "board": "Ac8d3h"}), "0.5%pot", threads=1
    )
    assert (found["flops"], found["processes"], found["fits"]) == (1755, 2, True)
    assert found["memory_bytes"] >= 2 * alone.memory_bytes
    assert found["seconds"] > 0


def test_what_is_wrong_with_a_report_is_said_before_it_begins(running: Served, name: str) -> None:
    spot, jobs = {"spot": SPOT}, len(running.get("/jobs")["jobs"])
    for subject, settings, kind, field in (
        ({"game": "leduc"}, {}, "InputError", None),
        ({"spot": SPOT.replace("Ks 7h 2d", "Ks 7h 2d 4c")}, {}, "InputError", None),
        (spot, {"flops": 26}, "InputError", None),
        (spot, {"flops": 0}, "RequestError", "settings.flops"),
        (spot, {"flop_list": "Ks7h\n"}, "InputError", None),
        (spot, {"lines": ["bet 7"]}, "LineError", None),
        (spot, {"lines": ["check", "check"]}, "LineError", None),
        (spot, {"target": "much"}, "TargetError", "settings.target"),
        (spot, {"locks": "[check"}, "LockError", "settings.locks"),
        (spot, {"processes": 0}, "RequestError", "settings.processes"),
        (spot, {"folder": "/tmp"}, "RequestError", "settings.folder"),
    ):
        for path, extra in (("/jobs", {"kind": "report"}), ("/estimate/report", {})):
            answer = running.http.post(path, json={"subject": subject, "settings": settings, **extra})
            error = answer.json()["error"]
            assert (answer.status_code, error["type"], error.get("field")) == (422, kind, field), answer.text
    assert len(running.get("/jobs")["jobs"]) == jobs
    for path, status in (
        (f"/reports/{name}/table?line=bet+7", 422),
        (f"/reports/{name}/table?only=purple", 422),
        ("/reports/nothing/table", 404),
        ("/reports/..%2Fjobs/table", 404),
        ("/reports/.hidden", 422),
    ):
        assert running.http.get(path).status_code == status, path
