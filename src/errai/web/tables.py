"""Tables: sessions of a user against an agent, as ``errai play`` has them.

An action of the user is saved before its request is answered, and that of the agent before anybody sees it.  A server
that is killed therefore loses nothing: the agent is asked again, with the same random draws.
"""

from __future__ import annotations

import secrets
import shlex
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from errai.agents.agent import Agent, MatchStart, StrategicAgent
from errai.arena.estimator import Estimator
from errai.arena.review import Review, review_hands
from errai.arena.session import Seating, Session, luck_estimator
from errai.arena.session_file import load_session
from errai.errors import ArtefactError, BusyError, ErraiError, NoMemoryError, StaleError, StrategyError
from errai.games.game import Subject
from errai.games.hand import Action, PublicState
from errai.own_code import fault_text
from errai.pictures.play import hint_warning
from errai.web import thinking
from errai.web.agents import Agents
from errai.web.files import Workspace, new_name, stamp
from errai.web.table import HintModel, Table, TableModel, hint_actions
from errai.web.table_files import TableFiles, TableRequest, TableSummary

MOST_TABLES = 1_000
MOST_IN_MEMORY = 64
MOST_SOLVING = 4
"""Tables in memory whose agents solve while they play: each keeps what it has solved, up to a gigabyte or two."""

SOON_SECONDS = 0.2
"""An agent that acts within this time is in the answer to the user's action."""

HINT_SECONDS = 60.0
"""How long a request waits until other hints have been computed."""


class Tables:
    """The tables of a folder.

    What takes the name of a table raises :class:`InputError` or :class:`UnknownNameError` if there is none, and
    :class:`ArtefactError` if a file of it is damaged, or cannot be written.
    """

    def __init__(self, workspace: Workspace, agents: Agents) -> None:
        self.agents = agents
        self.files = TableFiles(workspace)
        self.queue = thinking.Queue("thinking")
        self.measuring = thinking.Queue("measuring", 1)
        self._lock = threading.RLock()
        self._loading: dict[str, threading.Lock] = {}
        self._open: dict[str, Table] = {}
        self._admission = thinking.Admission()
        self._hints = threading.Semaphore(2)

    def close(self) -> None:
        """Begin nothing more; what agents are computing is computed again when the table is opened again."""
        self.queue.close()
        self.measuring.close()

    # --- the list ----------------------------------------------------------------------------------------------------

    def summaries(self) -> list[TableSummary]:
        """Return all tables, the last one used first."""
        found = map(self.files.summary, self.files.names())
        return sorted((one for one in found if one is not None), key=lambda one: -one.modified)

    def views(self) -> dict[str, TableSummary]:
        """Return how every table stands, for the stream of events: in full for those in memory."""
        with self._lock:
            in_memory = dict(self._open)
        found = {
            name: self.view(in_memory[name]) if name in in_memory else self.files.summary(name)
            for name in self.files.names()
        }
        return {name: one for name, one in found.items() if one is not None}

    # --- making, opening and deleting --------------------------------------------------------------------------------

    def create(self, request: TableRequest) -> Table:
        """Make a table, and deal its first hand.  Raises also :class:`BusyError` and :class:`NoMemoryError`."""
        if len(self.files.names()) >= MOST_TABLES:
            raise BusyError(f"There are {MOST_TABLES:,} tables, the most that a folder may have; delete some of them.")
        subject = request.subject()
        PublicState.start(subject)
        agent = self.agents.make(request.opponent, subject)
        request = request.model_copy(update={"opponent_title": self.agents.title(request.opponent)})
        if needed := thinking.solving_bytes(agent):
            # If others are solving, the table is made, and its agent waits for them.
            self._admission.has_memory(needed, lambda free: self._make_room(None, free))
        seed = secrets.randbits(32) if request.seed is None else request.seed
        session = Session(
            subject,
            agent,
            seed=seed,
            player=request.player,
            seating=Seating(request.seating),
            estimator=self._estimator(request, subject, agent),
        )
        name = new_name("slumbot" if request.slumbot else (request.game or "spot"))
        table = Table(name, request, session, self.files.session(name))
        if request.advisor is not None:
            self._make_advisor(table)
        session.deal()
        table.save()
        self.files.write(name, request, subject)
        with self._lock:
            self._open[name] = table
        self._make_room(table)
        with table.lock:
            self._go_on(table)
        return table

    def get(self, name: str) -> Table:
        """Return a table; if it is not in memory, it is read, and its agent thinks if it is its turn."""
        self.files.require(name)
        with self._lock:
            one = self._loading.setdefault(name, threading.Lock())
        with one:
            with self._lock:
                table = self._open.get(name)
            if table is None or table.is_old():
                table = self._read(name)
                with self._lock:
                    self._open[name] = table
                with table.lock:
                    if table.session.hand is not None and table.session.hand.state.is_over:
                        table.save()
                    self._go_on(table)
                self._measure(table)
        table.used = time.monotonic()
        self._make_room(table)
        return table

    def delete(self, name: str) -> None:
        """Delete a table with its session, whatever its files are."""
        with self._lock:
            table = self._open.pop(name, None)
            self._loading.pop(name, None)
        if table is not None:
            with table.lock:
                table.gone = True
                table.move_on()
        self.files.delete(name)

    def _read(self, name: str) -> Table:
        request = self.files.request(name)
        subject = request.subject()
        agent = self.agents.make(request.opponent, subject)
        path = self.files.session(name)
        read = stamp(path.stat())
        session = load_session(path, subject, agent, estimator=self._estimator(request, subject, agent))
        return Table(name, request, session, path, saved=read)

    def _estimator(self, request: TableRequest, subject: Subject, agent: Agent) -> Estimator | None:
        """Return what computes the luck, with an agent of its own unless only the opponent knows what it solved."""
        if isinstance(agent, StrategicAgent) and not thinking.solving_bytes(agent):
            agent = self.agents.make(request.opponent, subject)
            agent.start_match(MatchStart(subject, 0))
        return luck_estimator(subject, agent)

    def _make_advisor(self, table: Table) -> StrategicAgent:
        """Return the advisor; one that is not the opponent is made when it is first asked."""
        if table.advisor is None:
            if table.request.advisor is None:
                raise StrategyError("The opponent does not state its strategy; choose another advisor for hints.")
            made = self.agents.make(table.request.advisor, table.session.subject)
            if not isinstance(made, StrategicAgent):
                raise StrategyError(f"{made.name} does not state its strategy for your hand; choose another advisor.")
            made.start_match(MatchStart(table.session.subject, table.session.seed))
            table.advisor = made
        return table.advisor

    def _make_room(self, needed: Table | None, solving_bytes: int = 0) -> None:
        """Drop the tables that were not used for longest: those that are too many, or solve while memory is short."""
        with self._lock:
            idle = sorted((one for one in self._open.values() if one is not needed), key=lambda one: -one.used)
            many = sum(one.solving_bytes > 0 for one in self._open.values())
            while idle:
                one = idle.pop()
                solves = one.solving_bytes > 0
                too_many = len(self._open) > MOST_IN_MEMORY or (solves and many > MOST_SOLVING)
                if not (too_many or (solves and not thinking.are_free(solving_bytes))) or not self._drop(one):
                    continue
                del one
                if solves:
                    many -= 1
                    thinking.collect()

    def _drop(self, table: Table) -> bool:
        """Drop a table from memory, unless it is busy in this moment."""
        if not table.lock.acquire(blocking=False):
            return False
        try:
            if table.thinking or table.asking.locked():
                return False
            self._forget(table)
            return True
        finally:
            table.lock.release()

    def _admitted(self, table: Table) -> AbstractContextManager[None]:
        """Wait until there is memory for what the agents of a table solve; tables that are idle leave it for them."""
        return self._admission.admitted(table.solving_bytes, lambda free: self._make_room(table, free))

    # --- playing -----------------------------------------------------------------------------------------------------

    def deal(self, name: str, hand: int) -> Table:
        """Deal a hand; raises :class:`StaleError` if it is not the next one."""
        table = self.get(name)
        with self._change(table):
            if table.session.hand is not None or len(table.session.hands) + 1 != hand:
                raise StaleError(f"Hand {hand:,} is not the next one; look at the table again.")
            table.session.deal()
        return table

    def act(self, name: str, read: Callable[[PublicState], Action], hand: int, ply: int) -> Table:
        """Take the action that ``read`` returns in the state of the hand; :class:`StaleError` if that has gone on."""
        table = self.get(name)
        with self._change(table):
            table.session.act(read(table.required(hand, ply)))
        return table

    def again(self, name: str) -> Table:
        """Let an agent that failed think again."""
        table = self.get(name)
        with table.lock:
            if table.error is None:
                return table
            if not table.solving_bytes:
                table.error = None
                self._go_on(table)
                return table
            # Perhaps there was too little memory because of what its own agent keeps: a new one keeps nothing yet.
            self._forget(table)
        del table
        thinking.collect()
        return self.get(name)

    def wait(self, table: Table, seconds: float = SOON_SECONDS) -> TableModel:
        """Wait until the agent has acted, up to some seconds, and return the table as the API shows it."""
        with table.lock:
            table.changed.wait_for(lambda: not table.thinking or table.gone, seconds)
        return self.view(table)

    @contextmanager
    def _change(self, table: Table) -> Iterator[None]:
        """Change a session and save it; if it cannot be saved, the table is as its file says."""
        with table.lock:
            if table.gone:
                raise StaleError("The table has been changed elsewhere; look at it again.")
            yield
            try:
                table.save()
            except Exception:
                self._forget(table)
                raise
            self._go_on(table)
        self._measure(table)

    def _forget(self, table: Table) -> None:
        with self._lock:
            table.gone = True
            if self._open.get(table.id) is table:
                del self._open[table.id]

    def _go_on(self, table: Table) -> None:
        """Let the agent think if it is its turn."""
        session = table.session
        if session.hand is not None and not session.players_turn and not table.thinking and table.error is None:
            table.thinking, table.began = True, None
            self.queue.put(table, lambda: self._think(table))
        table.move_on()

    def _think(self, table: Table) -> None:
        """Let the agent act, in a thread of the queue."""
        try:
            # The version changes so that everybody sees that it no longer waits.
            with table.lock:
                if table.gone:
                    return
                table.move_on()
            with self._admitted(table), table.asking:
                with table.lock:
                    table.began = time.time()
                    table.move_on()
                action = table.session.opponent_chooses()
            with table.lock:
                if table.gone:
                    return
                table.thinking = False
                with self._change(table):
                    table.session.opponent_acts(action)
        # Whatever goes wrong in an agent is shown at the table, which can be used again.
        except Exception as error:
            with table.lock:
                table.thinking = False
                table.error = str(error) if isinstance(error, ErraiError) else fault_text(error)
                table.move_on()

    def _measure(self, table: Table) -> None:
        """Compute the luck of finished hands in the background."""
        if table.session.estimator is not None and None in table.session.estimates:
            self.measuring.put(table, lambda: self._measure_next(table))

    def _measure_next(self, table: Table) -> None:
        try:
            with self._admitted(table), table.asking if table.solving_bytes else nullcontext():
                found = not table.gone and table.session.measure_next()
            if found:
                with table.lock:
                    if not table.gone:
                        table.save()
                        table.move_on()
        except (NoMemoryError, ArtefactError):
            # There was no memory, or the session could not be saved: the next hand of the table will try again.
            return
        except Exception:
            # The session goes on if a hand cannot be measured.
            table.session.estimator = None
        if not table.gone:
            self._measure(table)

    # --- questions ---------------------------------------------------------------------------------------------------

    def view(self, table: Table) -> TableModel:
        """Return a table as the API shows it."""
        with table.lock:
            ahead = self.queue.before(table) if table.thinking else None
            key = table.version, ahead
            if table.view is None or table.view[0] != key:
                request = table.request
                played, against = self.files.subject_word(table.id, request), self.agents.with_files(request.opponent)
                words = ["errai", "play", played, "--against", against, "--session", str(table.path)]
                table.view = key, table.model(ahead, shlex.join(words))
            return table.view[1]

    def hint(self, table: Table) -> HintModel:
        """Return what the advisor does with the user's hand.

        Raises :class:`StaleError` if it is not the user's turn, :class:`StrategyError` if no advisor states its
        strategy, and :class:`BusyError` or :class:`NoMemoryError` if too much is being computed.
        """
        with table.lock:
            hand = table.session.hand
            if hand is None or not table.session.players_turn:
                raise StaleError("It is not your turn, so there is no hint.")
            state, seat = hand.state, table.session.seat
        if not self._hints.acquire(timeout=HINT_SECONDS):
            raise BusyError("Other hints are being computed; try again later.")
        try:
            with table.asking:
                advisor = self._make_advisor(table)
            with self._admitted(table), table.asking:
                actions = hint_actions(advisor, state, hand.deal.hole[seat])
                warning = hint_warning(advisor, state) if actions else ""
        finally:
            self._hints.release()
        return HintModel(
            advisor=table.opponent if table.request.advisor is None else self.agents.title(table.request.advisor),
            hand=hand.number + 1,
            ply=len(state.line),
            actions=actions,
            warning=warning,
        )

    def review(self, table: Table, number: int | None, against: str | None) -> Review:
        """Return what the user's decisions lost, in a hand or in all; :class:`StrategyError` without a solution."""
        name = against or table.reviewer
        if name is None:
            raise StrategyError(
                "Hands are reviewed against a solution, and nothing at this table is one; name a solution of this "
                "game, or of a spot that the hand came to."
            )
        session = table.session
        if number is not None:
            table.require_finished(number)
        numbers = range(len(session.hands)) if number is None else [number - 1]
        hands = [session.seen(one, opened=table.request.open) for one in numbers]
        with self.agents.library.opened(name, whole=True) as opened:
            return review_hands(hands, opened.solution, player=session.player if hands else None)
