"""Public trees: their sizes, and values that depend neither on the names of suits nor on whether suits are merged."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from small_subjects import spot_text, subject

from errai.cards.deck import FULL_DECK
from errai.cards.hands import hand_cards, hand_index
from errai.cards.ranges import Range
from errai.engine.schedules import find_schedule
from errai.engine.strategy import board_block, node_strategy
from errai.errors import InputError, TreeTooLargeError, UnsupportedGameError
from errai.games.catalogue import load_game
from errai.games.spot import Spot, parse_spot
from errai.judges.explicit_game import evaluate_profile
from errai.kernels.backends import make_kernel
from errai.kernels.layout import BEST, CHANCE, DECISION, FOLD, LEAF, SHOWDOWN
from errai.kernels.protocol import Arrays, State
from errai.tree.public_tree import PublicTree, build_public_tree, plan_public_tree


def spot(board: str, oop: str, ip: str, stack: int = 200, bet: str = "100%") -> Spot:
    return parse_spot(spot_text(board, oop, ip, stack=stack, bet=bet))


SUBJECTS = {
    "kuhn": lambda: load_game("kuhn"),
    "leduc": lambda: load_game("leduc"),
    "leduc.nolimit": lambda: load_game("leduc.nolimit"),
    "rhode island, short": lambda: subject("rhode-island-short"),
    "two cards, short": lambda: subject("two-cards-short"),
    "river": lambda: spot("Qs Jh 2c 8d 3s", "AA, KK:0.3, QQ", "JJ, AJs"),
    "turn": lambda: spot("Qs Jh 2s 8h", "QQ, T9s, AKo:0.5", "22, AKs"),
    "flop": lambda: spot("Td 9d 6d", "TT, AsKs", "99, AKs", 60, "a"),
}


def profile(tree: PublicTree, iterations: int = 6) -> tuple[float, float, float]:
    """Value and both best responses of the average after some iterations, in chips."""
    kernel = make_kernel("cpu", tree.arrays)
    state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=False)
    kernel.iterate(state, find_schedule("dcfr").coefficients(1, iterations))
    return worth(tree, state.sums)


def worth(tree: PublicTree, strategy: Arrays) -> tuple[float, float, float]:
    kernel = make_kernel("cpu", tree.arrays)
    values = [tree.chips(kernel.root_values(strategy, p), p) for p in (0, 1)]
    best = [tree.chips(kernel.root_values(strategy, p, role=BEST), p) for p in (0, 1)]
    assert values[0] == pytest.approx(-values[1], abs=1e-9 * tree.initial_pot)
    assert best[0] >= values[0] - 1e-9
    assert best[1] >= values[1] - 1e-9
    return values[0], best[0], best[1]


# --- sizes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_plan_counts_what_is_built(name: str) -> None:
    plan = plan_public_tree(SUBJECTS[name]())
    tree = plan.build()
    assert tree.entries == plan.entries
    assert tree.canonical_information_sets == plan.canonical_information_sets
    whole = build_public_tree(plan.subject, isomorphism=False)
    assert tree.information_sets == whole.information_sets == whole.canonical_information_sets
    assert tree.entries <= whole.entries


@pytest.mark.parametrize(
    ("name", "whole", "canonical"),
    [
        ("kuhn", 12, 12),
        ("leduc", 936, 288),
        # Gilpin and Sandholm 2007 print 3.94e6 up to suits.
        ("rhode-island", 52_128_128, 3_937_128),
    ],
)
def test_known_numbers_of_information_sets(name: str, whole: int, canonical: int) -> None:
    tree = build_public_tree(load_game(name))
    assert tree.information_sets == whole
    assert tree.canonical_information_sets == canonical


def test_information_sets_of_two_one_holdem() -> None:
    """Published with the game by Johanson et al. 2011; counted without building a board."""
    assert plan_public_tree(load_game("holdem-2-1")).canonical_information_sets == 15_442_180


@pytest.mark.parametrize("name", SUBJECTS)
def test_the_weight_of_all_pairs_of_hands(name: str) -> None:
    tree = build_public_tree(SUBJECTS[name]())
    first, second = tree.root.weights
    cards = tree.root.hands
    fit = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    assert tree.pair_weight == pytest.approx(float(first @ fit @ second), rel=1e-12)
    sizes = tree.class_sizes
    for p in (0, 1):
        assert sizes[p] @ tree.arrays.root_reach[p] == pytest.approx(tree.root.weights[p].sum(), rel=1e-12)


# --- the arrays of the kernels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUBJECTS)
def test_arrays_of_the_kernels_are_whole(name: str) -> None:
    tree = build_public_tree(SUBJECTS[name]())
    betting, streets = tree.betting, tree.arrays.streets
    for s, street in enumerate(streets):
        nodes = betting.street_nodes(s)
        kinds = {kind: np.flatnonzero(street.kind == kind) for kind in (DECISION, FOLD, SHOWDOWN, CHANCE, LEAF)}
        assert not len(kinds[LEAF])
        assert np.array_equal(street.first_child[kinds[CHANCE]], np.arange(street.num_exits))
        if s + 1 < len(streets):
            assert streets[s + 1].num_entries == street.num_exits
        assert np.array_equal(np.flatnonzero(street.parent < 0), np.arange(street.num_entries))
        taken: list[list[int]] = [[], []]
        for node in kinds[DECISION]:
            children = range(street.first_child[node], street.first_child[node] + street.num_children[node])
            assert [nodes.start + c for c in children] == list(betting.children(nodes.start + int(node)))
            assert all(street.parent[c] == node for c in children)
            taken[street.actor[node]] += range(street.row[node], street.row[node] + street.num_children[node])
        assert tuple(taken[p] == list(range(street.num_rows[p])) for p in (0, 1)) == (True, True)
        for node in kinds[FOLD]:
            loser = int(street.actor[node])
            stake = betting.contributions[nodes.start + node, loser]
            assert street.ends[node, 1 - loser, 0] == -street.ends[node, loser, 2] == stake > 0
        for node in kinds[SHOWDOWN]:
            stake = betting.contributions[nodes.start + node].min()
            assert (street.ends[node] == [stake, 0, -stake]).all()
            assert stake > 0


@pytest.mark.parametrize("last_street", [0, 1])
def test_a_cut_tree_ends_in_leaves(last_street: int) -> None:
    tree = build_public_tree(spot("Td 9d 6d", "TT", "99", 60, "a"), last_street=last_street)
    *above, edge = tree.arrays.streets
    assert len(above) == last_street
    assert not any(s.num_leaves for s in above)
    assert edge.num_leaves == int((edge.kind == LEAF).sum()) > 0
    assert edge.num_exits == 0
    assert not any((h.rank != 0).any() for h in edge.hands)


# --- suits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SUBJECTS)
def test_merging_suits_changes_no_value(name: str) -> None:
    merged = build_public_tree(SUBJECTS[name]())
    whole = build_public_tree(SUBJECTS[name](), isomorphism=False)
    if name not in ("kuhn", "river"):
        assert merged.entries < whole.entries
    for iterations in (1, 8):
        here, there = profile(merged, iterations), profile(whole, iterations)
        assert here == pytest.approx(there, abs=1e-9 * merged.initial_pot)


@pytest.mark.parametrize("name", ["turn", "flop"])
def test_merging_suits_leaves_the_value_of_every_hand(name: str) -> None:
    merged = build_public_tree(SUBJECTS[name]())
    whole = build_public_tree(SUBJECTS[name](), isomorphism=False)
    found = []
    for tree in (merged, whole):
        kernel = make_kernel("cpu", tree.arrays)
        state = State.zeros(tree.arrays, np.float64, predictive=False, simultaneous=False)
        kernel.iterate(state, find_schedule("cfr+").coefficients(1, 5))
        by_hand = np.zeros((2, 1326))
        for p in (0, 1):
            hands = tree.deal.streets[0].hands[p]
            values = kernel.root_values(state.sums, p)
            by_hand[p, hands.member] = np.repeat(values, np.diff(hands.member_start))
        found.append(by_hand)
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


def renamed(subject: Spot, suits: tuple[int, ...]) -> Spot:
    card_map = np.array([card // 4 * 4 + suits[card % 4] for card in range(52)])
    moved = hand_index(np.sort(card_map[hand_cards(52, 2)], axis=1))
    ranges = []
    for range_ in subject.ranges:
        weights = np.zeros(1326)
        weights[moved] = range_.weights
        ranges.append(Range.from_weights(weights))
    return replace(subject, board=tuple(int(card_map[c]) for c in subject.board), ranges=(ranges[0], ranges[1]))


HANDS = hand_cards(52, 2).astype(int)


@st.composite
def small_spots(draw: st.DrawFn) -> Spot:
    """A turn or a river with a few hands a side, some of which collide with each other or with the board."""
    board = draw(st.permutations(range(52)))[: draw(st.integers(4, 5))]
    free = np.flatnonzero(~np.isin(HANDS, board).any(axis=1))
    # From few cards, so that hands of both players often share one, or are the same.
    low = draw(st.integers(0, 40))
    near = free[(HANDS[free] >= low).all(axis=1) & (HANDS[free] < low + 12).all(axis=1)]
    texts, held = [], []
    for _ in (0, 1):
        hands = draw(st.lists(st.sampled_from(near.tolist()), min_size=1, max_size=4, unique=True))
        weights = draw(st.lists(st.sampled_from(["0.25", "0.5", "1"]), min_size=len(hands), max_size=len(hands)))
        held.append(HANDS[hands])
        texts.append(", ".join(f"{FULL_DECK.cards_text(HANDS[h])}:{w}" for h, w in zip(hands, weights, strict=True)))
    assume((~(held[0][:, None, :, None] == held[1][None, :, None, :]).any(axis=(2, 3))).any())
    stack = draw(st.sampled_from([50, 130]))
    return spot(FULL_DECK.cards_text(board), *texts, stack=stack, bet=draw(st.sampled_from(["a", "50%"])))


def random_strategy(tree: PublicTree, seed: int) -> Arrays:
    generator = np.random.default_rng(seed)
    strategy = tree.arrays.zeros(np.float64)
    for pair in strategy:
        for array in pair:
            array[...] = np.where(generator.random(array.size) < 0.2, 0.0, generator.random(array.size))
    return strategy


def read(tree: PublicTree, strategy: Arrays):  # type: ignore[no-untyped-def]
    """The strategy by betting node, real board and real hand; the tree is one without merged suits."""
    betting, known = tree.betting, len(tree.root.board)
    boards = [{tuple(b.tolist()): i for i, b in enumerate(s.boards)} for s in tree.deal.streets]

    def at(node: int, board: tuple[int, ...], hand: int) -> np.ndarray:
        s, p = int(betting.street[node]), int(betting.actor[node])
        b = boards[s][(*sorted(board[:known]), *board[known:])]
        hands = tree.deal.streets[s].hands[p]
        inside = hands.hand[hands.start[b] : hands.start[b + 1]].tolist().index(hand)
        return node_strategy(tree, strategy, s, b, node - int(betting.street_start[s]))[:, inside]

    return at


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(small_spots(), st.integers(0, 2**31))
def test_any_strategy_is_worth_what_a_walk_over_the_real_cards_says(subject: Spot, seed: int) -> None:
    tree = build_public_tree(subject, isomorphism=False)
    strategy = random_strategy(tree, seed)
    at = read(tree, strategy)
    plain = evaluate_profile(tree.betting, subject.game, (at, at), board=subject.board, ranges=subject.ranges)
    value, *best = worth(tree, strategy)
    assert value == pytest.approx(plain.value, abs=1e-9)
    assert best == pytest.approx(list(plain.best_responses), abs=1e-9)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(small_spots(), st.sampled_from(list(permutations(range(4)))))
def test_other_names_for_the_suits_change_nothing(subject: Spot, suits: tuple[int, ...]) -> None:
    tree = build_public_tree(subject)
    other = build_public_tree(renamed(subject, suits))
    assert (other.entries, other.information_sets) == (tree.entries, tree.information_sets)
    assert other.pair_weight == pytest.approx(tree.pair_weight, rel=1e-12)
    assert profile(other) == pytest.approx(profile(tree), abs=1e-8)


@pytest.mark.parametrize("suits", [(1, 0, 2, 3), (3, 2, 1, 0), (1, 2, 3, 0)])
@pytest.mark.parametrize("name", ["river", "turn", "flop"])
def test_spots_of_many_hands_do_not_mind_their_suits(name: str, suits: tuple[int, ...]) -> None:
    subject = SUBJECTS[name]()
    here, there = (profile(build_public_tree(s)) for s in (subject, renamed(subject, suits)))
    assert here == pytest.approx(there, abs=1e-7)


def test_a_blocked_hand_is_not_met() -> None:
    """Holding one of the two aces that the other may hold leaves the only pair that remains."""
    subject = spot("Qs Jh 2c 8d 3s", "AcAd", "AcAd, AcAh, AhAs, KcKd", bet="a")
    tree = build_public_tree(subject)
    # Of four hands two share an ace with ours; one ties, one loses.
    assert tree.pair_weight == 2
    strategy = tree.arrays.zeros(np.float64)
    for p in (0, 1):
        for node in tree.betting.decision_nodes(0, p):
            row = int(tree.betting.row_start[node])
            board_block(tree, strategy, 0, p, 0)[row] = 1.0  # always check
    kernel = make_kernel("cpu", tree.arrays)
    assert tree.betting.actions(0)[0] == "check"
    assert kernel.root_values(strategy, 0).tolist() == [50.0]
    theirs = kernel.root_values(strategy, 1)
    hands = tree.deal.streets[0].hands[1]
    by_text = {
        FULL_DECK.cards_text(HANDS[m]): v
        for m, v in zip(hands.member, np.repeat(theirs, np.diff(hands.member_start)), strict=True)
    }
    assert by_text == {"AcAd": 0, "AcAh": 0, "AhAs": 0, "KcKd": -50} or by_text == {
        "AdAc": 0, "AhAc": 0, "AsAh": 0, "KdKc": -50
    }  # fmt: skip


# --- what is refused -------------------------------------------------------------------------------------------------


def test_ranges_that_never_fit_are_refused() -> None:
    subject = spot("Qs Jh 2c 8d 3s", "AA", "KK")
    with pytest.raises(InputError, match="shares a card"):
        build_public_tree(replace(subject, ranges=(Range.parse("AcAd"), Range.parse("AcAh"))))


def test_board_cards_before_the_first_bet_are_not_supported() -> None:
    game = replace(load_game("leduc"), num_board_cards=(1, 1))
    with pytest.raises(UnsupportedGameError, match="before the first bet"):
        plan_public_tree(game)


def test_too_many_betting_nodes_are_refused() -> None:
    with pytest.raises(TreeTooLargeError):
        plan_public_tree(load_game("leduc.nolimit"), max_nodes=50)
