"""Time management: menus and iterations follow from the size of the tree, the clock ends solves, results are
repeatable.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from drawn_arrays import same_arrays
from stopwatch import Stopwatch

import errai
from errai.cards.ranges import Range
from errai.engine.leaf_values import HalfIteration
from errai.engine.loop import Progress
from errai.engine.root import MayRefuse
from errai.engine.status import Status
from errai.errors import SolverOptionError, StoppedError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.lookahead import Lookahead
from errai.games.sizing import BetMenu
from errai.kernels.protocol import LeafArrays
from errai.nets.below.leaves import NetLeafValues
from errai.nets.predictors import find_predictor
from errai.resolving.budget import (
    FEWEST_ITERATIONS,
    LEAST_RUN_OUTS,
    MOST_RUN_OUTS,
    PROCESSORS,
    TARGETS,
    Budget,
    CostBelow,
    coarser_and_coarser,
    least_seconds,
    processor_seconds,
    run_outs_for,
    seconds_below,
)
from errai.resolving.continuations import ContinuationLeafValues, Continuations
from errai.running.stopping import StopToken
from errai.strategies.given import read_strategy
from errai.tree.public_tree import PublicTree, plan_public_tree

GAME = load_game("holdem.nolimit.2p")
BOARD = GAME.deck.parse_cards("Qs Jh 2c 8d 3s")


def state(pot: int, cards: int) -> PublicState:
    """Where betting begins on a street of a hand with a raised pot, checked until then."""
    found = PublicState.start(GAME).after(raise_to(pot // 2) if pot > 200 else CALL).after(CALL).dealt(BOARD[:cards])
    while len(found.board) < cards or found.cards_due:
        found = found.after(CALL).dealt(BOARD[:cards])
    return found


def look(at: PublicState, menu: BetMenu | None) -> Lookahead:
    rng = np.random.default_rng(3)
    return errai.lookahead(GAME, at, [rng.random(1326) ** 2, rng.random(1326) ** 2], None, menu=menu)


def entries(at: PublicState, menu: BetMenu | None) -> int:
    return plan_public_tree(errai.lookahead(GAME, at, None, None, menu=menu)).entries


@pytest.mark.parametrize(("pot", "cards"), [(200, 5), (200, 4), (2_000, 4), (8_000, 4)])
def test_menus_are_as_fine_as_the_time_is_enough_for(pot: int, cards: int) -> None:
    at = state(pot, cards)
    sizes = [entries(at, menu) for menu in coarser_and_coarser(at)]
    assert sizes == sorted(sizes, reverse=True)
    found = [entries(at, Budget(seconds).menu(at)) for seconds in (1e-3, 0.1, 0.3, 1.0, 3.0, 10.0, 1e3)]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (sizes[-1], sizes[0])
    # Twice the same is the same, whatever the clock says.
    assert Budget(0.3).menu(at) == Budget(0.3).menu(at)
    # More iterations leave room for less.
    assert entries(at, Budget(3.0, iterations=10_000).menu(at)) <= entries(at, Budget(3.0).menu(at))


def test_a_menu_that_is_given_stays_and_a_finest_one_comes_first() -> None:
    own = BetMenu.parse(4, "33%, 66%, 100%, a")
    at = state(4_000, 4)
    assert Budget(1e-3, menu=own).menu(at) == own
    assert Budget(1e9, finest=own).menu(at) == own
    assert Budget(0.5, finest=own).menu(at) == Budget(0.5).menu(at)
    limit = load_game("holdem.limit.2p")
    assert Budget().menu(PublicState.start(limit)) is None


def test_the_bets_of_the_first_action_can_be_chosen() -> None:
    at = state(2_000, 4)
    menus, own = list(coarser_and_coarser(at)), list(coarser_and_coarser(at, "50%, 150%"))
    assert own[0] == Budget(1e9, first_bets="50%, 150%").menu(at)
    sizes = [{entry.text() for entry in menu.early[0].bet} for menu in (menus[0], own[0], own[1])]
    assert sizes == [{"50%", "100%"}, {"50%", "150%"}, {"150%"}]
    # Nothing else differs: all later actions, and the menus without half the pot.
    assert [(menu.early[1:], menu.streets, menu.raise_caps) for menu in menus] == [
        (menu.early[1:], menu.streets, menu.raise_caps) for menu in own
    ]
    assert menus[2:] == own[2:]


def test_a_strategy_that_is_worse_than_giving_up_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    at = state(200, 4)
    subject = look(at, BetMenu.parse(4, "100%, a"))
    # The clock says after the first look that the time is over.
    monkeypatch.setattr("errai.resolving.budget._Clock", lambda *of: _Over())
    short = Budget(60.0)
    with pytest.raises(StoppedError, match=r"after \d+ iterations .* an exploitability of .* no strategy yet"):
        short.solve(subject)
    assert short.cut_short == 1
    monkeypatch.setattr("errai.resolving.budget.MOST_EXPLOITABLE", np.inf)
    found = short.solve(subject)
    assert found.status == Status.INTERRUPTED
    assert found.exploitability.pot_percent > 50.0


class _Over:
    """A clock that ends a solve at once."""

    def __init__(self) -> None:
        self.token = StopToken()

    def __call__(self, now: Progress) -> None:
        if now.iteration:
            self.token.set()


def test_a_solve_within_the_time_is_repeated_to_the_bit() -> None:
    at = state(2_000, 4)
    found = []
    for _ in (0, 1):
        budget = Budget(20.0, iterations=40)
        found.append(budget.solve(look(at, Budget(0.5).menu(at))))
        assert budget.cut_short == 0
    assert found[0].iterations == found[1].iterations <= 40
    assert same_arrays(found[0].strategy, found[1].strategy)


def test_iterations_are_planned_and_the_target_ends_earlier() -> None:
    budget = Budget(0.4)
    assert budget.iterations_for(10**5) > budget.iterations_for(10**6) > budget.iterations_for(10**7)
    assert budget.iterations_for(10**9) == 1
    assert processor_seconds(10**6, budget.iterations_for(10**6)) <= 0.9 * 0.4
    river = Budget(60.0).solve(look(state(2_000, 5), BetMenu.parse(4, "100%, a")))
    assert river.status == Status.TARGET_MET
    assert river.exploitability.pot_percent <= float(TARGETS[0].removesuffix("%pot"))


@pytest.mark.parametrize(("pot", "cards", "seconds"), [(200, 5, 0.25), (4_000, 4, 0.6), (200, 4, 1.5)])
def test_the_clock_stops_what_takes_longer(
    pot: int, cards: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However far a busy machine comes in the time.
    monkeypatch.setattr("errai.resolving.budget.MOST_EXPLOITABLE", np.inf)
    at = state(pot, cards)
    budget = Budget(seconds, iterations=10**9, target="1e-9%pot", menu=BetMenu.parse(4, "100%"))
    subject = look(at, budget.menu(at))
    budget.solve(subject)  # the first one pays for what a process does once
    with Stopwatch() as took:
        found = budget.solve(subject)
    assert took.seconds <= 1.1 * seconds + 0.1
    assert budget.cut_short == 2
    assert found.iterations > 1
    assert found.verify().certified
    hands = found.root.strategies
    assert np.nansum(hands, axis=1)[~np.isnan(hands).any(axis=1)] == pytest.approx(1.0, abs=1e-5)


def test_several_solves_share_the_time_of_a_decision() -> None:
    budget = Budget(0.8, iterations=10**9, target="1e-9%pot")
    at = state(200, 5)
    subject = look(at, Budget(0.05).menu(at))

    def many() -> None:
        with budget.decision():
            for _ in range(100):
                budget.solve(subject)

    with Stopwatch() as took, pytest.raises(StoppedError, match="no strategy yet"):
        many()
    assert took.seconds <= 1.1 * 0.8 + 0.1
    assert 2 <= budget.cut_short < 20
    # The next decision has its own time.
    with budget.decision():
        budget.solve(subject)


def test_no_time_at_all_says_so_at_once() -> None:
    at = state(200, 4)
    menu = BetMenu.parse(4, "50%, 100%, a", raise_caps=dict.fromkeys(range(4), 2))
    with Stopwatch() as took, pytest.raises(StoppedError, match="smallest solve"):
        Budget(0.02, menu=menu).solve(look(at, menu))
    assert took.seconds < 0.3
    # Without a menu of one's own it is made coarser, and what was bet stays in it.
    budget = Budget(0.3)
    found = budget.solve(look(at, menu.with_line([733])))
    assert budget.cut_short == 1
    assert "bet 633" in found.root.actions
    assert found.tree.betting.num_nodes < 100


def test_nothing_is_planned_after_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    at = state(200, 5)
    budget = Budget(0.3)
    subject = look(at, budget.menu(at))
    monkeypatch.setattr("errai.resolving.budget.plan_public_tree", None)
    budget.waited = 1.0
    with budget.decision(at):
        for late in (lambda: budget.menu(at), lambda: budget.solve(subject)):
            with pytest.raises(StoppedError, match=r"The 0.3 seconds of the decision are over"):
                late()


def test_the_opponent_may_refuse_within_the_time_too() -> None:
    at = state(2_000, 5)
    subject = look(at, Budget(0.5).menu(at))
    values = Budget(5.0).solve(subject).root_values.counterfactual[1]
    gadget = MayRefuse(np.nan_to_num(values), 1)
    found = Budget(5.0).solve(subject, gadget)
    assert found.status == Status.TARGET_MET
    short = Budget(0.3, iterations=10**9, target="1e-9%pot")
    short.solve(subject, gadget)
    assert short.cut_short == 1


@pytest.mark.parametrize("wrong", [{"seconds": 0.0}, {"seconds": -1.0}, {"iterations": 0}, {"threads": 0}])
def test_limits_are_above_zero(wrong: dict) -> None:
    with pytest.raises(SolverOptionError, match="above 0"):
        Budget(**wrong)


# --- a flop that is cut ----------------------------------------------------------------------------------------------


def test_run_outs_and_the_menu_of_a_flop_are_those_that_the_time_is_enough_for() -> None:
    least = least_seconds()
    assert run_outs_for(least - 1) < LEAST_RUN_OUTS <= run_outs_for(least) < run_outs_for(4 * least)
    at = state(200, 3)
    budgets = [Budget(seconds) for seconds in (least, 4.0 * least, 100.0 * least)]
    assert [b.run_outs for b in budgets] == sorted(b.run_outs for b in budgets)
    assert budgets[-1].run_outs == MOST_RUN_OUTS
    cut = [errai.lookahead(GAME, at, menu=b.menu(at, "street")) for b in budgets]
    sizes = [plan_public_tree(c, last_street=0).entries for c in cut]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    for budget, subject in zip(budgets, cut, strict=True):
        counting, each = seconds_below(subject, budget.run_outs)
        assert 0.0 < counting < PROCESSORS * budget.seconds
        assert counting > 10.0 * each
    assert seconds_below(look(state(200, 4), None), 49) == (0.0, 0.0)


def test_counting_what_is_below_a_flop_is_stopped_by_the_clock() -> None:
    """It is done inside the first iteration, where no solve looks at the time."""
    at = state(2_000, 3)
    blueprint = read_strategy("blueprint-nl", GAME)
    ones = np.ones(1326)
    budget = Budget(1.0, menu=BetMenu.parse(4, "50%, 100%, 200%, a"))
    below = Continuations(blueprint, GAME, run_outs=98, stop=budget.counting)
    subject = errai.lookahead(GAME, at, (ones, ones), menu=budget.menu(at, "street"))
    with Stopwatch() as took, budget.decision(at), pytest.raises(StoppedError, match="was stopped after"):
        budget.solve(subject, None, below.leaf_values(subject, 0))
    assert took.seconds <= 1.1 * 1.0 + 0.1
    # Outside of a decision nothing has run out.
    assert not budget.counting.is_set()


class Slow(ContinuationLeafValues):
    """A tenth of a second for every half of an iteration."""

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        time.sleep(0.1)
        return super().learn(trunk, half)


def test_a_flop_that_was_hardly_iterated_says_nothing() -> None:
    at = state(8_000, 3)
    few = Range.parse("AA,KQs,54s").weights
    below = Continuations(read_strategy("blueprint-nl", GAME), GAME, run_outs=20)
    subject = errai.lookahead(GAME, at, (few, few), menu=BetMenu.parse(4, "a"))
    budget = Budget(1.0, target="1e-9%pot")
    with Stopwatch() as took, budget.decision(at), pytest.raises(StoppedError, match="no strategy yet"):
        budget.solve(subject, None, Slow(below, 0))
    assert took.seconds <= 1.1 * 1.0 + 0.1
    with budget.decision(at):
        found = budget.solve(subject, None, below.leaf_values(subject, 0))
    assert found.iterations >= FEWEST_ITERATIONS


class Waiting(NetLeafValues):
    """A network that takes a fiftieth of a second for every half of an iteration, and nothing for a certificate."""

    def learn(self, trunk: PublicTree, half: HalfIteration) -> LeafArrays:
        time.sleep(0.02)
        return super().learn(trunk, half)


def test_what_ends_sooner_is_stopped_later() -> None:
    at = state(8_000, 3)
    few = Range.parse("AA,KQs,54s").weights
    subject = errai.lookahead(GAME, at, (few, few), menu=BetMenu.parse(4, "a"))
    net = find_predictor("zero", GAME, 2)
    left = []
    for end in (20.0, 2.0):
        below = CostBelow(lambda *_: (0.0, 0.0), end_iterations=end, target="1e-9%pot")
        budget = Budget(4.0, iterations=10**9, below=below)
        began = time.perf_counter()
        with Stopwatch() as took:
            found = budget.solve(subject, None, Waiting(net))
        elapsed = time.perf_counter() - began
        assert took.seconds <= 1.1 * 4.0
        assert found.status == Status.INTERRUPTED
        left.append((4.0 - elapsed) * found.iterations / elapsed)  # iterations for which there was time left
    assert left[0] > 10.0 > left[1]
    # The target of what is below is that of the lookahead.
    coarse = CostBelow(lambda *_: (0.0, 0.0), target="10%pot")
    assert Budget(2.0, below=coarse).solve(subject, None, NetLeafValues(net)).status == Status.TARGET_MET
