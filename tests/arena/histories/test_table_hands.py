"""Hands at tables of any size: files by hand, random hands held against PokerKit, reviews, faults, and damage."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from functools import cache
from itertools import chain
from pathlib import Path

import pokerkit
import pytest
from room_texts import Table, room_text

from errai.arena.histories.formats import read_hands, read_text, write_hands
from errai.arena.histories.record import HandFile
from errai.arena.histories.table_hand import Pots, TableHand, TableRules
from errai.errors import HistoryError
from errai.games.hand import CALL, FOLD, PlayedHand, still_in

CASES = Path(__file__).parent / "cases"
FILES = ("ps_cash_six", "ps_tournament", "gg_cash_six", "gg_tournament")


def case(name: str) -> HandFile:
    return read_hands(CASES / f"{name}.txt")


def hand(name: str, number: int) -> TableHand:
    (found,) = [one for one in case(name).tables if one.number == number]
    return found


def text_of(name: str, number: int) -> str:
    texts = (CASES / f"{name}.txt").read_text().split("\n\n\n")
    (found,) = [text for text in texts if f"{number}: " in text]
    return found + "\n"


@pytest.mark.parametrize(
    ("name", "count", "tables"), [(FILES[0], 14, 14), (FILES[1], 11, 11), (FILES[2], 12, 11), (FILES[3], 4, 4)]
)
def test_files_of_a_session_are_read_whole(name, count, tables):
    read = case(name)
    assert read.faults == ()
    assert (len(read.read), len(read.tables), len(read.hands)) == (count, tables, count - tables)
    text = (CASES / f"{name}.txt").read_text()
    assert [str(one.number) for one in read.read] == re.findall(r"^Poker\w* Hand #[A-Z]*(\d+)", text, re.MULTILINE)
    # PHH holds all of it.
    written = write_hands(read.read, "phh")
    assert written.faults == ()
    (document,) = written.documents.values()
    assert read_text(document).read == read.read
    for format in ("pokerstars", "acpc", "csv"):
        other = write_hands(read.read, format)
        assert (other.written, len(other.faults)) == (count - tables, tables)
        assert all("cannot hold" in fault.message for fault in other.faults)


def test_six_players():
    found = hand("ps_cash_six", 247301155002)
    assert found.players == ("RiverOtter_8", "vantablau", "Hektor Nod", "pannacotta4u", "Slow.Dan", "kestrel_71")
    assert found.positions == ("SB", "BB", "UTG", "HJ", "CO", "BTN")
    assert found.details["seats"] == [1, 2, 3, 4, 5, 6]
    assert found.net_chips == (-50.0, -100.0, 0.0, 3650.0, 0.0, -3500.0)
    assert found.details["winnings"] == [0, 0, 0, Fraction("68.50"), 0, 0]
    left = found.two_left
    assert left is not None
    # Both put in 10 dollars, and the blinds are dead money.
    assert (left.pot_chips, left.effective_chips) == (2150, 7720)
    assert [found.players[seat] for seat in left.seats] == ["pannacotta4u", "kestrel_71"]
    assert found.subject.deck.cards_text(left.state.board) == "9c7d2h"


def test_a_straddle_and_posts():
    straddled = hand("ps_cash_six", 247301155012)
    assert straddled.rules.roles == ("small blind", "big blind", "straddle", "", "", "")
    assert (straddled.rules.blinds, straddled.rules.big_blind) == ((50, 100, 200, 0, 0, 0), 100)
    first = next(straddled.moments())[0]
    assert (first.actor, first.betting.to_call_chips) == (3, 200)
    live = hand("ps_cash_six", 247301155010)
    assert (live.rules.roles[3], live.rules.antes) == ("post", (0,) * 6)
    # Whoever posts does not move the first turn.
    assert next(live.moments())[0].actor == 2
    dead = hand("ps_cash_six", 247301155011)
    assert (dead.rules.roles[4], dead.rules.antes, dead.rules.blinds[4]) == ("post", (0, 0, 0, 0, 50, 0), 100)
    assert next(dead.moments())[0].pot_chips == 300


def test_boards_that_are_run_twice_and_three_times():
    deck = hand("ps_cash_six", 247301155013).subject.deck
    split = hand("ps_cash_six", 247301155014)
    assert [deck.cards_text(board) for board in split.boards] == ["Qd7h2s8cJh", "KsTd4c3s9h"]
    assert split.net_chips == (50.0, -100.0, 0.0, 0.0, 0.0, 50.0)
    shared = hand("ps_cash_six", 247301155013)
    assert [deck.cards_text(board) for board in shared.boards] == ["Th9h4c2dKc", "Th9h4c9d3s"]
    thrice = hand("gg_cash_six", 1846200107)
    # Two of three boards of 201.50.
    assert thrice.net_chips[thrice.players.index("Hero")] == pytest.approx(20150 * 2 / 3 - 10000)


def test_a_tournament_with_antes_and_side_pots():
    found = hand("ps_tournament", 250100200005)
    assert found.rules.antes == (25,) * 9
    pots = found.pots()
    assert [chips for chips, _ in pots.pots] == [3 * 5075 + 100 + 6 * 25, 2 * 2625]
    assert [len(able) for _, able in pots.pots] == [3, 2]
    assert found.two_left is None
    # An ante of the big blind alone is dead money; its poster cannot win it back as a bet that nobody called.
    alone = hand("ps_tournament", 250100200006)
    assert sorted(alone.rules.antes) == [0] * 8 + [200]
    assert alone.two_left is not None
    assert alone.two_left.pot_chips == 1000 + 100 + 200


def test_a_blind_and_an_ante_that_a_stack_is_too_short_for():
    blinds = ["small blind", "big blind", "", ""]
    # The big blind has 6 of 20 chips; all others owe 20, or what they have.
    rules = TableRules.of([500, 6, 500, 15], [0] * 4, [10, 20, 0, 0], blinds)
    state = rules.opening()
    assert (rules.blinds, rules.big_blind, state.actor) == ((10, 6, 0, 0), 20, 2)
    assert (state.betting.to_call_chips, state.betting.legal().raise_range) == (20, (40, 500))
    state = state.after(CALL)
    assert (state.actor, state.betting.to_call_chips) == (3, 15)
    state = state.after(CALL)
    # The small blind calls 20; there are pots of 6, 15 and 20 chips a player.
    assert (state.actor, state.betting.to_call_chips) == (0, 10)
    state = state.after(CALL).with_cards((0, 5, 10))
    for _ in range(3):
        state = state.after(CALL).after(CALL).dealt((0, 5, 10, 15, 20))
    assert Pots.of(state).pots == ((24, (0, 1, 2, 3)), (27, (0, 2, 3)), (10, (0, 2)))
    # Where nobody else can act, the small blind owes nothing more.
    state = rules.opening().after(FOLD).after(FOLD)
    assert (state.is_over or state.cards_due, Pots.of(state).back) == (5, (4, 0, 0, 0))
    # An ante of 30 instead of 50 wins 30 from each.
    rules = TableRules.of([500, 500, 30, 500], [50, 50, 30, 50], [10, 20, 0, 0], blinds)
    state = rules.opening()
    assert (rules.stacks, state.actor, state.pot_chips) == ((450, 450, 0, 450), 3, 210)
    state = state.after(FOLD).after(FOLD)
    assert Pots.of(state).back == (0, 10, 0, 0)
    assert Pots.of(state).pots == ((120, (1, 2)), (80, (1,)))
    # An ante that one player posts for all is dead money.
    state = TableRules.of([500, 500, 500], [0, 20, 0], [10, 20, 0], blinds[:3]).opening().after(FOLD).after(FOLD)
    assert (Pots.of(state).pots, Pots.of(state).back) == (((40, (1,)),), (0, 10, 0))


def test_a_player_may_fold_without_facing_a_bet():
    rules = TableRules.of([500] * 3, [0] * 3, [10, 20, 0], ["small blind", "big blind", ""])
    state = rules.opening().after(CALL).after(CALL).after(FOLD)
    assert [still_in(state), state.betting.round] == [[0, 2], 1]
    (found,) = read_text(SIX.replace('"p2 cc", "p5 cbr 300", "p2 f"', '"p2 f"')).tables
    assert found.net_chips == (-50.0, -225.0, 0.0, 0.0, 275.0, 0.0)


def test_tables_that_are_not_possible():
    blinds = ["small blind", "big blind", ""]
    for stacks, antes, due, roles in (
        ([500] * 3, [0] * 3, [10, 20, 0], ["small blind", "", ""]),
        ([500] * 3, [0, 0, 600], [10, 20, 0], blinds),
        ([500, 500, 0], [0] * 3, [10, 20, 0], blinds),
        ([500] * 11, [0] * 11, [10, 20, *[0] * 9], [*blinds[:2], *[""] * 9]),
    ):
        with pytest.raises(HistoryError, match="The table of the hand is not possible"):
            TableRules.of(stacks, antes, due, roles)


SIX = """\
variant = "NT"
antes = [0, 0, 0, 0, 0, 0]
blinds_or_straddles = [50, 100, 0, 0, 0, 0]
min_bet = 100
starting_stacks = [10000, 10000, 10000, 10000, 10000, 10000]
actions = ["d dh p1 Th8c", "d dh p2 2h3d", "d dh p3 Ac2c", "d dh p4 ????", "d dh p5 5d5s", "d dh p6 ????",
  "p3 f", "p4 f", "p5 cbr 225", "p6 f", "p1 f", "p2 cc", "d db 9c4d5h", "p2 cc", "p5 cbr 300", "p2 f"]
hand = 7
players = ["A", "B", "C", "D", "E", "F"]
finishing_stacks = [9950, 9775, 10000, 10000, 10275, 10000]
"""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("", "", ""),
        ("10275, 10000]", "10274, 10000]", ""),
        ("10275, 10000]", "10276, 10000]", "does not fit the actions"),
        ("10275, 10000]", "10275, 10000, 1]", "must be a list of 6 amounts"),
        ("finishing_stacks", "winnings = [0, 0, 0, 0, 500, 0]\nfinishing_stacks", ""),
        ("finishing_stacks", "winnings = [0, 0, 0, 0, 800, 0]\nfinishing_stacks", ""),
        ("finishing_stacks", "winnings = [0, 0, 0, 500, 0, 0]\nfinishing_stacks", "does not fit the actions"),
        ("finishing_stacks", "_net = [-50, -225, 0, 0, 275, 0]\nfinishing_stacks", ""),
        ("finishing_stacks", "_net = [-50, -225, 0, 0, 276, 0]\nfinishing_stacks", "must sum to 0"),
        ("finishing_stacks", "_net = [-50, -225, 0, 275, 0, 0]\nfinishing_stacks", "_net does not fit"),
        ("finishing_stacks", '_boards = ["9c4d5h2d2s"]\nfinishing_stacks', "dealt twice|not all of its cards"),
        ("finishing_stacks", "_boards = [5]\nfinishing_stacks", "_boards must be a list"),
        ("finishing_stacks", "_dealt = [6]\nfinishing_stacks", "_dealt must be a list of seats from 0 to 5"),
        ("[50, 100, 0, 0, 0, 0]", "[50, 100, 200, 0, 0, 0]", "p3 acts here, but it is the turn of p4"),
        ("[50, 100, 0, 0, 0, 0]", "[50, 90, 0, 0, 0, 0]", "No blind is the big blind of 100"),
        ("p5 cbr 300", "p7 cbr 300", "the players are p1 to p6"),
        ("p5 cbr 300", f"p5 cbr {10**400}", "is not an amount of chips"),
        (
            "finishing_stacks",
            f"_net = [{10**400}, -{10**400}, 0, 0, 0, 0]\nfinishing_stacks",
            "_net must be a list of 6",
        ),
        ("hand = 7", "_max_raises = [1]\nhand = 7", "maxRaises needs one value for each of the 4 rounds"),
        ("hand = 7", "_max_raises = [0, 1, 1, 1]\nhand = 7", "No raise is legal here"),
        ("[0, 0, 0, 0, 0, 0]", "[inf, 0, 0, 0, 0, 0]", "posts more chips than the stack has"),
        ("[0, 0, 0, 0, 0, 0]", "[10000, 10000, 10000, 10000, 10000, 10000]", "Betting is over"),
        ("min_bet = 100", "min_bet = 0", "No blind is the big blind of 0"),
        ("2h3d", "2h5d", "dealt twice"),
    ],
)
def test_phh_of_six_players(old, new, reason):
    read = read_text(SIX.replace(old, new, 1))
    if reason:
        assert re.search(reason, read.faults[0].message), read.faults
        return
    (found,) = read.tables
    assert found.net_chips == (-50.0, -225.0, 0.0, 0.0, 275.0, 0.0)
    assert read_text(write_hands([found], "phh").documents["hands.phh"]).read == (found,)


def test_who_won_is_stated_where_cards_do_not_say_it():
    """Three at the showdown, of whom two are not seen."""
    text = SIX.replace('"p2 f"]', '"p2 cc", "d db 2d", "p2 cc", "p5 cc", "d db 2s", "p2 cc", "p5 cc"]')
    text = text.replace("d dh p5 5d5s", "d dh p5 ????").replace("d dh p2 2h3d", "d dh p2 ????")
    ends = text.index("finishing_stacks")
    (fault,) = read_text(text[:ends]).faults
    assert "The winner is unknown" in fault.message
    (found,) = read_text(text[:ends] + "finishing_stacks = [9950, 10550, 10000, 10000, 9475, 10000]\n").tables
    assert found.net_chips == (-50.0, 575.0, 0.0, 0.0, -525.0, 0.0)
    assert found.details["_rake"] == 25
    (document,) = write_hands([found], "phh").documents.values()
    assert "_net = [-50, 575, 0, 0, -525, 0]" in document
    assert read_text(document).read == (found,)


def test_a_tournament_of_ggpoker():
    found = hand("gg_tournament", 4012345604)
    assert found.details["event"] == "Tournament #142857142, Bounty Hunters $10.80 (Turbo)"
    assert (found.details["_level"], found.details["_prefix"]) == ("Level12", "TM")
    assert (found.rules.antes, found.rules.big_blind) == ((125,) * 8, 1000)
    assert [chips for chips, _ in found.pots().pots] == [3 * 18300 + 1500 + 5 * 125, 2 * 2675]


def test_fees_beside_the_rake():
    found = hand("gg_cash_six", 1846200105)
    assert (found.details["_rake"], found.details["_fees"]) == (Fraction("1.64"), {"jackpot": Fraction("0.20")})
    assert (found.details["venue"], found.details["_prefix"]) == ("GGPoker", "RC")


def test_the_names_of_positions():
    names = {}
    for players in range(2, 11):
        (found,) = read_text(room_text(Table(players, antes="all"), 3).text).tables
        names[players] = " ".join(found.positions)
    assert names == {
        2: "BB BTN",
        3: "SB BB BTN",
        4: "SB BB CO BTN",
        5: "SB BB HJ CO BTN",
        6: "SB BB UTG HJ CO BTN",
        7: "SB BB UTG LJ HJ CO BTN",
        8: "SB BB UTG UTG+1 LJ HJ CO BTN",
        9: "SB BB UTG UTG+1 UTG+2 LJ HJ CO BTN",
        10: "SB BB UTG UTG+1 UTG+2 UTG+3 LJ HJ CO BTN",
    }


# --- against PokerKit ---


def tables(count: int, seed: int) -> list[tuple[Table, int]]:
    """Different tables, each with the seed of a hand."""
    rng, found = random.Random(seed), []
    for number in range(count):
        tournament = rng.random() < 0.4
        antes = rng.choice(["none", "none", "all", "big blind"])
        table = Table(
            rng.choice([2, 3, 4, 5, 6, 6, 6, 8, 9, 10]), gg=rng.random() < 0.5, tournament=tournament, antes=antes,
            short=rng.random() < 0.5,
        )  # fmt: skip
        if not tournament:
            table.straddle, table.rake = rng.random() < 0.3, rng.choice([0, 0.03, 0.05])
            table.post = rng.choice(["", "", "", "live", "live and dead"]) if antes != "big blind" else ""
            table.runs = rng.choice([1, 1, 2, 3])
        found.append((table, seed * 1_000_000 + number))
    return found


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("seed", range(4))
def test_random_hands_end_as_pokerkit_says(seed):
    """Stacks, pots and winnings of hands that PokerKit played; and PokerKit reads what we make of them."""
    boards = side_pots = two_left = 0
    for table, number in tables(40, seed):
        played = room_text(table, number)
        read = read_text(played.text)
        assert read.faults == (), played.text
        (found,) = read.read
        assert found.players == played.names
        # Rooms pay odd chips to somebody; here a tie divides a pot exactly.
        odd = 1
        if isinstance(found, TableHand):
            odd = len(found.boards) * len(found.pots().pots)
            boards, side_pots = boards + (len(found.boards) > 1), side_pots + (len(found.pots().pots) > 1)
            streets = [
                (len(still_in(s)), s.pot_chips) for s, _ in found.moments() if s.betting.round and not s.actions[-1]
            ]
            assert streets == played.streets
            pots = [pot for left, pot in played.streets if left == 2]
            assert (found.two_left.pot_chips if found.two_left else None) == (pots[0] if pots else None)
            two_left += bool(pots)
        assert found.net_chips == pytest.approx(played.payoffs, abs=odd)
        assert sum(found.net_chips) == pytest.approx(0, abs=1e-9)
        (document,) = write_hands([found], "phh").documents.values()
        assert read_text(document).read == (found,)
        if table.runs == 1:
            *_, end = pokerkit.HandHistory.loads(document)
            unit = found.details.get("_chips_per_unit", 1)
            assert [float(chips) * unit for chips in end.payoffs] == pytest.approx(played.payoffs, abs=1e-6)
    assert min(boards, side_pots, two_left) > 1


# --- what is refused ---


TEN = 247301155002
TWICE = 247301155013
ANTES = 250100200001


@pytest.mark.parametrize(
    ("name", "number", "old", "new", "line", "reason"),
    [
        (
            0,
            TEN,
            "Total pot $71.50",
            "Total pot $72.50",
            "Total pot",
            "is 7250 chips in the summary and 7150 by the act",
        ),
        (0, TEN, "| Rake $3", "| Rake $4", "collected", "won as 71.50 by pannacotta4u, less a rake of 4"),
        (0, TEN, "pannacotta4u collected", "kestrel_71 collected", "collected", "does not fit the actions"),
        (0, TEN, "kestrel_71: calls $18", "kestrel_71: calls $17", "calls $17", "The call is of 1700 chips, but 1800"),
        (
            0,
            TEN,
            "Hektor Nod: folds\n",
            "",
            "raises $2 to $3",
            "pannacotta4u acts here, but it is the turn of Hektor Nod",
        ),
        (0, TEN, "raises $7 to $10", "raises $7 to $11", "to $11", "is not a raise by"),
        (0, TEN, "raises $2 to $3", "raises $0.50 to $1.50", "to $1.50", "is not legal"),
        (0, TEN, "RiverOtter_8: posts small blind $0.50\n", "", "Total pot", "and 7100 by the actions"),
        (0, TEN, "vantablau: posts big blind $1\n", "", "HOLE CARDS", "No player posts the big blind"),
        (0, TEN, "vantablau: posts big", "Hektor Nod: posts big", "HOLE CARDS", "not posted by the player after"),
        (
            0,
            TEN,
            "vantablau (big blind) folded",
            "vantablau (big blind) showed [9c 2c] and folded",
            "9c 2c",
            "dealt twice",
        ),
        (0, TEN, "showed [Tc Td] and won ($68.50)", "folded on the River", "Seat 4: pan", "not by the actions"),
        (0, TEN, "and won ($68.50)", "and won ($65)", "($65)", "won 65 by the summary, but collected 68.50"),
        (0, 247301155001, "Uncalled bet ($3.50)", "Uncalled bet ($4.50)", "Uncalled", "got back 4.50 of a bet; by the"),
        (0, 247301155005, "collected $103 ", "collected $102.90 ", "collected", "does not fit the actions"),
        (
            0,
            247301155009,
            "Slow.Dan collected $6.89",
            "Slow.Dan collected $6.87",
            "collected $6.87",
            "won as 7.25 by pan",
        ),
        (0, 247301155010, "RiverOtter_8: folds", "RiverOtter_8: jumps", "jumps", "is not an action"),
        (0, 247301155012, "posts straddle $2", "posts straddle $1", "straddle $1", "not above the blind"),
        (0, TWICE, "*** SECOND TURN *** [Th 9h 4c] [9d]\n", "", "SECOND RIVER", "begins after the 3 cards"),
        (0, TWICE, "*** SECOND TURN *** [Th 9h 4c] [9d]", "*** SECOND TURN *** [Th 9h 4c] [2d]", "[2d]", "dealt twice"),
        (0, TWICE, "*** SECOND RIVER *** [Th 9h 4c 9d] [3s]\n", "", "SECOND Board", "is not the one that was dealt"),
        (0, TWICE, "Hand was run twice", "Hand was run three times", "Hand was run", "the boards dealt are 2"),
        (0, TWICE, "SECOND Board [Th 9h 4c 9d 3s]", "SECOND Board [Th 9h 4c 9d 3c]", "SECOND Board", "not the one"),
        (1, ANTES, "o'malley_x: posts the ante 25\n", "", "HOLE CARDS", "o'malley_x posts no ante, but 8 others do"),
        (
            1,
            ANTES,
            "o'malley_x: posts the ante 25",
            "o'malley_x: posts the ante 20",
            "HOLE",
            "is not that of the others",
        ),
        (1, ANTES, "posts big blind 200", "posts big blind 150", "blind 150", "the blind is 200"),
        (1, ANTES, "Hold'em No Limit", "6+ Hold'em No Limit", "PokerStars Hand", "short deck"),
        (2, 1846200105, "Jackpot $0.20", "Jackpot $0.30", "collected", "less a rake of 1.74"),
    ],
)
def test_a_contradiction_is_named_with_its_line(name, number, old, new, line, reason):
    text = text_of(FILES[name], number)
    assert old in text
    text = f"{text_of(FILES[name], 247301155003 if name == 0 else number)}\n\n{text.replace(old, new, 1)}"
    read = read_text(text)
    assert len(read.read) == 1
    fault = read.faults[0]
    assert re.search(reason, fault.message), fault
    assert line in text.split("\n")[fault.line - 1], fault


@pytest.mark.parametrize(
    "line",
    [
        "Zed joins the table at seat #9",
        "Zed leaves the table",
        "Zed: sits out",
        "Zed: is sitting out",
        "Zed will be allowed to play after the button",
        "Zed was removed from the table for failing to post",
        "Zed is disconnected",
        "Zed is connected",
        "Zed has timed out while being disconnected",
        "Zed has returned",
        'Zed [observer] said, "fold: folds"',
        "Zed wins the $5 bounty for eliminating Yan",
        "Zed wins $2.50 for eliminating Yan and their own bounty increases by $2.50 to $12.25",
        "Zed wins $0.25 for splitting the elimination of Yan and their own bounty increases by $0.25 to $1.50",
        "Zed re-buys and receives 1500 chips for $1.00",
        "Zed takes the add-on and receives 2000 chips for $1.00",
        "Zed finished the tournament in 9th place and received $3.10.",
        "Zed wins the tournament and receives $101.90 - congratulations!",
        "Zed cashed out the hand for $9.80 | Cash Out Fee $0.10",
        "kestrel_71: Receives Cashout ($12.20)",
        "kestrel_71 is sitting out",
        "kestrel_71 has timed out",
    ],
)
def test_what_does_not_describe_the_hand_is_skipped(line):
    text = text_of("ps_cash_six", TEN)
    for before in ("*** HOLE", "*** FLOP", "*** SUMMARY"):
        read = read_text(text.replace(before, f"{line}\n{before}", 1))
        assert read.faults == ()
        assert read.tables == (hand("ps_cash_six", TEN),)


def test_a_button_at_an_empty_chair():
    gone = re.sub(r"^.*Slow.Dan.*\n", "", text_of("ps_cash_six", 247301155003), flags=re.MULTILINE)
    (found,) = read_text(gone).tables
    assert (found.details["_button"], found.positions) == (5, ("SB", "BB", "LJ", "HJ", "CO"))
    assert read_text(write_hands([found], "phh").documents["hands.phh"]).read == (found,)
    (fault,) = read_text(text_of("ps_cash_six", 247301155008).replace("Seat #3 is the", "Seat #2 is the")).faults
    assert "not posted by the player left of the dealer" in fault.message
    # Details that mean something else change nothing.
    (odd,) = read_text(SIX.replace("hand = 7", "seats = 5\n_button = 'x'\nhand = 7")).tables
    assert odd.positions == ("SB", "BB", "UTG", "HJ", "CO", "BTN")


def test_eleven_players_and_one_are_refused():
    text = text_of("ps_tournament", 250100200001)
    seats = "".join(f"Seat {seat}: x{seat} (900 in chips)\n" for seat in (10, 11))
    (fault,) = read_text(text.replace("lindenblatt: posts the ante", seats + "lindenblatt: posts the ante", 1)).faults
    assert "11 players are in the hand; hands of 2 to 10 can be read." in fault.message


def test_who_does_nothing_and_sits_out_is_not_in_the_hand():
    found = hand("ps_cash_six", 247301155008)
    assert "vantablau" not in found.players
    # Who sits out of a tournament posts and folds all the same.
    assert "Novemberlicht" in hand("ps_tournament", 250100200007).players
    # GGPoker names all who were dealt cards.
    text = text_of("gg_cash_six", 1846200101).replace("Seat 6:", "Seat 7: 00aa11bb ($55 in chips)\nSeat 6:", 1)
    assert len(read_text(text).tables[0].players) == 6


# --- damage ---


def mutated(line: str, rng: random.Random) -> str:
    """A line with something cut, doubled, exchanged or put in."""
    at, kind = rng.randrange(len(line) + 1), rng.randrange(7)
    if kind == 0:
        return line[:at]
    if kind == 1:
        return line[at:]
    if kind == 2:
        return f"{line}\n{line}"
    if kind == 3:
        return ""
    if kind == 4:
        return line[:at] + rng.choice("0123456789$.:[]()*# \u00e9x") + line[at + rng.randrange(2) :]
    if kind == 5:
        return re.sub(r"\d+", lambda found: str(int(found[0][:9]) + rng.randrange(-1, 3)), line, count=1)
    return re.sub(r"(\w+)(\W+)(\w+)", r"\3\2\1", line, count=1)


def damage(count: int, seed: int, lines_a_hand: int, *, headers: bool = True) -> tuple[int, int, int]:
    """Read hands of which some lines are damaged; returns the numbers of damaged lines, hands read and faults.

    Hands whose first lines (``headers``) are damaged may be one stretch of text that belongs to no hand.
    """
    rng, files = random.Random(seed), []
    for name in FILES:
        texts = (CASES / f"{name}.txt").read_text().split("\n\n\n") * 2
        files.append([text.split("\n") for text in texts])
    done = read_hands_count = refused = 0
    while done < count:
        whole, hands = [], rng.sample(rng.choice(files), 5)
        for number, lines in enumerate(hands):
            lines = list(lines)
            # The first and the last hand of a file stay as they are.
            for _ in range(lines_a_hand if 0 < number < 4 else 0):
                i = rng.randrange(not headers, len(lines))
                lines[i] = mutated(lines[i], rng)
                done += 1
            whole.append("\n".join(lines))
        text = "\n\n\n".join(whole)
        read = read_text(text)
        total = text.count("\n") + 1
        assert all(type(f) is HistoryError and f.line is not None and 1 <= f.line <= total for f in read.faults)
        assert len(read.read) + len(read.faults) >= (3 if headers else 5), text
        assert read.faults or len(read.read) == 5, text
        assert read.read[0] == intact(whole[0])
        assert read.read[-1] == intact(whole[4])
        for one in read.read:
            check(one)
        read_hands_count, refused = read_hands_count + len(read.read), refused + len(read.faults)
    return done, read_hands_count, refused


@cache
def intact(text: str) -> PlayedHand:
    """The hand of a text without damage."""
    return read_text(text).read[0]


def check(found: PlayedHand) -> None:
    """What must be true of every hand that was read, whatever its text."""
    final = found.final_state()
    assert final.is_over
    assert sum(found.net_chips) == pytest.approx(0, abs=1e-6)
    if isinstance(found, TableHand):
        pots = found.pots()
        put = sum(final.betting.spent) + sum(found.rules.antes)
        assert sum(pots.put) == pots.total == put - sum(pots.back)
        seen = [*chain.from_iterable(cards or () for cards in found.hole), *chain.from_iterable(found.boards)]
        assert len({*seen}) >= len(seen) - 5 * (len(found.boards) - 1)


def test_damaged_lines_cost_their_hands_and_are_named():
    done, read, refused = damage(19_200, 1, 40)
    assert done >= 19_200
    assert min(read, refused) > 100
    for headers in (False, True):
        done, read, refused = damage(200, 2, 1, headers=headers)
        assert min(read, refused) > 100
