"""Spots: the content of a file, and the errors about a wrong one."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import errai
from errai.errors import (
    GameDefinitionError,
    SizingError,
    SpotBoardError,
    SpotError,
    SpotFileError,
    SpotKeyError,
    SpotRangeError,
    SpotStackError,
    SpotSyntaxError,
    SpotValueError,
)
from errai.games.hand import PublicState
from errai.games.sizing import BetKind, sizes_text
from errai.games.spot import Spot, load_spot, parse_spot
from errai.games.streets import STREETS
from errai.tree.betting_tree import NodeKind, build_betting_tree

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "examples").glob("*.toml"), *(ROOT / "benchmarks" / "spots").rglob("*.toml")])

TURN = """\
# A comment.
title = "A turn"
board = "Qs Jh 2c 8d"
pot = 200
stack = 900

[ranges]
oop = \"\"\"
66+, A8s+,
KQo:0.5
\"\"\"
ip = "QQ-22"

[bets]
bet = "60%, a"
raise = "2.5x"

[bets.river]
donk = "50%"

[thresholds]
add_all_in = 1.5
"""

PREFLOP = """\
board = ""
blinds = [50, 100]
stack = 2000
ranges = { oop = "random", ip = "random" }
bets = { bet = "50%", raise = "2.5x, a" }
"""

LIMIT = """\
board = "Qs Jh 2c"
pot = 4
stack = 100
big_blind = 2
[ranges]
oop = "random"
ip = "random"
[limit]
flop = 2
turn = 4
river = 4
raise_cap = 3
"""


def changed(old: str, new: str, text: str = TURN) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)


def menu_text(spot: Spot, street: str, player: int, situation: str) -> str:
    assert spot.menu is not None
    return sizes_text(spot.menu.sizes(STREETS.index(street), player, BetKind(situation)))


def test_a_spot_is_read() -> None:
    spot = parse_spot(TURN)
    assert spot.title == "A turn"
    assert spot.board_text == "Qs Jh 2c 8d"
    assert (spot.pot, spot.stacks, spot.effective_stack, spot.big_blind) == (200, (900, 900), 900, None)
    assert spot.first_round == 2
    assert spot.ranges[1].num_hands == 66
    assert spot.menu is not None
    assert spot.menu.add_all_in == 1.5
    assert not spot.game.limit
    assert spot.game.stacks == (900, 900)
    assert "Qs Jh 2c 8d" in repr(spot)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_spot_files_survive_the_way_through_tables_and_text(path: Path) -> None:
    spot = load_spot(path)
    for again in (
        Spot.from_dict(spot.to_dict()),
        Spot.from_dict(json.loads(json.dumps(spot.to_dict()))),
        parse_spot(spot.to_toml()),
    ):
        assert again.to_dict() == spot.to_dict()
        assert again.ranges == spot.ranges
        assert again.menu == spot.menu
        assert again.game == spot.game
        assert again.digest() == spot.digest()


@pytest.mark.parametrize("text", [TURN, PREFLOP, LIMIT], ids=["turn", "preflop", "limit"])
def test_all_forms_survive_the_way_through_text(text: str) -> None:
    spot = parse_spot(text)
    again = parse_spot(spot.to_toml())
    assert again.to_dict() == spot.to_dict()
    assert (again.menu, again.game, again.stacks) == (spot.menu, spot.game, spot.stacks)


def test_the_example_in_the_docs_is_one_of_ours() -> None:
    docs = (ROOT / "docs" / "spots.md").read_text(encoding="utf-8")
    example = docs.split("```toml\n")[1].split("```")[0]
    assert parse_spot(example).digest() == load_spot(ROOT / "examples" / "turn-donk.toml").digest()


def test_players_are_called_by_their_positions() -> None:
    named = changed('"A turn"', '"A turn"\npositions = ["BB", " UTG+1 "]')
    spot = parse_spot(named)
    assert spot.seats == ("BB", "UTG+1")
    assert Spot.from_dict(spot.to_dict()).positions == ("BB", "UTG+1")
    assert parse_spot(spot.to_toml()).positions == ("BB", "UTG+1")
    assert parse_spot(TURN).seats == ("out of position", "in position")
    assert "positions" not in parse_spot(TURN).to_dict()
    for wrong, said in (
        ('"BB"', "must be two names"),
        ('["BB"]', "must be two names"),
        ('["BB", 2]', "must be two names"),
        ('["BB", "BB"]', "both positions are BB"),
        ('["BB", ""]', "a position has 1 to 20 letters and digits"),
        ('["BB", "a\\u0000b"]', "a position has 1 to 20 letters and digits"),
    ):
        with pytest.raises(SpotValueError, match=f"(?i){said}") as caught:
            parse_spot(named.replace('["BB", " UTG+1 "]', wrong))
        assert caught.value.line == 3


def test_the_digest_is_of_the_rules_and_not_of_the_words() -> None:
    digest = parse_spot(TURN).digest()
    assert len(digest) == 64
    assert parse_spot(changed('"A turn"', '"Another"')).digest() == digest
    assert parse_spot(changed('"A turn"', '"A turn"\npositions = ["BB", "BTN"]')).digest() == digest
    assert parse_spot(changed("Qs Jh 2c 8d", "2cQsJh8d")).digest() == digest
    assert parse_spot(changed("QQ-22", "22-JJ, QQ")).digest() == digest
    assert parse_spot(changed("Qs Jh 2c 8d", "Qs Jh 8d 2c")).digest() != digest
    assert parse_spot(changed("pot = 200", "pot = 201")).digest() != digest
    assert parse_spot(changed("60%", "61%")).digest() != digest
    assert parse_spot(changed("KQo:0.5", "KQo:0.25")).digest() != digest


def test_odd_titles_survive() -> None:
    title = 'quote " backslash \\ tab \t delete \x7f snowman ☃ 🂡'
    spot = Spot.from_dict({**parse_spot(TURN).to_dict(), "title": title})
    assert parse_spot(spot.to_toml()).title == title


def test_the_more_special_table_wins() -> None:
    text = changed(
        "[bets.river]\n", '[bets.ip]\nbet = "10%"\n[bets.river]\nraise = "3x"\n[bets.river.oop]\nbet = "20%"\n'
    )
    text = text.replace('donk = "50%"\n', 'raise = ["4x", "a"]\ndonk = "50%"\n')
    spot = parse_spot(text)
    assert menu_text(spot, "turn", 0, "bet") == "60%, a"
    assert menu_text(spot, "turn", 1, "bet") == "10%"
    assert menu_text(spot, "river", 0, "bet") == "20%"
    assert menu_text(spot, "river", 1, "bet") == "10%"
    assert menu_text(spot, "river", 0, "raise") == "4x, a"
    assert menu_text(spot, "river", 1, "raise") == "3x"
    assert menu_text(spot, "river", 0, "donk") == "50%"
    assert menu_text(spot, "turn", 0, "donk") == "60%, a"


def test_streets_may_be_numbered() -> None:
    assert parse_spot(changed("[bets.river]", "[bets.4]")).digest() == parse_spot(TURN).digest()


def test_raise_caps_hold_on_their_street() -> None:
    spot = parse_spot(changed("[bets.river]\n", "raise_cap = 1\n[bets.river]\nraise_cap = 2\n"))
    assert spot.menu is not None
    assert spot.menu.raise_caps == {2: 1, 3: 2}
    tree = build_betting_tree(spot)
    assert tree.actions(tree.find("bet 120")) == ("fold", "call")
    assert "raise 300" in tree.actions(tree.find("check check bet 120"))


def test_the_tree_counts_the_pot() -> None:
    tree = build_betting_tree(parse_spot(changed("pot = 200", "pot = 201")))
    assert tree.initial_pot == 201
    assert tree.contributions[0].tolist() == [100.5, 100.5]
    assert tree.actions(0) == ("check", "bet 121", "bet 900")
    assert tree.first_round == 2


def test_only_the_shorter_stack_can_be_lost() -> None:
    even = parse_spot(changed("stack = 900", "stack = 700"))
    uneven = parse_spot(changed("stack = 900", "stacks = [900, 700]"))
    assert uneven.stacks == (900, 700)
    assert uneven.effective_stack == 700
    assert build_betting_tree(uneven).action == build_betting_tree(even).action
    assert uneven.digest() != even.digest()


def test_the_big_blind_is_the_smallest_bet() -> None:
    small = changed('bet = "60%, a"', 'bet = "1%, a"')
    assert build_betting_tree(parse_spot(small)).actions(0) == ("check", "bet 2", "bet 900")
    blinded = changed("pot = 200", "pot = 200\nbig_blind = 20", small)
    assert build_betting_tree(parse_spot(blinded)).actions(0) == ("check", "bet 20", "bet 900")
    assert parse_spot(blinded).big_blind == 20
    with_blinds = changed("pot = 200", "pot = 200\nblinds = [10, 20]", small)
    assert parse_spot(with_blinds).digest() == parse_spot(blinded).digest()


def test_donk_bets_lead_into_the_last_aggressor() -> None:
    tree = build_betting_tree(parse_spot(TURN))
    after_call = tree.after_chance(tree.find("check bet 120 call"))
    assert tree.actions(after_call) == ("check", "bet 220")
    after_checks = tree.after_chance(tree.find("check check"))
    assert tree.actions(after_checks) == ("check", "bet 120", "bet 900")
    after_own_bet = tree.after_chance(tree.find("bet 120 call"))
    assert tree.actions(after_own_bet) == ("check", "bet 264", "bet 780")
    none = build_betting_tree(parse_spot(changed('donk = "50%"', 'donk = ""')))
    assert none.actions(none.after_chance(none.find("check bet 120 call"))) == ("check",)


def test_limit_spots_have_fixed_bets() -> None:
    spot = parse_spot(LIMIT)
    assert spot.game.limit
    assert spot.menu is None
    tree = build_betting_tree(spot)
    assert tree.actions(0) == ("check", "bet 2")
    assert tree.actions(tree.find("b2 r4")) == ("fold", "call", "raise 6")
    assert tree.actions(tree.find("b2 r4 r6")) == ("fold", "call")
    assert tree.actions(tree.after_chance(tree.find("k k"))) == ("check", "bet 4")


def test_spots_may_begin_before_the_flop() -> None:
    spot = parse_spot(PREFLOP)
    assert (spot.first_round, spot.pot, spot.big_blind) == (0, 0, 100)
    tree = build_betting_tree(spot, last_street=0)
    # The dealer (player 1) posts the small blind and acts first.
    assert tree.actor[0] == 1
    assert tree.contributions[0].tolist() == [100, 50]
    assert tree.actions(0) == ("fold", "call", "raise 250", "raise 2000")
    assert tree.actions(tree.find("call")) == ("check", "raise 250", "raise 2000")
    assert (tree.kind == NodeKind.LEAF).any()


def test_the_small_blind_may_be_made_to_raise_or_fold() -> None:
    spot = parse_spot(changed('"2.5x, a" }', '"2.5x, a", preflop = { limp = false } }', PREFLOP))
    tree = build_betting_tree(spot, last_street=0)
    assert tree.actions(0) == ("fold", "raise 250", "raise 2000")
    # A raise may be called, and later streets are as they were.
    assert tree.actions(tree.find("r250")) == ("fold", "call", "raise 625", "raise 2000")
    assert tree.last_decision == 0
    again = parse_spot(spot.to_toml())
    assert again.menu == spot.menu
    assert again.digest() == spot.digest() != parse_spot(PREFLOP).digest()
    # After the flop nobody limps.
    turn = changed("[thresholds]", "[bets.preflop]\nlimp = false\n[thresholds]")
    assert parse_spot(turn).digest() == parse_spot(TURN).digest()


def test_raises_that_leave_chips_behind_may_be_barred_from_calls() -> None:
    spot = parse_spot(changed('"2.5x, a" }', '"2.5x, a", preflop = { limp = false, flat = false } }', PREFLOP))
    tree = build_betting_tree(spot)
    assert tree.actions(0) == ("fold", "raise 250", "raise 2000")
    assert tree.actions(tree.find("r250")) == ("fold", "raise 625", "raise 2000")
    # All-in may be called, and then nobody has a choice any more.
    assert tree.actions(tree.find("r250 r2000")) == ("fold", "call")
    assert tree.last_decision == 0
    again = parse_spot(spot.to_toml())
    assert again.menu == spot.menu
    assert again.digest() == spot.digest()


def test_rules_may_come_from_the_catalogue() -> None:
    text = (
        'game = "holdem.limit.2p"\nboard = "Qs Jh 2c"\npot = 40\nstack = 240\n[ranges]\noop = "random"\nip = "random"\n'
    )
    spot = parse_spot(text)
    assert spot.game.limit
    assert spot.big_blind == 10
    assert build_betting_tree(spot).actions(0) == ("check", "bet 10")
    assert parse_spot(spot.to_toml()).digest() == spot.digest()
    preflop = 'game = "holdem.nolimit.2p"\n' + PREFLOP.replace("blinds = [50, 100]\nstack = 2000\n", "")
    assert parse_spot(preflop).stacks == (20000, 20000)


FAULTS = [
    ("pot = 200", "pott = 200", SpotKeyError, 4, "did you mean 'pot'"),
    ("pot = 200", "", SpotKeyError, None, "'pot' is missing"),
    ("pot = 200", "pot = 0", SpotValueError, 4, "use more than 0, and at most"),
    ("pot = 200", "pot = -5", SpotValueError, 4, "use more than 0"),
    ("pot = 200", "pot = 200.12345", SpotValueError, 4, "at most 4 decimals"),
    ("pot = 200", 'pot = "200"', SpotValueError, 4, "without quotes"),
    ("pot = 200", "pot = true", SpotValueError, 4, "true or false"),
    ("pot = 200", "pot = 99999999999", SpotValueError, 4, "at most 1000000000"),
    ("pot = 200", "pot = 0x" + "f" * 5000, SpotValueError, 4, "thousands of digits"),
    ("pot = 200", "pot = 200\nblinds = [20, 10]", SpotValueError, 5, "above the big blind"),
    ("pot = 200", "pot = 200\nblinds = 10", SpotValueError, 5, r"\[small, big\]"),
    ("pot = 200", "pot = 200\nbig_blind = 5\nblinds = [5, 10]", SpotValueError, 5, "remove big_blind"),
    ("pot = 200", 'pot = 200\ngame = "leduc"', SpotValueError, 5, "spots are of hold'em|Spots are"),
    ("pot = 200", 'pot = 200\ngame = "holdem.nolimt.2p"', SpotValueError, 5, "did you mean"),
    ("pot = 200", 'pot = 200\ngame = "holdem.limit.2p"', SpotKeyError, 15, "are fixed"),
    ("pot = 200", 'pot = 200\ngame = "holdem.nolimit.2p"\nblinds = [1, 2]', SpotKeyError, 6, "not both"),
    ("stack = 900", "", SpotKeyError, None, "'stack' is missing"),
    ("stack = 900", "stack = 0", SpotStackError, 5, "0 chips"),
    ("stack = 900", "stacks = [900, 0]", SpotStackError, 5, "0 chips"),
    ("stack = 900", "stacks = [900]", SpotValueError, 5, "two numbers"),
    ("stack = 900", "stacks = [900, 'x']", SpotValueError, 5, "must be a number"),
    ("stack = 900", "stack = 900\nstacks = [900, 900]", SpotKeyError, 6, "not both"),
    ('board = "Qs Jh 2c 8d"', "", SpotKeyError, None, "'board' is missing"),
    ('board = "Qs Jh 2c 8d"', "board = 7", SpotValueError, 3, "text in quotes"),
    ("Qs Jh 2c 8d", "Qs Jh 2c Qs", SpotBoardError, 3, "twice"),
    ("Qs Jh 2c 8d", "Qs Jh", SpotBoardError, 3, "found 2"),
    ("Qs Jh 2c 8d", "Qs Jh 2c 8d 3s 4s", SpotBoardError, 3, "found 6"),
    ("Qs Jh 2c 8d", "Qs Jh 2c 8z", SpotBoardError, 3, "character 11"),
    ("Qs Jh 2c 8d", "", SpotKeyError, 4, "remove pot"),
    ("66+, A8s+,", "66+, A8q+,", SpotRangeError, 8, "of the range"),
    ('ip = "QQ-22"', 'ip = ""', SpotRangeError, 12, "empty"),
    ('ip = "QQ-22"', 'ip = "QQ-22, 88:0.5"', SpotRangeError, 12, "8d8c occurs twice, with the weight 1 before and 0.5"),
    ('ip = "QQ-22"', 'ip = "QsQh, JhJs"', SpotRangeError, 12, "no hand that the board leaves"),
    ('ip = "QQ-22"', "", SpotKeyError, 7, "'ranges.ip' is missing"),
    ('ip = "QQ-22"', "ip = 3", SpotValueError, 12, "text in quotes"),
    ('ip = "QQ-22"', 'ip = "QQ-22"\nbutton = "AA"', SpotKeyError, 13, "unknown"),
    ('bet = "60%, a"', 'bet = "60, a"', SizingError, 15, "60% .* 60c"),
    ('bet = "60%, a"', "bet = 60", SizingError, 15, "no unit"),
    ('bet = "60%, a"', "bet = [0.6]", SizingError, 15, "no unit"),
    ('bet = "60%, a"', "bet = [true]", SpotValueError, 15, "text"),
    ('bet = "60%, a"', 'bet = "2.5x"', SizingError, 15, "faces none"),
    ('bet = "60%, a"', "", SpotKeyError, 14, "'bets.turn.bet' is missing"),
    ('raise = "2.5x"', "", SpotKeyError, 14, "'bets.turn.raise' is missing"),
    ('raise = "2.5x"', 'raise = "2.5x"\nraise_cap = 0', SpotValueError, 17, "use 1 to 254"),
    ('raise = "2.5x"', 'raise = "2.5x"\nrais = "3x"', SpotKeyError, 17, "did you mean 'raise'"),
    ('donk = "50%"', 'donk = "50%"\nip.donk = "50%"', SpotKeyError, 20, "move donk to oop"),
    ('donk = "50%"', 'donk = "50%"\n[bets.4]\nbet = "a"', SpotKeyError, 20, "same street"),
    ("[bets.river]", "[bets.rivr]", SpotKeyError, 18, "did you mean 'river'"),
    ("[bets.river]\n", "[bets]\n", SpotSyntaxError, 18, "TOML"),
    ("add_all_in = 1.5", "add_all_in = -1", SpotValueError, 22, "use 0 to 1000"),
    ("add_all_in = 1.5", "add_all_in = nan", SpotValueError, 22, "use 0 to 1000"),
    ("add_all_in = 1.5", 'add_all_in = "1.5"', SpotValueError, 22, "a number"),
    ("add_all_in = 1.5", "add_allin = 1.5", SpotKeyError, 22, "did you mean 'add_all_in'"),
    ("[thresholds]", "[limit]\nturn = 2\nriver = 4\n[thresholds]", SpotKeyError, 14, "fixes the bets"),
    ("title = ", "title ", SpotSyntaxError, 2, "TOML"),
    ('title = "A turn"', "title = [[[[", SpotSyntaxError, 3, "TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "kind", "line", "message"), FAULTS)
def test_every_fault_has_its_error_and_line(
    old: str, new: str, kind: type[SpotError], line: int | None, message: str
) -> None:
    with pytest.raises(SpotError, match=message) as caught:
        parse_spot(changed(old, new), source="turn.toml")
    assert type(caught.value) is kind
    assert caught.value.line == line
    assert "turn.toml" in str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_ranges_that_always_collide_are_refused() -> None:
    text = TURN.replace('ip = "QQ-22"', 'ip = "AsKs"')
    start, end = text.index('oop = """'), text.index("ip = ")
    with pytest.raises(SpotRangeError, match="no deal is possible") as caught:
        parse_spot(text[:start] + 'oop = "AsKs, AsKh, AdKs"\n' + text[end:])
    assert caught.value.line == 7
    parse_spot(text[:start] + 'oop = "AsKs, AdKd"\n' + text[end:])


@pytest.mark.parametrize(
    ("old", "new", "kind", "message"),
    [
        ("river = 4\n", "", SpotKeyError, "'limit.river' is missing"),
        ("river = 4\n", "river = 0\n", SpotValueError, "use 1 to"),
        ("raise_cap = 3", "raise_cap = [3, 4]", SpotValueError, "a list of 3"),
        ("raise_cap = 3", "raise_cap = []", SpotValueError, "a list of 3"),
        ("raise_cap = 3", 'raise_cap = "3"', SpotValueError, "whole number"),
        ("raise_cap = 3", "raisecap = 3", SpotKeyError, "did you mean 'raise_cap'"),
    ],
)
def test_faults_of_limit_spots(old: str, new: str, kind: type[SpotError], message: str) -> None:
    with pytest.raises(kind, match=message):
        parse_spot(changed(old, new, LIMIT))


def test_raise_caps_of_limit_spots_may_differ() -> None:
    spot = parse_spot(changed("raise_cap = 3", "raise_cap = [1, 2, 3]", LIMIT))
    assert spot.game.max_raises == (1, 1, 2, 3)
    assert parse_spot(spot.to_toml()).game == spot.game


@pytest.mark.parametrize(
    ("old", "new", "kind", "message"),
    [
        ("blinds = [50, 100]\n", "", SpotKeyError, "needs blinds"),
        ("stack = 2000", "stack = 100", SpotStackError, "cannot bet after a big blind"),
        ("stack = 2000", "stack = 2000\npot = 150", SpotKeyError, "remove pot"),
        ('"2.5x, a" }', '"2.5x, a", preflop = { limp = "no" } }', SpotValueError, "true or false"),
        ('"2.5x, a" }', '"2.5x, a", preflop = { flat = 0 } }', SpotValueError, "true or false"),
        ('"2.5x, a" }', '"2.5x, a", flop = { limp = false } }', SpotKeyError, "'limp'"),
        ('"2.5x, a" }', '"2.5x, a", preflop = { limp = false, raise = "" } }', SpotValueError, "able to raise"),
        ('"2.5x, a" }', '"2.5x, a", preflop = { limp = false, raise_cap = 1 } }', SpotValueError, "above 1"),
    ],
)
def test_faults_of_spots_before_the_flop(old: str, new: str, kind: type[SpotError], message: str) -> None:
    with pytest.raises(kind, match=message):
        parse_spot(changed(old, new, PREFLOP))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SpotFileError, match="nowhere"):
        load_spot(tmp_path / "nowhere.toml")
    with pytest.raises(SpotFileError):
        load_spot(tmp_path)
    with pytest.raises(SpotFileError):
        load_spot("a\0b")
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (1 << 21))
    with pytest.raises(SpotFileError, match="larger"):
        load_spot(large)
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'board = "Qs Jh 2c"\ntitle = "Fl\xfcsse"\n')
    with pytest.raises(SpotSyntaxError, match="UTF-8") as caught:
        load_spot(latin)
    assert caught.value.line == 2


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter() -> None:
    windows = b"\xef\xbb\xbf" + TURN.replace("\n", "\r\n").encode()
    assert parse_spot(windows).digest() == parse_spot(TURN).digest()
    with pytest.raises(SpotKeyError) as caught:
        parse_spot(windows.replace(b"pot", b"pto"))
    assert caught.value.line == 4


# --- any input at all ----------------------------------------------------------------------------------


def survives(text: str | bytes) -> None:
    """Reading gives a spot that can be written and read again, or a typed error."""
    try:
        spot = parse_spot(text)
    except SpotError:
        return
    assert parse_spot(spot.to_toml()).digest() == spot.digest()


SNIPPETS = (
    *"=[]{}\"'#\n.,:%+-", "\"\"\"", "'''", "\\u0000", "0x", "1e9", "nan", "inf", "true", "1979-05-27", "[[", "]]", "-1",
    "999999999999999999999", "e", "a", "2e", "3e200%", "0%", "random", "AsAs", "22+", "preflop", "flop", "ip", "oop",
    "donk", "raise_cap", "limit", "blinds", "game", "holdem.limit.2p", "stacks", "\r", "\x00", "\u2028", "٣", "🂡",
    "bets",
)  # fmt: skip


def mutated(source: random.Random, text: str) -> str:
    for _ in range(source.randint(1, 6)):
        start = source.randrange(len(text) + 1)
        end = min(len(text), start + source.choice((0, 0, 1, 1, 2, 5, 20)))
        kind = source.random()
        if kind < 0.5:
            middle = source.choice(SNIPPETS)
        elif kind < 0.6:
            middle = chr(source.randrange(0x20, 0x250))
        elif kind < 0.75:
            other = source.randrange(len(text) + 1)
            middle = text[other : other + source.randint(0, 30)]
        else:
            middle = ""
        text = text[:start] + middle + text[end:]
    return text


def fuzz(count: int, seed: int) -> None:
    source = random.Random(seed)
    valid = [TURN, PREFLOP, LIMIT, *(path.read_text() for path in FILES)]
    for _ in range(count):
        kind = source.random()
        if kind < 0.1:
            survives(source.randbytes(source.randint(0, 200)))
        elif kind < 0.2:
            content = bytearray(source.choice(valid).encode())
            for _ in range(source.randint(1, 8)):
                content[source.randrange(len(content))] = source.randrange(256)
            survives(bytes(content))
        else:
            survives(mutated(source, source.choice(valid)))


def test_wrong_inputs_give_typed_errors() -> None:
    fuzz(2_000, seed=1)


@pytest.mark.slow
def test_a_hundred_thousand_wrong_inputs_give_typed_errors() -> None:
    fuzz(100_000, seed=2)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(parse_spot(TURN).to_dict())), JSON)
def test_any_value_under_a_key_is_read_or_refused(key: str, value: object) -> None:
    with contextlib.suppress(SpotError):
        Spot.from_dict({**parse_spot(TURN).to_dict(), key: value})


def test_sizes_in_big_blinds_need_a_big_blind() -> None:
    text = changed('board = "Qs Jh 2c 8d"', 'board = "Q♠ J♥ 2♣ 8♦️"\nbig_blind = 10')
    text = text[: text.index("[bets]")] + '[bets]\nbet = "1/3, 3bb"\nraise = "min"\n'
    spot = parse_spot(text)
    assert spot.board_text == "Qs Jh 2c 8d"
    assert parse_spot(spot.to_toml()).digest() == spot.digest()
    assert menu_text(spot, "turn", 0, "bet") == "1/3, 3bb"
    with pytest.raises(SizingError, match="'3bb' is in big blinds, and the spot names none"):
        parse_spot(text.replace("big_blind = 10\n", ""))


@pytest.mark.parametrize("weight", ["1e-50", "1e-300", "1e-310"])
def test_ranges_of_tiny_weights_are_scaled_up(weight: str) -> None:
    """Only the proportions matter; in single precision such weights would be 0."""
    tables = {"board": "Qs Jh 2c 8d 3s", "pot": 100, "stack": 300, "bets": {"bet": "50%", "raise": ""}}
    plain = Spot.from_dict({**tables, "ranges": {"oop": "AA,99:0.5,QQ", "ip": "KK,QQ"}})
    text = f"{float(weight):.330f}"
    half = f"{float(weight) / 2:.330f}"
    tiny = Spot.from_dict({**tables, "ranges": {"oop": f"AA:{text},99:{half},QQ:{text}", "ip": f"KK:{text},QQ:{text}"}})
    for p in (0, 1):
        held = plain.ranges[p].weights > 0
        assert 0.5 <= tiny.ranges[p].weights.max() <= 1.0
        found = tiny.ranges[p].weights[held] / tiny.ranges[p].weights.max()
        np.testing.assert_allclose(found, plain.ranges[p].weights[held])
    assert parse_spot(tiny.to_toml()).digest() == tiny.digest()
    solutions = [errai.solve(spot, max_iterations=30, threads=1, precision="float32") for spot in (plain, tiny)]
    assert solutions[1].exploitability.chips == pytest.approx(solutions[0].exploitability.chips, rel=0.1)
    assert solutions[1].exploitability.pot_percent < 1


FRACTIONS = {
    "board": "Qs Jh 2c 8d",
    "pot": 5.5,
    "stack": 22.25,
    "big_blind": 1,
    "ranges": {"oop": "AA,KQs,T9s", "ip": "KK,QQ,98s"},
    "bets": {"bet": "33%, 75%, 2.5c, 1.5bb", "raise": "3x, min", "raise_cap": 2},
    "rake": {"percent": 5, "cap": 0.5},
}
HUNDREDFOLD = {
    **FRACTIONS,
    "pot": 550,
    "stack": 2225,
    "big_blind": 100,
    "bets": {"bet": "33%, 75%, 250c, 1.5bb", "raise": "3x, min", "raise_cap": 2},
    "rake": {"percent": 5, "cap": 50},
}


def test_chips_may_have_decimals(tmp_path: Path) -> None:
    """Such a spot is the one with a hundred times the chips, and everything that it says is in its own chips."""
    spot, whole = Spot.from_dict(FRACTIONS), Spot.from_dict(HUNDREDFOLD)
    assert (spot.unit, whole.unit) == (100, 1)
    assert spot.game.stacks == whole.game.stacks == (2225, 2225)
    for again in (parse_spot(spot.to_toml()), Spot.from_dict(spot.to_dict())):
        assert (again.digest(), again.unit, again.game.stacks) == (spot.digest(), 100, (2225, 2225))
    solution, other = (errai.solve(s, max_iterations=30, threads=1, precision="float64") for s in (spot, whole))
    assert solution.root.actions == ("check", "bet 1.5", "bet 1.82", "bet 2.5", "bet 4.13")
    assert other.root.actions == ("check", "bet 150", "bet 182", "bet 250", "bet 413")
    assert solution.exploitability.pot_percent == pytest.approx(other.exploitability.pot_percent, rel=1e-6)
    assert solution.exploitability.mbb == pytest.approx(other.exploitability.mbb, rel=1e-6)
    assert solution.values.chips == pytest.approx([chips / 100 for chips in other.values.chips])
    here, there = solution.at("check bet 33% raise 5.46"), other.at("check bet 33% raise 546")
    assert (here.line, here.pot_chips, here.to_call_chips) == ("check bet 1.82 raise 5.46", 12.78, 3.64)
    assert here.stacks_chips == (16.79, 20.43)
    np.testing.assert_allclose(here.ev, there.ev / 100, rtol=1e-6)
    solution.save(tmp_path / "it.errai")
    loaded = errai.load_solution(tmp_path / "it.errai")
    assert loaded.verify().certified
    assert loaded.at(here.line).line == here.line
    locked = errai.solve(spot, max_iterations=3, threads=1, locks={"": {"AA": {"bet 4.13": 1}}})
    assert locked.root.strategy("AsAh")["bet 4.13"] == 1


def test_chips_with_decimals_before_the_flop_and_in_limit() -> None:
    blinds = Spot.from_dict(
        {"board": "", "blinds": [0.5, 1], "stack": 10.5, "ranges": {"oop": "AA,KK", "ip": "AA,KQs"}, "bets": PUSH}
    )
    assert blinds.to_dict()["blinds"] == [0.5, 1]
    root = errai.solve(blinds, max_iterations=3, threads=1).root
    assert (root.actions, root.pot_chips) == (("fold", "call", "raise 2.5", "raise 10.5"), 1.5)
    tables = {key: value for key, value in FRACTIONS.items() if key not in ("bets", "rake")}
    limit = Spot.from_dict({**tables, "limit": {"turn": 0.5, "river": 1}})
    assert Spot.from_dict(limit.to_dict()).digest() == limit.digest()
    assert errai.solve(limit, max_iterations=3, threads=1).at("bet call / As / bet").line == "bet 0.5 call / As / bet 1"


PUSH = {"bet": "", "raise": "2.5bb, a"}
MENU = {"bets": {"bet": "50%, a", "raise": "a"}}


def test_a_chip_is_divided_into_as_many_parts_as_it_takes() -> None:
    fine = Spot.from_dict({**FRACTIONS, "pot": 5.125})
    assert (fine.unit, fine.game.stacks) == (1000, (22250, 22250))
    with pytest.raises(SizingError, match="whole number of chips"):
        Spot.from_dict({**HUNDREDFOLD, "bets": {"bet": "0.00001c", "raise": ""}})
    # The same spot with finer parts: without a big blind the smallest bet is still one chip.
    for spot in (fine, Spot.from_dict({key: value for key, value in HUNDREDFOLD.items() if key != "big_blind"} | MENU)):
        again = spot.divided(3)
        assert (again.digest(), again.unit, again.to_dict()) == (spot.digest(), 3 * spot.unit, spot.to_dict())
        first, finer = PublicState.start(spot), PublicState.start(again)
        least, most = first.betting.legal().raise_range or (0, 0)
        assert finer.betting.legal().raise_range == (3 * least, 3 * most)
        assert (finer.pot_chips, finer.stake_chips) == (first.pot_chips, first.stake_chips)
    with pytest.raises(GameDefinitionError):
        fine.divided(10**6)
