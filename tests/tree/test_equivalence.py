"""Merged hands and boards: no strategy over merged hands can distinguish them; by brute force."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_subjects import RIVER_ALIKE, TURN_ALIKE

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.hands import hand_cards
from errai.cards.ranges import Range
from errai.cards.strength import strengths_on_board
from errai.engine.loop import Solver
from errai.engine.schedules import DEFAULT, find_schedule
from errai.errors import DamagedFileError
from errai.games.spot import parse_spot
from errai.solutions.artefact import load_solution
from errai.solving.solve import solve
from errai.tree import deal_root as deal_root_module
from errai.tree.deal_root import DealRoot, deal_root, merge_equivalent
from errai.tree.deal_tree import DealTree, build_deal_tree
from errai.tree.equivalence import distinguished_hands, equivalent_before_last_card
from errai.tree.public_tree import plan_public_tree


def classes_of(deal: DealTree, street: int, board: int, player: int) -> np.ndarray:
    """int64[H]: the class of every hand on a board, -1 where it is dead."""
    hands = deal.streets[street].hands[player]
    first, last = hands.start[board : board + 2]
    found = np.full(len(deal.root.hands), -1)
    for i in range(first, last):
        found[hands.member[hands.member_start[i] : hands.member_start[i + 1]]] = i - first
    return found


def values(root: DealRoot, board: tuple[int, ...], reach: np.ndarray, showdown: bool) -> np.ndarray:
    """float64[H]: what every hand wins of 1 chip on a board against the opponent's reach, without any short cut."""
    live = np.flatnonzero((root.weights[0] > 0) | (root.weights[1] > 0))
    hands, found = root.hands[live], np.full(len(root.hands), np.nan)
    fit = ~(hands[:, None, :, None] == hands[None, :, None, :]).any(axis=(2, 3))
    strength = strengths_on_board(board, hands.astype(np.int16), root.deck, root.ranking).astype(int)
    wins = np.sign(strength[:, None] - strength[None, :]) if showdown else np.ones_like(fit, dtype=int)
    alive = strength >= 0
    found[live] = np.where(alive, (fit * wins) @ np.where(alive, reach[live], 0.0), np.nan)
    return found


def check_play(root: DealRoot, seed: int) -> None:
    """With any strategy over merged hands, all hands that are merged have equal values on every real board."""
    random = np.random.default_rng(seed)
    deal = build_deal_tree(root)
    last = len(deal.streets) - 1
    unseen = root.deck.num_cards - len(root.board) - 2 * root.hands.shape[1]
    for player in (0, 1):
        mine = classes_of(deal, 0, 0, player)
        above = random.random(int(deal.streets[0].hands[1 - player].start[1]))
        theirs = classes_of(deal, 0, 0, 1 - player)
        entering = np.where(theirs >= 0, above[theirs], 0.0) * root.weights[1 - player]
        folds = values(root, root.board, entering, showdown=False)
        for i in range(mine.max() + 1):
            assert np.ptp(folds[mine == i]) < 1e-9
        if last == 0:
            shown = values(root, root.board, entering, showdown=True)
            for i in range(mine.max() + 1):
                assert np.ptp(shown[mine == i]) < 1e-9
            continue
        level, total = deal.streets[1], np.zeros(len(root.hands))
        played = [random.random(int(np.diff(level.hands[1 - player].start).max())) for _ in level.boards]
        worth: dict[int, np.ndarray] = {}
        for card in sorted(set(range(root.deck.num_cards)) - set(root.board)):
            b, card_map = deal.find(1, 0, (card,))
            image = hand_index_of(root, card_map)
            here = classes_of(deal, 1, b, 1 - player)[image]
            free = ~(root.hands == card).any(axis=1)
            reach = np.where(free & (here >= 0), entering * played[b][here], 0.0)
            shown = values(root, (*root.board, card), reach, showdown=True)
            own = np.where(free, classes_of(deal, 1, b, player)[image], -1)
            for i in range(own.max() + 1):
                assert np.ptp(shown[own == i]) < 1e-9
            # The board that stands for this one has the same hands, worth the same.
            firsts = np.array([shown[own == i][0] for i in range(own.max() + 1)])
            np.testing.assert_allclose(firsts, worth.setdefault(b, firsts), atol=1e-9)
            total += np.where(own >= 0, shown, 0.0) / unseen
        merged = np.zeros(mine.max() + 1)
        for b in range(len(level.boards)):
            hands = level.hands[player]
            first, end = hands.start[b : b + 2]
            np.add.at(merged, hands.parent[first:end], hands.up_weight[first:end] * worth[b])
        np.testing.assert_allclose(merged[mine[mine >= 0]], total[mine >= 0], atol=1e-9)


def hand_index_of(root: DealRoot, card_map: np.ndarray) -> np.ndarray:
    """int64[H]: the hand that a map of the cards makes of every hand."""
    index = {tuple(hand): i for i, hand in enumerate(root.hands.tolist())}
    return np.array([index[tuple(hand)] for hand in np.sort(card_map[root.hands], axis=1).tolist()])


@st.composite
def roots(draw: st.DrawFn) -> DealRoot:
    """Small decks, any board, ranges in which ranks and suits matter more or less."""
    hole = draw(st.integers(1, 2))
    deck = Deck(draw(st.integers(2, 4)), draw(st.integers(hole + 1, 4)))
    new = draw(st.sampled_from([(), (1,)]))
    known = draw(st.integers(0, max(0, min(4, deck.num_cards - 2 * hole - len(new)))))
    board = tuple(draw(st.permutations(range(deck.num_cards)))[:known])
    hands = hand_cards(deck.num_cards, hole).astype(int)
    blocked = np.isin(hands, board).any(axis=1)
    weights = []
    for _ in (0, 1):
        by_rank = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=deck.num_ranks, max_size=deck.num_ranks))
        weight = np.array(by_rank)[hands // deck.num_suits].prod(axis=1)
        if draw(st.booleans()):
            weight = np.where(np.ptp(hands % deck.num_suits, axis=1) == 0, weight, weight * 0.5)
        if draw(st.booleans()):
            weight[draw(st.integers(0, len(hands) - 1))] = 0.5
        if not weight[~blocked].any():
            weight[~blocked] = 1.0
        weights.append(weight)
    apart = [(hands % deck.num_suits == 0).any(axis=1) * 1.0] if draw(st.booleans()) else []
    return deal_root(deck, hole, new, board=board, weights=(weights[0], weights[1]), apart=apart)


@settings(max_examples=80)
@given(roots(), st.integers(0, 1000))
def test_merged_hands_are_worth_the_same_whatever_is_played(root: DealRoot, seed: int) -> None:
    check_play(merge_equivalent(root), seed)


def spot_root(board: str, first: str, second: str, new_cards: tuple[int, ...]) -> DealRoot:
    weights = tuple(np.asarray(Range.parse(text).weights, dtype=np.float64) for text in (first, second))
    cards = FULL_DECK.parse_cards(board)
    return deal_root(FULL_DECK, 2, new_cards, board=cards, weights=(weights[0], weights[1]))


ROOTS = {
    "river, any two": ("Qs Jh 2c 8d 3s", "random", "random", (), (91, 91)),
    "river, one suit matters": ("Qs Js 2s 8d 3h", "random", "AA, KK, T9s", (), None),
    "river, sets and draws": ("Jh Tc 4s 4d 2c", "QQ+, AKs, AKo, A5s", "JJ-99, AQs, AKs, KQs, AKo", (), (5, 6)),
    "turn, any two": ("Kd 8s 5c 2h", "random", "random", (1,), (91, 91)),
    "turn, two pairs": ("9s 9c 4d 4h", "QQ+, AKs, AKo, A5s", "JJ-99, AQs, AKs, KQs, AKo", (1,), (6, 7)),
    "turn, two suits may make flushes": ("Ah Jh 7s 2s", "AA, KK, T9s", "JJ, AKs, AKo", (1,), None),
}


@pytest.mark.parametrize("name", [name for name in ROOTS if name != "turn, any two"])
def test_merged_hands_are_worth_the_same_in_hold_em(name: str) -> None:
    *spot, _ = ROOTS[name]
    check_play(merge_equivalent(spot_root(*spot)), 1)


@pytest.mark.parametrize("name", ROOTS)
def test_as_much_is_merged_as_can_be(name: str) -> None:
    *spot, expected = ROOTS[name]
    root = spot_root(*spot)
    merged, plain = build_deal_tree(merge_equivalent(root)), build_deal_tree(root)
    for street, before in zip(merged.streets, plain.streets, strict=True):
        assert len(street.boards) <= len(before.boards)
        for p in (0, 1):
            assert street.hands[p].start[-1] <= before.hands[p].start[-1]
    if expected is not None:
        assert tuple(int(h.start[-1]) for h in merged.streets[0].hands) == expected
    if name == "turn, any two":
        assert merged.streets[1].orbit.tolist() == [3, 4, 4, 3, 4, 4, 3, 4, 4, 4, 4, 3, 4]


def test_boards_without_a_map_between_them_are_left_alone() -> None:
    # Each five goes with a king and a queen that go with each other. To turn a river into another, kings and queens
    # must change suits in different ways: no map that goes suit by suit does that.
    pairs = ("5cKc", "5cQc", "KcQc", "5dKd", "5dQh", "KdQh", "5sKh", "5sQd", "KhQd")
    root = spot_root("9d 8d 2d 2h", ", ".join(pairs), "AcAd", (1,))
    strength = np.where(np.isin(root.hands, root.board).any(axis=1), -1, 0)
    cards = np.setdiff1d(np.arange(52), root.board)
    on_boards = np.where((root.hands[None] == cards[:, None, None]).any(axis=2), -1, strength[None])
    apart = distinguished_hands(root.hands, np.arange(52) // 4, root.weights)
    assert equivalent_before_last_card(root.hands, 52, root.board, on_boards, apart) is None


def test_a_tree_of_few_lines_is_not_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    root = spot_root("Th 9h 4c 2s", "random", "random", (1,))
    assert merge_equivalent(root, 6) is root
    assert merge_equivalent(root, 600).equivalence is not None
    flop = spot_root("Th 9h 4c", "random", "random", (1, 1))
    assert merge_equivalent(flop) is flop
    monkeypatch.setattr(deal_root_module, "equivalent_before_last_card", lambda *given: None)
    assert merge_equivalent(root) is root


def test_labels_tell_cards_apart() -> None:
    root = spot_root("Kd 8s 5c 2h", "random", "random", (1,))
    assert distinguished_hands(root.hands, np.arange(52), root.weights).max() == 1127
    assert distinguished_hands(root.hands, np.arange(52) // 4, root.weights).max() == 90


# --- solving ---------------------------------------------------------------------------------------------------------


LOCKS: dict[str, dict[str, Any]] = {
    "the first street": {"k": {"KQs": {"check": 1}, "AhKs": {"check": 0.25, "bet 70": 0.75}}},
    "any card": {"k k / * /": {"QQ": {"bet 70": 1}, "AKo": "best"}},
    "any card, every hand": {"k k / * / k": {"*": {"check": 0.5, "bet 70": 0.5}}},
    "a card": {"k k / Ac / k": {"*": {"check": 1}}, "k k / 5h / k": {"AKs": {"check": 1}}},
    "a rank": {f"b70 c / K{suit} /": {"AA": {"check": 1}} for suit in "cdhs"},
    "one hand": {"k k / * / k": {"KhQh": {"check": 1}}, "k k / 2c /": {"AhAd": {"check": 0.25, "bet 70": 0.75}}},
    "any card and one": {"k k / * / k": {"JJ": {"check": 1}}, "k k / As / k": {"TT-99": {"check": 1}}},
}
"""Locks on the turn that distinguish hands and boards in different ways."""


@pytest.mark.parametrize(("text", "locks"), [(RIVER_ALIKE, None), *((TURN_ALIKE, name) for name in [None, *LOCKS])])
def test_solving_merged_is_solving_hand_by_hand(text: str, locks: str | None) -> None:
    spot, found = parse_spot(text), []
    for alike in (False, True):
        plan = plan_public_tree(spot, alike=alike, locks=None if locks is None else LOCKS[locks])
        assert (plan.root.equivalence is not None) == alike
        solver = Solver(plan.build(), find_schedule(DEFAULT), precision="float64")
        solver.iterate(40)
        found.append(solver.measure().by_player)
    np.testing.assert_allclose(found[0], found[1], atol=1e-9)


@pytest.mark.parametrize("locks", [None, *LOCKS])
@pytest.mark.parametrize(
    ("text", "line"), [(RIVER_ALIKE, "k"), (TURN_ALIKE, "k k / {card} / k"), (TURN_ALIKE, "b70 c / {card} /")]
)
def test_every_hand_plays_on_every_real_board_as_if_nothing_were_merged(
    text: str, line: str, locks: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if locks is not None and text is RIVER_ALIKE:
        pytest.skip("the locks are those of the turn")
    monkeypatch.setattr(deal_root_module, "WORTH_MERGING", 0.0)
    spot = parse_spot(text)
    settings: dict[str, Any] = {"max_iterations": 30, "precision": "float64", "encoding": "float64"}
    settings |= {"locks": None if locks is None else LOCKS[locks]}
    merged = solve(spot, **settings)
    monkeypatch.setattr(
        "errai.solving.memory.plan_public_tree", lambda *given, alike, **more: plan_public_tree(*given, **more)
    )
    plain = solve(spot, **settings)
    assert merged.tree.root.equivalence is not None
    assert plain.tree.root.equivalence is None
    assert merged.exploitability.chips == pytest.approx(plain.exploitability.chips, abs=1e-9)
    cards = ["Ac", "As", "Kd", "Kh", "5s", "5h", "2c", "9d"] if "{card}" in line else [""]
    for card in cards:
        one, other = (solution.at(line.format(card=card)) for solution in (merged, plain))
        np.testing.assert_allclose(one.strategies, other.strategies, atol=1e-7)
        np.testing.assert_allclose(one.ev, other.ev, atol=1e-6)
        assert one.locked == other.locked


def test_locks_on_any_card_leave_merged_what_they_do_not_distinguish() -> None:
    spot = parse_spot(TURN_ALIKE)
    free = plan_public_tree(spot, alike=True).deal_size
    for name in LOCKS:
        found = plan_public_tree(spot, alike=True, locks=LOCKS[name]).deal_size
        apart = plan_public_tree(spot, locks=LOCKS[name]).deal_size
        assert (found == free) == (name in ("any card", "any card, every hand", "a rank"))
        assert sum(found.classes[1]) < 0.5 * sum(apart.classes[1])


def test_a_file_says_whether_its_tree_was_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deal_root_module, "WORTH_MERGING", 0.0)
    solution = solve(parse_spot(TURN_ALIKE), max_iterations=20)
    solution.save(tmp_path / "merged.errai")
    again = load_solution(tmp_path / "merged.errai")
    assert again.tree.root.equivalence is not None
    assert again.tree.entries == solution.tree.entries
    replace(solution, tree=plan_public_tree(parse_spot(TURN_ALIKE)).build()).save(tmp_path / "wrong.errai")
    with pytest.raises(DamagedFileError, match="size or type"):
        load_solution(tmp_path / "wrong.errai")
