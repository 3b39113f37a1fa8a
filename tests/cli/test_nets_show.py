"""``errai nets show``."""

from __future__ import annotations

import json

import pytest


def test_hand_by_hand_as_json(errai):
    document = errai("nets", "show", "check-down", "--board", "Ks9d4h7c2s", "--spr", "0.5", "--json").document()
    assert document["net"] == "check-down"
    assert 0.0 < document["huber"] < 0.5
    assert 0.5 < document["correlation"] <= 1.0
    assert len(document["hands"]) == 2 * 1081
    best = max(document["hands"], key=lambda hand: (hand["player"] == 0, hand["exact"]))
    assert best["net"] > 0.45
    assert sum(hand["weight"] for hand in document["hands"]) == pytest.approx(2.0, abs=1e-4)


def test_a_picture_and_the_terminal(errai, tmp_path):
    for name in ("a.svg", "a.png"):
        run = errai("nets", "show", "zero", "--board", "Ks9d4h7c2s", "--spr", "0.5", "--picture", tmp_path / name)
        assert run.code == 0
        assert "largest errors" in run.out
        assert "second to act" in run.out
        assert (tmp_path / name).stat().st_size > 10_000
    assert "exact" in (tmp_path / "a.svg").read_text()


def test_ranges_may_be_given(errai):
    options = ("--board", "Ks9d4h7c2s", "--spr", "0.5", "--json")
    run = errai("nets", "show", "check-down", *options, "--range", "AA", "--range", "QQ")
    hands = [hand for hand in json.loads(run.out)["hands"] if hand["weight"] > 0.0]
    assert {hand["hand"][0] for hand in hands if hand["player"] == 0} == {"A"}
    assert {hand["net"] for hand in hands if hand["player"] == 1} == {-0.5}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--board", "Ks9d4h"), "four or five cards"),
        (("--board", "Ks9d4h7c", "--range", "AA"), "--range twice"),
        (("--board", "Ks9d4h7c", "--picture", "a.gif"), ".png or .svg"),
    ],
)
def test_what_does_not_go_is_refused(errai, options, said):
    assert said in errai("nets", "show", "zero", *options).refusal()
