"""A solution in which some hands play as locks say, and what responding to it gains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from leaf_doubles import ZeroLeafValues
from plain_response import best_sums
from small_subjects import TURN, TURN_ALIKE, WEIGHTED_RIVER

import errai
from errai.errors import InputError, LockError
from errai.games.spot import parse_spot
from errai.solutions.exploit import exploit
from errai.solutions.line_patterns import decisions
from errai.solutions.locked_play import with_locks
from errai.solutions.relative_locks import relative_locks
from errai.tree import deal_root as deal_root_module

SUBJECTS: dict[str, Any] = {
    "kuhn": lambda: errai.load_game("kuhn"),
    "leduc": lambda: errai.load_game("leduc"),
    "river": lambda: parse_spot(WEIGHTED_RIVER),
    "turn": lambda: parse_spot(TURN),
    "turn, merged": lambda: parse_spot(TURN_ALIKE),
}
LOCKS: dict[str, dict[str, Any]] = {
    "kuhn": {"check bet": {"K": {"fold": 1}}, "bet": {"K": {"call": 1}}},
    "leduc": {"check check / * / check": {"*": {"check": 1}}, "bet": {"K": {"fold": 0.25, "call": 0.75}}},
    "river": {"check": {"*": {"check": 1}}, "": {"AA": {"check": 0.5, "bet 50": 0.5}}},
    "turn": {"check check / * / check": {"*": {"check": 0.5, "bet 100": 0.5}}},
    "turn, merged": {"check check / * / check": {"JJ-TT": {"check": 0.25, "bet 70": 0.75}}},
}


def solved(name: str, **settings: Any) -> errai.Solution:
    return errai.solve(SUBJECTS[name](), max_iterations=30, precision="float64", **settings)


@pytest.mark.parametrize("name", LOCKS)
def test_locked_hands_play_their_locks_and_all_others_as_before(name: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(deal_root_module, "WORTH_MERGING", 0.0)
    before = solved(name)
    if name == "turn, merged":
        assert before.tree.root.equivalence is not None
    kept = [[array.copy() for array in pair] for pair in before.strategy]
    after = with_locks(before, LOCKS[name])
    for pair, old in zip(before.strategy, kept, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(pair, old, strict=True))
    for line, table in LOCKS[name].items():
        for node in decisions(after, line):
            old = before.at(node.line).strategies
            for hand, own, was in zip(node.hands, node.strategies, old, strict=True):
                if np.isnan(own).any():
                    continue
                plays = next((p for text, p in table.items() if text == "*" or named(text, hand)), None)
                wanted = was if plays is None else [plays.get(action, 0.0) for action in node.actions]
                np.testing.assert_allclose(own, wanted, atol=1e-12, err_msg=f"{node.line} {hand}")
    assert after.verify().certified
    assert before.verify().certified


def named(text: str, hand: str) -> bool:
    """Whether a hand of two cards, or of one, is one of these texts."""
    ranks = "".join(sorted(hand[::2]))
    return ranks in {"AA": ["AA"], "JJ-TT": ["JJ", "TT"], "K": ["K"]}[text]


@pytest.mark.parametrize("name", ["kuhn", "leduc", "river"])
def test_the_gain_against_a_recursion_over_the_nodes(name: str) -> None:
    root = with_locks(solved(name), LOCKS[name]).root
    for p in (0, 1):
        found = exploit(root, p)
        wanted = root.ranges[p] @ (best_sums(root, p) - np.nan_to_num(root.counterfactual(p)))
        assert found.gain_chips == pytest.approx(wanted / root.pair_weights[p].sum(), abs=1e-9)
        assert found.gain_chips == pytest.approx(root.solution.exploitability.by_player[p], abs=1e-9)


def test_who_folds_too_much_is_bluffed() -> None:
    solution = errai.solve(SUBJECTS["river"](), "0.1%pot")
    more = relative_locks(solution, "bet 50", "more", "fold +20%", floor=0.02)
    before, after = exploit(solution.root, 0), exploit(with_locks(solution, more.tables).root, 0)
    assert after.gain_chips > before.gain_chips + 0.1
    # The other player's gain is what the opponent loses by folding too much.
    assert after.node.solution.values.chips[0] == pytest.approx(solution.values.chips[0], abs=20.0)


@pytest.mark.parametrize("encoding", ["uint16", "float32"])
def test_encodings(encoding: Any) -> None:
    before = errai.solve(SUBJECTS["turn"](), max_iterations=30, encoding=encoding)
    after = with_locks(before, LOCKS["turn"])
    step = 1e-4 if encoding == "uint16" else 1e-6
    for node in decisions(after, "check check / * / check"):
        held = ~np.isnan(node.strategies).any(axis=1)
        wanted = [0.5 if action in ("check", "bet 100") else 0.0 for action in node.actions]
        np.testing.assert_allclose(node.strategies[held], np.tile(wanted, (held.sum(), 1)), atol=step)
    assert after.verify().certified


def test_what_is_refused() -> None:
    kuhn = solved("kuhn")
    with pytest.raises(LockError, match="have to be solved"):
        with_locks(kuhn, {"bet": "best"})
    with pytest.raises(LockError, match=r"sum to 0\.5"):
        with_locks(kuhn, {"bet": {"fold": 0.5}})
    river, turn = solved("river"), solved("turn")
    node = river.at("check")
    one = next(node.hands[some[0]] for some in exploit(node).alike() if len(some) > 1)
    with pytest.raises(LockError, match="after 'check' distinguish hands or boards"):
        with_locks(river, {"check": {one: {"check": 1}}})
    # Neither clubs nor diamonds are on this board, so a card of clubs stands for that of diamonds too.
    with pytest.raises(LockError, match="distinguish hands or boards"):
        with_locks(turn, {"check check / 3c / check": {"*": {"check": 1}}})
    assert with_locks(kuhn, {}) is kuhn
    cut = errai.solve(SUBJECTS["leduc"](), max_iterations=3, leaf_values=ZeroLeafValues(), depth=0)
    with pytest.raises(InputError, match="nothing can be locked"):
        with_locks(cut, {"bet": {"fold": 1}})
