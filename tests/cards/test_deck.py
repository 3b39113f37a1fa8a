"""Decks and the text of cards."""

from __future__ import annotations

import pytest

from errai.cards.deck import FULL_DECK, Deck
from errai.cards.ranges import Range
from errai.errors import CardParseError, CardsError


def test_full_deck_numbers_cards_as_the_competition_does() -> None:
    assert FULL_DECK.num_cards == 52
    assert FULL_DECK.card_text(0) == "2c"
    assert FULL_DECK.card_text(51) == "As"
    assert FULL_DECK.parse_card("Ah") == 12 * 4 + 2


@pytest.mark.parametrize(("ranks", "suits"), [(3, 1), (3, 2), (5, 4), (13, 4), (8, 3), (1, 1)])
def test_text_round_trip(ranks: int, suits: int) -> None:
    deck = Deck(ranks, suits)
    texts = [deck.card_text(card) for card in range(deck.num_cards)]
    assert len(set(texts)) == deck.num_cards
    assert [deck.parse_card(text) for text in texts] == list(range(deck.num_cards))
    assert deck.parse_cards("".join(texts)) == tuple(range(deck.num_cards))
    assert deck.cards_text(deck.parse_cards(", ".join(texts))) == "".join(texts)


def test_reduced_decks_use_the_top_letters() -> None:
    assert [Deck(3, 1).card_text(card) for card in range(3)] == ["Qs", "Ks", "As"]
    assert [Deck(3, 2).card_text(card) for card in range(3)] == ["Qh", "Qs", "Kh"]


def test_either_case_and_ten_are_read() -> None:
    assert FULL_DECK.parse_card("aH") == FULL_DECK.parse_card("Ah")
    assert FULL_DECK.parse_card("10d") == FULL_DECK.parse_card("Td")
    assert FULL_DECK.parse_cards("AhKd 10c,2s\n") == tuple(
        FULL_DECK.parse_card(text) for text in ("Ah", "Kd", "Tc", "2s")
    )
    assert FULL_DECK.parse_cards("") == ()


@pytest.mark.parametrize(
    ("text", "column"), [("1h", 1), ("Ax", 2), ("A", 2), ("AhK", 4), ("Ah  ?s", 5), ("10", 3), ("\u0130h", 1)]
)
def test_wrong_text_names_the_column(text: str, column: int) -> None:
    with pytest.raises(CardParseError) as caught:
        FULL_DECK.parse_cards(text)
    assert caught.value.column == column


def test_one_card_means_one_card() -> None:
    for text in ("", "  ", "AhKh"):
        with pytest.raises(CardParseError):
            FULL_DECK.parse_card(text)


def test_a_card_the_deck_lacks_is_refused() -> None:
    with pytest.raises(CardParseError, match="QKA"):
        Deck(3, 2).parse_card("Js")
    with pytest.raises(CardParseError, match="hs"):
        Deck(3, 2).parse_card("Kc")


def test_repeated_and_unknown_cards() -> None:
    with pytest.raises(CardsError, match="twice"):
        FULL_DECK.parse_cards("AhKhAh")
    with pytest.raises(CardsError):
        FULL_DECK.card_text(52)
    with pytest.raises(CardsError):
        FULL_DECK.card_text(-1)


@pytest.mark.parametrize(("ranks", "suits"), [(0, 4), (14, 4), (13, 0), (13, 5), (-1, 1)])
def test_impossible_decks(ranks: int, suits: int) -> None:
    with pytest.raises(CardsError):
        Deck(ranks, suits)


def test_suits_may_be_symbols() -> None:
    assert FULL_DECK.parse_cards("Q♠ J♥ 2♣ 10♦") == FULL_DECK.parse_cards("Qs Jh 2c Td")
    assert FULL_DECK.parse_cards("K♤Q♡J♧T♢") == FULL_DECK.parse_cards("KsQhJcTd")
    assert FULL_DECK.parse_card("A♥\ufe0f") == FULL_DECK.parse_card("Ah")
    assert Range.parse("A♠K♠, QQ:0.5") == Range.parse("AsKs, QQ:0.5")
    with pytest.raises(CardParseError):
        FULL_DECK.parse_cards("K★")
