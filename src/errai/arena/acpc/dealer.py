"""A dealer of the competition's protocol: a port for each player, one match; any number of matches at once.

A :class:`Table` is one match.  The player who connects to the first port is in position 0 in the first hand, and from
hand to hand the players move on by one position.  The cards of a hand depend on the seed and the number of the hand
only, so a match with ``exchanged`` positions and the same seed is the other half of a duplicate match of two; for three
the competition played a match in each order of the players.

A player forfeits who loses the connection, lets a time run out, or makes more invalid actions than are allowed; the
match then ends, what was won in whole hands stands, and other matches in the same process continue.  This also holds
for a player who connects and leaves before the opponent has come.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TextIO, cast

from errai.arena.acpc.connection import LineConnection
from errai.arena.acpc.log import LogFile, Score, comment_line, require_name, score_line, state_line
from errai.arena.acpc.referee import Verdict, rule_on, shown
from errai.arena.acpc.text import MAX_HAND_NUMBER, matchstate_line, protocol_game
from errai.engine.status import Outcome
from errai.errors import AgentError, ErraiError, MatchError
from errai.games.game import Game
from errai.games.hand import Action, Hand, PlayedHand
from errai.games.ring import numbered_hand

VERSION = "VERSION:2.0.0"
MATCH_SECONDS_PER_HAND = 7.0
_VERSION = re.compile(r"VERSION:([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")
_NOTES_KEPT = 1000
"""Notes on bad lines that are written to the log; further ones are only counted."""
_FAREWELL_SECONDS = 5.0
"""A player may take so long to read the end of the match."""
_SAME_MOMENT = 0.01
"""Seconds before a deadline that count as the deadline, for timers are not exact."""


@dataclass(frozen=True)
class Limits:
    """Limits beyond which a player forfeits; the defaults are those of the competition's dealer.

    Times are in seconds, and count from the moment a line is sent until the player's answer has come.
    """

    action_seconds: float = 600.0
    hand_seconds: float = 600.0
    match_seconds: float | None = None
    """None: 7 seconds for each hand of the match."""
    connect_seconds: float | None = None
    """For all players to connect and send their version; None waits for ever."""
    invalid_actions: int | None = None
    """A player with more than these forfeits; None: any number is replaced."""

    def __post_init__(self) -> None:
        for name in ("action_seconds", "hand_seconds", "match_seconds", "connect_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise MatchError(f"{name} must be above 0, not {value}.")
        if self.invalid_actions is not None and self.invalid_actions < 0:
            raise MatchError(f"invalid_actions must be at least 0, not {self.invalid_actions}.")


@dataclass(frozen=True)
class MatchSetting:
    """The match that is played at a table.

    Raises :class:`MatchError` if it cannot be played.
    """

    game: Game
    hands: int
    seed: int
    players: tuple[str, ...] = ("A", "B")
    """Names, in the order of the ports."""
    exchanged: bool = False
    """For two: whether the second player is in position 0 in the first hand, the other half of a duplicate match."""
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        protocol_game(self.game)
        if not 1 <= self.hands <= MAX_HAND_NUMBER:
            raise MatchError(f"A match has 1 to {MAX_HAND_NUMBER} hands, not {self.hands}.")
        if self.seed < 0:
            raise MatchError(f"The seed must be at least 0, not {self.seed}.")
        for name in self.players:
            require_name(name)
        if len(self.players) != self.game.num_players:
            raise MatchError(f"{self.game.label} is for {self.game.num_players} players, not {len(self.players)}.")
        for name in self.players:
            if self.players.count(name) > 1:
                which = "Both" if len(self.players) == 2 else "Several"
                raise MatchError(f"{which} players are called {name!r}; give them different names.")
        if self.exchanged and len(self.players) != 2:
            raise MatchError("Positions are exchanged between two players; give three in another order.")

    def player_at(self, position: int, hand: int) -> int:
        """Return which player, counted from 0, is in a position in a hand: positions move on by one each hand."""
        return (position + hand + self.exchanged) % len(self.players)

    @property
    def match_seconds(self) -> float:
        """Time of each player over the whole match."""
        given = self.limits.match_seconds
        return MATCH_SECONDS_PER_HAND * self.hands if given is None else given


@dataclass
class PlayerRecord:
    """The figures of a player in a match."""

    name: str
    net_chips: float = 0.0
    invalid_actions: int = 0
    """Answers that were not legal actions and became calls."""
    moved_raises: int = 0
    """Raises to illegal amounts, moved to the nearest legal one."""
    stray_lines: int = 0
    """Lines that did not answer the state that was sent."""
    seconds: float = 0.0
    """Time taken over the match."""
    hand_seconds: float = 0.0
    """Time taken in the current hand."""


@dataclass
class MatchResult:
    """The result of a match so far, and how it ended."""

    players: tuple[PlayerRecord, ...]
    status: Outcome = Outcome.WAITING
    hands: int = 0
    """Whole hands; the chips are of these only."""
    seconds: float = 0.0
    forfeited_by: tuple[str, ...] = ()
    """The players who forfeited; all if none connected."""
    reason: str = ""


class _ForfeitError(Exception):
    """A player has forfeited; it is raised and caught in this file only."""

    def __init__(self, players: list[int], reason: str) -> None:
        super().__init__(reason)
        self.players = players
        self.reason = reason


@dataclass(eq=False)
class Table:
    """One match over TCP.

    Parameters
    ----------
    setting:
        The match.
    log:
        A text file or a :class:`~errai.arena.acpc.log.LogFile`, open for writing; the caller closes it.
    on_hand:
        Called after every hand.
    """

    setting: MatchSetting
    log: TextIO | LogFile | None = None
    on_hand: Callable[[PlayedHand], None] | None = None

    def __post_init__(self) -> None:
        self.result = MatchResult(tuple(map(PlayerRecord, self.setting.players)))
        self._number = len(self.setting.players)
        self._notes = 0
        self._servers: list[asyncio.Server] = []
        self._seats: list[asyncio.Future[LineConnection]] = []
        self._connections: list[LineConnection] = []
        self._all_came = asyncio.Event()
        self._came = 0

    async def open(self, host: str = "127.0.0.1", ports: tuple[int, ...] = ()) -> tuple[int, ...]:
        """Listen for all players and return the ports; 0 stands for a free port, and so does no port at all.

        Raises :class:`MatchError` if it cannot listen on a port.
        """
        loop = asyncio.get_running_loop()
        found = []
        if len(ports or self.setting.players) != self._number:
            raise MatchError(f"{self._number} ports are needed, one for each player, not {len(ports)}.")
        for player, port in enumerate(ports or (0,) * self._number):
            seat: asyncio.Future[LineConnection] = loop.create_future()
            self._seats.append(seat)
            try:
                made = partial(LineConnection, partial(self._sit, seat))
                server = await loop.create_server(made, host, port, backlog=8, start_serving=False)
                self._servers.append(server)
                await server.start_serving()
            except OSError as error:
                self.close()
                raise MatchError(
                    f"Port {port} of {host} for {self.setting.players[player]} cannot be listened on "
                    f"({error.strerror or error}); choose another, or let free ones be found."
                ) from error
            found.append(int(server.sockets[0].getsockname()[1]))
        return tuple(found)

    async def play(self) -> MatchResult:
        """Wait for all players and play the match; ``result`` is valid at any time, also after a cancellation."""
        begun, result = time.monotonic(), self.result
        try:
            self._write_header()
            await self._meet()
            result.status = Outcome.PLAYING
            for number in range(self.setting.hands):
                played = await self._play_hand(number)
                # A hand that the log does not have is none of the result.
                if self.log is not None:
                    self._write(state_line(played))
                result.hands += 1
                for position in range(self._number):
                    player = self.setting.player_at(position, number)
                    result.players[player].net_chips += played.net_chips[position]
                if self.on_hand is not None:
                    self.on_hand(played)
            result.status = Outcome.DONE
            won = tuple(player.net_chips for player in result.players)
            self._write(score_line(Score(won, self.setting.players)))
            await self._see_off()
        except _ForfeitError as error:
            result.status, result.reason = Outcome.FORFEITED, error.reason
            result.forfeited_by = tuple(self.setting.players[player] for player in error.players)
            self._comment(f"FORFEIT by {' and '.join(result.forfeited_by)} after {result.hands} hands: {error.reason}")
        except BaseException as error:
            why = str(error) if isinstance(error, ErraiError) else "stopped from outside"
            result.status, result.reason = Outcome.INTERRUPTED, why
            with suppress(ErraiError, OSError):  # It may be the log that cannot be written.
                self._comment(f"STOPPED after {result.hands} hands")
            raise
        finally:
            result.seconds = time.monotonic() - begun
            self.close()
        return result

    def close(self) -> None:
        """Stop listening, and end the connections."""
        for server in self._servers:
            server.close()
        for seat in self._seats:
            seat.cancel()
        for connection in self._connections:
            connection.close()

    def _sit(self, seat: asyncio.Future[LineConnection], connection: LineConnection) -> None:
        """Give the seat to the first program that connects, and refuse others."""
        if seat.done():
            connection.abort()
            return
        self._connections.append(connection)
        seat.set_result(connection)
        self._servers[self._seats.index(seat)].close()

    async def _meet(self) -> None:
        """Wait until all players are connected and have sent a known version.

        Raises :class:`_ForfeitError` as soon as one of them cannot play any more; at the deadline, for all who have not
        come.
        """
        loop, limit = asyncio.get_running_loop(), self.setting.limits.connect_seconds
        deadline = None if limit is None else loop.time() + limit
        greetings = [asyncio.ensure_future(self._greet(player, deadline)) for player in range(self._number)]
        try:
            await asyncio.wait(greetings, return_when=asyncio.FIRST_COMPLETED)
            if deadline is not None and loop.time() >= deadline - _SAME_MOMENT:
                await asyncio.wait(greetings)
            failed = [e for g in greetings if g.done() and (e := g.result()) is not None]
        finally:
            for greeting in greetings:
                greeting.cancel()
        if failed:
            raise _ForfeitError([p for e in failed for p in e.players], "; ".join(e.reason for e in failed))

    async def _greet(self, player: int, deadline: float | None) -> _ForfeitError | None:
        """Wait until a player has come, and then until all have or the deadline is over."""
        name = self.setting.players[player]
        try:
            async with asyncio.timeout_at(deadline):
                connection = await self._seats[player]
        except TimeoutError:
            return _ForfeitError([player], f"{name} did not connect")
        try:
            while (line := await connection.read_line(deadline)).text[:1] in ("#", ";"):
                await asyncio.sleep(0)
        except AgentError as error:
            return _ForfeitError([player], f"{name}, before the version: {error}")
        version = _VERSION.match(line.text)
        if version is None or int(version[1]) != 2 or int(version[2]) > 0:
            return _ForfeitError([player], f"{name} sent {shown(line.text)} instead of {VERSION}")
        self._came += 1
        if self._came == self._number:
            self._all_came.set()
        # A player who leaves before the opponent has come forfeits.
        left = None if deadline is None else max(deadline - asyncio.get_running_loop().time(), 0.0)
        waits = [asyncio.ensure_future(wait) for wait in (self._all_came.wait(), connection.gone.wait())]
        try:
            done, _ = await asyncio.wait(waits, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if not done or self._all_came.is_set():
            return None
        others = " and ".join(other for other in self.setting.players if other != name)
        return _ForfeitError([player], f"{name} left before {others} had come")

    async def _see_off(self) -> None:
        """Wait until all players have received the end of the last hand."""
        deadline = asyncio.get_running_loop().time() + _FAREWELL_SECONDS
        for connection in self._connections:
            connection.close()
            await connection.wait_closed(deadline)

    async def _play_hand(self, number: int) -> PlayedHand:
        setting = self.setting
        hand = numbered_hand(setting.game, setting.seed, number)
        for record in self.result.players:
            record.hand_seconds = 0.0
        while True:
            asked = [matchstate_line(hand.observation(position)) for position in range(self._number)]
            for position, line in enumerate(asked):
                await self._send(setting.player_at(position, number), line)
            if hand.state.is_over:
                names = [setting.players[setting.player_at(position, number)] for position in range(self._number)]
                return hand.played(cast(Any, tuple(names)))
            actor = hand.state.actor
            hand.act(await self._answer(setting.player_at(actor, number), asked[actor], hand))

    async def _send(self, player: int, text: str) -> None:
        connection = self._seats[player].result()
        connection.write_line(text)
        try:
            await connection.drain(asyncio.get_running_loop().time() + self.setting.limits.action_seconds)
        except AgentError as error:
            raise _ForfeitError([player], f"{self.setting.players[player]}: {error}") from error

    async def _answer(self, player: int, asked: str, hand: Hand) -> Action:
        """Return the action of a player: its answer, or the action that replaces it."""
        record, limits = self.result.players[player], self.setting.limits
        observation = hand.observation(hand.state.actor)
        connection, sent = self._seats[player].result(), asyncio.get_running_loop().time()
        left = min(
            limits.action_seconds,
            limits.hand_seconds - record.hand_seconds,
            self.setting.match_seconds - record.seconds,
        )
        while True:
            try:
                line = await connection.read_line(sent + left)
            except AgentError as error:
                record.seconds += asyncio.get_running_loop().time() - sent
                raise _ForfeitError([player], f"{record.name}, hand {hand.number}: {error}") from error
            # A line that came before its state was sent took no time.
            taken = max(line.at - sent, 0.0)
            if taken > left:
                record.seconds += taken
                raise _ForfeitError([player], f"{record.name}, hand {hand.number}: no answer in time")
            verdict, action, note = rule_on(line.text, asked, observation)
            if note:
                self._note(f"hand {hand.number}, {record.name}: {note}")
            if verdict is Verdict.COMMENT or verdict is Verdict.STRAY:
                record.stray_lines += verdict is Verdict.STRAY
                # Other matches are served between the lines of a player who sends nothing but these.
                await asyncio.sleep(0)
                continue
            record.seconds += taken
            record.hand_seconds += taken
            record.moved_raises += verdict is Verdict.MOVED
            if verdict is Verdict.REPLACED:
                record.invalid_actions += 1
                if limits.invalid_actions is not None and record.invalid_actions > limits.invalid_actions:
                    reason = f"{record.name}, hand {hand.number}: {record.invalid_actions} invalid actions"
                    raise _ForfeitError([player], reason)
            return action

    def _write_header(self) -> None:
        setting = self.setting
        exchanged = ", positions exchanged" if setting.exchanged else ""
        self._comment(
            f"name/game/hands/seed {'-'.join(setting.players)} {setting.game.name} {setting.hands} "
            f"{setting.seed}{exchanged}"
        )
        for name, seconds in (
            ("t_response", setting.limits.action_seconds),
            ("t_hand", setting.limits.hand_seconds),
            ("t_per_hand", setting.match_seconds / setting.hands),
        ):
            self._comment(f"--{name} {round(1000 * seconds)}")

    def _note(self, text: str) -> None:
        self._notes += 1
        if self._notes <= _NOTES_KEPT:
            self._comment(text)
        elif self._notes == _NOTES_KEPT + 1:
            self._comment("Further notes are left out.")

    def _comment(self, text: str) -> None:
        self._write(comment_line(text))

    def _write(self, line: str) -> None:
        """Add a line to the log, if there is one, so that there is a readable log on the disk at any moment."""
        if self.log is not None:
            self.log.write(f"{line}\n")
            self.log.flush()
