"""Pictures of results: what is drawn where."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import numpy as np

from errai.pictures.arena_results import (
    Row,
    RunningLine,
    crosstable_drawing,
    distribution_drawing,
    intervals_drawing,
    running_drawing,
)
from errai.pictures.canvas import Drawing


def texts(drawing: Drawing) -> list[str]:
    root = ElementTree.fromstring(drawing.svg())
    return [node.text or "" for node in root.iter() if node.tag.endswith("text")]


def inside(drawing: Drawing) -> bool:
    root = ElementTree.fromstring(drawing.svg())
    points = [
        tuple(float(x) for x in point.split(","))
        for node in root.iter()
        if "points" in node.attrib
        for point in node.attrib["points"].split()
    ]
    return all(-1 <= x <= drawing.width + 1 and -1 <= y <= drawing.height + 1 for x, y in points)


def test_running_results_stay_inside_and_name_their_lines() -> None:
    hands = np.arange(10, 1_000, 10)
    wild = RunningLine("chips", hands, 5_000 / hands, 9_000 / hands)
    calm = RunningLine("AIVAT", hands, np.full(len(hands), 3.0), 10 / hands)
    drawing = running_drawing([wild, calm], unit="mbb/g", title="What <a> has won", exact=3.2)
    assert inside(drawing)
    assert {"chips", "AIVAT", "mbb/g", "What <a> has won", "hands"} <= set(texts(drawing))
    assert any(text.startswith("exact 3.2") for text in texts(drawing))
    assert inside(running_drawing([], unit="u", title="t"))


def test_every_result_has_its_bar() -> None:
    drawing = distribution_drawing([-4.0, 0.0, 4.0], [10, 1_000, 1], unit="chips", title="t")
    root = ElementTree.fromstring(drawing.svg())
    hints = [node.text for node in root.iter() if node.tag.endswith("title")]
    assert sum("10 hands" in (h or "") for h in hints) == 1
    assert sum("1,000 hands" in (h or "") for h in hints) == 1
    assert sum(": 1 hands" in (h or "") for h in hints) == 1
    assert "1,000" in texts(drawing)


def test_intervals_are_drawn_around_0_whatever_they_are() -> None:
    rows = [Row("a", 1.0, 0.5, 2.0, "x"), Row("b", -3.0, -4.0, -1.0), Row("c", 0.0, 0.0, 0.0)]
    drawing = intervals_drawing(rows, unit="mbb/g", title="t")
    assert inside(drawing)
    assert {"a", "b", "c", "x", "0"} <= set(texts(drawing))
    assert inside(intervals_drawing([], unit="u", title="t"))


def test_crosstables_hold_what_was_played() -> None:
    nan = float("nan")
    drawing = crosstable_drawing(
        ["a", "b", "c"], [[nan, 5, nan], [-5, nan, 0], [nan, 0, nan]], np.ones((3, 3)), unit="mbb/g", title="t"
    )
    found = texts(drawing)
    assert found.count("+5") == 1
    assert found.count("−5") == 1
    assert found.count("0") == 2
    assert found.count("± 1.96") == 4
