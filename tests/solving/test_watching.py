"""Curves that are as dense as asked for, of both strategies, observers, and what a solution says of its making."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errai
from errai.engine.curve import Curve
from errai.errors import InputError, SolverOptionError
from errai.games.hand import CALL, PublicState, raise_to

LEDUC = errai.load_game("leduc")


def test_a_measurement_every_ten_iterations_changes_nothing_else() -> None:
    dense = errai.solve(LEDUC, max_iterations=45, measure_every=10)
    assert dense.curve.to_dict()["iteration"].tolist() == [10, 20, 30, 40, 45]
    plain = errai.solve(LEDUC, max_iterations=45)
    for a, b in zip(dense.strategy, plain.strategy, strict=True):
        for mine, other in zip(a, b, strict=True):
            assert np.array_equal(mine, other)


def test_both_curves_are_those_of_two_runs(tmp_path: Path) -> None:
    both = errai.solve(LEDUC, max_iterations=40, measure_every=20, both_curves=True, precision="float64")
    for name in ("average", "current"):
        alone = errai.solve(LEDUC, max_iterations=40, measure_every=20, strategy=name, precision="float64")
        np.testing.assert_allclose(both.curves[name][:, 2], alone.curve[:, 2], rtol=1e-6)
        assert alone.exploitability.chips == pytest.approx(alone.curve[-1, 2])
        assert list(alone.curves) == [name]
    both.save(tmp_path / "both.errai")
    again = errai.load_solution(tmp_path / "both.errai")
    assert np.array_equal(again.curves["current"], both.curves["current"])
    assert isinstance(again.curve, Curve)


def test_an_observer_sees_the_state_and_cannot_change_it() -> None:
    seen: list[Any] = []

    def observe(now: Any) -> None:
        seen.append((now.iteration, {name: array.copy() for name, array in now.arrays.items()}))
        with pytest.raises(ValueError, match="read-only"):
            next(iter(now.arrays.values()))[...] = 0.0

    solution = errai.solve(LEDUC, algorithm="cfr", max_iterations=30, measure_every=15, observe=observe)
    assert [iteration for iteration, _ in seen] == [15, 30]
    last = seen[-1][1]
    assert set(last) == {f"{what}/{s}/{p}" for what in ("regrets", "sums") for s in (0, 1) for p in (0, 1)}
    # The average strategy follows from the sums that were seen.
    rows = solution.tree.arrays.streets[0].num_rows[0]
    sums = last["sums/0/0"].reshape(rows, -1)[:2]
    np.testing.assert_allclose(
        solution.strategy[0][0].reshape(rows, -1)[:2].astype(float), sums / sums.sum(axis=0), atol=1e-6
    )
    with pytest.raises(SolverOptionError, match="failed at iteration 5: ZeroDivisionError"):
        errai.solve(LEDUC, max_iterations=5, measure_every=5, observe=lambda now: 1 / 0)
    with pytest.raises(SolverOptionError, match="measure_every"):
        errai.solve(LEDUC, measure_every=0)


def test_a_solution_says_when_and_by_what_it_was_made() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    for solution in (errai.solve(LEDUC, "20mbb"), errai.solve(errai.extensive_game(LEDUC), "0.02")):
        made = datetime.fromisoformat(str(solution.settings["date"]))
        assert before <= made <= datetime.now(UTC)
        assert solution.settings["errai"] == errai.__version__


def test_curves_have_names_and_become_data_frames_where_pandas_is() -> None:
    curve = Curve.of([(1, 0.5, 2.0), (2, 1.0, 1.0)])
    assert curve.to_dict()["exploitability_chips"].tolist() == [2.0, 1.0]
    assert curve[1:].columns == curve.columns
    try:
        import pandas  # noqa: F401
    except ImportError:
        with pytest.raises(InputError, match="needs pandas"):
            curve.to_frame()
    else:
        assert curve.to_frame(algorithm="cfr")["algorithm"].tolist() == ["cfr", "cfr"]


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc.nolimit"])
def test_the_strategy_at_a_state_is_that_of_the_node(name: str, tmp_path: Path) -> None:
    solution = errai.solve(errai.load_game(name), "20mbb", **({"menu": "100%, a"} if "nolimit" in name else {}))
    solution.save(tmp_path / "file.errai")
    opened: Any = errai.open_solution(tmp_path / "file.errai")
    state, node = PublicState.start(solution.subject), solution.root
    choices = solution.strategy_at(state)
    found = np.asarray(choices.probabilities)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_array_equal(found, opened.strategy_at(state).probabilities)
    assert len(choices.actions) == len(node.actions)
    for hand, row in zip(node.hands, found, strict=True):
        assert list(node.strategy(hand).values()) == pytest.approx(row.tolist(), abs=1e-12)
    after = solution.strategy_at(state.after(CALL)).probabilities
    for hand, row in zip(node.hands, after, strict=True):
        assert list(solution["check"].strategy(hand).values()) == pytest.approx(row.tolist(), abs=1e-12)
    # A bet that the tree lacks is translated to one that it has.
    if "nolimit" in name:
        assert solution.strategy_at(state.after(raise_to(333))).probabilities.shape[0] == 6


@pytest.mark.parametrize(("name", "against"), [("kuhn", "uniform"), ("leduc", "always-call"), ("leduc", "uniform")])
def test_a_best_response_as_a_strategy_wins_what_it_is_said_to(name: str, against: str) -> None:
    from errai.strategies.given import read_strategy

    game = errai.load_game(name)
    response = errai.best_response(game, against)
    assert response.against.startswith(against)
    opponent: Any = read_strategy(against, game)

    class Seats:
        def __init__(self, *both: Any) -> None:
            self.both = both

        def strategy(self, state: PublicState) -> Any:
            return self.both[state.actor].strategy(state)

    assert response.by_seat_chips is not None
    for seat, won in enumerate(response.by_seat_chips):
        both = (response, opponent) if seat == 0 else (opponent, response)
        values = errai.exploitability(game, Seats(*both)).values.chips
        assert values[seat] == pytest.approx(won, abs=1e-9)
    # Whatever takes a strategy takes it; a best response to it wins at least as much as what it responds to gave.
    assert errai.exploitability(game, response).chips > 0.0


def test_a_best_response_to_a_solution_of_a_no_limit_game() -> None:
    game = errai.load_game("leduc.nolimit")
    solution = errai.solve(game, "200mbb", menu="100%, a")
    response = errai.best_response(game, solution)
    assert response.by_seat_chips is not None

    class Seats:
        def strategy(self, state: PublicState) -> Any:
            return (response if state.actor == 0 else solution_strategy).strategy(state)

    from errai.strategies.of_tree import TreeStrategy
    from errai.strategies.solution import SolutionStrategy

    solution_strategy = TreeStrategy(SolutionStrategy(solution), game, solution.tree.betting)
    values = errai.exploitability(game, Seats(), menu="100%, a").values.chips
    assert values[0] == pytest.approx(response.by_seat_chips[0], abs=1e-9)
