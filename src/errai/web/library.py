"""The solutions of the workspace: listed, opened to look at nodes, taken in, removed and verified.

A solution is a file ``NAME.errai``, which may be a blueprint too, or the folder ``NAME`` of a run.  The blueprints of
the package stand in every list, and are neither removed nor verified.  The spots that reviews solved have a folder of
their own; they are in no list, and used by their names like all others.  Only a few are open at a time, and each keeps
some of the nodes that were asked for, so that the memory of the server does not grow with what is looked at.
"""

from __future__ import annotations

import os
import shlex
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal
from weakref import WeakValueDictionary

from pydantic import BaseModel, ConfigDict, Field

from errai.blueprints.blueprint import KIND as BLUEPRINT
from errai.blueprints.blueprint import SHIPPED, find_blueprint, load_blueprint, shipped_blueprint
from errai.blueprints.opened import BlueprintProfile
from errai.cluster.folder import RunFolder
from errai.cluster.reading import StoredSolution, open_run
from errai.cluster.run import verify_run
from errai.data import shipped_file
from errai.engine.units import Exploitability, Units
from errai.errors import (
    ArtefactError,
    BusyError,
    ErraiError,
    ForeignFileError,
    InputError,
    TreeTooLargeError,
    UnknownNameError,
)
from errai.games.game import Subject
from errai.games.streets import street_name
from errai.nets.predictors import leaf_values_of_solution
from errai.own_code import fault_text
from errai.running.recent import Recent
from errai.running.system import flush_to_disk, wait_for_lock
from errai.solutions.artefact import load_solution
from errai.solutions.node import SolutionNode
from errai.solutions.notes import load_notes
from errai.solutions.solution import KIND, Solution, Verification, cut_text, line_nodes
from errai.solutions.stored import SolutionFile, open_solution
from errai.solutions.subjects import read_subject
from errai.store.atomic import remove_all_leftovers, sync_folder
from errai.store.container import open_container
from errai.web import files
from errai.web.files import START, Stamp, Workspace, checked_name, is_name, new_name, stamp, unknown
from errai.web.models import Kept
from errai.web.verdicts import Verdicts

if TYPE_CHECKING:
    from errai.arena.drill import Question

Solved = Solution | SolutionFile | StoredSolution | BlueprintProfile

SUFFIX = ".errai"
NOTES = ".notes.toml"
WHOLE_BYTES = 128 << 20
"""Files up to this size are read and checked as a whole, so that values of hands are known at every node."""
MAX_OPEN = 4
MAX_NODES = 64
"""The most nodes that an open solution keeps."""
MAX_ANSWERS = 32
"""The most answers that an open solution keeps as they are sent: up to 300 kB each."""
MAX_DRAWS = 8
"""The most drills for which an open solution keeps where their questions begin."""
MAX_REQUESTS = 16
"""The most requests that look at solutions or wait for them, so that threads are left for the other rooms."""
MAX_VERIFIED_BYTES = 512 << 20
MAX_VERIFIED_RUN_BYTES = 64 << 20
"""Files and folders of runs above this are not verified by the server; the answer is the command that does it."""
TRAINED = str(BlueprintProfile.status)
ALONE = ("identity", "one-bucket", "by-strength")
"""Buckets that need no file."""


class ExploitabilityView(BaseModel):
    """A certified exploitability; mbb is null if the game has no big blind."""

    model_config = ConfigDict(from_attributes=True)
    chips: float
    mbb: float | None
    pot_percent: float


class SolutionView(Kept):
    """A solution in the list."""

    name: str
    title: str
    game: str
    """The name of the game; `spot` for a spot."""
    streets: list[str] = Field(default=[])
    """The names of its streets, as `POST drills` takes them; networks may stand in the place of the later ones."""
    player_names: list[str] = Field(default=[])
    kind: Literal["solution", "run", "preflop", "blueprint"]
    board: list[str] = Field(default=[])
    """The cards that lie when it begins."""
    pot_chips: float | None = None
    stacks_chips: list[float | None] = Field(default=[])
    """What each player has left; null without a limit."""
    big_blind_chips: float | None = None
    bytes: int
    start_bytes: int = 0
    """The size of the regrets beside it, from which a similar spot may start."""
    modified: float
    """Seconds since 1970."""
    exploitability: ExploitabilityView | None
    """As certified; null if there is no certificate."""
    status: str
    """How the solve ended; `running` for a run without a certificate; `trained` for a blueprint; `damaged` if the files
    cannot be used."""
    shipped: bool = False
    """Whether it comes with the package, so that it cannot be deleted."""
    certified: bool | None = None
    """The result of the last verification of these contents; null if there was none."""
    error: str = ""
    """Why the files cannot be used; empty if they can."""
    command: str


@dataclass
class Opened:
    """An open solution, with the nodes that were looked at last, and the answers to requests by what they asked for."""

    path: Path
    solution: Solved
    nodes: Recent[tuple[str, str], SolutionNode] = field(default_factory=lambda: Recent(MAX_NODES))
    answers: Recent[Hashable, bytes] = field(default_factory=lambda: Recent(MAX_ANSWERS))
    draws: Recent[Hashable, Callable[[int], Question]] = field(default_factory=lambda: Recent(MAX_DRAWS))
    """What draws the questions of a drill, by what was asked for."""

    def along(self, line: str) -> list[SolutionNode]:
        """Return the nodes of a line, from the root to its end.  Raises :class:`LineError` if there is no such line."""
        root = self.solution.root
        return [root, *(node for _, node in line_nodes(root, line, self._follow))]

    def at(self, line: str) -> SolutionNode:
        """Return the node after a line.  Raises :class:`LineError` if there is no such line."""
        return self.along(line)[-1]

    def _follow(self, node: SolutionNode, step: str) -> SolutionNode:
        return self.nodes.get_or_make((node.line, step), lambda: node[step])


@dataclass
class _Place:
    """A place in the cache: one request at a time looks at the solution in it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    opened: Opened | None = None


Stamps = tuple[Stamp, ...]
"""Identifies the present contents of a solution, which may be in two files."""


@dataclass(frozen=True)
class Described:
    """What has been read of a solution with these contents without opening it."""

    path: Path
    stamps: Stamps
    subject: Subject | None
    """None if the files cannot be used."""
    view: SolutionView


class Library:
    """The solutions of a workspace.

    What takes a name raises :class:`InputError` or :class:`UnknownNameError` if the text is not a name, or no solution
    has it; what opens a file raises :class:`ArtefactError` if it cannot be used, and :class:`TreeTooLargeError` if the
    solution does not fit into the memory.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._folder, self._spots = workspace.folder / "solutions", workspace.folder / "spots"
        self._lock = threading.Lock()
        self._requests = 0
        self._places: Recent[tuple[Path, Stamps, bool], _Place] = Recent(MAX_OPEN)
        self._known: dict[str, Described] = {}
        self._loaded: WeakValueDictionary[tuple[Path, Stamps], Solution] = WeakValueDictionary()
        self._loading = threading.Lock()
        self._verifying = threading.Lock()
        self._verdicts = Verdicts(self._folder / ".verified.json")

    # --- what there is -----------------------------------------------------------------------------------------------

    def path(self, name: str) -> Path:
        """Return the file or the folder of a solution."""
        file = self.workspace.path("solutions", name, SUFFIX)
        if file.is_file():
            return file
        folder = self.workspace.path("solutions", name)
        if folder.is_dir() and RunFolder(folder).exists():
            return folder
        spot = self.workspace.path("spots", name, SUFFIX)
        if spot.is_file():
            return spot
        if name in SHIPPED:
            return shipped_file(f"{name}{SUFFIX}")
        raise unknown("solutions", name)

    def views(self) -> list[SolutionView]:
        """Describe all solutions, the newest first; one that cannot be used says why."""
        found, new = self.known()
        for name in new:
            try:
                found.append(self.described(name).view)
            except UnknownNameError:
                continue
            except InputError as error:
                found.append(_damaged(str(error), name=name, kind="solution", bytes=0, modified=0.0, command=""))
        return _newest_first(found)

    def known(self) -> tuple[list[SolutionView], list[str]]:
        """Describe the solutions that have not changed, and return the names of the others; no file is read."""
        found, new, starts = {}, set(), dict[str, int]()
        with os.scandir(self._folder) as inside:
            for entry in inside:
                name = entry.name.removesuffix(SUFFIX)
                known = self._known.get(name)
                if entry.is_symlink() or entry.name.endswith(NOTES):
                    continue
                if entry.name.endswith(START):
                    starts[entry.name.removesuffix(START)] = _stamp(entry)[1]
                    continue
                if known is not None and known.path.name == entry.name and known.stamps == _stamps(entry):
                    found[name] = known.view
                elif is_name(name):
                    new.add(name)
        for name in SHIPPED:
            known = self._known.get(name)
            if name not in found and known is not None and known.view.shipped:
                found[name] = known.view
            elif name not in found:
                new.add(name)
        for name, view in found.items():
            known = self._known.get(name)
            if known is not None and view.start_bytes != starts.get(name, 0):
                found[name] = self._change(name, known, start_bytes=starts.get(name, 0)).view
        # A file and the folder of a run may have the same name; the file is meant then.
        return _newest_first(view for name, view in found.items() if name not in new), sorted(new)

    def described(self, name: str) -> Described:
        """Describe a solution without opening it."""
        path = self.path(name)
        stamps = _stamps(path)
        known = self._known.get(name)
        if known is None or (known.path, known.stamps) != (path, stamps):
            shipped = self._is_shipped(path)
            known = _read(name, path, stamps, self.command("show", name), shipped=shipped)
            start = _stamp(self.workspace.path("solutions", name, START))[1]
            known = self._change(name, known, certified=self._verdicts.get(name, stamps), start_bytes=start)
        return known

    def _change(self, name: str, known: Described, **fields: Any) -> Described:
        """Change what is said of a solution in the list."""
        found = self._known[name] = replace(known, view=SolutionView(**{**dict(known.view), **fields}))
        return found

    # --- notes -------------------------------------------------------------------------------------------------------

    def notes(self, name: str) -> dict[str, str]:
        """Return the notes on a solution by line.  Raises :class:`NoteError` if their file is faulty."""
        path = self.path(name)
        return {} if self._is_shipped(path) else load_notes(path)

    def notes_place(self, name: str) -> Path:
        """Return the solution beside which its notes are kept.  Raises :class:`InputError` if they cannot be."""
        path = self.path(name)
        if self._is_shipped(path):
            raise InputError(f"{name} comes with Errai, and notes are kept beside solutions of your own.")
        return path

    def command(self, verb: str, name: str, *more: str) -> str:
        """Return the command that does the same at the terminal."""
        return shlex.join(["errai", verb, self.place(name), *(word for word in more if word)])

    def place(self, name: str) -> str:
        """Return what names a solution at the terminal."""
        path = self.path(name)
        return name if self._is_shipped(path) else str(path)

    def _is_shipped(self, path: Path) -> bool:
        return path.parent not in (self._folder, self._spots)

    # --- looking at nodes --------------------------------------------------------------------------------------------

    @contextmanager
    def opened(self, name: str, *, whole: bool = False) -> Iterator[Opened]:
        """Open a solution, or take one that is open; no other request looks at it in the meantime.

        With ``whole`` a large file, too, is read as a whole.  Raises :class:`BusyError` if too many requests look.
        """
        path = self.path(name)
        key = (path, _stamps(path), whole and path.is_file())
        with self._lock:
            place = self._places.get(key)
            if place is None:
                # What a file was before is not looked at again.
                self._places.drop(lambda other: other[0] == path and other[1] != key[1])
                place = self._places.put(key, _Place())
            if self._requests >= MAX_REQUESTS:
                raise BusyError(f"{MAX_REQUESTS} requests are looking at solutions already; try again later.")
            self._requests += 1
        try:
            with place.lock:
                if place.opened is None:
                    place.opened = Opened(path, self._open(path, whole))
                yield place.opened
        finally:
            with self._lock:
                self._requests -= 1

    def answered(self, name: str, asked: Hashable, *, whole: bool = False) -> bytes | None:
        """Return what is kept in :attr:`Opened.answers` of a solution, without waiting for other requests."""
        path = self.path(name)
        place = self._places.get((path, _stamps(path), whole and path.is_file()))
        return None if place is None or place.opened is None else place.opened.answers.get(asked)

    @contextmanager
    def both_opened(self, first: str, second: str, *, whole: bool = False) -> Iterator[tuple[Opened, Opened]]:
        """Open two solutions, which may be one and the same."""
        with ExitStack() as held:
            # Always in the same order, so that two requests never wait for each other.
            found = {name: held.enter_context(self.opened(name, whole=whole)) for name in sorted({first, second})}
            yield found[first], found[second]

    def _open(self, path: Path, whole: bool) -> Solved:
        if path.is_dir():
            return open_run(path)
        # Agents play the package's blueprints too, and share them.
        blueprint = shipped_blueprint(path.stem) if self._is_shipped(path) else find_blueprint(path)
        if blueprint is not None:
            return BlueprintProfile(blueprint)
        if whole:
            return self.loaded(path)
        if path.stat().st_size <= WHOLE_BYTES:
            with suppress(TreeTooLargeError):
                return self.loaded(path)
        return open_solution(path)

    def loaded(self, path: Path) -> Solution:
        """Return a solution file as a whole; it is in memory once for all who use it, and while somebody does."""
        with self._loading:
            key = path, _stamps(path)
            found = self._loaded.get(key)
            if found is None:
                found = self._loaded[key] = load_solution(path)
            return found

    # --- taking in and removing --------------------------------------------------------------------------------------

    @contextmanager
    def arriving(self) -> Iterator[BinaryIO]:
        """Open a file for an upload, which is removed at the end; :meth:`keep` gives it a name that stays."""
        path = self._folder / f".{new_name('upload')}.partial"
        with path.open("xb") as file:
            # Leftovers of servers that were killed have no lock, and are removed when a server starts.
            wait_for_lock(file.fileno())
            try:
                yield file
            finally:
                path.unlink(missing_ok=True)

    def keep(self, file: BinaryIO, name: str) -> SolutionView:
        """Check a file that has arrived byte by byte, and list it.  Raises :class:`InputError` if the name is taken."""
        arrived, target = Path(file.name), self.free(name)
        file.flush()
        flush_to_disk(file.fileno())
        try:
            container = open_container(arrived)
            container.verify()
            if container.kind == BLUEPRINT:
                _check_blueprint(arrived, container.metadata)
            else:
                open_solution(arrived).root.frequencies  # noqa: B018
        except ArtefactError as error:
            raise type(error)(str(error).replace(str(arrived), name)) from error
        try:
            os.link(arrived, target)
        except FileExistsError:
            raise self._taken(name) from None
        sync_folder(self._folder)
        return self.described(name).view

    def free(self, name: str) -> Path:
        """Return the path of a new file.  Raises :class:`InputError` if it is not a name or taken."""
        with suppress(UnknownNameError):
            self.path(name)
            raise self._taken(name)
        return self.workspace.path("solutions", name, SUFFIX)

    def _taken(self, name: str) -> InputError:
        return InputError(f"There is a solution called {name!r} already; choose another name, or delete it first.")

    def delete(self, name: str) -> None:
        """Remove a solution.  Raises :class:`RunInUseError` if a process is solving in its folder."""
        file = self.workspace.folder / "solutions" / f"{checked_name(name)}{SUFFIX}"
        if not os.path.lexists(file) and self._is_shipped(self.path(name)):
            raise InputError(f"{name} comes with Errai and is in every list; it cannot be deleted.")
        path = file if os.path.lexists(file) else self.path(name)
        if path == file or path.is_file():
            files.remove(path)
            self.workspace.path("solutions", name, START).unlink(missing_ok=True)
        else:
            files.remove_held(path, RunFolder(path).locked())
        path.with_name(f"{path.name}{NOTES}").unlink(missing_ok=True)
        sync_folder(self._folder)
        self._places.drop(lambda key: key[0] == path)
        self._known.pop(name, None)

    def clean(self) -> None:
        """Remove what servers left that were killed while they took in or removed a solution."""
        remove_all_leftovers(self._folder)
        files.remove_deleted(self._folder)

    # --- verifying ---------------------------------------------------------------------------------------------------

    def verify(self, name: str) -> tuple[Verification, float] | None:
        """Recompute the certificate of a solution file, and return the result and the seconds that it took.

        None stands for what is left to ``errai verify``: files above ``MAX_VERIFIED_BYTES``, folders of runs above
        ``MAX_VERIFIED_RUN_BYTES``, and a first street over a network.  Raises :class:`BusyError` if another solution is
        being verified, and :class:`LeafValuesError` for values below a cut that no network of the package has.
        """
        path = self.path(name)
        if self.described(name).view.kind == "blueprint":
            raise InputError(
                f"{name} is a blueprint, which has no certificate; `errai exploitability` measures what it loses."
            )
        if _bytes(path) > (MAX_VERIFIED_BYTES if path.is_file() else MAX_VERIFIED_RUN_BYTES):
            return None
        if not self._verifying.acquire(blocking=False):
            raise BusyError("Another solution is being verified; try again when that is done.")
        try:
            known, begun = self.described(name), time.monotonic()
            if path.is_dir():
                found = verify_run(open_run(path), processes=1)
            else:
                solution = load_solution(path)
                if solution.below is not None and solution.depth == 0:
                    return None  # a network on all flops takes minutes
                found = solution.verify(leaf_values_of_solution(solution))
            self._change(name, known, certified=found.certified)
            self._verdicts.put(name, known.stamps, found.certified)
            return found, time.monotonic() - begun
        finally:
            self._verifying.release()


def _newest_first(found: Iterable[SolutionView]) -> list[SolutionView]:
    """Sort a list; the blueprints of the package come last."""
    return sorted(found, key=lambda one: (one.shipped, -one.modified, one.name))


def _stamps(place: Path | os.DirEntry[str]) -> Stamps:
    """Return what identifies the present contents of a solution; parts are 0 if a file is gone."""
    if not place.is_dir():
        return (_stamp(place),)
    run = RunFolder(place)
    return _stamp(run.checkpoint), _stamp(run.certificate)


def _stamp(place: Path | os.DirEntry[str]) -> Stamp:
    try:
        return stamp(place.stat())
    except OSError:
        return 0, 0, 0


def _check_blueprint(path: Path, metadata: dict[str, Any]) -> None:
    """Read the blueprint of an upload.  Raises :class:`ForeignFileError` if it needs another file, for its buckets."""
    told = metadata.get("abstraction")
    if isinstance(told, dict) and "held" not in told and str(told.get("text")).partition(":")[0] not in ALONE:
        raise ForeignFileError(f"{path} does not hold its buckets; train it with --whole, and take that file in.")
    BlueprintProfile(load_blueprint(path)).root.frequencies  # noqa: B018


def _read(name: str, path: Path, stamps: Stamps, command: str, *, shipped: bool) -> Described:
    """Describe a solution."""
    is_run = path.is_dir()
    common: dict[str, Any] = {
        "name": name,
        "bytes": _bytes(path),
        "modified": max(one[2] for one in stamps) / 1e9,
        "command": command,
        "shipped": shipped,
    }
    kind: Literal["solution", "run", "preflop", "blueprint"] = "run" if is_run else "solution"
    try:
        subject, title, exploitability, status = _facts(path)
    # Whatever a damaged file does, it does to its own entry of the list.
    except Exception as error:
        said = str(error)[:500] if isinstance(error, ErraiError) else f"The files are damaged ({fault_text(error)})."
        return Described(path, stamps, None, _damaged(said, kind=kind, **common))
    if status == TRAINED:
        kind = "blueprint"
    elif not is_run and subject.whole_game is None and subject.first_round == 0:
        kind = "preflop"
    view = SolutionView(
        title=title,
        game="spot" if subject.whole_game is None else subject.rules.name,
        board=[subject.deck.card_text(card) for card in subject.board],
        pot_chips=float(subject.initial_pot_chips),
        stacks_chips=[float(stack) if stack < float("inf") else None for stack in subject.stacks_chips],
        big_blind_chips=subject.big_blind,
        streets=[street_name(subject.rules, number) for number in range(subject.first_round, subject.rules.num_rounds)],
        player_names=list(subject.seats),
        kind=kind,
        exploitability=None if exploitability is None else ExploitabilityView.model_validate(exploitability),
        status=status,
        **common,
    )
    return Described(path, stamps, subject, view)


def _damaged(error: str, **common: Any) -> SolutionView:
    """Describe a solution that cannot be used."""
    return SolutionView(title=common["name"], game="", exploitability=None, status="damaged", error=error, **common)


def _bytes(path: Path) -> int:
    with suppress(OSError):
        return sum(one.stat().st_size for one in (path.rglob("*") if path.is_dir() else (path,)) if one.is_file())
    return 0


def _facts(path: Path) -> tuple[Subject, str, Exploitability | None, str]:
    """Return what a solution says of itself; the plan of the tree of a file, which may take a second, is not made."""
    if path.is_dir():
        run = open_run(path)
        return run.subject, run.subject.label, run.exploitability if run.certificate is not None else None, run.status
    container = open_container(path, checked=False)
    metadata: dict[str, Any] = container.metadata
    if container.kind == BLUEPRINT:
        subject, _ = read_subject(metadata["subject"])
        return subject, subject.label, None, TRAINED
    if container.kind != KIND:
        raise ForeignFileError(f"{path} holds a {container.kind!a}, neither a solution nor a blueprint.")
    subject, _ = read_subject(metadata["subject"])
    certificate = metadata["certificate"]
    gains = certificate["gain_chips"]
    chips = float(certificate["exploitability_chips"])
    units, title = Units.of(subject, subject.initial_pot_chips), subject.label
    if (below := metadata.get("leaf_values")) is not None:
        title = f"{title} {cut_text(subject, metadata['depth'], below['name'])}"
    return subject, title, Exploitability(chips, units, (float(gains[0]), float(gains[1]))), str(metadata["status"])
