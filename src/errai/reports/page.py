"""Pages of reports: HTML that stands alone, with its pictures inside, and no scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from errai.errors import FileAccessError
from errai.pictures.canvas import FONT_STACK, Drawing
from errai.store.atomic import atomic_file

_STYLE = f"""\
body {{ font: 15px/1.5 {FONT_STACK}; color: #1f2328; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.6rem; }} h2 {{ font-size: 1.15rem; margin-top: 2rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: 13px; }}
th, td {{ padding: .3rem .7rem; text-align: right; vertical-align: top; border-bottom: 1px solid #d0d5db; }}
th {{ color: #606770; font-weight: normal; }}
.text {{ text-align: left; }}
svg {{ max-width: 100%; height: auto; display: block; margin: 1.5rem 0; }}
"""


def page(title: str, body: Sequence[str]) -> str:
    """A whole page around pieces of HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def picture(drawing: Drawing) -> str:
    """A picture inside a page."""
    return drawing.svg()


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """A table with a title; all cells are text, the first ``text_columns`` to the left."""

    def line(cells: Sequence[str], tag: str) -> str:
        marked = (
            f'<{tag} class="text">{escape(cell)}</{tag}>' if i < text_columns else f"<{tag}>{escape(cell)}</{tag}>"
            for i, cell in enumerate(cells)
        )
        return f"<tr>{''.join(marked)}</tr>"

    heading = line(head, "th") + "\n" if any(head) else ""
    lines = "\n".join(line(row, "td") for row in rows)
    return f'<h2>{escape(title)}</h2>\n<div class="wide"><table>\n{heading}{lines}\n</table></div>'


def write_files(folder: Path, html: str, document: Mapping[str, Any], drawings: Mapping[str, Drawing]) -> list[Path]:
    """Write ``report.html``, ``report.json`` and the pictures into a folder, each whole or not at all.

    Raises
    ------
    DiskSpaceError, FileAccessError
        The folder or a file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileAccessError(f"The folder {folder} cannot be made: {error.strerror or error}.") from error
    files = {
        "report.html": html,
        "report.json": json.dumps(document, indent=1, allow_nan=False) + "\n",
        **{f"{name}.svg": drawing.svg() for name, drawing in drawings.items()},
    }
    written = []
    for name, text in files.items():
        data = text.encode()
        with atomic_file(folder / name, len(data)) as file:
            file.write(data)
        written.append(folder / name)
    return written
