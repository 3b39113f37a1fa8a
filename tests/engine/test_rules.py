"""Local rules by name: what they learn, the bounds of the literature, and what files say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errai
from errai.engine.rules import EuclideanLeader, Hedge, RegretMatching, RegretMatchingPlus, rule_name
from errai.engine.schedules import find_schedule
from errai.errors import SolverOptionError
from errai.extensive import load_extensive

ACTIONS, STEPS = 4, 400


def losses(kind: str) -> Any:
    """Values in 0 to 1 of four actions in many sequences at once: random ones, or what is worst for the last play."""
    rng = np.random.default_rng(3)

    def following(played: np.ndarray, t: int) -> np.ndarray:
        if kind == "random":
            return rng.random(played.shape)
        if kind == "the best one drifts":
            return np.eye(ACTIONS)[(np.arange(played.shape[1]) + t // 50) % ACTIONS].T
        return np.asarray(played == played.min(axis=0), float)

    return following


@pytest.mark.parametrize("kind", ["random", "the best one drifts", "adversary"])
@pytest.mark.parametrize(
    ("rule", "bound"),
    [
        # Zinkevich et al. 2007 and Tammelin et al. 2015: the root of A T, for values in an interval of length 1.
        (RegretMatching(), np.sqrt(ACTIONS * STEPS)),
        (RegretMatchingPlus(), np.sqrt(ACTIONS * STEPS)),
        # Cesa-Bianchi and Lugosi 2006, theorem 2.2.
        (Hedge(0.15), np.log(ACTIONS) / 0.15 + 0.15 * STEPS / 8.0),
        # Follow the regularised leader: half the squared distance over the rate, half the rate times squared values.
        (EuclideanLeader(0.05), 0.5 * (1.0 - 1.0 / ACTIONS) / 0.05 + 0.05 * STEPS * ACTIONS / 2.0),
    ],
)
def test_regret_is_within_the_bound(kind: str, rule: Any, bound: float) -> None:
    following = losses(kind)
    state, won, total = np.zeros((ACTIONS, 8)), np.zeros(8), np.zeros((ACTIONS, 8))
    for t in range(1, STEPS + 1):
        played = rule.strategy(state, t)
        np.testing.assert_allclose(played.sum(axis=0), 1.0, atol=1e-12)
        assert played.min() >= 0.0
        values = following(played, t)
        won += (played * values).sum(axis=0)
        total += values
        state = rule.update(state, values, played, t)
    regret = total.max(axis=0) - won
    assert regret.max() <= bound
    # A rule that learns nothing breaks the bound against what drifts: the bounds say something.
    if kind == "the best one drifts":
        assert bound < STEPS / 2


@pytest.mark.parametrize(("rule", "algorithm"), [(RegretMatching(), "cfr"), (RegretMatchingPlus(), "cfr+")])
def test_rules_of_known_variants_learn_what_these_learn(rule: Any, algorithm: str) -> None:
    known = find_schedule(algorithm)

    def averages(t: int) -> dict[str, float]:
        row = known.coefficients(t, 1)[0]
        return {"average": float(row[2]), "weight": float(row[3])}

    variant = errai.Schedule.of("as-known", averages, rule=rule)
    leduc = errai.extensive_game(errai.load_game("leduc"))
    here, there = (errai.solve(leduc, algorithm=a, max_iterations=30) for a in (variant, algorithm))
    np.testing.assert_allclose(here.gains, there.gains, rtol=0, atol=1e-10)
    kuhn = errai.load_game("kuhn")
    ours = errai.solve(kuhn, algorithm=variant, backend="reference", max_iterations=30)
    theirs = errai.solve(kuhn, algorithm=algorithm, max_iterations=30)
    assert ours.exploitability.chips == pytest.approx(theirs.exploitability.chips, abs=1e-12)


def test_the_nearest_probabilities_are_found() -> None:
    points = np.random.default_rng(2).normal(size=(ACTIONS, 50))
    found = EuclideanLeader(1.0).strategy(points, 1)
    # Of the nearest point p, no other point q of the simplex is on the far side: (x - p)(q - p) <= 0 at every corner.
    for corner in np.eye(ACTIONS):
        assert (((points - found) * (corner[:, None] - found)).sum(axis=0) <= 1e-12).all()


def test_a_rule_is_all_that_solve_needs_and_files_name_it(tmp_path: Path) -> None:
    kuhn = errai.load_game("kuhn")
    solution = errai.solve(kuhn, "20mbb", rule=Hedge(rate=0.2))
    assert solution.status == "target met"
    solution.save(tmp_path / "kuhn.errai")
    assert errai.load_solution(tmp_path / "kuhn.errai").schedule["rule"] == "Hedge(rate=0.2)"
    written = errai.solve(errai.extensive_game(kuhn), "0.02", rule=Hedge(rate=5.0))
    written.save(tmp_path / "written.errai")
    assert load_extensive(tmp_path / "written.errai").method == "Hedge(rate=5.0)"

    class Mine(Hedge):
        """A rule of a user's own is not recorded as the one that it resembles."""

    assert errai.solve(kuhn, rule=Mine(0.2), max_iterations=2).schedule["rule"] == "own code"
    assert rule_name(Mine(0.5)).endswith("Mine(rate=0.5)")


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), "fast"])
def test_a_learning_rate_is_above_0(rate: Any) -> None:
    with pytest.raises(SolverOptionError, match="The rate of Hedge"):
        Hedge(rate)


def test_an_algorithm_and_a_rule_are_one_too_many() -> None:
    with pytest.raises(SolverOptionError, match="an algorithm or a rule"):
        errai.solve(errai.load_game("kuhn"), algorithm="cfr", rule=Hedge(1.0))
    with pytest.raises(SolverOptionError, match="strategy"):
        errai.solve(errai.load_game("kuhn"), rule="hedge")  # type: ignore[call-overload]
