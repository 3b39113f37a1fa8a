"""The examples in docstrings: what they show is what happens."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for path in (ROOT / "src").rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))


def named(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)


def test_there_are_examples_where_a_reader_wants_one():
    assert len(SOURCES) >= 15


@pytest.mark.parametrize("path", SOURCES, ids=named)
def test_the_examples_of_a_module(path, tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(import_module(named(path)), optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0, "pytest's captured output says which"
