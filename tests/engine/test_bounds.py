"""What regrets promise, held against exact exploitabilities; docs/maths.md, sections 3 and 4, derives the bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest
from small_subjects import RIVER

import errai
from errai.engine.bounds import weights_of
from errai.engine.schedules import SCHEDULES, find_schedule
from errai.extensive import RegretMinimisation
from errai.games.spot import parse_spot

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"
BOUNDED = ("cfr", "cfr+", "linear")


def written(name: str) -> Any:
    return errai.extensive_game(errai.load_game(name) if name in errai.catalogue() else pyspiel.load_game(name))


@pytest.mark.parametrize("name", ["kuhn", "leduc", GOOFSPIEL])
@pytest.mark.parametrize("simultaneous", [True, False])
@pytest.mark.parametrize("algorithm", BOUNDED)
def test_the_regret_bound_holds_at_every_iteration(name: str, simultaneous: bool, algorithm: str) -> None:
    game = written(name)
    run = RegretMinimisation(game, find_schedule(algorithm, simultaneous=simultaneous))
    for iteration in range(1, 200):
        run.advance(1)
        bound = run.regret_bound()
        assert bound is not None
        plans = [d.plan_of(b) for d, b in zip(game.decisions, run.average, strict=True)]
        exact = sum(game.gains(plans)) / 2.0
        assert exact <= bound + 1e-12, iteration
        if iteration == 1:
            begun = bound
    # It is no vacuous bound: it shrinks with the iterations.
    assert bound < 0.3 * min(begun, game.span)


@pytest.mark.parametrize("algorithm", BOUNDED)
@pytest.mark.parametrize("updates", ["simultaneous", "alternating"])
def test_the_engine_has_the_bound_of_the_game_written_out(algorithm: str, updates: Any) -> None:
    for subject in (errai.load_game("leduc"), parse_spot(RIVER)):
        solution = errai.solve(subject, algorithm=algorithm, updates=updates, max_iterations=50, precision="float64")
        run = RegretMinimisation(
            errai.extensive_game(subject), find_schedule(algorithm, simultaneous=updates == "simultaneous")
        )
        run.advance(50)
        assert solution.settings["regret_bound_chips"] == pytest.approx(run.regret_bound(), rel=1e-9)
        assert solution.exploitability.chips <= solution.settings["regret_bound_chips"]


def test_schedules_that_promise_nothing() -> None:
    promising = {name for name in SCHEDULES if weights_of(find_schedule(name), 50) is not None}
    assert promising == set(BOUNDED)
    for algorithm in ("dcfr-foresight", "pcfr+", "dcfr"):
        solution = errai.solve(errai.load_game("kuhn"), algorithm=algorithm, max_iterations=5)
        assert "regret_bound_chips" not in solution.settings
    # A later beginning of the average leaves regrets of iterations in the state that the average lacks.
    assert weights_of(find_schedule("cfr", average_from=20), 50) is None
    assert weights_of(find_schedule("cfr+", average_from=20), 50) is not None


@pytest.mark.parametrize("average_from", [1, 20])
def test_the_weights_of_cfr_plus(average_from: int) -> None:
    found = weights_of(find_schedule("cfr+", average_from=average_from), 50)
    assert found is not None
    iterations = np.arange(average_from, 51)
    assert found.factor == pytest.approx(50 / iterations.sum())


def test_a_rake_costs_twice_the_rake_and_the_regret() -> None:
    """Gibson's bound for two players whose winnings do not sum to 0."""
    raked = parse_spot(RIVER + "\n[rake]\npercent = 5\ncap = 7\n")
    assert raked.rake is not None
    game = errai.extensive_game(raked)
    assert not game.is_zero_sum
    run = RegretMinimisation(game, find_schedule("cfr", simultaneous=True))
    for _ in range(40):
        run.advance(5)
        regrets = []
        for decisions, learnt in zip(game.decisions, run.regrets, strict=True):
            regrets.append(sum(float(b.of(learnt).max(axis=0).clip(0).sum()) for b in decisions.blocks) / run.iteration)
        plans = [d.plan_of(b) for d, b in zip(game.decisions, run.average, strict=True)]
        assert max(game.gains(plans)) <= sum(regrets) + 2.0 * 7.0
    assert run.regret_bound() is None


def test_vanishing_regrets_are_no_equilibrium_without_a_zero_sum() -> None:
    """Shapley's game: regret matching turns in a cycle, no regret is left, and the averages are no equilibrium."""
    first = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]])
    second = np.array([[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]])

    class Shapley:
        num_players = 2

        def start(self) -> tuple[int, ...]:
            return ()

        def player(self, state: tuple[int, ...]) -> int | None:
            return None if len(state) == 2 else len(state)

        def actions(self, state: tuple[int, ...]) -> range:
            return range(3)

        def after(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
            return (*state, action)

        def information(self, state: tuple[int, ...]) -> int:
            return len(state)

        def payoffs(self, state: tuple[int, ...]) -> tuple[float, float]:
            return float(first[state]), float(second[state])

    game = errai.extensive_game(Shapley())
    run = RegretMinimisation(game, find_schedule("cfr", simultaneous=True))
    # Away from the equilibrium, at which uniform play would stay for ever.
    for regrets, start in zip(run.regrets, ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), strict=True):
        regrets[1:] = start
    run._now = [d.behaviour_of(np.maximum(r, 0.0)) for d, r in zip(game.decisions, run.regrets, strict=True)]
    run._plans = [d.plan_of(b) for d, b in zip(game.decisions, run._now, strict=True)]
    found = []
    for _ in range(200):
        run.advance(500)
        plans = [d.plan_of(b) for d, b in zip(game.decisions, run.average, strict=True)]
        regret = max(regrets[1:].max() for regrets in run.regrets) / run.iteration
        found.append((regret, max(game.gains(plans))))
    assert all(regret < 2e-4 < 0.2 < gain for regret, gain in found[100:])
