"""Subgames computed from strategies: against a plain walk over real hands, and by several ways against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from small_subjects import SHORT_TURN, subject

import errai
from errai.cards.hands import fitting_weights
from errai.errors import InputError, StrategyError
from errai.games.hand import CALL, PublicState, raise_to
from errai.games.spot import parse_spot
from errai.resolving.subgame import Subgame
from errai.resolving.values import Known, ranges_at, strategy_of, subgame_at, subgame_of
from errai.solutions.solution import Solution
from errai.strategies.strategy import Choices, Strategy


@pytest.fixture(scope="module")
def leduc() -> Solution:
    return errai.solve(errai.load_game("leduc"), max_iterations=12, precision="float64")


def second_round(game: errai.Game) -> PublicState:
    """Check, bet, call, a queen: player 1 bet and player 0 might have folded or raised."""
    return PublicState.start(game).after(CALL).after(raise_to(3)).after(CALL).with_cards((2,))


class Apart:
    """The same strategy, of which nothing is known: no suits merged, no tree of its own."""

    def __init__(self, asked: Strategy) -> None:
        self.asked = asked

    def strategy(self, state: PublicState) -> Choices:
        return self.asked.strategy(state)


def walk(
    strategy: Strategy, state: PublicState, responder: int, hand: int, reach: dict[int, float], best: bool
) -> float:
    """A one-card hand's value for a responder, summed over the other player's cards, one card at a time."""
    if state.betting.is_over and not state.cards_due:
        total = 0.0
        for card, weight in reach.items():
            hole = ((hand,), (card,)) if responder == 0 else ((card,), (hand,))
            total += weight * state.net_chips(hole)[responder]
        return total
    if state.cards_due:
        total = 0.0
        for card in set(range(6)) - {hand, *state.board}:
            below = {c: w for c, w in reach.items() if c != card}
            total += walk(strategy, state.with_cards((card,)), responder, hand, below, best) / 4.0
        return total
    choices = strategy.strategy(state)
    if state.actor == responder:
        worth = [walk(strategy, state.after(a), responder, hand, reach, best) for a in choices.actions]
        return max(worth) if best else float(choices.probabilities[hand] @ worth)
    return sum(
        walk(
            strategy,
            state.after(action),
            responder,
            hand,
            {c: w * float(choices.probabilities[c, i]) for c, w in reach.items()},
            best,
        )
        for i, action in enumerate(choices.actions)
    )


def plainly(strategy: Strategy, state: PublicState, player: int, best: bool) -> NDArray[np.float64]:
    """float64[6]: the opponent's values at a state of Leduc, 0 for the card on the board."""
    own = ranges_at(strategy, state)[player]
    values = np.zeros(6)
    for hand in set(range(6)) - set(state.board):
        reach = {c: float(own[c]) for c in range(6) if c != hand and own[c] > 0.0}
        values[hand] = walk(strategy, state, 1 - player, hand, reach, best)
    return values


@pytest.mark.parametrize("player", [0, 1])
def test_values_are_those_of_a_plain_walk(leduc: Solution, player: int) -> None:
    state, strategy = second_round(errai.load_game("leduc")), strategy_of(leduc)
    found = subgame_at(leduc, state, player)
    np.testing.assert_allclose(found.values, plainly(strategy, state, player, True), atol=1e-12)
    assert found.estimated is not None
    np.testing.assert_allclose(found.estimated, plainly(strategy, state, player, False), atol=1e-12)
    assert (found.values - found.estimated).max() > 0.01  # twelve iterations leave something to a best response


@pytest.mark.parametrize("player", [0, 1])
def test_gifts_are_what_an_earlier_action_gave_away(leduc: Solution, player: int) -> None:
    """Chips per hand given up at each of the opponent's decisions, times the player's weight without common cards
    there.
    """
    game, strategy = errai.load_game("leduc"), strategy_of(leduc)
    state = second_round(game)
    per_hand, before = np.zeros(6), PublicState.start(game)
    for action in state.line:
        after = before.after(action)
        if before.actor != player:
            own = ranges_at(strategy, before)[player]
            met = own.sum() - own
            values = plainly(strategy, before, player, True)
            below = [
                walk(strategy, after, 1 - player, h, {c: float(own[c]) for c in range(6) if c != h}, True)
                for h in range(6)
            ]
            per_hand += (values - below) / met
        before = after.dealt(state.board)
    found = subgame_at(leduc, state, player, gifts=True)
    own = found.ranges[player]
    expected = per_hand * (own.sum() - own)
    expected[2] = 0.0
    assert found.gifts is not None
    np.testing.assert_allclose(found.gifts, expected, atol=1e-12)
    assert player == 0 or found.gifts.max() > 0.1


def kinds(solution: Solution) -> dict[str, Known]:
    return {"asked": strategy_of(solution), "suits apart": Apart(strategy_of(solution))}


@pytest.mark.parametrize("name", ["leduc", "rhode-island-short", "turn"])
def test_a_solution_and_whoever_plays_it_make_the_same_subgames(name: str) -> None:
    game = parse_spot(SHORT_TURN) if name == "turn" else replace(subject(name), num_ranks=3)
    solution = errai.solve(game, max_iterations=10, precision="float64")
    start = PublicState.start(game)
    raised = start.legal_actions[-1]
    state = start.after(CALL).after(CALL) if name == "turn" else start.after(CALL).after(raised).after(CALL)
    state = state.with_cards(tuple(c for c in range(40) if c not in state.board)[: state.cards_due])
    for player in (0, 1):
        first = subgame_at(solution, state, player, gifts=True)
        for known in kinds(solution).values():
            same(first, subgame_at(known, state, player, gifts=True))


@pytest.mark.parametrize("board", [(0, 1), (0, 4), (5, 6)])
def test_cards_of_two_streets_are_not_taken_for_one_another(board: tuple[int, int]) -> None:
    """The suits of a board may be exchanged as a whole and lead to the same cards, dealt in another order."""
    game = replace(subject("rhode-island-short"), num_ranks=3)
    solution = errai.solve(game, max_iterations=6, precision="float64")
    state = PublicState.start(game).after(CALL).after(CALL).with_cards(board[:1])
    state = state.after(CALL).after(state.legal_actions[-1]).after(CALL).with_cards(board[1:])
    for player in (0, 1):
        first = subgame_at(solution, state, player, gifts=True)
        for known in kinds(solution).values():
            same(first, subgame_at(known, state, player, gifts=True))


def same(first: Subgame, second: Subgame) -> None:
    for name in ("values", "estimated", "gifts"):
        one, other = getattr(first, name), getattr(second, name)
        np.testing.assert_allclose(one, other, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(first.ranges, second.ranges, atol=1e-12)


def test_a_hand_that_no_hand_fits_is_given_nothing() -> None:
    """Sums that cancel leave some rounding, of either sign."""
    solution = errai.solve(subject("two-cards-short"), max_iterations=2)
    hands, signs = solution.tree.root.hands, set()
    for seed in range(20):
        weights = np.where((hands == 0).any(axis=1), np.random.default_rng(seed).uniform(size=len(hands)), 0.0)
        node = replace(solution.root, ranges=np.stack([weights, np.ones(len(hands))]))
        signs |= set(np.sign(fitting_weights(hands, weights)[weights > 0.0]).tolist())
        found = subgame_of(node, PublicState.start(solution.subject), 0, np.ones(len(hands)))
        assert found.gifts is not None
        assert (found.gifts[weights > 0.0] == 0.0).all()
        assert (found.gifts[weights == 0.0] > 0.0).all()
    assert -1.0 in signs


def test_after_a_bet_that_nobody_knows_he_is_held_to_what_he_had_before() -> None:
    game = errai.load_game("leduc.nolimit")
    solution = errai.solve(game, max_iterations=10)
    before = PublicState.start(game)
    after = before.after(raise_to(437))
    found, held = subgame_at(solution, after, 1), subgame_at(solution, before, 1)
    assert found.state == after
    np.testing.assert_array_equal(found.values, held.values)
    np.testing.assert_array_equal(found.ranges[1], held.ranges[1])
    assert (found.ranges[0] <= held.ranges[0]).all()
    assert found.estimated is None


def test_what_is_wrong_is_said(leduc: Solution) -> None:
    game = errai.load_game("leduc")
    over = PublicState.start(game).after(CALL).after(CALL)
    with pytest.raises(InputError, match="No player acts"):
        subgame_at(leduc, over, 0)
    with pytest.raises(StrategyError, match="no strategy"):
        subgame_at(7, PublicState.start(game), 0)  # type: ignore[arg-type]
    other = PublicState.start(replace(game, max_raises=(1, 1)))
    with pytest.raises(StrategyError, match="other rules"):
        subgame_at(strategy_of(leduc), other, 0)
