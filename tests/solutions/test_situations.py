from __future__ import annotations

import pytest

import errai
from errai.errors import LineError
from errai.games.catalogue import parse_game
from errai.games.spot import parse_spot
from errai.solutions.situations import line_situation, named_situations, reach_probability, role

GAME = """
GAMEDEF
{kind}
numPlayers = 2
numRounds = 1
blind = {blinds}
{money}
firstPlayer = {first}
maxRaises = 2
numSuits = 4
numRanks = 4
numHoleCards = 2
numBoardCards = 0
END GAMEDEF
"""


def solved(kind="limit", blinds="10 5", money="raiseSize = 10", first=2, **settings):
    game = parse_game(GAME.format(kind=kind, blinds=blinds, money=money, first=first), "small")
    return errai.solve(game, max_iterations=20, threads=1, **settings)


@pytest.fixture(scope="module")
def limit():
    return solved()


def lines(solution, name):
    return [(s.name, s.title, s.line) for s in named_situations(solution, name)]


def test_reverse_blinds(limit):
    assert lines(limit, "first") == [("first", "the dealer's first action", "")]
    assert lines(limit, "limp") == [("limp", "the big blind after a limp", "call")]
    assert lines(limit, "facing-raise") == [("facing-raise", "the big blind facing a raise", "raise 20")]
    assert (role(limit, 0), role(limit, 1)) == ("big blind", "dealer")


def test_several_sizes_are_several_situations():
    solution = solved("nolimit", money="stack = 100 100", menu="50%, a")
    found = lines(solution, "facing-raise")
    assert [line for _, _, line in found] == ["raise 20", "raise 100"]
    assert found[0][:2] == ("facing-raise-20", "the big blind facing raise 20")


def test_antes():
    solution = solved(blinds="5 5", first=1)
    assert lines(solution, "limp") == [("limp", "the second player after a check", "check")]
    assert lines(solution, "facing-raise") == [("facing-raise", "the second player facing a bet", "bet 10")]


def test_no_raises():
    spot = parse_spot(
        'board = "Qs Jh 2c 8d 3s"\npot = 10\nstack = 30\n'
        '[ranges]\noop = "AA"\nip = "KK"\n[bets]\nbet = ""\nraise = ""\n'
    )
    solution = errai.solve(spot, max_iterations=2, threads=1)
    with pytest.raises(LineError, match="cannot be a bet or raise"):
        named_situations(solution, "facing-raise")


def test_lines_are_named_as_the_node_writes_them(limit):
    situation = line_situation(limit.at("c r"), limit)
    assert (situation.name, situation.line) == ("call-raise-20", "call raise 20")
    assert situation.title == "the dealer after call raise 20"


def test_play_comes_somewhere(limit):
    root = limit.root
    assert reach_probability(limit, root) == 1.0
    together = sum(reach_probability(limit, root[action]) for action in root.actions)
    assert together == pytest.approx(1.0)
    after = root["raise 20"]
    both = reach_probability(limit, after["raise 30"])
    assert both == pytest.approx(float(root.frequencies[2] * after.frequencies[after.actions.index("raise 30")]))


def test_later_streets_are_refused():
    solution = errai.solve(errai.load_game("leduc"), max_iterations=2, threads=1)
    with pytest.raises(LineError, match="past the first street"):
        reach_probability(solution, solution.at("check check / Ah / check"))
