"""What Errai computes has not changed: the signature of each instruction set is the recorded one."""

from __future__ import annotations

import numpy as np
import pytest
from signature import digest, recorded, rounded, signature

from errai.kernels.cpu import instruction_sets

EXPECTED = recorded()


@pytest.mark.parametrize("instructions", [name for name in EXPECTED if name in instruction_sets()])
def test_results_are_the_recorded_ones(instructions: str) -> None:
    """`scripts/signature --record` writes them anew, for a change that is meant to change results."""
    assert signature(instructions) == EXPECTED[instructions]


def test_the_fifth_digit_counts_and_rounding_errors_do_not() -> None:
    assert digest([[0.5, 1.00001]]) == digest([[0.5, 1.00001 + 1e-13]])
    assert digest([[0.5, 1.0001]]) != digest([[0.5, 1.0002]])
    assert rounded(np.array([[-0.0, 1e-12], [1.0, np.nan]])) == "0.0000e+00 0.0000e+00 1.0000e+00 nan"
