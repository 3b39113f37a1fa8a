"""The report of a pool of players: crosstable, standings and tiers, as a page, as JSON and as pictures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from errai.arena.standings import SIGNIFICANT, Pool, Standing
from errai.arena.tiers import Tiers
from errai.pictures.arena_results import Row, crosstable_drawing, intervals_drawing
from errai.pictures.canvas import Drawing
from errai.reports.page import page, picture, table, write_files


def standings_document(
    pool: Pool, standings: tuple[Standing, ...], tiers: Tiers | None, against: str = ""
) -> dict[str, Any]:
    """Return the whole report for JSON; ``docs/arena.md`` lists the fields."""
    means, errors = pool.table()

    def rows(table: Any) -> list[list[float | None]]:
        return [[None if math.isnan(x) else float(x) for x in row] for row in table.tolist()]

    return {
        "game": pool.title,
        "unit": pool.unit,
        "measure": pool.measure,
        "players": list(pool.players),
        "crosstable": {
            "mean": rows(means),
            "standard_error": rows(errors),
            "hands": [
                [pool.hands.get((min(i, j), max(i, j)), 0) for j in range(len(pool.players))]
                for i in range(len(pool.players))
            ],
        },
        "standings": [
            {
                "event": standing.event,
                "ranks": [
                    {
                        "place": rank.place,
                        "player": rank.player,
                        "score": rank.score,
                        "interval": {"confidence": 0.95, "low": rank.low, "high": rank.high},
                        "above_next": rank.above_next,
                    }
                    for rank in standing.ranks
                ],
                "above": standing.above.tolist(),
            }
            for standing in standings
        ],
        "tiers": None
        if tiers is None
        else {
            "against": against,
            "tiers": [
                {
                    "players": list(tier.players),
                    "mean": tier.mean,
                    "interval": None
                    if tier.interval is None
                    else {"confidence": 0.95, "low": tier.interval.low, "high": tier.interval.high},
                }
                for tier in tiers.tiers
            ],
            "splits": [
                {
                    "upper": list(split.upper),
                    "lower": list(split.lower),
                    "difference": split.difference,
                    "p_value": split.p_value,
                    "significant": split.significant,
                }
                for split in tiers.splits
            ],
        },
    }


def write_standings_report(
    pool: Pool, standings: tuple[Standing, ...], tiers: Tiers | None, folder: Path, *, against: str = "", command: str
) -> list[Path]:
    """Write ``report.html``, ``report.json`` and the pictures into a folder, which is created if it does not exist.

    Raises
    ------
    DiskSpaceError, FileAccessError
        The folder or a file cannot be written.
    """
    drawings = standings_drawings(pool, standings, tiers, against)
    hands = sum(pool.hands.values())
    body = [
        f"<p>{len(pool.players)} players, {hands:,} hands. All numbers are unbiased estimates, in {pool.unit}. Players "
        f"share a place unless its first player is ahead of them in at least {SIGNIFICANT:.0%} of the bootstrap "
        "samples of the pairs of hands of all matches.</p>"
    ]
    for standing in standings:
        rows = [
            [
                str(rank.place),
                rank.player,
                f"{rank.score:+,.4g}",
                f"{rank.low:+,.4g} to {rank.high:+,.4g}",
                "" if rank.above_next is None else f"{rank.above_next:.1%}",
            ]
            for rank in standing.ranks
        ]
        head = ["place", "player", pool.unit, "95 % interval", "share of samples ahead of the next"]
        body.append(table(standing.event.capitalize(), head, rows, text_columns=2))
    if tiers is not None:
        tests = [
            [
                ", ".join(split.upper),
                ", ".join(split.lower),
                f"{split.difference:+,.4g}",
                f"{split.p_value:.3g}",
                "yes" if split.significant else "no",
            ]
            for split in tiers.splits
        ]
        head = ["above", "below", f"difference, {pool.unit}", "p, corrected", "split"]
        body.append(table(f"Splits into tiers, against {against}", head, tests, text_columns=2))
    body += [picture(drawing) for drawing in drawings.values()]
    body.append(table("Settings", ["", ""], [["measure", pool.measure], ["command", command]], text_columns=2))
    document = {**standings_document(pool, standings, tiers, against), "command": command}
    return write_files(folder, page(f"Standings: {pool.title}", body), document, drawings)


def standings_drawings(
    pool: Pool, standings: tuple[Standing, ...], tiers: Tiers | None, against: str = ""
) -> dict[str, Drawing]:
    """Return the pictures of the report by name."""
    means, errors = pool.table()
    # Players are in the order of the first event.
    names = [rank.player for rank in standings[0].ranks] if standings else list(pool.players)
    order = [pool.players.index(name) for name in names]
    drawings = {
        "crosstable": crosstable_drawing(
            names, means[order][:, order], errors[order][:, order], unit=pool.unit, title="Results of all pairs"
        )
    }
    for standing in standings:
        rows = [Row(f"{r.place}. {r.player}", r.score, r.low, r.high) for r in standing.ranks]
        name = standing.event.replace(" ", "-")
        drawings[name] = intervals_drawing(rows, unit=pool.unit, title=standing.event.capitalize())
    if tiers is not None:
        rows = []
        for i, tier in enumerate(tiers.tiers, start=1):
            low, high = (tier.mean, tier.mean) if tier.interval is None else (tier.interval.low, tier.interval.high)
            count = f"{len(tier.players)} player{'s' if len(tier.players) > 1 else ''}"
            rows.append(Row(f"tier {i}", tier.mean, low, high, count))
        drawings["tiers"] = intervals_drawing(rows, unit=pool.unit, title=f"Tiers against {against}")
    return drawings
