"""How often a node is reached, and how far it is from an equilibrium, against a plain walk over real hands."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from plain_walk import ALL, PlainWalk, chosen, plain, solved
from small_subjects import spot_text

import errai
from errai.games.spot import parse_spot
from errai.solutions.node import SolutionNode
from errai.solutions.solution import Solution


def best(walk: PlainWalk, node: SolutionNode, p: int, weights: np.ndarray) -> np.ndarray:
    """float64[own hands]: chips won from a node on with a best response, summed over the pairs by their weights."""
    if node.kind in ("fold", "showdown"):
        won = walk.won[node.line][p]
        return (weights * (won if p == 0 else won.T)).sum(axis=1)
    if node.kind == "chance":
        total = np.zeros(len(walk.held))
        count = walk.solution.tree.root.new_cards[node.street]
        left = walk.solution.deck.num_cards - len(node.board) - 2 * len(next(iter(walk.cards)))
        for cards in combinations(node.children, count):
            dealt = set(walk.solution.deck.parse_cards("".join(cards)))
            free = np.array([not walk.cards[i] & dealt for i in walk.held])
            after = weights * free[:, None] * free[None, :] / math.comb(left, count)
            total += best(walk, node["".join(cards)], p, after)
        return total
    found = []
    for a, action in enumerate(node.actions):
        child = node[action]
        if node.player == p:
            cost = child.pot_chips - node.pot_chips
            found.append(best(walk, child, p, weights) - cost * weights.sum(axis=1))
        else:
            often = np.nan_to_num(node.strategies[walk.held][:, a])
            found.append(best(walk, child, p, weights * often[None, :]))
    return np.max(found, axis=0) if node.player == p else np.sum(found, axis=0)


@pytest.mark.parametrize("name", ALL)
def test_what_both_could_still_gain(name: str) -> None:
    walk, compared = plain(name), 0
    for node in chosen(name)[:: 30 if name in ("flop", "two-cards-short") else 7]:
        if node.line == "" and name not in ("kuhn", "leduc", "river"):
            continue  # the plain walk of a whole large tree takes long; its root has the certificate
        gains, pairs = 0.0, 0.0
        for p in (0, 1):
            weights = walk.pairs(node, p)
            mine = node.ranges[p][walk.held]
            won = walk.won[node.line][p]
            follows = (weights * (won if p == 0 else won.T)).sum(axis=1)
            gains += float(mine @ (best(walk, node, p, weights) - follows))
            pairs = float(mine @ weights.sum(axis=1))
        expected = gains / 2 / pairs / node.pot_chips
        assert node.unconverged == pytest.approx(expected, abs=1e-8), node.line
        compared += expected > 1e-3
    assert compared > 0


@pytest.mark.parametrize("name", ALL)
def test_at_the_root_it_is_the_certificate(name: str) -> None:
    solution = solved(name)
    assert solution.root.unconverged == pytest.approx(solution.exploitability.pot_percent / 100, rel=1e-12)
    assert solution.root.reached == 1.0


def ends(node: SolutionNode) -> float:
    """How often the ends of the game below a node are reached, over all cards."""
    if node.kind in ("fold", "showdown"):
        return node.reached
    steps = node.actions
    if node.kind == "chance":
        steps = ["".join(c) for c in combinations(node.children, node.solution.tree.root.new_cards[node.street])]
    return sum(ends(node[step]) for step in steps)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "river", "turn, unequal", "two-cards-short"])
def test_all_ends_together_are_reached_once(name: str) -> None:
    assert ends(solved(name).root) == pytest.approx(1.0, abs=1e-9)


def test_lines_that_are_hardly_played_are_far_from_an_equilibrium() -> None:
    """A solution of 0.1 % of the pot, and its strategy after bets that are hardly ever made."""
    text = spot_text("Qs Jh 2c 8d 3s", "QQ, JTs, 65s", "AQs, JJ, T9s", bet="33%, a", raises="50%, a", stack=3000)
    solution = errai.solve(parse_spot(text), target="0.1%pot", threads=1)
    nodes = list(_decisions(solution.root))
    rare = [n for n in nodes if 0 < n.reached < 1e-4]
    assert solution.root.unconverged < 0.001
    assert max(n.unconverged for n in rare) > 0.02
    # What a node's players lose there, times how often it is reached, is part of what the whole loses.
    for n in nodes:
        if n.reached > 0:
            assert n.reached * n.unconverged * n.pot_chips <= solution.exploitability.chips + 1e-9


def test_where_nobody_gets_there_it_is_not_known() -> None:
    node = _never(solved("kuhn"))
    assert node.reached == 0.0
    assert math.isnan(node.unconverged)


def _never(solution: Solution) -> SolutionNode:
    from dataclasses import replace

    node = solution.root["check"]
    return replace(node, ranges=node.ranges * 0.0)


def _decisions(node: SolutionNode):
    if node.player is not None:
        yield node
        for action in node.actions:
            yield from _decisions(node[action])
