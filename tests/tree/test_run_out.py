"""Trees that end where no player has a choice any more, against the same trees with all their boards."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from errai.cards.run_outs import RunOuts
from errai.engine.strategy import board_block
from errai.games.catalogue import load_game
from errai.games.spot import Spot, parse_spot
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, FIXED, SHOWDOWN
from errai.kernels.protocol import Arrays
from errai.tree.public_tree import PublicTree, plan_public_tree, run_out_payoffs

PUSH_OR_FOLD = """
board = ""
blinds = [1, 2]
stack = {stack}
[ranges]
oop = "{oop}"
ip = "{ip}"
[bets]
bet = ""
raise = "a"
[bets.preflop]
limp = false
"""

SPOTS = {
    "all-in or check on the turn": """
board = "Qs Jh 2s 8h"
pot = 100
stack = 200
[ranges]
oop = "QQ, T9s, AKo:0.5"
ip = "22, AKs, T9o"
[bets]
bet = "50%, a"
raise = "a"
[bets.river]
bet = ""
raise = ""
""",
    "two suits alike, the same hands": """
board = "Qs Js 2s 8s"
pot = 100
stack = 60
[ranges]
oop = "22, AK, T9"
ip = "22:0.5, AK, T9:0.25"
[bets]
bet = "a"
raise = ""
[bets.river]
bet = ""
raise = ""
""",
    "flop": """
board = "Ks 7h 2d"
pot = 50
stack = 100
[ranges]
oop = "KK, A7s, QJs:0.3"
ip = "77, AKo"
[bets]
bet = "a"
raise = ""
[bets.turn]
bet = ""
raise = ""
[bets.river]
bet = ""
raise = ""
""",
    "flop and turn": """
board = "Ks 7s 2d"
pot = 50
stack = 100
[ranges]
oop = "KK, A7s"
ip = "77, AKo:0.5, QJs"
[bets]
bet = "a"
raise = ""
[bets.river]
bet = ""
raise = ""
""",
}


def arrays_of(tree: PublicTree, seed: int) -> Arrays:
    """Random strategies; the same for trees of which one is the beginning of the other."""
    rng = np.random.default_rng(seed)
    strategy = tree.arrays.zeros(np.float64)
    for s in range(tree.betting.num_streets):
        for p in (0, 1):
            strategy[s][p][:] = rng.random(len(strategy[s][p]))
    return strategy


RAKE = "rake = { percent = 5, cap = 7, no_flop_no_drop = true }\n"


@pytest.mark.parametrize("rake", ["", RAKE], ids=["", "rake"])
@pytest.mark.parametrize("name", SPOTS)
def test_a_tree_without_run_outs_has_the_values_of_the_whole_tree(name: str, rake: str) -> None:
    spot = parse_spot(rake + SPOTS[name])
    whole = plan_public_tree(spot).build()
    cut = plan_public_tree(spot, run_out=True).build()
    streets = cut.betting.num_streets
    assert streets < whole.betting.num_streets
    assert cut.betting.num_rows(0, 0) == whole.betting.num_rows(0, 0)
    assert cut.options["run_out"]
    assert not whole.options["run_out"]
    strategy = arrays_of(whole, 3)
    short = strategy[:streets]
    for s in range(streets):
        for p in (0, 1):
            for b in range(len(cut.deal.streets[s].boards)):
                assert np.array_equal(board_block(cut, short, s, p, b), board_block(whole, strategy, s, p, b))
    kernels = [make_kernel("reference", tree.arrays, 1) for tree in (whole, cut)]
    for p in (0, 1):
        for role in (FIXED, BEST):
            expected = kernels[0].root_values(strategy, p, role=role)
            np.testing.assert_allclose(kernels[1].root_values(short, p, role=role), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", SPOTS)
def test_without_rake_what_one_player_wins_the_other_loses(name: str) -> None:
    tree = plan_public_tree(parse_spot(SPOTS[name]), run_out=True).build()
    assert tree.values_cancel
    assert not plan_public_tree(parse_spot(RAKE + SPOTS[name]), run_out=True).build().values_cancel


def test_on_a_later_street_every_board_has_its_matrix() -> None:
    cut = plan_public_tree(parse_spot(SPOTS["flop and turn"]), run_out=True).build()
    assert cut.betting.num_streets == 2
    last = cut.arrays.streets[-1]
    first, second = (np.diff(h.start) for h in last.hands)
    assert last.num_boards > 20
    assert len(last.matrices[0].margin[0]) == len(last.matrices[0].margin[1]) == first @ second
    assert (last.matrix[last.kind == SHOWDOWN] == 0).all()
    assert (last.matrix[last.kind != SHOWDOWN] == -1).all()
    # Nobody pays for a tie here, so no kernel needs to know of them.
    assert last.matrices[0].tie is None
    assert cut.run_outs is not None
    assert cut.run_outs.tie is not None


@pytest.mark.parametrize("oop", ["random", "22+, A2s+, KQo:0.5"])
def test_pairs_before_the_flop_win_lose_and_tie_as_often_as_they_are_dealt(oop: str) -> None:
    tree = plan_public_tree(parse_spot(PUSH_OR_FOLD.format(stack=20, oop=oop, ip="random")), run_out=None).build()
    pairs = tree.run_outs
    assert pairs is not None
    assert pairs.tie is not None
    hands = tree.deal.streets[0].hands
    sizes = [np.diff(h.member_start) for h in hands]
    shape = len(hands[0].hand), len(hands[1].hand)
    margins = pairs.margin[0].reshape(shape), pairs.margin[1].reshape(shape[::-1])
    ties = pairs.tie[0].reshape(shape), pairs.tie[1].reshape(shape[::-1])
    # What one player wins the other one loses, hand against hand; a class counts its hands.
    np.testing.assert_allclose(sizes[0][:, None] * margins[0], -(sizes[1][:, None] * margins[1]).T, atol=1e-9)
    np.testing.assert_allclose(sizes[0][:, None] * ties[0], (sizes[1][:, None] * ties[1]).T, atol=1e-9)


def test_before_the_flop_a_called_all_in_is_raked_and_a_fold_is_not() -> None:
    text = PUSH_OR_FOLD.format(stack=20, oop="random", ip="random")
    tree = plan_public_tree(parse_spot(RAKE + text), run_out=None).build()
    assert tree.betting.rake_chips is not None
    assert tree.betting.rake_chips.tolist() == [0, 0, 0, 0, 2]
    street = tree.arrays.streets[0]
    assert street.matrices[0].tie is None  # Half of the rake is the mean of all of it and none.
    np.testing.assert_allclose(street.ends[-1], [[18, -1, -20]] * 2)


def test_counting_the_boards_of_a_small_deck_is_what_its_table_says() -> None:
    game = replace(load_game("holdem-2-1"), name="short", num_ranks=4, num_suits=2)
    plan = plan_public_tree(game, last_street=0)
    tree = plan.build()
    cards = sum(game.num_board_cards)
    found = run_out_payoffs(tree.root, tree.deal.streets[0], cards, lambda: None)
    assert found.margin[0] is found.margin[1]  # Both players have the same hands.
    hands = tree.deal.streets[0].hands[0]
    every = np.arange(len(tree.root.hands))
    wins = RunOuts(game.deck, 2, cards, game.ranking).wins((), every)
    meet = (tree.root.hands[:, None, :, None] == tree.root.hands[None, :, None, :]).any(axis=(2, 3))
    each = int((wins + wins.T)[~meet].max())  # Some pair never ties.
    margin = np.where(meet, 0, wins - wins.T) / each
    tie = np.where(meet, 0, each - wins - wins.T) / each
    starts = hands.member_start[:-1]
    for counted, expected in ((found.margin[0], margin), (found.tie[0], tie)):
        rows = expected[hands.hand][:, hands.member]
        np.testing.assert_allclose(counted.reshape(len(starts), -1), np.add.reduceat(rows, starts, axis=1), atol=1e-12)


def test_only_trees_without_later_choices_end_early() -> None:
    for subject in (load_game("leduc"), load_game("kuhn"), spot_with_river_bets()):
        plan, other = (plan_public_tree(subject, run_out=run_out) for run_out in (False, True))
        assert other.run_out == 0
        assert other.betting.num_streets == plan.betting.num_streets
        assert other.entries == plan.entries
    jam = parse_spot(PUSH_OR_FOLD.format(stack=20, oop="random", ip="random"))
    assert plan_public_tree(jam).betting.num_streets == 4
    plan = plan_public_tree(jam, run_out=None)
    assert (plan.betting.num_streets, plan.run_out, plan.entries) == (1, 5, 2 * 2 * 169)
    assert plan.deal_bytes < 700_000
    # One card to come: its 46 boards take less memory than pairs of a thousand hands.
    river = SPOTS["all-in or check on the turn"].replace('"QQ, T9s, AKo:0.5"', '"random"')
    assert plan_public_tree(parse_spot(river.replace('"22, AKs, T9o"', '"random"')), run_out=None).run_out == 0


def spot_with_river_bets() -> Spot:
    return parse_spot(SPOTS["all-in or check on the turn"].replace('bet = ""', 'bet = "a"'))


def test_building_says_how_far_it_is_and_ends_where_it_is_told_to() -> None:
    plan = plan_public_tree(parse_spot(SPOTS["flop and turn"]))
    seen: list[tuple[int, int]] = []
    plan.build(lambda done, count: seen.append((done, count)))
    boards = plan.deal_size.boards
    assert all(before <= after for (before, _), (after, _) in pairwise(seen))
    assert seen[-1] == (sum(boards) + sum(boards[:-1]),) * 2

    def stop(done: int, count: int) -> None:
        if done >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        plan.build(stop)
    counted: list[int] = []
    plan_public_tree(parse_spot(SPOTS["flop and turn"]), run_out=True).build(lambda done, _: counted.append(done))
    assert counted
    assert counted[-1] > 20
