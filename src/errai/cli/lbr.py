"""Compute a lower bound on an agent's exploitability.

Measure how much a local best response wins from an agent (Lisy and Bowling, 2017). In expectation that is
at most what a best response wins, so it is a lower bound on the agent's exploitability. How much more a best
response would win is not known.

The agent must have a strategy for every hand: always-fold, always-call, always-raise, uniform,
fold=0.1,call=0.4,raise=0.5, by-strength:20, solution:FILE, store:FOLDER, resolver:AGENT,
python:package.module:Class.

settings (--settings lists them): the responder's actions in each round. Write your own with a menu for
every round between slashes, such as c/fc/fcpa/fc+50%+a: f fold, c call, p the pot, a all-in,
r the smallest raise, shares of the pot, 56bets.

Ctrl-C ends the measurement early, with the result so far. With --checkpoint and --resume it goes on from there,
and the result is that of a measurement that was never interrupted.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import SUBJECT, Arguments, Options
from errai.cli.inputs import asked, interrupted, load_subject
from errai.cli.output import OK, answer
from errai.console import seconds_text
from errai.errors import InputError, MatchError
from errai.options import LbrOptions

if TYPE_CHECKING:
    from errai.arena.lbr.measure import LbrProgress
    from errai.arena.lbr.settings import Setting
    from errai.engine.units import Measurement
    from errai.games.game import Subject


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("agent AGENT", "the agent to measure, as listed above", nargs="?")
    add("--game GAME", SUBJECT, default="holdem.nolimit.2p")
    add("--setting NAME", "the responder's actions (fcpa; limit in limit games)")
    add("--settings", "list the settings and exit")
    add("--exact", "enumerate every deal and line of a small game instead of playing")
    add.declared(LbrOptions)
    add.progress()


def run(options: Options) -> int:
    """Measure, and write what the local best response won."""
    from errai.arena.lbr.measure import lbr
    from errai.arena.lbr.settings import NAMED, read_setting
    from errai.cli.signals import watched

    if options.settings:
        named = [{"name": name, "menus": menus.split("/"), "text": text} for name, (menus, text) in NAMED.items()]
        facts = [(name, f"{menus:28}  {text}") for name, (menus, text) in NAMED.items()]
        answer(options, {"settings": named}, "settings: the menu of every round, and what it means", facts)
        return OK
    if options.agent is None:
        raise MatchError("Name the agent that is to be measured: `errai lbr AGENT`; or list the --settings.")
    subject: Any = load_subject(options.game)
    game = subject.rules
    setting = read_setting(options.setting or ("limit" if game.limit else "fcpa"), game.num_rounds)
    if options.exact:
        if options.checkpoint is not None or options.resume:
            raise InputError("--exact counts a small game at once; leave --checkpoint and --resume out.")
        return _enumerate(options, subject, setting)
    settings = asked(options, LbrOptions)
    scale = 1000.0 / subject.big_blind if subject.big_blind else 1.0
    unit = "mbb/g" if subject.big_blind else "chips a hand"

    def progress(now: LbrProgress) -> None:
        half = 1.96 * now.error_chips * scale
        error = f" +- {half:.4g}" if math.isfinite(half) else ""
        left = seconds_text((now.total - now.done) * now.seconds / now.done)
        state = f"{now.done:,} of {now.total:,} hands, wins {now.mean_chips * scale:.4g}{error} {unit}, {left} left"
        view.show(now.done / now.total, state)

    with watched(options, f"local best response to {options.agent}") as (stop, view):
        result = lbr(subject, options.agent, setting, stop=stop, progress=progress if view else None, **settings)
    low, high = result.interval
    seats = zip(result.by_seat_chips, result.by_seat_error_chips, strict=True)
    rate = f"{result.hands:,} in {seconds_text(result.seconds)} ({result.hands_per_second:.1f} a second)"
    facts = [
        ("setting", result.setting),
        ("wins", _text(result.won)),
        ("95 % interval", f"{_text(low)} to {_text(high)}"),
        ("by seat", ", ".join(f"seat {p}: {mean:.4g} +- {half:.2g} chips" for p, (mean, half) in enumerate(seats))),
        ("hands", rate),
        ("not solved", f"{result.unsolved:,} states, for lack of time" if result.unsolved else ""),
        ("means", "in expectation the agent's exploitability is at least what is won"),
    ]
    answer(options, result.document(), f"{result.game}: local best response to {result.agent}", facts)
    return interrupted(result, options)


def _enumerate(options: Options, subject: Subject, setting: Setting) -> int:
    from errai.agents.agent import StrategicAgent
    from errai.arena.acpc.client import read_entrant
    from errai.arena.lbr.measure import measured_document
    from errai.arena.lbr.responder import enumerate_lbr
    from errai.engine.units import Measurement, Units
    from errai.games.hand import PublicState

    agent = read_entrant(options.agent, subject)
    if not isinstance(agent, StrategicAgent):
        raise MatchError(f"{agent.name} does not give its strategy for every hand, which a local best response needs.")
    by_seat = enumerate_lbr(agent, subject, setting)
    won = Measurement(sum(by_seat) / 2.0, Units.of(subject, max(PublicState.start(subject).pot_chips, 1.0)))
    document = {
        "game": options.game,
        "agent": agent.name,
        "setting": setting.name,
        "kind": "exact value of a lower bound",
        "won": measured_document(won),
        "by_seat_chips": list(by_seat),
    }
    facts = [
        ("setting", setting.name),
        ("wins, exactly", _text(won)),
        ("by seat", ", ".join(f"seat {p}: {chips:.6g} chips" for p, chips in enumerate(by_seat))),
        ("means", "the agent's exploitability is at least that"),
    ]
    answer(options, document, f"{options.game}: local best response to {agent.name}", facts)
    return OK


def _text(measured: Measurement) -> str:
    return f"{measured.chips:.6g} chips" if measured.mbb is None else f"{measured.mbb:.1f} mbb/g"
