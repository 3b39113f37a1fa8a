"""Pages as their readers use them: their Python is run, their shell lines are parsed, their links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from errai.cli.main import build_parser

ROOT = Path(__file__).parents[2]
PAGES = {
    name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("tutorial", "extending", "writing-an-agent", "plugging-in-a-net", "extensive")
}


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
    ],
)
def test_the_python_runs_in_order(page, says, tmp_path, monkeypatch, capsys):
    if page == "plugging-in-a-net":
        pytest.importorskip("torch")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page}
    python, printed = blocks(page, "python"), ""
    assert len(python) >= 5
    for block in python:
        line = PAGES[page][: PAGES[page].index(block)].count("\n")
        exec(compile("\n" * line + block, f"docs/{page}.md", "exec"), names)
        said = capsys.readouterr().out
        shown = re.findall(r"^# -> (.*)$", block, re.MULTILINE)
        assert not shown or shown == said.splitlines(), f"line {line} of {page}"
        printed += said
    assert says in printed


COMMANDS = [
    line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("errai ")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_the_shell_lines_are_understood(line):
    options = build_parser().parse_args(shlex.split(line)[1:])
    assert callable(options.run)
    for word in shlex.split(line):
        if word.startswith("examples/"):
            assert (ROOT / word).is_file()


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[)#]", PAGES[page]):
        assert (ROOT / "docs" / target).is_file(), target
