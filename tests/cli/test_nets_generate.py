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
    ],
)
def test_wrong_requests_are_sentences(errai, tmp_path, extra, message):
    refused = errai("nets", "generate", "turn", "--out", tmp_path / "x", *extra)
    assert refused.code in (1, 2)
    assert message in refused.err
    assert not (tmp_path / "x").exists()
