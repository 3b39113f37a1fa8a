"""Pictures of a game in extensive form: the tree of its histories with information sets joined, as papers draw it."""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

from errai.errors import InputError
from errai.extensive.game import ExtensiveGame
from errai.extensive.histories import CHANCE, END
from errai.pictures.canvas import Drawing, text_width
from errai.pictures.palette import INK, PAPER, RGB, SOFT_INK, WHITE

PLAYERS: tuple[RGB, ...] = ((36, 100, 190), (176, 92, 12), (88, 132, 42), (136, 60, 150), (150, 16, 28))
"""The colours of players 0, 1, 2 and so on."""
SLOT, LEVEL, TOP, SIDE, RADIUS = 54.0, 116.0, 96.0, 36.0, 13.0
LINE = 15.0
"""Pixels between the winnings of two players at an end."""
MOST_HISTORIES = 400

Point = tuple[float, float]


def histories_drawing(
    game: ExtensiveGame, *, information_sets: bool = True, max_histories: int = MOST_HISTORIES, title: str = ""
) -> Drawing:
    """Draw the tree of histories of a game from the top down.

    Squares are moves of chance, circles decisions in the colour of their player with the number of the information set,
    which stays the same where a player cannot tell histories apart; dashed lines join those.  At the ends stands what
    player 0 wins, or in games with more players or without a zero sum what each of them wins.

    Raises :class:`InputError` if the game has not kept its histories, or has more than ``max_histories``.
    """
    tree = game.histories
    if tree is None:
        raise InputError(f"{game.title} has not kept its histories; make it with histories=True.")
    if len(tree) > max_histories:
        raise InputError(
            f"{game.title} has {len(tree):,} histories, more than the {max_histories:,} that are drawn; take a smaller "
            "game, or allow more."
        )
    depth, first, count = tree.depth.tolist(), tree.first_child.tolist(), tree.num_children.tolist()
    across = [0.0] * len(tree)
    ends = 0
    stack = [0]
    order = []
    while stack:
        node = stack.pop()
        order.append(node)
        if count[node]:
            stack.extend(reversed(range(first[node], first[node] + count[node])))
        else:
            across[node] = SIDE + (ends + 0.5) * SLOT
            ends += 1
    for node in reversed(order):
        if count[node]:
            across[node] = (across[first[node]] + across[first[node] + count[node] - 1]) / 2.0
    alone = game.num_players == 2 and game.is_zero_sum
    lines = 1 if alone else game.num_players
    bottom = TOP + max(depth) * LEVEL
    width = max(2 * SIDE + ends * SLOT, 420.0)
    drawing = Drawing(width, bottom + 30.0 + LINE * lines, description=title or game.title)
    drawing.text(SIDE, 32, title or game.title, size=17, bold=True)
    _key(drawing, game, alone, information_sets)
    places = [(across[node], TOP + depth[node] * LEVEL) for node in range(len(tree))]
    for node in range(1, len(tree)):
        parent = int(tree.parent[node])
        drawing.path([places[parent], places[node]], stroke=SOFT_INK, width=1.3)
    if information_sets:
        _join(drawing, game, places)
    for node in range(1, len(tree)):
        _label(drawing, game, places, node)
    for node, (x, y) in enumerate(places):
        player = int(tree.player[node])
        if player == CHANCE:
            drawing.rect(x - 8, y - 8, 16, 16, PAPER, stroke=INK, stroke_width=1.5)
        elif player == END:
            for p in range(lines):
                won = chips(float(tree.payoffs[node][p]))
                colour = INK if alone else PLAYERS[p % len(PLAYERS)]
                drawing.text(x, y + 14 + LINE * p, won, size=12.5, anchor="middle", fill=colour, bold=alone)
        else:
            number, colour = int(tree.information[node]), PLAYERS[player % len(PLAYERS)]
            drawing.rect(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS, colour, radius=RADIUS)
            drawing.text(x, y + 4.3, str(number + 1), size=12, anchor="middle", fill=WHITE, bold=True)
            name = game.names[player][number] if game.names else ""
            drawing.hint(x - RADIUS, y - RADIUS, 2 * RADIUS, 2 * RADIUS, f"player {player}, set {number + 1}: {name}")
    return drawing


def _key(drawing: Drawing, game: ExtensiveGame, alone: bool, information_sets: bool) -> None:
    x, y = SIDE, 56.0
    drawing.rect(x, y - 10, 12, 12, PAPER, stroke=INK, stroke_width=1.5)
    drawing.text(x + 19, y, "chance", size=12.5, fill=SOFT_INK)
    x += 84
    for player in range(game.num_players):
        drawing.rect(x, y - 11, 14, 14, PLAYERS[player % len(PLAYERS)], radius=7)
        drawing.text(x + 20, y, f"player {player}", size=12.5, fill=SOFT_INK)
        x += 92
    if information_sets:
        drawing.path([(x, y - 4), (x + 26, y - 4)], stroke=SOFT_INK, width=1.6, dash=(4, 3))
        drawing.text(x + 33, y, "one information set", size=12.5, fill=SOFT_INK)
        x += 176
    drawing.text(
        x, y, "at the ends: what player 0 wins" if alone else "at the ends: winnings", size=12.5, fill=SOFT_INK
    )


def _label(drawing: Drawing, game: ExtensiveGame, places: list[Point], node: int) -> None:
    """Write the move that leads to a history beside its edge, nearer to the history than to the one before."""
    tree = game.histories
    assert tree is not None
    parent = int(tree.parent[node])
    (x0, y0), (x1, y1) = places[parent], places[node]
    share = 0.7
    x, y = x0 + share * (x1 - x0), y0 + share * (y1 - y0)
    text = tree.labels[node]
    if tree.player[parent] == CHANCE:
        drawing.text(x, y - 1, text, size=12, anchor="middle", halo=PAPER, bold=True)
        odds = Fraction(float(tree.chance[node])).limit_denominator(10_000)
        drawing.text(x, y + 13, str(odds), size=11, anchor="middle", fill=SOFT_INK, halo=PAPER)
    else:
        size = min(11.5, 11.5 * (SLOT - 4) / max(text_width(text, 11.5), 1.0))
        drawing.text(x, y + 4, text, size=size, anchor="middle", fill=INK, halo=PAPER)


def _join(drawing: Drawing, game: ExtensiveGame, places: list[Point]) -> None:
    """Join the histories of each information set by dashed arcs, which pass below those in between."""
    tree = game.histories
    assert tree is not None
    sets: dict[tuple[int, int], list[int]] = defaultdict(list)
    for node, (player, number) in enumerate(zip(tree.player.tolist(), tree.information.tolist(), strict=True)):
        if player >= 0:
            sets[player, number].append(node)
    for (player, _), nodes in sets.items():
        ordered = sorted(nodes, key=lambda node: places[node])
        for left, right in pairwise(ordered):
            (x0, y0), (x1, y1) = places[left], places[right]
            # The further apart, the lower the arc; but no lower than the labels of the level.
            sag = min(12.0 + 0.05 * (x1 - x0), 0.42 * LEVEL)
            points = []
            for step in range(25):
                at = step / 24
                points.append((x0 + at * (x1 - x0), y0 + at * (y1 - y0) + sag * math.sin(math.pi * at)))
            drawing.path(points, stroke=PLAYERS[player % len(PLAYERS)], width=1.5, dash=(5, 4))


def chips(number: float) -> str:
    """Return winnings with their sign."""
    return "0" if abs(number) < 1e-9 else f"{number:+.4g}".replace("-", "\N{MINUS SIGN}")
