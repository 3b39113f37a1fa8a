"""A match of an agent of Errai against a program on the web, its log and its result.

What a program says is held against the rules: every action, the cards, and what was won.  The log is that of the
competition's dealer (:mod:`errai.arena.acpc.log`), so whatever reads such logs reads it.  A request of which the answer
was lost may have been taken; where the program cannot say, the hand is broken off and counted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from errai.agents.agent import Agent, MatchStart
from errai.arena.acpc.log import CHIPS_SLACK, LogFile, comment_line, log_name, read_log, state_line
from errai.arena.estimator import Estimator
from errai.arena.online.requests import LostError
from errai.arena.session import Average, luck_estimator
from errai.errors import (
    AgentError,
    DamagedFileError,
    HistoryError,
    IllegalActionError,
    InputError,
    MatchError,
    MismatchError,
    ProtocolError,
)
from errai.games.catalogue import load_game
from errai.games.hand import Action, Observation, PlayedHand, PublicState, line_text
from errai.own_code import whole_number
from errai.store.atomic import refusals

GAME = "holdem.nolimit.2p"
FAILURES = 3
"""So many hands may be lost one after the other before the match stops."""
RETRY_SECONDS = 1.0
"""The wait before another attempt; it doubles with every failure."""

_ESTIMATE = re.compile(r"\bAIVAT (-?\d+(?:\.\d+)?)")
_SERVERS_ESTIMATE = re.compile(r"\baivat_score (-?\d+(?:\.\d+)?)")
_LEFT_OPEN = re.compile(r"hand (\d+) was left open: (\S+)")


@dataclass(frozen=True)
class Seen:
    """A hand as a program describes it, held against the rules."""

    state: PublicState
    seat: int
    """The agent's."""
    own: tuple[int, ...]
    other: tuple[int, ...] | None
    """The program's cards, if it shows them."""
    winnings: float | None
    """What the agent has won, chips; None while the hand goes on."""
    key: str = ""
    """The program's own name of the hand, by which it can be found again."""
    remarks: tuple[str, ...] = ()
    """What the program says beside it, for the log."""

    def __post_init__(self) -> None:
        """Hold the hand against the rules; raises :class:`ProtocolError`."""
        known = self.state.board + self.own + (self.other or ())
        if len(self.own) != 2 or (self.other is not None and len(self.other) != 2) or len(set(known)) != len(known):
            raise ProtocolError("An answer has a card twice, or not two cards for each player.")
        if self.state.is_over != (self.winnings is not None):
            raise ProtocolError(
                f"After {self.line} the hand is {'' if self.state.is_over else 'not '}over by the rules, and the "
                "server says something else."
            )

    @property
    def line(self) -> str:
        """The actions, for messages."""
        return line_text(self.state.line) or "no action"

    def played(self, number: int, names: tuple[str, str]) -> PlayedHand:
        """Return the hand, which is over; raises :class:`ProtocolError` if something else was won by the rules."""
        assert self.winnings is not None
        order = slice(None) if self.seat == 0 else slice(None, None, -1)
        hole = (self.own, self.other)[order]
        if self.state.betting.showdown and self.other is None:
            raise ProtocolError("The bot's cards are missing at a showdown.")
        net = self.state.net_chips(cast(Any, hole))
        if abs(net[self.seat] - self.winnings) > CHIPS_SLACK:
            raise ProtocolError(
                f"The server says that {self.winnings:+g} chips were won after {self.line}; by the rules it is "
                f"{net[self.seat]:+g}."
            )
        found: Any = (self.state.subject, number, hole, self.state.board, self.state.actions, names[order], net)
        return PlayedHand(*found)


class Program(Protocol):
    """A program on the web that deals hands of :data:`GAME` and plays them."""

    name: str
    """The name in the log."""
    address: str

    def begin(self) -> Seen:
        """Begin a hand; raises :class:`LostError` or :class:`ProtocolError`."""
        ...

    def act(self, seen: Seen, action: Action) -> Seen:
        """Take the agent's action; raises :class:`LostError` if what became of the hand is not known."""
        ...

    def find(self, key: str) -> Seen | None:
        """Return a hand that was left open, or None."""
        ...

    def start_again(self) -> None:
        """Begin anew after a hand was lost."""
        ...


@dataclass
class OnlineResult:
    """What an agent has won against a program, the hands of an earlier part of the log among them."""

    agent: str
    address: str
    hands: list[PlayedHand] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    """The agent's seat in each hand."""
    estimates: list[float] = field(default_factory=list)
    """What AIVAT says of each hand, chips; empty if the agent cannot state its strategy."""
    servers_estimates: list[float] = field(default_factory=list)
    """The same as the program computes it, if it does."""
    broken_off: int = 0
    """Hands whose end is not known since a request failed; they count in nothing else."""
    last_failure: str = ""
    thinking_seconds: list[float] = field(default_factory=list)
    """The time of each of the agent's decisions in this run."""
    differences: list[float] = field(default_factory=list)
    """Of the log's hands whose AIVAT was computed again: by how much it differs from what the log says, chips."""

    @property
    def chips(self) -> Average:
        """What the agent won, with the 95 % interval."""
        return Average.of([hand.net_chips[seat] for hand, seat in zip(self.hands, self.seats, strict=True)])

    @property
    def without_luck(self) -> Average | None:
        """The same by AIVAT; None unless all hands were estimated."""
        return self._of_all(self.estimates)

    @property
    def by_the_server(self) -> Average | None:
        """The same by the program's AIVAT; None unless it says so of all hands."""
        return self._of_all(self.servers_estimates)

    def _of_all(self, estimates: list[float]) -> Average | None:
        return Average.of(estimates) if self.hands and len(estimates) == len(self.hands) else None

    def add(self, hand: PlayedHand, seat: int, remarks: str, *, estimated: bool) -> None:
        """Add a hand with its remarks in the log."""
        self.hands.append(hand)
        self.seats.append(seat)
        for found, estimates in ((_ESTIMATE, self.estimates), (_SERVERS_ESTIMATE, self.servers_estimates)):
            match = found.search(remarks)
            if match and (estimated or found is not _ESTIMATE):
                estimates.append(float(match[1]))


def play_online(
    agent: Agent,
    program: Program,
    hands: int,
    *,
    log: Path | None = None,
    seed: int = 0,
    check: bool = False,
    on_hand: Callable[[OnlineResult], None] | None = None,
) -> OnlineResult:
    """Play hands against a program on the web.

    Parameters
    ----------
    agent:
        The agent; if it can state its strategy, its result is estimated by AIVAT too.
    program:
        :class:`~errai.arena.online.slumbot.Slumbot` or :class:`~errai.arena.online.gtowizard.GtoWizard`.
    hands:
        How many hands are played in all, those of the log among them.
    log:
        A file to which every hand is written when it is over.  If it exists, its hands are read and checked, and the
        match is resumed, with the hand that was left open where the program still has it.
    seed:
        The agent's random draws depend on it and the number of the hand.
    check:
        Compute AIVAT of the log's hands again, and keep by how much it differs.
    on_hand:
        Called after every hand, and once at the beginning of a match that is resumed.

    Raises
    ------
    InputError
        A number makes no sense, or the agent has the program's name.
    MismatchError, DamagedFileError
        The log is that of another match, or one of its lines cannot be read.
    MatchError
        Three requests failed one after the other; what was played is in the log.
    ProtocolError
        The program said something that the rules do not allow.
    AgentError
        The agent failed or broke the rules.
    """
    hands = whole_number(hands, "The number of hands", 0)
    game = load_game(GAME)
    names = log_name(agent.name), program.name
    if names[0] == names[1]:
        raise InputError(f"The agent has the name of its opponent, {names[0]}; the log could not tell them apart.")
    result = OnlineResult(agent.name, program.address)
    agent.start_match(MatchStart(game, seed))
    estimator = luck_estimator(game, agent, of_known=True)
    with ExitStack() as stack:
        file, open_key = _open_log(log, result, names, seed, estimator, check=check)
        if file is not None:
            stack.callback(file.close)
        if on_hand is not None and result.hands:
            on_hand(result)
        failures = 0
        while len(result.hands) < hands:
            number = len(result.hands) + result.broken_off
            try:
                begun = program.find(open_key) if open_key else _new_hand(program)
                if begun is None:
                    raise LostError("the program no longer has the hand that was left open", begun=True)
                open_key = ""
                with _left_open(file, number, begun.key):
                    end = _play_hand(agent, program, number, begun, result.thinking_seconds)
            except LostError as lost:
                program.start_again()
                open_key, failures, result.last_failure = "", failures + 1, str(lost)
                if lost.begun:
                    result.broken_off += 1
                    if file is not None:
                        file.write(comment_line(f"hand {number} was broken off: {lost}") + "\n")
                if failures == FAILURES:
                    raise MatchError(
                        f"{failures} requests failed one after the other, the last one so: {lost}"
                    ) from lost
                time.sleep(RETRY_SECONDS * 2 ** (failures - 1))
                continue
            failures = 0
            played = end.played(number, names)
            agent.end_hand(Observation(end.state, end.seat, end.own, number, end.other), played.net_chips[end.seat])
            remarks = end.remarks
            if estimator is not None:
                remarks = (f"AIVAT {estimator.estimate(played, end.seat):.6f}", *remarks)
            remark = ", ".join(remarks)
            if file is not None:
                file.write(state_line(played) + (f" # {remark}" if remark else "") + "\n")
            result.add(played, end.seat, remark, estimated=estimator is not None)
            if on_hand is not None:
                on_hand(result)
        if file is not None:
            file.settle()
    return result


def _new_hand(program: Program) -> Seen:
    seen = program.begin()
    if len(seen.state.line) > 1:
        raise ProtocolError(f"A new hand begins with the actions {seen.line[:40]!a}.")
    return seen


@contextmanager
def _left_open(file: LogFile | None, number: int, key: str) -> Iterator[None]:
    """Keep in the log how the program names a hand that something other than a lost request ends."""
    try:
        yield
    except LostError:
        raise
    except BaseException:
        if file is not None and key:
            file.write(comment_line(f"hand {number} was left open: {key}") + "\n")
        raise


def _play_hand(agent: Agent, program: Program, number: int, seen: Seen, seconds: list[float]) -> Seen:
    """Play a hand to its end, and return it."""
    while seen.winnings is None:
        if seen.state.actor != seen.seat:
            raise ProtocolError(f"After {seen.line} it is the server's turn to act, and it did not.")
        begun = time.perf_counter()
        try:
            action = agent.act(Observation(seen.state, seen.seat, seen.own, number))
            wanted = seen.state.after(action).line
        except (AgentError, IllegalActionError) as error:
            raise AgentError(f"{agent.name}, hand {number}: {error}") from error
        seconds.append(time.perf_counter() - begun)
        try:
            after = program.act(seen, action)
        except LostError as lost:
            lost.begun = True
            raise
        if (after.seat, after.own) != (seen.seat, seen.own) or after.state.line[: len(wanted)] != wanted:
            raise ProtocolError(f"The answer to an action after {seen.line} is another hand: {after.line}.")
        seen = after
    return seen


def _open_log(
    path: Path | None,
    result: OnlineResult,
    names: tuple[str, str],
    seed: int,
    estimator: Estimator | None,
    *,
    check: bool,
) -> tuple[LogFile | None, str]:
    """Read what a log holds, and open it for more; returns the program's name of a hand that was left open too."""
    if path is None:
        return None, ""
    where = urlsplit(result.address).hostname
    header = comment_line(f"errai {names[1]}: agent {names[0]}, seed {seed}, at {where}") + "\n"
    text = ""
    if path.exists():
        with refusals(path):
            text = path.read_bytes().decode(errors="replace")
    kept = text[: text.rfind("\n") + 1]  # A line that was cut off is played again.
    if not kept:
        if text:
            raise MismatchError(f"{path} is not the log of a match against {names[1]}; name another file.")
        file = LogFile(path)
        file.write(header)
        return file, ""
    if not kept.startswith(header):
        raise MismatchError(
            f"{path} is not the log of this agent, seed and server; it begins with {kept.splitlines()[0]!r:.120}."
        )
    read = read_log(kept.splitlines(), load_game(GAME), str(path))
    if read.problems:
        raise DamagedFileError(f"{path} cannot be resumed: {read.problems[0]}")
    for hand in read.hands:
        if names[0] not in hand.players:
            raise HistoryError(f"{names[0]} did not play hand {hand.number} of the log.")
        seat, remark = hand.players.index(names[0]), str(hand.details.get("_comments", ""))
        result.add(hand, seat, remark, estimated=estimator is not None)
        said = _ESTIMATE.search(remark)
        if check and estimator is not None and said:
            result.differences.append(float(estimator.estimate(hand, seat)) - float(said[1]))
    result.broken_off = sum(" was broken off: " in comment for comment in read.comments)
    left = [match for match in map(_LEFT_OPEN.search, read.comments) if match]
    number = len(result.hands) + result.broken_off
    open_key = left[-1][2] if left and int(left[-1][1]) == number else ""
    return LogFile(path, len(kept.encode()), kept.count("\n")), open_key
