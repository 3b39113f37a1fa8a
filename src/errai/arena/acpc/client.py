"""One of Errai's agents at a dealer.

:class:`ProtocolPlayer` is the protocol without a network: a line in, and an answer out if it is the agent's turn.
:func:`play_at_dealer` connects it.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from errai.agents.agent import Agent, MatchStart
from errai.arena.acpc.connection import MAX_LINE_BYTES
from errai.arena.acpc.dealer import VERSION
from errai.arena.acpc.referee import shown
from errai.arena.acpc.text import action_text, protocol_game, read_matchstate
from errai.errors import AgentError, IllegalActionError, InputError, MatchError, ProtocolError
from errai.games.game import Game
from errai.games.hand import Action, Observation

RETRY_SECONDS = 0.1
"""Time between two attempts to connect to a dealer that does not listen yet."""


@dataclass
class PlayerTally:
    """What an agent has seen of a match."""

    hands: int = 0
    """Hands that were seen to their end."""
    net_chips: float = 0.0
    """Over the hands whose result was visible."""
    unknown_results: int = 0
    """Showdowns without the opponent's cards."""
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
    hands:
        The number of hands to be played, if it is known.
    """

    def __init__(self, agent: Agent, game: Game, seed: int = 0, hands: int | None = None) -> None:
        self.agent = agent
        self.game = protocol_game(game)
        self.tally = PlayerTally()
        self._limit = game.limit
        self._in_hand: int | None = None
        self._last = ("", "")
        agent.start_match(MatchStart(game, seed, hands))

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
            action = self._act(observation)
            reply = f"{line}:{action_text(action, limit=self._limit)}"
        elif observation.state.is_over:
            self._end_hand(observation)
        self._last = (line, reply)
        return reply or None

    def end(self) -> None:
        """Note that the dealer has ended the connection; in the middle of a hand no match is over."""
        if self._in_hand is not None:
            self.tally.broken_off = f"The dealer ended the connection in the middle of hand {self._in_hand}."
        elif not self.tally.hands:
            self.tally.broken_off = "The dealer ended the connection before the first hand was over."

    def _act(self, observation: Observation) -> Action:
        try:
            action = self.agent.act(observation)
            observation.state.after(action)
        except (AgentError, IllegalActionError) as error:
            raise AgentError(f"{self.agent.name}, hand {observation.hand_number}: {error}") from error
        return action

    def _end_hand(self, observation: Observation) -> None:
        self.tally.hands += 1
        state, seat = observation.state, observation.seat
        shown_cards = observation.opponent_cards
        if state.betting.showdown and shown_cards is None:
            self.tally.unknown_results += 1
            return
        own, other = observation.cards, shown_cards or ()
        net = state.net_chips((own, other) if seat == 0 else (other, own))[seat]
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
            for line in _lines(connection):
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


def _lines(connection: socket.socket) -> Iterator[str]:
    """Yield the lines of a connection until it ends, cut to a bounded length; half a line at the end is dropped."""
    begun = b""
    while data := connection.recv(65536):
        *ended, rest = data.split(b"\n")
        for part in ended:
            yield (begun + part)[:MAX_LINE_BYTES].decode("ascii", "replace")
            begun = b""
        begun = (begun + rest)[: MAX_LINE_BYTES + 1]


def read_address(text: str) -> tuple[str, int]:
    """Read ``host:port``.  Raises :class:`InputError`."""
    host, _, port = text.strip().rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port[:6]) <= 65535:
        raise InputError(f"{text!r} is not an address; write host:port, as in localhost:18374.")
    return host.strip("[]"), int(port)
