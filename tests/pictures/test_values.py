from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

from errai.errors import InputError
from errai.pictures.chart import three_actions
from errai.pictures.palette import ABOVE, BELOW
from errai.pictures.summary import summarise
from errai.pictures.values import (
    NET,
    NEUTRAL,
    WON,
    Scale,
    node_measure,
    value_measure,
    values_drawing,
    values_terminal,
)


@pytest.fixture
def preflop(make_spot_node):
    node = make_spot_node(("fold", "call", "raise 20"), board=(), wide=True)
    node.ev[0] -= 100.0
    return node


def drawn(node, counted=NET, **options):
    return values_drawing(node, three_actions(node), value_measure(50.0, counted), **options)


def texts(drawing):
    return [e.text for e in ET.fromstring(drawing.svg()).iter("{http://www.w3.org/2000/svg}text")]


def hints(drawing):
    return [item.text for item in drawing.items if type(item).__name__ == "_Hint"]


def mean_ev(node, rank):
    return np.mean([node.ev[0, i] for i, hand in enumerate(node.hands) if hand[0] == hand[2] == rank])


def test_each_cell_says_its_value_in_mbb(preflop):
    shown = texts(drawn(preflop, title="A game"))
    assert "A game: value of each hand" in shown
    for rank in "A2":
        assert f"{1000 * mean_ev(preflop, rank) / 50:+.0f}" in shown
    assert shown.count("0") == 1  # the middle of the scale
    assert "Best" in shown
    assert NET in shown
    assert WON in drawn(preflop, WON).svg()


def test_the_scale_diverges():
    scale = Scale(-100.0, 0.0, 100.0, 2.0)
    assert scale.colour(0.0) == NEUTRAL
    assert scale.colour(100.0) == scale.colour(200.0) == ABOVE
    assert scale.colour(-100.0) == BELOW
    # By the square root: a quarter of the value has half of the colour.
    halfway = scale.colour(25.0)
    assert halfway == pytest.approx([(a + b) / 2 for a, b in zip(NEUTRAL, ABOVE, strict=True)], abs=1)
    assert [scale.value(place) for place in (0.0, 0.25, 0.5, 1.0)] == [-100.0, -25.0, 0.0, 100.0]


def test_a_scale_with_nothing_below_its_middle_is_violet_alone():
    scale = Scale(0.0, 0.0, 80.0, 1.0)
    assert [scale.value(place) for place in (0.0, 0.5, 1.0)] == [0.0, 40.0, 80.0]
    assert scale.colour(-1.0) == scale.colour(0.0) == NEUTRAL
    assert scale.colour(80.0) == ABOVE


def test_hands_that_never_get_here_have_no_value(preflop):
    preflop.ranges[0, [hand[0] == hand[2] == "A" for hand in preflop.hands]] = 0.0
    assert "AA: unknown" in hints(drawn(preflop))
    preflop.ranges[0] = 0.0
    with pytest.raises(InputError, match="No hand's value"):
        drawn(preflop)


@pytest.mark.parametrize("colours", [None, "truecolor"])
def test_terminal(preflop, colours):
    stream = io.StringIO()
    console = Console(file=stream, width=80, color_system=colours, force_terminal=colours is not None)
    terminal = values_terminal(preflop, three_actions(preflop), value_measure(50.0), console, title="A game")
    console.print(terminal, highlight=False, soft_wrap=True)
    text = stream.getvalue()
    assert f"{1000 * mean_ev(preflop, 'A') / 50:+.0f}" in text
    assert ("\x1b" in text) == (colours is not None)
    if colours is None:
        assert max(len(line.rstrip()) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("name", "hint", "ends"),
    [("ev", "AA: 300.0 chips", {"0.0", "300.0"}), ("equity", "AA: 100%", {"0%", "50%", "100%"})],
)
def test_spots_by_ev_and_equity(flop, name, hint, ends):
    drawing = values_drawing(flop, summarise(flop), node_measure(name, flop, 0))
    assert hint in hints(drawing)
    assert ends <= set(texts(drawing))
    assert {"T", "9", "6"} <= set(texts(drawing))  # the board


def test_equity_realised_of_the_player_who_does_not_act(flop):
    drawing = values_drawing(flop, summarise(flop, 1), node_measure("eqr", flop, 1))
    assert "KQo: 80%" in hints(drawing)
    assert {"0%", "100%", "200%", "Equity realised by each hand in position"} <= set(texts(drawing))


def test_what_has_no_square_or_no_measure_is_refused(kuhn, flop):
    with pytest.raises(InputError, match="square of hands of two cards"):
        values_drawing(kuhn, summarise(kuhn), node_measure("ev", kuhn, 0))
    with pytest.raises(InputError, match="ev, equity or eqr"):
        node_measure("luck", flop, 0)
