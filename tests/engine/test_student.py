"""Student's t and the beta distribution against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betainc, betaincinv, stdtr, stdtrit

from errai.engine.student import beta_cdf, beta_quantile, student_cdf, student_quantile


@pytest.mark.parametrize("freedom", [0.3, 1, 2, 3.7, 7, 30, 999, 1e6])
def test_student(freedom: float) -> None:
    rng = np.random.default_rng(int(freedom) + 1)
    for t in [0.0, *rng.normal(size=40) * 10 ** rng.uniform(-3, 1.5, 40)]:
        assert student_cdf(freedom, t) == pytest.approx(stdtr(freedom, t), rel=1e-9, abs=1e-200)
    for probability in [0.5, 0.975, 0.025, *rng.uniform(0.001, 0.999, 40)]:
        wanted = stdtrit(freedom, probability)
        assert student_quantile(freedom, probability) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("first", [0.05, 1, 8.5, 300, 1e5])
@pytest.mark.parametrize("second", [0.05, 1, 8.5, 300, 1e5])
def test_beta(first: float, second: float) -> None:
    rng = np.random.default_rng(5)
    spread = np.sqrt(first * second / (first + second + 1)) / (first + second)
    near = np.clip(first / (first + second) + spread * rng.normal(size=20), 0, 1)
    for x in [0.0, 1.0, *rng.random(20), *near]:
        assert beta_cdf(first, second, x) == pytest.approx(betainc(first, second, x), rel=1e-8, abs=1e-12)
    for probability in (0.025, 0.5, 0.975):
        wanted = betaincinv(first, second, probability)
        assert beta_quantile(first, second, probability) == pytest.approx(wanted, rel=1e-8)


def test_the_ends() -> None:
    assert beta_cdf(2.0, 3.0, 0.0) == 0.0
    assert beta_cdf(2.0, 3.0, 1.0) == 1.0
    assert student_cdf(5.0, 0.0) == 0.5
    # The table that every book has.
    assert student_quantile(10, 0.975) == pytest.approx(2.228138852, rel=1e-9)
