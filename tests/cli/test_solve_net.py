"""``errai solve --net``."""

from __future__ import annotations

import json

import pytest
from small_subjects import SHORT_TURN

from errai import load_game, solve


@pytest.fixture
def turn(tmp_path):
    path = tmp_path / "turn.toml"
    path.write_text(SHORT_TURN)
    return str(path)


def test_json_says_what_a_network_costs(errai, turn):
    document = errai("solve", turn, "--net", "zero", "--json", "--quiet").document()
    assert document["net"]["name"] == "zero"
    assert document["seconds"] > 0
    costs = document["exploitability"]
    assert costs["least_pot_percent"] <= costs["pot_percent"] <= costs["most_pot_percent"]
    # By the linear programs of tests/nets/quality/test_cost.py the first street over this network is a bad one.
    assert costs["pot_percent"] > 10.0
    assert costs["most_pot_percent"] - costs["least_pot_percent"] < 0.3
    assert document["exploitability_of_the_cut_game"]["pot_percent"] < 0.3
    assert document["exact_value_chips"][0] <= document["exact_value_chips"][1]


def test_people_are_told_before_the_exact_solves(errai, turn, tmp_path):
    saved = tmp_path / "turn.errai"
    run = errai("solve", turn, "--net", "check-down", "-o", saved)
    assert run.code == 0
    assert "three exact solves" in run.err
    assert "check-down: target met" in run.out
    assert "of the cut game" in run.out
    assert "certified" in errai("verify", saved).printed()
    assert "depends on the leaf values 'check-down'" in errai("verify", saved, "--net", "zero").refusal()
    assert "EV" in errai("show", saved, "--hand", "QdQc").out


def test_where_the_whole_tree_is_too_large_the_rest_is_said(errai, turn):
    run = errai("solve", turn, "--net", "check-down", "--json", "--memory", "100kB")
    assert run.code == 0
    document = json.loads(run.out)
    assert document["exploitability"] is None
    assert "was not measured" in run.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--net", "nobody"), "no network and no file"),
        (("--net", "zero", "--checkpoint", "x"), "cannot be used with --net; leave --checkpoint out"),
        (("--net", "zero", "--store", "x"), "cannot be used with --net; leave --store out"),
    ],
)
def test_what_does_not_go_is_refused(errai, turn, options, said):
    assert said in errai("solve", turn, *options).refusal()


def test_a_river_has_no_street_to_come(errai, folder):
    assert "cards are dealt" in errai("solve", folder / "river.toml", "--net", "zero").refusal()


def test_a_network_is_for_solutions_over_one(errai, turn, tmp_path):
    errai("solve", turn, "-o", tmp_path / "turn.errai", "--target", "5%pot", "--quiet")
    assert "leave the network out" in errai("verify", tmp_path / "turn.errai", "--net", "zero").refusal()


def test_values_that_are_no_network_are_asked_for(errai, tmp_path):
    def mine(leaves):
        return 0.0 * leaves.reach[leaves.player]

    solve(load_game("leduc"), max_iterations=10, depth=0, leaf_values=mine).save(tmp_path / "leduc.errai")
    assert "not part of the package" in errai("verify", tmp_path / "leduc.errai").refusal()
