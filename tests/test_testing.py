"""The kits accept what Errai has and refuse whatever breaks a contract, each thing for its reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import errai
from errai.agents.agent import Agent
from errai.engine.rules import EuclideanLeader, Hedge, RegretMatching, RegretMatchingPlus
from errai.engine.schedules import SCHEDULES, find_schedule
from errai.errors import ContractError
from errai.extensive.walk import SpielRules
from errai.games.hand import CALL, raise_to
from errai.kernels.cpu import CpuKernel
from errai.kernels.reference import ReferenceKernel
from errai.testing import (
    check_agent,
    check_game,
    check_kernel,
    check_leaf_values,
    check_rule,
    check_schedule,
    check_strategy,
)

KUHN, LEDUC = errai.load_game("kuhn"), errai.load_game("leduc")


@pytest.mark.parametrize("rule", [RegretMatching(), RegretMatchingPlus(), Hedge(0.05), EuclideanLeader(0.02)])
def test_the_rules_by_name_pass(rule: Any) -> None:
    check_rule(rule)


class Stubborn(Hedge):
    """Never learns."""

    def update(self, state: Any, values: Any, played: Any, iteration: int) -> Any:
        return state


class Shares(RegretMatching):
    """Mixes what stands in different columns."""

    def update(self, state: Any, values: Any, played: Any, iteration: int) -> Any:
        return super().update(state, values, played, iteration) + values.mean()


class Writes(RegretMatching):
    def update(self, state: Any, values: Any, played: Any, iteration: int) -> Any:
        state += values
        return state


class Draws(RegretMatching):
    def strategy(self, state: Any, iteration: int) -> Any:
        found = np.random.default_rng().random(state.shape)
        return found / found.sum(axis=0)


class Raw(RegretMatching):
    def strategy(self, state: Any, iteration: int) -> Any:
        return state


class Fails(RegretMatching):
    def update(self, state: Any, values: Any, played: Any, iteration: int) -> Any:
        raise KeyError("regrets")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Stubborn(0.1), "against adversarial values"),
        (Shares(), "one column depend on others"),
        (Writes(), "changes its arguments in iteration 1"),
        (Draws(), "differently when asked again, in iteration 1"),
        (Raw(), "no probabilities in iteration 1"),
        (Fails(), "breaks its contract: KeyError: 'regrets'"),
    ],
)
def test_rules_that_break_the_contract(rule: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check_rule(rule)


def test_schedules() -> None:
    for name in SCHEDULES:
        check_schedule(find_schedule(name))
    check_schedule(errai.Schedule.of("mine", rule=RegretMatching()), 100)
    # What forgets all of the past never comes nearer.
    with pytest.raises(ContractError, match="leaves Kuhn poker exploitable"):
        check_schedule(errai.Schedule.of("forgets", lambda t: {"positive": 0.0, "negative": 0.0, "average": 0.0}))
    counted: list[int] = []

    def changing(t: int) -> dict[str, float]:
        counted.append(t)
        return {"average": 1.0 / len(counted)}

    check = errai.Schedule.of("changing", changing)
    try:
        check_schedule(check)
    except ContractError:
        pass
    else:
        assert len(counted) == len(set(counted)) + 1  # Asked once for each iteration, so that nothing can change.


def test_leaf_values() -> None:
    def nothing(leaves: Any) -> Any:
        return np.zeros((len(leaves.boards), len(leaves.contribution_chips), 6))

    check_leaf_values(nothing, LEDUC, 0)
    with pytest.raises(ContractError, match="shape"):
        check_leaf_values(lambda leaves: np.zeros(3), LEDUC, 0)
    with pytest.raises(ContractError, match="finite"):
        check_leaf_values(lambda leaves: nothing(leaves) * np.nan, LEDUC, 0)
    with pytest.raises(ContractError, match="breaks its contract"):
        check_leaf_values(lambda leaves: np.random.default_rng().random(nothing(leaves).shape), LEDUC, 0)


def test_strategies() -> None:
    class Calls:
        def strategy(self, state: Any) -> Any:
            from errai.strategies.strategy import Choices, live_hands

            return Choices((CALL,), live_hands(state)[:, None].astype(float))

    for good in (Calls(), "uniform", errai.solve(KUHN, "10mbb"), lambda state: np.full(2, 0.5)):
        check_strategy(good, KUHN)

    class Illegal(Calls):
        def strategy(self, state: Any) -> Any:
            from dataclasses import replace

            return replace(super().strategy(state), actions=(raise_to(99),))

    with pytest.raises(ContractError, match="not allowed"):
        check_strategy(Illegal(), KUHN)
    with pytest.raises(ContractError, match="breaks its contract"):
        check_strategy(lambda state: np.full(2, 0.7), KUHN)


def test_agents() -> None:
    for good in ("uniform", "always-raise", "by-strength"):
        check_agent(good, LEDUC, 50)

    class Random(Agent):
        def act(self, observation: Any) -> Any:
            legal = observation.state.legal_actions
            return legal[int(np.random.default_rng().integers(len(legal)))]

    with pytest.raises(ContractError, match="differently with the same seed"):
        check_agent(Random, LEDUC)

    class Cheats(Agent):
        def act(self, observation: Any) -> Any:
            return raise_to(1000)

    with pytest.raises(ContractError, match="is not legal"):
        check_agent(Cheats, LEDUC)


def test_games() -> None:
    import pyspiel

    check_game(SpielRules(pyspiel.load_game("kuhn_poker")))

    class Pennies:
        num_players = 2

        def start(self) -> Any:
            return []

        def player(self, state: Any) -> Any:
            return None if len(state) == 2 else len(state)

        def actions(self, state: Any) -> Any:
            return ("heads", "tails")

        def after(self, state: Any, action: Any) -> Any:
            return [*state, action]

        def information(self, state: Any) -> Any:
            return len(state)

        def payoffs(self, state: Any) -> Any:
            return (1.0, -1.0) if state[0] == state[1] else (-1.0, 1.0)

    check_game(Pennies())

    class Mutates(Pennies):
        def after(self, state: Any, action: Any) -> Any:
            state.append(action)
            return list(state)

    class Forgets(Pennies):
        def player(self, state: Any) -> Any:
            return None if len(state) == 2 else 0

        def information(self, state: Any) -> Any:
            return "always the same"

    for broken in (Mutates(), Forgets()):
        with pytest.raises(ContractError):
            check_game(broken)


def test_kernels() -> None:
    for make in (CpuKernel, ReferenceKernel):
        check_kernel(make)

    class Off(ReferenceKernel):
        def _root_values(self, *given: Any) -> Any:
            return super()._root_values(*given) + 1e-3

    with pytest.raises(ContractError, match="values of player 0 in kuhn differ"):
        check_kernel(Off)
