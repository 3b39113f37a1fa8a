from __future__ import annotations

import itertools

import numpy as np
import pytest
from rich.color import Color, ColorSystem

from errai.pictures.palette import (
    ALL_IN,
    CHART_CALL,
    CHART_FOLD,
    CHART_LARGEST,
    CHART_RAISE,
    CHART_SMALLEST,
    EMPTY,
    THEMED,
    action_colours,
    action_styles,
    blend,
    hex_colour,
    luminance,
    mixed_colour,
    size_colour,
)
from errai.pictures.summary import summarise

# Machado, Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG
# 2009, severity 1.0, on linear RGB.
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
TRITANOPIA = [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.303900],
]
SEEN_AS = pytest.mark.parametrize(
    "matrix", [np.eye(3), PROTANOPIA, DEUTERANOPIA, TRITANOPIA], ids=["all", "no red", "no green", "no blue"]
)


def lab(colour, matrix):
    """CIE Lab (D65) of a colour as seen through a matrix on linear RGB."""
    c = np.array(colour) / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    linear = np.clip(np.array(matrix) @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ linear / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def closest(colours, matrix):
    """The smallest difference of two colours as seen through a matrix; 2.3 is just noticeable."""
    seen = [lab(colour, matrix) for colour in colours]
    return min(np.linalg.norm(first - second) for first, second in itertools.combinations(seen, 2))


@SEEN_AS
@pytest.mark.parametrize(("sizes", "least"), [(0, 35), (1, 35), (2, 28), (3, 20), (4, 14)])
def test_all_actions_can_be_distinguished_by_colour_blind_readers(matrix, sizes, least):
    bets = [f"bet {10 * (i + 1)}" for i in range(sizes)]
    styles = action_styles(["fold", "check", *bets, "bet 900"], [False] * (2 + sizes) + [True])
    colours = [style.colour for style in styles]
    assert closest(colours, matrix) > least
    by_label = {style.label: style.colour for style in styles}
    if bets:
        # The smallest bet and check stand side by side in most pictures.
        assert closest([by_label["check"], by_label[bets[0]]], matrix) > 38
    # A faint stripe or an empty cell is neither of them, on light pages and on dark ones.
    assert closest([*colours[1:], EMPTY], matrix) > least - 10
    assert closest([*colours, EMPTY.dark], matrix) > min(least, 15)


@SEEN_AS
def test_the_three_actions_of_charts_can_be_distinguished(matrix):
    assert closest([CHART_FOLD, CHART_CALL, CHART_RAISE], matrix) > 35


@SEEN_AS
@pytest.mark.parametrize(("sizes", "least"), [(2, 20), (3, 15), (4, 10)])
def test_the_sizes_of_charts_can_be_distinguished(matrix, sizes, least):
    greens = [blend(CHART_SMALLEST, CHART_LARGEST, i / (sizes - 1)) for i in range(sizes)]
    assert closest([CHART_FOLD, CHART_CALL, *greens], matrix) > least


def test_ink_can_be_read_on_light_and_on_dark_paper():
    by_name = {colour.name: colour for colour in THEMED}
    assert len(by_name) == len(THEMED)
    for paper in ("paper", "empty"):
        for ink in ("ink", "soft-ink", "warning"):
            light, dark = by_name[ink], by_name[ink].dark
            assert contrast(light, by_name[paper]) > 4.5
            assert contrast(dark, by_name[paper].dark) > (4.5 if paper == "paper" else 3.0)
    assert all(contrast(colour.dark, by_name["paper"].dark) > 4.0 for colour in THEMED if "series" in colour.name)


def contrast(first, second):
    """The ratio of WCAG 2."""
    lighter, darker = sorted((luminance(first), luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


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


def test_bets_in_big_blinds_have_the_colours_of_bets_in_chips():
    in_blinds = action_colours(["check", "bet 3.3bb", "bet 10bb"])
    assert in_blinds == action_colours(["check", "bet 33", "bet 100"])
    assert len(set(in_blinds)) == 3


def test_fold_and_call_stand_at_the_end():
    styles = action_styles(["fold", "call", "raise 10"])
    assert [(style.label, style.letter) for style in styles] == [
        ("raise 10", "R"),
        ("call", "C"),
        ("fold", "F"),
    ]


def test_all_in_is_darkest(flop):
    assert [style.colour == ALL_IN for style in summarise(flop).styles] == [True, False, False, False, False]


def test_hex():
    assert hex_colour((255, 0, 16)) == "#ff0010"


def test_a_size_has_one_colour_at_every_node():
    few = action_colours(["check", "bet 50", "bet 200"], percents=[None, 50.0, 200.0])
    more = action_colours(["fold", "call", "raise 300", "raise 700"], [False] * 4, [None, None, 50.0, 80.0])
    assert few[1] == more[2]
    lone = action_colours(["check", "bet 5"], percents=[None, 50.0])
    assert lone[1] == few[1]
    # A size that is not known is coloured by its rank.
    assert action_colours(["check", "bet 5"], percents=[None, None]) == action_colours(["check", "bet 5"])


@SEEN_AS
def test_usual_sizes_can_be_distinguished_by_colour_blind_readers(matrix):
    usual = [33.0, 75.0, 150.0]
    labels = ["fold", "check", *(f"bet {size:.0f}" for size in usual), "bet 900"]
    styles = action_styles(labels, [False] * 5 + [True], [None, None, *usual, None])
    assert closest([style.colour for style in styles], matrix) > 10


def test_larger_bets_are_darker():
    sizes = [10.0, 25.0, 33.0, 50.0, 75.0, 100.0, 150.0, 200.0, 900.0]
    seen = [luminance(size_colour(size)) for size in sizes]
    assert seen == sorted(seen, reverse=True)
    assert (seen[0], seen[-1]) == (seen[1], seen[-2])
