"""Jobs: their life, the queue, and what happens when the server or the worker is killed."""

from __future__ import annotations

import io
import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_subjects import RIVER, TURN
from web_server import Served, wait

import errai
from errai.games.library import library_files, read_hands
from errai.games.spot import parse_spot
from errai.options import OPTIONS
from errai.solving.estimate import MENUS, prices
from errai.tree.betting_tree import NodeKind, build_betting_tree
from errai.web.kinds.solve import SolveSettings
from errai.web.routes.jobs import JobsView, PointsView

SMALL = {"kind": "solve", "subject": {"spot": RIVER}, "settings": {"target": "0.01%pot"}}
LONG = {"kind": "solve", "subject": {"game": "leduc"}, "settings": {"max_iterations": 10**9, "threads": 1}}
RAKED_TURN = f"{TURN}[rake]\npercent = 5\n"


@pytest.fixture(autouse=True)
def no_worker_is_left(tmp_path: Path) -> Iterator[None]:
    """Jobs outlive their server, so a test that fails would leave them running."""
    yield
    for folder in tmp_path.glob("*/jobs/*/"):
        (folder / "stop").touch()


def working(served: Served, name: str) -> int:
    """The process of a job that has begun to iterate."""
    until = time.monotonic() + 30.0
    # What comes before the first iteration has points, too.
    while "iteration" not in (served.get(f"/jobs/{name}")["progress"] or {}):
        assert time.monotonic() < until
        time.sleep(0.02)
    return int(json.loads((served.folder / "jobs" / name / "run.json").read_text())["process"])


def test_a_solve_is_the_solve_of_the_library(served: Served) -> None:
    name = served.post("/jobs", SMALL)["id"]
    job = wait(served, name)
    assert (job["state"], job["solution"], job["error"]) == ("done", name, None)
    expected = errai.solve(parse_spot(RIVER), "0.01%pot")
    found = errai.load_solution(served.folder / "solutions" / f"{name}.errai")
    for one in (found.exploitability.chips, job["result"]["exploitability"]["chips"]):
        assert one == expected.exploitability.chips
    assert job["result"]["values_chips"] == list(expected.values.chips)
    assert job["progress"]["exploitability_pot_percent"] == expected.exploitability.pot_percent
    answer = served.get(f"/jobs/{name}/progress", after=1)
    assert answer["next"] == job["points"] == len(answer["points"]) + 1
    assert PointsView.model_validate(answer).model_dump(mode="json") == answer
    lines = (served.folder / "jobs" / name / "progress.jsonl").read_text().splitlines()
    assert answer["points"] == [json.loads(line) for line in lines[1:]]
    assert served.get(f"/jobs/{name}/progress", after=10**6) == {"points": [], "next": 10**6}
    assert not list((served.folder / "jobs" / name).glob("checkpoint*"))


def test_the_list_has_the_views_of_the_jobs(served: Served) -> None:
    names = [served.post("/jobs", {**SMALL, "title": title})["id"] for title in ("one", 'two "é"')]
    for name in names:
        wait(served, name)
    for _ in range(2):
        answer = served.get("/jobs")
        assert JobsView.model_validate(answer).model_dump(mode="json") == answer
        assert answer["jobs"] == [served.get(f"/jobs/{name}") for name in reversed(names)]
    # What another server does in the same folder is seen.
    (served.folder / "jobs" / names[0] / "lock").unlink()
    (served.folder / "jobs" / names[0] / "result.json").unlink()
    assert [job["state"] for job in served.get("/jobs")["jobs"]] == ["done", "stopped"]


def test_the_command_of_a_job_solves_the_same(served: Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import shlex

    from errai.cli.main import main

    locks = '["check"]\n"KK" = { check = 1 }\n'
    body = {**SMALL, "settings": {"target": "0.01%pot", "algorithm": "dcfr", "threads": 1, "locks": locks}}
    job = wait(served, served.post("/jobs", body)["id"])
    monkeypatch.chdir(tmp_path)
    words = shlex.split(job["command"])
    assert words[:2] == ["errai", "solve"]
    assert main([*words[1:], "--quiet"]) == 0
    saved = errai.load_solution(f"{job['id']}.errai")
    assert saved.exploitability.chips == job["result"]["exploitability"]["chips"]


def test_one_job_runs_and_the_next_waits(served: Served) -> None:
    first, second = (served.post("/jobs", LONG)["id"] for _ in range(2))
    working(served, first)
    assert served.get(f"/jobs/{second}")["state"] == "queued"
    assert [job["id"] for job in served.get("/jobs")["jobs"]] == [second, first]
    served.post(f"/jobs/{first}/stop")
    stopped = wait(served, first)
    assert (stopped["state"], stopped["result"]["status"]) == ("stopped", "interrupted")
    assert errai.load_solution(served.folder / "solutions" / f"{first}.errai").verify().certified
    working(served, second)
    assert served.http.delete(f"/jobs/{second}").status_code == 409
    served.post(f"/jobs/{second}/stop")
    wait(served, second)
    assert served.http.delete(f"/jobs/{second}").status_code == 204
    assert served.http.get(f"/jobs/{second}").status_code == 404


def test_a_stopped_job_goes_on_from_its_checkpoint(served: Served) -> None:
    name = served.post("/jobs", LONG)["id"]
    working(served, name)
    served.post(f"/jobs/{name}/stop")
    before = wait(served, name)["result"]["iterations"]
    again = served.post(f"/jobs/{name}/resume")
    assert again["state"] == "queued"
    assert served.http.post(f"/jobs/{name}/resume").status_code == 409
    points = again["points"]
    wait(served, name, ("running",))
    while served.get(f"/jobs/{name}")["points"] == points:
        time.sleep(0.02)
    assert served.get(f"/jobs/{name}/progress", after=points)["points"][0]["iteration"] > before
    served.post(f"/jobs/{name}/stop")
    assert wait(served, name)["result"]["iterations"] > before


def test_a_queued_job_is_taken_out_of_the_queue(served: Served) -> None:
    first, second = (served.post("/jobs", LONG)["id"] for _ in range(2))
    working(served, first)
    assert served.post(f"/jobs/{second}/stop")["state"] == "stopped"
    served.post(f"/jobs/{first}/stop")
    wait(served, first)
    assert served.get(f"/jobs/{second}")["points"] == 0
    assert served.http.post(f"/jobs/{second}/stop").status_code == 409


def test_a_killed_worker_leaves_a_job_that_can_be_resumed(served: Served) -> None:
    name = served.post("/jobs", LONG)["id"]
    os.kill(working(served, name), signal.SIGKILL)
    lost = wait(served, name)
    assert (lost["state"], lost["error"]["type"]) == ("stopped", "WorkerLostError")
    points = lost["points"]
    served.post(f"/jobs/{name}/resume")
    wait(served, name, ("running",))
    while served.get(f"/jobs/{name}")["points"] == points:
        time.sleep(0.02)
    os.kill(json.loads((served.folder / "jobs" / name / "run.json").read_text())["process"], signal.SIGINT)
    assert wait(served, name)["state"] == "stopped"


def test_the_queue_goes_on_after_the_server_was_killed(serve: Callable[..., Served]) -> None:
    served = serve()
    first, second = served.post("/jobs", LONG)["id"], served.post("/jobs", SMALL)["id"]
    process = working(served, first)
    served.kill()
    again = serve(served.folder)
    assert again.get(f"/jobs/{first}")["state"] == "running"
    assert working(again, first) == process
    again.post(f"/jobs/{first}/stop")
    assert wait(again, first)["state"] == "stopped"
    assert wait(again, second)["state"] == "done"


KILLS = pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.slow)])


@KILLS
def test_a_solve_does_not_notice_that_its_server_is_killed(serve: Callable[..., Served], kills: int) -> None:
    served, chance = serve(), random.Random(kills)
    long, small = served.post("/jobs", LONG)["id"], served.post("/jobs", SMALL)["id"]
    process = working(served, long)
    for _ in range(kills):
        time.sleep(0.2 * chance.random())
        served.kill()
        served = serve(served.folder)
        assert [(job["id"], job["state"]) for job in served.get("/jobs")["jobs"]] == [
            (small, "queued"),
            (long, "running"),
        ]
        assert working(served, long) == process
    served.post(f"/jobs/{long}/stop")
    assert wait(served, long)["state"] == "stopped"
    lines = (served.folder / "jobs" / long / "progress.jsonl").read_text().splitlines()
    iterations = [json.loads(line)["iteration"] for line in lines]
    # A run that had begun again would have fallen back.
    assert iterations == sorted(iterations)
    assert wait(served, small)["state"] == "done"


@KILLS
def test_jobs_are_started_once_however_often_the_server_is_killed(serve: Callable[..., Served], kills: int) -> None:
    served, chance = serve(), random.Random(kills)
    names = []
    for _ in range(kills):
        names += [served.post("/jobs", SMALL)["id"] for _ in range(2)]
        # The moments around the start of a worker are those at which something could be lost.
        time.sleep(chance.random())
        served.kill()
        served = serve(served.folder)
    for name in names:
        job = wait(served, name, seconds=30.0 + 5.0 * kills)
        assert (job["state"], job["error"]) == ("done", None)
        assert (served.folder / "jobs" / name / "log").read_text() == ""
        lines = (served.folder / "jobs" / name / "progress.jsonl").read_text().splitlines()
        iterations = [json.loads(line)["iteration"] for line in lines]
        # A second run would have written its points after those of the first.
        assert iterations == sorted(iterations)
    assert sorted(path.stem for path in (served.folder / "solutions").glob("*.errai")) == sorted(names)
    assert served.get("/jobs")["jobs"][-1]["id"] == names[0]


def test_events_go_on_after_the_last_one(served: Served) -> None:
    name = served.post("/jobs", SMALL)["id"]
    points = wait(served, name)["points"]
    with served.http.stream("GET", f"/jobs/{name}/events", headers={"last-event-id": "0"}) as stream:
        lines = list(stream.iter_lines())
    assert [line for line in lines if line.startswith("id:")] == [f"id: {n}" for n in range(1, points)]
    assert json.loads(lines[-2].removeprefix("data: "))["state"] == "done"
    assert lines[-3] == "event: end"


WRONG = [
    ({**SMALL, "subject": {"game": "/etc/passwd"}}, "UnknownGameError", None),
    ({**SMALL, "subject": {"spot": RIVER.replace("50%", "50")}}, "SizingError", "spot.bets.bet"),
    ({**SMALL, "subject": {"spot": RIVER.replace("KTs", "KTx")}}, "SpotRangeError", "spot.ranges.oop"),
    ({**SMALL, "settings": {"target": "0.1"}}, "TargetError", "settings.target"),
    ({**SMALL, "settings": {"algorithm": "magic"}}, "SolverOptionError", None),
    ({**SMALL, "settings": {"menu": "50%"}}, "InputError", None),
    ({**SMALL, "settings": {"net": "/tmp/own.net"}}, "InputError", None),
    ({**SMALL, "settings": {"net": "check-down"}}, "InputError", None),
    ({**SMALL, "subject": {"spot": TURN}, "settings": {"net": "turn"}}, "InputError", None),
    ({**SMALL, "subject": {"spot": RAKED_TURN}, "settings": {"net": "check-down"}}, "InputError", None),
    ({**SMALL, "settings": {"locks": '["check"]\n"22" = { check = 1 }'}}, "LockError", "settings.locks"),
    ({**SMALL, "settings": {"checkpoint": "/tmp/x"}}, "RequestError", "settings.checkpoint"),
    ({**SMALL, "settings": {"threads": 0}}, "RequestError", "settings.threads"),
    ({**SMALL, "kind": "shell"}, "RequestError", None),
]
"""Requests, the type of the error that they are answered with, and its field."""


def test_what_is_wrong_is_said_before_anything_starts(served: Served) -> None:
    for body, kind, field in WRONG:
        answer = served.http.post("/jobs", json=body)
        assert answer.status_code == 422, body
        error = answer.json()["error"]
        assert (error["type"], error.get("field")) == (kind, field)
    assert served.get("/jobs")["jobs"] == []
    assert not [path for path in (served.folder / "jobs").iterdir() if path.is_dir()]


def test_the_options_of_the_form_are_those_of_a_solve(served: Served) -> None:
    found = {option["name"]: option for option in served.get("/options")["options"]}
    assert [*found] == [*SolveSettings.model_fields]
    assert found["precision"] == {
        "name": "precision",
        "kind": "text",
        "help": OPTIONS["precision"].help,
        "choices": ["auto", "float64", "float32", "fixed16", "average8"],
        "default": "auto",
    }
    assert (found["algorithm"]["default"], found["threads"]["kind"]) == ("dcfr-foresight", "count")


def test_an_estimate_is_that_of_the_library(served: Served) -> None:
    found = served.post("/estimate", {"subject": {"spot": RIVER}, "settings": {"target": "0.01%pot"}})
    expected = errai.estimate(parse_spot(RIVER), "0.01%pot")
    for key in ("nodes", "information_sets", "entries", "precision", "memory_bytes", "disk_bytes"):
        assert found[key] == getattr(expected, key)
    assert found["fits"]
    assert found["advice"] is None
    assert found["seconds_to_target"] is None  # so small a target would take a solve of its own
    near = served.post("/estimate", {"subject": {"spot": RIVER}, "settings": {"target": "0.5%pot"}})
    iterations = errai.estimate(parse_spot(RIVER), "0.5%pot").iterations
    assert near["seconds_to_target"] == pytest.approx(iterations * near["seconds_per_iteration"])


def test_an_estimate_shows_what_can_be_done_first(served: Served) -> None:
    """The nodes before a card is dealt are those of the tree, as it names them."""
    text = (Path(__file__).parents[2] / "examples" / "turn.toml").read_text()
    nodes = served.post("/estimate", {"subject": {"spot": text}})["tree"]
    tree = build_betting_tree(parse_spot(text), parse_spot(text).menu)
    assert len(nodes) == len(tree.street_nodes(0))
    for number, node in enumerate(nodes):
        line: list[str] = []
        at: dict[str, Any] = node
        while at["parent"] is not None:
            line.insert(0, at["action"])
            at = nodes[at["parent"]]
        found = tree.find(" ".join(line))
        assert (found, node["pot_chips"]) == (number, tree.pot(found))
        assert node["kind"] == NodeKind(int(tree.kind[found])).name.lower()
        share = tree.share(found)
        assert node["pot_percent"] == (None if share is None else pytest.approx(share.percent))
        assert bool(node["player_name"]) == (node["kind"] == "decision")
    assert [node["action"] for node in nodes if node["parent"] == 0] == ["check", "bet 120", "bet 216", "bet 900"]
    assert [node["all_in"] for node in nodes if node["parent"] == 0] == [False, False, False, True]


def test_the_library_is_that_of_the_package_and_of_the_user(
    serve: Callable[..., Served], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind, text in (
        ("spots", RIVER),
        (
            "charts",
            '[[chart]]\nraises = 2\nraiser = "SB"\nranges = { BTN = "TT-88", SB = "QQ+" }\n[ranges]\nopen = "20%"\n',
        ),
    ):
        (tmp_path / "own" / kind).mkdir(parents=True)
        (tmp_path / "own" / kind / "mine.toml").write_text(text)
    (tmp_path / "own" / "spots" / "broken.toml").write_text("pot = ")
    monkeypatch.setenv("ERRAI_LIBRARY", str(tmp_path / "own"))
    found = serve().get("/library")
    spots = {one["name"]: one for one in found["spots"]}
    assert spots.keys() == library_files("spots").keys() - {"broken"}
    assert (spots["mine"]["own"], spots["mine"]["spot"], spots["btn-vs-bb-srp"]["own"]) == (True, RIVER, False)
    ranges = {one["name"]: one for one in found["ranges"]}
    assert ranges["@mine/open"] == {
        "name": "@mine/open", "charts": "mine", "title": "open", "position": "", "hands": "20%", "own": True,
    }  # fmt: skip
    assert ranges["@mine/sb-vs-btn-3bp/SB"]["title"] == "SB, SB vs BTN, three-bet pot"
    for name, one in ranges.items():
        assert read_hands(name) == errai.Range.parse(one["hands"])
    assert [(menu["bet"], menu["raise"]) for menu in found["menus"]] == list(MENUS)
    assert [menu["cost_pot_percent"] for menu in found["menus"]] == [*(price.mean for price in prices()), None]


def test_the_values_of_a_solve_are_the_evs_of_its_root(served: Served) -> None:
    """Also before the flop, where an EV counts the blind that a player has posted."""
    for name in ("push-or-fold", "river"):
        text = (Path(__file__).parents[2] / "examples" / f"{name}.toml").read_text()
        job = wait(served, served.post("/jobs", {"kind": "solve", "subject": {"spot": text}})["id"])
        root = served.get(f"/solutions/{job['solution']}/node", line="")
        assert job["result"]["values_chips"] == pytest.approx(root["ranges"]["ev_chips"], rel=1e-5)


def test_a_solve_writes_what_is_done_first(served: Served) -> None:
    body = {"kind": "solve", "subject": {"spot": RIVER}, "settings": {"target": "0.1%pot"}}
    job = served.post("/jobs", body)["id"]
    wait(served, job)
    found = served.get(f"/jobs/{job}/first")
    solution = errai.load_solution(served.folder / "solutions" / f"{job}.errai")
    root = solution.at("")
    assert [action["frequency"] for action in found["actions"]] == pytest.approx(root.frequencies, abs=1e-5)
    held = found["labels"].index("AA")
    hands = [i for i, hand in enumerate(root.hands) if hand[0] == hand[2] == "A" and root.ranges[root.player][i] > 0]
    mean = np.average(root.strategies[hands], axis=0, weights=root.ranges[root.player][hands])
    assert found["shares"][held] == pytest.approx(mean, abs=1e-5)
    assert found["iteration"] == solution.iterations
    match = {"kind": "match", "subject": {"game": "kuhn"}, "agents": ["uniform", "always-call"]}
    other = served.post("/jobs", match)["id"]
    assert served.get(f"/jobs/{other}/first") is None
    served.post(f"/jobs/{other}/stop")
    wait(served, other)


def test_a_solve_over_a_network_goes_on_after_a_stop_and_says_of_what_its_certificate_is(served: Served) -> None:
    settings = {"net": "check-down", "max_iterations": 10**9, "threads": 1}
    body = {"kind": "solve", "subject": {"spot": TURN}, "settings": settings}
    estimate = served.post("/estimate", {"subject": body["subject"], "settings": settings})
    # The time of the network is not in the speed that is measured.
    assert estimate["seconds_per_iteration"] is None
    name = served.post("/jobs", body)["id"]
    working(served, name)
    served.post(f"/jobs/{name}/stop")
    stopped = wait(served, name)
    assert (stopped["state"], stopped["result"]["net"]) == ("stopped", "check-down")
    before = stopped["result"]["iterations"]
    served.post(f"/jobs/{name}/resume")
    while served.get(f"/jobs/{name}")["points"] <= stopped["points"] + 1:
        time.sleep(0.02)
    served.post(f"/jobs/{name}/stop")
    assert wait(served, name)["result"]["iterations"] > before
    points = served.get(f"/jobs/{name}/progress", after=stopped["points"])["points"]
    assert min(point["iteration"] for point in points if "iteration" in point) >= before
    certificate = served.get(f"/solutions/{name}/node")["certificate"]
    assert certificate["cut"]
    assert "exploitability of the cut game" in certificate["text"]
    assert served.get(f"/solutions/{name}/spot")["settings"]["net"] == "check-down"


def test_a_solve_starts_from_the_regrets_of_another(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    first = served.post("/jobs", {**SMALL, "settings": {"target": "0.3%pot"}})["id"]
    wait(served, first)
    kept = served.folder / "solutions" / f"{first}.checkpoint"
    assert kept.exists()
    assert [one["name"] for one in served.get("/solutions")["solutions"] if not one["shipped"]] == [first]
    changed = RIVER.replace("pot = 100", "pot = 110")
    assert changed != RIVER
    body = {"kind": "solve", "subject": {"spot": changed}, "settings": {"target": "0.3%pot", "start_from": first}}
    job = wait(served, served.post("/jobs", body)["id"])
    expected = errai.solve(parse_spot(changed), "0.3%pot", start_from=kept)
    assert job["result"]["iterations"] == expected.iterations < errai.solve(parse_spot(changed), "0.3%pot").iterations
    assert job["result"]["exploitability"]["chips"] == expected.exploitability.chips
    assert f"--start-from {kept}" in job["command"]
    assert not (served.folder / "jobs" / job["id"] / "start").exists()
    # Other lines are solved from nothing.
    other = RIVER.replace('bet = "', 'bet = "33%, ')
    assert other != RIVER
    body["subject"] = {"spot": other}
    job = wait(served, served.post("/jobs", body)["id"])
    assert job["result"]["iterations"] == errai.solve(parse_spot(other), "0.3%pot").iterations
    # So is everything once the solution has been deleted.
    assert served.http.delete(f"/solutions/{first}").status_code == 204
    assert not kept.exists()
    body["subject"] = {"spot": changed}
    job = wait(served, served.post("/jobs", body)["id"])
    assert job["result"]["iterations"] == errai.solve(parse_spot(changed), "0.3%pot").iterations
    assert "--start-from" not in job["command"]
    over_a_net = {**body, "settings": {"net": "zero", "start_from": first}}
    answer = served.http.post("/jobs", json=over_a_net)
    assert answer.status_code == 422


def test_regrets_are_kept_only_while_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from errai.web.files import Workspace
    from errai.web.job_files import Work
    from errai.web.kinds import solve

    workspace = Workspace.at(tmp_path)
    monkeypatch.setattr(solve, "STARTS_BYTES", 250)
    for number in range(4):
        folder = workspace.folder / "jobs" / f"job-{number}"
        folder.mkdir()
        (folder / "checkpoint").write_bytes(bytes(100))
        (folder / "checkpoint.previous").write_bytes(bytes(100))
        os.utime(folder / "checkpoint", (number, number))
        solve._keep_start(Work(folder, workspace, errai.StopToken(), io.BytesIO()), solve.SolveSettings())
        assert not list(folder.iterdir())
    assert workspace.names("solutions", ".checkpoint") == ["job-2", "job-3"]


def test_the_request_of_a_solve_can_be_changed_and_made_again(served: Served) -> None:
    settings = {"target": "0.5%pot", "seconds": 20.0, "algorithm": "dcfr", "locks": '["check"]\n"*" = { check = 1 }\n'}
    body = {"kind": "solve", "subject": {"spot": RIVER}, "settings": settings, "title": "Mine"}
    name = served.post("/jobs", body)["id"]
    found = served.get(f"/jobs/{name}/solve")
    assert (found["subject"], found["title"]) == (body["subject"], "Mine")
    assert {key: value for key, value in found["settings"].items() if value is not None} == settings
    wait(served, name)
    match = {
        "kind": "match",
        "subject": {"game": "kuhn"},
        "agents": ["uniform", "always-call"],
        "settings": {"hands": 10},
    }
    answer = served.http.get(f"/jobs/{served.post('/jobs', match)['id']}/solve")
    assert (answer.status_code, answer.json()["error"]["type"]) == (422, "InputError")


def test_what_is_too_large_is_refused_with_advice(served: Served) -> None:
    body = {"subject": {"game": "holdem.limit.2p"}}
    found = served.post("/estimate", body)
    assert not found["fits"]
    assert "errai train" in found["advice"]
    preflop = 'board = ""\nblinds = [1, 2]\nstack = 40\n[ranges]\noop = "random"\nip = "random"\n'
    preflop += '[bets]\nbet = "50%"\nraise = "a"\n'
    assert (
        "With the network preflop after the first street"
        in served.post("/estimate", {"subject": {"spot": preflop}})["advice"]
    )
    many = (
        RIVER.replace("300", "1000000000").replace('"50%, a"', '"10%, 20%, 50%, a"').replace('"a"', '"min, 2x, 3x, a"')
    )
    uncounted = served.post("/estimate", {"subject": {"spot": many}})
    assert (uncounted["fits"], uncounted["nodes"]) == (False, None)
    assert "more than 500,000 nodes" in uncounted["advice"]
    answer = served.http.post("/jobs", json={"kind": "solve", **body})
    assert answer.status_code == 507
    assert answer.json()["error"]["type"] == "NoMemoryError"


def test_spots_and_ranges_are_put_into_the_users_library(serve: Callable[..., Served]) -> None:
    served = serve()
    assert served.post("/library/spots", {"name": "mine", "spot": RIVER}) == {"name": "mine"}
    assert served.post("/library/ranges", {"name": "tight, early", "hands": "TT+"}) == {"name": "@ranges/tight, early"}
    served.post("/library/ranges", {"name": "loose", "hands": "40%"})
    found = served.get("/library")
    assert [(one["name"], one["spot"]) for one in found["spots"] if one["own"]] == [("mine", RIVER)]
    ranges = [(one["name"], one["hands"]) for one in found["ranges"] if one["own"]]
    assert ranges == [("@ranges/tight, early", "TT+"), ("@ranges/loose", "40%")]
    # They can be named in spots, and no review is offered by them.
    spot = RIVER.replace("AA, 99, KTs", "@ranges/loose")
    read = served.post("/spots/read", {"spot": spot})["fields"]["ranges"]
    assert errai.Range.parse(read["oop"]) == errai.Range.parse("40%")
    assert "ranges" not in {one["name"] for one in served.get("/charts")["charts"]}
    for path, body in (
        ("spots", {"name": "mine", "spot": RIVER}),
        ("spots", {"name": "../mine", "spot": RIVER}),
        ("spots", {"name": "other", "spot": "pot = "}),
        ("ranges", {"name": "LOOSE", "hands": "50%"}),
        ("ranges", {"name": "a/b", "hands": "50%"}),
        ("ranges", {"name": "other", "hands": "no hands"}),
    ):
        assert served.http.post(f"/library/{path}", json=body).status_code == 422
    assert served.get("/library") == found
    for kind, name in (("spots", "mine"), ("ranges", "tight, early"), ("ranges", "loose")):
        assert [served.http.delete(f"/library/{kind}/{name}").status_code for _ in range(2)] == [204, 422]
    assert not [one for kind in ("spots", "ranges") for one in served.get("/library")[kind] if one["own"]]
