"""Show how much each decision of played hands lost.

Show what every decision lost: the EV of the best action with the hand held less the EV of the action taken, both by a
solution. The greatest losses come first; below are the sums by player, street and line. A loss is not counted if it is
smaller than what the solution itself could still gain from there on: the solution has not converged there.

    errai review hands.phh --against flop.errai
    errai review session.phhs --against run/ --player Ann --top 30

For a spot, hands of the whole game, and of tables of any size, are reviewed from the moment they reach the spot's board
with its pot and stacks and two players.

    errai review examples/session.txt --charts six-handed --library solved/ --player Ann

Without a solution: charts give the ranges with which two positions come to a flop, the spot of each hand is built,
solved, and kept in the library. Losses are in big blinds then.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import SOLVED, Arguments, Options
from errai.cli.histories import add_reading_options, read_files
from errai.cli.inputs import given, open_solved
from errai.cli.output import OK, SHORT, columns, write_json
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.arena.review import Review


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("files FILE", "hand histories: PHH, PokerStars, GGPoker, a dealer's log", nargs="+")
    add("--against PLACE", SOLVED)
    charts = "ranges by situation (.toml, heads-up, six-handed): spots are built and solved"
    add("--charts FILE", charts, needs="library")
    add("--library FOLDER", "where the solutions of spots are kept", needs="charts")
    add.solve("target", "seconds", "memory", "threads", needs="charts")
    add("--player NAME", "only this player's decisions")
    add("--top N", "decisions and lines to show", default=20)
    add_reading_options(add)


def run(options: Options) -> int:
    """Review the hands, and show the losses."""
    from errai.arena.review import review_hands

    if (options.against is None) == (options.charts is None):
        raise InputError("Give --against, a solution, or --charts, ranges with which spots are built and solved.")
    if options.charts is not None:
        return _with_charts(options)
    solution = open_solved(options.against, whole=True)
    read = read_files(options)
    return _written(review_hands(read.read, solution, player=options.player), read, options)


def _with_charts(options: Options) -> int:
    """Build, solve and review the spots of the hands."""
    from errai.arena.charted import load_charts, review_with_charts
    from errai.cli.signals import watched

    charts = load_charts(options.charts)
    read = read_files(options)
    settings = given(options, "target", "seconds", "memory", "threads")
    options.progress, options.quiet = False, options.json

    with watched(options, f"{len(read.read):,} hands") as (stop, view):

        def progress(done: int, total: int, title: str) -> None:
            view.show(done / max(total, 1), f"{done:,} of {total:,} spots; {title}")

        review = review_with_charts(
            read.read, charts, options.library, player=options.player, stop=stop, progress=progress, **settings
        )
    return _written(review, read, options)


def _written(review: Review, read: Any, options: Options) -> int:
    """Write a review and what of the files could not be read."""
    from errai.arena.review import review_document
    from errai.console import counted

    if options.json:
        write_json({**review_document(review, options.top), **read.fault_fields()})
    else:
        _print(review, options.top)
        for reason, count in review.left_out.items():
            sys.stdout.write(f"{counted(count, 'time')}: {reason}\n")
        read.note_faults()
    return OK if read.is_complete and review.decisions else SHORT


def _print(review: Review, top: int) -> None:
    from errai.arena.charted import IN_BIG_BLINDS
    from errai.console import console, counted
    from errai.pictures.nodes import reached_text

    out = console()
    sys.stdout.write(f"{counted(len(review.decisions), 'decision')} in {counted(review.hands, 'hand')}\n")
    if not review.decisions:
        return
    chips = "bb" if review.units == IN_BIG_BLINDS else "chips"
    units = (chips,) if review.units.mbb(0.0) is None else (chips, "mbb")
    table = columns("hand", "player", "cards", "board", "line", "action", "best", right=units)
    shown = [d for d in review.decisions[:top] if d.is_counted]
    if not shown:
        sys.stdout.write("No decision lost more than the solution itself may be wrong by\n")
    marks = any(d.is_rare for d in shown)
    if marks:
        table.add_column("")
    for d in shown:
        action = f"~ {d.action} ({d.played})" if d.mapped else d.action
        row = (str(d.hand), d.player, d.cards, d.board, d.line, action, d.best)
        mark = (f"! {reached_text(d.line_reached)}, {d.unconverged_chips:.2g} to gain" if d.is_rare else "",)
        table.add_row(*row, *_losses(review, d.loss_chips), *(mark if marks else ()))
    if shown:
        out.print(table, soft_wrap=False)
    if any(d.mapped for d in shown):
        sys.stdout.write("~ a bet that the solution lacks was mapped to the nearest one\n")
    if marks:
        sys.stdout.write(
            "! the solution hardly ever comes here: how often with these cards, and the chips that its players could "
            "still gain from there on\n"
        )
    uncounted = sum(d.loss_chips > 0 and not d.is_counted for d in review.decisions)
    if uncounted:
        sys.stdout.write(
            f"{uncounted:,} smaller losses are not counted: the solution has not converged that far there\n"
        )
    for name, totals in (
        ("player", review.totals(lambda d: d.player)),
        ("street", review.totals(lambda d: d.street)),
        ("line", review.totals(lambda d: d.line or "(first)")),
    ):
        table = columns(f"by {name}", right=("decisions", *(f"{unit} lost" for unit in units), "a decision"))
        for key, total in list(totals.items())[:top]:
            losses = _losses(review, total.loss_chips)
            table.add_row(key, f"{total.decisions:,}", *losses, _losses(review, total.mean_chips)[-1])
        sys.stdout.write("\n")
        out.print(table)


def _losses(review: Review, chips: float) -> list[str]:
    mbb = review.units.mbb(chips)
    return [f"{chips:.2f}"] if mbb is None else [f"{chips:.2f}", f"{mbb:.0f}"]
