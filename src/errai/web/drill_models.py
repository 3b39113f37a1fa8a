"""Drills as requests and answers have them, and the file of a round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from errai.arena.drill import Grade, Question, check_asked, grade
from errai.arena.review import ReviewedDecision
from errai.pictures.nodes import split_cards
from errai.pictures.palette import action_colours
from errai.pictures.play import node_view
from errai.solutions.node import SolutionNode
from errai.tree.lines import percents_of
from errai.web.files import NAME_PATTERN
from errai.web.library import Opened
from errai.web.models import Body, Kept
from errai.web.table import SeatModel, StreetModel, street_models

MOST_QUESTIONS = 1_000

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
    facing_bet: bool = False
    """Only decisions against a bet or a raise."""
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


class DueView(BaseModel):
    """A solution whose decisions come again today."""

    solution: str
    title: str
    due: int


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
            action_colours(node.actions, node.all_in, percents_of(node.shares)),
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
