"""Reviews of hands that are sent: against a solution and by charts, their decisions, and kills in between."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from charted_hands import CHARTS, played
from web_server import Served, wait

import errai
from errai.arena.charted import review_with_charts, spot_of
from errai.arena.histories.formats import read_text
from errai.arena.histories.phh import phhs_text
from errai.arena.review import Review, review_document, review_hands
from errai.games.charts import parse_charts
from errai.games.hand import CALL, raise_to
from errai.pictures.palette import action_colours

HANDS = phhs_text(
    [played(n, flop=flop) for n, flop in enumerate(("7c6d2h", "9c8d3h", "Tc5d4h"), 1)]
    + [played(4, later=(raise_to(750), CALL, CALL, CALL, CALL, CALL)), played(5, opening=(CALL, CALL))]
)


def send(served: Served, hands: str = HANDS, **query: object) -> dict:
    """Send hands, which must be taken."""
    answer = served.http.post("/reviews", content=hands.encode(), params=query)
    assert answer.status_code == 201, answer.text
    return answer.json()


def charted(tmp_path: Path) -> Review:
    """The review of the same hands in Python."""
    return review_with_charts(read_text(HANDS).read, parse_charts(CHARTS), tmp_path / "library", target="1%pot")


def listed_decisions(document: dict) -> list[dict]:
    """The decisions of a review as the API lists them: with the colours that pictures give the actions."""
    listed = []
    for one in document["greatest"]:
        actions = list(one["probabilities"])
        sizes = [action in one["all_in"] for action in actions], [one["pot_percents"].get(action) for action in actions]
        colours = dict(zip(actions, action_colours(actions, *sizes), strict=True))
        listed.append({**one, "all_in": list(one["all_in"]), "colours": colours})
    return listed


def test_a_review_by_charts_is_that_of_python_and_leads_to_nodes(served: Served, tmp_path: Path) -> None:
    served.post("/charts", {"name": "mine", "text": CHARTS})
    job = send(served, charts="mine", target="1%pot", memory=64 << 20, title="Tuesday")
    assert (job["kind"], job["title"], job["starts_again"]) == ("review", "Tuesday", False)
    job = wait(served, job["id"], seconds=60.0)
    assert (job["state"], job["progress"]["spots"], job["progress"]["spots_wanted"]) == ("done", 3, 3)
    found, expected = served.get(f"/reviews/{job['id']}"), review_document(charted(tmp_path), 1000)
    for key in ("hands", "decisions", "loss_chips", "loss_mbb", "not_counted", "left_out"):
        assert found[key] == expected[key]
    for key in ("by_player", "by_street", "by_line", "by_class"):
        assert found[key] == expected[key]
    assert (found["unit"], found["read"], found["not_read"], found["charts"]) == ("bb", 5, [], "mine")
    assert found["left_out"]["There is no chart for BB and BTN with no raise before the flop."] == 1
    listed = served.get(f"/reviews/{job['id']}/decisions", count=500)
    assert listed["total"] == expected["decisions"]
    decisions = listed_decisions(expected)
    assert listed["decisions"] == decisions
    # Spots are kept in a folder of their own, and looked at like every solution.
    one = listed["decisions"][0]
    assert {path.stem for path in (served.folder / "spots").iterdir()} == {d["solution"] for d in listed["decisions"]}
    assert served.get("/solutions")["solutions"] == [s for s in served.get("/solutions")["solutions"] if s["shipped"]]
    node = served.get(f"/solutions/{one['solution']}/hand", line=one["line"], hand=one["cards"])["hands"][0]
    for action, ev in node["action_ev_chips"].items():
        assert ev / 100.0 == pytest.approx(one["ev_chips"][action], rel=1e-5, abs=1e-5)
    only = served.get(f"/reviews/{job['id']}/decisions", player="Ben", street=one["street"], counted=True)
    assert only["decisions"] == [
        d for d in decisions if (d["player"], d["street"], d["counted"]) == ("Ben", one["street"], True)
    ]
    assert served.get(f"/reviews/{job['id']}/decisions", **{"class": "AA"})["total"] == sum(
        d["class"] == "AA" for d in expected["greatest"]
    )
    assert served.http.delete(f"/solutions/{one['solution']}").status_code == 204
    assert served.http.get(f"/solutions/{one['solution']}").status_code == 404


def test_a_review_that_was_killed_goes_on_with_the_spots_that_are_left(
    serve: Callable[..., Served], tmp_path: Path
) -> None:
    served = serve()
    served.post("/charts", {"name": "mine", "text": CHARTS})
    name = send(served, charts="mine", target="0.05%pot", memory=64 << 20)["id"]
    until = time.monotonic() + 30.0
    while ((served.get(f"/jobs/{name}")["progress"] or {}).get("spots") or 0) < 1:
        assert time.monotonic() < until
        time.sleep(0.005)
    folder = served.folder
    served.kill()
    os.kill(json.loads((folder / "jobs" / name / "run.json").read_text())["process"], signal.SIGKILL)
    kept = {path: path.stat().st_mtime_ns for path in (folder / "spots").glob("*.errai")}
    assert 1 <= len(kept) < 3
    again = serve(folder)
    assert again.get(f"/jobs/{name}")["state"] == "stopped"
    answer = again.http.get(f"/reviews/{name}")
    assert (answer.status_code, answer.json()["error"]["type"]) == (404, "UnknownNameError")
    again.post(f"/jobs/{name}/resume")
    assert wait(again, name, seconds=60.0)["state"] == "done"
    assert all(path.stat().st_mtime_ns == before for path, before in kept.items())
    expected = review_with_charts(read_text(HANDS).read, parse_charts(CHARTS), folder / "spots", target="0.05%pot")
    assert again.get(f"/reviews/{name}/decisions", count=500)["decisions"] == listed_decisions(
        review_document(expected, 100)
    )


def test_a_review_against_a_solution_and_against_a_blueprint(served: Served) -> None:
    hands = read_text(HANDS).read
    solution = errai.solve(spot_of(hands[0], parse_charts(CHARTS)), "1%pot")
    solution.save(served.folder / "solutions" / "flop.errai")
    job = wait(served, send(served, against="flop", player="Bea")["id"])
    expected = review_document(review_hands(hands, solution, player="Bea"), 1000)
    found = served.get(f"/reviews/{job['id']}")
    for key in ("hands", "decisions", "loss_chips", "by_line", "left_out"):
        assert found[key] == expected[key]
    decisions = served.get(f"/reviews/{job['id']}/decisions")["decisions"]
    assert decisions == [{**d, "solution": "flop"} for d in listed_decisions(expected)]
    assert job["starts_again"]
    path = served.folder / "jobs" / job["id"] / "review.json"
    whole = path.read_text()
    for damaged in ("[]", whole[:-5], whole.replace('"decisions"', '"decision"')):
        path.write_text(damaged)
        answer = served.http.get(f"/reviews/{job['id']}/decisions")
        assert (answer.status_code, answer.json()["error"]["type"]) == (422, "DamagedFileError")
    job = wait(served, send(served, against="blueprint-nl")["id"])
    # The stacks are not those of the blueprint.
    assert (job["state"], served.get(f"/reviews/{job['id']}")["decisions"]) == ("done", 0)


def test_what_is_wrong_with_a_review_is_said_before_it_begins(served: Served) -> None:
    served.post("/charts", {"name": "mine", "text": CHARTS})
    for query, content, status, said in (
        ({}, HANDS, 422, "Name one thing to review against"),
        ({"against": "blueprint", "charts": "mine"}, HANDS, 422, "Name one thing to review against"),
        ({"against": "nothing"}, HANDS, 404, "There is no solution called 'nothing'"),
        ({"charts": "nothing"}, HANDS, 404, "There is no chart called 'nothing'"),
        ({"charts": "../mine"}, HANDS, 422, "pattern"),
        ({"charts": "mine", "target": "much"}, HANDS, 422, "'much' is not a target"),
        ({"charts": "mine", "seconds": 0}, HANDS, 422, "seconds: This should be greater than 0."),
        ({"charts": "mine", "player": "Zoe"}, HANDS, 422, "the players are Bea, Ben"),
        ({"charts": "mine", "game": "/etc/passwd"}, HANDS, 422, "The catalogue has no game"),
        ({"charts": "mine", "wrong": 1}, HANDS, 422, "wrong: There is no such field."),
        ({"charts": "mine"}, "", 422, "has no body"),
        ({"charts": "mine"}, "good evening", 422, "neither PHH, nor PokerStars"),
        ({"charts": "mine", "memory": 1 << 45}, HANDS, 507, "of memory"),
    ):
        answer = served.http.post("/reviews", content=content.encode(), params=query)
        assert (answer.status_code, said in answer.json()["error"]["message"]) == (status, True), answer.text
    assert served.get("/jobs")["jobs"] == []
    assert not [path for path in (served.folder / "solutions").iterdir() if "upload" in path.name]
    job = served.post(
        "/jobs", {"kind": "lbr", "subject": {"game": "kuhn"}, "agent": "uniform", "settings": {"hands": 40}}
    )
    answer = served.http.get(f"/reviews/{job['id']}")
    assert (answer.status_code, "not a review" in answer.text) == (422, True)


def test_charts_are_listed_taken_in_and_deleted(served: Served) -> None:
    assert [(one["name"], one["shipped"]) for one in served.get("/charts")["charts"]] == [
        ("heads-up", True),
        ("six-handed", True),
    ]
    added = served.post("/charts", {"name": "mine", "text": CHARTS})
    expected = {"positions": ["BTN", "BB"], "raises": 1, "raiser": "BTN"}
    assert added == {
        "name": "mine",
        "shipped": False,
        "situations": [expected],
        "bets": True,
        "error": "",
    }
    assert served.get("/charts/mine") == {**added, "text": CHARTS}
    assert len(served.get("/charts/six-handed")["situations"]) == 10
    for name, text, kind in (
        ("mine", CHARTS, "InputError"),
        ("heads-up", CHARTS, "InputError"),
        ("other", CHARTS.replace("AA", "AAA"), "ChartError"),
        ("../other", CHARTS, "RequestError"),
    ):
        answer = served.http.post("/charts", json={"name": name, "text": text})
        assert (answer.status_code, answer.json()["error"]["type"]) == (422, kind)
    assert served.http.delete("/charts/six-handed").status_code == 422
    assert served.http.delete("/charts/mine").status_code == 204
    assert served.http.delete("/charts/mine").status_code == 404
    (served.folder / "charts" / "bad.toml").write_text("[[chart]]\n")
    (bad,) = (one for one in served.get("/charts")["charts"] if one["name"] == "bad")
    assert "has raises, raiser, note" in bad["error"]
