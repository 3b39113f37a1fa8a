"""Drills: the questions and grades of Python, nothing told before the answer, and servers that are killed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from charted_hands import CHARTS, played
from small_drill import drilling, solved_turn
from web_server import Served, wait

import errai
from errai.arena.drill import Drill, Grade, Question, drawer, grade
from errai.arena.histories.phh import phhs_text
from errai.arena.repetition import Repetition, locked_repetition
from errai.games.hand import CALL, raise_to
from errai.solutions.solution import Solution


@pytest.fixture(scope="module")
def turn() -> Solution:
    return solved_turn()


@pytest.fixture(scope="module")
def running(turn: Solution, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a solution."""
    with drilling(turn, tmp_path_factory.mktemp("drills") / "work") as served:
        yield served


def answered(served: Served, drill: dict, choose: Callable[[dict], str]) -> list[dict]:
    """Answer every question of a round; return the answers."""
    found = []
    while (question := drill["question"]) is not None:
        body = {"number": question["number"], "action": choose(question)}
        found.append(served.post(f"/drills/{drill['id']}/answers", body))
        drill = served.get(f"/drills/{drill['id']}")
    assert drill["over"]
    assert drill["error"] == ""
    return found


def test_questions_and_grades_are_those_of_python(running: Served, turn: Solution) -> None:
    body = {"solution": "turn", "street": "river", "player": 0, "boards": ["7d", "3c"], "count": 6, "seed": 5}
    drill = running.post("/drills", body)
    assert (drill["solution"], drill["count"], drill["over"], drill["totals"]["answers"]) == ("turn", 6, False, 0)
    questions = list(islice(map(drawer(turn, ["7d", "3c"], seed=5, player=0, street="river"), count()), 6))
    expected = Drill(turn, questions, number=6)
    got = answered(running, drill, lambda question: question["actions"][-1]["action"])
    assert len(got) == 6
    for question, one in zip(expected.questions(), got, strict=True):
        answer, node = one["answer"], expected.node(question)
        decision = expected.answer(question, len(node.actions) - 1)
        assert (answer["line"], "".join(answer["hand"])) == (question.line, question.hand)
        assert (answer["action"], answer["best"], answer["grade"]) == (decision.action, decision.best, grade(decision))
        assert {a["action"]: a["frequency"] for a in answer["actions"]} == decision.probabilities
        assert {a["action"]: a["ev_chips"] for a in answer["actions"]} == decision.ev_chips
        assert (answer["loss_chips"], answer["counted"]) == (decision.loss_chips, decision.is_counted)
        assert answer["loss_mbb"] == pytest.approx(100.0 * decision.counted_chips)
        hand = running.get("/solutions/turn/hand", line=answer["line"], hand="".join(answer["hand"]))["hands"][0]
        assert hand["action_ev_chips"] == pytest.approx(decision.ev_chips, rel=1e-5, abs=1e-5)
    totals = running.get(f"/drills/{drill['id']}")["totals"]
    assert {kind.value: totals[kind.value] for kind in Grade} == {kind.value: expected.count(kind) for kind in Grade}
    rights = "".join("r" if grade(one) is Grade.RIGHT else " " for one in expected.answers)
    assert totals["longest_streak"] == max(map(len, rights.split(" ")))
    assert totals["streak"] == len(rights.rsplit(" ", 1)[-1])
    assert totals["loss_mbb"] == pytest.approx(sum(100.0 * one.counted_chips for one in expected.answers))
    assert [one["name"] for one in totals["by_street"]] == ["river"]
    listed = running.get(f"/drills/{drill['id']}/answers", count=4)
    assert listed == {"answers": [one["answer"] for one in got[:1:-1]], "total": 6}
    summary = next(one for one in running.get("/drills")["drills"] if one["id"] == drill["id"])
    assert (summary["over"], summary["totals"]) == (True, totals)
    assert running.http.post(f"/drills/{drill['id']}/answers", json={"number": 7, "action": "f"}).status_code == 409


def test_a_question_tells_the_table_and_nothing_of_the_answer(running: Served, turn: Solution) -> None:
    drill = running.post("/drills", {"solution": "turn", "line": "check bet 100", "count": 3, "seed": 2})
    question = drill["question"]
    node = turn.at("check bet 100")
    assert (question["line"], question["player"], question["player_name"]) == ("check bet 100", 0, node.player_name)
    assert (question["pot_chips"], question["to_call_chips"], question["board_places"]) == (200, 100, 5)
    listed = next(one for one in running.get("/solutions")["solutions"] if one["name"] == "turn")
    assert (listed["streets"], listed["player_names"]) == (["turn", "river"], list(node.player_names))
    assert [(one["action"], one["chips"], one["pot_percent"], one["all_in"]) for one in question["actions"]] == [
        ("fold", 0, None, False),
        ("call", 100, None, False),
        ("raise 200", 200, pytest.approx(100 / 3), True),
    ]
    colours = [one["colour"] for one in running.get("/solutions/turn/node", line="check bet 100")["actions"]]
    assert [one["colour"] for one in question["actions"]] == colours
    assert [(seat["stack_chips"], seat["bet_chips"], seat["acts"]) for seat in question["seats"]] == [
        (100, 100, False),
        (200, 0, True),
    ]
    assert (question["board"], question["streets"][0]["said"]) == (
        ["Qs", "Jh", "2s", "8h"],
        ["you check", "in position bets 100"],
    )
    # Before the answer no address of the drill, and no file of it, has a frequency, an EV or a grade.
    for text in (
        json.dumps(drill),
        running.http.get(f"/drills/{drill['id']}").text,
        running.http.get(f"/drills/{drill['id']}/answers").text,
        running.http.get("/drills").text.split(drill["id"])[1].split('"id"')[0],
        (running.folder / "drills" / f"{drill['id']}.drill").read_text(),
    ):
        assert not [word for word in ("frequency", "probabilit", "ev_chips", "best", "grade") if word in text]
    # To look again asks the same question.
    assert running.get(f"/drills/{drill['id']}")["question"] == question


def test_a_round_goes_on_after_kills(serve: Callable[..., Served], turn: Solution) -> None:
    served = serve()
    turn.save(served.folder / "solutions" / "turn.errai")
    body = {"solution": "turn", "count": 3, "seed": 1}
    name = served.post("/drills", body)["id"]
    whole = answered(served, served.post("/drills", body), lambda question: question["actions"][0]["action"])
    given = []
    for number in (1, 2, 3):
        question = served.get(f"/drills/{name}")["question"]
        served.kill()
        served = serve(served.folder)
        assert served.get(f"/drills/{name}")["question"] == question
        action = question["actions"][0]["action"]
        given.append(served.post(f"/drills/{name}/answers", {"number": number, "action": action})["answer"])
        served.kill()
        served = serve(served.folder)
    assert given == [one["answer"] for one in whole]
    assert served.get(f"/drills/{name}/answers")["answers"] == given[::-1]


def test_wrong_answers_are_asked_again_by_the_file_of_the_terminal(served: Served, turn: Solution) -> None:
    turn.save(served.folder / "solutions" / "turn.errai")
    node = turn.at("check bet 100")
    lost = node.action_ev.max(axis=1) - node.action_ev[:, 0]
    hand = node.hands[int(np.nanargmax(lost))]
    path = served.folder / "drills" / f"{turn.subject.digest()[:16]}.repeat"
    yesterday = datetime.now(UTC) - timedelta(days=3)
    Repetition(path, turn.subject, now=lambda: yesterday).record("check bet 100", hand, "mistake")
    drill = served.post("/drills", {"solution": "turn", "repeat": True, "count": 2, "seed": 3})
    assert drill["question"]["again"]
    assert (drill["question"]["line"], "".join(drill["question"]["hand"])) == ("check bet 100", hand)
    assert {key: drill["repetition"][key] for key in ("file", "kept", "due")} == {
        "file": str(path),
        "kept": 1,
        "due": 1,
    }
    worst = turn.at("check bet 100").actions[0]
    with locked_repetition(path):  # As a drill at the terminal has it.
        refused = served.http.post(f"/drills/{drill['id']}/answers", json={"number": 1, "action": worst})
    assert (refused.status_code, refused.json()["error"]["type"]) == (409, "RunInUseError")
    done = served.post(f"/drills/{drill['id']}/answers", {"number": 1, "action": worst})
    assert done["answer"]["grade"] == "mistake"
    kept = Repetition(path, turn.subject)
    assert (len(kept), kept.due()) == (1, [])
    repetition = served.get(f"/drills/{drill['id']}")["repetition"]
    assert repetition["due"] == 0
    (coming,) = repetition["coming"]
    assert (coming["line"], "".join(coming["hand"]), coming["due"]) == ("check bet 100", hand, repetition["next_day"])


def test_the_mistakes_of_a_review_are_drilled_over_all_its_spots(served: Served) -> None:
    served.post("/charts", {"name": "mine", "text": CHARTS})
    hands = [
        played(n, later=(raise_to(750), CALL, CALL, CALL, CALL, CALL), flop=f)
        for n, f in enumerate(("7c6d2h", "9c8d3h"))
    ]
    query = {"charts": "mine", "target": "1%pot", "memory": 64 << 20}
    job = served.http.post("/reviews", content=phhs_text(hands).encode(), params=query).json()
    assert wait(served, job["id"])["state"] == "done"
    mistakes = served.get(f"/reviews/{job['id']}/decisions", counted=True)["decisions"]
    assert len({one["solution"] for one in mistakes}) == 2
    drill = served.post("/drills", {"review": job["id"], "repeat": True})
    unique = {(one["solution"], one["line"], one["cards"]): one for one in mistakes}
    assert (drill["review"], drill["count"], drill["repetition"]) == (job["id"], len(unique), None)
    got = answered(served, drill, lambda question: question["actions"][0]["action"])
    for (solution, line, cards), one in zip(unique, got, strict=True):
        answer = one["answer"]
        found = errai.load_solution(served.folder / "spots" / f"{solution}.errai")
        # The line of a review by charts has its bets in big blinds.
        asked = (solution, found.at(line).line, cards)
        assert (answer["solution"], answer["line"], "".join(answer["hand"])) == asked
        alone = Drill(found, (), number=1).answer(Question(line, cards), 0)
        assert (answer["loss_chips"], answer["best"]) == (alone.loss_chips, alone.best)
    # A spot that has been deleted since is left out, also where its question waits.
    begun = served.post("/drills", {"review": job["id"]})
    gone = begun["question"]["solution"]
    assert served.http.delete(f"/solutions/{gone}").status_code == 204
    for drill in (served.get(f"/drills/{begun['id']}"), served.post("/drills", {"review": job["id"]})):
        left = answered(served, drill, lambda question: "1")
        assert {one["answer"]["solution"] for one in left} == {s for s, *_ in unique} - {gone}


def test_a_blueprint_is_drilled_by_how_often_it_takes_an_action(running: Served) -> None:
    drill = running.post("/drills", {"solution": "blueprint-nl", "street": "preflop", "count": 1, "seed": 4})
    (one,) = answered(running, drill, lambda question: question["actions"][0]["action"])
    assert (one["answer"]["loss_chips"], one["answer"]["loss_mbb"]) == (None, None)
    assert one["answer"]["grade"] in {kind.value for kind in Grade}
    assert sum(action["frequency"] for action in one["answer"]["actions"]) == pytest.approx(1.0)


def test_what_is_wrong_with_a_drill_is_said(running: Served) -> None:
    before = running.get("/drills")["drills"]
    for body, status, said in (
        ({}, 422, "Name one thing to drill"),
        ({"solution": "turn", "review": "x"}, 422, "Name one thing to drill"),
        ({"solution": "nothing"}, 404, "There is no solution called 'nothing'"),
        ({"review": "nothing"}, 404, "There is no job called 'nothing'"),
        ({"solution": "../turn"}, 422, "solution:"),
        ({"solution": "turn", "street": "flop"}, 422, "There is no street 'flop'"),
        ({"solution": "turn", "line": "bet 7"}, 422, "bet 7"),
        ({"solution": "turn", "boards": ["Zz"]}, 422, "found 'Z'"),
        ({"solution": "turn", "player": 1, "line": "check bet 100"}, 422, "player 0 acts"),
        ({"solution": "turn", "count": 0}, 422, "count: This should be at least 1."),
        ({"solution": "turn", "line": "check", "facing_bet": True}, 422, "no bet to call"),
        ({"review": "x", "player": 1}, 422, "leave player out"),
        ({"review": "x", "player": 0, "facing_bet": True}, 422, "leave player and facing_bet out"),
    ):
        answer = running.http.post("/drills", json=body)
        assert (answer.status_code, said in answer.json()["error"]["message"]) == (status, True), answer.text
    assert running.get("/drills")["drills"] == before
    drill = running.post("/drills", {"solution": "turn", "line": "check bet 100", "seed": 2})
    for body, status, kind in (
        ({"number": 1, "action": "bet 7"}, 422, "IllegalActionError"),
        ({"number": 2, "action": "call"}, 409, "StaleError"),
        ({"number": 1}, 422, "RequestError"),
    ):
        answer = running.http.post(f"/drills/{drill['id']}/answers", json=body)
        assert (answer.status_code, answer.json()["error"]["type"]) == (status, kind)
    assert running.http.delete(f"/drills/{drill['id']}").status_code == 204
    assert running.http.get(f"/drills/{drill['id']}").status_code == 404


def test_a_damaged_drill_hides_no_other_one(running: Served) -> None:
    good, bad = (running.post("/drills", {"solution": "turn", "seed": 2})["id"] for _ in range(2))
    path: Path = running.folder / "drills" / f"{bad}.drill"
    whole = json.loads(path.read_text())
    line = {**whole["waiting"], "line": "check check"}
    for damaged in (
        b"",
        b"[]",
        json.dumps({**whole, "answers": [{}]}).encode(),
        json.dumps({**whole, "version": 2}).encode(),
    ):
        path.write_bytes(damaged)
        found = {one["id"]: one["damaged"] for one in running.get("/drills")["drills"]}
        assert (found[good], "This drill is damaged." in found[bad]) == ("", True)
        assert running.http.get(f"/drills/{bad}").status_code == 422
    for waiting in (
        line,
        {**line, "line": "bet 7"},
        {**whole["waiting"], "hand": "QsJh"},
        {**line, "solution": "gone"},
    ):
        path.write_text(json.dumps({**whole, "waiting": waiting}))
        view = running.get(f"/drills/{bad}")
        assert (view["question"], view["error"] != "") == (None, True)
        assert running.http.post(f"/drills/{bad}/answers", json={"number": 1, "action": "1"}).status_code in (404, 422)
    assert running.http.delete(f"/drills/{bad}").status_code == 204
