from __future__ import annotations

import math

import pytest

from errai.cluster.planning import CEPHEUS, CEPHEUS_BYTES, plan_cluster
from errai.errors import InputError, SolverOptionError, TargetError
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot


@pytest.fixture(scope="module")
def limit():
    return load_game("holdem.limit.2p")


@pytest.fixture(scope="module")
def cepheus(limit):
    """Cepheus's own run, planned: its target, its cores, its rate."""
    return plan_cluster(limit, "0.986mbb", workers="199x24cores", rate=0.79e6, price=2.0)


def test_cepheus_is_planned_as_it_was_run(cepheus):
    # Bowling et al. 2015: 1,579 iterations of 61 min on 4,776 cores, 10.9 TB.
    assert cepheus.information_sets == 13_803_249_787_132
    assert cepheus.workers.units == 4_776
    assert cepheus.iterations == 1_579
    assert cepheus.seconds_per_iteration / 60 == pytest.approx(61, abs=0.1)
    assert cepheus.seconds / 86_400 == pytest.approx(66.9, abs=0.1)
    assert cepheus.unit_years == pytest.approx(900, rel=0.03)
    assert cepheus.disk_bytes == pytest.approx(10.9e12, rel=1e-3)


def test_the_published_run_agrees_with_itself():
    assert CEPHEUS.rate == pytest.approx(0.79e6, rel=0.005)
    assert CEPHEUS.bytes_per_information_set == pytest.approx(CEPHEUS_BYTES, rel=0.005)


def test_bytes_and_money(cepheus, limit):
    assert cepheus.state_bytes == 4 * cepheus.entries == 4 * 35_888_449_446_577
    assert cepheus.cost == pytest.approx(2.0 * 199 * cepheus.seconds / 3600)
    assert plan_cluster(limit, workers="24cores", rate=1e6, bytes_per_information_set=2).disk_bytes == pytest.approx(
        2 * 13_803_249_787_132
    )
    assert plan_cluster(limit, workers="24cores", rate=1e6).cost is None


def test_iterations_are_assumed_unless_given(limit):
    plan = plan_cluster(limit, "0.2465mbb", workers="24cores", rate=1e6)
    assert plan.iterations == 2 * 1_579  # a quarter of the exploitability
    assert "ASSUMED" in plan.iterations_note
    plan = plan_cluster(limit, workers="24cores", rate=1e6, iterations=7)
    assert (plan.iterations, plan.iterations_note) == (7, "given")


def test_what_fits(limit):
    plan = plan_cluster(limit, workers="48xh200", rate=1e9)
    assert plan.memory_bytes == 48 * 141 * 10**9
    assert plan.fits_in_memory is False
    assert plan_cluster(limit, workers="100xh200", rate=1e9).fits_in_memory is True
    fits = {(cut.street, cut.by): plan.largest_fits(cut) for cut in plan.cuts}
    assert fits[1, "board"] is False
    assert fits[1, "line and board"] is True
    unknown = plan_cluster(limit, workers="200x24cores", rate=1e6)
    assert unknown.fits_in_memory is None
    assert unknown.largest_fits(unknown.cuts[0]) is None
    assert plan_cluster(limit, workers="200x24cores", rate=1e6, memory_per_worker=10**12).fits_in_memory is True


def test_one_street(limit):
    plan = plan_cluster(limit, workers="24cores", rate=1e6, cut="Turn")
    assert {cut.street for cut in plan.cuts} == {2}
    assert plan_cluster(limit, workers="24cores", rate=1e6, cut="3").cuts == plan.cuts
    with pytest.raises(SolverOptionError, match="choose one of flop, turn, river"):
        plan_cluster(limit, workers="24cores", rate=1e6, cut="pre-flop")


def test_a_rate_is_measured_where_none_is_given():
    plan = plan_cluster(load_game("leduc"), "1mbb")
    assert plan.rate.origin == "measured"
    assert plan.seconds_per_iteration > 0


@pytest.mark.parametrize(
    "wrong",
    [{"rate": -1.0}, {"rate": math.nan}, {"price": 0.0}, {"iterations": 0}, {"bytes_per_information_set": -0.5}],
)
def test_numbers_that_cannot_be(wrong):
    with pytest.raises(SolverOptionError, match="above 0"):
        plan_cluster(load_game("leduc"), **wrong)


def test_other_errors():
    leduc = load_game("leduc")
    with pytest.raises(TargetError):
        plan_cluster(leduc, "soon", rate=1e6)
    with pytest.raises(SolverOptionError, match="no kind of worker"):
        plan_cluster(leduc, workers="3xfoo", rate=1e6)
    spot = parse_spot(
        'board = "Ks 7h 4d 2c"\npot = 1\nstack = 2\n[ranges]\noop = "AA"\nip = "QQ"\n[bets]\nbet = "a"\nraise = ""\n'
    )
    with pytest.raises(InputError, match="errai estimate"):
        plan_cluster(spot)  # type: ignore[arg-type]
