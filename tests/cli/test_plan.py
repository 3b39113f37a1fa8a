from __future__ import annotations

import json

import pytest


def test_limit_holdem_beside_cepheus(errai):
    run = errai("plan", "holdem.limit.2p", "--target", "1mbb", "--workers", "48xh200", "--rate", "4G", "--price", "3")
    assert (run.code, run.err) == (0, "")
    for wanted in (
        "13,803,249,787,132",
        "110,565",
        "= 7 x 1,755 x 9",
        "10.9 TB",
        "48 x H200",
        "4,776 cores",
        "61 min 00 s",
        "900 core-years, published",
        "ASSUMED: Cepheus's",
        "do not hold the compressed state",
        "each must read and write 227 GB per iteration",
        "at 3 per worker and hour",
    ):
        assert wanted in run.out


def test_json(errai):
    arguments = ("--workers", "199x24cores", "--rate", "0.79M", "--target", "0.986mbb", "--memory-per-worker", "32GB")
    plan = json.loads(errai("plan", "holdem.limit.2p", *arguments, "--json").out)
    assert plan["information_sets"] == 13_803_249_787_132
    assert plan["disk_bytes"] == pytest.approx(10.9e12, rel=1e-3)
    assert plan["iterations"] == 1_579
    assert plan["seconds_per_iteration"] == pytest.approx(3_660, rel=2e-3)
    assert plan["workers"]["units"] == 4_776
    assert plan["workers"]["memory_bytes"] == 32 * 10**9
    assert plan["rate"] == {"per_second": 790_000.0, "origin": "given", "note": plan["rate"]["note"]}
    assert plan["cost"] is None
    cut = next(c for c in plan["cuts"] if (c["street"], c["by"]) == ("flop", "line, board and line"))
    assert (cut["subgames"], cut["factors"]) == (110_565, [7, 1_755, 9])
    assert cut["largest_state_bytes"] == 4 * cut["largest_entries"]
    assert cut["largest_fits"] is True


def test_a_measured_gpu_is_marked(errai):
    run = errai("plan", "leduc", "--workers", "2xa100")
    assert "UNMEASURED" in run.out
    assert "2 TB/s" in run.out
    plan = json.loads(errai("plan", "leduc", "--workers", "2xa100", "--json").out)
    assert plan["rate"]["origin"] == "scaled"


def test_small_games(errai):
    run = errai("plan", "kuhn", "--rate", "1M")
    assert "there is nothing to cut" in run.out
    run = errai("plan", "leduc", "--rate", "1M", "--workers", "48xh100", "--cut", "2")
    assert "not all of the 48 GPUs can work" in run.out
    assert "= 5 x 3" in run.out


def test_a_menu_for_no_limit(errai):
    plan = json.loads(errai("plan", "leduc.nolimit", "--menu", "50%, a", "--rate", "1M", "--json").out)
    other = json.loads(errai("plan", "leduc.nolimit", "--menu", "a", "--rate", "1M", "--json").out)
    assert plan["entries"] > other["entries"]


@pytest.mark.parametrize(
    ("arguments", "code", "wanted"),
    [
        (("leduc", "--workers", "3xfoo"), 2, "no kind of worker"),
        (("leduc", "--workers", "0xh200"), 2, "in '0xh200' must be at least 1"),
        (("leduc", "--rate", "-3"), 2, "--rate"),
        (("leduc", "--rate", "fast"), 2, "is not a rate"),
        (("leduc", "--price", "-1"), 2, "above 0"),
        (("leduc", "--bytes-per-infoset", "0"), 2, "above 0"),
        (("leduc", "--iterations", "0"), 2, "at least 1"),
        (("leduc", "--target", "soon"), 2, "not a target"),
        (("leduc", "--cut", "flop"), 2, "There is no cut"),
        (("nowhere",), 1, "There is no game"),
        (("leduc", "--menu", "a"), 1, "limit game"),
    ],
)
def test_wrong_inputs(errai, arguments, code, wanted):
    assert wanted in errai("plan", *arguments).refusal(code)


def test_a_spot_is_refused(errai, folder):
    assert "errai estimate" in errai("plan", folder / "turn.toml").refusal()
