"""The OpenAPI document, held against what the server answers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from charted_hands import CHARTS, played
from small_report import BODY
from web_server import Served, serving, wait

from errai.arena.histories.phh import phhs_text
from errai.web.jobs import ANY_JOB


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("schema")) as served:
        yield served


EXPECTED = Path(__file__).with_name("schemathesis.toml")
"""Which answers schemathesis takes for right."""


def check(served: Served, examples: int, cwd: Path, *more: str) -> None:
    """Run schemathesis on the whole document."""
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(EXPECTED)]
    command += ["run", f"{served.address}/api/v1/openapi.json"]
    command += ["-H", f"Authorization: Bearer {served.token}", "--max-examples", str(examples), "--no-color"]
    # Streams of events do not end, and what a random request would start takes long.
    command += ["--exclude-path-regex", "/events$", "--request-timeout", "60", "--seed", "7", *more]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=3000)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_the_document_is_kept(running: Served, tmp_path: Path) -> None:
    check(running, 2, tmp_path, "--phases", "examples,fuzzing")


@pytest.mark.slow
def test_the_document_is_kept_by_many_requests(serve: Callable[..., Served], tmp_path: Path) -> None:
    check(serve(), 100, tmp_path)


def test_jobs_of_every_kind_say_what_the_document_has(running: Served) -> None:
    solve = {"kind": "solve", "subject": {"game": "kuhn"}, "settings": {"target": "1mbb"}}
    match = {"kind": "match", "subject": {"game": "kuhn"}, "agents": ["uniform", "always-call"]}
    lbr = {"kind": "lbr", "subject": {"game": "leduc"}, "agent": "uniform", "settings": {"hands": 200}}
    running.post("/charts", {"name": "mine", "text": CHARTS})
    query = {"charts": "mine", "target": "1%pot", "memory": 64 << 20}
    hands = phhs_text([played()]).encode()
    names = [running.post("/jobs", body)["id"] for body in (solve, {**match, "settings": {"hands": 200}}, lbr, BODY)]
    names.append(running.http.post("/reviews", content=hands, params=query).json()["id"])
    kinds = []
    for name in names:
        job = wait(running, name, seconds=120.0)
        ANY_JOB.validate_python(job)
        points = running.get(f"/jobs/{name}/progress")["points"]
        for point in points:
            ANY_JOB.validate_python({**job, "progress": point})
        kinds.append((job["kind"], job["state"], bool(points)))
    assert kinds == [(kind, "done", True) for kind in ("solve", "match", "lbr", "report", "review")]


def test_a_number_is_no_text_and_no_truth_value(running: Served) -> None:
    cell = {"row": 0, "column": 1, "weight": 1}
    assert running.post("/ranges", {"text": "", "cells": [cell]})["text"] == "AKs"
    for key in cell:
        for wrong in (True, "1", 0.5 if key != "weight" else None):
            answer = running.http.post("/ranges", json={"text": "", "cells": [{**cell, key: wrong}]})
            assert (answer.status_code, answer.json()["error"]["field"]) == (422, f"cells.0.{key}")
    for wrong in (True, "600", 600.5):
        settings = {"hands": wrong}
        body = {"kind": "match", "subject": {"game": "leduc"}, "agents": ["uniform"] * 2, "settings": settings}
        assert running.http.post("/jobs", json=body).json()["error"]["field"] == "settings.hands"


def schemas(part: Any, document: dict, seen: set[str]) -> Iterator[tuple[str, dict]]:
    """All schemas in a part of the document, through its references, each with where it was found."""
    if isinstance(part, dict):
        if (link := part.get("$ref")) is not None:
            if link not in seen:
                seen.add(link)
                name = link.rpartition("/")[2]
                for where, found in schemas(document["components"]["schemas"][name], document, seen):
                    yield f"{name}{where}", found
            return
        if "type" in part and isinstance(part["type"], str):
            yield "", part
        for key, value in part.items():
            yield from ((f".{key}{where}", found) for where, found in schemas(value, document, seen))
    elif isinstance(part, list):
        for value in part:
            yield from schemas(value, document, seen)


def test_every_request_is_bounded(running: Served) -> None:
    document = running.get("/openapi.json")
    unbounded = []
    for path, methods in document["paths"].items():
        if path.startswith("/slumbot"):
            continue  # Bots that were written for another server may send more than this one reads.
        for method, operation in methods.items():
            for part in (operation.get("requestBody", {}), [p["schema"] for p in operation.get("parameters", [])]):
                for where, schema in schemas(part, document, set()):
                    kind = schema["type"]
                    if (
                        (kind == "object" and schema.get("additionalProperties") is not False)
                        or (
                            kind == "string" and not {"maxLength", "enum", "const", "pattern", "format"} & schema.keys()
                        )
                        or (kind in ("integer", "number") and not {"maximum", "exclusiveMaximum"} & schema.keys())
                        or (kind in ("integer", "number") and not {"minimum", "exclusiveMinimum"} & schema.keys())
                        or (kind == "array" and "maxItems" not in schema)
                    ):
                        unbounded.append(f"{method} {path} {where}: {kind}")
    assert not unbounded, "\n".join(unbounded)
