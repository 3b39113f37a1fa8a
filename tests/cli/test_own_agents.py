"""Users' agents on the command line: found in the current folder, with errors that name file and line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BOTS = """\
import numpy as np

from errai.agents.agent import Agent, StrategicAgent
from errai.games.hand import CALL, FOLD, raise_to
from errai.strategies.strategy import Choices, live_hands


class Calls:
    def act(self, observation):
        return CALL


class Fails:
    def act(self, observation):
        return {}["no such key"]  # line 15


class Made:
    def __init__(self, game):
        game.nothing()  # line 20


class Answers:
    def act(self, observation):  # line 24
        return "call"


class Cheats:
    def act(self, observation):
        return raise_to(10_000)


class Says:
    def strategy(self, state):
        return Choices((CALL,), live_hands(state)[:, None].astype(float))


class SaysNothing(StrategicAgent):
    def strategy(self, state):
        return np.ones(3).reshape(2, 2)  # line 40


class SaysWrong:
    shape = (6, 1)

    def strategy(self, state):  # line 46
        return Choices((CALL,), np.full(self.shape, 0.5))


class SaysShort(SaysWrong):
    shape = (3, 1)


class Folds:
    def strategy(self, state):
        return Choices((FOLD,), np.ones((6, 1)))


class Starts(Agent):
    def start_match(self, start):
        raise OSError("no model")  # line 61

    def act(self, observation):
        return CALL
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with agents that are not on Python's path."""
    for name, text in (
        ("my_bots.py", BOTS),
        ("broken_bots.py", "import math\nclass Half(\n"),
        ("failing_bots.py", "import math\n\nmath.nothing\n"),
    ):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.endswith("_bots"):
            del sys.modules[name]


def test_a_class_in_the_current_folder_plays_and_is_measured(errai) -> None:
    arguments = ("match", "python:my_bots:Calls", "always-call", "--game", "leduc", "--hands", "20", "--json")
    assert errai(*arguments).document()["hands"] == 20
    mine, known = (
        errai("lbr", name, "--game", "leduc", "--exact", "--json").document()
        for name in ("python:my_bots:Says", "always-call")
    )
    assert mine["by_seat_chips"] == known["by_seat_chips"]


@pytest.mark.parametrize(
    ("agent", "code", "message"),
    [
        ("my_bots:Nobody", 2, "The module 'my_bots' (my_bots.py) has nothing called 'Nobody'"),
        ("no_bots:Nobody", 2, "No module named 'no_bots'"),
        ("broken_bots:Half", 2, "SyntaxError: '(' was never closed (broken_bots.py, line 2)"),
        ("failing_bots:Half", 2, "module 'math' has no attribute 'nothing' (failing_bots.py, line 3)"),
        ("my_bots:Made", 2, "AttributeError: 'Game' object has no attribute 'nothing' (my_bots.py, line 20)"),
        ("my_bots:BOTS", 2, "has nothing called 'BOTS'"),
        ("my_bots:np", 2, "has no method act(observation) and no strategy(state)"),
        ("my_bots:Starts", 1, "python:my_bots:Starts: OSError: no model (my_bots.py, line 61)"),
        ("my_bots:Fails", 1, "python:my_bots:Fails, hand 0: KeyError: 'no such key' (my_bots.py, line 15)"),
        ("my_bots:Answers", 1, "python:my_bots:Answers, hand 0: 'call' is no Action (my_bots.py, line 24)"),
        ("my_bots:Cheats", 1, "python:my_bots:Cheats, hand 0: "),
        (
            "my_bots:SaysNothing",
            1,
            "hand 0: ValueError: cannot reshape array of size 3 into shape (2,2) (my_bots.py, ",
        ),
    ],
)
def test_match_says_whose_line_failed(errai, agent: str, code: int, message: str) -> None:
    run = errai("match", f"python:{agent}", "always-call", "--game", "leduc", "--hands", "20")
    assert run.code == code
    assert message in run.err


@pytest.mark.parametrize("how", [(), ("--exact",)])
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("SaysNothing", "ValueError: cannot reshape array of size 3"),
        ("SaysNothing", "(my_bots.py, line 40)"),
        ("SaysWrong", "python:my_bots:SaysWrong (my_bots.py, line 46): "),
        ("SaysWrong", "sum to 0.5 for Qh, not to 1"),
        ("SaysShort", "have the shape (3, 1), not (6, 1)"),
        ("Folds", "returned an action that is not allowed"),
        ("Starts", "python:my_bots:Starts"),
    ],
)
def test_lbr_prints_no_traceback(errai, agent: str, message: str, how: tuple[str, ...]) -> None:
    code, _, err = errai("lbr", f"python:my_bots:{agent}", "--game", "leduc", *(how or ("--hands", "20")))
    assert code in (1, 2)
    assert err.startswith("errai: ")
    assert message in err


def test_aivat_says_whose_line_failed(errai) -> None:
    arguments = ("match", "always-call", "python:my_bots:SaysWrong", "--game", "leduc", "--hands", "20", "--aivat")
    run = errai(*arguments)
    assert run.code == 1
    assert "(my_bots.py, line 46)" in run.err


def test_play_says_whose_line_failed(errai, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: "k")
    where = ("--session", str(folder / "s.json"))
    code, _, err = errai("play", "leduc", "--against", "python:my_bots:Fails", "--hands", "1", *where)
    assert code == 1
    assert "KeyError: 'no such key' (my_bots.py, line 15)" in err


def test_the_current_folder_comes_after_all_libraries(folder: Path, errai) -> None:
    (folder / "numpy.py").write_text("raise SystemExit(0)\n")
    (folder / "leaving_bots.py").write_text("raise SystemExit(0)\n")
    assert errai("match", "python:my_bots:Calls", "always-call", "--game", "leduc", "--hands", "2").code == 0
    assert sys.path[-1] == str(folder)
    run = errai("match", "python:leaving_bots:Bot", "always-call", "--game", "leduc", "--hands", "2")
    assert "SystemExit: 0 (leaving_bots.py, line 1)" in run.refusal(2)
