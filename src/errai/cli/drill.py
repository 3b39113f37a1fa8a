"""Drill decisions: be asked what you would do, and be graded by a solution.

Drill decisions of a solution or a blueprint. They are drawn as they come up when both players follow it, or are the
mistakes of a review. At every decision type the number of an action, its name, or a short form, and press Enter:

  1, 2, 3             the action with this number
  f, k, c, b, r, a    fold, check, call, the bet, the raise, all-in
  b 120, r 33%        the bet of 120; the raise of a third of the pot
  t                   the totals
  ?, q                help, quit

An answer is graded by what it loses against the best action: less than 0.5 % of the pot is right, 5 % and more is
wrong. With --repeat wrong and inaccurate answers are kept in a file and asked again on later days.

for example:
  errai drill flop.errai --count 20
  errai drill flop.errai --player 0 --street turn --repeat flop.json
  errai drill flop.errai --line "check bet 50" --seed 7
  errai review hands.phh --against flop.errai --json > review.json
  errai drill flop.errai --mistakes review.json
  errai drill solved/ --mistakes review.json      (of a review with --charts and --library solved/)
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from errai.cli.arguments import SOLVED, Arguments, Options, natural_number
from errai.cli.inputs import open_solved, output_path, refuse_given
from errai.cli.output import OK, write_json
from errai.errors import InputError

if TYPE_CHECKING:
    from errai.arena.drill import Drill, Question
    from errai.pictures.solution_facts import Solved


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution PLACE", SOLVED)
    add("--count N", "stop after N decisions", default=50)
    add("--player", "only decisions of this player", int, choices=(0, 1))
    add("--street STREET", "only decisions on this street, such as flop")
    add("--facing-bet", "only decisions against a bet or a raise")
    add("--line LINE", 'only decisions after this line, such as "check bet 50" or "check check / 7s / check"')
    add("--board CARDS", "the cards on the table, as far as they are not to be drawn", action="append")
    add("--mistakes FILE", "ask the mistakes of a review, as `errai review` writes it with --json")
    add("--repeat FILE", "keep wrong answers here and ask them again on later days; made if it does not exist")
    add("--seed N", "seed of the decisions (default: a random one)", natural_number)
    add("--plain", "draw with ASCII only")
    add.whole()
    add("--json", "write all answers as one JSON document to standard output, and the rest to standard error")


def run(options: Options) -> int:
    """Ask until the questions are over or the user leaves."""
    mistakes = _mistakes(options)
    if mistakes is not None and (library := _library(options.solution, mistakes)):
        refuse_given(options, "repeat json", "Several solutions are drilled one after the other")
        return _drill_library(options, library)
    path = output_path(options.repeat)
    with contextlib.ExitStack() as held:
        if path is not None:
            from errai.arena.repetition import locked_repetition

            held.enter_context(locked_repetition(path))
        solution = open_solved(options.solution, whole=options.whole)
        seed = secrets.randbits(32) if options.seed is None else options.seed
        questions = _drawn(options, solution, seed) if mistakes is None else _own(options.solution, solution, mistakes)
        drill = _round(options, solution, questions, options.count, seed, path)
    if options.json:
        from errai.arena.drill import Grade
        from errai.arena.review import review_document

        answers = review_document(drill.review, len(drill.answers))
        write_json({"seed": seed, **{kind.value: drill.count(kind) for kind in Grade}, **answers})
    return OK


def _round(
    options: Options, solution: Solved, questions: Iterable[Question], number: int, seed: int, path: Path | None = None
) -> Drill:
    """Ask the questions of one solution."""
    from errai.arena.drill import Drill
    from errai.arena.repetition import Repetition
    from errai.cli.drill_loop import DrillLoop
    from errai.console import console

    repetition = None if path is None else Repetition(path, solution.subject)
    drill = Drill(solution, questions, number=number, repetition=repetition)
    DrillLoop(drill, console(stderr=options.json), plain=options.plain).run(seed)
    return drill


def _drawn(options: Options, solution: Solved, seed: int) -> Iterable[Question]:
    from errai.arena.drill import drawer

    chosen = {name: getattr(options, name) for name in ("player", "street", "line", "board", "facing_bet")}
    given = {name: value for name, value in chosen.items() if value is not None}
    return map(drawer(solution, given.pop("board", ()), seed=seed, **given), count())


def _mistakes(options: Options) -> dict[str, list[Question]] | None:
    """Return the mistakes that are asked, by the name of their solution; None if decisions are drawn."""
    from errai.arena.drill import read_mistakes

    if options.mistakes is None:
        return None
    refuse_given(options, "player street line board facing_bet", "The mistakes of a review are asked as they are")
    return read_mistakes(options.mistakes)


def _library(text: str, mistakes: dict[str, list[Question]]) -> dict[Path, list[Question]]:
    """Return the mistakes by the files of a review's library, if that is what a text names."""
    library = Path(text)
    if "" in mistakes or not library.is_dir():
        return {}
    return {library / f"{name}.errai": questions for name, questions in mistakes.items()}


def _own(text: str, solution: Solved, mistakes: dict[str, list[Question]]) -> list[Question]:
    """Return the mistakes that belong to a solution, by the name of its file."""
    own = mistakes.get("") or mistakes.get(Path(text).stem)
    if own is None:
        names = ", ".join(mistakes)
        raise InputError(
            f"The mistakes of this review belong to {names}, not to {text}; give one of them, or the folder that has "
            "them (the --library of the review)."
        )
    return _checked(solution, own)


def _checked(solution: Solved, questions: list[Question]) -> list[Question]:
    """Return questions that are all decisions of a solution.  Raises :class:`MismatchError`."""
    from errai.arena.drill import checked_question

    for question in questions:
        checked_question(solution, question)
    return questions


def _drill_library(options: Options, library: dict[Path, list[Question]]) -> int:
    """Ask the mistakes of one solution after the other, the greatest loss first."""
    left, seed = options.count, options.seed or 0
    # All are opened before anything is asked, so that a file that is missing is named at once.
    opened = [(open_solved(str(path), whole=options.whole), questions) for path, questions in library.items()]
    for solution, asked in opened:
        questions = _checked(solution, asked)[:left]
        if questions:
            drill = _round(options, solution, questions, len(questions), seed)
            left -= len(questions)
            if len(drill.answers) < len(questions):
                break  # The user has left.
    return OK
