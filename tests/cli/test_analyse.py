"""``errai analyse``: requests in JSON."""

from __future__ import annotations

import io
import json

import pytest

import errai as errai_package
from errai.cli.analyse import Service


@pytest.fixture
def ask(errai, monkeypatch):
    def answers(*requests: dict | str) -> list[dict]:
        lines = [request if isinstance(request, str) else json.dumps(request) for request in requests]
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
        run = errai("analyse")
        assert run.code == 0
        return [json.loads(line) for line in run.out.splitlines()]

    return answers


def test_a_solve_is_that_of_python(ask, folder, tmp_path):
    saved = tmp_path / "it.errai"
    (found,) = ask({"id": "a", "file": str(folder / "turn.toml"), "lines": ["check"], "save": str(saved)})
    alone = errai_package.solve(errai_package.load_spot(folder / "turn.toml"))
    assert found["status"] == "target met"
    assert found["values"] == list(alone.values.chips)
    assert found["nodes"][0]["frequencies"] == alone.at("check").frequencies.tolist()
    assert errai_package.load_solution(saved).verify().certified
    (read,) = ask({"id": "b", "file": str(saved), "lines": ["", "check"]})
    assert read["nodes"][1] == found["nodes"][0]


def test_requests_wait_in_the_order_of_their_priority(folder):
    answers: list[dict] = []
    first = {"id": "first", "file": str(folder / "turn.toml"), "target": "0.0001%pot", "report_every": 0.001}
    service: Service | None = None

    def write(answer: dict) -> None:
        answers.append(answer)
        # As soon as the first solve reports, more requests come; then it is cancelled.
        if service is not None and answer.get("status") == "running" and len(answers) == 1:
            for name, priority in (("low", 0), ("high", 7), ("none", 3)):
                more = {"id": name, "file": str(folder / "turn.errai"), "priority": priority}
                service.take(json.dumps(more))
            service.take(json.dumps({"id": "again", "file": "x.toml", "spot": {}}))

    service = Service(lambda answer: write(answer))
    service._lock = __import__("threading").RLock()  # the callback asks from within an answer
    service.take(json.dumps(first))
    while not any(answer.get("status") == "running" for answer in answers):
        pass
    service.take(json.dumps({"id": "stop", "cancel": "none"}))
    service.take(json.dumps({"id": "stop too", "cancel": "first"}))
    service.finish()
    done = [answer["id"] for answer in answers if answer.get("status") in ("interrupted", "target met", "read")]
    assert done == ["first", "high", "low"]
    assert {"id": "none", "status": "cancelled"} in answers
    assert next(a for a in answers if a["id"] == "stop") == {"id": "stop", "cancelled": True}
    assert "names a file, or gives a spot" in next(a for a in answers if a["id"] == "again")["error"]["message"]


@pytest.mark.parametrize(
    ("request_line", "wanted"),
    [
        ("{", "A request is a line of JSON"),
        ("[1]", "A request is a JSON object with an id"),
        ({"id": 4}, "with an id, which is a text"),
        ({"id": "a", "what": 1}, "has no member 'what'"),
        ({"id": "a", "file": "x.toml", "seconds": "5"}, "seconds is '5'"),
        ({"id": "a", "file": "x.toml", "priority": True}, "priority is True"),
        ({"id": "a", "file": "x.toml", "lines": [1]}, "lines is a list of texts"),
        ({"id": "a"}, "names a file, or gives a spot"),
        ({"id": "a", "file": "nothing.toml"}, "cannot be read"),
        ({"id": "a", "spot": {"board": "AsKd"}}, "A board has 3, 4 or 5 cards"),
        ({"id": "a", "file": "kuhn", "target": "much"}, "much"),
        ({"id": "a", "file": "kuhn", "lines": ["jump"]}, "'jump' is not possible"),
        ({"id": "a", "file": "kuhn", "save": "x.txt"}, "must end in .errai"),
    ],
)
def test_faults_are_answers(ask, request_line, wanted):
    (found,) = ask(request_line)
    assert wanted in found["error"]["message"]
