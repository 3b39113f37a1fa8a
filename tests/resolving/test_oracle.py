"""Exact leaf values: with them a lookahead that is cut has the solution of the whole game."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from small_subjects import subject

import errai
from errai.engine.certificate import StrategyProfile
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.engine.units import Exploitability, Units
from errai.errors import InputError, SolverOptionError
from errai.games.game import Game
from errai.games.hand import CALL, Action, PublicState, raise_to
from errai.games.lookahead import Lookahead
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, FIXED
from errai.resolving.below import ExactBelow, values_below
from errai.resolving.gadgets import find_method
from errai.resolving.oracle import ALONGSIDE, ExactLeafValues, whole_plan
from errai.resolving.player import ResolvingPlayer, Settings, street_by_street
from errai.solutions.solution import Solution
from errai.tree.public_tree import build_public_tree

CASES = [("leduc", 240), ("leduc.nolimit", 200), ("rhode-island-short", 40), ("two-cards-short", 60), ("turn", 60)]


@cache
def cut(name: str, iterations: int, alongside: int = ALONGSIDE) -> tuple[Solution, ExactLeafValues, ExactBelow]:
    below = ExactBelow(alongside=alongside)
    rest = errai.lookahead(subject(name))
    leaves = below.leaf_values(rest)
    return errai.solve(rest, max_iterations=iterations, leaf_values=leaves, threads=1), leaves, below


def spliced(solution: Solution, leaves: ExactLeafValues) -> Exploitability:
    """The exploitability, in the whole game, of the trunk with the strategy found below it, in a tree built
    independently.
    """
    whole = whole_plan(solution.tree).build()
    kernel = make_kernel("reference" if whole.entries < 20_000 else "cpu", whole.arrays)
    assert leaves.continuation is not None
    strategy = [solution.strategy[0], *leaves.continuation[1:]]
    strategy = [[a.astype(np.float64) for a in pair] for pair in strategy]
    return StrategyProfile(whole, kernel, strategy).certificate(Units.of(whole.subject, whole.initial_pot))[0]


@pytest.mark.parametrize("alongside", [ALONGSIDE, 0])
@pytest.mark.parametrize(("name", "iterations"), CASES)
def test_the_certificate_is_that_of_a_strategy_of_the_whole_game(name: str, iterations: int, alongside: int) -> None:
    solution, leaves, _ = cut(name, iterations, alongside)
    whole = spliced(solution, leaves)
    assert solution.exploitability.chips == pytest.approx(whole.chips, abs=1e-9 * solution.initial_pot_chips)
    assert solution.exploitability.by_player == pytest.approx(whole.by_player, abs=1e-9 * solution.initial_pot_chips)
    assert solution.verify(leaves)


@pytest.mark.parametrize(("name", "iterations"), CASES)
def test_the_oracle_double(name: str, iterations: int) -> None:
    """Values of the cut game are those of the exact solve, and its strategy is as little exploitable as the solve's."""
    solution, _, _ = cut(name, iterations)
    rest = solution.subject
    assert isinstance(rest, Lookahead)
    exact = errai.solve(replace(rest, depth=None), "0.02%pot", threads=1)
    pot = solution.initial_pot_chips
    assert solution.exploitability.chips < 0.006 * pot
    assert solution.values.chips == pytest.approx(exact.values.chips, abs=solution.exploitability.nash_conv)


@pytest.mark.parametrize(("name", "iterations"), [("leduc", 240), ("leduc.nolimit", 200), ("turn", 60)])
def test_the_oracle_double_where_leaves_are_a_function_of_the_ranges(name: str, iterations: int) -> None:
    """It converges more slowly, because the leaf values are a function with kinks; see the module."""
    whole, _, _ = cut(name, iterations)
    solution, _, _ = cut(name, iterations, 0)
    assert whole.exploitability.chips < solution.exploitability.chips < 0.015 * solution.initial_pot_chips
    assert solution.values.chips == pytest.approx(
        whole.values.chips, abs=solution.exploitability.nash_conv + whole.exploitability.nash_conv
    )


def test_more_iterations_lose_less() -> None:
    for alongside in (ALONGSIDE, 0):
        found = [cut("leduc", n, alongside)[0].exploitability.chips for n in (10, 40, 240)]
        assert found[2] < 0.7 * found[1] < 0.35 * found[0]


def test_values_are_of_the_ranges_and_as_exact_as_is_said() -> None:
    """Leaf by leaf they equal a separate solve of that subgame, for ranges that no equilibrium has."""
    game = subject("leduc.nolimit")
    trunk = build_public_tree(errai.lookahead(game))
    generator = np.random.default_rng(5)
    source = trunk.arrays.zeros(np.float64)
    for array in source[0]:
        array[...] = generator.uniform(0.1, 1.0, array.size)
    reach = make_kernel("cpu", trunk.arrays).leaf_reach(source, tied=False)
    exact, rough = ExactLeafValues(accuracy=1e-4, max_iterations=20_000), ExactLeafValues(accuracy=2e-2)
    one, other = (found.values(trunk, reach, 0)[0].reshape(-1, 3) for found in (exact, rough))
    rest = exact.below(trunk)
    state = rest.fresh()
    for accuracy in (2e-2, 1e-4):
        rest.solve(state, (reach[0][0], reach[1][0]), accuracy, 20_000, warm=False)
        scaled = rest.rows[0].scaled(reach[0][0]), rest.rows[1].scaled(reach[1][0])
        assert 0.0 < rest.gap(state.sums, scaled) <= accuracy
    weights = 2.0 * np.stack([a[0].reshape(-1, 3) for a in reach])  # hands of each class
    worth = (weights[0] * one).sum(axis=1)
    pots = 2.0 * np.array(trunk.betting.contributions[trunk.betting.kind == 4, 0])
    pairs = weights[0].sum(axis=1) * weights[1].sum(axis=1)
    # Values of a zero-sum game differ by no more than what either player could gain.
    assert np.abs(worth - (weights[0] * other).sum(axis=1)) == pytest.approx(0.0, abs=(2e-2 * pots * pairs).max())
    assert (np.abs(worth - (weights[0] * other).sum(axis=1)) <= 2.01e-2 * pots * pairs).all()


@pytest.mark.parametrize(
    ("name", "line"),
    [("leduc", (CALL, CALL)), ("leduc", (CALL, raise_to(3), CALL)), ("leduc.nolimit", (raise_to(300), CALL))],
)
def test_values_on_a_board_are_those_the_lookahead_rests_on(name: str, line: tuple[Action, ...]) -> None:
    """Over all cards they add up to the leaf's value for a best response."""
    solution, _, below = cut(name, dict(CASES)[name])
    state, node = PublicState.start(subject(name)), solution.root  # type: ignore[arg-type]
    for action in line:
        found = node.after(action)
        assert found is not None
        state, node = state.after(action), found
    for player in (0, 1):
        total = np.zeros(6)
        for card in range(6):
            live = np.arange(6) != card
            ranges = np.where(live, node.ranges[0], 0.0), np.where(live, node.ranges[1], 0.0)
            dealt, more = state.with_cards((card,)), (3.0 * ranges[0], 3.0 * ranges[1])
            values = below.values(dealt, ranges, player, solution)
            assert values[card] == 0.0
            assert 3.0 * values == pytest.approx(below.values(dealt, more, player, solution))
            total += values
        assert total / 4.0 == pytest.approx(node.counterfactual(player, best=True))


def test_values_for_other_ranges_are_of_a_solve_of_their_own() -> None:
    _, leaves, below = cut("leduc", 240)
    state = PublicState.start(subject("leduc")).after(CALL).after(CALL).with_cards((4,))  # type: ignore[arg-type]
    ranges = np.array([1.0, 0.5, 0.0, 0.3, 0.0, 0.2]), np.array([0.2, 0.2, 0.7, 0.1, 0.0, 0.0])
    assert values_below(leaves, state, ranges[0], 1) is None
    solved = errai.solve(errai.lookahead(subject("leduc"), state, ranges, None), "0.001%pot")
    for player in (0, 1):
        found, held = below.values(state, ranges, player), ranges[player] > 0
        chips = ranges[player] @ found / (ranges[0].sum() * ranges[1].sum())
        assert chips == pytest.approx(
            ranges[player] @ np.nan_to_num(solved.root.counterfactual(player)) / (ranges[0].sum() * ranges[1].sum()),
            abs=2 * below.accuracy * state.pot_chips,
        )
        # Hands that are not held have their values too, which a gadget above asks for.
        assert held[2] == (player == 1)
        assert found[2] != 0.0


def test_a_trunk_of_something_else_is_refused() -> None:
    trunk = build_public_tree(subject("leduc"), last_street=0)
    other = replace(trunk, subject=replace(subject("leduc"), max_raises=(3, 3)))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not the upper part"):
        ExactLeafValues().below(other)
    with pytest.raises(SolverOptionError, match="above 0"):
        ExactLeafValues(accuracy=0.0)


def test_no_hand_gains_much_by_a_response_below() -> None:
    solution, leaves, _ = cut("leduc", 240)
    rest, strategy, arrived = leaves.rest, leaves.continuation, leaves.arrived
    assert strategy is not None
    assert arrived is not None
    best, kept = (rest.kernel.root_values(strategy, 0, role=role, reach=arrived) for role in (BEST, FIXED))
    gain = best - kept
    assert gain.min() > -1e-12
    chips = float((rest.rows[0].sizes * arrived[0]) @ gain) / solution.tree.pair_weight
    assert 0.0 < chips < solution.exploitability.by_player[0] + 1e-12
    assert str(solution.below) == "'exact'"


def test_a_player_with_oracle_leaves_does_the_same_whatever_it_was_asked_before() -> None:
    """What was found below a lookahead is looked up by lookahead, not by the last query."""
    game = subject("leduc")
    assert isinstance(game, Game)
    state = PublicState.start(game).after(CALL).after(raise_to(3)).after(CALL).with_cards((3,)).after(raise_to(7))
    answers = []
    for before in ((), (CALL,), (raise_to(3),), (CALL, raise_to(3), raise_to(5), CALL)):
        player, other = oracle_player(game), PublicState.start(game)
        for action in before:
            player.strategy(other)
            other = other.after(action)
        answers.append(player.strategy(state).probabilities)
    for answer in answers[1:]:
        assert np.array_equal(answer, answers[0])


def oracle_player(game: Game) -> ResolvingPlayer:
    def solve(rest: Lookahead, gadget: Gadget | None, leaf_values: LeafValues | None) -> Solution:
        return errai.solve(rest, max_iterations=30, gadget=gadget, leaf_values=leaf_values, threads=1)

    settings = Settings(find_method("resolve"), lambda state: None, solve, depth=street_by_street, below=ExactBelow())
    return ResolvingPlayer(game, settings)
