"""``solve`` and ``estimate``: targets and limits, the options' effects, and what is refused before any work."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawn_arrays import same_arrays
from small_subjects import spot_text

import errai
from errai.engine import resources
from errai.engine.loop import Progress, Solver
from errai.engine.resources import DTYPES
from errai.engine.schedules import DEFAULT, HEAD_START, SCHEDULES, Schedule, find_schedule
from errai.errors import (
    BackendError,
    DamagedFileError,
    ErraiError,
    FileAccessError,
    InputError,
    MismatchError,
    SizingError,
    SolverOptionError,
    StoppedError,
    TargetError,
    TreeTooLargeError,
)
from errai.games.spot import Spot, parse_spot
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.solving import estimate as estimate_module
from errai.solving import memory as memory_module
from errai.solving.estimate import MENUS, PRICES_FILE, fits
from errai.solving.preflop import preflop_spot
from errai.tree.public_tree import build_public_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
RIVER = spot_text("Qs Jh 2c 8d 3s", "AA, KK:0.3, QQ, KTs, 65s", "JJ, TT, AJs, T9s:0.5", bet="50%, a", stack=300)


def leduc(target: str | None = None, **options: Any) -> Solution:
    return errai.solve(errai.load_game("leduc"), target, **options)


def same_strategy(first: Solution, second: Solution) -> bool:
    return same_arrays(first.strategy, second.strategy)


# --- targets, limits, statuses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "chips"), [("5mbb", 0.005), ("0.25%pot", 0.005), ("0.005chips", 0.005)])
def test_targets_in_all_units(target: str, chips: float) -> None:
    solution = leduc(target)
    assert solution.status == "target met"
    assert solution.exploitability.chips <= chips
    assert solution.curve[-2, 2] > chips
    assert solution.settings["target"] == target


def test_default_targets() -> None:
    game = leduc()
    assert (game.status, game.settings["target"]) == ("target met", "1mbb")
    assert game.exploitability.mbb is not None
    assert game.exploitability.mbb <= 1
    spot = errai.solve(parse_spot(RIVER))
    assert (spot.status, spot.settings["target"]) == ("target met", "0.5%pot")
    assert spot.exploitability.pot_percent <= 0.5


def test_limits_are_statuses() -> None:
    stopped = leduc("1e-9chips", max_iterations=25)
    assert (stopped.status, stopped.iterations) == ("iteration limit", 25)
    assert stopped.verify()
    started = time.perf_counter()
    timed = leduc("1e-9chips", seconds=0.5)
    assert timed.status == "time limit"
    assert timed.iterations > 0
    assert time.perf_counter() - started >= 0.5  # Making the tree is part of it.
    assert timed.seconds < 3
    assert timed.verify()


def test_seconds_and_a_token_hold_while_the_tree_is_made() -> None:
    """Two and a half million rivers take minutes to make."""
    text = (
        'board = ""\nblinds = [1, 2]\nstack = 40\nranges = { oop = "AA", ip = "KK" }\nbets = { bet = "a", raise = "a" }'
    )
    spot = parse_spot(text)
    seen: list[Progress] = []
    with pytest.raises(StoppedError, match=r"The 0.6 seconds were over while .* of 2,\d+,\d+ boards"):
        errai.solve(spot, seconds=0.6, progress=seen.append)
    assert all(progress.iteration == 0 and 0 < progress.built < 1 for progress in seen)
    assert seen
    stop = errai.StopToken()
    with pytest.raises(StoppedError, match="interrupted"):
        errai.solve(spot, stop=stop, progress=lambda progress: stop.set())
    # A tree that is made before anybody looks has a solution, with whatever it is by then.
    assert leduc(stop=stop).status == "interrupted"
    assert leduc(seconds=1e-6).iterations > 0


def test_a_token_leaves_a_valid_solution() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.iteration >= 12 and not sent:
            sent.append(progress.iteration)
            stop.set()

    sent: list[int] = []
    stop = StopToken()
    solution = leduc("1e-9chips", progress=interrupt, stop=stop)
    assert (solution.status, solution.iterations) == ("interrupted", sent[0])
    assert solution.verify()
    assert same_strategy(solution, leduc(max_iterations=sent[0]))


def test_sixteen_bits_may_be_too_coarse_for_a_target() -> None:
    """The status says so as soon as rounding alone costs more than the target; more iterations could not help."""
    solution = leduc("0.001mbb", encoding="uint16", algorithm="cfr+")
    assert solution.status == "precision limit"
    assert solution.exploitability.mbb is not None
    assert solution.exploitability.mbb > 0.001
    assert solution.curve[-1, 2] <= 0.001e-3
    assert solution.exploitability.chips - solution.curve[-1, 2] >= 0.001e-3
    assert solution.verify()


def test_progress_is_told_to_a_callback() -> None:
    seen: list[Progress] = []
    solution = leduc("1mbb", progress=seen.append)
    assert seen[-1].iteration == solution.iterations
    assert seen[-1].target_chips == 0.001
    assert seen[-1].exploitability is not None
    assert seen[-1].exploitability.chips == solution.curve[-1, 2]


def test_the_library_prints_nothing_unless_it_is_asked_for_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    leduc("1mbb")
    assert capsys.readouterr() == ("", "")
    leduc("1mbb", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "iteration" in err


# --- options ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("updates", ["alternating", "simultaneous"])
@pytest.mark.parametrize("algorithm", SCHEDULES)
def test_every_algorithm_solves_leduc_on_both_backends(algorithm: str, updates: str) -> None:
    first, second = (
        leduc(algorithm=algorithm, updates=updates, max_iterations=12, backend=backend)
        for backend in ("cpu", "reference")
    )
    assert first.schedule["name"] == algorithm
    assert first.schedule["simultaneous"] == (updates == "simultaneous")
    assert first.exploitability.chips == pytest.approx(second.exploitability.chips, abs=1e-9)
    assert first.values.chips == pytest.approx(second.values.chips, abs=1e-9)
    assert first.exploitability.chips < 2.0


def test_a_schedule_of_ones_own() -> None:
    own = Schedule("mine", alpha=1.5, beta=0.5, gamma=8.0)
    solution = leduc(algorithm=own, max_iterations=100)
    assert solution.schedule["name"] == "mine"
    assert solution.schedule["gamma"] == 8.0
    assert solution.exploitability.chips < 0.1


@pytest.mark.parametrize("where", ["checkpoint", "store"])
@pytest.mark.parametrize("algorithm", ["dcfr", "dcfr-foresight", "hs-dcfr-15:20"])
def test_an_average_may_begin_later_in_any_run(algorithm: str, where: str, tmp_path: Path) -> None:
    """The run is resumed to the same average, and refused for another one; the certificate is of that average."""
    settings = {"algorithm": algorithm, "precision": "float64"}

    def run(name: str, iterations: int, first: int) -> Any:
        place = {where: tmp_path / name} | ({"cut": 1} if where == "store" else {})
        return errai.solve(errai.load_game("leduc"), max_iterations=iterations, average_from=first, **settings, **place)

    run("parts", 13, 13)
    resumed, whole, early = run("parts", 15, 13), run("whole", 15, 13), run("early", 15, 1)
    assert resumed.exploitability.chips == pytest.approx(whole.exploitability.chips, rel=1e-12)
    assert abs(early.exploitability.chips - whole.exploitability.chips) > 1e-4 * whole.exploitability.chips
    found = whole if where == "checkpoint" else errai.open_run(tmp_path / "whole")
    measured = errai.exploitability(errai.load_game("leduc"), found).chips
    assert measured == pytest.approx(whole.exploitability.chips, rel=1e-6)
    with pytest.raises(MismatchError):
        run("parts", 20, 12)


def test_the_current_strategy_may_be_asked_for() -> None:
    average, current = (leduc(max_iterations=60, algorithm="cfr+", strategy=s) for s in ("average", "current"))
    assert current.settings["strategy"] == "current"
    assert current.exploitability.chips > average.exploitability.chips
    assert current.verify()
    # A target is met by what is returned, not by what was measured on the way.
    for mbb in (100, 10):
        met = leduc(f"{mbb}mbb", algorithm="cfr+", strategy="current")
        assert met.status == "target met"
        assert met.exploitability.mbb is not None
        assert met.exploitability.mbb <= mbb
        assert met.curve[-1, 2] < met.exploitability.chips


def test_threads_and_seeds_change_nothing() -> None:
    spot = errai.load_spot(EXAMPLES / "turn.toml")
    first = errai.solve(spot, max_iterations=3, threads=1)
    for threads, seed in ((2, 0), (3, 1)):
        other = errai.solve(spot, max_iterations=3, threads=threads, seed=seed)
        assert other.settings["threads"] == threads
        assert same_strategy(first, other)
        assert other.exploitability == first.exploitability


@pytest.mark.parametrize("precision", ["float64", "float32", "fixed16", "average8"])
def test_a_run_may_start_from_the_regrets_of_a_similar_spot(precision: Any, tmp_path: Path) -> None:
    old, new = parse_spot(RIVER), parse_spot(RIVER.replace("pot = 100", "pot = 110").replace("KK:0.3", "KK:0.5"))
    solved = tmp_path / "old.checkpoint"
    first = errai.solve(old, "0.3%pot", precision=precision, checkpoint=solved)
    content = solved.read_bytes()
    alone = errai.solve(new, "0.3%pot", precision=precision)
    after = errai.solve(new, "0.3%pot", precision=precision, start_from=solved)
    assert after.status == "target met"
    assert after.verify()
    assert after.iterations < 0.75 * alone.iterations
    assert (alone.schedule.get("head_start"), after.schedule["head_start"]) == (None, HEAD_START)
    # The precision is that of the run that it starts from, and what was solved first is not touched.
    assert errai.solve(new, max_iterations=1, start_from=solved).settings["precision"] == precision
    assert solved.read_bytes() == content
    # The average begins with the strategy that the other run would have played next; that is what the curve has, and
    # what is returned is the strategy that came along, which is better.
    once = errai.solve(old, max_iterations=1, precision=precision, start_from=solved)
    current = errai.solve(old, max_iterations=first.iterations, precision=precision, strategy="current")
    close = 0.1 if precision == "average8" else 0.02
    assert once.curve[-1, 2] == pytest.approx(current.exploitability.chips, rel=close)
    assert once.exploitability.chips == pytest.approx(first.exploitability.chips, rel=1e-3)


def test_a_run_that_started_from_another_is_resumed_to_the_same_bits(tmp_path: Path) -> None:
    old, new, path = tmp_path / "old", parse_spot(RIVER.replace("stack = 300", "stack = 290")), tmp_path / "new"
    errai.solve(parse_spot(RIVER), max_iterations=50, checkpoint=old)
    whole = errai.solve(new, max_iterations=40, start_from=old)
    errai.solve(new, max_iterations=15, start_from=old, checkpoint=path)
    resumed = errai.solve(new, max_iterations=40, start_from=old, checkpoint=path, resume=True)
    assert same_strategy(whole, resumed)
    with pytest.raises(MismatchError, match="schedule"):
        errai.solve(new, max_iterations=40, checkpoint=path, resume=True)


def test_the_checkpoint_of_another_tree_is_named_before_its_memory_is_planned(tmp_path: Path) -> None:
    """How the tree of the checkpoint was made smaller does not make this one smaller."""
    path, push = tmp_path / "river", preflop_spot(10)
    errai.solve(parse_spot(RIVER), max_iterations=5, checkpoint=path)
    with pytest.raises(MismatchError, match=r"its tree is another one, with \d+ strategy entries on 1 streets; here"):
        errai.solve(push, start_from=path)
    with pytest.raises(MismatchError, match="is a checkpoint of another run: its subject is"):
        errai.solve(push, checkpoint=path)


@pytest.mark.parametrize("precision", ["float64", "float32", "fixed16", "average8"])
@pytest.mark.parametrize("strategy", ["average", "current"])
def test_a_run_that_starts_from_another_is_never_worse(precision: Any, strategy: Any, tmp_path: Path) -> None:
    old, new = parse_spot(RIVER), parse_spot(RIVER.replace("stack = 300", "stack = 295"))
    path, run = tmp_path / "old", tmp_path / "new"
    settings: dict[str, Any] = {"strategy": strategy, "precision": precision}
    solved = errai.solve(old, max_iterations=400, checkpoint=path, **settings)
    # In the tree that it was solved in, the strategy that came with the regrets is as good as it was.
    same = errai.solve(old, max_iterations=1, start_from=path, **settings)
    assert same.exploitability.chips <= solved.exploitability.chips * (1 + 1e-9)
    stop = errai.StopToken()
    stop.set()
    given = errai.solve(new, "1e-9chips", start_from=path, stop=stop, **settings)
    assert (given.status, given.iterations) == ("interrupted", 0)
    assert given.settings["strategy"] == ("start" if strategy == "average" else "current")  # The same, if current.
    found = [
        errai.solve(new, max_iterations=n, start_from=path, checkpoint=run, **settings) for n in (1, 2, 5, 20, 80, 300)
    ]
    assert {s.settings["strategy"] for s in found} == {"start", strategy}
    for solution in found:
        assert solution.exploitability.chips <= given.exploitability.chips
        assert solution.verify()
        solution.save(tmp_path / "new.errai")
        assert errai.load_solution(tmp_path / "new.errai").settings["strategy"] == solution.settings["strategy"]
    # What came along counts for the target too.
    met = errai.solve(new, f"{given.exploitability.chips * 1.01}chips", max_iterations=1, start_from=path, **settings)
    assert met.status == "target met"


def test_a_run_goes_on_without_what_it_started_from(tmp_path: Path) -> None:
    old, new, path = tmp_path / "old", parse_spot(RIVER.replace("stack = 300", "stack = 290")), tmp_path / "new"
    errai.solve(parse_spot(RIVER), max_iterations=400, checkpoint=old)
    errai.solve(new, max_iterations=2, start_from=old, checkpoint=path)
    old.unlink()
    with pytest.warns(UserWarning, match="resumed without the strategy that it started from"):
        resumed = errai.solve(new, max_iterations=3, start_from=old, checkpoint=path)
    assert resumed.settings["strategy"] == "average"


def test_what_a_run_cannot_start_from_is_named(tmp_path: Path) -> None:
    path, spot = tmp_path / "old", parse_spot(RIVER)
    errai.solve(spot, max_iterations=5, checkpoint=path)
    for other in (RIVER.replace('raise = "a"', 'raise = "50%, a"'), RIVER.replace(", 65s", "")):
        with pytest.raises(MismatchError, match=r"cannot be started from: its .* Board, hands, lines"):
            errai.solve(parse_spot(other), start_from=path)
    with pytest.raises(MismatchError, match="cannot be started from"):
        errai.solve(spot, start_from=path, algorithm="pcfr+")
    coarse = tmp_path / "coarse"
    errai.solve(spot, max_iterations=5, precision="fixed16", checkpoint=coarse)
    with pytest.raises(MismatchError, match="precision fixed16, which is too coarse for the target"):
        errai.solve(spot, "0.01%pot", start_from=coarse)
    assert errai.solve(spot, "0.01%pot", precision="fixed16", max_iterations=3, start_from=coarse).iterations == 3
    with pytest.raises(FileAccessError):
        errai.solve(spot, start_from=tmp_path / "missing")
    with pytest.raises(SolverOptionError, match="start_from cannot be used for a run in a folder"):
        errai.solve(errai.load_game("leduc"), store=tmp_path / "run", start_from=path)  # type: ignore[call-overload]
    damaged = tmp_path / "damaged"
    damaged.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DamagedFileError):
        errai.solve(spot, start_from=damaged)


def test_precision_and_encoding() -> None:
    narrow = leduc(max_iterations=20, precision="float32")
    assert (narrow.settings["precision"], narrow.encoding) == ("float32", "float32")
    wide = leduc(max_iterations=20, precision="float64", encoding="uint16")
    assert (wide.settings["precision"], wide.encoding) == ("float64", "uint16")
    assert narrow.exploitability.chips == pytest.approx(wide.exploitability.chips, rel=1e-3)


def test_16_bits_are_taken_for_large_trees_and_coarse_targets() -> None:
    spot = errai.load_spot(EXAMPLES / "turn.toml")
    coarse = errai.solve(spot, "2%pot")
    assert (coarse.settings["precision"], coarse.encoding, coarse.status) == ("fixed16", "uint16", "target met")
    assert coarse.exploitability.pot_percent <= 2
    assert coarse.schedule["weighted"] is False
    assert coarse.verify()
    for options in ({"target": "0.04%pot", "max_iterations": 1}, {"max_iterations": 1}):
        fine = errai.solve(spot, **options)  # type: ignore[arg-type]
        assert fine.settings["precision"] == "float32"
        assert fine.schedule["weighted"] is True


def test_16_bits_are_taken_where_nothing_wider_fits() -> None:
    spot = errai.load_spot(EXAMPLES / "turn.toml")
    narrowest, narrow, wide = (
        errai.estimate(spot, threads=1, precision=name).memory_bytes for name in ("average8", "fixed16", "float32")
    )
    memory = (narrow + wide) // 2
    options: dict[str, Any] = {"threads": 1, "memory": memory}
    assert errai.estimate(spot, "0.01%pot", **options).precision == "fixed16"
    assert errai.solve(spot, max_iterations=1, **options).settings["precision"] == "fixed16"
    with pytest.raises(TreeTooLargeError, match=rf"In 16 bits \(precision fixed16\) it needs {narrow / 2**20:.1f} MiB"):
        errai.solve(spot, max_iterations=1, precision="float32", **options)
    with pytest.raises(TreeTooLargeError, match="fixed16 with the algorithm dcfr-foresight and alternating updates"):
        errai.solve(spot, max_iterations=1, algorithm="pcfr+", **options)
    with pytest.raises(TreeTooLargeError, match=rf"averages in 8 bits .* it needs {narrowest / 2**20:.1f} MiB"):
        errai.solve(spot, max_iterations=1, threads=1, memory=narrow - 1)
    assert errai.solve(spot, max_iterations=1, threads=1, memory=narrow).memory_bytes == narrow
    # Averages in 8 bits need a coarse target as well.
    found = errai.solve(spot, "2%pot", threads=1, memory=narrow - 1)
    assert (found.settings["precision"], found.encoding, found.status) == ("average8", "uint8", "target met")
    assert found.memory_bytes == narrowest < narrow
    assert found.verify()
    with pytest.raises(TreeTooLargeError, match=r"\(precision average8\), the smallest"):
        errai.solve(spot, "2%pot", threads=1, memory=narrowest - 1, precision="average8")


@pytest.mark.parametrize(("precision", "default"), [("fixed16", "uint16"), ("average8", "uint8")])
@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("strategy", ["average", "current"])
def test_16_bits_with_any_strategy_encoding_and_backend(
    backend: str, strategy: str, precision: str, default: str, tmp_path: Path
) -> None:
    for encoding in (None, "float64", "float32", "uint16", "uint8"):
        solution = leduc(max_iterations=30, precision=precision, backend=backend, strategy=strategy, encoding=encoding)
        assert solution.encoding == (encoding or default)
        assert solution.settings["precision"] == precision
        assert solution.verify()
        if strategy == "average" and encoding != "uint8":
            close = 1e-3 if precision == "fixed16" else 0.1
            assert solution.exploitability.chips == pytest.approx(solution.curve[-1, 2], rel=close)
        solution.save(tmp_path / "leduc.errai")
        assert errai.load_solution(tmp_path / "leduc.errai").verify()


def test_a_target_below_what_the_precision_reaches_is_a_status_without_any_limit() -> None:
    solution = leduc("0.01mbb", precision="fixed16")
    assert solution.status == "precision limit"
    assert solution.exploitability.mbb is not None
    assert solution.exploitability.mbb > 0.01
    assert solution.iterations >= 200
    assert solution.verify()
    # The current strategy never gets as far as the average, and that ends as well.
    current = leduc("1mbb", precision="fixed16", strategy="current")
    assert current.status == "precision limit"


def test_menus_shape_no_limit_games() -> None:
    game = errai.load_game("leduc.nolimit")
    plain = errai.solve(game, max_iterations=1)
    assert plain.menu is None
    assert plain.root.actions == ("check", "bet 200", "all-in") or len(plain.root.actions) == 3
    wide = errai.solve(game, max_iterations=1, menu="50%, 100%, 200%, a")
    assert wide.menu == "50%, 100%, 200%, a"
    assert len(wide.root.actions) == 5
    assert len(errai.solve(game, max_iterations=1, menu="a").root.actions) == 2


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"target": "tiny"}, TargetError, "is not a target"),
        ({"target": "1"}, TargetError, "names no unit"),
        ({"algorithm": "mccfr"}, SolverOptionError, "choose one of cfr"),
        ({"backend": "gpu"}, SolverOptionError, "cpu, reference"),
        ({"strategy": "best"}, SolverOptionError, "'average' or 'current'"),
        ({"updates": "random"}, SolverOptionError, "'alternating' or 'simultaneous'"),
        ({"precision": "float16"}, SolverOptionError, "float32"),
        ({"precision": "fixed16", "algorithm": "pcfr+"}, SolverOptionError, "predicts.*or the precision float32"),
        ({"precision": "fixed16", "updates": "simultaneous"}, SolverOptionError, "choose alternating updates"),
        ({"encoding": "int8"}, SolverOptionError, "uint16"),
        ({"max_iterations": 0}, SolverOptionError, "max_iterations must be above 0"),
        ({"seconds": -1.0}, SolverOptionError, "seconds must be above 0"),
        ({"seconds": float("nan")}, SolverOptionError, "seconds must be above 0"),
        ({"threads": 0}, SolverOptionError, "threads must be above 0"),
        ({"menu": "100%"}, ErraiError, "menu|limit"),
    ],
)
def test_wrong_options_are_refused_before_any_work(
    options: dict[str, Any], error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*arguments: Any, **named: Any) -> None:
        raise AssertionError("something was iterated")

    monkeypatch.setattr(memory_module, "run_certified", build)
    with pytest.raises(error, match=message):
        leduc(**options)


def test_what_is_no_game_is_refused() -> None:
    for nothing in ("leduc", None, 7, Path("turn.toml")):
        with pytest.raises(InputError, match="load_game"):
            errai.solve(nothing)  # type: ignore[arg-type]
        with pytest.raises(InputError, match="load_game"):
            errai.estimate(nothing)  # type: ignore[arg-type]


def test_spots_carry_their_own_sizes() -> None:
    with pytest.raises(InputError, match="its own bet sizes"):
        errai.solve(parse_spot(RIVER), menu="100%")


def test_wrong_menus_are_named() -> None:
    with pytest.raises(SizingError):
        errai.solve(errai.load_game("leduc.nolimit"), menu="100")


def test_big_blinds_are_asked_of_spots_that_name_one() -> None:
    with pytest.raises(TargetError, match="big_blind"):
        errai.solve(parse_spot(RIVER), "1mbb")
    named = errai.solve(parse_spot("big_blind = 2\n" + RIVER), "50mbb")
    assert named.exploitability.mbb is not None
    assert named.exploitability.mbb <= 50


# --- memory and size -------------------------------------------------------------------------------------------------


def test_a_tree_that_does_not_fit_is_refused_with_a_remedy() -> None:
    spot = errai.load_spot(EXAMPLES / "flop.toml")
    with pytest.raises(TreeTooLargeError, match=r"needs [0-9.]+ MiB; 95.4 MiB is allowed.*bet sizes"):
        errai.solve(spot, memory=100_000_000)
    with pytest.raises(TreeTooLargeError, match="limit game"):
        errai.solve(errai.load_game("rhode-island"), memory=1_000_000)
    with pytest.raises(TreeTooLargeError, match=r"--store FOLDER.*130\.6 TiB.*errai train.*errai plan"):
        errai.solve(errai.load_game("holdem.limit.2p"))
    with pytest.raises(TreeTooLargeError) as no_way:
        errai.solve(errai.load_game("kuhn"), memory=1)
    assert "--store" not in str(no_way.value)  # a game of one street cannot be cut


def test_memory_is_checked_before_boards_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "available_memory", lambda: 1_000)
    with pytest.raises(TreeTooLargeError, match="is free"):
        leduc(max_iterations=1)
    monkeypatch.setattr(resources, "available_memory", lambda: None)
    assert leduc(max_iterations=1).iterations == 1


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc.nolimit", "rhode-island-short", "river", "turn"])
def test_an_estimate_is_exact_about_the_tree(name: str) -> None:
    if name == "river":
        subject: Any = parse_spot(RIVER)
    elif name == "turn":
        subject = errai.load_spot(EXAMPLES / "turn.toml")
    elif name == "rhode-island-short":
        subject = replace(errai.load_game("rhode-island"), name=name, num_ranks=4, num_suits=3)
    else:
        subject = errai.load_game(name)
    found = errai.estimate(subject, threads=1)
    tree = build_public_tree(subject, alike=None)
    assert found.entries == tree.entries
    assert (found.information_sets, found.canonical_information_sets) == (
        tree.information_sets,
        tree.canonical_information_sets,
    )
    assert found.boards == tuple(len(s.boards) for s in tree.deal.streets)
    assert found.nodes == tree.betting.num_nodes
    assert found.seconds_per_iteration > 0
    assert found.iterations is not None
    assert found.seconds == found.iterations * found.seconds_per_iteration
    solver = Solver(tree, find_schedule(DEFAULT), precision=found.precision)
    state = sum(array.nbytes for array in solver.state.arrays().values())
    assert found.checkpoint_bytes == state + estimate_module.HEADER_BYTES
    assert found.memory_bytes > state


@pytest.mark.parametrize("precision", ["auto", *DTYPES])
@pytest.mark.parametrize("name", ["leduc.nolimit", "turn"])
def test_estimates_of_files_hold(tmp_path: Path, name: str, precision: str) -> None:
    subject: Any = errai.load_spot(EXAMPLES / "turn.toml") if name == "turn" else errai.load_game(name)
    found = errai.estimate(subject, "50%pot", threads=1, precision=precision)
    solution = errai.solve(subject, "50%pot", precision=precision, checkpoint=tmp_path / "checkpoint", threads=1)
    solution.save(tmp_path / "solution")
    assert solution.settings["precision"] == found.precision
    for file, expected in (("solution", found.disk_bytes), ("checkpoint", found.checkpoint_bytes)):
        size = (tmp_path / file).stat().st_size
        assert 0 <= size - (expected - estimate_module.HEADER_BYTES) <= 20_000
    assert solution.memory_bytes == found.memory_bytes


@pytest.mark.parametrize("name", ["flop", "holdem-2-1"])
@pytest.mark.parametrize("precision", ["fixed16", "float32"])
@pytest.mark.slow
def test_estimates_of_memory_hold(name: str, precision: str) -> None:
    """Against the growth of a process, from having imported everything to its peak."""
    program = f"""
import sys
import time
import errai
import errai.solving.solve

def kilobytes(what):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(what))

name = {name!r}
subject = errai.load_game(name) if "-" in name else errai.load_spot({str(EXAMPLES / "flop.toml")!r})
before = kilobytes("VmRSS")
solution = errai.solve(subject, max_iterations=2, precision={precision!r}, threads=2)
print(solution.memory_bytes / (1024 * (kilobytes("VmHWM") - before)))
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 0.9 <= float(run.stdout) <= 1.1


def test_an_estimate_of_a_tree_that_nobody_can_hold() -> None:
    found = errai.estimate(errai.load_game("holdem-2-1"), threads=1)
    assert found.canonical_information_sets == 15_442_180
    assert found.boards == (1, 1_755)
    whole = errai.estimate(errai.load_game("holdem.limit.2p"), threads=1)
    assert whole.canonical_information_sets == 13_803_249_787_132
    assert whole.memory_bytes > 1e14
    assert whole.precision == "fixed16"


def test_a_backend_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises((BackendError, SolverOptionError), match="cuda"):
        leduc(backend="cuda")


def test_a_label_is_kept_with_the_solution(tmp_path) -> None:
    leduc(max_iterations=1, label="first try").save(tmp_path / "leduc.errai")
    assert errai.load_solution(tmp_path / "leduc.errai").settings["label"] == "first try"
    assert "label" not in leduc(max_iterations=1).settings


def test_iterations_to_the_target_are_estimated() -> None:
    spot = errai.load_spot("examples/turn.toml")
    for target in ("1%pot", "0.3%pot"):
        expected, taken = errai.estimate(spot, target).iterations, errai.solve(spot, target).iterations
        assert expected is not None
        assert 0.3 * taken < expected < 3.0 * taken
    assert errai.estimate(spot, "0.000001%pot").iterations is None


def test_menus_cost_the_less_the_finer_they_are() -> None:
    document = json.loads(PRICES_FILE.read_text())
    assert [tuple(menu) for menu in document["menus"]] == list(MENUS)
    for spot in document["spots"]:
        assert len(spot["prices"]) == len(MENUS) - 1
        # Each number is proved to lie in an interval, whose width is that of two targets of .1 % of the pot.
        assert all(0.0 < high - low <= 0.401 for menu in spot["prices"] for low, high in menu)
    found = fits(errai.load_spot("examples/river.toml"), "1%pot")
    means = [fit.price.mean for fit in found if fit.price is not None]
    assert len(means) == len(MENUS) - 1
    assert found[-1].price is None
    assert means == sorted(means, reverse=True)
    first = found[0].price
    assert first is not None
    assert first.least < first.mean < first.greatest
    sides = [(low + high) / 2 for spot in document["spots"] for low, high in spot["prices"][0]]
    assert first.mean == pytest.approx(sum(sides) / len(sides))


@pytest.mark.slow
def test_a_price_of_a_menu_is_found_again() -> None:
    """The value of the game falls by it if one player alone is held to the menu."""
    row = json.loads(PRICES_FILE.read_text())["spots"][3]
    table = errai.load_spot(row["spot"]).to_dict() | {key: row[key] for key in ("board", "pot", "stack")}
    values = []
    for bet, raise_ in (MENUS[-1], MENUS[0]):
        bets = {"oop": {"bet": bet, "raise": raise_}, "ip": dict(zip(("bet", "raise"), MENUS[-1], strict=True))}
        solved = errai.solve(Spot.from_dict({**table, "bets": bets}), "0.1%pot")
        values.append(100.0 * solved.values.chips[0] / row["pot"])
    low, high = row["prices"][0][0]
    assert low - 0.2 <= values[0] - values[1] <= high + 0.2


@pytest.mark.parametrize(("menu", "factor"), [(MENUS[0], 2.0), (MENUS[3], 1.6), (MENUS[5], 1.6)])
def test_iterations_to_the_target_grow_with_the_sizes_of_bets(menu: tuple[str, str], factor: float) -> None:
    """The finest menu takes four times the iterations of the coarsest, and so it is estimated."""
    table = errai.load_spot("btn-vs-co-3bp").on("Ah 8d 3s 5d").to_dict()
    spot = Spot.from_dict({**table, "bets": {"bet": menu[0], "raise": menu[1]}})
    expected, taken = errai.estimate(spot, "0.5%pot").iterations, errai.solve(spot, "0.5%pot").iterations
    assert expected is not None
    assert taken / factor < expected < taken * factor


def test_menus_that_fit() -> None:
    spot = errai.load_spot("examples/turn.toml")
    found = fits(spot, "0.5%pot", memory=8 << 20)
    sizes = [fit.estimate.memory_bytes for fit in found if fit.estimate is not None]
    assert sizes == sorted(sizes)
    assert [fit.fits for fit in found] == [size <= 8 << 20 for size in sizes]
    assert {fit.fits for fit in found} == {True, False}
    assert not any(fit.fits for fit in fits(spot, seconds=1e-9))
    finest = [fit for fit in found if fit.fits][-1]
    table = {**spot.to_dict(), "bets": {"bet": finest.bet, "raise": finest.raise_}}
    needs = errai.estimate(Spot.from_dict(table), "0.5%pot", memory=8 << 20)
    assert finest.estimate is not None
    assert needs.entries == finest.estimate.entries
    with pytest.raises(InputError, match="fitted to spots"):
        fits(errai.load_game("kuhn"))  # type: ignore[arg-type]
