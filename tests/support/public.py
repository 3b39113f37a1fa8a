"""What Errai promises to keep: names, options, JSON documents, the HTTP API and the versions of file formats.

``scripts/promises`` prints what has changed since the last record, and ``--record`` writes it anew.
"""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from errai.cli.main import VERBS, build_parser
from errai.cli.main import main as run
from errai.store.container import open_container
from errai.store.header import FORMAT_VERSION
from errai.web.files import Workspace
from errai.web.server import make_app

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests" / "promises" / "public.txt"
LISTED = re.compile(r"^\.\. auto(?:function|class|data|exception)::? (\S+)$", re.MULTILINE)
FILES = ROOT / "tests" / "promises" / "files"
DOCUMENTS = {
    "solve": ("solve", "{spot}", "--target", "1%pot", "--json", "--quiet"),
    "show": ("show", "{river}", "--json"),
    "runouts": ("runouts", "{turn}", "check check", "--json"),
    "verify": ("verify", "{river}", "--json"),
    "query": ("query", "{river}", "--json"),
    "exploit": ("exploit", "{river}", "check", "--json"),
    "match": ("match", "uniform", "always-call", "--game", "kuhn", "--hands", "20", "--json", "--quiet"),
    "estimate": ("estimate", "{spot}", "--json"),
    "size": ("size", "leduc", "--json"),
    "review": ("review", "{hands}", "--against", "{leduc}", "--json"),
    "doctor": ("doctor", "--json"),
}
OPEN = {"extras", "packages", "strategy", "action_ev_chips", "ev_chips", "probabilities", "left_out"}
"""Members whose keys are names of things, not fields: one stands for all."""


def main() -> int:
    """Print what has changed, or record it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true", help="write down what is public now")
    options = parser.parse_args()
    now = "".join(f"{line}\n" for line in public())
    if options.record:
        RECORD.write_text(now, encoding="utf-8")
        return 0
    changes = changed(RECORD.read_text(encoding="utf-8"), now)
    sys.stdout.write("".join(f"{line}\n" for line in changes))
    return 1 if changes else 0


def changed(before: str, now: str) -> list[str]:
    """The lines that have come (+) and gone (-)."""
    had, has = before.splitlines(), now.splitlines()
    gone, come = set(had) - set(has), set(has) - set(had)
    return [*(f"- {line}" for line in had if line in gone), *(f"+ {line}" for line in has if line in come)]


def public() -> Iterator[str]:
    """All that is promised, a line each."""
    yield from names()
    yield from verbs()
    yield from formats()
    yield from documents()
    yield from http()


def names() -> Iterator[str]:
    """The names of the reference with what they take; of classes the members, of functions the parameters."""
    pages = sorted((ROOT / "docs" / "reference").glob("*.md"))
    for name in sorted({found for page in pages for found in LISTED.findall(page.read_text(encoding="utf-8"))}):
        one = _object(name)
        if inspect.isclass(one):
            yield f"name {name}({_parameters(one)})"
            members = sorted(member for member in dir(one) if not member.startswith("_"))
            yield from (f"name {name}.{member}" for member in members if _is_own(one, member))
        else:
            yield f"name {name}({_parameters(one)})" if callable(one) else f"name {name}"


def _object(name: str) -> Any:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise LookupError(name)


def _parameters(one: Any) -> str:
    """The names of parameters, in order; a default is promised to be there, not to be what it is."""
    try:
        taken = inspect.signature(one).parameters.values()
    except (TypeError, ValueError):
        return ""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return ", ".join(
        marks.get(p.kind, "") + p.name + ("" if p.default is p.empty else "=") for p in taken if p.name[0] != "_"
    )


def _is_own(cls: type, member: str) -> bool:
    return any(member in base.__dict__ for base in cls.__mro__ if base.__module__.startswith("errai"))


def verbs() -> Iterator[str]:
    """The verbs and their options, with choices."""
    for verb in sorted(VERBS):
        yield from _options(f"verb {verb}", _subparsers(build_parser(verb))[verb])


def _options(name: str, found: argparse.ArgumentParser) -> Iterator[str]:
    yield name
    for action in found._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                yield from _options(f"{name} {word}", below)
        elif action.help != argparse.SUPPRESS:
            words = " ".join(action.option_strings) or f"<{action.dest}>"
            choices = f" of {','.join(map(str, action.choices))}" if action.choices else ""
            yield f"{name} {words}{' ' + str(action.nargs) if action.nargs is not None else ''}{choices}"


def _subparsers(found: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return next(dict(a.choices) for a in found._actions if isinstance(a, argparse._SubParsersAction))


def formats() -> Iterator[str]:
    """The kinds and versions of what is written, read from the files that are kept."""
    found = set()
    for path in sorted(FILES.rglob("*")):
        if path.suffix == ".json":
            document = json.loads(path.read_text(encoding="utf-8"))
            found.add(f"format {document.get('format', path.name)} {document.get('version', '')}".rstrip())
        elif path.suffix in (".errai", ".state", ".cards"):
            found.add(f"format container {FORMAT_VERSION} {open_container(path, checked=False).kind}")
    yield from sorted(found)


def documents() -> Iterator[str]:
    """The fields of what `--json` writes."""
    places = {
        "spot": FILES / "river.toml",
        "river": FILES / "river.errai",
        "turn": FILES / "turn.errai",
        "leduc": FILES / "leduc.errai",
        "hands": FILES / "session.phhs",
    }
    for name, words in DOCUMENTS.items():
        out = StringIO()
        with redirect_stdout(out):
            code = run([word.format(**places) for word in words])
        assert code in (0, 3), name
        yield from sorted(set(_fields(f"json {name}", json.loads(out.getvalue()))))


def _fields(place: str, value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        is_open = place.rpartition(".")[2] in OPEN
        for key, below in value.items():
            at = f"{place}.{'*' if is_open else key}"
            yield at
            yield from _fields(at, below)
    elif isinstance(value, list):
        for one in value:
            yield from _fields(f"{place}[]", one)


def http() -> Iterator[str]:
    """The addresses of the API, their parameters, and the fields of what is sent and answered."""
    with tempfile.TemporaryDirectory() as folder:
        document = make_app(Workspace.at(Path(folder))).openapi()
    for path, methods in sorted(document["paths"].items()):
        for method, about in sorted(methods.items()):
            taken = sorted(f"{p['name']}{'' if p.get('required') else '?'}" for p in about.get("parameters", ()))
            yield f"http {method.upper()} {path} {' '.join(taken)}".rstrip()
    for name, model in sorted(document["components"]["schemas"].items()):
        needed = set(model.get("required", ()))
        yield from (f"http {name}.{key}{'' if key in needed else '?'}" for key in sorted(model.get("properties", {})))


if __name__ == "__main__":
    sys.exit(main())
