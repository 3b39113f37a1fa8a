"""Continual re-solving: it is as good as one solve of the whole game, by the three rules, on every line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import errai
from errai.engine.leaf_values import LeafValues
from errai.engine.root import Gadget
from errai.errors import SolverOptionError, StoppedError
from errai.games.hand import CALL, FOLD, PublicState, raise_to
from errai.games.lookahead import Lookahead
from errai.games.sizing import BetMenu
from errai.resolving.continuations import ContinuationLeafValues, Continuations
from errai.resolving.gadgets import find_method
from errai.resolving.player import Again, ResolvingPlayer, Settings, Start, street_by_street
from errai.running.stopping import StopToken
from errai.solutions.solution import Solution
from errai.strategies.of_tree import TreeStrategy
from errai.strategies.solution import SolutionStrategy


def solves(iterations: int):  # type: ignore[no-untyped-def]
    def solve(subject: Lookahead, gadget: Gadget | None, leaf_values: LeafValues | None) -> Solution:
        return errai.solve(
            subject,
            max_iterations=iterations,
            gadget=gadget,
            leaf_values=leaf_values,
            algorithm="pcfr+",
            precision="float64",
            threads=1,
        )

    return solve


def player(name: str, iterations: int, again: Again = "decision", start: Start | None = None) -> ResolvingPlayer:
    game = errai.load_game(name)
    menu = None if game.limit else BetMenu.parse(game.num_rounds, "100%, a")
    settings = Settings(find_method("resolve"), lambda state: menu, solves(iterations), again)
    return ResolvingPlayer(game, settings, None if start is None else lambda state: start)


@pytest.mark.parametrize("again", ["decision", "street", "off-tree"])
@pytest.mark.parametrize(("name", "iterations", "chips"), [("kuhn", 300, 2e-5), ("leduc", 150, 0.02)])
def test_it_is_about_as_good_as_one_solve_of_the_game(name: str, iterations: int, chips: float, again: Again) -> None:
    one = errai.solve(
        errai.load_game(name), max_iterations=iterations, algorithm="pcfr+", precision="float64", threads=1
    )
    found = player(name, iterations, again)
    measured = errai.exploitability(errai.load_game(name), found).chips
    assert one.exploitability.chips < chips
    assert measured < max(2.0 * one.exploitability.chips, chips)
    assert found.states == (4 if name == "kuhn" else 186)
    if again == "off-tree":  # nothing is solved but the root, once for each seat, and what comes next is looked up
        assert measured == pytest.approx(one.exploitability.chips, rel=1e-6)


def test_more_iterations_make_it_better() -> None:
    game = errai.load_game("kuhn")
    measured = [errai.exploitability(game, player("kuhn", n)).chips for n in (8, 32, 128)]
    assert measured[2] < 0.5 * measured[1] < 0.25 * measured[0]


def test_the_three_rules() -> None:
    found = player("leduc", 400)
    game = errai.load_game("leduc")
    start = PublicState.start(game)
    raised = start.after(raise_to(3))
    node = found.node(start)
    assert node is not None
    bets = node["bet 2"]

    # Own action: Bayes' rule for the range, and what a best response then gets for the values.
    own = found.situation(raised, 0)
    taken = np.nan_to_num(node.strategies[:, node.actions.index("bet 2")])
    assert own.ranges[0] == pytest.approx(taken / taken.max())
    values = bets.counterfactual(1, best=True) / taken.max()
    assert own.values == pytest.approx(values)

    # An action of the opponent leaves his values; his expected range follows.
    called = found.situation(raised.after(CALL).with_cards((0,)), 0)
    assert called.ranges[0][0] == 0.0
    assert np.argmax(called.ranges[0]) == np.argmax(np.where(np.arange(6) == 0, 0.0, own.ranges[0]))

    # Cards: hands that hold one leave, and the values are those on this board.
    dealt = bets["call"][game.deck.card_text(0)].counterfactual(1, best=True)
    scale = np.where(np.arange(6) == 0, 0.0, taken).max()
    assert called.values is not None
    assert called.values[1:] == pytest.approx(dealt[1:] / scale)


def test_what_it_does_does_not_depend_on_what_it_was_asked_before() -> None:
    game = errai.load_game("leduc")
    state = PublicState.start(game).after(CALL).after(raise_to(3)).after(CALL).with_cards((3,)).after(raise_to(7))
    fresh, used = player("leduc", 50), player("leduc", 50)
    used.strategy(PublicState.start(game).after(raise_to(3)))
    used.strategy(PublicState.start(game).after(CALL))
    for one, other in zip(fresh.strategy(state).probabilities, used.strategy(state).probabilities, strict=True):
        assert np.array_equal(one, other)


def test_any_bet_is_answered_and_costs_little() -> None:
    """A bet that no tree of the player's has is met from the values before it, with a lookahead that begins there."""
    game = errai.load_game("leduc.nolimit")
    found = player("leduc.nolimit", 300, "off-tree")
    strange = PublicState.start(game).after(raise_to(237))
    before = found.solves
    choices = found.strategy(strange)
    assert found.solves > before
    assert choices.probabilities.sum(axis=1) == pytest.approx(1.0)
    legal = strange.betting.legal().raise_range
    assert legal is not None
    assert all(legal[0] <= a.total <= legal[1] for a in choices.actions if a.total)
    # A king (cards 4 and 5) is worth a call against any bet of the first round.
    assert choices.probabilities[4:, choices.actions.index(FOLD)].max() < 0.05
    # The answer to a minimum raise of this bet, and on the next street after strange chips, too.
    again = strange.after(raise_to(374)).after(CALL).with_cards((1,))
    assert found.strategy(again).probabilities.sum(axis=1) == pytest.approx(np.where(np.arange(6) == 1, 0.0, 1.0))


def test_a_line_that_it_never_plays_is_answered_all_the_same() -> None:
    game = errai.load_game("leduc")
    found = player("leduc", 200)
    start = PublicState.start(game)
    # Raising back in the first round with the worst hand is all but impossible; a range of nothing must not stop it.
    odd = Start(start, (np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), np.ones(6)))
    alone = player("leduc", 200, start=odd)
    state = start.after(raise_to(3)).after(raise_to(5)).after(CALL).with_cards((0,)).after(CALL).after(raise_to(9))
    for asked in (found, alone):
        choices = asked.strategy(state)
        live = np.arange(6) != 0
        assert choices.probabilities.sum(axis=1) == pytest.approx(live.astype(float))


def test_values_that_are_given_take_the_place_of_the_first_solve() -> None:
    game = errai.load_game("leduc")
    state = PublicState.start(game).after(CALL)
    whole = errai.solve(game, max_iterations=2_000, algorithm="pcfr+", precision="float64", threads=1)
    node = whole.root["check"]
    ranges = (np.nan_to_num(node.ranges[0]), np.nan_to_num(node.ranges[1]))
    held = node.counterfactual(0, best=True)
    start = Start(state, ranges, (held, node.counterfactual(1, best=True)))
    found = player("leduc", 500, start=start)
    situation = found.situation(state, 1)
    assert situation.values is not None
    assert np.nan_to_num(situation.values) == pytest.approx(np.nan_to_num(held))
    node = found.node(state)
    assert node is not None
    assert isinstance(node.solution, Solution)
    worth = node.solution.root_values.counterfactual[0]
    assert np.nanmax(worth - held) < 2e-3 * np.nansum(ranges[1])


def test_a_lookahead_that_is_cut_needs_something_below() -> None:
    settings = player("leduc", 1).settings
    with pytest.raises(SolverOptionError, match="below"):
        ResolvingPlayer(errai.load_game("leduc"), replace(settings, depth=street_by_street))


def test_what_it_did_for_want_of_time_is_what_it_says_afterwards() -> None:
    """An answer stays, though time would be there later, and the own range follows what was really played."""
    game = errai.load_game("leduc")
    hurried = [True]
    plain = solves(100)

    def solve(subject: Lookahead, gadget: Gadget | None, leaf_values: LeafValues | None) -> Solution:
        if hurried[0]:
            raise StoppedError("There is no time.")
        return plain(subject, gadget, leaf_values)

    table = TreeStrategy(SolutionStrategy(errai.solve(game, max_iterations=5, algorithm="cfr")), game)
    settings = Settings(find_method("resolve"), lambda state: None, solve, otherwise=table)
    found = ResolvingPlayer(game, settings)
    raised = PublicState.start(game).after(raise_to(3))
    first = found.strategy(raised)
    assert np.array_equal(first.probabilities, table.strategy(raised).probabilities)
    hurried[0] = False
    assert found.strategy(raised) is first
    assert found.out_of_time == 1
    called = found.situation(raised.after(CALL), 1)
    taken = first.probabilities[:, first.actions.index(CALL)]
    assert called.ranges[1] == pytest.approx(taken / taken.max())
    # The next decision is solved, from the ranges as they are.
    later = raised.after(CALL).with_cards((0,)).after(CALL)
    assert found.node(later) is not None
    assert found.strategy(later).probabilities.sum(axis=1) == pytest.approx(np.where(np.arange(6) == 0, 0.0, 1.0))
    hurried[0] = True
    alone = ResolvingPlayer(game, replace(settings, otherwise=None))
    with pytest.raises(StoppedError):
        alone.strategy(raised)


@pytest.mark.parametrize("again", ["decision", "street"])
@pytest.mark.parametrize("seat", [0, 1])
def test_below_a_cut_the_opponent_chooses_whoever_acts_first(seat: int, again: Again) -> None:
    """Also if the opponent's first action is solved for the opponent's values: the opponent acts at that root and
    chooses.
    """
    game = errai.load_game("leduc.nolimit")
    blueprint = SolutionStrategy(errai.solve(game, max_iterations=4, precision="float64"))
    plain, choosers, depths = solves(30), [], []

    def solve(subject: Lookahead, gadget: Gadget | None, leaf_values: LeafValues | None) -> Solution:
        found = plain(subject, gadget, leaf_values)
        depths.append(subject.depth)
        if isinstance(leaf_values, ContinuationLeafValues):
            choosers.append(leaf_values.choosers)
        return found

    menu = BetMenu.parse(game.num_rounds, "100%, a")
    settings = Settings(
        find_method("resolve"),
        lambda state: menu,
        solve,
        again,
        depth=street_by_street,
        below=Continuations(blueprint, game),
    )
    found = ResolvingPlayer(game, settings)
    start = PublicState.start(game)
    # A bet of no menu is answered from a tree that begins with it; the first round is cut, the last one is not.
    for state in (start, start.after(CALL).after(raise_to(237))) if seat == 0 else (start.after(raise_to(237)),):
        found.strategy(state)
    assert len(choosers) == len(depths) >= 1
    assert set(choosers) == {(1 - seat,)}
    called = found.strategy(start.after(raise_to(300)).after(CALL).with_cards((3,)).after(CALL))
    assert depths[-1] is None
    assert called.probabilities.sum(axis=1) == pytest.approx(np.where(np.arange(6) == 3, 0.0, 1.0))


def test_without_time_for_values_below_a_cut_the_ranges_alone_count_and_stay() -> None:
    game = errai.load_game("leduc.nolimit")
    coarse = errai.solve(game, max_iterations=4, precision="float64")
    stop = StopToken()
    below = Continuations(SolutionStrategy(coarse), game)
    menu = BetMenu.parse(game.num_rounds, "100%, a")
    settings = Settings(
        find_method("resolve"),
        lambda state: menu,
        solves(30),
        depth=street_by_street,
        below=below,
        otherwise=TreeStrategy(SolutionStrategy(coarse), game),
    )
    found, alone = ResolvingPlayer(game, settings), ResolvingPlayer(game, replace(settings, otherwise=None))
    start = PublicState.start(game)
    later = start.after(CALL).after(CALL).with_cards((3,))
    for asked in (found, alone):
        asked.strategy(start)
    below.stop = stop
    stop.set()
    with pytest.raises(StoppedError):
        alone.situation(later, 0)
    unknown = found.situation(later, 0)
    assert unknown.values is None
    assert unknown.ranges[0].max() == 1.0
    stopped = found.strategy(later)
    assert stopped.probabilities.sum(axis=1) == pytest.approx(np.where(np.arange(6) == 3, 0.0, 1.0))
    below.stop = None
    # What was once unknown stays so: what was played rests on it.
    assert found.situation(later, 0).values is None
    assert alone.situation(later, 0).values is not None
    assert found.out_of_time == 0
