from __future__ import annotations

import json

import pytest


def test_cepheus_is_essentially_solved(errai):
    out = errai("solved", "--exploitability", "0.986", "--unit", "mbb").printed()
    assert out.startswith("Essentially solved: yes\n")
    for wanted in ("61,320,000 hands", "1.05 mbb a hand", "standard deviation 5 bb", "95 % sure", "hands, which take"):
        assert wanted in out


def test_the_exit_code_says_no(errai):
    run = errai("solved", "--exploitability", "1.06")
    assert run.code == 3
    assert run.out.startswith("Essentially solved: no\n")


def test_units(errai):
    def mbb(*arguments):
        return json.loads(errai("solved", *arguments, "--json").out)["exploitability_mbb"]

    assert mbb("--exploitability", "0.002", "--unit", "bb") == pytest.approx(2.0)
    # Limit hold'em: a big blind of 10 chips, and 15 in the middle.
    assert mbb("--exploitability", "0.01", "--unit", "chips", "--game", "holdem.limit.2p") == pytest.approx(1.0)
    assert mbb("--exploitability", "0.1", "--unit", "%pot", "--game", "holdem.limit.2p") == pytest.approx(1.5)


def test_json(errai):
    run = errai("solved", "--exploitability", "0.5", "--years", "7", "--hands-per-hour", "20", "--sd", "10", "--json")
    document = json.loads(run.out)
    assert document["essentially_solved"] is True
    assert document["hands"] == 20 * 12 * 365 * 7
    assert document["threshold_mbb"] == pytest.approx(21.0, abs=0.01)
    assert document["standard_deviation_bb"] == 10
    assert document["years_to_tell"] == pytest.approx(7 * (document["threshold_mbb"] / 0.5) ** 2)
    perfect = json.loads(errai("solved", "--exploitability", "0", "--json").out)
    assert perfect["hands_to_tell"] is None


def test_a_solution_file(errai, folder):
    run = errai("solved", folder / "leduc.errai", "--json")
    certified = json.loads(errai("verify", folder / "leduc.errai", "--json").out)["exploitability"]["mbb"]
    assert json.loads(run.out)["exploitability_mbb"] == certified
    assert run.code == (0 if certified < 1.05 else 3)


def test_a_spot_without_a_big_blind(errai, folder):
    assert "names no big blind" in errai("solved", folder / "turn.errai").refusal(2)
    run = errai("solved", "--exploitability", "1", "--unit", "chips", "--game", folder / "turn.toml")
    assert "names no big blind" in run.err


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ((), "Give either a solution or --exploitability"),
        (("x.errai", "--exploitability", "1"), "Give either a solution or --exploitability"),
        (("x.errai", "--unit", "bb"), "leave out --unit"),
        (("--exploitability", "1", "--unit", "chips"), "name it with --game"),
        (("--exploitability", "-1"), "at least 0"),
        (("--exploitability", "nan"), "at least 0"),
        (("--exploitability", "1", "--years", "0"), "above 0"),
        (("--exploitability", "1", "--confidence", "95"), "between 0.5 and 1"),
        (("--exploitability", "1", "--unit", "euro"), "invalid choice"),
    ],
)
def test_wrong_usage(errai, arguments, wanted):
    assert wanted in errai("solved", *arguments).refusal(2)


def test_wrong_files(errai, tmp_path):
    assert errai("solved", "nowhere.errai").code == 1
    assert "is a folder" in errai("solved", tmp_path).refusal()
    assert errai("solved", "--exploitability", "1", "--unit", "chips", "--game", "nowhere").code == 1
