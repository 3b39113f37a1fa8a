"""Hands per second over the protocol of the Annual Computer Poker Competition, on loopback.

    scripts/bench acpc                        # one match between three processes, limit and no-limit
    scripts/bench acpc --matches 100          # as many at once in one dealer's process

The dealer is a process; the players of all first seats are another one, and those of all second seats a third.
Processor times are given besides the times by the clock, since the machine may be shared.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from multiprocessing.connection import Connection

from common.machine import machine_line

from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer
from errai.arena.acpc.connection import LineConnection
from errai.arena.acpc.dealer import VERSION, MatchSetting, Table
from errai.engine.status import Outcome
from errai.errors import AgentError
from errai.games.catalogue import load_game

GAMES = ("holdem.limit.2p", "holdem.nolimit.2p")
AGENTS = ("fold=0.05,call=0.6,raise=0.35", "always-call")


def main() -> None:
    """Run the chosen benchmarks and print Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="GAME")
    parser.add_argument("--hands", type=int, default=2000, help="hands of all matches together")
    parser.add_argument("--matches", type=int, nargs="+", default=[1, 100], help="matches at once")
    options = parser.parse_args()
    print(machine_line(), end="\n\n")
    print("| game | matches at once | hands | s | hands/s | dealer, CPU ms a hand | players, CPU ms a hand and seat |")
    print("|---|---|---|---|---|---|---|")
    for game in options.games:
        for matches in options.matches:
            print(row(game, matches, options.hands // matches), flush=True)


def row(name: str, matches: int, hands: int) -> str:
    """Play the matches and return a row of the table."""
    context = multiprocessing.get_context("spawn")
    pipes = [context.Pipe() for _ in AGENTS]
    children = [
        context.Process(target=players, args=(name, agent, seat, theirs))
        for seat, (agent, (_, theirs)) in enumerate(zip(AGENTS, pipes, strict=True))
    ]
    for child in children:
        child.start()
    for ours, _ in pipes:
        ours.recv()  # it has imported what it needs
    seconds, busy = asyncio.run(deal(name, matches, hands, [ours for ours, _ in pipes]))
    playing = sum(ours.recv() for ours, _ in pipes)
    for child in children:
        child.join()
    total = matches * hands
    return (
        f"| {name} | {matches} | {total} | {seconds:.2f} | {total / seconds:.0f} | {1000 * busy / total:.3f} "
        f"| {1000 * playing / total / len(AGENTS):.3f} |"
    )


async def deal(name: str, matches: int, hands: int, seats: list[Connection]) -> tuple[float, float]:
    """Deal all matches; returns seconds of the clock and of this process."""
    tables = [Table(MatchSetting(load_game(name), hands, seed)) for seed in range(matches)]
    ports = [await table.open() for table in tables]
    begun, busy = time.perf_counter(), time.process_time()
    for seat, connection in enumerate(seats):
        connection.send([pair[seat] for pair in ports])
    results = await asyncio.gather(*(table.play() for table in tables))
    if any(result.status is not Outcome.DONE for result in results):
        raise SystemExit("A match was not finished.")
    return time.perf_counter() - begun, time.process_time() - busy


def players(name: str, agent: str, seat: int, connection: Connection) -> None:
    """The process of one seat of all matches."""
    connection.send("ready")
    ports = connection.recv()
    busy = time.process_time()
    asyncio.run(play_all(name, agent, seat, ports))
    connection.send(time.process_time() - busy)


async def play_all(name: str, agent: str, seat: int, ports: list[int]) -> None:
    """Play at all ports at once."""
    game = load_game(name)

    async def play(port: int) -> None:
        player = ProtocolPlayer(read_agent(agent, game), game, seat)
        _, line_connection = await asyncio.get_running_loop().create_connection(LineConnection, "127.0.0.1", port)
        line_connection.write_line(VERSION)
        try:
            while True:
                reply = player.answer((await line_connection.read_line(None)).text)
                if reply is not None:
                    line_connection.write_line(reply)
        except AgentError:
            line_connection.close()

    await asyncio.gather(*(play(port) for port in ports))


if __name__ == "__main__":
    main()
