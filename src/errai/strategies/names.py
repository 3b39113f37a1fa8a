"""Names of strategies and agents: one grammar, ``KIND[:KEY=VALUE,...][:SOURCE]``.

``vexbot:search=miximix,decay=0.95`` has options, ``solution:leduc.errai`` has a source, and
``solution:translation=geometric:holdem.errai`` has both.  The text after the kind is options if it begins with
``key=``, where a key consists of small letters and hyphens; a file whose own name begins like that is written with its
folder, as in ``solution:./a=b.errai``.  A source may contain colons, and may be a name itself, as in
``resolver:from=river,seconds=1:solution:flop.errai``.  Options without a kind are a mixture of actions:
``fold=0.1,call=0.4,raise=0.5``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from errai.errors import StrategyError

Bounds = tuple[int, int] | tuple[float, float]
"""Least and greatest value of an option; both are integers if the option is one."""

DEFAULT_BUCKETS = 8
"""The buckets of `by-strength`, where no number is given."""

_KEY = re.compile(r"[a-z][a-z-]*\s*=")


def full_name(text: str) -> str:
    """Return the one name of what has two: `by-strength` is `by-strength:8`."""
    return f"{text}:{DEFAULT_BUCKETS}" if text == "by-strength" else text


class Name(NamedTuple):
    """The parts of a name; a missing part is empty."""

    text: str
    kind: str
    options: str
    source: str

    def read(
        self,
        numbers: Mapping[str, Bounds] | None = None,
        words: Mapping[str, tuple[str, ...]] | None = None,
        texts: tuple[str, ...] = (),
        *,
        source: str = "",
    ) -> dict[str, Any]:
        """Return the options by their keys.

        Parameters
        ----------
        numbers:
            The options that are numbers, with their bounds.
        words:
            The options that are one of some words, with these words.
        texts:
            The options that are any text.
        source:
            What the source is, such as ``FILE``; in brackets if it may be left out, and empty if there must be none.

        Raises
        ------
        StrategyError
            If an option is unknown, given twice, or out of bounds, or if the source is missing or not allowed; the
            message says what is possible.
        """
        numbers, words = numbers or {}, words or {}
        known = ", ".join(
            [f"{key}={'|'.join(choices)}" for key, choices in words.items()]
            + [f"{key}={low:g}..{high:g}" for key, (low, high) in numbers.items()]
            + [f"{key}=..." for key in texts]
        )
        of = self.kind or "a mixture"
        found: dict[str, Any] = {}
        for item in self.options.split(",") if self.options else ():
            key, _, value = (part.strip() for part in item.partition("="))
            if key in found:
                raise StrategyError(f"The option {key!r} of {of} is given twice.")
            if (key in words and value in words[key]) or (key in texts and value):
                found[key] = value
            elif key in numbers and (number := _number(value, numbers[key])) is not None:
                found[key] = number
            else:
                options = f"its options are {known}" if known else "it has none"
                raise StrategyError(f"{item.strip()!r} is not an option of {of}; {options}.")
        if self.source and not source:
            raise StrategyError(f"{of} takes no {self.source!r}; leave it out.")
        if source and not self.source and not source.startswith("["):
            raise StrategyError(f"{self.text!r} lacks its {source}; write {of}:{source}.")
        return found


def read_name(text: str) -> Name:
    """Split a name into its parts."""
    text = text.strip()
    kind, _, rest = text.partition(":")
    if "=" in kind:
        return Name(text, "", text, "")
    head, _, source = rest.partition(":")
    return Name(text, kind, head, source) if _KEY.match(head) else Name(text, kind, "", rest)


def _number(text: str, bounds: Bounds) -> float | None:
    low, high = bounds
    try:
        value = int(text) if isinstance(low, int) else float(text)
    except ValueError:
        return None
    return value if low <= value <= high else None
