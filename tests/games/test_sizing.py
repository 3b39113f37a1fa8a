"""Bet sizes: text, arithmetic, thresholds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errai.errors import SizingError
from errai.games.sizing import (
    BetKind,
    BetMenu,
    BetSize,
    Betting,
    SizeKind,
    StreetMenu,
    parse_bet_size,
    parse_bet_sizes,
    sizes_text,
)


def amounts(menu: BetMenu, situation: BetKind = BetKind.BET, **changes: int) -> list[int]:
    numbers = {
        "pot": 200, "faced": 0, "lowest": 1, "highest": 900, "raises": 0, "streets_left": 2,
    }  # fmt: skip
    return menu.amounts(2, 0, situation, Betting(**(numbers | changes)))


def menu(bet: str, raise_: str = "", donk: str | None = None, **options: float) -> BetMenu:
    street = StreetMenu(
        parse_bet_sizes(bet, BetKind.BET),
        parse_bet_sizes(raise_),
        None if donk is None else parse_bet_sizes(donk, BetKind.DONK),
    )
    return BetMenu({2: (street, street)}, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("33%", BetSize(SizeKind.PERCENT, 33.0)),
        (" 112.5% ", BetSize(SizeKind.PERCENT, 112.5)),
        ("2.5X", BetSize(SizeKind.MULTIPLE, 2.5)),
        ("100c", BetSize(SizeKind.CHIPS, 100.0)),
        ("e", BetSize(SizeKind.GEOMETRIC)),
        ("2e", BetSize(SizeKind.GEOMETRIC, streets=2)),
        ("3e200%", BetSize(SizeKind.GEOMETRIC, streets=3, cap=200.0)),
        ("E37.5%", BetSize(SizeKind.GEOMETRIC, cap=37.5)),
        ("A", BetSize(SizeKind.ALL_IN)),
        ("1/3", BetSize(SizeKind.FRACTION, 1.0, divisor=3)),
        ("5 / 4", BetSize(SizeKind.FRACTION, 5.0, divisor=4)),
        ("2.5bb", BetSize(SizeKind.BIG_BLINDS, 2.5)),
        ("3 BB", BetSize(SizeKind.BIG_BLINDS, 3.0)),
        ("Min", BetSize(SizeKind.MIN)),
    ],
)
def test_sizes_are_read_and_written_back(text: str, size: BetSize) -> None:
    assert parse_bet_size(text) == size
    assert parse_bet_size(size.text()) == size


@pytest.mark.parametrize(
    "text",
    ["", "%", "x", "c", "-30%", "+42%", "0%", "0x", "1x", ".5x", "12.3c", "0c", "0e", "2.7e", "101e", "3e7",
     "e%", "1e2e3", "bet", "1a", "all", "33 %", "1e400%%", "९%", "1_0%", "inf%", "nan%", "9999999999999%",
     "1/0", "0/3", "1/", "/3", "1/3/2", "1.5/2", "bb", "0bb", "-1bb", "mini"],
)  # fmt: skip
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(SizingError):
        parse_bet_size(text)


@pytest.mark.parametrize("text", ["75", "0.75", "2."])
def test_bare_numbers_are_refused_with_both_readings(text: str) -> None:
    with pytest.raises(SizingError, match=rf"{text}% .* {text}c"):
        parse_bet_size(text)


def test_a_multiple_needs_a_bet_to_multiply() -> None:
    with pytest.raises(SizingError, match="faces none"):
        parse_bet_size("2.5x", BetKind.BET)


def test_a_fault_in_a_menu_names_the_column() -> None:
    with pytest.raises(SizingError) as caught:
        parse_bet_sizes("33%,  75, a")
    assert caught.value.column == 7


def test_menus_are_read_and_written_back() -> None:
    sizes = parse_bet_sizes("33%, 2.5x, 33%, 3e200%, a,")
    assert sizes_text(sizes) == "33%, 2.5x, 3e200%, a"
    assert parse_bet_sizes(sizes_text(sizes)) == sizes
    assert parse_bet_sizes("  ") == ()


@given(st.text(max_size=12))
def test_any_text_is_a_menu_or_a_sizing_error(text: str) -> None:
    try:
        sizes = parse_bet_sizes(text)
    except SizingError:
        return
    assert parse_bet_sizes(sizes_text(sizes)) == sizes


def test_bets_are_shares_of_the_pot_rounded_half_up() -> None:
    assert amounts(menu("33%, 50%, 100%")) == [66, 100, 200]
    assert amounts(menu("50%"), pot=5) == [3]
    assert amounts(menu("50%"), pot=3) == [2]


def test_raises_count_from_the_bet_faced() -> None:
    # 120 into 200: the pot after the call is 440.
    facing = {"pot": 440, "faced": 120, "lowest": 240, "raises": 1}
    assert amounts(menu("", "50%"), BetKind.RAISE, **facing) == [340]
    assert amounts(menu("", "2.5x"), BetKind.RAISE, **facing) == [300]
    assert amounts(menu("", "200c"), BetKind.RAISE, **facing) == [320]
    assert amounts(menu("", "10%"), BetKind.RAISE, **facing) == [240]
    assert amounts(menu("", "a"), BetKind.RAISE, **facing) == [900]


def test_geometric_bets_put_all_in_on_the_last_street() -> None:
    first = amounts(menu("e"), pot=200, highest=900, streets_left=2)[0]
    pot, behind = 200 + 2 * first, 900 - first
    second = amounts(menu("e"), pot=pot, highest=behind, streets_left=1)[0]
    assert second == behind
    assert first / 200 == pytest.approx(second / pot, abs=0.01)
    assert amounts(menu("1e")) == [900]
    assert amounts(menu("3e50%")) == [100]


def test_a_geometric_raise_spends_one_street_for_every_bet_after_the_first() -> None:
    facing = {"pot": 440, "faced": 120, "lowest": 240, "streets_left": 2}
    first = amounts(menu("", "e"), BetKind.RAISE, raises=1, **facing)[0]
    later = amounts(menu("", "e"), BetKind.RAISE, raises=2, **facing)[0]
    assert first < later == 900


def test_amounts_are_made_legal() -> None:
    assert amounts(menu("1%, 500%"), lowest=10, highest=700) == [10, 700]


def test_all_in_is_added_when_it_is_small() -> None:
    assert amounts(menu("60%", add_all_in=4.4)) == [120]
    assert amounts(menu("60%", add_all_in=4.5)) == [120, 900]


def test_a_bet_that_leaves_little_becomes_all_in() -> None:
    # 800 into 200 leaves 100 behind in a pot of 1,800.
    assert amounts(menu("400%", force_all_in=0.05)) == [800]
    assert amounts(menu("400%", force_all_in=0.06)) == [900]


def test_near_sizes_are_merged_from_the_greatest_down() -> None:
    # (1 + 1.0) / (1 + 0.9) = 1.053; (1 + 0.9) / (1 + 0.8) = 1.056; (1 + 1.0) / (1 + 0.8) = 1.111
    assert amounts(menu("80%, 90%, 100%", merging=0.1)) == [160, 200]
    assert amounts(menu("80%, 90%, 100%", merging=0.12)) == [200]
    assert amounts(menu("80%, 90%, 100%")) == [160, 180, 200]


def test_the_cap_ends_raising() -> None:
    capped = menu("50%", "a", raise_caps={2: 2})  # type: ignore[arg-type]
    assert amounts(capped, BetKind.RAISE, raises=1, faced=100, pot=400) == [900]
    assert amounts(capped, BetKind.RAISE, raises=2, faced=100, pot=400) == []


def test_donk_bets_use_the_bet_sizes_unless_they_have_their_own() -> None:
    assert amounts(menu("60%"), BetKind.DONK) == [120]
    assert amounts(menu("60%", donk="50%"), BetKind.DONK) == [100]
    assert amounts(menu("60%", donk=""), BetKind.DONK) == []
    assert amounts(menu("60%", donk="50%"), BetKind.BET) == [120]


def test_a_street_without_a_menu_has_no_bets() -> None:
    assert BetMenu({}).sizes(1, 0, BetKind.BET) == ()


def test_raises_may_have_sizes_of_their_own_behind_a_bar() -> None:
    menu = BetMenu.parse(2, "50%, 100%, a | 2.5x, a")
    assert sizes_text(menu.sizes(0, 0, BetKind.BET)) == "50%, 100%, a"
    assert sizes_text(menu.sizes(1, 1, BetKind.RAISE)) == "2.5x, a"
    assert BetMenu.parse(2, "50%|") == BetMenu.parse(2, "50%", "")
    assert BetMenu.parse(2, "50%, a") == BetMenu.parse(2, "50%, a", "50%, a")
    with pytest.raises(SizingError) as caught:
        BetMenu.parse(2, "50%, a | 2y")
    assert caught.value.column == 10


def test_streets_of_a_menu_stand_behind_semicolons_and_may_have_a_cap() -> None:
    found = BetMenu.parse(4, "| 2x, a, cap 4; 50%, a; 75% | a, cap 2")
    first, second, last = StreetMenu.parse("| 2x, a"), StreetMenu.parse("50%, a"), StreetMenu.parse("75% | a")
    assert found == BetMenu({0: (first,) * 2, 1: (second,) * 2, 2: (last,) * 2, 3: (last,) * 2}, {0: 4, 2: 2, 3: 2})
    assert BetMenu.parse(2, "50%, a") == BetMenu({0: (second,) * 2, 1: (second,) * 2})
    assert BetMenu.parse(2, "a; cap 1").raise_caps == {1: 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a; a; a", "sizes for 3 streets, and the game has 2"),
        ("50%; 5", "column 6"),
        ("50%, cap 1 | a", "column 6: 'cap 1'"),
        ("50%, cap x", "column 6: 'cap x'"),
    ],
)
def test_a_menu_by_street_that_cannot_be_read_says_where(text: str, reason: str) -> None:
    with pytest.raises(SizingError, match=reason):
        BetMenu.parse(2, text)


def test_fractions_are_exact_and_the_smallest_is_what_the_rules_allow() -> None:
    assert amounts(menu("1/3, 2/3"), pot=300) == [100, 200]
    # 33.333333333333 % would be 33,333,333 chips and a third.
    assert amounts(menu("1/3"), pot=10**8 + 1, highest=10**9) == [33_333_334]
    assert amounts(menu("min"), lowest=10) == [10]
    raises = menu("", "min, 1/2")
    assert amounts(raises, BetKind.RAISE, pot=400, faced=100, lowest=180, raises=1) == [180, 300]


def test_big_blinds_are_totals_on_the_street() -> None:
    assert amounts(menu("2.5bb, 4bb"), big_blind=10) == [25, 40]
    assert amounts(menu("", "12bb"), BetKind.RAISE, pot=400, faced=100, lowest=50, raises=1, big_blind=20) == [240]
    for none in ({}, {"big_blind": 0}):
        with pytest.raises(SizingError, match="no big blind is named"):
            amounts(menu("3bb"), **none)
