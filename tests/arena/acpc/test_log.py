"""Logs of the competition's dealer, read and written."""

import pytest
from small_subjects import subject

from errai.arena.acpc.log import (
    MatchLog,
    Score,
    chips_text,
    comment_line,
    read_log,
    read_score_line,
    read_state_line,
    require_name,
    score_line,
    state_line,
)
from errai.errors import HistoryError, MatchError, UnsupportedGameError
from errai.games.catalogue import load_game
from errai.games.hand import PlayedHand

NOLIMIT = load_game("holdem.nolimit.2p")

# The beginning of the match that is published with the competition's dealer.
PUBLISHED = (
    "STATE:0:cr13024c/r16916f:5d5c|9hQd/8dAs8s:13024|-13024:Alice|Bob",
    "STATE:1:r19015r20000c///:6sKs|5dJd/2sTh2h/Qh/8h:20000|-20000:Bob|Alice",
    "STATE:2:cc/r6420f:Ah8s|2h4c/Qd7h6c:100|-100:Alice|Bob",
    "STATE:5:cc/cr16845r20000c//:KhTh|8s7d/9c8d5c/Qd/Td:20000|-20000:Bob|Alice",
    "STATE:6:cc/cc/cc/cr1109c:Kc8h|5cAs/9dAh4d/7h/Qs:-1109|1109:Alice|Bob",
    "STATE:15:f:3c4c|Th7s:50|-50:Bob|Alice",
    "STATE:17:r2866c/cc/cr4303r11247r19216c/r19320r19587c:Kc7c|2s7d/As3h6s/Qc/7s:19587|-19587:Bob|Alice",
    "STATE:999:cc/r3138r9448r19975c/r20000c/:Jc8d|TdQd/As6d6h/7h/4s:-20000|20000:Bob|Alice",
)


@pytest.mark.parametrize("line", PUBLISHED)
def test_published_hands_come_out_as_they_went_in(line):
    hand = read_state_line(line + "\n", NOLIMIT)
    assert state_line(hand) == line


def test_a_hand_is_what_its_line_says():
    hand = read_state_line(PUBLISHED[0], NOLIMIT)
    assert (hand.number, hand.players, hand.net_chips) == (0, ("Alice", "Bob"), (13024.0, -13024.0))
    assert [len(done) for done in hand.actions] == [3, 2]
    assert hand.final_state().betting.folded == 1
    assert NOLIMIT.deck.cards_text(hand.board) == "8dAs8s"


def test_cards_that_were_never_shown_stay_unknown():
    line = "STATE:15:f:3c4c|:50|-50:Bob|Alice"
    hand = read_state_line(line, NOLIMIT)
    assert hand.hole[1] is None
    assert state_line(hand) == line
    showdown = "STATE:6:cc/cc/cc/cr1109c:Kc8h|/9dAh4d/7h/Qs:-1109|1109:Alice|Bob"
    assert state_line(read_state_line(showdown, NOLIMIT)) == showdown


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("STATE:0:f:3c4c|Th7s:50|-50", "expected"),
        ("STATE:0:c:3c4c|Th7s:50|-50:A|B", "not over"),
        ("STATE:0:f:3c4c|Th7s:51|-51:A|B", "50|-50"),
        ("STATE:0:f:3c4c|Th7s:50|-51:A|B", "sum to 0"),
        ("STATE:0:f:3c4c|Th7s:nan|nan:A|B", "expected"),
        ("STATE:0:f:3c4c|Th7s:5_0|-50:A|B", "expected"),
        ("STATE:0:f:3c4c|Th7s:50:A|B", "expected"),
        ("STATE:0:f:3c4c|Th7s:50|-50:A", "names"),
        ("STATE:0:f:3c4c|Th7s:50|-50:A|", "name"),
        ("STATE:0:f:3c4c|Th7s:50|-50:A|B\0", "name"),
        ("STATE:0:r5f:3c4c|Th7s:50|-50:A|B", "not legal"),
        ("STATE:6:cc/cc/cc/cr1109c:Kc8h|5cAs/9dAh4d/7h/Qs:1109|-1109:Alice|Bob", "by the rules"),
    ],
)
def test_broken_hands_are_refused_with_a_reason(line, word):
    with pytest.raises(HistoryError, match=word.replace("|", r"\|")):
        read_state_line(line, NOLIMIT)


def test_a_log_keeps_what_is_whole_and_names_the_broken_lines():
    text = "\n".join(
        [
            "# name/game/hands/seed x y 3 7",
            "#--t_hand 5",
            "",
            PUBLISHED[0],
            "STATE:1:zz",
            PUBLISHED[2],
            "SCORE:1|-1:A|B",
        ]
    )
    log = read_log(text.splitlines(), NOLIMIT, "match.log")
    assert [hand.number for hand in log.hands] == [0, 2]
    assert log.comments == ["name/game/hands/seed x y 3 7", "--t_hand 5"]
    assert log.score == Score((1.0, -1.0), ("A", "B"))
    assert [str(error).split(":")[0] for error in log.problems] == ["match.log, line 5, column 1"]
    assert log.net_chips() == {"Alice": 13124.0, "Bob": -13124.0}
    assert MatchLog().score is None


def test_scores_and_amounts_are_written_as_the_dealer_does():
    assert score_line(read_score_line("SCORE:195857|-195857:Alice|Bob\n")) == "SCORE:195857|-195857:Alice|Bob"
    assert [chips_text(x) for x in (0.0, -0.0, 100.0, -0.5, 1 / 3)] == ["0", "0", "100", "-0.5", "0.333333"]


def test_a_comment_has_one_line():
    assert [comment_line(text) for text in ("two\nlines", "--t_hand 5")] == ["# two lines", "#--t_hand 5"]


@pytest.mark.parametrize("name", ["", " ", "a|b", "a:b", "a\nb", "x" * 201])
def test_names_that_would_break_the_log_are_refused(name):
    with pytest.raises(MatchError, match="name"):
        require_name(name)


def test_what_the_log_cannot_hold_is_refused():
    hand = PlayedHand(NOLIMIT, 0, (None, None), (), ((),), ("A", "B"), (0.0, 0.0))
    with pytest.raises(HistoryError, match="not over"):
        state_line(hand)
    spot = subject("turn")
    with pytest.raises(UnsupportedGameError):
        state_line(PlayedHand(spot, 0, (None, None), (), ((),), ("A", "B"), (0.0, 0.0)))
