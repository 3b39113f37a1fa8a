"""PokerStars text, read and written: examples by hand, random hands held against PokerKit, and what cannot be read."""

from __future__ import annotations

import dataclasses
import datetime
from decimal import Decimal

import pokerkit
import pytest
from random_hands import random_hand, short_stacks

from errai.arena.histories.formats import read_text
from errai.arena.histories.holdem import named
from errai.arena.histories.phh import phh_text
from errai.arena.histories.pokerstars import pokerstars_text
from errai.errors import HistoryError
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, raise_to

EXAMPLE = """\
PokerStars Zoom Hand #123456789:  Hold'em No Limit ($0.50/$1.00 USD) - 2022/05/15 6:48:23 ET
Table 'Some Star' 6-max Seat #4 is the button
Seat 2: Bob: the 2nd ($100 in chips)
Seat 3: Carl ($20 in chips) is sitting out
Seat 4: Bob ($1,090.50 in chips)
Bob: posts small blind $0.50
Bob: the 2nd: posts big blind $1
*** HOLE CARDS ***
Dealt to Bob [Ah Kd]
Bob: raises $1.50 to $2.50
Bob: the 2nd said, "hm: folds"
Bob: the 2nd: calls $1.50
*** FLOP *** [Ks 7h 2c]
Bob: the 2nd: checks
Carl leaves the table
Bob: bets $3
Bob: the 2nd: raises $94.50 to $97.50 and is all-in
Bob: calls $94.50
*** TURN *** [Ks 7h 2c] [3d]
*** RIVER *** [Ks 7h 2c 3d] [4d]
*** SHOW DOWN ***
Bob: the 2nd: shows [7c 7d] (three of a kind, Sevens)
Bob: mucks hand
Bob: the 2nd collected $197.50 from pot
*** SUMMARY ***
Total pot $200 | Rake $2.50
Board [Ks 7h 2c 3d 4d]
Seat 2: Bob: the 2nd (big blind) showed [7c 7d] and won ($197.50) with three of a kind, Sevens
Seat 4: Bob (button) (small blind) mucked [Ah Kd]
"""

LIMIT = """\
PokerStars Hand #77: Tournament #5, $10+$1 USD Hold'em Limit - Level II (20/40) - 2020/01/02 3:04:05 CET
Table '5 1' 2-max Seat #1 is the button
Seat 1: Ann (500 in chips)
Seat 2: Ben (1500 in chips)
Ann: posts small blind 10
Ben: posts big blind 20
*** HOLE CARDS ***
Dealt to Ben [2c 2d]
Ann: calls 10
Ben: checks
*** FLOP *** [Ks 7h 2h]
Ben: bets 20
Ann: raises 20 to 40
Ben: raises 20 to 60
Ann: folds [3c 4c]
Uncalled bet (20) returned to Ben
Ben collected 120 from pot
Ben: doesn't show hand
*** SUMMARY ***
Total pot 120 | Rake 0
Board [Ks 7h 2h]
Seat 1: Ann (button) (small blind) folded on the Flop
Seat 2: Ben (big blind) collected (120)
"""


def test_an_example():
    read = read_text(EXAMPLE, "pokerstars")
    assert read.faults == ()
    (hand,) = read.hands
    assert hand.number == 123456789
    assert hand.players == ("Bob: the 2nd", "Bob")
    assert hand.subject.blinds == (100, 50)
    assert hand.subject.stacks == (10000, 109050)
    deck = hand.subject.deck
    assert [deck.cards_text(cards or ()) for cards in hand.hole] == ["7c7d", "AhKd"]
    assert hand.actions == ((raise_to(250), CALL), (CALL, raise_to(550), raise_to(10000), CALL))
    assert hand.net_chips == (10000.0, -10000.0)
    assert hand.details == {
        "venue": "PokerStars", "_room": "Zoom", "currency": "USD", "currency_symbol": "$", "year": 2022, "month": 5,
        "day": 15, "time": datetime.time(6, 48, 23), "time_zone_abbreviation": "ET", "table": "Some Star",
        "seat_count": 6, "seats": [2, 4], "_chips_per_unit": 100, "_rake": Decimal("2.50"), "_dealt": (1,),
        "_shown": ((0, True), (1, False)), "_comments": (("action 0", 'Bob: the 2nd said, "hm: folds"'),),
    }  # fmt: skip
    assert read_text(pokerstars_text(hand), "pokerstars").hands == (hand,)
    # PHH holds all of it.
    assert read_text(phh_text(hand), "phh").hands == (hand,)


def test_a_limit_tournament():
    (hand,) = read_text(LIMIT, "pokerstars").hands
    assert hand.subject.limit
    assert hand.subject.raise_sizes == (20, 20, 40, 40)
    assert hand.actions == ((CALL, CALL), (raise_to(40), raise_to(60), raise_to(80), FOLD))
    assert hand.net_chips == (60.0, -60.0)
    assert hand.details["event"] == "Tournament #5, $10+$1 USD"
    assert hand.details["_level"] == "Level II"
    assert hand.details["_shown"] == ((1, True),)
    assert read_text(pokerstars_text(hand), "pokerstars").hands == (hand,)
    assert read_text(phh_text(hand), "phh").hands == (hand,)


DETAILS = {
    "venue": "PokerStars", "table": "X Y", "seat_count": 6, "seats": [5, 3], "currency": "EUR",
    "currency_symbol": "€", "_chips_per_unit": 100, "year": 2020, "month": 2, "day": 3,
    "time": datetime.time(4, 5, 6), "time_zone_abbreviation": "ET",
}  # fmt: skip
GAMES = [
    load_game("holdem.limit.2p"),
    load_game("holdem.nolimit.2p"),
    *(named(short_stacks(load_game(name), i)) for name in ("holdem.limit.2p", "holdem.nolimit.2p") for i in range(8)),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.stacks[0]}-{game.stacks[1]}")
def test_round_trip(game):
    hands = tuple(random_hand(game, 7, number, ("Ann: x", "Ann"), **DETAILS) for number in range(25))
    read = read_text("\n\n".join(map(pokerstars_text, hands)), "pokerstars")
    assert read.faults == ()
    assert read.hands == hands


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("game", GAMES[1:2] + GAMES[10:], ids=lambda game: f"{game.stacks[0]}-{game.stacks[1]}")
def test_pokerkit_reads_what_we_write(game):
    """PokerKit 0.7 takes the amount that a raise is *by* for one above the last bet, as we do; no-limit only."""
    for number in range(10):
        hand = random_hand(game, 8, number, **DETAILS)
        text = pokerstars_text(hand)
        (history,) = pokerkit.HandHistory.from_pokerstars(text, error_status=True)
        end = list(history)[-1]
        assert [round(100 * payoff) for payoff in end.payoffs] == list(hand.net_chips)
        assert history.players == list(hand.players)
        assert history.hand == hand.number
        # And what it makes of our text is read by us as the same hand.
        (again,) = read_text(history.dumps(), "phh").hands
        assert (again.subject, again.board, again.actions) == (hand.subject, hand.board, hand.actions)
        assert (again.net_chips, again.hole) == (hand.net_chips, hand.hole)


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("Hold'em No Limit", "Omaha Pot Limit", 1, "does not name limit or no-limit hold'em"),
        (" is sitting out", "", 8, "not posted by the player left of the dealer"),
        ("Bob: posts small blind $0.50", "Bob: posts the ante $0.50", 8, "a small and a big blind have to be posted"),
        ("calls $1.50", "calls $1.49", 12, "due"),
        ("raises $1.50 to $2.50", "raises $1.40 to $2.50", 10, "is not a raise by"),
        ("[Ks 7h 2c]\n", "[Ks 7h Ah]\n", 13, "is dealt twice"),
        ("*** TURN *** [Ks 7h 2c] [3d]\n", "", 19, "cannot be dealt on a board of"),
        ("Total pot $200", "Total pot $201", 25, "The pot is"),
        ("Bob: calls $94.50", "Bob: dances", 18, "not an action of hold'em"),
        ("Bob: the 2nd collected", "Bob collected", 24, "collected: 0 and 197.50 does not fit"),
        ("collected $197.50", "collected $107.50", 24, "which give 197.50 and 0, less a rake of 2.50"),
        ("Rake $2.50", "Rake $2", 24, "which give 198 and 0, less a rake of 2"),
        ("*** SUMMARY ***\n", "", 25, "before the summary"),
        ("*** HOLE CARDS ***\n", "", 8, "before the hole cards"),
        ("2022/05/15", "2022/25/15", 1, "not a date"),
        ("Seat #4 is", "Seat #2 is", 8, "not posted by the dealer"),
    ],
)
def test_a_broken_hand_is_named_and_the_others_kept(old, new, line, reason):
    assert old in EXAMPLE
    broken = EXAMPLE.replace(old, new, 1)
    before = EXAMPLE.count("\n") + 2
    read = read_text(f"{EXAMPLE}\n\n{broken}\n\n{LIMIT}".replace("\n", "\r\n"), "pokerstars", source="file.txt")
    assert [hand.number for hand in read.hands] == [123456789, 77]
    (fault,) = read.faults
    assert reason in fault.message
    assert fault.source == "file.txt"
    # The end of a hand may be reported at the empty lines behind it.
    assert before + line <= fault.line <= before + line + 3


def test_a_rake_keeps_its_unit_and_its_fraction():
    (hand,) = read_text(EXAMPLE, "pokerstars").hands
    # The rake follows from what was collected where the summary does not say it.
    (again,) = read_text(EXAMPLE.replace("Total pot $200 | Rake $2.50\n", ""), "pokerstars").hands
    assert again == hand
    # Play money is counted in whole chips of the hand's own unit, and has no place for a fraction.
    mills = dataclasses.replace(hand, details={"_chips_per_unit": 1000, "_rake": Decimal("0.25")})
    assert "Total pot 20000 | Rake 250 " in pokerstars_text(mills)
    split = dataclasses.replace(hand, net_chips=(0.0, 0.0), details={"_chips_per_unit": 100, "_rake": Decimal("0.01")})
    assert "Bob collected 9999 from pot" in pokerstars_text(split)
    with pytest.raises(HistoryError, match=r"a rake of 0\.25 chips cannot be written"):
        pokerstars_text(dataclasses.replace(hand, details={"_rake": Decimal("0.25")}))


@pytest.mark.parametrize("game", ["leduc", "holdem-2-4", "royal.limit"])
def test_other_games_are_refused(game):
    with pytest.raises(HistoryError, match="no other game"):
        pokerstars_text(random_hand(load_game(game), 1))


def test_players_of_one_name_are_refused():
    with pytest.raises(HistoryError, match="two different, printable names"):
        pokerstars_text(random_hand(load_game("holdem.limit.2p"), 1, players=("Ann", "Ann")))


def test_details_of_the_wrong_type_are_left_out():
    bad = {"seats": "no", "year": "x", "table": "a\nb", "currency_symbol": 3, "seat_count": -1, "_room": "a: b"}
    hand = random_hand(load_game("holdem.limit.2p"), 1)
    text = pokerstars_text(dataclasses.replace(hand, details=bad))
    assert text == pokerstars_text(hand)
