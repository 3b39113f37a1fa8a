"""Checks of the members of a file's header; a wrong one raises :class:`DamagedFileError`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from errai.errors import DamagedFileError

MAX_NUMBER = 1e300
"""Numbers in a header stay below this, so that a later sum or product of a few of them stays finite."""


def checked_table(value: Any, what: str) -> Mapping[str, Any]:
    """Return a table."""
    if not isinstance(value, Mapping):
        raise DamagedFileError(f"The member '{what}' of the header is not a table.")
    return value


def checked_text(value: Any, what: str, allowed: Iterable[str] | None = None) -> str:
    """Return a text; one of ``allowed`` if that is given."""
    if not isinstance(value, str) or (allowed is not None and value not in tuple(allowed)):
        choice = "a text" if allowed is None else f"one of {', '.join(allowed)}"
        raise DamagedFileError(f"The member '{what}' of the header is {value!s:.40}, not {choice}.")
    return value


def checked_count(value: Any, what: str) -> int:
    """Return a whole number of at least 0."""
    if type(value) is not int or not 0 <= value < 2**63:
        raise DamagedFileError(f"The member '{what}' of the header is {value!s:.40}, not a whole number from 0.")
    return value


def checked_number(value: Any, what: str) -> float:
    """Return a finite number."""
    if type(value) not in (int, float) or not abs(value) < MAX_NUMBER:
        raise DamagedFileError(f"The member '{what}' of the header is {value!s:.40}, not a number.")
    return float(value)


def checked_numbers(value: Any, what: str, count: int) -> list[float]:
    """Return a list of so many numbers."""
    if not isinstance(value, list) or len(value) != count:
        raise DamagedFileError(f"The member '{what}' of the header is not a list of {count} numbers.")
    return [checked_number(item, what) for item in value]


def checked_scalars(table: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return a table of texts and numbers."""
    if any(isinstance(value, list | Mapping) for value in table.values()):
        raise DamagedFileError(f"The member '{what}' of the header holds more than texts and numbers.")
    return dict(table)


def tree_options(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the tree of a file was made smaller, as ``PublicTree.options``; by default not at all."""
    options: dict[str, Any] = {name: metadata.get(name, False) for name in ("alike", "run_out")}
    for name, value in options.items():
        if not isinstance(value, bool):
            raise DamagedFileError(f"The member '{name}' of the header is {value!s:.40}, not true or false.")
    if metadata.get("locks") is not None:
        options["locks"] = checked_table(metadata["locks"], "locks")
    return options


def checked_curve(value: Any) -> list[tuple[int, float, float]]:
    """Return ascending iterations, with seconds and chips."""
    if not isinstance(value, list):
        raise DamagedFileError("The member 'curve' of the header is not a list.")
    points = [checked_numbers(point, "curve", 3) for point in value]
    curve = [(int(iteration), seconds, chips) for iteration, seconds, chips in points]
    before = 0
    for (iteration, _, _), point in zip(curve, points, strict=True):
        if iteration != point[0] or iteration <= before:
            raise DamagedFileError("The iterations of the curve do not ascend.")
        before = iteration
    return curve
