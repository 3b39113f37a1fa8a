"""Subgames re-solved inside a strategy: no safe method loses, whatever the opponent does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from small_subjects import subject

import errai
from errai.errors import SolverOptionError, StrategyError, SubgameError
from errai.games.hand import CALL, Action, PublicState
from errai.games.sizing import BetMenu
from errai.resolving.spliced import Spliced
from errai.resolving.values import Gifts, LaidOut, lay_out, menu_of_known, node_at, ranges_at, strategy_of, subgame_of
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution
from errai.strategies.strategy import Strategy, live_hands

SAFE = ("resolve", "maxmargin", "reach", "reach-resolve")
COARSE = [
    ("leduc", 3, "resolve"), ("leduc", 3, "reach"), ("leduc", 40, "maxmargin"), ("leduc", 40, "reach-resolve"),
    ("leduc.nolimit", 4, "maxmargin"), ("leduc.nolimit", 4, "reach-resolve"),
    ("leduc.nolimit", 40, "resolve"), ("leduc.nolimit", 40, "reach"),
    *(("rhode-island-short", 5, method) for method in SAFE),
]  # fmt: skip
"""Games, iterations of the first solution, and methods: every method in every game, and over coarse and fine ones."""


def laid_out(strategy: Strategy, solution: Solution) -> LaidOut:
    start = PublicState.start(solution.subject)
    return lay_out(strategy, start, ranges_at(strategy_of(solution), start), menu_of_known(solution))


@pytest.mark.parametrize(("name", "iterations", "method"), COARSE)
def test_no_safe_method_is_above_the_strategy_that_it_solves_again(name: str, iterations: int, method: str) -> None:
    game = replace(subject(name), num_ranks=3)
    coarse = errai.solve(game, max_iterations=iterations, precision="float64")
    spliced = Spliced(coarse, coarse.subject, 1, method, target="0.02%pot", max_iterations=20_000)
    old, new = laid_out(strategy_of(coarse), coarse), laid_out(spliced, coarse)
    assert spliced.solves >= 18
    for p in (0, 1):
        assert new.best_chips(p) <= old.best_chips(p) + spliced.tolerance_chips
    assert new.exploitability().chips < old.exploitability().chips


@pytest.mark.parametrize("method", ["resolve", "reach"])
def test_nor_where_the_opponent_has_bets_that_the_strategy_lacks(method: str) -> None:
    """The values, and the gifts, are then those in the finer tree, where the strategy translates."""
    coarse = errai.solve(errai.load_game("leduc.nolimit"), max_iterations=60, precision="float64")
    finer, start = BetMenu.parse(2, "50%, 100%, a"), PublicState.start(coarse.subject)
    spliced = Spliced(coarse, coarse.subject, 1, method, menu=finer, target="0.05%pot", max_iterations=5_000)
    ranges = ranges_at(strategy_of(coarse), start)
    old, new = (lay_out(strategy, start, ranges, finer) for strategy in (strategy_of(coarse), spliced))
    assert old.exploitability().chips > 5.0 * coarse.exploitability.chips  # translation is costly here
    for p in (0, 1):
        assert new.best_chips(p) <= old.best_chips(p) + spliced.tolerance_chips
    assert new.exploitability().chips < 0.9 * old.exploitability().chips


def test_the_unsafe_method_may_lose() -> None:
    coarse = errai.solve(errai.load_game("leduc"), max_iterations=40, precision="float64")
    spliced = Spliced(coarse, coarse.subject, 1, "unsafe", target="0.02%pot")
    assert errai.exploitability(coarse.subject, spliced).chips > 1.5 * coarse.exploitability.chips


def test_what_is_measured_is_the_same_however_it_is_asked() -> None:
    coarse = errai.solve(errai.load_game("leduc"), max_iterations=10, precision="float64")
    spliced = Spliced(coarse, coarse.subject, 1, "resolve", target="0.02%pot")
    measured = errai.exploitability(coarse.subject, spliced)
    assert measured.chips == pytest.approx(laid_out(spliced, coarse).exploitability().chips, abs=1e-9)
    assert errai.best_response(coarse.subject, spliced).exploitability.chips == pytest.approx(measured.chips, abs=1e-9)
    state = PublicState.start(coarse.subject).after(CALL).after(CALL).with_cards((4,))
    rows = spliced.strategy(state).probabilities
    np.testing.assert_allclose(rows.sum(axis=1), live_hands(state), atol=1e-9)
    assert spliced.strategy(PublicState.start(coarse.subject)).probabilities == pytest.approx(
        strategy_of(coarse).strategy(PublicState.start(coarse.subject)).probabilities
    )


Granted = dict[tuple[tuple[Action, ...], tuple[int, ...]], NDArray[np.float64]]


def worth_above(node: SolutionNode, state: PublicState, opponent: int, granted: Granted) -> NDArray[np.float64]:
    """float64[H]: the opponent's best values above subgames whose values are exactly what the gadget grants."""
    if state.betting.is_over and not state.betting.showdown:
        return np.nan_to_num(node.counterfactual(opponent))
    if state.cards_due:
        deck = node.solution.deck
        found, unseen = np.zeros(deck.num_cards), deck.num_cards - 2
        for card in range(deck.num_cards):
            below = state.with_cards((card,))
            worth = granted[state.line, below.board]
            found += np.where(live_hands(below), worth, 0.0) / unseen
        return found
    actions = strategy_of(node.solution).strategy(state).actions
    after = [worth_above(node.after(a), state.after(a), opponent, granted) for a in actions]
    return np.max(after, axis=0) if state.actor == opponent else np.sum(after, axis=0)


def begun(state: PublicState, strategy: Strategy) -> list[PublicState]:
    if state.betting.is_over and not state.betting.showdown:
        return []
    if state.cards_due:
        return [state.with_cards((card,)) for card in range(6)]
    return [below for a in strategy.strategy(state).actions for below in begun(state.after(a), strategy)]


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["leduc", "leduc.nolimit"])
def test_every_public_subgame_may_be_given_the_whole_gift(name: str, player: int) -> None:
    """If every subgame gives its value and the whole gift, no hand's value at the root exceeds the old one."""
    coarse = errai.solve(errai.load_game(name), max_iterations=6, precision="float64")
    start, strategy = PublicState.start(coarse.subject), strategy_of(coarse)
    gifts, granted, careless = Gifts(coarse.root, player), {}, {}
    for state in begun(start, strategy):
        node = node_at(coarse.root, state)
        assert node is not None
        subgame = subgame_of(node, state, player, gifts.at(state))
        key = state.line, state.board
        granted[key] = np.nan_to_num(subgame.values) + subgame.gifts
        # As if the player came to every subgame with all of his hands.
        careless[key] = np.nan_to_num(subgame.values) + gifts.at(state) * (live_hands(state).sum() - 1)
    before = coarse.root.counterfactual(1 - player, best=True)
    assert (worth_above(coarse.root, start, 1 - player, granted) <= before + 1e-9).all()
    assert (worth_above(coarse.root, start, 1 - player, careless) > before + 1e-3).any()


@pytest.mark.parametrize("player", [0, 1])
def test_a_finer_subgame_may_be_given_what_is_left_of_the_gift(player: int) -> None:
    """One node is finer and re-solved with Reach: at the root no hand gets more than against the old strategy."""
    coarse = errai.solve(errai.load_game("leduc.nolimit"), max_iterations=6, precision="float64")
    start, strategy, opponent = PublicState.start(coarse.subject), strategy_of(coarse), 1 - player
    states = begun(start, strategy)
    values: Granted = {}
    for state in states:
        node = node_at(coarse.root, state)
        assert node is not None
        values[state.line, state.board] = np.nan_to_num(node.counterfactual(opponent, best=True))
    given = 0
    for state in [state for state in states if state.actor >= 0][::4]:
        found = errai.resolve(
            coarse, state, gadget="reach", menu="50%, 200%", player=player, target="0.003%pot", threads=1
        )
        gifts, key = found.subgames[player].gifts, (state.line, state.board)
        assert gifts is not None
        given += bool(gifts.max() > 1.0)
        old, new = (
            worth_above(coarse.root, start, opponent, {**values, key: np.nan_to_num(worth)})
            for worth in (laid.root.counterfactual(opponent, best=True) for laid in (found.old, found.new))
        )
        assert (new <= old + 0.01).all()
    assert given >= 2


def test_what_is_wrong_is_said() -> None:
    coarse = errai.solve(errai.load_game("leduc"), max_iterations=3)
    with pytest.raises(SolverOptionError, match="from 1 to 1"):
        Spliced(coarse, coarse.subject, 2, "resolve")
    with pytest.raises(SubgameError, match="choose"):
        Spliced(coarse, coarse.subject, 1, "prayer")
    with pytest.raises(StrategyError, match="other rules"):
        errai.exploitability(errai.load_game("kuhn"), Spliced(coarse, coarse.subject, 1, "resolve"))
