"""Seeds give the same results with every version of NumPy: what is drawn is what was drawn when this was written.

NumPy may change the draws of a Generator's methods from one version to the next. Those that Errai uses have not changed
from 2.0 to 2.5; `multinomial` has, and `errai.arena.intervals` draws it from a RandomState, which never changes.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

SOURCES = Path(__file__).parents[1] / "src" / "errai"

DRAWS: dict[str, tuple[Callable[[np.random.Generator], object], str]] = {
    "choice": (
        lambda rng: [
            *np.sort(rng.choice(1000, 50, replace=False)),
            *rng.choice(1000, 50, replace=False, shuffle=False),
            *rng.choice(5, 50, p=[0.1, 0.2, 0.3, 0.3, 0.1]),
            *rng.choice(70, 24),
        ],
        "248b3eca856a2b7c",
    ),
    "integers": (lambda rng: [*rng.integers(2**62, size=50), *rng.integers(7, size=50)], "8b7541759586087d"),
    "permutation": (lambda rng: [*rng.permutation(52), *rng.permutation(np.arange(9))], "018124c4d249556b"),
    "permuted": (lambda rng: rng.permuted(np.tile(np.arange(52), (20, 1)), axis=1), "d5db46f6848c4f26"),
    "random": (lambda rng: rng.random((20, 5)), "0a1b6dcd6975fd95"),
    "uniform": (lambda rng: rng.uniform(1.0, 2.0, 50), "16a429269b1b17fb"),
}
"""Methods of a Generator that Errai uses, and the SHA-256 of numbers that they draw."""


def digest(numbers: object) -> str:
    return hashlib.sha256(np.asarray(numbers, dtype="<f8").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("method", DRAWS)
def test_numpy_draws_what_it_drew(method: str) -> None:
    draw, expected = DRAWS[method]
    assert digest(draw(np.random.default_rng([1, 2]))) == expected


def test_nothing_else_is_drawn() -> None:
    """Another method of a Generator must be added to the list above, or stand where its draws cannot change."""
    others = (
        {name for name in dir(np.random.Generator) if not name.startswith("_")}
        - DRAWS.keys()
        - {"bit_generator", "bytes"}
    )
    found = [
        f"{path.relative_to(SOURCES)}:{node.lineno} {node.func.attr}"
        for path in sorted(SOURCES.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in others
    ]
    assert [line for line in found if not line.startswith("arena/intervals.py")] == []
