"""Options of a bot as text: ``search=miximax,decay=0.95``."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from errai.errors import StrategyError

Number = tuple[float, float]
"""Least and greatest value."""


def read_options(
    text: str, bot: str, numbers: Mapping[str, Number], words: Mapping[str, tuple[str, ...]]
) -> dict[str, str | float]:
    """Read ``key=value`` pairs separated by commas.

    Parameters
    ----------
    numbers:
        The options that are numbers, with their bounds.
    words:
        Those that are one of some words.

    Raises
    ------
    StrategyError
        An option is unknown, given twice, or out of bounds; the message says what is possible.
    """
    found: dict[str, str | float] = {}
    known = ", ".join(
        [f"{key}={'|'.join(choices)}" for key, choices in words.items()]
        + [f"{key}={low:g}..{high:g}" for key, (low, high) in numbers.items()]
    )
    for item in filter(None, (part.strip() for part in text.split(","))):
        key, _, value = (part.strip() for part in item.partition("="))
        if key in found:
            raise StrategyError(f"The option {key!r} of {bot} is given twice.")
        if key in words and value in words[key]:
            found[key] = value
        elif key in numbers and (number := _number(value, *numbers[key])) is not None:
            found[key] = number
        else:
            raise StrategyError(f"{item!r} is no option of {bot}; its options are {known}.")
    return found


def _number(text: str, low: float, high: float) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and low <= value <= high else None
