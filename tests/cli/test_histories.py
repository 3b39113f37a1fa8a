"""``errai histories`` and ``errai review``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from random_hands import random_hand

from errai.arena.histories.formats import read_hands, write_hands
from errai.arena.histories.phh import phhs_text
from errai.cli.histories import ReadFiles
from errai.games.catalogue import load_game


@pytest.fixture(scope="module")
def hands():
    return tuple(random_hand(load_game("holdem.nolimit.2p"), 1, number) for number in range(10))


@pytest.fixture
def log(tmp_path, hands):
    path = tmp_path / "match.log"
    path.write_text(next(iter(write_hands(hands, "acpc").documents.values())))
    return path


def test_convert_to_a_file_and_back(errai, tmp_path, log, hands):
    for to, name in (("phh", "a.phhs"), ("pokerstars", "b.txt"), ("acpc", "c.log")):
        run = errai("histories", "convert", log, "--to", to, "-o", tmp_path / name)
        assert (run.code, run.out) == (0, "")
        assert f"Wrote 10 hands to {tmp_path / name}." in run.err
        read = read_hands(tmp_path / name)
        assert read.format == to
        assert [hand.net_chips for hand in read.hands] == [hand.net_chips for hand in hands]
    # The name says the format.
    assert errai("histories", "convert", tmp_path / "b.txt", "-o", tmp_path / "d.phhs").code == 0
    assert [hand.actions for hand in read_hands(tmp_path / "d.phhs").hands] == [hand.actions for hand in hands]


def test_convert_to_standard_output_and_folders(errai, tmp_path, log):
    assert errai("histories", "convert", log, "--to", "phh").out.startswith('[1]\nvariant = "NT"\n')
    assert errai("histories", "convert", log, "--to", "csv").out.startswith("hand,game,player_0")
    run = errai("histories", "convert", log, "--to", "csv", "-o", tmp_path, "--json")
    document = json.loads(run.out)
    assert document["files"] == [str(tmp_path / "match.csv"), str(tmp_path / "match-decisions.csv")]
    assert (document["read"], document["written"], document["from"]) == (10, 10, "acpc")
    assert len((tmp_path / "match.csv").read_text().splitlines()) == 11


def test_hands_left_out_are_named(errai, tmp_path, log):
    lines = log.read_text().splitlines()
    broken = next(i for i, line in enumerate(lines) if line.startswith("STATE:3:"))
    lines[broken] = lines[broken].replace("STATE:3:", "STATE:3:x")
    log.write_text("\n".join(lines) + "\n")
    err = errai("histories", "convert", log, "--to", "phh", "-o", tmp_path / "a.phhs").refusal(3)
    assert f"{log}, line {broken + 1}" in err
    assert "Read 9 of 10 hands and refused 1;" in err
    document = json.loads(errai("histories", "convert", log, "--to", "phh", "--json").out)
    assert (document["not_read"][0]["line"], document["written"]) == (broken + 1, 9)
    assert (document["in"], document["read"]) == (10, 9)
    leduc = tmp_path / "leduc.phhs"
    leduc.write_text(phhs_text([random_hand(load_game("leduc"), 1, number) for number in range(12)]))
    run = errai("histories", "convert", leduc, "--to", "pokerstars")
    assert (run.code, run.out) == (3, "")
    assert "12 hands were not written: pokerstars cannot hold them. The first 10 are named above" in run.err


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (("{log}",), "Give the format to write"),
        (("{log}", "-o", "{folder}"), "Give the format to write"),
        (("{log}", "-o", "{folder}/a.xyz"), "does not say a format"),
        (("{log}", "--to", "parquet", "-o", "{folder}/a.parquet"), "give a folder"),
        (("{log}", "--to", "csv", "-o", "{log}/"), "is a file"),
        (("{log}", "--to", "csv", "-o", "{log}/a/"), "cannot be created"),
        (("{log}", "-o", "{folder}/none/a.phh"), "There is no folder"),
        (("{folder}/none.log", "--to", "phh"), "cannot be read"),
        (("{log}", "--to", "phh", "--game", "nonsense"), "no game"),
        (("{log}", "--to", "phh", "--from", "phh"), None),
    ],
)
def test_wrong_usage(errai, tmp_path, log, arguments, wanted):
    filled = [text.format(log=log, folder=tmp_path) for text in arguments]
    run = errai("histories", "convert", *filled)
    assert run.code == (3 if wanted is None else 1)
    assert (wanted or "This is in the format acpc, and only phh was to be read") in run.err


def test_a_name_that_ends_in_a_slash_is_a_folder_that_is_made(errai, tmp_path, log):
    assert errai("histories", "convert", log, "--to", "csv", "-o", f"{tmp_path}/new/tables/").code == 0
    assert sorted(path.name for path in (tmp_path / "new/tables").iterdir()) == ["match-decisions.csv", "match.csv"]


def test_files_that_cannot_be_read_do_not_stop_the_others(errai, tmp_path, log):
    garbage, missing = tmp_path / "garbage.phh", tmp_path / "missing.phh"
    garbage.write_text("nothing of poker")
    err = errai("histories", "convert", garbage, log, missing, "--to", "phh", "-o", tmp_path / "a.phhs").refusal(3)
    assert len(read_hands(tmp_path / "a.phhs").hands) == 10
    wrote, *faults = err.splitlines()
    assert wrote.startswith("Wrote 10 hands")
    assert [str(garbage) in faults[0], str(missing) in faults[1], faults[2]] == [True, True, "2 files were not read."]
    document = json.loads(errai("histories", "convert", garbage, log, "--to", "phh", "--json").out)
    assert (document["written"], len(document["files_not_read"])) == (10, 1)
    # Without a single file that can be read there is nothing to convert.
    err = errai("histories", "convert", garbage, missing, "--to", "phh").refusal()
    assert str(garbage) in err
    assert str(missing) in err


def test_several_games_need_a_folder(errai, tmp_path):
    both = tmp_path / "both.phhs"
    both.write_text(phhs_text([random_hand(load_game(name), 1) for name in ("leduc", "kuhn")]))
    assert "of 2 games" in errai("histories", "convert", both, "--to", "acpc", "-o", tmp_path / "a.log").refusal()
    assert errai("histories", "convert", both, "--to", "acpc", "-o", tmp_path).code == 0
    assert len(read_hands(tmp_path / "both-1.log").hands) == 1


EXAMPLE = """\
PokerStars Hand #5:  Hold'em No Limit (5/10)
Table 'T' 2-max Seat #1 is the button
Seat 1: Ann (500 in chips)
Seat 2: Ben (800 in chips)
Ann: posts small blind 5
Ben: posts big blind 10
*** HOLE CARDS ***
Dealt to Ann [As Ks]
Ann: raises 20 to 30
Ben: calls 20
*** FLOP *** [Qs Js 2d]
Ben: checks
Ann: bets 470 and is all-in
Ben: calls 470
*** TURN *** [Qs Js 2d] [3d]
*** RIVER *** [Qs Js 2d 3d] [Ts]
*** SHOW DOWN ***
Ben: shows [2c 2h] (three of a kind, Deuces)
Ann: shows [As Ks] (a royal flush)
Ann collected 1000 from pot
*** SUMMARY ***
Total pot 1000 | Rake 0
"""

SHOWN = """\
Hand 5, no-limit hold'em 5/10
  Ben: 2c 2h, 800 chips
  Ann: As Ks, 500 chips
  pre-flop, pot 15
    Ann raises to 30
    Ben calls 20
  flop [Qs Js 2d], pot 60
    Ben checks
    Ann bets 470, all-in
    Ben calls 470
  board Qs Js 2d 3d Ts
  Ann wins the pot of 1,000 at the showdown: 500 net.
"""


def test_show(errai, tmp_path):
    path = tmp_path / "hands.txt"
    path.write_text(EXAMPLE)
    run = errai("histories", "show", path)
    assert (run.code, run.out, run.err) == (0, SHOWN, "")
    assert errai("histories", "show", path, "--hand", "5").out == SHOWN
    assert "no hand 6" in errai("histories", "show", path, "--hand", "6").err
    (entry,) = json.loads(errai("histories", "show", path, "--json").out)["hands"]
    assert (entry["betting"], entry["net_0"]) == ("r30c/cr500c", -500)
    assert [d["player"] for d in entry["decisions"]] == ["Ann", "Ben", "Ben", "Ann", "Ben"]


def test_the_rake_is_shown(errai, tmp_path):
    path = tmp_path / "hands.txt"
    path.write_text(EXAMPLE.replace("collected 1000", "collected 975").replace("Rake 0", "Rake 25"))
    run = errai("histories", "show", path)
    assert run.out == SHOWN + "  The rake of 25 is not subtracted here.\n"


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc.nolimit", "rhode-island", "holdem.limit.2p"])
def test_show_any_game(errai, tmp_path, name):
    path = tmp_path / "hands.phhs"
    path.write_text(phhs_text([random_hand(load_game(name), 2, number) for number in range(8)]))
    out = errai("histories", "show", path).printed()
    assert out.count("\nHand ") == 7
    assert out.count("wins the pot") + out.count("is split") == 8


def test_what_is_in_a_file_is_read_or_refused(errai, tmp_path, folder):
    mixed = tmp_path / "mixed.txt"
    other = "Full Tilt Poker Game #3: Table A - $1/$2 - No Limit Hold'em - 10:07:05 - 2024/01/06"
    mixed.write_text(f"{EXAMPLE}\n{other}\n\nSTATE:1:f:|:50|-50:a|b\n")
    err = errai("histories", "convert", mixed, "--to", "phh", "-o", tmp_path / "a.phhs").refusal(3)
    assert f"{mixed}, line {EXAMPLE.count(chr(10)) + 2}: This is a hand in the format of Full Tilt Poker" in err
    assert "Read 2 of 3 hands and refused 1;" in err
    document = json.loads(errai("histories", "show", mixed, "--json").out)
    assert (document["in"], document["read"], len(document["not_read"])) == (3, 2, 1)
    # With a format, hands of the others are refused, and where nothing was read nothing is written.
    gg = tmp_path / "gg.txt"
    gg.write_text(mixed.read_text()[len(EXAMPLE) :].partition("STATE")[0])
    run = errai("histories", "convert", gg, "--from", "pokerstars", "--to", "csv", "-o", tmp_path / "b.csv")
    assert (run.code, "Wrote" in run.err, (tmp_path / "b.csv").exists()) == (3, False, False)
    assert "Read 0 of 1 hands and refused 1;" in run.err
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    for verb in (
        ("histories", "convert", empty, "--to", "phh"),
        ("review", empty, "--against", folder / "leduc.errai"),
    ):
        for options in ((), ("--from", "pokerstars")):
            run = errai(*verb, *options)
            assert (run.code, "There is no hand in this file." in run.err) == (1, True)


# --- review ---


@pytest.fixture
def leduc_hands(tmp_path):
    path = tmp_path / "leduc.phhs"
    path.write_text(phhs_text([random_hand(load_game("leduc"), 1, number) for number in range(10)]))
    return path


def test_review(errai, folder, leduc_hands):
    out = errai("review", leduc_hands, "--against", folder / "leduc.errai", "--top", "3").printed()
    assert "decisions in 10 hands" in out
    for heading in ("by player", "by street", "by line", "mbb lost"):
        assert heading in out
    document = json.loads(errai("review", leduc_hands, "--against", folder / "leduc.errai", "--json").out)
    assert document["hands"] == document["read"] == 10
    losses = [d["loss_chips"] * d["counted"] for d in document["greatest"]]
    assert losses == sorted(losses, reverse=True)
    assert document["loss_mbb"] == pytest.approx(1000 * document["loss_chips"])
    for d in document["greatest"]:
        assert d["loss_chips"] == pytest.approx(max(d["ev_chips"].values()) - d["ev_chips"][d["action"]])
        assert d["ev_chips"][d["best"]] == max(d["ev_chips"].values())
    ann = json.loads(errai("review", leduc_hands, "--against", folder / "leduc.errai", "--json", "--player", "Ann").out)
    assert [entry["player"] for entry in ann["by_player"]] == ["Ann"]


def test_review_marks_what_a_solution_says_little_of(errai, tmp_path, leduc_hands, monkeypatch):
    errai("solve", "leduc", "-o", tmp_path / "coarse.errai", "--max-iterations", "4", "--quiet")
    asked = ("review", leduc_hands, "--against", tmp_path / "coarse.errai")
    document = errai(*asked, "--json", "--top", 500).document()
    left = [d for d in document["greatest"] if not d["counted"] and d["loss_chips"] > 0]
    assert len(left) == document["not_counted"] > 0
    assert all(d["loss_chips"] <= d["unconverged_chips"] for d in left)
    assert document["loss_chips"] == pytest.approx(sum(d["loss_chips"] for d in document["greatest"] if d["counted"]))
    run = errai(*asked)
    assert f"{len(left)} smaller losses are not counted" in run.out
    assert "hardly ever" not in run.out
    monkeypatch.setattr("errai.arena.review.RARE", 0.2)
    assert "! the solution hardly ever comes here" in errai(*asked).out


def test_review_of_other_hands(errai, folder, log):
    run = errai("review", log, "--against", folder / "leduc.errai")
    assert run.code == 3
    assert "10 times: The hand" in run.out
    err = errai("review", log, "--against", folder / "leduc.errai", "--player", "Zoe").refusal()
    assert "No hand was played by 'Zoe'" in err


def test_review_against_the_folder_of_a_run(errai, tmp_path, leduc_hands):
    run = errai("solve", "leduc", "--store", tmp_path / "run", "--max-iterations", "6", "--processes", "1", "--quiet")
    assert run.code == 0
    errai("solve", "leduc", "-o", tmp_path / "a.errai", "--max-iterations", "6", "--quiet", "--precision", "float32")
    stored, memory = (
        json.loads(errai("review", leduc_hands, "--against", place, "--json", "--top", "500").out)
        for place in (tmp_path / "run", tmp_path / "a.errai")
    )
    assert stored["decisions"] > 30
    assert stored["hands"] == memory["hands"] == 10
    for d in stored["greatest"]:
        assert d["loss_chips"] == pytest.approx(max(d["ev_chips"].values()) - d["ev_chips"][d["action"]])


# --- tables of more than two players ---

CASES = Path(__file__).parent.parent / "arena" / "histories" / "cases"


def test_hands_at_tables_are_shown_and_converted(errai, tmp_path):
    session = CASES / "ps_cash_six.txt"
    out = errai("histories", "show", session, "--hand", "247301155002").printed()
    assert "  kestrel_71 (BTN): Ah Qh, 10,150 chips\n" in out
    assert "    Slow.Dan folds\n    kestrel_71 raises to 1,000\n" in out
    assert "  pannacotta4u wins 7,150 of 7,150 at the showdown: 3,650 net.\n" in out
    assert out.endswith(
        "  Two players are left on the flop: pannacotta4u (HJ) acts first against kestrel_71 (BTN), pot 2,150, "
        "effective stack 7,720.\n"
    )
    out = errai("histories", "show", session, "--hand", "247301155005").printed()
    assert "There were 2 pots: 10,495, 5,690." in out
    assert "No street after the first began with two players who could bet." in out
    assert ", run again" in errai("histories", "show", session, "--hand", "247301155013").printed()
    out = errai("histories", "show", session, "--hand", "247301155011").printed()
    assert "Slow.Dan (CO): unknown cards, 9,700 chips, ante 50, post 100\n" in out
    document = json.loads(errai("histories", "show", session, "--json").out)
    assert (document["in"], document["read"], document["not_read"]) == (14, 14, [])
    entry = document["hands"][1]
    assert entry["two_left"] == {
        "street": 1, "board": "9c7d2h", "pot": 2150, "players": ["pannacotta4u", "kestrel_71"],
        "stacks": [7720, 9150], "effective_stack": 7720,
    }  # fmt: skip
    assert [player["position"] for player in entry["players"]] == ["SB", "BB", "UTG", "HJ", "CO", "BTN"]
    assert [d["player"] for d in entry["decisions"][:2]] == ["Hektor Nod", "pannacotta4u"]
    phh, back = tmp_path / "a.phhs", tmp_path / "b.phhs"
    assert errai("histories", "convert", session, "--to", "phh", "-o", phh).code == 0
    assert errai("histories", "convert", phh, "--to", "phh", "-o", back).code == 0
    assert phh.read_text() == back.read_text()


def test_what_takes_two_players_names_the_hands_of_more(errai, tmp_path):
    session, table = CASES / "gg_cash_six.txt", tmp_path / "a.csv"
    run = errai("histories", "convert", session, "--to", "csv", "-o", table)
    assert (run.code, "Wrote 1 hand to" in run.err, "11 hands were not written" in run.err) == (3, True, True)
    assert "Hand 1846200106: it has 6 players, a straddle, which csv cannot hold." in run.err
    document = json.loads(errai("histories", "convert", session, "--to", "acpc", "--json").out)
    assert (document["in"], document["read"], document["written"], len(document["not_written"])) == (12, 12, 1, 11)
    none = tmp_path / "none.csv"
    run = errai("histories", "convert", CASES / "ps_tournament.txt", "--to", "csv", "-o", none)
    assert (run.code, none.exists(), "11 hands were not written" in run.err) == (3, False, True)
    err = errai("histories", "measure", CASES / "ps_tournament.txt", "--known", "blueprint-nl").refusal()
    assert "There is no hand of two players in the files." in err
    read = ReadFiles(read_hands(session).read, (), (), "ggpoker").for_two("a study")
    assert (len(read.read), len(read.faults)) == (1, 11)
    assert "has 6 players, a straddle; a study takes hands of two players with blinds" in str(read.faults[5])
    assert "choose from" in errai("histories", "convert", session, "--to", "ggpoker").refusal(2)


def test_review_of_hands_at_tables(errai, tmp_path):
    spot = tmp_path / "turn.toml"
    # Hand 247301155001: SB and BB leave 50 chips; the flop is bet and folded.
    spot.write_text(
        'board = "Kd 8h 3c"\npot = 550\nstack = 9750\nbig_blind = 100\n[ranges]\noop = "QQ, KQs"\nip = "AA, K9s"\n'
        '[bets]\nbet = "64%"\nraise = ""\n'
    )
    assert errai("solve", spot, "--max-iterations", "20", "-o", tmp_path / "a.errai", "--quiet").code in (0, 3)
    session = CASES / "ps_cash_six.txt"
    text = session.read_text().replace("Dealt to kestrel_71 [Qs Js]", "Dealt to Slow.Dan [Qs Qc]")
    (tmp_path / "hands.txt").write_text(text)
    document = errai("review", tmp_path / "hands.txt", "--against", tmp_path / "a.errai", "--json").document()
    assert (document["in"], document["read"], document["hands"], document["decisions"]) == (14, 14, 1, 2)
    assert {entry["player"] for entry in document["greatest"]} == {"Slow.Dan"}
    assert sum(document["left_out"].values()) == 13
