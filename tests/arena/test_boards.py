"""Matches by expected winnings on drawn boards, against the exact value over all deals and lines."""

import numpy as np
import pytest

import errai
from errai.agents.given import as_agent
from errai.arena.boards import BoardTables
from errai.arena.luck.values import exact_value
from errai.arena.match import play_match
from errai.arena.play import MatchSetup
from errai.arena.results import read_result
from errai.arena.standings import read_pool
from errai.cli.main import main
from errai.errors import MatchError
from errai.games.catalogue import load_game


@pytest.mark.parametrize("pair", [("by-strength:3", "fold=0.2,call=0.5,raise=0.3"), ("uniform", "by-strength:20")])
def test_the_mean_over_all_boards_is_the_exact_value(pair):
    game = load_game("leduc")
    tables = BoardTables(MatchSetup(game, pair, 200, True, 5, boards=True))
    seen = {}
    for number in range(200):
        ((both,),) = tables.play(number, number + 1).values.mean(axis=1)
        board = int(tables._boards(number)[0][0])
        assert both == pytest.approx(seen.setdefault(board, both), abs=1e-12)
    assert len(seen) == 6
    first, second = (as_agent(text, game) for text in pair)
    assert np.mean(list(seen.values())) == pytest.approx(exact_value(game, (first, second)), abs=1e-6)


def test_the_seat_of_the_first_agent_alternates():
    game = load_game("leduc")
    result = play_match(game, ("always-raise", "by-strength:3"), boards=400, seed=2)
    chips = result.measures[0]
    assert result.boards
    assert result.hands == 800
    assert not result.endings
    assert [seat.hands.n for seat in chips.by_seat] == [400, 400]
    turned = play_match(game, ("by-strength:3", "always-raise"), boards=400, seed=2)
    for seat in (0, 1):
        other = turned.measures[0].by_seat[1 - seat]
        assert chips.by_seat[seat].hands.mean == pytest.approx(-other.hands.mean, abs=1e-12)


def test_hands_and_boards_agree_in_the_mean():
    game = load_game("rhode-island")
    pair = ("by-strength:5", "fold=0.1,call=0.6,raise=0.3")
    by_boards = play_match(game, pair, boards=300, seed=1).measures[0]
    by_hands = play_match(game, pair, hands=20_000, duplicate=True, seed=1).measures[0]
    error = np.hypot(by_boards.standard_error_chips, by_hands.standard_error_chips)
    assert abs(by_boards.mean_chips - by_hands.mean_chips) < 4 * error
    assert by_boards.standard_error_chips * np.sqrt(300) < by_hands.standard_error_chips * np.sqrt(10_000) / 3


def test_processes_and_resumed_runs_give_the_same(tmp_path):
    game, pair = load_game("leduc"), ("by-strength:3", "uniform")
    whole = play_match(game, pair, boards=250)
    parallel = play_match(game, pair, boards=250, processes=2)
    assert whole.measures[0].mean_chips == parallel.measures[0].mean_chips
    stopped = errai.StopToken()
    first = play_match(
        game, pair, boards=250, checkpoint=tmp_path / "run", stop=stopped, progress=lambda now: stopped.set()
    )
    assert first.hands < 500
    assert play_match(game, pair, boards=250, checkpoint=tmp_path / "run", resume=True).document() == whole.document()


def test_standings_read_the_results(tmp_path):
    game = load_game("leduc")
    for pair in (("uniform", "always-call"), ("uniform", "by-strength:3"), ("always-call", "by-strength:3")):
        saved = play_match(game, pair, boards=60).save(tmp_path)
        assert read_result(saved).boards
    assert len(read_pool([tmp_path]).players) == 3


@pytest.mark.parametrize(
    ("pair", "options", "said"),
    [
        (("vexbot", "uniform"), {}, "vexbot learns"),
        (("uniform", "uniform"), {"boards": 0}, "boards"),
        (("uniform", "uniform"), {"common_random_numbers": True}, "no hands are played"),
    ],
)
def test_what_has_no_fixed_strategy_is_refused(pair, options, said):
    with pytest.raises(MatchError, match=said):
        play_match(load_game("leduc"), pair, **{"boards": 10, **options})


def test_what_solves_while_it_plays_is_refused():
    with pytest.raises(MatchError, match=r"resolver.* solves at every decision"):
        play_match(load_game("holdem.limit.2p"), ("uniform", "resolver"), boards=10)


def test_different_bets_are_refused():
    game = load_game("holdem.nolimit.2p")
    other = errai.train(game, "one-bucket", "es", max_iterations=1, menu="50%, a")
    with pytest.raises(MatchError, match="know different bets"):
        play_match(game, ("blueprint-nl", other), boards=10)


def test_the_command_line_says_boards(capsys):
    assert main(["match", "uniform", "by-strength:3", "--game", "leduc", "--boards", "50"]) == 0
    out = capsys.readouterr().out
    assert "boards" in out
    assert "hands/s" not in out
