"""Rank the players of many matches.

Read results that `errai match --results FOLDER` wrote, and rank the players:

  --bankroll            by average winnings against all others (the default)
  --instant-runoff      eliminate the player with the lowest winnings until one player is left
  --tiers PLAYER        group the opponents of PLAYER into tiers that differ significantly: one half of the hands
                        ranks the players, the other half tests the differences
  --tiers-equal K       K tiers of equally many players, ranked by one half of the hands and measured with the other

Significance is computed by a bootstrap over pairs of hands; players that do not differ significantly share a place.
"""

from __future__ import annotations

import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from errai.cli.arguments import Arguments, Options, positive_integer
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
    add(
        "--tiers-equal K",
        "group the opponents of one player into K tiers of equally many, as the study of Cepheus does; the player is "
        "that of --tiers, or the one whom all others have met",
        positive_integer,
    )
    add("--at-least N", "with --tiers-equal: only players with at least N hands", positive_integer, needs="tiers_equal")
    add("--measure NAME", "measure of the winnings: chips, aivat or importance", default="chips")
    add("--samples N", "bootstrap samples", default=2000)
    add.seed("random seed of the bootstrap")
    add("--report FOLDER", "write a report: HTML, JSON and pictures")
    add.json()


def run(options: Options) -> int:
    """Read the results, rank the players, and write the standings."""
    from errai.arena.standings import Tiers, bankroll, equal_tiers, met_by_all, read_pool, run_off, tiers_against
    from errai.reports import standings_document, write_standings_report

    for text in options.places:
        if not Path(text).exists():
            raise InputError(f"There is no file or folder {text!r}; check the path.")
    report = report_folder(options)
    pool = read_pool([Path(text) for text in options.places], options.measure)
    settings = {"seed": options.seed, "resamples": options.samples}
    grouped = options.tiers or options.tiers_equal
    asked = [bankroll] if options.bankroll or not (options.instant_runoff or grouped) else []
    asked += [run_off] if options.instant_runoff else []
    standings = tuple(event(pool, **settings) for event in asked)
    against = options.tiers or (met_by_all(pool) if options.tiers_equal else "")
    tiers = None
    if options.tiers_equal:
        equal, too_few = equal_tiers(pool, against, options.tiers_equal, options.at_least or 0)
        tiers = Tiers(equal, ())
        if too_few:
            note(f"{too_few:,} players have fewer than {options.at_least or 4:,} hands and are left out.")
    elif options.tiers:
        tiers = tiers_against(pool, options.tiers)
    if report is not None:
        same = option_words(fields(options, "bankroll instant_runoff tiers tiers_equal at_least measure samples seed"))
        command = shlex.join(["errai", "standings", *options.places, *same])
        written = write_standings_report(pool, standings, tiers, report, against=against, command=command)
    if options.json:
        write_json(standings_document(pool, standings, tiers, against))
        return OK
    if not options.tiers_equal:  # Each of many people met one agent alone.
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
