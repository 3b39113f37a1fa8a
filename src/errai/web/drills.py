"""Drills: rounds of questions over a solution, a blueprint, or the mistakes of a review, as ``errai drill`` asks them.

A round is the file ``drills/ID.drill``, which is written before a question is shown and before an answer is returned.
Nothing of it is in memory alone, so a server that is killed loses nothing: the question that waits is asked again.
What is to be asked again on later days stands in ``drills/DIGEST.repeat``, one file for each game or spot, which
``errai drill --repeat`` reads and writes too.
"""

from __future__ import annotations

import importlib.util
import secrets
import threading
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, model_validator

from errai.arena.drill import Grade, Question, check_asked, drawer, grade, is_known
from errai.arena.repetition import Repetition, locked_repetition
from errai.arena.review import ReviewedDecision, reviewed_decision
from errai.engine.units import Units
from errai.errors import ArtefactError, BusyError, InputError, StaleError, UnknownNameError
from errai.games.game import Subject
from errai.pictures.drill import answer_words, read_choice
from errai.pictures.nodes import split_cards
from errai.pictures.palette import action_colours
from errai.pictures.play import node_view
from errai.solutions.node import SolutionNode
from errai.store.atomic import write_file
from errai.web import files
from errai.web.files import NAME_PATTERN, Stamp, Workspace, new_name, stamp, unknown
from errai.web.job_files import now
from errai.web.jobs import JobStore
from errai.web.library import Library, Opened
from errai.web.models import Body, Kept
from errai.web.review_models import read_review
from errai.web.table import SeatModel, StreetModel, street_models

DRILL, REPEAT = ".drill", ".repeat"

MOST_DRILLS = 1_000
MOST_QUESTIONS = 1_000
MOST_COMING = 50
MOST_ALIKE = 100
"""So many questions are drawn at most to find one that was not asked again already."""

Cards = Annotated[str, Field(max_length=60)]
Named = Annotated[str, Field(max_length=100, pattern=NAME_PATTERN)]


class DrillRequest(Body):
    """A round of questions: over a solution or a blueprint, or over the mistakes of a review."""

    solution: Named | None = None
    """A solution, a run or a blueprint, by its name."""
    review: Named | None = None
    """A review, by the name of its job; its mistakes are asked, the greatest loss first, as they are."""
    player: Annotated[int, Field(ge=0, le=1)] | None = None
    """Only decisions of this player."""
    street: Annotated[str, Field(max_length=40)] | None = None
    """Only decisions on this street, such as `flop`."""
    line: Annotated[str, Field(max_length=4000)] | None = None
    """Only decisions after this line."""
    boards: list[Cards] = Field(default=[], max_length=100)
    """The cards on the table, as far as they are not to be drawn; several are asked in turn."""
    count: Annotated[int, Field(ge=1, le=MOST_QUESTIONS)] = 50
    seed: Annotated[int, Field(ge=0, le=2**53)] | None = None
    """Seed of the questions; by default a random one."""
    repeat: bool = False
    """Whether wrong answers are kept and asked again on later days; those that are due come first."""
    whole: bool = False
    """Whether a large file is read as a whole; then the EV of every hand is known."""
    title: Annotated[str, Field(max_length=200)] | None = None


class Asked(BaseModel):
    """A question in the file: a decision of a solution."""

    solution: str
    line: str
    hand: str
    again: bool = False

    @property
    def question(self) -> Question:
        """The question, as the drill knows it."""
        return Question(self.line, self.hand, self.again)


class Answered(BaseModel):
    """An answer in the file."""

    solution: str
    again: bool
    words: str
    loss_mbb: float | None
    decision: ReviewedDecision

    @model_validator(mode="after")
    def _of_a_pot(self) -> Answered:
        if not self.decision.pot_chips > 0 or not self.decision.probabilities:
            raise ValueError("a decision has a pot, and actions")
        return self

    @property
    def grade(self) -> Grade:
        """How good the answer was."""
        return grade(self.decision)

    @property
    def pot_percent(self) -> float | None:
        """The loss that counts in per cent of the pot; None if EVs are not known."""
        known = self.decision.ev_chips
        return 100.0 * self.decision.counted_chips / self.decision.pot_chips if known else None


class DrillFile(BaseModel):
    """What the file of a round says."""

    format: Literal["errai drill round"] = "errai drill round"
    version: Literal[1] = 1
    request: DrillRequest
    title: str
    created: str
    seed: int
    count: int
    left: list[Asked]
    """What is asked before anything is drawn: what is due again, and the mistakes of a review."""
    drawn: int = 0
    """How many questions have been drawn."""
    waiting: Asked | None = None
    answers: list[Answered] = []

    @model_validator(mode="after")
    def _one_of_two(self) -> DrillFile:
        if (self.request.solution is None) == (self.request.review is None):
            raise ValueError("a round is over a solution or over a review")
        return self

    @property
    def over(self) -> bool:
        """Whether nothing more is asked."""
        out = self.request.review is not None and not self.left and self.waiting is None
        return out or len(self.answers) >= self.count


# --- what the API answers ---


class ChoiceView(BaseModel):
    """An action that can be chosen."""

    action: str
    """Its name, for the answer."""
    chips: float
    """Chips that the player puts in by it."""
    pot_percent: float | None
    """Of a bet or a raise: in per cent of the pot, as in a menu of sizes; null in limit games."""
    all_in: bool
    colour: str
    """Its colour in pictures, by its size."""


class QuestionView(BaseModel):
    """A decision that is asked.  It has nothing of what the solution does there."""

    number: int
    again: bool
    """Whether it is asked again because it was answered wrongly on an earlier day."""
    solution: str
    line: str
    street: str
    board: list[str]
    board_places: int
    """Cards that lie on the board at the end of a hand."""
    hand: list[str]
    player: int
    player_name: str
    pot_chips: float
    to_call_chips: float
    seats: list[SeatModel]
    """The opponent, and the player who is asked, called `you`."""
    streets: list[StreetModel]
    """What was done until then."""
    actions: list[ChoiceView]


class ActionGrade(BaseModel):
    """An action at a decision that was answered; null where EVs are not known."""

    action: str
    frequency: float
    """How often the solution takes it with this hand."""
    ev_chips: float | None
    loss_chips: float | None
    """What it loses against the best action."""


class AnswerView(BaseModel):
    """An answer and what it is worth."""

    number: int
    again: bool
    solution: str
    line: str
    """The decision: `GET solutions/NAME/node?line=...` shows it."""
    street: str
    board: list[str]
    hand: list[str]
    player_name: str
    action: str
    best: str
    grade: Grade
    words: str
    """A sentence that says what it is worth."""
    loss_chips: float | None
    """Null if EVs are not known; then the grade is by how often the solution takes the action."""
    loss_pot_percent: float | None
    loss_mbb: float | None
    """Null also without a big blind."""
    counted: bool
    """Whether the loss is larger than what the solution itself may be wrong by there."""
    pot_chips: float
    line_reached: float
    unconverged_chips: float
    actions: list[ActionGrade]


class DrillSum(BaseModel):
    """Answers together."""

    name: str
    """The street, or the line."""
    decisions: int
    right: int
    loss_pot_percent: float | None
    """Mean loss of a decision in per cent of the pot, of those whose EVs are known."""


class TotalsView(BaseModel):
    """All answers of a round."""

    answers: int
    right: int
    inaccurate: int
    mistake: int
    streak: int
    """Right answers in a row, up to the last one."""
    longest_streak: int
    loss_pot_percent: float | None
    loss_mbb: float | None
    """The sum; null if it is not known of an answer."""
    by_street: list[DrillSum]
    by_line: list[DrillSum]


class ComingView(BaseModel):
    """A decision that comes again."""

    line: str
    hand: list[str]
    due: datetime


class RepetitionView(BaseModel):
    """What is kept of the game or spot to be asked again."""

    file: str
    """For `errai drill --repeat`."""
    kept: int
    due: int
    next_day: datetime | None
    coming: list[ComingView]
    """Those that come again first."""


class DrillSummary(Kept):
    """A round in the list of all."""

    id: str
    title: str
    created: str
    modified: float
    """Seconds since 1970."""
    solution: str | None = None
    review: str | None = None
    count: int = 0
    """Questions at most."""
    over: bool = False
    totals: TotalsView | None = None
    damaged: str = ""
    """What is wrong with its file, and what to do; empty if nothing is."""


class DrillView(DrillSummary):
    """A round as it stands."""

    seed: int
    repetition: RepetitionView | None
    """Null without repetition, and for a review with many spots."""
    question: QuestionView | None
    """What is asked now; null if the round is over, or no question was found."""
    error: str
    """Why no question was found; empty if there is one or the round is over."""


def totals_view(answers: list[Answered]) -> TotalsView:
    """Return the totals of answers."""
    mbb = [one.loss_mbb for one in answers]
    known = [one for one in mbb if one is not None]
    rights = groupby(one.grade is Grade.RIGHT for one in answers)
    streaks = [len(list(alike)) if right else 0 for right, alike in rights]
    return TotalsView(
        answers=len(answers),
        streak=streaks[-1] if streaks else 0,
        longest_streak=max(streaks, default=0),
        **{kind.value: sum(one.grade is kind for one in answers) for kind in Grade},
        loss_pot_percent=_mean(answers),
        loss_mbb=sum(known) if len(known) == len(mbb) else None,
        by_street=_sums(answers, "street"),
        by_line=_sums(answers, "line"),
    )


def _mean(answers: Iterable[Answered]) -> float | None:
    known = [one.pot_percent for one in answers if one.pot_percent is not None]
    return sum(known) / len(known) if known else None


def _sums(answers: list[Answered], name: str) -> list[DrillSum]:
    groups = defaultdict[str, list[Answered]](list)
    for one in answers:
        groups[attrgetter(name)(one.decision)].append(one)
    found = [
        DrillSum(
            name=key,
            decisions=len(group),
            right=sum(one.grade is Grade.RIGHT for one in group),
            loss_pot_percent=_mean(group),
        )
        for key, group in groups.items()
    ]
    return sorted(found, key=lambda one: -(one.loss_pot_percent or 0.0) * one.decisions)


def answer_view(answered: Answered) -> AnswerView:
    """Return an answer as the API shows it."""
    one = answered.decision
    best = max(one.ev_chips.values(), default=0.0)
    actions = [
        ActionGrade(
            action=action,
            frequency=frequency,
            ev_chips=(ev := one.ev_chips.get(action)),
            loss_chips=None if ev is None else best - ev,
        )
        for action, frequency in one.probabilities.items()
    ]
    same = ("line", "street", "action", "best", "pot_chips", "line_reached", "unconverged_chips")
    return AnswerView(
        **{name: getattr(one, name) for name in same},
        number=one.hand,
        again=answered.again,
        solution=answered.solution,
        board=list(split_cards(one.board)),
        hand=list(split_cards(one.cards)),
        player_name=one.player,
        grade=answered.grade,
        words=answered.words,
        loss_chips=one.loss_chips if one.ev_chips else None,
        loss_pot_percent=100.0 * one.loss_chips / one.pot_chips if one.ev_chips else None,
        loss_mbb=answered.loss_mbb,
        counted=one.is_counted,
        actions=actions,
    )


def decision_of(opened: Opened, asked: Asked) -> SolutionNode:
    """Return the decision of a question.  Raises :class:`LineError` if the solution has none with this hand."""
    node = opened.at(asked.line)
    check_asked(node, asked.hand)
    return node


def question_view(opened: Opened, asked: Asked, number: int) -> QuestionView:
    """Return a question as the API shows it."""
    node = decision_of(opened, asked)
    assert node.player is not None
    deck, betting, player = node.solution.deck, node.solution.tree.betting, node.player
    view = node_view(node, tuple(deck.parse_cards(asked.hand)), "")
    before = betting.contributions[node.node, player]
    actions = [
        ChoiceView(
            action=action,
            chips=betting.in_parts(float(betting.contributions[child, player] - before)),
            pot_percent=None if share is None else share.percent,
            all_in=all_in,
            colour=colour,
        )
        for action, child, share, all_in, colour in zip(
            node.actions,
            betting.children(node.node),
            node.shares,
            node.all_in,
            action_colours(node.actions, node.all_in),
            strict=True,
        )
    ]
    return QuestionView(
        number=number,
        again=asked.again,
        solution=asked.solution,
        line=asked.line,
        street=view.line[-1][0],
        board=list(view.board),
        board_places=view.board_places,
        hand=list(split_cards(asked.hand)),
        player=player,
        player_name=node.player_name,
        pot_chips=node.pot_chips,
        to_call_chips=node.to_call_chips,
        seats=[SeatModel.model_validate(one, from_attributes=True) for one in view.seats],
        streets=street_models(view),
        actions=actions,
    )


class Drills:
    """The rounds of a folder.

    What takes a name raises :class:`InputError` or :class:`UnknownNameError` if there is none, and
    :class:`ArtefactError` if its file is damaged, or cannot be written; what opens a solution raises as
    :class:`~errai.web.library.Library`.
    """

    def __init__(self, workspace: Workspace, library: Library, jobs: JobStore) -> None:
        self.workspace, self.library, self.jobs = workspace, library, jobs
        self._mutex = threading.Lock()
        self._locks = defaultdict[str, threading.Lock](threading.Lock)
        self._summaries: dict[str, tuple[Stamp, DrillSummary]] = {}

    # --- the list ----------------------------------------------------------------------------------------------------

    def summaries(self) -> list[DrillSummary]:
        """Return all rounds, the last one used first; one whose file is damaged says so."""
        found = map(self._summary, self.workspace.names("drills", DRILL))
        return sorted((one for one in found if one is not None), key=lambda one: -one.modified)

    def _summary(self, name: str) -> DrillSummary | None:
        path = self.workspace.folder / "drills" / f"{name}{DRILL}"
        try:
            at = stamp(path.lstat())
        except OSError:
            return None
        known = self._summaries.get(name)
        if known is not None and known[0] == at:
            return known[1]
        try:
            one = DrillSummary(**self._about(name, self._read(name)))
        except UnknownNameError:
            return None
        except (ArtefactError, InputError) as error:
            damaged = f"This drill is damaged. {error} Delete it, or put the file back."
            return DrillSummary(id=name, title=name, created="", modified=at[2] / 1e9, damaged=damaged)
        self._summaries[name] = at, one
        return one

    def _about(self, name: str, drill: DrillFile) -> dict[str, Any]:
        path = self.workspace.path("drills", name, DRILL)
        return {
            **{key: getattr(drill, key) for key in ("title", "created", "count", "over")},
            "id": name,
            "modified": path.stat().st_mtime,
            "solution": drill.request.solution,
            "review": drill.request.review,
            "totals": totals_view(drill.answers),
        }

    # --- files -------------------------------------------------------------------------------------------------------

    def _lock(self, name: str) -> threading.Lock:
        with self._mutex:
            return self._locks[name]

    def _read(self, name: str) -> DrillFile:
        path = self.workspace.existing("drills", name, DRILL)
        found = files.read_as(DrillFile, path)
        if found is None:
            raise unknown("drills", name)
        return found

    def _write(self, name: str, drill: DrillFile) -> None:
        write_file(self.workspace.path("drills", name, DRILL), drill.model_dump_json())

    def _repetition(self, subject: Subject) -> Path:
        return self.workspace.path("drills", subject.digest()[:16], REPEAT)

    def delete(self, name: str) -> None:
        """Delete a round; what is kept to be asked again stays."""
        with self._lock(name):
            path = self.workspace.folder / "drills" / f"{files.checked_name(name)}{DRILL}"
            if not path.exists() and not path.is_symlink():
                raise unknown("drills", name)
            files.remove(path)
            self._summaries.pop(name, None)
        with self._mutex:
            self._locks.pop(name, None)

    # --- rounds ------------------------------------------------------------------------------------------------------

    def create(self, request: DrillRequest) -> DrillView:
        """Make a round, and choose its first question.

        Raises also :class:`BusyError` if there are too many; :class:`InputError` and :class:`LineError` if there is no
        such decision, or the options contradict each other.
        """
        if len(self.workspace.names("drills", DRILL)) >= MOST_DRILLS:
            raise BusyError(f"There are {MOST_DRILLS:,} drills, the most that a folder may have; delete some of them.")
        if (request.solution is None) == (request.review is None):
            raise InputError("Name one thing to drill: a solution, or the review whose mistakes are asked.")
        if request.repeat and importlib.util.find_spec("fsrs") is None:
            raise InputError("To ask again on later days needs the extra 'drill' of Errai: pip install 'errai[drill]'.")
        if request.review is not None:
            left, about = self._mistakes(request), f"mistakes of {request.review}"
        else:
            assert request.solution is not None
            left, about = [], self.library.described(request.solution).view.title
        if request.repeat:
            names = dict.fromkeys(one.solution for one in left) if request.solution is None else [request.solution]
            due = [one for name in names for one in self._due(name, request.whole)]
            left = [*due, *(one for one in left if not any(one.question == other.question for other in due))]
        seed = secrets.randbits(32) if request.seed is None else request.seed
        count = request.count if request.review is None else min(request.count, len(left))
        drill = DrillFile(
            request=request, title=request.title or about, created=now(), seed=seed, count=count, left=left
        )
        self._ask(drill)
        if drill.waiting is None:
            raise InputError("No decision of the review is in its solutions any more; make the review again.")
        name = new_name(request.solution or request.review or "")
        self._write(name, drill)
        return self.view(name)

    def _mistakes(self, request: DrillRequest) -> list[Asked]:
        """Return the mistakes of a review, those whose loss is counted."""
        assert request.review is not None
        if given := [key for key in ("player", "street", "line", "boards") if getattr(request, key) not in (None, [])]:
            raise InputError(f"The mistakes of a review are asked as they are; leave {' and '.join(given)} out.")
        asked, found = read_review(self.jobs, request.review)
        against = asked.settings.against or ""
        mistakes = [
            Asked(solution=one.solution or against, line=one.line, hand=one.cards)
            for one in found.greatest
            if one.counted
        ]
        if not mistakes:
            raise InputError("There is no mistake in this review whose loss is counted.")
        # The same decision may have been met several times.
        unique = {(one.solution, one.line, one.hand): one for one in mistakes}
        return list(unique.values())[:MOST_QUESTIONS]

    def _due(self, solution: str, whole: bool) -> list[Asked]:
        """Return what is due again today and is in a solution."""
        try:
            subject = self.library.described(solution).subject
        except UnknownNameError:
            return []
        if subject is None or not (path := self._repetition(subject)).exists():
            return []
        with locked_repetition(path):
            due = [Question(line, hand, again=True) for line, hand in Repetition(path, subject).due()]
        if not due:
            return []
        with self.library.opened(solution, whole=whole) as opened:
            known = [one for one in due if is_known(opened.solution, one)]
        return [Asked(solution=solution, line=one.line, hand=one.hand, again=True) for one in known]

    def _ask(self, drill: DrillFile) -> None:
        """Choose the next question, unless one waits or the round is over."""
        while drill.waiting is None and not drill.over:
            if drill.left:
                one = drill.left.pop(0)
                if drill.request.solution is not None or self._is_known(one, drill.request.whole):
                    drill.waiting = one
            else:
                drill.waiting = self._drawn(drill)

    def _is_known(self, asked: Asked, whole: bool) -> bool:
        """Return whether a mistake is still in its solution, which may have been deleted or replaced since."""
        try:
            with self.library.opened(asked.solution, whole=whole) as opened:
                return is_known(opened.solution, asked.question)
        except UnknownNameError:
            return False

    def _drawn(self, drill: DrillFile) -> Asked:
        """Draw a question that has not been asked again in this round."""
        request = drill.request
        assert request.solution is not None
        chosen = {"seed": drill.seed, "player": request.player, "street": request.street, "line": request.line or ""}
        key = (*chosen.items(), *request.boards)
        asked = {(one.decision.line, one.decision.cards) for one in drill.answers if one.again}
        with self.library.opened(request.solution, whole=request.whole) as opened:
            draw = opened.draws.get_or_make(key, lambda: drawer(opened.solution, request.boards, **chosen))
            for _ in range(MOST_ALIKE):
                found = draw(drill.drawn)
                drill.drawn += 1
                if (found.line, found.hand) not in asked:
                    break
        return Asked(solution=request.solution, line=found.line, hand=found.hand)

    def view(self, name: str) -> DrillView:
        """Return a round as it stands, with the question that waits; if none does, the next one is chosen."""
        with self._lock(name):
            drill, error = self._read(name), ""
            question = repetition = None
            try:
                if drill.waiting is None and not drill.over:
                    self._ask(drill)
                    self._write(name, drill)
                if (asked := drill.waiting) is not None:
                    with self.library.opened(asked.solution, whole=drill.request.whole) as opened:
                        question = question_view(opened, asked, len(drill.answers) + 1)
                if drill.request.repeat and drill.request.solution is not None:
                    repetition = self._repetition_view(drill.request.solution)
            except (InputError, UnknownNameError, ArtefactError) as fault:
                error = str(fault)
        return DrillView(
            **self._about(name, drill), seed=drill.seed, repetition=repetition, question=question, error=error
        )

    def _repetition_view(self, solution: str) -> RepetitionView | None:
        subject = self.library.described(solution).subject
        if subject is None:
            return None
        path = self._repetition(subject)
        kept = Repetition(path, subject)
        coming = [
            ComingView(line=line, hand=list(split_cards(hand)), due=due)
            for due, line, hand in kept.coming()[:MOST_COMING]
        ]
        return RepetitionView(
            file=str(path), kept=len(kept), due=len(kept.due()), next_day=kept.next_day(), coming=coming
        )

    def answer(self, name: str, number: int, text: str) -> tuple[AnswerView, DrillSummary]:
        """Grade an answer to the question that waits, and keep it.

        Raises :class:`StaleError` if it is to another question, :class:`IllegalActionError` if there is no such
        action, and :class:`RunInUseError` if a drill at the terminal uses the file of repetitions.
        """
        with self._lock(name):
            drill = self._read(name)
            asked = drill.waiting
            if asked is None or number != len(drill.answers) + 1:
                raise StaleError(f"Question {number:,} is not the one that waits; look at the drill again.")
            with self.library.opened(asked.solution, whole=drill.request.whole) as opened:
                node = decision_of(opened, asked)
                found = self._graded(opened, node, asked, read_choice(text, node), number)
                if drill.request.repeat:
                    path, subject = self._repetition(opened.solution.subject), opened.solution.subject
                    with locked_repetition(path):
                        Repetition(path, subject).record(asked.line, asked.hand, found.grade.value)
            drill.waiting = None
            drill.answers.append(found)
            self._write(name, drill)
            return answer_view(found), DrillSummary(**self._about(name, drill))

    def _graded(self, opened: Opened, node: SolutionNode, asked: Asked, taken: int, number: int) -> Answered:
        solution = opened.solution
        cards = solution.deck.parse_cards(asked.hand)
        decision = reviewed_decision(node, cards, taken, hand=number, player=node.player_name)
        units = Units.of(solution.subject, solution.initial_pot_chips)
        return Answered(
            solution=asked.solution,
            again=asked.again,
            words=answer_words(decision, units),
            loss_mbb=units.mbb(decision.counted_chips) if decision.ev_chips else None,
            decision=decision,
        )

    def answers(self, name: str) -> list[Answered]:
        """Return all answers of a round, the first one first."""
        return self._read(name).answers
