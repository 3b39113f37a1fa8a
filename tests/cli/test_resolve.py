"""``errai resolve``."""

from __future__ import annotations

import json

import pytest


def test_for_people(errai, folder):
    run = errai("resolve", folder / "turn.errai", "check check / 7d", "--menu", "25%, 75%", "--target", "0.02%pot")
    assert run.code == 0, run.err
    assert run.out.startswith("Qs Jh 2c 8d 7d, pot 100, re-solved by maxmargin\n")
    for wanted in ("exploitability before", "% less", "no hand of the opponent gains", "bet 25", "agrees"):
        assert wanted in run.out


@pytest.mark.parametrize("gadget", ["unsafe", "resolve", "maxmargin", "reach"])
def test_json(errai, folder, gadget):
    line = "check check / 7d"
    run = errai("resolve", folder / "turn.errai", line, "--gadget", gadget, "--menu", "75%", "--player", 1, "--json")
    document = json.loads(run.out)
    assert (document["gadget"], document["board"], document["pot_chips"]) == (gadget, "Qs Jh 2c 8d 7d", 100.0)
    assert document["verified"] is True
    assert [player["player"] for player in document["players"]] == [1]
    (player,) = document["players"]
    assert player["best_response_after_chips"] < player["best_response_before_chips"]
    assert set(document["before"]) == set(document["after"]) == {"chips", "mbb", "pot_percent", "gain_chips"}
    assert sum(document["frequencies"]) == pytest.approx(1.0)
    assert document["actions"] == ["check", "bet 50", "bet 75", "bet 300"]


@pytest.mark.parametrize(
    ("arguments", "code", "wanted"),
    [
        (("check bet 17",), 1, "the actions there are: check, bet 50 (50%), bet 300 (300%)"),
        (("check check",), 1, "name 1 card"),
        (("check", "--gadget", "prayer"), 1, "maxmargin"),
        (("check", "--menu", "half"), 1, "not a bet size"),
        (("check", "--target", "much"), 2, "is not a target"),
        (("check", "--player", "2"), 2, "invalid choice"),
    ],
)
def test_what_is_wrong(errai, folder, arguments, code, wanted):
    assert wanted in errai("resolve", folder / "turn.errai", *arguments).refusal(code)


def test_a_file_that_is_not_there(errai, folder):
    assert "There is no file 'nowhere.errai'" in errai("resolve", "nowhere.errai", "check").refusal()
