"""Pictures of abstractions."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from errai.abstraction.buckets import CardAbstraction
from errai.abstraction.contents import RoundContents, round_contents
from errai.abstraction.deals import DealIndexer
from errai.games.catalogue import load_game
from errai.pictures.buckets import MOST_BARS, bucket_drawing, hand_cells, round_drawing


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(("name", "cells", "first"), [("holdem.limit.2p", 169, "AA"), ("leduc", 3, "A")])
def test_every_hand_has_one_cell(name: str, cells: int, first: str) -> None:
    deals = DealIndexer(load_game(name))
    found, columns = hand_cells(deals)
    assert len(found) == cells
    assert found[0].label == first
    assert columns == deals.deck.num_ranks
    assert np.array_equal(np.sort(np.concatenate([cell.hands for cell in found])), np.arange(deals.num_hands))


def test_cells_of_hold_em_hold_the_hands_they_say() -> None:
    deals = DealIndexer(load_game("holdem.limit.2p"))
    for cell in hand_cells(deals)[0]:
        texts = {deals.deck.cards_text(deals.hands[hand][::-1]) for hand in cell.hands}
        assert {"".join(sorted(text[::2])) for text in texts} == {"".join(sorted(cell.label[:2]))}
        suited = {text[1] == text[3] for text in texts}
        assert suited == {cell.label.endswith("s")}


def test_a_round() -> None:
    abstraction = CardAbstraction.identity(load_game("leduc"))
    svg = round_drawing(abstraction.deals, round_contents(abstraction, 0)).svg()
    shown = texts(svg)
    # A king beats a queen and loses to an ace or a pair: E[HS] one half.
    assert {"A", "K", "Q", "0.500"} <= set(shown)
    assert "leduc: preflop" in shown
    assert "3 buckets" in shown


def test_a_bucket_and_many_bars() -> None:
    deals = DealIndexer(load_game("holdem.limit.2p"))
    count = 3 * MOST_BARS
    contents = RoundContents(1, np.full(count, 1 / count), np.linspace(0.1, 0.9, count), np.full(1326, 0.5), False)
    by_hand = np.zeros(1326)
    by_hand[0] = 1.0
    drawing = bucket_drawing(deals, contents, 450, by_hand)
    shown = texts(drawing.svg())
    assert "100.0 %" in shown
    assert "This bucket: 0.167 % of all hands" in shown
    assert "A bar is the mean of neighbours." in shown
    assert any("sizes and E[HS] from boards drawn at random" in text for text in shown)
    assert drawing.png(scale=1.0).startswith(b"\x89PNG")
