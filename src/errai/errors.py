"""The tree of exceptions: what went wrong, where, and what to do about it.

Every error that Errai raises on purpose derives from :class:`ErraiError`; its message is a sentence that names the
place and the remedy.  Each room has a section here, so that callers can catch broadly or narrowly.
"""

from __future__ import annotations


class ErraiError(Exception):
    """Base of all errors that Errai raises on purpose."""


class InputError(ErraiError, ValueError):
    """Something that was handed in is wrong; nothing was computed and nothing was changed."""


class TextError(InputError):
    """A text could not be read.

    Parameters
    ----------
    message:
        What is wrong and what was expected.
    line, column:
        The place, counted from 1, or None where it does not apply.
    source:
        Name of the file or argument the text came from.
    """

    def __init__(
        self, message: str, *, line: int | None = None, column: int | None = None, source: str | None = None
    ) -> None:
        place = ", ".join(
            part
            for part in (
                source or "",
                f"line {line}" if line is not None else "",
                f"column {column}" if column is not None else "",
            )
            if part
        )
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.line = line
        self.column = column
        self.source = source


# --- cards ---------------------------------------------------------------------------------------------------------


class CardParseError(TextError):
    """A card is not of the deck, or not written as rank and suit."""


class RangeParseError(TextError):
    """A range text is wrong; ``column`` says where."""


class CardsError(InputError):
    """Cards that cannot be together: repeated, too many, or outside the deck."""


class RangeWeightsError(InputError):
    """Weights that are no range: a wrong number of them, or one that is not a number from 0 to 1."""


# --- games ---------------------------------------------------------------------------------------------------------


class GameDefinitionError(TextError):
    """A GAMEDEF is wrong; ``line`` says where, and ``key`` which key is at fault where it is one."""

    def __init__(
        self, message: str, *, line: int | None = None, source: str | None = None, key: str | None = None
    ) -> None:
        super().__init__(message, line=line, source=source)
        self.key = key


class UnknownGameError(InputError):
    """No catalogue game and no file of that name."""


class UnsupportedGameError(InputError):
    """The game is well formed, but this part of Errai cannot handle it."""


class IllegalActionError(InputError):
    """An action that the rules do not allow in this state."""


class SpotError(TextError):
    """A spot file is wrong; subclasses say in which respect, ``line`` says where."""


class SpotFileError(SpotError):
    """A spot file that cannot be opened or is far too large."""


class SpotSyntaxError(SpotError):
    """The spot is not valid TOML."""


class SpotKeyError(SpotError):
    """A key that a spot does not know, or a required key that is missing."""


class SpotValueError(SpotError):
    """A value of the wrong type or out of bounds."""


class SpotBoardError(SpotError):
    """A board that cannot be: a wrong number of cards, a card twice, a card that does not exist."""


class SpotRangeError(SpotError):
    """A range that cannot be read, or that holds no hand once the board is taken out."""


class SpotStackError(SpotError):
    """Stacks or a pot with which nothing can be bet."""


class SizingError(SpotError):
    """A bet size that cannot be read; bare numbers are refused because tools disagree on their unit."""


class LockError(TextError):
    """Locks that cannot be: a line, hand or action that does not exist, frequencies that do not sum to 1."""


# --- tree ----------------------------------------------------------------------------------------------------------


class TreeTooLargeError(ErraiError):
    """The tree needs more memory or nodes than allowed; the message says how much and which setting helps."""


# --- solvers -------------------------------------------------------------------------------------------------------


class TargetError(InputError):
    """A target that cannot be read, or a unit that this game has no meaning for."""


class SolverOptionError(InputError):
    """An option of the solver is unknown or out of bounds."""


class SubgameError(InputError):
    """A subgame that cannot be solved again: arrays of other sizes, values that are missing, no such method."""


class LeafValuesError(InputError):
    """A solution that is cut needs the values that stand below its leaves, and they are missing or others."""


class LineError(InputError):
    """A line, card or hand that the solution does not have at this place."""


class BackendError(ErraiError):
    """A kernel backend is unknown or not available here; the message says how to get it."""


class MatrixGameError(InputError):
    """A payoff matrix, or a strategy for one, that is no matrix game: wrong shape, not finite, not a distribution."""


class StrategyError(InputError):
    """A strategy of a player that is missing, of the wrong length, or not a probability distribution."""


class SuitsError(StrategyError):
    """A strategy tells apart what suits make equal, where it was to be asked about one of them for all."""


class UnknownStrategyError(StrategyError):
    """A text that names no strategy; the message says what can be written."""


class LinearProgramError(ErraiError):
    """The linear programming solver stopped without an optimum."""


# --- store ---------------------------------------------------------------------------------------------------------


class ArtefactError(ErraiError):
    """A file of Errai's could not be used."""


class ForeignFileError(ArtefactError):
    """The file is not of the kind or version asked for."""


class DamagedFileError(ArtefactError):
    """The file is of the right kind but truncated, altered or inconsistent."""


class MismatchError(ArtefactError):
    """The file is whole, but belongs to another game, spot or setting."""


class FileAccessError(ArtefactError):
    """A file could not be read or written: it is missing, not a plain file, or the system refuses."""


class RunInUseError(ArtefactError):
    """Another process works in the folder of a run."""


class WorkerLostError(ErraiError):
    """Processes that walk subgames end again and again without a result."""


class StoppedError(ErraiError):
    """What was asked for is not there, because the work was told to stop before; what it has kept it goes on from."""


class DiskSpaceError(ArtefactError):
    """The disk has no room for the file; the message says how much is needed and how much is free."""


# --- agents and the arena ------------------------------------------------------------------------------------------


class AgentError(ErraiError):
    """An agent has failed in the middle of a match: it died, fell silent, or answered what is no action."""


class ProtocolError(TextError):
    """A line that is none of the ACPC protocol; ``column`` says where."""


class HistoryError(TextError):
    """A hand history that cannot be read, or holds what the rules do not allow; ``line`` says where."""


class MatchError(InputError):
    """A match, tournament or measurement that cannot be held as asked for."""
