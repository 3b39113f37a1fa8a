"""The commands of README.md run as they stand, in their order, in a folder that holds nothing but `examples`."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from shell_lines import run

from errai.cli.main import build_parser, main
from errai.engine.leaf_values import Leaves
from errai.games.hand import PublicState

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    for line in block.splitlines()
    if line
]

START = ("git clone <this repository>", "scripts/", "uvx ")
"""The commands that set a machine up: they need a network, and continuous integration runs their parts."""

LONG = (
    "errai match by-strength:20 blueprint",
    "errai export",
    "errai solve examples/flop.toml --net turn",
    "errai solve holdem-2-4",
    "errai query run/",
    "errai exploitability",
    "errai serve",
)
"""Commands that take longer than ten seconds, wait for somebody, or need what such a command leaves."""

SECONDS = 30
"""After these Ctrl-C ends a long command."""


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    yield tmp_path
    shutil.rmtree(tmp_path)  # the files of a flop are large


def test_every_line_is_a_command() -> None:
    """Each is one of `errai` with arguments that it understands, or one that the tests below know."""
    assert len(LINES) > 25
    for line in LINES:
        words = shlex.split(line, comments=True)
        if words[0] == "errai":
            assert callable(build_parser().parse_args(words[1:]).run), line
        else:
            assert line.startswith((*START, "sed ")), line
            assert not line.startswith("scripts/") or os.access(ROOT / words[0], os.X_OK), line
    for start in LONG:
        assert any(line.startswith(start) for line in LINES), start


def test_the_short_commands_run_in_order(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """In this process, and flops with a coarser target; the test below runs them as they stand."""
    monkeypatch.chdir(fresh)
    coarse = 0
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        for line in LINES:
            words = shlex.split(line, comments=True)
            if "flop" in line and words[1] in ("solve", "resolve", "report"):
                words, coarse = [*words, "--target", "5%pot"], coarse + 1
            if line.startswith("sed "):
                assert run(line, fresh, 10) == (0, "")
            elif not line.startswith((*START, *LONG)):
                assert main(words[1:]) == 0, f"{line}: {capsys.readouterr().err}"
    assert coarse >= 4


@pytest.mark.slow
def test_all_commands_run_in_order(fresh: Path) -> None:
    """With Ctrl-C where one takes longer than that, which ends every one of them in order."""
    for line in LINES:
        if not line.startswith(START):
            code, said = run(line, fresh, SECONDS if line.startswith(LONG) else 300)
            without_parquet = ".parquet" in line and "needs pyarrow" in said and find_spec("pyarrow") is None
            assert code in (0, 3) or without_parquet or said.rstrip().endswith("Aborted."), f"{line}: {said}"
            assert "Traceback" not in said, f"{line}: {said}"


def test_the_python_runs(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the two names that stand for a reader's own code."""

    def nothing_more(leaves: Leaves) -> NDArray[np.float64]:
        return np.zeros_like(leaves.reach[0])

    def uniform(state: PublicState, hand: object) -> NDArray[np.float64]:
        return np.full(len(state.legal_actions), 1.0 / len(state.legal_actions))

    monkeypatch.chdir(fresh)
    (block,) = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    names = {"my_values": nothing_more, "my_strategy": uniform}
    exec(compile(block, "README.md", "exec"), names)
