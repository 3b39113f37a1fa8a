"""Say whether a game is essentially solved: a lifetime of play would not show the difference.

Say whether a game is essentially solved, as Bowling et al. (Science, 2015) define it: even after a lifetime of playing
the best response, a player could not be sure to have won. The exit code is 0 if the game is essentially solved, else 3.
"""

from __future__ import annotations

import math

from errai.cli.arguments import SUBJECT, Arguments, Options, number_of_at_least_0, positive_number
from errai.cli.inputs import given, load_subject, open_solved
from errai.cli.output import OK, SHORT, answer, fields
from errai.errors import SolverOptionError, TargetError

UNITS = ("mbb", "bb", "chips", "%pot")


OPTIONS = (
    ("hands_per_hour", "hands-per-hour", "N", "hands in an hour (default: 200)"),
    ("hours_per_day", "hours-per-day", "N", "hours in a day (default: 12)"),
    ("years", "years", "N", "years of 365 days (default: 70)"),
    ("deviation_bb", "sd", "BB", "standard deviation of the winnings in one hand, in big blinds (default: 5)"),
    ("confidence", "confidence", "P", "one-sided confidence (default: 0.95)"),
)


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution FILE", "a solution, whose certified exploitability is used", nargs="?")
    add("--exploitability X", "an exploitability, instead of a file", number_of_at_least_0)
    add("--unit", "unit of --exploitability; chips and %pot need --game (default: mbb)", choices=UNITS)
    add("--game GAME", SUBJECT)
    for name, flag, letter, text in OPTIONS:
        add(f"--{flag} {letter}", text, positive_number, dest=name)
    add.json()


def run(options: Options) -> int:
    """Decide and write the verdict."""
    from errai.judges.essentially_solved import Lifetime, essentially_solved
    from errai.solutions.export import number_for_json

    life = Lifetime(**given(options, *(name for name, *_ in OPTIONS)))
    verdict = essentially_solved(_exploitability_mbb(options), life)
    document = {
        **fields(verdict, "essentially_solved exploitability_mbb"),
        **fields(life, "threshold_mbb hands hands_per_hour hours_per_day years confidence"),
        "standard_deviation_bb": life.deviation_bb,
        "standard_deviations": life.deviations,
        "hands_to_tell": number_for_json(verdict.hands_to_tell),
        "years_to_tell": number_for_json(verdict.years_to_tell),
    }
    play = f"{life.hands_per_hour:g} an hour, {life.hours_per_day:g} hours a day, 365 days a year, {life.years:g} years"
    sum_text = f"{life.deviations:.4g} x {1000 * life.deviation_bb:g} mbb / sqrt({life.hands:,.0f})"
    certainty = f"{100 * life.confidence:g} % sure"
    to_tell = "impossible: the strategy is not exploitable"
    if math.isfinite(verdict.hands_to_tell):
        to_tell = f"{verdict.hands_to_tell:,.0f} hands, which take {verdict.years_to_tell:,.3g} years"
    facts = [
        ("criterion", f"after a lifetime of play no opponent can be {certainty} to have won"),
        ("a lifetime", f"{life.hands:,.0f} hands: {play}"),
        ("one hand", f"standard deviation {life.deviation_bb:g} bb"),
        ("threshold", f"{life.threshold_mbb:.4g} mbb a hand = {sum_text}"),
        ("exploitability", f"{verdict.exploitability_mbb:.4g} mbb a hand"),
        (f"to be {certainty}", to_tell),
    ]
    answer(options, document, f"Essentially solved: {'yes' if verdict.essentially_solved else 'no'}", facts)
    return OK if verdict.essentially_solved else SHORT


def _exploitability_mbb(options: Options) -> float:
    """Return the exploitability from the file or from the option, in thousandths of a big blind."""
    from errai.engine.units import Units

    if (options.solution is None) == (options.exploitability is None):
        raise SolverOptionError(
            "Give either a solution or --exploitability X; the latter may have a --unit, and chips need --game."
        )
    if options.solution is not None:
        if options.unit is not None or options.game is not None:
            raise SolverOptionError("A solution file states its unit and its game; leave out --unit and --game.")
        return _in_mbb(open_solved(options.solution).exploitability.mbb)
    number: float = options.exploitability
    if options.unit in (None, "mbb", "bb"):
        return 1000.0 * number if options.unit == "bb" else number
    if options.game is None:
        raise SolverOptionError(f"Converting {options.unit} to big blinds needs the game; name it with --game.")
    subject = load_subject(options.game)
    units = Units.of(subject, subject.initial_pot_chips)
    return _in_mbb(units.mbb(number if options.unit == "chips" else number / 100.0 * units.initial_pot_chips))


def _in_mbb(mbb: float | None) -> float:
    if mbb is None:
        raise TargetError("The spot names no big blind, in which the criterion is counted; add big_blind to it.")
    return float(mbb)
