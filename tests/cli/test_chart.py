from __future__ import annotations

import json

import pytest


def test_the_three_of_the_paper(errai, folder):
    run = errai("chart", folder / "short.errai")
    assert (run.code, run.err) == (0, "")
    for wanted in (
        "Two rounds from ten to ace: the dealer's first action",
        "the big blind after a limp",
        "the big blind facing a raise",
        "AKs",
        "QTo",
    ):
        assert wanted in run.out
    table = run.out.splitlines()[-4:]
    assert table[0].split() == ["line", "reached", "fold", "call", "raise"]
    assert table[1].startswith("first action")
    assert "100.0%" in table[1]


def test_any_line(errai, folder):
    run = errai("chart", folder / "short.errai", "--line", "r r", "--line", "c r")
    assert "the dealer after raise 20 raise 30" in run.out
    assert "the dealer after call raise 20" in run.out
    assert "first action" not in run.out


def test_pictures_in_a_folder(errai, folder, tmp_path):
    run = errai("chart", folder / "short.errai", "--first", "--line", "r r", "-o", f"{tmp_path}/charts/")
    assert run.code == 0
    names = sorted(path.name for path in (tmp_path / "charts").iterdir())
    assert names == [
        "short-first.png",
        "short-first.svg",
        "short-raise-20-raise-30.png",
        "short-raise-20-raise-30.svg",
    ]
    assert (tmp_path / "charts" / "short-first.png").read_bytes().startswith(b"\x89PNG")
    assert "Play comes here in 100.0% of all hands." in (tmp_path / "charts" / "short-first.svg").read_text()
    assert run.err.count("Wrote ") == 4
    errai("chart", folder / "short.errai", "--first", "--values", "-o", f"{tmp_path}/charts")
    assert (tmp_path / "charts" / "short-values-first.svg").exists()


def test_a_picture_in_a_file(errai, folder, tmp_path):
    run = errai("chart", folder / "short.errai", "--limp", "--mix", "-o", tmp_path / "limp.svg", "--json")
    assert json.loads(run.out)["charts"][0]["situation"] == "limp"
    assert "Colours mix by how often." in (tmp_path / "limp.svg").read_text()
    err = errai("chart", folder / "short.errai", "-o", tmp_path / "three.png").refusal()
    assert "3 pictures do not fit into one file" in err


def test_json(errai, folder):
    document = json.loads(errai("chart", folder / "short.errai", "--json").out)
    assert document["game"] == "Two rounds from ten to ace"
    first, limp, facing = document["charts"]
    assert [chart["situation"] for chart in document["charts"]] == ["first", "limp", "facing-raise"]
    assert (first["player"], limp["player"], facing["player"]) == (1, 0, 0)
    assert first["reached"] == 1.0
    assert limp["reached"] == pytest.approx(first["frequencies"]["call"])
    assert facing["reached"] == pytest.approx(first["frequencies"]["raise"])
    assert len(first["hands"]) == 25
    assert sum(hand["combos"] for hand in first["hands"]) == 20 * 19 // 2
    # The dealer's values over all hands sum to the value of the game.
    value = sum(hand["combos"] * hand["ev_mbb"] for hand in first["hands"]) / 190
    certified = json.loads(errai("verify", folder / "short.errai", "--json").out)
    assert value == pytest.approx(100 * certified["values"][1], abs=1e-3)


def test_values(errai, folder):
    run = errai("chart", folder / "short.errai", "--limp", "--values")
    assert "Value in mbb a hand. Net over the whole hand." in run.out
    assert "+" in run.out


def test_a_spot_counts_in_its_chips_and_names_players_by_position(errai, folder, tmp_path):
    out = errai("chart", folder / "turn.errai", "--first", "--values").printed()
    assert "the first action of the player out of position" in out
    assert "EV of each hand out of position, in chips. What is won of the pot." in out
    run = errai("chart", folder / "turn.errai", "--line", "check")
    assert "the player in position after check" in run.out


def test_situations_that_a_game_does_not_have_are_left_out(errai, tmp_path):
    errai("preflop", "--stack", "5bb", "-o", tmp_path / "push.errai", "--quiet", "--max-iterations", "5")
    out = errai("chart", tmp_path / "push.errai").printed()
    assert "the dealer's first action" in out
    assert "the big blind facing a raise" in out
    assert "cannot be a check or call" in errai("chart", tmp_path / "push.errai", "--limp").refusal()


@pytest.mark.parametrize(
    ("name", "arguments", "code", "wanted"),
    [
        ("short.errai", ("--line", "call check"), 1, "A chart shows a decision"),
        ("short.errai", ("--line", "call check / AhKhQh"), 1, "past the first street"),
        ("short.errai", ("--line", "all-in"), 1, "the actions there are"),
        ("short.errai", ("--mix", "--values"), 2, "not allowed with"),
        ("short.errai", ("--first", "-o", "no/such/folder/x.png"), 1, "create it first"),
        ("leduc.errai", (), 1, "errai show"),
        ("turn.toml", (), 1, "is not a solution"),
        ("", (), 1, "is a folder"),
        ("none.errai", (), 1, "There is no file"),
    ],
)
def test_wrong_inputs(errai, folder, name, arguments, code, wanted):
    assert wanted in errai("chart", folder / name, *arguments).refusal(code)


def test_a_file_is_no_folder(errai, folder, tmp_path):
    (tmp_path / "taken").write_text("")
    assert "is a file" in errai("chart", folder / "short.errai", "--first", "-o", tmp_path / "taken").refusal()
