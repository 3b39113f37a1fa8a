"""Clouds of dots."""

from __future__ import annotations

import numpy as np

from errai.pictures.curves import Cloud, scatter_drawing
from errai.pictures.dots import scatter_terminal

CLOUD = Cloud(
    "dots", np.array([0.0, 1.0, np.nan]), np.array([0.0, 1.0, 0.5]), np.array([1.0, 0.0, 1.0]), ("a", "b", "c")
)


def test_a_dot_for_each_thing_that_has_both_numbers() -> None:
    drawing = scatter_drawing([CLOUD], "said", "exact", "Title")
    svg = drawing.svg()
    assert svg.count("said 0, exact 0") == 1
    assert svg.count("b: said 1") == 1
    assert "c: said" not in svg
    assert "Title" in svg


def test_equal_numbers_lie_on_the_line() -> None:
    lines = scatter_terminal(CLOUD, columns=20, rows=10, ascii_only=True).plain.splitlines()
    rows = [line.split("|", 1)[1] for line in lines if "|" in line]
    assert sum(row.count("o") for row in rows) == 2
    # The greater of two is further up and further to the right, as far as there.
    up, down = (
        next(i for i, row in order if "o" in row) for order in (enumerate(rows), reversed(list(enumerate(rows))))
    )
    assert up < 2
    assert down > 7
    assert rows[up].index("o") > 15
    assert rows[down].index("o") < 4
    assert scatter_terminal(CLOUD).plain != ""
