"""Showdown chances against an enumeration of all boards."""

from itertools import combinations

import numpy as np
import pytest

import errai
from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards, hand_index
from errai.cards.pair_table import SHIPPED_CARDS, pair_table
from errai.cards.strength import strength
from errai.games.hand import run_outs_of, showdown


def hands(*texts: str) -> np.ndarray:
    return np.array([int(hand_index(FULL_DECK.parse_cards(text))) for text in texts])


@pytest.mark.parametrize(("name", "board"), [("holdem.limit.2p", "Kd7h2c"), ("holdem.limit.2p", "Kd7h2c7d")])
def test_margins_are_those_of_every_run_out(name: str, board: str) -> None:
    game = errai.load_game(name)
    cards = game.deck.parse_cards(board)
    mine, other = game.deck.parse_cards("AhKh"), game.deck.parse_cards("7c6c")
    left = [c for c in range(52) if c not in {*cards, *mine, *other}]
    results = [
        np.sign(np.subtract(*showdown(game, (*cards, *new), (mine, other))))
        for new in combinations(left, 5 - len(cards))
    ]
    run_outs = run_outs_of(game)
    assert run_outs.is_exact(cards)
    found = run_outs.margin(cards, int(hand_index(mine)))
    assert found[int(hand_index(other))] == pytest.approx(np.mean(results), abs=1e-12)
    dead = np.isin(hand_cards(52, 2), [*cards, *mine]).any(axis=1)
    assert not found[dead].any()


def test_margins_before_the_flop_are_close() -> None:
    """Aces against kings of other suits win 81.95 %, tie 0.54 % [every board counted]: a margin of .6443."""
    game = errai.load_game("holdem.nolimit.2p")
    run_outs = run_outs_of(game)
    assert not run_outs.is_exact(())
    aces, kings = (int(hand_index(game.deck.parse_cards(text))) for text in ("AsAh", "KdKc"))
    assert run_outs.margin((), aces)[kings] == pytest.approx(0.6443, abs=0.05)
    assert run_outs.margin((), kings)[aces] == pytest.approx(-0.6443, abs=0.05)


def test_before_the_flop_chances_are_those_of_the_table() -> None:
    run_outs = run_outs_of(errai.load_game("holdem.limit.2p"))
    everything = np.arange(1326)
    # Published all-in equities against a hand dealt at random: aces, and the worst hand.
    apart = np.array([run_outs.fits(hand) for hand in hands("AsAh", "3s2h")])
    shares = (run_outs.margins((), hands("AsAh", "3s2h"), everything) + 1.0) / 2.0
    np.testing.assert_allclose((shares * apart).sum(axis=1) / apart.sum(axis=1), [0.852037, 0.323032], atol=1e-6)


def test_one_board_hand_by_hand_is_the_same_as_all_pairs_at_once() -> None:
    run_outs = run_outs_of(errai.load_game("holdem.limit.2p"))
    board = FULL_DECK.parse_cards("Qs Jh 2s 8h")
    first, second = hands("AsKs", "QdQc", "Th9h", "2c2d"), hands("KdKc", "As3s", "8d8c")
    table = run_outs.margins(board, first, second)
    for i in range(4):
        np.testing.assert_allclose(run_outs.margins(board, first[i : i + 1], second), table[i : i + 1])
    for j in range(3):
        np.testing.assert_allclose(
            run_outs.margins(board, first, second[j : j + 1])[[1, 2, 3]], table[[1, 2, 3], j : j + 1]
        )
    left = [c for c in range(52) if c not in {*board, *FULL_DECK.parse_cards("QdQcKdKc")}]
    kings = FULL_DECK.parse_cards("KdKc")
    queens = FULL_DECK.parse_cards("QdQc")
    one, other = (strength([[*cards, *board, river] for river in left]) for cards in (queens, kings))
    assert table[1, 0] == pytest.approx((one > other).mean() - (one < other).mean())


@pytest.mark.parametrize("board", ["Kd7h2c", "Kd7h2c7d", "Kd7h2c7dAs"])
def test_one_hand_against_all_is_a_row_of_the_pairs(board: str) -> None:
    game = errai.load_game("holdem.nolimit.2p")
    run_outs, cards = run_outs_of(game), FULL_DECK.parse_cards(board)
    mine, everything = hands("QsJs"), np.arange(1326)
    row, fits = run_outs.margin(cards, int(mine[0])), run_outs.fits(int(mine[0]), cards)
    np.testing.assert_allclose(run_outs.margins(cards, mine, everything)[0][fits], row[fits], atol=1e-12)
    assert not row[~fits].any()
    assert run_outs is run_outs_of(errai.load_game("holdem.limit.2p"))


@pytest.mark.parametrize(("name", "board"), [("holdem.limit.2p", "Kd7h2c"), ("holdem.limit.2p", ""), ("leduc", "")])
def test_boards_ahead_are_boards_won_less_boards_lost(name: str, board: str) -> None:
    game = errai.load_game(name)
    run_outs = run_outs_of(game)
    cards = game.deck.parse_cards(board) if board else ()
    live = np.flatnonzero(~np.isin(run_outs.hands, cards).any(axis=1))[::3]
    apart = np.array([run_outs.fits(int(hand), cards)[live] for hand in live])
    wins = pair_table(*SHIPPED_CARDS).wins(live, live) if name != "leduc" and not board else run_outs.wins(cards, live)
    assert np.array_equal(run_outs.ahead(cards, live), np.where(apart, wins - wins.T, 0))
