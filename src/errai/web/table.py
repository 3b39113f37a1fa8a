"""A table in memory, and how the API shows it: the hand as the user sees it, what they can do, and how it stands."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from errai.agents.agent import StrategicAgent
from errai.agents.resolver import ResolverAgent
from errai.agents.solved import SolvedAgent
from errai.arena.session import Average, Session
from errai.arena.session_file import save_session
from errai.errors import IllegalActionError, StaleError, UnknownNameError
from errai.games.betting import ActionKind
from errai.games.game import UNLIMITED_CHIPS, amount_text
from errai.games.hand import CALL, FOLD, Action, PublicState, raise_to
from errai.pictures import play
from errai.pictures.palette import action_colours
from errai.strategies.tree_walk import OFF_TREE, TreeWalk
from errai.web import thinking
from errai.web.agents import agent_title, blueprint_of
from errai.web.files import Stamp, stamp
from errai.web.table_files import TableRequest, TableSummary

State = Literal["new", "turn", "thinking", "waiting", "over", "failed"]
"""No hand has been dealt; the user acts; the agent thinks; it waits until others have thought; the hand is over; the
agent failed."""

SIZES = ("50%", "75%", "pot", "200%")
"""Bets that have keys of their own, 1 to 4, where no solution says which there are: shares of the pot."""
MOST_SIZES = 9
"""The most bets that have keys."""


class SeatModel(BaseModel):
    """A player at the table."""

    name: str
    cards: list[str]
    """Private cards such as 'Ah'; an empty text is a card that is not shown."""
    stack_chips: float | None = Field(validation_alias="behind_chips")
    """Chips that can still be bet; null if stacks have no limit."""
    bet_chips: float
    dealer: bool
    acts: bool
    note: str
    """The category of the hand, such as 'two pair', if the cards are shown."""


class StreetModel(BaseModel):
    """What was done on a street, such as 'you raise to 300'."""

    street: str
    said: list[str]


def street_models(view: play.TableView) -> list[StreetModel]:
    """Return what was done at a table, street by street."""
    return [StreetModel(street=name, said=said.split("; ") if said else []) for name, said in view.line]


class ChoiceModel(BaseModel):
    """An action that can be taken, and the keys of the keyboard for it."""

    keys: list[str]
    label: str
    action: str
    """The text for ``POST actions``."""
    colour: str
    total_chips: float | None
    """Of a bet or raise: what the user will have put in on this street."""
    pot_percent: float | None
    """Of a bet or raise: what is put in beyond a call, in per cent of the pot after that call."""


class RaiseModel(BaseModel):
    """The bets or raises that are possible, as totals on this street."""

    verb: str
    least_chips: float
    most_chips: float | None
    """null if stacks have no limit."""


class ResultModel(BaseModel):
    """How a hand ended."""

    words: str
    won_chips: float
    without_luck_chips: float | None


class HandModel(BaseModel):
    """A hand as the user sees it."""

    hand: int
    """Its number from 1; ``ply`` is the number of actions so far."""
    ply: int
    pot_chips: float
    board: list[str]
    board_places: int
    seats: list[SeatModel]
    """The opponent, and the user."""
    streets: list[StreetModel]
    result: ResultModel | None


class TableModel(TableSummary):
    """A table."""

    version: int
    state: State
    ahead: int | None
    """While it waits: how many other agents think first."""
    thinking_since: float | None
    """When the agent began to think, in seconds since 1970; null unless it thinks.  It may have waited before."""
    decision_seconds: float | None
    """How long the agent may think, if it keeps a time."""
    error: str | None
    game: str | None
    """Its name in the catalogue; null for a spot or for other stacks."""
    agent: str
    """Its name on the command line."""
    player: str
    seating: Literal["first", "second", "alternate"]
    open: bool
    has_hints: bool
    reviewed_by: str | None
    command: str
    """The command that goes on with this session at the terminal."""
    shown: HandModel | None
    """The hand in progress, or the last one."""
    choices: list[ChoiceModel]
    raises: RaiseModel | None


class ScoreModel(BaseModel):
    """The result of a session."""

    chips: Average
    without_luck: Average | None
    """null without an estimator, or while hands are still to be measured."""
    measure: str
    to_measure: int
    big_blind_chips: float | None
    words: str


class HintActionModel(BaseModel):
    """An action of the advisor."""

    label: str
    probability: float
    all_in: bool
    colour: str


class HintModel(BaseModel):
    """What the advisor does with the user's hand."""

    advisor: str
    hand: int
    ply: int
    actions: list[HintActionModel]
    """Empty if the advisor never comes here with this hand."""
    warning: str


def choice_models(state: PublicState, own: Sequence[Action] = ()) -> tuple[list[ChoiceModel], RaiseModel | None]:
    """Return what the player to act can do, and the range of bets where there is one."""
    betting, legal, unit = state.betting, state.betting.legal(), state.subject.unit
    before = betting.spent[betting.actor] - betting.on_street(betting.actor)
    found: list[tuple[list[str], Action, str]] = [(["f"], FOLD, "f")] if legal.fold else []
    found.append((["k", "c"], CALL, "c" if betting.to_call_chips else "k"))
    limits = None
    if legal.raise_range is not None:
        least, most = legal.raise_range
        if least == most:
            found.append((["r"], raise_to(least), "r"))
        else:
            totals = sorted({one.total for one in own if one.kind == ActionKind.RAISE and one.total < most})
            sizes = [amount_text(total - before, unit) for total in totals] if own else SIZES
            wanted = [([str(key)], f"r {size}") for key, size in enumerate(sizes[:MOST_SIZES], 1)]
            for keys, text in [*wanted, (["a"], "a")]:
                with suppress(IllegalActionError):
                    found.append((keys, play.read_action(text, state), text))
            verb = "raise to" if betting.on_street(1 - betting.actor) else "bet"
            most_chips = None if most >= UNLIMITED_CHIPS else (most - before) / unit
            limits = RaiseModel(verb=verb, least_chips=(least - before) / unit, most_chips=most_chips)
    words = [play.action_words(betting, action) for _, action, _ in found]
    percents = [state.percent_of_pot(action) for _, action, _ in found]
    plain = [one.partition(" ")[0] if "call" in one or "check" in one else one.partition(", ")[0] for one in words]
    raised = [action.kind == ActionKind.RAISE for _, action, _ in found]
    marks = [ends and one.endswith("all-in") for one, ends in zip(words, raised, strict=True)]
    colours = action_colours(plain, marks, percents)
    choices = [
        ChoiceModel(
            keys=keys,
            label=label,
            action=text,
            colour=colour,
            total_chips=(action.total - before) / unit if action.kind == ActionKind.RAISE else None,
            pot_percent=percent,
        )
        for (keys, action, text), label, colour, percent in zip(found, words, colours, percents, strict=True)
    ]
    return choices, limits


def hint_actions(advisor: StrategicAgent, state: PublicState, cards: tuple[int, ...]) -> list[HintActionModel]:
    """Return the advisor's strategy with a hand; see :func:`errai.pictures.play.hint_shares`."""
    hint = play.hint_shares(advisor, state, cards)
    colours = action_colours([one.label for one in hint], [one.all_in for one in hint], [one.percent for one in hint])
    return [
        HintActionModel(label=one.label, probability=one.probability, all_in=one.all_in, colour=colour)
        for one, colour in zip(hint, colours, strict=True)
    ]


@dataclass(eq=False)
class Table:
    """A table in memory."""

    id: str
    request: TableRequest
    session: Session
    path: Path
    advisor: StrategicAgent | None = None
    lock: threading.RLock = field(default_factory=threading.RLock)
    """Held while the session is changed and saved."""
    asking: threading.Lock = field(default_factory=threading.Lock)
    """Held while the agent or the advisor computes: they are not made for several threads."""
    thinking: bool = False
    began: float | None = None
    error: str | None = None
    gone: bool = False
    version: int = field(default_factory=lambda: int(1000 * time.time()))
    """Grows with every change, and over restarts of the server, so that pages never take an old view for a new one."""
    used: float = field(default_factory=time.monotonic)
    saved: Stamp = (0, 0, 0)
    """The file as it was last written or read here."""

    def __post_init__(self) -> None:
        if self.request.advisor is None and isinstance(self.session.opponent, StrategicAgent):
            self.advisor = self.session.opponent
        solved = next((one for one in (self.session.opponent, self.advisor) if isinstance(one, SolvedAgent)), None)
        self.walk = None if solved is None else TreeWalk(solved.solution.tree.betting, subject=solved.solution.subject)
        self.changed = threading.Condition(self.lock)
        self.view: tuple[tuple[int, int | None], TableModel] | None = None
        """The view that was made last, with the version and the place in the queue that it shows."""

    @property
    def opponent(self) -> str:
        """The agent's name for people."""
        return self.request.opponent_title or agent_title(self.request.opponent, self.session.opponent.name)

    @property
    def solving_bytes(self) -> int:
        """Memory that must be free before its agents think; 0 if they do not solve, and so keep nothing."""
        return max(thinking.solving_bytes(self.session.opponent), thinking.solving_bytes(self.advisor))

    def move_on(self) -> None:
        """Note that something has changed."""
        self.version += 1
        self.used = time.monotonic()
        self.changed.notify_all()

    def save(self) -> None:
        """Write the session; a hand that is over is finished first."""
        if self.session.hand is not None and self.session.hand.state.is_over:
            self.session.finish(measure=False)
        save_session(self.session, self.path)
        self.saved = stamp(self.path.stat())

    def is_old(self) -> bool:
        """Whether another program, such as ``errai play``, has written the session since."""
        with self.lock:
            if not self.path.exists():
                raise UnknownNameError(f"The session of the table {self.id} is missing.")
            if self.thinking or self.saved == stamp(self.path.stat()):
                return False
            self.gone = True
            return True

    def required(self, hand: int, ply: int) -> PublicState:
        """Return the state of the hand; raises :class:`StaleError` unless the user acts in it after so many actions."""
        now = self.session.hand
        if now is None or now.number + 1 != hand or len(now.state.line) != ply or not self.session.players_turn:
            raise StaleError("The hand has gone on since this page showed it; look at the table again.")
        return now.state

    def model(self, ahead: int | None, command: str) -> TableModel:
        """Return the table as the API shows it; ``ahead`` is how many agents think before its own, if that waits."""
        session = self.session
        subject, opponent, hand = session.subject, session.opponent, session.hand
        choices: list[ChoiceModel] = []
        raises: RaiseModel | None = None
        if session.players_turn and hand is not None:
            choices, raises = choice_models(hand.state, self.sizes(hand.state))
        number = len(session.hands) - (hand is None)
        shown = None if number < 0 else self.hand(number)
        return TableModel(
            **{name: getattr(self, name) for name in ("id", "opponent", "version", "error")},
            title=subject.label,
            hands=len(session.hands),
            won_chips=session.score(measure=False).chips.total_chips,
            in_hand=hand is not None,
            modified=self.saved[2] / 1e9,
            state=self.state(ahead),
            ahead=ahead,
            thinking_since=self.began if self.thinking else None,
            decision_seconds=opponent.budget.seconds if isinstance(opponent, ResolverAgent) else None,
            game=self.request.game if self.request.stack is None else None,
            agent=opponent.name,
            player=session.player,
            seating=session.seating.value,
            open=self.request.open,
            has_hints=self.advisor is not None or self.request.advisor is not None,
            reviewed_by=self.reviewer,
            command=command,
            shown=shown,
            choices=choices,
            raises=raises,
        )

    def hand(self, number: int) -> HandModel:
        """Return a hand as the user sees it, by its number from 0: one that is finished, or the one in progress."""
        session, user = self.session, play.short_name(self.session.player)
        seat = session.seat_in(number)
        by_seat = (user, self.opponent) if seat == 0 else (self.opponent, user)
        others = None
        result = None
        if number < len(session.hands):
            played = session.hands[number]
            state, own = played.final_state(), played.hole[seat]
            others = session.seen(number, opened=self.request.open).hole[1 - seat]
            result = ResultModel(
                words=play.result_words(played, seat, by_seat),
                won_chips=played.net_chips[seat],
                without_luck_chips=session.estimates[number],
            )
        else:
            hand = session.hand
            assert hand is not None
            state, own = hand.state, hand.deal.hole[seat]
        assert own is not None
        view = play.table_view("", state, seat, by_seat, own, others)
        return HandModel(
            hand=number + 1,
            ply=len(state.line),
            pot_chips=view.pot_chips,
            board=list(view.board),
            board_places=view.board_places,
            seats=[SeatModel.model_validate(one, from_attributes=True) for one in view.seats],
            streets=street_models(view),
            result=result,
        )

    def sizes(self, state: PublicState) -> list[Action]:
        """Return the actions of the solution that is played or advises; none where there is none, or it ends before."""
        if self.walk is None:
            return []
        node = self.walk.node(state)
        return [] if node == OFF_TREE else self.walk.actions(node, state)

    def state(self, ahead: int | None) -> State:
        """Return how the table stands; ``ahead`` is as for :meth:`model`."""
        if self.error is not None:
            return "failed"
        if self.thinking:
            return "thinking" if ahead is None else "waiting"
        if self.session.hand is None:
            return "over" if self.session.hands else "new"
        return "turn"

    def score(self) -> ScoreModel:
        """Return the result of the session as far as its hands have been measured."""
        with self.lock:
            session = self.session
            estimator, score = session.estimator, session.score(measure=False)
            return ScoreModel(
                chips=score.chips,
                without_luck=score.without_luck,
                measure=score.measure or (estimator.name if estimator is not None else ""),
                to_measure=0 if estimator is None else sum(one is None for one in session.estimates),
                big_blind_chips=session.subject.big_blind or None,
                words=play.score_words(session, score=score),
            )

    def finished_hand(self, number: int) -> HandModel:
        """Return a finished hand by its number from 1; raises :class:`UnknownNameError` if there is none."""
        self.require_finished(number)
        return self.hand(number - 1)

    def require_finished(self, number: int) -> None:
        """Raise :class:`UnknownNameError` unless the hand with this number from 1 has been finished."""
        if not 1 <= number <= len(self.session.hands):
            raise UnknownNameError(f"Hand {number:,} has not been finished at this table.")

    @property
    def reviewer(self) -> str | None:
        """The solution or blueprint with which hands are reviewed unless another is named."""
        names = filter(None, (self.request.advisor, self.request.opponent))
        solved = next((name.rsplit(":", 1)[1] for name in names if name.startswith("solution:")), None)
        return solved or self.request.solution or blueprint_of(self.session.subject)
