"""Solutions that the tests of the command line use; each is solved once."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_subjects import RIVER

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


class Run:
    """The outcome of one command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def errai(capsys, monkeypatch):
    """Run the command in this process; lines have the default width."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments) -> Run:
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Run(code, out, err)

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
