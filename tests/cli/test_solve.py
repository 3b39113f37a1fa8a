from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from errai.engine.schedules import SCHEDULES
from errai.extensive import load_extensive

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = [sys.executable, "-m", "errai.cli.main"]

SOLVE_FIELDS = {
    "game",
    "status",
    "iterations",
    "seconds",
    "exploitability",
    "values",
    "value_between",
    "information_sets",
    "memory_bytes",
    "precision",
    "regret_bound_chips",
    "algorithm",
    "seed",
    "version",
    "date",
}


BEFORE_THE_FLOP = """
board = ""
blinds = [1, 2]
stack = 40
ranges = { oop = "AA", ip = "KK" }
bets = { bet = "a", raise = "a" }
"""


def test_json_is_the_whole_output(errai):
    run = errai("solve", "kuhn", "--target", "1mbb", "--json")
    assert run.code == 0
    assert run.err == ""
    document = json.loads(run.out)
    assert set(document) == SOLVE_FIELDS
    assert document["game"] == "kuhn"
    assert document["status"] == "target met"
    assert document["information_sets"] == 12
    assert document["exploitability"]["mbb"] <= 1
    assert set(document["exploitability"]) == {"chips", "gain_chips", "mbb", "pot_percent"}
    # The value of Kuhn poker is -1/18 for player 0 (Kuhn 1950).
    assert document["values"] == pytest.approx([-1 / 18, 1 / 18], abs=2e-3)
    low, high = document["value_between"]
    assert low <= -1 / 18 <= high <= low + 2e-3
    assert document["iterations"] > 0
    assert document["seconds"] > 0
    assert document["memory_bytes"] > 0
    assert document["precision"] == "float64"


def test_a_game_is_written_out_for_a_method_that_asks_for_it(errai, tmp_path):
    run = errai("solve", "kuhn", "--algorithm", "lp", "-o", tmp_path / "kuhn.errai", "--json")
    document = run.document()
    assert document["values"] == pytest.approx([-1 / 18, 1 / 18])
    assert document["value_between"] == pytest.approx([-1 / 18, -1 / 18])
    assert load_extensive(tmp_path / "kuhn.errai").verify()
    assert "value of the game" in errai("solve", "kuhn", "--algorithm", "egt", "--target", "10mbb").printed()
    assert "threads cannot be used" in errai("solve", "kuhn", "--algorithm", "lp", "--threads", "2").refusal(2)


def test_a_file_of_a_game_in_extensive_form_is_shown_and_verified(errai, tmp_path):
    file = tmp_path / "kuhn.errai"
    assert f"show it with: errai show {file}" in errai("solve", "kuhn", "--algorithm", "lp", "-o", file).printed()
    verified = errai("verify", file, "--json").document()
    assert verified["certified"] is True
    assert verified["value_between"] == pytest.approx([-1 / 18, -1 / 18])
    assert "Kuhn poker: certified" in errai("verify", file).printed()
    assert "verified at once; leave --processes out" in errai("verify", file, "--processes", "2").refusal()
    # The king calls a bet once in three times; the queen is the second of three cards there.
    assert "fold 66.7 %, call 33.3 %" in errai("show", file, "Ks: bet 1").printed()
    shown = errai("show", file, "bet 1", "--player", "1", "--json").document()["information_sets"]
    assert {row["information_set"] for row in shown} == {"Qs: bet 1", "Ks: bet 1", "As: bet 1"}
    assert "No information set of Kuhn poker has 'never'" in errai("show", file, "never").refusal()
    # A certificate that the strategies do not have.
    solution = load_extensive(file)
    replace(solution, values=(0.0, 0.0)).save(file)
    assert errai("verify", file, "--json").document(1)["certified"] is False


def test_a_spot_without_a_big_blind(errai, folder):
    document = errai("solve", folder / "river.toml", "--target", "0.3%pot", "--json").document()
    assert document["game"] == "A small river"
    assert document["exploitability"]["mbb"] is None
    assert document["exploitability"]["pot_percent"] <= 0.3
    assert math.isclose(sum(document["values"]), 100, abs_tol=1e-6)
    assert document["value_between"][0] <= document["values"][0] <= document["value_between"][1]


def test_the_default_target(errai, folder):
    assert json.loads(errai("solve", "kuhn", "--json").out)["exploitability"]["mbb"] <= 1
    spot = json.loads(errai("solve", folder / "river.toml", "--json").out)
    assert spot["exploitability"]["pot_percent"] <= 0.5


def test_stopping_short_is_3(errai):
    run = errai("solve", "leduc", "--target", "1mbb", "--max-iterations", "10", "--json")
    document = json.loads(run.out)
    assert (run.code, document["status"], document["iterations"]) == (3, "iteration limit", 10)
    assert "--max-iterations" in run.err
    run = errai("solve", "leduc", "--target", "1e-12chips", "--seconds", "0.05", "--json")
    assert (run.code, json.loads(run.out)["status"]) == (3, "time limit")


def test_a_limit_without_a_target_is_a_success(errai):
    assert "iteration limit" in errai("solve", "leduc", "--max-iterations", "10").printed()


@pytest.mark.parametrize("algorithm", SCHEDULES)
def test_every_algorithm(errai, algorithm):
    assert errai("solve", "kuhn", "--algorithm", algorithm, "--target", "20mbb", "--backend", "reference").code == 0


def test_an_average_that_begins_later(errai):
    of_all, later = (
        json.loads(errai("solve", "leduc", "--algorithm", "cfr", "--max-iterations", "40", *more, "--json").out)
        for more in ((), ("--average-from", "20"))
    )
    # With equal weights, half of the iterations are too few to make up for the first ones.
    assert later["exploitability"]["chips"] > 1.2 * of_all["exploitability"]["chips"]
    err = errai("solve", "leduc", "--max-iterations", "10", "--average-from", "11").refusal(2)
    assert "iteration 11 of a run of 10" in err


@pytest.mark.parametrize("columns", range(50, 131, 3))
def test_help_names_every_algorithm(columns, errai, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    text = " ".join(errai("solve", "--help").out.split())
    assert all(f" {name}" in text for name in SCHEDULES)


def test_wrong_values_are_usage_errors(errai):
    for option, value, wanted in (
        ("--target", "3", "names no unit"),
        ("--target", "three", "is not a target"),
        ("--algorithm", "magic", "no algorithm"),
        ("--backend", "abacus", "abacus"),
        ("--precision", "float16", "auto, float32, float64, fixed16"),
    ):
        assert wanted in errai("solve", "kuhn", option, value).refusal(2)
    assert errai("solve", "kuhn", "--seed", "7", "--threads", "1", "--memory", "1GiB", "--quiet").code == 0


def test_precision(errai, tmp_path):
    path = tmp_path / "kuhn.errai"
    assert "fixed16" in errai("solve", "kuhn", "--precision", "fixed16", "--target", "5mbb", "-o", path).printed()
    assert json.loads(errai("verify", path, "--json").out)["precision"] == "fixed16"
    assert json.loads(errai("show", path, "--json").out)["precision"] == "fixed16"
    assert "iterations of dcfr-foresight in fixed16" in errai("show", path).out
    err = errai("solve", "kuhn", "--precision", "fixed16", "--algorithm", "pcfr+").refusal(2)
    assert "choose dcfr-foresight" in err


def test_a_target_beyond_the_precision_is_3(errai):
    run = errai("solve", "leduc", "--precision", "fixed16", "--target", "0.001mbb")
    assert run.code == 3
    assert "precision limit" in run.out
    assert "a wider --precision may reach it" in run.err


def test_menu(errai, folder):
    few = json.loads(errai("estimate", "leduc.nolimit", "--menu", "a", "--json").out)
    many = json.loads(errai("estimate", "leduc.nolimit", "--menu", "50%, 100%, a", "--json").out)
    assert few["nodes"] < many["nodes"]
    run = errai("solve", folder / "river.toml", "--menu", "a")
    assert (run.code, run.out) == (1, "")


def test_too_large_for_the_memory_allowed(errai, folder):
    assert "10.0 KiB is allowed" in errai("solve", folder / "turn.toml", "--memory", "10KiB").refusal()


def test_output_is_checked_before_the_work(errai, folder, tmp_path):
    for path, wanted in (
        (tmp_path, "is a directory"),
        (tmp_path / "no" / "x.errai", "There is no folder"),
        (folder / "river.toml", "what the command reads already"),
    ):
        assert wanted in errai("solve", folder / "river.toml", "-o", path).refusal()


def test_summary_and_saving(errai, tmp_path):
    path = tmp_path / "kuhn.errai"
    out = errai("solve", "kuhn", "-o", path).printed()
    assert "exploitability" in out
    assert " mbb" in out
    assert f"errai show {path}" in out
    assert path.exists()
    quiet = errai("solve", "kuhn", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert "Not saved" in errai("solve", "kuhn").out


def test_progress_goes_to_standard_error(errai):
    run = errai("solve", "leduc", "--progress", "--json")
    json.loads(run.out)
    assert run.err.startswith("iteration ")


def test_checkpoints(errai, tmp_path):
    path = tmp_path / "run.checkpoint"
    assert "needs --checkpoint" in errai("solve", "leduc", "--resume").err
    assert errai("solve", "leduc", "--max-iterations", "20", "--checkpoint", path, "--quiet").code == 0
    assert "add --resume" in errai("solve", "leduc", "--max-iterations", "50", "--checkpoint", path).refusal()
    resumed = errai("solve", "leduc", "--max-iterations", "50", "--checkpoint", path, "--resume", "--json")
    whole = errai("solve", "leduc", "--max-iterations", "50", "--json")
    a, b = json.loads(resumed.out), json.loads(whole.out)
    assert a["iterations"] == 50
    assert (a["exploitability"], a["values"]) == (b["exploitability"], b["values"])
    assert "another run" in errai("solve", "kuhn", "--checkpoint", path, "--resume").refusal()
    fresh = errai("solve", "kuhn", "--checkpoint", tmp_path / "new", "--resume", "--quiet")
    assert fresh.code == 0
    assert "starting from the beginning" in fresh.err


def test_verify(errai, folder):
    document = errai("verify", folder / "leduc.errai", "--json").document()
    assert set(document) == SOLVE_FIELDS | {"certified", "differences", "recomputed", "tolerance_chips"}
    assert document["certified"] is True
    assert document["recomputed"] == document["exploitability"]
    assert "leduc: certified" in errai("verify", folder / "leduc.errai").out


def test_verify_says_no(errai, folder, tmp_path):
    import errai as package

    solution = package.load_solution(folder / "kuhn.errai")
    solution.values = type(solution.values)((0.5, -0.5))
    solution.save(tmp_path / "wrong.errai")
    run = errai("verify", tmp_path / "wrong.errai", "--json")
    assert run.code == 1
    assert json.loads(run.out)["certified"] is False
    out = errai("verify", tmp_path / "wrong.errai").out
    assert "NOT certified" in out
    assert "value of player 0: 0.5 chips in the certificate, -0.05555 recomputed" in out
    assert "exploitability: " not in out  # which agrees
    solution = package.load_solution(folder / "kuhn.errai")
    solution.values = type(solution.values)(tuple(value + 3e-8 for value in solution.values.chips))
    solution.save(tmp_path / "close.errai")
    differing = [x for x in errai("verify", tmp_path / "close.errai").out.splitlines() if "differs" in x]
    assert len(differing) == 2
    for line in differing:
        claimed, found = re.search(r": (\S+) chips in the certificate, (\S+) recomputed", line).groups()
        assert claimed != found


def test_damaged_files(errai, folder, tmp_path):
    whole = (folder / "leduc.errai").read_bytes()
    for name, data in (
        ("short.errai", whole[: len(whole) // 2]),
        ("empty.errai", b""),
        ("text.errai", b"hello"),
        ("flipped.errai", whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        err = errai("verify", path).refusal()
        assert name in err
        assert "Traceback" not in err


def test_estimate(errai, folder):
    document = errai("estimate", folder / "turn.toml", "--json").document()
    assert document["game"] == "A small turn"
    assert document["boards"][0] == 1
    for field in ("nodes", "information_sets", "entries", "memory_bytes", "disk_bytes", "checkpoint_bytes"):
        assert isinstance(document[field], int)
        assert document[field] > 0
    assert document["seconds_per_iteration"] > 0
    assert "time per iteration" in errai("estimate", folder / "turn.toml").out


def test_an_estimate_for_a_precision(errai):
    sizes = {}
    for precision in ("fixed16", "float32", "float64"):
        document = json.loads(errai("estimate", "rhode-island", "--precision", precision, "--threads", 1, "--json").out)
        assert document["precision"] == precision
        sizes[precision] = document["checkpoint_bytes"]
    assert sizes["fixed16"] < 0.6 * sizes["float32"] < 0.4 * sizes["float64"]
    for options, expected in (
        (("--target", "1chips"), "fixed16"),
        (("--target", "0.001chips"), "float32"),
        (("--target", "0.001chips", "--memory", "80MB", "--threads", 1), "fixed16"),
        (("--target", "1chips", "--algorithm", "cfr+"), "float32"),
    ):
        assert json.loads(errai("estimate", "rhode-island", *options, "--json").out)["precision"] == expected
    assert errai("estimate", "leduc", "--precision", "int8").code == 2
    assert errai("estimate", "leduc", "--target", "tiny").code == 2


def test_ctrl_c_leaves_a_valid_result(errai, tmp_path):
    path = tmp_path / "leduc.errai"
    arguments = ["solve", "leduc", "--target", "1e-15chips", "-o", str(path), "--json", "--progress"]
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("iteration ")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert json.loads(out)["status"] == "interrupted"
    assert "Interrupted; this is the result so far." in err
    assert errai("verify", path).code == 0


def test_making_a_large_tree_is_part_of_the_run(errai, tmp_path):
    """Two and a half million rivers: minutes to make, with seconds to spend."""
    spot = tmp_path / "spot.toml"
    spot.write_text(BEFORE_THE_FLOP)
    run = errai("solve", str(spot), "--seconds", "0.5", "--progress")
    assert run.code == 3
    assert "building the tree, " in run.err
    assert "The 0.5 seconds were over while the tree was being built" in run.err
    assert run.out == ""


def test_ctrl_c_ends_the_making_of_a_tree(tmp_path):
    spot = tmp_path / "spot.toml"
    spot.write_text(BEFORE_THE_FLOP)
    command = [*COMMAND, "solve", str(spot), "--progress"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("building the tree")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 3
    assert (out, err.count("The run was interrupted while the tree was being built")) == ("", 1)


def test_locks(errai, folder, tmp_path):
    """A lock is used in a solve, saved, shown and verified; the rest of the range is reported as solved against it."""
    locks = tmp_path / "locks.toml"
    locks.write_text('["check"]\n"*" = { bet = 1 }\n')
    solution = tmp_path / "locked.errai"
    common = ("--max-iterations", "40")
    out = errai("solve", "kuhn", "--lock", locks, "-o", solution, *common).printed()
    assert "locked" in out
    assert "1 decision\n" in out
    document = json.loads(errai("solve", "kuhn", "--lock", locks, "--json", *common).out)
    assert document["locks"] == {"check": {"Qs,Ks,As": {"bet 1": 1.0}}}
    assert document["value_between"] is None
    shown = errai("show", solution, "check")
    assert "locked: every hand: bet 1 100.0%" in shown.out
    assert json.loads(errai("show", solution, "check", "--json").out)["locked"] == {"*": {"bet 1": 1.0}}
    assert "locked" not in json.loads(errai("show", solution, "--json").out)
    tree = errai("tree", solution).out
    assert "(player 1, pot 2, locked)" in tree
    assert tree.count("locked") == 1
    drawn = tmp_path / "tree.svg"
    assert errai("tree", solution, "--svg", drawn).code == 0
    assert "with a ring: locked" in drawn.read_text()


def test_a_solve_starts_from_a_similar_one(errai, tmp_path):
    old, new, path = tmp_path / "old.toml", tmp_path / "new.toml", tmp_path / "old.checkpoint"
    old.write_text((EXAMPLES / "river.toml").read_text())
    stack = re.search(r"^stack = (\d+)", old.read_text(), re.MULTILINE)
    new.write_text(old.read_text().replace(stack[0], f"stack = {int(stack[1]) + 5}"))
    assert errai("solve", old, "--checkpoint", path, "--quiet").code == 0
    alone, after = (
        json.loads(errai("solve", new, *more, "--json").out)["iterations"] for more in ((), ("--start-from", path))
    )
    assert after < alone
    short = ("--start-from", path, "--max-iterations", "1")
    run = errai("solve", new, *short, "-o", tmp_path / "new.errai")
    assert "of the run that this one started from" in run.out
    assert "the strategy from which 1 iterations of dcfr-foresight" in errai("show", tmp_path / "new.errai").out
    assert json.loads(errai("solve", new, *short, "--json").out)["strategy"] == "start"
    assert "cannot be started from" in errai("solve", "leduc", "--start-from", path).refusal()
    assert "missing" in errai("solve", new, "--start-from", tmp_path / "missing").refusal()
    stored = errai("solve", "leduc", "--start-from", path, "--store", tmp_path / "store")
    assert "--start-from cannot be used with --store" in stored.err


def test_wrong_locks_are_named_before_any_work(errai, folder, tmp_path):
    locks = tmp_path / "locks.toml"
    locks.write_text('["check"]\n"*" = { bet = 0.5 }\n')
    for verb in ("solve", "estimate"):
        err = errai(verb, "kuhn", "--lock", locks).refusal()
        assert "locks.toml, line 2: Locks of the line 'check', *: the frequencies sum to 0.5, not to 1." in err
    err = errai("solve", "leduc", "--lock", locks, "--store", tmp_path / "store").refusal()
    assert "--lock cannot be used with --store" in err
    assert not (tmp_path / "store").exists()


def test_menus_for_memory_and_time(errai, folder):
    run = errai("estimate", folder / "turn.toml", "--fit", "1GiB", "--within", "10min")
    assert run.code == 0
    assert run.out.count("\n") >= 10
    assert "finest" in run.out
    assert '[bets]\nbet = "25%' in run.out
    assert "of the pot" in run.out
    assert "measured on the turn" in run.out
    document = json.loads(errai("estimate", folder / "turn.toml", "--fit", "1GiB", "--json").out)
    assert document["finest"] == document["menus"][-1]
    none = errai("estimate", folder / "turn.toml", "--fit", "1KiB")
    assert none.code == 3
    assert "None of these menus fits" in none.err
    assert "--fit changes the bets of a spot" in errai("estimate", "kuhn", "--fit", "1GiB").refusal()
    assert "--within needs --fit" in errai("estimate", folder / "turn.toml", "--within", "5min").err
