"""``errai match`` and ``errai standings`` from the command line."""

from __future__ import annotations

import json
import re
import shlex
import signal
import sys
import types
from pathlib import Path

import pytest

from errai.games.hand import CALL, Action, Observation

MATCH = ["match", "uniform", "always-raise", "--game", "leduc", "--hands", "600", "--duplicate", "--seed", "3"]


def test_a_match_says_who_won(errai) -> None:
    out = errai(*MATCH).printed()
    assert "Leduc hold'em: uniform against always-raise" in out
    assert "mbb/g, 95 %: -" in out
    assert "in seat 1" in out
    assert "600 (duplicate)" in out
    assert re.search(r"; -\d+(\.\d+)? bb/100", out)


def test_a_match_of_three_says_what_each_wins(errai, tmp_path: Path) -> None:
    three = ["match", "always-call", "uniform", "always-raise", "--game", "kuhn3", "--hands", "600", "--duplicate"]
    document = errai(*three, "--log", tmp_path / "log", "--json").document()
    assert (document["deals"], document["orders"], document["hands"]) == (100, 6, 600)
    assert sum(player["chips_per_hand"] for player in document["players"]) == pytest.approx(0.0, abs=1e-12)
    for player in document["players"]:
        assert player["bb_per_100"] == pytest.approx(player["mbb_per_hand"] / 10.0)
    assert (tmp_path / "log").read_text().count("STATE:") == 600
    assert "each deal in 6 orders of seats" in errai(*three).printed()
    assert "a multiple of 6 hands" in errai(*three[:-2], "100", "--duplicate").refusal()
    assert "is for matches of two" in errai(*three, "--aivat").refusal()
    assert "3 agents are given" in errai("match", "uniform", "uniform", "uniform", "--game", "kuhn").refusal()


def test_the_document_has_the_exact_value_of_a_small_game(errai) -> None:
    document = errai(*MATCH, "--json").document()
    chips = document["measures"][0]
    exact = document["statements"][0]
    assert exact["kind"] == "exact"
    assert exact["value"]["chips"] == pytest.approx(-1.899306, abs=1e-6)
    assert chips["interval"]["low"]["mbb"] < chips["mean"]["mbb"] < chips["interval"]["high"]["mbb"]
    assert chips["mean"]["bb_per_100"] == pytest.approx(chips["mean"]["mbb"] / 10.0)
    assert abs(chips["mean"]["chips"] - exact["value"]["chips"]) < 3.5 * chips["standard_error"]["chips"]
    assert "histogram" not in json.dumps(document)


def test_the_command_of_a_result_makes_it_again(errai) -> None:
    first = errai(*MATCH, "--processes", "2", "--json").document()
    words = shlex.split(first["command"])
    assert words[0] == "errai"
    again = errai(*words[1:], "--json").document()
    assert {**again, "seconds": 0} == {**first, "seconds": 0}


def test_files_and_reports_are_written(tmp_path: Path, errai) -> None:
    report, log = tmp_path / "new" / "out", tmp_path / "log"
    assert errai(*MATCH, "--results", tmp_path, "--report", report, "--log", log, "--quiet").printed() == ""
    assert len(list(tmp_path.glob("*.match.json"))) == 1
    assert "exact" in (report / "report.html").read_text()
    assert log.read_text().count("STATE:") == 600


def test_checkpoints_are_neither_ignored_nor_overwritten(tmp_path: Path, errai) -> None:
    check = ["--checkpoint", str(tmp_path / "check")]
    first = errai(*MATCH, *check, "--json").document()
    assert "--resume" in errai(*MATCH, *check).refusal()
    again = errai(*MATCH, *check, "--resume", "--json").document()
    assert {**again, "seconds": 0} == {**first, "seconds": 0}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["match", "nobody", "uniform", "--game", "leduc"], 2, "names no agent"),
        (["match", "uniform", "uniform", "--game", "chess"], 1, "chess"),
        (["match", "uniform", "uniform", "--game", "leduc", "--hands", "3", "--duplicate"], 1, "even"),
        (["match", "uniform", "uniform", "--game", "leduc", "--values", "equity"], 1, "--aivat"),
        (["match", "uniform", "uniform", "--game", "leduc", "--results", "nowhere"], 1, ".match.json"),
        (["match", "uniform", "uniform"], 2, "--game"),
        (["standings", "nowhere"], 1, "nowhere"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], code: int, words: str, errai) -> None:
    assert words in errai(*arguments).refusal(code)


def test_a_failing_agent_leaves_its_hands_and_an_error(tmp_path: Path, errai, monkeypatch) -> None:
    module = types.ModuleType("an_agent_that_fails")

    class Failing:
        def act(self, observation: Observation) -> Action:
            if observation.hand_number == 50:
                raise RuntimeError("no more")
            return CALL

    module.Failing = Failing  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    arguments = ["match", f"python:{module.__name__}:Failing", "always-call", "--game", "leduc", "--hands", "90"]
    document = errai(*arguments, "--results", tmp_path, "--json").document(1)
    assert document["status"] == "failed"
    assert document["hands"] == 50
    assert "hand 50: RuntimeError: no more" in document["error"]
    run = errai(*arguments)
    assert (run.code, "hand 50" in run.err) == (1, True)


def test_ctrl_c_is_exit_code_3(errai, monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("an_agent_that_is_stopped")
    sent: list[bool] = []

    class Stopped:
        def act(self, observation: Observation) -> Action:
            if observation.hand_number == 20 and not sent:
                sent.append(True)
                signal.raise_signal(signal.SIGINT)
            return CALL

    module.Stopped = Stopped  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    run = errai("match", f"python:{module.__name__}:Stopped", "always-call", "--game", "leduc")
    assert "Interrupted after 21 of 10,000 hands" in run.refusal(3)
    assert "hands" in run.out


def test_standings_of_a_round_robin(tmp_path: Path, errai) -> None:
    players = ["always-raise", "by-strength", "uniform"]
    for i, a in enumerate(players):
        for b in players[i + 1 :]:
            arguments = ["match", a, b, "--game", "kuhn", "--hands", "1000", "--duplicate", "--results", str(tmp_path)]
            assert errai(*arguments, "--quiet").code == 0
    report = tmp_path / "out"
    arguments = ["standings", str(tmp_path), "--bankroll", "--instant-runoff", "--tiers", "uniform"]
    out = errai(*arguments, "--report", report, "--samples", "300").printed()
    for words in ("total bankroll", "instant run-off", "tiers against uniform", "row against column"):
        assert words in out
    document = errai(*arguments, "--samples", "300", "--json").document()
    assert [s["event"] for s in document["standings"]] == ["total bankroll", "instant run-off"]
    assert document["standings"][0]["ranks"][-1]["player"] == "uniform"
    command = json.loads((report / "report.json").read_text())["command"]
    assert errai(*shlex.split(command)[1:], "--json").document() == document
    plain = errai("standings", tmp_path, "--json").document()["standings"]
    assert [s["event"] for s in plain] == ["total bankroll"]
