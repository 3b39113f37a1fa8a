"""Ranges by category at nodes: the parts make up the whole, and hands stay worth what they are."""

from __future__ import annotations

import json

import numpy as np
import pytest
from small_subjects import spot_text

import errai
from errai.cards.categories import DRAWS, MADE_HANDS
from errai.errors import InputError
from errai.games.spot import parse_spot
from errai.solutions.categories import (
    blockers,
    chosen_hands,
    continuing_range,
    narrowed,
    opponents_ranges,
    read_range,
    reading_dict,
    value_range,
)
from errai.solutions.solution import Solution

TURN = spot_text("Kh 8h 3c 5d", "AA, K8s, AhQh, 76s, 98s:0.5, TT", "KQ, 99, Th9h, AhJh, 33", bet="75%", raises="")


@pytest.fixture(scope="module")
def turn() -> Solution:
    return errai.solve(parse_spot(TURN), "0.5%pot")


LINES = ["", "check", "check bet 75", "bet 75 call / 2h", "check check"]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("player", [0, 1])
def test_the_categories_of_a_range_make_it_up(turn: Solution, line: str, player: int) -> None:
    node = turn.at(line)
    reading = read_range(node, player)
    shares = np.array([row.share for row in reading.made])
    held = shares > 0
    assert shares.sum() == pytest.approx(1.0)
    assert sum(row.combos for row in reading.made) == pytest.approx(node.ranges[player].sum())
    for name, whole in (("ev_chips", node.range_ev), ("equity", node.range_equity)):
        values = np.array([getattr(row, name) for row in reading.made])
        assert shares[held] @ values[held] == pytest.approx(whole[player])
        assert np.isnan(values[~held]).all()
    if node.player == player:
        rows = np.array([row.frequencies for row in reading.made])
        np.testing.assert_allclose(shares[held] @ rows[held], node.frequencies)
    else:
        assert all(row.frequencies == () for row in reading.rows)
    for p in (0, 1):
        curve = reading.curves[p]
        assert np.diff(curve[:, 0], prepend=0.0) @ curve[:, 1] == pytest.approx(node.range_equity[p])
        assert (np.diff(reading.quartiles[p]) >= 0).all()
    json.dumps(reading_dict(reading), allow_nan=False)


def test_a_reading_by_hand(turn: Solution) -> None:
    reading = read_range(turn.root)
    combos = {row.name: row.combos for row in reading.rows}
    # Of Kh 8h 3c 5d: K8s is Ks8s, Kc8c, Kd8d; 98s without the 8h; 76s of four suits.
    assert combos == pytest.approx(
        {
            "two pair": 3.0,
            "overpair": 6.0,
            "pocket pair under top pair": 6.0,
            "second pair": 1.5,
            "ace high": 1.0,
            "nothing": 4.0,
            "combo draw": 1.0,
            "nut flush draw": 1.0,
            "flush draw": 2.0,
            "open-ended": 4.0,
        }
    )
    # Of the 1,128 hands that the turn leaves, the top 5 % end among the pairs of aces.
    sets = read_range(turn.root, 1).nuts
    assert sets.top == 0.05
    assert sets.fractions[1] == pytest.approx(3 / turn.root.ranges[1].sum())


def test_narrowed_nodes_have_the_values_of_the_whole(turn: Solution) -> None:
    node = turn.at("check")
    inside = chosen_hands(node, only=["Flush  Draw", "set"])
    assert {node.hands[i] for i in np.flatnonzero(inside)} == {"AhJh", "Th9h", "3s3h", "3s3d", "3h3d"}
    few = narrowed(node, inside)
    np.testing.assert_array_equal(few.ev, node.ev)
    np.testing.assert_array_equal(few.equity, node.equity)
    assert few.unconverged == node.unconverged
    weights = np.where(inside, node.pair_weights[1], 0.0)
    np.testing.assert_allclose(few.frequencies, weights @ np.nan_to_num(node.strategies) / weights.sum())
    assert few.range_ev[1] == pytest.approx(np.average(node.ev[1][inside], weights=weights[inside]))
    assert few.range_ev[0] == node.range_ev[0]
    assert few.frequencies @ np.nan_to_num(few.range_action_ev) == pytest.approx(few.range_ev[1])
    # Both halves of the equities are the whole.
    low, high = (chosen_hands(node, equity=bounds) for bounds in ((0.0, 0.5), (0.5, 1.0)))
    assert not (low & high).any()
    np.testing.assert_array_equal(low | high, node.ranges[1] > 0)
    assert (node.equity[1][low] < 0.5).all()
    assert (node.equity[1][high] >= 0.5).all()


def test_blockers_are_counted_hand_by_hand(turn: Solution) -> None:
    node = turn.root
    weights = continuing_range(node, "bet 75")
    after = node["bet 75"]
    expected = {}
    for i, hand in enumerate(node.hands):
        weight = after.ranges[1, i] * (1.0 - np.nan_to_num(after.strategies[i, after.actions.index("fold")]))
        for card in (hand[:2], hand[2:]):
            expected[card] = expected.get(card, 0.0) + weight
    found = blockers(node, weights)
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert set(found) & {"Kh", "8h", "3c", "5d"} == set()
    for card, share in found.items():
        assert share == pytest.approx(expected[card] / weights.sum())
    assert set(opponents_ranges(node, 0)) == {"value", "continuing after bet 75"}
    assert set(opponents_ranges(node, 1)) == {"value"}
    value = value_range(node, 1)
    assert (node.equity[1][value > 0] >= 0.5).all()
    assert 0 < value.sum() < node.ranges[1].sum()


def test_what_is_not_there_is_refused(turn: Solution) -> None:
    with pytest.raises(InputError, match="is no category; there are straight flush, quads"):
        chosen_hands(turn.root, only=["pair"])
    with pytest.raises(InputError, match="two bounds from 0 to 1"):
        chosen_hands(turn.root, equity=(0.5, 0.2))
    with pytest.raises(InputError, match="No hand in the range of in position"):
        narrowed(turn.at("check"), chosen_hands(turn.at("check"), only=["straight flush"]))
    with pytest.raises(InputError, match="player must be 0 or 1"):
        read_range(turn.root, 2)
    with pytest.raises(InputError, match="two private cards"):
        read_range(errai.solve(errai.load_game("leduc"), max_iterations=2).root)
    with pytest.raises(InputError, match="No player acts"):
        continuing_range(turn.at("check check"), "check")
    assert len(MADE_HANDS) + len(DRAWS) == len({*MADE_HANDS, *DRAWS})
