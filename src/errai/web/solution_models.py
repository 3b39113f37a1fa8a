"""What the API answers about solutions and their nodes: numbers rounded to six significant digits, and null for NaN."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import BaseModel, BeforeValidator, Field

from errai.solutions.export import number_for_json
from errai.web.library import ExploitabilityView, SolutionView
from errai.web.models import Body, GameSubject, SpotSubject

DIGITS = 6


def rounded(values: ArrayLike) -> Any:
    """Round numbers to six significant digits, and return them as lists of floats, with None for NaN."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except TypeError as error:  # A file that is read back may have anything in their place.
        raise ValueError("these are no numbers") from error
    known = np.isfinite(given) & (given != 0.0)
    exponent = np.zeros(given.shape)
    exponent[known] = np.floor(np.log10(np.abs(given[known])))
    places = np.clip(DIGITS - 1 - exponent, -300.0, 300.0)
    scale = 10.0 ** np.abs(places)
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.where(places >= 0, np.round(given * scale) / scale, np.round(given / scale) * scale)
    boxed = np.where(np.isfinite(given), found, 0.0).astype(object)
    boxed[~np.isfinite(given)] = None
    return boxed.tolist()


# Whole arrays are rounded at once: an array of each type is given, and its numbers are sent.
Known = Annotated[float, BeforeValidator(rounded)]
Number = Annotated[float | None, BeforeValidator(rounded)]
Weights = Annotated[list[float], BeforeValidator(rounded)]
Row = Annotated[list[float | None], BeforeValidator(rounded)]
Rows = Annotated[list[list[float | None]], BeforeValidator(rounded)]
ManyRows = Annotated[list[list[list[float | None]]], BeforeValidator(rounded)]
Finite = Annotated[float | None, BeforeValidator(number_for_json)]
Counts = Annotated[list[int], BeforeValidator(np.ndarray.tolist)]


class SolutionsView(BaseModel):
    """All solutions, the newest first."""

    solutions: list[SolutionView]


class OptionView(BaseModel):
    """An action that could be taken at a decision on the line."""

    step: str
    label: str
    colour: str
    all_in: bool
    frequency: Number
    taken: bool


class ColumnView(BaseModel):
    """A step of the line: a decision with its options, or cards that were dealt."""

    line: str
    """The line to the node at which the step is taken."""
    street: str
    pot_chips: Known
    kind: Literal["action", "card"]
    player: int | None
    player_name: str
    options: list[OptionView]
    card: str | None
    """One card, or all cards of a flop; null for an action."""
    locked: bool
    """Whether the strategy of some hands is locked at the decision."""


class LabelView(BaseModel):
    """An action as it is shown."""

    label: str
    colour: str
    all_in: bool


class ActionView(LabelView):
    """An action at the node, over the whole range."""

    step: str
    frequency: Number
    ev_chips: Number
    pot_percent: Number
    """A bet or raise in per cent of the pot, as in a menu of sizes; null for other actions and in limit games."""


class RangesView(BaseModel):
    """Means over all pairs of hands, for player 0 and 1; null where they are not known."""

    ev_chips: Row
    equity: Row
    equity_realised: Row


class CertificateView(BaseModel):
    """How exploitable the solution is; numbers are null if that is not certified yet."""

    text: str
    pot_percent: Number
    mbb: Number
    chips: Number
    cut: bool
    """Whether the numbers are those of the game that is cut after a street, with the values of a network there."""
    status: str
    checked: Literal["file", "part"]
    """Whether the whole file was read and checked, or only the parts that are shown."""


class ClassMeansView(RangesView):
    """Means of a player over the hands of each class, weighted by how often the player gets here with them."""

    weight: Weights
    """The mean weight of the hands that the board leaves."""
    shares: Rows | None
    """The frequency of each action; null where the player does not act."""
    action_ev_chips: Rows | None


class ClassesView(BaseModel):
    """Classes of hands in rows of `columns`: the square of two-card hands, a grid of cards, or each hand by itself."""

    columns: int
    labels: list[str]
    possible: Counts
    """How many hands of each class the board leaves."""
    of_hands: Counts
    """The class of each of `hands`, as a place in `labels`."""
    players: list[ClassMeansView]


class PlayersView(BaseModel):
    """The players, and who acts; null if nobody has a choice."""

    player: int | None
    player_name: str
    player_names: list[str]


class PlaceView(PlayersView):
    """A place in the tree of a solution."""

    solution: str
    line: str
    pot_chips: Known
    why_no_ev: str
    why_no_equity: str
    command: str


class NodeView(PlaceView):
    """A node of a solution.  Arrays are by player (0 and 1) or hand (as in `hands`), then action; null is not known."""

    title: str
    columns: list[ColumnView]
    street: str
    board: list[str]
    cards: list[str]
    """All cards of the deck."""
    kind: Literal["decision", "chance", "showdown", "fold", "leaf"]
    to_call_chips: Known
    stacks_chips: Row
    """None in games without a limit on stacks."""
    sunk_chips: Weights
    """Chips that `ev_chips` subtracts: none in spots, in games all that a player has put in."""
    actions: list[ActionView]
    deals: list[str]
    """The cards that can come, and in `deal_count` how many of them at once; none and 0 if no card is dealt here."""
    deal_count: int
    ranges: RangesView
    classes: ClassesView
    hands: list[str]
    weights: Rows
    strategy: Rows | None
    ev_chips: Rows
    equity: Rows
    equity_realised: Rows
    action_ev_chips: Rows | None
    locked: dict[str, dict[str, float] | str]
    """What is locked here: hands with the frequency of each action, or `best`."""
    locked_hands: Counts
    """The places of these hands in `hands`."""
    big_blind_chips: Number
    """Null in limit games, and in spots that do not name it."""
    reached: Known
    unconverged: Number
    reads_more: bool
    """Whether EVs that are not known here are known if the whole file is read."""
    certificate: CertificateView


class FrequencyView(LabelView):
    """An action and how often it is taken."""

    frequency: Number


class FirstDecisionView(PlayersView):
    """What the player who acts first does with each class of hands, while a solve runs and when it has ended."""

    iteration: int
    seconds: float
    board: list[str] = []
    pot_chips: float
    stacks_chips: Row = []
    """Null in games without a limit on stacks."""
    actions: list[FrequencyView]
    columns: int
    labels: list[str]
    weights: Weights
    """The mean weight of the hands of each class that the board leaves."""
    shares: Rows
    """The frequency of each action by class; null for classes without weight."""


class HandView(RangesView):
    """A hand at a node; null for a player who cannot hold it and for what is not known."""

    hand: str
    weights: Weights
    strategy: dict[str, Known] | None
    action_ev_chips: dict[str, Known] | None


class HandsView(BaseModel):
    """Some hands at a node, as `errai show --hand --json` has them."""

    line: str
    hands: list[HandView]


class NutsView(BaseModel):
    """The strongest hands with the cards that lie: how much of each range is among them, and who has how many."""

    top: float
    """The part of all hands that counts, from the strongest."""
    fractions: Row
    shares: Row


class ReadingView(BaseModel):
    """What both ranges at a node are read by.  Arrays are in the order of the `hands` of the node."""

    line: str
    pair_weights: Rows
    """By player and hand: the weight of all pairs of hands that get here; means over ranges are weighted by it."""
    made: list[str]
    """The categories of made hands, the strongest first."""
    draws: list[str]
    made_of_hands: list[int]
    """The place of each hand in `made`."""
    draws_of_hands: list[int] = []
    """For each hand the sum of 2 to the power of the places of its draws in `draws`."""
    nuts: NutsView | None
    why_no_categories: str = ""


class ResponsesView(BaseModel):
    """How the opponent acts after `step`, or at the node itself if that is empty.  Rows are by hand, then action."""

    step: str
    actions: list[LabelView]
    frequencies: Row
    """Over all hands, as at that node."""
    with_hand: Rows
    """Over the opponent's hands that share no card with the hand."""
    removed: Rows
    """The share of the opponent's hands with this action that the hand removes."""


class BlockersView(BaseModel):
    """What hands of a player take away from the range and the actions of the opponent."""

    line: str
    player: int
    player_names: list[str]
    hands: list[str]
    removed: Row
    """The share of the opponent's range that each hand removes."""
    responses: list[ResponsesView]


class NoteView(BaseModel):
    """A note at a line of a solution."""

    line: str
    text: str


class NotesView(BaseModel):
    """All notes on a solution, in the order of their lines."""

    notes: list[NoteView]


class NoteRequest(Body):
    """A note to be written in place of the one at its line."""

    line: str = Field(default="", max_length=4000)
    text: str = Field(max_length=2000)


class RunOutView(BaseModel):
    """Deals that are strategically equivalent, with the frequencies of all actions; null is not known."""

    deals: list[str]
    probability: Number
    """That one of them comes, if both players take the line."""
    frequencies: Row
    ev_chips: Row
    """Of the ranges of player 0 and 1."""
    equity: Row


class RunOutsView(PlaceView):
    """What follows each card that can come after a line; `player` acts after the deal."""

    board: str
    actions: list[LabelView]
    rows: list[RunOutView]
    mean: RunOutView
    """Over all deals, weighted by their probabilities."""


class ComparedActionView(LabelView):
    """An action, whether each node offers it, and what it is in both; a difference is the second less the first."""

    offered: list[bool]
    frequency: Row
    frequency_difference: Number
    ev_chips: Row
    ev_difference_chips: Number


class ComparedRangesView(BaseModel):
    """Means over all pairs of hands, by node and player; differences by player."""

    ev_chips: Rows
    ev_difference_chips: Row
    equity: Rows
    equity_difference: Row


class ComparisonView(PlayersView):
    """Two nodes side by side.  Arrays by hand are in the order of `hands`; differences are the second less the first.

    A frequency is 0 and an EV null for an action that a node does not have.
    """

    solutions: list[str]
    titles: list[str]
    lines: list[str]
    board: list[str]
    pot_chips: Weights
    sunk_chips: Annotated[list[list[float]], BeforeValidator(rounded)]
    """By node and player, as in a node."""
    actions: list[ComparedActionView]
    ranges: ComparedRangesView
    classes: list[ClassesView]
    hands: list[str]
    weights: ManyRows
    ev_chips: ManyRows
    equity: ManyRows
    """These three by node, player and hand."""
    ev_difference_chips: Rows
    """By player and hand."""
    strategies: ManyRows
    action_ev_chips: ManyRows
    """Both by node, hand and action."""
    strategy_difference: Rows
    action_ev_difference_chips: Rows
    """Both by hand and action."""
    certificates: list[CertificateView]
    commands: list[str]


class DifferenceView(BaseModel):
    """A number of the certificate that differs from the recomputed one."""

    name: str
    certificate: Finite
    recomputed: Finite
    text: str


class VerificationView(BaseModel):
    """The certificate and the result of recomputing it, or the command that recomputes it."""

    certified: bool | None
    """Null if this server does not recompute it, because it would take too long; then `command` does it."""
    text: str
    command: str
    seconds: float | None = None
    tolerance_chips: float | None = None
    certificate: ExploitabilityView | None = None
    recomputed: ExploitabilityView | None = None
    differences: list[DifferenceView] = []


class SpotSettings(BaseModel):
    """Settings of a solve with which the solution was made; null for those that were not given."""

    target: str | None
    menu: str | None
    net: str | None
    locks: str | None


class SpotView(BaseModel):
    """What a solution is of, to be solved again."""

    subject: GameSubject | SpotSubject
    settings: SpotSettings


class LockView(BaseModel):
    """The strategy at a decision as the text of a file of locks (docs/spots.md)."""

    line: str
    locks: str
