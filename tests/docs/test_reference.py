"""The public interface says what it takes and returns, and the reference has every name of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import pytest

import errai
from errai.blueprints.train import METHODS as TRAINING_METHODS
from errai.blueprints.train import Weighting
from errai.engine.request import asked_schedule
from errai.engine.resources import DTYPES
from errai.engine.schedules import SCHEDULES
from errai.engine.strategy import ENCODINGS
from errai.kernels.backends import backend_names
from errai.options import (
    OPTIONS,
    Algorithm,
    Backend,
    Encoding,
    EstimateOptions,
    MemoryOptions,
    Precision,
    Returned,
    StoreOptions,
    Updates,
    declared,
)
from errai.resolving import METHODS
from errai.resolving.gadgets import MethodName

ROOT = Path(__file__).parents[2]
REFERENCE = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs/reference").glob("*.md")))
LISTED = re.findall(r"^\.\. auto(?:function|class|data|exception|module):: (\S+)$", REFERENCE, re.MULTILINE)

OPEN_TEXT = {
    "against": "the description of a strategy",
    "abstraction": "as read_abstraction takes it",
    "abstraction_text": "the same",
    "checkpoint": "a file",
    "start_from": "a file",
    "board": "cards",
    "cluster": "an address",
    "depth": "the streets of the game",
    "digest": "hexadecimal",
    "folder": "a folder",
    "game": "the name of a game",
    "graft": "a file, or a name of an open list",
    "known": "a file, or a name of an open list",
    "label": "whatever a user wants to keep",
    "line": "actions and cards",
    "lines": "actions",
    "menu": "bet sizes",
    "name": "a name",
    "name_or_path": "a file, or a name of an open list",
    "words": "kinds of textures, or cards",
    "locks": "lines of play",
    "opponents": "as read_abstraction takes it",
    "path": "a file",
    "positions": "what players are called",
    "ranges": "hands with weights",
    "source": "where a text is from",
    "store": "a folder",
    "strategy": "of best_response and exploitability: a name in the grammar of names",
    "target": "an exploitability with its unit",
    "text": "a text in a grammar of its own",
    "title": "a name",
}
"""Parameters and fields that are texts of an open set; every other one takes a Literal, so that it can be checked."""

OTHERS = {"Any", "ArrayLike", "Callable", "Iterable", "Literal", "Mapping", "NDArray", "Path", "Sequence", "Unpack"}
OTHERS |= {"False", "None", "True"}
"""Names of Python and NumPy in annotations."""


def public() -> Iterator[tuple[str, Any]]:
    for name in errai.__all__:
        if not name.startswith("__"):
            yield name, getattr(errai, name)


def annotations() -> Iterator[tuple[str, str, str, object]]:
    """(where, parameter, annotation, module) of all that is public: functions, methods, fields and properties."""
    for name, thing in public():
        functions = [(name, thing)]
        if inspect.isclass(thing):
            functions = []
            for key, annotation in inspect.get_annotations(thing).items():
                if not key.startswith("_"):
                    yield f"{name}.{key}", key, str(annotation), import_module(thing.__module__)
            for key, member in vars(thing).items():
                member = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if not key.startswith("_") and inspect.isfunction(member):
                    functions.append((f"{name}.{key}", member))
        for where, function in functions:
            module = import_module(function.__module__)
            for parameter in inspect.signature(function).parameters.values():
                if parameter.name not in ("self", "cls"):
                    assert parameter.annotation is not parameter.empty, f"{where}({parameter.name}) has no type"
                    yield f"{where}({parameter.name})", parameter.name, str(parameter.annotation), module
            yield f"{where} ->", "", str(inspect.signature(function).return_annotation), module


def test_every_public_name_is_in_the_reference():
    assert [name for name, _ in public() if f"errai.{name}" not in LISTED] == []
    index = (ROOT / "docs/reference/index.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^   errai\.(\w+)$", index, re.MULTILINE)) == sorted(name for name, _ in public())
    for name in LISTED:
        module, _, attribute = name.rpartition(".")
        assert name == "errai.errors" or hasattr(import_module(module), attribute), name


def test_texts_of_a_closed_set_are_literals():
    wrong = [
        f"{where}: {annotation}"
        for where, parameter, annotation, _ in annotations()
        if re.search(r"\bstr\b", re.sub(r"(Mapping|dict)\[str, \w+(\[\w+\])?\]", "", annotation))
        and parameter
        and parameter not in OPEN_TEXT
    ]
    assert wrong == []


def test_the_reference_has_every_type_of_the_public_interface():
    known = {name.rpartition(".")[2] for name in LISTED} | OTHERS
    wrong = []
    for where, _, annotation, _ in annotations():
        without = re.sub(r"Literal\[[^\]]*\]|'[^']*'", "", annotation)
        for word in re.findall(r"(?<![\w.])[A-Z]\w+", without):
            if word not in known:
                wrong.append(f"{where}: {word}")
    assert wrong == []


@pytest.mark.parametrize(
    ("literal", "table"),
    [
        (Algorithm, SCHEDULES),
        (Backend, backend_names()),
        (Encoding, ENCODINGS),
        (MethodName, METHODS),
        (Precision, ("auto", *DTYPES)),
    ],
)
def test_literals_are_the_names_of_their_tables(literal, table):
    assert sorted(get_args(literal)) == sorted(table)


def test_literals_without_a_table_are_taken():
    kuhn = errai.load_game("kuhn")
    for updates in get_args(Updates):
        assert asked_schedule("cfr", updates)
    for returned in get_args(Returned):
        assert errai.solve(kuhn, max_iterations=1, strategy=returned).iterations == 1
    for weights in get_args(Weighting):
        assert errai.train(kuhn, "identity", "full", weights=weights, max_iterations=2, measure=False)
    for method in TRAINING_METHODS:
        if method not in ("pcs", "pcs-br"):  # which draw boards, and Kuhn poker has none
            assert errai.train(kuhn, "identity", method, max_iterations=1, measure=False)


def test_the_options_of_solve_are_its_parameters():
    for function, groups in ((errai.solve, (MemoryOptions, StoreOptions)), (errai.estimate, (EstimateOptions,))):
        options = declared(*groups)
        assert [*inspect.signature(function).parameters] == ["subject", "target", *options]
        for name, parameter in inspect.signature(function).parameters.items():
            if name in options:
                kind, option = options[name]
                assert (parameter.annotation, parameter.default, parameter.kind) == (kind, option.default, 3)
    for name, option in OPTIONS.items():
        assert f"\n    {name}:\n        {option.help[0].upper()}{option.help[1:]}"[:60] in errai.solve.__doc__


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "src/errai/py.typed").is_file()
