"""What the verbs share when they read input: games and spots by name or path, solutions, and values of options."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.arguments import Options
from errai.cli.output import ended, note
from errai.engine.status import Outcome
from errai.errors import ArtefactError, DamagedFileError, ForeignFileError, InputError, LineError, UnsupportedGameError
from errai.options import OPTIONS, declared
from errai.store.atomic import check_writable

if TYPE_CHECKING:
    from errai.cluster.reading import StoredSolution
    from errai.games.game import Game, Subject
    from errai.games.ring import RingGame
    from errai.pictures.canvas import Drawing
    from errai.pictures.solution_facts import Solved
    from errai.solutions.node import SolutionNode
    from errai.solutions.run_outs import RunOuts
    from errai.solutions.solution import Profile, Solution

LARGE_BYTES = 64 << 20
"""Solution files above this are not read as a whole to show a node."""


def given(options: Options, *names: str) -> dict[str, Any]:
    """Return those of these options that are given, by the names that :func:`errai.solve` has for them."""
    import errai

    flags = {name: OPTIONS[name].flag or name if name in OPTIONS else name for name in names}
    found = {name: getattr(options, flag) for name, flag in flags.items()}
    found = {name: value for name, value in found.items() if value is not None and value is not False}
    return found | ({"locks": errai.load_locks(found["locks"])} if "locks" in found else {})


def asked(options: Options, group: type) -> dict[str, Any]:
    """Return what is given of the options of a group, for the function that takes them.

    What can be written and resumed is checked here, before any work starts.
    """
    arguments = {name: option for name, (_, option) in declared(group).items() if option.is_argument}
    found = {name: getattr(options, option.flag or name) for name, option in arguments.items()}
    found |= {
        name: output_path(found[name])
        for name, option in arguments.items()
        if option.kind == "file" and name != "checkpoint"
    }
    return {name: value for name, value in found.items() if value is not None} | checkpoint_options(options)


def load_subject(text: str, board: str | None = None) -> Subject:
    """Load a game or a spot by its name or its path, the spot on another board if one is given.

    Raises what ``load_game`` and ``load_spot`` do, and :class:`InputError` for a board of anything but a spot.
    """
    subject = _load_subject(text)
    if board is None:
        return subject
    from errai.games.spot import Spot

    if not isinstance(subject, Spot):
        raise InputError(f"--board is for spots, and {text} is a game.")
    placed = subject.on(board)
    return replace(placed, title=f"{subject.title}, {placed.board_text}") if subject.title else placed


def _load_subject(text: str) -> Subject:
    from errai.games.catalogue import load_game
    from errai.games.library import named_file
    from errai.games.spot import load_spot

    path = Path(text)
    if path.suffix.lower() == ".errai":
        raise InputError(f"{text} is a solution; give a game or a spot here, or look at it with `errai show`.")
    is_directory, exists = _look(path)
    if is_directory and text not in _catalogue():
        raise InputError(f"{path} is a directory; give the path of a .game or .toml file in it.")
    is_named = path.suffix.lower() == ".game" or text.lower() in _catalogue()
    is_spot = path.suffix.lower() == ".toml" or (exists and not is_named and not _is_game(path))
    is_spot = is_spot or (not is_named and named_file("spots", text) is not None)
    return load_spot(path) if is_spot else load_game(text)


def ring_game(text: str) -> RingGame | None:
    """Return a game of three players or more, by its name or its file; None if the text names anything else."""
    from errai.games.catalogue import RING_ALIASES, load_game, ring_catalogue
    from errai.games.ring import load_ring_game

    if RING_ALIASES.get(text.lower(), text.lower()) in ring_catalogue():
        return load_ring_game(text)
    if not text.lower().endswith(".game"):
        return None
    try:
        load_game(text)
    except UnsupportedGameError:
        return load_ring_game(text)
    return None


def load_whole_game(text: str, instead: str) -> Game:
    """Load a game as :func:`load_subject` does; for a spot the error says what can be done ``instead``."""
    game = load_subject(text).whole_game
    if game is None:
        raise InputError(f"{text} is a spot, and not a whole game; {instead}.")
    return game


def load_solution(text: str) -> Solution:
    """Open a solution file; the error for anything else says what can be done with it."""
    import errai

    path = Path(text)
    is_directory, exists = _look(path)
    if is_directory:
        raise InputError(f"{text} is a directory; give the path of a solution (.errai).")
    if path.suffix.lower() in (".toml", ".game") and exists:
        raise ForeignFileError(f"{text} is not a solution; solve it first: `errai solve {text} -o FILE.errai`.")
    if not exists:
        is_game = text.lower() in _catalogue()
        hint = f" {text} is a game; solve it first: `errai solve {text} -o {text}.errai`." if is_game else ""
        raise InputError(f"There is no file {text!r}; check the path.{hint}")
    return errai.load_solution(path)


def open_solved(text: str, *, whole: bool = False) -> Solved:
    """Open a solved game, or a blueprint, to look at its nodes.

    Of a large file only what is shown is read, unless `whole` is wanted.
    """
    from errai.blueprints.blueprint import find_blueprint

    blueprint = None if _look(Path(text))[0] else find_blueprint(text)
    if blueprint is not None:
        from errai.blueprints.opened import BlueprintProfile

        return BlueprintProfile(blueprint)
    path, is_large = Path(text), False
    with contextlib.suppress(OSError, ValueError):
        is_large = path.is_file() and path.stat().st_size > LARGE_BYTES
    if whole or not is_large:
        return load_solved(text)
    from errai.solutions.stored import open_solution

    return open_solution(text)


def load_solved(text: str) -> Solution | StoredSolution:
    """Open a solved game: a solution file, or the folder of a run."""
    if not _look(Path(text))[0]:
        return load_solution(text)
    from errai.cluster.folder import RunFolder
    from errai.cluster.reading import open_run

    if not RunFolder(text).exists():
        raise InputError(
            f"{text} is a folder that holds no run; give a solution (.errai), or a folder of `errai solve --store`."
        )
    return open_run(text)


def output_path(text: str | None, *, suffix: str = "", container: bool | None = False) -> Path | None:
    """Check, before any work starts, that a file can be written, and return its path; None stays None.

    A solution or another ``container`` of arrays, which may have taken days, is not replaced by a text, nor a text by a
    container; None is a file whose writer checks what is there.
    """
    if text is None:
        return None
    path = Path(text)
    if path.is_dir():
        raise InputError(f"{path} is a directory; give the name of a file to write.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r} to write {path.name!r} to; create it first.")
    if suffix and path.suffix.lower() != suffix:
        raise InputError(f"The name of the file to write must end in {suffix}, not {text!r}.")
    if path.suffix.lower() == ".png":
        from errai.pictures.canvas import check_png

        check_png()
    check_writable(path)
    if container is not None and path.exists() and (there := _is_container(path)) is not None and there != container:
        raise InputError(
            f"There is a file {text!r} already, {'no' if container else 'a'} solution or other file of Errai's; choose "
            "another name, or delete it."
        )
    if container and path.exists() and _is_checkpoint(path):
        raise InputError(f"There is a checkpoint {text!r} already; choose another name, or delete it.")
    return path


def _is_checkpoint(path: Path) -> bool:
    """Return whether a file holds the state of a solve, which cannot be made again from what it has found."""
    from errai.store.checkpoint import KIND
    from errai.store.container import open_container

    with contextlib.suppress(ArtefactError):
        return open_container(path, KIND, checked=False).kind == KIND
    return False


def _is_container(path: Path) -> bool | None:
    """Return whether a file holds arrays, as solutions do; None for one that is empty or cannot be read."""
    from errai.store.header import MAGIC

    with contextlib.suppress(OSError), path.open("rb") as stream:
        return (begin == MAGIC) if (begin := stream.read(len(MAGIC))) else None
    return None


def checkpoint_options(options: Options) -> dict[str, Any]:
    """Return the settings of a checkpoint; an existing one is neither ignored nor overwritten by accident."""
    path = output_path(options.checkpoint, container=None)
    if path is None:
        return {}
    from errai.store.checkpoint import KIND, previous_path
    from errai.store.container import open_container

    # If the process was killed while it replaced the checkpoint, only the previous one exists; it will do.
    exists = path.exists() or previous_path(path).exists()
    if path.exists():
        # Whoever names another file by mistake must not be told to delete it.
        try:
            open_container(path, KIND, checked=False)
        except ForeignFileError as error:
            raise InputError(
                f"There is a file {str(path)!r} already that is no checkpoint; choose another name."
            ) from error
        except DamagedFileError:
            pass  # It may have been cut; whoever resumes it reads the one before, or is told what is wrong.
    if exists and not options.resume:
        raise InputError(f"There is a checkpoint {str(path)!r} already; add --resume to resume from it, or delete it.")
    if options.resume and not exists:
        note(f"There is no checkpoint {str(path)!r} yet; starting from the beginning.")
    return {"checkpoint": path, "resume": exists}


def picture_file(text: str | None) -> list[Path]:
    """Return the path of a picture as :func:`output_path` does, or nothing.  Its name must end in .png or .svg."""
    path = output_path(text)
    if path is not None and path.suffix.lower() not in (".svg", ".png"):
        raise InputError(f"The name of a picture must end in .png or .svg, not {text!r}.")
    return [] if path is None else [path]


def picture_paths(options: Options, stem: str) -> list[Path]:
    """Return the files of ``--png`` and ``--svg``; without a name the file is named ``stem`` and its suffix."""
    given = {f".{kind}": getattr(options, kind) for kind in ("png", "svg")}
    named = {kind: stem + kind if text == "" and stem else text for kind, text in given.items()}
    paths = [output_path(text, suffix=kind) for kind, text in named.items()]
    return [path for path in paths if path is not None]


def save_pictures(paths: Iterable[Path], draw: Callable[[], Drawing]) -> None:
    """Draw a picture, if there is a file for it, write it to every file, and say so."""
    drawing: Drawing | None = None
    for path in paths:
        drawing = drawing or draw()
        drawing.save(path)
        note(f"Wrote {path}.")


def player_number(solution: Profile, text: str) -> int:
    """Return the number of a player, who is given by name or number."""
    from errai.games.spot_tables import PLAYERS

    names = [*solution.subject.seats, *(() if solution.subject.whole_game else PLAYERS), "0", "1"]
    if text.lower() not in names:
        raise InputError(f"There is no player {text!r}; choose one of {', '.join(names)}.")
    return names.index(text.lower()) % 2


def held_hands(node: SolutionNode, texts: list[str], players: Sequence[int]) -> list[str]:
    """Return those hands asked for, by their cards or as a class, that one of some players can hold at a node.

    A note says why others cannot be held.  Raises :class:`LineError` if there is no such hand, or none can be held.
    """
    from errai.pictures.summary import chosen_hands

    held, reasons = [], []
    for hand in chosen_hands(node, texts):
        why = [node.why_not_held(node.hands.index(hand), p) for p in players]
        if all(why):
            reasons.append(why[0])
        else:
            held.append(hand)
    if not held:
        raise LineError(reasons[0])
    for reason in reasons:
        note(reason)
    return held


def refuse_given(options: Options, names: str, why: str) -> None:
    """Raise :class:`InputError` if any of some options is given, by names with spaces between, that have no effect."""
    given = [f"--{name.replace('_', '-')}" for name in names.split() if getattr(options, name) not in (None, False)]
    if given:
        raise InputError(f"{why}; leave {' and '.join(given)} out.")


def note_unknown(node: SolutionNode | RunOuts) -> None:
    """Say on standard error why EVs or equities are not known."""
    for why in dict.fromkeys(filter(None, (node.why_no_ev, node.why_no_equity))):
        note(why)


def stem_of(solution: str, line: str) -> str:
    """Return the name of a solution's file with a line of play, as it can stand in the name of a picture."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", line).strip("-")
    return f"{Path(solution).stem}-{words}" if words else Path(solution).stem


def report_folder(options: Options) -> Path | None:
    """Return the folder of ``--report``.  Raises :class:`InputError` if it is a file."""
    if options.report is None:
        return None
    if Path(options.report).is_file():
        raise InputError(f"{options.report} is a file; give a folder for the report.")
    return Path(options.report)


def interrupted(result: Any, options: Options, what: str = "hands") -> int:
    """Return the exit code of a measurement; of one that was interrupted, say how far it came and what is kept."""
    kept = "--resume continues from there" if options.checkpoint else "--checkpoint FILE would have saved them"
    done, wanted = ("boards_done", "boards_total") if what == "boards" else ("hands", "hands_wanted")
    text = f"Interrupted after {getattr(result, done):,} of {getattr(result, wanted):,} {what}; {kept}."
    return ended(options, result.status is Outcome.INTERRUPTED, text)


def _look(path: Path) -> tuple[bool, bool]:
    """Return whether a path is a directory, and whether it exists; a name that the system does not allow is neither."""
    try:
        return path.is_dir(), path.exists()
    except (OSError, ValueError):
        return False, False


def _catalogue() -> set[str]:
    from errai.games.catalogue import ALIASES, catalogue

    return {*catalogue(), *ALIASES}


def _is_game(path: Path) -> bool:
    """Return whether a file looks like a GAMEDEF; its name does not tell."""
    try:
        with path.open("rb") as stream:
            return b"GAMEDEF" in stream.read(4096).upper()
    except OSError:
        return True
