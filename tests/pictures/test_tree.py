from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from errai.errors import InputError
from errai.pictures.palette import ALL_IN, INK, blend, hex_colour
from errai.pictures.tree import tree_drawing, tree_text


def texts(svg):
    return [element.text or "" for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_text_of_one_street(tree):
    assert tree_text(tree) == (
        "(player 0, pot 100)\n"
        "├── check (player 1, pot 100)\n"
        "│   ├── check → deal, pot 100, 2 nodes follow\n"
        "│   └── bet 50 (player 0, pot 150)\n"
        "│       ├── fold → player 1 takes 100, and 50 is returned\n"
        "│       └── call → street over, pot 200\n"
        "└── bet 50 (player 1, pot 150)\n"
        "    ├── fold → player 0 takes 100, and 50 is returned\n"
        "    └── call → deal, pot 200, 1 node follows\n"
    )


def test_text_of_two_streets(tree):
    text = tree_text(tree, streets=2, ascii_only=True)
    assert text.isascii()
    assert "|   |-- check (deal, pot 100)\n|   |   `-- (player 0, pot 100)\n" in text
    assert text.count("\n") == 12


def test_frequencies(tree):
    frequencies = np.full(12, np.nan)
    frequencies[1:3] = 0.25, 0.75
    assert "bet 50 75.0% (player 1" in tree_text(tree, frequencies=frequencies)
    assert "bet 50  75.0%" in texts(tree_drawing(tree, frequencies=frequencies).svg())
    with pytest.raises(InputError, match="each of the 12 nodes"):
        tree_text(tree, frequencies=np.zeros(3))


def test_drawing(tree):
    shown = texts(tree_drawing(tree, title="Two streets", names=("out of position", "in position")).svg())
    for wanted in ("Two streets", "in position", "check", "fold", "deal, pot 100, 2 nodes follow", "150"):
        assert wanted in shown
    assert tree_drawing(tree).png(scale=1).startswith(b"\x89PNG")


def test_all_in_is_darkest(tree):
    assert hex_colour(blend(ALL_IN, INK, 0.12)) not in tree_drawing(tree).svg()
    tree.all_in_total = 50
    assert hex_colour(blend(ALL_IN, INK, 0.12)) in tree_drawing(tree).svg()


def test_leaves_do_not_share_a_line(tree):
    root = ET.fromstring(tree_drawing(tree, streets=2).svg())
    heights = [float(e.get("y")) for e in root.iter("{http://www.w3.org/2000/svg}text") if "pot" in (e.text or "")]
    ends = sorted(h for h in heights if h > 60)
    assert all(b - a >= 25 for a, b in pairwise(ends))


def test_limits(tree):
    with pytest.raises(InputError, match="more than 5 nodes"):
        tree_drawing(tree, max_nodes=5).svg()
    with pytest.raises(InputError, match="At least one street"):
        tree_drawing(tree, streets=0).svg()
    with pytest.raises(InputError, match="The tree has 2 streets, so 3 cannot be drawn"):
        tree_drawing(tree, streets=3).svg()
