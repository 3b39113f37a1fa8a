from __future__ import annotations

import io
import re

import numpy as np
import pytest
from rich.console import Console
from rich.style import Style
from rich.text import Text

from errai.pictures.grid import node_drawing
from errai.pictures.summary import summarise
from errai.pictures.terminal import apportion, summary_terminal
from errai.solutions.export import node_dict


def show(node, **settings) -> str:
    stream = io.StringIO()
    settings = {"width": 80, "height": 50, "color_system": None} | settings
    console = Console(file=stream, force_terminal=settings["color_system"] is not None, **settings)
    console.print(summary_terminal(summarise(node), console, title="A node"), highlight=False, soft_wrap=True)
    return stream.getvalue()


def test_letters_without_colours(flop):
    text = show(flop)
    assert "\x1b" not in text
    lines = text.splitlines()
    assert lines[0] == "A node"
    labels = next(i for i, line in enumerate(lines) if line.startswith("AA "))
    assert lines[labels + 1].startswith("AAAAA A")
    assert lines[labels].split() == ["AA", *(f"A{rank}s" for rank in "KQJT98765432")]
    assert any(line.startswith(" A  bet 900") for line in lines)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_lines_fit(flop, kuhn, width):
    for node in (flop, kuhn):
        for colours in (None, "truecolor"):
            text = show(node, width=width, color_system=colours)
            stream = io.StringIO()
            plain = Console(file=stream, width=500, color_system=None)
            plain.print(Text.from_ansi(text), soft_wrap=True)
            assert max(len(line.rstrip()) for line in stream.getvalue().splitlines()) <= width


def test_true_colour_and_256(flop):
    assert "\x1b[1;38;2;255;255;255;48;2;84;14;44m" in show(flop, color_system="truecolor")
    # rich remembers the first rendering of a style, whatever the colours of the console were.
    Style.parse.cache_clear()
    Style._add.cache_clear()
    reduced = show(flop, color_system="256")
    Style.parse.cache_clear()
    Style._add.cache_clear()
    assert "48;5;" in reduced
    assert "48;2;" not in reduced


def test_no_color_is_respected(flop, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "AAAAA A" in show(flop, color_system="truecolor")


def test_low_terminals_get_low_cells(flop):
    assert len(show(flop, color_system="truecolor", height=24).splitlines()) <= 24
    assert len(show(flop, color_system="truecolor", height=60).splitlines()) > 30


def test_rows_show_figures(kuhn):
    text = show(kuhn)
    king = next(line for line in text.splitlines() if line.startswith("K"))
    assert "0.0%" in king
    assert "100.0%" in king
    assert "-0.333" in king


def test_a_node_that_is_never_reached(flop):
    flop.frequencies[:] = np.nan
    assert re.search(r" C  check +- ", show(flop))
    assert "nan" not in node_drawing(flop).svg()


def test_range_where_nobody_acts(make_spot_node):
    text = show(make_spot_node(actions=(), kind="chance", player=None))
    assert "A card is dealt here." in text
    assert "range, out of position" in text


def test_ascii_terminals(flop):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    console = Console(file=stream, width=80, height=50, color_system=None)
    console.print(summary_terminal(summarise(flop), console), highlight=False, soft_wrap=True)
    stream.flush()


def test_apportion():
    assert apportion([0.5, 0.5], 5) == [3, 2]
    assert apportion([0.2, 0.2, 0.6], 10) == [2, 2, 6]
    assert apportion([0.0, 0.0], 4) == [0, 0]
    assert sum(apportion([0.333, 0.333, 0.334], 7)) == 7


def test_nodes_that_have_not_converged_are_marked(make_spot_node):
    """How often a node is reached, and what could still be gained there, in the terminal, as a picture and as data."""
    far = make_spot_node(reached=1 / 24_321, unconverged=0.0412)
    text = show(far, width=60)
    assert "Reached: 1 of 24,300 hands; little converged: 4.1% of the pot." in text
    picture = node_drawing(far).svg()
    assert ">1 of 24,300 hands<" in picture
    assert ">Little converged<" in picture
    data = node_dict(far)
    assert (data["reached"], data["unconverged"]) == (far.reached, far.unconverged)
    near = show(make_spot_node(reached=0.031, unconverged=0.0021))
    assert "Reached: 3.1% of hands; still to gain: 0.21% of the pot." in near
    unknown = make_spot_node(reached=0.0, unconverged=float("nan"))
    assert "Reached: never." in show(unknown)
    assert node_dict(unknown)["unconverged"] is None
