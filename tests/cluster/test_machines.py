from __future__ import annotations

import pytest

from errai.cluster.machines import ACCELERATORS, Measured, Workers, measure, rate_of, rounded_text
from errai.engine.resources import default_threads
from errai.errors import SolverOptionError

MEASURED = Measured(entries_per_second=500e6, bytes_per_second=10e9)


@pytest.mark.parametrize(
    ("text", "count", "kind", "units"),
    [
        ("48xh200", 48, "h200", 48),
        ("200x24cores", 200, "cores", 4_800),
        (" 8 x H100 ", 8, "h100", 8),
        ("24cores", 1, "cores", 24),
        ("1x1core", 1, "cores", 1),
        ("local", 1, "local", default_threads()),
        ("3xlocal", 3, "local", 3 * default_threads()),
    ],
)
def test_workers(text, count, kind, units):
    workers = Workers.parse(text)
    assert (workers.count, workers.kind, workers.units) == (count, kind, units)
    assert workers.unit == ("GPU" if kind in ACCELERATORS else "core")


@pytest.mark.parametrize(
    "text", ["", "3xfoo", "-3xh200", "0xh200", "3x0cores", "48", "x", "3xcores", "h200x3", "3.5xh200"]
)
def test_texts_that_are_no_workers(text):
    with pytest.raises(SolverOptionError, match="write 48xh200"):
        Workers.parse(text)


def test_a_given_rate_needs_no_measurement():
    rate = rate_of(Workers.parse("48xh200"), 2.6, 40e6, None)
    assert (rate.per_second, rate.origin) == (40e6, "given")


def test_measured_rates_are_per_information_set():
    rate = rate_of(Workers.parse("local"), 2.5, None, MEASURED)
    assert rate.per_second == pytest.approx(200e6)
    assert rate.origin == "measured"
    elsewhere = rate_of(Workers.parse("200x24cores"), 2.5, None, MEASURED)
    assert elsewhere.origin == "measured elsewhere"
    assert "not measured" in elsewhere.note


@pytest.mark.parametrize(("kind", "bandwidth"), [("a100", 2.0e12), ("h100", 3.35e12), ("h200", 4.8e12)])
def test_gpus_are_scaled_by_bandwidth_and_say_so(kind, bandwidth):
    rate = rate_of(Workers.parse(kind), 2.5, None, MEASURED)
    assert rate.per_second == pytest.approx(200e6 * bandwidth / 10e9)
    assert rate.origin == "scaled"
    assert "UNMEASURED" in rate.note
    assert f"{bandwidth / 10e9:.0f}" in rate.note


def test_measuring_this_machine():
    found = measure(threads=1)
    # Any machine that runs the tests lies between these.
    assert 1e6 < found.entries_per_second < 1e11
    assert 1e8 < found.bytes_per_second < 1e13


def test_rounded_text():
    assert rounded_text(0.79e6) == "0.79 million"
    assert rounded_text(61.7e9) == "61.7 billion"
    assert rounded_text(5_000) == "5e+03"
