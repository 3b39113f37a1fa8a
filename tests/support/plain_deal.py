"""The deal tree, board by board and hand by hand: the definition with which the fast lists are compared."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from errai.cards.strength import strength
from errai.tree.deal_root import DealRoot
from errai.tree.deal_tree import DealHands, DealStreet, DealTree, spread_order


def plain_deal_tree(root: DealRoot, *, showdown: bool = True) -> DealTree:
    """Return what :func:`errai.tree.deal_tree.build_deal_tree` returns."""
    first = root.board, -1, 1, 1, tuple(range(len(root.symmetries)))
    levels = [[first]]
    for count in root.new_cards:
        levels.append([child for b, board in enumerate(levels[-1]) for child in _children(root, b, board, count)])
    streets: list[DealStreet] = []
    for s, level in enumerate(levels):
        chance = 1.0
        if s:
            unseen = root.deck.num_cards - len(levels[s - 1][0][0]) - 2 * root.hands.shape[1]
            chance = 1.0 / comb(unseen, root.new_cards[s - 1])
        by_strength = showdown and s == len(levels) - 1
        lists = [_merged(root, s, b, board, by_strength) for b, board in enumerate(level)]
        above = streets[-1].hands if s else None
        parents = [parent for _, parent, *_ in level]
        below = [parent for _, parent, *_ in levels[s + 1]] if s + 1 < len(levels) else []
        children = [below.count(b) for b in range(len(level))]
        streets.append(
            DealStreet(
                boards=np.array([board for board, *_ in level], dtype=np.int8).reshape(len(level), -1),
                parent=np.array(parents, dtype=np.int32),
                orbit=np.array([orbit for _, _, orbit, *_ in level], dtype=np.int32),
                multiplicity=np.array([number for *_, number, _ in level], dtype=np.int64),
                child_start=np.cumsum([0, *children]).astype(np.int32),
                stabiliser=tuple(stabiliser for *_, stabiliser in level),
                hands=tuple(_listed(root, level, lists, above, chance, p) for p in (0, 1)),
            )
        )
    return DealTree(root, tuple(streets))


Board = tuple[tuple[int, ...], int, int, int, tuple[int, ...]]
"""Cards, parent, real boards below the parent's representative, real boards in all, stabiliser."""


def _children(root: DealRoot, b: int, board: Board, count: int) -> list[Board]:
    cards, _, _, multiplicity, stabiliser = board
    if root.equivalence is not None:
        merged = zip(root.equivalence.cards.tolist(), root.equivalence.orbit.tolist(), strict=True)
        return [((*cards, card), b, orbit, orbit, ()) for card, orbit in merged]
    found = []
    for new in combinations(sorted(set(range(root.deck.num_cards)) - set(cards)), count):
        images = [tuple(sorted(root.symmetries[g][list(new)].tolist())) for g in stabiliser]
        if new == min(images):
            orbit = len(set(images))
            kept = tuple(g for g, image in zip(stabiliser, images, strict=True) if image == new)
            found.append(((*cards, *new), b, orbit, multiplicity * orbit, kept))
    return found


def _merged(root: DealRoot, s: int, b: int, board: Board, by_strength: bool) -> list[tuple[int, list[int], int]]:
    """Return first hand, hands and strength of every class of hands on a board, in order."""
    cards, stabiliser = board[0], board[-1]
    classes: dict[int, list[int]] = {}
    held = (root.weights[0] > 0) | (root.weights[1] > 0)
    for h in np.flatnonzero(held & ~np.isin(root.hands, cards).any(axis=1)).tolist():
        if root.equivalence is None:
            key = min(int(root.hand_maps[g][h]) for g in stabiliser)
        else:
            key = int((root.equivalence.below[b] if s else root.equivalence.hands)[h])
        classes.setdefault(key, []).append(h)
    if not by_strength or not classes:
        return [(key, classes[key], 0) for key in sorted(classes)]
    places = np.argsort(spread_order(root.deck, root.hands))
    shown = np.array([[*root.hands[key], *cards] for key in classes], dtype=np.int16)
    strengths = dict(zip(classes, strength(shown, root.deck, root.ranking).tolist(), strict=True))
    ordered = sorted(classes, key=lambda key: (strengths[key], places[key]))
    return [(key, classes[key], strengths[key]) for key in ordered]


def _listed(
    root: DealRoot,
    level: list[Board],
    lists: list[list[tuple[int, list[int], int]]],
    above: tuple[DealHands, DealHands] | None,
    chance: float,
    player: int,
) -> DealHands:
    starts, rows, members = [0], [], []
    for (_, parent, orbit, _, _), merged in zip(level, lists, strict=True):
        held = [[key for key, _, _ in merged if root.weights[p][key] > 0] for p in (0, 1)]
        over: dict[int, tuple[int, int]] = {}  # by hand: its class on the board above, and that class's number of hands
        if above is not None:
            first, last = above[player].start[parent : parent + 2]
            for i in range(first, last):
                group = above[player].member[above[player].member_start[i] : above[player].member_start[i + 1]]
                over |= dict.fromkeys(group.tolist(), (i - first, len(group)))
        for key, group, rank in merged:
            if root.weights[player][key] > 0:
                twin = held[1 - player].index(key) if key in held[1 - player] else -1
                inside, size = over.get(key, (0, 0))
                weight = orbit * len(group) / size * chance if over else 1.0
                rows.append((key, inside, weight, rank, twin, len(group)))
                members += group
        starts.append(len(rows))
    hand, parent, up_weight, rank, twin, size = zip(*rows, strict=True) if rows else [()] * 6
    return DealHands(
        start=np.array(starts, dtype=np.int64),
        hand=np.array(hand, dtype=np.int32),
        parent=np.array(parent, dtype=np.int32),
        up_weight=np.array(up_weight),
        rank=np.array(rank, dtype=np.int32),
        twin=np.array(twin, dtype=np.int32),
        member_start=np.cumsum([0, *size]).astype(np.int64),
        member=np.array(members, dtype=np.int32),
    )
