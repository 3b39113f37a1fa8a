from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from rich.console import Console

from errai.errors import InputError, LineError
from errai.pictures.canvas import text_width
from errai.pictures.chart import chart_dict, chart_drawing, chart_hands, chart_styles, chart_summary
from errai.pictures.palette import CHART_CALL, CHART_FOLD, CHART_LARGEST, CHART_RAISE, CHART_SMALLEST, mixed_colour
from errai.pictures.terminal import summary_terminal

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def preflop(make_spot_node):
    """Before the flop, two sizes to raise, every hand there."""
    return make_spot_node(
        ("fold", "call", "raise 20", "raise 60"),
        board=(),
        wide=True,
        line="call raise 20",
        pot_chips=30.0,
        to_call_chips=10.0,
    )


def show(node, **settings) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=80, height=50, color_system=None)
    picture = summary_terminal(chart_summary(node), console, title="A chart", **settings)
    console.print(picture, highlight=False, soft_wrap=True)
    return stream.getvalue()


def test_sizes_are_apart_and_summed_where_only_kinds_are_asked_for(preflop):
    summary = chart_hands(preflop)
    assert summary.actions == ("fold", "call", "raise 20", "raise 60")
    assert summary.frequencies == pytest.approx(tuple(preflop.frequencies))
    document = chart_dict(preflop, 10.0)
    assert document["frequencies"]["raise"] == pytest.approx(preflop.frequencies[2] + preflop.frequencies[3])
    aces = next(item for item in document["hands"] if item["hand"] == "AA")
    row = preflop.strategies[preflop.hands.index("AsAh") if "AsAh" in preflop.hands else preflop.hands.index("AhAs")]
    assert aces["strategy"] == pytest.approx(dict(zip(preflop.actions, row, strict=True)))
    assert aces["raise"] == pytest.approx(row[2] + row[3])


def test_the_legend_names_every_size(preflop, make_spot_node):
    styles = chart_styles(preflop)
    assert [style.label for style in styles] == ["raise 60", "raise 20", "call", "fold"]
    assert [style.colour for style in styles] == [CHART_LARGEST, CHART_SMALLEST, CHART_CALL, CHART_FOLD]
    assert [style.letter for style in styles] == ["2", "1", "C", "F"]
    limped = make_spot_node(("check", "raise 20"), board=(), wide=True)
    assert [(style.label, style.colour) for style in chart_styles(limped)] == [
        ("raise 20", CHART_RAISE),
        ("check", CHART_CALL),
    ]


def test_the_picture_names_line_pot_and_hands(preflop):
    shown = [e.text for e in ET.fromstring(chart_drawing(preflop, title="A game").svg()).iter(f"{SVG}text")]
    for wanted in (
        "A game",
        "After: call raise 20  (pot 30, 10 to call)",
        "AA",
        "72o",
        "T9s",
        "raise 60",
        "fold",
    ):
        assert wanted in shown
    assert len([text for text in shown if text and len(text) in (2, 3) and text[0] in "AKQJT98765432"]) >= 169


def test_rare_hands_are_grey(preflop):
    for i, hand in enumerate(preflop.hands):
        if {hand[0], hand[2]} == {"A"}:
            preflop.ranges[0, i] = 0.004
    drawing = chart_drawing(preflop)
    hints = [item.text for item in drawing.items if type(item).__name__ == "Hint"]
    assert "AA: not in the range" in hints
    assert any(hint.startswith("KK: ") for hint in hints)
    notes = [item.text for item in drawing.items if hasattr(item, "anchor")]
    assert "Grey: at most 0.5% of the full weight." in notes
    # Data keeps what a picture leaves out.
    aces = next(entry for entry in chart_dict(preflop, 10.0)["hands"] if entry["hand"] == "AA")
    assert aces["raise"] > 0


def test_mixed_cells_have_one_colour(preflop):
    drawing = chart_drawing(preflop, mixed=True)
    aces = next(item for item in chart_hands(preflop).classes if item.label == "AA")
    wanted = mixed_colour(aces.shares, (CHART_FOLD, CHART_CALL, CHART_SMALLEST, CHART_LARGEST))
    assert wanted in [getattr(item, "fill", None) for item in drawing.items]
    # Background, filling and hint of each cell, no stripes.
    rects = [item for item in drawing.items if hasattr(item, "radius") and 40 < item.width < 50]
    assert len(rects) == 2 * 169


def test_nothing_leaves_the_picture(preflop, make_spot_node):
    for node in (preflop, make_spot_node(("check", "bet 10"), ranks="TJQKA", board=(), wide=True)):
        drawing = chart_drawing(node, title="A title " * 20, notes=["Play comes here in 12.3% of all hands."])
        for item in drawing.items:
            if hasattr(item, "anchor"):
                width = text_width(item.text, item.size, bold=item.bold) * 0.85
                left = item.x - {"start": 0.0, "middle": width / 2, "end": width}[item.anchor]
                assert left >= 0
                assert left + width <= drawing.width
                assert 0 < item.y < drawing.height


def test_a_short_deck_has_a_smaller_square(make_spot_node):
    node = make_spot_node(("fold", "call", "raise 20"), ranks="TJQKA", board=(), wide=True)
    assert len(chart_dict(node, 10.0)["hands"]) == 25
    assert show(node).splitlines()[4].split() == ["AA", "AKs", "AQs", "AJs", "ATs"]


def test_letters_in_the_terminal(preflop):
    text = show(preflop)
    assert text.startswith("A chart\ncall raise 20\npot 30")
    assert any(set(line.split()[0]) <= set("12CF") for line in text.splitlines() if line.strip())
    assert " 2  raise 60" in text


def test_data(preflop):
    document = chart_dict(preflop, 10.0)
    assert document["line"] == "call raise 20"
    assert sum(document["frequencies"].values()) == pytest.approx(1.0)
    assert len(document["hands"]) == 169
    assert sum(entry["combos"] for entry in document["hands"]) == 1326
    for entry in document["hands"]:
        assert entry["fold"] + entry["call"] + entry["raise"] == pytest.approx(1.0)
    aces = document["hands"][0]
    assert aces["ev_mbb"] == pytest.approx(1000 * chart_hands(preflop).classes[0].ev_chips / 10.0)
    assert chart_dict(preflop, None)["hands"][0]["ev_mbb"] is None


def test_where_nobody_gets(preflop):
    preflop.ranges[0] = 0.0
    preflop.frequencies = np.full(4, np.nan)
    document = chart_dict(preflop, 10.0)
    assert document["frequencies"] == {"fold": None, "call": None, "raise": None}
    assert document["hands"][0]["raise"] is None
    assert chart_drawing(preflop).svg()


def test_charts_that_cannot_be(kuhn, make_spot_node):
    with pytest.raises(InputError, match="errai show"):
        chart_hands(kuhn)
    with pytest.raises(LineError, match="A card is dealt here"):
        chart_hands(make_spot_node(actions=(), kind="chance", player=None, line="call check"))
