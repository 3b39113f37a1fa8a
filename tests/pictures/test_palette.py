from __future__ import annotations

import itertools

import numpy as np
import pytest
from rich.color import Color, ColorSystem

from errai.pictures.palette import (
    ALL_IN,
    CALL,
    CHART_CALL,
    CHART_FOLD,
    CHART_RAISE,
    DARKEST_RAISE,
    FOLD,
    LIGHTEST_RAISE,
    LONE_RAISE,
    action_styles,
    blend,
    hex_colour,
    is_all_in,
    mixed_colour,
    node_styles,
)

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
PROTANOPIA = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
DEUTERANOPIA = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
]


def lab(colour, matrix):
    """CIE Lab (D65) of a colour as seen through a matrix on linear RGB."""
    c = np.array(colour) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(matrix) @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ linear / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("matrix", [np.eye(3), PROTANOPIA, DEUTERANOPIA], ids=["all", "no red", "no green"])
def test_kinds_of_actions_stay_apart_for_colour_blind_readers(matrix):
    middle = blend(LIGHTEST_RAISE, DARKEST_RAISE, 0.5)
    for group in (
        [FOLD, CALL, LONE_RAISE, ALL_IN],
        [CHART_FOLD, CHART_CALL, CHART_RAISE],
        [FOLD, CALL, LIGHTEST_RAISE, middle, DARKEST_RAISE, ALL_IN],
    ):
        for first, second in itertools.combinations(group, 2):
            distance = np.linalg.norm(lab(first, matrix) - lab(second, matrix))
            # A difference of 10 is plain to see side by side.
            assert distance > 12, (first, second, distance)


def test_charts_are_red_blue_and_green():
    for colour, channel in ((CHART_FOLD, 0), (CHART_RAISE, 1), (CHART_CALL, 2)):
        assert colour[channel] == max(colour)
    # Also in a terminal of 16 colours: red, bright blue, bright green.
    numbers = [Color.from_rgb(*c).downgrade(ColorSystem.STANDARD).number for c in (CHART_FOLD, CHART_CALL, CHART_RAISE)]
    assert numbers == [1, 12, 10]


def test_mixed_colours():
    assert mixed_colour([0.5, 0.5], [(200, 0, 10), (100, 50, 10)]) == (150, 25, 10)
    assert mixed_colour([1.0, 0.0], [(200, 0, 10), (100, 50, 10)]) == (200, 0, 10)


def test_bets_darken_with_size():
    styles = action_styles(["check", "bet 300", "bet 66", "bet 120"])
    assert [style.label for style in styles] == ["bet 300", "bet 120", "bet 66", "check"]
    assert [style.letter for style in styles] == ["3", "2", "1", "C"]
    assert [style.index for style in styles] == [1, 3, 2, 0]
    lightness = [sum(style.colour) for style in styles[:3]]
    assert lightness == sorted(lightness)


def test_fold_and_call_stand_at_the_end():
    styles = action_styles(["fold", "call", "raise 10"])
    assert [(style.label, style.letter) for style in styles] == [
        ("raise 10", "R"),
        ("call", "C"),
        ("fold", "F"),
    ]


def test_all_in_is_found_from_the_line(make_spot_node):
    actions = ("fold", "call", "raise 540", "raise 900")
    facing = {
        "line": "check bet 120",
        "to_call_chips": 120.0,
        "pot_chips": 320.0,
        "stacks_chips": (900.0, 780.0),
    }
    node = make_spot_node(actions, **facing)
    assert [is_all_in(node, label) for label in actions] == [False, False, False, True]
    assert node_styles(node)[0].colour == ALL_IN


def test_all_in_counts_what_is_in_already(make_spot_node):
    # Own bet of 120 was raised to 400: 280 to call, 780 behind, so all-in is 900 on this street.
    facing = {
        "line": "bet 120 raise 400",
        "to_call_chips": 280.0,
        "pot_chips": 720.0,
        "stacks_chips": (780.0, 500.0),
    }
    node = make_spot_node(("fold", "call", "raise 900"), **facing)
    assert is_all_in(node, "raise 900")
    assert not is_all_in(node, "raise 800")


def test_all_in_before_the_flop_counts_the_blinds(make_spot_node):
    # Blinds 50 and 100, stacks 20,000: the small blind has 19,950 behind.
    facing = {
        "line": "",
        "to_call_chips": 50.0,
        "pot_chips": 150.0,
        "stacks_chips": (19950.0, 19900.0),
        "player": 0,
    }
    node = make_spot_node(("fold", "call", "raise 300", "raise 20000"), **facing)
    assert is_all_in(node, "raise 20000")
    assert not is_all_in(node, "raise 300")


def test_hex():
    assert hex_colour((255, 0, 16)) == "#ff0010"
