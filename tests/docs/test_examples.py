"""The examples in docstrings: what they show is what happens."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from pathlib import Path

import pytest

from errai.errors import BackendError

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


def test_every_public_method_says_what_it_does_or_inherits_that():
    silent = []
    for path in (ROOT / "src").rglob("*.py"):
        try:
            module = import_module(named(path))
        except (BackendError, ImportError):  # It needs a package that is not installed here.
            continue
        for cls in (c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__):
            if cls.__name__[0] != "_" and not getattr(cls, "_is_protocol", False):
                methods = (
                    n
                    for n, m in vars(cls).items()
                    if isinstance(m, property) or (inspect.isfunction(m) and m.__name__ == n)
                )
                silent += [(path.name, cls.__name__, n) for n in methods if n[0] != "_" and not getdoc(cls, n)]
    assert not silent, silent


def getdoc(cls: type, name: str) -> str | None:
    return next((doc for base in cls.__mro__ if (doc := getattr(vars(base).get(name), "__doc__", None))), None)
