"""Programs that play over TCP: one of Errai's agents at a dealer, and another program as an agent.

:class:`ProtocolPlayer` is the protocol without a network: a line in, and an answer out if it is the agent's turn.
:func:`play_at_dealer` connects it.

:class:`ProgramAgent` is started with a host and a port: ``acpc:./example_player holdem.limit.2p.game`` runs
``./example_player holdem.limit.2p.game 127.0.0.1 PORT``, as the competition's script does, and deals to it over the
loopback device.  Every state is sent to the program, those of the opponent's turns too; its illegal answers are
replaced by the dealer's rules and counted.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, cast

from errai.agents.agent import Agent, MatchStart
from errai.agents.reader import read_agent
from errai.arena.acpc.connection import MAX_LINE_BYTES
from errai.arena.acpc.dealer import VERSION
from errai.arena.acpc.referee import Verdict, rule_on, shown
from errai.arena.acpc.text import action_text, matchstate_line, protocol_game, read_matchstate
from errai.errors import AgentError, IllegalActionError, InputError, MatchError, ProtocolError, StrategyError
from errai.games.game import Game, Subject
from errai.games.hand import Action, Observation, opening_state, still_in
from errai.running.system import end_session, own_session
from errai.strategies.strategy import require_same

RETRY_SECONDS = 0.1
"""Time between two attempts to connect to a dealer that does not listen yet."""
_CLOSING_SECONDS = 2.0
"""Time for a program to end by itself once the connection has ended."""
_POLL_SECONDS = 0.05
_ERROR_BYTES = 2000


@dataclass
class PlayerTally:
    """What an agent has seen of a match."""

    hands: int = 0
    """Hands that were seen to their end."""
    net_chips: float = 0.0
    """Over the hands whose result was visible."""
    unknown_results: int = 0
    """Showdowns without the cards of all who were in."""
    bad_lines: int = 0
    """Lines that could not be read and were skipped."""
    last_bad_line: str = ""
    broken_off: str = ""
    """What happened where the dealer ended the connection in the middle of a hand or before the first; else empty."""


class ProtocolPlayer:
    """An agent's answers to the lines of a dealer.

    Parameters
    ----------
    agent:
        The agent.
    game:
        The game that the dealer deals; the protocol does not say it.
    seed:
        The agent's random draws depend on it and the number of the hand.
    """

    def __init__(self, agent: Agent, game: Game, seed: int = 0) -> None:
        self.agent = agent
        self.game = protocol_game(game)
        self.tally = PlayerTally()
        self._limit = game.limit
        self._in_hand: int | None = None
        self._last = ("", "")
        agent.start_match(MatchStart(game, seed))

    def answer(self, line: str) -> str | None:
        """Return the answer to a line, without the line break; None if none is due.

        Comments are skipped, and so are lines that cannot be read, which are counted.  Raises :class:`AgentError` if
        the rules do not allow the agent's answer.
        """
        line = line.rstrip("\r\n")
        if not line or line[0] in "#;":
            return None
        if line == self._last[0]:
            # A line that comes twice has the same answer: querying the agent again would draw again.
            return self._last[1] or None
        try:
            observation = read_matchstate(line, self.game)
        except ProtocolError as error:
            self.tally.bad_lines += 1
            self.tally.last_bad_line = f"{shown(line)}: {error}"
            return None
        reply = ""
        self._in_hand = None if observation.state.is_over else observation.hand_number
        if observation.my_turn:
            try:
                action = self.agent.act(observation)
                observation.state.after(action)
            except (AgentError, IllegalActionError) as error:
                raise AgentError(f"{self.agent.name}, hand {observation.hand_number}: {error}") from error
            reply = f"{line}:{action_text(action, limit=self._limit)}"
        elif observation.state.is_over:
            self._end_hand(observation)
        else:
            self.agent.watch(observation)
        self._last = (line, reply)
        return reply or None

    def end(self) -> None:
        """Note that the dealer has ended the connection; in the middle of a hand no match is over."""
        if self._in_hand is not None:
            self.tally.broken_off = f"The dealer ended the connection in the middle of hand {self._in_hand}."
        elif not self.tally.hands:
            self.tally.broken_off = "The dealer ended the connection before the first hand was over."

    def _end_hand(self, observation: Observation) -> None:
        self.tally.hands += 1
        state, seat = observation.state, observation.seat
        if state.betting.showdown and any(observation.hole[p] is None for p in still_in(state)):
            self.tally.unknown_results += 1
            return
        net = state.net_chips(cast(Any, observation.hole))[seat]
        self.tally.net_chips += net
        self.agent.end_hand(observation, net)


def play_at_dealer(
    player: ProtocolPlayer,
    host: str,
    port: int,
    *,
    connect_seconds: float = 30.0,
    silence_seconds: float | None = None,
    on_hand: Callable[[PlayerTally], None] | None = None,
) -> PlayerTally:
    """Connect to a dealer and play until it ends the connection.

    The protocol does not say when a match is over.  A connection that ends in the middle of a hand, or before any, is
    noted in ``broken_off`` of the tally: the dealer has failed, or the opponent has forfeited.

    Parameters
    ----------
    player:
        The agent.
    host, port:
        Where the dealer listens for this player.
    connect_seconds:
        How long to try if no dealer listens yet.
    silence_seconds:
        After so long without a line the dealer counts as dead; None waits for ever.
    on_hand:
        Called after every hand.

    Raises
    ------
    MatchError
        There is no dealer.
    AgentError
        The dealer fell silent, or the agent broke the rules.
    """
    with _connect(host, port, connect_seconds) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(silence_seconds)
        seen = player.tally.hands
        try:
            connection.sendall(f"{VERSION}\r\n".encode())
            received = bytearray()
            while (line := read_line(connection, received)) is not None:
                reply = player.answer(line)
                if reply is not None:
                    connection.sendall(f"{reply}\r\n".encode())
                if on_hand is not None and player.tally.hands != seen:
                    seen = player.tally.hands
                    on_hand(player.tally)
        except TimeoutError as error:
            raise AgentError(f"The dealer at {host}:{port} said nothing for {silence_seconds:g} s.") from error
        except ConnectionError:
            # A dealer that is done may end the connection before it has read the answer to its last line.
            pass
    player.end()
    return player.tally


def _connect(host: str, port: int, seconds: float) -> socket.socket:
    until = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((host, port), timeout=max(until - time.monotonic(), RETRY_SECONDS))
        except (OSError, OverflowError) as error:
            # Only a dealer that does not listen yet is worth waiting for; an unknown host name is not.
            if not isinstance(error, (ConnectionError, TimeoutError)) or time.monotonic() >= until:
                raise MatchError(
                    f"There is no dealer at {host}:{port} ({error}); start it, or check the address."
                ) from error
        time.sleep(RETRY_SECONDS)


def read_line(connection: socket.socket, received: bytearray, until: float | None = None) -> str | None:
    """Return the next line, cut to a bounded length; None where the connection has ended, perhaps within a line.

    Parameters
    ----------
    received:
        What has been received beyond the last line; it is changed.
    until:
        The monotonic time at which to give up with a :class:`TimeoutError`; by default the connection's own timeout
        counts, from each piece of a line to the next.
    """
    while b"\n" not in received:
        if until is not None:
            connection.settimeout(max(until - time.monotonic(), 1e-6))
        data = connection.recv(65536)
        if not data:
            return None
        del received[MAX_LINE_BYTES + 1 :]
        received += data
    line, _, rest = received.partition(b"\n")
    received[:] = rest
    return line[:MAX_LINE_BYTES].decode("ascii", "replace").rstrip("\r")


def read_address(text: str) -> tuple[str, int]:
    """Read ``host:port``.  Raises :class:`InputError`."""
    host, _, port = text.strip().rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port[:6]) <= 65535:
        raise InputError(f"{text!r} is not an address; write host:port, as in localhost:18374.")
    return host.strip("[]"), int(port)


# --- programs as agents ---


class ProgramAgent(Agent):
    """A program that speaks the competition's protocol.

    Parameters
    ----------
    command:
        The command line; host and port are appended.
    subject:
        The game.
    action_seconds:
        Time for an answer; the competition allows ten minutes.
    start_seconds:
        Time for the program to connect and send its version.

    Raises :class:`StrategyError` if the command line is empty or cannot be split into words, and
    :class:`UnsupportedGameError` if the subject is a spot.
    """

    learns = True
    """The program might; so it is started again for the second half of a duplicate match."""

    def __init__(
        self, command: str, subject: Subject, *, action_seconds: float = 600.0, start_seconds: float = 60.0
    ) -> None:
        self.game = protocol_game(subject)
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise StrategyError(f"The command line {command!r} cannot be read: {error}.") from error
        if not self._words:
            raise StrategyError("acpc: needs a command line, as in acpc:./example_player holdem.limit.2p.game.")
        self.name = f"acpc:{command}"
        self.action_seconds = action_seconds
        self.start_seconds = start_seconds
        self.invalid_actions = 0
        """Answers that were not legal actions and became calls."""
        self.moved_raises = 0
        """Raises to illegal amounts, moved to the nearest legal one."""
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._connection: socket.socket | None = None
        self._received = bytearray()
        self._hand = -1
        self._sent = 0

    def start_match(self, start: MatchStart) -> None:
        """Run the program and wait until it has connected.

        Raises :class:`AgentError` if it cannot be run, ends, or does not connect in time.
        """
        self.close()
        require_same(self.game, start.subject, self.name)
        self._hand, self._sent = -1, 0
        self._received.clear()
        self.invalid_actions = self.moved_raises = 0
        with socket.create_server(("127.0.0.1", 0)) as server:
            self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the match
            try:
                self._process = subprocess.Popen(
                    [*self._words, "127.0.0.1", str(server.getsockname()[1])],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    # Ctrl-C at the terminal is for the match, which then ends the program and its children.
                    **own_session(),
                )
                self._meet(server)
            except BaseException as error:
                self.close()
                if isinstance(error, OSError):
                    raise AgentError(f"{self.name} cannot be run: {error.strerror or error}.") from error
                raise

    def act(self, observation: Observation) -> Action:
        """Send the states since the last turn, and wait for an answer.

        Raises :class:`AgentError` if the program has ended or does not answer in time.
        """
        asked = self._tell(observation)
        until = time.monotonic() + self.action_seconds
        while True:
            verdict, action, _ = rule_on(self._line(until), asked, observation)
            if verdict in (Verdict.COMMENT, Verdict.STRAY):
                continue
            self.invalid_actions += verdict is Verdict.REPLACED
            self.moved_raises += verdict is Verdict.MOVED
            return action

    def end_hand(self, observation: Observation, net_chips: float) -> None:
        """Send the end of the hand.  Raises :class:`AgentError` if the program has ended."""
        self._tell(observation)

    def close(self) -> None:
        """End the connection, and then the program if it does not end by itself."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_CLOSING_SECONDS)
            # A script's children belong to its session and may outlive it.
            for at_once in (False, True):
                end_session(process, at_once=at_once)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_CLOSING_SECONDS)
                    break
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()

    def _meet(self, server: socket.socket) -> None:
        until = time.monotonic() + self.start_seconds
        server.settimeout(_POLL_SECONDS)
        while self._connection is None:
            try:
                self._connection, _ = server.accept()
            except TimeoutError:
                if self._process is not None and self._process.poll() is not None:
                    raise self._ended("before it connected") from None
                if time.monotonic() >= until:
                    raise AgentError(f"{self.name} did not connect within {self.start_seconds:g} s.") from None
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while (line := self._line(until))[:1] in ("#", ";"):
            pass
        if not line.startswith("VERSION:2.0."):
            raise AgentError(f"{self.name} sent {line[:80]!r} instead of VERSION:2.0.0.")

    def _tell(self, observation: Observation) -> str:
        """Send all states since the last one that was sent, and return the last line."""
        if observation.hand_number != self._hand or len(observation.state.line) < self._sent - 1:
            self._hand, self._sent = observation.hand_number, 0
        lines: list[str] = []
        before = opening_state(observation.state.subject)
        for number, action in enumerate(observation.state.line):
            before = before.dealt(observation.state.board)
            if number >= self._sent:
                seen = type(observation)(before, observation.seat, observation.cards, observation.hand_number)
                lines.append(matchstate_line(seen))
            before = before.after(action)
        lines.append(matchstate_line(observation))
        self._sent = len(observation.state.line) + 1
        if observation.state.is_over:
            self._hand = -1
        self._send("".join(f"{line}\r\n" for line in lines))
        return lines[-1]

    def _send(self, text: str) -> None:
        if self._connection is None:
            raise AgentError(f"{self.name} has no match; start one first.")
        self._connection.settimeout(self.action_seconds)
        try:
            self._connection.sendall(text.encode())
        except TimeoutError as error:
            raise AgentError(f"{self.name} does not read what it is sent.") from error
        except OSError as error:
            raise self._ended() from error

    def _line(self, until: float) -> str:
        """Return the next line from the program."""
        assert self._connection is not None
        try:
            line = read_line(self._connection, self._received, until)
        except TimeoutError:
            raise AgentError(f"{self.name} did not answer in time.") from None
        except OSError as error:
            raise self._ended() from error
        if line is None:
            raise self._ended()
        return line

    def _ended(self, when: str = "in the middle of the match") -> AgentError:
        """Return the error for a program that has ended: its exit code and the end of its standard error."""
        status = ""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = f" with exit code {self._process.wait(0.5)}"
        said = ""
        if self._errors is not None:
            self._errors.seek(0, os.SEEK_END)
            self._errors.seek(max(self._errors.tell() - _ERROR_BYTES, 0))
            said = self._errors.read().decode("utf-8", "replace").strip()
        return AgentError(f"{self.name} ended {when}{status}{': ' + said if said else '.'}")


def read_entrant(text: str, subject: Subject) -> Agent:
    """Make an agent as :func:`errai.agents.reader.read_agent`; ``acpc:command line`` runs a program."""
    return read_agent(text, subject, more={"acpc": ProgramAgent})
