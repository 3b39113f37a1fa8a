"""Properties of abstractions, and what is refused."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from small_subjects import subject

from errai.blueprints.abstractions import ByStrength, Identity, OneBucket, read_abstraction
from errai.blueprints.solver import FullWidth, WholeGame, all_boards, whole_game
from errai.blueprints.train import train
from errai.cards.hands import hand_cards, hand_index
from errai.errors import FileAccessError, InputError, SolverOptionError, TreeTooLargeError
from errai.games.catalogue import load_game
from errai.tree.public_tree import build_public_tree, plan_public_tree


def boards_of(game, round):
    """Every real board of a round, the cards of each round ascending."""
    counts = game.num_board_cards[1 : round + 1]
    found = [()]
    for count in counts:
        found = [
            b + c for b in found for c in combinations([k for k in range(game.deck.num_cards) if k not in b], count)
        ]
    return found


@pytest.mark.parametrize("name", ["leduc", "rhode-island-short", "two-cards-short"])
@pytest.mark.parametrize("make", [Identity, OneBucket, lambda game: ByStrength(game, 3)])
def test_every_hand_has_a_bucket_and_suits_do_not_matter(name, make):
    game = subject(name)
    abstraction = make(game)
    hands = hand_cards(game.deck.num_cards, game.num_hole_cards)
    suits = game.deck.num_suits
    swapped = np.array([c - c % suits + {0: 1, 1: 0}.get(c % suits, c % suits) for c in range(game.deck.num_cards)])
    for round in range(game.num_rounds):
        boards = boards_of(game, round)
        for board in boards[:: max(1, len(boards) // 40)]:
            buckets = abstraction.buckets(board, round)
            blocked = np.isin(hands, board).any(axis=1)
            assert buckets.dtype == np.int32
            assert (buckets[blocked] == -1).all()
            assert (buckets[~blocked] >= 0).all()
            assert (buckets < abstraction.num_buckets(round)).all()
            ends = np.cumsum([0, *game.num_board_cards[1 : round + 1]])
            image = tuple(c for a, b in pairwise(ends) for c in sorted(swapped[list(board[a:b])].tolist()))
            mapped = hand_index(np.sort(swapped[hands], axis=1))
            assert np.array_equal(abstraction.buckets(image, round)[mapped], buckets)


@pytest.mark.parametrize("name", ["leduc", "two-cards-short"])
def test_identity_has_as_many_buckets_as_there_are_hands_up_to_suits(name):
    game = subject(name)
    tree, abstraction = build_public_tree(game), Identity(game)
    for round in range(game.num_rounds):
        seen = np.concatenate([abstraction.buckets(b, round) for b in boards_of(game, round)])
        assert abstraction.num_buckets(round) == len(tree.deal.streets[round].hands[0].hand)
        assert np.array_equal(np.unique(seen[seen >= 0]), np.arange(abstraction.num_buckets(round)))


def test_a_game_too_large_for_a_bucket_each_is_refused_before_anything_is_built():
    identity = Identity(load_game("holdem.limit.2p"))
    assert identity.num_buckets(0) == 169
    assert identity.num_buckets(1) == 1_286_792
    with pytest.raises(TreeTooLargeError, match="give an abstraction"):
        identity.buckets((), 0)
    with pytest.raises(TreeTooLargeError, match="Fewer buckets"):
        train(load_game("holdem.limit.2p"), "identity", "pcs", seconds=1)


def test_by_strength_in_leduc():
    # On a king, a king pairs; of the other hands queens beat jacks. Cards: Js Jh Qs Qh Ks Kh.
    abstraction = ByStrength(subject("leduc"), 5)
    assert abstraction.buckets((5,), 1).tolist() == [1, 1, 3, 3, 4, -1]
    assert abstraction.buckets((), 0).tolist() == [0, 0, 2, 2, 4, 4]


def test_digests_tell_abstractions_apart():
    leduc, kuhn = subject("leduc"), subject("kuhn")
    made = [Identity(leduc), Identity(kuhn), OneBucket(leduc), ByStrength(leduc, 2), ByStrength(leduc, 3)]
    assert len({abstraction.digest() for abstraction in made}) == len(made)
    assert ByStrength(leduc, 3).digest() == ByStrength(leduc, 3).digest()


def test_names_are_read():
    game = subject("leduc")
    assert isinstance(read_abstraction("identity", game), Identity)
    assert isinstance(read_abstraction("one-bucket", game), OneBucket)
    assert read_abstraction("by-strength:7", game).num_buckets(0) == 7


@pytest.mark.parametrize(
    "text", ["by-strength", "by-strength:0", "by-strength:x", "no such folder", "cards/", "cards\0"]
)
def test_what_names_no_abstraction_is_refused(text):
    with pytest.raises(SolverOptionError):
        read_abstraction(text, subject("leduc"))


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    with pytest.raises(FileAccessError, match="the name is too long"):
        read_abstraction("A" * 300, subject("leduc"), tmp_path)


class Suited(OneBucket):
    """Looks at suits, which no abstraction may."""

    def num_buckets(self, round):
        return 2

    def buckets(self, board, round):
        hands = hand_cards(self.game.deck.num_cards, self.game.num_hole_cards)
        return np.where(np.isin(hands, board).any(axis=1), -1, hands[:, 0] % 2).astype(np.int32)


class TooMany(OneBucket):
    """Claims fewer buckets than it uses."""

    def buckets(self, board, round):
        return super().buckets(board, round) * 3 + 2


@pytest.mark.parametrize(("bad", "message"), [(Suited, "suits make equal"), (TooMany, "does not have")])
def test_an_abstraction_that_breaks_its_word_is_refused(bad, message):
    game = subject("two-cards-short")
    with pytest.raises(InputError, match=message):
        all_boards(build_public_tree(game), bad(game))


class SuitsApart(Identity):
    """Distinguishes the queen of hearts on a spade board from the queen of spades, which in Leduc are equivalent."""

    def num_buckets(self, round):
        return super().num_buckets(round) * 2

    def buckets(self, board, round):
        buckets, hands = super().buckets(board, round), hand_cards(self.game.deck.num_cards, self.game.num_hole_cards)
        same = np.isin(hands[:, 0] % 2, [card % 2 for card in board]) if board else np.zeros(len(hands), bool)
        return np.where(buckets < 0, -1, buckets * 2 + same).astype(np.int32)


def test_an_abstraction_may_tell_apart_what_only_the_tree_merges():
    game = subject("leduc")
    plan = plan_public_tree(game)
    with pytest.raises(InputError, match="suits make equal"):
        all_boards(plan.build(), SuitsApart(game))
    tree, boards = whole_game(plan, SuitsApart(game))
    solver = FullWidth(tree, SuitsApart(game), "dcfr4", dtype=np.float64, boards=boards)
    solver.run(max_iterations=200)
    assert WholeGame(tree, boards).exploitability(solver.sums).mbb < 3.0
    with pytest.raises(InputError, match="suits make equal"):
        whole_game(plan_public_tree(subject("two-cards-short")), Suited(subject("two-cards-short")))


def test_weights_of_a_bucket_sum_to_one():
    game = subject("two-cards-short")
    boards = all_boards(build_public_tree(game), ByStrength(game, 4))
    for pair in boards.buckets:
        found = np.bincount(pair[0].bucket, pair[0].weight)
        np.testing.assert_allclose(found[found > 0], 1.0, rtol=1e-12)
