"""One of our agents at dealers that work, are broken, slow or silent, or have gone."""

import socket
import threading
import time

import pytest

from errai.agents.agent import Agent
from errai.agents.given import OwnAgent
from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer, play_at_dealer, read_address
from errai.errors import AgentError, InputError, MatchError
from errai.games.catalogue import load_game
from errai.games.hand import raise_to

GAME = load_game("holdem.nolimit.2p")
HAND = (
    b"MATCHSTATE:1:0::|QsJd\r\n",
    b"MATCHSTATE:1:0:c:|QsJd\r\n",
    b"MATCHSTATE:1:0:cc/:|QsJd/8c8d5c\r\n",
    b"MATCHSTATE:1:0:cc/c:|QsJd/8c8d5c\r\n",
    b"MATCHSTATE:1:0:cc/cr300:|QsJd/8c8d5c\r\n",
    b"MATCHSTATE:1:0:cc/cr300f:|QsJd/8c8d5c\r\n",
)
"""Position 1 acts first, and after the check; position 0 folds to its raise."""


class Caller(Agent):
    def __init__(self):
        self.asked, self.ended, self.watched = [], [], []

    def act(self, observation):
        self.asked.append(observation)
        return observation.state.legal_actions[-1] if observation.state.board else observation.state.legal_actions[1]

    def watch(self, observation):
        self.watched.append(observation)

    def end_hand(self, observation, net_chips):
        self.ended.append((observation.hand_number, net_chips))


def serve(chunks, *, wait=0.0, hold=0.0, reset=False):
    """A dealer that sends pieces, whatever is answered; returns its port and what it received."""
    server = socket.create_server(("127.0.0.1", 0))
    received = []

    def run():
        with server, server.accept()[0] as connection:
            connection.settimeout(5)
            received.append(connection.recv(100))
            for chunk in chunks:
                connection.sendall(chunk)
                time.sleep(wait)
            time.sleep(hold)
            if reset:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                return
            connection.shutdown(socket.SHUT_WR)
            try:
                while data := connection.recv(65536):
                    received.append(data)
            except OSError:
                pass

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return server.getsockname()[1], received, thread


def play(chunks, silence=5.0, **dealer):
    agent = Caller()
    port, received, thread = serve(chunks, **dealer)
    player = ProtocolPlayer(agent, GAME)
    try:
        tally = play_at_dealer(player, "127.0.0.1", port, silence_seconds=silence)
    finally:
        thread.join(10)
    return agent, tally, b"".join(received).split(b"\r\n")


def test_only_own_turns_are_answered():
    agent, tally, answers = play(HAND[:4])
    assert answers == [
        b"VERSION:2.0.0",
        b"MATCHSTATE:1:0::|QsJd:c",
        b"MATCHSTATE:1:0:cc/c:|QsJd/8c8d5c:r20000",
        b"",
    ]
    assert (tally.hands, tally.bad_lines) == (0, 0)
    assert len(agent.asked) == 2
    assert [seen.state.actor == seen.seat for seen in agent.watched] == [False] * len(agent.watched)
    assert len(agent.watched) == 2


def test_the_end_of_a_hand_is_told():
    agent, tally, _ = play(HAND)
    assert agent.ended == [(0, 100.0)]
    assert (tally.hands, tally.net_chips) == (1, 100.0)
    assert tally.broken_off == ""


def test_lines_may_come_in_any_pieces():
    whole = b"".join(HAND)
    _, _, wanted = play(HAND)
    for size in (1, 7, len(whole)):
        pieces = [whole[i : i + size] for i in range(0, len(whole), size)]
        assert play(pieces)[2] == wanted


def test_comments_blank_and_broken_lines_are_passed_over():
    noise = (b"# FINISHED\r\n", b"; chat\r\n", b"\r\n", b"MATCHSTATE:1:0:zz:|QsJd\r\n", b"\xff\xfe" * 40000 + b"\r\n")
    _, tally, answers = play([line for pair in zip(HAND, (*noise, b""), strict=True) for line in pair])
    assert answers == play(HAND)[2]
    assert tally.bad_lines == 2
    assert "MATCHSTATE:1:0:zz" not in tally.last_bad_line, "the last one was not ASCII"


def test_a_line_that_comes_twice_is_answered_the_same_way():
    player = ProtocolPlayer(read_agent("uniform", GAME), GAME, 5)
    for number in range(20):
        line = f"MATCHSTATE:1:{number}::|QsJd"
        assert player.answer(line) == player.answer(line)
    agent = Caller()
    player = ProtocolPlayer(agent, GAME)
    for line in HAND + HAND[-1:]:
        player.answer(line.decode())
    assert player.tally.hands == 1


@pytest.mark.parametrize("how", ["close", "reset", "half a line"])
@pytest.mark.parametrize("lines", range(len(HAND)))
def test_a_dealer_may_go_at_any_moment(lines, how):
    chunks = [*HAND[:lines], *([HAND[lines][:12]] if how == "half a line" else [])]
    _, tally, _ = play(chunks, reset=how == "reset", wait=0.01 if how == "reset" else 0)
    assert tally.hands == 0
    assert tally.bad_lines == 0, "half a line is nothing"
    assert tally.broken_off.startswith("The dealer ended the connection ")
    if how != "reset":  # which may lose what was sent before
        assert ("in the middle of hand 0." in tally.broken_off) == (lines > 0)


@pytest.mark.parametrize("lines", range(len(HAND)))
def test_a_silent_dealer_is_taken_for_dead(lines):
    with pytest.raises(AgentError, match="said nothing"):
        play(HAND[:lines], silence=0.1, hold=0.4)


def test_a_showdown_without_the_opponents_cards_is_counted_as_unknown():
    agent, tally, _ = play([b"MATCHSTATE:0:30:cc/cc/cc/cc:9s8h|/8c8d5c/6s/2d\r\n"])
    assert (tally.hands, tally.unknown_results, tally.net_chips) == (1, 1, 0.0)
    assert agent.ended == []


def test_an_agent_that_breaks_the_rules_is_stopped():
    agent = Caller()
    agent.act = lambda observation: raise_to(1)
    with pytest.raises(AgentError, match="hand 0"):
        ProtocolPlayer(agent, GAME).answer(HAND[0].decode())


def test_a_dealer_that_is_not_there_is_waited_for_and_then_given_up():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    begun = time.monotonic()
    with pytest.raises(MatchError, match="no dealer"):
        play_at_dealer(ProtocolPlayer(Caller(), GAME), "127.0.0.1", port, connect_seconds=0.3)
    assert 0.2 < time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("text", "address"), [("localhost:18374", ("localhost", 18374)), ("[::1]:80", ("::1", 80)), (" a:1 ", ("a", 1))]
)
def test_addresses(text, address):
    assert read_address(text) == address


@pytest.mark.parametrize("text", ["", "localhost", ":5", "a:", "a:x", "a:0", "a:65536", "a:²"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(InputError, match="host:port"):
        read_address(text)


def test_an_agent_that_fails_is_named_with_its_hand_and_line():
    class Failing:
        def act(self, observation):
            return [][0]

    player = ProtocolPlayer(OwnAgent(Failing(), "python:bots:Failing"), GAME)
    with pytest.raises(AgentError, match=r"^python:bots:Failing, hand 0: IndexError: .*test_client\.py, line \d+\)$"):
        player.answer("MATCHSTATE:1:0::|QsJd")
