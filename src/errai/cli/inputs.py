"""What the verbs share when they read input: games and spots by name or path, solutions, and values of options."""

from __future__ import annotations

import argparse
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errai.cli.output import note
from errai.errors import ForeignFileError, InputError

if TYPE_CHECKING:
    from errai.cluster.reading import StoredSolution
    from errai.cluster.solution_file import SolutionFile
    from errai.games.subject import Subject
    from errai.solutions.solution import Solution

SUBJECT_HELP = "a game of the catalogue (see `errai games`), a .game file, or a spot (.toml)"

LARGE_BYTES = 64 << 20
"""Solution files above this are not read as a whole to show a node."""

_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(|B|[KMGT]i?B?)", re.IGNORECASE)
_RATE = re.compile(r"(\d[\d_]*(?:\.\d+)?|\.\d+)\s*(|[KMGT])", re.IGNORECASE)
_POWERS = {"": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def add_menu_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--menu`` to a verb."""
    parser.add_argument(
        "--menu", metavar="SIZES", help='bet sizes of a no-limit game (default: "100%%, a"); a spot has its own'
    )


def add_lock_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--lock`` to a verb."""
    parser.add_argument(
        "--lock", metavar="FILE", help="hands whose strategy is fixed, not solved (TOML, a table for each line of play)"
    )


def add_precision_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--precision``, ``--memory`` and ``--threads`` to a verb."""
    parser.add_argument(
        "--precision", metavar="NAME", help="number format: auto, float64, float32, fixed16 or average8 (default: auto)"
    )
    parser.add_argument(
        "--memory", type=memory_bytes, metavar="SIZE", help="memory that the solver may use, for instance 4GiB"
    )
    parser.add_argument("--threads", type=positive_integer, metavar="N", help="number of threads (default: all)")


def load_subject(text: str) -> Subject:
    """Load a game by its name, or a game or a spot by its path.

    Raises
    ------
    InputError
        If there is no such file, or it is a directory, a solution, or cannot be read. All errors of ``load_game`` and
        ``load_spot`` are raised too.
    """
    from errai.games.catalogue import load_game
    from errai.games.spot import load_spot

    path = Path(text)
    if path.suffix.lower() == ".errai":
        raise InputError(f"{text} is a solution; give a game or a spot here, or look at it with `errai show`.")
    is_directory, exists = _look(path)
    if is_directory and text not in _catalogue():
        raise InputError(f"{text} is a directory; give the path of a .game or .toml file in it.")
    if path.suffix.lower() == ".toml":
        return load_spot(path)
    if exists and path.suffix.lower() != ".game" and text.lower() not in _catalogue() and not _is_game(path):
        return load_spot(path)
    return load_game(text)


def load_solution(text: str) -> Solution:
    """Open a solution file.

    Raises
    ------
    InputError, ForeignFileError
        If there is no such file, or it is a directory, a game or a spot. All errors of the store are raised too.
    """
    import errai

    path = Path(text)
    is_directory, exists = _look(path)
    if is_directory:
        raise InputError(f"{text} is a directory; give the path of a solution (.errai).")
    if path.suffix.lower() in (".toml", ".game") and exists:
        raise ForeignFileError(f"{text} is not a solution; solve it first: `errai solve {text} -o FILE.errai`.")
    if not exists:
        hint = ""
        if text.lower() in _catalogue():
            hint = f" {text} is a game; solve it first: `errai solve {text} -o {text}.errai`."
        raise InputError(f"There is no file {text!r}; check the path.{hint}")
    return errai.load_solution(path)


def open_solved(text: str, *, whole: bool = False) -> Solution | SolutionFile | StoredSolution:
    """Open a solved game to look at its nodes; of a large file only what is shown is read, unless `whole` is wanted.

    Raises
    ------
    InputError, ForeignFileError
        As for :func:`load_solved`.
    """
    if whole or not _is_large(Path(text)):
        return load_solved(text)
    from errai.cluster.solution_file import open_solution

    return open_solution(text)


def add_whole_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--whole`` to a verb."""
    parser.add_argument(
        "--whole", action="store_true", help="read and check all of a large file, and evaluate whatever is asked for"
    )


def _is_large(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size > LARGE_BYTES
    except (OSError, ValueError):
        return False


def load_solved(text: str) -> Solution | StoredSolution:
    """Open a solved game: a solution file, or the folder of a run.

    Raises
    ------
    InputError, ForeignFileError
        As for :func:`load_solution`; all errors of :func:`errai.cluster.reading.open_run` are raised too.
    """
    if not _look(Path(text))[0]:
        return load_solution(text)
    from errai.cluster.folder import RunFolder
    from errai.cluster.reading import open_run

    if not RunFolder(text).exists():
        raise InputError(
            f"{text} is a folder that holds no run; give a solution (.errai), or a folder of `errai solve --store`."
        )
    return open_run(text)


def output_path(text: str | None, *, suffix: str = "") -> Path | None:
    """Check, before any work starts, that a file can be written, and return its path; None stays None.

    Raises
    ------
    InputError
        If the file's folder does not exist, if the path is a directory, or if it does not end in ``suffix``.
    """
    if text is None:
        return None
    path = Path(text)
    if path.is_dir():
        raise InputError(f"{text} is a directory; give the name of a file to write.")
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {str(path.parent)!r} to write {path.name!r} to; create it first.")
    if suffix and path.suffix.lower() != suffix:
        raise InputError(f"The name of the file to write must end in {suffix}, not {text!r}.")
    return path


def add_checkpoint_options(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--checkpoint`` and ``--resume`` to a verb; ``what`` names what the checkpoint holds, for the help text."""
    parser.add_argument("--checkpoint", metavar="FILE", help=f"save {what} here from time to time")
    parser.add_argument(
        "--resume", action="store_true", help="resume from the file given by --checkpoint, if it exists"
    )


def checkpoint_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a checkpoint; an existing one is neither ignored nor overwritten by accident."""
    path = output_path(options.checkpoint)
    if path is None:
        if options.resume:
            raise InputError("--resume needs --checkpoint FILE, the file to resume from.")
        return {}
    from errai.store.checkpoint import previous_path

    # If the process was killed while it replaced the checkpoint, only the previous one exists; it will do.
    exists = path.exists() or previous_path(path).exists()
    if exists and not options.resume:
        raise InputError(f"There is a checkpoint {str(path)!r} already; add --resume to resume from it, or delete it.")
    if options.resume and not exists:
        note(f"There is no checkpoint {str(path)!r} yet; starting from the beginning.")
    return {"checkpoint": path, "resume": exists}


def note_interrupted(hands: int, wanted: int, options: argparse.Namespace) -> None:
    """Write how many hands were played before an interruption, and what became of them."""
    kept = "--resume continues from there" if options.checkpoint else "--checkpoint FILE would have saved them"
    note(f"Interrupted after {hands:,} of {wanted:,} hands; {kept}.")


def memory_bytes(text: str) -> int:
    """Read an amount of memory such as 4GiB, 500MB or 1073741824, for argparse.

    K, M, G and T are powers of 1000; Ki, Mi, Gi and Ti are powers of 1024.
    """
    match = _MEMORY.fullmatch(text.strip())
    if match is None or float(match[1]) <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not an amount of memory; write it as 4GiB or 500MB")
    unit = match[2].upper()
    base = 1024 if "I" in unit else 1000
    return int(float(match[1]) * base ** _POWERS[unit[:1]])


def positive_seconds(text: str) -> float:
    """Read a time limit, in seconds or with a unit (90s, 10min, 2h), for argparse."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(|s|min|h)", text.strip())
    seconds = float(match[1]) * {"": 1, "s": 1, "min": 60, "h": 3600}[match[2]] if match else 0.0
    if not match or not seconds > 0 or not math.isfinite(seconds):
        raise argparse.ArgumentTypeError(f"{text!r} is not a time; write seconds, or 90s, 10min, 2h")
    return seconds


def positive_integer(text: str) -> int:
    """Read a whole number of at least 1, for argparse; 10_000 and 1e6 are allowed."""
    try:
        value = float(text) if "e" in text.lower() else int(text)
    except ValueError:
        value = 0
    if value < 1 or value != int(value) or value > 2**53:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(value)


def positive_number(text: str) -> float:
    """Read a finite number above 0, for argparse."""
    value = _number(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def number_of_at_least_0(text: str) -> float:
    """Read a finite number of at least 0, for argparse."""
    value = _number(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 0")
    return value


def rate_number(text: str) -> float:
    """Read a rate such as 40M, 0.79M, 2.5G or 400_000, for argparse; k, M, G and T are powers of 1000."""
    match = _RATE.fullmatch(text.strip())
    rate = float(match[1].replace("_", "")) * 1000.0 ** _POWERS[match[2].upper()] if match else 0.0
    if not rate > 0 or not math.isfinite(rate):
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate; write it as 40M or 0.79M")
    return rate


def natural_number(text: str) -> int:
    """Read a whole number of at least 0 that fits into 63 bits, for argparse."""
    try:
        value = int(text)
    except ValueError:
        value = -1
    if not 0 <= value < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 0")
    return value


def _number(text: str) -> float:
    """Read a number; the result is NaN if the text is no number or not a finite one."""
    try:
        value = float(text)
    except ValueError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def _look(path: Path) -> tuple[bool, bool]:
    """Return whether a path is a directory, and whether it exists; a name that the system does not allow is neither."""
    try:
        return path.is_dir(), path.exists()
    except (OSError, ValueError):
        return False, False


def _catalogue() -> frozenset[str]:
    from errai.games.catalogue import ALIASES, catalogue

    return frozenset(catalogue()) | frozenset(ALIASES)


def _is_game(path: Path) -> bool:
    """Return whether a file looks like a GAMEDEF; its name does not tell."""
    try:
        with path.open("rb") as stream:
            return b"GAMEDEF" in stream.read(4096).upper()
    except OSError:
        return True
