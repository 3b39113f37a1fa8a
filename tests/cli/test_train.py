"""``errai train`` from the command line."""

from __future__ import annotations

import json

import pytest

from errai.cli.main import main
from errai.solvers.bucketed.blueprint import load_blueprint


def test_a_blueprint_is_trained_saved_and_measured(tmp_path, capsys):
    path = tmp_path / "leduc.errai"
    arguments = ["train", "leduc", "--abstraction", "by-strength:3", "--iterations", "30", "--threads", "1"]
    assert main([*arguments, "--json", "-o", str(path)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["method"] == "pcs"
    assert document["iterations"] == 30
    assert document["buckets"] == [3, 3]
    assert document["bytes"] == path.stat().st_size
    assert document["measured_at"] == 27
    assert load_blueprint(path).facts["seed"] == 0
    assert main(["best-response", "leduc", "--strategy", str(path), "--threads", "1", "--json"]) == 0
    response = json.loads(capsys.readouterr().out)
    assert response["exact"] is True
    assert 0 < response["exploitability"]["chips"] < 2.4


def test_checkpoints_go_on(tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("one.errai", "run.errai")]
    arguments = ["train", "leduc", "--abstraction", "identity", "--method", "es", "--threads", "1", "-o", files[0]]
    assert main([*arguments, "--iterations", "5", "--checkpoint", files[1]]) == 0
    assert main([*arguments, "--iterations", "9", "--checkpoint", files[1]]) == 1
    assert main([*arguments, "--iterations", "9", "--checkpoint", files[1], "--resume"]) == 0
    assert "9 iterations" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ([], "how long"),
        (["--hours", "1", "--seconds", "3"], "not both"),
        (["--iterations", "3", "--abstraction", "nowhere"], "no abstraction"),
    ],
)
def test_wrong_requests_are_sentences(tmp_path, capsys, extra, message):
    arguments = ["train", "leduc", "--abstraction", "identity", "-o", str(tmp_path / "x.errai"), *extra]
    assert main(arguments) in (1, 2)
    assert message in capsys.readouterr().err
