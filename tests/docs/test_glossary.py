"""The glossary: its words stand in order, its names of the package exist, and its links lead somewhere."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ROWS = [line for line in (DOCS / "glossary.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")][2:]


def test_the_words_stand_in_order_each_once() -> None:
    words = [row.split("|")[1].strip() for row in ROWS]
    assert len(words) > 60
    assert words == sorted(words, key=lambda word: word.lower().replace("[", "").replace("-", " "))
    assert len(words) == len(set(words))


def test_every_name_of_the_package_is_there() -> None:
    names = {name for row in ROWS for name in re.findall(r"`(errai[\w.]*)`", row)}
    assert len(names) > 30
    for name in sorted(names):
        parts, found = name.split("."), None
        for last in range(len(parts), 0, -1):
            try:
                found = import_module(".".join(parts[:last]))
            except ImportError:
                continue
            for part in parts[last:]:
                found = getattr(found, part)
            break
        assert found is not None, name


def test_every_link_leads_to_a_heading() -> None:
    links = {link for row in ROWS for link in re.findall(r"\]\(([^)]+)\)", row)}
    assert len(links) > 20
    for link in sorted(links):
        page, _, anchor = link.partition("#")
        text = (DOCS / page).read_text(encoding="utf-8")
        headings = [re.sub(r"[`*]", "", found) for found in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
        slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in slugs, link
