"""The tutorial as its readers use it: its Python is run, its shell lines are parsed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from errai.cli.main import build_parser

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TUTORIAL, re.DOTALL | re.MULTILINE)


def test_the_python_runs_in_order(tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "tutorial"}
    python = blocks("python")
    assert len(python) >= 8
    for block in python:
        line = TUTORIAL[: TUTORIAL.index(block)].count("\n")
        exec(compile("\n" * line + block, "docs/tutorial.md", "exec"), names)
    assert "target met" in capsys.readouterr().out


COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("errai ")]


@pytest.mark.parametrize("line", COMMANDS)
def test_the_shell_lines_are_understood(line):
    options = build_parser().parse_args(shlex.split(line)[1:])
    assert callable(options.run)
    for word in shlex.split(line):
        if word.startswith("examples/"):
            assert (ROOT / word).is_file()


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TUTORIAL):
        assert (ROOT / "docs" / target).is_file(), target
