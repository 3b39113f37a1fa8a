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
    assert " ".join(head.split()) == "hand bet 300 (300%) EV bet 50 (50%) EV check EV weight EV equity EQR"
    assert aces.count("%") == ranges.count("%") == 3 + 2
    assert ranges.startswith("all hands")
    assert run.out == errai("show", folder / "turn.errai", "--hand", "ahas").out
    node = json.loads(errai("show", folder / "turn.errai", "--hand", "KTs", "--hand", "AA", "--json").out)
    assert len(node["hands"]) == 4 + 6
    table = errai("show", folder / "turn.errai", "--hand", "99", "--csv").out
    assert table.count("\n") == 1 + 6 + 1
    both = errai("show", folder / "turn.errai", "check check", "--hand", "AsAh").out
    assert "out of position" in both


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
    assert "range, in position" in errai("show", folder / "turn.errai", "--player", "1").out


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
    assert own.split()[:2] == ["hand", "bet"]
    assert other.split("\n")[0].split() == ["hand", "weight", "EV", "equity", "EQR"]
    assert "%" not in other.split("\n")[1].split("KdKc")[1].split()[0]


def test_categories(errai, folder):
    run = errai("show", folder / "turn.errai", "check", "--categories")
    assert run.code == 0
    assert "set " in run.out
    assert "In the top 5% of hands" in run.out
    document = json.loads(errai("show", folder / "turn.errai", "check", "--categories", "--json").out)
    assert sum(row["share"] for row in document["made"]) == pytest.approx(1.0)
    assert document["player_name"] == "in position"
    assert set(document["blockers"]) == {"value", "continuing after bet 50", "continuing after bet 300"}
    out = errai("show", folder / "turn.errai", "--categories", "--csv", "--player", "1").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["category"] for row in rows if row["draw"] == "0"] == [row["name"] for row in document["made"]]
    picture = folder / "categories.svg"
    assert errai("show", folder / "turn.errai", "--categories", "--svg", picture).code == 0
    assert "ranges by category" in picture.read_text()


def test_only_some_hands(errai, folder):
    sets = json.loads(errai("show", folder / "turn.errai", "check", "--only", "set", "--json").out)
    assert {entry["hand"] for entry in sets["hands"]} == {"QdQc", "QhQc", "QhQd"}
    table = errai("show", folder / "turn.errai", "check", "--only", "set", "--hand", "QQ", "--hand", "KK").out
    assert "QdQc" in table
    assert "KsKh" not in table
    shown = errai(
        "show", folder / "turn.errai", "check", "--only", "set", "--only", "straight", "--equity", "50:100%"
    ).out
    assert "A small turn, only set or straight, equity 50 to 100%" in shown
    strong = errai("show", folder / "turn.errai", "check", "--equity", "80:100%", "--csv").out
    rows = [row for row in csv.DictReader(io.StringIO(strong)) if row["hand"] != "range"]
    assert rows
    assert all(float(row["equity_1"]) >= 0.8 for row in rows)
    for arguments, wanted in (
        (("--only", "pair"), "is no category"),
        (("--only", "flush"), "No hand in the range of in position"),
        (("--only", "set", "--hand", "KK"), "None of the hands of --hand"),
    ):
        assert wanted in errai("show", folder / "turn.errai", "check", *arguments).refusal()
    assert "is not an interval of equities" in errai("show", folder / "turn.errai", "--equity", "60:50%").refusal(2)
    assert "two private cards" in errai("show", folder / "kuhn.errai", "--categories").refusal()


def test_a_hand_that_cannot_be_held_has_a_reason(errai, folder):
    dead = errai("show", folder / "turn.errai", "--hand", "QsKd").refusal()
    assert "KdQs cannot be held here: Qs is on the board, Qs Jh 2c 8d" in dead
    assert "AhKd is not in the range" in errai("show", folder / "turn.errai", "--hand", "AhKd", "--json").err
    some = errai("show", folder / "turn.errai", "--hand", "QsKd", "--hand", "AsAh")
    assert "cannot be held here" in some.err
    assert "KdQs" not in some.printed()
    assert "AsAh" in some.out
