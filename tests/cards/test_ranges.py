"""Ranges: the object, its weights and the text that it writes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from errai.cards.deck import FULL_DECK
from errai.cards.hands import class_hands, grid_class, hand_cards, hand_index
from errai.cards.ranges import Range
from errai.errors import CardsError, RangeWeightsError


def test_weights_stand_in_the_documented_order() -> None:
    weights = Range.parse("AhKd:0.5, 3c2s").weights
    assert weights.shape == (1326,)
    assert weights.dtype == np.float64
    king, ace = FULL_DECK.parse_cards("KdAh")
    assert weights[ace * (ace - 1) // 2 + king] == 0.5
    deuce, three = FULL_DECK.parse_cards("2s3c")
    assert weights[three * (three - 1) // 2 + deuce] == 1
    assert weights.sum() == 1.5
    with pytest.raises(ValueError, match="read-only"):
        weights[0] = 1


def test_the_169_classes_partition_the_hands() -> None:
    cells = [class_hands(*grid_class(row, column)) for row in range(13) for column in range(13)]
    assert sorted(np.concatenate(cells)) == list(range(1326))
    assert [len(class_hands(*grid_class(*cell))) for cell in ((0, 0), (0, 1), (1, 0))] == [6, 4, 12]
    assert len(class_hands(12, 11, "")) == 16


def test_number_of_hands() -> None:
    assert Range().num_hands == 0
    assert Range.parse("random").num_hands == 1326
    assert Range.parse("AA, AKs:0.25, AKo").num_hands == 6 + 1 + 12


def test_ranges_of_the_benchmark_spots_on_their_flop() -> None:
    # 180 and 265 hands, as counted by other tools on Td 9d 6h.
    flop = FULL_DECK.parse_cards("Td9d6h")
    first = Range.parse("66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s")
    second = Range.parse("QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+")
    assert first.without(flop).num_hands == 180
    assert second.without(flop).num_hands == 265


def test_without_removes_hands_and_leaves_the_range_alone() -> None:
    whole = Range.parse("random:0.5")
    less = whole.without(FULL_DECK.parse_cards("AhKh"))
    holds = np.isin(hand_cards(52, 2), FULL_DECK.parse_cards("AhKh")).any(axis=1)
    assert (less.weights[holds] == 0).all()
    assert (less.weights[~holds] == 0.5).all()
    assert whole.num_hands == 663
    assert whole.without([]) == whole
    for card in (-1, 52):
        with pytest.raises(CardsError):
            whole.without([card])


def test_grid_axes() -> None:
    grid = Range.parse("AA, AKs:0.5, KQo, AhQh").grid()
    assert grid.shape == (13, 13)
    expected = np.zeros((13, 13))
    expected[0, 0], expected[0, 1], expected[2, 1], expected[0, 2] = 1, 0.5, 1, 0.25
    assert (grid == expected).all()


def test_equality_and_hash() -> None:
    one, two = Range.parse("AK"), Range.parse("AKs AKo")
    assert one == two
    assert hash(one) == hash(two)
    assert one != Range.parse("AKs")
    assert one != "AK"
    assert Range.from_weights(-np.zeros(1326)) == Range()
    assert hash(Range.from_weights(-np.zeros(1326))) == hash(Range())


def test_repr_reads_back() -> None:
    assert repr(Range.parse("QQ+ AKs:.5")) == "Range.parse('QQ+,AKs:0.5')"


@pytest.mark.parametrize(
    "weights",
    [
        np.zeros(1325),
        np.zeros((2, 663)),
        np.full(1326, 1.01),
        np.full(1326, -0.1),
        np.full(1326, np.nan),
        "AA",
        None,
    ],
)
def test_wrong_weights_are_refused(weights: object) -> None:
    with pytest.raises(RangeWeightsError):
        Range.from_weights(weights)  # type: ignore[arg-type]


def test_weights_are_copied() -> None:
    weights = np.zeros(1326)
    made = Range.from_weights(weights)
    weights[0] = 1
    assert made.num_hands == 0


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("AA:0", ""),
        ("random", "random"),
        ("22+,A2+,K2+,Q2+,J2+,T2+,92+,82+,72+,62+,52+,42+,32", "random"),
        ("AA KK QQ", "QQ+"),
        ("88,99,TT,JJ,QQ", "QQ-88"),
        ("AKs,AKo", "AK"),
        ("AKs AQs AJs", "AJs+"),
        ("A9s,A8s,A7s,A6s", "A9s-A6s"),
        ("54s,65s,76s", "76s-54s"),
        ("AKs,KQs,QJs,JTs,T9s", "T9s+"),
        ("A2s+,ATo+", "A2s+,ATo+"),
        ("86s,75s,64s", "86s-64s"),
        ("AhKh,AsKs,AdKd,AcKc", "AKs"),
        ("KhAh:.50", "AhKh:0.5"),
        ("AKs,AhKh:0", "AsKs,AdKd,AcKc"),
        ("[25%]AKs[/25%] QQ", "QQ,AKs:0.25"),
        ("72o:1e-3 72s:0.001", "72:0.001"),
    ],
)
def test_canonical_text(text: str, canonical: str) -> None:
    assert Range.parse(text).text() == canonical
    assert Range.parse(canonical) == Range.parse(text)


def test_text_of_people_does_not_grow() -> None:
    for text in (
        "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s",
        "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+",
        "22+,A2s+,K2s+,Q2s+,J6s+,T6s+,96s+,85s+,74s+,64s+,53s+,43s,32s,A2o+,K7o+,Q8o+,J8o+,T8o+,97o+,87o,76o",
        "55+,AJo+,KQo,A4s+,K9s+,Q9s+,J9s+,T9s,98s,87s",
    ):
        assert len(Range.parse(text).text()) <= len(text)


FEW_WEIGHTS = st.sampled_from([0.0, 0.0, 1.0, 1.0, 0.5, 0.25, 1 / 3])


@given(arrays(np.float64, 1326, elements=st.floats(0, 1, allow_subnormal=True)))
@settings(max_examples=15)
def test_any_weights_survive_their_text(weights: np.ndarray) -> None:
    made = Range.from_weights(weights)
    assert (Range.parse(made.text()).weights == weights).all()


@given(st.lists(FEW_WEIGHTS, min_size=169, max_size=169), st.dictionaries(st.integers(0, 1325), FEW_WEIGHTS))
@settings(max_examples=60)
def test_ranges_of_classes_and_single_hands_survive_their_text(classes: list, hands: dict) -> None:
    weights = np.zeros(1326)
    for number, weight in enumerate(classes):
        weights[class_hands(*grid_class(*divmod(number, 13)))] = weight
    for hand, weight in hands.items():
        weights[hand] = weight
    made = Range.from_weights(weights)
    text = made.text()
    again = Range.parse(text)
    assert again == made
    assert again.text() == text  # the text depends on the weights alone


def test_no_hand_is_written_twice() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        weights = np.zeros(1326)
        for row in range(13):
            for column in range(13):
                weights[class_hands(*grid_class(row, column))] = rng.choice([0, 0.5, 1])
        total = sum(Range.parse(item).num_hands for item in Range.from_weights(weights).text().split(","))
        assert total == pytest.approx(weights.sum())


def test_hand_order_of_text_is_that_of_cards() -> None:
    assert Range.parse("AhKh").weights[hand_index(FULL_DECK.parse_cards("AhKh"))] == 1
