"""Textures of boards: what they distinguish, and what they must not."""

from __future__ import annotations

import numpy as np
import pytest
from small_subjects import subject

from errai.blueprints.abstractions import ByStrength, ByTexture, texture
from errai.games.catalogue import load_game

HOLDEM = load_game("holdem.limit.2p")


def of(cards: str):
    deck = HOLDEM.deck
    return texture(tuple(deck.parse_cards(cards)), deck.num_suits, deck.num_ranks)


@pytest.mark.parametrize(
    ("cards", "wanted"),
    [
        ("AsKsQs", ((3,), (1, 1, 1), 0, 3)),
        ("AcKsQs", ((2, 1), (1, 1, 1), 0, 3)),
        ("Ac3s2d", ((1, 1, 1), (1, 1, 1), 0, 3)),  # the ace is low as well
        ("Kc3s2d", ((1, 1, 1), (1, 1, 1), 1, 2)),
        ("9c9s9d", ((1, 1, 1), (3,), 3, 1)),
        ("9c9s4d4h", ((1, 1, 1, 1), (2, 2), 3, 1)),
        ("8c7s6d2h", ((1, 1, 1, 1), (1, 1, 1, 1), 3, 3)),
    ],
)
def test_textures_of_known_boards(cards, wanted):
    assert of(cards) == wanted


def test_suits_and_the_order_of_cards_do_not_matter():
    random = np.random.default_rng(0)
    for _ in range(300):
        board = random.permutation(52)[:4]
        suits = random.permutation(4)
        renamed = random.permutation(board // 4 * 4 + suits[board % 4])
        assert texture(tuple(board.tolist()), 4, 13) == texture(tuple(renamed.tolist()), 4, 13)


def test_buckets_are_those_of_the_abstraction_divided_by_texture():
    game = subject("rhode-island-short")
    inner = ByStrength(game, 3)
    divided = ByTexture(inner)
    seen = {}
    for first in range(12):
        for second in range(12):
            board = (first, second)
            if first == second:
                continue
            found, plain = divided.buckets(board, 2), inner.buckets(board, 2)
            live = plain >= 0
            np.testing.assert_array_equal(found >= 0, live)
            assert found.max() < divided.num_buckets(2)
            np.testing.assert_array_equal(found[live] % 3, plain[live])
            key = texture(board, game.deck.num_suits, game.deck.num_ranks)
            assert set((found[live] // 3).tolist()) == {seen.setdefault(key, int(found[live][0] // 3))}
    assert len(set(seen.values())) == len(seen) == len(divided.of_round(2)) > 1
    assert divided.digest() != inner.digest()
    np.testing.assert_array_equal(divided.buckets((), 0), inner.buckets((), 0))
