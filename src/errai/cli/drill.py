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
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterable
from itertools import count
from typing import TYPE_CHECKING

from errai.cli.arguments import SOLVED, Arguments, Options, natural_number
from errai.cli.inputs import open_solved, output_path, refuse_given
from errai.cli.output import OK, write_json

if TYPE_CHECKING:
    from errai.arena.drill import Question
    from errai.pictures.solution_facts import Solved


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add("solution PLACE", SOLVED)
    add("--count N", "stop after N decisions", default=50)
    add("--player", "only decisions of this player", int, choices=(0, 1))
    add("--street STREET", "only decisions on this street, such as flop")
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
    from errai.arena.drill import Drill, Grade
    from errai.arena.repetition import Repetition, locked_repetition
    from errai.arena.review import review_document
    from errai.cli.drill_loop import DrillLoop
    from errai.console import console

    path = output_path(options.repeat)
    with contextlib.ExitStack() as held:
        if path is not None:
            held.enter_context(locked_repetition(path))
        solution = open_solved(options.solution, whole=options.whole)
        repetition = None if path is None else Repetition(path, solution.subject)
        seed = secrets.randbits(32) if options.seed is None else options.seed
        drill = Drill(solution, _questions(options, solution, seed), number=options.count, repetition=repetition)
        DrillLoop(drill, console(stderr=options.json), plain=options.plain).run(seed)
    if options.json:
        answers = review_document(drill.review, len(drill.answers))
        write_json({"seed": seed, **{kind.value: drill.count(kind) for kind in Grade}, **answers})
    return OK


def _questions(options: Options, solution: Solved, seed: int) -> Iterable[Question]:
    from errai.arena.drill import drawer, read_mistakes

    chosen = {name: getattr(options, name) for name in ("player", "street", "line", "board")}
    given = {name: value for name, value in chosen.items() if value is not None}
    if options.mistakes is None:
        return map(drawer(solution, given.pop("board", ()), seed=seed, **given), count())
    refuse_given(options, "player street line board", "The mistakes of a review are asked as they are")
    return read_mistakes(options.mistakes, solution)
