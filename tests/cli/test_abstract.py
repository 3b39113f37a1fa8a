"""``errai abstract``."""

from __future__ import annotations

import json
import signal

import pytest

from errai.abstraction import building
from errai.abstraction.file import load_abstraction


@pytest.fixture
def royal(errai, tmp_path):
    folder = tmp_path / "cards"
    options = ("--flop", 8, "--turn", "3x2", "--river", 5, "--features", "flop=histogram,turn=nested,river=ochs")
    run = errai("abstract", "royal.limit", *options, "--sample-boards", 40, "--threads", 2, "-o", folder)
    assert run.code == 0
    return folder, run


def test_making_one(royal) -> None:
    folder, run = royal
    assert "preflop  25 buckets" in run.out
    assert "flop     8 buckets" in run.out
    assert "recall   imperfect" in run.out
    assert run.err.startswith("About ")
    assert "GB of memory" in run.err
    abstraction = load_abstraction(folder)
    assert [abstraction.num_buckets(i) for i in range(4)] == [25, 8, 6, 5]
    kinds = [each["features"] for each in abstraction.describe()["plan"]["rounds"]]
    assert kinds[1:] == ["histogram", "nested", "ochs"]
    kept = {path.name for path in (folder / "features").iterdir()}
    # Opponents' hands are clustered by their histograms before the flop.
    assert kept == {"preflop-50-bins.cards", "flop-50-bins.cards", "turn-moments.cards"}


def test_json_and_quiet(errai, tmp_path) -> None:
    options = ("--preflop", 2, "--flop", 3, "--recall", "perfect", "--seed", 4, "-o", tmp_path / "a")
    run = errai("abstract", "leduc", *options, "--json", "--quiet")
    assert run.code == 0
    assert run.err == ""
    document = json.loads(run.out)
    assert document["status"] == "done"
    assert document["game"] == "leduc"
    assert document["recall"] == "perfect"
    assert document["buckets"]["preflop"] == 2
    assert document["plan"]["seed"] == 4
    assert document["file_bytes"] == (tmp_path / "a" / "abstraction.cards").stat().st_size
    run = errai("abstract", "leduc", *options, "--progress")
    assert "buckets" in run.out


def test_showing(errai, royal) -> None:
    folder, _ = royal
    assert "8 buckets" in errai("abstract", "--show", folder).out
    document = json.loads(errai("abstract", "--show", folder / "abstraction.cards", "--json").out)
    assert document["buckets"] == {"preflop": 25, "flop": 8, "turn": 6, "river": 5}
    whole = json.loads(errai("abstract", "--show", folder, "--round", "flop", "--json").out)
    assert whole["exact"] is True
    assert sum(whole["share"]) == pytest.approx(1.0)
    assert whole["ehs"] == sorted(whole["ehs"])
    one = json.loads(errai("abstract", "--show", folder, "--round", "flop", "--bucket", 7, "--json").out)
    assert one["share"] == pytest.approx(whole["share"][7])
    assert one["examples"]
    strengths = [example["ehs"] for example in one["examples"]]
    assert strengths == sorted(strengths, reverse=True)
    text = errai("abstract", "--show", folder, "--round", "flop", "--bucket", 7).out
    assert "flop, bucket 7" in text
    assert one["examples"][0]["hand"] in text
    assert "times the mean" in errai("abstract", "--show", folder, "--round", "river").out


def test_pictures(errai, royal, tmp_path) -> None:
    folder, _ = royal
    run = errai("abstract", "--show", folder, "--round", "turn", "-o", tmp_path / "turn.svg")
    assert "Wrote" in run.err
    drawn = (tmp_path / "turn.svg").read_text()
    assert "royal.limit: turn" in drawn
    assert "AKs" in drawn
    errai("abstract", "--show", folder, "--round", "turn", "--bucket", 1, "-o", tmp_path / "one.png")
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_an_interruption(errai, tmp_path, monkeypatch) -> None:
    made = building._Builder._make

    def stop(*arguments: object) -> object:
        signal.raise_signal(signal.SIGINT)
        return made(*arguments)

    options = ("abstract", "leduc", "--preflop", 2, "--flop", 2, "-o", tmp_path / "a")
    with monkeypatch.context() as patch:
        patch.setattr(building._Builder, "_make", stop)
        run = errai(*options, "--json")
        assert run.code == 3
        assert json.loads(run.out)["status"] == "interrupted"
        assert "to resume" in run.err
    assert errai(*options).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("leduc",), "folder to write"),
        (("holdem.limit.2p", "-o", "x"), "--turn N"),
        (("leduc", "--turn", 3, "-o", "x"), "2 rounds"),
        (("leduc", "--flop", 2, "--features", "strength", "-o", "x"), "choose one of ehs"),
        (("leduc", "--flop", 2, "--features", "river=ehs", "-o", "x"), "preflop, flop"),
        (("leduc", "--flop", 2, "--distance", "emd", "-o", "x"), "only to histogram and potential"),
        (
            ("leduc", "--flop", 2, "--features", "nested", "--method", "kmeans", "--flop", "2x2", "-o", "x"),
            "percentile",
        ),
        (("leduc", "--opponents", 9, "-o", "x"), "1 to 8"),
        (("--show", "nowhere"), "does not exist"),
    ],
)
def test_what_is_refused(errai, tmp_path, monkeypatch, arguments, message) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in errai("abstract", *arguments).refusal()
    assert list(tmp_path.iterdir()) == []


def test_showing_what_is_not_there(errai, royal, tmp_path) -> None:
    folder, _ = royal
    for arguments, message in (
        (("--bucket", 3), "needs --round"),
        (("--round", "street"), "no round 'street'"),
        (("--round", "flop", "--bucket", 8), "no bucket 8"),
        (("--round", "flop", "-o", tmp_path / "a.txt"), ".png or .svg"),
    ):
        assert message in errai("abstract", "--show", folder, *arguments).refusal()
    assert errai("abstract", "leduc", "--flop", "0", "-o", tmp_path / "a").code == 2
    (tmp_path / "file").write_text("")
    assert errai("abstract", "leduc", "-o", tmp_path / "file").code == 1


def test_comparing_two_hands(errai) -> None:
    """Ganzfried and Sandholm (2014) have the distance of these two."""
    hands = ("abstract", "holdem.limit.2p", "--compare", "TcQd", "5c9d", "--features", "histogram")
    document = errai(*hands, "--board", "7h9hQh / 3d5d7d", "--json").document()
    assert document["distance"] == pytest.approx(0.559, abs=5e-4)
    assert document["boards"] == ["7h9hQh", "3d5d7d"]
    assert len(document["first"]) == len(document["second"]) == 50
    text = errai("abstract", "holdem.limit.2p", "--compare", "AhKd", "QsQc", "--board", "7h9h2d").out
    assert "AhKd on 7h9h2d" in text
    assert "E[HS²]" in text
    assert errai(*hands, "--board", "7h9hQh / 3d5d7d / 2c2d2h").code != 0
    assert errai("abstract", "--compare", "TcQd", "5c9d").code != 0
    assert errai("abstract", "leduc", "--board", "Ks", "-o", "x").code != 0
