"""Minimal programs at both ends of the competition's protocol, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer
from errai.games.game import Game

HELLO = b"VERSION:2.0.0\r\n"


def answering(agent: str, game: Game, seed: int = 0) -> Callable[[str], bytes]:
    """What an agent of ours sends after a line; nothing where it is not its turn."""
    player = ProtocolPlayer(read_agent(agent, game), game, seed)

    def answer(line: str) -> bytes:
        reply = player.answer(line)
        return b"" if reply is None else reply.encode() + b"\r\n"

    return answer


def calling(line: str) -> bytes:
    """A player without rules: it answers every line with a call, whoever's turn it is."""
    return line.encode() + b":c\r\n"


async def take_part(port: int, answer: Callable[[str], bytes], hello: bytes = HELLO) -> list[str]:
    """Connect, answer until the dealer ends the connection, and return the lines that came."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except ConnectionError:
        return []
    writer.write(hello)
    lines = []
    try:
        while line := (await reader.readline()).decode().rstrip("\r\n"):
            lines.append(line)
            writer.write(answer(line))
    except ConnectionError:
        pass
    finally:
        writer.close()
    return lines
