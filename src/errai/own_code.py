"""Python code written by users: importing it, calling it, and saying where in it an error occurred."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from errai.errors import ErraiError, StrategyError

_PACKAGE = str(Path(__file__).resolve().parent) + os.sep
_LIBRARIES = tuple({path + os.sep for path in sysconfig.get_paths().values() if path})


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
        raise StrategyError(f"{source!r} names nothing in a module; write package.module:name.")
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
        raise StrategyError(f"{source} cannot be made: {fault_text(error)}.") from error


def fault_text(error: BaseException) -> str:
    """Describe an error that a user's code raised, with the file and the line, for messages."""
    what = type(error).__name__ + (f": {error.msg if isinstance(error, SyntaxError) else error}" if str(error) else "")
    place = _place(error)
    return f"{what} ({place})" if place else what


def place_of(function: Callable[..., Any]) -> str:
    """Return the file and line at which a function is defined, or an empty text if they are not known."""
    try:
        path, line = inspect.getsourcefile(function), inspect.getsourcelines(function)[1]
    except (OSError, TypeError):
        return ""
    return f"{_shown(path)}, line {line}" if path else ""


def _place(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and error.filename:
        return f"{_shown(error.filename)}, line {error.lineno}"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((_PACKAGE, "<"))]
    # Where a library was called with something wrong, the call is what its author can mend.
    own = [f for f in frames if not f.filename.startswith(_LIBRARIES)] or frames
    return f"{_shown(own[-1].filename)}, line {own[-1].lineno}" if own else ""


def _shown(path: str) -> str:
    """Return a path relative to the current folder if it lies inside it, and the whole path otherwise."""
    whole = Path(path)
    return str(whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole)
