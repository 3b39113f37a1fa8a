from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from errai.errors import InputError
from errai.pictures.curves import curves_drawing
from errai.pictures.dots import curves_terminal
from errai.pictures.palette import SERIES
from errai.pictures.plot import tick_text

ITERATIONS = np.arange(1, 101)
RUNS = {
    "CFR": np.column_stack([ITERATIONS, ITERATIONS * 0.01, 2.4 / ITERATIONS]),
    "DCFR": np.column_stack([ITERATIONS, ITERATIONS * 0.02, 2.4 / ITERATIONS**2]),
}


def line_of(drawing, colour):
    return next(i.points for i in drawing.items if getattr(i, "stroke", None) == colour and len(i.points) > 50)


def test_a_power_law_is_a_straight_line():
    drawing = curves_drawing(RUNS)
    slopes = []
    for place in (0, 1):
        points = np.array(line_of(drawing, SERIES[place]))
        steps = np.diff(points, axis=0)
        ratios = steps[:, 1] / steps[:, 0]
        assert ratios == pytest.approx(np.full(len(ratios), ratios[0]))
        slopes.append(ratios[0])
    assert slopes[0] > 0
    assert slopes[1] / slopes[0] == pytest.approx(2.0)


def test_units_target_and_names_are_shown():
    svg = curves_drawing(RUNS, against="seconds", unit="% of the pot", chips_per_unit=2.0, target=0.3, title="S1").svg()
    shown = [e.text for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    for wanted in ("exploitability, % of the pot", "seconds", "target 0.3", "CFR", "DCFR", "S1"):
        assert wanted in shown
    assert curves_drawing(RUNS).png(scale=1).startswith(b"\x89PNG")


def test_points_without_a_logarithm_are_left_out():
    runs = {"a": np.array([[0, 0, 5.0], [1, 0.1, 1.0], [2, 0.2, 0.0]])}
    assert curves_drawing(runs).svg()
    assert curves_drawing({"none": np.array([[0, 0, 0.0]])}).svg()
    assert "no measurements yet" in curves_terminal({"none": np.array([[0, 0, 0.0]])}).plain


def test_wrong_input():
    with pytest.raises(InputError, match="no run"):
        curves_drawing({})
    with pytest.raises(InputError, match="shape"):
        curves_drawing({"a": np.zeros((3, 2))})
    with pytest.raises(InputError, match="'iterations' or 'seconds'"):
        curves_drawing(RUNS, against="hands")


@pytest.mark.parametrize("ascii_only", [False, True])
def test_terminal_plot(ascii_only):
    text = curves_terminal(RUNS, width=60, height=10, ascii_only=ascii_only).plain
    assert all(len(line) <= 72 for line in text.splitlines())
    assert "iterations" in text
    assert "DCFR" in text
    assert text.isascii() is ascii_only


@pytest.mark.parametrize(
    ("value", "text"),
    [(1000, "1,000"), (0.01, "0.01"), (1e-6, "1e-6"), (50, "50"), (2.5, "2.5"), (0, "0"), (1, "1")],
)
def test_tick_text(value, text):
    assert tick_text(value) == text
