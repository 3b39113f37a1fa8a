"""The drawing of a game in extensive form."""

from __future__ import annotations

import re

import pytest

import errai
from errai.errors import InputError
from errai.pictures.canvas import Path, Rect, Text, text_width
from errai.pictures.histories import PLAYERS, histories_drawing

KUHN = errai.extensive_game(errai.load_game("kuhn"), histories=True)


def test_kuhn_poker_as_papers_draw_it() -> None:
    drawing = histories_drawing(KUHN, title="Kuhn")
    texts = [item.text for item in drawing.items if isinstance(item, Text)]
    assert [texts.count(text) for text in ("Qs Ks", "1/6", "check", "bet 1", "fold", "call")] == [1, 6, 12, 12, 12, 12]
    # Of 30 ends the better hand wins one chip in 6 after two checks, and in 12 after a fold; two chips after 12 calls.
    assert [texts.count(text) for text in ("+1", "\N{MINUS SIGN}1", "+2", "\N{MINUS SIGN}2")] == [9, 9, 6, 6]
    # Six information sets of each player join two histories each.
    dashed = [item for item in drawing.items if isinstance(item, Path) and item.dash and len(item.points) > 2]
    assert [sum(item.stroke == PLAYERS[p] for item in dashed) for p in (0, 1)] == [6, 6]
    for arc in dashed:
        circles = {(c.x + 13, c.y + 13): c.fill for c in drawing.items if isinstance(c, Rect) and c.radius == 13.0}
        assert circles[arc.points[0]] == circles[arc.points[-1]] == arc.stroke
    plain = histories_drawing(KUHN, information_sets=False)
    assert not any(isinstance(item, Path) and item.dash for item in plain.items)


def test_no_two_texts_overlap() -> None:
    boxes = []
    for item in histories_drawing(KUHN).items:
        if isinstance(item, Text) and item.anchor == "middle":
            half = 0.45 * text_width(item.text, item.size)  # The estimate is too wide rather than too narrow.
            boxes.append((item.x - half, item.x + half, item.y - 0.75 * item.size, item.y))
    for number, (left, right, top, bottom) in enumerate(boxes):
        for other in boxes[:number]:
            assert right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top


def test_three_players_have_all_their_winnings_at_the_ends() -> None:
    game = errai.extensive_game(errai.load_ring_game("kuhn3"), histories=True)
    assert game.histories is not None
    drawing = histories_drawing(game, max_histories=len(game.histories))
    ends = int((game.histories.num_children == 0).sum())
    won = [item for item in drawing.items if isinstance(item, Text) and re.fullmatch(r"[+\u2212]\d|0", item.text)]
    assert len(won) == 3 * ends


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="55 histories, more than the 10 that are drawn"):
        histories_drawing(KUHN, max_histories=10)
    with pytest.raises(InputError, match="histories=True"):
        histories_drawing(errai.extensive_game(errai.load_game("kuhn")))
