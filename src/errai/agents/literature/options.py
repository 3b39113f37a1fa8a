"""Options of a bot as text: ``search=miximax,decay=0.95``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errai.errors import StrategyError

Number = tuple[int, int] | tuple[float, float]
"""Least and greatest value; integers where the option is one."""


def read_options(
    text: str, bot: str, numbers: Mapping[str, Number], words: Mapping[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Read ``key=value`` pairs separated by commas.

    Parameters
    ----------
    numbers:
        The options that are numbers, with their bounds; where these are integers, so is the option.
    words:
        Those that are one of some words.

    Raises
    ------
    StrategyError
        An option is unknown, given twice, or out of bounds; the message says what is possible.
    """
    found: dict[str, Any] = {}
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
        elif key in numbers and (number := _number(value, numbers[key])) is not None:
            found[key] = number
        else:
            raise StrategyError(f"{item!r} is no option of {bot}; its options are {known}.")
    return found


def _number(text: str, bounds: Number) -> float | None:
    low, high = bounds
    try:
        value = int(text) if isinstance(low, int) else float(text)
    except ValueError:
        return None
    return value if low <= value <= high else None
