"""Checks of what users' code answers."""

from __future__ import annotations

import numpy as np
import pytest

from errai.errors import InputError, LeafValuesError, StrategyError
from errai.own_code import faults_named, numbers_of


def test_numbers_come_back_as_float64() -> None:
    for given in ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]], np.float32), np.array([[True, False], [False, True]])):
        found = numbers_of(given, "The values", (2, 2))
        assert found.dtype == np.float64
        assert np.array_equal(found, given)


@pytest.mark.parametrize(
    "given",
    ["12", None, object(), {}, [[1, 2], [3]], [["1", "2"]], np.array([1j, 2]), np.ndarray, [None, 1.0], 2.0, [1.0]],
)
def test_what_is_no_array_of_the_shape_is_refused(given: object) -> None:
    with pytest.raises(StrategyError, match=r"^The values (must be an array of real numbers|have the shape)"):
        numbers_of(given, "The values", (2,), error=StrategyError)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_named_with_its_place(wrong: float) -> None:
    values = np.zeros((2, 3))
    values[1, 2] = wrong
    with pytest.raises(LeafValuesError, match=f"The values are {wrong:g} at the index 1, 2; each must be a finite"):
        numbers_of(values, "The values", (2, 3), error=LeafValuesError)
    with pytest.raises(InputError, match=r"on board 1 for hand 2; "):
        numbers_of(values, "The values", (2, 3), place=lambda board, hand: f"on board {board} for hand {hand}")
    assert np.isnan(numbers_of(np.full((2, 3), np.nan), "The values", (2, 3), read=np.zeros(3, bool))).all()


def test_infinities_of_both_signs_are_refused_without_a_warning_of_numpy() -> None:
    with pytest.raises(InputError, match="are inf at the index 0;"):
        numbers_of([np.inf, -np.inf], "The values", (2,))


def test_finite_numbers_whose_sum_overflows_are_accepted() -> None:
    assert numbers_of([1.7e308, 1.7e308], "The values", (2,)).tolist() == [1.7e308, 1.7e308]


def test_numbers_out_of_bounds_are_named() -> None:
    with pytest.raises(
        InputError, match=r"The weights are -0.5 at the index 1; each must be a finite number from 0 to 1\."
    ):
        numbers_of([0.5, -0.5], "The weights", (2,), low=0.0, high=1.0)
    with pytest.raises(InputError, match=r"number of at least 0"):
        numbers_of(np.nan, "The weights", (), low=0.0)


def test_a_single_number_stays_one() -> None:
    assert float(numbers_of(2, "The numbers", ())) == 2.0


def test_float32_stays_where_it_is_asked_for() -> None:
    given = np.array([1.0, 2.0], np.float32)
    found = numbers_of(given, "The values", (2,), single=True)
    assert found.dtype == np.float32
    assert np.shares_memory(found, given)
    assert numbers_of(given.astype(np.float64), "The values", (2,), single=True).dtype == np.float64


def test_an_exception_of_users_code_names_its_place() -> None:
    with (
        pytest.raises(
            StrategyError, match=r"^It failed: ValueError: odd \(.*test_own_code.py, line \d+\)\.$"
        ) as caught,
        faults_named("It", StrategyError),
    ):
        raise ValueError("odd")
    assert isinstance(caught.value.__cause__, ValueError)
    for kept in (LeafValuesError("Said on purpose."), KeyboardInterrupt()):
        with pytest.raises(type(kept)), faults_named("It"):
            raise kept
