"""Programs of others as agents of a match in this process."""

import os
import shlex
import sys
import time

import pytest
from small_subjects import subject

from errai.agents.agent import MatchStart
from errai.agents.reader import read_agent
from errai.arena.acpc import client
from errai.arena.acpc.client import ProgramAgent, read_entrant
from errai.arena.play import play_hand
from errai.errors import AgentError, StrategyError, UnsupportedGameError
from errai.games.catalogue import load_game
from errai.games.hand import Shuffle

GAME = load_game("holdem.nolimit.2p")

# A player in a few lines that knows no rules: it answers every line, and what is not its turn is passed over.
PROGRAM = """
import socket, sys
how, host, port = sys.argv[1:]
if how == "stillborn":
    sys.exit("no game file")
if how == "deaf":
    import time
    time.sleep(60)
connection = socket.create_connection((host, int(port)))
if how == "wrong version":
    connection.sendall(b"VERSION:1.0.0\\n")
else:
    connection.sendall(b"# hello\\nVERSION:2.0.0\\n")
lines = connection.makefile("rb")
seen = open(how[4:], "w") if how.startswith("log:") else None
for number, line in enumerate(lines):
    if seen:
        seen.write(line.decode())
        seen.flush()
    if how == "quits" and number == 3:
        print("something broke", file=sys.stderr)
        sys.exit(7)
    if how == "falls silent" and number == 3:
        import time
        time.sleep(60)
    answer = b":r1" if how == "bets badly" else b":zz" if how == "babbles" else b":c"
    connection.sendall(b"; thinking\\n" + line.rstrip() + answer + b"\\r\\n")
"""


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.setattr(client, "_CLOSING_SECONDS", 0.2)
    path = tmp_path / "player.py"
    path.write_text(PROGRAM)
    return lambda how: f"{shlex.quote(sys.executable)} {shlex.quote(str(path))} {shlex.quote(how)}"


def match(agent, hands, other="always-call", game=GAME):
    """Play hands against an agent; returns what the program won in each."""
    opponent = read_agent(other, game)
    won = []
    try:
        for player in (agent, opponent):
            player.start_match(MatchStart(game, 3))
        for number in range(hands):
            order = (agent, opponent) if number % 2 == 0 else (opponent, agent)
            won.append(play_hand(game, order, Shuffle(game).numbered(5, number), number).net_chips[number % 2])
    finally:
        agent.close()
    return won


def test_a_program_plays_as_an_agent_that_does_the_same(command):
    agent = read_entrant(f"acpc:{command('calls')}", GAME)
    assert match(agent, 20, "uniform") == match(read_agent("always-call", GAME), 20, "uniform")
    assert (agent.invalid_actions, agent.moved_raises) == (0, 0)


def test_a_program_is_told_every_state_as_by_a_dealer(command, tmp_path):
    path = tmp_path / "seen"
    match(ProgramAgent(command(f"log:{path}"), GAME), 2)
    lines = path.read_text().splitlines()
    assert [line.split(":")[3] for line in lines] == [
        text
        for _ in range(2)
        for text in ("", "c", "cc/", "cc/c", "cc/cc/", "cc/cc/c", "cc/cc/cc/", "cc/cc/cc/c", "cc/cc/cc/cc")
    ]
    assert [line.split(":")[1] for line in lines] == ["0"] * 9 + ["1"] * 9
    hidden = [line.split(":")[4].split("/")[0].split("|") for line in lines]
    assert all(all(cards) == (i % 9 == 8) for i, cards in enumerate(hidden))


def test_a_program_may_play_one_match_after_the_other(command):
    agent = ProgramAgent(command("calls"), GAME)
    assert match(agent, 5) == match(agent, 5)


@pytest.mark.parametrize(("how", "counter"), [("bets badly", "moved_raises"), ("babbles", "invalid_actions")])
def test_illegal_answers_are_replaced_and_counted(command, how, counter):
    agent = ProgramAgent(command(how), GAME)
    won = match(agent, 10)
    assert len(won) == 10
    assert getattr(agent, counter) > 0


@pytest.mark.parametrize(
    ("how", "word"),
    [
        ("stillborn", "before it connected with exit code 1: no game file"),
        ("wrong version", "instead of VERSION:2.0.0"),
        ("quits", "exit code 7: something broke"),
        ("deaf", "did not connect within"),
        ("falls silent", "did not answer in time"),
    ],
)
def test_dead_and_silent_programs_are_an_agent_error(command, how, word):
    agent = ProgramAgent(command(how), GAME, action_seconds=0.5, start_seconds=0.5 if how == "deaf" else 20)
    begun = time.monotonic()
    with pytest.raises(AgentError, match=word):
        match(agent, 5)
    assert time.monotonic() - begun < 15


def test_a_closed_agent_leaves_no_process(command):
    agent = ProgramAgent(command("falls silent"), GAME)
    agent.start_match(MatchStart(GAME, 1))
    process = agent._process.pid
    os.kill(process, 0)
    agent.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def test_what_cannot_be_run_is_said():
    agent = ProgramAgent("/nonexistent/program", GAME)
    with pytest.raises(AgentError, match="cannot be run"):
        agent.start_match(MatchStart(GAME, 1))


@pytest.mark.parametrize("text", ["", "  ", "'unbalanced"])
def test_no_command_is_refused(text):
    with pytest.raises(StrategyError):
        ProgramAgent(text, GAME)


def test_spots_and_other_games_are_refused(command):
    with pytest.raises(UnsupportedGameError):
        ProgramAgent(command("calls"), subject("turn"))
    with pytest.raises(StrategyError, match="other rules"):
        ProgramAgent(command("calls"), GAME).start_match(MatchStart(load_game("leduc"), 1))
