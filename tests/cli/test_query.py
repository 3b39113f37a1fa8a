"""``errai query``, and the other verbs on the folder of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errai.cli.main import main

LINE = "call check / AsKsQs / check"


@pytest.fixture(scope="module")
def store(folder, tmp_path_factory) -> Path:
    """A run of the short deck."""
    place = tmp_path_factory.mktemp("stores") / "short"
    solve = ["solve", str(folder / "short.game"), "--store", str(place), "--max-iterations", "10", "--processes", "1"]
    assert main([*solve, "--quiet", "--precision", "float32"]) == 0
    return place


def test_a_decision_in_words(errai, store):
    run = errai("query", store, LINE, "--hand", "AhKh")
    assert (run.code, run.err) == (0, "")
    assert "pot " in run.out
    assert "AhKh" in run.out
    assert run.out.count("%") == len(json.loads(errai("query", store, LINE, "--json").out)["actions"])
    assert "all hands" in errai("query", store).out
    assert "cards: " in errai("query", store, "call check").out


def test_a_decision_as_data(errai, store, folder):
    for place in (store, folder / "short.errai"):
        document = json.loads(errai("query", place, LINE, "--hand", "AhKh", "--hand", "QQ, AKs", "--json").out)
        assert document["line"] == LINE.replace("/ check", "/ check")
        assert document["board"] == "As Ks Qs"
        assert document["kind"] == "decision"
        assert document["pot_chips"] > 0
        assert 0 < document["milliseconds"] < 10_000
        assert document["opening_milliseconds"] > 0
        assert sum(document["frequencies"]) == pytest.approx(1.0)
        # QQ without the queen on the table, AKs without the cards on it.
        assert document["hands"][0]["hand"] == "AhKh"
        assert len({e["hand"] for e in document["hands"]}) == len(document["hands"]) == 3 + 3
        assert all(sum(e["strategy"].values()) == pytest.approx(1.0, abs=1e-6) for e in document["hands"])


def test_what_hands_and_actions_are_worth(errai, folder):
    asked = ("query", folder / "turn.errai", "check", "--hand", "22+, AK", "--values")
    document = json.loads(errai(*asked, "--json").out)
    for hand in document["hands"]:
        mean = sum(often * hand["action_ev_chips"][action] for action, often in hand["strategy"].items())
        assert mean == pytest.approx(hand["ev_chips"])
        won = hand["equity_realised"] * hand["equity"] * document["pot_chips"]
        assert won == pytest.approx(hand["ev_chips"])
    assert sum(document["ev_chips"]) == pytest.approx(document["pot_chips"])
    assert "action_ev_chips" not in json.loads(errai(*asked[:-1], "--json").out)["hands"][0]
    out = errai(*asked).out
    assert "EQR" in out
    assert "all hands" in out
    assert "EQR" not in errai(*asked[:-1]).out


def test_a_solution_file_of_one_card(errai, folder):
    document = json.loads(errai("query", folder / "leduc.errai", "--hand", "K", "--json").out)
    assert [e["hand"][0] for e in document["hands"]] == ["K", "K"]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("jump",), "actions"),
        (("call check check",), "name the cards"),
        (("call check", "--hand", "AhKh"), "No player acts"),
        ((LINE, "--hand", "AsKh"), "As is on the board"),
        ((LINE, "--hand", "A"), "column"),
        ((LINE, "--hand", "2c2d"), "can be held|hand"),
    ],
)
def test_wrong_lines_and_hands(errai, store, arguments, wanted):
    import re

    run = errai("query", store, *arguments, "--json")
    assert run.code == 1
    assert json.loads(run.out)["error"]["message"]
    assert re.search(wanted, run.err)


def test_folders_that_hold_no_run(errai, folder, tmp_path):
    for verb in ("query", "show", "verify", "chart"):
        assert "holds no run" in errai(verb, tmp_path).refusal()
    assert errai("query", folder / "missing.errai").code == 1


def test_show(errai, store):
    assert "AKs" in errai("show", store).out
    node = json.loads(errai("show", store, LINE, "--json").out)
    assert node["precision"] == "float32"
    assert any(e["ev_chips"][0] is not None for e in node["hands"])
    assert json.loads(errai("show", store, "--curve", "--json").out)["curve"]


def test_lines_of_the_first_street(errai, store, folder):
    for place in (store, folder / "leduc.errai"):
        lines = json.loads(errai("show", place, "--lines", "--json").out)["lines"]
        assert lines[0]["reached"] == 1.0
        assert sum(line["reached"] for line in lines if line["kind"] != "decision") == pytest.approx(1.0)
    assert "(root)" in errai("show", store, "--lines").out
    assert errai("show", store, "--lines", "--csv").out.splitlines()[0] == "line,kind,pot_chips,reached"


def test_verify(errai, store):
    document = errai("verify", store, "--processes", "1", "--json").document()
    assert document["certified"] is True
    assert document["blocks"] >= 1
    assert document["iterations"] == 10
    assert "certified" in errai("verify", store, "--processes", "1").out


def test_a_damaged_run_does_not_verify(errai, store, tmp_path):
    import shutil

    copy = shutil.copytree(store, tmp_path / "copy")
    victim = max((copy / "blocks").iterdir())
    victim.write_bytes(victim.read_bytes()[:-8])
    run = errai("verify", copy, "--processes", "1", "--json")
    assert run.code == 1
    assert json.loads(run.out)["error"]["type"] == "DamagedFileError"


def test_tree_and_charts(errai, store):
    assert "%" in errai("tree", store).out
    chart = json.loads(errai("chart", store, "--first", "--json").out)
    assert chart["charts"][0]["reached"] == 1.0
    assert errai("chart", store, "--first", "--values").code == 0
