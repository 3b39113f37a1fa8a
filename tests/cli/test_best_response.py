"""``errai best-response``."""

from __future__ import annotations

import json
import signal

import pytest


@pytest.mark.parametrize(
    ("strategy", "method", "mbb"),
    [("uniform", "merged lines", 2373.6111111), ("always-call", "merged lines", 1466.6666667)],
)
def test_numbers_as_json(errai, strategy, method, mbb) -> None:
    run = errai("best-response", "leduc", "--strategy", strategy, "--json", "--processes", 1)
    assert run.code == 0
    assert run.err == ""
    document = json.loads(run.out)
    assert document["game"] == "leduc"
    assert document["strategy"] == strategy
    assert document["method"] == method
    assert document["status"] == "done"
    assert document["exact"] is True
    assert document["exploitability"]["mbb"] == pytest.approx(mbb, abs=1e-6)
    assert sum(document["by_seat"]["mbb"]) / 2 == pytest.approx(mbb, abs=1e-6)
    assert sum(document["by_seat"]["chips"]) / 2 == pytest.approx(mbb / 1000, abs=1e-9)
    assert document["interval"] is None
    assert document["plugged_in"] is None
    assert document["flops"] == {"done": 3, "wanted": 3, "draws": None}
    assert document["seconds"] > 0


def test_the_general_path_says_the_same(errai) -> None:
    run = errai("best-response", "leduc", "--strategy", "uniform", "--general", "--json", "--processes", 1)
    document = json.loads(run.out)
    assert document["method"] == "every line"
    assert document["exploitability"]["mbb"] == pytest.approx(2373.6111111, abs=1e-6)


def test_a_sample(errai) -> None:
    options = ("best-response", "rhode-island", "--strategy", "by-strength:4", "--flops", 12, "--processes", 1)
    run = errai(*options, "--seed", 5, "--json")
    document = json.loads(run.out)
    assert run.code == 0
    assert document["exact"] is False
    assert document["flops"]["draws"] == 12
    assert document["flops"]["done"] == document["flops"]["wanted"] <= 12
    low, high = document["interval"]["low"]["mbb"], document["interval"]["high"]["mbb"]
    assert low < document["exploitability"]["mbb"] < document["plugged_in"]["mbb"] < high
    again = json.loads(errai(*options, "--seed", 5, "--json").out)
    other = json.loads(errai(*options, "--seed", 6, "--json").out)
    assert again["by_seat"] == document["by_seat"] != other["by_seat"]
    text = errai(*options).out
    assert "at least, in the mean" in text
    assert "95 % interval" in text
    assert "12 (" in text


def test_text_and_progress(errai) -> None:
    run = errai("best-response", "leduc", "--strategy", "always-fold", "--progress", "--processes", 1)
    assert run.code == 0
    assert "best response to always-fold" in run.out
    assert "1000.0000 mbb" in run.out
    assert "3 of 3 in" in run.out
    assert "of 3 boards" in run.err
    assert errai("best-response", "kuhn", "--strategy", "uniform", "--quiet").out == ""


def test_a_solution(errai, folder) -> None:
    run = errai(
        "best-response", "leduc", "--strategy", f"solution:{folder / 'leduc.errai'}", "--json", "--processes", 1
    )
    verified = json.loads(errai("verify", folder / "leduc.errai", "--json").out)["recomputed"]
    assert json.loads(run.out)["exploitability"]["chips"] == pytest.approx(verified["chips"], abs=1e-9)


def test_checkpoints(errai, tmp_path) -> None:
    path = tmp_path / "run.checkpoint"
    options = ("best-response", "leduc", "--strategy", "uniform", "--processes", 1, "--checkpoint", path)
    assert errai(*options).code == 0
    refused = errai(*options)
    assert refused.code == 1
    assert "--resume" in refused.err
    resumed = errai(*options, "--resume", "--progress")
    assert resumed.code == 0
    assert "boards" not in resumed.err
    assert errai("best-response", "leduc", "--strategy", "uniform", "--resume").code == 1


def test_interrupted(errai, monkeypatch, tmp_path) -> None:
    from errai.responses.unit import Task

    values = Task.values

    def stop(self, unit):
        if unit == 1:
            signal.raise_signal(signal.SIGINT)
        return values(self, unit)

    monkeypatch.setattr(Task, "values", stop)
    options = ("best-response", "leduc", "--strategy", "uniform", "--processes", 1)
    run = errai(*options, "--checkpoint", tmp_path / "run.checkpoint", "--json")
    assert run.code == 3
    assert json.loads(run.out)["status"] == "interrupted"
    assert json.loads(run.out)["exploitability"] is None
    assert "--resume goes on" in run.err
    assert "would have kept it" in errai(*options).err
    monkeypatch.setattr(Task, "values", values)
    assert errai(*options, "--checkpoint", tmp_path / "run.checkpoint", "--resume").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("leduc",), 2, "--strategy"),
        (("leduc", "--strategy", "nonsense"), 2, "is no strategy"),
        (("leduc", "--strategy", "call=0.2"), 2, "between 0 and 1"),
        (("leduc", "--strategy", "solution:missing.errai"), 2, "no file"),
        (("lduc", "--strategy", "uniform"), 1, "did you mean leduc"),
        (("leduc", "--strategy", "uniform", "--flops", "0"), 2, "at least 1"),
        (("leduc", "--strategy", "uniform", "--flops", "2"), 2, "at least 4"),
        (("kuhn", "--strategy", "uniform", "--flops", "20"), 2, "deals no board"),
        (("leduc", "--strategy", "uniform", "--checkpoint", "/nowhere/at/all"), 1, "no folder"),
        (("leduc", "--strategy", "uniform", "--menu", "50%"), 1, "limit game"),
    ],
)
def test_bad_input(errai, arguments, code, message) -> None:
    run = errai("best-response", *arguments)
    assert run.code == code
    assert message in run.err
    assert run.out == ""


def test_a_spot_is_refused(errai, folder) -> None:
    run = errai("best-response", folder / "river.toml", "--strategy", "uniform")
    assert run.code == 1
    assert "not in a spot" in run.err


def test_the_strategy_of_a_bot_by_name(errai) -> None:
    """PsOpti plays one game only, and says so: its strategy was found by its name."""
    run = errai("best-response", "leduc", "--strategy", "psopti2", "--processes", 1)
    assert run.code == 2
    assert "psopti2 plays the whole game 'holdem.limit.2p', not" in run.err


@pytest.mark.parametrize("bot", ["vexbot", "poki:trials=20", "psopti2:some.models"])
def test_bots_without_a_fixed_strategy_are_refused(errai, bot: str) -> None:
    run = errai("best-response", "holdem.limit.2p", "--strategy", bot, "--flops", 1)
    assert run.code == 2
    assert "respond" in run.err
