"""Miximax and miximix against recursions written here, and against exact best responses."""

from __future__ import annotations

from itertools import combinations
from math import exp
from typing import NamedTuple

import numpy as np
import pytest
from small_subjects import subject

from errai.agents.literature.adaptive.chances import (
    CELLS,
    KNOTS,
    bucket_chances,
    check_game,
    hand_ranks,
    knot_weights,
    next_boards,
    two_cards_ahead,
    win_probability,
)
from errai.agents.literature.adaptive.search import Evaluator, miximax, miximix
from errai.cards.hands import hand_cards, hand_index
from errai.errors import UnsupportedGameError
from errai.games.catalogue import load_game
from errai.games.game import Game
from errai.games.hand import showdown
from errai.responses.response import best_response
from errai.strategies.blind import BlindStrategy
from errai.strategies.given import read_strategy
from errai.strategies.strategy import Decision
from errai.tree.betting_tree import BettingTree, NodeKind, build_betting_tree

BLIND = ["always-call", "always-raise", "always-fold", "uniform", "call=0.5,raise=0.5", "fold=0.2,call=0.5,raise=0.3"]


class Beliefs(NamedTuple):
    shares: np.ndarray
    wins: np.ndarray


def _shares(tree: BettingTree, strategy: BlindStrategy) -> np.ndarray:
    """What a blind strategy does, at every node."""
    shares = np.zeros(tree.num_nodes)
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        shares[list(tree.children(node))] = strategy.mix(Decision.at(tree, node))
    return shares


def _uniform_wins(tree: BettingTree) -> np.ndarray:
    """Against a uniform range the probability to win is the hand rank."""
    return np.broadcast_to(np.linspace(0.0, 1.0, KNOTS), (int((tree.kind == NodeKind.SHOWDOWN).sum()), KNOTS))


def _rank(game: Game, hole: tuple[int, ...], board: tuple[int, ...]) -> float:
    left = [card for card in range(game.deck.num_cards) if card not in (*hole, *board)]
    points = [
        (own > other) + 0.5 * (own == other)
        for other_hole in combinations(left, len(hole))
        for own, other in [showdown(game, board, (hole, other_hole))]
    ]
    return float(np.mean(points))


def _value(
    game: Game, tree: BettingTree, beliefs: Beliefs, seat: int, node: int, hole: tuple[int, ...],
    board: tuple[int, ...], temperature: float,
) -> float:  # fmt: skip
    """A node's value by recursion; temperature 0 is miximax."""
    kind, chips = tree.kind[node], tree.contributions[node]
    if kind == NodeKind.FOLD:
        return -chips[seat] if tree.actor[node] == seat else chips[1 - seat]
    if kind == NodeKind.SHOWDOWN:
        number = int((tree.kind[:node] == NodeKind.SHOWDOWN).sum())
        won = np.interp(_rank(game, hole, board), np.linspace(0.0, 1.0, KNOTS), beliefs.wins[number])
        return float(chips[seat] * (2.0 * won - 1.0))
    below = tree.children(node)
    if kind == NodeKind.CHANCE:
        left = [card for card in range(game.deck.num_cards) if card not in (*hole, *board)]
        dealt = game.board_cards_in(int(tree.street[below[0]])) - len(board)
        boards = [(*board, *new) for new in combinations(left, dealt)]
        return float(np.mean([_value(game, tree, beliefs, seat, below[0], hole, b, temperature) for b in boards]))
    values = [_value(game, tree, beliefs, seat, child, hole, board, temperature) for child in below]
    if tree.actor[node] != seat:
        return float(sum(beliefs.shares[child] * value for child, value in zip(below, values, strict=True)))
    if temperature == 0.0:
        return max(values)
    weights = [exp((value - max(values)) / temperature) for value in values]
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_leduc_is_valued_as_a_recursion_over_all_cards_values_it(temperature: float) -> None:
    game = load_game("leduc")
    tree = build_betting_tree(game)
    rng = np.random.default_rng(5)
    shares = np.zeros(tree.num_nodes)
    for node in np.flatnonzero(tree.kind == NodeKind.DECISION).tolist():
        below = list(tree.children(node))
        shares[below] = rng.dirichlet(np.ones(len(below)))
    ends = int((tree.kind == NodeKind.SHOWDOWN).sum())
    beliefs = Beliefs(shares, win_probability(rng.dirichlet(np.ones(CELLS), size=ends)))
    for seat in (0, 1):
        evaluator = Evaluator(game, tree, seat, miximix(temperature) if temperature else miximax)
        evaluator.believe(*beliefs)
        decisions = np.flatnonzero((tree.kind == NodeKind.DECISION) & (tree.actor == seat))
        for node in decisions[:: 9 if temperature else 5].tolist():
            card = int(rng.integers(6))
            board = () if tree.street[node] == 0 else ((card + 1 + int(rng.integers(5))) % 6,)
            wanted = [
                _value(game, tree, beliefs, seat, child, (card,), board, temperature) for child in tree.children(node)
            ]
            np.testing.assert_allclose(evaluator.values(node, (card,), board), wanted, atol=1e-12)


@pytest.mark.parametrize("name", ["leduc", "kuhn", "two-cards-short"])
@pytest.mark.parametrize("text", BLIND)
def test_with_the_true_model_of_a_blind_opponent_search_is_the_best_response(name: str, text: str) -> None:
    game = subject(name)
    assert isinstance(game, Game)
    tree = build_betting_tree(game)
    strategy = read_strategy(text, game)
    assert isinstance(strategy, BlindStrategy)
    shares = _shares(tree, strategy)
    root = tree.after_chance(0)
    hands = [tuple(hand) for hand in hand_cards(game.deck.num_cards, game.num_hole_cards).tolist()]
    found = []
    for seat in (0, 1):
        evaluator = Evaluator(game, tree, seat, miximax)
        evaluator.believe(shares, _uniform_wins(tree))
        mine = tree.actor[root] == seat
        total = 0.0
        for hole in hands:
            for node in [root] if mine else tree.children(root):
                weight = 1.0 if mine else shares[node]
                if weight == 0.0:
                    continue
                if tree.kind[node] == NodeKind.FOLD:
                    total += weight * tree.contributions[node, 1 - seat]
                elif tree.kind[node] == NodeKind.DECISION:
                    total += weight * evaluator.values(node, hole, ()).max()
                else:
                    pytest.fail("No action of the first player closes a round in these games.")
        found.append(total / len(hands))
    best = best_response(game, strategy).by_seat_chips
    assert best is not None
    np.testing.assert_allclose(found, best, atol=1e-9)


def test_a_river_of_holdem_is_worth_what_the_recursion_says() -> None:
    game = load_game("holdem.limit.2p")
    tree = build_betting_tree(game)
    strategy = read_strategy("fold=0.3,call=0.4,raise=0.3", game)
    assert isinstance(strategy, BlindStrategy)
    beliefs = Beliefs(_shares(tree, strategy), _uniform_wins(tree))
    node = tree.after_chance(tree.find("call check / check bet call / bet call"))
    seat = int(tree.actor[node])
    evaluator = Evaluator(game, tree, seat, miximax)
    evaluator.believe(*beliefs)
    hole, board = game.deck.parse_cards("AhKd"), game.deck.parse_cards("As7c2d9h3s")
    wanted = [_value(game, tree, beliefs, seat, child, tuple(hole), tuple(board), 0.0) for child in tree.children(node)]
    np.testing.assert_allclose(evaluator.values(node, tuple(hole), tuple(board)), wanted, atol=1e-9)


def test_hand_ranks_are_the_shares_of_hands_beaten() -> None:
    game = load_game("holdem.limit.2p")
    rng = np.random.default_rng(1)
    drawn = rng.permutation(52)[:12].tolist()
    hole, boards = tuple(drawn[:2]), np.array([drawn[2:7], drawn[7:12]])
    np.testing.assert_allclose(hand_ranks(game, hole, boards), [_rank(game, hole, tuple(b)) for b in boards.tolist()])


def test_weights_of_knots_give_back_the_rank() -> None:
    ranks = np.array([0.0, 0.024, 0.05, 0.51, 0.975, 1.0])
    np.testing.assert_allclose(np.linspace(0.0, 1.0, KNOTS) @ knot_weights(ranks), ranks, atol=1e-12)


def test_two_cards_ahead_with_all_last_cards_are_all_there_are() -> None:
    game = load_game("holdem.limit.2p")
    hole, board = (0, 51), (10, 20, 30)
    found = two_cards_ahead(game, hole, board, 60)
    assert found.shape == (47, KNOTS)
    finals = next_boards(game, hole, board, 2)
    assert len(finals) == 47 * 46 // 2
    mean = knot_weights(hand_ranks(game, hole, finals)).mean(axis=1)
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=1e-12)
    few = two_cards_ahead(game, hole, board, 8)
    ranks = np.linspace(0.0, 1.0, KNOTS)
    assert abs(few.mean(axis=0) @ ranks - mean @ ranks) < 0.03


def test_buckets_keep_the_equities_of_hands_before_the_flop() -> None:
    """Exact equities against a random hand, as printed in many places: AA 0.852, KQs 0.634, 72o 0.346."""
    game = load_game("holdem.limit.2p")
    chances = bucket_chances(game)
    for text, equity in [("AsAh", 0.852), ("KsQs", 0.634), ("7s2h", 0.346)]:
        row = chances.first[hand_index(list(game.deck.parse_cards(text)))]
        for link in chances.links:
            row = row @ link
        assert row.sum() == pytest.approx(1.0)
        assert row @ np.linspace(0.0, 1.0, KNOTS) == pytest.approx(equity, abs=0.02)


def test_games_that_cannot_be_looked_ahead_are_refused() -> None:
    for name in ("holdem.nolimit.2p", "leduc.nolimit"):
        with pytest.raises(UnsupportedGameError, match="limit"):
            check_game(load_game(name))
