from __future__ import annotations

import csv
import io
import json

import pytest


def test_grid_in_the_terminal(errai, folder):
    run = errai("show", folder / "turn.errai")
    assert run.code == 0
    assert run.err == ""
    assert "A small turn" in run.out
    assert "Qs Jh 2c 8d" in run.out
    assert "AKs" in run.out
    assert "out of position to act" in run.out


def test_later_nodes(errai, folder):
    run = errai("show", folder / "turn.errai", "check bet 50")
    assert "to call 50" in run.out
    run = errai("show", folder / "turn.errai", "check check")
    assert "A card is dealt here." in run.out
    assert "Next card: 2d" in run.out
    run = errai("show", folder / "turn.errai", "check check / Ah / check")
    assert "Qs Jh 2c 8d Ah" in run.out


def test_rows_for_one_card(errai, folder):
    out = errai("show", folder / "kuhn.errai").out
    assert [line[0] for line in out.splitlines() if line[:2] in ("A ", "K ", "Q ")] == ["A", "K", "Q"]


def test_wrong_lines_and_hands(errai, folder):
    for arguments, wanted in (
        (("raise 10",), "the actions there are"),
        (("check check check",), "name the cards"),
        (("", "--hand", "Zz"), "There is no hand"),
        (("", "--hand", "AsAs"), "There is no hand"),
        (("", "--png", "check"), "end in .png"),
    ):
        assert wanted in errai("show", folder / "turn.errai", *arguments).refusal()


def test_json(errai, folder):
    node = json.loads(errai("show", folder / "turn.errai", "check", "--json").out)
    assert node["line"] == "check"
    assert node["player"] == 1
    assert node["player_name"] == "in position"
    assert sum(node["frequencies"]) == pytest.approx(1.0)
    held = [entry for entry in node["hands"] if entry["weights"][1] > 0]
    assert all(sum(entry["strategy"].values()) == pytest.approx(1.0, abs=1e-4) for entry in held)
    chance = json.loads(errai("show", folder / "turn.errai", "check check", "--json").out)
    assert chance["kind"] == "chance"
    assert len(chance["deals"]) == 48


def test_how_far_a_node_has_converged(errai, folder):
    node = json.loads(errai("show", folder / "turn.errai", "check bet 50", "--json").out)
    assert 0 < node["reached"] < 1
    assert 0 <= node["unconverged"] < 1
    assert "Reached: " in errai("show", folder / "turn.errai", "check bet 50").out
    root = json.loads(errai("show", folder / "turn.errai", "--json").out)
    certificate = json.loads(errai("verify", folder / "turn.errai", "--json").out)["exploitability"]
    assert root["reached"] == 1.0
    assert root["unconverged"] == pytest.approx(certificate["pot_percent"] / 100)


def test_csv(errai, folder):
    out = errai("show", folder / "turn.errai", "--csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {"hand", "weight_0", "ev_1_chips", "check", "bet 50"} <= set(rows[0])
    assert any(float(row["weight_0"]) == 1.0 for row in rows)


def test_hands(errai, folder):
    run = errai("show", folder / "turn.errai", "--hand", "AsAh")
    head, aces, ranges = run.out.splitlines()
    assert " ".join(head.split()) == "hand check EV bet 50 EV bet 300 EV weight EV equity EQR"
    assert aces.count("%") == ranges.count("%") == 3 + 2
    assert ranges.startswith("all hands")
    assert run.out == errai("show", folder / "turn.errai", "--hand", "ahas").out
    node = json.loads(errai("show", folder / "turn.errai", "--hand", "KTs", "--hand", "AA", "--json").out)
    assert len(node["hands"]) == 4 + 6
    table = errai("show", folder / "turn.errai", "--hand", "99", "--csv").out
    assert table.count("\n") == 1 + 6 + 1
    both = errai("show", folder / "turn.errai", "check check", "--hand", "AsAh").out
    assert "EQR 0" in both
    assert "EQR 1" in both


def test_pictures(errai, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = errai("show", folder / "turn.errai", "check bet 50", "--png", "--svg", "other.svg")
    assert (run.code, run.out) == (0, "")
    assert (tmp_path / "turn-check-bet-50.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "other.svg").read_text().startswith("<svg")
    assert "Wrote turn-check-bet-50.png." in run.err
    errai("show", folder / "turn.errai", "--svg")
    assert (tmp_path / "turn.svg").exists()
    both = errai("show", folder / "turn.errai", "--svg", "--json")
    assert json.loads(both.out)["line"] == ""


def test_worth_of_ranges_and_actions(errai, folder):
    node = json.loads(errai("show", folder / "turn.errai", "--json").out)
    assert sum(node["ev_chips"]) == pytest.approx(node["pot_chips"])
    assert sum(node["equity"]) == pytest.approx(1.0)
    worth = zip(node["frequencies"], node["action_ev_chips"], strict=True)
    assert sum(often * ev for often, ev in worth) == pytest.approx(node["ev_chips"][0])
    out = errai("show", folder / "turn.errai").out
    line = next(line for line in out.splitlines() if line.startswith("in position"))
    assert f"EV {node['ev_chips'][1]:7.1f}   equity {100 * node['equity'][1]:5.1f}%" in line
    assert f"EQR {100 * node['equity_realised'][1]:3.0f}%" in line


@pytest.mark.parametrize(("by", "caption"), [("ev", "in chips"), ("equity", "checked down"), ("eqr", "times pot")])
def test_hands_by_what_they_are_worth(errai, folder, tmp_path, by, caption):
    out = errai("show", folder / "turn.errai", "--by", by, "--player", "1").out
    assert "each hand in position" in out
    assert caption in out
    errai("show", folder / "turn.errai", "--by", by, "--svg", tmp_path / "values.svg")
    assert "each hand out of position" in (tmp_path / "values.svg").read_text()
    assert "grid of hands" in errai("show", folder / "kuhn.errai", "--by", by).refusal()


def test_range_of_a_player(errai, folder):
    assert "range of player 1" in errai("show", folder / "turn.errai", "--player", "1").out


def test_curve(errai, folder, tmp_path):
    run = errai("show", folder / "turn.errai", "--curve")
    assert "exploitability, % of the pot" in run.out
    points = json.loads(errai("show", folder / "turn.errai", "--curve", "--json").out)["curve"]
    assert points[-1]["chips"] <= 0.5
    rows = errai("show", folder / "turn.errai", "--curve", "--csv").out.splitlines()
    assert rows[0] == "iteration,seconds,exploitability_chips"
    assert len(rows) == len(points) + 1
    errai("show", folder / "turn.errai", "--curve", "--svg", tmp_path / "curve.svg")
    assert "iterations" in (tmp_path / "curve.svg").read_text()


def test_tree_of_a_solution(errai, folder):
    out = errai("tree", folder / "turn.errai").out
    assert "%" in out.splitlines()[1]
    assert "nodes follow" in out


def test_of_a_large_file_only_what_is_shown_is_read(errai, folder, monkeypatch):
    monkeypatch.setattr("errai.cli.inputs.LARGE_BYTES", 1)
    monkeypatch.setattr("errai.solutions.stored.MOST_EVALUATED", 10)
    run = errai("show", folder / "leduc.errai", "check")
    assert "only what is shown was read and checked" in run.out
    assert "--whole" in run.err
    whole = errai("show", folder / "leduc.errai", "check", "--whole")
    assert "was read" not in whole.out
    assert whole.err == ""
    for verb in ("query", "tree", "solved"):
        assert errai(verb, folder / "leduc.errai").code in (0, 3)


def test_a_row_of_the_player_who_does_not_act_has_no_frequencies(errai, folder):
    """The frequencies at a node are those of the player who acts, and stand beside that player's weight and EV only."""
    own = errai("show", folder / "turn.errai", "--hand", "AsAh").out
    other = errai("show", folder / "turn.errai", "--hand", "KdKc", "--player", "1").out
    assert own.split()[:2] == ["hand", "check"]
    assert other.split("\n")[0].split() == ["hand", "weight", "EV", "equity", "EQR"]
    assert "%" not in other.split("\n")[1].split("KdKc")[1].split()[0]


def test_a_hand_that_cannot_be_held_has_a_reason(errai, folder):
    dead = errai("show", folder / "turn.errai", "--hand", "QsKd").refusal()
    assert "KdQs cannot be held here: Qs is on the board, Qs Jh 2c 8d" in dead
    assert "AhKd is not in the range" in errai("show", folder / "turn.errai", "--hand", "AhKd", "--json").err
    some = errai("show", folder / "turn.errai", "--hand", "QsKd", "--hand", "AsAh")
    assert "cannot be held here" in some.err
    assert "KdQs" not in some.printed()
    assert "AsAh" in some.out
