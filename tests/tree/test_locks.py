"""Locks as they are read, kept as text, and laid out for the kernels."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_subjects import spot_text

import errai
from errai.errors import LockError
from errai.games.lock_file import LockTables, load_locks
from errai.games.spot import parse_spot
from errai.kernels.layout import BEST, FIXED, LEARNS
from errai.tree.locks import NodeLocks
from errai.tree.public_tree import build_public_tree, plan_public_tree

FLOP = parse_spot(spot_text("Qs Jh 2c", "AA, KQs, 54s:0.5", "KK, T9s, A5s", bet="50%", stack=300))
LEDUC = errai.load_game("leduc")


def locks_of(given: Any, subject: Any = FLOP) -> NodeLocks:
    found = plan_public_tree(subject, locks=given).locks
    assert found is not None
    return found


def hands_with(locks: NodeLocks, chosen: np.ndarray) -> set[str]:
    return {locks.hands[i] for i in np.flatnonzero(chosen)}


SUITED = {f"A{s}5{s}" for s in "cdhs"}
TENS = {f"T{s}9{s}" for s in "cdhs"}


def test_hands_frequencies_best_and_all_others() -> None:
    locks = locks_of({"check": {"KK": {"bet 50": 1}, "T9s": {"check": 0.25, "b50": 0.75}, "*": "best"}})
    (lock,) = locks.locks
    assert (locks.betting.path(lock.node), lock.dealt) == (("check",), ())
    assert hands_with(locks, lock.role == BEST) == SUITED
    assert hands_with(locks, lock.strategy[0] == 0.25) == TENS
    assert hands_with(locks, lock.strategy[1] == 0.75) == TENS
    assert (lock.role == FIXED).sum() == len(TENS) + 6
    assert hands_with(locks, lock.strategy[1] == 1.0) == hands_with(locks, lock.role == FIXED) - TENS
    assert not lock.strategy[:, lock.role != FIXED].any()


@pytest.mark.parametrize("given", [{"check": 0.5, "bet 50": 0.5}, {"*": {"x": 0.5, "bet": 0.5}}])
def test_all_hands_of_a_decision(given: Any) -> None:
    (lock,) = locks_of({"": given}).locks
    # Six pairs of aces; of four suits each, king-queen without the queen of spades, and five-four.
    assert (lock.role == FIXED).sum() == 6 + 3 + 4
    assert (lock.strategy[:, lock.role == FIXED] == 0.5).all()


def test_cards_take_hands_away() -> None:
    locks = locks_of({"check check / Ah /": {"AA": {"check": 1}}})
    (lock,) = locks.locks
    assert lock.dealt == ((50,),)
    assert hands_with(locks, lock.role == FIXED) == {"AdAc", "AsAc", "AsAd"}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("check check / * / check check / 7s", "check check / * / check check / 7s /"),
        ("k k 7s k k *", "check check / 7s / check check / * /"),
        ("k k * k k * k", "check check / * / check check / * / check"),
        ("bet 50 call / 10h", "bet 50 call / Th /"),
    ],
)
def test_lines_and_any_cards(line: str, expected: str) -> None:
    locks = locks_of({line: "best"})
    assert list(locks.to_dict()) == [expected]
    assert list(locks_of(locks.to_dict()).to_dict()) == [expected]


def test_games_with_other_decks() -> None:
    locks = locks_of({"": {"K, Qs": {"check": 1}}, "check check / Kh /": {"A": {"bet 4": 1}}}, LEDUC)
    assert hands_with(locks, locks.locks[0].role == FIXED) == {"Kh", "Ks", "Qs"}
    assert hands_with(locks, locks.locks[1].role == FIXED) == {"Ah", "As"}
    two_cards = errai.load_game("holdem-2-1")
    pairs = locks_of({"": {"AA, KsQs": "best"}}, two_cards)
    assert {"KsQs"} < hands_with(pairs, pairs.locks[0].role == BEST)


def test_text_keeps_every_bit() -> None:
    random = np.random.default_rng(3)
    table = {}
    for hand in ("AcAd", "AcAh", "KhQh", "5s4s", "5h4h"):
        share = random.random(2)
        table[hand] = {"check": float(share[0] / share.sum()), "bet 50": float(share[1] / share.sum())}
    # Rounded numbers are divided by their sum, once.
    table["AdAh"] = {"check": 0.333333, "bet 50": 0.6666669}
    first = locks_of({"": table})
    again = locks_of(json.loads(json.dumps(first.to_dict())))
    assert np.array_equal(first.locks[0].role, again.locks[0].role)
    assert np.array_equal(first.locks[0].strategy, again.locks[0].strategy)
    assert first.locks[0].strategy.sum(axis=0)[first.locks[0].role == FIXED] == pytest.approx(1.0, abs=1e-15)


MIXED = {
    "": {"AA": {"check": 0.25, "bet 50": 0.75}},
    "check check / * /": {"KQs": {"check": 1}},
    "check check / 7s /": {"AA": "best"},
    "check check / 7s / check": {"T9s": {"bet 50": 1}},
    "check check / 7s / check check / * /": {"54s": {"check": 0.5, "bet 50": 0.5}},
}


def test_arrays_say_of_every_board_what_the_locks_say() -> None:
    tree = build_public_tree(FLOP, locks=MIXED)
    assert tree.locks is not None
    known, locked = len(tree.root.board), 0
    for s, (street, deal) in enumerate(zip(tree.arrays.streets, tree.deal.streets, strict=True)):
        for p in (0, 1):
            nodes = [int(node) for node in tree.betting.decision_nodes(s, p)]
            for b, board in enumerate(deal.boards.tolist()):
                hand = deal.hands[p].hand[deal.hands[p].start[b] : deal.hands[p].start[b + 1]]
                for d, node in enumerate(nodes):
                    role, strategy = expected_at(tree.locks, node, tuple((c,) for c in board[known:]))
                    number = -1 if street.locks[p] is None else street.locks[p].at[b * len(nodes) + d]
                    if number < 0:
                        assert not role[hand].any()
                        continue
                    kept = street.locks[p]
                    assert kept is not None
                    assert np.array_equal(kept.role[kept.role_start[number] : kept.role_start[number + 1]], role[hand])
                    found = kept.strategy[kept.strategy_start[number] : kept.strategy_start[number + 1]]
                    assert np.array_equal(found.reshape(-1, len(hand)), strategy[:, hand])
                    assert role[hand].any()
                    locked += 1
                # Hands of a class are locked alike.
                starts = deal.hands[p].member_start[deal.hands[p].start[b] : deal.hands[p].start[b + 1] + 1]
                roles = [expected_at(tree.locks, node, tuple((c,) for c in board[known:]))[0] for node in nodes]
                for first, last in pairwise(starts):
                    assert all(len(set(role[deal.hands[p].member[first:last]])) == 1 for role in roles)
    assert locked > 90


def expected_at(locks: NodeLocks, node: int, dealt: tuple[tuple[int, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
    """All locks of a node on a board, put together by hand."""
    role = np.zeros(len(locks.hands), np.uint8)
    strategy = np.zeros((int(locks.betting.num_children[node]), len(locks.hands)))
    for lock in locks.locks:
        if lock.node == node and all(mine in (None, new) for mine, new in zip(lock.dealt, dealt, strict=True)):
            role += lock.role
            strategy += lock.strategy
    return role, strategy


def test_only_symmetries_that_keep_all_locks_are_used() -> None:
    board = "Qs Jh 2s"  # Clubs and diamonds may change places.
    spot = parse_spot(FLOP.to_toml().replace('board = "QsJh2c"', f'board = "{board}"').replace("Qs Jh 2c", board))

    def symmetries(locks: Any) -> int:
        return len(plan_public_tree(spot, locks=locks).root.symmetries)

    assert symmetries(None) == 2
    assert symmetries({"": {"AA": {"check": 1}}}) == 2
    assert symmetries({"": {"AcAh": {"check": 1}}}) == 1
    assert symmetries({"": {"AcAh": {"check": 1}, "AdAh": {"check": 1}}}) == 2
    assert symmetries({"": {"AcAh": {"check": 1}, "AdAh": {"check": 0.5, "bet 50": 0.5}}}) == 1
    assert symmetries({"": {"AcAh": {"check": 1}, "AdAh": "best"}}) == 1
    assert symmetries({"check check / 7s": {"AA": {"check": 1}}}) == 2
    assert symmetries({"check check / 7c": {"AA": {"check": 1}}}) == 1
    both = {"check check / 7c": {"AA": {"check": 1}}, "check check / 7d": {"AA": {"check": 1}}}
    assert symmetries(both) == 2
    assert symmetries({**both, "check check / * / check check / 8c": "best"}) == 1


def test_memory_of_locks_is_counted() -> None:
    tree = build_public_tree(FLOP, locks=MIXED)
    plan, free = plan_public_tree(FLOP, locks=MIXED), plan_public_tree(FLOP)
    assert len(plan.root.symmetries) == len(free.root.symmetries)
    taken = sum(
        array.nbytes
        for street in tree.arrays.streets
        for locks in street.locks
        if locks is not None
        for array in (locks.at, locks.role, locks.strategy)
    )
    assert taken <= plan.deal_bytes - free.deal_bytes <= 60 * taken


@pytest.mark.parametrize(
    ("locks", "message"),
    [
        ([1], "Locks are a table"),
        ({"fold": "best"}, "line 'fold': 'fold' is not possible at the root; the actions there are: check, bet 50"),
        ({"bet 60": "best"}, "'bet 60' is not possible at the root"),
        ({"check bet 50 fold": "best"}, "no player acts there: the hand is over"),
        ({"check check": "best"}, "the street is closed there; name the cards that come"),
        ({"check / 7s": "best"}, "no card is dealt at '7s'"),
        ({"check check check": "best"}, r"1 card must be dealt at 'check', or \* for any"),
        ({"check check / 7s8s": "best"}, "1 card must be dealt at '7s8s'"),
        ({"check check / Qs": "best"}, "Qs is on the table already"),
        ({"check check / 7s / check check / 7s": "best"}, "7s is on the table already"),
        ({"": {}}, "a table of hands was expected"),
        ({"": 3}, "a table of hands was expected, not 3"),
        ({"": {"AA": 1, "KQs": "best"}}, "frequencies of actions were expected|how often each action is taken"),
        ({"": {"AXs": "best"}}, "the first decision, AXs: "),
        ({"": {"AA:0.5": "best"}}, "hands have no weights here"),
        ({"": {"KK": "best"}}, "KdKc is not in the range of the player who acts"),
        ({"check": {"QsQh": "best"}}, "the board leaves none of these hands"),
        ({"": {"": "best"}}, "the board leaves none of these hands"),
        ({"": {"AA": "best", "AcAd": "best"}}, "AdAc is locked twice at this decision"),
        ({"check": {"KK": "best"}, "k": {"KK": "best"}}, "KdKc is locked twice at this decision"),
        ({"k k / *": {"AA": "best"}, "k k / 7s": {"AcAd": "best"}}, "AdAc is locked twice at a decision"),
        ({"": {"AA, KQs, 54s": "best", "*": "best"}}, "there are none"),
        ({"": {"AA": "worst"}}, "not worst"),
        ({"": {"AA": {"bet 60": 1}}}, "the first decision, AA: 'bet 60' is not possible at the root"),
        ({"": {"AA": {"bet 50": 0.5, "b": 0.5}}}, "the action 'b' occurs twice"),
        ({"": {"AA": {"bet 50": 1.5}}}, "'bet 50' has the frequency 1.5; use numbers from 0 to 1"),
        ({"": {"AA": {"bet 50": float("nan")}}}, "has the frequency nan"),
        ({"": {"AA": {"bet 50": True}}}, "has the frequency True"),
        ({"": {"AA": {"bet 50": "1"}}}, "has the frequency 1;"),
        ({"": {"AA": {"bet 50": 0.5}}}, "the frequencies sum to 0.5, not to 1"),
        ({"": {"check": 0.5, "bet 50": 0.6}}, r"the first decision, \*: the frequencies sum to 1.1, not to 1"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(locks: Any, message: str) -> None:
    with pytest.raises(LockError, match=message):
        errai.solve(FLOP, locks=locks, backend="reference", max_iterations=1)


def test_hands_of_other_decks_that_are_none() -> None:
    for hands, message in (("2", "'2' is not a hand"), ("KsQs", "not a hand of 1 cards?"), ("X", "'X' is not a hand")):
        with pytest.raises(LockError, match=message):
            locks_of({"": {hands: "best"}}, LEDUC)


def test_a_file_names_the_line_of_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "locks.toml"
    path.write_text('["check"]\n"KK" = { "bet 50" = 1 }\n\n["check check / 7s"]\n"AA" = { check = 0.5 }\n')
    with pytest.raises(LockError, match=r"locks.toml, line 5: Locks of the line 'check check / 7s', AA: the freq"):
        locks_of(load_locks(path))
    path.write_text(path.read_text().replace("check = 0.5", "check = 1"))
    assert list(locks_of(load_locks(path)).to_dict()) == ["check", "check check / 7s /"]
    path.write_text('["check"\n')
    with pytest.raises(LockError, match="line 1, column 9: The file of locks is not valid TOML"):
        load_locks(path)
    with pytest.raises(LockError, match="cannot be read"):
        load_locks(tmp_path / "none.toml")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(LockError, match="The file of locks is not UTF-8 text"):
        load_locks(path)


def test_without_locks_nothing_changes() -> None:
    for locks in (None, {}, LockTables({})):
        plan = plan_public_tree(FLOP, locks=locks)
        assert plan.locks is None
        assert all(street.locks == (None, None) for street in plan.build().arrays.streets)


def test_the_example_of_the_docs_is_understood(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "spots.md").read_text(encoding="utf-8")
    section = text[text.index("## Locks") : text.index("## Errors")]
    path = tmp_path / "locks.toml"
    path.write_text(section.split("```toml\n")[1].split("```")[0])
    spot = parse_spot("""
    board = "Qs Jh 2c 8d"
    pot = 100
    stack = 900
    ranges = { oop = "random", ip = "JJ-77, A5s, A4s, AKs, KQo" }
    bets = { bet = "50%, 75%", raise = "a" }
    """)
    locks = locks_of(load_locks(path), spot)
    assert list(locks.to_dict()) == ["check", "check bet 50 call / * / check", "check bet 50 call / 7s / bet 150"]
    assert (locks.locks[0].role != LEARNS).sum() == (locks.locks[1].role != LEARNS).sum()
