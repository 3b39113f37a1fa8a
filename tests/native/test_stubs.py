"""The type stubs of the native modules, written by hand for the names of arguments, have what the modules have."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import errai

MODULES = ("errai.cards._cards", "errai.kernels._cpu", "errai.nets.networks._native", "errai.store._sift")


def declared(body: list[ast.stmt], within: str = "") -> dict[str, int]:
    """The names that a stub declares; functions with the number of their arguments, all else and ``*args`` with -1."""
    found = {}
    for item in body:
        if isinstance(item, ast.FunctionDef):
            count = len([*item.args.posonlyargs, *item.args.args])
            found[within + item.name] = -1 if item.args.vararg else count
        elif isinstance(item, ast.ClassDef):
            found |= {within + item.name: -1, **declared(item.body, f"{within}{item.name}.")}
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[within + item.target.id] = -1
    return found


@pytest.mark.parametrize("name", MODULES)
def test_a_stub_declares_what_the_module_has(name: str) -> None:
    stubgen = pytest.importorskip("nanobind.stubgen")
    module = import_module(name)
    generated = stubgen.StubGen(module)
    generated.put(module)
    written = (Path(errai.__file__).parents[1] / f"{name.replace('.', '/')}.pyi").read_text(encoding="utf-8")
    ours, theirs = (declared(ast.parse(text).body) for text in (written, generated.get()))
    assert ours.keys() == theirs.keys()
    assert {name: count for name, count in ours.items() if count not in (-1, theirs[name])} == {}
