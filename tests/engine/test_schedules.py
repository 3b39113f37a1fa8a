"""Schedules: the coefficients of every variant against its published formula."""

from __future__ import annotations

import json

import numpy as np
import pytest
from plain_cfr import PlainCfr

import errai
from errai.engine.schedules import DEFAULT, SCHEDULES, Schedule, find_schedule
from errai.errors import SolverOptionError
from errai.kernels.protocol import COEFFICIENTS

T = np.arange(1.0, 21.0)


def table(name: str) -> dict[str, np.ndarray]:
    columns = find_schedule(name).coefficients(1, 20).T
    return dict(zip(COEFFICIENTS, columns, strict=True))


def kept(exponent: np.ndarray) -> np.ndarray:
    return T**exponent / (T**exponent + 1)


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
        ("hs-pcfr+-30", np.ones(20), np.zeros(20)),
        ("hs-dcfr-15", kept(1 + 3 * T / 1000), kept(-1 - 2 * T / 1000)),
        ("hs-dcfr-30:10", kept(1 + 3 * np.minimum(T / 10, 1)), kept(-1 - 2 * np.minimum(T / 10, 1))),
    ],
)
def test_regrets_are_discounted_as_published(name: str, positive: np.ndarray, negative: np.ndarray) -> None:
    found = table(name)
    np.testing.assert_allclose(found["positive"], positive, rtol=1e-15)
    np.testing.assert_allclose(found["negative"], negative, rtol=1e-15)
    assert (found["weight"] == 1).all()
    assert (found["prediction"] == ("pcfr+" in name)).all()
    assert (found["foresight"] == (0.5 if name == "dcfr-foresight" else 0.0)).all()
    assert find_schedule(name).predictive == ("pcfr+" in name)


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


HYPERPARAMETER_SCHEDULES = ["hs-dcfr-30", "hs-dcfr-15", "hs-pcfr+-30", "hs-pcfr+-15"]


@pytest.mark.parametrize("name", HYPERPARAMETER_SCHEDULES)
@pytest.mark.parametrize("horizon", [7, 1000])
def test_the_average_of_exponents_that_change(name: str, horizon: int) -> None:
    schedule = find_schedule(f"{name}:{horizon}")
    columns = dict(zip(COEFFICIENTS, schedule.coefficients(1, 600).T, strict=True))
    weights, average = np.zeros(600), np.zeros(600)
    for t in range(1, 601):
        weights *= ((t - 1) / t) ** (int(name[-2:]) - 5 * min(t / horizon, 1))
        weights[t - 1] = 1.0
        assert columns["share"][t - 1] == pytest.approx(1 / weights.sum(), rel=1e-12)
        average += columns["share"][t - 1] * (np.eye(1, 600, t - 1)[0] - average)
    np.testing.assert_allclose(average, weights / weights.sum(), rtol=1e-9, atol=1e-15)
    assert np.isfinite(schedule.coefficients(1, 600)).all()
    late = schedule.coefficients(100_001, 300)
    assert np.isfinite(late).all()


SCHEDULED = {
    "hs-dcfr-30": (30, False),
    "hs-dcfr-15": (15, False),
    "hs-pcfr+-30": (30, True),
    "hs-pcfr+-15": (15, True),
}


@pytest.mark.parametrize(("ours", "theirs", "iterations"), [("kuhn", "kuhn_poker", 60), ("leduc", "leduc_poker", 12)])
@pytest.mark.parametrize("name", SCHEDULED)
def test_curves_of_hyperparameter_schedules_against_plain_numpy(
    name: str, ours: str, theirs: str, iterations: int
) -> None:
    """Over a horizon short enough for the exponents to change in full."""
    horizon = iterations - iterations // 4
    start, plus = SCHEDULED[name]

    def moved(t: int) -> float:
        return min(t / horizon, 1.0)

    plain = PlainCfr(
        theirs,
        alpha=lambda t: 1 + 3 * moved(t),
        beta=lambda t: -1 - 2 * moved(t),
        gamma=lambda t: start - 5 * moved(t),
        plus=plus,
    )
    subject = errai.load_game(ours)
    for count in (1, 2, iterations // 2, horizon, iterations):
        plain.iterate(count - plain.iteration)
        solution = errai.solve(
            subject, algorithm=f"{name}:{horizon}", max_iterations=count, precision="float64", encoding="float64"
        )
        assert solution.exploitability.chips == pytest.approx(plain.exploitability(), rel=1e-6, abs=1e-9)


def weights_of(name: str, count: int) -> np.ndarray:
    """Weights of iterations in the average, by multiplying what each one does to those before."""
    schedule, weights = find_schedule(name), np.zeros(count)
    for t in range(1, count + 1):
        done = min(t / schedule.horizon, 1.0) if schedule.horizon else 0.0
        weights *= ((t - 1) / t) ** (schedule.gamma + schedule.gamma_change * done)
        weights[t - 1] = 1.0
    return weights


@pytest.mark.parametrize(("name", "first"), [("dcfr", 4), ("hs-dcfr-15:10", 7), ("hs-pcfr+-30:10", 12)])
def test_averages_that_begin_later_against_plain_numpy(name: str, first: int) -> None:
    hs = name.startswith("hs-")
    plain = PlainCfr(
        "leduc_poker",
        alpha=lambda t: 1 + 3 * min(t / 10, 1) if hs else 1.5,
        beta=lambda t: -1 - 2 * min(t / 10, 1) if hs else 0.0,
        gamma=lambda t: (15 if "15" in name else 30) - 5 * min(t / 10, 1) if hs else 2.0,
        plus="pcfr" in name,
    )
    plain.iterate(first - 1)
    plain.sums[:] = 0.0
    plain.iterate(12 - plain.iteration)
    solution = errai.solve(
        errai.load_game("leduc"), algorithm=name, max_iterations=12, average_from=first, precision="float64"
    )
    assert solution.exploitability.chips == pytest.approx(plain.exploitability(), rel=1e-6)


@pytest.mark.parametrize("name", ["cfr", "dcfr4", "pcfr+", "hs-dcfr-15:50"])
@pytest.mark.parametrize("first", [2, 7, 400])
def test_an_average_may_leave_out_the_first_iterations(name: str, first: int) -> None:
    count = 600
    rows = find_schedule(name, average_from=first).coefficients(1, count).T
    columns = dict(zip(COEFFICIENTS, rows, strict=True))
    t = np.arange(1.0, count + 1)
    expected = np.where(t < first, 0.0, weights_of(name, count))
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
        exponents = ("alpha", "beta", "gamma", "prediction", "foresight", "gamma_change")
        numbers = {k: float(v) if k in exponents else v for k, v in document.items()}
        assert Schedule(**numbers) == schedule


def test_schedules_are_found_by_name_and_can_be_changed() -> None:
    assert DEFAULT in SCHEDULES
    assert find_schedule("CFR+") is not None
    assert find_schedule("dcfr", simultaneous=True).simultaneous
    own = Schedule("mine", alpha=1.0, beta=0.5, gamma=3.0)
    assert find_schedule(own) == own
    assert find_schedule(own, weighted=False).weighted is False
    listed = r"'mccfr'.*cfr, cfr\+, linear, dcfr, dcfr4, dcfr4\+, dcfr-foresight, pcfr\+, hs-dcfr-30"
    with pytest.raises(SolverOptionError, match=listed):
        find_schedule("mccfr")
    assert find_schedule("HS-DCFR-30:50").horizon == 50
    for wrong in ("cfr:50", "hs-dcfr-30:", "hs-dcfr-30:0", "hs-dcfr-30:-1", "hs-dcfr-30:x"):
        with pytest.raises(SolverOptionError, match=r"iterations|do not change"):
            find_schedule(wrong)


@pytest.mark.parametrize("name", ["dcfr-foresight", "dcfr4", "cfr+", "hs-dcfr-30"])
def test_a_head_start_discounts_like_later_iterations_and_begins_an_average_of_its_own(name: str) -> None:
    ahead, count = 30, 40
    rows = find_schedule(name, head_start=ahead).coefficients(1, count).T
    later = find_schedule(name, average_from=ahead + 1).coefficients(ahead + 1, count).T
    for column in ("positive", "negative", "average", "weight", "prediction", "share", "foresight"):
        here, there = (table[COEFFICIENTS.index(column)] for table in (rows, later))
        np.testing.assert_allclose(here, there, rtol=1e-12, err_msg=column)
    assert rows[COEFFICIENTS.index("average"), 0] == 0.0
    assert rows[COEFFICIENTS.index("share"), 0] == 1.0
