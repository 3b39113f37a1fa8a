"""The spots that other solvers were measured on have the same trees here.

Source: postflop-solver's own counts of nodes and strategy entries for the same settings.  It keeps a hand in
every array when the board of the spot's first street leaves it, also on later streets where a card blocks it, and
deals turns and rivers up to the suits that the cards dealt before leave equal.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from errai.cards.deck import FULL_DECK
from errai.games.spot import Spot, load_spot
from errai.tree.betting_tree import BettingTree, build_betting_tree

ROOT = Path(__file__).parents[2]


def suit_symmetries(groups: tuple[frozenset[int], ...]) -> list[tuple[int, ...]]:
    """Renamings of suits that keep the cards of every street (flop, turn, river) as they are."""

    def renamed(cards: frozenset[int], suits: tuple[int, ...]) -> frozenset[int]:
        return frozenset(card // 4 * 4 + suits[card % 4] for card in cards)

    return [suits for suits in permutations(range(4)) if all(renamed(group, suits) == group for group in groups)]


def boards_per_street(spot: Spot, num_streets: int) -> list[int]:
    boards = [(frozenset(spot.board[:3]), *(frozenset([card]) for card in spot.board[3:]))]
    counts = []
    for _ in range(num_streets):
        counts.append(len(boards))
        longer = []
        for groups in boards:
            dealt = frozenset().union(*groups)
            symmetries = suit_symmetries(groups)
            seen: set[int] = set()
            for card in range(FULL_DECK.num_cards):
                if card not in dealt and card not in seen:
                    seen.update(card // 4 * 4 + suits[card % 4] for suits in symmetries)
                    longer.append((*groups, frozenset([card])))
        boards = longer
    return counts


def entries(spot: Spot, tree: BettingTree) -> int:
    hands = [int((held.without(spot.board).weights > 0).sum()) for held in spot.ranges]
    boards = boards_per_street(spot, tree.num_streets)
    return sum(
        boards[street] * tree.num_rows(street, player) * hands[player]
        for street in range(tree.num_streets)
        for player in range(2)
    )


@pytest.mark.parametrize(
    ("file", "hands", "boards", "nodes", "expected"),
    [
        ("examples/river.toml", (1081, 1081), [1], 45, 47_564),
        ("examples/turn.toml", (171, 253), [1, 48], 7_491, 1_414_888),
        ("examples/flop.toml", (180, 265), [1, 36, 1_429], 238_362, 45_030_440),
        ("examples/turn-donk.toml", (167, 250), [1, 48], 7_347, 1_359_513),
        ("benchmarks/spots/s4.toml", (167, 250), [1, 48], 7_347, 1_359_513),
    ],
)
def test_nodes_and_strategy_entries(
    file: str, hands: tuple[int, int], boards: list[int], nodes: int, expected: int
) -> None:
    spot = load_spot(ROOT / file)
    tree = build_betting_tree(spot)
    assert tuple(int(np.count_nonzero(held.without(spot.board).weights)) for held in spot.ranges) == hands
    assert boards_per_street(spot, tree.num_streets) == boards
    assert np.dot(np.diff(tree.street_start), boards) == nodes
    assert entries(spot, tree) == expected
