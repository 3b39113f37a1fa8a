"""Schedules: the coefficients of every variant against its published formula."""

from __future__ import annotations

import json

import numpy as np
import pytest

from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule, find_schedule, names
from errai.errors import SolverOptionError
from errai.kernels.protocol import COEFFICIENTS

T = np.arange(1.0, 21.0)


def table(name: str) -> dict[str, np.ndarray]:
    columns = find_schedule(name).coefficients(1, 20).T
    return dict(zip(COEFFICIENTS, columns, strict=True))


@pytest.mark.parametrize(
    ("name", "positive", "negative"),
    [
        ("cfr", np.ones(20), np.ones(20)),
        ("cfr+", np.ones(20), np.zeros(20)),
        ("linear", T / (T + 1), T / (T + 1)),
        ("dcfr", T**1.5 / (T**1.5 + 1), np.full(20, 0.5)),
        ("dcfr4", T**1.5 / (T**1.5 + 1), np.full(20, 0.5)),
        ("dcfr4+", T**1.5 / (T**1.5 + 1), np.zeros(20)),
        ("dcfr-foresight", T**1.4 / (T**1.4 + 1), np.full(20, 0.5)),
        ("pcfr+", np.ones(20), np.zeros(20)),
    ],
)
def test_regrets_are_discounted_as_published(name: str, positive: np.ndarray, negative: np.ndarray) -> None:
    found = table(name)
    np.testing.assert_allclose(found["positive"], positive, rtol=1e-15)
    np.testing.assert_allclose(found["negative"], negative, rtol=1e-15)
    assert (found["weight"] == 1).all()
    assert (found["prediction"] == (name == "pcfr+")).all()
    assert (found["foresight"] == (0.5 if name == "dcfr-foresight" else 0.0)).all()
    assert find_schedule(name).predictive == (name == "pcfr+")


@pytest.mark.parametrize(
    ("name", "exponent"),
    [
        ("cfr", 0),
        ("cfr+", 1),
        ("linear", 1),
        ("dcfr", 2),
        ("dcfr4", 4),
        ("dcfr-foresight", 4),
        ("dcfr4+", 4),
        ("pcfr+", 2),
    ],
)
def test_the_average_weighs_iteration_t_with_a_power_of_t(name: str, exponent: int) -> None:
    weights = np.zeros(20)
    for t, factor in enumerate(table(name)["average"]):
        weights *= factor
        weights[t] += 1.0
    expected = T**exponent
    np.testing.assert_allclose(weights / weights.sum(), expected / expected.sum(), rtol=1e-12)
    average = np.zeros(20)
    for t, share in enumerate(table(name)["share"]):
        average += share * (np.eye(20)[t] - average)
    np.testing.assert_allclose(average, expected / expected.sum(), rtol=1e-12)


@pytest.mark.parametrize("name", ["cfr", "dcfr4", "pcfr+"])
@pytest.mark.parametrize("first", [2, 7, 400])
def test_an_average_may_leave_out_the_first_iterations(name: str, first: int) -> None:
    count = 600
    rows = find_schedule(name, average_from=first).coefficients(1, count).T
    columns = dict(zip(COEFFICIENTS, rows, strict=True))
    t = np.arange(1.0, count + 1)
    expected = np.where(t < first, 0.0, t ** find_schedule(name).gamma)
    weights, average = np.zeros(count), np.zeros(count)
    for i, (factor, share) in enumerate(zip(columns["average"], columns["share"], strict=True)):
        weights *= factor
        weights[i] += 1.0
        average += share * (np.eye(1, count, i)[0] - average)
    np.testing.assert_allclose(weights / weights.sum(), expected / expected.sum(), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(average, expected / expected.sum(), rtol=1e-9, atol=1e-15)
    whole = find_schedule(name).coefficients(1, count).T
    assert np.array_equal(rows[:2], whole[:2])


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_table_in_pieces_is_the_table(name: str) -> None:
    schedule = find_schedule(name)
    whole = schedule.coefficients(1, 12)
    pieces = np.concatenate([schedule.coefficients(1, 5), schedule.coefficients(6, 1), schedule.coefficients(7, 6)])
    assert np.array_equal(whole, pieces)
    assert np.isfinite(whole).all()
    with pytest.raises(ValueError, match="read-only"):
        whole[0, 0] = 2.0


def test_any_schedule_is_json() -> None:
    for schedule in SCHEDULES.values():
        document = json.loads(json.dumps(schedule.to_dict(), allow_nan=False))
        exponents = ("alpha", "beta", "gamma", "prediction", "foresight")
        numbers = {k: float(v) if k in exponents else v for k, v in document.items()}
        assert Schedule(**numbers) == schedule


def test_schedules_are_found_by_name_and_can_be_changed() -> None:
    assert DEFAULT in names()
    assert list(names()) == list(SCHEDULES)
    assert find_schedule("CFR+") is not None
    assert find_schedule("dcfr", simultaneous=True).simultaneous
    own = Schedule("mine", alpha=1.0, beta=0.5, gamma=3.0)
    assert find_schedule(own) == own
    assert find_schedule(own, weighted=False).weighted is False
    with pytest.raises(
        SolverOptionError, match=r"'mccfr'.*cfr, cfr\+, linear, dcfr, dcfr4, dcfr4\+, dcfr-foresight, pcfr\+"
    ):
        find_schedule("mccfr")
