"""What the API answers about solutions and their nodes."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from errai.web.library import ExploitabilityView, SolutionView


class SolutionsView(BaseModel):
    """All solutions, the newest first."""

    solutions: list[SolutionView]


class OptionView(BaseModel):
    """An action that could be taken at a decision on the line."""

    step: str
    label: str
    colour: str
    frequency: float | None
    taken: bool


class ColumnView(BaseModel):
    """A step of the line: a decision with its options, or cards that were dealt."""

    line: str
    """The line to the node at which the step is taken."""
    street: str
    pot_chips: float
    kind: Literal["action", "card"]
    player: int | None
    player_name: str
    options: list[OptionView]
    card: str | None
    """One card, or all cards of a flop; null for an action."""


class ActionView(BaseModel):
    """An action at the node, over the whole range."""

    step: str
    label: str
    colour: str
    all_in: bool
    frequency: float | None
    ev_chips: float | None


class RangesView(BaseModel):
    """Means over all pairs of hands, for player 0 and 1; null where they are not known."""

    ev_chips: list[float | None]
    equity: list[float | None]
    equity_realised: list[float | None]


class CertificateView(BaseModel):
    """How exploitable the solution is; numbers are null if that is not certified yet."""

    text: str
    pot_percent: float | None
    mbb: float | None
    chips: float | None
    cut: bool
    """Whether the numbers are those of the game that is cut after a street, with the values of a network there."""
    status: str
    checked: Literal["file", "part"]
    """Whether the whole file was read and checked, or only the parts that are shown."""


Rows = list[list[float | None]]


class ClassMeansView(BaseModel):
    """Means of a player over the hands of each class, weighted by how often the player gets here with them."""

    weight: list[float]
    """The mean weight of the hands that the board leaves."""
    ev_chips: list[float | None]
    equity: list[float | None]
    equity_realised: list[float | None]
    shares: Rows | None
    """The frequency of each action; null where the player does not act."""
    action_ev_chips: Rows | None


class ClassesView(BaseModel):
    """Classes of hands, row by row: the square of two-card hands, a grid of cards, or each hand by itself."""

    columns: int
    """The length of a row."""
    labels: list[str]
    possible: list[int]
    """How many hands of each class the board leaves."""
    of_hands: list[int]
    """The class of each of `hands`, as a place in `labels`."""
    players: list[ClassMeansView]


class NodeView(BaseModel):
    """A node of a solution.  Arrays by hand are in the order of `hands`; players are 0 and 1; null is not known."""

    solution: str
    title: str
    line: str
    columns: list[ColumnView]
    street: str
    board: list[str]
    cards: list[str]
    """All cards of the deck."""
    kind: Literal["decision", "chance", "showdown", "fold", "leaf"]
    player: int | None
    player_name: str
    player_names: list[str]
    pot_chips: float
    to_call_chips: float
    stacks_chips: list[float | None]
    """None in games without a limit on stacks."""
    sunk_chips: list[float]
    """Chips that `ev_chips` subtracts: none in spots, in games all that a player has put in."""
    actions: list[ActionView]
    deals: list[str]
    """The cards that can come; empty if no card is dealt here."""
    deal_count: int
    """How many of them come at once: 3 on a flop."""
    ranges: RangesView
    classes: ClassesView
    hands: list[str]
    """The hands that a player may hold here."""
    weights: Rows
    """By player and hand."""
    strategy: Rows | None
    """By hand and action; null if no player acts."""
    ev_chips: Rows
    equity: Rows
    equity_realised: Rows
    action_ev_chips: Rows | None
    locked: dict[str, dict[str, float] | str]
    """What is locked here: hands with the frequency of each action, or `best`."""
    reached: float
    unconverged: float | None
    why_no_ev: str
    reads_more: bool
    """Whether EVs that are not known here are known if the whole file is read."""
    why_no_equity: str
    certificate: CertificateView
    command: str


class HandView(BaseModel):
    """A hand at a node; null for a player who cannot hold it and for what is not known."""

    hand: str
    weights: list[float]
    ev_chips: list[float | None]
    equity: list[float | None]
    equity_realised: list[float | None]
    strategy: dict[str, float] | None
    action_ev_chips: dict[str, float] | None


class HandsView(BaseModel):
    """Some hands at a node, as `errai show --hand --json` has them."""

    line: str
    hands: list[HandView]


class RunOutActionView(BaseModel):
    """An action of the player who acts after the deal."""

    label: str
    colour: str
    all_in: bool


class RunOutView(BaseModel):
    """Deals that are strategically equivalent; null is not known."""

    deals: list[str]
    probability: float | None
    """That one of them comes, if both players take the line."""
    frequencies: list[float | None]
    """By action."""
    ev_chips: list[float | None]
    """Of the ranges of player 0 and 1."""
    equity: list[float | None]


class RunOutsView(BaseModel):
    """What follows each card that can come after a line."""

    solution: str
    line: str
    board: str
    pot_chips: float
    player: int | None
    """Who acts after the deal; null if nobody has a choice."""
    player_name: str
    player_names: list[str]
    actions: list[RunOutActionView]
    rows: list[RunOutView]
    mean: RunOutView
    """Over all deals, weighted by their probabilities."""
    why_no_ev: str
    why_no_equity: str
    command: str


class ComparedActionView(BaseModel):
    """An action in both nodes; a difference is the second less the first."""

    label: str
    colour: str
    all_in: bool
    offered: list[bool]
    """Whether each node has it."""
    frequency: list[float | None]
    frequency_difference: float | None
    ev_chips: list[float | None]
    ev_difference_chips: float | None


class ComparedRangesView(BaseModel):
    """Means over all pairs of hands, by node and player; differences by player."""

    ev_chips: Rows
    ev_difference_chips: list[float | None]
    equity: Rows
    equity_difference: list[float | None]


class ComparisonView(BaseModel):
    """Two nodes side by side.  Arrays by hand are in the order of `hands`; differences are the second less the first.

    A frequency is 0 and an EV null for an action that a node does not have.
    """

    solutions: list[str]
    titles: list[str]
    lines: list[str]
    board: list[str]
    player: int | None
    player_name: str
    player_names: list[str]
    pot_chips: list[float]
    sunk_chips: list[list[float]]
    """By node and player: chips that `ev_chips` subtracts, as in a node."""
    actions: list[ComparedActionView]
    ranges: ComparedRangesView
    classes: list[ClassesView]
    hands: list[str]
    weights: list[Rows]
    """By node, player and hand."""
    strategies: list[Rows]
    """By node, hand and action."""
    strategy_difference: Rows
    """By hand and action."""
    ev_chips: list[Rows]
    """By node, player and hand."""
    ev_difference_chips: Rows
    """By player and hand."""
    equity: list[Rows]
    """By node, player and hand."""
    action_ev_chips: list[Rows]
    """By node, hand and action."""
    action_ev_difference_chips: Rows
    certificates: list[CertificateView]
    commands: list[str]
    """The commands that show each node."""


class DifferenceView(BaseModel):
    """A number of the certificate that differs from the recomputed one."""

    name: str
    certificate: float | None
    recomputed: float | None
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


class SolvedGame(BaseModel):
    """A game of the catalogue."""

    game: str


class SolvedSpot(BaseModel):
    """A spot, as the text of its file."""

    spot: str


class SpotSettings(BaseModel):
    """Settings with which the solution was made; null for those that were not given."""

    target: str | None
    menu: str | None
    net: str | None
    """The name of what estimated the values after the first street."""
    locks: str | None
    """The text of a file of locks."""


class SpotView(BaseModel):
    """What a solution is of, to be solved again."""

    subject: SolvedGame | SolvedSpot
    settings: SpotSettings


class LockView(BaseModel):
    """The strategy at a decision as the text of a file of locks (docs/spots.md)."""

    line: str
    locks: str
