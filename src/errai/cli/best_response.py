"""``errai best-response``: what perfect opponents win from a strategy, however large the game."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from errai.cli.inputs import (
    add_checkpoint_options,
    add_menu_option,
    checkpoint_options,
    load_subject,
    natural_number,
    positive_integer,
)
from errai.cli.output import OK, SHORT, add_json_option, add_progress_options, note, write_facts, write_json
from errai.cli.solve import exploitability_document
from errai.console import seconds_text
from errai.engine.progress_view import BarView

if TYPE_CHECKING:
    from errai.engine.units import Measurement
    from errai.responses.response import BestResponse
    from errai.responses.work import ResponseProgress

DESCRIPTION = """\
Compute what best responses to a strategy win in a whole game, in both seats. The strategy is never held
in memory, so this works in the full game of limit hold'em.

strategies:
  always-fold, always-call, always-raise   one thing whenever the rules allow it
  uniform                                  every action with the same probability
  fold=0.1,call=0.4,raise=0.5              a mixture; what is not allowed becomes a call or check
  by-strength, by-strength:20              hands in buckets by their present strength
  psopti0, psopti1, psopti2                bots of the literature whose strategy stays as it is
  blueprint, blueprint-nl                  the strategies over buckets that come with Errai
  solution:FILE, blueprint:FILE            a solution of the game, or a blueprint
  python:package.module:function           a function of your own that takes the game and returns a strategy

Ctrl-C ends early; with --checkpoint, --resume goes on from there.
"""


def add_parser(verbs: Any) -> None:
    """Add the verb to the parser."""
    parser = verbs.add_parser(
        "best-response",
        help="what perfect opponents win from a strategy",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("subject", metavar="GAME", help="a game of the catalogue (see `errai games`) or a .game file")
    parser.add_argument("--strategy", metavar="TEXT", required=True, help="the strategy, as listed above")
    parser.add_argument(
        "--flops",
        type=positive_integer,
        metavar="N",
        help="estimate from N boards of the second street drawn at random (default: count every one)",
    )
    parser.add_argument("--seed", type=natural_number, default=0, metavar="N", help="seed of the boards drawn (0)")
    parser.add_argument(
        "--processes", type=positive_integer, metavar="N", help="processes that work (default: one a core)"
    )
    parser.add_argument(
        "--general", action="store_true", help="do not take the short cut for strategies that never look at their cards"
    )
    add_menu_option(parser)
    add_checkpoint_options(parser, "what is finished")
    add_progress_options(parser)
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Respond, and say what was won."""
    from errai.agents.bots import strategy_text
    from errai.cli.signals import stopped_by_signals
    from errai.engine.resources import default_threads
    from errai.responses.response import best_response

    subject: Any = load_subject(options.subject)
    strategy = strategy_text(options.strategy)
    settings = {
        **{name: getattr(options, name) for name in ("menu", "flops", "seed", "general")},
        **checkpoint_options(options),
        "processes": options.processes or default_threads(),
    }
    view = BarView(f"best response to {options.strategy}", sys.stderr.isatty())
    if options.progress or (view.is_terminal and not options.quiet):

        def progress(now: ResponseProgress) -> None:
            view.show(now.done / now.total, state_text(now))

        with stopped_by_signals() as stop, view:
            result = best_response(subject, strategy, stop=stop, progress=progress, **settings)
    else:
        with stopped_by_signals() as stop:
            result = best_response(subject, strategy, stop=stop, **settings)
    if options.json:
        write_json(response_document(result))
    elif not options.quiet:
        write_response(result)
    if result.status == "interrupted":
        if not options.quiet:
            kept = "--resume goes on from there" if options.checkpoint else "--checkpoint FILE would have kept it"
            note(f"Interrupted after {result.boards_done:,} of {result.boards_total:,} boards; {kept}.")
        return SHORT
    return OK


def response_document(result: BestResponse) -> dict[str, Any]:
    """Return what ``--json`` says; ``docs/cli.md`` lists the fields."""
    interval = None
    if result.interval is not None:
        low, high = (_measurement(end) for end in result.interval)
        interval = {"confidence": 0.95, "low": low, "high": high}
    return {
        "game": result.game,
        "strategy": result.strategy,
        "method": result.method,
        "status": result.status,
        "exact": result.exact,
        "exploitability": _measurement(result.exploitability),
        "by_seat": None
        if result.by_seat_chips is None
        else {
            "mbb": None if result.by_seat_mbb is None else list(result.by_seat_mbb),
            "chips": list(result.by_seat_chips),
        },
        "plugged_in": _measurement(result.plugged_in),
        "interval": interval,
        "flops": {"done": result.boards_done, "wanted": result.boards_total, "draws": result.draws},
        "seconds": float(result.seconds),
    }


def _measurement(measured: Measurement | None) -> dict[str, float | None] | None:
    return None if measured is None else exploitability_document(measured)


def write_response(result: BestResponse) -> None:
    """Write a result for people."""
    facts = [("method", f"{result.method}{', exact' if result.exact and result.exploitability else ''}")]
    if result.exploitability is not None and result.by_seat_chips is not None:
        seats = result.by_seat_mbb or result.by_seat_chips
        unit = "mbb" if result.by_seat_mbb else "chips"
        facts.append(("exploitability", _text(result.exploitability)))
        facts.append(("responder wins", ", ".join(f"seat {p}: {won:.4f} {unit}" for p, won in enumerate(seats))))
    if result.plugged_in is not None and result.interval is not None:
        facts[-2] = ("at least, in the mean", facts[-2][1])
        facts.append(("at most, in the mean", _text(result.plugged_in)))
        facts.append(("95 % interval", " to ".join(_text(end) for end in result.interval)))
        facts.append(("flops drawn", f"{result.draws:,} ({result.boards_total:,} different ones)"))
    facts.append(("boards", f"{result.boards_done:,} of {result.boards_total:,} in {seconds_text(result.seconds)}"))
    write_facts(f"{result.game}: best response to {result.strategy}", facts)


def _text(measured: Measurement) -> str:
    return f"{measured.chips:.6g} chips" if measured.mbb is None else f"{measured.mbb:.4f} mbb"


def state_text(progress: ResponseProgress) -> str:
    """Return how far a run has come, in words."""
    left = (progress.total - progress.done) * progress.fresh_seconds / progress.fresh
    parts = [f"{progress.done:,} of {progress.total:,} boards", seconds_text(progress.seconds)]
    if progress.done < progress.total:
        parts.append(f"about {seconds_text(left)} left")
    return ", ".join(parts)
