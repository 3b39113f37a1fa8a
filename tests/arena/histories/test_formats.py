"""The formats together: recognised, converted without loss, and robust against any content of a file."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import sys
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_hands import random_hand

from errai.arena.histories import WRITTEN_FORMATS
from errai.arena.histories.formats import (
    read_hands,
    read_text,
    suffix_format,
    write_hands,
)
from errai.arena.histories.logs import game_of_log, log_text
from errai.arena.histories.table_hand import TableRules
from errai.errors import FileAccessError, HistoryError, InputError
from errai.games.catalogue import catalogue, load_game
from errai.games.game import Game
from errai.games.hand import PlayedHand

CASES = Path(__file__).parent / "cases"
DETAILS = {
    "table": "Tisch 1", "seat_count": 2, "seats": [1, 2], "venue": "PokerStars", "year": 2021, "month": 12, "day": 31,
    "time": datetime.time(23, 59, 59), "time_zone_abbreviation": "ET", "currency": "USD", "currency_symbol": "$",
    "_chips_per_unit": 100,
}  # fmt: skip


def hands_of(name: str, count: int = 12, **details: object) -> tuple[PlayedHand, ...]:
    return tuple(random_hand(load_game(name), 3, number, **details) for number in range(count))


def converted(hands: tuple[PlayedHand, ...], format: str) -> tuple[PlayedHand, ...]:
    written = write_hands(hands, format)
    assert (written.written, written.faults) == (len(hands), ())
    read = read_text(*written.documents.values())
    assert (read.format, read.faults) == (format, ())
    return read.hands


@pytest.mark.parametrize("name", ["holdem.limit.2p", "holdem.nolimit.2p"])
def test_a_tour_of_all_formats_loses_nothing_that_they_hold(name):
    hands = hands_of(name, **DETAILS)
    assert converted(converted(hands, "phh"), "pokerstars") == hands
    assert converted(converted(hands, "pokerstars"), "phh") == hands
    # A dealer's log holds no details.
    bare = tuple(dataclasses.replace(hand, details={}) for hand in hands)
    assert converted(converted(bare, "phh"), "acpc") == bare
    assert converted(hands, "acpc") == bare


def test_the_rake_goes_through_all_formats_that_hold_it():
    hands = tuple(
        dataclasses.replace(hand, details={**hand.details, "_rake": Decimal("0.25")})
        for hand in hands_of("holdem.nolimit.2p", **DETAILS)
    )
    assert converted(converted(hands, "phh"), "pokerstars") == hands
    assert converted(converted(hands, "pokerstars"), "phh") == hands
    # PHH has a field for what is left after rake.
    (text,) = write_hands(hands[:1], "phh").documents.values()
    pot = hands[0].final_state().betting.stake_chips * 2
    assert f"{(pot - 25) / 100}" in text[text.index("winnings") :]
    rows = list(csv.DictReader(io.StringIO(write_hands(hands, "csv").documents["hands.csv"])))
    assert {row["rake"] for row in rows} == {"25"}
    (text, _) = write_hands(
        [dataclasses.replace(hands[0], details={"_rake": Decimal("0.25")})], "csv"
    ).documents.values()
    assert ",0.25," in text


@pytest.mark.parametrize("name", catalogue())
def test_logs_hold_their_game(name):
    hands = hands_of(name)
    assert converted(hands, "acpc") == hands
    assert converted(converted(hands, "phh"), "acpc") == hands


def test_showdowns_of_which_not_all_cards_are_known():
    played = (random_hand(load_game("holdem.nolimit.2p"), 5, number) for number in range(200))
    hands = [hand for hand in played if hand.final_state().betting.showdown][:30]
    for hidden in ((0,), (1,), (0, 1)):
        bare = tuple(
            dataclasses.replace(hand, hole=tuple(None if s in hidden else hand.hole[s] for s in (0, 1)))
            for hand in hands
        )
        assert any(hand.net_chips[0] > 0 for hand in bare)
        assert any(hand.net_chips[0] < 0 for hand in bare)
        for format in ("phh", "pokerstars", "acpc"):
            found = converted(bare, format)
            assert [(h.hole, h.net_chips) for h in found] == [(h.hole, h.net_chips) for h in bare]
        assert converted(bare, "phh") == bare


def test_the_game_of_a_log():
    limit, no_limit = load_game("holdem.limit.2p"), load_game("holdem.nolimit.2p")
    dealer = "# name/game/hands/seed m ../games/{} 1000 0\n#--t_response 10000\n"
    assert game_of_log(dealer.format("holdem.limit.2p.reverse_blinds.game")) == limit
    assert game_of_log(dealer.format("holdem.nolimit.2p.reverse_blinds.game")) == no_limit
    assert game_of_log("STATE:0:r250c/cc/cc/cc:||:0|0:a|b\n") == no_limit
    assert game_of_log("STATE:0:cc/cc/cc/rf:||:0|0:a|b\n") == limit
    with pytest.raises(HistoryError, match="game in the log's comments") as caught:
        game_of_log("# x\n# GAMEDEF\n# limit\n# numPlayers = 3\n# END GAMEDEF\n", "a.log")
    assert (caught.value.source, caught.value.line) == ("a.log", 2)
    hand = hands_of("leduc", 1)[0]
    assert read_text("\n".join(log_text([hand], load_game("leduc")).split("\n")[-3:]), game=load_game("leduc")).hands


def test_hands_of_several_games_make_several_logs():
    hands = (*hands_of("leduc", 3), *hands_of("kuhn", 2))
    written = write_hands(hands, "acpc", stem="x")
    assert list(written.documents) == ["x-1.log", "x-2.log"]
    assert tuple(hand for text in written.documents.values() for hand in read_text(text).hands) == hands


def test_what_a_format_cannot_hold_is_named_and_the_rest_written():
    hands = (*hands_of("leduc", 2), *hands_of("holdem.limit.2p", 3))
    written = write_hands(hands, "pokerstars")
    assert (written.written, len(written.faults)) == (3, 2)
    spoken = dataclasses.replace(hands[0], players=("a:b", "c"))
    assert "Hand 0" in str(write_hands([spoken], "acpc").faults[0])


def test_recognised_by_content(tmp_path):
    for format in ("phh", "pokerstars", "acpc"):
        text = next(iter(write_hands(hands_of("holdem.limit.2p", 2), format).documents.values()))
        assert read_text(text).format == format
        path = tmp_path / "anything"
        path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
        assert len(read_hands(path).hands) == 2
        with pytest.raises(HistoryError, match="not a format"):
            read_text(text, "csv")
    with pytest.raises(HistoryError, match="neither PHH"):
        read_text("Hello")
    with pytest.raises(FileAccessError, match="cannot be read"):
        read_hands(tmp_path / "nowhere")
    with pytest.raises(FileAccessError, match="cannot be read"):
        read_hands(tmp_path)
    assert suffix_format(tmp_path / "a.PHH") == "phh"
    with pytest.raises(InputError, match="does not say a format"):
        suffix_format(tmp_path / "a.xyz")


def test_tables():
    hands = hands_of("holdem.nolimit.2p")
    documents = write_hands(hands, "csv").documents
    rows = list(csv.DictReader(io.StringIO(documents["hands.csv"])))
    assert [int(row["hand"]) for row in rows] == [hand.number for hand in hands]
    for row, hand in zip(rows, hands, strict=True):
        assert float(row["net_0"]) == hand.net_chips[0] == -float(row["net_1"])
        assert float(row["net_0_mbb"]) == 10 * hand.net_chips[0]
        assert row["cards_1"] == hand.subject.deck.cards_text(hand.hole[1])
    decisions = list(csv.DictReader(io.StringIO(documents["hands-decisions.csv"])))
    expected = [(hand, state, action) for hand in hands for state, action in hand.moments()]
    assert len(decisions) == len(expected)
    for row, (hand, state, action) in zip(decisions, expected, strict=True):
        assert row["player"] == hand.players[state.actor]
        assert row["action"] == "fcr"[action.kind]
        assert int(row["total"] or 0) == action.total
        assert int(row["pot"]) == sum(state.betting.spent)
        assert int(row["to_call"]) == max(state.betting.spent) - state.betting.spent[state.actor]


def test_parquet_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"Parquet needs pyarrow.*'errai\[parquet\]'"):
        write_hands(hands_of("leduc", 1), "parquet")


# --- fuzz ---

TEXTS = [
    text
    for name in ("holdem.limit.2p", "holdem.nolimit.2p", "leduc")
    for format in ("phh", "pokerstars", "acpc")
    for text in write_hands(hands_of(name, 2, **DETAILS | {"_rake": 0.05}), format).documents.values()
]
for name in ("ps_cash_six", "ps_tournament", "gg_cash_six"):
    tables = (CASES / f"{name}.txt").read_text().split("\n\n\n")
    for number in (4, 6, 9):
        TEXTS += [tables[number], *write_hands(read_text(tables[number]).read, "phh").documents.values()]
PIECES = [
    "p1", "p2", "[", "1]", '"', "'", "{", "}", "9" * 20, "1e9", "-1", "nan", "inf", "=", "\n", "$", ".", ":", "|",
    "STATE:", "PokerStars Hand #", "*** FLOP *** [Ac Ad Ah]", "\x00", "\u00e9", "raises", "0", "[1]\n", "_spot = 3\n",
    "hand = -1\n", "variant = 5\n", "# GAMEDEF\n", "seats = [{}, 1]\n", "_dealt = [[1], 0]\n", "[" * 2000,
]  # fmt: skip


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """A good file with some damage: something cut out, put in, doubled or exchanged."""
    text = draw(st.sampled_from(TEXTS))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        lines = text.split("\n")
        line = draw(st.integers(0, len(lines) - 1))
        other = draw(st.integers(0, len(lines) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                text = text[:at] + text[at + draw(st.sampled_from([1, 2, 30])) :]
            case 1:
                text = text[:at] + draw(st.sampled_from(PIECES)) + text[at:]
            case 2:
                text = text[:at] + draw(st.characters(codec="utf-8")) + text[at + 1 :]
            case 3:
                lines[line], lines[other] = lines[other], lines[line]
                text = "\n".join(lines)
            case _:
                text = "\n".join([*lines[:line], lines[other], *lines[line:]])
    return text


def check(text: str) -> None:
    try:
        read = read_text(text)
    except HistoryError:
        return
    for hand in read.read:
        assert hand.final_state().is_over
        assert abs(sum(hand.net_chips)) < 1e-4
    for format in WRITTEN_FORMATS:
        if format == "parquet" and find_spec("pyarrow") is None:
            continue
        written = write_hands(read.read, format)
        assert written.written + len(written.faults) == len(read.read)
    written = write_hands(read.read, "phh")
    again = [hand for document in written.documents.values() for hand in read_text(document, "phh").read]
    assert len(again) == written.written
    if not written.faults:
        for hand, other in zip(read.read, again, strict=True):
            assert isinstance(hand.subject, Game | TableRules)
            assert hand.subject.digest() == other.subject.digest()
            assert dataclasses.replace(hand, subject=other.subject) == other


@settings(max_examples=50, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(spoilt())
def test_damage_brings_nothing_down(text):
    check(text)


@pytest.mark.slow
@settings(max_examples=20_000, suppress_health_check=[HealthCheck.too_slow])
@given(spoilt())
def test_damage_brings_nothing_down_long(text):
    check(text)


@settings(max_examples=100, derandomize=True)
@given(st.text(max_size=300), st.sampled_from(["phh", "pokerstars", "acpc"]))
def test_any_text(text, format):
    for beginning in ("x\n", "PokerStars Hand #1:  ", "STATE:", "variant = 'NT'\n"):
        read = read_text(beginning + text, format)
        assert not read.hands
        assert read.faults
