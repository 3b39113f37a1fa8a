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
from contextlib import suppress
from pathlib import Path
from typing import Any

from errai.arena.drill import Question, drawer, is_known
from errai.arena.repetition import Repetition, locked_repetition
from errai.arena.review import reviewed_decision
from errai.engine.units import Units
from errai.errors import ArtefactError, BusyError, ErraiError, InputError, StaleError, UnknownNameError
from errai.games.game import Subject
from errai.pictures.drill import answer_words, read_choice
from errai.pictures.nodes import split_cards
from errai.solutions.node import SolutionNode
from errai.store.atomic import write_file
from errai.web import files
from errai.web.drill_models import (
    MOST_QUESTIONS,
    Answered,
    AnswerView,
    Asked,
    ComingView,
    DrillFile,
    DrillRequest,
    DrillSummary,
    DrillView,
    DueView,
    RepetitionView,
    answer_view,
    decision_of,
    question_view,
    totals_view,
)
from errai.web.files import Stamp, Workspace, new_name, stamp, unknown
from errai.web.job_files import now
from errai.web.jobs import JobStore
from errai.web.library import Library, Opened
from errai.web.review_models import read_review

DRILL, REPEAT = ".drill", ".repeat"

MOST_DRILLS = 1_000
MOST_COMING = 50
MOST_ALIKE = 100
"""So many questions are drawn at most to find one that was not asked again already."""


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

    def due(self) -> list[DueView]:
        """Return the solutions of rounds whose decisions come again today, of a game or spot the one drilled last."""
        found: dict[Path, DueView] = {}
        for name in dict.fromkeys(one.solution for one in self.summaries() if one.solution is not None):
            # What has been deleted or is damaged is said by its rounds; nothing is kept without the extra `drill`.
            with suppress(ErraiError, ModuleNotFoundError):
                about = self.library.described(name)
                if about.subject is None or (path := self._repetition(about.subject)) in found or not path.exists():
                    continue
                if due := len(Repetition(path, about.subject).due()):
                    found[path] = DueView(solution=name, title=about.view.title, due=due)
        return list(found.values())

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
            self.workspace.remove("drills", name, DRILL)
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
        _, found = read_review(self.jobs, request.review)
        mistakes = [
            Asked(solution=one.solution, line=one.line, hand=one.cards) for one in found.greatest if one.counted
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

    def _ask(self, drill: DrillFile) -> bool:
        """Choose the next question, unless one waits or the round is over; return whether the round has changed."""
        if drill.waiting is not None and drill.request.review is not None and not self._is_known(drill, drill.waiting):
            drill.waiting = None
        elif drill.waiting is not None or drill.over:
            return False
        while drill.waiting is None and not drill.over:
            if drill.left:
                one = drill.left.pop(0)
                if drill.request.solution is not None or self._is_known(drill, one):
                    drill.waiting = one
            else:
                drill.waiting = self._drawn(drill)
        return True

    def _is_known(self, drill: DrillFile, asked: Asked) -> bool:
        """Return whether a mistake is still in its solution, which may have been deleted or replaced since."""
        try:
            with self.library.opened(asked.solution, whole=drill.request.whole) as opened:
                decision_of(opened, asked)
        except (InputError, UnknownNameError):
            return False
        return True

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
                if self._ask(drill):
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
