"""Units and targets."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errai.engine.units import Exploitability, Target, Units
from errai.errors import TargetError
from errai.games.catalogue import load_game
from errai.games.spot import parse_spot

UNITS = Units(initial_pot_chips=200.0, big_blind_chips=20.0)
WITHOUT_BLIND = Units(initial_pot_chips=200.0, big_blind_chips=None)


@pytest.mark.parametrize(
    ("text", "chips"),
    [
        ("0.3%pot", 0.6),
        ("0.3% pot", 0.6),
        ("0.3 % POT", 0.6),
        ("0.3%", 0.6),
        ("1mbb", 0.02),
        ("1 mbb/g", 0.02),
        ("0.5chips", 0.5),
        ("1 chip", 1.0),
        (" 1e-3chips ", 1e-3),
        ("5E1mbb", 1.0),
        (".5chips", 0.5),
    ],
)
def test_targets_are_read(text: str, chips: float) -> None:
    target = Target.parse(text, UNITS)
    assert target.chips == pytest.approx(chips, rel=1e-15)
    assert target.text == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a target"),
        ("pot", "is not a target"),
        ("-1mbb", "is not a target"),
        ("1 bb", "is not a target"),
        ("1,5chips", "is not a target"),
        ("nanchips", "is not a target"),
        ("infchips", "is not a target"),
        ("0.3", "names no unit"),
        ("1e5", "names no unit"),
        ("0%pot", "above 0"),
        ("0.0mbb", "above 0"),
        ("1e999chips", "above 0"),
        ("1.2.3chips", "not a number"),
        (".chips", "not a number"),
    ],
)
def test_wrong_targets_say_what_to_write(text: str, message: str) -> None:
    with pytest.raises(TargetError, match=message):
        Target.parse(text, UNITS)


@pytest.mark.parametrize("value", [None, 1, 0.3, b"1mbb"])
def test_a_target_is_a_text(value: object) -> None:
    with pytest.raises(TargetError, match="is not a target; write"):
        Target.parse(value, UNITS)  # type: ignore[arg-type]


def test_big_blinds_need_a_big_blind() -> None:
    with pytest.raises(TargetError, match="add big_blind"):
        Target.parse("1mbb", WITHOUT_BLIND)
    assert Target.parse("1%pot", WITHOUT_BLIND).chips == 2.0


@given(st.text(alphabet="0123456789.eE+-% potmbchis/g", max_size=12))
def test_any_text_is_a_target_or_a_typed_error(text: str) -> None:
    with suppress(TargetError):
        assert Target.parse(text, UNITS).chips > 0


def test_exploitability_in_all_units() -> None:
    found = Exploitability(chips=0.5, by_player=(0.25, 0.75), units=UNITS)
    assert found.nash_conv == 1.0 == sum(found.by_player)
    assert found.pot_percent == 0.25
    assert found.mbb == 25.0
    assert str(found) == "0.5 chips (0.25% of the pot, 25 mbb)"
    without = Exploitability(0.5, WITHOUT_BLIND, (0.25, 0.75))
    assert without.mbb is None
    assert "mbb" not in str(without)


def test_units_of_games_and_spots() -> None:
    leduc = load_game("leduc")
    assert Units.of(leduc, 2.0) == Units(2.0, 1.0)
    assert Units.of(load_game("holdem.nolimit.2p"), 150.0).big_blind_chips == 100.0
    text = 'board = "Qs Jh 2c 8d 3s"\npot = 40\nstack = 100\n{}\n[ranges]\noop = "AA"\nip = "KK"\n'
    text += '[bets]\nbet = "a"\nraise = ""\n'
    assert Units.of(parse_spot(text.format("")), 40.0).big_blind_chips is None
    assert Units.of(parse_spot(text.format("big_blind = 2")), 40.0).big_blind_chips == 2.0
