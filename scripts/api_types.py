"""Write the types of the API for the pages, in TypeScript, from the OpenAPI document of the server."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from errai.web.files import Workspace
from errai.web.server import API, make_app

TARGET = Path(__file__).parent.parent / "pages" / "api" / "types.ts"
HEAD = "/** The requests and answers of the API. Made from its OpenAPI document by scripts/pages; do not edit. */\n"
PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
REFERENCE = "#/components/schemas/"


def main() -> int:
    """Write the file, or with ``--check`` compare it; 1 if it differs."""
    with tempfile.TemporaryDirectory() as folder:
        text = written(make_app(Workspace.at(Path(folder))).openapi())
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() == text:
            return 0
        print("pages/api/types.ts is not what the server's API says; run scripts/pages and commit the file.")
        return 1
    TARGET.write_text(text)
    return 0


def written(document: dict[str, Any]) -> str:
    """Return the file for a document: a type for each schema, and one that has all routes."""
    schemas = document["components"]["schemas"]
    names = short_names(schemas)
    asked = requested(document, schemas)
    parts = [HEAD]
    for name, schema in sorted(schemas.items(), key=lambda item: names[item[0]]):
        if "properties" not in schema:
            parts.append(f"export type {names[name]} = {type_of(schema, names)};\n")
        else:
            parts.append(f"export interface {names[name]} {fields(schema, names, all_there=name not in asked)}\n")
    parts.append("/** By method and path below /api/v1: what a route takes, and what it answers. */")
    parts.append("export interface Routes {")
    parts += routes(document, names)
    return "\n".join([*parts, "}\n"])


def short_names(schemas: dict[str, Any]) -> dict[str, str]:
    """Return a short name for each schema; those of one name get that of their module before it."""
    last = {name: name.split("__") for name in schemas}
    count = Counter(parts[-1] for parts in last.values())

    def short(parts: list[str]) -> str:
        module = "" if count[parts[-1]] == 1 else "".join(word.title() for word in parts[-2].split("_"))
        return module + parts[-1]

    return {name: short(parts) for name, parts in last.items()}


def requested(document: dict[str, Any], schemas: dict[str, Any]) -> set[str]:
    """Return the schemas that are part of requests, in which fields with a default may be left out."""
    found: set[str] = set()
    waiting = [one.get("requestBody") for one in document["paths"].values() for one in one.values()]
    while waiting:
        for name in set(re.findall(rf'"{REFERENCE}([^"]+)"', json.dumps(waiting.pop()))) - found:
            found.add(name)
            waiting.append(schemas[name])
    return found


def fields(schema: dict[str, Any], names: dict[str, str], *, all_there: bool) -> str:
    """Return the fields of an object; all of them are there in an answer, and those that are required in a request."""
    required = schema.get("required", ())
    lines = [
        f"  {field(key, one, names, needed=all_there or key in required)};"
        for key, one in schema.get("properties", {}).items()
    ]
    return "\n".join(["{", *lines, "}"])


def field(name: str, schema: dict[str, Any], names: dict[str, str], *, needed: bool) -> str:
    """Return a field with its type."""
    return f"{name}{'' if needed else '?'}: {type_of(schema, names)}"


def type_of(schema: dict[str, Any], names: dict[str, str]) -> str:
    """Return the type of a value."""
    if "$ref" in schema:
        return names[schema["$ref"].removeprefix(REFERENCE)]
    if "const" in schema or "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema.get("enum", [schema.get("const")]))
    if several := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(type_of(one, names) for one in several))
    if schema.get("format") == "binary":
        return "Blob"
    if schema.get("type") == "array":
        inner = type_of(schema.get("items", {}), names)
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if schema.get("type") == "object":
        more = schema.get("additionalProperties", True)
        return f"Record<string, {type_of(more, names) if isinstance(more, dict) else 'unknown'}>"
    return PLAIN.get(schema.get("type", ""), "unknown")


def routes(document: dict[str, Any], names: dict[str, str]) -> Iterator[str]:
    """Yield a line for each route whose answer is JSON, or empty."""
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            answers = [answer for status, answer in route["responses"].items() if status[0] == "2"]
            contents = [answer.get("content", {}) for answer in answers]
            if not path.startswith(f"{API}/") or not all(set(one) <= {"application/json"} for one in contents):
                continue
            parts = []
            for place in ("path", "query"):
                if given := [one for one in route.get("parameters", []) if one["in"] == place]:
                    types = (
                        f"{one['name']}{'' if one['required'] else '?'}: {type_of(one['schema'], names)}"
                        for one in given
                    )
                    parts.append(f"{place}: {{ {'; '.join(types)} }}")
            if body := route.get("requestBody"):
                parts.append(f"body: {type_of(next(iter(body['content'].values()))['schema'], names)}")
            schema = next((one["application/json"]["schema"] for one in contents if one), None)
            parts.append(f"answer: {'null' if schema is None else type_of(schema, names)}")
            yield f'  "{method.upper()} {path.removeprefix(f"{API}/")}": {{ {"; ".join(parts)} }};'


if __name__ == "__main__":
    sys.exit(main())
