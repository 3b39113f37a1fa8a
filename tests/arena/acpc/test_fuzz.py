"""Malformed lines, by the ten thousand: none may crash or hang the reader, the dealer or the client, or move a chip.

The lines are good ones that were cut, spliced, doubled and overwritten, and plain random bytes.  The long runs are
behind ``slow``: ``pytest -m slow tests/arena/acpc/test_fuzz.py``.
"""

import asyncio
import contextlib
import io
import random

import numpy as np
import pytest
from acpc_peers import HELLO, answering, take_part

from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer
from errai.arena.acpc.dealer import Limits, MatchSetting, Table
from errai.arena.acpc.log import read_log, read_score_line, read_state_line, score_line, state_line
from errai.arena.acpc.referee import Verdict, rule_on
from errai.arena.acpc.text import matchstate_line, read_matchstate
from errai.engine.status import Outcome
from errai.errors import HistoryError, ProtocolError
from errai.games.catalogue import load_game
from errai.games.hand import Hand, Shuffle

GAMES = [load_game(name) for name in ("holdem.nolimit.2p", "holdem.limit.2p", "leduc", "kuhn")]
PIECES = "MATCHSTATE:01234r567890cf/|:AKQJTsdhc#;-+. \x00\xff\u00b2\u0663"
AMOUNTS = ["", "0", "-1", "00", "99999999999999999999", "1e9", "4294967296", "²", "0x10", "1_0"]


def good_lines(game, seed, hands=30):
    """MATCHSTATE and STATE lines of hands played at random."""
    draw, numbers, shuffle = random.Random(seed), np.random.default_rng(seed), Shuffle(game)
    lines = []
    for number in range(hands):
        hand = Hand(game, shuffle.deal(numbers), number)
        while not hand.state.is_over:
            lines.append(matchstate_line(hand.observation(hand.state.actor)))
            hand.act(draw.choice(hand.state.legal_actions))
        lines.append(matchstate_line(hand.observation(0)))
        lines.append(state_line(hand.played(("A", "B"))))
    return [*lines, "SCORE:5|-5:A|B", "VERSION:2.0.0", "# comment", "; comment", ""]


def mutated(lines, draw):
    """One of the lines with up to four changes, or random bytes."""
    if draw.random() < 0.1:
        return "".join(chr(draw.randrange(256)) for _ in range(draw.randrange(60))).replace("\n", "?")
    text = draw.choice(lines)
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        at = draw.randint(0, len(text))
        kind = draw.randrange(7)
        if kind == 0:
            text = text[:at] + draw.choice(PIECES) + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + draw.choice(PIECES) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at + draw.randint(1, 4) :]
        elif kind == 3:
            text = text[:at] + draw.choice(lines)[draw.randint(0, 20) :]
        elif kind == 4:
            fields = text.split(":")
            fields[draw.randrange(len(fields))] = draw.choice([*AMOUNTS, draw.choice(draw.choice(lines).split(":"))])
            text = ":".join(fields)
        elif kind == 5:
            text = text + draw.choice([":c", ":f", ":r", ":r" + draw.choice(AMOUNTS), ":", ":x"])
        else:
            text = text[:at] + text[at:] * draw.randint(2, 3)
    return text.replace("\n", "")[:3000]


def fuzz_readers(count, seed):
    draw = random.Random(seed)
    corpora = [(game, good_lines(game, seed)) for game in GAMES]
    read, columns = 0, []
    for i in range(count):
        game, lines = corpora[i % len(corpora)]
        text = mutated(lines, draw)
        try:
            seen = read_matchstate(text, game)
            # What can be read has one meaning: written and read again, it is the same.
            assert read_matchstate(matchstate_line(seen), game) == seen
            read += 1
        except ProtocolError as error:
            columns.append((error.column, len(text)))
        try:
            hand = read_state_line(text, game)
            assert read_state_line(state_line(hand), game) == hand
            assert sum(hand.net_chips) == 0
            read += 1
        except HistoryError as error:
            columns.append((error.column, len(text)))
        with contextlib.suppress(HistoryError):
            read_score_line(score_line(read_score_line(text)))
    assert all(1 <= column <= length + 1 for column, length in columns), "errors name a place in the line"
    return read


def fuzz_referee(count, seed):
    """Whatever is sent, the resulting action is legal."""
    draw = random.Random(seed)
    for game in GAMES:
        lines = good_lines(game, seed)
        asked = [line for line in lines if line.startswith("MATCHSTATE") and read_matchstate(line, game).my_turn]
        for _ in range(count // len(GAMES)):
            question = draw.choice(asked)
            seen = read_matchstate(question, game)
            text = (
                question + mutated([":c", ":f", ":r300", ":r"], draw) if draw.random() < 0.5 else mutated(lines, draw)
            )
            ruling = rule_on(text, question, seen)
            if ruling.verdict not in (Verdict.COMMENT, Verdict.STRAY):
                seen.state.after(ruling.action)


def fuzz_client(count, seed):
    """Whatever a dealer sends, the client answers with nothing or with a legal action to exactly that line."""
    draw = random.Random(seed)
    answered = 0
    for game in GAMES:
        lines = good_lines(game, seed)
        player = ProtocolPlayer(read_agent("uniform", game), game, seed)
        for _ in range(count // len(GAMES)):
            text = mutated(lines, draw)
            reply = player.answer(text)
            if reply is not None:
                answered += 1
                said = text.rstrip("\r\n")
                assert rule_on(reply, said, read_matchstate(said, game)).verdict is Verdict.LEGAL
        assert player.tally.bad_lines > 0
    return answered


def fuzz_dealer(hands, before_each, seed):
    """Two players who send malformed lines before and behind each answer; returns how many lines were sent."""
    game = GAMES[0]
    lines = good_lines(game, seed)
    log, sent = io.StringIO(), 0

    def noisy(player_seed):
        draw, answer = random.Random(player_seed), answering("uniform", game, player_seed)

        def respond(line):
            nonlocal sent
            reply = answer(line)
            noise = [
                mutated([*lines, line, line + ":c"], draw).encode("latin-1", "replace") for _ in range(before_each)
            ]
            sent += len(noise)
            # A mutation may by chance be an answer; then the real one comes too late and is passed over.
            return b"".join(piece + draw.choice([b"\n", b"\r\n"]) for piece in noise) + reply

        return respond

    async def match():
        table = Table(MatchSetting(game, hands, seed, limits=Limits(action_seconds=60, connect_seconds=60)), log)
        ports = await table.open()
        peers = (take_part(port, noisy(seed + i), HELLO) for i, port in enumerate(ports))
        return (await asyncio.gather(table.play(), *peers))[0]

    result = asyncio.run(asyncio.wait_for(match(), 1200))
    read = read_log(log.getvalue().splitlines(), game)
    assert (result.status, result.hands) == (Outcome.DONE, hands)
    assert result.players[0].net_chips == -result.players[1].net_chips
    assert (len(read.hands), read.problems) == (hands, [])
    assert read.net_chips() == {"A": result.players[0].net_chips, "B": result.players[1].net_chips}
    for hand in read.hands:
        spent = hand.final_state().betting.spent
        assert max(abs(chips) for chips in hand.net_chips) <= min(spent) <= max(spent) <= max(game.stacks)
    assert result.players[0].stray_lines > hands
    return sent


def test_readers_stand_malformed_lines():
    assert fuzz_readers(3000, 1) > 50, "some mutations still are lines"


def test_rulings_stand_malformed_lines():
    fuzz_referee(2000, 2)


def test_the_client_stands_malformed_lines():
    assert fuzz_client(3000, 3) > 30


def test_the_dealer_stands_malformed_lines():
    assert fuzz_dealer(25, 10, 4) > 1000


@pytest.mark.slow
def test_readers_stand_a_hundred_thousand_malformed_lines():
    fuzz_readers(100_000, 11)
    fuzz_referee(100_000, 12)


@pytest.mark.slow
def test_the_client_stands_a_hundred_thousand_malformed_lines():
    fuzz_client(100_000, 13)


@pytest.mark.slow
def test_the_dealer_stands_a_hundred_thousand_malformed_lines():
    assert fuzz_dealer(500, 25, 14) > 100_000
