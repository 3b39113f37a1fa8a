"""Play against an agent at the terminal.

Play against an agent: a solution, or one of the simple agents. At every turn the legal actions are shown
below the table with their keys; type one and press Enter.

  f                   fold
  k, c                check, call
  r 300, b 300        raise to 300, bet 300: what you will have put in on this street
  r 50%, r 2.5x, r 3bb  a share of the pot; a multiple of the bet faced; big blinds
  r pot, r min, a     the pot; the smallest raise; all-in
  h, s, v             hint, score, the hand before
  ?, q                help, quit

for example:
  errai play leduc --against solution:leduc.errai
  errai play holdem.nolimit.2p --against resolver --session evening.json
  errai play spot.toml --against solution:spot.errai --hints
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import SUBJECT, Arguments, Options, natural_number
from errai.cli.inputs import load_subject, output_path
from errai.cli.output import OK

if TYPE_CHECKING:
    from errai.agents.agent import StrategicAgent
    from errai.arena.session import Session
    from errai.games.game import Subject


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("subject GAME", SUBJECT)
    add("--against AGENT", "the opponent, such as solution:FILE", required=True)
    add("--advisor AGENT", "the agent that gives hints (default: the opponent, if it is able to)")
    add("--hints", "show a hint at every turn")
    add("--seed N", "seed of the cards (default: a random one)", natural_number)
    add("--hands N", "stop after N hands (default: never)")
    add("--session FILE", "save the session here after every action, and resume it if the file exists")
    add("--history FILE", "write the hands as PHH at the end (default: beside the session, if PHH has the game)")
    add("--name NAME", "your name (default: you)", player_name)
    add("--seat", "your seat; the first seat acts first (default: alternate)", choices=("first", "second", "alternate"))
    add("--open", "show the opponent's cards after every hand")
    add("--plain", "draw with ASCII only")


def player_name(text: str) -> str:
    """Read a name of 1 to 24 letters, for argparse."""
    name = " ".join(text.split())
    if not 1 <= len(name) <= 24 or not name.isprintable():
        raise argparse.ArgumentTypeError(f"{text!a} is not a valid name; use 1 to 24 printable characters")
    return name


def run(options: Options) -> int:
    """Play until the user leaves or the hands are played."""
    from errai.agents.agent import MatchStart, StrategicAgent
    from errai.arena.acpc.client import read_entrant
    from errai.arena.session_file import locked_session
    from errai.cli.play_loop import PlayLoop
    from errai.cli.talk import Leave
    from errai.console import console
    from errai.errors import StrategyError

    subject = load_subject(options.subject)
    path, history = output_path(options.session), output_path(options.history)
    with contextlib.ExitStack() as agents:
        if path is not None:
            agents.enter_context(locked_session(path))
        opponent = read_entrant(options.against, subject)
        agents.callback(opponent.close)
        session = _session(options, subject, opponent, path)
        advisor: StrategicAgent | None = opponent if isinstance(opponent, StrategicAgent) else None
        if options.advisor is not None:
            made = read_entrant(options.advisor, subject)
            agents.callback(made.close)
            if not isinstance(made, StrategicAgent):
                raise StrategyError(f"{made.name} does not state its strategy for your hand; choose another advisor.")
            made.start_match(MatchStart(subject, session.seed))
            advisor = made
        table = PlayLoop(session, console(), options, path, advisor)
        try:
            table.play()
            table.farewell()
        except Leave as leaving:
            table.leave(asked=leaving.asked)
        except KeyboardInterrupt:
            table.leave(asked=False)
        finally:
            table.keep()
    table.write_history(history)
    return OK


def _session(options: Options, subject: Subject, opponent: Any, path: Path | None) -> Session:
    """Return a new session, or the one in the file."""
    from errai.arena.session import Seating, Session, luck_estimator
    from errai.arena.session_file import load_session
    from errai.errors import MatchError

    estimator = luck_estimator(subject, opponent)
    if path is None or not path.exists():
        seed = secrets.randbits(32) if options.seed is None else options.seed
        seating = Seating(options.seat or "alternate")
        name = options.name or "you"
        return Session(subject, opponent, seed=seed, player=name, seating=seating, estimator=estimator)
    session = load_session(path, subject, opponent, estimator=estimator)
    for name, asked, held in (("seed", options.seed, session.seed), ("seat", options.seat, session.seating)):
        if asked not in (None, held):
            raise MatchError(f"The session in {path} has the {name} {held}; leave --{name} out, or name another file.")
    session.player = options.name or session.player
    return session
