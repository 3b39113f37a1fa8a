from __future__ import annotations

import pytest

from errai.engine.loop import Progress
from errai.engine.progress_view import ProgressView, in_unit, iterations_to_target, unit_of
from errai.engine.units import Measurement, Units
from errai.games.catalogue import load_game

UNITS = Units(200.0, 10.0)


def report(iteration, seconds, percent=None, *, target=0.5, max_iterations=None, max_seconds=None):
    """A progress report; percentages of a pot of 200."""
    measured = None if percent is None else Measurement(2 * percent, UNITS)
    chips = None if target is None else 2 * target
    return Progress(iteration, seconds, measured, iteration, chips, max_iterations, max_seconds)


def view(*, is_terminal=False):
    return ProgressView("A spot", "pot_percent", is_terminal=is_terminal)


def test_power_laws_are_continued_exactly():
    points = [(t, 8.0 / t**2) for t in (1.0, 2.0, 3.0, 4.0)]
    # 8 / t^2 = 0.02 at t = 20
    assert iterations_to_target(points, 0.02) == pytest.approx(16.0)


def test_no_guess_without_a_trend():
    assert iterations_to_target([], 0.1) is None
    assert iterations_to_target([(1.0, 2.0)], 0.1) is None
    assert iterations_to_target([(1.0, 2.0), (2.0, 2.0)], 0.1) is None
    assert iterations_to_target([(1.0, 2.0), (1.0, 1.0)], 0.1) is None
    assert iterations_to_target([(1.0, 2.0), (2.0, 0.05)], 0.1) == 0.0
    assert iterations_to_target([(1.0, 2.0), (2.0, 1.8)], 1e-9) is None


def test_fraction_is_logarithmic():
    bar = view()
    bar(report(1, 1.0, 100.0, target=1.0))
    bar(report(2, 2.0, 10.0, target=1.0))
    assert bar.fraction(report(2, 2.0, 10.0, target=1.0)) == pytest.approx(0.5)
    assert view().fraction(report(4, 1.0, target=None, max_iterations=10)) == pytest.approx(0.4)
    assert view().fraction(report(4, 20.0, target=None, max_seconds=10.0)) == 1.0


def test_limits_cap_the_time_left():
    bar = view()
    assert bar.seconds_left(report(10, 1.0, max_iterations=100, max_seconds=30.0)) == pytest.approx(9.0)
    assert bar.seconds_left(report(1, 1.0, max_iterations=100, max_seconds=30.0)) == pytest.approx(29.0)
    assert bar.seconds_left(report(10, 1.0, target=None)) is None


def test_preparing_is_no_part_of_the_speed():
    """Flops that were prepared for ten minutes before the first iteration were counted as iterations."""
    bar = view()
    for iteration, percent in ((1, 100.0), (2, 50.0), (4, 25.0)):
        bar(report(iteration, 600.0 + iteration, percent, target=5.0))
    # 100 / t = 5 at t = 20, sixteen iterations of a second from here.
    assert bar.seconds_left(report(4, 604.0, 25.0, target=5.0)) == pytest.approx(16.0)
    assert bar.seconds_left(report(4, 604.0, target=None, max_iterations=10)) == pytest.approx(6.0)


def test_lines_where_there_is_no_terminal(capsys):
    with view() as bar:
        bar(report(10, 1.0, 4.0))
        bar(report(20, 2.0, 1.0))
        bar(report(20, 2.0, 1.0))
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "iteration 10, exploitability 4% of the pot (target 0.5), 1 s\n"
    assert len(bar.measurements) == 2
    assert bar.state_text(report(20, 2.0, 1.0)).endswith("2 s, about 828 ms left")


def test_the_bar_leaves_standard_output_alone(capsys):
    with view(is_terminal=True) as bar:
        bar(report(10, 1.0, 4.0))
    assert capsys.readouterr().out == ""


def test_units():
    assert in_unit(UNITS, 1.0, "chips") == 1.0
    assert in_unit(UNITS, 1.0, "mbb") == 100.0
    assert in_unit(UNITS, 1.0, "pot_percent") == 0.5
    kuhn = load_game("kuhn")
    assert unit_of("0.3%pot", kuhn) == "pot_percent"
    assert unit_of("5 chips", kuhn) == "chips"
    assert unit_of(None, kuhn) == "mbb"
    assert unit_of("1mbb", kuhn) == "mbb"
