"""Links of the pages to files of the repository: each file that is linked gets a page of the site with its text.

On GitHub a link such as ``../src/errai/engine/root.py`` leads to the file.  On the site it leads to a page that shows
the same file, so that the pages in docs/ are the same in both places.  A link to a folder leads to a list of its files.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).resolve().parents[2]


def _linked(app: Sphinx, document: str, target: str) -> Path | None:
    """The file or folder outside of docs/ that a link of a page leads to, from the root of the repository."""
    if "://" in target or target.startswith("#"):
        return None
    docs = Path(app.srcdir)
    path = (docs / document).parent.joinpath(target.split("#")[0]).resolve()
    if not path.suffix and path.with_suffix(".md").is_file():
        path = path.with_suffix(".md")  # MyST leaves out the ending of what it takes for a page
    if path.is_relative_to(docs) and not path.is_dir():
        return None
    if not path.is_relative_to(ROOT) or not path.exists():
        return None
    return path.relative_to(ROOT)


def _page(path: Path) -> str:
    return f"code/{path.as_posix()}"


def want_page(env: BuildEnvironment, document: str, path: Path) -> str:
    """Remember that a document links to a file, from the root of the repository; return the name of the file's page."""
    kept: dict[str, set[str]] = env.__dict__.setdefault("errai_code_pages", {})
    kept.setdefault(document, set()).add(path.as_posix())
    return _page(path)


def lead_to_pages(app: Sphinx, tree: nodes.document) -> None:
    """Replace each link that leaves docs/ by one to the page of the file, and remember the file."""
    document = app.env.docname
    links = [n for n in tree.findall() if isinstance(n, addnodes.download_reference | addnodes.pending_xref)]
    for link in links:
        path = _linked(app, document, link.get("reftarget", ""))
        if path is None:
            continue
        index = ROOT / path / "README.md"
        if index.is_file() and index.is_relative_to(app.srcdir):  # a folder of pages
            page = index.relative_to(app.srcdir).with_suffix("").as_posix()
        else:
            page = want_page(app.env, document, path)
        where = app.builder.get_relative_uri(document, page)
        link.replace_self(nodes.reference("", "", *link.children, refuri=where, internal=True))


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The pages of all files that are linked, and of the files of all folders that are."""
    wanted = {Path(name) for names in app.env.__dict__.get("errai_code_pages", {}).values() for name in names}
    for folder in [path for path in wanted if (ROOT / path).is_dir()]:
        wanted.update(_files(folder))
    for path in sorted(wanted):
        body = _list_of(app, path) if (ROOT / path).is_dir() else _text_of(app, path)
        title = path.as_posix()
        yield _page(path), {"title": title, "body": f"<h1><code>{title}</code></h1>\n{body}"}, "page.html"


def _files(folder: Path) -> list[Path]:
    endings = (".py", ".hpp", ".cpp", ".cu", ".toml", ".json", ".md")
    return [path.relative_to(ROOT) for path in sorted((ROOT / folder).iterdir()) if path.suffix in endings]


def _list_of(app: Sphinx, folder: Path) -> str:
    rows = (
        f'<li><a href="{app.builder.get_relative_uri(_page(folder), _page(path))}"><code>{path.name}</code></a></li>'
        for path in _files(folder)
    )
    return f"<ul>{''.join(rows)}</ul>"


def _text_of(app: Sphinx, path: Path) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    try:
        language = get_lexer_for_filename(path.name).aliases[0]
    except (ClassNotFound, IndexError):
        language = "none"
    return app.builder.highlighter.highlight_block(text, language, force=True, linenos=False)  # type: ignore[attr-defined]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect to the reading and to the writing of pages."""
    # Before Sphinx collects what is to be downloaded, which is what it makes of links to files.
    app.connect("doctree-read", lead_to_pages, priority=100)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
