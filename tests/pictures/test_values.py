from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

from errai.errors import InputError
from errai.pictures.palette import ABOVE, BELOW
from errai.pictures.values import NET, NEUTRAL, WON, value_colour, values_drawing, values_terminal


@pytest.fixture
def preflop(make_spot_node):
    node = make_spot_node(("fold", "call", "raise 20"), board=(), wide=True)
    node.ev[0] -= 100.0
    return node


def mean_ev(node, rank):
    return np.mean([node.ev[0, i] for i, hand in enumerate(node.hands) if hand[0] == hand[2] == rank])


def test_each_cell_says_its_value_in_mbb(preflop):
    svg = values_drawing(preflop, 50.0, title="A game").svg()
    shown = [e.text for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert "A game: value of each hand" in shown
    for rank in "A2":
        assert f"{1000 * mean_ev(preflop, rank) / 50:+.0f}" in shown
    assert shown.count("0") == 1  # the middle of the scale
    assert "Best" in shown
    assert NET in shown
    assert WON in values_drawing(preflop, 50.0, counted=WON).svg()


def test_the_scale_diverges():
    assert value_colour(0.0, 100.0) == NEUTRAL
    assert value_colour(100.0, 100.0) == ABOVE
    assert value_colour(-100.0, 100.0) == BELOW
    # By the square root: a quarter of the value has half of the colour.
    halfway = value_colour(25.0, 100.0)
    assert halfway == pytest.approx([(a + b) / 2 for a, b in zip(NEUTRAL, ABOVE, strict=True)], abs=1)


def test_hands_that_never_get_here_have_no_value(preflop):
    preflop.ranges[0, [hand[0] == hand[2] == "A" for hand in preflop.hands]] = 0.0
    hints = [item.text for item in values_drawing(preflop, 50.0).items if type(item).__name__ == "_Hint"]
    assert "AA: unknown" in hints
    preflop.ranges[0] = 0.0
    with pytest.raises(InputError, match="No hand's value"):
        values_drawing(preflop, 50.0)


@pytest.mark.parametrize("colours", [None, "truecolor"])
def test_terminal(preflop, colours):
    stream = io.StringIO()
    console = Console(file=stream, width=80, color_system=colours, force_terminal=colours is not None)
    console.print(values_terminal(preflop, 50.0, console, title="A game"), highlight=False, soft_wrap=True)
    text = stream.getvalue()
    assert f"{1000 * mean_ev(preflop, 'A') / 50:+.0f}" in text
    assert ("\x1b" in text) == (colours is not None)
    if colours is None:
        assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
