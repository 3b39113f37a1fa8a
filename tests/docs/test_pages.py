"""Pages as their readers use them: their Python is run, their shell lines are parsed, their links lead somewhere.

The lines of the pages for each kind of user, and of the gallery, are run as they stand.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell_lines import run

from errai.cli.main import build_parser, main

ROOT = Path(__file__).parents[2]
PATHS = ("for-players", "for-researchers", "for-bot-authors", "gallery")
"""Pages whose lines are run in their order."""

PAGES = {
    name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("tutorial", "extending", "writing-an-agent", "plugging-in-a-net", "extensive", "comparison", *PATHS)
}

LONG = (
    "errai review examples/session.txt",
    "errai report",
    "errai match by-strength:20 blueprint",
    "errai exploitability leduc.nolimit",
    "errai exploitability holdem",
)
"""Lines of the paths that take longer than ten seconds."""

TERMINALS = ("errai dealer", "errai agent")
"""Two lines that wait for each other; the tests of the protocol run them."""


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    ("page", "says"),
    [
        ("tutorial", "target met"),
        ("extending", "mbb)"),
        ("writing-an-agent", "MATCHSTATE"),
        ("plugging-in-a-net", "(4000, 2, 6)"),
        ("extensive", "target met own code"),
        ("for-researchers", "mbb after 200"),
        ("gallery", "4 methods"),
    ],
)
def test_the_python_runs_in_order(page, says, tmp_path, monkeypatch, capsys):
    if page == "plugging-in-a-net":
        pytest.importorskip("torch")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page}
    python, printed = blocks(page, "python"), ""
    assert python
    for block in python:
        line = PAGES[page][: PAGES[page].index(block)].count("\n")
        exec(compile("\n" * line + block, f"docs/{page}.md", "exec"), names)
        said = capsys.readouterr().out
        shown = re.findall(r"^# -> (.*)$", block, re.MULTILINE)
        assert not shown or shown == said.splitlines(), f"line {line} of {page}"
        printed += said
    assert says in printed


def lines(page: str) -> list[str]:
    """The lines of the page's shell."""
    return [line for block in blocks(page, "sh") for line in block.splitlines()]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with `examples`, the agent of the page for authors of bots, and nobody at the terminal."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (agent,) = blocks("for-bot-authors", "python")
    (tmp_path / "my_bots.py").write_text(agent)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_bots", raising=False)
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        yield tmp_path
    # What the page has defined must not stand for another test's module.
    sys.modules.pop("my_bots", None)


@pytest.mark.parametrize("page", PATHS)
def test_the_lines_of_a_path_run_in_order(page: str, folder: Path, capsys: pytest.CaptureFixture) -> None:
    assert len(lines(page)) > 6
    for line in lines(page):
        if not line.startswith((*LONG, *TERMINALS)):
            assert main(shlex.split(line)[1:]) == 0, f"{line}: {capsys.readouterr().err}"
    for line in lines(page):
        for name in re.findall(r"\S+\.svg\b", line):
            assert (folder / name).stat().st_size < 150_000, name


@pytest.mark.slow
@pytest.mark.parametrize("start", LONG)
def test_the_long_lines_of_the_paths_run(start: str, folder: Path) -> None:
    """With Ctrl-C after half a minute, which ends every one of them in order."""
    (line, *_) = [line for page in PATHS for line in lines(page) if line.startswith(start)]
    code, said = run(line, folder, 30)
    assert code in (0, 3) or said.rstrip().endswith("Aborted."), said
    assert "Traceback" not in said


def test_the_gallery_has_a_command_for_each_picture() -> None:
    """Every picture is there, small enough for a page, and has words for those who cannot see it."""
    pictures = re.findall(r"!\[([^\]]+)\]\((images/[^)]+)\)", PAGES["gallery"])
    assert len(pictures) > 10
    for words, name in pictures:
        assert len(words) > 15, name
        assert (ROOT / "docs" / name).stat().st_size < 150_000, name
    drawn = {Path(name).name for _, name in pictures}
    for line in lines("gallery"):
        for name in re.findall(r"(\S+\.svg)\b", line):
            assert name in drawn or name == "kuhn.svg", name


COMMANDS = [line for page in PAGES for line in lines(page) if line.startswith("errai ")]


@pytest.mark.parametrize("line", COMMANDS)
def test_the_shell_lines_are_understood(line):
    options = build_parser().parse_args(shlex.split(line)[1:])
    assert callable(options.run)
    for word in shlex.split(line):
        if word.startswith("examples/"):
            assert (ROOT / word).is_file()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https://)([^)#]+)[)#]", PAGES[page]):
        assert (ROOT / "docs" / target).is_file(), target
