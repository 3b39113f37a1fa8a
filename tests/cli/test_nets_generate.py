"""``errai nets generate`` from the command line."""

from __future__ import annotations

import json

import pytest

from errai.nets.examples.dataset import read_examples


def test_positions_are_made_and_gone_on_with(errai, tmp_path):
    folder = tmp_path / "river"
    shallow = ("--shares", "1,0,0,0,0")
    made = errai("nets", "generate", "river", "--positions", "12", "--out", folder, "--seed", "4", *shallow, "--json")
    assert made.code == 0
    document = json.loads(made.out)
    assert (document["positions"], document["new"], document["status"]) == (12, 12, "done")
    assert document["strata"]["0.1-1"]["positions"] == 12
    assert document["recipe"]["seed"] == 4
    assert document["bytes"] == (folder / "examples-000000.safetensors").stat().st_size
    assert "12 positions take about" in made.err
    examples = read_examples(folder)
    assert len(examples) == 12
    assert examples.positions.stacks.max() <= 1.0
    more = errai("nets", "generate", "river", "--positions", "15", "--out", folder, "--seed", "4", *shallow)
    assert "15, of which 3 are new" in more.out
    err = errai("nets", "generate", "river", "--positions", "15", "--out", folder, "--seed", "5", *shallow).refusal()
    assert "another recipe" in err


def test_bets_and_accuracies_are_those_of_the_request(errai, tmp_path):
    small = ("nets", "generate", "river", "--positions", "3", "--shares", "1,0,0,0,0", "--quiet", "--json")
    loose = errai(
        *small, "--menu", "50%, a | a", "--accuracies", "0.3,0.5,1.2,2", "--out", tmp_path / "loose"
    ).document()
    assert loose["recipe"]["menu"] == "50%, a | a"
    assert [accuracy for _, accuracy in loose["recipe"]["accuracies"]] == pytest.approx([0.003, 0.005, 0.012, 0.02])
    errai(*small, "--out", tmp_path / "usual").document()
    one, other = (read_examples(tmp_path / name) for name in ("loose", "usual"))
    assert (one.positions.ranges == other.positions.ranges).all()
    assert not (one.values == other.values).all()


def test_deepstacks_pots_and_time(errai, tmp_path):
    made = errai(
        "nets", "generate", "river", "--hours", "0.0001", "--out", tmp_path, "--shares", "deepstack", "--progress"
    )
    assert made.code == 0
    assert "pot " in made.out
    assert "positions (" in made.err


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ((), "--positions N, --hours H"),
        (("--positions", "1", "--shares", "1,2"), "takes 5 numbers"),
        (("--positions", "1", "--shares", "a,b,c,d,e"), "takes 5 numbers"),
        (("--positions", "1", "--shares", "0,0,0,0,0"), "takes 5 numbers"),
        (("--positions", "1", "--accuracies", "0.2,0.3,0.8"), "takes 4 per cents"),
        (("--positions", "1", "--accuracies", "0.2,0.3,0.8,0"), "above 0"),
        (("--positions", "1", "--menu", "50%, 2"), "has no unit"),
    ],
)
def test_wrong_requests_are_sentences(errai, tmp_path, extra, message):
    refused = errai("nets", "generate", "turn", "--out", tmp_path / "x", *extra)
    assert refused.code in (1, 2)
    assert message in refused.err
    assert not (tmp_path / "x").exists()


def test_positions_about_which_the_network_is_asked(errai, tmp_path, monkeypatch):
    monkeypatch.setattr("errai.nets.examples.asked.ITERATIONS", (2, 3))
    asked = ("--met-in-play", "--shares", "1,0,0,0,0", "--positions", "2", "--json", "--quiet")
    document = errai("nets", "generate", "turn", "--out", tmp_path / "turn", *asked).document()
    assert (document["positions"], document["recipe"]["source"], document["recipe"]["asked"]) == (2, "asked", "turn")
    refused = errai("nets", "generate", "preflop", "--out", tmp_path / "x", *asked)
    assert "drawn at random" in refused.err
    assert "not allowed with" in errai("nets", "generate", "turn", "--play", "--out", tmp_path / "x", *asked).err


def test_an_auxiliary_network_from_positions_to_play(errai, tmp_path, monkeypatch):
    """Over check-down values of all flops, which take long to prepare and are replaced by some."""
    pytest.importorskip("torch")
    from errai.nets.below import leaves

    few = leaves.NetLeafValues._following
    monkeypatch.setattr(
        leaves.NetLeafValues,
        "_following",
        lambda self, known, cards, weights: few(self, known, cards[::300], weights[::300] * 292.5),
    )
    made = ("--net", "check-down", "--positions", "40", "--out", tmp_path / "first", "--processes", "2", "--json")
    document = errai("nets", "generate", "preflop", *made).document()
    assert document["positions"] == 40
    net = tmp_path / "mine.net"
    settings = ("--set", "layers=1", "--set", "width=8", "--epochs", "1", "--json")
    document = errai("nets", "train", "preflop", "--data", tmp_path / "first", "--out", net, *settings).document()
    assert document["architecture"] == "ordered"
    solved = errai("preflop", "--stack", "20", "--menu", "2.5x, a", "--net", net, "--max-iterations", "5", "--json")
    assert solved.document()["iterations"] == 5
