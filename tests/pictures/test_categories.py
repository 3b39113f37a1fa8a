from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from rich.console import Console
from small_subjects import spot_text

import errai
from errai.games.spot import parse_spot
from errai.pictures.categories import categories_drawing, categories_terminal, reading_lines
from errai.pictures.nodes import percent_text
from errai.pictures.palette import action_colours
from errai.solutions.categories import RangeReading, blockers, opponents_ranges, read_range
from errai.tree.lines import percents_of

TURN = spot_text("Kh 8h 3c 5d", "AA, K8s, AhQh, 76s", "KQ, 99, Th9h, 33", bet="75%", raises="")


@pytest.fixture(scope="module")
def reading() -> RangeReading:
    return read_range(errai.solve(parse_spot(TURN), "1%pot").root)


def texts(drawing) -> list[str]:
    return [e.text for e in ET.fromstring(drawing.svg()).iter("{http://www.w3.org/2000/svg}text")]


def test_the_picture_has_both_curves_and_a_bar_for_each_category(reading: RangeReading) -> None:
    drawing = categories_drawing(reading, title="A turn")
    shown = texts(drawing)
    assert {"A turn: ranges by category", "out of position", "in position", "equity"} <= set(shown)
    for row in reading.rows:
        assert row.name in shown
        assert percent_text(row.share) in shown
    assert "straight flush" not in shown
    lines = [item for item in drawing.items if type(item).__name__ == "Path" and len(item.points) > 4]
    assert len(lines) == 2
    for line in lines:
        across, up = zip(*line.points, strict=True)
        assert list(across) == sorted(across)
        assert list(up) == sorted(up, reverse=True)
    assert all(0 <= item.x <= drawing.width for item in drawing.items if hasattr(item, "x"))
    bottom = max(item.y for item in drawing.items if hasattr(item, "y"))
    assert bottom <= drawing.height
    assert drawing.png().startswith(b"\x89PNG")


def test_a_size_has_the_colour_that_it_has_in_the_grid(reading: RangeReading) -> None:
    """By its share of the pot, not by its rank among the bets of the node."""
    colours = action_colours(reading.actions, reading.node.all_in, percents_of(reading.node.shares))
    unsized = action_colours(reading.actions, reading.node.all_in)
    assert colours != unsized
    drawn = {element.get("fill") for element in ET.fromstring(categories_drawing(reading).svg()).iter()}
    assert set(colours) <= drawn


def test_the_range_of_the_player_who_waits_has_no_actions(reading: RangeReading) -> None:
    other = read_range(reading.node, 1)
    shown = texts(categories_drawing(other))
    assert "What in position has" in shown
    assert "bet 75" not in shown


def test_the_table_and_the_lines_say_the_same(reading: RangeReading) -> None:
    console = Console(width=120, record=True, no_color=True, file=io.StringIO())
    for part in categories_terminal(reading, console, title="A turn"):
        console.print(part)
    shown = console.export_text()
    overpair = next(line for line in shown.splitlines() if line.startswith("overpair"))
    row = next(row for row in reading.rows if row.name == "overpair")
    assert percent_text(row.share) in overpair
    for share in row.frequencies:
        assert percent_text(share) in overpair
    ranges = {name: blockers(reading.node, found) for name, found in opponents_ranges(reading.node, 0).items()}
    lines = reading_lines(reading, ranges)
    assert any("top 5%" in line for line in lines)
    assert sum("quarter of the range" in line for line in lines) == 2
    assert sum("remove most" in line for line in lines) == 2
