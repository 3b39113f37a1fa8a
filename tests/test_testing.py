"""The kits accept what Errai has and refuse whatever breaks a contract, each thing for its reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import errai
from errai.agents.agent import Agent
from errai.engine.leaf_values import FunctionLeafValues, LeafMeasurement
from errai.engine.root import Alternatives, MayRefuse, Refusing
from errai.engine.rules import EuclideanLeader, Hedge, RegretMatching, RegretMatchingPlus
from errai.engine.schedules import SCHEDULES, find_schedule
from errai.errors import ContractError
from errai.extensive.walk import SpielRules
from errai.games.hand import CALL, raise_to
from errai.kernels.cpu import CpuKernel
from errai.kernels.reference import ReferenceKernel
from errai.nets.networks.matchups import hands_on
from errai.nets.positions import ValuesOn
from errai.nets.predictors import find_predictor
from errai.resolving.gadgets.maxmargin import Margins
from errai.testing import (
    check_agent,
    check_gadget,
    check_game,
    check_kernel,
    check_leaf_values,
    check_predictor,
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


class DrawsStates(RegretMatching):
    def update(self, state: Any, values: Any, played: Any, iteration: int) -> Any:
        return super().update(state, values, played, iteration) + np.random.default_rng().random(state.shape)


class Short(RegretMatching):
    def update(self, state: Any, values: Any, played: Any, iteration: int) -> Any:
        return state[:-1]


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
        (Raw(), "iteration 1 are no probabilities: they sum to 0"),
        (DrawsStates(), "updates differently when asked again, in iteration 1"),
        (Short(), r"after iteration 1 have the shape \(2, 5\)"),
        (Hedge, "is an object with the methods"),
        (Fails(), "failed: KeyError: 'regrets'"),
    ],
)
def test_rules_that_break_the_contract(rule: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check_rule(rule)


def test_a_large_constant_rate_leaves_regret_which_may_be_left_out() -> None:
    check_rule(Hedge(5.0), vanishes=False)
    with pytest.raises(ContractError, match="against adversarial values is"):
        check_rule(Hedge(5.0))


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

    with pytest.raises(ContractError, match="'changing' answers differently when asked again, at iteration 1"):
        check_schedule(errai.Schedule.of("changing", changing))
    with pytest.raises(ContractError, match="'average' of the schedule 'late' at iteration 7 is 2"):
        check_schedule(errai.Schedule.of("late", lambda t: {"average": 2.0 if t == 7 else 1.0}))
    for wrong in ("no such variant", 7):
        with pytest.raises(ContractError, match="breaks its contract"):
            check_schedule(wrong)  # type: ignore[arg-type]


def nothing(leaves: errai.Leaves) -> Any:
    return np.zeros(leaves.reach.shape[1:])


def lost(leaves: errai.Leaves) -> Any:
    """Every hand loses what it has put in, to each hand of the opponent."""
    meets = ~np.eye(leaves.reach.shape[-1], dtype=bool)
    return -leaves.contribution_chips[:, None] * (leaves.reach[1 - leaves.player] @ meets)


class Valued(errai.LeafValues):
    """A function's values as an object, which says what it likes."""

    name = "mine"

    def __init__(self, function: Any, **said: Any) -> None:
        self.inner = FunctionLeafValues(function)
        vars(self).update(said)

    def values(self, trunk: Any, reach: Any, player: int) -> Any:
        return self.inner.values(trunk, reach, player)


class Worse(Valued):
    def measure(self, trunk: Any, reach: Any, *, exact: bool = True) -> Any:
        found = super().measure(trunk, reach, exact=exact)
        best = tuple([a - 1.0 for a in arrays] for arrays in found.best)
        return LeafMeasurement(found.values, (best[0], best[1]), found.zero_sum)


class Elsewhere(Valued):
    def measure(self, trunk: Any, reach: Any, *, exact: bool = True) -> Any:
        values = tuple([np.ones_like(a) for a in arrays] for arrays in reach)
        return LeafMeasurement((values[0], values[1]), (values[0], values[1]), self.zero_sum)


class Rough(Valued):
    """A quick measurement is off by more than sums in float32 are."""

    def measure(self, trunk: Any, reach: Any, *, exact: bool = True) -> Any:
        found = super().measure(trunk, reach, exact=exact)
        best = tuple([a * (1.0 if exact else 1.01) for a in arrays] for arrays in found.best)
        return LeafMeasurement(found.values, (best[0], best[1]), found.zero_sum)


class Contradicts(Valued):
    def measure(self, trunk: Any, reach: Any, *, exact: bool = True) -> Any:
        found = super().measure(trunk, reach, exact=exact)
        return LeafMeasurement(found.values, found.best, not found.zero_sum)


class Ahead(Valued):
    def learn(self, trunk: Any, half: Any) -> Any:
        return [a + 1.0 for a in super().learn(trunk, half)]


class WritesReach(Valued):
    def values(self, trunk: Any, reach: Any, player: int) -> Any:
        found = super().values(trunk, reach, player)
        reach[player][0][...] = 0.5
        return found


@pytest.mark.parametrize("right", [nothing, lost, Valued(lost, zero_sum=False), Valued(nothing)])
def test_leaf_values_that_are_right(right: Any) -> None:
    check_leaf_values(right, LEDUC, 0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda leaves: np.zeros(3), "shape"),
        (lambda leaves: nothing(leaves) * np.nan, "nan on the board|are nan after"),
        (lambda leaves: nothing(leaves) + 1.0, "not weighted by the other's reach"),
        (lambda leaves: np.random.default_rng().random() * lost(leaves), "weighted by the other's reach"),
        (Valued(lost), "say that they are zero-sum"),
        (Worse(lost, zero_sum=False), "best response of player 0 is worth 1 less"),
        (Elsewhere(lost, zero_sum=False), "a measurement has other values"),
        (Rough(lost, zero_sum=False), "a quick measurement has other"),
        (Contradicts(lost, zero_sum=False), "of `zero_sum` something else"),
        (Ahead(lost, zero_sum=False), "before anything is learnt"),
        (WritesReach(lost, zero_sum=False), "change the reach"),
        (Valued, "an object; instead of the class"),
        (7, "function of errai.Leaves"),
    ],
)
def test_leaf_values_that_break_the_contract(wrong: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check_leaf_values(wrong, LEDUC, 0)


def test_leaf_values_are_for_a_cut() -> None:
    with pytest.raises(ContractError, match="give the depth"):
        check_leaf_values(nothing, LEDUC)


class Gadget:
    """A gadget of a user's, above which a root stands that is made."""

    apart = (np.arange(6.0),)

    def __init__(self, kind: type[Alternatives], *more: Any) -> None:
        self.kind, self.more = kind, more

    def root(self, tree: Any, schedule: Any) -> Any:
        return self.kind(tree, schedule, 1, np.linspace(-1.0, 1.0, 6), *self.more)


class NeverLearns(Alternatives):
    def learn(self, player: int, values: Any, coefficients: Any) -> None:
        pass


class ForgetsArrays(Alternatives):
    def arrays(self) -> Any:
        return {}

    def adopt(self, arrays: Any) -> None:
        pass


class Pays(Refusing):
    def chips(self, values: Any, player: int, *, best: bool) -> float:
        return super().chips(values, player, best=best) + 0.5 * (player == 0)


class PaysMore(Alternatives):
    def entering(self, strategy: str) -> Any:
        return Pays(**vars(super().entering(strategy)))


class Poor(Refusing):
    def chips(self, values: Any, player: int, *, best: bool) -> float:
        return super().chips(values, player, best=best) - (3.0 if best else 0.0)


class PoorResponse(Alternatives):
    def entering(self, strategy: str) -> Any:
        return Poor(**vars(super().entering(strategy)))


class Another(Alternatives):
    @property
    def identity(self) -> Any:
        return {"made": id(self)}


@pytest.mark.parametrize(
    "gadget",
    [MayRefuse(np.linspace(-1.0, 1.0, 6), 1), Margins(np.linspace(-1.0, 1.0, 6), 0), Gadget(Alternatives)],
)
def test_gadgets_that_are_right(gadget: Any) -> None:
    check_gadget(gadget, LEDUC)


@pytest.mark.parametrize(
    ("gadget", "message"),
    [
        (Gadget(NeverLearns), "does not fall"),
        (Gadget(ForgetsArrays), "comes to other numbers"),
        (Gadget(PaysMore), "the players win 0.5 chips together"),
        (Gadget(PoorResponse), "is worth less than the strategy"),
        (Gadget(Another), "different"),
        (Gadget(Alternatives, np.full(6, 2.0)), "forced shares"),
        (MayRefuse(np.full(5, 1.0), 1), "shape"),
        (Gadget, "an object with `apart` and `root`"),
    ],
)
def test_gadgets_that_break_the_contract(gadget: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check_gadget(gadget, LEDUC)


NOLIMIT = errai.load_game("leduc.nolimit")


class Net:
    """The network that says that nobody bets, as a user's; what it answers is changed."""

    name, digest, round = "mine", "1", 1

    def __init__(self, change: Any = lambda values, ranges, stacks, board: values) -> None:
        self.change = change

    def on(self, board: Any, among: Any = None) -> Any:
        right = find_predictor("check-down", NOLIMIT, 1).on(board, among)
        return ValuesOn(right.hands, lambda r, s: self.change(right.values(r, s), r, s, board))


class EveryHand(Net):
    def on(self, board: Any, among: Any = None) -> Any:
        return super().on(board)


def test_networks_that_are_right() -> None:
    for net in (Net(), find_predictor("check-down", NOLIMIT, 1), errai.load_net("leduc")):
        check_predictor(net, NOLIMIT)


def overwrites(values: Any, ranges: Any, stacks: Any, board: Any) -> Any:
    stacks[...] = 0.0
    return values


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (Net(lambda v, r, s, b: v[:, :, :-1]), "have the shape"),
        (Net(lambda v, r, s, b: v * np.nan), "are nan on the board .., position 0"),
        (Net(lambda v, r, s, b: v + np.random.default_rng().random()), "when it is asked again"),
        (Net(lambda v, r, s, b: v + len(v)), "one by one"),
        (Net(lambda v, r, s, b: v + v.shape[2]), "when hands are selected"),
        (Net(overwrites), "changes its arguments"),
        (EveryHand(), "`hands` on the board .. are not the"),
        (Net, "instead of the class write"),
        (object(), "lacks name, digest, round, on"),
    ],
)
def test_networks_that_break_the_contract(net: Any, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        check_predictor(net, NOLIMIT)


def test_a_network_that_minds_the_order_of_cards() -> None:
    """Boards of three cards, each of which may come first."""
    game, right = errai.load_game("holdem.nolimit.2p"), Net()

    class First(Net):
        def on(self, board: Any, among: Any = None) -> Any:
            hands = hands_on(game, board, among)
            return ValuesOn(hands, lambda r, s: np.full_like(r, board[0]))

    with pytest.raises(ContractError, match="when the cards come in another order"):
        check_predictor(First(), game, 2)
    with pytest.raises(ContractError, match="for no-limit games"):
        check_predictor(right, LEDUC)


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
        """The second decision is the first player's too, who no longer knows what the first was."""

        def player(self, state: Any) -> Any:
            return None if len(state) == 2 else 0

    class Confuses(Pennies):
        """One information set has different actions."""

        num_players = 1

        def player(self, state: Any) -> Any:
            return None if len(state) == 2 else -1 if not state else 0

        def actions(self, state: Any) -> Any:
            return super().actions(state) if state else [("heads", 0.5), ("tails", 0.5)]

        def payoffs(self, state: Any) -> Any:
            return super().payoffs(state)[:1]

    class Differs(Confuses):
        def actions(self, state: Any) -> Any:
            return ("heads",) if state == ["tails"] else super().actions(state)

    class Odd(Confuses):
        def actions(self, state: Any) -> Any:
            return super().actions(state) if state else [("heads", 0.5), ("tails", 0.4)]

    class Endless(Pennies):
        def payoffs(self, state: Any) -> Any:
            return (np.inf, -np.inf)

    class Random(Pennies):
        def payoffs(self, state: Any) -> Any:
            won = np.random.default_rng().random()
            return won, -won

    check_game(Confuses())
    for broken, message in (
        (Mutates(), "changes when an action is made from it"),
        (Forgets(), "imperfect recall"),
        (Differs(), "states that a player confuses have the same actions"),
        (Odd(), "sum to 1"),
        (Endless(), "a finite number for each"),
        (Random(), "another game when they are walked again"),
        (Pennies, "is not a game"),
    ):
        with pytest.raises(ContractError, match=message):
            check_game(broken)
    with pytest.raises(ContractError, match="more than 3 histories"):
        check_game(Pennies(), max_histories=3)


def test_a_game_of_openspiel_is_held_against_its_own_values(monkeypatch: pytest.MonkeyPatch) -> None:
    import pyspiel

    for name in ("kuhn_poker", "leduc_poker", "goofspiel(num_cards=3,imp_info=True,points_order=descending)"):
        check_game(pyspiel.load_game(name))
    monkeypatch.setattr(SpielRules, "payoffs", lambda self, state: [won + 0.01 for won in state.returns()])
    with pytest.raises(ContractError, match="by OpenSpiel"):
        check_game(pyspiel.load_game("kuhn_poker"))


def test_kernels() -> None:
    for make in (CpuKernel, ReferenceKernel):
        check_kernel(make)

    class Off(ReferenceKernel):
        def _root_values(self, *given: Any) -> Any:
            return super()._root_values(*given) + 1e-3

    with pytest.raises(ContractError, match="values of player 0 in kuhn differ"):
        check_kernel(Off)
