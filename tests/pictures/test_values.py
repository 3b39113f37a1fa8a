from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

from errai.errors import InputError
from errai.pictures.canvas import text_width
from errai.pictures.chart import chart_hands
from errai.pictures.palette import ABOVE, BELOW, NEUTRAL
from errai.pictures.summary import summarise
from errai.pictures.terminal import values_terminal
from errai.pictures.values import NET, WON, Scale, node_measure, value_measure, values_drawing


@pytest.fixture
def preflop(make_spot_node):
    node = make_spot_node(("fold", "call", "raise 20"), board=(), wide=True)
    node.ev[0] -= 100.0
    return node


def drawn(node, counted=NET, **options):
    return values_drawing(chart_hands(node), value_measure(50.0, counted), **options)


def texts(drawing):
    return [e.text for e in ET.fromstring(drawing.svg()).iter("{http://www.w3.org/2000/svg}text")]


def hints(drawing):
    return [item.text for item in drawing.items if type(item).__name__ == "Hint"]


def mean_ev(node, rank):
    return np.mean([node.ev[0, i] for i, hand in enumerate(node.hands) if hand[0] == hand[2] == rank])


def test_each_cell_says_its_value_in_mbb(preflop):
    shown = texts(drawn(preflop, title="A game"))
    assert "A game: value of each hand" in shown
    assert f"{1000 * mean_ev(preflop, 'A') / 50:+.0f}" in shown
    assert mean_ev(preflop, "2") == 0
    assert shown.count("0") == 2  # deuces and the end of the scale
    assert "+0" not in shown
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


def scale_marks(drawing):
    found = (item for item in drawing.items if type(item).__name__ == "Text" and item.size == 12)
    return {item.text: item.y for item in found if item.x > 680}


@pytest.mark.parametrize(
    ("shift", "low", "high", "pale"),
    [(2.0, "0", "+6,000", "0"), (4.0, "+2,000", "+8,000", "+2,000"), (-6.0, "-8,000", "-2,000", "-2,000")],
)
def test_the_scale_is_used_from_end_to_end(preflop, shift, low, high, pale):
    """Values on one side of 0 have all colours of that side, and the bar has no values that are not there."""
    preflop.ev[0] += 50.0 * shift
    drawing = drawn(preflop)
    marks = scale_marks(drawing)
    assert marks[low] == max(marks.values())
    assert marks[high] == min(marks.values())
    fills = [item.fill for item in drawing.items if type(item).__name__ == "Rect"]
    for end in (NEUTRAL, BELOW if shift < 0 else ABOVE):
        cells = fills[:169]
        assert min(max(abs(a - b) for a, b in zip(end, fill, strict=True)) for fill in cells) < 12
    assert marks[pale] in (marks[low], marks[high])


def test_a_scale_on_both_sides_ends_at_the_values(preflop):
    preflop.ev[0] += 90.0
    drawing = drawn(preflop)
    marks = scale_marks(drawing)
    assert {"-200", "0", "+5,800"} <= set(marks)
    # The bar is even in colour, which goes by the square root of a value.
    assert (marks["-200"] - marks["0"]) / (marks["0"] - marks["+5,800"]) == pytest.approx((200 / 5800) ** 0.5)


def test_numbers_stay_inside_their_cells(preflop):
    preflop.ev[0] *= 1e4
    drawing = drawn(preflop)
    cells = [item for item in drawing.items if type(item).__name__ == "Rect"][:169]
    numbers = [item for item in drawing.items if type(item).__name__ == "Text" and item.text.startswith("+")][:50]
    assert max(len(item.text) for item in numbers) > 8
    for item in numbers:
        cell = next(c for c in cells if c.x <= item.x <= c.x + c.width and c.y <= item.y <= c.y + c.height)
        assert text_width(item.text, item.size) <= cell.width
    console = Console(file=io.StringIO(), width=80, color_system=None)
    console.print(values_terminal(chart_hands(preflop), value_measure(50.0), console), soft_wrap=True)
    rows = console.file.getvalue().splitlines()
    assert len({len(row) for row in rows if row.count("M") == 13}) == 1
    assert max(map(len, (row.rstrip() for row in rows))) <= 80


def test_hands_that_never_get_here_have_no_value(preflop):
    preflop.ranges[0, [hand[0] == hand[2] == "A" for hand in preflop.hands]] = 0.0
    assert "AA: unknown" in hints(drawn(preflop))
    preflop.ranges[0] = 0.0
    with pytest.raises(InputError, match="No value is known"):
        drawn(preflop)


@pytest.mark.parametrize("colours", [None, "truecolor"])
def test_terminal(preflop, colours):
    stream = io.StringIO()
    console = Console(file=stream, width=80, color_system=colours, force_terminal=colours is not None)
    terminal = values_terminal(chart_hands(preflop), value_measure(50.0), console, title="A game")
    console.print(terminal, highlight=False, soft_wrap=True)
    text = stream.getvalue()
    assert f"{1000 * mean_ev(preflop, 'A') / 50:+.0f}" in text
    assert ("\x1b" in text) == (colours is not None)
    if colours is None:
        assert max(len(line.rstrip()) for line in text.splitlines()) <= 80


@pytest.mark.parametrize(
    ("name", "hint", "ends"),
    [("ev", "AA: 300.0 chips", {"100.0", "300.0"}), ("equity", "AA: 100%", {"0%", "50%", "100%"})],
)
def test_spots_by_ev_and_equity(flop, name, hint, ends):
    drawing = values_drawing(summarise(flop), node_measure(name, flop, 0))
    assert hint in hints(drawing)
    assert ends <= set(texts(drawing))
    assert {"T", "9", "6"} <= set(texts(drawing))  # the board


def test_equity_realised_of_the_player_who_does_not_act(flop):
    drawing = values_drawing(summarise(flop, 1), node_measure("eqr", flop, 1))
    assert "KQo: 80%" in hints(drawing)
    assert {"0%", "100%", "200%", "Equity realised by each hand in position"} <= set(texts(drawing))


def test_what_has_no_square_or_no_measure_is_refused(kuhn, flop):
    with pytest.raises(InputError, match="grid of hands of two cards"):
        values_drawing(summarise(kuhn), node_measure("ev", kuhn, 0))
    with pytest.raises(InputError, match="ev, equity or eqr"):
        node_measure("luck", flop, 0)
