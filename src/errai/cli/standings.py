"""Rank the players of many matches.

Read results that `errai match --results FOLDER` wrote, and rank the players:

  --bankroll            by average winnings against all others (the default)
  --instant-runoff      eliminate the player with the lowest winnings until one player is left
  --tiers PLAYER        group the opponents of PLAYER into tiers that differ significantly: one half of the hands
                        ranks the players, the other half tests the differences

Significance is computed by a bootstrap over pairs of hands; players that do not differ significantly share a place.
"""

from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from errai.cli.arguments import Arguments, Options
from errai.cli.inputs import report_folder
from errai.cli.output import OK, columns, fields, note, write_json
from errai.console import console
from errai.errors import InputError
from errai.options import option_words

if TYPE_CHECKING:
    from errai.arena.standings import Pool, Standing


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("places PLACE", "folders with results, or files .match.json", nargs="+")
    add("--bankroll", "rank by total bankroll")
    add("--instant-runoff", "rank by instant run-off")
    add("--tiers PLAYER", "group the opponents of PLAYER into tiers of skill")
    add("--measure NAME", "measure of the winnings: chips, aivat or importance", default="chips")
    add("--samples N", "bootstrap samples", default=2000)
    add.seed("random seed of the bootstrap")
    add("--report FOLDER", "write a report: HTML, JSON and pictures")
    add.json()


def run(options: Options) -> int:
    """Read the results, rank the players, and write the standings."""
    from errai.arena.standings import bankroll, read_pool, run_off, tiers_against
    from errai.reports import standings_document, write_standings_report

    for text in options.places:
        if not Path(text).exists():
            raise InputError(f"There is no file or folder {text!r}; check the path.")
    report = report_folder(options)
    pool = read_pool([Path(text) for text in options.places], options.measure)
    settings = {"seed": options.seed, "resamples": options.samples}
    asked = [bankroll] if options.bankroll or not (options.instant_runoff or options.tiers) else []
    asked += [run_off] if options.instant_runoff else []
    standings = tuple(event(pool, **settings) for event in asked)
    tiers = None if options.tiers is None else tiers_against(pool, options.tiers)
    against = options.tiers or ""
    if report is not None:
        same = option_words(fields(options, "bankroll instant_runoff tiers measure samples seed"))
        command = shlex.join(["errai", "standings", *options.places, *same])
        written = write_standings_report(pool, standings, tiers, report, against=against, command=command)
    if options.json:
        write_json(standings_document(pool, standings, tiers, against))
        return OK
    write_crosstable(pool, standings)
    for standing in standings:
        sys.stdout.write(f"\n{standing.event}\n")
        table = columns("", "player", right=(pool.unit, "95 % interval", "ahead of the next in"))
        for rank in standing.ranks:
            sure = "" if rank.above_next is None else f"{rank.above_next:.1%}"
            interval = f"{rank.low:+,.4g} to {rank.high:+,.4g}"
            table.add_row(str(rank.place), rank.player, f"{rank.score:+,.4g}", interval, sure)
        console().print(table)
    if tiers is not None:
        sys.stdout.write(f"\ntiers against {against}, measured on the half of the hands that was not used to rank\n")
        for i, tier in enumerate(tiers.tiers, start=1):
            reach = "" if tier.interval is None else f", 95 %: {tier.interval.low:+,.4g} to {tier.interval.high:+,.4g}"
            sys.stdout.write(f"  {i}  {tier.mean:+,.4g} {pool.unit}{reach}: {', '.join(tier.players)}\n")
    if report is not None:
        note(f"Wrote {written[0]}.")
    return OK


def write_crosstable(pool: Pool, standings: tuple[Standing, ...]) -> None:
    """Write a table of how much each player wins from each other player."""
    means, errors = pool.table()
    names = [rank.player for rank in standings[0].ranks] if standings else list(pool.players)
    sys.stdout.write(f"{pool.title}: {pool.unit}, row against column, ± 95 %\n")
    table = columns("", right=names)
    for a in names:
        cells = []
        for b in names:
            mean, error = (float(x[pool.players.index(a), pool.players.index(b)]) for x in (means, errors))
            cells.append("" if math.isnan(mean) else f"{mean:+,.4g} ± {1.96 * error:,.3g}")
        table.add_row(a, *cells)
    console().print(table)
