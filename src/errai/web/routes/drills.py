"""Drills: rounds of questions, and what the answers are worth."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from errai.web.drill_models import (
    MOST_QUESTIONS,
    AnswerView,
    DrillRequest,
    DrillSummary,
    DrillView,
    DueView,
    answer_view,
)
from errai.web.models import Body
from errai.web.routes import Name, TheServices

router = APIRouter(prefix="/drills", tags=["drills"])


class DrillsView(BaseModel):
    """All rounds, the last one used first."""

    drills: list[DrillSummary]
    due: list[DueView]


class AnswerRequest(Body):
    """An answer, and the number of the question that the page shows."""

    number: Annotated[int, Field(ge=1, le=MOST_QUESTIONS)]
    action: Annotated[str, Field(min_length=1, max_length=60)]
    """The name of an action, its place counted from 1, or a short form such as `f`, `k`, `c`, `b50`, `r 33%`, `a`."""


class AnsweredView(BaseModel):
    """What an answer is worth, and the round with it; `GET drills/ID` has the next question."""

    answer: AnswerView
    drill: DrillSummary


class AnswersView(BaseModel):
    """Answers of a round, the last one first."""

    answers: list[AnswerView]
    total: int


@router.get("")
def list_drills(services: TheServices) -> DrillsView:
    """List all rounds, the last one used first."""
    return DrillsView(drills=services.drills.summaries(), due=services.drills.due())


@router.post("", status_code=201)
def make_drill(services: TheServices, body: DrillRequest) -> DrillView:
    """Make a round, and ask its first question."""
    return services.drills.create(body)


@router.get("/{drill}")
def show_drill(services: TheServices, drill: Name) -> DrillView:
    """Show a round with the question that waits; the next one is chosen here, so it may take a moment."""
    return services.drills.view(drill)


@router.delete("/{drill}", status_code=204)
def delete_drill(services: TheServices, drill: Name) -> None:
    """Delete a round; what is kept to be asked again on later days stays."""
    services.drills.delete(drill)


@router.post("/{drill}/answers")
def answer(services: TheServices, drill: Name, wanted: AnswerRequest) -> AnsweredView:
    """Grade an answer and keep it; 409 if its question is not the one that waits."""
    found, summary = services.drills.answer(drill, wanted.number, wanted.action)
    return AnsweredView(answer=found, drill=summary)


@router.get("/{drill}/answers")
def list_answers(
    services: TheServices,
    drill: Name,
    skip: Annotated[int, Query(ge=0, le=MOST_QUESTIONS)] = 0,
    count: Annotated[int, Query(ge=1, le=200)] = 50,
) -> AnswersView:
    """List what has been answered, the last one first."""
    found = services.drills.answers(drill)[::-1]
    return AnswersView(answers=[answer_view(one) for one in found[skip : skip + count]], total=len(found))
