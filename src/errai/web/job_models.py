"""What jobs say of their progress and of what they have found, by kind, for the document of the API.

A worker writes both as JSON, and the server sends them on as they are: nothing here is read or checked when it runs.
``tests/web/test_schema.py`` holds what jobs of every kind write against these models.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from errai.web.library import ExploitabilityView


class NetPreparing(BaseModel):
    """A solve that prepares the boards of a network."""

    prepared: int
    to_prepare: int


class SolvePoint(BaseModel):
    """How a solve stands; exploitabilities are null before the first measurement."""

    iteration: int
    seconds: float
    built: float
    """How much of the tree is built, from 0 to 1."""
    measured_at: int
    """The iteration after which it was measured last."""
    exploitability_chips: float | None
    exploitability_pot_percent: float | None
    exploitability_mbb: float | None
    target_pot_percent: float | None
    measuring: str | None = None
    """The exact solve that says what a network costs, where one runs."""


class NetCost(BaseModel):
    """What a network costs in the whole game."""

    pot_percent: float
    least_pot_percent: float
    most_pot_percent: float


class NotMeasured(BaseModel):
    """Why that was not measured."""

    error: str


class SolveResult(BaseModel):
    """What a solve has found."""

    status: str
    advice: str
    iterations: int
    seconds: float
    exploitability: ExploitabilityView
    values_chips: list[float]
    precision: str
    information_sets: int
    memory_bytes: int
    net: str | None
    cost: NetCost | NotMeasured | None = None


class IntervalView(BaseModel):
    """A mean and its 95 % interval, by the name of its measure; null is not known."""

    name: str
    mean: float | None
    low: float | None
    high: float | None


class MatchPoint(BaseModel):
    """How a match or a measurement stands."""

    hands: int
    hands_wanted: int
    seconds: float
    seconds_left: float
    unit: str
    measures: list[IntervalView]


class MatchResult(BaseModel):
    """What a match has found: that of `GET matches/NAME`, in short."""

    game: str
    players: list[str]
    status: str
    hands: int
    hands_wanted: int
    unit: str
    measures: list[IntervalView]


class ReportPoint(BaseModel):
    """How a report stands."""

    flops: int
    flops_wanted: int
    seconds: float
    seconds_left: float | None


class ReportResult(BaseModel):
    """What a report has come to."""

    report: str
    flops: int
    flops_wanted: int
    exploitability_pot_percent: float | None = None
    """The largest of its flops."""


class SpotsPoint(BaseModel):
    """How a review by charts stands."""

    spots: int
    spots_wanted: int
    title: str
    """The spot that is being solved, such as `BTN against BB, 9c8d3h`."""


class HandsPoint(BaseModel):
    """How a review against a solution stands."""

    hands: int
    hands_wanted: int


class ReviewResult(BaseModel):
    """What a review has found, in short."""

    hands: int
    decisions: int
    loss_chips: float
    loss_mbb: float | None
    not_counted: int
    unit: Literal["bb", "chips"]
