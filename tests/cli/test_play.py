"""``errai play``, driven by scripted input."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_subjects import RIVER
from small_subjects import subject as small_subject

import errai
from errai.agents.agent import Agent, StrategicAgent
from errai.agents.reader import read_agent
from errai.arena.histories.formats import read_text
from errai.arena.session_file import load_session, locked_session
from errai.cli import play, talk
from errai.cli.inputs import load_subject
from errai.cli.main import build_parser
from errai.errors import (
    AgentError,
    DamagedFileError,
    IllegalActionError,
    InputError,
    MatchError,
    MismatchError,
    RunInUseError,
    StrategyError,
)
from errai.games.hand import CALL, FOLD, Action, Hand, Observation, PlayedHand, PublicState, Shuffle, raise_to
from errai.pictures.play import action_words, choices_words, line_words, read_action, said, short_name
from errai.strategies.strategy import Choices


def parse(*arguments) -> argparse.Namespace:
    return build_parser("play").parse_args(["play", *(str(argument) for argument in arguments)])


@pytest.fixture
def table(monkeypatch, capsys):
    """Play with scripted lines; returns what was shown."""
    monkeypatch.delenv("COLUMNS", raising=False)
    # Its table for hold'em takes a minute the first time.
    monkeypatch.setattr("errai.arena.session.luck_estimator", lambda subject, opponent: None)

    def run(lines: list[str] | str, *arguments) -> str:
        lines = lines.split() if isinstance(lines, str) else lines
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert play.run(parse(*arguments)) == 0
        return capsys.readouterr().out

    return run


# --- words ---------------------------------------------------------------------------------------------------------


def after(state: PublicState, *actions: Action) -> PublicState:
    for action in actions:
        state = state.after(action)
        while state.cards_due:
            state = state.with_cards((len(state.board),))
    return state


NO_LIMIT = PublicState.start(load_subject("holdem.nolimit.2p"))
FLOP = after(NO_LIMIT, raise_to(300), CALL)
BET = after(FLOP, raise_to(500))
LIMIT = PublicState.start(load_subject("holdem.limit.2p"))
LEDUC = PublicState.start(load_subject("leduc.nolimit"))
ALL_IN = after(NO_LIMIT, raise_to(20_000))


@pytest.mark.parametrize(
    ("state", "words", "wanted"),
    [
        (NO_LIMIT, "f", FOLD),
        (NO_LIMIT, "c", CALL),
        (NO_LIMIT, "r 300", raise_to(300)),
        (NO_LIMIT, "r300", raise_to(300)),
        (NO_LIMIT, " RAISE  to 1,300 ", raise_to(1300)),
        (NO_LIMIT, "min", raise_to(200)),
        # Blinds of 50 and 100: a pot of 200 after the call, on top of 100.
        (NO_LIMIT, "pot", raise_to(300)),
        (NO_LIMIT, "r pot", raise_to(300)),
        (NO_LIMIT, "50%", raise_to(200)),
        (NO_LIMIT, "2.5x", raise_to(250)),
        (NO_LIMIT, "3bb", raise_to(300)),
        (NO_LIMIT, "r to 2.5 bb", raise_to(250)),
        (NO_LIMIT, "a", raise_to(20_000)),
        (NO_LIMIT, "r all in", raise_to(20_000)),
        # On the flop, amounts are of the street: 300 each stand in the pot.
        (FLOP, "k", CALL),
        (FLOP, "c", CALL),
        (FLOP, "b 200", raise_to(500)),
        (FLOP, "b 2bb", raise_to(500)),
        (FLOP, "b 50%", raise_to(600)),
        (FLOP, "r 33.3%", raise_to(500)),
        (FLOP, "b a", raise_to(20_000)),
        # 200 was bet into 600: three times that is 600; the pot is 1,000 after the call.
        (BET, "3x", raise_to(900)),
        (BET, "pot", raise_to(1500)),
        (BET, "r min", raise_to(700)),
        (LIMIT, "r", raise_to(20)),
        (LIMIT, "raise", raise_to(20)),
        (LIMIT, "r 20", raise_to(20)),
        # An ante is no bet: 100 each are in, and a bet of 200 makes 300.
        (LEDUC, "b 200", raise_to(300)),
        (LEDUC, "b 100%", raise_to(300)),
        (ALL_IN, "a", CALL),
        (ALL_IN, "c", CALL),
    ],
)
def test_words_mean_actions(state, words, wanted):
    assert read_action(words, state) == wanted
    state.after(wanted)


@pytest.mark.parametrize(
    ("state", "words", "why"),
    [
        (NO_LIMIT, "k", "a bet to call: 50"),
        (NO_LIMIT, "300", "Write r 300"),
        (NO_LIMIT, "r", "How much"),
        (NO_LIMIT, "r 150", "150 is less than the smallest, 200"),
        (NO_LIMIT, "r 20001", "20,001 is more than the largest, 20,000"),
        (NO_LIMIT, "r 999999999999999999", "not a bet size"),
        (NO_LIMIT, "r banana", "'banana' is not a bet size"),
        (NO_LIMIT, "r -5", "not a bet size"),
        (NO_LIMIT, "r 1x", "above 1x"),
        (NO_LIMIT, "r 0%", ""),
        (NO_LIMIT, "r 100c", "not a bet size"),
        (NO_LIMIT, "check please", "is not an action"),
        (FLOP, "f", "no bet to fold to"),
        (FLOP, "3x", "no bet to multiply"),
        (FLOP, "100000%", "more than the largest"),
        (NO_LIMIT, "1.5bb", "150 is less than the smallest, 200"),
        (LIMIT, "r 25", "Only one size is possible here, 20"),
        (LIMIT, "a", "All-in is not possible"),
        (ALL_IN, "r 30000", "No bet or raise is possible"),
        (ALL_IN, "min", "No bet or raise is possible"),
        (FLOP, "\x1b[2J\u202e" * 50, r"x1b"),
    ],
)
def test_wrong_words_say_what_is_possible(state, words, why):
    with pytest.raises(IllegalActionError) as caught:
        read_action(words, state)
    message = str(caught.value)
    assert why in message
    assert "You can: " in message
    assert message.isprintable()
    for choice in choices_words(state):
        assert choice in message


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc.nolimit", "holdem.limit.2p", "holdem.nolimit.2p", "turn"])
def test_what_is_said_of_an_action_means_it(name):
    """Every legal action in words, read again, is that action; and so are the keys that are shown."""
    game = small_subject(name)
    rng, shuffle = random.Random(5), Shuffle(game)
    for number in range(25):
        hand = Hand(game, shuffle.deal(np.random.default_rng(number)), number)
        while not hand.state.is_over:
            state = hand.state
            for action in state.legal_actions:
                words = action_words(state.betting, action).removesuffix(", all-in")
                words = words if words in ("fold", "check") or "call" not in words else "call"
                assert read_action(words, state) == action
            shown = {choice.split()[0] for choice in choices_words(state)}
            assert ("f" in shown) is (FOLD in state.legal_actions)
            assert ("r" in shown) is any(action.total for action in state.legal_actions)
            if "a" in shown:
                assert read_action("a", state) == state.legal_actions[-1]
            hand.act(rng.choice(state.legal_actions))


def test_lines_in_words():
    state = after(FLOP, CALL, raise_to(800), raise_to(20_000), CALL)
    assert line_words(state, ("Polaris", "you")) == (
        ("pre-flop", "you raise to 300; Polaris calls 200"),
        ("flop", "Polaris checks; you bet 500; Polaris raises to 19,700, all-in; you call 19,200, all-in"),
    )
    assert said("you", "fold") == "you fold"
    assert said("Polaris", "check") == "Polaris checks"
    assert short_name("solution:" + "folder/" * 9 + "leduc.errai") == "leduc.errai"
    assert len(short_name("x" * 100)) == 28


# --- hands ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "lines"),
    [
        ("kuhn", ["k", "", "c"]),
        ("leduc", ["r", "c", "", "c", "c", "c"]),
        ("holdem.limit.2p", ["c", "k", "k", "k", "", "k", "k", "k", "k"]),
        ("holdem.nolimit.2p", ["r 300", "k", "b 50%", "a", "", "k", "a"]),
        ("river", ["k", "", "b 50"]),
    ],
)
def test_two_hands(table, tmp_path, game, lines):
    """Two hands from the deal to the result; nothing is asked twice."""
    (tmp_path / "river.toml").write_text(RIVER)
    name = tmp_path / "river.toml" if game == "river" else game
    path = tmp_path / "s.json"
    out = table(lines, name, "--against", "always-call", "--seed", 4, "--hands", 2, "--session", path)
    assert "You can:" not in out
    assert len(re.findall(r"^(?:You win|always-call wins|A split pot)", out, re.MULTILINE)) == 2
    assert f"The session is saved in {path}" in " ".join(out.split())  # long paths begin on a line of their own
    subject = load_subject(str(name))
    session = load_session(path, subject, read_agent("always-call", subject))
    assert len(session.hands) == 2
    total = session.score().chips.total_chips
    assert f"2 hands: {total:+,.0f} chips".replace("+0 ", "0 ") in out
    # Every card of the board that was dealt is drawn, and the player's.
    for number, played in enumerate(session.hands):
        for card in (*played.board, *played.hole[session.seat_in(number)]):
            text = session.hands[0].subject.deck.card_text(card) if game != "river" else None
            if text:
                sign = dict(zip("cdhs", "♣♦♥♠", strict=True))[text[1]]
                assert sign in out


def test_what_is_shown_of_the_opponent(table):
    folded = ["r", "f"]  # always-raise raises again, and the player folds
    out = table(folded, "leduc", "--against", "always-raise", "--seed", 1, "--hands", 1)
    assert "You fold. always-raise wins 3." in out
    assert out.count("░░░") == 2 * 3
    opened = table(folded, "leduc", "--against", "always-raise", "--seed", 1, "--hands", 1, "--open")
    assert opened.count("░░░") == 2 * 2
    shown = table(["k", "c", "k", "c"], "leduc", "--against", "always-call", "--seed", 1, "--hands", 1)
    assert shown.count("░░░") == 2 * 2


def test_results_say_why(table):
    """The categories are those of the hands; seeds chosen for a pair, a split pot and a high card."""
    reasons = set()
    for seed in range(8):
        out = table("k k", "leduc", "--against", "always-call", "--seed", seed, "--hands", 1)
        found = re.search(r"^(?:(?:You win|always-call wins) 1 with|A split pot: both hold) (.*)\.$", out, re.MULTILINE)
        reasons.add(found[1])
    assert reasons == {"the higher card", "a pair against high card", "high card"}


def test_wrong_input_is_asked_again(table):
    lines = ["", "hello", "[bold]", "f", "r 3", "a", "k", "k"]
    out = table(lines, "leduc", "--against", "always-call", "--seed", 1, "--hands", 1)
    assert out.count("You can: k check; r bet 2.") == 6
    assert "'[bold]' is not an action" in out
    assert "There is no bet to fold to" in out
    assert out.count("Hand 1 of 1: Leduc hold'em") == 3


def test_help_score_and_the_hand_before(table):
    lines = ["?", "v", "s", "h", "k", "k", "x", "v", "s", "?", "", "q", "n"]
    out = table(lines, "leduc", "--against", "always-call", "--seed", 1)
    assert out.count("half of the pot, after your call") == 2
    assert out.count("No hand has been finished yet.") == 2
    assert "100.0% CCCC" in out
    assert "Enter deals the next hand; s shows" in out
    assert out.count("1 hand: ") == 3
    assert out.count("Hand 1: ") > out.count("Hand 2: ") >= 1
    assert "The session is not saved" in out


def test_hints(table, folder):
    agent = f"solution:{folder / 'leduc.errai'}"
    out = table("k k", "leduc", "--against", "always-call", "--advisor", agent, "--hints", "--seed", 2, "--hands", 1)
    assert out.count("leduc.errai with your hand:") == 2
    session_hint = re.findall(r"^  (check|bet 2) +([\d.<>]+)% ", out, re.MULTILINE)
    shares = [float(share.strip("<>")) for _, share in session_hint[1::-1]]
    assert [name for name, _ in session_hint[:2]] == ["bet 2", "check"]
    assert sum(shares) == pytest.approx(100.0, abs=0.2)
    # The solution itself says the same of the hand that was held.
    node = errai.load_solution(folder / "leduc.errai").root
    drawn = re.search(r"you ◀[^\n]*\n[^\n]*│([QKA])  │[^\n]*\n[^\n]*│  ([♥♠])│", out)
    hand = drawn[1] + {"♥": "h", "♠": "s"}[drawn[2]]
    assert shares == pytest.approx([100 * p for p in node.strategies[node.hand_index(hand)]], abs=0.051)


def test_hints_of_a_solution_where_it_hardly_ever_comes_are_marked(table, folder, monkeypatch):
    agent = f"solution:{folder / 'leduc.errai'}"
    arguments = ("leduc", "--against", "always-call", "--advisor", agent, "--hints", "--seed", 2, "--hands", 1)
    assert "hardly ever" not in table("k k", *arguments)
    monkeypatch.setattr("errai.arena.review.RARE", 1.1)
    out = " ".join(table("k k", *arguments).split())
    assert re.search(
        r"The solution rarely reaches this point: 100.0% of hands with these cards, and its players could", out
    )
    assert re.search(r"still gain [\d.e-]+% of the pot from here on\.", out)


def test_hints_of_nobody(table, monkeypatch):
    class Silent:
        def act(self, observation):
            return CALL

    monkeypatch.setitem(sys.modules, "silent", argparse.Namespace(Silent=Silent))
    out = table("h k k", "leduc", "--against", "python:silent:Silent", "--hands", 1)
    assert "--advisor AGENT names an agent that does" in out
    with pytest.raises(StrategyError, match="does not state its strategy"):
        table("", "leduc", "--against", "uniform", "--advisor", "python:silent:Silent")


def test_hints_where_the_advisor_never_gets(table, monkeypatch):
    class Elsewhere(StrategicAgent):
        name = "elsewhere"

        def strategy(self, state):
            if state.board:
                raise StrategyError("I know nothing of boards.")
            return Choices((CALL,), np.zeros((6, 1)))

    monkeypatch.setitem(sys.modules, "elsewhere", argparse.Namespace(make=Elsewhere()))
    arguments = ("leduc", "--against", "always-call", "--advisor", "python:elsewhere:make", "--hints", "--hands", 1)
    out = table("k k", *arguments)
    assert "elsewhere never reaches this point with this hand" in out
    assert re.search(r"There is no hint: elsewhere .*: I know nothing of boards\.", " ".join(out.split()))


def test_plain_is_ascii(table):
    out = table("h k s ? k", "leduc", "--against", "uniform", "--hands", 1, "--plain", "--seed", 1)
    assert out.isascii()
    assert ".---." in out


@pytest.mark.parametrize("columns", [80, 120])
def test_widths_and_colours(table, monkeypatch, columns):
    lines = ["r 300", "k", "k", "k"]
    arguments = ("holdem.nolimit.2p", "--against", "always-call", "--hands", 1, "--seed", 1)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = table(lines, *arguments)
    assert "\x1b[" in coloured
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("COLUMNS", str(columns))
    plain = table(lines, *arguments)
    assert "\x1b" not in plain
    assert max(len(line) for line in plain.splitlines()) <= columns
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[[0-9;]*(?:38|48);", table(lines, *arguments))


# --- leaving and going on ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leave", ["q", None])
def test_going_on_is_as_if_never_left(table, tmp_path, leave):
    """A player who always calls, in one session and resumed for every line; the opponent's draws continue too."""
    lines = ["c", ""] * 12
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    arguments = ("holdem.limit.2p", "--against", "uniform")
    table(lines, *arguments, "--session", whole, "--seed", 9)
    for line in lines:
        out = table([line, *([leave] if leave else [])], *arguments, "--session", parts, "--seed", 9)
        assert "The session is saved in" in out
    subject = load_subject("holdem.limit.2p")
    one, other = (load_session(path, subject, read_agent("uniform", subject)) for path in (whole, parts))
    finished = min(len(one.hands), len(other.hands))
    assert finished >= 2
    assert other.hands[:finished] == one.hands[:finished]


def test_interrupted(table, tmp_path, monkeypatch):
    """Ctrl-C while the player thinks, and while the opponent does."""
    path = tmp_path / "s.json"
    answers = iter(["r", KeyboardInterrupt])

    def typed(prompt):
        answer = next(answers)
        if answer is KeyboardInterrupt:
            raise answer
        return answer

    monkeypatch.setattr("builtins.input", typed)
    out = table("", "leduc", "--against", "always-raise", "--session", path, "--seed", 1)
    assert "The session is saved in" in out
    leduc = load_subject("leduc")
    session = load_session(path, leduc, read_agent("always-raise", leduc))
    assert [action.kind.name for action in session.hand.state.line] == ["RAISE", "RAISE"]

    class Interrupted(Agent):
        name = "interrupted"

        def act(self, observation: Observation) -> Action:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "interrupted", argparse.Namespace(make=Interrupted()))
    answers = iter(["k"])
    path = tmp_path / "t.json"
    table("", "leduc", "--against", "python:interrupted:make", "--session", path, "--seed", 1)
    assert len(load_session(path, leduc, Interrupted()).hand.state.line) == 1


def test_where_to_keep_a_session(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ("leduc", "--against", "always-call", "--seed", 5)
    table(["k", "q", ""], *arguments)
    assert Path("leduc-5.json").is_file()
    out = table(["k", "q", "leduc-5.json", ".", "no/folder.json", "a\0b", "x" * 300, "mine.json"], *arguments)
    assert out.count("choose another name") == 2
    assert out.count("The session cannot be saved there") == 3
    assert Path("mine.json").is_file()
    table(["k", "q", "y"], *arguments)
    assert Path("leduc-5-2.json").is_file()
    for lines in (["q"], ["k", "q", "n"], ["k", "q", "q"], ["k", "q"], ["k"]):
        table(lines, *arguments)
    assert sorted(entry.name for entry in tmp_path.glob("*.json")) == ["leduc-5-2.json", "leduc-5.json", "mine.json"]


def test_a_session_is_played_by_one_process_at_a_time(table, tmp_path):
    path = tmp_path / "s.json"
    words = ("leduc", "--against", "always-call", "--session", path, "--seed", 5, "--seat", "first")
    for _ in range(2):  # before the file is there, and after
        with locked_session(path), pytest.raises(RunInUseError, match="played by another process"):
            table("k k", *words)
        table("k k", *words)
        assert sorted(os.listdir(tmp_path)) == ["s.json", "s.phhs"]
    # A process that was killed leaves the file of its lock, which nobody holds.
    (tmp_path / ".s.json.lock").touch()
    assert "is resumed" in table("", *words)


def test_sessions_of_something_else(table, tmp_path):
    path = tmp_path / "s.json"
    table(
        "k k",
        "leduc",
        "--against",
        "always-call",
        "--session",
        path,
        "--seed",
        5,
        "--seat",
        "second",
        "--name",
        "Aoife",
    )
    assert "Aoife" in table("", "leduc", "--against", "always-call", "--session", path, "--seed", 5, "--seat", "second")
    assert "is resumed" in table("", "leduc", "--against", "always-call", "--session", path)
    for error, arguments in (
        (MismatchError, ("kuhn", "--against", "always-call")),
        (MismatchError, ("leduc", "--against", "uniform")),
        (MatchError, ("leduc", "--against", "always-call", "--seed", 6)),
        (MatchError, ("leduc", "--against", "always-call", "--seat", "first")),
    ):
        before = path.read_bytes()
        with pytest.raises(error):
            table("", *arguments, "--session", path)
        assert path.read_bytes() == before
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DamagedFileError):
        table("", "leduc", "--against", "always-call", "--session", path)
    with pytest.raises(InputError):
        table("", "leduc", "--against", "always-call", "--session", tmp_path / "none" / "s.json")


def test_a_cheating_opponent_ends_the_evening_but_not_the_session(table, tmp_path, monkeypatch):
    class Cheat:
        def act(self, observation):
            return raise_to(1_000)

    monkeypatch.setitem(sys.modules, "cheat", argparse.Namespace(Cheat=Cheat))
    with pytest.raises(AgentError, match="hand 1"):
        table("k", "leduc", "--against", "python:cheat:Cheat", "--session", tmp_path / "s.json")
    assert (tmp_path / "s.json").is_file()


def test_histories(table, tmp_path, monkeypatch):
    def hands() -> list[PlayedHand]:
        found = read_text((tmp_path / "evening.phhs").read_text(), "phh")
        assert not found.faults
        return found.hands

    path = tmp_path / "evening.json"
    lines = ["c", "k", "k", "k", "", "q"]
    out = table(lines, "holdem.limit.2p", "--against", "always-fold", "--session", path, "--seed", 1)
    assert "evening.phhs" in out
    assert hands()
    # Nothing was shown of the opponent.
    for hand in hands():
        assert hand.hole[hand.players.index("you")] is not None
        assert (hand.hole[hand.players.index("always-fold")] is None) is not hand.final_state().betting.showdown
    table(lines, "holdem.limit.2p", "--against", "always-fold", "--history", tmp_path / "evening.phhs", "--open")
    assert all(None not in hand.hole for hand in hands())


def test_without_luck(table, tmp_path, monkeypatch):
    class Halved:
        name = "half"

        def estimate(self, hand, seat):
            return hand.net_chips[seat] / 2

    monkeypatch.setattr("errai.arena.session.luck_estimator", lambda subject, opponent: Halved())
    out = table(["k", "k", "", "k", "k", "s"], "leduc", "--against", "always-call", "--seed", 3)
    found = re.findall(r"(\d) hands?: ([+-]?\d+) chips; without luck ([+-]?[\d.]+) chips", out)
    assert found
    assert all(float(plain) == 2 * float(without) for _, plain, without in found)
    assert "(half)" in out
    lines = ["k", "k", ""] * 30
    out = table(lines, "leduc", "--against", "always-call", "--seed", 3)
    means = re.findall(r"([+-][\d,]+) \+- ([\d,]+) mbb/g", out)
    plain, without = ([float(number.replace(",", "")) for number in mean] for mean in means[-2:])
    assert plain == pytest.approx([2 * number for number in without], abs=1.5)
    assert "29 hands: " in out
    assert not re.search(r"^29 hands:.*mbb", out, re.MULTILINE)


def test_luck_that_takes_too_long(table, tmp_path, monkeypatch):
    """Ctrl-C while luck is measured leaves out the measure, not the game."""

    class Endless:
        name = "endless"

        def estimate(self, hand, seat):
            raise KeyboardInterrupt

    monkeypatch.setattr("errai.arena.session.luck_estimator", lambda subject, opponent: Endless())
    path = tmp_path / "s.json"
    lines = ["k", "k", "", "k", "k", "s", "q"]
    out = table(lines, "leduc", "--against", "always-call", "--seed", 3, "--session", path)
    assert out.count("The luck is not estimated") == 1
    assert "without luck" not in out
    assert "2 hands: " in out
    # The result of the hand stood there before.
    assert out.index("win") < out.index("The luck is not estimated")


def test_opponents_that_take_their_time(table, monkeypatch):
    class Slow:
        def act(self, observation):
            time.sleep(0.1)
            return CALL

    monkeypatch.setattr(talk, "SECONDS_BEFORE_WAITING", 0.02)
    monkeypatch.setitem(sys.modules, "slow", argparse.Namespace(Slow=Slow))
    assert "python:slow:Slow is thinking" in table("k k", "leduc", "--against", "python:slow:Slow", "--hands", 1)
    monkeypatch.setattr(talk, "SECONDS_BEFORE_WAITING", 60.0)
    assert "thinking" not in table("k k", "leduc", "--against", "python:slow:Slow", "--hands", 1)


def test_bytes_that_are_no_text(monkeypatch, capsys):
    stdin = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n\xc3(\nk\nk\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    assert play.run(parse("leduc", "--against", "always-call", "--hands", "1")) == 0
    assert capsys.readouterr().out.count("You can:") == 2


def test_titles_are_no_orders_to_the_terminal(table, tmp_path):
    (tmp_path / "river.toml").write_text(RIVER.replace("A small river", "\\u202eA river"))
    out = table(["k", "q", "n"], tmp_path / "river.toml", "--against", "always-call")
    assert "\u202e" not in out
    assert "Hand 1: ?A river" in out


@pytest.mark.parametrize("name", ["", "   ", "x" * 25, "a\x1b[1m"])
def test_names(name):
    with pytest.raises(argparse.ArgumentTypeError):
        play.player_name(name)
    assert play.player_name("  Cú  Chulainn ") == "Cú Chulainn"


# --- anything at all -----------------------------------------------------------------------------------------------

KEYS = st.sampled_from(
    ["", "f", "k", "c", "r", "b", "a", "pot", "min", "50%", "2.5x", "r 300", "b 2", "r4", "r min", "?", "h", "s", "v"]
)
LINES = st.lists(
    st.one_of(KEYS, KEYS, KEYS, st.text(max_size=12), st.from_regex(r"[rb]? ?[\d.,]{1,8}[%xc]?")), max_size=25
)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "leduc.nolimit", "holdem.limit.2p", "holdem.nolimit.2p", "river"])
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=LINES, seed=st.integers(0, 2**32))
def test_whatever_is_typed(tmp_path, game, lines, seed):
    """No line leads to anything but an answer; every hand that is finished sums to zero and can be played again."""
    (tmp_path / "river.toml").write_text(RIVER)
    name = str(tmp_path / "river.toml") if game == "river" else game
    path = tmp_path / "s.json"
    path.unlink(missing_ok=True)
    text = "".join(f"{line}\n" for line in lines)
    before = sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert play.run(parse(name, "--against", "uniform", "--session", path, "--seed", seed)) == 0
    finally:
        sys.stdin = before
    # Nothing that was typed reaches the terminal as an order to it.
    assert "\x1b" not in out.getvalue()
    subject = load_subject(name)
    session = load_session(path, subject, read_agent("uniform", subject))
    assert all(sum(played.net_chips) == 0 for played in session.hands)


def test_the_manual_page():
    """Its commands are ones that the verb understands, and it names every option."""
    page = (Path(__file__).parents[2] / "docs" / "playing.md").read_text()
    commands = re.findall(r"^errai play (.+?)(?: +#.*)?$", page, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        parse(*command.split())
    for name in vars(parse("leduc", "--against", "uniform")):
        assert name in ("run", "subject", "verb") or f"`--{name}" in page


def test_a_spot_with_decimals_is_played_in_its_own_chips(table, tmp_path) -> None:
    spot, session = tmp_path / "spot.toml", tmp_path / "s.json"
    spot.write_text(RIVER.replace("pot = 100", "pot = 5.5").replace("stack = 300", "stack = 22.25"))
    arguments = (spot, "--against", "always-call", "--seed", 9, "--seat", "first", "--plain", "--session", session)
    shown = table(["b 2.505", "r 22.5", "r 2.5", "q"], *arguments)
    assert "Bets here are multiples of 0.01 chips, and 2.505 is none. You can: k check" in shown
    assert "22.5 is more than the largest, 22.25." in shown
    assert "you bet 2.5; always-call calls 2.5" in shown
    shown = table(["q"], *arguments)
    assert "The session is resumed. 1 hand: " in shown
    (hand,) = read_text((tmp_path / "s.phhs").read_text()).hands
    assert abs(hand.net_chips[0]) in (0.0, 5.25)
    assert hand.actions[0][0] == raise_to(250)
