"""References from docstrings: to the reference where it has the name, else to the page with the source of its module.

Docstrings name things as the code of their module does (``:class:`Choices```), and by the module that has them
(``:func:`errai.nets.network.load_net```), while the reference may list them under a public name
(``errai.load_net``).  What counts is which object is meant.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from code_pages import ROOT, want_page
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.inspect import stringify_signature

SHAPE = re.compile(r"(u?int|float|bool)\d*_?(\[.*\])?( or \w+)?")


def keep_shapes(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Attributes are described as ``float64[B, H]: what it is``, which Napoleon takes for a type; take that back."""
    if what in ("attribute", "property", "data") and len(lines) > 1 and lines[-1].startswith(":type: "):
        said = lines.pop().removeprefix(":type: ")
        lines[0] = f"``{said}``: {lines[0]}" if SHAPE.fullmatch(said) else f"{said}: {lines[0]}"


def link_pages(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Docstrings name pages as files, ``docs/maths.md``; on the site that is a link."""
    for number, line in enumerate(lines):
        lines[number] = re.sub(r"(?<!`)\bdocs/([\w-]+)\.md\b", r":doc:`docs/\1.md </\1>`", line)


def say_alias(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """An alias for types is shown as its module writes it."""
    module, _, short = name.rpartition(".")
    if what == "data" and module.startswith("errai.") and module in sys.modules:
        for statement in ast.parse(inspect.getsource(sys.modules[module])).body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == short:
                lines.extend(["", f"``{short} = {ast.unparse(statement.value)}``"])


def _object(name: str) -> Any:
    """What a dotted name stands for, or None."""
    parts = name.split(".")
    if not all(map(str.isidentifier, parts)):
        return None
    for length in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            found = getattr(found, part, None)
        return found
    return None


def _candidates(target: str, scope: str) -> Iterator[str]:
    """Dotted names that a name in the docstring of ``scope`` may stand for, those nearest to it first."""
    yield target
    parts = scope.split(".") if scope else []
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        yield f"{name}.{target}"
        module = getattr(_object(name), "__module__", None)
        if module is not None:
            yield f"{module}.{target}"
    yield f"errai.errors.{target}"


def _anywhere(target: str) -> Any:
    """What a name stands for in a module of Errai that has been imported, or None."""
    first, _, rest = target.partition(".")
    for module in (sys.modules[name] for name in sorted(sys.modules) if name.startswith("errai.")):
        if hasattr(module, first):
            found = getattr(module, first)
            return getattr(found, rest, None) if rest else found
    return None


def _documented(env: BuildEnvironment) -> dict[int, str]:
    """The names in the reference by the identity of what they stand for."""
    names = env.domains.python_domain.objects
    kinds = ("class", "exception", "function", "data", "method", "module")
    return {id(_object(name)): name for name, entry in names.items() if entry.objtype in kinds and not entry.aliased}


def resolve(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, text: nodes.Element
) -> nodes.Element | None:
    """Where a name of Errai leads that the reference does not have under it; names of other packages lead nowhere."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].strip("~.")
    if "[" in target:  # a piece of an annotation
        return text
    inside = re.search(r"docstring of (\S+?)(:\d+)?$", node.source or "")
    known = map(_object, _candidates(target, inside.group(1) if inside else ""))
    found = next((thing for thing in known if thing is not None), None)
    if found is None:
        found = _anywhere(target)
    if found is None:
        return text if hasattr(builtins, target) else None
    if not hasattr(env, "errai_documented"):
        env.errai_documented = _documented(env)  # type: ignore[attr-defined]
    name = env.errai_documented.get(id(found))  # type: ignore[attr-defined]
    document = node.get("refdoc", env.docname)
    if name is not None:
        domain = env.domains.python_domain
        return domain.resolve_xref(env, document, app.builder, "obj", name, node, text)
    module = inspect.getmodule(found)
    if module is None or not module.__name__.startswith("errai") or module.__file__ is None:
        return text
    path = Path(module.__file__).resolve().relative_to(ROOT)
    where = app.builder.get_relative_uri(document, want_page(env, document, path))
    return nodes.reference("", "", text, refuri=where, internal=True)


def _qualified(annotation: Any, module: dict[str, Any]) -> Any:
    """An annotation in which classes of Errai have the name of their module: two may be called ``Walk``."""

    def whole(found: re.Match[str]) -> str:
        thing = module.get(found[0])
        known = inspect.isclass(thing) and thing.__module__.startswith("errai.")
        return f"{thing.__module__}.{thing.__qualname__}" if known else found[0]

    return re.sub(r"(?<![\w.'\"])[A-Z]\w*", whole, annotation) if isinstance(annotation, str) else annotation


def as_written(
    app: Sphinx, what: str, name: str, obj: Any, options: object, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Signatures with the annotations of the source, where aliases such as ``Subject`` have their names."""
    if what not in ("class", "exception", "function", "method"):
        return signature, returns
    try:
        given = inspect.signature(obj)
    except (TypeError, ValueError):
        return signature, returns
    module = vars(inspect.getmodule(inspect.unwrap(obj)) or builtins)
    parameters = [p.replace(annotation=_qualified(p.annotation, module)) for p in given.parameters.values()]
    if parameters and parameters[0].name in ("self", "cls") and what == "method":
        parameters = parameters[1:]
    result = inspect.Signature.empty if what == "class" else _qualified(given.return_annotation, module)
    written = stringify_signature(inspect.Signature(parameters, return_annotation=result), unqualified_typehints=True)
    arguments, arrow, result = written.partition(") -> ")
    return (f"{arguments})", result) if arrow else (written, None)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("autodoc-process-docstring", keep_shapes, priority=600)  # after Napoleon
    app.connect("autodoc-process-docstring", link_pages)
    app.connect("autodoc-process-docstring", say_alias, priority=700)
    app.connect("autodoc-process-signature", as_written)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
