"""Small files whose forms are those of real ones, and what is right for each."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pokerkit
import pytest

from errai.arena.histories.formats import read_hands, read_text, write_hands
from errai.arena.histories.record import HandFile, Told
from errai.errors import HistoryError, MatchError
from errai.games.hand import PlayedHand

CASES = Path(__file__).parent / "cases"


def case(name: str, format: str | None = None) -> HandFile:
    return read_hands(CASES / name, format)


def only(name: str) -> PlayedHand:
    read = case(name)
    assert read.faults == ()
    (hand,) = read.hands
    return hand


def cards(hand: PlayedHand, seat: int) -> str:
    (row,) = csv.DictReader(io.StringIO(write_hands([hand], "csv").documents["hands.csv"]))
    return row[f"cards_{seat}"]


def written(hand: PlayedHand, format: str) -> str:
    (text,) = write_hands([hand], format).documents.values()
    assert read_text(text, format).hands == (hand,)
    return text


@pytest.mark.parametrize(
    "name", ["home_game", "mixed_nlh", "currency_eur_after", "currency_inr", "currency_cad", "v_nltexas", "v_inChips"]
)
def test_headers_of_heads_up_holdem(name):
    hand = only(f"{name}.txt")
    assert (hand.net_chips, hand.subject.blinds) == ((-300.0, 300.0), (100, 50))
    assert hand.subject.stacks == (10000, 10000)
    # The club, the mix of games and the currency come back.
    assert read_text(written(hand, "phh")).hands == (hand,)
    written(hand, "pokerstars")


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ("6+ Hold'em No Limit ($0.50/$1.00 USD)", "does not name limit or no-limit hold'em"),
        ("Split Hold'em No Limit ($0.50/$1.00 USD)", "does not name limit or no-limit hold'em"),
        ("Hold'em Pot Limit ($0.50/$1.00 USD)", "The game is Hold'em Pot Limit"),
        ("Mixed NLH/PLO (Omaha Pot Limit, $0.50/$1.00 USD)", "does not name limit or no-limit hold'em"),
        ("Hold'em No Limit ($0,50/$1,00 USD)", "does not name limit or no-limit hold'em"),
        ("Hold'em No Limit ($1.00/$2.00 USD)", "by the stakes in the first line the blind is 2"),
    ],
)
def test_headers_of_other_games_have_a_true_reason(header, reason):
    text = (CASES / "v_nltexas.txt").read_text().replace("No Limit Texas Hold'em ($0.50/$1.00 USD)", header)
    read = read_text(text)
    assert read.hands == ()
    (fault,) = read.faults
    assert reason in fault.message
    assert fault.line == 1


@pytest.mark.parametrize("name", ["second_indented", "second_lower", "second_starred"])
def test_the_second_hand_is_seen_however_it_begins(name):
    read = case(f"{name}.txt")
    assert [hand.number for hand in read.hands] == [9000000001, 9000000002]
    assert read.faults == ()
    assert read.hands[0].net_chips == read.hands[1].net_chips


@pytest.mark.parametrize(
    ("name", "hands", "faults"),
    [
        ("ps_then_gg", 2, []),
        ("ps_then_ftp", 1, [(25, "Full Tilt Poker")]),
        ("ps_then_phh", 2, [(24, "starting_stacks is missing"), (37, "starting_stacks is missing")]),
        ("ps_then_acpc", 2, []),
        ("cut_line_then_next", 1, [(12, "'ch' is not an action")]),
        ("gg", 1, []),
    ],
)
def test_hands_of_several_formats_in_one_file(name, hands, faults):
    read = case(f"{name}.txt")
    assert len(read.hands) == hands
    assert [fault.line for fault in read.faults] == [line for line, _ in faults]
    assert all(reason in fault.message for fault, (_, reason) in zip(read.faults, faults, strict=True))


def test_a_format_that_was_asked_for_refuses_the_others_by_name():
    assert len(case("gg.txt", "pokerstars").faults) == 1
    (fault,) = case("ps_then_acpc.txt", "pokerstars").faults
    assert (fault.line, "the format acpc, and only pokerstars" in fault.message) == (23, True)
    with pytest.raises(HistoryError, match="There is no hand in this file"):
        read_text("\n \n", "pokerstars")


def test_the_rest_of_a_log_line_is_a_comment():
    read = case("timestamp_in_name.log")
    assert read.faults == ()
    assert {hand.players for hand in read.hands} == {("BotA", "Pat")}
    text = next(iter(write_hands(read.hands, "acpc").documents.values()))
    assert "|Pat # 1700000000.5\n" in text
    assert read_text(text).hands == read.hands
    from errai.arena.acpc.log import require_name

    with pytest.raises(MatchError, match="begins a comment"):
        require_name("Bot #1")
    assert require_name("Bot#1") == "Bot#1"


def test_a_log_of_three_players():
    (fault,) = case("three_players.log").faults
    assert fault.message == "3 players sat at the table; only hands of two players can be read."


@pytest.mark.parametrize("format", ["pokerstars", "phh"])
@pytest.mark.parametrize("limit", [False, True])
@pytest.mark.filterwarnings("ignore:The field:UserWarning", "ignore:A card being:UserWarning")
def test_a_short_big_blind_is_measured_by_the_blind_that_was_due(format, limit):
    text = (CASES / "short_bb6.txt").read_text()
    if limit:
        text = text.replace("Hold'em No Limit - Level I (10/20)", "Hold'em Limit - Level I (20/40)")
    (hand,) = read_text(text).hands
    (hand,) = read_text(written(hand, format)).hands
    # PokerKit is given the blinds that were due, and plays the same hand.
    *_, end = pokerkit.HandHistory.loads(written(hand, "phh"))
    assert tuple(end.payoffs) == hand.net_chips
    assert (hand.net_chips, hand.details["_blinds"], Told(hand).big_blind) == ((-6.0, 6.0), (20, 10), 20)
    (row,) = csv.DictReader(io.StringIO(write_hands([hand], "csv").documents["hands.csv"]))
    assert (row["blind_0"], row["net_1"], row["net_1_mbb"], row["pot"]) == ("20", "6", "300", "12")
    assert row["game"].endswith("20/40" if limit else "10/20")
    # A log has no place for the blind that was due.
    assert "larger than the stack that posted it" in write_hands([hand], "acpc").faults[0].message


def test_the_pot_of_the_table_is_the_contested_one():
    (row,) = csv.DictReader(io.StringIO(write_hands([only("currency_cad.txt")], "csv").documents["hands.csv"]))
    assert (row["pot"], row["rake"], row["net_1"]) == ("600", "30", "300")


@pytest.mark.parametrize(
    ("name", "seat", "known", "shown"),
    [
        ("villain_single.txt", 1, "As??", "Ann: shows [As]"),
        ("fold_show_one.txt", 0, "Qh??", "Bob: shows [Qh]"),
        ("single_card.txt", 1, "AsKd", "Ann: shows [As]"),
    ],
)
def test_one_shown_card_stays_one(name, seat, known, shown):
    hand = only(name)
    assert cards(hand, seat) == known
    assert hand.hole[seat] is None or "??" not in known
    assert shown + "\n" in written(hand, "pokerstars")
    assert f'"p{seat + 1} sm {shown[-3:-1]}??"' in written(hand, "phh")


def test_one_card_at_the_deal():
    hand = only("phh_partial_deal.phh")
    assert '"d dh p1 Qh??"' in written(hand, "phh")
    assert cards(hand, 0) == "Qh2c"
    text = (CASES / "phh_partial_deal.phh").read_text().replace('"p1 sm Qh2c", ', '"p1 sm", ')
    (hand,) = read_text(text).hands
    assert (cards(hand, 0), hand.hole[0]) == ("Qh??", None)
    assert '"d dh p1 Qh??"' in written(hand, "phh")
    (text,) = write_hands([hand], "pokerstars").documents.values()
    assert "mucked [Qh]" in text
    assert cards(read_text(text).hands[0], 0) == "Qh??"


def test_unknown_cards_are_neither_shown_nor_mucked():
    (fault,) = case("phh_unknown_nowin.phh").faults
    assert "The winner is unknown" in fault.message
    hand = only("phh_unknown_winner.phh")
    assert (hand.net_chips, hand.hole[1]) == ((-20.0, 20.0), None)
    assert '"p2 sm ????"' in written(hand, "phh")
    text = (CASES / "phh_unknown_nowin.phh").read_text()
    (hand,) = read_text(text + "finishing_stacks = [980, 1020]\n").hands
    assert hand.net_chips == (-20.0, 20.0)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_line_endings_and_encodings(tmp_path, ending, encoding):
    text = (CASES / "second_lower.txt").read_text()
    path = tmp_path / "hands"
    path.write_bytes(text.replace("\n", ending).encode(encoding))
    read = read_hands(path)
    assert (len(read.hands), read.faults) == (2, ())


def test_logs_of_two_games_in_one_file():
    from random_hands import random_hand

    from errai.games.catalogue import load_game

    hands = [[random_hand(load_game(name), 3, n) for n in range(4)] for name in ("leduc", "kuhn")]
    texts = [text for group in hands for text in write_hands(group, "acpc").documents.values()]
    read = read_text("".join(texts))
    assert list(read.hands) == [hand for group in hands for hand in group]
    # A game that is not whole refuses its hands, and only these.
    read = read_text("".join(texts).replace("# END GAMEDEF", "# END GAM", 1))
    assert list(read.hands) == hands[1]
    assert len(read.faults) == 4
    assert all("has no END GAMEDEF" in fault.message for fault in read.faults)
