"""``errai lbr``: its output, and what it refuses."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from errai.cli.main import build_parser
from errai.errors import InputError, MatchError, UnknownGameError


def _run(*words: str) -> int:
    options = build_parser("lbr").parse_args(["lbr", *words])
    return int(options.run(options))


def test_the_result_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--hands", "16", "--of-a-board", "2", "--bets-asked", "4", "--json"]
    assert _run("always-fold", "--game", "holdem.limit.2p", *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["won"]["mbb"] == pytest.approx(100.0 * found["won"]["chips"])
    assert found["interval"]["low"]["mbb"] == pytest.approx(750.0)
    assert [seat["mean"] for seat in found["by_seat_chips"]] == pytest.approx([5.0, 10.0])
    assert (found["setting"], found["status"], found["hands"]) == ("limit", "done", {"done": 16, "wanted": 16})
    assert found["kind"] == "estimate of a lower bound"


def test_the_result_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("uniform", "--game", "leduc", "--hands", "50", "--seed", "3", "--progress") == 0
    first = capsys.readouterr()
    assert "leduc: local best response to uniform" in first.out
    assert "95 % interval" in first.out
    assert "at least" in first.out
    assert "of 50 hands" in first.err
    assert _run("uniform", "--game", "leduc", "--hands", "50", "--quiet") == 0
    assert capsys.readouterr().out == ""


def test_every_deal_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("always-call", "--game", "leduc", "--exact", "--json") == 0
    assert json.loads(capsys.readouterr().out)["won"]["chips"] == pytest.approx(22 / 15)
    assert _run("always-call", "--game", "leduc", "--exact") == 0
    assert "1466.7 mbb/g" in capsys.readouterr().out


def test_the_settings(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--settings") == 0
    assert "2r56bets" in capsys.readouterr().out
    assert _run("--settings", "--json") == 0
    names = [entry["name"] for entry in json.loads(capsys.readouterr().out)["settings"]]
    assert names[:4] == ["fc4", "fcpa", "56bets", "2r56bets"]


def test_an_interrupted_run_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from errai.arena.lbr import measure

    played = []

    def play(*arguments: object) -> float:
        played.append(arguments)
        if len(played) == 21:
            signal.raise_signal(signal.SIGINT)
        return 1.0

    monkeypatch.setattr(measure, "play_seat", play)
    assert _run("uniform", "--game", "leduc", "--hands", "100") == 3
    output = capsys.readouterr()
    assert "Interrupted after 22 of 100 hands; --checkpoint FILE would have saved them" in output.err
    assert "1000.0 mbb/g" in output.out


def test_a_measurement_goes_on_from_its_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from errai.arena.lbr import measure

    words = ["uniform", "--game", "leduc", "--hands", "100", "--seed", "3"]
    checkpoint = ["--checkpoint", str(tmp_path / "deals")]
    played = []

    def play(*arguments: object) -> float:
        played.append(arguments)
        if len(played) == 21:
            signal.raise_signal(signal.SIGINT)
        return measured(*arguments)

    measured = measure.play_seat
    monkeypatch.setattr(measure, "play_seat", play)
    assert _run(*words, *checkpoint) == 3
    assert "Interrupted after 22 of 100 hands; --resume continues from there" in capsys.readouterr().err
    with pytest.raises(InputError, match="add --resume"):
        _run(*words, *checkpoint)
    assert _run(*words, *checkpoint, "--resume", "--json") == 0
    assert len(played) == 100
    resumed = json.loads(capsys.readouterr().out)
    assert _run(*words, "--json") == 0
    whole = json.loads(capsys.readouterr().out)
    for document in (resumed, whole):
        del document["seconds"], document["hands_per_second"]
    assert resumed == whole


def test_what_is_refused() -> None:
    with pytest.raises(MatchError, match="Name the agent"):
        _run()
    with pytest.raises(MatchError, match="no setting"):
        _run("uniform", "--setting", "bold")
    with pytest.raises(UnknownGameError):
        _run("uniform", "--game", "nowhere")
    with pytest.raises(InputError, match="--resume needs --checkpoint"):
        _run("uniform", "--game", "leduc", "--resume")
    with pytest.raises(InputError, match="leave --checkpoint and --resume out"):
        _run("uniform", "--game", "leduc", "--exact", "--checkpoint", "deals")
