"""Games that are written out: against OpenSpiel, against the engine, against each other's methods, and by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, exploitability, mmd_dilated
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy, tabular_policy_from_callable
from small_subjects import RIVER

import errai
from errai.cards.hands import hand_cards
from errai.engine.schedules import SCHEDULES, Schedule, find_schedule
from errai.errors import (
    DamagedFileError,
    GameDefinitionError,
    InputError,
    SolverOptionError,
    StrategyError,
    TargetError,
    TreeTooLargeError,
    UnsupportedGameError,
)
from errai.extensive import ExtensiveGame, RegretMinimisation, load_extensive, pure_strategies, solve_extensive
from errai.extensive.first_order import Entropy, Euclidean, ExcessiveGap, MagneticMirrorDescent, on_simplex
from errai.extensive.programs import pure_plans
from errai.extensive.solve import METHODS, SAMPLING
from errai.extensive.walk import Rules
from errai.games.spot import parse_spot
from errai.options import ExtensiveAlgorithm
from errai.tree.betting_tree import build_betting_tree

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"
SPIEL = ("kuhn_poker", "leduc_poker", GOOFSPIEL, "kuhn_poker(players=3)")
LEDUC_VALUE = -0.0856064240780


@cache
def spiel(name: str) -> Any:
    """A game of OpenSpiel, with moves one after the other."""
    game = pyspiel.load_game(name)
    simultaneous = game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    return pyspiel.convert_to_turn_based(game) if simultaneous else game


@cache
def written(name: str) -> ExtensiveGame:
    """A game that is written out: one of the catalogue, the small river, or one of OpenSpiel."""
    if name == "river":
        return errai.extensive_game(parse_spot(RIVER))
    return errai.extensive_game(errai.load_game(name) if name in errai.catalogue() else spiel(name))


def plans_of(game: ExtensiveGame, strategies: Any) -> list[np.ndarray]:
    return [d.plan_of(behaviour) for d, behaviour in zip(game.decisions, strategies, strict=True)]


# --- against OpenSpiel -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*SPIEL, "liars_dice(numdice=1,dice_sides=3)", "dark_hex(board_size=2)"])
def test_uniform_play_is_worth_what_openspiel_says(name: str) -> None:
    game = written(name)
    plans = plans_of(game, [d.uniform() for d in game.decisions])
    assert sum(game.gains(plans)) == pytest.approx(
        exploitability.nash_conv(spiel(name), UniformRandomPolicy(spiel(name)))
    )
    found = len(TabularPolicy(spiel(name)).state_lookup)
    assert sum(d.num_sets for d in game.decisions) == found


@pytest.mark.parametrize("name", SPIEL)
@pytest.mark.parametrize(("algorithm", "solver"), [("cfr", cfr.CFRSolver), ("cfr+", cfr.CFRPlusSolver)])
def test_iterates_are_those_of_openspiel(name: str, algorithm: str, solver: Any) -> None:
    theirs = solver(spiel(name))
    for _ in range(5):
        theirs.evaluate_and_update_policy()
    policy = theirs.average_policy()
    ours = errai.solve(written(name), algorithm=algorithm, max_iterations=5)
    seen = 0
    for _, information, chosen in ours.table():
        expected = policy.policy_for_key(information)
        for action, probability in chosen.items():
            assert probability == pytest.approx(expected[int(action)], abs=1e-9)
            seen += 1
    assert seen > 10


def test_magnetic_mirror_descent_is_that_of_openspiel() -> None:
    theirs = mmd_dilated.MMDDilatedEnt(spiel("leduc_poker"), alpha=0.2, stepsize=0.4)
    ours = MagneticMirrorDescent(written("leduc_poker"), pull=0.2, step_size=0.4, magnet_every=None)
    # Its entropy is no less than 0 at uniform play, and so pulls to where there are more actions to choose from.
    ours._magnets = [np.zeros(d.num_sequences) for d in ours.game.decisions]
    for magnet, decisions in zip(ours._magnets, ours.game.decisions, strict=True):
        for block in decisions.blocks:
            np.add.at(magnet, block.leading, np.log(block.num_actions))
    for _ in range(4):
        theirs.update_sequences()
        ours.step()
    tables = theirs.get_policies()
    for player, behaviour in enumerate(ours.average):
        policy = tables if not isinstance(tables, list) else tables[player]
        for information, chosen in ours.game.table(player, behaviour):
            expected = policy.policy_for_key(information)
            assert list(chosen.values()) == pytest.approx([expected[int(a)] for a in chosen], abs=1e-9)


@pytest.mark.parametrize(
    ("name", "value"),
    [(GOOFSPIEL, 0.0), ("liars_dice(numdice=1,dice_sides=3)", 1.0 / 9.0), ("dark_hex(board_size=2)", 1.0)],
)
def test_two_methods_find_one_value(name: str, value: float) -> None:
    """Goofspiel is symmetric, and on a board of two by two who moves first wins even in the dark."""
    exact = errai.solve(spiel(name), algorithm="lp")
    assert exact.values[0] == pytest.approx(value, abs=1e-9)
    assert exact.nash_conv < 1e-9
    learnt = errai.solve(written(name), "1e-6", algorithm="pcfr+")
    assert learnt.status == "target met"
    low, high = learnt.bracket
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low <= 2e-6 + 1e-9


def test_a_policy_of_openspiel_comes_back() -> None:
    game = written("kuhn_poker")
    solver = cfr.CFRPlusSolver(spiel("kuhn_poker"))
    for _ in range(20):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    table = {name: [] for player in game.names for name in player}
    for state in policy.states:
        table[state.information_state_string()] = list(policy.action_probabilities(state).items())
    plans = plans_of(game, game.behaviours(table))
    assert sum(game.gains(plans)) / 2 == pytest.approx(
        exploitability.exploitability(spiel("kuhn_poker"), policy), abs=1e-12
    )
    # Ours go there and back.
    solution = errai.solve(game, algorithm="lp")
    for here, there in zip(game.behaviours(solution.openspiel_table()), solution.strategies, strict=True):
        np.testing.assert_allclose(here[1:], there[1:])
    with pytest.raises(StrategyError, match="has nothing for"):
        game.behaviours({})
    with pytest.raises(StrategyError, match="has the actions"):
        game.behaviours({**table, game.names[0][0]: [(7, 1.0)]})
    with pytest.raises(StrategyError, match="sum to 1"):
        game.behaviours({**table, game.names[0][0]: [(0, 0.7)]})


def test_a_table_of_a_solution_is_a_policy_of_openspiel() -> None:
    solution = errai.solve(spiel("leduc_poker"), "0.01", algorithm="cfr+")
    table = solution.openspiel_table()
    policy = tabular_policy_from_callable(
        spiel("leduc_poker"), lambda state: dict(table[state.information_state_string()])
    )
    assert exploitability.nash_conv(spiel("leduc_poker"), policy) == pytest.approx(solution.nash_conv, abs=1e-9)


# --- against the engine ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", SCHEDULES)
@pytest.mark.parametrize("simultaneous", [False, True])
def test_every_variant_learns_what_the_engine_learns(algorithm: str, simultaneous: bool) -> None:
    """The engine merges suits and walks hand by hand on the public tree; this one knows sequences alone."""
    schedule = find_schedule(algorithm, simultaneous=simultaneous)
    for name, iterations in (("kuhn", 20), ("leduc", 7)):
        whole = errai.solve(errai.load_game(name), algorithm=schedule, max_iterations=iterations, precision="float64")
        ours = solve_extensive(written(name), algorithm=schedule, max_iterations=iterations)
        assert ours.values == pytest.approx(whole.values.chips, abs=1e-9)
        assert ours.gains == pytest.approx(whole.exploitability.by_player, abs=1e-9)


@pytest.mark.parametrize("name", ["leduc_poker", GOOFSPIEL, "kuhn_poker(players=3)"])
def test_native_iterations_are_those_of_numpy(name: str) -> None:
    game = written(name)
    for algorithm, simultaneous in product(SCHEDULES, (False, True)):
        schedule = find_schedule(algorithm, simultaneous=simultaneous)
        plain, native = RegretMinimisation(game, schedule), RegretMinimisation(game, schedule)
        for _ in range(5):
            plain.step()
        native.advance(2)
        native.advance(3)
        assert (native.iteration, native.gradients) == (plain.iteration, plain.gradients)
        for here, there in (
            (native.regrets, plain.regrets),
            (native.sums, plain.sums),
            (native.current, plain.current),
        ):
            for a, b in zip(here, there, strict=True):
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * max(1.0, np.abs(b).max()), err_msg=algorithm)


@pytest.mark.parametrize("name", ["leduc", "river"])
def test_the_value_is_that_of_the_engine(name: str) -> None:
    subject = parse_spot(RIVER) if name == "river" else errai.load_game(name)
    whole = errai.solve(subject, "0.02%pot")
    exact = errai.solve(written(name), algorithm="lp")
    dead = subject.pot / 2 if name == "river" else 0.0
    within = 2.0 * whole.exploitability.chips
    assert exact.values[0] == pytest.approx(whole.values.chips[0] - dead, abs=within)
    assert exact.nash_conv < 1e-7


class Hedge:
    """Multiplicative weights, with the sums of what the actions gained as its state."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def strategy(self, state: np.ndarray, iteration: int) -> np.ndarray:
        weights = np.exp(self.rate * (state - state.max(axis=0)))
        return weights / weights.sum(axis=0)

    def update(self, state: np.ndarray, values: np.ndarray, played: np.ndarray, iteration: int) -> np.ndarray:
        return state + values - (played * values).sum(axis=0)


def test_a_rule_of_ones_own_learns_what_it_learns_in_the_engine() -> None:
    """The engine counts each of the six deals with weight 1, and here each has its probability."""
    whole = errai.solve(
        errai.load_game("kuhn"), algorithm=Schedule.of("hedge", rule=Hedge(0.5)), max_iterations=30, backend="reference"
    )
    ours = errai.solve(written("kuhn"), algorithm=Schedule.of("hedge", rule=Hedge(3.0)), max_iterations=30)
    assert ours.gains == pytest.approx(whole.exploitability.by_player, abs=1e-9)
    assert ours.settings["schedule"]["rule"] == "own code"


def test_what_is_wrong_with_a_rule_is_said_with_its_place() -> None:
    class Wrong(Hedge):
        def strategy(self, state: np.ndarray, iteration: int) -> np.ndarray:
            return super().strategy(state, iteration) * (1.0 if iteration < 3 else 0.5)

    rule = Schedule.of("wrong", rule=Wrong(1.0))
    with pytest.raises(SolverOptionError, match=r"'wrong' sum to 0.5 at iteration 3, player 0, information set '.s"):
        errai.solve(written("kuhn"), algorithm=rule, max_iterations=9)


# --- methods against each other --------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [*(name for name in METHODS if name not in SAMPLING), "cfr+"])
def test_all_methods_agree_on_kuhn(algorithm: str) -> None:
    solution = errai.solve(written("kuhn"), "0.001", algorithm=algorithm)
    assert solution.status == "target met"
    low, high = solution.bracket
    assert low - 1e-12 <= -1.0 / 18.0 <= high + 1e-12
    assert high - low == pytest.approx(solution.nash_conv)
    assert solution.verify()


@pytest.mark.parametrize(
    ("algorithm", "target"), [("lp", 1e-9), ("cfr+", 5e-3), ("egt", 0.03), ("egt-euclidean", 0.05), ("mmd", 0.3)]
)
def test_methods_agree_on_leduc(algorithm: str, target: float) -> None:
    solution = errai.solve(written("leduc"), target, algorithm=algorithm)
    assert solution.status == "target met"
    low, high = solution.bracket
    assert low - 1e-9 <= LEDUC_VALUE <= high + 1e-9
    # What is measured falls from the first measurement to the last, by far.
    assert algorithm == "lp" or solution.curve[-1][3] < 0.3 * solution.curve[0][3]


def test_range_of_skill_ends_with_an_equilibrium_over_a_few_strategies() -> None:
    game = written(GOOFSPIEL)
    solution = solve_extensive(game, algorithm="range-of-skill")
    assert solution.status == "target met"
    assert solution.nash_conv < 1e-9
    assert solution.iterations < 60 < pure_strategies(game.decisions[0], reduced=True)


@pytest.mark.parametrize("prox", ["entropy", "euclidean"])
def test_the_excessive_gap_bounds_what_can_be_gained(prox: str) -> None:
    """Both games are smoothed by mu times a regulariser of at most ``most``, so both gains are within the sum."""
    run = ExcessiveGap(written("kuhn"), prox)
    for _ in range(40):
        run.step()
        gains = sum(run.game.gains(plans_of(run.game, run.average)))
        most = [mu * -regulariser_bound(run, p) for p, mu in enumerate(run.mu)]
        assert gains <= sum(most) + 1e-9
    assert gains < 0.1


def regulariser_bound(run: ExcessiveGap, player: int) -> float:
    """Minus the largest value of the regulariser: where it and nothing else is maximised, over pure strategies."""
    plans = pure_plans(run.game.decisions[player])
    prox, found = run.prox[player], 0.0
    for plan in plans:
        behaviour, worth = run.game.decisions[player].behaviour_of(plan), 0.0
        for block in run.game.decisions[player].blocks:
            weights = prox.weights[block.first_set : block.first_set + block.num_sets] * plan[block.leading]
            worth += float((weights * prox.psi(block.of(behaviour))).sum())
        found = max(found, worth)
    return -found


@pytest.mark.parametrize("regulariser", [Entropy, Euclidean])
def test_prox_steps_are_minima(regulariser: Callable[..., Any]) -> None:
    """No strategy near by, and none far away, has less of what the step minimises."""
    decisions, rng = written("leduc").decisions[0], np.random.default_rng(1)
    prox = regulariser(decisions)
    linear = rng.normal(size=decisions.num_sequences)
    found, least = prox.minimum(linear, 0.7)

    def worth(behaviour: np.ndarray) -> float:
        plan, total = decisions.plan_of(behaviour), 0.0
        for block in decisions.blocks:
            total += float((plan[block.leading] * prox.psi(block.of(behaviour))).sum())
        return float(linear @ plan) + 0.7 * total

    assert worth(found) == pytest.approx(least)
    for share in (1e-3, 0.1, 1.0):
        other = decisions.behaviour_of(rng.random(decisions.num_sequences))
        assert worth((1.0 - share) * found + share * other) > least


def test_projections_on_the_simplex() -> None:
    rng = np.random.default_rng(2)
    points = rng.normal(size=(4, 300))
    found = on_simplex(points)
    assert np.allclose(found.sum(axis=0), 1.0)
    assert (found >= 0.0).all()
    # The nearest point is the one that no vertex lies beyond.
    for vertex in np.eye(4):
        assert (((points - found) * (vertex[:, None] - found)).sum(axis=0) <= 1e-12).all()


def test_pure_strategies_are_counted_exactly() -> None:
    kuhn, leduc = written("kuhn"), written("leduc")
    assert [pure_strategies(d) for d in kuhn.decisions] == [64, 64]
    assert [pure_strategies(d, reduced=True) for d in kuhn.decisions] == [27, 64]
    assert len({tuple(plan) for plan in pure_plans(kuhn.decisions[0])}) == 27
    # More than 10^86 for each player, as the literature has it.
    by_hand = [prod(b.num_actions**b.num_sets for b in d.blocks) for d in leduc.decisions]
    assert [pure_strategies(d) for d in leduc.decisions] == by_hand
    assert min(by_hand) > 10**86
    with pytest.raises(TreeTooLargeError, match=r"6\.33e44 reduced pure strategies"):
        errai.solve(leduc, algorithm="normal-form")


# --- three players ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "dcfr-foresight"])
def test_three_player_kuhn_comes_to_the_published_family(algorithm: str) -> None:
    """Szafron, Gibson and Sturtevant (2013): values of -(1 + 2b) / 48, -1 / 48 and (1 + b) / 24 for b from 0 to 1/4."""
    solution = errai.solve(spiel("kuhn_poker(players=3)"), "1e-4", algorithm=algorithm)
    assert solution.status == "target met"
    assert max(solution.gains) < 1e-3
    assert solution.bracket is None
    first, second, third = (48.0 * value for value in solution.values)
    assert second == pytest.approx(-1.0, abs=0.01)
    assert -1.5 - 0.01 <= first <= -1.0 + 0.01
    assert third == pytest.approx(1.0 - first, abs=0.02)


class ThreePennies:
    """Three players, each with one of two hidden faces, see what the others showed; who differs pays the others."""

    num_players = 3

    def start(self) -> tuple[int, ...]:
        return ()

    def player(self, state: tuple[int, ...]) -> int | None:
        return -1 if not state else None if len(state) == 4 else len(state) - 1

    def actions(self, state: tuple[int, ...]) -> Any:
        return [(0, 0.25), (1, 0.75)] if not state else ("heads", "tails")

    def after(self, state: tuple[int, ...], action: Any) -> tuple[int, ...]:
        return (*state, action if not state else int(action == "tails"))

    def information(self, state: tuple[int, ...]) -> Any:
        # The second player sees the coin of chance, the third what the first did.
        return (len(state), state[0] if len(state) == 2 else state[1] if len(state) == 3 else None)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, ...]:
        coin, *faces = state
        odd = [face for face in faces if faces.count(face) == 1]
        lost = [2.0 + coin if [face] == odd else 0.0 for face in faces]
        return tuple(sum(lost) / 2.0 - 1.5 * each for each in lost)


def test_gains_of_three_players_are_those_of_every_pure_strategy() -> None:
    game, rng = errai.extensive_game(ThreePennies()), np.random.default_rng(4)
    for _ in range(5):
        strategies = [d.behaviour_of(rng.random(d.num_sequences)) for d in game.decisions]
        plans = plans_of(game, strategies)
        for p, decisions in enumerate(game.decisions):
            every = [game.values([*plans[:p], plan, *plans[p + 1 :]])[p] for plan in pure_plans(decisions)]
            assert game.best_responses(plans)[p] == pytest.approx(max(every), abs=1e-12)


# --- rules of one's own ----------------------------------------------------------------------------------------------


class Forgetful(ThreePennies):
    """The first player acts twice and forgets what they did."""

    num_players = 1

    def player(self, state: tuple[int, ...]) -> int | None:
        return -1 if not state else None if len(state) == 3 else 0

    def information(self, state: tuple[int, ...]) -> Any:
        return len(state)

    def payoffs(self, state: tuple[int, ...]) -> tuple[float, ...]:
        return (1.0,)


def test_imperfect_recall_is_refused_with_the_two_ways() -> None:
    with pytest.raises(
        UnsupportedGameError, match="player 0 comes to the information set '2' both after 'heads' and after 'tails'"
    ):
        errai.extensive_game(Forgetful())
    with pytest.raises(UnsupportedGameError, match="imperfect recall"):
        errai.extensive_game(pyspiel.load_game("dark_hex_ir(board_size=2)"))


def changed(**members: Any) -> Rules:
    return type("Odd", (ThreePennies,), members)()


@pytest.mark.parametrize(
    ("rules", "error", "message"),
    [
        (changed(payoffs=lambda self, state: (1.0, 2.0)), GameDefinitionError, "a finite number for each of 3 players"),
        (changed(payoffs=lambda self, state: (1.0, float("nan"), 0.0)), GameDefinitionError, "finite number"),
        (changed(player=lambda self, state: 5), GameDefinitionError, "turn of player 5"),
        (changed(actions=lambda self, state: [(0, 0.5), (1, 0.6)]), GameDefinitionError, "sum to 1"),
        (changed(after=lambda self, state, action: 1 / 0), GameDefinitionError, "ZeroDivisionError"),
        (
            changed(
                actions=lambda self, state: [(0, 0.5), (1, 0.5)] if not state else ("heads", "tails")[: 1 + state[0]]
            ),
            GameDefinitionError,
            "states that a player confuses have the same actions",
        ),
        (7, InputError, "7 is not a game"),
        (ThreePennies, InputError, "is not a game"),
    ],
)
def test_what_is_wrong_with_rules_is_said(rules: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        errai.extensive_game(rules)


def test_a_game_that_is_too_large_is_refused_before_it_is_written_out() -> None:
    with pytest.raises(TreeTooLargeError, match="more than 1,000 histories"):
        errai.extensive_game(spiel("leduc_poker"), max_histories=1_000)
    # Poker is written out with hands merged up to suits then, as far as that helps.
    assert errai.extensive_game(errai.load_game("leduc"), max_histories=1_000).num_ends == 1_251


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"algorithm": "magic"}, SolverOptionError, "'magic' is not an algorithm for games in extensive form"),
        ({"target": "1mbb"}, TargetError, "a number above 0 in its payoffs, not '1mbb'"),
        ({"target": -1}, TargetError, "above 0"),
        ({"max_iterations": 0}, SolverOptionError, "max_iterations"),
        ({"seconds": "soon"}, SolverOptionError, "seconds"),
        ({"store": "folder"}, SolverOptionError, "store cannot be used for a game in extensive form"),
        ({"progress": True}, SolverOptionError, "progress"),
    ],
)
def test_wrong_requests_are_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        errai.solve(written("kuhn"), **options)


def test_poker_is_written_out_if_a_method_asks_for_it() -> None:
    assert set(METHODS) == set(get_args(ExtensiveAlgorithm))
    solution = errai.solve(errai.load_game("leduc"), "1mbb", algorithm="lp")
    assert solution.values[0] == pytest.approx(LEDUC_VALUE, abs=1e-9)
    assert solution.settings["target"] == 0.001
    assert repr(solution).startswith("<Leduc hold'em by lp: target met, exploitability ")
    assert repr(solution.game) == "<Leduc hold'em: 468, 468 information sets, 5,520 ends>"
    with pytest.raises(TreeTooLargeError, match="use fewer hands or bet sizes"):
        errai.solve(errai.load_game("holdem.nolimit.2p"), algorithm="lp", menu="a")


@pytest.mark.parametrize("algorithm", [name for name in METHODS if name not in SAMPLING])
def test_methods_for_two_refuse_three(algorithm: str) -> None:
    with pytest.raises(UnsupportedGameError, match="3 players"):
        errai.solve(written("kuhn_poker(players=3)"), algorithm=algorithm)


def test_a_stop_gives_the_result_so_far() -> None:
    stop = errai.StopToken()
    solution = errai.solve(
        written("leduc"), 1e-9, stop=stop, progress=lambda at, found: stop.set() if at > 10 else None
    )
    assert solution.status == "interrupted"
    assert 10 < solution.iterations < 20
    assert solution.verify()


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_file_has_the_solution_and_its_game(tmp_path: Path) -> None:
    solution = errai.solve(written("kuhn_poker(players=3)"), "0.01", algorithm="cfr+")
    solution.save(tmp_path / "made.errai")
    again = load_extensive(tmp_path / "made.errai")
    assert again.game.digest() == solution.game.digest()
    assert list(again.table()) == list(solution.table())
    assert (again.gains, again.status) == (solution.gains, solution.status)
    assert np.array_equal(again.curve, solution.curve)
    assert again.curve.columns == ("iteration", "seconds", "gradients", "exploitability")
    assert again.verify()
    worse = type(again)(**{**vars(again), "gains": tuple(gain / 2.0 for gain in again.gains)})
    assert not worse.verify()
    data = (tmp_path / "made.errai").read_bytes()
    for at in range(40, len(data), len(data) // 60):
        (tmp_path / "bad.errai").write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        with pytest.raises(DamagedFileError):
            load_extensive(tmp_path / "bad.errai").verify()


def test_strategies_are_asked_by_the_names_of_information_sets() -> None:
    solution = errai.solve(written("kuhn"), "1e-6", algorithm="lp")
    # With the worst card player 1 never calls, with the one between a third of the time.
    assert solution.strategy_at(1, "Qs: bet 1")["call"] == pytest.approx(0.0)
    assert solution.strategy_at(1, "Ks: bet 1")["call"] == pytest.approx(1.0 / 3.0)
    with pytest.raises(StrategyError, match="has no information set '2s'"):
        solution.strategy_at(0, "2s")


def test_arrays_are_checked() -> None:
    with pytest.raises(GameDefinitionError, match="comes before"):
        ExtensiveGame.of("odd", [[3, 0]], [[2, 2]], [[0]], [[1.0]])
    with pytest.raises(GameDefinitionError, match="does not have"):
        ExtensiveGame.of("odd", [[0]], [[2]], [[3]], [[1.0]])
    game = ExtensiveGame.of(
        "chain", [[0, 1, 3]], [[2, 2, 3]], [[2], [4], [5], [6], [7]], [[1.0], [4.0], [2.0], [3.0], [0.0]]
    )
    assert [block.num_actions for block in game.decisions[0].blocks] == [2, 2, 3]
    assert game.best_responses([np.ones(8)])[0] == 4.0
    for odd in ([0.5] * 8, [1.0] * 7):
        with pytest.raises(StrategyError):
            game.decisions[0].check(odd, "It")


def test_every_split_of_deals_is_walked() -> None:
    """Ranges that share cards, weights, and a board: as many ends as pairs of hands times ends of the betting."""
    game, spot, cards = written("river"), parse_spot(RIVER), hand_cards(52, 2).tolist()
    deals = [
        (a, b)
        for a, b in product(*(np.flatnonzero(weights) for weights in spot.weights))
        if len({*cards[a], *cards[b], *spot.board}) == 9
    ]
    betting = build_betting_tree(spot)
    assert len(game.ends) % len(deals) == 0
    assert len(game.ends) // len(deals) == int((betting.num_children == 0).sum())
