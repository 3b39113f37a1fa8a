"""Rulings on the lines of a player: a line is an action, an action that has to be replaced, or nothing.

The rules are those of the competition's dealer.  A comment, a line that cannot be read, or a line about another state
is skipped, and the dealer continues to wait.  A line that begins with the state that was sent is an answer, whatever
follows: a raise of a size that is not legal is moved to the nearest legal one, and any other illegal action is a call.
"""

from __future__ import annotations

import re
from enum import Enum
from operator import attrgetter
from typing import NamedTuple

from errai.arena.acpc.text import read_matchstate
from errai.errors import ProtocolError
from errai.games.hand import CALL, FOLD, Action, Observation, PublicState, raise_to

MAX_ACTIONS_IN_ROUND = 64
"""Actions of a round that the competition's programs can hold.  A raise that would leave no room for the other player's
answer is not legal over the protocol."""

_SIZE = re.compile(r"[ \t]*([+-]?[0-9]+)")
_HUGE = 2**31 - 1
"""The greatest amount of the format; greater ones are cut to it, and no stack is greater."""

_ASKED = attrgetter("hand_number", "seat", "cards", "state.actions", "state.board")
"""What an answer must repeat of the state that it is about."""


class Verdict(Enum):
    """The kinds of rulings."""

    LEGAL = "legal"
    MOVED = "moved"
    """A raise to an illegal amount; the nearest legal one is made."""
    REPLACED = "replaced"
    """An illegal action; a call is made."""
    COMMENT = "comment"
    STRAY = "stray"
    """A line that cannot be read, or that is about another state."""


class Ruling(NamedTuple):
    """A verdict and its consequences."""

    verdict: Verdict
    action: Action = CALL
    """The action to be made; without meaning for comments and stray lines."""
    note: str = ""
    """What was wrong, for the log."""


def rule_on(line: str, asked: str, observation: Observation) -> Ruling:
    """Rule on a line of the player to act.

    Parameters
    ----------
    line:
        The line, without the line break.
    asked:
        The last MATCHSTATE line that was sent to the player.
    observation:
        The state in that line.
    """
    if line[:1] in ("#", ";"):
        return Ruling(Verdict.COMMENT)
    if line.startswith(asked):
        return _rule_on_action(line[len(asked) :], observation.state)
    if not line.startswith("MATCHSTATE:"):
        return Ruling(Verdict.STRAY, note=f"no answer: {shown(line)}")
    # The same state may be written in another way, such as without the slash after the last round.
    head, _, _ = line.rpartition(":")
    for text in (head, line):
        try:
            said = read_matchstate(text, observation.state.subject.rules)
        except ProtocolError:
            continue
        if _ASKED(said) == _ASKED(observation):
            return _rule_on_action(line[len(text) :], observation.state)
        return Ruling(Verdict.STRAY, note=f"an answer to another state: {shown(line)}")
    return Ruling(Verdict.STRAY, note=f"no answer: {shown(line)}")


def shown(line: str) -> str:
    """Quote and shorten a line for a message."""
    return repr(line if len(line) <= 120 else line[:117] + "...")


def _rule_on_action(text: str, state: PublicState) -> Ruling:
    """Rule on what follows the state: a colon and an action; the rest of the line is ignored."""
    legal, kind = state.betting.legal(), text[1:2]
    if not text.startswith(":") or kind not in ("f", "c", "r"):
        return Ruling(Verdict.REPLACED, note=f"no action: {shown(text)}; it calls")
    if kind == "c":
        return Ruling(Verdict.LEGAL, CALL)
    if kind == "f":
        if legal.fold:
            return Ruling(Verdict.LEGAL, FOLD)
        return Ruling(Verdict.REPLACED, note="a fold without a bet to call; it checks")
    limit = state.betting.game.limit
    size = None if limit else _SIZE.match(text, 2)
    if not limit and size is None:
        return Ruling(Verdict.REPLACED, note=f"a raise without its total: {shown(text)}; it calls")
    if legal.raise_range is None or len(state.actions[-1]) + 2 > MAX_ACTIONS_IN_ROUND:
        return Ruling(Verdict.REPLACED, note="a raise where none is legal; it calls")
    if size is None:
        return Ruling(Verdict.LEGAL, raise_to(legal.raise_range[0]))
    least, most = legal.raise_range
    # The number is cut to what the format can hold.
    digits = size[1].lstrip("+-0") or "0"
    amount = min(int(digits), _HUGE) if len(digits) <= 10 else _HUGE
    total = -amount if size[1].startswith("-") else amount
    if least <= total <= most:
        return Ruling(Verdict.LEGAL, raise_to(total))
    moved = min(max(total, least), most)
    return Ruling(Verdict.MOVED, raise_to(moved), f"a raise to {total}; it is moved to {moved}")
