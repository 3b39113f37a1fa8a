"""``errai drill``, driven by scripted input."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import errai as package
from errai.arena import repetition
from errai.cli import drill
from errai.cli.main import build_parser
from errai.errors import IllegalActionError
from errai.pictures.drill import choices, read_choice
from errai.pictures.play import node_view

pytest.importorskip("fsrs")


@pytest.fixture
def asked(monkeypatch, capsys):
    """Drill with scripted lines; returns what was shown."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(lines: list[str] | str, *arguments) -> str:
        lines = lines.split() if isinstance(lines, str) else lines
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        options = build_parser("drill").parse_args(["drill", *(str(argument) for argument in arguments)])
        assert drill.run(options) == 0
        return capsys.readouterr().out

    return run


def totals(shown: str) -> str:
    return next(line for line in shown.splitlines() if re.match(r"\d+ decisions?:", line))


def test_a_round(asked, folder: Path) -> None:
    shown = asked("1 1 1", folder / "turn.errai", "--count", "3", "--seed", "5")
    assert "Decision 1 of 3: A small turn" in shown
    assert "Decision 3 of 3" in shown
    assert "pot " in shown
    assert totals(shown).startswith("3 decisions: ")
    assert shown.count("> 1") == 3
    assert shown == asked("1 1 1", folder / "turn.errai", "--count", "3", "--seed", "5")
    assert "seed 5" in shown


def test_boards_are_asked_in_turn(asked, folder: Path) -> None:
    arguments = (
        "--count",
        "4",
        "--seed",
        "5",
        "--json",
        "--street",
        "river",
        "--board",
        "As",
        "--board",
        "Qs Jh 2c 8d 3s",
    )
    document = json.loads(asked("1 1 1 1", folder / "turn.errai", *arguments))
    by_number = sorted(document["greatest"], key=lambda entry: entry["hand"])
    assert [entry["board"][-2:] for entry in by_number] == ["As", "3s", "As", "3s"]


def test_words_that_are_no_answers(asked, folder: Path) -> None:
    shown = asked(["", "?", "t", "fly", "9", "q"], folder / "turn.errai", "--line", "check bet 50", "--seed", "1")
    assert "You can: 1 fold; 2 call" in shown
    assert "t            the totals" in shown
    assert "No decision has been answered yet." in shown
    assert "'fly' is not an action here" in shown
    assert "'9' is not an action here" in shown
    assert "No decision was answered." in shown


def test_the_input_may_end_early(asked, folder: Path) -> None:
    shown = asked("1", folder / "turn.errai", "--count", "9", "--seed", "5")
    assert totals(shown).startswith("1 decision: ")


def test_ctrl_c_shows_the_totals_and_keeps_the_answers(asked, folder: Path, tmp_path: Path, monkeypatch) -> None:
    answers = iter(["a", "a"])

    def typed(prompt: str) -> str:
        word = next(answers, None)
        if word is None:
            raise KeyboardInterrupt
        return word

    monkeypatch.setattr("builtins.input", typed)
    path = tmp_path / "kept.json"
    arguments = ("--line", "check bet 50", "--count", "9", "--seed", "5", "--repeat", path)
    shown = asked("", folder / "turn.errai", *arguments)
    assert totals(shown).startswith("2 decisions: ")
    assert f"kept in {path}; the next is due on" in re.sub(r"\s+", " ", shown)
    assert path.exists()


def test_mistakes_are_asked_again_on_the_next_day(asked, folder: Path, tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "kept.json"
    turn = folder / "turn.errai"
    asked(["a"] * 6, turn, "--line", "check bet 50", "--count", "6", "--seed", "5", "--repeat", path)
    kept = json.loads(path.read_text())["drill"]["decisions"]
    assert kept
    assert all(each["line"] == "check bet 50" for each in kept)
    tomorrow = datetime.now().astimezone() + timedelta(days=1)
    monkeypatch.setattr(repetition.Repetition.__init__, "__defaults__", (lambda: tomorrow,))
    shown = asked(["1"] * 8, turn, "--count", "8", "--seed", "6", "--repeat", path)
    assert shown.count("asked again") == len(kept)
    assert "Decision 1 of 8, asked again: A small turn" in shown
    after = json.loads(path.read_text())["drill"]["decisions"]
    assert sum(each["asked"] for each in after) >= sum(each["asked"] for each in kept) + len(kept)


def test_a_review_of_a_drill_is_drilled(asked, errai, folder: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    turn, path = folder / "turn.errai", tmp_path / "review.json"
    document = json.loads(asked(["a"] * 5, turn, "--line", "check bet 50", "--count", "5", "--seed", "5", "--json"))
    assert document["decisions"] == 5
    assert document["right"] + document["inaccurate"] + document["mistake"] == 5
    assert document["seed"] == 5
    path.write_text(json.dumps(document))
    mistakes = {entry["cards"] for entry in document["greatest"] if entry["counted"]}
    shown = asked(["f"] * 9, turn, "--mistakes", path)
    assert totals(shown).startswith(f"{len(mistakes)} decision")


def test_the_mistakes_of_a_library_are_drilled(folder: Path, tmp_path: Path, errai, monkeypatch) -> None:
    """As `errai review --charts --library` leaves it: each mistake belongs to the solution of its spot."""
    library, path = tmp_path / "solved", tmp_path / "review.json"
    library.mkdir()
    for name in ("first", "second"):
        shutil.copy(folder / "turn.errai", library / f"{name}.errai")
    mistake = {"line": "check bet 50", "cards": "AsAh", "counted": True}
    path.write_text(json.dumps({"greatest": [{**mistake, "solution": name} for name in ("second", "first")]}))

    def drilled(place: Path, lines: bytes, *more: str) -> str:
        # Like a pipe, which cannot be prepared again once something has been read.
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
        done = errai("drill", place, "--mistakes", path, "--plain", *more)
        return done.out if done.code == 0 else done.refusal()

    assert drilled(library, b"1\n1\n").count("1 decision: ") == 2
    assert drilled(library, b"1\n1\n", "--count", "1").count("1 decision: ") == 1
    # Whoever leaves has left all of them; one solution alone has its own mistakes.
    assert drilled(library, b"q\n").count("No decision was answered.") == 1
    assert drilled(library / "first.errai", b"1\n1\n").count("1 decision: ") == 1
    assert "leave --repeat out" in drilled(library, b"", "--repeat", str(tmp_path / "kept.json"))
    assert "belong to second, first, not to" in drilled(folder / "turn.errai", b"")
    (library / "first.errai").unlink()
    assert "first.errai" in drilled(library, b"")


def test_what_is_wrong_is_refused_before_anything_is_asked(errai, folder: Path, tmp_path: Path) -> None:
    turn = folder / "turn.errai"
    path = tmp_path / "kept.json"
    path.write_text('{"format": "errai drill", "version": 1')
    for arguments, wanted in (
        (("--line", "fold"), "is not possible"),
        (("--street", "flop"), "There is no street 'flop'"),
        (("--board", "Zz"), "Expected a rank"),
        (("--repeat", path), "not a whole drill file"),
        (("--repeat", tmp_path), "is a directory"),
        (("--mistakes", tmp_path / "none.json"), "no such file"),
        (("--mistakes", path), "is not a review"),
        (("--mistakes", path, "--line", "check"), "leave --line out"),
    ):
        assert wanted in errai("drill", turn, *arguments).refusal()
    assert path.read_text() == '{"format": "errai drill", "version": 1'
    assert "There is no file" in errai("drill", tmp_path / "none.errai").refusal()


def test_answers_in_words(folder: Path) -> None:
    node = package.load_solution(folder / "turn.errai").at("check")
    assert choices(node) == ["1 check", "2 bet 50", "3 bet 300, all-in"]
    words = ("1", "k", "c", "check", "2", "b50", "bet 50", "b 50%", "3", "a", "ALL-IN")
    assert [read_choice(text, node) for text in words] == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    with pytest.raises(IllegalActionError, match="'b' may be several actions"):
        read_choice("b", node)
    with pytest.raises(IllegalActionError, match=r"is not an action here\. You can: 1 check; 2 bet 50"):
        read_choice("fold", node)


def test_the_table_of_a_decision(folder: Path) -> None:
    solution = package.load_solution(folder / "turn.errai")
    node = solution.at("check bet 50 call / 3s / bet 100")
    view = node_view(node, solution.deck.parse_cards("KcKd"), "A turn")
    opponent, own = view.seats
    assert (opponent.name, opponent.bet_chips, opponent.behind_chips) == ("out of position", 100.0, 150.0)
    assert (own.name, own.bet_chips, own.behind_chips, own.acts, own.dealer) == ("you", 0.0, 250.0, True, True)
    assert own.cards == ("Kd", "Kc")
    assert own.note == "pair"
    assert view.board == ("Qs", "Jh", "2c", "8d", "3s")
    assert view.pot_chips == 300.0
    assert view.line == (
        ("turn", "out of position checks; you bet 50; out of position calls"),
        ("river", "out of position bets 100"),
    )
    # Blinds are the first bets of their street, and antes are not.
    short = package.load_solution(folder / "short.errai")
    own, other = (seat.bet_chips for seat in node_view(short.root, (0, 1), "").seats[::-1])
    assert (own, other) == (5.0, 10.0)
    leduc = package.load_solution(folder / "leduc.errai")
    assert [seat.bet_chips for seat in node_view(leduc.root, (0,), "").seats] == [0.0, 0.0]
