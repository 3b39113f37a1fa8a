"""Answer requests for solutions in JSON, a line each, by priority.

Read requests from standard input, a JSON object a line, and answer each by its `id` on standard output, a JSON object a
line. The request of the highest priority is solved first; others wait, and can be cancelled. Interim answers say how
far a solve is.

    {"id": "1", "file": "flop.toml", "target": "0.5%pot", "lines": ["", "check"], "report_every": 1}
    {"id": "2", "spot": {"board": "QsJh2c8d3s", "pot": 100, "...": "..."}, "priority": 5}
    {"id": "3", "cancel": "1"}

The command ends when the input has ended and all requests are answered.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import PriorityQueue
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Arguments, Options
from errai.cli.output import OK, error_document
from errai.errors import ErraiError, InputError

if TYPE_CHECKING:
    from errai.games.game import Subject
    from errai.pictures.solution_facts import Solved
    from errai.running.stopping import StopToken

FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "file": str,
    "spot": dict,
    "target": str,
    "max_iterations": int,
    "seconds": (int, float),
    "lines": list,
    "priority": int,
    "report_every": (int, float),
    "save": str,
    "cancel": str,
}
"""The members of a request, and their types."""


def add_arguments(add: Arguments) -> None:
    """Declare the arguments."""
    add.solve("threads")


def run(options: Options) -> int:
    """Answer requests until the input has ended."""

    def write(answer: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(answer, allow_nan=False) + "\n")
        sys.stdout.flush()

    service = Service(write, options.threads)
    for line in sys.stdin:
        if line.strip():
            service.take(line)
    service.finish()
    return OK


@dataclass(order=True)
class Request:
    """A request in the order of its turn: by priority, then as they came."""

    turn: tuple[int, int]
    asked: dict[str, Any] = field(compare=False)
    stop: StopToken = field(compare=False)


class Service:
    """Takes requests while it solves one after another in a thread.

    ``write`` is called with each answer, from either thread, one at a time.
    """

    def __init__(self, write: Callable[[dict[str, Any]], None], threads: int | None = None) -> None:
        self._write, self._lock = write, threading.Lock()
        self._threads = threads
        self._failure: OSError | None = None
        self._waiting: PriorityQueue[Request] = PriorityQueue()
        self._open: dict[str, Request] = {}
        self._count = 0
        self._worker = threading.Thread(target=self._work, daemon=True)
        self._worker.start()

    def take(self, line: str) -> None:
        """Take a request, which is a line of JSON; a faulty one is answered at once."""
        from errai.running.stopping import StopToken

        self._check_output()
        asked: dict[str, Any] = {}
        try:
            asked = _parsed(line)
            _check(asked)
            if "cancel" in asked:
                self._cancel(asked)
                return
            if asked["id"] in self._open:
                raise InputError(f"A request with the id {asked['id']!r} has not been answered yet.")
        except ErraiError as error:
            self._answer({"id": asked.get("id"), **error_document(error, str(error))})
            return
        self._count += 1
        request = Request((-asked.get("priority", 0), self._count), asked, StopToken())
        self._open[asked["id"]] = request
        self._waiting.put(request)

    def finish(self) -> None:
        """Wait until all requests have been answered."""
        self._waiting.join()
        self._check_output()

    def _check_output(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _cancel(self, asked: dict[str, Any]) -> None:
        request = self._open.get(asked["cancel"])
        if request is not None:
            request.stop.set()
        self._answer({"id": asked["id"], "cancelled": request is not None})

    def _answer(self, answer: dict[str, Any]) -> None:
        with self._lock:
            try:
                self._write(answer)
            except OSError as error:  # Raised where requests are taken, which ends the command.
                self._failure = error

    def _work(self) -> None:
        while True:
            request = self._waiting.get()
            name = request.asked["id"]
            try:
                found = {"status": "cancelled"} if request.stop.is_set() else self._solved(request)
                self._answer({"id": name, **found})
            except ErraiError as error:
                self._answer({"id": name, **error_document(error, str(error))})
            except Exception as error:  # one request must not end the service
                self._answer({"id": name, **error_document(error, f"{type(error).__name__}: {error}")})
            finally:
                self._open.pop(name, None)
                self._waiting.task_done()

    def _solved(self, request: Request) -> dict[str, Any]:
        """Return the answer to a request: the certificate, and the nodes that it asks for."""
        import errai
        from errai.cli.inputs import load_subject, open_solved, output_path
        from errai.games.spot import Spot
        from errai.solutions.export import node_dict

        asked = request.asked
        output = output_path(asked.get("save"), suffix=".errai", container=True)
        if _is_solved(asked):
            solution: Solved = open_solved(asked["file"])
        else:
            subject = Spot.from_dict(asked["spot"]) if "spot" in asked else load_subject(asked["file"])
            _check_lines(subject, asked.get("lines", []))
            limits = {name: asked[name] for name in ("max_iterations", "seconds") if name in asked}
            found = errai.solve(
                subject,
                asked.get("target"),
                stop=request.stop,
                threads=self._threads,
                progress=self._reports(asked) or False,
                **limits,
            )
            assert isinstance(found, errai.Solution)
            if output is not None:
                found.save(output)
            solution = found
        nodes = [node_dict(solution.at(line)) for line in asked.get("lines", [""])]
        facts: dict[str, Any] = {"nodes": nodes}
        if isinstance(solution, errai.Solution):
            exploitability, values = solution.exploitability.to_dict(), list(solution.values.chips)
            facts |= {"exploitability": exploitability, "values": values, "iterations": solution.iterations}
            return {"status": str(solution.status), "seconds": solution.seconds, **facts}
        return {"status": "read", **facts}

    def _reports(self, asked: dict[str, Any]) -> Callable[[Any], None] | None:
        """Return what a solve tells its progress to, which answers from time to time."""
        every, last = asked.get("report_every"), time.monotonic()
        if every is None:
            return None

        def report(progress: Any) -> None:
            nonlocal last
            if progress.built < 1.0 or time.monotonic() - last < every:
                return
            last = time.monotonic()
            measured = progress.exploitability
            chips = None if measured is None else measured.chips
            state = {"iteration": progress.iteration, "seconds": progress.seconds, "exploitability_chips": chips}
            self._answer({"id": asked["id"], "status": "running", **state})

        return report


def _parsed(line: str) -> dict[str, Any]:
    """Return a request, whose members have not been checked.  Raises :class:`InputError` if it has no id."""
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"A request is a line of JSON: {error}.") from None
    if not isinstance(asked, dict) or not isinstance(asked.get("id"), str):
        raise InputError("A request is a JSON object with an id, which is a text.")
    return asked


def _check(asked: dict[str, Any]) -> None:
    """Raise :class:`InputError` that says what is wrong with a request."""
    for name, value in asked.items():
        if name not in FIELDS:
            raise InputError(f"A request has no member {name!r}; there are {', '.join(FIELDS)}.")
        if not isinstance(value, FIELDS[name]) or isinstance(value, bool):
            raise InputError(f"{name} is {value!r:.60}, which is not of the type that it must have.")
    if not all(isinstance(text, str) for text in asked.get("lines", [])):
        raise InputError("lines is a list of texts.")
    if not float("inf") > asked.get("report_every", 0) >= 0:
        raise InputError(f"report_every is {asked['report_every']}, and not a number of seconds of at least 0.")
    if sum(name in asked for name in ("file", "spot", "cancel")) != 1:
        raise InputError("A request names a file, or gives a spot, or cancels another request.")
    if _is_solved(asked) and (extra := {*asked} - {"id", "file", "lines", "priority"}):
        raise InputError(f"A solution is read and not solved; leave {' and '.join(sorted(extra))} out.")


def _is_solved(asked: dict[str, Any]) -> bool:
    """Return whether a request is about a solution, and not about a game or a spot to solve."""
    return str(asked.get("file", "")).lower().endswith(".errai")


def _check_lines(subject: Subject, lines: list[str]) -> None:
    """Raise :class:`LineError` for a line whose actions the tree will not have, before it is solved."""
    from errai.tree.betting_tree import build_betting_tree
    from errai.tree.lines import is_deal, steps

    betting = build_betting_tree(subject)
    for line in lines:
        betting.find(" ".join(step for step in steps(line) if not is_deal(step)))
