"""A program as an agent: it is started with a host and a port, and plays over the competition's protocol.

``acpc:./example_player holdem.limit.2p.game`` runs ``./example_player holdem.limit.2p.game 127.0.0.1 PORT``, as the
competition's script does, and deals to it over the loopback device.  Every state is sent to the program, those of the
opponent's turns too; its illegal answers are replaced by the dealer's rules and counted.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import socket
import subprocess
import tempfile
import time
from typing import IO

from errai.agents.agent import Agent, MatchStart
from errai.agents.reader import read_agent
from errai.arena.acpc.connection import MAX_LINE_BYTES
from errai.arena.acpc.referee import Verdict, rule_on
from errai.arena.acpc.text import matchstate_line, protocol_game
from errai.errors import AgentError, StrategyError
from errai.games.hand import Action, Observation, PublicState
from errai.games.subject import Subject
from errai.strategies.strategy import require_same

_CLOSING_SECONDS = 2.0
"""Time for a program to end by itself once the connection has ended."""
_POLL_SECONDS = 0.05
_ERROR_BYTES = 2000


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

    Raises
    ------
    StrategyError
        The command line is empty or cannot be split into words.
    UnsupportedGameError
        The subject is a spot.
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
        self._received = b""
        self._hand = -1
        self._sent = 0

    def start_match(self, start: MatchStart) -> None:
        """Run the program and wait until it has connected.

        Raises :class:`AgentError` if it cannot be run, ends, or does not connect in time.
        """
        self.close()
        require_same(self.game, start.subject, self.name)
        self._hand, self._sent, self._received = -1, 0, b""
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
                    start_new_session=True,
                )
            except OSError as error:
                self.close()
                raise AgentError(f"{self.name} cannot be run: {error.strerror or error}.") from error
            try:
                self._meet(server)
            except BaseException:
                self.close()
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
            for sign in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, sign)
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
                self._require_alive("before it connected")
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
        lines = [
            matchstate_line(Observation(state, observation.seat, observation.cards, observation.hand_number))
            for state in _states_since(observation.state, self._sent)
        ]
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
        while True:
            line, newline, rest = self._received.partition(b"\n")
            if newline:
                self._received = rest
                return line[:MAX_LINE_BYTES].decode("ascii", "replace").rstrip("\r")
            self._received = line[: MAX_LINE_BYTES + 1]
            left = until - time.monotonic()
            try:
                if left <= 0:
                    raise TimeoutError
                self._connection.settimeout(left)
                data = self._connection.recv(65536)
            except TimeoutError:
                raise AgentError(f"{self.name} did not answer in time.") from None
            except OSError as error:
                raise self._ended() from error
            if not data:
                raise self._ended()
            self._received += data

    def _require_alive(self, when: str) -> None:
        if self._process is not None and self._process.poll() is not None:
            raise self._ended(when)

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


def _states_since(state: PublicState, sent: int) -> list[PublicState]:
    """Return the states of a hand before this one, in order, without the first ``sent``."""
    found: list[PublicState] = []
    before = PublicState.start(state.subject)
    for number, action in enumerate(state.line):
        before = before.dealt(state.board)
        if number >= sent:
            found.append(before)
        before = before.after(action)
    return found
