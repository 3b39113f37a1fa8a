from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET

import pytest

from errai.pictures.canvas import text_width
from errai.pictures.grid import node_drawing
from errai.pictures.nodes import chips_text, percent_text, stacks_text
from errai.pictures.notebook import node_html
from errai.pictures.palette import BLACK, CALL, FOLD, INK, PAPER, hex_colour

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_svg_shows_hands_actions_pot_line_and_board(flop):
    flop.line = "check bet 120"
    flop.to_call_chips = 120.0
    shown = texts(node_drawing(flop, title="A flop").svg())
    for wanted in (
        "A flop",
        "check bet 120",
        "AA",
        "72o",
        "T9s",
        "bet 66 (33%)",
        "check",
        "200",
        "To call",
        "120",
        "♦",
    ):
        assert wanted in shown
    assert percent_text(float(flop.frequencies[0])) in shown


def test_svg_is_self_contained_and_the_same_every_time(flop):
    svg = node_drawing(flop).svg()
    assert svg == node_drawing(flop).svg()
    assert "<script" not in svg
    assert "href" not in svg


def test_svg_follows_a_dark_scheme(flop):
    svg = node_drawing(flop).svg()
    (style,) = re.findall(r"<style>@media \(prefers-color-scheme: dark\)\{(.*?)\}</style>", svg)
    rules = dict(re.findall(r"\.([a-z0-9-]+)\{(?:fill|stroke):(#[0-9a-f]{6})", style))
    used = {name for names in re.findall(r'class="([^"]*)"', svg) for name in names.split()}
    assert used == set(rules)
    assert rules["errai-fill-paper"] == hex_colour(PAPER.dark)
    root = ET.fromstring(svg)
    for shape in root.iter():
        # Colours of actions stay, and so does the text that stands on them.
        fill = shape.get("fill")
        if fill in (hex_colour(CALL), hex_colour(FOLD), hex_colour(BLACK)):
            assert "class" not in shape.attrib
        if fill == hex_colour(INK):
            assert "errai-fill-ink" in shape.get("class")


def test_titles_are_escaped(flop):
    svg = node_drawing(flop, title='<b onload="x">&').svg()
    ET.fromstring(svg)
    assert "<b" not in svg


def test_hints_explain_cells(flop):
    hints = [element.text or "" for element in ET.fromstring(node_drawing(flop).svg()).iter(f"{SVG}title")]
    aces = next(hint for hint in hints if hint.startswith("AA: "))
    assert "bet 900" in aces
    assert "6 combos" in aces
    assert any(hint == "A2o: not in the range" for hint in hints)


def stripe_widths(drawing, colour):
    return sum(i.width for i in drawing.items if getattr(i, "fill", None) == colour and hasattr(i, "stroke_width"))


def test_stripes_fill_a_row_in_proportion(kuhn):
    drawing = node_drawing(kuhn)
    rects = [i for i in drawing.items if hasattr(i, "radius") and i.height == 22]
    background, bet, check = rects[0], rects[1], rects[2]
    assert bet.width / background.width == pytest.approx(0.75)
    assert bet.width + check.width == pytest.approx(background.width)


def test_nothing_leaves_the_picture(flop, kuhn, make_spot_node):
    river = make_spot_node(board=("Td", "9d", "6h", "Qs", "2c"), line="check check / Qs / check check / 2c / " * 4)
    for node in (flop, kuhn, river, make_spot_node(ranks="QKA", board=())):
        drawing = node_drawing(node, title="A title " * 20)
        for item in drawing.items:
            if hasattr(item, "anchor"):
                width = text_width(item.text, item.size, bold=item.bold) * 0.85
                left = item.x - {"start": 0.0, "middle": width / 2, "end": width}[item.anchor]
                assert left >= 0
                assert left + width <= drawing.width
                assert 0 < item.y < drawing.height
            elif hasattr(item, "radius"):
                assert item.x >= 0
                assert item.x + item.width <= drawing.width + 1e-6
                assert item.y + item.height <= drawing.height + 1e-6


def test_png_is_a_png_and_leaves_pyplot_alone(kuhn, tmp_path):
    data = node_drawing(kuhn).png(scale=1)
    assert data.startswith(b"\x89PNG")
    assert "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()
    drawing = node_drawing(kuhn)
    drawing.save(tmp_path / "a.png", scale=1)
    drawing.save(tmp_path / "a.svg")
    assert (tmp_path / "a.png").read_bytes() == data
    assert (tmp_path / "a.svg").read_text().startswith("<svg")


def test_letters_that_the_font_lacks_do_no_harm(kuhn):
    assert node_drawing(kuhn, title="漢字 $\\frac$").png(scale=1)


def test_html_says_where_nobody_acts(make_spot_node):
    node = make_spot_node(actions=(), kind="chance", player=None)
    html = node_html(node)
    assert "A card is dealt here." in html
    assert "<svg" in html
    assert "range, out of position" in html


def test_an_empty_range(flop):
    flop.ranges[0] = 0.0
    assert "not in the range" in node_drawing(flop).svg()


@pytest.mark.parametrize(("chips", "text"), [(120.0, "120"), (2.5, "2.5"), (1200, "1,200"), (0.333, "0.33"), (0, "0")])
def test_chips_text(chips, text):
    assert chips_text(chips) == text


def test_stacks_text():
    assert stacks_text((900.0, 900.0)) == "900"
    assert stacks_text((900.0, 780.5)) == "900 and 780.5"
    assert stacks_text((float("inf"), float("inf"))) == ""


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0.0%"), (1.0, "100.0%"), (0.0001, "<0.1%"), (0.9999, ">99.9%"), (0.714, "71.4%")],
)
def test_percent_text(share, text):
    assert percent_text(share) == text
