"""``errai report``."""

from __future__ import annotations

import csv
import json

import pytest

SPOT = """
title = "Tiny"
board = "Ks 7h 2d"
pot = 60
stack = 100
[ranges]
oop = "AA, KQs, 77"
ip = "KK, AQs, 22"
[bets]
bet = "100%"
raise = ""
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    (folder / "spot.toml").write_text(SPOT)
    (folder / "flops.txt").write_text("Ks7h2d: 3\nTh9h2h: 2\n7c7d4s\n")
    (folder / "sevens.txt").write_text("Ks7h2d\n7s7h7d\n")
    (folder / "locks.toml").write_text('[""]\n"77" = { check = 1 }\n')
    return folder


def test_a_report(errai, place):
    asked = ("report", place / "spot.toml", "--flops", place / "flops.txt", "-o", place / "out", "--processes", 2)
    run = errai(*asked, "--group", "suits")
    assert run.code == 0
    assert "3 flops of some" in run.err
    for text in ("Tiny: 3 flops", "First action", "all flops", "monotone", "out of position", "bet 60"):
        assert text in run.out
    page = (place / "out" / "report.html").read_text()
    for text in ("<h2>First action</h2>", "<h2>check</h2>", "7d 7c 4s", "<script>", "prefers-color-scheme: dark"):
        assert text in page
    assert "http://www.w3.org/2000/svg" in (place / "out" / "first.svg").read_text()
    with open(place / "out" / "flops.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["flop"] for row in rows} == {"Ks 7h 2d", "Th 9h 2h", "7d 7c 4s"}
    again = errai(*asked, "--only", "monotone", "--json")
    assert "All flops are solved already." in again.err
    document = json.loads(again.out)
    assert (document["flops"], document["flops_wanted"]) == (1, 3)
    node = document["nodes"][1]
    assert node["line"] == "check"
    assert "other target" in errai(*asked, "--target", "1%pot").refusal()
    assert "None of these flops has trips" in errai(*asked, "--only", "trips").refusal()
    assert node["flops"][0]["frequencies"] == pytest.approx(node["mean"]["frequencies"])


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("kuhn", "-o", "x"), "is no spot"),
        (("spot.toml", "--flops", "26", "-o", "x"), "There is no subset of 26 flops"),
        (("spot.toml", "--flops", "nothing.txt", "-o", "x"), "is none of these"),
        (("spot.toml", "--flops", "locks.toml", "-o", "x"), "locks.toml, line 1"),
        (("spot.toml", "--flops", "25", "-o", "x", "--lock", "flops.txt"), "flops.txt, line 1"),
        (("spot.toml", "--flops", "spot.toml", "-o", "x"), "spot.toml, line 2"),
        (("spot.toml", "--flops", "²", "-o", "x"), "is none of these"),
        (
            ("spot.toml", "--flops", "sevens.txt", "-o", "x", "--lock", "locks.toml"),
            "locks.toml, line 2: On 7s 7h 7d: ",
        ),
        (("spot.toml", "--flops", "25", "-o", "x", "--target", "1mbb"), "in big blinds"),
        (("spot.toml", "--flops", "25", "-o", "x", "--only", "trips Ks"), "None of these flops has trips and Ks"),
        (("spot.toml", "--flops", "25", "-o", "."), "files in it that are not of a report"),
        (("spot.toml", "--line", "jump", "-o", "x"), "'jump' is not possible"),
    ],
)
def test_faults(errai, place, monkeypatch, arguments, wanted):
    monkeypatch.chdir(place)
    there = {path.name for path in place.iterdir()}
    run = errai("report", *arguments, "--processes", 1)
    assert run.code in (1, 2)
    assert wanted in run.err
    # A fault leaves no folder of which a corrected command would be told that it is another report.
    assert {path.name for path in place.iterdir()} == there


def test_a_report_over_a_network_says_what_is_certified(errai, place):
    asked = ("report", place / "spot.toml", "--flops", place / "flops.txt", "-o", place / "net", "--processes", 1)
    run = errai(*asked, "--net", "check-down")
    assert "solved over the values of 'check-down'; what is certified is the cut game" in run.printed()
    page = (place / "net" / "report.html").read_text()
    for text in ("not the whole game", "exploitability of the cut game, of the pot", "--net check-down"):
        assert text in page
    with open(place / "net" / "flops.csv", newline="") as file:
        assert {row["net"] for row in csv.DictReader(file)} == {"check-down"}
    assert "other leaf values" in errai(*asked).refusal()
    assert "no network" in errai(*asked, "--net", "nothing").refusal().lower()
