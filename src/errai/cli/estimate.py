"""Show how much memory, disk and time a solve needs, without running it.

Show how much memory, disk and time a solve needs, without running it.

    errai estimate examples/flop.toml --target 0.3%pot
    errai estimate examples/flop.toml --fit 8GiB --within 2min     # the finest bets for this memory and time
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from errai.cli.arguments import BOARD, SUBJECT, Arguments, Options
from errai.cli.inputs import given, load_subject, refuse_given
from errai.cli.output import OK, SHORT, answer, columns, note, write_json
from errai.console import bytes_text, console, seconds_text
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.games.game import Subject
    from errai.solving.estimate import Estimate, Price

SETTINGS = ("target", "algorithm", "precision", "memory", "menu", "threads", "locks")


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", SUBJECT)
    add("--board CARDS", BOARD)
    add.solve(*SETTINGS)
    add("--fit SIZE", "compare menus of bets from coarse to fine for a spot, and say which need at most this memory")
    add("--within S", "with --fit: say which reach the target in this time, such as 90s or 10min", needs="fit")
    add.json()


def run(options: Options) -> int:
    """Estimate and write."""
    import errai
    from errai.cli.solutions import subject_name
    from errai.engine.resources import allowed_memory

    subject = load_subject(options.subject, options.board)
    if options.fit is not None:
        return _fit(subject, options)
    estimate = errai.estimate(subject, **given(options, *SETTINGS))
    name = subject_name(subject, options.subject)
    document = {"game": name, **asdict(estimate)}
    del document["title"]
    allowed = allowed_memory(options.memory)
    lacks = allowed is not None and allowed < estimate.memory_bytes
    free = f" of which {bytes_text(allowed or 0)} are {'allowed' if options.memory else 'free here'}" if lacks else ""
    facts = [
        ("betting nodes", f"{estimate.nodes:,}"),
        ("boards", ", ".join(f"{count:,}" for count in estimate.boards)),
        ("information sets", f"{estimate.information_sets:,}"),
        ("after merging", f"{estimate.canonical_information_sets:,} that are not strategically equivalent"),
        ("strategy entries", f"{estimate.entries:,}"),
        ("precision", estimate.precision),
        ("memory", f"{bytes_text(estimate.memory_bytes)}{free and ','}{free}"),
        ("solution on disk", bytes_text(estimate.disk_bytes)),
        ("checkpoint on disk", bytes_text(estimate.checkpoint_bytes)),
        ("time per iteration", "about " + seconds_text(estimate.seconds_per_iteration)),
        ("time to the target", _time_text(estimate)),
    ]
    document["seconds"] = estimate.seconds
    answer(options, document, name, facts)
    return OK


def _time_text(estimate: Estimate) -> str:
    if estimate.seconds is None:
        return "not known: the target is very fine"
    return f"about {seconds_text(estimate.seconds)}, {estimate.iterations:,} iterations"


def _price_text(price: Price | None) -> str:
    """Return what a menu cost, for the table; nothing for the finest."""
    if price is None:
        return ""
    mean, least, greatest = (max(number, 0.0) for number in (price.mean, price.least, price.greatest))
    return f"{mean:.1f} ({least:.1f} to {greatest:.1f})"


def _fit(subject: Subject, options: Options) -> int:
    """Compare menus of bets, and say which is the finest that fits."""
    from errai.games.spot import Spot
    from errai.solving.estimate import fits

    if not isinstance(subject, Spot):
        raise InputError(f"{options.subject} is no spot; --fit changes the bets of a spot.")
    refuse_given(options, "memory menu", "--fit says how much memory there is, and chooses the bets")
    settings = given(options, *(name for name in SETTINGS if name not in ("memory", "menu")))
    found = fits(subject, memory=options.fit, seconds=options.within, **settings)
    best = max((i for i, fit in enumerate(found) if fit.fits), default=None)
    if options.json:
        rows = [
            {
                "bet": fit.bet,
                "raise": fit.raise_,
                "fits": fit.fits,
                "entries": None if fit.estimate is None else fit.estimate.entries,
                "memory_bytes": None if fit.estimate is None else fit.estimate.memory_bytes,
                "seconds": None if fit.estimate is None else fit.estimate.seconds,
                "price_pot_percent": None if fit.price is None else asdict(fit.price),
            }
            for fit in found
        ]
        write_json({"menus": rows, "finest": None if best is None else rows[best]})
        return OK if best is not None else SHORT
    table = columns("bet", "raise", right=("entries", "memory", "time to the target", "fits", "cost, % of the pot"))
    for i, fit in enumerate(found):
        needs, mark = fit.estimate, "finest" if i == best else "yes" if fit.fits else "no"
        size = ("too many lines", "", "")
        if needs is not None:
            time = "?" if needs.seconds is None else seconds_text(needs.seconds)
            size = (f"{needs.entries:,}", bytes_text(needs.memory_bytes), time)
        table.add_row(fit.bet, fit.raise_ or "none", *size, mark, _price_text(fit.price))
    console().print(table)
    spots = next(fit.price.spots for fit in found if fit.price is not None)
    sys.stdout.write(
        "\nCost: what a player loses who may bet only these sizes, against an opponent who may bet the finest menu.\n"
        f"The mean, and the least and greatest, over both players of {spots} spots measured on the turn, each to .2.\n"
    )
    if best is None:
        note("None of these menus fits; a smaller stack, tighter ranges or a coarser target help.")
        return SHORT
    sys.stdout.write(f'\n[bets]\nbet = "{found[best].bet}"\nraise = "{found[best].raise_}"\n')
    return OK
