"""Python code written by users: importing it, calling it, checking its answers, and saying where an error occurred."""

from __future__ import annotations

import importlib
import inspect
import math
import numbers
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errai.errors import ErraiError, InputError, StrategyError

_PACKAGE = str(Path(__file__).resolve().parent) + os.sep


def own_object(source: str) -> Any:
    """Return the object that ``package.module:name`` names.

    As with ``python -m``, modules in the current folder are found.

    Raises
    ------
    StrategyError
        The text has no colon, the module cannot be imported, or the module has nothing of that name.  If the module
        itself raises an error, the message names the file and the line.
    """
    module, colon, name = source.partition(":")
    if not (colon and module and name):
        raise StrategyError(f"{source!r} does not name an object of a module; write package.module:name.")
    if not {"", os.getcwd()} & set(sys.path):
        # The folder comes last, so that none of its files is imported in place of a library that Errai needs.
        sys.path.append(os.getcwd())
    importlib.invalidate_caches()
    try:
        found = importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise StrategyError(f"The module {module!r} cannot be imported: {fault_text(error)}.") from error
    try:
        return getattr(found, name)
    except AttributeError:
        place = getattr(found, "__file__", None)
        where = f" ({_shown(place)})" if place else ""
        raise StrategyError(f"The module {module!r}{where} has nothing called {name!r}.") from None


def made_of(found: Any, subject: Any, source: str) -> Any:
    """Call a user's class or function and return the result.  It is given the game or spot if it takes an argument.

    Raises :class:`StrategyError` with the file and the line if the call fails.
    """
    try:
        inspect.signature(found).bind(subject)
        arguments: tuple[Any, ...] = (subject,)
    except TypeError:
        arguments = ()
    except ValueError:  # A callable that is not written in Python may have no signature.
        arguments = (subject,)
    try:
        return found(*arguments)
    except ErraiError:
        raise
    except (Exception, SystemExit) as error:
        raise StrategyError(f"Calling {source} failed: {fault_text(error)}.") from error


def fault_text(error: BaseException) -> str:
    """Describe an error that a user's code raised, with the file and the line, for messages."""
    what = type(error).__name__ + (f": {error.msg if isinstance(error, SyntaxError) else error}" if str(error) else "")
    if isinstance(error, SyntaxError) and error.filename:
        return f"{what} ({_shown(error.filename)}, line {error.lineno})"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((_PACKAGE, "<"))]
    import sysconfig

    # Where a library was called with something wrong, the call is what its author can mend.
    libraries = tuple({path + os.sep for path in sysconfig.get_paths().values() if path})
    own = [f for f in frames if not f.filename.startswith(libraries)] or frames
    return f"{what} ({_shown(own[-1].filename)}, line {own[-1].lineno})" if own else what


@contextmanager
def faults_named(
    what: str, error: type[ErraiError] = InputError, at: Callable[[], str] | None = None
) -> Iterator[None]:
    """Turn an exception of a user's code into an error of the type ``error``, with the file and the line.

    Errors that Errai raises on purpose and KeyboardInterrupt stay as they are.  The message begins with ``what`` the
    code was asked for, such as ``The leaf values 'mine'``, and ``at`` says where, such as ``at iteration 7``.
    """
    try:
        yield
    except ErraiError:
        raise
    except (Exception, SystemExit) as fault:
        where = "" if at is None else f" {at()}"
        raise error(f"{what} failed{where}: {fault_text(fault)}.") from fault


def is_users(thing: Any) -> bool:
    """Return whether an object's class was written outside this package, so that its answers have to be checked."""
    return not type(thing).__module__.startswith("errai.")


def place_of(function: Callable[..., Any]) -> str:
    """Return the file and line at which a function is defined, or an empty text if they are not known."""
    try:
        path, line = inspect.getsourcefile(function), inspect.getsourcelines(function)[1]
    except (OSError, TypeError):
        return ""
    return f"{_shown(path)}, line {line}" if path else ""


def numbers_of(
    given: Any,
    what: str,
    shape: tuple[int, ...],
    *,
    low: float = -math.inf,
    high: float = math.inf,
    read: NDArray[np.bool_] | None = None,
    place: Callable[..., str] | None = None,
    error: type[ErraiError] = InputError,
    single: bool = False,
) -> NDArray[Any]:
    """Return what a user's code answered as float64[shape] after checking it.

    The rule for every seam is that an answer is read only if it is an array of real numbers of the right shape, and the
    numbers that are read are finite and within bounds.

    Parameters
    ----------
    given:
        What the code answered: an array, or something that NumPy makes an array of.
    what:
        Subject of the message in the plural, such as ``The leaf values 'mine'``.
    low, high:
        Bounds of the numbers, inclusive.
    read:
        bool that can be broadcast to ``shape``: the numbers that are read; the others may be anything.
    place:
        Says where an element stands, given its index in each axis, such as ``on the board Ks7d2c, after 'check', for
        AhQd``.  By default the message has the index.
    error:
        The type of the error, whose message has the first wrong number and its place.
    single:
        Whether an array of float32 is returned as it is, instead of as float64.
    """
    try:
        array = np.asarray(given)
    except ValueError:  # Lists of different lengths.
        array = np.empty(0, dtype=object)
    if array.dtype.kind not in "biuf":
        raise error(f"{what} must be an array of real numbers of the shape {shape}, not {described(given)}.")
    if array.shape != shape:
        raise error(f"{what} have the shape {array.shape}, not {shape}.")
    dtype = np.float32 if single and array.dtype == np.float32 else np.float64
    # Of a single number NumPy makes an array with an axis.
    numbers: NDArray[Any] = np.ascontiguousarray(array, dtype=dtype).reshape(shape)
    if low == -math.inf and high == math.inf and all_finite(numbers):
        return numbers
    outside = ~np.isfinite(numbers) | (numbers < low) | (numbers > high)
    if read is not None:
        outside &= read
    if not outside.any():
        return numbers
    wrong = tuple(int(i) for i in np.argwhere(outside)[0])
    where = place(*wrong) if place is not None else "at the index " + ", ".join(map(str, wrong)) if wrong else "there"
    raise error(f"{what} are {numbers[wrong]:g} {where}; each must be a finite number{_bounds(low, high)}.")


def all_finite(numbers: NDArray[Any]) -> bool:
    """Return whether the sum of numbers is finite, in one pass; false also for finite numbers whose sum overflows."""
    with np.errstate(all="ignore"):
        return math.isfinite(np.add.reduce(numbers, axis=None))


def number_of(
    given: Any,
    what: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    finite: bool = True,
    whole: bool = False,
    error: type[ErraiError] = InputError,
) -> float:
    """Return one number that a user gave as a float, or as an int if it must be ``whole``, after checking it.

    It must be a number of Python or NumPy (truth values are none) within the bounds, inclusive, and ``finite`` even
    where no bound excludes infinity.  The message of the ``error`` begins with ``what`` it is, such as ``The alpha of
    the schedule 'mine'``.
    """
    kind: Any = numbers.Integral if whole else numbers.Real
    if isinstance(given, kind) and not isinstance(given, bool | np.bool_):
        try:
            number = float(given)
        except OverflowError:  # An integer beyond all floats.
            number = math.nan
        if low <= number <= high and (not finite or math.isfinite(number)):
            return int(given) if whole else number
    sort = "a whole number" if whole else "a finite number" if finite else "a number"
    raise error(f"{what} is {described(given)}; it must be {sort}{_bounds(low, high)}.")


def _bounds(low: float, high: float) -> str:
    """Return bounds as the end of a sentence, or an empty text if there are none."""
    below, above = (f"{bound:,}" if isinstance(bound, int) else f"{bound:g}" for bound in (low, high))
    if low == -math.inf:
        return "" if high == math.inf else f" of at most {above}"
    return f" of at least {below}" if high == math.inf else f" from {below} to {above}"


def whole_number(
    given: Any, what: str, low: int, high: int | None = None, *, error: type[ErraiError] = InputError
) -> int:
    """Return a whole number within bounds, inclusive; raises ``error`` for anything else, such as 2.5 or True."""
    return int(number_of(given, what, low=low, high=math.inf if high is None else high, whole=True, error=error))


def described(given: Any) -> str:
    """Return in a few words what a user gave, for messages; it never fails."""
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype}"
    if isinstance(given, type):
        return f"the class {given.__name__}"
    try:
        return f"{given!r:.60}"
    except Exception:  # Code of the user too, and Python refuses to write integers of thousands of digits.
        return f"an object of the type {type(given).__name__}"


def _shown(path: str) -> str:
    """Return a path relative to the current folder if it lies inside it, and the whole path otherwise."""
    whole = Path(path)
    return str(whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole)
