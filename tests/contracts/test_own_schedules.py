"""The conformance kit of schedules and options: whatever a caller plugs in is right, or refused with a sentence."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_subjects import RIVER

import errai
from errai.engine.own_schedules import DEFAULTS, WITH_A_RULE
from errai.engine.schedules import SCHEDULES, Schedule, find_schedule
from errai.errors import ContractError, ErraiError, MismatchError, SolverOptionError
from errai.games.spot import parse_spot
from errai.kernels.protocol import COEFFICIENTS, matched
from errai.options import MemoryOptions, StoreOptions
from errai.testing import check_rule, check_schedule

KUHN, LEDUC = errai.load_game("kuhn"), errai.load_game("leduc")


def fails(*arguments: Any) -> Any:
    raise ZeroDivisionError("own code")


WRONG: dict[str, Any] = {
    "nan": math.nan,
    "inf": math.inf,
    "-inf": -math.inf,
    "negative": -1,
    "zero": 0,
    "fraction": 2.5,
    "huge": 1e300,
    "beyond floats": 10**400,
    "beyond texts": 10**5000,
    "text": "a",
    "number as text": "1.5",
    "None": None,
    "truth": True,
    "object": object(),
    "class": dict,
    "list": [1.0],
    "array": np.ones(2),
    "complex": 1j,
}
"""What a field, a coefficient or an option is given."""


def is_right(solve: Callable[[], Any]) -> bool:
    """Return whether a solve ends with a certificate that holds; False if it is refused, which is right as well."""
    began = time.perf_counter()
    try:
        solution = solve()
    except ErraiError as error:
        assert len(str(error).split()) > 3, error  # noqa: PT017
        assert time.perf_counter() - began < 5.0
        return False
    assert math.isfinite(solution.exploitability.chips)
    if isinstance(solution, errai.Solution):
        assert solution.verify()
        assert solution.exploitability.chips < 0.5  # 0.5 is that of the uniform strategy in Kuhn poker.
    return True


# --- fields ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize("field", [field.name for field in fields(Schedule)])
def test_every_field_of_a_schedule_is_right_or_refused(field: str, value: str) -> None:
    given = {f.name: f.default for f in fields(Schedule) if f.default is not MISSING}
    given |= {"name": "mine", "alpha": 1.5, "beta": 0.0, "gamma": 2.0, "horizon": 9, field: WRONG[value]}
    is_right(lambda: errai.solve(KUHN, algorithm=Schedule(**given), max_iterations=60))


@pytest.mark.parametrize(
    ("field", "value"),
    [("alpha", math.nan), ("gamma", -math.inf), ("prediction", math.nan), ("head_start", -5), ("foresight", 7),
     ("alpha", "1.5"), ("alpha", -math.inf), ("gamma", -1.0), ("weighted", 1), ("average_from", 0), ("name", "")],
)  # fmt: skip
def test_a_wrong_field_is_named_with_its_value(field: str, value: Any) -> None:
    given = {"name": "mine", "alpha": 1.5, "beta": 0.0, "gamma": 2.0, field: value}
    with pytest.raises(SolverOptionError, match=rf"{field} of .*{value!r}"):
        Schedule(**given)


def test_exponents_that_change_need_a_horizon_and_stay_above_0() -> None:
    with pytest.raises(SolverOptionError, match="give the horizon"):
        Schedule("mine", 1.0, 0.0, 2.0, gamma_change=1.0)
    for field in ("alpha", "gamma"):
        with pytest.raises(SolverOptionError, match=rf"{field} of the schedule 'mine' falls below 0, to -1"):
            Schedule("mine", 2.0, 0.0, 2.0, horizon=9, **{f"{field}_change": -3.0})


@pytest.mark.parametrize("exponent", [300.0, 1e300])
def test_large_exponents_are_their_limit(exponent: float) -> None:
    found = Schedule("mine", exponent, -exponent, 2.0).coefficients(1, 600)
    np.testing.assert_allclose(found[1:, :2], np.tile([1.0, 0.0], (599, 1)), atol=1e-80)


@pytest.mark.parametrize("what", [lambda t: {"average": 1.0}, object(), Schedule, 7, 1.5, [], "dcfr:" + "9" * 5000])
def test_what_is_no_algorithm_is_refused(what: Any) -> None:
    for verb in (errai.solve, errai.estimate):
        with pytest.raises(SolverOptionError, match=r"errai.Schedule|leave out"):
            verb(KUHN, algorithm=what)


def test_a_schedule_keeps_what_it_says_of_updates() -> None:
    both = find_schedule("dcfr", simultaneous=True)
    assert errai.solve(KUHN, algorithm=both, max_iterations=3).schedule["simultaneous"] is True


# --- coefficients of own code ---------------------------------------------------------------------------------------


def discounted(iteration: int) -> dict[str, float]:
    kept = iteration**1.5 / (iteration**1.5 + 1.0)
    return {"positive": kept, "negative": 0.5, "average": ((iteration - 1) / iteration) ** 2}


def answering(column: str, value: Any, since: int) -> Callable[[int], Mapping[str, Any]]:
    return lambda t: {**discounted(t), **({column: value} if t >= since else {})}


@pytest.mark.parametrize("since", [1, 7])
@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize("column", [*COEFFICIENTS, "rate"])
def test_every_coefficient_is_right_or_refused(column: str, value: str, since: int) -> None:
    own = answering(column, WRONG[value], since)
    ended = is_right(lambda: errai.solve(KUHN, algorithm=Schedule.of("mine", own), max_iterations=60))
    if column not in DEFAULTS:
        assert not ended


@pytest.mark.parametrize("answer", [None, 7, (1.0,) * 8, np.ones(8), np.full((3, 3), math.nan), dict, "a"])
def test_coefficients_are_numbers_by_name(answer: Any) -> None:
    with pytest.raises(SolverOptionError, match=r"of the schedule 'mine' at iteration 1 must be numbers by name"):
        Schedule.of("mine", lambda t: answer)


def test_a_wrong_coefficient_is_named_with_iteration_and_value() -> None:
    for value, said in ((math.nan, "nan"), (-0.5, "-0.5"), (2, "2"), ("x", "'x'")):
        own = Schedule.of("mine", answering("negative", value, 7))
        with pytest.raises(SolverOptionError, match=rf"'negative' of the schedule 'mine' at iteration 7 is {said}; "):
            errai.solve(KUHN, algorithm=own, max_iterations=60)
    late = Schedule.of("mine", lambda t: discounted(t) if t < 7 else fails())
    with pytest.raises(SolverOptionError, match=r"failed at iteration 7: ZeroDivisionError: own code \(.*line"):
        errai.solve(KUHN, algorithm=late, max_iterations=60)
    with pytest.raises(SolverOptionError, match="predicts at iteration 7 but not at iteration 1"):
        errai.solve(KUHN, algorithm=Schedule.of("mine", answering("prediction", 1.0, 7)), max_iterations=60)


def test_only_the_iterations_of_the_run_are_asked_for_and_each_once() -> None:
    asked: list[int] = []

    def table(t: int) -> dict[str, float]:
        asked.append(t)
        return [{}, *map(discounted, range(1, 41))][t]

    own = Schedule.of("mine", table)
    errai.solve(KUHN, algorithm=own, max_iterations=40)
    assert asked == [1, *range(1, 41)]  # The first is asked for when the schedule is made as well.
    errai.solve(KUHN, algorithm=own, max_iterations=40)
    assert len(asked) == 41


def test_another_answer_at_the_second_call_is_no_other_run() -> None:
    """The coefficients that were run are those that are remembered, and those that a checkpoint knows by a digest."""
    called: list[int] = []

    def changes(t: int) -> dict[str, float]:
        called.append(t)
        return discounted(t) if len(called) < 50 else {**discounted(t), "negative": 0.25}

    own = Schedule.of("mine", changes)
    first = errai.solve(KUHN, algorithm=own, max_iterations=40)
    again = errai.solve(KUHN, algorithm=own, max_iterations=40)
    assert again.exploitability == first.exploitability


@pytest.mark.parametrize("name", ["cfr", "dcfr", "dcfr4+", "dcfr-foresight", "pcfr+", "hs-pcfr+-15"])
@pytest.mark.parametrize("changes", [{}, {"average_from": 7}, {"head_start": 30}])
def test_own_coefficients_are_what_a_variant_with_these_coefficients_is(name: str, changes: dict[str, Any]) -> None:
    variant = find_schedule(name)

    def same(t: int) -> dict[str, float]:
        row = dict(zip(COEFFICIENTS, variant.coefficients(t, 1)[0].tolist(), strict=True))
        return {column: row[column] for column in DEFAULTS}

    own = replace(Schedule.of("mine", same, weighted=variant.weighted), **changes)
    expected = replace(variant, **changes).coefficients(1, 300)
    np.testing.assert_allclose(own.coefficients(1, 300), expected, rtol=1e-12)
    assert np.array_equal(own.coefficients(290, 5), own.coefficients(1, 300)[289:294])
    assert own.predictive == variant.predictive
    with pytest.raises(ValueError, match="read-only"):
        own.coefficients(1, 1)[0, 0] = 2.0


@pytest.mark.parametrize("backend", ["cpu", "reference"])
@pytest.mark.parametrize("precision", ["float64", "fixed16"])
def test_own_coefficients_run_on_every_backend(backend: Any, precision: Any) -> None:
    settings: dict[str, Any] = {"max_iterations": 40, "backend": backend, "precision": precision}
    own = errai.solve(LEDUC, algorithm=Schedule.of("mine", discounted), **settings)
    plain = errai.solve(LEDUC, algorithm="dcfr", **settings)
    assert own.exploitability.chips == pytest.approx(plain.exploitability.chips, rel=1e-6)


def test_own_coefficients_run_in_a_folder(tmp_path: Path) -> None:
    own = Schedule.of("mine", discounted, weighted=False)
    found, plain = (
        errai.solve(LEDUC, algorithm=algorithm, max_iterations=4, store=tmp_path / name, processes=1)
        for name, algorithm in (("own", own), ("plain", replace(SCHEDULES["dcfr"], weighted=False)))
    )
    assert found.exploitability.chips == pytest.approx(plain.exploitability.chips, rel=1e-6)
    assert errai.open_run(found.folder).schedule["coefficients"] == "own code"
    with pytest.raises(MismatchError, match="schedule"):
        errai.solve(LEDUC, algorithm="dcfr", max_iterations=5, store=found.folder, processes=1)


def test_files_say_that_own_code_made_them(tmp_path: Path) -> None:
    path, own = tmp_path / "own.errai", Schedule.of("mine", discounted)
    errai.solve(KUHN, algorithm=own, max_iterations=9).save(path)
    said = {"name": "mine", "coefficients": "own code", "weighted": True, "simultaneous": False}
    assert errai.load_solution(path).schedule == said


def test_only_the_same_code_resumes_a_run(tmp_path: Path) -> None:
    path, own = tmp_path / "run", Schedule.of("mine", discounted)
    whole = errai.solve(LEDUC, algorithm=own, max_iterations=30)
    errai.solve(LEDUC, algorithm=own, max_iterations=20, checkpoint=path)
    for other in (SCHEDULES["dcfr"], "dcfr", Schedule.of("another", discounted)):
        with pytest.raises(MismatchError, match="schedule"):
            errai.solve(LEDUC, algorithm=other, max_iterations=30, checkpoint=path)
    changed = Schedule.of("mine", answering("negative", 0.25, 20))
    with pytest.raises(MismatchError, match="in its 20 iterations the own code of the schedule 'mine' gave other"):
        errai.solve(LEDUC, algorithm=changed, max_iterations=30, checkpoint=path)
    again = errai.solve(LEDUC, algorithm=Schedule.of("mine", discounted), max_iterations=30, checkpoint=path)
    assert again.exploitability == whole.exploitability


def test_a_schedule_cannot_be_a_subclass_or_bear_a_name_of_errai() -> None:
    with pytest.raises(SolverOptionError, match=r"make a schedule of own code with errai.Schedule.of"):

        class Halved(Schedule):  # type: ignore[misc]
            def coefficients(self, first: int, count: int) -> Any:
                return super().coefficients(first, count) / 2.0

    with pytest.raises(SolverOptionError, match="'DCFR' is a variant of Errai"):
        Schedule.of("DCFR", discounted)
    with pytest.raises(SolverOptionError, match="has exponents and own code"):
        replace(Schedule.of("mine", discounted), gamma=2.0)
    with pytest.raises(SolverOptionError, match="has exponents and own code"):
        Schedule("mine", 0.0, 0.0, 0.0, own_code=discounted)  # type: ignore[arg-type]
    with pytest.raises(SolverOptionError, match="has no own code"):
        Schedule.of("mine")
    for wrong in (7, "a", dict):
        with pytest.raises(SolverOptionError, match="are a function of the iteration"):
            Schedule.of("mine", wrong)  # type: ignore[arg-type]


# --- local rules ----------------------------------------------------------------------------------------------------


class RegretMatching:
    """What the kernel does without a rule, as a rule: CFR if regrets below 0 are kept, otherwise CFR+."""

    def __init__(self, plus: bool) -> None:
        self.plus = plus

    def strategy(self, state: np.ndarray, iteration: int) -> np.ndarray:
        return matched(state)

    def update(self, state: np.ndarray, values: np.ndarray, played: np.ndarray, iteration: int) -> np.ndarray:
        new = state + values - (played * values).sum(axis=0)
        return np.maximum(new, 0.0) if self.plus else new


class Hedge:
    """Multiplicative weights with a rate that falls as the root of the iteration."""

    def strategy(self, state: np.ndarray, iteration: int) -> np.ndarray:
        weights = np.exp((state - state.max(axis=0)) * 2.0 / math.sqrt(iteration))
        return weights / weights.sum(axis=0)

    def update(self, state: np.ndarray, values: np.ndarray, played: np.ndarray, iteration: int) -> np.ndarray:
        return state + values


def linear(iteration: int) -> dict[str, float]:
    return {"average": (iteration - 1) / iteration}


LOCKS = {"check": {"K": {"bet": 0.25, "check": 0.75}, "Q": "best"}}


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("returned", ["average", "current"])
@pytest.mark.parametrize("locks", [None, LOCKS])
@pytest.mark.parametrize("name", ["cfr", "cfr+"])
def test_regret_matching_as_a_rule_is_the_variant(name: str, locks: Any, returned: Any, simultaneous: bool) -> None:
    coefficients = linear if name == "cfr+" else None
    own = Schedule.of("mine", coefficients, rule=RegretMatching(name == "cfr+"), simultaneous=simultaneous)
    settings: dict[str, Any] = {"backend": "reference", "max_iterations": 50, "locks": locks, "strategy": returned}
    found = errai.solve(KUHN, algorithm=own, **settings)
    plain = errai.solve(KUHN, algorithm=find_schedule(name, simultaneous=simultaneous), **settings)
    assert found.exploitability.chips == pytest.approx(plain.exploitability.chips, rel=1e-9)
    assert found.schedule["rule"] == "own code"
    assert found.verify()


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_hedge_solves_and_is_resumed_to_the_same_bits(precision: Any, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"backend": "reference", "precision": precision}
    path, hedge = tmp_path / "run", Schedule.of("hedge", linear, rule=Hedge())
    whole = errai.solve(KUHN, algorithm=hedge, max_iterations=400, **settings)
    assert whole.exploitability.mbb < 10
    errai.solve(KUHN, algorithm=hedge, max_iterations=123, checkpoint=path, **settings)
    resumed = errai.solve(KUHN, algorithm=hedge, max_iterations=400, checkpoint=path, **settings)
    assert resumed.exploitability == whole.exploitability
    with pytest.raises(MismatchError, match="schedule"):
        errai.solve(KUHN, algorithm="pcfr+", max_iterations=400, checkpoint=path, **settings)
    with pytest.raises(MismatchError, match="local rule"):
        errai.solve(KUHN, algorithm="pcfr+", max_iterations=400, start_from=path, **settings)


def test_a_rule_stands_between_leaf_values_and_a_gadget() -> None:
    river = parse_spot(RIVER)
    from errai.games.hand import CALL, PublicState

    state = PublicState.start(river).after(CALL)
    ranges = errai.solve(river, max_iterations=50).at("check").ranges
    rest = errai.lookahead(river, state, ranges, depth=None)
    worth = np.zeros(ranges.shape[1])
    settings: dict[str, Any] = {"backend": "reference", "max_iterations": 20, "opponent_values": worth, "opponent": 0}
    own = errai.solve(rest, algorithm=Schedule.of("mine", rule=RegretMatching(False)), **settings)
    plain = errai.solve(rest, algorithm="cfr", **settings)
    assert own.exploitability.chips == pytest.approx(plain.exploitability.chips, rel=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "which only the backend reference runs, not cpu"),
        ({"backend": "reference", "precision": "fixed16"}, "the local rule hedge take full precision; choose float64"),
        ({"store": "run"}, "without a local rule"),
    ],
)
def test_where_a_rule_cannot_be_run_it_is_refused(
    settings: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SolverOptionError, match=message):
        errai.solve(KUHN, algorithm=Schedule.of("hedge", rule=Hedge()), max_iterations=3, **settings)
    assert not list(tmp_path.iterdir())


ANSWERS: dict[str, Callable[[np.ndarray], Any]] = {
    "nan": lambda right: np.full_like(right, math.nan),
    "inf": lambda right: np.full_like(right, math.inf),
    "one nan": lambda right: np.where(np.arange(right.size).reshape(right.shape) == 1, math.nan, right),
    "negative": lambda right: -1.0 - right,
    "no distribution": lambda right: 0.4 * right,
    "short": lambda right: right[:, :-1],
    "transposed": lambda right: right.T[:, :, None],
    "texts": lambda right: right.astype(str),
    "objects": lambda right: right.astype(object),
    "None": lambda right: None,
    "class": lambda right: dict,
    "complex": lambda right: right * 1j,
    "exception": fails,
}


@pytest.mark.parametrize("since", [1, 7])
@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("method", ["strategy", "update"])
def test_every_answer_of_a_rule_is_right_or_refused(method: str, answer: str, since: int) -> None:
    class Wrong(Hedge):
        def strategy(self, state: np.ndarray, iteration: int) -> Any:
            found = super().strategy(state, iteration)
            return ANSWERS[answer](found) if method == "strategy" and iteration >= since else found

        def update(self, state: np.ndarray, values: np.ndarray, played: np.ndarray, iteration: int) -> Any:
            found = super().update(state, values, played, iteration)
            return ANSWERS[answer](found) if method == "update" and iteration >= since else found

    own = Schedule.of("mine", rule=Wrong())
    if method == "update" and answer in ("negative", "no distribution"):
        errai.solve(KUHN, algorithm=own, backend="reference", max_iterations=9)  # States are any finite numbers.
        return
    what = "strategies" if method == "strategy" else "states"
    with pytest.raises(SolverOptionError, match=rf"The {what} of the rule 'mine' .*") as caught:
        errai.solve(KUHN, algorithm=own, backend="reference", max_iterations=9)
    if answer in ("one nan", "exception", "no distribution"):
        assert f"at iteration {since:,} " in str(caught.value)
    for check in (lambda: check_rule(Wrong(), vanishes=False), lambda: check_schedule(own, 9)):
        with pytest.raises(ContractError):
            check()


def test_a_wrong_answer_of_a_rule_names_board_line_and_hand() -> None:
    class Wrong(Hedge):
        def update(self, state: np.ndarray, values: np.ndarray, played: np.ndarray, iteration: int) -> Any:
            return np.where(iteration == 2, math.nan, state + values)

    with pytest.raises(
        SolverOptionError, match=r"are nan at iteration 2 on the board [JQK]\w after '.*' for [JQK]\w, action 0"
    ):
        errai.solve(LEDUC, algorithm=Schedule.of("mine", rule=Wrong()), backend="reference", max_iterations=9)


def test_what_a_rule_is_given_is_its_own() -> None:
    class Careless(RegretMatching):
        def update(self, state: np.ndarray, values: np.ndarray, played: np.ndarray, iteration: int) -> np.ndarray:
            new = super().update(state, values, played, iteration)
            for array in (state, values, played):
                array[...] = math.nan
            return new

    settings: dict[str, Any] = {"backend": "reference", "max_iterations": 20}
    found = errai.solve(KUHN, algorithm=Schedule.of("mine", rule=Careless(False)), **settings)
    plain = errai.solve(KUHN, algorithm="cfr", **settings)
    assert found.exploitability.chips == pytest.approx(plain.exploitability.chips, rel=1e-9)


@pytest.mark.parametrize("rule", [Hedge, object(), 7, "hedge", dict])
def test_what_is_no_rule_is_refused(rule: Any) -> None:
    with pytest.raises(SolverOptionError, match="The rule of the schedule 'mine' is an object with the methods"):
        Schedule.of("mine", rule=rule)
    with pytest.raises(
        SolverOptionError, match=r"have no 'positive' beside a local rule; give some of average, weight"
    ):
        Schedule.of("mine", lambda t: {"positive": 1.0}, rule=Hedge())
    assert set(WITH_A_RULE) < set(DEFAULTS)


# --- options of solve -----------------------------------------------------------------------------------------------

SEAMS = {"gadget", "leaf_values", "opponent_values"}
"""Own code and arrays, which have kits of their own."""

OPTIONS = sorted({"target", *MemoryOptions.__annotations__, *StoreOptions.__annotations__} - SEAMS)


@pytest.mark.parametrize("value", WRONG)
@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_is_right_or_refused(
    option: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    in_store = option in {"processes", "cluster", "cut", "events"}
    more: dict[str, Any] = {"store": "folder", "processes": 1} if in_store else {}
    settings = {"max_iterations": 20, **more, option: WRONG[value]}
    is_right(lambda: errai.solve(KUHN, **settings))


def test_a_progress_callback_that_fails_is_named() -> None:
    with pytest.raises(SolverOptionError, match=r"progress callback failed at iteration \d+: ZeroDivisionError"):
        errai.solve(KUHN, progress=fails)
    stop = errai.StopToken()
    assert errai.solve(KUHN, "1e-9mbb", stop=stop, progress=lambda now: stop.set()).status == "interrupted"
