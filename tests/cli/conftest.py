"""Solutions that the tests of the command line use; each is solved once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from small_subjects import RIVER

from errai.cli import output
from errai.cli.main import main

SHORT = """
# errai: title = Two rounds from ten to ace
GAMEDEF
limit
numPlayers = 2
numRounds = 2
blind = 10 5
raiseSize = 10 10
firstPlayer = 2 1
maxRaises = 2 1
numSuits = 4
numRanks = 5
numHoleCards = 2
numBoardCards = 0 3
END GAMEDEF
"""

TURN = RIVER.replace("A small river", "A small turn").replace(" 3s", "")


class Run(NamedTuple):
    """The outcome of one command."""

    code: int
    out: str
    err: str

    def printed(self) -> str:
        """What a command printed that did what it was asked."""
        assert self.code == 0, self.err
        return self.out

    def document(self, code: int = 0) -> Any:
        """The JSON that a command printed."""
        assert self.code == code, self.err
        return json.loads(self.out)

    def refusal(self, code: int = 1) -> str:
        """What a command said that did not do all it was asked; only one that stopped short prints something."""
        assert self.code == code, self.err
        assert code == output.SHORT or not self.out
        return self.err


@pytest.fixture
def errai(capsys, monkeypatch):
    """Run the command in this process; lines have the default width."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments) -> Run:
        code = main([str(argument) for argument in arguments])
        found = Run(code, *capsys.readouterr())
        assert "Traceback" not in found.err
        return found

    return run


@pytest.fixture(scope="session")
def folder(tmp_path_factory) -> Path:
    """A folder with spots and the solutions of leduc, kuhn, a turn, and a few iterations of a short deck."""
    path = tmp_path_factory.mktemp("solutions")
    (path / "short.game").write_text(SHORT)
    (path / "river.toml").write_text(RIVER)
    (path / "turn.toml").write_text(TURN)
    for subject, name in (("kuhn", "kuhn"), ("leduc", "leduc"), (str(path / "turn.toml"), "turn")):
        assert main(["solve", subject, "-o", str(path / f"{name}.errai"), "--quiet", "--threads", "1"]) == 0
    short = ["solve", str(path / "short.game"), "-o", str(path / "short.errai"), "--max-iterations", "10"]
    assert main([*short, "--quiet", "--threads", "1"]) == 0
    return path
