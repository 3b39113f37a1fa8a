"""``errai dealer`` and ``errai agent``: matches between processes, and how they are stopped."""

import json
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from forked import COMMANDS, ForkServer

from errai.agents.reader import read_agent
from errai.arena.acpc.client import ProtocolPlayer, play_at_dealer
from errai.arena.acpc.log import read_log
from errai.cli.arguments import UsageError
from errai.cli.main import build_parser
from errai.cli.output import OK, SHORT
from errai.errors import ErraiError
from errai.games.catalogue import load_game

PROCESS = """
import sys
from errai.cli.main import build_parser
options = build_parser().parse_args()
sys.exit(options.run(options))
"""


def parsed(*arguments):
    return build_parser().parse_args([str(argument) for argument in arguments])


SERVER = ForkServer(*COMMANDS, "errai.cli.agent", "errai.cli.dealer", "errai.arena.acpc.dealer")
teardown_module = SERVER.close


def start(*arguments):
    return SERVER.start(PROCESS, [str(argument) for argument in arguments])


def in_threads(game, ports, matches=1, agents=("always-call", "uniform")):
    """Agents that play at a dealer from this process."""

    def run(name, port, seed):
        for _ in range(matches):
            play_at_dealer(ProtocolPlayer(read_agent(name, game), game, seed), "127.0.0.1", port)

    threads = [threading.Thread(target=run, args=(a, p, s)) for s, (a, p) in enumerate(zip(agents, ports, strict=True))]
    for thread in threads:
        thread.start()
    return threads


@pytest.mark.parametrize("name", ["leduc", "holdem.nolimit.2p"])
def test_a_duplicate_match_between_three_processes(name, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as two:
        ports = one.getsockname()[1], two.getsockname()[1]
    dealer = start(
        "dealer", name, "--ports", f"{ports[0]},{ports[1]}", "--hands", 30, "--seed", 7, "--duplicate", "--json",
        "--names", "Ann,Bob", "--log", tmp_path / "match.log", "--connect-seconds", "60",
    )  # fmt: skip
    agents = [
        start("agent", what, "--connect", f"127.0.0.1:{port}", "--game", name, "--matches", 2, "--json")
        for what, port in zip(("uniform", "always-raise"), ports, strict=True)
    ]
    document = json.loads(dealer.communicate(timeout=90)[0])
    tallies = [json.loads(agent.communicate(timeout=60)[0])["matches"] for agent in agents]
    assert [process.returncode for process in (dealer, *agents)] == [OK] * 3
    assert [match["status"] for match in document["matches"]] == ["done"] * 2
    assert document["ports"] == list(ports)
    game, deals = load_game(name), []
    for i, match in enumerate(document["matches"]):
        won = [player["net_chips"] for player in match["players"]]
        assert won[0] == -won[1]
        assert [tally[i]["net_chips"] for tally in tallies] == won
        with open(match["log"], encoding="utf-8") as file:
            log = read_log(file, game)
        assert (len(log.hands), log.problems, log.score.net_chips) == (30, [], tuple(won))
        deals.append([hand.hole for hand in log.hands])
    assert deals[0] == deals[1]
    both = sum(match["players"][0]["net_chips"] for match in document["matches"])
    assert document["duplicate"]["mbb_per_hand"] == pytest.approx(1000 * both / 60 / game.big_blind)
    assert document["duplicate"]["interval_mbb"] > 0


def test_free_ports_are_the_first_line_and_the_result_the_last(capsys):
    dealer = start("dealer", "leduc", "--hands", 5)
    ports = [int(word) for word in dealer.stdout.readline().split()]
    for thread in in_threads(load_game("leduc"), ports):
        thread.join(30)
    out, error = dealer.communicate(timeout=30)
    assert dealer.returncode == OK
    assert f"Waiting for A at 127.0.0.1:{ports[0]}" in error
    assert "5 of 5" in out
    assert "mbb per hand" in out


def test_ctrl_c_leaves_a_log_and_the_result_so_far(tmp_path):
    path = tmp_path / "match.log"
    dealer = start("dealer", "leduc", "--hands", 1_000_000, "--log", path, "--json", "--ports", "0,0")
    words = dealer.stderr.readline().replace(".\n", "").split(":")
    ports = int(words[1].split()[0]), int(words[2])
    threads = in_threads(load_game("leduc"), ports)
    until = time.monotonic() + 30
    while path.read_text().count("STATE") < 5 and time.monotonic() < until:
        time.sleep(0.02)
    dealer.send_signal(signal.SIGINT)
    out, _ = dealer.communicate(timeout=30)
    for thread in threads:
        thread.join(30)
    match = json.loads(out)["matches"][0]
    log = read_log(path.read_text().splitlines(), load_game("leduc"))
    assert (dealer.returncode, match["status"]) == (SHORT, "interrupted")
    assert match["hands"] == len(log.hands) >= 5
    assert not log.problems
    assert log.comments[-1].startswith("STOPPED")
    assert match["players"][0]["net_chips"] == log.net_chips()["A"]


def test_ctrl_c_stops_an_agent_with_its_result():
    game = load_game("leduc")
    dealer = start("dealer", "leduc", "--hands", 1_000_000, "--action-seconds", 30)
    ports = [int(word) for word in dealer.stdout.readline().split()]
    agent = start("agent", "uniform", "--connect", f"localhost:{ports[0]}", "--game", "leduc", "--json")
    player = ProtocolPlayer(read_agent("always-call", game), game)
    thread = threading.Thread(target=play_at_dealer, args=(player, "127.0.0.1", ports[1]))
    thread.start()
    until = time.monotonic() + 30
    while player.tally.hands < 5 and time.monotonic() < until:
        time.sleep(0.02)
    agent.send_signal(signal.SIGINT)
    document = json.loads(agent.communicate(timeout=30)[0])
    assert (agent.returncode, document["stopped"]) == (SHORT, True)
    assert document["matches"][0]["hands"] >= 4
    out, _ = dealer.communicate(timeout=30)
    thread.join(30)
    assert dealer.returncode == SHORT
    assert "forfeited: A, hand" in out


def test_a_dealer_whose_only_player_leaves_ends():
    dealer = start("dealer", "leduc", "--names", "Ann,Bob")
    ports = [int(word) for word in dealer.stdout.readline().split()]
    with socket.create_connection(("127.0.0.1", ports[0])) as connection:
        connection.sendall(b"VERSION:2.0.0\r\n")
    out, _ = dealer.communicate(timeout=30)
    assert dealer.returncode == SHORT
    assert "forfeited: Ann left before Bob had come" in out


@pytest.mark.parametrize("place", [0, 1])
def test_an_agent_says_that_its_dealer_has_died(place):
    # The protocol does not say that a match is over, so only a hand that has begun shows that the dealer has died: the
    # other player never answers, and the hand stays open.
    dealer = start("dealer", "leduc", "--hands", 1_000_000, "--action-seconds", 60)
    try:
        ports = [int(word) for word in dealer.stdout.readline().split()]
        address = f"localhost:{ports[place]}"
        agent = start("agent", "uniform", "--connect", address, "--game", "leduc", "--json")
        with socket.create_connection(("127.0.0.1", ports[1 - place]), timeout=60) as other:
            other.sendall(b"VERSION:2.0.0\r\n")
            assert other.recv(100).startswith(b"MATCHSTATE:")
            dealer.kill()
            out, error = agent.communicate(timeout=60)
    finally:
        dealer.kill()
        dealer.communicate()
    assert agent.returncode == SHORT
    assert "The dealer ended the connection" in error
    assert json.loads(out)["matches"][0]["broken_off"] in error


def test_nobody_coming_is_a_result(capsys):
    options = parsed("dealer", "leduc", "--connect-seconds", "0.05", "--json")
    # In a thread of its own: in this one a browser of other tests may have a loop of events.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(options.run, options).result() == SHORT
    match = json.loads(capsys.readouterr().out)["matches"][0]
    assert (match["status"], match["forfeited_by"], match["hands"]) == ("forfeited", ["A", "B"], 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ("dealer", "leduc", "--names", "A"),
        ("dealer", "leduc", "--names", "A,A"),
        ("dealer", "leduc", "--log", "/nonexistent/folder/match.log"),
        ("dealer", "no-such-game"),
        ("agent", "uniform", "--game", "leduc", "--connect", "nowhere"),
        ("agent", "no-such-agent", "--game", "leduc", "--connect", "localhost:1"),
        ("agent", "acpc:", "--game", "leduc", "--connect", "localhost:1"),
        ("agent", "uniform", "--game", "leduc", "--connect", "localhost:1", "--connect-seconds", "0.01"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_played_is_an_error_before_anything_runs(arguments):
    options = parsed(*arguments)
    with pytest.raises(ErraiError):
        options.run(options)


@pytest.mark.parametrize("ports", ["1", "a,b", "1,70000", "5,5", "-1,2"])
def test_ports_that_are_none_are_refused(ports):
    with pytest.raises(UsageError, match="port"):
        parsed("dealer", "leduc", f"--ports={ports}")


def test_three_players_are_dealt_to_by_their_ports(errai):
    assert "are not 3 names" in errai("dealer", "kuhn3", "--names", "A,B").refusal()
    assert "has 2 ports; Kuhn poker for three needs 3" in errai("dealer", "kuhn3", "--ports", "0,0").refusal()
    assert "are for two players" in errai("dealer", "kuhn3", "--duplicate").refusal()
