"""A table in memory: what was asked for when it was made, its session, and how it stands."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from errai.agents.agent import Agent, StrategicAgent
from errai.agents.resolver import ResolverAgent
from errai.arena.session import Session
from errai.arena.session_file import save_session
from errai.errors import StaleError, UnknownNameError
from errai.games.hand import PublicState
from errai.pictures.play_words import short_name
from errai.web import thinking
from errai.web.agents import agent_title
from errai.web.table_files import TableRequest
from errai.web.table_view import HandModel, State, TableModel, choice_models, hand_model
from errai.web.workspace import Stamp, stamp


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
    """When the agent began to think, in seconds since 1970; None unless it thinks."""
    error: str | None = None
    gone: bool = False
    version: int = field(default_factory=lambda: int(1000 * time.time()))
    """Grows with every change, and over restarts of the server, so that pages never take an old view for a new one."""
    used: float = field(default_factory=time.monotonic)
    saved: Stamp = (0, 0, 0)
    """The file as it was last written or read here."""

    def __post_init__(self) -> None:
        self.changed = threading.Condition(self.lock)
        self.view: tuple[tuple[int, int | None], TableModel] | None = None
        """The view that was made last, with the version and the place in the queue that it shows."""

    @property
    def title(self) -> str:
        """The game or spot in words."""
        subject = self.session.subject
        return getattr(subject, "title", "") or getattr(subject, "name", "") or "a spot"

    @property
    def opponent(self) -> str:
        """The agent's name for people."""
        return agent_title(self.request.opponent, self.session.opponent.name)

    @property
    def names(self) -> tuple[str, str]:
        """The agent's and the user's names for people."""
        return self.opponent, short_name(self.session.player)

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
        self.saved = stamp(self.path)

    def required(self, hand: int, ply: int) -> PublicState:
        """Return the state of the hand; raises :class:`StaleError` unless the user acts in it after so many actions."""
        now = self.session.hand
        if now is None or now.number + 1 != hand or len(now.state.line) != ply or not self.session.players_turn:
            raise StaleError("The hand has gone on since this page showed it; look at the table again.")
        return now.state

    def model(self, ahead: int | None, command: str) -> TableModel:
        """Return the table as the API shows it.

        ``ahead`` is how many other agents think before its own, if that waits; ``command`` goes on with the session at
        the terminal.
        """
        session = self.session
        hand = session.hand
        able = choice_models(hand.state) if session.players_turn and hand is not None else ([], None)
        number = len(session.hands) - (hand is None)
        shown = None if number < 0 else hand_model(session, number, self.names, opened=self.request.open)
        return TableModel(
            id=self.id,
            title=self.title,
            opponent=self.opponent,
            hands=len(session.hands),
            won_chips=session.score(measure=False).chips.total_chips,
            in_hand=hand is not None,
            modified=self.saved[2] / 1e9,
            version=self.version,
            state=self.state(ahead),
            ahead=ahead,
            thinking_since=self.began if self.thinking else None,
            decision_seconds=_decision_seconds(session.opponent),
            error=self.error,
            game=self.request.game if self.request.stack is None else None,
            agent=session.opponent.name,
            player=session.player,
            seating=session.seating.value,
            open=self.request.open,
            has_hints=self.advisor is not None or self.request.advisor is not None,
            reviewed_by=self.reviewer,
            command=command,
            shown=shown,
            choices=able[0],
            raises=able[1],
        )

    def state(self, ahead: int | None) -> State:
        """Return how the table stands; ``ahead`` is as for :meth:`model`."""
        if self.error is not None:
            return "failed"
        if self.thinking:
            return "thinking" if ahead is None else "waiting"
        if self.session.hand is None:
            return "over" if self.session.hands else "new"
        return "turn"

    def finished_hand(self, number: int) -> HandModel:
        """Return a finished hand by its number from 1; raises :class:`UnknownNameError` if there is none."""
        self.require_finished(number)
        return hand_model(self.session, number - 1, self.names, opened=self.request.open)

    def require_finished(self, number: int) -> None:
        """Raise :class:`UnknownNameError` unless the hand with this number from 1 has been finished."""
        if not 1 <= number <= len(self.session.hands):
            raise UnknownNameError(f"Hand {number:,} has not been finished at this table.")

    @property
    def reviewer(self) -> str | None:
        """The solution with which hands are reviewed unless another is named."""
        for name in (self.request.advisor, self.request.opponent):
            if name is not None and name.startswith("solution:"):
                return name.rsplit(":", 1)[1]
        return None


def _decision_seconds(agent: Agent) -> float | None:
    return agent.budget.seconds if isinstance(agent, ResolverAgent) else None
