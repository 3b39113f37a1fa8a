"""The tree of exceptions: what went wrong, where, and what to do about it.

Every error that Errai raises on purpose derives from :class:`ErraiError`.  Its message is a sentence that says what is
wrong, where, and what to do.  Each part of the package has its own errors here, so that callers can catch them broadly
or narrowly.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator


class ErraiError(Exception):
    """Base of all errors that Errai raises on purpose."""


class InputError(ErraiError, ValueError):
    """An argument or a file that the caller gave is wrong; nothing was computed and nothing was changed."""


class MissingExtraError(InputError, ImportError):
    """Something needs a package that an extra of Errai installs, such as ``pip install 'errai[pictures]'``."""


@contextlib.contextmanager
def needs_extra(extra: str, what: str) -> Iterator[None]:
    """Say which extra is missing if an import in the block fails; ``what`` begins the sentence, such as "A PNG"."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(
            f"{what} needs {error.name or 'a package'}, which is not installed: pip install 'errai[{extra}]'."
        ) from error


class TextError(InputError):
    """A text could not be parsed.

    Parameters
    ----------
    message:
        What is wrong and what was expected.
    line, column:
        The place, counted from 1, or None where it does not apply.
    source:
        Name of the file or argument the text came from.
    field, value, allowed:
        The key that is wrong, such as ``bets.flop.raise``; what it has, and what it may have, where they are known.
    plain:
        What is wrong, for somebody who sees the field itself and no file; by default the message.
    """

    def __init__(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        source: str | None = None,
        field: str = "",
        value: str | None = None,
        allowed: str | None = None,
        plain: str | None = None,
    ) -> None:
        counted = {"line": line, "column": column}
        parts = [source, *(f"{name} {number}" for name, number in counted.items() if number is not None)]
        place = ", ".join(filter(None, parts))
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.line = line
        self.column = column
        self.source = source
        self.field = field
        self.value = value
        self.allowed = allowed
        self.plain = message if plain is None else plain

    def within(self, what: str) -> str:
        """Return the message with its place in something that stands in a longer text, such as the board of a spot."""
        if not self.column:
            return self.message
        line = f"line {self.line}, " if self.line else ""
        return f"{self.message.rstrip('.')} ({line}character {self.column} of the {what})"


# --- cards ---------------------------------------------------------------------------------------------------------
class CardParseError(TextError):
    """A card is not of the deck, or not written as rank and suit."""


class RangeParseError(TextError):
    """A range text is wrong; ``column`` says where."""


class CardsError(InputError):
    """The cards cannot occur together: one is repeated, there are too many, or one is not in the deck."""


class RangeWeightsError(InputError):
    """The weights are not a range: there is a wrong number of them, or one is not a number from 0 to 1."""


# --- games ---------------------------------------------------------------------------------------------------------
class GameDefinitionError(TextError):
    """A GAMEDEF is wrong; ``line`` says where, and ``key`` names the key at fault if there is one."""

    def __init__(
        self, message: str, *, line: int | None = None, source: str | None = None, key: str | None = None
    ) -> None:
        super().__init__(message, line=line, source=source)
        self.key = key


class UnknownGameError(InputError):
    """There is no catalogue game and no file of that name."""


class UnsupportedGameError(InputError):
    """The game is well formed, but this part of Errai cannot handle it."""


class IllegalActionError(InputError):
    """The rules do not allow this action in this state."""


class SpotError(TextError):
    """A spot file is wrong; the subclass says in which respect, and ``line`` says where."""


class SpotFileError(SpotError):
    """The spot file cannot be opened or is far too large."""


class SpotSyntaxError(SpotError):
    """The spot is not valid TOML."""


class SpotKeyError(SpotError):
    """The spot has a key that is not known, or a required key is missing."""


class SpotValueError(SpotError):
    """A value in the spot has the wrong type or is out of bounds."""


class SpotBoardError(SpotError):
    """The board is impossible: a wrong number of cards, a repeated card, or a card that does not exist."""


class SpotRangeError(SpotError):
    """The range cannot be parsed, or no hand is left in it once the board's cards are removed."""


class SpotStackError(SpotError):
    """The stacks or the pot leave nothing to bet."""


class SizingError(SpotError):
    """A bet size cannot be parsed.  Bare numbers are refused because tools disagree on their unit."""


class LockError(TextError):
    """The locks are invalid: a line, hand or action does not exist, or frequencies do not sum to 1."""


class ChartError(TextError):
    """A file of charts is invalid: a situation is not possible or occurs twice, or a range cannot be read."""


class NoteError(TextError):
    """A note is empty or too long, there is none at a line, or a file of notes is invalid."""


# --- tree ----------------------------------------------------------------------------------------------------------
class TreeTooLargeError(ErraiError):
    """The tree needs more memory or nodes than allowed; the message says how much and which setting helps."""


# --- solvers -------------------------------------------------------------------------------------------------------
class TargetError(InputError):
    """The target cannot be parsed, or its unit has no meaning in this game."""


class SolverOptionError(InputError):
    """An option of the solver is unknown or out of bounds."""


class SubgameError(InputError):
    """The subgame cannot be re-solved: arrays have wrong sizes, values are missing, or the method does not exist."""


class LeafValuesError(InputError):
    """The values at the leaves of a tree are missing, cannot be used, or are not those of the solution."""


class CertificateError(ErraiError):
    """A certificate has a number that is not finite, or a best response that is worth less than the strategy."""


class LineError(InputError):
    """The solution has no such line, card or hand at this place."""


class BackendError(ErraiError):
    """A kernel backend is unknown or not available here; the message says how to get it."""


class MatrixGameError(InputError):
    """A payoff matrix or a strategy for it is invalid: wrong shape, not finite, or not a distribution."""


class StrategyError(InputError):
    """A player's strategy is missing, has the wrong length, or is not a probability distribution."""


class SuitsError(StrategyError):
    """A strategy treats equivalent suits differently, although it was to be queried for only one of them."""


class UnknownStrategyError(StrategyError):
    """The text does not name a strategy; the message says what can be written."""


class LinearProgramError(ErraiError):
    """The linear programming solver stopped without an optimum."""


# --- store ---------------------------------------------------------------------------------------------------------
class ArtefactError(ErraiError):
    """A file written by Errai could not be used."""


class ForeignFileError(ArtefactError):
    """The file is not of the expected kind or version."""


class DamagedFileError(ArtefactError):
    """The file is of the right kind but truncated, altered or inconsistent."""


class MismatchError(ArtefactError):
    """The file is intact, but belongs to another game, spot or setting."""


class FileAccessError(ArtefactError):
    """A file could not be read or written: it is missing, it is not a plain file, or the system refuses."""


class RunInUseError(ArtefactError):
    """Another process is working in the folder of the run."""


class WorkerLostError(ErraiError):
    """Worker processes end again and again without returning a result."""


class StoppedError(ErraiError):
    """The work was stopped before there was a result; it can be resumed from what was kept."""


class AbandonedError(ErraiError):
    """What was solved in advance is needed no longer; nothing is kept of a solve that had begun."""


class DiskSpaceError(ArtefactError):
    """The disk has no room for the file; the message says how much is needed and how much is free."""


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FREE = "Free some space or choose another folder."
_RIGHTS = "Choose another place, or change who may use this one."
_REMEDIES = {
    errno.ENOSPC: ("the disk is full", _FREE),
    errno.EDQUOT: ("the quota on this disk is used up", _FREE),
    errno.EFBIG: ("the file would be larger than the system allows", _FREE),
    errno.EACCES: ("permission denied", _RIGHTS),
    errno.EPERM: ("the operation is not permitted", _RIGHTS),
    errno.EROFS: ("the file system is read-only", "Choose another place."),
    errno.EIO: ("the disk reported an error", "Check the disk, and repeat the command or choose another disk."),
    errno.ENOENT: ("there is no such file or folder", "Check the path."),
    errno.ENOTDIR: ("a part of the path is not a folder", "Check the path."),
    errno.EISDIR: ("it is a folder", "Give the name of a file."),
    errno.EEXIST: ("there is a file of this name", "Choose another name."),
    errno.ENAMETOOLONG: ("the name is too long", "Choose a shorter one."),
    errno.ELOOP: ("its links lead in a circle", "Check the path."),
    errno.EMFILE: ("too many files are open", "Raise the limit with `ulimit -n`."),
    errno.EBADF: ("it is closed", "Connect it to a file, a pipe or a terminal."),
    errno.ENOMEM: ("there is not enough memory", "End other programs."),
}
"""By the number of an error: the reason as part of a sentence, and what to do."""


def file_error(error: OSError | ValueError, path: str | os.PathLike[str], cannot: str = "be written") -> ArtefactError:
    """Return the error that says which file the operating system refused, why, and what to do about it.

    Parameters
    ----------
    error:
        What the system raised; a ValueError is what Python raises for a path with a null character.
    path:
        The file or folder that the caller worked on.
    cannot:
        What could not be done with it: "be written", "be read", "be created".

    Returns
    -------
    ArtefactError
        A :class:`DiskSpaceError` if the disk or the user's share of it is full, otherwise a :class:`FileAccessError`.
    """
    number, text = getattr(error, "errno", None) or 0, getattr(error, "strerror", None) or str(error)
    reason, remedy = _REMEDIES.get(number, (text, "Choose another place."))
    kind = DiskSpaceError if number in _NO_SPACE else FileAccessError
    name = os.fspath(path) or "''"
    return kind(f"{name} cannot {cannot}: {reason[:1].lower()}{reason[1:]}. {remedy}")


# --- agents and the arena ------------------------------------------------------------------------------------------
class ContractError(ErraiError):
    """Code of the user's own does not keep the contract of its seam; raised by :mod:`errai.testing`."""


class AgentError(ErraiError):
    """An agent failed during a match: it died, did not answer, or answered with something that is not an action."""


class ProtocolError(TextError):
    """A line does not follow the ACPC protocol; ``column`` says where."""


class HistoryError(TextError):
    """A hand history cannot be parsed, or contains what the rules do not allow; ``line`` says where."""


class MatchError(InputError):
    """The requested match, tournament or measurement is not possible."""


# --- the application in the browser --------------------------------------------------------------------------------
class WebError(ErraiError):
    """The server cannot start, for example because another program has the port."""


class UnknownNameError(InputError):
    """A server has no job, solution, table or match of this name."""


class StaleError(InputError):
    """A request is about a state that has passed, such as an action in a hand that has gone on."""


class BusyError(ErraiError):
    """The server has as much to do as it accepts; the request can be repeated later."""


class NoMemoryError(ErraiError):
    """A job needs more memory than is free; the message says how much, and what makes it smaller."""
