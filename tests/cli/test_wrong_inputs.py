"""Wrong inputs as people give them: each is refused before work, by a sentence that says what is wrong, and nothing is
written."""

from __future__ import annotations

import json
import shutil
import sys
from io import StringIO
from pathlib import Path

import pytest

CHARTS = '[[chart]]\nraises = 1\nraiser = "BB"\n[chart.ranges]\nBTN = "AA"\nBB = "KK"\n'
FILES = {
    "empty.errai": "",
    "hands.log": "STATE:1:cc/cc:Ks|Ah/Qs:0|0:Ann|Bob\n",
    "bets.toml": f"bets = 5\n{CHARTS}",
    "raiser.toml": CHARTS.replace('"BB"', '["BB"]', 1),
    "number.toml": CHARTS.replace('"KK"', "5"),
    "nothing.toml": CHARTS.replace('"AA"', '""'),
    "charts.toml": CHARTS,
    "bell.toml": 'title = "a\\u0007"\n',
}


@pytest.fixture
def place(folder, tmp_path, monkeypatch):
    """The working folder, with solutions, a spot and faulty files."""
    for name in ("turn.errai", "turn.toml"):
        shutil.copy(folder / name, tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "code", "wanted"),
    [
        # Files: nothing, what the command reads itself, no plain file, a name of no picture.
        (["show", ""], 1, "An argument is an empty text"),
        (["show", "empty.errai"], 1, "empty.errai is empty. Copy the file again"),
        (["verify", "turn.errai", "--threads", "99999999999"], 2, "'99999999999' is too many; at most 4,096"),
        (["export", "turn.errai", "--to", ""], 1, ". is a directory; give the name of a file"),
        (["exploit", "turn.errai", "--lock", ""], 1, "'' cannot be read: it is a folder"),
        (["solve", "turn.toml", "-o", "turn.toml"], 1, "turn.toml is what the command reads already"),
        (["lock", "turn.errai", "--never", "bet", "-o", "./turn.errai"], 1, "reads already; give another file"),
        (["histories", "convert", "hands.log", "-o", "hands.log"], 1, "hands.log is what the command reads already"),
        (["solve", "turn.toml", "-o", "/dev/full"], 1, "/dev/full is not a plain file"),
        (["solve", "kuhn", "-o", "turn.toml"], 1, "'turn.toml' already, no solution or other file of Errai's"),
        (["match", "uniform", "uniform", "--game", "kuhn", "--log", "turn.errai"], 1, "already, a solution"),
        (["solve", "kuhn", "-o", "x", "--checkpoint", "./x"], 1, "Two things are to be written to one file"),
        (["chart", "turn.errai", "-o", "chart.jpg"], 1, "No picture is written as .jpg"),
        # Numbers: below 0, without a unit, in another unit.
        (["solve", "turn.toml", "--target", "-1%pot"], 2, "'-1%pot' is not a target"),
        (["solve", "turn.toml", "--target", "1e400%pot"], 2, "must be a finite number above 0"),
        (["solve", "kuhn", "--target", "1e-300mbb"], 2, "finer than sums of numbers are exact"),
        (["solve", "turn.toml", "--memory", "4"], 2, "'4' is not an amount of memory"),
        (["show", "turn.errai", "--equity", "0.2:0.9"], 2, "'0.2:0.9' is not an interval of equities in per cent"),
        (["show", "turn.errai", "--equity", "-5:10"], 2, "'-5:10' is not an interval of equities"),
        (["show", "turn.errai", "--equity", ":"], 2, "':' is not an interval of equities"),
        (["preflop", "--stack", "-5bb"], 2, "'-5bb' is not a stack"),
        (["preflop", "--stack", "1.001"], 1, "A stack must be more than 1"),
        (["resolve", "turn.errai", "check", "--target", "1mbb"], 2, "in big blinds, but the spot names none"),
        (["chart", "blueprint-nl", "--values"], 1, "the tree that follows has"),
        # Options that contradict each other, or have no effect.
        (["show", "turn.errai", "--lines", "--curve"], 2, "not allowed with argument --lines"),
        (["show", "turn.errai", "--lines", "--svg", "x.svg"], 1, "is a table and no picture; leave --svg out"),
        (["show", "turn.errai", "bet", "--curve"], 1, "leave the line 'bet' out"),
        (["show", "turn.errai", "--curve", "--hand", "QQ"], 1, "leave --hand out"),
        (["show", "turn.errai", "--categories", "--hand", "QQ"], 1, "leave --hand out"),
        (["tree", "turn.errai", "--menu", "50%"], 1, "turn.errai has its own bet sizes; leave --menu out"),
        (["solved", "--exploitability", "1", "--hours-per-day", "25"], 2, "A day has 24 hours, not 25"),
        (["dealer", "leduc", "--ports", "²,³"], 2, "'²,³' are not two ports"),
        (["verify", "turn.errai", "--memory", "1GiB", "--cluster", "x"], 1, "leave --memory and --cluster out"),
        (["estimate", "turn.toml", "--fit", "1GiB", "--menu", "50%"], 1, "leave --menu out"),
        (["solve", "bell.toml"], 1, "bell.toml, line 1: 'title' must be one line without control characters"),
        # Lines and cards.
        (["preflop", "--stack", "10bb", "--line", "jump"], 1, "'jump' is not possible"),
        (["preflop", "--stack", "10bb", "--line", "fold"], 1, "No player acts after 'fold'"),
        (["export", "turn.errai", "--to", "x.csv", "--board", "zz"], 1, "'zz', column 1"),
        (["export", "turn.errai", "--to", "x.csv", "--board", "7s6s"], 1, "7s6s is no board"),
        # Files of charts.
        (["review", "hands.log", "--charts", "bets.toml", "--library", "x"], 1, "and [bets] or nothing else"),
        (["review", "hands.log", "--charts", "raiser.toml", "--library", "x"], 1, "raiser is the position"),
        (
            ["review", "hands.log", "--charts", "number.toml", "--library", "x"],
            1,
            "a text in quotes was expected",
        ),
        (["review", "hands.log", "--charts", "nothing.toml", "--library", "x"], 1, "range of BTN: it has no hand"),
        (
            ["review", "hands.log", "--charts", "turn.errai", "--library", "x"],
            1,
            "of charts is not UTF-8 text",
        ),
        (["review", "hands.log", "--charts", "charts.toml", "--library", "x", "--target", "1"], 2, "names no unit"),
        (["review", "hands.log", "--against", "turn.errai"], 3, "--game names another"),
    ],
)
def test_it_is_refused(errai, place, command, code, wanted):
    before = {path.name: path.read_bytes() for path in place.iterdir()}
    assert wanted in errai(*command).refusal(code)
    assert {path.name: path.read_bytes() for path in place.iterdir()} == before


def test_names_in_files_are_no_orders_to_the_terminal(errai, place):
    hand = (Path(__file__).parents[2] / "examples/hands.phh").read_text().replace('"Ann"', '"A\\u001b[2J"')
    (place / "hand.phh").write_text(hand)
    assert "A?[2J: As Ts" in errai("histories", "show", "hand.phh").printed()
    refused = errai("review", "hand.phh", "--against", "blueprint-nl", "--player", "x").refusal()
    assert "the players are A?[2J, Bob" in refused


def test_a_text_may_be_the_name_of_the_input(errai, place):
    errai("solve", "turn.toml", "--label", "turn.toml", "--max-iterations", "1", "--quiet").printed()


def test_a_column_is_looked_for_before_the_cards_are_evaluated(errai, place, monkeypatch):
    monkeypatch.setattr("errai.solutions.run_outs.pair_weight", None)
    assert "no column 'fly'" in errai("runouts", "turn.errai", "check check", "--sort", "fly").refusal()


def test_a_place_that_cannot_be_written_is_found_before_work(errai, place, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    for command in (
        ["solve", "turn.toml", "-o", "x.errai"],
        ["export", "turn.errai", "--to", "x.csv"],
        ["preflop", "--stack", "10bb", "-o", "charts/"],
    ):
        assert "permission denied" in errai(*command).refusal()


@pytest.mark.parametrize(
    ("request_", "wanted"),
    [
        ({"file": "turn.errai", "target": "1%pot"}, "read and not solved; leave target out"),
        ({"file": "turn.toml", "report_every": float("nan")}, "report_every is nan"),
        ({"file": "turn.toml", "cancel": "2"}, "names a file, or gives a spot, or cancels"),
        ({"file": "turn.toml", "lines": ["check check / 7s / jump"]}, "'jump' is not possible"),
    ],
)
def test_requests_to_analyse(errai, place, monkeypatch, request_, wanted):
    monkeypatch.setattr(sys, "stdin", StringIO(json.dumps({"id": "1", **request_}) + "\n"))
    assert wanted in json.loads(errai("analyse").printed())["error"]["message"]


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("load_tree", "'load_tree' takes 1 or more arguments here"),
        ("dump_tree", "'dump_tree' takes 1 or more arguments here"),
        ("set_accuracy 0", "'0' is not a number above 0"),
        ("go -1", "'-1' is not a number above 0"),
        (f"set_strategy r:0 {'7 ' * 3978}", "a strategy has numbers from 0 to 1"),
        ("set_range OOP 1 0 1", "a range has the weights of 1,326 hands, not of 3"),
    ],
)
def test_commands_of_upi(errai, place, monkeypatch, command, wanted):
    monkeypatch.setattr(sys, "stdin", StringIO(f"{command}\nshow_version\n"))
    shown = errai("upi", "turn.errai").printed().splitlines()
    assert shown[0] == f"ERROR: {wanted}"
    assert len(shown) == 2, "the next command is answered"


def test_what_took_long_is_not_written_over(place: Path, errai) -> None:
    """A checkpoint by a solution, the folder of a run by other files, a page's name by a folder."""
    assert errai("solve", "turn.toml", "--max-iterations", "3", "--checkpoint", "state.errai", "--quiet").code == 0
    before = (place / "state.errai").read_bytes()
    assert "There is a checkpoint 'state.errai'" in errai("solve", "turn.toml", "-o", "state.errai").refusal()
    assert (place / "state.errai").read_bytes() == before
    assert errai("solve", "turn.toml", "--max-iterations", "3", "--store", "run", "--quiet").code == 0
    before = sorted(path.name for path in (place / "run").iterdir())
    review = ("review", "hands.log", "--charts", "charts.toml", "--library", "run")
    assert "run holds a run of `errai solve --store`" in errai(*review).refusal()
    assert sorted(path.name for path in (place / "run").iterdir()) == before
    (place / "flop.toml").write_text((place / "turn.toml").read_text())
    (place / "report" / "report.html").mkdir(parents=True)
    assert "report.html is a folder" in errai("report", "flop.toml", "--flops", "25", "-o", "report").refusal()
