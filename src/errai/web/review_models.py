"""What the API answers about reviews, and the file in the folder of its job that it reads for it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, computed_field

from errai.errors import InputError, UnknownNameError
from errai.pictures.palette import action_colours
from errai.running.recent import Recent
from errai.web import files
from errai.web.files import Stamp, stamp
from errai.web.job_files import ENDED
from errai.web.jobs import JobStore, JobView
from errai.web.kinds.review import REVIEW, AskedReview

MOST_BYTES = 64 << 20
"""The longest review that is read."""

_read: Recent[tuple[Path, Stamp], ReviewFile] = Recent(4)


class SumView(BaseModel):
    """Decisions together, and what they lost by the losses that are counted; by what they are gathered is named."""

    model_config = ConfigDict(extra="ignore")
    decisions: int
    loss_chips: float
    loss_mbb: float | None


class PlayerSum(SumView):
    """The decisions of a player."""

    player: str


class StreetSum(SumView):
    """The decisions on a street."""

    street: str


class LineSum(SumView):
    """The decisions after a line."""

    line: str


class ClassSum(SumView):
    """The decisions with the hands of a class, such as AKs."""

    hand_class: str = Field(alias="class")


class FaultView(BaseModel):
    """Something of the file that could not be read."""

    line: int | None
    reason: str


class DecisionView(BaseModel):
    """A decision, as `errai review --json` has it; amounts are in the unit of the review."""

    hand: int
    """The number of the hand, as its history has it."""
    player: str
    cards: str
    hand_class: str = Field(alias="class")
    board: str
    street: str
    line: str
    """The line to the decision: the node of `solution` at which it was made."""
    played: str
    """What was done, in the unit of the review."""
    action: str
    """The action of the solution that stands for it."""
    mapped: bool
    best: str
    ev_chips: dict[str, float]
    """The EV of each action; one whose EV is not known is missing."""
    probabilities: dict[str, float]
    """How often the solution takes each action with this hand."""
    loss_chips: float
    loss_mbb: float | None
    counted: bool
    """Whether the loss is larger than what the solution itself may be wrong by there."""
    line_reached: float
    unconverged_chips: float
    pot_chips: float
    solution: str
    """The name of the solution, for `GET solutions/NAME/node?line=...`."""
    pot_percents: dict[str, float] = {}
    """Bets and raises in per cent of the pot."""
    all_in: list[str] = []
    """Actions that put the player all-in."""

    @computed_field
    def colours(self) -> dict[str, str]:
        """Return the colour of each action in pictures."""
        actions = list(dict.fromkeys([*self.probabilities, *self.ev_chips]))
        all_in, percents = [one in self.all_in for one in actions], [self.pot_percents.get(one) for one in actions]
        return dict(zip(actions, action_colours(actions, all_in, percents), strict=True))


class Summed(BaseModel):
    """The sums of a review."""

    hands: int
    """Hands with at least one decision that was reviewed."""
    decisions: int
    loss_chips: float
    loss_mbb: float | None
    not_counted: int
    """Decisions whose loss is not counted, because the solution has not converged that far there."""
    by_player: list[PlayerSum]
    by_street: list[StreetSum]
    by_line: list[LineSum]
    by_class: list[ClassSum]
    left_out: dict[str, int]
    """Why hands, or the rest of hands, were not reviewed, and how many."""
    read: int
    """Hands of the file that were read."""
    not_read: list[FaultView]
    """Hands that could not be read, and text that belongs to no hand; 1,000 at most."""
    unit: Literal["bb", "chips"]
    """The unit of all amounts: big blinds with charts, else the chips of the solution."""


class ReviewFile(Summed):
    """What the file of a review says."""

    greatest: list[DecisionView]


class ReviewView(Summed):
    """What a review has found: the sums.  Of a job that was stopped they are of what was reviewed until then."""

    job: JobView
    against: str | None
    charts: str | None


class DecisionsView(BaseModel):
    """Decisions of a review, the greatest loss first."""

    decisions: list[DecisionView]
    total: int
    """How many there are with what was asked for."""


def read_review(jobs: JobStore, name: str) -> tuple[AskedReview, ReviewFile]:
    """Return what a review was asked for and has found.

    Raises :class:`UnknownNameError` if the job has found nothing yet, :class:`InputError` if it is another one.
    """
    folder = jobs.folder(name)
    view = jobs.view(name)
    if view.kind not in ("review", "unknown"):
        raise InputError(f"This job is a {view.kind}, not a review.")
    asked = files.required(files.read_as(AskedReview, folder / "request.json"), folder / "request.json")
    path = folder / REVIEW
    try:
        key = path, stamp(path.lstat())
    except FileNotFoundError:
        when = "has found nothing" if view.state in ENDED else "has not ended yet"
        raise UnknownNameError(f"The review {name!r} {when}; its job says why.") from None
    found = _read.get_or_make(key, lambda: files.required(files.read_as(ReviewFile, path, MOST_BYTES), path))
    return asked, found
