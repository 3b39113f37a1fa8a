from __future__ import annotations

import json

import pytest

import errai as errai_package


def test_a_solution_beside_a_locked_one(errai, folder, tmp_path):
    (tmp_path / "locks.toml").write_text('["check"]\n"*" = { check = 1 }\n')
    turn = errai_package.load_solution(folder / "turn.errai")
    locks = errai_package.load_locks(tmp_path / "locks.toml")
    errai_package.solve(turn.subject, max_iterations=20, locks=locks).save(tmp_path / "locked.errai")
    run = errai("compare", folder / "turn.errai", tmp_path / "locked.errai")
    assert (run.code, run.err) == (0, "")
    for text in ("out of position", "EV, change", "Where the play changes", "The hands that change most"):
        assert text in run.out
    found = json.loads(errai("compare", folder / "turn.errai", tmp_path / "locked.errai", "check", "--json").out)
    assert found["actions"][0]["frequencies"][1] == pytest.approx(1.0)
    assert found["changes"][0]["line"] == "check"
    assert sum(a["frequencies"][0] for a in found["actions"]) == pytest.approx(1.0)
    for picture in ("gained.svg", "gained.png"):
        errai("compare", folder / "turn.errai", tmp_path / "locked.errai", f"--{picture[-3:]}", tmp_path / picture)
    assert "EV gained by each hand out of position" in (tmp_path / "gained.svg").read_text()
    assert (tmp_path / "gained.png").stat().st_size > 10_000


def test_games_of_one_card(errai, folder):
    run = errai("compare", folder / "kuhn.errai", folder / "kuhn.errai", "check bet")
    assert (run.code, run.err) == (0, "")
    assert "+0" in run.out


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("kuhn.errai", "turn.errai"), "different cards"),
        (("turn.errai", "turn.errai", "check", "--second-line", ""), "Different players act"),
        (("turn.errai", "turn.errai", "raise 7"), "the actions there are"),
        (("turn.errai", "nothing.errai"), "There is no file"),
    ],
)
def test_what_cannot_be_compared(errai, folder, arguments, wanted):
    places = [folder / a if a.endswith(".errai") else a for a in arguments]
    run = errai("compare", *places)
    assert run.code == 1
    assert wanted in run.err
