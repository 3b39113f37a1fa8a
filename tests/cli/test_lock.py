"""``errai lock``: locks relative to a solution."""

from __future__ import annotations

import json

import pytest

from errai.arena.histories.phh import phhs_text
from errai.games.catalogue import load_game
from errai.games.hand import CALL, FOLD, Deal, Hand, raise_to
from errai.games.lock_file import load_locks, parse_locks


def test_a_change_is_written_solved_and_shown(errai, folder, tmp_path):
    locks, solved = tmp_path / "locks.toml", tmp_path / "locked.errai"
    said = errai(
        "lock", folder / "kuhn.errai", "--line", "check bet", "--to", "fold 50%", "--floor", "0.01", "-o", locks
    )
    assert "50.00 % now" in said.printed()
    assert f"Saved to {locks}" in said.out
    assert errai("solve", "kuhn", "--lock", locks, "-o", solved, "--quiet", "--target", "0.1mbb").code == 0
    document = errai("query", solved, "check bet", "--json").document()
    assert document["frequencies"][0] == pytest.approx(0.5, abs=0.2)
    assert "locked" in errai("show", solved, "check bet").printed()


def test_locks_as_text_and_as_data(errai, folder, tmp_path):
    arguments = ["lock", folder / "kuhn.errai", "--line", "* bet *", "--player", "0", "--never", "fold"]
    assert errai(*arguments).printed() == '["check bet 1"]\n"Qs,Ks,As" = { "call" = 1.0 }\n'.replace('"call"', "call")
    document = errai(*arguments, "--json").document()
    assert document["locks"] == {"check bet 1": {"Qs,Ks,As": {"call": 1.0}}}
    (shift,) = document["shifts"]
    assert (shift["line"], shift["decisions"], shift["hands"]) == ("* bet *", 1, 3)
    assert shift["actions"][0]["after"] == 0.0
    assert shift["actions"][0]["log_odds"] is None
    written = tmp_path / "locks.toml"
    quiet = errai(*arguments, "-o", written, "--quiet")
    assert (quiet.code, quiet.out) == (0, "")
    assert load_locks(written).tables == document["locks"]


def test_players_by_name_and_further_locks(errai, folder, tmp_path):
    first, both = tmp_path / "first.toml", tmp_path / "both.toml"
    place = folder / "turn.errai"
    line = ["--line", "check", "--always", "check", "--equity", ":60%"]
    assert errai("lock", place, *line, "--player", "ip", "-o", first).code == 0
    more = ["--line", "** / * / ** bet *", "--player", "ip", "--never", "raise", "--with", first]
    assert errai("lock", place, *more, "-o", both).code == 0
    names = set(load_locks(both).tables)
    assert "check" in names
    assert len(names) > 40
    twice = errai("lock", place, *line, "--player", "in position", "--with", first)
    assert "locked twice after 'check'" in twice.refusal()
    assert "There is no player 'us'; choose one of" in errai("lock", place, *line, "--player", "us").refusal()
    assert "No decision of out of position fits" in errai("lock", place, *line, "--player", "oop").refusal()


def test_observations(errai, folder, tmp_path):
    counts = tmp_path / "counts.toml"
    counts.write_text('["check bet"]\nfold = 30\n"*" = 10\n')
    arguments = ["lock", folder / "kuhn.errai", "--observed", counts]
    trusted, doubted = (
        json.loads(errai(*arguments, "--pseudo-hands", n, "--json").out)["shifts"][0]["actions"][0] for n in (1, 1000)
    )
    assert trusted["before"] == doubted["before"]
    assert trusted["after"] == pytest.approx((30 + trusted["before"]) / 41, abs=1e-5)
    assert doubted["after"] == pytest.approx((30 + 1000 * trusted["before"]) / 1040, abs=1e-5)
    assert "leave --line out" in errai(*arguments, "--line", "check").refusal()
    counts.write_text("")
    assert "The file of counts is empty" in errai(*arguments).refusal()
    counts.write_text('["check bet"]\nfold = 30\ncall = -2\n')
    assert "counts.toml, line 3: Observed on the line 'check bet'" in errai(*arguments).refusal()


def test_observations_in_hand_histories(errai, folder, tmp_path):
    """Kuhn's hands of Ann, who folds to two of three bets, and a file that cannot be read."""
    kuhn, lines = load_game("kuhn"), {"c": CALL, "f": FOLD, "r": raise_to(2)}
    hands = []
    for number, line in enumerate(("crf", "crf", "crc", "rc", "cc")):
        hand = Hand(kuhn, Deal(((number % 3,), ((number + 1) % 3,)), ()), number)
        for letter in line:
            hand.act(lines[letter])
        hands.append(hand.played(("Ann", "Bob") if number < 4 else ("Bob", "Ann")))
    history, broken = tmp_path / "session.phhs", tmp_path / "broken.phhs"
    history.write_text(phhs_text(hands))
    broken.write_text(phhs_text(hands[:1]).replace("p2 cbr", "p1 cbr"))
    arguments = ["lock", folder / "kuhn.errai", "--line", "check bet", "--name", "Ann", "--observed", history]
    document = errai(*arguments, "--json").document()
    fold, call = document["shifts"][0]["actions"]
    assert (fold["seen"], call["seen"]) == (2, 1)
    assert fold["after"] == pytest.approx((2 + 20 * fold["before"]) / 23, abs=1e-5)
    assert fold["interval"][0] < fold["after"] < fold["interval"][1]
    observed = document["observed"]
    assert (observed["decisions"], observed["hands"], observed["elsewhere"]) == (3, 3, 0)
    assert (observed["counts"], observed["read"], observed["not_read"]) == ({"fold": 2, "call": 1}, 5, [])
    said = errai(*arguments, "-o", tmp_path / "locks.toml").printed()
    assert "counted" in said
    assert "3 decisions in 3 hands" in said
    assert "fold: seen 2 of 3, 66.67 % (95 %: 17.7 to 96.1 %)" in said
    # Without a file the counts are remarks above the locks.
    printed = errai(*arguments).printed()
    assert printed.startswith("# counted 3 decisions in 3 hands\n")
    assert parse_locks(printed).tables == document["locks"] == load_locks(tmp_path / "locks.toml").tables
    assert errai(*arguments, "--quiet").printed() in printed
    short = errai(*arguments, broken)
    assert short.code == 3
    assert "refused 1" in short.err
    for more, message in (
        (["--any-stacks", "0.5"], "at least 1"),
        (["--pseudo-hands", "5", "--player", "1"], "No decision of player 1 fits"),
    ):
        assert message in errai(*arguments, *more).refusal()
    counts = tmp_path / "counts.toml"
    counts.write_text('["check bet"]\nfold = 30\n"*" = 10\n')
    for given, message in (
        ([counts, history], "so it is the only file"),
        ([counts, "--any-board"], "leave --name"),
    ):
        assert message in errai("lock", folder / "kuhn.errai", "--observed", *given).refusal()
    assert "--name needs --observed" in errai("lock", folder / "kuhn.errai", "--never", "bet", "--name", "A").refusal()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--line", "check bet"], 2, "required"),
        (["--more", "bet +1%", "--less", "bet 1%"], 2, "not allowed"),
        (["--never", "bet", "--equity", "40:20%"], 2, "is not an interval of equities"),
        (["--never", "bet", "--equity", "x"], 2, "is not an interval of equities"),
        (["--never", "bet", "--floor", "0.5"], 1, "The floor of probabilities"),
        (["--never", "bet", "--pseudo-hands", "3"], 1, "--pseudo-hands needs --observed"),
        (["--never", "raise"], 1, "'raise' is not possible"),
        (["--more", "bet"], 1, "cannot be read"),
        (["--line", "check check", "--never", "bet"], 1, "No player acts after 'check check'"),
        (["--never", "bet", "-o", "/no/such/folder/locks.toml"], 1, "There is no folder"),
    ],
)
def test_what_is_refused(errai, folder, arguments, code, message):
    assert message in errai("lock", folder / "kuhn.errai", *arguments).refusal(code)
