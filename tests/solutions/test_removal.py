"""What hands take away from the opponent, against sums over all pairs of hands."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import WEIGHTED_RIVER

import errai
from errai.games.spot import parse_spot
from errai.solutions.node import SolutionNode
from errai.solutions.removal import removed_shares, responses


@pytest.fixture(scope="module")
def root() -> SolutionNode:
    """The root of a river with weights."""
    return errai.solve(parse_spot(WEIGHTED_RIVER), "1%pot", threads=1).root


def share_a_card(first: str, second: str) -> bool:
    """Whether two hands of two cards have one in common."""
    return bool({first[:2], first[2:]} & {second[:2], second[2:]})


def test_the_share_of_the_range_that_hands_remove(root: SolutionNode) -> None:
    hands = [root.hand_index(hand) for hand in ("KsKh", "AsQc", "5d4d")]
    found = removed_shares(root, 0, hands)
    for hand, share in zip(hands, found, strict=True):
        weights = dict(zip(root.hands, root.ranges[1].tolist(), strict=True))
        gone = sum(weight for other, weight in weights.items() if share_a_card(root.hands[hand], other))
        assert share == pytest.approx(gone / sum(weights.values()))
    assert 0 < found.min() < found.max() < 1


@pytest.mark.parametrize(("line", "player", "steps"), [("", 0, ["check", "bet 50", "bet 300"]), ("check", 0, [""])])
def test_the_answers_to_hands(root: SolutionNode, line: str, player: int, steps: list[str]) -> None:
    node = root["check"] if line else root
    hands = [root.hand_index(hand) for hand in ("KsKh", "AsAh")]
    found = responses(node, player, hands)
    assert [one.step for one in found] == steps
    for one in found:
        after = node[one.step] if one.step else node
        assert one.node.line == after.line
        for n, hand in enumerate(hands):
            left, gone = np.zeros(len(after.actions)), np.zeros(len(after.actions))
            for i, other in enumerate(root.hands):
                if weight := after.ranges[1 - player, i]:
                    taken = weight * after.strategies[i]
                    if share_a_card(root.hands[hand], other):
                        gone += taken
                    else:
                        left += taken
            np.testing.assert_allclose(one.with_hand[n], left / left.sum())
            np.testing.assert_allclose(one.removed[n], gone / (left + gone))


def test_nobody_answers_where_the_hand_is_over(root: SolutionNode) -> None:
    assert responses(root["check"]["check"], 0, [root.hand_index("KsKh")]) == []
    assert [one.step for one in responses(root["bet 50"], 1, [root.hand_index("JsJc")])] == ["raise 300"]
