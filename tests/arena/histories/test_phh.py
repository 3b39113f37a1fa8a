"""PHH, read and written: an example by hand, random hands compared with PokerKit, and what cannot be read."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import random
from decimal import Decimal

import pokerkit
import pytest
from random_hands import random_hand, short_stacks

from errai.arena.histories.formats import read_text
from errai.arena.histories.holdem import named
from errai.arena.histories.phh import phh_text, phhs_text, toml_value
from errai.errors import HistoryError
from errai.games.catalogue import catalogue, load_game
from errai.games.game import Game
from errai.games.hand import CALL, FOLD, raise_to
from errai.games.spot import parse_spot

EXAMPLE = """\
# The dealer is p2.
variant = "NT"
ante_trimming_status = true
antes = [0, 0]
blinds_or_straddles = [0.5, 1]
min_bet = 1
starting_stacks = [90, 100.5]
actions = [
  "d dh p1 AcAd",
  "d dh p2 ????",
  "p2 cbr 2.5  # Bob tries it",
  "p1 cc",
  "d db Ts9s2h",
  "# a pause",
  "p1 cc",
  "p2 cbr 3",
  "p1 cbr 87.50",
  "p2 cc",
  "p1 sm AcAd",
  "p2 sm KsQs",
  "d db 3c",
  "d db Js",
]
hand = 12
year = 2024
time = 12:30:00
players = ["Ann", "Bob"]
currency = "USD"
_note = {mood = "bad", "long key" = [1, 2.5]}
"""


def test_an_example():
    read = read_text(EXAMPLE, "phh")
    assert read.faults == ()
    (hand,) = read.hands
    game = hand.subject
    assert isinstance(game, Game)
    assert (game.limit, game.blinds, game.stacks) == (False, (100, 50), (9000, 10050))  # cents
    assert game.first_player == (1, 0, 0, 0)
    assert hand.number == 12
    assert hand.players == ("Ann", "Bob")
    deck = game.deck
    assert [deck.cards_text(cards or ()) for cards in hand.hole] == ["AcAd", "KsQs"]
    assert deck.cards_text(hand.board) == "Ts9s2h3cJs"
    # Totals over the hand: 250 before the flop.
    assert hand.actions == ((raise_to(250), CALL), (CALL, raise_to(550), raise_to(9000), CALL))
    assert hand.net_chips == (-9000.0, 9000.0)  # a straight against aces
    assert hand.details["year"] == 2024
    assert hand.details["time"] == datetime.time(12, 30)
    assert hand.details["_note"]["mood"] == "bad"
    assert hand.details["_dealt"] == (0,)
    assert hand.details["_comments"] == (("action 0", "Bob tries it"), ("board 3", "a pause"))
    assert read_text(phh_text(hand), "phh").hands == (hand,)
    assert "'d db Js'" in phh_text(hand).replace('"', "'")


def test_a_game_of_the_catalogue_is_named():
    hand = random_hand(load_game("holdem.nolimit.2p"), 1)
    assert read_text(phh_text(hand), "phh").hands[0].subject.name == "holdem.nolimit.2p"
    other = named(dataclasses.replace(load_game("holdem.nolimit.2p"), stacks=(1000, 2000)))
    assert other.name == "no-limit hold'em 50/100"


SUBJECTS = [
    *(load_game(name) for name in catalogue()),
    *(named(short_stacks(load_game(name), i)) for name in ("holdem.limit.2p", "holdem.nolimit.2p") for i in range(6)),
    named(dataclasses.replace(load_game("holdem.limit.2p"), max_raises=(4, 4, 4, 4))),
    named(dataclasses.replace(load_game("holdem.nolimit.2p"), max_raises=(2, 1, 1, 1))),
]


@pytest.mark.parametrize("game", SUBJECTS, ids=lambda game: f"{game.name}-{game.stacks[0]}-{game.stacks[1]}")
def test_round_trip(game):
    hands = tuple(random_hand(game, 1, number) for number in range(25))
    read = read_text(phhs_text(hands), "phh")
    assert read.faults == ()
    assert read.hands == hands


def test_round_trip_of_a_spot():
    spot = parse_spot(
        'board = "Qs Jh 2h"\npot = 20\nstack = 100\n[ranges]\noop = "QQ,AK"\nip = "JJ,T9s"\n'
        '[bets]\nbet = "50%"\nraise = "a"\n'
    )
    hands = [random_hand(spot, 5, number) for number in range(20)]
    read = read_text(phhs_text(hands), "phh")
    assert read.faults == ()
    for hand, again in zip(hands, read.hands, strict=True):
        assert again.subject.digest() == spot.digest()
        assert dataclasses.replace(again, subject=spot) == hand


def test_round_trip_of_everything_else():
    details = {
        "event": 'A "great" event\nof two lines \x7f', "level": 3, "seats": [4, 2], "currency_symbol": "$",
        "time_zone_abbreviation": "ET", "time": datetime.time(1, 2, 3), "year": 1999, "_deep": {"a b": [True, -1.5]},
        "_chips_per_unit": 1000, "_dealt": (1,), "_shown": ((1, True), (0, False)),
        "_comments": (("", "first"), ("deal 1", "a"), ("action 0", "b # c"), ("action 0", "d")),
    }  # fmt: skip
    played = (random_hand(load_game("holdem.nolimit.2p"), 9, number) for number in range(100))
    hand = next(hand for hand in played if hand.final_state().betting.showdown)
    hand = dataclasses.replace(hand, details=details)
    (again,) = read_text(phh_text(hand), "phh").hands
    # A fraction comes back as a decimal number, which is the same to the last digit.
    assert again == hand
    assert toml_value(again.details["_deep"]) == toml_value(details["_deep"])


# --- PokerKit ---


def peer_of(text: str) -> tuple[pokerkit.HandHistory, pokerkit.State]:
    history = pokerkit.HandHistory.loads(text)
    return history, list(history)[-1]


HOLDEM = [
    game for game in SUBJECTS if game.num_rounds == 4 and game.num_ranks == 13 and game.max_raises != (2, 1, 1, 1)
]


@pytest.mark.filterwarnings("ignore:The field:UserWarning", "ignore:A card being dealt:UserWarning")
@pytest.mark.parametrize("game", HOLDEM, ids=lambda game: f"{game.name}-{game.stacks[0]}-{game.stacks[1]}")
def test_pokerkit_reads_what_we_write(game):
    for number in range(12):
        hand = random_hand(game, 2, number)
        history, end = peer_of(phh_text(hand))
        assert not end.status
        assert tuple(end.payoffs) == hand.net_chips
        assert history.players == list(hand.players)
        board = "".join(repr(card) for card in end.get_board_cards(0))
        assert board == game.deck.cards_text(hand.board)


def test_we_read_what_pokerkit_writes():
    rng = random.Random(4)
    for number in range(60):
        limit = number % 2 == 0
        stacks = (rng.randint(20, 3000), rng.randint(20, 3000))
        make = pokerkit.FixedLimitTexasHoldem if limit else pokerkit.NoLimitTexasHoldem
        sizes = (20, 40) if limit else (20,)
        automations = tuple(a for a in pokerkit.Automation if a.name != "RUNOUT_COUNT_SELECTION")
        game = make(automations, True, 0, (10, 20), *sizes)
        state = game(stacks, 2)
        while state.status:
            least, most = (
                state.min_completion_betting_or_raising_to_amount,
                state.max_completion_betting_or_raising_to_amount,
            )
            choice = rng.random()
            if choice < 0.1 and state.can_fold():
                state.fold()
            elif choice < 0.6 or least is None:
                state.check_or_call()
            else:
                state.complete_bet_or_raise_to(rng.choice([least, most, rng.randint(least, most)]))
        text = pokerkit.HandHistory.from_game_state(game, state, hand=number).dumps()
        read = read_text(text, "phh")
        assert read.faults == (), text
        assert read.hands[0].net_chips == tuple(state.payoffs)
        assert read.hands[0].subject.stacks == stacks


# --- what cannot be read ---


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ('"p2 cbr 2.5  # Bob tries it"', '"p1 cbr 2.5"', 11, "p1 acts here"),
        ('"p2 cbr 3"', '"p2 cbr 0.5"', 16, "not legal"),
        ('"d db 3c"', '"d db Ac"', 21, "is dealt twice"),
        ('"d db Js",\n', "", 0, "1 board cards of the showdown are missing"),
        ('"p2 sm KsQs"', '"p2 sm KsQz"', 20, "Expected a suit"),
        ('"p2 sm KsQs",\n', "", 0, "The winner is unknown"),
        ("[90, 100.5]", "[90, 100.5, 3]", 0, "one value for each of the 3 players"),
        ("[90, 100.5]", "[90, 100.1234567]", 0, "digits after the point"),
        ("[90, 100.5]", "[90, nan]", 0, "not an amount"),
        ("[0.5, 1]", "[0.5, -1e999999]", 0, "not an amount"),
        ("antes = [0, 0]", "antes = [0.1, 0.1]", 17, "A raise to 9000 is not legal"),
        ('"NT"', '"PO"', 0, "not hold'em"),
        ("min_bet = 1", "min_bet = 2", 0, "it must be the big blind, 1"),
        ('"p1 cc",\n  "p2 cbr 3"', '"p1 jumps",\n  "p2 cbr 3"', 15, "not an action of hold'em"),
        ("hand = 12", "hand = = 12", 24, "not valid TOML"),
        ('["Ann", "Bob"]', '["Ann"]', 0, "names of 2 players"),
    ],
)
def test_a_broken_hand_is_named_and_the_others_kept(old, new, line, reason):
    assert old in EXAMPLE
    broken = EXAMPLE.replace(old, new, 1)
    text = f"[1]\n{EXAMPLE}\n[2]\n{broken}\n[3]\n{EXAMPLE}"
    read = read_text(text, "phh", source="file.phhs")
    assert len(read.hands) == 2
    (fault,) = read.faults
    assert reason in fault.message
    assert fault.source == "file.phhs"
    first = text.split("\n").index("[2]") + 1
    assert fault.line == first + line


def test_finishing_stacks_are_checked():
    def read(stacks: str):
        return read_text(f"{EXAMPLE}finishing_stacks = {stacks}\n", "phh")

    assert "_rake" not in read("[0, 190.5]").hands[0].details
    assert read("[0, 185]").hands[0].details["_rake"] == Decimal("5.5")
    for wrong, reason in (
        ("[190.5, 0]", "190.50 and 0 does not fit the actions and the rules, which give 0 and 190.50, less the rake"),
        ("[0, 200]", "does not fit"),
        ("[1, 189.5]", "does not fit"),
        ("[0, 150]", "40.50 of the pot of 180 went to no player"),
        ("[0]", "a list of 2 amounts"),
        ("[0, true]", "not an amount"),
    ):
        (fault,) = read(wrong).faults
        assert reason in fault.message
        assert fault.line == EXAMPLE.count("\n") + 1


@pytest.mark.parametrize(
    ("fields", "rake", "reason"),
    [
        ("winnings = [0, 180]", None, ""),
        ("winnings = [0, 0]", None, ""),  # as programs write that do not know them
        ("winnings = [0, 179.25]", "0.75", ""),
        ("winnings = [0, 179.25]\n_rake = 0.75", "0.75", ""),
        ("winnings = [0, 179.25]\nfinishing_stacks = [0, 189.75]", "0.75", ""),
        ("winnings = [0, 100]\n_rake = 80", "80", ""),
        ("_rake = 1.5", "1.5", ""),
        ("winnings = [180, 0]", None, "winnings: 180 and 0 does not fit"),
        ("winnings = [0, 5000]", None, "winnings: 0 and 5000 does not fit"),
        ("winnings = [0, 190.5]", None, "winnings: 0 and 190.50 does not fit"),
        ("winnings = [90, 90]", None, "winnings: 90 and 90 does not fit"),
        ("winnings = [0, 120]", None, "more than a usual rake"),
        ("winnings = [0, -180]", None, "winnings: -180 is not an amount"),
        ("winnings = 180", None, "winnings must be a list"),
        ("winnings = [0, 179.25]\n_rake = 0.50", None, "which give 0 and 179.50, less a rake of 0.50"),
        ("winnings = [0, 179.25]\nfinishing_stacks = [0, 190]", None, "winnings: 0 and 179.25 does not fit"),
        ("_rake = 181", None, "The rake is 181; it must be at least 0 and at most the pot, 180."),
    ],
)
def test_winnings_and_rake_are_checked(fields, rake, reason):
    read = read_text(f"{EXAMPLE}{fields}\n", "phh", source="a.phh")
    if reason:
        (fault,) = read.faults
        assert reason in fault.message
        assert fault.line == EXAMPLE.count("\n") + 1
        return
    (hand,) = read.hands
    assert hand.net_chips == (-9000.0, 9000.0)
    assert hand.details.get("_rake") == (None if rake is None else Decimal(rake))
    assert read_text(phh_text(hand), "phh").hands == (hand,)


def test_winnings_with_and_without_the_bet_that_nobody_called():
    text = EXAMPLE[: EXAMPLE.index("actions")] + 'actions = ["d dh p1 ????", "d dh p2 ????", "p2 cbr 2.5", "p1 f"]\n'
    for winnings, rake in (("[0, 2]", 0), ("[0, 3.5]", 0), ("[0, 1.9]", Decimal("0.10"))):
        (hand,) = read_text(f"{text}winnings = {winnings}\n", "phh").hands
        assert hand.net_chips == (-100.0, 100.0)
        assert hand.details.get("_rake", 0) == rake
    assert "which give 0 and 2" in read_text(f"{text}winnings = [0, 4]\n", "phh").faults[0].message


@pytest.mark.parametrize("percentage", ["0.05", "0.025"])
def test_the_rake_is_that_of_pokerkit(percentage):
    """Stacks and winnings after a rake that another program took."""
    rng = random.Random(int(float(percentage) * 1000))
    take = functools.partial(pokerkit.rake, percentage=Decimal(percentage), cap=Decimal("3.5"), no_flop_no_drop=True)
    make = pokerkit.NoLimitTexasHoldem
    automations = tuple(a for a in pokerkit.Automation if a.name != "RUNOUT_COUNT_SELECTION")
    found = set()
    for number in range(40):
        game = make(automations, True, 0, (10, 20), 20, rake=take, divmod=lambda pot, n: (pot / n, 0))
        state = game((rng.randint(20, 300), rng.randint(20, 300)), 2)
        while state.status:
            if rng.random() < 0.2 and state.can_fold():
                state.fold()
            elif rng.random() < 0.3 and state.can_complete_bet_or_raise_to():
                state.complete_bet_or_raise_to(state.max_completion_betting_or_raising_to_amount)
            else:
                state.check_or_call()
        text = pokerkit.HandHistory.from_game_state(game, state, hand=number).dumps()
        taken = sum(state.starting_stacks) - sum(state.stacks)
        text += f"\nfinishing_stacks = [{', '.join(f'{float(stack)!r}' for stack in state.stacks)}]\n"
        read = read_text(text, "phh")
        assert read.faults == (), text
        assert Decimal(read.hands[0].details.get("_rake", 0)) == taken
        found.add(taken)
    assert len(found) > 2


def test_a_short_blind():
    text = EXAMPLE[: EXAMPLE.index("actions")].replace("[90, 100.5]", "[0.75, 100.5]")
    text += 'actions = ["d dh p1 AcAd", "d dh p2 KsQs", "p2 cc", "d db Ts9s2h", "d db 3c", "d db 4c"]\n'
    (hand,) = read_text(text + 'currency = "USD"\n', "phh").hands
    assert hand.subject.blinds == (75, 50)
    assert hand.net_chips == (75.0, -75.0)
    assert hand.details["_blinds"] == (100, 50)
    assert read_text(phh_text(hand), "phh").hands == (hand,)


def test_muck_and_unknown_cards():
    text = EXAMPLE.replace('"p2 sm KsQs"', '"p2 sm"')
    (hand,) = read_text(text, "phh").hands
    assert hand.hole[1] is None
    assert hand.net_chips == (9000.0, -9000.0)
    assert read_text(phh_text(hand), "phh").hands == (hand,)


def test_an_unfinished_hand_is_not_written():
    hand = random_hand(load_game("leduc"), 1)
    with pytest.raises(HistoryError, match="not over"):
        phh_text(dataclasses.replace(hand, actions=((),), board=()))


def test_a_fold_needs_no_cards():
    hand = random_hand(load_game("holdem.limit.2p"), 1)
    hand = dataclasses.replace(hand, hole=(None, None), board=(), actions=((FOLD,),), net_chips=(5.0, -5.0))
    assert read_text(phh_text(hand), "phh").hands == (hand,)
