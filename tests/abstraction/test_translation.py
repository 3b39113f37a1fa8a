"""Action translation: values, the axioms of Ganzfried and Sandholm (2013), borders."""

from __future__ import annotations

import itertools
import math

import pytest

from errai.abstraction.translation import (
    MAPPINGS,
    Translation,
    nearest,
    nearest_pseudo_harmonic,
    nearest_ratio,
    pseudo_harmonic,
    randomised_arithmetic,
    randomised_geometric,
    randomised_geometric_2,
    translate,
)
from errai.errors import InputError

LOW = (0.001, 0.01, 0.05, 0.1)
RANDOMISED = [t for t in Translation if t not in ("arithmetic", "geometric", "nearest-pseudo-harmonic")]


@pytest.mark.parametrize(
    ("mapping", "values"),
    [
        (nearest, (1.0, 1.0, 1.0, 1.0)),
        (nearest_ratio, (0.0, 0.0, 0.0, 1.0)),
        (randomised_arithmetic, (0.751, 0.758, 0.789, 0.833)),
        (randomised_geometric, (0.012, 0.111, 0.429, 0.667)),
        (randomised_geometric_2, (0.015, 0.131, 0.439, 0.641)),
        (pseudo_harmonic, (0.601, 0.612, 0.663, 0.733)),
    ],
)
def test_a_small_bet_of_a_quarter_of_the_large_one(mapping, values) -> None:
    """The setting of the paper's comparison: b = 1 and x = 0.25 fixed, a grows."""
    assert [round(mapping(0.25, a, 1.0), 3) for a in LOW] == pytest.approx(values, abs=1e-9)


def test_between_a_check_and_the_pot_the_border_is_a_third() -> None:
    assert pseudo_harmonic(1 / 3, 0, 1) == pytest.approx(0.5)
    for a, b in ((0.0, 1.0), (0.5, 1.0), (1.0, 7.5)):
        border = (a + b + 2 * a * b) / (a + b + 2)
        assert pseudo_harmonic(border, a, b) == pytest.approx(0.5)
        assert nearest_pseudo_harmonic(border * 0.999, a, b) == 1.0
        assert nearest_pseudo_harmonic(border * 1.001, a, b) == 0.0
    for mapping in (randomised_geometric, randomised_geometric_2):
        assert mapping(math.sqrt(0.5 * 2), 0.5, 2.0) == pytest.approx(0.5)


def test_the_clairvoyance_game_makes_the_opponent_indifferent() -> None:
    """Facing x a player calls with 1 / (1 + x); mixing the answers to a and b must do the same."""
    for a, x, b in ((0.0, 0.4, 1.0), (0.5, 0.7, 1.0), (1.0, 1.5, 3.0)):
        p = pseudo_harmonic(x, a, b)
        assert p / (1 + a) + (1 - p) / (1 + b) == pytest.approx(1 / (1 + x))


@pytest.mark.parametrize("name", list(Translation))
def test_the_axioms(name: Translation) -> None:
    """Border constraints and monotonicity; continuity and scale for the randomised ones."""
    mapping = MAPPINGS[name]
    a, b = 0.3, 1.7
    assert mapping(a, a, b) == 1.0
    assert mapping(b, a, b) == pytest.approx(0.0)
    assert mapping(a, a, a) == 1.0
    xs = [a + (b - a) * i / 200 for i in range(201)]
    values = [mapping(min(x, b), a, b) for x in xs]
    assert all(later <= earlier + 1e-12 for earlier, later in itertools.pairwise(values))
    if name in RANDOMISED:
        assert max(before - after for before, after in itertools.pairwise(values)) < 0.05
    if name not in (Translation.PSEUDO_HARMONIC, Translation.NEAREST_PSEUDO_HARMONIC):
        assert mapping(0.9, a, b) == pytest.approx(mapping(9.0, 10 * a, 10 * b))


def test_translate_picks_neighbours() -> None:
    sizes = [0.0, 0.5, 1.0, 4.0]
    found = translate(0.75, sizes)
    assert (found.lower, found.upper) == (1, 2)
    assert found.probability == pytest.approx(pseudo_harmonic(0.75, 0.5, 1.0))
    assert found.pick(0.0) == 1
    assert found.pick(found.probability) == 2
    assert found.pick(0.999999) == 2
    assert translate(0.5, sizes).pick(0.9999) == 1
    assert translate(9.0, sizes).pick(0.5) == 3
    assert translate(0.1, [0.5, 1.0]).pick(0.999) == 0
    assert translate(0.75, sizes, "arithmetic").probability == 1.0
    assert translate(2.5, sizes, "geometric").probability == 0.0


def test_errors() -> None:
    with pytest.raises(InputError, match="no translation"):
        translate(0.5, [0.0, 1.0], "harmonic")
    with pytest.raises(InputError, match="ascend"):
        translate(0.5, [1.0, 0.5])
    with pytest.raises(InputError, match="ascend"):
        translate(0.5, [])
    with pytest.raises(InputError, match="finite"):
        translate(math.nan, [0.0, 1.0])
    for x, a, b in ((0.5, 0.6, 1.0), (1.5, 0.6, 1.0), (-1.0, -1.0, 1.0), (math.nan, 0, 1), (1, 0, math.inf)):
        with pytest.raises(InputError, match="cannot be translated"):
            pseudo_harmonic(x, a, b)
