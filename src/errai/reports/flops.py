"""A report over flops as a page with pictures, as a JSON document, and as a table for other programs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from errai.cards.flops import TEXTURES, Texture
from errai.cards.hands import class_text, grid_class
from errai.pictures.flops import flops_drawing
from errai.pictures.nodes import percent_text, share_text, worth_text
from errai.reports import table, write_page
from errai.solutions.export import numbers_for_json
from errai.solving.flop_results import CLASSES, FlopReport

_SCRIPT = """\
<script>
// Sorts a table by the column whose heading is chosen, and shows the rows that have all words of the filter.
for (const box of document.querySelectorAll(".flops")) {
  const body = box.querySelector("table"), filter = box.querySelector("input");
  const rows = () => [...body.querySelectorAll("tr:not(.head)")];
  body.querySelectorAll(".head th").forEach((head, column) => {
    const button = document.createElement("button");
    button.textContent = head.textContent;
    head.replaceChildren(button);
    let down = false;
    button.addEventListener("click", () => {
      down = !down;
      const key = (row) => row.cells[column].textContent;
      const number = (text) => parseFloat(text.replace(/[,%]/g, "").replace("<", ""));
      const order = (a, b) => {
        const [x, y] = [number(key(a)), number(key(b))];
        const by = isNaN(x) || isNaN(y) ? key(a).localeCompare(key(b)) : x - y;
        return down ? -by : by;
      };
      rows().sort(order).forEach((row) => row.parentNode.append(row));
    });
  });
  filter.addEventListener("input", () => {
    const words = filter.value.toLowerCase().split(/\\s+/).filter(Boolean);
    for (const row of rows()) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
}
</script>
"""

STYLE = """\
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
th button:hover, th button:focus-visible { text-decoration: underline; }
.flops input { font: inherit; color: inherit; background: none; border: 1px solid var(--rule); padding: .3rem .6rem; }
.flops tr[hidden] { display: none; }
"""


def write_flop_report(found: FlopReport, folder: Path, *, title: str, command: str = "") -> list[Path]:
    """Write ``report.html``, ``report.json`` and a picture (SVG) of each node of a report into a folder.

    Raises :class:`DiskSpaceError` or :class:`FileAccessError` if the folder or a file cannot be written.
    """
    pictures, body = {}, [_summary(found)]
    for line in found.lines:
        drawing = flops_drawing(found, line, title=title)
        pictures["-".join(line.split()) or "first"] = drawing.svg()
        body += [f"<h2>{escape(line or 'First action')}</h2>", drawing.svg(), _means(found, line), _flops(found, line)]
    settings = [["command", command], ["certified", certificate_text(found)]]
    body += [table("Settings", ["", ""], settings, text_columns=2), _SCRIPT]
    return write_page(folder, title, body, pictures, flop_report_document(found), style=STYLE)


def flop_report_document(found: FlopReport) -> dict[str, Any]:
    """Return a report for JSON: the means of every node, all flops and by texture, and the numbers of every flop."""
    return {
        "spot": found.spot.to_dict(),
        "flops": len(found.flops),
        "flops_wanted": found.wanted,
        **_certified(found),
        "solve_seconds": sum(result.seconds for result in found.flops),
        "nodes": [node_document(found, line) for line in found.lines],
    }


def _certified(found: FlopReport) -> dict[str, Any]:
    """Return what is certified: the exploitability of the worst flop, in the whole game or in the one that is cut."""
    worst = max(result.pot_percent for result in found.flops)
    if found.below is None:
        return {"net": None, "exploitability_pot_percent": worst}
    return {
        "net": asdict(found.below),
        "exploitability_pot_percent": None,
        "exploitability_of_the_cut_game_pot_percent": worst,
    }


def certificate_text(found: FlopReport) -> str:
    """Return what is certified of the flops of a report, as the end of a sentence about them."""
    worst = max(result.pot_percent for result in found.flops)
    if found.below is None:
        return f"each solved to an exploitability of at most {worst:.3g}% of the pot"
    return (
        f"each cut after the flop and solved over the values of {found.below.name!r}; what is certified is the cut "
        f"game with these values, at most {worst:.3g}% of the pot, and not the whole game"
    )


def node_document(found: FlopReport, line: str) -> dict[str, Any]:
    """Return a node of a report for JSON.  Raises :class:`LineError` if the report has no such line."""
    nodes, weights = found.nodes(line), found.weights(line)
    total = float(weights.sum()) or 1.0
    groups = {
        by: {
            kind: {"share": float(weights[chosen].sum()) / total, **_plain(found.mean(line, chosen))}
            for kind, chosen in found.groups(by).items()
        }
        for by in TEXTURES
    }
    flops = [
        {
            "flop": result.flop.text,
            "weight": result.flop.weight,
            **{name: getattr(result.flop, name) for name in TEXTURES},
            "share": float(weight) / total,
            **_plain({name: getattr(n, name) for name in ("frequencies", "ev", "equity", "equity_realised")}),
        }
        for result, n, weight in zip(found.flops, nodes, weights, strict=True)
    ]
    head = {"line": line, "player": nodes[0].player, "actions": list(nodes[0].actions), "pot_chips": nodes[0].pot_chips}
    return {**head, "mean": _plain(found.mean(line)), "groups": groups, "flops": flops}


def _plain(means: dict[str, np.ndarray]) -> dict[str, list[float | None]]:
    named = {"ev": "ev_chips"}
    return {named.get(k, k): numbers_for_json(values) for k, values in means.items()}


def _summary(found: FlopReport) -> str:
    part = "" if len(found.flops) == found.wanted else f" of {found.wanted:,} that were asked for"
    return (
        f"<p>{len(found.flops):,} flops{part}, {escape(certificate_text(found))}. "
        "Means are over all deals: a flop counts by its weight, and by the pairs of hands that get to the node.</p>"
    )


def mean_rows(found: FlopReport, line: str, by: Texture | None = None) -> list[list[str]]:
    """Return the means at a node as rows of text: all flops, or each kind of a texture with its share of the deals."""
    weights, pot = found.weights(line), found.nodes(line)[0].pot_chips
    total = float(weights.sum()) or 1.0
    rows = []
    kinds = found.groups(by) if by else {"all flops": np.ones(len(weights), dtype=np.bool_)}
    for kind, chosen in kinds.items():
        means = found.mean(line, chosen)
        cells = [kind, percent_text(float(weights[chosen].sum()) / total), *map(percent_text, means["frequencies"])]
        for p in (0, 1):
            cells += [worth_text(float(means["ev"][p]), pot), share_text(float(means["equity"][p]))]
            cells.append(share_text(float(means["equity_realised"][p])))
        rows.append(cells)
    return rows


def mean_head(found: FlopReport, line: str) -> list[str]:
    """Return the headings of :func:`mean_rows`."""
    first, second = found.spot.seats
    numbers = [f"{name}, {who}" for who in (first, second) for name in ("EV", "equity", "EQR")]
    return ["flops", "share", *found.nodes(line)[0].actions, *numbers]


def _means(found: FlopReport, line: str) -> str:
    rows = mean_rows(found, line)
    for by in TEXTURES:
        rows += [[f"{by}: {row[0]}", *row[1:]] for row in mean_rows(found, line, by)]
    return table("Means", mean_head(found, line), rows)


def _flops(found: FlopReport, line: str) -> str:
    nodes, weights = found.nodes(line), found.weights(line)
    total, pot = float(weights.sum()) or 1.0, nodes[0].pot_chips
    rows = []
    for result, node, weight in zip(found.flops, nodes, weights, strict=True):
        flop = result.flop
        row = [flop.text, percent_text(float(weight) / total), *(getattr(flop, name) for name in TEXTURES)]
        row += [percent_text(float(f)) for f in node.frequencies]
        for p in (0, 1):
            row += [worth_text(float(node.ev[p]), pot), share_text(float(node.equity[p]))]
            row.append(share_text(float(node.equity_realised[p])))
        rows.append([*row, f"{result.pot_percent:.2g}%"])
    certified = "exploitability, of the pot" if found.below is None else "exploitability of the cut game, of the pot"
    head = ["flop", *mean_head(found, line)[1:2], *TEXTURES, *mean_head(found, line)[2:], certified]
    label = '<label>Filter: <input type="search" placeholder="two-tone paired"></label>'
    return f'<div class="flops">{label}{table("Flops", head, rows, text_columns=1)}</div>'


COLUMNS = {
    "flop": "text",
    "weight": "number",
    "suits": "text",
    "pairing": "text",
    "straights": "integer",
    "high": "text",
    "net": "text",
    "exploitability_pot_percent": "number",
    "line": "text",
    "class": "text",
    "combos_0": "number",
    "combos_1": "number",
    "ev_0_chips": "number",
    "ev_1_chips": "number",
    "equity_0": "number",
    "equity_1": "number",
    "action": "text",
    "frequency": "number",
}
"""Columns of the table of a report: a row for each flop, node, class of hands (``range`` for all) and action.

``exploitability_pot_percent`` is that of the flop; with a ``net``, of the game that is cut after the flop."""


def table_rows(found: FlopReport) -> Iterator[dict[str, list[Any]]]:
    """Yield the rows of a report's table, a batch for each flop and node, as :func:`errai.store.tables.open_table`."""
    names = [class_text(*grid_class(*divmod(cell, 13))) for cell in range(CLASSES)]
    for result in found.flops:
        texture = {name: getattr(result.flop, name) for name in ("suits", "pairing", "high")}
        for node in result.nodes:
            rows: list[tuple[Any, ...]] = []
            whole = (*node.class_weights.sum(axis=1), *node.ev, *node.equity)
            actions = node.actions or ("",)
            for a, action in enumerate(actions):
                rows.append(("range", *whole, action, node.frequencies[a] if node.actions else math.nan))
            for cell in np.flatnonzero(node.class_weights.sum(axis=0) > 0).tolist():
                worth = (*node.class_weights[:, cell], *node.class_ev[:, cell], *node.class_equity[:, cell])
                for a, action in enumerate(actions):
                    often = node.class_frequencies[a, cell] if node.actions else math.nan
                    rows.append((names[cell], *worth, action, often))
            fixed = {
                "flop": result.flop.text,
                "weight": result.flop.weight,
                **texture,
                "straights": int(result.flop.straights),
                "net": "" if found.below is None else found.below.name,
                "exploitability_pot_percent": result.pot_percent,
                "line": node.line,
            }
            columns = ("class", "combos_0", "combos_1", "ev_0_chips", "ev_1_chips", "equity_0", "equity_1")
            batch = {name: [value] * len(rows) for name, value in fixed.items()}
            batch |= {
                n: list(v) for n, v in zip((*columns, "action", "frequency"), zip(*rows, strict=True), strict=True)
            }
            yield {name: batch[name] for name in COLUMNS}
