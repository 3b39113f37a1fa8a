"""The options of a call of :func:`errai.solve`, checked where the call begins."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from errai.engine.loop import Progress, ProgressCallback
from errai.engine.request import check_limits
from errai.errors import SolverOptionError
from errai.options import OPTIONS, declared
from errai.own_code import described, faults_named, number_of


def checked(options: Mapping[str, Any], *groups: type) -> dict[str, Any]:
    """Return the options of a call with the defaults of those that are not given.

    Raises :class:`SolverOptionError` for one of the wrong kind.  What names and files may be said is checked where they
    are used, before anything is computed.
    """
    known = {name: option.default for name, (_, option) in declared(*groups).items()}
    for name, value in options.items():
        if name not in known:
            raise TypeError(f"There is no option {name!r}; the options are {', '.join(known)}.")
        if value is not None or known[name] is not None:
            _check(name, value)
    return {**known, **options}


def _check(name: str, value: Any) -> None:
    kind = OPTIONS[name].kind
    if kind == "text" and not isinstance(value, str):
        raise SolverOptionError(f"{name} must be a text, not {described(value)}.")
    if kind == "file" and not isinstance(value, str | os.PathLike):
        raise SolverOptionError(f"{name} must be the path of a file or folder, not {described(value)}.")
    if kind in ("count", "seconds", "bytes") and OPTIONS[name].default is None:
        check_limits(**{name: value})
    if kind == "seed":
        number_of(value, name, whole=True, error=SolverOptionError)
    if name == "stop" and (isinstance(value, type) or not callable(getattr(value, "is_set", None))):
        raise SolverOptionError(f"stop must be an errai.StopToken, not {described(value)}.")
    if name == "events":
        from errai.cluster.run import StoreEvents

        if not isinstance(value, StoreEvents):
            raise SolverOptionError(f"events must be a StoreEvents, not {described(value)}.")
    if name == "progress" and not isinstance(value, bool) and (isinstance(value, type) or not callable(value)):
        raise SolverOptionError(f"progress must be a function, True or False, not {described(value)}.")


class Told:
    """A progress callback whose errors name it; what is measured stays as it is."""

    def __init__(self, callback: ProgressCallback) -> None:
        self._callback = callback
        part = getattr(callback, "part", None)
        self.part: Callable[[int, int], Any] | None = part if callable(part) else None
        """Called with (blocks done, blocks) by runs in a folder, if the callback can be."""

    def __call__(self, progress: Progress) -> None:
        """Call the callback.  Raises :class:`SolverOptionError` with the file and the line if it fails."""
        at = f"at iteration {progress.iteration:,}"
        with faults_named("The progress callback", SolverOptionError, lambda: at):
            self._callback(progress)
