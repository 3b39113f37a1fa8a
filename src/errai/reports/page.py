"""Pages of reports: self-contained HTML with its pictures inside and without scripts.

A page follows the dark scheme of the reader's system.  On a narrow screen it does not scroll sideways: pictures shrink,
and tables show each row as a list of its cells with the headings of their columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from errai.pictures.canvas import FONT_STACK, Drawing
from errai.pictures.palette import INK, PAPER, RULE, SOFT_INK, hex_colour
from errai.store.atomic import make_folder, write_file

PICTURE_WIDTH = 520.0
"""Width of a picture in pixels: small enough that its text can still be read where a phone shrinks it."""

_STYLE = f"""\
:root {{
  color-scheme: light dark;
  --ink: {hex_colour(INK)}; --soft: {hex_colour(SOFT_INK)}; --rule: {hex_colour(RULE)}; --paper: {hex_colour(PAPER)};
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --ink: {hex_colour(INK.dark)}; --soft: {hex_colour(SOFT_INK.dark)};
    --rule: {hex_colour(RULE.dark)}; --paper: {hex_colour(PAPER.dark)};
  }}
}}
body {{ font: 15px/1.5 {FONT_STACK}; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
body {{ color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }}
h1 {{ font-size: 1.6rem; }} h2 {{ font-size: 1.15rem; margin-top: 2rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-size: 13px; }}
th, td {{ padding: .3rem .7rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--rule); }}
th {{ color: var(--soft); font-weight: normal; overflow-wrap: normal; }}
td {{ overflow-wrap: normal; }}
.text {{ text-align: left; }}
svg {{ max-width: 100%; height: auto; display: block; margin: 1.5rem 0; }}
@media (max-width: 44rem) {{
  table, tbody, tr, td {{ display: block; }}
  tr.head {{ display: none; }}
  tr {{ padding: .5rem 0; border-bottom: 1px solid var(--rule); }}
  td, td.text {{ display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0; }}
  td, td.text {{ text-align: right; overflow-wrap: anywhere; }}
  td[data-column]::before {{ content: attr(data-column); color: var(--soft); text-align: left; flex: none; }}
  td:empty {{ display: none; }}
}}
"""


def page(title: str, body: Sequence[str]) -> str:
    """Return a whole page around pieces of HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def picture(drawing: Drawing) -> str:
    """Return a picture for a page."""
    return drawing.svg()


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """Return a table with a title; all cells are text, and the first ``text_columns`` are aligned to the left."""

    def cell(tag: str, text: str, column: int, name: str = "") -> str:
        side = ' class="text"' if column < text_columns else ""
        named = f' data-column="{escape(name)}"' if name else ""
        return f"<{tag}{side}{named}>{escape(text)}</{tag}>"

    heading = ""
    if any(head):
        heading = f'<tr class="head">{"".join(cell("th", text, i) for i, text in enumerate(head))}</tr>\n'
    lines = "\n".join(f"<tr>{''.join(cell('td', text, i, head[i]) for i, text in enumerate(row))}</tr>" for row in rows)
    return f'<h2>{escape(title)}</h2>\n<div class="wide"><table>\n{heading}{lines}\n</table></div>'


def write_files(folder: Path, html: str, document: Mapping[str, Any], drawings: Mapping[str, Drawing]) -> list[Path]:
    """Write ``report.html``, ``report.json`` and the pictures into a folder, each atomically.

    Raises
    ------
    DiskSpaceError, FileAccessError
        The folder or a file cannot be written.
    """
    make_folder(folder)
    files = {
        "report.html": html,
        "report.json": json.dumps(document, indent=1, allow_nan=False) + "\n",
        **{f"{name}.svg": drawing.svg() for name, drawing in drawings.items()},
    }
    written = []
    for name, text in files.items():
        write_file(folder / name, text)
        written.append(folder / name)
    return written
