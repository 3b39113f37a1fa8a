"""The dealer of the ACPC protocol, its clients, the queue of jobs and the clock in one process and from one seed.

The event loop has a clock of its own, which goes on only when nothing can happen before, and a network of its own, in
which lines come late and in pieces.  Clients think too long, speak out of turn, close the connection, or stop reading;
the disk of the log fails; the dealer is stopped.  Meanwhile things happen to the jobs of a server (``job_queue.py``).
"""

from __future__ import annotations

import asyncio
import random
import selectors
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from campaign import Part
from job_queue import happens, judge, queue_worlds, settle

from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer
from errai.arena.acpc.dealer import VERSION, Limits, MatchSetting, Table
from errai.arena.acpc.log import read_log
from errai.engine.status import Outcome
from errai.errors import DiskSpaceError
from errai.games.catalogue import load_game

GAMES = ("kuhn", "leduc", "holdem.limit.2p", "holdem.nolimit.2p")
AGENTS = ("uniform", "always-call", "uniform")
LIMITS = Limits(action_seconds=10.0, hand_seconds=60.0, connect_seconds=60.0)
HARMLESS = ("", "", "noise", "twice", "pieces")
GUILTY = ("late", "closes", "half a line", "resets", "does not read", "does not come", "wrong version", "endless line")


class Selector(selectors.SelectSelector):
    """Waits for nothing: time goes on at once to when something happens."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        assert timeout is not None, "nothing will ever happen again"
        self.now += timeout
        return []


class Loop(asyncio.SelectorEventLoop):
    """An event loop with a clock and a network of its own."""

    def __init__(self, dice: random.Random) -> None:
        self.clock, self.dice = Selector(), dice
        self.made: list[Callable[[], Any]] = []
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now

    async def create_server(self, factory: Callable[[], Any], *_: Any, **__: Any) -> Any:  # type: ignore[override]
        self.made.append(factory)
        port = len(self.made)
        socket = SimpleNamespace(getsockname=lambda: ("fake", port))

        async def start_serving() -> None: ...

        return SimpleNamespace(sockets=[socket], start_serving=start_serving, close=lambda: None)


class Wire:
    """One direction of a connection: bytes come in order, late, and in pieces."""

    def __init__(self, loop: Loop, arrive: Callable[[bytes], None]) -> None:
        self.loop, self.arrive, self.last = loop, arrive, 0.0

    def later(self, do: Callable[[], None]) -> None:
        self.last = max(self.last, self.loop.time()) + self.loop.dice.uniform(0.0, 0.002)
        self.loop.call_at(self.last, do)

    def send(self, data: bytes, pieces: int = 1) -> None:
        cuts = sorted(self.loop.dice.randint(0, len(data)) for _ in range(pieces - 1))
        for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
            if begin < end:
                self.later(lambda part=data[begin:end]: self.arrive(part))  # type: ignore[misc]


class Client:
    """A program at the other end, with the dealer's transport for it."""

    def __init__(self, loop: Loop, factory: Callable[[], Any], player: ProtocolPlayer, ways: tuple[str, int]) -> None:
        self.loop, self.player, self.fault, self.turn = loop, player, ways[0], ways[1]
        self.answers = 0
        self.received = b""
        self.is_open = True
        self.protocol = factory()
        self.to_client, self.to_dealer = Wire(loop, self._came), Wire(loop, self._arrives)
        self.protocol.connection_made(self)
        if self.fault == "does not read":
            self.protocol.pause_writing()
        self.to_dealer.send(f"{'VERSION:3.0.0' if self.fault == 'wrong version' else VERSION}\r\n".encode(), 3)

    # --- as the dealer's transport ---

    def write(self, data: bytes) -> None:
        self.to_client.send(data, self.loop.dice.randint(1, 3))

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.to_client.later(lambda: self.protocol.connection_lost(None))

    abort = close

    def is_closing(self) -> bool:
        return not self.is_open

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    # --- as the program ---

    def _arrives(self, data: bytes) -> None:
        if self.is_open:
            self.protocol.data_received(data)

    def _leave(self, *, politely: bool) -> None:
        if self.is_open:
            self.is_open = False
            if politely:
                self.protocol.eof_received()
            self.protocol.connection_lost(None if politely else ConnectionResetError())

    def _came(self, data: bytes) -> None:
        *lines, self.received = (self.received + data).split(b"\n")
        for line in lines:
            reply = self.player.answer(line.decode())
            if reply is not None:
                self._answer(reply.encode() + b"\r\n")

    def _answer(self, reply: bytes) -> None:
        self.answers += 1
        dice = self.loop.dice
        if self.fault == "noise":
            noise = b"".join(bytes(dice.choices(range(32, 127), k=dice.randrange(40))) + b"\n" for _ in range(3))
            reply = b"# a comment\n" + noise.replace(b"MATCHSTATE", b"") + reply
        elif self.fault == "twice":
            reply += reply
        think = dice.uniform(0.0, 0.05)
        if self.answers == self.turn:
            if self.fault == "late":
                think = LIMITS.action_seconds + 0.1 + dice.expovariate(1.0)
            elif self.fault in ("closes", "resets", "half a line"):
                if self.fault == "half a line":
                    self.to_dealer.send(reply[: dice.randrange(len(reply) - 1)])
                politely = self.fault != "resets"
                return self.to_dealer.later(lambda: self._leave(politely=politely))
            elif self.fault == "endless line":
                reply = b"x" * 100_000
        pieces = 8 if self.fault == "pieces" else dice.choice((1, 1, 2))
        self.loop.call_later(think, lambda: self.to_dealer.send(reply, pieces))


class Log:
    """A log on a disk that may fail from some line on; what it cannot write is not in it."""

    def __init__(self, fails_at: int | None) -> None:
        self.lines: list[str] = []
        self.fails_at = fails_at

    def write(self, text: str) -> None:
        if self.fails_at is not None and len(self.lines) >= self.fails_at:
            raise DiskSpaceError("log cannot be written: the disk is full. Free some space or choose another folder.")
        self.lines.append(text)

    def flush(self) -> None: ...


def match_of(loop: Loop, dice: random.Random, row: str) -> tuple[Any, Callable[[], None]]:
    """Return a match to be played in the loop, and what judges it afterwards."""
    game, seed, hands = load_game(dice.choice(GAMES)), dice.randrange(1000), dice.randint(1, 12)
    setting = MatchSetting(game, hands, seed, exchanged=dice.random() < 0.5, limits=LIMITS)
    bad = row == "dealer: bad clients"
    ways = [(dice.choice(GUILTY if bad and dice.random() < 0.7 else HARMLESS), dice.randint(1, 12)) for _ in "AB"]
    log = Log(dice.randrange(hands + 8) if row == "dealer: full disk" else None)
    players = [ProtocolPlayer(read_agent(dice.choice(AGENTS), game), game, seed) for _ in "AB"]
    table = Table(setting, log)  # type: ignore[arg-type]
    clients: dict[int, Client] = {}

    def come(number: int, factory: Callable[[], Any]) -> None:
        clients[number] = Client(loop, factory, players[number], ways[number])

    async def play() -> None:
        before = len(loop.made)
        await table.open()
        for number in (0, 1):
            if ways[number][0] != "does not come":
                loop.call_later(dice.uniform(0.0, 5.0), come, number, loop.made[before + number])
        playing = asyncio.ensure_future(table.play())
        if row == "dealer: stopped":
            loop.call_later(dice.uniform(0.0, 3.0 + hands * 0.3), playing.cancel)
        try:
            await playing
        except (asyncio.CancelledError, DiskSpaceError):
            assert row in ("dealer: stopped", "dealer: full disk"), row

    def judge_match() -> None:
        result, told = table.result, f"{game.name}, {ways}, {table.result}"
        read = read_log("".join(log.lines).splitlines(), game)
        assert not read.problems, told
        assert [hand.number for hand in read.hands] == list(range(result.hands)), f"hands of the log; {told}"
        assert abs(sum(player.net_chips for player in result.players)) < 1e-6, told
        logged = read.net_chips()
        for player in result.players:
            assert abs(player.net_chips - logged.get(player.name, 0.0)) < 1e-5, told
        assert result.status in (Outcome.DONE, Outcome.FORFEITED, Outcome.INTERRUPTED), told
        for name in result.forfeited_by:
            assert ways["AB".index(name)][0] in GUILTY, f"{name} has forfeited without a fault; {told}"
        if result.status is Outcome.DONE:
            assert result.hands == hands, told
            assert read.score is not None, told
            for number, player in enumerate(players):
                assert player.tally.hands == hands, told
                assert abs(player.tally.net_chips - result.players[number].net_chips) < 1e-6, told
        elif result.status is Outcome.INTERRUPTED:
            assert row in ("dealer: stopped", "dealer: full disk"), told
        for client in clients.values():
            assert not client.is_open, f"a connection is left open; {told}"

    return play, judge_match


def trial(home: Path, row: str, seed: int) -> int:
    """Play up to three matches at once, while things happen to three jobs."""
    dice = random.Random(f"simulation {seed}")
    loop, told = Loop(dice), f"seed {seed}"
    matches = [match_of(loop, dice, row) for _ in range(dice.randint(1, 3))]
    happened: list[str] = []
    with queue_worlds(
        home, lambda: f"2026-01-01T00:{int(loop.time()) // 60 % 60:02d}:{loop.time() % 60:06.3f}Z"
    ) as new:
        world = new(seed, 3)

        def something() -> None:
            happened.append(happens(world, dice))
            if len(happened) < 40:
                loop.call_later(dice.expovariate(10.0), something)

        async def everything() -> None:
            loop.call_later(0.0, something)
            await asyncio.gather(*(play() for play, _ in matches))
            # What is on its way still comes.
            await asyncio.sleep(1.0)

        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(everything())
        finally:
            loop.close()
            asyncio.set_event_loop(None)
        settle(world, dice)
        judge(world, told + "\n".join(happened))
        world.close()
    shutil.rmtree(home / str(seed))
    for _, judge_match in matches:
        judge_match()
    return len(matches) * 2 + len(happened)


ROWS = ("dealer: slow network", "dealer: bad clients", "dealer: full disk", "dealer: stopped")
PARTS = {"simulation": Part("faults and events", ROWS, trial, few=24, many=6000)}
