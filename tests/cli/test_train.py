"""``errai train`` from the command line."""

from __future__ import annotations

import signal

import pytest
from small_subjects import subject

from errai.blueprints.blueprint import load_blueprint
from errai.blueprints.train import train
from errai.cli.output import SHORT
from errai.games.catalogue import load_game
from errai.responses.response import best_response
from errai.responses.work import ResponseTask


def test_a_blueprint_is_trained_saved_and_measured(tmp_path, errai):
    path = tmp_path / "leduc.errai"
    arguments = ["train", "leduc", "--abstraction", "by-strength:3", "--iterations", "30", "--threads", "1"]
    document = errai(*arguments, "--json", "-o", path).document()
    assert document["method"] == "pcs"
    assert document["iterations"] == 30
    assert document["buckets"] == [3, 3]
    assert document["bytes"] == path.stat().st_size
    assert document["measured_at"] == 27
    assert load_blueprint(path).facts["seed"] == 0
    run = errai("best-response", "leduc", "--strategy", f"blueprint:{path}", "--processes", "1", "--json")
    response = run.document()
    assert response["exact"] is True
    assert 0 < response["exploitability"]["chips"] < 2.4


def test_checkpoints_go_on(tmp_path, errai):
    files = [str(tmp_path / name) for name in ("one.errai", "run.errai")]
    arguments = ["train", "leduc", "--abstraction", "identity", "--method", "es", "--threads", "1", "-o", files[0]]
    assert errai(*arguments, "--iterations", "5", "--checkpoint", files[1]).code == 0
    assert errai(*arguments, "--iterations", "9", "--checkpoint", files[1]).code == 1
    assert "9 iterations" in errai(*arguments, "--iterations", "9", "--checkpoint", files[1], "--resume").printed()


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ([], "how long"),
        (["--hours", "1", "--seconds", "3"], "not allowed with"),
        (["--iterations", "3", "--abstraction", "nowhere"], "no abstraction"),
    ],
)
def test_wrong_requests_are_sentences(tmp_path, errai, extra, message):
    arguments = ["train", "leduc", "--abstraction", "identity", "-o", str(tmp_path / "x.errai"), *extra]
    run = errai(*arguments)
    assert run.code in (1, 2)
    assert message in run.err


@pytest.fixture
def short_game(tmp_path):
    """Two rounds of hold'em with eight cards, as a file."""
    path = tmp_path / "short.game"
    path.write_text(subject("two-cards-short").to_text())
    return str(path)


def test_flops_measure_on_the_way(short_game, tmp_path, errai, monkeypatch):
    monkeypatch.setattr("errai.cli.train.FIRST_FLOPS_SECONDS", 0.0)
    path = str(tmp_path / "short.errai")
    arguments = ["train", short_game, "--abstraction", "by-strength:3", "--iterations", "12", "--threads", "1"]
    run = errai(*arguments, "--flops", "6", "--processes", "1", "--seed", "2", "--json", "-o", path)
    document = run.document()
    curve = load_blueprint(path).facts["curve"]
    assert curve[0][0] == 8
    assert document["measured_at"] == curve[-1][0]
    game = load_game(short_game)
    again = train(game, "by-strength:3", "pcs", max_iterations=8, threads=1, seed=2, measure=False)
    assert best_response(game, again, flops=6, seed=2).exploitability.chips == curve[0][2]


@pytest.mark.parametrize(
    ("game", "flops", "message"),
    [
        ("short", "0", "--flops"),
        ("short", "-3", "--flops"),
        ("short", "many", "--flops"),
        ("short", "1", "at least 4"),
        ("kuhn", "8", "no flops to draw"),
    ],
)
def test_flops_that_cannot_be_drawn_are_refused_before_training(
    short_game, tmp_path, errai, monkeypatch, game, flops, message
):
    def train_nothing(*arguments, **settings):
        raise AssertionError("training began")

    monkeypatch.setattr("errai.blueprints.train.train", train_nothing)
    arguments = ["train", short_game if game == "short" else game, "--abstraction", "identity"]
    arguments += ["--method", "full", "--iterations", "9", f"--flops={flops}", "-o", str(tmp_path / "x.errai")]
    run = errai(*arguments)
    assert run.code in (1, 2)
    assert message in run.err


def test_one_interruption_ends_a_measurement_and_the_training(short_game, tmp_path, errai, monkeypatch):
    monkeypatch.setattr("errai.cli.train.FIRST_FLOPS_SECONDS", 0.0)
    finished, values = [], ResponseTask.values

    def interrupted_values(self, unit):
        signal.raise_signal(signal.SIGINT)
        finished.append(values(self, unit))

    monkeypatch.setattr(ResponseTask, "values", interrupted_values)
    path = str(tmp_path / "short.errai")
    arguments = ["train", short_game, "--abstraction", "by-strength:3", "--iterations", "1000", "--threads", "1"]
    document = errai(*arguments, "--flops", "6", "--processes", "1", "--json", "-o", path).document(SHORT)
    assert not finished
    assert document["status"] == "interrupted"
    assert document["iterations"] == 8
    assert document["exploitability_chips"] is None
    assert load_blueprint(path).facts["iterations"] == 8


def test_a_strategy_is_improved_by_what_opponents_bet(tmp_path, errai):
    """Two nights, from a log and from a folder; an opponent with other bets wins less after each."""
    base, opponent, logs = tmp_path / "base.errai", tmp_path / "opponent.errai", tmp_path / "histories"
    logs.mkdir()
    errai("solve", "leduc.nolimit", "--target", "1mbb", "-o", base, "--quiet").printed()
    menu = ("--menu", "50%, 100%, a")
    errai("solve", "leduc.nolimit", "--max-iterations", "3", *menu, "-o", opponent, "--quiet").printed()
    played = ("--game", "leduc.nolimit", "--hands", "600", "--log", logs / "night.log", "--quiet")
    errai("match", f"solution:{base}", f"solution:{opponent}", *played).printed()
    better, best = tmp_path / "better.errai", tmp_path / "best.errai"
    train = ("train", "leduc.nolimit", "--threads", "1")
    document = errai(*train, "--improve", base, "--from", logs / "night.log", "-o", better, "--json").document()
    assert document["hands"] == 600
    assert len(document["added"]) == 3
    assert all(bet["total"] in (200, 400, 600) for bet in document["added"])
    assert document["left"]
    printed = errai(*train, "--improve", better, "--from", logs, "--branches", "30", "-o", best).printed()
    assert "none of the bets in these hands" in printed
    measured = ("exploitability", "leduc.nolimit", *menu, "--json", "--agent")
    lost = [
        errai(*measured, agent).document()["exploitability"]["chips"]
        for agent in (f"solution:{base}", f"improved:{better}", f"improved:{best}")
    ]
    assert lost[0] > lost[1] > lost[2]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (("--improve", "blueprint-nl"), "--from PATH"),
        (("--improve", "blueprint-nl", "--from", "nowhere"), "no file nowhere"),
        (("--improve", "nowhere.errai", "--from", "."), "no file"),
        (("--abstraction", "identity", "--branches", "2", "--iterations", "1"), "improve"),
        (("--abstraction", "identity", "--improve", "blueprint-nl"), "not allowed with"),
    ],
)
def test_wrong_improvements_are_sentences(tmp_path, errai, extra, message):
    refused = errai("train", "holdem.nolimit.2p", "-o", tmp_path / "x.errai", *extra)
    assert refused.code in (1, 2)
    assert message in refused.err
    assert not (tmp_path / "x.errai").exists()
