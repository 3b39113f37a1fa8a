"""Lines of actions and cards in the users' notation."""

from __future__ import annotations

import pytest

from errai.tree.lines import matching_actions, split_line

FACING = ("fold", "call", "raise 300", "raise 900")
FIRST = ("check", "bet 120")


@pytest.mark.parametrize(
    ("line", "actions"),
    [
        ("", []),
        ("bet 2/check", ["bet 2", "check"]),
        ("check, bet 120 | call", ["check", "bet 120", "call"]),
        ("k-b120-c", ["k", "b120", "c"]),
        ("bet All-In call", ["bet", "allin", "call"]),
        ("12 check", ["12", "check"]),
    ],
)
def test_a_line_is_split_into_actions(line: str, actions: list[str]) -> None:
    assert list(split_line(line)) == actions


@pytest.mark.parametrize(
    ("text", "labels", "found"),
    [
        ("Raise  300", FACING, [2]),
        ("raise", FACING, [2, 3]),
        ("r300", FACING, [2]),
        ("b900", FACING, [3]),
        ("bet 900", FACING, []),
        ("all-in", FACING, [3]),
        ("allin", FACING, [3]),
        ("f", FACING, [0]),
        ("c", FACING, [1]),
        ("c", FIRST, [0]),
        ("k", FIRST, [0]),
        ("x", FACING, []),
        ("bet", FIRST, [1]),
        ("", FIRST, []),
        ("raise 3", FACING, []),
    ],
)
def test_an_action_is_matched(text: str, labels: tuple[str, ...], found: list[int]) -> None:
    assert matching_actions(text, labels, [label == "raise 900" for label in labels]) == found


def test_sizes_in_big_blinds() -> None:
    labels, all_in = ("fold", "call", "raise 250", "raise 1000"), [False, False, False, True]
    assert matching_actions("raise 2.5bb", labels, all_in, (), 100.0) == [2]
    assert matching_actions("b10BB", labels, all_in, (), 100.0) == [3]
    assert matching_actions("raise 3bb", labels, all_in, (), 100.0) == []
    assert matching_actions("raise 2.5bb", labels, all_in) == []
    assert list(split_line("raise 2.5bb call")) == ["raise 2.5bb", "call"]
