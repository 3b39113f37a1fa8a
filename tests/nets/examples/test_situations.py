"""Random situations: properties of the published generator, and that each depends on its number alone."""

from __future__ import annotations

import numpy as np
import pytest

from errai.abstraction.deals import DealIndexer
from errai.abstraction.features import strength_now
from errai.cards.hands import hand_cards
from errai.errors import InputError
from errai.games.catalogue import load_game
from errai.nets.examples.situations import (
    DEEPSTACK,
    STRATA,
    Stratum,
    draws_needed,
    situations,
    split_in_halves,
    stratum_of,
)
from errai.nets.networks.classes import class_matchups

HOLDEM = load_game("holdem.nolimit.2p")
TURN = 2


@pytest.fixture(scope="module")
def drawn():
    return situations(HOLDEM, TURN, 7, range(400))


def halved_by_hand(count, shares, coins, weight=1.0, number=1):
    """The same by recursion: halves of piece n are pieces 2n and 2n + 1."""
    if count == 1:
        return [weight]
    first = count // 2 + (count % 2) * (coins[number - 1] < 0.5)
    given = weight * shares[number - 1]
    return halved_by_hand(first, shares, coins, given, 2 * number) + halved_by_hand(
        count - first, shares, coins, weight - given, 2 * number + 1
    )


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13, 100, 1081, 1128])
def test_halving_is_the_recursion(count):
    draws = np.random.default_rng(count).random((3, 2, draws_needed(count)))
    found = split_in_halves(count, draws)
    for row, (shares, coins) in zip(found, draws, strict=True):
        assert row == pytest.approx(halved_by_hand(count, shares, coins), abs=1e-15)
        assert row.sum() == pytest.approx(1.0)


def test_a_half_has_half_of_the_weight_in_the_mean_and_any_share_equally_often():
    weights = split_in_halves(8, np.random.default_rng(0).random((40_000, 2, draws_needed(8))))
    for hands in (slice(0, 4), slice(4, 8)):
        halves = weights[:, hands].sum(axis=1)
        assert halves.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 40_000))
        assert np.histogram(halves, bins=10, range=(0, 1))[0] == pytest.approx(4_000, rel=0.06)
    # A quarter is a product of two uniform shares: mean 1/4, second moment 1/9.
    assert (weights[:, :2].sum(axis=1) ** 2).mean() == pytest.approx(1 / 9, rel=0.03)


def test_the_odd_hand_goes_to_either_half():
    weights = split_in_halves(3, np.random.default_rng(1).random((20_000, 2, draws_needed(3))))
    # Alone in its half a hand has 1/2 in the mean, in the pair 1/4; the middle one is never alone.
    assert weights.mean(axis=0) == pytest.approx([3 / 8, 1 / 4, 3 / 8], abs=0.01)


def test_ranges_sum_to_one_and_are_of_live_hands(drawn):
    assert drawn.ranges.sum(axis=2) == pytest.approx(1.0, abs=1e-5)
    hands = hand_cards(52, 2)
    for board, ranges in zip(drawn.boards, drawn.ranges, strict=True):
        dead = np.isin(hands, board).any(axis=1)
        assert (ranges[:, dead] == 0.0).all()
        assert (ranges[:, ~dead] > 0.0).mean() > 0.999
    assert (np.diff(drawn.boards.astype(int), axis=1) > 0).all()


def test_hands_of_like_strength_have_like_weight(drawn):
    """Neighbours in strength share all splits but the last, so that their weights go together; strangers' do not."""
    strengths = strength_now(DealIndexer(HOLDEM), drawn.boards.astype(np.int16))
    order = np.argsort(strengths, axis=1, kind="stable")[:, :1128]
    logs = np.log(np.take_along_axis(drawn.ranges[:, 0], order, axis=1) + 1e-30)
    near = np.mean([np.corrcoef(row[:-1], row[1:])[0, 1] for row in logs])
    far = np.mean([np.corrcoef(row[:564], row[564:])[0, 1] for row in logs])
    assert near > 0.6
    assert abs(far) < 0.1
    # In the mean neither strong nor weak hands are favoured.
    strong = np.take_along_axis(drawn.ranges[:, 0], order[:, 564:], axis=1).sum(axis=1)
    assert strong.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 400))


def test_boards_are_uniform():
    boards = situations(HOLDEM, TURN, 3, range(2_000)).boards
    counts = np.bincount(boards.ravel(), minlength=52)
    expected = 2_000 * 4 / 52
    assert ((counts - expected) ** 2 / expected).sum() < 100.0  # chi-squared with 51 degrees of freedom


def test_a_situation_depends_on_its_seed_and_number_alone(drawn):
    again = situations(HOLDEM, TURN, 7, [250, 3])
    for row, number in enumerate((250, 3)):
        assert (again.boards[row] == drawn.boards[number]).all()
        assert (again.ranges[row] == drawn.ranges[number]).all()
        assert again.stacks[row] == drawn.stacks[number]
    other = situations(HOLDEM, TURN, 8, [3])
    assert not np.array_equal(other.ranges[0], drawn.ranges[3])


def test_strata_have_their_shares_and_are_uniform_in_the_logarithm():
    stacks = situations(HOLDEM, TURN, 5, range(2_000)).stacks
    which = stratum_of(stacks)
    shares = np.bincount(which, minlength=len(STRATA)) / len(stacks)
    assert shares == pytest.approx([stratum.share for stratum in STRATA], abs=0.04)
    inside = np.log(stacks[which == 2] / 5.0) / np.log(5.0)
    assert inside.mean() == pytest.approx(0.5, abs=0.05)
    assert inside.std() == pytest.approx(np.sqrt(1 / 12), abs=0.03)
    assert (stacks[which == 4] == np.float32(99.5)).all()


def test_deepstacks_pots():
    """One of five intervals of pots, then uniform; the first has one pot alone."""
    stacks = situations(HOLDEM, TURN, 5, range(1_000), DEEPSTACK).stacks
    put_in = 20_000.0 / (1.0 + 2.0 * stacks)
    bounds = [(100, 100), (200, 400), (400, 2_000), (2_000, 6_000), (6_000, 18_000)]
    inside = [((put_in >= low - 2) & (put_in <= high + 2)).mean() for low, high in bounds]
    assert inside == pytest.approx([0.2] * 5, abs=0.06)
    assert put_in[put_in > 6_000].mean() == pytest.approx(12_000, rel=0.05)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(InputError, match="no round 4"):
        situations(HOLDEM, 4, 1, [0])
    with pytest.raises(InputError, match="sum to 1"):
        situations(HOLDEM, TURN, 1, [0], STRATA[:2])
    with pytest.raises(InputError, match="needs stacks above 0"):
        situations(HOLDEM, TURN, 1, [0], [Stratum("none", 0.0, 1.0, 1.0)])


def test_before_the_board_hands_that_suits_alone_distinguish_weigh_the_same():
    found = situations(HOLDEM, 0, 5, range(30))
    assert found.boards.shape == (30, 0)
    assert found.ranges.sum(axis=2) == pytest.approx(1.0, abs=1e-5)
    classes = class_matchups(HOLDEM)
    means = classes.sums(found.ranges) / classes.sizes
    assert np.allclose(means[..., classes.class_of], found.ranges, rtol=1e-5)
    assert len(np.unique(found.ranges[0, 0].round(9))) > 100
    assert np.array_equal(situations(HOLDEM, 0, 5, [7]).ranges[0], found.ranges[7])


def test_a_small_game():
    game = load_game("leduc.nolimit")
    found = situations(game, 1, 1, range(20))
    assert found.boards.shape == (20, 1)
    assert found.ranges.shape == (20, 2, 6)
    assert (found.ranges[np.arange(20), :, found.boards[:, 0]] == 0.0).all()
    assert found.ranges.sum(axis=2) == pytest.approx(1.0, abs=1e-6)
