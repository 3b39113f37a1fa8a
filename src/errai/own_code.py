"""Code of users: how it is found, and where it failed."""

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
    """What ``package.module:name`` names; modules in the current folder are found, as by ``python -m``.

    Raises
    ------
    StrategyError
        The text has no colon, the module cannot be imported, or has nothing of that name.  Where the module itself
        fails, the message names the file and the line.
    """
    module, colon, name = source.partition(":")
    if not (colon and module and name):
        raise StrategyError(f"{source!r} names nothing in a module; write package.module:name.")
    if not {"", os.getcwd()} & set(sys.path):
        # At the end, so that no file of that folder is taken for a library that Errai needs.
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
    """What a class or function of somebody's makes of a game or spot, which it is given if it takes an argument.

    Raises :class:`StrategyError`, with the file and the line, where it fails.
    """
    try:
        inspect.signature(found).bind(subject)
        arguments: tuple[Any, ...] = (subject,)
    except TypeError:
        arguments = ()
    except ValueError:  # What is not written in Python may not say what it takes.
        arguments = (subject,)
    try:
        return found(*arguments)
    except ErraiError:
        raise
    except (Exception, SystemExit) as error:
        raise StrategyError(f"{source} cannot be made: {fault_text(error)}.") from error


def fault_text(error: BaseException) -> str:
    """What went wrong in somebody's code, with the file and the line, for messages."""
    what = type(error).__name__ + (f": {error.msg if isinstance(error, SyntaxError) else error}" if str(error) else "")
    place = _place(error)
    return f"{what} ({place})" if place else what


def place_of(function: Callable[..., Any]) -> str:
    """The file and line at which something is defined; empty where that is not known."""
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
    """A path as short as it can be written from the current folder."""
    whole = Path(path)
    return str(whole.relative_to(Path.cwd()) if whole.is_relative_to(Path.cwd()) else whole)
