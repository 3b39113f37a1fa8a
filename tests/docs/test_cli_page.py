"""The tables of docs/cli.md say of every option what the command line and errai.options declare.

A row begins with what is declared; what the page adds to it stays.  Run this file to write the rows again.
"""

import argparse
import functools
import re
from pathlib import Path

import pytest

from errai.cli.main import VERBS, build_parser
from errai.options import (
    OPTIONS,
    LbrOptions,
    MatchOptions,
    MemoryOptions,
    NetDataOptions,
    NetTrainOptions,
    ResponseOptions,
    StoreOptions,
    TrainOptions,
    declared,
)

PAGE = Path(__file__).parents[2] / "docs/cli.md"

GROUPS = {
    "solve": (MemoryOptions, StoreOptions),
    "match": (MatchOptions,),
    "lbr": (LbrOptions,),
    "exploitability": (ResponseOptions,),
    "train": (TrainOptions,),
    "nets generate": (NetDataOptions,),
    "nets train": (NetTrainOptions,),
}
"""The groups whose options a verb takes with all that documents say of them; others refer to `solve`."""

OF_MANY = {"help", "json", "quiet", "progress"}
"""Arguments that the page describes once."""


@functools.cache
def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the verbs, and of the verbs within verbs, by their names."""
    found = {}
    for name in VERBS:
        parser = _within(build_parser(name))[name]
        inner = _within(parser)
        found |= {f"{name} {each}": inner[each] for each in inner} or {name: parser}
    return found


def _within(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return next((a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction)), {})


def options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    """Return the options of a verb that the page has, by their long flags."""
    return {a.option_strings[-1]: a for a in parser._actions if a.option_strings and a.dest not in OF_MANY}


def cell(action: argparse.Action) -> str:
    """Return the first cell of an option's row: its flags with what stands for the value."""
    letter = (action.metavar or "|".join(map(str, action.choices or ()))).replace("|", r"\|")
    letter = {"?": f"[{letter}]", 2: f"{letter} {letter}"}.get(action.nargs, letter)
    return ", ".join(f"`{f'{flag} {letter}'.rstrip()}`" for flag in action.option_strings)


def head(verb: str, action: argparse.Action) -> str:
    """Return what an option's row begins with: what is declared of it, as Markdown, without the last full stop."""
    text = (action.help or "").replace("%%", "%")
    known = {name: option for name, (_, option) in declared(*GROUPS.get(verb, ())).items()}
    for name, option in (known | (OPTIONS if verb == "solve" else {})).items():
        if (option.flag or name) == action.dest and option.help in text:
            text = option.text if option.default is None or option.choices else f"{text}.  {option.more}"
    text = re.sub(r":\w+:`~?([^`]+)`", r"``\1``", text).replace("  ", " ").replace("|", r"\|").strip().rstrip(".")
    text = re.sub(r"\bdocs/(\w+\.md)", r"[\1](\1)", text)
    known = {action.dest for action in options(parsers()[verb]).values()} if verb in GROUPS else set()
    text = re.sub(r"``(\w+)``", lambda found: f"`--{found[1]}`" if found[1] in known else found[0], text)
    text = re.sub(r"(?<![`\w-])(--[a-z-]*[a-z])", r"`\1`", text.replace("``", "`"))
    return text[0].upper() + text[1:]


def sections(page: str) -> list[tuple[str, str]]:
    """Return the page in parts, each with the verb that it is about, or an empty text."""
    parts = re.split(r"(?m)^(?=##+ )", page)
    names = sorted(parsers(), key=len, reverse=True)
    return [(next((n for n in names if re.match(rf"##+ errai {n}\b", part)), ""), part) for part in parts]


ROW = re.compile(r"^\| (`-[^\n]*?) \| ([^\n]*) \|\n", re.MULTILINE)


def written(page: str) -> str:
    """Return the page with the rows of all options as they are declared."""
    whole = []
    shown: dict[str, set[str]] = {}
    for verb, part in sections(page):
        known = options(parsers()[verb]) if verb else {}
        before = shown.setdefault(verb, set())

        def row(found: re.Match[str], verb: str = verb, known: dict = known, before: set = before) -> str:
            flag = re.search(r"--[\w-]+", found[1])
            action = known.get(flag[0]) if flag else None
            if action is None:
                return "" if flag and f"`{flag[0]}" in found[1] and known else found[0]
            before.add(flag[0])
            begins = head(verb, action)
            rest = found[2].removeprefix(begins) if found[2].startswith(begins) else ""
            return f"| {cell(action)} | {begins}{rest} |\n"

        table = re.search(r"(?m)^\| option \| meaning \|\n\|---\|---\|\n(?:\|[^\n]*\n)*", part)
        if table is not None and verb:
            part = part[: table.start()] + ROW.sub(row, table[0]) + part[table.end() :]
        whole.append(part)
    return "".join(whole)


def test_the_rows_say_what_is_declared() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert written(page) == page


@pytest.mark.parametrize("verb", sorted({verb for verb, _ in sections(PAGE.read_text(encoding="utf-8"))} - {""}))
def test_the_page_has_every_option_of_a_verb(verb: str) -> None:
    parts = "".join(part for name, part in sections(PAGE.read_text(encoding="utf-8")) if name == verb)
    assert [flag for flag in options(parsers()[verb]) if f"`{flag}" not in parts] == []


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
