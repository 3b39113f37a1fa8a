from __future__ import annotations

import csv
import io
import json
import re

import pytest

import errai as package


@pytest.fixture
def found(folder):
    return package.load_solution(folder / "turn.errai").at("check check").run_outs()


def test_the_table_in_the_terminal(errai, folder, found):
    run = errai("runouts", folder / "turn.errai", "check check")
    assert (run.code, run.err) == (0, "")
    lines = run.out.splitlines()
    assert lines[0] == "A small turn: after check check, pot 100; out of position acts"
    assert re.split(r" {2,}", lines[2].strip())[:3] == ["cards", "chance", "check"]
    # The names of many equivalent cards take more than one line.
    rows = [line for line in lines[3:] if "%" in line]
    assert [line.split()[0] for line in rows] == [*(row.deals[0] for row in found.rows), "all"]
    assert "all 100.0%" in " ".join(rows[-1].split())


def test_data(errai, folder, found):
    run = errai("runouts", folder / "turn.errai", "check check", "--json", "--sort", "ev_0_chips")
    assert json.loads(run.out) == found.to_dict("ev_0_chips")
    run = errai("runouts", folder / "turn.errai", "check check", "--csv", "--sort", "bet 50")
    rows = list(csv.DictReader(io.StringIO(run.out)))
    assert [row["cards"].split() for row in rows] == [list(row.deals) for row in found.sorted_by("bet 50")]
    bets = [float(row["bet 50"]) for row in rows]
    assert bets == sorted(bets, reverse=True)


@pytest.mark.parametrize("by", ["strategy", "ev", "equity"])
def test_pictures(errai, folder, tmp_path, by):
    run = errai("runouts", folder / "turn.errai", "check check", "--by", by, "--svg", tmp_path / "it.svg")
    assert (run.code, run.out) == (0, "")
    text = (tmp_path / "it.svg").read_text()
    # Each card that can come has a cell with its name; those on the board have none.
    cells = re.findall(r">([2-9TJQKA][cdhs])</text>", text)
    assert len(cells) == len(set(cells)) == 48
    assert not {"Qs", "Jh", "2c", "8d"} & set(cells)
    assert "mean over all cards" in text


def test_a_picture_has_a_name(errai, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert errai("runouts", folder / "leduc.errai", "check check", "--png").code == 0
    assert (tmp_path / "leduc-check-check-runouts.png").read_bytes()[:4] == b"\x89PNG"


def test_what_is_wrong(errai, folder):
    for arguments, wanted in (
        (("check",), "closes a street"),
        (("check check", "--sort", "bet 7"), "no column 'bet 7'"),
        (("check check", "--png", "it.svg"), "end in .png"),
        (("check check / Qs",), "on the table"),
    ):
        assert wanted in errai("runouts", folder / "turn.errai", *arguments).refusal()


def test_several_cards_at_once_have_a_table_and_no_picture(errai, folder, tmp_path):
    out = errai("runouts", folder / "short.errai", "call check", "--csv").printed()
    rows = list(csv.DictReader(io.StringIO(out)))
    assert sum(len(row["cards"].split()) for row in rows) == 1140
    assert all(len(deal) == 6 for row in rows for deal in row["cards"].split())
    err = errai("runouts", folder / "short.errai", "call check", "--svg", tmp_path / "it.svg").refusal()
    assert "several cards are dealt at once" in err


def test_nobody_acts_after_an_all_in(errai, folder, tmp_path):
    line = "bet 300 call"
    assert "nobody acts" in errai("runouts", folder / "turn.errai", line).out
    assert "No player acts" in errai("runouts", folder / "turn.errai", line, "--svg", tmp_path / "it.svg").err
    assert errai("runouts", folder / "turn.errai", line, "--by", "equity", "--svg", tmp_path / "it.svg").code == 0
