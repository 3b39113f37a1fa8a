"""Drills: questions as often as they come up, grades against reviews, and what is asked again on later days."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import islice

import numpy as np
import pytest

import errai
from errai.arena.drill import (
    Draws,
    Drill,
    Grade,
    Question,
    checked_question,
    grade,
    read_mistakes,
)
from errai.arena.repetition import Repetition, locked_repetition
from errai.arena.review import review_document, review_hands
from errai.errors import (
    CardParseError,
    DamagedFileError,
    ForeignFileError,
    InputError,
    LineError,
    MismatchError,
    RunInUseError,
)
from errai.games.catalogue import load_game
from errai.games.hand import CALL, Deal, Hand
from errai.games.spot import parse_spot
from errai.solutions.solution import Solution

FLOP = """
board = "Kh 8h 3c"
pot = 100
stack = 150
big_blind = 10
[ranges]
oop = "AA, K8s, AhQh, 76s:0.5"
ip = "KQo, 99, Th9h"
[bets]
bet = "75%"
raise = ""
"""


@pytest.fixture(scope="module")
def leduc() -> Solution:
    return errai.solve(load_game("leduc"), "5mbb")


@pytest.fixture(scope="module")
def flop() -> Solution:
    return errai.solve(parse_spot(FLOP), "3%pot")


def all_decisions(solution: Solution) -> dict[tuple[str, str], float]:
    """How often each decision with each hand comes up in a hand, by walking every line, card and hand."""
    found: dict[tuple[str, str], float] = {}
    start = solution.root
    hands = solution.tree.root.hands.tolist()
    whole = sum(
        start.ranges[0, i] * start.ranges[1, j]
        for i, one in enumerate(hands)
        for j, other in enumerate(hands)
        if not set(one) & set(other)
    )

    def visit(node, chance: float) -> None:
        if node.kind == "chance":
            # Two hands and the board are out of the deck.
            left = solution.deck.num_cards - len(node.board) - 2 * len(hands[0])
            for card in node.children:
                visit(node[card], chance / left)
        elif node.kind == "decision":
            for i, one in enumerate(hands):
                own = node.ranges[node.player, i]
                fit = [j for j, other in enumerate(hands) if not set(one) & set(other)]
                weight = own * node.ranges[1 - node.player, fit].sum() * chance / whole
                if weight > 0:
                    found[node.line, node.hands[i]] = weight
            for action in node.actions:
                visit(node[action], chance)

    visit(start, 1.0)
    return found


def test_questions_come_up_as_often_as_in_play(leduc: Solution) -> None:
    expected = all_decisions(leduc)
    number = 6000
    drawn = Counter((q.line, q.hand) for q in islice(Draws(leduc, seed=4), number))
    total = sum(expected.values())
    assert set(drawn) <= set(expected)
    # Pearson's statistic over what is expected often enough; its standard deviation is the root of twice the freedom.
    kinds = [(drawn[key], number * weight / total) for key, weight in expected.items() if number * weight / total >= 5]
    chi = sum((count - mean) ** 2 / mean for count, mean in kinds)
    assert len(kinds) > 50
    assert chi < len(kinds) + 5 * np.sqrt(2 * len(kinds))


def test_questions_of_a_seat_and_a_street(leduc: Solution) -> None:
    expected = {
        key: weight for key, weight in all_decisions(leduc).items() if "/" in key[0] and leduc.at(key[0]).player == 1
    }
    total, number = sum(expected.values()), 3000
    drawn = Counter((q.line, q.hand) for q in islice(Draws(leduc, seed=9, player=1, street="round 1"), number))
    assert set(drawn) <= set(expected)
    kinds = [(drawn[key], number * weight / total) for key, weight in expected.items() if number * weight / total >= 5]
    chi = sum((count - mean) ** 2 / mean for count, mean in kinds)
    assert chi < len(kinds) + 5 * np.sqrt(2 * len(kinds))


def test_questions_against_a_bet(leduc: Solution) -> None:
    def is_faced(line: str) -> bool:
        return line.rpartition(" ")[2].isdigit()

    expected = {key: weight for key, weight in all_decisions(leduc).items() if is_faced(key[0])}
    total, number = sum(expected.values()), 3000
    drawn = Counter((q.line, q.hand) for q in islice(Draws(leduc, seed=3, facing_bet=True), number))
    assert set(drawn) <= set(expected)
    kinds = [(drawn[key], number * weight / total) for key, weight in expected.items() if number * weight / total >= 5]
    chi = sum((count - mean) ** 2 / mean for count, mean in kinds)
    assert len(kinds) > 20
    assert chi < len(kinds) + 5 * np.sqrt(2 * len(kinds))
    later = [q.line for q in islice(Draws(leduc, facing_bet=True, player=1, street="round 1"), 50)]
    assert all("/" in line and is_faced(line) and leduc.at(line).player == 1 for line in later)


@pytest.mark.parametrize("line", ["check bet 2 call / check", "check bet 2 call / * / check"])
def test_questions_of_a_line_whose_cards_are_drawn(leduc: Solution, line: str) -> None:
    after = "check bet 2 call / {} / check"
    expected = {
        key: weight
        for key, weight in all_decisions(leduc).items()
        if key[0] in [after.format(card) for card in ("Qh", "Qs", "Kh", "Ks", "Ah", "As")]
    }
    assert len(expected) > 10
    total, number = sum(expected.values()), 3000
    drawn = Counter((q.line, q.hand) for q in islice(Draws(leduc, seed=2, line=line), number))
    assert set(drawn) <= set(expected)
    kinds = [(drawn[key], number * weight / total) for key, weight in expected.items() if number * weight / total >= 5]
    chi = sum((count - mean) ** 2 / mean for count, mean in kinds)
    assert chi < len(kinds) + 5 * np.sqrt(2 * len(kinds))


def test_questions_on_a_board(leduc: Solution, flop: Solution) -> None:
    drawn = {q.line for q in islice(Draws(leduc, board="Ah", street="round 1"), 100)}
    assert drawn
    assert all("/ Ah /" in line for line in drawn)
    hands = {q.hand for q in islice(Draws(leduc, board="Ah"), 100)}
    assert hands == {"Qh", "Qs", "Kh", "Ks", "As"}
    for board in ("2c 5d", "Kh 8h 3c 2c 5d"):
        lines = {q.line for q in islice(Draws(flop, board=board, street="river", player=0), 20)}
        assert all("/ 2c /" in line and "/ 5d /" in line for line in lines)
    only = list(islice(Draws(flop, line="check check / 2c / check"), 30))
    assert {q.line for q in only} == {"check check / 2c / check"}
    assert all(flop.at(q.line).ranges[1, flop.root.hand_index(q.hand)] > 0 for q in only)


def test_the_same_seed_asks_the_same(flop: Solution) -> None:
    first, again, other = ([*islice(Draws(flop, seed=seed), 15)] for seed in (5, 5, 6))
    assert first == again
    assert first != other
    # A question depends on its number alone.
    assert Draws(flop, seed=5).draw(7) == first[7]


def test_what_cannot_be_asked_is_refused(flop: Solution, leduc: Solution) -> None:
    for options, error, words in (
        ({"street": "preflop"}, InputError, "There is no street 'preflop'"),
        ({"line": "bet 75 fold"}, InputError, "Nobody acts after 'bet 75 fold'"),
        ({"line": "raise"}, LineError, "the actions there are"),
        ({"line": "check", "player": 0}, InputError, "player 1 acts"),
        ({"line": "check", "street": "river"}, InputError, "another street"),
        ({"line": "check", "facing_bet": True}, InputError, "no bet to call"),
        ({"line": "check check / check", "facing_bet": True}, InputError, "no bet to call"),
        ({"line": "check check / check", "street": "flop"}, InputError, "another street"),
        ({"line": "check check / 2c / check", "board": "2c"}, InputError, "not in both"),
        ({"board": "8h 2c"}, InputError, "The board begins with Kh8h3c"),
        ({"board": "2c 5d 6d"}, InputError, "more cards than the 2"),
        ({"board": "Zz"}, CardParseError, "Expected a rank"),
        ({"line": "bet 75 call / 2c / bet 75 call", "street": "turn"}, InputError, "Nobody acts|another street"),
    ):
        with pytest.raises(error, match=words):
            Draws(flop, **options)
    checked = FLOP.replace('bet = "75%"\nraise = ""', 'bet = ""\nraise = ""\n[bets.river]\nbet = "75%"')
    spot = errai.solve(parse_spot(checked), max_iterations=2)
    with pytest.raises(InputError, match="no such decision"):
        Draws(spot, street="turn")
    # A decision with one action is none.
    assert {q.line.count("/") for q in islice(Draws(spot), 10)} == {4}


def test_an_answer_is_graded_as_a_review_grades_it(leduc: Solution) -> None:
    """Ann checks everything down; every decision of hers is reviewed, and then asked with the same answer."""
    subject = leduc.subject
    deck = leduc.deck
    hand = Hand(subject, Deal(((deck.parse_card("As"),), (deck.parse_card("Ks"),)), (deck.parse_card("Ah"),)), 0)
    while not hand.state.is_over:
        hand.act(CALL)
    review = review_hands([hand.played(("Ann", "Ben"))], leduc, player="Ann")
    drill = Drill(leduc, [Question(d.line, d.cards) for d in review.decisions], number=50)
    for question in drill.questions():
        drill.answer(question, drill.node(question).actions.index("check"))
    assert len(drill.answers) == len(review.decisions) == 2
    for asked, reviewed in zip(drill.review.decisions, review.decisions, strict=True):
        assert asked.ev_chips == reviewed.ev_chips
        assert asked.loss_chips == reviewed.loss_chips
        assert asked.pot_chips == reviewed.pot_chips
        assert (asked.best, asked.street, asked.board) == (reviewed.best, reviewed.street, reviewed.board)
    # Two aces are worth a bet.
    assert grade(drill.review.decisions[0]) is Grade.MISTAKE


def test_grades_follow_the_loss(flop: Solution) -> None:
    drill = Drill(flop, list(islice(Draws(flop, seed=1), 40)), number=40)
    for question in drill.questions():
        drill.answer(question, 0)
    for decision in drill.answers:
        lost = (max(decision.ev_chips.values()) - decision.ev_chips[decision.action]) / decision.pot_chips
        expected = Grade.MISTAKE if lost >= 0.05 else Grade.INACCURATE if lost >= 0.005 else Grade.RIGHT
        assert grade(decision) is (expected if decision.is_counted else Grade.RIGHT)
    assert {grade(decision) for decision in drill.answers} >= {Grade.RIGHT, Grade.MISTAKE}
    assert sum(drill.count(kind) for kind in Grade) == 40
    totals = drill.review.totals(lambda decision: decision.street)
    assert sum(total.decisions for total in totals.values()) == 40


def test_without_evs_the_frequency_decides(flop: Solution) -> None:
    from dataclasses import replace

    drill = Drill(flop, Draws(flop, seed=1), number=1)
    question = next(drill.questions())
    known = drill.answer(question, 0)
    for taken, expected in ((0.5, Grade.RIGHT), (0.05, Grade.INACCURATE), (0.0, Grade.MISTAKE)):
        shares = dict.fromkeys(known.probabilities, 0.0) | {known.action: taken}
        assert grade(replace(known, ev_chips={}, loss_chips=0.0, probabilities=shares)) is expected


# --- mistakes of a review ------------------------------------------------------------------------------------------


def test_the_mistakes_of_a_drill_are_asked_again(flop: Solution, tmp_path) -> None:
    drill = Drill(flop, list(islice(Draws(flop, seed=1), 30)), number=30)
    for question in drill.questions():
        drill.answer(question, 0)
    path = tmp_path / "review.json"
    path.write_text(json.dumps(review_document(drill.review, 30)))
    mistakes = read_mistakes(path)[""]
    counted = [d for d in drill.review.decisions if d.is_counted]
    assert mistakes == list(dict.fromkeys(Question(d.line, d.cards) for d in counted))
    again = Drill(flop, mistakes, number=100)
    for question in again.questions():
        node = again.node(question)
        values = node.action_ev[node.hand_index(question.hand)]
        assert again.answer(question, int(np.nanargmax(values))).loss_chips == 0.0
    assert len(again.answers) == len(mistakes)


def test_what_is_no_review_is_refused(flop: Solution, leduc: Solution, tmp_path) -> None:
    path = tmp_path / "review.json"
    for text in ("", "[]", "{}", '{"greatest": 3}', '{"greatest": [{"line": ""}]}', "[" * 100_000, "\xff"):
        path.write_text(text, encoding="latin-1")
        with pytest.raises(ForeignFileError, match="is not a review"):
            read_mistakes(path)
    path.write_text('{"greatest": [{"line": "check", "cards": "AhAs", "counted": false}]}')
    with pytest.raises(InputError, match="no mistake"):
        read_mistakes(path)
    for line, cards in (("limp", "AcAs"), ("", "2c2d"), ("", "As"), ("check check", "AcAs"), ("", "KhAs")):
        with pytest.raises(MismatchError, match="is not in this solution"):
            checked_question(flop, Question(line, cards))
    assert checked_question(flop, Question("check", "9s9d")).player == 1


# --- spaced repetition -----------------------------------------------------------------------------------------------


class Clock:
    """A time that the test sets."""

    def __init__(self) -> None:
        self.time = datetime(2030, 3, 1, 21, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def later(self, days: int, hour: int = 8) -> None:
        self.time = (self.time + timedelta(days=days)).replace(hour=hour)


pytest.importorskip("fsrs")


def answer_all(drill: Drill, *, rightly: bool) -> list[Question]:
    asked = []
    for question in drill.questions():
        node = drill.node(question)
        values = node.action_ev[node.hand_index(question.hand)]
        drill.answer(question, int(np.nanargmax(values) if rightly else np.nanargmin(values)))
        asked.append(question)
    return asked


def test_mistakes_come_back_on_later_days(flop: Solution, tmp_path) -> None:
    path, clock = tmp_path / "drill.json", Clock()
    questions = [Question("", "AhAs"), Question("", "AhQh"), Question("check", "9s9d")]
    first = Drill(flop, questions, number=9, repetition=Repetition(path, flop.subject, clock))
    answer_all(first, rightly=False)
    wrong = {(d.line, d.cards) for d in first.answers if grade(d) is not Grade.RIGHT}
    assert wrong
    kept = Repetition(path, flop.subject, clock)
    assert len(kept) == len(wrong)
    # Nothing is due on the same evening; everything is on the next morning, less than a day later.
    assert kept.due() == []
    clock.later(1)
    kept = Repetition(path, flop.subject, clock)
    assert set(kept.due()) == wrong
    second = Drill(flop, Draws(flop, seed=1), number=len(wrong), repetition=kept)
    asked = answer_all(second, rightly=True)
    assert {(q.line, q.hand) for q in asked} == wrong
    assert all(q.again for q in asked)
    # What was answered rightly waits longer each time.
    waits = []
    for _ in range(4):
        kept = Repetition(path, flop.subject, clock)
        day = kept.next_day()
        assert day is not None
        waits.append((day - clock.time).total_seconds() / 86400)
        clock.time = day
        answer_all(Drill(flop, [], number=9, repetition=Repetition(path, flop.subject, clock)), rightly=True)
    assert waits == sorted(waits)
    assert waits[0] >= 1
    assert waits[-1] > 2 * waits[0]


def test_right_answers_are_not_kept(flop: Solution, tmp_path) -> None:
    path = tmp_path / "drill.json"
    drill = Drill(flop, Draws(flop, seed=3), number=10, repetition=Repetition(path, flop.subject, Clock()))
    answer_all(drill, rightly=True)
    assert not path.exists()


def test_decisions_that_the_solution_lacks_stay_in_the_file(flop: Solution, tmp_path) -> None:
    path, clock = tmp_path / "drill.json", Clock()
    repetition = Repetition(path, flop.subject, clock)
    repetition.record("bet 33", "AcAs", "mistake")
    repetition.record("", "AcAs", "mistake")
    clock.later(1)
    drill = Drill(flop, [], number=5, repetition=Repetition(path, flop.subject, clock))
    assert [question.line for question in drill.questions()] == [""]
    assert len(Repetition(path, flop.subject, clock)) == 2


def test_a_damaged_file_is_refused_and_stays(flop: Solution, leduc: Solution, tmp_path) -> None:
    path, clock = tmp_path / "drill.json", Clock()
    Repetition(path, flop.subject, clock).record("", "AcAs", "mistake")
    whole = path.read_text()
    with pytest.raises(MismatchError, match="is a drill of"):
        Repetition(path, leduc.subject, clock)
    for text, error in (
        (whole[:-40], DamagedFileError),
        (whole.replace('"asked": 1', '"asked": 2'), DamagedFileError),
        (whole.replace('"version": 1', '"version": 2'), ForeignFileError),
        (whole.replace("errai drill", "errai session"), ForeignFileError),
        ("hello", ForeignFileError),
        ("", ForeignFileError),
    ):
        path.write_text(text)
        with pytest.raises(error):
            Repetition(path, flop.subject, clock)
        assert path.read_text() == text


@pytest.mark.parametrize(
    ("name", "value"),
    [("stability", 0), ("stability", "x"), ("difficulty", None), ("due", "soon"), ("due", 3), ("due", "2030-01-01")],
)
def test_wrong_content_with_a_right_checksum_is_refused(flop: Solution, tmp_path, name: str, value: object) -> None:
    from errai.store.document import read_document, write_document

    path = tmp_path / "drill.json"
    Repetition(path, flop.subject, Clock()).record("", "AcAs", "mistake")
    body = read_document(path, "drill", 1)
    body["decisions"][0]["memory"][name] = value
    write_document(path, "drill", 1, body)
    with pytest.raises(DamagedFileError, match="wrong number or time"):
        Repetition(path, flop.subject, Clock())
    body["decisions"][0].pop("memory")
    write_document(path, "drill", 1, body)
    with pytest.raises(DamagedFileError, match="lacks a field"):
        Repetition(path, flop.subject, Clock())


def test_a_file_is_used_by_one_drill_at_a_time(tmp_path) -> None:
    path = tmp_path / "drill.json"
    with (
        locked_repetition(path),
        pytest.raises(RunInUseError, match="in use by another drill"),
        locked_repetition(path),
    ):
        pass
