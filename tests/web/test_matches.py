"""Matches and measurements as jobs, their results, and the standings."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from decimal import ROUND_HALF_UP, Context
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from web_server import Served, opened

import errai
from errai.arena.lbr.measure import lbr
from errai.arena.match import luck_estimator, play_match
from errai.arena.results import SUFFIX
from errai.cli.main import main
from errai.web.files import Workspace
from errai.web.kinds.match import LbrRequest, MatchRequest
from errai.web.thinking import HOLDEM_PLAYING_BYTES, SMALL_BYTES

LEDUC = errai.load_game("leduc")
ENDED = ("done", "stopped", "failed")


def wait(served: Served, name: str, ready: Callable[[dict], bool] = lambda job: job["state"] in ENDED) -> dict:
    """The job, once it is ready."""
    until = time.monotonic() + 60.0
    while not ready(job := served.get(f"/jobs/{name}")):
        assert time.monotonic() < until, job
        time.sleep(0.02)
    return job


def match(*agents: str, game: str = "leduc", **settings: Any) -> dict:
    return {"kind": "match", "subject": {"game": game}, "agents": list(agents), "settings": settings}


def test_a_match_is_that_of_the_library_and_of_the_command(
    served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = match("uniform", "always-raise", hands=600, aivat=True, common_random_numbers=True, seed=3)
    job = wait(served, served.post("/jobs", body)["id"])
    assert (job["state"], job["error"]) == ("done", None)
    file = served.folder / "matches" / f"{job['id']}{SUFFIX}"
    assert main([*shlex.split(job["command"])[1:], "--results", str(tmp_path), "--quiet"]) == 0
    (expected,) = tmp_path.glob(f"*{SUFFIX}")
    assert file.read_bytes() == expected.read_bytes()

    document = json.loads(file.read_bytes())
    shown = served.get(f"/matches/{job['id']}")
    for measure, found in zip(document["measures"], shown["measures"], strict=True):
        assert found["mean"] == pytest.approx(measure["mean"]["mbb"], rel=1e-12)
        assert found["low"] == pytest.approx(measure["interval"]["low"]["mbb"], rel=1e-12)
        assert found["curve"]["hands"] == measure["running"]["hands"]
        assert found["curve"]["mean"][-1] == pytest.approx(found["mean"], rel=1e-9)
    last = job["progress"]
    assert (last["hands"], last["unit"]) == (600, "mbb/g")
    assert [m["mean"] for m in last["measures"]] == pytest.approx([m["mean"] for m in shown["measures"]], rel=1e-9)
    download = served.http.get(f"/matches/{job['id']}/file")
    assert download.content == file.read_bytes()
    assert f'filename="{file.name}"' in download.headers["content-disposition"]

    wait(served, served.post("/jobs", match("uniform", "always-call", hands=200))["id"])
    found = served.get("/matches")
    assert len(found["matches"]) == 2
    (standings,) = found["standings"]
    # The two that have met are ranked, and the third is said to lack a match.
    assert [rank["player"] for rank in standings["ranks"]] == ["always-raise", "uniform"]
    assert standings["missing"] == "always-call has no rank, because it has not met always-raise."
    assert standings["not_met"] == [["always-call", "always-raise"]]
    assert (standings["subject"], standings["players"][-1]) == ("leduc", "always-call")
    wait(served, served.post("/jobs", match("always-call", "always-raise", hands=200))["id"])
    (standings,) = served.get("/matches")["standings"]
    capsys.readouterr()
    assert main([*shlex.split(standings["command"])[1:], "--json"]) == 0
    expected_ranks = json.loads(capsys.readouterr().out)["standings"][0]["ranks"]
    assert [(r["player"], r["score"]) for r in standings["ranks"]] == [
        (r["player"], r["score"]) for r in expected_ranks
    ]
    assert served.get("/matches", measure="aivat")["standings"][0]["players"] == ["always-raise", "uniform"]
    assert served.http.delete(f"/matches/{job['id']}").status_code == 204
    assert served.http.get(f"/matches/{job['id']}").status_code == 404


RESOLVING = "continual:iterations=10"
"""An agent that solves while it plays; what it has solved is lost with its process."""


def test_jobs_of_agents_that_solve_say_how_much_memory_they_need(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path)

    def needed(request: type[MatchRequest] | type[LbrRequest], **body: Any) -> int:
        return request.model_validate({"subject": {"game": "leduc"}, **body}).prepare(workspace).memory_bytes

    def of(*agents: str) -> int:
        return needed(MatchRequest, kind="match", agents=list(agents))

    assert of("uniform", "always-call") == 0
    assert (of(RESOLVING, "uniform"), of(RESOLVING, RESOLVING)) == (SMALL_BYTES, 2 * SMALL_BYTES)
    assert needed(LbrRequest, kind="lbr", agent="uniform") == 0
    assert needed(LbrRequest, kind="lbr", agent=RESOLVING) == SMALL_BYTES
    holdem = {"game": "holdem.nolimit.2p"}
    assert needed(LbrRequest, kind="lbr", agent="resolver", subject=holdem) == HOLDEM_PLAYING_BYTES


def measured(job: dict, served: Served, folder: Path) -> tuple[object, object]:
    """What a job has found, and what it finds if it is never interrupted."""
    settings = json.loads((served.folder / "jobs" / job["id"] / "request.json").read_text())["settings"]
    if job["kind"] == "lbr":
        whole = lbr(LEDUC, RESOLVING, **settings).document() | {"unit": "mbb/g"}
        found = dict(job["result"])
        for document in (whole, found):
            del document["seconds"], document["hands_per_second"]
        return found, whole
    chosen = {name: settings[name] for name in ("hands", "duplicate", "seed")}
    estimators = {"aivat": luck_estimator("aivat")}
    expected = play_match(LEDUC, (RESOLVING, "by-strength:8"), **chosen, estimators=estimators, command=job["command"])
    file = served.folder / "matches" / f"{job['id']}{SUFFIX}"
    return file.read_bytes(), expected.save(folder / f"expected{SUFFIX}").read_bytes()


def kill_workers(folder: Path) -> None:
    """Kill the processes that work on a job or are about to, as they are found now."""
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = place.read_bytes().split(b"\0")
            if b"errai.web.worker" in words and os.fsencode(folder) in words:
                os.kill(int(place.parent.name), signal.SIGKILL)


@pytest.mark.parametrize("kills", [3, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["match", "lbr"])
def test_what_is_killed_again_and_again_ends_as_if_it_never_was(
    serve: Callable[..., Served], tmp_path: Path, kind: str, kills: int
) -> None:
    served, chance = serve(), random.Random(kills)
    bodies = {
        "match": match(RESOLVING, "by-strength:8", hands=2_000, aivat=True),
        "lbr": {"kind": "lbr", "subject": {"game": "leduc"}, "agent": RESOLVING, "settings": {"hands": 6_000}},
    }
    done = hit = seed = 0
    while done < kills:
        seed += 1
        bodies[kind]["settings"]["seed"] = seed
        name = served.post("/jobs", bodies[kind])["id"]
        folder = served.folder / "jobs" / name
        while (job := served.get(f"/jobs/{name}"))["state"] != "done":
            if job["state"] in ENDED:
                job = served.post(f"/jobs/{name}/resume")
            if done == kills:
                time.sleep(0.05)
                continue
            if chance.random() < 0.7:
                # In the middle of the work; otherwise around the start of the worker.
                points = job["points"]
                wait(served, name, lambda job, points=points: job["state"] in ENDED or job["points"] > points)  # type: ignore[misc]
            time.sleep(chance.random())
            done += 1
            whose = chance.choice(["worker", "worker", "server", "both"])
            if whose != "worker":
                served.kill()
            if whose != "server":
                kill_workers(folder)
            if whose != "worker":
                served = serve(served.folder)
            hit += served.get(f"/jobs/{name}")["state"] in ("stopped", "failed", "queued")
        assert job["error"] is None
        found, expected = measured(job, served, tmp_path)
        assert found == expected
    assert hit >= kills // 4, "the jobs were over before they could be killed"


def test_a_local_best_response_is_that_of_the_library(served: Served) -> None:
    body = {"kind": "lbr", "subject": {"game": "leduc"}, "agent": "uniform", "settings": {"hands": 3_000, "seed": 5}}
    name = served.post("/jobs", body)["id"]
    wait(served, name, lambda job: job["points"] > 0)
    served.post(f"/jobs/{name}/stop")
    stopped = wait(served, name)
    assert stopped["state"] == "stopped"
    assert 0 < stopped["result"]["hands"]["done"] < 3_000
    served.post(f"/jobs/{name}/resume")
    job = wait(served, name)
    expected = lbr(LEDUC, "uniform", "limit", hands=3_000, seed=5)
    assert job["result"]["won"] == {"chips": expected.won.chips, "mbb": expected.won.mbb}
    assert job["progress"]["measures"][0]["mean"] == pytest.approx(expected.won.mbb)
    assert job["command"] == "errai lbr uniform --setting limit --hands 3000 --seed 5 --game leduc"


def test_progress_has_the_measures_as_they_come_in() -> None:
    seen = []
    result = play_match(
        LEDUC,
        ("uniform", "always-call"),
        hands=900,
        duplicate=True,
        estimators={"aivat": luck_estimator("aivat")},
        progress=seen.append,
    )
    assert [now.hands for now in seen] == sorted({now.hands for now in seen})
    for measure in result.measures:
        mean, error = seen[-1].measures[measure.name]
        assert mean == pytest.approx(measure.mean_chips)
        assert error == pytest.approx(measure.standard_error_chips)


CODE = (
    "python:os:system",
    "acpc:touch /tmp/x",
    "solution:/etc/passwd",
    "solution:../secret",
    "solution:nothing",
    "blueprint:/etc/passwd",
    "store:/tmp",
    "resolver:python:os:system",
    "resolver:from=river:acpc:ls",
    "continual:from=river:solution:/etc/passwd",
    "deepstack:net=/etc/passwd",
    "resolve:/etc/passwd",
    "\ud800",
)


def test_names_that_run_code_or_read_files_are_refused(served: Served) -> None:
    lbr_of = {"kind": "lbr", "subject": {"game": "leduc"}}
    for text in CODE:
        bodies = [match(text, "uniform"), match("uniform", text), {**lbr_of, "agent": text}]
        bodies += [match("uniform", "always-call", aivat=True, values=start + text) for start in ("", "street:")]
        for body in bodies:
            answer = served.http.post("/jobs", content=json.dumps(body), headers={"content-type": "application/json"})
            assert answer.status_code in (404, 422), (body, answer.text)
    for subject in ({"game": "../leduc"}, {"game": "/etc/passwd"}, {"game": "chess"}):
        assert served.http.post("/jobs", json={**match("uniform", "uniform"), "subject": subject}).status_code == 422
    for settings in (
        {"hands": 3},
        {"duplicate": False, "common_random_numbers": True},
        {"values": "equity"},
        {"hands": 0},
        {"processes": 4},
    ):
        assert served.http.post("/jobs", json=match("uniform", "uniform", **settings)).status_code == 422
    assert served.http.post("/jobs", json={**lbr_of, "agent": "vexbot"}).status_code == 422
    assert served.get("/jobs")["jobs"] == []
    assert not any((served.folder / "jobs").glob("[!.]*"))


def test_a_match_with_an_agent_that_learns_says_that_it_starts_again(page: Page, served: Served) -> None:
    agents = ("vexbot", "always-call")
    name = served.post("/jobs", match(*agents, game="holdem.limit.2p", hands=20_000))["id"]
    assert wait(served, name, lambda job: job["points"] > 1)["starts_again"]
    opened(page, served, f"/matches/{name}")
    page.get_by_role("button", name="Stop").click()
    again = page.get_by_role("button", name="Play it again")
    expect(again).to_be_visible(timeout=60_000)
    stopped = wait(served, name)
    # The result comes a moment later and moves the list down: a button that moves between press and release is not
    # clicked.
    expect(page.get_by_role("heading", name="By seat and by how the hands ended")).to_be_visible(timeout=60_000)
    again.click()
    expect(again).to_be_hidden(timeout=60_000)
    fresh = wait(served, name, lambda job: job["points"] > stopped["points"])
    assert fresh["progress"]["hands"] < stopped["progress"]["hands"]
    expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    wait(served, name)


def test_a_match_is_started_stopped_resumed_and_read_in_the_room(page: Page, served: Served) -> None:
    opened(page, served, "/matches")
    page.get_by_label("Game", exact=True).select_option("leduc")
    page.get_by_label("First agent").select_option("uniform")
    page.get_by_label("Second agent").select_option("always-raise")
    page.get_by_label("Hands", exact=True).fill("3")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#match-hands-said")).to_have_text(
        "Hands: write an even number, because every deal is played twice."
    )
    expect(page.get_by_label("Hands", exact=True)).to_be_focused()
    page.get_by_label("Hands", exact=True).fill("999999999998")
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#match-hands-said")).to_have_text("This should be at most 100,000,000.")
    page.get_by_label("Hands", exact=True).fill("20000")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("heading", name="uniform against always-raise")).to_be_visible()
    name = page.url.rpartition("/")[2]
    assert served.get(f"/jobs/{name}")["command"].startswith("errai match uniform always-raise --game leduc")
    assert wait(served, name, lambda job: job["points"] > 2)["progress"]["seconds_left"] > 0
    expect(page.locator("ul.jobs li")).to_contain_text(re.compile(r"about [\d.]+ (s|ms|min) left"))
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible(timeout=60_000)
    wait(served, name)
    shown = served.get(f"/matches/{name}")
    section = page.get_by_role("region", name="uniform against always-raise")
    expect(section).to_contain_text(f"{shown['hands']:,} of 20,000 hands")
    for measure in shown["measures"]:
        words = "AIVAT" if measure["name"] == "aivat" else "chips won"
        row = section.get_by_role("row").filter(has=page.get_by_role("rowheader", name=words))
        expect(row).to_contain_text(signed(measure["mean"]))
        expect(row).to_contain_text(f"{signed(measure['low'])} to {signed(measure['high'])}")
        expect(section.get_by_role("img", name=words)).to_be_visible()
    # The list of what has been stopped has the numbers of the result too.
    chips = shown["measures"][0]
    expect(page.locator("ul.jobs li")).to_contain_text(
        f"{shown['hands']:,} of 20,000 hands {signed(chips['mean'])} {shown['unit']} "
        f"({signed(chips['low'])} to {signed(chips['high'])})"
    )
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible(timeout=60_000)
    page.get_by_role("button", name="Stop").click()
    wait(served, name)
    page.reload()
    page.once("dialog", lambda dialog: dialog.dismiss())
    section.get_by_role("button", name="Delete").click()
    expect(section).to_be_visible()
    page.once("dialog", lambda dialog: dialog.accept())
    section.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No match has a result yet")).to_be_visible()
    assert served.get("/matches")["matches"] == []


def signed(value: float) -> str:
    """A number as the room writes it."""
    rounded = float(Context(4, ROUND_HALF_UP).create_decimal(value))
    text = f"{abs(rounded):,.10g}"
    return ("+" if rounded > 0 else "−" if rounded < 0 else "") + text


def test_one_bot_has_one_name_and_a_match_that_the_standings_lack_is_a_click(
    page: Page, served: Served, tmp_path: Path
) -> None:
    wait(served, served.post("/jobs", match("by-strength", "uniform", hands=200))["id"])
    wait(served, served.post("/jobs", match("by-strength:8", "always-call", hands=200))["id"])
    opened(page, served, "/matches")
    standings = page.get_by_role("region", name="Standings")
    expect(standings).to_contain_text("always-call has no rank, because it has not met uniform.")
    standings.get_by_role("button", name="Play this match").click()
    ranks = standings.get_by_role("table", name="Ranks in Leduc hold'em")
    expect(ranks.get_by_role("rowheader")).to_have_count(3)
    expect(ranks.get_by_role("rowheader", name="by-strength:8")).to_be_visible()
    expect(standings.get_by_role("button", name="Play this match")).to_have_count(0)
