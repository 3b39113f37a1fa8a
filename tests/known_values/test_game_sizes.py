"""Published sizes of games, each with its source."""

from __future__ import annotations

import dataclasses

import pytest

from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.size import game_size
from errai.tree.betting_tree import build_betting_tree

NO_LIMIT = load_game("holdem.nolimit.2p")


def test_small_games() -> None:
    # Kuhn, "A simplified two-person poker", 1950.
    assert game_size(load_game("kuhn")).information_sets == 12
    # Leduc: Southey et al. 2005 give the rules; 936 and 288 are counted in Lanctot's and later papers.
    leduc = game_size(load_game("leduc"))
    assert (leduc.information_sets, leduc.canonical_information_sets) == (936, 288)
    # Rhode Island: Gilpin and Sandholm, "Lossless abstraction of imperfect information games", 2007 (3.94e6).
    rhode_island = game_size(load_game("rhode-island"))
    assert (rhode_island.information_sets, rhode_island.canonical_information_sets) == (52_128_128, 3_937_128)


def test_two_rounds_of_limit_holdem() -> None:
    # 169 hands x 4 decisions + 1,286,792 hands with a flop x 3 lines x 4 decisions.
    assert game_size(load_game("holdem-2-1")).canonical_information_sets == 15_442_180
    # 169 x 8 + 1,286,792 x 7 x 10.
    assert game_size(load_game("holdem-2-4")).canonical_information_sets == 90_076_792
    # The size of the raises changes no number.
    for name in ("holdem-2-1", "holdem-2-4"):
        ours, others = game_size(load_game(name)), game_size(load_game(f"{name}.big-bet"))
        assert ours == others


def test_limit_holdem() -> None:
    """Bowling et al., "Heads-up limit hold'em poker is solved", 2015: 3.16e17, 3.19e14 and 1.38e13."""
    size = game_size(load_game("holdem.limit.2p"))
    assert size.states == 316_207_058_696_146_800
    assert size.information_sets == 319_365_922_522_608
    assert size.canonical_information_sets == 13_803_249_787_132
    # The rows of the betting tree that is solved, a row for each decision and action.
    betting = build_betting_tree(load_game("holdem.limit.2p"))
    rows = [betting.num_rows(index, 0) + betting.num_rows(index, 1) for index in range(4)]
    assert [row["betting_actions"] for row in size.rounds] == rows
    assert size.canonical_information_set_actions == 35_888_449_446_577
    assert [row["betting_nodes"] for row in size.rounds] == [8, 70, 630, 5_670]
    assert [row["entering_lines"] for row in size.rounds] == [1, 7, 7 * 9, 7 * 9 * 9]
    assert [row["continuations"] for row in size.rounds] == [7, 7 * 9, 7 * 9 * 9, 0]
    assert [row["canonical_hand_boards"] for row in size.rounds] == [
        169,
        1_286_792,
        55_190_538,
        2_428_287_420,
    ]


def digits(number: int) -> str:
    return f"{float(number):.5e}"


def test_no_limit_holdem() -> None:
    """Johanson, "Measuring the size of large no-limit poker games", 2013: the ACPC's game since 2010."""
    size = game_size(NO_LIMIT)
    assert digits(size.states) == "6.31144e+164"
    assert digits(size.information_sets) == "6.37519e+161"
    assert digits(size.canonical_information_sets) == "2.75510e+160"


@pytest.mark.parametrize(
    ("stack", "states", "canonical"),
    [(1000, "7.15938e+75", "3.12525e+71"), (400, "1.37520e+51", "6.00311e+46")],
    ids=["2007-2008", "2009"],
)
def test_earlier_no_limit_games_of_the_competition(stack: int, states: str, canonical: str) -> None:
    """Blinds 1 and 2; the same report gives 3.12e71 and 6.0e46 information sets up to suits."""
    game: Game = dataclasses.replace(NO_LIMIT, blinds=(2, 1), stacks=(stack, stack))
    size = game_size(game)
    assert digits(size.states) == states
    assert digits(size.canonical_information_sets) == canonical


def test_royal_no_limit() -> None:
    """The test game that the same report proposes, two rounds with 20 chips: 1.55e8 information sets up to suits."""
    game = dataclasses.replace(
        NO_LIMIT,
        num_rounds=2,
        blinds=(2, 1),
        stacks=(20, 20),
        first_player=(1, 0),
        max_raises=(255, 255),
        num_ranks=5,
        num_board_cards=(0, 3),
    )
    assert game_size(game).canonical_information_sets == 155_198_660
