"""Strategies that ignore their cards, and those that do not, on small decisions."""

from __future__ import annotations

import numpy as np
import pytest

import errai
from errai.errors import StrategyError
from errai.responses.pieces import Boards
from errai.strategies.blind import ALWAYS, Mixture, Uniform
from errai.strategies.buckets import BucketStrategy, StrengthBuckets, by_strength
from errai.strategies.solution import SolutionStrategy
from errai.strategies.strategy import BatchedStrategy, Decision
from errai.tree.betting_tree import build_betting_tree
from errai.tree.public_tree import build_public_tree


@pytest.fixture(scope="module")
def betting():
    return build_betting_tree(errai.load_game("leduc"))


def decision(betting, line: str) -> Decision:
    return Decision.at(betting, betting.after_chance(betting.find(line)))


@pytest.mark.parametrize(
    ("line", "labels", "fold", "call", "raise_"),
    [
        ("", ("check", "bet 2"), (1, 0), (1, 0), (0, 1)),
        ("bet", ("fold", "call", "raise 4"), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
        ("bet raise", ("fold", "call"), (1, 0), (0, 1), (0, 1)),
    ],
)
def test_what_the_rules_forbid_becomes_a_call(betting, line, labels, fold, call, raise_) -> None:
    at = decision(betting, line)
    assert at.actions == labels
    for name, expected in (("fold", fold), ("call", call), ("raise", raise_)):
        assert ALWAYS[f"always-{name}"].mix(at).tolist() == list(expected)


def test_mixtures_give_all_of_it_away(betting) -> None:
    mixture = Mixture(0.1, 0.4, 0.5)
    assert mixture.mix(decision(betting, "bet")).tolist() == pytest.approx([0.1, 0.4, 0.5])
    assert mixture.mix(decision(betting, "")).tolist() == pytest.approx([0.5, 0.5])
    assert mixture.mix(decision(betting, "bet raise")).tolist() == pytest.approx([0.1, 0.9])
    assert Uniform().mix(decision(betting, "bet")).tolist() == pytest.approx([1 / 3] * 3)


def test_several_sizes_share_a_raise() -> None:
    betting = build_betting_tree(errai.load_game("leduc.nolimit"))
    at = decision(betting, "")
    mix = Mixture(0, 0.5, 0.5).mix(at)
    sizes = len(at.actions) - 1
    assert sizes > 1
    assert mix.tolist() == pytest.approx([0.5, *[0.5 / sizes] * sizes])


@pytest.mark.parametrize("numbers", [(0.5, 0.5, 0.5), (-0.1, 0.6, 0.5), (0, 0, 0), (float("nan"), 0.5, 0.5)])
def test_mixtures_that_are_none(numbers) -> None:
    with pytest.raises(StrategyError, match="sum to 1"):
        Mixture(*numbers)


def test_descriptions_tell_strategies_apart() -> None:
    game = errai.load_game("leduc")
    strategies: list[BatchedStrategy] = [*ALWAYS.values(), Uniform(), Mixture(0, 0.5, 0.5), by_strength(game, 3)]
    assert len({s.description for s in strategies}) == len(strategies)
    assert ALWAYS["always-call"].description == "always-call"
    assert all(isinstance(s, BatchedStrategy) for s in strategies)


# --- strategies that look ----------------------------------------------------------------------------------------


def deals_of(tree, street: int, player: int):
    return Boards.of(street, tree.deal.streets[street], tree.root.hands.astype(np.uint8)).deals(player)


def test_strength_buckets_hold_equal_shares() -> None:
    game = errai.load_game("rhode-island")
    tree = build_public_tree(game)
    deals = deals_of(tree, 2, 0)
    buckets = StrengthBuckets(game.deck, 1, game.ranking, 4)(deals)
    assert set(buckets.tolist()) == {0, 1, 2, 3}
    rank = tree.deal.streets[2].hands[0].rank
    for b in range(len(deals.boards)):
        block = slice(deals.start[b], deals.start[b + 1])
        assert (np.diff(buckets[block][np.argsort(rank[block], kind="stable")]) >= 0).all()


@pytest.mark.parametrize(
    ("bucket", "table", "message"),
    [
        (1, [[0.5], [0.5]], "buckets that its table lacks"),
        (0, [[0.5], [0.6]], "not a probability distribution"),
        (0, [[1.5], [-0.5]], "not a probability distribution"),
        (0, [[1.0]], "shape"),
    ],
)
def test_tables_that_are_none(betting, bucket, table, message) -> None:
    tree = build_public_tree(errai.load_game("leduc"))
    strategy = BucketStrategy(lambda deals: np.full(len(deals.hand), bucket), lambda decision: np.array(table), "wrong")
    with pytest.raises(StrategyError, match=message):
        strategy.rows([decision(betting, "")], deals_of(tree, 0, 0))


def test_a_solution_answers_for_boards_and_hands_of_any_suit() -> None:
    solution = errai.solve(errai.load_game("rhode-island"), max_iterations=5, threads=1)
    strategy = SolutionStrategy(solution)
    plain = build_public_tree(errai.load_game("rhode-island"), isomorphism=False)
    deck, line = plain.root.deck, "check bet 10 call / {} / bet 20"
    node = plain.betting.after_chance(plain.betting.find("check bet 10 call bet 20"))
    at = Decision.at(plain.betting, node)
    deals = deals_of(plain, 1, at.player)
    rows = strategy.rows([at], deals)
    for b in (0, 7, 30):
        shown = solution.at(line.format(deck.card_text(int(deals.boards[b, 0]))))
        block = slice(deals.start[b], deals.start[b + 1])
        assert np.allclose(rows[:, block], shown.strategies[deals.hand[block]].T, atol=1e-12)
