"""Let two agents play, and measure which is better.

Let two agents play each other and print what the first one wins, in thousandths of a big blind a hand, with
its 95 % interval.

agents:
  always-fold, always-call, always-raise   the same action whenever the rules allow it
  uniform                                  every action with the same probability
  fold=0.1,call=0.4,raise=0.5              a mixture; an illegal action becomes a call or check
  by-strength, by-strength:20              plays by the current strength of the hand, in buckets
  solution:FILE, store:FOLDER              a solution of the game or spot
  python:package.module:Class              a class of your own with a method act(observation)

With --duplicate every deal is played twice with the seats exchanged, which removes most of the luck of the
cards; an agent that learns is created once for each table. --aivat and --importance remove more, without bias.
The result is the same for every number of processes. Ctrl-C ends the match early: the hands so far count.
"""

from __future__ import annotations

import shlex
from functools import partial
from math import factorial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from errai.cli.arguments import SUBJECT, Arguments, Options
from errai.cli.inputs import asked, interrupted, load_subject, output_path, report_folder, ring_game
from errai.cli.output import ERROR, answer, fields, note, write_facts, write_json
from errai.console import seconds_text
from errai.engine.status import Outcome
from errai.errors import InputError
from errai.options import MatchOptions, option_words

if TYPE_CHECKING:
    from errai.arena.match import MatchProgress
    from errai.arena.results import MatchResult, Measure
    from errai.games.game import Subject
    from errai.games.ring import RingGame
    from errai.reports import Statement


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("first A", "the agent whose winnings are measured")
    add("second B", "the opponent")
    add("others C", "further opponents, in a game for more than two players", nargs="*")
    add("--game GAME", SUBJECT, required=True)
    add.declared(MatchOptions)
    add("--aivat", "measure with AIVAT too: much less luck, no bias")
    add("--importance", "measure with importance sampling too")
    add(
        "--values TEXT",
        "how AIVAT estimates the values of states: equity, agents (their own values), an agent, or street:AGENT, "
        "which follows that agent until the street ends and uses equity from there on (default: equity)",
        needs="aivat",
    )
    add("--report FOLDER", "write a report: HTML, JSON and pictures")
    add("--results PLACE", "save the result for `errai standings`: a folder, or a file .match.json")
    add.progress()


def run(options: Options) -> int:
    """Play the match, write the files that were asked for, and print the result."""
    from errai.arena.acpc.client import read_entrant
    from errai.arena.match import BrokenMatchError, luck_estimator, play_match
    from errai.cli.signals import watched

    ring = ring_game(options.game)
    if ring is not None:
        return _run_ring(ring, options)
    if options.others:
        raise InputError(f"{options.game} is for two players, and {2 + len(options.others)} agents are given.")
    subject = load_subject(options.game)
    results = _results_path(options.results)
    report = report_folder(options)
    texts = (options.first, options.second)
    # An estimate that treats both agents alike cancels at the two tables of a deal as the chips do.
    imagined = "each" if options.common_random_numbers else "auto"
    contestants = (partial(read_entrant, texts[0], subject), partial(read_entrant, texts[1], subject))
    estimators = {"aivat": luck_estimator("aivat", options.values, imagined)} if options.aivat else {}
    if options.importance:
        estimators["importance"] = luck_estimator("importance")
    # The command that plays the same match has no options that do not change the result.
    how = "hands duplicate" if options.boards is None else "boards"
    same = fields(options, f"game {how} common_random_numbers until aivat importance values seed")
    command = shlex.join(["errai", "match", *texts, *option_words(same)])
    settings = asked(options, MatchOptions) | {"estimators": estimators, "command": command}
    seconds, fresh = 0.0, 0

    def progress(now: MatchProgress) -> None:
        nonlocal seconds, fresh
        seconds, fresh = now.seconds, now.fresh_hands
        left = (now.hands_wanted - now.hands) * now.seconds / max(now.fresh_hands, 1)
        what = "hands" if options.boards is None else "boards, counted in both seats"
        parts = [f"{now.hands:,} of {now.hands_wanted:,} {what}", f"{now.mean_chips:+,.4g} chips a hand"]
        parts += [f"about {seconds_text(left)} left"] if now.hands < now.hands_wanted else []
        view.show(now.hands / now.hands_wanted, ", ".join(parts))

    try:
        with watched(options, f"{texts[0]} against {texts[1]}") as (stop, view):
            result = play_match(subject, contestants, stop=stop, progress=progress, **settings)
    except BrokenMatchError as error:
        result = error.result
    statements = _statements(subject, texts) if report is not None or options.json else ()
    written = [] if results is None else [result.save(results)]
    if report is not None and result.hands:
        from errai.reports import write_report

        written += write_report(result, report, statements)[:1]
    if options.json:
        write_json(document(result, statements, seconds))
    elif not options.quiet:
        write_result(result, seconds, fresh)
        for path in written:
            note(f"Wrote {path}.")
    if result.status is Outcome.FAILED:
        note(f"errai: {result.error}")
        return ERROR
    return interrupted(result, options)


def _run_ring(game: RingGame, options: Options) -> int:
    """Play a match of three agents or more."""
    from errai.arena.acpc.client import read_entrant
    from errai.arena.ring import play_ring_match
    from errai.cli.signals import watched

    for name in (
        "aivat",
        "importance",
        "values",
        "report",
        "results",
        "checkpoint",
        "resume",
        "until",
        "common_random_numbers",
        "boards",
    ):
        if getattr(options, name):
            raise InputError(f"--{name.replace('_', '-')} is for matches of two; leave it out for {game.label}.")
    texts = (options.first, options.second, *options.others)
    each = factorial(game.num_players) if options.duplicate else 1
    if options.hands % each:
        raise InputError(
            f"Duplicate play of {game.num_players} needs a multiple of {each} hands, not {options.hands:,}."
        )
    deals = options.hands // each

    def progress(done: int, means: tuple[float, ...]) -> None:
        said = ", ".join(f"{chips:+.4g}" for chips in means)
        view.show(done / deals, f"{done * each:,} of {options.hands:,} hands, {said} chips a hand")

    with watched(options, " against ".join(texts)) as (stop, view):
        result = play_ring_match(
            game,
            [partial(read_entrant, text, cast(Any, game)) for text in texts],
            deals,
            seed=options.seed,
            duplicate=options.duplicate,
            log=output_path(options.log),
            stop=stop,
            progress=progress,
        )
    found = result.document()
    facts = []
    for player in found["players"]:
        scale, unit = (1.0, "chips") if player["mbb_per_hand"] is None else (1000.0 / game.big_blind, "mbb/g")
        ends = player["interval_chips"]
        reach = "" if ends is None else f", 95 %: {ends[0] * scale:+,.4g} to {ends[1] * scale:+,.4g}"
        hundred = "" if unit == "chips" else f"; {bb_per_100(player['mbb_per_hand'])}"
        facts.append((player["name"], f"{player['chips_per_hand'] * scale:+,.4g} {unit}{reach}{hundred}"))
    play = f"each deal in {each} orders of seats" if options.duplicate else "seats move on"
    facts.append(("hands", f"{result.hands:,} ({play}) in {seconds_text(result.seconds)}"))
    answer(options, found, f"{game.label}: {' against '.join(result.players)}", facts)
    return interrupted(result, options)


def _results_path(text: str | None) -> Path | None:
    from errai.arena.results import SUFFIX
    from errai.store.atomic import make_folder

    if text is not None and (Path(text).is_dir() or text.endswith("/")):
        make_folder(text)
        return Path(text)
    if text is not None and not text.endswith(SUFFIX):
        raise InputError(f"{text} is not a folder; end the name of a new one with /, or that of a file with {SUFFIX}.")
    return output_path(text)


def _statements(subject: Subject, texts: tuple[str, str]) -> tuple[Statement, ...]:
    """Return the numbers that are known exactly, in games that are small enough."""
    from errai.agents.agent import StrategicAgent
    from errai.arena.acpc.client import read_entrant
    from errai.arena.luck.values import exact_value, is_small
    from errai.reports import Statement

    if not is_small(subject):
        return ()
    first, second = (read_entrant(text, subject) for text in texts)
    if not isinstance(first, StrategicAgent) or not isinstance(second, StrategicAgent):
        return ()
    method = "every deal and every line of bets, with the probabilities of both strategies"
    return (Statement("expected winnings", "exact", method, exact_value(subject, (first, second))),)


def document(result: MatchResult, statements: tuple[Statement, ...], seconds: float) -> dict[str, Any]:
    """Return the document of ``--json``; ``docs/arena.md`` lists the fields."""
    from errai.reports import statement_document

    body = result.document()
    for measure in body["measures"]:
        # Samples that only `errai standings` and reports need stay in the file of the match.
        for name in ("pairs", "running"):
            del measure[name]
        for seat in measure["by_seat"]:
            del seat["histogram"]
    return {**body, "statements": [statement_document(result, s) for s in statements], "seconds": seconds}


def write_result(result: MatchResult, seconds: float, fresh: int) -> None:
    """Write a result as text."""
    from errai.reports import NAMES

    facts = [(NAMES.get(m.name, m.name), _measure_text(result, m)) for m in result.measures]
    chips = result.measures[0]
    unit, scale = result.unit
    for seat, at in enumerate(chips.by_seat):
        if at.hands.n:
            facts.append((f"in seat {seat}", f"{at.hands.mean * scale:+,.4g} {unit}{_reach(at.interval, scale)}"))
    if (decided := result.decided) is not None:
        winner = result.players[0 if decided.low > 0 else 1]
        facts.append(("decided", f"{winner} wins{_reach(decided, scale)} {unit}, looked at all the time"))
    rate = f", {fresh / seconds:,.0f} hands/s" if seconds > 0 else ""
    play = "duplicate" if result.duplicate else "seats alternate"
    if result.boards:
        boards = f"{result.hands // 2:,}, all hands in both seats, in {seconds_text(seconds)}"
        write_facts(f"{result.title}: {result.players[0]} against {result.players[1]}", [*facts, ("boards", boards)])
        return
    if result.common_random_numbers:
        play += ", common random numbers"
    facts.append(("hands", f"{result.hands:,} ({play}) in {seconds_text(seconds)}{rate}"))
    write_facts(f"{result.title}: {result.players[0]} against {result.players[1]}", facts)
    for misfit in result.misfits:
        note(str(misfit))
    for player, count in zip(result.players, result.unsolved, strict=True):
        if count:
            note(f"{player} had no time to solve {count:,} states; what it plays without a solution decided there.")


def _measure_text(result: MatchResult, m: Measure) -> str:
    unit, scale = result.unit
    if m.interval is None:
        return f"{m.mean_chips * scale:+,.4g} {unit}; too few hands for an interval" if result.hands else "no hands"
    less, luck = "", result.measures[0].standard_error_chips
    if m is not result.measures[0] and luck > 0:
        less = f"; {1 - m.standard_error_chips / luck:.1%} less error"
    hundred = "" if unit != "mbb/g" else f"; {bb_per_100(m.mean_chips * scale)}"
    return f"{m.mean_chips * scale:+,.4g} {unit}{_reach(m.interval, scale)}{hundred}{less}"


def bb_per_100(mbb: float) -> str:
    """Return thousandths of a big blind a hand as big blinds a hundred hands, which players count in."""
    return f"{mbb / 10.0:+,.4g} bb/100"


def _reach(interval: Any, scale: float) -> str:
    return (
        ""
        if interval is None
        else f", {100 * interval.confidence:.5g} %: {interval.low * scale:+,.4g} to {interval.high * scale:+,.4g}"
    )
