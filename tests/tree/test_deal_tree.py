"""Deal trees: counted two ways, weighted, and every real card traced to the representative board."""

from __future__ import annotations

from itertools import combinations
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_deal import plain_deal_tree

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import hand_cards
from errai.cards.ranges import Range
from errai.cards.strength import HandRanking, strength
from errai.errors import CardsError, InputError, UnsupportedGameError
from errai.tree.deal_root import DealRoot, deal_root, deal_size, merge_equivalent
from errai.tree.deal_tree import DealTree, build_deal_tree


def spot_root(board: str, first: str, second: str, new_cards: tuple[int, ...], isomorphism: bool = True) -> DealRoot:
    weights = tuple(np.asarray(Range.parse(text).weights, dtype=np.float64) for text in (first, second))
    return deal_root(
        FULL_DECK,
        2,
        new_cards,
        board=FULL_DECK.parse_cards(board),
        weights=(weights[0], weights[1]),
        isomorphism=isomorphism,
    )


ANY_TWO = np.ones(1326)
NINES = np.asarray(Range.parse("99, 98s, 94s, T9o, QQ, AKs").weights, dtype=np.float64)


def keeps_nine(card_map: np.ndarray, hand_map: np.ndarray) -> bool:
    """Whether a symmetry leaves the nine of spades in place, as a lock on a street that it opens would ask."""
    nine = FULL_DECK.parse_cards("9s")[0]
    assert (np.sort(card_map[hand_cards(52, 2)], axis=1) == hand_cards(52, 2)[hand_map]).all()
    return int(card_map[nine]) == nine


ROOTS = {
    "kuhn": lambda: deal_root(Deck(3, 1), 1, ()),
    "leduc": lambda: deal_root(Deck(3, 2), 1, (1,)),
    "rhode island, short": lambda: deal_root(Deck(4, 3), 1, (1, 1), ranking=HandRanking.THREE_CARD),
    "two cards and a flop": lambda: deal_root(Deck(4, 3), 2, (3,)),
    "two cards, flop and turn": lambda: deal_root(Deck(3, 4), 2, (3, 1)),
    "river": lambda: spot_root("Qs Jh 2c 8d 3s", "22+, AKs", "random", ()),
    "turn of two suits": lambda: spot_root("Qs Jh 2s 8h", "QQ, T9s, AKo", "22, AKs", (1,)),
    "turn, one suit left out of a range": lambda: spot_root("Qs Jh 2s 8h", "QQ, T9s, AsKs", "22, AKs", (1,)),
    "flop of one suit": lambda: spot_root("Td 9d 6d", "TT, AKs", "99, QJs, AcKd", (1, 1)),
    "paired flop": lambda: spot_root("Td Th 6c", "66, AKs", "QJs", (1, 1)),
    "flop, the nine of spades apart": lambda: deal_root(
        FULL_DECK, 2, (1,), board=FULL_DECK.parse_cards("Ks 7h 2d"), weights=(NINES, NINES), kept=keeps_nine
    ),
    "river, aces of spades apart, merged by play": lambda: merge_equivalent(
        deal_root(
            FULL_DECK,
            2,
            (),
            board=FULL_DECK.parse_cards("Qs Jh 2c 8d 3s"),
            weights=(ANY_TWO, ANY_TWO),
            apart=[(hand_cards(52, 2) == FULL_DECK.parse_cards("As")[0]).any(axis=1).astype(float)],
        )
    ),
    "river, merged by play": lambda: merge_equivalent(spot_root("Qs Jh 2c 8d 3s", "22+, AKs", "random", ())),
    "turn, merged by play": lambda: merge_equivalent(spot_root("Qs Jh 2c 8d", "QQ, T9s, AKo", "22, AKs", (1,))),
}


@pytest.fixture(scope="module", params=ROOTS)
def deal(request: pytest.FixtureRequest) -> DealTree:
    return build_deal_tree(ROOTS[request.param]())


def check_same(deal: DealTree, other: DealTree) -> None:
    """Every array of both has the same type and the same numbers, to the bit."""
    for one, two in zip(deal.streets, other.streets, strict=True):
        assert one.stabiliser == two.stabiliser
        pairs = [(one, two), *zip(one.hands, two.hands, strict=True)]
        for first, second in pairs:
            arrays = {name: array for name, array in vars(first).items() if isinstance(array, np.ndarray)}
            assert len(arrays) == 5 if first is one else 8
            for name, array in arrays.items():
                assert array.dtype == getattr(second, name).dtype, name
                assert array.tobytes() == getattr(second, name).tobytes(), name


def check_counts(deal: DealTree) -> None:
    """Built as counted; all real boards and real hands accounted for."""
    root, size = deal.root, deal_size(deal.root)
    known = len(root.board)
    cards = root.deck.num_cards
    for s, street in enumerate(deal.streets):
        assert len(street.boards) == size.boards[s]
        assert tuple(int(h.start[-1]) for h in street.hands) == size.classes[s]
        dealt = root.new_cards[:s]
        left = [cards - known - sum(dealt[:i]) for i in range(s)]
        assert street.multiplicity.sum() == prod(comb(n, k) for n, k in zip(left, dealt, strict=True))
        for p, hands in enumerate(street.hands):
            live = int((root.weights[p] > 0).sum())
            members = np.diff(hands.member_start[hands.start])
            # Every live hand meets as many boards as can be dealt from the cards that it leaves.
            held = root.hands.shape[1]
            ways = prod(comb(n - held, k) for n, k in zip(left, dealt, strict=True))
            assert members @ street.multiplicity == live * ways


def check_classes(deal: DealTree) -> None:
    """Classes are a partition of the live hands, by the stabiliser or by strategic equivalence, and are in order."""
    root = deal.root
    alike = None if root.equivalence is None else [root.equivalence.hands[None, :], root.equivalence.below]
    for s, street in enumerate(deal.streets):
        last = s == len(deal.streets) - 1
        for b, board in enumerate(street.boards):
            free = ~np.isin(root.hands, board).any(axis=1)
            for p, hands in enumerate(street.hands):
                first, end = hands.start[b : b + 2]
                members = hands.member[hands.member_start[first] : hands.member_start[end]]
                assert sorted(members) == np.flatnonzero(free & (root.weights[p] > 0)).tolist()
                for i in range(first, end):
                    group = hands.member[hands.member_start[i] : hands.member_start[i + 1]]
                    orbit = {int(root.hand_maps[g][hands.hand[i]]) for g in street.stabiliser[b]}
                    if alike is not None:
                        orbit = set(np.flatnonzero(alike[s][b] == hands.hand[i]).tolist())
                    assert set(group.tolist()) == orbit
                    assert hands.hand[i] == min(orbit)
                    assert len(set(root.weights[p][group])) == 1
                    assert all(len(set(column[group])) == 1 for column in root.apart)
                    twin, other = hands.twin[i], street.hands[1 - p]
                    theirs = other.hand[other.start[b] : other.start[b + 1]].tolist()
                    assert twin == (theirs.index(hands.hand[i]) if hands.hand[i] in theirs else -1)
                ranks = hands.rank[first:end]
                if last:
                    shown = np.hstack([root.hands[hands.hand[first:end]], np.tile(board, (end - first, 1))])
                    expected = strength(shown.astype(np.int16), root.deck, root.ranking)
                    assert np.array_equal(ranks, expected)
                    assert (np.diff(ranks) >= 0).all()
                else:
                    assert not ranks.any()


def check_weights(deal: DealTree) -> None:
    """Going down and up again multiplies by the boards that leave the own hand, over those that leave both hands."""
    root = deal.root
    held, cards = root.hands.shape[1], root.deck.num_cards
    for s in range(1, len(deal.streets)):
        above, street = deal.streets[s - 1], deal.streets[s]
        left, count = cards - above.boards.shape[1], root.new_cards[s - 1]
        expected = comb(left - held, count) / comb(left - 2 * held, count)
        for p, hands in enumerate(street.hands):
            over = above.hands[p]
            total = np.zeros(int(over.start[-1]))
            for b in range(len(street.boards)):
                first, end = hands.start[b : b + 2]
                inside = over.start[street.parent[b]] + hands.parent[first:end]
                np.add.at(total, inside, hands.up_weight[first:end])
                # A class lies inside the class above it that its parent index names.
                for i, up in zip(range(first, end), inside, strict=True):
                    mine = set(hands.member[hands.member_start[i] : hands.member_start[i + 1]].tolist())
                    assert mine <= set(over.member[over.member_start[up] : over.member_start[up + 1]].tolist())
            np.testing.assert_allclose(total, expected, rtol=1e-12)


def check_find(deal: DealTree) -> None:
    """Every real deal finds one board, by a symmetry that keeps all that was known; orbits count them."""
    root = deal.root
    symmetries = {tuple(g) for g in root.symmetries.tolist()}
    for s in range(1, len(deal.streets)):
        above, street = deal.streets[s - 1], deal.streets[s]
        known = [level.boards.shape[1] for level in deal.streets[:s]]
        for b, board in enumerate(above.boards):
            found = dict.fromkeys(range(above.child_start[b], above.child_start[b + 1]), 0)
            rest = sorted(set(range(root.deck.num_cards)) - set(board.tolist()))
            for new in combinations(rest, root.new_cards[s - 1]):
                child, card_map = deal.find(s, b, new)
                assert tuple(card_map.tolist()) in symmetries or root.equivalence is not None
                below = street.boards[child]
                assert street.parent[child] == b
                assert sorted(card_map[list(new)].tolist()) == below[len(board) :].tolist()
                for end in known:
                    assert {int(card_map[c]) for c in board[:end]} == set(board[:end].tolist())
                found[child] += 1
            assert list(found.values()) == street.orbit[list(found)].tolist()


def check(deal: DealTree) -> None:
    check_counts(deal)
    check_classes(deal)
    check_weights(deal)


def test_counts_classes_and_weights(deal: DealTree) -> None:
    check(deal)


@pytest.mark.parametrize("showdown", [True, False])
@pytest.mark.parametrize("name", ROOTS)
def test_lists_are_those_that_are_made_hand_by_hand(name: str, showdown: bool) -> None:
    root = ROOTS[name]()
    check_same(build_deal_tree(root, showdown=showdown), plain_deal_tree(root, showdown=showdown))


def test_threads_and_pieces_make_the_same_lists(deal: DealTree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errai.tree.deal_tree.HANDS_AT_ONCE", 20 * len(deal.root.hands))
    listed: list[int] = []
    check_same(build_deal_tree(deal.root, step=listed.append, threads=3), deal)
    boards = [len(street.boards) for street in deal.streets]
    dealt = 0 if deal.root.equivalence is not None else sum(boards[:-1])
    assert sum(listed) == dealt + sum(boards)
    assert max(listed) <= 20


def test_what_a_step_raises_ends_the_work() -> None:
    def refuse(boards: int) -> None:
        raise InterruptedError("that is enough")

    with pytest.raises(InterruptedError, match="that is enough"):
        build_deal_tree(ROOTS["leduc"](), step=refuse)


@pytest.mark.parametrize(
    "name", ["leduc", "rhode island, short", "two cards and a flop", "turn of two suits", "turn, merged by play"]
)
def test_every_real_card_finds_the_board_that_stands_for_it(name: str) -> None:
    check_find(build_deal_tree(ROOTS[name]()))


def test_cards_on_the_table_cannot_come_again() -> None:
    deal = build_deal_tree(ROOTS["turn of two suits"]())
    with pytest.raises(CardsError, match="Qs cannot come"):
        deal.find(1, 0, FULL_DECK.parse_cards("Qs"))


@st.composite
def roots(draw: st.DrawFn) -> DealRoot:
    """Small decks with any board, any ranges (often symmetric ones) and one or two cards in hand."""
    hole = draw(st.integers(1, 2))
    deck = Deck(draw(st.integers(2, 4)), draw(st.integers(hole, 4)))
    spare = deck.num_cards - 2 * hole
    known = draw(st.integers(0, min(3, spare)))
    streets = draw(st.lists(st.integers(1, 2), max_size=2))
    while known + sum(streets) > spare or hole + known + sum(streets) > 7:
        streets.pop()
    board = tuple(draw(st.permutations(range(deck.num_cards)))[:known])
    hands = hand_cards(deck.num_cards, hole)
    blocked = np.isin(hands, board).any(axis=1)
    weights = []
    for _ in (0, 1):
        # Weights by the ranks in the hand are symmetric in the suits; a spoiled one takes symmetries away.
        by_rank = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=deck.num_ranks, max_size=deck.num_ranks))
        weight = np.array(by_rank)[hands.astype(int) // deck.num_suits].prod(axis=1)
        if draw(st.booleans()):
            weight[draw(st.integers(0, len(hands) - 1))] = 0.5
        if not weight[~blocked].any():
            weight[~blocked] = 1.0
        weights.append(weight)
    apart = [np.where(weights[0] > 0, np.arange(len(hands)) % 3, 0.0)] if draw(st.booleans()) else []
    return deal_root(deck, hole, tuple(streets), board=board, weights=(weights[0], weights[1]), apart=apart)


@settings(max_examples=60)
@given(roots())
def test_any_root(root: DealRoot) -> None:
    deal = build_deal_tree(root)
    check(deal)
    check_find(deal)
    check_same(deal, plain_deal_tree(root))


# --- symmetries ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("kuhn", 1),
        # No suit matters in Leduc, so each of the three ranks may have its own two suits renamed.
        ("leduc", 8),
        ("rhode island, short", 6),
        ("river", 1),
        # Queen and deuce of spades, jack and eight of hearts: only clubs and diamonds may be exchanged.
        ("turn of two suits", 2),
        ("turn, one suit left out of a range", 2),
        ("flop of one suit", 2),
        ("paired flop", 2),
    ],
)
def test_symmetries_that_the_root_leaves(name: str, order: int) -> None:
    root = ROOTS[name]()
    assert len(root.symmetries) == order
    for card_map, hand_map in zip(root.symmetries, root.hand_maps, strict=True):
        assert {int(card_map[c]) for c in root.board} == set(root.board)
        for range_ in root.weights:
            assert np.array_equal(range_[hand_map], range_)


def test_a_range_with_one_suit_more_often_keeps_no_symmetry() -> None:
    assert len(spot_root("Td 9d 6d", "TT", "99", (1, 1)).symmetries) == 6
    assert len(spot_root("Td 9d 6d", "TT", "99, AcKc", (1, 1)).symmetries) == 2
    assert len(spot_root("Td 9d 6d", "TcTh:0.5, TcTs, ThTs", "99, AcKc", (1, 1)).symmetries) == 1


def test_without_isomorphism_every_board_and_hand_stands_for_itself() -> None:
    deal = build_deal_tree(spot_root("Td 9d 6d", "TT, AKs", "99, QJs", (1, 1), isomorphism=False))
    assert [len(s.boards) for s in deal.streets] == [1, 49, 49 * 48]
    assert all((s.orbit == 1).all() for s in deal.streets)
    assert all((np.diff(h.member_start) == 1).all() for s in deal.streets for h in s.hands)


# --- known numbers ---------------------------------------------------------------------------------------------------


def test_canonical_flops() -> None:
    """1,755 flops up to suits, 1,286,792 hands on them (Gilpin et al.; Johanson 2013)."""
    deal = build_deal_tree(deal_root(FULL_DECK, 2, (3,)), showdown=False)
    assert len(deal.streets[1].boards) == 1_755
    assert int(deal.streets[0].hands[0].start[-1]) == 169
    assert int(deal.streets[1].hands[0].start[-1]) == 1_286_792
    assert deal.streets[1].multiplicity.sum() == comb(52, 3)


def test_canonical_boards_and_hands_of_hold_em() -> None:
    """Counts per round of heads-up hold'em; boards in the order in which they were dealt (Johanson 2013)."""
    size = deal_size(deal_root(FULL_DECK, 2, (3, 1, 1)))
    assert size.boards == (1, 1_755, 63_193, 2_554_656)
    assert size.classes == tuple((n, n) for n in (169, 1_286_792, 55_190_538, 2_428_287_420))


# --- what is refused -------------------------------------------------------------------------------------------------


def test_omaha_is_not_supported() -> None:
    with pytest.raises(UnsupportedGameError, match="4 private cards"):
        deal_root(FULL_DECK, 4, (3, 1, 1))


def test_a_range_that_the_board_takes_away_is_named() -> None:
    with pytest.raises(InputError, match="player 1"):
        spot_root("Ks Kh Kd", "AA", "KK", (1, 1))
