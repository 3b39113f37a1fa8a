"""Rulings on players' lines, by the rules of the competition's dealer."""

import pytest

from errai.arena.acpc.referee import MAX_ACTIONS_IN_ROUND, Verdict, rule_on
from errai.arena.acpc.text import read_matchstate
from errai.games.catalogue import load_game, parse_game
from errai.games.hand import CALL, FOLD, raise_to

LIMIT, NOLIMIT = load_game("holdem.limit.2p"), load_game("holdem.nolimit.2p")
FACING = "MATCHSTATE:1:4::|9s8h"
"""No-limit: the small blind may fold, call, or raise to 200 to 20000."""
CHECKED = "MATCHSTATE:0:4:cc/:9s8h|/8c8d5c"


def ruling(line, asked=FACING, game=NOLIMIT):
    found = rule_on(line, asked, read_matchstate(asked, game))
    return found.verdict, found.action


@pytest.mark.parametrize(
    ("answer", "verdict", "action"),
    [
        (":f", Verdict.LEGAL, FOLD),
        (":c", Verdict.LEGAL, CALL),
        (":r200", Verdict.LEGAL, raise_to(200)),
        (":r20000", Verdict.LEGAL, raise_to(20000)),
        (":r 300", Verdict.LEGAL, raise_to(300)),
        (":r+0300", Verdict.LEGAL, raise_to(300)),
        (":c and more", Verdict.LEGAL, CALL),
        (":r199", Verdict.MOVED, raise_to(200)),
        (":r-7", Verdict.MOVED, raise_to(200)),
        (":r0", Verdict.MOVED, raise_to(200)),
        (":r20001", Verdict.MOVED, raise_to(20000)),
        (":r" + "9" * 5000, Verdict.MOVED, raise_to(20000)),
        (":r-" + "9" * 5000, Verdict.MOVED, raise_to(200)),
        (":r" + "0" * 5000 + "250", Verdict.LEGAL, raise_to(250)),
        (":r", Verdict.REPLACED, CALL),
        (":rx", Verdict.REPLACED, CALL),
        (":", Verdict.REPLACED, CALL),
        ("", Verdict.REPLACED, CALL),
        (":x", Verdict.REPLACED, CALL),
        (":R300", Verdict.REPLACED, CALL),
        ("c", Verdict.REPLACED, CALL),
    ],
)
def test_answers_to_the_state_asked_about(answer, verdict, action):
    assert ruling(FACING + answer) == (verdict, action)


def test_folding_without_a_bet_is_a_check():
    assert ruling(CHECKED + ":f", CHECKED) == (Verdict.REPLACED, CALL)


def test_the_state_may_be_written_in_another_way():
    assert ruling("MATCHSTATE:0:4:cc:9s8h|/8c8d5c:r100", CHECKED) == (Verdict.MOVED, raise_to(200))
    assert ruling("MATCHSTATE:0:4:cc:9s8h|/8c8d5c", CHECKED) == (Verdict.REPLACED, CALL)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("# a comment", Verdict.COMMENT),
        ("; a comment", Verdict.COMMENT),
        ("", Verdict.STRAY),
        ("c", Verdict.STRAY),
        ("MATCHSTATE:1:5::|9s8h:c", Verdict.STRAY),
        ("MATCHSTATE:0:4::9s8h|:c", Verdict.STRAY),
        ("MATCHSTATE:1:4::|9s8d:c", Verdict.STRAY),
        ("MATCHSTATE:1:4:c:|9s8h:c", Verdict.STRAY),
        ("MATCHSTATE:1:4", Verdict.STRAY),
        (" " + FACING + ":c", Verdict.STRAY),
        ("\ufffd\ufffd", Verdict.STRAY),
    ],
)
def test_what_is_no_answer_is_passed_over(line, verdict):
    assert ruling(line)[0] is verdict


def test_limit_raises_need_no_amount_and_end_at_the_cap():
    asked = "MATCHSTATE:1:4:c:|9s8h"
    assert ruling("MATCHSTATE:0:4:c:9s8h|:r", "MATCHSTATE:0:4:c:9s8h|", LIMIT) == (Verdict.LEGAL, raise_to(20))
    assert ruling("MATCHSTATE:0:4:c:9s8h|:r999", "MATCHSTATE:0:4:c:9s8h|", LIMIT) == (Verdict.LEGAL, raise_to(20))
    capped = asked.replace(":c:", ":crrr:")
    assert ruling(capped + ":r", capped, LIMIT) == (Verdict.REPLACED, CALL)


def test_a_round_has_no_more_actions_than_the_competitions_programs_hold():
    game = parse_game(NOLIMIT.to_text().replace("blind = 100 50", "blind = 2 1").replace("firstPlayer = 2 1 1 1", ""))
    line = "".join(f"r{total}" for total in range(4, 2 * 70, 2))
    for actions in (MAX_ACTIONS_IN_ROUND - 2, MAX_ACTIONS_IN_ROUND - 1):
        betting = "".join("r" + part for part in line.split("r")[1 : actions + 1])
        asked = f"MATCHSTATE:{actions % 2}:0:{betting}:{'9s8h|' if actions % 2 == 0 else '|9s8h'}"
        assert ruling(f"{asked}:r20000", asked, game)[0] is (
            Verdict.LEGAL if actions + 2 <= MAX_ACTIONS_IN_ROUND else Verdict.REPLACED
        )
